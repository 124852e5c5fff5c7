/* tests.c - test functions as pytest calls them: the values that their
 * @pytest.mark.parametrize gives, the names of the calls, and the call that
 * makes the program. */
#include "base/cancel.h"
#include "front/python.h"

#include <string.h>

enum { MOST_CASES = 4096 };

/* --- finding them ------------------------------------------------------ */

static bool is_parametrize(tc_eval_ctx *e, const tc_node *decorator) {
    tc_diags quiet = {0}, *loud = e->front->diags;
    tc_value v;
    e->front->diags = &quiet;
    bool yes = decorator->kind == TC_N_CALL &&
               tc_eval_node(e, decorator->a, &v) && v.kind == TC_V_FOREIGN &&
               strcmp(v.s, "pytest.mark.parametrize") == 0;
    e->front->diags = loud;
    return yes;
}

void tc_test_note(tc_eval_ctx *e, const tc_node *def, const tc_value *function,
                  const char *class_name) {
    tc_py *py = e->python;
    tc_test_def t = {class_name, tc_value_none(), def, *function, NULL, 0};
    int cap = 0;
    if (strncmp(def->s, "test", 4) != 0 || e->front->tests == NULL) {
        return;
    }
    for (int i = def->items.n; i-- > 0;) {
        const tc_node *mark = def->items.items[i];
        if (is_parametrize(e, mark)) {
            TC_PUSH(e->arena, t.marks, t.nmarks, cap, mark);
        }
    }
    TC_PUSH(e->arena, py->tests, py->ntests, py->tests_cap, t);
}

/* --- the values of a mark ---------------------------------------------- */

/* What @pytest.mark.parametrize(names, sets) says. */
typedef struct mark {
    const char **names;
    int nnames;
    const tc_value *sets;
    int nsets;
    const tc_value *ids; /* or NULL */
    int nids;
} mark;

typedef struct cases {
    tc_eval_ctx *e;
    const tc_test_def *test;
    mark *marks;
    int *at; /* the set of each mark that is taken now */
    tc_tests *out;
    int wanted; /* the number of the case that is to be called; or -1 */
    tc_value result;
} cases;

static bool names_of(tc_eval_ctx *e, const tc_value *v, tc_span at, mark *m) {
    tc_value list = *v, comma = tc_value_string(",");
    tc_arg arg = {NULL, comma, at};
    tc_args by = {"split", at, &arg, 1, 1};
    bool known, changed;
    if (v->kind == TC_V_STRING &&
        !tc_python_method(e, &list, "split", &by, &known, &changed, &list)) {
        return false;
    }
    if (!tc_value_is_sequence(&list)) {
        return tc_front_fail(e, at, NULL, "the names are a string or a list");
    }
    m->names = TC_NEWN(e->arena, const char *, list.nitems + 1);
    for (int i = 0; i < list.nitems; i++) {
        const char *s = "";
        if (!tc_want_string(e, &list.items[i], at, "a name", &s)) {
            return false;
        }
        s += strspn(s, " ");
        m->names[m->nnames++] = tc_strndup(e->arena, s, strcspn(s, " "));
    }
    return true;
}

static bool read_mark(tc_eval_ctx *e, const tc_node *n, mark *m) {
    tc_args args = {.function = "parametrize", .span = n->span};
    const tc_arg *b[5];
    if (!tc_eval_arguments(e, n, &args) ||
        !tc_bind_args(e, &args, "argnames,argvalues,indirect,ids,scope", 2,
                      b) ||
        !names_of(e, &b[0]->value, b[0]->span, m) ||
        !tc_iterate(e, &b[1]->value, b[1]->span, &m->sets, &m->nsets)) {
        return false;
    }
    if (b[3] != NULL && tc_value_is_sequence(&b[3]->value)) {
        m->ids = b[3]->value.items;
        m->nids = b[3]->value.nitems;
    }
    return true;
}

/* The value of the k-th name in a set. */
static bool value_in(const mark *m, const tc_value *set, int k, tc_value *out) {
    bool whole = set->kind != TC_V_CASE && m->nnames == 1;
    if (whole) {
        *out = *set;
        return true;
    }
    if ((set->kind != TC_V_CASE && !tc_value_is_sequence(set)) ||
        set->nitems != m->nnames) {
        return false;
    }
    *out = set->items[k];
    return true;
}

/* --- names, as pytest makes them --------------------------------------- */

static void put_value(tc_buf *b, const char *name, int number,
                      const tc_value *v) {
    if (v->kind == TC_V_STRING) {
        tc_buf_puts(b, v->s);
    } else if (tc_value_is_number(v) || v->kind == TC_V_NONE) {
        tc_value_print(b, v);
    } else if (v->kind == TC_V_PYTHON) {
        tc_buf_puts(b, v->python->def->s);
    } else {
        tc_buf_printf(b, "%s%d", name, number);
    }
}

static void put_set(tc_buf *b, const mark *m, int number) {
    const tc_value *set = &m->sets[number];
    if (set->kind == TC_V_CASE && set->s != NULL) {
        tc_buf_puts(b, set->s);
        return;
    }
    if (number < m->nids && m->ids[number].kind == TC_V_STRING) {
        tc_buf_puts(b, m->ids[number].s);
        return;
    }
    for (int k = 0; k < m->nnames; k++) {
        tc_value v = tc_value_none();
        tc_buf_puts(b, k > 0 ? "-" : "");
        value_in(m, set, k, &v);
        put_value(b, m->names[k], number, &v);
    }
}

static const char *case_name(const cases *c) {
    tc_buf b = TC_BUF_INIT;
    if (c->test->class_name != NULL) {
        tc_buf_printf(&b, "%s::", c->test->class_name);
    }
    tc_buf_puts(&b, c->test->def->s);
    for (int i = 0; i < c->test->nmarks; i++) {
        tc_buf_puts(&b, i == 0 ? "[" : "-");
        put_set(&b, &c->marks[i], c->at[i]);
    }
    tc_buf_puts(&b, c->test->nmarks > 0 ? "]" : "");
    return tc_buf_finish(&b, c->e->arena);
}

/* --- calling one ------------------------------------------------------- */

static bool call(const cases *c) {
    tc_eval_ctx *e = c->e;
    const tc_node *def = c->test->def;
    tc_args args = {.function = def->s, .span = def->span};
    args.items = TC_NEWN(e->arena, tc_arg, def->nparams + 1);
    for (int i = 0; i < def->nparams; i++) {
        tc_arg *a = &args.items[args.n++];
        *a = (tc_arg){def->params[i].name, tc_value_none(), def->span};
        bool given = false;
        for (int m = 0; m < c->test->nmarks; m++) {
            const mark *k = &c->marks[m];
            for (int n = 0; n < k->nnames; n++) {
                if (strcmp(k->names[n], a->name) == 0) {
                    given = value_in(k, &k->sets[c->at[m]], n, &a->value);
                }
            }
        }
        if (!given && i == 0 && c->test->class_name != NULL) {
            a->value = c->test->object;
        } else if (!given && def->params[i].default_value != NULL) {
            args.n--;
        } else if (!given) { /* a fixture */
            a->value = tc_value_foreign(e, "fixture", a->name);
        }
    }
    tc_value v;
    return tc_python_call(e, &c->test->function, &args, &v);
}

/* True if the test made a kernel, or would have. */
static bool call_test(const cases *c, bool searching, bool *ok) {
    tc_py *py = c->e->python;
    tc_diags *loud = c->e->front->diags;
    py->testing = true;
    py->searching = searching;
    py->after = py->kernel_failed = false;
    py->flow = TC_FLOW_ON;
    py->steps = 0;
    if (searching) {
        c->e->front->diags = &py->quiet;
    }
    tc_func *before = py->last_func;
    *ok = call(c);
    c->e->front->diags = loud;
    bool skipped = py->flow == TC_FLOW_SKIP;
    py->flow = TC_FLOW_ON;
    py->testing = py->searching = false;
    *ok |= py->after && !py->kernel_failed && !tc_cancelled();
    return !skipped && (py->kernel_failed || py->last_func != before);
}

/* --- all of them ------------------------------------------------------- */

/* How well a name fits what is wanted: 0 not at all, 3 exactly. */
static int fit(const char *wanted, const char *name) {
    size_t n = strlen(wanted);
    if (strcmp(wanted, name) == 0) {
        return 3;
    }
    if (strncmp(wanted, name, n) != 0) {
        return 0;
    }
    return name[n] == '[' ? 2 : 1;
}

static bool next_case(cases *c) {
    for (int i = c->test->nmarks; i-- > 0;) {
        if (++c->at[i] < c->marks[i].nsets) {
            return true;
        }
        c->at[i] = 0;
    }
    return false;
}

static bool open_test(tc_eval_ctx *e, const tc_test_def *t, tc_tests *out,
                      cases *c, bool *any) {
    *c = (cases){.e = e, .test = t, .out = out};
    c->marks = TC_NEWN(e->arena, mark, t->nmarks + 1);
    c->at = TC_NEWN(e->arena, int, t->nmarks + 1);
    *any = true;
    for (int i = 0; i < t->nmarks; i++) {
        if (!read_mark(e, t->marks[i], &c->marks[i])) {
            return false;
        }
        *any &= c->marks[i].nsets > 0;
    }
    return true;
}

/* Names of all cases; the one that fits best what is wanted. */
static bool list(tc_eval_ctx *e, tc_tests *tests, int *best) {
    int fits = 0;
    *best = -1;
    for (int i = 0; i < e->python->ntests; i++) {
        cases c;
        bool any;
        if (!open_test(e, &e->python->tests[i], tests, &c, &any)) {
            return false;
        }
        for (bool first = true, more = any; more && tests->n < MOST_CASES;
             more = next_case(&c), first = false) {
            tc_test_case one = {case_name(&c), first};
            int f = tests->wanted != NULL ? fit(tests->wanted, one.name) : 0;
            if (f > fits) {
                fits = f;
                *best = tests->n;
            }
            TC_PUSH(e->arena, tests->items, tests->n, tests->cap, one);
        }
    }
    return true;
}

/* Calls cases from number `from` on, until one makes a kernel; number `from`
 * only, where failures are told. */
static bool run_from(tc_eval_ctx *e, tc_tests *tests, int from, bool search) {
    int number = 0;
    for (int i = 0; i < e->python->ntests; i++) {
        cases c;
        bool any, ok;
        if (!open_test(e, &e->python->tests[i], tests, &c, &any)) {
            return false;
        }
        for (bool more = any; more; more = next_case(&c), number++) {
            if (number < from) {
                continue;
            }
            bool made = call_test(&c, search, &ok);
            if (tc_cancelled()) {
                return tc_diag_cancelled(e->front->diags,
                                         "the tests were called");
            }
            if (made || !search) {
                tests->chosen = number;
                return ok || (search && run_from(e, tests, number, false));
            }
        }
    }
    return true;
}

bool tc_tests_run(tc_eval_ctx *e, tc_tests *tests) {
    int best;
    tests->chosen = -1;
    if (!list(e, tests, &best)) {
        return false;
    }
    if (tests->wanted != NULL && tests->wanted[0] == '\0') {
        return true;
    }
    if (tests->wanted == NULL || (tests->kept && best < 0)) {
        tests->wanted = NULL;
        return run_from(e, tests, 0, true);
    }
    tc_span at =
        e->python->ntests > 0 ? e->python->tests[0].def->span : TC_NOWHERE;
    if (best < 0) {
        return tc_front_fail(e, at, "FILE:: lists them",
                             "there is no test '%s'", tests->wanted);
    }
    if (!run_from(e, tests, best, false)) {
        return false;
    }
    const tc_py *py = e->python;
    return py->last_func != NULL ||
           tc_front_fail(e, at, NULL,
                         py->skipped != NULL ? "%s makes no kernel: %s"
                                             : "%s makes no kernel",
                         tests->items[best].name, py->skipped);
}
