/* verify.c - what printers and emitters rely on.
 *
 * A failure here is a mistake of ours, not of the learner, except for names
 * that are used outside the block that defines them. */
#include "ir/ir.h"

typedef struct verifier {
    tc_arena *scratch;
    tc_diags *diags;
    const void **slots; /* a set of defined variables and buffers */
    size_t n, cap;
    int errors;
} verifier;

static const void **slot_of(const void **slots, size_t cap, const void *key) {
    uint64_t h = ((uint64_t)(uintptr_t)key >> 4) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(h >> 20) & (cap - 1);
    while (slots[i] != NULL && slots[i] != key) {
        i = (i + 1) & (cap - 1);
    }
    return &slots[i];
}

static void define(verifier *v, const void *key) {
    if (2 * (v->n + 1) > v->cap) {
        size_t cap = v->cap > 0 ? 2 * v->cap : 64;
        const void **slots = TC_NEWN(v->scratch, const void *, cap);
        for (size_t i = 0; i < v->cap; i++) {
            if (v->slots[i] != NULL) {
                *slot_of(slots, cap, v->slots[i]) = v->slots[i];
            }
        }
        v->slots = slots;
        v->cap = cap;
    }
    const void **slot = slot_of(v->slots, v->cap, key);
    v->n += *slot == NULL;
    *slot = key;
}

static bool defined(const verifier *v, const void *key) {
    return v->cap > 0 && *slot_of(v->slots, v->cap, key) != NULL;
}

static void fail(verifier *v, tc_span span, const char *what,
                 const char *name) {
    if (v->errors++ == 0) {
        tc_error(v->diags, span, NULL, what, name != NULL ? name : "?");
    }
}

static void check_access(verifier *v, const tc_buffer *b, int n, tc_span span) {
    if (!defined(v, b)) {
        fail(v, span, "%s is used before it exists", b->name);
    }
    if (n != 1 || b->rank != 1 || b->layout != NULL) {
        fail(v, span, "internal: an access to %s is not flat", b->name);
    }
}

static void check_list(verifier *v, tc_expr *const *items, int n);

static void check_expr(verifier *v, const tc_expr *e) {
    switch (e->kind) {
    case TC_E_VAR:
        if (!defined(v, e->var)) {
            fail(v, e->span, "%s is used outside the block that defines it",
                 e->var->name);
        }
        break;
    case TC_E_UNARY:
        check_expr(v, e->un.a);
        break;
    case TC_E_BINARY:
        check_expr(v, e->bin.a);
        check_expr(v, e->bin.b);
        if (e->bin.op != TC_AND && e->bin.op != TC_OR &&
            e->bin.a->type != e->bin.b->type) {
            fail(v, e->span, "internal: operands of %s differ in type",
                 tc_dtypes[e->type].name);
        }
        break;
    case TC_E_SELECT:
        check_expr(v, e->sel.c);
        check_expr(v, e->sel.a);
        check_expr(v, e->sel.b);
        break;
    case TC_E_CAST:
        check_expr(v, e->cast.a);
        break;
    case TC_E_LOAD:
    case TC_E_ADDR:
        check_access(v, e->mem.buffer, e->mem.n, e->span);
        check_list(v, e->mem.index, e->mem.n);
        break;
    case TC_E_CALL:
        check_list(v, e->call.args, e->call.n);
        break;
    default:
        break;
    }
}

static void check_list(verifier *v, tc_expr *const *items, int n) {
    for (int i = 0; i < n; i++) {
        check_expr(v, items[i]);
    }
}

static void check_alloc(verifier *v, const tc_stmt *s) {
    const tc_buffer *b = s->buffer;
    if (b->base != NULL && !defined(v, b->base)) {
        fail(v, s->span, "%s is a view of a buffer that does not exist yet",
             b->name);
    }
    if (b->elem_offset != NULL) {
        check_expr(v, b->elem_offset);
    }
    define(v, b);
}

static void check_block(verifier *v, const tc_block *b);

static void check_stmt(verifier *v, const tc_stmt *s) {
    switch (s->kind) {
    case TC_S_EVAL:
        check_expr(v, s->value);
        break;
    case TC_S_LET:
        check_expr(v, s->value);
        define(v, s->var);
        break;
    case TC_S_STORE:
        check_access(v, s->buffer, s->nindex, s->span);
        check_list(v, s->index, s->nindex);
        check_expr(v, s->value);
        break;
    case TC_S_ALLOC:
        check_alloc(v, s);
        break;
    case TC_S_FOR:
        check_expr(v, s->begin);
        check_expr(v, s->extent);
        define(v, s->var);
        check_block(v, &s->body);
        break;
    case TC_S_WHILE:
    case TC_S_IF:
        check_expr(v, s->value);
        check_block(v, &s->body);
        check_block(v, &s->orelse);
        break;
    case TC_S_LAUNCH:
        define(v, s->var);
        break;
    case TC_S_BREAK:
    case TC_S_CONTINUE:
        break;
    case TC_S_SCOPE_ID:
    case TC_S_COPY:
        fail(v, s->span, "internal: a %s is left after lowering",
             s->kind == TC_S_COPY ? "copy" : "scope id");
        break;
    }
}

static void check_block(verifier *v, const tc_block *b) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        check_stmt(v, s);
    }
}

bool tc_ir_verify(const tc_lowered *l, tc_diags *diags) {
    verifier v = {.scratch = tc_arena_new(), .diags = diags};
    for (int i = 0; i < l->func->nparams; i++) {
        define(&v, l->func->params[i]);
    }
    for (int i = 0; i < l->nmaps; i++) {
        define(&v, l->maps[i]->var);
    }
    check_block(&v, &l->func->body);
    tc_arena_free(v.scratch);
    return v.errors == 0;
}
