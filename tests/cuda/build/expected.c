/* What all values should sum to. */
#include <math.h>
double expected(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += sqrt((double)i * i) * SCALE + OFFSET;
    }
    return sum;
}
