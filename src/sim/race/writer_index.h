/* writer_index.h - of each word of a line of shared memory, the cell of its
 * writer: lines that many threads write by single words (reductions, scans,
 * sorts) have a cell a word, and nobody walks them all. The list is the state;
 * the index says where in it a word is, and is made anew when something else
 * has changed the list. */
#ifndef TC_SIM_RACE_WRITER_INDEX_H
#define TC_SIM_RACE_WRITER_INDEX_H

#include "sim/race/shadow_line.h"

enum { TC_RACE_WORDS = TC_RACE_LINE / 4 };
#define TC_INDEX_HEAD UINT32_MAX

typedef struct tc_writer_index {
    uint32_t at[TC_RACE_WORDS]; /* in the pool; 0 no writer; or the head */
    uint32_t made;              /* in CTA made - 1; 0: it is not */
} tc_writer_index;

/* The index of a line of the visitor's own CTA. NULL: it cannot have one. */
const tc_writer_index *tc_writer_index_of(tc_race_visit *v,
                                          tc_shadow_line *line);
static inline tc_shadow_cell *tc_indexed_cell(tc_race *h, tc_shadow_line *line,
                                              uint32_t at) {
    return at == TC_INDEX_HEAD ? &line->w : at ? &h->pool[at] : NULL;
}
static inline void tc_writer_index_drop(const tc_race_visit *v,
                                        const tc_shadow_line *line) {
    if (v->space == TC_PS_SHARED && v->z && v->z->writers) {
        v->z->writers[line - v->z->shared].made = 0;
    }
}

/* Everybody of the visitor's CTA knows of the cell's write; or it is by the one
 * lane of his that comes to that word now (l0 < l1: several). */
static inline bool tc_writer_known(const tc_race_visit *v,
                                   const tc_shadow_cell *e, uint32_t byte,
                                   int l0, int l1) {
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    uint64_t clock = x->clock;
    int e0, e1;
    if (x->cta != me->cta || (x->flags & TC_RACE_AGENT)) {
        return false;
    }
    if (x->flags & TC_RACE_COPY) {
        clock = ((const tc_race_copy *)x->async)->done_all;
        return clock && clock <= v->base;
    }
    if (clock <= v->base) {
        return true;
    }
    tc_shadow_lanes_at(e, byte, &e0, &e1);
    return x->warp == v->warp && e->unit >= 2 && e0 == l0 && e1 == l1 &&
           l0 == l1;
}

/* One lane's write of one word. False: the lists must be walked. */
bool tc_indexed_write(tc_race_visit *v, tc_shadow_line *line,
                      const tc_shadow_cell *m);

#endif
