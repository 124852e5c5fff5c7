// Wrong: copies to the host, loops there and copies back; no kernel at all.
#include <algorithm>
#include <cuda_runtime.h>
#include <vector>

void maxpool15(float *out, const float *in, int n) {
    std::vector<float> a(n), b(n);
    cudaMemcpy(a.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        b[i] = *std::max_element(a.begin() + std::max(0, i - 15),
                                 a.begin() + std::min(n, i + 16));
    }
    cudaMemcpy(out, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
