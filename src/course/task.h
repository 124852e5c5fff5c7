/* task.h - reading the comment that says what a task checks. */
#ifndef TC_COURSE_TASK_H
#define TC_COURSE_TASK_H

#include "course/lesson.h"

/* Is a block of HTML such a comment? */
bool tc_task_is(const char *html);
/* Reads one that stands at that line of the source. NULL after reporting. */
tc_task *tc_task_read(tc_arena *a, const tc_source *src, const char *html,
                      int line, tc_diags *d);
/* All of a line of the source, from 1. */
tc_span tc_task_line_span(const tc_source *src, int line);

#endif
