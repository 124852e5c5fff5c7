/* verdict.h - what a grading comes to: data, which reply.c and formats.c show. */
#ifndef TC_GRADE_VERDICT_H
#define TC_GRADE_VERDICT_H

#include "base/arena.h"
#include "base/buf.h"
#include "grade/grade.h"
#include "grade/reasons.h"
#include <jansson.h>

typedef enum tc_test_status {
    TC_TEST_PASSED,
    TC_TEST_FAILED,
    TC_TEST_DEFERRED, /* it is not judged here, and counts neither way */
    TC_TEST_ERROR
} tc_test_status;

typedef struct tc_test {
    const char *name;
    bool hidden;
    tc_test_status status;
    bool not_run;
    tc_reason reason;
    const char *rule;    /* the measure of a rule, or NULL */
    const char *message; /* lines; "" or NULL: nothing to say */
    const char *hint;    /* of the exercise, or NULL */
    json_t *findings;    /* of this test, borrowed from `kept` */
    int points;          /* that it gives */
    const char *printed; /* the first of it, as far as it can be shown; NULL */
    uint64_t unprinted;  /* bytes of it that are not kept */
    double seconds;
} tc_test;

typedef struct tc_grade_result {
    tc_arena *arena; /* of everything here */
    const char *exercise, *title, *path;
    const char *student; /* for a class: the submission's base name */
    uint64_t seed;
    bool graded; /* it was begun: not asked for wrongly */
    tc_test *tests;
    int ntests, passed, score, most;
    json_t *findings;    /* of all tests, equal ones once; owned */
    json_t *kept;        /* a list a test; owned */
    tc_status status;    /* TC_OK, or why no case could run */
    const char *stopped; /* why not all were run */
    const char *error; /* why nothing can be said of the submission, or NULL */
    const char *refused; /* by the compiler, as text; NULL: it was not */
    const char *sandbox; /* what of it there is: "full", "off", ... */
    double seconds;
    const char *when; /* it began: ISO 8601, UTC */
} tc_grade_result;

/* grade.c: grades as tc_grade does, and says nothing. End it either way. */
tc_status tc_grade_verdict(const tc_grade_options *o, tc_grade_result *v,
                           tc_diag_fn diag, void *user);
void tc_verdict_end(tc_grade_result *v);
bool tc_verdict_passed(const tc_grade_result *v);
/* "submitted.cu" of a path. */
const char *tc_base_name(const char *path);
/* jansson takes no broken UTF-8. */
json_t *tc_verdict_text(const char *text);
/* A name that a stranger chose, on one line: what is no character, or one that a
 * terminal would obey, is '?'. */
const char *tc_verdict_plain(tc_arena *a, const char *text);
/* "line 12: kind: message; missing: ...": one finding. */
const char *tc_verdict_finding(tc_arena *a, const tc_grade_result *v,
                               const json_t *f);
/* All that is said of a test, hidden or not: message and findings. */
const char *tc_verdict_says(tc_arena *a, const tc_grade_result *v,
                            const tc_test *t);
/* Does the test fail for that: a reason, a finding's kind, a measure? */
bool tc_test_fails_for(const tc_test *t, const char *reason);

/* Adds the findings of a test (INTERFACE.md's), borrowed. */
void tc_verdict_findings(tc_grade_result *v, tc_test *t,
                         const json_t *findings);
/* Adds what the run noted that is no finding, where the test has failed. */
void tc_verdict_notes(tc_grade_result *v, tc_test *t, const json_t *notes);
/* Keeps what the submission has printed, total bytes in all. */
void tc_verdict_printed(tc_grade_result *v, tc_test *t, const tc_buf *printed,
                        uint64_t total);

/* reply.c: as text of that width, with colours; as JSON. */
void tc_verdict_put_text(const tc_grade_result *v, int width, bool color,
                         tc_buf *b);
void tc_verdict_put_json(const tc_grade_result *v, tc_buf *b);
/* formats.c: one row a format. NULL: there is no such one. */
typedef void tc_format_fn(const tc_grade_result *v, tc_buf *b);
tc_format_fn *tc_format_of(const char *name);
/* nbgrader's CSV: its head, and a row; score -1: none. In a class there is one
 * column more, similar_to; similar NULL: without it. */
void tc_format_csv_head(bool similar, tc_buf *b);
void tc_format_csv_row(const char *exercise, const char *when,
                       const char *student, int score, int most,
                       const char *similar, tc_buf *b);
extern const char *const tc_format_names[]; /* ended by NULL */

#endif
