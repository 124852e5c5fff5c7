/* whole.c - `exec` of whole CUDA programs, hazards on: what the compiler takes
 * once, what a run takes, and where; beside the same loops in scalar C. */
#include "bench.h"
#include "scalar.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SAXPY_N = 1 << 24, POOL_N = 1 << 22, RUNS = 3, NOTHINGS = 21 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One run of a command. */
typedef struct ran {
    double seconds;
    long kib;        /* the most that the process itself had (VmHWM) */
    char said[2048]; /* its standard output */
    int status;
} ran;

static long high_water(pid_t pid) {
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "VmHWM: %ld", &kib);
    }
    if (f) {
        fclose(f);
    }
    return kib;
}

static void run(const char *const *argv, ran *r) {
    int out = open(".", O_TMPFILE | O_RDWR, 0600);
    if (out < 0) {
        FILE *f = tmpfile();
        out = f ? dup(fileno(f)) : -1;
        if (f) {
            fclose(f);
        }
    }
    *r = (ran){.status = -1};
    double begin = now();
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out, STDOUT_FILENO);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    int status;
    const struct timespec pause = {0, 500000};
    while (waitpid(pid, &status, WNOHANG) == 0) {
        long kib = high_water(pid);
        r->kib = kib > r->kib ? kib : r->kib;
        nanosleep(&pause, NULL);
    }
    r->seconds = now() - begin;
    r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    ssize_t n = pread(out, r->said, sizeof r->said - 1, 0);
    r->said[n > 0 ? n : 0] = '\0';
    close(out);
}

/* The figure behind a word that the program printed. */
static double figure(const ran *r, const char *word) {
    const char *p = strstr(r->said, word);
    return p ? strtod(p + strlen(word), NULL) : 0;
}

static double instructions(const char *report, double *wall) {
    json_t *j = json_load_file(report, 0, NULL);
    json_t *k = json_array_get(json_object_get(j, "kernels"), 0);
    double n =
        (double)json_integer_value(json_object_get(k, "thread_instructions"));
    *wall = 1e-9 * (double)json_integer_value(json_object_get(j, "wall_ns"));
    json_decref(j);
    return n;
}

static double scalar(const char *kernel, int n) {
    float *x = malloc((size_t)n * 4), *y = malloc((size_t)n * 4);
    double best = 1e9;
    for (int t = 0; x && y && t < RUNS; t++) {
        for (int i = 0; i < n; i++) {
            x[i] = (float)(i % 10007);
            y[i] = 1;
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
    free(x);
    free(y);
    return best;
}

static void program(const char *repl, const char *folder, const char *kernel,
                    int n) {
    char path[512], report[] = "/tmp/tilecopy-bench-XXXXXX";
    int fd = mkstemp(report);
    snprintf(path, sizeof path, "%s/whole/%s.cu", folder, kernel);
    const char *argv[] = {repl, "exec", "--report", report, path, NULL};
    ran cold, r, best = {.seconds = 1e9};
    double wall = 0, count = 0;
    run(argv, &cold);
    for (int i = 0; i < RUNS && cold.status == 0; i++) {
        run(argv, &r);
        if (r.seconds < best.seconds) {
            best = r;
            count = instructions(report, &wall);
        }
    }
    if (fd >= 0) {
        close(fd);
        unlink(report);
    }
    if (cold.status != 0 || best.status != 0) {
        printf("exec %-21s did not run (status %d)\n", kernel, cold.status);
        return;
    }
    double c = scalar(kernel, n), k = figure(&best, "\nkernel ");
    printf("exec %-8s n = 2^%d %11.0f ms   %6.1f MB   %5.2f x scalar C (%.1f "
           "ms)\n",
           kernel, n == SAXPY_N ? 24 : 22, best.seconds * 1e3,
           (double)best.kib / 1024, best.seconds / c, c * 1e3);
    printf("  the launch %24.0f ms   %.2f G thread-instructions/s, %.2f x "
           "scalar C\n",
           k * 1e3, count / k / 1e9, k / c);
    printf("  of it execution %19.0f ms   %.2f G thread-instructions/s\n",
           wall * 1e3, count / wall / 1e9);
    printf("  copies in, out; host %7.0f, %.0f; %.0f ms\n",
           figure(&best, "\nin ") * 1e3, figure(&best, "\nout ") * 1e3,
           (figure(&best, "\nfill ") + figure(&best, "\ncheck ")) * 1e3);
    double told = figure(&best, "begin ") + k + figure(&best, "\nin ") +
                  figure(&best, "\nout ") + figure(&best, "\nfill ") +
                  figure(&best, "\ncheck ");
    printf("  compiled once %21.0f ms   then start and end take %.0f ms\n",
           (cold.seconds - best.seconds) * 1e3, (best.seconds - told) * 1e3);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const char *const *argv) {
    double v[NOTHINGS];
    ran r;
    for (int i = 0; i < NOTHINGS; i++) {
        run(argv, &r);
        v[i] = r.status == 0 ? r.seconds : 1e9;
    }
    qsort(v, NOTHINGS, sizeof *v, by_value);
    return v[NOTHINGS / 2];
}

/* A program that launches nothing, beside what the host's compiler makes of
 * it. */
static void nothing(const char *repl, const char *folder) {
    char path[512], native[] = "/tmp/tilecopy-native-XXXXXX";
    int fd = mkstemp(native);
    snprintf(path, sizeof path, "%s/whole/nothing.cu", folder);
    const char *build[] = {"c++", "-O2", "-x", "c++", path, "-o", native, NULL};
    const char *ours[] = {repl, "exec", path, NULL};
    const char *theirs[] = {native, NULL};
    ran r;
    if (fd >= 0) {
        close(fd);
    }
    run(build, &r);
    bool built = r.status == 0;
    run(ours, &r);
    if (built && r.status == 0) {
        double a = median(ours), b = median(theirs);
        printf("exec of what launches nothing %5.1f ms   %5.1f ms more than "
               "natively (at most 10)\n",
               a * 1e3, (a - b) * 1e3);
    }
    unlink(native);
}

void bench_whole(const char *repl, const char *folder) {
    char cache[] = "/tmp/tilecopy-cache-XXXXXX", command[64];
    if (mkdtemp(cache) == NULL || setenv("TILECOPY_CACHE", cache, 1) != 0) {
        return;
    }
    fflush(stdout);
    program(repl, folder, "saxpy", SAXPY_N);
    program(repl, folder, "max_pool", POOL_N);
    nothing(repl, folder);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    if (system(command) != 0) {
        printf("%s is left\n", cache);
    }
}
