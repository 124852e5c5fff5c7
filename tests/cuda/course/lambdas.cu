/* Generic device code: functors, templates over operations, generic lambdas on
 * the device, constexpr tables, if constexpr, structured bindings. */
#include <cstdio>
#include <type_traits>
#include <vector>

struct affine {
    float a, b;
    __device__ float operator()(float x) const {
        return a * x + b;
    }
};

template <class F, class G> struct then {
    F f;
    G g;
    __device__ auto operator()(float x) const {
        return g(f(x));
    }
};

struct square {
    template <class T> __host__ __device__ T operator()(T x) const {
        return x * x;
    }
};

template <class T, class F> __global__ void map(T *x, int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        x[i] = f(x[i]);
    }
}

constexpr int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
constexpr int sum_of_primes() {
    int s = 0;
    for (int p : primes) {
        s += p;
    }
    return s;
}

struct pair {
    int lo, hi;
};
__device__ pair min_max(int a, int b) {
    return a < b ? pair{a, b} : pair{b, a};
}

template <class T> __global__ void mix(T *x, int n) {
    auto op = [&](auto i, auto j) {
        if constexpr (std::is_integral_v<T>) {
            auto [lo, hi] = min_max(x[i], x[j]);
            return hi - lo + sum_of_primes();
        } else {
            return x[i] - x[j] + (T)0.5;
        }
    };
    T v = 0;
    int i = threadIdx.x;
    if (i < n) {
        v = op(i, n - 1 - i);
    }
    __syncthreads();
    if (i < n) {
        x[i] = v;
    }
}

template <class T> static int check_mix() {
    const int n = 100;
    T h[n], r[n], *x;
    for (int i = 0; i < n; i++) {
        h[i] = (T)(i * 7 % 31);
    }
    cudaMalloc(&x, sizeof h);
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    mix<<<1, 128>>>(x, n);
    cudaMemcpy(r, x, sizeof r, cudaMemcpyDeviceToHost);
    cudaFree(x);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        T a = h[i], b = h[n - 1 - i];
        T want = std::is_integral_v<T> ? (a < b ? b - a : a - b) + 77
                                       : (T)(a - b + (T)0.5);
        wrong += r[i] != want;
    }
    return wrong;
}

int main() {
    const int n = 5000;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) {
        h[i] = (float)(i % 50);
    }
    float *x;
    cudaMalloc(&x, n * 4);
    cudaMemcpy(x, h.data(), n * 4, cudaMemcpyHostToDevice);
    map<<<7, 96>>>(x, n, then<affine, square>{{2, 1}, {}});
    cudaMemcpy(r.data(), x, n * 4, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += r[i] != (2 * h[i] + 1) * (2 * h[i] + 1);
    }
    cudaFree(x);
    wrong += check_mix<int>() + check_mix<double>() + check_mix<short>();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
