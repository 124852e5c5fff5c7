/* tcgen05_watch.c - registers that a tcgen05.ld or a wgmma still fills.
 *
 * PTX ISA 9.7.16.8.5: tcgen05.wait::ld waits until a ld has completed; reading
 * its registers before is a finding. Their values are right all the same: the
 * hardware respects "true register dependency" (9.7.16.6.4.5), so what touches
 * them first makes the ld land. Only ops that name a register of some ld of
 * their function are watched: the others cost nothing. The same of D of
 * wgmma.mma_async until its wait_group (9.7.15.7.3), where ptxas sees to the
 * dependency; and of A and D, what wgmma.fence has to know. */
#include "sim/async/tmem.h"
#include "sim/async/transfer.h"
#include "sim/async/wgmma.h"
#include "sim/core/finding.h"
#include <stdlib.h>
#include <string.h>

typedef struct watching {
    tc_run *run;
    uint8_t *filled; /* a bit a 32-bit register: the destination of a ld? */
    uint32_t n;
} watching;

/* ---- registers of an op ---- */

static bool touches(const watching *g, const tc_ptx_operand *o) {
    bool reg =
        o->kind == TC_PO_REG || (o->kind == TC_PO_ADDRESS && o->neg == 1);
    if (o->kind == TC_PO_VECTOR) {
        for (uint32_t i = 0; i < o->nvec; i++) {
            if (touches(g, &g->run->module->vec[o->slot + i])) {
                return true;
            }
        }
        return false;
    }
    return reg && o->cls == TC_PF_32 && o->slot < g->n &&
           (g->filled[o->slot / 8] >> o->slot % 8 & 1) != 0;
}

/* wgmma.mma_async goes on with the D of those before it: that is no reading. */
static bool reads(const watching *g, const tc_ptx_op *op) {
    for (int i = 0; i < op->noperands && i < 8; i++) {
        if (!(op->dst >> i & 1) && touches(g, &op->a[i])) {
            return true;
        }
    }
    return false;
}

static void note(watching *g, const tc_ptx_operand *v) {
    for (uint32_t i = 0; v->kind == TC_PO_VECTOR && i < v->nvec; i++) {
        uint32_t slot = g->run->module->vec[v->slot + i].slot;
        if (slot < g->n) {
            g->filled[slot / 8] |= (uint8_t)(1u << slot % 8);
        }
    }
}

/* ---- what happens there ---- */

static void tell(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                 const tc_transfer *x) {
    bool wgmma = x->op->opcode == TC_PTX_WGMMA_MMA_ASYNC;
    tc_finding f = {.kind = TC_FINDING_READ_BEFORE_COMPLETE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first_bit(mask)),
                    .cause = tc_transfer_access(x),
                    .missing =
                        wgmma ? TC_MISSING_WGMMA_WAIT : TC_MISSING_TENSOR_WAIT,
                    .missing_n = wgmma && x->group < 0,
                    .lanes = tc_popc(mask)};
    tc_finding_add(w->cta->run, &f);
}

static bool pending(const tc_warp *w, const tc_transfer *x) {
    return x->warp == w && x->kept &&
           (x->op->opcode == TC_PTX_TCGEN05_LD ||
            x->op->opcode == TC_PTX_WGMMA_MMA_ASYNC);
}

/* wgmma.mma_async goes on with D of those before it. */
static bool is_wgmma(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_WGMMA_MMA_ASYNC;
}

/* A mov that PTX's names ask for is none to ptxas, which gives both names one
 * register. */
static bool told(const watching *g, const tc_ptx_op *op, const tc_transfer *x) {
    return reads(g, op) && !(op->opcode == TC_PTX_MOV && is_wgmma(x->op));
}

/* Lands the loads of w whose registers op touches, all of them for a call or
 * a return; tells of those that it reads. */
static void settle(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    watching g = {.run = r, .n = w->func->n32};
    bool all = op->opcode == TC_PTX_CALL || op->opcode == TC_PTX_RET;
    for (tc_transfer *x = w->cta->transfers; x; x = x->next) {
        if (!pending(w, x)) {
            continue;
        }
        g.filled = tc_xcalloc(g.n / 8 + 1, 1);
        note(&g, &x->op->a[0]);
        bool hit = all;
        for (int i = 0; i < op->noperands && i < 8; i++) {
            hit |= touches(&g, &op->a[i]);
        }
        if (hit && !all && r->sim->options.hazards && told(&g, op, x)) {
            tell(w, op, mask, x);
        }
        if (hit) {
            tc_transfer_land(x);
        }
        free(g.filled);
    }
}

static bool any_pending(const tc_warp *w) {
    for (const tc_transfer *x = w->cta->transfers; x; x = x->next) {
        if (pending(w, x)) {
            return true;
        }
    }
    return false;
}

static void watched(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    if (any_pending(w) && !is_wgmma(op)) {
        settle(w, op, mask);
    }
    if (!is_wgmma(op)) {
        tc_wgmma_touch(w, op);
    }
    r->watched[op - r->module->code](w, op, mask);
}

/* ---- which ops ---- */

static bool find_loads(watching *g, const tc_ptx_func *f) {
    bool any = false;
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_ptx_op *op = &g->run->module->code[i];
        if (op->opcode == TC_PTX_TCGEN05_LD || is_wgmma(op)) {
            note(g, &op->a[0]);
            any = true;
        }
        if (is_wgmma(op)) {
            note(g, &op->a[1]);
        }
    }
    return any;
}

static void watch_op(watching *g, uint32_t i) {
    tc_run *r = g->run;
    const tc_ptx_op *op = &r->module->code[i];
    bool hit = op->opcode == TC_PTX_CALL || op->opcode == TC_PTX_RET;
    for (int k = 0; k < op->noperands && k < 8; k++) {
        hit |= touches(g, &op->a[k]);
    }
    if (hit) {
        if (!r->watched) {
            r->watched = tc_xcalloc(r->module->ncode + 1u, sizeof *r->watched);
        }
        r->watched[i] = r->code[i].fn;
        r->code[i].fn = watched;
    }
}

void tc_tmem_watch(tc_run *r) {
    for (int i = 0; i < r->module->nfuncs; i++) {
        const tc_ptx_func *f = &r->module->funcs[i];
        watching g = {.run = r, .n = f->n32};
        g.filled = tc_xcalloc(g.n / 8 + 1, 1);
        bool any = find_loads(&g, f);
        for (uint32_t k = f->begin; any && k < f->end; k++) {
            watch_op(&g, k);
        }
        free(g.filled);
    }
}
