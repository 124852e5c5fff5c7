/* layout.h - TIRx layouts: axes, iterators, tile, swizzle and compose layouts.
 *
 * A tile layout maps a logical index to one integer for each axis. It is an
 * ordered list of shard iterators (extent, stride, axis), a list of replica
 * iterators (the same element also lives there) and an offset for each axis.
 * Semantics: those of TVM 0.25.0, python/tvm/tirx/layout.py and src/tirx/ir/
 * layout; each operation's comment says what it does. Layouts are immutable
 * and live in the context's arena. */
#ifndef TC_LAYOUT_LAYOUT_H
#define TC_LAYOUT_LAYOUT_H

#include "base/arena.h"
#include "base/buf.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum tc_scope_level { /* of thread axes, in rising order */
                              TC_SCOPE_NONE,
                              TC_SCOPE_THREAD,
                              TC_SCOPE_WARP,
                              TC_SCOPE_WARPGROUP,
                              TC_SCOPE_CTA,
                              TC_SCOPE_CLUSTER
} tc_scope_level;

typedef enum tc_axis_class {
    TC_AXIS_UNKNOWN, /* registered on the spot by its name */
    TC_AXIS_THREAD,
    TC_AXIS_MEMORY
} tc_axis_class;

/* One axis. Built-in axes are static (axes.def); others live in an arena. Two
 * axes are the same when their names are. */
typedef struct tc_axis {
    const char *name;
    tc_axis_class cls;
    tc_scope_level scope, subscope; /* thread axes: bx is cta in thread ... */
} tc_axis;

const tc_axis *tc_axis_find(const char *name); /* built-in, or NULL */
const tc_axis *tc_axis_get(tc_arena *a, const char *name); /* never NULL */
bool tc_axis_eq(const tc_axis *a, const tc_axis *b);
const char *tc_scope_name(tc_scope_level s); /* "thread", "warp", ... */
/* Names of the built-in axes, NULL-terminated. */
const char *const *tc_axis_names(void);
extern const tc_axis *const tc_axis_m; /* plain memory */

typedef struct tc_iter {
    int64_t extent, stride;
    const tc_axis *axis;
} tc_iter;

typedef struct tc_offset {
    const tc_axis *axis;
    int64_t value;
} tc_offset;

typedef enum tc_layout_kind {
    TC_LAYOUT_TILE,
    TC_LAYOUT_SWIZZLE,
    TC_LAYOUT_COMPOSE /* tile first, then swizzle */
} tc_layout_kind;

typedef struct tc_swizzle {
    int64_t per_element, swizzle_len, atom_len;
    bool inner;
} tc_swizzle;

typedef struct tc_layout {
    tc_layout_kind kind;
    const tc_iter *shard; /* tile part; empty for SWIZZLE */
    int nshard;
    const tc_iter *replica;
    int nreplica;
    const tc_offset *offset;
    int noffset;
    tc_swizzle swizzle; /* SWIZZLE and COMPOSE */
} tc_layout;

/* What an operation works with and reports through. target_cuda stands for
 * TVM's `with Target("cuda")`: canonicalize then fuses thread axes. */
typedef struct tc_layout_ctx {
    tc_arena *arena;
    bool target_cuda;
    const char *tag;     /* of the last refusal: LAYOUT.md's error tags */
    const char *message; /* of the last refusal, one line, ours */
} tc_layout_ctx;

/* Answers: TC_LAYOUT_NONE is TVM's None ("no such layout"), no error. */
typedef enum tc_layout_result {
    TC_LAYOUT_FAILED, /* ctx->tag and ctx->message say why */
    TC_LAYOUT_NONE,
    TC_LAYOUT_OK
} tc_layout_result;

/* --- making -------------------------------------------------------------- */

/* Row-major on m: TileLayout(S[shape]). Never NULL; a stride beyond 64 bits
 * becomes INT64_MAX, and tc_layout_size then refuses the layout. */
const tc_layout *tc_layout_row_major(tc_arena *a, const int64_t *shape, int n);
/* Copies its arguments. */
const tc_layout *tc_layout_tile(tc_arena *a, const tc_iter *shard, int nshard,
                                const tc_iter *replica, int nreplica,
                                const tc_offset *offset, int noffset);
tc_layout_result tc_layout_make_swizzle(tc_layout_ctx *cx, tc_swizzle sw,
                                        const tc_layout **out);
tc_layout_result tc_layout_compose(tc_layout_ctx *cx, tc_swizzle sw,
                                   const tc_layout *tile,
                                   const tc_layout **out);
bool tc_layout_has_swizzle(const tc_layout *l); /* SWIZZLE or COMPOSE */
/* The tile under a compose; a tile itself; NULL for a bare swizzle. */
const tc_layout *tc_layout_tile_part(tc_arena *a, const tc_layout *l);

/* --- reading ------------------------------------------------------------- */

/* Product of shard extents (of one axis if named). */
tc_layout_result tc_layout_size(tc_layout_ctx *cx, const tc_layout *l,
                                const tc_axis *axis, int64_t *out);
tc_layout_result tc_layout_span(tc_layout_ctx *cx, const tc_layout *l,
                                const tc_axis *axis, int64_t *out);
int64_t tc_layout_offset_of(const tc_layout *l, const tc_axis *axis); /* or 0 */
/* Where coord of shape lies in memory: the sum over axis m; -1 where the layout
 * has no such element. */
int64_t tc_layout_position(tc_layout_ctx *cx, const tc_layout *l,
                           const int64_t *coord, const int64_t *shape,
                           int rank);
/* Linear index, one coordinate a shard iterator, or coordinates of a shape.
 * The answer holds an entry for each axis named in shard or offset. */
tc_layout_result tc_layout_apply(tc_layout_ctx *cx, const tc_layout *l,
                                 const int64_t *coord, int ncoord,
                                 const int64_t *shape, int nshape,
                                 const tc_offset **out, int *nout);
int64_t tc_swizzle_apply(tc_swizzle sw, int64_t x);
tc_layout_result tc_layout_get_scope(tc_layout_ctx *cx, const tc_layout *l,
                                     tc_scope_level *inner,
                                     tc_scope_level *outer);
tc_layout_result tc_layout_verify(tc_layout_ctx *cx, const tc_layout *l,
                                  bool *out);
tc_layout_result tc_layout_is_trivial(tc_layout_ctx *cx, const tc_layout *l,
                                      bool *out);
bool tc_layout_equal(const tc_layout *a, const tc_layout *b); /* structural */

/* --- algebra -------------------------------------------------------------- */

tc_layout_result tc_layout_canonicalize(tc_layout_ctx *cx, const tc_layout *l,
                                        const tc_layout **out);
/* seps gets nshape + 1 entries: shard iterators [seps[i], seps[i+1]) belong to
 * shape entry i. */
tc_layout_result tc_layout_group(tc_layout_ctx *cx, const tc_layout *l,
                                 const int64_t *shape, int nshape,
                                 const tc_layout **out, int **seps);
/* region: n pairs (begin, end). */
tc_layout_result tc_layout_slice(tc_layout_ctx *cx, const tc_layout *l,
                                 const int64_t *shape, int nshape,
                                 const int64_t (*region)[2], int nregion,
                                 const tc_layout **out);
tc_layout_result tc_layout_permute_dims(tc_layout_ctx *cx, const tc_layout *l,
                                        const int *perm, int n,
                                        const tc_layout **out);
tc_layout_result tc_layout_permute_by_groups(tc_layout_ctx *cx,
                                             const tc_layout *l,
                                             const int *seps, int nseps,
                                             const int *perm, int nperm,
                                             const tc_layout **out);

/* --- text ------------------------------------------------------------------*/

/* Text that can be typed back in: TileLayout(S[(128, 32) : (32, 1)]). */
void tc_layout_print(tc_buf *b, const tc_layout *l);

#endif
