/* unwritten.c - reads of global memory that nobody has written.
 *
 * Memory of cudaMalloc that nobody has written is full of one byte
 * (tc_sim_allocation.fresh), and a load or an atomic of which all bytes hold it
 * reads what nobody wrote: a program has such words of its own once in 2^32, of
 * narrow ones only among 16 such bytes. So no write need be followed. Where only
 * some bytes of an access are such (padding, the end of a vector) nothing is
 * said. Memory that the host has written whole is not looked at. */
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/race/race.h"
#include "sim/race/visit.h"
#include <string.h>

enum { WIDE = 16 };

/* All of n bytes are c. */
static bool all_are(const uint8_t *p, uint64_t n, uint8_t c) {
    return n > 0 && p[0] == c && memcmp(p, p + 1, (size_t)n - 1) == 0;
}

/* Bytes [at, at + n) of the allocation. */
static bool is_unwritten(const tc_sim_allocation *a, uint64_t at, uint64_t n) {
    if (at > a->size || n > a->size - at ||
        !all_are(a->bytes + at, n, a->fresh)) {
        return false;
    }
    uint64_t from = at / WIDE * WIDE;
    uint64_t most = a->size - from < WIDE ? a->size - from : WIDE;
    return n >= 4 || all_are(a->bytes + from, most, a->fresh);
}

uint32_t tc_race_unwritten_lanes(const tc_sim_allocation *a, uint32_t mask,
                                 const uint64_t *addr, uint32_t bytes) {
    uint32_t found = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint64_t at = addr[i] - a->address;
        found |= (uint32_t)is_unwritten(a, at, bytes) << i;
    }
    return found;
}

bool tc_race_unwritten_run(const tc_sim_allocation *a, uint64_t base,
                           uint32_t bytes) {
    uint64_t at = base - a->address, n = (uint64_t)bytes * TC_LANES;
    if (at > a->size || n > a->size - at) {
        return true; /* it is looked at closely */
    }
    const uint8_t *p = a->bytes + at;
    uint64_t any = 0, like;
    memset(&like, a->fresh, sizeof like);
    for (uint64_t i = 0; i < n; i += sizeof like) {
        uint64_t x;
        memcpy(&x, p + i, sizeof x);
        x ^= like;
        any |= (uint64_t)((uint32_t)x == 0 || x >> 32 == 0);
    }
    return any != 0;
}

static bool may_read(const tc_ptx_op *op) {
    switch (tc_ptx_effect_of(op)) {
    case TC_PTX_EFFECT_LOAD:
        return true;
    case TC_PTX_EFFECT_ATOMIC:
        return op->sub != TC_ATOM_EXCH;
    default:
        return false;
    }
}

void tc_race_unwritten_check(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                             const uint64_t *addr, uint32_t bytes) {
    tc_run *r = w->cta->run;
    uint32_t left = may_read(op) ? mask : 0;
    while (left) {
        int i = tc_first_bit(left);
        const tc_sim_allocation *a = tc_allocation_find(r, addr[i]);
        uint32_t here = UINT32_C(1) << i;
        for (uint32_t m = left; a && m; m &= m - 1) {
            int j = tc_first_bit(m);
            here |= (uint32_t)(addr[j] - a->address < a->size) << j;
        }
        uint32_t bad =
            a && a->fresh ? tc_race_unwritten_lanes(a, left & here, addr, bytes)
                          : 0;
        if (bad) {
            int l = tc_first_bit(bad);
            tc_finding f = {.kind = TC_FINDING_UNINITIALIZED_READ,
                            .space = TC_PS_GLOBAL,
                            .address = addr[l],
                            .bytes = bytes,
                            .to = bytes,
                            .at = tc_access_of(w, op, l),
                            .lanes = tc_popc(bad)};
            tc_race_find(r, &f);
        }
        left &= ~here;
    }
}
