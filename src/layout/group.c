/* group.c - iterators cut at the borders of a shape. */
#include "layout/internal.h"

#include <limits.h>

/* Cutting the iterators at the borders of a shape, and reordering them. */

tc_layout_result tcl_try_group(tc_layout_ctx *cx, const tc_layout *l,
                               const int64_t *shape, int nshape,
                               const tc_layout **out, int **seps) {
    if (nshape > INT_MAX / 4 || l->nshard > INT_MAX / 4) {
        return tcl_fail(cx, "overflow", "the layout has too many iterators");
    }
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, l->nshard + nshape + 1);
    int *sep = TC_NEWN(cx->arena, int, nshape + 1);
    int n = 0, done = 0;
    int64_t open = 1; /* product of what is not yet assigned */
    for (int i = 0; i < l->nshard; i++) {
        tc_iter it = l->shard[i];
        TCL_TRY(tcl_mul(cx, open, it.extent, &open));
        while (done < nshape) {
            int64_t rest, outer, stride;
            TCL_TRY(tcl_mod(cx, open, shape[done], &rest));
            if (rest != 0) {
                break;
            }
            TCL_TRY(tcl_div(cx, open, shape[done], &open));
            TCL_TRY(tcl_mod(cx, it.extent, open, &rest));
            if (rest != 0) {
                return TC_LAYOUT_NONE;
            }
            TCL_TRY(tcl_div(cx, it.extent, open, &outer));
            TCL_TRY(tcl_mul(cx, it.stride, open, &stride));
            shard[n++] = (tc_iter){outer, stride, it.axis};
            it.extent = open;
            sep[++done] = n;
        }
        if (it.extent != 1) {
            if (done == nshape) {
                return TC_LAYOUT_NONE;
            }
            shard[n++] = it;
        }
    }
    if (done < nshape) {
        return TC_LAYOUT_NONE;
    }
    *out = tcl_wrap(cx->arena, shard, n, l->replica, l->nreplica, l->offset,
                    l->noffset);
    *seps = sep;
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_group(tc_layout_ctx *cx, const tc_layout *l,
                                 const int64_t *shape, int nshape,
                                 const tc_layout **out, int **seps) {
    if (l->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "group");
    }
    tc_layout_result r = tcl_try_group(cx, l, shape, nshape, out, seps);
    if (r == TC_LAYOUT_NONE) {
        return tcl_fail(cx, "cannot_group",
                        "%s cannot be grouped by the shape %s: its iterators "
                        "do not split at those borders",
                        tcl_layout_text(cx->arena, l),
                        tcl_shape_text(cx->arena, shape, nshape));
    }
    return r;
}

tc_layout_result tc_layout_permute_dims(tc_layout_ctx *cx, const tc_layout *l,
                                        const int *perm, int n,
                                        const tc_layout **out) {
    if (l->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "permute_dims");
    }
    if (n != l->nshard) {
        return tcl_fail(cx, "rank_mismatch",
                        "the permutation names %d dimensions, the layout has "
                        "%d iterators",
                        n, l->nshard);
    }
    tc_iter *shard = TC_NEWN(cx->arena, tc_iter, n + 1);
    for (int i = 0; i < n; i++) {
        int k = perm[i] < 0 ? perm[i] + n : perm[i]; /* as Python counts */
        if (k < 0 || k >= n) {
            return tcl_fail(cx, "bad_permutation",
                            "there is no dimension %d among %d", perm[i], n);
        }
        shard[i] = l->shard[k];
    }
    *out = tcl_wrap(cx->arena, shard, n, l->replica, l->nreplica, l->offset,
                    l->noffset);
    return TC_LAYOUT_OK;
}

static tc_layout_result check_perm(tc_layout_ctx *cx, const int *perm, int n,
                                   int groups) {
    bool ok = n == groups;
    char *seen = TC_NEWN(cx->arena, char, groups + 1);
    for (int i = 0; ok && i < n; i++) {
        ok = perm[i] >= 0 && perm[i] < groups && !seen[perm[i]];
        if (ok) {
            seen[perm[i]] = 1;
        }
    }
    return ok ? TC_LAYOUT_OK
              : tcl_fail(cx, "bad_permutation",
                         "the permutation must name each of the %d groups "
                         "once",
                         groups);
}

tc_layout_result tc_layout_permute_by_groups(tc_layout_ctx *cx,
                                             const tc_layout *l,
                                             const int *seps, int nseps,
                                             const int *perm, int nperm,
                                             const tc_layout **out) {
    if (l->kind != TC_LAYOUT_TILE) {
        return tcl_not_a_tile(cx, "permute_by_groups");
    }
    int groups = nseps > 0 ? nseps - 1 : 0;
    TCL_TRY(check_perm(cx, perm, nperm, groups));
    int *flat = TC_NEWN(cx->arena, int, l->nshard + 1);
    int n = 0;
    for (int g = 0; g < groups; g++) {
        for (int k = seps[perm[g]]; k < seps[perm[g] + 1]; k++) {
            if (n == l->nshard) {
                return tcl_fail(cx, "rank_mismatch",
                                "the groups hold more than the layout's %d "
                                "iterators",
                                l->nshard);
            }
            flat[n++] = k;
        }
    }
    return tc_layout_permute_dims(cx, l, flat, n, out);
}
