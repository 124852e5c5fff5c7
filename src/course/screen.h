/* screen.h - a lesson cut into what a terminal shows at once. */
#ifndef TC_COURSE_SCREEN_H
#define TC_COURSE_SCREEN_H

#include "course/lesson.h"
#include "course/markdown.h"

typedef struct tc_lesson_screen {
    int step, item;      /* the first block on it */
    const tc_task *task; /* what it asks at its end; or NULL */
    const char *text;    /* without head and foot; ends with a newline */
} tc_lesson_screen;

typedef struct tc_lesson_screens {
    tc_lesson_screen *items;
    int n, cap;
} tc_lesson_screens;

enum { TC_SCREEN_FRAME = 5 }; /* rows of head, foot and prompt */

/* In arena a. rows: those of the terminal, 0 for a screen without end. A screen
 * has blocks of one step, and ends behind a task. */
void tc_lesson_screens_make(tc_arena *a, const tc_lesson *l,
                            const tc_markdown_style *style, int rows,
                            tc_lesson_screens *out);
/* The screen that shows an item of a step, or the nearest before it. */
int tc_lesson_screens_find(const tc_lesson_screens *s, int step, int item);

#endif
