/* sass.h - the machine code of a kernel in a cubin: instructions with their
 * control bits, and the line of the PTX that each came from.
 *
 * An instruction of sm_70 and later is 128 bits. The low 12 are the opcode (of
 * them the upper three say what kind of operand comes second), bits 12 to 15 the
 * guard; bits 105 to 125 are what the assembler tells the scheduler: cycles
 * until the next instruction of the warp may issue, the scoreboards that this one
 * sets and those that it waits for. NVIDIA documents none of it; the places are
 * those of Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking" (2018), chapter 2, and what nvdisasm prints agrees.
 *
 * ptxas -lineinfo writes .nv_debug_line_sass, a DWARF line table from addresses
 * to lines of the PTX text that it was given. */
#ifndef TC_SASS_SASS_H
#define TC_SASS_SASS_H

#include "base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TC_SASS_BYTES = 16,    /* of an instruction */
    TC_SASS_NO_BOARD = 7,  /* no scoreboard */
    TC_SASS_BOARDS = 6,    /* scoreboards of a warp */
    TC_SASS_TRUE_PRED = 7, /* PT */
};

/* What an opcode is, for those who count: the rows of opcodes.def. */
typedef enum tc_sass_class {
    TC_SASS_OTHER,
    TC_SASS_ALU,     /* integers, logic, moves, predicates */
    TC_SASS_FLOAT,   /* FFMA and its kind, halves */
    TC_SASS_DOUBLE,  /* DFMA and its kind */
    TC_SASS_SPECIAL, /* MUFU, conversions, S2R: through a queue */
    TC_SASS_MATRIX,  /* HMMA, HGMMA and their kind */
    TC_SASS_LDG,     /* loads and stores by where they go */
    TC_SASS_STG,
    TC_SASS_LDS,
    TC_SASS_STS,
    TC_SASS_LOCAL,
    TC_SASS_CONST,
    TC_SASS_ATOMIC,
    TC_SASS_LDGSTS, /* LDGSTS, and what marks and awaits its groups */
    TC_SASS_ASYNC,  /* bulk copies, TMA, mbarriers */
    TC_SASS_BARRIER,
    TC_SASS_BRANCH,
    TC_SASS_UNIFORM, /* the warp's own registers, UR */
    TC_SASS_NCLASSES
} tc_sass_class;

typedef struct tc_sass_op {
    uint32_t address; /* from the kernel's begin */
    uint64_t low, high;
    uint16_t opcode;   /* 12 bits */
    uint8_t guard;     /* 0 to 6: P0 to P6; TC_SASS_TRUE_PRED: none */
    bool guard_not;    /* @!P; with TC_SASS_TRUE_PRED it is never executed */
    uint8_t stall;     /* cycles until the warp's next may issue, 0 to 15 */
    bool yield;        /* the scheduler may prefer another warp */
    uint8_t set_write; /* scoreboard that its result releases, or NO_BOARD */
    uint8_t set_read;  /* the same, released when its operands are read */
    uint8_t wait;      /* bit b: waits for scoreboard b */
    uint8_t reuse;     /* bit i: operand i stays in the reuse cache */
    int ptx_line;      /* from 1; 0: unknown */
} tc_sass_op;

typedef struct tc_sass {
    tc_sass_op *ops;
    int nops;
} tc_sass;

/* The kernel's code in the cubin, in a; lines where it was made with -lineinfo.
 * False with why: it is no cubin of sm_70 or later, or has no such kernel. */
bool tc_sass_read(tc_arena *a, const void *cubin, size_t bytes,
                  const char *kernel, tc_sass *out, const char **why);

/* "LDGSTS"; "op.0x123" where it is not known. In a. */
const char *tc_sass_mnemonic(tc_arena *a, const tc_sass_op *op);
tc_sass_class tc_sass_class_of(const tc_sass_op *op);
const char *tc_sass_class_name(tc_sass_class c);

#endif
