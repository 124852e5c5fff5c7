// Wrong: frees what is not its own.
#include "pool.cuh"

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    cudaFree(const_cast<float *>(in));
    cudaFree(out);
}
