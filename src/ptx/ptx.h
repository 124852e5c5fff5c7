/* ptx.h - PTX modules: parsed from text, decoded once into flat code.
 *
 * The only executable form of a program: the emitter's text, or a compiler's,
 * is parsed here and run by sim/. Registers are resolved to slots of three
 * files: predicates (one bit a lane), 32-bit words (also 8- and 16-bit values,
 * zero-extended) and 64-bit words. PTX ISA 9.0 is the reference; each row of
 * ops.def names its section. */
#ifndef TC_PTX_PTX_H
#define TC_PTX_PTX_H

#include "base/arena.h"
#include "base/diag.h"
#include "ptx/opcode.h"
#include "ptx/texture.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum tc_ptx_type {
    TC_PT_NONE,
    TC_PT_PRED,
    TC_PT_B8,
    TC_PT_B16,
    TC_PT_B32,
    TC_PT_B64,
    TC_PT_B128,
    TC_PT_U8,
    TC_PT_U16,
    TC_PT_U32,
    TC_PT_U64,
    TC_PT_S8,
    TC_PT_S16,
    TC_PT_S32,
    TC_PT_S64,
    TC_PT_F16,
    TC_PT_F16X2,
    TC_PT_BF16,
    TC_PT_BF16X2,
    TC_PT_F32,
    TC_PT_F64,
    /* Of instructions only: no register or variable has one of these. */
    TC_PT_U16X2,
    TC_PT_S16X2,
    TC_PT_F32X2,
    TC_PT_TF32,
    TC_PT_E4M3X2,
    TC_PT_E5M2X2,
    TC_PT_E2M1X2,
    TC_PT_E2M3X2,
    TC_PT_E3M2X2,
    TC_PT_UE8M0X2,
    TC_PT_E4M3X4,
    TC_PT_E5M2X4,
    TC_PT_E2M1X4,
    TC_PT_E2M3X4,
    TC_PT_E3M2X4,
    TC_PT_U4,
    TC_PT_S4,
    TC_PT_U2,
    TC_PT_S2,
    TC_PT_B1,
    TC_PT_E4M3,
    TC_PT_E5M2,
    TC_PT_COUNT
} tc_ptx_type;
extern const uint8_t tc_ptx_type_bytes[TC_PT_COUNT];
extern const char *const tc_ptx_type_names[TC_PT_COUNT];

typedef enum tc_ptx_space {
    TC_PS_GENERIC,
    TC_PS_GLOBAL,
    TC_PS_SHARED,
    TC_PS_LOCAL,
    TC_PS_PARAM,
    TC_PS_CONST,
    TC_PS_REG,
    TC_PS_CLUSTER, /* .shared::cluster: an offset in the own shared window, or
                      mapa's result */
    TC_PS_TENSOR   /* tensor memory: lane << 16 | column */
} tc_ptx_space;

typedef enum tc_ptx_special {
    TC_SR_TID_X,
    TC_SR_TID_Y,
    TC_SR_TID_Z,
    TC_SR_NTID_X,
    TC_SR_NTID_Y,
    TC_SR_NTID_Z,
    TC_SR_CTAID_X,
    TC_SR_CTAID_Y,
    TC_SR_CTAID_Z,
    TC_SR_NCTAID_X,
    TC_SR_NCTAID_Y,
    TC_SR_NCTAID_Z,
    TC_SR_LANEID,
    TC_SR_WARPID,
    TC_SR_NWARPID,
    TC_SR_SMID,
    TC_SR_NSMID,
    TC_SR_CLUSTERID_X,
    TC_SR_CLUSTERID_Y,
    TC_SR_CLUSTERID_Z,
    TC_SR_NCLUSTERID_X,
    TC_SR_NCLUSTERID_Y,
    TC_SR_NCLUSTERID_Z,
    TC_SR_CLUSTER_CTAID_X,
    TC_SR_CLUSTER_CTAID_Y,
    TC_SR_CLUSTER_CTAID_Z,
    TC_SR_CLUSTER_NCTAID_X,
    TC_SR_CLUSTER_NCTAID_Y,
    TC_SR_CLUSTER_NCTAID_Z,
    TC_SR_CLUSTER_CTARANK,
    TC_SR_CLUSTER_NCTARANK,
    TC_SR_LANEMASK_EQ,
    TC_SR_LANEMASK_LE,
    TC_SR_LANEMASK_LT,
    TC_SR_LANEMASK_GE,
    TC_SR_LANEMASK_GT,
    TC_SR_CLOCK,
    TC_SR_CLOCK64,
    TC_SR_GLOBALTIMER,
    TC_SR_GLOBALTIMER_LO,
    TC_SR_GLOBALTIMER_HI,
    TC_SR_GRIDID,
    TC_SR_TOTAL_SMEM_SIZE,
    TC_SR_DYNAMIC_SMEM_SIZE,
    TC_SR_CLOCK_HI,
    TC_SR_AGGR_SMEM_SIZE,
    TC_SR_IS_EXPLICIT_CLUSTER, /* a predicate */
    TC_SR_ENVREG1, /* of a cooperative launch: high and low word of the */
    TC_SR_ENVREG2, /* address of the grid's own memory */
    TC_SR_ZERO,    /* counters and areas that a simulator lacks */
    TC_SR_ZERO64,
    TC_SR_COUNT
} tc_ptx_special;

typedef enum tc_ptx_operand_kind {
    TC_PO_NONE,
    TC_PO_REG,     /* slot in the file of cls */
    TC_PO_PRED,    /* slot; neg for !p */
    TC_PO_IMM,     /* imm: integer value, or the bits of a float of the type */
    TC_PO_SPECIAL, /* slot: tc_ptx_special */
    TC_PO_ADDRESS, /* [reg + imm], [symbol + imm] or [imm]: see base */
    TC_PO_SYMBOL,  /* address of symbol + imm, as a value */
    TC_PO_VECTOR,  /* nvec operands at module->vec[slot] */
    TC_PO_SINK,    /* _ */
    TC_PO_LABEL,   /* imm: index of the target op */
    TC_PO_FUNC     /* slot: index of the function */
} tc_ptx_operand_kind;

typedef enum tc_ptx_file { TC_PF_PRED, TC_PF_32, TC_PF_64 } tc_ptx_file;

typedef struct tc_ptx_operand {
    uint8_t kind;  /* tc_ptx_operand_kind */
    uint8_t cls;   /* tc_ptx_file of the register (of ADDRESS: of its base) */
    uint8_t neg;   /* !p; for ADDRESS: 1 = base register, 2 = symbol, 0 = imm */
    uint8_t nvec;  /* of a VECTOR; of a REG: bytes of the register's type (2 for
                      .b16: ld.s8 extends to 16 bits, zeros above; 16 for
                      .b128: its low half is 64-bit slot `slot`, its high half
                      the next one) */
    uint32_t slot; /* register slot, special, symbol index, vec index */
    int64_t imm;
} tc_ptx_operand;

typedef enum tc_ptx_cmp {
    TC_PC_NONE,
    TC_PC_EQ,
    TC_PC_NE,
    TC_PC_LT,
    TC_PC_LE,
    TC_PC_GT,
    TC_PC_GE,
    TC_PC_LO,
    TC_PC_LS,
    TC_PC_HI,
    TC_PC_HS,
    TC_PC_EQU,
    TC_PC_NEU,
    TC_PC_LTU,
    TC_PC_LEU,
    TC_PC_GTU,
    TC_PC_GEU,
    TC_PC_NUM,
    TC_PC_NAN
} tc_ptx_cmp;

enum { /* tc_ptx_op.flags: modifiers, several at once */
       TC_PM_WIDE = 1u << 0,
       TC_PM_HI = 1u << 1,
       TC_PM_LO = 1u << 2,
       TC_PM_SAT = 1u << 3,
       TC_PM_FTZ = 1u << 4,
       TC_PM_APPROX = 1u << 5,
       TC_PM_RN = 1u << 6,
       TC_PM_RZ = 1u << 7,
       TC_PM_RM = 1u << 8,
       TC_PM_RP = 1u << 9,
       TC_PM_RNI = 1u << 10,
       TC_PM_RZI = 1u << 11,
       TC_PM_RMI = 1u << 12,
       TC_PM_RPI = 1u << 13,
       TC_PM_NAN = 1u << 14,
       TC_PM_UNI = 1u << 15,
       TC_PM_TO = 1u << 16,
       TC_PM_WRAP = 1u << 17,
       TC_PM_CLAMP = 1u << 18,
       TC_PM_LEFT = 1u << 19,
       TC_PM_RIGHT = 1u << 20,
       TC_PM_SHIFTAMT = 1u << 21,
       TC_PM_ALIGNED = 1u << 22,
       TC_PM_CA = 1u << 23,
       TC_PM_CG = 1u << 24,
       TC_PM_NC = 1u << 25,
       TC_PM_VOLATILE = 1u << 26,
       TC_PM_RELAXED = 1u << 27,
       TC_PM_ACQUIRE = 1u << 28,
       TC_PM_RELEASE = 1u << 29,
       TC_PM_CACHE_HINT = 1u << 30
};
#define TC_PM_FULL (1u << 31) /* div.full */

/* Meanings of tc_ptx_op.sub, by opcode; 0 where an opcode has no family. */
enum { TC_BOOL_NONE, TC_BOOL_AND, TC_BOOL_OR, TC_BOOL_XOR }; /* setp, set */
enum { TC_SHFL_UP, TC_SHFL_DOWN, TC_SHFL_BFLY, TC_SHFL_IDX };
enum { TC_FENCE_ACQ_REL, TC_FENCE_SC, TC_FENCE_ACQUIRE, TC_FENCE_RELEASE };
enum { /* prmt; DEFAULT takes its selection from operand c */
       TC_PRMT_DEFAULT,
       TC_PRMT_F4E,
       TC_PRMT_B4E,
       TC_PRMT_RC8,
       TC_PRMT_ECL,
       TC_PRMT_ECR,
       TC_PRMT_RC16
};

enum { /* atom, red */
       TC_ATOM_NONE,
       TC_ATOM_AND,
       TC_ATOM_OR,
       TC_ATOM_XOR,
       TC_ATOM_CAS,
       TC_ATOM_EXCH,
       TC_ATOM_ADD,
       TC_ATOM_INC,
       TC_ATOM_DEC,
       TC_ATOM_MIN,
       TC_ATOM_MAX
};
#define TC_PX_LDST_FRAME                                                       \
    (1u << 31)                 /* ld, st: .param in a frame (space LOCAL) */
enum { TC_PX_ATOM_NOFTZ = 1 }; /* more: atom, red */
enum { TC_VOTE_NONE, TC_VOTE_ALL, TC_VOTE_ANY, TC_VOTE_UNI, TC_VOTE_BALLOT };
enum { TC_BARRED_NONE, TC_BARRED_POPC, TC_BARRED_AND, TC_BARRED_OR };
enum { TC_PX_FENCE_CTA = 1, TC_PX_FENCE_CLUSTER = 2 }; /* .sync_restrict */
enum { TC_GRIDDEP_NONE, TC_GRIDDEP_LAUNCH, TC_GRIDDEP_WAIT };
enum { TC_MAXNREG_NONE, TC_MAXNREG_INC, TC_MAXNREG_DEC };
enum { /* sub of ldmatrix, stmatrix, movmatrix; sub2 is how many */
       TC_MATRIX_NONE,
       TC_MATRIX_M8N8,
       TC_MATRIX_M16N16,
       TC_MATRIX_M8N16,
       TC_MATRIX_M16N8
};
enum { /* their more */
       TC_PX_MATRIX_SYNC = 1,
       TC_PX_MATRIX_TRANS = 2,
       TC_PX_MATRIX_B8X16 = 4, /* to bytes, from one of: */
       TC_PX_MATRIX_B6 = 8,
       TC_PX_MATRIX_B4 = 16
};
enum { TC_PX_REDUX_ABS = 1 }; /* more: redux.sync, whose sub is TC_ATOM_* */

enum { /* tc_ptx_op.more of the async proxy's copies, st.async, red.async */
       TC_PX_BULK_TX = 1u << 0, /* .mbarrier::complete_tx::bytes */
       TC_PX_BULK_GROUP = 1u << 1,
       TC_PX_BULK_MULTICAST = 1u << 2,
       TC_PX_BULK_CP_MASK = 1u << 3,
       TC_PX_BULK_NOFTZ = 1u << 4,
       TC_PX_BULK_READ = 1u << 5,
       TC_PX_BULK_L2 = 1u << 6,
       TC_PX_BULK_TILE = 1u << 7,
       TC_PX_BULK_CTA_GROUP_1 = 1u << 8,
       TC_PX_BULK_CTA_GROUP_2 = 1u << 9,
       TC_PX_BULK_GATHER4 = 1u << 10, /* .tile::gather4 */
       TC_PX_BULK_SCATTER4 = 1u << 11,
       TC_PX_BULK_WEAK = 1u << 12,
       TC_PX_BULK_MMIO = 1u << 13
};
enum { /* tc_ptx_op.sub2 of fence.proxy: between the generic proxy and this */
       TC_PROXY_NONE,
       TC_PROXY_ALIAS,
       TC_PROXY_ASYNC,
       TC_PROXY_TENSORMAP,    /* from generic; .acquire or .release, a scope */
       TC_PROXY_ASYNC_GENERIC /* the same; more is TC_PX_PROXY_* */
};
enum { /* more of fence.proxy (sync_restrict) and tensormap.* */
       TC_PX_PROXY_CTA = 1,
       TC_PX_PROXY_CLUSTER = 2,
       TC_PX_PROXY_TILE = 4,
       TC_PX_PROXY_B1024 = 8,
       TC_PX_PROXY_SYNC = 16
};
enum { /* sub of tensormap.replace: the field */
       TC_TMAP_NONE,
       TC_TMAP_ADDRESS,
       TC_TMAP_RANK,
       TC_TMAP_BOX, /* from here to ELEMENT_STRIDE with an ordinal */
       TC_TMAP_DIM,
       TC_TMAP_STRIDE,
       TC_TMAP_ELEMENT_STRIDE,
       TC_TMAP_TYPE, /* from here on the value is a constant */
       TC_TMAP_INTERLEAVE,
       TC_TMAP_SWIZZLE,
       TC_TMAP_ATOMICITY,
       TC_TMAP_FILL
};

enum { /* tc_ptx_op.more of mbarrier.* and cp.async.mbarrier.arrive */
       TC_PX_MBAR_PARITY = 1u << 0,
       TC_PX_MBAR_NO_COMPLETE = 1u << 1,
       TC_PX_MBAR_EXPECT_TX = 1u << 2,
       TC_PX_MBAR_NOINC = 1u << 3
};

enum {                              /* tc_ptx_op.more of tcgen05.* */
       TC_PX_TCGEN_CTA_1 = 1u << 0, /* .cta_group::1 */
       TC_PX_TCGEN_CTA_2 = 1u << 1,
       TC_PX_TCGEN_SYNC = 1u << 2,
       TC_PX_TCGEN_PACK = 1u << 3,
       TC_PX_TCGEN_UNPACK = 1u << 4,
       TC_PX_TCGEN_ARRIVE_ONE = 1u << 6,
       TC_PX_TCGEN_MULTICAST = 1u << 7,
       TC_PX_TCGEN_02_13 = 1u << 8, /* .warpx2::02_13 */
       TC_PX_TCGEN_01_23 = 1u << 9,
       TC_PX_TCGEN_WARPX4 = 1u << 10
};
enum { /* tcgen05.ld, st and cp: sub; sub2 of ld and st is 1 + log2 of .num */
       TC_TCGEN_NONE,
       TC_TCGEN_32X32B,
       TC_TCGEN_16X64B,
       TC_TCGEN_16X128B,
       TC_TCGEN_16X256B,
       TC_TCGEN_16X32BX2,
       TC_TCGEN_128X256B,
       TC_TCGEN_4X256B,
       TC_TCGEN_128X128B,
       TC_TCGEN_64X128B,
       TC_TCGEN_32X128B
};
enum {                    /* more: arithmetic */
       TC_PX_CC = 1 << 0, /* writes the carry flag */
       TC_PX_RELU = 1 << 1,
       TC_PX_SATFINITE = 1 << 2,
       TC_PX_OOB = 1 << 3,
       TC_PX_XORSIGN = 1 << 4,
       TC_PX_ABS = 1 << 5,
       TC_PX_RNA = 1 << 6,
       TC_PX_RS = 1 << 7,
       TC_PX_PO = 1 << 8,     /* vmad: one more */
       TC_PX_NEG_AB = 1 << 9, /* vmad: the product is negated */
       TC_PX_NEG_C = 1 << 10
};
enum { /* more: ld, st; hints that change no value */
       TC_PX_WEAK = 1 << 0,
       TC_PX_MMIO = 1 << 1,
       TC_PX_COP = 1 << 2,    /* .cs, .lu, .cv, .wb, .wt */
       TC_PX_COP_LD = 1 << 3, /* .lu, .cv: not of ld.nc */
       TC_PX_L1 = 1 << 4,     /* a priority in L1 */
       TC_PX_L2 = 1 << 5,
       TC_PX_PREFETCH = 1 << 6,
       TC_PX_UNIFIED = 1 << 7,
       TC_PX_LDU = 1 << 8 /* written as ldu (PTX ISA 9.7.9.10) */
};
enum { /* testp: sub */
       TC_TESTP_NONE,
       TC_TESTP_FINITE,
       TC_TESTP_INFINITE,
       TC_TESTP_NUMBER,
       TC_TESTP_NOTANUMBER,
       TC_TESTP_NORMAL,
       TC_TESTP_SUBNORMAL
};
/* Video instructions: sub is the secondary operation, sub2 vmad's scale. A
 * parts of registers are in size. Scalar: a nibble each for d, a and b from the
 * lowest, TC_PART_*. Packed: nibbles with the element for each place, four for
 * a, then four for b, the lowest place first; space2 is the mask of d. */
enum { TC_PART_ALL, TC_PART_B0, TC_PART_H0 = TC_PART_B0 + 4 };
enum { TC_VOP_NONE, TC_VOP_ADD, TC_VOP_MIN, TC_VOP_MAX };
enum { TC_VMAD_PLAIN, TC_VMAD_SHR7, TC_VMAD_SHR15 };
enum { /* createpolicy, applypriority, prefetch: sub, and sub2 of the rest */
       TC_POLICY_NONE,
       TC_POLICY_NORMAL,
       TC_POLICY_FIRST,
       TC_POLICY_LAST,
       TC_POLICY_UNCHANGED,
       TC_POLICY_L1,
       TC_POLICY_L2,
       TC_POLICY_TENSORMAP
};

/* tc_ptx_op.scope: of a fence, membar (.gl is GPU), ld and st. */
typedef enum tc_ptx_scope {
    TC_PTX_SCOPE_NONE,
    TC_PTX_SCOPE_CTA,
    TC_PTX_SCOPE_CLUSTER,
    TC_PTX_SCOPE_GPU,
    TC_PTX_SCOPE_SYS
} tc_ptx_scope;

typedef struct tc_ptx_op {
    uint16_t opcode; /* tc_ptx_opcode */
    uint8_t type;    /* first type: of the result where types differ */
    uint8_t type2;   /* second: of the source (cvt, setp, mul.wide: unused) */
    uint8_t space;   /* tc_ptx_space */
    uint8_t cmp;     /* tc_ptx_cmp; for setp.and etc. boolop in sub */
    uint8_t sub;     /* member of a family: see ops.def's comment of the row */
    uint8_t sub2;    /* the same, where a family has two dimensions */
    uint8_t space2;  /* of the source, where an op names two spaces */
    uint8_t nvec;    /* 1, 2, 4, 8 elements of a vector ld/st/mov */
    uint8_t noperands;
    uint8_t guard_neg;
    int16_t guard;       /* predicate slot, or -1 */
    uint32_t flags;      /* TC_PM_* */
    uint32_t more;       /* further modifiers: bits that mean what the opcode's
                            comment in ops.def says */
    uint32_t size;       /* cp.async: cp-size; mma: TC_MMA_SHAPE */
    uint32_t target;     /* branch target, absolute index into module->code */
    uint32_t ptx_line;   /* line of the PTX text, from 1 */
    uint32_t line;       /* .loc line in effect, 0 none */
    uint16_t file;       /* .loc file number */
    uint8_t dst, src;    /* operands whose registers it writes, and reads: bit i
                            is a[i]'s; from its form. The registers of addresses
                            are read, of sinks there are none */
    tc_ptx_operand a[8]; /* destination first, at the fixed places of the
                            opcode's form (forms.def); kind NONE: left out */
    uint8_t scope;       /* tc_ptx_scope */
    uint8_t type3;       /* of the third source: video, cvt.pack; else NONE */
    uint8_t type4;       /* mma: of the fourth; else NONE */
    uint16_t
        call_file; /* .loc with inlined_at: the outermost call site; else */
    uint32_t call_line; /* the same as file and line */
    uint32_t ptx_col;   /* of the instruction in its line of the PTX text */
    uint32_t loc;       /* the .loc in effect, in module->locs; 0: none */
    bool nounroll;      /* bra: .pragma "nounroll" stands in its loop */
} tc_ptx_op;

static inline tc_ptx_effect tc_ptx_effect_of(const tc_ptx_op *op) {
    return (tc_ptx_effect)tc_ptx_ops[op->opcode].effect;
}
/* Its results are in its registers when it lands, not when it issues. */
static inline bool tc_ptx_lands_later(const tc_ptx_op *op) {
    tc_ptx_effect e = tc_ptx_effect_of(op);
    return e == TC_PTX_EFFECT_TMEM_LOAD || e == TC_PTX_EFFECT_ASYNC_MMA;
}
/* The unit that executes it: its row's, by its types. */
tc_ptx_unit tc_ptx_unit_of(const tc_ptx_op *op);

/* A location that a .loc names, and where that code was inlined into (PTX ISA
 * 11.5.3). */
typedef struct tc_ptx_loc {
    uint32_t line, col; /* of the file; from 1, 0 unknown */
    uint32_t parent;    /* the call's, in module->locs and before this
                           one; 0: not inlined */
    uint16_t file;      /* .file number */
} tc_ptx_loc;

typedef struct tc_ptx_reloc { /* an address among initial values */
    uint64_t at;              /* byte of the variable */
    uint8_t bytes;
    uint8_t shift; /* of the address, to the right, before it is stored */
    bool func;     /* index of a function, or of a symbol */
    uint32_t index;
    int64_t add;
} tc_ptx_reloc;

typedef struct tc_ptx_symbol { /* a variable with storage, not a register */
    const char *name;
    tc_ptx_space space; /* GLOBAL, SHARED, LOCAL, CONST, PARAM */
    uint32_t align;
    uint64_t size;        /* bytes */
    uint64_t offset;      /* within its space and (for SHARED, LOCAL, PARAM) its
                             function; sim adds the base */
    bool is_extern;       /* dynamic shared memory: size 0; it begins at the
                             function's shared_bytes, rounded up to align */
    const uint8_t *init;  /* size bytes, or NULL: zero */
    int func;             /* owner, or -1: module */
    tc_ptx_reloc *relocs; /* added to init when addresses are known */
    int nrelocs;
    bool stacked; /* lies in the frame of each call of func: .local variables,
                     .param ones but a kernel's own parameters. offset is from
                     the frame's begin, in local memory */
    bool managed; /* .attribute(.managed): the host has it too */
} tc_ptx_symbol;

typedef struct tc_ptx_param {
    const char *name;
    tc_ptx_type type; /* B8 for arrays */
    uint32_t size, align, offset;
} tc_ptx_param;

typedef struct tc_ptx_reg { /* a register as the text names it */
    const char *name;       /* in the source, not terminated */
    uint32_t len;
    tc_ptx_type type;
    uint32_t slot; /* in the file of its type */
} tc_ptx_reg;

typedef struct tc_ptx_formal { /* a parameter or result of a .func */
    bool reg;     /* slot: of a register of type; else a symbol's index */
    uint8_t type; /* of reg */
    uint32_t slot;
    uint64_t size; /* bytes; 0: a predicate */
} tc_ptx_formal;

typedef enum tc_ptx_builtin { /* functions of the system, by their name */
                              TC_PB_NONE,
                              TC_PB_VPRINTF,
                              TC_PB_ASSERTFAIL,
                              TC_PB_MALLOC,
                              TC_PB_FREE
} tc_ptx_builtin;

typedef struct tc_ptx_func {
    const char *name;
    bool entry;
    tc_ptx_param *params;
    int nparams;
    uint32_t param_bytes;
    uint32_t npred, n32, n64; /* register slots */
    tc_ptx_reg *regs;         /* in the order of first mention */
    int nregs, cregs;
    uint32_t begin, end;   /* code[begin, end) */
    uint64_t shared_bytes; /* static: module's and its own, laid out */
    uint64_t local_bytes;  /* of a frame: .local, and .param of calls */
    uint32_t maxntid[3], reqntid[3], reqcluster[3]; /* 0: not given */
    uint32_t minnctapersm;
    bool explicit_cluster; /* .explicitcluster */
    bool grid_of_clusters; /* .blocksareclusters: a launch counts clusters */
    bool noreturn;
    tc_ptx_formal *formals, *results; /* of a .func */
    int nformals, nresults;
    bool stack;      /* it calls, or moves its stack's end: alloca */
    uint8_t builtin; /* tc_ptx_builtin, of one without a body */
} tc_ptx_func;

typedef struct tc_ptx_table { /* .branchtargets, .calltargets, .callprototype */
    uint32_t first, n;        /* of targets: ops, functions */
    bool prototype;
    uint32_t results, params; /* of a prototype: how many */
} tc_ptx_table;

/* The address of a function, as a value: call's operand. */
#define TC_PTX_CODE_WINDOW UINT64_C(0x0000030000000000)
#define TC_PTX_CODE(index) (TC_PTX_CODE_WINDOW + 16 * ((uint64_t)(index) + 1))

typedef struct tc_ptx_module {
    int version;    /* 90 for .version 9.0 */
    int sm;         /* 90 for sm_90a */
    char sm_suffix; /* 'a', 'f' or 0 */
    tc_ptx_op *code;
    uint32_t ncode;
    tc_ptx_operand *vec; /* operands of VECTORs */
    tc_ptx_symbol *symbols;
    int nsymbols;
    tc_ptx_func *funcs;
    int nfuncs;
    tc_ptx_table *tables;
    int ntables;
    uint32_t *targets; /* of tables */
    int ntargets;
    const char **files; /* by .file number */
    int nfiles;
    tc_ptx_loc *locs; /* [0] is nowhere */
    int nlocs;
    const tc_source *source;
} tc_ptx_module;

/* Parses a whole module. Reports every error it can with its PTX line, and
 * returns NULL if there was one. An unknown opcode or modifier is an error. */
tc_ptx_module *tc_ptx_parse(tc_arena *a, const tc_source *source,
                            tc_diags *diags);
/* The register file that values of a type live in. */
tc_ptx_file tc_ptx_file_of(tc_ptx_type t);
const tc_ptx_func *tc_ptx_find_entry(const tc_ptx_module *m, const char *name);

#endif
