/* async_run.h - runs a whole PTX kernel of sm_90a on buffers of bytes. */
#ifndef ASYNC_RUN_H
#define ASYNC_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "sim/sim.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A kernel k(A, B) with 16 KiB of shared memory at sm, mbarriers at bar (8),
 * tid in r1, sm in r2, bar in r3, global A and B in rd1 and rd2, thread 0 in
 * p1, and the body. */
static const char async_prologue[] =
    ".address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B%s)\n{\n"
    ".reg .b64 %%rd<20>;\n.reg .b32 %%r<40>;\n.reg .b16 %%h<8>;\n"
    ".reg .pred %%p<8>;\n.reg .f32 %%f<8>;\n.reg .f64 %%d<4>;\n"
    ".shared .align 1024 .b8 sm[16384];\n.shared .align 8 .b64 bar[8];\n"
    "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
    "cvta.to.global.u64 %%rd1, %%rd1;\ncvta.to.global.u64 %%rd2, %%rd2;\n"
    "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, sm;\nmov.u32 %%r3, bar;\n"
    "setp.eq.u32 %%p1, %%r1, 0;\n%sret;\n}\n";

enum { ASYNC_BYTES = 16384 };

typedef struct async_case {
    /* asked */
    const char *arch;     /* NULL: sm_90a */
    const char *params;   /* more of them: ", .param .b64 C" */
    const uint8_t *extra; /* their bytes, behind A and B */
    uint32_t nextra;
    uint32_t grid, block, cluster; /* 0: 1, 32, none */
    bool timing, hazards, trace;
    tc_completion completion;
    uint64_t seed;
    /* results */
    tc_sim_result r;
    uint8_t a0[ASYNC_BYTES], b0[ASYNC_BYTES]; /* before */
    uint8_t a[ASYNC_BYTES], b[ASYNC_BYTES];   /* after */
    uint64_t address_a, address_b;
    tc_trace *t;
    tc_arena *arena;
    tc_sim *sim;
    tc_sim_allocation *in, *out;
} async_case;

static void async_print(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static inline char *async_text(const async_case *c, const char *body) {
    tc_buf b = TC_BUF_INIT;
    const char *arch = c->arch ? c->arch : "sm_90a";
    tc_buf_printf(&b, ".version %s\n.target %s\n",
                  strcmp(arch, "sm_90a") == 0 ? "8.6" : "8.8", arch);
    tc_buf_printf(&b, async_prologue, c->params ? c->params : "", body);
    return b.data;
}

static inline void async_ptxas(const char *text, const char *arch) {
    assert_true(ptxas_takes(arch ? arch : "sm_90a", text));
}

static inline uint8_t async_byte(uint32_t i, uint32_t salt) {
    return (uint8_t)(i * 7 + i / 256 * 3 + i / 4096 + salt);
}

/* Parses the text and makes the memory: A and B are filled, for the caller to
 * change. */
static inline void async_begin(async_case *c, const char *text) {
    tc_diags d = {.fn = async_print};
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
    c->in = tc_sim_alloc(c->sim, ASYNC_BYTES, "A");
    c->out = tc_sim_alloc(c->sim, ASYNC_BYTES, "B");
    c->address_a = c->in->address;
    c->address_b = c->out->address;
    for (uint32_t i = 0; i < ASYNC_BYTES; i++) {
        c->in->bytes[i] = async_byte(i, 1);
        c->out->bytes[i] = async_byte(i, 99);
    }
}

static inline void async_go(async_case *c) {
    tc_diags d = {.fn = async_print};
    _Alignas(64) uint8_t params[1024] = {0};
    uint64_t head[2] = {c->address_a, c->address_b};
    uint32_t at = c->params && strstr(c->params, ".align 64") ? 64 : 16;
    memcpy(params, head, sizeof head);
    assert_true(at + c->nextra <= sizeof params);
    if (c->nextra) {
        memcpy(params + at, c->extra, c->nextra);
    }
    memcpy(c->a0, c->in->bytes, ASYNC_BYTES);
    memcpy(c->b0, c->out->bytes, ASYNC_BYTES);
    tc_sim_launch l = {
        .entry = "k",
        .grid = {c->grid ? c->grid : 1, 1, 1},
        .block = {c->block ? c->block : 32, 1, 1},
        .cluster = {c->cluster, c->cluster ? 1 : 0, c->cluster ? 1 : 0},
        .params = params,
        .nparams = c->nextra ? at + c->nextra : 16};
    assert_true(tc_sim_run(c->sim, &l, &d, &c->r));
    memcpy(c->a, c->in->bytes, ASYNC_BYTES);
    memcpy(c->b, c->out->bytes, ASYNC_BYTES);
    c->t = tc_sim_take_trace(c->sim);
}

static inline void async_run(async_case *c, const char *body) {
    char *text = async_text(c, body);
    async_begin(c, text);
    async_go(c);
    free(text);
}

static inline void async_end(async_case *c) {
    tc_trace_free(c->t);
    tc_sim_free(c->sim);
    tc_arena_free(c->arena);
}

/* The four policies, one after the other. */
static const struct {
    const char *name;
    tc_completion completion;
    uint64_t seed;
    bool timing;
} async_policies[] = {{"late", TC_COMPLETE_LATE, 0, false},
                      {"early", TC_COMPLETE_EARLY, 0, false},
                      {"random 1", TC_COMPLETE_RANDOM, 1, false},
                      {"random 2", TC_COMPLETE_RANDOM, 2, false},
                      {"timing", TC_COMPLETE_TIMING, 0, true}};
enum { ASYNC_POLICIES = 5 };

static inline async_case *async_new(void) {
    async_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    return c;
}

#endif
