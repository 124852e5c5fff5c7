/* wgmma.c - asynchronous products of a warpgroup (PTX ISA 9.7.15).
 *
 * Each of the four warps has 16 of the 64 rows of D and of A, and all of B:
 * they go about it one by one, a transfer each, that reads shared memory as the
 * async proxy and writes D between issue and wait_group. Products of one warp
 * land in the order of issue. Sums are as mma's (isa/mma.c). Products of .b1
 * are not built.
 */
#include "sim/async/wgmma.h"
#include "sim/alu/alu.h"
#include "sim/async/transfer.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include <stdlib.h>

enum { ROWS = 16, MOST_N = 256, MOST_K = 32 };

/* Under the clock: cycles until the first sums; no figure of NVIDIA's. A tensor
 * core makes 16 rows of N sums of 32 bytes of K in N / 2 cycles. */
enum { LATENCY = 32 };

/* One wgmma.mma_async of one warp. */
typedef struct group_product {
    tc_wgmma_source a, b;
    tc_matrix fragment; /* of A, where it is in registers */
    tc_matrix d;
    bool in_registers, scale;
    double sign;   /* of the product */
    int32_t group; /* ordinal of its commit, -1 none yet */
    double ma[ROWS * MOST_K], mb[MOST_K * MOST_N];
} group_product;

static bool is_product(const tc_warp *w, const tc_transfer *x) {
    return x->warp == w && x->kept && x->op->opcode == TC_PTX_WGMMA_MMA_ASYNC;
}

static uint32_t depth_of(const tc_ptx_op *op) {
    return TC_MMA_K(op->size);
}

static uint32_t bytes_of(const tc_ptx_op *op) {
    return 32 / depth_of(op);
}

static double number(tc_ptx_type t, uint32_t bits) {
    bool integer = t == TC_PT_S8 || t == TC_PT_U8;
    return integer ? tc_mma_integer(t, bits) : tc_mma_float(t, bits);
}

/* ---- the sources ---- */

/* Rows of A, or columns of B, first to first + n, are in shared memory. */
static bool inside(tc_warp *w, const tc_ptx_op *op, const tc_wgmma_source *s,
                   uint32_t first, uint32_t n, tc_race_agent *race) {
    uint32_t last = UINT32_MAX, in;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < depth_of(op); k++) {
            uint32_t at = tc_wgmma_chunk(s, first + i, k, bytes_of(op), &in);
            if (at + 16 > w->cta->shared_bytes) {
                tc_finding_fault(w, op, 0, TC_FINDING_OUT_OF_BOUNDS,
                                 TC_PS_SHARED, at, 16, TC_DETAIL_WGMMA_BEYOND);
                return false;
            }
            bool again = at == last || (s->transposed && in != 0);
            if (race && !again) {
                tc_race_agent_access(race, w->cta, TC_PS_SHARED, at, 16, false);
            }
            last = at;
        }
    }
    return true;
}

static double element(const tc_transfer *x, const tc_wgmma_source *s,
                      tc_ptx_type t, uint32_t i, uint32_t k) {
    uint32_t in, bits = 0, bytes = bytes_of(x->op);
    uint32_t at = tc_wgmma_chunk(s, i, k, bytes, &in);
    memcpy(&bits, x->warp->cta->shared + at + in, bytes);
    return number(t, bits);
}

static void fetch(tc_run *r, tc_transfer *x) {
    group_product *g = x->state;
    uint32_t n = g->d.cols, depth = depth_of(x->op);
    uint32_t first = x->warp->index % 4 * ROWS;
    (void)r;
    for (uint32_t k = 0; k < depth; k++) {
        for (uint32_t j = 0; j < n; j++) {
            g->mb[k * n + j] =
                element(x, &g->b, (tc_ptx_type)x->op->type3, j, k);
        }
        for (uint32_t i = 0; i < ROWS && !g->in_registers; i++) {
            g->ma[i * depth + k] =
                element(x, &g->a, (tc_ptx_type)x->op->type2, first + i, k);
        }
    }
}

/* A of the warp's registers, as they are now. */
static void take_registers(tc_warp *w, const tc_ptx_op *op, group_product *g) {
    const tc_ptx_operand *v = &w->cta->run->module->vec[op->a[1].slot];
    const tc_matrix *m = &g->fragment;
    for (uint32_t r = 0; r < m->regs; r++) {
        uint32_t tmp[TC_LANES];
        const uint32_t *s = tc_src32(w, &v[r], tmp);
        for (uint32_t k = 0; k < TC_LANES * m->per; k++) {
            uint32_t i = k / m->per, j = k % m->per;
            tc_mma_element p = tc_mma_element_of(m, i, r, j);
            uint32_t bits = m->bits == 32
                                ? s[i]
                                : s[i] >> j * m->bits & ((1u << m->bits) - 1);
            g->ma[p.row * m->cols + p.col] = number(m->type, bits);
        }
    }
}

/* ---- the product ---- */

static uint32_t rounded(const tc_ptx_op *op, double x) {
    if (op->type == TC_PT_S32) { /* exact: below 2^53 */
        bool sat = (op->more & TC_PX_MMA_SATFINITE) != 0;
        int64_t v = (int64_t)x;
        return sat && v > INT32_MAX   ? (uint32_t)INT32_MAX
               : sat && v < INT32_MIN ? (uint32_t)INT32_MIN
                                      : (uint32_t)v;
    }
    return op->type == TC_PT_F16 ? (uint32_t)tc_pack_double(TC_PT_F16, x, TC_RN)
           : x != x              ? 0x7fffffffu
                                 : tc_u32((float)x);
}

static double start_of(const tc_ptx_op *op, uint32_t bits) {
    return op->type == TC_PT_S32 ? (double)(int32_t)bits
                                 : tc_mma_float((tc_ptx_type)op->type, bits);
}

static double sum_at(const group_product *g, uint32_t depth, tc_mma_element p,
                     double sum) {
    const double *a = &g->ma[p.row * depth];
    for (uint32_t k = 0; k < depth; k++) {
        sum += g->sign * a[k] * g->mb[k * g->d.cols + p.col];
    }
    return sum;
}

/* Earlier products of the warp go first: they may have the same D. */
static void land_earlier(const tc_transfer *x) {
    for (tc_transfer *t = x->warp->cta->transfers; t && t != x; t = t->next) {
        if (is_product(x->warp, t) && !t->landed) {
            tc_transfer_land(t);
        }
    }
}

static void land(tc_run *r, tc_transfer *x) {
    const group_product *g = x->state;
    const tc_ptx_operand *v = &r->module->vec[x->op->a[0].slot];
    const tc_matrix *m = &g->d;
    uint32_t depth = depth_of(x->op);
    land_earlier(x);
    for (uint32_t i = 0; i < m->regs && x->warp->alive; i++) {
        uint32_t tmp[TC_LANES], d[TC_LANES] = {0};
        const uint32_t *c = tc_src32(x->warp, &v[i], tmp);
        for (uint32_t k = 0; k < TC_LANES * m->per; k++) {
            uint32_t lane = k / m->per, j = k % m->per;
            uint32_t shift = j * m->bits % 32;
            uint32_t bits = m->per == 1 ? c[lane] : c[lane] >> shift & 0xffff;
            double sum = g->scale ? start_of(x->op, bits) : 0;
            tc_mma_element p = tc_mma_element_of(m, lane, i, j);
            d[lane] |= rounded(x->op, sum_at(g, depth, p, sum)) << shift;
        }
        tc_put32(x->warp, &v[i], d, UINT32_MAX);
    }
}

static void drop(tc_transfer *x) {
    free(x->state);
}

/* ---- wgmma.fence ---- */

/* Registers of the largest function: a call keeps the set. */
static uint32_t set_bytes(const tc_warp *w) {
    const tc_ptx_module *m = w->cta->run->module;
    uint32_t n = 0;
    for (int i = 0; i < m->nfuncs; i++) {
        n = m->funcs[i].n32 > n ? m->funcs[i].n32 : n;
    }
    return n / 8 + 1;
}

void tc_sim_op_WGMMA_FENCE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (tc_mma_together(w, op, mask)) {
        free(w->core->wgmma_touched);
        w->core->wgmma_touched = tc_xcalloc(set_bytes(w), 1);
    }
}

static void mark(tc_warp *w, const tc_ptx_operand *o) {
    if (o->kind == TC_PO_VECTOR) {
        for (uint32_t i = 0; i < o->nvec; i++) {
            mark(w, &w->cta->run->module->vec[o->slot + i]);
        }
    } else if (o->kind == TC_PO_REG && o->cls == TC_PF_32 &&
               o->slot / 8 < set_bytes(w)) {
        w->core->wgmma_touched[o->slot / 8] |= (uint8_t)(1u << o->slot % 8);
    }
}

void tc_wgmma_touch(tc_warp *w, const tc_ptx_op *op) {
    if (op->opcode == TC_PTX_MOV) {
        return; /* nvcc puts it wherever it likes: behind the fence, too */
    }
    for (int i = 0; w->core->wgmma_touched && i < op->noperands && i < 8; i++) {
        mark(w, &op->a[i]);
    }
}

static bool is_touched(const tc_warp *w, const tc_ptx_operand *v) {
    for (uint32_t i = 0; v->kind == TC_PO_VECTOR && i < v->nvec; i++) {
        uint32_t slot = w->cta->run->module->vec[v->slot + i].slot;
        if (slot / 8 < set_bytes(w) &&
            (w->core->wgmma_touched[slot / 8] >> slot % 8 & 1)) {
            return true;
        }
    }
    return false;
}

/* 9.7.15.7.1: before the first product, and between what touches its registers
 * and the product. */
static void check_fence(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    bool fenced = w->core->wgmma_touched && !is_touched(w, &op->a[0]) &&
                  !is_touched(w, &op->a[1]);
    if (fenced || !r->sim->options.hazards) {
        return;
    }
    tc_finding f = {.kind = TC_FINDING_DATA_RACE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first_bit(mask)),
                    .missing = TC_MISSING_WGMMA_FENCE,
                    .lanes = tc_popc(mask)};
    tc_finding_add(r, &f);
}

/* ---- issue ---- */

static bool uniform(tc_warp *w, const tc_ptx_op *op, const uint64_t *v) {
    for (int i = 1; i < TC_LANES; i++) {
        if (v[i] != v[0]) {
            tc_finding_fault(w, op, i, TC_FINDING_TRAP, TC_PS_SHARED,
                             (v[i] & 0x3fff) << 4, 16,
                             TC_DETAIL_WGMMA_DESCRIPTORS);
            return false;
        }
    }
    return true;
}

static bool describe(tc_warp *w, const tc_ptx_op *op, group_product *g) {
    uint64_t tmp[TC_LANES];
    const uint64_t *v = tc_src64(w, &op->a[2], tmp);
    g->in_registers = op->a[1].kind == TC_PO_VECTOR;
    g->group = -1;
    bool halves = op->type2 == TC_PT_F16 || op->type2 == TC_PT_BF16;
    int64_t trans_a = !g->in_registers && halves ? op->a[6].imm : 0;
    int64_t trans_b = halves ? op->a[g->in_registers ? 6 : 7].imm : 0;
    bool good = uniform(w, op, v);
    g->b = tc_wgmma_descriptor(v[0], trans_b != 0);
    if (good && !g->in_registers) {
        v = tc_src64(w, &op->a[1], tmp);
        good = uniform(w, op, v);
        g->a = tc_wgmma_descriptor(v[0], trans_a != 0);
    }
    uint32_t scale = tc_src_pred(w, &op->a[3]);
    g->scale = scale != 0;
    g->sign =
        op->a[4].kind == TC_PO_IMM ? (double)(op->a[4].imm * op->a[5].imm) : 1;
    uint32_t size = TC_MMA_SHAPE(ROWS, TC_MMA_N(op->size), depth_of(op));
    g->fragment = tc_mma_matrix(TC_MMA_A, (tc_ptx_type)op->type2, size);
    g->d = tc_mma_matrix(TC_MMA_C, (tc_ptx_type)op->type, size);
    return good;
}

void tc_sim_op_WGMMA_MMA_ASYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    if (!tc_mma_together(w, op, mask)) {
        return;
    }
    group_product *g = tc_xcalloc(1, sizeof *g);
    uint32_t first = w->index % 4 * ROWS;
    if (!describe(w, op, g) || !inside(w, op, &g->b, 0, g->d.cols, NULL) ||
        (!g->in_registers && !inside(w, op, &g->a, first, ROWS, NULL))) {
        free(g);
        return;
    }
    check_fence(w, op, mask);
    if (g->in_registers) {
        take_registers(w, op, g);
    }
    tc_transfer *x = tc_transfer_new(w, op, tc_first_bit(mask));
    x->state = g;
    x->drop = drop;
    x->kept = true;
    x->fetch = fetch;
    x->land = land;
    x->from = (tc_transfer_end){TC_PS_SHARED, w->cta, g->b.start};
    x->lanes = mask;
    if (x->race) {
        inside(w, op, &g->b, 0, g->d.cols, x->race);
        if (!g->in_registers) {
            inside(w, op, &g->a, first, ROWS, x->race);
        }
    }
    k->wgmma_free = k->wgmma_free > r->cycle ? k->wgmma_free : r->cycle;
    k->wgmma_free += g->d.cols / 2;
    x->complete = x->source = k->wgmma_free + LATENCY;
    tc_transfer_start(x);
}

/* ---- groups ---- */

static void trace_group(tc_warp *w, const tc_ptx_op *op, tc_trace_kind kind,
                        uint32_t mask, int64_t group) {
    if (w->cta->run->trace) {
        tc_observe_event(
            w, op, kind, TC_UNIT_TENSOR, mask,
            (tc_trace_event){.cycle = w->core->tensor_begin,
                             .group = group < 0 ? -1 : (int32_t)group,
                             .bytes = -1,
                             .object = TC_OBJECT_MMA_GROUP});
    }
    w->core->tensor_begin = 0;
}

void tc_sim_op_WGMMA_COMMIT_GROUP(tc_warp *w, const tc_ptx_op *op,
                                  uint32_t mask) {
    if (!tc_mma_together(w, op, mask)) {
        return;
    }
    int32_t group = (int32_t)w->core->wgmma_groups++;
    for (tc_transfer *x = w->cta->transfers; x; x = x->next) {
        group_product *g = x->state;
        if (is_product(w, x) && g->group < 0) {
            g->group = x->group = group;
            tc_race_agent_committed(x->race);
        }
    }
    trace_group(w, op, TC_TRACE_COMMIT, mask, group);
}

static bool covers(const tc_warp *w, const tc_transfer *x, int64_t leave) {
    if (!is_product(w, x)) {
        return false;
    }
    const group_product *g = x->state;
    return g->group >= 0 && g->group < (int64_t)w->core->wgmma_groups - leave;
}

void tc_sim_op_WGMMA_WAIT_GROUP(tc_warp *w, const tc_ptx_op *op,
                                uint32_t mask) {
    int64_t leave = op->a[0].imm;
    if (!tc_mma_together(w, op, mask) ||
        !tc_transfer_wait_warp(w, op, mask, covers, leave)) {
        return;
    }
    trace_group(w, op, TC_TRACE_WAIT, mask,
                (int64_t)w->core->wgmma_groups - leave - 1);
}
