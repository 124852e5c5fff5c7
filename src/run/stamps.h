/* stamps.h - PTX that says when it does what: a kernel's text with a time stamp
 * at each asynchronous instruction, and one on either side of each wait and
 * barrier.
 *
 * One lane of each chosen warp of CTA 0 keeps %clock64 and the place's number in
 * memory. The rewritten kernel has one parameter more, behind the others: the
 * address of TC_STAMP_WARPS * TC_STAMPS records. Results, registers of the
 * program and the order of its instructions stay as they are. */
#ifndef TC_RUN_STAMPS_H
#define TC_RUN_STAMPS_H

#include "ptx/ptx.h"

enum {
    TC_STAMP_WARPS = 32, /* of CTA 0 */
    TC_STAMPS = 1024     /* of a warp; what comes later is not kept */
};

typedef struct tc_stamp { /* as the kernel writes it */
    uint64_t clock;
    uint64_t place; /* 0: none; 1, 2, 3: three stamps in a row, the first of
                       all; then 4 * i of place i's before, 4 * i + 1 of its
                       after */
} tc_stamp;
enum { TC_STAMP_FIRST = 4 }; /* of place 1; place 0 does not exist */

typedef struct tc_stamp_place {
    const tc_ptx_op *op;
    bool waits; /* it has a stamp behind it too */
} tc_stamp_place;

typedef struct tc_stamped {
    const char *ptx;
    uint32_t param; /* offset of the new parameter; the block's bytes are 8 more
                     */
    tc_stamp_place *places; /* from 1 on */
    int nplaces;
} tc_stamped;

/* Rewrites the kernel of m, whose source text has. warp: that one alone; -1: all
 * of the CTA's first TC_STAMP_WARPS. False with a sentence where the text cannot
 * be rewritten. Everything lives in a. */
bool tc_stamps_add(tc_arena *a, const tc_ptx_module *m, const tc_ptx_func *f,
                   const char *text, int warp, tc_stamped *out,
                   const char **why);

#endif
