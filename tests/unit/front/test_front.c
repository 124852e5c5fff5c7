/* test_front.c - values and prim_func bodies. What is accepted, and how names
 * live, was asked of TVM 0.25.0; values are Python's. */
#include "front_fixture.h"

#include <dirent.h>
#include <jansson.h>
#include <zlib.h>

static void check_value(const char *text, const char *expected) {
    fixture f;
    tc_buf b = TC_BUF_INIT;
    fixture_run(&f, text);
    if (!f.ok) {
        fail_msg("%s: %d:%d %s", text, f.line, f.col, f.message);
    }
    assert_true(f.has_value);
    tc_value_print(&b, &f.last);
    assert_string_equal(tc_buf_text(&b), expected);
    tc_buf_free(&b);
    fixture_free(&f);
}

static void values(void **state) {
    (void)state;
    check_value("7 // -2, -7 % 3, -7 // 2, 7 % -3", "(-4, 2, -4, -2)");
    check_value("2 ** 10, 2 ** -1, 1 << 4, -5 >> 1", "(1024, 0.5, 16, -3)");
    check_value("7 / 2, 1e16, 0.1, 1e-5, 100000.0",
                "(3.5, 1e+16, 0.1, 1e-05, 100000.0)");
    check_value("(128, 32) + (4,), [1] + [2], 'a' + 'b'",
                "((128, 32, 4), [1, 2], 'ab')");
    check_value("(1,)", "(1,)");
    check_value("()", "()");
    check_value("[0] * 3, 'ab' * 2", "([0, 0, 0], 'abab')");
    check_value("x = (1, 2, 3); x[-1], x[1:], x[:-1]", "(3, (2, 3), (1, 2))");
    check_value("len((1, 2)), len('abc'), max(1, 5, 3), min([4, 2])",
                "(2, 3, 5, 2)");
    check_value("list(range(5)), tuple(range(2, 8, 3))",
                "([0, 1, 2, 3, 4], (2, 5))");
    check_value("slice(0, 128), slice(4)",
                "(slice(0, 128, None), slice(None, 4, None))");
    check_value("1 < 2 < 3, 1 == 1.0, (1, 2) < (1, 3), 3 in (1, 2)",
                "(True, True, True, False)");
    check_value("True and 5, 0 or 'x', not 0", "(5, 'x', True)");
    check_value("'it\\'s', 'a\"b', 'a\\nb'", "(\"it's\", 'a\"b', 'a\\nb')");
    check_value("int(3.9), int(-3.9), abs(-4), sum((1, 2))", "(3, -3, 4, 3)");
    check_value("a = b = 3; a += b; a", "6");
    check_value("(a, b), c = (1, 2), 3; a + b + c", "6");
    check_value("5 if 1 > 2 else 6", "6");
    check_value("{'m': 1}['m']", "1");
}

static void layouts(void **state) {
    (void)state;
    static const char *const same[] = {
        "TileLayout(S[128, 32]) == TileLayout(S[(128, 32) : (32, 1)])",
        "s = (128, 32); TileLayout(S[s]) == TileLayout(S[128, 32])",
        "TileLayout(S[8 : 4@laneid]) == TileLayout(S[8 : 4@Axis.laneid])",
        "TileLayout(S[8 : 'laneid']) == TileLayout(S[8 : 1@laneid])",
        "TileLayout(S[(8, 2) : ((4, 'laneid'), 1)]) == "
        "TileLayout(S[(8, 2) : (4@laneid, 1)])",
        "TileLayout(S[4] + R[2 : 4@laneid] + 3) == "
        "TileLayout(3 + (R[2 : 4@laneid] + S[4]))",
        "TileLayout(S[4] + 1@laneid + 2 + 1) == "
        "TileLayout(S[4] + (1@laneid + 3))",
        "TileLayout.from_iters([Iter(8, 1, 'm')], [], {}) == TileLayout(S[8])",
        "TileLayout.from_iters([Iter(8, 1, 'm')], [], {'m': 2}) == "
        "TileLayout(S[8] + 2)",
        "SwizzleLayout(3, 3, 3) == SwizzleLayout(per_element=3, "
        "swizzle_len=3, atom_len=3, swizzle_inner=True)",
        "Axis.get('laneid') == laneid",
        "wg_local_layout(8) == TileLayout(S[(128, 8) : (1@tid_in_wg, 1)])",
        "tmem_datapath_layout('D', 128, 4) == "
        "TileLayout(S[(128, 4) : (1@TLane, 1@TCol)])",
        "TileLayout(S[(4, 8) : (1,)]) == TileLayout(S[4 : 1])",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        check_value(same[i], "True");
    }
}

static void imports(void **state) {
    (void)state;
    check_value("import tvm\n"
                "from tvm.script import tirx as T\n"
                "from tvm.script.tirx import tile as Tx\n"
                "from tvm.tirx.layout import *\n"
                "from tvm.tirx.layout import S, TCol, TileLayout, TLane\n"
                "from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg\n"
                "TileLayout(S[(128, 8) : (1 @ axis_tid_in_wg, 1)]) == "
                "TileLayout(S[(128, 8) : (1 @ tid_in_wg, 1)])",
                "True");
}

/* --- programs ---------------------------------------------------------- */

static char *read_text(const char *path) {
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = tc_xcalloc(1, 1 << 18);
    assert_true(fread(text, 1, (1 << 18) - 1, in) > 0);
    fclose(in);
    return text;
}

static int statements_of(const tc_block *b, tc_stmt_kind kind) {
    int n = 0;
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        n += s->kind == kind;
        n += statements_of(&s->body, kind) + statements_of(&s->orelse, kind);
    }
    return n;
}

static const tc_stmt *nth(const tc_block *b, tc_stmt_kind kind, int n) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if (s->kind == kind && n-- == 0) {
            return s;
        }
    }
    return NULL;
}

/* The whole demonstration program of the course. */
static void demo(void **state) {
    (void)state;
    fixture f;
    char *text = read_text("lessons/ldgsts.py");
    fixture_run(&f, text);
    assert_true(f.ok);
    assert_string_equal(f.func->name, "copy_async");
    assert_int_equal(f.func->nparams, 2);
    assert_int_equal(f.func->nbuffers, 3);
    const tc_stmt *s = nth(&f.func->body, TC_S_COPY, 0);
    assert_int_equal(tc_span_line(s->span), 10);
    assert_int_equal(s->copy->op, TC_COPY_ASYNC);
    assert_int_equal(s->copy->scope, TC_SCOPE_CTA);
    assert_string_equal(s->copy->forced, "ldgsts");
    assert_string_equal(s->copy->dst.buffer->name, "A_smem");
    assert_int_equal(s->copy->dst.buffer->space, TC_SPACE_SHARED);
    assert_int_equal(s->copy->src.range[0].extent, 128);
    assert_int_equal(s->copy->src.range[1].extent, 32);
    s = nth(&f.func->body, TC_S_SCOPE_ID, 3);
    assert_int_equal(s->id->kind, TC_ID_THREAD);
    assert_true(s->id->named[0]);
    assert_string_equal(s->id->var[0]->name, "tid");
    s = nth(&f.func->body, TC_S_SCOPE_ID, 0);
    assert_false(s->id->named[0]);
    assert_string_equal(s->id->var[0]->name, "v");
    s = nth(&f.func->body, TC_S_EVAL, 1);
    assert_int_equal(s->value->call.op, TC_OPC_PTX_CP_ASYNC_WAIT_GROUP);
    assert_int_equal(s->value->call.args[0]->i, 0);
    fixture_free(&f);
    free(text);
}

#define HEAD                                                                   \
    "@T.prim_func\n"                                                           \
    "def k(A_ptr: T.handle):\n"                                                \
    "    A = T.match_buffer(A_ptr, (512, 32), 'float16')\n"                    \
    "    T.device_entry(); T.cta_id([1]); T.warp_id([4]); T.lane_id([32])\n"   \
    "    tid = T.thread_id([128])\n"                                           \
    "    B = T.alloc_buffer((2, 128, 32), 'float16', scope='shared')\n"

static void pipeline(void **state) {
    (void)state;
    fixture f;
    fixture_run(&f, HEAD "    for k in range(4):\n"
                         "        stage = k % 2\n"
                         "        T.ptx.cp_async(B.ptr_to([k % 2, tid, 0]), "
                         "A.ptr_to([k * 128 + tid, 0]), 16)\n"
                         "        T.ptx.cp_async.commit_group()\n"
                         "        if k >= 1:\n"
                         "            T.ptx.cp_async.wait_group(1)\n"
                         "            T.cuda.cta_sync()\n"
                         "        else:\n"
                         "            stage = 1\n"
                         "        Tx.cta.copy(B[k % 2, 0:128], "
                         "A[k * 128 : k * 128 + 128, :])\n"
                         "    n: T.int32 = 0\n"
                         "    while n < tid:\n"
                         "        n += 1\n"
                         "        if n == 7:\n"
                         "            break\n"
                         "    for i, j in T.grid(2, 3):\n"
                         "        A[tid, i] = B[0, tid, j] + T.float16(1.0)\n");
    if (!f.ok) {
        fail_msg("%d:%d %s", f.line, f.col, f.message);
    }
    const tc_block *b = &f.func->body;
    assert_int_equal(statements_of(b, TC_S_FOR), 3);
    assert_int_equal(statements_of(b, TC_S_IF), 2);
    assert_int_equal(statements_of(b, TC_S_WHILE), 1);
    assert_int_equal(statements_of(b, TC_S_BREAK), 1);
    /* stage twice, n twice, A */
    assert_int_equal(statements_of(b, TC_S_STORE), 5);
    assert_int_equal(statements_of(b, TC_S_COPY), 1);
    const tc_stmt *loop = nth(b, TC_S_FOR, 0);
    assert_int_equal(loop->extent->i, 4);
    const tc_stmt *copy = nth(&loop->body, TC_S_COPY, 0);
    assert_int_equal(copy->copy->dst.range[0].extent, 1);
    assert_int_equal(copy->copy->dst.range[2].extent, 32);
    assert_int_equal(copy->copy->src.range[0].extent, 128);
    const tc_stmt *cp = nth(&loop->body, TC_S_EVAL, 0);
    assert_int_equal(cp->value->call.n, 8);
    assert_int_equal(cp->value->call.args[2]->i, 16);
    fixture_free(&f);
}

static void ids(void **state) {
    (void)state;
    fixture f;
    fixture_run(&f, "@T.prim_func\n"
                    "def k(A_ptr: T.handle, n: T.int32):\n"
                    "    A = T.match_buffer(A_ptr, 64)\n"
                    "    T.device_entry()\n"
                    "    bx, by = T.cta_id([2, 3])\n"
                    "    w = T.warp_id(); T.lane_id(); t = T.thread_id([96])\n"
                    "    p = A.ptr_to([0])\n"
                    "    regs = T.alloc_local((8,), 'float32')\n"
                    "    v = regs.view(2, -1)\n");
    if (!f.ok) {
        fail_msg("%d:%d %s", f.line, f.col, f.message);
    }
    const tc_block *b = &f.func->body;
    const tc_scope_id *id = nth(b, TC_S_SCOPE_ID, 0)->id;
    assert_int_equal(id->n, 2);
    assert_string_equal(id->var[1]->name, "by");
    id = nth(b, TC_S_SCOPE_ID, 1)->id;
    assert_int_equal(id->extent[0], 3);
    assert_int_equal(id->var[0]->hi, 3);
    assert_int_equal(nth(b, TC_S_SCOPE_ID, 2)->id->extent[0], 32);
    assert_int_equal(statements_of(b, TC_S_LET), 1);
    const tc_buffer *view = nth(b, TC_S_ALLOC, 2)->buffer;
    assert_int_equal(view->shape[1], 4);
    assert_string_equal(view->base->name, "regs");
    assert_int_equal(f.func->params[1]->type, TC_INT32);
    fixture_free(&f);
}

/* Every program of the corpus; the ones without copies are those where TVM
 * refuses a layout constructor, and so must we. */
static void corpus(void **state) {
    (void)state;
    enum { LINE = 1 << 20 };
    char *line = tc_xmalloc(LINE);
    int accepted = 0, refused = 0;
    gzFile in = gzopen("tests/corpus/dispatch.jsonl.gz", "rb");
    assert_non_null(in);
    while (gzgets(in, line, LINE) != NULL) {
        json_t *row = json_loads(line, 0, NULL);
        assert_non_null(row);
        bool expected = json_object_get(row, "copies") != NULL;
        fixture f;
        fixture_run(&f, json_string_value(json_object_get(row, "program")));
        if (f.ok != expected) {
            fail_msg("%s: %d:%d %s",
                     json_string_value(json_object_get(row, "id")), f.line,
                     f.col, f.message);
        }
        if (f.ok) {
            assert_int_equal(statements_of(&f.func->body, TC_S_COPY), 1);
        }
        accepted += f.ok;
        refused += !f.ok;
        fixture_free(&f);
        json_decref(row);
    }
    gzclose(in);
    free(line);
    assert_int_equal(accepted, 2470);
    assert_int_equal(refused, 30);
}

/* --- errors ------------------------------------------------------------ */

#define AT "    " /* column 5 of line 7 */

static const struct {
    const char *text;
    int line, col;
    const char *substring, *hint;
} mistakes[] = {
    {"a = b\n", 1, 5, "'b' is not defined", ""},
    {"shape = 1\nshpae\n", 2, 1, "'shpae' is not defined", "shape"},
    {"TileLayot(S[8])\n", 1, 1, "not defined", "TileLayout"},
    {"1 // 0\n", 1, 1, "division by zero", ""},
    {"9223372036854775807 + 1\n", 1, 1, "64 bits", ""},
    {"'a' + 1\n", 1, 1, "between a string and an integer", ""},
    {"a, b = (1, 2, 3)\n", 1, 8, "3 values for 2 names", ""},
    {"(1, 2)[5]\n", 1, 1, "index 5", ""},
    {"len(1)\n", 1, 5, "has no length", ""},
    {"import tvn\n", 1, 8, "no module 'tvn'", "tvm"},
    {"from tvm.tirx.layot import S\n", 1, 6, "no module", "tvm.tirx.layout"},
    {"from tvm.tirx.layout import lanid\n", 1, 29, "has no 'lanid'", "laneid"},
    {"from tvm.tirx.lang.pipeline import MBarrier\nMBarrier(1)\n", 2, 1,
     "inside a prim_func", ""},
    {"TileLayout((8, 8))\n", 1, 12, "takes a spec", "S[128, 32]"},
    {"SwizzleLayout(1, 2)\n", 1, 1, "needs the argument 'atom_len'", ""},
    {"SwizzleLayout(1, 2, 3, swizle_inner=True)\n", 1, 24, "no argument",
     "swizzle_inner"},
    {"Axis.lanid\n", 1, 6, "no axis 'lanid'", "laneid"},
    {"TileLayout(S[8 : laneid])\n", 1, 12, "stride before the axis", "1 @"},
    {"TileLayout(S[8]).sise()\n", 1, 18, "has no 'sise'", "size"},
    {"T.alloc_bufer\n", 1, 3, "has no 'alloc_bufer'", "alloc_buffer"},
    {"T.alloc_buffer((8,))\n", 1, 1, "inside a prim_func only", ""},
    {"def f(a: T.handle):\n    pass\n", 1, 5, "decorator", "@T.prim_func"},
    {"@T.prim_func\ndef f(a):\n    pass\n", 2, 7, "has no type", "T.handle"},
    {"for i in 3:\n    pass\n", 1, 10, "cannot be gone over", ""},
    {"break\n", 1, 1, "outside of a loop", ""},
    {"return 1\n", 1, 1, "outside a function", ""},
    {"raise ValueError(f'{1 + 1}')\n", 1, 1, "ValueError: 2", ""},
    {"def f(a, *, b=1):\n    return a\nf(1, 2)\n", 3, 6, "1 argument", ""},
    {"def f(a):\n    return a\nf()\n", 3, 1, "needs the argument 'a'", ""},
    {"def f(a):\n    return a\nf(1, c=2)\n", 3, 6, "no argument 'c'", ""},
    {"def f():\n    return f()\nf()\n", 1, 1, "without end", ""},
    {"while True:\n    pass\n", 2, 5, "no kernel is made", ""},
    {HEAD AT "T.ptx.cp_asnc.commit_group()\n", 7, 11, "has no 'cp_asnc'",
     "cp_async"},
    {HEAD AT "T.ptx.cp_async.comit_group()\n", 7, 20, "has no 'comit_group'",
     "commit_group"},
    {HEAD AT "T.SMEMPool(tid)\n", 7, 16, "no pointer of a shared", "A.data"},
    {HEAD AT "T.ptx.mma()\n", 7, 5, "'T.ptx.mma' is not built yet", ""},
    {HEAD AT "Tx.cta.gemm(A, B)\n", 7, 5, "not built yet", ""},
    {HEAD AT "Tx.cta.cpy(A, B)\n", 7, 12, "has no 'cpy'", "copy"},
    {HEAD AT "Tx.copy(A[0:8, 0:8])\n", 7, 5, "needs 'src'", ""},
    {HEAD AT "Tx.copy(A[0, 0], B[0, 0, 0])\n", 7, 13, "one element", ""},
    {HEAD AT "Tx.copy(A[0:600, 0:8], B[0, 0:8, 0:8])\n", 7, 13,
     "0:600 of dimension 0", ""},
    {HEAD AT "Tx.copy(A[8:8, 0:8], B[0, 0:8, 0:8])\n", 7, 13, "holds nothing",
     ""},
    {HEAD AT "Tx.copy(A[0:tid, 0:8], B[0, 0:8, 0:8])\n", 7, 13, "not constant",
     ""},
    {HEAD AT "Tx.copy(A[0:8:2, 0:8], B[0, 0:8, 0:8])\n", 7, 13, "step 2", ""},
    {HEAD AT "Tx.copy(A[0:8, 0:8], B[0, 0:8, 0:8], dispach='x')\n", 7, 42,
     "no argument 'dispach'", "dispatch"},
    {HEAD AT "A[0, 0, 0] = 1\n", 7, 5, "2 dimensions, and this names 3", ""},
    {HEAD AT "A[512, 0] = 1\n", 7, 5, "index 512", ""},
    {HEAD AT "A[-1, 0] = 1\n", 7, 5, "index -1", ""},
    {HEAD AT "A[0, 1.5] = 1\n", 7, 5, "must be an integer", ""},
    {HEAD AT "x = y + 1\n", 7, 9, "'y' is not defined", ""},
    {HEAD AT "x = tid / 2\n", 7, 9, "no integer result", "//"},
    {HEAD AT "x = tid % 0\n", 7, 9, "division by zero", ""},
    {HEAD AT "tid = T.lane_id([32])\n", 7, 5, "defined in this block already",
     ""},
    {HEAD AT "if tid == 0:\n        x = 1\n    A[x, 0] = 1\n", 9, 7,
     "'x' is not defined", "earlier block"},
    {HEAD AT "break\n", 7, 5, "outside of a loop", ""},
    {HEAD AT "return\n", 7, 5, "returns nothing", ""},
    {HEAD AT "for i in (1, 2):\n        pass\n", 7, 14, "over a range", ""},
    {HEAD AT "for i in T.vectorized(4):\n        pass\n", 7, 14,
     "not built yet", ""},
    {HEAD AT "for i in range(0, 8, -1):\n        pass\n", 7, 26,
     "must be positive", ""},
    {HEAD AT "C = T.alloc_buffer((8,), 'float17', scope='shared')\n", 7, 30,
     "no data type", "float1"},
    {HEAD AT "C = T.alloc_buffer((8,), scope='shard')\n", 7, 30,
     "no memory scope 'shard'", "shared"},
    {HEAD AT "C = T.alloc_buffer((0,), scope='shared')\n", 7, 24,
     "must be at least 1", ""},
    {HEAD AT "C = T.alloc_buffer((8,), 'float16')\n", 7, 9,
     "cannot allocate global", ""},
    {HEAD AT "C = T.match_buffer(A_ptr, (8,))\n", 7, 24, "twice", ""},
    {HEAD AT "T.ptx.cp_async(B, A, 16)\n", 7, 20, "must be a pointer",
     "ptr_to"},
    {HEAD AT "T.ptx.cp_async(B.ptr_to([0, 0, 0]), A.ptr_to([0, 0]), 12)\n", 7,
     59, "4, 8 or 16", ""},
    {HEAD AT "T.ptx.cp_async(A.ptr_to([0, 0]), B.ptr_to([0, 0, 0]), 16)\n", 7,
     20, "must be in shared memory", ""},
    {HEAD AT "T.ptx.cp_async.wait_group(tid)\n", 7, 31, "must be an integer",
     ""},
    {HEAD AT "T.ptx.cp_async.wait_group(-1)\n", 7, 31, "0 or more", ""},
    {HEAD AT "T.cuda.cta_sync\n", 7, 5, "not called", ""},
    {HEAD AT "T.cuda.cta_sync(1)\n", 7, 21, "takes 0 arguments", ""},
    {HEAD AT "C = B.view(7, 7)\n", 7, 9, "does not fit", ""},
    {HEAD AT "C = B.veiw(2)\n", 7, 11, "no method 'veiw'", "view"},
    {HEAD AT "T.thread_id(128)\n", 7, 17, "are a list", "[128]"},
    {HEAD AT "T.int8(300)\n", 7, 12, "does not fit in int8", ""},
    {"@T.prim_func\ndef k(a: T.handle):\n    T.cta_id([1])\n", 3, 5,
     "before T.device_entry", ""},
};

static void errors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        fixture f;
        fixture_run(&f, mistakes[i].text);
        if (f.line != mistakes[i].line || f.col != mistakes[i].col ||
            strstr(f.message, mistakes[i].substring) == NULL ||
            strstr(f.hint, mistakes[i].hint) == NULL) {
            print_error("%s-> %d:%d %s (%s)\n", mistakes[i].text, f.line, f.col,
                        f.message, f.hint);
            fail();
        }
        fixture_free(&f);
    }
}

/* What plain Python around a kernel computes. */
static const struct {
    const char *text, *value;
} python[] = {
    {"[x * y for x in range(3) for y in (1, 2) if x != 1]\n", "[0, 0, 2, 4]"},
    {"{k: v for k, v in zip('ab', (1, 2))}\n", "{'a': 1, 'b': 2}"},
    {"tuple(i for i in range(3))\n", "(0, 1, 2)"},
    {"f'{1 + 1}{\"a\"!r:}{{}}' 'b'\n", "\"2'a'{}b\""},
    {"a = 255\nf'{a:#x} {a:08b}' if False else f'{a:#06x}'\n", "'0x00ff'"},
    {"f'{2.5:.3f} {3:>4}'\n", NULL},
    {"f'{2.5:.3f} {3:4d}'\n", "'2.500    3'"},
    {"x = 3\nf'{x=}'\n", "'x=3'"},
    {"(lambda a, *b, c=3, **d: (a, b, c, d))(1, 2, e=4)\n",
     "(1, (2,), 3, {'e': 4})"},
    {"def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(10)\n", "3628800"},
    {"def f(n):\n    def g():\n        return n + k\n    k = 2\n"
     "    return g()\nf(1)\n",
     "3"},
    {"def f():\n    return n\nn = 1\nn = 2\nf()\n", "2"},
    {"t = 0\nfor i, x in enumerate([5, 6, 7]):\n    if i == 1:\n"
     "        continue\n    t += x\nelse:\n    t += 100\nt\n",
     "112"},
    {"n = 0\nwhile True:\n    n += 1\n    if n == 5:\n        break\nn\n", "5"},
    {"a, *b, c = range(5)\n(a, b, c)\n", "(0, [1, 2, 3], 4)"},
    {"l = []\nl.append(1)\nl.extend((2, 3))\nl[0] = 9\n[l.pop()] + l\n",
     "[3, 9, 2]"},
    {"d = {'a': 1}\nd['b'] = 2\nd.update\n", NULL},
    {"d = dict(a=1, **{'b': 2})\nsorted(d.items(), key=lambda t: -t[1])\n",
     "[('b', 2), ('a', 1)]"},
    {"'-'.join(map(str, (1, 2)))\n", "'1-2'"},
    {"(5).bit_length() + 'a,b'.split(',').index('b')\n", "4"},
    {"[1, 2, 3, 4][::-2]\n", "[4, 2]"},
    {"divmod(-7, 2)\n", "(-4, 1)"},
    {"try:\n    1 // 0\nexcept ZeroDivisionError as e:\n    x = 5\n"
     "finally:\n    y = 6\nx + y\n",
     "11"},
    {"class C:\n    k = 2\n    def m(self, a):\n        return self.k * a\n"
     "C().m(4)\n",
     "8"},
    {"import math\nmath.ceil(math.log2(100)) + math.prod([2, 3])\n", "13"},
    {"import functools as f\nf.reduce(lambda a, b: a * b, (2, 3), 4)\n", "24"},
    {"from itertools import product\nproduct((1, 2), 'a')\n",
     "[(1, 'a'), (2, 'a')]"},
    {"import tvm\ntvm.DataType('float16').bits\n", "16"},
    {"import numpy as np\nx = np.zeros((2, 3))[0, 1].sum() + 1\n"
     "y = 4 if x is None else 5\ny\n",
     "5"},
    {"import torch\nif torch.cuda.is_available():\n    n = 1\nn = 2\nn\n", "2"},
    {"isinstance(TileLayout(S[8]), (int, TileLayout))\n", "True"},
    {"getattr(TileLayout(S[8]), 'none', 7)\n", "7"},
    {"any(x > 1 for x in (1, 2)) and all([])\n", "True"},
    {"__name__ == '__main__'\n", "True"},
};

static void plain_python(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof python / sizeof *python; i++) {
        fixture f;
        tc_buf text = TC_BUF_INIT;
        fixture_run(&f, python[i].text);
        if (f.ok) {
            tc_value_print(&text, &f.last);
        }
        if (f.ok != (python[i].value != NULL) ||
            (f.ok && strcmp(tc_buf_text(&text), python[i].value) != 0)) {
            print_error("%s-> %s (%s)\n", python[i].text, tc_buf_text(&text),
                        f.message);
            fail();
        }
        tc_buf_free(&text);
        fixture_free(&f);
    }
}

/* Values that share parts must not make work grow without bound. */
static void bounded(void **state) {
    (void)state;
    tc_buf b = TC_BUF_INIT;
    fixture f;
    tc_buf_puts(&b, "t = u = (1, 1)\n");
    for (int i = 0; i < 60; i++) {
        tc_buf_puts(&b, "t = (t, t); u = (u, u)\n");
    }
    tc_buf_puts(&b, "t == u\n");
    fixture_run(&f, tc_buf_text(&b));
    assert_non_null(strstr(f.message, "too large to compare"));
    fixture_free(&f);
    tc_buf_clear(&b);
    tc_buf_puts(&b, HEAD "    e = tid\n");
    for (int i = 0; i < 60; i++) {
        tc_buf_printf(&b, "    e%d = T.meta_var(%s%.0d + %s%.0d)\n", i + 1,
                      i ? "e" : "tid", i, i ? "e" : "tid", i);
    }
    fixture_run(&f, tc_buf_text(&b));
    assert_non_null(strstr(f.message, "more than 512 parts"));
    fixture_free(&f);
    tc_buf_free(&b);
}

/* Inputs that once broke something, or could: nothing but an answer or an
 * error may come back. */
static void past_crashes(void **state) {
    (void)state;
    const char *folder = "tests/fuzz/corpus/front";
    DIR *d = opendir(folder);
    int files = 0;
    assert_non_null(d);
    for (struct dirent *at; (at = readdir(d)) != NULL;) {
        char path[512];
        if (at->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, at->d_name);
        char *text = read_text(path);
        fixture f;
        fixture_run(&f, text);
        fixture_free(&f);
        tc_parse_wants_more(text);
        free(text);
        files++;
    }
    closedir(d);
    assert_true(files > 0);
}

static void restore(void *user, const char *name, const tc_value *v) {
    (void)v;
    assert_string_equal(name, "a");
    ++*(int *)user;
}

/* A child environment leaves its parent as it was. */
static void environments(void **state) {
    (void)state;
    tc_arena *a = tc_arena_new();
    tc_env *parent = tc_env_new(a);
    tc_value one = {.kind = TC_V_INT, .i = 1}, two = {.kind = TC_V_INT, .i = 2};
    tc_env_set(parent, "a", &one);
    tc_env *child = tc_env_child(a, parent);
    tc_env_set(child, "a", &two);
    assert_int_equal(tc_env_get(parent, "a")->i, 1);
    assert_int_equal(tc_env_get(child, "a")->i, 2);
    assert_null(tc_env_get(child, "b"));
    int n = 0;
    tc_env_each(child, restore, &n);
    assert_int_equal(n, 1);
    tc_arena_free(a);
}

typedef struct wanted {
    const char *name;
    bool found;
} wanted;

static void look(void *user, const char *name) {
    wanted *w = user;
    w->found |= strcmp(name, w->name) == 0;
}

static void completion(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"", "TileLayout"},
                                           {"", "laneid"},
                                           {"T", "ptx"},
                                           {"T", "float16"},
                                           {"T.ptx", "cp_async"},
                                           {"Tx", "cta"},
                                           {"Tx.cta", "copy_async"},
                                           {"T.ptx.cp_async", "wait_group"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        wanted w = {pairs[i][1], false};
        tc_front_names(pairs[i][0], look, &w);
        assert_true(w.found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),       cmocka_unit_test(layouts),
        cmocka_unit_test(imports),      cmocka_unit_test(demo),
        cmocka_unit_test(pipeline),     cmocka_unit_test(ids),
        cmocka_unit_test(corpus),       cmocka_unit_test(errors),
        cmocka_unit_test(plain_python), cmocka_unit_test(bounded),
        cmocka_unit_test(environments), cmocka_unit_test(completion),
        cmocka_unit_test(past_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
