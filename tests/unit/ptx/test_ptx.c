/* test_ptx.c - the PTX parser: what nvcc makes, every form of syntax, and the
 * errors. What is right here follows the PTX ISA; ptxas takes all the valid
 * texts (nvcc's are kept in tests/ptx, with their command). */
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seen {
    int line, col;
    char message[400], hint[200];
    int n;
} seen;

static void keep_first(void *user, const tc_diag *d) {
    seen *s = user;
    if (s->n++ == 0) {
        s->line = d->line;
        s->col = d->col;
        snprintf(s->message, sizeof s->message, "%s", d->message);
        snprintf(s->hint, sizeof s->hint, "%s", d->hint ? d->hint : "");
    }
}

typedef struct parsed {
    tc_arena *arena;
    tc_source source;
    tc_ptx_module *m;
    seen seen;
} parsed;

static void parse(parsed *p, const char *text, size_t len) {
    memset(p, 0, sizeof *p);
    p->arena = tc_arena_new();
    p->source = (tc_source){"t.ptx", text, len, 1};
    tc_diags diags = {keep_first, &p->seen, 0};
    p->m = tc_ptx_parse(p->arena, &p->source, &diags);
    assert_int_equal(p->m == NULL, diags.errors > 0);
}

static void must_parse(parsed *p, const char *text) {
    parse(p, text, strlen(text));
    if (p->m == NULL) {
        fail_msg("line %d: %s\n%s", p->seen.line, p->seen.message, text);
    }
}

/* ---- what nvcc makes ---- */

static char *read_all(const char *name, size_t *len) {
    char path[200];
    snprintf(path, sizeof path, "tests/ptx/%s.ptx", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = malloc(1 << 16);
    *len = fread(text, 1, (1 << 16) - 1, f);
    text[*len] = 0;
    fclose(f);
    return text;
}

static int count_op(const tc_ptx_module *m, tc_ptx_opcode op) {
    int n = 0;
    for (uint32_t i = 0; i < m->ncode; i++) {
        n += m->code[i].opcode == op;
    }
    return n;
}

/* How often an instruction's name stands in the text after blanks or a guard;
 * names that are prefixes of others end in . or ; or a blank. */
static int count_text(const char *text, const char *name) {
    int n = 0;
    size_t len = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += len) {
        n += at > text && (at[-1] == '\t' || at[-1] == ' ') &&
             strchr(".; ", at[len]) != NULL;
    }
    return n;
}

static void nvcc_files(void **state) {
    (void)state;
    static const struct {
        const char *name;
        tc_ptx_opcode op;
        const char *text;
        uint64_t shared;
        uint32_t params;
    } rows[] = {{"saxpy", TC_PTX_FMA, "fma", 0, 24},
                {"pipeline", TC_PTX_CP_ASYNC_WAIT_GROUP, "cp.async.wait_group",
                 2048, 20},
                {"pipeline", TC_PTX_BRA, "bra", 2048, 20},
                {"double_buffer", TC_PTX_CP_ASYNC_COMMIT_GROUP,
                 "cp.async.commit_group", 2048, 20},
                {"double_buffer", TC_PTX_SETP, "setp", 2048, 20},
                {"stencil", TC_PTX_BAR_SYNC, "bar.sync", 0, 20},
                {"stencil", TC_PTX_SQRT, "sqrt", 0, 20},
                {"reduce", TC_PTX_SHFL_SYNC, "shfl.sync", 16, 12},
                {"halves", TC_PTX_CVT, "cvt", 0, 40},
                {"bits", TC_PTX_PRMT, "prmt", 0, 36},
                {"bits", TC_PTX_MEMBAR, "membar", 0, 36},
                {"inline_asm", TC_PTX_ADD, "add", 0, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len;
        char *text = read_all(rows[i].name, &len);
        parsed p;
        must_parse(&p, text);
        assert_int_equal(p.m->version, 90);
        assert_int_equal(p.m->nfuncs, 1);
        assert_int_equal(p.m->funcs[0].shared_bytes, rows[i].shared);
        assert_int_equal(p.m->funcs[0].param_bytes, rows[i].params);
        assert_int_equal(count_op(p.m, rows[i].op),
                         count_text(text, rows[i].text));
        for (uint32_t k = 0; k < p.m->ncode; k++) { /* .ptx_line is true */
            const tc_ptx_op *op = &p.m->code[k];
            const char *at = text;
            for (uint32_t l = 1; l < op->ptx_line; l++) {
                at = strchr(at, '\n') + 1;
            }
            const char *word = tc_ptx_ops[op->opcode].name;
            assert_memory_equal(at + op->ptx_col - 1, word, strlen(word));
        }
        tc_arena_free(p.arena);
        free(text);
    }
}

/* nvcc -lineinfo: cp.async comes from a header, inlined at the kernel. */
static void nvcc_lines(void **state) {
    (void)state;
    size_t len;
    char *text = read_all("pipeline", &len);
    parsed p;
    must_parse(&p, text);
    int n = 0;
    for (uint32_t i = 0; i < p.m->ncode; i++) {
        const tc_ptx_op *op = &p.m->code[i];
        if (op->opcode != TC_PTX_CP_ASYNC) {
            continue;
        }
        n++;
        assert_non_null(strstr(p.m->files[op->file], "pipeline"));
        assert_string_not_equal(p.m->files[op->file], "pipeline.cu");
        assert_string_equal(p.m->files[op->call_file], "pipeline.cu");
        assert_true(op->call_line == 6 || op->call_line == 10);
        assert_int_equal(op->size, 4);
    }
    assert_true(n >= 2);
    tc_arena_free(p.arena);
    free(text);
}

/* ---- forms of syntax ---- */

static const char head[] = ".version 8.6\n.target sm_90a, debug\n"
                           ".address_size 64\n";

/* The statement is on line 10. */
static char *around(const char *statement) {
    static char text[4096];
    snprintf(text, sizeof text,
             "%s.global .align 4 .b8 g[64];\n.extern .shared .align 16 .b8 "
             "dyn[];\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
             ".reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<4>;\n"
             ".reg .f32 %%f<9>; .reg .b16 %%h<9>; .reg .f64 %%fd<9>; "
             ".shared .b32 s[8];\n%s\nret;\n}\n",
             head, statement);
    return text;
}

static const tc_ptx_op *one(parsed *p, const char *statement) {
    must_parse(p, around(statement));
    return &p->m->code[0];
}

static void operands(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t imm;
    } numbers[] = {{"mov.b64 %rd1, 42;", 42},
                   {"mov.b64 %rd1, 0x2A;", 42},
                   {"mov.b64 %rd1, 052;", 42},
                   {"mov.b64 %rd1, 0b101010;", 42},
                   {"mov.b64 %rd1, 42U;", 42},
                   {"mov.b64 %rd1, -42;", -42},
                   {"mov.b64 %rd1, ~0;", -1},
                   {"mov.b64 %rd1, (2+5)*6;", 42},
                   {"mov.b64 %rd1, 2+5*8;", 42},
                   {"mov.b64 %rd1, WARP_SZ;", 32},
                   {"mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF;", -1},
                   {"mov.f32 %f1, 0f3F800000;", 0x3f800000},
                   {"mov.f32 %f1, -0f3F800000;", 0xbf800000},
                   {"mov.f32 %f1, 1.5;", 0x3fc00000},
                   {"mov.f32 %f1, 0d3FF8000000000000;", 0x3fc00000},
                   {"mov.b32 %r1, 0f3F800000;", 0x3f800000},
                   {"mov.f64 %fd1, 0f3F800000;", 0x3ff0000000000000},
                   {"mov.f64 %fd1, 1e0;", 0x3ff0000000000000}};
    parsed p;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const tc_ptx_op *op = one(&p, numbers[i].text);
        assert_int_equal(op->a[1].kind, TC_PO_IMM);
        if (op->a[1].imm != numbers[i].imm) {
            fail_msg("%s: %llx", numbers[i].text, (long long)op->a[1].imm);
        }
        tc_arena_free(p.arena);
    }
}

static void addresses(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int base; /* 0 constant, 1 register, 2 symbol */
        int64_t imm;
    } rows[] = {{"ld.global.u32 %r1, [%rd1];", 1, 0},
                {"ld.global.u32 %r1, [%rd1+8];", 1, 8},
                {"ld.global.u32 %r1, [%rd1+-8];", 1, -8},
                {"ld.global.u32 %r1, [g];", 2, 0},
                {"ld.global.u32 %r1, [g+12];", 2, 12},
                {"ld.shared.u32 %r1, [%r2+4];", 1, 4},
                {"ld.shared::cta.u32 %r1, [s+4];", 2, 4},
                {"ld.param.u32 %r1, [n];", 2, 0},
                {"ld.local.u32 %r1, [64];", 0, 64}};
    parsed p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tc_ptx_op *op = one(&p, rows[i].text);
        assert_int_equal(op->a[1].kind, TC_PO_ADDRESS);
        assert_int_equal(op->a[1].neg, rows[i].base);
        assert_int_equal(op->a[1].imm, rows[i].imm);
        tc_arena_free(p.arena);
    }
}

/* Texts that ptxas accepts as well. */
static void statements(void **state) {
    (void)state;
    static const char *const rows[] = {
        "@%p1 bra X; X:",
        "@!%p1 bra.uni X; X: ret;",
        "{ { } }",
        "mov.u32 %r1, %tid.x;",
        "mov.u64 %rd1, %globaltimer;",
        "mov.u32 %r1, %laneid;",
        "mov.u32 %r1, dyn;",
        "mov.u64 %rd1, g+4;",
        "mov.b32 %r1, {%h1, %h2};",
        "mov.b32 {%h1, _}, %r1;",
        "mov.b64 {%r1, %r2}, %rd1;",
        "mov.b64 %rd1, {%h1, %h2, %h3, %h4};",
        "mov.pred %p1, 1;",
        "and.pred %p1, %p2, !%p3;",
        "setp.lt.s32 %p1|%p2, %r1, %r2;",
        "setp.lt.s32 _|%p2, %r1, %r2;",
        "setp.eq.and.u32 %p1, %r1, 5, !%p2;",
        "setp.nan.f32 %p1, %f1, %f2;",
        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s];",
        "ld.global.v2.f32 {%f1, _}, [%rd1];",
        "ld.global.s8 %h1, [%rd1];",
        "ld.global.s16 %r1, [%rd1];",
        "ld.global.nc.L1::no_allocate.f32 %f1, "
        "[%rd1];",
        "ld.volatile.u32 %r1, [%rd1];",
        "ld.relaxed.gpu.global.u32 %r1, "
        "[%rd1];",
        "st.global.v4.f32 [%rd1+16], {%f1, %f2, %f3, 0f00000000};",
        "st.release.cta.u32 [%rd1], 7;",
        "st.global.u8 [%rd1], %r1;",
        "cp.async.ca.shared.global [%r1], [%rd1], 4;",
        "cp.async.ca.shared::cta.global [%r1], [%rd1], 8, %r2;",
        "cp.async.cg.shared.global.L2::128B [%r1], [%rd1], 16, 16;",
        "cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd1], 16, %rd2;",
        "cp.async.ca.shared.global [%r1], [%rd1], 16, %p1;",
        "cp.async.commit_group;",
        "cp.async.wait_group 3;",
        "cp.async.wait_all;",
        "bar.sync 0;",
        "bar.cta.sync 1, 64;",
        "barrier.sync 0;",
        "barrier.sync.aligned %r1, %r2;",
        "bar.warp.sync 0xffffffff;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
        "fence.sc.cta;",
        "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
        "shfl.sync.idx.b32 %r1, %r2, %r3, %r4, %r5;",
        "cvta.to.global.u64 "
        "%rd1, %rd2;",
        "cvta.shared.u64 %rd1, s;",
        "cvt.rn.f16.f32 %h1, %f1;",
        "cvt.u32.u64 %r1, %rd1;",
        "cvt.s32.s8 %r1, %r2;",
        "cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
        "fma.rn.ftz.sat.f32 %f1, %f2, "
        "%f3, %f4;",
        "div.full.ftz.f32 %f1, %f2, %f3;",
        "mad.wide.s32 %rd1, %r1, 4, %rd2;",
        "mul.wide.u16 %r1, %h1, %h2;",
        "shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
        "lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
        "bfind.shiftamt.u32 %r1, %r2;",
        "prmt.b32.f4e %r1, %r2, %r3, %r4;",
        "nanosleep.u32 20;",
        "trap;",
        "exit;",
        ".loc 1 12 5",
        ".pragma \"nounroll\";",
        "{ .reg .b32 %r1, t; mov.b32 t, %r1; again: @%p1 bra again; } { again: "
        "bra again; }",
        ".local .align 8 .b8 depot[32]; mov.u64 %rd1, depot;",
        ".reg .b64 %SP, %SPL; cvta.local.u64 %SP, %SPL; st.u32 [%SP+0], 1;",
        "/* a\ncomment */ add.s32 %r1, %r2, -1; // another"};
    parsed p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        must_parse(&p, around(rows[i]));
        tc_arena_free(p.arena);
    }
}

static void details(void **state) {
    (void)state;
    parsed p;
    const tc_ptx_op *op =
        one(&p, "@!%p3 cp.async.ca.shared.global [%r1+16], [%rd1], 8, %r2;");
    assert_int_equal(op->opcode, TC_PTX_CP_ASYNC);
    assert_int_equal(op->size, 8);
    assert_true(op->guard >= 0 && op->guard_neg == 1);
    assert_int_equal(op->a[0].imm, 16);
    assert_int_equal(op->a[2].kind, TC_PO_REG);
    assert_int_equal(op->a[3].kind, TC_PO_NONE);
    assert_int_equal(op->ptx_line, 10);
    tc_arena_free(p.arena);
    op = one(&p, "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;");
    assert_int_equal(op->sub, TC_SHFL_BFLY);
    assert_int_equal(op->a[1].kind, TC_PO_PRED);
    assert_int_equal(op->a[5].imm, -1);
    tc_arena_free(p.arena);
    op = one(&p, "ld.global.s8 %h1, [%rd1];");
    assert_int_equal(op->a[0].nvec, 2);
    assert_int_equal(op->a[0].cls, TC_PF_32);
    tc_arena_free(p.arena);
    op = one(&p, "{ again: add.s32 %r1, %r1, 1; bra again; } { again: bra "
                 "again; }");
    assert_int_equal(op[1].target, 0);
    assert_int_equal(op[2].target, 2); /* each block has its own label */
    tc_arena_free(p.arena);
    op = one(&p, "bra end; end:");
    assert_int_equal(op->target, 1);
    tc_arena_free(p.arena);
    must_parse(&p, ".version 7.0\n.target sm_80\n.entry k() {.reg .pred %p0; "
                   "@%p0 exit; L: }");
    assert_int_equal(p.m->ncode, 2); /* a ret is added */
    assert_int_equal(p.m->code[1].opcode, TC_PTX_RET);
    tc_arena_free(p.arena);
}

/* Module variables: values, order, and the shared ones of two kernels. */
static void variables(void **state) {
    (void)state;
    parsed p;
    must_parse(&p,
               ".version 8.0\n.target sm_80\n.address_size 64\n"
               ".global .align 4 .u32 t[3] = {1, 0x203, -1};\n"
               ".const .f32 c[2][2] = {{0f3F800000, 2.0}, {0.5}};\n"
               ".visible .global .u8 one = 7;\n"
               ".shared .align 16 .b8 x[100];\n.shared .b64 y;\n"
               ".shared .b8 both[3];\n.extern .shared .align 16 .b8 dyn[];\n"
               ".visible .entry k1(.param .align 8 .b8 st[12], .param .u64 "
               ".ptr .global .align 4 q, .param .b8 z)\n"
               ".maxntid 128, 1, 1\n.minnctapersm 2\n.explicitcluster\n"
               ".reqnctapercluster 2, 1, 1\n"
               "{ .reg .b32 r; .shared .b8 own[4]; mov.u32 r, x; mov.u32 r, "
               "both; mov.u32 r, own; ret; }\n"
               ".visible .entry k2() { .reg .b32 r; mov.u32 r, y; mov.u32 r, "
               "both; mov.u32 r, dyn; }\n");
    const tc_ptx_symbol *s = p.m->symbols;
    static const uint8_t t[] = {1, 0, 0, 0, 3, 2, 0, 0, 0xff, 0xff, 0xff, 0xff};
    assert_memory_equal(s[0].init, t, sizeof t);
    static const float c[] = {1.0f, 2.0f, 0.5f, 0.0f};
    assert_memory_equal(s[1].init, c, sizeof c);
    assert_int_equal(s[1].size, 16);
    assert_int_equal(s[2].offset, 12);
    assert_int_equal(s[5].offset, 0);  /* both: first, for two kernels */
    assert_int_equal(s[3].offset, 16); /* x: k1 alone */
    assert_int_equal(s[4].offset, 8);  /* y: k2 alone, over k1's */
    assert_true(s[6].is_extern && s[6].align == 16);
    const tc_ptx_func *k1 = tc_ptx_find_entry(p.m, "k1");
    const tc_ptx_func *k2 = tc_ptx_find_entry(p.m, "k2");
    assert_int_equal(k1->shared_bytes, 16 + 100 + 4);
    assert_int_equal(k2->shared_bytes, 16);
    assert_int_equal(k1->nparams, 3);
    assert_int_equal(k1->params[1].offset, 16);
    assert_int_equal(k1->params[2].offset, 24);
    assert_int_equal(k1->param_bytes, 25);
    assert_int_equal(k1->maxntid[0], 128);
    assert_int_equal(k1->minnctapersm, 2);
    assert_int_equal(k1->reqcluster[0], 2);
    assert_true(k1->explicit_cluster);
    assert_null(tc_ptx_find_entry(p.m, "k3"));
    tc_arena_free(p.arena);
}

/* ---- errors ---- */

static void errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *substring, *hint;
    } rows[] = {
        {"foo.s32 %r1, %r2;", "unknown opcode 'foo'", ""},
        {"ad.s32 %r1, %r2, %r3;", "unknown opcode 'ad'", "'add'"},
        {"multimem.st.global.f32 [%rd1], %f1;", "'multimem' is not built", ""},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f1, %f1, %f1, "
         "%f1}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};",
         "there is no such form of 'mma'", ".f16 goes with .m8n8k4, .m16n8k8"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f1, %f1, "
         "%f1}, {%r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};",
         "wants a vector of 4 registers {..} here", ""},
        {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f1, %f1, %f1, "
         "%f1}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};",
         "has A in .row and B in .col", ""},
        {"mma.sync.aligned.row.col.f64.f64.f64.f64 {%r1}, {%r1}, {%r1}, {%r1};",
         "'mma' wants a shape", ""},
        {"wmma.load.a.sync.aligned.row.m16n16k8.bf16 {%r1, %r1, %r1, %r1}, "
         "[%rd1];",
         "there is no such form of 'wmma.load.a'", "with .m16n16k16"},
        {"call f;", "'f' is not declared", ""},
        {"sust.p.1d.b32.trap [%rd1, {%r1}], {%r1};", "'sust.p' is not built",
         ""},
        {"add.s33 %r1, %r2, %r3;", "unknown modifier '.s33'", "'.s3"},
        {"ld.globl.u32 %r1, [%rd1];", "unknown modifier '.globl'", "'.global'"},
        {"add.ftz.s32 %r1, %r2, %r3;", "'add.s32' has no modifier .ftz", ""},
        {"add.s32 %r1, %r2;", "has 3 operands, not 2", ""},
        {"add.s32 %r1, %r2, %r3, %r4;", "has 3 operands, not 4", ""},
        {"add.s32 %r1, %r2, %rx;", "register '%rx' is not declared", "'%r"},
        {"add.s32 %r1, %r2, %f1;", "'%f1' is .f32, which 'add.s32'", ""},
        {"add.s64 %rd1, %r2, %rd2;", "'%r2' is .b32, which 'add.s64'", ""},
        {"add.f32 %f1, %f2, 1;", "cannot use an integer constant",
         "0f3F800000"},
        {"add.s32 %r1, %r2, 0f3F800000;", "floating-point constant", ""},
        {"add.s32 %r1, %r2, %tid.x;", "cannot read a special register", "mov"},
        {"add.b32 %r1, %r2, %r3;", "'add' has no .b32", ""},
        {"mul.s32 %r1, %r2, %r3;", "wants one of .wide, .hi or .lo", ""},
        {"fma.f32 %f1, %f2, %f3, %f4;", "wants one of .rn, .rz, .rm or .rp",
         ""},
        {"cvt.u32.f32 %r1, %f1;", "from .f32 to .u32 wants a rounding", ".rzi"},
        {"cvt.rn.u32.f32 %r1, %f1;", "does not round with .rn", ""},
        {"setp.lt.b32 %p1, %r1, %r2;", "no such comparison of .b32", ""},
        {"setp.lt.and.s32 %p1, %r1, %r2;", "wants one more predicate", ""},
        {"bar.sync 17;", "barriers 0 to 15, not 17", ""},
        {"cp.async.ca.shared.global [%r1], [%rd1], 3;", "4, 8 or 16 bytes", ""},
        {"cp.async.cg.shared.global [%r1], [%rd1], 8;", "copies 16 bytes",
         ".ca"},
        {"cp.async.ca.shared.global [%r1], [%rd1], 16, 20;", "cannot read 20",
         ""},
        {"cp.async.ca.global.shared [%r1], [%rd1], 16;", "to .shared from", ""},
        {"bra nowhere;", "no label 'nowhere'", ""},
        {"{ X: } bra X;", "no label 'X'", ""},
        {"X: X:", "label 'X' is already", ""},
        {".reg .b32 %r<4>;", "'%r' is already declared", ""},
        {"mov.u32 %r1, %r2", "expected ';'", ""},
        {"mov.u32 %r1, 0x;", "'0x' is not a number", ""},
        {"mov.u32 %r1, 99999999999999999999;", "does not fit in 64 bits", ""},
        {"mov.f32 %f1, 0f3F80;", "0f wants 8", ""},
        {"ld.global.u32 %r1, [%rd1+%r1];", "plus a constant", ""},
        {"ld.global.u32 %r1, [%f1];", "an address needs a register", ""},
        {"ld.shared.u32 %r1, [g];", "'g' is in .global", ""},
        {"ld.global.v4.u32 %r1, [%rd1];", "a vector of 4", ""},
        {"ld.global.v3.u32 {%r1,%r2,%r3}, [%rd1];", "modifier '.v3'", ""},
        {"@%r1 bra X; X:", "a guard is a predicate", ""},
        {"mov.u32 %r1, %pm8;", "%pm8", ""},
        {"mov.u32 %tid.x, %r1;", "cannot be written", ""},
        {"ld.relaxed.global.u32 %r1, [%rd1];", "wants a scope", ""},
        {"ld.global.u32 %r1, [%rd1-8];", "PTX has no '-'", "+-8"},
        {"ld.shared.u32 %r1, [64];", "a constant address only in .local",
         "register"},
        {"ld.global.u32 %r1, [%r2];", "a .global address of 'ld' has 64", ""},
        {"ld.shared::cluster.u32 %r1, [g];", "'g' is in .global", ""},
        {"st.const.u32 [%rd1], %r1;", "cannot be written", ""},
        {".reg .v2 .b32 %v; mov.b32 %r1, %v.z;", "has the elements .x to .y",
         ""},
        {"lop3.b32 %r1, %r2, %r3, %r4, 256;", "8 bits, not 256", ""},
        {"shfl.sync.b32 %r1, %r2, %r3, %r4, %r5;", ".up, .down", ""},
        {"cvt.sat.u32.u16 %r1, %h1;", "nothing to clamp", ""},
        {"cvt.rn.sat.bf16.s8 %h1, %r1;", ".bf16 has no .sat", ""},
        {";", "expected an instruction, found ';'", ""},
        {"add.s32 %r1, %r2, `;", "'`' has no meaning", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parsed p;
        const char *text = around(rows[i].text);
        parse(&p, text, strlen(text));
        if (p.m != NULL || p.seen.line != 10 ||
            strstr(p.seen.message, rows[i].substring) == NULL ||
            strstr(p.seen.hint, rows[i].hint) == NULL) {
            fail_msg("%s\n  wants: %s [%s]\n  got: line %d: %s [%s]",
                     rows[i].text, rows[i].substring, rows[i].hint, p.seen.line,
                     p.seen.message, p.seen.hint);
        }
        tc_arena_free(p.arena);
    }
}

static void module_errors(void **state) {
    (void)state;
    static const struct {
        const char *text, *substring;
        int line, col;
    } rows[] = {
        {"", "no .version", 1, 1},
        {".version 8.0\n", "no .target", 1, 1},
        {".version 5.0\n.target sm_80\n", "too old", 1, 10},
        {".version 8.0\n.target gfx90\n", "unknown .target 'gfx90'", 2, 9},
        {".version 8.0\n.target sm_80\n.address_size 32\n", "only .address", 3,
         15},
        {".version 8.0\n.target sm_80\n.entry k() {", "this '{' has no '}'", 3,
         12},
        {".version 8.0\n.target sm_80\n.entry k() { ret; }\n.entry k() { ret; "
         "}\n",
         "'k' is declared twice", 4, 8},
        {".version 8.0\n.target sm_80\n.global .u8 x[2] = {1, 2, 3};\n",
         "3 bytes of initial values", 3, 20},
        {".version 8.0\n.target sm_80\n.global .u64 x = y;\n",
         "'y' is not declared", 3, 18},
        {".version 8.0\n.target sm_80\n.tex .u64 x;\n", "'.tex' is not known",
         3, 1},
        {".version 8.0\n.target sm_80\n/* no end\n", "comment has no end", 3,
         1},
        {".version 8.0\n.target sm_80\n.file 1 \"a\n", "no closing quote", 3,
         9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        parsed p;
        parse(&p, rows[i].text, strlen(rows[i].text));
        if (p.m != NULL || p.seen.line != rows[i].line ||
            p.seen.col != rows[i].col ||
            strstr(p.seen.message, rows[i].substring) == NULL) {
            fail_msg("%s\n  wants %d:%d %s\n  got %d:%d %s", rows[i].text,
                     rows[i].line, rows[i].col, rows[i].substring, p.seen.line,
                     p.seen.col, p.seen.message);
        }
        tc_arena_free(p.arena);
    }
}

/* All errors of a text are reported, up to a limit. */
static void several_errors(void **state) {
    (void)state;
    parsed p;
    const char *text = around("foo; bar %r1; add.s32 %r1, %r2, 3;\nbaz;");
    parse(&p, text, strlen(text));
    assert_int_equal(p.seen.n, 3);
    tc_arena_free(p.arena);
    char *many = malloc(10000);
    strcpy(many, head);
    strcat(many, ".entry k() {\n");
    for (int i = 0; i < 100; i++) {
        strcat(many, "foo;\n");
    }
    strcat(many, "}\n");
    parse(&p, many, strlen(many));
    assert_int_equal(p.seen.n, 21);
    tc_arena_free(p.arena);
    free(many);
}

/* No truncation of a valid text crashes; each says what is missing. */
static void truncations(void **state) {
    (void)state;
    size_t len;
    char *text = read_all("double_buffer", &len);
    for (size_t n = 0; n < len; n += 7) {
        parsed p;
        char *cut = malloc(n + 1);
        memcpy(cut, text, n);
        cut[n] = 0;
        parse(&p, cut, n);
        tc_arena_free(p.arena);
        free(cut);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvcc_files),    cmocka_unit_test(nvcc_lines),
        cmocka_unit_test(operands),      cmocka_unit_test(addresses),
        cmocka_unit_test(statements),    cmocka_unit_test(details),
        cmocka_unit_test(variables),     cmocka_unit_test(errors),
        cmocka_unit_test(module_errors), cmocka_unit_test(several_errors),
        cmocka_unit_test(truncations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
