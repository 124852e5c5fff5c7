/* test_sim_atomic.c - atom and red: each operation on a cell of each thread's
 * own, in every space, then many threads on one cell. Expected values follow
 * from PTX ISA 9.7.13.5 by hand. */
#include "sim_program.h"

typedef struct atom_case {
    const char *op;   /* "add.u32" */
    const char *file; /* of the registers: r, rd, h, f, d */
    const char *mov;  /* how an operand gets its bits: mov's type */
    uint64_t old, b, c, want;
    uint32_t bytes;
    bool cas, red; /* red has it too */
} atom_case;

#define U32(op, old, b, want)                                                  \
    { op ".u32", "r", "b32", old, b, 0, want, 4, false, true }
#define S32(op, old, b, want)                                                  \
    { op ".s32", "r", "b32", old, b, 0, want, 4, false, true }
#define B32(op, old, b, want)                                                  \
    { op ".b32", "r", "b32", old, b, 0, want, 4, false, true }
#define L64(op, old, b, want)                                                  \
    { op, "rd", "b64", old, b, 0, want, 8, false, true }
#define F32(old, b, want)                                                      \
    { "add.f32", "f", "b32", old, b, 0, want, 4, false, true }
#define H2(op, old, b, want)                                                   \
    { op, "r", "b32", old, b, 0, want, 4, false, true }

static const atom_case cases[] = {
    B32("and", 0xff00ff00, 0x0ff00ff0, 0x0f000f00),
    B32("or", 0xff00ff00, 0x0ff00ff0, 0xfff0fff0),
    B32("xor", 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0),
    L64("and.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00),
    L64("or.b64", 0xff00ff0000000000, 0x0ff00ff000000001, 0xfff0fff000000001),
    L64("xor.b64", 0xff00ff0000000000, 0x0ff00ff000000001, 0xf0f0f0f000000001),
    U32("add", 0xffffffff, 2, 1),
    S32("add", 0x7fffffff, 1, 0x80000000),
    L64("add.u64", 0xffffffffffffffff, 3, 2),
    /* inc: old >= b ? 0 : old + 1; dec: old == 0 || old > b ? b : old - 1 */
    U32("inc", 5, 5, 0),
    U32("inc", 4, 5, 5),
    U32("inc", 9, 5, 0),
    U32("dec", 0, 7, 7),
    U32("dec", 7, 7, 6),
    U32("dec", 8, 7, 7),
    U32("min", 0xffffffff, 1, 1),
    S32("min", 0xffffffff, 1, 0xffffffff),
    U32("max", 0xffffffff, 1, 0xffffffff),
    S32("max", 0xffffffff, 1, 1),
    L64("min.s64", 0x8000000000000000, 0, 0x8000000000000000),
    L64("min.u64", 0x8000000000000000, 0, 0),
    L64("max.s64", 0x8000000000000000, 0, 0),
    L64("max.u64", 0x8000000000000000, 0, 0x8000000000000000),
    F32(0x3f800000, 0x40000000, 0x40400000), /* 1 + 2 */
    F32(0x4b800000, 0x3f800000, 0x4b800000), /* 2^24 + 1: to even */
    {"add.f64", "d", "b64", 0x3ff0000000000000, 0x3ca0000000000000, 0,
     0x3ff0000000000000, 8, false, true}, /* 1 + 2^-53: to even */
    {"add.f64", "d", "b64", 0x3ff0000000000001, 0x3ca0000000000000, 0,
     0x3ff0000000000002, 8, false, true},
    {"add.noftz.f16", "h", "b16", 0x3c00, 0x0001, 0, 0x3c00, 2, false, true},
    {"add.noftz.f16", "h", "b16", 0x0001, 0x0001, 0, 0x0002, 2, false, true},
    {"add.noftz.bf16", "h", "b16", 0x3f80, 0x3f80, 0, 0x4000, 2, false, true},
    H2("add.noftz.f16x2", 0x3c004000, 0x3c003c00, 0x40004200),
    H2("add.noftz.bf16x2", 0x3f804000, 0x3f803f80, 0x40004040),
    {"exch.b32", "r", "b32", 1, 0xdeadbeef, 0, 0xdeadbeef, 4, false, false},
    {"exch.b64", "rd", "b64", 1, 0xdeadbeef00000001, 0, 0xdeadbeef00000001, 8,
     false, false},
    {"cas.b32", "r", "b32", 1, 1, 9, 9, 4, true, false},
    {"cas.b32", "r", "b32", 2, 1, 9, 2, 4, true, false},
    {"cas.b64", "rd", "b64", 0x100000001, 1, 9, 0x100000001, 8, true, false},
    {"cas.b64", "rd", "b64", 0x100000001, 0x100000001, 9, 9, 8, true, false},
    {"cas.b16", "h", "b16", 0x8001, 0x8001, 9, 9, 2, true, false},
    {"cas.b16", "h", "b16", 0x8001, 0x8000, 9, 0x8001, 2, true, false},
};

/* Bits into a register, by way of %rd20. */
static void load_bits(tc_buf *b, const atom_case *a, int reg, uint64_t bits) {
    tc_buf_printf(b, "mov.b64 %%rd20, %lld;\n", (long long)bits);
    if (a->bytes == 8) {
        tc_buf_printf(b, "mov.b64 %%%s%d, %%rd20;\n", a->file, reg);
    } else if (a->bytes == 4) {
        tc_buf_printf(b, "cvt.u32.u64 %%r30, %%rd20;\nmov.b32 %%%s%d, %%r30;\n",
                      a->file, reg);
    } else {
        tc_buf_printf(b, "cvt.u16.u64 %%%s%d, %%rd20;\n", a->file, reg);
    }
}

typedef enum where { GLOBAL, SHARED, GENERIC, GENERIC_SHARED, WHERES } where;

/* Old value to the cell, the atomic, then what it gave and the cell to B. */
static char *atom_text(const atom_case *a, where at, bool red) {
    static const char *const names[] = {".global", ".shared", "", ""};
    static const char *const cells[] = {"%rd4", "%r4", "%rd4", "%rd9"};
    const char *bits = a->bytes == 8 ? "b64" : a->bytes == 4 ? "b32" : "b16";
    tc_buf b = TC_BUF_INIT;
    int d = a->file[0] == 'r' ? 10 : 1;
    tc_buf_puts(&b, "cvt.u64.u32 %rd8, %r4;\ncvta.shared.u64 %rd9, %rd8;\n");
    load_bits(&b, a, d + 1, a->old);
    load_bits(&b, a, d + 2, a->b);
    load_bits(&b, a, d + 3, a->c);
    tc_buf_printf(&b, "st%s.%s [%s], %%%s%d;\n", names[at], bits, cells[at],
                  a->file, d + 1);
    if (red) {
        tc_buf_printf(&b, "red%s.%s [%s], %%%s%d;\n", names[at], a->op,
                      cells[at], a->file, d + 2);
    } else {
        tc_buf_printf(&b, "atom%s.%s %%%s%d, [%s], %%%s%d", names[at], a->op,
                      a->file, d, cells[at], a->file, d + 2);
        if (a->cas) {
            tc_buf_printf(&b, ", %%%s%d", a->file, d + 3);
        }
        tc_buf_printf(&b, ";\nst.global.%s [%%rd5], %%%s%d;\n", bits, a->file,
                      d);
    }
    tc_buf_printf(
        &b, "ld%s.%s %%%s%d, [%s];\nst.global.%s [%%rd5+8], %%%s%d;\n",
        names[at], bits, a->file, d + 1, cells[at], bits, a->file, d + 1);
    char *text = program("sm_90a", "", b.data);
    tc_buf_free(&b);
    return text;
}

static void one_atom(const atom_case *a, where at, bool red) {
    char *text = atom_text(a, at, red);
    if (at == GENERIC || red) {
        assert_true(ptxas_takes("sm_90a", text));
    }
    sim_case c = {.block = 64, .hazards = true};
    run_text(&c, text);
    if (c.r.status != TC_RUN_OK) {
        fail_msg("%s in %d: status %d", a->op, (int)at, (int)c.r.status);
    }
    for (uint32_t t = 0; t < 64; t++) {
        uint64_t got[2] = {0};
        memcpy(&got[0], c.b + t * 32, a->bytes);
        memcpy(&got[1], c.b + t * 32 + 8, a->bytes);
        if ((!red && got[0] != a->old) || got[1] != a->want) {
            fail_msg("%s in %d, thread %u: gave %llx, left %llx, not %llx",
                     a->op, (int)at, t, (unsigned long long)got[0],
                     (unsigned long long)got[1], (unsigned long long)a->want);
        }
    }
    end_case(&c);
    free(text);
}

static void each_operation_in_each_space(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (where at = GLOBAL; at < WHERES; at++) {
            one_atom(&cases[i], at, false);
        }
        if (cases[i].red) {
            one_atom(&cases[i], GLOBAL, true);
        }
    }
}

/* 9.7.13.5: atom.add.f32 flushes subnormals in global memory, not in shared. */
static void subnormals_by_space(void **state) {
    (void)state;
    static const atom_case kept = F32(0x00000001, 0x00000002, 0x00000003);
    static const atom_case lost = F32(0x00000001, 0x00000002, 0);
    one_atom(&kept, SHARED, false);
    one_atom(&kept, GENERIC_SHARED, false);
    one_atom(&lost, GLOBAL, false);
    one_atom(&lost, GENERIC, false);
}

/* ---- whole bodies: what each thread leaves in its 32 bytes of B ---- */

typedef struct body_case {
    const char *name, *body;
    uint32_t want[4];
} body_case;

#define CELL                                                                   \
    "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u64 [%rd1], %rd10;\n"            \
    "bar.sync 0;\n"

static const body_case bodies[] = {
    {"64 threads add 1 to a cell",
     "mov.b64 %rd10, 100;\n" CELL "red.global.add.u32 [%rd1], 1;\nbar.sync 0;\n"
     "ld.global.u32 %r10, [%rd1];\nst.global.u32 [%rd5], %r10;\n",
     {164}},
    {"64 threads wrap at 9: 100 stays out of range once, then 0 to 9",
     "mov.b64 %rd10, 100;\n" CELL "red.global.inc.u32 [%rd1], 9;\nbar.sync 0;\n"
     "ld.global.u32 %r10, [%rd1];\nst.global.u32 [%rd5], %r10;\n",
     {3}}, /* 1 step to 0, then 63 more: 63 mod 10 */
    {"the greatest thread",
     "mov.b64 %rd10, 0;\n" CELL "red.global.max.u32 [%rd1], %r1;\nbar.sync 0;\n"
     "ld.global.u32 %r10, [%rd1];\nst.global.u32 [%rd5], %r10;\n",
     {63}},
    {"a lock by cas that lanes of one warp hand on",
     "mov.b64 %rd10, 0;\n" CELL
     "L:\natom.global.cas.b32 %r10, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r10, 0;\n"
     "@%p2 bra L;\nld.global.u32 %r11, [%rd1+4];\nadd.u32 %r11, %r11, 1;\n"
     "st.global.u32 [%rd1+4], %r11;\nmembar.gl;\n"
     "atom.global.exch.b32 %r10, [%rd1], 0;\nbar.sync 0;\n"
     "ld.global.u32 %r10, [%rd1+4];\nst.global.u32 [%rd5], %r10;\n",
     {64}},
    {"a vector of two floats",
     "mov.b64 %rd10, 0x4000000040400000;\nst.global.u64 [%rd4], %rd10;\n"
     "mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40800000;\n"
     "atom.global.v2.f32.add {%f3, _}, [%rd4], {%f1, %f2};\n"
     "ld.global.v2.f32 {%f4, %f5}, [%rd4];\n"
     "st.global.v4.f32 [%rd5], {%f3, %f4, %f5, %f1};\n",
     {0x40400000, 0x40800000, 0x40c00000, 0x3f800000}}, /* 3; 3 + 1, 2 + 4, 1 */
    {"a vector of eight halves, the greater ones",
     "mov.b64 %rd10, 0x3c003c003c003c00;\nst.global.v2.u64 [%rd4], {%rd10, "
     "%rd10};\n"
     "mov.b16 %h1, 0x4000;\nmov.b16 %h2, 0x7e00;\nmov.b16 %h3, 0xbc00;\n"
     "red.relaxed.gpu.global.max.noftz.v8.f16 [%rd4], {%h1, %h2, %h3, %h1, "
     "%h1, %h1, %h3, %h3};\n"
     "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd4];\n"
     "st.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\n",
     /* a NaN loses against 1 */
     {0x3c004000, 0x40003c00, 0x40004000, 0x3c003c00}},
    {"16 bytes at once",
     "mov.b64 %rd10, 5;\nmov.b64 %rd11, 6;\nmov.b128 %q1, {%rd10, %rd11};\n"
     "st.global.b128 [%rd4], %q1;\nmov.b64 %rd12, 7;\n"
     "mov.b128 %q2, {%rd12, %rd10};\natom.global.cas.b128 %q3, [%rd4], %q1, "
     "%q2;\nld.global.b128 %q4, [%rd4];\nmov.b128 {%rd13, %rd14}, %q3;\n"
     "mov.b128 {%rd15, %rd16}, %q4;\ncvt.u32.u64 %r10, %rd13;\n"
     "cvt.u32.u64 %r11, %rd14;\ncvt.u32.u64 %r12, %rd15;\n"
     "cvt.u32.u64 %r13, %rd16;\n"
     "st.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\n",
     {5, 6, 7, 5}},
    {"16 bytes that differ in the upper half stay",
     "mov.b64 %rd10, 5;\nmov.b64 %rd11, 6;\nmov.b128 %q1, {%rd10, %rd11};\n"
     "st.shared.b128 [%r4], %q1;\nmov.b128 %q2, {%rd10, %rd10};\n"
     "atom.shared.cas.b128 %q3, [%r4], %q2, %q2;\n"
     "atom.shared.exch.b128 %q4, [%r4], %q2;\nld.shared.v4.u32 {%r10, %r11, "
     "%r12, %r13}, [%r4];\nmov.b128 {%rd13, %rd14}, %q4;\n"
     "cvt.u32.u64 %r11, %rd14;\n"
     "st.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\n",
     {5, 6, 5, 0}},
};

static void many_threads_and_vectors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char *text = program("sm_90a", "", bodies[i].body);
        assert_true(ptxas_takes("sm_90a", text));
        for (int timing = 0; timing < 2; timing++) {
            sim_case c = {.block = 64, .timing = timing != 0};
            run_text(&c, text);
            assert_int_equal(c.r.status, TC_RUN_OK);
            for (uint32_t t = 0; t < 64; t++) {
                for (uint32_t k = 0; k < 4 && bodies[i].want[k]; k++) {
                    if (word(c.b, t * 8 + k) != bodies[i].want[k]) {
                        fail_msg("%s: thread %u, word %u: 0x%x, not 0x%x",
                                 bodies[i].name, t, k, word(c.b, t * 8 + k),
                                 bodies[i].want[k]);
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
        const char *body;
        int kind;
    } rows[] = {
        {"atom.global.add.u32 %r10, [%rd1+2], 1;\n", TC_FINDING_MISALIGNED},
        {"atom.global.add.u32 %r10, [%rd1+4096], 1;\n",
         TC_FINDING_OUT_OF_BOUNDS},
        {"red.shared.add.u32 [%r3+8192], 1;\n", TC_FINDING_OUT_OF_BOUNDS},
        {"atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+8], {%f1, "
         "%f2, %f3, %f4};\n",
         TC_FINDING_MISALIGNED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = program("sm_90a", "", rows[i].body);
        assert_true(ptxas_takes("sm_90a", text));
        sim_case c = {.block = 32};
        run_text(&c, text);
        assert_int_equal(c.r.status, TC_RUN_FAULT);
        assert_int_equal(c.r.findings[0].kind, rows[i].kind);
        end_case(&c);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_in_each_space),
        cmocka_unit_test(subnormals_by_space),
        cmocka_unit_test(many_threads_and_vectors),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
