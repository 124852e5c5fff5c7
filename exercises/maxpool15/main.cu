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
#include <fcntl.h>
#include <unistd.h>
#include <vector>

void maxpool15(float *out, const float *in, int n);

namespace {

// Standard input is the grader's file; maxpool15 gets another one.
constexpr int FAR = 100; // a descriptor that nobody else takes

struct Header {
    char magic[8]; // "maxpool"
    int n, guard;  // elements; guard: a multiple of 64
    unsigned out_bits;  // what fills out: a NaN
    unsigned in_guard;  // around in: greater than every element
    unsigned out_guard; // around out: another NaN
};

enum Step { NOTHING, LAUNCH, RUN, READ_OUT, READ_IN };

struct Result {
    int there;       // 1
    int step, error; // what failed, a Step, and its cudaError_t
    char words[120]; // what CUDA calls that error
};                   // then the bytes of out and of in, guards included

[[noreturn]] void broken(const char *what) {
    std::fprintf(stderr, "grader: %s\n", what);
    std::_Exit(70);
}

// The grader's file, and how far it has been read or written.
struct File {
    int fd;
    off_t at;

    void get(void *to, size_t bytes) {
        for (char *p = static_cast<char *>(to); bytes > 0;) {
            const ssize_t k = pread(fd, p, bytes, at);
            if (k <= 0) {
                broken("there is no case: `tilecopy-repl grade` makes them");
            }
            p += k, at += k, bytes -= static_cast<size_t>(k);
        }
    }

    void put(const void *from, size_t bytes) {
        for (const char *p = static_cast<const char *>(from); bytes > 0;) {
            const ssize_t k = pwrite(fd, p, bytes, at);
            if (k <= 0) {
                broken("the result cannot be written");
            }
            p += k, at += k, bytes -= static_cast<size_t>(k);
        }
    }
};

File take_input() {
    const int fd = fcntl(0, F_DUPFD_CLOEXEC, FAR);
    const int null = open("/dev/null", O_RDONLY);
    if (fd < 0 || null < 0 || dup2(null, 0) != 0) {
        broken("there is no case: `tilecopy-repl grade` makes them");
    }
    close(null);
    return {fd, 0};
}

void check(cudaError_t e, const char *what) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "grader: %s: %s\n", what, cudaGetErrorString(e));
        std::_Exit(71);
    }
}

// False after an error of the submission's: nothing works any more.
bool call(File &file, const Header &h, const std::vector<float> &data,
          size_t guard) {
    const size_t n = static_cast<size_t>(h.n), all = n + 2 * guard;
    std::vector<unsigned> host_in(all, h.in_guard), host_out(all, h.out_guard);
    std::memcpy(&host_in[guard], data.data(), n * sizeof(float));
    for (size_t i = 0; i < n; ++i) {
        host_out[guard + i] = h.out_bits;
    }
    float *in, *out; // findings call them that
    check(cudaMalloc(&in, all * 4), "cudaMalloc");
    check(cudaMalloc(&out, all * 4), "cudaMalloc");
    check(cudaMemcpy(in, host_in.data(), all * 4, cudaMemcpyHostToDevice),
          "copy");
    check(cudaMemcpy(out, host_out.data(), all * 4, cudaMemcpyHostToDevice),
          "copy");
    maxpool15(out + guard, in + guard, h.n);
    Result r = {1, NOTHING, 0, ""};
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        r.step = LAUNCH;
    } else if ((e = cudaDeviceSynchronize()) != cudaSuccess) {
        r.step = RUN;
    } else if ((e = cudaMemcpy(host_out.data(), out, all * 4,
                               cudaMemcpyDeviceToHost)) != cudaSuccess) {
        r.step = READ_OUT;
    } else if ((e = cudaMemcpy(host_in.data(), in, all * 4,
                               cudaMemcpyDeviceToHost)) != cudaSuccess) {
        r.step = READ_IN;
    }
    r.error = e;
    std::snprintf(r.words, sizeof r.words, "%s (%s)", cudaGetErrorString(e),
                  cudaGetErrorName(e));
    file.put(&r, sizeof r);
    file.put(host_out.data(), all * 4);
    file.put(host_in.data(), all * 4);
    if (e != cudaSuccess) {
        return false;
    }
    check(cudaFree(in), "cudaFree");
    check(cudaFree(out), "cudaFree");
    return true;
}

} // namespace

int main() {
    File file = take_input();
    Header h;
    file.get(&h, sizeof h);
    if (std::memcmp(h.magic, "maxpool", 8) != 0 || h.n <= 0 || h.guard < 0) {
        broken("this is no case of maxpool15");
    }
    std::vector<float> data(static_cast<size_t>(h.n));
    file.get(data.data(), data.size() * sizeof(float));
    if (call(file, h, data, 0)) {
        call(file, h, data, static_cast<size_t>(h.guard));
    }
    return 0;
}
