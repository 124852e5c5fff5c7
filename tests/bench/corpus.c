/* corpus.c - programs a second through parse + full why, over the recorded
 * programs (tests/corpus/dispatch.jsonl.gz), beside jansson reading the lines
 * of that file. */
#include "base/arena.h"
#include "bench.h"
#include "tilecopy.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { LINE = 1 << 20, MOST = 4000, ROUNDS = 5 };

typedef struct programs {
    char *lines[MOST], *texts[MOST];
    bool refused[MOST]; /* by TVM, while it was read */
    int n;
} programs;

/* Seconds of this process on a core; of all rounds the best is taken. */
typedef struct corpus_time {
    double ours, beside;
    size_t bytes, line_bytes; /* answered; read by jansson */
    int failed;               /* not answered as TVM did */
    long before, after;       /* peak memory in KiB */
} corpus_time;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count(void *user, const char *text, size_t len) {
    (void)text;
    *(size_t *)user += len;
}

static long peak(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

static void read_programs(programs *p, const char *path, int most) {
    char *line = tc_xmalloc(LINE);
    gzFile f = gzopen(path, "rb");
    while (f != NULL && p->n < most && gzgets(f, line, LINE) != NULL) {
        json_t *j = json_loads(line, 0, NULL);
        const char *text = json_string_value(json_object_get(j, "program"));
        if (text != NULL) {
            p->refused[p->n] = json_object_get(j, "copies") == NULL;
            p->lines[p->n] = tc_xstrdup(line);
            p->texts[p->n++] = tc_xstrdup(text);
        }
        json_decref(j);
    }
    if (f != NULL) {
        gzclose(f);
    }
    free(line);
}

/* Every program into one session. A refused one leaves the one before it. */
static double define_and_ask(const programs *p, corpus_time *t) {
    t->bytes = 0;
    t->failed = 0;
    double begin = now();
    tc_options o = tc_options_default();
    tc_session *s = tc_session_new(&o, NULL, count, &t->bytes);
    for (int i = 0; i < p->n; i++) {
        bool ok = tc_session_eval(s, p->texts[i]) == TC_OK;
        t->failed += ok == p->refused[i];
        t->failed += tc_session_eval(s, "why") != TC_OK;
    }
    tc_session_free(s);
    return now() - begin;
}

static double parse_json(const programs *p, corpus_time *t) {
    t->line_bytes = 0;
    double begin = now();
    for (int i = 0; i < p->n; i++) {
        json_decref(json_loads(p->lines[i], 0, NULL));
        t->line_bytes += strlen(p->lines[i]);
    }
    return now() - begin;
}

static void measure(const programs *p, corpus_time *t) {
    t->before = peak();
    t->ours = t->beside = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double a = define_and_ask(p, t), b = parse_json(p, t);
        t->ours = a < t->ours ? a : t->ours;
        t->beside = b < t->beside ? b : t->beside;
        if (i == 0) {
            t->after = peak();
        }
    }
}

static void report(const programs *p, const corpus_time *t) {
    double each = t->ours / p->n;
    printf("parse + why, %d programs %6.0f a second (target 20000), %.1f us "
           "each, %.1f MB at most (%.1f MB before)\n",
           p->n, 1 / each, each * 1e6, (double)t->after / 1024,
           (double)t->before / 1024);
    printf("                           %.1f x jansson reading the corpus's "
           "lines (%.1f us); TVM 0.25.0 needs 44 ms a copy: %.0f times as "
           "long\n",
           t->ours / t->beside, t->beside / p->n * 1e6, 44e-3 / each);
    if (t->failed > 0) {
        printf("                           %d of them FAILED\n", t->failed);
    }
}

/* In a process of its own, so that the peak is this part's. */
void bench_corpus(int most) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid != 0) {
        int status;
        waitpid(pid, &status, 0);
        return;
    }
    static programs p;
    corpus_time t = {0};
    read_programs(&p, "tests/corpus/dispatch.jsonl.gz",
                  most > 0 && most < MOST ? most : MOST);
    if (p.n > 0) {
        measure(&p, &t);
        report(&p, &t);
    }
    fflush(stdout);
    _exit(0);
}
