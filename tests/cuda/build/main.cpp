// The host's part of a program of several sources: no CUDA in it. OpenMP adds
// what the kernels left; the C source has the expected sum.
#include "grid.h"
#include <cstdio>
#include <vector>

extern "C" double expected(int n);

int main(int argc, char **argv) {
    const int n = argc > 1 ? 512 : 256;
    std::vector<float> all(n);
    if (!scaled(all.data(), n) || !shifted(all.data(), n)) {
        return 1;
    }
    double sum = 0;
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) reduction(+ : threads)
    {
        threads += 1;
#pragma omp for
        for (int i = 0; i < n; i++) {
            sum += all[i];
        }
    }
    std::printf("%s: %d values by %d threads: %s\n", argv[argc - 1], n, threads,
                sum == expected(n) ? "as expected" : "WRONG");
    return sum != expected(n);
}
