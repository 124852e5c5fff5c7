/* mcode_ptx.c - a kernel's PTX cut into blocks that run ahead of the clock, and
 * which blocks of machine code stand for which of them. */
#include "sim/timing/walk.h"
#include <stdlib.h>
#include <string.h>

/* ---- what does not run ahead ---- */

static bool reads_clock(const tc_ptx_op *op) {
    const tc_ptx_operand *o = &op->a[1];
    return op->opcode == TC_PTX_MOV && o->kind == TC_PO_SPECIAL &&
           (o->slot == TC_SR_CLOCK || o->slot == TC_SR_CLOCK64 ||
            o->slot == TC_SR_CLOCK_HI || o->slot == TC_SR_GLOBALTIMER);
}

/* Nobody reads the destination: by registers that some op reads. */
static bool unused(const tc_timing *t, const tc_ptx_op *op, const bool *read) {
    const tc_timing_op *o = &t->ops[op - t->run->module->code];
    for (uint32_t i = 0; i < o->ndst; i++) {
        if (read[t->regs[o->regs + o->nsrc + i]]) {
            return false;
        }
    }
    return true;
}

static bool waits(const tc_timing *t, const tc_ptx_op *op, const bool *read) {
    enum { STRONG = TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE };
    switch (op->opcode) {
    case TC_PTX_LD:
        return (op->flags & STRONG) != 0;
    case TC_PTX_ST:
        return (op->flags & TC_PM_RELEASE) != 0;
    case TC_PTX_ATOM:
        return !unused(t, op, read);
    case TC_PTX_CP_ASYNC:
    case TC_PTX_BAR_WARP_SYNC:
    case TC_PTX_MAPA:
    case TC_PTX_GETCTARANK:
        return false;
    case TC_PTX_MATCH_ANY_SYNC: /* it takes as long as there are values */
    case TC_PTX_RET:
    case TC_PTX_EXIT:
    case TC_PTX_TRAP:
    case TC_PTX_BRKPT:
        return true;
    default:
        return reads_clock(op) ||
               (op->opcode >= TC_PTX_CP_ASYNC &&
                op->opcode <= TC_PTX_MBARRIER_PENDING_COUNT &&
                op->opcode != TC_PTX_BRA) ||
               (op->opcode >= TC_PTX_TCGEN05_ALLOC &&
                op->opcode <= TC_PTX_TCGEN05_COMMIT) ||
               (op->opcode >= TC_PTX_WGMMA_FENCE &&
                op->opcode <= TC_PTX_GRIDDEPCONTROL);
    }
}

static bool *read_registers(const tc_timing *t, const tc_ptx_func *f) {
    bool *read = tc_xcalloc(t->nready + 1u, sizeof *read);
    for (uint32_t i = f->begin; i < f->end; i++) {
        const tc_timing_op *o = &t->ops[i];
        for (uint32_t k = 0; k < o->nsrc; k++) {
            read[t->regs[o->regs + k]] = true;
        }
    }
    return read;
}

/* ---- blocks of the PTX ---- */

bool *tc_mcode_cut_ptx(const tc_timing *t, tc_mcode *m) {
    const tc_ptx_func *f = t->run->func;
    const tc_ptx_op *code = t->run->module->code;
    uint32_t n = f->end - f->begin;
    bool *begins = tc_xcalloc(n + 1u, sizeof *begins);
    bool *read = read_registers(t, f);
    bool *out = tc_xcalloc(n + 1u, sizeof *out);
    begins[0] = true;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_op *op = &code[f->begin + i];
        out[i] = waits(t, op, read);
        if (op->opcode == TC_PTX_BRA && op->target >= f->begin &&
            op->target < f->end) {
            begins[op->target - f->begin] = true;
        }
        begins[i + 1] |= out[i] || op->opcode == TC_PTX_BRA;
    }
    m->base = f->begin;
    m->block_at = tc_xmalloc((n + 1) * sizeof *m->block_at);
    m->ptx = tc_xcalloc(n + 1u, sizeof *m->ptx);
    for (uint32_t i = 0; i < n; i++) {
        m->block_at[i] = begins[i] ? m->nptx : TC_NO_OP;
        if (begins[i]) {
            m->ptx[m->nptx++].begin = f->begin + i;
        }
        tc_code_block *b = &m->ptx[m->nptx - 1];
        bool ends = out[i] || code[f->begin + i].opcode == TC_PTX_BRA;
        b->end = f->begin + i + 1;
        b->body = ends ? f->begin + i : b->end;
        b->waits = out[i];
    }
    free(begins);
    free(read);
    return out;
}

uint32_t tc_mcode_ptx_block(const tc_mcode *m, uint32_t at) {
    uint32_t lo = 0, hi = m->nptx;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        *(m->ptx[mid].begin <= at ? &lo : &hi) = mid;
    }
    return lo;
}

/* ---- covers ---- */

void tc_mcode_put_cover(tc_mcode *m, tc_mcode_block *b, uint32_t p,
                        bool optional) {
    if (m->ncover % 64 == 0) {
        m->cover = tc_xrealloc(m->cover, (m->ncover + 64) * sizeof *m->cover);
    }
    m->cover[m->ncover++] = (tc_mcode_cover){p, optional};
    b->ncover++;
    m->ptx[p].shown = true;
}

static int longer(const tc_mcode *m, uint32_t a, uint32_t b) {
    return (int)m->blocks[b].ncover - (int)m->blocks[a].ncover;
}

void tc_mcode_list_first(tc_mcode *m) {
    m->first = tc_xcalloc(m->ncover + 1u, sizeof *m->first);
    for (uint32_t p = 0; p < m->nptx; p++) {
        tc_code_block *x = &m->ptx[p];
        x->first = m->nfirst;
        for (uint32_t i = 0; i < m->nblocks; i++) {
            const tc_mcode_block *b = &m->blocks[i];
            bool may = false;
            for (uint32_t j = 0; j < b->ncover; j++) {
                const tc_mcode_cover *c = &m->cover[b->cover + j];
                may |= c->block == p;
                if (may || !c->optional) {
                    break;
                }
            }
            if (may) {
                uint32_t at = m->nfirst++;
                for (; at > x->first && longer(m, m->first[at - 1], i) > 0;
                     at--) {
                    m->first[at] = m->first[at - 1];
                }
                m->first[at] = i;
            }
        }
        x->nfirst = m->nfirst - x->first;
    }
}

/* ---- covers beside a warp's queue ---- */

uint32_t tc_walk_fits(const tc_mcode *m, const tc_mcode_walk *x,
                      uint32_t block) {
    const tc_mcode_block *b = &m->blocks[block];
    uint32_t at = 0;
    for (uint32_t i = 0; i < b->ncover;) {
        const tc_mcode_cover *c = &m->cover[b->cover + i];
        if (at < x->nqueue && x->queue[at].block == c->block) {
            at++;
            i++;
        } else if (at < x->nqueue && !m->ptx[x->queue[at].block].shown) {
            at++;
        } else if (c->optional) {
            i++;
        } else {
            return 0;
        }
    }
    return at;
}

/* How many blocks of the queue the machine block can stand for in any order, as
 * of a loop that was unrolled in part: each as often as it covers it. */
static uint32_t takes(const tc_mcode *m, const tc_mcode_walk *x,
                      uint32_t block) {
    const tc_mcode_block *b = &m->blocks[block];
    uint32_t *left = tc_xcalloc(m->nptx, sizeof *left), n = 0, taken = 0;
    for (uint32_t i = 0; i < b->ncover; i++) {
        left[m->cover[b->cover + i].block]++;
    }
    while (n < x->nqueue) {
        uint32_t p = x->queue[n].block;
        if (m->ptx[p].shown && left[p]-- == 0) {
            break;
        }
        taken = m->ptx[p].shown ? n + 1 : taken;
        n++;
    }
    free(left);
    return taken;
}

uint32_t tc_walk_takes(const tc_mcode *m, const tc_mcode_walk *x,
                       uint32_t *block) {
    const tc_code_block *p = &m->ptx[x->queue[0].block];
    uint32_t most = 0;
    for (uint32_t i = 0; i < p->nfirst; i++) {
        uint32_t n = takes(m, x, m->first[p->first + i]);
        if (n > most) {
            most = n;
            *block = m->first[p->first + i];
        }
    }
    return most;
}
