/* texts.h - reading files, and parts of texts in order, for tests. */
#ifndef TC_TESTS_TEXTS_H
#define TC_TESTS_TEXTS_H

#include "base/buf.h"
#include <stdio.h>
#include <string.h>

static inline char *read_text(const char *path) {
    tc_buf b = TC_BUF_INIT;
    char chunk[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) {
        tc_buf_write(&b, chunk, n);
    }
    fclose(f);
    return b.data;
}

/* All of parts stand in text, in that order. */
static inline void in_order(const char *text, const char *const *parts, int n) {
    const char *at = text;
    for (int i = 0; i < n; i++) {
        const char *found = strstr(at, parts[i]);
        if (found == NULL) {
            fprintf(stderr, "missing (in this order): %s\n%s\n", parts[i],
                    text);
            fail();
        }
        at = found + strlen(parts[i]);
    }
}

#define ORDER(text, parts) in_order(text, parts, sizeof parts / sizeof *parts)

#endif
