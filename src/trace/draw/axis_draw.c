/* axis_draw.c - the axis of a picture of time: tick values and a rule. */
#include "trace/draw/axis.h"
#include "trace/draw/rows.h"

#include <inttypes.h>
#include <stdio.h>

/* Where it is drawn. */
typedef struct ticks {
    const tc_time_axis *a;
    tc_area area;
    int x;
} ticks;

/* A value at a column, if it fits there with a space on either side. */
static bool put_value(const ticks *t, int col, uint64_t value, int *free_from) {
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, value);
    if (col < *free_from || col + n > t->a->cols) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (t->a->cut[col + i]) {
            return false;
        }
    }
    tc_put_string(t->area, 0, t->x + col, text, TC_STYLE(FRAME, 0));
    tc_put(t->area, 1, t->x + col, TC_CHAR_TICK, TC_STYLE(FRAME, 0));
    *free_from = col + n + 1;
    return true;
}

/* Labels one stretch between breaks: at multiples of step, or, when none of
 * them fits, at its own first cycle. */
static void label_stretch(const ticks *t, int from, int to, uint64_t step) {
    const tc_time_axis *a = t->a;
    int free_from = from;
    bool any = false;
    for (int c = from; c < to; c++) {
        uint64_t tick = (a->start[c] + step - 1) / step * step;
        if (tick < a->start[c + 1]) {
            any |= put_value(t, c, tick, &free_from);
        }
    }
    if (!any && !put_value(t, from, a->start[from], &free_from)) {
        tc_put(t->area, 1, t->x + from, TC_CHAR_TICK, TC_STYLE(FRAME, 0));
    }
}

void tc_axis_draw(const tc_time_axis *a, tc_area area, int x) {
    ticks t = {a, area, x};
    char widest[24];
    int n = snprintf(widest, sizeof widest, "%" PRIu64, a->start[a->cols]);
    uint64_t step = tc_axis_round((uint64_t)(n + 1) * a->scale);
    step = step < 5 * a->scale ? 5 * a->scale : step;
    tc_fill(area, 1, x, a->cols, TC_CHAR_RULE, TC_STYLE(FRAME, 0));
    for (int c = 0, to; c < a->cols; c = to) {
        for (to = c; to < a->cols && a->cut[to] == a->cut[c];) {
            to++;
        }
        if (a->cut[c]) {
            tc_fill(area, 1, x + c, to - c, TC_CHAR_BREAK, TC_STYLE(FRAME, 0));
        } else {
            label_stretch(&t, c, to, step);
        }
    }
}
