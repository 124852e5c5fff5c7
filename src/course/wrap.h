/* wrap.h - text with styles, broken between words to a terminal's width.
 *
 * A styled text is UTF-8 with marks in it, of no width: TC_MARK_BOLD,
 * TC_MARK_CODE and TC_MARK_LINK begin a style that TC_MARK_OFF ends;
 * TC_MARK_BLANK is a blank at which no line ends. A newline ends a line. */
#ifndef TC_COURSE_WRAP_H
#define TC_COURSE_WRAP_H

#include "base/buf.h"
#include <stdbool.h>

enum {
    TC_MARK_BOLD = 1,
    TC_MARK_CODE,
    TC_MARK_LINK,
    TC_MARK_OFF,
    TC_MARK_BLANK,
    TC_MARK_CELL /* a table's "|", for markdown.c alone */
};

typedef struct tc_wrap {
    int width;         /* columns, prefixes included */
    bool ansi;         /* styles by escape sequences; else none */
    const char *first; /* before the first line */
    const char *next;  /* before each further one */
} tc_wrap;

/* The code point at s, of n bytes at least 1; *len gets its bytes. */
unsigned tc_wrap_char(const char *s, size_t n, size_t *len);
/* Is it drawn two columns wide (Chinese, Japanese, Korean, emoji)? */
bool tc_wrap_is_wide(unsigned c);
/* Columns of styled text; marks have none. */
int tc_wrap_columns(const char *s, size_t n);
/* Appends styled text in lines no wider than w->width, where words allow it. */
void tc_wrap_text(tc_buf *out, const char *text, const tc_wrap *w);
/* The same on one line, without its end, filled with blanks to columns. */
void tc_wrap_cell(tc_buf *out, const char *text, size_t n, int columns,
                  bool ansi);

#endif
