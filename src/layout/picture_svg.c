/* picture_svg.c - a picture as a self-contained SVG file: a cell for each
 * element, coloured by who holds it. Of up to CELLS elements each cell is a
 * rectangle of its own, which tells its holder where a browser points at it; of
 * more, a colour is one path and a row one text, an eighth of the bytes. */
#include "layout/internal.h"
#include "layout/picture.h"

#include <stdio.h>
#include <string.h>

enum {
    CELL_HEIGHT = 22,
    CHAR = 7, /* width of a character, at 11 px */
    MARGIN = 14,
    LINE = 18,
    GAP_ROW = 12, /* where rows are left out */
    PALETTE = 16,
    CELLS = 1024
};

/* Light enough for black text on it; neighbours differ. */
static const char *const palette[PALETTE] = {
    "#cfe2ff", "#ffe0b3", "#d6f5d6", "#ffd6e0", "#e6d9ff", "#fff3b0",
    "#c9f2ef", "#f2d0c4", "#b8d4f0", "#f7c98b", "#b5e3b5", "#f5b5c8",
    "#cdb8f0", "#e8dd85", "#9fdcd8", "#ddb3a3",
};

typedef struct svg_sheet {
    const tc_picture *p;
    tc_buf *out;
    int cell_width, label_width;
    int64_t unit; /* of m, that takes one colour */
    int width, height;
} svg_sheet;

/* --- text ----------------------------------------------------------------- */

/* Escaped for XML; what XML cannot hold becomes '?'. */
static void put_text(tc_buf *b, const char *text) {
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&') {
            tc_buf_puts(b, "&amp;");
        } else if (c == '<' || c == '>') {
            tc_buf_puts(b, c == '<' ? "&lt;" : "&gt;");
        } else if (c == '"') {
            tc_buf_puts(b, "&quot;");
        } else {
            tc_buf_putc(b, c < 0x20 || c >= 0x7f ? '?' : (char)c);
        }
    }
}

static void put_line(svg_sheet *s, int x, int y, const char *class,
                     const char *text) {
    tc_buf_printf(s->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
    put_text(s->out, text);
    tc_buf_puts(s->out, "</text>\n");
}

/* --- cells ---------------------------------------------------------------- */

static void put_cell_text(const tc_picture *p, tc_buf *b, const int64_t *v) {
    for (int i = 0; i < p->naxes; i++) {
        tc_buf_printf(b, "%s%lld", i > 0 ? "." : "", (long long)v[i]);
    }
}

/* "laneid 4, m 1, bank 0; also laneid 8": what the pointer over a cell shows.
 */
static void put_holder(const tc_picture *p, tc_buf *b, const int64_t *v) {
    for (int i = 0; i < p->naxes; i++) {
        tc_buf_printf(b, "%s%s %lld", i > 0 ? ", " : "", p->axis[i]->name,
                      (long long)v[i]);
    }
    if (tc_picture_has_banks(p)) {
        int first, last;
        tc_picture_banks(p, v[p->naxes - 1], 1, &first, &last);
        tc_buf_printf(b, ", bank %d", first);
    }
    for (int i = 1; i < p->ncopies && i < 8; i++) {
        tc_buf_puts(b, "; also");
        for (int k = 0; k < p->naxes; k++) {
            int64_t by = p->copy[(size_t)i * (size_t)p->naxes + (size_t)k], at;
            if (by != 0 && !__builtin_add_overflow(v[k], by, &at)) {
                tc_buf_printf(b, " %s %lld", p->axis[k]->name, (long long)at);
            }
        }
    }
}

/* Who holds the element: its thread axes; else its 16 bytes of the 128 that the
 * banks span; else, of what a swizzle permutes, its unit; else its lane of
 * tensor memory or its unit of memory. */
static int colour_of(const svg_sheet *s, const int64_t *v) {
    const tc_picture *p = s->p;
    uint64_t key = 0;
    bool threads = false;
    for (int i = 0; i < p->naxes; i++) {
        if (p->axis[i]->cls == TC_AXIS_THREAD) {
            key = key * 5 + (uint64_t)v[i];
            threads = true;
        }
    }
    if (threads || p->naxes == 0) {
        return (int)(key % PALETTE);
    }
    if (tc_picture_has_banks(p)) {
        int first, last;
        tc_picture_banks(p, v[p->naxes - 1], 1, &first, &last);
        return first / 4;
    }
    int64_t at = v[0];
    if (tc_layout_has_swizzle(p->layout)) {
        const tc_swizzle *sw = &p->layout->swizzle;
        int64_t units = INT64_C(1) << (sw->atom_len < 4 ? sw->atom_len : 4);
        return (int)((at >> sw->per_element) & (units - 1));
    }
    if (p->axis[0] == tc_axis_m) {
        at = at / s->unit - (at % s->unit < 0);
    }
    return (int)((at % PALETTE + PALETTE) % PALETTE);
}

static void put_cell(svg_sheet *s, int grid, int row, int col, int x, int y) {
    const int64_t *v = tc_picture_at(s->p, grid, row, col);
    if (v == NULL) {
        return;
    }
    tc_buf text = TC_BUF_INIT, holder = TC_BUF_INIT;
    put_cell_text(s->p, &text, v);
    put_holder(s->p, &holder, v);
    tc_buf_printf(s->out, "<g><title>[%lld, %lld]: ",
                  (long long)tc_picture_row(s->p, row),
                  (long long)tc_picture_col(s->p, col));
    put_text(s->out, tc_buf_text(&holder));
    tc_buf_printf(s->out,
                  "</title><rect x=\"%d\" y=\"%d\" width=\"%d\" "
                  "height=\"%d\" fill=\"%s\"/>",
                  x, y, s->cell_width, CELL_HEIGHT, palette[colour_of(s, v)]);
    tc_buf_printf(s->out, "<text x=\"%d\" y=\"%d\" class=\"c\">",
                  x + s->cell_width / 2, y + CELL_HEIGHT - 7);
    put_text(s->out, tc_buf_text(&text));
    tc_buf_puts(s->out, "</text></g>\n");
    tc_buf_free(&text);
    tc_buf_free(&holder);
}

/* --- legend ------------------------------------------------------------- */

static const char *colour_text(const tc_picture *p) {
    if (p->naxes > 0 && p->axis[0]->cls == TC_AXIS_THREAD) {
        return "a colour stands for a thread (there are 16, and they repeat)";
    }
    if (tc_picture_has_banks(p)) {
        return "a colour stands for four banks of shared memory";
    }
    if (tc_layout_has_swizzle(p->layout)) {
        return "a colour stands for the place of a unit in its row of memory";
    }
    if (p->naxes > 0 && p->axis[0] == &tcl_axes[TCL_TLane]) {
        return "a colour stands for a lane (there are 16, and they repeat)";
    }
    return "a colour stands for neighbours in memory";
}

/* What a cell says, and what its colour says. */
static void legend(const tc_picture *p, tc_buf *cell, tc_buf *colour) {
    for (int i = 0; i < p->rank; i++) {
        tc_buf_printf(cell, "%s%lld", i ? " x " : "", (long long)p->shape[i]);
    }
    tc_buf_puts(cell, " elements; a cell is ");
    for (int i = 0; i < p->naxes; i++) {
        tc_buf_printf(cell, "%s%s", i ? "." : "", p->axis[i]->name);
    }
    for (int i = 0; i < p->naxes; i++) {
        tc_buf_printf(cell, "%s%s", i ? ", " : ": ",
                      tc_picture_axis_text(p, p->axis[i]));
    }
    tc_buf_puts(colour, colour_text(p));
    if (p->ncopies > 1) {
        tc_buf_printf(colour, "; each element lives in %s%d places",
                      p->ncopies < TC_PICTURE_COPIES ? "" : "at least ",
                      p->ncopies);
    }
    bool part =
        p->rows > p->nrows || p->cols > p->ncols || p->all_grids > p->ngrids;
    tc_buf_puts(colour, part ? "; only a part is drawn" : "");
}

/* --- sizes ---------------------------------------------------------------- */

static int longest_cell(const tc_picture *p) {
    tc_buf b = TC_BUF_INIT;
    int longest = 2;
    for (int g = 0; g < p->ngrids; g++) {
        for (int r = 0; r < p->nrows; r++) {
            for (int c = 0; c < p->ncols; c++) {
                const int64_t *v = tc_picture_at(p, g, r, c);
                tc_buf_clear(&b);
                if (v != NULL) {
                    put_cell_text(p, &b, v);
                }
                longest = (int)b.len > longest ? (int)b.len : longest;
            }
        }
    }
    tc_buf_free(&b);
    return longest;
}

static int grid_height(const tc_picture *p) {
    int h = LINE + p->nrows * CELL_HEIGHT + MARGIN;
    for (int r = 1; r < p->nrows; r++) {
        h += p->row[r] != p->row[r - 1] + 1 ? GAP_ROW : 0;
    }
    return h + (p->rank > 2 ? LINE : 0);
}

/* The longest run of elements that lie one after another, up to 16: they take
 * one colour, so that a swizzle's units can be seen. */
static int64_t colour_unit(const tc_picture *p) {
    int unit = 1;
    while (unit < 16 && tc_picture_unit_fits(p, unit * 2)) {
        unit *= 2;
    }
    return unit;
}

/* words: the longest line of text above the cells. */
static void measure(svg_sheet *s, size_t text_len) {
    const tc_picture *p = s->p;
    s->cell_width = longest_cell(p) * CHAR + 8;
    s->label_width = 5 * CHAR + 8;
    s->unit = colour_unit(p);
    s->width = 2 * MARGIN + s->label_width + p->ncols * s->cell_width;
    int least =
        2 * MARGIN + (int)(text_len < 400 ? text_len : 400) * (CHAR + 1);
    s->width = s->width < least ? least : s->width;
    s->height = 2 * MARGIN + 3 * LINE + p->ngrids * grid_height(p);
}

/* --- the sheet ------------------------------------------------------------ */

static void put_head(svg_sheet *s, const char *title) {
    tc_buf_printf(s->out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                  "height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
                  s->width, s->height, s->width, s->height);
    put_text(s->out, title);
    tc_buf_puts(s->out, "</title>\n<style>\n"
                        "text { font: 11px monospace; fill: #222; }\n"
                        ".h { font-weight: bold; font-size: 12px; }\n"
                        ".c { text-anchor: middle; }\n"
                        ".l { text-anchor: end; fill: #666; }\n"
                        ".t { text-anchor: middle; fill: #666; }\n"
                        "rect { stroke: #fff; }\n"
                        ".r { white-space: pre; }\n"
                        ".k { fill: none; }\n"
                        "</style>\n");
    tc_buf_printf(s->out,
                  "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
                  s->width, s->height);
}

static void put_label(svg_sheet *s, int x, int y, const char *class,
                      int64_t n) {
    tc_buf_printf(s->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">%lld</text>\n",
                  x, y, class, (long long)n);
}

/* ---- many cells ---- */

/* In units of a cell: "M3 5.5h2", or from the one before "m4 0h1". */
static void put_run(tc_buf *b, int *x, int *y, int col, int row, int cols) {
    char absolute[40], relative[40];
    int n = snprintf(absolute, sizeof absolute, "M%d %d.5", col, row);
    int k = snprintf(relative, sizeof relative, "m%d %d", col - *x, row - *y);
    tc_buf_puts(b, *x >= 0 && k <= n ? relative : absolute);
    tc_buf_printf(b, "h%d", cols);
    *x = col + cols;
    *y = row;
}

/* Cells of one colour, of rows [from, to), as one path. */
static void put_colour(svg_sheet *s, int grid, int colour, int from, int to) {
    tc_buf b = TC_BUF_INIT;
    int x = -1, y = 0;
    for (int r = from; r < to; r++) {
        for (int c = 0, n; c < s->p->ncols; c += n) {
            n = 1;
            const int64_t *v = tc_picture_at(s->p, grid, r, c);
            if (v == NULL || colour_of(s, v) != colour) {
                continue;
            }
            while (c + n < s->p->ncols) {
                v = tc_picture_at(s->p, grid, r, c + n);
                if (v == NULL || colour_of(s, v) != colour) {
                    break;
                }
                n++;
            }
            put_run(&b, &x, &y, c, r - from, n);
        }
    }
    if (b.len > 0) {
        tc_buf_printf(s->out, "<path stroke=\"%s\" d=\"%s\"/>\n",
                      palette[colour], tc_buf_text(&b));
    }
    tc_buf_free(&b);
}

/* White lines between the cells, in their units. */
static void put_rules(svg_sheet *s, int rows) {
    tc_buf_puts(s->out, "<path stroke=\"#fff\" stroke-width=\".06\" d=\"");
    for (int r = 1; r < rows; r++) {
        tc_buf_printf(s->out, "M0 %dh%d", r, s->p->ncols);
    }
    for (int c = 1; c < s->p->ncols; c++) {
        tc_buf_printf(s->out, "M%d 0v%d", c, rows);
    }
    tc_buf_puts(s->out, "\"/>\n");
}

/* What a row's cells say, each padded to so many characters. */
static void put_row_text(svg_sheet *s, int grid, int row, int x, int y) {
    const tc_picture *p = s->p;
    int chars = (s->cell_width - 8) / CHAR + 1;
    tc_buf b = TC_BUF_INIT;
    for (int c = 0; c < p->ncols; c++) {
        const int64_t *v = tc_picture_at(p, grid, row, c);
        size_t begin = b.len;
        if (v != NULL) {
            put_cell_text(p, &b, v);
        }
        tc_buf_fill(&b, ' ', chars - (int)(b.len - begin));
    }
    tc_buf_printf(s->out,
                  "<text class=\"r\" x=\"%d\" y=\"%d\" textLength=\"%d\">",
                  x + 4, y + CELL_HEIGHT - 7, p->ncols * s->cell_width);
    put_text(s->out, tc_buf_text(&b));
    tc_buf_puts(s->out, "</text>\n");
    tc_buf_free(&b);
}

/* Rows [from, to), which follow each other. */
static void put_rows(svg_sheet *s, int grid, int from, int to, int x, int y) {
    tc_buf_printf(s->out,
                  "<g class=\"k\" transform=\"translate(%d,%d) "
                  "scale(%d,%d)\">\n",
                  x, y, s->cell_width, CELL_HEIGHT);
    for (int colour = 0; colour < PALETTE; colour++) {
        put_colour(s, grid, colour, from, to);
    }
    put_rules(s, to - from);
    tc_buf_puts(s->out, "</g>\n");
    for (int r = from; r < to; r++) {
        int at = y + (r - from) * CELL_HEIGHT;
        put_label(s, x - 6, at + CELL_HEIGHT - 7, "l", tc_picture_row(s->p, r));
        put_row_text(s, grid, r, x, at);
    }
}

static void put_many(svg_sheet *s, int grid, int x, int y) {
    const tc_picture *p = s->p;
    for (int r = 0, to; r < p->nrows; r = to) {
        for (to = r + 1; to < p->nrows && p->row[to] == p->row[to - 1] + 1;) {
            to++;
        }
        put_rows(s, grid, r, to, x, y);
        y += (to - r) * CELL_HEIGHT + GAP_ROW;
    }
}

static void put_grid(svg_sheet *s, int grid, int y) {
    const tc_picture *p = s->p;
    int left = MARGIN + s->label_width;
    if (p->rank > 2) {
        tc_buf b = TC_BUF_INIT;
        for (int i = 0; i < p->rank - 2; i++) {
            tc_buf_printf(&b, "%s%lld", i ? ", " : "[",
                          (long long)p->grid[grid].lead[i]);
        }
        tc_buf_puts(&b, ", :, :]");
        put_line(s, MARGIN, y + LINE - 4, "h", tc_buf_text(&b));
        tc_buf_free(&b);
        y += LINE;
    }
    for (int c = 0; c < p->ncols; c++) {
        put_label(s, left + c * s->cell_width + s->cell_width / 2, y + LINE - 5,
                  "t", tc_picture_col(p, c));
    }
    y += LINE;
    if ((int64_t)p->nrows * p->ncols > CELLS) {
        put_many(s, grid, left, y);
        return;
    }
    for (int r = 0; r < p->nrows; r++) {
        y += r > 0 && p->row[r] != p->row[r - 1] + 1 ? GAP_ROW : 0;
        put_label(s, left - 6, y + CELL_HEIGHT - 7, "l", tc_picture_row(p, r));
        for (int c = 0; c < p->ncols; c++) {
            put_cell(s, grid, r, c, left + c * s->cell_width, y);
        }
        y += CELL_HEIGHT;
    }
}

void tc_picture_svg(const tc_picture *p, const char *title, tc_buf *out) {
    svg_sheet s = {.p = p, .out = out};
    tc_buf cell = TC_BUF_INIT, colour = TC_BUF_INIT;
    legend(p, &cell, &colour);
    size_t text_len = strlen(title) > cell.len ? strlen(title) : cell.len;
    measure(&s, text_len > colour.len ? text_len : colour.len);
    put_head(&s, title);
    put_line(&s, MARGIN, MARGIN + LINE - 4, "h", title);
    put_line(&s, MARGIN, MARGIN + 2 * LINE - 2, "n", tc_buf_text(&cell));
    put_line(&s, MARGIN, MARGIN + 3 * LINE - 2, "n", tc_buf_text(&colour));
    int y = MARGIN + 3 * LINE;
    for (int g = 0; g < p->ngrids; g++) {
        put_grid(&s, g, y);
        y += grid_height(p);
    }
    tc_buf_puts(out, "</svg>\n");
    tc_buf_free(&cell);
    tc_buf_free(&colour);
}
