/* mma_cases.h - the forms of mma and wmma that are run here and on a GPU, and
 * the kernels that do it. A CTA of one warp has 4096 bytes of A and of B.
 *
 * mma: a lane's registers are loaded from 128 bytes of A, each word by word: A
 * at 0, B at AT_B, C at AT_C; those of D go to 128 bytes of B. wmma: A at 0 and
 * B at FROM_B of A, C at FROM_C of B, D at 0 of B. */
#ifndef MMA_CASES_H
#define MMA_CASES_H

#include "base/buf.h"
#include "mma_values.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CTA                                                                    \
    "mov.u32 %%r9, %%ctaid.x;\nmul.wide.u32 %%rd9, %%r9, 4096;\n"              \
    "add.u64 %%rd1, %%rd1, %%rd9;\nadd.u64 %%rd2, %%rd2, %%rd9;\n"

/* ---- the forms ---- */

typedef struct mma_form {
    const char *target;
    uint32_t m, n, k;
    kind a, b, d, c;
    const char *layouts, *more;
} mma_form;

#define RC ".row.col"
static const mma_form mma_forms[] = {
    {"sm_80", 16, 8, 16, F16, F16, F32, F32, RC, ""},
    {"sm_80", 16, 8, 16, F16, F16, F16, F16, RC, ""},
    {"sm_80", 16, 8, 8, F16, F16, F32, F32, RC, ""},
    {"sm_80", 16, 8, 8, F16, F16, F16, F16, RC, ""},
    {"sm_80", 16, 8, 16, BF16, BF16, F32, F32, RC, ""},
    {"sm_80", 16, 8, 8, BF16, BF16, F32, F32, RC, ""},
    {"sm_80", 16, 8, 8, TF32, TF32, F32, F32, RC, ""},
    {"sm_80", 16, 8, 4, TF32, TF32, F32, F32, RC, ""},
    {"sm_89", 16, 8, 32, E4M3, E4M3, F32, F32, RC, ""},
    {"sm_89", 16, 8, 32, E4M3, E5M2, F16, F16, RC, ""},
    {"sm_89", 16, 8, 16, E5M2, E4M3, F32, F32, RC, ""},
    {"sm_80", 8, 8, 16, S8, S8, S32, S32, RC, ""},
    {"sm_80", 8, 8, 16, U8, S8, S32, S32, RC, ".satfinite"},
    {"sm_80", 16, 8, 16, S8, U8, S32, S32, RC, ""},
    {"sm_80", 16, 8, 32, U8, U8, S32, S32, RC, ""},
    {"sm_80", 16, 8, 32, S8, S8, S32, S32, RC, ".satfinite"},
    {"sm_80", 8, 8, 32, S4, S4, S32, S32, RC, ""},
    {"sm_80", 16, 8, 32, U4, S4, S32, S32, RC, ""},
    {"sm_80", 16, 8, 64, S4, U4, S32, S32, RC, ""},
    {"sm_80", 8, 8, 128, B1, B1, S32, S32, RC, ".xor.popc"},
    {"sm_80", 16, 8, 128, B1, B1, S32, S32, RC, ".and.popc"},
    {"sm_80", 16, 8, 256, B1, B1, S32, S32, RC, ".xor.popc"},
    {"sm_80", 8, 8, 4, F64, F64, F64, F64, RC, ""},
    {"sm_80", 8, 8, 4, F64, F64, F64, F64, RC, ".rz"},
    {"sm_90", 16, 8, 4, F64, F64, F64, F64, RC, ""},
    {"sm_90", 16, 8, 8, F64, F64, F64, F64, RC, ".rn"},
    {"sm_90", 16, 8, 16, F64, F64, F64, F64, RC, ""},
    {"sm_80", 8, 8, 4, F16, F16, F32, F32, ".row.row", ""},
    {"sm_80", 8, 8, 4, F16, F16, F16, F16, ".col.row", ""},
    {"sm_80", 8, 8, 4, F16, F16, F32, F32, ".col.col", ""},
    {"sm_80", 8, 8, 4, F16, F16, F32, F16, ".row.col", ""},
};
enum {
    MMA_FORMS = sizeof mma_forms / sizeof *mma_forms,
    LANE = 128,
    AT_B = 64,
    AT_C = 96
};

static inline bool mma_is_volta(const mma_form *f) {
    return f->k == 4 && f->a == F16;
}

static inline uint32_t mma_elements(const mma_form *f, char which) {
    uint32_t n = which == 'a'   ? f->m * f->k
                 : which == 'b' ? f->n * f->k
                                : f->m * f->n;
    return n / (mma_is_volta(f) ? 8 : 32);
}

static inline void mma_list(tc_buf *b, const char *reg, uint32_t from,
                            uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        tc_buf_printf(b, "%s%s%u%s", i == 0 ? "{" : ", ", reg, from + i,
                      i + 1 == n ? "}" : "");
    }
}

/* Loads or stores registers one by one. */
static inline void mma_moves(tc_buf *b, bool load, kind t, uint32_t from,
                             uint32_t n, uint32_t offset) {
    const char *type = kinds[t].bits == 64 ? "f64" : t == F32 ? "f32" : "b32";
    const char *reg = kinds[t].bits == 64 ? "%d" : t == F32 ? "%f" : "%r";
    uint32_t each = kinds[t].bits == 64 ? 8 : 4;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = offset + i * each;
        if (load) {
            tc_buf_printf(b, "ld.global.%s %s%u, [%%rd20+%u];\n", type, reg,
                          from + i, at);
        } else {
            tc_buf_printf(b, "st.global.%s [%%rd21+%u], %s%u;\n", type, at, reg,
                          from + i);
        }
    }
}

static inline uint32_t mma_registers(const mma_form *f, char which, kind t) {
    uint32_t bits = kinds[t].bits;
    return mma_elements(f, which) * bits / (bits == 64 ? 64 : 32);
}

static inline const char *mma_reg(kind t) {
    return kinds[t].bits == 64 ? "%d" : t == F32 ? "%f" : "%r";
}

static inline char *mma_text(const mma_form *f) {
    uint32_t na = mma_registers(f, 'a', f->a), nb = mma_registers(f, 'b', f->b);
    uint32_t nc = mma_registers(f, 'c', f->c), nd = mma_registers(f, 'd', f->d);
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b,
                  ".version 9.0\n.target %s\n.address_size 64\n"
                  ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
                  ".reg .b64 %%rd<30>;\n.reg .b32 %%r<60>;\n"
                  ".reg .f32 %%f<40>;\n.reg .f64 %%d<40>;\n"
                  "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n"
                  "mov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd3, %%r1, 128;\n" CTA
                  "add.u64 %%rd20, %%rd1, %%rd3;\n"
                  "add.u64 %%rd21, %%rd2, %%rd3;\n",
                  f->target);
    mma_moves(&b, true, f->a, 10, na, 0);
    mma_moves(&b, true, f->b, 20, nb, AT_B);
    mma_moves(&b, true, f->c, 30, nc, AT_C);
    tc_buf_printf(&b, "mma.sync.aligned.m%un%uk%u%s.%s.%s.%s.%s%s ", f->m, f->n,
                  f->k, f->layouts, kinds[f->d].name, kinds[f->a].name,
                  kinds[f->b].name, kinds[f->c].name, f->more);
    mma_list(&b, mma_reg(f->d), f->d == f->c ? 30 : 20, nd);
    tc_buf_puts(&b, ", ");
    mma_list(&b, mma_reg(f->a), 10, na);
    tc_buf_puts(&b, ", ");
    mma_list(&b, mma_reg(f->b), 20, nb);
    tc_buf_puts(&b, ", ");
    mma_list(&b, mma_reg(f->c), 30, nc);
    tc_buf_puts(&b, ";\n");
    mma_moves(&b, false, f->d, f->d == f->c ? 30 : 20, nd, 0);
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

/* ---- wmma ---- */

typedef struct wmma_form {
    const char *target;
    uint32_t m, n, k;
    kind t, d, c;
    const char *layouts; /* of A, B, C and D: r or c */
    const char *more;
} wmma_form;

static const wmma_form wmma_forms[] = {
    {"sm_80", 16, 16, 16, F16, F32, F32, "rcrr", ""},
    {"sm_80", 16, 16, 16, F16, F32, F16, "crcr", ""},
    {"sm_80", 16, 16, 16, F16, F16, F32, "rrrc", ""},
    {"sm_80", 32, 8, 16, F16, F16, F16, "ccrr", ""},
    {"sm_80", 32, 8, 16, F16, F32, F32, "rccc", ""},
    {"sm_80", 8, 32, 16, F16, F32, F32, "rrrr", ""},
    {"sm_80", 8, 32, 16, F16, F16, F16, "crcc", ""},
    {"sm_80", 16, 16, 16, BF16, F32, F32, "rcrr", ""},
    {"sm_80", 32, 8, 16, BF16, F32, F32, "crrr", ""},
    {"sm_80", 8, 32, 16, BF16, F32, F32, "rrcc", ""},
    {"sm_80", 16, 16, 8, TF32, F32, F32, "rcrr", ""},
    {"sm_80", 16, 16, 8, TF32, F32, F32, "crcr", ""},
    {"sm_80", 16, 16, 16, S8, S32, S32, "rcrr", ""},
    {"sm_80", 32, 8, 16, U8, S32, S32, "crcr", ".satfinite"},
    {"sm_80", 8, 32, 16, S8, S32, S32, "rrrc", ""},
    {"sm_80", 8, 8, 32, S4, S32, S32, "rcrr", ""},
    {"sm_80", 8, 8, 32, U4, S32, S32, "rccr", ".satfinite"},
    {"sm_80", 8, 8, 128, B1, S32, S32, "rcrr", ".xor.popc"},
    {"sm_80", 8, 8, 128, B1, S32, S32, "rcrc", ".and.popc"},
    {"sm_80", 8, 8, 4, F64, F64, F64, "rcrr", ""},
    {"sm_80", 8, 8, 4, F64, F64, F64, "crcr", ".rm"},
};
enum {
    WMMA_FORMS = sizeof wmma_forms / sizeof *wmma_forms,
    FROM_B = 1536, /* B in buffer A, behind A */
    FROM_C = 2048  /* C in buffer B, behind D */
};

static const char *const wmma_spaces[] = {".global", ".shared", ""};

static inline bool wmma_is_row(const wmma_form *f, char which) {
    return f->layouts[which - 'a'] == 'r';
}

static inline uint32_t wmma_rows(const wmma_form *f, char which) {
    return which == 'b' ? f->k : f->m;
}
static inline uint32_t wmma_cols(const wmma_form *f, char which) {
    return which == 'a' ? f->k : f->n;
}
static inline kind wmma_kind(const wmma_form *f, char which) {
    return which == 'd' ? f->d : which == 'c' ? f->c : f->t;
}

/* Elements from one row (column) to the next: padded by 16 bytes. */
static inline uint32_t wmma_stride(const wmma_form *f, char which,
                                   bool padded) {
    uint32_t least =
        wmma_is_row(f, which) ? wmma_cols(f, which) : wmma_rows(f, which);
    return least + (padded ? 128 / kinds[wmma_kind(f, which)].bits : 0);
}

static inline uint32_t wmma_bit(const wmma_form *f, char which, bool padded,
                                uint32_t r, uint32_t c) {
    uint32_t s = wmma_stride(f, which, padded);
    uint32_t at = wmma_is_row(f, which) ? r * s + c : c * s + r;
    return at * kinds[wmma_kind(f, which)].bits;
}

static inline uint32_t wmma_registers(const wmma_form *f, char which) {
    uint32_t bits = kinds[wmma_kind(f, which)].bits;
    if (f->t == F16 && which < 'c') {
        return 8;
    }
    return wmma_rows(f, which) * wmma_cols(f, which) / 32 * bits /
           (bits == 64 ? 64 : 32);
}

static inline void wmma_fragment(tc_buf *b, const wmma_form *f, char which) {
    kind t = wmma_kind(f, which);
    const char *reg = t == F64 ? "%d" : t == F32 ? "%f" : "%r";
    uint32_t from = (uint32_t)(which - 'a') * 10 + 10;
    for (uint32_t i = 0; i < wmma_registers(f, which); i++) {
        tc_buf_printf(b, "%s%s%u", i == 0 ? "{" : ", ", reg, from + i);
    }
    tc_buf_puts(b, "}");
}

static inline void wmma_layout(tc_buf *b, const wmma_form *f, char which) {
    tc_buf_puts(b, wmma_is_row(f, which) ? ".row" : ".col");
}

static inline void wmma_load(tc_buf *b, const wmma_form *f, char which,
                             const char *space, bool padded) {
    tc_buf_printf(b, "wmma.load.%c.sync.aligned", which);
    wmma_layout(b, f, which);
    tc_buf_printf(b, ".m%un%uk%u%s.%s ", f->m, f->n, f->k, space,
                  kinds[wmma_kind(f, which)].name);
    wmma_fragment(b, f, which);
    bool shared = space[0] != 0 && space[1] == 's';
    tc_buf_printf(b, ", [%s%d+%d]", shared ? "%r" : "%rd",
                  (which == 'c' ? 21 : 20) + (shared ? 30 : 0),
                  which == 'b'   ? FROM_B
                  : which == 'c' ? FROM_C
                                 : 0);
    if (padded) { /* else the default, which is the same */
        tc_buf_printf(b, ", %u", wmma_stride(f, which, padded));
    }
    tc_buf_puts(b, ";\n");
}

static inline void wmma_store(tc_buf *b, const wmma_form *f, const char *space,
                              bool padded) {
    bool shared = space[0] != 0 && space[1] == 's';
    tc_buf_puts(b, "wmma.store.d.sync.aligned");
    wmma_layout(b, f, 'd');
    tc_buf_printf(b, ".m%un%uk%u%s.%s [%s], ", f->m, f->n, f->k, space,
                  kinds[f->d].name, shared ? "%r51" : "%rd21");
    wmma_fragment(b, f, 'd');
    tc_buf_printf(b, ", %u;\n", wmma_stride(f, 'd', padded));
}

static inline void wmma_product(tc_buf *b, const wmma_form *f) {
    bool bits = f->t == B1;
    tc_buf_printf(b, "wmma.mma%s.sync.aligned", bits ? f->more : "");
    wmma_layout(b, f, 'a');
    wmma_layout(b, f, 'b');
    const char *t = kinds[f->t].name, *d = kinds[f->d].name;
    tc_buf_printf(b, ".m%un%uk%u.%s", f->m, f->n, f->k, d);
    if (f->t == F16) {
        tc_buf_printf(b, ".%s ", kinds[f->c].name);
    } else {
        tc_buf_printf(b, ".%s.%s.%s%s ", t, t, d, bits ? "" : f->more);
    }
    for (const char *w = "dabc"; *w != 0; w++) {
        wmma_fragment(b, f, *w);
        tc_buf_puts(b, w[1] != 0 ? ", " : ";\n");
    }
}

/* Of 4096 bytes, every lane's 16 in turns. */
static inline void wmma_copy(tc_buf *b, const char *wmma_load,
                             const char *wmma_store) {
    tc_buf_printf(b,
                  "mov.u32 %%r2, 0;\nL%c:\n"
                  "shl.b32 %%r3, %%r1, 4;\nadd.u32 %%r3, %%r3, %%r2;\n"
                  "cvt.u64.u32 %%rd3, %%r3;\nadd.u64 %%rd6, %%rd1, %%rd3;\n"
                  "add.u64 %%rd7, %%rd2, %%rd3;\nadd.u32 %%r6, %%r50, %%r3;\n"
                  "add.u32 %%r7, %%r51, %%r3;\n%s%s"
                  "add.u32 %%r2, %%r2, 512;\nsetp.lt.u32 %%p1, %%r2, 4096;\n"
                  "@%%p1 bra L%c;\nbar.warp.sync -1;\n",
                  wmma_load[3], wmma_load, wmma_store, wmma_load[3]);
}

static inline char *wmma_text(const wmma_form *f, int where, bool padded) {
    tc_buf b = TC_BUF_INIT;
    const char *space = wmma_spaces[where];
    tc_buf_printf(&b,
                  ".version 9.0\n.target %s\n.address_size 64\n"
                  ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
                  ".reg .b64 %%rd<30>;\n.reg .b32 %%r<60>;\n"
                  ".reg .f32 %%f<60>;\n.reg .f64 %%d<60>;\n"
                  ".reg .pred %%p<4>;\n.shared .align 128 .b8 sa[4096];\n"
                  ".shared .align 128 .b8 sb[4096];\n"
                  "ld.param.u64 %%rd1, [A];\nld.param.u64 %%rd2, [B];\n" CTA
                  "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r50, sa;\n"
                  "mov.u32 %%r51, sb;\nmov.u64 %%rd20, %%rd1;\n"
                  "mov.u64 %%rd21, %%rd2;\n",
                  f->target);
    if (where > 0) {
        wmma_copy(&b,
                  "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd6];\n"
                  "ld.global.v4.b32 {%r14, %r15, %r16, %r17}, [%rd7];\n",
                  "st.shared.v4.b32 [%r6], {%r10, %r11, %r12, %r13};\n"
                  "st.shared.v4.b32 [%r7], {%r14, %r15, %r16, %r17};\n");
    }
    if (where == 2) { /* generic addresses of shared memory */
        tc_buf_puts(&b, "mov.u64 %rd20, sa;\ncvta.shared.u64 %rd20, %rd20;\n"
                        "mov.u64 %rd21, sb;\ncvta.shared.u64 %rd21, %rd21;\n");
    }
    wmma_load(&b, f, 'a', space, padded);
    wmma_load(&b, f, 'b', space, padded);
    wmma_load(&b, f, 'c', space, padded);
    wmma_product(&b, f);
    wmma_store(&b, f, space, padded);
    if (where > 0) {
        tc_buf_puts(&b, "bar.warp.sync -1;\n");
        wmma_copy(&b, "ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r7];\n",
                  "st.global.v4.b32 [%rd7], {%r10, %r11, %r12, %r13};\n");
    }
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

#endif
