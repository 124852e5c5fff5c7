/* deferred_reads.c - readers of shared memory that the list of their line has
 * yet to take in.
 *
 * Between two barriers many warps read a tile that nobody writes, and all that
 * they leave in its shadow goes with the next write: that is ordered after them
 * by the barrier. So a line keeps its latest readers as they come, with what
 * they know of each other. The write that is ordered after all of them, on all
 * of their bytes, drops them together; whatever else needs the list has it take
 * them in first, one after the other, as if they came now. */
#include "sim/core/run.h"
#include "sim/race/writer_index.h"
#include <stdlib.h>

enum { FIRST = 4, MOST = 64 };

static tc_deferred_reads *deferred_of(const tc_race_visit *v,
                                      const tc_shadow_line *line) {
    return &v->z->deferred[line - v->z->shared];
}

static void clear(tc_race *h, tc_deferred_reads *l) {
    for (uint32_t i = 0; i < l->n && l->coarse; i++) {
        if (tc_shadow_shape_of(&l->m[i]) == TC_RACE_COARSE) {
            tc_shadow_cell_free(h, l->m[i].map);
        }
    }
    l->n = l->from = 0;
    l->coarse = false;
    tc_vclock_set(&l->all, NULL);
}

static void cut_words(tc_race *h, tc_shadow_line *line, uint32_t words) {
    for (uint32_t w = words; w; w &= w - 1) {
        uint32_t b = (uint32_t)tc_first_bit(w) * 4;
        tc_shadow_cell m = tc_shadow_same_cell(0, 0, b, b + 4);
        tc_shadow_cut_readers(h, line, &m);
    }
}

/* All of the CTA know of all of them, and nobody else will ask. */
static void forget_known(const tc_race_visit *v, tc_deferred_reads *l) {
    if (l->n && v->indexed && l->newest <= v->base) {
        clear(v->h, l);
    }
}

void tc_deferred_flush(tc_race_visit *v, tc_shadow_line *line) {
    tc_deferred_reads *l = deferred_of(v, line);
    tc_race_visit by = {.h = v->h, .z = v->z, .all = l->all, .space = v->space};
    for (uint32_t i = 0; i < l->n; i++) {
        tc_shadow_cell m = l->m[i];
        if (m.next == TC_DEFERRED_CUT) {
            cut_words(v->h, line, m.map);
        } else {
            m.next = 0;
            by.record = m.record;
            tc_race_add_reader(&by, line, m, i < l->from || !l->from);
        }
    }
    l->coarse = false; /* the maps are the list's now */
    clear(v->h, l);
}

static void append(tc_deferred_reads *l, const tc_shadow_cell *m) {
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : FIRST;
        l->m = tc_xrealloc(l->m, l->cap * sizeof *l->m);
    }
    l->m[l->n++] = *m;
}

/* m one element further than e, or within it: what most loops do. */
static inline bool widen(tc_shadow_cell *e, const tc_shadow_cell *m) {
    if (e->shape != TC_RACE_RUN || m->shape != TC_RACE_RUN || e->l0 != m->l0 ||
        e->l1 != m->l1 || e->unit != m->unit || m->lo < e->lo - 1 ||
        m->lo > e->hi + 1) {
        return false;
    }
    e->lo = m->lo < e->lo ? m->lo : e->lo;
    e->hi = m->lo > e->hi ? m->lo : e->hi;
    tc_shadow_natural(e);
    return true;
}

/* Too many cells of one stretch: one of all their bytes. */
static void coarsen(tc_race *h, tc_deferred_reads *l,
                    const tc_shadow_cell *last, uint64_t clock) {
    tc_shadow_bits bits = {{0}};
    tc_shadow_cell all = *last, blank = {0};
    uint32_t n = 0;
    tc_shadow_set_bits(&bits, last->b0, last->b1, true);
    for (uint32_t i = 0; i < l->n; i++) {
        const tc_shadow_cell e = l->m[i];
        if (e.next != last->next ||
            tc_shadow_record_of(h, e.record)->clock != clock) {
            l->m[n++] = e;
            continue;
        }
        all.record = n == i ? e.record : all.record;
        all.b0 = all.b0 < e.b0 ? all.b0 : e.b0;
        all.b1 = all.b1 > e.b1 ? all.b1 : e.b1;
        tc_shadow_set_bits(&bits, e.b0, e.b1, true);
    }
    l->n = n;
    l->coarse = true;
    all.shape = TC_RACE_COARSE;
    all.unit = 0;
    all.map = tc_shadow_cell_new(h, &blank);
    *tc_shadow_map(h, &all) = bits;
    append(l, &all);
}

static void admit(tc_race_visit *v, tc_deferred_reads *l,
                  const tc_shadow_record *me, const tc_shadow_cell *m) {
    if (!l->n) {
        tc_vclock_set(&l->all, v->all);
        l->epoch = me->flags ? 0 : me->clock;
        l->warps = 0;
        l->newest = 0;
        l->b0 = TC_RACE_LINE;
        l->b1 = 0;
    }
    l->newest = l->newest > me->clock ? l->newest : me->clock;
    l->b0 = l->b0 < m->b0 ? l->b0 : m->b0;
    l->b1 = l->b1 > m->b1 ? l->b1 : m->b1;
}

/* m goes into one of the last n readers. *own: those of its stretch that cannot
 * have it. */
static bool join(tc_race_visit *v, tc_deferred_reads *l, uint32_t n,
                 const tc_shadow_record *me, tc_shadow_cell *m, uint32_t *own) {
    for (uint32_t i = l->n; i > l->n - n; i--) {
        tc_shadow_cell *e = &l->m[i - 1];
        if (e->next != m->next ||
            tc_shadow_record_of(v->h, e->record)->clock != me->clock) {
            continue;
        }
        if (tc_shadow_shape_of(e) == TC_RACE_COARSE) {
            tc_race_absorb_coarse(v->h, e, m);
        } else if (!widen(e, m) && !tc_race_absorb(e, m)) {
            ++*own;
            continue;
        }
        l->b0 = l->b0 < e->b0 ? l->b0 : e->b0;
        l->b1 = l->b1 > e->b1 ? l->b1 : e->b1;
        return true;
    }
    return false;
}

/* How many of the last readers hold all of the stretch of me. */
static uint32_t of_stretch(const tc_deferred_reads *l,
                           const tc_shadow_record *me) {
    if (!l->epoch || l->epoch != me->clock || me->flags) {
        return l->n;
    }
    if (!(l->warps >> me->warp & 1)) {
        return 0;
    }
    return l->last == me->warp && l->run ? l->run : l->n;
}

/* One of warp has come to the end of the list; looked: at so many; own: of its
 * stretch. */
static void note_last(tc_deferred_reads *l, const tc_shadow_record *me,
                      uint32_t looked, uint32_t own) {
    bool run = own == looked || own + 1 == l->n;
    if (l->epoch != me->clock || me->flags) {
        l->epoch = 0;
    }
    l->warps |= UINT32_C(1) << me->warp;
    l->last = (uint8_t)me->warp;
    l->run = run ? (uint8_t)(own + 1) : 0;
}

/* The list is empty, and all of the line's deferred readers know what v does. */
static void keep(tc_race_visit *v, tc_deferred_reads *l,
                 const tc_shadow_record *me, tc_shadow_cell m) {
    /* Of one warp and of one kind; of one stretch, if the clocks agree. */
    m.next = me->warp | (uint32_t)me->flags << 16;
    if (l->from) { /* as they come: the list will say what joins them */
        admit(v, l, me, &m);
        m.record = v->record;
        append(l, &m);
        return;
    }
    uint32_t own = 0, n = v->h->walks ? l->n : of_stretch(l, me);
    if (join(v, l, n, me, &m, &own)) {
        return;
    }
    admit(v, l, me, &m);
    m.record = v->record;
    if (own >= TC_RACE_EXACT) {
        coarsen(v->h, l, &m, me->clock);
        note_last(l, me, 0, 0);
    } else {
        append(l, &m);
        note_last(l, me, n, own);
    }
}

bool tc_deferred_read(tc_race_visit *v, tc_shadow_line *line,
                      tc_shadow_cell m) {
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    tc_deferred_reads *l = deferred_of(v, line);
    forget_known(v, l);
    if (l->n && (l->all != v->all || v->agent || me->async || l->n == MOST)) {
        tc_deferred_flush(v, line);
    }
    if (!v->all || v->agent || me->async || line->r.record) {
        return false;
    }
    keep(v, l, me, m);
    return true;
}

/* Deferred readers may come to the line. */
static bool may_come(const tc_race_visit *v, const tc_shadow_line *line,
                     tc_deferred_reads *l) {
    forget_known(v, l);
    return !line->r.record && (!l->n || (l->all == v->all && l->n < MOST)) &&
           !tc_shadow_record_of(v->h, v->record)->async;
}

/* The line's first writer is that of bytes [b0, b1), and all of v's lanes know
 * of it. */
static bool plain(const tc_race_visit *v, const tc_shadow_line *line,
                  uint32_t b0, uint32_t b1) {
    const tc_shadow_cell *e = &line->w;
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    uint64_t clock = x->clock;
    if (!e->record || e->b0 > b0 || e->b1 < b1) {
        return false;
    }
    if (x->async) {
        clock =
            x->flags & TC_RACE_COPY ? ((tc_race_copy *)x->async)->done_all : 0;
    }
    return clock && clock <= v->base && x->cta == me->cta;
}

static void count(tc_race_visit *v, const tc_shadow_cell *e,
                  const tc_shadow_cell *m) {
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    if (tc_shadow_record_of(v->h, e->record)->warp == me->warp) {
        tc_race_count_shared(v, e, m);
    } else {
        uint64_t n =
            tc_shadow_shape_of(m) == TC_RACE_SAME ? m->l1 - m->l0 + 1u : 1;
        v->h->run->counters.shared_reads_other += n * (uint64_t)(m->b1 - m->b0);
    }
}

/* Each word of m has a writer of which the readers know. */
static bool known_words(tc_race_visit *v, tc_shadow_line *line,
                        const tc_shadow_cell *m) {
    const tc_writer_index *x = v->indexed ? tc_writer_index_of(v, line) : NULL;
    if (!x || (m->b0 | m->b1) % 4) {
        return false;
    }
    for (uint32_t b = m->b0; b < m->b1; b += 4) {
        const tc_shadow_cell *e = tc_indexed_cell(v->h, line, x->at[b / 4]);
        int l0, l1;
        tc_shadow_lanes_at(m, b, &l0, &l1);
        l1 = m->unit < 2 ? TC_LANES : l1; /* not one lane a word */
        if (!e || !tc_writer_known(v, e, b, l0, l1)) {
            return false;
        }
    }
    return true;
}

static void count_each(tc_race_visit *v, tc_shadow_line *line,
                       const tc_shadow_cell *m) {
    const tc_writer_index *x = tc_writer_index_of(v, line);
    for (uint32_t b = m->b0; b < m->b1; b += 4) {
        tc_shadow_cell part = *m;
        part.b0 = (uint8_t)b;
        part.b1 = (uint8_t)(b + 4);
        count(v, tc_indexed_cell(v->h, line, x->at[b / 4]), &part);
    }
}

bool tc_deferred_in_order(tc_race_visit *v, tc_shadow_line *line,
                          const tc_shadow_cell *m) {
    tc_deferred_reads *l = deferred_of(v, line);
    if (!may_come(v, line, l)) {
        return false;
    }
    if (plain(v, line, m->b0, m->b1)) {
        count(v, &line->w, m);
    } else if (known_words(v, line, m)) {
        count_each(v, line, m);
    } else {
        return false;
    }
    keep(v, l, tc_shadow_record_of(v->h, v->record), *m);
    return true;
}

/* Lanes of mask on words of the line, of which no two are the same. */
static bool distinct(uint32_t mask, const uint64_t *addr, uint64_t line,
                     uint32_t *words) {
    *words = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t bit = UINT32_C(1) << (addr[i] / 4 & 31);
        if (addr[i] / TC_RACE_LINE != line || addr[i] % 4 || (*words & bit)) {
            return false;
        }
        *words |= bit;
    }
    return true;
}

/* The coarse cell of the stretch, if there is one. */
static tc_shadow_cell *coarse_of(const tc_race_visit *v, tc_deferred_reads *l,
                                 const tc_shadow_record *me, uint32_t next) {
    for (uint32_t i = l->coarse ? l->n : 0; i; i--) {
        tc_shadow_cell *e = &l->m[i - 1];
        if (e->next == next && tc_shadow_shape_of(e) == TC_RACE_COARSE &&
            tc_shadow_record_of(v->h, e->record)->clock == me->clock) {
            return e;
        }
    }
    return NULL;
}

/* The words of lanes of mask, each as a read of its own: known, or counted. */
static bool each_word(tc_race_visit *v, tc_shadow_line *line, uint32_t mask,
                      const uint64_t *addr, bool one, bool counts) {
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t at = (uint32_t)(addr[i] % TC_RACE_LINE);
        tc_shadow_cell part = tc_shadow_same_cell(i, i, at, at + 4);
        if (!counts && !known_words(v, line, &part)) {
            return false;
        }
        if (counts && one) {
            count(v, &line->w, &part);
        } else if (counts) {
            count_each(v, line, &part);
        }
    }
    return true;
}

/* More pieces than are kept apart: at once what they would come to. */
bool tc_deferred_scattered(tc_race_visit *v, uint32_t mask,
                           const uint64_t *addr, uint32_t pieces) {
    uint64_t at = addr[tc_first_bit(mask)] / TC_RACE_LINE;
    uint32_t words;
    if (at >= v->z->nshared) {
        return false;
    }
    tc_shadow_line *line = v->z->shared + at;
    tc_deferred_reads *l = deferred_of(v, line);
    if ((pieces <= TC_RACE_EXACT && !l->coarse) || l->from ||
        !distinct(mask, addr, at, &words)) {
        return false;
    }
    const tc_shadow_record *me = tc_shadow_record_of(v->h, v->record);
    uint32_t b0 = (uint32_t)tc_first_bit(words) * 4;
    uint32_t b1 = 128 - (uint32_t)__builtin_clz(words) * 4;
    if (!may_come(v, line, l)) {
        return false;
    }
    bool one = plain(v, line, b0, b1);
    if (!one && !each_word(v, line, mask, addr, false, false)) {
        return false;
    }
    tc_shadow_cell m = tc_shadow_same_cell(0, 0, b0, b0 + 4);
    m.next = me->warp | (uint32_t)me->flags << 16;
    m.record = v->record;
    tc_shadow_cell *e = coarse_of(v, l, me, m.next);
    if (!e && pieces <= TC_RACE_EXACT) {
        return false;
    }
    v->z->touched = true;
    each_word(v, line, mask, addr, one, true);
    admit(v, l, me, &m);
    if (!e) {
        coarsen(v->h, l, &m, me->clock);
        note_last(l, me, 0, 0);
        e = &l->m[l->n - 1];
    }
    tc_shadow_bits *bits = tc_shadow_map(v->h, e);
    for (uint32_t w = words; w; w &= w - 1) {
        uint32_t i = (uint32_t)tc_first_bit(w);
        bits->w[i / 16] |= UINT64_C(0xF) << i % 16 * 4;
    }
    e->b0 = e->b0 < b0 ? e->b0 : (uint8_t)b0;
    e->b1 = e->b1 > b1 ? e->b1 : (uint8_t)b1;
    l->b0 = l->b0 < b0 ? l->b0 : (uint8_t)b0;
    l->b1 = l->b1 > b1 ? l->b1 : (uint8_t)b1;
    return true;
}

/* All of them precede all of m. */
static bool all_before(const tc_race_visit *v, const tc_deferred_reads *l,
                       const tc_shadow_cell *m) {
    if (v->all && tc_vclock_covers_cta(v->all, v->z->cta->index, l->newest)) {
        return true;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const tc_shadow_cell *e = &l->m[i];
        if (e->next == TC_DEFERRED_CUT) {
            continue;
        }
        if (!tc_race_all_ordered(v, tc_shadow_record_of(v->h, e->record), e,
                                 m)) {
            return false;
        }
    }
    return true;
}

void tc_deferred_before_write(tc_race_visit *v, tc_shadow_line *line,
                              const tc_shadow_cell *m) {
    tc_deferred_reads *l = deferred_of(v, line);
    if (!l->n) {
        return;
    }
    if (!v->agent && m->b0 <= l->b0 && l->b1 <= m->b1 && all_before(v, l, m)) {
        clear(v->h, l);
        return;
    }
    tc_deferred_flush(v, line);
}

/* Has another thread than the one that makes m read its word, as far as is
 * known? */
static bool read_by_others(tc_race_visit *v, const tc_shadow_cell *e,
                           const tc_shadow_cell *m) {
    const tc_shadow_record *x = tc_shadow_record_of(v->h, e->record);
    int l0, l1;
    if (e->b0 >= m->b1 || m->b0 >= e->b1) {
        return false;
    }
    if (tc_shadow_shape_of(e) == TC_RACE_COARSE) { /* any of its lanes */
        return x->warp != v->warp &&
               tc_shadow_bit(tc_shadow_map(v->h, e), m->b0);
    }
    tc_shadow_lanes_at(e, m->b0, &l0, &l1);
    return x->warp != v->warp || e->unit < 2 || l0 != m->l0 || l1 != m->l0;
}

bool tc_deferred_cut(tc_race_visit *v, tc_shadow_line *line,
                     const tc_shadow_cell *m) {
    tc_deferred_reads *l = deferred_of(v, line);
    forget_known(v, l);
    if (!l->n) {
        return true;
    }
    if (m->b0 <= l->b0 && l->b1 <= m->b1 && all_before(v, l, m)) {
        clear(v->h, l);
        return true;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const tc_shadow_cell *e = &l->m[i];
        if (e->next != TC_DEFERRED_CUT && read_by_others(v, e, m)) {
            return false;
        }
    }
    uint32_t word = UINT32_C(1) << m->b0 / 4;
    if (l->m[l->n - 1].next == TC_DEFERRED_CUT) {
        l->m[l->n - 1].map |= word;
    } else if (l->n == MOST) {
        return false;
    } else {
        l->from = l->from ? l->from : l->n;
        append(l, &(tc_shadow_cell){.map = word, .next = TC_DEFERRED_CUT});
    }
    return true;
}

void tc_deferred_clear(tc_race *h, tc_race_cta *z) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        clear(h, &z->deferred[i]);
    }
}

void tc_deferred_free(tc_race_cta *z) {
    for (uint64_t i = 0; i < z->nshared; i++) {
        free(z->deferred[i].m);
    }
    free(z->deferred);
}
