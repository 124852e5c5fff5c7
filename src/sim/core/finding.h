/* finding.h - one defect, one finding. */
#ifndef TC_SIM_CORE_FINDING_H
#define TC_SIM_CORE_FINDING_H

#include "sim/core/run.h"

tc_access tc_access_of(const tc_warp *w, const tc_ptx_op *op, int lane);
/* Adds a finding, or counts it to the one it is the same defect as. */
void tc_finding_add(tc_run *r, const tc_finding *f);
/* At the end of a run: findings that turned out to be one defect. */
void tc_findings_settle(tc_run *r);
/* A way to synchronise that the ISA leaves undefined: with the checker on a
 * barrier-divergence; the run goes on. */
void tc_undefined_sync(tc_warp *w, const tc_ptx_op *op, uint32_t lanes,
                       tc_detail detail);
/* A finding that ends the execution. */
void tc_finding_fault(tc_warp *w, const tc_ptx_op *op, int lane,
                      tc_finding_kind kind, tc_ptx_space space,
                      uint64_t address, uint32_t bytes, tc_detail_id detail);
/* The same, of a detail that has values. */
void tc_fault_with(tc_warp *w, const tc_ptx_op *op, int lane,
                   tc_finding_kind kind, tc_ptx_space space, uint64_t address,
                   uint32_t bytes, tc_detail detail);

#endif
