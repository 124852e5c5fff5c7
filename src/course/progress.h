/* progress.h - what a learner has done, in the user's state folder
 * (tilecopy-repl/progress.json):
 *
 *     {"lessons": {"05-two-buffers": {"step": 2, "item": 4,
 *                                     "done": {"Predict it#1": true}}}}
 *
 * The file is replaced whole, under a lock: two sessions lose nothing. */
#ifndef TC_COURSE_PROGRESS_H
#define TC_COURSE_PROGRESS_H

#include "base/file.h"
#include <jansson.h>
#include <stdbool.h>

/* What is known of a lesson; a new reference. Never NULL. */
json_t *tc_progress_of(const char *lesson);
bool tc_progress_done(const json_t *of, const char *task);
int tc_progress_count(const json_t *of); /* tasks done */

/* Each false after saying why: nothing is kept then. */
bool tc_progress_place(const char *lesson, int step, int item,
                       char why[TC_FILE_WHY]);
bool tc_progress_task(const char *lesson, const char *task,
                      char why[TC_FILE_WHY]);
bool tc_progress_reset(const char *lesson, char why[TC_FILE_WHY]);

#endif
