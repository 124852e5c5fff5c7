/* picture_query.c - what the drawers ask of a picture's model. */
#include "layout/internal.h"
#include "layout/picture.h"

#include <string.h>

const int64_t *tc_picture_at(const tc_picture *p, int grid, int row, int col) {
    if (p->folded &&
        p->range[0][0] + p->row[row] * p->cols + col >= p->range[0][1]) {
        return NULL;
    }
    size_t at = (size_t)row * (size_t)p->ncols + (size_t)col;
    return p->grid[grid].value + at * (size_t)p->naxes;
}

int64_t tc_picture_row(const tc_picture *p, int row) {
    return p->folded ? p->range[0][0] + p->row[row] * p->cols
                     : p->range[p->rank - 2][0] + p->row[row];
}

int64_t tc_picture_col(const tc_picture *p, int col) {
    return p->folded ? col : p->range[p->rank - 1][0] + col;
}

/* How b follows a: on which axis it is one further, naxes for the same place,
 * -1 for neither. */
static int step_between(const tc_picture *p, const int64_t *a,
                        const int64_t *b) {
    int step = p->naxes;
    for (int i = 0; i < p->naxes; i++) {
        if (a[i] == b[i]) {
            continue;
        }
        if (step < p->naxes || a[i] == INT64_MAX || a[i] + 1 != b[i]) {
            return -1;
        }
        step = i;
    }
    return step;
}

static bool row_unit_fits(const tc_picture *p, int grid, int row, int unit) {
    for (int c = 0; c < p->ncols; c += unit) {
        int kind = -1;
        for (int i = 1; i < unit; i++) {
            const int64_t *a = tc_picture_at(p, grid, row, c + i - 1);
            const int64_t *b = tc_picture_at(p, grid, row, c + i);
            if (a == NULL) {
                return true;
            }
            int step = b == NULL ? -1 : step_between(p, a, b);
            if (step < 0 || (i > 1 && step != kind)) {
                return false;
            }
            kind = step;
        }
    }
    return true;
}

bool tc_picture_unit_fits(const tc_picture *p, int unit) {
    if (unit == 1) {
        return true;
    }
    int64_t first = tc_picture_col(p, 0);
    if (p->cols % unit != 0 || p->ncols % unit != 0 || first % unit != 0) {
        return false;
    }
    for (int g = 0; g < p->ngrids; g++) {
        for (int r = 0; r < p->nrows; r++) {
            if (!row_unit_fits(p, g, r, unit)) {
                return false;
            }
        }
    }
    return true;
}

bool tc_picture_has_banks(const tc_picture *p) {
    return p->shared && p->bits > 0 && p->naxes > 0 &&
           p->axis[p->naxes - 1] == tc_axis_m;
}

void tc_picture_banks(const tc_picture *p, int64_t m, int unit, int *first,
                      int *last) {
    enum { BANKS = 32, BANK_BITS = 32 };
    /* The pattern repeats every 32 * 32 bits, which 1024 elements fill. */
    int64_t at = ((m % 1024 + p->first % 1024) % 1024 + 1024) % 1024;
    int64_t begin = at * p->bits, end = begin + (int64_t)unit * p->bits - 1;
    *first = (int)(begin / BANK_BITS % BANKS);
    *last = (int)(end / BANK_BITS % BANKS);
    if (end / BANK_BITS - begin / BANK_BITS >= BANKS - 1) {
        *first = 0;
        *last = BANKS - 1;
    }
}

int tc_picture_copy_axis(const tc_picture *p) {
    int axis = -1;
    for (int i = 1; i < p->ncopies; i++) {
        for (int k = 0; k < p->naxes; k++) {
            if (p->copy[(size_t)i * (size_t)p->naxes + (size_t)k] == 0) {
                continue;
            }
            if (axis >= 0 && axis != k) {
                return -1;
            }
            axis = k;
        }
    }
    return axis;
}

/* TCol counts elements; a column has 32 bits. */
static const char *column_text(int bits) {
    switch (bits) {
    case 32:
        return "column of tensor memory";
    case 16:
        return "column of tensor memory (in elements, 2 fill one)";
    case 8:
        return "column of tensor memory (in elements, 4 fill one)";
    default:
        return "column of tensor memory (in elements)";
    }
}

const char *tc_picture_axis_text(const tc_picture *p, const tc_axis *a) {
    static const struct {
        const char *name, *text;
    } table[] = {
        {"bx", "CTA in x"},
        {"by", "CTA in y"},
        {"bz", "CTA in z"},
        {"cbx", "CTA of the cluster in x"},
        {"cby", "CTA of the cluster in y"},
        {"cbz", "CTA of the cluster in z"},
        {"tx", "thread of the CTA"},
        {"warpid", "warp of the CTA"},
        {"laneid", "lane of the warp"},
        {"wgid", "warpgroup of the CTA"},
        {"tid_in_wg", "thread of the warpgroup"},
        {"wid_in_wg", "warp of the warpgroup"},
        {"TLane", "lane of tensor memory"},
        {"P", "partition"},
        {"F", "free offset in the partition"},
        {"Bank", "bank of PSUM"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, a->name) == 0) {
            return table[i].text;
        }
    }
    if (a == &tcl_axes[TCL_TCol]) {
        return column_text(p->bits);
    }
    if (a != tc_axis_m) {
        return "an axis of your own";
    }
    if (p->axis[0]->cls == TC_AXIS_THREAD) {
        return "offset in its own memory";
    }
    return p->memory != NULL ? p->memory : "offset in memory";
}
