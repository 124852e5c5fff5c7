// @launch count 4 64 i32[1]

__global__ void count(int *total) {
    if (threadIdx.x == 0) {
        total[0] = total[0] + 1;  // @finding data-race
    }
}
