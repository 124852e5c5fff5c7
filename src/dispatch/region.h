/* region.h - the layout of a region of a buffer. */
#ifndef TC_DISPATCH_REGION_H
#define TC_DISPATCH_REGION_H

#include "dispatch/variant.h"

/* What slicing gave. */
typedef struct tc_slice {
    const tc_layout *layout; /* tile, or compose for a swizzled buffer */
    tc_expr *base;   /* the part of the offset on m that is not constant, in
                        elements, simplified; NULL: none */
    tc_expr *column; /* the same on TCol; only of tc_region_slice_tmem */
    bool lane_moves; /* so is the part on TLane, which nothing needs */
} tc_slice;

/* layout.slice(shape, region) of TVM. A start that is not constant goes to
 * base, times the stride; where its dimension is several iterators, the region
 * must be proved not to cut through them. NONE: no such layout; FAILED:
 * refused. *why says so as text. */
tc_layout_result tc_region_slice(const tc_dispatch_ctx *cx, const tc_region *r,
                                 tc_slice *out, const char **why);
/* The same, with starts that may move on TCol and TLane. */
tc_layout_result tc_region_slice_tmem(const tc_dispatch_ctx *cx,
                                      const tc_region *r, tc_slice *out,
                                      const char **why);

#endif
