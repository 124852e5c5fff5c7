/* similar.h - which submissions of a class have code in common.
 *
 * Winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for
 * Document Fingerprinting", SIGMOD 2003; the method of MOSS): hashes of every k
 * tokens in a row, of which the least of each window is kept. Names and numbers
 * are one token each, so that renaming changes nothing; what was given to all,
 * and what many have that are not alike otherwise, counts for nothing. */
#ifndef TC_GRADE_CLASS_SIMILAR_H
#define TC_GRADE_CLASS_SIMILAR_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TC_SIMILAR_GRAM = 12,  /* tokens in a fingerprint (k) */
    TC_SIMILAR_WINDOW = 5, /* fingerprints, of which one is kept (w): a copy of
                               k + w - 1 = 16 tokens in a row is seen */
    TC_SIMILAR_PERCENT = 60, /* of the shorter one's: then a pair is named */
    TC_SIMILAR_LEAST = 8,    /* fingerprints in common, at least */
    TC_SIMILAR_COMMON = 10   /* a fingerprint of more than so many groups of
                                submissions is everybody's */
};

/* The fingerprints of a text, sorted by value. */
typedef struct tc_prints {
    struct tc_print {
        uint64_t value;
        int line; /* of its first token, from 1 */
    } * all;
    int n;
} tc_prints;

/* Of C++ and CUDA, or (python) of TVMScript. In arena a. */
tc_prints tc_similar_prints(tc_arena *a, const char *text, size_t n,
                            bool python);

typedef struct tc_similar {
    int left, right; /* left < right: indices of submissions */
    int percent, common;
    int left_first, left_last, right_first, right_last; /* lines */
} tc_similar;

/* The pairs among n submissions that are alike, the most alike first; given:
 * what all were given. In arena a. */
tc_similar *tc_similar_find(tc_arena *a, const tc_prints *all, int n,
                            const tc_prints *given, int ngiven, int *npairs);

#endif
