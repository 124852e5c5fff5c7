/* lines.h - which line of the learner's program each line of a text is from. */
#ifndef TC_BASE_LINES_H
#define TC_BASE_LINES_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct tc_line_mark {
    size_t at; /* bytes from the text's beginning */
    int line;  /* 0: no line of the program */
} tc_line_mark;

/* In rising order of `at`; each holds up to the next. All in the arena. */
typedef struct tc_lines {
    tc_arena *arena;
    tc_line_mark *marks;
    int n, cap;
} tc_lines;

/* What is written from byte `at` on comes from a line. lines may be NULL. */
void tc_lines_mark(tc_lines *lines, size_t at, int line);

/* Writes those lines of a text, whole, that begin where a mark of `line` holds,
 * without the blanks that all of them begin with. The text's own beginning lies
 * `shift` bytes before that of the marks. Returns how many lines. */
int tc_lines_pick(const tc_lines *lines, const char *text, size_t shift,
                  int line, tc_buf *out);

/* The line that each line of the text is from, 0 none: out has room for n of
 * them. Returns how many lines the text has. */
int tc_lines_origins(const tc_lines *lines, const char *text, size_t shift,
                     int *out, int n);

#endif
