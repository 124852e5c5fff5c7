/* tensor.c - cp.async.bulk.tensor in tile mode, cp.reduce.async.bulk.tensor
 * and the prefetch (PTX ISA 9.7.9.27.1). */
#include "sim/async/tensor.h"
#include "base/target.h"
#include "sim/async/transfer.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/tensormap.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

enum { SHARED_ALIGN = 128 }; /* of a box in shared memory */

static bool refuse(tc_warp *w, const tc_ptx_op *op, int lane,
                   const tc_resolved *map, tc_detail why) {
    tc_fault_with(w, op, lane, TC_FINDING_TRAP, map->space, map->address,
                  TC_TENSOR_MAP_BYTES, why);
    return false;
}

/* ---- the operands of one lane ---- */

/* The map's address is generic; the map may lie among the parameters. */
static bool find_map(tc_warp *w, const tc_ptx_op *op, int lane, tc_tensor *t) {
    uint64_t address = tc_bulk_address(
        w, &op->a[op->opcode == TC_PTX_CP_ASYNC_BULK_PREFETCH_TENSOR ? 0 : 1],
        lane);
    tc_ptx_space space = TC_PS_GENERIC;
    tc_resolved at;
    if (address - TC_WINDOW_PARAM < TC_WINDOW_BYTES) {
        address -= TC_WINDOW_PARAM;
        space = TC_PS_PARAM;
    }
    if (!tc_resolve_lane(w, op, space, lane, address, TC_TENSOR_MAP_BYTES,
                         TC_TENSOR_MAP_ALIGN, &at)) {
        return false;
    }
    char why[160];
    if (!tc_sim_map_of(w->cta->run->sim, at.bytes, &t->map)) {
        return refuse(w, op, lane, &at, (tc_detail){.row = TC_DETAIL_NO_MAP});
    }
    if (!tc_tensor_map_usable(&t->map, why, sizeof why)) {
        return refuse(
            w, op, lane, &at,
            (tc_detail){.row = TC_DETAIL_MAP_REFUSED,
                        .why = tc_strdup(w->cta->run->sim->arena, why)});
    }
    if (t->map.rank != op->sub2) {
        return refuse(w, op, lane, &at,
                      (tc_detail){.row = TC_DETAIL_MAP_RANK,
                                  .count = t->map.rank,
                                  .wanted = op->sub2});
    }
    t->four = (op->more & (TC_PX_BULK_GATHER4 | TC_PX_BULK_SCATTER4)) != 0;
    if (t->four && t->map.box[1] != 1) {
        return refuse(w, op, lane, &at,
                      (tc_detail){.row = TC_DETAIL_MAP_FOUR_ROWS});
    }
    return tc_tensor_shape(t) ||
           refuse(w, op, lane, &at, (tc_detail){.row = TC_DETAIL_MAP_BOX});
}

static void find_coordinates(tc_warp *w, const tc_ptx_operand *v, int lane,
                             tc_tensor *t) {
    for (uint32_t i = 0; i < v->nvec && i < 5; i++) {
        const tc_ptx_operand *o = &w->cta->run->module->vec[v->slot + i];
        t->at[i] = (int32_t)tc_bulk_value(w, o, lane);
    }
}

/* What a reduction does to elements of the map's type (9.7.9.27.1.3, and where
 * that is silent tests/gpu/tensor-h200.jsonl); NONE: it does not take them. */
static tc_ptx_type reduced_type(const tc_ptx_op *op, uint32_t type) {
    static const uint8_t types[TC_MAP_TYPE_COUNT] = {
        [TC_MAP_U32] = TC_PT_U32,   [TC_MAP_S32] = TC_PT_S32,
        [TC_MAP_U64] = TC_PT_U64,   [TC_MAP_S64] = TC_PT_S64,
        [TC_MAP_F16] = TC_PT_F16,   [TC_MAP_F32] = TC_PT_F32,
        [TC_MAP_BF16] = TC_PT_BF16, [TC_MAP_F64] = TC_PT_F64};
    uint8_t t = types[type];
    switch (op->sub) {
    case TC_ATOM_ADD:
        return t == TC_PT_S64 ? TC_PT_NONE : t;
    case TC_ATOM_MIN:
    case TC_ATOM_MAX:
        return t == TC_PT_F32 || t == TC_PT_F64 ? TC_PT_NONE : t;
    case TC_ATOM_INC:
    case TC_ATOM_DEC:
        return t == TC_PT_U32 ? t : TC_PT_NONE;
    default:
        return t == TC_PT_U32 || t == TC_PT_S32 || t == TC_PT_U64 ? t
                                                                  : TC_PT_NONE;
    }
}

static bool check_reduction(tc_warp *w, const tc_ptx_op *op, int lane,
                            const tc_tensor *t) {
    if (op->sub == 0 || reduced_type(op, t->map.type) != TC_PT_NONE) {
        return true;
    }
    tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_GLOBAL, t->map.address,
                     t->size, TC_DETAIL_MAP_REDUCTION);
    return false;
}

/* Every row of the box that lies in the tensor must lie in memory. */
static bool check_global(tc_warp *w, const tc_ptx_op *op, int lane,
                         const tc_tensor *t) {
    for (uint32_t r = 0; r < t->rows; r++) {
        tc_tensor_part p = tc_tensor_row(t, r);
        uint64_t bytes = (uint64_t)(p.hi - p.lo) * t->size;
        if (bytes == 0) {
            continue;
        }
        const tc_sim_allocation *a = tc_allocation_find(w->cta->run, p.address);
        if (!a || a->size - (p.address - a->address) < bytes) {
            tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS,
                             TC_PS_GLOBAL, p.address, (uint32_t)bytes,
                             TC_DETAIL_MAP_BEYOND);
            return false;
        }
    }
    return true;
}

/* cta_group::2: the barrier is in either CTA of the pair, and of a multicast in
 * those of its parity. */
static bool pair_barriers(tc_warp *w, tc_bulk *b, uint32_t parity) {
    tc_cta *c = w->cta;
    for (uint32_t i = 0; i < b->ntargets; i++) {
        tc_bulk_target *g = &b->target[i];
        uint32_t rank = (g->to.owner->rank & ~1u) | parity;
        if (c->peers && rank < c->ncluster) {
            g->barrier.cta = c->peers[rank];
        }
    }
    return true;
}

static bool find_barrier(tc_warp *w, const tc_ptx_op *op, int lane,
                         tc_tensor *t) {
    tc_bulk *b = &t->b;
    tc_bulk_target *g = &b->target[0];
    if (!tc_bulk_targets(w, op, lane, b, &op->a[4], (tc_ptx_space)op->space,
                         &op->a[5])) {
        return false;
    }
    bool multicast = op->a[5].kind != TC_PO_NONE;
    if (!g->has_barrier || b->ntargets == 0) {
        return true;
    }
    if (op->more & TC_PX_BULK_CTA_GROUP_2) {
        tc_mbarrier_ref own;
        return tc_mbarrier_find(w, op, lane, (tc_ptx_space)op->space,
                                tc_bulk_address(w, &op->a[4], lane), &own) &&
               pair_barriers(w, b, own.cta->rank & 1);
    }
    if (!multicast && g->barrier.cta != g->to.owner) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_SHARED,
                         g->to.address, b->bytes, TC_DETAIL_TENSOR_MBARRIER);
        return false;
    }
    return true;
}

static bool below_zero(const tc_tensor *t) {
    for (uint32_t i = 0; i < t->map.rank; i++) {
        if (t->at[i] < 0) {
            return true;
        }
    }
    return false;
}

/* What the ISA does not say and an H200 does (tests/gpu/tensor-h200.jsonl): an
 * illegal instruction. */
static bool check_place(tc_warp *w, const tc_ptx_op *op, int lane,
                        const tc_tensor *t) {
    tc_detail_id why = TC_DETAIL_NONE;
    if ((int64_t)t->at[0] * t->size % 16 != 0) {
        why = TC_DETAIL_MAP_INNERMOST;
    } else if (op->space == TC_PS_GLOBAL && below_zero(t)) {
        why = TC_DETAIL_MAP_NEGATIVE;
    } else if (t->map.swizzle > TC_MAP_SWIZZLE_128B &&
               !tc_target_has(w->cta->run->machine->sm, TC_TARGET_ATOMS)) {
        why = TC_DETAIL_MAP_SWIZZLE;
    }
    if (why != TC_DETAIL_NONE) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_GLOBAL,
                         t->map.address, t->size, why);
    }
    return why == TC_DETAIL_NONE;
}

static bool find(tc_warp *w, const tc_ptx_op *op, int lane, tc_tensor *t) {
    bool load = op->space != TC_PS_GLOBAL;
    if (!find_map(w, op, lane, t)) {
        return false;
    }
    find_coordinates(w, &op->a[2], lane, t);
    if (!check_place(w, op, lane, t)) {
        return false;
    }
    t->b.bytes = t->rows * t->row;
    const tc_ptx_operand *o = &op->a[load ? 0 : 3];
    tc_resolved *shared = load ? &t->b.target[0].to : &t->b.from;
    if (!tc_resolve_lane(w, op, (tc_ptx_space)(load ? op->space : op->space2),
                         lane, tc_bulk_address(w, o, lane), t->rows * t->pitch,
                         SHARED_ALIGN, shared) ||
        !check_reduction(w, op, lane, t) || !check_global(w, op, lane, t)) {
        return false;
    }
    if (load) {
        return find_barrier(w, op, lane, t);
    }
    t->b.ntargets = 0;
    t->b.target[0].to = (tc_resolved){.space = TC_PS_GLOBAL,
                                      .address = tc_tensor_row(t, 0).address};
    return true;
}

/* ---- bytes ---- */

static uint8_t *global(tc_run *r, uint64_t address) {
    const tc_sim_allocation *a = tc_allocation_find(r, address);
    return a->bytes + (address - a->address); /* checked at the issue */
}

static void fill(const tc_tensor *t, uint8_t *row, uint32_t from, uint32_t to) {
    uint64_t v = tc_tensor_fill(&t->map);
    for (uint32_t i = from; i < to; i++) {
        memcpy(row + (size_t)i * t->size, &v, t->size);
    }
}

static void fetch_load(tc_run *r, tc_transfer *tr) {
    tc_tensor *t = tr->state;
    t->b.data = tc_xmalloc(t->b.bytes + 1u);
    for (uint32_t i = 0; i < t->rows; i++) {
        uint8_t *row = t->b.data + (size_t)i * t->row;
        tc_tensor_part p = tc_tensor_row(t, i);
        if (p.lo < p.hi) {
            memcpy(row + (size_t)p.lo * t->size, global(r, p.address),
                   (size_t)(p.hi - p.lo) * t->size);
        }
        fill(t, row, 0, p.lo);
        fill(t, row, p.hi, t->n[0]);
    }
}

static void land_load(tc_run *r, tc_transfer *tr) {
    tc_tensor *t = tr->state;
    for (uint32_t i = 0; i < t->b.ntargets; i++) {
        tc_tensor_to_shared(t, &t->b.target[i].to, t->b.data);
    }
    tc_bulk_signal(r, tr);
}

static void fetch_store(tc_run *r, tc_transfer *tr) {
    tc_tensor *t = tr->state;
    (void)r;
    t->b.data = tc_xmalloc(t->b.bytes + 1u);
    tc_tensor_from_shared(t, &t->b.from, t->b.data);
}

static void land_store(tc_run *r, tc_transfer *tr) {
    tc_tensor *t = tr->state;
    for (uint32_t i = 0; i < t->rows; i++) {
        tc_tensor_part p = tc_tensor_row(t, i);
        size_t n = (size_t)(p.hi - p.lo) * t->size;
        const uint8_t *from =
            t->b.data + (size_t)i * t->row + (size_t)p.lo * t->size;
        if (n == 0) {
            continue;
        }
        if (tr->op->sub) {
            tc_bulk_reduce(tr->op, reduced_type(tr->op, t->map.type),
                           global(r, p.address), from, n);
        } else {
            memcpy(global(r, p.address), from, n);
        }
    }
}

/* ---- issue ---- */

/* The checker is told of stretches, not of rows, where rows join. */
static void tell_global(const tc_transfer *tr, const tc_tensor *t, bool store) {
    uint64_t from = 0, to = 0;
    for (uint32_t i = 0; i < t->rows; i++) {
        tc_tensor_part p = tc_tensor_row(t, i);
        uint64_t n = (uint64_t)(p.hi - p.lo) * t->size;
        if (n && p.address == to) {
            to += n;
            continue;
        }
        if (n && to > from) {
            tc_race_agent_access(tr->race, NULL, TC_PS_GLOBAL, from,
                                 (uint32_t)(to - from), store);
        }
        from = n ? p.address : from;
        to = n ? p.address + n : to;
    }
    if (to > from) {
        tc_race_agent_access(tr->race, NULL, TC_PS_GLOBAL, from,
                             (uint32_t)(to - from), store);
    }
}

static void tell_shared(const tc_transfer *tr, const tc_tensor *t,
                        const tc_resolved *at, bool store) {
    if (t->pitch == t->row) {
        tc_race_agent_access(tr->race, at->owner, TC_PS_SHARED, at->address,
                             t->b.bytes, store);
        return;
    }
    for (uint32_t r = 0; r < t->rows; r++) { /* chunks with gaps between */
        uint64_t line = at->address + (uint64_t)r * t->pitch;
        for (uint32_t i = 0; i < t->row; i += 16) {
            uint64_t a = tc_tensor_swizzle(t->map.swizzle, line + i);
            tc_race_agent_access(tr->race, at->owner, TC_PS_SHARED,
                                 a & ~UINT64_C(15), 16, store);
        }
    }
}

static void tell_checker(const tc_transfer *tr, const tc_tensor *t) {
    bool load = tr->op->space != TC_PS_GLOBAL;
    tell_global(tr, t, !load);
    if (!load) {
        tell_shared(tr, t, &t->b.from, false);
    }
    for (uint32_t i = 0; i < t->b.ntargets; i++) {
        tell_shared(tr, t, &t->b.target[i].to, true);
    }
}

static void issue(tc_warp *w, const tc_ptx_op *op, int lane) {
    tc_run *r = w->cta->run;
    bool load = op->space != TC_PS_GLOBAL;
    tc_tensor *t = tc_xcalloc(1, sizeof *t);
    if (!find(w, op, lane, t)) {
        free(t);
        return;
    }
    tc_transfer *tr = tc_bulk_transfer(w, op, lane, &t->b);
    tr->fetch = load ? fetch_load : fetch_store;
    tr->land = load ? land_load : land_store;
    if (tr->race) {
        tell_checker(tr, t);
    }
    if (r->timing) {
        tr->complete = tc_timing_transfer(
            r, t->b.bytes, load ? TC_PS_GLOBAL : TC_PS_SHARED,
            load ? TC_PS_SHARED : TC_PS_GLOBAL, 0, &tr->source);
    }
    tc_transfer_start(tr);
}

void tc_sim_op_CP_ASYNC_BULK_TENSOR(tc_warp *w, const tc_ptx_op *op,
                                    uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        issue(w, op, tc_first_bit(m));
    }
}

void tc_sim_op_CP_REDUCE_ASYNC_BULK_TENSOR(tc_warp *w, const tc_ptx_op *op,
                                           uint32_t mask) {
    tc_sim_op_CP_ASYNC_BULK_TENSOR(w, op, mask);
}

/* A hint, but through a map that must be one. */
void tc_sim_op_CP_ASYNC_BULK_PREFETCH_TENSOR(tc_warp *w, const tc_ptx_op *op,
                                             uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        tc_tensor t = {0};
        find_map(w, op, tc_first_bit(m), &t);
    }
}
