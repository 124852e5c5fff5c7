/* timeline_text.c - the timeline as text. */
#include "trace/timeline_draw.h"
#include "trace/timeline_notes.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 40, WIDEST_LABEL = 24, MOST_STARS = 6 };

/* A drawn row, standing for itself and for those exactly like it. */
typedef struct shown_row {
    size_t first; /* index of the row */
    size_t count; /* rows that it stands for */
    bool run;     /* they are neighbours within a CTA, whole warps */
    tc_buf label;
} shown_row;

typedef struct picture {
    tc_buf *out;
    const tc_timeline *tl;
    tc_timeline_style style;
    tc_timeline_axis axis;
    int label; /* columns of the labels, the space after them included */
    shown_row *shown;
    size_t nshown, left_out;
    size_t left_alike; /* of those: the same steps as the first row */
    tc_glyph *cells;   /* one line */
    bool used[128];    /* letters that appear */
    bool stalled, open, loose;
} picture;

static bool same_event(const tc_trace_event *a, const tc_trace_event *b) {
    return a->kind == b->kind && a->cycle == b->cycle && a->end == b->end &&
           a->group == b->group && a->line == b->line && a->bytes == b->bytes;
}

static bool same_row(const tc_timeline_row *a, const tc_timeline_row *b) {
    if (a->nevents != b->nevents || a->nbars != b->nbars ||
        a->lanes != b->lanes) {
        return false;
    }
    for (size_t i = 0; i < a->nevents; i++) {
        if (!same_event(a->events[i], b->events[i])) {
            return false;
        }
    }
    return true;
}

/* The next event from *i on that is the warp's own doing, or NULL. */
static const tc_trace_event *next_step(const tc_timeline_row *row, size_t *i) {
    while (*i < row->nevents) {
        const tc_trace_event *e = row->events[(*i)++];
        if (e->kind != TC_TRACE_COMPLETE) {
            return e;
        }
    }
    return NULL;
}

static bool same_steps(const tc_timeline_row *a, const tc_timeline_row *b) {
    size_t i = 0, j = 0;
    const tc_trace_event *x, *y;
    do {
        x = next_step(a, &i);
        y = next_step(b, &j);
        if (x == NULL || y == NULL) {
            return x == y;
        }
    } while (x->kind == y->kind && x->group == y->group && x->line == y->line);
    return false;
}

/* Adds row i to the shown row that is exactly like it, if any. */
static bool merged(picture *p, size_t i) {
    const tc_timeline_row *row = &p->tl->rows[i];
    for (size_t k = 0; k < p->nshown; k++) {
        shown_row *s = &p->shown[k];
        const tc_timeline_row *first = &p->tl->rows[s->first];
        if (same_row(first, row)) {
            s->run = s->run && i == s->first + s->count &&
                     row->cta == first->cta &&
                     row->warp == first->warp + s->count;
            s->count++;
            return true;
        }
    }
    return false;
}

static void choose_rows(picture *p) {
    size_t n = p->tl->nrows;
    size_t most = p->style.max_rows > 0 ? (size_t)p->style.max_rows : n;
    bool tight = n > most;
    p->shown = tc_xcalloc(n < most ? n : most, sizeof *p->shown);
    for (size_t i = 0; i < n; i++) {
        if (tight && merged(p, i)) {
            continue;
        }
        if (p->nshown == most) {
            p->left_out++;
            p->left_alike += same_steps(&p->tl->rows[0], &p->tl->rows[i]);
            continue;
        }
        p->shown[p->nshown++] =
            (shown_row){.first = i, .count = 1, .run = true};
    }
}

/* "warp 0", "warps 0-3", "warp 0 (x4)"; sets the columns of the labels. */
static void label_rows(picture *p) {
    int widest = (int)strlen("  groups");
    for (size_t k = 0; k < p->nshown; k++) {
        shown_row *s = &p->shown[k];
        const tc_timeline_row *row = &p->tl->rows[s->first];
        tc_timeline_label(&s->label, p->tl, row);
        if (s->count > 1 && s->run && strstr(s->label.data, "lane") == NULL) {
            char *at = strstr(s->label.data, "warp ");
            s->label.len = (size_t)(at - s->label.data);
            tc_buf_printf(&s->label, "warps %" PRIu32 "-%" PRIu32, row->warp,
                          row->warp + (uint32_t)s->count - 1);
        } else if (s->count > 1) {
            tc_buf_printf(&s->label, " (x%zu)", s->count);
        }
        int w = (int)s->label.len;
        widest = w > widest ? w : widest;
    }
    int cap = p->style.width / 3;
    cap = cap < WIDEST_LABEL ? cap : WIDEST_LABEL;
    p->label = (widest < cap ? widest : cap) + 1;
}

static void find_axis(picture *p) {
    bool *drawn = tc_xcalloc(p->tl->nrows, sizeof *drawn);
    for (size_t k = 0; k < p->nshown; k++) {
        drawn[p->shown[k].first] = true;
    }
    p->axis = tc_axis_fit(p->tl, drawn, p->style.width - p->label);
    p->cells = tc_xcalloc((size_t)p->axis.cols, 2);
    free(drawn);
}

/* A label, cut to its columns, then the line without its trailing blanks. */
static void put_line(picture *p, const char *label, const tc_glyph *cells) {
    int n = (int)strlen(label);
    n = n < p->label - 1 ? n : p->label - 1;
    tc_buf_write(p->out, label, (size_t)n);
    int last = p->axis.cols;
    while (last > 0 && cells[last - 1] == ' ') {
        last--;
    }
    if (last > 0) {
        tc_buf_fill(p->out, ' ', p->label - n);
    }
    for (int c = 0; c < last; c++) {
        tc_glyph_put(p->out, cells[c], p->style.unicode);
        p->used[cells[c] & 127] |= cells[c] < 128;
        p->stalled |= cells[c] == TC_GLYPH_STALL;
        p->loose |= cells[c] == TC_GLYPH_LOOSE;
        p->open |= cells[c] == TC_GLYPH_OPEN;
    }
    tc_buf_putc(p->out, '\n');
}

static void draw_axis(picture *p) {
    tc_glyph *rule = p->cells + p->axis.cols;
    bool used[128];
    memcpy(used, p->used, sizeof used);
    tc_axis_draw(&p->axis, p->cells, rule);
    put_line(p, "cycle", p->cells);
    put_line(p, "", rule);
    memcpy(p->used, used, sizeof used); /* digits are no letters */
}

static void draw_row(picture *p, const shown_row *s) {
    const tc_timeline_row *row = &p->tl->rows[s->first];
    tc_draw_events(&p->axis, row, p->cells);
    put_line(p, s->label.data, p->cells);
    size_t dropped = 0;
    int lines = tc_draw_bars(&p->axis, row, -1, NULL, &dropped);
    for (int i = 0; i < lines; i++) {
        tc_draw_bars(&p->axis, row, i, p->cells, NULL);
        put_line(p,
                 i > 0            ? ""
                 : row->nbars > 1 ? "  groups"
                                  : "  group",
                 p->cells);
    }
    if (dropped > 0) {
        tc_buf_printf(p->out, "  (%zu more group%s of it at the same time)\n",
                      dropped, dropped == 1 ? "" : "s");
    }
}

static void glyph_entry(tc_buf *b, const picture *p, tc_glyph g,
                        const char *what) {
    tc_buf_puts(b, b->len > 0 ? "; " : "");
    tc_glyph_put(b, g, p->style.unicode);
    tc_buf_putc(b, ' ');
    tc_buf_puts(b, what);
}

/* Only what the picture shows. */
static void draw_legend(picture *p) {
    static const struct {
        char letter;
        const char *what;
    } letters[] = {
        {'i', "asynchronous copy issued"},
        {'C', "commit of a group"},
        {'W', "wait"},
        {'A', "arrive"},
        {'P', "a barrier's phase ends"},
        {'B', "barrier"},
        {'l', "load"},
        {'s', "store"},
        {'x', "the warp ends"},
        {'*', "several, listed below"},
    };
    tc_buf b = TC_BUF_INIT;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (p->used[(int)letters[i].letter]) {
            glyph_entry(&b, p, (tc_glyph)letters[i].letter, letters[i].what);
        }
    }
    glyph_entry(&b, p, TC_GLYPH_LIFE, "the warp goes on");
    if (p->stalled) {
        glyph_entry(&b, p, TC_GLYPH_STALL, "it stands still");
    }
    tc_notes_wrap(p->out, b.data, p->style.width, 2);
    tc_buf_clear(&b);
    glyph_entry(&b, p, TC_GLYPH_BAR,
                "a group in flight, its number in front: from commit until its "
                "last byte has landed");
    if (p->loose) {
        glyph_entry(&b, p, TC_GLYPH_LOOSE,
                    "copies that no commit has taken yet");
    }
    if (p->open) {
        glyph_entry(&b, p, TC_GLYPH_OPEN, "still in flight at the end");
    }
    tc_notes_wrap(p->out, b.data, p->style.width, 2);
    tc_buf_free(&b);
}

static void draw_scale(picture *p) {
    tc_buf b = TC_BUF_INIT;
    const tc_timeline_axis *a = &p->axis;
    tc_buf_printf(&b, "one column is %" PRIu64 " cycle%s", a->scale,
                  a->scale == 1 ? "" : "s");
    tc_buf_puts(&b, a->split ? ", fewer where steps crowd" : "");
    bool any = false;
    for (int c = 0, to; c < a->cols; c = to) {
        for (to = c + 1; to < a->cols && a->cut[to] == a->cut[c];) {
            to++;
        }
        if (!a->cut[c]) {
            continue;
        }
        if (!any) {
            tc_buf_puts(&b, a->split ? "; " : ", but ");
            tc_glyph_put(&b, TC_GLYPH_BREAK, p->style.unicode);
            tc_glyph_put(&b, TC_GLYPH_BREAK, p->style.unicode);
            tc_buf_puts(&b, " leaves out quiet cycles: ");
        }
        tc_buf_printf(&b, "%s%" PRIu64 "-%" PRIu64, any ? ", " : "",
                      a->start[c], a->start[to] - 1);
        any = true;
    }
    tc_notes_wrap(p->out, b.data, p->style.width, 2);
    tc_buf_free(&b);
}

/* "* warp 0, cycles 4-7: i x4, C": what one column of a row holds. */
static void star(picture *p, const shown_row *s, int col) {
    const tc_timeline_row *row = &p->tl->rows[s->first];
    size_t counts[128] = {0};
    char order[TC_TRACE_KIND_COUNT];
    size_t kinds = 0;
    uint64_t first = UINT64_MAX, last = 0;
    for (size_t i = 0; i < row->nevents; i++) {
        const tc_trace_event *e = row->events[i];
        char letter = tc_event_letter(e);
        if (letter == 0 || tc_axis_column(&p->axis, e->cycle) != col) {
            continue;
        }
        if (counts[(int)letter]++ == 0) {
            order[kinds++] = letter;
        }
        first = e->cycle < first ? e->cycle : first;
        last = e->cycle > last ? e->cycle : last;
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "* %s, cycle%s %" PRIu64, s->label.data,
                  last > first ? "s" : "", first);
    if (last > first) {
        tc_buf_printf(&b, "-%" PRIu64, last);
    }
    for (size_t k = 0; k < kinds; k++) {
        tc_buf_printf(&b, "%s %c", k > 0 ? "," : ":", order[k]);
        if (counts[(int)order[k]] > 1) {
            tc_buf_printf(&b, " x%zu", counts[(int)order[k]]);
        }
    }
    tc_notes_wrap(p->out, b.data, p->style.width, 2);
    tc_buf_free(&b);
}

static void draw_stars(picture *p) {
    size_t n = 0;
    for (size_t k = 0; k < p->nshown; k++) {
        tc_draw_events(&p->axis, &p->tl->rows[p->shown[k].first], p->cells);
        for (int c = 0; c < p->axis.cols; c++) {
            if (p->cells[c] == '*' && n++ < MOST_STARS) {
                star(p, &p->shown[k], c);
            }
        }
    }
    if (n > MOST_STARS) {
        tc_buf_printf(p->out, "* and %zu more; a wider picture shows more\n",
                      n - MOST_STARS);
    }
}

static void draw_rows(picture *p) {
    size_t stand_for = 0;
    for (size_t k = 0; k < p->nshown; k++) {
        draw_row(p, &p->shown[k]);
        stand_for += p->shown[k].count - 1;
    }
    if (stand_for > 0) {
        tc_buf_printf(p->out, "(%zu row%s merged into those exactly alike)\n",
                      stand_for, stand_for == 1 ? "" : "s");
    }
    if (p->left_out > 0) {
        tc_buf b = TC_BUF_INIT;
        tc_buf_printf(&b, "(%zu more row%s not drawn", p->left_out,
                      p->left_out == 1 ? "" : "s");
        if (p->left_alike == p->left_out) {
            tc_buf_printf(&b, ": the same steps as %s, at other cycles",
                          p->shown[0].label.data);
        }
        tc_buf_puts(&b, ")");
        tc_notes_wrap(p->out, b.data, p->style.width, 1);
        tc_buf_free(&b);
    }
}

static void free_picture(picture *p) {
    for (size_t k = 0; k < p->nshown; k++) {
        tc_buf_free(&p->shown[k].label);
    }
    free(p->shown);
    free(p->cells);
    tc_axis_free(&p->axis);
}

void tc_timeline_text(tc_buf *b, const tc_timeline *tl,
                      const tc_timeline_style *style) {
    if (tl->nrows == 0) {
        tc_buf_puts(b, "The trace is empty: no warp did anything.\n");
        return;
    }
    picture p = {.out = b, .tl = tl, .style = *style};
    p.style.width = style->width < NARROWEST ? NARROWEST : style->width;
    choose_rows(&p);
    label_rows(&p);
    find_axis(&p);
    draw_axis(&p);
    draw_rows(&p);
    tc_buf_putc(b, '\n');
    draw_legend(&p);
    draw_scale(&p);
    draw_stars(&p);
    tc_buf_putc(b, '\n');
    tc_notes_groups(b, tl, p.style.width);
    tc_notes_stall(b, tl, &tl->rows[p.shown[0].first], p.style.width);
    if (tl->trace->truncated) {
        tc_notes_wrap(b,
                      "The run had more events than a trace keeps (262,144): "
                      "the oldest ones are missing here.",
                      p.style.width, 2);
    }
    free_picture(&p);
}
