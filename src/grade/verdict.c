/* verdict.c - what is added to a verdict, and asked of it. */
#include "grade/verdict.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

bool tc_verdict_passed(const tc_grade_result *v) {
    bool all = v->ntests > 0 && v->error == NULL && v->refused == NULL;
    for (int i = 0; i < v->ntests; i++) {
        all &= v->tests[i].status == TC_TEST_PASSED ||
               v->tests[i].status == TC_TEST_DEFERRED;
    }
    return all;
}

const char *tc_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

json_t *tc_verdict_text(const char *text) {
    json_t *j = json_string(text);
    char *plain = j == NULL ? tc_xstrdup(text) : NULL;
    for (char *p = plain; p && *p; p++) {
        *p = (unsigned char)*p < 0x80 ? *p : '?';
    }
    j = plain ? json_string(plain) : j;
    free(plain);
    return j;
}

const char *tc_verdict_plain(tc_arena *a, const char *text) {
    char *out = tc_strndup(a, text, strlen(text));
    for (char *p = out; *p;) {
        size_t left = strlen(p), n = tc_utf8_next(p, left);
        unsigned char c = (unsigned char)*p;
        bool valid = n <= left && tc_utf8_valid(p, n);
        if (!valid || c < ' ' || c == 0x7f ||
            (c == 0xc2 && n == 2 && (unsigned char)p[1] < 0xa0)) {
            memset(p, '?', valid ? n : 1);
        }
        p += valid ? n : 1;
    }
    return out;
}

/* ---- findings ---- */

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

/* "line 12", or "main.cpp:12" where that is not the submission's. */
static const char *place_of(tc_arena *a, const tc_grade_result *v,
                            const json_t *f) {
    const char *file = text_of(f, "file");
    long long line = json_integer_value(json_object_get(f, "line"));
    bool own = *file == '\0' || strcmp(file, v->path) == 0;
    return own ? tc_format(a, "line %lld", line)
               : tc_format(a, "%s:%lld", tc_base_name(file), line);
}

const char *tc_verdict_finding(tc_arena *a, const tc_grade_result *v,
                               const json_t *f) {
    const char *missing = text_of(json_object_get(f, "cause"), "missing");
    return tc_format(a, "%s: %s: %s%s%s", place_of(a, v, f), text_of(f, "kind"),
                     text_of(f, "message"), *missing ? "; missing: " : "",
                     missing);
}

void tc_verdict_findings(tc_grade_result *v, tc_test *t,
                         const json_t *findings) {
    size_t n = json_array_size(findings);
    t->findings = json_array();
    json_array_append_new(v->kept, t->findings);
    for (size_t i = 0; i < n; i++) {
        json_t *f = json_array_get(findings, i);
        json_array_append(t->findings, f);
        if (!known(v->findings, f)) {
            json_array_append(v->findings, f);
        }
    }
}

void tc_verdict_notes(tc_grade_result *v, tc_test *t, const json_t *notes) {
    for (size_t i = 0;
         t->status != TC_TEST_PASSED && i < json_array_size(notes); i++) {
        const char *had = t->message ? t->message : "";
        t->message = tc_format(v->arena, "%s%s%s", had, *had ? "\n" : "",
                               json_string_value(json_array_get(notes, i)));
    }
}

/* Nothing that a terminal would obey, and no broken UTF-8. */
void tc_verdict_printed(tc_grade_result *v, tc_test *t, const tc_buf *printed,
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

const char *tc_verdict_says(tc_arena *a, const tc_grade_result *v,
                            const tc_test *t) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, t->message ? t->message : "");
    for (size_t i = 0; i < json_array_size(t->findings); i++) {
        tc_buf_printf(&b, "%s%s", b.len ? "\n" : "",
                      tc_verdict_finding(a, v, json_array_get(t->findings, i)));
    }
    return tc_buf_finish(&b, a);
}

bool tc_test_fails_for(const tc_test *t, const char *reason) {
    bool is = strcmp(tc_reason_names[t->reason], reason) == 0 ||
              (t->rule != NULL && strcmp(t->rule, reason) == 0 &&
               t->reason == TC_REASON_RULE);
    for (size_t i = 0; !is && i < json_array_size(t->findings); i++) {
        is = strcmp(text_of(json_array_get(t->findings, i), "kind"), reason) ==
             0;
    }
    return is && t->status == TC_TEST_FAILED;
}
