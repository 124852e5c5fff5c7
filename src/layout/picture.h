/* picture.h - a layout as a grid of cells: which thread, lane, memory offset,
 * bank, or lane and column of tensor memory holds each element.
 *
 * The model (picture.c) asks the layout about each element that is to be seen;
 * picture_text.c and picture_svg.c draw what it found. */
#ifndef TC_LAYOUT_PICTURE_H
#define TC_LAYOUT_PICTURE_H

#include "layout/layout.h"

enum {
    TC_PICTURE_RANK = 16,
    TC_PICTURE_COPIES = 64 /* places of one element that are listed */
};

/* What to draw. A zero stands for the default. */
typedef struct tc_picture_options {
    const int64_t *shape; /* NULL: the extents of the layout's iterators */
    int rank;
    const int64_t (*range)[2]; /* a part, (begin, end) each; NULL: all of it */
    int bits;                  /* of an element: its banks can be named then */
    const char *memory; /* what axis m is, where there are no threads; or NULL
                         */
    bool shared;        /* m counts elements of shared memory, */
    int64_t first;      /* the first of which is this one */
    bool loose; /* the shape need not have as many elements as the layout: a
                   buffer's, which TVM does not compare either */
    int max_rows, max_cols, max_grids;
    int width; /* characters; decides how one dimension is folded into rows */
} tc_picture_options;

/* The last two dimensions at fixed coordinates of those before them. */
typedef struct tc_picture_grid {
    int64_t lead[TC_PICTURE_RANK];
    int64_t *value; /* [nrows][ncols][naxes] */
} tc_picture_grid;

typedef struct tc_picture {
    const tc_layout *layout;
    int64_t shape[TC_PICTURE_RANK];
    int64_t range[TC_PICTURE_RANK][2];
    int rank;
    bool folded; /* one dimension, cols elements a row */
    int bits;
    bool shared;
    const char *memory;
    int64_t first;
    int64_t size;         /* of the layout */
    const tc_axis **axis; /* thread axes first, from the widest on */
    int naxes;
    int64_t rows, cols; /* of a grid, within the range */
    int64_t *row;       /* the rows seen, from 0; a gap where they jump */
    int nrows, ncols;   /* the columns seen are the first ncols */
    tc_picture_grid *grid;
    int ngrids;
    int64_t all_grids;
    int64_t *copy; /* [ncopies][naxes]: from the first place to each other */
    int ncopies;   /* 1 without replicas; at most TC_PICTURE_COPIES */
    int64_t all_copies;
} tc_picture;

/* The extents of the layout's iterators, or its size; shape has room for
 * TC_PICTURE_RANK. */
tc_layout_result tc_picture_default_shape(tc_layout_ctx *cx, const tc_layout *l,
                                          int64_t *shape, int *rank);
/* Lives in cx->arena. FAILED where the layout refuses, or the shape does not
 * fit it. */
tc_layout_result tc_picture_make(tc_layout_ctx *cx, const tc_layout *l,
                                 const tc_picture_options *ask,
                                 tc_picture **out);

/* --- asking the model ------------------------------------------------------*/

/* Place of an element seen: a value for each axis. NULL behind the end. */
const int64_t *tc_picture_at(const tc_picture *p, int grid, int row, int col);
/* The numbers of that row and column in the logical shape; folded: of the
 * row's first element. */
int64_t tc_picture_row(const tc_picture *p, int row);
int64_t tc_picture_col(const tc_picture *p, int col);
/* Can every `unit` neighbours of a row be drawn as one cell: at one place, or
 * at consecutive places of one axis? */
bool tc_picture_unit_fits(const tc_picture *p, int unit);
/* Is the axis `m`, or the like, where bytes have banks? */
bool tc_picture_has_banks(const tc_picture *p);
/* First and last bank (of 32, 4 bytes each) of `unit` elements from offset m.
 */
void tc_picture_banks(const tc_picture *p, int64_t m, int unit, int *first,
                      int *last);
/* The axis that all replicas move along, or -1 for several. */
int tc_picture_copy_axis(const tc_picture *p);
/* "lane of the warp", "offset in memory"; plain terms for an axis. */
const char *tc_picture_axis_text(const tc_picture *p, const tc_axis *a);

/* --- drawing -------------------------------------------------------------- */

/* At most width columns where that is possible. name: how the learner calls it,
 * for the hint how to see a part; may be NULL. */
void tc_picture_text(const tc_picture *p, const char *name, int width,
                     tc_buf *out);
/* A whole SVG file. */
void tc_picture_svg(const tc_picture *p, const char *title, tc_buf *out);

#endif
