/* region.c - subscripts of buffers: elements, regions, stores. */
#include "front/internal.h"

#include <string.h>

static const char *buffer_name(const tc_buffer *b) {
    return b->name != NULL ? b->name : "the buffer";
}

/* An index, or an end of a slice: an integer expression. */
static bool want_index(tc_eval_ctx *e, const tc_value *v, tc_span at,
                       tc_expr **out) {
    if (!tc_want_expr(e, v, at, "an index", out)) {
        return false;
    }
    tc_dtype_class c = tc_dtypes[(*out)->type].cls;
    return c == TC_CLASS_INT || c == TC_CLASS_UINT ||
           tc_front_fail(e, at, NULL, "an index must be an integer, not %s",
                         tc_dtypes[(*out)->type].name);
}

static bool check_point(tc_eval_ctx *e, const tc_buffer *b, int dim,
                        const tc_expr *x, tc_span at) {
    int64_t i;
    if (!tc_expr_const(x, &i) || (i >= 0 && i < b->shape[dim])) {
        return true;
    }
    return tc_front_fail(e, at, NULL,
                         "index %lld is outside of dimension %d of '%s', which "
                         "has %lld",
                         (long long)i, dim, buffer_name(b),
                         (long long)b->shape[dim]);
}

static bool rank_error(tc_eval_ctx *e, const tc_buffer *b, int n, tc_span at) {
    return tc_front_fail(e, at, NULL,
                         "'%s' has %d dimension%s, and this names %d",
                         buffer_name(b), b->rank, b->rank == 1 ? "" : "s", n);
}

bool tc_buffer_at(tc_eval_ctx *e, tc_buffer *b, const tc_value *index, int n,
                  tc_span span, tc_value *out) {
    if (n != b->rank) {
        return rank_error(e, b, n, span);
    }
    tc_expr **x = TC_NEWN(e->arena, tc_expr *, n);
    for (int i = 0; i < n; i++) {
        if (!want_index(e, &index[i], span, &x[i]) ||
            !check_point(e, b, i, x[i], span)) {
            return false;
        }
    }
    *out = tc_value_expr(tc_load(e->arena, b, x, n));
    out->expr->span = span;
    return true;
}

/* --- regions ----------------------------------------------------------- */

static bool check_range(tc_eval_ctx *e, const tc_buffer *b, int dim,
                        const tc_range *r, tc_span at) {
    int64_t min = 0;
    bool known = tc_expr_const(r->min, &min);
    if (r->extent < 1) {
        return tc_front_fail(e, at, NULL,
                             "dimension %d of the region holds nothing", dim);
    }
    if ((known && min < 0) || r->extent > b->shape[dim] ||
        (known && min > b->shape[dim] - r->extent)) {
        return tc_front_fail(e, at, NULL,
                             "the region takes %lld:%lld of dimension %d of "
                             "'%s', which has %lld",
                             (long long)min, (long long)(min + r->extent), dim,
                             buffer_name(b), (long long)b->shape[dim]);
    }
    return true;
}

static bool slice_range(tc_eval_ctx *e, const tc_buffer *b, int dim,
                        const tc_value *s, tc_span at, tc_range *out) {
    tc_expr *start = tc_int(e->arena, 0);
    tc_expr *stop = tc_int(e->arena, b->shape[dim]);
    int64_t step = 1;
    if ((s->items[0].kind != TC_V_NONE &&
         !want_index(e, &s->items[0], at, &start)) ||
        (s->items[1].kind != TC_V_NONE &&
         !want_index(e, &s->items[1], at, &stop)) ||
        (s->items[2].kind != TC_V_NONE &&
         !tc_want_int(e, &s->items[2], at, "the step", &step))) {
        return false;
    }
    if (step != 1) {
        return tc_front_fail(e, at, "take every element",
                             "a region with step %lld", (long long)step);
    }
    tc_expr *extent =
        tc_simplify(e->arena, tc_binary(e->arena, TC_SUB, stop, start));
    if (!tc_expr_const(extent, &out->extent)) {
        return tc_front_fail(e, at,
                             "bounds such as i * 16 : i * 16 + 16 have one",
                             "the region's extent in dimension %d is not "
                             "constant",
                             dim);
    }
    out->min = tc_simplify(e->arena, start);
    return true;
}

/* index: n values, of which at least one is a slice, or fewer than the rank. */
static bool make_region(tc_eval_ctx *e, tc_buffer *b, const tc_value *index,
                        int n, tc_span at, tc_region *out) {
    *out = (tc_region){.buffer = b, .span = at};
    out->range = TC_NEWN(e->arena, tc_range, b->rank);
    for (int i = 0; i < b->rank; i++) {
        tc_range *r = &out->range[i];
        if (i >= n) {
            *r = (tc_range){tc_int(e->arena, 0), b->shape[i]};
        } else if (index[i].kind == TC_V_SLICE) {
            if (!slice_range(e, b, i, &index[i], at, r)) {
                return false;
            }
        } else {
            if (!want_index(e, &index[i], at, &r->min) ||
                !check_point(e, b, i, r->min, at)) {
                return false;
            }
            r->min = tc_simplify(e->arena, r->min);
            r->extent = 1;
        }
        if (!check_range(e, b, i, r, at)) {
            return false;
        }
    }
    return true;
}

/* The indices as Python passes them: b[i, j], b[(i, j)] and b[t] alike. */
static bool index_values(tc_eval_ctx *e, const tc_node *n,
                         const tc_value **index, int *count) {
    tc_value key;
    if (n->items.n == 1 && n->items.items[0]->kind != TC_N_STAR) {
        if (!tc_eval_node(e, n->items.items[0], &key)) {
            return false;
        }
    } else {
        tc_node tuple = {
            .kind = TC_N_TUPLE, .span = n->span, .items = n->items};
        if (!tc_eval_node(e, &tuple, &key)) {
            return false;
        }
    }
    if (tc_value_is_sequence(&key)) {
        *index = key.items;
        *count = key.nitems;
        return true;
    }
    tc_value *one = TC_NEW(e->arena, tc_value);
    *one = key;
    *index = one;
    *count = 1;
    return true;
}

bool tc_buffer_subscript(tc_eval_ctx *e, tc_buffer *b, const tc_node *n,
                         tc_value *out) {
    const tc_value *index;
    int count;
    if (!index_values(e, n, &index, &count)) {
        return false;
    }
    if (count > b->rank) {
        return rank_error(e, b, count, n->span);
    }
    bool slices = count < b->rank;
    for (int i = 0; i < count; i++) {
        slices |= index[i].kind == TC_V_SLICE;
    }
    if (!slices) {
        return tc_buffer_at(e, b, index, count, n->span, out);
    }
    tc_region *r = TC_NEW(e->arena, tc_region);
    *out = (tc_value){.kind = TC_V_REGION, .region = r};
    return make_region(e, b, index, count, n->span, r);
}

bool tc_want_region(tc_eval_ctx *e, const tc_value *v, tc_span at,
                    const char *what, tc_region *out) {
    if (v->kind == TC_V_REGION) {
        *out = *v->region;
        out->span = at;
        return true;
    }
    if (v->kind == TC_V_BUFFER) {
        return make_region(e, v->buffer, NULL, 0, at, out);
    }
    bool element = v->kind == TC_V_EXPR && v->expr->kind == TC_E_LOAD;
    return tc_front_fail(e, at,
                         element
                             ? "a region of one element is written A[i : i + 1]"
                             : "write A[0:128, 0:32]",
                         "%s must be a region of a buffer, and this is %s",
                         what, element ? "one element" : tc_value_kind_text(v));
}

/* --- stores ------------------------------------------------------------ */

/* The value as the buffer's type. */
static bool stored_value(tc_eval_ctx *e, const tc_buffer *b, const tc_value *v,
                         tc_span at, tc_expr **out) {
    if (!tc_want_expr(e, v, at, "the stored value", out)) {
        return false;
    }
    if ((*out)->type == TC_HANDLE || (*out)->type == TC_VOID) {
        return tc_front_fail(e, at, NULL, "a %s buffer cannot hold %s",
                             tc_dtypes[b->type].name,
                             (*out)->type == TC_VOID ? "nothing" : "a pointer");
    }
    *out = tc_cast(e->arena, b->type, *out);
    return true;
}

bool tc_store_to(tc_eval_ctx *e, const tc_node *target, const tc_value *value,
                 tc_span span) {
    tc_value base, at;
    tc_expr *x;
    if (!tc_eval_node(e, target->a, &base)) {
        return false;
    }
    if (base.kind != TC_V_BUFFER) {
        return tc_front_fail(e, target->span, NULL, "%s cannot be stored to",
                             tc_value_kind_text(&base));
    }
    if (!tc_buffer_subscript(e, base.buffer, target, &at)) {
        return false;
    }
    if (at.kind != TC_V_EXPR) {
        return tc_front_fail(e, target->span,
                             "name one element, or use Tx.copy",
                             "a store to a whole region is not built");
    }
    if (!stored_value(e, base.buffer, value, span, &x)) {
        return false;
    }
    tc_stmt *s =
        tc_store(e->arena, base.buffer, at.expr->mem.index, at.expr->mem.n, x);
    s->span = span;
    tc_block_add(e->body->block, s);
    return true;
}
