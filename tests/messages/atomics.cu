// @launch count 4 64 i32[1]

__global__ void count(int *total) {
    if (threadIdx.x == 0) {
        total[0] = total[0] + 1;  // @finding data-race
    }
}

// @message thread 0 of block 1 reads a0[0], which thread 0 of block 0 wrote at line 5, and nothing orders the two (the same in 5 more accesses)
