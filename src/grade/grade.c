/* grade.c - grades a submission: what is asked, what it needs, all its tests. */
#include "grade/grade.h"
#include "base/file.h"
#include "base/progress/progress.h"
#include "base/share.h"
#include "grade/grading.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ALL_CASES = 6,    /* limits of one case that all together may take */
    DESCRIPTORS = 160 /* that the grader and a submission need */
};

/* ---- diagnostics of the session ---- */

static void hear(void *user, const tc_diag *d) {
    tc_grading *g = user;
    if (d->severity == TC_VERBATIM) {
        tc_buf_puts(&g->compiler, g->built ? "" : d->message);
    } else if (d->code == TC_CODE_WAITING) {
        g->diag(g->user, d);
    } else if (d->severity == TC_ERROR) {
        tc_buf_printf(&g->said, "%s%s", g->said.len ? "\n" : "", d->message);
        g->hint = d->hint ? tc_strdup(g->verdict->arena, d->hint) : g->hint;
    }
}

static void drop(void *user, const char *text, size_t n) {
    (void)user, (void)text, (void)n;
}

/* ---- all tests ---- */

static void not_run(tc_grading *g, int number, tc_test *t) {
    tc_grade_result *v = g->verdict;
    const tc_exercise_test *x = &g->exercise->tests[number];
    *t = (tc_test){.name = tc_case_name(g->exercise, x, v->arena),
                   .hidden = x->hidden,
                   .points = 1,
                   .reason =
                       v->refused ? TC_REASON_COMPILE : TC_REASON_NOT_JUDGED,
                   .status = TC_TEST_ERROR,
                   .not_run = true,
                   .message = v->error ? v->error : "not run"};
    tc_grading_put_off(g, x, t);
}

static void add_up(tc_grade_result *v) {
    v->passed = v->score = v->most = 0;
    for (int i = 0; i < v->ntests; i++) {
        const tc_test *t = &v->tests[i];
        bool counts = t->status != TC_TEST_DEFERRED;
        v->passed += t->status == TC_TEST_PASSED;
        v->score += t->status == TC_TEST_PASSED ? t->points : 0;
        v->most += counts ? t->points : 0;
    }
}

/* Of its rule or reason, else of its findings. */
const char *tc_grading_hint(const tc_grading *g, const tc_test *t) {
    const tc_exercise *e = g->exercise;
    const char *hint =
        tc_exercise_hint(e, t->rule ? t->rule : tc_reason_names[t->reason]);
    for (size_t k = 0; hint == NULL && k < json_array_size(t->findings); k++) {
        const json_t *f = json_array_get(t->findings, k);
        const char *kind = json_string_value(json_object_get(f, "kind"));
        hint = tc_exercise_hint(e, kind ? kind : "");
    }
    return hint;
}

bool tc_grading_enough(const tc_grading *g, const tc_test *t) {
    const tc_grade_options *o = g->o;
    tc_arena *a = g->verdict->arena;
    return o->until && tc_test_fails_for(t, o->until) &&
           (o->until_says == NULL ||
            strstr(tc_verdict_says(a, g->verdict, t), o->until_says) != NULL);
}

/* A large test is not run where a small one has failed already. */
static void run_tests(tc_grading *g) {
    const tc_exercise *e = g->exercise;
    tc_grade_result *v = g->verdict;
    bool go_on = true, right = true;
    g->left_s = g->limit_s > 0 ? ALL_CASES * g->limit_s : 1e300;
    v->ntests = e->ntests + tc_grading_nrules(e);
    v->tests = TC_NEWN(v->arena, tc_test, v->ntests + 1);
    tc_progress_begin("grading, %d tests", e->ntests);
    for (int i = 0; i < e->ntests; i++) {
        tc_test *t = &v->tests[i];
        t->points = 1;
        tc_progress_at((uint64_t)i, (uint64_t)e->ntests);
        if (go_on && tc_grading_interrupted(g)) {
            go_on = tc_grading_stop(g, t, "grading was interrupted");
        }
        if (go_on && (e->tests[i].gpu || e->tests[i].sampled) && !right) {
            not_run(g, i, t);
            t->message =
                t->not_run ? "not run: a smaller one has failed" : t->message;
        } else if (go_on) {
            go_on = tc_grading_test(g, i, t) && g->left_s > 0 &&
                    !tc_grading_enough(g, t);
        } else if (t->name == NULL) {
            not_run(g, i, t);
        }
        v->passed += t->status == TC_TEST_PASSED;
        right &= t->status == TC_TEST_PASSED || t->status == TC_TEST_DEFERRED;
    }
    tc_progress_end();
    tc_grading_rules(g, &v->tests[e->ntests]);
    for (int i = 0; i < v->ntests; i++) {
        tc_test *t = &v->tests[i];
        if (t->hint == NULL && t->status != TC_TEST_PASSED) {
            t->hint = tc_grading_hint(g, t);
        }
    }
}

/* ---- asked for wrongly ---- */

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

static tc_status check(const tc_grade_options *o, tc_diags *d) {
    int n = 0;
    while (tc_format_names[n] != NULL) {
        n++;
    }
    if (o->format && strcmp(o->format, "text") != 0 &&
        tc_format_of(o->format) == NULL) {
        const char *near = tc_diag_nearest(o->format, tc_format_names, n);
        tc_error(d, TC_NOWHERE,
                 near ? near : "text json junit gradescope classroom csv",
                 "there is no format '%s'", o->format);
        return TC_USAGE;
    }
    if (!enough_descriptors()) {
        tc_error(d, TC_NOWHERE, "ulimit -n",
                 "cannot grade: this shell allows fewer than %d open files",
                 (int)DESCRIPTORS);
        return TC_MACHINE;
    }
    return TC_OK;
}

/* What is no file to be graded, as a sentence; else NULL. */
static const char *unfit(tc_arena *a, const char *path) {
    struct stat s;
    if (lstat(path, &s) != 0 || access(path, R_OK) != 0) {
        return tc_format(a, "it cannot be read: %s", strerror(errno));
    }
    if (S_ISLNK(s.st_mode)) {
        return "it is a symbolic link: a submission is a file";
    }
    if (!S_ISREG(s.st_mode)) {
        return S_ISDIR(s.st_mode) ? "it is a folder: a submission is a file"
                                  : "it is no ordinary file";
    }
    return s.st_size > TC_GRADE_LARGEST
               ? tc_format(a, "it has %lld bytes: at most %d are graded",
                           (long long)s.st_size, (int)TC_GRADE_LARGEST)
               : NULL;
}

/* All points are lost, and nothing is run. */
static tc_status refuse(tc_grading *g, tc_diags *d, const char *why) {
    const tc_exercise *e = g->exercise;
    tc_grade_result *v = g->verdict;
    v->refused = why;
    v->ntests = e->tirx ? 0 : e->ntests + tc_grading_nrules(e);
    v->tests = TC_NEWN(v->arena, tc_test, v->ntests + 1);
    for (int i = 0; !e->tirx && i < e->ntests; i++) {
        not_run(g, i, &v->tests[i]);
    }
    if (!e->tirx) {
        tc_grading_rules(g, &v->tests[e->ntests]);
    }
    add_up(v);
    tc_error(d, TC_NOWHERE, NULL, "%s: %s", g->o->path, why);
    return TC_FAILED;
}

/* ---- what a grading needs ---- */

static uint64_t secret(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed) {
        seed = (uint64_t)getpid() * UINT64_C(0x9E3779B97F4A7C15);
    }
    return seed;
}

static const char *absolute(tc_arena *a, const char *path) {
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    const char *all = here ? tc_format(a, "%s/%s", here, path) : path;
    free(here);
    return all;
}

/* The sandbox, as far as it is asked for and there. */
static bool close_box(tc_grading *g, tc_diags *d) {
    const char *why;
    tc_grade_result *v = g->verdict;
    if (g->o->sandbox == TC_GRADE_OFF) {
        v->sandbox = "off";
        return true;
    }
    tc_sandbox_parts p = tc_sandbox_ask(v->arena, &why);
    bool all = p.namespaces && p.landlock && p.seccomp;
    char path[PATH_MAX];
    const char *real = realpath(g->o->path, path);
    v->sandbox = all                                       ? "full"
                 : p.namespaces || p.landlock || p.seccomp ? "part"
                                                           : "none";
    if (!all && g->o->sandbox == TC_GRADE_REQUIRE) {
        tc_error(d, TC_NOWHERE, "--sandbox=auto uses what there is",
                 "cannot grade: --sandbox=require, and %s", why);
        return false;
    }
    const char *group = getenv("TILECOPY_CGROUP");
    if (group != NULL && *group && access(group, W_OK | X_OK) != 0) {
        tc_error(d, TC_NOWHERE, "it names a folder of cgroup v2 that is yours",
                 "cannot grade: TILECOPY_CGROUP: %s: %s", group,
                 strerror(errno));
        return false;
    }
    g->boxed = p.namespaces || p.landlock || p.seccomp;
    g->box = (tc_sandbox){.required = g->o->sandbox == TC_GRADE_REQUIRE,
                          .file = UINT64_C(512) << 20,
                          .together = UINT64_C(4) << 30,
                          .processes = 512,
                          .reads = {absolute(v->arena, g->o->path), g->main,
                                    real ? tc_strdup(v->arena, real) : NULL}};
    return true;
}

/* False after saying what it lacks. */
static bool prepare(tc_grading *g, tc_diags *d) {
    tc_arena *a = g->verdict->arena;
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    g->folder = tc_grade_folder(a);
    const char *kept = getenv("TILECOPY_GRADE_CACHE");
    g->cache = g->o->trusted ? NULL : kept != NULL && *kept ? kept : g->folder;
    if (g->folder == NULL) {
        tc_error(d, TC_NOWHERE, NULL,
                 "cannot grade: there is no folder for temporary files: %s",
                 strerror(errno));
        return false;
    }
    g->main = tc_format(a, "%s/main.cpp", g->folder);
    if (!g->exercise->tirx) {
        tc_case_main(g->exercise, &text);
    }
    bool written =
        tc_file_write(g->main, tc_buf_text(&text), text.len, NULL, why);
    tc_buf_free(&text);
    if (!written) {
        tc_error(d, TC_NOWHERE, NULL, "cannot grade: %s", why);
    }
    return written && close_box(g, d);
}

/* ---- one grading ---- */

static tc_status status_of(const tc_grading *g) {
    const tc_grade_result *v = g->verdict;
    return v->error                         ? TC_MACHINE
           : tc_verdict_passed(v)           ? TC_OK
           : g->built || v->status == TC_OK ? TC_FAILED
                                            : v->status;
}

static void say(const tc_grade_result *v, const tc_grade_options *o,
                tc_output_fn output, void *user) {
    tc_buf b = TC_BUF_INIT;
    tc_format_fn *format = o->format ? tc_format_of(o->format) : NULL;
    if (format != NULL) {
        format(v, &b);
    } else if (v->refused == NULL) {
        tc_verdict_put_text(v, o->session.width ? o->session.width : 80,
                            o->color, &b);
    }
    output(user, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tc_status grade(tc_grading *g) {
    tc_grade_result *v = g->verdict;
    double begin = now_s();
    if (g->o->outer) {
        tc_session_nest(g->o->outer, g->session);
    }
    if (g->exercise->tirx) {
        tc_grading_tirx(g);
    } else {
        run_tests(g);
    }
    if (g->o->outer) {
        tc_session_nest(g->o->outer, NULL);
    }
    add_up(v);
    v->seconds = now_s() - begin;
    if (v->error) {
        tc_diags d = {g->diag, g->user, 0};
        tc_error(&d, TC_NOWHERE, g->hint, "cannot grade %s: %s", v->path,
                 v->error);
    }
    return status_of(g);
}

static void begin_verdict(tc_grade_result *v, const tc_grade_options *o) {
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    *v = (tc_grade_result){.arena = tc_arena_new(), .exercise = o->exercise};
    v->path = o->path;
    v->student = tc_base_name(o->path);
    v->findings = json_array();
    v->kept = json_array();
    v->title = v->exercise;
    v->sandbox = "off";
    v->when = tc_strdup(v->arena, when);
}

void tc_verdict_end(tc_grade_result *v) {
    json_decref(v->findings);
    json_decref(v->kept);
    tc_arena_free(v->arena);
}

void tc_grade_unfinished(const tc_grade_options *o, tc_output_fn output,
                         void *user) {
    tc_grade_result v;
    tc_grade_options plain = *o;
    begin_verdict(&v, o);
    v.error = "grading has not ended: it is under way, or was killed";
    plain.color = false;
    say(&v, &plain, output, user);
    tc_verdict_end(&v);
}

const tc_exercise *tc_grade_exercise(tc_arena *a, const char *name, tc_diags *d,
                                     tc_status *status) {
    char path[PATH_MAX];
    *status = TC_USAGE;
    if (!tc_grade_find(a, name, path, sizeof path)) {
        int n;
        const char *const *all = tc_grade_exercises(a, &n);
        if (n == 0) {
            *status = TC_MACHINE;
            tc_error(d, TC_NOWHERE, "TILECOPY_EXERCISES names their folder",
                     "the files of exercise %s are not where they should be",
                     name);
        } else {
            tc_error(d, TC_NOWHERE, tc_diag_nearest(name, all, n),
                     "there is no exercise '%s'", name);
        }
        return NULL;
    }
    const tc_exercise *e = tc_exercise_load(a, tc_base_name(path), path, d);
    *status = TC_MACHINE;
    return e;
}

static tc_session *new_session(tc_grading *g, tc_backend backend) {
    tc_options session = g->o->session;
    session.timeout_s = 0; /* of a run: see run.c */
    session.json = session.terminal = session.view = false;
    session.backend = backend;
    return tc_session_new(&session, hear, drop, g);
}

tc_session *tc_grading_session(tc_grading *g, tc_backend backend) {
    if (backend == g->o->session.backend ||
        (backend == TC_BACKEND_SIM &&
         g->o->session.backend == TC_BACKEND_BOTH)) {
        return g->session;
    }
    if (g->other == NULL || g->other_is != backend) {
        tc_session_free(g->other);
        g->other = new_session(g, backend);
        g->other_is = backend;
    }
    return g->other;
}

static tc_status grade_in(tc_grading *g, tc_diags *d) {
    tc_status status = TC_MACHINE;
    double usual = g->exercise->timeout_s;
    g->limit_s = g->o->has_timeout ? g->o->session.timeout_s : usual;
    if (prepare(g, d)) {
        g->session = new_session(g, g->o->session.backend);
        status = g->session ? grade(g) : TC_USAGE;
    }
    tc_session_free(g->session);
    tc_session_free(g->other);
    tc_grade_folder_remove(g->folder);
    tc_buf_free(&g->said);
    tc_buf_free(&g->compiler);
    return status;
}

tc_status tc_grade_verdict(const tc_grade_options *o, tc_grade_result *v,
                           tc_diag_fn diag, void *user) {
    tc_diags d = {diag, user, 0};
    tc_status status;
    begin_verdict(v, o);
    tc_grading g = {.o = o, .verdict = v, .diag = diag, .user = user};
    g.seed = v->seed = o->has_seed ? o->seed : secret();
    g.exercise = tc_grade_exercise(v->arena, o->exercise, &d, &status);
    status = g.exercise ? check(o, &d) : status;
    if (g.exercise && status == TC_OK) {
        prctl(PR_SET_DUMPABLE, 0); /* nobody reads this process's memory */
        v->exercise = g.exercise->name;
        v->title = g.exercise->title;
        v->graded = true;
        const char *why = unfit(v->arena, o->path);
        status = why ? refuse(&g, &d, why) : grade_in(&g, &d);
    }
    return status;
}

tc_status tc_grade(const tc_grade_options *o, tc_diag_fn diag,
                   tc_output_fn output, void *user) {
    tc_grade_result v;
    tc_status status = tc_grade_verdict(o, &v, diag, user);
    if (v.graded && (v.ntests > 0 || v.error || v.refused)) {
        say(&v, o, output, user);
    }
    tc_verdict_end(&v);
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
    return tc_grade(&o, diag, output, user);
}
