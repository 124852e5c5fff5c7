/* tensormap_replace.c - tensormap.replace (PTX ISA 9.7.9.28) and
 * tensormap.cp_fenceproxy (9.7.13.16): maps that a kernel makes itself. */
#include "sim/async/tensor.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/race/race.h"
#include "sim/tensormap.h"
#include <string.h>

/* Table 33: the numbers of .elemtype are not the driver's. */
static const uint8_t element_types[] = {
    TC_MAP_U8,       TC_MAP_U16,       TC_MAP_U32,        TC_MAP_S32,
    TC_MAP_U64,      TC_MAP_S64,       TC_MAP_F16,        TC_MAP_F32,
    TC_MAP_F32_FTZ,  TC_MAP_F64,       TC_MAP_BF16,       TC_MAP_TF32,
    TC_MAP_TF32_FTZ, TC_MAP_U4_ALIGN8, TC_MAP_U4_ALIGN16, TC_MAP_U6_ALIGN16};

/* A map keeps mode and atomicity as one number. */
static uint32_t atomicity_of(uint32_t swizzle) {
    return swizzle > TC_MAP_SWIZZLE_128B ? swizzle - TC_MAP_SWIZZLE_128B : 0;
}

static void set_field(const tc_ptx_op *op, tc_sim_tensor_map *m, uint64_t v) {
    uint32_t i = (uint32_t)op->a[1].imm, x = (uint32_t)v;
    switch (op->sub) {
    case TC_TMAP_ADDRESS:
        m->address = v;
        break;
    case TC_TMAP_RANK: /* one less than the rank */
        m->rank = x < 8 ? x + 1 : 8;
        break;
    case TC_TMAP_BOX:
        m->box[i] = x;
        break;
    case TC_TMAP_DIM:
        m->dims[i] = x;
        break;
    case TC_TMAP_STRIDE:
        m->strides[i] = v;
        break;
    case TC_TMAP_ELEMENT_STRIDE:
        m->element_strides[i] = x;
        break;
    case TC_TMAP_TYPE:
        m->type = element_types[x];
        break;
    case TC_TMAP_INTERLEAVE:
        m->interleave = x;
        break;
    case TC_TMAP_SWIZZLE:
        m->swizzle =
            x == TC_MAP_SWIZZLE_128B ? x + atomicity_of(m->swizzle) : x;
        break;
    case TC_TMAP_ATOMICITY:
        m->swizzle = m->swizzle >= TC_MAP_SWIZZLE_128B ? TC_MAP_SWIZZLE_128B + x
                                                       : m->swizzle;
        break;
    default:
        m->oob_fill = x;
        break;
    }
}

/* What the checker is told: an access of 128 bytes by one thread. */
static void tell(tc_warp *w, const tc_ptx_op *op, const tc_resolved *at,
                 int lane, bool store) {
    uint64_t address[TC_LANES] = {0};
    for (uint32_t i = 0; w->cta->run->race && i < TC_TENSOR_MAP_BYTES;
         i += 16) {
        address[lane] = at->address + i;
        tc_race_access(w, op, at->space, UINT32_C(1) << lane, address, 16,
                       store);
    }
}

/* 128 bytes of zeros are a map too, as the driver's format has it: its numbers
 * are less by one (dimensions, boxes, element strides). Compilers begin with
 * them. */
static bool is_zero(const uint8_t *bytes, tc_sim_tensor_map *m) {
    for (int i = 0; i < TC_TENSOR_MAP_BYTES; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    *m = (tc_sim_tensor_map){.rank = 1,
                             .dims = {1, 1, 1, 1, 1},
                             .box = {1, 1, 1, 1, 1},
                             .element_strides = {1, 1, 1, 1, 1}};
    return true;
}

static void replace(tc_warp *w, const tc_ptx_op *op, int lane) {
    uint64_t tmp[TC_LANES];
    tc_resolved at;
    tc_sim_tensor_map m;
    if (!tc_resolve_lane(w, op, (tc_ptx_space)op->space, lane,
                         tc_bulk_address(w, &op->a[0], lane),
                         TC_TENSOR_MAP_BYTES, TC_TENSOR_MAP_ALIGN, &at)) {
        return;
    }
    if ((at.space != TC_PS_GLOBAL && at.owner != w->cta) ||
        (!tc_sim_map_of(w->cta->run->sim, at.bytes, &m) &&
         !is_zero(at.bytes, &m))) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, at.space, at.address,
                         TC_TENSOR_MAP_BYTES, TC_DETAIL_NO_MAP_TO_CHANGE);
        return;
    }
    tell(w, op, &at, lane, true);
    set_field(op, &m, tc_src64(w, &op->a[2], tmp)[lane]);
    tc_tensor_map_pack(&m, at.bytes);
    w->cta->run->progress++;
}

void tc_sim_op_TENSORMAP_REPLACE(tc_warp *w, const tc_ptx_op *op,
                                 uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        replace(w, op, tc_first_bit(m));
    }
}

static void copy(tc_warp *w, const tc_ptx_op *op, int lane, bool told) {
    tc_resolved to, from;
    if (!tc_resolve_lane(w, op, TC_PS_GLOBAL, lane,
                         tc_bulk_address(w, &op->a[0], lane),
                         TC_TENSOR_MAP_BYTES, TC_TENSOR_MAP_ALIGN, &to) ||
        !tc_resolve_lane(w, op, TC_PS_SHARED, lane,
                         tc_bulk_address(w, &op->a[1], lane),
                         TC_TENSOR_MAP_BYTES, TC_TENSOR_MAP_ALIGN, &from)) {
        return;
    }
    if (told) {
        tell(w, op, &from, lane, false);
        tell(w, op, &to, lane, true);
    }
    memcpy(to.bytes, from.bytes, TC_TENSOR_MAP_BYTES);
}

/* The lanes of the warp copy together, and order the copy before what goes
 * through the map. */
void tc_sim_op_TENSORMAP_CP_FENCEPROXY(tc_warp *w, const tc_ptx_op *op,
                                       uint32_t mask) {
    if (!tc_warp_converged(w, op, mask, w->valid)) {
        return;
    }
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        copy(w, op, tc_first_bit(m), tc_first_bit(m) == tc_first_bit(mask));
    }
    w->cta->run->progress++;
    if (w->cta->run->race) {
        tc_race_proxy_fence(w, op, mask);
    }
}
