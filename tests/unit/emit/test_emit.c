/* test_emit.c - PTX and CUDA texts of small lowered programs.
 *
 * Expected fragments come from the PTX ISA and from the seed document of
 * ldgsts; ptxas and nvcc, where present, judge every text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emit_build.h"

static void has(const char *text, const char *part) {
    if (strstr(text, part) == NULL) {
        fprintf(stderr, "missing: %s\n%s\n", part, text);
        fail();
    }
}

static void has_not(const char *text, const char *part) {
    if (strstr(text, part) != NULL) {
        fprintf(stderr, "unwanted: %s\n%s\n", part, text);
        fail();
    }
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *s = strstr(text, part); s != NULL;
         s = strstr(s + 1, part)) {
        n++;
    }
    return n;
}

static texts emitted(build *b) {
    texts t = emit_both(b->a, &b->low, 0);
    if (t.errors != 0) {
        fprintf(stderr, "%s\n", t.message);
    }
    assert_int_equal(t.errors, 0);
    return t;
}

/* Kernels that differ in a type get different names. */
static build *build_typed(const char *what, tc_dtype t, tc_dtype in,
                          tc_dtype out) {
    build *b = build_new("", in, out);
    b->func.name = tc_format(b->a, "%s_%s", what, tc_dtypes[t].name);
    return b;
}

/* --- the programs ----------------------------------------------------------*/

/* The inner loop of the ldgsts demo, its waits, and a copy back. */
static build *program_ldgsts(void) {
    build *b = build_new("copy_async", TC_FLOAT16, TC_FLOAT16);
    tc_buffer *smem = build_shared(b, "A_smem", TC_FLOAT16, 4096);
    tc_block *outer = b->to;
    for (int back = 0; back < 2; back++) {
        tc_stmt *loop = build_for(
            b, "f", back ? TC_LOOP_SERIAL : TC_LOOP_UNROLL, build_i(b, 4));
        b->to = &loop->body;
        tc_buffer *lin = build_local(b, "s_lin", TC_INT32, 1);
        tc_expr *off = build_op(
            b, TC_ADD,
            build_op(b, TC_MUL, tc_var_ref(b->a, loop->var), build_i(b, 1024)),
            build_op(b, TC_MUL, build_tid(b), build_i(b, 8)));
        build_store(b, lin, build_i(b, 0), off);
        tc_buffer *ptr[2];
        for (int side = 0; side < 2; side++) {
            tc_buffer *of = side == 0 ? smem : back ? b->out : b->in;
            ptr[side] = build_local(b, side ? "g_ptr" : "s_ptr", TC_HANDLE, 1);
            build_store(b, ptr[side], build_i(b, 0),
                        build_call(b, TC_OPC_POINTER_OFFSET, 2,
                                   build_at(b, of, build_i(b, 0)),
                                   build_load(b, lin, build_i(b, 0))));
        }
        tc_expr *s = build_load(b, ptr[0], build_i(b, 0)),
                *g = build_load(b, ptr[1], build_i(b, 0));
        build_eval(b, back ? build_call(b, TC_OPC_CUDA_COPY_BYTES, 3, g, s,
                                        build_i(b, 16))
                           : build_call(b, TC_OPC_PTX_CP_ASYNC, 3, s, g,
                                        build_i(b, 16)));
        b->to = outer;
        b->func.nbuffers -= 3; /* all[] names only what owns storage */
        if (back == 0) {
            build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC_COMMIT_GROUP, 0));
            build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC_WAIT_GROUP, 1,
                                     build_i(b, 0)));
            build_eval(b, build_call(b, TC_OPC_CUDA_CTA_SYNC, 0));
        }
    }
    return b;
}

static void ldgsts_text(void **state) {
    (void)state;
    build *b = program_ldgsts();
    texts t = emitted(b);
    /* PTX ISA 9.7.9.25.3: cp.async needs PTX 7.0 and sm_80. */
    has(t.ptx.text, ".version 7.0\n.target sm_80\n.address_size 64\n");
    has(t.ptx.text, ".file\t1 \"made.py\"");
    has(t.ptx.text, ".visible .entry copy_async_kernel(\n"
                    "\t.param .u64 A_ptr,\n\t.param .u64 B_ptr\n)");
    has(t.ptx.text, ".maxntid 32, 1, 1");
    has(t.ptx.text, ".shared .align 64 .b8 \tA_smem[8192];");
    assert_int_equal(count(t.ptx.text, "\tcp.async.cg.shared.global \t["), 4);
    assert_int_equal(count(t.ptx.text, "\tcp.async.commit_group;"), 1);
    assert_int_equal(count(t.ptx.text, "\tcp.async.wait_group \t0;"), 1);
    assert_int_equal(count(t.ptx.text, "\tbar.sync \t0;"), 1);
    assert_int_equal(count(t.ptx.text, "\tld.shared.v4.b32"), 1);
    assert_int_equal(count(t.ptx.text, "\tst.global.v4.b32"), 1);
    assert_int_equal(count(t.ptx.text, "\tbra"), 0);
    /* From the loop on line 3, each statement that makes code. */
    for (int line = 3; line <= 9; line++) {
        char loc[32];
        snprintf(loc, sizeof loc, ".loc \t1 %d 1\n", line);
        if (line != 4 && line != 6 && line != 8) { /* allocations */
            has(t.ptx.text, loc);
        }
    }
    assert_string_equal(t.ptx.entry, "copy_async_kernel");
    assert_int_equal(t.ptx.sm, 80);
    assert_int_equal(t.ptx.nsymbols, 1);
    assert_string_equal(t.ptx.symbols[0].name, "A_smem");
    has(t.cuda.text, "extern \"C\" __global__ void __launch_bounds__(32)");
    has(t.cuda.text, "copy_async_kernel(half* __restrict__ A_ptr, "
                     "half* __restrict__ B_ptr) {");
    has(t.cuda.text, "cp.async.cg.shared.global [%0], [%1], 16;");
    has(t.cuda.text, "tvm_builtin_ptx_cp_async_cg_16(s_ptr, g_ptr, ");
    has(t.cuda.text, "tvm_builtin_ptx_cp_async_commit_group();");
    has(t.cuda.text, "tvm_builtin_ptx_cp_async_wait_group_0();");
    has(t.cuda.text, "tvm_builtin_cuda_cta_sync();");
    has(t.cuda.text, "tvm_builtin_copy_128b(g_ptr, s_ptr);");
    has(t.cuda.text, "tvm_builtin_pointer_offset(&A_smem[0], s_lin)");
    build_free(b);
}

/* min_sm raises the target, and the version that it needs. */
static void targets(void **state) {
    (void)state;
    build *b = program_ldgsts();
    tc_emitted out;
    tc_diags d = {0};
    assert_true(tc_emit_ptx(b->a, &b->low, 90, false, &d, &out));
    has(out.text, ".version 7.8\n.target sm_90\n");
    assert_true(tc_emit_ptx(b->a, &b->low, 90, true, &d, &out));
    has(out.text, ".version 8.0\n.target sm_90a\n");
    assert_true(out.sm_a);
    assert_true(tc_emit_ptx(b->a, &b->low, 100, true, &d, &out));
    has(out.text, ".version 8.6\n.target sm_100a\n");
    build_free(b);
}

static build *program_int(tc_dtype t) {
    static const tc_binop ops[] = {TC_ADD,      TC_SUB,    TC_MUL, TC_FLOORDIV,
                                   TC_FLOORMOD, TC_MIN,    TC_MAX, TC_BITAND,
                                   TC_BITOR,    TC_BITXOR, TC_SHL, TC_SHR};
    build *b = build_typed("ints", t, t, t);
    tc_expr *x = build_load(b, b->in, build_tid(b));
    tc_expr *y =
        build_load(b, b->in, build_op(b, TC_ADD, build_tid(b), build_i(b, 32)));
    int n = (int)(sizeof ops / sizeof *ops);
    for (int i = 0; i < n; i++) {
        tc_expr *right =
            ops[i] >= TC_SHL && ops[i] <= TC_SHR ? tc_int_t(b->a, t, 3) : y;
        build_store(b, b->out,
                    build_op(b, TC_ADD, build_tid(b), build_i(b, 32 * i)),
                    build_op(b, ops[i], x, right));
    }
    for (int64_t d = 2; d < 8; d++) { /* constant divisors */
        tc_expr *c = tc_int_t(b->a, t, d);
        build_store(b, b->out, build_tid(b),
                    build_op(b, TC_ADD, build_op(b, TC_FLOORDIV, x, c),
                             build_op(b, TC_FLOORMOD, x, c)));
    }
    return b;
}

static build *program_float(tc_dtype t) {
    static const tc_binop ops[] = {TC_ADD, TC_SUB,     TC_MUL,
                                   TC_MIN, TC_TRUEDIV, TC_MAX};
    build *b = build_typed("floats", t, t, t);
    tc_expr *x = build_load(b, b->in, build_tid(b));
    tc_expr *y =
        build_load(b, b->in, build_op(b, TC_ADD, build_tid(b), build_i(b, 32)));
    for (int i = 0; i < 6; i++) {
        build_store(b, b->out,
                    build_op(b, TC_ADD, build_tid(b), build_i(b, 32 * i)),
                    build_op(b, ops[i], x, y));
    }
    tc_expr *c = build_op(b, TC_LT, x, tc_float_t(b->a, t, 1.5));
    build_store(b, b->out, build_tid(b),
                tc_select(b->a, c, tc_unary(b->a, TC_NEG, x), y));
    return b;
}

/* Every conversion between the types that hold numbers. */
static build *program_casts(tc_dtype from) {
    static const tc_dtype all[] = {
        TC_BOOL,     TC_INT8,    TC_INT16,  TC_INT32,  TC_INT64,
        TC_UINT8,    TC_UINT16,  TC_UINT32, TC_UINT64, TC_FLOAT16,
        TC_BFLOAT16, TC_FLOAT32, TC_FLOAT64};
    build *b = build_typed("casts", from, from, TC_FLOAT64);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tc_expr *x = build_load(b, b->in, build_tid(b));
        build_store(b, b->out, build_tid(b),
                    tc_cast(b->a, TC_FLOAT64, tc_cast(b->a, all[i], x)));
    }
    return b;
}

static void half_rounds_once(void **state) {
    (void)state;
    build *b = program_float(TC_FLOAT16);
    texts t = emitted(b);
    has(t.ptx.text, "ld.global.b16");
    has(t.ptx.text, "cvt.f32.f16");
    has(t.ptx.text, "add.rn.f32");
    has(t.ptx.text, "cvt.rn.f16.f32");
    build_free(b);
    b = program_float(TC_BFLOAT16);
    t = emitted(b);
    has_not(t.ptx.text, "cvt.f32.bf16"); /* sm_90 only */
    has(t.ptx.text, "cvt.rn.bf16.f32");
    build_free(b);
}

/* Floor division: cheap where the range allows, exact elsewhere. */
static void floor_division(void **state) {
    (void)state;
    build *b = build_new("floors", TC_INT32, TC_INT32);
    tc_expr *tid = build_tid(b);
    build_store(b, b->out, tid, build_op(b, TC_FLOORDIV, tid, build_i(b, 3)));
    texts t = emitted(b);
    assert_int_equal(count(t.ptx.text, "div.s32"), 1);
    assert_int_equal(count(t.ptx.text, "rem.s32"), 0);
    has(t.cuda.text, "tid / 3");
    build_free(b);
    b = build_new("floors", TC_INT32, TC_INT32);
    tc_expr *x = build_load(b, b->in, build_tid(b));
    build_store(b, b->out, build_tid(b),
                build_op(b, TC_FLOORMOD, x, build_i(b, 3)));
    t = emitted(b);
    assert_int_equal(count(t.ptx.text, "rem.s32"), 1);
    has(t.ptx.text, "selp.b32");
    has(t.cuda.text, "tvm_builtin_floormod<int>(A_ptr[tid], 3)");
    build_free(b);
    b = build_new("floors", TC_INT32, TC_INT32);
    x = build_load(b, b->in, build_tid(b));
    build_store(b, b->out, build_tid(b),
                build_op(b, TC_FLOORMOD, x, build_i(b, 8)));
    t = emitted(b);
    has(t.ptx.text, "and.b32");
    has_not(t.ptx.text, "rem.s32");
    build_free(b);
}

/* Serial loops, a loop of unknown length, while, nested if, break. */
static build *program_control(void) {
    build *b = build_new("control", TC_INT32, TC_INT32);
    tc_block *outer = b->to;
    tc_buffer *sum = build_local(b, "sum", TC_INT32, 1);
    tc_expr *zero = build_i(b, 0), *s = build_load(b, sum, zero);
    build_store(b, sum, zero, zero);
    tc_stmt *loop =
        build_for(b, "i", TC_LOOP_SERIAL, build_load(b, b->in, zero));
    b->to = &loop->body;
    tc_expr *i = tc_var_ref(b->a, loop->var);
    tc_stmt *test = build_stmt(b, tc_stmt_new(b->a, TC_S_IF, TC_NOWHERE));
    test->value =
        build_op(b, TC_AND, build_op(b, TC_LT, i, build_tid(b)),
                 build_op(b, TC_GT, build_load(b, b->in, i), build_i(b, 0)));
    b->to = &test->body;
    build_store(b, sum, zero, build_op(b, TC_ADD, s, i));
    tc_stmt *inner = build_stmt(b, tc_stmt_new(b->a, TC_S_IF, TC_NOWHERE));
    inner->value = build_op(b, TC_GT, s, build_i(b, 1000));
    b->to = &inner->body;
    build_stmt(b, tc_stmt_new(b->a, TC_S_BREAK, TC_NOWHERE));
    b->to = &test->orelse;
    build_stmt(b, tc_stmt_new(b->a, TC_S_CONTINUE, TC_NOWHERE));
    b->to = outer;
    tc_stmt *during = build_stmt(b, tc_stmt_new(b->a, TC_S_WHILE, TC_NOWHERE));
    during->value = build_op(b, TC_GT, s, build_i(b, 10));
    b->to = &during->body;
    build_store(b, sum, zero,
                build_op(b, TC_SUB, s,
                         tc_select(b->a, build_op(b, TC_EQ, s, build_i(b, 7)),
                                   build_load(b, b->in, s), build_i(b, 1))));
    b->to = outer;
    build_store(b, b->out, build_tid(b), s);
    return b;
}

/* Local arrays: in registers where indices are constants, else in memory. */
static build *program_local(void) {
    build *b = build_new("locals", TC_FLOAT32, TC_FLOAT32);
    tc_block *outer = b->to;
    tc_buffer *fixed = build_local(b, "fixed", TC_FLOAT32, 4);
    tc_buffer *moving = build_local(b, "moving", TC_FLOAT32, 4);
    tc_stmt *loop = build_for(b, "k", TC_LOOP_UNROLL, build_i(b, 4));
    b->to = &loop->body;
    tc_expr *k = tc_var_ref(b->a, loop->var);
    build_store(b, fixed, k,
                build_load(b, b->in, build_op(b, TC_ADD, k, build_tid(b))));
    build_store(b, moving, k, build_load(b, fixed, k));
    b->to = outer;
    tc_expr *at = build_op(b, TC_FLOORMOD, build_tid(b), build_i(b, 4));
    build_store(b, b->out, build_tid(b),
                build_op(b, TC_ADD, build_load(b, moving, at),
                         build_load(b, fixed, build_i(b, 3))));
    return b;
}

static void local_arrays(void **state) {
    (void)state;
    build *b = program_local();
    texts t = emitted(b);
    has(t.ptx.text, ".local .align 16 .b8 \tmoving[16];");
    has_not(t.ptx.text, "fixed[16]");
    assert_int_equal(count(t.ptx.text, "\tst.local.f32"), 4);
    assert_int_equal(count(t.ptx.text, "\tld.local.f32"), 1);
    build_free(b);
}

/* cp.async of 4 and 8 bytes, predicate, zero fill, cache policy, prefetch. */
static build *program_cp_async_forms(void) {
    build *b = build_new("forms", TC_FLOAT32, TC_FLOAT32);
    tc_buffer *smem = build_shared(b, "tile", TC_FLOAT32, 1024);
    tc_expr *none = build_i(b, -1), *empty = tc_string(b->a, ""),
            *zero = tc_string(b->a, "zero"),
            *policy = tc_int_t(b->a, TC_UINT64, 0x1000);
    tc_expr *index = build_op(b, TC_MUL, build_tid(b), build_i(b, 4));
    tc_expr *s = build_at(b, smem, index), *g = build_at(b, b->in, index);
    tc_expr *p = build_op(b, TC_LT, build_tid(b), build_i(b, 7));
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC, 3, s, g, build_i(b, 4)));
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC, 3, s, g, build_i(b, 8)));
    build_eval(b,
               build_call(b, TC_OPC_PTX_CP_ASYNC, 8, s, g, build_i(b, 16),
                          policy, build_i(b, 1), build_i(b, 128), none, empty));
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC, 8, s, g, build_i(b, 16),
                             policy, build_i(b, 0), none, p, zero));
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC, 8, s, g, build_i(b, 4),
                             policy, build_i(b, 1), none, p, empty));
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC_COMMIT_GROUP, 0));
    build_eval(b,
               build_call(b, TC_OPC_PTX_CP_ASYNC_WAIT_GROUP, 1, build_i(b, 2)));
    build_eval(
        b, build_call(b, TC_OPC_STORAGE_SYNC, 1, tc_string(b->a, "shared")));
    build_eval(b, build_call(b, TC_OPC_CUDA_WARP_SYNC, 0));
    for (int64_t n = 1; n <= 16; n *= 2) {
        build_eval(b, build_call(b, TC_OPC_CUDA_COPY_BYTES, 3,
                                 build_at(b, b->out, index), s, build_i(b, n)));
    }
    return b;
}

static void cp_async_forms(void **state) {
    (void)state;
    build *b = program_cp_async_forms();
    texts t = emitted(b);
    has(t.ptx.text, ".version 7.4"); /* cache hints and prefetch sizes */
    assert_int_equal(count(t.ptx.text, "\tcp.async.ca.shared.global \t["), 2);
    has(t.ptx.text, "cp.async.cg.shared.global.L2::cache_hint.L2::128B \t[");
    has(t.ptx.text, "cp.async.ca.shared.global.L2::cache_hint \t[");
    has(t.ptx.text, "selp.b32");
    has(t.ptx.text, "cp.async.wait_group \t2;");
    has(t.ptx.text, "bar.warp.sync \t0xffffffff;");
    has(t.ptx.text, "ld.shared.v2.b32");
    has(t.ptx.text, "ld.shared.b8");
    has(t.cuda.text, "tvm_builtin_ptx_cp_async_ca_8(&tile[tid * 4], ");
    has(t.cuda.text, "tvm_builtin_ptx_cp_async_wait_group_2();");
    build_free(b);
}

/* Reserved words, doubled names, odd letters; shared with the function. */
static build *program_names(void) {
    build *b = build_new("while", TC_FLOAT32, TC_FLOAT32);
    b->func.params[0]->name = "float";
    b->func.params[1]->name = "add";
    tc_buffer *x = build_shared(b, "__half\xc3\xa9", TC_FLOAT32, 32);
    tc_buffer *y = build_shared(b, "threadIdx", TC_FLOAT32, 32);
    tc_buffer *z = build_shared(b, "threadIdx", TC_FLOAT32, 32);
    tc_expr *tid = build_tid(b);
    build_store(b, x, tid, build_load(b, b->in, tid));
    build_store(b, y, tid, build_load(b, x, tid));
    build_store(b, z, tid, build_load(b, y, tid));
    build_store(b, b->out, tid, build_load(b, z, tid));
    return b;
}

/* A pointer that points here or there becomes a generic address. */
static build *program_pointers(void) {
    build *b = build_new("pointers", TC_INT32, TC_INT32);
    tc_buffer *smem = build_shared(b, "smem", TC_INT32, 64);
    tc_block *outer = b->to;
    tc_buffer *p = build_local(b, "p", TC_HANDLE, 1);
    tc_expr *zero = build_i(b, 0), *tid = build_tid(b);
    build_store(b, p, zero, build_at(b, smem, tid));
    tc_stmt *test = build_stmt(b, tc_stmt_new(b->a, TC_S_IF, TC_NOWHERE));
    test->value = build_op(b, TC_GT, tid, build_i(b, 5));
    b->to = &test->body;
    build_store(b, p, zero, build_at(b, b->in, tid));
    b->to = outer;
    build_eval(b, build_call(b, TC_OPC_CUDA_COPY_BYTES, 3,
                             build_at(b, b->out, tid),
                             build_call(b, TC_OPC_POINTER_OFFSET, 2,
                                        build_load(b, p, zero), build_i(b, 2)),
                             build_i(b, 4)));
    return b;
}

/* Bools: kept, loaded, stored, combined; a shuffle; a dead let. */
static build *program_bools(void) {
    build *b = build_new("bools", TC_BOOL, TC_BOOL);
    tc_expr *tid = build_tid(b), *zero = build_i(b, 0);
    tc_buffer *flag = build_local(b, "flag", TC_BOOL, 1);
    build_store(b, flag, zero, tc_int_t(b->a, TC_BOOL, 1));
    build_store(b, flag, zero, build_load(b, b->in, tid));
    tc_expr *f = build_load(b, flag, zero);
    tc_expr *lane = build_call(b, TC_OPC_WARP_SHUFFLE, 5,
                               tc_int_t(b->a, TC_UINT32, 0xffffffff),
                               build_op(b, TC_FLOORDIV, tid, build_i(b, 32)),
                               zero, build_i(b, 32), build_i(b, 32));
    tc_var *w = build_let(b, "warp", lane);
    build_let(b, "unused", build_op(b, TC_MUL, tid, build_i(b, 77)));
    tc_expr *even = build_op(b, TC_EQ, tc_var_ref(b->a, w), zero);
    build_store(b, b->out, tid,
                build_op(b, TC_OR, tc_unary(b->a, TC_NOT, f),
                         build_op(b, TC_AND, even, f)));
    return b;
}

static void dead_code_is_not_printed(void **state) {
    (void)state;
    build *b = program_bools();
    texts t = emitted(b);
    has(t.ptx.text, "shfl.sync.idx.b32");
    has(t.ptx.text, ", 31, 4294967295;"); /* c of width 32: last lane 31 */
    has_not(t.ptx.text, "77");
    has_not(t.cuda.text, "77");
    build_free(b);
}

static void names_are_legal(void **state) {
    (void)state;
    build *b = program_names();
    texts t = emitted(b);
    assert_string_equal(t.ptx.entry, "while_kernel");
    assert_int_equal(t.ptx.nsymbols, 3);
    assert_string_not_equal(t.ptx.symbols[1].name, t.ptx.symbols[2].name);
    assert_string_not_equal(t.ptx.symbols[1].name, "threadIdx");
    build_free(b);
}

/* --- refusals --------------------------------------------------------------*/

static void refused(build *b, const char *message) {
    texts t = emit_both(b->a, &b->low, 0);
    assert_true(t.errors > 0);
    has(t.message, message);
    build_free(b);
}

static void refusals(void **state) {
    (void)state;
    build *b = build_new("bad", TC_FLOAT32, TC_FLOAT32);
    build_eval(b, build_call(b, TC_OPC_PTX_MBARRIER_INIT, 0));
    refused(b, "3: T.ptx.mbarrier.init does not take 0 arguments");
    b = build_new("bad", TC_FLOAT32, TC_FLOAT32);
    tc_expr *g = build_at(b, b->in, build_tid(b));
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC, 3, g, g, build_i(b, 4)));
    refused(b, "must point to shared memory; this points to global memory");
    b = build_new("bad", TC_FLOAT32, TC_FLOAT32);
    tc_buffer *s = build_shared(b, "s", TC_FLOAT32, 32);
    build_eval(b, build_call(b, TC_OPC_PTX_CP_ASYNC, 3,
                             build_at(b, s, build_tid(b)),
                             build_at(b, b->in, build_tid(b)), build_i(b, 12)));
    refused(b, "cp.async cannot copy 12 bytes");
    b = build_new("bad", TC_INT32, TC_INT32);
    tc_expr *deep = build_load(b, b->in, build_tid(b));
    for (int i = 0; i < 5000; i++) {
        deep = build_op(b, TC_BITXOR, deep, build_tid(b));
    }
    build_store(b, b->out, build_tid(b), deep);
    refused(b, "deeper than 1000");
}

/* --- every text, compiled --------------------------------------------------*/

enum { NPROGRAMS = 32 };

static int all_programs(build **out) {
    static const tc_dtype ints[] = {TC_INT8,  TC_INT16,  TC_INT32,  TC_INT64,
                                    TC_UINT8, TC_UINT16, TC_UINT32, TC_UINT64};
    static const tc_dtype floats[] = {TC_FLOAT16, TC_BFLOAT16, TC_FLOAT32,
                                      TC_FLOAT64};
    build *(*const others[])(void) = {
        program_ldgsts, program_control,  program_local, program_cp_async_forms,
        program_names,  program_pointers, program_bools};
    int n = 0;
    for (size_t i = 0; i < 8; i++) {
        out[n++] = program_int(ints[i]);
        out[n++] = program_casts(ints[i]);
    }
    for (size_t i = 0; i < 4; i++) {
        out[n++] = program_float(floats[i]);
        out[n++] = program_casts(floats[i]);
    }
    out[n++] = program_casts(TC_BOOL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        out[n++] = others[i]();
    }
    return n;
}

static void ptxas_takes_all(void **state) {
    (void)state;
    build *programs[NPROGRAMS];
    if (!have_tool("ptxas")) {
        skip();
    }
    int n = all_programs(programs), good = 0;
    for (int i = 0; i < n; i++) {
        texts t = emitted(programs[i]);
        good += assembles(t.ptx.text, 80) && assembles(t.ptx.text, 90);
        build_free(programs[i]);
    }
    assert_int_equal(good, n);
}

static void nvcc_takes_all(void **state) {
    (void)state;
    build *programs[NPROGRAMS];
    const char *texts_of[NPROGRAMS] = {0};
    if (!have_tool("nvcc")) {
        skip();
    }
    int n = all_programs(programs);
    for (int i = 0; i < n; i++) {
        texts_of[i] = emitted(programs[i]).cuda.text;
    }
    assert_true(compiles(texts_of, n, 80));
    assert_true(compiles(texts_of, n, 90));
    for (int i = 0; i < n; i++) {
        build_free(programs[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ldgsts_text),
        cmocka_unit_test(targets),
        cmocka_unit_test(half_rounds_once),
        cmocka_unit_test(floor_division),
        cmocka_unit_test(local_arrays),
        cmocka_unit_test(cp_async_forms),
        cmocka_unit_test(dead_code_is_not_printed),
        cmocka_unit_test(names_are_legal),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ptxas_takes_all),
        cmocka_unit_test(nvcc_takes_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
