/* shadow.h - cells and records; see hazard.h for what they mean. */
#ifndef TC_SIM_SHADOW_H
#define TC_SIM_SHADOW_H

#include "sim/hazard.h"

/* Notes an op of a warp; the record's index. */
uint32_t tc_hz_add_record(tc_hazard *h, const tc_warp *w, const tc_ptx_op *op,
                          uint32_t mask, tc_hz_copy *copy);
/* The cells of [offset, offset + bytes), refined to the access's grain. */
tc_hz_cell *tc_hz_cells(tc_hazard *h, tc_hz_shadow *s, uint64_t offset,
                        uint32_t bytes, uint32_t *n);
tc_hz_shadow *tc_hz_global(tc_hazard *h, uint64_t address, uint64_t *offset);
void tc_hz_add_reader(tc_hazard *h, tc_hz_cell *c, uint32_t record, int lane);
void tc_hz_clear_readers(tc_hazard *h, tc_hz_cell *c);

#endif
