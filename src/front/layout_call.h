/* layout_call.h - calls of the methods in layout_methods.def. */
#ifndef TC_FRONT_LAYOUT_CALL_H
#define TC_FRONT_LAYOUT_CALL_H

#include "front/internal.h"
#include "layout/algebra.h"

/* One call: the receiver, and the arguments by parameter (NULL: not given). */
typedef struct tc_method_call {
    tc_eval_ctx *e;
    tc_layout_ctx cx;
    const tc_layout *self;
    const tc_args *args;
    const tc_arg *b[3];
} tc_method_call;

/* Sets *out, or reports and returns false. */
typedef bool (*tc_layout_method)(tc_method_call *m, tc_value *out);

/* Another layout and two shapes (algebra.h). */
typedef tc_layout_result (*tc_layout_binary)(tc_layout_ctx *cx,
                                             const tc_layout *l,
                                             const tc_layout *other,
                                             const int64_t *shape1, int n1,
                                             const int64_t *shape2, int n2,
                                             const tc_layout **out);

/* The function of the layout method called `name`, or NULL. *names and
 * *required say what it takes, *binary is set for a LAYOUT_BINARY row (the
 * answer is then NULL). All method names stand in tc_layout_method_names. */
typedef struct tc_method_row {
    const char *name, *arguments;
    int required;
    tc_layout_method run;
    tc_layout_binary binary;
} tc_method_row;
extern const tc_method_row tc_layout_methods[];
extern const int tc_nlayout_methods;

/* Integers of a list or tuple; reports. */
bool tc_want_ints(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                  const int64_t **out, int *n);
/* What the algebra answered: a layout, None, or a refusal. */
bool tc_method_answer(tc_method_call *m, tc_layout_result r, const tc_layout *l,
                      tc_value *out);
/* Reports the context's message at the call. */
bool tc_method_refused(tc_method_call *m);

#endif
