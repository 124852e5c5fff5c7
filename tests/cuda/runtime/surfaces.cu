// Surfaces: writes and reads of arrays of all shapes, by texels and vectors, and
// what becomes of accesses beyond them, clamped or zero.
// @stdout 0 wrong
#include <cstdio>
#include <vector>

static int wrong;

static void check(bool right, const char *what, int line) {
    if (!right) {
        printf("line %d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(call) check((call) == cudaSuccess, #call, __LINE__)

enum { N = 8, H = 4, D = 3 };

__global__ void write2(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(100.0f * y + x, s, x * 4, y);
}

__global__ void read2(cudaSurfaceObject_t s, float *o) {
    int i = threadIdx.x;
    o[i] = surf2Dread<float>(s, i % N * 4, i / N);
    if (i == 0) {
        o[32] = surf2Dread<float>(s, -4, 1, cudaBoundaryModeClamp);
        o[33] = surf2Dread<float>(s, 4 * N, H + 5, cudaBoundaryModeClamp);
        o[34] = surf2Dread<float>(s, 4 * N, 1, cudaBoundaryModeZero);
        surf2Dwrite(-1.0f, s, -4, 0, cudaBoundaryModeZero); // nowhere
        surf2Dwrite(-1.0f, s, 4 * N, 0, cudaBoundaryModeZero);
        float4 v = surf2Dread<float4>(s, 16, 2);
        o[35] = v.x + v.w;
    }
}

__global__ void write3(cudaSurfaceObject_t s, cudaSurfaceObject_t layered, cudaSurfaceObject_t line) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    short v = (short)((z * H + y) * N + x);
    surf3Dwrite(v, s, x * 2, y, z);
    surf2DLayeredwrite(make_uchar4(x, y, z, 9), layered, x * 4, y, z);
    if (y == 0 && z == 0)
        surf1Dwrite(make_int2(x, -x), line, x * 8);
}

static cudaSurfaceObject_t surface(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s = 0;
    OK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

template <class T> static cudaArray_t array(cudaExtent e, unsigned flags) {
    cudaChannelFormatDesc c = cudaCreateChannelDesc<T>();
    cudaArray_t a = nullptr;
    OK(cudaMalloc3DArray(&a, &c, e, flags | cudaArraySurfaceLoadStore));
    return a;
}

template <class T> static std::vector<T> all(cudaArray_t a, cudaExtent e) {
    std::vector<T> v(e.width * e.height * e.depth);
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(v.data(), e.width * sizeof(T), e.width, e.height);
    p.extent = e;
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    return v;
}

static void planes() {
    cudaExtent e = make_cudaExtent(N, H, D);
    cudaArray_t a3 = array<short>(e, 0), al = array<uchar4>(e, cudaArrayLayered),
                a1 = array<int2>(make_cudaExtent(N, 0, 0), 0);
    cudaSurfaceObject_t s3 = surface(a3), sl = surface(al), s1 = surface(a1);
    write3<<<1, dim3(N, H, D)>>>(s3, sl, s1);
    OK(cudaDeviceSynchronize());
    std::vector<short> v = all<short>(a3, e);
    std::vector<uchar4> l = all<uchar4>(al, e);
    std::vector<int2> r = all<int2>(a1, make_cudaExtent(N, 1, 1));
    for (int i = 0; i < N * H * D; i++) {
        CHECK(v[i] == i);
        CHECK(l[i].x == i % N && l[i].y == i / N % H && l[i].z == i / (N * H) && l[i].w == 9);
    }
    for (int i = 0; i < N; i++)
        CHECK(r[i].x == i && r[i].y == -i);
    for (cudaSurfaceObject_t s : {s3, sl, s1})
        OK(cudaDestroySurfaceObject(s));
    for (cudaArray_t a : {a3, al, a1})
        OK(cudaFreeArray(a));
}

int main() {
    float *o;
    cudaArray_t a = array<float>(make_cudaExtent(N, H, 0), 0), plain;
    cudaSurfaceObject_t s = surface(a);
    OK(cudaMallocManaged(&o, 64 * sizeof *o));
    write2<<<1, dim3(N, H)>>>(s);
    read2<<<1, N * H>>>(s, o);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < N * H; i++)
        CHECK(o[i] == 100 * (i / N) + i % N);
    CHECK(o[32] == 100 && o[33] == 307 && o[34] == 0 && o[35] == 204 + 207);
    planes();
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&plain, &c, 4, 4));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    cudaSurfaceObject_t none;
    CHECK(cudaCreateSurfaceObject(&none, &r) == cudaErrorInvalidValue); // no cudaArraySurfaceLoadStore
    OK(cudaFreeArray(plain));
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(a));
    OK(cudaFree(o));
    printf("%d wrong\n", wrong);
    return wrong;
}
