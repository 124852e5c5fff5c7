/* test_sim_wgmma.c - wgmma against a product of matrices on the host. */
#include "sim_program.h"
#include "wgmma_cases.h"

/* ---- the run ---- */

typedef struct run {
    tc_sim_result r;
    uint8_t out[OUT_BYTES];
    tc_arena *arena;
    tc_sim *sim;
} run;

static void execute(run *x, const char *text, tc_sim_options o) {
    tc_diags d = {.fn = NULL}; /* notes about so much shared memory */
    x->arena = tc_arena_new();
    tc_source *s = TC_NEW(x->arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(x->arena, s, &d);
    assert_non_null(m);
    o.arch = "sm_90a";
    x->sim = tc_sim_new(m, &o, &d);
    assert_non_null(x->sim);
    tc_sim_allocation *a = tc_sim_alloc(x->sim, sizeof wgmma_in, "A");
    tc_sim_allocation *b = tc_sim_alloc(x->sim, sizeof wgmma_out, "B");
    memcpy(a->bytes, wgmma_in, sizeof wgmma_in);
    memcpy(b->bytes, wgmma_out, sizeof wgmma_out);
    uint64_t params[2] = {a->address, b->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {1, 1, 1},
                       .block = {128, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    assert_true(tc_sim_run(x->sim, &l, &d, &x->r));
    memcpy(x->out, b->bytes, sizeof wgmma_out);
}

static void end_run(run *x) {
    tc_sim_free(x->sim);
    tc_arena_free(x->arena);
}

static void products(void **state) {
    (void)state;
    static const tc_sim_options how[] = {
        {.hazards = true},
        {.timing = true},
        {.completion = TC_COMPLETE_EARLY},
        {.completion = TC_COMPLETE_RANDOM, .seed = 7, .hazards = true},
        {.isa = "none"}};
    static run x;
    for (size_t i = 0; i < WGMMA_FORMS; i++) {
        char *text = wgmma_text(&wgmma_forms[i], "");
        assert_true(ptxas_takes("sm_90a", text));
        for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
            wgmma_deal(&wgmma_forms[i]);
            execute(&x, text, how[h]);
            assert_int_equal(x.r.status, TC_RUN_OK);
            char why[200] = "";
            if (!wgmma_right(&wgmma_forms[i], x.out, why, sizeof why)) {
                fail_msg("%s", why);
            }
            end_run(&x);
        }
        free(text);
    }
}

static void findings(void **state) {
    (void)state;
    static const struct {
        const char *drop;
        tc_finding_kind kind;
        tc_missing missing;
    } rows[] = {
        {"proxy", TC_FINDING_PROXY_FENCE, TC_MISSING_PROXY_FENCE},
        {"fence", TC_FINDING_DATA_RACE, TC_MISSING_WGMMA_FENCE},
        {"wait", TC_FINDING_READ_BEFORE_COMPLETE, TC_MISSING_WGMMA_WAIT},
        {"commit", TC_FINDING_READ_BEFORE_COMPLETE, TC_MISSING_WGMMA_WAIT},
        {"overwrite", TC_FINDING_OVERWRITE_IN_FLIGHT, TC_MISSING_WGMMA_WAIT},
    };
    static run x;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = wgmma_text(&wgmma_forms[0], rows[i].drop);
        wgmma_deal(&wgmma_forms[0]);
        execute(&x, text, (tc_sim_options){.hazards = true});
        if (x.r.status != TC_RUN_FINDINGS ||
            x.r.findings[0].kind != rows[i].kind ||
            x.r.findings[0].missing != rows[i].missing) {
            fail_msg("without %s: status %d, kind %d, missing %d", rows[i].drop,
                     (int)x.r.status,
                     x.r.nfindings ? (int)x.r.findings[0].kind : -1,
                     x.r.nfindings ? (int)x.r.findings[0].missing : -1);
        }
        end_run(&x);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
