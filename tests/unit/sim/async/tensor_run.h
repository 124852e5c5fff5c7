/* tensor_run.h - runs kernels that go through one tensor map. */
#ifndef TENSOR_RUN_H
#define TENSOR_RUN_H

#include "async_run.h"
#include "detail_text.h"
#include "sim/tensormap.h"
#include "tensor_model.h"

#define MAP_PARAM ", .param .align 64 .b8 M[128]"
#define MAP                                                                    \
    "mov.b64 %rd8, M;\ncvta.param.u64 %rd9, %rd8;\n"                           \
    "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"                           \
    "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n"
/* Zeros in all of sm. */
#define ZERO                                                                   \
    "shl.b32 %r10, %r1, 4;\nmov.b32 %r16, 0;\nmov.b32 %r12, 0;\nZERO:\n"       \
    "add.u32 %r11, %r2, %r10;\n"                                               \
    "st.shared.v4.b32 [%r11], {%r12, %r12, %r12, %r12};\n"                     \
    "add.u32 %r10, %r10, 512;\nadd.u32 %r16, %r16, 1;\n"                       \
    "setp.lt.u32 %p3, %r16, 32;\n@%p3 bra ZERO;\n"                             \
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define WAIT                                                                   \
    "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n"         \
    "@!%p2 bra WAIT;\n"
/* All of sm to B, or of A to sm, 16 bytes a thread and turn. */
#define EVERYWHERE(load, store, from, to)                                      \
    "shl.b32 %r10, %r1, 4;\nmov.b32 %r16, 0;\nEACH:\n"                         \
    "add.u32 %r11, %r2, %r10;\ncvt.u64.u32 %rd10, %r10;\n"                     \
    "add.u64 %rd11, %rd" #from ", %rd10;\nadd.u64 %rd12, %rd" #to              \
    ", %rd10;\n" load ".v4.b32 {%r12, %r13, %r14, %r15}, [%" store ";\n"       \
    "add.u32 %r10, %r10, 512;\nadd.u32 %r16, %r16, 1;\n"                       \
    "setp.lt.u32 %p3, %r16, 32;\n@%p3 bra EACH;\n"
#define OUT                                                                    \
    EVERYWHERE("ld.shared",                                                    \
               "r11];\nst.global.v4.b32 [%rd12], {%r12, %r13, %r14, %r15}", 1, \
               2)
#define IN                                                                     \
    EVERYWHERE("ld.global",                                                    \
               "rd11];\nst.shared.v4.b32 [%r11], {%r12, %r13, %r14, %r15}", 1, \
               2)                                                              \
    "fence.proxy.async.shared::cta;\nbar.sync 0;\n"

static inline tc_sim_tensor_map map_of(const model_box *m, uint32_t type,
                                       uint64_t address) {
    tc_sim_tensor_map t = {.type = type,
                           .rank = (uint32_t)m->rank,
                           .address = address,
                           .swizzle = (uint32_t)m->swizzle};
    for (int i = 0; i < m->rank; i++) {
        t.dims[i] = m->dims[i];
        t.box[i] = m->box[i];
        t.element_strides[i] = m->step[i];
        if (i > 0) {
            t.strides[i - 1] = m->strides[i];
        }
    }
    return t;
}

static inline uint32_t box_bytes(const model_box *m) {
    uint32_t n = (uint32_t)m->size;
    for (int d = 0; d < m->rank; d++) {
        n *= model_count(m, d);
    }
    return n;
}

/* "{%r20, %r21}" and what sets them. */
static inline void coordinates(const model_box *m, tc_buf *set, char *list) {
    char *at = list;
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(set, "mov.b32 %%r%d, %d;\n", 20 + i, m->at[i]);
        at += sprintf(at, "%s%%r%d", i ? ", " : "{", 20 + i);
    }
    strcpy(at, "}");
}

static inline async_case *start(int policy, const char *arch,
                                const char *text) {
    async_case *c = async_new();
    c->arch = arch;
    c->params = MAP_PARAM;
    c->hazards = true;
    c->completion = async_policies[policy].completion;
    c->seed = async_policies[policy].seed;
    c->timing = async_policies[policy].timing;
    char *whole = async_text(c, text);
    if (policy == 0) {
        async_ptxas(whole, arch);
    }
    async_begin(c, whole);
    free(whole);
    return c;
}

static inline void go(async_case *c, const tc_sim_tensor_map *map) {
    uint8_t bytes[TC_TENSOR_MAP_BYTES];
    char why[160] = "";
    if (!tc_tensor_map_encode(map, bytes, why, sizeof why)) {
        fail_msg("%s", why);
    }
    c->extra = bytes;
    c->nextra = sizeof bytes;
    async_go(c);
    if (c->r.nfindings) {
        fprintf(stderr, "finding: %s %s\n",
                tc_finding_kind_names[c->r.findings[0].kind],
                detail_text(&c->r.findings[0]));
    }
    assert_int_equal(c->r.status, TC_RUN_OK);
}

static inline void finish(async_case *c) {
    async_end(c);
    free(c);
}

/* 64 rows of 64 .f16: 8192 bytes, rows 128 apart. */
static inline model_box matrix(uint32_t b0, uint32_t b1, int32_t x, int32_t y,
                               int swizzle) {
    return (model_box){.rank = 2,
                       .size = 2,
                       .dims = {64, 64},
                       .strides = {2, 128},
                       .box = {b0, b1},
                       .step = {1, 1},
                       .at = {x, y},
                       .swizzle = swizzle};
}

#endif
