// Wrong: prints without an end.
#include "pool.cuh"
#include <cstdio>

void maxpool15(float *out, const float *in, int n) {
    while (true) {
        puts("0123456789 0123456789 0123456789 0123456789 0123456789");
    }
}
