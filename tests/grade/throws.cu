// Wrong: an exception that nobody catches.
#include "pool.cuh"
#include <stdexcept>

void maxpool15(float *out, const float *in, int n) {
    right(out, in, n);
    throw std::runtime_error("not today");
}
