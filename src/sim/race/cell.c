/* cell.c - which lane touched which byte of a line: the shapes of cells; and how
 * the next CTA finds them. */
#include "sim/race/same_epoch.h"

static bool touch(const tc_shadow_cell *a, const tc_shadow_cell *b) {
    return a->b0 <= b->b1 && b->b0 <= a->b1;
}

static void widen(tc_shadow_cell *e, const tc_shadow_cell *m) {
    e->b0 = e->b0 < m->b0 ? e->b0 : m->b0;
    e->b1 = e->b1 > m->b1 ? e->b1 : m->b1;
}

/* Adds m to e exactly, if one cell can say both. Who they are is the caller's
 * to compare; m has one shift. */
bool tc_race_absorb(tc_shadow_cell *e, const tc_shadow_cell *m) {
    if (tc_shadow_shape_of(e) != tc_shadow_shape_of(m) || e->l0 != m->l0 ||
        e->l1 != m->l1 || e->unit != m->unit) {
        return false;
    }
    bool inside = e->b0 <= m->b0 && m->b1 <= e->b1;
    if (tc_shadow_shape_of(m) == TC_RACE_SAME) {
        if (!touch(e, m)) {
            return false;
        }
        widen(e, m);
        return true;
    }
    if (m->lo >= e->lo && m->lo <= e->hi && inside) {
        return true;
    }
    if (e->lo == e->hi && e->lo == m->lo && touch(e, m)) {
        widen(e, m);
        return true;
    }
    if ((e->shape | m->shape) & TC_RACE_CLIPPED) {
        return false;
    }
    if (m->lo == e->hi + 1) {
        e->hi = m->lo;
    } else if (m->lo == e->lo - 1) {
        e->lo = m->lo;
    } else {
        return m->lo >= e->lo && m->lo <= e->hi;
    }
    tc_shadow_natural(e);
    return true;
}

bool tc_race_cut(tc_shadow_cell *e, uint32_t b0, uint32_t b1,
                 tc_shadow_cell *rest) {
    rest->b0 = rest->b1 = 0;
    if (b1 <= e->b0 || e->b1 <= b0) {
        return true;
    }
    bool left = e->b0 < b0, right = b1 < e->b1;
    e->shape |= TC_RACE_CLIPPED;
    if (left && right) {
        *rest = *e;
        rest->b0 = (uint8_t)b1;
    }
    if (left) {
        e->b1 = (uint8_t)b0;
    } else if (right) {
        e->b0 = (uint8_t)b1;
    }
    return left || right;
}

/* ---- the readers of a line that the next CTA comes to (same_epoch.h) ---- */

void tc_same_epoch_renew(tc_race *h, tc_shadow_line *line) {
    uint32_t at = line->r.next;
    if (!at) {
        return;
    }
    uint32_t next = h->pool[at].next;
    h->pool[at].next = 0;
    if (next && line->tail) { /* all of them at a stroke */
        h->pool[line->tail].next = h->free_cells;
        h->free_cells = next;
        next = 0;
    }
    line->tail = tc_shadow_shape_of(&line->r) == TC_RACE_COARSE ||
                         tc_shadow_shape_of(&h->pool[at]) == TC_RACE_COARSE
                     ? 0
                     : at;
    while (next) {
        const tc_shadow_cell e = h->pool[next];
        if (tc_shadow_shape_of(&e) == TC_RACE_COARSE) {
            tc_shadow_cell_free(h, e.map);
        }
        tc_shadow_cell_free(h, next);
        next = e.next;
    }
}
