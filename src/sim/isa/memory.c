/* memory.c - loads and stores (PTX ISA 9.7.9.8, 9.7.9.11).
 *
 * The lanes of an access are served in groups that lie in one window (an
 * allocation, the CTA's shared memory, ...), checked once for the group. */
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include <string.h>

/* Where the bytes of a group of lanes are. Per lane: base + lane * stride. */
typedef struct state_space {
    uint8_t *bytes;
    uint64_t origin, size;
    uint64_t stride; /* local memory: each lane has its own */
    bool constant;   /* nobody writes it */
} state_space;

static bool find_window(tc_warp *w, tc_ptx_space space, uint64_t address,
                        state_space *win) {
    tc_cta *c = w->cta;
    *win = (state_space){0};
    switch (space) {
    case TC_PS_SHARED:
        win->bytes = c->shared;
        win->size = c->shared_bytes;
        return true;
    case TC_PS_CLUSTER: {
        uint64_t offset;
        tc_cta *owner = tc_cluster_owner(c, address, &offset);
        if (!owner) {
            return false;
        }
        win->bytes = owner->shared;
        win->origin = address - offset;
        win->size = owner->shared_bytes;
        return true;
    }
    case TC_PS_LOCAL:
        win->size = win->stride = c->local_bytes;
        win->bytes = c->local;
        if (c->local) {
            win->bytes += (uint64_t)w->index * TC_LANES * c->local_bytes;
        }
        return true;
    case TC_PS_PARAM:
        /* Only read: ops that store to it are refused when decoded. */
        win->bytes = (uint8_t *)(uintptr_t)c->run->launch->params;
        win->size = c->run->launch->nparams;
        return true;
    default: {
        tc_sim_allocation *a = tc_allocation_find(c->run, address);
        if (!a) {
            return false;
        }
        win->bytes = a->bytes;
        win->origin = a->address;
        win->size = a->size;
        win->constant = a->constant;
        return true;
    }
    }
}

/* Lanes of mask whose bytes lie in the window. */
static uint32_t in_window(const state_space *win, const uint64_t *addr,
                          uint32_t bytes, uint32_t mask) {
    uint32_t in = 0;
    if (win->size < bytes) {
        return 0;
    }
    uint64_t last = win->size - bytes;
    for (int i = 0; i < TC_LANES; i++) {
        in |= (uint32_t)(addr[i] - win->origin <= last) << i;
    }
    return in & mask;
}

static uint32_t misaligned(const uint64_t *addr, uint32_t bytes,
                           uint32_t mask) {
    uint32_t bad = 0;
    for (int i = 0; i < TC_LANES; i++) {
        bad |= (uint32_t)((addr[i] & (bytes - 1)) != 0) << i;
    }
    return bad & mask;
}

static bool consecutive(const uint64_t *addr, uint32_t bytes) {
    uint64_t diff = 0, a = addr[0];
    for (uint32_t i = 0; i < TC_LANES; i++) {
        diff |= addr[i] ^ (a + (uint64_t)i * bytes);
    }
    return diff == 0;
}

/* ---- elements: one register row at a time ---- */

#define ROW(T, row, expr)                                                      \
    for (uint32_t m = mask; m; m &= m - 1) {                                   \
        int i = tc_first_bit(m);                                               \
        T v;                                                                   \
        memcpy(&v,                                                             \
               p + (addr[i] - win->origin) + win->stride * (uint64_t)i +       \
                   offset,                                                     \
               sizeof v);                                                      \
        (row)[i] = (expr);                                                     \
    }

static void load_row(tc_warp *w, const tc_ptx_operand *d, tc_ptx_type t,
                     uint32_t mask, const state_space *win,
                     const uint64_t *addr, uint32_t offset) {
    const uint8_t *p = win->bytes;
    uint32_t *r32 = d->kind == TC_PO_REG && d->cls == TC_PF_32
                        ? tc_row32(w, d->slot)
                        : NULL;
    uint64_t *r64 = d->kind == TC_PO_REG && d->cls == TC_PF_64
                        ? tc_row64(w, d->slot)
                        : NULL;
    uint32_t sink32[TC_LANES];
    if (!r32 && !r64) {
        r32 = sink32; /* _ */
    }
    /* A 16-bit register holds 16 bits, zeros above (ptx.h). */
    uint32_t keep = d->nvec == 2 ? 0xFFFF : UINT32_MAX;
    bool sign = t == TC_PT_S8 || t == TC_PT_S16 || t == TC_PT_S32;
    switch (tc_ptx_type_bytes[t]) {
    case 1:
        if (r64) {
            ROW(uint8_t, r64, sign ? (uint64_t)(int64_t)(int8_t)v : v)
        } else {
            ROW(uint8_t, r32, sign ? (uint32_t)(int32_t)(int8_t)v & keep : v)
        }
        break;
    case 2:
        if (r64) {
            ROW(uint16_t, r64, sign ? (uint64_t)(int64_t)(int16_t)v : v)
        } else {
            ROW(uint16_t, r32, sign ? (uint32_t)(int32_t)(int16_t)v & keep : v)
        }
        break;
    case 4:
        if (r64) {
            ROW(uint32_t, r64, sign ? (uint64_t)(int64_t)(int32_t)v : v)
        } else {
            ROW(uint32_t, r32, v)
        }
        break;
    default:
        if (r64) {
            ROW(uint64_t, r64, v)
        }
        break;
    }
}

#define PUT(T, row)                                                            \
    for (uint32_t m = mask; m; m &= m - 1) {                                   \
        int i = tc_first_bit(m);                                               \
        T v = (T)(row)[i];                                                     \
        memcpy(p + (addr[i] - win->origin) + win->stride * (uint64_t)i +       \
                   offset,                                                     \
               &v, sizeof v);                                                  \
    }

static void store_row(tc_warp *w, const tc_ptx_operand *s, tc_ptx_type t,
                      uint32_t mask, const state_space *win,
                      const uint64_t *addr, uint32_t offset) {
    uint8_t *p = win->bytes;
    uint32_t size = tc_ptx_type_bytes[t];
    if (size == 8 || (s->kind == TC_PO_REG && s->cls == TC_PF_64)) {
        uint64_t tmp[TC_LANES];
        const uint64_t *r = tc_src64(w, s, tmp);
        switch (size) {
        case 1:
            PUT(uint8_t, r) break;
        case 2:
            PUT(uint16_t, r) break;
        case 4:
            PUT(uint32_t, r) break;
        default:
            PUT(uint64_t, r) break;
        }
        return;
    }
    uint32_t tmp[TC_LANES];
    const uint32_t *r = tc_src32(w, s, tmp);
    switch (size) {
    case 1:
        PUT(uint8_t, r) break;
    case 2:
        PUT(uint16_t, r) break;
    default:
        PUT(uint32_t, r) break;
    }
}

/* ---- groups ---- */

static const tc_ptx_operand *element(const tc_warp *w, const tc_ptx_operand *o,
                                     uint32_t i) {
    return o->kind == TC_PO_VECTOR ? &w->cta->run->module->vec[o->slot + i] : o;
}

/* Half i of a .b128 operand (ptx.h: two 64-bit slots). */
static tc_ptx_operand half_of(const tc_ptx_operand *o, uint32_t i) {
    tc_ptx_operand h = *o;
    if (o->kind == TC_PO_REG) {
        h.slot += i;
        h.nvec = 8;
    } else if (i > 0) {
        h.imm = o->imm < 0 ? -1 : 0;
    }
    return h;
}

static void load_group(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                       const state_space *win, const uint64_t *addr,
                       uint32_t bytes) {
    uint32_t n = op->nvec ? op->nvec : 1, size = bytes / n;
    const tc_ptx_operand *d = &op->a[0];
    if (op->type == TC_PT_B128) {
        for (uint32_t i = 0; i < 2; i++) {
            tc_ptx_operand half = half_of(d, i);
            load_row(w, &half, TC_PT_B64, mask, win, addr, i * 8);
        }
        return;
    }
    if (n == 1 && size >= 4 && mask == UINT32_MAX && !win->stride &&
        d->kind == TC_PO_REG && (d->cls == TC_PF_64) == (size == 8) &&
        consecutive(addr, bytes)) {
        void *row = size == 8 ? (void *)tc_row64(w, d->slot)
                              : (void *)tc_row32(w, d->slot);
        memcpy(row, win->bytes + (addr[0] - win->origin), bytes * TC_LANES);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        load_row(w, element(w, d, i), (tc_ptx_type)op->type, mask, win, addr,
                 i * size);
    }
}

static void store_group(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                        const state_space *win, const uint64_t *addr,
                        uint32_t bytes) {
    uint32_t n = op->nvec ? op->nvec : 1, size = bytes / n;
    const tc_ptx_operand *s = &op->a[1];
    if (op->type == TC_PT_B128) {
        for (uint32_t i = 0; i < 2; i++) {
            tc_ptx_operand half = half_of(s, i);
            store_row(w, &half, TC_PT_B64, mask, win, addr, i * 8);
        }
        return;
    }
    if (n == 1 && size >= 4 && mask == UINT32_MAX && !win->stride &&
        s->kind == TC_PO_REG && (s->cls == TC_PF_64) == (size == 8) &&
        consecutive(addr, bytes)) {
        const void *row = size == 8 ? (const void *)tc_row64(w, s->slot)
                                    : (const void *)tc_row32(w, s->slot);
        memcpy(win->bytes + (addr[0] - win->origin), row, bytes * TC_LANES);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        store_row(w, element(w, s, i), (tc_ptx_type)op->type, mask, win, addr,
                  i * size);
    }
}

/* One space, all checks. observe is a constant where this is inlined. */
static inline __attribute__((always_inline)) void
access_space(tc_warp *w, const tc_ptx_op *op, uint32_t mask, tc_ptx_space space,
             const uint64_t *addr, bool store, bool observe) {
    uint32_t bytes = tc_ptx_type_bytes[op->type] * (op->nvec ? op->nvec : 1u);
    uint32_t bad = misaligned(addr, bytes, mask);
    if (bad) {
        int lane = tc_first_bit(bad);
        tc_finding_fault(w, op, lane, TC_FINDING_MISALIGNED, space, addr[lane],
                         bytes, TC_DETAIL_NONE);
        return;
    }
    while (mask) {
        state_space win;
        int lane = tc_first_bit(mask);
        uint32_t group = find_window(w, space, addr[lane], &win)
                             ? in_window(&win, addr, bytes, mask)
                             : 0;
        if (!(group & UINT32_C(1) << lane)) {
            tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, space,
                             addr[lane], bytes, TC_DETAIL_NONE);
            return;
        }
        if (store && win.constant && op->space == TC_PS_GENERIC) {
            tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, space,
                             addr[lane], bytes, TC_DETAIL_CONSTANT);
            return;
        }
        if (space == TC_PS_CLUSTER) {
            if (!tc_cluster_access(w, op, group, addr, bytes, store)) {
                return;
            }
        } else if (observe) {
            tc_isa_observe(w, op, space, group, addr, bytes, store);
        }
        if (store) {
            store_group(w, op, group, &win, addr, bytes);
        } else {
            load_group(w, op, group, &win, addr, bytes);
        }
        mask &= ~group;
    }
}

/* Generic addresses: the lanes of each window in turn, as offsets in it. */
static void access_generic(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                           uint64_t *addr, bool store, bool observe) {
    uint32_t shared = 0, local = 0, cluster = 0, param = 0;
    for (int i = 0; i < TC_LANES; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if (addr[i] - TC_WINDOW_SHARED < TC_WINDOW_BYTES) {
            addr[i] -= TC_WINDOW_SHARED;
            shared |= bit;
            cluster |= addr[i] >> TC_CLUSTER_SHIFT ? bit : 0;
        } else if (addr[i] - TC_WINDOW_LOCAL < TC_WINDOW_BYTES) {
            addr[i] -= TC_WINDOW_LOCAL;
            local |= bit;
        } else if (!store && addr[i] - TC_WINDOW_PARAM < TC_WINDOW_BYTES) {
            addr[i] -= TC_WINDOW_PARAM;
            param |= bit;
        }
    }
    const uint32_t masks[] = {mask & ~shared & ~local & ~param,
                              mask & shared & ~cluster, mask & local,
                              mask & cluster, mask & param};
    const tc_ptx_space spaces[] = {TC_PS_GLOBAL, TC_PS_SHARED, TC_PS_LOCAL,
                                   TC_PS_CLUSTER, TC_PS_PARAM};
    for (int i = 0; i < 5; i++) {
        if (masks[i] && !w->cta->run->stopped) {
            access_space(w, op, masks[i], spaces[i], addr, store, observe);
        }
    }
}

static inline __attribute__((always_inline)) void
access_op(tc_warp *w, const tc_ptx_op *op, uint32_t mask, bool store,
          bool observe) {
    uint64_t addr[TC_LANES];
    tc_operand_addresses(w, &op->a[store ? 0 : 1], addr);
    if (store && (op->more & TC_PX_LDST_FRAME) == 0) {
        w->cta->run->progress++;
    } else if (op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE)) {
        w->core->asked++;
    }
    if (op->space == TC_PS_GENERIC) {
        access_generic(w, op, mask, addr, store, observe);
    } else {
        access_space(w, op, mask, (tc_ptx_space)op->space, addr, store,
                     observe);
    }
}

void tc_sim_op_LD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    access_op(w, op, mask, false, false);
}

void tc_sim_op_ST(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    access_op(w, op, mask, true, false);
}

void tc_observed_LD(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    access_op(w, op, mask, false, true);
}

void tc_observed_ST(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    access_op(w, op, mask, true, true);
}
