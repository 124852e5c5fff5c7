/* lesson.h - the lessons that come with the program. */
#ifndef TC_SESSION_LESSON_H
#define TC_SESSION_LESSON_H

#include "session/session.h"

/* Calls fn for the name of each lesson, in order ("01-first-steps"). */
void tc_lesson_names(void (*fn)(void *user, const char *name), void *user);

/* --- explain.c -------------------------------------------------------------*/

/* Calls fn for each term of the glossary. */
void tc_explain_names(void (*fn)(void *user, const char *name), void *user);
/* Answers with a term's entry; false, and nothing answered: there is none. */
bool tc_explain_answer(tc_session *s, const char *term, tc_reply *r);

#endif
