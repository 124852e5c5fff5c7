/* reply.h - a verdict, and its forms. */
#ifndef TC_GRADE_REPLY_H
#define TC_GRADE_REPLY_H

#include "base/arena.h"
#include "base/buf.h"
#include "grade/grade.h"
#include <jansson.h>

typedef enum tc_test_status {
    TC_TEST_PASSED,
    TC_TEST_FAILED,
    TC_TEST_DEFERRED, /* staged credit: not used yet */
    TC_TEST_ERROR
} tc_test_status;

typedef struct tc_test {
    const char *name;
    bool hidden;
    tc_test_status status;
    bool not_run;
    const char *message;   /* lines; "" or NULL: nothing to say */
    const char **findings; /* a sentence each */
    int nfindings;
    const char *defects; /* kinds and lines of the findings; NULL: none */
    const char *printed; /* the first of it, as far as it can be shown; NULL */
    uint64_t unprinted;  /* bytes of it that are not kept */
} tc_test;

typedef struct tc_grade_verdict {
    tc_arena *arena; /* of everything here */
    const char *exercise, *path;
    uint64_t seed;
    tc_test *tests;
    int ntests, passed;
    json_t *findings;    /* of all tests, equal ones once; owned */
    tc_status status;    /* TC_OK, or why no case could run */
    const char *stopped; /* why not all were run */
    const char *error; /* why nothing can be said of the submission, or NULL */
    const char *refused; /* by the compiler, as text; NULL: it was not */
} tc_grade_verdict;

/* Adds the findings of a test (INTERFACE.md's), borrowed. */
void tc_verdict_findings(tc_grade_verdict *v, tc_test *t,
                         const json_t *findings);

/* Adds what the run noted that is no finding, where the test has failed. */
void tc_verdict_notes(tc_grade_verdict *v, tc_test *t, const json_t *notes);
/* Keeps what the submission has printed, total bytes in all. */
void tc_verdict_printed(tc_grade_verdict *v, tc_test *t, const tc_buf *printed,
                        uint64_t total);

/* The verdict as o->format wants it. As text a submission that was refused has
 * none: the compiler's messages are diagnostics. */
void tc_verdict_say(const tc_grade_verdict *v, const tc_grade_options *o,
                    tc_output_fn output, void *user);

#endif
