// Textures: what the CUDA C++ Programming Guide's appendix on texture fetching
// says of filters, address modes, coordinates and read modes, computed once more
// by the host; arrays of all shapes, and copies to and from them. The rows of
// numbers are those that programmers have published of GPUs, for 8 bits,
// clamped, with linear filtering (11 to 253, shifted by half a texel).
// @stdout 0 wrong
#include <cmath>
#include <cstdio>
#include <cstring>
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

enum { N = 8, H = 6, D = 4, T = 256 };

__global__ void read1(cudaTextureObject_t t, const float *x, float *o) {
    int i = threadIdx.x;
    o[i] = tex1D<float>(t, x[i]);
}

__global__ void read2(cudaTextureObject_t t, const float *x, float *o) {
    int i = threadIdx.x;
    o[i] = tex2D<float>(t, x[i], x[i] * 0.75f + 0.1f);
}

__global__ void read3(cudaTextureObject_t t, const float *x, float *o) {
    int i = threadIdx.x;
    o[i] = tex3D<float>(t, x[i], x[i] * 0.75f + 0.1f, x[i] * 0.5f);
}

__global__ void layers(cudaTextureObject_t t, float *o) {
    int i = threadIdx.x;
    o[i] = tex2DLayered<float>(t, (float)(i % N) + 0.5f, (float)(i / N % H) + 0.5f, i / (N * H));
}

__global__ void faces(cudaTextureObject_t t, float *o) {
    const float3 d[] = {{1, 0.25f, -0.25f}, {-1, 0.25f, -0.25f}, {0.25f, 1, -0.25f},
                        {0.25f, -1, -0.25f}, {0.25f, -0.25f, 1}, {0.25f, -0.25f, -1}};
    float3 v = d[threadIdx.x];
    o[threadIdx.x] = texCubemap<float>(t, v.x, v.y, v.z);
}

__global__ void others(cudaTextureObject_t bytes, cudaTextureObject_t four, cudaTextureObject_t gather,
                       cudaTextureObject_t levels, float *o) {
    o[0] = tex1Dfetch<unsigned char>(bytes, 3);
    o[1] = tex1Dfetch<unsigned char>(bytes, -1); // beyond: 0
    o[2] = tex1Dfetch<unsigned char>(bytes, 100);
    short4 s = tex2D<short4>(four, 1.5f, 0.5f);
    o[3] = s.x, o[4] = s.y, o[5] = s.z, o[6] = s.w;
    float4 g = tex2Dgather<float4>(gather, 2.0f, 3.0f, 0);
    o[7] = g.x, o[8] = g.y, o[9] = g.z, o[10] = g.w;
    o[11] = tex2DLod<float>(levels, 0.5f, 0.5f, 0);
    o[12] = tex2DLod<float>(levels, 0.5f, 0.5f, 1);
    o[13] = tex2DLod<float>(levels, 0.5f, 0.5f, 1.25f);
    o[14] = tex2DGrad<float>(levels, 0.5f, 0.5f, make_float2(2.0f / N, 0), make_float2(0, 1.0f / N));
}

// ---- the guide's formulas ----

static double texel(const float *v, const int n[3], cudaTextureAddressMode m, bool norm, int i, int j, int k) {
    int at[3] = {i, j, k};
    for (int d = 0; d < 3; d++) {
        if (at[d] >= 0 && at[d] < n[d])
            continue;
        if (m == cudaAddressModeBorder)
            return 7;
        at[d] = m == cudaAddressModeWrap && norm ? (at[d] + n[d]) % n[d] : at[d] < 0 ? 0 : n[d] - 1;
    }
    return v[(at[2] * n[1] + at[1]) * n[0] + at[0]];
}

static double fetch(const float *v, const int n[3], int dims, const float x[3], cudaTextureAddressMode m, bool norm,
                    bool linear) {
    int i[3] = {0, 0, 0};
    double a[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < dims; d++) {
        double u = x[d], whole = floor(u), part = u - whole;
        if (norm)
            u = n[d] * (m == cudaAddressModeWrap     ? part
                        : m != cudaAddressModeMirror ? u
                        : fmod(whole, 2) != 0        ? 1 - part
                                                     : part);
        u -= linear ? 0.5 : 0;
        i[d] = (int)floor(u);
        a[d] = linear ? floor((u - floor(u)) * 256 + 0.5) / 256 : 0;
    }
    for (int c = 0; c < 1 << dims; c++) {
        double w = 1;
        for (int d = 0; d < dims; d++)
            w *= c >> d & 1 ? a[d] : 1 - a[d];
        if (w != 0)
            sum += w * texel(v, n, m, norm, i[0] + (c & 1), i[1] + (c >> 1 & 1), i[2] + (c >> 2 & 1));
    }
    return sum;
}

static cudaArray_t array_of(const float *v, cudaExtent e, unsigned flags) {
    cudaArray_t a = nullptr;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    OK(cudaMalloc3DArray(&a, &c, e, flags));
    cudaMemcpy3DParms p = {};
    p.extent = make_cudaExtent(e.width, e.height ? e.height : 1, e.depth ? e.depth : 1);
    p.srcPtr = make_cudaPitchedPtr((void *)v, e.width * sizeof(float), e.width, p.extent.height);
    p.dstArray = a;
    p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
    return a;
}

static cudaTextureObject_t texture(cudaArray_t a, cudaTextureAddressMode m, bool norm, bool linear) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = m;
    d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = norm;
    d.borderColor[0] = 7;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    return t;
}

// Every mode and filter, of 1 to 3 dimensions, within the array and beyond it.
static void fetches(const float *v, float *x, float *o) {
    const cudaExtent extents[] = {{N, 0, 0}, {N, H, 0}, {N, H, D}};
    for (int dims = 1; dims <= 3; dims++) {
        cudaArray_t a = array_of(v, extents[dims - 1], 0);
        int n[3] = {N, dims > 1 ? (int)H : 1, dims > 2 ? (int)D : 1};
        for (int k = 0; k < 16; k++) {
            auto m = (cudaTextureAddressMode)(k / 4);
            bool norm = k & 1, linear = k & 2;
            cudaTextureObject_t t = texture(a, m, norm, linear);
            for (int i = 0; i < T; i++)
                x[i] = (i - 61) * (norm ? 0.0177f : 0.139f);
            if (dims == 1)
                read1<<<1, T>>>(t, x, o);
            else if (dims == 2)
                read2<<<1, T>>>(t, x, o);
            else
                read3<<<1, T>>>(t, x, o);
            OK(cudaDeviceSynchronize());
            OK(cudaDestroyTextureObject(t));
            for (int i = 0; i < T; i++) {
                float at[3] = {x[i], fmaf(x[i], 0.75f, 0.1f), x[i] * 0.5f};
                CHECK(fabs(o[i] - fetch(v, n, dims, at, m, norm, linear)) < 1e-4);
            }
        }
        OK(cudaFreeArray(a));
    }
}

static void shapes(const float *v, float *o) {
    cudaArray_t a = array_of(v, make_cudaExtent(N, H, 3), cudaArrayLayered);
    cudaTextureObject_t t = texture(a, cudaAddressModeClamp, false, false);
    layers<<<1, N * H * 3>>>(t, o);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < N * H * 3; i++)
        CHECK(o[i] == v[i]);
    OK(cudaDestroyTextureObject(t));
    std::vector<float> back(N * H * 3);
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.srcPos = make_cudaPos(2, 1, 1);
    p.dstPtr = make_cudaPitchedPtr(back.data(), 4 * sizeof(float), 4, 3);
    p.extent = make_cudaExtent(4, 3, 2);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    for (int i = 0; i < 24; i++)
        CHECK(back[i] == v[((1 + i / 12) * H + 1 + i / 4 % 3) * N + 2 + i % 4]);
    OK(cudaFreeArray(a));

    a = array_of(v, make_cudaExtent(4, 4, 6), cudaArrayCubemap);
    t = texture(a, cudaAddressModeClamp, true, false);
    faces<<<1, 6>>>(t, o);
    OK(cudaDeviceSynchronize());
    // s and t of the guide's table, as texels of a face of 4 x 4
    const int at[6][2] = {{2, 1}, {1, 1}, {2, 1}, {2, 2}, {2, 2}, {1, 2}};
    for (int f = 0; f < 6; f++)
        CHECK(o[f] == v[f * 16 + at[f][1] * 4 + at[f][0]]);
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(a));
}

static cudaTextureObject_t linear_bytes(unsigned char *d) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
    r.res.linear.sizeInBytes = 16;
    cudaTextureDesc td = {};
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &r, &td, nullptr));
    return t;
}

static void kinds(const float *v, float *o) {
    unsigned char *bytes;
    OK(cudaMalloc(&bytes, 16));
    OK(cudaMemset(bytes, 200, 16));
    short4 h4[4] = {{1, 2, 3, 4}, {-5, 6, -7, 8}, {0, 0, 0, 0}, {9, 9, 9, 9}};
    cudaChannelFormatDesc c = cudaCreateChannelDesc<short4>();
    cudaArray_t a4, g, level;
    OK(cudaMallocArray(&a4, &c, 2, 2));
    OK(cudaMemcpy2DToArray(a4, 0, 0, h4, 16, 16, 2, cudaMemcpyHostToDevice));
    g = array_of(v, make_cudaExtent(N, H, 0), cudaArrayTextureGather);

    cudaMipmappedArray_t mip;
    cudaChannelFormatDesc cf = cudaCreateChannelDesc<float>();
    OK(cudaMallocMipmappedArray(&mip, &cf, make_cudaExtent(N, N, 0), 3));
    for (int l = 0; l < 3; l++) {
        std::vector<float> same(N * N, 10.0f * (l + 1));
        OK(cudaGetMipmappedArrayLevel(&level, mip, l));
        OK(cudaMemcpy2DToArray(level, 0, 0, same.data(), (N >> l) * 4, (N >> l) * 4, N >> l, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = mip;
    cudaTextureDesc td = {};
    td.normalizedCoords = 1;
    td.filterMode = td.mipmapFilterMode = cudaFilterModeLinear;
    td.maxMipmapLevelClamp = 2;
    cudaTextureObject_t tm = 0, tb = linear_bytes(bytes), t4 = texture(a4, cudaAddressModeClamp, false, false),
                        tg = texture(g, cudaAddressModeClamp, false, false);
    OK(cudaCreateTextureObject(&tm, &r, &td, nullptr));
    others<<<1, 1>>>(tb, t4, tg, tm, o);
    OK(cudaDeviceSynchronize());
    // tld4: (0, 1), (1, 1), (1, 0), (0, 0) from texel (1, 2) on
    const float want[] = {200, 0, 0, -5, 6, -7, 8, v[3 * N + 1], v[3 * N + 2], v[2 * N + 2], v[2 * N + 1],
                          10, 20, 22.5f, 20};
    for (int i = 0; i < 15; i++)
        CHECK(o[i] == want[i]);
    for (cudaTextureObject_t t : {tm, tb, t4, tg})
        OK(cudaDestroyTextureObject(t));
    OK(cudaFreeMipmappedArray(mip));
    OK(cudaFreeArray(a4));
    OK(cudaFreeArray(g));
    OK(cudaFree(bytes));
}

__global__ void shifted(cudaTextureObject_t t, float dx, float dy, float *o) {
    int i = threadIdx.x;
    o[i] = 255 * tex2D<float>(t, (float)(i % 3) + 0.5f + dx, (float)(i / 3) + 0.5f + dy);
}

static void published(float *o) {
    const unsigned char v[4][3] = {{11, 12, 13}, {21, 22, 23}, {31, 32, 33}, {251, 252, 253}};
    const float right[12] = {11.5f, 12.5f, 13, 21.5f, 22.5f, 23, 31.5f, 32.5f, 33, 251.5f, 252.5f, 253};
    const float down[12] = {16, 17, 18, 26, 27, 28, 141, 142, 143, 251, 252, 253};
    unsigned char *d;
    size_t pitch;
    OK(cudaMallocPitch(&d, &pitch, 3, 4));
    OK(cudaMemcpy2D(d, pitch, v, 3, 3, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    r.res.pitch2D.width = 3;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModeLinear;
    td.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &r, &td, nullptr));
    for (int k = 0; k < 2; k++) {
        shifted<<<1, 12>>>(t, k ? 0 : 0.5f, k ? 0.5f : 0, o);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 12; i++)
            CHECK(fabsf(o[i] - (k ? down : right)[i]) < 1e-4f);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(d));
}

// What cannot be: the runtime says so.
static void refused() {
    cudaResourceDesc r = {};
    cudaTextureDesc td = {};
    cudaTextureObject_t t;
    float *d;
    cudaArray_t a;
    OK(cudaMalloc(&d, 4096));
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = 20;
    CHECK(cudaCreateTextureObject(&t, &r, &td, nullptr) == cudaErrorInvalidValue);
    cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    CHECK(cudaMallocArray(&a, &three, 4, 4) == cudaErrorInvalidChannelDescriptor);
    CHECK(cudaDestroyTextureObject(12345) == cudaErrorInvalidValue);
    OK(cudaFree(d));
}

int main() {
    float v[N * H * D], *x, *o;
    for (int i = 0; i < N * H * D; i++)
        v[i] = (float)(i * 37 % 101) - 20;
    OK(cudaMallocManaged(&x, T * sizeof *x));
    OK(cudaMallocManaged(&o, T * sizeof *o));
    fetches(v, x, o);
    shapes(v, o);
    kinds(v, o);
    published(o);
    refused();
    OK(cudaFree(x));
    OK(cudaFree(o));
    printf("%d wrong\n", wrong);
    return wrong;
}
