/* lower_hoist.c - statements that lowerings want beside a buffer's declaration
 * (TVM: DispatchContext.add_post_buffer_def_stmt and its cache). */
#include "dispatch/lower.h"

#include <string.h>

static const tc_hoisted *hoisted_by(const tc_lowering *l, int i,
                                    const tc_buffer *after) {
    const tc_verdict *v = l->decisions->items[i].chosen;
    return v != NULL && v->outcome == TC_ACCEPT && v->hoisted != NULL &&
                   v->hoisted->after == after
               ? v->hoisted
               : NULL;
}

/* The first of those with h's key. */
static const tc_hoisted *first_of(const tc_lowering *l, const tc_hoisted *h) {
    for (int i = 0; i < l->decisions->n; i++) {
        const tc_hoisted *other = hoisted_by(l, i, h->after);
        if (other != NULL && strcmp(other->key, h->key) == 0) {
            return other;
        }
    }
    return h;
}

void tc_lower_hoisted(tc_lowering *l, const tc_buffer *after, tc_block *out) {
    for (int i = 0; i < l->decisions->n && !l->failed; i++) {
        const tc_hoisted *h = hoisted_by(l, i, after);
        const tc_hoisted *first = h != NULL ? first_of(l, h) : NULL;
        if (h == NULL) {
            continue;
        }
        if (first == h) {
            tc_lower_block(l, &h->block, out);
        } else {
            tc_map_put(l->arena, &l->map, h->made,
                       tc_lower_buffer(l, first->made));
        }
    }
}
