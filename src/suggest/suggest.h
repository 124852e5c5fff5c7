/* suggest.h - the smallest edits of the learner's own program that make a
 * variant accept.
 *
 * Every edit is one of the table edits.def, acts on the text of the program,
 * and is proved by reading and dispatching the edited text again. */
#ifndef TC_SUGGEST_SUGGEST_H
#define TC_SUGGEST_SUGGEST_H

#include "dispatch/variant.h"
#include "front/front.h"
#include <stdatomic.h>

/* A program whose last function is asked about. All borrowed. */
typedef struct tc_suggest_input {
    const tc_env *env; /* names that the text may use */
    const char *text;
    size_t len;
    int first_line;
    bool target_cuda;
    const char *test;         /* whose kernel it is, of a file of tests; or
                                 NULL */
    int copy;                 /* which, in program order, from 0 */
    tc_variant_id goal;       /* must accept that copy */
    const atomic_int *cancel; /* not 0: stop soon; or NULL */
} tc_suggest_input;

/* One line of the program: what stands there, and what should. A program never
 * gains or loses lines. */
typedef struct tc_change {
    int line;
    const char *from, *to;
} tc_change;

typedef struct tc_suggestion {
    const char *summary; /* "copy with one warp: Tx.warp.copy; ..." */
    tc_change *changes;
    int nchanges;
    int size;           /* atomic edits that make it accept; dispatch=, where
                           that is also needed, is not counted */
    bool shrinks;       /* the copy then moves fewer elements */
    bool built;         /* the variant's lowering was asked too */
    const char *chosen; /* what dispatch then chooses, or NULL */
    const char *text;   /* the whole edited program */
} tc_suggestion;

enum { TC_SUGGESTIONS = 3 };

typedef struct tc_suggestions {
    tc_suggestion items[TC_SUGGESTIONS]; /* smallest first */
    int n;
    bool accepts;     /* it accepts already; items then make it the choice */
    bool chosen;      /* and is chosen: nothing to do */
    int tried;        /* programs read and dispatched */
    const char *why;  /* its reason for refusing the program as it is */
    const char *lost; /* why the text could not be read again, or NULL */
} tc_suggestions;

/* Searches, led by the checks that fail. Everything in out lives in a. */
void tc_suggest(tc_arena *a, const tc_suggest_input *in, tc_suggestions *out);

/* The least size of edits of at most `depth` (1 or 2) atomic edits that make a
 * variant accept, by trying all of them. */
typedef struct tc_least {
    int size;     /* 0: it accepts as it is; -1: no such edit */
    bool shrinks; /* only edits that shrink the region do */
    const char *summary;
} tc_least;

/* For every variant at once; in->goal is not used. Returns programs tried. */
int tc_suggest_exhaustive(tc_arena *a, const tc_suggest_input *in, int depth,
                          tc_least least[TC_VARIANT_COUNT]);

#endif
