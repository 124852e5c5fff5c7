/* test_same_epoch.c - random programs, most of them full of races, once with
 * all that the checker knows without walking its lists and once without, and
 * that in the general path: findings and counters are the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "sample.h"
#include "sim/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 1500 / SAMPLE, BYTES = 1 << 16, SHARED = 8192 };

static uint64_t state;

static uint32_t pick(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % n);
}

#define ONE_OF(...)                                                            \
    one_of((const uint32_t[]){__VA_ARGS__},                                    \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
static uint32_t one_of(const uint32_t *of, size_t n) {
    return of[pick((uint32_t)n)];
}

/* ---- programs ---- */

/* t in r1, the CTA in r2, a loop's count in r3; A and B in rd1 and rd2; r9 a
 * value. */
static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<30>;\n.reg .b32 %r<60>;\n.reg .pred %p<12>;\n"
    ".shared .align 128 .b8 sm[8192];\n"
    "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, 0;\n"
    "mov.u32 %r9, %tid.x;\nmov.u32 %r11, %tid.x;\nmov.u32 %r12, 1;\n"
    "mov.u32 %r13, 2;\nmov.u64 %rd9, 5;\n";

static void guard(tc_buf *b) {
    uint32_t m = ONE_OF(2, 3, 8, 16, 32, 64);
    if (pick(2)) {
        tc_buf_printf(b,
                      "rem.u32 %%r8, %%r1, %u;\nsetp.eq.u32 %%p1, %%r8, %u;\n",
                      m, pick(m));
    } else {
        tc_buf_printf(b, "setp.%s.u32 %%p1, %%r1, %u;\n", pick(2) ? "lt" : "ge",
                      ONE_OF(1, 8, 16, 32, 48, 64));
    }
}

/* The address into rd7 (global) or r7 (shared). */
static void address(tc_buf *b, bool shared, uint32_t width) {
    uint32_t n = ONE_OF(1, 4, 32, 64, 128, 300, 512);
    tc_buf_printf(b,
                  "mul.lo.u32 %%r7, %%r1, %u;\nmad.lo.u32 %%r7, %%r2, %u, "
                  "%%r7;\nmad.lo.u32 %%r7, %%r3, %u, %%r7;\n"
                  "add.u32 %%r7, %%r7, %u;\n",
                  ONE_OF(0, 1, 1, 1, 1, 2, 3, 5, 16, 33),
                  ONE_OF(0, 0, 1, 32, 100), ONE_OF(0, 1, 1, 16, 32),
                  pick(4) ? 0 : pick(40));
    if (pick(6) == 0) {
        tc_buf_printf(b, "shr.u32 %%r7, %%r7, %u;\n", 1 + pick(5));
    }
    tc_buf_printf(b, "rem.u32 %%r7, %%r7, %u;\nmul.lo.u32 %%r7, %%r7, %u;\n", n,
                  width);
    if (shared) {
        tc_buf_printf(b, "mov.u32 %%r6, sm;\nadd.u32 %%r7, %%r7, %%r6;\n");
    } else {
        tc_buf_printf(b,
                      "cvt.u64.u32 %%rd7, %%r7;\nadd.u64 %%rd7, %%rd7, "
                      "%%rd%u;\n",
                      1 + pick(2));
    }
}

static void access(tc_buf *b, bool shared) {
    static const char *const types[] = {"u8", "u16", "u32", "u64", "v4.u32"};
    uint32_t kind = pick(16), t = ONE_OF(0, 1, 2, 2, 2, 2, 2, 2, 3, 4);
    const char *strong = pick(12) ? "" : ".volatile";
    const char *at = shared ? "%r7" : "%rd7";
    const char *space = shared ? "shared" : "global";
    const char *g = "";
    if (kind >= 14) {
        t = 2;
    }
    strong = t == 4 ? "" : strong;
    address(b, shared, 1u << t);
    if (pick(3) == 0) {
        guard(b);
        g = pick(3) ? "@%p1 " : "@!%p1 ";
    }
    const char *value = t == 4   ? "{%r9, %r11, %r12, %r13}"
                        : t == 3 ? "%rd9"
                                 : "%r9";
    if (kind >= 14) {
        tc_buf_printf(b, "%sred.%s.add.u32 [%s], %%r9;\n", g, space, at);
    } else if (kind >= 9) {
        tc_buf_printf(b, "%sst%s.%s.%s [%s], %s;\n", g, strong, space, types[t],
                      at, value);
    } else {
        tc_buf_printf(b, "%sld%s.%s.%s %s, [%s];\n", g, strong, space, types[t],
                      t == 4   ? "{%r20, %r21, %r22, %r23}"
                      : t == 3 ? "%rd20"
                               : "%r20",
                      at);
    }
}

static void step(tc_buf *b, bool whole) {
    uint32_t what = pick(20);
    if (what < 3 && whole) {
        tc_buf_puts(b, "bar.sync 0;\n");
    } else if (what == 3) {
        tc_buf_puts(b, "bar.warp.sync -1;\n");
    } else if (what == 4) {
        tc_buf_puts(b, "membar.gl;\n");
    } else if (what == 5) {
        tc_buf_printf(b, "mov.u32 %%r9, %u;\n", pick(3));
    } else {
        access(b, what < 13);
    }
}

static char *program(uint32_t *label) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, head);
    for (uint32_t i = 0, n = 2 + pick(8); i < n; i++) {
        if (pick(3) == 0) {
            uint32_t l = ++*label;
            tc_buf_printf(&b, "mov.u32 %%r3, 0;\nL%u:\n", l);
            for (uint32_t j = 0, m = 1 + pick(3); j < m; j++) {
                step(&b, true);
            }
            tc_buf_printf(&b,
                          "add.u32 %%r3, %%r3, 1;\nsetp.lt.u32 %%p2, %%r3, "
                          "%u;\n@%%p2 bra L%u;\n",
                          2 + pick(20), l);
        } else {
            step(&b, true);
        }
    }
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

/* ---- both ways ---- */

typedef struct launch {
    uint32_t grid, block;
    bool timing;
} launch;

static void diag(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static void put_access(tc_buf *b, const char *name, const tc_access *a) {
    tc_buf_printf(b, " %s %u.%u.%u%s line %u;", name, a->cta, a->warp, a->lane,
                  a->some_lane ? "?" : "", a->op ? a->op->ptx_line : 0);
}

static void put_result(tc_buf *b, const tc_sim_result *r) {
    tc_buf_printf(b, "status %d, %llu own, %llu other\n", (int)r->status,
                  (unsigned long long)r->counters.shared_reads_own,
                  (unsigned long long)r->counters.shared_reads_other);
    for (int i = 0; i < r->nfindings; i++) {
        const tc_finding *f = &r->findings[i];
        tc_buf_printf(b, "%s %llx+%u [%u, %u) missing %d lanes %llu:",
                      tc_finding_kind_names[f->kind],
                      (unsigned long long)f->address, f->bytes, f->from, f->to,
                      (int)f->missing, (unsigned long long)f->lanes);
        put_access(b, "at", &f->at);
        put_access(b, "cause", &f->cause);
        tc_buf_puts(b, "\n");
    }
}

static char *run(const tc_ptx_module *m, const launch *how, bool walks) {
    tc_diags d = {.fn = diag};
    tc_buf b = TC_BUF_INIT;
    tc_sim_result r = {0};
    tc_sim_options o = {.hazards = true,
                        .timing = how->timing,
                        .walks = walks,
                        .isa = walks ? "none" : NULL};
    tc_sim *s = tc_sim_new(m, &o, &d);
    uint64_t params[2] = {tc_sim_alloc(s, BYTES, "A")->address,
                          tc_sim_alloc(s, BYTES, "B")->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {how->grid, 1, 1},
                       .block = {how->block, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    assert_true(tc_sim_run(s, &l, &d, &r));
    put_result(&b, &r);
    tc_sim_free(s);
    return b.data;
}

static void one(uint64_t seed, int *found) {
    uint32_t label = 0;
    state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    char *text = program(&label);
    launch how = {.grid = ONE_OF(1, 2, 3, 5, 9),
                  .block = ONE_OF(16, 32, 64, 96, 256),
                  .timing = pick(5) == 0};
    tc_diags d = {.fn = diag};
    tc_arena *arena = tc_arena_new();
    tc_source *s = TC_NEW(arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, s, &d);
    assert_non_null(m);
    char *a = run(m, &how, true), *b = run(m, &how, false);
    *found += strchr(a, '\n')[1] != '\0';
    if (strcmp(a, b) != 0) {
        fprintf(stderr,
                "seed %llu: %u CTAs of %u%s\n%s\nwalked:\n%s\nknown:\n%s",
                (unsigned long long)seed, how.grid, how.block,
                how.timing ? ", timing" : "", text, a, b);
        fail();
    }
    free(a);
    free(b);
    free(text);
    tc_arena_free(arena);
}

/* SEED=n: that program alone. PROGRAMS=n: so many. */
static void test_both_ways(void **unused) {
    const char *seed = getenv("SEED"), *many = getenv("PROGRAMS");
    int n = many ? atoi(many) : PROGRAMS, found = 0;
    (void)unused;
    if (seed) {
        one(strtoull(seed, NULL, 10), &found);
        return;
    }
    for (int i = 0; i < n; i++) {
        one((uint64_t)i, &found);
    }
    assert_true(found > n / 3); /* most have races, */
    assert_true(found < n);     /* not all */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
