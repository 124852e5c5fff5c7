/* mbar_run.c - runs PTX kernels of sm_90a for the tests of mbarriers. */
#include "mbar_run.h"

/* %s: directives of the entry, then bytes of sm, then the body. */
static const char mbar_program[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)%s\n{\n"
    ".reg .b64 %%rd<30>;\n.reg .b32 %%r<60>;\n.reg .pred %%p<10>;\n"
    ".shared .align 16 .b8 sm[%u];\n.shared .align 8 .b64 bar[16];\n"
    "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
    "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\nmov.u32 %%r3, sm;\n"
    "mov.u32 %%r4, bar;\nmov.u32 %%r6, %%ntid.x;\n"
    "mad.lo.u32 %%r5, %%r2, %%r6, %%r1;\nmov.u32 %%r10, 0;\n"
    "setp.eq.u32 %%p1, %%r1, 0;\n%s"
    "mul.wide.u32 %%rd20, %%r5, 4;\nadd.u64 %%rd21, %%rd2, %%rd20;\n"
    "st.global.u32 [%%rd21], %%r10;\nret;\n}\n";

void mbar_diag(void *user, const tc_diag *d) {
    mbar_case *c = user;
    size_t n = strlen(c->errors);
    snprintf(c->errors + n, sizeof c->errors - n, "%s\n", d->message);
}

char *mbar_text(const mbar_case *c, const char *body) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, mbar_program, c->directives ? c->directives : "",
                  c->sm ? c->sm : 4096u, body);
    return b.data;
}

void mbar_run_text(mbar_case *c, const char *text) {
    tc_diags d = {.fn = mbar_diag, .user = c};
    c->arena = tc_arena_new();
    tc_source *s = TC_NEW(c->arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(c->arena, s, &d);
    if (!m) {
        fprintf(stderr, "%s%s", text, c->errors);
    }
    assert_non_null(m);
    tc_sim_options o = {.arch = c->arch,
                        .hazards = c->hazards,
                        .timing = c->timing,
                        .trace = c->trace,
                        .completion = c->completion,
                        .seed = c->seed,
                        .cancel = c->cancel};
    c->sim = tc_sim_new(m, &o, &d);
    assert_non_null(c->sim);
    tc_sim_allocation *a = tc_sim_alloc(c->sim, MBAR_BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(c->sim, MBAR_BYTES, "B");
    for (uint32_t i = 0; i < MBAR_BYTES / 4; i++) {
        c->a[i] = i * 2654435761u;
    }
    memcpy(a->bytes, c->a, MBAR_BYTES);
    uint64_t params[2] = {a->address, b->address};
    tc_sim_launch l = {.entry = c->entry ? c->entry : "k",
                       .cooperative = true,
                       .grid = {c->grid[0] ? c->grid[0] : 1,
                                c->grid[1] ? c->grid[1] : 1,
                                c->grid[2] ? c->grid[2] : 1},
                       .block = {c->block ? c->block : 32, 1, 1},
                       .registers = c->registers,
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    memcpy(l.cluster, c->cluster, sizeof l.cluster);
    c->ran = tc_sim_run(c->sim, &l, &d, &c->r);
    memcpy(c->b, b->bytes, MBAR_BYTES);
    c->t = tc_sim_take_trace(c->sim);
}

void mbar_run(mbar_case *c, const char *body) {
    char *text = mbar_text(c, body);
    mbar_run_text(c, text);
    free(text);
}

void mbar_check_text(const mbar_case *c, const char *body) {
    char *text = mbar_text(c, body);
    assert_true(ptxas_takes("sm_90a", text));
    free(text);
}

void mbar_end(mbar_case *c) {
    tc_trace_free(c->t);
    tc_sim_free(c->sim);
    tc_arena_free(c->arena);
    memset(c, 0, sizeof *c);
}

void mbar_print(const mbar_case *c, const char *name) {
    fprintf(stderr, "%s: status %d, %d findings\n%s", name, (int)c->r.status,
            c->r.nfindings, c->errors);
    for (int i = 0; i < c->r.nfindings; i++) {
        const tc_finding *f = &c->r.findings[i];
        fprintf(stderr, "  %s at PTX line %u, cause %u, bytes %llx: %s\n",
                tc_finding_kind_names[f->kind],
                f->at.op ? f->at.op->ptx_line : 0,
                f->cause.op ? f->cause.op->ptx_line : 0,
                (unsigned long long)f->address, detail_text(f));
    }
}
