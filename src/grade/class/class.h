/* class.h - the submissions of a folder, while they are graded together. */
#ifndef TC_GRADE_CLASS_CLASS_H
#define TC_GRADE_CLASS_CLASS_H

#include "grade/class/similar.h"
#include "grade/grading.h"
#include <sys/types.h>

typedef struct tc_submission {
    const char *student, *path;
    const char *verdict, *key; /* files of what is done */
    const char *hash;          /* of what was submitted; NULL: unreadable */
    tc_prints prints;
    pid_t pid;       /* 0: not under way */
    bool mine;       /* of this shard */
    bool done, kept; /* kept: by an earlier run */
    json_t *result;  /* owned; NULL: none */
} tc_submission;

typedef struct tc_class_run {
    const tc_class_options *o;
    const tc_exercise *e;
    tc_arena *a;
    tc_diags d;
    const char *state; /* the folder of what is done */
    const char *seed;
    tc_submission *all;
    int n, cap;
    tc_similar *similar;
    int nsimilar;
} tc_class_run;

bool tc_class_stopped(const tc_class_run *c);
/* reply.c: the list, as text, CSV or JSON; frees the results. */
tc_status tc_class_put(tc_class_run *c, tc_output_fn output, void *user);

#endif
