/* tmem.h - tensor memory (PTX ISA 9.7.16.1): 128 lanes by 512 columns of 32
 * bits a CTA, allocated in columns. An address is lane << 16 | column. */
#ifndef TC_SIM_TMEM_H
#define TC_SIM_TMEM_H

#include "sim/core/run.h"

enum {
    TC_TMEM_LANES = 128,
    TC_TMEM_COLUMNS = 512,
    TC_TMEM_UNIT = 32, /* columns: the unit of allocation */
    TC_TMEM_UNITS = TC_TMEM_COLUMNS / TC_TMEM_UNIT,
    TC_TMEM_QUARTER = 32 /* lanes that a warp reaches with ld and st */
};

/* What a warp waits for in a collective of a CTA pair (.cta_group::2). */
typedef enum tc_tmem_meeting {
    TC_TMEM_ALONE,
    TC_TMEM_COMES, /* the CTA has come, and waits for its peer */
    TC_TMEM_MET    /* its peer has come too: the operation is done */
} tc_tmem_meeting;

typedef struct tc_tensor_memory {
    uint32_t *unit[TC_TMEM_UNITS]; /* 32 columns each: [lane][column] */
    uint16_t owner[TC_TMEM_UNITS]; /* 0 free, else 1 + first unit */
    bool relinquished;
    uint32_t last;   /* columns of the last allocation, 0 none */
    uint8_t meeting; /* tc_tmem_meeting */
    uint32_t wanted; /* COMES: columns; MET: the address given */
    const tc_ptx_op
        *alloc[TC_TMEM_UNITS]; /* by first unit: who, for findings */
    uint32_t warp[TC_TMEM_UNITS];
} tc_tensor_memory;

/* Tensor memory of a CTA, made at its first allocation. */
tc_tensor_memory *tc_tmem_make(tc_cta *c);
void tc_tmem_finish(tc_cta *c); /* it ended: says what was not given back */
void tc_tmem_free(tc_cta *c);
/* True if all columns [column, column + n) are allocated. */
bool tc_tmem_allocated(const tc_cta *c, uint32_t column, uint32_t n);
static inline uint32_t *tc_tmem_cell(const tc_tensor_memory *t, uint32_t lane,
                                     uint32_t column) {
    return &t->unit[column / TC_TMEM_UNIT]
                   [lane * TC_TMEM_UNIT + column % TC_TMEM_UNIT];
}
/* A fault at that place; findings name it by byte: 2048 a lane, 4 a column. */
void tc_tmem_fault(tc_warp *w, const tc_ptx_op *op, int lane,
                   tc_finding_kind kind, uint32_t address, uint32_t bytes,
                   tc_detail_id detail);

/* Where register `reg` of thread `thread` of a warp lies under a shape of
 * tcgen05.ld and st (TC_TCGEN_*): lane relative to the address's, column of 32
 * bits relative to the address's (of the second half for .16x32bx2: then
 * second is set). */
typedef struct tc_tmem_location {
    uint32_t lane, column;
    bool second;
} tc_tmem_location;
tc_tmem_location tc_tmem_register(uint8_t shape, uint32_t thread, uint32_t reg);

/* The other CTA of the pair (9.7.16.5.2), or NULL: no such cluster. */
tc_cta *tc_tmem_peer(const tc_cta *c);

/* launch: ops that name a register of a tcgen05.ld settle it first. */
void tc_tmem_watch(tc_run *r);

/* Gathers the whole warp for an instruction of .sync.aligned. False: it waits,
 * or there was a fault. */
bool tc_tmem_together(tc_warp *w, const tc_ptx_op *op, uint32_t mask);
/* The operand of lane `lane` as an address of tensor memory. */
uint32_t tc_tmem_address(tc_warp *w, const tc_ptx_operand *o, int lane);

#endif
