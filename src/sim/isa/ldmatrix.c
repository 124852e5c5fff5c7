/* ldmatrix.c - ldmatrix, stmatrix, movmatrix (PTX ISA 9.7.14.5.15 to .17).
 *
 * A matrix is rows of 16 bytes of shared memory, each at the address that one
 * lane gives; a register holds 4 bytes of it. Element b of a lane's register is
 * at a row and a column that layout() computes. */
#include "sim/alu/alu.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"

enum { ROW_BYTES = 16, MOST_ROWS = 16, MOST_MATRICES = 4 };

typedef struct matrix_shape {
    uint32_t matrices, rows; /* rows of each: lanes that give addresses */
    uint32_t registers;      /* of each matrix */
    uint32_t data;           /* bytes of a row in memory: the rest is padding */
    bool halves;             /* 16-bit elements, else 8-bit */
    bool trans;
} matrix_shape;

static matrix_shape shape_of(const tc_ptx_op *op) {
    matrix_shape s = {.matrices = op->sub2, .rows = 8, .registers = 1};
    s.trans = (op->more & TC_PX_MATRIX_TRANS) != 0;
    s.halves = op->sub == TC_MATRIX_M8N8;
    s.data = op->more & TC_PX_MATRIX_B6   ? 12
             : op->more & TC_PX_MATRIX_B4 ? 8
                                          : ROW_BYTES;
    if (op->sub == TC_MATRIX_M16N16) {
        s.rows = 16;
        s.registers = 2;
    }
    return s;
}

/* Where byte b of register k (of one matrix) of a lane is. */
static void layout(const matrix_shape *s, uint32_t lane, uint32_t k, uint32_t b,
                   uint32_t *row, uint32_t *col) {
    uint32_t quad = lane / 4, in = lane % 4;
    if (!s->trans) { /* 4 bytes of row quad */
        *row = quad;
        *col = in * 4 + b;
    } else if (s->halves) { /* column quad, two rows */
        *row = in * 2 + b / 2;
        *col = quad * 2 + b % 2;
    } else if (s->rows == 16) { /* m16n16: columns quad and quad + 8 */
        *row = in * 4 + b;
        *col = quad + 8 * k;
    } else { /* stmatrix m16n8: 8 rows of 16, two columns */
        *row = in * 2 + b % 2;
        *col = quad + 8 * (b / 2);
    }
}

/* 16 elements of 6 or 4 bits, low bits first, to a byte each. */
static void unpack(uint8_t *row, uint32_t bits) {
    uint64_t words[2];
    memcpy(words, row, sizeof words);
    for (uint32_t i = 0; i < ROW_BYTES; i++) {
        uint32_t at = i * bits, shift = at % 64;
        uint64_t v = words[at / 64] >> shift;
        if (shift + bits > 64) {
            v |= words[1] << (64 - shift);
        }
        row[i] = (uint8_t)(v & ((1u << bits) - 1));
    }
}

/* The rows' places in shared memory. False after a fault. */
static bool find_rows(tc_warp *w, const tc_ptx_op *op, const matrix_shape *s,
                      const uint64_t *addr, tc_resolved *at) {
    for (uint32_t i = 0; i < s->matrices * s->rows; i++) {
        if (!tc_resolve_lane(w, op, (tc_ptx_space)op->space, (int)i, addr[i],
                             ROW_BYTES, ROW_BYTES, &at[i])) {
            return false;
        }
        if (at[i].space != TC_PS_SHARED || at[i].owner != w->cta) {
            tc_finding_fault(w, op, (int)i, TC_FINDING_OUT_OF_BOUNDS,
                             at[i].space, at[i].address, ROW_BYTES,
                             TC_DETAIL_MATRIX_SHARED);
            return false;
        }
    }
    return true;
}

static void observe_rows(tc_warp *w, const tc_ptx_op *op, const matrix_shape *s,
                         const tc_resolved *at, bool store) {
    const tc_run *r = w->cta->run;
    uint32_t n = s->matrices * s->rows;
    uint32_t lanes = n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
    uint64_t addr[TC_LANES] = {0};
    if (!r->race && !r->timing && !r->trace) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        addr[i] = at[i].address;
    }
    tc_isa_observe(w, op, TC_PS_SHARED, lanes, addr,
                   s->data == 12 ? 8 : s->data, store);
    for (uint32_t i = 0; s->data == 12 && i < n; i++) {
        addr[i] += 8;
    }
    if (s->data == 12) {
        tc_isa_observe(w, op, TC_PS_SHARED, lanes, addr, 4, store);
    }
}

/* Register k of matrix m in the op's vector. */
static const tc_ptx_operand *register_of(const tc_warp *w,
                                         const tc_ptx_operand *v,
                                         const matrix_shape *s, uint32_t m,
                                         uint32_t k) {
    return &w->cta->run->module->vec[v->slot + m * s->registers + k];
}

/* All lanes of the warp take part, those that give no address too. */
static bool begin(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    return tc_warp_converged(w, op, mask, w->valid);
}

void tc_sim_op_LDMATRIX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    matrix_shape s = shape_of(op);
    uint64_t addr[TC_LANES];
    tc_resolved at[TC_LANES];
    tc_operand_addresses(w, &op->a[1], addr);
    if (!begin(w, op, mask) || !find_rows(w, op, &s, addr, at)) {
        return;
    }
    observe_rows(w, op, &s, at, false);
    for (uint32_t m = 0; m < s.matrices; m++) {
        uint8_t rows[MOST_ROWS][ROW_BYTES];
        for (uint32_t i = 0; i < s.rows; i++) {
            memcpy(rows[i], at[m * s.rows + i].bytes, ROW_BYTES);
            if (s.data != ROW_BYTES) {
                unpack(rows[i], s.data / 2);
            }
        }
        for (uint32_t k = 0; k < s.registers; k++) {
            uint32_t v[TC_LANES] = {0};
            for (uint32_t i = 0; i < TC_LANES * 4; i++) {
                uint32_t row, col;
                layout(&s, i / 4, k, i % 4, &row, &col);
                v[i / 4] |= (uint32_t)rows[row][col] << i % 4 * 8;
            }
            tc_put32(w, register_of(w, &op->a[0], &s, m, k), v, mask);
        }
    }
}

void tc_sim_op_STMATRIX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    matrix_shape s = shape_of(op);
    uint64_t addr[TC_LANES];
    tc_resolved at[TC_LANES];
    tc_operand_addresses(w, &op->a[0], addr);
    if (!begin(w, op, mask) || !find_rows(w, op, &s, addr, at)) {
        return;
    }
    w->cta->run->progress++;
    observe_rows(w, op, &s, at, true);
    for (uint32_t m = 0; m < s.matrices; m++) {
        uint32_t tmp[TC_LANES];
        const uint32_t *v =
            tc_src32(w, register_of(w, &op->a[1], &s, m, 0), tmp);
        for (uint32_t i = 0; i < TC_LANES * 4; i++) {
            uint32_t row, col;
            layout(&s, i / 4, 0, i % 4, &row, &col);
            at[m * s.rows + row].bytes[col] = (uint8_t)(v[i / 4] >> i % 4 * 8);
        }
    }
}

/* An 8 x 8 matrix of 16 bits, in the lanes' registers, transposed. */
void tc_sim_op_MOVMATRIX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    const matrix_shape to = {.halves = true, .trans = true, .rows = 8};
    uint32_t tmp[TC_LANES], d[TC_LANES] = {0};
    const uint32_t *v = tc_src32(w, &op->a[1], tmp);
    if (!begin(w, op, mask)) {
        return;
    }
    for (uint32_t i = 0; i < TC_LANES * 4; i++) {
        uint32_t row, col; /* of a row, 4 bytes are in each of 4 lanes */
        layout(&to, i / 4, 0, i % 4, &row, &col);
        uint32_t byte = v[row * 4 + col / 4] >> col % 4 * 8 & 0xff;
        d[i / 4] |= byte << i % 4 * 8;
    }
    tc_put32(w, &op->a[0], d, mask);
}
