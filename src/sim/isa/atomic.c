/* atomic.c - atom and red (PTX ISA 9.7.13.5, 9.7.13.6).
 *
 * The lanes of an op are served one after the other, in their order: one of
 * the orders that the ISA allows. */
#include "sim/alu/alu.h"
#include "sim/core/address.h"
#include "sim/isa/isa.h"
#include "sim/isa/reds.h"
#include "sim/race/race.h"

enum { MOST = 8 }; /* elements of a vector */

/* A sum as the kernel of alu/float.c makes it. */
static uint32_t add_f32(uint32_t a, uint32_t b, bool ftz) {
    uint32_t x[TC_LANES] = {a}, y[TC_LANES] = {b}, d[TC_LANES];
    tc_f32_add(ftz ? TC_PM_FTZ : 0, d, x, y, y);
    return d[0];
}

static uint64_t add_f64(uint64_t a, uint64_t b) {
    uint64_t x[TC_LANES] = {a}, y[TC_LANES] = {b}, d[TC_LANES];
    tc_f64_add(0, d, x, y, y);
    return d[0];
}

/* One half: the sum of two is exact in a double, or rounds to the larger. */
static uint32_t half(uint8_t sub, tc_ptx_type t, uint32_t a, uint32_t b) {
    double x = tc_alu_unpack(t, a), y = tc_alu_unpack(t, b);
    if (sub == TC_ATOM_ADD) {
        return (uint32_t)tc_pack_double(t, x + y, TC_RN);
    }
    bool most = sub == TC_ATOM_MAX;
    if (x != x || y != y) {
        return x == x ? a : y == y ? b : 0x7fffu;
    }
    if (x == y) { /* -0 is less than +0 */
        return most ? a & b : a | b;
    }
    return (x < y) != most ? a : b;
}

static uint64_t floating(uint8_t sub, tc_ptx_type t, uint64_t a, uint64_t b,
                         bool global) {
    switch (t) {
    case TC_PT_F32: /* global memory flushes subnormals: 9.7.13.5 */
        return add_f32((uint32_t)a, (uint32_t)b, global);
    case TC_PT_F64:
        return add_f64(a, b);
    case TC_PT_F16:
    case TC_PT_BF16:
        return half(sub, t, (uint32_t)a & 0xffff, (uint32_t)b & 0xffff);
    default: {
        tc_ptx_type one = t == TC_PT_F16X2 ? TC_PT_F16 : TC_PT_BF16;
        uint32_t x = (uint32_t)a, y = (uint32_t)b;
        return half(sub, one, x & 0xffff, y & 0xffff) |
               half(sub, one, x >> 16, y >> 16) << 16;
    }
    }
}

static bool less(tc_ptx_type t, uint64_t a, uint64_t b) {
    switch (t) {
    case TC_PT_S32:
        return (int32_t)(uint32_t)a < (int32_t)(uint32_t)b;
    case TC_PT_S64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

/* What an element becomes; all but cas. Values are zero-extended. */
uint64_t tc_atomic_combine(uint8_t sub, tc_ptx_type t, uint64_t old, uint64_t b,
                           bool global) {
    switch (sub) {
    case TC_ATOM_AND:
        return old & b;
    case TC_ATOM_OR:
        return old | b;
    case TC_ATOM_XOR:
        return old ^ b;
    case TC_ATOM_EXCH:
        return b;
    case TC_ATOM_INC:
        return old >= b ? 0 : old + 1;
    case TC_ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    default:
        break;
    }
    if (t >= TC_PT_F16) {
        return floating(sub, t, old, b, global);
    }
    if (sub == TC_ATOM_ADD) {
        return old + b;
    }
    return less(t, old, b) == (sub == TC_ATOM_MIN) ? old : b;
}

/* ---- one op ---- */

typedef struct atomic_op {
    const tc_ptx_op *op;
    const tc_ptx_operand *address, *dest; /* dest NULL: red */
    uint32_t n, size;                     /* elements, and bytes of one */
    bool changed;                         /* memory holds something new */
    uint64_t b[MOST][TC_LANES], c[2][TC_LANES], old[MOST][TC_LANES];
} atomic_op;

/* The elements of an operand: a vector's, or the halves of a .b128. */
static tc_ptx_operand element(const tc_warp *w, const tc_ptx_operand *o,
                              uint32_t i) {
    tc_ptx_operand e = *o;
    if (o->kind == TC_PO_VECTOR) {
        return w->cta->run->module->vec[o->slot + i];
    }
    if (o->kind == TC_PO_REG && o->nvec == 16) {
        e.slot += i;
        e.nvec = 8;
    } else if (i > 0) { /* an immediate is 64 bits */
        e.imm = o->imm < 0 ? -1 : 0;
    }
    return e;
}

static void fetch(tc_warp *w, const tc_ptx_operand *o, uint32_t i,
                  uint32_t size, uint64_t *out) {
    tc_ptx_operand e = element(w, o, i);
    uint64_t keep = size == 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
    uint64_t tmp[TC_LANES];
    const uint64_t *v = tc_src64(w, &e, tmp);
    for (int j = 0; j < TC_LANES; j++) {
        out[j] = v[j] & keep;
    }
}

static void begin(tc_warp *w, const tc_ptx_op *op, atomic_op *a) {
    a->changed = false;
    bool red = op->opcode == TC_PTX_RED, wide = op->type == TC_PT_B128;
    a->op = op;
    a->address = &op->a[red ? 0 : 1];
    a->dest = red ? NULL : &op->a[0];
    a->n = wide ? 2 : op->nvec ? op->nvec : 1;
    a->size = wide ? 8 : tc_ptx_type_bytes[op->type];
    for (uint32_t i = 0; i < a->n; i++) {
        fetch(w, &op->a[red ? 1 : 2], i, a->size, a->b[i]);
        if (op->sub == TC_ATOM_CAS) {
            fetch(w, &op->a[3], i, a->size, a->c[i]);
        }
    }
}

static void serve(atomic_op *a, int lane, uint8_t *bytes, bool global) {
    uint8_t sub = a->op->sub;
    bool equal = true;
    for (uint32_t i = 0; i < a->n; i++) {
        uint64_t old = 0;
        memcpy(&old, bytes + i * a->size, a->size);
        a->old[i][lane] = old;
        equal &= old == a->b[i][lane];
    }
    for (uint32_t i = 0; i < a->n; i++) {
        uint64_t old = a->old[i][lane], new;
        if (sub == TC_ATOM_CAS) {
            new = equal ? a->c[i][lane] : old;
        } else {
            new = tc_atomic_combine(sub, (tc_ptx_type)a->op->type, old,
                                    a->b[i][lane], global);
        }
        a->changed |= new != old;
        memcpy(bytes + i * a->size, &new, a->size);
    }
}

static void finish(tc_warp *w, const atomic_op *a, uint32_t mask) {
    for (uint32_t i = 0; a->dest && i < a->n; i++) {
        if (a->dest->kind != TC_PO_SINK) {
            tc_ptx_operand d = element(w, a->dest, i);
            tc_put64(w, &d, a->old[i], mask);
        }
    }
}

/* What the checker, the clock and the trace are told, before the access: by
 * space, with addresses in it. */
static void observe(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                    const tc_resolved *at, uint32_t bytes) {
    static const tc_ptx_space spaces[] = {TC_PS_GLOBAL, TC_PS_SHARED,
                                          TC_PS_LOCAL};
    for (int s = 0; s < 3; s++) {
        uint64_t addr[TC_LANES] = {0};
        uint32_t lanes = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            bool remote = at[i].owner && at[i].owner != w->cta;
            if (at[i].space != spaces[s]) {
                continue;
            }
            addr[i] = at[i].address;
            if (remote && w->cta->run->race) {
                tc_race_remote_access(w, op, i, at[i].owner, addr[i], bytes);
            }
            lanes |= remote ? 0 : UINT32_C(1) << i;
        }
        if (lanes) {
            tc_observe_atomic(w, op, spaces[s], lanes, addr, bytes);
        }
    }
}

/* How locks are taken (order/locks.c). */
static bool may_lock(const tc_ptx_op *op) {
    return op->opcode == TC_PTX_ATOM &&
           (op->sub == TC_ATOM_CAS || op->sub == TC_ATOM_EXCH);
}

static void tell_swap(tc_warp *w, const atomic_op *a, int lane,
                      const tc_resolved *at) {
    bool cas = a->op->sub == TC_ATOM_CAS;
    uint64_t old = a->old[0][lane], new = cas ? a->c[0][lane] : a->b[0][lane];
    bool swapped = old != new && (!cas || old == a->b[0][lane]);
    bool own = at->space == TC_PS_SHARED && (!at->owner || at->owner == w->cta);
    if (swapped && a->n == 1 && (own || at->space == TC_PS_GLOBAL)) {
        tc_race_lock_swapped(w, a->op, lane, own ? w->cta->race : NULL,
                             at->address, old, new);
    }
}

/* threads.h: those on global memory are done later. Returns the others. */
static uint32_t put_off(tc_run *r, const atomic_op *a, uint32_t mask,
                        const tc_resolved *at) {
    uint32_t lanes = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        lanes |= at[i].space == TC_PS_GLOBAL ? UINT32_C(1) << i : 0;
    }
    if (!lanes || !tc_reds_later(r->reds)) {
        return mask;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_reds_keep(r->reds, (tc_red){at[i].bytes, a->b[0][i], a->op});
    }
    return mask & ~lanes;
}

static void atomic(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    const bool unread = r->code[op - r->module->code].unread;
    atomic_op a;
    uint64_t addr[TC_LANES];
    tc_resolved at[TC_LANES];
    begin(w, op, &a);
    tc_operand_addresses(w, a.address, addr);
    uint32_t bytes = a.n * a.size;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (!tc_resolve_lane(w, op, (tc_ptx_space)op->space, i, addr[i], bytes,
                             bytes, &at[i])) {
            return;
        }
    }
    bool swaps = r->race && may_lock(op);
    if (swaps) {
        tc_race_lock_before(w, mask);
    }
    if (r->race || r->timing || r->trace) {
        observe(w, op, mask, at, bytes);
    }
    uint32_t now = r->reds && unread ? put_off(r, &a, mask, at) : mask;
    for (uint32_t m = now; m; m &= m - 1) {
        int i = tc_first_bit(m);
        serve(&a, i, at[i].bytes, at[i].space == TC_PS_GLOBAL);
        if (swaps) {
            tell_swap(w, &a, i, &at[i]);
        }
    }
    bool counts =
        !(r->reds && unread && at[tc_first_bit(mask)].space == TC_PS_GLOBAL);
    r->progress +=
        a.changed && counts; /* a lock that stays taken frees nobody */
    w->core->asked += !a.changed && !unread;
    finish(w, &a, mask);
}

void tc_sim_op_ATOM(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    atomic(w, op, mask);
}

void tc_sim_op_RED(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    atomic(w, op, mask);
}
