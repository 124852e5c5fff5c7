/* surface.c - suld.b, sust.b, sured.b (PTX ISA 9.7.11). x counts bytes, y and
 * z rows and planes; a layer stands before them. */
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/isa/texture.h"
#include <string.h>

/* ---- places ---- */

static int64_t coordinate(tc_warp *w, const tc_ptx_operand *v, uint32_t i,
                          int lane) {
    uint32_t tmp[TC_LANES];
    return (int32_t)tc_src32(w, &w->cta->run->module->vec[v->slot + i],
                             tmp)[lane];
}

typedef struct surf_place {
    bool inside;
    uint64_t address;
} surf_place;

/* Brings i into [0, n) where the mode clamps; says whether it is there. */
static bool bring_in(const tc_ptx_op *op, int64_t n, int64_t *i) {
    bool inside = *i >= 0 && *i < n;
    if (!inside && (op->more & TC_PX_SURF_CLAMP)) {
        *i = *i < 0 ? 0 : n - 1;
        inside = true;
    }
    return inside;
}

/* The same for the bytes of an access in a row. */
static bool bring_in_row(const tc_ptx_op *op, int64_t row, int64_t bytes,
                         int64_t *x) {
    int64_t last = row - bytes;
    bool inside = *x >= 0 && *x <= last;
    if (!inside && last >= 0 && (op->more & TC_PX_SURF_CLAMP)) {
        *x = *x < 0 ? 0 : last - last % bytes;
        inside = true;
    }
    return inside;
}

/* x, y and the plane: a layer's or z. */
static void read_coordinates(tc_warp *w, const tc_ptx_op *op,
                             const tc_ptx_operand *v, int lane, int64_t at[3]) {
    bool layer = op->sub2 == TC_TEX_A1D || op->sub2 == TC_TEX_A2D;
    bool rows = op->sub2 != TC_TEX_1D && op->sub2 != TC_TEX_A1D;
    at[0] = coordinate(w, v, layer, lane);
    at[1] = rows ? coordinate(w, v, layer + 1u, lane) : 0;
    at[2] = layer                   ? coordinate(w, v, 0, lane)
            : op->sub2 == TC_TEX_3D ? coordinate(w, v, 2, lane)
                                    : 0;
}

static bool find(tc_warp *w, const tc_ptx_op *op, const tc_ptx_operand *v,
                 int lane, uint64_t handle, uint32_t bytes, surf_place *p) {
    const tc_sim_texture *t = tc_texture_object(w, op, lane, handle, true);
    int64_t at[3];
    if (t == NULL) {
        return false;
    }
    read_coordinates(w, op, v, lane, at);
    int64_t row = (int64_t)(t->width * tc_texture_texel_bytes(t));
    int64_t planes = (int64_t)(op->sub2 == TC_TEX_3D ? t->depth : t->layers);
    const tc_texture_level *l = &t->level[0];
    if (at[0] % (int64_t)bytes != 0) {
        tc_fault_with(w, op, lane, TC_FINDING_MISALIGNED, TC_PS_GLOBAL,
                      l->address + (uint64_t)at[0], bytes,
                      (tc_detail){.row = TC_DETAIL_TEXTURE,
                                  .why = "a surface's x counts bytes"});
        return false;
    }
    p->inside = bring_in_row(op, row, bytes, &at[0]) &&
                bring_in(op, (int64_t)t->height, &at[1]) &&
                bring_in(op, planes, &at[2]);
    if (!p->inside && (op->more & TC_PX_SURF_TRAP)) {
        tc_fault_with(
            w, op, lane, TC_FINDING_TRAP, TC_PS_GLOBAL, l->address, bytes,
            (tc_detail){
                .row = TC_DETAIL_TEXTURE,
                .why = tc_format(
                    w->cta->run->sim->arena,
                    "byte %lld, row %lld, plane %lld is beyond the surface of "
                    "%lld bytes, %lld rows, %lld planes",
                    (long long)at[0], (long long)at[1], (long long)at[2],
                    (long long)row, (long long)t->height, (long long)planes)});
        return false;
    }
    if (p->inside) {
        p->address = l->address + (uint64_t)at[2] * l->slice +
                     (uint64_t)at[1] * l->pitch + (uint64_t)at[0];
    }
    return true;
}

/* ---- lanes ---- */

typedef struct surf_lanes {
    uint64_t address[TC_LANES];
    uint8_t *bytes[TC_LANES];
    uint32_t inside;
} surf_lanes;

/* False after a fault. */
static bool find_lanes(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       int object, uint32_t bytes, surf_lanes *l) {
    uint64_t handle[TC_LANES];
    tc_operand_addresses(w, &op->a[object], handle);
    *l = (surf_lanes){0};
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        surf_place p = {0};
        tc_resolved at;
        if (!find(w, op, &op->a[object + 1], i, handle[i], bytes, &p) ||
            (p.inside && !tc_resolve_lane(w, op, TC_PS_GLOBAL, i, p.address,
                                          bytes, 1, &at))) {
            return false;
        }
        if (p.inside) {
            l->address[i] = p.address;
            l->bytes[i] = at.bytes;
            l->inside |= UINT32_C(1) << i;
        }
    }
    return true;
}

static const tc_ptx_operand *element(const tc_warp *w, const tc_ptx_operand *o,
                                     uint32_t i) {
    return o->kind == TC_PO_VECTOR ? &w->cta->run->module->vec[o->slot + i] : o;
}

void tc_sim_op_SULD_B(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t size = tc_ptx_type_bytes[op->type];
    surf_lanes l;
    if (!find_lanes(w, op, mask, 1, size * op->nvec, &l)) {
        return;
    }
    if (l.inside) {
        tc_isa_observe(w, op, TC_PS_GLOBAL, l.inside, l.address,
                       size * op->nvec, false);
    }
    for (uint32_t e = 0; e < op->nvec; e++) {
        const tc_ptx_operand *d = element(w, &op->a[0], e);
        uint64_t wide[TC_LANES] = {0};
        uint32_t v[TC_LANES];
        for (int i = 0; i < TC_LANES; i++) {
            if (l.bytes[i] != NULL) {
                memcpy(&wide[i], l.bytes[i] + e * size, size);
            }
            v[i] = (uint32_t)wide[i];
        }
        if (d->kind == TC_PO_REG && d->cls == TC_PF_64) {
            tc_put64(w, d, wide, mask);
        } else {
            tc_put32(w, d, v, mask);
        }
    }
}

/* A source of any width, as 64 bits. */
static void source(tc_warp *w, const tc_ptx_operand *o, uint32_t size,
                   uint64_t out[TC_LANES]) {
    uint32_t tmp[TC_LANES];
    uint64_t wide[TC_LANES];
    if (size == 8 || (o->kind == TC_PO_REG && o->cls == TC_PF_64)) {
        memcpy(out, tc_src64(w, o, wide), sizeof wide);
        return;
    }
    const uint32_t *v = tc_src32(w, o, tmp);
    for (int i = 0; i < TC_LANES; i++) {
        out[i] = v[i];
    }
}

void tc_sim_op_SUST_B(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t size = tc_ptx_type_bytes[op->type];
    surf_lanes l;
    if (!find_lanes(w, op, mask, 0, size * op->nvec, &l)) {
        return;
    }
    w->cta->run->progress++;
    if (l.inside) {
        tc_isa_observe(w, op, TC_PS_GLOBAL, l.inside, l.address,
                       size * op->nvec, true);
    }
    for (uint32_t e = 0; e < op->nvec; e++) {
        uint64_t v[TC_LANES];
        source(w, element(w, &op->a[2], e), size, v);
        for (uint32_t m = l.inside; m; m &= m - 1) {
            int i = tc_first_bit(m);
            memcpy(l.bytes[i] + e * size, &v[i], size);
        }
    }
}

void tc_sim_op_SURED_B(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t size = tc_ptx_type_bytes[op->type];
    uint64_t v[TC_LANES];
    surf_lanes l;
    if (!find_lanes(w, op, mask, 0, size, &l)) {
        return;
    }
    w->cta->run->progress++;
    if (l.inside) {
        tc_observe_atomic(w, op, TC_PS_GLOBAL, l.inside, l.address, size);
    }
    source(w, &op->a[2], size, v);
    for (uint32_t m = l.inside; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint64_t old = 0;
        memcpy(&old, l.bytes[i], size);
        old =
            tc_atomic_combine(op->sub, (tc_ptx_type)op->type, old, v[i], true);
        memcpy(l.bytes[i], &old, size);
    }
}
