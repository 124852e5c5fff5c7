// The host side of a graded run: reads what the grader prepared, calls
// maxpool15 twice, and leaves what became of the memory. It knows no expected
// values; the grader compares.
//
// Standard input is a file of the grader's: a Header, then n floats of input.
// Behind them go two Results, one after the other: first with buffers of exactly
// n elements, so that whatever lies outside is nobody's memory; then with
// h.guard elements on both sides of each buffer.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

void maxpool15(float *out, const float *in, int n);

namespace {

constexpr int FILE_OF_THE_GRADER = 0; // a descriptor: standard input

struct Header {
    char magic[8]; // "maxpool"
    int n, guard;  // elements; guard: a multiple of 64
    unsigned out_bits;  // what fills out: a NaN
    unsigned in_guard;  // around in: greater than every element
    unsigned out_guard; // around out: another NaN
};

struct Result {
    int launch, run; // cudaError_t: right after maxpool15; after waiting for it
    char words[120]; // what CUDA calls that error
};                   // then the bytes of out and of in, guards included

[[noreturn]] void broken(const char *what) {
    std::fprintf(stderr, "grader: %s\n", what);
    std::_Exit(70);
}

void get(int fd, void *to, size_t bytes) {
    for (char *p = static_cast<char *>(to); bytes > 0;) {
        const ssize_t k = read(fd, p, bytes);
        if (k <= 0) {
            broken("there is no case: `tilecopy-repl grade` makes them");
        }
        p += k;
        bytes -= static_cast<size_t>(k);
    }
}

void put(int fd, const void *from, size_t bytes) {
    for (const char *p = static_cast<const char *>(from); bytes > 0;) {
        const ssize_t k = write(fd, p, bytes);
        if (k <= 0) {
            broken("the result cannot be written");
        }
        p += k;
        bytes -= static_cast<size_t>(k);
    }
}

void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "grader: %s: %s\n", what, cudaGetErrorString(e));
        std::_Exit(71);
    }
}

// False after an error of the submission's: nothing works any more.
bool call(int fd, const Header &h, const std::vector<float> &data,
          size_t guard) {
    const size_t n = static_cast<size_t>(h.n), all = n + 2 * guard;
    std::vector<unsigned> in(all, h.in_guard), out(all, h.out_guard);
    std::memcpy(&in[guard], data.data(), n * sizeof(float));
    for (size_t i = 0; i < n; ++i) {
        out[guard + i] = h.out_bits;
    }
    float *in_device, *out_device;
    check(cudaMalloc(&in_device, all * 4), "cudaMalloc");
    check(cudaMalloc(&out_device, all * 4), "cudaMalloc");
    check(cudaMemcpy(in_device, in.data(), all * 4, cudaMemcpyHostToDevice),
          "copy");
    check(cudaMemcpy(out_device, out.data(), all * 4, cudaMemcpyHostToDevice),
          "copy");
    maxpool15(out_device + guard, in_device + guard, h.n);
    Result r = {};
    r.launch = cudaGetLastError();
    r.run = cudaDeviceSynchronize();
    if (r.run == cudaSuccess) {
        r.run = cudaMemcpy(out.data(), out_device, all * 4, cudaMemcpyDeviceToHost);
    }
    if (r.run == cudaSuccess) {
        r.run = cudaMemcpy(in.data(), in_device, all * 4, cudaMemcpyDeviceToHost);
    }
    const cudaError_t e = static_cast<cudaError_t>(r.launch ? r.launch : r.run);
    std::snprintf(r.words, sizeof r.words, "%s (%s)", cudaGetErrorString(e),
                  cudaGetErrorName(e));
    put(fd, &r, sizeof r);
    put(fd, out.data(), all * 4);
    put(fd, in.data(), all * 4);
    if (e != cudaSuccess) {
        return false;
    }
    check(cudaFree(in_device), "cudaFree");
    check(cudaFree(out_device), "cudaFree");
    return true;
}

} // namespace

int main() {
    const int fd = FILE_OF_THE_GRADER;
    Header h;
    get(fd, &h, sizeof h);
    if (std::memcmp(h.magic, "maxpool", 8) != 0 || h.n <= 0 || h.guard < 0) {
        broken("this is no case of maxpool15");
    }
    std::vector<float> data(static_cast<size_t>(h.n));
    get(fd, data.data(), data.size() * sizeof(float));
    if (call(fd, h, data, 0)) {
        call(fd, h, data, static_cast<size_t>(h.guard));
    }
    return 0;
}
