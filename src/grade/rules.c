/* rules.c - how a result was computed: the rules of structure, held to what was
 * executed, and speed, as a fraction of a copy. */
#include "grade/grading.h"

#include <string.h>

int tc_grading_nrules(const tc_exercise *e) {
    return e->nrules + e->speed.npoints;
}

static void put_number(tc_buf *b, double v, const char *unit) {
    tc_buf_printf(
        b, "%.15g %s",
        v < 100 ? (double)(int64_t)(v * 100) / 100 : (double)(int64_t)v, unit);
}

void tc_grading_rule(tc_grading *g, const tc_case *c, const tc_rule *r,
                     const json_t *report, tc_test *t) {
    tc_buf b = TC_BUF_INIT;
    double v = tc_measure_of(r->measure, c, report);
    double least = r->least ? tc_case_bound(c, r->least) : 0;
    double most = r->most ? tc_case_bound(c, r->most) : 0;
    bool few = r->least && v < least, many = r->most && v > most;
    t->status = few || many ? TC_TEST_FAILED : TC_TEST_PASSED;
    t->reason = few || many ? TC_REASON_RULE : TC_REASON_NONE;
    if (few || many) {
        tc_buf_printf(&b, "%s: ", r->measure->name);
        put_number(&b, v, r->measure->unit);
        tc_buf_printf(&b, " %s; at %s ", r->measure->about,
                      few ? "least" : "most");
        put_number(&b, few ? least : most, r->measure->unit);
        tc_buf_printf(&b, " (%s) %s wanted", few ? r->least_text : r->most_text,
                      few ? "are" : "were");
    }
    t->message = tc_buf_finish(&b, g->verdict->arena);
    t->hint = few || many ? r->hint : NULL;
}

/* Of n tests none can be judged. */
static void skip(tc_test *tests, int n, tc_test_status status,
                 const char *why) {
    for (int i = 0; i < n; i++) {
        tests[i].status = status;
        tests[i].reason = TC_REASON_NOT_JUDGED;
        tests[i].message = why;
    }
}

/* Makes the case and runs it. False: it did not come to its end rightly, and t
 * tells why. */
static bool run(tc_grading *g, tc_session *s, tc_case_kind kind, int number,
                tc_case *c, tc_arena *a, tc_test *t, json_t **report) {
    const char *why = "";
    *report = NULL;
    *t = (tc_test){.name = ""};
    if (s == NULL) {
        t->status = TC_TEST_DEFERRED;
        t->message = "there is no such backend here";
    } else if (!tc_case_make(g->exercise, kind, number, false, g->seed, a, c,
                             &why)) {
        t->status = TC_TEST_DEFERRED;
        t->message = tc_strdup(g->verdict->arena, why);
    } else {
        tc_grading_case(g, s, c, t, report);
    }
    return t->status == TC_TEST_PASSED;
}

/* ---- structure ---- */

/* Counters are the simulator's: with a GPU the test of the structure, which is
 * small, is simulated beside it. */
static void structure(tc_grading *g, int number, tc_test *tests) {
    const tc_structure *x = &g->exercise->structures[number];
    tc_arena *a = tc_arena_new();
    tc_case c = {0};
    tc_test t;
    json_t *report;
    if (run(g, tc_grading_session(g, TC_BACKEND_SIM), TC_CASE_STRUCTURE, number,
            &c, a, &t, &report)) {
        for (int i = 0; i < x->nrules; i++) {
            tc_grading_rule(g, &c, &g->exercise->rules[x->first + i], report,
                            &tests[i]);
        }
    } else {
        skip(tests, x->nrules, t.status, t.message);
    }
    json_decref(report);
    tc_case_end(&c);
    tc_arena_free(a);
}

/* ---- speed ---- */

/* What the kernels of a call took: milliseconds on a GPU, else cycles. */
static double taken(const tc_task_call *call, const json_t *report, bool gpu) {
    const json_t *kernels = json_object_get(report, "kernels");
    double all = 0;
    for (uint64_t i = 0; i < call->launches; i++) {
        const json_t *k = json_array_get(kernels, call->first_launch + i);
        all += json_number_value(json_object_get(k, gpu ? "gpu_ms" : "cycles"));
    }
    return all;
}

/* Of the calls after the first, which warms up, the middle one; of one, that. */
static double middle(const tc_case *c, const json_t *report, bool gpu) {
    double v[8];
    int n = 0;
    for (int i = c->task.ncalls > 1; i < c->task.ncalls && n < 8; i++) {
        double x = taken(&c->task.calls[i], report, gpu);
        int at = n++;
        for (; at > 0 && v[at - 1] > x; at--) {
            v[at] = v[at - 1];
        }
        v[at] = x;
    }
    return n > 0 ? v[n / 2] : 0;
}

static void judge_speed(tc_grading *g, const tc_case *c, const json_t *report,
                        bool gpu, tc_test *tests) {
    tc_arena *a = g->verdict->arena;
    const tc_speed *s = &g->exercise->speed;
    double copy = gpu ? c->task.copy.ms : (double)c->task.copy.cycles;
    double took = middle(c, report, gpu);
    double part = took > 0 ? copy / took : 0;
    const char *says = tc_format(
        a,
        gpu ? "it takes %.4g ms and a copy of as many bytes %.4g ms on this "
              "GPU (%s): %.3f of a copy's speed"
            : "it takes %.0f cycles and a copy of as many bytes %.0f in the "
              "same model (%s): %.3f of a copy's speed, modelled",
        took, copy, c->name, part);
    bool said = false;
    for (int i = 0; i < s->npoints; i++) {
        const tc_speed_point *p = &s->points[i];
        bool fast = part >= (gpu ? p->least : p->modelled);
        tests[i].name =
            tc_format(a, "%s: %.3f is reached", tests[i].name, part);
        tests[i].status = fast ? TC_TEST_PASSED : TC_TEST_FAILED;
        tests[i].reason = fast ? TC_REASON_NONE : TC_REASON_RULE;
        tests[i].message = fast || !said ? says : NULL;
        tests[i].hint = fast || said ? NULL : s->hint;
        said |= !fast;
    }
}

static void speed(tc_grading *g, tc_test *tests) {
    const tc_speed *s = &g->exercise->speed;
    bool gpu = s->gpu.there && g->o->session.backend != TC_BACKEND_SIM;
    tc_arena *a = tc_arena_new();
    tc_case c = {0};
    tc_test t;
    json_t *report;
    if (run(g, tc_grading_session(g, gpu ? TC_BACKEND_GPU : TC_BACKEND_SIM),
            gpu ? TC_CASE_SPEED_GPU : TC_CASE_SPEED, 0, &c, a, &t, &report)) {
        judge_speed(g, &c, report, gpu, tests);
    } else {
        skip(tests, s->npoints, t.status, t.message);
    }
    json_decref(report);
    tc_case_end(&c);
    tc_arena_free(a);
}

/* ---- all ---- */

static void name_rules(tc_grading *g, tc_test *rules) {
    const tc_exercise *e = g->exercise;
    tc_arena *a = g->verdict->arena;
    bool gpu = e->speed.gpu.there && g->o->session.backend != TC_BACKEND_SIM;
    for (int i = 0; i < e->nrules; i++) {
        const tc_rule *r = &e->rules[i];
        rules[i].name =
            tc_format(a, "%s%s", r->says ? r->says : r->measure->name,
                      g->o->session.backend == TC_BACKEND_SIM
                          ? ""
                          : ", simulated"); /* a GPU counts none of it */
        rules[i].rule = r->measure->name;
        rules[i].points = r->points;
    }
    for (int i = 0; i < e->speed.npoints; i++) {
        const tc_speed_point *p = &e->speed.points[i];
        tc_test *t = &rules[e->nrules + i];
        t->name =
            tc_format(a, "speed: at least %g of a copy's%s",
                      gpu ? p->least : p->modelled, gpu ? "" : ", modelled");
        t->rule = "speed";
        t->points = p->points;
    }
}

void tc_grading_rules(tc_grading *g, tc_test *rules) {
    const tc_exercise *e = g->exercise;
    bool right = true;
    name_rules(g, rules);
    for (int i = 0; i < e->ntests; i++) {
        tc_test_status s = g->verdict->tests[i].status;
        right &= s == TC_TEST_PASSED || s == TC_TEST_DEFERRED;
    }
    if (g->verdict->error) {
        skip(rules, tc_grading_nrules(e), TC_TEST_ERROR, g->verdict->error);
        return;
    }
    if (!right) {
        skip(rules, tc_grading_nrules(e), TC_TEST_FAILED,
             "how it is done counts when all results are right");
        return;
    }
    bool enough = false;
    skip(rules, tc_grading_nrules(e), TC_TEST_ERROR, "not run");
    for (int i = 0; i < e->nstructures && !enough && !tc_grading_interrupted(g);
         i++) {
        const tc_structure *s = &e->structures[i];
        structure(g, i, &rules[s->first]);
        for (int k = 0; k < s->nrules; k++) {
            enough |= tc_grading_enough(g, &rules[s->first + k]);
        }
    }
    if (!enough && e->speed.npoints > 0 && !tc_grading_interrupted(g)) {
        speed(g, &rules[e->nrules]);
    }
}
