/* registers.c - which of a thread's own arrays can be registers although their
 * addresses are taken.
 *
 * Copies between registers and memory (variants/reg_lower.c,
 * ldstmatrix_lower.c) reach such an array through pointers. Where each of these
 * is known when the text is printed, and only moves data, the array needs no
 * memory: the compiler of the CUDA text finds the same. */
#include "emit/facts.h"

#include <stddef.h>

/* MAX_OUTER: rounds of a loop around a copy that may be written out. */
enum { MAX_DEPTH = 1000, MAX_OUTER = 32 };

/* --- loops that are written out for it -------------------------------------*/

static bool takes_local(const tc_expr *e) {
    if (e == NULL || e->kind != TC_E_CALL ||
        e->call.op != TC_OPC_POINTER_OFFSET || e->call.n != 2) {
        return false;
    }
    const tc_expr *x = tc_memory_access_of(e->call.args[0]);
    return x != NULL && x->mem.buffer->space == TC_SPACE_LOCAL &&
           tc_buffer_elements(tc_buffer_root(x->mem.buffer)) <=
               TC_MAX_REG_ELEMENTS;
}

static bool mentions(const tc_expr *e, const tc_var *v, int depth) {
    if (depth > MAX_DEPTH) {
        return false;
    }
    switch (e->kind) {
    case TC_E_VAR:
        return e->var == v;
    case TC_E_UNARY:
        return mentions(e->un.a, v, depth + 1);
    case TC_E_BINARY:
        return mentions(e->bin.a, v, depth + 1) ||
               mentions(e->bin.b, v, depth + 1);
    default:
        return false;
    }
}

/* A pointer into a local array, which moves with v. */
static bool moves_with(const tc_expr *e, const tc_var *v) {
    const tc_expr *x = tc_memory_access_of(e);
    if (takes_local(e)) {
        return mentions(e->call.args[1], v, 0);
    }
    return x != NULL && x->mem.buffer->space == TC_SPACE_LOCAL &&
           x->mem.n == 1 && mentions(x->mem.index[0], v, 0);
}

static bool block_moves_with(const tc_block *b, const tc_var *v) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if ((s->kind == TC_S_STORE && moves_with(s->value, v)) ||
            block_moves_with(&s->body, v) || block_moves_with(&s->orelse, v)) {
            return true;
        }
    }
    return false;
}

bool tc_loop_takes_local(const tc_stmt *loop) {
    int64_t n;
    for (const tc_stmt *s = loop->body.first; s != NULL; s = s->next) {
        if (s->kind == TC_S_STORE && takes_local(s->value)) {
            return true;
        }
    }
    return tc_expr_const(loop->extent, &n) && n <= MAX_OUTER &&
           block_moves_with(&loop->body, loop->var);
}

/* --- what is known when the text is printed --------------------------------*/

typedef struct finder {
    tc_facts *f;
    int64_t copies;
} finder;

static bool known(tc_facts *f, const tc_expr *e, int depth) {
    tc_fact *fact;
    if (depth > MAX_DEPTH) {
        return false;
    }
    switch (e->kind) {
    case TC_E_INT:
        return true;
    case TC_E_VAR:
        return tc_fact_of(f, e->var)->unrolled;
    case TC_E_LOAD:
        fact = tc_fact_of(f, e->mem.buffer);
        return fact->once && fact->kept != NULL &&
               known(f, fact->kept, depth + 1);
    case TC_E_BINARY:
        return e->bin.op <= TC_MAX && e->bin.op != TC_TRUEDIV &&
               known(f, e->bin.a, depth + 1) && known(f, e->bin.b, depth + 1);
    default:
        return false;
    }
}

static tc_fact *home_of(tc_facts *f, tc_buffer *b) {
    return tc_fact_of(f, tc_buffer_root(b));
}

static void give_up(tc_facts *f, tc_buffer *b) {
    home_of(f, b)->promoted = false;
}

/* The access is at a known element, and `bytes` from there are the array's. */
static void check_access(tc_facts *f, const tc_expr *x, const tc_expr *more,
                         int64_t bytes) {
    tc_buffer *root = tc_buffer_root(x->mem.buffer);
    int64_t size = tc_dtype_bytes(root->type), end, lo, hi, lo2 = 0, hi2 = 0;
    bool ok = x->mem.n == 1 && known(f, x->mem.index[0], 0) &&
              tc_range_of(f, x->mem.index[0], &lo, &hi) && lo >= 0 &&
              hi < TC_MAX_REG_ELEMENTS;
    if (ok && more != NULL) {
        ok = known(f, more, 0) && tc_range_of(f, more, &lo2, &hi2) &&
             lo2 >= 0 && hi2 < TC_MAX_REG_ELEMENTS;
    }
    end = ok ? (hi + hi2) * size + bytes : 0;
    if (!ok || bytes % size != 0 || end > tc_buffer_elements(root) * size) {
        give_up(f, root);
    }
}

/* --- pointers --------------------------------------------------------------*/

/* The access under a pointer, with what is added to it. */
static const tc_expr *pointer_base(const tc_expr *e, const tc_expr **more) {
    *more = NULL;
    if (e->kind == TC_E_CALL && e->call.op == TC_OPC_POINTER_OFFSET &&
        e->call.n == 2) {
        *more = e->call.args[1];
        e = e->call.args[0];
    }
    return tc_memory_access_of(e);
}

static void forget(tc_facts *f, const tc_expr *e, int depth);

/* e is used to move `bytes`; a pointer that is kept in a local counts as what
 * it was set to. */
static void use_pointer(tc_facts *f, const tc_expr *e, int64_t bytes) {
    const tc_expr *more, *x;
    if (e->kind == TC_E_LOAD) {
        tc_fact *kept = tc_fact_of(f, e->mem.buffer);
        if (!kept->once || kept->kept == NULL) {
            forget(f, e, 0);
            return;
        }
        e = kept->kept;
    }
    x = pointer_base(e, &more);
    if (x == NULL) {
        forget(f, e, 0);
        return;
    }
    if (tc_buffer_root(x->mem.buffer)->space != TC_SPACE_LOCAL) {
        forget(f, e, 0);
    } else {
        check_access(f, x, more, bytes);
    }
}

static void use_pointers(tc_facts *f, const tc_expr *call) {
    int first = call->call.op == TC_OPC_PTX_LDMATRIX   ? 4
                : call->call.op == TC_OPC_PTX_STMATRIX ? 6
                                                       : 0;
    int end = first > 0 ? call->call.n : 2;
    int64_t bytes = 4;
    if (first == 0 &&
        (call->call.n != 3 || !tc_expr_const(call->call.args[2], &bytes))) {
        bytes = 0;
    }
    for (int i = 0; i < call->call.n; i++) {
        if (i < first || i >= end || bytes <= 0) {
            forget(f, call->call.args[i], 0);
        } else {
            use_pointer(f, call->call.args[i], bytes);
        }
    }
}

/* Every array whose address is in e, or in a pointer that e reads, stays in
 * memory. */
static void forget_access(tc_facts *f, const tc_expr *e, bool address,
                          int depth) {
    tc_fact *fact = tc_fact_of(f, e->mem.buffer);
    if (address) {
        give_up(f, e->mem.buffer);
    } else if (fact->once && fact->kept != NULL && e->type == TC_HANDLE) {
        forget(f, fact->kept, depth + 1);
    } else if (e->mem.buffer->space == TC_SPACE_LOCAL) {
        check_access(f, e, NULL, tc_dtype_bytes(e->mem.buffer->type));
    }
    for (int i = 0; i < e->mem.n; i++) {
        forget(f, e->mem.index[i], depth + 1);
    }
}

static void forget(tc_facts *f, const tc_expr *e, int depth) {
    const tc_expr *x = tc_memory_access_of(e);
    if (depth > MAX_DEPTH) {
        f->failed = true;
        return;
    }
    if (x != NULL) {
        forget_access(f, x, true, depth);
        return;
    }
    switch (e->kind) {
    case TC_E_UNARY:
        forget(f, e->un.a, depth + 1);
        break;
    case TC_E_CAST:
        forget(f, e->cast.a, depth + 1);
        break;
    case TC_E_BINARY:
        forget(f, e->bin.a, depth + 1);
        forget(f, e->bin.b, depth + 1);
        break;
    case TC_E_SELECT:
        forget(f, e->sel.c, depth + 1);
        forget(f, e->sel.a, depth + 1);
        forget(f, e->sel.b, depth + 1);
        break;
    case TC_E_LOAD:
        forget_access(f, e, false, depth);
        break;
    case TC_E_CALL:
        for (int i = 0; i < e->call.n; i++) {
            const tc_expr *arg = e->call.args[i];
            forget(f, arg, depth + 1);
            if (e->call.op == TC_OPC_PTX_TCGEN05_LD && i >= 6 &&
                arg->kind == TC_E_LOAD) { /* it is written to */
                give_up(f, arg->mem.buffer);
            }
        }
        break;
    default:
        break;
    }
}

/* --- the walk --------------------------------------------------------------*/

/* Types whose elements make up whole 32-bit words, or fit into one. */
static bool has_words(tc_dtype t) {
    switch (t) {
    case TC_INT8:
    case TC_UINT8:
    case TC_INT16:
    case TC_UINT16:
    case TC_INT32:
    case TC_UINT32:
    case TC_FLOAT16:
    case TC_BFLOAT16:
    case TC_FLOAT32:
        return true;
    default:
        return false;
    }
}

static void meet(tc_facts *f, const tc_buffer *b) {
    tc_buffer *root = tc_buffer_root((tc_buffer *)b);
    tc_fact *fact = tc_fact_of(f, root);
    if (b->base == NULL) {
        fact->promoted = b->space == TC_SPACE_LOCAL && fact->addressed &&
                         has_words(b->type) &&
                         tc_buffer_elements(b) <= TC_MAX_REG_ELEMENTS;
    } else if (b->elem_offset != NULL || b->type != root->type) {
        fact->promoted = false;
    }
}

static void store(tc_facts *f, const tc_stmt *s) {
    tc_fact *fact = tc_fact_of(f, s->buffer);
    const tc_expr *more;
    bool quiet = fact->once && s->value->type == TC_HANDLE &&
                 pointer_base(s->value, &more) != NULL;
    fact->kept = fact->once ? s->value : NULL;
    if (quiet) { /* what is done with it decides */
        if (more != NULL) {
            forget(f, more, 0);
        }
    } else {
        forget(f, s->value, 0);
    }
    if (s->buffer->space == TC_SPACE_LOCAL && s->nindex == 1) {
        tc_expr at = {.kind = TC_E_LOAD, .type = s->buffer->type};
        at.mem.buffer = s->buffer;
        at.mem.index = s->index;
        at.mem.n = 1;
        check_access(f, &at, NULL, tc_dtype_bytes(s->buffer->type));
    }
    for (int i = 0; i < s->nindex; i++) {
        forget(f, s->index[i], 0);
    }
}

static void walk(finder *w, const tc_block *b);

static void walk_loop(finder *w, const tc_stmt *s) {
    int64_t first, n, copies = w->copies;
    tc_fact *var = tc_fact_of(w->f, s->var);
    bool was = var->unrolled;
    var->unrolled = tc_loop_unrolls(s, copies, &first, &n);
    if (var->unrolled && n > 0) {
        w->copies = copies * n;
    }
    forget(w->f, s->begin, 0);
    forget(w->f, s->extent, 0);
    walk(w, &s->body);
    w->copies = copies;
    var->unrolled = was;
}

static bool moves(const tc_expr *e) {
    return e->kind == TC_E_CALL && (e->call.op == TC_OPC_CUDA_COPY_BYTES ||
                                    e->call.op == TC_OPC_PTX_LDMATRIX ||
                                    e->call.op == TC_OPC_PTX_STMATRIX);
}

static void walk_stmt(finder *w, const tc_stmt *s) {
    switch (s->kind) {
    case TC_S_EVAL:
        if (moves(s->value)) {
            use_pointers(w->f, s->value);
        } else {
            forget(w->f, s->value, 0);
        }
        break;
    case TC_S_LET:
        forget(w->f, s->value, 0);
        break;
    case TC_S_STORE:
        store(w->f, s);
        break;
    case TC_S_ALLOC:
        meet(w->f, s->buffer);
        break;
    case TC_S_FOR:
        walk_loop(w, s);
        break;
    case TC_S_LAUNCH:
        walk(w, &s->body);
        break;
    case TC_S_WHILE:
    case TC_S_IF:
        forget(w->f, s->value, 0);
        walk(w, &s->body);
        walk(w, &s->orelse);
        break;
    default:
        break;
    }
}

static void walk(finder *w, const tc_block *b) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        walk_stmt(w, s);
    }
}

void tc_facts_registers(tc_facts *f) {
    finder w = {.f = f, .copies = 1};
    walk(&w, &f->lowered->func->body);
}
