/* vclock.h - who knows what of whom.
 *
 * A clock is a stamp of one counter of the launch: a warp takes a new one when
 * it has published what it did. "Knows thread t up to v" means: all accesses
 * that t made at clocks up to v happen before mine. Knowledge is shared by the
 * threads that synchronised together, and never changes once it is shared. Of a
 * CTA it is one number (everybody up to here), a range of threads that is known
 * further, or a number for each thread. */
#ifndef TC_SIM_ORDER_H
#define TC_SIM_ORDER_H

#include "sim/race/race.h"

typedef struct tc_hz_array {
    uint32_t refs;
    uint64_t at[];
} tc_hz_array;

typedef struct tc_hz_block {
    uint32_t of;  /* a CTA's index, or an mbarrier's number */
    bool barrier; /* base is then the number of phases known to be over */
    uint32_t first, count; /* threads known up to more */
    uint64_t base, more;
    tc_hz_array *at; /* or of each thread */
} tc_hz_block;

typedef struct tc_hz_know {
    uint32_t refs, n, cap;
    uint32_t runs;  /* CTAs of the cluster (ranks) that are known to run */
    uint64_t floor; /* of all CTAs, up to here (more may be claimed than is
                       true where a list grew too long: never a false
                       finding) */
    struct tc_hz_know *proxy; /* of which a proxy fence lies between */
    tc_hz_block *b;
} tc_hz_know;

/* Fresh knowledge has one reference. NULL knows nothing. */
tc_hz_know *tc_hz_know_copy(const tc_hz_know *k);
void tc_hz_know_drop(tc_hz_know *k);
void tc_hz_know_unref(tc_hz_know *k, uint32_t n); /* drops n references */
void tc_hz_know_point(tc_hz_know **at, tc_hz_know *k);
/* These change knowledge that nobody else holds. nt: threads of a CTA. */
void tc_hz_know_join(tc_hz_know *into, const tc_hz_know *k, uint32_t nt);
void tc_hz_know_range(tc_hz_know *k, uint32_t cta, uint32_t first,
                      uint32_t count, uint64_t clock, uint32_t nt);
void tc_hz_know_all(tc_hz_know *k, uint32_t cta, uint64_t clock);
void tc_hz_know_phases(tc_hz_know *k, uint32_t barrier, uint64_t phases);
void tc_hz_know_proxy(tc_hz_know *k, const tc_hz_know *fenced, uint32_t nt);

/* Knows all threads [first, first + count) of the CTA up to clock. */
bool tc_hz_knows(const tc_hz_know *k, uint32_t cta, uint32_t first,
                 uint32_t count, uint64_t clock);
/* Knows all threads of the CTA up to clock, and that at a glance; false: ask
 * for each. */
bool tc_hz_knows_cta(const tc_hz_know *k, uint32_t cta, uint64_t clock);
/* A clock up to which all of the CTA is known; 0: none is seen at a glance. */
static inline uint64_t tc_hz_know_base(const tc_hz_know *k, uint32_t cta) {
    return k && k->n && k->b[0].of == cta && !k->b[0].barrier ? k->b[0].base
                                                              : 0;
}
uint64_t tc_hz_phases_known(const tc_hz_know *k, uint32_t barrier);
bool tc_hz_know_covers(const tc_hz_know *k, const tc_hz_know *other,
                       uint32_t nt);

#endif
