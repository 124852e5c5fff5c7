// Right: another thread launches, and is waited for.
#include "pool.cuh"
#include <thread>

void maxpool15(float *out, const float *in, int n) {
    std::thread([=] { right(out, in, n); }).join();
}
