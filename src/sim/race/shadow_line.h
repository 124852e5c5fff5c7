/* shadow_line.h - what line.c and pairs.c share: bits of a line, pairs of
 * marks. */
#ifndef TC_SIM_LINE_H
#define TC_SIM_LINE_H

#include "sim/race/shadow.h"

typedef struct tc_bits { /* a bit a byte of the line */
    uint64_t w[2];
} tc_bits;
_Static_assert(sizeof(tc_bits) == sizeof(tc_hz_mark), "maps lie in the pool");

static inline bool tc_bit(const tc_bits *b, uint32_t i) {
    return (b->w[i / 64] >> i % 64 & 1) != 0;
}

static inline tc_bits *tc_hz_map(tc_hazard *h, const tc_hz_mark *m) {
    return (tc_bits *)(void *)&h->pool[m->map];
}

static inline tc_hz_shape tc_hz_shape_of(const tc_hz_mark *m) {
    return (tc_hz_shape)(m->shape & TC_HZ_SHAPE);
}

/* Lanes on consecutive elements, one each: who is on a byte is a sum. */
static inline bool tc_hz_one_shift(const tc_hz_mark *m) {
    return tc_hz_shape_of(m) == TC_HZ_RUN && m->lo == m->hi;
}

/* The lanes that touched a byte which the mark covers. */
static inline void tc_hz_lanes_at(const tc_hz_mark *m, uint32_t byte, int *l0,
                                  int *l1) {
    if (tc_hz_shape_of(m) != TC_HZ_RUN) {
        *l0 = tc_hz_shape_of(m) == TC_HZ_SAME ? m->l0 : 0;
        *l1 = tc_hz_shape_of(m) == TC_HZ_SAME ? m->l1 : TC_LANES - 1;
        return;
    }
    int e = (int)(byte >> m->unit);
    *l0 = e + m->lo > m->l0 ? e + m->lo : m->l0;
    *l1 = e + m->hi < m->l1 ? e + m->hi : m->l1;
}

/* shadow_line.c */
enum { TC_HZ_EXACT = 8 }; /* marks of one stretch */
void tc_hz_set_bits(tc_bits *b, uint32_t b0, uint32_t b1, bool on);
/* A coarse mark of the stretch takes m in. */
void tc_hz_absorb_coarse(tc_hazard *h, tc_hz_mark *e, const tc_hz_mark *m);
/* Bytes that the reading thread had written, or another. */
void tc_hz_count_shared(tc_hz_visit *v, const tc_hz_mark *e,
                        const tc_hz_mark *m);
void tc_hz_push(tc_hazard *h, tc_hz_mark *head, tc_hz_mark m);
/* apart: it is known that no mark of its stretch can absorb it. */
void tc_hz_add_reader(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m,
                      bool apart);

/* deferred_reads.c: of lines of shared memory */
/* True: it keeps the reader; false: the list must. */
bool tc_hz_late_read(tc_hz_visit *v, tc_hz_line *line, tc_hz_mark m);
/* Before a write, and before anything else that concerns the list. */
void tc_hz_late_write(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m);
/* A read in order, at a glance: the late readers keep it, and nothing else is
 * left to do. v->base is not 0. */
bool tc_hz_late_settled(tc_hz_visit *v, tc_hz_line *line, const tc_hz_mark *m);
/* The same for lanes on scattered words of one line, in so many pieces. */
bool tc_hz_late_scattered(tc_hz_visit *v, uint32_t mask, const uint64_t *addr,
                          uint32_t pieces);
void tc_hz_late_take_in(tc_hz_visit *v, tc_hz_line *line);
static inline bool tc_hz_has_late(const tc_hz_visit *v) {
    return v->space == TC_PS_SHARED && v->z;
}
static inline void tc_hz_late_settle(tc_hz_visit *v, tc_hz_line *line) {
    if (tc_hz_has_late(v) && v->z->late[line - v->z->shared].n) {
        tc_hz_late_take_in(v, line);
    }
}

/* pairs.c */
typedef enum tc_hz_pair { WRITE_READ, READ_WRITE, WRITE_WRITE } tc_hz_pair;

/* Checks e, which was here before, against m. True: all of it is in order. */
bool tc_hz_check(tc_hz_visit *v, const tc_hz_mark *e, const tc_hz_mark *m,
                 tc_hz_pair pair);
/* The access of record x by lane le precedes that of my lane lm. */
bool tc_hz_ordered(const tc_hz_visit *v, const tc_hz_record *x, int le, int lm);
/* m's lanes are the lanes of e on every byte that they share. */
bool tc_hz_same_lanes(const tc_hz_mark *e, const tc_hz_mark *m);
/* All of e precedes all of m, seen quickly; false: look at the lanes. */
bool tc_hz_all_ordered(const tc_hz_visit *v, const tc_hz_record *x,
                       const tc_hz_mark *e, const tc_hz_mark *m);
tc_finding tc_hz_place_of(const tc_hz_visit *v, const tc_hz_mark *m,
                          uint32_t byte, uint32_t step);

#endif
