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
    uint32_t next = head->record ? h->free_cells : 0;
    if (next) {
        h->free_cells = h->pool[next].next;
        h->pool[next] = *head;
    } else if (head->record) {
        next = tc_shadow_cell_new(h, head);
    }
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

/* The first reader, or the first of another CTA on a quiet line. False: that is
 * not what it is, or the CTA before it still runs. */
static inline bool tc_same_epoch_begin(tc_race_visit *v, tc_shadow_line *line) {
    if (!line->r.record && !(line->w.shape & TC_RACE_WORD_TABLE)) {
        line->tail = 0;
    } else if (line->epoch &&
               !tc_race_live(v->h,
                             tc_shadow_record_of(v->h, line->r.record)->cta)) {
        tc_same_epoch_renew(v->h, line);
    } else {
        return false;
    }
    line->epoch = v->epoch;
    line->warps = 0;
    return true;
}

/* A read. False: the lists must be walked. */
static inline bool tc_same_epoch_read(tc_race_visit *v, tc_shadow_line *line,
                                      const tc_shadow_cell *m) {
    tc_race *h = v->h;
    uint32_t bit = UINT32_C(1) << v->warp;
    if (!v->epoch || (line->written & tc_shadow_words(m)) ||
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

/* One of the first writers is of my record, and takes m in. */
static inline bool tc_same_epoch_join(tc_race_visit *v, tc_shadow_line *line,
                                      const tc_shadow_cell *m) {
    tc_shadow_cell *e = &line->w;
    while (e->record == v->record) {
        if (e->l0 == e->l1 && tc_shadow_shape_of(e) == TC_RACE_SAME &&
            tc_race_absorb(e, m)) {
            return true;
        }
        if (!e->next) {
            break;
        }
        e = &v->h->pool[e->next];
    }
    return false;
}

/* A write onto words that nobody has written. */
static inline bool tc_same_epoch_write(tc_race_visit *v, tc_shadow_line *line,
                                       const tc_shadow_cell *m) {
    uint32_t words = tc_shadow_words(m);
    if (!v->epoch || line->r.record || (line->written & words) ||
        (line->w.shape & TC_RACE_WORD_TABLE)) {
        return false;
    }
    if (!line->w.record) {
        line->mixed = false;
    } else if (v->record < line->newest ||
               (v->record == line->newest && line->mixed)) {
        return false;
    }
    v->unwritten = false;
    line->written |= words;
    if (!line->w.record || v->record != line->newest ||
        !tc_same_epoch_join(v, line, m)) {
        tc_shadow_put(v->h, &line->w, m, v->record);
    }
    line->newest = v->record;
    return true;
}

/* ---- the same of one lane's word, which gathers and scatters do most: a cell's
 * upper half is looked at as a whole ---- */

/* Bytes 0 to 7: l0, l1, lo, hi, unit, shape, b0, b1. */
static inline uint64_t tc_shadow_upper(const tc_shadow_cell *e) {
    return (uint64_t)e->l0 | (uint64_t)e->l1 << 8 | (uint64_t)e->unit << 32 |
           (uint64_t)(e->shape & TC_RACE_SHAPE) << 40;
}

/* One of the first cells, all of the visitor's warp, takes bytes [b0, b0 + 4) in
 * for that lane. */
static inline bool tc_same_epoch_join_word(tc_race *h, tc_shadow_line *line,
                                           uint32_t lane, uint32_t b0) {
    const uint64_t lanes = (uint64_t)lane * 0x101 | UINT64_C(7) << 32 |
                           (uint64_t)TC_RACE_SAME << 40;
    tc_shadow_cell *e = &line->r;
    for (uint32_t i = line->run; i; i--) {
        if (tc_shadow_shape_of(e) == TC_RACE_COARSE) {
            tc_shadow_map(h, e)->w[b0 / 64] |= UINT64_C(0xF) << b0 % 64;
        } else if (tc_shadow_upper(e) != lanes || e->b0 > b0 + 4 ||
                   e->b1 < b0) {
            e = i > 1 ? &h->pool[e->next] : e;
            continue;
        }
        e->b0 = e->b0 < b0 ? e->b0 : (uint8_t)b0;
        e->b1 = e->b1 > b0 + 4 ? e->b1 : (uint8_t)(b0 + 4);
        return true;
    }
    return false;
}

static inline bool tc_same_epoch_read_word(tc_race_visit *v,
                                           tc_shadow_line *line, uint32_t lane,
                                           uint32_t b0) {
    if ((line->written >> b0 / 4 & 1) ||
        (line->epoch != v->epoch && !tc_same_epoch_begin(v, line))) {
        return false;
    }
    if (line->warps >> v->warp & 1) {
        if (line->last != v->warp || !line->run) {
            return false;
        }
        if (tc_same_epoch_join_word(v->h, line, lane, b0)) {
            return true;
        }
    }
    tc_shadow_cell m = tc_shadow_same_cell((int)lane, (int)lane, b0, b0 + 4);
    return tc_same_epoch_read(v, line, &m);
}

#endif
