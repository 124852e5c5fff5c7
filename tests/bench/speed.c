/* speed.c - thread-instructions a second of the simulator: functional (timing,
 * hazards and trace off) and observed, for each instruction set that this
 * processor has; beside the same loops in scalar C; for n, 2n and 4n; and the
 * memory that a run takes over its program's own. */
#include "bench.h"
#include "scalar.h"
#include "sim/fast/fast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 1 << 24, SMALL = 1 << 20, BLOCK = 256 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct outcome {
    double seconds, thread_instructions;
    float *y; /* its bytes */
} outcome;

static void say(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "bench: %d:%d: %s\n", d->line, d->col, d->message);
}

static tc_source *load(tc_arena *a, const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = tc_alloc(a, 1 << 20);
    size_t len = f ? fread(text, 1, (1 << 20) - 1, f) : 0;
    text[len] = '\0';
    if (f) {
        fclose(f);
    }
    tc_source *s = TC_NEW(a, tc_source);
    *s = (tc_source){path, text, len, 1};
    return s;
}

static float value(int i) {
    return (float)((i * 2654435761u >> 8) % 10007) / 64.0f - 50.0f;
}

/* Runs kernel(n, [a,] x, y) on n threads, `times` times; the shortest. */
static bool measure_as(const char *path, const char *kernel, tc_sim_options o,
                       int n, int times, outcome *out) {
    tc_arena *arena = tc_arena_new();
    tc_diags d = {.fn = say};
    tc_ptx_module *m = tc_ptx_parse(arena, load(arena, path), &d);
    tc_sim *s = m ? tc_sim_new(m, &o, &d) : NULL;
    if (!s) {
        tc_arena_free(arena);
        return false;
    }
    tc_sim_allocation *x = tc_sim_alloc(s, (uint64_t)n * 4, "x");
    tc_sim_allocation *y = tc_sim_alloc(s, (uint64_t)n * 4, "y");
    float *xs = (float *)(void *)x->bytes, *ys = (float *)(void *)y->bytes;
    struct {
        int n;
        float a;
        uint64_t x, y;
    } with = {n, 2.5f, x->address, y->address};
    struct {
        int n, pad;
        uint64_t x, y;
    } without = {n, 0, x->address, y->address};
    bool saxpy = strcmp(kernel, "saxpy") == 0;
    tc_sim_launch l = {.entry = kernel,
                       .grid = {(uint32_t)((n + BLOCK - 1) / BLOCK), 1, 1},
                       .block = {BLOCK, 1, 1},
                       .params = saxpy ? (uint8_t *)&with : (uint8_t *)&without,
                       .nparams = saxpy ? sizeof with : sizeof without};
    bool ok = true;
    *out = (outcome){.seconds = 1e9};
    for (int t = 0; t < times && ok; t++) {
        tc_sim_result r;
        for (int i = 0; i < n; i++) {
            xs[i] = value(i);
            ys[i] = value(i + 77);
        }
        double begin = now();
        ok = tc_sim_run(s, &l, &d, &r) && r.status == TC_RUN_OK;
        double took = now() - begin;
        out->seconds = took < out->seconds ? took : out->seconds;
        out->thread_instructions = (double)r.counters.thread_instructions;
    }
    out->y = malloc((size_t)n * 4);
    if (out->y) {
        memcpy(out->y, ys, (size_t)n * 4);
    }
    tc_sim_free(s);
    tc_arena_free(arena);
    return ok;
}

static bool measure(const char *path, const char *kernel, const char *isa,
                    int n, int times, outcome *out) {
    return measure_as(path, kernel, (tc_sim_options){.isa = isa}, n, times,
                      out);
}

static double scalar(const char *kernel, int n, const float *simulated) {
    float *x = malloc((size_t)n * 4), *y = malloc((size_t)n * 4);
    double best = 1e9;
    for (int t = 0; x && y && t < 3; t++) {
        for (int i = 0; i < n; i++) {
            x[i] = value(i);
            y[i] = value(i + 77);
        }
        double begin = now();
        if (strcmp(kernel, "saxpy") == 0) {
            scalar_saxpy(n, 2.5f, x, y);
        } else {
            scalar_max_pool(n, x, y);
        }
        double took = now() - begin;
        best = took < best ? took : best;
    }
    int wrong = 0;
    for (int i = 0; i < n && y; i++) {
        float e = y[i] - simulated[i]; /* fma rounds once, C twice */
        wrong += !(e < 1e-4f && e > -1e-4f);
    }
    if (wrong) {
        printf("    WRONG: %d elements of %s differ\n", wrong, kernel);
    }
    free(x);
    free(y);
    return best;
}

static void kernel_rows(const char *path, const char *who, const char *kernel,
                        double target) {
    static const char *const isas[] = {"avx512", "avx2", "plain", "none"};
    for (int i = 0; i < 4; i++) {
        outcome o;
        bool general = strcmp(isas[i], "none") == 0;
        if (!general && !tc_fast_choose(isas[i])) {
            continue;
        }
        if (!measure(path, kernel, isas[i], SMALL, general ? 2 : 5, &o)) {
            printf("    %s of %s did not run\n", kernel, path);
            continue;
        }
        double rate = o.thread_instructions / o.seconds;
        printf("%-12s %-5s %-8s %8.2f G thread-instructions/s   %5.2f x the "
               "target\n",
               kernel, who, general ? "general" : isas[i], rate / 1e9,
               rate / target);
        free(o.y);
    }
}

static void observed_row(const char *path, const char *who, const char *kernel,
                         bool timing, double target) {
    const char *isa = tc_fast_choose("avx2") ? "avx2" : NULL;
    tc_sim_options o = {.isa = isa, .timing = timing, .hazards = !timing};
    outcome out;
    /* Under the clock long enough for its beginning, when all SMs are filled,
     * to be a small part. */
    int n = timing ? LARGE / 4 : SMALL;
    if (!measure_as(path, kernel, o, n, timing ? 3 : 5, &out)) {
        printf("    %s of %s did not run\n", kernel, path);
        return;
    }
    double rate = out.thread_instructions / out.seconds;
    printf("%-13s %-5s %-8s %7.2f G thread-instructions/s   %5.2f x the "
           "target\n",
           kernel, who, timing ? "timing" : "hazards", rate / 1e9,
           rate / target);
    free(out.y);
}

static void observed_rows(const char *path, const char *who) {
    observed_row(path, who, "saxpy", false, 1e9);
    observed_row(path, who, "max_pool", false, 1e9);
    observed_row(path, who, "saxpy", true, 5e8);
    observed_row(path, who, "max_pool", true, 5e8);
}

/* Shared memory under the checker, in the ways that programs use it. */
static void shared_rows(const char *path) {
    observed_row(path, "nvcc", "max_pool_tile", false, 1e9);
    observed_row(path, "nvcc", "copy_tiles", false, 3e8);
    observed_row(path, "nvcc", "matmul_tile", false, 3e8);
    observed_row(path, "nvcc", "reduce", false, 3e8);
    observed_row(path, "nvcc", "histogram", false, 3e8);
}

static void beside_scalar(const char *path, const char *who, const char *kernel,
                          double most) {
    outcome o;
    if (!measure(path, kernel, NULL, LARGE, 3, &o)) {
        return;
    }
    double c = scalar(kernel, LARGE, o.y);
    printf("%-12s %-5s n = 2^24 %8.1f ms   %5.2f x scalar C (%.1f ms; at most "
           "%.0f)\n",
           kernel, who, o.seconds * 1e3, o.seconds / c, c * 1e3, most);
    free(o.y);
}

static void linear(const char *path, const char *kernel) {
    double first = 0;
    for (int n = LARGE / 4; n <= LARGE; n *= 2) {
        outcome o;
        if (!measure(path, kernel, NULL, n, 3, &o)) {
            return;
        }
        double each = o.seconds / n * 1e9;
        first = first > 0 ? first : each;
        printf("%-12s n = %-8d %8.2f ns an element   %5.2f x the first\n",
               kernel, n, each, each / first);
        free(o.y);
    }
}

/* Peak memory in KiB of a process that runs saxpy on n elements. */
static long peak(const char *path, int n) {
    pid_t pid = fork();
    if (pid == 0) {
        outcome o;
        _exit(measure(path, "saxpy", NULL, n, 1, &o) ? 0 : 1);
    }
    struct rusage use = {0};
    int status;
    wait4(pid, &status, 0, &use);
    return use.ru_maxrss;
}

static void memory(const char *path) {
    /* x, y, and the copy of y that measure() keeps */
    long buffers = 3 * (LARGE - SMALL) / 1024 * 4;
    long over = peak(path, LARGE) - peak(path, SMALL) - buffers;
    printf("memory over the buffers    %8.1f MB   (at most 64); of them %.1f "
           "for 16 times the elements\n",
           (double)(peak(path, SMALL) - 3 * SMALL / 1024 * 4) / 1024,
           (double)over / 1024);
}

void bench_speed(const char *folder) {
    char hand[512], nvcc[512];
    snprintf(hand, sizeof hand, "%s/hand.ptx", folder);
    snprintf(nvcc, sizeof nvcc, "%s/nvcc.ptx", folder);
    kernel_rows(hand, "hand", "saxpy", 4e9);
    kernel_rows(nvcc, "nvcc", "saxpy", 4e9);
    kernel_rows(hand, "hand", "max_pool", 4e9);
    kernel_rows(nvcc, "nvcc", "max_pool", 4e9);
    observed_rows(hand, "hand");
    observed_rows(nvcc, "nvcc");
    shared_rows(nvcc);
    kernel_rows(nvcc, "nvcc", "collatz", 2e8);
    kernel_rows(nvcc, "nvcc", "eight_ways", 2e8);
    beside_scalar(hand, "hand", "saxpy", 8);
    beside_scalar(nvcc, "nvcc", "saxpy", 8);
    beside_scalar(hand, "hand", "max_pool", 5);
    beside_scalar(nvcc, "nvcc", "max_pool", 5);
    memory(nvcc);
    linear(nvcc, "saxpy");
    linear(nvcc, "max_pool");
}
