/* benign.c - pairs of accesses that nothing orders by the memory model,
 * and that are right all the same.
 *
 * The plain read that a loop of compare-and-swaps begins with (CUDA C++
 * Programming Guide, "Atomic Functions": any atomic operation can be made of
 * atomicCAS so) may meet the atomics of others: a compare-and-swap looks for
 * what it read.
 *
 * CUB and Thrust compact in place: a block's place in the output is counted
 * from what the blocks before it have read, and comes to it in relaxed words.
 * Nothing but that dependence orders those reads before its writes. */
#include "sim/core/finding.h"
#include "sim/race/visit.h"
#include <string.h>

enum { MOST = 16 };

typedef struct tc_loaded { /* registers that hold what was loaded */
    uint8_t cls[MOST];
    uint32_t slot[MOST];
    int n;
} tc_loaded;

static bool holds(const tc_loaded *v, const tc_ptx_operand *o) {
    for (int i = 0; o->kind == TC_PO_REG && i < v->n; i++) {
        if (v->cls[i] == o->cls && v->slot[i] == o->slot) {
            return true;
        }
    }
    return false;
}

static bool add(tc_loaded *v, const tc_ptx_operand *o) {
    if (o->kind != TC_PO_REG || v->n == MOST || holds(v, o)) {
        return false;
    }
    v->cls[v->n] = (uint8_t)o->cls;
    v->slot[v->n++] = (uint32_t)o->slot;
    return true;
}

static bool compared(const tc_ptx_module *m, const tc_ptx_func *f,
                     const tc_loaded *v) {
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        if (op->opcode == TC_PTX_ATOM && op->sub == TC_ATOM_CAS &&
            holds(v, &op->a[2])) {
            return true;
        }
    }
    return false;
}

static const tc_ptx_func *function_of(const tc_ptx_module *m,
                                      const tc_ptx_op *op) {
    uint32_t at = (uint32_t)(op - m->code);
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i].begin <= at && at < m->funcs[i].end) {
            return &m->funcs[i];
        }
    }
    return NULL;
}

static bool seeds(const tc_ptx_module *m, const tc_ptx_op *load) {
    const tc_ptx_func *f = function_of(m, load);
    tc_loaded v = {.n = 0};
    if (!f || !add(&v, &load->a[0])) {
        return false;
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = f->begin; i < f->end; i++) {
            const tc_ptx_op *op = &m->code[i];
            if (op->opcode == TC_PTX_MOV && holds(&v, &op->a[1])) {
                more |= add(&v, &op->a[0]);
            }
        }
    }
    return compared(m, f, &v);
}

static bool cas_confirms(const tc_run *r, const tc_ptx_op *load,
                         const tc_ptx_op *by) {
    return load->opcode == TC_PTX_LD && load->nvec == 1 &&
           !(load->flags & TC_PM_NC) &&
           (by->opcode == TC_PTX_ATOM || by->opcode == TC_PTX_RED) &&
           seeds(r->module, load);
}

static bool of_library(const tc_run *r, const tc_ptx_op *op) {
    const tc_ptx_func *f = function_of(r->module, op);
    return f && (strncmp(f->name, "_ZN3cub", 7) == 0 ||
                 strncmp(f->name, "_ZN6thrust", 10) == 0);
}

static bool looks_back(const tc_run *r, const tc_access *read,
                       const tc_access *write) {
    return read->op->opcode == TC_PTX_LD && write->op->opcode == TC_PTX_ST &&
           read->cta != write->cta && read->cycle <= write->cycle &&
           of_library(r, read->op);
}

static bool is_benign(const tc_run *r, const tc_finding *f) {
    return f->space == TC_PS_GLOBAL && f->at.op && f->cause.op &&
           (cas_confirms(r, f->at.op, f->cause.op) ||
            looks_back(r, &f->at, &f->cause));
}

void tc_race_find(tc_run *r, const tc_finding *f) {
    if (f->kind != TC_FINDING_DATA_RACE || !is_benign(r, f)) {
        tc_find(r, f);
    }
}
