/* word_lines.c - lines on whose words single lanes work: histograms, counters.
 *
 * Scattered atomics leave a mark a word, and each of them would walk all the
 * others. Once a line has several writers, and each word of it no more than one
 * lane, it has a table instead of lists: of each word who wrote it last, and
 * which plain write lies under the strong ones (TC_HZ_WROTE). Whatever is no
 * such atomic has the lists back first, as they would be, in their order: what
 * they say is the same. */
#include "sim/race/shadow_line.h"
#include <stdlib.h>
#include <string.h>

enum { WORDS = TC_HZ_LINE / 4, SEVERAL = 5 };

typedef struct tc_hz_word {
    uint32_t record; /* 0: nobody */
    uint32_t lane : 5;
    uint32_t place : 27; /* in the list: higher is nearer its head; neighbours
                            of one place and record are of one mark */
} tc_hz_word;

struct tc_hz_words {
    tc_hz_word last[WORDS], under[WORDS];
    uint32_t top; /* the highest place */
    uint32_t next_free;
};

static tc_hz_words *table(const tc_hazard *h, const tc_hz_line *line) {
    return h->words[line->w.map];
}

/* ---- tables ---- */

static uint32_t new_table(tc_hazard *h) {
    uint32_t i = h->free_words;
    if (i) {
        h->free_words = h->words[i]->next_free;
        memset(h->words[i], 0, sizeof *h->words[i]);
        return i;
    }
    if (h->nwords + 1 >= h->cwords) {
        h->cwords = h->cwords ? h->cwords * 2 : 16;
        h->words = tc_xrealloc(h->words, h->cwords * sizeof *h->words);
    }
    i = ++h->nwords; /* 0 is none */
    h->words[i] = tc_xcalloc(1, sizeof *h->words[i]);
    return i;
}

void tc_hz_words_drop(tc_hazard *h, tc_hz_line *line) {
    if (line->w.shape & TC_HZ_WORDS) {
        table(h, line)->next_free = h->free_words;
        h->free_words = line->w.map;
        memset(&line->w, 0, sizeof line->w);
    }
}

void tc_hz_words_free(tc_hazard *h) {
    for (uint32_t i = 1; i <= h->nwords; i++) {
        free(h->words[i]);
    }
    free(h->words);
}

void tc_hz_words_each(tc_hazard *h, tc_hz_line *line,
                      void (*fn)(tc_hazard *, uint32_t *)) {
    if (!(line->w.shape & TC_HZ_WORDS)) {
        return;
    }
    tc_hz_words *t = table(h, line);
    for (int i = 0; i < WORDS; i++) {
        if (t->last[i].record) {
            fn(h, &t->last[i].record);
        }
        if (t->under[i].record) {
            fn(h, &t->under[i].record);
        }
    }
}

/* ---- from lists, and back ---- */

/* A mark into words; false: it cannot be said so. */
static bool fill(tc_hz_word *words, const tc_hz_mark *m, uint32_t place) {
    if (tc_hz_shape_of(m) == TC_HZ_COARSE || (m->b0 | m->b1) % 4 ||
        m->unit < 2) {
        return false;
    }
    for (uint32_t b = m->b0; b < m->b1; b += 4) {
        int l0, l1;
        tc_hz_lanes_at(m, b, &l0, &l1);
        if (l0 != l1 || words[b / 4].record) {
            return false;
        }
        words[b / 4] =
            (tc_hz_word){m->record, (uint32_t)l0 & 31, place & 0x7FFFFFF};
    }
    return true;
}

static uint32_t length(const tc_hazard *h, const tc_hz_mark *m) {
    uint32_t n = m->record != 0;
    for (uint32_t i = m->next; i; i = h->pool[i].next) {
        n++;
    }
    return n;
}

static bool fill_list(const tc_hazard *h, tc_hz_word *words,
                      const tc_hz_mark *head, uint32_t shape, uint32_t place) {
    if (!head->record) {
        return true;
    }
    const tc_hz_mark *m = head;
    for (;;) {
        uint32_t flags = m->shape & (TC_HZ_WROTE | TC_HZ_UNWRITTEN);
        if (flags != shape || !fill(words, m, place--)) {
            return false;
        }
        if (!m->next) {
            return true;
        }
        m = &h->pool[m->next];
    }
}

bool tc_hz_words_make(const tc_hz_visit *v, tc_hz_line *line) {
    tc_hazard *h = v->h;
    uint32_t n = length(h, &line->w), under = length(h, &line->r);
    tc_hz_words made = {.top = n > under ? n : under};
    if ((tc_hz_has_late(v) && v->z->late[line - v->z->shared].n) ||
        n < SEVERAL || n > WORDS || under > WORDS ||
        !fill_list(h, made.last, &line->w, 0, n) ||
        !fill_list(h, made.under, &line->r, TC_HZ_WROTE, under)) {
        return false;
    }
    tc_hz_lines_clear(h, line, 1);
    uint32_t i = new_table(h);
    *h->words[i] = made;
    line->w = (tc_hz_mark){.map = i, .shape = TC_HZ_WORDS};
    return true;
}

static bool one_mark(const tc_hz_word *a, const tc_hz_word *b) {
    return a->record == b->record && a->place == b->place;
}

/* The mark that ends with that word; *first: where it begins. */
static tc_hz_mark mark_of(const tc_hz_word *words, int last, int *first) {
    int i = last, step = 0;
    if (i > 0 && one_mark(&words[i - 1], &words[i])) {
        step = (int)words[i].lane - (int)words[i - 1].lane;
    }
    while (i > 0 && (step == 0 || step == 1) &&
           one_mark(&words[i - 1], &words[i]) &&
           (int)words[i].lane - (int)words[i - 1].lane == step) {
        i--;
    }
    *first = i;
    tc_hz_mark m = tc_hz_same_mark((int)words[i].lane, (int)words[last].lane,
                                   (uint32_t)i * 4, (uint32_t)last * 4 + 4);
    if (step == 1) {
        m = tc_hz_run_mark((int)words[i].lane, (int)words[last].lane, i * 4, 2);
    }
    m.record = words[last].record;
    return m;
}

/* Pushed from the back: the lowest place first, of one place the last word. */
static void lists_of(tc_hazard *h, const tc_hz_word *words, tc_hz_mark *head,
                     uint32_t shape) {
    tc_hz_mark marks[WORDS];
    uint32_t places[WORDS];
    int n = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        if (!words[i].record) {
            continue;
        }
        uint32_t place = words[i].place;
        tc_hz_mark m = mark_of(words, i, &i);
        int at = n++;
        for (; at > 0 && places[at - 1] > place; at--) {
            places[at] = places[at - 1];
            marks[at] = marks[at - 1];
        }
        m.shape |= (uint8_t)shape;
        places[at] = place;
        marks[at] = m;
    }
    for (int i = 0; i < n; i++) {
        tc_hz_push(h, head, marks[i]);
    }
}

void tc_hz_words_undo(tc_hazard *h, tc_hz_line *line) {
    tc_hz_words t = *table(h, line);
    tc_hz_words_drop(h, line);
    lists_of(h, t.last, &line->w, 0);
    lists_of(h, t.under, &line->r, TC_HZ_WROTE | TC_HZ_CLIPPED);
}

/* ---- an atomic ---- */

static void check_word(tc_hz_visit *v, const tc_hz_word *w, int lane,
                       uint32_t byte) {
    tc_hz_mark m = tc_hz_same_mark(lane, lane, byte, byte + 4);
    tc_hz_mark e = tc_hz_same_mark((int)w->lane, (int)w->lane, byte, byte + 4);
    e.record = w->record;
    tc_hz_check(v, &e, &m, WRITE_WRITE);
}

/* The place of a mark that takes in, or becomes, that word. */
static uint32_t place_of(tc_hz_words *t, const tc_hz_word *words, uint32_t i,
                         const tc_hz_word *w, uint32_t step) {
    const tc_hz_word *before = &words[i - 1], *after = &words[i + 1];
    if (i > 0 && before->record == w->record &&
        (before->lane == w->lane || before->lane + step == w->lane)) {
        return before->place;
    }
    if (i + 1 < WORDS && after->record == w->record &&
        (after->lane == w->lane || after->lane == w->lane + step)) {
        return after->place;
    }
    return ++t->top & 0x7FFFFFF;
}

bool tc_hz_words_atomic(tc_hz_visit *v, tc_hz_line *line, int lane,
                        uint32_t byte) {
    tc_hazard *h = v->h;
    tc_hz_words *t = table(h, line);
    uint32_t i = byte / 4;
    tc_hz_word *w = &t->last[i], *under = &t->under[i];
    if (byte % 4 || (!w->record && v->space != TC_PS_GLOBAL) ||
        t->top >= 0x7FFFFF0) {
        return false;
    }
    const tc_hz_record *me = tc_hz_record_of(h, v->record);
    const tc_hz_record *x = tc_hz_record_of(h, w->record);
    v->unwritten = false;
    if (w->record && w->record != v->record && !tc_hz_both_strong(x, me)) {
        check_word(v, w, lane, byte);
    }
    if (under->record && under->record != v->known_record) {
        x = tc_hz_record_of(h, under->record);
        if (!x->async && v->all && tc_hz_knows_cta(v->all, x->cta, x->clock)) {
            v->known_record = under->record;
        } else {
            check_word(v, under, lane, byte);
        }
    }
    if (w->record && !(tc_hz_record_of(h, w->record)->flags & TC_HZ_STRONG)) {
        *under = *w;
        under->place = 0;
        under->place = place_of(t, t->under, i, w, 1) & 0x7FFFFFF;
        h->older = true;
    }
    bool exact = w->record && !(i > 0 && one_mark(w - 1, w)) &&
                 !(i + 1 < WORDS && one_mark(w + 1, w));
    tc_hz_word mine = {v->record, (uint32_t)lane & 31, w->place};
    if (!exact) {
        mine.place = place_of(t, t->last, i, &mine, 0) & 0x7FFFFFF;
    }
    *w = mine;
    return true;
}
