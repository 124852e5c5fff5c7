/* word_lines.c - lines on whose words single lanes work: histograms, counters.
 *
 * Scattered atomics leave a cell a word, and each of them would walk all the
 * others. Once a line has several writers, and each word of it no more than one
 * lane, it has a table instead of lists: of each word who wrote it last, and
 * which plain write lies under the strong ones (TC_RACE_WROTE). Whatever is no
 * such atomic has the lists back first, as they would be, in their order: what
 * they say is the same. */
#include "sim/race/shadow_line.h"
#include <stdlib.h>
#include <string.h>

enum { WORDS = TC_RACE_LINE / 4, SEVERAL = 5 };

typedef struct tc_word_cell {
    uint32_t record; /* 0: nobody */
    uint32_t lane : 5;
    uint32_t place : 27; /* in the list: higher is nearer its head; neighbours
                            of one place and record are of one cell */
} tc_word_cell;

struct tc_word_table {
    tc_word_cell last[WORDS], under[WORDS];
    uint32_t top; /* the highest place */
    uint32_t next_free;
};

static tc_word_table *table(const tc_race *h, const tc_shadow_line *line) {
    return h->tables[line->w.map];
}

/* ---- tables ---- */

static uint32_t new_table(tc_race *h) {
    uint32_t i = h->free_words;
    if (i) {
        h->free_words = h->tables[i]->next_free;
        memset(h->tables[i], 0, sizeof *h->tables[i]);
        return i;
    }
    if (h->nwords + 1 >= h->cwords) {
        h->cwords = h->cwords ? h->cwords * 2 : 16;
        h->tables = tc_xrealloc(h->tables, h->cwords * sizeof *h->tables);
    }
    i = ++h->nwords; /* 0 is none */
    h->tables[i] = tc_xcalloc(1, sizeof *h->tables[i]);
    return i;
}

void tc_word_table_drop(tc_race *h, tc_shadow_line *line) {
    if (line->w.shape & TC_RACE_WORD_TABLE) {
        table(h, line)->next_free = h->free_words;
        h->free_words = line->w.map;
        memset(&line->w, 0, sizeof line->w);
    }
}

void tc_word_table_free(tc_race *h) {
    for (uint32_t i = 1; i <= h->nwords; i++) {
        free(h->tables[i]);
    }
    free(h->tables);
}

void tc_word_table_each(tc_race *h, tc_shadow_line *line,
                        void (*fn)(tc_race *, uint32_t *)) {
    if (!(line->w.shape & TC_RACE_WORD_TABLE)) {
        return;
    }
    tc_word_table *t = table(h, line);
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

/* A cell into words; false: it cannot be said so. */
static bool fill(tc_word_cell *words, const tc_shadow_cell *m, uint32_t place) {
    if (tc_shadow_shape_of(m) == TC_RACE_COARSE || (m->b0 | m->b1) % 4 ||
        m->unit < 2) {
        return false;
    }
    for (uint32_t b = m->b0; b < m->b1; b += 4) {
        int l0, l1;
        tc_shadow_lanes_at(m, b, &l0, &l1);
        if (l0 != l1 || words[b / 4].record) {
            return false;
        }
        words[b / 4] =
            (tc_word_cell){m->record, (uint32_t)l0 & 31, place & 0x7FFFFFF};
    }
    return true;
}

static uint32_t length(const tc_race *h, const tc_shadow_cell *m) {
    uint32_t n = m->record != 0;
    for (uint32_t i = m->next; i; i = h->pool[i].next) {
        n++;
    }
    return n;
}

static bool fill_list(const tc_race *h, tc_word_cell *words,
                      const tc_shadow_cell *head, uint32_t shape,
                      uint32_t place) {
    if (!head->record) {
        return true;
    }
    const tc_shadow_cell *m = head;
    for (;;) {
        uint32_t flags = m->shape & (TC_RACE_WROTE | TC_RACE_UNWRITTEN);
        if (flags != shape || !fill(words, m, place--)) {
            return false;
        }
        if (!m->next) {
            return true;
        }
        m = &h->pool[m->next];
    }
}

bool tc_word_table_make(const tc_race_visit *v, tc_shadow_line *line) {
    tc_race *h = v->h;
    uint32_t n = length(h, &line->w), under = length(h, &line->r);
    tc_word_table made = {.top = n > under ? n : under};
    if ((tc_deferred_has(v) && v->z->deferred[line - v->z->shared].n) ||
        n < SEVERAL || n > WORDS || under > WORDS ||
        !fill_list(h, made.last, &line->w, 0, n) ||
        !fill_list(h, made.under, &line->r, TC_RACE_WROTE, under)) {
        return false;
    }
    uint32_t written = line->written;
    tc_shadow_clear(h, line, 1);
    line->written = written;
    uint32_t i = new_table(h);
    *h->tables[i] = made;
    line->w = (tc_shadow_cell){.map = i, .shape = TC_RACE_WORD_TABLE};
    return true;
}

static bool one_mark(const tc_word_cell *a, const tc_word_cell *b) {
    return a->record == b->record && a->place == b->place;
}

/* The cell that ends with that word; *first: where it begins. */
static tc_shadow_cell mark_of(const tc_word_cell *words, int last, int *first) {
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
    tc_shadow_cell m =
        tc_shadow_same_cell((int)words[i].lane, (int)words[last].lane,
                            (uint32_t)i * 4, (uint32_t)last * 4 + 4);
    if (step == 1) {
        m = tc_shadow_run_cell((int)words[i].lane, (int)words[last].lane, i * 4,
                               2);
    }
    m.record = words[last].record;
    return m;
}

/* Pushed from the back: the lowest place first, of one place the last word. */
static void lists_of(tc_race *h, const tc_word_cell *words,
                     tc_shadow_cell *head, uint32_t shape) {
    tc_shadow_cell marks[WORDS];
    uint32_t places[WORDS];
    int n = 0;
    for (int i = WORDS - 1; i >= 0; i--) {
        if (!words[i].record) {
            continue;
        }
        uint32_t place = words[i].place;
        tc_shadow_cell m = mark_of(words, i, &i);
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
        tc_race_push(h, head, marks[i]);
    }
}

void tc_word_table_undo(tc_race *h, tc_shadow_line *line) {
    tc_word_table t = *table(h, line);
    tc_word_table_drop(h, line);
    line->epoch = 0;
    line->newest = UINT32_MAX;
    line->mixed = true;
    lists_of(h, t.last, &line->w, 0);
    lists_of(h, t.under, &line->r, TC_RACE_WROTE | TC_RACE_CLIPPED);
}

/* ---- an atomic ---- */

static void check_word(tc_race_visit *v, const tc_word_cell *w, int lane,
                       uint32_t byte) {
    tc_shadow_cell m = tc_shadow_same_cell(lane, lane, byte, byte + 4);
    tc_shadow_cell e =
        tc_shadow_same_cell((int)w->lane, (int)w->lane, byte, byte + 4);
    e.record = w->record;
    tc_race_check(v, &e, &m, WRITE_WRITE);
}

/* The place of a cell that takes in, or becomes, that word. */
static uint32_t place_of(tc_word_table *t, const tc_word_cell *words,
                         uint32_t i, const tc_word_cell *w, uint32_t step) {
    const tc_word_cell *before = &words[i - 1], *after = &words[i + 1];
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

bool tc_word_table_atomic(tc_race_visit *v, tc_shadow_line *line, int lane,
                          uint32_t byte) {
    tc_race *h = v->h;
    tc_word_table *t = table(h, line);
    uint32_t i = byte / 4;
    tc_word_cell *w = &t->last[i], *under = &t->under[i];
    if (byte % 4 || (!w->record && v->space != TC_PS_GLOBAL) ||
        t->top >= 0x7FFFFF0) {
        return false;
    }
    const tc_shadow_record *me = tc_shadow_record_of(h, v->record);
    const tc_shadow_record *x = tc_shadow_record_of(h, w->record);
    v->unwritten = false;
    if (w->record && w->record != v->record && !tc_race_both_strong(x, me)) {
        check_word(v, w, lane, byte);
    }
    if (under->record && under->record != v->known_record) {
        x = tc_shadow_record_of(h, under->record);
        if (!x->async && v->all &&
            tc_vclock_covers_cta(v->all, x->cta, x->clock)) {
            v->known_record = under->record;
        } else {
            check_word(v, under, lane, byte);
        }
    }
    if (w->record &&
        !(tc_shadow_record_of(h, w->record)->flags & TC_RACE_STRONG)) {
        *under = *w;
        under->place = 0;
        under->place = place_of(t, t->under, i, w, 1) & 0x7FFFFFF;
        h->older = true;
    }
    bool exact = w->record && !(i > 0 && one_mark(w - 1, w)) &&
                 !(i + 1 < WORDS && one_mark(w + 1, w));
    tc_word_cell mine = {v->record, (uint32_t)lane & 31, w->place};
    if (!exact) {
        mine.place = place_of(t, t->last, i, &mine, 0) & 0x7FFFFFF;
    }
    *w = mine;
    return true;
}
