/* test_fast.c - the fast path against the general one: random programs, every
 * instruction set that this processor has, with and without observers. Memory,
 * counters, cycles, findings: all equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "fast_programs.h"
#include "sample.h"
#include "sim/fast/fast.h"
#include "sim/sim.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { A_BYTES = 8192, B_BYTES = 384 * 304 + 1024, PROGRAMS = 400 };

typedef struct outcome {
    tc_run_status status;
    tc_sim_counters counters;
    uint64_t cycles;
    tc_finding_kind kind; /* of the first finding */
    uint64_t address, at_cycle;
    uint32_t at_line, at_lane, at_warp, at_cta;
    int nfindings;
    uint8_t a[A_BYTES], b[B_BYTES];
} outcome;

typedef struct setting {
    bool hazards, timing, trace;
    uint32_t grid, x, y;
} setting;

static void say(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

/* Edge cases of floats among the words. */
static void fill(uint8_t *p, size_t n) {
    static const uint32_t edges[] = {
        0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 0x00000001,
        0x80000001, 0x007fffff, 0x80000000, 0x3f800000, 0xbf800000, 0x7f7fffff};
    uint32_t x = 12345;
    for (size_t i = 0; i + 4 <= n; i += 4) {
        x = x * 1664525 + 1013904223;
        uint32_t v = x >> 28 < 4 ? edges[(x >> 8) % 12] : x ^ x >> 13;
        memcpy(p + i, &v, 4);
    }
}

static bool run(const char *text, const char *isa, const setting *how,
                outcome *out) {
    tc_arena *arena = tc_arena_new();
    tc_diags d = {.fn = say};
    tc_source *s = TC_NEW(arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, s, &d);
    tc_sim_options o = {.isa = isa,
                        .hazards = how->hazards,
                        .timing = how->timing,
                        .trace = how->trace};
    tc_sim *sim = m ? tc_sim_new(m, &o, &d) : NULL;
    tc_sim_result r;
    memset(out, 0, sizeof *out);
    if (!sim) {
        tc_arena_free(arena);
        return false;
    }
    tc_sim_allocation *a = tc_sim_alloc(sim, A_BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(sim, B_BYTES, "B");
    fill(a->bytes, A_BYTES);
    struct {
        uint64_t a, b;
        uint32_t n;
    } params = {a->address, b->address, 1000};
    tc_sim_launch l = {.entry = "k",
                       .grid = {how->grid, 1, 1},
                       .block = {how->x, how->y, 1},
                       .params = (const uint8_t *)&params,
                       .nparams = 20};
    bool ok = tc_sim_run(sim, &l, &d, &r);
    out->status = r.status;
    out->counters = r.counters;
    out->cycles = r.cycles;
    out->nfindings = r.nfindings;
    if (r.nfindings) {
        const tc_finding *f = &r.findings[0];
        out->kind = f->kind;
        out->address = f->address;
        out->at_cycle = f->at.cycle;
        out->at_line = f->at.op ? f->at.op->ptx_line : 0;
        out->at_lane = f->at.lane;
        out->at_warp = f->at.warp;
        out->at_cta = f->at.cta;
    }
    memcpy(out->a, a->bytes, A_BYTES);
    memcpy(out->b, b->bytes, B_BYTES);
    tc_sim_free(sim);
    tc_arena_free(arena);
    return ok;
}

static bool same(const outcome *x, const outcome *y) {
    return x->status == y->status && x->cycles == y->cycles &&
           memcmp(&x->counters, &y->counters, sizeof x->counters) == 0 &&
           x->nfindings == y->nfindings && x->kind == y->kind &&
           x->address == y->address && x->at_cycle == y->at_cycle &&
           x->at_line == y->at_line && x->at_lane == y->at_lane &&
           x->at_warp == y->at_warp && x->at_cta == y->at_cta &&
           memcmp(x->a, y->a, A_BYTES) == 0 && memcmp(x->b, y->b, B_BYTES) == 0;
}

static void differ(const char *text, const char *isa, const outcome *x,
                   const outcome *y) {
    fprintf(stderr, "%s\n%s: status %d %d, cycles %llu %llu, findings %d %d\n",
            text, isa, (int)x->status, (int)y->status,
            (unsigned long long)x->cycles, (unsigned long long)y->cycles,
            x->nfindings, y->nfindings);
    for (size_t i = 0; i < B_BYTES; i += 4) {
        if (memcmp(x->b + i, y->b + i, 4) != 0) {
            uint32_t u, v;
            memcpy(&u, x->b + i, 4);
            memcpy(&v, y->b + i, 4);
            fprintf(stderr, "thread %zu, byte %zu: %08x, not %08x\n", i / 304,
                    i % 304, v, u);
            break;
        }
    }
}

/* Where TC_FAST_PTXAS is set: does the assembler take the text? */
static void judge(const char *text) {
    if (getenv("TC_FAST_PTXAS")) {
        assert_true(ptxas_takes("sm_90", text));
    }
}

static void compare_texts(const char *text, const setting *how,
                          const char *name) {
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    static outcome general, fast;
    judge(text);
    assert_true(run(text, "none", how, &general));
    for (int i = 0; i < 3; i++) {
        if (!tc_fast_choose(isas[i])) {
            continue;
        }
        assert_true(run(text, isas[i], how, &fast));
        if (!same(&general, &fast)) {
            differ(text, isas[i], &general, &fast);
            fail_msg("program %s: %s differs", name, isas[i]);
        }
    }
}

static void compare(uint64_t seed, const setting *how, bool fault) {
    char *text = make_program(seed, fault), name[32];
    snprintf(name, sizeof name, "%llu", (unsigned long long)seed);
    compare_texts(text, how, name);
    free(text);
}

static int programs(int n) {
    const char *more = getenv("TC_FAST_PROGRAMS");
    return more ? atoi(more) : n / SAMPLE;
}

static void random_programs(void **state) {
    (void)state;
    static const setting how[] = {{.grid = 3, .x = 128, .y = 1},
                                  {.grid = 2, .x = 100, .y = 1},
                                  {.grid = 3, .x = 8, .y = 9},
                                  {.grid = 1, .x = 7, .y = 1}};
    for (int i = 0; i < programs(PROGRAMS); i++) {
        compare((uint64_t)i, &how[i % 4], false);
    }
}

static void faults(void **state) {
    (void)state;
    static const setting how[] = {{.grid = 2, .x = 96, .y = 1},
                                  {.grid = 1, .x = 50, .y = 1}};
    for (int i = 0; i < programs(PROGRAMS) / 4; i++) {
        compare(10000 + (uint64_t)i, &how[i % 2], true);
    }
}

static void observed(void **state) {
    (void)state;
    static const setting how[] = {
        {.hazards = true, .grid = 2, .x = 100, .y = 1},
        {.timing = true, .grid = 2, .x = 64, .y = 1},
        {.trace = true, .grid = 1, .x = 96, .y = 1},
        {.hazards = true,
         .timing = true,
         .trace = true,
         .grid = 2,
         .x = 40,
         .y = 2}};
    for (int i = 0; i < programs(PROGRAMS) / 2; i++) {
        compare(20000 + (uint64_t)i, &how[i % 4], i % 5 == 0);
    }
}

/* A kernel that folds what an op makes of 2^19 patterns of .f32 into a word a
 * thread; most of them between 2^-40 and 2^40. */
static char *sweep(const char *op) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(
        &b,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 A, .param .u64 B, .param .u32 n)\n{\n"
        ".reg .b32 %%r<8>;\n.reg .f32 %%f<4>;\n.reg .b64 %%d<4>;\n"
        ".reg .pred %%p;\n"
        "mov.u32 %%r0, %%ctaid.x;\nmov.u32 %%r1, %%tid.x;\n"
        "mad.lo.u32 %%r0, %%r0, 128, %%r1;\nmov.u32 %%r2, 0;\n"
        "mov.u32 %%r3, 1365;\n"
        "AGAIN:\nmad.lo.u32 %%r4, %%r3, 384, %%r0;\n"
        "mul.lo.u32 %%r4, %%r4, 2654435761;\n"
        "and.b32 %%r5, %%r4, 0x80FFFFFF;\nshr.u32 %%r6, %%r4, 24;\n"
        "and.b32 %%r6, %%r6, 63;\nadd.u32 %%r6, %%r6, 96;\n"
        "and.b32 %%r7, %%r4, 7;\nsetp.eq.u32 %%p, %%r7, 0;\n"
        "and.b32 %%r5, %%r5, 0x807FFFFF;\nshl.b32 %%r6, %%r6, 23;\n"
        "or.b32 %%r5, %%r5, %%r6;\nselp.b32 %%r4, %%r4, %%r5, %%p;\n"
        "mov.b32 %%f0, %%r4;\n%s %%f1, %%f0;\nmov.b32 %%r4, %%f1;\n"
        "mad.lo.u32 %%r2, %%r2, 31, %%r4;\n"
        "sub.u32 %%r3, %%r3, 1;\nsetp.ne.u32 %%p, %%r3, 0;\n"
        "@%%p bra AGAIN;\n"
        "ld.param.u64 %%d0, [B];\nmul.wide.u32 %%d1, %%r0, 4;\n"
        "add.u64 %%d0, %%d0, %%d1;\nst.global.u32 [%%d0], %%r2;\nret;\n}\n",
        op);
    return b.data;
}

static void special_functions(void **state) {
    (void)state;
    static const char *const ops[] = {
        "sin.approx.f32",  "cos.approx.f32",  "lg2.approx.f32",
        "ex2.approx.f32",  "tanh.approx.f32", "rsqrt.approx.f32",
        "rcp.rn.f32",      "sqrt.rn.f32",     "cvt.rni.f32.f32",
        "cvt.rpi.f32.f32", "cvt.rmi.f32.f32", "cvt.rzi.f32.f32"};
    const setting how = {.grid = 3, .x = 128, .y = 1};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        char *text = sweep(ops[i]);
        compare_texts(text, &how, ops[i]);
        free(text);
    }
}

static void choosing(void **state) {
    (void)state;
    assert_non_null(tc_fast_choose(NULL));
    assert_string_equal(tc_fast_name(tc_fast_choose("plain")), "plain");
    assert_null(tc_fast_choose("none"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choosing), cmocka_unit_test(special_functions),
        cmocka_unit_test(random_programs), cmocka_unit_test(faults),
        cmocka_unit_test(observed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
