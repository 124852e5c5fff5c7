/* text.c - the line that is shown of long work. */
#include "base/progress/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 20 };

static void put_time(char *to, size_t size, double seconds) {
    if (seconds < 100) {
        snprintf(to, size, "%.0f s", seconds);
    } else if (seconds < 6000) {
        snprintf(to, size, "%.0f min", seconds / 60);
    } else {
        snprintf(to, size, "%.1f h", seconds / 3600);
    }
}

static void draw_bar(char *bar, double part) {
    memset(bar, ' ', BAR);
    memset(bar, '#', (size_t)(part * BAR));
    bar[BAR] = '\0';
}

/* What cannot be counted: "compiling k.cu [####      ] about 6 s left" by what it
 * took before, "compiling k.cu, 9 s (8 s before)" when that has passed. */
static int uncounted(const tc_progress *p, char *to, size_t size) {
    char took[32], other[32], bar[BAR + 1];
    put_time(took, sizeof took, p->seconds);
    if (p->expected <= 0) {
        return snprintf(to, size, "%s, %s", p->what, took);
    }
    if (p->seconds >= p->expected) {
        put_time(other, sizeof other, p->expected);
        return snprintf(to, size, "%s, %s (%s before)", p->what, took, other);
    }
    draw_bar(bar, p->seconds / p->expected);
    put_time(other, sizeof other, ceil(p->expected - p->seconds));
    return snprintf(to, size, "%s [%s] about %s left", p->what, bar, other);
}

int tc_progress_text(const tc_progress *p, char *to, size_t size) {
    char took[32], left[32], bar[BAR + 1];
    if (p->total < 2 || p->done > p->total) {
        return uncounted(p, to, size);
    }
    double part = (double)p->done / (double)p->total;
    draw_bar(bar, part);
    if (p->done == 0) {
        put_time(took, sizeof took, p->seconds);
        return snprintf(to, size, "%s [%s] %s", p->what, bar, took);
    }
    put_time(left, sizeof left, ceil(p->seconds / part - p->seconds));
    return snprintf(to, size, "%s [%s] %.0f %%, about %s left", p->what, bar,
                    part * 100, left);
}
