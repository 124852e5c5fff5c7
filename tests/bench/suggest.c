/* suggest.c - how long `suggest` takes on the recorded sample of pairs
 * (tests/corpus/suggest.jsonl.gz), beside the exhaustive search to depth two
 * over the same programs. */
#include "suggest/suggest.h"
#include "bench.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { LINE = 1 << 20, MOST = 1000, SLOW = 40 };

typedef struct timing {
    json_t *programs; /* id -> text */
    const tc_env *env;
    double fast[MOST], slow;
    int n, nslow;
} timing;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef void (*line_fn)(timing *t, json_t *line);

static void each_line(timing *t, const char *path, line_fn fn) {
    char *text = malloc(LINE);
    gzFile f = gzopen(path, "rb");
    while (f != NULL && text != NULL && gzgets(f, text, LINE) != NULL) {
        json_t *j = json_loads(text, 0, NULL);
        if (j != NULL) {
            fn(t, j);
        }
        json_decref(j);
    }
    if (f != NULL) {
        gzclose(f);
    }
    free(text);
}

static void keep_program(timing *t, json_t *j) {
    json_object_set(t->programs, json_string_value(json_object_get(j, "id")),
                    json_object_get(j, "program"));
}

static void time_pair(timing *t, json_t *j) {
    const char *id = json_string_value(json_object_get(j, "id"));
    const char *text = json_string_value(json_object_get(t->programs, id));
    tc_suggest_input in = {.env = t->env, .first_line = 1, .target_cuda = true};
    if (text == NULL || t->n == MOST ||
        !tc_variant_find(json_string_value(json_object_get(j, "variant")),
                         &in.goal)) {
        return;
    }
    tc_arena *a = tc_arena_new();
    tc_suggestions g;
    in.text = text;
    in.len = strlen(text);
    double begin = now();
    tc_suggest(a, &in, &g);
    t->fast[t->n++] = now() - begin;
    if (t->n % 4 == 0 && t->nslow < SLOW) { /* it is slow: a part is enough */
        tc_least least[TC_VARIANT_COUNT];
        begin = now();
        tc_suggest_exhaustive(a, &in, 2, least);
        t->slow += now() - begin;
        t->nslow++;
    }
    tc_arena_free(a);
}

void bench_suggest(void) {
    tc_arena *a = tc_arena_new();
    timing *t = tc_xcalloc(1, sizeof *t);
    t->programs = json_object();
    t->env = tc_env_new(a);
    each_line(t, "tests/corpus/dispatch.jsonl.gz", keep_program);
    each_line(t, "tests/corpus/suggest.jsonl.gz", time_pair);
    if (t->n > 0 && t->nslow > 0) {
        qsort(t->fast, (size_t)t->n, sizeof *t->fast, by_value);
        double median = t->fast[t->n / 2], late = t->fast[t->n * 95 / 100];
        double slow = t->slow / t->nslow;
        printf("suggest, %d pairs         %8.2f ms median, %.2f ms at the 95th "
               "percentile (target 50), %.2f ms at most\n"
               "                           1/%.0f of the exhaustive search to "
               "depth two (%.1f ms)\n",
               t->n, median * 1e3, late * 1e3, t->fast[t->n - 1] * 1e3,
               slow / median, slow * 1e3);
    }
    json_decref(t->programs);
    free(t);
    tc_arena_free(a);
}
