/* grade.c - runs the cases of an exercise and says what came of them. */
#include "grade/grade.h"
#include "base/diag.h"
#include "base/limits.h"
#include "base/share.h"
#include "grade/exercise.h"
#include "grade/files.h"
#include "grade/reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    ALL_CASES = 6,    /* limits of one case that all together may take */
    DESCRIPTORS = 160 /* that the grader and a submission need */
};

/* Of the compilers: their time is not the submission's, and these end what
 * would never end by itself. */
static const tc_limits building = {.cpu_s = 60,
                                   .wall_s = 1200,
                                   .idle_s = 120,
                                   .memory = UINT64_C(4) << 30,
                                   .disk = UINT64_C(512) << 20};
/* Of the submission, for each case: what the machine gives to its processes and
 * to the simulator, the largest file that it may write, its device memory. The
 * clock counts only where it goes much slower than the processor. */
enum { WALL_TIMES = 20, WALL_MORE_S = 60 };
static const tc_limits running = {.memory = UINT64_C(4) << 30,
                                  .disk = UINT64_C(16) << 20};
#define DEVICE_MEMORY (UINT64_C(256) << 20)

/* ---- exercises ---- */

static const tc_exercise *const exercises[] = {
#define TC_EXERCISE(name) &tc_exercise_##name,
#include "grade/exercises.def"
};
enum { NEXERCISES = (int)(sizeof exercises / sizeof *exercises) };

const char *const *tc_grade_exercises(void) {
    static const char *const names[] = {
#define TC_EXERCISE(name) #name,
#include "grade/exercises.def"
        NULL};
    return names;
}

static const tc_exercise *find_exercise(const char *name) {
    for (int i = 0; i < NEXERCISES; i++) {
        if (strcmp(exercises[i]->name, name) == 0) {
            return exercises[i];
        }
    }
    return NULL;
}

const char *tc_grade_about(const char *exercise) {
    const tc_exercise *e = find_exercise(exercise);
    return e ? e->about : NULL;
}

uint64_t tc_draw_next(tc_draw *d) {
    uint64_t z = d->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t tc_draw_below(tc_draw *d, uint64_t n) {
    return tc_draw_next(d) % n;
}

/* ---- where an exercise lies ---- */

/* The exercise's host side, or NULL. */
static const char *host_side(tc_arena *a, const char *exercise) {
    char folder[4096];
    if (!tc_share_folder("exercises", "TILECOPY_EXERCISES", folder,
                         sizeof folder)) {
        return NULL;
    }
    const char *path = tc_format(a, "%s/%s/main.cu", folder, exercise);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* ---- one grading ---- */

typedef struct grading {
    const tc_grade_options *o;
    const tc_exercise *exercise;
    tc_session *session;
    tc_grade_verdict *verdict;
    const char *main;
    uint64_t seed;
    tc_diag_fn diag;
    void *user;
    tc_buf said; /* errors of the case under way, but the compiler's messages */
    tc_buf compiler;   /* its words, of the first case */
    const char *hint;  /* of the last of those errors, or NULL */
    const char *cache; /* a folder of this grading's own */
    bool built;        /* some case has run */
    double left_s;     /* of the time that all cases together may take */
} grading;

static void hear(void *user, const tc_diag *d) {
    grading *g = user;
    if (d->severity == TC_VERBATIM) {
        tc_buf_puts(&g->compiler, g->built ? "" : d->message);
    } else if (d->severity == TC_ERROR) {
        tc_buf_printf(&g->said, "%s%s", g->said.len ? "\n" : "", d->message);
        g->hint = d->hint ? tc_strdup(g->verdict->arena, d->hint) : g->hint;
    }
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

static void say_compiler(grading *g) {
    tc_diags d = {g->diag, g->user, 0};
    const tc_exercise *e = g->exercise;
    const char *said = tc_buf_text(&g->compiler);
    tc_arena *a = g->verdict->arena;
    if (linker_says(said, "undefined reference to `", e->name)) {
        tc_error(&d, TC_NOWHERE,
                 tc_format(a, "the interface is %s", e->interface),
                 "%s does not define the function that is asked for, %s",
                 g->o->path, e->name);
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

static void drop(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

/* Why a run that left no result ended. */
static void explain(grading *g, int exit, const json_t *findings, tc_buf *why) {
    if (json_array_size(findings) > 0) {
        return; /* they say it */
    }
    if (exit == TC_TIMEOUT && g->said.len > 0) {
        tc_buf_printf(why, "time limit: no result after %g second%s",
                      g->o->session.timeout_s,
                      g->o->session.timeout_s == 1 ? "" : "s");
    } else if (g->said.len > 0) {
        tc_buf_puts(why, tc_buf_text(&g->said));
    } else {
        tc_buf_printf(why,
                      "the program ended with status %d before the call of %s "
                      "was over: nothing may end it",
                      exit, g->exercise->name);
    }
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

static void judge(grading *g, const tc_case *c, int exit, const uint8_t *left,
                  size_t size, const json_t *report, tc_test *t) {
    tc_buf why = TC_BUF_INIT;
    const json_t *findings = json_object_get(report, "findings");
    const json_t *differences = json_object_get(report, "differences");
    tc_judged judged = g->exercise->judge(c, left, size, &why);
    bool clean = json_array_size(findings) == 0;
    bool same = json_array_size(differences) == 0;
    if (judged == TC_NO_RESULT) {
        explain(g, exit, findings, &why);
    } else if (judged == TC_RIGHT && !clean) {
        tc_buf_puts(&why, "the values are right this time, by luck:");
    } else if (judged == TC_RIGHT && !same) {
        say_difference(json_array_get(differences, 0), &why);
    }
    t->status =
        judged == TC_RIGHT && clean && same ? TC_TEST_PASSED : TC_TEST_FAILED;
    t->message = tc_buf_finish(&why, g->verdict->arena);
}

/* No case can be graded any more, and nobody's submission is to blame. */
static bool cannot_grade(grading *g, tc_test *t, const char *why) {
    g->verdict->status = TC_MACHINE;
    g->verdict->error = g->verdict->stopped = tc_strdup(g->verdict->arena, why);
    t->status = TC_TEST_ERROR;
    t->message = g->verdict->error;
    return false;
}

static bool is(const json_t *report, const char *key, const char *word) {
    const char *s = json_string_value(json_object_get(report, key));
    return s != NULL && strcmp(s, word) == 0;
}

static bool interrupted(const grading *g) {
    return tc_session_interrupted(g->session) ||
           (g->o->outer != NULL && tc_session_interrupted(g->o->outer));
}

/* It was not built, or could not be started. */
static bool take_refused(grading *g, int exit, const json_t *j, tc_test *t) {
    if (is(j, "fault", "interrupt")) {
        return cannot_grade(g, t, "grading was interrupted");
    }
    if (is(j, "fault", "machine") || j == NULL) {
        return cannot_grade(
            g, t, g->said.len > 0 ? tc_buf_text(&g->said) : "there is no room");
    }
    g->verdict->status = (tc_status)exit;
    say_compiler(g);
    return false;
}

/* What came of a run; j is its report. False: no further case can run. */
static bool take(grading *g, const tc_case *c, const tc_grade_files *f,
                 int exit, const json_t *j, tc_test *t) {
    bool cut = json_object_get(j, "why") != NULL; /* not ended by itself */
    if (interrupted(g)) {                         /* whatever it came to */
        return cannot_grade(g, t, "grading was interrupted");
    }
    if (j == NULL || is(j, "status", "refused") || (cut && exit == TC_NO_GPU)) {
        return take_refused(g, exit, j, t);
    }
    g->built = true;
    g->left_s -= json_real_value(json_object_get(j, "taken_s"));
    tc_arena *a = tc_arena_new();
    size_t size;
    uint8_t *left = tc_grade_read(a, f->in, (off_t)c->size, &size);
    judge(g, c, exit, left, size, j, t);
    tc_verdict_findings(g->verdict, t, json_object_get(j, "findings"));
    tc_verdict_notes(g->verdict, t, json_object_get(j, "notes"));
    tc_arena_free(a);
    return !(cut && exit == TC_TIMEOUT);
}

static void run_submission(grading *g, const tc_case *c, tc_grade_files *f,
                           tc_test *t, bool *go_on) {
    const char *const none[] = {NULL};
    double limit = g->o->session.timeout_s;
    tc_limits taken = running;
    taken.cpu_s = limit;
    taken.wall_s = limit > 0 ? WALL_TIMES * limit + WALL_MORE_S : 0;
    tc_exec_options e = {.path = g->o->path,
                         .args = none,
                         .main = g->main,
                         .in = f->in,
                         .out = f->out,
                         .err = f->out,
                         .report = f->report,
                         .quiet = true,
                         .cache = g->cache,
                         .limits = &building,
                         .taken = &taken,
                         .memory = DEVICE_MEMORY};
    tc_arena *a = tc_arena_new();
    int exit = tc_session_exec(g->session, &e);
    tc_grade_files_ended(f);
    size_t n;
    uint8_t *report = tc_grade_read(a, f->report, 0, &n);
    json_t *j = json_loadb((char *)report, n, 0, NULL);
    *go_on = take(g, c, f, exit, j, t);
    tc_verdict_printed(g->verdict, t, &f->printed, f->total);
    json_decref(j);
    tc_arena_free(a);
}

/* Runs one case. False: no further one can run. */
static bool run_case(grading *g, int number, tc_test *t) {
    tc_case c = {0};
    tc_grade_files f;
    tc_arena *a = tc_arena_new();
    bool go_on = false;
    g->exercise->make(number, g->seed, a, &c);
    t->name = tc_strdup(g->verdict->arena, c.name);
    t->hidden = c.hidden;
    t->status = TC_TEST_ERROR;
    tc_buf_clear(&g->said);
    if (!tc_grade_files_open(&f, &c)) {
        cannot_grade(
            g, t, tc_format(a, "the grader has no room: %s", strerror(errno)));
    } else {
        run_submission(g, &c, &f, t, &go_on);
    }
    tc_grade_files_close(&f);
    tc_arena_free(a);
    return go_on;
}

static void run_cases(grading *g) {
    tc_grade_verdict *v = g->verdict;
    bool go_on = true;
    double limit = g->o->session.timeout_s;
    g->left_s = limit > 0 ? ALL_CASES * limit : 1e300;
    v->ntests = g->exercise->ncases;
    v->tests = TC_NEWN(v->arena, tc_test, v->ntests);
    for (int i = 0; i < v->ntests; i++) {
        tc_test *t = &v->tests[i];
        if (go_on && interrupted(g)) {
            go_on = cannot_grade(g, t, "grading was interrupted");
        }
        if (go_on) {
            go_on = run_case(g, i, t) && g->left_s > 0;
        } else {
            tc_case c = {0};
            g->exercise->make(i, g->seed, v->arena, &c);
            *t = (tc_test){.name = c.name,
                           .hidden = c.hidden,
                           .status = TC_TEST_ERROR,
                           .not_run = true,
                           .message = v->error ? v->error : "not run"};
        }
        v->passed += t->status == TC_TEST_PASSED;
    }
}

/* ---- asked for wrongly ---- */

static tc_status refuse(tc_diag_fn diag, void *user, const char *hint,
                        const char *fmt, const char *word) {
    tc_diags d = {diag, user, 0};
    tc_error(&d, TC_NOWHERE, hint, fmt, word);
    return TC_USAGE;
}

/* A submission that finds too few would fail for that. */
static bool enough_descriptors(void) {
    struct rlimit l;
    if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < DESCRIPTORS &&
        l.rlim_max >= DESCRIPTORS) {
        l.rlim_cur = DESCRIPTORS;
        setrlimit(RLIMIT_NOFILE, &l);
    }
    return l.rlim_cur >= DESCRIPTORS;
}

static tc_status check(const tc_grade_options *o, tc_diag_fn diag, void *user) {
    static const char *const planned[] = {"junit", "gradescope", "classroom",
                                          "csv"};
    if (find_exercise(o->exercise) == NULL) {
        return refuse(
            diag, user,
            tc_diag_nearest(o->exercise, tc_grade_exercises(), NEXERCISES),
            "there is no exercise '%s'", o->exercise);
    }
    for (int i = 0; o->format && i < 4; i++) {
        if (strcmp(o->format, planned[i]) == 0) {
            return refuse(diag, user, "text and json are",
                          "the format %s is not built yet", o->format);
        }
    }
    if (o->format && strcmp(o->format, "text") != 0 &&
        strcmp(o->format, "json") != 0) {
        return refuse(diag, user, "text or json", "there is no format '%s'",
                      o->format);
    }
    if (!enough_descriptors()) {
        tc_diags d = {diag, user, 0};
        tc_error(&d, TC_NOWHERE, "ulimit -n",
                 "cannot grade: this shell allows fewer than %d open files",
                 (int)DESCRIPTORS);
        return TC_MACHINE;
    }
    if (access(o->path, R_OK) != 0) {
        tc_diags d = {diag, user, 0};
        tc_error(&d, TC_NOWHERE, NULL, "cannot read %s: %s", o->path,
                 strerror(errno));
        return TC_FAILED;
    }
    return TC_OK;
}

static uint64_t secret(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)getpid() * UINT64_C(0x9E3779B97F4A7C15);
    }
    return seed;
}

static tc_status status_of(const grading *g) {
    const tc_grade_verdict *v = g->verdict;
    return v->error                         ? TC_MACHINE
           : v->passed == v->ntests         ? TC_OK
           : g->built || v->status == TC_OK ? TC_FAILED
                                            : v->status;
}

static tc_status grade(grading *g, tc_output_fn output) {
    tc_grade_verdict *v = g->verdict;
    if (g->o->outer) {
        tc_session_nest(g->o->outer, g->session);
    }
    run_cases(g);
    if (g->o->outer) {
        tc_session_nest(g->o->outer, NULL);
    }
    if (v->error) {
        tc_diags d = {g->diag, g->user, 0};
        tc_error(&d, TC_NOWHERE, g->hint, "cannot grade %s: %s", v->path,
                 v->error);
    }
    tc_verdict_say(v, g->o, output, g->user);
    return status_of(g);
}

/* What a grading needs; false after saying what it lacks. */
static bool prepare(grading *g) {
    tc_diags d = {g->diag, g->user, 0};
    tc_arena *a = g->verdict->arena;
    g->main = host_side(a, g->exercise->name);
    g->cache = g->main ? tc_grade_folder(a) : NULL;
    if (g->main == NULL) {
        tc_error(&d, TC_NOWHERE, "TILECOPY_EXERCISES names their folder",
                 "the files of exercise %s are not where they should be",
                 g->exercise->name);
    } else if (g->cache == NULL) {
        tc_error(&d, TC_NOWHERE, NULL,
                 "cannot grade: there is no folder for temporary files: %s",
                 strerror(errno));
    }
    return g->cache != NULL;
}

tc_status tc_grade(const tc_grade_options *o, tc_diag_fn diag,
                   tc_output_fn output, void *user) {
    tc_status status = check(o, diag, user);
    if (status != TC_OK) {
        return status;
    }
    tc_grade_verdict v = {.arena = tc_arena_new(), .exercise = o->exercise};
    v.path = o->path;
    v.findings = json_array();
    grading g = {.o = o, .exercise = find_exercise(o->exercise), .verdict = &v};
    g.diag = diag;
    g.user = user;
    g.seed = v.seed = o->has_seed ? o->seed : secret();
    tc_options session = o->session;
    session.timeout_s = 0; /* of a run: see running */
    if (!prepare(&g)) {
        status = TC_MACHINE;
    } else if ((g.session = tc_session_new(&session, hear, drop, &g)) == NULL) {
        status = TC_USAGE;
    } else {
        status = grade(&g, output);
    }
    tc_session_free(g.session);
    tc_grade_folder_remove(g.cache);
    tc_buf_free(&g.said);
    tc_buf_free(&g.compiler);
    json_decref(v.findings);
    tc_arena_free(v.arena);
    return status;
}

tc_status tc_grade_command(tc_session *s, const char *exercise,
                           const char *path, const tc_options *options,
                           tc_diag_fn diag, tc_output_fn output, void *user) {
    tc_grade_options o = {.exercise = exercise,
                          .path = path,
                          .format = options->json ? "json" : "text",
                          .session = *options,
                          .outer = s};
    o.session.json = o.session.terminal = false;
    o.session.timeout_s = TC_GRADE_LIMIT_S;
    return tc_grade(&o, diag, output, user);
}
