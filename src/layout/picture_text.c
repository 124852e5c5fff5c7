/* picture_text.c - a picture as lines of text. */
#include "layout/internal.h"
#include "layout/picture.h"

#include <string.h>

enum { INDENT = 2, INLINE_COPIES = 4 };

/* What a cell says, from long to short. */
typedef enum cell_form {
    FORM_FULL,  /* places of its first and last element, and banks */
    FORM_BANKS, /* banks alone */
    FORM_FIRST  /* the place of its first element */
} cell_form;

typedef struct drawing {
    const tc_picture *p;
    tc_buf *out;
    const char *name;
    int width;
    cell_form form;
    int unit;       /* elements in a cell */
    int cells;      /* of a row, drawn */
    int all_cells;  /* of a row, within the range */
    int cell_width; /* without the blanks before it */
    int label_width, gap;
    int copy_axis; /* whose copies stand in the cells; -1: none */
    bool banks;
} drawing;

/* --- words ---------------------------------------------------------------- */

/* Puts text on lines of at most d->width columns, the further ones indented. */
static void put_wrapped(drawing *d, const char *text) {
    int column = 0;
    while (*text != '\0') {
        int n = (int)strcspn(text, " ");
        if (column == 0) {
            tc_buf_fill(d->out, ' ', INDENT);
            column = INDENT;
        } else if (column + 1 + n > d->width) {
            tc_buf_putc(d->out, '\n');
            tc_buf_fill(d->out, ' ', INDENT + 2);
            column = INDENT + 2;
        } else {
            tc_buf_putc(d->out, ' ');
            column++;
        }
        tc_buf_write(d->out, text, (size_t)n);
        column += n;
        text += n;
        text += strspn(text, " ");
    }
    tc_buf_putc(d->out, '\n');
}

static void put_count(drawing *d, tc_buf *b) {
    const tc_picture *p = d->p;
    for (int i = 0; i < p->rank; i++) {
        tc_buf_printf(b, "%s%lld", i ? " x " : "", (long long)p->shape[i]);
    }
    tc_buf_puts(b, p->rank == 1 && p->shape[0] == 1 ? " element" : " elements");
    if (d->unit > 1) {
        tc_buf_printf(b, ", %d in a cell", d->unit);
    }
}

static void put_legend(drawing *d) {
    const tc_picture *p = d->p;
    tc_buf b = TC_BUF_INIT;
    put_count(d, &b);
    if (d->form == FORM_BANKS) {
        tc_buf_puts(&b, "; a cell is b: bank of shared memory (first-last)");
        put_wrapped(d, tc_buf_text(&b));
        tc_buf_free(&b);
        return;
    }
    for (int i = 0; i < p->naxes; i++) {
        tc_buf_printf(&b, "%s%s", i == 0 ? "; a cell is " : ".",
                      p->axis[i]->name);
    }
    for (int i = 0; i < p->naxes; i++) {
        tc_buf_printf(&b, "%s%s", i == 0 ? ": " : ", ",
                      tc_picture_axis_text(p, p->axis[i]));
    }
    bool first = d->form == FORM_FIRST;
    tc_buf_puts(&b, d->unit == 1 ? "" : first ? " (first)" : " (first-last)");
    tc_buf_puts(&b, d->banks ? ", and b: its bank" : "");
    put_wrapped(d, tc_buf_text(&b));
    tc_buf_free(&b);
}

static void put_copies(drawing *d) {
    const tc_picture *p = d->p;
    if (p->ncopies < 2) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    bool all = p->ncopies < TC_PICTURE_COPIES;
    tc_buf_printf(&b, "each element lives in %s%d places",
                  all ? "" : "at least ", p->ncopies);
    if (d->copy_axis >= 0) {
        tc_buf_printf(&b, " (a|b on %s)", p->axis[d->copy_axis]->name);
        put_wrapped(d, tc_buf_text(&b));
        tc_buf_free(&b);
        return;
    }
    tc_buf_puts(&b, ": the one shown and those at");
    for (int i = 1; i < p->ncopies && i < 8; i++) {
        const int64_t *v = p->copy + (size_t)i * (size_t)p->naxes;
        tc_buf_puts(&b, i > 1 ? "," : "");
        for (int k = 0; k < p->naxes; k++) {
            if (v[k] != 0) {
                tc_buf_printf(&b, " %s%s%lld", p->axis[k]->name,
                              v[k] > 0 ? "+" : "", (long long)v[k]);
            }
        }
    }
    tc_buf_puts(&b, p->ncopies > 8 ? ", ..." : "");
    put_wrapped(d, tc_buf_text(&b));
    tc_buf_free(&b);
}

static void put_bits(tc_buf *b, int64_t from, int64_t n) {
    if (n == 1) {
        tc_buf_printf(b, "bit %lld", (long long)from);
    } else {
        tc_buf_printf(b, "bits %lld-%lld", (long long)from,
                      (long long)(from + n - 1));
    }
}

static void put_swizzle(drawing *d) {
    const tc_swizzle *s = &d->p->layout->swizzle;
    if (!tc_layout_has_swizzle(d->p->layout)) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    if (s->swizzle_len == 0) {
        tc_buf_puts(&b, "swizzle of length 0: nothing moves");
    } else {
        int64_t from = s->inner ? s->atom_len : 0;
        int64_t unit = INT64_C(1) << s->per_element;
        tc_buf_printf(&b, "swizzle: units of %lld element%s; ", (long long)unit,
                      unit == 1 ? "" : "s");
        put_bits(&b, from, s->swizzle_len);
        tc_buf_printf(&b, " of a unit's number %s XORed into its ",
                      s->swizzle_len == 1 ? "is" : "are");
        put_bits(&b, s->inner ? 0 : s->atom_len, s->swizzle_len);
    }
    put_wrapped(d, tc_buf_text(&b));
    tc_buf_free(&b);
}

/* A buffer whose layout is for fewer or more elements. */
static void put_sizes(drawing *d) {
    int64_t n = 1;
    for (int i = 0; i < d->p->rank; i++) {
        n *= d->p->shape[i]; /* at most 2^31 - 1 */
    }
    if (n == d->p->size || d->p->layout->kind == TC_LAYOUT_SWIZZLE) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "note: the layout is for %lld elements, not %lld",
                  (long long)d->p->size, (long long)n);
    tc_buf_puts(&b, n > d->p->size ? "; its first iterator goes on" : "");
    put_wrapped(d, tc_buf_text(&b));
    tc_buf_free(&b);
}

/* --- cells ---------------------------------------------------------------- */

static void put_span(tc_buf *b, int64_t first, int64_t last) {
    tc_buf_printf(b, "%lld", (long long)first);
    if (last != first) {
        tc_buf_printf(b, first < 0 ? "..%lld" : "-%lld", (long long)last);
    }
}

static void put_axis(const drawing *d, tc_buf *b, int axis, int64_t first,
                     int64_t last) {
    const tc_picture *p = d->p;
    put_span(b, first, last);
    for (int i = 1; axis == d->copy_axis && i < p->ncopies; i++) {
        int64_t by = p->copy[(size_t)i * (size_t)p->naxes + (size_t)axis];
        int64_t from, to;
        if (__builtin_add_overflow(first, by, &from) ||
            __builtin_add_overflow(last, by, &to)) {
            continue;
        }
        tc_buf_putc(b, '|');
        put_span(b, from, to);
    }
}

/* The text of a cell; empty behind the end. */
static void put_cell(const drawing *d, tc_buf *b, int grid, int row, int cell) {
    const tc_picture *p = d->p;
    int col = cell * d->unit, n = d->unit;
    const int64_t *first = tc_picture_at(p, grid, row, col);
    const int64_t *last = tc_picture_at(p, grid, row, col + n - 1);
    if (first == NULL) {
        return;
    }
    last = last == NULL || d->form == FORM_FIRST ? first : last;
    for (int i = 0; i < p->naxes && d->form != FORM_BANKS; i++) {
        tc_buf_puts(b, i > 0 ? "." : "");
        put_axis(d, b, i, first[i], last[i]);
    }
    if (d->banks) {
        int from, to;
        tc_picture_banks(p, first[p->naxes - 1], n, &from, &to);
        tc_buf_printf(b, "%sb%d", d->form == FORM_BANKS ? "" : " ", from);
        if (to != from) {
            tc_buf_printf(b, "-%d", to);
        }
    }
}

/* --- fitting -------------------------------------------------------------- */

static int digits(int64_t n) {
    int d = 1;
    for (; n >= 10; n /= 10) {
        d++;
    }
    return d;
}

static int widest_cell(const drawing *d) {
    const tc_picture *p = d->p;
    tc_buf b = TC_BUF_INIT;
    int widest = digits(tc_picture_col(p, p->ncols - 1));
    for (int g = 0; g < p->ngrids; g++) {
        for (int r = 0; r < p->nrows; r++) {
            for (int c = 0; c < p->ncols / d->unit; c++) {
                tc_buf_clear(&b);
                put_cell(d, &b, g, r, c);
                widest = (int)b.len > widest ? (int)b.len : widest;
            }
        }
    }
    tc_buf_free(&b);
    return widest;
}

/* Takes the unit; true if every column then fits the width. */
static bool try_unit(drawing *d, int unit) {
    d->unit = unit;
    d->cell_width = widest_cell(d);
    d->gap = d->banks && d->form == FORM_FULL ? 2 : 1;
    d->all_cells = (int)((d->p->cols + unit - 1) / unit);
    int room = d->width - INDENT - d->label_width;
    int fit = room / (d->cell_width + d->gap);
    bool all = fit >= d->all_cells && d->p->ncols == d->p->cols;
    d->cells = d->p->ncols / unit;
    if (!all) { /* " .." takes a place */
        fit = (room - 3) / (d->cell_width + d->gap);
        d->cells = fit < d->cells ? fit : d->cells;
        d->cells = d->cells < 1 ? 1 : d->cells;
    }
    return all;
}

/* The smallest cells of a form that let all columns fit. *largest gets the
 * largest there are. */
static bool fit_form(drawing *d, cell_form f, int *largest) {
    d->form = f;
    *largest = 1;
    for (int unit = 1; unit <= d->p->ncols; unit++) {
        if (tc_picture_unit_fits(d->p, unit)) {
            *largest = unit;
            if (try_unit(d, unit)) {
                return true;
            }
        }
    }
    return false;
}

/* Long cells if they fit, else short ones, else some of the columns. */
static void fit(drawing *d) {
    int largest;
    if (fit_form(d, FORM_FULL, &largest) ||
        fit_form(d, d->banks ? FORM_BANKS : FORM_FIRST, &largest)) {
        return;
    }
    d->form = FORM_FULL;
    try_unit(d, largest);
}

/* Copies stand in the cells if there are few of them on one axis. */
static void set_up(drawing *d) {
    const tc_picture *p = d->p;
    int64_t last = tc_picture_row(p, p->nrows - 1);
    d->label_width = digits(last) < 3 ? 3 : digits(last);
    d->banks = tc_picture_has_banks(p);
    d->copy_axis = p->ncopies > 1 && p->ncopies <= INLINE_COPIES
                       ? tc_picture_copy_axis(p)
                       : -1;
    fit(d);
}

/* --- lines ---------------------------------------------------------------- */

/* One more row of text: its label, then cells; trailing blanks are dropped. */
static void put_row(drawing *d, int grid, int row) {
    tc_buf line = TC_BUF_INIT, cell = TC_BUF_INIT;
    tc_buf_printf(&line, "%*s%*lld", INDENT, "", d->label_width,
                  (long long)tc_picture_row(d->p, row));
    for (int c = 0; c < d->cells; c++) {
        tc_buf_clear(&cell);
        put_cell(d, &cell, grid, row, c);
        tc_buf_fill(&line, ' ', d->gap + d->cell_width - (int)cell.len);
        tc_buf_puts(&line, tc_buf_text(&cell));
    }
    tc_buf_puts(&line, d->cells < d->all_cells ? " .." : "");
    while (line.len > 0 && line.data[line.len - 1] == ' ') {
        line.data[--line.len] = '\0';
    }
    tc_buf_puts(d->out, tc_buf_text(&line));
    tc_buf_putc(d->out, '\n');
    tc_buf_free(&line);
    tc_buf_free(&cell);
}

static void put_columns(drawing *d) {
    tc_buf_fill(d->out, ' ', INDENT + d->label_width);
    for (int c = 0; c < d->cells; c++) {
        tc_buf_printf(d->out, "%*s%*lld", d->gap, "", d->cell_width,
                      (long long)tc_picture_col(d->p, c * d->unit));
    }
    tc_buf_puts(d->out, d->cells < d->all_cells ? " ..\n" : "\n");
}

static void put_lead(drawing *d, const tc_picture_grid *g) {
    if (d->p->rank < 3) {
        return;
    }
    tc_buf_fill(d->out, ' ', INDENT);
    tc_buf_putc(d->out, '[');
    for (int i = 0; i < d->p->rank - 2; i++) {
        tc_buf_printf(d->out, "%lld, ", (long long)g->lead[i]);
    }
    tc_buf_puts(d->out, ":, :]\n");
}

static void put_grid(drawing *d, int grid) {
    put_lead(d, &d->p->grid[grid]);
    put_columns(d);
    for (int r = 0; r < d->p->nrows; r++) {
        if (r > 0 && d->p->row[r] != d->p->row[r - 1] + 1) {
            tc_buf_printf(d->out, "%*s%*s\n", INDENT, "", d->label_width,
                          "...");
        }
        put_row(d, grid, r);
    }
}

/* --- what is not seen ----------------------------------------------------- */

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* begin:end of a dimension, or ":" if it is all. */
static void put_part(drawing *d, tc_buf *b, int dim, int64_t begin,
                     int64_t end) {
    if (begin == 0 && end == d->p->shape[dim]) {
        tc_buf_puts(b, ":");
    } else if (end == begin + 1) {
        tc_buf_printf(b, "%lld", (long long)begin);
    } else {
        tc_buf_printf(b, "%lld:%lld", (long long)begin, (long long)end);
    }
}

/* The first part that is not seen, as it can be asked for. */
static void put_hint(drawing *d, bool grids, bool rows, bool cols) {
    const tc_picture *p = d->p;
    int last = p->rank - 1;
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "to see a part of the rest: show %s[", d->name);
    int64_t next = p->ngrids;
    int64_t lead[TC_PICTURE_RANK];
    for (int i = last - 2; i >= 0; i--) {
        int64_t extent = p->range[i][1] - p->range[i][0];
        lead[i] = p->range[i][0] + (grids ? next % extent : 0);
        next /= extent;
    }
    for (int i = 0; i < last - 1; i++) {
        put_part(d, &b, i, lead[i], lead[i] + 1);
        tc_buf_puts(&b, ", ");
    }
    if (p->folded) {
        int64_t from = tc_picture_row(p, p->nrows - 2) + p->cols;
        put_part(d, &b, 0, from, at_most(from + 16 * p->cols, p->range[0][1]));
    } else {
        int64_t r = p->range[last - 1][0], c = p->range[last][0];
        int64_t rend = p->range[last - 1][1], cend = p->range[last][1];
        if (rows && !grids) {
            r += p->row[p->nrows - 2] + 1;
            rend = at_most(r + 16, rend);
        }
        if (cols && !grids && !rows) {
            c += (int64_t)d->cells * d->unit;
            cend = at_most(c + (int64_t)d->cells * d->unit, cend);
        }
        put_part(d, &b, last - 1, r, rend);
        tc_buf_puts(&b, ", ");
        put_part(d, &b, last, c, cend);
    }
    tc_buf_putc(&b, ']');
    put_wrapped(d, tc_buf_text(&b));
    tc_buf_free(&b);
}

static void put_hidden(drawing *d) {
    const tc_picture *p = d->p;
    bool grids = p->all_grids > p->ngrids, rows = p->rows > p->nrows;
    bool cols = d->cells < d->all_cells;
    tc_buf b = TC_BUF_INIT;
    if (grids) {
        tc_buf_printf(&b, "%lld of %lld slices",
                      (long long)(p->all_grids - p->ngrids),
                      (long long)p->all_grids);
    }
    if (rows) {
        tc_buf_printf(&b, "%s%lld of %lld rows", b.len > 0 ? ", " : "",
                      (long long)(p->rows - p->nrows), (long long)p->rows);
    }
    if (cols) {
        tc_buf_printf(&b, "%s%lld of %lld columns", b.len > 0 ? ", " : "",
                      (long long)(p->cols - (int64_t)d->cells * d->unit),
                      (long long)p->cols);
    }
    if (b.len > 0) {
        tc_buf_puts(&b, " are not shown");
        put_wrapped(d, tc_buf_text(&b));
        if (d->name != NULL && (!p->folded || rows)) {
            put_hint(d, grids, rows, cols);
        }
    }
    tc_buf_free(&b);
}

void tc_picture_text(const tc_picture *p, const char *name, int width,
                     tc_buf *out) {
    drawing d = {.p = p, .out = out, .name = name, .width = width};
    set_up(&d);
    put_legend(&d);
    put_copies(&d);
    put_swizzle(&d);
    put_sizes(&d);
    for (int g = 0; g < p->ngrids; g++) {
        put_grid(&d, g);
    }
    put_hidden(&d);
}
