/* test_report.c - findings as SARIF: what the standard requires of each object that is
 * written (OASIS, SARIF 2.1.0, the sections named below), and that every kind of
 * finding is a rule; and as a compiler's lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "commands/report/report.h"
#include "tilecopy.h"

#include <string.h>

static json_t *findings;

static int make(void **state) {
    (void)state;
    findings = json_pack(
        "[{s:s,s:s,s:s,s:i,s:i,s:i,s:[i,i,i],s:s,s:[i,i],s:{s:s,s:i,s:s}},"
        "{s:s,s:s,s:s,s:i,s:n,s:{s:s,s:i,s:s,s:s}},"
        "{s:s,s:s,s:s,s:i,s:n}]",
        "kind", "read-before-complete", "message", "thread 0 reads A", "file",
        "a b.cu", "line", 12, "column", 5, "cycle", 179, "thread", 0, 1, 2,
        "object", "A[0]", "bytes", 0, 16, "cause", "what",
        "cp.async issued at line 10", "line", 10, "missing",
        "wait_group 0 before line 12", "kind", "data-race", "message", "two",
        "file", "/x/k.cu", "line", 3, "thread", "cause", "what", "a write",
        "line", 8, "missing", "", "file", "k.cuh", "kind", "host-leak",
        "message", "never freed", "file", "./p.cu", "line", 0, "cause");
    assert_non_null(findings);
    return 0;
}

static int end(void **state) {
    (void)state;
    json_decref(findings);
    return 0;
}

static json_t *sarif(const json_t *list, const char *failed) {
    tc_buf b = TC_BUF_INIT;
    json_error_t e;
    tc_sarif(list, failed, &b);
    json_t *log = json_loads(tc_buf_text(&b), 0, &e);
    assert_non_null(log);
    tc_buf_free(&b);
    return log;
}

static json_t *get(const json_t *j, const char *key) {
    json_t *v = json_object_get(j, key);
    if (v == NULL) {
        fail_msg("there is no %s", key);
    }
    return v;
}

static const char *text(const json_t *j, const char *key) {
    const char *t = json_string_value(get(j, key));
    assert_non_null(t);
    return t;
}

/* 3.13, 3.14, 3.18, 3.19 */
static void test_log(void **state) {
    (void)state;
    json_t *log = sarif(findings, NULL);
    assert_string_equal(text(log, "version"), "2.1.0");
    json_t *runs = get(log, "runs");
    assert_int_equal(json_array_size(runs), 1);
    json_t *run = json_array_get(runs, 0), *driver;
    driver = get(get(run, "tool"), "driver");
    assert_string_equal(text(driver, "name"), "tilecopy-repl");
    assert_string_equal(text(driver, "semanticVersion"), TC_VERSION);
    json_t *how = json_array_get(get(run, "invocations"), 0);
    assert_true(json_is_true(get(how, "executionSuccessful")));
    assert_int_equal(json_array_size(get(run, "results")), 3);
    json_decref(log);
}

/* 3.49: ids, unique; 3.50: a level. Every result's rule is the one of its index. */
static void test_rules(void **state) {
    (void)state;
    json_t *log = sarif(findings, NULL);
    json_t *run = json_array_get(get(log, "runs"), 0);
    json_t *rules = get(get(get(run, "tool"), "driver"), "rules");
    assert_in_range(json_array_size(rules), 26, 100);
    size_t i, k;
    json_t *r, *q;
    json_array_foreach(rules, i, r) {
        json_array_foreach(rules, k, q) {
            assert_true(i == k || strcmp(text(r, "id"), text(q, "id")) != 0);
        }
        assert_true(*text(get(r, "fullDescription"), "text") != '\0');
        assert_string_equal(text(get(r, "defaultConfiguration"), "level"),
                            tc_finding_level(text(r, "id")));
        assert_string_not_equal(text(r, "id"), "unbuilt"); /* no mistake */
    }
    json_array_foreach(get(run, "results"), i, r) {
        q = json_array_get(rules,
                           (size_t)json_integer_value(get(r, "ruleIndex")));
        assert_string_equal(text(r, "ruleId"), text(q, "id"));
        assert_string_equal(text(r, "level"),
                            tc_finding_level(text(r, "ruleId")));
    }
    json_decref(log);
}

static json_t *place_of(const json_t *location, int line, int column) {
    json_t *place = get(location, "physicalLocation");
    json_t *region = json_object_get(place, "region");
    assert_int_equal(region != NULL, line > 0);
    if (region != NULL) {
        assert_int_equal(json_integer_value(get(region, "startLine")), line);
        json_t *c = json_object_get(region, "startColumn");
        assert_int_equal(json_integer_value(c), column);
        assert_int_equal(c != NULL, column > 0);
    }
    return get(place, "artifactLocation");
}

/* 3.27: results; 3.28 to 3.30: locations; RFC 3986: paths as URIs */
static void test_results(void **state) {
    (void)state;
    json_t *log = sarif(findings, NULL);
    json_t *results = get(json_array_get(get(log, "runs"), 0), "results");
    json_t *a = json_array_get(results, 0), *b = json_array_get(results, 1);
    json_t *c = json_array_get(results, 2);

    assert_string_equal(
        text(get(a, "message"), "text"),
        "thread 0 reads A; missing: wait_group 0 before line 12");
    json_t *at = place_of(json_array_get(get(a, "locations"), 0), 12, 5);
    assert_string_equal(text(at, "uri"), "a%20b.cu");
    json_t *other = json_array_get(get(a, "relatedLocations"), 0);
    assert_string_equal(text(place_of(other, 10, 0), "uri"), "a%20b.cu");
    assert_string_equal(text(get(other, "message"), "text"),
                        "cp.async issued at line 10");
    assert_int_equal(json_integer_value(get(other, "id")), 1);
    assert_int_equal(json_integer_value(get(get(a, "properties"), "cycle")),
                     179);

    at = place_of(json_array_get(get(b, "locations"), 0), 3, 0);
    assert_string_equal(text(at, "uri"), "file:///x/k.cu");
    other = json_array_get(get(b, "relatedLocations"), 0);
    assert_string_equal(text(place_of(other, 8, 0), "uri"), "k.cuh");

    at = place_of(json_array_get(get(c, "locations"), 0), 0, 0);
    assert_string_equal(text(at, "uri"), "p.cu");
    assert_null(json_object_get(c, "relatedLocations"));
    assert_string_equal(text(c, "level"), "warning");
    json_decref(log);
}

/* 3.20.14, 3.20.21, 3.58 */
static void test_failed(void **state) {
    (void)state;
    json_t *none = json_array();
    json_t *log = sarif(none, "nvcc refuses it");
    json_t *run = json_array_get(get(log, "runs"), 0);
    json_t *how = json_array_get(get(run, "invocations"), 0);
    assert_true(json_is_false(get(how, "executionSuccessful")));
    json_t *note = json_array_get(get(how, "toolExecutionNotifications"), 0);
    assert_string_equal(text(get(note, "message"), "text"), "nvcc refuses it");
    assert_int_equal(json_array_size(get(run, "results")), 0);
    json_decref(log);
    json_decref(none);
}

static void test_lines(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    tc_finding_lines(findings, &b);
    assert_string_equal(
        tc_buf_text(&b),
        "a b.cu:12:5: warning: thread 0 reads A [read-before-complete]\n"
        "a b.cu:10:1: note: cp.async issued at line 10\n"
        "a b.cu:12:5: note: missing: wait_group 0 before line 12\n"
        "/x/k.cu:3:1: warning: two [data-race]\n"
        "k.cuh:8:1: note: a write\n"
        "./p.cu:1:1: warning: never freed [host-leak]\n");
    tc_buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),     cmocka_unit_test(test_rules),
        cmocka_unit_test(test_results), cmocka_unit_test(test_failed),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, make, end);
}
