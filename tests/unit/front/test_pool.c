/* test_pool.c - T.SMEMPool and dynamic shared memory, MBarrier and TMABar, and
 * the intrinsics under them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch_program.h"
#include "emit_build.h"
#include "texts.h"
#include "tilecopy.h"

/* --- pools -----------------------------------------------------------------*/

#define KERNEL                                                                 \
    "from tvm.tirx.lang.pipeline import MBarrier, TMABar\n"                    \
    "@T.prim_func\n"                                                           \
    "def k(A_ptr: T.handle):\n"                                                \
    "    A = T.match_buffer(A_ptr, (64,), \"float32\")\n"                      \
    "    T.device_entry()\n"                                                   \
    "    cbx = T.cta_id_in_cluster([2]); T.cta_id([2])\n"                      \
    "    tid = T.thread_id([64])\n"

static const tc_buffer *named(const tc_lowered *l, const char *name) {
    for (int i = 0; i < l->func->nbuffers; i++) {
        if (strcmp(l->func->buffers[i]->name, name) == 0) {
            return l->func->buffers[i];
        }
    }
    fprintf(stderr, "no buffer %s\n", name);
    fail();
    return NULL;
}

static int64_t place_of(const tc_lowered *l, const char *name) {
    const tc_buffer *b = named(l, name);
    int64_t offset = 0;
    assert_true(b->elem_offset == NULL ||
                tc_expr_const(b->elem_offset, &offset));
    return offset * tc_dtype_bytes(b->type);
}

/* Offsets and alignment as SMEMPool.alloc counts them (alloc_pool.py). */
static void pool_offsets(void **state) {
    (void)state;
    static const char text[] = KERNEL
        "    pool = T.SMEMPool()\n"
        "    a = pool.alloc([7], \"float16\")\n"            /* 0 .. 14 */
        "    b = pool.alloc([8], \"float32\", align=128)\n" /* 128 .. 160 */
        "    c = pool.alloc((3,), \"uint8\")\n"             /* 160 .. 163 */
        "    bars = MBarrier(pool, 3)\n"                    /* 168 .. 192 */
        "    pool.move_base_to(32)\n"
        "    d = pool.alloc([4], \"int64\", align=64)\n" /* 64 .. 96 */
        "    pool.commit()\n"
        "    more = T.alloc_buffer((64,), \"float32\", scope=\"shared.dyn\")\n"
        "    b[0] = T.float32(1); more[tid] = b[0]; d[1] = T.int64(7)\n"
        "    A[tid] = more[tid]\n";
    program p;
    if (!program_read(&p, text)) {
        fprintf(stderr, "%s\n", p.message);
    }
    assert_non_null(p.func);
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    assert_int_equal(place_of(l, "a"), 0);
    assert_int_equal(place_of(l, "b"), 128);
    assert_int_equal(place_of(l, "c"), 160);
    assert_int_equal(place_of(l, "bars_buf"), 168);
    assert_int_equal(place_of(l, "d"), 64);
    assert_int_equal(named(l, "pool_buf")->pool_bytes, 192);
    /* one array for the launch: the other buffer comes behind, aligned */
    assert_int_equal(l->ndynamic, 2);
    assert_int_equal(l->dynamic_align, 128);
    assert_int_equal(named(l, "more")->dyn_offset, 256);
    assert_int_equal(l->dynamic_shared, 256 + 64 * 4);
    texts t = emit_both(p.a, l, 0);
    assert_int_equal(t.errors, 0);
    static const char *const ptx[] = {
        ".extern .shared .align 128 .b8 dynamic_shared[];",
        "[dynamic_shared+128]", "+256]", "+72]"};
    ORDER(t.ptx.text, ptx);
    const char *cuda = t.cuda.text;
    assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 90));
    assert_true(!have_tool("nvcc") || compiles(&cuda, 1, 90));
    tc_arena_free(p.a);
}

/* alloc_mma: mma_shared_layout's, aligned to 1024. As TVM prints it. */
static void pool_mma(void **state) {
    (void)state;
    static const char text[] =
        KERNEL "    pool = T.SMEMPool()\n"
               "    x = pool.alloc((3,), \"uint8\")\n"
               "    a = pool.alloc_mma((64, 64))\n"
               "    b = pool.alloc_mma((16, 32), \"float32\", \"none\")\n"
               "    c = pool.alloc_mma((16, 32), \"float16\", "
               "SwizzleMode.SWIZZLE_64B_ATOM, align=512)\n"
               "    pool.commit()\n"
               "    a[3, 5] = T.float16(1)\n"
               "    b[3, 5] = T.float32(1)\n"
               "    c[3, 5] = T.float16(1)\n";
    static const char *const ir[] = {
        "x = pool_buf.view(3)\n",
        "a = T.decl_buffer((4096,), \"float16\", data=pool_buf.data, "
        "elem_offset=512, scope=\"shared.dyn\", align=1024, layout=None)\n",
        "b = T.decl_buffer((512,), data=pool_buf.data, elem_offset=2304, "
        "scope=\"shared.dyn\", align=1024, layout=None)\n",
        "c = T.decl_buffer((512,), \"float16\", data=pool_buf.data, "
        "elem_offset=5632, scope=\"shared.dyn\", align=512, layout=None)\n",
        "with T.attr(pool_buf.data, \"tirx.pool_max_bytes\", 12288):\n",
        "a[221] = T.float16(1.0)\n",
        "b[101] = T.float32(1.0)\n",
        "c[109] = T.float16(1.0)\n",
    };
    program p;
    tc_buf b = TC_BUF_INIT;
    assert_true(program_read(&p, text));
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    assert_int_equal(l->dynamic_align, 1024);
    tc_ir_print(&b, l, NULL);
    ORDER(tc_buf_text(&b), ir);
    tc_buf_free(&b);
    tc_arena_free(p.a);
}

/* Refusals: at the front, or when lowered. */
static void pool_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *text, *substring;
        int line;
    } rows[] = {
        {KERNEL "    pool = T.SMEMPool()\n    a = pool.alloc([8], "
                "\"float32\")\n    a[tid] = A[tid]\n",
         "never committed", 8},
        {KERNEL "    pool = T.SMEMPool()\n    pool.commit()\n    a = "
                "pool.alloc([8])\n    a[tid] = A[tid]\n",
         "never committed", 8},
        {KERNEL "    pool = T.SMEMPool()\n    a = pool.alloc([8])\n    "
                "pool.commit()\n    b = pool.alloc([8])\n    b[tid] = "
                "A[tid]\n",
         "ends at byte 64 of a pool that was committed to 32", 11},
        {KERNEL "    pool = T.SMEMPool()\n    a = pool.alloc([8])\n    "
                "pool.commit(16)\n",
         "the pool's allocations need 32", 10},
        {KERNEL "    pool = T.SMEMPool()\n    a = pool.alloc([8], align=3)\n",
         "power of 2", 9},
        {KERNEL "    pool = T.SMEMPool()\n    a = pool.allok([8])\n",
         "no method 'allok'", 9},
        {KERNEL "    pool = T.SMEMPool()\n    a = pool.alloc([1 << 28])\n    "
                "b = pool.alloc([1])\n",
         "grows over 1024 MiB", 10},
        {KERNEL "    pool = T.SMEMPool()\n    pool.move_base_to(-8)\n",
         "offset -8", 9},
        {KERNEL "    m = MBarrier(A, 1)\n", "lies in a pool", 8},
        {KERNEL "    pool = T.SMEMPool()\n    m = MBarrier(pool, 0)\n",
         "0 barriers", 9},
        {KERNEL "    pool = T.SMEMPool()\n    m = MBarrier(pool, 1)\n    "
                "m.ini(1)\n",
         "no method 'ini'", 10},
        {KERNEL "    pool = T.SMEMPool()\n    m = MBarrier(pool, 1)\n    "
                "m.wait(0)\n",
         "needs the argument 'phase'", 10},
        {KERNEL "    T.ptx.mbarrier.init(A.ptr_to([0]), 1)\n",
         "must be in shared memory", 8},
        {KERNEL "    T.ptx.fence.proxy_async(\"shared\")\n",
         "space cannot be \"shared\"", 8},
        {KERNEL "    T.ptx.map_shared_rank(A.ptr_to([0]), 1)\n",
         "must be in shared memory", 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        program p;
        if (program_read(&p, rows[i].text)) {
            assert_null(tc_lower(p.a, p.func, &p.decisions, &p.diags));
        }
        if (strstr(p.message, rows[i].substring) == NULL ||
            p.line != rows[i].line) {
            fprintf(stderr, "%s%d: %s\n", rows[i].text, p.line, p.message);
            fail();
        }
        tc_arena_free(p.a);
    }
}

/* Buffers over a pool's data: only those that share bytes are noted. */
static void notes(void **state) {
    (void)state;
    static const struct {
        const char *text, *substring; /* NULL: no note */
    } rows[] = {
        {"    a = T.decl_buffer([8], \"float32\", pool.alloc([8]).data, "
         "scope=\"shared.dyn\")\n"
         "    b = T.decl_buffer([8], \"float32\", pool.alloc([8]).data, "
         "elem_offset=8, scope=\"shared.dyn\")\n",
         NULL},
        {"    a = T.decl_buffer([8], \"float32\", pool.alloc([8]).data, "
         "scope=\"shared.dyn\")\n"
         "    b = T.decl_buffer([8], \"float32\", pool.alloc([8]).data, "
         "elem_offset=6, scope=\"shared.dyn\")\n",
         "b and a share bytes 24 to 31"},
        {"    a = pool.alloc([8])\n    b = pool.alloc([8])\n", NULL},
        {"    a = pool.alloc([8])\n    b = pool.alloc([8])\n    c = "
         "T.decl_buffer([4], \"float32\", b.data, scope=\"shared.dyn\")\n",
         "c and a share bytes 0 to 15"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        program p;
        snprintf(text, sizeof text,
                 KERNEL "    pool = T.SMEMPool()\n%s    pool.commit()\n",
                 rows[i].text);
        assert_true(program_read(&p, text));
        assert_string_equal(rows[i].substring == NULL ? p.message : "", "");
        assert_true(rows[i].substring == NULL ||
                    strstr(p.message, rows[i].substring) != NULL);
        tc_arena_free(p.a);
    }
}

/* --- barriers, by hand -----------------------------------------------------*/

static const char by_hand[] = KERNEL
    "    pool = T.SMEMPool()\n"
    "    src = pool.alloc([64], \"float32\", align=16)\n"
    "    dst = pool.alloc([64], \"float32\", align=16)\n"
    "    bar = MBarrier(pool, 2, phase_offset=1)\n"
    "    tma = TMABar(pool, 2, leader=tid == 32)\n"
    "    pool.commit()\n"
    "    bar.init(64); tma.init(1)\n"
    "    T.ptx.fence.mbarrier_init(); T.cuda.cluster_sync()\n"
    "    T.ptx.cp_async(src.ptr_to([tid]), A.ptr_to([tid]), 4)\n"
    "    T.ptx.cp_async.mbarrier.arrive(bar.ptr_to([0]))\n"
    "    bar.arrive(0); bar.arrive(1, cta_id=1 - cbx)\n"
    "    bar.arrive(1, cta_id=0, pred=tid < 3)\n"
    "    bar.arrive(1, cta_id=0, pred=tid == 0, count=2)\n"
    "    tma.arrive(0); tma.arrive(0, tx_count=256); tma.arrive(1, cta_id=1)\n"
    "    T.ptx.mbarrier.arrive(T.address_of(bar.buf[1]))\n"
    "    T.ptx.mbarrier.arrive.expect_tx(tma.ptr_to([1]), 256, cta_id=1 - "
    "cbx)\n"
    "    phase = T.int32(0)\n"
    "    for s in range(2):\n"
    "        bar.wait(s, phase)\n"
    "        phase = phase ^ 1\n"
    "    T.ptx.fence.proxy_async(); T.ptx.fence.proxy_async(\"global\")\n"
    "    if tid == 0:\n"
    "        there = T.ptx.map_shared_rank(dst.ptr_to([0]), 1 - cbx)\n"
    "        b = T.ptx.mapa(tma.ptr_to([0]), 1 - cbx, "
    "space=\"shared::cluster\", ptx_type=\"u32\", return_type=\"uint32\")\n"
    "        T.ptx.cp_async.bulk.s2c(there, src.ptr_to([0]), 256, b)\n"
    "    T.ptx.mbarrier.try_wait(tma.ptr_to([0]), 0)\n"
    "    A[tid] = dst[tid]\n";

static const char *const by_hand_ptx[] = {
    "setp.eq.s32 ", /* thread_rank() == 0 */
    "mbarrier.init.shared.b64 \t[pool_buf+512], 64;",
    "mbarrier.init.shared.b64 \t[pool_buf+520], 64;",
    "mbarrier.init.shared.b64 \t[pool_buf+528], 1;",
    "cp.async.mbarrier.arrive.shared.b64 \t[",
    "mbarrier.arrive.shared.b64 \t_, [",
    "mapa.shared::cluster.u32 ",
    "mbarrier.arrive.shared::cluster.b64 \t_, [",
    "@%p", /* pred */
    " mbarrier.arrive.shared::cluster.b64 \t_, [",
    "], 2;",
    "mbarrier.arrive.expect_tx.shared.b64 \t_, [",
    ", 256;",
    "mbarrier.arrive.expect_tx.shared::cluster.b64 \t_, [",
    "xor.b32 ", /* phase ^ phase_offset */
    "mbarrier.try_wait.parity.shared::cta.b64 ",
    "fence.proxy.async;",
    "fence.proxy.async.global;",
    "mapa.u64 ",
    "mapa.shared::cluster.u32 ",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes ",
};

static void every_barrier(void **state) {
    (void)state;
    program p;
    if (!program_read(&p, by_hand)) {
        fprintf(stderr, "%d: %s\n", p.line, p.message);
    }
    assert_non_null(p.func);
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    if (l == NULL) {
        fprintf(stderr, "%d: %s\n", p.line, p.message);
    }
    assert_non_null(l);
    assert_int_equal(l->least_sm, 90);
    texts t = emit_both(p.a, l, 0);
    assert_int_equal(t.errors, 0);
    ORDER(t.ptx.text, by_hand_ptx);
    const char *cuda = t.cuda.text;
    assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 90));
    assert_true(!have_tool("nvcc") || compiles(&cuda, 1, 90));
    tc_arena_free(p.a);
}

/* --- on the simulator ------------------------------------------------------*/

typedef struct heard {
    char out[1 << 16], error[600];
    size_t len;
} heard;

static void on_text(void *user, const char *text, size_t n) {
    heard *h = user;
    n = h->len + n < sizeof h->out ? n : 0;
    memcpy(h->out + h->len, text, n);
    h->len += n;
    h->out[h->len] = '\0';
}

static void on_diag(void *user, const tc_diag *d) {
    heard *h = user;
    if (d->severity == TC_ERROR && h->error[0] == '\0') {
        snprintf(h->error, sizeof h->error, "%s", d->message);
    }
}

static tc_status run_text(heard *h, const char *text) {
    tc_options o = tc_options_default();
    memset(h, 0, sizeof *h);
    tc_session *s = tc_session_new(&o, on_diag, on_text, h);
    assert_int_equal(tc_session_eval(s, text), TC_OK);
    tc_status status = tc_session_eval(s, "run");
    tc_session_free(s);
    return status;
}

#define RUNS                                                                   \
    "@T.prim_func\n"                                                           \
    "def k(A_ptr: T.handle, B_ptr: T.handle):\n"                               \
    "    A = T.match_buffer(A_ptr, (64, 32), \"float32\")\n"                   \
    "    B = T.match_buffer(B_ptr, (64, 32), \"float32\")\n"                   \
    "    T.device_entry(); T.cta_id([1]); T.warp_id([4])\n"                    \
    "    T.lane_id([32]); tid = T.thread_id([128])\n"                          \
    "    st = T.alloc_shared((4,), \"int32\")\n"                               \
    "    pool = T.SMEMPool()\n"                                                \
    "    x = pool.alloc((16,), \"float16\")\n"                                 \
    "    a = pool.alloc((64, 32), \"float32\", align=128)\n"                   \
    "    pool.commit()\n"                                                      \
    "    if tid == 0:\n"                                                       \
    "        st[0] = 1\n"                                                      \
    "    Tx.cta.copy_async(a[0:64, 0:32], A[0:64, 0:32])\n"                    \
    "    T.ptx.cp_async.commit_group()\n"

/* Dynamic memory lies behind the static one; findings know its buffers. */
static void pools_run(void **state) {
    (void)state;
    static heard h;
    assert_int_equal(
        run_text(&h, RUNS "    T.ptx.cp_async.wait_group(); "
                          "T.cuda.cta_sync()\n"
                          "    Tx.cta.copy(B[0:64, 0:32], a[0:64, 0:32])\n"),
        TC_OK);
    assert_non_null(strstr(h.out, "B equals A, byte by byte"));
    assert_non_null(strstr(h.out, "no findings"));
    run_text(&h, RUNS "    B[0, 0] = a[63, 31]\n");
    assert_non_null(strstr(h.out, "reads a[63,31]"));
    char *demo = read_text("lessons/dsmem.py");
    assert_int_equal(run_text(&h, demo), TC_OK);
    assert_non_null(strstr(h.out, "B equals A, byte by byte"));
    assert_non_null(strstr(h.out, "no findings"));
    free(demo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pool_offsets),  cmocka_unit_test(pool_mma),
        cmocka_unit_test(pool_mistakes), cmocka_unit_test(notes),
        cmocka_unit_test(every_barrier), cmocka_unit_test(pools_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
