/* convert.c - taking a value for what a place wants, or saying why not. */
#include "front/value/value.h"

#include <string.h>

bool tc_front_fail(tc_eval_ctx *e, tc_span span, const char *hint,
                   const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *message = tc_vformat(e->arena, fmt, ap);
    va_end(ap);
    tc_error(e->front->diags, span, hint, "%s", message);
    return false;
}

const char *tc_did_you_mean(tc_eval_ctx *e, const char *word,
                            const char *const *names, int n) {
    const char *best = tc_diag_nearest(word, names, n);
    return best != NULL ? tc_format(e->arena, "did you mean '%s'?", best)
                        : NULL;
}

bool tc_want_int(tc_eval_ctx *e, const tc_value *v, tc_span at,
                 const char *what, int64_t *out) {
    if (v->kind == TC_V_INT || v->kind == TC_V_BOOL) {
        *out = v->i;
        return true;
    }
    if (v->kind == TC_V_EXPR && tc_expr_const(v->expr, out)) {
        return true;
    }
    return tc_front_fail(
        e, at,
        v->kind == TC_V_EXPR ? "its value is only known when the kernel runs"
                             : NULL,
        "%s must be an integer, and this is %s", what, tc_value_kind_text(v));
}

bool tc_want_string(tc_eval_ctx *e, const tc_value *v, tc_span at,
                    const char *what, const char **out) {
    if (v->kind == TC_V_STRING) {
        *out = v->s;
        return true;
    }
    return tc_front_fail(e, at, NULL, "%s must be a string, and this is %s",
                         what, tc_value_kind_text(v));
}

bool tc_want_bool(tc_eval_ctx *e, const tc_value *v, tc_span at,
                  const char *what, bool *out) {
    if (v->kind == TC_V_BOOL || v->kind == TC_V_INT) {
        *out = v->i != 0;
        return true;
    }
    return tc_front_fail(e, at, NULL,
                         "%s must be True or False, and this is %s", what,
                         tc_value_kind_text(v));
}

bool tc_want_dtype(tc_eval_ctx *e, const tc_value *v, tc_span at,
                   tc_dtype *out) {
    if (v->kind == TC_V_DTYPE) {
        *out = v->dtype;
        return true;
    }
    const char *names[TC_DTYPE_COUNT], *name = "";
    if (!tc_want_string(e, v, at, "the data type", &name)) {
        return false;
    }
    if (tc_dtype_find(name, out) && *out != TC_VOID) {
        return true;
    }
    for (int i = 0; i < TC_DTYPE_COUNT; i++) {
        names[i] = tc_dtypes[i].name;
    }
    return tc_front_fail(e, at, tc_did_you_mean(e, name, names, TC_DTYPE_COUNT),
                         "'%s' is no data type that is built", name);
}

static bool want_extent(tc_eval_ctx *e, const tc_value *v, tc_span at,
                        const char *what, int64_t *out) {
    if (!tc_want_int(e, v, at, what, out)) {
        return false;
    }
    if (*out < 1) {
        return tc_front_fail(e, at, NULL, "%s is %lld: it must be at least 1",
                             what, (long long)*out);
    }
    return true;
}

bool tc_want_shape(tc_eval_ctx *e, const tc_value *v, tc_span at,
                   const char *what, int64_t **shape, int *rank) {
    enum { MOST_ELEMENTS = INT32_MAX }; /* TVM's indices are int32 */
    const tc_value *items = tc_value_is_sequence(v) ? v->items : v;
    int64_t total = 1;
    *rank = tc_value_is_sequence(v) ? v->nitems : 1;
    if (*rank == 0 || *rank > TC_MAX_RANK) {
        return tc_front_fail(e, at, NULL,
                             "%s has %d dimensions: 1 to %d can be", what,
                             *rank, TC_MAX_RANK);
    }
    *shape = TC_NEWN(e->arena, int64_t, *rank);
    for (int i = 0; i < *rank; i++) {
        const char *entry = tc_format(e->arena, "%s, entry %d,", what, i);
        if (!want_extent(e, &items[i], at, entry, &(*shape)[i])) {
            return false;
        }
        if (__builtin_mul_overflow(total, (*shape)[i], &total) ||
            total > MOST_ELEMENTS) {
            return tc_front_fail(e, at, NULL,
                                 "%s has more than 2^31 - 1 elements", what);
        }
    }
    return true;
}

bool tc_want_layout(tc_eval_ctx *e, const tc_value *v, tc_span at,
                    const tc_layout **out) {
    if (v->kind == TC_V_LAYOUT) {
        *out = v->layout;
        return true;
    }
    return tc_front_fail(
        e, at, v->kind == TC_V_SPEC ? "wrap it: TileLayout(S[...])" : NULL,
        "a layout is needed, and this is %s", tc_value_kind_text(v));
}

bool tc_want_axis(tc_eval_ctx *e, const tc_value *v, tc_span at,
                  const tc_axis **out) {
    if (v->kind == TC_V_AXIS) {
        *out = v->axis;
        return true;
    }
    if (v->kind == TC_V_STRING) {
        *out = tc_axis_get(e->arena, v->s);
        return true;
    }
    return tc_front_fail(e, at, NULL, "an axis is needed, and this is %s",
                         tc_value_kind_text(v));
}

bool tc_can_be_expr(const tc_value *v) {
    return tc_value_is_number(v) || v->kind == TC_V_EXPR ||
           (v->kind == TC_V_BUFFER && v->buffer->scalar);
}

static tc_expr *scalar_load(tc_eval_ctx *e, tc_buffer *b) {
    tc_expr *zero = tc_int(e->arena, 0);
    return tc_load(e->arena, b, &zero, 1);
}

bool tc_want_expr(tc_eval_ctx *e, const tc_value *v, tc_span at,
                  const char *what, tc_expr **out) {
    tc_arena *a = e->arena;
    if (v->kind == TC_V_EXPR) {
        *out = v->expr;
        return true;
    }
    if (v->kind == TC_V_INT) {
        bool narrow = v->i >= INT32_MIN && v->i <= INT32_MAX;
        *out = tc_int_t(a, narrow ? TC_INT32 : TC_INT64, v->i);
    } else if (v->kind == TC_V_BOOL) {
        *out = tc_int_t(a, TC_BOOL, v->i);
    } else if (v->kind == TC_V_FLOAT) {
        *out = tc_float_t(a, TC_FLOAT32, v->f);
    } else if (v->kind == TC_V_STRING) {
        *out = tc_string(a, v->s);
    } else if (v->kind == TC_V_BUFFER && v->buffer->scalar) {
        *out = scalar_load(e, v->buffer);
    } else {
        return tc_front_fail(
            e, at,
            v->kind == TC_V_BUFFER ? "name an element: buffer[i, j]" : NULL,
            "%s must be a value that the kernel can compute "
            "with, and this is %s",
            what, tc_value_kind_text(v));
    }
    (*out)->span = at;
    return true;
}

bool tc_truth_of(const tc_value *v, bool *out) {
    switch (v->kind) {
    case TC_V_NONE:
        *out = false;
        return true;
    case TC_V_BOOL:
    case TC_V_INT:
        *out = v->i != 0;
        return true;
    case TC_V_FLOAT:
        *out = v->f != 0;
        return true;
    case TC_V_STRING:
        *out = v->s[0] != '\0';
        return true;
    case TC_V_TUPLE:
    case TC_V_LIST:
    case TC_V_DICT:
        *out = v->nitems > 0;
        return true;
    case TC_V_EXPR:
    case TC_V_BUFFER:
    case TC_V_REGION:
    case TC_V_FOREIGN:
        return false;
    default:
        *out = true;
        return true;
    }
}

bool tc_want_condition(tc_eval_ctx *e, const tc_value *v, tc_span at,
                       tc_expr **out) {
    if (!tc_want_expr(e, v, at, "the condition", out)) {
        return false;
    }
    tc_dtype_class c = tc_dtypes[(*out)->type].cls;
    if (c == TC_CLASS_BOOL) {
        return true;
    }
    if (c != TC_CLASS_INT && c != TC_CLASS_UINT) {
        return tc_front_fail(e, at, "compare it with something",
                             "the condition is %s, neither true nor false",
                             tc_dtypes[(*out)->type].name);
    }
    tc_expr *zero = tc_int_t(e->arena, (*out)->type, 0);
    *out = tc_binary(e->arena, TC_NE, *out, zero);
    return true;
}
