/* grading.h - one grading while it goes on. */
#ifndef TC_GRADE_GRADING_H
#define TC_GRADE_GRADING_H

#include "base/diag.h"
#include "grade/case.h"
#include "grade/files.h"
#include "grade/verdict.h"
#include "sandbox/sandbox.h"

typedef struct tc_grading {
    const tc_grade_options *o;
    const tc_exercise *exercise;
    tc_session *session, *other; /* other: with another backend, or NULL */
    tc_backend other_is;
    tc_grade_result *verdict;
    const char *main; /* the source that makes the calls */
    uint64_t seed;
    tc_diag_fn diag;
    void *user;
    tc_buf said; /* errors of the case under way, but the compiler's messages */
    tc_buf compiler;    /* its words, of the first case */
    const char *hint;   /* of the last of those errors, or NULL */
    const char *folder; /* of this grading's own */
    const char *cache;  /* the same, or NULL: the user's */
    tc_sandbox box;
    bool boxed;     /* box is used */
    bool built;     /* some case has run */
    double limit_s; /* of a case; 0: none */
    double left_s;  /* of the time that all cases together may take */
} tc_grading;

/* run.c: one test. False: no further one can run. */
bool tc_grading_test(tc_grading *g, int number, tc_test *t);
/* Puts off a test that only a GPU can run, where there is none. */
bool tc_grading_put_off(const tc_grading *g, const tc_exercise_test *x,
                        tc_test *t);
/* Runs a case in a session; *report gets its report, which is then the caller's.
 */
bool tc_grading_case(tc_grading *g, tc_session *s, tc_case *c, tc_test *t,
                     json_t **report);
/* A session like the grading's with that backend; its own where it is the same.
 */
tc_session *tc_grading_session(tc_grading *g, tc_backend backend);
/* rules.c: the tests of structure and speed, in order; how many there are. */
int tc_grading_nrules(const tc_exercise *e);
void tc_grading_rules(tc_grading *g, tc_test *rules);
bool tc_grading_interrupted(const tc_grading *g);
/* No case can be graded any more, and nobody's submission is to blame. */
bool tc_grading_stop(tc_grading *g, tc_test *t, const char *why);
void tc_grading_rule(tc_grading *g, const tc_case *c, const tc_rule *r,
                     const json_t *report, tc_test *t);
/* grade.c: has the test failed for what the grading looks for? */
bool tc_grading_enough(const tc_grading *g, const tc_test *t);
/* grade.c: the exercise's hint for what the test is lost for, or NULL. */
const char *tc_grading_hint(const tc_grading *g, const tc_test *t);
/* find.c: the folder of an exercise, by its name or as a path; false: it has no
 * exercise.yml. And the names of those that come with the program. */
bool tc_grade_find(tc_arena *a, const char *name, char *path, size_t size);
const char *const *tc_grade_exercises(tc_arena *a, int *n);
/* grade.c: the exercise of that name; NULL after saying why not. */
const tc_exercise *tc_grade_exercise(tc_arena *a, const char *name, tc_diags *d,
                                     tc_status *status);
/* tirx.c: a program of TVMScript, all of its tests. */
void tc_grading_tirx(tc_grading *g);

#endif
