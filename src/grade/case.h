/* case.h - a test of an exercise as calls with data of their own, and what came
 * of them. */
#ifndef TC_GRADE_CASE_H
#define TC_GRADE_CASE_H

#include "base/buf.h"
#include "base/call_task.h"
#include "grade/exercise.h"
#include <jansson.h>

enum { TC_GUARD = 4096 /* bytes on both sides of a buffer */ };

typedef struct tc_case {
    const tc_exercise *exercise;
    const char *name; /* "n = 31, rising" */
    bool hidden;      /* its name must not tell what a submission could fit */
    tc_given_task task;
    bool timed;                /* kernels are executed with timing on */
    bool sampled;              /* it is simulated in part */
    uint64_t large;            /* bytes of buffers that are too large for small
                                  machines; 0: none are */
    struct tc_case_data *data; /* one a call */
} tc_case;

/* Which test of an exercise: the numbered one, that of a structure, the speed's
 * where it is modelled, that on a GPU. */
typedef enum tc_case_kind {
    TC_CASE_TEST,
    TC_CASE_STRUCTURE,
    TC_CASE_SPEED,
    TC_CASE_SPEED_GPU
} tc_case_kind;
const tc_exercise_test *tc_case_test(const tc_exercise *e, tc_case_kind kind,
                                     int number);
/* That test made of the seed, to be simulated in part or whole; tc_case_end gives back what is not in arena a.
 * False: the exercise is at fault, or the machine too small, with why. */
bool tc_case_make(const tc_exercise *e, tc_case_kind kind, int number,
                  bool sampled, uint64_t seed, tc_arena *a, tc_case *out,
                  const char **why);
void tc_case_end(tc_case *c);
/* "n = 31, rising values", in arena a. */
const char *tc_case_name(const tc_exercise *e, const tc_exercise_test *t,
                         tc_arena *a);

/* The first thing that is wrong, as data; as text in why: a line, perhaps
 * further ones. TC_REASON_ENDED: a call was not made or not left. */
tc_reason tc_case_judge(const tc_case *c, tc_arena *a, tc_buf *why);

/* A measure of the case's only call, of the report's kernels. */
double tc_measure_of(const tc_measure *m, const tc_case *c,
                     const json_t *report);
/* A bound of a rule for it. */
double tc_case_bound(const tc_case *c, const tc_formula *bound);
/* Declares the function and makes the calls that the runtime asks for: C++. */
void tc_case_main(const tc_exercise *e, tc_buf *out);

#endif
