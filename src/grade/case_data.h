/* case_data.h - what a call was given, for its judge. */
#ifndef TC_GRADE_CASE_DATA_H
#define TC_GRADE_CASE_DATA_H

#include "grade/exercise.h"

typedef struct tc_case_data {
    const double *scalars;          /* the first is i */
    const tc_expr_buffer *buffers;  /* as they were before */
    int argument[TC_EXERCISE_ARGS]; /* of each buffer */
} tc_case_data;

#endif
