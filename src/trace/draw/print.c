/* print.c - the printed picture: its rows, its legend. */
#include "trace/draw/print.h"
#include "trace/draw/rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NARROWEST = 40, WIDEST_LABEL = 24, MOST_STARS = 6 };

/* A warp, or an object of a CTA, with the rows that are its own, standing for
 * itself and for those exactly like it. */
typedef struct block {
    size_t row, nrows; /* of the model */
    size_t count;      /* blocks that it stands for */
    bool run;          /* they are neighbouring warps of a CTA */
    tc_buf label;
} block;

typedef struct picture {
    tc_buf *out;
    const tc_model *m;
    tc_print_style style;
    tc_time_axis axis;
    int label; /* columns of the labels, the space after them included */
    block *blocks;
    size_t nblocks, merged, left_out;
    size_t left_alike; /* of those left out: the same steps as the first */
    bool used[128];    /* letters that appear */
    bool bars[TC_INTERVAL_COUNT];
    bool open;
} picture;

/* ---- which rows ---- */

static size_t rows_from(const tc_model *m, size_t row) {
    size_t n = 1;
    while (row + n < m->nrows && m->rows[row + n].parent == (int32_t)row) {
        n++;
    }
    return n;
}

static bool same_mark(const tc_mark *a, const tc_mark *b) {
    return a->kind == b->kind && a->cycle == b->cycle && a->end == b->end &&
           a->n == b->n && a->line == b->line && a->bytes == b->bytes;
}

static bool same_interval(const tc_interval *a, const tc_interval *b) {
    return a->kind == b->kind && a->begin == b->begin && a->end == b->end &&
           a->lane == b->lane && a->group == b->group && a->phase == b->phase;
}

static bool same_row(const tc_row *a, const tc_row *b) {
    bool same = a->kind == b->kind && a->nmarks == b->nmarks &&
                a->lanes == b->lanes && a->nintervals == b->nintervals;
    for (size_t i = 0; same && i < a->nmarks; i++) {
        same = same_mark(&a->marks[i], &b->marks[i]);
    }
    for (size_t i = 0; same && i < a->nintervals; i++) {
        same = same_interval(&a->intervals[i], &b->intervals[i]);
    }
    return same;
}

/* An object is its like in another CTA by name too. */
static bool same_block(const tc_model *m, const block *a, size_t row,
                       size_t n) {
    const tc_row *x = &m->rows[a->row], *y = &m->rows[row];
    bool same = a->nrows == n && x->kind == y->kind &&
                (x->kind == TC_ROW_WARP ||
                 strcmp(tc_print_name(x), tc_print_name(y)) == 0);
    for (size_t i = 0; same && i < n; i++) {
        same = same_row(x + i, y + i);
    }
    return same;
}

static bool same_steps(const tc_row *a, const tc_row *b) {
    bool same = a->kind == b->kind && a->nmarks == b->nmarks;
    for (size_t i = 0; same && i < a->nmarks; i++) {
        const tc_mark *x = &a->marks[i], *y = &b->marks[i];
        same = x->kind == y->kind && x->line == y->line;
    }
    return same;
}

/* Adds it to a block that is exactly like it, if any. */
static bool joined(picture *p, size_t row, size_t n) {
    for (size_t k = 0; k < p->nblocks; k++) {
        block *b = &p->blocks[k];
        if (same_block(p->m, b, row, n)) {
            const tc_row *first = &p->m->rows[b->row], *r = &p->m->rows[row];
            b->run = b->run && r->kind == TC_ROW_WARP && r->cta == first->cta &&
                     r->warp == first->warp + b->count;
            b->count++;
            p->merged += n;
            return true;
        }
    }
    return false;
}

/* Rows of what the first CTA's warps share: they are drawn before many warps
 * are. */
static size_t first_objects(const tc_model *m) {
    size_t n = 0;
    for (size_t r = 0; r < m->nrows; r++) {
        n += m->rows[r].parent < 0 && m->rows[r].kind != TC_ROW_WARP &&
             m->rows[r].cta == m->rows[0].cta;
    }
    return n;
}

static void choose_rows(picture *p) {
    const tc_model *m = p->m;
    size_t most = p->style.max_rows > 0 ? (size_t)p->style.max_rows : m->nrows;
    bool tight = m->nrows > most;
    size_t objects = first_objects(m), room = most;
    objects = objects < most / 2 ? objects : most / 2;
    p->blocks = tc_xcalloc(most + 1, sizeof *p->blocks);
    for (size_t r = 0, n; r < m->nrows; r += n) {
        n = rows_from(m, r);
        if (tight && joined(p, r, n)) {
            continue;
        }
        bool warp = m->rows[r].kind == TC_ROW_WARP;
        size_t kept = warp && tight ? objects : 0;
        if (n + kept > room && (p->nblocks > 0 || n > most)) {
            p->left_out += n;
            p->left_alike +=
                same_steps(&m->rows[0], &m->rows[r]) && warp ? n : 0;
            continue;
        }
        room -= n;
        objects -= !warp && objects > 0;
        p->blocks[p->nblocks++] =
            (block){.row = r, .nrows = n, .count = 1, .run = true};
    }
}

/* "warp 0", "warps 0-3", "cta 0 A_smem (x4)". */
static void name_block(const tc_model *m, block *b) {
    const tc_row *row = &m->rows[b->row];
    if (b->count == 1) {
        tc_buf_puts(&b->label, row->name);
    } else if (b->run) {
        const char *base = tc_print_name(row);
        tc_buf_write(&b->label, row->name, (size_t)(base - row->name));
        tc_buf_printf(&b->label, "warps %" PRIu32 "-%" PRIu32, row->warp,
                      row->warp + (uint32_t)b->count - 1);
    } else {
        tc_buf_printf(&b->label, "%s (x%zu)", row->name, b->count);
    }
}

static void label_rows(picture *p) {
    int widest = 8;
    for (size_t k = 0; k < p->nblocks; k++) {
        block *b = &p->blocks[k];
        name_block(p->m, b);
        widest = (int)b->label.len > widest ? (int)b->label.len : widest;
        for (size_t r = b->row + 1; r < b->row + b->nrows; r++) {
            int n = 2 + (int)strlen(tc_row_label(p->m, &p->m->rows[r]));
            widest = n > widest ? n : widest;
        }
    }
    int cap = p->style.width / 3;
    cap = cap < WIDEST_LABEL ? cap : WIDEST_LABEL;
    p->label = (widest < cap ? widest : cap) + 1;
}

static void find_axis(picture *p) {
    bool *drawn = tc_xcalloc(p->m->nrows + 1, sizeof *drawn);
    for (size_t k = 0; k < p->nblocks; k++) {
        for (size_t i = 0; i < p->blocks[k].nrows; i++) {
            drawn[p->blocks[k].row + i] = true;
        }
    }
    tc_axis_points points = tc_axis_points_of(p->m, NULL, drawn);
    p->axis = tc_axis_all(&points, p->style.width - p->label, 0);
    free(points.at);
    free(drawn);
}

/* ---- drawing ---- */

static tc_cell_grid new_grid(const picture *p, int lines) {
    return tc_grid_new(lines, p->style.width, p->style.unicode);
}

static void draw_axis(picture *p) {
    tc_cell_grid g = new_grid(p, 2);
    tc_area all = tc_area_all(&g);
    tc_put_string(all, 0, 0, "cycle", TC_PLAIN);
    tc_axis_draw(&p->axis, all, p->label);
    tc_grid_text(&g, p->out);
    tc_grid_free(&g);
}

/* Which letters and bars the row shows. */
static void note_use(picture *p, const tc_cell_grid *g, const tc_row *row) {
    for (int c = p->label; c < p->label + p->axis.cols; c++) {
        uint32_t code = tc_grid_at(g, 0, c)->c;
        p->used[code & 127] |= code < 128 && tc_row_has_letters(row);
    }
    for (size_t i = 0; i < row->nintervals; i++) {
        p->bars[row->intervals[i].kind] = true;
        p->open |= row->intervals[i].end == TC_OPEN &&
                   row->intervals[i].kind == TC_INTERVAL_FLIGHT;
    }
}

static void draw_row(picture *p, const tc_row *row, const char *label,
                     int indent) {
    int lines = tc_row_lines(row);
    tc_cell_grid g = new_grid(p, lines);
    tc_area all = tc_area_all(&g);
    tc_plot plot = {all, p->label, &p->axis};
    tc_put_text(all, 0, indent, p->label - 1 - indent, label, strlen(label),
                TC_PLAIN);
    tc_draw_row(&plot, p->m, row, 0);
    note_use(p, &g, row);
    tc_grid_text(&g, p->out);
    tc_grid_free(&g);
    if ((int)row->nlanes > lines && row->kind != TC_ROW_WARP) {
        tc_buf_printf(p->out, "  (%d more of them at the same time)\n",
                      (int)row->nlanes - lines);
    }
}

static void count_rows(picture *p) {
    tc_buf b = TC_BUF_INIT;
    if (p->merged > 0) {
        tc_buf_printf(&b, "(%zu row%s merged into those exactly alike)",
                      p->merged, p->merged == 1 ? "" : "s");
        tc_print_wrapped(p->out, tc_buf_text(&b), p->style.width, 1);
        tc_buf_clear(&b);
    }
    if (p->left_out > 0) {
        tc_buf_printf(&b, "(%zu more row%s not drawn", p->left_out,
                      p->left_out == 1 ? "" : "s");
        if (p->left_alike == p->left_out) {
            tc_buf_printf(&b, ": the same steps as %s, at other cycles",
                          p->blocks[0].label.data);
        }
        tc_buf_puts(&b, ")");
        tc_print_wrapped(p->out, tc_buf_text(&b), p->style.width, 1);
    }
    tc_buf_free(&b);
}

static void draw_rows(picture *p) {
    for (size_t k = 0; k < p->nblocks; k++) {
        const block *b = &p->blocks[k];
        const tc_row *row = &p->m->rows[b->row];
        draw_row(p, row, tc_buf_text(&b->label), 0);
        for (size_t i = 1; i < b->nrows; i++) {
            draw_row(p, row + i, tc_row_label(p->m, row + i), 2);
        }
    }
    count_rows(p);
}

/* ---- the legend: only what the picture shows ---- */

static void entry(tc_buf *b, const char *sign, const char *what) {
    tc_buf_printf(b, "%s%s %s", b->len > 0 ? "; " : "", sign, what);
}

static void put_letters(picture *p) {
    tc_buf b = TC_BUF_INIT;
    for (int k = 0; k < TC_TRACE_KIND_COUNT; k++) {
        tc_letter of = tc_letter_of((tc_trace_kind)k);
        char text[] = {of.letter, '\0'};
        if (of.letter != 0 && p->used[(int)of.letter]) {
            entry(&b, text, of.what);
        }
    }
    if (p->used['m']) {
        entry(&b, "m", "loads and stores, and how many");
    }
    if (p->used['!']) {
        entry(&b, "!", "a finding");
    }
    if (p->used['*']) {
        entry(&b, "*", "several, listed below");
    }
    if (b.len > 0) {
        tc_print_wrapped(p->out, tc_buf_text(&b), p->style.width, 2);
    }
    tc_buf_free(&b);
}

static void put_bars(picture *p) {
    bool u = p->style.unicode;
    const char *life = u ? "─" : "-";
    tc_buf b = TC_BUF_INIT;
    if (p->bars[TC_INTERVAL_COMPUTE]) {
        entry(&b, life, "the warp goes on");
    }
    if (p->bars[TC_INTERVAL_STALL] || p->bars[TC_INTERVAL_GATHER] ||
        p->bars[TC_INTERVAL_WAITED]) {
        entry(&b, u ? "░" : ".", "it stands still");
    }
    if (p->bars[TC_INTERVAL_UNCOMMITTED]) {
        entry(&b, u ? "╌" : ":", "copies that no commit has taken yet");
    }
    if (p->bars[TC_INTERVAL_FLIGHT]) {
        entry(&b, u ? "█" : "=", "in flight, until the last byte has landed");
    }
    if (p->open) {
        entry(&b, u ? "▶" : ">", "still in flight at the end");
    }
    if (p->bars[TC_INTERVAL_LANDED]) {
        entry(&b, life, "behind it: landed, and nobody has waited for it");
    }
    if (p->bars[TC_INTERVAL_PHASE]) {
        entry(&b, life, "of an mbarrier: a phase, its number in front");
    }
    tc_print_wrapped(p->out, tc_buf_text(&b), p->style.width, 2);
    tc_buf_free(&b);
}

static void put_scale(picture *p) {
    tc_buf b = TC_BUF_INIT;
    const tc_time_axis *a = &p->axis;
    tc_buf_printf(&b, "%" PRIu64 " cycle%s%s; one column is %" PRIu64 "%s",
                  p->m->cycles, p->m->cycles == 1 ? "" : "s",
                  tc_trace_clock_words(p->m->trace), a->scale,
                  a->scale == 1 ? "" : " of them");
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
            tc_buf_printf(&b, "%s%s leaves out quiet cycles: ",
                          a->split ? "; " : ", but ",
                          p->style.unicode ? "╱╱" : "//");
        }
        tc_buf_printf(&b, "%s%" PRIu64 "-%" PRIu64, any ? ", " : "",
                      a->start[c], a->start[to] - 1);
        any = true;
    }
    tc_print_wrapped(p->out, tc_buf_text(&b), p->style.width, 2);
    tc_buf_free(&b);
}

/* ---- columns that hold several ---- */

/* "* warp 0, cycles 4-7: i x4, C": what one column of a row holds. */
static void put_star(picture *p, const char *name, const tc_row *row, int col) {
    size_t counts[128] = {0}, kinds = 0;
    char order[128];
    uint64_t first = UINT64_MAX, last = 0;
    size_t to = tc_row_mark_at(row, p->axis.start[col + 1]);
    for (size_t i = tc_row_mark_at(row, p->axis.start[col]); i < to; i++) {
        const tc_mark *k = &row->marks[i];
        int letter = tc_mark_letter(k);
        if (letter == 0) {
            continue;
        }
        if (counts[letter] == 0) {
            order[kinds++] = (char)letter;
        }
        counts[letter] += k->n;
        first = k->cycle < first ? k->cycle : first;
        last = k->cycle > last ? k->cycle : last;
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "* %s, cycle%s %" PRIu64, name, last > first ? "s" : "",
                  first);
    if (last > first) {
        tc_buf_printf(&b, "-%" PRIu64, last);
    }
    for (size_t k = 0; k < kinds; k++) {
        tc_buf_printf(&b, "%s %c", k > 0 ? "," : ":", order[k]);
        if (counts[(int)order[k]] > 1) {
            tc_buf_printf(&b, " x%zu", counts[(int)order[k]]);
        }
    }
    tc_print_wrapped(p->out, tc_buf_text(&b), p->style.width, 2);
    tc_buf_free(&b);
}

static size_t put_row_stars(picture *p, const char *name, const tc_row *row,
                            size_t n) {
    tc_cell_grid g = new_grid(p, tc_row_lines(row));
    tc_plot plot = {tc_area_all(&g), p->label, &p->axis};
    tc_draw_row(&plot, p->m, row, 0);
    for (int c = 0; c < p->axis.cols && tc_row_has_letters(row); c++) {
        if (tc_grid_at(&g, 0, p->label + c)->c == '*' && n++ < MOST_STARS) {
            put_star(p, name, row, c);
        }
    }
    tc_grid_free(&g);
    return n;
}

static void put_stars(picture *p) {
    size_t n = 0;
    for (size_t k = 0; k < p->nblocks; k++) {
        const block *b = &p->blocks[k];
        const tc_row *row = &p->m->rows[b->row];
        n = put_row_stars(p, tc_buf_text(&b->label), row, n);
        for (size_t i = 1; i < b->nrows; i++) {
            n = put_row_stars(p, row[i].name, row + i, n);
        }
    }
    if (n > MOST_STARS) {
        tc_buf_printf(p->out, "* and %zu more; a wider picture shows more\n",
                      n - MOST_STARS);
    }
}

/* ---- the whole ---- */

static void free_picture(picture *p) {
    for (size_t k = 0; k < p->nblocks; k++) {
        tc_buf_free(&p->blocks[k].label);
    }
    free(p->blocks);
    tc_axis_free(&p->axis);
}

/* The first warp drawn that had something in flight. */
static void put_overlap(picture *p) {
    size_t before = p->out->len;
    for (size_t k = 0; k < p->nblocks && p->out->len == before; k++) {
        if (p->m->rows[p->blocks[k].row].kind == TC_ROW_WARP) {
            tc_print_overlap(p->out, p->m, (int32_t)p->blocks[k].row,
                             p->style.width);
        }
    }
}

void tc_print_timeline(tc_buf *out, const tc_model *m,
                       const tc_print_style *style) {
    if (m->nrows == 0) {
        tc_buf_puts(out, "The trace is empty: no warp did anything.\n");
        return;
    }
    picture p = {.out = out, .m = m, .style = *style};
    p.style.width = style->width < NARROWEST ? NARROWEST : style->width;
    choose_rows(&p);
    label_rows(&p);
    find_axis(&p);
    draw_axis(&p);
    draw_rows(&p);
    tc_buf_putc(out, '\n');
    put_letters(&p);
    put_bars(&p);
    put_scale(&p);
    put_stars(&p);
    tc_buf_putc(out, '\n');
    tc_print_notes(out, m, p.style.width);
    put_overlap(&p);
    if (m->trace->truncated) {
        tc_print_wrapped(out,
                         "The run had more events than a trace keeps "
                         "(262,144): the oldest ones are missing here.",
                         p.style.width, 2);
    }
    free_picture(&p);
}
