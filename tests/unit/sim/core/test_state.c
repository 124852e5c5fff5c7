/* test_state.c - the state at a cycle is that of the run: stopping at each
 * cycle of a small kernel shows its registers and shared memory change as its
 * text says. */
#include "sim_harness.h"

#include "sim/state.h"

/* Each thread counts to 8 in %r9 and puts each number into its word of sm. */
static const char body[] = "mov.u32 %r9, 0;\n"
                           "L:\n"
                           "add.u32 %r9, %r9, 1;\n"
                           "st.shared.u32 [%r4], %r9;\n"
                           "setp.lt.u32 %p1, %r9, 8;\n"
                           "@%p1 bra L;\n"
                           "st.global.u32 [%rd5], %r9;\n";

#define WHOLE UINT64_MAX /* to its end */

typedef struct world {
    tc_arena *arena;
    tc_ptx_module *m;
    tc_sim *sim;
    uint64_t params[2];
    char *text;
    bool timing, trace;
} world;

/* Another one, in whose caches nothing is. */
static tc_sim *fresh(world *w) {
    tc_diags d = {.fn = print_diag};
    tc_sim_options o = {.timing = w->timing, .trace = w->trace};
    tc_sim *sim = tc_sim_new(w->m, &o, &d);
    w->params[0] = tc_sim_alloc(sim, BYTES, "A")->address;
    w->params[1] = tc_sim_alloc(sim, BYTES, "B")->address;
    return sim;
}

static void begin(world *w, const char *what, bool timing) {
    tc_diags d = {.fn = print_diag};
    *w = (world){.arena = tc_arena_new(), .timing = timing};
    w->text = whole_text(what, NULL); /* expect_tx is of sm_90 */
    memcpy(w->text, ".version 8.0\n.target sm_90", 26);
    tc_source *s = TC_NEW(w->arena, tc_source);
    *s = (tc_source){"test.ptx", w->text, strlen(w->text), 1};
    w->m = tc_ptx_parse(w->arena, s, &d);
    assert_non_null(w->m);
    w->sim = fresh(w);
}

static tc_sim_result launch(world *w, uint64_t cycle, uint32_t block,
                            const tc_sim_state *upto) {
    tc_diags d = {.fn = print_diag};
    tc_sim_result r;
    tc_sim_launch l = {.entry = "k",
                       .grid = {1, 1, 1},
                       .block = {block, 1, 1},
                       .stops = cycle != WHOLE,
                       .stop_at = cycle,
                       .upto = upto,
                       .params = (const uint8_t *)w->params,
                       .nparams = sizeof w->params};
    assert_true(tc_sim_run(w->sim, &l, &d, &r));
    return r;
}

/* As the clock has it. */
static tc_sim_result run_to(world *w, uint64_t cycle, uint32_t block) {
    tc_sim_free(w->sim);
    w->sim = fresh(w);
    tc_sim_result r = launch(w, cycle, block, NULL);
    if (tc_state_ahead(r.state)) {
        tc_sim *first = w->sim; /* has the state */
        w->sim = fresh(w);
        r = launch(w, cycle, block, r.state);
        tc_sim_free(first);
    }
    return r;
}

static void end(world *w) {
    tc_sim_free(w->sim);
    tc_arena_free(w->arena);
    free(w->text);
}

static const tc_ptx_reg *reg(const tc_state_warp *w, const char *name) {
    for (int i = 0; i < w->func->nregs; i++) {
        const tc_ptx_reg *r = &w->func->regs[i];
        if (r->len == strlen(name) && memcmp(r->name, name, r->len) == 0) {
            return r;
        }
    }
    fail_msg("no register %s", name);
    return NULL;
}

/* Stores of warp 0 to shared memory that the whole run's trace has before a
 * cycle. */
static uint32_t stores_before(const tc_trace *t, uint64_t cycle) {
    uint32_t n = 0;
    for (size_t i = 0; i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        n += e->kind == TC_TRACE_STORE && e->warp == 0 &&
             e->space == TC_TRACE_SPACE_SHARED && e->cycle < cycle;
    }
    return n;
}

static tc_trace *trace_of(world *w) {
    run_to(w, WHOLE, 64);
    return tc_sim_take_trace(w->sim);
}

/* Registers and memory at each cycle, and that it is the trace's cycle. */
static void every_cycle(bool timing) {
    world w;
    begin(&w, body, timing);
    w.trace = true;
    tc_trace *trace = trace_of(&w);
    w.trace = false;
    uint64_t last = run_to(&w, WHOLE, 64).cycles;
    uint32_t seen = 0, changes = 0;
    assert_true(last > 30);
    for (uint64_t c = 0; c < last; c++) {
        tc_sim_result r = run_to(&w, c, 64);
        assert_non_null(r.state);
        assert_int_equal(r.state->cycle, c);
        assert_int_equal(r.state->nctas, 1);
        const tc_state_cta *cta = &r.state->ctas[0];
        const tc_state_warp *warp = &cta->warps[0];
        uint32_t n = (uint32_t)tc_state_register(warp, reg(warp, "%r9"), 5);
        uint32_t stored = word(cta->shared, 5);
        assert_true(n == seen || n == seen + 1);
        assert_true(stored == n || stored + 1 == n);
        if (timing) {
            /* Those that issue before an add of their turn are not there. */
            assert_in_range(stores_before(trace, c), stored, stored + 2);
        }
        assert_int_equal(tc_state_register(warp, reg(warp, "%r9"), 31), n);
        changes += n != seen;
        seen = n;
    }
    assert_int_equal(changes, 8);
    assert_int_equal(stores_before(trace, last), 8);
    tc_trace_free(trace);
    end(&w);
}

static void test_registers(void **state) {
    (void)state;
    every_cycle(false);
    every_cycle(true);
}

/* Threads that wait at a barrier are shown there; mbarriers with their counts.
 */
static void test_waits(void **state) {
    (void)state;
    static const char waits[] =
        "setp.eq.u32 %p1, %r1, 0;\n"
        "@%p1 mbarrier.init.shared.b64 [sm], 3;\n"
        "bar.sync 0;\n"
        "@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [sm], 64;\n"
        "@%p1 mbarrier.arrive.shared.b64 %rd9, [sm];\n"
        "setp.ge.u32 %p2, %r1, 32;\n"
        "@%p2 bra W;\n"
        "mov.u32 %r9, 0;\n"
        "L:\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p3, %r9, 100;\n@%p3 bra L;\n"
        "W:\nbar.sync 1;\n";
    world w;
    begin(&w, waits, true);
    uint64_t last = run_to(&w, WHOLE, 64).cycles;
    tc_sim_result r = run_to(&w, last - 150, 64);
    assert_non_null(r.state);
    const tc_state_cta *cta = &r.state->ctas[0];
    assert_int_equal(cta->nmbarriers, 1);
    assert_int_equal(cta->mbarriers[0].offset, 0);
    assert_int_equal(cta->mbarriers[0].pending, 2);
    assert_int_equal(cta->mbarriers[0].expected, 3);
    assert_int_equal(cta->mbarriers[0].tx, 64);
    assert_int_equal(cta->mbarriers[0].phase, 0);
    assert_int_equal(cta->warps[1].nsplits, 1);
    assert_true(cta->warps[1].splits[0].waits);
    assert_int_equal(cta->warps[1].splits[0].op->opcode, TC_PTX_BAR_SYNC);
    assert_false(cta->warps[0].splits[0].waits);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
