/* sequence.c - elements and slices of strings, tuples and lists. */
#include "front/internal.h"
#include "front/python.h"

#include <string.h>

static int64_t clamp_index(const tc_value *v, int64_t missing, int64_t n) {
    if (v->kind == TC_V_NONE) {
        return missing;
    }
    int64_t i = v->i < 0 ? v->i + n : v->i;
    return i < 0 ? 0 : i > n ? n : i;
}

static bool stepped_slice(tc_eval_ctx *e, const tc_value *base,
                          const tc_value *s, int64_t step, tc_value *out) {
    int64_t n = base->nitems, at, end;
    if (step > 0) {
        at = clamp_index(&s->items[0], 0, n);
        end = clamp_index(&s->items[1], n, n);
    } else {
        at = s->items[0].kind == TC_V_NONE ? n - 1
                                           : clamp_index(&s->items[0], 0, n);
        at = at >= n ? n - 1 : at;
        end = s->items[1].kind == TC_V_NONE ? -1
                                            : clamp_index(&s->items[1], 0, n);
    }
    tc_value *items = NULL;
    int nitems = 0, cap = 0;
    while (step > 0 ? at < end : at > end) {
        TC_PUSH(e->arena, items, nitems, cap, base->items[at]);
        if (__builtin_add_overflow(at, step, &at)) {
            break;
        }
    }
    *out = tc_value_items(base->kind, items, nitems);
    return true;
}

bool tc_sequence_slice(tc_eval_ctx *e, const tc_value *base, const tc_value *s,
                       tc_span span, tc_value *out) {
    for (int i = 0; i < 3; i++) {
        tc_value_kind k = s->items[i].kind;
        if (k != TC_V_NONE && k != TC_V_INT && k != TC_V_BOOL) {
            return tc_front_fail(e, span, NULL,
                                 "the bounds of a slice must be integers");
        }
    }
    int64_t step = s->items[2].kind == TC_V_NONE ? 1 : s->items[2].i;
    bool string = base->kind == TC_V_STRING;
    int64_t n = string ? (int64_t)strlen(base->s) : base->nitems;
    if (step != 1) {
        return string || step == 0
                   ? tc_front_fail(e, span, NULL, "a slice with this step")
                   : stepped_slice(e, base, s, step, out);
    }
    int64_t from = clamp_index(&s->items[0], 0, n);
    int64_t to = clamp_index(&s->items[1], n, n);
    to = to < from ? from : to;
    if (string) {
        *out = tc_value_string(
            tc_strndup(e->arena, base->s + from, (size_t)(to - from)));
    } else {
        *out = tc_value_items(base->kind, base->items + from, (int)(to - from));
    }
    return true;
}

bool tc_sequence_index(tc_eval_ctx *e, const tc_value *base,
                       const tc_value *index, tc_span span, tc_value *out) {
    int64_t n =
        base->kind == TC_V_STRING ? (int64_t)strlen(base->s) : base->nitems;
    int64_t i;
    if (!tc_want_int(e, index, span, "the index", &i)) {
        return false;
    }
    if (i < -n || i >= n) {
        return tc_front_fail(e, span, NULL, "index %lld, but there are %lld",
                             (long long)i, (long long)n);
    }
    i += i < 0 ? n : 0;
    *out = base->kind == TC_V_STRING
               ? tc_value_string(tc_strndup(e->arena, base->s + i, 1))
               : base->items[i];
    return true;
}
