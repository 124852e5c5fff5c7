/* same_epoch.h - accesses of global memory of which it is known, without a walk
 * of the line's lists, what the walk would do.
 *
 * The lists of a line (shadow_line.c) are the state, and every finding comes of
 * them. A line says of its list of readers that it is quiet (epoch is not 0):
 * each cell is
 *   - of that clock, which is of one CTA that runs, a plain read of a thread, of
 *     a warp of `warps`; or
 *   - of a CTA that has ended, and there are fewer of these than are kept.
 * A visitor of the same clock that knows of nobody but its own CTA, up to an
 * earlier clock (tc_race_visit.epoch), stands for none of them, and meets its
 * own warp's cells only: without such it is put before the list, else those are
 * the first ones, mostly, and one of them takes it in. When another CTA comes,
 * all of them are of CTAs that have ended, and the list is cut at a stroke. So a
 * table that all CTAs read costs each access the same, however many there are.
 *
 * Of the writers it is known which words may have any, and the latest record:
 * who writes onto other words, with a later record, is put before the list.
 *
 * Memory: 64 bytes a line of 128 for each page of 4096 bytes that is touched,
 * and 16 for each cell: of a line, what the warps of the running CTAs have read
 * and written, and two readers of CTAs that have ended. */
#ifndef TC_SIM_RACE_SAME_EPOCH_H
#define TC_SIM_RACE_SAME_EPOCH_H

#include "sim/race/shadow_line.h"

/* The words that bytes [b0, b1) of a line touch. */
static inline uint32_t tc_shadow_words(const tc_shadow_cell *m) {
    uint64_t end = UINT64_C(1) << ((m->b1 + 3u) / 4);
    return (uint32_t)(end - (UINT64_C(1) << m->b0 / 4));
}

/* The line of an address of global memory, as tc_shadow_global has it. */
static inline tc_shadow_line *tc_shadow_near(tc_race *h, uint64_t address) {
    uint64_t at = address - h->near_address;
    tc_shadow_line *page =
        at < h->near_size ? h->near_pages[at / TC_RACE_PAGE] : NULL;
    return page ? page + at % TC_RACE_PAGE / TC_RACE_LINE
                : tc_shadow_global(h, address);
}

/* Returns where the old head is now, 0 nowhere. */
static inline uint32_t tc_shadow_put(tc_race *h, tc_shadow_cell *head,
                                     const tc_shadow_cell *m, uint32_t record) {
    uint32_t next = head->record ? tc_shadow_cell_new(h, head) : 0;
    *head = *m;
    head->record = record;
    head->next = next;
    return next;
}

/* tc_race_absorb, at a glance where lanes are on the same bytes. */
static inline bool tc_same_epoch_absorb(tc_shadow_cell *e,
                                        const tc_shadow_cell *m) {
    if (m->shape != TC_RACE_SAME || e->shape != TC_RACE_SAME) {
        return tc_race_absorb(e, m);
    }
    if (e->l0 != m->l0 || e->l1 != m->l1 || e->b0 > m->b1 || m->b0 > e->b1) {
        return false;
    }
    e->b0 = e->b0 < m->b0 ? e->b0 : m->b0;
    e->b1 = e->b1 > m->b1 ? e->b1 : m->b1;
    return true;
}

/* The readers are of CTAs that have ended; two are kept. */
void tc_same_epoch_renew(tc_race *h, tc_shadow_line *line);

/* Another CTA comes to a quiet line. False: the one before it still runs. */
static inline bool tc_same_epoch_begin(tc_race_visit *v, tc_shadow_line *line) {
    if (tc_race_live(v->h, tc_shadow_record_of(v->h, line->r.record)->cta)) {
        return false;
    }
    tc_same_epoch_renew(v->h, line);
    line->epoch = v->epoch;
    line->warps = 0;
    return true;
}

/* A read. False: the lists must be walked. */
static inline bool tc_same_epoch_read(tc_race_visit *v, tc_shadow_line *line,
                                      const tc_shadow_cell *m) {
    tc_race *h = v->h;
    uint32_t bit = UINT32_C(1) << v->warp;
    if (!v->epoch || !line->epoch || (line->written & tc_shadow_words(m)) ||
        (line->epoch != v->epoch && !tc_same_epoch_begin(v, line))) {
        return false;
    }
    if (line->warps & bit) {
        tc_shadow_cell *e = &line->r;
        if (line->last != v->warp || !line->run) {
            return false;
        }
        for (uint32_t i = line->run;;) {
            if (tc_shadow_shape_of(e) == TC_RACE_COARSE) {
                tc_race_absorb_coarse(h, e, m);
                return true;
            }
            if (tc_same_epoch_absorb(e, m)) {
                return true;
            }
            if (!--i) {
                break;
            }
            e = &h->pool[e->next];
        }
        if (line->run >= TC_RACE_EXACT) {
            return false;
        }
    } else {
        line->warps |= bit;
        line->last = (uint8_t)v->warp;
        line->run = 0;
    }
    bool one = !line->r.next;
    bool map = tc_shadow_shape_of(&line->r) == TC_RACE_COARSE;
    uint32_t old = tc_shadow_put(h, &line->r, m, v->record);
    line->tail = !one ? line->tail : map ? 0 : old;
    line->run++;
    return true;
}

/* A write onto words that nobody has written. */
static inline bool tc_same_epoch_write(tc_race_visit *v, tc_shadow_line *line,
                                       const tc_shadow_cell *m) {
    uint32_t words = tc_shadow_words(m);
    if (!v->epoch || line->r.record || (line->written & words) ||
        (line->w.record && v->record <= line->newest) ||
        (line->w.shape & TC_RACE_WORD_TABLE)) {
        return false;
    }
    v->unwritten = false;
    tc_shadow_put(v->h, &line->w, m, v->record);
    line->written |= words;
    line->newest = v->record;
    return true;
}

#endif
