/* facts.c - one walk over the lowered program, then small fixed points. */
#include "emit/facts.h"

#include <stdint.h>
#include <string.h>

enum { MAX_DEPTH = 1000 };

/* --- records ---------------------------------------------------------------*/

static unsigned slot_of(const tc_facts *f, const void *key) {
    uint64_t h = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned)(h >> 32) & (unsigned)(f->nslots - 1);
}

static void put(tc_facts *f, tc_fact *fact) {
    unsigned i = slot_of(f, fact->key);
    while (f->slots[i] != NULL) {
        i = (i + 1) & (unsigned)(f->nslots - 1);
    }
    f->slots[i] = fact;
}

static void grow(tc_facts *f) {
    tc_fact **old = f->slots;
    int n = f->nslots;
    f->nslots = n == 0 ? 64 : n * 2;
    f->slots = TC_NEWN(f->arena, tc_fact *, f->nslots);
    for (int i = 0; i < n; i++) {
        if (old[i] != NULL) {
            put(f, old[i]);
        }
    }
}

tc_fact *tc_fact_of(tc_facts *f, const void *key) {
    if (f->nslots > 0) {
        for (unsigned i = slot_of(f, key); f->slots[i] != NULL;
             i = (i + 1) & (unsigned)(f->nslots - 1)) {
            if (f->slots[i]->key == key) {
                return f->slots[i];
            }
        }
    }
    if (f->n * 2 >= f->nslots) {
        grow(f);
    }
    tc_fact *fact = TC_NEW(f->arena, tc_fact);
    fact->key = key;
    fact->id = f->n++;
    put(f, fact);
    return fact;
}

/* --- small questions -------------------------------------------------------*/

tc_buffer *tc_buffer_root(tc_buffer *b) {
    for (int i = 0; b->base != NULL && i < MAX_DEPTH; i++) {
        b = b->base;
    }
    return b;
}

tc_window tc_space_window(tc_space s) {
    switch (s) {
    case TC_SPACE_GLOBAL:
        return TC_WIN_GLOBAL;
    case TC_SPACE_SHARED:
    case TC_SPACE_SHARED_DYN:
        return TC_WIN_SHARED;
    case TC_SPACE_LOCAL:
        return TC_WIN_LOCAL;
    case TC_SPACE_TMEM:
        break;
    }
    return TC_WIN_GENERIC;
}

int64_t tc_shared_elements(tc_arena *a, const tc_buffer *b) {
    int64_t flat = tc_buffer_storage(a, b);
    int64_t reached = b->origin ? tc_buffer_storage(a, b->origin) : flat;
    return reached > flat ? reached : flat;
}

const tc_expr *tc_memory_access_of(const tc_expr *e) {
    if (e->kind == TC_E_CALL && e->call.op == TC_OPC_ADDRESS_OF &&
        e->call.n == 1) {
        e = e->call.args[0];
        return e->kind == TC_E_LOAD || e->kind == TC_E_ADDR ? e : NULL;
    }
    return e->kind == TC_E_ADDR ? e : NULL;
}

static bool block_calls(const tc_block *b, tc_op op) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if ((s->kind == TC_S_EVAL && s->value->kind == TC_E_CALL &&
             s->value->call.op == op) ||
            block_calls(&s->body, op) || block_calls(&s->orelse, op)) {
            return true;
        }
    }
    return false;
}

/* Nothing may touch what tcgen05.ld loads before its wait; so registers hold
 * it until then, and a loop that leaves the wait to what follows is written
 * out. */
static bool loads_without_wait(const tc_block *b) {
    return block_calls(b, TC_OPC_PTX_TCGEN05_LD) &&
           !block_calls(b, TC_OPC_PTX_TCGEN05_WAIT_LD);
}

/* tcgen05.ld: the registers come behind six other arguments. */
bool tc_writes_argument(tc_op op, int i) {
    return op == TC_OPC_PTX_TCGEN05_LD && i >= 6;
}

bool tc_loop_unrolls(const tc_stmt *s, int64_t copies, int64_t *first,
                     int64_t *n) {
    return (s->loop == TC_LOOP_UNROLL || tc_loop_takes_local(s) ||
            loads_without_wait(&s->body)) &&
           tc_expr_const(s->begin, first) && tc_expr_const(s->extent, n) &&
           *n <= TC_MAX_UNROLL && *first <= INT64_MAX - TC_MAX_UNROLL &&
           (*n <= 0 || copies <= TC_MAX_UNROLL_ALL / *n);
}

/* Does e consist of constants and variables of written-out loops? */
static bool is_static(tc_facts *f, const tc_expr *e) {
    switch (e->kind) {
    case TC_E_INT:
        return true;
    case TC_E_VAR:
        return tc_fact_of(f, e->var)->unrolled;
    case TC_E_BINARY:
        return e->bin.op <= TC_MAX && e->bin.op != TC_TRUEDIV &&
               is_static(f, e->bin.a) && is_static(f, e->bin.b);
    default:
        return false;
    }
}

/* --- the walk --------------------------------------------------------------*/

typedef struct facts_walk {
    tc_facts *f;
    int depth;
    int64_t copies;
    const tc_block *block;
} facts_walk;

static void walk_expr(facts_walk *w, const tc_expr *e, int weight);

/* Records for the buffer, its parameter and what it is a view of. */
static void touch(facts_walk *w, const tc_buffer *b, int weight) {
    for (int i = 0; b != NULL && i < MAX_DEPTH; i++, b = b->base) {
        tc_fact_of(w->f, b);
        if (b->param != NULL) {
            tc_fact_of(w->f, b->param);
        }
        if (b->elem_offset != NULL) {
            walk_expr(w, b->elem_offset, weight);
        }
        if (b->base != NULL) {
            tc_fact_of(w->f, b->base)->addressed = true;
        }
    }
}

static void walk_access(facts_walk *w, const tc_expr *e, int weight,
                        bool address) {
    touch(w, e->mem.buffer, weight);
    tc_fact *fact = tc_fact_of(w->f, e->mem.buffer);
    if (address) {
        fact->addressed = true;
    } else {
        fact->loads += weight;
    }
    for (int i = 0; i < e->mem.n; i++) {
        fact->dynamic |= !is_static(w->f, e->mem.index[i]);
        walk_expr(w, e->mem.index[i], weight);
    }
}

static void walk_call(facts_walk *w, const tc_expr *e, int weight) {
    const tc_expr *access = tc_memory_access_of(e);
    w->f->waits_ld |= e->call.op == TC_OPC_PTX_TCGEN05_WAIT_LD;
    if (access != NULL) {
        walk_access(w, access, weight, true);
        return;
    }
    for (int i = 0; i < e->call.n; i++) {
        const tc_expr *arg = e->call.args[i];
        if (tc_writes_argument(e->call.op, i) && arg->kind == TC_E_LOAD) {
            walk_access(w, arg, weight, true);
        } else {
            walk_expr(w, arg, weight);
        }
    }
}

static void walk_operands(facts_walk *w, const tc_expr *e, int weight) {
    switch (e->kind) {
    case TC_E_UNARY:
        walk_expr(w, e->un.a, weight);
        break;
    case TC_E_BINARY:
        walk_expr(w, e->bin.a, weight);
        walk_expr(w, e->bin.b, weight);
        break;
    case TC_E_SELECT:
        walk_expr(w, e->sel.c, weight);
        walk_expr(w, e->sel.a, weight);
        walk_expr(w, e->sel.b, weight);
        break;
    case TC_E_CAST:
        walk_expr(w, e->cast.a, weight);
        break;
    case TC_E_LOAD:
    case TC_E_ADDR:
        walk_access(w, e, weight, e->kind == TC_E_ADDR);
        break;
    case TC_E_CALL:
        walk_call(w, e, weight);
        break;
    default:
        break;
    }
}

/* Counts the uses in e, `weight` each (-1 takes them back). */
static void walk_expr(facts_walk *w, const tc_expr *e, int weight) {
    if (++w->depth > MAX_DEPTH) {
        if (!w->f->failed) {
            tc_error(w->f->diags, e->span, "give parts of it a name",
                     "this expression nests deeper than %d operations",
                     MAX_DEPTH);
        }
        w->f->failed = true;
    } else if (e->kind == TC_E_VAR) {
        tc_fact_of(w->f, e->var)->uses += weight;
    } else {
        walk_operands(w, e, weight);
    }
    w->depth--;
}

static void walk_block(facts_walk *w, const tc_block *b);

static void walk_loop(facts_walk *w, const tc_stmt *s) {
    int64_t first, n, copies = w->copies;
    tc_fact *var = tc_fact_of(w->f, s->var);
    bool was = var->unrolled;
    walk_expr(w, s->begin, 1);
    walk_expr(w, s->extent, 1);
    var->unrolled = tc_loop_unrolls(s, copies, &first, &n);
    if (var->unrolled && n > 0) {
        w->copies = copies * n;
    }
    walk_block(w, &s->body);
    w->copies = copies;
    var->unrolled = was;
}

static bool is_pure(const tc_expr *e) {
    return e->kind != TC_E_CALL || e->call.op == TC_OPC_WARP_SHUFFLE ||
           (tc_ops[e->call.op].flags & TC_OPF_ADDRESS) != 0;
}

static void walk_store(facts_walk *w, const tc_stmt *s) {
    tc_fact *fact = tc_fact_of(w->f, s->buffer);
    touch(w, s->buffer, 1);
    fact->stores++;
    fact->store_block = w->block;
    for (int i = 0; i < s->nindex; i++) {
        fact->dynamic |= !is_static(w->f, s->index[i]);
        walk_expr(w, s->index[i], 1);
    }
    walk_expr(w, s->value, 1);
}

static void walk_stmt(facts_walk *w, const tc_stmt *s) {
    switch (s->kind) {
    case TC_S_EVAL:
        if (!is_pure(s->value)) {
            walk_expr(w, s->value, 1);
        }
        break;
    case TC_S_LET:
        tc_fact_of(w->f, s->var)->let = s->value;
        walk_expr(w, s->value, 1);
        break;
    case TC_S_LAUNCH:
        walk_block(w, &s->body);
        break;
    case TC_S_STORE:
        walk_store(w, s);
        break;
    case TC_S_ALLOC:
        touch(w, s->buffer, 1);
        tc_fact_of(w->f, s->buffer)->alloc_block = w->block;
        break;
    case TC_S_FOR:
        walk_loop(w, s);
        break;
    case TC_S_WHILE:
    case TC_S_IF:
        walk_expr(w, s->value, 1);
        walk_block(w, &s->body);
        walk_block(w, &s->orelse);
        break;
    default:
        break;
    }
}

static void walk_block(facts_walk *w, const tc_block *b) {
    const tc_block *outer = w->block;
    for (const tc_stmt *s = b->first; s != NULL && !w->f->failed; s = s->next) {
        w->block = b;
        walk_stmt(w, s);
    }
    w->block = outer;
}

/* --- after the walk --------------------------------------------------------*/

/* Lets that nothing live uses give back the uses of their values. */
static void drop_dead_lets(tc_facts *f, tc_fact **all) {
    facts_walk w = {.f = f};
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < f->n; i++) {
            if (all[i]->let != NULL && all[i]->uses == 0) {
                const tc_expr *value = all[i]->let;
                all[i]->let = NULL;
                walk_expr(&w, value, -1);
                changed = true;
            }
        }
    }
}

static void settle_buffer(tc_facts *f, tc_buffer *b) {
    tc_fact *fact = tc_fact_of(f, b);
    int64_t n = tc_buffer_elements(b);
    fact->in_registers = b->space == TC_SPACE_LOCAL && b->base == NULL &&
                         !fact->addressed && !fact->dynamic &&
                         n <= TC_MAX_REG_ELEMENTS;
    fact->once = fact->in_registers && n == 1 && fact->stores == 1 &&
                 fact->store_block == fact->alloc_block;
}

static void each_stmt(tc_facts *f, const tc_block *b,
                      void (*fn)(tc_facts *, const tc_stmt *)) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        fn(f, s);
        each_stmt(f, &s->body, fn);
        each_stmt(f, &s->orelse, fn);
    }
}

static void settle_stmt(tc_facts *f, const tc_stmt *s) {
    if (s->kind == TC_S_ALLOC || s->kind == TC_S_STORE) {
        settle_buffer(f, s->buffer);
    }
}

static void set_range(tc_fact *fact, int64_t lo, int64_t hi) {
    fact->ranged = lo <= hi;
    fact->lo = lo;
    fact->hi = hi;
}

/* In program order, so that what a value uses has its range already. */
static void range_stmt(tc_facts *f, const tc_stmt *s) {
    int64_t lo, hi, begin;
    if (s->kind == TC_S_LET) {
        tc_fact_set_range(f, s->var, s->value);
    } else if (s->kind == TC_S_STORE && tc_fact_of(f, s->buffer)->once) {
        tc_fact_set_range(f, s->buffer, s->value);
    } else if (s->kind == TC_S_LAUNCH && s->extent != NULL &&
               tc_expr_const(s->extent, &hi) && hi > 0) {
        set_range(tc_fact_of(f, s->var), 0, hi - 1);
    } else if (s->kind == TC_S_FOR && tc_expr_const(s->begin, &begin) &&
               tc_range_of(f, s->extent, &lo, &hi) && hi > 0 &&
               !__builtin_add_overflow(begin, hi - 1, &hi)) {
        set_range(tc_fact_of(f, s->var), begin, hi);
    }
}

static void join(tc_facts *f, tc_pointer *into, tc_pointer p) {
    tc_pointer was = *into;
    if (into->window == TC_WIN_NONE) {
        into->window = p.window;
    } else if (p.window != TC_WIN_NONE && p.window != into->window) {
        into->window = TC_WIN_GENERIC;
    }
    if (into->elem == TC_VOID) {
        into->elem = p.elem;
    } else if (p.elem != TC_VOID && p.elem != into->elem) {
        into->elem_mixed = true;
    }
    into->elem_mixed |= p.elem_mixed;
    f->grew |= was.window != into->window || was.elem != into->elem ||
               was.elem_mixed != into->elem_mixed;
}

static tc_pointer pointer_of_var(tc_facts *f, tc_var *v) {
    if (v->bind != TC_BIND_PARAM) {
        return tc_fact_of(f, v)->pointer;
    }
    tc_pointer p = {.window = TC_WIN_GLOBAL};
    for (int i = 0; i < f->lowered->nglobals; i++) {
        if (f->lowered->globals[i]->param == v) {
            p.elem = f->lowered->globals[i]->type;
        }
    }
    return p;
}

static tc_pointer pointer_of_load(tc_facts *f, tc_buffer *b) {
    tc_fact *fact = tc_fact_of(f, b);
    if (!fact->in_registers) { /* in memory: any address must fit */
        fact->pointer.window = TC_WIN_GENERIC;
    }
    return fact->pointer;
}

tc_pointer tc_pointer_of(tc_facts *f, const tc_expr *e) {
    tc_pointer p = {.window = TC_WIN_GENERIC};
    const tc_expr *access = tc_memory_access_of(e);
    if (access != NULL) {
        tc_buffer *b = access->mem.buffer;
        p.window = tc_space_window(b->space);
        p.elem = b->type;
        return p;
    }
    switch (e->kind) {
    case TC_E_VAR:
        return pointer_of_var(f, e->var);
    case TC_E_LOAD:
        return pointer_of_load(f, e->mem.buffer);
    case TC_E_SELECT:
        p = tc_pointer_of(f, e->sel.a);
        join(f, &p, tc_pointer_of(f, e->sel.b));
        return p;
    case TC_E_CALL:
        if (e->call.op == TC_OPC_POINTER_OFFSET && e->call.n == 2) {
            return tc_pointer_of(f, e->call.args[0]);
        }
        return p;
    default:
        return p;
    }
}

static void assign_pointer(tc_facts *f, const tc_stmt *s) {
    if (s->kind == TC_S_LET && s->value->type == TC_HANDLE) {
        join(f, &tc_fact_of(f, s->var)->pointer, tc_pointer_of(f, s->value));
    } else if (s->kind == TC_S_STORE && s->value->type == TC_HANDLE) {
        join(f, &tc_fact_of(f, s->buffer)->pointer, tc_pointer_of(f, s->value));
    }
}

tc_facts *tc_facts_new(tc_arena *a, const tc_lowered *l, tc_diags *diags) {
    tc_facts *f = TC_NEW(a, tc_facts);
    f->arena = a;
    f->lowered = l;
    f->diags = diags;
    facts_walk w = {.f = f, .copies = 1};
    for (int i = 0; i < l->func->nparams; i++) {
        tc_fact_of(f, l->func->params[i]);
    }
    walk_block(&w, &l->func->body);
    if (f->failed) {
        return NULL;
    }
    tc_fact **all = TC_NEWN(a, tc_fact *, f->n + 1);
    for (int i = 0; i < f->nslots; i++) {
        if (f->slots[i] != NULL) {
            all[f->slots[i]->id] = f->slots[i];
        }
    }
    drop_dead_lets(f, all);
    each_stmt(f, &l->func->body, settle_stmt);
    each_stmt(f, &l->func->body, range_stmt);
    tc_facts_registers(f);
    /* A pointer's state rises at most four steps, so this ends. */
    do {
        f->grew = false;
        each_stmt(f, &l->func->body, assign_pointer);
    } while (f->grew);
    return f;
}
