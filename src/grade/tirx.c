/* tirx.c - grades a program of TVMScript: by which variants its copies are
 * dispatched to, and by a run. The program is text that this process parses; it
 * has no process of its own. */
#include "grade/case_data.h"
#include "grade/grading.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ends a run that does not end. */
typedef struct clock_watch {
    tc_session *session;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over, passed; /* passed: the limit was */
    struct timespec until;
} clock_watch;

static void *watch(void *user) {
    clock_watch *w = user;
    pthread_mutex_lock(&w->lock);
    while (!w->over && !w->passed) {
        w->passed =
            pthread_cond_timedwait(&w->ended, &w->lock, &w->until) != 0 &&
            !w->over;
    }
    if (w->passed) {
        tc_session_interrupt(w->session, true);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* What the session outputs, kept. */
typedef struct listener {
    tc_buf output, said;
} listener;

static void keep_output(void *user, const char *text, size_t n) {
    listener *l = user;
    tc_buf_write(&l->output, text, n);
}

static void keep_diag(void *user, const tc_diag *d) {
    listener *l = user;
    if (d->severity == TC_ERROR || d->severity == TC_VERBATIM) {
        tc_buf_printf(&l->said, "%s%s", l->said.len ? "\n" : "", d->message);
        if (d->line > 0) {
            tc_buf_printf(&l->said, " (line %d)", d->line);
        }
    }
}

/* A command's answer, owned; NULL: it failed, and l->said tells why. */
static json_t *ask(tc_session *s, listener *l, const char *command) {
    tc_buf_clear(&l->output);
    tc_session_eval(s, command);
    json_t *j = json_loads(tc_buf_text(&l->output), 0, NULL);
    if (j != NULL && !json_is_true(json_object_get(j, "ok"))) {
        const json_t *e = json_object_get(j, "error");
        const char *why = json_string_value(json_object_get(e, "message"));
        tc_buf_printf(&l->said, "%s%s (line %d)", l->said.len ? "\n" : "",
                      why ? why : "it failed",
                      (int)json_integer_value(json_object_get(e, "line")));
        json_decref(j);
        j = NULL;
    }
    return j;
}

static tc_test *test(tc_grading *g, const char *name, int points) {
    tc_grade_result *v = g->verdict;
    tc_test *t = &v->tests[v->ntests++];
    *t = (tc_test){.name = name, .points = points, .status = TC_TEST_PASSED};
    return t;
}

static void lose(tc_test *t, tc_reason reason, const char *message) {
    t->status = TC_TEST_FAILED;
    t->reason = reason;
    t->message = message;
}

/* ---- dispatch ---- */

static void judge_variants(tc_grading *g, const json_t *why) {
    const tc_exercise *e = g->exercise;
    tc_arena *a = g->verdict->arena;
    const json_t *copies = json_object_get(why, "copies");
    for (int i = 0; i < e->nvariants; i++) {
        const json_t *c = json_array_get(copies, (size_t)i);
        const char *chosen = json_string_value(json_object_get(c, "chosen"));
        tc_test *t = test(
            g,
            tc_format(a, "copy %d is dispatched to %s", i + 1, e->variants[i]),
            2);
        t->rule = e->variants[i];
        if (c == NULL) {
            lose(t, TC_REASON_CHANGED, "there is no such copy");
        } else if (chosen == NULL || strcmp(chosen, e->variants[i]) != 0) {
            lose(t, TC_REASON_VARIANT,
                 tc_format(
                     a,
                     "line %lld: it is dispatched to %s; `why %s` "
                     "tells why not",
                     (long long)json_integer_value(json_object_get(c, "line")),
                     chosen ? chosen : "nothing", e->variants[i]));
        }
    }
    if ((int)json_array_size(copies) != e->nvariants) {
        lose(test(g, "the program has the copies that are asked for", 0),
             TC_REASON_CHANGED,
             tc_format(a, "it has %zu copies, and %d are asked for",
                       json_array_size(copies), e->nvariants));
    }
}

/* ---- the run ---- */

static const json_t *buffer(const json_t *run, const char *name) {
    size_t i;
    json_t *b;
    json_array_foreach(json_object_get(run, "buffers"), i, b) {
        const char *is = json_string_value(json_object_get(b, "name"));
        if (is != NULL && strcmp(is, name) == 0) {
            return b;
        }
    }
    return NULL;
}

static void judge_same(tc_grading *g, const tc_same *s, const json_t *run) {
    tc_arena *a = g->verdict->arena;
    const json_t *x = buffer(run, s->left), *y = buffer(run, s->right);
    tc_test *t = test(g, tc_format(a, "%s equals %s", s->left, s->right), 2);
    if (x == NULL || y == NULL) {
        lose(t, TC_REASON_CHANGED,
             tc_format(a, "there is no buffer %s", x ? s->right : s->left));
    } else if (json_integer_value(json_object_get(x, "bytes")) != s->bytes) {
        lose(t, TC_REASON_CHANGED,
             tc_format(
                 a, "%s has %lld bytes, and %ld are asked for", s->left,
                 (long long)json_integer_value(json_object_get(x, "bytes")),
                 s->bytes));
    } else if (!json_equal(json_object_get(x, "fnv1a64"),
                           json_object_get(y, "fnv1a64"))) {
        lose(t, TC_REASON_WRONG_VALUE,
             tc_format(a, "%s differs from %s", s->left, s->right));
    }
}

static void judge_findings(tc_grading *g, const json_t *run) {
    tc_test *t = test(g, "the run has no finding", 2);
    const json_t *found = json_object_get(run, "findings");
    tc_verdict_findings(g->verdict, t, found);
    if (json_array_size(found) > 0) {
        lose(t, TC_REASON_FINDING, NULL);
    }
}

static void judge_rules(tc_grading *g, const json_t *run) {
    double zero = 0;
    tc_case_data data = {.scalars = &zero};
    tc_task_call call = {.launches =
                             json_array_size(json_object_get(run, "kernels"))};
    tc_case c = {.exercise = g->exercise, .data = &data};
    c.task.calls = &call;
    for (int i = 0; i < g->exercise->nrules; i++) {
        const tc_rule *r = &g->exercise->rules[i];
        tc_test *t = test(g, r->says ? r->says : r->measure->name, r->points);
        t->rule = r->measure->name;
        tc_grading_rule(g, &c, r, run, t);
    }
}

static void judge_run(tc_grading *g, const json_t *run, const listener *l,
                      bool late) {
    if (run == NULL) {
        lose(test(g, "it runs", 2),
             late ? TC_REASON_TIME_LIMIT : TC_REASON_ENDED,
             late ? tc_format(g->verdict->arena,
                              "time limit: no result after %g seconds",
                              g->limit_s)
                  : tc_strdup(g->verdict->arena, tc_buf_text(&l->said)));
        return;
    }
    for (int i = 0; i < g->exercise->nsame; i++) {
        judge_same(g, &g->exercise->same[i], run);
    }
    judge_findings(g, run);
    judge_rules(g, run);
}

/* ---- all ---- */

static void judge_program(tc_grading *g, tc_session *s, listener *l,
                          clock_watch *w) {
    json_t *why = ask(s, l, "why");
    if (why != NULL) {
        judge_variants(g, why);
    } else {
        lose(test(g, "it has copies", 2), TC_REASON_VARIANT,
             tc_strdup(g->verdict->arena, tc_buf_text(&l->said)));
    }
    tc_buf_clear(&l->said);
    json_t *run = ask(s, l, "run");
    judge_run(g, run, l, w->passed);
    json_decref(why);
    json_decref(run);
}

static void add_hints(tc_grading *g) {
    for (int i = 0; i < g->verdict->ntests; i++) {
        tc_test *t = &g->verdict->tests[i];
        if (t->status != TC_TEST_PASSED && t->hint == NULL) {
            t->hint = tc_grading_hint(g, t);
        }
    }
}

void tc_grading_tirx(tc_grading *g) {
    tc_grade_result *v = g->verdict;
    const tc_exercise *e = g->exercise;
    listener l = {TC_BUF_INIT, TC_BUF_INIT};
    tc_options o = g->o->session;
    o.json = true;
    o.terminal = o.view = false;
    o.seed = g->seed % 1000000007;
    v->tests =
        TC_NEWN(v->arena, tc_test, e->nvariants + e->nsame + e->nrules + 8);
    tc_session *s = tc_session_new(&o, keep_diag, keep_output, &l);
    clock_watch w = {.session = s,
                     .lock = PTHREAD_MUTEX_INITIALIZER,
                     .ended = PTHREAD_COND_INITIALIZER};
    clock_gettime(CLOCK_REALTIME, &w.until);
    w.until.tv_sec += (time_t)(g->limit_s > 0 ? g->limit_s : 86400);
    pthread_t thread;
    bool watched = s && pthread_create(&thread, NULL, watch, &w) == 0;
    if (!watched) {
        tc_grading_stop(g, test(g, "grading", 0), "there is no room");
    } else if (tc_session_load(s, g->o->path) != TC_OK) {
        v->refused = tc_strdup(v->arena, tc_buf_text(&l.said));
        v->status = TC_REJECTED;
        tc_diags d = {g->diag, g->user, 0};
        tc_error(&d, TC_NOWHERE, NULL, "%s", v->refused);
    } else {
        judge_program(g, s, &l, &w);
        g->built = true;
    }
    if (watched) {
        pthread_mutex_lock(&w.lock);
        w.over = true;
        pthread_cond_signal(&w.ended);
        pthread_mutex_unlock(&w.lock);
        pthread_join(thread, NULL);
    }
    add_hints(g);
    tc_session_free(s);
    tc_buf_free(&l.output);
    tc_buf_free(&l.said);
}
