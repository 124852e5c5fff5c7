/* test_estimate.c - times of launches without a clock (timing/estimate.c): that
 * what touches more sectors takes longer, as on a GPU. Transposes of 1024 x 1024
 * words: naive, through shared memory, through shared memory with rows of 33. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "sim/sim.h"
#include <stdio.h>
#include <string.h>

enum { N = 1024, TILE = 32 };

/* Of thread (x, y) of a tile: its column of the matrix in r6, row in r7; those of
 * the same thread in the transposed tile in r8, r9. */
static const char head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<9>;\n.reg .b32 %r<20>;\n"
    ".shared .align 4 .b8 sm[4224];\n"
    "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"
    "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nmov.u32 %r5, sm;\n"
    "mad.lo.u32 %r6, %r3, 32, %r1;\nmad.lo.u32 %r7, %r4, 32, %r2;\n"
    "mad.lo.u32 %r8, %r4, 32, %r1;\nmad.lo.u32 %r9, %r3, 32, %r2;\n"
    "mad.lo.u32 %r10, %r7, 1024, %r6;\nmul.wide.u32 %rd3, %r10, 4;\n"
    "add.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r11, [%rd3];\n";

static const char naive[] =
    "mad.lo.u32 %r12, %r6, 1024, %r7;\nmul.wide.u32 %rd4, %r12, 4;\n"
    "add.u64 %rd4, %rd2, %rd4;\nst.global.u32 [%rd4], %r11;\n";

/* %d: bytes of a row. */
static const char tiled[] =
    "mad.lo.u32 %%r12, %%r2, %d, %%r5;\nmad.lo.u32 %%r12, %%r1, 4, %%r12;\n"
    "st.shared.u32 [%%r12], %%r11;\nbar.sync 0;\n"
    "mad.lo.u32 %%r12, %%r1, %d, %%r5;\nmad.lo.u32 %%r12, %%r2, 4, %%r12;\n"
    "ld.shared.u32 %%r11, [%%r12];\nmad.lo.u32 %%r13, %%r9, 1024, %%r8;\n"
    "mul.wide.u32 %%rd4, %%r13, 4;\nadd.u64 %%rd4, %%rd2, %%rd4;\n"
    "st.global.u32 [%%rd4], %%r11;\n";

static void say(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

/* Cycles; the matrix is transposed. */
static uint64_t estimate(const char *body, int threads) {
    tc_arena *arena = tc_arena_new();
    tc_diags d = {.fn = say};
    char *text = tc_format(arena, "%s%sret;\n}\n", head, body);
    tc_source *s = TC_NEW(arena, tc_source);
    *s = (tc_source){"k.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, s, &d);
    assert_non_null(m);
    tc_sim_options o = {.hazards = true, .threads = threads, .alone = 1000};
    tc_sim *sim = tc_sim_new(m, &o, &d);
    tc_sim_allocation *a = tc_sim_alloc(sim, N * N * 4, "A");
    tc_sim_allocation *b = tc_sim_alloc(sim, N * N * 4, "B");
    uint32_t *from = (uint32_t *)(void *)a->bytes;
    const uint32_t *to = (const uint32_t *)(const void *)b->bytes;
    uint64_t params[] = {a->address, b->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {N / TILE, N / TILE, 1},
                       .block = {TILE, TILE, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    tc_sim_result r;
    for (uint32_t i = 0; i < N * N; i++) {
        from[i] = i;
    }
    assert_true(tc_sim_run(sim, &l, &d, &r));
    assert_int_equal(r.status, TC_RUN_OK);
    for (uint32_t i = 0; i < N * N; i += 77) {
        assert_int_equal(to[i], from[i % N * N + i / N]);
    }
    tc_sim_free(sim);
    tc_arena_free(arena);
    return r.estimate;
}

static void transposes_in_order(void **state) {
    char coalesced[1024], free_of_conflicts[1024];
    (void)state;
    snprintf(coalesced, sizeof coalesced, tiled, 128, 128);
    snprintf(free_of_conflicts, sizeof free_of_conflicts, tiled, 132, 132);
    uint64_t slow = estimate(naive, 1), tile = estimate(coalesced, 1);
    assert_true(slow > tile);
    assert_true(tile >= estimate(free_of_conflicts, 1));
    assert_true(slow == estimate(naive, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(transposes_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
