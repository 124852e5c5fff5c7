/* address.h - addresses, resolved to host memory. */
#ifndef TC_SIM_CORE_ADDRESS_H
#define TC_SIM_CORE_ADDRESS_H

#include "sim/core/cta.h"

/* Generic address space (PTX ISA 5.1, 9.7.9.20 cvta): windows of shared and
 * local memory; everything else is global. Window offset 0 of shared memory is
 * generic address TC_WINDOW_SHARED. */
#define TC_WINDOW_SHARED UINT64_C(0x0000010000000000)
#define TC_WINDOW_LOCAL  UINT64_C(0x0000020000000000)
#define TC_WINDOW_PARAM  UINT64_C(0x0000030000000000)
#define TC_WINDOW_BYTES  UINT64_C(0x0000000100000000)

/* An address in shared::cluster (mapa): rank + 1 from this bit on, then the
 * offset in that CTA's window; rank bits 0: the own CTA. A generic address of
 * shared memory is TC_WINDOW_SHARED + such an address. */
enum { TC_CLUSTER_SHIFT = 24 };
#define TC_CLUSTER_OFFSET ((UINT64_C(1) << TC_CLUSTER_SHIFT) - 1)

/* The CTA that a shared::cluster address names, and the offset in its window;
 * NULL: the cluster has no such CTA. */
tc_cta *tc_cluster_owner(tc_cta *c, uint64_t address, uint64_t *offset);

/* ---- device memory: allocations, by address ---- */

/* Host storage, or NULL where it would overlap. Takes over name and, unless
 * they are borrowed, bytes. */
tc_sim_allocation *tc_sim_insert(tc_sim *s, tc_sim_allocation a);
int tc_sim_index(const tc_sim *s, uint64_t address); /* of the first one that
                                                        ends behind it */
/* The next address for so much, a multiple of align; 0: the device is full. */
uint64_t tc_sim_take(tc_sim *s, uint64_t size, uint64_t align);
uint64_t tc_sim_base(const tc_sim *s); /* the first of them */
/* An allocation with storage of its own, zeros; NULL where it cannot be. */
tc_sim_allocation *tc_sim_own(tc_sim *s, uint64_t address, uint64_t size,
                              const char *name);
#define TC_SIM_PAGE                                                            \
    UINT64_C(                                                                  \
        65536) /* of a managed variable, which is shared                  \
                     */
tc_sim_allocation *tc_allocation_find(tc_run *r, uint64_t address);

/* ---- one lane's address: the checks of every op that is no plain load or
 * store (isa/memory.c has its own, for whole warps) ---- */

typedef struct tc_resolved {
    uint8_t *bytes;
    tc_ptx_space space; /* GLOBAL (const too), SHARED, LOCAL or PARAM */
    tc_cta *owner;      /* of SHARED: whose; else NULL */
    uint64_t address;   /* in that space: global, or the window's offset */
} tc_resolved;

/* Where `bytes` bytes at addr are: space GENERIC, GLOBAL, CONST, SHARED,
 * CLUSTER, LOCAL or PARAM. False after a fault (bounds, alignment to align, a
 * CTA that the cluster does not have or that has ended). */
bool tc_resolve_lane(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                     int lane, uint64_t addr, uint32_t bytes, uint32_t align,
                     tc_resolved *out);
/* The same, for those who want the bytes alone; NULL after a fault. */
uint8_t *tc_resolve_bytes(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                          int lane, uint64_t addr, uint32_t bytes);

#endif
