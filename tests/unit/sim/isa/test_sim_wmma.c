/* test_sim_wmma.c - wmma.load, .mma and .store, against a product of matrices
 * on the host. All values are small integers, so that every sum is exact. */
#include "mma_cases.h"
#include "sim_program.h"

static void deal(const wmma_form *f, char which, bool padded, int64_t *x,
                 uint8_t *out) {
    kind t = wmma_kind(f, which);
    for (uint32_t r = 0; r < wmma_rows(f, which); r++) {
        for (uint32_t c = 0; c < wmma_cols(f, which); c++) {
            int64_t v = draw(t);
            x[r * 256 + c] = v;
            put_bits(out, wmma_bit(f, which, padded, r, c), kinds[t].bits,
                     encode(t, v));
        }
    }
}

static int64_t a[32 * 256], b[256 * 256], c[32 * 256];

static void compare(const wmma_form *f, bool padded, const uint8_t *out) {
    for (uint32_t r = 0; r < f->m; r++) {
        for (uint32_t col = 0; col < f->n; col++) {
            int64_t sum = c[r * 256 + col];
            for (uint32_t k = 0; k < f->k; k++) {
                int64_t x = a[r * 256 + k], y = b[k * 256 + col];
                sum += strncmp(f->more, ".x", 2) == 0 ? x ^ y : x * y;
            }
            int64_t got =
                decode(f->d, get_bits(out, wmma_bit(f, 'd', padded, r, col),
                                      kinds[f->d].bits));
            if (got != sum) {
                fail_msg("m%un%uk%u %s %s: [%u, %u] is %lld, not %lld", f->m,
                         f->n, f->k, kinds[f->t].name, f->layouts, r, col,
                         (long long)got, (long long)sum);
            }
        }
    }
}

static void products(void **state) {
    (void)state;
    for (size_t i = 0; i < WMMA_FORMS; i++) {
        for (int where = 0; where < 3; where++) {
            const wmma_form *f = &wmma_forms[i];
            bool padded = (i + (size_t)where) % 2 == 0 && kinds[f->t].bits > 4;
            char *text = wmma_text(f, where, padded);
            assert_true(ptxas_takes(f->target, text));
            for (int how = 0; how < 3; how++) {
                sim_file s = {.entry = "k",
                              .block = 32,
                              .hazards = how == 1,
                              .timing = how == 2};
                deal(f, 'a', padded, a, s.a);
                deal(f, 'b', padded, b, s.a + FROM_B);
                deal(f, 'c', padded, c, s.b + FROM_C);
                launch_text(&s, text);
                assert_int_equal(s.r.status, TC_RUN_OK);
                compare(f, padded, s.b);
                end_file(&s);
            }
            free(text);
        }
    }
}

/* A matrix is read as any load reads: another warp's bytes want a barrier. */
static void loads_are_seen(void **state) {
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        tc_buf t = TC_BUF_INIT;
        tc_buf_printf(&t,
                      "st.shared.v4.u32 [%%r4], {%%r1, %%r1, %%r1, %%r1};\n%s"
                      "wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {"
                      "%%r20, %%r21, %%r22, %%r23}, [sm], 16;\n",
                      barrier ? "bar.sync 0;\n" : "");
        char *text = program("sm_80", "", t.data);
        sim_case s = {.block = 64, .hazards = true};
        run_text(&s, text);
        assert_int_equal(s.r.status, barrier ? TC_RUN_OK : TC_RUN_FINDINGS);
        if (!barrier) {
            assert_int_equal(s.r.findings[0].kind, TC_FINDING_DATA_RACE);
        }
        end_case(&s);
        tc_buf_free(&t);
        free(text);
    }
}

static void faults(void **state) {
    (void)state;
    static const struct {
        const char *op;
        int kind;
    } bad[] = {
        {"wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%r20, %r21, "
         "%r22, %r23}, [sm+2], 16;\n",
         TC_FINDING_MISALIGNED},
        {"wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%r20, %r21, "
         "%r22, %r23}, [sm+8000], 16;\n",
         TC_FINDING_OUT_OF_BOUNDS},
        {"wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd2], {%r20, "
         "%r21, %r22, %r23}, 160;\n",
         TC_FINDING_OUT_OF_BOUNDS},
        {"wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd5], {%r20, "
         "%r21, %r22, %r23}, 16;\n",
         TC_FINDING_TRAP},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *text = program("sm_80", "", bad[i].op);
        assert_true(ptxas_takes("sm_80", text));
        sim_case s = {.block = 32, .hazards = true};
        run_text(&s, text);
        assert_int_equal(s.r.status, TC_RUN_FAULT);
        assert_int_equal(s.r.findings[0].kind, bad[i].kind);
        end_case(&s);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(loads_are_seen),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
