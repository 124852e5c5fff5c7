/* formats.c - the verdict as others read it: JUnit XML, Gradescope's
 * results.json, GitHub Classroom's autograding JSON, nbgrader's CSV. One row and
 * one function a format. */
#include "grade/verdict.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUT = 16 << 10 /* bytes of a test's text */ };

static const char *shown(const tc_grade_result *v, const tc_test *t) {
    const char *says = tc_verdict_says(v->arena, v, t);
    if (t->hint) {
        says = tc_format(v->arena, "%s\nhint: %s", says, t->hint);
    }
    return tc_strndup(v->arena, says, strnlen(says, MOST_OUTPUT));
}

static int got(const tc_test *t) {
    return t->status == TC_TEST_PASSED ? t->points : 0;
}

/* What is not judged here counts neither way. */
static int most(const tc_test *t) {
    return t->status == TC_TEST_DEFERRED ? 0 : t->points;
}

static const char *name_of(const tc_test *t) {
    return t->name ? t->name : "grading";
}

static const char *error_of(const tc_grade_result *v) {
    return v->error ? v->error : v->refused;
}

static void put(json_t *j, tc_buf *b) {
    char *text = json_dumps(j, JSON_COMPACT);
    tc_buf_printf(b, "%s\n", text ? text : "{}");
    free(text);
    json_decref(j);
}

/* ---- JUnit ---- */

/* XML 1.0 knows no control characters; text is UTF-8 or becomes '?'. */
static void xml(const char *s, tc_buf *b) {
    tc_buf clean = TC_BUF_INIT;
    tc_buf_puts(&clean, s ? s : "");
    tc_buf_clean(&clean, 0);
    for (s = tc_buf_text(&clean); *s; s++) {
        unsigned char c = (unsigned char)*s;
        switch (c) {
        case '&':
            tc_buf_puts(b, "&amp;");
            break;
        case '<':
            tc_buf_puts(b, "&lt;");
            break;
        case '>':
            tc_buf_puts(b, "&gt;");
            break;
        case '"':
            tc_buf_puts(b, "&quot;");
            break;
        case '\n':
            tc_buf_puts(b, "&#10;");
            break;
        default:
            tc_buf_putc(b, c < ' ' && c != '\t' ? '?' : (char)c);
        }
    }
    tc_buf_free(&clean);
}

static void attribute(const char *name, const char *value, tc_buf *b) {
    tc_buf_printf(b, " %s=\"", name);
    xml(value, b);
    tc_buf_putc(b, '"');
}

static void junit_test(const tc_grade_result *v, const tc_test *t, tc_buf *b) {
    tc_buf_puts(b, "    <testcase");
    attribute("name", name_of(t), b);
    attribute("classname", v->exercise, b);
    tc_buf_printf(b, " time=\"%.3f\">\n", t->seconds);
    if (t->not_run || t->status == TC_TEST_DEFERRED) {
        tc_buf_puts(b, "      <skipped");
        attribute("message", t->message, b);
        tc_buf_puts(b, "/>\n");
    } else if (t->status != TC_TEST_PASSED) {
        const char *what = t->status == TC_TEST_ERROR ? "error" : "failure";
        tc_buf_printf(b, "      <%s", what);
        attribute("type", tc_reason_names[t->reason], b);
        attribute("message", shown(v, t), b);
        tc_buf_printf(b, "/>\n");
    }
    if (t->printed && !t->hidden) {
        tc_buf_puts(b, "      <system-out>");
        xml(t->printed, b);
        tc_buf_puts(b, "</system-out>\n");
    }
    tc_buf_puts(b, "    </testcase>\n");
}

static void junit(const tc_grade_result *v, tc_buf *b) {
    int failures = 0, errors = 0, skipped = 0, more = error_of(v) != NULL;
    for (int i = 0; i < v->ntests; i++) {
        const tc_test *t = &v->tests[i];
        bool skips = t->not_run || t->status == TC_TEST_DEFERRED;
        skipped += skips;
        failures += t->status == TC_TEST_FAILED;
        errors += t->status == TC_TEST_ERROR && !skips;
    }
    const char *counts = tc_format(
        v->arena, " tests=\"%d\" failures=\"%d\" errors=\"%d\" time=\"%.3f\"",
        v->ntests + more, failures, errors + more, v->seconds);
    tc_buf_printf(b,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites%s>\n  <testsuite",
                  counts);
    attribute("name", v->exercise, b);
    tc_buf_printf(b, "%s skipped=\"%d\"", counts, skipped);
    attribute("timestamp", v->when, b);
    tc_buf_puts(b, " hostname=\"localhost\">\n");
    if (more) {
        tc_buf_puts(b, "    <testcase name=\"grading\"");
        attribute("classname", v->exercise, b);
        tc_buf_puts(b, " time=\"0\">\n      <error");
        attribute("type", v->error ? "machine" : "compile", b);
        attribute("message", error_of(v), b);
        tc_buf_puts(b, "/>\n    </testcase>\n");
    }
    for (int i = 0; i < v->ntests; i++) {
        junit_test(v, &v->tests[i], b);
    }
    tc_buf_puts(b, "  </testsuite>\n</testsuites>\n");
}

/* ---- Gradescope ---- */

static json_t *gradescope_test(const tc_grade_result *v, const tc_test *t,
                               int i) {
    json_t *j = json_pack(
        "{s:s,s:s,s:i,s:i,s:o,s:s,s:s}", "name", name_of(t), "number",
        tc_format(v->arena, "%d", i + 1), "score", got(t), "max_score", most(t),
        "output", tc_verdict_text(shown(v, t)), "output_format", "text",
        "visibility", t->hidden ? "after_published" : "visible");
    if (t->status == TC_TEST_PASSED || t->status == TC_TEST_FAILED) {
        json_object_set_new(
            j, "status",
            json_string(t->status == TC_TEST_PASSED ? "passed" : "failed"));
    }
    json_object_set_new(j, "tags",
                        json_pack("[s]", tc_reason_names[t->reason]));
    return j;
}

static void gradescope(const tc_grade_result *v, tc_buf *b) {
    const char *error = error_of(v);
    json_t *tests = json_array();
    for (int i = 0; i < v->ntests; i++) {
        json_array_append_new(tests, gradescope_test(v, &v->tests[i], i));
    }
    const char *output =
        v->error ? tc_format(v->arena,
                             "This could not be graded, and has neither "
                             "passed nor failed: %s",
                             error)
        : v->refused
            ? tc_format(v->arena, "It is not graded:\n%s", error)
            : tc_format(v->arena, "%d of %d points", v->score, v->most);
    put(json_pack("{s:i,s:f,s:o,s:s,s:s,s:s,s:o,s:[{s:s,s:i}]}", "score",
                  v->score, "execution_time", v->seconds, "output",
                  tc_verdict_text(tc_strndup(v->arena, output,
                                             strnlen(output, MOST_OUTPUT))),
                  "output_format", "text", "visibility", "visible",
                  "stdout_visibility", "hidden", "tests", tests, "leaderboard",
                  "name", "points", "value", v->score),
        b);
}

/* ---- GitHub Classroom ---- */

/* The autograding action's runners give this as base64 in their output
 * `result`; the workflow that comes with the exercises encodes it. */
static void classroom(const tc_grade_result *v, tc_buf *b) {
    const char *error = error_of(v);
    json_t *tests = json_array();
    for (int i = 0; i < v->ntests; i++) {
        const tc_test *t = &v->tests[i];
        if (t->status == TC_TEST_DEFERRED) {
            continue; /* it knows passed, failed and error only */
        }
        json_array_append_new(
            tests, json_pack("{s:s,s:s,s:i,s:o,s:s,s:s,s:i,s:f}", "name",
                             name_of(t), "status",
                             t->status == TC_TEST_PASSED   ? "pass"
                             : t->status == TC_TEST_FAILED ? "fail"
                                                           : "error",
                             "score", got(t), "message",
                             tc_verdict_text(t->hidden ? "a hidden case"
                                                       : shown(v, t)),
                             "test_code", v->exercise, "filename",
                             tc_base_name(v->path), "line_no",
                             (int)json_integer_value(json_object_get(
                                 json_array_get(t->findings, 0), "line")),
                             "duration", t->seconds));
    }
    if (error) {
        json_array_append_new(
            tests, json_pack("{s:s,s:s,s:i,s:o,s:s,s:s,s:i,s:f}", "name",
                             "grading", "status", "error", "score", 0,
                             "message", tc_verdict_text(error), "test_code",
                             v->exercise, "filename", tc_base_name(v->path),
                             "line_no", 0, "duration", 0.0));
    }
    put(json_pack("{s:i,s:s,s:i,s:o}", "version", 1, "status",
                  error                  ? "error"
                  : tc_verdict_passed(v) ? "pass"
                                         : "fail",
                  "max_score", v->most, "tests", tests),
        b);
}

/* ---- nbgrader's CSV ---- */

static void csv_field(const char *s, tc_buf *b) {
    /* A spreadsheet would compute what begins with one of these. */
    bool formula = strchr("=+-@\t", *s) != NULL && *s != '\0';
    tc_buf_putc(b, '"');
    if (formula) {
        tc_buf_putc(b, '\'');
    }
    for (; *s; s++) {
        if (*s == '"') {
            tc_buf_putc(b, '"');
        }
        tc_buf_putc(b, (unsigned char)*s < ' ' ? ' ' : *s);
    }
    tc_buf_putc(b, '"');
}

void tc_format_csv_head(bool similar, tc_buf *b) {
    tc_buf_printf(b,
                  "assignment,duedate,timestamp,student_id,last_name,"
                  "first_name,email,raw_score,late_submission_penalty,score,"
                  "max_score%s\n",
                  similar ? ",similar_to" : "");
}

void tc_format_csv_row(const char *exercise, const char *when,
                       const char *student, int score, int most,
                       const char *similar, tc_buf *b) {
    csv_field(exercise, b);
    tc_buf_printf(b, ",,%s,", when);
    csv_field(student, b);
    if (score < 0) { /* neither passed nor failed: no number */
        tc_buf_printf(b, ",,,,,0.0,,%d", most);
    } else {
        tc_buf_printf(b, ",,,,%d,0.0,%d,%d", score, score, most);
    }
    if (similar != NULL) {
        tc_buf_putc(b, ',');
        csv_field(similar, b);
    }
    tc_buf_putc(b, '\n');
}

static void csv(const tc_grade_result *v, tc_buf *b) {
    const char *dot = strrchr(v->student, '.');
    size_t n = dot ? (size_t)(dot - v->student) : strlen(v->student);
    tc_format_csv_head(false, b);
    tc_format_csv_row(v->exercise, v->when, tc_strndup(v->arena, v->student, n),
                      v->error ? -1 : v->score, v->most, NULL, b);
}

/* ---- by name ---- */

static const struct {
    const char *name;
    tc_format_fn *fn;
} formats[] = {{"json", tc_verdict_put_json},
               {"junit", junit},
               {"gradescope", gradescope},
               {"classroom", classroom},
               {"csv", csv}};
const char *const tc_format_names[] = {
    "text", "json", "junit", "gradescope", "classroom", "csv", NULL};

tc_format_fn *tc_format_of(const char *name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return formats[i].fn;
        }
    }
    return NULL;
}
