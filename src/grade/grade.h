/* grade.h - grading a submission: a client of tilecopy.h.
 *
 * Each case of an exercise is a run of the submission in a process of its own,
 * with the exercise's host side (exercises/NAME/main.cu) linked to it. The
 * expected values never enter that process: what it leaves is compared here. */
#ifndef TC_GRADE_GRADE_H
#define TC_GRADE_GRADE_H

#include "tilecopy.h"

enum { TC_GRADE_LIMIT_S = 10 /* of each case, where nothing else is asked */ };

typedef struct tc_grade_options {
    const char *exercise; /* "maxpool15" */
    const char *path;     /* the submission */
    const char *format;   /* "text" or "json"; NULL: text */
    tc_options session;   /* backend, arch, timeout of each case */
    bool has_seed;        /* else a secret one is drawn */
    uint64_t seed;
    tc_session *outer; /* whose interrupts end it, or NULL */
} tc_grade_options;

/* Grades. Output is the verdict; what the compiler says, and what keeps the
 * grader from its work, are diagnostics. Returns TC_OK where all cases passed,
 * TC_FAILED where not, TC_USAGE for an unknown exercise or format, TC_REJECTED
 * where the submission does not compile, TC_NO_GPU. */
tc_status tc_grade(const tc_grade_options *o, tc_diag_fn diag,
                   tc_output_fn output, void *user);

/* Does so for the command `grade` of session s: a tc_grade_fn. */
tc_status tc_grade_command(tc_session *s, const char *exercise,
                           const char *path, const tc_options *options,
                           tc_diag_fn diag, tc_output_fn output, void *user);

/* The exercises' names, ended by NULL. */
const char *const *tc_grade_exercises(void);
/* One line about each. */
const char *tc_grade_about(const char *exercise);

#endif
