/* lines.c - see lines.h. */
#include "base/lines.h"

#include <limits.h>
#include <string.h>

void tc_lines_mark(tc_lines *lines, size_t at, int line) {
    if (lines != NULL) {
        tc_line_mark m = {at, line};
        TC_PUSH(lines->arena, lines->marks, lines->n, lines->cap, m);
    }
}

/* Goes through the lines of a text and the marks together. */
typedef struct walk {
    const tc_lines *lines;
    const char *text, *p;
    size_t shift, len; /* of the line at p, with its newline */
    int mark;
} walk;

static bool next_line(walk *w) {
    w->p += w->len;
    w->len = strcspn(w->p, "\n");
    w->len += w->p[w->len] == '\n';
    size_t at = (size_t)(w->p - w->text) + strspn(w->p, " \t");
    while (w->mark + 1 < w->lines->n &&
           w->lines->marks[w->mark + 1].at + w->shift <= at) {
        w->mark++;
    }
    return w->len > 0;
}

static bool is_of(const walk *w, int line) {
    return w->mark >= 0 && w->lines->marks[w->mark].line == line;
}

static size_t blanks(const walk *w) {
    return strspn(w->p, " ");
}

int tc_lines_pick(const tc_lines *lines, const char *text, size_t shift,
                  int line, tc_buf *out) {
    walk first = {
        .lines = lines, .text = text, .p = text, .shift = shift, .mark = -1};
    size_t least = SIZE_MAX;
    for (walk w = first; next_line(&w);) {
        if (is_of(&w, line) && blanks(&w) < least) {
            least = blanks(&w);
        }
    }
    int n = 0;
    for (walk w = first; next_line(&w);) {
        if (is_of(&w, line)) {
            tc_buf_write(out, w.p + least, w.len - least);
            n++;
        }
    }
    return n;
}

int tc_lines_origins(const tc_lines *lines, const char *text, size_t shift,
                     int *out, int n) {
    int count = 0;
    for (walk w = {.lines = lines,
                  .text = text,
                  .p = text,
                  .shift = shift,
                  .mark = -1};
         next_line(&w); count++) {
        if (count < n) {
            out[count] = w.mark >= 0 ? lines->marks[w.mark].line : 0;
        }
    }
    return count;
}
