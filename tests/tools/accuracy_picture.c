/* accuracy_picture.c - the plot and the page of accuracy.c. */
#include "accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 480, LEFT = 76, TOP = 16, DECADES = 4, FIRST = 2 };

static const struct subject {
    const char *file, *what, *colour;
    char mark; /* o circle, s square, d diamond, t triangle, x cross */
} subjects[] = {
    {"elements", "a thread an element", "#1f77b4", 'o'},
    {"reduce", "reductions, scans, softmax", "#d62728", 's'},
    {"tiles", "tiles: products, stencils, pooling", "#2ca02c", 'd'},
    {"pipelines", "pipelines, bulk copies, clusters", "#9467bd", 't'},
    {"others", "atomics, chases, divergence, others", "#8c564b", 'x'},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const struct subject *subject_of(const char *file) {
    for (int i = 0; i < SUBJECTS; i++) {
        if (strcmp(subjects[i].file, file) == 0) {
            return &subjects[i];
        }
    }
    return NULL;
}

const char *accuracy_subject(const char *file) {
    const struct subject *s = subject_of(file);
    return s != NULL ? s->what : file;
}

/* --- the plot --------------------------------------------------------------*/

/* Where so many cycles lie, from the axis' begin on. */
static double place(double cycles) {
    double at = (log10(cycles) - FIRST) / DECADES;
    return SIZE * (at < 0 ? 0 : at > 1 ? 1 : at);
}

static double right(double cycles) {
    return LEFT + place(cycles);
}

static double up(double cycles) {
    return TOP + SIZE - place(cycles);
}

static void put_mark(tc_buf *b, const struct subject *s, double x, double y) {
    switch (s->mark) {
    case 's':
        tc_buf_printf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\"",
                      x - 3, y - 3);
        break;
    case 'd':
        tc_buf_printf(b, "<path d=\"M%.1f %.1fl4 4l-4 4l-4-4z\"", x, y - 4);
        break;
    case 't':
        tc_buf_printf(b, "<path d=\"M%.1f %.1fl4 7h-8z\"", x, y - 4);
        break;
    case 'x':
        tc_buf_printf(b, "<path d=\"M%.1f %.1fl6 6m0-6l-6 6\"", x - 3, y - 3);
        break;
    default:
        tc_buf_printf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"", x, y);
        break;
    }
    tc_buf_printf(b, " fill=\"none\" stroke=\"%s\"", s->colour);
}

static void put_line(tc_buf *b, double factor, const char *style) {
    double least = pow(10, FIRST), most = pow(10, FIRST + DECADES);
    double from = factor < 1 ? least / factor : least;
    double to = factor > 1 ? most / factor : most;
    tc_buf_printf(
        b, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n",
        right(from), up(from * factor), right(to), up(to * factor), style);
}

static void put_axes(tc_buf *b) {
    static const char *grid = "stroke=\"#ddd\"";
    for (int i = 0; i <= DECADES; i++) {
        double v = pow(10, FIRST + i);
        tc_buf_printf(
            b,
            "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" %s/>\n"
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" %s/>\n",
            right(v), TOP, right(v), TOP + SIZE, grid, LEFT, up(v), LEFT + SIZE,
            up(v), grid);
        tc_buf_printf(b,
                      "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f"
                      "</text>\n<text x=\"%d\" y=\"%.1f\" "
                      "text-anchor=\"end\">%.0f</text>\n",
                      right(v), TOP + SIZE + 16, v, LEFT - 6, up(v) + 4, v);
    }
    put_line(b, 1, "stroke=\"#000\"");
    put_line(b, 1 + BEYOND, "stroke=\"#888\" stroke-dasharray=\"4 3\"");
    put_line(b, 1 / (1 + BEYOND), "stroke=\"#888\" stroke-dasharray=\"4 3\"");
    tc_buf_printf(b,
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">measured, "
                  "cycles</text>\n<text transform=\"translate(14 %d) "
                  "rotate(-90)\" text-anchor=\"middle\">simulated, "
                  "cycles</text>\n",
                  LEFT + SIZE / 2, TOP + SIZE + 34, TOP + SIZE / 2);
}

static void put_legend(tc_buf *b) {
    for (int i = 0; i < SUBJECTS; i++) {
        int y = TOP + 14 + 18 * i;
        put_mark(b, &subjects[i], LEFT + 12, y);
        tc_buf_printf(b, "/>\n<text x=\"%d\" y=\"%d\">%s</text>\n", LEFT + 24,
                      y + 4, subjects[i].what);
    }
}

void accuracy_picture(const accuracy *a, tc_buf *b) {
    tc_buf_printf(b,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
                  "%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<title>Simulated against measured cycles</title>\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  LEFT + SIZE + 30, TOP + SIZE + 44);
    put_axes(b);
    for (int i = 0; i < a->n; i++) {
        const launch_error *e = &a->rows[i];
        const struct subject *s = subject_of(e->file);
        put_mark(b, s != NULL ? s : subjects, right(e->measured),
                 up(e->simulated));
        tc_buf_printf(b, "><title>%s: %.0f, simulated %.0f</title></%s>\n",
                      e->name, e->measured, e->simulated,
                      s == NULL || s->mark == 'o' ? "circle"
                      : s->mark == 's'            ? "rect"
                                                  : "path");
    }
    put_legend(b);
    tc_buf_puts(b, "</svg>\n");
}

/* --- the page --------------------------------------------------------------*/

static void put_row(tc_buf *b, const char *what, error_summary s) {
    tc_buf_printf(b, "| %s | %d | %.1f %% | %.1f %% | %.0f %% | %d |\n", what,
                  s.n, 100 * s.mean, 100 * s.median, 100 * s.most, s.beyond);
}

static void put_head(const accuracy *a, const char *picture, tc_buf *b) {
    error_summary s = accuracy_summary(a, NULL);
    tc_buf_printf(
        b,
        "# How far to trust the cycles\n\n"
        "This page is made by tests/calibrate/page.sh. It sets the simulated "
        "cycles of %d\nlaunches beside those of an %s (driver %d.%d, %d MHz as "
        "measured, %s).\nTwo figures are from two of these launches (when a "
        "launch's parameters come to an SM),\nand the worst of them were "
        "looked "
        "at to choose what to mend. Each was "
        "launched on warm L2; cycles are the longest span\nof `%%clock64` on "
        "one SM, and the simulator runs the same PTX with the same clock\n"
        "reads, its time taken from the machine code that ptxas makes (`run` "
        "then says \"by its\nmachine code\"). Where there is no ptxas the "
        "PTX is scheduled as a compiler would, and errors\nare larger by a "
        "third (tests/calibrate/bounds.txt). An error is\nsimulated / "
        "measured - 1.\n\n"
        "**Mean error %.1f %%, median %.1f %%; %d of %d launches are off by "
        "more than 15 %%.**\n",
        s.n, a->device, a->driver / 1000, a->driver % 1000 / 10, a->mhz,
        a->date, 100 * s.mean, 100 * s.median, s.beyond, s.n);
    if (a->npairs > 0) {
        tc_buf_printf(b,
                      "Of %d pairs of ways to do the same thing that the GPU "
                      "tells apart by more than 3 %%,\n%d come out in the "
                      "right order.\n",
                      a->npairs, a->npairs - a->wrong);
    }
    tc_buf_printf(b,
                  "\n![Simulated against measured cycles, logarithmic; dashed: "
                  "15 %% off](%s)\n\n",
                  picture != NULL ? picture : "");
}

static void put_subjects(const accuracy *a, tc_buf *b) {
    tc_buf_puts(b, "| launches | number | mean | median | worst | beyond 15 % "
                   "|\n|---|---|---|---|---|---|\n");
    for (int i = 0; i < SUBJECTS; i++) {
        put_row(b, subjects[i].what, accuracy_summary(a, subjects[i].file));
    }
    put_row(b, "**all**", accuracy_summary(a, NULL));
}

static int by_error(const void *x, const void *y) {
    double a = fabs((*(const launch_error *const *)x)->error);
    double b = fabs((*(const launch_error *const *)y)->error);
    return (a < b) - (a > b);
}

static void put_launches(const accuracy *a, tc_buf *b) {
    const launch_error **all = tc_xcalloc((size_t)a->n + 1, sizeof *all);
    for (int i = 0; i < a->n; i++) {
        all[i] = &a->rows[i];
    }
    qsort(all, (size_t)a->n, sizeof *all, by_error);
    tc_buf_puts(b, "\n## Every launch, the worst first\n\nThe number behind a "
                   "name is that of its CTAs.\n\n| launch | measured | "
                   "simulated | error |\n|---|---|---|---|\n");
    for (int i = 0; i < a->n; i++) {
        tc_buf_printf(b, "| %s | %.0f | %.0f | %+.1f %% |\n", all[i]->name,
                      all[i]->measured, all[i]->simulated, 100 * all[i]->error);
    }
    free(all);
}

static void put_wrong(const accuracy *a, tc_buf *b) {
    if (a->wrong == 0) {
        return;
    }
    tc_buf_puts(b, "\n## Pairs in the wrong order\n\n| faster on the GPU | "
                   "slower | measured | simulated |\n|---|---|---|---|\n");
    for (int i = 0; i < a->npairs; i++) {
        const order_pair *p = &a->pairs[i];
        if (!p->right) {
            tc_buf_printf(b, "| %s | %s | %.0f < %.0f | %.0f, %.0f |\n",
                          p->fast->name, p->slow->name, p->fast->measured,
                          p->slow->measured, p->fast->simulated,
                          p->slow->simulated);
        }
    }
}

/* How to have another machine's. */
static void put_profiles(tc_buf *b) {
    tc_buf_puts(
        b, "\n## Another GPU's figures\n\nWhat the machine's parts cost is a "
           "profile. `tilecopy-repl calibrate mine.profile`\nmeasures the "
           "attached GPU and writes one; `a100` and `b200` come with the "
           "program,\nderived from published figures and not measured.\n\n"
           "```tilecopy\ntilecopy> set arch sm_80\ntilecopy> set profile "
           "a100\n```\n\nWithout a GPU `calibrate` says so:\n\n```console\n"
           "$ TILECOPY_LIBCUDA=no-such-library.so tilecopy-repl calibrate\n"
           "<input>:1:1: error: no GPU here...\n...\n[status 110]\n```\n");
}

void accuracy_page(const accuracy *a, const char *picture, tc_buf *b) {
    put_head(a, picture, b);
    put_subjects(a, b);
    put_profiles(b);
    put_wrong(a, b);
    put_launches(a, b);
}
