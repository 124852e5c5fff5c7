/* tcgen05_cp.c - tcgen05.cp: shared to tensor memory (PTX ISA 9.7.16.9.2). */
#include "sim/async/tmem.h"
#include "sim/async/transfer.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

enum { ROW_MOST = 32, ROWS_MOST = 128 }; /* bytes of a row; rows */

/* A shared memory matrix descriptor: table of 9.7.16.4.1. */
typedef struct descriptor {
    uint32_t start, leading, stride; /* bytes */
    uint32_t base;                   /* phase of the swizzle pattern */
    uint32_t swizzle;                /* mode, bits 61-63 */
} descriptor;

/* One cp of one thread. */
typedef struct tcgen05_copy {
    descriptor d;
    tc_cta *cta[2]; /* whose memories; .cta_group::2: the pair */
    uint32_t nctas;
    uint32_t rows, bytes; /* of the source; bytes of a row: 16 or 32 */
    uint32_t lane, column;
    uint8_t data[2][ROWS_MOST][ROW_MOST]; /* of each */
} tcgen05_copy;

/* ---- the descriptor ---- */

static tc_detail_id decode(uint64_t bits, descriptor *d) {
    d->start = (uint32_t)(bits & 0x3fff) << 4;
    d->leading = (uint32_t)(bits >> 16 & 0x3fff) << 4;
    d->stride = (uint32_t)(bits >> 32 & 0x3fff) << 4;
    d->base = (uint32_t)(bits >> 49 & 7);
    d->swizzle = (uint32_t)(bits >> 61);
    if ((bits >> 46 & 7) != 1 || (bits >> 53 & 0xff) != 0) {
        return TC_DETAIL_DESCRIPTOR_BITS;
    }
    if ((bits >> 52 & 1) != 0) {
        return TC_DETAIL_DESCRIPTOR_ABSOLUTE;
    }
    if (d->swizzle == 3 || d->swizzle == 5 || d->swizzle == 7) {
        return TC_DETAIL_DESCRIPTOR_SWIZZLE;
    }
    return TC_DETAIL_NONE;
}

/* Bytes from a row to the next within 8 rows: the canonical layouts of
 * 9.7.16.3.3, K-major. */
static uint32_t pitch_of(const descriptor *d) {
    switch (d->swizzle) {
    case 1:
    case 2:
        return 128;
    case 4:
        return 64;
    case 6:
        return 32;
    default:
        return 16;
    }
}

/* Bits of the address that a pattern's position within 1024, 512 or 256 bytes
 * flips; a pattern that does not begin there has a base offset. */
static uint32_t swizzled(const descriptor *d, uint32_t at) {
    uint32_t phase = ((at >> 7) - d->base) & 7;
    switch (d->swizzle) {
    case 1: /* atoms of 32 bytes */
        return at ^ (phase & 3) << 5;
    case 2:
        return at ^ phase << 4;
    case 4:
        return at ^ (phase & 3) << 4;
    case 6:
        return at ^ (phase & 1) << 4;
    default:
        return at;
    }
}

/* Offset in the shared window of 16 bytes of a row. */
static uint32_t source_of(const descriptor *d, uint32_t row, uint32_t chunk) {
    uint32_t at = d->start + row / 8 * d->stride + row % 8 * pitch_of(d);
    at += chunk * (d->swizzle ? 16 : d->leading);
    return swizzled(d, at & 0x3ffff);
}

/* ---- where rows go ---- */

/* Lanes of row r; returns how many (9.7.16.9.2: the pairs of warps). */
static uint32_t lanes_of(const tc_ptx_op *op, uint32_t r, uint32_t *lane) {
    switch (op->sub) {
    case TC_TCGEN_4X256B: /* a row for each warp's quarter */
        lane[0] = r * TC_TMEM_QUARTER;
        return 1;
    case TC_TCGEN_64X128B:
        if ((op->more & TC_PX_TCGEN_02_13) != 0) {
            lane[0] = r;
            lane[1] = r + 64;
        } else {
            lane[0] = r + r / 32 * 32;
            lane[1] = lane[0] + 32;
        }
        return 2;
    case TC_TCGEN_32X128B:
        for (uint32_t i = 0; i < 4; i++) {
            lane[i] = r + i * 32;
        }
        return 4;
    default:
        lane[0] = r;
        return 1;
    }
}

static void shape_of(const tc_ptx_op *op, tcgen05_copy *c) {
    c->rows = op->sub == TC_TCGEN_4X256B    ? 4
              : op->sub == TC_TCGEN_64X128B ? 64
              : op->sub == TC_TCGEN_32X128B ? 32
                                            : 128;
    c->bytes =
        op->sub == TC_TCGEN_128X256B || op->sub == TC_TCGEN_4X256B ? 32 : 16;
}

/* ---- the transfer ---- */

static void read_rows(const tcgen05_copy *c, const tc_cta *from,
                      uint8_t (*out)[ROW_MOST]) {
    for (uint32_t r = 0; r < c->rows; r++) {
        for (uint32_t i = 0; i * 16 < c->bytes; i++) {
            memcpy(&out[r][i * 16], from->shared + source_of(&c->d, r, i), 16);
        }
    }
}

/* Of a pair each CTA's tensor memory is filled from its own shared memory: the
 * ISA leaves that unsaid, and what runs on sm_100 relies on it (the scale
 * factors of 2-SM products in DeepGEMM: each CTA loads those of its own rows,
 * and the first one copies for both). */
static void fetch(tc_run *run, tc_transfer *x) {
    tcgen05_copy *c = x->state;
    (void)run;
    for (uint32_t t = 0; t < c->nctas; t++) {
        read_rows(c, c->cta[t], c->data[t]);
    }
}

static void fill_lane(tcgen05_copy *c, uint32_t target, uint32_t row,
                      uint32_t lane) {
    for (uint32_t i = 0; i * 4 < c->bytes; i++) {
        uint32_t v;
        memcpy(&v, &c->data[target][row][i * 4], sizeof v);
        *tc_tmem_cell(c->cta[target]->tensor, lane, c->column + i) = v;
    }
}

static void land(tc_run *run, tc_transfer *x) {
    tcgen05_copy *c = x->state;
    (void)run;
    for (uint32_t t = 0; t < c->nctas; t++) {
        for (uint32_t r = 0; r < c->rows; r++) {
            uint32_t lane[4], n = lanes_of(x->op, r, lane);
            for (uint32_t i = 0; i < n; i++) {
                fill_lane(c, t, r, c->lane + lane[i]);
            }
        }
    }
}

static void drop(tc_transfer *x) {
    free(x->state);
}

/* ---- issue ---- */

static bool check_source(tc_warp *w, const tc_ptx_op *op, int lane,
                         const tcgen05_copy *c) {
    for (uint32_t r = 0; r < c->rows; r++) {
        for (uint32_t i = 0; i * 16 < c->bytes; i++) {
            uint32_t at = source_of(&c->d, r, i);
            if (at + 16 > w->cta->shared_bytes) {
                tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS,
                                 TC_PS_SHARED, at, 16,
                                 TC_DETAIL_DESCRIPTOR_BEYOND);
                return false;
            }
        }
    }
    return true;
}

static bool check_target(tc_warp *w, const tc_ptx_op *op, int lane,
                         const tcgen05_copy *c) {
    uint32_t last[4], n = lanes_of(op, c->rows - 1, last);
    bool fits = c->lane + last[n - 1] < TC_TMEM_LANES;
    for (uint32_t t = 0; fits && t < c->nctas; t++) {
        fits = tc_tmem_allocated(c->cta[t], c->column, c->bytes / 4);
    }
    if (!fits) {
        tc_tmem_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS,
                      c->lane << 16 | c->column, c->bytes,
                      TC_DETAIL_TMEM_CELLS);
    }
    return fits;
}

static bool find_pair(tc_warp *w, const tc_ptx_op *op, int lane,
                      tcgen05_copy *c) {
    c->cta[0] = w->cta;
    c->nctas = 1;
    if ((op->more & TC_PX_TCGEN_CTA_2) == 0) {
        return true;
    }
    c->cta[1] = tc_tmem_peer(w->cta);
    c->nctas = 2;
    if (!c->cta[1] || c->cta[1]->ended) {
        tc_finding_fault(w, op, lane,
                         c->cta[1] ? TC_FINDING_REMOTE_EXITED : TC_FINDING_TRAP,
                         TC_PS_TENSOR, 0, 0,
                         c->cta[1] ? TC_DETAIL_NONE : TC_DETAIL_TMEM_PAIR);
        return false;
    }
    return true;
}

static bool find(tc_warp *w, const tc_ptx_op *op, int lane, tcgen05_copy *c) {
    uint64_t tmp[TC_LANES];
    uint32_t at = tc_tmem_address(w, &op->a[0], lane);
    uint64_t bits = tc_src64(w, &op->a[1], tmp)[lane];
    tc_detail_id wrong = decode(bits, &c->d);
    if (wrong != TC_DETAIL_NONE) {
        tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_SHARED, c->d.start,
                         0, wrong);
        return false;
    }
    c->lane = at >> 16;
    c->column = at & 0xffff;
    shape_of(op, c);
    return find_pair(w, op, lane, c) && check_source(w, op, lane, c) &&
           check_target(w, op, lane, c);
}

static void tell_row(tc_transfer *x, const tcgen05_copy *c, tc_cta *cta,
                     uint32_t row) {
    uint32_t lane[4], n = lanes_of(x->op, row, lane);
    for (uint32_t i = 0; i * 16 < c->bytes; i++) {
        tc_race_agent_access(x->race, cta, TC_PS_SHARED,
                             source_of(&c->d, row, i), 16, false);
    }
    for (uint32_t i = 0; i < n; i++) {
        tc_race_agent_access(x->race, cta, TC_PS_TENSOR,
                             (c->lane + lane[i]) << 16 | c->column, c->bytes,
                             true);
    }
}

static void tell_checker(tc_transfer *x, const tcgen05_copy *c) {
    for (uint32_t t = 0; x->race && t < c->nctas; t++) {
        for (uint32_t r = 0; r < c->rows; r++) {
            tell_row(x, c, c->cta[t], r);
        }
    }
}

static void issue(tc_warp *w, const tc_ptx_op *op, int lane) {
    tc_run *r = w->cta->run;
    tcgen05_copy *c = tc_xcalloc(1, sizeof *c);
    if (!find(w, op, lane, c)) {
        free(c);
        return;
    }
    tc_transfer *x = tc_transfer_new(w, op, lane);
    x->state = c;
    x->drop = drop;
    x->fetch = fetch;
    x->land = land;
    x->kept = true; /* until tcgen05.commit */
    x->bytes = c->rows * c->bytes;
    x->to = (tc_transfer_end){TC_PS_TENSOR, w->cta, c->lane << 16 | c->column};
    tell_checker(x, c);
    if (r->timing) {
        x->complete = tc_timing_transfer(r, x->bytes, TC_PS_SHARED,
                                         TC_PS_TENSOR, 0, &x->source);
    }
    tc_transfer_start(x);
}

/* 9.7.16.5: each thread that issues starts a copy. */
void tc_sim_op_TCGEN05_CP(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        issue(w, op, tc_first_bit(m));
    }
}
