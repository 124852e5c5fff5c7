/* test_trace.c - a trace keeps the newest events, and survives a file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "trace/trace.h"
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
    tc_trace_event a = {.cycle = 5,
                        .end = 9,
                        .lanes = 0x8000000b,
                        .cta = 2,
                        .warp = 1,
                        .group = 7,
                        .phase = -1,
                        .bytes = 512,
                        .line = 12,
                        .ptx_line = 40,
                        .unit = TC_UNIT_ASYNC,
                        .cause = -1,
                        .each = 128};
    uint64_t lanes[32] = {UINT64_C(0x7f0000000000), UINT64_C(0x7f0000000100)};
    lanes[3] = UINT64_C(0x7f0000000080);
    lanes[31] = UINT64_C(0x7f0000000800);
    tc_trace_lanes(t, &a, lanes);
    assert_int_equal(t->naddresses, 1);
    tc_trace_event b = {.cycle = 9,
                        .end = 9,
                        .lanes = 1,
                        .group = -1,
                        .phase = 3,
                        .bytes = -1,
                        .ptx_line = 41,
                        .barrier = 8,
                        .object = TC_OBJECT_MBARRIER,
                        .kind = TC_TRACE_PHASE,
                        .unit = TC_UNIT_TMA,
                        .cause = 0,
                        .stride = -16,
                        .address = 16};
    tc_trace_add(t, &a);
    tc_trace_add(t, &b);
    tc_trace_add_stretch(
        t, &(tc_trace_stretch){.begin = 1, .end = 5, .issued = 3, .line = 7});
    tc_trace_add_fields(t, &(tc_trace_fields){.cycle = 9,
                                              .offset = 8,
                                              .phase = 4,
                                              .tx = -16,
                                              .after = 1,
                                              .live = true});
    tc_trace_add_name(t, 8, "mbar[1]");
    tc_trace_add_buffer(t, &(tc_trace_buffer){.name = "A smem\n7:",
                                              .type = "float16",
                                              .address = 64,
                                              .bytes = 32,
                                              .space = TC_TRACE_SPACE_SHARED});
    tc_trace_add_finding(t, &(tc_trace_finding){.cycle = 9,
                                                .line = 12,
                                                .cause_cycle = UINT64_MAX,
                                                .kind = "data-race",
                                                .message = "both write it",
                                                .object = "A[0]"});
    tc_trace_add_text(t, &(tc_trace_text){.name = "CUDA",
                                          .text = "a\nb: 7 ",
                                          .origins = "0 12 ",
                                          .first_line = 1,
                                          .lines = TC_LINES_MADE});
    tc_trace_set_clock(t, "sass");
    tc_buf text = TC_BUF_INIT, again = TC_BUF_INIT;
    tc_trace_save(t, &text);
    tc_trace *back = load(text.data);
    assert_non_null(back);
    assert_int_equal(back->cycles, 1234);
    assert_int_equal(back->n, 2);
    assert_int_equal(back->events[0].address, UINT64_C(0x7f0000000000));
    assert_int_equal(tc_trace_lane(back, &back->events[0], 1),
                     UINT64_C(0x7f0000000100));
    assert_int_equal(tc_trace_lane(back, &back->events[0], 31),
                     UINT64_C(0x7f0000000800));
    assert_int_equal(back->events[1].stride, -16);
    assert_int_equal(back->fields[0].tx, -16);
    assert_string_equal(tc_trace_name_of(back, 8), "mbar[1]");
    assert_string_equal(back->buffers[0].name, "A smem\n7:");
    assert_string_equal(back->findings[0].message, "both write it");
    assert_null(tc_trace_text_of(back, TC_LINES_OWN));
    assert_string_equal(tc_trace_text_of(back, TC_LINES_MADE)->text,
                        "a\nb: 7 ");
    assert_string_equal(back->texts[0].origins, "0 12 ");
    assert_string_equal(tc_trace_clock_words(back), ", by its machine code");
    assert_int_equal(back->events[1].kind, TC_TRACE_PHASE);
    assert_int_equal(back->events[1].phase, 3);
    tc_trace_save(back, &again);
    assert_string_equal(text.data, again.data);
    tc_trace_free(back);
    tc_trace_free(t);
    tc_buf_free(&text);
    tc_buf_free(&again);
}

/* One event with this kind, cause, CTA and place among the addresses. */
#define EVENT(kind, cause, cta, where)                                         \
    "events 1\n0 0 0 " cta " 0 0 0 0 0 0 0 " kind " 0 0 0 " cause              \
    " 0 0 0 0 0 " where " 0 0 0 0\n"
#define REST                                                                   \
    "stretches 0\nfields 0\nbuffers 0\nnames 0\nfindings 0\ntexts 0\nclock "   \
    "0:\n"

static void test_bad_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "1:1 this is not a trace of version 3"},
        {"tilecopy-trace 2\n", "1:1 this is not a trace of version 3"},
        {"tilecopy-trace 3\n1 1 1 1 0 0\n",
         "2:11 the line is not one of a trace"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\nevents x",
         "3:8 a number was expected here"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\nevents 9999999\n",
         "3:8 this number is out of its range"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\nevents 100\n",
         "4:1 the trace ends before its last line"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 9\nevents 0\n",
         "3:1 the trace ends before its last line"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\n" EVENT("99", "-1", "0", "0") REST,
         "4:23 this number is out of its range"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\n" EVENT("0", "5", "0", "0") REST,
         "5:1 an event's cause comes before it"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\n" EVENT("0", "-1", "1", "0") REST,
         "5:1 the trace has no such CTA or warp"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\n" EVENT("0", "-1", "0", "1") REST,
         "5:1 the trace has no such addresses"},
        {"tilecopy-trace 3\n1 1 1 1 0 0 0\n" EVENT("0", "-1", "0", "0") REST
         "more",
         "12:1 the trace ends here, the file does not"},
        {"tilecopy-trace 3\n99999999999999999999 1 1 1 0 0 1\n",
         "2:1 this number is too large"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        complaints = 0;
        assert_null(load(rows[i].text));
        assert_int_equal(complaints, 1);
        assert_string_equal(complaint, rows[i].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_bad_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
