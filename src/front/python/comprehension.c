/* comprehension.c - comprehensions, f-strings, and what a for goes over. */
#include "front/python.h"

#include <stdio.h>
#include <string.h>

bool tc_iterate(tc_eval_ctx *e, const tc_value *v, tc_span at,
                const tc_value **items, int *n) {
    tc_value *made;
    *items = v->items;
    *n = v->nitems;
    if (tc_value_is_sequence(v)) {
        return true;
    }
    if (v->kind == TC_V_DICT) {
        *n = v->nitems / 2;
        made = TC_NEWN(e->arena, tc_value, *n + 1);
        for (int i = 0; i < *n; i++) {
            made[i] = v->items[2 * i];
        }
        *items = made;
        return true;
    }
    if (v->kind == TC_V_STRING) {
        *n = (int)strlen(v->s);
        made = TC_NEWN(e->arena, tc_value, *n + 1);
        for (int i = 0; i < *n; i++) {
            made[i] = tc_value_string(tc_strndup(e->arena, v->s + i, 1));
        }
        *items = made;
        return true;
    }
    return tc_front_fail(e, at, NULL, "%s cannot be gone over",
                         tc_value_kind_text(v));
}

/* --- comprehensions ---------------------------------------------------- */

typedef struct comprehended {
    const tc_node *n;
    tc_value *items;
    int count, cap;
    const char *foreign; /* one of its ranges is of a module that is not here */
} comprehended;

static bool element(tc_eval_ctx *e, comprehended *m) {
    tc_value v;
    if (m->count >= TC_MAX_ITEMS) {
        return tc_front_fail(e, m->n->span, NULL, "more than %d items",
                             TC_MAX_ITEMS);
    }
    if (!tc_eval_node(e, m->n->a, &v)) {
        return false;
    }
    TC_PUSH(e->arena, m->items, m->count, m->cap, v);
    if (m->n->b != NULL) {
        if (!tc_eval_node(e, m->n->b, &v)) {
            return false;
        }
        TC_PUSH(e->arena, m->items, m->count, m->cap, v);
    }
    return true;
}

static bool passes(tc_eval_ctx *e, const tc_node *clause, bool *yes) {
    *yes = true;
    for (int i = 0; *yes && i < clause->orelse.n; i++) {
        tc_value v;
        if (!tc_eval_node(e, clause->orelse.items[i], &v)) {
            return false;
        }
        if (!tc_truth_of(&v, yes)) {
            return tc_front_fail(e, clause->orelse.items[i]->span, NULL,
                                 "the condition has no value yet");
        }
    }
    return true;
}

static bool clause(tc_eval_ctx *e, comprehended *m, int at) {
    if (at == m->n->items.n) {
        return element(e, m);
    }
    const tc_node *c = m->n->items.items[at];
    const tc_value *items;
    tc_value over;
    int n;
    if (!tc_eval_node(e, c->b, &over)) {
        return false;
    }
    if (over.kind == TC_V_FOREIGN) {
        m->foreign = over.s;
        return true;
    }
    if (!tc_iterate(e, &over, c->b->span, &items, &n)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        bool yes;
        if (!tc_python_bind(e, c->a, &items[i], c->b->span) ||
            !passes(e, c, &yes) || (yes && !clause(e, m, at + 1))) {
            return false;
        }
    }
    return true;
}

bool tc_comprehension(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    comprehended m = {.n = n};
    tc_env *outer = e->env;
    e->env = tc_env_child(e->arena, outer);
    bool ok = clause(e, &m, 0);
    e->env = outer;
    *out = m.foreign != NULL
               ? tc_value_foreign(e, m.foreign, "")
               : tc_value_items(n->b != NULL ? TC_V_DICT : TC_V_LIST, m.items,
                                m.count);
    return ok;
}

/* --- f-strings --------------------------------------------------------- */

/* An integer as its format says: d, x, X, b, o, with fill and width. */
static bool number_text(tc_buf *b, const tc_value *v, const char *spec) {
    char form[32], end = spec[0] != '\0' ? spec[strlen(spec) - 1] : 'd';
    bool alternate = spec[0] == '#';
    spec += alternate;
    int width = 0;
    bool zero = spec[0] == '0';
    if (v->kind == TC_V_FLOAT) {
        if (strlen(spec) > 8 ||
            strspn(spec, "0123456789.+fge") != strlen(spec)) {
            return false;
        }
        snprintf(form, sizeof form, "%%%s%s", spec,
                 strpbrk(spec, "fge") != NULL ? "" : "g");
        char text[64]; /* checked above */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, form, v->f);
#pragma GCC diagnostic pop
        tc_buf_puts(b, text);
        return true;
    }
    if (sscanf(spec, "%3d", &width) == EOF) {
        width = 0;
    }
    size_t digits = strspn(spec, "0123456789");
    bool known =
        spec[digits] == '\0' || (strchr("dxX", spec[digits]) != NULL &&
                                 spec[digits + 1] == '\0' && digits < 4);
    if (!known) {
        return false;
    }
    const char *sign = alternate && (end == 'x' || end == 'X') ? "0x" : "";
    long long i = (long long)v->i;
    width -= sign[0] != '\0' && width > 2 ? 2 : 0; /* it counts the sign */
    if (end == 'x' && zero) {
        tc_buf_printf(b, "%s%0*llx", sign, width, (unsigned long long)i);
    } else if (end == 'x') {
        tc_buf_printf(b, "%s%*llx", sign, width, (unsigned long long)i);
    } else if (end == 'X') {
        tc_buf_printf(b, "%s%0*llX", sign, width, (unsigned long long)i);
    } else if (zero) {
        tc_buf_printf(b, "%0*lld", width, i);
    } else {
        tc_buf_printf(b, "%*lld", width, i);
    }
    return true;
}

static bool field(tc_eval_ctx *e, const tc_node *n, tc_buf *b) {
    tc_value v;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    bool plain = v.kind == TC_V_STRING && n->i != 'r' && n->s2 == NULL;
    if (n->s2 != NULL) {
        tc_buf_puts(b, n->s2);
    }
    if (n->s != NULL && (v.kind == TC_V_INT || v.kind == TC_V_FLOAT) &&
        n->s[0] != '\0') {
        return number_text(b, &v, n->s) ||
               tc_front_fail(e, n->span, NULL, "the format '%s' is not built",
                             n->s);
    }
    if (plain) {
        tc_buf_puts(b, v.s);
    } else {
        tc_value_print(b, &v);
    }
    return true;
}

bool tc_fstring(tc_eval_ctx *e, const tc_node *n, tc_value *out) {
    tc_buf b = TC_BUF_INIT;
    bool ok = true;
    for (int i = 0; ok && i < n->items.n; i++) {
        const tc_node *part = n->items.items[i];
        if (part->kind == TC_N_STRING) {
            tc_buf_puts(&b, part->s);
        } else {
            ok = field(e, part, &b);
        }
        if (ok && b.len > TC_MAX_ITEMS) {
            ok = tc_front_fail(e, n->span, NULL, "a text of more than %d bytes",
                               TC_MAX_ITEMS);
        }
    }
    *out = tc_value_string(tc_buf_finish(&b, e->arena));
    return ok;
}
