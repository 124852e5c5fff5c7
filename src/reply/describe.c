/* describe.c - words that several commands share. */
#include "base/utf8.h"
#include "reply/reply.h"

#include <string.h>

void tc_describe_region(tc_buf *b, const tc_region *r) {
    tc_buf_printf(b, "%s[", r->buffer->name);
    for (int i = 0; i < r->buffer->rank; i++) {
        const tc_range *g = &r->range[i];
        int64_t min;
        tc_buf_puts(b, i ? ", " : "");
        if (tc_expr_const(g->min, &min)) {
            tc_buf_printf(b, "%lld:%lld", (long long)min,
                          (long long)(min + g->extent));
            continue;
        }
        tc_ir_print_expr(b, g->min);
        tc_buf_puts(b, ":");
        tc_ir_print_expr(b, g->min);
        tc_buf_printf(b, " + %lld", (long long)g->extent);
    }
    tc_buf_putc(b, ']');
}

/* One line, blanks squeezed, cut with "..." at width columns. */
void tc_describe_source(tc_buf *b, tc_span span, int width) {
    if (span.source == NULL || width < 4) {
        return;
    }
    const char *p = span.source->text + span.begin;
    size_t len = span.end - span.begin;
    tc_buf line = TC_BUF_INIT;
    for (size_t i = 0; i < len; i++) {
        bool blank = strchr(" \t\r\n", p[i]) != NULL;
        if (blank && line.len > 0 && line.data[line.len - 1] == ' ') {
            continue;
        }
        tc_buf_putc(&line, blank ? ' ' : p[i]);
    }
    const char *text = tc_buf_text(&line);
    size_t at = 0;
    bool cut = tc_utf8_count(text, line.len) > width;
    for (int n = 0; at < line.len && n < (cut ? width - 3 : width); n++) {
        at += tc_utf8_next(text + at, line.len - at);
    }
    tc_buf_write(b, text, at);
    tc_buf_puts(b, cut ? "..." : "");
    tc_buf_free(&line);
}

const char *tc_describe_line(const tc_source *src, int line, int *len) {
    if (src == NULL || line < src->first_line) {
        return NULL;
    }
    const char *p = src->text, *end = src->text + src->len;
    for (int i = src->first_line; i < line; i++) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        if (nl == NULL) {
            return NULL;
        }
        p = nl + 1;
    }
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    *len = (int)((nl ? nl : end) - p);
    return p;
}

void tc_describe_count(tc_buf *b, uint64_t n) {
    if (n >= 1000) {
        tc_describe_count(b, n / 1000);
        tc_buf_printf(b, ",%03u", (unsigned)(n % 1000));
    } else {
        tc_buf_printf(b, "%u", (unsigned)n);
    }
}

const char *tc_describe_plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* Writes text with its lines no longer than width, indenting the further ones.
 */
void tc_describe_wrapped(tc_buf *b, const char *text, int column, int indent,
                         int width) {
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        int n = tc_utf8_count(text, word);
        if (column > indent && column + 1 + n > width) {
            tc_buf_putc(b, '\n');
            tc_buf_fill(b, ' ', indent);
            column = indent;
        } else if (column > indent) {
            tc_buf_putc(b, ' ');
            column++;
        }
        tc_buf_write(b, text, word);
        column += n;
        text += word;
        text += strspn(text, " ");
    }
    tc_buf_putc(b, '\n');
}

void tc_describe_issues(tc_buf *b, const tc_verdict *v, const char *lead) {
    for (int i = 0; i < v->nissues; i++) {
        const tc_issue *u = &v->issues[i];
        tc_buf_printf(b, "%s%s", lead, tc_ops[u->op].name);
        if (u->bytes > 0) {
            tc_buf_printf(b, " of %lld bytes", (long long)u->bytes);
        }
        for (int k = 0; u->ints != NULL && k < u->nints; k++) {
            tc_buf_printf(b, "%s%lld", k > 0 ? ", " : " [",
                          (long long)u->ints[k]);
        }
        tc_buf_puts(b, u->ints != NULL && u->nints > 0 ? "]" : "");
        if (u->str != NULL && u->str[0] != '\0') {
            tc_buf_printf(b, " %s", u->str);
        }
        if (u->times >= 0) {
            tc_buf_printf(b, ", %lld time%s a thread", (long long)u->times,
                          u->times == 1 ? "" : "s");
        }
        tc_buf_putc(b, '\n');
    }
}
