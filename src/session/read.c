/* read.c - files that the learner names. */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool tc_ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Bytes that a file may have: no program is so long, and a full trace of
 * TC_TRACE_LIMIT events has no more digits. */
static size_t most_bytes(const char *path) {
    return tc_ends_with(path, ".trace") ? (size_t)48 << 20 : (size_t)8 << 20;
}

char *tc_read_source(tc_session *s, tc_arena *a, const char *path, tc_span at,
                     size_t *len) {
    size_t most = most_bytes(path);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        tc_error(&s->diags, at, NULL, "cannot open '%s': %s", path,
                 strerror(errno));
        return NULL;
    }
    tc_buf text = TC_BUF_INIT;
    char block[1 << 14];
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0 && text.len <= most) {
        tc_buf_write(&text, block, n);
    }
    bool failed = ferror(f) != 0;
    int why = errno;
    fclose(f);
    *len = text.len;
    if (failed || text.len > most) {
        char large[40];
        snprintf(large, sizeof large, "it is larger than %zu MiB", most >> 20);
        tc_error(&s->diags, at, NULL, "cannot read '%s': %s", path,
                 failed ? strerror(why) : large);
        tc_buf_free(&text);
        return NULL;
    }
    return tc_buf_finish(&text, a);
}
