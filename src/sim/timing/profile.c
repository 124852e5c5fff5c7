/* profile.c - the cost tables as data. */
#include "sim/timing/profile.h"
#include "sim/timing/timing.h"
#include <string.h>

enum { /* a row of units.def for every unit */
#define TC_UNIT(unit, class, l80, i80, l90, i90, l100, i100) ROW_##unit,
#include "sim/timing/units.def"
       UNIT_ROWS
};
_Static_assert((int)UNIT_ROWS == (int)TC_PU_COUNT,
               "units.def: a row for every unit");

static const tc_profile profiles[TC_COSTS_COLUMNS] = {
    [TC_COSTS_80] =
        {
            .unit =
                {
#define TC_UNIT(unit, class, l80, i80, l90, i90, l100, i100)                   \
    [unit] = {l80, i80},
#include "sim/timing/units.def"
                },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm80,
#include "sim/timing/memory.def"
        },
    [TC_COSTS_90] =
        {
            .unit =
                {
#define TC_UNIT(unit, class, l80, i80, l90, i90, l100, i100)                   \
    [unit] = {l90, i90},
#include "sim/timing/units.def"
                },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm90,
#include "sim/timing/memory.def"
        },
    [TC_COSTS_100] =
        {
            .unit =
                {
#define TC_UNIT(unit, class, l80, i80, l90, i90, l100, i100)                   \
    [unit] = {l100, i100},
#include "sim/timing/units.def"
                },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm100,
#include "sim/timing/memory.def"
        },
};

const tc_profile *tc_profile_of(const tc_machine *m) {
    return m->profile != NULL ? m->profile : &profiles[m->costs];
}

uint32_t tc_timing_mhz(const tc_machine *m) {
    return tc_profile_of(m)->clock_mhz;
}

/* ---- opcodes of their own cost ---- */

static const struct {
    uint16_t opcode;
    uint8_t bytes;
    tc_unit_cost first, each;
} costs[] = {
#define TC_COST(opcode, bytes, latency, interval, latency_each, interval_each) \
    {TC_PTX_##opcode,                                                          \
     bytes,                                                                    \
     {latency, interval},                                                      \
     {latency_each, interval_each}},
#include "sim/timing/costs.def"
};
enum { COST_COUNT = sizeof costs / sizeof *costs };

/* Its row, or COST_COUNT. */
static int own_cost(const tc_ptx_op *op) {
    int i = 0;
    while (i < COST_COUNT &&
           (costs[i].opcode != op->opcode ||
            (costs[i].bytes != 0 &&
             costs[i].bytes != tc_ptx_type_bytes[op->type]))) {
        i++;
    }
    return i;
}

tc_unit_cost tc_cost_each(const tc_ptx_op *op) {
    int i = own_cost(op);
    return i < COST_COUNT ? costs[i].each : (tc_unit_cost){0};
}

/* ---- sequences ---- */

enum { INT32, INT64, FLOAT32, FLOAT64, OTHER_TYPE };

typedef struct sequence {
    uint16_t opcode;
    uint8_t operands, exact;
    struct {
        uint8_t sfu, alu, fma, imad, fp64;
    } chain, all;
} sequence;

static const sequence sequences[] = {
#define TC_SEQUENCE(opcode, operands, exact, s, a, f, i, d, s2, a2, f2, i2,    \
                    d2)                                                        \
    {TC_PTX_##opcode, operands, exact, {s, a, f, i, d}, {s2, a2, f2, i2, d2}},
#include "sim/timing/sequences.def"
};

static int operands_of(const tc_ptx_op *op) {
    switch (op->type) {
    case TC_PT_U16:
    case TC_PT_S16:
    case TC_PT_U32:
    case TC_PT_S32:
        return INT32;
    case TC_PT_U64:
    case TC_PT_S64:
        return INT64;
    case TC_PT_F32:
        return FLOAT32;
    case TC_PT_F64:
        return FLOAT64;
    default:
        return OTHER_TYPE;
    }
}

static const sequence *sequence_of(const tc_ptx_op *op) {
    int operands = operands_of(op);
    int exact = op->flags & TC_PM_APPROX ? op->flags & TC_PM_FTZ ? 0 : 3
                : op->flags & TC_PM_FULL ? 1
                                         : 2;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const sequence *s = &sequences[i];
        if (s->opcode == op->opcode && s->operands == operands &&
            (s->exact == exact || s->exact + 3 == exact) &&
            !(op->flags & TC_PM_WIDE)) {
            return s;
        }
    }
    return NULL;
}

bool tc_profile_sequence(const tc_ptx_op *op, uint8_t chain[5],
                         uint8_t all[5]) {
    const sequence *s = sequence_of(op);
    if (s) {
        memcpy(chain, &s->chain, 5);
        memcpy(all, &s->all, 5);
    }
    return s != NULL;
}

tc_unit_cost tc_cost_of(const tc_profile *p, const tc_ptx_op *op) {
    const tc_unit_cost *u = p->unit;
    const sequence *s = sequence_of(op);
    if (s) {
        return (tc_unit_cost){(uint16_t)(s->chain.sfu * u[TC_PU_SFU].latency +
                                         s->chain.alu * u[TC_PU_ALU].latency +
                                         s->chain.fma * u[TC_PU_FMA].latency +
                                         s->chain.imad * u[TC_PU_IMAD].latency +
                                         s->chain.fp64 * u[TC_PU_FP64].latency),
                              (uint16_t)(s->all.sfu * u[TC_PU_SFU].interval +
                                         s->all.alu * u[TC_PU_ALU].interval +
                                         s->all.fma * u[TC_PU_FMA].interval +
                                         s->all.imad * u[TC_PU_IMAD].interval +
                                         s->all.fp64 * u[TC_PU_FP64].interval)};
    }
    int own = own_cost(op);
    return own < COST_COUNT ? costs[own].first : u[tc_ptx_unit_of(op)];
}
