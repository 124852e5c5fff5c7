/* buf.h - a growing text buffer. Always NUL-terminated once written to. */
#ifndef TC_BASE_BUF_H
#define TC_BASE_BUF_H

#include "base/arena.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct tc_buf {
    char *data; /* owned, malloc'd; NULL while empty */
    size_t len, cap;
} tc_buf;

#define TC_BUF_INIT                                                            \
    { 0 }

void tc_buf_free(tc_buf *b); /* and makes it empty again */
void tc_buf_clear(tc_buf *b);
void tc_buf_putc(tc_buf *b, char c);
void tc_buf_puts(tc_buf *b, const char *s);
void tc_buf_write(tc_buf *b, const char *s, size_t len);
void tc_buf_printf(tc_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void tc_buf_vprintf(tc_buf *b, const char *fmt, va_list ap);
void tc_buf_read(tc_buf *b, FILE *f);       /* all that is left of a file */
void tc_buf_fill(tc_buf *b, char c, int n); /* n <= 0 writes nothing */
const char *tc_buf_text(const tc_buf *b);   /* "" while empty */

/* Copies the text into the arena and frees the buffer. */
char *tc_buf_finish(tc_buf *b, tc_arena *a);

/* From that byte on: what is no UTF-8, and each 0, becomes U+FFFD. */
void tc_buf_clean(tc_buf *b, size_t from);

#endif
