/* partition.h - ownership of a tile's elements, as `partition` shows it. */
#ifndef TC_SESSION_PARTITION_H
#define TC_SESSION_PARTITION_H

#include "session/session.h"

enum { TC_OWNERS_LIMIT = 1 << 22 }; /* elements that a picture may have */

/* Which chunk each element of a region belongs to, row-major. Chunk number k is
 * round k / threads of thread k % threads; -1 belongs to nobody. */
typedef struct tc_owners {
    const tc_partition *p;
    const tc_region *region; /* the global side */
    int64_t rows, cols;      /* all dimensions but the last, and the last */
    int64_t *chunk;          /* rows * cols, owned */
} tc_owners;

/* Position of a region's element (index row-major within the region) in the
 * memory of its buffer, in elements, or -1. */
int64_t tc_region_position(tc_layout_ctx *cx, const tc_region *r,
                           int64_t index);

/* False when the tile is too large, or has no layout, to be drawn. */
bool tc_owners_make(const tc_partition *p, const tc_region *global,
                    tc_owners *out);
void tc_owners_free(tc_owners *o);
void tc_owners_picture(const tc_owners *o, int width, tc_buf *b);

/* What the lanes of warp 0 touch in round 0. Addresses in bytes. */
typedef struct tc_warp_touch {
    int lanes, bytes;
    int64_t global[32], shared[32];
    int parts, part_lanes; /* parts that one shared access is made in */
    int wavefronts;        /* of all parts together; parts is the ideal */
    int sectors, lines;    /* of 32 and 128 bytes */
} tc_warp_touch;

void tc_warp_touch_make(const tc_partition *p, int element_bytes,
                        tc_warp_touch *out);
void tc_warp_touch_text(const tc_warp_touch *w, tc_buf *b);

/* The same question for a copy whose variant has no such partition: the
 * instructions that move it, and both sides' layouts. */
void tc_explain_copy_layouts(tc_session *s, const tc_decision *d, tc_buf *b);

#endif
