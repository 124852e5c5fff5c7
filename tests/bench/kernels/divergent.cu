// A switch whose lanes go eight ways.
#include "course.h"

__host__ __device__ unsigned step(unsigned v) {
    switch (v % 8) {
    case 0:
        return v / 3 + 7;
    case 1:
        return v * 5 + 1;
    case 2:
        return v ^ v >> 7;
    case 3:
        return (v << 3) - v;
    case 4:
        return v + 0x9e3779b9u;
    case 5:
        return ~v;
    case 6:
        return v % 1000003u * 17;
    default:
        return v >> 1;
    }
}

__global__ void divergent(unsigned *out, int rounds) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i * 2654435761u;
    for (int k = 0; k < rounds; k++) {
        v = step(v);
    }
    out[i] = v;
}

int main() {
    const int n = 1 << 15, rounds = 64;
    std::vector<unsigned> out(n);
    unsigned *d = device(out);
    divergent<<<n / 256, 256>>>(d, rounds);
    scalar("divergent", [&] {
        for (int i = 0; i < n; i++) {
            unsigned v = i * 2654435761u;
            for (int k = 0; k < rounds; k++) {
                v = step(v);
            }
            out[i] = v;
        }
    });
    return differs("divergent", host(d, n), out);
}
