/* launch.c - the closure over declared scope ids. */
#include "dispatch/launch.h"

#include <inttypes.h>

/* A scope id counts `cur`s within one `parent`. */
enum { KERNEL, CLUSTER, CTA, WARPGROUP, WARP, THREAD };

typedef struct tc_levels {
    int parent, cur;
    const char *name;
} tc_levels;

static const tc_levels levels[TC_SCOPE_ID_KINDS] = {
    [TC_ID_CTA] = {KERNEL, CTA, "T.cta_id"},
    [TC_ID_CTA_IN_CLUSTER] = {CLUSTER, CTA, "T.cta_id_in_cluster"},
    [TC_ID_CLUSTER] = {KERNEL, CLUSTER, "T.cluster_id"},
    [TC_ID_WARPGROUP] = {CTA, WARPGROUP, "T.warpgroup_id"},
    [TC_ID_WARP] = {CTA, WARP, "T.warp_id"},
    [TC_ID_WARP_IN_WG] = {WARPGROUP, WARP, "T.warp_id_in_wg"},
    [TC_ID_LANE] = {WARP, THREAD, "T.lane_id"},
    [TC_ID_THREAD] = {CTA, THREAD, "T.thread_id"},
    [TC_ID_THREAD_IN_WG] = {WARPGROUP, THREAD, "T.thread_id_in_wg"},
};

static int kind_at(int parent, int cur) {
    for (int k = 0; k < TC_SCOPE_ID_KINDS; k++) {
        if (levels[k].parent == parent && levels[k].cur == cur) {
            return k;
        }
    }
    return -1;
}

typedef struct closure {
    tc_arena *arena;
    tc_launch *out;
    tc_span span[TC_SCOPE_ID_KINDS]; /* of the declaration that fixed it */
    bool changed;
} closure;

static void learn(closure *c, int kind, int64_t extent, tc_span span, int from,
                  int with) {
    tc_launch *l = c->out;
    if (kind < 0 || l->error != NULL) {
        return;
    }
    if (l->fused[kind] == 0) {
        l->fused[kind] = extent;
        c->span[kind] = span;
        c->changed = true;
    } else if (l->fused[kind] != extent) {
        l->error = tc_format(
            c->arena,
            "%s has %" PRId64 " threads or units, but %s (%" PRId64
            ") and %s (%" PRId64 ") make it %" PRId64,
            levels[kind].name, l->fused[kind], levels[from].name,
            l->fused[from], levels[with].name, l->fused[with], extent);
        l->span = span;
    }
}

/* x counts parts of what y counts: binding (p, q) = x / y. */
static void complement(closure *c, int x, int y, int kind) {
    tc_launch *l = c->out;
    if (kind < 0 || l->error != NULL) {
        return;
    }
    if (l->fused[x] % l->fused[y] != 0) {
        l->error = tc_format(
            c->arena, "%s (%" PRId64 ") is not divisible by %s (%" PRId64 ")",
            levels[x].name, l->fused[x], levels[y].name, l->fused[y]);
        l->span = c->span[x].source != NULL ? c->span[x] : c->span[y];
        return;
    }
    learn(c, kind, l->fused[x] / l->fused[y], c->span[x], x, y);
}

static void close_pair(closure *c, int x, int y) {
    const int64_t *fused = c->out->fused;
    int64_t product;
    if (x == y || fused[x] == 0 || fused[y] == 0) {
        return;
    }
    if (levels[x].cur == levels[y].parent &&
        !__builtin_mul_overflow(fused[x], fused[y], &product)) {
        learn(c, kind_at(levels[x].parent, levels[y].cur), product, c->span[x],
              x, y);
    }
    if (levels[x].parent == levels[y].parent && levels[y].cur < levels[x].cur) {
        complement(c, x, y, kind_at(levels[y].cur, levels[x].cur));
    }
    if (levels[x].cur == levels[y].cur && levels[x].parent < levels[y].parent) {
        complement(c, x, y, kind_at(levels[x].parent, levels[y].parent));
    }
}

static void declare(closure *c, const tc_scope_id *id, tc_span span) {
    tc_launch *l = c->out;
    int64_t fused = 1;
    for (int i = 0; i < id->n; i++) {
        if (__builtin_mul_overflow(fused, id->extent[i], &fused) ||
            fused > INT32_MAX) {
            l->error = tc_format(c->arena, "the extents of %s are too large",
                                 levels[id->kind].name);
            l->span = span;
            return;
        }
    }
    if (l->declared[id->kind] == NULL && fused > 0) {
        l->declared[id->kind] = id;
    }
    if (fused <= 0) {
        return; /* an extent left to be worked out */
    }
    if (l->fused[id->kind] != 0 && l->fused[id->kind] != fused) {
        l->error = tc_format(c->arena,
                             "%s is declared with %" PRId64
                             " here, but with %" PRId64 " before",
                             levels[id->kind].name, fused, l->fused[id->kind]);
        l->span = span;
        return;
    }
    l->fused[id->kind] = fused;
    c->span[id->kind] = span;
}

static void gather(closure *c, const tc_block *block) {
    for (const tc_stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_SCOPE_ID && c->out->error == NULL) {
            declare(c, s->id, s->span);
        }
        gather(c, &s->body);
        gather(c, &s->orelse);
    }
}

/* An extent may be left out (T.lane_id()): it must follow from the others. */
static void check_deferred(closure *c, const tc_block *block) {
    for (const tc_stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_SCOPE_ID && c->out->error == NULL &&
            c->out->fused[s->id->kind] == 0) {
            c->out->error =
                tc_format(c->arena,
                          "the extent of %s is not given and does not follow "
                          "from the other scope ids",
                          levels[s->id->kind].name);
            c->out->span = s->span;
        }
        check_deferred(c, &s->body);
        check_deferred(c, &s->orelse);
    }
}

bool tc_launch_read(tc_arena *a, const tc_block *block, tc_launch *out) {
    closure c = {.arena = a, .out = out, .changed = true};
    *out = (tc_launch){0};
    gather(&c, block);
    while (c.changed && out->error == NULL) {
        c.changed = false;
        for (int x = 0; x < TC_SCOPE_ID_KINDS; x++) {
            for (int y = 0; y < TC_SCOPE_ID_KINDS; y++) {
                close_pair(&c, x, y);
            }
        }
    }
    check_deferred(&c, block);
    if (out->error == NULL && out->fused[TC_ID_THREAD] == 0) {
        out->error = "the kernel does not say how many threads a CTA has: "
                     "declare T.thread_id([..])";
    }
    return out->error == NULL;
}

int tc_launch_dims(const tc_launch *l, tc_scope_id_kind kind, int64_t dims[3]) {
    dims[0] = dims[1] = dims[2] = 1;
    const tc_scope_id *id = l->declared[kind];
    if (l->fused[kind] == 0) {
        return 0;
    }
    if (id == NULL) {
        dims[0] = l->fused[kind];
        return 1;
    }
    for (int i = 0; i < id->n && i < 3; i++) {
        dims[i] = id->extent[i];
    }
    return id->n;
}

bool tc_launch_clustered(const tc_launch *l) {
    return l->fused[TC_ID_CTA_IN_CLUSTER] > 1;
}
