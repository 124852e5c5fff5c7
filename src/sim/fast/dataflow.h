/* dataflow.h - a function's blocks and registers, before it runs. */
#ifndef TC_SIM_FAST_FLOW_H
#define TC_SIM_FAST_FLOW_H

#include "sim/fast/entry.h"

/* Registers are numbered: the 32-bit file, the 64-bit file, predicates. */
typedef struct tc_flow {
    tc_run *r;
    const tc_ptx_func *func;
    uint32_t n, words, nblocks; /* registers; 64 of them a word */
    uint32_t *leader;           /* block of each op, from func->begin */
    uint32_t *begin;            /* first op of each block, and the end */
    uint64_t *in;               /* written at a block's begin */
    uint32_t *ndefs;
    uint64_t walk, work; /* ops: of one walk over all; that are left */
} tc_flow;

typedef void tc_visit(tc_flow *f, uint32_t reg, bool read, bool write,
                      void *user);

/* Calls visit for every register that an op names, those it reads first. What
 * lands later counts as read and written. A guard makes no
 * difference here. */
void tc_flow_visit(tc_flow *f, const tc_ptx_op *op, tc_visit *visit,
                   void *user);
bool tc_flow_ends_block(const tc_ptx_op *op);

/* One more walk over all ops. False: there have been too many. A few find what
 * is to be known of what compilers make; code whose branches all go backwards
 * would take as many as it has blocks. */
bool tc_flow_work(tc_flow *f);

/* regalloc.c: r->fast->rows_of, where f is of the launched kernel. */
void tc_flow_compact(tc_flow *f);

#endif
