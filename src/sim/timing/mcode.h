/* mcode.h - a kernel's machine code as the clock walks it.
 *
 * What runs is the PTX; the clock issues the instructions that ptxas made of it,
 * in their own order and with their own control bits (sass/sass.h). Both texts
 * are cut into blocks: at branches, at labels, and at what waits for others.
 * The functional run goes block by block of the PTX, a few blocks ahead, and
 * notes its accesses; the walk lays the machine code's blocks over the blocks
 * that ran (cover: which ones of the PTX a block stands for, of an unrolled loop
 * several times the same), and each memory instruction takes the accesses of
 * its own line of the PTX. */
#ifndef TC_SIM_TIMING_MCODE_H
#define TC_SIM_TIMING_MCODE_H

#include "sass/sass.h"
#include "sim/timing/sm.h"

#define TC_NO_OP UINT32_MAX

typedef struct tc_mcode_op {
    tc_timing_op op; /* .latency: of what it sets a scoreboard for, where that
                        is no access to memory */
    uint32_t at;     /* of its PTX instruction in the module's code; TC_NO_OP */
    uint8_t stall, wait, set_write, set_read; /* tc_sass_op's */
    uint8_t bytes;                            /* of an access, a lane */
    bool guarded;
    bool access; /* takes accesses that the functional run noted */
} tc_mcode_op;

typedef struct tc_mcode_block {
    uint32_t begin, end;    /* instructions */
    uint32_t last;          /* one that the PTX's own op executes as (a barrier,
                               a wait): its control bits; TC_NO_OP: none */
    bool calls;             /* a subroutine */
    bool table;             /* ends with a jump by a table: to any block that */
    bool led_to;            /* is not led to by others */
    uint32_t next[2];       /* blocks that may follow, or TC_NO_OP */
    uint32_t cover, ncover; /* in tc_mcode.cover */
    uint32_t enter, leave; /* blocks that issue on the way to it and from it, to
                               others; TC_NO_OP: none */
} tc_mcode_block;

typedef struct tc_code_block {
    uint32_t begin, body, end; /* ops; [body, end): a branch, or what waits */
    bool waits;             /* it ends with what the clock must time itself */
    bool shown;             /* some block of the machine code stands for it */
    uint32_t first, nfirst; /* those whose cover begins with it, longest
                                  first: in tc_mcode.first */
} tc_code_block;

typedef struct tc_mcode_cover {
    uint32_t block; /* of the PTX */
    bool optional;  /* its instructions are guarded: it may not have run */
} tc_mcode_cover;

typedef struct tc_mcode {
    const char *why; /* it is of no use: why; the fields below are not there */
    tc_mcode_op *ops;
    tc_mcode_block *blocks;
    tc_code_block *ptx;
    tc_mcode_cover *cover;
    uint32_t *first;
    uint32_t *block_at; /* by op of the module: the PTX block that it begins */
    bool *shown;        /* by op: a memory instruction has its line */
    uint16_t **way, **calls; /* by target: see tc_mcode_way */
    uint32_t nops, nblocks, nptx, ncover, nfirst, base, longest;
} tc_mcode;

/* Of the run's kernel. Never NULL; sass may be (none was given). */
tc_mcode *tc_mcode_new(const tc_timing *t, const tc_sass *sass);
void tc_mcode_free(tc_mcode *m);
/* The block behind `from` on the shortest way to `to` over blocks that stand
 * for none of the PTX; TC_NO_OP: there is none. */
uint32_t tc_mcode_way(tc_mcode *m, uint32_t from, uint32_t to);

/* mcode_ptx.c: blocks of the PTX: at branches, at labels, at what waits. Returns
 * by op of the function whether it does not run ahead; the caller frees it. */
bool *tc_mcode_cut_ptx(const tc_timing *t, tc_mcode *m);
/* The block that holds an op of the module. */
uint32_t tc_mcode_ptx_block(const tc_mcode *m, uint32_t at);
/* The machine block stands for a further block of the PTX; those of one block of
 * machine code are put one after the other. */
void tc_mcode_put_cover(tc_mcode *m, tc_mcode_block *b, uint32_t p,
                        bool optional);
/* For each PTX block the machine blocks that may begin with it. */
void tc_mcode_list_first(tc_mcode *m);

/* mcode_ops.c: units, latencies, control bits. */
void tc_mcode_decode(const tc_profile *p, const tc_sass_op *op,
                     tc_mcode_op *out);
/* Is the instruction what executes the op, whose effect the clock times? */
bool tc_mcode_is(const tc_sass_op *op, const tc_ptx_op *ptx);
/* How well an op tells copies of its block apart: 3 memory, 2 floating point, 1
 * integers, 0 not at all; and is the instruction the one made of it? */
int tc_mcode_rank(const tc_ptx_op *op);
/* Is it several instructions? */
bool tc_mcode_several(const tc_ptx_op *op);
bool tc_mcode_made_of(const tc_sass_op *op, const tc_ptx_op *ptx);

#endif
