/* fast_programs.h - random PTX programs for test_fast.c: straight lines, ways
 * that part and join, loops, all kinds of accesses. They end by storing all
 * their registers, so that whatever an op did is seen. */
#ifndef FAST_PROGRAMS_H
#define FAST_PROGRAMS_H

#include "fast_ops.h"

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

/* Sums and such on words, so that their order is seen. */
static void atomic(tc_gen *g) {
    bool shared = rnd(g, 2) == 0;
    uint32_t v = rnd(g, N32), kind = rnd(g, 4);
    const char *space = shared ? ".shared" : ONE(g, ".global", "");
    const char *base = shared ? "%t" : "%q";
    const char *what =
        ONE(g, "add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32",
            "exch.b32", "inc.u32", "dec.u32", "max.s32", "min.u32");
    address(g, shared);
    guard(g);
    if (kind == 0) {
        tc_buf_printf(&g->out, "atom%s.cas.b32 %%r%u, [%s+4], %%r%u, %%r%u;\n",
                      space, rnd(g, N32), base, v, rnd(g, N32));
    } else if (kind == 1) {
        tc_buf_printf(&g->out, "atom%s.add.f32 %%f%u, [%s], %%f%u;\n", space,
                      rnd(g, NF), base, rnd(g, NF));
    } else if (what[0] == 'e' || kind == 2) {
        tc_buf_printf(&g->out, "atom%s.%s %%r%u, [%s+8], %%r%u;\n", space, what,
                      rnd(g, N32), base, v);
    } else {
        tc_buf_printf(&g->out, "red%s.%s [%s], %%r%u;\n", space, what, base, v);
    }
}

/* A function whose parameters travel in frames: (a, b) gives a + low word of
 * b, or a call of itself with less. */
static const char function[] =
    ".func (.param .b32 q) twice(.param .b32 a, .param .b64 b)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %d<2>;\n.reg .pred %p;\n"
    "ld.param.u32 %r0, [a];\nld.param.u64 %d0, [b];\n"
    "setp.lt.u32 %p, %r0, 0x80000000;\n@%p bra LAST;\n"
    "shr.u32 %r0, %r0, 1;\n"
    "{\n.param .b32 s0;\n.param .b64 s1;\n.param .b32 t;\n"
    "st.param.b32 [s0], %r0;\nst.param.b64 [s1], %d0;\n"
    "call (t), twice, (s0, s1);\nld.param.b32 %r1, [t];\n}\n"
    "add.u32 %r0, %r0, %r1;\n"
    "LAST:\ncvt.u32.u64 %r2, %d0;\nadd.u32 %r0, %r0, %r2;\n"
    "st.param.b32 [q], %r0;\nret;\n}\n";

static void call(tc_gen *g) {
    tc_buf_printf(&g->out,
                  "{\n.param .b32 s0;\n.param .b64 s1;\n.param .b32 t;\n"
                  "st.param.b32 [s0], %%r%u;\nst.param.b64 [s1], %%d%u;\n"
                  "call (t), twice, (s0, s1);\nld.param.b32 %%r%u, [t];\n}\n",
                  rnd(g, N32), rnd(g, N64), rnd(g, N32));
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
        uint32_t k = rnd(g, 26);
        if (k == 25) {
            call(g);
        } else if (k == 20) {
            op16(g);
        } else if (k == 21) {
            special_op(g);
        } else if (k == 22) {
            op_f64(g);
        } else if (k == 23) {
            atomic(g);
        } else if (k == 24) {
            if (g->depth == 1) { /* where no lane is elsewhere */
                together(g);
            }
        } else if (k < 5) {
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
        ".version 8.0\n.target sm_90\n.address_size 64\n%s"
        ".visible .entry k(.param .u64 A, .param .u64 B, .param .u32 n)\n{\n"
        ".reg .b32 %%r<%d>, %%i, %%t, %%sm, %%c<8>, %%x, %%y, %%m;\n"
        ".reg .b64 %%d<%d>, %%a, %%b, %%q, %%z;\n.reg .f32 %%f<%d>;\n"
        ".reg .pred %%p<%d>, %%l<8>;\n.reg .b16 %%h<2>;\n"
        ".shared .align 16 .b8 smem[2048];\n"
        ".local .align 16 .b8 lmem[144];\n",
        function, N32, N64, NF, NP);
    tc_buf_puts(&g.out,
                "mov.u32 %x, %ctaid.x;\nmov.u32 %y, %ntid.x;\n"
                "mov.u32 %i, %ntid.y;\nmul.lo.u32 %y, %y, %i;\n"
                "mul.lo.u32 %x, %x, %y;\nmov.u32 %y, %ntid.x;\n"
                "mov.u32 %t, %tid.y;\nmad.lo.u32 %x, %t, %y, %x;\n"
                "mov.u32 %t, %tid.x;\nadd.u32 %i, %x, %t;\n"
                "ld.param.u64 %a, [A];\nld.param.u64 %b, [B];\n"
                "cvta.to.global.u64 %a, %a;\nmov.u32 %sm, smem;\n"
                "ld.param.u32 %r0, [n];\nmov.u32 %r1, %laneid;\n"
                "mov.u32 %m, -1;\nmov.b32 %r11, 0;\nmov.u32 %r2, %i;\nmov.u32 "
                "%r3, %tid.x;\n"
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
