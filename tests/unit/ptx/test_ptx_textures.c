/* test_ptx_textures.c - the forms of tex, tld4, txq, suld, sust and sured (PTX
 * ISA 9.7.10, 9.7.11): those that nvcc writes, and what is said of others. */
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static char seen[400];

static void keep_first(void *user, const tc_diag *d) {
    (void)user;
    if (seen[0] == 0) {
        snprintf(seen, sizeof seen, "%s", d->message);
    }
}

/* Leaves in seen what is said of the instruction: "", it is right. */
static void parse(const char *text) {
    char all[2000];
    snprintf(all, sizeof all,
             ".version 8.6\n.target sm_90a\n.entry k()\n{\n"
             ".reg .b32 %%r<20>;\n.reg .b16 %%h<9>;\n.reg .b64 %%rd<9>;\n"
             ".reg .f32 %%f<20>;\n.reg .pred %%p<9>;\n%s\nret;\n}\n",
             text);
    tc_arena *a = tc_arena_new();
    tc_source source = {"t.ptx", all, strlen(all), 1};
    tc_diags diags = {keep_first, NULL, 0};
    seen[0] = 0;
    tc_ptx_module *m = tc_ptx_parse(a, &source, &diags);
    if ((m == NULL) != (seen[0] != 0)) {
        fail_msg("%s: %s, and says '%s'", text, m ? "right" : "wrong", seen);
    }
    tc_arena_free(a);
}

/* nvcc 13.0 -arch=sm_90a, of the functions that read textures and surfaces. */
static void test_written_by_nvcc(void **state) {
    (void)state;
    static const char *const rows[] = {
        "tex.1d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [%rd3, {%r1}];",
        "tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd3, {%f1, %f1}];",
        "tex.3d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%f1, %f1, %f1, %f1}];",
        "tex.a1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%r1, %f1}];",
        "tex.a2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%r1, %f1, %f1, "
        "%f1}];",
        "tex.acube.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%r1, %f1, %f1, "
        "%f1}];",
        "tld4.b.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%f1, %f1}];",
        "tex.level.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%f1, %f1}], "
        "%f1;",
        "tex.grad.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%f1}], {%f1}, "
        "{%f6};",
        "tex.grad.3d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd3, {%f1, %f1, %f1, "
        "%f1}], {%f6, %f7, %f8, %f8}, {%f6, %f7, %f8, %f8};",
        "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}|%p1, [%rd3, {%f1, %f1}];",
        "suld.b.2d.b32.clamp {%r15}, [%rd2, {%r12, %r1}];",
        "suld.b.a2d.b32.trap {%r1}, [%rd2, {%r18, %r12, %r1, %r1}];",
        "sust.b.2d.v4.b32.trap [%rd2, {%r2, %r1}], {%r7, %r6, %r5, %r4};",
        "sust.b.2d.b8.zero [%rd2, {%r1, %r1}], {%h5};",
        "sust.b.1d.v2.b64.trap [%rd2, {%r3}], {%rd4, %rd5};",
        "sured.b.min.3d.s32.clamp [%rd2, {%r1, %r2, %r3, %r3}], %r4;",
        "txq.width.b32 %r1, [%rd1];",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parse(rows[i]);
        if (seen[0] != 0) {
            fail_msg("%s\n  got: %s", rows[i], seen);
        }
    }
}

static void test_others(void **state) {
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"tex.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];",
         "'tex' wants a geometry"},
        {"tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];",
         "'tex' of this geometry has 2 coordinates, not 1"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
         "wants an object and coordinates: [object, {..}] here"},
        {"tex.1d.f32.s32 %f1, [%rd1, {%r1}];", "'tex' wants .v4"},
        {"tex.level.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}], "
         "%f1, {%f1}, {%f1};",
         "has one of .base, .level and .grad"},
        {"tld4.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
         "'tld4' wants .r, .g, .b or .a"},
        {"suld.b.1d.b32 {%r1}, [%rd1, {%r1}];",
         "'suld.b' wants one of .trap, .clamp and .zero"},
        {"sured.b.1d.u32.trap [%rd1, {%r1}], %r2;", "'sured.b' wants .add"},
        {"txq.b32 %r1, [%rd1];", "'txq' wants what is asked"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parse(rows[i].text);
        if (strstr(seen, rows[i].said) == NULL) {
            fail_msg("%s\n  wants: %s\n  got: %s", rows[i].text, rows[i].said,
                     seen);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_by_nvcc),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
