/* check.c - holds an exercise to its own answers: the reference gets all
 * points, the file to start from compiles and fails, and each wrong answer
 * fails for the reason that is stated. */
#include "grade/grading.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* A check while it goes on. */
typedef struct checking {
    const tc_exercise *e;
    const tc_options *session;
    tc_session *outer;
    tc_diag_fn diag;
    tc_output_fn output;
    void *user;
    tc_arena *arena;
    tc_buf said; /* diagnostics of a grading */
    int bad;
} checking;

static void keep(void *user, const tc_diag *d) {
    checking *c = user;
    tc_buf_printf(&c->said, "%s\n", d->message);
}

static void say(checking *c, const char *file, const char *text, bool ok) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "  %s%s: %s\n", ok ? "ok    " : "FAIL  ", file, text);
    c->output(c->user, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    c->bad += !ok;
}

/* Grades a file of the folder, a wrong one until it is seen to fail as it should;
 * the verdict is to be ended. */
static tc_status grade(checking *c, const char *file, const tc_wrong *w,
                       tc_grade_result *v) {
    const char *path = tc_format(c->arena, "%s/%s", c->e->folder, file);
    tc_grade_options o = {.exercise = c->e->folder,
                          .path = path,
                          .session = *c->session,
                          .has_seed = true,
                          .seed = 1,
                          .trusted = true,
                          .until = w ? w->fails : NULL,
                          .until_says = w ? w->says : NULL,
                          .sandbox = TC_GRADE_OFF,
                          .outer = c->outer};
    tc_buf_clear(&c->said);
    tc_status s = tc_grade_verdict(&o, v, keep, c);
    return s == TC_REJECTED ? s : v->error ? TC_MACHINE : s;
}

/* The first test that was lost, as a line. */
static const char *lost(checking *c, const tc_grade_result *v, tc_status s) {
    if (s == TC_REJECTED || s == TC_MACHINE || s == TC_USAGE) {
        return tc_format(c->arena, "it cannot be graded: %s%s",
                         v->error ? v->error : "", tc_buf_text(&c->said));
    }
    for (int i = 0; i < v->ntests; i++) {
        const tc_test *t = &v->tests[i];
        if (t->status != TC_TEST_PASSED && t->status != TC_TEST_DEFERRED) {
            return tc_format(c->arena, "%s: %s (%s)", t->name ? t->name : "",
                             tc_verdict_says(v->arena, v, t),
                             tc_reason_names[t->reason]);
        }
    }
    return "all points";
}

static void check_reference(checking *c) {
    tc_grade_result v;
    if (c->e->reference == NULL) {
        say(c, "reference", "exercise.yml names none", false);
        return;
    }
    tc_status s = grade(c, c->e->reference, NULL, &v);
    say(c, c->e->reference, lost(c, &v, s), s == TC_OK);
    tc_verdict_end(&v);
}

static void check_wrong(checking *c, const tc_wrong *w, tc_status s,
                        tc_grade_result *v);

/* The file to start from, which may be among the wrong answers too: it is graded
 * once. */
static void check_start(checking *c) {
    tc_grade_result v;
    if (c->e->start == NULL) {
        say(c, "template", "exercise.yml names none", false);
        return;
    }
    tc_status s = grade(c, c->e->start, NULL, &v);
    bool ok = s == TC_FAILED && v.ntests > 0;
    say(c, c->e->start,
        ok           ? "it compiles and fails"
        : s == TC_OK ? "it passes, and should be a beginning only"
                     : lost(c, &v, s),
        ok);
    for (int i = 0; i < c->e->nwrong; i++) {
        if (strcmp(c->e->wrong[i].file, c->e->start) == 0) {
            check_wrong(c, &c->e->wrong[i], s, &v);
        }
    }
    tc_verdict_end(&v);
}

/* Does a test fail for the reason, with the words? */
static bool fails_so(const tc_grade_result *v, const tc_wrong *w) {
    for (int i = 0; i < v->ntests; i++) {
        const tc_test *t = &v->tests[i];
        if (tc_test_fails_for(t, w->fails) &&
            (w->says == NULL ||
             strstr(tc_verdict_says(v->arena, v, t), w->says) != NULL)) {
            return true;
        }
    }
    return false;
}

static void check_wrong(checking *c, const tc_wrong *w, tc_status s,
                        tc_grade_result *v) {
    const char *wanted =
        tc_format(c->arena, "%s%s%s", w->fails,
                  w->says ? ", with the words: " : "", w->says ? w->says : "");
    bool compile = s == TC_REJECTED && strcmp(w->fails, "compile") == 0;
    if (compile || (s == TC_FAILED && fails_so(v, w))) {
        say(c, w->file, tc_format(c->arena, "it fails for %s", w->fails), true);
    } else if (s == TC_OK) {
        say(c, w->file,
            tc_format(c->arena, "it passes, and should fail for %s", wanted),
            false);
    } else {
        say(c, w->file,
            tc_format(c->arena,
                      "it should fail for %s, and fails otherwise: %s", wanted,
                      lost(c, v, s)),
            false);
    }
}

static void check_all(checking *c) {
    const char *text = tc_format(c->arena, "%s/README.md", c->e->folder);
    if (access(text, R_OK) != 0) {
        say(c, "README.md", "it is not there", false);
    }
    if (c->e->nwrong == 0) {
        say(c, "wrong", "exercise.yml names no wrong answer", false);
    }
    check_reference(c);
    check_start(c);
    for (int i = 0; i < c->e->nwrong; i++) {
        if (c->outer && tc_session_interrupted(c->outer)) {
            return;
        }
        const tc_wrong *w = &c->e->wrong[i];
        if (c->e->start == NULL || strcmp(w->file, c->e->start) != 0) {
            tc_grade_result v;
            tc_status s = grade(c, w->file, w, &v);
            check_wrong(c, w, s, &v);
            tc_verdict_end(&v);
        }
    }
}

tc_status tc_exercise_check(const char *name, const tc_options *session,
                            tc_session *outer, tc_diag_fn diag,
                            tc_output_fn output, void *user) {
    tc_diags d = {diag, user, 0};
    char path[PATH_MAX];
    checking c = {.session = session,
                  .outer = outer,
                  .diag = diag,
                  .output = output,
                  .user = user,
                  .arena = tc_arena_new()};
    tc_status status = TC_USAGE;
    if (!tc_grade_find(c.arena, name, path, sizeof path)) {
        int n;
        const char *const *all = tc_grade_exercises(c.arena, &n);
        const char *near = n ? tc_diag_nearest(name, all, n) : NULL;
        tc_error(&d, TC_NOWHERE,
                 near ? near
                      : "a folder of one's own has a slash in it: ./NAME",
                 "there is no exercise '%s'", name);
    } else {
        c.e = tc_exercise_load(c.arena, tc_base_name(path), path, &d);
        status = TC_REJECTED;
    }
    if (c.e != NULL) {
        check_all(&c);
        status = c.bad ? TC_FAILED : TC_OK;
        const char *text =
            c.bad ? tc_format(c.arena,
                              "%s: %d of its files %s not as they "
                              "should be\n",
                              c.e->name, c.bad, c.bad == 1 ? "is" : "are")
                  : tc_format(c.arena, "%s: all as it should be\n", c.e->name);
        output(user, text, strlen(text));
    }
    tc_buf_free(&c.said);
    tc_arena_free(c.arena);
    return status;
}
