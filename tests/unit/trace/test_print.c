/* The printed picture and its axis, on small traces written by hand; every
 * expected figure and picture is worked out from the words of print.h, axis.h
 * and rows.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/draw/print.h"
#include "trace/draw/rows.h"
#include "trace/export/export.h"

#include <jansson.h>
#include <stdlib.h>
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
    e.object = TC_OBJECT_GROUP;
    e.bytes = 512;
    e.unit = TC_UNIT_ASYNC;
    return put(t, e);
}

static void commit(tc_trace *t, uint32_t warp, uint64_t cycle, int group) {
    tc_trace_event e = ev(TC_TRACE_COMMIT, warp, cycle, 11);
    e.group = group;
    e.object = TC_OBJECT_GROUP;
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
    e.object = TC_OBJECT_GROUP;
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

static char *picture(const tc_trace *t, int width, int max_rows, bool unicode,
                     tc_buf *b) {
    tc_model *m = tc_model_new(t);
    tc_print_style style = {width, max_rows, unicode};
    tc_print_timeline(b, m, &style);
    tc_model_free(m);
    return b->data;
}

static void test_text(void **state) {
    (void)state;
    static const char *const want =
        "cycle    0    5    10   15   20   25\n"
        "         +----+----+----+----+----+-\n"
        "warp 0   i-i-C-W.............--B-s-x\n"
        "  groups ::::0===============\n"
        "\n"
        "i cp.async issued; C commit of a group; W wait; B barrier; s store; x "
        "the warp\n"
        "  ends\n"
        "- the warp goes on; . it stands still; : copies that no commit has "
        "taken yet; =\n"
        "  in flight, until the last byte has landed\n"
        "26 cycles; one column is 1\n"
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
    assert_non_null(strstr(b.data, "  groups ╌╌╌╌0███████████████\n"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

/* Every line fits its width, at any width and with many warps. */
static void test_uncommitted_and_unfinished(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    int32_t a = issue(t, 0, 5, 0);
    complete(t, a, 9);
    issue(t, 0, 6, 0);
    tc_buf b = TC_BUF_INIT;
    picture(t, 200, 0, true, &b);
    assert_non_null(strstr(b.data, "group 0: 2 copies, 1024 bytes a warp; "
                                   "never committed, issued from cycle 5 "
                                   "(line 10); no wait guarantees it\n"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

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
    picture(t, 80, 4, false, &b);
    assert_non_null(strstr(b.data, "\nwarps 0-3 "));
    assert_non_null(strstr(b.data, "\nwarp 4 "));
    assert_null(strstr(b.data, "\nwarp 5 "));
    assert_non_null(strstr(b.data, "(6 rows merged into those exactly alike)"));
    assert_non_null(strstr(b.data, "(2 more rows not drawn: the same steps as "
                                   "warps 0-3, at other cycles)"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

static tc_time_axis axis_of(const tc_model *m, int cols) {
    tc_axis_points p = tc_axis_points_of(m, NULL, NULL);
    tc_time_axis a = tc_axis_all(&p, cols, 0);
    free(p.at);
    return a;
}

/* Much quiet between many steps: it is cut out. */
static void test_cut_axis(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (uint64_t i = 0; i < 60; i++) {
        commit(t, 0, i, 0);
        put(t, ev(TC_TRACE_BARRIER, 0, 100000 + i, 0));
        put(t, ev(TC_TRACE_WAIT, 0, 100000 + i, 0));
    }
    tc_model *m = tc_model_new(t);
    tc_time_axis a = axis_of(m, 100);
    assert_int_equal(a.scale, 2);
    assert_int_equal(tc_axis_column(&a, 0), 0);
    assert_true(tc_axis_column(&a, 100004) - tc_axis_column(&a, 100000) >= 2);
    bool cut = false;
    for (int c = 0; c < a.cols; c++) {
        cut |= a.cut[c];
        assert_true(a.start[c] <= a.start[c + 1]);
    }
    assert_true(cut);
    tc_axis_free(&a);
    tc_model_free(m);
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
    tc_model *m = tc_model_new(t);
    tc_time_axis a = axis_of(m, 80);
    assert_int_equal(a.scale, 4);
    assert_true(a.split);
    assert_int_equal(tc_axis_column(&a, 99), 24);
    assert_int_equal(tc_axis_column(&a, 100), 25);
    assert_int_equal(tc_axis_column(&a, 101), 26);
    assert_int_equal(tc_axis_column(&a, 102), 27);
    assert_int_equal(tc_axis_column(&a, 104), 28);
    tc_axis_free(&a);
    tc_model_free(m);
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
            put(t, ev(TC_TRACE_COMMIT, (x >> 4) % 2, at, 1));
        }
        tc_model *m = tc_model_new(t);
        int cols = 8 + round % 100;
        tc_time_axis a = axis_of(m, cols);
        assert_true(a.cols <= cols);
        assert_int_equal(a.start[0], 0);
        assert_true(a.start[a.cols] > at);
        for (size_t i = 0; i < t->n; i++) {
            int c = tc_axis_column(&a, t->events[i].cycle);
            assert_true(c >= 0 && c < a.cols && !a.cut[c]);
        }
        tc_axis_free(&a);
        tc_model_free(m);
        tc_trace_free(t);
    }
}

static void test_round(void **state) {
    (void)state;
    assert_int_equal(tc_axis_round(1), 1);
    assert_int_equal(tc_axis_round(3), 5);
    assert_int_equal(tc_axis_round(51), 100);
    assert_int_equal(tc_axis_finer(100), 50);
    assert_int_equal(tc_axis_finer(1), 1);
}

/* Groups that fly at the same time take a line each. */
static void test_bar_lines(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (int g = 0; g < 2; g++) {
        uint64_t at = (uint64_t)g * 10;
        int32_t i = issue(t, 0, at, g);
        commit(t, 0, at + 1, g);
        complete(t, i, at + 15);
    }
    tc_buf b = TC_BUF_INIT;
    picture(t, 80, 0, false, &b);
    assert_non_null(strstr(b.data, "warp 0   iC--------iC\n"
                                   "  groups :0=============-----------\n"
                                   "                   :1=============-\n"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

static void test_stars(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    put(t, ev(TC_TRACE_LOAD, 0, 0, 1)); /* they are no bigger than a commit */
    commit(t, 0, 0, 0);
    commit(t, 0, 3, 1);
    put(t, ev(TC_TRACE_BARRIER, 0, 3, 2));
    put(t, ev(TC_TRACE_BARRIER, 0, 3, 2));
    tc_buf b = TC_BUF_INIT;
    picture(t, 80, 0, false, &b);
    assert_non_null(strstr(b.data, "warp 0   lC-*\n"));
    assert_non_null(strstr(b.data, "\n* warp 0, cycle 3: C, B x2\n"));
    tc_buf_free(&b);
    tc_trace_free(t);
}

/* Loads and stores folded into one are drawn apart where there is room, else
 * with their number. */
static void test_folded(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    for (uint64_t i = 0; i < 8; i++) {
        put(t, ev(i & 1 ? TC_TRACE_STORE : TC_TRACE_LOAD, 0, i * 4, 1));
    }
    put(t, ev(TC_TRACE_EXIT, 0, 40, 1));
    tc_buf b = TC_BUF_INIT;
    picture(t, 80, 0, false, &b);
    assert_non_null(strstr(b.data, "warp 0   l---s---l---s---l---s---l---s-"));
    tc_trace_free(t);
    tc_buf_clear(&b);
    t = tc_trace_new();
    for (uint64_t i = 0; i < 800; i++) {
        put(t, ev(i & 1 ? TC_TRACE_STORE : TC_TRACE_LOAD, 0, i * 4, 1));
    }
    put(t, ev(TC_TRACE_EXIT, 0, 4000, 1));
    picture(t, 80, 0, false, &b);
    assert_non_null(strstr(b.data, "warp 0   m800-"));
    assert_non_null(strstr(b.data, "m loads and stores, and how many"));
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

/* ---- the same facts in every export ---- */

static uint64_t end_in(const tc_model *m, const tc_interval *i) {
    return i->end == TC_OPEN ? m->cycles : i->end;
}

static void same_in_json(const tc_model *m, const json_t *rows, size_t r,
                         size_t k) {
    const tc_interval *i = &m->rows[r].intervals[k];
    json_t *row = json_array_get(rows, r);
    json_t *x = json_array_get(json_object_get(row, "intervals"), k);
    assert_string_equal(json_string_value(json_object_get(row, "name")),
                        m->rows[r].name);
    assert_int_equal(json_integer_value(json_object_get(x, "begin")), i->begin);
    assert_int_equal(json_integer_value(json_object_get(x, "end")),
                     end_in(m, i));
    assert_string_equal(json_string_value(json_object_get(x, "kind")),
                        tc_interval_kind_names[i->kind]);
}

/* The slice of that name, row, begin and duration. */
static void same_in_chrome(const tc_model *m, json_t *events, size_t r,
                           const tc_interval *i) {
    tc_buf name = TC_BUF_INIT;
    tc_interval_name(&name, m, &m->rows[r], i);
    size_t k, found = 0;
    json_t *e;
    json_array_foreach(events, k, e) {
        const char *ph = json_string_value(json_object_get(e, "ph"));
        json_t *ts = json_object_get(e, "ts"), *dur = json_object_get(e, "dur");
        found += strcmp(ph, "X") == 0 &&
                 (uint64_t)json_integer_value(ts) == i->begin &&
                 (uint64_t)json_integer_value(dur) == end_in(m, i) - i->begin &&
                 strcmp(json_string_value(json_object_get(e, "name")),
                        tc_buf_text(&name)) == 0;
    }
    assert_true(found > 0);
    tc_buf_free(&name);
}

static void same_in_svg(const tc_model *m, const char *svg, size_t r,
                        const tc_interval *i) {
    tc_buf want = TC_BUF_INIT;
    tc_buf_printf(&want, "<title>%s: ", m->rows[r].name);
    tc_interval_name(&want, m, &m->rows[r], i);
    tc_buf_printf(&want, ", %s, cycles %llu to ",
                  tc_interval_kind_names[i->kind],
                  (unsigned long long)i->begin);
    if (i->end == TC_OPEN) {
        tc_buf_puts(&want, "the end");
    } else {
        tc_buf_printf(&want, "%llu", (unsigned long long)i->end);
    }
    if (strstr(svg, tc_buf_text(&want)) == NULL) {
        fail_msg("the SVG lacks %s", tc_buf_text(&want));
    }
    tc_buf_free(&want);
}

/* At a cycle a column, a row of groups shows as many cells of each kind as its
 * intervals have cycles. */
static void same_in_picture(const tc_model *m, const char *text, size_t r) {
    static const char signs[TC_INTERVAL_COUNT] = {[TC_INTERVAL_UNCOMMITTED] =
                                                      ':',
                                                  [TC_INTERVAL_FLIGHT] = '=',
                                                  [TC_INTERVAL_LANDED] = '-'};
    const tc_row *row = &m->rows[r];
    const char *line = strstr(text, "  groups ");
    assert_non_null(line);
    for (size_t k = 0; k < row->nintervals; k++) {
        const tc_interval *i = &row->intervals[k];
        const char *at = line + strlen("warp 0   ") + i->begin;
        size_t n = 0;
        while (at[n] == signs[i->kind] || (n == 0 && at[n] == '0')) {
            n++;
        }
        assert_int_equal(n, end_in(m, i) - i->begin);
    }
}

static void test_same_facts(void **state) {
    (void)state;
    tc_trace *t = tc_trace_new();
    one_warp(t, 0, 0);
    tc_model *m = tc_model_new(t);
    tc_buf json = TC_BUF_INIT, chrome = TC_BUF_INIT, svg = TC_BUF_INIT,
           text = TC_BUF_INIT;
    tc_export_json(m, &json);
    tc_export_chrome(m, &chrome);
    tc_export_svg(m, &svg);
    picture(t, 80, 0, false, &text);
    json_t *j = json_loads(tc_buf_text(&json), 0, NULL);
    json_t *c = json_loads(tc_buf_text(&chrome), 0, NULL);
    for (size_t r = 0; r < m->nrows; r++) {
        for (size_t k = 0; k < m->rows[r].nintervals; k++) {
            const tc_interval *i = &m->rows[r].intervals[k];
            same_in_json(m, json_object_get(j, "rows"), r, k);
            same_in_chrome(m, json_object_get(c, "traceEvents"), r, i);
            same_in_svg(m, tc_buf_text(&svg), r, i);
        }
        if (m->rows[r].kind == TC_ROW_GROUPS) {
            same_in_picture(m, text.data, r);
        }
    }
    json_decref(j);
    json_decref(c);
    tc_buf_free(&json);
    tc_buf_free(&chrome);
    tc_buf_free(&svg);
    tc_buf_free(&text);
    tc_model_free(m);
    tc_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_uncommitted_and_unfinished),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_merged_rows),
        cmocka_unit_test(test_cut_axis),
        cmocka_unit_test(test_split_columns),
        cmocka_unit_test(test_fit_any_gaps),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_bar_lines),
        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_empty_and_hostile),
        cmocka_unit_test(test_same_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
