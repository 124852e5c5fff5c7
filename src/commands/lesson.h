/* lesson.h - the lessons that come with the program. */
#ifndef TC_SESSION_LESSON_H
#define TC_SESSION_LESSON_H

#include "session/session.h"

/* Calls fn for the name of each lesson, in order ("01-first-steps"). */
void tc_lesson_names(void (*fn)(void *user, const char *name), void *user);

#endif
