/* test_alu_dot.c - dp4a and dp2a; each value worked out by hand, the sum in
 * the comment. The parts are written from the least significant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "alu_run.h"

typedef struct row {
    const char *text;
    uint32_t a, b, c, want;
} row;

enum { MASK = 0x5a5a0f31 };

static void check(const row *r) {
    alu m;
    assert_true(alu_load(&m, r->text));
    for (int i = 0; i < TC_LANES; i++) {
        alu_input(&m, 1, i, r->a);
        alu_input(&m, 2, i, r->b);
        alu_input(&m, 3, i, r->c);
    }
    alu_execute(&m, MASK);
    for (int i = 0; i < TC_LANES; i++) {
        bool in = ((uint32_t)MASK >> i & 1u) != 0;
        uint64_t got = alu_result(&m, i), want = in ? r->want : UINT32_MAX;
        if (got != want) {
            fail_msg("%s a=%x b=%x c=%x lane %d: %llx, not %llx", r->text, r->a,
                     r->b, r->c, i, (unsigned long long)got,
                     (unsigned long long)want);
        }
    }
    alu_free(&m);
}

static void four(void **state) {
    (void)state;
#define DP4A(types) "dp4a." types " %r0, %r1, %r2, %r3;"
    static const row rows[] = {
        /* 1*5 + 2*6 + 3*7 + 4*8 + 9 = 79 */
        {DP4A("u32.u32"), 0x04030201, 0x08070605, 9, 79},
        {DP4A("s32.s32"), 0x04030201, 0x08070605, 9, 79},
        /* 4 * 255*255; 4 * 255*-1; 4 * -1*255; 4 * -1*-1 */
        {DP4A("u32.u32"), 0xffffffff, 0xffffffff, 0, 260100},
        {DP4A("u32.s32"), 0xffffffff, 0xffffffff, 0, 0xfffffc04},
        {DP4A("s32.u32"), 0xffffffff, 0xffffffff, 0, 0xfffffc04},
        {DP4A("s32.s32"), 0xffffffff, 0xffffffff, 0, 4},
        /* 128*254; 128*-2; -128*254; -128*-2 */
        {DP4A("u32.u32"), 0x80, 0xfe, 0, 32512},
        {DP4A("u32.s32"), 0x80, 0xfe, 0, 0xffffff00},
        {DP4A("s32.u32"), 0x80, 0xfe, 0, 0xffff8100},
        {DP4A("s32.s32"), 0x80, 0xfe, 0, 256},
        /* a part meets the one of its own place only */
        {DP4A("u32.u32"), 0x01000000, 0x07060504, 0, 7},
        {DP4A("u32.u32"), 0x00010000, 0x07060504, 0, 6},
        {DP4A("u32.u32"), 0x00000100, 0x07060504, 0, 5},
        /* the sum wraps */
        {DP4A("s32.s32"), 1, 1, 0x7fffffff, 0x80000000},
        {DP4A("u32.u32"), 1, 1, 0xffffffff, 0},
        {"dp4a.s32.s32 %r0, %r1, -1, 5;", 0x04030201, 0, 0, 0xfffffffb}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&rows[i]);
    }
}

static void two(void **state) {
    (void)state;
#define DP2A(types) "dp2a." types " %r0, %r1, %r2, %r3;"
    static const row rows[] = {
        /* 1*5 + 2*6 + 100; 1*7 + 2*8 + 100 */
        {DP2A("lo.u32.u32"), 0x00020001, 0x08070605, 100, 117},
        {DP2A("hi.u32.u32"), 0x00020001, 0x08070605, 100, 123},
        /* 65535*255 + 32768*128; 65535*-1 + 32768*-128;
         * -1*255 + -32768*128; -1*-1 + -32768*-128 */
        {DP2A("lo.u32.u32"), 0x8000ffff, 0x000080ff, 0, 20905729},
        {DP2A("lo.u32.s32"), 0x8000ffff, 0x000080ff, 0, 0xffbf0001},
        {DP2A("lo.s32.u32"), 0x8000ffff, 0x000080ff, 0, 0xffbfff01},
        {DP2A("lo.s32.s32"), 0x8000ffff, 0x000080ff, 0, 4194305},
        {DP2A("hi.u32.u32"), 0x8000ffff, 0x80ff0000, 0, 20905729},
        {DP2A("hi.u32.s32"), 0x8000ffff, 0x80ff0000, 0, 0xffbf0001},
        {DP2A("hi.s32.u32"), 0x8000ffff, 0x80ff0000, 0, 0xffbfff01},
        {DP2A("hi.s32.s32"), 0x8000ffff, 0x80ff0000, 0, 4194305},
        /* the other half of b takes no part */
        {DP2A("lo.s32.s32"), 0x8000ffff, 0x80ff0000, 3, 3},
        {DP2A("hi.s32.s32"), 0x8000ffff, 0x000080ff, 3, 3},
        {DP2A("lo.u32.u32"), 1, 1, 0xffffffff, 0},
        {"dp2a.lo.u32.u32 %r0, %r0, 1, %r3;", 0, 0, 1, 0x10000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(&rows[i]);
    }
}

static void keep_first(void *user, const tc_diag *d) {
    char *first = user;
    if (*first == '\0') {
        snprintf(first, 200, "%s", d->message);
    }
}

static void refused(void **state) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"dp2a.u32.u32 %r0, %r1, %r2, %r3;",
         "'dp2a.u32.u32' wants one of .hi or .lo"},
        {"dp4a.lo.u32.u32 %r0, %r1, %r2, %r3;",
         "'dp4a.u32' has no modifier .lo"},
        {"dp4a.u32 %r0, %r1, %r2, %r3;",
         "'dp4a' wants a second type: .u32 or .s32"},
        {"dp4a.u32.u64 %r0, %r1, %r2, %r3;",
         "'dp4a' does not go from .u64 to .u32"},
        {"dp4a.u32.u32 %r0, %r1, %r2;", "'dp4a.u32.u32' has 4 operands, not 3"},
        {"dp4a.u32.u32 %r0, %h1, %r2, %r3;",
         "'%h1' is .b16, which 'dp4a.u32.u32' cannot use"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400], first[200] = "";
        snprintf(text, sizeof text,
                 ".version 8.6\n.target sm_90\n.entry k()\n{\n"
                 ".reg .b32 %%r<5>;\n.reg .b16 %%h<5>;\n%s\nret;\n}\n",
                 rows[i].text);
        tc_source source = {"<test>", text, strlen(text), 1};
        tc_diags diags = {keep_first, first, 0};
        tc_arena *a = tc_arena_new();
        assert_null(tc_ptx_parse(a, &source, &diags));
        assert_string_equal(first, rows[i].message);
        tc_arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(four),
                                       cmocka_unit_test(two),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
