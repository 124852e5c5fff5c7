/* reds.c - atomics that are done later: reds.h. */
#include "sim/isa/reds.h"
#include "sim/alu/alu.h"
#include "sim/isa/isa.h"
#include <string.h>

static void land(const tc_red *k) {
    tc_ptx_type t = (tc_ptx_type)k->op->type;
    uint64_t old = 0, new;
    uint32_t bytes = tc_ptx_type_bytes[t];
    memcpy(&old, k->bytes, bytes);
    new = k->op->sub == TC_ATOM_ADD &&t < TC_PT_F16
              ? old + k->value
              : tc_atomic_combine(k->op->sub, t, old, k->value, true);
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
    d->any = true;
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
