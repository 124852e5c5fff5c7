/* operand.h - sources as 32 values, destinations under a mask. */
#ifndef TC_SIM_CORE_OPERAND_H
#define TC_SIM_CORE_OPERAND_H

#include "sim/core/warp.h"

/* A source operand of any kind as 32 values: a register's own array, or tmp
 * filled with the value (immediates, specials, symbols). */
const uint32_t *tc_src32(tc_warp *w, const tc_ptx_operand *o, uint32_t *tmp);
const uint64_t *tc_src64(tc_warp *w, const tc_ptx_operand *o, uint64_t *tmp);
/* A predicate operand as a mask, its negation applied. */
uint32_t tc_src_pred(tc_warp *w, const tc_ptx_operand *o);
/* Value of a special register for a lane. */
uint64_t tc_operand_special(tc_warp *w, tc_ptx_special s, int lane);
/* Address that a symbol's name denotes as a value (generic for GLOBAL and
 * CONST, window offset for SHARED, LOCAL, PARAM). */
uint64_t tc_symbol_address(tc_warp *w, uint32_t symbol);
/* A memory operand's address in each lane. */
void tc_operand_addresses(tc_warp *w, const tc_ptx_operand *o, uint64_t *out);

/* Blends values into a destination register (or sink). */
void tc_put32(tc_warp *w, const tc_ptx_operand *d, const uint32_t *v,
              uint32_t mask);
void tc_put64(tc_warp *w, const tc_ptx_operand *d, const uint64_t *v,
              uint32_t mask);
void tc_put_pred(tc_warp *w, const tc_ptx_operand *d, uint32_t v,
                 uint32_t mask);

#endif
