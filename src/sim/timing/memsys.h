/* memsys.h - the memory behind the SMs' load/store units, in time: an L1 for
 * each SM, one L2, DRAM. Tags and bandwidth only: the bytes are elsewhere.
 *
 * Lines are 128 bytes in four sectors of 32; sectors are fetched alone. L1 is
 * written through and not allocated by stores; L2 is written back. Pipes give
 * each stretch of time its bytes, so that SMs that are simulated one after the
 * other compete fairly for the same cycles. */
#ifndef TC_SIM_MEMSYS_H
#define TC_SIM_MEMSYS_H

#include "sim/timing/profile.h"

typedef struct tc_memsys tc_memsys;

/* L2 keeps its lines from one launch of a simulator to the next, and holds what
 * copies wrote between them; L1 begins each launch empty (PTX ISA 9.7.9.1: .ca
 * lines are not coherent between launches). */
typedef struct tc_l2 tc_l2;
tc_l2 *tc_l2_new(const tc_profile *p);
void tc_l2_free(tc_l2 *l2);
/* Bytes that a copy wrote into global memory, through L2. */
void tc_l2_written(tc_l2 *l2, uint64_t address, uint64_t bytes);
/* Makes *copy (NULL: a new one) what l2 is now: of the sets that were asked for
 * since the last time. One copy an L2. */
void tc_l2_copy(tc_l2 *l2, tc_l2 **copy);
/* The whole of it. */
tc_l2 *tc_l2_clone(const tc_l2 *l2);

/* nsms: SMs that run CTAs. carveout: bytes of L1 that are shared memory. tags:
 * where those of the L1s are kept. l2, tags: borrowed. */
tc_memsys *tc_memsys_new(const tc_profile *p, uint32_t nsms, uint32_t carveout,
                         tc_sim_counters *counters, tc_slab *tags, tc_l2 *l2);
void tc_memsys_free(tc_memsys *m);

/* Sectors (address / 32, ascending, distinct) that an SM reads at a cycle.
 * l1: through L1, or past it. Returns the cycle of the last one's arrival. */
uint64_t tc_memsys_load(tc_memsys *m, uint32_t sm, uint64_t now,
                        const uint64_t *sectors, uint32_t n, bool l1);
/* Says that an SM will soon ask for an address: a matter of the host's speed.
 */
void tc_memsys_fetch(const tc_memsys *m, uint32_t sm, uint64_t address);
/* Writes sectors: returns the cycle when the SM's path is free again. more: parts
 * of the path's bytes besides, each as a sector (memory.def, store_bytes). */
uint64_t tc_memsys_store(tc_memsys *m, uint32_t sm, uint64_t now,
                         const uint64_t *sectors, uint32_t n, uint32_t more);
/* Atomics on words of these sectors, the most on one word taking so many halves
 * of a cycle: when they are done. */
uint64_t tc_memsys_atomic(tc_memsys *m, uint32_t sm, uint64_t now,
                          const uint64_t *sectors, uint32_t n, uint32_t more,
                          uint64_t halves);
/* When what the SM has sent so far is on its way. */
uint64_t tc_memsys_sent(const tc_memsys *m, uint32_t sm);
/* The same for the sectors [first, end). */
uint64_t tc_memsys_load_run(tc_memsys *m, uint32_t sm, uint64_t now,
                            uint64_t first, uint64_t end, bool l1);
uint64_t tc_memsys_store_run(tc_memsys *m, uint32_t sm, uint64_t now,
                             uint64_t first, uint64_t end);
/* A bulk copy's bytes from or to global memory, by the engine of the SM: when
 * the last one has arrived, or has been sent. Of what is no one piece (address
 * 0) L2 is taken to have nothing: a tile is normally read once. */
uint64_t tc_memsys_bulk(tc_memsys *m, uint32_t sm, uint64_t now,
                        uint64_t address, uint64_t bytes, bool store);

/* coalescer.c: distinct sectors that lanes touch, ascending: at most 64 for
 * accesses of at most 32 bytes a lane. Returns their number. */
enum { TC_MAX_SECTORS = 64 };
uint32_t tc_coalesce_sectors(uint32_t mask, const uint64_t *addr,
                             uint32_t bytes, uint64_t *out);
/* Distinct addresses; *most (may be NULL): lanes that have the same one. */
uint32_t tc_coalesce_distinct(uint32_t mask, const uint64_t *addr,
                              uint32_t *most);
/* Wavefronts of a shared access (32 banks of 4 bytes; lanes that want the same
 * word share it), and how many it would take without conflicts. [H] 8 and 16 bytes a
 * lane go by halves and quarters of the warp; of loads whose lanes i and i ^ 1 all
 * want the same address, or i and i ^ 2, at once and by halves. */
uint32_t tc_coalesce_wavefronts(uint32_t mask, const uint64_t *addr,
                                uint32_t bytes, bool store, uint32_t *ideal);

#endif
