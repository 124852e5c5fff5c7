/* exercise.h - the exercises that come with the program. */
#ifndef TC_SESSION_EXERCISE_H
#define TC_SESSION_EXERCISE_H

#include "session/session.h"

/* Calls fn for the name of each exercise, in order ("maxpool15"). */
void tc_exercise_names(void (*fn)(void *user, const char *name), void *user);

#endif
