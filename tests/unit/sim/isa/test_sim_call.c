/* test_sim_call.c - calls of functions, direct and by address, recursion,
 * divergent returns, tables of branches, the stack, printf, malloc, assert.
 * tests/ptx/calls.ptx is nvcc's; its kernels are computed here in C. */
#include "detail_text.h"
#include "sim_program.h"

/* calls.cu:
 *   struct pair { int q, r; };
 *   __noinline__ pair divmod(int a, int b);    a / b, a % b
 *   __noinline__ int fib(int n);               recursive
 *   __noinline__ float total(big b, int n);    sum of b.v[i % 12], i < n
 *   __device__ fn table[3] = {twice, square, minus};
 *   __noinline__ double mix(char c, short s, long long l, float f, double d);
 *   __noinline__ int uneven(int x);  x & 1 ? 1000 + x : x & 2 ? fib(x & 7) : x
 *   calls(in, out): thread i fills out[8 i .. 8 i + 7] with divmod(in[i], 7)
 *   as 1000 q + r, fib(i % 11), total of 12 words from in[i] on, table[i % 3]
 *   (in[i]), mix(i, 3 i, 1 << i % 20, i / 2, i / 4), uneven(i), a switch over
 *   in[i] & 7, and a sum over an array of (i & 7) + 8 bytes of its own. */
static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int switched(const int32_t *in, int i) {
    const int32_t v = in[(i + 1 + (in[i] & 7)) & 31];
    switch (in[i] & 7) {
    case 0:
        return v + 5;
    case 1:
        return v * 3;
    case 2:
        return v ^ 0x55;
    case 3:
        return v / 3;
    case 4:
        return v % 5;
    case 5:
        return v << 2;
    case 6:
        return -v;
    default:
        return ~v;
    }
}

static int wanted(const int32_t *in, int i, int what) {
    float sum = 0;
    int n = (i & 7) + 8, t = 0;
    switch (what) {
    case 0:
        return in[i] / 7 * 1000 + in[i] % 7;
    case 1:
        return fib(i % 11);
    case 2:
        for (int k = 0; k < i; k++) {
            sum += (float)in[(i + k % 12) & 31];
        }
        return (int)sum;
    case 3:
        return i % 3 == 0 ? 2 * in[i] : i % 3 == 1 ? in[i] * in[i] : -in[i];
    case 4:
        return (int)(i + 3 * i + (double)(1ll << (i % 20)) + 0.5 * i +
                     0.25 * i);
    case 5:
        return i & 1 ? 1000 + i : i & 2 ? fib(i & 7) : i;
    case 6:
        return switched(in, i);
    default:
        for (int k = n - 1; k >= 0; k--) {
            t = t * 3 + (k * 5) % n + i;
        }
        return t;
    }
}

static void nvcc_calls(void **state) {
    (void)state;
    char *text = ptx_file("calls");
    for (int how = 0; how < 3; how++) {
        sim_file c = {.entry = "calls",
                      .block = 32,
                      .hazards = how == 1,
                      .timing = how == 2};
        int32_t in[32];
        for (int i = 0; i < 32; i++) {
            in[i] = i * 37 % 101;
        }
        memcpy(c.a, in, sizeof in);
        launch_text(&c, text);
        assert_int_equal(c.r.status, TC_RUN_OK);
        for (int i = 0; i < 32; i++) {
            for (int k = 0; k < 8; k++) {
                int got = (int)word(c.b, (uint32_t)(i * 8 + k));
                if (got != wanted(in, i, k)) {
                    fail_msg("thread %d, value %d: %d, not %d", i, k, got,
                             wanted(in, i, k));
                }
            }
        }
        end_file(&c);
    }
    free(text);
}

/* say(n): threads 0 and 1 print a line of all conversions; thread n a line of
 * text; thread 3 sums 64 words that it took with malloc. */
static void nvcc_printf_and_malloc(void **state) {
    (void)state;
    char *text = ptx_file("calls"), want[600];
    int at = 0;
    for (int i = 0; i < 2; i++) {
        at += snprintf(want + at, sizeof want - (size_t)at,
                       "thread %d of %u: %5.2f|%-6x|%c|%s|%lld|%s|%%|%e|%08.3f"
                       "\n",
                       i, 32u, i * 1.5, 255 + i, 'a' + i, i ? "one" : "zero",
                       -5000000000ll - i, "(nil)", 12345.678, 3.14159);
    }
    snprintf(want + at, sizeof want - (size_t)at, "just text\nsum 2016\n");
    sim_file c = {.entry = "say", .block = 32, .nparams = 4, .hazards = true};
    launch_text(&c, text); /* n: the low word of A's address, no thread's */
    assert_int_equal(c.r.status, TC_RUN_OK);
    assert_null(strstr(tc_buf_text(&c.printed), "just"));
    assert_non_null(strstr(tc_buf_text(&c.printed), "sum 2016\n"));
    want[at] = 0;
    assert_memory_equal(tc_buf_text(&c.printed), want, (size_t)at);
    end_file(&c);
    free(text);
}

static void nvcc_assert(void **state) {
    (void)state;
    char *text = ptx_file("calls");
    sim_file c = {.entry = "asserts", .block = 32, .nparams = 8};
    launch_text(&c, text);
    assert_int_equal(c.r.status, TC_RUN_OK);
    end_file(&c);
    sim_file f = {.entry = "asserts", .block = 32, .nparams = 8};
    f.a[20] = 18; /* thread 5's word */
    launch_text(&f, text);
    assert_int_equal(f.r.status, TC_RUN_FAULT);
    assert_int_equal(f.r.findings[0].kind, TC_FINDING_TRAP);
    assert_int_equal(f.r.findings[0].at.lane, 5);
    assert_non_null(strstr(detail_text(&f.r.findings[0]), "calls.cu:"));
    assert_non_null(strstr(detail_text(&f.r.findings[0]),
                           "assertion `in[threadIdx.x] != 18 && \"no 18\"' "
                           "failed"));
    end_file(&f);
    free(text);
}

/* ---- forms that nvcc does not make ---- */

typedef uint32_t expected_fn(uint32_t thread);

static uint32_t ten_times(uint32_t t) {
    return 10 * t;
}
static uint32_t odd_or_double(uint32_t t) {
    return t % 2 ? t + 100 : 2 * t;
}
static uint32_t of_tables(uint32_t t) {
    return t % 3 == 0 ? 7 : t % 3 == 1 ? 70 + t : 700;
}
static uint32_t gauss(uint32_t t) {
    return t * (t + 1) / 2;
}
static uint32_t count_of_evens(uint32_t t) {
    (void)t;
    return 16;
}
static uint32_t sum_of_alloca(uint32_t t) {
    return 3 * t + 1;
}
static uint32_t one_to_four(uint32_t t) {
    return 1 + t % 4;
}
static uint32_t bytes_of_address(uint32_t t) {
    (void)t;
    return 1;
}

#define OUT "st.global.u32 [%rd5], %r10;\n"

static const struct {
    const char *name, *decls, *body;
    expected_fn *want;
} forms[] = {
    {"parameters in registers",
     ".func (.reg .b32 out) tenfold (.reg .b32 x, .reg .b64 y)\n"
     "{\n.reg .b32 a;\ncvt.u32.u64 a, y;\nmul.lo.u32 out, x, a;\nret;\n}\n",
     "mov.u64 %rd10, 10;\ncall.uni (%r10), tenfold, (%r1, %rd10);\n" OUT,
     ten_times},
    {"a constant to .param, a .param result to a register",
     ".func (.param .b32 out) tenfold (.param .b32 x, .param .b32 y)\n"
     "{\n.reg .b32 a, b;\nld.param.b32 a, [x];\nld.param.b32 b, [y];\n"
     "mul.lo.u32 a, a, b;\nst.param.b32 [out], a;\nret;\n}\n",
     "{ .param .b32 p; .param .b32 r;\nst.param.b32 [p], %r1;\n"
     "call.uni (r), tenfold, (p, 10);\nld.param.b32 %r10, [r];\n}\n" OUT,
     ten_times},
    {"some lanes call, and those return at different times",
     ".func (.param .b32 out) f (.param .b32 x)\n{\n.reg .b32 a, n;\n.reg "
     ".pred "
     "p;\nld.param.b32 a, [x];\nadd.u32 n, a, 100;\nst.param.b32 [out], n;\n"
     "L:\nsetp.lt.u32 p, a, 3;\n@p ret;\nsub.u32 a, a, 1;\nbra L;\n}\n",
     "and.b32 %r11, %r1, 1;\nsetp.eq.u32 %p1, %r11, 1;\nadd.u32 %r10, %r1, "
     "%r1;\n@!%p1 bra END;\n{ .param .b32 p; .param .b32 r;\nst.param.b32 "
     "[p], %r1;\ncall (r), f, (p);\nld.param.b32 %r10, [r];\n}\nEND:\n" OUT,
     odd_or_double},
    {"a table of branches", "",
     "rem.u32 %r11, %r1, 3;\nmov.u32 %r10, 7;\n"
     "T: .branchtargets END, TWO, THREE;\nbrx.idx %r11, T;\n"
     "TWO:\nadd.u32 %r10, %r1, 70;\nbra END;\nTHREE:\nmov.u32 %r10, "
     "700;\nEND:\n" OUT,
     of_tables},
    {"recursion, each lane as deep as its number",
     ".func (.param .b32 out) sum (.param .b32 n)\n{\n.reg .b32 a, b;\n.reg "
     ".pred p;\nld.param.b32 a, [n];\nsetp.eq.u32 p, a, 0;\nmov.u32 b, 0;\n"
     "@p bra E;\n{ .param .b32 q; .param .b32 r;\nsub.u32 b, a, 1;\n"
     "st.param.b32 [q], b;\ncall (r), sum, (q);\nld.param.b32 b, [r];\n}\n"
     "add.u32 b, b, a;\nE:\nst.param.b32 [out], b;\nret;\n}\n",
     "{ .param .b32 q; .param .b32 r;\nst.param.b32 [q], %r1;\n"
     "call (r), sum, (q);\nld.param.b32 %r10, [r];\n}\n" OUT,
     gauss},
    {"lanes meet in a function that they call from two places",
     ".func (.param .b32 out) evens (.param .b32 x)\n{\n.reg .b32 a;\n.reg "
     ".pred "
     "p;\nld.param.b32 a, [x];\nand.b32 a, a, 1;\nsetp.eq.u32 p, a, 0;\n"
     "vote.sync.ballot.b32 a, p, -1;\npopc.b32 a, a;\nst.param.b32 [out], a;\n"
     "ret;\n}\n",
     "setp.lt.u32 %p1, %r7, 9;\n@%p1 bra ONE;\n{ .param .b32 q; .param .b32 "
     "r;\n"
     "st.param.b32 [q], %r1;\ncall (r), evens, (q);\nld.param.b32 %r10, [r];\n"
     "}\nbra END;\nONE:\n{ .param .b32 q; .param .b32 r;\nst.param.b32 [q], "
     "%r1;\ncall (r), evens, (q);\nld.param.b32 %r10, [r];\n}\nEND:\n" OUT,
     count_of_evens},
    {"alloca of another size in each lane, and its end",
     ".func (.param .b32 out) f (.param .b32 x)\n{\n.reg .b32 a, b;\n.reg .b64 "
     "s, p;\n.local .b32 l;\nld.param.b32 a, [x];\nstacksave.u64 s;\n"
     "mul.wide.u32 p, a, 4;\nadd.u64 p, p, 4;\nalloca.u64 p, p, 16;\n"
     "st.local.u32 [p], a;\nst.local.u32 [l], 1;\nld.local.u32 b, [p];\n"
     "mad.lo.u32 a, b, 3, 0;\nld.local.u32 b, [l];\nadd.u32 a, a, b;\n"
     "stackrestore.u64 s;\nst.param.b32 [out], a;\nret;\n}\n",
     "{ .param .b32 q; .param .b32 r;\nmov.u64 %rd10, 32;\nalloca.u64 %rd11, "
     "%rd10;\nst.local.u32 [%rd11], %r1;\nst.param.b32 [q], %r1;\n"
     "call (r), f, (q);\nld.param.b32 %r10, [r];\nld.local.u32 %r11, [%rd11];\n"
     "setp.ne.u32 %p1, %r11, %r1;\n@%p1 trap;\n}\n" OUT,
     sum_of_alloca},
    {"by address, with .calltargets",
     ".func (.param .b32 out) f (.param .b32 x)\n{\n.reg .b32 a;\nld.param.b32 "
     "a, [x];\nadd.u32 a, a, 1;\nst.param.b32 [out], a;\nret;\n}\n"
     ".func (.param .b32 out) g (.param .b32 x)\n{\n.reg .b32 a;\nld.param.b32 "
     "a, [x];\nadd.u32 a, a, 1;\nst.param.b32 [out], a;\nret;\n}\n"
     ".global .align 8 .u64 both[2] = {f, g};\n",
     "T: .calltargets f, g;\nand.b32 %r11, %r1, 1;\nmul.wide.u32 %rd10, %r11, "
     "8;\nmov.u64 %rd11, both;\nadd.u64 %rd11, %rd11, %rd10;\nld.global.u64 "
     "%rd12, [%rd11];\nmov.u64 %rd13, f;\nand.b32 %r12, %r1, 3;\n"
     "{ .param .b32 q; .param .b32 r;\nst.param.b32 [q], %r12;\n"
     "call (r), %rd12, (q), T;\nld.param.b32 %r10, [r];\n}\n" OUT,
     one_to_four},
    {"addresses as initial values, whole, with an offset, and by bytes",
     ".global .align 4 .u32 here[4] = {1, 2, 3, 4};\n"
     ".global .align 8 .u64 at[3] = {here, here+4, generic(here)+8};\n"
     ".global .u8 low[2] = {0xff(here), 0xff00(here)};\n"
     ".global .u32 rows[2][3] = {{1}, {4, 5}};\n",
     "ld.global.u64 %rd10, [at+8];\nld.global.u32 %r10, [%rd10];\n"
     "ld.global.u64 %rd11, [at+16];\nld.u32 %r11, [%rd11];\n"
     "ld.global.u8 %r12, [low];\nld.global.u8 %r13, [low+1];\nshl.b32 %r13, "
     "%r13, 8;\nor.b32 %r12, %r12, %r13;\nmov.u64 %rd12, here;\n"
     "cvt.u32.u64 %r14, %rd12;\nand.b32 %r14, %r14, 0xffff;\n"
     "sub.u32 %r12, %r12, %r14;\nld.global.u32 %r15, [rows+12];\n"
     "ld.global.u32 %r16, [rows+4];\n"
     /* 2 + 3 + 0 + 4 + 0 - 8 */
     "add.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\n"
     "add.u32 %r10, %r10, %r15;\nadd.u32 %r10, %r10, %r16;\n"
     "sub.u32 %r10, %r10, 8;\n" OUT,
     bytes_of_address},
    {"registers that are vectors", "",
     ".reg .v4 .u32 v<2>;\n.reg .v2 .b64 w;\nmov.u32 v0.x, %r1;\n"
     "mov.u32 v0.y, 2;\nmov.u32 v0.z, 3;\nmov.u32 v0.a, 4;\n"
     "st.global.v4.u32 [%rd5], v0;\nld.global.v4.u32 v1, [%rd5];\n"
     "mov.u64 w.x, 7;\ncvt.u64.u32 w.y, v1.w;\nadd.u64 w.x, w.x, w.y;\n"
     "cvt.u32.u64 %r11, w.x;\nadd.u32 %r11, %r11, v1.g;\n"
     "add.u32 %r11, %r11, v1.b;\nadd.u32 %r10, %r11, v1.x;\n"
     /* 7 + 4 + 2 + 3 + thread, less 16 */
     "sub.u32 %r10, %r10, 16;\nmul.lo.u32 %r10, %r10, 10;\n" OUT,
     ten_times},
    {"another name of a function",
     ".func (.param .b32 out) f (.param .b32 x)\n{\n.reg .b32 "
     "a;\nld.param.b32 a, [x];\nmul.lo.u32 a, a, 10;\nst.param.b32 [out], a;\n"
     "ret;\n}\n.func (.param .b32 out) h (.param .b32 x);\n.alias h, f;\n",
     "{ .param .b32 q; .param .b32 r;\nst.param.b32 [q], %r1;\n"
     "call (r), h, (q);\nld.param.b32 %r10, [r];\n}\n" OUT,
     ten_times},
    {"a function declared first, defined last",
     ".func (.param .b32 out) f (.param .b32 x);\n"
     ".visible .func (.param .b32 out) g (.param .b32 x)\n{\n.reg .b32 "
     "a;\n{ .param .b32 q; .param .b32 r;\nld.param.b32 a, [x];\nst.param.b32 "
     "[q], a;\ncall (r), f, (q);\nld.param.b32 a, [r];\n}\nst.param.b32 [out], "
     "a;\nret;\n}\n.func (.param .b32 out) f (.param .b32 x)\n{\n.reg "
     ".b32 "
     "a;\nld.param.b32 a, [x];\nmul.lo.u32 a, a, 10;\nst.param.b32 [out], a;\n"
     "ret;\n}\n",
     "{ .param .b32 q; .param .b32 r;\nst.param.b32 [q], %r1;\n"
     "call (r), g, (q);\nld.param.b32 %r10, [r];\n}\n" OUT,
     ten_times},
};

static void other_forms(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char *text = program("sm_90a", forms[i].decls, forms[i].body);
        assert_true(ptxas_takes("sm_90a", text));
        for (int how = 0; how < 3; how++) {
            sim_case c = {.block = 32, .hazards = how == 1, .timing = how == 2};
            run_text(&c, text);
            if (c.r.status != TC_RUN_OK) {
                fail_msg("%s: status %d: %s", forms[i].name, (int)c.r.status,
                         c.r.nfindings ? detail_text(&c.r.findings[0]) : "");
            }
            for (uint32_t t = 0; t < 32; t++) {
                if (word(c.b, t * 8) != forms[i].want(t)) {
                    fail_msg("%s: thread %u: %u, not %u", forms[i].name, t,
                             word(c.b, t * 8), forms[i].want(t));
                }
            }
            end_case(&c);
        }
        free(text);
    }
}

/* .blocksareclusters: 3 clusters of 2 CTAs are 6 CTAs. */
static void grid_of_clusters(void **state) {
    (void)state;
    static const char text[] =
        ".version 9.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 A, .param .u64 B)\n"
        ".reqntid 32\n.reqnctapercluster 2, 1, 1\n.blocksareclusters\n{\n"
        ".reg .b64 %rd<6>;\n.reg .b32 %r<6>;\nld.param.u64 %rd2, [B];\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\n"
        "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd2, %rd3;\n"
        "st.global.u32 [%rd4], %r2;\nret;\n}\n";
    assert_true(ptxas_takes("sm_90a", text));
    sim_case c = {.grid = 3, .block = 32};
    run_text(&c, text);
    assert_int_equal(c.r.status, TC_RUN_OK);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(word(c.b, i), 6);
    }
    assert_int_not_equal(word(c.b, 6), 6);
    end_case(&c);
}

static void faults(void **state) {
    (void)state;
    static const struct {
        const char *decls, *body, *substring;
    } rows[] = {
        {".func f ()\n{\ncall f;\nret;\n}\n", "call f;\n", "stack overflow"},
        {".func f ()\n{\n.local .b8 big[1024];\nst.local.u8 [big], 1;\ncall "
         "f;\nret;\n}\n",
         "call f;\n", "stack overflow"},
        {"", "P: .callprototype _ ();\nmov.u64 %rd10, 4096;\ncall %rd10, P;\n",
         "no function"},
        {"", "T: .branchtargets END;\nbrx.idx %r1, T;\nEND:\n",
         "beyond its table"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = program("sm_90a", rows[i].decls, rows[i].body);
        assert_true(ptxas_takes("sm_90a", text));
        sim_case c = {.block = 32, .hazards = true};
        run_text(&c, text);
        assert_int_equal(c.r.status, TC_RUN_FAULT);
        assert_int_equal(c.r.findings[0].kind, TC_FINDING_TRAP);
        if (!strstr(detail_text(&c.r.findings[0]), rows[i].substring)) {
            fail_msg("%s: %s", rows[i].body, detail_text(&c.r.findings[0]));
        }
        end_case(&c);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvcc_calls),
        cmocka_unit_test(nvcc_printf_and_malloc),
        cmocka_unit_test(nvcc_assert),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(grid_of_clusters),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
