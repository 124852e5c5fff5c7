/* timeline_notes.c - what is said of an event of the timeline. */
#include "trace/timeline_notes.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 16 };

void tc_notes_wrap(tc_buf *out, const char *text, int width, int indent) {
    int col = 0;
    for (const char *s = text; *s != '\0';) {
        size_t n = strcspn(s, " ");
        int w = tc_utf8_count(s, n);
        if (col > indent && col + 1 + w > width) {
            tc_buf_putc(out, '\n');
            tc_buf_fill(out, ' ', indent);
            col = indent;
        } else if (col > 0) {
            tc_buf_putc(out, ' ');
            col++;
        }
        tc_buf_write(out, s, n);
        col += w;
        s += n;
        s += *s == ' ';
    }
    tc_buf_putc(out, '\n');
}

/* The smallest and largest of a number over the rows. */
typedef struct lane_range {
    uint64_t lo, hi;
} lane_range;

#define NO_RANGE ((lane_range){UINT64_MAX, 0})

static void widen(lane_range *r, uint64_t v) {
    r->lo = v < r->lo ? v : r->lo;
    r->hi = v > r->hi ? v : r->hi;
}

static void put_range(tc_buf *b, lane_range r) {
    tc_buf_printf(b, "%" PRIu64, r.lo);
    if (r.hi > r.lo) {
        tc_buf_printf(b, "-%" PRIu64, r.hi);
    }
}

static void put_lines(tc_buf *b, lane_range r) {
    if (r.hi > 0 && r.lo != UINT64_MAX) {
        tc_buf_puts(b, r.hi > r.lo ? " (lines " : " (line ");
        put_range(b, r);
        tc_buf_putc(b, ')');
    }
}

static void widen_line(lane_range *r, int32_t line) {
    if (line > 0) {
        widen(r, (uint64_t)line);
    }
}

/* An ordinal over all rows that have it. */
typedef struct group {
    int32_t ordinal;
    size_t rows, committed, open, waited;
    lane_range copies, bytes, begin, end, wait, until, line, wait_line;
    bool split; /* a row is part of a warp */
} group;

static group new_group(int32_t ordinal) {
    return (group){.ordinal = ordinal,
                   .copies = NO_RANGE,
                   .bytes = NO_RANGE,
                   .begin = NO_RANGE,
                   .end = NO_RANGE,
                   .wait = NO_RANGE,
                   .until = NO_RANGE,
                   .line = NO_RANGE,
                   .wait_line = NO_RANGE};
}

static void add_bar(group *g, const tc_timeline_bar *b) {
    g->rows++;
    g->committed += b->committed;
    widen(&g->copies, b->copies);
    widen(&g->bytes, b->bytes);
    widen(&g->begin, b->begin);
    widen_line(&g->line, b->line);
    if (b->end == UINT64_MAX) {
        g->open++;
    } else {
        widen(&g->end, b->end);
    }
    if (b->waited != UINT64_MAX) {
        g->waited++;
        widen(&g->wait, b->wait_begin);
        widen(&g->until, b->waited);
        widen_line(&g->wait_line, b->wait_line);
    }
}

static void some_rows(tc_buf *b, size_t some, size_t all) {
    if (some < all) {
        tc_buf_printf(b, " in %zu of %zu rows", some, all);
    }
}

static void put_head(tc_buf *b, const group *g) {
    if (g->ordinal >= 0) {
        tc_buf_printf(b, "group %" PRId32 ": ", g->ordinal);
    } else {
        tc_buf_puts(b, "in no group: ");
    }
    if (g->copies.hi == 0) {
        tc_buf_puts(b, "empty");
    } else {
        put_range(b, g->copies);
        tc_buf_puts(b, g->copies.hi == 1 ? " copy, " : " copies, ");
        put_range(b, g->bytes);
        tc_buf_puts(b, g->split ? " bytes in each row" : " bytes a warp");
    }
}

static void put_commit(tc_buf *b, const group *g) {
    if (g->committed == 0) {
        tc_buf_puts(b, "; never committed, issued from cycle ");
    } else {
        tc_buf_puts(b, "; committed at cycle ");
    }
    put_range(b, g->begin);
    put_lines(b, g->line);
    some_rows(b, g->committed ? g->committed : g->rows, g->rows);
}

static void put_end(tc_buf *b, const group *g) {
    if (g->open < g->rows) {
        tc_buf_puts(b, "; complete at ");
        put_range(b, g->end);
    }
    if (g->open > 0) {
        tc_buf_puts(b, "; not complete when the trace ends");
        some_rows(b, g->open, g->rows);
    }
    if (g->waited == 0) {
        tc_buf_puts(b, "; no wait guarantees it");
        return;
    }
    tc_buf_puts(b, "; waited for at ");
    put_range(b, g->wait);
    put_lines(b, g->wait_line);
    if (g->until.hi > g->wait.hi || g->until.lo > g->wait.lo) {
        tc_buf_puts(b, ", which lets go at ");
        put_range(b, g->until);
    }
    some_rows(b, g->waited, g->rows);
}

/* Gathers the ordinal from every row whose next bar it is. */
static group gather(const tc_timeline *tl, size_t *next, int32_t ordinal) {
    group g = new_group(ordinal);
    for (size_t r = 0; r < tl->nrows; r++) {
        const tc_timeline_row *row = &tl->rows[r];
        if (next[r] < row->nbars && row->bars[next[r]].group == ordinal) {
            add_bar(&g, &row->bars[next[r]++]);
            bool before = r > 0 && tl->rows[r - 1].cta == row->cta &&
                          tl->rows[r - 1].warp == row->warp;
            bool after = r + 1 < tl->nrows && tl->rows[r + 1].cta == row->cta &&
                         tl->rows[r + 1].warp == row->warp;
            g.split |= before || after;
        }
    }
    return g;
}

static bool lowest(const tc_timeline *tl, const size_t *next, int32_t *out) {
    bool any = false;
    for (size_t r = 0; r < tl->nrows; r++) {
        const tc_timeline_row *row = &tl->rows[r];
        if (next[r] < row->nbars && (!any || row->bars[next[r]].group < *out)) {
            *out = row->bars[next[r]].group;
            any = true;
        }
    }
    return any;
}

void tc_notes_groups(tc_buf *out, const tc_timeline *tl, int width) {
    size_t *next = tc_xcalloc(tl->nrows, sizeof *next);
    size_t n = 0;
    int32_t ordinal = -1;
    while (lowest(tl, next, &ordinal)) {
        group g = gather(tl, next, ordinal);
        if (n++ >= MOST_GROUPS) {
            continue;
        }
        tc_buf b = TC_BUF_INIT;
        put_head(&b, &g);
        put_commit(&b, &g);
        put_end(&b, &g);
        tc_notes_wrap(out, b.data, width, 2);
        tc_buf_free(&b);
    }
    if (n > MOST_GROUPS) {
        tc_buf_printf(out, "and %zu more groups\n", n - MOST_GROUPS);
    }
    if (n == 0) {
        tc_buf_puts(out, "No asynchronous copies in groups.\n");
    }
    free(next);
}

/* Cycles of [from, to) in which a committed group of the row is in flight. */
static uint64_t in_flight(const tc_timeline *tl, const tc_timeline_row *row,
                          uint64_t from, uint64_t to) {
    uint64_t sum = 0, at = from;
    for (size_t i = 0; i < row->nbars && at < to; i++) {
        const tc_timeline_bar *b = &row->bars[i];
        uint64_t end = b->end == UINT64_MAX ? tl->cycles : b->end;
        uint64_t lo = b->begin > at ? b->begin : at;
        uint64_t hi = end < to ? end : to;
        if (b->committed && hi > lo) { /* bars are in order of their commits */
            sum += hi - lo;
            at = hi;
        }
    }
    return sum;
}

void tc_notes_stall(tc_buf *out, const tc_timeline *tl,
                    const tc_timeline_row *row, int width) {
    uint64_t flying = in_flight(tl, row, 0, tl->cycles + 1), still = 0;
    lane_range lines = NO_RANGE;
    for (size_t i = 0; i < row->nevents; i++) {
        const tc_trace_event *e = row->events[i];
        if (e->kind == TC_TRACE_WAIT && e->end > e->cycle) {
            uint64_t n = in_flight(tl, row, e->cycle, e->end);
            still += n;
            if (n > 0) {
                widen_line(&lines, e->line);
            }
        }
    }
    if (flying == 0) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    tc_timeline_label(&b, tl, row);
    tc_buf_printf(&b, ": copies in flight for %" PRIu64 " cycle%s", flying,
                  flying == 1 ? "" : "s");
    if (still > 0) {
        tc_buf_printf(&b,
                      "; it went on during %" PRIu64 " of them and stood still "
                      "in a wait during %" PRIu64,
                      flying - still, still);
    } else {
        tc_buf_puts(&b, ", and no wait held it up");
    }
    put_lines(&b, lines);
    tc_notes_wrap(out, b.data, width, 2);
    tc_buf_free(&b);
}
