/* mma.c - mma and wmma.mma: D = A B + C by a warp (PTX ISA 9.7.14.5.14 and
 * 9.7.14.4.5).
 *
 * Products of floating-point elements are exact; the ISA leaves open in which
 * order they are summed and how the sums between are rounded. Here they are
 * summed in double precision and rounded once to the type of D, so that sums
 * that .f32 holds at every step have the bits that a GPU gives, and others
 * differ in the last places (from .e4m3 and .e5m2 in more: an H200 keeps fewer
 * bits of those sums). .f64 is a chain of fma in the order of k. Integers and
 * .b1 are exact. */
#include "sim/isa/mma.h"
#include "sim/alu/alu.h"
#include "sim/core/finding.h"

/* The elements of the three matrices, C becoming D: numbers of the kind that
 * the type has. */
typedef struct product {
    tc_matrix a, b, c, d;
    union {
        double f[TC_MMA_ELEMENTS];
        int32_t i[TC_MMA_ELEMENTS];
    } ma, mb;
    union {
        double f[TC_MMA_SUMS];
        int64_t i[TC_MMA_SUMS];
    } sum;
} product;

bool tc_mma_together(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!tc_warp_converged(w, op, mask, w->valid)) {
        return false;
    }
    if (w->alive == UINT32_MAX && mask == UINT32_MAX) {
        return true;
    }
    tc_finding_fault(w, op, tc_first_bit(mask), TC_FINDING_TRAP, TC_PS_REG, 0,
                     0, TC_DETAIL_MATRIX_WARP);
    return false;
}

static const tc_ptx_operand *vec(const tc_warp *w, const tc_ptx_op *op, int i) {
    return &w->cta->run->module->vec[op->a[i].slot];
}

static uint32_t element(const tc_matrix *m, uint32_t word, uint32_t j) {
    return m->bits == 32 ? word : word >> j * m->bits & ((1u << m->bits) - 1);
}

/* ---- in and out of the registers ---- */

/* Where element j of register r of each lane is, among rows of the matrix one
 * behind the other: lanes are apart by constants (mma_layout.c). */
static void places(const tc_matrix *m, uint32_t r, uint32_t j, uint16_t *out) {
    tc_mma_element p = tc_mma_element_of(m, 0, r, j);
    tc_mma_element next = tc_mma_element_of(m, 1, r, j);
    tc_mma_element quad = tc_mma_element_of(m, 4, r, j);
    uint32_t at = p.row * m->cols + p.col;
    uint32_t step = next.row * m->cols + next.col - at;
    uint32_t down = quad.row * m->cols + quad.col - at;
    for (uint32_t i = 0; i < TC_LANES; i++) {
        out[i] = (uint16_t)(at + i % 4 * step + i / 4 * down);
    }
}

static void fetch_doubles(tc_warp *w, const tc_ptx_operand *v,
                          const tc_matrix *m, double *out) {
    for (uint32_t r = 0; r < m->regs; r++) {
        uint64_t wide[TC_LANES];
        uint16_t at[TC_LANES];
        const uint64_t *l = tc_src64(w, &v[r], wide);
        places(m, r, 0, at);
        for (uint32_t i = 0; i < TC_LANES; i++) {
            out[at[i]] = tc_f64(l[i]);
        }
    }
}

static void fetch_floats(tc_warp *w, const tc_ptx_operand *v,
                         const tc_matrix *m, double *out) {
    if (m->bits == 64) {
        fetch_doubles(w, v, m, out);
        return;
    }
    for (uint32_t r = 0; r < m->regs; r++) {
        uint32_t tmp[TC_LANES];
        const uint32_t *s = tc_src32(w, &v[r], tmp);
        for (uint32_t j = 0; j < m->per; j++) {
            uint32_t bits[TC_LANES];
            double x[TC_LANES];
            uint16_t at[TC_LANES];
            for (uint32_t i = 0; i < TC_LANES; i++) {
                bits[i] = element(m, s[i], j);
            }
            tc_mma_floats(m->type, bits, x);
            places(m, r, j, at);
            for (uint32_t i = 0; i < TC_LANES; i++) {
                out[at[i]] = x[i];
            }
        }
    }
}

static void fetch_integers(tc_warp *w, const tc_ptx_operand *v,
                           const tc_matrix *m, int32_t *out) {
    for (uint32_t r = 0; r < m->regs; r++) {
        uint32_t tmp[TC_LANES];
        const uint32_t *s = tc_src32(w, &v[r], tmp);
        for (uint32_t j = 0; j < m->per; j++) {
            uint16_t at[TC_LANES];
            places(m, r, j, at);
            for (uint32_t i = 0; i < TC_LANES; i++) {
                out[at[i]] = tc_mma_integer(m->type, element(m, s[i], j));
            }
        }
    }
}

static uint64_t packed(tc_ptx_type t, double x) {
    if (t == TC_PT_F16) {
        return tc_pack_double(t, x, TC_RN);
    }
    return t == TC_PT_F64 ? tc_u64(x) : x != x ? 0x7fffffffu : tc_u32((float)x);
}

static void put_sums(tc_warp *w, const tc_ptx_op *op, const product *x) {
    const tc_matrix *m = &x->d;
    const tc_ptx_operand *v = vec(w, op, 0);
    for (uint32_t r = 0; r < m->regs; r++) {
        uint64_t d[TC_LANES] = {0};
        for (uint32_t j = 0; j < m->per; j++) {
            uint16_t at[TC_LANES];
            places(m, r, j, at);
            for (uint32_t i = 0; i < TC_LANES; i++) {
                uint64_t e = m->type == TC_PT_S32
                                 ? (uint32_t)x->sum.i[at[i]]
                                 : packed(m->type, x->sum.f[at[i]]);
                d[i] |= e << j * m->bits % 64;
            }
        }
        tc_put64(w, &v[r], d, UINT32_MAX);
    }
}

/* ---- the product ---- */

/* Four columns at a time: all n that there are are multiples of 8. */
typedef double quads __attribute__((vector_size(32), aligned(8)));

static inline __attribute__((always_inline)) void multiply_columns(product *x) {
    uint32_t n = x->c.cols, depth = x->a.cols;
    for (uint32_t i = 0; i < x->c.rows; i++) {
        const double *a = &x->ma.f[i * depth];
        for (uint32_t j = 0; j < n; j += 8) {
            quads *sum = (quads *)(void *)&x->sum.f[i * n + j];
            quads s0 = sum[0], s1 = sum[1];
            for (uint32_t k = 0; k < depth; k++) {
                const quads *b =
                    (const quads *)(const void *)&x->mb.f[k * n + j];
                s0 += a[k] * b[0];
                s1 += a[k] * b[1];
            }
            sum[0] = s0;
            sum[1] = s1;
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_wide(product *x) {
    multiply_columns(x);
}
#endif

static void multiply_floats(product *x) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        multiply_wide(x);
        return;
    }
#endif
    multiply_columns(x);
}

/* The kernel of fma.f64 works on 32 sums at a time. */
static void multiply_doubles(product *x, uint32_t flags) {
    uint32_t n = x->c.cols, depth = x->a.cols, all = x->c.rows * n;
    for (uint32_t from = 0; from < all; from += TC_LANES) {
        for (uint32_t k = 0; k < depth; k++) {
            uint64_t a[TC_LANES], b[TC_LANES], c[TC_LANES], d[TC_LANES];
            for (uint32_t i = 0; i < TC_LANES; i++) {
                uint32_t row = (from + i) / n, col = (from + i) % n;
                a[i] = tc_u64(x->ma.f[row * depth + k]);
                b[i] = tc_u64(x->mb.f[k * n + col]);
                c[i] = tc_u64(x->sum.f[from + i]);
            }
            tc_f64_fma(flags, d, a, b, c);
            memcpy(&x->sum.f[from], d, sizeof d);
        }
    }
}

static void multiply_integers(product *x, uint32_t more) {
    uint32_t n = x->c.cols, depth = x->a.cols;
    bool bits = x->a.type == TC_PT_B1, with_xor = (more & TC_PX_MMA_XOR) != 0;
    for (uint32_t at = 0; at < x->c.rows * n; at++) {
        const int32_t *a = &x->ma.i[at / n * depth], *b = &x->mb.i[at % n];
        int64_t sum = x->sum.i[at];
        for (uint32_t k = 0; k < depth; k++, b += n) {
            sum += bits && with_xor ? a[k] ^ *b : (int64_t)a[k] * *b;
        }
        if (more & TC_PX_MMA_SATFINITE) {
            sum = sum > INT32_MAX   ? INT32_MAX
                  : sum < INT32_MIN ? INT32_MIN
                                    : sum;
        }
        x->sum.i[at] = sum;
    }
}

static void multiply(tc_warp *w, const tc_ptx_op *op, product *x) {
    const tc_ptx_operand *a = vec(w, op, 1), *b = vec(w, op, 2);
    const tc_ptx_operand *c = vec(w, op, 3);
    if (x->d.type == TC_PT_S32) {
        int32_t start[TC_MMA_SUMS];
        fetch_integers(w, a, &x->a, x->ma.i);
        fetch_integers(w, b, &x->b, x->mb.i);
        fetch_integers(w, c, &x->c, start);
        for (uint32_t i = 0; i < x->c.rows * x->c.cols; i++) {
            x->sum.i[i] = start[i];
        }
        multiply_integers(x, op->more);
        return;
    }
    fetch_floats(w, a, &x->a, x->ma.f);
    fetch_floats(w, b, &x->b, x->mb.f);
    fetch_floats(w, c, &x->c, x->sum.f);
    if (x->d.type == TC_PT_F64) {
        multiply_doubles(x, op->flags);
    } else {
        multiply_floats(x);
    }
}

/* ---- m8n8k4 of .f16: 9.7.14.5.1 ---- */

/* Four products, each of 4 lanes and the 4 lanes 16 above. Where element i of a
 * lane's registers is. */
static tc_mma_element volta_place(const tc_matrix *m, bool col, uint32_t lane,
                                  uint32_t i) {
    uint32_t high = lane / 16 * 4, in = lane % 4;
    switch (m->role) {
    case TC_MMA_A:
        return col ? (tc_mma_element){i + high, in}
                   : (tc_mma_element){in + high, i};
    case TC_MMA_B:
        return col ? (tc_mma_element){i, in + high}
                   : (tc_mma_element){in, i + high};
    default:
        if (m->type == TC_PT_F16) {
            return (tc_mma_element){in + high, i};
        }
        return (tc_mma_element){(in & 1) + (i & 2) + high,
                                (i & 4) + (in & 2) + (i & 1)};
    }
}

static uint32_t volta_lane(uint32_t pair, uint32_t i) {
    return pair * 4 + i % 4 + i / 4 * 16;
}

static void volta_fetch(tc_warp *w, const tc_ptx_operand *v, const tc_matrix *m,
                        bool col, uint32_t pair, double *out) {
    uint32_t elements = m->rows * m->cols / 8;
    for (uint32_t k = 0; k < 8 * elements; k++) {
        uint32_t tmp[TC_LANES], lane = volta_lane(pair, k / elements);
        uint32_t i = k % elements;
        const uint32_t *s = tc_src32(w, &v[i / m->per], tmp);
        tc_mma_element p = volta_place(m, col, lane, i);
        out[p.row * m->cols + p.col] =
            tc_mma_float(m->type, element(m, s[lane], i % m->per));
    }
}

static void volta_put(tc_warp *w, const tc_ptx_operand *v, const product *x,
                      uint32_t pair) {
    const tc_matrix *m = &x->d;
    uint32_t elements = 8, regs = elements / m->per;
    for (uint32_t r = 0; r < regs; r++) {
        uint32_t d[TC_LANES] = {0}, mask = 0;
        for (uint32_t k = 0; k < 8 * m->per; k++) {
            uint32_t lane = volta_lane(pair, k / m->per), j = k % m->per;
            tc_mma_element p = volta_place(m, false, lane, r * m->per + j);
            d[lane] |= (uint32_t)packed(m->type, x->sum.f[p.row * 8 + p.col])
                       << j * m->bits % 32;
            mask |= 1u << lane;
        }
        tc_put32(w, &v[r], d, mask);
    }
}

static void volta(tc_warp *w, const tc_ptx_op *op, product *x) {
    /* D may have registers of A, B and C: all is read before it is written */
    double sums[4][64];
    for (uint32_t pair = 0; pair < 4; pair++) {
        volta_fetch(w, vec(w, op, 1), &x->a, op->sub == TC_MMA_COL, pair,
                    x->ma.f);
        volta_fetch(w, vec(w, op, 2), &x->b, op->sub2 == TC_MMA_COL, pair,
                    x->mb.f);
        volta_fetch(w, vec(w, op, 3), &x->c, false, pair, x->sum.f);
        multiply_floats(x);
        memcpy(sums[pair], x->sum.f, sizeof sums[pair]);
    }
    for (uint32_t pair = 0; pair < 4; pair++) {
        memcpy(x->sum.f, sums[pair], sizeof sums[pair]);
        volta_put(w, vec(w, op, 0), x, pair);
    }
}

/* ---- the ops ---- */

void tc_sim_op_MMA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    product x;
    if (!tc_mma_together(w, op, mask)) {
        return;
    }
    x.a = tc_mma_matrix(TC_MMA_A, (tc_ptx_type)op->type2, op->size);
    x.b = tc_mma_matrix(TC_MMA_B, (tc_ptx_type)op->type3, op->size);
    x.c = tc_mma_matrix(TC_MMA_C, (tc_ptx_type)op->type4, op->size);
    x.d = tc_mma_matrix(TC_MMA_C, (tc_ptx_type)op->type, op->size);
    if (op->size == TC_MMA_SHAPE(8, 8, 4) && x.a.type == TC_PT_F16) {
        volta(w, op, &x);
        return;
    }
    multiply(w, op, &x);
    put_sums(w, op, &x);
}

void tc_sim_op_WMMA_MMA(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_MMA(w, op, mask); /* layouts are of memory, not of registers */
}
