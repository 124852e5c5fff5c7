/* axis.c - the axes that iterators of a layout lie on. */
#include "layout/internal.h"

#include <string.h>

const tc_axis tcl_axes[TCL_NAXES] = {
#define AXIS(name, cls, scope, subscope)                                       \
    {#name, TC_AXIS_##cls, TC_SCOPE_##scope, TC_SCOPE_##subscope},
#include "layout/axes.def"
#undef AXIS
};

const tc_axis *const tc_axis_m = &tcl_axes[TCL_m];

const tc_axis *tc_axis_find(const char *name) {
    for (int i = 0; i < TCL_NAXES; i++) {
        if (strcmp(tcl_axes[i].name, name) == 0) {
            return &tcl_axes[i];
        }
    }
    return NULL;
}

const tc_axis *tc_axis_get(tc_arena *a, const char *name) {
    const tc_axis *known = tc_axis_find(name);
    if (known != NULL) {
        return known;
    }
    tc_axis *axis = TC_NEW(a, tc_axis);
    axis->name = tc_strdup(a, name);
    axis->cls = TC_AXIS_UNKNOWN;
    return axis;
}

bool tc_axis_eq(const tc_axis *a, const tc_axis *b) {
    if (a == b) {
        return true;
    }
    /* Built-in axes are unique, so only two others can be equal. */
    return a->cls == TC_AXIS_UNKNOWN && b->cls == TC_AXIS_UNKNOWN &&
           strcmp(a->name, b->name) == 0;
}

const char *tc_scope_name(tc_scope_level s) {
    static const char *const names[] = {
        "none", "thread", "warp", "warpgroup", "cta", "cluster",
    };
    return names[s];
}

const char *const *tc_axis_names(void) {
    static const char *const names[] = {
#define AXIS(name, cls, scope, subscope) #name,
#include "layout/axes.def"
#undef AXIS
        NULL,
    };
    return names;
}

static tc_layout_result unknown(tc_layout_ctx *cx, const tc_axis *axis) {
    return tcl_fail(cx, "unknown_axis",
                    "axis \"%s\" is not one of the built-in axes, so it is "
                    "neither a thread axis nor a memory axis",
                    axis->name);
}

tc_layout_result tcl_is_memory(tc_layout_ctx *cx, const tc_axis *axis,
                               bool *out) {
    *out = axis->cls == TC_AXIS_MEMORY;
    return axis->cls == TC_AXIS_UNKNOWN ? unknown(cx, axis) : TC_LAYOUT_OK;
}

tc_layout_result tcl_is_thread(tc_layout_ctx *cx, const tc_axis *axis,
                               bool *out) {
    *out = axis->cls == TC_AXIS_THREAD;
    return axis->cls == TC_AXIS_UNKNOWN ? unknown(cx, axis) : TC_LAYOUT_OK;
}

/* Collects subscope -> scope of one axis into up[]. */
static tc_layout_result collect(tc_layout_ctx *cx, const tc_axis *axis,
                                tc_scope_level up[TC_SCOPE_CLUSTER + 1]) {
    bool thread;
    TCL_TRY(tcl_is_thread(cx, axis, &thread));
    if (!thread) {
        return TC_LAYOUT_OK;
    }
    tc_scope_level *known = &up[axis->subscope];
    if (*known != TC_SCOPE_NONE && *known != axis->scope) {
        return tcl_fail(cx, "conflicting_scopes",
                        "the thread axes disagree: %ss are counted within a "
                        "%s and, by axis %s, within a %s",
                        tc_scope_name(axis->subscope), tc_scope_name(*known),
                        axis->name, tc_scope_name(axis->scope));
    }
    *known = axis->scope;
    return TC_LAYOUT_OK;
}

/* The chain of up[] from its lowest entry; every entry must lie on it. */
static tc_layout_result chain(tc_layout_ctx *cx, const tc_scope_level *up,
                              tc_scope_level *inner, tc_scope_level *outer) {
    int entries = 0, used = 0;
    for (int s = TC_SCOPE_CLUSTER; s > TC_SCOPE_NONE; s--) {
        if (up[s] != TC_SCOPE_NONE) {
            *inner = (tc_scope_level)s;
            entries++;
        }
    }
    for (*outer = *inner; up[*outer] != TC_SCOPE_NONE; *outer = up[*outer]) {
        if (used++ == entries) {
            return tcl_fail(cx, "scope_cycle",
                            "the thread axes form a circle: from %s upwards "
                            "one comes back to %s (bx, by, bz do not go "
                            "together with a full chain of thread axes)",
                            tc_scope_name(*inner), tc_scope_name(*outer));
        }
    }
    if (used != entries) {
        return tcl_fail(cx, "disconnected_scope",
                        "the thread axes do not connect: from %s one comes up "
                        "to %s, and other axes lie outside that chain",
                        tc_scope_name(*inner), tc_scope_name(*outer));
    }
    return TC_LAYOUT_OK;
}

tc_layout_result tc_layout_get_scope(tc_layout_ctx *cx, const tc_layout *l,
                                     tc_scope_level *inner,
                                     tc_scope_level *outer) {
    *inner = *outer = TC_SCOPE_NONE;
    bool thread = false;
    for (int i = 0; i < l->nshard && !thread; i++) {
        TCL_TRY(tcl_is_thread(cx, l->shard[i].axis, &thread));
    }
    if (!thread) {
        return TC_LAYOUT_NONE;
    }
    tc_scope_level up[TC_SCOPE_CLUSTER + 1] = {TC_SCOPE_NONE};
    for (int i = 0; i < l->nshard; i++) {
        TCL_TRY(collect(cx, l->shard[i].axis, up));
    }
    for (int i = 0; i < l->nreplica; i++) {
        TCL_TRY(collect(cx, l->replica[i].axis, up));
    }
    for (int i = 0; i < l->noffset; i++) {
        TCL_TRY(collect(cx, l->offset[i].axis, up));
    }
    return chain(cx, up, inner, outer);
}

tc_layout_result tc_layout_verify(tc_layout_ctx *cx, const tc_layout *l,
                                  bool *out) {
    tc_scope_level inner, outer;
    *out = true;
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        return TC_LAYOUT_OK;
    }
    tc_layout_result r = tc_layout_get_scope(cx, l, &inner, &outer);
    return r == TC_LAYOUT_NONE ? TC_LAYOUT_OK : r;
}
