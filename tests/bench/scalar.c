/* scalar.c - see scalar.h. */
#include "scalar.h"
#include <math.h>

void scalar_saxpy(int n, float a, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        y[i] = a * x[i] + y[i];
    }
}

void scalar_max_pool(int n, const float *x, float *y) {
    for (int i = 0; i < n; i++) {
        float best = -INFINITY;
        for (int k = -15; k <= 15; k++) {
            int j = i + k;
            if (j >= 0 && j < n && x[j] > best) {
                best = x[j];
            }
        }
        y[i] = best;
    }
}
