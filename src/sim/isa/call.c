/* call.c - call and ret (PTX ISA 9.7.12.5, 9.7.12.6), brx.idx (9.7.12.4), and
 * the stack of local memory (9.7.17). Frames are in core/frame.c. */
#include "sim/isa/call.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include <string.h>

/* ---- arguments and results ---- */

/* Bytes of a .param variable of a frame, for a lane. */
static uint8_t *param_bytes(const tc_warp *w, const tc_frame *f, uint32_t sym,
                            int lane) {
    const tc_cta *c = w->cta;
    uint64_t t = (uint64_t)w->index * TC_LANES + (uint64_t)lane;
    return c->local + t * c->local_bytes + f->base +
           c->run->module->symbols[sym].offset;
}

static void copy_in(uint8_t *to, uint64_t size, const uint64_t v[2]) {
    memcpy(to, v, size < 16 ? size : 16);
}

static uint32_t *row32(const tc_frame *f, uint32_t slot) {
    return f->r32[f->rows32 ? f->rows32[slot] : slot];
}

static uint64_t *row64(const tc_frame *f, uint32_t slot) {
    return f->r64[f->rows64 ? f->rows64[slot] : slot];
}

/* A value of a frame: a register, a constant, or a small variable. */
static void get(const tc_warp *w, const tc_frame *f, const tc_ptx_operand *o,
                int lane, uint64_t v[2]) {
    v[0] = v[1] = 0;
    switch (o->kind) {
    case TC_PO_REG:
        v[0] = o->cls == TC_PF_64 ? row64(f, o->slot)[lane]
                                  : row32(f, o->slot)[lane];
        v[1] = o->nvec == 16 ? row64(f, o->slot + 1)[lane] : 0;
        break;
    case TC_PO_PRED:
        v[0] = (f->pred[o->slot] >> lane & 1u) ^ o->neg;
        break;
    case TC_PO_SYMBOL: {
        uint64_t size = w->cta->run->module->symbols[o->slot].size;
        memcpy(v, param_bytes(w, f, o->slot, lane), size < 16 ? size : 16);
        break;
    }
    default:
        v[0] = (uint64_t)o->imm;
        v[1] = o->imm < 0 ? UINT64_MAX : 0;
        break;
    }
}

static void set(const tc_warp *w, const tc_frame *f, const tc_ptx_operand *o,
                int lane, const uint64_t v[2]) {
    uint32_t bit = UINT32_C(1) << lane;
    switch (o->kind) {
    case TC_PO_REG:
        if (o->cls == TC_PF_32) {
            uint32_t keep = o->nvec == 1   ? 0xffu
                            : o->nvec == 2 ? 0xffffu
                                           : UINT32_MAX;
            row32(f, o->slot)[lane] = (uint32_t)v[0] & keep;
            break;
        }
        row64(f, o->slot)[lane] = v[0];
        if (o->nvec == 16) {
            row64(f, o->slot + 1)[lane] = v[1];
        }
        break;
    case TC_PO_PRED:
        f->pred[o->slot] = (f->pred[o->slot] & ~bit) | (v[0] & 1 ? bit : 0);
        break;
    case TC_PO_SYMBOL:
        copy_in(param_bytes(w, f, o->slot, lane),
                w->cta->run->module->symbols[o->slot].size, v);
        break;
    default: /* _ */
        break;
    }
}

uint64_t tc_call_operand(tc_warp *w, const tc_ptx_operand *o, int lane) {
    uint64_t v[2];
    get(w, w->frame, o, lane, v);
    return v[0];
}

void tc_call_result(tc_warp *w, const tc_ptx_operand *o, int lane, uint64_t v) {
    uint64_t both[2] = {v, 0};
    set(w, w->frame, o, lane, both);
}

/* A formal as an operand of its own frame. */
static tc_ptx_operand formal(const tc_ptx_formal *f) {
    tc_ptx_operand o = {.kind = TC_PO_SYMBOL, .slot = f->slot};
    if (f->reg) {
        uint8_t bytes = tc_ptx_type_bytes[f->type];
        o.kind = f->type == TC_PT_PRED ? TC_PO_PRED : TC_PO_REG;
        o.cls = f->type == TC_PT_PRED ? TC_PF_PRED
                : bytes >= 8          ? TC_PF_64
                                      : TC_PF_32;
        o.nvec = bytes;
    }
    return o;
}

static void copy_value(const tc_warp *w, const tc_frame *to,
                       const tc_ptx_operand *d, const tc_frame *from,
                       const tc_ptx_operand *s, uint32_t mask) {
    const tc_ptx_symbol *symbols = w->cta->run->module->symbols;
    bool both = d->kind == TC_PO_SYMBOL && s->kind == TC_PO_SYMBOL;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (both) {
            uint64_t a = symbols[d->slot].size, b = symbols[s->slot].size;
            uint8_t *dst = param_bytes(w, to, d->slot, i);
            const uint8_t *src = param_bytes(w, from, s->slot, i);
            if (a == 4 && b == 4) { /* most often */
                memcpy(dst, src, 4);
            } else {
                memcpy(dst, src, a < b ? a : b);
            }
        } else {
            uint64_t v[2];
            get(w, from, s, i, v);
            set(w, to, d, i, v);
        }
    }
}

/* ---- call ---- */

static void overflow(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_finding_fault(w, op, tc_first_bit(mask), TC_FINDING_TRAP, TC_PS_LOCAL, 0,
                     0, TC_DETAIL_STACK_OVERFLOW);
}

/* Lanes of one group go on at pc in frame f. */
static void move_to(tc_warp *w, uint32_t group, uint32_t pc, tc_frame *f) {
    tc_warp_core *k = w->core;
    if (group == k->mask) {
        k->pc = pc;
        tc_frame_enter(w, f);
        k->limit = 0; /* its new place among the splits */
        return;
    }
    tc_warp_detach(w, group, pc)->frame = f;
}

static void call_group(tc_warp *w, const tc_ptx_op *op, const tc_ptx_func *f,
                       uint64_t base, uint32_t group, uint32_t index) {
    tc_frame *to = tc_frame_find(w, f, base), *from = w->frame;
    if (!to) {
        overflow(w, op, group);
        return;
    }
    const tc_ptx_operand *args = w->cta->run->module->vec + op->a[2].slot;
    tc_race_call(w, to, group);
    for (int i = 0; i < f->nformals && i < op->a[2].nvec; i++) {
        tc_ptx_operand d = formal(&f->formals[i]);
        copy_value(w, to, &d, from, &args[i], group);
    }
    for (uint32_t m = group; m; m &= m - 1) {
        int i = tc_first_bit(m);
        to->caller[i] = from;
        to->call[i] = index;
        w->core->sp[i] = base + tc_align16(f->local_bytes);
    }
    move_to(w, group, f->begin, to);
}

/* Lanes of mask that call f: one group for each end of their stacks. */
static void call_function(tc_warp *w, const tc_ptx_op *op, const tc_ptx_func *f,
                          uint32_t mask, uint32_t index) {
    if (f->builtin != TC_PB_NONE) {
        tc_builtin(w, op, f, mask);
        return;
    }
    while (mask && !w->cta->run->stopped) {
        uint64_t base = w->core->sp[tc_first_bit(mask)];
        uint32_t group = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            group |= w->core->sp[i] == base ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        call_group(w, op, f, base, group, index);
    }
}

/* The function at an address, or NULL after a fault. */
static const tc_ptx_func *by_address(tc_warp *w, const tc_ptx_op *op,
                                     uint64_t address, int lane) {
    const tc_ptx_module *m = w->cta->run->module;
    uint64_t i = (address - TC_PTX_CODE(0)) / 16;
    tc_detail_id why = TC_DETAIL_NONE;
    if (address % 16 != 0 || address < TC_PTX_CODE(0) ||
        i >= (uint64_t)m->nfuncs ||
        (m->funcs[i].begin == m->funcs[i].end && !m->funcs[i].builtin)) {
        why = TC_DETAIL_CALL_ADDRESS;
    } else if (m->funcs[i].nformals != op->a[2].nvec ||
               m->funcs[i].nresults != op->a[0].nvec) {
        why = TC_DETAIL_CALL_PARAMETERS;
    }
    if (why != TC_DETAIL_NONE) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_REG, address, 0,
                         why);
    }
    return why != TC_DETAIL_NONE ? NULL : &m->funcs[i];
}

void tc_sim_op_CALL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    const tc_ptx_module *m = w->cta->run->module;
    uint32_t index = w->core->pc - 1;
    if (op->a[1].kind == TC_PO_FUNC) {
        call_function(w, op, &m->funcs[op->a[1].slot], mask, index);
        return;
    }
    uint64_t target[TC_LANES], tmp[TC_LANES];
    memcpy(target, tc_src64(w, &op->a[1], tmp), sizeof target);
    while (mask && !w->cta->run->stopped) {
        uint64_t to = target[tc_first_bit(mask)];
        uint32_t group = 0;
        for (uint32_t l = mask; l; l &= l - 1) {
            int i = tc_first_bit(l);
            group |= target[i] == to ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        const tc_ptx_func *f = by_address(w, op, to, tc_first_bit(group));
        if (f) {
            call_function(w, op, f, group, index);
        }
    }
}

/* ---- ret ---- */

static void return_group(tc_warp *w, uint32_t group) {
    tc_frame *from = w->frame, *to = from->caller[tc_first_bit(group)];
    uint32_t index = from->call[tc_first_bit(group)];
    const tc_ptx_module *m = w->cta->run->module;
    const tc_ptx_operand *out = &m->code[index].a[0];
    for (int i = 0; i < from->func->nresults && i < out->nvec; i++) {
        tc_ptx_operand s = formal(&from->func->results[i]);
        copy_value(w, to, &m->vec[out->slot + (uint32_t)i], from, &s, group);
    }
    for (uint32_t l = group; l; l &= l - 1) {
        w->core->sp[tc_first_bit(l)] = from->base;
    }
    move_to(w, group, index + 1, to);
}

/* 9.7.12.6. Of the kernel: ends the thread. */
void tc_sim_op_RET(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_frame *f = w->frame;
    if (f->depth == 0) {
        tc_end_lanes(w, op, mask);
        return;
    }
    while (mask) {
        int first = tc_first_bit(mask);
        uint32_t group = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            bool same = f->caller[i] == f->caller[first] &&
                        f->call[i] == f->call[first];
            group |= same ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        return_group(w, group);
    }
}

/* ---- 9.7.12.4: a table of branches ---- */

void tc_sim_op_BRX_IDX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    const tc_ptx_module *m = w->cta->run->module;
    const tc_ptx_table *t = &m->tables[op->a[1].imm];
    uint32_t tmp[TC_LANES], index[TC_LANES];
    memcpy(index, tc_src32(w, &op->a[0], tmp), sizeof index);
    while (mask) {
        uint32_t at = index[tc_first_bit(mask)], group = 0;
        if (at >= t->n) {
            tc_finding_fault(w, op, tc_first_bit(mask), TC_FINDING_TRAP,
                             TC_PS_REG, at, 0, TC_DETAIL_BRANCH_INDEX);
            return;
        }
        for (uint32_t l = mask; l; l &= l - 1) {
            int i = tc_first_bit(l);
            group |= index[i] == at ? UINT32_C(1) << i : 0;
        }
        mask &= ~group;
        move_to(w, group, m->targets[t->first + at], w->frame);
    }
}

/* ---- 9.7.17: the stack. Addresses are in .local ---- */

static void put_address(tc_warp *w, const tc_ptx_op *op, int lane, uint64_t v) {
    const tc_ptx_operand *d = &op->a[0];
    if (d->kind == TC_PO_REG && d->cls == TC_PF_64) {
        tc_row64(w, d->slot)[lane] = v;
    } else if (d->kind == TC_PO_REG) {
        tc_row32(w, d->slot)[lane] = (uint32_t)v;
    }
}

void tc_sim_op_STACKSAVE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    for (uint32_t m = mask; m; m &= m - 1) {
        put_address(w, op, tc_first_bit(m), w->core->sp[tc_first_bit(m)]);
    }
}

void tc_sim_op_STACKRESTORE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t tmp[TC_LANES];
    const uint64_t *v = tc_src64(w, &op->a[0], tmp);
    const tc_frame *f = w->frame;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint64_t least = f->base + tc_align16(f->func->local_bytes);
        if (v[i] < least || v[i] > w->core->sp[i] || v[i] % 16 != 0) {
            tc_finding_fault(w, op, i, TC_FINDING_TRAP, TC_PS_LOCAL, v[i], 0,
                             TC_DETAIL_STACK_RESTORE);
            return;
        }
        w->core->sp[i] = v[i];
    }
}

void tc_sim_op_ALLOCA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t tmp[TC_LANES], size[TC_LANES];
    uint64_t align = op->a[2].kind == TC_PO_IMM ? (uint64_t)op->a[2].imm : 8;
    memcpy(size, tc_src64(w, &op->a[1], tmp), sizeof size);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint64_t at = (w->core->sp[i] + align - 1) & ~(align - 1);
        if (at > w->cta->local_bytes || size[i] > w->cta->local_bytes - at) {
            overflow(w, op, m);
            return;
        }
        put_address(w, op, i, at);
        uint64_t end = tc_align16(at + size[i]);
        w->core->sp[i] =
            end < w->cta->local_bytes ? end : w->cta->local_bytes & ~15ull;
    }
}
