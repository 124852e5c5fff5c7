/* shadow.h - the shadow of memory: lines of 128 bytes, and the records that
 * they name.
 *
 * A line keeps marks: who wrote these of its bytes last, who has read them
 * since. A mark names a record (one op of one warp between two ticks of its
 * clock) and says exactly which lane touched which byte, for the shapes that
 * programs have: consecutive lanes on consecutive elements (also of several ops
 * that are one element apart), or a range of lanes on the same bytes. So a
 * warp's access to consecutive words costs one mark a line. */
#ifndef TC_SIM_SHADOW_H
#define TC_SIM_SHADOW_H

#include "sim/race/vclock.h"

enum { TC_HZ_LINE = 128 };

typedef enum tc_hz_flag {
    TC_HZ_STORE = 1,   /* the record is of writes */
    TC_HZ_STRONG = 2,  /* volatile, relaxed, acquire, release, atomic */
    TC_HZ_COPY = 4,    /* async is a tc_hz_copy */
    TC_HZ_AGENT = 8,   /* async is a tc_hz_agent */
    TC_HZ_PROXIED = 16 /* made in the async proxy */
} tc_hz_flag;

/* One op of one warp, from one tick of its clock to the next. */
typedef struct tc_hz_record {
    const tc_ptx_op *op;
    void *async;
    uint64_t cycle, clock;
    uint32_t cta, position; /* accesses of the warp since its last barrier */
    uint16_t warp;
    uint8_t flags, scope;
    uint32_t mark; /* while records are collected */
} tc_hz_record;

typedef enum tc_hz_shape {
    TC_HZ_RUN,    /* lane l on element l - shift, for each shift in [lo, hi] */
    TC_HZ_SAME,   /* lanes on the same bytes */
    TC_HZ_COARSE, /* some lanes; the bytes are a bit map's */
    TC_HZ_SHAPE = 3,
    TC_HZ_CLIPPED = 4,   /* bytes are fewer than the shape says */
    TC_HZ_UNWRITTEN = 8, /* read before anybody wrote */
    TC_HZ_WROTE = 16,    /* among the readers: an older write, onto which only
                            strong ones have come since */
    TC_HZ_WORDS = 32     /* no mark: map is the line's table (word_lines.c) */
} tc_hz_shape;

typedef struct tc_hz_mark {
    uint32_t record; /* 0: no mark */
    uint32_t next;   /* in the pool, 0 none */
    union {
        struct {
            uint8_t l0, l1; /* lanes [l0, l1] */
            int8_t lo, hi;
        };
        uint32_t map; /* COARSE: index in the pool */
    };
    uint8_t unit; /* log2 of the bytes of an element */
    uint8_t shape;
    uint8_t b0, b1; /* bytes [b0, b1) of the line */
} tc_hz_mark;

typedef struct tc_hz_line {
    tc_hz_mark w, r; /* first of the writers, of the readers */
} tc_hz_line;

/* Readers of a line that its list has yet to take in: deferred_reads.c. next of
 * a mark is then its warp, and the record's flags << 16. */
typedef struct tc_hz_late {
    tc_hz_know *all; /* what each of them knows */
    uint64_t newest; /* of their clocks */
    uint32_t n, cap;
    tc_hz_mark *m;
    uint8_t b0, b1; /* bytes of all of them */
    bool coarse;    /* one of them is */
} tc_hz_late;

/* One access that may have been too early: decided when somebody waits. */
typedef struct tc_hz_pending {
    struct tc_hz_pending *next;
    tc_finding f;       /* without kind (of a read) and missing line */
    uint32_t phase;     /* barriers that its thread had passed */
    uint32_t committed; /* groups that the issuing lane had committed */
    int lane;           /* the issuer's */
    bool source;        /* it wrote what the copy reads */
} tc_hz_pending;

/* The checker's view of one cp.async; lives as long as a record names it. */
struct tc_hz_copy {
    struct tc_hz_copy *next;
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
    tc_hz_pending *pending;
    tc_warp *warp;
    bool dead; /* its CTA has ended */
    uint32_t mark;
};

enum { TC_HZ_SIGNALS = 16 }; /* a multicast's: one a CTA */

/* The checker's view of one transfer of the async proxy. */
struct tc_hz_agent {
    struct tc_hz_agent *next;
    tc_hazard *h;
    tc_warp *warp; /* the issuer's, while it lives */
    tc_hz_know *know;
    tc_access issue;
    uint64_t issued;          /* the issuer's clock */
    uint64_t done, read_done; /* clock of its issuer's wait, 0 none */
    struct {
        uint32_t barrier, phase;
    } signal[TC_HZ_SIGNALS];
    uint32_t nsignals;
    uint32_t reads, writes; /* records, 0 not made */
    tc_hz_proxy proxy;
    tc_hz_pending *pending;
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
typedef struct tc_hz_idle {
    const tc_ptx_op *op;
    uint32_t offset, phase; /* UINT32_MAX: the phase before the first */
    uint32_t position;      /* CTA barriers that it had passed */
} tc_hz_idle;

typedef struct tc_hz_warp {
    tc_hz_know *known[TC_LANES];
    tc_hz_know *all; /* of all lanes, or NULL: they differ */
    /* The last lesson: who knew old and learnt lesson knows result. */
    tc_hz_know *old, *lesson, *result;
    uint64_t clock;
    bool tick; /* before the next access */
    uint32_t position;
    uint32_t phase[TC_LANES];  /* CTA barriers it passed */
    uint32_t fences;           /* lanes that executed a proxy fence, */
    uint64_t fenced[TC_LANES]; /* and their clock then */
    /* What a fence made ready for the next strong store, and what strong loads
     * left for the next fence. */
    uint32_t releases, acquires; /* lanes that have such */
    tc_hz_know *release[TC_LANES], *acquire[TC_LANES];
    uint8_t scope[TC_LANES];
    uint32_t from[TC_LANES];     /* acquire: the CTA that it is of, or many */
    uint32_t arrivals[TC_LANES]; /* at the cluster's barrier */
    uint32_t idles;              /* lanes whose last wait was such: */
    tc_hz_idle *idle;            /* of each lane, or NULL */
    struct {
        const tc_ptx_op *op;
        uint64_t clock;
        uint32_t record;
    } cache[16];
} tc_hz_warp;

struct tc_hz_cta {
    tc_cta *cta;
    tc_hz_cta *next; /* of those that run */
    uint32_t index;  /* the CTA's, since it started */
    tc_hz_line *shared, *tensor;
    uint64_t nshared, ntensor; /* lines */
    tc_hz_late *late;          /* of each line of shared */
    bool touched;
    uint8_t *local; /* a byte each: written? */
    tc_hz_warp *warps;
    tc_hz_know *arrived[TC_BARRIERS]; /* bar.arrive */
    struct tc_hz_remote *remotes;     /* accesses of others to its memory */
    struct tc_hz_barrier *barriers;   /* mbarriers in its memory */
    tc_hz_copy *copies;
};

struct tc_hazard {
    tc_run *run;
    uint32_t nthreads; /* of a CTA, rounded up to warps */
    uint64_t stamp;    /* the last clock */
    tc_hz_record *records;
    uint32_t nrecords, crecords, collect_at;
    uint32_t now; /* the record that is being made: its cycle is now */
    tc_hz_mark *pool;
    uint32_t npool, cpool, free_marks;
    struct tc_hz_words **words; /* tables of lines: word_lines.c */
    uint32_t nwords, cwords, free_words;
    bool older;           /* some mark is TC_HZ_WROTE */
    tc_hz_line **pages;   /* of each page of each allocation */
    uint64_t *first_page; /* of each allocation */
    uint64_t npages;
    uint64_t *touched; /* those that there are */
    uint64_t ntouched, ctouched;
    int recent;                 /* allocation */
    tc_hz_cta *ctas;            /* that run */
    uint64_t *live;             /* a bit for each CTA of the grid: it runs */
    uint32_t nlive;             /* words; beyond them nobody does */
    tc_hz_copy *dead;           /* of CTAs that have ended */
    tc_hz_agent *agents;        /* of CTAs that run */
    tc_hz_agent *ended;         /* of those that have ended */
    uint32_t nasync;            /* copies and agents */
    struct tc_hz_place *places; /* hash of what was published where */
    uint32_t nplaces, cplaces;
    uint32_t nbarriers; /* mbarriers ever seen */
    struct tc_hz_cluster *clusters;
    struct tc_hz_doubt *doubts;
};

/* shadow.c */
static inline tc_hz_record *tc_hz_record_of(const tc_hazard *h,
                                            uint32_t record) {
    return &h->records[record];
}
/* The record of op in the warp's present stretch; new ones on demand. */
uint32_t tc_hz_record_get(tc_warp *w, const tc_ptx_op *op, uint8_t flags);
uint32_t tc_hz_record_new(tc_warp *w, const tc_ptx_op *op, uint8_t flags,
                          void *async);
bool tc_hz_live(const tc_hazard *h, uint32_t cta);
void tc_hz_set_live(tc_hazard *h, uint32_t cta, bool live);
uint32_t tc_hz_mark_new(tc_hazard *h, const tc_hz_mark *m);
void tc_hz_mark_free(tc_hazard *h, uint32_t i);
void tc_hz_lines_clear(tc_hazard *h, tc_hz_line *lines, uint64_t n);
/* Lines from that address on, up to the end of its page; NULL: nowhere. */
tc_hz_line *tc_hz_global(tc_hazard *h, uint64_t address);
tc_hz_line *tc_hz_line_of(tc_hazard *h, tc_hz_cta *z, tc_ptx_space space,
                          uint64_t address);

/* barrier.c, acquire_release.c */
void tc_hz_sync_free(tc_hazard *h);
void tc_hz_async_free(tc_hazard *h);
void tc_hz_barriers_free(tc_hz_cta *z);
uint32_t tc_hz_barrier_id(tc_cta *owner, uint32_t offset);

/* mbarrier_phase.c */
/* A wait that passed. */
void tc_hz_idle_wait(tc_warp *w, const tc_ptx_op *op, int lane, tc_cta *owner,
                     uint32_t offset, uint32_t phase);
/* f is a race whose reader is that lane: if it waited for the wrong phase just
 * before, that is what f becomes. */
void tc_hz_idle_race(tc_hazard *h, tc_finding *f, const tc_hz_record *rd,
                     int lane);

void tc_hz_remotes_free(tc_hz_cta *z);
void tc_hz_remote_transfer(tc_hz_agent *g, tc_cta *owner, uint64_t offset,
                           uint32_t bytes);
void tc_hz_remotes_check(tc_cta *c); /* at the end of the CTA */
void tc_hz_retire(tc_cta *c);
/* word_lines.c: the table of a line of atomics. */
typedef struct tc_hz_words tc_hz_words;
void tc_hz_words_undo(tc_hazard *h, tc_hz_line *line);
void tc_hz_words_drop(tc_hazard *h, tc_hz_line *line);
void tc_hz_words_each(tc_hazard *h, tc_hz_line *line,
                      void (*fn)(tc_hazard *, uint32_t *));
void tc_hz_words_free(tc_hazard *h);

/* deferred_reads.c, of the whole CTA */
void tc_hz_late_clear(tc_hazard *h, tc_hz_cta *z);
void tc_hz_late_free(tc_hz_cta *z);

typedef enum tc_hz_strong_kind {
    TC_HZ_STRONG_LOAD,
    TC_HZ_STRONG_STORE,
    TC_HZ_STRONG_ATOMIC
} tc_hz_strong_kind;
/* A strong access: what it acquires, before it is visited (LOAD); what it
 * releases, afterwards. An atomic is both in turn. */
uint8_t tc_hz_scope_of(const tc_ptx_op *op);
void tc_hz_strong(tc_warp *w, const tc_ptx_op *op, const tc_hz_cta *owner,
                  uint32_t mask, const uint64_t *addr, tc_hz_strong_kind kind);
static inline tc_hz_warp *tc_hz_warp_of(const tc_warp *w) {
    return &w->cta->hz->warps[w->index];
}
uint64_t tc_hz_clock(tc_warp *w); /* ticks if it must */
/* What a lane knows and did, for others; it ticks afterwards. */
void tc_hz_publish(tc_warp *w, int lane, tc_hz_know *into);
/* The same, where what it knows is told already. */
void tc_hz_publish_own(tc_warp *w, int lane, tc_hz_know *into);
void tc_hz_learn(tc_warp *w, uint32_t mask, tc_hz_know *k);
void tc_hz_set_known(tc_warp *w, uint32_t lanes, tc_hz_know *k);

/* benign.c: tc_find, but for races that are right all the same. */
void tc_race_find(tc_run *r, const tc_finding *f);

/* ---- one access ---- */

/* pairs.c */
bool tc_hz_agent_signals(const tc_hz_agent *g, uint32_t barrier);
bool tc_hz_agent_known(const tc_hz_agent *g, const tc_hz_know *k,
                       bool reads_only, bool issuer);

typedef struct tc_hz_visit {
    tc_hazard *h;
    tc_hz_cta *z; /* whose memory, or whose access */
    uint32_t record;
    tc_hz_know *const *known; /* of each lane */
    tc_hz_know *all;
    uint64_t base; /* all of the CTA up to this clock is known to all of my
                      lanes; 0: not asked, or more is to be seen to */
    tc_hz_agent *agent;
    uint32_t committed;
    tc_ptx_space space;
    uint64_t address; /* of the line */
    uint32_t bytes;   /* of a lane's access */
    uint32_t seen;    /* record of the last conflict */
    int seen_me, seen_it;
    bool some_lane;        /* who was here before is of a coarse mark */
    uint32_t known_record; /* which all of my lanes know */
    bool unwritten;        /* nobody had written the bytes that it writes */
    bool
        fresh; /* two lanes may be on one byte: the record is this op's alone */
} tc_hz_visit;

/* access.c */
tc_hz_visit tc_hz_visit_of(tc_warp *w, uint32_t record, tc_hz_cta *z,
                           tc_ptx_space space, uint32_t bytes);
/* A lane's (or a transfer's) bytes, of any length. */
void tc_hz_visit_bytes(tc_hz_visit *v, int lane, uint64_t address,
                       uint64_t bytes, bool store);
/* shadow_line.c: a mark (record unset) against a line. */
void tc_hz_read_line(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m);
/* Only looks for bytes that nobody has written: an atomic reads them, too. */
void tc_hz_touch_line(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m);
void tc_hz_write_line(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m);
/* word_lines.c: an atomic of four bytes on a line that has a table. False: the
 * table cannot say it. */
/* Makes the table. False: the line's marks are too few for one, or it could not
 * say what they say. */
bool tc_hz_words_make(const tc_hz_visit *v, tc_hz_line *line);
bool tc_hz_words_atomic(tc_hz_visit *v, tc_hz_line *line, int lane,
                        uint32_t byte);
/* cell.c: shapes. */
/* The bytes that a run covers in its line. */
static inline void tc_hz_natural(tc_hz_mark *m) {
    int n = TC_HZ_LINE >> m->unit;
    int e0 = m->l0 - m->hi, e1 = m->l1 - m->lo;
    e0 = e0 < 0 ? 0 : e0;
    e1 = e1 >= n ? n - 1 : e1;
    m->b0 = (uint8_t)(e0 << m->unit);
    m->b1 = (uint8_t)((e1 + 1) << m->unit);
}

/* Lane l0's element begins at that byte of the line, which may lie before it or
 * behind it, as long as one of the lanes' does not. */
static inline tc_hz_mark tc_hz_run_mark(int l0, int l1, int64_t byte,
                                        uint32_t unit) {
    int64_t element = byte >> unit; /* a multiple of it */
    tc_hz_mark m = {.shape = TC_HZ_RUN, .unit = (uint8_t)unit};
    m.l0 = (uint8_t)l0;
    m.l1 = (uint8_t)l1;
    m.lo = m.hi = (int8_t)(l0 - element);
    tc_hz_natural(&m);
    return m;
}

static inline tc_hz_mark tc_hz_same_mark(int l0, int l1, uint32_t b0,
                                         uint32_t b1) {
    tc_hz_mark m = {.shape = TC_HZ_SAME, .unit = 7};
    m.l0 = (uint8_t)l0;
    m.l1 = (uint8_t)l1;
    m.b0 = (uint8_t)b0;
    m.b1 = (uint8_t)b1;
    return m;
}
bool tc_hz_absorb(tc_hz_mark *e, const tc_hz_mark *m);
/* Takes bytes [b0, b1) away; false: nothing is left. *rest gets a second
 * piece (b0 == b1: none). */
bool tc_hz_cut(tc_hz_mark *e, uint32_t b0, uint32_t b1, tc_hz_mark *rest);

/* Accesses that are atomic for each other, at their scopes (8.7). */
static inline bool tc_hz_both_strong(const tc_hz_record *a,
                                     const tc_hz_record *b) {
    return (a->flags & b->flags & TC_HZ_STRONG) &&
           (a->cta == b->cta ||
            (a->scope > TC_PTX_SCOPE_CTA && b->scope > TC_PTX_SCOPE_CTA));
}

/* classify.c: what an unordered pair of accesses is called. The visitor is
 * the later one in this schedule. */
void tc_hz_read_write(tc_hz_visit *v, const tc_finding *place, uint32_t reader,
                      int rlane, uint32_t writer, int wlane, bool read_first);
void tc_hz_write_write(tc_hz_visit *v, const tc_finding *place, uint32_t first,
                       int flane, uint32_t second, int slane);
void tc_hz_unfenced(tc_hz_visit *v, const tc_finding *place, uint32_t first,
                    int flane, uint32_t second, int slane);
void tc_hz_unfilled(tc_hz_visit *v, const tc_finding *place, uint32_t record,
                    int lane);
void tc_hz_unwritten(tc_hazard *h, const tc_finding *place, uint32_t record,
                     int lane, uint32_t lanes);
/* Reads that were too early have their name once the copy's lane waits, or
 * its CTA ends; a transfer's, once anybody (NULL: nobody) waits for it. */
void tc_hz_settle_copy(tc_hz_copy *k, int lane, bool waited);
void tc_hz_settle_agent(tc_hz_agent *g, const tc_warp *waiter, int lane,
                        bool sources);
/* Transfers onto transfers that nobody read between. */
void tc_hz_settle_doubts(tc_hazard *h);

#endif
