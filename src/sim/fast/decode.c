/* decode.c - which handler an op has on the fast path, and its rows. An op
 * with anything out of the common run has none. */
#include "sim/core/run.h"
#include "sim/fast/entry.h"
#include "sim/isa/isa.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t kinds[TC_FAST_COUNT] = {
#define TC_FAST_NONE_KIND      TC_FAST_T32 /* FMA without the instruction */
#define TC_FAST(kind, id, ...) [TC_FAST_##id] = KIND_##kind,
#define KIND_NONE              TC_FAST_T32
#define KIND_T32               TC_FAST_T32
#define KIND_T64               TC_FAST_T64
#define KIND_WU64              TC_FAST_WU64
#define KIND_WS64              TC_FAST_WS64
#define KIND_N32               TC_FAST_N32
#define KIND_HU32              TC_FAST_HU32
#define KIND_HS32              TC_FAST_HS32
#define KIND_S64               TC_FAST_S64
#define KIND_P32               TC_FAST_P32
#define KIND_P64               TC_FAST_P64
#define KIND_SEL32             TC_FAST_SEL32
#define KIND_SEL64             TC_FAST_SEL64
#define KIND_OTHER             TC_FAST_OTHER
#include "sim/fast/ops.def"
};

/* Bytes of destination and sources; 0 none, 1 a predicate. */
typedef struct tc_signature {
    uint8_t d, a, b, c;
} tc_signature;

static const tc_signature signatures[] = {
    [TC_FAST_T32] = {4, 4, 4, 4},   [TC_FAST_T64] = {8, 8, 8, 8},
    [TC_FAST_WU64] = {8, 4, 4, 8},  [TC_FAST_WS64] = {8, 4, 4, 8},
    [TC_FAST_N32] = {4, 8, 8, 8},   [TC_FAST_HU32] = {4, 4, 4, 4},
    [TC_FAST_HS32] = {4, 4, 4, 4},  [TC_FAST_S64] = {8, 8, 4, 4},
    [TC_FAST_P32] = {1, 4, 4, 4},   [TC_FAST_P64] = {1, 8, 8, 8},
    [TC_FAST_SEL32] = {4, 4, 4, 4}, [TC_FAST_SEL64] = {8, 8, 8, 8},
    [TC_FAST_OTHER] = {0, 0, 0, 0}};

/* ---- operands ---- */

/* The row of a register's slot. */
static uint32_t row_of(const tc_run *r, const tc_ptx_operand *o) {
    const tc_fast_rows *rows = &r->fast->rows_of;
    bool shared = rows->of32 && r->fast->func == r->func;
    return !shared              ? o->slot
           : o->cls == TC_PF_64 ? rows->of64[o->slot]
                                : rows->of32[o->slot];
}

bool tc_fast_source(tc_run *r, const tc_ptx_operand *o, int bytes, uint64_t *at,
                    int8_t *m) {
    uint64_t v;
    const void *row = NULL;
    *m = 0;
    if (o->kind == TC_PO_REG && o->cls != (bytes == 8 ? TC_PF_64 : TC_PF_32)) {
        return false;
    }
    if (tc_fast_value(r, o, &v)) {
        row = tc_fast_constant(r->fast, v, bytes);
    } else if (o->kind == TC_PO_SPECIAL && bytes == 4 &&
               (o->slot == TC_SR_LANEID || (o->slot >= TC_SR_LANEMASK_EQ &&
                                            o->slot <= TC_SR_LANEMASK_GT))) {
        row = tc_fast_lane_row(r, (tc_ptx_special)o->slot);
    } else if (o->kind == TC_PO_REG) {
        *at = (uint64_t)row_of(r, o) * TC_LANES * (uint32_t)bytes;
        *m = -1;
        return true;
    }
    *at = (uint64_t)(uintptr_t)row;
    return row != NULL;
}

bool tc_fast_destination(const tc_run *r, const tc_ptx_operand *o, int bytes,
                         bool narrow, uint32_t *at) {
    bool is = o->kind == TC_PO_REG && o->slot < 1u << 20 &&
              o->cls == (bytes == 8 ? TC_PF_64 : TC_PF_32) &&
              (o->nvec >= 4 || (narrow && o->nvec == 2));
    *at = is ? row_of(r, o) * TC_LANES * (uint32_t)bytes : 0;
    return is;
}

/* ---- entries ---- */

static bool decode_setp(const tc_ptx_op *op, const tc_choice *c, tc_fast *x) {
    const tc_ptx_operand *d = &op->a[0], *q = &op->a[1], *p = &op->a[4];
    x->imm = c->negate ? UINT32_MAX : 0;
    x->sub = op->sub;
    x->d = d->kind == TC_PO_PRED ? d->slot : UINT32_MAX;
    x->q = q->kind == TC_PO_PRED ? (int32_t)q->slot : -1;
    if (op->sub != TC_BOOL_NONE) {
        x->p = (int32_t)p->slot;
        x->neg = p->neg ? UINT32_MAX : 0;
    }
    return op->sub == TC_BOOL_NONE || p->kind == TC_PO_PRED;
}

static bool decode_rows(tc_run *r, const tc_ptx_op *op, const tc_choice *c,
                        tc_fast *x) {
    tc_fast_kind kind = (tc_fast_kind)kinds[c->id];
    tc_signature s = signatures[kind];
    int first = s.d == 1 ? 2 : 1, i = c->exchange ? 1 : 0;
    const tc_ptx_operand *a = &op->a[first];
    uint64_t none = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, 0, 8);
    x->a = x->b = x->c = none;
    if (none == 0 || !tc_fast_source(r, &a[i], s.a, &x->a, &x->ma) ||
        (c->n > 1 && !tc_fast_source(r, &a[1 - i], s.b, &x->b, &x->mb)) ||
        (c->n > 2 && !tc_fast_source(r, &a[2], s.c, &x->c, &x->mc))) {
        return false;
    }
    if (kind == TC_FAST_SEL32 || kind == TC_FAST_SEL64) {
        x->p = (int32_t)a[2].slot;
        x->neg = a[2].neg ? UINT32_MAX : 0;
        if (a[2].kind != TC_PO_PRED) {
            return false;
        }
    }
    if (op->opcode == TC_PTX_CVTA) {
        x->b =
            (uint64_t)(uintptr_t)tc_fast_constant(r->fast, tc_cvta_step(op), 8);
        return x->b && tc_fast_destination(r, &op->a[0], 8, false, &x->d);
    }
    return s.d == 1 ? decode_setp(op, c, x)
                    : tc_fast_destination(r, &op->a[0], s.d, c->narrow, &x->d);
}

static bool pred_source(const tc_ptx_operand *o, uint64_t *at, int8_t *m,
                        uint32_t *neg) {
    *neg = o->kind == TC_PO_PRED && o->neg ? UINT32_MAX : 0;
    *m = o->kind == TC_PO_PRED ? -1 : 0;
    *at = o->kind == TC_PO_PRED ? o->slot : o->imm != 0 ? UINT32_MAX : 0;
    return o->kind == TC_PO_PRED || o->kind == TC_PO_IMM;
}

static tc_fast_id decode_plogic(const tc_ptx_op *op, tc_fast *x) {
    uint32_t na = 0, nb = 0;
    bool two = true;
    switch (op->opcode) {
    case TC_PTX_AND:
        x->sub = TC_BOOL_AND;
        break;
    case TC_PTX_OR:
        x->sub = TC_BOOL_OR;
        break;
    case TC_PTX_XOR:
        x->sub = TC_BOOL_XOR;
        break;
    case TC_PTX_NOT:
    case TC_PTX_MOV:
        x->sub = TC_BOOL_NONE;
        two = false;
        break;
    default:
        return TC_FAST_NONE;
    }
    if (op->a[0].kind != TC_PO_PRED ||
        !pred_source(&op->a[1], &x->a, &x->ma, &na) ||
        (two && !pred_source(&op->a[2], &x->b, &x->mb, &nb))) {
        return TC_FAST_NONE;
    }
    na = op->opcode == TC_PTX_NOT ? ~na : na;
    x->imm = (uint64_t)nb << 32 | na;
    x->d = op->a[0].slot;
    return TC_FAST_PLOGIC;
}

static tc_fast_id decode_special(const tc_run *r, const tc_ptx_op *op,
                                 tc_fast *x) {
    uint32_t s = op->a[1].slot;
    if (!tc_fast_destination(r, &op->a[0], 4, false, &x->d)) {
        return TC_FAST_NONE;
    }
    if (s <= TC_SR_TID_Z) {
        x->imm = s - TC_SR_TID_X;
        return TC_FAST_TID;
    }
    if (s >= TC_SR_CTAID_X && s <= TC_SR_CTAID_Z) {
        x->imm = s - TC_SR_CTAID_X;
        return TC_FAST_CTAID;
    }
    return TC_FAST_NONE;
}

bool tc_fast_address(tc_run *r, const tc_ptx_operand *o, tc_fast *x) {
    tc_ptx_operand base = {.kind = TC_PO_REG, .cls = o->cls, .slot = o->slot};
    uint64_t v = (uint64_t)o->imm;
    if (o->kind != TC_PO_ADDRESS) {
        return false;
    }
    if (o->neg == 1) {
        x->imm = v;
        x->sub = o->cls == TC_PF_32;
        return tc_fast_source(r, &base, o->cls == TC_PF_64 ? 8 : 4, &x->a,
                              &x->ma);
    }
    if (o->neg == 2 && !tc_fast_symbol(r, o, &v)) {
        return false;
    }
    x->a = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, v, 8);
    return x->a != 0;
}

/* ld.param of the launched kernel gives a constant. */
static tc_fast_id decode_param(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    int size = tc_ptx_type_bytes[op->type];
    uint64_t v;
    if (!tc_fast_param(r, op, &v) ||
        !tc_fast_destination(r, &op->a[0], size, false, &x->d)) {
        return TC_FAST_NONE;
    }
    x->a = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, v, size);
    x->b = x->c = (uint64_t)(uintptr_t)tc_fast_constant(r->fast, 0, 8);
    return x->a == 0 || x->b == 0 ? TC_FAST_NONE
           : size == 8            ? TC_FAST_MOV64
                                  : TC_FAST_MOV32;
}

bool tc_fast_reaches(uint8_t space) {
    return space == TC_PS_GLOBAL || space == TC_PS_SHARED ||
           space == TC_PS_GENERIC || space == TC_PS_LOCAL ||
           space == TC_PS_CONST;
}

/* Of a parameter in the frame of a call: imm bytes into it. */
static bool frame_address(const tc_run *r, const tc_ptx_operand *o,
                          tc_fast *x) {
    bool symbol = o->kind == TC_PO_ADDRESS && o->neg == 2;
    x->imm = symbol ? r->symbols[o->slot] + (uint64_t)o->imm : 0;
    x->sub = 2;
    return symbol && r->module->symbols[o->slot].stacked;
}

static tc_fast_id decode_memory(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    bool store = op->opcode == TC_PTX_ST;
    uint32_t size = tc_ptx_type_bytes[op->type], n = op->nvec ? op->nvec : 1;
    const tc_ptx_operand *v = &op->a[store ? 1 : 0];
    uint32_t caching = TC_PM_CA | TC_PM_CG | TC_PM_NC;
    bool sign = op->type == TC_PT_S8 || op->type == TC_PT_S16;
    bool frame = op->more == TC_PX_LDST_FRAME;
    if (op->space == TC_PS_PARAM && !frame) {
        return decode_param(r, op, x);
    }
    if ((op->flags & ~caching) || op->scope || size == 0 || size > 8 || n > 4 ||
        !tc_fast_reaches(op->space) ||
        !(frame ? frame_address(r, &op->a[store ? 0 : 1], x)
                : tc_fast_address(r, &op->a[store ? 0 : 1], x))) {
        return TC_FAST_NONE;
    }
    x->space = op->space;
    x->c = size | n << 8 | (uint32_t)sign << 16;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *e =
            v->kind == TC_PO_VECTOR ? &r->module->vec[v->slot + i] : v;
        uint32_t *at = i ? &x->e[i - 1] : &x->d;
        bool one = v->kind != TC_PO_VECTOR && store;
        if (one && !tc_fast_source(r, e, size == 8 ? 8 : 4, &x->b, &x->mb)) {
            return TC_FAST_NONE;
        }
        if (!one &&
            !tc_fast_destination(r, e, size == 8 ? 8 : 4, size < 4, at)) {
            return TC_FAST_NONE;
        }
        if (!store) {
            x->b = e->nvec == 2 ? 0xFFFF : UINT32_MAX;
        }
    }
    if (store && v->kind == TC_PO_VECTOR) {
        x->b = x->d;
        x->mb = -1;
    }
    if (frame) {
        return store ? TC_FAST_FRAME_ST : TC_FAST_LD;
    }
    if (n == 1 && size >= 4) {
        return store ? (size == 4 ? TC_FAST_ST32 : TC_FAST_ST64)
                     : (size == 4 ? TC_FAST_LD32 : TC_FAST_LD64);
    }
    return store ? TC_FAST_ST : TC_FAST_LD;
}

/* The access that tells the observers. */
static tc_fast_id seen(const tc_run *r, const tc_ptx_op *op, tc_fast_id id) {
    bool more = r->timing || r->trace; /* than the checker look on */
    if (op->space == TC_PS_CONST) {
        return r->timing ? TC_FAST_NONE : id;
    }
    if (op->space == TC_PS_LOCAL && more) {
        return TC_FAST_NONE;
    }
    switch (id) {
    case TC_FAST_LD32:
        return TC_FAST_SEEN_LD32;
    case TC_FAST_LD64:
        return TC_FAST_SEEN_LD64;
    case TC_FAST_ST32:
        return TC_FAST_SEEN_ST32;
    case TC_FAST_ST64:
        return TC_FAST_SEEN_ST64;
    case TC_FAST_LD:
        return TC_FAST_SEEN_LD;
    case TC_FAST_ST:
        return TC_FAST_SEEN_ST;
    default:
        return TC_FAST_NONE;
    }
}

bool tc_fast_decode(tc_run *r, const tc_ptx_op *op, tc_fast *x) {
    const tc_fast_table *t = r->fast->table;
    bool observed = r->race || r->trace || r->timing;
    tc_choice c = {0};
    *x = (tc_fast){.q = -1, .p = -1, .guard = op->guard};
    x->flip = op->guard_neg ? UINT32_MAX : 0;
    if (op->more && op->more != TC_PX_LDST_FRAME) {
        return false;
    }
    if (op->type == TC_PT_PRED) {
        c.id = decode_plogic(op, x);
    } else if (op->opcode == TC_PTX_LD || op->opcode == TC_PTX_ST) {
        c.id = decode_memory(r, op, x);
        bool silent = op->space == TC_PS_PARAM || op->more != 0;
        c.id = observed && !silent ? seen(r, op, c.id) : c.id;
    } else if ((c.id = tc_fast_together(r, op, x)) == TC_FAST_NONE) {
        c = tc_fast_choice(op);
        if (c.id && !decode_rows(r, op, &c, x)) {
            bool mov = op->opcode == TC_PTX_MOV &&
                       op->a[1].kind == TC_PO_SPECIAL && c.id == TC_FAST_MOV32;
            c.id = mov ? decode_special(r, op, x) : TC_FAST_NONE;
        }
    }
    if (c.id == TC_FAST_NONE || !t->fn[c.id][0]) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        x->inner[i] = t->fn[c.id][i];
        x->fn[i] = op->guard >= 0 ? t->guarded : x->inner[i];
    }
    x->kind = kinds[c.id];
    x->id = (uint16_t)c.id;
    return true;
}
