/* sim_program.c - PTX 9.0 programs and their launches. */
#include "sim_program.h"

char *program(const char *target, const char *decls, const char *body) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(
        &b,
        ".version 9.0\n.target %s\n.address_size 64\n%s"
        ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
        ".reg .b64 %%rd<30>;\n.reg .b32 %%r<60>;\n.reg .b16 %%h<20>;\n"
        ".reg .pred %%p<10>;\n.reg .f32 %%f<20>;\n.reg .f64 %%d<8>;\n"
        ".reg .b128 %%q<8>;\n"
        ".shared .align 128 .b8 sm[8192];\n"
        "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
        "mov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, %%r1, 5;\n"
        "cvt.u64.u32 %%rd3, %%r2;\nadd.u64 %%rd4, %%rd1, %%rd3;\n"
        "add.u64 %%rd5, %%rd2, %%rd3;\nmov.u32 %%r3, sm;\n"
        "shl.b32 %%r4, %%r1, 4;\nadd.u32 %%r4, %%r4, %%r3;\n"
        "mov.u32 %%r7, %%laneid;\nshr.u32 %%r8, %%r1, 5;\n%s",
        target, decls, body);
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

static void keep_print(void *user, const char *text, size_t n) {
    tc_buf_write(user, text, n);
}

void launch_text(sim_file *c, const char *text) {
    tc_diags d = {.fn = print_diag};
    c->arena = tc_arena_new();
    tc_source *s = TC_NEW(c->arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(c->arena, s, &d);
    assert_non_null(m);
    tc_sim_options o = {.hazards = c->hazards,
                        .timing = c->timing,
                        .print = keep_print,
                        .print_user = &c->printed};
    c->sim = tc_sim_new(m, &o, &d);
    assert_non_null(c->sim);
    tc_sim_allocation *a = tc_sim_alloc(c->sim, BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(c->sim, BYTES, "B");
    memcpy(a->bytes, c->a, BYTES);
    memcpy(b->bytes, c->b, BYTES);
    uint64_t params[2] = {a->address, b->address};
    tc_sim_launch l = {.entry = c->entry,
                       .grid = {1, 1, 1},
                       .block = {c->block, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = c->nparams ? c->nparams : sizeof params};
    assert_true(tc_sim_run(c->sim, &l, &d, &c->r));
    memcpy(c->b, b->bytes, BYTES);
}

void end_file(sim_file *c) {
    tc_buf_free(&c->printed);
    tc_sim_free(c->sim);
    tc_arena_free(c->arena);
}

char *ptx_file(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "tests/ptx/%s.ptx", name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 17);
    size_t n = fread(text, 1, (1 << 17) - 1, f);
    fclose(f);
    assert_true(n > 0);
    return text;
}

uint64_t dword(const uint8_t *p, uint32_t at) {
    uint64_t v;
    memcpy(&v, p + at, 8);
    return v;
}
