/* sim_harness.c - runs hand-written PTX. */
#include "sim_harness.h"

static const char prologue[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .b16 %h<8>;\n"
    ".reg .pred %p<8>;\n.reg .f32 %f<8>;\n"
    ".shared .align 16 .b8 sm[4096];\n.local .align 16 .b8 loc[64];\n"
    "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
    "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\ncvt.u64.u32 %rd3, %r2;\n"
    "add.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
    "mov.u32 %r3, sm;\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r5, %r2, 4;\n"
    "and.b32 %r5, %r5, 511;\nadd.u32 %r6, %r3, %r5;\n"
    "mov.u32 %r7, %laneid;\nshr.u32 %r8, %r1, 5;\n";

void print_diag(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

char *whole_text(const char *body, const char *drop) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, prologue);
    while (*body) {
        const char *end = strchr(body, '\n');
        size_t len = end ? (size_t)(end - body) + 1 : strlen(body);
        char line[256] = {0};
        memcpy(line, body, len < 255 ? len : 255);
        if (!drop || !strstr(line, drop)) {
            tc_buf_write(&b, body, len);
        }
        body += len;
    }
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

void fill(uint8_t *p, uint32_t salt) {
    for (uint32_t i = 0; i < BYTES; i++) {
        p[i] = (uint8_t)(i * 7 + i / 256 + salt);
    }
}

void run_text(sim_case *c, const char *text) {
    tc_diags d = {.fn = print_diag};
    c->arena = tc_arena_new();
    tc_source *s = TC_NEW(c->arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(c->arena, s, &d);
    assert_non_null(m);
    tc_sim_options o = {.arch = c->arch,
                        .hazards = c->hazards,
                        .timing = c->timing,
                        .trace = c->trace,
                        .completion = c->completion,
                        .seed = c->seed};
    c->sim = tc_sim_new(m, &o, &d);
    assert_non_null(c->sim);
    tc_sim_allocation *a = tc_sim_alloc(c->sim, BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(c->sim, BYTES, "B");
    fill(a->bytes, 1);
    fill(b->bytes, 99);
    uint64_t params[2] = {a->address, b->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {c->grid ? c->grid : 1, 1, 1},
                       .block = {c->block ? c->block : 128, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    assert_true(tc_sim_run(c->sim, &l, &d, &c->r));
    memcpy(c->b, b->bytes, BYTES);
    c->t = tc_sim_take_trace(c->sim);
}

void end_case(sim_case *c) {
    tc_trace_free(c->t);
    tc_sim_free(c->sim);
    tc_arena_free(c->arena);
}

uint32_t word(const uint8_t *p, uint32_t i) {
    uint32_t v;
    memcpy(&v, p + 4 * (size_t)i, 4);
    return v;
}
