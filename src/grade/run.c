/* run.c - runs one test of a CUDA exercise and says what came of it. */
#include "grade/grading.h"

#include "base/limits.h"

#include <errno.h>
#include <string.h>

/* Of the compilers, each of them: their time is not the submission's, and these
 * end what would never end by itself. Three times a test's limit, as far as that
 * is from COMPILE_LEAST to COMPILE_MOST seconds; without a limit the most. */
enum {
    COMPILE_TIMES = 3,
    COMPILE_LEAST = 20,
    COMPILE_MOST = 60,
    COMPILE_WALL = 6,  /* times that by the clock: others compute too */
    COMPILE_IDLE = 12, /* times a test's limit, waiting for what never comes; */
    COMPILE_IDLE_MOST = 120 /* from COMPILE_LEAST to this */
};
/* Of the submission, for each case: what the machine gives to its processes and
 * to the simulator, the largest file that it may write, its device memory. The
 * clock counts only where it goes much slower than the processor. */
enum { WALL_TIMES = 20, WALL_MORE_S = 60 };
static const tc_limits running = {.memory = UINT64_C(4) << 30,
                                  .disk = UINT64_C(16) << 20};
#define DEVICE_MEMORY (UINT64_C(256) << 20)
/* Bytes a second at which buffers of gigabytes are made, moved and compared: a
 * test that has such ones has so much more time. */
#define LARGE_BYTES_S 5e8

static double between(double least, double v, double most) {
    return v < least ? least : v > most ? most : v;
}

static tc_limits building(const tc_grading *g) {
    double s = g->limit_s > 0 ? g->limit_s : COMPILE_MOST;
    double cpu = between(COMPILE_LEAST, COMPILE_TIMES * s, COMPILE_MOST);
    return (tc_limits){
        .cpu_s = cpu,
        .wall_s = COMPILE_WALL * cpu,
        .idle_s = between(COMPILE_LEAST, COMPILE_IDLE * s, COMPILE_IDLE_MOST),
        .memory = UINT64_C(4) << 30,
        .disk = UINT64_C(512) << 20};
}

bool tc_grading_interrupted(const tc_grading *g) {
    return tc_session_interrupted(g->session) ||
           (g->o->outer != NULL && tc_session_interrupted(g->o->outer));
}

bool tc_grading_stop(tc_grading *g, tc_test *t, const char *why) {
    g->verdict->status = TC_MACHINE;
    g->verdict->error = g->verdict->stopped = tc_strdup(g->verdict->arena, why);
    t->status = TC_TEST_ERROR;
    t->reason = TC_REASON_MACHINE;
    t->message = g->verdict->error;
    return false;
}

/* ---- what the compiler and the linker say ---- */

/* Whether the linker misses, or has twice, something of that name alone: what
 * it says about it is not in a student's terms. */
static bool linker_says(const char *said, const char *what, const char *name) {
    const char *p = strstr(said, what);
    size_t n = strlen(name);
    while (p != NULL) {
        p += strlen(what);
        if (strncmp(p, name, n) != 0 || strchr("('`\n", p[n]) == NULL) {
            return false;
        }
        p = strstr(p, what);
    }
    return strstr(said, what) != NULL;
}

static void say_compiler(tc_grading *g) {
    tc_diags d = {g->diag, g->user, 0};
    const tc_exercise *e = g->exercise;
    const char *said = tc_buf_text(&g->compiler);
    tc_arena *a = g->verdict->arena;
    if (linker_says(said, "undefined reference to `", e->function)) {
        tc_error(&d, TC_NOWHERE,
                 tc_format(a, "the interface is %s", e->interface),
                 "%s does not define the function that is asked for, %s",
                 g->o->path, e->function);
        g->verdict->refused =
            tc_format(a, "it does not define %s", e->interface);
    } else if (linker_says(said, "multiple definition of `", "main")) {
        tc_error(&d, TC_NOWHERE, "the grader brings its own main; leave it out",
                 "%s defines main", g->o->path);
        g->verdict->refused = "it defines main, which the grader brings";
    } else {
        const char *errors = tc_buf_text(&g->said);
        if (g->compiler.len > 0) {
            tc_diag_report(&d, TC_VERBATIM, TC_NOWHERE, NULL, "%s", said);
        }
        if (g->said.len > 0) {
            tc_error(&d, TC_NOWHERE, g->hint, "%s", errors);
        }
        g->verdict->refused = tc_format(a, "%s%s", said, errors);
    }
}

/* ---- the end of a run ---- */

static bool is(const json_t *report, const char *key, const char *word) {
    const char *s = json_string_value(json_object_get(report, key));
    return s != NULL && strcmp(s, word) == 0;
}

/* Why a run that left no result ended. */
static tc_reason explain(tc_grading *g, int exit, const json_t *report,
                         tc_buf *why) {
    if (json_array_size(json_object_get(report, "findings")) > 0) {
        return TC_REASON_FINDING; /* they say it */
    }
    if (exit == TC_TIMEOUT && g->said.len > 0) {
        tc_buf_printf(why, "time limit: no result after %g second%s",
                      g->limit_s, g->limit_s == 1 ? "" : "s");
        return TC_REASON_TIME_LIMIT;
    }
    if (g->said.len > 0) {
        tc_buf_puts(why, tc_buf_text(&g->said));
        return is(report, "status", "limit") ? TC_REASON_LIMIT
                                             : TC_REASON_ENDED;
    }
    tc_buf_printf(why,
                  "the program ended with status %d before the call of %s "
                  "was over: nothing may end it",
                  exit, g->exercise->function);
    return TC_REASON_ENDED;
}

/* A place where simulator and GPU (--backend both) left different bytes. */
static void say_difference(const json_t *d, tc_buf *why) {
    const char *kernel = json_string_value(json_object_get(d, "kernel"));
    const char *buffer = json_string_value(json_object_get(d, "buffer"));
    tc_buf_printf(why,
                  "after %s, %s differs at byte %lld between the simulator and "
                  "the GPU",
                  kernel ? kernel : "a launch", buffer ? buffer : "memory",
                  (long long)json_integer_value(json_object_get(d, "offset")));
}

static void judge(tc_grading *g, const tc_case *c, int exit,
                  const json_t *report, tc_test *t) {
    tc_buf why = TC_BUF_INIT;
    const json_t *differences = json_object_get(report, "differences");
    bool clean = json_array_size(json_object_get(report, "findings")) == 0;
    t->reason = tc_case_judge(c, g->verdict->arena, &why);
    if (t->reason == TC_REASON_ENDED) {
        t->reason = explain(g, exit, report, &why);
    } else if (t->reason == TC_REASON_NONE && !clean) {
        t->reason = TC_REASON_FINDING;
        tc_buf_puts(&why, "the values are right this time, by luck:");
    } else if (t->reason == TC_REASON_NONE &&
               json_array_size(differences) > 0) {
        t->reason = TC_REASON_DIFFERS;
        say_difference(json_array_get(differences, 0), &why);
    }
    t->status = t->reason == TC_REASON_NONE ? TC_TEST_PASSED : TC_TEST_FAILED;
    t->message = tc_buf_finish(&why, g->verdict->arena);
}

/* It was not built, or could not be started. */
static bool take_refused(tc_grading *g, int exit, const json_t *j, tc_test *t) {
    if (is(j, "fault", "interrupt")) {
        return tc_grading_stop(g, t, "grading was interrupted");
    }
    if (is(j, "fault", "machine") || j == NULL) {
        return tc_grading_stop(
            g, t, g->said.len > 0 ? tc_buf_text(&g->said) : "there is no room");
    }
    g->verdict->status = (tc_status)exit;
    t->reason = TC_REASON_COMPILE;
    say_compiler(g);
    return false;
}

/* What came of a run; j is its report. False: no further case can run. */
static bool take(tc_grading *g, const tc_case *c, int exit, const json_t *j,
                 tc_test *t) {
    bool cut = json_object_get(j, "why") != NULL; /* not ended by itself */
    if (tc_grading_interrupted(g)) {              /* whatever it came to */
        return tc_grading_stop(g, t, "grading was interrupted");
    }
    if (j == NULL || is(j, "status", "refused") || (cut && exit == TC_NO_GPU)) {
        return take_refused(g, exit, j, t);
    }
    g->built = true;
    t->seconds = json_real_value(json_object_get(j, "taken_s"));
    g->left_s -= t->seconds;
    judge(g, c, exit, j, t);
    tc_verdict_findings(g->verdict, t, json_object_get(j, "findings"));
    tc_verdict_notes(g->verdict, t, json_object_get(j, "notes"));
    return !(cut && exit == TC_TIMEOUT);
}

/* ---- a run ---- */

/* The report, owned, or NULL; *exit its status. */
static json_t *execute(tc_grading *g, tc_session *s, tc_case *c,
                       tc_grade_files *f, int *exit) {
    static const char *const none[] = {NULL};
    tc_limits taken = running, compiling = building(g);
    double more_s = (double)c->large / LARGE_BYTES_S;
    taken.cpu_s = g->limit_s > 0 ? g->limit_s + more_s : 0;
    taken.wall_s =
        g->limit_s > 0 ? WALL_TIMES * (g->limit_s + more_s) + WALL_MORE_S : 0;
    taken.memory += 2 * c->large;
    tc_exec_options e = {.path = g->o->path,
                         .args = none,
                         .main = g->main,
                         .in = f->in,
                         .out = f->out,
                         .err = f->out,
                         .report = f->report,
                         .quiet = true,
                         .cache = g->cache,
                         .limits = &compiling,
                         .taken = &taken,
                         .memory = DEVICE_MEMORY + 2 * c->large,
                         .timing = c->timed,
                         /* a library's name is anybody's to take */
                         .no_suppressions = true,
                         .task = &c->task,
                         .sandbox = g->boxed ? &g->box : NULL};
    tc_arena *a = tc_arena_new();
    size_t n;
    *exit = tc_session_exec(s, &e);
    tc_grade_files_ended(f);
    uint8_t *report = tc_grade_read(a, f->report, &n);
    json_t *j = json_loadb((char *)report, n, 0, NULL);
    tc_arena_free(a);
    return j;
}

bool tc_grading_case(tc_grading *g, tc_session *s, tc_case *c, tc_test *t,
                     json_t **report) {
    tc_grade_files f;
    tc_arena *a = g->verdict->arena;
    bool go_on = false;
    int exit;
    *report = NULL;
    t->name = t->name ? t->name : tc_strdup(a, c->name);
    t->hidden = c->hidden;
    t->status = TC_TEST_ERROR;
    tc_buf_clear(&g->said);
    if (!tc_grade_files_open(&f)) {
        tc_grading_stop(
            g, t, tc_format(a, "the grader has no room: %s", strerror(errno)));
    } else {
        if (g->o->outer) {
            tc_session_nest(g->o->outer, s);
        }
        *report = execute(g, s, c, &f, &exit);
        go_on = take(g, c, exit, *report, t);
        tc_verdict_printed(g->verdict, t, &f.printed, f.total);
    }
    tc_grade_files_close(&f);
    return go_on;
}

bool tc_grading_put_off(const tc_grading *g, const tc_exercise_test *x,
                        tc_test *t) {
    bool off = x->gpu && g->o->session.backend == TC_BACKEND_SIM;
    if (off) {
        t->name = tc_case_name(g->exercise, x, g->verdict->arena);
        t->hidden = x->hidden;
        t->status = TC_TEST_DEFERRED;
        t->reason = TC_REASON_NOT_JUDGED;
        t->message = "too large for the simulator: --backend gpu";
        t->not_run = false;
    }
    return off;
}

bool tc_grading_test(tc_grading *g, int number, tc_test *t) {
    const tc_exercise_test *x = &g->exercise->tests[number];
    tc_arena *a = tc_arena_new();
    tc_case c = {0};
    const char *why = "";
    json_t *report = NULL;
    bool go_on = true, gpu = g->o->session.backend != TC_BACKEND_SIM;
    if (tc_grading_put_off(g, x, t)) {
        go_on = true;
    } else if (tc_case_make(g->exercise, TC_CASE_TEST, number,
                            x->sampled && !gpu, g->seed, a, &c, &why)) {
        tc_session *s = x->gpu || (x->sampled && gpu)
                            ? tc_grading_session(g, TC_BACKEND_GPU)
                            : g->session;
        t->name = tc_format(g->verdict->arena, "%s%s", c.name,
                            c.sampled ? ", in part" : "");
        go_on = tc_grading_case(g, s, &c, t, &report);
    } else if (x->gpu || x->sampled) {
        t->name = tc_case_name(g->exercise, x, g->verdict->arena);
        t->status = TC_TEST_DEFERRED;
        t->reason = TC_REASON_NOT_JUDGED;
        t->message = tc_strdup(g->verdict->arena, why);
    } else {
        go_on = tc_grading_stop(
            g, t, tc_format(a, "the exercise is at fault: %s", why));
    }
    json_decref(report);
    tc_case_end(&c);
    tc_arena_free(a);
    return go_on;
}
