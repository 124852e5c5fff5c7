/* rules.c - reads how an exercise wants a result to be computed: the rules
 * of `structure`, the fractions of `speed`. */
#include "grade/yml/read.h"

#include <string.h>

/* ---- rules ---- */

static const tc_measure *measure(tc_reading *r, const tc_node *n) {
    const char *names[TC_EXERCISE_LIST];
    const tc_node *v = tc_yaml_get(&r->y, n, "measure");
    const char *s = v ? tc_yaml_text(&r->y, v) : NULL;
    for (int i = 0; s && i < tc_nmeasures; i++) {
        names[i] = tc_measures[i].name;
        if (strcmp(s, names[i]) == 0) {
            return &tc_measures[i];
        }
    }
    tc_yaml_error(&r->y, v ? v : n, 0,
                  s ? tc_diag_nearest(s, names, tc_nmeasures) : NULL,
                  "there is no measure '%s'", s ? s : "");
    return &tc_measures[0];
}

static void read_rule(tc_reading *r, const tc_node *n, tc_rule *x) {
    static const char *const keys[] = {"measure", "least", "most", "points",
                                       "says",    "hint",  NULL};
    if (!tc_yaml_keys(&r->y, n, keys)) {
        return;
    }
    *x = (tc_rule){.measure = measure(r, n),
                   .least =
                       tc_read_expression(r, tc_yaml_get(&r->y, n, "least")),
                   .most = tc_read_expression(r, tc_yaml_get(&r->y, n, "most")),
                   .least_text = tc_read_text(r, n, "least", NULL),
                   .most_text = tc_read_text(r, n, "most", NULL),
                   .says = tc_read_text(r, n, "says", NULL),
                   .hint = tc_read_text(r, n, "hint", NULL),
                   .points = (int)tc_read_number(r, n, "points", 1)};
    if (!tc_reading_failed(r) && !x->least && !x->most) {
        tc_yaml_error(&r->y, n, 0, "least: 1", "a rule has a bound");
    }
}

/* One of `structure`: a test of its own, and rules. */
static void read_structure(tc_reading *r, const tc_node *n, tc_structure *s) {
    static const char *const keys[] = {"test", "rules", NULL};
    tc_exercise *e = r->e;
    const tc_node *test, *rules, *x;
    if (!tc_yaml_keys(&r->y, n, keys)) {
        return;
    }
    test = tc_yaml_get(&r->y, n, "test");
    rules = tc_yaml_get(&r->y, n, "rules");
    if (!e->tirx && test == NULL) {
        tc_yaml_error(&r->y, n, 0, "test: {n: 20000, in: random}",
                      "structure needs a test that is counted");
        return;
    }
    if (test != NULL) {
        tc_read_test(r, test, &s->test);
    }
    s->first = e->nrules;
    for (int i = 0; (x = tc_yaml_item(&r->y, rules, i)) != NULL &&
                    e->nrules < TC_EXERCISE_LIST && !tc_reading_failed(r);
         i++) {
        read_rule(r, x, &e->rules[e->nrules++]);
        s->timed |= e->rules[e->nrules - 1].measure &&
                    e->rules[e->nrules - 1].measure->timed;
    }
    s->nrules = e->nrules - s->first;
    if (s->nrules == 0 && !tc_reading_failed(r)) {
        tc_yaml_error(&r->y, n, 0, NULL, "structure has no rules");
    }
}

/* One, or a list of them. */
void tc_read_rules(tc_reading *r, const tc_node *root) {
    tc_exercise *e = r->e;
    const tc_node *s = tc_yaml_get(&r->y, root, "structure"), *n;
    e->rules = TC_NEWN(r->a, tc_rule, TC_EXERCISE_LIST);
    e->structures = TC_NEWN(r->a, tc_structure, TC_EXERCISE_LIST);
    if (s == NULL || tc_reading_failed(r)) {
        return;
    }
    if (s->type != YAML_SEQUENCE_NODE) {
        read_structure(r, s, &e->structures[e->nstructures++]);
        return;
    }
    for (int i = 0; (n = tc_yaml_item(&r->y, s, i)) != NULL &&
                    i < TC_EXERCISE_LIST && !tc_reading_failed(r);
         i++) {
        read_structure(r, n, &e->structures[e->nstructures++]);
    }
}

/* ---- speed ---- */

static void read_point(tc_reading *r, const tc_node *n, tc_speed_point *p) {
    static const char *const keys[] = {"least", "modelled", "points", NULL};
    if (!tc_yaml_keys(&r->y, n, keys)) {
        return;
    }
    p->least = tc_read_number(r, n, "least", 0);
    p->modelled = tc_read_number(r, n, "modelled", p->least);
    p->points = (int)tc_read_number(r, n, "points", 1);
    if (!tc_reading_failed(r) && (p->least <= 0 || p->modelled <= 0)) {
        tc_yaml_error(&r->y, n, 0, "{least: 0.8, points: 2}",
                      "a fraction of a copy's speed is wanted");
    }
}

void tc_read_speed(tc_reading *r, const tc_node *root) {
    static const char *const keys[] = {"test",   "gpu",  "bytes",
                                       "points", "hint", NULL};
    tc_speed *s = &r->e->speed;
    const tc_node *n = tc_yaml_get(&r->y, root, "speed"), *x, *list;
    if (n == NULL || tc_reading_failed(r) || !tc_yaml_keys(&r->y, n, keys)) {
        return;
    }
    const tc_node *test = tc_yaml_get(&r->y, n, "test");
    const tc_node *gpu = tc_yaml_get(&r->y, n, "gpu");
    const tc_node *bytes = tc_yaml_get(&r->y, n, "bytes");
    list = tc_yaml_get(&r->y, n, "points");
    if (test == NULL || bytes == NULL || list == NULL) {
        tc_yaml_error(&r->y, n, 0, NULL, "speed needs %s",
                      test == NULL    ? "a test: test: {n: 100000, in: random}"
                      : bytes == NULL ? "the bytes that have to be moved: "
                                        "bytes: 2 * 4 * n"
                                      : "points: - {least: 0.8, points: 2}");
        return;
    }
    tc_read_test(r, test, &s->test);
    if (gpu != NULL && !tc_reading_failed(r)) {
        tc_read_test(r, gpu, &s->gpu);
    }
    s->bytes = tc_read_expression(r, bytes);
    s->hint = tc_read_text(r, n, "hint", NULL);
    for (int i = 0; (x = tc_yaml_item(&r->y, list, i)) != NULL && i < 8 &&
                    !tc_reading_failed(r);
         i++) {
        read_point(r, x, &s->points[s->npoints++]);
    }
}
