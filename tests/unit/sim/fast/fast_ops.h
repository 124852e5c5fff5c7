/* fast_ops.h - random PTX instructions for test_fast.c, one at a time: of
 * registers alone, and of the lanes of a warp together. */
#ifndef FAST_OPS_H
#define FAST_OPS_H

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

static void src_d(tc_gen *g) {
    if (rnd(g, 4) == 0) {
        tc_buf_puts(&g->out, ONE(g, "0d3FF0000000000000", "0dFFF0000000000000",
                                 "0d7FF8000000000001", "0d8000000000000000"));
    } else {
        tc_buf_printf(&g->out, "%%d%u", rnd(g, N64));
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
    switch (rnd(g, 8)) {
    case 6:
        op(g, ONE(g, "popc.b32", "clz.b32"), 'r', N32, src32, 1);
        break;
    case 7:
        op(g, ONE(g, "bfe.u32", "shf.l.wrap.b32", "shf.r.wrap.b32"), 'r', N32,
           src32, 3);
        break;
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
               "div.u32", "rem.s32", "div.s32", "rem.u32"),
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

/* Registers of 16 bits, which statements share. */
static void op16(tc_gen *g) {
    guard(g);
    uint32_t d = rnd(g, 2), a = rnd(g, 2);
    switch (rnd(g, 5)) {
    case 0:
        tc_buf_printf(&g->out, "%s %%h%u, %%h%u, %s;\n",
                      ONE(g, "add.s16", "sub.s16", "mul.lo.u16", "and.b16",
                          "or.b16", "xor.b16"),
                      d, a, ONE(g, "%h0", "%h1", "-3", "7"));
        break;
    case 1:
        tc_buf_printf(&g->out, "%s %%h%u, %%h%u, %%r%u;\n",
                      ONE(g, "shl.b16", "shr.u16", "shr.s16"), d, a,
                      rnd(g, N32));
        break;
    case 2:
        tc_buf_printf(&g->out, "setp.%s.%s %%p%u, %%h%u, %s;\n",
                      ONE(g, "eq", "ne", "lt", "le", "gt", "ge"),
                      ONE(g, "s16", "u16"), rnd(g, NP), a,
                      ONE(g, "%h0", "%h1", "-3", "7"));
        break;
    case 3:
        tc_buf_printf(&g->out, "%s %%r%u, %%h%u, %%h%u;\n",
                      ONE(g, "mul.wide.u16", "mul.wide.s16"), rnd(g, N32), a,
                      1 - a);
        break;
    default:
        tc_buf_printf(&g->out, "selp.b16 %%h%u, %%h%u, -5, %%p%u;\n", d, a,
                      rnd(g, NP));
        break;
    }
}

static void special_op(tc_gen *g) {
    switch (rnd(g, 3)) {
    case 0:
        op(g, ONE(g, "div.rn.f32", "div.approx.f32", "div.full.f32"), 'f', NF,
           srcf, 2);
        break;
    case 1:
        op(g,
           ONE(g, "cvt.rni.f32.f32", "cvt.rzi.f32.f32", "cvt.rmi.f32.f32",
               "cvt.rpi.f32.f32"),
           'f', NF, srcf, 1);
        break;
    default:
        op(g,
           ONE(g, "rcp.rn.f32", "rcp.approx.f32", "sqrt.rn.f32",
               "sqrt.approx.f32", "rsqrt.approx.f32", "sin.approx.f32",
               "cos.approx.f32", "lg2.approx.f32", "ex2.approx.f32",
               "tanh.approx.f32", "ex2.approx.ftz.f32"),
           'f', NF, srcf, 1);
        break;
    }
}

/* .f64 in registers of 64 bits. */
static void op_f64(tc_gen *g) {
    if (rnd(g, 4) == 0) {
        op(g, ONE(g, "neg.f64", "abs.f64"), 'd', N64, src_d, 1);
    } else if (rnd(g, 3) == 0) {
        op(g, "fma.rn.f64", 'd', N64, src_d, 3);
    } else {
        op(g, ONE(g, "add.f64", "sub.f64", "mul.f64", "div.rn.f64"), 'd', N64,
           src_d, 2);
    }
}

/* What lanes do together; those that live, or all. */
static void together(tc_gen *g) {
    const char *members = ONE(g, "-1", "-1", "%m");
    switch (rnd(g, 4)) {
    case 0:
        tc_buf_printf(&g->out, "vote.sync.ballot.b32 %%r%u, %%p%u, %s;\n",
                      rnd(g, N32), rnd(g, NP), members);
        break;
    case 1:
        tc_buf_printf(&g->out, "vote.sync.%s.pred %%p%u, %s%%p%u, %s;\n",
                      ONE(g, "all", "any", "uni"), rnd(g, NP),
                      rnd(g, 2) ? "!" : "", rnd(g, NP), members);
        break;
    case 2:
        tc_buf_printf(&g->out, "bar.warp.sync %s;\n", members);
        break;
    default:
        tc_buf_printf(&g->out, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, ",
                      ONE(g, "up", "down", "bfly", "idx"), rnd(g, N32),
                      rnd(g, NP), rnd(g, N32));
        tc_buf_printf(&g->out, "%s, %s, %s;\n",
                      ONE(g, "1", "16", "%r1", "%r4", "35"),
                      ONE(g, "31", "0", "0x181f", "%r4"), members);
        break;
    }
}

static void convert(tc_gen *g) {
    guard(g);
    switch (rnd(g, 8)) {
    case 5:
        tc_buf_printf(&g->out, "cvt.%s.f32 %%r%u, %%f%u;\n",
                      ONE(g, "rni.s32", "rzi.s32", "rmi.s32", "rpi.s32",
                          "rni.u32", "rzi.u32", "rmi.u32", "rpi.u32"),
                      rnd(g, N32), rnd(g, NF));
        break;
    case 6:
        tc_buf_printf(&g->out, "cvt.%s %%d%u, %%h%u;\n",
                      ONE(g, "u64.u16", "s64.s16"), rnd(g, N64), rnd(g, 2));
        break;
    case 7:
        tc_buf_printf(&g->out, "cvt.rn.f32.%s %%f%u, %%h%u;\n",
                      ONE(g, "u16", "s16", "u8"), rnd(g, NF), rnd(g, 2));
        break;
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

#endif
