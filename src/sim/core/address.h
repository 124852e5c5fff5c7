/* address.h - one lane's address, resolved to host memory: the checks of every
 * op that is no plain load or store (isa/memory.c has its own, for whole
 * warps). */
#ifndef TC_SIM_PLACE_H
#define TC_SIM_PLACE_H

#include "sim/core/internal.h"

typedef struct tc_place {
    uint8_t *bytes;
    tc_ptx_space space; /* GLOBAL (const too), SHARED, LOCAL or PARAM */
    tc_cta *owner;      /* of SHARED: whose; else NULL */
    uint64_t address;   /* in that space: global, or the window's offset */
} tc_place;

/* Where `bytes` bytes at addr are: space GENERIC, GLOBAL, CONST, SHARED,
 * CLUSTER, LOCAL or PARAM. False after a fault (bounds, alignment to align, a
 * CTA that the cluster does not have or that has ended). */
bool tc_lane_place(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                   int lane, uint64_t addr, uint32_t bytes, uint32_t align,
                   tc_place *out);
/* The same, for those who want the bytes alone; NULL after a fault. */
uint8_t *tc_lane_bytes(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                       int lane, uint64_t addr, uint32_t bytes);

#endif
