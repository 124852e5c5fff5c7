/* The timeline view without a terminal: keys in, screens out, compared with
 * tests/tui/ *.screen. A script's lines: "size COLSxLINES", "keys NAME...",
 * "cursor LINE COL" (the reversed cell), and a screen between two "---". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The client's files are not in the library: these two are free of curses. */
#include "view/screen.c"
#include "view/state.c"

#include <stdio.h>

static int32_t put(tc_trace *t, tc_trace_kind kind, uint32_t warp,
                   uint64_t from, uint64_t to, int line) {
    bool grouped = kind <= TC_TRACE_WAIT;
    tc_trace_event e = {.kind = (uint8_t)kind,
                        .cycle = from,
                        .end = to,
                        .lanes = UINT32_C(0xFFFFFFFF),
                        .warp = warp,
                        .group = grouped ? 0 : -1,
                        .phase = -1,
                        .bytes = kind == TC_TRACE_ISSUE ? 512 : -1,
                        .line = line,
                        .cause = -1};
    return tc_trace_add(t, &e);
}

static void land(tc_trace *t, int32_t issue, uint64_t cycle) {
    tc_trace_event e = t->events[issue];
    e.kind = TC_TRACE_COMPLETE;
    e.cycle = e.end = cycle;
    e.cause = issue;
    tc_trace_add(t, &e);
}

static tc_trace *two_warps(void) {
    tc_trace *t = tc_trace_new();
    for (uint32_t w = 0; w < 2; w++) {
        int32_t a = put(t, TC_TRACE_ISSUE, w, w, w, 10);
        int32_t b = put(t, TC_TRACE_ISSUE, w, w + 2, w + 2, 10);
        put(t, TC_TRACE_COMMIT, w, w + 4, w + 4, 11);
        put(t, TC_TRACE_WAIT, w, w + 6, w + 20, 12);
        land(t, a, w + 18);
        land(t, b, w + 20);
        put(t, TC_TRACE_BARRIER, w, w + 22, w + 22, 13);
        put(t, TC_TRACE_STORE, w, w + 24, w + 24, 14);
        put(t, TC_TRACE_EXIT, w, w + 26, w + 26, 14);
    }
    t->cycles = 27;
    t->ctas = 1;
    t->warps = 2;
    return t;
}

static const char *source(const void *user, int line, int *len) {
    static char text[32];
    (void)user;
    *len = snprintf(text, sizeof text, "  source %d", line);
    return text;
}

static tc_view_key key_named(const char *name) {
    static const struct {
        const char *name;
        tc_view_key key;
    } keys[] = {{"left", TC_KEY_LEFT},  {"right", TC_KEY_RIGHT},
                {"up", TC_KEY_UP},      {"down", TC_KEY_DOWN},
                {"home", TC_KEY_HOME},  {"end", TC_KEY_END},
                {"in", TC_KEY_ZOOM_IN}, {"out", TC_KEY_ZOOM_OUT},
                {"fit", TC_KEY_FIT},    {"all", TC_KEY_ALL},
                {"help", TC_KEY_HELP},  {"pgup", TC_KEY_PAGE_UP},
                {"quit", TC_KEY_QUIT},  {"pgdn", TC_KEY_PAGE_DOWN},
                {"other", TC_KEY_NONE}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return keys[i].key;
        }
    }
    fail_msg("no key is called %s", name);
    return TC_KEY_NONE;
}

static void expect_line(const tc_screen *s, int y, const char *want,
                        const char *where, int line) {
    tc_buf b = TC_BUF_INIT;
    for (int x = 0; x < s->cols; x++) {
        tc_buf_putc(&b, (char)s->cells[y * s->cols + x].c);
    }
    while (b.len > 0 && b.data[b.len - 1] == ' ') {
        b.data[--b.len] = '\0';
    }
    if (strcmp(b.data, want) != 0) {
        fail_msg("%s:%d: expected\n|%s| got\n|%s|", where, line, want, b.data);
    }
    tc_buf_free(&b);
}

static void expect_cursor(const tc_screen *s, int y, int x) {
    for (int i = 0; i < s->lines * s->cols; i++) {
        assert_int_equal(s->cells[i].attr == TC_REVERSE, i == y * s->cols + x);
    }
}

typedef struct script {
    const char *name;
    FILE *file;
    int line;
    char text[512];
} script;

static bool next_line(script *s) {
    if (fgets(s->text, sizeof s->text, s->file) == NULL) {
        return false;
    }
    s->text[strcspn(s->text, "\n")] = '\0';
    s->line++;
    return true;
}

static void press_all(tc_view *v, char *names, int cols) {
    for (char *k = strtok(names, " "); k != NULL; k = strtok(NULL, " ")) {
        tc_view_press(v, key_named(k), cols);
    }
}

static int compare_screen(script *s, const tc_view *v, int lines, int cols) {
    tc_screen now = tc_view_draw(v, lines, cols);
    int y = 0;
    while (next_line(s) && strcmp(s->text, "---") != 0) {
        assert_true(y < lines);
        expect_line(&now, y++, s->text, s->name, s->line);
    }
    while (y < lines) {
        expect_line(&now, y++, "", s->name, s->line);
    }
    tc_screen_free(&now);
    return 1;
}

static void play(const char *name) {
    script s = {.name = name, .file = fopen(name, "r")};
    assert_non_null(s.file);
    tc_trace *t = two_warps();
    tc_timeline *tl = tc_timeline_new(t);
    tc_view v = tc_view_start(tl, false, source, NULL);
    int lines = 24, cols = 80, screens = 0, y, x;
    while (next_line(&s)) {
        if (strcmp(s.text, "---") == 0) {
            screens += compare_screen(&s, &v, lines, cols);
        } else if (strncmp(s.text, "keys ", 5) == 0) {
            press_all(&v, s.text + 5, cols);
        } else if (sscanf(s.text, "cursor %d %d", &y, &x) == 2) {
            tc_screen now = tc_view_draw(&v, lines, cols);
            expect_cursor(&now, y, x);
            tc_screen_free(&now);
        } else if (sscanf(s.text, "size %dx%d", &cols, &lines) != 2 &&
                   s.text[0] != '#') {
            fail_msg("%s:%d: what is \"%s\"?", name, s.line, s.text);
        }
    }
    assert_true(screens > 0);
    fclose(s.file);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

static void test_steps(void **state) {
    (void)state;
    play("tests/tui/steps.screen");
}

static void test_sizes(void **state) {
    (void)state;
    play("tests/tui/sizes.screen");
}

static void test_zoom(void **state) {
    (void)state;
    tc_trace *t = two_warps();
    tc_timeline *tl = tc_timeline_new(t);
    tc_view v = tc_view_start(tl, true, source, NULL);
    assert_int_equal(v.scale, 0);
    tc_view_press(&v, TC_KEY_ZOOM_IN, 40);
    assert_int_equal(v.scale, 1);
    tc_view_press(&v, TC_KEY_END, 40);
    assert_int_equal(tc_view_event(&v)->cycle, 26);
    tc_view_press(&v, TC_KEY_ZOOM_OUT, 40);
    assert_int_equal(v.scale, 0);
    tc_view_press(&v, TC_KEY_QUIT, 40);
    assert_true(v.quit);
    tc_timeline_free(tl);
    tc_trace_free(t);
}

/* Any keys at any size: never off the events, never off the screen. */
static void test_any_keys(void **state) {
    (void)state;
    tc_trace *t = two_warps();
    tc_trace_event phase = t->events[0];
    phase.kind = TC_TRACE_PHASE;
    phase.lanes = 0; /* in the order of events, in no row */
    tc_trace_add(t, &phase);
    put(t, TC_TRACE_STORE, 1, 123456789012, 123456789012, 0);
    tc_timeline *tl = tc_timeline_new(t);
    tc_view v = tc_view_start(tl, true, NULL, NULL);
    uint32_t x = 1;
    for (int i = 0; i < 4000; i++) {
        x = x * 1664525 + 1013904223;
        int cols = 1 + (int)(x >> 8) % 120, lines = 1 + (int)(x >> 20) % 40;
        tc_view_press(&v, (tc_view_key)((x >> 4) % TC_KEY_QUIT), cols);
        assert_true(v.row < tl->nrows);
        assert_true(v.event < tl->rows[v.row].nevents);
        tc_screen s = tc_view_draw(&v, lines, cols);
        assert_int_equal(s.lines, lines);
        for (int k = 0; k < lines * cols; k++) {
            assert_true(s.cells[k].c >= ' ');
        }
        tc_screen_free(&s);
    }
    tc_timeline_free(tl);
    tc_trace_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_zoom),
        cmocka_unit_test(test_any_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
