/* course.c - the kernels of a first course (tests/bench/kernels), bare, with
 * hazards, the same on two threads, and with timing, beside scalar C of the same
 * work in the same run. A program prints "scalar NAME SECONDS" for the work that
 * each of its launches does, and returns 1 if a result is wrong; of a kernel with
 * products by the tensor cores it prints "multiply-adds KERNEL N", which count as
 * instructions. Without nvcc its line says so. */
#include "bench.h"

#include <glob.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 4, MOST = 128, NAME = 40 };

static const struct {
    const char *name, *commands;
} modes[MODES] = {
    {"bare", "-e 'set hazards off' -e 'set timing off'"},
    {"hazards", "-e 'set hazards on' -e 'set timing off'"},
    {"threads", "-e 'set hazards on' -e 'set timing off' -e 'set threads 2'"},
    {"timing", "-e 'set hazards off' -e 'set timing on'"},
};

/* A kernel with its block, in all modes; its launches are added up. */
typedef struct row {
    char name[NAME];
    double instructions[MODES], seconds[MODES], scalar; /* of one launch */
    int launches;
} row;

typedef struct table {
    row rows[MOST];
    int n;
} table;

/* The reply to `run`, which the caller frees; NULL: none. */
static json_t *reply_of(const char *repl, const char *file, int mode) {
    char command[2048];
    size_t size = 0;
    json_t *reply = NULL;
    snprintf(command, sizeof command,
             "'%s' --json --timeout 600 -e 'set trace off' %s -e 'load %s' "
             "-e run 2>/dev/null",
             repl, modes[mode].commands, file);
    FILE *f = popen(command, "r");
    for (char *line = NULL; f && getline(&line, &size, f) >= 0;) {
        json_t *j = json_loads(line, 0, NULL);
        const char *said = json_string_value(json_object_get(j, "command"));
        if (said && strcmp(said, "run") == 0) {
            json_decref(reply);
            reply = json_incref(j);
        }
        json_decref(j);
        free(line);
        line = NULL;
    }
    if (f) {
        pclose(f);
    }
    return reply;
}

static row *row_of(table *t, const char *file, const json_t *k) {
    const json_t *b = json_object_get(k, "block");
    const char *base = strrchr(file, '/');
    char name[NAME];
    snprintf(name, sizeof name, "%.*s: %s %lldx%lld",
             (int)strcspn(base + 1, "."), base + 1,
             json_string_value(json_object_get(k, "name")),
             json_integer_value(json_array_get(b, 0)),
             json_integer_value(json_array_get(b, 1)));
    for (int i = 0; i < t->n; i++) {
        if (strcmp(t->rows[i].name, name) == 0) {
            return &t->rows[i];
        }
    }
    if (t->n == MOST) {
        return NULL;
    }
    row *r = &t->rows[t->n++];
    memcpy(r->name, name, sizeof name);
    return r;
}

/* Multiply-adds of a launch that its thread-instructions do not count. */
static double products_of(const char *said, const char *kernel) {
    static const char word[] = "multiply-adds ";
    double n = 0;
    for (const char *p = said; p && (p = strstr(p, word)); p += sizeof word) {
        size_t len = strlen(kernel);
        const char *name = p + sizeof word - 1;
        if (strncmp(name, kernel, len) == 0 && name[len] == ' ') {
            n += strtod(name + len, NULL);
        }
    }
    return n;
}

/* Adds a program's launches. False, said: it did not run, or was wrong. */
static int add(table *t, const char *repl, const char *file, int mode) {
    json_t *j = reply_of(repl, file, mode), *k;
    const char *said = json_string_value(json_object_get(j, "stdout"));
    const char *scalar = said ? strstr(said, "scalar ") : NULL;
    double seconds = 0;
    size_t i;
    int good = scalar && sscanf(scalar, "scalar %*s %lf", &seconds) == 1 &&
               json_integer_value(json_object_get(j, "exit")) == 0;
    if (!good) {
        printf("%-40s skipped: %s\n", strrchr(file, '/') + 1,
               said && *said ? said : "it does not run here (is there nvcc?)");
    }
    json_array_foreach(json_object_get(j, "kernels"), i, k) {
        row *r = good ? row_of(t, file, k) : NULL;
        if (r) {
            r->instructions[mode] +=
                (double)json_integer_value(
                    json_object_get(k, "thread_instructions")) +
                products_of(said,
                            json_string_value(json_object_get(k, "name")));
            r->seconds[mode] += 1e-9 * (double)json_integer_value(
                                           json_object_get(k, "wall_ns"));
            r->scalar = seconds;
            r->launches += mode == 0;
        }
    }
    json_decref(j);
    return good;
}

static double rate_of(const row *r, int mode) {
    return r->seconds[mode] > 0 ? r->instructions[mode] / r->seconds[mode] : 0;
}

static void print_rows(const table *t) {
    printf("%-40s %10s %10s %10s %10s   of scalar C's speed, bare\n", "",
           "bare", "hazards", "2 threads", "timing");
    for (int i = 0; i < t->n; i++) {
        const row *r = &t->rows[i];
        printf("%-40s", r->name);
        for (int m = 0; m < MODES; m++) {
            printf(" %10.1f", 1e-6 * rate_of(r, m));
        }
        printf("   %.4f\n", r->seconds[0] > 0 && r->launches
                                ? r->scalar * r->launches / r->seconds[0]
                                : 0);
    }
}

static void print_ends(const table *t) {
    for (int m = 0; m < MODES; m++) {
        double sum = 0, worst = INFINITY;
        const char *name = "";
        int n = 0;
        for (int i = 0; i < t->n; i++) {
            double rate = rate_of(&t->rows[i], m);
            sum += rate > 0 ? log(rate) : 0;
            n += rate > 0;
            name = rate > 0 && rate < worst ? t->rows[i].name : name;
            worst = rate > 0 && rate < worst ? rate : worst;
        }
        if (n > 0) {
            printf("%-8s geometric mean of %d: %.0f, worst %.1f (%s)\n",
                   modes[m].name, n, 1e-6 * exp(sum / n), 1e-6 * worst, name);
        }
    }
}

/* How many gain by a second thread what they should. */
static void print_gains(const table *t) {
    enum { HAZARDS = 1, THREADS = 2 };
    int n = 0, all = 0;
    for (int i = 0; i < t->n; i++) {
        const row *r = &t->rows[i];
        int both = rate_of(r, HAZARDS) > 0 && rate_of(r, THREADS) > 0;
        all += both;
        n += both && rate_of(r, THREADS) >= 1.8 * rate_of(r, HAZARDS);
    }
    printf("two threads: %d of %d at least 1.8 times as fast as one\n", n, all);
}

void bench_course(const char *repl, const char *folder) {
    static table t;
    char pattern[512];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/*.cu", folder);
    printf("\nkernels of a first course, M thread-instructions/s\n");
    if (glob(pattern, 0, NULL, &files) != 0) {
        printf("no %s\n", pattern);
        return;
    }
    for (size_t i = 0; i < files.gl_pathc; i++) {
        for (int m = 0; m < MODES; m++) {
            if (!add(&t, repl, files.gl_pathv[i], m)) {
                break;
            }
        }
        fflush(stdout);
    }
    globfree(&files);
    print_rows(&t);
    print_ends(&t);
    print_gains(&t);
}
