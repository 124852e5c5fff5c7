/* Thrust and CUB compact in place: blocks look back over relaxed words. */
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/remove.h>
#include <thrust/sequence.h>
#include <thrust/unique.h>

int main() {
    const int n = 4000;
    thrust::device_vector<int> v(n);
    thrust::sequence(v.begin(), v.end());
    auto end = thrust::remove_if(v.begin(), v.end(),
                                 [] __device__(int i) { return i % 5 != 0; });
    int wrong = end - v.begin() != n / 5;
    thrust::host_vector<int> h(v.begin(), end);
    for (int i = 0; i < n / 5; i++) {
        wrong += h[i] != 5 * i;
    }
    for (int i = 0; i < n; i++) {
        h.resize(n);
        h[i] = i / 300;
    }
    v = h;
    wrong += thrust::unique(v.begin(), v.end()) - v.begin() != (n + 299) / 300;
    wrong += v[7] != 7;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
