/* opcode.h - what is true of an opcode: ops.def's rows as data. */
#ifndef TC_PTX_OPCODE_H
#define TC_PTX_OPCODE_H

#include <stdint.h>

/* Opcodes: one row of ops.def each. A family whose members differ only in type
 * is one opcode; the type is a field of the decoded op. */
typedef enum tc_ptx_opcode {
#define TC_PTX_OP(id, ...) TC_PTX_##id,
#include "ptx/ops.def"
    TC_PTX_OPCODE_COUNT
} tc_ptx_opcode;

/* The unit that executes an op; sim/timing/units.def gives each its timing. */
typedef enum tc_ptx_unit {
    TC_PU_ALU,
    TC_PU_FMA,
    TC_PU_IMAD, /* integer multiplication */
    TC_PU_SFU,
    TC_PU_FP64,
    TC_PU_EXCHANGE, /* between lanes: shfl, vote */
    TC_PU_BRANCH,
    TC_PU_LSU,
    TC_PU_ASYNC,
    TC_PU_BARRIER,
    TC_PU_MMA, /* tensor cores */
    TC_PU_COUNT
} tc_ptx_unit;

/* What an op does to memory, and to the order of others' accesses (PTX ISA 8).
 * Asynchronous: when it lands, not when it issues. */
typedef enum tc_ptx_effect {
    TC_PTX_EFFECT_NONE,
    TC_PTX_EFFECT_LOAD,
    TC_PTX_EFFECT_STORE,
    TC_PTX_EFFECT_ATOMIC,     /* atom, red */
    TC_PTX_EFFECT_HINT,       /* to caches: prefetch, discard */
    TC_PTX_EFFECT_COPY,       /* asynchronous: space from space2 */
    TC_PTX_EFFECT_REDUCE,     /* asynchronous: into space from space2 */
    TC_PTX_EFFECT_ST_ASYNC,   /* asynchronous store */
    TC_PTX_EFFECT_RED_ASYNC,  /* asynchronous reduction of one value */
    TC_PTX_EFFECT_TMEM_LOAD,  /* asynchronous: registers from tensor memory */
    TC_PTX_EFFECT_TMEM_STORE, /* asynchronous: tensor memory from registers */
    TC_PTX_EFFECT_TMEM_COPY,  /* asynchronous: tensor memory from shared */
    TC_PTX_EFFECT_ASYNC_MMA,  /* asynchronous: registers from shared */
    TC_PTX_EFFECT_GROUP,      /* completion of the above: commit, wait */
    TC_PTX_EFFECT_MBARRIER,   /* of an mbarrier object */
    TC_PTX_EFFECT_BARRIER,    /* of threads: bar, barrier, griddepcontrol */
    TC_PTX_EFFECT_FENCE,
    TC_PTX_EFFECT_CALL, /* of all that the function does */
    TC_PTX_EFFECT_COUNT
} tc_ptx_effect;

/* Targets with a suffix: any, those with tensor memory (sm_100a, sm_103a,
 * sm_110a and their like, not sm_120a), or one alone. */
typedef enum tc_ptx_family {
    TC_PTX_FAMILY_NONE, /* a suffix is not asked for */
    TC_PTX_FAMILY_ANY,
    TC_PTX_FAMILY_TMEM,
    TC_PTX_FAMILY_ONLY
} tc_ptx_family;

/* Columns of an opcode's units. */
enum { TC_PTX_INTEGERS, TC_PTX_FLOATS, TC_PTX_DOUBLES, TC_PTX_UNIT_COLUMNS };

/* A row of ops.def. */
typedef struct tc_ptx_op_info {
    const char *name;                  /* "ld", "cp.async.commit_group" */
    const char *section;               /* of the PTX ISA: "9.7.9.25.3.1" */
    uint8_t unit[TC_PTX_UNIT_COLUMNS]; /* tc_ptx_unit; see tc_ptx_unit_of */
    uint8_t effect;                    /* tc_ptx_effect */
    struct {
        uint8_t sm, family; /* tc_ptx_family */
    } target;               /* the least that has it */
} tc_ptx_op_info;
extern const tc_ptx_op_info tc_ptx_ops[TC_PTX_OPCODE_COUNT];

#endif
