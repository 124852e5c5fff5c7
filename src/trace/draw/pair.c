/* pair.c - two runs' warps in one picture, line below line, on one axis. */
#include "trace/draw/axis.h"
#include "trace/draw/print.h"
#include "trace/draw/rows.h"

#include <stdlib.h>
#include <string.h>

typedef struct pair_picture {
    tc_buf *out;
    const tc_print_style *style;
    tc_time_axis axis;
    int label;
} pair_picture;

static void put_row(const pair_picture *p, const tc_model *m, const tc_row *row,
                    const char *name) {
    tc_cell_grid g =
        tc_grid_new(tc_row_lines(row), p->style->width, p->style->unicode);
    tc_plot plot = {tc_area_all(&g), p->label, &p->axis};
    tc_put_format(tc_area_part(tc_area_all(&g), 0, 0, 1, p->label - 1), 0, 0,
                  TC_PLAIN, "%s %s", row->name, name);
    tc_draw_row(&plot, m, row, 0);
    tc_grid_text(&g, p->out);
    tc_grid_free(&g);
}

static void put_axis(const pair_picture *p) {
    tc_cell_grid g = tc_grid_new(2, p->style->width, p->style->unicode);
    tc_put_string(tc_area_all(&g), 0, 0, "cycle", TC_PLAIN);
    tc_axis_draw(&p->axis, tc_area_all(&g), p->label);
    tc_grid_text(&g, p->out);
    tc_grid_free(&g);
}

/* The widest label, and a blank. */
static int label_of(const tc_model *m, const char *a, const char *b) {
    size_t most = 0, la = strlen(a), lb = strlen(b);
    for (size_t r = 0; r < m->nrows; r++) {
        size_t n = strlen(m->rows[r].name) + 2 + (la > lb ? la : lb);
        most = n > most && m->rows[r].kind == TC_ROW_WARP ? n : most;
    }
    return (int)most;
}

void tc_print_pair(tc_buf *out, const tc_model *a, const char *name_a,
                   const tc_model *b, const char *name_b,
                   const tc_print_style *style) {
    enum { LEAST = 20 }; /* columns of cycles */
    pair_picture p = {
        .out = out, .style = style, .label = label_of(a, name_a, name_b)};
    int cols = style->width - p.label;
    tc_axis_points points = tc_axis_points_of(a, b, NULL);
    p.axis = tc_axis_all(&points, cols < LEAST ? LEAST : cols, 0);
    free(points.at);
    put_axis(&p);
    for (size_t r = 0; r < a->nrows; r++) {
        int32_t other = tc_model_named(b, a->rows[r].name);
        if (a->rows[r].kind != TC_ROW_WARP) {
            continue;
        }
        put_row(&p, a, &a->rows[r], name_a);
        if (other >= 0) {
            put_row(&p, b, &b->rows[other], name_b);
        }
    }
    tc_axis_free(&p.axis);
}
