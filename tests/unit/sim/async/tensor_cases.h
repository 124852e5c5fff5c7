/* tensor_cases.h - copies through tensor maps to compare with a GPU: one list
 * for tests/gpu/tensor_host.c, which asks the GPU, and for
 * test_sim_tensor_h200, which asks the simulator. */
#ifndef TENSOR_CASES_H
#define TENSOR_CASES_H

#include "base/buf.h"
#include "sim/tensormap.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CASE_BYTES = 16384, CASE_OUT = CASE_BYTES + 256, CASE_MOST = 500 };

/* A load of the box at A to shared memory, which goes to B as a whole; or a
 * store (or reduction) of shared memory, which A filled, to the box at B. */
typedef struct tensor_case {
    char name[96];
    tc_sim_tensor_map map; /* address 0: the buffer's start */
    int32_t at[5];
    uint32_t base; /* of the box in shared memory */
    uint32_t tx;   /* bytes announced */
    bool store;
    const char *reduction; /* or NULL */
} tensor_case;

typedef struct tensor_cases {
    tensor_case all[CASE_MOST];
    int n;
} tensor_cases;

static inline uint32_t case_elements(const tc_sim_tensor_map *m, uint32_t d) {
    uint32_t step = d > 0 && d < m->rank ? m->element_strides[d] : 1;
    return d < m->rank ? (m->box[d] + step - 1) / step : 1;
}

static inline tensor_case *case_add(tensor_cases *c, const tensor_case *t) {
    tensor_case *x = &c->all[c->n];
    if (c->n == CASE_MOST - 1) {
        return x;
    }
    *x = *t;
    uint32_t size = tc_tensor_map_element(t->map.type);
    x->tx = size;
    for (uint32_t d = 0; d < t->map.rank; d++) {
        x->tx *= case_elements(&t->map, d);
    }
    snprintf(x->name, sizeof x->name,
             "%03d %s%s %ud type %u swizzle %u fill %u box %u at %d,%d base %u",
             c->n, t->store ? "store" : "load",
             t->reduction ? t->reduction : "", t->map.rank, t->map.type,
             t->map.swizzle, t->map.oob_fill, t->map.box[0], t->at[0], t->at[1],
             t->base);
    c->n++;
    return x;
}

/* A matrix of 64 rows, 128 bytes apart, of elements of size bytes. */
static inline tensor_case case_matrix(uint32_t type, uint32_t b0, uint32_t b1,
                                      int32_t x, int32_t y, uint32_t swizzle) {
    uint32_t size = tc_tensor_map_element(type);
    return (tensor_case){.map = {.type = type,
                                 .rank = 2,
                                 .dims = {128 / size, 64},
                                 .strides = {128},
                                 .box = {b0, b1},
                                 .element_strides = {1, 1},
                                 .swizzle = swizzle},
                         .at = {x, y}};
}

static inline void cases_of_swizzles(tensor_cases *c) {
    static const uint32_t spans[] = {128, 32, 64, 128, 128, 128, 128};
    for (uint32_t s = 0; s <= TC_MAP_SWIZZLE_128B_ATOM_64B; s++) {
        for (uint32_t row = spans[s]; row >= 16; row /= 2) {
            for (uint32_t base = 0; base <= 1024; base += 384) {
                tensor_case t = case_matrix(TC_MAP_F16, row / 2, 20, 0, 40, s);
                t.base = base;
                case_add(c, &t);
                t.store = true;
                case_add(c, &t);
            }
        }
    }
}

static inline void cases_of_edges(tensor_cases *c) {
    static const int32_t at[][2] = {{-5, 2}, {60, 61}, {2, -3},  {-9, -9},
                                    {64, 0}, {0, 999}, {-64, 5}, {63, 63}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        tensor_case t = case_matrix(TC_MAP_F16, 16, 8, at[i][0], at[i][1], 0);
        case_add(c, &t);
        t.store = true;
        case_add(c, &t);
        t.map.swizzle = TC_MAP_SWIZZLE_32B;
        case_add(c, &t);
    }
}

static inline void cases_of_fills(tensor_cases *c) {
    for (uint32_t type = TC_MAP_F16; type <= TC_MAP_TF32_FTZ; type++) {
        uint32_t size = tc_tensor_map_element(type);
        tensor_case t =
            case_matrix(type, 64 / size, 4, (int32_t)(96 / size), -2, 0);
        case_add(c, &t); /* with zeros; tf32 and ftz: what becomes of data */
        t.map.oob_fill = TC_MAP_FILL_NAN;
        case_add(c, &t);
        t.at[0] = 0;
        t.at[1] = 8;
        t.map.oob_fill = TC_MAP_FILL_ZERO;
        case_add(c, &t);
        t.store = true;
        case_add(c, &t);
    }
}

static inline void cases_of_shapes(tensor_cases *c) {
    static const tensor_case shapes[] = {
        {.map = {.type = TC_MAP_U8,
                 .rank = 1,
                 .dims = {1000},
                 .box = {256},
                 .element_strides = {1}},
         .at = {900}},
        {.map = {.type = TC_MAP_F32,
                 .rank = 3,
                 .dims = {10, 7, 9},
                 .strides = {48, 368},
                 .box = {8, 5, 3},
                 .element_strides = {1, 1, 1}},
         .at = {5, -2, 7}},
        {.map = {.type = TC_MAP_U32,
                 .rank = 3,
                 .dims = {12, 20, 9},
                 .strides = {48, 960},
                 .box = {8, 9, 7},
                 .element_strides = {1, 2, 3}},
         .at = {2, 6, 1}},
        {.map = {.type = TC_MAP_U32,
                 .rank = 3,
                 .dims = {12, 20, 9},
                 .strides = {48, 960},
                 .box = {8, 9, 7},
                 .element_strides = {1, 2, 3},
                 .swizzle = TC_MAP_SWIZZLE_32B},
         .at = {2, -3, 5}},
        {.map = {.type = TC_MAP_F64,
                 .rank = 4,
                 .dims = {6, 3, 4, 5},
                 .strides = {48, 160, 640},
                 .box = {4, 2, 3, 2},
                 .element_strides = {1, 1, 1, 1}},
         .at = {1, 2, 3, 4}},
        {.map = {.type = TC_MAP_BF16,
                 .rank = 5,
                 .dims = {16, 3, 3, 3, 3},
                 .strides = {32, 96, 288, 864},
                 .box = {8, 2, 2, 2, 2},
                 .element_strides = {1, 1, 1, 1, 1}},
         .at = {-4, 1, 2, -1, 2}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        tensor_case t = shapes[i];
        case_add(c, &t);
        t.store = true;
        case_add(c, &t);
    }
}

static inline void cases_of_reductions(tensor_cases *c) {
    static const char *const ops[] = {"add", "min", "max", "inc",
                                      "dec", "and", "or",  "xor"};
    for (uint32_t type = TC_MAP_U8; type <= TC_MAP_BF16; type++) {
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            uint32_t size = tc_tensor_map_element(type);
            tensor_case t =
                case_matrix(type, 128 / size, 16, 3, 50, TC_MAP_SWIZZLE_128B);
            t.store = true;
            t.reduction = ops[i];
            case_add(c, &t);
        }
    }
}

/* Appended after the first recording: places that a GPU takes. */
static inline void cases_of_more(tensor_cases *c) {
    static const char *const ops[] = {"add", "min", "max", "inc",
                                      "dec", "and", "or",  "xor"};
    static const int32_t at[][2] = {
        {-8, 2}, {56, 61}, {8, -3}, {-16, -9}, {56, 63}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        tensor_case t = case_matrix(TC_MAP_F16, 16, 8, at[i][0], at[i][1], 0);
        case_add(c, &t);
        t.store = true;
        case_add(c, &t);
        t.map.swizzle = TC_MAP_SWIZZLE_32B;
        case_add(c, &t);
    }
    for (uint32_t type = TC_MAP_U8; type <= TC_MAP_BF16; type++) {
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
            uint32_t size = tc_tensor_map_element(type);
            tensor_case t =
                case_matrix(type, 128 / size, 16, (int32_t)(16 / size), 50,
                            TC_MAP_SWIZZLE_128B);
            t.store = true;
            t.reduction = ops[i];
            case_add(c, &t);
        }
    }
}

static inline void tensor_cases_make(tensor_cases *c) {
    c->n = 0;
    cases_of_edges(c);
    cases_of_shapes(c);
    cases_of_fills(c);
    cases_of_swizzles(c);
    cases_of_reductions(c);
    cases_of_more(c);
}

/* Bytes that are no NaN as halves or words, and some subnormals. */
static inline void tensor_case_data(uint8_t *a, uint8_t *b) {
    for (uint32_t i = 0; i < CASE_BYTES; i++) {
        uint32_t h = (i + 1) * UINT32_C(2654435761);
        a[i] = (uint8_t)(h >> 24);
        b[i] = (uint8_t)(h >> 13);
        if (i % 2 == 1) {
            a[i] = (uint8_t)((a[i] & 0xbf) % (i % 64 == 33 ? 1 : 256));
            b[i] = (uint8_t)((b[i] & 0xbf) % (i % 64 == 33 ? 1 : 256));
        }
    }
}

/* k(A, B, M): the case's kernel. B's word 4096 says whether the wait ended. */
static inline void tensor_case_ptx(const tensor_case *t, tc_buf *b) {
    char at[64], *p = at;
    tc_buf_puts(b, ".version 8.0\n.target sm_90a\n.address_size 64\n"
                   ".visible .entry k(.param .u64 A, .param .u64 B, "
                   ".param .align 64 .b8 M[128])\n{\n"
                   ".reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .pred %p<8>;\n"
                   ".shared .align 1024 .b8 sm[16384];\n"
                   ".shared .align 8 .b64 bar;\n"
                   "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
                   "cvta.to.global.u64 %rd1, %rd1;\n"
                   "cvta.to.global.u64 %rd2, %rd2;\n"
                   "mov.b64 %rd8, M;\ncvta.param.u64 %rd9, %rd8;\n"
                   "mov.u32 %r1, %tid.x;\nmov.u32 %r2, sm;\nmov.u32 %r3, bar;\n"
                   "setp.eq.u32 %p1, %r1, 0;\n"
                   "@%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"
                   "@%p1 fence.mbarrier_init.release.cluster;\n"
                   "shl.b32 %r10, %r1, 4;\nmov.b32 %r16, 0;\nIN:\n"
                   "add.u32 %r11, %r2, %r10;\ncvt.u64.u32 %rd10, %r10;\n"
                   "add.u64 %rd11, %rd1, %rd10;\n"
                   "ld.global.v4.b32 {%r12, %r13, %r14, %r15}, [%rd11];\n");
    if (!t->store) {
        tc_buf_puts(b, "mov.b32 %r12, 0x11111111;\nmov.b32 %r13, %r12;\n"
                       "mov.b32 %r14, %r12;\nmov.b32 %r15, %r12;\n");
    }
    tc_buf_puts(b, "st.shared.v4.b32 [%r11], {%r12, %r13, %r14, %r15};\n"
                   "add.u32 %r10, %r10, 512;\nadd.u32 %r16, %r16, 1;\n"
                   "setp.lt.u32 %p3, %r16, 32;\n@%p3 bra IN;\n"
                   "fence.proxy.async.shared::cta;\nbar.sync 0;\n");
    for (uint32_t i = 0; i < t->map.rank; i++) {
        tc_buf_printf(b, "mov.b32 %%r%u, %d;\n", 20 + i, t->at[i]);
        p += snprintf(p, 16, "%s%%r%u", i ? ", " : "{", 20 + i);
    }
    snprintf(p, 2, "}");
    if (t->store) {
        tc_buf_printf(b,
                      "@%%p1 cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s"
                      ".tile.bulk_group [%%rd9, %s], [%%r2+%u];\n",
                      t->reduction ? "reduce." : "", t->map.rank,
                      t->reduction ? "." : "", t->reduction ? t->reduction : "",
                      at, t->base);
        tc_buf_puts(b, "@%p1 cp.async.bulk.commit_group;\n"
                       "@%p1 cp.async.bulk.wait_group 0;\nret;\n}\n");
        return;
    }
    tc_buf_printf(b,
                  "@%%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r3], "
                  "%u;\n@%%p1 cp.async.bulk.tensor.%ud.shared::cluster.global."
                  "tile.mbarrier::complete_tx::bytes [%%r2+%u], [%%rd9, %s], "
                  "[%%r3];\n",
                  t->tx, t->map.rank, t->base, at);
    tc_buf_puts(b, "mov.b32 %r17, 0;\nWAIT:\nadd.u32 %r17, %r17, 1;\n"
                   "setp.lt.u32 %p4, %r17, 100000;\n"
                   "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n"
                   "not.pred %p5, %p2;\nand.pred %p5, %p5, %p4;\n"
                   "@%p5 bra WAIT;\nselp.b32 %r18, 1, 2, %p2;\n"
                   "@%p1 st.global.b32 [%rd2+16384], %r18;\nbar.sync 0;\n"
                   "shl.b32 %r10, %r1, 4;\nmov.b32 %r16, 0;\nOUT:\n"
                   "add.u32 %r11, %r2, %r10;\ncvt.u64.u32 %rd10, %r10;\n"
                   "add.u64 %rd12, %rd2, %rd10;\n"
                   "ld.shared.v4.b32 {%r12, %r13, %r14, %r15}, [%r11];\n"
                   "st.global.v4.b32 [%rd12], {%r12, %r13, %r14, %r15};\n"
                   "add.u32 %r10, %r10, 512;\nadd.u32 %r16, %r16, 1;\n"
                   "setp.lt.u32 %p3, %r16, 32;\n@%p3 bra OUT;\nret;\n}\n");
}

static inline uint64_t tensor_case_hash(const uint8_t *p, size_t n) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

#endif
