/* test_alu_misc.c - single instructions by hand: expected values follow from
 * the PTX ISA's formats and rules, worked out beside the rows. Above all those
 * of sm_100, which the recording of an H200 (test_alu_h200.c) cannot have.
 *
 * Row n runs in thread n of one kernel that has the instructions of all rows
 * (alu_cases.h: %rK, %hK, %dK and %cK hold the low bits of word (K - 2) mod 4
 * of the row, register 1 takes the result); ptxas assembles it, where there is
 * one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "alu_cases.h"
#include "sim/sim.h"
#include "tool.h"

#include <unistd.h>

typedef struct row {
    const char *text;
    uint64_t in[4], want;
} row;

#define F1   0x3f800000u /* 1.0 */
#define NAN_ 0x7fc00001u
#define INF_ 0x7f800000u

static const row rows[] = {
    /* 9.7.3: two .f32 in a .b64. 1.5 - 1.5 is -0 downwards. */
    {"add.f32x2 %d1,%d2,%d3;",
     {0x3fc000003f800000, 0xbfc0000040000000},
     0x0000000040400000},
    {"add.rm.f32x2 %d1,%d2,%d3;",
     {0x3fc000003f800000, 0xbfc0000040000000},
     0x8000000040400000},
    /* 2 * -3; infinity * 0 */
    {"mul.f32x2 %d1,%d2,%d3;",
     {0x400000007f800000, 0xc040000000000000},
     0xc0c000007fffffff},
    {"mul.ftz.f32x2 %d1,%d2,%d3;",
     {0x807fffff00000001, 0x3f8000003f800000},
     0x8000000000000000},
    {"mul.rn.f32x2 %d1,%d2,%d3;",
     {0x807fffff00000001, 0x3f8000003f800000},
     0x807fffff00000001},
    /* (1 + 2^-23)^2 - 1 = 2^-22 (1 + 2^-24): a tie */
    {"fma.rn.f32x2 %d1,%d2,%d3,%d4;",
     {0x3f8000003f800001, 0x3f8000003f800001, 0x3f800000bf800000},
     0x4000000034800000},
    {"fma.rp.f32x2 %d1,%d2,%d3,%d4;",
     {0x3f8000003f800001, 0x3f8000003f800001, 0x3f800000bf800000},
     0x4000000034800001},
    /* infinity - infinity; 1 - 2^-30 */
    {"sub.rz.f32x2 %d1,%d2,%d3;",
     {0x7f8000003f800000, 0x7f80000030800000},
     0x7fffffff3f7fffff},
    {"sub.rn.f32x2 %d1,%d2,%d3;",
     {0x7f8000003f800000, 0x7f80000030800000},
     0x7fffffff3f800000},

    /* 9.7.5: .f16 and .bf16 with .f32; subnormal halves count */
    {"add.f32.f16 %r1,%h2,%r3;", {0x3c00, F1}, 0x40000000},
    {"add.f32.f16 %r1,%h2,%r3;", {0x0001, 0}, 0x33800000},
    {"add.f32.f16 %r1,%h2,%r3;", {0x7e00, F1}, 0x7fffffff},
    {"add.sat.f32.f16 %r1,%h2,%r3;", {0x4400, F1}, F1},
    {"add.sat.f32.f16 %r1,%h2,%r3;", {0xbc00, 0x3f000000}, 0},
    {"add.sat.f32.bf16 %r1,%h2,%r3;", {0x7fc0, F1}, 0},
    {"sub.f32.bf16 %r1,%h2,%r3;", {0x3f80, 0x40400000}, 0xc0000000},
    /* 65504^2 = 0xffc00400, and 1 */
    {"fma.rn.f32.f16 %r1,%h2,%h3,%r4;", {0x7bff, 0x7bff, F1}, 0x4f7fc004},
    {"fma.rp.f32.f16 %r1,%h2,%h3,%r4;", {0x7bff, 0x7bff, F1}, 0x4f7fc005},

    /* 9.7.3.11, 9.7.3.12: of three */
    {"max.f32 %r1,%r2,%r3,%r4;", {F1, 0x40400000, 0x40000000}, 0x40400000},
    {"min.f32 %r1,%r2,%r3,%r4;", {INF_, F1, 0xff800000}, 0xff800000},
    {"max.f32 %r1,%r2,%r3,%r4;", {NAN_, F1, 0x40000000}, 0x40000000},
    {"min.f32 %r1,%r2,%r3,%r4;", {F1, NAN_, NAN_}, F1},
    {"min.f32 %r1,%r2,%r3,%r4;", {NAN_, NAN_, NAN_}, 0x7fffffff},
    {"max.NaN.f32 %r1,%r2,%r3,%r4;", {F1, F1, NAN_}, 0x7fffffff},
    {"min.abs.f32 %r1,%r2,%r3,%r4;",
     {0xc0a00000, 0x40400000, 0xc0800000},
     0x40400000},
    {"max.abs.f32 %r1,%r2,%r3,%r4;",
     {0xc0a00000, 0x40400000, 0xc0800000},
     0x40a00000},
    {"min.f32 %r1,%r2,%r3,%r4;", {0, 0x80000000, 0}, 0x80000000},
    {"max.f32 %r1,%r2,%r3,%r4;", {0x80000000, 0x80000000, 0}, 0},
    /* tiny before it is rounded to 2^-126: .ftz flushes it (an H200 does) */
    {"mul.f32 %r1,%r2,%r3;", {0x3f7fffff, 0x00800000}, 0x00800000},
    {"mul.ftz.f32 %r1,%r2,%r3;", {0x3f7fffff, 0x00800000}, 0},
    {"fma.rn.ftz.f32 %r1,%r2,%r3,%r4;",
     {0xbf7fffff, 0x00800000, 0},
     0x80000000},
    {"div.rn.ftz.f32 %r1,%r2,%r3;", {0x00ffffff, 0x40000000}, 0},
    {"mul.ftz.f32 %r1,%r2,%r3;", {0x3f800000, 0x00800000}, 0x00800000},
    {"max.ftz.f32 %r1,%r2,%r3,%r4;", {1, 0x80000001, 0xbf800000}, 0},

    /* 5.2.3: .e2m1 is 0, 0.5, 1, 1.5, 2, 3, 4, 6; a goes above b. Ties: 0.25,
     * 0.75, 2.5, 5. */
    {"cvt.rn.satfinite.e2m1x2.f32 %c1,%r2,%r3;",
     {0x40c00000, 0xbfc00000},
     0x7b},
    {"cvt.rn.satfinite.e2m1x2.f32 %c1,%r2,%r3;",
     {0x42c80000, 0xff800000},
     0x7f},
    {"cvt.rn.satfinite.e2m1x2.f32 %c1,%r2,%r3;", {NAN_, 0x3e800000}, 0x70},
    {"cvt.rn.satfinite.e2m1x2.f32 %c1,%r2,%r3;",
     {0x40200000, 0x3f400000},
     0x42},
    {"cvt.rn.satfinite.e2m1x2.f32 %c1,%r2,%r3;",
     {0x40a00000, 0x40a80000},
     0x67},
    {"cvt.rn.satfinite.e2m1x2.f32 %c1,%r2,%r3;", {0xbdcccccd, 0}, 0x80},
    {"cvt.rn.relu.satfinite.e2m1x2.f32 %c1,%r2,%r3;", {0xc0000000, F1}, 0x02},
    {"cvt.rn.satfinite.e2m1x2.f16x2 %c1,%r2;", {0x4600b800}, 0x79},
    {"cvt.rn.f16x2.e2m1x2 %r1,%c2;", {0x7b}, 0x4600be00},
    {"cvt.rn.f16x2.e2m1x2 %r1,%c2;", {0x80}, 0x80000000},
    {"cvt.rn.f16x2.e2m1x2 %r1,%c2;", {0x19}, 0x3800b800},
    {"cvt.rn.relu.f16x2.e2m1x2 %r1,%c2;", {0x9a}, 0},

    /* .e2m3: bias 1, steps of 1/8 up to 2, at most 7.5 */
    {"cvt.rn.satfinite.e2m3x2.f32 %h1,%r2,%r3;",
     {0x40f00000, 0x3e000000},
     0x1f01},
    {"cvt.rn.satfinite.e2m3x2.f32 %h1,%r2,%r3;", {0xc1000000, F1}, 0x3f08},
    {"cvt.rn.satfinite.e2m3x2.f32 %h1,%r2,%r3;",
     {0x3f880000, 0x3f980000},
     0x080a},
    {"cvt.rn.satfinite.e2m3x2.f32 %h1,%r2,%r3;", {0x3d800000, NAN_}, 0x001f},
    {"cvt.rn.relu.satfinite.e2m3x2.f32 %h1,%r2,%r3;",
     {0xc0400000, 0x40400000},
     0x0014},
    {"cvt.rn.f16x2.e2m3x2 %r1,%h2;", {0x3f01}, 0xc7803000},
    /* .e3m2: bias 3, least 1/16, at most 28; -0.3125 = -1.25 / 4 */
    {"cvt.rn.satfinite.e3m2x2.f32 %h1,%r2,%r3;",
     {0x41e00000, 0x3d800000},
     0x1f01},
    {"cvt.rn.satfinite.e3m2x2.f32 %h1,%r2,%r3;",
     {0x447a0000, 0xbea00000},
     0x1f25},
    {"cvt.rn.f16x2.e3m2x2 %r1,%h2;", {0x1f25}, 0x4f00b500},

    /* .ue8m0: 2^(u - 127), 0xff is NaN */
    {"cvt.rz.ue8m0x2.f32 %h1,%r2,%r3;", {F1, 0x40400000}, 0x7f80},
    {"cvt.rp.ue8m0x2.f32 %h1,%r2,%r3;", {F1, 0x40400000}, 0x7f81},
    {"cvt.rz.ue8m0x2.f32 %h1,%r2,%r3;", {INF_, NAN_}, 0xffff},
    {"cvt.rz.satfinite.ue8m0x2.f32 %h1,%r2,%r3;", {INF_, NAN_}, 0xfeff},
    {"cvt.rp.ue8m0x2.f32 %h1,%r2,%r3;", {0x00600000, 0x00400000}, 0x0100},
    {"cvt.rz.ue8m0x2.f32 %h1,%r2,%r3;", {0x007fffff, 0}, 0},
    {"cvt.rp.ue8m0x2.f32 %h1,%r2,%r3;", {0x7f7fffff, 0x7f000000}, 0xfffe},
    {"cvt.rp.satfinite.ue8m0x2.f32 %h1,%r2,%r3;",
     {0x7f7fffff, 0x7f000000},
     0xfefe},
    {"cvt.rz.ue8m0x2.bf16x2 %h1,%r2;", {0x3f804040}, 0x7f80},
    {"cvt.rp.ue8m0x2.bf16x2 %h1,%r2;", {0x3f804040}, 0x7f81},
    {"cvt.rn.bf16x2.ue8m0x2 %r1,%h2;", {0x7f80}, 0x3f804000},
    {"cvt.rn.bf16x2.ue8m0x2 %r1,%h2;", {0xff00}, 0x7fff0040},

    /* cvt.rs: the random bits are added to those cut off, and carry: of
     * 1 + 2^-11 half a unit of .f16, of 1 + 2^-8 half a unit of .bf16 */
    {"cvt.rs.f16x2.f32 %r1,%r2,%r3,%r4;",
     {0x3f801000, 0x3f801000, 0x10000fff},
     0x3c013c00},
    {"cvt.rs.f16x2.f32 %r1,%r2,%r3,%r4;",
     {0x3f801000, 0x3f801fff, 0},
     0x3c003c00},
    {"cvt.rs.satfinite.f16x2.f32 %r1,%r2,%r3,%r4;",
     {INF_, 0xff800000, 0},
     0x7bfffbff},
    {"cvt.rs.relu.f16x2.f32 %r1,%r2,%r3,%r4;", {0xbf800000, F1, 0}, 0x00003c00},
    {"cvt.rs.f16x2.f32 %r1,%r2,%r3,%r4;", {NAN_, INF_, 0xffffffff}, 0x7fff7c00},
    {"cvt.rs.bf16x2.f32 %r1,%r2,%r3,%r4;",
     {0x3f808000, 0x3f808000, 0x7fff8000},
     0x3f803f81},
    /* Four: the random word, %r6, is the first source; 1.0 has 0x3f80 above,
     * 0.248 of a unit, and 0 below. 1.1 is 0.8 of the way from 1 to 1.125. */
    {"cvt.rs.satfinite.e4m3x4.f32 %r1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, 0xc0000000, 0x43e00000, 0x3f000000},
     0x38c07e30},
    {"cvt.rs.satfinite.e4m3x4.f32 %r1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, NAN_, 0xff800000, 0x4e6e6b28},
     0x387ffe7e},
    {"cvt.rs.satfinite.e4m3x4.f32 %r1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, 0x3f8ccccd, 0x3f8ccccd, 0x3f866666},
     0x38393838},
    {"cvt.rs.satfinite.e5m2x4.f32 %r1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, INF_, 0xc7800000, 0x40000000},
     0x3c7bfb40},
    {"cvt.rs.satfinite.e2m1x4.f32 %h1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, 0x40000000, 0x40400000, 0x40c00000},
     0x2457},
    {"cvt.rs.relu.satfinite.e2m1x4.f32 %h1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, 0xc0000000, 0xc0400000, 0x40c00000},
     0x2007},
    {"cvt.rs.satfinite.e2m3x4.f32 %r1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, 0x40f00000, 0xbe000000, 0},
     0x081f2100},
    {"cvt.rs.satfinite.e3m2x4.f32 %r1,{%r2,%r3,%r4,%r5},%r6;",
     {F1, 0x41e00000, 0xbd800000, 0},
     0x0c1f2100},
    {"cvt.rn.satfinite.tf32.f32 %r1,%r2;", {INF_}, 0x7f7fe000},
    {"cvt.rn.satfinite.tf32.f32 %r1,%r2;", {0x7f7fffff}, 0x7f7fe000},
    /* 1 + 2^-11 is a tie */
    {"cvt.rn.tf32.f32 %r1,%r2;", {0x3f801000}, 0x3f800000},
    {"cvt.rna.tf32.f32 %r1,%r2;", {0x3f801000}, 0x3f802000},

    /* .e4m3 has no infinity, .e5m2 has one */
    {"cvt.rn.satfinite.e4m3x2.f32 %h1,%r2,%r3;", {INF_, NAN_}, 0x7e7f},
    {"cvt.rn.satfinite.e5m2x2.f32 %h1,%r2,%r3;", {0xff800000, NAN_}, 0xfb7f},
    {"cvt.rn.f16x2.e5m2x2 %r1,%h2;", {0x7cfc}, 0x7c00fc00},
    {"cvt.rn.f16x2.e4m3x2 %r1,%h2;", {0x0181}, 0x18009800},

    /* Shifts past the width: 9.7.8.7 to 9.7.8.9 clamp, szext and bmsk as said
     * (9.7.1.21, 9.7.1.22), video shifts (9.7.17.2) likewise. */
    {"shl.b64 %d1,%d2,%r3;", {1, 64}, 0},
    {"shl.b16 %h1,%h2,%r3;", {1, 16}, 0},
    {"shr.s16 %h1,%h2,%r3;", {0x8000, 200}, 0xffff},
    {"shr.u64 %d1,%d2,%r3;", {UINT64_MAX, 0x80000000}, 0},
    {"shr.s64 %d1,%d2,%r3;", {0x8000000000000000, 64}, UINT64_MAX},
    {"shf.l.clamp.b32 %r1,%r2,%r3,%r4;",
     {0x11111111, 0x22222222, 40},
     0x11111111},
    {"shf.l.wrap.b32 %r1,%r2,%r3,%r4;",
     {0x11111111, 0x22222222, 40},
     0x22222211},
    {"shf.r.clamp.b32 %r1,%r2,%r3,%r4;",
     {0x11111111, 0x22222222, 99},
     0x22222222},
    {"szext.clamp.s32 %r1,%r2,%r3;", {0xff, 8}, 0xffffffff},
    {"szext.clamp.u32 %r1,%r2,%r3;", {0xdeadbeef, 32}, 0xdeadbeef},
    {"szext.wrap.u32 %r1,%r2,%r3;", {0xdeadbeef, 36}, 0xf},
    {"bmsk.clamp.b32 %r1,%r2,%r3;", {4, 8}, 0xff0},
    {"bmsk.clamp.b32 %r1,%r2,%r3;", {32, 8}, 0},
    {"bmsk.wrap.b32 %r1,%r2,%r3;", {36, 8}, 0xff0},
    {"vshl.u32.u32.u32.clamp %r1,%r2,%r3;", {1, 33}, 0},
    {"vshl.u32.u32.u32.wrap %r1,%r2,%r3;", {1, 33}, 2},

    /* 9.7.3.1: zero counts as normal; 9.7.6.4: a NaN selects b */
    {"slct.b32.f32 %r1,%r2,%r3,%r4;", {1, 2, 0x80000000}, 1},
    {"slct.b32.f32 %r1,%r2,%r3,%r4;", {1, 2, NAN_}, 2},
    {"slct.ftz.b32.f32 %r1,%r2,%r3,%r4;", {1, 2, 0x80000001}, 1},
    {"slct.b32.f32 %r1,%r2,%r3,%r4;", {1, 2, 0x80000001}, 2},
    {"copysign.f32 %r1,%r2,%r3;", {0x80000000, NAN_}, 0xffc00001},
    {"min.xorsign.abs.f32 %r1,%r2,%r3;", {0xc0000000, F1}, 0xbf800000},
    {"max.xorsign.abs.f32 %r1,%r2,%r3;", {0xc0000000, 0xbf800000}, 0x40000000},
    {"fma.rn.relu.f16 %h1,%h2,%h3,%h4;", {0xbc00, 0x3c00, 0}, 0},
    {"fma.rn.relu.f16 %h1,%h2,%h3,%h4;", {0x7e00, 0x3c00, 0}, 0x7fff},
    {"add.sat.f16 %h1,%h2,%h3;", {0x7e00, 0x3c00}, 0},
    {"fma.rn.oob.f16 %h1,%h2,%h3,%h4;", {0x7ff7, 0x3c00, 0x4000}, 0},
    {"fma.rn.oob.bf16x2 %r1,%r2,%r3,%r4;",
     {0x3f807ff7, 0x40003f80, 0x00003f80},
     0x40000000},
    {"add.sat.f32 %r1,%r2,%r3;", {NAN_, F1}, 0},

    /* 9.7.1.5, 9.7.1.7, 9.7.1.17, 9.7.8.5, 9.7.8.6 */
    {"mul24.lo.s32 %r1,%r2,%r3;", {0x800000, 2}, 0xff000000},
    {"mul24.hi.u32 %r1,%r2,%r3;", {0xffffff, 0xffffff}, 0xfffffe00},
    {"sad.s32 %r1,%r2,%r3,%r4;", {0x80000000, 0x7fffffff, 1}, 0},
    {"fns.b32 %r1,%r2,%r3,%r4;", {0xaaaaaaaa, 3, 1}, 3},
    {"fns.b32 %r1,%r2,%r3,%r4;", {0xaaaaaaaa, 3, 0xfffffffe}, 1},
    {"fns.b32 %r1,%r2,%r3,%r4;", {0xaaaaaaaa, 2, 0}, 0xffffffff},
    {"cnot.b16 %h1,%h2;", {0x8000}, 0},
    {"lop3.b32 %r1,%r2,%r3,%r4,0x96;",
     {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa},
     0x96969696},

    /* 9.7.2: 2^32 - 1 and 1 carry; 0 - 1 borrows */
    {"add.cc.u32 %r1,%r2,%r3; addc.u32 %r1,%r4,%r5;",
     {0xffffffff, 1, 5, 6},
     12},
    {"sub.cc.u32 %r1,%r2,%r3; subc.u32 %r1,%r4,%r5;", {0, 1, 9, 6}, 2},
    {"sub.cc.u64 %d1,%d2,%d3; subc.u64 %d1,%d4,%d5;", {0, 1, 0, 0}, UINT64_MAX},
    {"mad.lo.cc.u32 %r1,%r2,%r3,%r4; madc.hi.u32 %r1,%r2,%r3,%r5;",
     {0x10000, 0x10000, 0xffffffff, 3},
     4},
};

enum { ROWS = sizeof rows / sizeof *rows };

static void complain(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

/* The kernel of all rows, for sm_100a. */
static char *kernel(void) {
    static alu_case cases[ROWS];
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < ROWS; i++) {
        assert_true(strlen(rows[i].text) < sizeof cases[i].text);
        strcpy(cases[i].text, rows[i].text);
    }
    alu_module(&b, cases, ROWS);
    char *target = strstr(b.data, "sm_90a"); /* as long, less one letter */
    tc_buf all = TC_BUF_INIT;
    tc_buf_write(&all, b.data, (size_t)(target - b.data));
    tc_buf_printf(&all, "sm_100a%s", target + strlen("sm_90a"));
    tc_buf_free(&b);
    return all.data;
}

static void assembles(void **state) {
    (void)state;
    char *text = kernel();
    assert_true(ptxas_takes("sm_100a", text));
    free(text);
}

static void fill(tc_sim_allocation *in) {
    for (size_t i = 0; i < ROWS; i++) {
        memcpy(in->bytes + i * sizeof rows[i].in, rows[i].in,
               sizeof rows[i].in);
    }
}

static int judge(const tc_sim_allocation *out) {
    int wrong = 0;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t got;
        memcpy(&got, out->bytes + (i * ALU_TUPLES + i) * sizeof got,
               sizeof got);
        if (got != rows[i].want) {
            const uint64_t *in = rows[i].in;
            fprintf(stderr, "%s of %llx %llx %llx %llx: %llx, not %llx\n",
                    rows[i].text, (unsigned long long)in[0],
                    (unsigned long long)in[1], (unsigned long long)in[2],
                    (unsigned long long)in[3], (unsigned long long)got,
                    (unsigned long long)rows[i].want);
            wrong++;
        }
    }
    return wrong;
}

static void values(void **state) {
    (void)state;
    static const char *const paths[] = {NULL, "plain", "none"};
    char *text = kernel();
    tc_arena *a = tc_arena_new();
    tc_diags d = {.fn = complain};
    tc_source source = {"rows.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(a, &source, &d);
    assert_non_null(m);
    for (int i = 0; i < 3; i++) {
        tc_sim_options o = {.arch = "sm_100a", .isa = paths[i]};
        tc_sim *s = tc_sim_new(m, &o, &d);
        assert_non_null(s);
        tc_sim_allocation *in = tc_sim_alloc(s, ALU_TUPLES * 32, "in");
        tc_sim_allocation *out =
            tc_sim_alloc(s, (uint64_t)ROWS * ALU_TUPLES * 8, "out");
        fill(in);
        uint64_t params[2] = {in->address, out->address};
        tc_sim_launch l = {.entry = "k",
                           .grid = {1, 1, 1},
                           .block = {(ROWS + 31) / 32 * 32, 1, 1},
                           .params = (const uint8_t *)params,
                           .nparams = sizeof params};
        tc_sim_result r;
        assert_true(tc_sim_run(s, &l, &d, &r));
        assert_int_equal(r.status, TC_RUN_OK);
        assert_int_equal(judge(out), 0);
        tc_sim_free(s);
    }
    tc_arena_free(a);
    free(text);
}

/* 9.7.19.1, 9.7.19.4: without a debugger both end the launch (on an H200 with
 * CUDA_ERROR_LAUNCH_FAILED). */
static void break_point(void **state) {
    (void)state;
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k()\n{\nbrkpt;\nret;\n}\n";
    tc_arena *a = tc_arena_new();
    tc_diags d = {.fn = complain};
    tc_source source = {"brkpt.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(a, &source, &d);
    assert_non_null(m);
    tc_sim *s = tc_sim_new(m, &(tc_sim_options){0}, &d);
    tc_sim_launch l = {.entry = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    tc_sim_result r;
    assert_true(tc_sim_run(s, &l, &d, &r));
    assert_int_equal(r.status, TC_RUN_FAULT);
    assert_int_equal(r.nfindings, 1);
    assert_int_equal(r.findings[0].kind, TC_FINDING_TRAP);
    assert_int_equal(r.findings[0].at.op->ptx_line, 6);
    tc_sim_free(s);
    tc_arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values),
                                       cmocka_unit_test(break_point),
                                       cmocka_unit_test(assembles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
