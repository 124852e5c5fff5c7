/* hazard_run.h - tables of correct programs and their mutants, for the tests of
 * the checker: each under every completion policy and two orders of threads. A
 * mutant is its program without the lines that hold a mark. */
#ifndef HAZARD_RUN_H
#define HAZARD_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "detail_text.h"
#include "sim/sim.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of thread t: t in r1, 4 t in r2, own word of sm in r4, the next thread's in
 * r6 (round the CTA), lane r7, warp r8; CTA in r9; own words of A and B (each
 * CTA's behind the other) in rd4 and rd5; A and B in rd1 and rd2; thread 0 in
 * p1. bar: 8 mbarriers; full and empty are bar and bar + 32. %s: how t comes
 * from %tid.x, then the body. */
static const char hazard_program[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<30>;\n.reg .b32 %r<60>;\n.reg .b16 %h<8>;\n"
    ".reg .pred %p<12>;\n"
    ".shared .align 128 .b8 sm[8192];\n.shared .align 8 .b64 bar[8];\n"
    ".local .align 16 .b8 loc[64];\n"
    "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r3, %ntid.x;\nsub.u32 %r4, %r3, 1;\n";
static const char hazard_reversed[] = "sub.u32 %r1, %r4, %r1;\n";
static const char hazard_rest[] =
    "add.u32 %r6, %r1, 1;\nand.b32 %r6, %r6, %r4;\nshl.b32 %r6, %r6, 2;\n"
    "shl.b32 %r2, %r1, 2;\nmov.u32 %r9, %ctaid.x;\n"
    "mad.lo.u32 %r5, %r9, %r3, %r1;\nmul.wide.u32 %rd3, %r5, 4;\n"
    "add.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
    "mov.u32 %r3, sm;\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r6, %r3, %r6;\n"
    "and.b32 %r7, %r1, 31;\nshr.u32 %r8, %r1, 5;\n"
    "setp.eq.u32 %p1, %r1, 0;\n";

/* SEVERAL: at least one finding, and all of them want the same line. */
enum { HAZARD_BYTES = 1 << 16, NONE = -1, ANY = -1, SEVERAL = -2 };
#define KIND(k) TC_FINDING_##k

typedef struct hazard_case {
    const char *name, *body, *drop; /* drop: lines to leave out */
    int kind;                       /* NONE: correct */
    int missing;                    /* tc_missing, or ANY */
    int at, cause;                  /* opcodes, or ANY */
    uint32_t grid, block, cluster;  /* 0: 1 CTA, 128 threads, none */
} hazard_case;

typedef struct hazard_order {
    const char *name;
    tc_completion completion;
    uint64_t seed;
    bool reversed, timing;
} hazard_order;

static const hazard_order hazard_orders[] = {
    {"late", TC_COMPLETE_LATE, 0, false, false},
    {"early", TC_COMPLETE_EARLY, 0, false, false},
    {"random 1", TC_COMPLETE_RANDOM, 1, false, false},
    {"random 2, reversed", TC_COMPLETE_RANDOM, 2, true, false},
    {"late, reversed", TC_COMPLETE_LATE, 0, true, false},
    {"timing", TC_COMPLETE_TIMING, 0, false, true},
};

static void hazard_diag(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static char *hazard_text(const hazard_case *c, bool reversed) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, hazard_program);
    tc_buf_puts(&b, reversed ? hazard_reversed : "");
    tc_buf_puts(&b, hazard_rest);
    for (const char *p = c->body; *p;) {
        const char *end = strchr(p, '\n');
        size_t len = end ? (size_t)(end - p) + 1 : strlen(p);
        char line[256] = {0};
        memcpy(line, p, len < 255 ? len : 255);
        if (!c->drop || !strstr(line, c->drop)) {
            tc_buf_write(&b, p, len);
        }
        p += len;
    }
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

static bool hazard_expected(const hazard_case *c, const tc_sim_result *r) {
    const tc_finding *f = r->findings;
    if (c->kind == NONE) {
        return r->status == TC_RUN_OK && r->nfindings == 0;
    }
    for (int i = 0; i < r->nfindings && c->kind == SEVERAL; i++) {
        if (c->missing != ANY && (int)f[i].missing != c->missing) {
            return false;
        }
    }
    if (c->kind == SEVERAL) {
        return r->nfindings > 0;
    }
    return r->nfindings == 1 && (int)f->kind == c->kind &&
           (c->missing == ANY || (int)f->missing == c->missing) &&
           (c->at == ANY || (f->at.op && f->at.op->opcode == c->at)) &&
           (c->cause == ANY ||
            (f->cause.op && f->cause.op->opcode == c->cause));
}

static void hazard_show(const hazard_case *c, const hazard_order *o,
                        const tc_sim_result *r, const char *text) {
    fprintf(stderr, "%s (%s): status %d\n", c->name, o->name, (int)r->status);
    for (int i = 0; i < r->nfindings; i++) {
        const tc_finding *f = &r->findings[i];
        fprintf(stderr,
                "  %s at %u.%u.%u line %u cause %u.%u.%u line %u"
                " missing %d %s\n",
                tc_finding_kind_names[f->kind], f->at.cta, f->at.warp,
                f->at.lane, f->at.op ? f->at.op->ptx_line : 0, f->cause.cta,
                f->cause.warp, f->cause.lane,
                f->cause.op ? f->cause.op->ptx_line : 0, (int)f->missing,
                detail_text(f));
    }
    if (getenv("HAZARD_TEXT")) {
        fprintf(stderr, "%s", text);
    }
}

static int hazard_run(const hazard_case *c, const hazard_order *o,
                      bool assemble) {
    char *text = hazard_text(c, o->reversed);
    tc_diags d = {.fn = hazard_diag};
    tc_arena *arena = tc_arena_new();
    tc_source *s = TC_NEW(arena, tc_source);
    *s = (tc_source){"test.ptx", text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, s, &d);
    tc_sim_result r = {0};
    int bad = assemble && !ptxas_takes("sm_90a", text);
    if (!m) {
        fprintf(stderr, "%s: does not parse\n%s", c->name, text);
        tc_arena_free(arena);
        free(text);
        return 1;
    }
    tc_sim_options so = {.hazards = true,
                         .timing = o->timing,
                         .completion = o->completion,
                         .seed = o->seed};
    tc_sim *sim = tc_sim_new(m, &so, &d);
    tc_sim_allocation *a = tc_sim_alloc(sim, HAZARD_BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(sim, HAZARD_BYTES, "B");
    uint64_t params[2] = {a->address, b->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {c->grid ? c->grid : 1, 1, 1},
                       .block = {c->block ? c->block : 128, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    if (c->cluster) {
        l.cluster[0] = c->cluster;
        l.cluster[1] = l.cluster[2] = 1;
    }
    bool ran = tc_sim_run(sim, &l, &d, &r);
    if (bad || !ran || !hazard_expected(c, &r)) {
        bad = 1;
        hazard_show(c, o, &r, text);
    }
    tc_sim_free(sim);
    tc_arena_free(arena);
    free(text);
    return bad;
}

/* HAZARD=part of a name: those alone. */
static void hazard_run_all(const hazard_case *c, int n) {
    const char *only = getenv("HAZARD");
    int bad = 0, norders = sizeof hazard_orders / sizeof hazard_orders[0];
    for (int i = 0; i < n; i++) {
        if (only && !strstr(c[i].name, only)) {
            continue;
        }
        for (int j = 0; j < norders; j++) {
            bad += hazard_run(&c[i], &hazard_orders[j], j == 0);
        }
    }
    assert_int_equal(bad, 0);
}

#endif
