/* profile.c - the cost tables as data. */
#include "sim/timing/profile.h"

enum { GENERATIONS = 3 };

enum { /* a row of units.def for every unit */
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) ROW_##unit,
#include "sim/timing/units.def"
       UNIT_ROWS
};
_Static_assert((int)UNIT_ROWS == (int)TC_PU_COUNT,
               "units.def: a row for every unit");

static const tc_profile profiles[GENERATIONS] = {
    {
        .unit =
            {
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) [unit] = {l80, i80},
#include "sim/timing/units.def"
            },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm80,
#include "sim/timing/memory.def"
    },
    {
        .unit =
            {
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) [unit] = {l90, i90},
#include "sim/timing/units.def"
            },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm90,
#include "sim/timing/memory.def"
    },
    {
        .unit =
            {
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) [unit] = {l100, i100},
#include "sim/timing/units.def"
            },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm100,
#include "sim/timing/memory.def"
    },
};

const tc_profile *tc_profile_of(const tc_machine *m) {
    return &profiles[m->sm >= 100 ? 2 : m->sm >= 90 ? 1 : 0];
}

uint64_t tc_nanoseconds(const tc_machine *m, uint64_t cycles) {
    uint64_t mhz = tc_profile_of(m)->clock_mhz;
    return cycles / mhz * 1000 + cycles % mhz * 1000 / mhz;
}

uint64_t tc_cycles_of(const tc_machine *m, uint32_t nanoseconds) {
    return (uint64_t)nanoseconds * tc_profile_of(m)->clock_mhz / 1000;
}

static bool is_float(uint8_t t) {
    return t == TC_PT_F32 || t == TC_PT_F16 || t == TC_PT_F16X2 ||
           t == TC_PT_BF16 || t == TC_PT_BF16X2;
}

tc_ptx_unit tc_unit_of(const tc_ptx_op *op) {
    tc_ptx_unit u = tc_ptx_ops[op->opcode].unit;
    bool f64 = op->type == TC_PT_F64 || op->type2 == TC_PT_F64;
    if (u != TC_PU_ALU && u != TC_PU_FMA) {
        return u == TC_PU_SFU && f64 ? TC_PU_FP64 : u;
    }
    switch (op->opcode) {
    case TC_PTX_SHFL_SYNC:
        return TC_PU_EXCHANGE;
    case TC_PTX_CVT:
        return f64 ? TC_PU_FP64
                   : (is_float(op->type) || is_float(op->type2) ? TC_PU_SFU
                                                                : TC_PU_ALU);
    case TC_PTX_ADD:
    case TC_PTX_SUB:
    case TC_PTX_MUL:
    case TC_PTX_MAD:
    case TC_PTX_FMA:
        return f64                  ? TC_PU_FP64
               : is_float(op->type) ? TC_PU_FMA
               : u == TC_PU_FMA     ? TC_PU_IMAD
                                    : u;
    default:
        return f64 && op->opcode != TC_PTX_MOV && op->opcode != TC_PTX_SELP
                   ? TC_PU_FP64
                   : u;
    }
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

tc_unit_cost tc_cost_of(const tc_profile *p, const tc_ptx_op *op) {
    const tc_unit_cost *u = p->unit;
    int operands = operands_of(op);
    int exact = op->flags & TC_PM_APPROX ? 0 : op->flags & TC_PM_FULL ? 1 : 2;
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const sequence *s = &sequences[i];
        if (s->opcode == op->opcode && s->operands == operands &&
            s->exact == exact) {
            return (tc_unit_cost){
                (uint16_t)(s->chain.sfu * u[TC_PU_SFU].latency +
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
    }
    return u[tc_unit_of(op)];
}
