/* checker.h - the state of the checker: of a launch, a CTA, a warp; of a
 * cp.async and of a transfer of the async proxy. */
#ifndef TC_SIM_RACE_CHECKER_H
#define TC_SIM_RACE_CHECKER_H

#include "sim/race/shadow.h"

/* first_pass.h: of a launch; of a CTA's shared memory. */
typedef struct tc_first_pass tc_first_pass;
typedef struct tc_first_shared {
    struct tc_first_page *page;
    uint16_t *writer; /* of each unit: the thread that wrote it last */
    uint32_t start;   /* epochs below are of an earlier CTA */
    bool solo;        /* no other CTA has run since then */
} tc_first_shared;

/* One access that may have been too early: decided when somebody waits. */
typedef struct tc_race_pending {
    struct tc_race_pending *next;
    tc_finding f;       /* without kind (of a read) and missing line */
    uint32_t phase;     /* barriers that its thread had passed */
    uint32_t committed; /* groups that the issuing lane had committed */
    int lane;           /* the issuer's */
    bool source;        /* it wrote what the copy reads */
} tc_race_pending;

/* The checker's view of one cp.async; lives as long as a record names it. */
struct tc_race_copy {
    struct tc_race_copy *next;
    int32_t group[TC_LANES];
    uint64_t done[TC_LANES]; /* clock of the lane's covering wait, 0 none */
    uint64_t done_all;       /* the same, if one wait covered all lanes */
    uint32_t barrier[TC_LANES], phase[TC_LANES]; /* or: completes on that */
    uint32_t signals, mask;
    uint32_t waited;                 /* lanes that waited since the issue */
    uint32_t wait_ncommit[TC_LANES]; /* groups committed at the last wait */
    tc_access wait;      /* the last wait after the commit that did not
                            cover it */
    uint32_t wait_lanes; /* lanes of that */
    tc_access issue;
    tc_race_pending *pending;
    tc_warp *warp;
    bool dead; /* its CTA has ended */
    uint32_t mark;
};

enum { TC_RACE_SIGNALS = 16 }; /* a multicast's: one a CTA */

/* The checker's view of one transfer of the async proxy. */
struct tc_race_agent {
    struct tc_race_agent *next;
    tc_race *h;
    tc_warp *warp; /* the issuer's, while it lives */
    tc_vclock *vclock;
    tc_access issue;
    uint64_t issued;          /* the issuer's clock */
    uint64_t done, read_done; /* clock of its issuer's wait, 0 none */
    struct {
        uint32_t barrier, phase;
    } signal[TC_RACE_SIGNALS];
    uint32_t nsignals;
    uint32_t reads, writes; /* records, 0 not made */
    tc_race_proxy proxy;
    tc_race_pending *pending;
    uint32_t listed; /* barriers' phases and lists of remote accesses that
                        name it */
    bool freed;
    bool waited;    /* somebody waited for its phase */
    bool over;      /* it wrote onto what somebody had written */
    bool committed; /* bulk groups: */
    bool missed;    /* its issuer waited, and not for it: */
    tc_access miss; /* then, leaving this many groups: */
    int64_t leave;  /* what would have been enough */
    uint32_t mark;
};

/* A wait for a phase that the thread knew to be over: mbarrier_phase.c. */
typedef struct tc_race_idle {
    const tc_ptx_op *op;
    uint32_t offset, phase; /* UINT32_MAX: the phase before the first */
    uint32_t position;      /* CTA barriers that it had passed */
} tc_race_idle;

typedef struct tc_race_warp {
    tc_vclock *vclock[TC_LANES];
    tc_vclock *all; /* of all lanes, or NULL: they differ */
    /* The last lesson: who knew old and learnt lesson knows result. */
    tc_vclock *old, *lesson, *result;
    uint64_t clock;
    bool tick; /* before the next access */
    uint32_t position;
    uint32_t phase[TC_LANES];  /* CTA barriers it passed */
    uint32_t fences;           /* lanes that executed a proxy fence, */
    uint64_t fenced[TC_LANES]; /* and their clock then */
    /* What a fence made ready for the next strong store, and what strong loads
     * left for the next fence. */
    uint32_t releases, acquires; /* lanes that have such */
    tc_vclock *release[TC_LANES], *acquire[TC_LANES];
    tc_vclock *near[TC_LANES]; /* acquire: what its own CTA released, for which
                                  a fence of the CTA is wide enough */
    const tc_ptx_op *by[TC_LANES]; /* the last strong load that left such */
    uint8_t scope[TC_LANES];
    struct tc_seen_flag *seen; /* of each lane: sim/order/flags.c; or NULL */
    struct tc_lock_section *
        *sections;   /* of each lane: sim/order/locks.c; or NULL */
    uint32_t locked; /* lanes that have such */
    bool quiet; /* no access since the tick, when a word was to be swapped */
    uint64_t
        fence[TC_LANES]; /* release: what the lane did at clocks beyond this
                                 one is not in it */
    uint32_t arrivals[TC_LANES]; /* at the cluster's barrier */
    uint32_t idles;              /* lanes whose last wait was such: */
    tc_race_idle *idle;          /* of each lane, or NULL */
    struct {
        const tc_ptx_op *op;
        uint64_t clock;
        uint32_t record;
    } cache[16];
} tc_race_warp;

struct tc_race_cta {
    tc_cta *cta;
    tc_race_cta *next, **at; /* of those that run; at: NULL: it does not */
    uint32_t index;          /* the CTA's, since it started */
    tc_shadow_line *shared, *tensor;
    uint64_t nshared, ntensor;       /* lines */
    tc_deferred_reads *deferred;     /* of each line of shared */
    struct tc_writer_index *writers; /* the same, or NULL: writer_index.c */
    bool touched;
    uint8_t *local; /* a byte each: written? */
    tc_first_shared first;
    tc_race_warp *warps;
    tc_vclock *arrived[TC_BARRIERS];  /* bar.arrive */
    struct tc_race_remote *remotes;   /* accesses of others to its memory */
    struct tc_race_barrier *barriers; /* mbarriers in its memory */
    tc_race_copy *copies;
};

struct tc_race {
    tc_run *run;
    tc_first_pass *first; /* this is the first pass; NULL: it is not */
    uint32_t nthreads;    /* of a CTA, rounded up to warps */
    uint64_t stamp;       /* the last clock */
    tc_shadow_record *records;
    uint32_t nrecords, crecords, collect_at;
    uint32_t now; /* the record that is being made: its cycle is now */
    tc_shadow_cell *pool;
    uint32_t npool, cpool, free_cells;
    struct tc_word_table **tables; /* tables of lines: word_lines.c */
    uint32_t nwords, cwords, free_words;
    bool older;  /* some cell is TC_RACE_WROTE */
    bool narrow; /* some atomic on global memory reached its own CTA alone:
                    then lines have no tables */
    bool walks;  /* same_epoch.h is not used: to compare with */
    bool alone;  /* only a CTA's own threads come to its shared memory */
    tc_shadow_line **pages; /* of each page of each allocation */
    uint64_t *first_page;   /* of each allocation */
    uint64_t npages;
    uint64_t *touched; /* those that there are */
    uint64_t ntouched, ctouched;
    int recent; /* allocation: */
    uint64_t near_address, near_size;
    tc_shadow_line **near_pages;
    tc_race_cta *ctas;          /* that run */
    uint32_t ends;              /* CTAs that have ended */
    uint64_t *live;             /* a bit for each CTA of the grid: it runs */
    uint32_t nlive;             /* words; beyond them nobody does */
    tc_race_copy *dead;         /* of CTAs that have ended */
    tc_race_agent *agents;      /* of CTAs that run */
    tc_race_agent *ended;       /* of those that have ended */
    uint32_t nasync;            /* copies and agents */
    struct tc_sync_var *places; /* hash of what was published where */
    uint32_t nplaces, cplaces;
    uint32_t nbarriers; /* mbarriers ever seen */
    struct tc_race_cluster *clusters;
    struct tc_race_doubt *doubts;
    struct tc_race_flags *flags; /* sim/order/flags.c */
    struct tc_race_locks *locks; /* sim/order/locks.c */
    tc_finding *capture; /* where the next finding goes, in place of the list */
    const tc_ptx_op *seed; /* the last load of which benign.c was asked, */
    bool seeds;            /* and what it said */
    const tc_ptx_op *unused_load; /* the last of which unused_loads.c was asked,
                                   */
    bool unused;                  /* and what it said */
};

static inline tc_shadow_record *tc_shadow_record_of(const tc_race *h,
                                                    uint32_t record) {
    return &h->records[record];
}

/* barrier.c, acquire_release.c */
void tc_race_sync_free(tc_race *h);
void tc_race_async_free(tc_race *h);
void tc_race_barriers_free(tc_race_cta *z);
uint32_t tc_race_barrier_id(tc_cta *owner, uint32_t offset);

/* mbarrier_phase.c */
/* A wait that passed. */
void tc_race_idle_wait(tc_warp *w, const tc_ptx_op *op, int lane, tc_cta *owner,
                       uint32_t offset, uint32_t phase);
/* f is a race whose reader is that lane: if it waited for the wrong phase just
 * before, that is what f becomes. */
void tc_race_idle_wait_found(tc_race *h, tc_finding *f,
                             const tc_shadow_record *rd, int lane);

void tc_race_remotes_free(tc_race_cta *z);
void tc_race_remote_transfer(tc_race_agent *g, tc_cta *owner, uint64_t offset,
                             uint32_t bytes);
void tc_race_remotes_check(tc_cta *c); /* at the end of the CTA */
void tc_race_retire(tc_cta *c);

/* deferred_reads.c, of the whole CTA */
void tc_deferred_clear(tc_race *h, tc_race_cta *z);
void tc_deferred_free(tc_race_cta *z);

typedef enum tc_race_strong_kind {
    TC_RACE_STRONG_LOAD,
    TC_RACE_STRONG_STORE,
    TC_RACE_STRONG_ATOMIC
} tc_race_strong_kind;
/* A strong access: what it acquires, before it is visited (LOAD); what it
 * releases, afterwards. An atomic is both in turn. */
uint8_t tc_race_scope_of(const tc_ptx_op *op);
void tc_race_strong(tc_warp *w, const tc_ptx_op *op, const tc_race_cta *owner,
                    uint32_t mask, const uint64_t *addr,
                    tc_race_strong_kind kind);
/* sim/order/unwritten.c: lanes read (before an atomic changes it) what of global
 * memory nobody may have written. */
void tc_race_unwritten_check(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                             const uint64_t *addr, uint32_t bytes);
/* The same, asked alone of an allocation with fresh bytes: which of the lanes;
 * whether any of the warp's, one after the other, perhaps. */
uint32_t tc_race_unwritten_lanes(const tc_sim_allocation *a, uint32_t mask,
                                 const uint64_t *addr, uint32_t bytes);
bool tc_race_unwritten_run(const tc_sim_allocation *a, uint64_t base,
                           uint32_t bytes);

/* sim/order/unused_loads.c: nothing looks at what the op loads. */
bool tc_race_load_unused(const tc_run *r, const tc_ptx_op *load);

/* sim/order/flags.c: a strong write to global memory, and a read; lanes executed
 * an acquiring fence that reaches other CTAs. */
void tc_race_flag_written(tc_warp *w, const tc_ptx_op *op, int lane,
                          uint64_t address);
void tc_race_flag_read(tc_warp *w, const tc_ptx_op *op, int lane,
                       uint64_t address);
void tc_race_flag_fenced(tc_warp *w, uint32_t mask);

/* sim/order/locks.c: lanes executed an acquiring fence, or passed a barrier; the
 * lane stores to that address. */
void tc_race_lock_fenced(tc_warp *w, uint32_t mask, uint8_t scope);
void tc_race_lock_stored(tc_warp *w, const tc_ptx_op *op, int lane,
                         const tc_race_cta *owner, uint64_t address);
void tc_race_locks_forget(tc_race_warp *hw);
void tc_race_locks_free(tc_race *h);

static inline tc_race_warp *tc_race_warp_of(const tc_warp *w) {
    return &w->cta->race->warps[w->index];
}
uint64_t tc_race_epoch(tc_warp *w); /* ticks if it must */
/* What a lane knows and did, for others; it ticks afterwards. */
void tc_race_release(tc_warp *w, int lane, tc_vclock *into);
/* The same, where what it knows is told already. */
void tc_race_release_own(tc_warp *w, int lane, tc_vclock *into);
void tc_race_acquire(tc_warp *w, uint32_t mask, tc_vclock *k);
void tc_race_set_vclock(tc_warp *w, uint32_t lanes, tc_vclock *k);

/* benign.c: tc_finding_add, but for races that are right all the same. */
void tc_race_find(tc_run *r, const tc_finding *f);

#endif
