/* test_sim_matrix.c - ldmatrix, stmatrix, movmatrix. Row t of shared memory is
 * the first 16 bytes of thread t's 32 in A, its registers the other 16; lane t
 * gives the address of row t ^ 3. What is where follows from the fragment
 * layouts of PTX ISA 9.7.14.5.15 to .17. */
#include "sim_program.h"

static uint8_t a[BYTES]; /* set once, as sim_harness fills A */

static uint8_t in_row(uint32_t matrix, uint32_t per, uint32_t row,
                      uint32_t col) {
    return a[32 * ((matrix * per + row) ^ 3) + col];
}

static uint32_t own_register(uint32_t t, uint32_t k) {
    return word(a, 8 * t + 4 + k);
}

typedef uint32_t fragment_fn(uint32_t t, uint32_t k);

static uint32_t halves(uint32_t m, uint32_t r0, uint32_t c0, uint32_t r1,
                       uint32_t c1) {
    return in_row(m, 8, r0, 2 * c0) |
           (uint32_t)in_row(m, 8, r0, 2 * c0 + 1) << 8 |
           (uint32_t)in_row(m, 8, r1, 2 * c1) << 16 |
           (uint32_t)in_row(m, 8, r1, 2 * c1 + 1) << 24;
}
/* m8n8: row T / 4, columns 2 (T % 4) and the next */
static uint32_t plain(uint32_t t, uint32_t k) {
    return halves(k, t / 4, 2 * (t % 4), t / 4, 2 * (t % 4) + 1);
}
static uint32_t transposed(uint32_t t, uint32_t k) {
    return halves(k, 2 * (t % 4), t / 4, 2 * (t % 4) + 1, t / 4);
}
/* m16n16: column T / 4 (registers 0, 2) or T / 4 + 8, rows 4 (T % 4) on */
static uint32_t bytes16(uint32_t t, uint32_t k) {
    uint32_t v = 0;
    for (uint32_t b = 0; b < 4; b++) {
        v |= (uint32_t)in_row(k / 2, 16, 4 * (t % 4) + b, t / 4 + 8 * (k % 2))
             << 8 * b;
    }
    return v;
}
/* Element e of 16 of n bits each, in a row. */
static uint32_t small(uint32_t m, uint32_t per, uint32_t row, uint32_t e,
                      uint32_t n) {
    uint32_t v = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = e * n + i;
        v |= (uint32_t)(in_row(m, per, row, bit / 8) >> bit % 8 & 1) << i;
    }
    return v;
}
static uint32_t sixes(uint32_t t, uint32_t k) {
    uint32_t v = 0;
    for (uint32_t b = 0; b < 4; b++) {
        v |= small(k, 8, t / 4, 4 * (t % 4) + b, 6) << 8 * b;
    }
    return v;
}
static uint32_t fours(uint32_t t, uint32_t k) {
    uint32_t v = 0;
    for (uint32_t b = 0; b < 4; b++) {
        v |= small(k, 8, t / 4, 4 * (t % 4) + b, 4) << 8 * b;
    }
    return v;
}
static uint32_t fours16(uint32_t t, uint32_t k) {
    uint32_t v = 0;
    for (uint32_t b = 0; b < 4; b++) {
        v |= small(k / 2, 16, 4 * (t % 4) + b, t / 4 + 8 * (k % 2), 4) << 8 * b;
    }
    return v;
}
/* movmatrix: row i of the source is in lanes 4 i to 4 i + 3 */
static uint32_t moved(uint32_t t, uint32_t k) {
    uint32_t v = 0;
    for (uint32_t h = 0; h < 2; h++) {
        uint32_t row = 2 * (t % 4) + h, col = t / 4;
        uint32_t pair = own_register(row * 4 + col / 2, k);
        v |= (pair >> 16 * (col % 2) & 0xffff) << 16 * h;
    }
    return v;
}
/* After stmatrix, row t of shared memory: word k. */
static uint32_t stored(uint32_t t, uint32_t k) {
    uint32_t m = (t ^ 3) / 8, row = (t ^ 3) % 8;
    return own_register(row * 4 + k, m);
}
static uint32_t stored_transposed(uint32_t t, uint32_t k) {
    uint32_t m = (t ^ 3) / 8, row = (t ^ 3) % 8, v = 0;
    for (uint32_t h = 0; h < 2; h++) { /* column 2 k + h of that row */
        uint32_t pair = own_register((2 * k + h) * 4 + row / 2, m);
        v |= (pair >> 16 * (row % 2) & 0xffff) << 16 * h;
    }
    return v;
}
/* m16n8: byte b of lane T: row 2 (T % 4) + b % 2, column T / 4 + 8 (b / 2) */
static uint32_t stored_bytes(uint32_t t, uint32_t k) {
    uint32_t m = (t ^ 3) / 8, row = (t ^ 3) % 8, v = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t col = 4 * k + i, lane = col % 8 * 4 + row / 2;
        uint32_t b = row % 2 + 2 * (col / 8);
        v |= (own_register(lane, m) >> 8 * b & 0xff) << 8 * i;
    }
    return v;
}

#define FOUR "{%r20, %r21, %r22, %r23}"
#define OUT  "st.global.v4.u32 [%rd5], " FOUR ";\n"
#define BACK "bar.warp.sync -1;\nld.shared.v4.u32 " FOUR ", [%r4];\n" OUT

static const struct {
    const char *target, *op;
    uint32_t n; /* registers that count; or rows, of a store */
    bool store;
    fragment_fn *want;
} rows[] = {
    {"sm_90a", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r9];\n" OUT,
     1, false, plain},
    {"sm_90a",
     "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r9];\n" OUT, 2,
     false, plain},
    {"sm_90a",
     "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " FOUR ", [%r9];\n" OUT, 4,
     false, plain},
    {"sm_90a", "ldmatrix.sync.aligned.m8n8.x4.b16 " FOUR ", [%rd12];\n" OUT, 4,
     false, plain},
    {"sm_90a",
     "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " FOUR ", [%r9];\n" OUT, 4,
     false, transposed},
    {"sm_90a",
     "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, "
     "[%r9];\n" OUT,
     2, false, transposed},
    {"sm_100a",
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r20, %r21}, "
     "[%r9];\n" OUT,
     2, false, bytes16},
    {"sm_100a",
     "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 " FOUR ", [%r9];\n" OUT,
     4, false, bytes16},
    {"sm_100a",
     "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64 " FOUR
     ", [%r9];\n" OUT,
     4, false, fours16},
    {"sm_100a",
     "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 " FOUR
     ", [%r9];\n" OUT,
     4, false, sixes},
    {"sm_100a",
     "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64 {%r20, %r21}, "
     "[%r9];\n" OUT,
     2, false, fours},
    {"sm_90a", "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r30;\n" OUT, 1,
     false, moved},
    {"sm_90a", "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r9], {%r30};\n" BACK,
     8, true, stored},
    {"sm_90a",
     "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r9], {%r30, %r31, %r32, "
     "%r33};\n" BACK,
     32, true, stored},
    {"sm_90a",
     "stmatrix.sync.aligned.m8n8.x4.trans.b16 [%rd12], {%r30, %r31, %r32, "
     "%r33};\n" BACK,
     32, true, stored_transposed},
    {"sm_100a",
     "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r9], {%r30, %r31, "
     "%r32, %r33};\n" BACK,
     32, true, stored_bytes},
    {"sm_100a",
     "stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r9], {%r30, "
     "%r31};\n" BACK,
     16, true, stored_bytes},
};

static const char setup[] =
    "ld.global.v4.u32 {%r20, %r21, %r22, %r23}, [%rd4];\n"
    "ld.global.v4.u32 {%r30, %r31, %r32, %r33}, [%rd4+16];\n"
    "st.shared.v4.u32 [%r4], {%r20, %r21, %r22, %r23};\nbar.warp.sync -1;\n"
    "xor.b32 %r9, %r7, 3;\nshl.b32 %r9, %r9, 4;\nadd.u32 %r9, %r9, %r3;\n"
    "cvt.u64.u32 %rd11, %r9;\ncvta.shared.u64 %rd12, %rd11;\n";

static void fragments(void **state) {
    (void)state;
    fill(a, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[2048];
        snprintf(body, sizeof body, "%s%s", setup, rows[i].op);
        char *text = program(rows[i].target, "", body);
        assert_true(ptxas_takes(rows[i].target, text));
        for (int how = 0; how < 3; how++) {
            sim_case c = {.block = 32, .hazards = how == 1, .timing = how == 2};
            run_text(&c, text);
            assert_int_equal(c.r.status, TC_RUN_OK);
            for (uint32_t t = 0; t < 32; t++) {
                for (uint32_t k = 0; k < 4; k++) {
                    bool counts =
                        rows[i].store ? (t ^ 3) < rows[i].n : k < rows[i].n;
                    uint32_t got = word(c.b, t * 8 + k);
                    if (counts && got != rows[i].want(t, k)) {
                        fail_msg("%s: thread %u, word %u: %08x, not %08x",
                                 rows[i].op, t, k, got, rows[i].want(t, k));
                    }
                }
            }
            end_case(&c);
        }
        free(text);
    }
}

static void faults(void **state) {
    (void)state;
    static const struct {
        const char *op;
        int kind;
    } bad[] = {
        {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r9+8];\n",
         TC_FINDING_MISALIGNED},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 " FOUR ", [%r9+8192];\n",
         TC_FINDING_OUT_OF_BOUNDS},
        {"stmatrix.sync.aligned.m8n8.x1.b16 [%rd4], {%r30};\n",
         TC_FINDING_OUT_OF_BOUNDS},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[2048];
        snprintf(body, sizeof body, "%s%s", setup, bad[i].op);
        char *text = program("sm_90a", "", body);
        assert_true(ptxas_takes("sm_90a", text));
        sim_case c = {.block = 32, .hazards = true};
        run_text(&c, text);
        assert_int_equal(c.r.status, TC_RUN_FAULT);
        assert_int_equal(c.r.findings[0].kind, bad[i].kind);
        end_case(&c);
        free(text);
    }
}

/* Rows written by another warp without a barrier are read too early. */
static void rows_are_seen(void **state) {
    (void)state;
    for (int barrier = 0; barrier < 2; barrier++) {
        tc_buf b = TC_BUF_INIT;
        tc_buf_puts(&b, "st.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1};\n");
        tc_buf_puts(&b, barrier ? "bar.sync 0;\n" : "");
        tc_buf_puts(&b, "xor.b32 %r9, %r1, 32;\nshl.b32 %r9, %r9, 4;\n"
                        "add.u32 %r9, %r9, %r3;\nldmatrix.sync.aligned.m8n8."
                        "x4.shared.b16 " FOUR ", [%r9];\n" OUT);
        char *text = program("sm_90a", "", b.data);
        tc_buf_free(&b);
        sim_case c = {.block = 64, .hazards = true};
        run_text(&c, text);
        assert_int_equal(c.r.status, barrier ? TC_RUN_OK : TC_RUN_FINDINGS);
        if (!barrier) {
            assert_int_equal(c.r.findings[0].kind, TC_FINDING_DATA_RACE);
        }
        end_case(&c);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments),
        cmocka_unit_test(faults),
        cmocka_unit_test(rows_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
