/* vclock.h - vector clocks: what a thread knows of the others.
 *
 * A clock is a stamp of one counter of the launch: a warp takes a new one, and
 * so begins an epoch, when it has released what it did. A vector clock that has
 * thread t at v means: all accesses that t made at clocks up to v happen before
 * mine. Vector clocks are shared by the threads that synchronised together, and
 * never change once they are shared. Of a CTA they keep one number (everybody
 * up to here), a range of threads that is further, or a number for each thread.
 */
#ifndef TC_SIM_RACE_VCLOCK_H
#define TC_SIM_RACE_VCLOCK_H

#include "sim/race/race.h"

typedef struct tc_vclock_array {
    uint32_t refs;
    uint64_t at[];
} tc_vclock_array;

typedef struct tc_vclock_block {
    uint32_t of;  /* a CTA's index, or an mbarrier's number */
    bool barrier; /* base is then the number of phases known to be over */
    uint32_t first, count; /* threads known up to more */
    uint64_t base, more;
    tc_vclock_array *at; /* or of each thread */
} tc_vclock_block;

typedef struct tc_vclock {
    uint32_t refs, n, cap;
    uint32_t runs;  /* CTAs of the cluster (ranks) that are known to run */
    uint64_t floor; /* of all CTAs, up to here (more may be claimed than is
                       true where a list grew too long: never a false
                       finding) */
    struct tc_vclock *proxy; /* of which a proxy fence lies between */
    tc_vclock_block *b;
} tc_vclock;

/* A new one has one reference. NULL is zero for every thread. */
tc_vclock *tc_vclock_copy(const tc_vclock *k);
void tc_vclock_unref(tc_vclock *k);
void tc_vclock_unref_n(tc_vclock *k, uint32_t n); /* drops n references */
void tc_vclock_set(tc_vclock **at, tc_vclock *k);
/* These change one that nobody else holds. nt: threads of a CTA. */
void tc_vclock_join(tc_vclock *into, const tc_vclock *k, uint32_t nt);
void tc_vclock_raise(tc_vclock *k, uint32_t cta, uint32_t first, uint32_t count,
                     uint64_t clock, uint32_t nt);
void tc_vclock_raise_cta(tc_vclock *k, uint32_t cta, uint64_t clock);
void tc_vclock_raise_phases(tc_vclock *k, uint32_t barrier, uint64_t phases);
void tc_vclock_join_proxy(tc_vclock *k, const tc_vclock *fenced, uint32_t nt);

/* Is at clock or later for the threads [first, first + count) of the CTA. */
bool tc_vclock_covers_threads(const tc_vclock *k, uint32_t cta, uint32_t first,
                              uint32_t count, uint64_t clock);
/* The same of all threads of the CTA, and that at a glance; false: ask for
 * each. */
bool tc_vclock_covers_cta(const tc_vclock *k, uint32_t cta, uint64_t clock);
/* A clock at which all of the CTA is at least; 0: none is seen at a glance. */
static inline uint64_t tc_vclock_base(const tc_vclock *k, uint32_t cta) {
    return k && k->n && k->b[0].of == cta && !k->b[0].barrier ? k->b[0].base
                                                              : 0;
}
uint64_t tc_vclock_phases(const tc_vclock *k, uint32_t barrier);
bool tc_vclock_covers(const tc_vclock *k, const tc_vclock *other, uint32_t nt);

#endif
