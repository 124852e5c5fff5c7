/* fast_programs.h - random PTX programs for test_fast.c: straight lines, ways
 * that part and join, loops, all kinds of accesses. They end by storing all
 * their registers, so that whatever an op did is seen. */
#ifndef FAST_PROGRAMS_H
#define FAST_PROGRAMS_H

#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { N32 = 12, N64 = 6, NF = 8, NP = 6, WORDS = 1024 };

typedef struct tc_gen {
    tc_buf out;
    uint64_t state;
    int labels, depth, budget;
} tc_gen;

static uint32_t rnd(tc_gen *g, uint32_t below) {
    g->state = g->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(g->state >> 33) % below;
}

static const char *one_of(tc_gen *g, const char *const *list, uint32_t n) {
    return list[rnd(g, n)];
}
#define ONE(g, ...)                                                            \
    one_of(g, (const char *const[]){__VA_ARGS__},                              \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void guard(tc_gen *g) {
    if (rnd(g, 5) == 0) {
        tc_buf_printf(&g->out, "@%s%%p%u ", rnd(g, 2) ? "!" : "", rnd(g, NP));
    }
}

/* A source: a register, or an immediate. */
static void src32(tc_gen *g) {
    static const char *const imm[] = {"0",  "1", "-1",         "7",   "31",
                                      "33", "4", "0x80000000", "1000"};
    if (rnd(g, 4) == 0) {
        tc_buf_puts(&g->out, imm[rnd(g, 9)]);
    } else {
        tc_buf_printf(&g->out, "%%r%u", rnd(g, N32));
    }
}

static void src64(tc_gen *g) {
    if (rnd(g, 4) == 0) {
        tc_buf_puts(&g->out, ONE(g, "0", "1", "-1", "64", "0x7fffffffffff"));
    } else {
        tc_buf_printf(&g->out, "%%d%u", rnd(g, N64));
    }
}

static void srcf(tc_gen *g) {
    if (rnd(g, 4) == 0) {
        tc_buf_puts(&g->out, ONE(g, "0f3F800000", "0fBF000000", "0f7FC00000",
                                 "0f80000000", "0fFF800000", "0f00000001"));
    } else {
        tc_buf_printf(&g->out, "%%f%u", rnd(g, NF));
    }
}

typedef void source_fn(tc_gen *g);

static void op(tc_gen *g, const char *name, char file, uint32_t n,
               source_fn *src, int count) {
    guard(g);
    tc_buf_printf(&g->out, "%s %%%c%u", name, file, rnd(g, n));
    for (int i = 0; i < count; i++) {
        tc_buf_puts(&g->out, ", ");
        src(g);
    }
    tc_buf_puts(&g->out, ";\n");
}

static void op32(tc_gen *g) {
    switch (rnd(g, 6)) {
    case 0:
        op(g, ONE(g, "mad.lo.s32", "mad.lo.u32"), 'r', N32, src32, 3);
        break;
    case 1:
        op(g, ONE(g, "mov.u32", "not.b32", "neg.s32", "abs.s32", "mov.b32"),
           'r', N32, src32, 1);
        break;
    case 2:
        op(g, ONE(g, "shl.b32", "shr.u32", "shr.s32", "shr.b32"), 'r', N32,
           src32, 2);
        break;
    case 3:
        op(g,
           ONE(g, "mul.lo.s32", "mul.lo.u32", "mul.hi.s32", "mul.hi.u32",
               "div.u32", "rem.s32"),
           'r', N32, src32, 2);
        break;
    default:
        op(g,
           ONE(g, "add.s32", "add.u32", "sub.s32", "and.b32", "or.b32",
               "xor.b32", "min.s32", "min.u32", "max.s32", "max.u32",
               "add.sat.s32"),
           'r', N32, src32, 2);
        break;
    }
}

static void op64(tc_gen *g) {
    switch (rnd(g, 5)) {
    case 0:
        op(g, ONE(g, "mul.wide.s32", "mul.wide.u32"), 'd', N64, src32, 2);
        break;
    case 1:
        op(g, ONE(g, "mov.u64", "not.b64", "neg.s64", "abs.s64"), 'd', N64,
           src64, 1);
        break;
    case 2:
        guard(g);
        tc_buf_printf(&g->out, "%s %%d%u, %%d%u, ",
                      ONE(g, "shl.b64", "shr.u64", "shr.s64"), rnd(g, N64),
                      rnd(g, N64));
        src32(g);
        tc_buf_puts(&g->out, ";\n");
        break;
    case 3:
        guard(g);
        tc_buf_printf(&g->out, "%s %%d%u, ",
                      ONE(g, "mad.wide.s32", "mad.wide.u32"), rnd(g, N64));
        src32(g);
        tc_buf_puts(&g->out, ", ");
        src32(g);
        tc_buf_printf(&g->out, ", %%d%u;\n", rnd(g, N64));
        break;
    default:
        op(g,
           ONE(g, "add.s64", "add.u64", "sub.s64", "and.b64", "or.b64",
               "xor.b64", "min.s64", "min.u64", "max.s64", "max.u64",
               "mul.lo.s64"),
           'd', N64, src64, 2);
        break;
    }
}

static void opf(tc_gen *g) {
    switch (rnd(g, 4)) {
    case 0:
        op(g, ONE(g, "fma.rn.f32", "fma.rn.ftz.f32", "fma.rz.f32"), 'f', NF,
           srcf, 3);
        break;
    case 1:
        op(g, ONE(g, "neg.f32", "abs.f32", "mov.f32", "neg.ftz.f32"), 'f', NF,
           srcf, 1);
        break;
    default:
        op(g,
           ONE(g, "add.f32", "sub.f32", "mul.f32", "min.f32", "max.f32",
               "add.ftz.f32", "mul.ftz.f32", "max.ftz.f32", "sub.rm.f32",
               "sub.ftz.f32"),
           'f', NF, srcf, 2);
        break;
    }
}

static void convert(tc_gen *g) {
    guard(g);
    switch (rnd(g, 5)) {
    case 0:
        tc_buf_printf(&g->out, "%s %%d%u, %%r%u;\n",
                      ONE(g, "cvt.u64.u32", "cvt.s64.s32", "cvt.s64.s8"),
                      rnd(g, N64), rnd(g, N32));
        break;
    case 1:
        tc_buf_printf(&g->out, "cvt.u32.u64 %%r%u, %%d%u;\n", rnd(g, N32),
                      rnd(g, N64));
        break;
    case 2:
        tc_buf_printf(&g->out, "%s %%f%u, %%r%u;\n",
                      ONE(g, "cvt.rn.f32.s32", "cvt.rn.f32.u32",
                          "cvt.rz.f32.u32", "mov.b32"),
                      rnd(g, NF), rnd(g, N32));
        break;
    case 3:
        tc_buf_printf(
            &g->out, "%s %%r%u, %%r%u;\n",
            ONE(g, "cvt.s32.s8", "cvt.u32.u8", "cvt.s32.s16", "cvt.u32.u16"),
            rnd(g, N32), rnd(g, N32));
        break;
    default:
        tc_buf_printf(&g->out,
                      "cvt.u16.u32 %%h%u, %%r%u;\ncvt.%s %%r%u, %%h%u;\n",
                      rnd(g, 2), rnd(g, N32), ONE(g, "u32.u16", "s32.s16"),
                      rnd(g, N32), rnd(g, 2));
        break;
    }
}

static void predicate(tc_gen *g) {
    static const char *const ints[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const floats[] = {"eq",  "ne",  "lt",  "le",  "gt",
                                         "ge",  "equ", "neu", "ltu", "leu",
                                         "gtu", "geu", "num", "nan"};
    guard(g);
    uint32_t p = rnd(g, NP), kind = rnd(g, 7), how = rnd(g, 3);
    if (kind == 0) {
        tc_buf_printf(&g->out, "%s %%p%u, %%p%u, %%p%u;\n",
                      ONE(g, "and.pred", "or.pred", "xor.pred"), p, rnd(g, NP),
                      rnd(g, NP));
        return;
    }
    if (kind == 1) {
        tc_buf_printf(&g->out, "not.pred %%p%u, %%p%u;\n", p, rnd(g, NP));
        return;
    }
    source_fn *src = kind == 2 ? srcf : kind == 3 ? src64 : src32;
    const char *type = kind == 2   ? "f32"
                       : kind == 3 ? ONE(g, "s64", "u64")
                                   : ONE(g, "s32", "u32");
    const char *cmp = kind == 2 ? floats[rnd(g, 14)] : ints[rnd(g, 6)];
    if (how == 0) {
        tc_buf_printf(&g->out, "setp.%s.%s.%s %%p%u, ", cmp,
                      ONE(g, "and", "or", "xor"), type, p);
    } else if (how == 1) {
        tc_buf_printf(&g->out, "setp.%s.%s %%p%u|%%p%u, ", cmp, type, p,
                      (p + 1) % NP);
    } else {
        tc_buf_printf(&g->out, "setp.%s.%s %%p%u, ", cmp, type, p);
    }
    src(g);
    tc_buf_puts(&g->out, ", ");
    src(g);
    if (how == 0) {
        tc_buf_printf(&g->out, ", %s%%p%u", rnd(g, 2) ? "!" : "", rnd(g, NP));
    }
    tc_buf_puts(&g->out, ";\n");
}

static void select_op(tc_gen *g) {
    uint32_t kind = rnd(g, 3);
    source_fn *src = kind == 0 ? src32 : kind == 1 ? src64 : srcf;
    guard(g);
    tc_buf_printf(&g->out, "selp.%s %%%c%u, ",
                  kind == 0   ? "b32"
                  : kind == 1 ? "b64"
                              : "f32",
                  "rdf"[kind],
                  rnd(g, kind == 0   ? N32
                         : kind == 1 ? N64
                                     : NF));
    src(g);
    tc_buf_puts(&g->out, ", ");
    src(g);
    tc_buf_printf(&g->out, ", %%p%u;\n", rnd(g, NP));
}

/* %q: an address in A (or an offset in sm), one of several patterns; always
 * inside and aligned to 16. */
static void address(tc_gen *g, bool shared) {
    switch (rnd(g, 6)) {
    case 0: /* side by side */
        tc_buf_puts(&g->out, "mov.u32 %t, %i;\n");
        break;
    case 4: /* side by side in groups */
        tc_buf_printf(&g->out, "and.b32 %%t, %%i, %u;\n", rnd(g, 2) ? 15 : 7);
        break;
    case 5: /* one for each group */
        tc_buf_printf(&g->out, "shr.u32 %%t, %%i, %u;\n", 2 + rnd(g, 4));
        break;
    case 1: /* apart */
        tc_buf_printf(&g->out, "mad.lo.u32 %%t, %%i, %u, %u;\n", 1 + rnd(g, 40),
                      rnd(g, 99));
        break;
    case 2: /* anywhere */
        tc_buf_printf(&g->out, "mov.u32 %%t, %%r%u;\n", rnd(g, N32));
        break;
    default: /* one for all */
        tc_buf_printf(&g->out, "mov.u32 %%t, %u;\n", rnd(g, WORDS));
        break;
    }
    tc_buf_printf(&g->out, "and.b32 %%t, %%t, %u;\nshl.b32 %%t, %%t, %u;\n",
                  shared ? 63 : WORDS / 4 - 1, rnd(g, 2) ? 4 : 2);
    if (rnd(g, 3) == 0) {
        tc_buf_puts(&g->out, "and.b32 %t, %t, -16;\n");
    }
    tc_buf_puts(&g->out, shared ? "add.u32 %t, %t, %sm;\n"
                                : "cvt.u64.u32 %q, %t;\nadd.u64 %q, %q, %a;\n");
}

/* The same in local memory, or a generic address of shared or local memory;
 * returns the space. */
static const char *windows(tc_gen *g) {
    bool local = rnd(g, 2) == 0, generic = rnd(g, 2) == 0;
    tc_buf_printf(&g->out,
                  "mul.lo.u32 %%t, %%r%u, %u;\nand.b32 %%t, %%t, 112;\n"
                  "cvt.u64.u32 %%q, %%t;\nmov.u64 %%z, %s;\n"
                  "add.u64 %%q, %%q, %%z;\n",
                  rnd(g, N32), rnd(g, 3) * 4 + 1, local ? "lmem" : "smem");
    if (generic) {
        tc_buf_printf(&g->out, "cvta%s.u64 %%q, %%q;\n",
                      local ? ".local" : ".shared");
    }
    return generic ? "" : local ? ".local" : ".shared";
}

static void access_op(tc_gen *g) {
    bool shared = rnd(g, 3) == 0, store = rnd(g, 2) == 0;
    const char *space = shared ? ".shared" : ONE(g, ".global", "");
    uint32_t kind = rnd(g, 9);
    if (rnd(g, 4) == 0) {
        shared = false;
        space = windows(g);
    } else {
        address(g, shared);
    }
    const char *base = shared ? "%t" : "%q";
    if (kind >= 4) { /* wider: aligned */
        tc_buf_printf(&g->out, "and.b%s %s, %s, -16;\n", shared ? "32" : "64",
                      base, base);
    }
    guard(g);
    static const char *const types[] = {"b32",    "f32",   "u8",
                                        "s16",    "b64",   "v2.b32",
                                        "v4.f32", "v4.u8", "v2.b64"};
    static const uint8_t disp[] = {4, 12, 1, 2, 8, 8, 16, 4, 16};
    char value[64];
    uint32_t r = rnd(g, N32 - 4), f = rnd(g, NF - 4);
    switch (kind) {
    case 1:
        snprintf(value, sizeof value, "%%f%u", f);
        break;
    case 4:
        snprintf(value, sizeof value, "%%d%u", rnd(g, N64));
        break;
    case 5:
        snprintf(value, sizeof value, "{%%r%u, %%r%u}", r, r + 1);
        break;
    case 7:
        snprintf(value, sizeof value, "{%%r%u, %%r%u, %%r%u, %%r%u}", r, r + 1,
                 r + 2, r + 3);
        break;
    case 8:
        snprintf(value, sizeof value, "{%%d%u, %%d%u}", r % 4, r % 4 + 1);
        break;
    case 6:
        snprintf(value, sizeof value, "{%%f%u, %%f%u, %%f%u, %%f%u}", f, f + 1,
                 f + 2, f + 3);
        break;
    default:
        snprintf(value, sizeof value, "%%r%u", r);
        break;
    }
    if (store) {
        tc_buf_printf(&g->out, "st%s.%s [%s+%u], %s;\n", space, types[kind],
                      base, disp[kind], value);
    } else {
        tc_buf_printf(&g->out, "ld%s.%s %s, [%s+%u];\n", space, types[kind],
                      value, base, disp[kind]);
    }
}

static void statements(tc_gen *g, uint32_t n);

static void if_else(tc_gen *g) {
    int l = g->labels++;
    uint32_t p = rnd(g, NP);
    tc_buf_printf(&g->out, "@%s%%p%u bra ELSE%d;\n", rnd(g, 2) ? "!" : "", p,
                  l);
    statements(g, 1 + rnd(g, 4));
    tc_buf_printf(&g->out, "bra%s JOIN%d;\nELSE%d:\n", "", l, l);
    statements(g, rnd(g, 4));
    tc_buf_printf(&g->out, "JOIN%d:\n", l);
}

/* Some turns; how many may differ from lane to lane. */
static void loop(tc_gen *g) {
    int l = g->labels++, c = g->depth;
    if (rnd(g, 2)) {
        tc_buf_printf(&g->out, "and.b32 %%c%d, %%r%u, 7;\n", c, rnd(g, N32));
    } else {
        tc_buf_printf(&g->out, "mov.u32 %%c%d, %u;\n", c, rnd(g, 6));
    }
    tc_buf_printf(&g->out, "AGAIN%d:\n", l);
    statements(g, 1 + rnd(g, 5));
    tc_buf_printf(&g->out,
                  "sub.u32 %%c%d, %%c%d, 1;\nsetp.gt.s32 %%l%d, %%c%d, 0;\n"
                  "@%%l%d bra AGAIN%d;\n",
                  c, c, c, c, c, l);
}

static void statements(tc_gen *g, uint32_t n) {
    g->depth++;
    while (n-- > 0 && g->budget-- > 0) {
        uint32_t k = rnd(g, 20);
        if (k < 5) {
            op32(g);
        } else if (k < 7) {
            op64(g);
        } else if (k < 10) {
            opf(g);
        } else if (k < 11) {
            convert(g);
        } else if (k < 13) {
            predicate(g);
        } else if (k < 14) {
            select_op(g);
        } else if (k < 17 || g->depth > 3) {
            access_op(g);
        } else if (k < 19) {
            if_else(g);
        } else {
            loop(g);
        }
    }
    g->depth--;
}

/* What a fault needs: lanes that go astray in the middle of things. */
static void astray(tc_gen *g) {
    tc_buf_printf(&g->out,
                  "and.b32 %%t, %%i, 31;\nsetp.eq.u32 %%p0, %%t, %u;\n"
                  "mov.u64 %%q, %%a;\n@%%p0 add.u64 %%q, %%q, %s;\n%s;\n",
                  rnd(g, 32), ONE(g, "0x10000000", "2", "4093", "0"),
                  ONE(g, "st.global.u32 [%q], %r2", "ld.global.u32 %r1, [%q]"));
}

static void epilogue(tc_gen *g) {
    int words = N32 + NF + NP + 2 * N64;
    tc_buf_printf(&g->out,
                  "mul.lo.u32 %%t, %%i, %d;\nmul.wide.u32 %%q, %%t, 8;\n"
                  "add.u64 %%q, %%q, %%b;\n",
                  words);
    int at = 0;
    for (int i = 0; i < N64; i++, at += 8) {
        tc_buf_printf(&g->out, "st.global.u64 [%%q+%d], %%d%d;\n", at, i);
    }
    for (int i = 0; i < N32; i++, at += 4) {
        tc_buf_printf(&g->out, "st.global.u32 [%%q+%d], %%r%d;\n", at, i);
    }
    for (int i = 0; i < NF; i++, at += 4) {
        tc_buf_printf(&g->out, "st.global.f32 [%%q+%d], %%f%d;\n", at, i);
    }
    for (int i = 0; i < NP; i++, at += 4) {
        tc_buf_printf(&g->out,
                      "selp.u32 %%t, 1, 0, %%p%d;\n"
                      "st.global.u32 [%%q+%d], %%t;\n",
                      i, at);
    }
    tc_buf_puts(&g->out, "ret;\n}\n");
}

/* A program of seed; the caller frees it. fault: one that goes astray. */
static char *make_program(uint64_t seed, bool fault) {
    tc_gen g = {.out = TC_BUF_INIT,
                .state = seed * 77 + 13,
                .budget = 60 + (int)(seed % 60)};
    tc_buf_printf(
        &g.out,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 A, .param .u64 B, .param .u32 n)\n{\n"
        ".reg .b32 %%r<%d>, %%i, %%t, %%sm, %%c<8>, %%x, %%y;\n"
        ".reg .b64 %%d<%d>, %%a, %%b, %%q, %%z;\n.reg .f32 %%f<%d>;\n"
        ".reg .pred %%p<%d>, %%l<8>;\n.reg .b16 %%h<2>;\n"
        ".shared .align 16 .b8 smem[2048];\n"
        ".local .align 16 .b8 lmem[144];\n",
        N32, N64, NF, NP);
    tc_buf_puts(&g.out,
                "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ntid.x;\n"
                "mov.u32 %i, %ntid.y;\nmul.lo.u32 %y, %y, %i;\n"
                "mul.lo.u32 %x, %x, %y;\nmov.u32 %y, %ntid.x;\n"
                "mov.u32 %t, %tid.y;\nmad.lo.u32 %x, %t, %y, %x;\n"
                "mov.u32 %t, %tid.x;\nadd.u32 %i, %x, %t;\n"
                "ld.param.u64 %a, [A];\nld.param.u64 %b, [B];\n"
                "cvta.to.global.u64 %a, %a;\nmov.u32 %sm, smem;\n"
                "ld.param.u32 %r0, [n];\nmov.u32 %r1, %laneid;\n"
                "mov.u32 %r2, %i;\nmov.u32 %r3, %tid.x;\n"
                "mul.wide.u32 %q, %i, 4;\nadd.u64 %q, %q, %a;\n"
                "ld.global.f32 %f0, [%q];\nld.global.f32 %f1, [%q+512];\n"
                "ld.global.u32 %r4, [%q+1024];\nld.global.u64 %d0, [%a];\n"
                "setp.lt.u32 %p0, %r1, 16;\nsetp.gt.s32 %p1, %r4, 0;\n");
    statements(&g, 1000);
    if (fault) {
        astray(&g);
    }
    epilogue(&g);
    return g.out.data;
}

#endif
