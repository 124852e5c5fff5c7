/* bulk.h - what the bulk copies share: the state of one transfer. */
#ifndef TC_SIM_BULK_H
#define TC_SIM_BULK_H

#include "sim/async/transfer.h"
#include "sim/core/address.h"

enum { TC_CLUSTER_MOST = 16 }; /* CTAs of a cluster: bits of a CTA mask */

/* Where a transfer's bytes go in one CTA's shared memory, or in global memory,
 * and the mbarrier that is told. */
typedef struct tc_bulk_target {
    tc_resolved to;
    bool has_barrier;
    tc_mbarrier_ref barrier;
} tc_bulk_target;

typedef struct tc_bulk {
    tc_resolved from;
    tc_bulk_target target[TC_CLUSTER_MOST];
    uint32_t ntargets, bytes;
    uint16_t byte_mask; /* of each 16 bytes: which ones are written */
    uint8_t *data;      /* the bytes, once they have been read */
} tc_bulk;

/* One lane's value of a 32-bit or narrower source operand. */
uint32_t tc_bulk_value(tc_warp *w, const tc_ptx_operand *o, int lane);
uint64_t tc_bulk_address(tc_warp *w, const tc_ptx_operand *o, int lane);
/* Finds the mbarrier of b->target[0] and, under a CTA mask (multicast), the
 * targets in other CTAs. False after a fault. */
bool tc_bulk_targets(tc_warp *w, const tc_ptx_op *op, int lane, tc_bulk *b,
                     const tc_ptx_operand *barrier, tc_ptx_space space,
                     const tc_ptx_operand *mask);
/* A transfer with b as its state, which it takes over: tells the checker of
 * the mbarriers. */
tc_transfer *tc_bulk_transfer(tc_warp *w, const tc_ptx_op *op, int lane,
                              tc_bulk *b);
void tc_bulk_drop(tc_transfer *t);
/* Tells the mbarriers of the transfer that it is complete. */
void tc_bulk_signal(tc_run *r, tc_transfer *t);
/* to = to op from, element by element (9.7.9.25.4.2). */
void tc_bulk_reduce(const tc_ptx_op *op, tc_ptx_type type, uint8_t *to,
                    const uint8_t *from, uint64_t bytes);

#endif
