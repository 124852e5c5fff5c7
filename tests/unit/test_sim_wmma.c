/* test_sim_wmma.c - wmma.load, .mma and .store, against a product of matrices
 * on the host. All values are small integers, so that every sum is exact. */
#include "mma_values.h"
#include "sim_program.h"

typedef struct form {
    const char *target;
    uint32_t m, n, k;
    kind t, d, c;
    const char *layouts; /* of A, B, C and D: r or c */
    const char *more;
} form;

static const form forms[] = {
    {"sm_80", 16, 16, 16, F16, F32, F32, "rcrr", ""},
    {"sm_80", 16, 16, 16, F16, F32, F16, "crcr", ""},
    {"sm_80", 16, 16, 16, F16, F16, F32, "rrrc", ""},
    {"sm_80", 32, 8, 16, F16, F16, F16, "ccrr", ""},
    {"sm_80", 32, 8, 16, F16, F32, F32, "rccc", ""},
    {"sm_80", 8, 32, 16, F16, F32, F32, "rrrr", ""},
    {"sm_80", 8, 32, 16, F16, F16, F16, "crcc", ""},
    {"sm_80", 16, 16, 16, BF16, F32, F32, "rcrr", ""},
    {"sm_80", 32, 8, 16, BF16, F32, F32, "crrr", ""},
    {"sm_80", 8, 32, 16, BF16, F32, F32, "rrcc", ""},
    {"sm_80", 16, 16, 8, TF32, F32, F32, "rcrr", ""},
    {"sm_80", 16, 16, 8, TF32, F32, F32, "crcr", ""},
    {"sm_80", 16, 16, 16, S8, S32, S32, "rcrr", ""},
    {"sm_80", 32, 8, 16, U8, S32, S32, "crcr", ".satfinite"},
    {"sm_80", 8, 32, 16, S8, S32, S32, "rrrc", ""},
    {"sm_80", 8, 8, 32, S4, S32, S32, "rcrr", ""},
    {"sm_80", 8, 8, 32, U4, S32, S32, "rccr", ".satfinite"},
    {"sm_80", 8, 8, 128, B1, S32, S32, "rcrr", ".xor.popc"},
    {"sm_80", 8, 8, 128, B1, S32, S32, "rcrc", ".and.popc"},
    {"sm_80", 8, 8, 4, F64, F64, F64, "rcrr", ""},
    {"sm_80", 8, 8, 4, F64, F64, F64, "crcr", ".rm"},
};
enum {
    FORMS = sizeof forms / sizeof *forms,
    FROM_B = 1536, /* B in buffer A, behind A */
    FROM_C = 2048  /* C in buffer B, behind D */
};

static const char *const spaces[] = {".global", ".shared", ""};

static bool is_row(const form *f, char which) {
    return f->layouts[which - 'a'] == 'r';
}

static uint32_t rows(const form *f, char which) {
    return which == 'b' ? f->k : f->m;
}
static uint32_t cols(const form *f, char which) {
    return which == 'a' ? f->k : f->n;
}
static kind kind_of(const form *f, char which) {
    return which == 'd' ? f->d : which == 'c' ? f->c : f->t;
}

/* Elements from one row (column) to the next: padded by 16 bytes. */
static uint32_t stride(const form *f, char which, bool padded) {
    uint32_t least = is_row(f, which) ? cols(f, which) : rows(f, which);
    return least + (padded ? 128 / kinds[kind_of(f, which)].bits : 0);
}

static uint32_t bit_of(const form *f, char which, bool padded, uint32_t r,
                       uint32_t c) {
    uint32_t s = stride(f, which, padded);
    uint32_t at = is_row(f, which) ? r * s + c : c * s + r;
    return at * kinds[kind_of(f, which)].bits;
}

static void deal(const form *f, char which, bool padded, int64_t *x,
                 uint8_t *out) {
    kind t = kind_of(f, which);
    for (uint32_t r = 0; r < rows(f, which); r++) {
        for (uint32_t c = 0; c < cols(f, which); c++) {
            int64_t v = draw(t);
            x[r * 256 + c] = v;
            put_bits(out, bit_of(f, which, padded, r, c), kinds[t].bits,
                     encode(t, v));
        }
    }
}

static uint32_t registers(const form *f, char which) {
    uint32_t bits = kinds[kind_of(f, which)].bits;
    if (f->t == F16 && which < 'c') {
        return 8;
    }
    return rows(f, which) * cols(f, which) / 32 * bits / (bits == 64 ? 64 : 32);
}

static void fragment(tc_buf *b, const form *f, char which) {
    kind t = kind_of(f, which);
    const char *reg = t == F64 ? "%d" : t == F32 ? "%f" : "%r";
    uint32_t from = (uint32_t)(which - 'a') * 10 + 10;
    for (uint32_t i = 0; i < registers(f, which); i++) {
        tc_buf_printf(b, "%s%s%u", i == 0 ? "{" : ", ", reg, from + i);
    }
    tc_buf_puts(b, "}");
}

static void layout(tc_buf *b, const form *f, char which) {
    tc_buf_puts(b, is_row(f, which) ? ".row" : ".col");
}

static void load(tc_buf *b, const form *f, char which, const char *space,
                 bool padded) {
    tc_buf_printf(b, "wmma.load.%c.sync.aligned", which);
    layout(b, f, which);
    tc_buf_printf(b, ".m%un%uk%u%s.%s ", f->m, f->n, f->k, space,
                  kinds[kind_of(f, which)].name);
    fragment(b, f, which);
    bool shared = space[0] != 0 && space[1] == 's';
    tc_buf_printf(b, ", [%s%d+%d]", shared ? "%r" : "%rd",
                  (which == 'c' ? 21 : 20) + (shared ? 30 : 0),
                  which == 'b'   ? FROM_B
                  : which == 'c' ? FROM_C
                                 : 0);
    if (padded) { /* else the default, which is the same */
        tc_buf_printf(b, ", %u", stride(f, which, padded));
    }
    tc_buf_puts(b, ";\n");
}

static void store(tc_buf *b, const form *f, const char *space, bool padded) {
    bool shared = space[0] != 0 && space[1] == 's';
    tc_buf_puts(b, "wmma.store.d.sync.aligned");
    layout(b, f, 'd');
    tc_buf_printf(b, ".m%un%uk%u%s.%s [%s], ", f->m, f->n, f->k, space,
                  kinds[f->d].name, shared ? "%r51" : "%rd21");
    fragment(b, f, 'd');
    tc_buf_printf(b, ", %u;\n", stride(f, 'd', padded));
}

static void product(tc_buf *b, const form *f) {
    bool bits = f->t == B1;
    tc_buf_printf(b, "wmma.mma%s.sync.aligned", bits ? f->more : "");
    layout(b, f, 'a');
    layout(b, f, 'b');
    const char *t = kinds[f->t].name, *d = kinds[f->d].name;
    tc_buf_printf(b, ".m%un%uk%u.%s", f->m, f->n, f->k, d);
    if (f->t == F16) {
        tc_buf_printf(b, ".%s ", kinds[f->c].name);
    } else {
        tc_buf_printf(b, ".%s.%s.%s%s ", t, t, d, bits ? "" : f->more);
    }
    for (const char *w = "dabc"; *w != 0; w++) {
        fragment(b, f, *w);
        tc_buf_puts(b, w[1] != 0 ? ", " : ";\n");
    }
}

/* Of 4096 bytes, every lane's 16 in turns. */
static void copy(tc_buf *b, const char *load, const char *store) {
    tc_buf_printf(b,
                  "mov.u32 %%r2, 0;\nL%c:\n"
                  "shl.b32 %%r3, %%r1, 4;\nadd.u32 %%r3, %%r3, %%r2;\n"
                  "cvt.u64.u32 %%rd3, %%r3;\nadd.u64 %%rd6, %%rd1, %%rd3;\n"
                  "add.u64 %%rd7, %%rd2, %%rd3;\nadd.u32 %%r6, %%r50, %%r3;\n"
                  "add.u32 %%r7, %%r51, %%r3;\n%s%s"
                  "add.u32 %%r2, %%r2, 512;\nsetp.lt.u32 %%p1, %%r2, 4096;\n"
                  "@%%p1 bra L%c;\nbar.warp.sync -1;\n",
                  load[3], load, store, load[3]);
}

static char *text_of(const form *f, int where, bool padded) {
    tc_buf b = TC_BUF_INIT;
    const char *space = spaces[where];
    tc_buf_printf(&b,
                  ".version 9.0\n.target %s\n.address_size 64\n"
                  ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
                  ".reg .b64 %%rd<30>;\n.reg .b32 %%r<60>;\n"
                  ".reg .f32 %%f<60>;\n.reg .f64 %%d<60>;\n"
                  ".reg .pred %%p<4>;\n.shared .align 128 .b8 sa[4096];\n"
                  ".shared .align 128 .b8 sb[4096];\n"
                  "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
                  "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r50, sa;\n"
                  "mov.u32 %%r51, sb;\nmov.u64 %%rd20, %%rd1;\n"
                  "mov.u64 %%rd21, %%rd2;\n",
                  f->target);
    if (where > 0) {
        copy(&b,
             "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6];\n"
             "ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%rd7];\n",
             "st.shared.v4.b32 [%r6], {%r10, %r11, %r12, %r13};\n"
             "st.shared.v4.b32 [%r7], {%r14, %r15, %r16, %r17};\n");
    }
    if (where == 2) { /* generic addresses of shared memory */
        tc_buf_puts(&b, "mov.u64 %rd20, sa;\ncvta.shared.u64 %rd20, %rd20;\n"
                        "mov.u64 %rd21, sb;\ncvta.shared.u64 %rd21, %rd21;\n");
    }
    load(&b, f, 'a', space, padded);
    load(&b, f, 'b', space, padded);
    load(&b, f, 'c', space, padded);
    product(&b, f);
    store(&b, f, space, padded);
    if (where > 0) {
        tc_buf_puts(&b, "bar.warp.sync -1;\n");
        copy(&b, "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r7];\n",
             "st.global.v4.b32 [%rd7], {%r10, %r11, %r12, %r13};\n");
    }
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

static int64_t a[32 * 256], b[256 * 256], c[32 * 256];

static void compare(const form *f, bool padded, const uint8_t *out) {
    for (uint32_t r = 0; r < f->m; r++) {
        for (uint32_t col = 0; col < f->n; col++) {
            int64_t sum = c[r * 256 + col];
            for (uint32_t k = 0; k < f->k; k++) {
                int64_t x = a[r * 256 + k], y = b[k * 256 + col];
                sum += f->more[1] == 'x' ? x ^ y : x * y;
            }
            int64_t got =
                decode(f->d, get_bits(out, bit_of(f, 'd', padded, r, col),
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
    for (size_t i = 0; i < FORMS; i++) {
        for (int where = 0; where < 3; where++) {
            const form *f = &forms[i];
            bool padded = (i + (size_t)where) % 2 == 0 && kinds[f->t].bits > 4;
            char *text = text_of(f, where, padded);
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
