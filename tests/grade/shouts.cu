// Wrong: writes 20 MB to standard error, with what a terminal would obey.
#include "pool.cuh"
#include <cstdio>

void maxpool15(float *out, const float *in, int n) {
    for (int i = 0; i < 200000; ++i) {
        fprintf(stderr,
                "\033[2J%090d"
                "\n",
                i);
    }
}
