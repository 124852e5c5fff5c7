/* case_data.h - what a call was given, for its judge. */
#ifndef TC_GRADE_CASE_DATA_H
#define TC_GRADE_CASE_DATA_H

#include "base/call_task.h"
#include "grade/exercise.h"

/* A buffer that is too large to be kept whole: it repeats the same few pages,
 * of a length that no power of two is a multiple of, and guards of its own
 * stand at its ends. */
typedef struct tc_large {
    uint64_t period; /* bytes of it; 0: the buffer is not large */
    void *before, *after;
    bool poisoned;  /* before holds what no result is */
    bool sampled;   /* after is the memory itself, of which little is written */
    uint64_t bytes; /* of each */
} tc_large;

/* Storage for b->before, and where the buffer is output for b->after: of
 * b->bytes, guards included. False: there is none. */
bool tc_large_make(tc_large *l, tc_task_buffer *b, bool output, bool sampled);
/* Of a sampled one: the first byte of after, from `from` on, whose page was
 * written, or may have been, and *end: where that page ends. l->bytes: none. */
uint64_t tc_large_written(const tc_large *l, uint64_t from, uint64_t *end);
/* When the first period of b->before is filled: the rest of it. */
void tc_large_finish(const tc_large *l, const tc_task_buffer *b);
void tc_large_free(tc_large *l);

typedef struct tc_case_data {
    const double *scalars;          /* the first is i */
    const tc_expr_buffer *buffers;  /* as they were before */
    int argument[TC_EXERCISE_ARGS]; /* of each buffer */
    tc_large large[TC_EXERCISE_ARGS];
} tc_case_data;

#endif
