/* test_variant_tcgen05_cp.c - shared to tensor memory, T.ptx.tcgen05.* by hand,
 * and the texts of every program of tests/corpus/tcgen05.jsonl.gz that TVM
 * accepts. The answers are TVM 0.25.0's, or the PTX ISA's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tcgen05_program.h"
#include <jansson.h>
#include <zlib.h>

#define CORPUS "tests/corpus/tcgen05.jsonl.gz"

/* --- shared to tensor memory -----------------------------------------------*/

typedef struct copy {
    const char *shape, *layout; /* of shared memory, uint8 */
    const char *to, *from;      /* regions */
    const char *config;
} copy;

static void read_copy(program *p, char *text, size_t size, const copy *c) {
    snprintf(text, size,
             "@T.prim_func\n"
             "def kernel(A_ptr: T.handle):\n"
             "    A = T.match_buffer(A_ptr, (32, 16), \"uint8\")\n"
             "    T.device_entry(); T.cta_id([1]); tid = T.thread_id([128])\n"
             "    m = T.alloc_buffer(%s, \"uint8\", scope=\"shared\", "
             "layout=%s, align=1024)\n"
             "    tmem_addr = T.alloc_shared([1], \"uint32\")\n"
             "    t = T.decl_buffer((32, 256), \"uint8\", scope=\"tmem\", "
             "allocated_addr=tmem_addr[0], layout=TileLayout(S[(32, 256) : "
             "(1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))\n"
             "    if tid == 0:\n"
             "        Tx.copy_async(t[%s], m[%s]%s)\n",
             c->shape, c->layout, c->to, c->from, c->config);
    read_or_fail(p, text);
}

static void copies(const copy *c, int group, int pieces, const char *ir) {
    char text[1400];
    program p;
    read_copy(&p, text, sizeof text, c);
    const tc_verdict *v = verdict_of(&p, TC_VARIANT_tcgen05_cp);
    if (v->outcome != TC_ACCEPT) {
        fprintf(stderr, "%s\n%s\n", v->why, text);
    }
    assert_int_equal(v->outcome, TC_ACCEPT);
    int64_t ints[] = {group, 0, 0};
    same_issue(v, TC_OPC_PTX_TCGEN05_CP, "32x128b.warpx4", pieces, ints, 3);
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    tc_buf b = TC_BUF_INIT;
    assert_non_null(l);
    tc_ir_print(&b, l, NULL);
    if (strstr(tc_buf_text(&b), ir) == NULL) {
        fprintf(stderr, "missing: %s\n%s\n", ir, tc_buf_text(&b));
        fail();
    }
    tc_buf_free(&b);
    texts t = both_texts(&p);
    assert_true(!have_tool("ptxas") || assembles(t.ptx.text, 100));
    tc_arena_free(p.a);
}

static void refuses(const copy *c, const char *substring) {
    char text[1400];
    program p;
    read_copy(&p, text, sizeof text, c);
    const tc_verdict *v = verdict_of(&p, TC_VARIANT_tcgen05_cp);
    assert_int_equal(v->outcome, TC_DECLINE);
    if (strstr(v->why, substring) == NULL) {
        fprintf(stderr, "%s\nmissing: %s\n", v->why, substring);
        fail();
    }
    tc_arena_free(p.a);
}

/* Each piece is 32 lanes of 16 bytes; the descriptor's stride is that between
 * groups of 8 rows, in 16 bytes, and its last number the swizzle. */
static void pieces(void **state) {
    (void)state;
    const char *rows16 = "TileLayout(S[(32, 4, 16) : (16, 512, 1)])";
    copy c = {"(32, 64)", rows16, "0:32, 0:64", ":, :", ""};
    copies(&c, 1, 4,
           "encode_matrix_descriptor(cp_desc.data, T.address_of(m[0]), 16, 8, "
           "0)");
    c.config = ", cta_group=2";
    copies(&c, 2, 4, "tmem_addr[0] + T.Cast(\"uint32\", flat % 4 * 4)");
    c.config = "";
    c.to = "0:32, 64:80";
    c.from = "0:32, 32:48";
    copies(&c, 1, 1, "T.ptx.tcgen05.cp(tmem_addr[0] + T.uint32(16), ");
    c.config = ", cta_group=3";
    refuses(&c, "3: 1 or 2");
    c.config = "";
    c.from = "0:32, 40:56";
    refuses(&c, "piece in shared memory: TileLayout(S[(2, 8) : (504, 1)]), "
                "needs S[16 : 1]");
    c.from = "0:32, 32:48";
    c.to = "0:32, 2:18";
    refuses(&c, "column 2 is no multiple of the 4 elements");
}

static void swizzles(void **state) {
    (void)state;
    for (int sw = 1; sw <= 3; sw++) {
        int row = 16 << sw; /* 32, 64, 128 bytes */
        char layout[160], plain[80], at[40], desc[120], substring[80];
        copy c = {"(32, 128)", layout, at, at, ""};
        char shape[20];
        c.shape = shape;
        snprintf(shape, sizeof shape, "(32, %d)", 2 * row);
        snprintf(plain, sizeof plain,
                 "TileLayout(S[(32, 2, %d) : (%d, %d, 1)])", row, row,
                 32 * row);
        snprintf(layout, sizeof layout,
                 "ComposeLayout(SwizzleLayout(per_element=4, swizzle_len=%d, "
                 "atom_len=3), %s)",
                 sw, plain);
        snprintf(at, sizeof at, "0:32, 0:%d", 2 * row);
        snprintf(desc, sizeof desc, "T.address_of(m[0]), 16, %d, %d)",
                 8 * row / 16, sw);
        copies(&c, 1, 2 * row / 16, desc);
        c.layout = plain;
        snprintf(substring, sizeof substring,
                 "rows %d bytes apart mean swizzle_len %d, the layout has 0",
                 row, sw);
        refuses(&c, substring);
    }
    copy c = {"(32, 48)", "TileLayout(S[(32, 48) : (48, 1)])", "0:32, 0:16",
              "0:32, 0:16", ""};
    refuses(&c, "rows 48 bytes apart: tcgen05.cp takes 16");
}

/* Several copies from one buffer share its descriptor. */
static void one_descriptor(void **state) {
    (void)state;
    copy c = {"(32, 64)", "TileLayout(S[(32, 4, 16) : (16, 512, 1)])",
              "0:32, 0:16", "0:32, 0:16",
              ")\n        Tx.copy_async(t[0:32, 16:32], m[0:32, 16:32]"};
    char text[1400];
    program p;
    read_copy(&p, text, sizeof text, &c);
    texts t = both_texts(&p);
    const char *once = strstr(t.cuda.text, "encode_matrix_descriptor(&cp_desc");
    assert_non_null(once);
    assert_null(strstr(once + 1, "encode_matrix_descriptor(&cp_desc"));
    tc_arena_free(p.a);
}

/* --- every accepted program of the corpus has texts ------------------------*/

/* Not these: TVM accepts x0, which is no instruction, and both cta_groups. */
static bool has_texts(const char *text) {
    return strstr(text, "v[0:128, 0:1], t[0:128, 0:1]") == NULL &&
           !(strstr(text, "cta_group=1") != NULL &&
             strstr(text, "cta_group=2") != NULL);
}

static void corpus_path(void **state) {
    (void)state;
    static char line[1 << 20];
    int rows = 0, without = 0, ncuda = 0;
    const char *cuda[12];
    tc_arena *kept = tc_arena_new();
    gzFile f = gzopen(CORPUS, "rb");
    assert_non_null(f);
    while (gzgets(f, line, sizeof line) != NULL) {
        json_t *row = json_loads(line, 0, NULL);
        const char *text = json_string_value(json_object_get(row, "program"));
        program p;
        if (json_object_get(row, "error") == NULL && has_texts(text)) {
            read_or_fail(&p, text);
            texts t = both_texts(&p);
            if (rows % 8 == 0 && have_tool("ptxas")) {
                assert_true(assembles(t.ptx.text, 100));
            }
            char *own = tc_strdup(kept, t.cuda.text);
            char *name = strstr(own, "kernel_kernel(");
            if (rows % 8 == 4 && ncuda < 12 && name != NULL) {
                name[0] = (char)('a' + ncuda);
                cuda[ncuda++] = own;
            }
            rows++;
            tc_arena_free(p.a);
        } else if (json_object_get(row, "error") == NULL) {
            without++;
        }
        json_decref(row);
    }
    gzclose(f);
    print_message("%d programs have texts\n", rows);
    assert_true(rows > 80);
    assert_int_equal(without, 4);
    assert_true(!have_tool("nvcc") || compiles(cuda, ncuda, 100));
    tc_arena_free(kept);
}

/* --- calls by hand ---------------------------------------------------------*/

#define HAND                                                                   \
    "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"                             \
    "    A = T.match_buffer(A_ptr, (128,), \"uint32\")\n"                      \
    "    T.device_entry(); T.cta_id([1]); tid = T.thread_id([128])\n"          \
    "    at = T.alloc_shared([1], \"uint32\")\n"                               \
    "    bar = T.alloc_shared([1], \"uint64\")\n"                              \
    "    r = T.alloc_local((4,), \"uint32\")\n    "

static void by_hand(void **state) {
    (void)state;
    static const struct {
        const char *call, *substring; /* of the PTX, or of the refusal */
        bool ok;
    } rows[] = {
        {"T.ptx.tcgen05.ld(at[0], r[0], r[1], shape=\"16x128b\", num=1, "
         "row=16, col=4)",
         "tcgen05.ld.sync.aligned.16x128b.x1.b32 \t{", true},
        {"T.ptx.tcgen05.st(at[0], r[0], shape=\"32x32b\", num=1, "
         "unpack=True)",
         "tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 \t[", true},
        {"T.ptx.tcgen05.commit(T.address_of(bar[0]))",
         "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
         "b64 \t[",
         true},
        {"T.ptx.tcgen05.commit(T.address_of(bar[0]), cta_group=2, cta_mask=3)",
         ".multicast::cluster.b64 \t[", true},
        {"T.ptx.tcgen05.fence.before_thread_sync()",
         "tcgen05.fence::before_thread_sync;", true},
        {"T.ptx.tcgen05.fence.after_thread_sync()",
         "tcgen05.fence::after_thread_sync;", true},
        {"T.ptx.tcgen05.cp(at[0], T.uint64(0), shape=\"128x256b\")",
         "tcgen05.cp.cta_group::1.128x256b \t[", true},
        {"w = r.view(\"uint8\")\n    w[tid % 16] = T.uint8(1)\n"
         "    A[tid] = r[0]",
         "st.local.u8 \t[", true},
        {"w = r.view(\"uint64\").view(\"float16\")\n"
         "    w[7] = T.float16(1)\n    A[tid] = r[3]",
         "st.local.b16 \t[", true},
        {"w = T.alloc_local((3,), \"uint8\").view(\"uint16\")",
         "3 elements of uint8: they do not make up whole elements of uint16",
         false},
        {"T.ptx.tcgen05.ld(at[0], r[0], shape=\"16x128b\", num=1)",
         "16x128b.x1 has 2 registers, and 1 are given", false},
        {"T.ptx.tcgen05.ld(at[0], r[0], shape=\"16x128\", num=1)",
         "shape is \"16x128\": it must be", false},
        {"T.ptx.tcgen05.ld(at[0], r[0], num=1)", "needs 'shape'", false},
        {"T.ptx.tcgen05.ld(at[0], 3, shape=\"32x32b\", num=1)",
         "register 0 must be an element of a buffer", false},
        {"T.ptx.tcgen05.alloc(T.address_of(at[0]), 48)",
         "in 32, 64, 128, 256 or 512 columns, not 48", false},
        {"T.ptx.tcgen05.alloc(T.address_of(at[0]), 64, cta_group=3)",
         "cta_group is 3: it must be 1 or 2", false},
        {"T.ptx.tcgen05.cp(at[0], T.uint64(0), shape=\"32x128b\")",
         "needs multicast=\"warpx4\", not \"\"", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        program p;
        texts t = {.errors = 0};
        snprintf(text, sizeof text, HAND "%s\n", rows[i].call);
        bool read = program_read(&p, text);
        tc_lowered *l =
            read ? tc_lower(p.a, p.func, &p.decisions, &p.diags) : NULL;
        if (l != NULL) {
            t = emit_both(p.a, l, 0);
        }
        const char *said = !read          ? p.message
                           : t.errors > 0 ? t.message
                                          : t.ptx.text;
        if (strstr(said, rows[i].substring) == NULL ||
            rows[i].ok != (l != NULL && t.errors == 0)) {
            fprintf(stderr, "%s\n%s\n", rows[i].call, said);
            fail();
        }
        assert_true(!rows[i].ok || !have_tool("ptxas") ||
                    assembles(t.ptx.text, 100));
        tc_arena_free(p.a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),         cmocka_unit_test(swizzles),
        cmocka_unit_test(one_descriptor), cmocka_unit_test(corpus_path),
        cmocka_unit_test(by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
