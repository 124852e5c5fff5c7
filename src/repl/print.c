/* A source line is turned into cells: one for each character, with the columns
 * it takes, so that the caret stands right under tabs and wide characters. */
#include "repl/print.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { TAB = 4, MARGIN = 4, INDENT = 2, SHORTEST = 20 };

static const char *sgr(const tc_printer *p, const char *code) {
    return p->color ? code : "";
}

/* Code point of the sequence of n bytes at s; U+FFFD for an invalid byte. */
static wchar_t code_point(const char *s, size_t n) {
    static const unsigned char lead[] = {0, 0, 0x1f, 0x0f, 0x07};
    const unsigned char *u = (const unsigned char *)s;
    if (n == 1) {
        return u[0] < 0x80 ? u[0] : 0xfffd;
    }
    wchar_t c = u[0] & lead[n];
    for (size_t i = 1; i < n; i++) {
        c = c << 6 | (u[i] & 0x3f);
    }
    return c;
}

/* One character as it may be shown: what would move the cursor or change the
 * terminal becomes '?'. Returns its columns. */
static int put_char(tc_buf *b, const char *s, size_t n) {
    wchar_t c = code_point(s, n);
    int w = c < 0x80 ? (c >= 0x20 && c != 0x7f ? 1 : -1) : wcwidth(c);
    if (w < 0 || c == 0xfffd) {
        tc_buf_putc(b, '?');
        return 1;
    }
    tc_buf_write(b, s, n);
    return w;
}

/* The word at s, up to a blank: its bytes, and the columns it takes. */
static size_t measure(const char *s, int *columns) {
    size_t end = strcspn(s, " \n");
    tc_buf b = TC_BUF_INIT;
    *columns = 0;
    for (size_t i = 0, n; i < end; i += n) {
        n = tc_utf8_next(s + i, end - i);
        *columns += put_char(&b, s + i, n);
    }
    tc_buf_free(&b);
    return end;
}

/* A message or hint that begins at column at; newlines may stay. Where the
 * printer wraps, a word that does not fit goes to the next line. */
static void put_text(const tc_printer *p, tc_buf *b, int at, const char *s) {
    while (*s != '\0') {
        int columns;
        size_t len = measure(s, &columns);
        if (len == 0) {
            at = *s == '\n' ? 0 : at + 1;
            tc_buf_putc(b, *s++);
            continue;
        }
        if (p->wrap && at > INDENT && at + columns > p->width) {
            while (b->len > 0 && b->data[b->len - 1] == ' ') {
                b->len--;
            }
            tc_buf_putc(b, '\n');
            tc_buf_fill(b, ' ', INDENT);
            at = INDENT;
        }
        for (size_t i = 0, n; i < len; i += n) {
            n = tc_utf8_next(s + i, len - i);
            put_char(b, s + i, n);
        }
        at += columns;
        s += len;
    }
}

/* The source line with tabs expanded, and for each character where it begins:
 * its byte in text and its column, both counted from 0. */
typedef struct cells {
    tc_buf text;
    size_t *byte;
    int *col;
    int n; /* characters; byte[n] and col[n] are the line's ends */
} cells;

static cells make_cells(const char *line, size_t len) {
    cells c = {0};
    c.byte = tc_xcalloc(len + 1, sizeof *c.byte);
    c.col = tc_xcalloc(len + 1, sizeof *c.col);
    for (size_t i = 0, n; i < len; i += n) {
        n = tc_utf8_next(line + i, len - i);
        int col = c.col[c.n], w;
        if (line[i] == '\t') {
            w = TAB - col % TAB;
            tc_buf_fill(&c.text, ' ', w);
        } else {
            w = put_char(&c.text, line + i, n);
        }
        c.n++;
        c.col[c.n] = col + w;
        c.byte[c.n] = c.text.len;
    }
    return c;
}

static void free_cells(cells *c) {
    tc_buf_free(&c->text);
    free(c->byte);
    free(c->col);
}

static int clamp(int x, int lo, int hi) {
    return x < lo ? lo : x > hi ? hi : x;
}

/* The part [*from, *to) of the cells that fits into width columns and shows
 * the caret at `at`. */
static void window(const cells *c, int at, int width, int *from, int *to) {
    *from = 0;
    *to = c->n;
    if (c->col[c->n] <= width) {
        return;
    }
    while (*from < at && c->col[at] - c->col[*from] > width / 2) {
        ++*from;
    }
    while (*to > at && c->col[*to] - c->col[*from] > width) {
        --*to;
    }
}

/* The bytes of the first n characters of line, or of all there are. */
static size_t bytes_of(const char *line, int n) {
    size_t len = strlen(line), at = 0;
    for (int i = 0; i < n && at < len; i++) {
        at += tc_utf8_next(line + at, len - at);
    }
    return at;
}

/* The part of a line that cells are made of, len bytes: far more around the
 * character `at` than is shown, but not megabytes. *skipped: the characters
 * before that part. */
static const char *near(const char *line, int at, int width, int *skipped,
                        size_t *len) {
    int most = 4 * width + 64;
    *skipped = at > most ? at - most : 0;
    line += bytes_of(line, *skipped);
    *len = bytes_of(line, 2 * most);
    return line;
}

static void put_source(const tc_printer *p, tc_buf *b, const tc_diag *d) {
    int width = (p->width < SHORTEST ? SHORTEST : p->width) - MARGIN;
    int from, to, skipped;
    size_t len;
    const char *line = near(d->source_line, d->col - 1, width, &skipped, &len);
    cells c = make_cells(line, len);
    int begin = clamp(d->col - 1 - skipped, 0, c.n);
    int end = clamp(d->end_col - 1 - skipped, begin, c.n);
    window(&c, begin, width - 6, &from, &to);
    const char *cut = from + skipped > 0 ? "..." : "";
    tc_buf_fill(b, ' ', MARGIN);
    tc_buf_puts(b, cut);
    tc_buf_write(b, tc_buf_text(&c.text) + c.byte[from],
                 c.byte[to] - c.byte[from]);
    tc_buf_puts(b, to < c.n || line[len] != '\0' ? "...\n" : "\n");
    tc_buf_fill(b, ' ', MARGIN + (int)strlen(cut) + c.col[begin] - c.col[from]);
    tc_buf_puts(b, sgr(p, "\033[1;32m"));
    tc_buf_putc(b, '^');
    tc_buf_fill(b, '~', c.col[clamp(end, begin, to)] - c.col[begin] - 1);
    tc_buf_puts(b, sgr(p, "\033[0m"));
    tc_buf_putc(b, '\n');
    free_cells(&c);
}

/* Another program's messages: its lines and tabs, and nothing that moves the
 * cursor. */
static void put_verbatim(tc_buf *b, const char *s) {
    for (size_t len = strlen(s), i = 0, n; i < len; i += n) {
        n = tc_utf8_next(s + i, len - i);
        if (s[i] == '\n' || s[i] == '\t') {
            tc_buf_putc(b, s[i]);
        } else {
            put_char(b, s + i, n);
        }
    }
    if (b->len > 0 && b->data[b->len - 1] != '\n') {
        tc_buf_putc(b, '\n');
    }
}

static void print_verbatim(const tc_printer *p, const char *text) {
    tc_buf b = TC_BUF_INIT;
    put_verbatim(&b, text);
    fwrite(tc_buf_text(&b), 1, b.len, p->out);
    fflush(p->out);
    tc_buf_free(&b);
}

void tc_print_diag(const tc_printer *p, const tc_diag *d) {
    static const char *const severities[] = {"error", "warning", "note"};
    static const char *const colors[] = {"\033[1;31m", "\033[1;35m",
                                         "\033[1;36m"};
    if (p->quiet) {
        return;
    }
    if (d->severity == TC_VERBATIM) {
        print_verbatim(p, d->message);
        return;
    }
    tc_buf b = TC_BUF_INIT, place = TC_BUF_INIT;
    if (d->line > 0) {
        tc_printer whole = {.out = p->out}; /* a place is never broken */
        put_text(&whole, &place, 0, d->file ? d->file : "<input>");
        tc_buf_printf(&place, ":%d:%d: ", d->line, d->col);
        tc_buf_printf(&b, "%s%s", sgr(p, "\033[1m"), tc_buf_text(&place));
    }
    tc_buf_printf(&b, "%s%s%s: ", sgr(p, colors[d->severity]),
                  severities[d->severity], sgr(p, "\033[0m"));
    put_text(p, &b, (int)(place.len + strlen(severities[d->severity])) + 2,
             d->message);
    tc_buf_putc(&b, '\n');
    if (d->line > 0 && d->source_line != NULL) {
        put_source(p, &b, d);
    }
    if (d->hint != NULL) {
        tc_buf_printf(&b, "%shint%s: ", sgr(p, "\033[1m"), sgr(p, "\033[0m"));
        put_text(p, &b, (int)strlen("hint: "), d->hint);
        tc_buf_putc(&b, '\n');
    }
    tc_buf_free(&place);
    fwrite(b.data, 1, b.len, p->out);
    fflush(p->out);
    tc_buf_free(&b);
}
