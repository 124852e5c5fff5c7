// Wrong: writes 19 MB a call to standard error, with what a terminal would
// obey; where n is 1, which is enough.
#include "pool.cuh"
#include <cstdio>

void maxpool15(float *out, const float *in, int n) {
    for (int i = 0; n == 1 && i < 200000; ++i) {
        fprintf(stderr,
                "\033[2J%090d"
                "\n",
                i);
    }
}
