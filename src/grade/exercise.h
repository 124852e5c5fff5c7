/* exercise.h - what an exercise gives the grader. */
#ifndef TC_GRADE_EXERCISE_H
#define TC_GRADE_EXERCISE_H

#include "base/arena.h"
#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers from a seed (splitmix64). */
typedef struct tc_draw {
    uint64_t state;
} tc_draw;
uint64_t tc_draw_next(tc_draw *d);
uint64_t tc_draw_below(tc_draw *d, uint64_t n); /* 0 <= result < n */

/* A case, as made from its number and the seed. All in one arena. */
typedef struct tc_case {
    const char *name; /* "n = 31, rising" */
    bool hidden;      /* its name must not tell what a submission could fit */
    void *input;      /* the exercise's own, for its judge */
    uint8_t *file;    /* what the submission's process finds in its input */
    size_t size;
    size_t most; /* bytes that it may leave behind that */
} tc_case;

typedef enum tc_judged { TC_RIGHT, TC_WRONG, TC_NO_RESULT } tc_judged;

typedef struct tc_exercise {
    const char *name, *about;
    const char *interface; /* the declaration of what a submission defines */
    int ncases;
    void (*make)(int number, uint64_t seed, tc_arena *a, tc_case *out);
    /* Compares what was left (most bytes, zeros where nothing was written) with
     * what is right. Else why, in a student's terms: a line, perhaps further
     * ones. left is aligned for any type. */
    tc_judged (*judge)(const tc_case *c, const uint8_t *left, size_t size,
                       tc_buf *why);
} tc_exercise;

/* exercises.def: TC_EXERCISE(name). */
#define TC_EXERCISE(name) extern const tc_exercise tc_exercise_##name;
#include "grade/exercises.def"

#endif
