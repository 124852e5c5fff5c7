/* fast.c - the fast path of a launch: for the common ops an entry each, and
 * which table of handlers. */
#include "sim/fast/fast.h"
#include "base/cancel.h"
#include "sim/core/operand.h"
#include "sim/core/run.h"
#include "sim/fast/entry.h"
#include <stdlib.h>
#include <string.h>

const tc_fast_table *tc_fast_choose(const char *name) {
    const tc_fast_table *t[] = {tc_fast_avx512(), tc_fast_avx2(),
                                tc_fast_plain()};
    bool have[] = {false, false, true};
#if defined(__x86_64__)
    have[0] = __builtin_cpu_supports("avx512f") &&
              __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("fma");
    have[1] = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    for (int i = 0; i < 3; i++) {
        if (t[i] && have[i] && (!name || strcmp(name, t[i]->name) == 0)) {
            return t[i];
        }
    }
    return NULL;
}

const char *tc_fast_name(const tc_fast_table *t) {
    return t->name;
}

static tc_fast *add_entry(tc_fast_code *f, uint32_t *n, uint32_t *cap) {
    if (*n + 2 > *cap) {
        *cap = *cap ? *cap * 2 : 64;
        f->entries = tc_xrealloc(f->entries, *cap * sizeof *f->entries);
    }
    return &f->entries[(*n)++];
}

/* The op's result is a constant that everybody has as such. */
static bool elided(const tc_fast_code *f, const tc_ptx_op *op) {
    int64_t d = op->noperands ? tc_fast_reg(f->func, &op->a[0]) : INT64_C(-1);
    return d >= 0 && op->a[0].kind == TC_PO_REG && op->guard < 0 &&
           (f->reg[d] & (TC_REG_CONST | TC_REG_GENERAL)) == TC_REG_CONST;
}

bool tc_fast_private(const tc_fast *x) {
    return x->kind != TC_FAST_OTHER || x->id == TC_FAST_PLOGIC ||
           x->id == TC_FAST_TID || x->id == TC_FAST_CTAID;
}

static void fast_function(tc_run *r, const tc_ptx_func *func, uint32_t *n,
                          uint32_t *cap) {
    tc_fast_code *f = r->fast;
    tc_fast_flow(r, func);
    for (uint32_t i = func->begin; i < func->end && !tc_cancelled_at(i); i++) {
        const tc_ptx_op *op = &r->module->code[i];
        tc_code *c = &r->code[i];
        tc_fast x;
        c->entry = *n;
        if (!r->trace && elided(f, op)) { /* a trace wants all rows */
            c->run = c->ahead = 1;
        } else if (!(r->watched && r->watched[i]) &&
                   tc_fast_decode(r, op, &x)) {
            x.at = i;
            *add_entry(f, n, cap) = x;
            c->run = 1;
            c->fast = c->light = true;
            c->ahead = tc_fast_private(&x) && x.guard < 0;
        }
    }
    r->code[func->end - 1].last = true;
}

/* Registers of the kernel that must be zero when it starts: deterministic
 * values for programs that read what they never wrote. */
static void find_zeros(tc_run *r) {
    tc_fast_code *f = r->fast;
    uint32_t n = r->func->n32 + r->func->n64 + r->func->npred;
    f->rows_of.zero = tc_xcalloc(n + 1u, sizeof *f->rows_of.zero);
    for (uint32_t i = 0; i < n; i++) {
        if (r->trace || !(f->reg[i] & TC_REG_ASSIGNED)) {
            f->rows_of.zero[f->rows_of.nzero++] = i;
        }
    }
}

static void find_tid(tc_run *r) {
    const uint32_t *b = r->launch->block;
    uint32_t nwarps = (b[0] * b[1] * b[2] + TC_LANES - 1) / TC_LANES;
    tc_cta cta = {.run = r};
    r->fast->tid = tc_xcalloc(nwarps, sizeof *r->fast->tid);
    for (uint32_t i = 0; i < nwarps; i++) {
        tc_warp w = {.cta = &cta, .index = i};
        for (int d = 0; d < 3; d++) {
            for (int j = 0; j < TC_LANES; j++) {
                r->fast->tid[i][d][j] = (uint32_t)tc_operand_special(
                    &w, (tc_ptx_special)(TC_SR_TID_X + d), j);
            }
        }
    }
}

static bool has_shape(const tc_fast *x) {
    return x->id == TC_FAST_LD32 || x->id == TC_FAST_SEEN_LD32;
}

static void give_shapes(tc_fast_code *f, uint32_t n) {
    uint32_t loads = 0;
    for (uint32_t i = 0; i < n; i++) {
        loads += has_shape(&f->entries[i]);
    }
    f->shapes = tc_xcalloc(loads + 1u, sizeof *f->shapes);
    loads = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (has_shape(&f->entries[i])) {
            f->entries[i].shape = &f->shapes[loads++];
        }
    }
}

static void fast_code(tc_run *r, const tc_fast_table *table) {
    const tc_ptx_module *m = r->module;
    tc_fast_code *f = r->fast = tc_xcalloc(1, sizeof *f);
    uint32_t n = 0, cap = 0;
    f->table = table;
    r->rows = &f->rows_of;
    find_tid(r);
    for (int i = 0; i < m->nfuncs && !tc_cancelled(); i++) {
        const tc_ptx_func *func = &m->funcs[i];
        if (func->end > func->begin && (func == r->func || !func->entry)) {
            fast_function(r, func, &n, &cap);
            r->code[func->end].entry = n;
            if (func == r->func) {
                find_zeros(r);
            }
        }
    }
    give_shapes(f, n);
    add_entry(f, &n, &cap); /* never reached: the end lies behind it */
    f->end = f->entries + n;
    r->entries = f->entries;
    for (uint32_t i = m->ncode; i-- > 0;) {
        tc_code *c = &r->code[i];
        c->run = c->run && !c->last ? 1 + r->code[i + 1].run : c->run;
        c->ahead = c->ahead && !c->last ? 1 + r->code[i + 1].ahead : c->ahead;
        c->one = c->fast ? &f->entries[c->entry] : NULL;
    }
}

void tc_fast_make(tc_run *r) {
    const char *name = r->sim->options.isa;
    const tc_fast_table *table =
        name && strcmp(name, "none") == 0 ? NULL : tc_fast_choose(name);
    if (r->launch->stops) {
        table = NULL; /* whoever looks wants constants in their registers too */
    }
    if (table) {
        fast_code(r, table);
    }
}

void tc_fast_free(tc_run *r) {
    tc_fast_code *f = r->fast;
    if (!f) {
        return;
    }
    for (size_t i = 0; i < sizeof f->rows / sizeof f->rows[0]; i++) {
        while (f->rows[i]) {
            tc_fast_row *row = f->rows[i];
            f->rows[i] = row->next;
            free(row->row);
            free(row);
        }
    }
    free(f->entries);
    free(f->shapes);
    free(f->tid);
    free(f->reg);
    free(f->value);
    free(f->rows_of.zero);
    free(f->rows_of.of32);
    free(f->rows_of.of64);
    free(f);
}

/* ---- between the paths ---- */

tc_fast *tc_fast_general(tc_warp *w, tc_fast *x, uint32_t mask) {
    tc_warp_core *k = w->core;
    tc_run *r = w->cta->run;
    const tc_code *c = &r->code[x->at];
    uint32_t limit = k->limit;
    k->pc = x->at + 1;
    r->cycle = k->line_cycle + (x->at - k->line_pc) + 1;
    c->fn(w, c->op, mask);
    bool left = r->stopped || k->limit != limit || k->pc != x->at + 1;
    return left ? r->fast->end : x + 1;
}
