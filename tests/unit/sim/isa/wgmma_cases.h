/* wgmma_cases.h - forms of wgmma, their kernels and what they give. How A and B
 * lie in shared memory is written down here as the copies that fill them make
 * it: rows of 128, 64 or 32 bytes whose 16-byte pieces a swizzle of TMA has
 * exchanged, or blocks of 8 rows of 16 bytes (PTX ISA 9.7.15.5.1). Values are
 * small integers.
 */
#ifndef WGMMA_CASES_H
#define WGMMA_CASES_H

#include "base/buf.h"
#include "mma_values.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HALF_BYTES = 32768, OUT_BYTES = 65536, STEPS = 2 };

typedef struct wgmma_form {
    kind a, b, d;
    uint32_t n;
    int swizzle; /* bytes; 0 none */
    bool trans_a, trans_b, registers;
    int sign_a, sign_b;
    bool start; /* the first product adds to what D holds */
} wgmma_form;

static const wgmma_form wgmma_forms[] = {
    {F16, F16, F32, 64, 128, false, false, false, 1, 1, false},
    {F16, F16, F32, 64, 64, false, false, false, 1, 1, true},
    {F16, F16, F32, 16, 32, false, false, false, 1, -1, false},
    {F16, F16, F32, 24, 0, false, false, false, -1, -1, true},
    {F16, F16, F16, 32, 128, false, false, false, -1, 1, true},
    {BF16, BF16, F32, 64, 128, true, true, false, 1, 1, false},
    {F16, F16, F32, 128, 128, false, true, false, 1, 1, true},
    {F16, F16, F32, 64, 64, true, true, false, 1, 1, false},
    {BF16, BF16, F32, 32, 32, true, false, false, 1, 1, false},
    {F16, F16, F32, 16, 0, true, true, false, 1, 1, false},
    {F16, F16, F32, 256, 128, false, true, true, 1, 1, true},
    {BF16, BF16, F32, 8, 128, false, false, true, -1, 1, false},
    {TF32, TF32, F32, 64, 128, false, false, false, 1, 1, true},
    {TF32, TF32, F32, 8, 64, false, false, true, 1, -1, false},
    {E4M3, E5M2, F32, 64, 128, false, false, false, 1, 1, false},
    {E5M2, E4M3, F16, 16, 64, false, false, true, 1, 1, true},
    {S8, S8, S32, 64, 128, false, false, false, 1, 1, true},
    {U8, S8, S32, 24, 32, false, false, true, 1, 1, false},
};
enum { WGMMA_FORMS = sizeof wgmma_forms / sizeof *wgmma_forms };

static inline uint32_t depth(const wgmma_form *f) { /* K of one product */
    return 256 / kinds[f->a].bits;
}

/* ---- shared memory: byte of element k of row (column) i ---- */

static inline uint32_t pieces(int swizzle) {
    return swizzle == 0 ? 1 : (uint32_t)swizzle / 16;
}

static inline uint32_t exchanged(int swizzle, uint32_t row, uint32_t piece) {
    return piece ^ (swizzle == 128  ? row % 8
                    : swizzle == 64 ? row / 2 % 4
                    : swizzle == 32 ? row / 4 % 2
                                    : 0);
}

/* Rows of a swizzle's width side by side: as many columns of them as the matrix
 * has, each with all of its rows. */
static inline uint32_t place(int swizzle, uint32_t rows, uint32_t row,
                             uint32_t byte) {
    uint32_t width = 16 * pieces(swizzle);
    uint32_t piece = exchanged(swizzle, row, byte % width / 16);
    return byte / width * rows * width + row * width + piece * 16 + byte % 16;
}

static inline uint32_t byte_of(const wgmma_form *f, bool a, uint32_t i,
                               uint32_t k) {
    uint32_t bytes = kinds[f->a].bits / 8, all = STEPS * depth(f);
    uint32_t extent = a ? 64 : f->n;
    bool trans = a ? f->trans_a : f->trans_b;
    return trans ? place(f->swizzle, all, k, i * bytes)
                 : place(f->swizzle, extent, i, k * bytes);
}

/* Of the matrix of step s. */
static inline uint64_t descriptor(const wgmma_form *f, bool a, uint32_t s) {
    uint32_t width = 16 * pieces(f->swizzle), all = STEPS * depth(f);
    bool trans = a ? f->trans_a : f->trans_b;
    uint32_t extent = a ? 64 : f->n, leading = 0, stride = 8 * width;
    uint32_t start = s * 32;
    if (trans) { /* K goes down the rows */
        start = s * depth(f) * width;
        leading = all * width;
        if (f->swizzle == 0) {
            leading = 8 * width; /* the next eight of K */
            stride = all * width;
        }
    } else if (f->swizzle == 0 || start >= width) {
        start = s * 32 / width * extent * width + s * 32 % width;
        leading = extent * width;
    }
    uint64_t mode = f->swizzle == 128  ? 1
                    : f->swizzle == 64 ? 2
                    : f->swizzle == 32 ? 3
                                       : 0;
    return mode << 62 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)(leading >> 4) << 16 | start >> 4;
}

/* ---- the kernel ---- */

static inline const char *reg_of(kind t) {
    return t == F32 ? "%f" : "%r";
}

static inline uint32_t words(const wgmma_form *f) {
    return f->d == F16 ? f->n / 4 : f->n / 2;
}

static inline void list_of(tc_buf *b, const char *reg, uint32_t from,
                           uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        tc_buf_printf(b, "%s%s%u", i == 0 ? "{" : ", ", reg, from + i);
    }
    tc_buf_puts(b, "}");
}

static inline void product(tc_buf *b, const wgmma_form *f, uint32_t s) {
    bool halves = f->a == F16 || f->a == BF16, integers = f->d == S32;
    tc_buf_printf(b,
                  "or.b64 %%rd10, %%rd8, 0x%llx;\nor.b64 %%rd11, %%rd9, "
                  "0x%llx;\nadd.u64 %%rd10, %%rd10, %llu;\n"
                  "add.u64 %%rd11, %%rd11, %llu;\n",
                  (unsigned long long)descriptor(f, true, s) & ~0x3fffull,
                  (unsigned long long)descriptor(f, false, s) & ~0x3fffull,
                  (unsigned long long)descriptor(f, true, s) & 0x3fff,
                  (unsigned long long)descriptor(f, false, s) & 0x3fff);
    tc_buf_printf(b, "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ", f->n,
                  depth(f), kinds[f->d].name, kinds[f->a].name,
                  kinds[f->b].name);
    list_of(b, reg_of(f->d), 200, words(f));
    tc_buf_puts(b, ", ");
    if (f->registers) {
        list_of(b, "%r", 100 + 4 * s, 4);
    } else {
        tc_buf_puts(b, "%rd10");
    }
    tc_buf_printf(b, ", %%rd11, %s", s == 0 && !f->start ? "0" : "%p1");
    if (!integers) {
        tc_buf_printf(b, ", %d, %d", f->sign_a, f->sign_b);
    }
    if (halves && !f->registers) {
        tc_buf_printf(b, ", %d", f->trans_a);
    }
    if (halves) {
        tc_buf_printf(b, ", %d", f->trans_b);
    }
    tc_buf_puts(b, ";\n");
}

/* Lane's registers of A, of step s, row by row: m64 fragments of 9.7.15.5.1.1.
 */
static inline void load_a(tc_buf *b, const wgmma_form *f) {
    for (uint32_t i = 0; f->registers && i < STEPS * 4; i++) {
        tc_buf_printf(b, "ld.global.b32 %%r%u, [%%rd5+%u];\n", 100 + i, 4 * i);
    }
}

static inline char *wgmma_text(const wgmma_form *f, const char *drop) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, ".version 9.0\n.target sm_90a\n.address_size 64\n"
                    ".visible .entry k(.param .u64 A, .param .u64 B)\n{\n"
                    ".reg .b64 %rd<30>;\n.reg .b32 %r<400>;\n"
                    ".reg .f32 %f<400>;\n.reg .pred %p<4>;\n"
                    ".shared .align 1024 .b8 sm[65536];\n"
                    "ld.param.u64 %rd1, [A];\nld.param.u64 %rd2, [B];\n"
                    "mov.u32 %r1, %tid.x;\nmov.u32 %r3, sm;\n"
                    "shl.b32 %r2, %r1, 4;\n"
                    /* 32 bytes a thread of A's registers, behind the images */
                    "mul.wide.u32 %rd5, %r1, 32;\nadd.u64 %rd5, %rd5, %rd1;\n"
                    "add.u64 %rd5, %rd5, 65536;\n"
                    "mul.wide.u32 %rd6, %r1, 512;\nadd.u64 %rd6, %rd6, %rd2;\n"
                    "mov.u32 %r4, 0;\nLOOP:\nadd.u32 %r5, %r2, %r4;\n"
                    "cvt.u64.u32 %rd3, %r5;\nadd.u64 %rd3, %rd3, %rd1;\n"
                    "add.u32 %r5, %r5, %r3;\n"
                    "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd3];\n"
                    "st.shared.v4.b32 [%r5], {%r10, %r11, %r12, %r13};\n"
                    "add.u32 %r4, %r4, 2048;\nsetp.lt.u32 %p1, %r4, 65536;\n"
                    "@%p1 bra LOOP;\nsetp.eq.u32 %p1, %r1, %r1;\n"
                    "cvt.u64.u32 %rd8, %r3;\nshr.u64 %rd8, %rd8, 4;\n"
                    "add.u64 %rd9, %rd8, 2048;\n");
    tc_buf_puts(&b, strcmp(drop, "proxy") ? "fence.proxy.async;\n" : "");
    tc_buf_puts(&b, "bar.sync 0;\n");
    load_a(&b, f);
    for (uint32_t i = 0; i < words(f); i++) {
        const char *type = f->d == F32 ? "f32" : "b32";
        tc_buf_printf(&b, "ld.global.%s %s%u, [%%rd6+%u];\n", type,
                      reg_of(f->d), 200 + i, 4 * i);
    }
    tc_buf_puts(&b, strcmp(drop, "fence") ? "wgmma.fence.sync.aligned;\n" : "");
    for (uint32_t s = 0; s < STEPS; s++) {
        product(&b, f, s);
    }
    tc_buf_puts(
        &b, strcmp(drop, "commit") ? "wgmma.commit_group.sync.aligned;\n" : "");
    if (strcmp(drop, "overwrite") == 0) {
        tc_buf_puts(&b, "st.shared.b32 [%r3], %r1;\n");
    }
    tc_buf_puts(&b, strcmp(drop, "wait") ? "wgmma.wait_group.sync.aligned 0;\n"
                                         : "");
    for (uint32_t i = 0; i < words(f); i++) {
        const char *type = f->d == F32 ? "f32" : "b32";
        tc_buf_printf(&b, "st.global.%s [%%rd6+%u], %s%u;\n", type, 4 * i,
                      reg_of(f->d), 200 + i);
    }
    tc_buf_puts(&b, "ret;\n}\n");
    return b.data;
}

static uint8_t wgmma_in[65536 + 4096], wgmma_out[OUT_BYTES];

/* Where element e of a thread's sums is. */
static inline void sum_place(uint32_t t, uint32_t e, uint32_t *row,
                             uint32_t *col) {
    *row = t / 32 * 16 + t % 32 / 4 + (e / 2 % 2) * 8;
    *col = e / 4 * 8 + t % 4 * 2 + e % 2;
}

static int64_t matrix_a[64][64], matrix_b[256][64], matrix_c[64][256];

static inline void wgmma_deal(const wgmma_form *f) {
    uint32_t all = STEPS * depth(f), bits = kinds[f->a].bits;
    uint32_t per = 32 / bits;
    memset(wgmma_in, 0x11, sizeof wgmma_in);
    memset(wgmma_out, 0xee, sizeof wgmma_out);
    for (uint32_t k = 0; k < all; k++) {
        for (uint32_t i = 0; i < 64; i++) {
            matrix_a[i][k] = draw(f->a);
            put_bits(wgmma_in, byte_of(f, true, i, k) * 8, bits,
                     encode(f->a, matrix_a[i][k]));
        }
        for (uint32_t i = 0; i < f->n; i++) {
            matrix_b[i][k] = draw(f->b);
            put_bits(wgmma_in + HALF_BYTES, byte_of(f, false, i, k) * 8, bits,
                     encode(f->b, matrix_b[i][k]));
        }
    }
    for (uint32_t t = 0; t < 128; t++) {
        uint32_t row, col, dbits = kinds[f->d].bits;
        for (uint32_t e = 0; e < f->n / 2; e++) {
            sum_place(t, e, &row, &col);
            matrix_c[row][col] = draw(f->d);
            put_bits(wgmma_out, t * 4096 + e * dbits, dbits,
                     encode(f->d, matrix_c[row][col]));
        }
        for (uint32_t r = 0; r < STEPS * 4; r++) { /* A's registers */
            uint32_t i = t / 32 * 16 + t % 32 / 4 + r % 2 * 8;
            for (uint32_t j = 0; j < per; j++) {
                uint32_t k =
                    r / 4 * depth(f) + t % 4 * per + j + r % 4 / 2 * 4 * per;
                put_bits(wgmma_in + 65536, t * 256 + (r * per + j) * bits, bits,
                         encode(f->a, matrix_a[i][k]));
            }
        }
    }
}

/* What a kernel left in B, against the product; else why. */
static inline bool wgmma_right(const wgmma_form *f, const uint8_t *b_after,
                               char *why, size_t size) {
    for (uint32_t t = 0; t < 128; t++) {
        for (uint32_t e = 0; e < f->n / 2; e++) {
            uint32_t row, col, bits = kinds[f->d].bits;
            sum_place(t, e, &row, &col);
            int64_t sum = 0;
            for (uint32_t k = 0; k < STEPS * depth(f); k++) {
                sum += matrix_a[row][k] * matrix_b[col][k];
            }
            sum = sum * f->sign_a * f->sign_b +
                  (f->start ? matrix_c[row][col] : 0);
            int64_t got =
                decode(f->d, get_bits(b_after, t * 4096 + e * bits, bits));
            if (got != sum) {
                snprintf(why, size, "form %d: [%u, %u] is %lld, not %lld",
                         (int)(f - wgmma_forms), row, col, (long long)got,
                         (long long)sum);
                return false;
            }
        }
    }
    return true;
}

#endif
