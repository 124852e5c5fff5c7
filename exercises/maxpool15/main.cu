// The host side of a graded run: reads what the grader prepared, calls
// maxpool15 twice, and leaves what became of the memory. It knows no expected
// values; the grader compares.
//
// The file whose descriptor TILECOPY_GRADE_FD names holds a Header, then n
// floats of input. Behind them go two Results, one after the other: first with
// buffers of exactly n elements, so that whatever lies outside is nobody's
// memory; then with GUARD elements on both sides of each buffer.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

void maxpool15(float *out, const float *in, int n);

namespace {

constexpr size_t GUARD = 1024; // elements: keeps the 256-byte alignment

struct Header {
    char magic[8]; // "maxpool"
    int n;
    unsigned out_bits;  // what fills out: a NaN
    unsigned in_guard;  // around in: greater than every element
    unsigned out_guard; // around out: another NaN
};

struct Result {
    int launch, run; // cudaError_t: right after maxpool15; after waiting for it
};               // then the bytes of out and of in, guards included

[[noreturn]] void broken(const char *what) {
    std::fprintf(stderr, "grader: %s\n", what);
    std::_Exit(70);
}

void get(int fd, void *to, size_t bytes) {
    for (char *p = static_cast<char *>(to); bytes > 0;) {
        const ssize_t k = read(fd, p, bytes);
        if (k <= 0) {
            broken("the case cannot be read");
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

void call(int fd, const Header &h, const std::vector<float> &data,
          size_t guard) {
    const size_t n = static_cast<size_t>(h.n), all = n + 2 * guard;
    std::vector<unsigned> in(all, h.in_guard), out(all, h.out_guard);
    std::memcpy(&in[guard], data.data(), n * sizeof(float));
    for (size_t i = 0; i < n; ++i) {
        out[guard + i] = h.out_bits;
    }
    float *d_in, *d_out;
    check(cudaMalloc(&d_in, all * 4), "cudaMalloc");
    check(cudaMalloc(&d_out, all * 4), "cudaMalloc");
    check(cudaMemcpy(d_in, in.data(), all * 4, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(d_out, out.data(), all * 4, cudaMemcpyHostToDevice),
          "copy");
    maxpool15(d_out + guard, d_in + guard, h.n);
    Result r;
    r.launch = cudaGetLastError();
    r.run = cudaDeviceSynchronize();
    if (r.run == cudaSuccess) {
        r.run = cudaMemcpy(out.data(), d_out, all * 4, cudaMemcpyDeviceToHost);
    }
    if (r.run == cudaSuccess) {
        r.run = cudaMemcpy(in.data(), d_in, all * 4, cudaMemcpyDeviceToHost);
    }
    put(fd, &r, sizeof r);
    put(fd, out.data(), all * 4);
    put(fd, in.data(), all * 4);
    if (r.run == cudaSuccess) {
        check(cudaFree(d_in), "cudaFree");
        check(cudaFree(d_out), "cudaFree");
    }
}

} // namespace

int main() {
    const char *name = std::getenv("TILECOPY_GRADE_FD");
    if (name == nullptr) {
        broken("start it with `tilecopy-repl grade maxpool15 FILE.cu`");
    }
    const int fd = std::atoi(name);
    Header h;
    get(fd, &h, sizeof h);
    if (std::memcmp(h.magic, "maxpool", 8) != 0 || h.n <= 0) {
        broken("this is no case of maxpool15");
    }
    std::vector<float> data(static_cast<size_t>(h.n));
    get(fd, data.data(), data.size() * sizeof(float));
    call(fd, h, data, 0);
    call(fd, h, data, GUARD);
    return 0;
}
