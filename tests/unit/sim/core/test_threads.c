/* test_threads.c - CTAs on several threads (sim/threads.h): for every number of
 * threads the same bytes, findings, counters and cycles; and which kernels run on
 * several at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after those four */
#include <cmocka.h>

#include "base/buf.h"
#include "sim/sim.h"
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 16, GRID = 16, BLOCK = 128 };

/* Of thread t of 128 in each of 16 CTAs: t in r1, the CTA in r9, its number in
 * the grid r5, own words of A and B at rd4 and rd5, of sm at r4, lane r7; thread
 * 0 in p1; that number as a float of many sizes in f1. */
static const char head[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".func (.reg .b32 %q) twice(.reg .b32 %x)\n{\nadd.u32 %q, %x, "
    "%x;\nret;\n}\n"
    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
    ".reg .b64 %rd<30>;\n.reg .b32 %r<60>;\n.reg .b16 %h<8>;\n"
    ".reg .pred %p<12>;\n.reg .f32 %f<20>;\n.reg .f64 %d<8>;\n"
    ".shared .align 128 .b8 sm[8192];\n.local .align 16 .b8 loc[64];\n"
    "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r9, %ctaid.x;\n"
    "mad.lo.u32 %r5, %r9, %r2, %r1;\nmul.wide.u32 %rd3, %r5, 4;\n"
    "add.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\n"
    "mov.u32 %r3, sm;\nshl.b32 %r6, %r1, 2;\nadd.u32 %r4, %r3, %r6;\n"
    "and.b32 %r7, %r1, 31;\nsetp.eq.u32 %p1, %r1, 0;\n"
    "cvt.rn.f32.u32 %f1, %r5;\nmul.f32 %f1, %f1, %f1;\nmul.f32 %f1, %f1, "
    "0f3DCCCCCD;\n";

typedef struct kernel {
    const char *name;
    bool threads; /* it runs on several */
    uint32_t block;
    const char *body;
} kernel;

#define LOAD  "ld.global.u32 %r10, [%rd4];\n"
#define STORE "st.global.u32 [%rd5], %r10;\n"

static const kernel kernels[] = {
    {"copy", true, 0, LOAD STORE},
    {"fma", true, 0,
     "ld.global.f32 %f2, [%rd4];\nfma.rn.f32 %f2, %f2, %f1, %f1;\n"
     "st.global.f32 [%rd5], %f2;\n"},
    {"in place", true, 0,
     LOAD "add.u32 %r10, %r10, 1;\n"
          "st.global.u32 [%rd4], %r10;\n"},
    {"strided", true, 0,
     "shl.b32 %r11, %r5, 3;\nand.b32 %r11, %r11, 16380;\n"
     "cvt.u64.u32 %rd6, %r11;\nadd.u64 %rd6, %rd1, %rd6;\n"
     "ld.global.u32 %r10, [%rd6];\n" STORE},
    {"gather", true, 0,
     LOAD "and.b32 %r10, %r10, 16380;\ncvt.u64.u32 %rd6, %r10;\n"
          "add.u64 %rd6, %rd1, %rd6;\nld.global.u32 %r10, [%rd6];\n" STORE},
    {"scatter", true, 0,
     LOAD "mul.lo.u32 %r11, %r5, 20;\nand.b32 %r11, %r11, 8188;\n"
          "cvt.u64.u32 %rd6, %r11;\nadd.u64 %rd6, %rd2, %rd6;\n"
          "st.global.u32 [%rd6], %r10;\n"},
    {"stencil", true, 0,
     LOAD "ld.global.u32 %r11, [%rd4+4];\nld.global.u32 %r12, [%rd4+512];\n"
          "add.u32 %r10, %r10, %r11;\nsub.u32 %r10, %r10, %r12;\n" STORE},
    {"transpose", true, 0,
     LOAD "shl.b32 %r11, %r5, 8;\nshr.u32 %r12, %r5, 5;\n"
          "shl.b32 %r12, %r12, 2;\nand.b32 %r11, %r11, 7936;\n"
          "add.u32 %r11, %r11, %r12;\ncvt.u64.u32 %rd6, %r11;\n"
          "add.u64 %rd6, %rd2, %rd6;\nst.global.u32 [%rd6], %r10;\n"},
    {"vectors", true, 0,
     "mul.wide.u32 %rd6, %r5, 16;\nadd.u64 %rd7, %rd1, %rd6;\n"
     "add.u64 %rd8, %rd2, %rd6;\n"
     "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd7];\n"
     "st.global.v4.u32 [%rd8], {%r13, %r12, %r11, %r10};\n"},
    {"bytes, CTAs in one word", true, 0,
     "cvt.u64.u32 %rd6, %r5;\nadd.u64 %rd6, %rd2, %rd6;\n"
     "st.global.u8 [%rd6+1], %r5;\n"},
    {"halves, CTAs in one word", true, 0,
     "mul.wide.u32 %rd6, %r5, 2;\nadd.u64 %rd6, %rd2, %rd6;\n"
     "cvt.u16.u32 %h1, %r5;\nst.global.u16 [%rd6+2], %h1;\n"},
    {"doubles", true, 0,
     "mul.wide.u32 %rd6, %r5, 8;\nadd.u64 %rd6, %rd2, %rd6;\n"
     "cvt.rn.f64.u32 %d1, %r5;\nsqrt.rn.f64 %d1, %d1;\n"
     "st.global.f64 [%rd6], %d1;\n"},
    {"a table that all read", true, 0,
     "mov.u32 %r11, 0;\nmov.u64 %rd6, %rd1;\nmov.u32 %r12, 0;\n"
     "more:\nld.global.u32 %r10, [%rd6];\nadd.u32 %r12, %r12, %r10;\n"
     "add.u64 %rd6, %rd6, 4;\nadd.u32 %r11, %r11, 1;\n"
     "setp.lt.u32 %p2, %r11, 40;\n@%p2 bra more;\n"
     "st.global.u32 [%rd5], %r12;\n"},
    {"loops of many lengths", true, 0,
     "and.b32 %r11, %r5, 63;\nmov.u32 %r12, 0;\n"
     "more:\nadd.u32 %r12, %r12, %r11;\nsub.u32 %r11, %r11, 1;\n"
     "setp.gt.s32 %p2, %r11, 0;\n@%p2 bra more;\n"
     "st.global.u32 [%rd5], %r12;\n"},
    {"half of them leave", true, 0,
     "and.b32 %r11, %r5, 1;\nsetp.eq.u32 %p2, %r11, 0;\n@%p2 ret;\n" LOAD
         STORE},
    {"two sides", true, 0,
     LOAD "and.b32 %r11, %r10, 1;\nsetp.eq.u32 %p2, %r11, 0;\n@%p2 bra even;\n"
          "mul.lo.u32 %r10, %r10, 3;\nadd.u32 %r10, %r10, 1;\nbra done;\n"
          "even:\nshr.u32 %r10, %r10, 1;\ndone:\n" STORE},
    {"shared, reversed", true, 0,
     LOAD "st.shared.u32 [%r4], %r10;\nbar.sync 0;\nsub.u32 %r11, 127, %r1;\n"
          "shl.b32 %r11, %r11, 2;\nadd.u32 %r11, %r3, %r11;\n"
          "ld.shared.u32 %r10, [%r11];\n" STORE},
    {"shared sums", true, 0,
     LOAD "st.shared.u32 [%r4], %r10;\nbar.sync 0;\nmov.u32 %r11, 64;\n"
          "more:\nsetp.lt.u32 %p2, %r1, %r11;\nshl.b32 %r12, %r11, 2;\n"
          "add.u32 %r12, %r4, %r12;\n@!%p2 bra skip;\n"
          "ld.shared.u32 %r13, [%r12];\nld.shared.u32 %r14, [%r4];\n"
          "add.u32 %r13, %r13, %r14;\nst.shared.u32 [%r4], %r13;\n"
          "skip:\nbar.sync 0;\nshr.u32 %r11, %r11, 1;\n"
          "setp.ne.u32 %p2, %r11, 0;\n@%p2 bra more;\n"
          "ld.shared.u32 %r10, [sm];\nmul.wide.u32 %rd6, %r9, 4;\n"
          "add.u64 %rd6, %rd2, %rd6;\n@%p1 st.global.u32 [%rd6], %r10;\n"},
    {"shared histogram", true, 0,
     "st.shared.u32 [%r4], 0;\nbar.sync 0;\n" LOAD
     "and.b32 %r11, %r10, 124;\nadd.u32 %r11, %r3, %r11;\n"
     "atom.shared.add.u32 %r12, [%r11], 1;\nbar.sync 0;\n"
     "ld.shared.u32 %r10, [%r4];\n" STORE},
    {"shuffles", true, 0,
     LOAD "shfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;\n"
          "add.u32 %r10, %r10, %r11;\n"
          "shfl.sync.down.b32 %r11, %r10, 3, 31, -1;\n"
          "xor.b32 %r10, %r10, %r11;\n" STORE},
    {"votes", true, 0,
     LOAD "setp.gt.u32 %p2, %r10, 99;\nvote.sync.ballot.b32 %r10, %p2, -1;\n"
          "popc.b32 %r10, %r10;\n" STORE},
    {"local memory", true, 0,
     LOAD "mov.u64 %rd6, loc;\nst.local.u32 [%rd6+8], %r10;\n"
          "st.local.u32 [%rd6+12], %r5;\nand.b32 %r11, %r10, 4;\n"
          "cvt.u64.u32 %rd7, %r11;\nadd.u64 %rd6, %rd6, %rd7;\n"
          "ld.local.u32 %r10, [%rd6+8];\n" STORE},
    {"a call", false, 0,
     LOAD "call.uni (%r11), twice, (%r10);\n"
          "mov.u32 %r10, %r11;\n" STORE},
    {"a fence", true, 0,
     LOAD STORE "membar.gl;\nst.global.u32 [%rd5+16384], "
                "%r10;\n"},
    {"CTAs beyond one", false, 32,
     "mov.u32 %r11, 0;\nmore:\nadd.u32 %r11, %r11, 1;\n"
     "setp.lt.u32 %p2, %r11, 60000;\n@%p2 bra more;\nst.global.u32 [%rd5], "
     "%r11;\n"},
    {"sums of floats, one word", true, 0, "red.global.add.f32 [%rd2], %f1;\n"},
    {"sums of floats, no answer read", true, 0,
     "atom.global.add.f32 %f2, [%rd2+4], %f1;\n"},
    {"sums of floats, 32 words", true, 0,
     "mul.wide.u32 %rd6, %r7, 4;\nadd.u64 %rd6, %rd2, %rd6;\n"
     "red.global.add.f32 [%rd6], %f1;\n"},
    {"sums of doubles", true, 0,
     "cvt.f64.f32 %d1, %f1;\nsqrt.rn.f64 %d1, %d1;\n"
     "red.global.add.f64 [%rd2], %d1;\n"},
    {"sums of halves", true, 0,
     LOAD "and.b32 %r10, %r10, 1006648191;\n"
          "red.global.add.noftz.f16x2 [%rd2], %r10;\n"},
    {"histogram", true, 0,
     LOAD "and.b32 %r11, %r10, 252;\ncvt.u64.u32 %rd6, %r11;\n"
          "add.u64 %rd6, %rd2, %rd6;\natom.global.add.u32 %r12, [%rd6], 1;\n"},
    {"most", true, 0, LOAD "red.global.max.s32 [%rd2], %r10;\n"},
    {"least", true, 0, LOAD "red.global.min.u32 [%rd2+4], %r10;\n"},
    {"parity", true, 0, LOAD "red.global.xor.b32 [%rd2], %r10;\n"},
    {"and, or", true, 0,
     LOAD "red.global.or.b32 [%rd2], %r10;\n"
          "red.global.and.b32 [%rd2+4], %r10;\n"},
    {"different ones on one word", true, 0,
     LOAD
     "red.global.add.u32 [%rd2], %r10;\nred.global.xor.b32 [%rd2], %r5;\n"},
    {"exchange", true, 0, LOAD "atom.global.exch.b32 %r11, [%rd2], %r10;\n"},
    {"up and round", true, 0, "red.global.inc.u32 [%rd2], 700;\n"},
    {"words of 64 bits", true, 0,
     LOAD "cvt.u64.u32 %rd6, %r10;\nred.global.add.u64 [%rd2], %rd6;\n"},
    {"sums after their stores", true, 0,
     "st.global.f32 [%rd5], %f1;\nred.global.add.f32 [%rd5], %f1;\n"},
    /* What falls back to one thread. */
    {"an answer that is read", false, 0,
     "atom.global.add.u32 %r10, [%rd2+16384], 1;\n" STORE},
    {"a sum that is read", false, 0,
     "red.global.add.f32 [%rd5], %f1;\nld.global.u32 %r10, [%rd5];\n"
     "st.global.u32 [%rd4], %r10;\n"},
    {"sums of who takes long", false, 32,
     "mov.u32 %r11, 0;\nmore:\nadd.u32 %r11, %r11, 1;\n"
     "setp.lt.u32 %p2, %r11, 60000;\n@%p2 bra more;\n"
     "red.global.add.f32 [%rd2], %f1;\n"},
    {"a clock", false, 0,
     "mov.u64 %rd6, %clock64;\nst.global.u32 [%rd5], %r5;\n"},
    {"a lock that all wait for", false, 0,
     "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nmore:\n"
     "atom.global.acquire.gpu.cas.b32 %r10, [%rd2], 0, 1;\n"
     "setp.ne.u32 %p2, %r10, 0;\n@%p2 bra more;\n"
     "ld.global.u32 %r11, [%rd2+4];\nmad.lo.u32 %r11, %r11, 3, %r9;\n"
     "st.global.u32 [%rd2+4], %r11;\nfence.acq_rel.gpu;\n"
     "atom.global.release.gpu.exch.b32 %r10, [%rd2], 0;\n"},
    {"who waits for the CTA behind", false, 0,
     "setp.ne.u32 %p2, %r1, 0;\n@%p2 ret;\nmul.wide.u32 %rd6, %r9, 4;\n"
     "add.u64 %rd6, %rd2, %rd6;\nsetp.eq.u32 %p3, %r9, 15;\n@%p3 bra last;\n"
     "more:\nld.acquire.gpu.global.u32 %r10, [%rd6+4];\n"
     "setp.eq.u32 %p2, %r10, 0;\n@%p2 bra more;\n"
     "last:\nst.release.gpu.global.u32 [%rd6], 1;\n"},
    {"CTAs that meet", false, 0, "st.global.u32 [%rd2], %r10;\n"},
    {"CTAs that look at each other", false, 0,
     "st.global.u32 [%rd5], %r5;\nld.global.u32 %r10, [%rd5+512];\n"
     "st.global.u32 [%rd4], %r10;\n"},
    {"an address outside, late", false, 0,
     "setp.gt.u32 %p2, %r9, 11;\nselp.u32 %r11, 1000000, 0, %p2;\n"
     "cvt.u64.u32 %rd6, %r11;\nadd.u64 %rd6, %rd5, %rd6;\n"
     "st.global.u32 [%rd6], %r5;\n"},
    {"shared memory never written, late", false, 0,
     "setp.gt.u32 %p2, %r9, 11;\n@!%p2 st.shared.u32 [%r4], %r5;\n"
     "ld.shared.u32 %r10, [%r4];\n" STORE},
};

typedef struct outcome {
    tc_sim_result r;
    tc_finding_kind kind;
    uint64_t address;
    uint32_t line, cta, warp, lane;
    uint8_t a[BYTES], b[BYTES];
} outcome;

static void say(void *user, const tc_diag *d) {
    (void)user;
    fprintf(stderr, "%d:%d: %s\n", d->line, d->col, d->message);
}

static void fill(uint8_t *p) {
    uint32_t x = 1;
    for (size_t i = 0; i < BYTES; i++) {
        x = x * 1664525 + 1013904223;
        p[i] = (uint8_t)(x >> 24);
    }
}

static void note_finding(outcome *out) {
    const tc_finding *f = out->r.findings;
    if (out->r.nfindings) {
        out->kind = f->kind;
        out->address = f->address;
        out->line = f->at.op ? f->at.op->ptx_line : 0;
        out->cta = f->at.cta;
        out->warp = f->at.warp;
        out->lane = f->at.lane;
    }
}

/* Twice: what a simulator has learnt of a kernel makes no difference either. */
static void run(const kernel *k, const char *text, int threads, const char *isa,
                outcome *out) {
    tc_arena *arena = tc_arena_new();
    tc_diags d = {.fn = say};
    tc_source *s = TC_NEW(arena, tc_source);
    *s = (tc_source){k->name, text, strlen(text), 1};
    tc_ptx_module *m = tc_ptx_parse(arena, s, &d);
    assert_non_null(m);
    tc_sim_options o = {
        .hazards = true, .threads = threads, .alone = 40, .isa = isa};
    tc_sim *sim = tc_sim_new(m, &o, &d);
    tc_sim_allocation *a = tc_sim_alloc(sim, BYTES, "A");
    tc_sim_allocation *b = tc_sim_alloc(sim, BYTES, "B");
    uint64_t params[] = {a->address, b->address};
    tc_sim_launch l = {.entry = "k",
                       .grid = {GRID, 1, 1},
                       .block = {k->block ? k->block : BLOCK, 1, 1},
                       .params = (const uint8_t *)params,
                       .nparams = sizeof params};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 2; i++) {
        fill(a->bytes);
        memset(b->bytes, 0, BYTES);
        assert_true(tc_sim_run(sim, &l, &d, &out->r));
        if ((out->r.threads > 1) != (k->threads && threads > 1)) {
            fail_msg("%s, of %d threads: executed by %u", k->name, threads,
                     out->r.threads);
        }
    }
    note_finding(out);
    memcpy(out->a, a->bytes, BYTES);
    memcpy(out->b, b->bytes, BYTES);
    tc_sim_free(sim);
    tc_arena_free(arena);
}

static void compare(const kernel *k, int threads, const outcome *x,
                    const outcome *y) {
    const char *what =
        memcmp(x->a, y->a, BYTES) != 0 || memcmp(x->b, y->b, BYTES) != 0
            ? "bytes"
        : memcmp(&x->r.counters, &y->r.counters, sizeof x->r.counters) != 0
            ? "counters"
        : x->r.cycles != y->r.cycles || x->r.estimate != y->r.estimate
            ? "cycles"
        : x->r.status != y->r.status || x->r.nfindings != y->r.nfindings ||
                x->kind != y->kind || x->address != y->address ||
                x->line != y->line || x->cta != y->cta || x->warp != y->warp ||
                x->lane != y->lane
            ? "findings"
            : NULL;
    if (what) {
        fail_msg("%s: with %d threads its %s are not those of one", k->name,
                 threads, what);
    }
}

static void compare_all(const char *isa) {
    static outcome one, several;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const kernel *k = &kernels[i];
        tc_buf text = TC_BUF_INIT;
        tc_buf_printf(&text, "%s%sret;\n}\n", head, k->body);
        run(k, text.data, 1, isa, &one);
        for (int n = 2; n <= 3; n++) {
            run(k, text.data, n, isa, &several);
            compare(k, n, &one, &several);
        }
        tc_buf_free(&text);
    }
}

static void same_for_every_number(void **state) {
    (void)state;
    compare_all(NULL);
}

static void same_on_the_general_path(void **state) {
    (void)state;
    compare_all("none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_for_every_number),
        cmocka_unit_test(same_on_the_general_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
