/* rows.c - letters and bars. */
#include "trace/draw/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 8 };

tc_letter tc_letter_of(tc_trace_kind kind) {
    static const tc_letter letters[TC_TRACE_KIND_COUNT] = {
#define TC_LETTER(kind, letter, role, attrs, what)                             \
    [TC_TRACE_##kind] = {letter, TC_STYLE(role, attrs), what},
#include "trace/draw/letters.def"
    };
    return kind < TC_TRACE_KIND_COUNT ? letters[kind] : (tc_letter){0};
}

char tc_mark_letter(const tc_mark *k) {
    if (k->plain) {
        return k->stores == 0 ? 'l' : k->loads == 0 ? 's' : 'm';
    }
    return tc_letter_of((tc_trace_kind)k->kind).letter;
}

static tc_style style_of(const tc_mark *k) {
    return k->finding ? TC_STYLE(FINDING, TC_BOLD)
           : k->plain ? TC_PLAIN
                      : tc_letter_of((tc_trace_kind)k->kind).style;
}

const char *tc_row_label(const tc_model *m, const tc_row *row) {
    const char *parent = row->parent >= 0 ? m->rows[row->parent].name : "";
    size_t n = strlen(parent);
    bool same = n > 0 && strncmp(row->name, parent, n) == 0;
    return same && row->name[n] == ' ' ? row->name + n + 1 : row->name;
}

int tc_row_lines(const tc_row *row) {
    int n = row->kind == TC_ROW_WARP ? 1 : (int)row->nlanes;
    return n < 1 ? 1 : n > MOST_LANES ? MOST_LANES : n;
}

bool tc_row_has_letters(const tc_row *row) {
    return row->kind == TC_ROW_WARP || row->kind == TC_ROW_MBARRIER ||
           row->kind == TC_ROW_TMEM || row->kind == TC_ROW_MMA;
}

uint32_t tc_mark_parts(const tc_mark *k) {
    enum { MOST = 16 };
    return k->plain && !k->finding && k->n <= MOST ? k->n : 1;
}

size_t tc_row_mark_at(const tc_row *row, uint64_t cycle) {
    size_t lo = 0, hi = row->nmarks;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (row->marks[mid].cycle < cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* ---- marks ---- */

/* What gives way where several meet: the end, loads, stores; on an mbarrier's
 * row, where each warp's wait and each copy has a row of its own, those. */
static int weight(const tc_row *row, const tc_mark *k) {
    bool others = row->kind == TC_ROW_MBARRIER &&
                  (k->kind == TC_TRACE_WAIT || tc_trace_is_issue(k->kind));
    return others && !k->finding       ? (k->kind == TC_TRACE_WAIT ? 1 : 2)
           : k->finding                ? 9
           : tc_mark_letter(k) == 0    ? 0
           : k->kind == TC_TRACE_EXIT  ? 1
           : k->plain                  ? 2
           : k->kind == TC_TRACE_PHASE ? 4
                                       : 3;
}

/* What a column holds: the letters of different steps, as they follow each
 * other. */
enum { MOST_LETTERS = 4 };
typedef struct letter_cell {
    int n, best; /* letters, one too many: more; the greatest weight */
    int weight[MOST_LETTERS + 1];
    char letter[MOST_LETTERS + 1];
    tc_style style[MOST_LETTERS + 1];
    const tc_mark *one; /* the only mark on it, else NULL */
} letter_cell;

static void meet(letter_cell *at, int weight, char letter, tc_style style,
                 const tc_mark *k) {
    if (weight == 0) {
        return;
    }
    at->one = at->n == 0 ? k : NULL;
    at->best = weight > at->best ? weight : at->best;
    bool again = at->n > 0 && at->letter[at->n - 1] == letter;
    if (!again && at->n <= MOST_LETTERS) {
        at->weight[at->n] = weight;
        at->letter[at->n] = letter;
        at->style[at->n] = style;
        at->n++;
    }
}

/* Leaves those of at least a weight. */
static void leave(letter_cell *at, int weight) {
    int n = 0;
    for (int i = 0; i < at->n; i++) {
        if (at->weight[i] < weight ||
            (n > 0 && at->letter[n - 1] == at->letter[i])) {
            continue;
        }
        at->weight[n] = at->weight[i];
        at->letter[n] = at->letter[i];
        at->style[n++] = at->style[i];
    }
    at->n = n;
}

/* So that they fit into the columns up to the next letters: all of them side
 * by side; else the weightiest; else a star. Returns how many there are. */
static int settle(letter_cell *at, int room) {
    if (at->n > room) {
        leave(at, at->best);
    }
    if (at->n > room || at->n > MOST_LETTERS) {
        at->n = 1;
        at->letter[0] = '*';
        at->style[0] = TC_STYLE(PLAIN, TC_BOLD);
    }
    return at->n;
}

static char access_letter(const tc_trace_event *e) {
    return e->kind == TC_TRACE_LOAD ? 'l' : 's';
}

/* Is there room to show each load and store that the mark stands for? */
static bool has_room(const tc_plot *p, const tc_model *m, const tc_row *row,
                     const tc_mark *k) {
    int last = -1;
    char letter = 0;
    bool room = tc_mark_parts(k) > 1;
    for (uint32_t i = 0; room && i < k->n; i++) {
        const tc_trace_event *e = m->order[row->events[k->first + i]];
        int c = tc_axis_column(p->axis, e->cycle);
        room = c != last || access_letter(e) == letter;
        last = c;
        letter = access_letter(e);
    }
    return room;
}

static void put_mark(const tc_plot *p, const tc_model *m, const tc_row *row,
                     const tc_mark *k, letter_cell *cells) {
    int w = weight(row, k), c = tc_axis_column(p->axis, k->cycle);
    if (has_room(p, m, row, k)) {
        for (uint32_t i = 0; i < k->n; i++) {
            const tc_trace_event *e = m->order[row->events[k->first + i]];
            c = tc_axis_column(p->axis, e->cycle);
            if (c >= 0 && c < p->axis->cols) {
                meet(&cells[c], w, access_letter(e), TC_PLAIN, NULL);
            }
        }
    } else if (c >= 0 && c < p->axis->cols) {
        meet(&cells[c], w, k->finding ? '!' : tc_mark_letter(k), style_of(k),
             k);
    }
}

/* How many a folded mark stands for, where there is room behind it. */
static void draw_count(const tc_plot *p, int y, int c, int to,
                       const tc_mark *k) {
    char text[16];
    int n = snprintf(text, sizeof text, "%" PRIu32, k->n);
    if (k->n >= 2 && c + n <= to) {
        tc_put_text(p->area, y, p->x + c, n, text, (size_t)n,
                    TC_STYLE(FRAME, 0));
    }
}

static void draw_marks(const tc_plot *p, const tc_model *m, const tc_row *row,
                       int y) {
    enum { LOOK = 64 }; /* of the marks on a column */
    const tc_time_axis *x = p->axis;
    letter_cell *cells = tc_xcalloc((size_t)x->cols + 1, sizeof *cells);
    size_t before = tc_row_mark_at(row, x->start[0]);
    if (before > 0) { /* folded ones may go on into what is shown */
        put_mark(p, m, row, &row->marks[before - 1], cells);
    }
    for (int c = 0; c < x->cols; c++) {
        size_t from = tc_row_mark_at(row, x->start[c]);
        size_t to = tc_row_mark_at(row, x->start[c + 1]);
        for (size_t i = from; i < to && i < from + LOOK; i++) {
            put_mark(p, m, row, &row->marks[i], cells);
        }
    }
    for (int c = 0, to; c < x->cols; c = to) {
        for (to = c + 1; to < x->cols && cells[to].n == 0;) {
            to++;
        }
        int n = cells[c].n > 0 ? settle(&cells[c], to - c) : 0;
        for (int i = 0; i < n; i++) {
            tc_put(p->area, y, p->x + c + i, (unsigned char)cells[c].letter[i],
                   cells[c].style[i]);
        }
        if (cells[c].one != NULL) { /* a count goes up to what comes next */
            draw_count(p, y, c + 1, to - 1, cells[c].one);
        }
    }
    free(cells);
}

/* ---- bars ---- */

static uint32_t glyph_of(const tc_interval *i) {
    switch (i->kind) {
    case TC_INTERVAL_UNCOMMITTED:
        return TC_CHAR_LOOSE;
    case TC_INTERVAL_FLIGHT:
        return TC_CHAR_BAR;
    case TC_INTERVAL_STALL:
    case TC_INTERVAL_GATHER:
    case TC_INTERVAL_WAITED:
        return TC_CHAR_STALL;
    default:
        return TC_CHAR_LIFE;
    }
}

static tc_style bar_style(const tc_interval *i) {
    if (i->finding) {
        return TC_STYLE(FINDING, 0);
    }
    switch (i->kind) {
    case TC_INTERVAL_UNCOMMITTED:
    case TC_INTERVAL_FLIGHT:
        return TC_STYLE(FLIGHT, 0);
    case TC_INTERVAL_LANDED:
        return TC_STYLE(LANDED, 0);
    case TC_INTERVAL_PHASE:
        return i->phase & 1 ? TC_STYLE(READ, 0) : TC_STYLE(COMMIT, 0);
    case TC_INTERVAL_STALL:
    case TC_INTERVAL_GATHER:
    case TC_INTERVAL_WAITED:
        return TC_STYLE(STALL, 0);
    default:
        return TC_STYLE(FRAME, 0);
    }
}

/* "0": the ordinal of a group or phase, or the name of what is copied, at the
 * front of its bar. */
static void draw_name(const tc_plot *p, const tc_interval *i, int y, int from,
                      int to) {
    char text[16];
    int32_t n = i->kind == TC_INTERVAL_PHASE ? i->phase : i->group;
    bool committed = i->kind == TC_INTERVAL_UNCOMMITTED && i->end != TC_OPEN;
    if (n < 0 || i->kind == TC_INTERVAL_LANDED || committed) {
        return; /* the number stands where the group begins */
    }
    int len = snprintf(text, sizeof text, "%" PRId32, n);
    from += i->kind == TC_INTERVAL_PHASE; /* behind what began it */
    if (to - from + 1 >= len) {
        tc_put_text(p->area, y, p->x + from, len, text, (size_t)len,
                    bar_style(i) | TC_BOLD);
    }
}

/* Returns the cycle up to which its line is drawn: what ends before adds
 * nothing. */
static uint64_t draw_interval(const tc_plot *p, const tc_interval *i, int y,
                              uint64_t cycles) {
    const tc_time_axis *x = p->axis;
    uint64_t end = i->end == TC_OPEN ? cycles + 1 : i->end;
    if (end <= x->start[0] || i->begin >= x->start[x->cols]) {
        return x->start[0];
    }
    bool begins = i->begin >= x->start[0];
    int from = begins ? tc_axis_column(x, i->begin) : 0;
    int to =
        end >= x->start[x->cols] ? x->cols - 1 : tc_axis_column(x, end - 1);
    to = to < from ? from : to;
    uint32_t g = glyph_of(i);
    for (int c = from; c <= to && c < x->cols; c++) {
        tc_put(p->area, y, p->x + c, x->cut[c] ? TC_CHAR_BREAK : g,
               bar_style(i));
    }
    if (i->end == TC_OPEN && i->kind == TC_INTERVAL_FLIGHT &&
        to == x->cols - 1) {
        tc_put(p->area, y, p->x + to, TC_CHAR_OPEN, bar_style(i));
    }
    if (begins) {
        draw_name(p, i, y, from, to);
    }
    return x->start[to + 1];
}

/* Of a warp: what it does in the middle of each column. */
static void draw_life(const tc_plot *p, const tc_row *row, int y) {
    const tc_time_axis *x = p->axis;
    size_t k = 0;
    for (int c = 0; c < x->cols; c++) {
        uint64_t from = x->start[c], to = x->start[c + 1];
        uint64_t middle = from + (to - from) / 2;
        size_t lo = k, hi = row->nintervals;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (row->intervals[mid].begin <= middle) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        k = lo > 0 ? lo - 1 : 0;
        const tc_interval *i = lo > 0 ? &row->intervals[k] : NULL;
        if (i != NULL && (i->end == TC_OPEN || i->end > from)) {
            tc_put(p->area, y, p->x + c,
                   x->cut[c] ? TC_CHAR_BREAK : glyph_of(i), bar_style(i));
        }
    }
}

void tc_draw_row(const tc_plot *p, const tc_model *m, const tc_row *row,
                 int y) {
    if (row->kind == TC_ROW_WARP) {
        draw_life(p, row, y);
    }
    int lines = tc_row_lines(row);
    uint64_t until[MOST_LANES] = {0};
    for (size_t k = 0; row->kind != TC_ROW_WARP && k < row->nintervals; k++) {
        const tc_interval *i = &row->intervals[k];
        if (i->begin >= p->axis->start[p->axis->cols]) {
            break; /* they are sorted */
        }
        if (i->lane < lines && i->end > until[i->lane]) {
            until[i->lane] = draw_interval(p, i, y + i->lane, m->cycles);
        }
    }
    if (tc_row_has_letters(row)) {
        draw_marks(p, m, row, y);
    }
}
