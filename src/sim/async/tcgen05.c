/* tcgen05.c - tcgen05.ld and st and their waits (PTX ISA 9.7.16.8). Both are
 * asynchronous: a transfer each, that lands between issue and wait. */
#include "sim/alu/alu.h"
#include "sim/async/tmem.h"
#include "sim/async/transfer.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include <stdlib.h>
#include <string.h>

/* Figures of 9.7.16.2.3.1. The registers of .x1 cover the shape's columns;
 * further ones the columns behind it. */
tc_tmem_location tc_tmem_register(uint8_t shape, uint32_t t, uint32_t reg) {
    switch (shape) {
    case TC_TCGEN_16X64B:
        return (tc_tmem_location){t / 4 + t % 2 * 8, reg * 2 + t / 2 % 2,
                                  false};
    case TC_TCGEN_16X128B:
        return (tc_tmem_location){t / 4 + reg % 2 * 8, reg / 2 * 4 + t % 4,
                                  false};
    case TC_TCGEN_16X256B:
        return (tc_tmem_location){t / 4 + reg / 2 % 2 * 8,
                                  reg / 4 * 8 + t % 4 * 2 + reg % 2, false};
    case TC_TCGEN_16X32BX2:
        return (tc_tmem_location){t % 16, reg, t >= 16};
    default:
        return (tc_tmem_location){t, reg, false};
    }
}

/* Under the clock: cycles of the shortest ld or st, and one more a register. No
 * figure of NVIDIA's: 32 lanes of a quarter move 4 bytes a cycle each. */
enum { LATENCY = 32 };

/* One ld or st of a warp. */
typedef struct tensor_move {
    const tc_ptx_operand *regs; /* n of them */
    uint32_t n;
    uint32_t lane;        /* first one that is accessed */
    uint32_t column[2];   /* first one; of the second half of .16x32bx2 */
    uint32_t rows, width; /* of what each half covers, in lanes and columns */
    uint32_t halves;
    bool packed;                /* .pack::16b, .unpack::16b */
    uint32_t (*data)[TC_LANES]; /* by register */
} tensor_move;

/* ---- what it covers ---- */

static bool is_load(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_TCGEN05_LD;
}

static uint32_t columns_of(const tc_ptx_op *op, uint32_t n) {
    switch (op->sub) { /* of 32 bits, for n registers */
    case TC_TCGEN_16X64B:
    case TC_TCGEN_16X128B:
    case TC_TCGEN_16X256B:
        return n * 2;
    default:
        return n;
    }
}

/* 9.7.16.8.1: a warp reaches the quarter of the lanes that its number names.
 * Kernels give the first lane of all (TVM, run on sm_100a) or the first of
 * their own quarter (CUTLASS) and mean the same; any other one is refused. */
static bool find_lane(tc_warp *w, const tc_ptx_op *op, uint32_t at,
                      tensor_move *m) {
    uint32_t lane = at >> 16, mine = w->index % 4;
    uint32_t quarter = lane / TC_TMEM_QUARTER;
    m->lane = mine * TC_TMEM_QUARTER + lane % TC_TMEM_QUARTER;
    if (quarter != 0 && quarter != mine) {
        tc_tmem_fault(w, op, 0, TC_FINDING_OUT_OF_BOUNDS, at, 4,
                      TC_DETAIL_TMEM_QUARTER);
        return false;
    }
    if (lane % TC_TMEM_QUARTER + m->rows > TC_TMEM_QUARTER) {
        tc_tmem_fault(w, op, 0, TC_FINDING_OUT_OF_BOUNDS, at, 4,
                      TC_DETAIL_TMEM_SHAPE);
        return false;
    }
    return true;
}

static bool find_columns(tc_warp *w, const tc_ptx_op *op, uint32_t at,
                         tensor_move *m) {
    for (uint32_t i = 0; i < m->halves; i++) {
        if (!tc_tmem_allocated(w->cta, m->column[i], m->width)) {
            tc_tmem_fault(w, op, 0, TC_FINDING_OUT_OF_BOUNDS,
                          (at & 0xffff0000u) | (m->column[i] & 0xffffu),
                          m->width * 4, TC_DETAIL_TMEM_ALLOCATED);
            return false;
        }
    }
    return true;
}

/* All threads give the same address (9.7.16.8.3). */
static bool same_address(tc_warp *w, const tc_ptx_op *op,
                         const uint64_t *address) {
    for (int i = 1; i < TC_LANES; i++) {
        if ((uint32_t)address[i] != (uint32_t)address[0]) {
            tc_tmem_fault(w, op, i, TC_FINDING_TRAP, (uint32_t)address[i], 4,
                          TC_DETAIL_TMEM_ADDRESSES);
            return false;
        }
    }
    return true;
}

static bool find(tc_warp *w, const tc_ptx_op *op, tensor_move *m) {
    bool load = is_load(op);
    const tc_ptx_operand *v = &op->a[load ? 0 : 2];
    uint64_t address[TC_LANES];
    tc_operand_addresses(w, &op->a[load ? 1 : 0], address);
    uint32_t at = (uint32_t)address[0];
    m->regs = &w->cta->run->module->vec[v->slot];
    m->n = v->nvec;
    m->packed = (op->more & (TC_PX_TCGEN_PACK | TC_PX_TCGEN_UNPACK)) != 0;
    m->rows = op->sub == TC_TCGEN_32X32B ? 32 : 16;
    m->halves = op->sub == TC_TCGEN_16X32BX2 ? 2 : 1;
    m->width = columns_of(op, m->n) * (m->packed ? 2 : 1);
    m->column[0] = at & 0xffff;
    m->column[1] = m->column[0] + (uint32_t)op->a[load ? 2 : 1].imm;
    return same_address(w, op, address) && find_lane(w, op, at, m) &&
           find_columns(w, op, at, m);
}

/* ---- the bytes ---- */

typedef void visit(tc_tensor_memory *t, uint32_t lane, uint32_t column,
                   bool packed, uint32_t *value);

static void read_cell(tc_tensor_memory *t, uint32_t lane, uint32_t column,
                      bool packed, uint32_t *value) {
    *value = *tc_tmem_cell(t, lane, column);
    if (packed) {
        *value = (*value & 0xffff) | *tc_tmem_cell(t, lane, column + 1) << 16;
    }
}

static void write_cell(tc_tensor_memory *t, uint32_t lane, uint32_t column,
                       bool packed, uint32_t *value) {
    *tc_tmem_cell(t, lane, column) = packed ? *value & 0xffff : *value;
    if (packed) {
        *tc_tmem_cell(t, lane, column + 1) = *value >> 16;
    }
}

static void each(tc_transfer *x, visit *fn) {
    tensor_move *m = x->state;
    tc_tensor_memory *t = x->warp->cta->tensor;
    for (uint32_t r = 0; r < m->n; r++) {
        for (uint32_t i = 0; i < TC_LANES; i++) {
            tc_tmem_location p = tc_tmem_register(x->op->sub, i, r);
            uint32_t column = p.column * (m->packed ? 2 : 1);
            fn(t, m->lane + p.lane, m->column[p.second] + column, m->packed,
               &m->data[r][i]);
        }
    }
}

static void fetch_load(tc_run *r, tc_transfer *x) {
    (void)r;
    each(x, read_cell);
}

static void land_load(tc_run *r, tc_transfer *x) {
    const tensor_move *m = x->state;
    (void)r;
    for (uint32_t i = 0; i < m->n && x->warp->alive; i++) {
        tc_put32(x->warp, &m->regs[i], m->data[i], UINT32_MAX);
    }
}

static void land_store(tc_run *r, tc_transfer *x) {
    (void)r;
    each(x, write_cell);
}

static void drop(tc_transfer *x) {
    tensor_move *m = x->state;
    free(m->data);
    free(m);
}

/* ---- issue ---- */

static void tell_checker(tc_transfer *x, const tensor_move *m) {
    for (uint32_t h = 0; x->race && h < m->halves; h++) {
        for (uint32_t i = 0; i < m->rows; i++) {
            tc_race_agent_access(x->race, x->warp->cta, TC_PS_TENSOR,
                                 (m->lane + i) << 16 | m->column[h],
                                 m->width * 4, !is_load(x->op));
        }
    }
}

static void issue(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    tensor_move found = {0};
    if (!tc_tmem_together(w, op, mask) || !find(w, op, &found)) {
        return;
    }
    tensor_move *m = tc_xcalloc(1, sizeof *m);
    *m = found;
    m->data = tc_xcalloc(m->n, sizeof *m->data);
    tc_transfer *x = tc_transfer_new(w, op, 0);
    x->state = m;
    x->drop = drop;
    x->kept = true;
    x->bytes = m->n * TC_LANES * 4;
    *(is_load(op) ? &x->from : &x->to) =
        (tc_transfer_end){TC_PS_TENSOR, w->cta, m->lane << 16 | m->column[0]};
    x->lanes = mask;
    x->fetch = is_load(op) ? fetch_load : NULL;
    x->land = is_load(op) ? land_load : land_store;
    for (uint32_t i = 0; i < m->n && !is_load(op); i++) {
        uint32_t tmp[TC_LANES];
        memcpy(m->data[i], tc_src32(w, &m->regs[i], tmp), sizeof tmp);
    }
    tell_checker(x, m);
    x->complete = x->source = r->cycle + LATENCY + m->n;
    tc_transfer_start(x);
}

void tc_sim_op_TCGEN05_LD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    issue(w, op, mask);
}

void tc_sim_op_TCGEN05_ST(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    issue(w, op, mask);
}

/* ---- waits ---- */

static bool waits_for(const tc_warp *w, const tc_transfer *x, int64_t what) {
    return x->warp == w && x->op->opcode == (tc_ptx_opcode)what && x->kept;
}

static void trace_wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       tc_ptx_opcode what) {
    if (w->cta->run->trace) {
        bool load = what == TC_PTX_TCGEN05_LD;
        tc_observe_event(
            w, op, TC_TRACE_WAIT, TC_UNIT_TENSOR, mask,
            (tc_trace_event){.cycle = w->core->tensor_begin,
                             .group = -1,
                             .bytes = -1,
                             .object = load ? TC_OBJECT_TMEM_LOAD
                                            : TC_OBJECT_TMEM_STORE});
    }
    w->core->tensor_begin = 0;
}

static void wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                 tc_ptx_opcode what) {
    tc_run *r = w->cta->run;
    if (!tc_tmem_together(w, op, mask) ||
        !tc_transfer_wait_warp(w, op, mask, waits_for, what)) {
        return;
    }
    trace_wait(w, op, mask, what);
    if (r->race) { /* any of the warp's threads may tell others */
        tc_race_warp_sync(w, mask);
    }
}

void tc_sim_op_TCGEN05_WAIT_LD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    wait(w, op, mask, TC_PTX_TCGEN05_LD);
}

void tc_sim_op_TCGEN05_WAIT_ST(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    wait(w, op, mask, TC_PTX_TCGEN05_ST);
}

/* 9.7.16.11.1: only the checker has anything to do. */
void tc_sim_op_TCGEN05_FENCE_BEFORE(tc_warp *w, const tc_ptx_op *op,
                                    uint32_t mask) {
    tc_race_proxy_fence(w, op, mask);
}

void tc_sim_op_TCGEN05_FENCE_AFTER(tc_warp *w, const tc_ptx_op *op,
                                   uint32_t mask) {
    tc_race_proxy_fence(w, op, mask);
}
