/* judge.h - what an attempt at a task comes to. Knows no session: answers of
 * commands come in as JSON. */
#ifndef TC_COURSE_JUDGE_H
#define TC_COURSE_JUDGE_H

#include "base/buf.h"
#include "course/lesson.h"
#include <jansson.h>

typedef enum tc_attempt_result {
    TC_ATTEMPT_WRONG,
    TC_ATTEMPT_RIGHT,
    TC_ATTEMPT_BROKEN /* the task's own jq fails: hint says how */
} tc_attempt_result;

typedef struct tc_attempt {
    tc_attempt_result result;
    const tc_task_line *hint; /* of a wrong one; NULL: there is none */
    tc_buf broken;            /* owned; else empty */
} tc_attempt;

void tc_attempt_free(tc_attempt *a);

/* The right number of a predict or choose, by the answer of its `ask` (NULL:
 * it has none). False: broken says why. */
bool tc_judge_answer(const tc_task *t, const json_t *reply, double *out,
                     tc_buf *broken);
/* A number, to predict or to choose. */
tc_attempt tc_judge_number(const tc_task *t, const json_t *reply, double n);
/* An answer of the command that a type or edit asks about. "typed" in it is
 * what was typed, "solves" what `answer` says, both with full names. */
tc_attempt tc_judge_reply(const tc_task *t, const json_t *reply);
/* The n-th hint, from 0, of those that go with any answer; NULL: no more. */
const tc_task_line *tc_judge_hint(const tc_task *t, int n);

/* The two sides of an edit "OLD => NEW", \n in it a new line; malloc'd. False: it
 * has no "=>". */
bool tc_judge_sides(const char *edit, char **old, char **new);
/* An edit "OLD => NEW" done to a program, wherever OLD stands in it. False, and
 * nothing done: it does not. */
bool tc_judge_edit(const char *program, const char *edit, tc_buf *out);

#endif
