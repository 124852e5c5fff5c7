/* Thrust is given ranges that lie side by side. */
#include <thrust/device_vector.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>

struct twice {
    __device__ int operator()(int i) const { return 2 * i; }
};

int main() {
    const int n = 20000;
    thrust::device_vector<int> v(n);
    thrust::sequence(v.begin(), v.end());
    thrust::transform(v.begin(), v.begin() + 5000, v.begin() + 5000, twice());
    return 0;
}
