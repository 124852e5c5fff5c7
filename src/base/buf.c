/* buf.c - text that grows. */
#include "base/buf.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tc_buf_free(tc_buf *b) {
    free(b->data);
    *b = (tc_buf)TC_BUF_INIT;
}

void tc_buf_clear(tc_buf *b) {
    b->len = 0;
    if (b->data != NULL) {
        b->data[0] = '\0';
    }
}

static void reserve(tc_buf *b, size_t more) {
    size_t need = b->len + more + 1;
    if (need <= b->cap) {
        return;
    }
    size_t cap = b->cap ? b->cap : 64;
    while (cap < need) {
        cap *= 2;
    }
    b->data = tc_xrealloc(b->data, cap);
    b->cap = cap;
}

void tc_buf_write(tc_buf *b, const char *s, size_t len) {
    reserve(b, len);
    if (len > 0) {
        memcpy(b->data + b->len, s, len);
    }
    b->len += len;
    b->data[b->len] = '\0';
}

void tc_buf_putc(tc_buf *b, char c) {
    reserve(b, 1);
    b->data[b->len++] = c;
    b->data[b->len] = '\0';
}

void tc_buf_puts(tc_buf *b, const char *s) {
    tc_buf_write(b, s, strlen(s));
}

void tc_buf_vprintf(tc_buf *b, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    reserve(b, 128);
    size_t room = b->cap - b->len;
    int n = vsnprintf(b->data + b->len, room, fmt, ap);
    if (n > 0 && (size_t)n >= room) {
        reserve(b, (size_t)n);
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
    }
    b->len += n > 0 ? (size_t)n : 0;
    b->data[b->len] = '\0';
    va_end(again);
}

void tc_buf_printf(tc_buf *b, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    tc_buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void tc_buf_fill(tc_buf *b, char c, int n) {
    if (n <= 0) {
        return;
    }
    reserve(b, (size_t)n);
    memset(b->data + b->len, c, (size_t)n);
    b->len += (size_t)n;
    b->data[b->len] = '\0';
}

const char *tc_buf_text(const tc_buf *b) {
    return b->data ? b->data : "";
}

char *tc_buf_finish(tc_buf *b, tc_arena *a) {
    char *text = tc_strndup(a, tc_buf_text(b), b->len);
    tc_buf_free(b);
    return text;
}

void tc_buf_read(tc_buf *b, FILE *f) {
    char block[1 << 14];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0) {
        tc_buf_write(b, block, n);
    }
}

void tc_buf_clean(tc_buf *b, size_t from) {
    tc_buf all = TC_BUF_INIT;
    if (from >= b->len || (tc_utf8_valid(b->data + from, b->len - from) &&
                           memchr(b->data + from, 0, b->len - from) == NULL)) {
        return;
    }
    tc_buf_write(&all, b->data, from);
    for (size_t i = from; i < b->len;) {
        size_t n = tc_utf8_next(b->data + i, b->len - i);
        bool good = b->data[i] != '\0' && tc_utf8_valid(b->data + i, n);
        tc_buf_write(&all, good ? b->data + i : "\xef\xbf\xbd", good ? n : 3);
        i += n;
    }
    tc_buf_free(b);
    *b = all;
}
