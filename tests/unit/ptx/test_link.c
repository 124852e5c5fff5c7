/* test_link.c - PTX texts as one: names, files, what is missing or twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "ptx/link.h"
#include "ptx/ptx.h"

#include <string.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static const char caller[] =
    HEAD ".extern .func (.param .b32 r) twice (.param .b32 x);\n"
         ".extern .global .align 4 .u32 total;\n"
         ".global .align 4 .u32 own = 1; // } ;\n"
         ".visible .entry kernel () {\n"
         ".reg .b32 %a<3>;\n"
         ".loc 1 5 0\n"
         "{ .param .b32 p; .param .b32 q;\n"
         "st.param.b32 [p], 3;\n"
         "call (q), twice, (p); }\n"
         ".loc 1 6 2, function_name $L__info, inlined_at 2 7 1\n"
         "ld.global.u32 %a1, [total];\n"
         "ld.global.u32 %a2, [own];\n"
         "ret; }\n"
         ".file 1 \"a.cu\"\n.file 2 \"a.h\"\n"
         ".section .debug_str { $L__info: .b8 0 }\n";
static const char callee[] =
    HEAD ".visible .global .align 4 .u32 total = 5;\n"
         ".global .align 4 .u32 own = 2;\n"
         ".visible .func (.param .b32 r) twice (.param .b32 x) {\n"
         ".reg .b32 %a<3>;\n"
         ".loc 1 9 0\n"
         "ld.param.b32 %a1, [x];\n"
         "ld.global.u32 %a2, [own];\n"
         "add.s32 %a1, %a1, %a2;\n"
         "st.param.b32 [r], %a1;\n"
         "ret; }\n"
         ".file 1 \"b.cu\"\n";

typedef struct linked {
    tc_arena *a;
    tc_ptx_linked l;
    char said[512];
} linked;

static void hear(void *user, const tc_diag *d) {
    linked *x = user;
    strncat(x->said, d->message, sizeof x->said - strlen(x->said) - 1);
}

static bool link_two(linked *x, const char *one, const char *two,
                     bool relocatable) {
    tc_ptx_text_unit units[] = {{one, strlen(one), 11, relocatable},
                                {two, strlen(two), 22, relocatable}};
    *x = (linked){.a = tc_arena_new()};
    tc_diags d = {hear, x, 0};
    return tc_ptx_link_texts(x->a, units, 2, &d, &x->l);
}

static const tc_ptx_module *parse(linked *x) {
    tc_source *s = TC_NEW(x->a, tc_source);
    *s = (tc_source){
        .name = "all", .text = x->l.text, .len = x->l.len, .first_line = 1};
    tc_diags d = {hear, x, 0};
    return tc_ptx_parse(x->a, s, &d);
}

static const tc_ptx_symbol *symbol(const tc_ptx_module *m, const char *name) {
    for (int i = 0; i < m->nsymbols; i++) {
        if (strcmp(m->symbols[i].name, name) == 0) {
            return &m->symbols[i];
        }
    }
    return NULL;
}

static void test_relocatable(void **state) {
    (void)state;
    linked x;
    assert_true(link_two(&x, caller, callee, true));
    const tc_ptx_module *m = parse(&x);
    if (m == NULL) {
        fail_msg("%s\n%s", x.said, x.l.text);
    }
    assert_non_null(symbol(m, "total"));
    assert_non_null(symbol(m, "own"));
    assert_non_null(symbol(m, "own$2")); /* two that have one name */
    assert_int_equal(x.l.nrenamed, 1);
    assert_string_equal(
        tc_ptx_linked_name(x.l.renamed, x.l.nrenamed, 22, "own"), "own$2");
    assert_string_equal(
        tc_ptx_linked_name(x.l.renamed, x.l.nrenamed, 11, "own"), "own");
    assert_non_null(strstr(x.l.text, "[own$2]"));
    tc_arena_free(x.a);
}

/* Numbers of files are different ones, in .loc and in inlined_at. */
static void test_files(void **state) {
    (void)state;
    linked x;
    assert_true(link_two(&x, callee, caller, true));
    assert_non_null(strstr(x.l.text, ".file 1 \"b.cu\""));
    assert_non_null(strstr(x.l.text, ".file 2 \"a.cu\""));
    assert_non_null(strstr(x.l.text, ".file 3 \"a.h\""));
    assert_non_null(strstr(x.l.text, ".loc 2 6 2, function_name $L__info, "
                                     "inlined_at 3 7 1"));
    assert_null(strstr(x.l.text, ".section"));
    assert_non_null(parse(&x));
    tc_arena_free(x.a);
}

static const char whole[] = HEAD
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
    ".visible .const .align 4 .u32 k = 3;\n"
    ".weak .entry go () { .reg .b32 %a; ld.const.u32 %a, [k]; ret; }\n";

static void test_whole(void **state) {
    (void)state;
    linked x;
    assert_true(link_two(&x, whole, whole, false));
    const tc_ptx_module *m = parse(&x);
    if (m == NULL) {
        fail_msg("%s\n%s", x.said, x.l.text);
    }
    assert_non_null(tc_ptx_find_entry(m, "go"));
    assert_non_null(tc_ptx_find_entry(m, "go$2"));
    assert_non_null(symbol(m, "k$2"));
    tc_arena_free(x.a);
}

/* Of weak definitions one stays; the strong one where there is one. */
static void test_weak(void **state) {
    (void)state;
    static const char weak[] = HEAD ".weak .global .align 4 .u32 w = 1;\n"
                                    ".weak .func f () { ret; }\n";
    static const char strong[] = HEAD ".visible .global .align 4 .u32 w = 2;\n"
                                      ".weak .func f () { ret; }\n";
    linked x;
    assert_true(link_two(&x, weak, strong, true));
    assert_non_null(parse(&x));
    assert_non_null(strstr(x.l.text, "w = 2"));
    assert_null(strstr(x.l.text, "w = 1"));
    assert_int_equal(x.l.nrenamed, 0);
    tc_arena_free(x.a);
}

static void test_wrong(void **state) {
    (void)state;
    linked x;
    assert_false(link_two(&x, callee, callee, true));
    assert_non_null(strstr(x.said, "'total' is defined in two of the sources"));
    tc_arena_free(x.a);
    assert_false(link_two(&x, caller, whole, true));
    assert_non_null(strstr(x.said, "'total' is declared, and none of"));
    tc_arena_free(x.a);
}

/* Texts that end anywhere are read to their end. */
static void test_cut(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof caller; n += 3) {
        linked x = {.a = tc_arena_new()};
        char *cut = tc_strndup(x.a, caller, n);
        tc_ptx_text_unit units[] = {{cut, n, 1, true},
                                    {callee, sizeof callee - 1, 2, true}};
        tc_diags d = {hear, &x, 0};
        tc_ptx_link_texts(x.a, units, 2, &d, &x.l);
        tc_arena_free(x.a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relocatable), cmocka_unit_test(test_files),
        cmocka_unit_test(test_whole),       cmocka_unit_test(test_weak),
        cmocka_unit_test(test_wrong),       cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
