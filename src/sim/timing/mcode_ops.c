/* mcode_ops.c - single machine instructions: units, latencies, and which PTX
 * instruction one was made of. */
#include "sim/timing/mcode.h"

enum { OPCODES = 512 };

typedef struct mcode_row {
    uint8_t unit, class;
    uint16_t latency, interval; /* 0: the unit's */
} mcode_row;

static const mcode_row by_class[TC_SASS_NCLASSES] = {
#define TC_MCODE_CLASS(sass, unit, class, latency, interval)                   \
    [TC_SASS_##sass] = {unit, TC_CLASS_##class, latency, interval},
#include "sim/timing/mcode.def"
};

static const struct {
    uint16_t opcode;
    mcode_row mcode_row;
} by_opcode[] = {
#define TC_MCODE_OPCODE(opcode, unit, class, latency, interval)                \
    {opcode, {unit, TC_CLASS_##class, latency, interval}},
#include "sim/timing/mcode.def"
};

static mcode_row row_of(const tc_sass_op *op) {
    uint32_t code = op->opcode % OPCODES;
    for (size_t i = 0; i < sizeof by_opcode / sizeof *by_opcode; i++) {
        if (by_opcode[i].opcode == code) {
            return by_opcode[i].mcode_row;
        }
    }
    return by_class[tc_sass_class_of(op)];
}

/* Of an access: bits 73 to 75, U8 S8 U16 S16 32 64 128. */
static uint8_t access_bytes(const tc_sass_op *op) {
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[op->high >> 9 & 7];
}

static bool is_access(const tc_sass_op *op) {
    enum { LDGSTS = 0x1ae, CCTL = 0x18f };
    switch (tc_sass_class_of(op)) {
    case TC_SASS_LDG:
    case TC_SASS_STG:
    case TC_SASS_LDS:
    case TC_SASS_STS:
    case TC_SASS_LOCAL:
    case TC_SASS_ATOMIC:
        return true;
    case TC_SASS_LDGSTS:
        return op->opcode % OPCODES == LDGSTS;
    default:
        return false;
    }
}

void tc_mcode_decode(const tc_profile *p, const tc_sass_op *op,
                     tc_mcode_op *out) {
    mcode_row r = row_of(op);
    tc_unit_cost u = p->unit[r.unit];
    bool never = op->guard == TC_SASS_TRUE_PRED && op->guard_not;
    *out = (tc_mcode_op){.at = TC_NO_OP,
                         .stall = op->stall ? op->stall : 1,
                         .wait = op->wait,
                         .set_write = op->set_write,
                         .set_read = op->set_read,
                         .bytes = access_bytes(op),
                         .guarded = op->guard != TC_SASS_TRUE_PRED,
                         .access = is_access(op) && !never};
    out->op.latency = r.latency ? r.latency : u.latency;
    out->op.interval = r.interval ? r.interval : u.interval;
    out->op.unit = r.unit;
    out->op.class = r.class;
    out->op.busy = (uint16_t)((out->op.interval > 2 ? 1u : 0u) << r.unit);
    out->op.stall = (uint8_t)tc_timing_stall((tc_class)r.class);
    out->op.lsu = out->access;
}

/* ---- made of ---- */

static bool is_float(uint8_t type) {
    return type == TC_PT_F32 || type == TC_PT_F64 || type == TC_PT_F16 ||
           type == TC_PT_F16X2;
}

static bool is_word(uint8_t type) {
    return type == TC_PT_U32 || type == TC_PT_S32 || type == TC_PT_B32;
}

int tc_mcode_rank(const tc_ptx_op *op) {
    bool param = op->space == TC_PS_PARAM || op->space == TC_PS_CONST;
    switch (op->opcode) {
    case TC_PTX_LD:
    case TC_PTX_ST:
        return param ? 0 : 3;
    case TC_PTX_ATOM:
    case TC_PTX_RED:
    case TC_PTX_CP_ASYNC:
    case TC_PTX_LDMATRIX:
        return 3;
    case TC_PTX_WMMA_LOAD_A:
    case TC_PTX_WMMA_LOAD_B:
    case TC_PTX_WMMA_LOAD_C:
    case TC_PTX_WMMA_STORE_D:
        return 3;
    case TC_PTX_SHFL_SYNC:
    case TC_PTX_MMA:
    case TC_PTX_WMMA_MMA:
        return 2;
    case TC_PTX_ADD:
    case TC_PTX_SUB:
    case TC_PTX_MUL:
    case TC_PTX_FMA:
    case TC_PTX_MAD:
        return is_float(op->type) ? 2 : is_word(op->type) ? 1 : 0;
    case TC_PTX_AND:
    case TC_PTX_OR:
    case TC_PTX_XOR:
    case TC_PTX_SHL:
    case TC_PTX_SHR:
    case TC_PTX_SHF:
    case TC_PTX_LOP3:
    case TC_PTX_MIN:
    case TC_PTX_MAX:
        return is_word(op->type) ? 1 : 0;
    default:
        return 0;
    }
}

bool tc_mcode_several(const tc_ptx_op *op) {
    return (op->opcode >= TC_PTX_WMMA_LOAD_A &&
            op->opcode <= TC_PTX_WMMA_MMA) ||
           op->opcode == TC_PTX_MMA;
}

bool tc_mcode_made_of(const tc_sass_op *op, const tc_ptx_op *ptx) {
    enum { SHFL = 0x189, LDSM = 0x3b, LDGSTS = 0x1ae };
    tc_sass_class c = tc_sass_class_of(op);
    switch (ptx->opcode) {
    case TC_PTX_LD:
        return c == TC_SASS_LDG || c == TC_SASS_LDS || c == TC_SASS_LOCAL;
    case TC_PTX_ST:
        return c == TC_SASS_STG || c == TC_SASS_STS || c == TC_SASS_LOCAL;
    case TC_PTX_ATOM:
    case TC_PTX_RED:
        return c == TC_SASS_ATOMIC;
    case TC_PTX_CP_ASYNC:
        return op->opcode % OPCODES == LDGSTS;
    case TC_PTX_LDMATRIX:
        return op->opcode % OPCODES == LDSM;
    case TC_PTX_SHFL_SYNC:
        return op->opcode % OPCODES == SHFL;
    case TC_PTX_WMMA_LOAD_A:
    case TC_PTX_WMMA_LOAD_B:
    case TC_PTX_WMMA_LOAD_C:
        return c == TC_SASS_LDG || c == TC_SASS_LDS;
    case TC_PTX_WMMA_STORE_D:
        return c == TC_SASS_STG || c == TC_SASS_STS;
    case TC_PTX_MMA:
    case TC_PTX_WMMA_MMA:
        return c == TC_SASS_MATRIX;
    default:
        return is_float(ptx->type) ? c == TC_SASS_FLOAT || c == TC_SASS_DOUBLE
                                   : c == TC_SASS_ALU;
    }
}

bool tc_mcode_is(const tc_sass_op *op, const tc_ptx_op *ptx) {
    enum {
        CS2R = 0x005,
        S2R = 0x119,
        S2UR = 0x1c3,
        DEPBAR = 0x11a,
        BAR = 0x11d,
        EXIT = 0x14d,
        NANOSLEEP = 0x15d,
        MATCH = 0x1a1,
        MEMBAR = 0x192,
        LDGDEPBAR = 0x1af
    };
    uint32_t code = op->opcode % OPCODES;
    tc_sass_class c = tc_sass_class_of(op);
    switch (ptx->opcode) {
    case TC_PTX_BAR_SYNC:
    case TC_PTX_BARRIER_SYNC:
    case TC_PTX_BAR_ARRIVE:
    case TC_PTX_BARRIER_ARRIVE:
    case TC_PTX_BAR_RED:
    case TC_PTX_BARRIER_RED:
        return code == BAR;
    case TC_PTX_MEMBAR:
    case TC_PTX_FENCE:
        return code == MEMBAR;
    case TC_PTX_CP_ASYNC_COMMIT_GROUP:
        return code == LDGDEPBAR;
    case TC_PTX_CP_ASYNC_WAIT_GROUP:
    case TC_PTX_CP_ASYNC_WAIT_ALL:
        return code == DEPBAR;
    case TC_PTX_RET:
    case TC_PTX_EXIT:
        return code == EXIT;
    case TC_PTX_NANOSLEEP:
        return code == NANOSLEEP;
    case TC_PTX_MATCH_ANY_SYNC:
        return code == MATCH;
    case TC_PTX_ATOM:
        return c == TC_SASS_ATOMIC;
    case TC_PTX_LD:
    case TC_PTX_ST:
        return tc_mcode_made_of(op, ptx);
    case TC_PTX_MOV: /* of a clock */
        return code == CS2R || code == S2R || code == S2UR;
    default:
        return c == TC_SASS_ASYNC;
    }
}
