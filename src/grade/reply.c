/* reply.c - the verdict as text and as JSON (INTERFACE.md: grade). */
#include "grade/reply.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 3 /* failed tests that are explained in full */ };

static bool same(const json_t *a, const json_t *b) {
    static const char *const keys[] = {"kind", "file", "line"};
    for (int i = 0; i < 3; i++) {
        if (!json_equal(json_object_get(a, keys[i]),
                        json_object_get(b, keys[i]))) {
            return false;
        }
    }
    return true;
}

static bool known(const json_t *list, const json_t *finding) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (same(json_array_get(list, i), finding)) {
            return true;
        }
    }
    return false;
}

static const char *text_of(const json_t *j, const char *key) {
    const char *s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

/* "line 12", or "main.cu:12" where that is not the submission's. */
static const char *place_of(const tc_grade_verdict *v, const json_t *f) {
    const char *file = text_of(f, "file"), *slash = strrchr(file, '/');
    long long line = json_integer_value(json_object_get(f, "line"));
    bool own = *file == '\0' || strcmp(file, v->path) == 0;
    return own ? tc_format(v->arena, "line %lld", line)
               : tc_format(v->arena, "%s:%lld", slash ? slash + 1 : file, line);
}

void tc_verdict_findings(tc_grade_verdict *v, tc_test *t,
                         const json_t *findings) {
    size_t n = json_array_size(findings);
    t->findings = TC_NEWN(v->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        json_t *f = json_array_get(findings, i);
        const char *missing = text_of(json_object_get(f, "cause"), "missing");
        const char *place = place_of(v, f), *kind = text_of(f, "kind");
        t->findings[t->nfindings++] = tc_format(
            v->arena, "%s: %s: %s%s%s", place, kind, text_of(f, "message"),
            *missing ? "; missing: " : "", missing);
        t->defects = tc_format(v->arena, "%s%s:%s ",
                               t->defects ? t->defects : "", place, kind);
        if (!known(v->findings, f)) {
            json_array_append(v->findings, f);
        }
    }
}

void tc_verdict_notes(tc_grade_verdict *v, tc_test *t, const json_t *notes) {
    for (size_t i = 0;
         t->status != TC_TEST_PASSED && i < json_array_size(notes); i++) {
        const char *had = t->message ? t->message : "";
        t->message = tc_format(v->arena, "%s%s%s", had, *had ? "\n" : "",
                               json_string_value(json_array_get(notes, i)));
    }
}

/* Nothing that a terminal would obey, and no broken UTF-8. */
void tc_verdict_printed(tc_grade_verdict *v, tc_test *t, const tc_buf *printed,
                        uint64_t total) {
    if (total > 0) {
        char *text = tc_strndup(v->arena, tc_buf_text(printed), printed->len);
        for (size_t i = 0; i < printed->len; i++) {
            unsigned char c = (unsigned char)text[i];
            text[i] = c == '\n' || c == '\t' || (c >= ' ' && c <= '~') ? text[i]
                                                                       : '?';
        }
        t->printed = text;
        t->unprinted = total - printed->len;
    }
}

/* ---- text ---- */

/* A line, broken between words; what follows stands further in. */
static void put_line(tc_buf *b, const char *text, size_t n, int width) {
    enum { IN = 8 };
    int room = width > 2 * IN ? width - IN : IN;
    for (int more = 0; n > 0; more = 2) {
        size_t take = n, most = (size_t)(room - more);
        if (n > most) {
            take = most;
            while (take > 0 && text[take] != ' ') {
                take--;
            }
            take = take ? take : strcspn(text, " \n");
            take = take < n ? take : n;
        }
        tc_buf_fill(b, ' ', IN + more);
        tc_buf_write(b, text, take);
        tc_buf_putc(b, '\n');
        take += take < n; /* the blank */
        text += take;
        n -= take;
    }
}

static void put_lines(tc_buf *b, const char *text, int width) {
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        put_line(b, text, n, width);
        text += n + (text[n] == '\n');
    }
}

/* What a deadlock waits for is a list in one sentence: a line each. */
static void put_finding(tc_buf *b, const char *text, int width) {
    enum { MOST_WAITERS = 8 };
    static const char next[] = "; CTA ";
    tc_buf lines = TC_BUF_INIT;
    const char *p = text, *q;
    int n = 0;
    for (; (q = strstr(p, next)) != NULL; p = q + 2) {
        if (n++ < MOST_WAITERS) {
            tc_buf_write(&lines, p, (size_t)(q - p));
            tc_buf_puts(&lines, ";\n");
        }
    }
    if (n < MOST_WAITERS) {
        tc_buf_puts(&lines, p);
    } else {
        tc_buf_printf(&lines, "and %d more", n + 1 - MOST_WAITERS);
    }
    put_lines(b, tc_buf_text(&lines), width);
    tc_buf_free(&lines);
}

/* Failures that have been explained in full. */
typedef struct shown_tests {
    const tc_test *tests[MOST_SHOWN];
    int n;
} shown_tests;

static size_t first_line(const tc_test *t) {
    return t->message ? strcspn(t->message, "\n") : 0;
}

/* The same defects, or none and the same words up to their numbers. */
static bool same_reason(const tc_test *a, const tc_test *b) {
    if (a->defects || b->defects) {
        return a->defects && b->defects && strcmp(a->defects, b->defects) == 0;
    }
    const char *p = a->message ? a->message : "";
    const char *q = b->message ? b->message : "";
    static const char number[] = "0123456789.+-e";
    while (*p && *q && *p != '\n' && *q != '\n') {
        bool digits = strchr("0123456789", *p) && strchr("0123456789", *q);
        if (!digits && *p != *q) {
            return false;
        }
        p += digits ? strspn(p, number) : 1;
        q += digits ? strspn(q, number) : 1;
    }
    return (*p == '\0' || *p == '\n') && (*q == '\0' || *q == '\n');
}

/* The failure that has been explained and is of the same sort, or NULL. */
static const tc_test *explained(const shown_tests *s, const tc_test *t) {
    for (int i = 0; i < s->n; i++) {
        if (same_reason(s->tests[i], t)) {
            return s->tests[i];
        }
    }
    return NULL;
}

/* A failure in one line. */
static void put_short(tc_buf *b, const tc_test *t, const tc_test *like,
                      int width) {
    size_t n = first_line(t);
    bool same =
        like && (t->defects || (n == first_line(like) &&
                                memcmp(t->message, like->message, n) == 0));
    size_t used = strlen(t->name) + 10;
    size_t room = (size_t)width > used + 10 ? (size_t)width - used : 10;
    if (same) {
        tc_buf_puts(b, ": the same\n");
    } else if (t->defects) {
        tc_buf_printf(b, ": %.*s\n", (int)strcspn(t->findings[0], "\n;(`"),
                      t->findings[0]);
    } else {
        tc_buf_printf(b, ": %.*s%s\n", (int)(n > room ? room - 3 : n),
                      t->message ? t->message : "", n > room ? "..." : "");
    }
}

/* How many bytes, as people say it: "12 bytes", "199 MB". */
static void put_bytes(tc_buf *b, uint64_t n) {
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    int u = 0;
    for (; n >= 10000 && u < 4; u++) {
        n = (n + 500) / 1000;
    }
    tc_buf_printf(b, "%llu %s", (unsigned long long)n, units[u]);
}

/* The first lines of what it has printed. */
static void put_printed(tc_buf *b, const tc_test *t) {
    enum { LINES = 5, LONGEST = 200 };
    const char *p = t->printed;
    tc_buf_puts(b, "        it printed:\n");
    for (int i = 0; i < LINES && *p; i++) {
        size_t n = strcspn(p, "\n");
        tc_buf_puts(b, "        | ");
        tc_buf_write(b, p, n < LONGEST ? n : LONGEST);
        tc_buf_putc(b, '\n');
        p += n + (p[n] == '\n');
    }
    uint64_t more = strlen(p) + t->unprinted;
    if (more > 0) {
        tc_buf_puts(b, "        ... and ");
        put_bytes(b, more);
        tc_buf_puts(b, " more\n");
    }
}

static void put_test(tc_buf *b, const tc_test *t, shown_tests *s, int width) {
    static const char *const texts[] = {"ok    ", "FAIL  ", "later ", "error "};
    tc_buf_printf(b, "  %s%s", texts[t->status], t->name);
    if (t->status == TC_TEST_PASSED) {
        tc_buf_putc(b, '\n');
        return;
    }
    const tc_test *like = explained(s, t);
    if (like || s->n == MOST_SHOWN) {
        put_short(b, t, like, width);
        return;
    }
    s->tests[s->n++] = t;
    tc_buf_putc(b, '\n');
    put_lines(b, t->message, width);
    for (int i = 0; i < t->nfindings; i++) {
        put_finding(b, t->findings[i], width);
    }
    if (t->printed && !t->hidden) {
        put_printed(b, t);
    }
}

static void put_text(const tc_grade_verdict *v, int width, tc_buf *b) {
    shown_tests s = {{0}, 0};
    int left = 0;
    tc_buf_printf(b, "%s: %s\n", v->exercise, v->path);
    for (int i = 0; i < v->ntests; i++) {
        if (v->tests[i].not_run) {
            left++;
        } else {
            put_test(b, &v->tests[i], &s, width);
        }
    }
    if (left > 0) {
        tc_buf_printf(b, "  %d more case%s not run: %s.\n", left,
                      left == 1 ? " was" : "s were",
                      v->stopped ? v->stopped : "no time was left");
    }
    if (v->error) {
        tc_buf_puts(b, "The submission could not be graded: it has neither "
                       "passed nor failed.\n");
        return;
    }
    tc_buf_printf(b, "%d of %d cases pass: %s\n", v->passed, v->ntests,
                  v->passed == v->ntests ? "the exercise is passed."
                                         : "the exercise is not passed.");
    if (v->passed != v->ntests) {
        tc_buf_printf(b, "The same cases again: --seed %llu\n",
                      (unsigned long long)v->seed);
    }
}

/* ---- JSON ---- */

/* jansson takes no broken UTF-8. */
static json_t *text_json(const char *text) {
    json_t *j = json_string(text);
    char *plain = j == NULL ? tc_xstrdup(text) : NULL;
    for (char *p = plain; p && *p; p++) {
        *p = (unsigned char)*p < 0x80 ? *p : '?';
    }
    j = plain ? json_string(plain) : j;
    free(plain);
    return j;
}

static json_t *test_json(const tc_test *t) {
    static const char *const texts[] = {"passed", "failed", "deferred",
                                        "error"};
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, t->message ? t->message : "");
    for (int i = 0; i < t->nfindings; i++) {
        tc_buf_printf(&b, "%s%s", b.len ? "\n" : "", t->findings[i]);
    }
    json_t *j = json_pack("{s:s,s:i,s:i,s:s,s:s,s:s}", "name", t->name, "score",
                          t->status == TC_TEST_PASSED, "max_score", 1, "status",
                          texts[t->status], "message", tc_buf_text(&b),
                          "visibility", t->hidden ? "hidden" : "visible");
    tc_buf_free(&b);
    if (t->printed && !t->hidden) {
        json_object_set_new(j, "output", json_string(t->printed));
        json_object_set_new(j, "output_left_out",
                            json_integer((json_int_t)t->unprinted));
    }
    return j;
}

static void put_json(const tc_grade_verdict *v, tc_buf *b) {
    json_t *tests = json_array();
    for (int i = 0; i < v->ntests; i++) {
        json_array_append_new(tests, test_json(&v->tests[i]));
    }
    json_t *j = json_pack(
        "{s:s,s:i,s:i,s:b,s:o,s:O,s:s}", "exercise", v->exercise, "score",
        v->passed, "max_score", v->ntests, "passed", v->passed == v->ntests,
        "tests", tests, "findings", v->findings, "seed",
        tc_format(v->arena, "%llu", (unsigned long long)v->seed));
    const char *error = v->error ? v->error : v->refused;
    if (error) {
        json_object_set_new(j, "error", text_json(error));
    }
    char *text = json_dumps(j, JSON_COMPACT);
    tc_buf_printf(b, "%s\n", text ? text : "{}");
    free(text);
    json_decref(j);
}

void tc_verdict_say(const tc_grade_verdict *v, const tc_grade_options *o,
                    tc_output_fn output, void *user) {
    tc_buf b = TC_BUF_INIT;
    if (o->format && strcmp(o->format, "json") == 0) {
        put_json(v, &b);
    } else if (v->refused == NULL) {
        put_text(v, o->session.width ? o->session.width : 80, &b);
    }
    output(user, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
}
