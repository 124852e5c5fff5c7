/* internal.h - the state that sim/'s files share. */
#ifndef TC_SIM_INTERNAL_H
#define TC_SIM_INTERNAL_H

#include "ptx/ptx.h"
#include "sim/sim.h"

enum { TC_LANES = 32 };

/* One warp's registers and lanes. Register r of the 32-bit file is the array
 * r32[r][0..31], one word a lane. */
typedef struct tc_warp {
    uint32_t (*r32)[TC_LANES];
    uint64_t (*r64)[TC_LANES];
    uint32_t *pred; /* one mask a predicate */
    struct tc_cta *cta;
    uint32_t index; /* within the CTA */
    uint32_t valid; /* lanes that exist: the last warp may be partial */
    uint32_t alive; /* lanes that have not ended */
    uint32_t pc[TC_LANES];
    struct tc_warp_core *core; /* scheduling, barriers, groups: core files */
} tc_warp;

/* Executes one op for the lanes of mask (guard already applied). An ALU op
 * reads its sources and writes its destination and does nothing else. */
typedef void tc_sim_op_fn(tc_warp *w, const tc_ptx_op *op, uint32_t mask);

#define TC_PTX_OP(id, name, section, unit) tc_sim_op_fn tc_sim_op_##id;
#include "ptx/ops.def"

/* A source operand of any kind as 32 values: a register's own array, or tmp
 * filled with the value (immediates, specials, symbols). */
const uint32_t *tc_src32(tc_warp *w, const tc_ptx_operand *o, uint32_t *tmp);
const uint64_t *tc_src64(tc_warp *w, const tc_ptx_operand *o, uint64_t *tmp);
/* A predicate operand as a mask, its negation applied. */
uint32_t tc_src_pred(tc_warp *w, const tc_ptx_operand *o);
/* Value of a special register for a lane. Core files. */
uint64_t tc_special(tc_warp *w, tc_ptx_special s, int lane);
/* Address that a symbol's name denotes as a value (generic for GLOBAL and
 * CONST, window offset for SHARED, LOCAL, PARAM). Core files. */
uint64_t tc_symbol_address(tc_warp *w, uint32_t symbol);

#endif
