/* bulk_run.h - what the tests of bulk copies and asynchronous stores share. */
#ifndef BULK_RUN_H
#define BULK_RUN_H

#include "async_run.h"
#include "detail_text.h"

#define POLICIES(c)                                                            \
    for (int policy = 0; policy < ASYNC_POLICIES; policy++)                    \
        for (async_case *c = under(policy); c; c = done(c))

static inline async_case *under(int policy) {
    async_case *c = async_new();
    c->completion = async_policies[policy].completion;
    c->seed = async_policies[policy].seed;
    c->timing = async_policies[policy].timing;
    c->trace = c->hazards = true;
    return c;
}

static inline async_case *done(async_case *c) {
    async_end(c);
    free(c);
    return NULL;
}

/* Thread 0 makes the barrier, everybody sees it. */
#define INIT                                                                   \
    "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"                           \
    "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
/* Everybody waits for the phase of parity 0. */
#define WAIT                                                                   \
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n"         \
    "@!%p2 bra WAIT;\n"
#define EXPECT(n)                                                              \
    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " #n ";\n"
/* Shared memory's first 512 bytes to B, by all 32 threads. */
#define OUT                                                                    \
    "shl.b32 %r10, %r1, 4;\nadd.u32 %r11, %r2, %r10;\n"                        \
    "cvt.u64.u32 %rd10, %r10;\nadd.u64 %rd11, %rd2, %rd10;\n"                  \
    "ld.shared.v4.b32 {%r12, %r13, %r14, %r15}, [%r11];\n"                     \
    "st.global.v4.b32 [%rd11], {%r12, %r13, %r14, %r15};\n"
/* 512 bytes of A to shared memory, by all. */
#define IN                                                                     \
    "shl.b32 %r10, %r1, 4;\nadd.u32 %r11, %r2, %r10;\n"                        \
    "cvt.u64.u32 %rd10, %r10;\nadd.u64 %rd11, %rd1, %rd10;\n"                  \
    "ld.global.v4.b32 {%r12, %r13, %r14, %r15}, [%rd11];\n"                    \
    "st.shared.v4.b32 [%r11], {%r12, %r13, %r14, %r15};\n"                     \
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define GROUP                                                                  \
    "@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n"

static inline void run(async_case *c, const char *body) {
    char *text = async_text(c, body);
    async_ptxas(text, c->arch);
    free(text);
    async_run(c, body);
    if (c->r.nfindings) {
        fprintf(stderr, "finding: %s %s\n",
                tc_finding_kind_names[c->r.findings[0].kind],
                detail_text(&c->r.findings[0]));
    }
}

static inline char *join(const char *a, const char *b, const char *c) {
    tc_buf all = TC_BUF_INIT;
    tc_buf_puts(&all, a);
    tc_buf_puts(&all, b);
    tc_buf_puts(&all, c);
    return all.data;
}

/* ---- reductions: what each does to one element, in plain C ---- */

#define REDUCTION(name, T, expr)                                               \
    static inline void name(uint8_t *to, const uint8_t *from) {                \
        T a, b;                                                                \
        memcpy(&a, to, sizeof a);                                              \
        memcpy(&b, from, sizeof b);                                            \
        a = (T)(expr);                                                         \
        memcpy(to, &a, sizeof a);                                              \
    }
REDUCTION(add_u32, uint32_t, a + b)
REDUCTION(add_u64, uint64_t, a + b)
REDUCTION(min_s32, int32_t, a < b ? a : b)
REDUCTION(max_u32, uint32_t, a > b ? a : b)
REDUCTION(min_s64, int64_t, a < b ? a : b)
REDUCTION(max_u64, uint64_t, a > b ? a : b)
REDUCTION(inc_u32, uint32_t, a >= b ? 0 : a + 1)
REDUCTION(dec_u32, uint32_t, a == 0 || a > b ? b : a - 1)
REDUCTION(and_b32, uint32_t, a &b)
REDUCTION(or_b32, uint32_t, a | b)
REDUCTION(xor_b64, uint64_t, a ^ b)

static const struct {
    const char *name, *type;
    uint32_t size;
    bool shared; /* also to .shared::cluster */
    void (*op)(uint8_t *, const uint8_t *);
} reductions[] = {
    {"add", "u32", 4, true, add_u32},  {"add", "s32", 4, true, add_u32},
    {"add", "u64", 8, true, add_u64},  {"min", "s32", 4, true, min_s32},
    {"max", "u32", 4, true, max_u32},  {"inc", "u32", 4, true, inc_u32},
    {"dec", "u32", 4, true, dec_u32},  {"and", "b32", 4, true, and_b32},
    {"or", "b32", 4, true, or_b32},    {"min", "s64", 8, false, min_s64},
    {"max", "u64", 8, false, max_u64}, {"xor", "b64", 8, false, xor_b64}};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

/* ---- clusters: CTA 0 writes into CTA 1 ---- */

/* Everybody knows the other's barrier; rank in r30, in p4 whether it is 0. */
#define PAIR                                                                   \
    INIT "mov.u32 %r30, %cluster_ctarank;\nsetp.eq.u32 %p4, %r30, 0;\n"        \
         "mapa.shared::cluster.u32 %r31, %r2, 1;\n"                            \
         "mapa.shared::cluster.u32 %r32, %r3, 1;\n" IN
#define MEET "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
/* Of CTA 1: waits for n bytes and writes its 512 to B. */
#define RECEIVE(n) "@%p4 bra ON;\n" EXPECT(n) WAIT OUT "ON:\n" MEET

#endif
