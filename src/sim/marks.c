/* marks.c - which lane touched which byte of a line: the shapes of marks. */
#include "sim/line.h"

/* The bytes that a run covers in its line. */
static void natural(tc_hz_mark *m) {
    int n = TC_HZ_LINE >> m->unit;
    int e0 = m->l0 - m->hi, e1 = m->l1 - m->lo;
    e0 = e0 < 0 ? 0 : e0;
    e1 = e1 >= n ? n - 1 : e1;
    m->b0 = (uint8_t)(e0 << m->unit);
    m->b1 = (uint8_t)((e1 + 1) << m->unit);
}

/* Lane l0's element begins at that byte of the line, which may lie before it or
 * behind it, as long as one of the lanes' does not. */
tc_hz_mark tc_hz_run_mark(int l0, int l1, int64_t byte, uint32_t unit) {
    int64_t element = byte / (INT64_C(1) << unit);
    tc_hz_mark m = {.shape = TC_HZ_RUN, .unit = (uint8_t)unit};
    m.l0 = (uint8_t)l0;
    m.l1 = (uint8_t)l1;
    m.lo = m.hi = (int8_t)(l0 - element);
    natural(&m);
    return m;
}

tc_hz_mark tc_hz_same_mark(int l0, int l1, uint32_t b0, uint32_t b1) {
    tc_hz_mark m = {.shape = TC_HZ_SAME, .unit = 7};
    m.l0 = (uint8_t)l0;
    m.l1 = (uint8_t)l1;
    m.b0 = (uint8_t)b0;
    m.b1 = (uint8_t)b1;
    return m;
}

static bool touch(const tc_hz_mark *a, const tc_hz_mark *b) {
    return a->b0 <= b->b1 && b->b0 <= a->b1;
}

static void widen(tc_hz_mark *e, const tc_hz_mark *m) {
    e->b0 = e->b0 < m->b0 ? e->b0 : m->b0;
    e->b1 = e->b1 > m->b1 ? e->b1 : m->b1;
}

/* Adds m to e exactly, if one mark can say both. Who they are is the caller's
 * to compare; m has one shift. */
bool tc_hz_absorb(tc_hz_mark *e, const tc_hz_mark *m) {
    if (tc_hz_shape_of(e) != tc_hz_shape_of(m) || e->l0 != m->l0 ||
        e->l1 != m->l1 || e->unit != m->unit) {
        return false;
    }
    bool inside = e->b0 <= m->b0 && m->b1 <= e->b1;
    if (tc_hz_shape_of(m) == TC_HZ_SAME) {
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
    if ((e->shape | m->shape) & TC_HZ_CLIPPED) {
        return false;
    }
    if (m->lo == e->hi + 1) {
        e->hi = m->lo;
    } else if (m->lo == e->lo - 1) {
        e->lo = m->lo;
    } else {
        return m->lo >= e->lo && m->lo <= e->hi;
    }
    natural(e);
    return true;
}

bool tc_hz_cut(tc_hz_mark *e, uint32_t b0, uint32_t b1, tc_hz_mark *rest) {
    rest->b0 = rest->b1 = 0;
    if (b1 <= e->b0 || e->b1 <= b0) {
        return true;
    }
    bool left = e->b0 < b0, right = b1 < e->b1;
    e->shape |= TC_HZ_CLIPPED;
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
