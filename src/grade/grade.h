/* grade.h - grading a submission: a client of tilecopy.h.
 *
 * Each test of an exercise is a run of the submission in a process of its own,
 * in a sandbox, whose calls get memory that this process has made. Neither the
 * data nor what is expected enter that process: the memory is read and compared
 * here, and so is what its kernels did. */
#ifndef TC_GRADE_GRADE_H
#define TC_GRADE_GRADE_H

#include "tilecopy.h"

enum {
    TC_GRADE_LIMIT_S = 10,     /* of each test, where nothing else is asked */
    TC_GRADE_LARGEST = 1 << 20 /* bytes of a submission */
};

typedef enum tc_grade_sandbox {
    TC_GRADE_AUTO, /* as much as the machine gives */
    TC_GRADE_REQUIRE,
    TC_GRADE_OFF
} tc_grade_sandbox;

typedef struct tc_grade_options {
    const char *exercise; /* "maxpool15" */
    const char *path;     /* the submission */
    const char *format;   /* of formats.c; NULL: text */
    tc_options session;   /* backend, arch, timeout of each test; 0 of that
                             with has_timeout: none */
    bool has_timeout;     /* else as the exercise says */
    bool has_seed;        /* else a secret one is drawn */
    uint64_t seed;
    bool color;
    bool trusted; /* the submission is the exercise's own: builds are kept */
    const char *until, *until_says; /* a test that fails for this reason (see
                                       tc_hint), with these words, is enough: the
                                       others need not be run. Or NULL */
    tc_grade_sandbox sandbox;
    tc_session *outer; /* whose interrupts end it, or NULL */
} tc_grade_options;

/* Grades. Output is the verdict; what the compiler says, and what keeps the
 * grader from its work, are diagnostics. Returns TC_OK where all points were
 * got, TC_FAILED where not, TC_USAGE for an unknown exercise or format,
 * TC_REJECTED where the submission does not compile, TC_NO_GPU, TC_MACHINE. */
tc_status tc_grade(const tc_grade_options *o, tc_diag_fn diag,
                   tc_output_fn output, void *user);

/* The verdict of a grading that has not ended: whatever becomes of this
 * process, a file with it is no false one. */
void tc_grade_unfinished(const tc_grade_options *o, tc_output_fn output,
                         void *user);

/* Does so for the command `grade` of session s: a tc_grade_fn. */
tc_status tc_grade_command(tc_session *s, const char *exercise,
                           const char *path, const tc_options *options,
                           tc_diag_fn diag, tc_output_fn output, void *user);

/* A class: every submission of a folder. */
typedef struct tc_class_options {
    tc_grade_options each; /* path: the folder */
    int jobs;              /* 0: one a processor */
    int shard, shards;     /* of the submissions each shards-th from shard on,
                              1 <= shard <= shards; shards 0: all */
    const char *program;   /* this one, to be started for each */
} tc_class_options;
tc_status tc_grade_class(const tc_class_options *o, tc_diag_fn diag,
                         tc_output_fn output, void *user);

/* `exercise new NAME` and `exercise check NAME`; folder: where exercises are,
 * or the exercise's own. */
tc_status tc_exercise_new(const char *name, tc_diag_fn diag,
                          tc_output_fn output, void *user);
tc_status tc_exercise_check(const char *name, const tc_options *session,
                            tc_session *outer, tc_diag_fn diag,
                            tc_output_fn output, void *user);

#endif
