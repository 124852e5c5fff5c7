/* test_variant_ldgsts.c - cp.async: every row of the seed's table "How inputs
 * change the algorithm", and its algorithm section in the printed IR. The
 * expected numbers are the seed's: outer = 4096 / (128 * vec), doubled and
 * four times that for the 8- and 4-byte clamps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatch_program.h"
#include "ir/print.h"
#include "texts.h"

typedef struct tile {
    const char *dtype;
    int columns; /* of the buffer in global memory; the tile has 32 of them */
    bool store;  /* shared to global */
} tile;

/* A (128, 32) tile moved by 128 threads; what ldgsts says of it. */
static const tc_verdict *ask(program *p, char text[1200], const tile *t) {
    const char *to = t->store ? "A" : "A_smem",
               *from = t->store ? "A_smem" : "A";
    snprintf(text, 1200,
             "@T.prim_func\n"
             "def kernel(A_ptr: T.handle):\n"
             "    A = T.match_buffer(A_ptr, (128, %d), \"%s\")\n"
             "    T.device_entry(); T.cta_id([1]); T.warp_id([4])\n"
             "    T.lane_id([32]); tid = T.thread_id([128])\n"
             "    A_smem = T.alloc_buffer((128, 32), \"%s\", scope=\"shared\", "
             "layout=TileLayout(S[(128, 32)]))\n"
             "    Tx.cta.copy_async(%s[0:128, 0:32], %s[0:128, 0:32])\n",
             t->columns, t->dtype, t->dtype, to, from);
    if (!program_read(p, text)) {
        fprintf(stderr, "%s\n%s\n", p->message, text);
        fail();
    }
    for (int i = 0; i < p->decisions.items[0].nverdicts; i++) {
        const tc_verdict *v = &p->decisions.items[0].verdicts[i];
        if (v->variant->id == TC_VARIANT_ldgsts) {
            return v;
        }
    }
    fail();
    return NULL;
}

static void row(const tile *t, int64_t vec, int cp_size, int64_t outer) {
    char text[1200];
    program p;
    const tc_verdict *v = ask(&p, text, t);
    assert_int_equal(v->outcome, TC_ACCEPT);
    assert_ptr_equal(v, p.decisions.items[0].chosen);
    assert_int_equal(v->partition->vec, vec);
    assert_int_equal(v->partition->threads, 128);
    assert_int_equal(v->partition->outer, outer);
    assert_int_equal(v->partition->vec_bytes, cp_size);
    assert_int_equal(v->nissues, 1);
    assert_int_equal(v->issues[0].op, TC_OPC_PTX_CP_ASYNC);
    assert_int_equal(v->issues[0].bytes, cp_size);
    assert_int_equal(v->issues[0].times, outer);
    tc_arena_free(p.a);
}

static void test_float16_aligned(void **state) {
    (void)state;
    row(&(tile){"float16", 32, false}, 8, 16, 4);
}

static void test_float32_aligned(void **state) {
    (void)state;
    row(&(tile){"float32", 32, false}, 4, 16, 8);
}

/* Rows of 36 halves are 72 bytes: a multiple of 8, not of 16. */
static void test_eight_byte_aligned(void **state) {
    (void)state;
    row(&(tile){"float16", 36, false}, 4, 8, 2 * 4);
    row(&(tile){"float32", 34, false}, 2, 8, 2 * 8);
}

/* Rows of 34 halves are 68 bytes: a multiple of 4, not of 8. */
static void test_four_byte_aligned(void **state) {
    (void)state;
    row(&(tile){"float16", 34, false}, 2, 4, 4 * 4);
    row(&(tile){"float32", 33, false}, 1, 4, 4 * 8);
}

/* Rows of 33 halves are 66 bytes; of 33 bytes, 33: no width is left. */
static void test_not_even_four(void **state) {
    (void)state;
    static const tile tiles[] = {{"float16", 33, false}, {"int8", 33, false}};
    for (int i = 0; i < 2; i++) {
        char text[1200];
        program p;
        const tc_verdict *v = ask(&p, text, &tiles[i]);
        assert_int_equal(v->outcome, TC_DECLINE);
        assert_non_null(v->why);
        assert_int_equal(v->nissues, 0);
        tc_arena_free(p.a);
    }
}

static void test_shared_to_global_never(void **state) {
    (void)state;
    static const tile tiles[] = {{"float16", 32, true}, {"float32", 32, true}};
    for (int i = 0; i < 2; i++) {
        char text[1200];
        program p;
        const tc_verdict *v = ask(&p, text, &tiles[i]);
        assert_int_equal(v->outcome, TC_REJECT);
        assert_int_equal(v->npredicates, 1);
        assert_false(v->predicates[0].ok);
        tc_arena_free(p.a);
    }
}

/* The seed's algorithm: a loop over total_outer that applies both partitions,
 * offsets both pointers and issues cp_async; then nothing, as the commit, the
 * wait and the barrier are the caller's. */
static void test_algorithm_in_ir(void **state) {
    (void)state;
    char text[1200];
    program p;
    tc_buf ir = TC_BUF_INIT;
    ask(&p, text, &(tile){"float16", 32, false});
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    tc_ir_print(&ir, l, NULL);
    static const char *const parts[] = {
        "for f in T.unroll(4):",
        "s_lin[0] = ",
        "g_lin[0] = ",
        "s_off[0] = s_lin[0]",
        "s_ptr[0] = ",
        "tvm_builtin_pointer_offset",
        "A_smem[0]",
        "s_off[0]",
        "g_ptr[0] = ",
        "tvm_builtin_pointer_offset",
        "g_lin[0]",
        "T.ptx.cp_async(s_ptr[0], g_ptr[0], 16, T.uint64(0), 0, -1, -1, \"\")"};
    ORDER(tc_buf_text(&ir), parts);
    assert_null(strstr(tc_buf_text(&ir), "cta_sync"));
    assert_null(strstr(tc_buf_text(&ir), "commit_group"));
    assert_null(strstr(tc_buf_text(&ir), "wait_group"));
    tc_buf_free(&ir);
    tc_arena_free(p.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_float16_aligned),
        cmocka_unit_test(test_float32_aligned),
        cmocka_unit_test(test_eight_byte_aligned),
        cmocka_unit_test(test_four_byte_aligned),
        cmocka_unit_test(test_not_even_four),
        cmocka_unit_test(test_shared_to_global_never),
        cmocka_unit_test(test_algorithm_in_ir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
