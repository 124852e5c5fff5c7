/* front.h - from syntax to programs: names, values, and the function body.
 *
 * Module-level statements are evaluated the way Python would (integers, tuples,
 * strings, slices, layouts); the body of a @T.prim_func becomes IR. */
#ifndef TC_FRONT_FRONT_H
#define TC_FRONT_FRONT_H

#include "base/arena.h"
#include "base/diag.h"
#include "ir/ir.h"
#include "lang/ast.h"
#include "layout/layout.h"

typedef enum tc_value_kind {
    TC_V_NONE,
    TC_V_BOOL,         /* i */
    TC_V_INT,          /* i */
    TC_V_FLOAT,        /* f */
    TC_V_STRING,       /* s */
    TC_V_TUPLE,        /* items */
    TC_V_LIST,         /* items */
    TC_V_DICT,         /* items: key, value, key, value ... */
    TC_V_SLICE,        /* items[3]: start, stop, step */
    TC_V_DTYPE,        /* dtype: T.float16 */
    TC_V_AXIS,         /* axis: laneid, Axis.laneid */
    TC_V_SPEC,         /* layout: S[..] + R[..] + offset, before TileLayout() */
    TC_V_STRIDED,      /* i @ axis: 4 @ laneid */
    TC_V_ITER,         /* iter: Iter(8, 1, "m") */
    TC_V_LAYOUT,       /* layout */
    TC_V_SWIZZLE_MODE, /* i and its name s: SwizzleMode.SWIZZLE_32B_ATOM */
    TC_V_NAMESPACE,    /* s, a dotted name: T, T.ptx.cp_async, Tx.cta */
    TC_V_FUNC,         /* func: a prim_func */
    TC_V_BUFFER,       /* buffer: inside a body */
    TC_V_REGION,       /* region: inside a body */
    TC_V_EXPR,         /* expr: inside a body, not constant */
    TC_V_OBJECT,       /* object, and its buffer: a pool or a barrier */
    TC_V_PYTHON,       /* python: a function of plain Python, or a lambda */
    TC_V_CLASS,        /* python: a class, or an object of it */
    TC_V_FOREIGN,      /* s: what a module has that is not here: numpy.zeros */
    TC_V_CASE          /* pytest.param(items, id=s), s may be NULL */
} tc_value_kind;

typedef enum tc_object_kind {
    TC_O_SMEM_POOL,
    TC_O_MBARRIER,
    TC_O_TMA_BAR
} tc_object_kind;
typedef struct tc_object tc_object; /* changes as its methods are called */

typedef struct tc_value tc_value;
struct tc_value {
    tc_value_kind kind;
    int64_t i;
    double f;
    const char *s;
    const tc_value *items;
    int nitems;
    tc_dtype dtype;
    const tc_axis *axis;
    const tc_layout *layout;
    tc_iter iter;
    tc_func *func;
    tc_buffer *buffer;
    const tc_region *region;
    tc_expr *expr;
    tc_object *object;
    const struct tc_python *python;
    bool shard_given, replica_given; /* SPEC */
    bool meta; /* of T.meta_var: a name for it, not a new scalar */
};

/* Module-level names. Copy-on-write: evaluating into a child leaves the parent
 * as it was, which is how a failed statement loses nothing. */
typedef struct tc_env tc_env;

tc_env *tc_env_new(tc_arena *a); /* with the usual imports */
tc_env *tc_env_child(tc_arena *a, const tc_env *parent);
const tc_value *tc_env_get(const tc_env *e, const char *name);   /* or NULL */
void tc_env_set(tc_env *e, const char *name, const tc_value *v); /* copies */
/* Gives a parent what its child defined, so that chains stay short. What the
 * values point to must live as long as tc_env_needed(child), and so must the
 * child. into has no parent; keeper is the caller's. */
void tc_env_merge(tc_env *into, tc_env *child, void *keeper);
/* The keeper of a merged child that was needed and no longer is, each once;
 * or NULL. */
void *tc_env_take_idle(tc_env *into);
/* Before a child of e is evaluated that may be merged: what others read since
 * the last merge led to nothing that lasts. */
void tc_env_forget_reads(tc_env *e);
/* Does some name still have a value of the merged child, or does a child that
 * was merged later, and not yet released, hold one or part of one? */
bool tc_env_needed(const tc_env *child);
/* The memory of a merged child that is not needed will be freed. */
void tc_env_release(tc_env *child);
/* Calls fn for each name the learner defined (not the imports), newest
 * definition only. */
void tc_env_each(const tc_env *e,
                 void (*fn)(void *user, const char *name, const tc_value *v),
                 void *user);

/* One call of a test function, as pytest names it: test_copy[float16-32]. */
typedef struct tc_test_case {
    const char *name;
    bool first; /* of its function */
} tc_test_case;

/* The tests of a file, and which of their calls made the program. */
typedef struct tc_tests {
    const char *wanted; /* a name, the name of a test function, or the beginning
                           of one; NULL: the first that makes a program */
    tc_test_case *items;
    int n, cap;
    bool kept;  /* wanted was chosen earlier: it may be gone */
    int chosen; /* -1: none was called */
} tc_tests;

/* What evaluation works with. target_cuda: see tc_layout_ctx. */
typedef struct tc_front {
    tc_arena *arena;
    tc_diags *diags;
    bool target_cuda;
    tc_tests *tests; /* of a file: test functions are called; else NULL */
} tc_front;

/* Must the tree live as long as what it defines? So it is where functions of
 * plain Python are. */
bool tc_front_keeps_tree(const tc_source *src);

/* Evaluates statements into env. *last_expr (may be NULL) gets the value of a
 * final expression statement, else kind NONE with *has_value false.
 * *last_func gets the last prim_func defined, or NULL. Returns false after
 * reporting; env is then to be thrown away. */
bool tc_front_run(tc_front *f, tc_env *env, const tc_node_list *stmts,
                  tc_value *last_value, bool *has_value, tc_func **last_func);

/* Evaluates one expression. */
bool tc_front_eval(tc_front *f, tc_env *env, const tc_node *expr,
                   tc_value *out);

/* As Python's repr: (128, 32), 'float16', TileLayout(...). */
void tc_value_print(tc_buf *b, const tc_value *v);

/* All names that may follow a dot after `prefix` ("T.ptx", "Tx"), or that stand
 * alone (prefix ""): for completion and "did you mean". Calls fn for each. */
void tc_front_names(const char *prefix,
                    void (*fn)(void *user, const char *name), void *user);

/* Attributes and methods of a layout or an axis. */
void tc_layout_members(const tc_value *v,
                       void (*fn)(void *user, const char *name), void *user);

#endif
