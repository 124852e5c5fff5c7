// What the programs of this folder share: buffers, the scalar reference's time,
// the comparison. A program prints "scalar NAME SECONDS" for each kernel and
// returns 1 if a result is wrong.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T> T *device(const std::vector<T> &v) {
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

template <class T> std::vector<T> host(const T *p, size_t n) {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
}

// Small whole numbers: sums in any order are exact.
inline std::vector<float> numbers(size_t n) {
    std::vector<float> v(n);
    for (size_t i = 0; i < n; ++i) {
        v[i] = float(i * 7 % 11) - 3;
    }
    return v;
}

inline std::vector<int> indices(size_t n, int below) {
    std::vector<int> v(n);
    unsigned x = 1;
    for (size_t i = 0; i < n; ++i) {
        x = x * 1664525u + 1013904223u;
        v[i] = int((x >> 8) % unsigned(below));
    }
    return v;
}

template <class F> void scalar(const char *name, F reference) {
    using clock = std::chrono::steady_clock;
    const clock::time_point begin = clock::now();
    reference();
    std::printf("scalar %s %.6f\n", name,
                std::chrono::duration<double>(clock::now() - begin).count());
}

template <class T>
int differs(const char *name, const std::vector<T> &a,
            const std::vector<T> &b) {
    for (size_t i = 0; i < b.size(); ++i) {
        if (a[i] != b[i]) {
            std::printf("%s: [%zu] is %g, not %g\n", name, i, double(a[i]),
                        double(b[i]));
            return 1;
        }
    }
    return 0;
}

// The same for what is computed in another order, or by approximations: apart by
// more than a part of the larger one, or of 1.
inline int far(const char *name, const std::vector<float> &a,
               const std::vector<float> &b, double part) {
    for (size_t i = 0; i < b.size(); ++i) {
        const double most =
            std::fmax(1.0, std::fmax(std::fabs(a[i]), std::fabs(b[i])));
        if (!(std::fabs(double(a[i]) - b[i]) <= part * most)) {
            std::printf("%s: [%zu] is %g, not %g\n", name, i, double(a[i]),
                        double(b[i]));
            return 1;
        }
    }
    return 0;
}

inline int argument(int argc, char **argv, int otherwise) {
    return argc > 1 ? std::atoi(argv[1]) : otherwise;
}
