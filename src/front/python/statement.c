/* statement.c - statements outside of kernels, as Python runs them. */
#include "base/cancel.h"
#include "front/python.h"

#include <string.h>

/* --- assignments ------------------------------------------------------- */

static bool unpack(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                   tc_span at) {
    const tc_value *items;
    int n = target->items.n, have, star = -1;
    for (int i = 0; i < n; i++) {
        star = target->items.items[i]->kind == TC_N_STAR ? i : star;
    }
    if (v->kind == TC_V_FOREIGN) {
        for (int i = 0; i < n; i++) {
            const tc_node *t = target->items.items[i];
            if (!tc_python_bind(e, i == star ? t->a : t, v, at)) {
                return false;
            }
        }
        return true;
    }
    if (!tc_value_is_sequence(v)) {
        return tc_front_fail(e, at, NULL, "%s cannot be unpacked into %d names",
                             tc_value_kind_text(v), n);
    }
    items = v->items;
    have = v->nitems;
    if (star < 0 ? have != n : have < n - 1) {
        return tc_front_fail(e, at, NULL, "%d values for %d names", have, n);
    }
    for (int i = 0, from = 0; i < n; i++) {
        const tc_node *t = target->items.items[i];
        int take = i == star ? have - n + 1 : 1;
        tc_value rest = tc_value_items(TC_V_LIST, items + from, take);
        if (!tc_python_bind(e, i == star ? t->a : t,
                            i == star ? &rest : &items[from], at)) {
            return false;
        }
        from += take;
    }
    return true;
}

/* base[index] = v of a list or a dict: a changed copy gets its place. */
static bool store_item(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                       tc_span at) {
    tc_value base, index;
    if (!tc_eval_node(e, target->a, &base)) {
        return false;
    }
    if (base.kind == TC_V_FOREIGN) {
        tc_python_passed(e, target->span, base.s);
        return true;
    }
    if ((base.kind != TC_V_LIST && base.kind != TC_V_DICT) ||
        target->items.n != 1) {
        return tc_front_fail(e, target->span, NULL,
                             "only names can be assigned to here");
    }
    if (!tc_eval_node(e, target->items.items[0], &index)) {
        return false;
    }
    bool dict = base.kind == TC_V_DICT;
    int n = base.nitems, place = n;
    tc_value *items = TC_NEWN(e->arena, tc_value, n + 2);
    if (n > 0) {
        memcpy(items, base.items, sizeof *items * (size_t)n);
    }
    for (int i = 0; dict && i < n; i += 2) {
        int budget = 1000;
        place = tc_value_equal(&items[i], &index, &budget) ? i : place;
    }
    if (!dict) {
        int64_t i;
        if (!tc_want_int(e, &index, at, "the index", &i) || i < -n || i >= n) {
            return tc_front_fail(e, at, NULL, "there is no such element");
        }
        items[i < 0 ? i + n : i] = *v;
    } else {
        items[place] = index;
        items[place + 1] = *v;
        n += place == n ? 2 : 0;
    }
    tc_value changed = tc_value_items(base.kind, items, n);
    return tc_python_bind(e, target->a, &changed, at);
}

static bool store_attr(tc_eval_ctx *e, const tc_node *target,
                       const tc_value *v) {
    tc_value base;
    if (!tc_eval_node(e, target->a, &base)) {
        return false;
    }
    if (base.kind == TC_V_CLASS && base.python->scope != NULL) {
        tc_env_set(base.python->scope, target->s, v);
        return true;
    }
    if (base.kind == TC_V_FOREIGN) {
        tc_python_passed(e, target->span, base.s);
        return true;
    }
    return tc_front_fail(e, target->span, NULL,
                         "only names can be assigned to here");
}

bool tc_python_bind(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                    tc_span at) {
    switch (target->kind) {
    case TC_N_NAME:
        tc_env_set(e->env, target->s, v);
        return true;
    case TC_N_TUPLE:
    case TC_N_LIST:
        return unpack(e, target, v, at);
    case TC_N_SUBSCRIPT:
        return store_item(e, target, v, at);
    case TC_N_ATTR:
        return store_attr(e, target, v);
    default:
        return true; /* a value that no name has: nobody sees the change */
    }
}

/* a = b = value: every target gets it. */
static bool assign(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    const tc_node *value = n->b;
    while (value->kind == TC_N_ASSIGN) {
        value = value->b;
    }
    if (!tc_eval_node(e, value, &v)) {
        return false;
    }
    for (const tc_node *at = n; at->kind == TC_N_ASSIGN; at = at->b) {
        if (!tc_python_bind(e, at->a, &v, value->span)) {
            return false;
        }
    }
    return true;
}

static bool augmented(tc_eval_ctx *e, const tc_node *n) {
    tc_value a, b;
    return tc_eval_node(e, n->a, &a) && tc_eval_node(e, n->b, &b) &&
           tc_arith_binary(e, n->op, &a, &b, n->span, &a) &&
           tc_python_bind(e, n->a, &a, n->span);
}

/* --- conditions and loops ---------------------------------------------- */

void tc_python_passed(tc_eval_ctx *e, tc_span at, const char *name) {
    if (e->python->passed_name == NULL) {
        e->python->passed_name = name;
        e->python->passed = at;
    }
}

/* *known: false where a module that is not here decides. */
static bool condition(tc_eval_ctx *e, const tc_node *n, bool *truth,
                      bool *known) {
    tc_value v;
    *known = true;
    if (!tc_eval_node(e, n, &v)) {
        return false;
    }
    if (v.kind == TC_V_FOREIGN) {
        tc_python_passed(e, n->span, v.s);
        *known = false;
        return true;
    }
    return tc_truth_of(&v, truth) ||
           tc_front_fail(e, n->span, NULL, "the condition has no value yet");
}

static bool if_statement(tc_eval_ctx *e, const tc_node *n) {
    bool truth = false, known;
    if (!condition(e, n->a, &truth, &known) || !known) {
        return !known;
    }
    return tc_python_block(e, truth ? &n->body : &n->orelse, NULL, NULL);
}

/* After a round of a loop: does it go on? */
static bool next_round(tc_eval_ctx *e, bool *broken) {
    tc_py_flow flow = e->python->flow;
    *broken = flow == TC_FLOW_BREAK;
    if (flow == TC_FLOW_BREAK || flow == TC_FLOW_CONTINUE) {
        e->python->flow = TC_FLOW_ON;
    }
    return flow == TC_FLOW_ON || flow == TC_FLOW_CONTINUE;
}

static bool for_statement(tc_eval_ctx *e, const tc_node *n) {
    tc_value over;
    const tc_value *items;
    int count;
    bool broken = false;
    if (!tc_eval_node(e, n->b, &over)) {
        return false;
    }
    if (over.kind == TC_V_FOREIGN) {
        tc_python_passed(e, n->span, over.s);
        return true;
    }
    if (!tc_iterate(e, &over, n->b->span, &items, &count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!tc_python_bind(e, n->a, &items[i], n->b->span) ||
            !tc_python_block(e, &n->body, NULL, NULL)) {
            return false;
        }
        if (!next_round(e, &broken)) {
            return true;
        }
    }
    return tc_python_block(e, &n->orelse, NULL, NULL);
}

static bool while_statement(tc_eval_ctx *e, const tc_node *n) {
    bool truth = false, known, broken = false;
    for (;;) {
        if (!condition(e, n->a, &truth, &known) || !known) {
            return !known;
        }
        if (!truth) {
            return tc_python_block(e, &n->orelse, NULL, NULL);
        }
        if (!tc_python_block(e, &n->body, NULL, NULL)) {
            return false;
        }
        if (!next_round(e, &broken)) {
            return true;
        }
    }
}

/* --- with, try --------------------------------------------------------- */

/* Runs statements of which a failure is expected; true if there was none. */
static bool quietly(tc_eval_ctx *e, const tc_node_list *stmts) {
    tc_diags quiet = {0}, *loud = e->front->diags;
    e->front->diags = &quiet;
    bool ok = tc_python_block(e, stmts, NULL, NULL);
    e->front->diags = loud;
    return ok;
}

static bool with_statement(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    if (!tc_eval_node(e, n->a, &v) ||
        (n->b != NULL && !tc_python_bind(e, n->b, &v, n->a->span))) {
        return false;
    }
    if (v.kind == TC_V_FOREIGN && strcmp(v.s, "pytest.raises()") == 0) {
        return quietly(e, &n->body) || !tc_cancelled();
    }
    return tc_python_block(e, &n->body, NULL, NULL);
}

/* The first handler is taken, whatever it names: what failed has no class. */
static bool try_statement(tc_eval_ctx *e, const tc_node *n) {
    bool ok;
    if (n->items.n == 0) {
        ok = tc_python_block(e, &n->body, NULL, NULL);
    } else {
        ok = quietly(e, &n->body);
        if (!ok && !tc_cancelled()) {
            const tc_node *h = n->items.items[0];
            tc_value why = tc_value_foreign(e, "exception", "");
            if (h->s != NULL) {
                tc_env_set(e->env, h->s, &why);
            }
            ok = tc_python_block(e, &h->body, NULL, NULL);
        } else if (ok && e->python->flow == TC_FLOW_ON) {
            ok = tc_python_block(e, &n->orelse, NULL, NULL);
        }
    }
    if (ok && n->b != NULL) {
        tc_py_flow flow = e->python->flow;
        e->python->flow = TC_FLOW_ON;
        ok = tc_python_block(e, &n->b->body, NULL, NULL);
        if (e->python->flow == TC_FLOW_ON) {
            e->python->flow = flow;
        }
    }
    return ok;
}

/* --- the others -------------------------------------------------------- */

static bool check_assert(tc_eval_ctx *e, const tc_node *n) {
    bool truth = false, known;
    if (!condition(e, n->a, &truth, &known)) {
        return false;
    }
    return !known || truth ||
           tc_front_fail(e, n->span, NULL, "the assertion does not hold");
}

/* raise ValueError("text") fails with the text. */
static bool raise(tc_eval_ctx *e, const tc_node *n) {
    tc_value v = tc_value_none();
    const tc_node *what = n->a;
    const char *name = "an exception";
    tc_buf text = TC_BUF_INIT;
    if (what != NULL && what->kind == TC_N_CALL) {
        if (what->items.n > 0 && !tc_eval_node(e, what->items.items[0], &v)) {
            return false;
        }
        what = what->a;
    }
    if (what != NULL && (what->kind == TC_N_NAME || what->kind == TC_N_ATTR)) {
        name = what->s;
    }
    if (v.kind == TC_V_STRING) {
        tc_buf_puts(&text, v.s);
    } else if (v.kind != TC_V_NONE) {
        tc_value_print(&text, &v);
    }
    tc_front_fail(e, n->span, NULL, "the program raises %s%s%s", name,
                  text.len > 0 ? ": " : "", tc_buf_text(&text));
    tc_buf_free(&text);
    return false;
}

static bool return_statement(tc_eval_ctx *e, const tc_node *n) {
    if (e->env == e->globals) {
        return tc_front_fail(e, n->span, NULL, "'return' outside a function");
    }
    e->python->result = tc_value_none();
    if (n->a != NULL && !tc_eval_node(e, n->a, &e->python->result)) {
        return false;
    }
    e->python->flow = TC_FLOW_RETURN;
    return true;
}

static bool definition(tc_eval_ctx *e, const tc_node *n) {
    bool failed;
    if (n->kind == TC_N_DEF && tc_is_prim_func(e, n, &failed)) {
        return tc_define_prim_func(e, n);
    }
    return (n->kind == TC_N_DEF && failed) ? false : tc_python_define(e, n);
}

static bool expression(tc_eval_ctx *e, const tc_node *n, tc_value *last,
                       bool *has_value) {
    tc_value v;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    if (v.kind == TC_V_FOREIGN) { /* Python would do something here */
        tc_python_passed(e, n->span, v.s);
    }
    *last = v;
    *has_value = v.kind != TC_V_FOREIGN;
    return true;
}

static bool statement(tc_eval_ctx *e, const tc_node *n, tc_value *last,
                      bool *has_value) {
    tc_value v;
    *has_value = false;
    switch (n->kind) {
    case TC_N_EXPR:
        return expression(e, n, last, has_value);
    case TC_N_ASSIGN:
        return assign(e, n);
    case TC_N_AUGASSIGN:
        return augmented(e, n);
    case TC_N_ANNASSIGN:
        return n->c == NULL || (tc_eval_node(e, n->c, &v) &&
                                tc_python_bind(e, n->a, &v, n->span));
    case TC_N_DEF:
    case TC_N_CLASS:
        return definition(e, n);
    case TC_N_IMPORT:
    case TC_N_IMPORTFROM:
        return tc_front_import(e, n);
    case TC_N_PASS:
    case TC_N_DELETE:
        return true;
    case TC_N_ASSERT:
        return check_assert(e, n);
    case TC_N_IF:
        return if_statement(e, n);
    case TC_N_FOR:
        return for_statement(e, n);
    case TC_N_WHILE:
        return while_statement(e, n);
    case TC_N_WITH:
        return with_statement(e, n);
    case TC_N_TRY:
        return try_statement(e, n);
    case TC_N_RAISE:
        return raise(e, n);
    case TC_N_RETURN:
        return return_statement(e, n);
    case TC_N_BREAK:
    case TC_N_CONTINUE:
        e->python->flow =
            n->kind == TC_N_BREAK ? TC_FLOW_BREAK : TC_FLOW_CONTINUE;
        return true;
    case TC_N_GLOBAL:
        return tc_front_fail(e, n->span, "return the value instead",
                             "'%s' is not built yet",
                             n->i ? "nonlocal" : "global");
    default:
        return tc_front_fail(e, n->span, NULL, "this cannot stand here");
    }
}

/* So that no program runs for ever. */
static bool may_step(tc_eval_ctx *e, tc_span at) {
    int64_t most = e->python->after ? TC_MAX_STEPS_AFTER : TC_MAX_STEPS;
    return ++e->python->steps <= most ||
           tc_front_fail(e, at, NULL, "%lld statements, and no kernel is made",
                         (long long)most);
}

bool tc_python_block(tc_eval_ctx *e, const tc_node_list *stmts, tc_value *last,
                     bool *has_value) {
    tc_value v = tc_value_none();
    bool given = false;
    for (int i = 0; i < stmts->n; i++) {
        const tc_node *n = stmts->items[i];
        if (!may_step(e, n->span) || !statement(e, n, &v, &given)) {
            return false;
        }
        if (e->python->flow != TC_FLOW_ON) {
            break;
        }
    }
    if (last != NULL) {
        *last = v;
        *has_value = given;
    }
    return true;
}
