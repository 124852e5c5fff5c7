/* The timeline view without a terminal: cells, keys, cases of tests/tui, any
 * keys at any size, and a large run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "play.h"
#include "view/state.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- cells ---- */

static void expect_text(const tc_cell_grid *g, const char *want) {
    tc_buf b = TC_BUF_INIT;
    tc_grid_text(g, &b);
    assert_string_equal(tc_buf_text(&b), want);
    tc_buf_free(&b);
}

static void test_text(void **state) {
    (void)state;
    tc_cell_grid g = tc_grid_new(3, 8, true);
    tc_area a = tc_area_all(&g);
    assert_int_equal(tc_put_string(a, 0, 0, "a\tb\x01\xff", TC_PLAIN), 5);
    assert_int_equal(tc_put_string(a, 1, 2, "\xe6\xbc\xa2\xe5\xad\x97x",
                                   TC_STYLE(FINDING, 0)),
                     5); /* two characters of two columns */
    assert_int_equal(tc_put_string(a, 2, 0, "too long by far", TC_PLAIN), 8);
    tc_put(a, 5, 0, 'x', TC_PLAIN); /* outside: nothing */
    tc_put(a, 0, -1, 'x', TC_PLAIN);
    expect_text(&g, "a b??\n  \xe6\xbc\xa2\xe5\xad\x97x\ntoo lon~\n");
    tc_buf b = TC_BUF_INIT;
    tc_restyle(a, 2, 1, 2, TC_STYLE(PLAIN, TC_REVERSE));
    tc_grid_styles(&g, &b);
    assert_string_equal(tc_buf_text(&b), "\n..eeeee\n.##\n");
    tc_buf_free(&b);
    tc_grid_free(&g);
}

static void test_ascii(void **state) {
    (void)state;
    tc_cell_grid g = tc_grid_new(1, 8, false);
    tc_area a = tc_area_all(&g);
    tc_put(a, 0, 0, 0x2588, TC_PLAIN);
    tc_put(a, 0, 1, 0x2500, TC_PLAIN);
    tc_put_string(a, 0, 2, "\xc3\xa4\xe6\xbc\xa2", TC_PLAIN);
    expect_text(&g, "=-??\n");
    tc_grid_free(&g);
}

static void test_wrapped(void **state) {
    (void)state;
    tc_cell_grid g = tc_grid_new(3, 10, true);
    tc_area a = tc_area_all(&g);
    assert_int_equal(
        tc_put_wrapped(a, 0, 2, "one two three four five six", TC_PLAIN), 3);
    expect_text(&g, "one two\n  three\n  four fi~\n");
    tc_grid_free(&g);
}

/* ---- keys ---- */

/* Every key of the list does something, and no two actions have the same. */
static void test_keys(void **state) {
    (void)state;
    const tc_action_row *rows;
    size_t n = tc_action_list(&rows), actions = 0;
    for (size_t i = 0; i < n; i++) {
        const char *p = rows[i].keys;
        actions += p != NULL;
        while (p != NULL && *p != '\0') {
            size_t len = strcspn(p, " ");
            tc_key whole = tc_key_named(p, len);
            tc_key keys[2] = {whole, 0};
            bool wants, two = whole == TC_KEY_NONE;
            if (two) {
                assert_int_equal(len, 2);
                keys[0] = (tc_key)p[0];
                keys[1] = (tc_key)p[1];
                assert_int_equal(tc_action_of(keys, 1, &wants), TC_ACT_NONE);
                assert_true(wants);
            }
            assert_int_equal(tc_action_of(keys, two ? 2 : 1, &wants), actions);
            p += len + strspn(p + len, " ");
        }
    }
    assert_int_equal(actions, TC_ACT_COUNT - 1);
}

/* ---- cases ---- */

static void test_cases(void **state) {
    (void)state;
    glob_t g;
    int played = 0;
    assert_int_equal(glob("tests/tui/*.tui", 0, NULL, &g), 0);
    for (size_t i = 0; i < g.gl_pathc; i++) {
        played += tc_play_case(g.gl_pathv[i]);
    }
    globfree(&g);
    assert_true(played >= 5);
}

/* ---- any keys ---- */

static const tc_key some_keys[] = {
    'l',         'h',          '.',
    ',',         'g',          'G',
    'a',         'p',          ']',
    '[',         'i',          'c',
    'd',         'w',          'f',
    'b',         'n',          'N',
    'C',         ':',          '/',
    'j',         'k',          'o',
    's',         'm',          'v',
    't',         '+',          '-',
    '0',         '1',          '9',
    'r',         '?',          'x',
    TC_KEY_TAB,  TC_KEY_ENTER, TC_KEY_ESCAPE,
    TC_KEY_DOWN, TC_KEY_UP,    TC_KEY_BACKSPACE,
    0x6f22,      TC_KEY_TIMER, TC_KEY_PAGE_DOWN,
};
enum { SOME = sizeof some_keys / sizeof *some_keys };

/* Never off the events, never off the screen, at any size. */
static void hammer(const tc_view_supply *from, unsigned presses) {
    tc_view v = tc_view_start(from, 24, 80);
    uint32_t x = 1;
    for (unsigned i = 0; i < presses; i++) {
        x = x * 1664525 + 1013904223;
        int cols = 1 + (int)(x >> 8) % 220, lines = 1 + (int)(x >> 20) % 60;
        if (i % 16 == 0) {
            tc_view_resize(&v, lines, cols);
        }
        tc_view_press(&v, some_keys[(x >> 4) % SOME]);
        if (x % 7 == 0) {
            tc_view_mouse(&v, (int)(x >> 10) % 60, (int)(x >> 16) % 220,
                          (int)(x >> 5) % 3 - 1);
        }
        assert_in_range(v.row, 0, from->model->nrows - 1);
        assert_true(v.position == TC_NO_POSITION ||
                    v.position < from->model->n);
        assert_true(v.cycle <= from->model->cycles);
        tc_cell_grid g = tc_grid_new(v.lines, v.cols, true);
        tc_view_draw(&v, &g);
        tc_grid_free(&g);
    }
    tc_view_end(&v);
}

static void test_any_keys(void **state) {
    (void)state;
    tc_player a = tc_player_open("lessons/ldgsts.py", "run");
    tc_player b = tc_player_open("lessons/dsmem.py", "run");
    hammer(&a.from, 1000);
    hammer(&b.from, 1000);
    /* two runs that have little in common */
    tc_view_supply both = {.model = a.from.model,
                           .name = "a",
                           .other = b.from.model,
                           .other_name = "b"};
    hammer(&both, 1000);
    tc_player_close(&a);
    tc_player_close(&b);
}

/* ---- two runs ---- */

static bool has(const tc_cell_grid *g, const char *text) {
    tc_buf b = TC_BUF_INIT;
    tc_grid_text(g, &b);
    bool found = strstr(tc_buf_text(&b), text) != NULL;
    tc_buf_free(&b);
    return found;
}

/* An issue of a warp at 100 and its end at 200; both later by so much. */
static tc_trace *small_run(uint64_t later) {
    tc_trace *t = tc_trace_new();
    tc_trace_event e = {.kind = TC_TRACE_ISSUE,
                        .cycle = 100 + later,
                        .end = 100 + later,
                        .lanes = 1,
                        .group = 0,
                        .phase = -1,
                        .bytes = 16,
                        .object = TC_OBJECT_GROUP,
                        .cause = -1};
    tc_trace_add(t, &e);
    e.kind = TC_TRACE_EXIT;
    e.cycle = e.end = 200 + 2 * later;
    e.group = -1;
    tc_trace_add(t, &e);
    t->cycles = e.end;
    t->ctas = t->warps = 1;
    tc_trace_finish(t);
    return t;
}

static void test_compare(void **state) {
    (void)state;
    tc_trace *a = small_run(0), *b = small_run(7);
    tc_view_supply from = {.model = tc_model_new(a),
                           .name = "one",
                           .other = tc_model_new(b),
                           .other_name = "two"};
    tc_view v = tc_view_start(&from, 24, 80);
    static const char *const said[] = {"two has this step at cycle 107: +7 ",
                                       "two has this step at cycle 214: +14 "};
    for (int step = 0; step < 2; step++) {
        tc_cell_grid g = tc_grid_new(24, 80, true);
        tc_view_draw(&v, &g);
        assert_true(has(&g, "one  cycle"));
        assert_true(has(&g, said[step]));
        tc_grid_free(&g);
        tc_view_press(&v, 'l');
    }
    tc_view_end(&v);
    tc_model_free((tc_model *)from.model);
    tc_model_free((tc_model *)from.other);
    tc_trace_free(a);
    tc_trace_free(b);
}

/* ---- steps ---- */

/* What was seen going on is seen going back. */
static void test_back_as_forth(void **state) {
    enum { STEPS = 9 }; /* the events of a row, folded */
    (void)state;
    tc_player p = tc_player_open("lessons/ldgsts.py", "run");
    for (int all = 0; all < 2; all++) {
        tc_view v = tc_view_start(&p.from, 40, 120);
        tc_buf seen[STEPS] = {TC_BUF_INIT};
        if (all) {
            tc_view_press(&v, 'a');
        }
        for (int i = 0; i < 2 * STEPS; i++) {
            bool back = i >= STEPS;
            tc_buf *b = &seen[back ? 2 * STEPS - 1 - i : i], now = TC_BUF_INIT;
            tc_cell_grid g = tc_grid_new(40, 120, true);
            v.message[0] = '\0';
            tc_view_draw(&v, &g);
            tc_grid_text(&g, back ? &now : b);
            tc_grid_free(&g);
            if (back) {
                assert_string_equal(tc_buf_text(&now), tc_buf_text(b));
            }
            if (i < STEPS - 1 || i >= STEPS) {
                tc_view_press(&v, back ? 'h' : 'l');
            }
            tc_buf_free(&now);
            if (back) {
                tc_buf_free(b);
            }
        }
        tc_view_end(&v);
    }
    tc_player_close(&p);
}

/* ---- a large run ---- */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Millions of cycles, more events than are kept. */
static tc_trace *large_run(void) {
    enum { WARPS = 8, ROUNDS = 12000 };
    tc_trace *t = tc_trace_new();
    static const uint8_t kinds[] = {TC_TRACE_ISSUE, TC_TRACE_COMMIT,
                                    TC_TRACE_WAIT,  TC_TRACE_COMPLETE,
                                    TC_TRACE_LOAD,  TC_TRACE_STORE};
    for (uint32_t r = 0; r < ROUNDS; r++) {
        for (uint32_t w = 0; w < WARPS; w++) {
            int32_t issue = -1;
            for (uint32_t k = 0; k < sizeof kinds; k++) {
                uint64_t cycle = r * 500 + w + k * 60;
                tc_trace_event e = {.kind = kinds[k],
                                    .cycle = cycle,
                                    .end = cycle + (k == 2 ? 60 : 0),
                                    .lanes = UINT32_MAX,
                                    .warp = w,
                                    .group = k < 4 ? (int32_t)r : -1,
                                    .phase = -1,
                                    .bytes = k == 0 ? 512 : -1,
                                    .line = (int32_t)k + 1,
                                    .object = k < 4 ? TC_OBJECT_GROUP : 0,
                                    .cause = k == 3 ? issue : -1};
                int32_t n = tc_trace_add(t, &e);
                issue = k == 0 ? n : issue;
            }
        }
    }
    t->cycles = ROUNDS * 500;
    t->ctas = 1;
    t->warps = WARPS;
    tc_trace_finish(t);
    return t;
}

/* The bounds are the requirement's, several times over: the machine may be
 * busy, and the build a sanitized one. */
static void test_large(void **state) {
    enum { STEPS = 200 };
    (void)state;
    tc_trace *t = large_run();
    double begin = seconds();
    tc_view_supply from = {.model = tc_model_new(t), .name = ""};
    tc_view v = tc_view_start(&from, 50, 200);
    tc_cell_grid g = tc_grid_new(50, 200, true);
    tc_view_draw(&v, &g);
    double opened = seconds() - begin;
    static const char keys[] = "lllhG,,g]c]w+l-]d0l";
    begin = seconds();
    for (int i = 0; i < STEPS; i++) {
        tc_view_press(&v, (tc_key)keys[(size_t)i % (sizeof keys - 1)]);
        tc_view_draw(&v, &g);
    }
    double step = (seconds() - begin) / STEPS;
    print_message("opened in %.0f ms, a step %.1f ms\n", opened * 1e3,
                  step * 1e3);
    assert_true(opened < 10);
    assert_true(step < 1);
    tc_view_end(&v);
    tc_grid_free(&g);
    tc_model_free((tc_model *)from.model);
    tc_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),          cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_wrapped),       cmocka_unit_test(test_keys),
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_any_keys),
        cmocka_unit_test(test_back_as_forth), cmocka_unit_test(test_compare),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
