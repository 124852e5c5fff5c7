/* profile.c - the cost tables as data. */
#include "sim/profile.h"

enum { GENERATIONS = 3 };

enum { /* a row of units.def for every unit */
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) ROW_##unit,
#include "sim/units.def"
       UNIT_ROWS
};
_Static_assert((int)UNIT_ROWS == (int)TC_PU_COUNT,
               "units.def: a row for every unit");

static const tc_profile profiles[GENERATIONS] = {
    {
        .unit =
            {
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) [unit] = {l80, i80},
#include "sim/units.def"
            },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm80,
#include "sim/memory.def"
    },
    {
        .unit =
            {
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) [unit] = {l90, i90},
#include "sim/units.def"
            },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm90,
#include "sim/memory.def"
    },
    {
        .unit =
            {
#define TC_UNIT(unit, l80, i80, l90, i90, l100, i100) [unit] = {l100, i100},
#include "sim/units.def"
            },
#define TC_MEMORY(name, sm80, sm90, sm100) .name = sm100,
#include "sim/memory.def"
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
