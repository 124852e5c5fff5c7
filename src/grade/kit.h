/* kit.h - folders that run an exercise elsewhere: Gradescope, GitHub Classroom,
 * Slurm. Their scripts are src/tools/kit's, which our program carries. */
#ifndef TC_GRADE_KIT_H
#define TC_GRADE_KIT_H

#include "tilecopy.h"
#include <stdbool.h>

bool tc_kit_is(const char *word); /* "gradescope" */
/* `exercise gradescope NAME`: makes the folder NAME-gradescope. */
tc_status tc_kit_make(const char *word, const char *name, tc_diag_fn diag,
                      tc_output_fn output, void *user);

#endif
