/* first_pass.h - a checked launch is executed twice at most.
 *
 * The first pass only decides whether every two accesses of one place are
 * ordered, and stops at the first pair of which it does not know that; then what
 * it has written is undone, and a second pass (shadow.h) executes the launch from
 * its beginning and says what is wrong. A launch without a finding, which is what
 * people run, needs the first pass alone. The machine is deterministic, so that
 * the second pass comes to the same place; what a program sees (bytes, findings,
 * counters, cycles) is the second pass's where there was one, and is what it
 * would be where there was none.
 *
 * The shadow is flat: a word of 64 bits for each unit of memory (4 bytes; 2 or 1
 * where a page, or a CTA's shared memory, is accessed by such), in the manner of
 * FastTrack: the epoch of the last write, and one that stands for the reads since
 * then. An epoch is a clock (26 bits) and who (6 bits): a lane, or several. A
 * clock is one warp's, and a ring of the last 2^20 of them says whose. What an
 * epoch cannot say (a clock that the ring has forgotten, the reads of several
 * CTAs) is taken for what nothing orders. So:
 *
 *   - a read is ordered after the last write; a write after that and after all
 *     reads; where all of the CTA knows of everything up to a barrier, one
 *     comparison says so for a whole warp's words;
 *   - reads by several CTAs become one value (MANY) that further reads leave as
 *     it is: a table that all CTAs read costs each access the same;
 *   - atomics are ordered after what is no atomic: an earlier plain write counts
 *     among the reads from the first atomic on;
 *   - vector clocks, barriers, fences, release and acquire are the second pass's
 *     own (vclock.h, barrier.c, acquire_release.c).
 *
 * Kernels with asynchronous copies, mbarriers, clusters or tensor memory have
 * the second pass only, and so have runs with a trace, a clock or a stop.
 *
 * Where CTAs run on several threads (sim/threads.h), each thread has a first pass
 * of its own, for its CTAs, and so a shadow that nobody else touches. They share
 * one thing: the bytes of a page from before its first write, by whichever of
 * them, saved under a lock. When all have ended, their shadows are laid over each
 * other: where a unit that one has written was touched by another one, their CTAs
 * may have seen each other, and what was done is undone. Atomics whose answers
 * nobody reads are no such touching, as long as there was nothing else there: they
 * are done in the order of CTAs (isa/reds.h), and read in the same launch by
 * nobody.
 *
 * Memory: of each page of 4096 bytes that is touched 280 bytes, and twice its own
 * where not only whole lines of it are accessed by whole warps; where it is
 * written, and was not zeros, a copy of it for the undoing; 2 or 4 times as much
 * shadow for pages that are accessed by less than words, up to 32 MB (FINE),
 * beyond which there is a second pass; 8 MB of clocks. A CTA that runs has 2.5
 * times its shared memory. In all within three times the bytes touched and 64 MB, a thread.
 */
#ifndef TC_SIM_RACE_FIRST_PASS_H
#define TC_SIM_RACE_FIRST_PASS_H

#include "sim/race/checker.h"
#include <pthread.h>

/* What a page, or a CTA's shared memory, has. A unit's low half: the last write;
 * high: the reads since. A line of 32 words has one such value as long as what
 * came to it were warps on the whole of it; else units of its own. */
typedef struct tc_first_page {
    uint64_t *unit;  /* NULL: no line has any yet */
    uint8_t *saved;  /* its bytes before the first write; NULL: none yet */
    uint32_t shift;  /* log2 of the bytes of a unit */
    uint32_t apart;  /* a bit a line: it has units */
    uint64_t line[]; /* of a page */
} tc_first_page;

/* Zeros were there. */
extern uint8_t tc_first_zeros[];

/* Whose a clock is. */
typedef struct tc_first_owner {
    uint32_t cta, warp;
} tc_first_owner;

struct tc_first_pass {
    bool doubt; /* a pair may be unordered: the second pass will tell */
    tc_first_page **pages;
    uint64_t npages, *touched, ntouched, ctouched;
    uint64_t fine; /* bytes of shadow beyond those of words */
    tc_first_owner *owners;
    uint64_t nowners; /* a power of two */
    uint64_t near_address, near_size;
    tc_first_page **near_pages;
    uint8_t *near_bytes;
    const tc_sim_allocation *near; /* that one; NULL: none yet */
    /* Others that were near, the oldest one replaced first. */
    const tc_sim_allocation *recent[6];
    tc_first_page **recent_pages[6];
    uint32_t nrecent;
    struct tc_first_block *blocks; /* storage of pages */
    size_t used;                   /* of the newest one */
    uint64_t many[32]; /* units of a line that CTAs have read, and nobody has
                          written: for those that read it again */
    struct tc_first_team *team; /* NULL: one thread */
};

/* Who, in an epoch. Of a write: a lane; lanes that stored one value; strong ones:
 * lanes of a warp, warps of a CTA, CTAs. Of reads the same, strong ones where
 * all of them are. */
enum {
    TC_FIRST_WHO = 6,
    TC_FIRST_WARP = 32,
    TC_FIRST_CTA = 33,
    TC_FIRST_MANY = 34,
    TC_FIRST_STRONG = 8, /* with one of the above */
    TC_FIRST_LINE = 32 /* words; a line's lanes: in steps of 1, 2, 4 words from
                          lane 0 (0), 0 or 16 (1, 2), 0, 8, 16 or 24 (3 to 6) */
};

#define TC_FIRST_ALL_MANY ((uint64_t)TC_FIRST_MANY << 32)
/* A last write that is atomics by many. */
#define TC_FIRST_ATOMICS ((uint32_t)(TC_FIRST_MANY | TC_FIRST_STRONG))

/* What the first passes of several threads share. */
struct tc_first_team {
    pthread_mutex_t lock[64]; /* of pages, by number */
    uint8_t **saved;          /* of each page; NULL: not written yet */
    uint64_t npages;
    tc_run **runs; /* of all threads; runs[0] has been alone until now */
    uint32_t nruns;
};

/* The bytes of a page before the launch, saved now if they were not. */
uint8_t *tc_team_save(tc_first_pass *f, uint64_t page, const uint8_t *bytes,
                      uint64_t n);
/* An atomic on global memory that is done later. */
bool tc_team_may(const tc_run *r, const tc_ptx_op *op);

/* first_pass.c */
void tc_first_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     uint32_t mask, const uint64_t *addr, uint32_t bytes,
                     bool store, tc_lane_steps steps);
/* Lane i of all at base + i * bytes. */
void tc_first_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                  uint64_t base, uint32_t bytes, bool store);
void tc_first_atomic(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     uint32_t mask, const uint64_t *addr, uint32_t bytes);
/* Ends the first pass: there will be a second one. */
void tc_first_doubt(tc_run *r);

/* first_memory.c */
tc_first_pass *tc_first_new(const tc_run *r);
void tc_first_free(tc_first_pass *f);
/* The page of an address of global memory; *at: bytes from its beginning. write:
 * it will be written. NULL: nobody's. */
tc_first_page *tc_first_page_slow(tc_run *r, uint64_t address, bool write);
void tc_first_save(tc_first_pass *f, tc_first_page *p, uint64_t address);
/* A copy of a page's n bytes, in f's storage. */
uint8_t *tc_first_copy(tc_first_pass *f, const uint8_t *bytes, uint64_t n);
/* Where page's n bytes are. */
uint8_t *tc_first_bytes(const tc_run *r, uint64_t page, uint64_t *n);
/* The line of that address has units from now on. */
void tc_first_divide(tc_first_pass *f, tc_first_page *p, uint64_t address);
/* Units of 1 << shift bytes. Returns where it lies now; NULL: too much. */
tc_first_page *tc_first_refine(tc_first_pass *f, uint64_t address,
                               uint32_t shift);
bool tc_first_refine_shared(tc_cta *c, uint32_t shift);
void tc_first_cta_start(tc_cta *c);
void tc_first_cta_free(tc_race_cta *z);
/* A new clock, the warp's. */
uint64_t tc_first_clock(tc_warp *w);

#endif
