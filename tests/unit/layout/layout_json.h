/* layout_json.h - layouts from and to the JSON of the corpus (LAYOUT.md:
 * {"kind":"tile","shard":[[extent,stride,axis],...],...}). */
#ifndef LAYOUT_JSON_H
#define LAYOUT_JSON_H

#include "layout/layout.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static int64_t json_int(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static const tc_iter *iters_of(tc_arena *a, const json_t *list) {
    tc_iter *iters = TC_NEWN(a, tc_iter, json_array_size(list) + 1);
    size_t i;
    json_t *e;
    json_array_foreach(list, i, e) {
        iters[i].extent = json_integer_value(json_array_get(e, 0));
        iters[i].stride = json_integer_value(json_array_get(e, 1));
        iters[i].axis = tc_axis_get(a, json_string_value(json_array_get(e, 2)));
    }
    return iters;
}

static const tc_layout *tile_of(tc_arena *a, const json_t *j) {
    json_t *shard = json_object_get(j, "shard");
    json_t *replica = json_object_get(j, "replica");
    json_t *offset = json_object_get(j, "offset"), *v;
    tc_offset *offsets = TC_NEWN(a, tc_offset, json_object_size(offset) + 1);
    const char *name;
    int n = 0;
    json_object_foreach(offset, name, v) {
        offsets[n].axis = tc_axis_get(a, name);
        offsets[n++].value = json_integer_value(v);
    }
    return tc_layout_tile(a, iters_of(a, shard), (int)json_array_size(shard),
                          iters_of(a, replica), (int)json_array_size(replica),
                          offsets, n);
}

static tc_swizzle swizzle_of(const json_t *j) {
    return (tc_swizzle){json_int(j, "per_element"), json_int(j, "swizzle_len"),
                        json_int(j, "atom_len"),
                        json_is_true(json_object_get(j, "swizzle_inner"))};
}

/* NULL where the JSON is null, or where making it is refused. */
static const tc_layout *layout_of(tc_layout_ctx *cx, const json_t *j) {
    const char *kind = json_string_value(json_object_get(j, "kind"));
    const tc_layout *l = NULL;
    if (kind == NULL) {
        return NULL;
    }
    if (strcmp(kind, "tile") == 0) {
        return tile_of(cx->arena, j);
    }
    if (strcmp(kind, "swizzle") == 0) {
        tc_layout_make_swizzle(cx, swizzle_of(j), &l);
        return l;
    }
    tc_layout_compose(cx, swizzle_of(json_object_get(j, "swizzle")),
                      tile_of(cx->arena, json_object_get(j, "tile")), &l);
    return l;
}

/* Results hold replicas sorted by (axis, extent, stride). */
static int iter_order(const void *pa, const void *pb) {
    const tc_iter *a = pa, *b = pb;
    int c = strcmp(a->axis->name, b->axis->name);
    if (c == 0) {
        c = (a->extent > b->extent) - (a->extent < b->extent);
    }
    return c ? c : (a->stride > b->stride) - (a->stride < b->stride);
}

static json_t *iters_json(const tc_iter *iters, int n, int sorted) {
    json_t *list = json_array();
    tc_iter *copy = malloc(sizeof *copy * (size_t)(n + 1));
    for (int i = 0; i < n; i++) {
        copy[i] = iters[i];
    }
    if (sorted) {
        qsort(copy, (size_t)n, sizeof *copy, iter_order);
    }
    for (int i = 0; i < n; i++) {
        json_array_append_new(
            list, json_pack("[I, I, s]", (json_int_t)copy[i].extent,
                            (json_int_t)copy[i].stride, copy[i].axis->name));
    }
    free(copy);
    return list;
}

static json_t *offsets_json(const tc_offset *offset, int n) {
    json_t *map = json_object();
    for (int i = 0; i < n; i++) {
        json_object_set_new(map, offset[i].axis->name,
                            json_integer(offset[i].value));
    }
    return map;
}

static json_t *tile_json(const tc_layout *l) {
    return json_pack("{s:s, s:o, s:o, s:o}", "kind", "tile", "shard",
                     iters_json(l->shard, l->nshard, 0), "replica",
                     iters_json(l->replica, l->nreplica, 1), "offset",
                     offsets_json(l->offset, l->noffset));
}

static json_t *swizzle_json(tc_swizzle s) {
    return json_pack("{s:s, s:I, s:I, s:I, s:b}", "kind", "swizzle",
                     "per_element", (json_int_t)s.per_element, "swizzle_len",
                     (json_int_t)s.swizzle_len, "atom_len",
                     (json_int_t)s.atom_len, "swizzle_inner", (int)s.inner);
}

static json_t *layout_json(const tc_layout *l) {
    if (l->kind == TC_LAYOUT_TILE) {
        return tile_json(l);
    }
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        return swizzle_json(l->swizzle);
    }
    return json_pack("{s:s, s:o, s:o}", "kind", "compose", "swizzle",
                     swizzle_json(l->swizzle), "tile", tile_json(l));
}

#endif
