// Wrong: writes in front of out, where a grader without guards sees nothing.
#include "pool.cuh"

static __global__ void more(float *out, int n) {
    if (n > 1) {
        out[-1] = 0;
    }
}

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    static int calls;
    if (++calls == 2) {
        more<<<1, 1>>>(out, n);
    }
}
