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
 * Nothing but that dependence orders those reads before its writes; that they
 * are right is known of the libraries' code alone, so that these races are
 * suppressions with a name (suppressions.def). */
#include "sim/core/finding.h"
#include "sim/race/first_pass.h"
#include "sim/race/visit.h"
#include <string.h>

enum { MOST = 16 };

typedef struct loaded_regs { /* registers that hold what was loaded */
    uint8_t cls[MOST];
    uint32_t slot[MOST];
    int n;
} loaded_regs;

static bool holds(const loaded_regs *v, const tc_ptx_operand *o) {
    for (int i = 0; o->kind == TC_PO_REG && i < v->n; i++) {
        if (v->cls[i] == o->cls && v->slot[i] == o->slot) {
            return true;
        }
    }
    return false;
}

static bool add(loaded_regs *v, const tc_ptx_operand *o) {
    if (o->kind != TC_PO_REG || v->n == MOST || holds(v, o)) {
        return false;
    }
    v->cls[v->n] = (uint8_t)o->cls;
    v->slot[v->n++] = (uint32_t)o->slot;
    return true;
}

static bool compared(const tc_ptx_module *m, const tc_ptx_func *f,
                     const loaded_regs *v) {
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        if (op->opcode == TC_PTX_ATOM && op->sub == TC_ATOM_CAS &&
            holds(v, &op->a[2])) {
            return true;
        }
    }
    return false;
}

static bool seeds(const tc_ptx_module *m, const tc_ptx_op *load) {
    const tc_ptx_func *f = tc_code_function(m, load);
    loaded_regs v = {.n = 0};
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

/* The same, asked again and again of one load. */
static bool seeds_again(const tc_run *r, const tc_ptx_op *load) {
    tc_race *h = r->race;
    if (!h) {
        return seeds(r->module, load);
    }
    if (h->seed != load) {
        h->seed = load;
        h->seeds = seeds(r->module, load);
    }
    return h->seeds;
}

static bool cas_confirms(const tc_run *r, const tc_ptx_op *load,
                         const tc_ptx_op *by) {
    return load->opcode == TC_PTX_LD && load->nvec == 1 &&
           !(load->flags & TC_PM_NC) &&
           (by->opcode == TC_PTX_ATOM || by->opcode == TC_PTX_RED) &&
           seeds_again(r, load);
}

/* ---- suppressions ---- */

#define LIBRARY(...)                                                           \
    (const char *const[]) {                                                    \
        __VA_ARGS__, NULL                                                      \
    }
const tc_suppression_row tc_suppressions[TC_SUPPRESSION_COUNT] = {
#define TC_SUPPRESSION(id, name, library, why, source)                         \
    {name, why, source, library},
#include "sim/suppressions.def"
};

static bool of_library(const tc_ptx_func *f, tc_suppression which) {
    const char *const *p = tc_suppressions[which].library;
    while (*p && strncmp(f->name, *p, strlen(*p)) != 0) {
        p++;
    }
    return *p != NULL;
}

/* The function looks at words of device memory that others may store
 * meanwhile. */
static bool polls(const tc_ptx_module *m, const tc_ptx_func *f) {
    const uint32_t strong = TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE;
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &m->code[i];
        if (op->opcode == TC_PTX_LD && (op->flags & strong) &&
            (op->space == TC_PS_GLOBAL || op->space == TC_PS_GENERIC)) {
            return true;
        }
    }
    return false;
}

/* A plain read, and later another CTA's plain write of the same kernel, which
 * polls. */
static bool looks_back(const tc_run *r, const tc_access *read,
                       const tc_access *write) {
    const tc_ptx_func *f = tc_code_function(r->module, read->op);
    return read->op->opcode == TC_PTX_LD && write->op->opcode == TC_PTX_ST &&
           read->cta != write->cta && read->cycle <= write->cycle && f &&
           f == tc_code_function(r->module, write->op) &&
           of_library(f, TC_SUPPRESSION_CUB_LOOK_BACK) && polls(r->module, f);
}

void tc_race_find(tc_run *r, const tc_finding *f) {
    if (r->race->first) {
        tc_first_doubt(r);
        return;
    }
    if (r->race->capture) {
        *r->race->capture = *f;
        return;
    }
    bool race = f->kind == TC_FINDING_DATA_RACE && f->space == TC_PS_GLOBAL &&
                f->at.op && f->cause.op;
    const tc_ptx_func *of =
        f->kind == TC_FINDING_UNINITIALIZED_READ && f->space == TC_PS_GLOBAL
            ? tc_code_function(r->module, f->at.op)
            : NULL;
    if (of && !r->sim->options.no_suppressions &&
        of_library(of, TC_SUPPRESSION_CUB_TEMPORARY)) {
        r->suppressed[TC_SUPPRESSION_CUB_TEMPORARY] += f->lanes ? f->lanes : 1;
        return;
    }
    if (race && cas_confirms(r, f->at.op, f->cause.op)) {
        return;
    }
    if (race && !r->sim->options.no_suppressions &&
        looks_back(r, &f->at, &f->cause)) {
        r->suppressed[TC_SUPPRESSION_CUB_LOOK_BACK] += f->lanes ? f->lanes : 1;
        return;
    }
    tc_finding_add(r, f);
}
