/* library.h - the lessons that come with the program: files NN-name.md of the
 * folder lessons/, and translations NN-name.zh.md. */
#ifndef TC_COURSE_LIBRARY_H
#define TC_COURSE_LIBRARY_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>

enum { TC_LESSON_NAME = 256 };

/* Calls fn for the name of each lesson, in order ("01-first-steps"), with a
 * translation in the place of the lesson where the user's language has one;
 * all: each file, translations too. */
void tc_library_each(bool all, void (*fn)(void *user, const char *name),
                     void *user);
/* The lesson that a learner means: 5, 05, 05-two, two-buffers, 05.zh. Returns
 * how many it may be; name is one of them. */
int tc_library_find(const char *word, char name[TC_LESSON_NAME]);
/* Where a lesson's file is, or NULL. In arena a. */
char *tc_library_path(tc_arena *a, const char *name);
/* The text of a file of at most some megabytes, or NULL. In arena a. */
char *tc_library_text(tc_arena *a, const char *path);
/* A program's place, wherever the program is called from: "lessons/ldgsts.py".
 * NULL: there is none. In arena a. */
char *tc_library_program(tc_arena *a, const char *path);

#endif
