/* diag.c - messages about places in a source, with a caret. */
#include "base/diag.h"
#include "base/buf.h"
#include "base/cancel.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

tc_span tc_span_join(tc_span a, tc_span b) {
    if (a.source == NULL) {
        return b;
    }
    if (b.source == a.source && b.end > a.end) {
        a.end = b.end;
    }
    return a;
}

/* Offset of the first byte of the line that holds offset at. */
static size_t line_begin(const tc_source *s, size_t at) {
    while (at > 0 && s->text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static size_t clamped(tc_span s, uint32_t at) {
    return at < s.source->len ? at : s.source->len;
}

int tc_span_line(tc_span s) {
    if (s.source == NULL) {
        return 0;
    }
    int line = s.source->first_line;
    size_t end = clamped(s, s.begin);
    const char *p = s.source->text, *stop = p + end;
    while ((p = memchr(p, '\n', (size_t)(stop - p))) != NULL) {
        line++;
        p++;
    }
    return line;
}

int tc_span_col(tc_span s) {
    if (s.source == NULL) {
        return 0;
    }
    size_t at = clamped(s, s.begin);
    return (int)(at - line_begin(s.source, at)) + 1;
}

static void fill_place(tc_diag *d, tc_span span, tc_buf *line_text) {
    const tc_source *src = span.source;
    size_t at = clamped(span, span.begin);
    size_t end = clamped(span, span.end);
    size_t begin = line_begin(src, at);
    const char *nl = memchr(src->text + begin, '\n', src->len - begin);
    size_t stop = nl ? (size_t)(nl - src->text) : src->len;
    tc_buf_write(line_text, src->text + begin, stop - begin);
    if (end > stop) {
        end = stop;
    }
    d->file = src->name;
    d->line = tc_span_line(span);
    d->col = tc_utf8_count(src->text + begin, at - begin) + 1;
    d->end_col = end > at ? d->col + tc_utf8_count(src->text + at, end - at)
                          : d->col + 1;
    d->source_line = tc_buf_text(line_text);
}

/* diag: all but message and place. */
static void report(tc_diags *d, tc_diag diag, tc_span span, const char *fmt,
                   va_list ap) {
    if (diag.severity == TC_ERROR) {
        d->errors++;
    }
    if (d->fn == NULL) {
        return;
    }
    tc_buf message = TC_BUF_INIT, line_text = TC_BUF_INIT;
    tc_buf_vprintf(&message, fmt, ap);
    diag.message = tc_buf_text(&message);
    if (span.source != NULL) {
        fill_place(&diag, span, &line_text);
    }
    d->fn(d->user, &diag);
    tc_buf_free(&message);
    tc_buf_free(&line_text);
}

void tc_diag_report(tc_diags *d, tc_severity severity, tc_span span,
                    const char *hint, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    report(d, (tc_diag){.severity = severity, .hint = hint}, span, fmt, ap);
    va_end(ap);
}

void tc_error_coded(tc_diags *d, tc_coded coded, tc_span span, const char *hint,
                    const char *fmt, ...) {
    tc_diag diag = {.severity = TC_ERROR,
                    .hint = hint,
                    .code = coded.code,
                    .subject = coded.subject};
    va_list ap;
    va_start(ap, fmt);
    report(d, diag, span, fmt, ap);
    va_end(ap);
}

enum { LONGEST_WORD = 63 };

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance, case ignored; words are short. */
static int distance(const char *a, int n, const char *b, int m) {
    int d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (int i = 0; i <= n; i++) {
        d[i][0] = i;
    }
    for (int j = 0; j <= m; j++) {
        d[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        for (int j = 1; j <= m; j++) {
            int ca = tolower((unsigned char)a[i - 1]);
            int cb = tolower((unsigned char)b[j - 1]);
            int best = least(d[i - 1][j], d[i][j - 1]) + 1;
            best = least(best, d[i - 1][j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2])) {
                best = least(best, d[i - 2][j - 2] + 1);
            }
            d[i][j] = best;
        }
    }
    return d[n][m];
}

const char *tc_diag_nearest(const char *word, const char *const *candidates,
                            int n) {
    size_t len = strlen(word);
    if (len == 0 || len > LONGEST_WORD) {
        return NULL;
    }
    const char *best = NULL;
    /* what still looks like a typo: one in three letters, two in six, ... */
    int best_distance = (len < 3 ? 1 : len < 9 ? (int)len / 3 : 3) + 1;
    for (int i = 0; i < n; i++) {
        size_t m = strlen(candidates[i]);
        if (m == 0 || m > LONGEST_WORD) {
            continue;
        }
        int d = distance(word, (int)len, candidates[i], (int)m);
        if (d < best_distance && d < (int)len) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}

bool tc_diag_cancelled(tc_diags *d, const char *doing) {
    tc_error(d, TC_NOWHERE, NULL, "%s while %s", tc_cancel_why(), doing);
    return false;
}
