/* profile.h - what a machine's parts cost: units.def and memory.def, one
 * column a generation, and sequences.def. */
#ifndef TC_SIM_PROFILE_H
#define TC_SIM_PROFILE_H

#include "sim/core/internal.h"

typedef struct tc_unit_cost {
    uint16_t latency, interval; /* cycles */
} tc_unit_cost;

typedef struct tc_profile {
    tc_unit_cost unit[TC_PU_COUNT];
#define TC_MEMORY(name, sm80, sm90, sm100) uint32_t name;
#include "sim/timing/memory.def"
} tc_profile;

/* The profile of a machine's generation: static data. */
const tc_profile *tc_profile_of(const tc_machine *m);

/* Time by the SMs' clock. */
uint64_t tc_nanoseconds(const tc_machine *m, uint64_t cycles);
uint64_t tc_cycles_of(const tc_machine *m, uint32_t nanoseconds);

/* The unit that an op keeps busy: ops.def's, by type where the opcode spans
 * several (add.f64 is FP64's, add.f32 FMA's, mul.lo.s32 IMAD's). */
tc_ptx_unit tc_unit_of(const tc_ptx_op *op);

/* What one costs: the unit's, or a sequence's (sequences.def). */
tc_unit_cost tc_cost_of(const tc_profile *p, const tc_ptx_op *op);

#endif
