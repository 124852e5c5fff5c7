/* lower_maps.c - the tensor maps that chosen lowerings go through: one for all
 * that are equal (TVM: copy_async/tma.py, tensormap_cache_key), and the
 * statements that fetch them ahead. */
#include "dispatch/lower.h"

#include <string.h>

static bool same_dims(const int64_t *x, const int64_t *y, int n) {
    return memcmp(x, y, sizeof *x * (size_t)n) == 0;
}

static const tc_buffer *memory_of(const tc_buffer *b) {
    while (b->base != NULL) {
        b = b->base;
    }
    return b;
}

static bool same_map(const tc_tensor_map *x, const tc_tensor_map *y) {
    return memory_of(x->buffer) == memory_of(y->buffer) && x->type == y->type &&
           x->rank == y->rank && same_dims(x->shape, y->shape, x->rank) &&
           same_dims(x->stride, y->stride, x->rank) &&
           same_dims(x->box, y->box, x->rank) && x->swizzle == y->swizzle &&
           x->oob_fill == y->oob_fill;
}

/* if warp_id_in_cta == 0: fetch the map. */
static void prefetch(tc_lowering *l, tc_var *map, tc_span span) {
    tc_arena *a = l->arena;
    tc_stmt *s = tc_stmt_new(a, TC_S_IF, span);
    tc_expr *var = tc_var_ref(a, map);
    tc_expr *args[] = {tc_call(a, TC_OPC_ADDRESS_OF, TC_HANDLE, &var, 1),
                       tc_string(a, "")};
    s->value = tc_binary(a, TC_EQ, tc_var_ref(a, l->warp_in_cta), tc_int(a, 0));
    tc_stmt *e =
        tc_eval(a, tc_call(a, TC_OPC_PTX_PREFETCH_TENSORMAP, TC_VOID, args, 2));
    e->span = span;
    tc_block_add(&s->body, e);
    tc_block_add(&l->fetches, s);
}

static tc_tensor_map *find(const tc_lowered *o, const tc_tensor_map *m) {
    for (int i = 0; i < o->nmaps; i++) {
        if (same_map(o->maps[i], m)) {
            return o->maps[i];
        }
    }
    return NULL;
}

void tc_lower_map(tc_lowering *l, const tc_verdict *v, tc_span span) {
    tc_lowered *o = l->out;
    if (v->map == NULL) {
        return;
    }
    tc_tensor_map *m = find(o, v->map);
    if (m == NULL) {
        m = TC_NEW(l->arena, tc_tensor_map);
        *m = *v->map;
        m->var = TC_NEW(l->arena, tc_var);
        *m->var = *v->map->var;
        m->var->name = tc_names_take(l->arena, &l->names, v->map->var->name);
        TC_PUSH(l->arena, o->maps, o->nmaps, l->maps_cap, m);
    }
    tc_map_put(l->arena, &l->map, v->map->var, tc_var_ref(l->arena, m->var));
    if (v->prefetch_map && !m->prefetched) {
        m->prefetched = true;
        prefetch(l, m->var, span);
    }
}
