/* python.h - plain Python around kernels: functions, classes, loops, and what
 * belongs to modules that are not here (numpy, pytest, most of tvm).
 *
 * A value of such a module is FOREIGN: it has a name and nothing else. What is
 * computed with it is FOREIGN too; a condition of it decides nothing, and what
 * depends on it is passed over.
 *
 * Lists and dicts are values: what append or d[k] = v changes is seen by the
 * name that it was called by, not by another name of the same list. Exceptions
 * have no classes, and a class has no __init__. */
#ifndef TC_FRONT_PYTHON_H
#define TC_FRONT_PYTHON_H

#include "front/internal.h"

typedef enum tc_py_flow {
    TC_FLOW_ON,
    TC_FLOW_RETURN,
    TC_FLOW_BREAK,
    TC_FLOW_CONTINUE,
    TC_FLOW_SKIP /* pytest.skip(...) */
} tc_py_flow;

/* A def, a lambda or a class, and where its names are looked up. */
typedef struct tc_python {
    const tc_node *def;
    tc_env *scope;            /* NULL: the module's at the time of the call */
    const tc_value *defaults; /* def->nparams; of those that have one */
    bool inlined;             /* @T.inline */
    bool bound; /* of a class: its first parameter is the object */
} tc_python;

/* One def of a module, or of a class, that pytest would call. */
typedef struct tc_test_def {
    const char *class_name; /* or NULL */
    tc_value object;        /* of that class */
    const tc_node *def;
    tc_value function;
    const tc_node **marks; /* its parametrize(...), the lowest first */
    int nmarks;
} tc_test_def;

typedef struct tc_py {
    tc_py_flow flow;
    tc_value result;     /* of RETURN */
    const char *skipped; /* why */
    tc_func *last_func;
    int funcs;      /* made so far */
    int64_t steps;  /* statements since the last prim_func, or the beginning */
    bool testing;   /* a test function is called */
    bool after;     /* it has made its kernel: no failure is told */
    bool searching; /* whether it makes one at all: no failure is told */
    bool kernel_failed;
    tc_diags *loud, quiet; /* where failures go, and where they don't */
    tc_span passed;        /* the first statement passed over, if any */
    const char *passed_name;
    tc_test_def *tests;
    int ntests, tests_cap;
} tc_py;

enum {
    TC_MAX_STEPS = 2000000,   /* statements without a kernel */
    TC_MAX_STEPS_AFTER = 2000 /* of a test that has made its kernel */
};

/* --- python/statement.c --------------------------------------------------- */
/* The statements, until one fails or flow is not ON. last and has_value: of a
 * final expression; may be NULL. */
bool tc_python_block(tc_eval_ctx *e, const tc_node_list *stmts, tc_value *last,
                     bool *has_value);
/* Notes that a statement was passed over for what `name` is. */
void tc_python_passed(tc_eval_ctx *e, tc_span at, const char *name);

/* A built-in name of Python's that has no meaning here: Exception. */
bool tc_python_name(tc_eval_ctx *e, const char *name, tc_value *out);

/* --- python/function.c ---------------------------------------------------- */
/* A def that is no prim_func, a class. */
bool tc_python_define(tc_eval_ctx *e, const tc_node *n);
/* May out be called with the object before the arguments? */
bool tc_python_is_method(const tc_value *v);

/* --- python/foreign.c ----------------------------------------------------- */
/* Is it one that is computed all the same (math.prod)? */
bool tc_foreign_is_known(const char *dotted);
bool tc_call_foreign(tc_eval_ctx *e, const char *dotted, const tc_args *args,
                     tc_value *out);

/* --- python/method_call.c ------------------------------------------------- */
bool tc_plain_python(const tc_value *v);
bool tc_python_method_call(tc_eval_ctx *e, const tc_node *n, tc_value *base,
                           tc_value *out);
bool tc_foreign_call(tc_eval_ctx *e, const tc_node *n, const tc_value *callee,
                     tc_value *out);

/* --- python/sequence.c ---------------------------------------------------- */
bool tc_sequence_slice(tc_eval_ctx *e, const tc_value *base, const tc_value *s,
                       tc_span span, tc_value *out);
bool tc_sequence_index(tc_eval_ctx *e, const tc_value *base,
                       const tc_value *index, tc_span span, tc_value *out);

/* --- python/tests.c ------------------------------------------------------- */
/* Notes a def named test... of a module or a class. */
void tc_test_note(tc_eval_ctx *e, const tc_node *def, const tc_value *function,
                  const char *class_name);
/* Lists the cases of all tests and calls the one that is wanted. */
bool tc_tests_run(tc_eval_ctx *e, tc_tests *tests);

/* --- module.c ------------------------------------------------------------- */
/* True for a def with @T.prim_func; *failed after reporting. */
bool tc_is_prim_func(tc_eval_ctx *e, const tc_node *def, bool *failed);
bool tc_define_prim_func(tc_eval_ctx *e, const tc_node *def);

#endif
