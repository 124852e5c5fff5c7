/* shadow_line.h - what line.c and pairs.c share: bits of a line, pairs of
 * cells. */
#ifndef TC_SIM_RACE_SHADOW_LINE_H
#define TC_SIM_RACE_SHADOW_LINE_H

#include "sim/race/visit.h"

typedef struct tc_shadow_bits { /* a bit a byte of the line */
    uint64_t w[2];
} tc_shadow_bits;
_Static_assert(sizeof(tc_shadow_bits) == sizeof(tc_shadow_cell),
               "maps lie in the pool");

static inline bool tc_shadow_bit(const tc_shadow_bits *b, uint32_t i) {
    return (b->w[i / 64] >> i % 64 & 1) != 0;
}

static inline tc_shadow_bits *tc_shadow_map(tc_race *h,
                                            const tc_shadow_cell *m) {
    return (tc_shadow_bits *)(void *)&h->pool[m->map];
}

static inline tc_shadow_shape tc_shadow_shape_of(const tc_shadow_cell *m) {
    return (tc_shadow_shape)(m->shape & TC_RACE_SHAPE);
}

/* Lanes on consecutive elements, one each: who is on a byte is a sum. */
static inline bool tc_shadow_one_shift(const tc_shadow_cell *m) {
    return tc_shadow_shape_of(m) == TC_RACE_RUN && m->lo == m->hi;
}

/* The lanes that touched a byte which the cell covers. */
static inline void tc_shadow_lanes_at(const tc_shadow_cell *m, uint32_t byte,
                                      int *l0, int *l1) {
    if (tc_shadow_shape_of(m) != TC_RACE_RUN) {
        *l0 = tc_shadow_shape_of(m) == TC_RACE_SAME ? m->l0 : 0;
        *l1 = tc_shadow_shape_of(m) == TC_RACE_SAME ? m->l1 : TC_LANES - 1;
        return;
    }
    int e = (int)(byte >> m->unit);
    *l0 = e + m->lo > m->l0 ? e + m->lo : m->l0;
    *l1 = e + m->hi < m->l1 ? e + m->hi : m->l1;
}

/* shadow_line.c */
enum { TC_RACE_EXACT = 8 }; /* cells of one stretch */
void tc_shadow_set_bits(tc_shadow_bits *b, uint32_t b0, uint32_t b1, bool on);
/* A coarse cell of the stretch takes m in. */
void tc_race_absorb_coarse(tc_race *h, tc_shadow_cell *e,
                           const tc_shadow_cell *m);
/* Bytes that the reading thread had written, or another. */
void tc_race_count_shared(tc_race_visit *v, const tc_shadow_cell *e,
                          const tc_shadow_cell *m);
void tc_race_push(tc_race *h, tc_shadow_cell *head, tc_shadow_cell m);
/* Takes the bytes of m out of the readers. */
void tc_shadow_cut_readers(tc_race *h, tc_shadow_line *line,
                           const tc_shadow_cell *m);
/* apart: it is known that no cell of its stretch can absorb it. */
void tc_race_add_reader(tc_race_visit *v, tc_shadow_line *line,
                        tc_shadow_cell m, bool apart);

/* deferred_reads.c: of lines of shared memory */
/* True: it keeps the reader; false: the list must. */
bool tc_deferred_read(tc_race_visit *v, tc_shadow_line *line, tc_shadow_cell m);
/* Before a write, and before anything else that concerns the list. */
void tc_deferred_before_write(tc_race_visit *v, tc_shadow_line *line,
                              const tc_shadow_cell *m);
/* A read in order, at a glance: the deferred readers keep it, and nothing else is
 * left to do. v->base is not 0. */
bool tc_deferred_in_order(tc_race_visit *v, tc_shadow_line *line,
                          const tc_shadow_cell *m);
/* The same for lanes on scattered words of one line, in so many pieces. */
bool tc_deferred_scattered(tc_race_visit *v, uint32_t mask,
                           const uint64_t *addr, uint32_t pieces);
void tc_deferred_flush(tc_race_visit *v, tc_shadow_line *line);
/* Before one lane writes one word, which no other thread has read since the last
 * barrier: takes the word from the readers. False: it may have been, or they
 * cannot say so. */
bool tc_deferred_cut(tc_race_visit *v, tc_shadow_line *line,
                     const tc_shadow_cell *m);
static inline bool tc_deferred_has(const tc_race_visit *v) {
    return v->space == TC_PS_SHARED && v->z;
}
static inline void tc_deferred_settle(tc_race_visit *v, tc_shadow_line *line) {
    if (tc_deferred_has(v) && v->z->deferred[line - v->z->shared].n) {
        tc_deferred_flush(v, line);
    }
}

/* pairs.c */
typedef enum tc_race_pair { WRITE_READ, READ_WRITE, WRITE_WRITE } tc_race_pair;

/* Checks e, which was here before, against m. True: all of it is in order. */
bool tc_race_check(tc_race_visit *v, const tc_shadow_cell *e,
                   const tc_shadow_cell *m, tc_race_pair pair);
/* The access of record x by lane le precedes that of my lane lm. */
bool tc_race_ordered(const tc_race_visit *v, const tc_shadow_record *x, int le,
                     int lm);
/* m's lanes are the lanes of e on every byte that they share. */
bool tc_race_same_lanes(const tc_shadow_cell *e, const tc_shadow_cell *m);
/* All of e precedes all of m, seen quickly; false: look at the lanes. */
bool tc_race_all_ordered(const tc_race_visit *v, const tc_shadow_record *x,
                         const tc_shadow_cell *e, const tc_shadow_cell *m);
tc_finding tc_race_where(const tc_race_visit *v, const tc_shadow_cell *m,
                         uint32_t byte, uint32_t step);

#endif
