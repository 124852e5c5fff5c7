/* test_tma.c - the plan of tma: what the search says, the tensor map it ends
 * with, and maps shared by copies. Maps are worked out by hand from the rules
 * of copy_async/tma.py; the corpora compare decisions and texts with TVM. */
#include "dispatch_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD                                                                   \
    "@T.prim_func\ndef kernel(A_ptr: T.handle):\n"                             \
    "    A = T.match_buffer(A_ptr, %s)\n"                                      \
    "    T.device_entry(); cta = T.cta_id([4]); tid = T.thread_id([128])\n"    \
    "    S = T.alloc_buffer(%s, scope=\"shared\")\n"                           \
    "    mbar = T.alloc_buffer((1,), \"uint64\", scope=\"shared\")\n"          \
    "    if tid == 0:\n"

#define LOAD                                                                   \
    "        Tx.copy_async(S[%s], A[%s], dispatch=\"tma\",\n"                  \
    "            mbar=mbar.ptr_to([0]), cta_group=1)\n"

/* Reads a program of one copy to shared memory; its tma verdict. */
static const tc_verdict *load(program *p, char text[2048], const char *g,
                              const char *s, const char *to, const char *from) {
    snprintf(text, 2048, HEAD LOAD, g, s, to, from);
    if (!program_read(p, text)) {
        print_error("%s\n%s\n", text, p->message);
        fail();
    }
    const tc_decision *d = &p->decisions.items[0];
    for (int i = 0; i < d->nverdicts; i++) {
        if (d->verdicts[i].variant->id == TC_VARIANT_tma) {
            return &d->verdicts[i];
        }
    }
    fail();
    return NULL;
}

/* Checks of this name and truth whose detail holds part. */
static int checks(const tc_verdict *v, const char *name, tc_truth ok,
                  const char *part) {
    int n = 0;
    for (int i = 0; i < v->nchecks; i++) {
        n += strcmp(v->checks[i].name, name) == 0 && v->checks[i].ok == ok &&
             strstr(v->checks[i].detail, part) != NULL;
    }
    return n;
}

static const char *map_text(tc_arena *a, const tc_tensor_map *m) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, tc_dtypes[m->type].name);
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(&b, " %lld/%lld", (long long)m->box[i],
                      (long long)m->shape[i]);
        if (i > 0) {
            tc_buf_printf(&b, "@%lld", (long long)m->stride[i]);
        }
    }
    return tc_buf_finish(&b, a);
}

/* box/shape@stride in bytes, innermost first. */
static void maps(void **state) {
    (void)state;
    static const struct {
        const char *g, *s, *to, *from, *map;
        int times;
    } rows[] = {
        /* as it stands: rows of 512 bytes */
        {"(256, 256), \"float16\"", "(64, 64), \"float16\"", "0:64, 0:64",
         "64:128, 0:64", "float16 64/256 64/256@512", 1},
        /* one row of a matrix: a box of 1 comes first */
        {"(256, 256), \"float16\"", "(64,), \"float16\"", "0:64", "3, 0:64",
         "float16 64/256 1/256@512", 1},
        /* 64 x 3 bytes: strides of 3 are refused, so one run of 192 */
        {"(64, 3), \"uint8\"", "(64, 3), \"uint8\"", "0:64, 0:3", "0:64, 0:3",
         "uint8 192/192", 1},
        /* 128 x 8 bytes: 1024, then 512 are too many for a box; 256 words */
        {"(128, 8), \"uint8\"", "(128, 8), \"uint8\"", "0:128, 0:8",
         "0:128, 0:8", "uint32 256/256", 1},
        /* 256 x 6 bytes: in pairs 3 is odd, so it stays apart */
        {"(256, 6), \"uint8\"", "(256, 6), \"uint8\"", "0:256, 0:6",
         "0:256, 0:6", "uint16 3/3 256/256@6", 1},
        /* a copy that moves does not join */
        {"(64, 6), \"float16\"", "(32, 6), \"float16\"", "0:32, 0:6",
         "32:64, 0:6", "float16 6/6 32/64@12", 1},
        /* tiles of 16 columns: 4 boxes of 64 x 16, or one of 64 x 4 x 16 where
         * the tiles follow each other */
        {"(64, 64), \"float16\"",
         "(64, 64), \"float16\", layout=TileLayout(S[(64, 4, 16) : (16, 1088, "
         "1)])",
         "0:64, 0:64", "0:64, 0:64", "float16 16/64 64/64@128", 4},
        {"(64, 64), \"float16\"",
         "(64, 64), \"float16\", layout=TileLayout(S[(64, 4, 16) : (16, 1024, "
         "1)])",
         "0:64, 0:64", "0:64, 0:64", "float16 16/16 64/64@128 4/4@32", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        program p;
        const tc_verdict *v =
            load(&p, text, rows[i].g, rows[i].s, rows[i].to, rows[i].from);
        assert_int_equal(v->outcome, TC_ACCEPT);
        assert_string_equal(map_text(p.a, v->map), rows[i].map);
        assert_int_equal(v->issues[0].times, rows[i].times);
        tc_arena_free(p.a);
    }
}

/* Each length of the box that was tried is a check, with what stopped it. */
static void search(void **state) {
    (void)state;
    char text[2048];
    program p;
    const tc_verdict *v =
        load(&p, text, "(64, 64), \"float16\"",
             "(32, 16), \"float16\", layout=TileLayout(S[(32, 16) : (1, 32)])",
             "0:32, 0:16", "0:32, 0:16");
    assert_int_equal(v->outcome, TC_ACCEPT);
    assert_int_equal(checks(v, "chain", TC_YES, "2 of 2"), 1);
    assert_int_equal(
        checks(v, "box", TC_NO, "innermost dimension would have stride 64"), 2);
    assert_int_equal(checks(v, "box", TC_YES,
                            "box of 0 iterators: map of rank 2, box (1, 1) of "
                            "float16, 512 instructions"),
                     1);
    assert_int_equal(checks(v, "limits of the driver", TC_UNASKED,
                            "rows are 2 bytes: they must be a multiple of 16"),
                     1);
    tc_arena_free(p.a);

    v = load(&p, text, "(65, 48), \"float16\"",
             "(64, 48), \"float16\", layout=TileLayout(S[(16, 4, 48) : (48, "
             "768, 1)])",
             "0:64, 0:48", "0:64, 0:48");
    assert_int_equal(checks(v, "box", TC_NO,
                            "it cuts global iterator 0 into runs of 4, and its "
                            "length 65 is no multiple"),
                     2);
    tc_arena_free(p.a);
}

static void reasons(void **state) {
    (void)state;
    static const struct {
        const char *g, *s, *to, *from, *why;
    } rows[] = {
        {"(64, 64), \"float16\", layout=TileLayout(S[(64, 64) : (128, 2)])",
         "(64, 64), \"float16\"", "0:64, 0:64", "0:64, 0:64",
         "no tensor map fits, whatever part of the region is the box; with a "
         "box of one element the map's innermost dimension would have stride 2 "
         "in global memory: it must be 1"},
        {"(64, 64), \"float16\", layout=TileLayout(S[(64, 4, 16) : (16, 1024, "
         "1)])",
         "(32, 32), \"float16\"", "0:32, 0:32", "32:64, 8:40",
         "dimension 1 of A is 2 iterators, the inner ones of 16 elements: the "
         "copy starts at 8, no multiple of 16"},
        {"(64, 64), \"float16\", layout=SwizzleLayout(per_element=3, "
         "swizzle_len=3, atom_len=3)",
         "(64, 64), \"float16\"", "0:64, 0:64", "0:64, 0:64",
         "the layout of A is swizzled: a tensor map needs a plain tile layout "
         "in global memory"},
        {"(2, 2, 4, 8, 16, 32), \"float16\"",
         "(2, 2, 2, 4, 8, 16), \"float16\"", "0:2, 0:2, 0:2, 0:4, 0:8, 0:16",
         "0:2, 0:2, 2:4, 4:8, 8:16, 16:32",
         "no tensor map fits, whatever part of the region is the box; with a "
         "box of one element the map would have rank 6: at most 5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        program p;
        const tc_verdict *v =
            load(&p, text, rows[i].g, rows[i].s, rows[i].to, rows[i].from);
        assert_int_equal(v->outcome, TC_DECLINE);
        assert_string_equal(v->why, rows[i].why);
        tc_arena_free(p.a);
    }
}

/* What TVM leaves to the driver and the hardware. All of these were seen on an
 * H200: refused maps, misaligned addresses, an illegal instruction, and other
 * elements than the program names. */
static void notes(void **state) {
    (void)state;
    static const struct {
        const char *g, *s, *name, *part;
    } rows[] = {
        {"(64, 64), \"float16\"",
         "(64, 64), \"float16\", layout=TileLayout(S[(64, 64) : (72, 1)])",
         "alignment", "the instructions are 144 bytes apart"},
        {"(64, 100), \"float16\", layout=TileLayout(S[(64, 100) : (101, 1)])",
         "(64, 64), \"float16\"", "limits of the driver",
         "a stride is 202 bytes"},
        {"(64, 64), \"float16\", layout=TileLayout(S[(64, 64) : (64, 1)] + 128 "
         "@ m)",
         "(64, 64), \"float16\"", "offset in global memory", "element 128"},
        {"(64, 64), \"float16\"",
         "(64, 64), \"float16\", align=1024, "
         "layout=ComposeLayout(SwizzleLayout(per_element=2, swizzle_len=3, "
         "atom_len=3), TileLayout(S[(64, 64) : (64, 1)]))",
         "swizzle of the hardware", "units of 64 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        program p;
        const tc_verdict *v =
            load(&p, text, rows[i].g, rows[i].s, "0:64, 0:64", "0:64, 0:64");
        assert_int_equal(v->outcome, TC_ACCEPT);
        assert_int_equal(checks(v, rows[i].name, TC_UNASKED, rows[i].part), 1);
        tc_arena_free(p.a);
    }
}

/* Equal maps are one parameter, others are not; a map is fetched once. */
static void shared_maps(void **state) {
    (void)state;
    char text[2048];
    program p;
    snprintf(text, sizeof text,
             HEAD "        Tx.copy_async(A[0:64, 0:64], S[0, :, :], "
                  "prefetch_tensormap=True)\n"
                  "        Tx.copy_async(A[64:128, 0:64], S[1, :, :], "
                  "prefetch_tensormap=True)\n"
                  "        Tx.copy_async(A[0:64, 0:32], S[1, :, 0:32])\n",
             "(256, 256), \"float16\"", "(2, 64, 64), \"float16\"");
    assert_true(program_read(&p, text));
    tc_lowered *l = tc_lower(p.a, p.func, &p.decisions, &p.diags);
    assert_non_null(l);
    assert_int_equal(l->nmaps, 2);
    assert_string_equal(l->maps[0]->var->name, "A_ptr_tensormap");
    assert_string_equal(l->maps[1]->var->name, "A_ptr_tensormap_1");
    tc_buf b = TC_BUF_INIT;
    tc_ir_print(&b, l, NULL);
    const char *first = strstr(tc_buf_text(&b), "T.ptx.prefetch_tensormap(");
    assert_non_null(first);
    assert_null(strstr(first + 1, "T.ptx.prefetch_tensormap("));
    tc_buf_free(&b);
    tc_arena_free(p.a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps),        cmocka_unit_test(search),
        cmocka_unit_test(reasons),     cmocka_unit_test(notes),
        cmocka_unit_test(shared_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
