/* alu_cases.h - the differential test of single instructions: which ones, on
 * what inputs, in which kernels.
 *
 * The instructions are those of tests/ptx/arith_forms.txt.gz that compute
 * something and that ptxas takes for sm_90a, and a few more below; of the
 * products of selectors of video instructions every fifth. ALU_BATCH of them
 * make a module with one kernel, k(in, out): thread t reads the four words of
 * tuple t, runs each instruction on them and stores 8 bytes for each at
 * out[instruction][t].
 *
 * Register K of an instruction (%rK, %hK, %dK, %cK) holds the low bits of word
 * (K - 2) mod 4 of the tuple; register 1 all ones; %pK bit K of word 3. The 8
 * bytes are register 1, with %p1 and %p2, where they are written, in bits 32
 * and 33. An instruction that reads the carry flag finds bit 31 of word 3
 * there; one that writes it comes a second time, with the flag as its result.
 */
#ifndef TC_TESTS_ALU_CASES_H
#define TC_TESTS_ALU_CASES_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALU_TUPLES = 512, ALU_WORDS = 4, ALU_BATCH = 32, ALU_TEXT = 160 };

typedef struct alu_case {
    char text[ALU_TEXT];
    bool flag; /* its result is the carry flag */
} alu_case;

static const char *const alu_extra[] = {
    "mul.wide.u16 %r1,%h2,%h3;",
    "mul.wide.s16 %r1,%h2,%h3;",
    "mul.wide.u32 %d1,%r2,%r3;",
    "mul.wide.s32 %d1,%r2,%r3;",
    "prmt.b32 %r1,%r2,%r3,%r4;",
    "cvt.sat.u8.s64 %h1,%d2;",
    "cvt.s64.s8 %d1,%r2;",
    "cvt.u32.s16 %r1,%h2;",
    "cvt.s32.u8 %r1,%r2;",
    "shl.b32 %r1,%r2,33;",
    "shr.s64 %d1,%d2,64;",
    "bfe.s64 %d1,%d2,60,8;",
    "add.s32 %r1,%r2,-5;",
    "add.f32 %r1,%r2,0f3F800000;",
    "setp.lt.or.f32 %p1|%p2,%r2,%r3,!%p3;",
    "set.ge.xor.f32.f64 %r1,%d2,%d3,!%p3;",
    "sub.cc.u32 %r1,%r2,%r3; addc.u32 %r1,%r4,%r5;",
    "add.cc.u32 %r1,%r2,%r3; subc.u32 %r1,%r4,%r5;",
    "subc.cc.u32 %r1,%r2,%r3; madc.lo.u32 %r1,%r4,%r5,%r3;",
    "dp4a.u32.u32 %r1,%r2,%r3,%r4;",
    "dp4a.u32.s32 %r1,%r2,%r3,%r4;",
    "dp4a.s32.u32 %r1,%r2,%r3,%r4;",
    "dp4a.s32.s32 %r1,%r2,%r3,%r4;",
    "dp2a.lo.u32.u32 %r1,%r2,%r3,%r4;",
    "dp2a.lo.u32.s32 %r1,%r2,%r3,%r4;",
    "dp2a.lo.s32.u32 %r1,%r2,%r3,%r4;",
    "dp2a.lo.s32.s32 %r1,%r2,%r3,%r4;",
    "dp2a.hi.u32.u32 %r1,%r2,%r3,%r4;",
    "dp2a.hi.u32.s32 %r1,%r2,%r3,%r4;",
    "dp2a.hi.s32.u32 %r1,%r2,%r3,%r4;",
    "dp2a.hi.s32.s32 %r1,%r2,%r3,%r4;"};

static const char *const alu_not[] = {
    "ld",       "ldu",      "st",           "mov",     "cvta",
    "isspacep", "prefetch", "prefetchu",    "discard", "applypriority",
    "brkpt",    "trap",     "createpolicy", "pmevent", "exit"};

/* Is this instruction one that computes from registers k only? */
static inline bool alu_computes(const char *text) {
    size_t len = strcspn(text, ". ;");
    for (size_t i = 0; i < sizeof alu_not / sizeof *alu_not; i++) {
        if (strlen(alu_not[i]) == len && memcmp(text, alu_not[i], len) == 0) {
            return false;
        }
    }
    for (const char *p = strchr(text, '%'); p; p = strchr(p + 1, '%')) {
        if (strchr("rhdcp", p[1]) == NULL || p[2] < '1' || p[2] > '9') {
            return false;
        }
    }
    return true;
}

/* Keeps every case but of video: line n of the list. */
static inline bool alu_wanted(const char *text, long n) {
    return alu_computes(text) && (text[0] != 'v' || n % 5 == 0);
}

/* Adds the cases of an instruction; cases grows by realloc. */
static inline int alu_add(alu_case **cases, int n, const char *text) {
    bool writes = strstr(text, ".cc.") != NULL;
    for (int flag = 0; flag <= writes; flag++) {
        if (n % 256 == 0) {
            *cases = realloc(*cases, sizeof **cases * (size_t)(n + 256));
            if (*cases == NULL) {
                abort();
            }
        }
        alu_case *c = &(*cases)[n++];
        size_t len = strnlen(text, ALU_TEXT - 1);
        memcpy(c->text, text, len);
        c->text[len] = 0;
        c->flag = flag != 0;
    }
    return n;
}

/* How many of the n cases make the first module: those of dp4a and dp2a have
 * one of their own. */
static inline int alu_batch(const alu_case *cases, int n) {
    int i = 0;
    bool dot = strncmp(cases[0].text, "dp", 2) == 0;
    while (i < n && i < ALU_BATCH &&
           (strncmp(cases[i].text, "dp", 2) == 0) == dot) {
        i++;
    }
    return i;
}

/* ---- inputs ---- */

static inline uint64_t alu_mix(uint64_t x) {
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static const uint64_t alu_edges64[] = {
    0,
    1,
    2,
    31,
    32,
    33,
    63,
    64,
    65,
    255,
    256,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000, /* also -0.0 */
    0x8000000000000001,
    0xffffffffffffffff,
    0x000fffffffffffff, /* largest subnormal */
    0x0010000000000000,
    0x8010000000000000,
    0x3ff0000000000000, /* 1.0 */
    0xbff0000000000000,
    0x3ff0000000000001,
    0x3fe0000000000000, /* 0.5 */
    0x3ff8000000000000, /* 1.5 */
    0x4004000000000000, /* 2.5 */
    0x40dfffe000000000, /* 32767.5 */
    0x41dfffffffe00000, /* 2147483647.5 */
    0xc1e0000000000000, /* -2^31 */
    0x43e0000000000000, /* 2^63 */
    0x47efffffe0000000, /* largest .f32 */
    0x47effffff0000000, /* half a unit above it */
    0x36a0000000000000, /* least subnormal .f32 */
    0x40effc0000000000, /* 65504 */
    0x40f0000000000000, /* 65536 */
    0x7fefffffffffffff, /* largest */
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0xfffabcdef0123456};

static const uint32_t alu_edges32[] = {
    0,          1,          2,          31,         32,         33,
    0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
    0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff,
    0x3f000000, 0x3fc00000, 0x40200000, 0x42fe0000, 0x437f8000, 0x43e00000,
    0x43f00000, 0x477fe000, 0x477ff000, 0x47800000, 0x4b000001, 0x4effffff,
    0x4f000000, 0x4f800000, 0x5f000000, 0x7e800000, 0x7f000000, 0x7f7fffff,
    0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffabcdef,
    0x00000fff, 0x38800000, 0x33800000, 0x33000001, 0xc2aeac50, 0xc3160000};

static const uint16_t alu_edges16[] = {
    0,      1,      0x8000, 0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x3c01,
    0x3bff, 0x3800, 0x3e00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
    0x7fff, 0xffff, 0x3f80, 0xbf80, 0x3f81, 0x7f7f, 0x7f80, 0xff80, 0x7f81,
    0x0080, 0x007f, 0x5bff, 0x00ff, 0x0fff, 0x4248, 0x7ffe, 0x7fc0, 0xfe00};

/* Word k of tuple t. */
static inline uint64_t alu_input_word(int t, int k) {
    uint64_t r = alu_mix((uint64_t)t * ALU_WORDS + (uint64_t)k);
    uint64_t s = alu_mix(r), v = 0;
    enum {
        N64 = sizeof alu_edges64 / sizeof *alu_edges64,
        N32 = sizeof alu_edges32 / sizeof *alu_edges32,
        N16 = sizeof alu_edges16 / sizeof *alu_edges16
    };
    switch (t % 8) {
    case 0:
        return alu_edges64[r % N64];
    case 1:
    case 2:
        return (uint64_t)alu_edges32[s % N32] << 32 | alu_edges32[r % N32];
    case 3:
        for (int i = 0; i < 4; i++) {
            v = v << 16 | alu_edges16[(r >> 12 * i & 0xfff) % N16];
        }
        return v;
    case 4: /* .f32 within 2^-13 to 2^14 */
        for (int i = 0; i < 2; i++, r = s) {
            uint32_t e = 114 + (uint32_t)(r >> 40) % 28;
            v = v << 32 | ((uint32_t)r & 0x807fffffu) | e << 23;
        }
        return v;
    case 5: /* .f64 within 2^-13 to 2^14 */
        return (r & UINT64_C(0x800fffffffffffff)) | (1010 + s % 28) << 52;
    case 6: /* small numbers, and halves within 2^-6 to 2^9 */
        for (int i = 0; i < 4; i++) {
            uint32_t h = (uint32_t)(r >> 16 * i) & 0xffff;
            uint32_t e = 9 + (uint32_t)(s >> 8 * i) % 15;
            v = v << 16 | (h & 0x83ffu) | e << 10;
        }
        return (t & 8) != 0 ? s % 70 : v;
    default:
        return r;
    }
}

/* ---- kernels ---- */

/* Bit k of the result: register k of that letter occurs. */
static inline unsigned alu_used(const char *text, char letter) {
    unsigned used = 0;
    for (const char *p = strchr(text, '%'); p; p = strchr(p + 1, '%')) {
        used |= p[1] == letter ? 1u << (p[2] - '0') : 0;
    }
    return used;
}

static inline void alu_fill(tc_buf *b, const char *text) {
    static const struct {
        char letter;
        const char *type, *set;
    } files[] = {{'r', "b32", "cvt.u32.u64"},
                 {'h', "b16", "cvt.u16.u64"},
                 {'c', "b8", "cvt.u8.u64"},
                 {'d', "b64", "mov.b64"}};
    for (int f = 0; f < 4; f++) {
        unsigned used = alu_used(text, files[f].letter);
        tc_buf_printf(b, ".reg .%s %%%c<10>;\n", files[f].type,
                      files[f].letter);
        for (unsigned k = 1; k < 10; k++) {
            if ((used >> k & 1) != 0) {
                tc_buf_printf(b, "%s %%%c%u,%%in%u;\n", files[f].set,
                              files[f].letter, k,
                              k == 1 ? 4u : (k - 2) % ALU_WORDS);
            }
        }
    }
    tc_buf_puts(b, ".reg .pred %p<10>;\n.reg .b64 %v<4>;\n.reg .b32 %x<4>;\n");
    for (unsigned k = 1; k < 10; k++) {
        if ((alu_used(text, 'p') >> k & 1) != 0) {
            tc_buf_printf(b, "and.b64 %%v0,%%in3,%u;\n", 1u << k);
            tc_buf_printf(b, "setp.ne.u64 %%p%u,%%v0,0;\n", k);
        }
    }
}

/* The first operands, up to a comma, of any instruction. */
static inline void alu_take(tc_buf *b, const alu_case *c) {
    const char *first = strchr(c->text, ' ') + 1;
    size_t len = strcspn(first, ",;");
    bool sub = strncmp(c->text, "sub", 3) == 0;
    tc_buf_puts(b, "mov.b64 %v1,0;\n");
    if (c->flag) {
        tc_buf_printf(b, "%s.u32 %%x1,0,0;\nand.b32 %%x1,%%x1,1;\n",
                      sub ? "subc" : "addc");
        tc_buf_puts(b, "cvt.u64.u32 %v1,%x1;\n");
        return;
    }
    switch (first[0] == '_' ? '_' : first[1]) {
    case 'r':
        tc_buf_puts(b, "cvt.u64.u32 %v1,%r1;\n");
        break;
    case 'h':
        tc_buf_puts(b, "cvt.u64.u16 %v1,%h1;\n");
        break;
    case 'c':
        tc_buf_puts(b, "cvt.u64.u8 %v1,%c1;\n");
        break;
    case 'd':
        tc_buf_puts(b, "mov.b64 %v1,%d1;\n");
        break;
    default:
        break;
    }
    for (unsigned k = 1; k <= 2; k++) {
        char name[8];
        snprintf(name, sizeof name, "%%p%u", k);
        const char *at = strstr(first, name);
        if (at != NULL && at < first + len) {
            tc_buf_printf(b, "selp.b64 %%v2,%llu,0,%%p%u;\n", 1ull << (31 + k),
                          k);
            tc_buf_puts(b, "or.b64 %v1,%v1,%v2;\n");
        }
    }
}

static inline void alu_instruction(tc_buf *b, const alu_case *c, int place) {
    const char *t = c->text;
    bool uses = strncmp(t, "addc", 4) == 0 || strncmp(t, "madc", 4) == 0;
    bool borrows = strncmp(t, "subc", 4) == 0;
    tc_buf_puts(b, "{\n");
    alu_fill(b, t);
    if (uses || borrows) {
        tc_buf_puts(b, "cvt.u32.u64 %x2,%in3;\nshr.u32 %x3,%x2,31;\n");
        tc_buf_puts(b, uses ? "add.cc.u32 %x2,%x2,%x2;\n"
                            : "sub.cc.u32 %x2,0,%x3;\n");
    }
    tc_buf_printf(b, "%s\n", t);
    alu_take(b, c);
    tc_buf_printf(b, "st.global.u64 [%%to+%d],%%v1;\n}\n",
                  place * ALU_TUPLES * 8);
}

/* The module of cases [from, from + n). */
static inline void alu_module(tc_buf *b, const alu_case *cases, int n) {
    tc_buf_puts(b, ".version 9.0\n.target sm_90a\n.address_size 64\n"
                   ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
                   ".reg .b64 %in<5>;\n.reg .b64 %from,%to,%at;\n"
                   ".reg .b32 %t,%n,%c;\n"
                   "mov.u32 %t,%tid.x;\nmov.u32 %n,%ntid.x;\n"
                   "mov.u32 %c,%ctaid.x;\nmad.lo.u32 %t,%c,%n,%t;\n"
                   "ld.param.u64 %from,[from];\nld.param.u64 %to,[to];\n"
                   "mul.wide.u32 %at,%t,32;\nadd.u64 %from,%from,%at;\n"
                   "mul.wide.u32 %at,%t,8;\nadd.u64 %to,%to,%at;\n"
                   "ld.global.v2.u64 {%in0,%in1},[%from];\n"
                   "ld.global.v2.u64 {%in2,%in3},[%from+16];\n"
                   "mov.b64 %in4,-1;\n");
    for (int i = 0; i < n; i++) {
        alu_instruction(b, &cases[i], i);
    }
    tc_buf_puts(b, "ret;\n}\n");
}

#endif
