// Several __managed__ variables: each has one address for host and device,
// wherever that is; plain variables beside them are the device's alone.
// @arch sm_80 sm_90a
// @stdout 0 wrong
#include <cstdio>
#include <cuda_runtime.h>

struct Pair {
    int a;
    double b;
};

__device__ int plain = 7;
__managed__ int one = 1;
__managed__ Pair pair = {2, 3.5};
__device__ short beside = 9;
__managed__ char letters[3] = {'a', 'b', 'c'};
__managed__ int wide[5000]; // over several pages
__managed__ int *where;

static int wrong;

static void check(bool right, const char *what, int line) {
    if (!right) {
        printf("line %d: %s\n", line, what);
        wrong++;
    }
}
#define CHECK(x) check(x, #x, __LINE__)
#define OK(call) check((call) == cudaSuccess, #call, __LINE__)

__global__ void change(int *same) {
    *same += plain + beside;
    pair.a *= 2;
    pair.b *= 2;
    letters[1] = 'x';
    for (int i = threadIdx.x; i < 5000; i += blockDim.x) {
        wide[i] += i;
    }
    where = &wide[17];
}

int main() {
    CHECK(one == 1 && pair.a == 2 && pair.b == 3.5);
    CHECK(letters[0] == 'a' && letters[2] == 'c' && wide[4999] == 0);
    one = 100;
    pair.a = 21;
    wide[4999] = 5;
    change<<<1, 1>>>(&one);
    OK(cudaDeviceSynchronize());
    CHECK(one == 116 && pair.a == 42 && pair.b == 7);
    CHECK(letters[0] == 'a' && letters[1] == 'x' && letters[2] == 'c');
    CHECK(wide[4999] == 5004 && wide[17] == 17 && where == &wide[17]);
    int got = 0, value = 1000;
    OK(cudaMemcpyFromSymbol(&got, pair, 4));
    CHECK(got == 42);
    OK(cudaMemcpyToSymbol(plain, &value, 4));
    OK(cudaMemset(wide, 0, sizeof wide));
    change<<<1, 1>>>(&one);
    OK(cudaDeviceSynchronize());
    CHECK(one == 1125 && wide[4999] == 4999 && letters[1] == 'x');
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, &letters[2]));
    CHECK(a.type == cudaMemoryTypeManaged && a.devicePointer == &letters[2]);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
