/* visit.h - one access against the shadow of memory, and what an unordered pair
 * of accesses is called. */
#ifndef TC_SIM_RACE_VISIT_H
#define TC_SIM_RACE_VISIT_H

#include "sim/race/checker.h"

/* pairs.c */
bool tc_race_agent_completes_on(const tc_race_agent *g, uint32_t barrier);
bool tc_race_agent_vclock(const tc_race_agent *g, const tc_vclock *k,
                          bool reads_only, bool issuer);

typedef struct tc_race_visit {
    tc_race *h;
    tc_warp *w;     /* whose access; NULL: a transfer's */
    tc_race_cta *z; /* whose memory, or whose access */
    uint32_t record;
    tc_vclock *const *vclock; /* of each lane */
    tc_vclock *all;
    uint64_t base;  /* all of the CTA up to this clock is known to all of my
                      lanes; 0: not asked, or more is to be seen to */
    uint64_t epoch; /* my clock, if it and what my lanes know are such that
                       same_epoch.h applies; else 0 */
    uint32_t warp;
    bool indexed; /* the same, of my own CTA's shared memory, where none but
                     threads come to it: writer_index.c applies */
    tc_race_agent *agent;
    uint32_t committed;
    tc_ptx_space space;
    uint64_t address; /* of the line */
    uint32_t bytes;   /* of a lane's access */
    uint32_t seen;    /* record of the last conflict */
    int seen_me, seen_it;
    uint32_t locked;       /* lanes that hold a lock: sim/order/locks.c */
    tc_access took;        /* a lock, without a fence; valid: it is why */
    bool some_lane;        /* who was here before is of a coarse cell */
    uint32_t known_record; /* which all of my lanes know */
    bool unwritten;        /* nobody had written the bytes that it writes */
    bool
        fresh; /* two lanes may be on one byte: the record is this op's alone */
} tc_race_visit;

/* access.c */
tc_race_visit tc_race_visit_of(tc_warp *w, uint32_t record, tc_race_cta *z,
                               tc_ptx_space space, uint32_t bytes);
/* A lane's (or a transfer's) bytes, of any length. */
void tc_race_visit_bytes(tc_race_visit *v, int lane, uint64_t address,
                         uint64_t bytes, bool store);
/* shadow_line.c: a cell (record unset) against a line. */
void tc_shadow_read(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m);
/* Only looks for bytes that nobody has written: an atomic reads them, too. */
void tc_shadow_touch(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m);
void tc_shadow_write(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m);
/* word_lines.c: an atomic of four bytes on a line that has a table. False: the
 * table cannot say it. */
/* Makes the table. False: the line's cells are too few for one, or it could not
 * say what they say. */
bool tc_word_table_make(const tc_race_visit *v, tc_shadow_line *line);
bool tc_word_table_atomic(tc_race_visit *v, tc_shadow_line *line, int lane,
                          uint32_t byte);

/* classify.c: what an unordered pair of accesses is called. The visitor is
 * the later one in this schedule. */
void tc_race_read_write(tc_race_visit *v, const tc_finding *place,
                        uint32_t reader, int rlane, uint32_t writer, int wlane,
                        bool read_first);
void tc_race_write_write(tc_race_visit *v, const tc_finding *place,
                         uint32_t first, int flane, uint32_t second, int slane);
void tc_race_unfenced(tc_race_visit *v, const tc_finding *place, uint32_t first,
                      int flane, uint32_t second, int slane);
void tc_race_unfilled(tc_race_visit *v, const tc_finding *place,
                      uint32_t record, int lane);
void tc_race_unwritten(tc_race *h, const tc_finding *place, uint32_t record,
                       int lane, uint32_t lanes);
/* Reads that were too early have their name once the copy's lane waits, or
 * its CTA ends; a transfer's, once anybody (NULL: nobody) waits for it. */
void tc_race_settle_copy(tc_race_copy *k, int lane, bool waited);
void tc_race_settle_agent(tc_race_agent *g, const tc_warp *waiter, int lane,
                          bool sources);
/* Transfers onto transfers that nobody read between. */
void tc_race_settle_doubts(tc_race *h);

/* sim/order/flags.c: f's missing line, where one of the visitor's CTA has word of the
 * access of record x by lane le. */
void tc_race_flag_missing(const tc_race_visit *v, tc_finding *f,
                          const tc_shadow_record *x, int le);
/* sim/order/locks.c: record x's access precedes that of lane lm. Only because of who
 * took a lock first? */
typedef enum tc_lock_verdict {
    TC_LOCK_ORDERED,      /* no, or it makes no difference */
    TC_LOCK_NOT_ACQUIRED, /* yes, and x's section has no fence: *took */
    TC_LOCK_PENDING /* yes: it is a race if this section ends without one */
} tc_lock_verdict;
tc_lock_verdict tc_race_lock_only(const tc_race_visit *v,
                                  const tc_shadow_record *x, int le, int lm,
                                  tc_finding **pending, tc_access *took);

/* A warp's access, in pieces: lanes on the same bytes, or on elements that
 * follow each other. */
tc_lane_steps tc_race_steps_of(const uint64_t *addr, uint32_t mask,
                               uint32_t bytes);
/* The last lane of the piece that begins at lane i. */
static inline int tc_race_piece(const tc_lane_steps *s, int i, bool *same) {
    *same = (s->same >> i & 1) != 0;
    uint32_t go_on = (*same ? s->same : s->next) >> i; /* never lane 31 */
    return i + tc_first_bit(~go_on);
}
/* No two lanes are on the same bytes, and that is seen quickly. */
bool tc_race_ascending(const uint64_t *addr, uint32_t mask);
void tc_race_visit_lanes(tc_race_visit *v, tc_warp *w, const tc_ptx_op *op,
                         uint32_t mask, const uint64_t *addr, bool store,
                         tc_lane_steps s);

/* Lanes a and b store the same value. */
bool tc_race_same_value(tc_warp *w, const tc_ptx_op *op, int a, int b);
/* The lane's store of record v->record changes nothing at that place. */
bool tc_race_stores_again(const tc_race_visit *v, const tc_finding *place,
                          int lane);
/* Lanes [l0, l1] store to that address. */
void tc_race_check_run(const tc_race_visit *v, tc_warp *w, const tc_ptx_op *op,
                       uint64_t address, int l0, int l1);
/* Lanes that are no neighbours may meet, too. True: some do. */
bool tc_race_check_scattered(const tc_race_visit *v, tc_warp *w,
                             const tc_ptx_op *op, uint32_t mask,
                             const uint64_t *addr);

#endif
