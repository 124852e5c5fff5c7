/* accuracy.h - launches as a GPU measured them beside the simulator's cycles. */
#ifndef TESTS_TOOLS_ACCURACY_H
#define TESTS_TOOLS_ACCURACY_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

typedef struct launch_error {
    const char *name, *file;
    double measured, simulated; /* cycles */
    double error;               /* simulated / measured - 1 */
} launch_error;

/* Of several launches. Errors are in parts, not percent. */
typedef struct error_summary {
    int n, beyond;             /* beyond: more than BEYOND */
    double mean, median, most; /* of the magnitudes */
} error_summary;

/* Ways of doing the same: two that the GPU tells apart. */
typedef struct order_pair {
    const launch_error *fast, *slow; /* as measured */
    bool right;                      /* the simulator says so too */
} order_pair;

typedef struct accuracy {
    tc_arena *arena;
    const char *device, *date; /* "NVIDIA H200"; "2026-11-22" */
    int driver, mhz;
    launch_error *rows;
    int n, cap;
    order_pair *pairs;
    int npairs, cpairs, wrong;
    char why[512];
} accuracy;

#define BEYOND 0.15 /* an error that is too large */
#define APART  0.03 /* two ways that the GPU tells apart */

/* Both files, as measure prints them. False with why. */
bool accuracy_read(accuracy *a, const char *measured, const char *simulated);
/* Lines of names of launches that do the same: pairs of each line. False with
 * why. */
bool accuracy_order(accuracy *a, const char *path);
/* Of the rows of a file, NULL: of all. */
error_summary accuracy_summary(const accuracy *a, const char *file);
/* Simulated against measured, both logarithmic, as SVG. */
void accuracy_picture(const accuracy *a, tc_buf *out);
/* The page that says how far to trust the cycles; picture: the SVG's name. */
void accuracy_page(const accuracy *a, const char *picture, tc_buf *out);
/* What a file of kernels is about. */
const char *accuracy_subject(const char *file);

#endif
