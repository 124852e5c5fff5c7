/* The timeline model and what it is exported as, on small traces written by
 * hand; every expected figure is worked out from model.h's words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/export/export.h"

#include <jansson.h>
#include <string.h>

static tc_trace_event ev(tc_trace_kind kind, uint32_t warp, uint64_t cycle,
                         int line) {
    return (tc_trace_event){.kind = (uint8_t)kind,
                            .cycle = cycle,
                            .end = cycle,
                            .lanes = UINT32_MAX,
                            .warp = warp,
                            .group = -1,
                            .phase = -1,
                            .bytes = -1,
                            .line = line,
                            .cause = -1};
}

/* A cp.async of 32 lanes, 16 bytes each, to shared memory from `to` on. */
static int32_t issue(tc_trace *t, uint64_t cycle, int group, uint64_t to) {
    tc_trace_event e = ev(TC_TRACE_ISSUE, 0, cycle, 10);
    e.object = TC_OBJECT_GROUP;
    e.group = group;
    e.bytes = 512;
    e.each = 16;
    e.stride = 16;
    e.address = to;
    e.space = TC_TRACE_SPACE_SHARED;
    return tc_trace_add(t, &e);
}

static void complete(tc_trace *t, int32_t cause, uint64_t cycle) {
    tc_trace_event e = t->events[cause];
    e.kind = TC_TRACE_COMPLETE;
    e.cycle = e.end = cycle;
    e.cause = cause;
    tc_trace_add(t, &e);
}

static void commit(tc_trace *t, uint64_t cycle, int group) {
    tc_trace_event e = ev(TC_TRACE_COMMIT, 0, cycle, 11);
    e.object = TC_OBJECT_GROUP;
    e.group = group;
    tc_trace_add(t, &e);
}

static void wait(tc_trace *t, uint64_t from, uint64_t to, int group) {
    tc_trace_event e = ev(TC_TRACE_WAIT, 0, from, 12);
    e.object = TC_OBJECT_GROUP;
    e.end = to;
    e.group = group;
    tc_trace_add(t, &e);
}

static void barrier(tc_trace *t, uint32_t warp, uint64_t from, uint64_t to) {
    tc_trace_event e = ev(TC_TRACE_BARRIER, warp, from, 13);
    e.object = TC_OBJECT_BARRIER;
    e.end = to;
    tc_trace_add(t, &e);
}

static void load(tc_trace *t, uint32_t warp, uint64_t cycle, uint64_t from) {
    tc_trace_event e = ev(TC_TRACE_LOAD, warp, cycle, 14);
    e.bytes = 128;
    e.each = e.stride = 4;
    e.address = from;
    e.space = TC_TRACE_SPACE_SHARED;
    tc_trace_add(t, &e);
}

static tc_trace *begin(void) {
    tc_trace *t = tc_trace_new();
    t->ctas = 1;
    t->warps = 2;
    t->cycles = 100;
    tc_trace_add_buffer(t, &(tc_trace_buffer){.name = "A_smem",
                                              .type = "float16",
                                              .bytes = 512,
                                              .space = TC_TRACE_SPACE_SHARED});
    return t;
}

/* Warp 0 copies and waits; a barrier; both warps load, 0 several times. */
static tc_trace *a_copy(bool committed) {
    tc_trace *t = begin();
    int32_t i = issue(t, 5, 0, 0);
    if (committed) {
        commit(t, 8, 0);
    }
    complete(t, i, 40);
    wait(t, 9, committed ? 44 : 9, committed ? 0 : -1);
    barrier(t, 1, 10, 60);
    barrier(t, 0, 50, 60);
    load(t, 0, 61, 0);
    load(t, 0, 62, 128);
    load(t, 1, 63, 0);
    return t;
}

static void check_interval(const tc_interval *i, int kind, uint64_t from,
                           uint64_t to) {
    assert_int_equal(i->kind, kind);
    assert_int_equal(i->begin, from);
    assert_true(i->end == to);
}

static void test_group(void **state) {
    (void)state;
    tc_trace *t = a_copy(true);
    tc_model *m = tc_model_new(t);
    int32_t r = tc_model_named(m, "warp 0 groups");
    assert_true(r >= 0);
    const tc_row *row = &m->rows[r];
    assert_int_equal(row->nintervals, 3);
    check_interval(&row->intervals[0], TC_INTERVAL_UNCOMMITTED, 5, 8);
    check_interval(&row->intervals[1], TC_INTERVAL_FLIGHT, 8, 40);
    check_interval(&row->intervals[2], TC_INTERVAL_LANDED, 40, 44);
    assert_int_equal(row->intervals[1].bytes, 512);
    assert_string_equal(m->rows[row->parent].name, "warp 0");
    tc_model_free(m);
    tc_trace_free(t);
}

static void test_uncommitted(void **state) {
    (void)state;
    tc_trace *t = a_copy(false);
    tc_trace_add_finding(t, &(tc_trace_finding){.cycle = 61,
                                                .line = 14,
                                                .kind = "uncommitted-group",
                                                .message = "m",
                                                .object = "A_smem[0]"});
    tc_model *m = tc_model_new(t);
    const tc_row *row = &m->rows[tc_model_named(m, "warp 0 groups")];
    assert_int_equal(row->nintervals, 1);
    check_interval(&row->intervals[0], TC_INTERVAL_UNCOMMITTED, 5, TC_OPEN);
    size_t at = tc_model_find(m, TC_NO_POSITION, 1,
                              &(tc_seek){.what = TC_SEEK_FINDING, .row = -1});
    assert_int_equal(m->order[at]->kind, TC_TRACE_LOAD);
    assert_int_equal(m->order[at]->cycle, 61);
    row = &m->rows[tc_model_named(m, "warp 0")];
    assert_true(row->marks[row->nmarks - 2].finding);
    tc_model_free(m);
    tc_trace_free(t);
}

/* Plain accesses fold; a step forwards and one backwards meet. */
static void test_marks(void **state) {
    (void)state;
    tc_trace *t = a_copy(true);
    tc_model *m = tc_model_new(t);
    int32_t r = tc_model_named(m, "warp 0");
    const tc_row *row = &m->rows[r];
    const tc_mark *last = &row->marks[row->nmarks - 1];
    assert_int_equal(last->n, 2);
    assert_int_equal(last->loads, 2);
    assert_int_equal(last->bytes, 256);
    for (size_t p = 0; p + 1 < m->n; p++) {
        tc_seek any = {.what = TC_SEEK_EVENT, .row = -1};
        assert_int_equal(tc_model_find(m, p, 1, &any), p + 1);
        assert_int_equal(tc_model_find(m, p + 1, -1, &any), p);
        assert_true(m->order[p]->cycle <= m->order[p + 1]->cycle);
    }
    tc_seek line = {.what = TC_SEEK_LINE, .line = 12, .row = -1};
    size_t at = tc_model_find(m, TC_NO_POSITION, 1, &line);
    assert_int_equal(m->order[at]->kind, TC_TRACE_WAIT);
    assert_true(tc_model_find(m, at, 1, &line) == TC_NO_POSITION);
    tc_model_free(m);
    tc_trace_free(t);
}

static uint8_t byte_at(const tc_model *m, const char *warp, uint64_t cycle,
                       uint64_t address) {
    uint8_t out;
    tc_memory_map(m, 0, address, 1, tc_model_named(m, warp),
                  tc_model_seek(m, cycle), cycle, &out);
    return out;
}

static void test_memory(void **state) {
    (void)state;
    tc_trace *t = a_copy(true);
    tc_model *m = tc_model_new(t);
    assert_int_equal(byte_at(m, "warp 0", 5, 0), TC_BYTE_NEVER);
    assert_int_equal(byte_at(m, "warp 0", 6, 0), TC_BYTE_FLIGHT);
    assert_int_equal(byte_at(m, "warp 0", 6, 600), TC_BYTE_NEVER);
    assert_int_equal(byte_at(m, "warp 0", 40, 0), TC_BYTE_FLIGHT);
    assert_int_equal(byte_at(m, "warp 0", 42, 0), TC_BYTE_LANDED);
    assert_int_equal(byte_at(m, "warp 0", 50, 0), TC_BYTE_VISIBLE);
    assert_int_equal(byte_at(m, "warp 0", 61, 0), TC_BYTE_VISIBLE);
    assert_int_equal(byte_at(m, "warp 1", 50, 0), TC_BYTE_LANDED);
    assert_int_equal(byte_at(m, "warp 1", 61, 0), TC_BYTE_VISIBLE);
    assert_int_equal(byte_at(m, "warp 1", 62, 0), TC_BYTE_READ);
    assert_int_equal(byte_at(m, "warp 1", 62, 300), TC_BYTE_VISIBLE);
    tc_byte_owner o = tc_memory_owner(m, 0, 17, m->n);
    assert_int_equal(m->order[o.issue]->cycle, 5);
    assert_int_equal(m->order[o.landed]->cycle, 40);
    assert_int_equal(m->order[o.read]->cycle, 61);
    assert_int_equal(o.lane, 1);
    tc_model_free(m);
    tc_trace_free(t);
}

/* A copy that an mbarrier tracks is no group that nobody committed. */
static void test_mbarrier(void **state) {
    (void)state;
    tc_trace *t = begin();
    tc_trace_event e = ev(TC_TRACE_INIT, 0, 2, 8);
    e.object = TC_OBJECT_MBARRIER;
    e.barrier = 1024;
    e.phase = 0;
    e.count = 32;
    tc_trace_add(t, &e);
    tc_trace_add_fields(t, &(tc_trace_fields){.cycle = 2,
                                              .offset = 1024,
                                              .pending = 32,
                                              .expected = 32,
                                              .live = true});
    int32_t i = issue(t, 5, 0, 0);
    e.kind = TC_TRACE_TRACK;
    e.cycle = e.end = 6;
    tc_trace_add(t, &e);
    complete(t, i, 40);
    e.kind = TC_TRACE_PHASE;
    e.cycle = e.end = 40;
    tc_trace_add(t, &e);
    tc_trace_add_fields(t, &(tc_trace_fields){.cycle = 40,
                                              .offset = 1024,
                                              .phase = 1,
                                              .pending = 32,
                                              .expected = 32,
                                              .live = true});
    e.kind = TC_TRACE_WAIT;
    e.warp = 1;
    e.cycle = 7;
    e.end = 45;
    tc_trace_add(t, &e);
    e.warp = 0; /* later, and told of first */
    e.cycle = 8;
    tc_trace_add(t, &e);
    tc_trace_add_name(t, 1024, "bar[2]");
    tc_model *m = tc_model_new(t);
    int32_t r = tc_model_named(m, "bar[2]");
    assert_true(r >= 0);
    check_interval(&m->rows[r].intervals[0], TC_INTERVAL_PHASE, 2, 40);
    check_interval(&m->rows[r].intervals[1], TC_INTERVAL_PHASE, 40, TC_OPEN);
    tc_mbarrier_at at = tc_model_mbarrier_at(m, r, 30);
    assert_int_equal(at.pending, 32);
    assert_int_equal(at.parity, 0);
    assert_int_equal(tc_model_mbarrier_at(m, r, 41).parity, 1);
    int32_t who[2];
    assert_int_equal(tc_model_waiters(m, r, 20, who, 2), 2);
    assert_string_equal(m->rows[who[0]].name, "warp 0");
    assert_string_equal(m->rows[who[1]].name, "warp 1");
    assert_int_equal(tc_model_waiters(m, r, 20, who, 1), 2);
    assert_string_equal(m->rows[who[0]].name, "warp 0");
    const tc_row *row = &m->rows[tc_model_named(m, "warp 0 groups")];
    check_interval(&row->intervals[0], TC_INTERVAL_FLIGHT, 5, 40);
    check_interval(&row->intervals[1], TC_INTERVAL_LANDED, 40, 45);
    assert_int_equal(row->intervals[0].barrier, r);
    tc_model_free(m);
    tc_trace_free(t);
}

/* ---- exports ---- */

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++) {
        n++;
    }
    return n;
}

/* In Chrome's file the threads have the rows' names, and what is on one does
 * not overlap. */
static void check_chrome(const tc_model *m, size_t intervals, size_t marks) {
    tc_buf text = TC_BUF_INIT;
    tc_export_chrome(m, &text);
    json_t *j = json_loads(tc_buf_text(&text), 0, NULL), *e;
    assert_non_null(j);
    size_t i, x = 0, points = 0, names = 0;
    json_int_t busy[64 * 64] = {0};
    json_array_foreach(json_object_get(j, "traceEvents"), i, e) {
        const char *ph = json_string_value(json_object_get(e, "ph"));
        json_int_t tid = json_integer_value(json_object_get(e, "tid"));
        json_int_t ts = json_integer_value(json_object_get(e, "ts"));
        if (strcmp(ph, "X") == 0) {
            assert_true(ts >= busy[tid]);
            busy[tid] = ts + json_integer_value(json_object_get(e, "dur"));
            x++;
        }
        points += strcmp(ph, "i") == 0;
        json_t *args = json_object_get(e, "args");
        const char *name = json_string_value(json_object_get(args, "name"));
        names += name != NULL && tc_model_named(m, name) >= 0;
    }
    assert_int_equal(x, intervals);
    assert_int_equal(points, marks);
    assert_true(names >= m->nrows);
    json_decref(j);
    tc_buf_free(&text);
}

/* Is what a format says of an interval, a step and a finding what the model
 * has? Each is looked for in the words of that format. */
static void check_facts(const tc_model *m, const char *json, const char *chrome,
                        const char *svg, const char *said) {
    tc_buf b = TC_BUF_INIT;
    char cycles[64], span[64];
    for (size_t r = 0; r < m->nrows; r++) {
        const tc_row *row = &m->rows[r];
        for (size_t i = 0; i < row->nintervals; i++) {
            const tc_interval *x = &row->intervals[i];
            bool open = x->end == TC_OPEN;
            unsigned long long end = open ? m->cycles : x->end;
            snprintf(cycles, sizeof cycles,
                     open ? "cycles %llu to the end" : "cycles %llu to %llu",
                     (unsigned long long)x->begin, end);
            assert_non_null(strstr(svg, cycles));
            assert_non_null(strstr(said, cycles));
            snprintf(span, sizeof span, "\"begin\":%llu,\"end\":%llu",
                     (unsigned long long)x->begin, end);
            assert_non_null(strstr(json, span));
            snprintf(span, sizeof span, "\"ts\":%llu,\"dur\":%llu",
                     (unsigned long long)x->begin, end - x->begin);
            assert_non_null(strstr(chrome, span));
        }
        for (size_t i = 0; i < row->nmarks; i++) {
            tc_buf_clear(&b);
            tc_model_mark_text(&b, m, row, &row->marks[i]);
            assert_non_null(strstr(json, tc_buf_text(&b)));
            assert_non_null(strstr(chrome, tc_buf_text(&b)));
            assert_non_null(strstr(svg, tc_buf_text(&b)));
            assert_non_null(strstr(said, tc_buf_text(&b)));
        }
    }
    for (size_t i = 0; i < m->trace->nfindings; i++) {
        const char *message = m->trace->findings[i].message;
        assert_non_null(strstr(json, message));
        assert_non_null(strstr(chrome, message));
        assert_non_null(strstr(svg, message));
        assert_non_null(strstr(said, message));
    }
    assert_non_null(strstr(json, "\"model\":\"ptx\""));
    assert_non_null(strstr(chrome, "\"model\":\"ptx\""));
    assert_non_null(strstr(svg, "cycles, by its PTX"));
    assert_non_null(strstr(said, "cycles, by its PTX"));
    tc_buf_free(&b);
}

static void test_exports(void **state) {
    (void)state;
    tc_trace *t = a_copy(true);
    tc_trace_set_clock(t, "ptx");
    tc_trace_add_text(t, &(tc_trace_text){.name = "p.py",
                                          .text = "a < b\n</script>",
                                          .first_line = 1,
                                          .lines = TC_LINES_OWN});
    tc_trace_add_finding(t, &(tc_trace_finding){.cycle = 9,
                                                .cause_cycle = UINT64_MAX,
                                                .kind = "data-race",
                                                .message = "both write it",
                                                .object = "A[0]"});
    tc_model *m = tc_model_new(t);
    size_t intervals = 0, marks = 0;
    for (size_t i = 0; i < m->nrows; i++) {
        intervals += m->rows[i].nintervals;
        marks += m->rows[i].nmarks;
    }
    tc_buf json = TC_BUF_INIT, svg = TC_BUF_INIT, html = TC_BUF_INIT,
           said = TC_BUF_INIT, chrome = TC_BUF_INIT;
    tc_export_json(m, &json);
    json_t *j = json_loads(tc_buf_text(&json), 0, NULL), *row;
    assert_non_null(j);
    size_t i, x = 0, k = 0;
    json_array_foreach(json_object_get(j, "rows"), i, row) {
        x += json_array_size(json_object_get(row, "intervals"));
        k += json_array_size(json_object_get(row, "marks"));
    }
    assert_int_equal(x, intervals);
    assert_int_equal(k, marks);
    json_decref(j);
    check_chrome(m, intervals, marks + t->nfindings);
    tc_export_chrome(m, &chrome);
    tc_export_svg(m, &svg);
    assert_int_equal(count(tc_buf_text(&svg), "<rect x="), intervals);
    tc_export_html(m, &html);
    assert_non_null(strstr(tc_buf_text(&html), tc_buf_text(&json)));
    assert_int_equal(count(tc_buf_text(&html), "</script>"), 1);
    tc_model_sentences(m, &said);
    assert_int_equal(count(tc_buf_text(&said), ": cycles "), intervals);
    check_facts(m, tc_buf_text(&json), tc_buf_text(&chrome), tc_buf_text(&svg),
                tc_buf_text(&said));
    tc_buf_free(&chrome);
    tc_buf_free(&json);
    tc_buf_free(&svg);
    tc_buf_free(&html);
    tc_buf_free(&said);
    tc_model_free(m);
    tc_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group),    cmocka_unit_test(test_uncommitted),
        cmocka_unit_test(test_marks),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_mbarrier), cmocka_unit_test(test_exports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
