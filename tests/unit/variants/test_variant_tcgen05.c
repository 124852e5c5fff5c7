/* test_variant_tcgen05.c - tensor memory: the seed's demo on the whole path,
 * and its table "How inputs change the algorithm". The answers are TVM
 * 0.25.0's, asked for the same programs (tests/corpus/tcgen05.jsonl.gz), or the
 * PTX ISA's where it is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tcgen05_program.h"
#include <jansson.h>
#include <zlib.h>

#define DEMO   "lessons/tcgen05_ldst.py"
#define CORPUS "tests/corpus/tcgen05.jsonl.gz"

/* --- one copy between tensor memory and registers --------------------------*/

typedef struct move {
    const char *dtype;
    int t_rows, t_cols;
    const char *datapath; /* "D", "F", or a layout's text */
    int r_rows, r_cols;
    const char *atom; /* "16x64b" ...; NULL: a row a thread */
    bool load;
    const char *t_at, *r_at; /* regions; NULL: all */
} move;

static void write_layouts(const move *m, char *t, char *r, size_t size) {
    if (strlen(m->datapath) == 1) {
        snprintf(t, size, "tmem_datapath_layout(\"%s\", %d, %d)", m->datapath,
                 m->t_rows, m->t_cols);
    } else {
        snprintf(t, size, "%s", m->datapath);
    }
    if (m->atom != NULL) {
        snprintf(r, size, "tcgen05_atom_layout(\"%s\", (%d, %d), \"%s\")",
                 m->atom, m->r_rows, m->r_cols, m->dtype);
    } else {
        snprintf(r, size, "TileLayout(S[(%d, %d) : (1 @ tid_in_wg, 1)])",
                 m->r_rows, m->r_cols);
    }
}

static void write_move(const move *m, char *text, size_t size) {
    char t[200], r[200], from[64], to[64];
    write_layouts(m, t, r, sizeof t);
    snprintf(from, sizeof from, "t[%s]", m->t_at != NULL ? m->t_at : ":, :");
    snprintf(to, sizeof to, "v[%s]", m->r_at != NULL ? m->r_at : ":, :");
    snprintf(text, size,
             "@T.prim_func\n"
             "def kernel(A_ptr: T.handle):\n"
             "    A = T.match_buffer(A_ptr, (128, 64), \"float32\")\n"
             "    T.device_entry(); T.cta_id([1]); T.warp_id([4])\n"
             "    T.warpgroup_id([1]); tid = T.thread_id([128])\n"
             "    tmem_addr = T.alloc_shared([1], \"uint32\")\n"
             "    t = T.decl_buffer((%d, %d), \"%s\", scope=\"tmem\", "
             "allocated_addr=tmem_addr[0], layout=%s)\n"
             "    regs = T.alloc_local((%d,), \"%s\")\n"
             "    v = regs.view(%d, %d, layout=%s)\n"
             "    Tx.wg.copy_async(%s, %s)\n"
             "    T.ptx.tcgen05.wait.%s()\n",
             m->t_rows, m->t_cols, m->dtype, t, m->r_rows * m->r_cols / 128,
             m->dtype, m->r_rows, m->r_cols, r, m->load ? to : from,
             m->load ? from : to, m->load ? "ld" : "st");
}

/* Accepted: .shape, .num, how often it is issued, and from which column of 32
 * bits. PTX has `count` instructions, and ptxas takes it. */
static void moves(const move *m, const char *shape, int num, int times,
                  int column) {
    char text[1400], form[80];
    program p;
    write_move(m, text, sizeof text);
    read_or_fail(&p, text);
    const tc_verdict *v = verdict_of(&p, TC_VARIANT_tcgen05_ldst);
    if (v->outcome != TC_ACCEPT) {
        fprintf(stderr, "%s\n%s\n", v->why, text);
    }
    assert_int_equal(v->outcome, TC_ACCEPT);
    assert_ptr_equal(p.decisions.items[0].chosen, v);
    bool whole = strcmp(shape, "32x32b") == 0;
    int64_t ints[] = {0, column, num, 0};
    same_issue(v, m->load ? TC_OPC_PTX_TCGEN05_LD : TC_OPC_PTX_TCGEN05_ST,
               shape, times, ints + !whole, 3 + whole);
    texts t = both_texts(&p);
    snprintf(form, sizeof form, "\ttcgen05.%s.sync.aligned.%s.x%d.b32 ",
             m->load ? "ld" : "st", shape, num);
    const char *parts[] = {form, form};
    in_order(t.ptx.text, parts, m->load ? times : 1);
    assert_non_null(strstr(t.ptx.text, ".target sm_100a"));
    assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 100));
    tc_arena_free(p.a);
}

/* Declined, by a check that says these words. */
static void declines(const move *m, const char *check, const char *substring) {
    char text[1400];
    program p;
    bool found = false;
    write_move(m, text, sizeof text);
    read_or_fail(&p, text);
    const tc_verdict *v = verdict_of(&p, TC_VARIANT_tcgen05_ldst);
    assert_int_equal(v->outcome, TC_DECLINE);
    assert_null(p.decisions.items[0].chosen);
    for (int i = 0; i < v->nchecks; i++) {
        found |= strcmp(v->checks[i].name, check) == 0 &&
                 v->checks[i].ok == TC_NO &&
                 strstr(v->checks[i].detail, substring) != NULL;
    }
    if (!found) {
        for (int i = 0; i < v->nchecks; i++) {
            fprintf(stderr, "%s: %s\n", v->checks[i].name, v->checks[i].detail);
        }
        fprintf(stderr, "no check %s with: %s\n", check, substring);
    }
    assert_true(found);
    tc_arena_free(p.a);
}

/* --- the table of the seed -------------------------------------------------*/

/* Row 1, the register layout: matches a 16x*b atom, which sets the columns of
 * .x1 (2, 4, 8 of 32 bits); else 32x32b. Row 3, the direction: ld or st. */
static void register_layouts(void **state) {
    (void)state;
    static const struct {
        const char *atom;
        int cols;
    } atoms[] = {{"16x64b", 2}, {"16x128b", 4}, {"16x256b", 8}};
    for (int i = 0; i < 3; i++) {
        for (int load = 0; load < 2; load++) {
            int cols = atoms[i].cols;
            move m = {.dtype = "float32",
                      .t_rows = 128,
                      .t_cols = 64,
                      .datapath = "D",
                      .r_rows = 128,
                      .r_cols = 64,
                      .atom = atoms[i].atom,
                      .load = load};
            moves(&m, m.atom, 64 / cols, 2, 0); /* two slabs of 16 rows */
            m.r_rows = 64;                      /* one, of the first 16 lanes */
            m.t_at = "0:64, :";
            moves(&m, m.atom, 64 / cols, 1, 0);
            m.r_rows = 128;
            m.t_at = m.r_at = NULL;
            m.atom = NULL;
            moves(&m, "32x32b", 64, 1, 0);
        }
    }
}

/* Row 2, column width and dtype: the width in 32 bits is num. */
static void widths(void **state) {
    (void)state;
    static const struct {
        const char *dtype;
        int per_word;
    } types[] = {{"float32", 1}, {"int32", 1},        {"uint32", 1},
                 {"float16", 2}, {"bfloat16", 2},     {"uint8", 4},
                 {"int8", 4},    {"float8_e4m3fn", 4}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        for (int num = 1; num <= 128; num *= 2) {
            move m = {.dtype = types[i].dtype,
                      .t_rows = 128,
                      .t_cols = 128 * types[i].per_word,
                      .datapath = "D",
                      .r_rows = 128,
                      .r_cols = num * types[i].per_word,
                      .load = num % 3 == 1};
            char at[40];
            snprintf(at, sizeof at, "0:128, 0:%d", m.r_cols);
            m.t_at = at;
            moves(&m, "32x32b", num, 1, 0);
        }
    }
    /* two elements a register also in an atom, and a later column */
    move m = {"float16",      128, 64, "D", 128, 32, "16x64b", true,
              "0:128, 16:48", NULL};
    moves(&m, "16x64b", 8, 2, 8);
    m.atom = "16x256b";
    moves(&m, "16x256b", 2, 2, 8);
}

static void widths_that_do_not_fit(void **state) {
    (void)state;
    move m = {.dtype = "float32",
              .t_rows = 128,
              .t_cols = 512,
              .datapath = "D",
              .r_rows = 128,
              .load = true};
    static const int widths[] = {3, 5, 6, 12, 24, 48, 96, 256};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char at[40], substring[80];
        m.r_cols = widths[i];
        snprintf(at, sizeof at, "0:128, 0:%d", widths[i]);
        snprintf(substring, sizeof substring,
                 "%d columns of float32 = %d registers", widths[i], widths[i]);
        m.t_at = at;
        declines(&m, "num", substring);
    }
    m.dtype = "float16";
    m.r_cols = 7;
    m.t_at = "0:128, 0:7";
    declines(&m, "num", "7 columns of float16 = more than 3 registers");
    m.r_cols = 8;
    m.t_at = "0:128, 1:9";
    declines(&m, "first column", "column 1, no multiple of 2");
    m.dtype = "float64";
    declines(&m, "element size", "float64 has 64 bits");
}

/* Row 4, the datapath: D goes with all, F with 16x*b of 64 rows only. */
static void datapaths(void **state) {
    (void)state;
    move f = {.dtype = "float32",
              .t_rows = 64,
              .t_cols = 32,
              .datapath = "F",
              .r_rows = 64,
              .r_cols = 32,
              .load = true};
    static const char *const atoms[] = {"16x64b", "16x128b", "16x256b"};
    for (int i = 0; i < 3; i++) {
        f.atom = atoms[i];
        moves(&f, atoms[i], 16 >> i, 1, 0);
    }
    f.atom = NULL;
    declines(&f, "datapath", "datapath F: 64 rows, 16 of each warp's 32 lanes");
    f.datapath = "TileLayout(S[(64, 32) : (1 @ TLane, 1 @ TCol)])";
    f.atom = "16x64b";
    declines(&f, "datapath", "neither D, S[(128, 32)");
    move d = {.dtype = "float32",
              .t_rows = 128,
              .t_cols = 32,
              .datapath = "TileLayout(S[(128, 32) : (1 @ TLane, 2 @ TCol)])",
              .r_rows = 128,
              .r_cols = 32,
              .load = true};
    declines(&d, "datapath", "2@TCol");
    d.datapath = "D";
    d.t_at = d.r_at = "0:64, :";
    declines(&d, "rows", "64 rows from 0; the instruction takes 128");
}

/* A slice of an atom's columns takes its share of the registers. */
static void slices(void **state) {
    (void)state;
    move m = {"float32", 128,       64,   "D",           128,
              32,        "16x128b", true, "0:128, 8:16", "0:128, 16:24"};
    moves(&m, "16x128b", 2, 2, 8);
    m.t_at = "0:128, 0:12";
    m.r_at = "0:128, 0:12";
    declines(&m, "slice", "12 of the atom's 32 columns: no whole part");
    m.t_at = "0:128, 0:2"; /* TVM accepts it, and then has no instruction */
    m.r_at = "0:128, 0:2";
    char text[1400];
    program p;
    write_move(&m, text, sizeof text);
    read_or_fail(&p, text);
    assert_int_equal(verdict_of(&p, TC_VARIANT_tcgen05_ldst)->outcome,
                     TC_ACCEPT);
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    texts t = emit_both(p.a, l, 0);
    assert_true(t.errors > 0);
    assert_non_null(strstr(t.message, "16x128b takes .x1, .x2, ... .x64, not "
                                      ".x0"));
    tc_arena_free(p.a);
}

/* --- the demo --------------------------------------------------------------*/

/* The program that TVM was asked about is the lesson's. */
static void demo_is_tvms(void **state) {
    (void)state;
    static char line[1 << 20];
    char *text = read_text(DEMO);
    bool found = false;
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, line, sizeof line) != NULL) {
        json_t *row = json_loads(line, 0, NULL);
        const char *id = json_string_value(json_object_get(row, "id"));
        if (strcmp(id, "tcgen05-demo") == 0) {
            found = true;
            assert_string_equal(
                json_string_value(json_object_get(row, "program")), text);
            assert_null(json_object_get(row, "error"));
        }
        json_decref(row);
    }
    gzclose(f);
    assert_true(found);
    free(text);
}

/* The statements that the seed prints. */
static const char *const demo_ir[] = {
    "T.ptx.tcgen05.alloc(T.address_of(tmem_addr[0]), 32, 1)",
    "T.tvm_storage_sync(\"shared\", T.bool(False), -1)",
    "T.ptx.tcgen05.st(tmem_addr[0], 0, 0, \"32x32b\", 4, T.bool(False), "
    "local_32b[0], local_32b[1], local_32b[2], local_32b[3])",
    "T.ptx.tcgen05.wait.st()",
    "T.cuda.cta_sync()",
    "T.ptx.tcgen05.ld(tmem_addr[0], 0, 0, \"32x32b\", 4, T.bool(False), "
    "local_32b_1[0], local_32b_1[1], local_32b_1[2], local_32b_1[3])",
    "T.ptx.tcgen05.wait.ld()",
    "T.ptx.tcgen05.relinquish_alloc_permit(1)",
    "T.ptx.tcgen05.dealloc(tmem_addr[0], 32, 1)"};
static const char *const demo_ptx[] = {
    ".target sm_100a",
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 ",
    "bar.sync ",
    "tcgen05.st.sync.aligned.32x32b.x4.b32 ",
    "tcgen05.wait::st.sync.aligned;",
    "bar.sync ",
    "tcgen05.ld.sync.aligned.32x32b.x4.b32 ",
    "tcgen05.wait::ld.sync.aligned;",
    "st.local.b32 ", /* nothing touches the registers before the wait */
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 "};
static const char *const demo_cuda[] = {
    "\"tcgen05.st.sync.aligned.32x32b.x4.b32 ",
    "\"tcgen05.ld.sync.aligned.32x32b.x4.b32 ",
    "tvm_builtin_ptx_tcgen05_alloc_cta_group_1(&tmem_addr[0], 32);",
    "tvm_builtin_ptx_tcgen05_st_32x32b_x4(",
    "tvm_builtin_ptx_tcgen05_wait_st();",
    "tvm_builtin_ptx_tcgen05_ld_32x32b_x4(",
    "tvm_builtin_ptx_tcgen05_wait_ld();",
    "tvm_builtin_ptx_tcgen05_dealloc_cta_group_1(tmem_addr[0], 32);"};

static void demo_path(void **state) {
    (void)state;
    program p;
    char *text = read_text(DEMO);
    read_or_fail(&p, text);
    assert_int_equal(p.decisions.n, 2);
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    assert_int_equal(l->least_sm, 100);
    tc_buf ir = TC_BUF_INIT;
    tc_ir_print(&ir, l, NULL);
    ORDER(tc_buf_text(&ir), demo_ir);
    tc_buf_free(&ir);
    texts t = emit_both(p.a, l, 0);
    assert_int_equal(t.errors, 0);
    ORDER(t.ptx.text, demo_ptx);
    ORDER(t.cuda.text, demo_cuda);
    assert_true(t.ptx.sm == 100 && t.ptx.sm_a);
    if (have_tool("ptxas")) {
        assert_true(assembles(t.ptx.text, 100));
    }
    if (have_tool("nvcc")) {
        const char *cuda = t.cuda.text;
        assert_true(compiles(&cuda, 1, 100));
    }
    tc_arena_free(p.a);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_layouts),
        cmocka_unit_test(widths),
        cmocka_unit_test(widths_that_do_not_fit),
        cmocka_unit_test(datapaths),
        cmocka_unit_test(slices),
        cmocka_unit_test(demo_is_tvms),
        cmocka_unit_test(demo_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
