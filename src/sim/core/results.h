/* results.h - who writes what a launch is for: bytes of its results, by thread. */
#ifndef TC_SIM_CORE_RESULTS_H
#define TC_SIM_CORE_RESULTS_H

#include "sim/core/run.h"

/* A CTA begins, and ends; nothing where the launch names no results. */
void tc_results_begin(tc_cta *c);
void tc_results_end(tc_cta *c);
void tc_results_free(tc_cta *c);
/* A warp's lanes store, each so many bytes; addr NULL: one after the other from
 * the address on. */
void tc_results_stored(tc_warp *w, uint32_t mask, uint64_t address,
                       const uint64_t *addr, uint32_t bytes);
/* The CTA stores so many bytes that none of its threads does. */
void tc_results_copied(tc_cta *c, uint64_t address, uint64_t bytes);

#endif
