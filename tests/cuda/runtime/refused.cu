/* Calls whose error the program reads: a note says why, and there is no finding. */
// @error this call failed (cudaErrorInvalidValue, invalid argument): its destination
#include <cstdio>

static int failed;

static void check(cudaError_t e) {
    if (e != cudaSuccess) {
        failed++;
        printf("%s\n", cudaGetErrorString(e));
    }
}

int main() {
    int *d, h[8] = {0};
    check(cudaMalloc(&d, 4 * sizeof *d));
    check(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    check(cudaFree(d));
    return failed == 1 ? 0 : 1;
}
