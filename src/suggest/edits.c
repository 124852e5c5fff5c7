/* edits.c - the table of edits, and lists of them. */
#include "suggest/internal.h"

#include <stdarg.h>
#include <string.h>

typedef struct edit_row {
    tc_edit_fn *fn;
    const char *values, *serves, *what;
} edit_row;

static const edit_row rows[TC_EDIT_COUNT] = {
#define TC_EDIT(id, values, serves, what)                                      \
    [TC_EDIT_##id] = {tc_edits_##id, values, serves, what},
#include "suggest/edits.def"
};

tc_edit *tc_edit_new(tc_editor *e, tc_edit_kind kind, const char *site,
                     const char *value, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    tc_edit x = {.kind = kind,
                 .site = site,
                 .value = value,
                 .summary = tc_vformat(e->a, fmt, ap)};
    va_end(ap);
    TC_PUSH(e->a, e->out->items, e->out->n, e->out->cap, x);
    return &e->out->items[e->out->n - 1];
}

void tc_edit_patch(tc_editor *e, tc_edit *x, uint32_t begin, uint32_t end,
                   const char *text) {
    tc_patch p = {begin, end, text};
    TC_PUSH(e->a, x->patches, x->n, x->cap, p);
}

const char *tc_edit_value(tc_arena *a, const char **values) {
    const char *p = *values + strspn(*values, " ");
    size_t n = strcspn(p, " ");
    *values = p + n;
    return n == 0 ? NULL : tc_strndup(a, p, n);
}

bool tc_edit_same(const tc_edit *x, const tc_edit *y) {
    return x->kind == y->kind && strcmp(x->site, y->site) == 0 &&
           strcmp(x->value, y->value) == 0;
}

void tc_edits_of(tc_arena *a, const tc_trial *t, tc_variant_id goal,
                 unsigned kinds, tc_edit_list *out) {
    tc_editor e = {.a = a, .t = t, .goal = goal, .out = out};
    if (t->func == NULL || t->d == NULL || !tc_locate_copy(&e)) {
        return;
    }
    for (int i = 0; i < TC_EDIT_COUNT; i++) {
        if ((kinds >> i & 1) != 0) {
            rows[i].fn(&e, rows[i].values);
        }
    }
}

void tc_edits(tc_arena *a, const tc_trial *t, tc_variant_id goal,
              tc_edit_list *out) {
    tc_edits_of(a, t, goal, ~(1u << TC_EDIT_force), out);
}

/* A check's name begins with one of the words that a row serves. */
unsigned tc_edit_kinds_for(const char *check, bool lowering) {
    unsigned kinds = 0;
    for (int i = 0; i < TC_EDIT_COUNT; i++) {
        for (const char *p = rows[i].serves; *p != '\0';) {
            size_t n = strcspn(p, " ");
            if ((lowering && strncmp(p, "lowering", n) == 0) ||
                (!lowering && strncmp(p, check, n) == 0)) {
                kinds |= 1u << i;
            }
            p += n + strspn(p + n, " ");
        }
    }
    return kinds;
}
