// Wrong: writes through a null pointer of the host's.
#include "pool.cuh"

void maxpool15(float *out, const float *in, int n) {
    volatile int *p = nullptr;
    *p = n;
    right(out, in, n);
}
