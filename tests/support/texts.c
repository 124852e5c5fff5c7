/* texts.c - reading files, and parts of texts in order. */
#include "texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

char *read_text(const char *path) {
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

void in_order(const char *text, const char *const *parts, int n) {
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
