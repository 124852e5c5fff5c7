/* launch.h - the launch that a program's scope ids describe, and the threads
 * that an `if` leaves active. For dispatch/ and suggest/ only. */
#ifndef TC_DISPATCH_LAUNCH_H
#define TC_DISPATCH_LAUNCH_H

#include "ir/ir.h"

enum { TC_SCOPE_ID_KINDS = TC_ID_THREAD_IN_WG + 1 };

/* Extents of every kind of scope id, declared or worked out from the others:
 * warps = threads / 32, and so on (TVM: ScopeIdDefVerifier, exec_scope.cc). */
typedef struct tc_launch {
    int64_t fused[TC_SCOPE_ID_KINDS]; /* product of the extents; 0: unknown */
    const tc_scope_id *declared[TC_SCOPE_ID_KINDS]; /* the first, or NULL */
    const char *error; /* declarations contradict each other: why; or NULL */
    tc_span span;      /* of the declaration that does */
} tc_launch;

/* Reads every scope id under block. Returns out->error == NULL. */
bool tc_launch_read(tc_arena *a, const tc_block *block, tc_launch *out);
/* Extents in x, y, z; ones for dimensions that are not there. Returns how many
 * dimensions were declared (1 when only worked out), 0 if unknown. */
int tc_launch_dims(const tc_launch *l, tc_scope_id_kind kind, int64_t dims[3]);
/* The kernel is launched in clusters of more than one CTA. */
bool tc_launch_clustered(const tc_launch *l);

/* A box of active threads: lanes and warps of a CTA, as [offset, offset +
 * extent). TVM: ActiveSet, exec_context.cc. */
typedef struct tc_active {
    int64_t lane, lane0, warp, warp0; /* extents and offsets */
} tc_active;

/* The conjuncts of a condition narrow the box where TVM recognises them:
 * comparisons of one scope id with a constant (filter_canonical.cc and
 * TryPushRangeForTarget in tile_primitive_dispatch.cc). kind_of gives the kind
 * of a variable that is a one-dimensional scope id, or false. */
typedef bool (*tc_kind_of_fn)(const void *user, const tc_var *v,
                              tc_scope_id_kind *kind);
void tc_active_narrow(tc_arena *a, tc_active *act, tc_expr *cond,
                      tc_kind_of_fn kind_of, const void *user);
/* Warps of act as warps within one warpgroup; false when they cross one. */
bool tc_active_in_warpgroup(const tc_active *act, int64_t *extent,
                            int64_t *offset);

#endif
