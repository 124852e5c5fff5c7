/* axis.h - cycles to columns: the stretches in which nothing begins or ends
 * are cut out, at every scale. The printed picture and the view share it. */
#ifndef TC_TRACE_DRAW_AXIS_H
#define TC_TRACE_DRAW_AXIS_H

#include "trace/draw/grid.h"
#include "trace/model.h"

/* Column c shows cycles [start[c], start[c + 1]). */
typedef struct tc_time_axis {
    int cols;
    uint64_t *start; /* cols + 1, never falling; owned */
    bool *cut;       /* cols: the column is part of a break */
    uint64_t scale;  /* cycles a column, outside breaks */
    bool split;      /* some columns are fewer, to keep steps apart */
} tc_time_axis;
void tc_axis_free(tc_time_axis *a);

/* Where something begins or ends, in the rows that are drawn. */
typedef struct tc_axis_points {
    const tc_model *model; /* whose steps are kept apart; borrowed */
    const bool *drawn;     /* by row; NULL: all. Borrowed */
    uint64_t *at;          /* n cycles, rising; owned */
    size_t n;
    int fit_cols; /* for which the next two were worked out */
    uint64_t fit, fit_quiet;
} tc_axis_points;
/* Of one run, or of two (other may be NULL). Free p->at. */
tc_axis_points tc_axis_points_of(const tc_model *m, const tc_model *other,
                                 const bool *drawn);

/* All of it in at most cols columns; then scale (at least 1) cycles a column
 * from origin on. Steps of different kinds that would meet on a column are
 * kept apart where columns are left, of the rows from `top` on. */
tc_time_axis tc_axis_all(tc_axis_points *p, int cols, size_t top);
tc_time_axis tc_axis_from(const tc_axis_points *p, uint64_t origin,
                          uint64_t scale, int cols, size_t top);
/* Cycles a column with which all of the run fits into so many. */
uint64_t tc_axis_fit(tc_axis_points *p, int cols);
/* The first column's cycle if a cycle is to stand in column col. */
uint64_t tc_axis_origin(const tc_axis_points *p, uint64_t cycle, uint64_t scale,
                        int col);

/* The column of a cycle; -1 before the axis, cols after it. */
int tc_axis_column(const tc_time_axis *a, uint64_t cycle);
/* The smallest of 1, 2, 5, 10, 20, ... that is >= n; the largest below n. */
uint64_t tc_axis_round(uint64_t n);
uint64_t tc_axis_finer(uint64_t n);
/* Two lines of an area, from column x on: tick values, and the rule. */
void tc_axis_draw(const tc_time_axis *a, tc_area area, int x);

#endif
