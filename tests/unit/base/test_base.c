/* test_base.c - arenas, buffers, diagnostics, utf-8, and buffer data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/utf8.h"
#include "run/run.h"
#include <string.h>

static void arena_gives_zeroed_aligned_memory(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    for (size_t n = 1; n < 100000; n = n * 3 + 1) {
        unsigned char *p = tc_alloc(a, n);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(p[i], 0);
        }
        memset(p, 0xff, n);
    }
    tc_arena_free(a);
    tc_arena_free(NULL);
}

static void push_keeps_what_was_there(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    int *items = NULL, n = 0, cap = 0;
    for (int i = 0; i < 1000; i++) {
        TC_PUSH(a, items, n, cap, i * i);
    }
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(items[i], i * i);
    }
    tc_arena_free(a);
}

static void buf_grows_and_stays_terminated(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    assert_string_equal(tc_buf_text(&b), "");
    tc_buf_printf(&b, "%d-%s", 42, "x");
    tc_buf_fill(&b, '.', 3);
    tc_buf_fill(&b, '.', -1);
    tc_buf_putc(&b, '!');
    assert_string_equal(tc_buf_text(&b), "42-x...!");
    for (int i = 0; i < 1000; i++) {
        tc_buf_puts(&b, "0123456789");
    }
    assert_int_equal(b.len, 8 + 10000);
    assert_int_equal(strlen(b.data), b.len);
    tc_buf_free(&b);
}

typedef struct seen {
    int count, line, col, end_col;
    char message[128], source[128], hint[128], file[32];
} seen;

static void remember(void *user, const tc_diag *d) {
    seen *s = user;
    s->count++;
    s->line = d->line;
    s->col = d->col;
    s->end_col = d->end_col;
    strncpy(s->message, d->message, sizeof s->message - 1);
    strncpy(s->source, d->source_line ? d->source_line : "(none)",
            sizeof s->source - 1);
    strncpy(s->hint, d->hint ? d->hint : "(none)", sizeof s->hint - 1);
    strncpy(s->file, d->file ? d->file : "(none)", sizeof s->file - 1);
}

static void diag_finds_line_column_and_text(void **state) {
    (void)state;
    const char *text = "first\n  second = x\nthird";
    tc_source src = {"a.py", text, strlen(text), 1};
    seen s = {0};
    tc_diags d = {remember, &s, 0};
    tc_span x = {&src, 17, 18};
    tc_error(&d, x, "a hint", "no %s", "x");
    assert_int_equal(d.errors, 1);
    assert_int_equal(s.line, 2);
    assert_int_equal(s.col, 12);
    assert_int_equal(s.end_col, 13);
    assert_string_equal(s.source, "  second = x");
    assert_string_equal(s.message, "no x");
    assert_string_equal(s.hint, "a hint");
    assert_string_equal(s.file, "a.py");
    tc_span last = {&src, 19, 1000}; /* beyond the end: clamped */
    tc_diag_report(&d, TC_NOTE, last, NULL, "note");
    assert_int_equal(d.errors, 1);
    assert_int_equal(s.line, 3);
    assert_string_equal(s.source, "third");
    tc_error(&d, TC_NOWHERE, NULL, "nowhere");
    assert_int_equal(s.line, 0);
    assert_string_equal(s.source, "(none)");
}

static void diag_counts_characters_not_bytes(void **state) {
    (void)state;
    const char *text = "\xc3\xa9\xe2\x82\xac = y"; /* two characters, 5 bytes */
    tc_source src = {"a.py", text, strlen(text), 1};
    seen s = {0};
    tc_diags d = {remember, &s, 0};
    tc_span y = {&src, 8, 9};
    tc_error(&d, y, NULL, "y");
    assert_int_equal(s.col, 6);
}

static void nearest_finds_typos_only(void **state) {
    (void)state;
    static const char *const names[] = {"ldgsts", "dsmem", "fallback", "tma"};
    assert_string_equal(tc_diag_nearest("ldgst", names, 4), "ldgsts");
    assert_string_equal(tc_diag_nearest("lgdsts", names, 4), "ldgsts");
    assert_string_equal(tc_diag_nearest("FALLBACK", names, 4), "fallback");
    assert_null(tc_diag_nearest("commit_group", names, 4));
    assert_null(tc_diag_nearest("", names, 4));
}

static void utf8_follows_the_table(void **state) {
    (void)state;
    assert_int_equal(tc_utf8_count("abc", 3), 3);
    assert_int_equal(tc_utf8_count("\xe2\x82\xac", 3), 1);
    assert_true(tc_utf8_valid("\xf0\x9f\x98\x80", 4));
    assert_false(tc_utf8_valid("\xc0\x80", 2));         /* overlong */
    assert_false(tc_utf8_valid("\xed\xa0\x80", 3));     /* surrogate */
    assert_false(tc_utf8_valid("\xf4\x90\x80\x80", 4)); /* above 10FFFF */
    assert_int_equal(tc_utf8_next("\xe2\x82", 2), 1);   /* cut short */
}

/* With seed 0 and buffer 0 the words are SplitMix64's from state 0, whose first
 * outputs are published with the generator. */
static void fill_is_splitmix64_for_integers(void **state) {
    (void)state;
    uint8_t b[20];
    tc_fill_buffer(b, sizeof b, TC_UINT8, 0, 0);
    static const uint8_t want[20] = {
        0xaf, 0xcd, 0x1d, 0x7b, 0x39, 0xa8, 0x20, 0xe2, /* e220a8397b1dcdaf */
        0xf4, 0x65, 0xb9, 0xa1, 0x6a, 0x9e, 0x78, 0x6e, /* 6e789e6aa1b965f4 */
        0x4f, 0x45, 0x09, 0x80};                        /* 06c45d188009454f */
    assert_memory_equal(b, want, sizeof want);
}

/* 0xe220a8397b1dcdaf mod 17 = 12, so 4; 0x6e789e6aa1b965f4 mod 17 = 12, so 4;
 * 0x06c45d188009454f mod 17 = 9, so 1. */
static void fill_of_floats_is_exact_small_integers(void **state) {
    (void)state;
    static const uint64_t words[] = {0xe220a8397b1dcdafu, 0x6e789e6aa1b965f4u,
                                     0x06c45d188009454fu};
    float f[3];
    double d[3];
    uint16_t h[3], bf[3];
    uint8_t e4m3[3];
    tc_fill_buffer((uint8_t *)f, sizeof f, TC_FLOAT32, 0, 0);
    tc_fill_buffer((uint8_t *)d, sizeof d, TC_FLOAT64, 0, 0);
    tc_fill_buffer((uint8_t *)h, sizeof h, TC_FLOAT16, 0, 0);
    tc_fill_buffer((uint8_t *)bf, sizeof bf, TC_BFLOAT16, 0, 0);
    tc_fill_buffer(e4m3, sizeof e4m3, TC_FLOAT8_E4M3FN, 0, 0);
    for (int i = 0; i < 3; i++) {
        int want = (int)(words[i] % 17) - 8;
        assert_true(f[i] == (float)want);
        assert_true(d[i] == (double)want);
        uint32_t bits;
        memcpy(&bits, &f[i], 4);
        assert_int_equal(bf[i], bits >> 16); /* bfloat16 is float's top half */
    }
    /* the first is words[0] % 17 - 8; by hand in float16 and e4m3 */
    static const uint16_t half_of[17] = {
        0xc800, 0xc700, 0xc600, 0xc500, 0xc400, 0xc200, 0xc000, 0xbc00, 0x0000,
        0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800};
    static const uint8_t e4m3_of[17] = {0xd0, 0xce, 0xcc, 0xca, 0xc8, 0xc4,
                                        0xc0, 0xb8, 0x00, 0x38, 0x40, 0x44,
                                        0x48, 0x4a, 0x4c, 0x4e, 0x50};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(h[i], half_of[words[i] % 17]);
        assert_int_equal(e4m3[i], e4m3_of[words[i] % 17]);
    }
}

/* The published test vectors of FNV-1a, 64 bits. */
static void fnv_matches_its_vectors(void **state) {
    (void)state;
    assert_true(tc_fnv1a64((const uint8_t *)"", 0) == 0xcbf29ce484222325u);
    assert_true(tc_fnv1a64((const uint8_t *)"a", 1) == 0xaf63dc4c8601ec8cu);
    assert_true(tc_fnv1a64((const uint8_t *)"foobar", 6) ==
                0x85944171f73967e8u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(push_keeps_what_was_there),
        cmocka_unit_test(buf_grows_and_stays_terminated),
        cmocka_unit_test(diag_finds_line_column_and_text),
        cmocka_unit_test(diag_counts_characters_not_bytes),
        cmocka_unit_test(nearest_finds_typos_only),
        cmocka_unit_test(utf8_follows_the_table),
        cmocka_unit_test(fill_is_splitmix64_for_integers),
        cmocka_unit_test(fill_of_floats_is_exact_small_integers),
        cmocka_unit_test(fnv_matches_its_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
