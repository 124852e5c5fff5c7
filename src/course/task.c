/* task.c - the comment behind a task's quotation: "task KIND", then lines of
 * "key: value" (keys.def). */
#include "course/task.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const tc_task_kind_names[] = {"type", "predict", "edit", "choose"};
enum { KINDS = 4 };

typedef struct key_row {
    const char *key, *kinds;
    bool repeated;
} key_row;

static const key_row rows[] = {
#define TC_TASK_KEY(key, kinds, repeated) {key, kinds, repeated},
#include "course/keys.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const key_row *row_of(const char *key) {
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool fail(tc_diags *d, tc_span at, const char *hint, const char *what,
                 const char *word) {
    tc_error(d, at, hint, what, word);
    return false;
}

static char *trimmed(tc_arena *a, const char *s, size_t n) {
    while (n > 0 && isspace((unsigned char)*s)) {
        s++;
        n--;
    }
    while (n > 0 && isspace((unsigned char)s[n - 1])) {
        n--;
    }
    return tc_strndup(a, s, n);
}

/* The colon that ends a key and its argument: of "hint if JQ: TEXT" the first
 * with a blank behind it and outside of brackets and strings. */
static size_t colon(const char *s, size_t n) {
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        quoted ^= s[i] == '"';
        depth += !quoted && strchr("([{", s[i]) != NULL;
        depth -= !quoted && strchr(")]}", s[i]) != NULL;
        if (s[i] == ':' && !quoted && depth == 0 &&
            (i + 1 == n || s[i + 1] == ' ')) {
            return i;
        }
    }
    return n;
}

/* A line that begins with blanks goes on with the value before it. */
static bool go_on(tc_arena *a, tc_task *t, const char *s, size_t n, tc_span at,
                  tc_diags *d) {
    if (t->nlines == 0) {
        tc_error(d, at, "key: value", "a value goes on here, and none began");
        return false;
    }
    tc_task_line *last = &t->lines[t->nlines - 1];
    last->value =
        tc_format(a, "%s%s%s", last->value, last->value[0] != '\0' ? " " : "",
                  trimmed(a, s, n));
    return true;
}

static bool read_line(tc_arena *a, tc_task *t, const char *s, size_t n,
                      tc_span at, tc_diags *d) {
    if (*s == ' ' || *s == '\t') {
        return go_on(a, t, s, n, at, d);
    }
    size_t end = colon(s, n), word = 0;
    while (word < end && isalpha((unsigned char)s[word])) {
        word++;
    }
    tc_task_line l = {.key = tc_strndup(a, s, word),
                      .arg = trimmed(a, s + word, end - word),
                      .value =
                          end < n ? trimmed(a, s + end + 1, n - end - 1) : "",
                      .span = at};
    const key_row *row = row_of(l.key);
    if (end == n) {
        return fail(d, at, "key: value", "no colon ends the key '%s'", l.key);
    }
    if (row == NULL) {
        return fail(d, at, "lessons/WRITING.md lists the keys",
                    "no key of a task is called '%s'", l.key);
    }
    if (strchr(row->kinds, tc_task_kind_names[t->kind][0]) == NULL) {
        return fail(d, at, "lessons/WRITING.md says which have it",
                    "a task of this kind has no '%s'", l.key);
    }
    if (!row->repeated && tc_task_value(t, l.key) != NULL) {
        return fail(d, at, NULL, "'%s' is given twice", l.key);
    }
    if (l.arg[0] != '\0' && strcmp(l.key, "hint") != 0) {
        return fail(d, at, "key: value", "'%s' has no argument", l.key);
    }
    TC_PUSH(a, t->lines, t->nlines, t->cap, l);
    return true;
}

/* What each kind cannot do without. */
static bool complete(const tc_task *t, tc_diags *d) {
    static const char *const needs[KINDS][3] = {
        {"answer", "hint", NULL},
        {"ask", "answer", "hint"},
        {"ask", "holds", "solution"},
        {"answer", "hint", NULL},
    };
    for (int i = 0; i < 3 && needs[t->kind][i] != NULL; i++) {
        if (tc_task_value(t, needs[t->kind][i]) == NULL) {
            return fail(d, t->span, "lessons/WRITING.md has an example of each",
                        "this task has no '%s'", needs[t->kind][i]);
        }
    }
    return true;
}

static bool read_kind(tc_task *t, const char *s, size_t n, tc_diags *d) {
    for (int i = 0; i < KINDS; i++) {
        size_t len = strlen(tc_task_kind_names[i]);
        if (n >= len && strncmp(s, tc_task_kind_names[i], len) == 0 &&
            (n == len || isspace((unsigned char)s[len]))) {
            t->kind = (tc_task_kind)i;
            return true;
        }
    }
    tc_error(d, t->span, "<!-- task predict",
             "a task's kind is type, predict, edit or choose");
    return false;
}

bool tc_task_is(const char *html) {
    return strncmp(html, "<!-- task ", 10) == 0;
}

tc_task *tc_task_read(tc_arena *a, const tc_source *src, const char *html,
                      int line, tc_diags *d) {
    tc_task *t = TC_NEW(a, tc_task);
    const char *s = html + 10, *end = strstr(s, "-->");
    t->span = tc_task_line_span(src, line);
    end = end != NULL ? end : s + strlen(s);
    if (!read_kind(t, s, strcspn(s, "\n"), d)) {
        return NULL;
    }
    s += strcspn(s, "\n");
    while (s < end) {
        s++; /* the newline */
        line++;
        size_t n = strcspn(s, "\n");
        n = s + n > end ? (size_t)(end - s) : n;
        size_t blank = strspn(s, " \t");
        if (blank < n &&
            !read_line(a, t, s, n, tc_task_line_span(src, line), d)) {
            return NULL;
        }
        s += n;
    }
    return complete(t, d) ? t : NULL;
}

tc_span tc_task_line_span(const tc_source *src, int line) {
    size_t at = 0;
    for (int i = 1; i < line && at < src->len; i++) {
        at += strcspn(src->text + at, "\n") + 1;
    }
    at = at > src->len ? src->len : at;
    size_t n = strcspn(src->text + at, "\n");
    return (tc_span){src, (uint32_t)at, (uint32_t)(at + n)};
}

const tc_task_line *tc_task_next(const tc_task *t, const char *key, int *at) {
    while (*at < t->nlines) {
        const tc_task_line *l = &t->lines[(*at)++];
        if (strcmp(l->key, key) == 0) {
            return l;
        }
    }
    return NULL;
}

const char *tc_task_value(const tc_task *t, const char *key) {
    int at = 0;
    const tc_task_line *l = tc_task_next(t, key, &at);
    return l != NULL ? l->value : NULL;
}
