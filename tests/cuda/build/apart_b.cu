// Beside apart_a.cu: a variable and a kernel of the same names.
static __device__ int counter = 10;
template <int N> __global__ void add(int *p) { *p += counter + N; }
void other(int *p) { add<1><<<1, 1>>>(p); }
