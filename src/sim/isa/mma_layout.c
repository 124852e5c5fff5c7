/* mma_layout.c - which lane and register hold which element of a matrix.
 *
 * All figures of PTX ISA 9.7.14.5 but that of m8n8k4.f16 follow one rule. A
 * matrix is made of blocks of 8 x 8 sums, of 8 rows of 16 bytes of A, of 8
 * columns of 16 bytes of B; lane i has element, or 4 bytes (8 of .f64), i % 4
 * of row (column) i / 4 of each block. Blocks are counted down the rows first.
 * What wmma's matrices hold where is left open by 9.7.14.4.1; here they follow
 * the same rule, as they do on GPUs from sm_80 on. */
#include "sim/alu/alu.h"
#include "sim/isa/mma.h"
#include <math.h>

tc_matrix tc_mma_matrix(tc_mma_role role, tc_ptx_type type, uint32_t size) {
    tc_matrix m = {.role = role, .type = type, .bits = tc_mma_bits(type)};
    m.rows = role == TC_MMA_B ? TC_MMA_K(size) : TC_MMA_M(size);
    m.cols = role == TC_MMA_A ? TC_MMA_K(size) : TC_MMA_N(size);
    m.per = m.bits < 32 ? 32 / m.bits : 1;
    m.regs = m.rows * m.cols / TC_LANES / m.per;
    return m;
}

tc_mma_element tc_mma_element_of(const tc_matrix *m, uint32_t lane,
                                 uint32_t reg, uint32_t j) {
    uint32_t quad = lane / 4, in = lane % 4, r = reg % m->regs, width;
    uint32_t blocks, block;
    switch (m->role) {
    case TC_MMA_A:
        blocks = m->rows / 8;
        width = 4 * m->per;
        return (tc_mma_element){quad + 8 * (r % blocks),
                                in * m->per + j + width * (r / blocks)};
    case TC_MMA_B:
        width = 4 * m->per;
        blocks = m->rows / width;
        return (tc_mma_element){in * m->per + j + width * (r % blocks),
                                quad + 8 * (r / blocks)};
    default: /* two elements of each block */
        blocks = m->rows / 8;
        block = (r * m->per + j) / 2;
        return (tc_mma_element){quad + 8 * (block % blocks),
                                in * 2 + (r * m->per + j) % 2 +
                                    8 * (block / blocks)};
    }
}

/* .e4m3 has no infinity, .e5m2 has (PTX ISA 5.2.3). */
static double small(uint32_t v, uint32_t mantissa, int bias, bool inf) {
    uint32_t a = v & 0x7f, m = a & ((1u << mantissa) - 1);
    int e = (int)(a >> mantissa), top = inf ? 31 : 15;
    if (e == top && (inf || m == 7)) {
        return inf && m == 0 ? (v & 0x80 ? -INFINITY : INFINITY) : NAN;
    }
    double x = ldexp((double)(m + (e != 0 ? 1u << mantissa : 0)),
                     (e != 0 ? e : 1) - bias - (int)mantissa);
    return v & 0x80 ? -x : x;
}

/* As a .f32 of 2^112 times less; the multiplication makes it exact. */
static double half(uint32_t v) {
    if ((v & 0x7c00) == 0x7c00) {
        return tc_alu_unpack(TC_PT_F16, v);
    }
    uint32_t u = (v & 0x8000) << 16 | (v & 0x7fff) << 13;
    return (double)tc_f32(u) * 0x1p112;
}

double tc_mma_float(tc_ptx_type t, uint32_t bits) {
    switch (t) {
    case TC_PT_F16:
        return half(bits);
    case TC_PT_BF16:
        return (double)tc_f32(bits << 16);
    case TC_PT_TF32: /* 9.7.14.5.4: the low 13 bits are not looked at */
        return (double)tc_f32(bits & 0xffffe000u);
    case TC_PT_E4M3:
        return small(bits, 3, 7, false);
    case TC_PT_E5M2:
        return small(bits, 2, 15, true);
    default:
        return (double)tc_f32(bits);
    }
}

void tc_mma_floats(tc_ptx_type t, const uint32_t *bits, double *out) {
    uint32_t special = 0;
    for (int i = 0; t == TC_PT_F16 && i < TC_LANES; i++) {
        uint32_t v = bits[i], u = (v & 0x8000) << 16 | (v & 0x7fff) << 13;
        special |= (v & 0x7c00) == 0x7c00;
        out[i] = (double)tc_f32(u) * 0x1p112;
    }
    for (int i = 0; (special || t != TC_PT_F16) && i < TC_LANES; i++) {
        out[i] = tc_mma_float(t, bits[i]);
    }
}

int32_t tc_mma_integer(tc_ptx_type t, uint32_t bits) {
    switch (t) {
    case TC_PT_S8:
        return (int8_t)bits;
    case TC_PT_S4:
        return (int32_t)(bits ^ 8) - 8;
    default:
        return (int32_t)bits;
    }
}
