/* shadow.h - the shadow of memory: lines of 128 bytes, and the records that
 * they name.
 *
 * A line keeps cells: who wrote these of its bytes last, who has read them
 * since. A cell names a record (one op of one warp between two ticks of its
 * clock) and says exactly which lane touched which byte, for the shapes that
 * programs have: consecutive lanes on consecutive elements (also of several ops
 * that are one element apart), or a range of lanes on the same bytes. So a
 * warp's access to consecutive words costs one cell a line. */
#ifndef TC_SIM_RACE_SHADOW_H
#define TC_SIM_RACE_SHADOW_H

#include "sim/race/vclock.h"

enum { TC_RACE_LINE = 128, TC_RACE_PAGE = 4096 };

typedef enum tc_race_flag {
    TC_RACE_STORE = 1,   /* the record is of writes */
    TC_RACE_STRONG = 2,  /* volatile, relaxed, acquire, release, atomic */
    TC_RACE_COPY = 4,    /* async is a tc_race_copy */
    TC_RACE_AGENT = 8,   /* async is a tc_race_agent */
    TC_RACE_PROXIED = 16 /* made in the async proxy */
} tc_race_flag;

/* One op of one warp, from one tick of its clock to the next. */
typedef struct tc_shadow_record {
    const tc_ptx_op *op;
    void *async;
    uint64_t cycle, clock;
    uint32_t cta, position; /* accesses of the warp since its last barrier */
    uint16_t warp;
    uint8_t flags, scope;
    uint32_t mark; /* while records are collected */
} tc_shadow_record;

typedef enum tc_shadow_shape {
    TC_RACE_RUN,  /* lane l on element l - shift, for each shift in [lo, hi] */
    TC_RACE_SAME, /* lanes on the same bytes */
    TC_RACE_COARSE, /* some lanes; the bytes are a bit map's */
    TC_RACE_SHAPE = 3,
    TC_RACE_CLIPPED = 4,   /* bytes are fewer than the shape says */
    TC_RACE_UNWRITTEN = 8, /* read before anybody wrote */
    TC_RACE_WROTE = 16,    /* among the readers: an older write, onto which only
                            strong ones have come since */
    TC_RACE_WORD_TABLE =
        32 /* no cell: map is the line's table (word_lines.c) */
} tc_shadow_shape;

typedef struct tc_shadow_cell {
    uint32_t record; /* 0: no cell */
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
} tc_shadow_cell;

typedef struct tc_shadow_line {
    tc_shadow_cell w, r; /* first of the writers, of the readers */
    /* What is known of the lists without walking them: same_epoch.h. */
    uint64_t epoch;    /* clock of the readers that are of a CTA that runs, 0:
                          not known */
    uint32_t warps;    /* those of them */
    uint32_t written;  /* a bit a word: bytes of it may have a writer */
    uint32_t newest;   /* no writer's record is later; UINT32_MAX: not known */
    uint32_t tail;     /* the last of the readers in the pool, 0: not known, or
                          one of them has a map; where a transfer's read is
                          the first: 1 and the CTAs that had ended then */
    uint8_t last, run; /* the first `run` readers are all that warp `last` has;
                          run 0: not known */
    bool mixed;        /* writers of the newest record may lie behind others */
    uint32_t latest;   /* no reader's record is later, if the first is a
                          transfer's; UINT32_MAX: not known */
} tc_shadow_line;
_Static_assert(sizeof(tc_shadow_line) == 64, "a line of the host's cache");

/* Readers of a line that its list has yet to take in: deferred_reads.c. next of
 * a cell is then its warp, and the record's flags << 16; or TC_DEFERRED_CUT: a
 * write took these bytes from the readers before it. */
#define TC_DEFERRED_CUT UINT32_MAX
typedef struct tc_deferred_reads {
    tc_vclock *all;  /* what each of them knows */
    uint64_t newest; /* of their clocks */
    uint32_t n, cap;
    tc_shadow_cell *m;
    uint8_t b0, b1; /* bytes of all of them */
    bool coarse;    /* one of them is */
    uint32_t from;  /* readers since a write has cut those before it; 0: none
                       has */
    /* As a line's (same_epoch.h): */
    uint64_t epoch;    /* the clock of all of them, plain ones; 0: not known */
    uint32_t warps;    /* that have some */
    uint8_t last, run; /* the last `run` ones are all that warp `last` has; run
                          0: not known */
} tc_deferred_reads;

/* shadow.c */
/* The record of op in the warp's present stretch; new ones on demand. */
uint32_t tc_shadow_record_get(tc_warp *w, const tc_ptx_op *op, uint8_t flags);
uint32_t tc_shadow_record_new(tc_warp *w, const tc_ptx_op *op, uint8_t flags,
                              void *async);
bool tc_race_live(const tc_race *h, uint32_t cta);
void tc_race_set_live(tc_race *h, uint32_t cta, bool live);
uint32_t tc_shadow_cell_new(tc_race *h, const tc_shadow_cell *m);
void tc_shadow_cell_free(tc_race *h, uint32_t i);
void tc_shadow_clear(tc_race *h, tc_shadow_line *lines, uint64_t n);
/* Lines from that address on, up to the end of its page; NULL: nowhere. */
tc_shadow_line *tc_shadow_global(tc_race *h, uint64_t address);
tc_shadow_line *tc_shadow_line_of(tc_race *h, tc_race_cta *z,
                                  tc_ptx_space space, uint64_t address);

/* word_lines.c: the table of a line of atomics. */
typedef struct tc_word_table tc_word_table;
void tc_word_table_undo(tc_race *h, tc_shadow_line *line);
void tc_word_table_drop(tc_race *h, tc_shadow_line *line);
void tc_word_table_each(tc_race *h, tc_shadow_line *line,
                        void (*fn)(tc_race *, uint32_t *));
void tc_word_table_free(tc_race *h);

/* cell.c: shapes. */
/* The bytes that a run covers in its line. */
static inline void tc_shadow_natural(tc_shadow_cell *m) {
    int n = TC_RACE_LINE >> m->unit;
    int e0 = m->l0 - m->hi, e1 = m->l1 - m->lo;
    e0 = e0 < 0 ? 0 : e0;
    e1 = e1 >= n ? n - 1 : e1;
    m->b0 = (uint8_t)(e0 << m->unit);
    m->b1 = (uint8_t)((e1 + 1) << m->unit);
}

/* Lane l0's element begins at that byte of the line, which may lie before it or
 * behind it, as long as one of the lanes' does not. */
static inline tc_shadow_cell tc_shadow_run_cell(int l0, int l1, int64_t byte,
                                                uint32_t unit) {
    int64_t element = byte >> unit; /* a multiple of it */
    tc_shadow_cell m = {.shape = TC_RACE_RUN, .unit = (uint8_t)unit};
    m.l0 = (uint8_t)l0;
    m.l1 = (uint8_t)l1;
    m.lo = m.hi = (int8_t)(l0 - element);
    tc_shadow_natural(&m);
    return m;
}

static inline tc_shadow_cell tc_shadow_same_cell(int l0, int l1, uint32_t b0,
                                                 uint32_t b1) {
    tc_shadow_cell m = {.shape = TC_RACE_SAME, .unit = 7};
    m.l0 = (uint8_t)l0;
    m.l1 = (uint8_t)l1;
    m.b0 = (uint8_t)b0;
    m.b1 = (uint8_t)b1;
    return m;
}
bool tc_race_absorb(tc_shadow_cell *e, const tc_shadow_cell *m);
/* Takes bytes [b0, b1) away; false: nothing is left. *rest gets a second
 * piece (b0 == b1: none). */
bool tc_race_cut(tc_shadow_cell *e, uint32_t b0, uint32_t b1,
                 tc_shadow_cell *rest);

/* Accesses that are atomic for each other, at their scopes (8.7). */
static inline bool tc_race_both_strong(const tc_shadow_record *a,
                                       const tc_shadow_record *b) {
    return (a->flags & b->flags & TC_RACE_STRONG) &&
           (a->cta == b->cta ||
            (a->scope > TC_PTX_SCOPE_CTA && b->scope > TC_PTX_SCOPE_CTA));
}

#endif
