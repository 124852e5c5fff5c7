/* value.h - values and the names of them, what a caller wants of a value, and
 * what TVM has: what all of front/ stands on, and calls nothing of it. */
#ifndef TC_FRONT_VALUE_VALUE_H
#define TC_FRONT_VALUE_VALUE_H

#include "front/front.h"

typedef struct tc_body tc_body; /* of a function (front/internal.h) */

typedef struct tc_eval_ctx {
    tc_front *front;
    tc_arena *arena;
    tc_env *env;
    tc_body *body; /* NULL at module level */
    int depth;
    tc_env *globals;      /* the module's */
    struct tc_py *python; /* what runs outside of kernels (front/python.h) */
} tc_eval_ctx;

enum {
    TC_MAX_DEPTH = 800,   /* of expressions and statements being evaluated */
    TC_MAX_ITEMS = 65536, /* of a tuple or list, and bytes of a string */
    TC_MAX_RANK = 16,
    TC_MAX_META_NODES = 512 /* of an expression that a name stands for */
};

/* --- diagnostics always return false ----------------------------------- */
bool tc_front_fail(tc_eval_ctx *e, tc_span span, const char *hint,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* "did you mean 'x'?" or NULL. */
const char *tc_did_you_mean(tc_eval_ctx *e, const char *word,
                            const char *const *names, int n);

/* Defined in e itself, not in a parent; or NULL (env.c). */
const tc_value *tc_env_own(const tc_env *e, const char *name);

/* --- values (value.c) -------------------------------------------------- */
tc_value tc_value_int(int64_t i);
tc_value tc_value_bool(bool b);
tc_value tc_value_float(double f);
tc_value tc_value_string(const char *s);
tc_value tc_value_none(void);
tc_value tc_value_items(tc_value_kind kind, const tc_value *items, int n);
tc_value tc_value_expr(tc_expr *x);
tc_value tc_value_layout(const tc_layout *l);
tc_value tc_value_axis(const tc_axis *axis);
tc_value tc_value_namespace(const char *dotted);
const char *tc_value_kind_text(const tc_value *v); /* "an integer", ... */
bool tc_value_is_number(const tc_value *v);        /* bool, int or float */
bool tc_value_is_sequence(const tc_value *v);      /* tuple or list */
bool tc_value_equal(const tc_value *a, const tc_value *b, int *budget);

/* --- conversions: report and return false (convert.c) ------------------ */
bool tc_want_int(tc_eval_ctx *e, const tc_value *v, tc_span at,
                 const char *what, int64_t *out);
bool tc_want_string(tc_eval_ctx *e, const tc_value *v, tc_span at,
                    const char *what, const char **out);
bool tc_want_bool(tc_eval_ctx *e, const tc_value *v, tc_span at,
                  const char *what, bool *out);
bool tc_want_dtype(tc_eval_ctx *e, const tc_value *v, tc_span at,
                   tc_dtype *out);
/* Positive extents: a tuple, a list or one integer. */
bool tc_want_shape(tc_eval_ctx *e, const tc_value *v, tc_span at,
                   const char *what, int64_t **shape, int *rank);
bool tc_want_layout(tc_eval_ctx *e, const tc_value *v, tc_span at,
                    const tc_layout **out);
bool tc_want_axis(tc_eval_ctx *e, const tc_value *v, tc_span at,
                  const tc_axis **out);
/* A run-time expression; constants become IR constants. */
bool tc_want_expr(tc_eval_ctx *e, const tc_value *v, tc_span at,
                  const char *what, tc_expr **out);
bool tc_can_be_expr(const tc_value *v);
/* A condition: booleans as they are, integers compared with 0. */
bool tc_want_condition(tc_eval_ctx *e, const tc_value *v, tc_span at,
                       tc_expr **out);
/* Truth as Python sees it; false when the value has none before run time. */
bool tc_truth_of(const tc_value *v, bool *out);

/* What TVM has: tvm_names.c. */
const char *const *tc_tvm_names(int *n);
bool tc_tvm_has(const char *dotted);

#endif
