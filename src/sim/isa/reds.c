/* reds.c - atomics that are done later: reds.h. */
#include "sim/isa/reds.h"
#include "sim/alu/alu.h"
#include "sim/isa/isa.h"
#include <string.h>

/* A sum as tc_atomic_combine makes it. */
static uint32_t add_f32(uint32_t a, uint32_t b) {
    float x, y, sum;
    uint32_t r;
    a = tc_alu_flush(a);
    b = tc_alu_flush(b);
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    sum = x + y;
    memcpy(&r, &sum, sizeof r);
    return sum != sum ? 0x7fffffff : tc_alu_flush(r);
}

static uint64_t combine(const tc_red *k, uint64_t old) {
    tc_ptx_type t = (tc_ptx_type)k->op->type;
    if (k->op->sub != TC_ATOM_ADD || (t != TC_PT_F32 && t >= TC_PT_F16)) {
        return tc_atomic_combine(k->op->sub, t, old, k->value, true);
    }
    return t == TC_PT_F32 ? add_f32((uint32_t)old, (uint32_t)k->value)
                          : old + k->value;
}

static void land(const tc_red *k) {
    uint32_t bytes = tc_ptx_type_bytes[k->op->type];
    uint64_t old = 0, new;
    memcpy(&old, k->bytes, bytes);
    new = combine(k, old);
    memcpy(k->bytes, &new, bytes);
}

void tc_reds_land(tc_reds *d) {
    for (size_t i = 0; i < d->n; i++) {
        land(&d->kept[i]);
    }
    d->n = 0;
}

static bool my_turn(const tc_reds *d) {
    return atomic_load_explicit(d->first, memory_order_acquire) == d->piece;
}

bool tc_reds_later(tc_reds *d) {
    if (!d->first) {
        return false;
    }
    if (d->n + TC_LANES > d->most && !my_turn(d)) {
        d->wait(d);
    }
    if (!my_turn(d)) {
        return true;
    }
    tc_reds_land(d);
    return false;
}

void tc_reds_keep(tc_reds *d, tc_red red) {
    if (d->n == d->cap) {
        d->cap = d->cap ? d->cap * 2 : 1024;
        d->kept = tc_xrealloc(d->kept, d->cap * sizeof *d->kept);
    }
    d->kept[d->n++] = red;
}
