/* profile.h - what a machine's parts cost: units.def and memory.def, one
 * column a generation, costs.def and sequences.def. */
#ifndef TC_SIM_PROFILE_H
#define TC_SIM_PROFILE_H

#include "sim/core/run.h"
#include "sim/profile.h"

typedef struct tc_unit_cost {
    uint16_t latency, interval; /* cycles */
} tc_unit_cost;

struct tc_profile { /* sim/profile.h */
    tc_unit_cost unit[TC_PU_COUNT];
#define TC_MEMORY(name, sm80, sm90, sm100) uint32_t name;
#include "sim/timing/memory.def"
};

/* The profile of a machine: its own, or its generation's, static data. */
const tc_profile *tc_profile_of(const tc_machine *m);

/* What one costs: the unit's, its own (costs.def), or a sequence's
 * (sequences.def). */
tc_unit_cost tc_cost_of(const tc_profile *p, const tc_ptx_op *op);
/* Is the op several machine instructions? chain: how many of SFU, ALU, FMA, IMAD,
 * FP64 wait for each other; all: how many there are. */
bool tc_profile_sequence(const tc_ptx_op *op, uint8_t chain[5], uint8_t all[5]);
/* What each distinct value of a warp but the first adds to that. */
tc_unit_cost tc_cost_each(const tc_ptx_op *op);

#endif
