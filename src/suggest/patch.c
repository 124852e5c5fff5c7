/* patch.c - edits as changes of text. Lines are neither added nor removed, so
 * that every change can be named by its line. */
#include "suggest/internal.h"

#include <string.h>

/* Patches in order of place; those at one place in the order they were made. */
static void sort(tc_patch *p, int n) {
    for (int i = 1; i < n; i++) {
        for (int k = i; k > 0 && p[k].begin < p[k - 1].begin; k--) {
            tc_patch t = p[k];
            p[k] = p[k - 1];
            p[k - 1] = t;
        }
    }
}

/* A replaced stretch keeps its line ends; it stands in brackets then. */
static void keep_lines(tc_buf *b, const char *text, uint32_t begin,
                       uint32_t end) {
    for (uint32_t i = begin; i < end; i++) {
        if (text[i] == '\n') {
            tc_buf_putc(b, '\n');
        }
    }
}

char *tc_patch_apply(tc_arena *a, const char *text, size_t len,
                     const tc_edit *edit, size_t *out_len) {
    tc_buf b = TC_BUF_INIT;
    tc_patch *p = TC_NEWN(a, tc_patch, edit->n + 1);
    uint32_t at = 0;
    if (edit->n > 0) {
        memcpy(p, edit->patches, sizeof *p * (size_t)edit->n);
    }
    sort(p, edit->n);
    for (int i = 0; i < edit->n; i++) {
        if (p[i].begin < at || p[i].end > len) {
            tc_buf_free(&b);
            return NULL;
        }
        tc_buf_write(&b, text + at, p[i].begin - at);
        tc_buf_puts(&b, p[i].text);
        keep_lines(&b, text, p[i].begin, p[i].end);
        at = p[i].end;
    }
    tc_buf_write(&b, text + at, len - at);
    *out_len = b.len;
    return tc_buf_finish(&b, a);
}

static size_t line_length(const char *s) {
    return strcspn(s, "\n");
}

void tc_patch_diff(tc_arena *a, const char *from, const char *to,
                   int first_line, tc_suggestion *out) {
    int cap = 0;
    for (int line = first_line; *from != '\0' || *to != '\0'; line++) {
        size_t n = line_length(from), m = line_length(to);
        if (n != m || memcmp(from, to, n) != 0) {
            tc_change c = {line, tc_strndup(a, from, n), tc_strndup(a, to, m)};
            TC_PUSH(a, out->changes, out->nchanges, cap, c);
        }
        from += n + (from[n] == '\n');
        to += m + (to[m] == '\n');
    }
}
