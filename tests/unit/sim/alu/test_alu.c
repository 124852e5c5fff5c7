/* test_alu.c - the arithmetic of the simulator, instruction by instruction.
 *
 * Expected values come from exact arithmetic in 128 bits here, from the host
 * under fesetround on doubles, from tables derived by hand from the PTX ISA,
 * or were read from an H200 (marked so). Each row runs under a mask: lanes
 * outside it must keep register 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "alu_run.h"

#include <fenv.h>
#include <math.h>

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

enum { MASK = 0x5a5a0f31 };

typedef struct row {
    const char *text;
    uint64_t a, b, c, want;
} row;

static uint64_t untouched(const alu *m) {
    const tc_ptx_operand *d = &m->op->a[0];
    return d->kind == TC_PO_PRED ? 1
           : d->cls == TC_PF_64  ? UINT64_MAX
           : d->slot >= ALU_REGS ? 0xffff
                                 : UINT32_MAX;
}

static void check(alu *m, const char *text, uint64_t a, uint64_t b, uint64_t c,
                  uint64_t want) {
    for (int i = 0; i < TC_LANES; i++) {
        alu_input(m, 1, i, a);
        alu_input(m, 2, i, b);
        alu_input(m, 3, i, c);
    }
    alu_execute(m, MASK);
    for (int i = 0; i < TC_LANES; i++) {
        bool in = ((uint32_t)MASK >> i & 1u) != 0;
        uint64_t got = alu_result(m, i);
        if (got != (in ? want : untouched(m))) {
            fail_msg("%s a=%llx b=%llx c=%llx lane %d: %llx, not %llx", text,
                     (unsigned long long)a, (unsigned long long)b,
                     (unsigned long long)c, i, (unsigned long long)got,
                     (unsigned long long)want);
        }
    }
}

static void run_rows(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        alu m;
        assert_true(alu_load(&m, rows[i].text));
        check(&m, rows[i].text, rows[i].a, rows[i].b, rows[i].c, rows[i].want);
        alu_free(&m);
    }
}
#define RUN(rows) run_rows(rows, sizeof(rows) / sizeof *(rows))

/* ---- integers: against exact arithmetic ---- */

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 7,
                                 31,
                                 100,
                                 0x7f,
                                 0x80,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0xfffffff9,
                                 0xffffffff,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xdeadbeefcafebabe,
                                 0xffffffffffffffff};
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t low_bits(uint64_t v, int bits) {
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static s128 value(uint64_t v, int bits, bool sign) {
    v = low_bits(v, bits);
    return sign && (v >> (bits - 1)) != 0 ? (s128)v - ((s128)1 << bits)
                                          : (s128)v;
}

typedef enum op {
    ADD,
    SUB,
    LO,
    HI,
    WIDE,
    MADLO,
    MADHI,
    MADWIDE,
    DIV,
    REM,
    MIN,
    MAX,
    ABS,
    NEG
} op;

static s128 exact(op o, s128 a, s128 b, s128 c, int bits) {
    switch (o) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case LO:
    case WIDE:
        return (s128)((u128)a * (u128)b);
    case HI:
        return (s128)((u128)a * (u128)b) >> bits;
    case MADLO:
    case MADWIDE:
        return (s128)((u128)a * (u128)b + (u128)c);
    case MADHI:
        return ((s128)((u128)a * (u128)b) >> bits) + c;
    case DIV:
        return b == 0 ? -1 : a / b;
    case REM:
        return b == 0 ? -1 : a % b;
    case MIN:
        return a < b ? a : b;
    case MAX:
        return a > b ? a : b;
    case ABS:
        return a < 0 ? -a : a;
    default:
        return -a;
    }
}

static void integers(void **state) {
    (void)state;
    static const char *const names[] = {
        "add",      "sub", "mul.lo", "mul.hi", "mul.wide", "mad.lo", "mad.hi",
        "mad.wide", "div", "rem",    "min",    "max",      "abs",    "neg"};
    static const char file[] = "hrd";
    for (int o = ADD; o <= NEG; o++) {
        for (int t = 0; t < 6; t++) {
            int w = t / 2, bits = 16 << w;
            bool sign = t % 2 == 1, wide = o == WIDE || o == MADWIDE;
            if ((wide && bits == 64) || (o >= ABS && !sign)) {
                continue;
            }
            char text[100], f = file[w], d = file[w + wide];
            bool unary = o >= ABS, three = o >= MADLO && o <= MADWIDE;
            snprintf(text, sizeof text, "%s.%c%d %%%c0, %%%c1", names[o],
                     sign ? 's' : 'u', bits, d, f);
            size_t n = strlen(text);
            snprintf(text + n, sizeof text - n,
                     unary   ? ";"
                     : three ? ", %%%c2, %%%c3;"
                             : ", %%%c2;",
                     f, d);
            alu m;
            assert_true(alu_load(&m, text));
            for (int i = 0; i < EDGES * EDGES; i++) {
                uint64_t a = edges[i % EDGES], b = edges[i / EDGES];
                uint64_t c = edges[(i * 7 + 3) % EDGES];
                int out = wide ? 2 * bits : bits;
                s128 r = exact((op)o, value(a, bits, sign),
                               value(b, bits, sign), value(c, out, sign), bits);
                check(&m, text, a, b, c, low_bits((uint64_t)r, out));
            }
            alu_free(&m);
        }
    }
}

static void saturating(void **state) {
    (void)state;
    static const row rows[] = {
        {"add.sat.s32 %r0, %r1, %r2;", 0x7fffffff, 1, 0, 0x7fffffff},
        {"add.sat.s32 %r0, %r1, %r2;", 0x80000000, 0xffffffff, 0, 0x80000000},
        {"sub.sat.s32 %r0, %r1, %r2;", 0x80000000, 1, 0, 0x80000000},
        {"sub.sat.s32 %r0, %r1, %r2;", 5, 7, 0, 0xfffffffe},
        {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;", 0x7fffffff, 0x7fffffff,
         0x7fffffff, 0x7fffffff}};
    RUN(rows);
}

/* ---- bits: by hand from 9.7.1.14 to 9.7.1.20 and 9.7.8 ---- */

static void bits(void **state) {
    (void)state;
    static const row rows[] = {
        {"popc.b32 %r0, %r1;", 0xf0f00001, 0, 0, 9},
        {"popc.b64 %r0, %d1;", 0xffffffffffffffff, 0, 0, 64},
        {"clz.b32 %r0, %r1;", 0, 0, 0, 32},
        {"clz.b32 %r0, %r1;", 1, 0, 0, 31},
        {"clz.b64 %r0, %d1;", 0, 0, 0, 64},
        {"bfind.u32 %r0, %r1;", 0, 0, 0, 0xffffffff},
        {"bfind.u32 %r0, %r1;", 0x80000000, 0, 0, 31},
        {"bfind.s32 %r0, %r1;", 0xffffffff, 0, 0, 0xffffffff},
        {"bfind.s32 %r0, %r1;", 0xfffffff0, 0, 0, 3},
        {"bfind.shiftamt.u32 %r0, %r1;", 1, 0, 0, 31},
        {"bfind.shiftamt.u64 %r0, %d1;", 1, 0, 0, 63},
        {"brev.b32 %r0, %r1;", 0x00000013, 0, 0, 0xc8000000},
        {"brev.b64 %d0, %d1;", 1, 0, 0, 0x8000000000000000},
        {"bfe.u32 %r0, %r1, %r2, %r3;", 0x12345678, 8, 12, 0x456},
        {"bfe.s32 %r0, %r1, %r2, %r3;", 0x00000f00, 8, 4, 0xffffffff},
        {"bfe.s32 %r0, %r1, %r2, %r3;", 0x80000000, 28, 8, 0xfffffff8},
        {"bfe.u32 %r0, %r1, %r2, %r3;", 0xffffffff, 32, 4, 0},
        {"bfe.s32 %r0, %r1, %r2, %r3;", 0xffffffff, 4, 0, 0},
        {"bfe.u64 %d0, %d1, %r2, %r3;", 0x123456789abcdef0, 32, 64, 0x12345678},
        {"bfi.b32 %r0, %r1, %r2, 8, 4;", 0xff, 0, 0, 0xf00},
        {"bfi.b32 %r0, %r1, %r2, 28, 8;", 0xab, 0x01234567, 0, 0xb1234567},
        {"bfi.b32 %r0, %r1, %r2, 32, 8;", 0xab, 5, 0, 5},
        {"bfi.b64 %d0, %d1, %d2, 0, 64;", 7, 9, 0, 7},
        {"and.b16 %h0, %h1, -2;", 0xffff, 0, 0, 0xfffe},
        {"or.b16 %h0, %h1, -2;", 1, 0, 0, 0xffff},
        {"xor.b64 %d0, %d1, -1;", 1, 0, 0, 0xfffffffffffffffe},
        {"not.b16 %h0, %h1;", 0xff, 0, 0, 0xff00},
        {"not.pred %p0, %p1;", 1, 0, 0, 0},
        {"xor.pred %p0, %p1, %p2;", 1, 0, 0, 1},
        {"and.pred %p0, %p1, !%p2;", 1, 0, 0, 1},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0xca;", 0xf0f0, 0x1234, 0xabcd,
         (0xf0f0 & 0x1234) | (~0xf0f0u & 0xabcd)},
        {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 0xff00, 0x0ff0, 0x00ff,
         0xff00 ^ 0x0ff0 ^ 0x00ff},
        {"shl.b32 %r0, %r1, %r2;", 1, 32, 0, 0},
        {"shl.b32 %r0, %r1, %r2;", 1, 0xffffffff, 0, 0},
        {"shl.b16 %h0, %h1, %r2;", 0xffff, 4, 0, 0xfff0},
        {"shl.b16 %h0, %h1, %r2;", 0xffff, 16, 0, 0},
        {"shr.s32 %r0, %r1, %r2;", 0x80000000, 40, 0, 0xffffffff},
        {"shr.u32 %r0, %r1, %r2;", 0x80000000, 31, 0, 1},
        {"shr.s16 %h0, %h1, %r2;", 0x8000, 99, 0, 0xffff},
        {"shr.s64 %d0, %d1, %r2;", 0x8000000000000000, 64, 0,
         0xffffffffffffffff},
        {"shr.u64 %d0, %d1, %r2;", 0x8000000000000000, 64, 0, 0},
        {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000001, 0x12345678, 36,
         0x23456788},
        {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", 0x80000001, 0x12345678, 36,
         0x80000001},
        {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", 0x80000001, 0x12345678, 4,
         0x88000000},
        {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 0x80000001, 0x12345678, 99,
         0x12345678},
        {"prmt.b32 %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 0x7531,
         0x77553311},
        {"prmt.b32 %r0, %r1, %r2, %r3;", 0x80221100, 0, 0xb8, 0x0000ff00},
        {"prmt.b32.f4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1,
         0x44332211},
        {"prmt.b32.b4e %r0, %r1, %r2, %r3;", 0x33221100, 0x77665544, 1,
         0x66770011},
        {"prmt.b32.rc8 %r0, %r1, %r2, %r3;", 0x33221100, 0, 2, 0x22222222},
        {"prmt.b32.ecl %r0, %r1, %r2, %r3;", 0x33221100, 0, 1, 0x33221111},
        {"prmt.b32.ecr %r0, %r1, %r2, %r3;", 0x33221100, 0, 2, 0x22221100},
        {"prmt.b32.rc16 %r0, %r1, %r2, %r3;", 0x33221100, 0, 3, 0x33223322}};
    RUN(rows);
}

/* ---- .f32 and .f64 ---- */

#define NAN32 0x7fffffffu
#define INF32 0x7f800000u

static void floats(void **state) {
    (void)state;
    static const row rows[] = {
        /* 1 + 2^-24 is a tie; 1 + 2^-25 is nearer to 1 */
        {"add.rn.f32 %r0, %r1, %r2;", 0x3f800000, 0x33800000, 0, 0x3f800000},
        {"add.rz.f32 %r0, %r1, %r2;", 0x3f800000, 0x33800000, 0, 0x3f800000},
        {"add.rm.f32 %r0, %r1, %r2;", 0x3f800000, 0x33000000, 0, 0x3f800000},
        {"add.rp.f32 %r0, %r1, %r2;", 0x3f800000, 0x33000000, 0, 0x3f800001},
        {"add.rm.f32 %r0, %r1, %r2;", 0xbf800000, 0xb3000000, 0, 0xbf800001},
        {"add.f32 %r0, %r1, %r2;", INF32, 0xff800000, 0, NAN32},
        {"add.f32 %r0, %r1, %r2;", 0xffc12345, 0x3f800000, 0, NAN32},
        {"add.f32 %r0, %r1, %r2;", 0x00000001, 0x00000001, 0, 2},
        {"add.ftz.f32 %r0, %r1, %r2;", 0x80000001, 0x80000001, 0, 0x80000000},
        {"add.sat.f32 %r0, %r1, %r2;", 0x3f800000, 0x3f800000, 0, 0x3f800000},
        {"add.sat.f32 %r0, %r1, %r2;", 0xbf800000, 0x3f000000, 0, 0},
        {"add.sat.f32 %r0, %r1, %r2;", NAN32, 0, 0, 0},
        {"sub.f32 %r0, %r1, %r2;", 0x3f800000, 0x3f800000, 0, 0},
        {"sub.rm.f32 %r0, %r1, %r2;", 0x3f800000, 0x3f800000, 0, 0x80000000},
        {"mul.f32 %r0, %r1, %r2;", 0, INF32, 0, NAN32},
        {"mul.rz.f32 %r0, %r1, %r2;", 0x7f7fffff, 0x40000000, 0, 0x7f7fffff},
        {"mul.rp.f32 %r0, %r1, %r2;", 0x00000001, 0x00000001, 0, 1},
        {"mul.ftz.f32 %r0, %r1, %r2;", 0x007fffff, 0x40000000, 0, 0},
        {"fma.rn.f32 %r0, %r1, %r2, %r3;", 0x3f800001, 0x3f800001, 0xbf800002,
         0x28800000}, /* (1 + 2^-23)^2 - 1 - 2^-22 = 2^-46, no rounding */
        {"mad.rz.f32 %r0, %r1, %r2, %r3;", 0x40000000, 0x40400000, 0x3f800000,
         0x40e00000},
        {"div.rn.f32 %r0, %r1, %r2;", 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
        {"div.rz.f32 %r0, %r1, %r2;", 0x3f800000, 0x40400000, 0, 0x3eaaaaaa},
        {"div.rn.f32 %r0, %r1, %r2;", 0x3f800000, 0x80000000, 0, 0xff800000},
        {"div.approx.f32 %r0, %r1, %r2;", 0x3f800000, 0x7f000000, 0, 0},
        {"rcp.rn.f32 %r0, %r1;", 0x40400000, 0, 0, 0x3eaaaaab},
        {"sqrt.rn.f32 %r0, %r1;", 0x40000000, 0, 0, 0x3fb504f3},
        {"sqrt.rp.f32 %r0, %r1;", 0x40000000, 0, 0, 0x3fb504f4},
        {"sqrt.rn.f32 %r0, %r1;", 0xbf800000, 0, 0, NAN32},
        {"sqrt.rn.f32 %r0, %r1;", 0x80000000, 0, 0, 0x80000000},
        {"rsqrt.approx.f32 %r0, %r1;", 0x40800000, 0, 0, 0x3f000000},
        {"ex2.approx.f32 %r0, %r1;", 0x40400000, 0, 0, 0x41000000},
        {"lg2.approx.f32 %r0, %r1;", 0x41000000, 0, 0, 0x40400000},
        {"sin.approx.f32 %r0, %r1;", 0, 0, 0, 0},
        {"cos.approx.f32 %r0, %r1;", 0, 0, 0, 0x3f800000},
        {"neg.f32 %r0, %r1;", 0, 0, 0, 0x80000000},
        {"abs.f32 %r0, %r1;", 0xff800000, 0, 0, INF32},
        {"abs.ftz.f32 %r0, %r1;", 0x80000001, 0, 0, 0},
        {"neg.f32 %r0, %r1;", 0x7fc00000, 0, 0, NAN32}, /* H200 */
        {"min.f32 %r0, %r1, %r2;", 0, 0x80000000, 0, 0x80000000},
        {"max.f32 %r0, %r1, %r2;", 0x80000000, 0, 0, 0},
        {"min.f32 %r0, %r1, %r2;", 0x7fc00000, 0x3f800000, 0, 0x3f800000},
        {"max.f32 %r0, %r1, %r2;", 0x3f800000, 0x7fc00000, 0, 0x3f800000},
        {"max.NaN.f32 %r0, %r1, %r2;", 0x3f800000, 0x7fc00000, 0, NAN32},
        {"min.f32 %r0, %r1, %r2;", 0x7fc00000, 0xffc00000, 0, NAN32},
        {"add.rn.f64 %d0, %d1, %d2;", 0x3ff0000000000000, 0x3ca0000000000000, 0,
         0x3ff0000000000000},
        {"add.rp.f64 %d0, %d1, %d2;", 0x3ff0000000000000, 0x3ca0000000000000, 0,
         0x3ff0000000000001},
        {"mul.rz.f64 %d0, %d1, %d2;", 0x7fefffffffffffff, 0x4000000000000000, 0,
         0x7fefffffffffffff},
        {"div.rn.f64 %d0, %d1, %d2;", 0x3ff0000000000000, 0x4008000000000000, 0,
         0x3fd5555555555555},
        {"fma.rn.f64 %d0, %d1, %d2, %d3;", 0x4000000000000000,
         0x4008000000000000, 0x3ff0000000000000, 0x401c000000000000},
        {"max.f64 %d0, %d1, %d2;", 0x7ff8000000000000, 0x8000000000000000, 0,
         0x8000000000000000},
        {"sqrt.rn.f64 %d0, %d1;", 0x4010000000000000, 0, 0, 0x4000000000000000},
        {"rcp.rn.f64 %d0, %d1;", 0x4010000000000000, 0, 0, 0x3fd0000000000000}};
    RUN(rows);
}

static void halves(void **state) {
    (void)state;
    static const row rows[] = {
        {"add.f16 %h0, %h1, %h2;", 0x3c00, 0x3c00, 0, 0x4000},
        {"add.f16 %h0, %h1, %h2;", 0x3c00, 0x1000, 0, 0x3c00}, /* tie */
        {"add.f16 %h0, %h1, %h2;", 0x7bff, 0x7bff, 0, 0x7c00},
        {"add.f16 %h0, %h1, %h2;", 0x0001, 0x0001, 0, 2},
        {"add.ftz.f16 %h0, %h1, %h2;", 0x0001, 0x3c00, 0, 0x3c00},
        {"add.sat.f16 %h0, %h1, %h2;", 0x4000, 0x3c00, 0, 0x3c00},
        {"mul.f16 %h0, %h1, %h2;", 0x7c00, 0, 0, 0x7fff},
        {"sub.f16x2 %r0, %r1, %r2;", 0x3c004000, 0x40003c00, 0, 0xbc003c00},
        {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", 0x40003c00, 0x40003800, 0x3c003c00,
         0x45003e00},
        /* (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20, exact */
        {"fma.rn.f16 %h0, %h1, %h2, %h3;", 0x3c01, 0x3c01, 0xbc02, 0x0010},
        {"max.f16x2 %r0, %r1, %r2;", 0x7e003c00, 0x3c00c000, 0, 0x3c003c00},
        {"min.NaN.f16 %h0, %h1, %h2;", 0x7e00, 0x3c00, 0, 0x7fff},
        {"neg.f16x2 %r0, %r1;", 0x3c00bc00, 0, 0, 0xbc003c00},
        {"abs.bf16 %h0, %h1;", 0xbf80, 0, 0, 0x3f80},
        {"add.bf16 %h0, %h1, %h2;", 0x3f80, 0x3f80, 0, 0x4000},
        {"add.bf16 %h0, %h1, %h2;", 0x3f80, 0x3b80, 0, 0x3f80}, /* tie */
        {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;", 0x40004000, 0x40404040,
         0x3f803f80, 0x40e040e0},
        {"ex2.approx.f16 %h0, %h1;", 0x4000, 0, 0, 0x4400}};
    RUN(rows);
}

/* ---- comparison, selection, movement ---- */

static void comparisons(void **state) {
    (void)state;
    static const char *const names[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                        "ge",  "equ", "neu", "ltu", "leu",
                                        "gtu", "geu", "num", "nan"};
    /* truth for a < b, a == b, a > b, unordered: PTX ISA 9.3.1.2 */
    static const char *const truth[] = {"0100", "1010", "1000", "1100", "0010",
                                        "0110", "0101", "1011", "1001", "1101",
                                        "0011", "0111", "1110", "0001"};
    static const uint32_t pairs[][2] = {{0xbf800000, 0x3f800000},
                                        {0x80000000, 0x00000000},
                                        {INF32, 0x7f7fffff},
                                        {0x7fc00000, 0x3f800000}};
    for (int i = 0; i < 14; i++) {
        char text[100];
        snprintf(text, sizeof text, "setp.%s.f32 %%p0, %%r1, %%r2;", names[i]);
        alu m;
        assert_true(alu_load(&m, text));
        for (int k = 0; k < 4; k++) {
            check(&m, text, pairs[k][0], pairs[k][1], 0,
                  (uint64_t)(truth[i][k] - '0'));
        }
        alu_free(&m);
    }
    static const row rows[] = {
        {"setp.lt.s32 %p0, %r1, %r2;", 0xffffffff, 0, 0, 1},
        {"setp.lt.u32 %p0, %r1, %r2;", 0xffffffff, 0, 0, 0},
        {"setp.lo.u64 %p0, %d1, %d2;", 0, 0xffffffffffffffff, 0, 1},
        {"setp.hs.u16 %p0, %h1, %h2;", 0x8000, 0x7fff, 0, 1},
        {"setp.gt.s16 %p0, %h1, -1;", 0x8000, 0, 0, 0},
        {"setp.eq.s16 %p0, %h1, -1;", 0xffff, 0, 0, 1},
        {"setp.ne.b64 %p0, %d1, %d2;", 0x100000000, 0, 0, 1},
        {"setp.eq.ftz.f32 %p0, %r1, %r2;", 1, 0, 0, 1},
        {"setp.lt.and.s32 %p0, %r1, %r2, !%p3;", 1, 2, 1, 0},
        {"setp.lt.xor.s32 %p0, %r1, %r2, %p3;", 1, 2, 1, 0},
        {"setp.gt.or.s32 %p0|%p1, %r1, %r2, %p3;", 1, 2, 1, 1},
        {"setp.lt.f64 %p0, %d1, %d2;", 0xbff0000000000000, 0, 0, 1},
        {"setp.lt.f16 %p0, %h1, %h2;", 0xbc00, 0x3c00, 0, 1},
        {"setp.gt.bf16 %p0, %h1, %h2;", 0xbf80, 0x3f80, 0, 0},
        {"setp.lt.f16x2 %p0|%p1, %r1, %r2;", 0x00003c00, 0x3c004000, 0, 1},
        {"set.lt.u32.s32 %r0, %r1, %r2;", 0xffffffff, 0, 0, 0xffffffff},
        {"set.gt.f32.s32 %r0, %r1, %r2;", 1, 0, 0, 0x3f800000},
        {"set.eq.and.s32.f32 %r0, %r1, %r2, %p3;", 0, 0, 0, 0},
        {"selp.b32 %r0, %r1, %r2, %p3;", 5, 6, 1, 5},
        {"selp.s64 %d0, %d1, -2, %p3;", 5, 6, 0, 0xfffffffffffffffe},
        {"selp.u16 %h0, -1, %h2, %p3;", 5, 6, 1, 0xffff},
        {"mov.b32 %r0, {%h1, %h2};", 0x1111, 0x2222, 0, 0x22221111},
        {"mov.b64 %d0, {%r1, %r2};", 1, 2, 0, 0x200000001},
        {"mov.b64 %d0, {%h1, %h2, %h3, %h1};", 1, 2, 3, 0x0001000300020001},
        {"mov.pred %p0, %p1;", 0, 0, 0, 0},
        {"mov.u16 %h0, -1;", 0, 0, 0, 0xffff},
        {"mov.u64 %d0, -1;", 0, 0, 0, 0xffffffffffffffff}};
    RUN(rows);
    alu m;
    assert_true(alu_load(&m, "mov.b64 {%r1, %r0}, %d1;"));
    alu_input(&m, 1, 4, 0x1122334455667788);
    alu_execute(&m, 1u << 4);
    assert_int_equal(m.r32[1][4], 0x55667788);
    assert_int_equal(m.r32[0][4], 0x11223344);
    assert_int_equal(m.r32[0][5], UINT32_MAX);
    alu_free(&m);
}

/* A source that is the destination, and full warps. */
static void aliases(void **state) {
    (void)state;
    alu m;
    assert_true(alu_load(&m, "mad.lo.s32 %r1, %r1, %r1, %r1;"));
    for (int i = 0; i < TC_LANES; i++) {
        alu_input(&m, 1, i, (uint64_t)i);
    }
    alu_execute(&m, UINT32_MAX);
    for (uint32_t i = 0; i < TC_LANES; i++) {
        assert_int_equal(m.r32[1][i], i * i + i);
    }
    alu_free(&m);
}

/* ---- cvt ---- */

static void conversions(void **state) {
    (void)state;
    static const row rows[] = {
        {"cvt.u32.u64 %r0, %d1;", 0x1122334455667788, 0, 0, 0x55667788},
        {"cvt.s64.s32 %d0, %r1;", 0x80000000, 0, 0, 0xffffffff80000000},
        {"cvt.u64.u32 %d0, %r1;", 0x80000000, 0, 0, 0x80000000},
        {"cvt.s32.s8 %r0, %r1;", 0x1280, 0, 0, 0xffffff80},
        {"cvt.u16.u32 %h0, %r1;", 0x12345, 0, 0, 0x2345},
        {"cvt.s16.s8 %h0, %h1;", 0x80, 0, 0, 0xff80},
        {"cvt.u8.u32 %r0, %r1;", 0x1ff, 0, 0, 0xff},
        {"cvt.s8.s32 %r0, %r1;", 0x80, 0, 0, 0xffffff80},
        {"cvt.sat.u8.s32 %r0, %r1;", 0xffffffff, 0, 0, 0},
        {"cvt.sat.s8.s32 %r0, %r1;", 200, 0, 0, 127},
        {"cvt.sat.s8.s32 %r0, %r1;", 0xffffff00, 0, 0, 0xffffff80},
        {"cvt.sat.s32.u64 %r0, %d1;", 0xffffffffffffffff, 0, 0, 0x7fffffff},
        {"cvt.sat.u64.s64 %d0, %d1;", 0x8000000000000000, 0, 0, 0},
        {"cvt.rni.s32.f32 %r0, %r1;", 0x40200000, 0, 0, 2}, /* 2.5 */
        {"cvt.rzi.s32.f32 %r0, %r1;", 0xc0200000, 0, 0, 0xfffffffe},
        {"cvt.rmi.s32.f32 %r0, %r1;", 0xc0200000, 0, 0, 0xfffffffd},
        {"cvt.rpi.s32.f32 %r0, %r1;", 0x40200000, 0, 0, 3},
        {"cvt.rzi.s32.f32 %r0, %r1;", 0x4f000000, 0, 0, 0x7fffffff},
        {"cvt.rzi.u32.f32 %r0, %r1;", 0xbf800000, 0, 0, 0},
        {"cvt.rzi.u32.f32 %r0, %r1;", 0x4f800000, 0, 0, 0xffffffff},
        {"cvt.rzi.s32.f32 %r0, %r1;", 0x7fc00000, 0, 0, 0},
        {"cvt.rzi.s32.f64 %r0, %d1;", 0x7ff8000000000000, 0, 0,
         0x80000000}, /* H200 */
        {"cvt.rzi.s64.f64 %d0, %d1;", 0x43e0000000000000, 0, 0,
         0x7fffffffffffffff},
        {"cvt.rzi.u64.f64 %d0, %d1;", 0x43e0000000000000, 0, 0,
         0x8000000000000000},
        {"cvt.rn.f32.s32 %r0, %r1;", 0x01000001, 0, 0, 0x4b800000},
        {"cvt.rp.f32.s32 %r0, %r1;", 0x01000001, 0, 0, 0x4b800001},
        {"cvt.rn.f32.u64 %r0, %d1;", 0xffffffffffffffff, 0, 0, 0x5f800000},
        {"cvt.rz.f32.u64 %r0, %d1;", 0xffffffffffffffff, 0, 0, 0x5f7fffff},
        {"cvt.rn.f64.s64 %d0, %d1;", 0x8000000000000000, 0, 0,
         0xc3e0000000000000},
        {"cvt.rn.f16.u32 %h0, %r1;", 65520, 0, 0, 0x7c00},
        {"cvt.rz.f16.u32 %h0, %r1;", 65535, 0, 0, 0x7bff},
        {"cvt.f32.f16 %r0, %h1;", 0x0001, 0, 0, 0x33800000},
        {"cvt.f32.f16 %r0, %h1;", 0xfc00, 0, 0, 0xff800000},
        {"cvt.rn.f16.f32 %h0, %r1;", 0x33000000, 0, 0, 0}, /* tie to even */
        {"cvt.rn.f16.f32 %h0, %r1;", 0x33000001, 0, 0, 1},
        {"cvt.rp.f16.f32 %h0, %r1;", 0x00000001, 0, 0, 1},
        {"cvt.rn.f16.f32 %h0, %r1;", 0x477fefff, 0, 0, 0x7bff},
        {"cvt.rn.f16.f32 %h0, %r1;", 0x477ff000, 0, 0, 0x7c00},
        {"cvt.rn.bf16.f32 %h0, %r1;", 0x3f808000, 0, 0, 0x3f80},
        {"cvt.rn.bf16.f32 %h0, %r1;", 0x3f818000, 0, 0, 0x3f82},
        {"cvt.f32.bf16 %r0, %h1;", 0x3f81, 0, 0, 0x3f810000},
        {"cvt.rn.f32.f64 %r0, %d1;", 0x3ff0000010000000, 0, 0, 0x3f800000},
        {"cvt.rn.f32.f64 %r0, %d1;", 0x3ff0000010000001, 0, 0, 0x3f800001},
        {"cvt.rn.f32.f64 %r0, %d1;", 0x3690000000000000, 0, 0, 0},
        {"cvt.rn.f32.f64 %r0, %d1;", 0x36a0000000000000, 0, 0, 1},
        {"cvt.f64.f32 %d0, %r1;", 0x00000001, 0, 0, 0x36a0000000000000},
        {"cvt.rmi.f32.f32 %r0, %r1;", 0xbf000000, 0, 0, 0xbf800000},
        {"cvt.rni.f32.f32 %r0, %r1;", 0xbe800000, 0, 0, 0x80000000},
        {"cvt.sat.f32.f32 %r0, %r1;", 0x40000000, 0, 0, 0x3f800000},
        {"cvt.ftz.f32.f32 %r0, %r1;", 0x80000001, 0, 0, 0x80000000},
        {"cvt.rn.f16x2.f32 %r0, %r1, %r2;", 0x3f800000, 0x40000000, 0,
         0x3c004000}};
    RUN(rows);
}

/* f32 results under each rounding lie on the right side of the exact one,
 * which a double holds for these products. */
static void directed(void **state) {
    (void)state;
    static const char *const mode[] = {"rn", "rz", "rm", "rp"};
    uint32_t x = 1;
    for (int r = 0; r < 4; r++) {
        char text[100];
        snprintf(text, sizeof text, "mul.%s.f32 %%r0, %%r1, %%r2;", mode[r]);
        alu m;
        assert_true(alu_load(&m, text));
        for (int i = 0; i < 300; i++) {
            x = x * 1664525u + 1013904223u;
            uint32_t a = (x & 0x807fffffu) | 0x3f000000u;
            x = x * 1664525u + 1013904223u;
            uint32_t b = (x & 0x807fffffu) | 0x41000000u;
            float fa, fb;
            memcpy(&fa, &a, 4);
            memcpy(&fb, &b, 4);
            double e = (double)fa * (double)fb;
            float f = (float)e; /* to nearest */
            bool up = r == 3 || (r == 1 && e < 0),
                 down = r == 2 || (r == 1 && e > 0);
            f = up && (double)f < e     ? nextafterf(f, INFINITY)
                : down && (double)f > e ? nextafterf(f, -INFINITY)
                                        : f;
            uint32_t want;
            memcpy(&want, &f, 4);
            check(&m, text, a, b, 0, want);
        }
        alu_free(&m);
    }
    assert_int_equal(fegetround(), FE_TONEAREST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),    cmocka_unit_test(saturating),
        cmocka_unit_test(bits),        cmocka_unit_test(floats),
        cmocka_unit_test(halves),      cmocka_unit_test(comparisons),
        cmocka_unit_test(conversions), cmocka_unit_test(aliases),
        cmocka_unit_test(directed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
