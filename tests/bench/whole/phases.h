// Seconds between marks, a line each, for tests/bench/whole.c.
#include <chrono>
#include <cstdio>

inline void mark(const char *what) {
    using clock = std::chrono::steady_clock;
    static clock::time_point last = clock::now();
    const clock::time_point now = clock::now();
    std::printf("%s %.6f\n", what,
                std::chrono::duration<double>(now - last).count());
    last = clock::now();
}
