// @launch k 1 32 i32[1]

__global__ void k(int *flag) {
    volatile int *f = flag;
    while (*f != 99) {  // @finding deadlock
    }
}
