/* The timeline model and its text picture, on small traces written by hand;
 * every expected figure and picture is worked out from timeline.h's words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/timeline_draw.h"

#include <string.h>

#define ALL UINT32_C(0xFFFFFFFF)

static int32_t put(tc_trace *t, tc_trace_event e) {
    return tc_trace_add(t, &e);
}

static tc_trace_event ev(tc_trace_kind kind, uint32_t warp, uint64_t cycle,
                         int line) {
    return (tc_trace_event){.kind = (uint8_t)kind,
                            .cycle = cycle,
                            .end = cycle,
                            .lanes = ALL,
                            .warp = warp,
                            .group = -1,
                            .phase = -1,
                            .bytes = -1,
                            .line = line,
                            .cause = -1};
}

static int32_t issue(tc_trace *t, uint32_t warp, uint64_t cycle, int group) {
    tc_trace_event e = ev(TC_TRACE_ISSUE, warp, cycle, 10);
    e.group = group;
    e.bytes = 512;
    e.unit = TC_UNIT_ASYNC;
    return put(t, e);
}

static void commit(tc_trace *t, uint32_t warp, uint64_t cycle, int group) {
    tc_trace_event e = ev(TC_TRACE_COMMIT, warp, cycle, 11);
    e.group = group;
    put(t, e);
}

static void complete(tc_trace *t, int32_t cause, uint64_t cycle) {
    tc_trace_event e = t->events[cause];
    e.kind = TC_TRACE_COMPLETE;
    e.cycle = e.end = cycle;
    e.cause = cause;
    put(t, e);
}

static void wait(tc_trace *t, uint32_t warp, uint64_t from, uint64_t to,
                 int group) {
    tc_trace_event e = ev(TC_TRACE_WAIT, warp, from, 12);
    e.end = to;
    e.group = group;
    put(t, e);
}

/* Two copies, a commit, a wait that stalls, a barrier, a store, the end. */
static void one_warp(tc_trace *t, uint32_t warp, uint64_t at) {
    int32_t a = issue(t, warp, at, 0), b = issue(t, warp, at + 2, 0);
    commit(t, warp, at + 4, 0);
    complete(t, a, at + 18);
    wait(t, warp, at + 6, at + 20, 0);
    complete(t, b, at + 20);
    put(t, ev(TC_TRACE_BARRIER, warp, at + 22, 13));
    put(t, ev(TC_TRACE_STORE, warp, at + 24, 14));
    put(t, ev(TC_TRACE_EXIT, warp, at + 26, 14));
    t->cycles = at + 26;
    t->ctas = 1;
    t->warps = warp + 1;
}

static void test_one_bar(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    one_warp(t, 0, 0);
    tc_timeline *tl = tc_timeline_new(t);
    assert_int_equal(tl->nrows, 1);
    assert_int_equal(tl->rows[0].nevents, 9);
    assert_int_equal(tl->rows[0].nbars, 1);
    const tc_timeline_bar *b = &tl->rows[0].bars[0];
    assert_int_equal(b->group, 0);
    assert_int_equal(b->issue, 0);
    assert_int_equal(b->begin, 4);
    assert_int_equal(b->end, 20);
    assert_int_equal(b->bytes, 1024);
    assert_int_equal(b->copies, 2);
    assert_int_equal(b->waited, 20);
    assert_int_equal(b->wait_begin, 6);
    assert_int_equal(b->line, 11);
    assert_int_equal(b->wait_line, 12);
    assert_true(b->committed);
    assert_int_equal(tl->order[3]->kind, TC_TRACE_WAIT); /* by cycle */
    tc_timeline_free(tl);
    tc_trace_free(t);
}

static void test_pending(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    int32_t a = issue(t, 0, 0, 0), b;
    commit(t, 0, 1, 0);
    b = issue(t, 0, 2, 1);
    commit(t, 0, 3, 1);
    wait(t, 0, 4, 30, 0); /* wait_group 1: leaves the newest */
    complete(t, a, 30);
    complete(t, b, 40);
    wait(t, 0, 32, 40, 1);
    tc_timeline *tl = tc_timeline_new(t);
    const tc_timeline_row *r = &tl->rows[0];
    int32_t out[1];
    assert_int_equal(tc_timeline_pending(r, 0, out, 1), 0);
    assert_int_equal(tc_timeline_pending(r, 1, out, 1), 1);
    assert_int_equal(tc_timeline_pending(r, 3, out, 1), 2);
    assert_int_equal(out[0], 0);
    assert_int_equal(tc_timeline_pending(r, 30, out, 1), 1);
    assert_int_equal(out[0], 1);
    assert_int_equal(tc_timeline_pending(r, 40, out, 1), 0);
    assert_int_equal(r->bars[0].waited, 30);
    assert_int_equal(r->bars[1].waited, 40);
    assert_int_equal(tl->cycles, 40); /* no end was recorded */
    tc_timeline_free(tl);
    tc_trace_free(t);
}

static void test_uncommitted_and_unfinished(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    int32_t a = issue(t, 0, 5, 0);
    complete(t, a, 9);
    issue(t, 0, 6, 0);
    wait(t, 0, 7, 7, -1);
    issue(t, 1, 5, -1);
    tc_timeline *tl = tc_timeline_new(t);
    const tc_timeline_bar *b = &tl->rows[0].bars[0];
    assert_false(b->committed);
    assert_int_equal(b->begin, 5);
    assert_true(b->end == UINT64_MAX); /* the second has not landed */
    assert_true(b->waited == UINT64_MAX);
    assert_int_equal(b->line, 10);
    assert_int_equal(tl->rows[1].bars[0].group, -1);
    tc_buf text = TC_BUF_INIT;
    tc_timeline_style style = {.width = 200};
    tc_timeline_text(&text, tl, &style);
    assert_non_null(strstr(text.data,
                           "group 0: 2 copies, 1024 bytes a warp; "
                           "never committed, issued from cycle 5 "
                           "(line 10); not complete when the trace ends; "
                           "no wait guarantees it\n"));
    assert_non_null(strstr(text.data, "in no group: 1 copy, 512 bytes"));
    tc_buf_free(&text);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

/* Early completion: the group flies from its commit on, for no time. */
static void test_landed_before_commit(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    complete(t, issue(t, 0, 0, 0), 1);
    commit(t, 0, 8, 0);
    commit(t, 0, 9, 1); /* an empty group */
    tc_timeline *tl = tc_timeline_new(t);
    assert_int_equal(tl->rows[0].bars[0].begin, 8);
    assert_int_equal(tl->rows[0].bars[0].end, 8);
    assert_int_equal(tl->rows[0].bars[1].copies, 0);
    assert_int_equal(tl->rows[0].bars[1].issue, 9);
    assert_int_equal(tl->rows[0].bars[1].end, 9);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

/* The upper half of the warp commits its copy, the lower half does not. */
static void test_lanes_split(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    int32_t a = issue(t, 0, 0, 0);
    tc_trace_event e = ev(TC_TRACE_COMMIT, 0, 2, 11);
    e.group = 0;
    e.lanes = UINT32_C(0xFFFF0000);
    put(t, e);
    complete(t, a, 10);
    tc_timeline *tl = tc_timeline_new(t);
    assert_int_equal(tl->nrows, 2);
    assert_int_equal(tl->rows[0].lanes, 0x0000FFFF);
    assert_false(tl->rows[0].bars[0].committed);
    assert_int_equal(tl->rows[0].bars[0].bytes, 256);
    assert_int_equal(tl->rows[1].lanes, UINT32_C(0xFFFF0000));
    assert_true(tl->rows[1].bars[0].committed);
    tc_buf b = TC_BUF_INIT;
    tc_timeline_label(&b, tl, &tl->rows[1]);
    assert_string_equal(b.data, "warp 0 lanes 16-31");
    tc_buf_free(&b);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

/* Lanes that take turns at the same steps stay one row. */
static void test_turns_do_not_split(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (int half = 0; half < 2; half++) {
        tc_trace_event e = ev(TC_TRACE_COMMIT, 0, 2 + (uint64_t)half * 3, 11);
        e.group = 0;
        e.lanes = half ? UINT32_C(0xFFFF0000) : 0xFFFF;
        put(t, e);
    }
    tc_timeline *tl = tc_timeline_new(t);
    assert_int_equal(tl->nrows, 1);
    assert_int_equal(tl->rows[0].bars[0].begin, 2); /* the first commit */
    tc_timeline_free(tl);
    tc_trace_free(t);
}

static char *picture(const tc_trace *t, int width, int max_rows, bool unicode,
                     tc_buf *b) {
    tc_timeline *tl = tc_timeline_new(t);
    tc_timeline_style style = {width, max_rows, unicode};
    tc_timeline_text(b, tl, &style);
    tc_timeline_free(tl);
    return b->data;
}

static void test_text(void **state) {
    (void)state;
    static const char *const want =
        "cycle    0    5    10   15   20   25\n"
        "         +----+----+----+----+----+-\n"
        "warp 0   i-i-C-W.............--B-s-x\n"
        "  group  ::::0===============\n"
        "\n"
        "i asynchronous copy issued; C commit of a group; W wait; B barrier; "
        "s store; x\n"
        "  the warp ends; - the warp goes on; . it stands still\n"
        "= a group in flight, its number in front: from commit until its last "
        "byte has\n"
        "  landed; : copies that no commit has taken yet\n"
        "one column is 1 cycle\n"
        "\n"
        "group 0: 2 copies, 1024 bytes a warp; committed at cycle 4 (line 11); "
        "complete\n"
        "  at 20; waited for at 6 (line 12), which lets go at 20\n"
        "warp 0: copies in flight for 16 cycles; it went on during 2 of them "
        "and stood\n"
        "  still in a wait during 14 (line 12)\n";
    tc_trace *t = tc_trace_new();
    one_warp(t, 0, 0);
    tc_buf b = TC_BUF_INIT;
    assert_string_equal(picture(t, 80, 0, false, &b), want);
    tc_buf_clear(&b);
    picture(t, 80, 0, true, &b);
    assert_non_null(strstr(b.data, "warp 0   i─i─C─W░░░░░░░░░░░░░──B─s─x\n"));
    assert_non_null(strstr(b.data, "  group  ╌╌╌╌0███████████████\n"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

/* Every line fits its width, at any width and with many warps. */
static void test_widths(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (uint32_t w = 0; w < 6; w++) {
        one_warp(t, w, w * 333);
    }
    for (int width = 40; width <= 200; width += 7) {
        tc_buf b = TC_BUF_INIT;
        picture(t, width, 0, false, &b);
        for (char *line = strtok(b.data, "\n"); line != NULL;
             line = strtok(NULL, "\n")) {
            assert_true((int)strlen(line) <= width);
        }
        tc_buf_free(&b);
    }
    tc_trace_free(t);
}

static void test_merged_rows(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (uint32_t w = 0; w < 4; w++) {
        one_warp(t, w, 0);
    }
    one_warp(t, 4, 1);
    one_warp(t, 5, 2);
    tc_buf b = TC_BUF_INIT;
    picture(t, 80, 2, false, &b);
    assert_non_null(strstr(b.data, "\nwarps 0-3 "));
    assert_non_null(strstr(b.data, "\nwarp 4 "));
    assert_null(strstr(b.data, "\nwarp 5 "));
    assert_non_null(strstr(b.data, "(3 rows merged into those exactly alike)"));
    assert_non_null(strstr(b.data, "(1 more row not drawn: the same steps as "
                                   "warps 0-3, at other cycles)"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

/* Too crowded for a plain axis: quiet cycles are cut out, and said so. */
static void test_cut_axis(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    one_warp(t, 0, 1000);
    tc_timeline *tl = tc_timeline_new(t);
    tc_timeline_axis a = tc_axis_fit(tl, NULL, 60);
    assert_int_equal(a.scale, 2);
    assert_int_equal(tc_axis_column(&a, 1002) - tc_axis_column(&a, 1000), 1);
    assert_int_equal(tc_axis_column(&a, 0), 0);
    bool cut = false;
    for (int c = 0; c < a.cols; c++) {
        cut |= a.cut[c];
        assert_true(a.start[c] <= a.start[c + 1]);
    }
    assert_true(cut);
    tc_axis_free(&a);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

/* At 4 cycles a column i, C and W would meet; columns that are left keep them
 * apart. */
static void test_split_columns(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    complete(t, issue(t, 0, 100, 0), 205);
    commit(t, 0, 101, 0);
    wait(t, 0, 102, 205, 0);
    for (uint64_t at = 0; at < 300; at += 10) { /* no quiet stretch */
        put(t, ev(TC_TRACE_STORE, 1, at, 14));
    }
    tc_timeline *tl = tc_timeline_new(t);
    tc_timeline_axis a = tc_axis_fit(tl, NULL, 80);
    assert_int_equal(a.scale, 4);
    assert_true(a.split);
    assert_int_equal(tc_axis_column(&a, 99), 24);
    assert_int_equal(tc_axis_column(&a, 100), 25);
    assert_int_equal(tc_axis_column(&a, 101), 26);
    assert_int_equal(tc_axis_column(&a, 102), 27);
    assert_int_equal(tc_axis_column(&a, 104), 28);
    tc_axis_free(&a);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

/* Whatever the gaps between events, the fitted axis has room for all. */
static void test_fit_any_gaps(void **state) {
    (void)state;
    uint32_t x = 7;
    for (int round = 0; round < 300; round++) {
        tc_trace *t = tc_trace_new();
        uint64_t at = 0;
        for (int i = 0; i < 40; i++) {
            x = x * 1664525 + 1013904223;
            at += (x >> 12) % ((x >> 8) % 4 == 0 ? 400 : 12);
            put(t, ev(TC_TRACE_STORE, (x >> 4) % 2, at, 1));
        }
        tc_timeline *tl = tc_timeline_new(t);
        int cols = 8 + round % 100;
        tc_timeline_axis a = tc_axis_fit(tl, NULL, cols);
        assert_true(a.cols <= cols);
        assert_int_equal(a.start[0], 0);
        assert_true(a.start[a.cols] > at);
        for (size_t i = 0; i < t->n; i++) {
            int c = tc_axis_column(&a, t->events[i].cycle);
            assert_true(c >= 0 && c < a.cols && !a.cut[c]);
        }
        tc_axis_free(&a);
        tc_timeline_free(tl);
        tc_trace_free(t);
    }
}

static void test_axis_linear(void **state) {
    (void)state;
    tc_timeline_axis a = tc_axis_linear(100, 5, 10);
    assert_int_equal(tc_axis_column(&a, 99), -1);
    assert_int_equal(tc_axis_column(&a, 100), 0);
    assert_int_equal(tc_axis_column(&a, 104), 0);
    assert_int_equal(tc_axis_column(&a, 149), 9);
    assert_int_equal(tc_axis_column(&a, 150), 10);
    assert_int_equal(tc_axis_round(1), 1);
    assert_int_equal(tc_axis_round(3), 5);
    assert_int_equal(tc_axis_round(51), 100);
    tc_axis_free(&a);
}

/* Three stages in turn: a bar goes under those that it would touch. */
static void test_bar_lines(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (int g = 0; g < 4; g++) {
        uint64_t at = (uint64_t)g * 10;
        int32_t i = issue(t, 0, at, g);
        commit(t, 0, at + 1, g);
        complete(t, i, at + 15);
    }
    tc_timeline *tl = tc_timeline_new(t);
    tc_timeline_axis a = tc_axis_linear(0, 1, 50);
    tc_glyph cells[51] = {0};
    assert_int_equal(tc_draw_bars(&a, &tl->rows[0], -1, NULL, NULL), 2);
    size_t dropped;
    tc_draw_bars(&a, &tl->rows[0], 1, cells, &dropped);
    assert_int_equal(dropped, 0);
    assert_int_equal(cells[10], TC_GLYPH_LOOSE);
    assert_int_equal(cells[11], '1');
    assert_int_equal(cells[24], TC_GLYPH_BAR);
    assert_int_equal(cells[25], ' ');
    assert_int_equal(cells[31], '3');
    tc_axis_free(&a);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

static void test_stars(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    put(t, ev(TC_TRACE_LOAD, 0, 0, 1));
    put(t, ev(TC_TRACE_STORE, 0, 0, 2)); /* hides the load */
    commit(t, 0, 3, 0);
    put(t, ev(TC_TRACE_STORE, 0, 3, 2));
    put(t, ev(TC_TRACE_STORE, 0, 3, 2));
    tc_buf b = TC_BUF_INIT;
    picture(t, 80, 0, false, &b);
    assert_non_null(strstr(b.data, "warp 0   s--*\n"));
    assert_non_null(strstr(b.data, "\n* warp 0, cycle 3: C, s x2\n"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

static void test_empty_and_hostile(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    tc_buf b = TC_BUF_INIT;
    assert_string_equal(picture(t, 80, 0, true, &b),
                        "The trace is empty: no warp did anything.\n");
    tc_trace_event e = ev(TC_TRACE_COMPLETE, 7, UINT64_MAX - 1, -5);
    e.cause = 99; /* of an event that is not there */
    put(t, e);
    e = ev(TC_TRACE_COMMIT, 7, UINT64_MAX - 1, 0);
    e.group = INT32_MAX;
    put(t, e);
    e = ev(TC_TRACE_PHASE, 0, 3, 0);
    e.lanes = 0; /* nobody's */
    put(t, e);
    tc_buf_clear(&b);
    picture(t, 0, 1, true, &b);
    picture(t, 5000, 1, true, &b);
    tc_buf_free(&b);
    tc_trace_free(t);
}

static void test_words(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    one_warp(t, 0, 0);
    tc_timeline *tl = tc_timeline_new(t);
    static const char *const want[] = {
        "warp 0 issues an asynchronous copy of 512 bytes for group 0",
        "warp 0 issues an asynchronous copy of 512 bytes for group 0",
        "warp 0 commits its copies as group 0",
        "warp 0 waits for group 0 and stands still for 14 cycles, until 20",
        "warp 0: copies of 512 bytes have landed for group 0, issued at cycle "
        "0",
        "warp 0: copies of 512 bytes have landed for group 0, issued at cycle "
        "2",
        "warp 0 reaches barrier",
        "warp 0 stores",
        "warp 0 ends",
    };
    for (size_t i = 0; i < tl->norder; i++) {
        tc_buf b = TC_BUF_INIT;
        tc_timeline_event_text(&b, tl, tl->order[i]);
        assert_string_equal(b.data, want[i]);
        tc_buf_free(&b);
    }
    tc_timeline_free(tl);
    tc_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_bar),
        cmocka_unit_test(test_pending),
        cmocka_unit_test(test_uncommitted_and_unfinished),
        cmocka_unit_test(test_landed_before_commit),
        cmocka_unit_test(test_lanes_split),
        cmocka_unit_test(test_turns_do_not_split),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_merged_rows),
        cmocka_unit_test(test_cut_axis),
        cmocka_unit_test(test_split_columns),
        cmocka_unit_test(test_fit_any_gaps),
        cmocka_unit_test(test_axis_linear),
        cmocka_unit_test(test_bar_lines),
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_empty_and_hostile),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
