/* value.c - what is the same all through a launch: constants, parameters,
 * addresses of variables, dimensions; and rows of 32 lanes that hold them. */
#include "sim/core/operand.h"
#include "sim/core/run.h"
#include "sim/fast/entry.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 8192 }; /* constant rows of a launch: 2 MiB */

/* ---- constant rows ---- */

static uint32_t *find_row(tc_fast_code *f, uint64_t key, uint8_t kind,
                          bool *fresh) {
    uint64_t h = (key ^ kind) * UINT64_C(0x9E3779B97F4A7C15) >> 56;
    for (tc_fast_row *r = f->rows[h]; r; r = r->next) {
        if (r->key == key && r->kind == kind) {
            *fresh = false;
            return r->row;
        }
    }
    if (f->nrows >= MOST_ROWS) {
        return NULL;
    }
    tc_fast_row *r = tc_xcalloc(1, sizeof *r);
    f->nrows++;
    r->key = key;
    r->kind = kind;
    r->row = tc_xrows(TC_LANES, 8);
    r->next = f->rows[h];
    f->rows[h] = r;
    *fresh = true;
    return r->row;
}

const void *tc_fast_constant(tc_fast_code *f, uint64_t value, int bytes) {
    bool fresh;
    value = bytes == 8 ? value : (uint32_t)value;
    uint32_t *row = find_row(f, value, (uint8_t)bytes, &fresh);
    for (int i = 0; row && fresh && i < TC_LANES; i++) {
        if (bytes == 8) {
            memcpy(row + 2 * i, &value, 8);
        } else {
            row[i] = (uint32_t)value;
        }
    }
    return row;
}

/* %laneid and the lane masks: the same for every warp. */
const void *tc_fast_lane_row(tc_run *r, tc_ptx_special s) {
    tc_cta cta = {.run = r};
    tc_warp w = {.cta = &cta};
    bool fresh;
    uint32_t *row = find_row(r->fast, s, 16, &fresh);
    for (int i = 0; row && fresh && i < TC_LANES; i++) {
        row[i] = (uint32_t)tc_operand_special(&w, s, i);
    }
    return row;
}

/* ---- operands ---- */

int64_t tc_fast_reg(const tc_ptx_func *func, const tc_ptx_operand *o) {
    bool base = o->kind == TC_PO_ADDRESS && o->neg == 1;
    if (o->kind == TC_PO_PRED && o->slot < func->npred) {
        return (int64_t)func->n32 + func->n64 + o->slot;
    }
    if ((o->kind != TC_PO_REG && !base) || o->cls == TC_PF_PRED) {
        return -1;
    }
    int64_t i = (int64_t)o->slot + (o->cls == TC_PF_64 ? func->n32 : 0);
    return i < (int64_t)func->n32 + func->n64 ? i : -1;
}

bool tc_fast_symbol(tc_run *r, const tc_ptx_operand *o, uint64_t *out) {
    tc_ptx_space s = r->module->symbols[o->slot].space;
    *out = r->symbols[o->slot] + (uint64_t)o->imm;
    bool kernel = r->fast->func == r->func; /* its frame is the first one */
    return s == TC_PS_GLOBAL || s == TC_PS_CONST || s == TC_PS_SHARED ||
           (s == TC_PS_LOCAL && kernel);
}

bool tc_fast_value(tc_run *r, const tc_ptx_operand *o, uint64_t *out) {
    const tc_sim_launch *l = r->launch;
    int64_t reg = tc_fast_reg(r->fast->func, o);
    switch (o->kind) {
    case TC_PO_IMM:
        *out = (uint64_t)o->imm;
        return true;
    case TC_PO_SYMBOL:
        return tc_fast_symbol(r, o, out);
    case TC_PO_SPECIAL:
        if (o->slot >= TC_SR_NTID_X && o->slot <= TC_SR_NTID_Z) {
            *out = l->block[o->slot - TC_SR_NTID_X];
            return true;
        }
        if (o->slot >= TC_SR_NCTAID_X && o->slot <= TC_SR_NCTAID_Z) {
            *out = l->grid[o->slot - TC_SR_NCTAID_X];
            return true;
        }
        return false;
    case TC_PO_REG:
        if (reg >= 0 && r->fast->reg && (r->fast->reg[reg] & TC_REG_CONST)) {
            *out = r->fast->value[reg];
            return true;
        }
        return false;
    default:
        return false;
    }
}

/* ld.param of the launched kernel: no store reaches its parameters. */
bool tc_fast_param(tc_run *r, const tc_ptx_op *op, uint64_t *out) {
    const tc_ptx_operand *a = &op->a[1];
    uint32_t size = tc_ptx_type_bytes[op->type];
    bool plain = op->type == TC_PT_B32 || op->type == TC_PT_U32 ||
                 op->type == TC_PT_S32 || op->type == TC_PT_F32 ||
                 op->type == TC_PT_B64 || op->type == TC_PT_U64 ||
                 op->type == TC_PT_S64 || op->type == TC_PT_F64;
    if (op->opcode != TC_PTX_LD || op->space != TC_PS_PARAM || !plain ||
        op->nvec > 1 || op->flags || a->kind != TC_PO_ADDRESS || a->neg != 2 ||
        r->fast->func != r->func || op->a[0].kind != TC_PO_REG ||
        op->a[0].nvec != size) {
        return false;
    }
    const tc_ptx_symbol *s = &r->module->symbols[a->slot];
    uint64_t at = s->offset + (uint64_t)a->imm;
    if (s->space != TC_PS_PARAM || s->func < 0 ||
        &r->module->funcs[s->func] != r->func || r->launch->nparams < size ||
        at > r->launch->nparams - size || at % size != 0) {
        return false;
    }
    *out = 0;
    memcpy(out, r->launch->params + at, size);
    return true;
}
