// @launch k 1 32 i32[1]

__global__ void k(int *flag) {
    volatile int *f = flag;
    while (*f != 99) {  // @finding deadlock
    }
}

// @message nobody can go on: block 0, warp 0, all lanes: loops at line 5, and nothing is left that could change what it tests
