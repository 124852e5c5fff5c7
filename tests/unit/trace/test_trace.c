/* test_trace.c - a trace keeps the newest events, and survives a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "trace/trace.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_ring(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    int32_t number = 0;
    for (uint64_t i = 0; i < TC_TRACE_LIMIT + 10; i++) {
        tc_trace_event e = {.cycle = i, .cause = (int32_t)i - 1};
        number = tc_trace_add(t, &e);
        assert_int_equal(number, i);
    }
    assert_true(t->truncated);
    assert_int_equal(t->dropped + t->n, TC_TRACE_LIMIT + 10);
    assert_null(tc_trace_at(t, 0));
    assert_null(tc_trace_at(t, -1));
    assert_null(tc_trace_at(t, number + 1));
    assert_int_equal(tc_trace_at(t, number)->cycle, TC_TRACE_LIMIT + 9);
    tc_trace_finish(t);
    assert_int_equal(t->events[0].cause, -1);
    assert_int_equal(t->events[1].cause, 0);
    assert_int_equal(t->events[t->n - 1].cause, t->n - 2);
    tc_trace_free(t);
}

static int complaints;
static char complaint[256];

static void complain(void *user, const tc_diag *d) {
    (void)user;
    complaints++;
    snprintf(complaint, sizeof complaint, "%d:%d %s", d->line, d->col,
             d->message);
}

static tc_trace *load(const char *text) {
    tc_diags d = {.fn = complain};
    tc_source s = {"t.trace", text, strlen(text), 1};
    return tc_trace_load(&s, &d);
}

static void test_file(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    t->cycles = 1234;
    t->ctas = 3;
    t->warps = 4;
    tc_trace_event a = {5, 9,  UINT32_MAX, 2,  1,
                        7, -1, 512,        12, 40,
                        0, 0,  2,          -1, UINT64_C(0x7f0000000000)};
    tc_trace_event b = {
        9, 9, 1, 0, 0, -1, 3, -1, 0, 41, 9, TC_TRACE_PHASE, TC_UNIT_TMA, 0, 16};
    tc_trace_add(t, &a);
    tc_trace_add(t, &b);
    tc_buf text = TC_BUF_INIT, again = TC_BUF_INIT;
    tc_trace_save(t, &text);
    tc_trace *back = load(text.data);
    assert_non_null(back);
    assert_int_equal(back->cycles, 1234);
    assert_int_equal(back->n, 2);
    assert_int_equal(back->events[0].address, UINT64_C(0x7f0000000000));
    assert_int_equal(back->events[1].kind, TC_TRACE_PHASE);
    assert_int_equal(back->events[1].phase, 3);
    tc_trace_save(back, &again);
    assert_string_equal(text.data, again.data);
    tc_trace_free(back);
    tc_trace_free(t);
    tc_buf_free(&text);
    tc_buf_free(&again);
}

static void test_bad_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "1:1 this is not a trace of version 1"},
        {"tilecopy-trace 2\n", "1:1 this is not a trace of version 1"},
        {"tilecopy-trace 1\n1 1 1 0 0\n", "2:9 the line is not one of a trace"},
        {"tilecopy-trace 1\n1 1 1 0 0 1\n1 x",
         "3:3 a number was expected here"},
        {"tilecopy-trace 1\n1 1 1 0 0 9999999\n",
         "3:1 a trace has at most 262144 events"},
        {"tilecopy-trace 1\n1 1 1 0 0 0\nmore",
         "3:1 the trace ends here, the file does not"},
        {"tilecopy-trace 1\n1 1 1 0 0 1\n0 0 0 0 0 0 0 0 0 0 0 99 0 -1 0\n",
         "3:23 this number is out of its range"},
        {"tilecopy-trace 1\n1 1 1 0 0 1\n0 0 0 0 0 0 0 0 0 0 0 0 0 5 0\n",
         "3:29 an event's cause comes before it"},
        {"tilecopy-trace 1\n99999999999999999999 1 1 0 0 1\n",
         "2:1 this number is too large"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        complaints = 0;
        assert_null(load(rows[i].text));
        assert_int_equal(complaints, 1);
        assert_string_equal(complaint, rows[i].says);
    }
}

static void test_chrome(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    tc_trace_event a = {5, 9, 15, 2, 1, 7, -1, 512, 12, 40, 0, 0, 2, -1, 0};
    tc_trace_event b = {9, 9, 1, 0, 0, -1, 3, -1, 0, 41, 9, 5, 4, 0, 16};
    tc_trace_add(t, &a);
    tc_trace_add(t, &b);
    tc_buf text = TC_BUF_INIT;
    tc_trace_chrome(t, &text);
    json_t *j = json_loads(text.data, 0, NULL);
    json_t *events = json_object_get(j, "traceEvents");
    assert_int_equal(json_array_size(events), 2);
    json_t *e = json_array_get(events, 0), *args = json_object_get(e, "args");
    assert_int_equal(json_integer_value(json_object_get(e, "ts")), 5);
    assert_int_equal(json_integer_value(json_object_get(e, "dur")), 4);
    assert_int_equal(json_integer_value(json_object_get(e, "pid")), 2);
    assert_int_equal(json_integer_value(json_object_get(e, "tid")), 1);
    assert_int_equal(json_integer_value(json_object_get(args, "group")), 7);
    assert_null(json_object_get(args, "phase"));
    json_decref(j);
    tc_buf_free(&text);
    tc_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_chrome),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
