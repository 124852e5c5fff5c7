/* bench.c - how fast the program is, each figure beside something else run on
 * the same machine at the same time, so that ratios can be compared.
 *
 *     bench TILECOPY_REPL PROGRAM.py
 *     bench TILECOPY_REPL exec          the CUDA programs alone
 *     bench TILECOPY_REPL course [DIR]  the kernels of a first course alone */
#include "bench.h"
#include "tilecopy.h"

#include <jansson.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n) {
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

/* --- start to prompt -------------------------------------------------------*/

enum { STARTS = 31 };

/* Seconds until the prompt stands on a terminal; peak memory in KiB. */
static double start(const char *program, const char *file, long *kib) {
    int terminal;
    double begin = now(), end = 0;
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    if (pid == 0) {
        execl(program, program, file, (char *)NULL);
        _exit(127);
    }
    char seen[8192] = "";
    size_t len = 0;
    ssize_t n;
    while (end == 0 && len < sizeof seen - 1 &&
           (n = read(terminal, seen + len, sizeof seen - 1 - len)) > 0) {
        len += (size_t)n;
        seen[len] = '\0';
        if (strstr(seen, "tilecopy>") != NULL) {
            end = now();
        }
    }
    if (write(terminal, "\x04", 1) != 1) {
        kill(pid, SIGKILL);
    }
    while (read(terminal, seen, sizeof seen) > 0) {
    }
    struct rusage use;
    int status;
    wait4(pid, &status, 0, &use);
    close(terminal);
    *kib = use.ru_maxrss;
    return end == 0 ? -1 : end - begin;
}

static double start_sh(void) {
    double begin = now();
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", ":", (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(pid, &status, 0);
    return now() - begin;
}

static void bench_start(const char *program, const char *file) {
    double ours[STARTS], sh[STARTS];
    long kib = 0;
    for (int i = 0; i < STARTS; i++) {
        ours[i] = start(program, file, &kib);
        sh[i] = start_sh();
    }
    double a = median(ours, STARTS), b = median(sh, STARTS);
    printf("start to prompt            %8.2f ms   %6.1f MB   %5.1f x `sh -c :` "
           "(%.2f ms)\n",
           a * 1e3, (double)kib / 1024, a / b, b * 1e3);
}

/* --- parse and why ---------------------------------------------------------*/

typedef struct sink {
    char *text; /* of the last reply */
    size_t len, cap;
} sink;

static void keep(void *user, const char *text, size_t len) {
    sink *s = user;
    if (s->len + len + 1 > s->cap) {
        s->cap = (s->len + len + 1) * 2;
        s->text = realloc(s->text, s->cap);
        if (s->text == NULL) {
            abort();
        }
    }
    memcpy(s->text + s->len, text, len);
    s->len += len;
    s->text[s->len] = '\0';
}

static void complain(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "bench: %s:%d: %s\n", d->file ? d->file : "", d->line,
            d->message);
}

static char *read_file(const char *path) {
    FILE *f = fopen(path, "rb");
    static char text[1 << 16];
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f != NULL) {
        fclose(f);
    }
    return text;
}

enum { WHYS = 2001 };

static void bench_why(const char *program) {
    sink out = {0};
    static double ours[WHYS], beside[WHYS];
    json_t *object = NULL;
    tc_options o = tc_options_default();
    tc_session *s = tc_session_new(&o, complain, keep, &out);
    tc_session_eval(s, program);
    o.json = true;
    for (int i = 0; i < WHYS; i++) {
        out.len = 0;
        double begin = now();
        tc_session_eval(s, program);
        tc_session_eval(s, "why");
        ours[i] = now() - begin;
        /* beside it: a well-kept library's parser over the same bytes */
        json_t *list = json_pack("[s]", out.text);
        char *text = json_dumps(list, 0);
        begin = now();
        object = json_loads(text, 0, NULL);
        beside[i] = now() - begin;
        json_decref(object);
        json_decref(list);
        free(text);
    }
    double a = median(ours, WHYS), b = median(beside, WHYS);
    printf("parse + full why           %8.1f us             %5.1f x jansson "
           "reading that answer (%.1f us, %zu bytes)\n",
           a * 1e6, a / b, b * 1e6, out.len);
    printf(
        "                           TVM 0.25.0 parses and lowers one copy in "
        "44 ms: %.0f times as long\n",
        44e-3 / a);
    tc_session_free(s);
    free(out.text);
}

/* --- the simulator ---------------------------------------------------------*/

enum { RUNS = 301 };

static void bench_run(const char *program, const char *setting1,
                      const char *setting2, const char *name, double native) {
    sink out = {0};
    static double rate[RUNS];
    tc_options o = tc_options_default();
    o.json = true;
    tc_session *s = tc_session_new(&o, complain, keep, &out);
    tc_session_eval(s, program);
    tc_session_eval(s, setting1);
    tc_session_eval(s, setting2);
    tc_session_eval(s, "set trace off");
    for (int i = 0; i < RUNS; i++) {
        out.len = 0;
        tc_session_eval(s, "run");
        json_t *j = json_loads(out.text, 0, NULL);
        json_t *kernel = json_array_get(json_object_get(j, "kernels"), 0);
        double n = (double)json_integer_value(
            json_object_get(kernel, "thread_instructions"));
        double ns = (double)json_integer_value(json_object_get(j, "wall_ns"));
        rate[i] = ns > 0 ? n / ns * 1e9 : 0;
        json_decref(j);
    }
    double r = median(rate, RUNS);
    printf("%-26s %8.1f M thread-instructions/s   1/%.0f of native adds\n",
           name, r / 1e6, native / r);
    tc_session_free(s);
    free(out.text);
}

/* Dependent additions a second on this processor, one thread. */
static double native_adds(void) {
    volatile unsigned x = 1;
    const int n = 50000000;
    unsigned v = x;
    double begin = now();
    for (int i = 0; i < n; i++) {
        v += x;
        __asm__ volatile("" : "+r"(v));
    }
    return n / (now() - begin);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[2], "exec") == 0) {
        bench_whole(argv[1], "tests/bench");
        return 0;
    }
    if (argc >= 3 && strcmp(argv[2], "course") == 0) {
        bench_course(argv[1], argc > 3 ? argv[3] : "tests/bench/kernels");
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: bench TILECOPY_REPL PROGRAM.py|exec|course\n");
        return 2;
    }
    const char *program = read_file(argv[2]);
    bench_start(argv[1], argv[2]);
    bench_why(program);
    bench_corpus(0);
    bench_suggest();
    double native = native_adds();
    bench_run(program, "set hazards off", "set timing off", "simulator, bare",
              native);
    bench_run(program, "set hazards off", "set timing on", "simulator, timing",
              native);
    bench_run(program, "set hazards on", "set timing on",
              "simulator, all checks", native);
    bench_speed("tests/bench");
    bench_whole(argv[1], "tests/bench");
    bench_course(argv[1], "tests/bench/kernels");
    return 0;
}
