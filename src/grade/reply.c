/* reply.c - the verdict as text and as JSON (INTERFACE.md: grade). */
#include "grade/verdict.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 3 /* failed tests that are explained in full */ };

static const char *const status_names[] = {"passed", "failed", "deferred",
                                           "error"};

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

static const char *string_at(const json_t *list, size_t i) {
    const char *text = json_string_value(json_array_get(list, i));
    return text ? text : "";
}

/* What a deadlock waits for is a list of its own: a line each, and what the
 * message says behind them. */
static void put_finding(tc_buf *b, const tc_grade_result *v, const json_t *f,
                        int width) {
    enum { MOST_WAITERS = 8 };
    const json_t *waiters = json_object_get(f, "waiters");
    size_t n = json_array_size(waiters);
    const char *text = tc_verdict_finding(v->arena, v, f), *behind = text;
    const char *list = n > 0 ? strstr(text, string_at(waiters, 0)) : NULL;
    for (size_t i = 0; list && behind && i < n; i++) {
        const char *w = string_at(waiters, i);
        behind = strstr(behind, w);
        behind = behind ? behind + strlen(w) : NULL;
    }
    if (list == NULL || behind == NULL) {
        put_lines(b, text, width);
        return;
    }
    size_t head = (size_t)(list - text);
    put_line(b, text, head - (head > 0 && text[head - 1] == ' '), width);
    for (size_t i = 0; i < n && i < MOST_WAITERS; i++) {
        put_lines(b, tc_format(v->arena, "  %s", string_at(waiters, i)), width);
    }
    if (n > MOST_WAITERS) {
        put_lines(b, tc_format(v->arena, "  and %zu more", n - MOST_WAITERS),
                  width);
    }
    put_lines(b, behind + strspn(behind, "; "), width);
}

/* Failures that have been explained in full. */
typedef struct shown_tests {
    const tc_test *tests[MOST_SHOWN];
    int n;
} shown_tests;

static size_t first_line(const tc_test *t) {
    return t->message ? strcspn(t->message, "\n") : 0;
}

/* The same reason, and for that the same defects or the same rule. */
static bool same_reason(const tc_test *a, const tc_test *b) {
    size_t n = json_array_size(a->findings);
    if (a->reason != b->reason || a->rule != b->rule ||
        n != json_array_size(b->findings)) {
        return false;
    }
    static const char *const keys[] = {"kind", "file", "line"};
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(a->findings, i);
        const json_t *y = json_array_get(b->findings, i);
        for (int k = 0; k < 3; k++) {
            if (!json_equal(json_object_get(x, keys[k]),
                            json_object_get(y, keys[k]))) {
                return false;
            }
        }
    }
    return true;
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
static void put_short(tc_buf *b, const tc_grade_result *v, const tc_test *t,
                      const tc_test *like, int width) {
    size_t n = first_line(t);
    bool found = json_array_size(t->findings) > 0;
    bool same = like && (found || (n == first_line(like) &&
                                   memcmp(t->message, like->message, n) == 0));
    size_t used = strlen(t->name) + 10;
    size_t room = (size_t)width > used + 10 ? (size_t)width - used : 10;
    if (same) {
        tc_buf_puts(b, ": the same\n");
    } else if (found) {
        const char *f =
            tc_verdict_finding(v->arena, v, json_array_get(t->findings, 0));
        tc_buf_printf(b, ": %.*s\n", (int)strcspn(f, "\n;(`"), f);
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

static void put_status(tc_buf *b, const tc_test *t, bool color) {
    static const char *const texts[] = {"ok    ", "FAIL  ", "later ", "error "};
    static const char *const colors[] = {"32", "31", "33", "31"};
    if (color) {
        tc_buf_printf(b, "  \033[%sm%s\033[0m%s", colors[t->status],
                      texts[t->status], t->name);
    } else {
        tc_buf_printf(b, "  %s%s", texts[t->status], t->name);
    }
    if (t->rule) {
        tc_buf_printf(b, " (%d of %d point%s)",
                      t->status == TC_TEST_PASSED ? t->points : 0, t->points,
                      t->points == 1 ? "" : "s");
    }
}

static void put_test(tc_buf *b, const tc_grade_result *v, const tc_test *t,
                     shown_tests *s, int width, bool color) {
    put_status(b, t, color);
    if (t->status == TC_TEST_PASSED) {
        tc_buf_putc(b, '\n');
        return;
    }
    const tc_test *like = explained(s, t);
    if (t->rule == NULL && (like || s->n == MOST_SHOWN)) {
        put_short(b, v, t, like, width);
        return;
    }
    if (s->n < MOST_SHOWN) {
        s->tests[s->n++] = t;
    }
    tc_buf_putc(b, '\n');
    if (like == NULL) {
        put_lines(b, t->message, width);
    }
    for (size_t i = 0; i < json_array_size(t->findings); i++) {
        put_finding(b, v, json_array_get(t->findings, i), width);
    }
    if (t->hint) {
        put_lines(b, tc_format(v->arena, "hint: %s", t->hint), width);
    }
    if (t->printed && !t->hidden) {
        put_printed(b, t);
    }
}

static void put_sum(const tc_grade_result *v, tc_buf *b) {
    int cases = 0, passed = 0;
    for (int i = 0; i < v->ntests; i++) {
        cases +=
            v->tests[i].rule == NULL && v->tests[i].status != TC_TEST_DEFERRED;
        passed +=
            v->tests[i].rule == NULL && v->tests[i].status == TC_TEST_PASSED;
    }
    bool all = tc_verdict_passed(v);
    tc_buf_printf(b, "%d of %d cases pass", passed, cases);
    if (cases < v->ntests) {
        tc_buf_printf(b, ", %d of %d points", v->score, v->most);
    }
    tc_buf_printf(b, ": %s\n",
                  all ? "the exercise is passed."
                      : "the exercise is not passed.");
    if (!all) {
        tc_buf_printf(b, "The same cases again: --seed %llu\n",
                      (unsigned long long)v->seed);
    }
    if (strcmp(v->sandbox, "part") == 0 || strcmp(v->sandbox, "none") == 0) {
        tc_buf_printf(b, "note: this machine has %s of the sandbox\n",
                      v->sandbox);
    }
}

/* Why a test was not run, where that is said; else NULL. */
static const char *left_why(const tc_test *t) {
    static const char begin[] = "not run: ";
    size_t n = sizeof begin - 1;
    return t->message && strncmp(t->message, begin, n) == 0 ? t->message + n
                                                            : NULL;
}

void tc_verdict_put_text(const tc_grade_result *v, int width, bool color,
                         tc_buf *b) {
    shown_tests s = {{0}, 0};
    int left = 0;
    int unjudged = 0;
    bool late = false; /* some were not run for want of time */
    const char *why = "", *smaller = NULL;
    tc_buf_printf(b, "%s: %s\n", v->exercise,
                  tc_verdict_plain(v->arena, v->path));
    for (int i = 0; i < v->ntests; i++) {
        const tc_test *t = &v->tests[i];
        if (t->not_run) {
            late |= left_why(t) == NULL;
            smaller = left_why(t) ? left_why(t) : smaller;
            left++;
        } else if (t->rule && t->reason == TC_REASON_NOT_JUDGED) {
            unjudged += t->points;
            why = t->message;
        } else {
            put_test(b, v, &v->tests[i], &s, width, color);
        }
    }
    if (left > 0) {
        tc_buf_printf(b, "  %d more case%s not run: %s.\n", left,
                      left == 1 ? " was" : "s were",
                      v->stopped         ? v->stopped
                      : smaller && !late ? smaller
                                         : "no time was left");
    }
    if (unjudged > 0 && !v->error) {
        tc_buf_printf(b, "  %d more point%s: %s.\n", unjudged,
                      unjudged == 1 ? "" : "s", why);
    }
    if (v->error) {
        tc_buf_puts(b, "The submission could not be graded: it has neither "
                       "passed nor failed.\n");
        return;
    }
    put_sum(v, b);
}

/* ---- JSON ---- */

static json_t *test_json(const tc_grade_result *v, const tc_test *t) {
    json_t *j = json_pack(
        "{s:s,s:i,s:i,s:s,s:o,s:s,s:s,s:O}", "name", t->name ? t->name : "",
        "score", t->status == TC_TEST_PASSED ? t->points : 0, "max_score",
        t->points, "status", status_names[t->status], "message",
        tc_verdict_text(tc_verdict_says(v->arena, v, t)), "visibility",
        t->hidden ? "hidden" : "visible", "reason", tc_reason_names[t->reason],
        "findings", t->findings ? t->findings : json_null());
    if (t->findings == NULL) {
        json_object_set_new(j, "findings", json_array());
    }
    if (t->rule) {
        json_object_set_new(j, "rule", json_string(t->rule));
    }
    if (t->hint) {
        json_object_set_new(j, "hint", tc_verdict_text(t->hint));
    }
    if (t->printed && !t->hidden) {
        json_object_set_new(j, "output", json_string(t->printed));
        json_object_set_new(j, "output_left_out",
                            json_integer((json_int_t)t->unprinted));
    }
    return j;
}

void tc_verdict_put_json(const tc_grade_result *v, tc_buf *b) {
    json_t *tests = json_array();
    for (int i = 0; i < v->ntests; i++) {
        json_array_append_new(tests, test_json(v, &v->tests[i]));
    }
    json_t *j = json_pack(
        "{s:s,s:i,s:i,s:b,s:o,s:O,s:s,s:s}", "exercise", v->exercise, "score",
        v->score, "max_score", v->most, "passed", tc_verdict_passed(v), "tests",
        tests, "findings", v->findings, "seed",
        tc_format(v->arena, "%llu", (unsigned long long)v->seed), "sandbox",
        v->sandbox);
    const char *error = v->error ? v->error : v->refused;
    if (error) {
        json_object_set_new(j, "error", tc_verdict_text(error));
        json_object_set_new(j, "refused", json_boolean(v->error == NULL));
    }
    char *text = json_dumps(j, JSON_COMPACT);
    tc_buf_printf(b, "%s\n", text ? text : "{}");
    free(text);
    json_decref(j);
}
