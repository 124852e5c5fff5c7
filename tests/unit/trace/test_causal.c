/* The demos, every kernel of tests/mutants, and CUDA programs where nvcc is:
 * nothing in their traces comes before what it follows from. No completion before its issue, no end of a
 * phase before its last arrival and its last byte, no end of a wait before what
 * it waits for; across CTAs and clusters. CAUSAL= the beginning of a file's
 * name runs those alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tilecopy.h"
#include "trace/trace.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_S = 20, MOST = 20000 };

static tc_session *running;

static void on_alarm(int sig) {
    (void)sig;
    tc_session_interrupt(running, true);
}

static void on_output(void *user, const char *text, size_t len) {
    (void)user;
    (void)text;
    (void)len;
}

typedef struct tally {
    int runs, events, failed;
    const char *file;
} tally;

static void report(tally *y, const char *what, const tc_trace_event *e,
                   const tc_trace_event *than) {
    printf("%s: %s: %s at %" PRIu64 "-%" PRIu64 " (line %d), %s at %" PRIu64
           "-%" PRIu64 " (line %d)\n",
           y->file, what, tc_trace_kind_names[e->kind], e->cycle, e->end,
           e->line, tc_trace_kind_names[than->kind], than->cycle, than->end,
           than->line);
    y->failed++;
}

static bool same_barrier(const tc_trace_event *a, const tc_trace_event *b) {
    return a->object == TC_OBJECT_MBARRIER && b->object == TC_OBJECT_MBARRIER &&
           a->owner == b->owner && a->barrier == b->barrier;
}

static void check_complete(const tc_trace *t, size_t i, tally *y) {
    const tc_trace_event *e = &t->events[i];
    if (e->cause < 0) {
        return;
    }
    const tc_trace_event *issue = &t->events[e->cause];
    if (!tc_trace_is_issue(issue->kind)) {
        report(y, "completes what is no issue", e, issue);
    }
    if (e->cycle < issue->cycle || (size_t)e->cause >= i) {
        report(y, "completes before it is issued", e, issue);
    }
}

/* Since the object's last init, what is of this phase is not later. */
static void check_phase(const tc_trace *t, size_t i, tally *y) {
    const tc_trace_event *e = &t->events[i];
    for (size_t k = i + 1; k < t->n; k++) {
        const tc_trace_event *x = &t->events[k];
        if (same_barrier(x, e) && x->kind == TC_TRACE_INIT) {
            break;
        }
        if (same_barrier(x, e) && x->phase == e->phase &&
            (x->kind == TC_TRACE_ARRIVE || x->kind == TC_TRACE_COMPLETE)) {
            report(y, "a phase ends before it arrives", e, x);
        }
    }
    for (size_t k = 0; k < i; k++) {
        const tc_trace_event *x = &t->events[k];
        if (same_barrier(x, e) && x->phase == e->phase &&
            (x->kind == TC_TRACE_ARRIVE || x->kind == TC_TRACE_COMPLETE) &&
            x->cycle > e->cycle) {
            report(y, "a phase ends at an earlier cycle than", e, x);
        }
    }
}

/* What lanes do themselves. */
static bool is_own(const tc_trace_event *x) {
    return tc_trace_is_issue(x->kind) || x->kind == TC_TRACE_COMMIT ||
           (x->kind == TC_TRACE_ARRIVE && x->unit != TC_UNIT_ASYNC) ||
           x->kind == TC_TRACE_LOAD || x->kind == TC_TRACE_STORE ||
           x->kind == TC_TRACE_EXIT;
}

/* Of an mbarrier: its phase is over. Of groups: what the lanes issued for them
 * has landed, and was recorded to. */
static void check_wait(const tc_trace *t, size_t i, tally *y) {
    const tc_trace_event *e = &t->events[i];
    for (size_t k = 0; k < t->n; k++) {
        const tc_trace_event *x = &t->events[k];
        bool own = x->cta == e->cta && x->warp == e->warp &&
                   (x->lanes & e->lanes) != 0 && x->object == e->object;
        bool phase = same_barrier(x, e) && x->kind == TC_TRACE_PHASE &&
                     x->phase == e->phase && k > i;
        bool group = own && x->kind == TC_TRACE_COMPLETE && e->count == 0 &&
                     e->object != TC_OBJECT_MBARRIER &&
                     e->object != TC_OBJECT_TMEM_LOAD &&
                     e->object != TC_OBJECT_TMEM_STORE && x->group >= 0 &&
                     x->group <= e->group && x->cycle > e->end;
        bool tmem = own && x->kind == TC_TRACE_COMPLETE &&
                    (e->object == TC_OBJECT_TMEM_LOAD ||
                     e->object == TC_OBJECT_TMEM_STORE) &&
                    x->cycle > e->end && x->cause >= 0 &&
                    (size_t)x->cause < i &&
                    t->events[x->cause].cycle < e->cycle;
        if (x->cta == e->cta && x->warp == e->warp &&
            (x->lanes & e->lanes) != 0 && is_own(x) && x->cycle > e->cycle &&
            x->cycle < e->end) {
            report(y, "a lane goes on while it waits", e, x);
        }
        if (phase || group || tmem) {
            report(y, "a wait ends before what it waits for", e, x);
        }
    }
}

/* A barrier lets nobody go before the last has come. */
static void check_barrier(const tc_trace *t, size_t i, tally *y) {
    const tc_trace_event *e = &t->events[i];
    for (size_t k = 0; k < t->n; k++) {
        const tc_trace_event *x = &t->events[k];
        if (x->kind == TC_TRACE_BARRIER && x->object == TC_OBJECT_BARRIER &&
            e->object == TC_OBJECT_BARRIER && x->owner == e->owner &&
            x->barrier == e->barrier && x->end == e->end && x->cycle > e->end) {
            report(y, "a barrier opens before all have come", e, x);
        }
    }
}

static void check(const tc_trace *t, tally *y) {
    y->runs++;
    y->events += (int)t->n;
    if (t->n > MOST) { /* loads and stores; none of the mutants' */
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        if (e->end < e->cycle) {
            report(y, "ends before it begins", e, e);
        }
        switch (e->kind) {
        case TC_TRACE_COMPLETE:
            check_complete(t, i, y);
            break;
        case TC_TRACE_PHASE:
            check_phase(t, i, y);
            break;
        case TC_TRACE_WAIT:
            check_wait(t, i, y);
            break;
        case TC_TRACE_BARRIER:
            check_barrier(t, i, y);
            break;
        default:
            break;
        }
    }
}

/* Loads a file, makes a setting, and runs a command. */
static void run(const char *path, const char *arch, const char *setting,
                const char *command, tally *y) {
    const char *only = getenv("CAUSAL"), *base = strrchr(path, '/') + 1;
    if (only != NULL && strncmp(base, only, strlen(only)) != 0) {
        return;
    }
    tc_options o = tc_options_default();
    o.json = true;
    o.arch = arch;
    y->file = base;
    running = tc_session_new(&o, NULL, on_output, NULL);
    assert_non_null(running);
    if (tc_session_load(running, path) == TC_OK) {
        tc_session_eval(running, setting);
        alarm(LIMIT_S);
        tc_session_eval(running, command);
        tc_session_eval(running, "timeline --at 0"); /* records the events */
        alarm(0);
        const tc_trace *t = tc_session_trace(running);
        if (t != NULL) {
            check(t, y);
        }
    }
    tc_session_free(running);
}

static const char *const settings[] = {
    "set completion timing", "set completion late", "set completion random 1"};

static void lessons(void **state) {
    (void)state;
    tally y = {0};
    for (int i = 0; i < 3; i++) {
        run("lessons/ldgsts.py", "sm_90a", settings[i], "run", &y);
        run("lessons/dsmem.py", "sm_90a", settings[i], "run", &y);
        run("lessons/tcgen05_ldst.py", "sm_100a", settings[i], "run", &y);
    }
    printf("compared %d runs of lessons, %d events\n", y.runs, y.events);
    assert_int_equal(y.failed, 0);
    assert_true(y.runs > 0);
}

static void mutants(void **state) {
    (void)state;
    tally y = {0};
    DIR *d = opendir("tests/mutants");
    struct dirent *e;
    assert_non_null(d);
    while ((e = readdir(d)) != NULL) {
        char path[512], line[256] = "", command[300];
        const char *dot = strrchr(e->d_name, '.');
        snprintf(path, sizeof path, "tests/mutants/%s", e->d_name);
        FILE *f = dot && strcmp(dot, ".ptx") == 0 ? fopen(path, "r") : NULL;
        if (f == NULL) {
            continue;
        }
        bool has = fgets(line, sizeof line, f) != NULL &&
                   strncmp(line, "// launch: ", 11) == 0;
        fclose(f);
        line[strcspn(line, "\n")] = '\0';
        snprintf(command, sizeof command, "launch %s", line + 11 * has);
        for (int i = 0; has && i < 3; i++) {
            run(path, NULL, settings[i], command, &y);
        }
    }
    closedir(d);
    printf("compared %d runs of mutants, %d events\n", y.runs, y.events);
    assert_int_equal(y.failed, 0);
    assert_true(y.runs > 0 || getenv("CAUSAL") != NULL);
}

/* ---- whole CUDA programs ---- */

/* One of each way to copy and to wait, all of them short; nvcc takes seconds for
 * each, so that of a quick run (TEST_FEW) the first ones do. */
enum { FEW = 2 };
static const char *const programs[] = {
    "twins/tma_stages.cu",
    "twins/pipeline_no_commit.cu",
    "twins/bulk_store_no_commit.cu",
    "twins/dsmem_no_start.cu",
    "twins/st_async_count.cu",
    "twins/never_released.cu",
    "twins/cg_wait_prior.cu",
    "twins/arrive_on_only.cu",
    "twins/wgmma_proxy.cu",
    "course/tma_2d.cu",
    "course/cluster_dsmem.cu",
    "twins/named_count.cu",
    "bugs/tma_stages.cu",
    "bugs/pipeline_no_commit.cu",
};

static const char *own_path; /* of this test: the program lies beside it */

static tc_trace *load_trace(const char *path) {
    tc_buf text = TC_BUF_INIT;
    char piece[4096];
    size_t n;
    tc_diags quiet = {0};
    FILE *f = fopen(path, "r");
    while (f != NULL && (n = fread(piece, 1, sizeof piece, f)) > 0) {
        tc_buf_write(&text, piece, n);
    }
    if (f != NULL) {
        fclose(f);
    }
    tc_source source = {path, tc_buf_text(&text), text.len, 1};
    tc_trace *t = tc_trace_load(&source, &quiet);
    tc_buf_free(&text);
    return t;
}

/* The trace of a program's last launch, which a process of its own writes:
 * NULL, there is none. */
static tc_trace *trace_of(const char *program, const char *to) {
    char command[1024];
    snprintf(command, sizeof command,
             "'%.*s../tilecopy-repl' 'tests/cuda/%s' -e run "
             "-e 'export trace %s' >/dev/null 2>&1 </dev/null",
             (int)(strrchr(own_path, '/') + 1 - own_path), own_path, program,
             to);
    unlink(to);
    int status = system(command); /* 1: it has a finding */
    assert_true(status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 1));
    return load_trace(to);
}

static void cuda(void **state) {
    (void)state;
    tally y = {0};
    const char *only = getenv("CAUSAL");
    char to[] = "/tmp/causal-XXXXXX";
    int fd = mkstemp(to);
    assert_true(fd >= 0);
    close(fd);
    if (system("command -v nvcc >/dev/null 2>&1") != 0) {
        unlink(to);
        printf("SKIPPED: no nvcc found\n");
        skip();
    }
    size_t n =
        getenv("TEST_FEW") != NULL || getenv("TEST_WITHOUT_JUDGES") != NULL
            ? FEW
            : sizeof programs / sizeof *programs;
    for (size_t i = 0; i < n; i++) {
        const char *base = strchr(programs[i], '/') + 1;
        if (only != NULL && strncmp(base, only, strlen(only)) != 0) {
            continue;
        }
        y.file = programs[i];
        tc_trace *t = trace_of(programs[i], to);
        if (t == NULL) {
            printf("%s: no trace\n", programs[i]);
            y.failed++;
            continue;
        }
        check(t, &y);
        tc_trace_free(t);
    }
    unlink(to);
    printf("compared %d CUDA programs, %d events\n", y.runs, y.events);
    assert_int_equal(y.failed, 0);
    assert_true(y.runs > 0 || only != NULL);
}

int main(int argc, char **argv) {
    (void)argc;
    own_path = strchr(argv[0], '/') != NULL ? argv[0] : "./test_causal";
    const struct CMUnitTest tests[] = {cmocka_unit_test(lessons),
                                       cmocka_unit_test(mutants),
                                       cmocka_unit_test(cuda)};
    signal(SIGALRM, on_alarm);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
