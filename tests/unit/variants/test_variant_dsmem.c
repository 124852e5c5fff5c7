/* test_variant_dsmem.c - shared to another CTA's shared memory: the seed's demo
 * and its table "How inputs change the algorithm". Answers that are TVM's were
 * asked of TVM 0.25.0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch_program.h"
#include "emit_build.h"
#include "texts.h"
#include <jansson.h>
#include <zlib.h>

#define CORPUS "tests/corpus/dispatch.jsonl.gz"

/* --- one copy between two CTAs ---------------------------------------------*/

typedef struct pair {
    const char *shape, *dtype, *src, *dst; /* layouts: what S[..] holds */
    const char *from, *to;                 /* regions */
    const char *config;
} pair;

static const char both[] = ", mbar=mbar.ptr_to([0]), remote_cta_id=T.int32(1)";

/* Parses and dispatches the copy; gives what dsmem says of it. */
static const tc_verdict *ask_pair(program *p, char *text, size_t size,
                                  const pair *c) {
    snprintf(text, size,
             "@T.prim_func\n"
             "def kernel(A_ptr: T.handle):\n"
             "    A = T.match_buffer(A_ptr, (16,), \"float16\")\n"
             "    T.device_entry()\n"
             "    cbx = T.cta_id_in_cluster([2]); T.cta_id([2])\n"
             "    tid = T.thread_id([32])\n"
             "    src = T.alloc_buffer(%s, \"%s\", scope=\"shared\", "
             "layout=TileLayout(S[%s]))\n"
             "    dst = T.alloc_buffer(%s, \"%s\", scope=\"shared\", "
             "layout=TileLayout(S[%s]))\n"
             "    mbar = T.alloc_buffer((1,), \"uint64\", scope=\"shared\")\n"
             "    if tid == 0:\n"
             "        Tx.copy_async(dst[%s], src[%s]%s)\n",
             c->shape, c->dtype, c->src, c->shape, c->dtype, c->dst, c->to,
             c->from, c->config);
    if (!program_read(p, text)) {
        fprintf(stderr, "%s\n%s\n", p->message, text);
        fail();
    }
    for (int i = 0; i < p->decisions.items[0].nverdicts; i++) {
        const tc_verdict *v = &p->decisions.items[0].verdicts[i];
        if (v->variant->id == TC_VARIANT_dsmem) {
            return v;
        }
    }
    fail();
    return NULL;
}

static bool has_check(const tc_verdict *v, const char *name, tc_truth ok,
                      const char *substring) {
    for (int i = 0; i < v->nchecks; i++) {
        const tc_check *c = &v->checks[i];
        if (strcmp(c->name, name) == 0 && c->ok == ok &&
            strstr(c->detail, substring) != NULL) {
            return true;
        }
    }
    for (int i = 0; i < v->nchecks; i++) {
        fprintf(stderr, "%s: %s\n", v->checks[i].name, v->checks[i].detail);
    }
    fprintf(stderr, "no check %s with: %s\n", name, substring);
    return false;
}

/* The copy is accepted, in `times` instructions of `bytes`. */
static void chunks(const pair *c, int64_t bytes, int64_t times) {
    char text[2000];
    program p;
    const tc_verdict *v = ask_pair(&p, text, sizeof text, c);
    if (v->outcome != TC_ACCEPT) {
        fprintf(stderr, "%s\n%s\n", v->why, text);
    }
    assert_int_equal(v->outcome, TC_ACCEPT);
    assert_int_equal(v->nissues, 1);
    assert_int_equal(v->issues[0].op, TC_OPC_PTX_CP_ASYNC_BULK_S2C);
    assert_int_equal(v->issues[0].bytes, bytes);
    assert_int_equal(v->issues[0].times, times);
    assert_ptr_equal(p.decisions.items[0].chosen, v);
    tc_arena_free(p.a);
}

/* It is declined; the failed check and the reason name the numbers. */
static void declines(const pair *c, const char *check, const char *substring) {
    char text[2000];
    program p;
    const tc_verdict *v = ask_pair(&p, text, sizeof text, c);
    assert_int_equal(v->outcome, TC_DECLINE);
    assert_non_null(v->why);
    assert_true(has_check(v, check, TC_NO, substring));
    assert_int_equal(v->nissues, 0);
    assert_null(p.decisions.items[0].chosen);
    tc_arena_free(p.a);
}

/* --- the table of the seed -------------------------------------------------*/

/* Row 1: fully contiguous on both sides is one instruction; a stride gap, or
 * an outer stride that does not match, one for each outer coordinate. */
static void contiguity(void **state) {
    (void)state;
    pair c = {"(128, 64)",   "float16",     "(128, 64)", "(128, 64)",
              "0:128, 0:64", "0:128, 0:64", both};
    chunks(&c, 16384, 1);
    c.dst = "(128, 64) : (72, 1)"; /* a gap on one side */
    chunks(&c, 128, 128);
    c.src = "(128, 64) : (72, 1)"; /* and on both */
    chunks(&c, 128, 128);
    c.src = "(128, 64) : (80, 1)"; /* outer strides that differ */
    chunks(&c, 128, 128);
    c.src = c.dst = "(128, 64)"; /* a region that leaves columns out */
    c.from = c.to = "0:128, 8:40";
    chunks(&c, 64, 128);
    c.from = "16:32, 0:64"; /* whole rows, at different places */
    c.to = "100:116, 0:64";
    chunks(&c, 2048, 1);
    c.from = c.to = "0:128, 0:64"; /* column-major on both sides */
    c.src = c.dst = "(128, 64) : (1, 128)";
    chunks(&c, 16384, 1);
    c.dst = "(128, 64) : (1, 136)";
    chunks(&c, 256, 64);
    c = (pair){"(4, 32, 128)",
               "float16",
               "(4, 32, 128) : (4128, 129, 1)",
               "(4, 32, 128)",
               "0:4, 0:32, 0:128",
               "0:4, 0:32, 0:128",
               both};
    chunks(&c, 256, 128); /* two outer extents: 4 x 32 */
}

/* Row 2: the dtype sets the bytes of a chunk; at least 16, a multiple of 16. */
static void dtypes(void **state) {
    (void)state;
    static const struct {
        const char *type;
        int width; /* elements of a row; rows lie apart */
        int64_t bytes;
    } rows[] = {{"uint8", 16, 16},   {"int8", 32, 32},
                {"bfloat16", 8, 16}, {"float16", 8, 16},
                {"float32", 4, 16},  {"float32", 8, 32},
                {"int64", 2, 16},    {"uint64", 8, 64},
                {"int32", 12, 48},   {"float8_e4m3fn", 48, 48}};
    static const struct {
        const char *type;
        int width;
        const char *substring;
    } no[] = {{"uint8", 8, "= 8 bytes"},      {"float16", 4, "= 8 bytes"},
              {"float16", 1, "= 2 bytes"},    {"float32", 6, "= 24 bytes"},
              {"float64", 1, "= 8 bytes"},    {"int64", 1, "= 8 bytes"},
              {"bfloat16", 12, "= 24 bytes"}, {"uint8", 17, "= 17 bytes"}};
    char shape[32], layout[64], region[32];
    pair c = {shape, NULL, layout, layout, region, region, both};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int w = rows[i].width;
        snprintf(shape, sizeof shape, "(8, %d)", w);
        snprintf(layout, sizeof layout, "(8, %d) : (%d, 1)", w, w + 16);
        snprintf(region, sizeof region, "0:8, 0:%d", w);
        c.dtype = rows[i].type;
        chunks(&c, rows[i].bytes, 8);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        int w = no[i].width;
        snprintf(shape, sizeof shape, "(8, %d)", w);
        snprintf(layout, sizeof layout, "(8, %d) : (%d, 1)", w, w + 16);
        snprintf(region, sizeof region, "0:8, 0:%d", w);
        c.dtype = no[i].type;
        declines(&c, "chunk size", no[i].substring);
    }
}

/* Row 3: remote_cta_id is the rank of mapa, for data and barrier. */
static void ranks(void **state) {
    (void)state;
    static const struct {
        const char *config, *rank;
    } rows[] = {
        {", mbar=mbar.ptr_to([0]), remote_cta_id=T.int32(1)", ", 1;"},
        {", mbar=mbar.ptr_to([0]), remote_cta_id=0", ", 0;"},
        {", mbar=mbar.ptr_to([0]), remote_cta_id=1 - cbx", ", %r"},
    };
    pair c = {"(64,)", "float16", "(64,)", "(64,)", "0:64", "0:64", NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        program p;
        c.config = rows[i].config;
        ask_pair(&p, text, sizeof text, &c);
        tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
        assert_non_null(l);
        texts t = emit_both(p.a, l, 0);
        assert_int_equal(t.errors, 0);
        const char *parts[] = {"mapa.u64 ", rows[i].rank, "mapa.u64 ",
                               rows[i].rank, "cp.async.bulk."};
        in_order(t.ptx.text, parts, 5);
        assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 90));
        tc_arena_free(p.a);
    }
}

/* Row 4: layouts without a common contiguous chain are declined. */
static void incompatible(void **state) {
    (void)state;
    pair c = {"(128, 64)",   "float16",     "(128, 64)", "(128, 64) : (1, 128)",
              "0:128, 0:64", "0:128, 0:64", both};
    declines(&c, "chunk size", "1 x float16 = 2 bytes");
    c.src = "(64, 2, 64) : (64, 4096, 1)"; /* not of the region's shape */
    c.dst = "(128, 64)";
    chunks(&c, 128, 128);
    c.src = "(128, 64) : (64, 0)";
    declines(&c, "chunk size", "1 x float16 = 2 bytes");
}

/* The predicates and arguments in the seed's table of requirements. */
static void requirements(void **state) {
    (void)state;
    pair c = {"(64,)",
              "float16",
              "(64,)",
              "(64,)",
              "0:64",
              "0:64",
              ", mbar=mbar.ptr_to([0])"};
    declines(&c, "remote_cta_id", "is missing");
    c.config = ", remote_cta_id=1";
    declines(&c, "mbar", "is missing");
    c.config = "";
    char text[2000];
    program p;
    const tc_verdict *v = ask_pair(&p, text, sizeof text, &c);
    /* the search is shown all the same */
    assert_true(has_check(v, "chunk size", TC_YES, "= 128 bytes"));
    assert_true(has_check(v, "mbar", TC_NO, "is missing"));
    assert_true(has_check(v, "remote_cta_id", TC_NO, "is missing"));
    tc_arena_free(p.a);
    c.config = both;
    c.from = "0:32";
    c.to = "0:64";
    v = ask_pair(&p, text, sizeof text, &c);
    assert_int_equal(v->outcome, TC_REJECT);
    tc_arena_free(p.a);
}

/* --- the demo --------------------------------------------------------------*/

/* As TVM prints it. */
static const char *const demo_ir[] = {
    "with T.launch_thread(\"clusterCtaIdx.x\", 2) as clusterCtaIdx_x:\n",
    "pool_buf = T.alloc_buffer((0,), \"uint8\", scope=\"shared.dyn\", "
    "layout=None)\n",
    "buffer = T.decl_buffer((8192,), \"float16\", data=pool_buf.data, "
    "scope=\"shared.dyn\", align=128, layout=None)\n",
    "src_smem = T.decl_buffer((8192,), \"float16\", data=pool_buf.data, "
    "scope=\"shared.dyn\", layout=None)\n",
    "buffer_1 = T.decl_buffer((8192,), \"float16\", data=pool_buf.data, "
    "elem_offset=8192, scope=\"shared.dyn\", align=128, layout=None)\n",
    "mbar_buf = T.decl_buffer((1,), \"uint64\", data=pool_buf.data, "
    "elem_offset=4096, scope=\"shared.dyn\", align=8, layout=None)\n",
    "with T.attr(pool_buf.data, \"tirx.pool_max_bytes\", 32776):\n",
    "if T.cuda.thread_rank() == 0:\n",
    "for i in T.unroll(1):\n",
    "T.ptx.mbarrier.init(T.address_of(mbar_buf[",
    "T.ptx.fence.mbarrier_init()\n",
    "T.cuda.cluster_sync()\n",
    "if tid == 0:\n",
    "if cbx == 0:\n",
    "T.ptx.fence.proxy_async(\"shared::cta\")\n",
    "remote_mbar[0] = T.ptx.mapa(T.address_of(mbar_buf[0]), 1, \"\", \"u64\", "
    "\"uint64\")\n",
    "src_ptr[0] = T.address_of(src_smem[0])\n",
    "cluster_dst[0] = T.ptx.mapa(T.address_of(dst_smem[0]), 1, \"\", \"u64\", "
    "\"uint64\")\n",
    "T.ptx.cp_async.bulk.s2c(cluster_dst[0], src_ptr[0], 16384, "
    "remote_mbar[0])\n",
    "else:\n",
    "T.ptx.mbarrier.arrive.expect_tx(T.address_of(mbar_buf[0]), 16384)\n",
    "T.ptx.mbarrier.try_wait(T.address_of(mbar_buf[0]), 0)\n",
    "T.cuda.cluster_sync()\n",
};

static const char *const demo_ptx[] = {
    ".target sm_90\n",
    ".extern .shared .align 128 .b8 pool_buf[];",
    ".reqnctapercluster 2, 1, 1\n",
    "mbarrier.init.shared.b64 \t[pool_buf+32768], 1;",
    "fence.mbarrier_init.release.cluster;",
    "barrier.cluster.arrive.aligned;",
    "barrier.cluster.wait.aligned;",
    "fence.proxy.async.shared::cta;",
    "mapa.u64 ",
    "mapa.u64 ",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes ",
    "mbarrier.arrive.expect_tx.shared.b64 \t_, ",
    "mbarrier.try_wait.parity.shared::cta.b64 ",
    "barrier.cluster.arrive.aligned;",
};

static const char *const demo_cuda[] = {
    "__cluster_dims__(2, 1, 1)",
    "extern __shared__ __align__(128) uint8_t pool_buf[];",
    "tvm_builtin_ptx_mbarrier_init(&(((uint64_t*)pool_buf) + 4096)[i], 1);",
    "tvm_builtin_ptx_cp_async_bulk_s2s_cluster(",
    "16384",
    "tvm_builtin_ptx_mbarrier_try_wait(",
};

static void demo(void **state) {
    (void)state;
    program p;
    tc_buf ir = TC_BUF_INIT;
    char *text = read_text("lessons/dsmem.py");
    assert_true(program_read(&p, text));
    /* the note about the two buffers: line 16 declares the second */
    assert_int_equal(p.line, 16);
    assert_non_null(strstr(p.message, "dst_smem and src_smem share bytes 0 to "
                                      "16383"));
    assert_int_equal(p.diags.errors, 0);
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    assert_int_equal(l->dynamic_shared, 32776);
    assert_int_equal(l->nshared, 0);
    assert_int_equal(l->cluster[0], 2);
    tc_ir_print(&ir, l, NULL);
    ORDER(tc_buf_text(&ir), demo_ir);
    texts t = emit_both(p.a, l, 0);
    assert_int_equal(t.errors, 0);
    ORDER(t.ptx.text, demo_ptx);
    ORDER(t.cuda.text, demo_cuda);
    const char *cuda = t.cuda.text;
    assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 90));
    assert_true(!have_tool("nvcc") || compiles(&cuda, 1, 90));
    tc_buf_free(&ir);
    tc_arena_free(p.a);
    free(text);
}

/* --- the corpus' programs --------------------------------------------------*/

static int64_t shared_bytes(const tc_lowered *l) {
    int64_t total = l->dynamic_shared;
    for (int i = 0; i < l->nshared; i++) {
        total += tc_buffer_elements(l->shared[i]) *
                 tc_dtype_bytes(l->shared[i]->type);
    }
    return total;
}

/* Every program that TVM gives to dsmem has texts; a sample is assembled. */
static void corpus(void **state) {
    (void)state;
    static char line[1 << 18];
    int n = 0, assembled = 0;
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, line, sizeof line) != NULL) {
        json_t *row = json_loads(line, 0, NULL);
        const char *chosen = json_string_value(json_object_get(
            json_array_get(json_object_get(row, "copies"), 0), "chosen"));
        program p;
        if (chosen != NULL && strcmp(chosen, "dsmem") == 0) {
            assert_true(program_read(
                &p, json_string_value(json_object_get(row, "program"))));
            tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
            assert_non_null(l);
            texts t = emit_both(p.a, l, 0);
            /* A few take more than a CTA has: test_conformance.c. */
            bool wide = strstr(t.message, "(227 KiB)") != NULL;
            assert_true(wide || t.errors == 0);
            if (n++ % 10 == 0 && !wide && shared_bytes(l) <= 48 * 1024) {
                assembled++;
                assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 90));
            }
            tc_arena_free(p.a);
        }
        json_decref(row);
    }
    gzclose(f);
    printf("%d programs, %d assembled\n", n, assembled);
    assert_int_equal(n, 140);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contiguity),   cmocka_unit_test(dtypes),
        cmocka_unit_test(ranks),        cmocka_unit_test(incompatible),
        cmocka_unit_test(requirements), cmocka_unit_test(demo),
        cmocka_unit_test(corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
