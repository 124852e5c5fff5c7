/* read.c - files that the learner names. */
#include "session/session.h"

#include "base/cancel.h"
#include "base/file.h"
#include "base/near/near.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool tc_ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Bytes that a file may have: no program is so long, and a full trace of
 * TC_TRACE_LIMIT events has no more digits. */
static size_t most_bytes(const char *path) {
    return tc_ends_with(path, ".trace") ? (size_t)192 << 20 : (size_t)8 << 20;
}

char *tc_read_source(tc_session *s, tc_arena *a, const char *path, tc_span at,
                     size_t *len) {
    tc_buf text = TC_BUF_INIT;
    char why[TC_FILE_WHY];
    if (!tc_file_read(&text, path, most_bytes(path), &s->cancel, why)) {
        s->fault = tc_lacks_room(errno) ? "machine" : s->fault;
        if (tc_cancelled()) {
            tc_error(&s->diags, at, NULL, "%s while '%s' was read",
                     tc_cancel_why(), path);
            tc_buf_free(&text);
            return NULL;
        }
        tc_error(&s->diags, at, tc_file_near(a, path), "cannot %s '%s': %s",
                 access(path, R_OK) == 0 ? "read" : "open", path, why);
        tc_buf_free(&text);
        return NULL;
    }
    *len = text.len;
    return tc_buf_finish(&text, a);
}

bool tc_write_text(tc_session *s, const char *path, tc_span at,
                   const tc_buf *text) {
    char why[TC_FILE_WHY];
    bool ok =
        tc_file_write(path, tc_buf_text(text), text->len, &s->cancel, why);
    if (!ok && tc_cancelled()) {
        tc_error(&s->diags, at, NULL, "%s while '%s' was written",
                 tc_cancel_why(), path);
    } else if (!ok) {
        tc_error(&s->diags, at, NULL, "cannot write '%s': %s", path, why);
    }
    return ok;
}
