/* test_ptx_tcgen05.c - our parser takes and refuses the instructions of tensor
 * memory that ptxas 13.0 -arch sm_100a takes and refuses; what each was is its
 * first letter: y or n. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx/ptx.h"

#include <stdio.h>
#include <string.h>

static const char *const forms[] = {
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 %r4, [%r2];",
    "ytcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r2];",
    "ytcgen05.ld.sync.aligned.32x32b.x1.b32 {%f4}, [%r2+4];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%h1}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 {_}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [16];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%rd2];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4, %r5}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.x2.b32 {%r4}, [%r2];",
    "ytcgen05.ld.sync.aligned.16x128b.x1.b32 {%r4, %r5}, [%r2];",
    "ytcgen05.ld.sync.aligned.16x256b.x1.b32 {%r4, %r5, %r6, %r7}, [%r2];",
    "ytcgen05.ld.sync.aligned.16x64b.x1.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.16x64b.x3.b32 {%r4, %r5, %r6}, [%r2];",
    "ytcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r4}, [%r2], 4;",
    "ytcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r4}, [%r2], -4;",
    "ntcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r4}, [%r2], %r3;",
    "ntcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r2], 4;",
    "ytcgen05.ld.sync.aligned.16x32bx2.x1.pack::16b.b32 {%r4}, [%r2], 4;",
    "ytcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.unpack::16b.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.16x256b.x64.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.128x256b.x1.b32 {%r4}, [%r2];",
    "ntcgen05.ld.aligned.32x32b.x1.b32 {%r4}, [%r2];",
    "ytcgen05.ld.sync.32x32b.x1.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.x1.b32 {%r4}, [%r2];",
    "ntcgen05.ld.sync.aligned.32x32b.x1.u32 {%r4}, [%r2];",
    "ntcgen05.ld.cta_group::1.sync.aligned.32x32b.x1.b32 {%r4}, [%r2];",
    "ntcgen05.ld.red.sync.aligned.32x32b.x2.max.u32 {%r4, %r5}, %r6, [%r2];",
    "ytcgen05.st.sync.aligned.16x32bx2.x1.unpack::16b.b32 [%r2], 4, {%r4};",
    "ytcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {%r4};",
    "ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], {7};",
    "ntcgen05.st.sync.aligned.32x32b.x1.b32 [%r2], %r4;",
    "ntcgen05.st.sync.aligned.32x32b.x1.pack::16b.b32 [%r2], {%r4};",
    "ytcgen05.wait::ld.sync.aligned;",
    "ytcgen05.wait::st.sync.aligned;",
    "ntcgen05.wait::ld;",
    "ntcgen05.wait::ld.sync;",
    "ytcgen05.fence::before_thread_sync;",
    "ytcgen05.fence::after_thread_sync;",
    "ytcgen05.cp.cta_group::1.128x256b [%r2], %rd1;",
    "ytcgen05.cp.cta_group::2.4x256b [%r2+4], %rd1;",
    "ytcgen05.cp.cta_group::1.128x128b [%r2], 17;",
    "ntcgen05.cp.128x128b [%r2], %rd1;",
    "ytcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%r2], %rd1;",
    "ytcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%r2], %rd1;",
    "ntcgen05.cp.cta_group::1.64x128b [%r2], %rd1;",
    "ntcgen05.cp.cta_group::1.64x128b.warpx4 [%r2], %rd1;",
    "ytcgen05.cp.cta_group::1.32x128b.warpx4 [%r2], %rd1;",
    "ntcgen05.cp.cta_group::1.32x128b [%r2], %rd1;",
    "ntcgen05.cp.cta_group::1.128x128b.warpx4 [%r2], %rd1;",
    "ntcgen05.cp.cta_group::1.32x32b [%r2], %rd1;",
    "ytcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];",
    "ytcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
    "[%r1];",
    "ytcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
    "[sm];",
    "ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cta.b64 [sm];",
    "ntcgen05.commit.cta_group::1.shared::cluster.b64 [sm];",
    "ytcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
    "multicast::cluster.b64 [%r1], %h1;",
    "ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
    "multicast::cluster.b64 [%r1], 3;",
    "ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
    "multicast::cluster.b64 [%r1];",
    "ntcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
    "[%r1], %h1;",
    "ytcgen05.alloc.cta_group::1.sync.aligned.b32 [%rd1], 32;",
    "ytcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], %r3;",
    "ytcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [sm], 512;",
    "ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], 33;",
    "ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], 16;",
    "ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], 1024;",
    "ntcgen05.alloc.cta_group::1.sync.aligned.shared::cluster.b32 [sm], 64;",
    "ntcgen05.alloc.sync.aligned.shared::cta.b32 [sm], 64;",
    "ntcgen05.alloc.cta_group::1.shared::cta.b32 [sm], 64;",
    "ytcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 32;",
    "ytcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, %r3;",
    "ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r2, 33;",
    "ntcgen05.dealloc.cta_group::1.sync.aligned.b32 [%r2], 32;",
    "ytcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
    "ntcgen05.relinquish_alloc_permit.sync.aligned;",
    "ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sm], 32; "
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [sm], 32;",
};

static void nothing(void *user, const tc_diag *d) {
    (void)user, (void)d;
}

static bool takes(const char *target, const char *form) {
    static const char text[] =
        ".version 8.8\n.target %s\n.address_size 64\n"
        ".visible .entry k(.param .u64 A)\n{\n.reg .b32 %%r<40>;\n"
        ".reg .b64 %%rd<8>;\n.reg .pred %%p<4>;\n.reg .b16 %%h<3>;\n"
        ".reg .f32 %%f<9>;\n.shared .align 16 .b8 sm[4096];\n%s\nret;\n}\n";
    char all[4096];
    snprintf(all, sizeof all, text, target, form);
    tc_arena *a = tc_arena_new();
    tc_source source = {"<form>", all, strlen(all), 1};
    tc_diags diags = {nothing, NULL, 0};
    bool ok = tc_ptx_parse(a, &source, &diags) != NULL;
    tc_arena_free(a);
    return ok;
}

static void as_ptxas(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bool want = forms[i][0] == 'y';
        if (takes("sm_100a", forms[i] + 1) != want) {
            fprintf(stderr, "%s\n", forms[i]);
            fail();
        }
        assert_false(takes("sm_90a", forms[i] + 1));
        assert_false(takes("sm_100", forms[i] + 1));
    }
}

/* 128 registers: the longest vector that there is; and one more. */
static void long_vectors(void **state) {
    (void)state;
    for (int n = 127; n <= 129; n++) {
        char text[2048] = ".reg .b32 %v<130>; "
                          "tcgen05.ld.sync.aligned.32x32b.x128.b32 {%v0";
        for (int i = 1; i < n; i++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), ", %%v%d",
                     i);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "}, [%%r1];");
        assert_int_equal(takes("sm_100a", text), n == 128);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_ptxas),
        cmocka_unit_test(long_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
