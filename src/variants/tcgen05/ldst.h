/* ldst.h - a move between tensor memory and registers, and its
 * statements. */
#ifndef TC_VARIANTS_TCGEN05_LDST_H
#define TC_VARIANTS_TCGEN05_LDST_H

#include "dispatch/variant.h"

typedef struct tc_tcgen05_shape {
    const char *name; /* PTX: .shape */
    int cols;         /* columns of 32 bits for .x1 */
    int regs;         /* registers of a thread for .x1 */
} tc_tcgen05_shape;

typedef struct tc_tcgen05_move {
    const tc_region *tmem, *reg;
    bool load;
    int64_t per_word; /* elements in 32 bits */
    const tc_tcgen05_shape *shape;
    int64_t num; /* .xN of the whole register buffer */
    int slabs;   /* how often the instruction is issued, 16 rows apart */
    int64_t num_eff, regs_eff; /* of the region, for each slab */
} tc_tcgen05_move;

/* Writes v->lowered: views of the registers as 32-bit words, then the
 * instruction for each slab, as TVM does. */
void tc_tcgen05_emit(const tc_dispatch_ctx *cx, tc_verdict *v,
                     const tc_tcgen05_move *m);

#endif
