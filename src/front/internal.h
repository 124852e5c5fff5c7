/* internal.h - what the files of front/ share. */
#ifndef TC_FRONT_INTERNAL_H
#define TC_FRONT_INTERNAL_H

#include "front/value/value.h"

/* Things without a name yet: the statement under way may still name them. */
typedef struct tc_unnamed {
    tc_var *var;       /* or NULL */
    tc_buffer *buffer; /* or NULL */
    bool *named;       /* set when the program names it; or NULL */
} tc_unnamed;

/* A function body under construction. */
struct tc_body {
    tc_func *func;
    tc_block *block; /* where statements go now */
    int buffers_cap;
    int loops;       /* around the current statement */
    tc_env **closed; /* names of blocks that have ended */
    int nclosed, closed_cap;
    bool entered; /* T.device_entry() was seen */
    tc_unnamed *unnamed;
    int nunnamed, unnamed_cap;
    int nvars, nanonymous_buffers; /* default names given so far */
    tc_scope_id **ids;
    int nids, ids_cap;
    struct tc_over *overs; /* buffers declared over data of a pool's */
    int novers, overs_cap;
};

/* T.decl_buffer(..., data=of.data), of being a part of dynamic memory. */
typedef struct tc_over {
    tc_buffer *made, *of;
} tc_over;

/* --- expressions (eval.c, arith.c) ------------------------------------- */
bool tc_eval_node(tc_eval_ctx *e, const tc_node *n, tc_value *out);
bool tc_arith_binary(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                     const tc_value *b, tc_span span, tc_value *out);
bool tc_arith_unary(tc_eval_ctx *e, tc_token_op op, const tc_value *a,
                    tc_span span, tc_value *out);

/* --- calls (call.c) ---------------------------------------------------- */
typedef struct tc_arg {
    const char *name; /* NULL: positional */
    tc_value value;
    tc_span span;
} tc_arg;

typedef struct tc_args {
    const char *function; /* as written: for messages */
    tc_span span;         /* of the call */
    tc_arg *items;
    int n, npositional; /* positional ones come first */
} tc_args;

/* Binds arguments to parameters: names is "a,b,c"; the first `required` must be
 * given. out[i] is NULL where parameter i was not given. */
bool tc_bind_args(tc_eval_ctx *e, const tc_args *args, const char *names,
                  int required, const tc_arg **out);
bool tc_no_keywords(tc_eval_ctx *e, const tc_args *args);

typedef bool (*tc_builtin_fn)(tc_eval_ctx *e, const tc_args *args,
                              tc_value *out);
bool tc_call_value(tc_eval_ctx *e, const tc_value *callee, const tc_args *args,
                   tc_value *out);
bool tc_call_buffer_method(tc_eval_ctx *e, tc_buffer *b, const char *method,
                           tc_span method_span, const tc_args *args,
                           tc_value *out);

/* --- plain Python (python.h, python/) ------------------------------------ */
bool tc_comprehension(tc_eval_ctx *e, const tc_node *n, tc_value *out);
bool tc_fstring(tc_eval_ctx *e, const tc_node *n, tc_value *out);
bool tc_python_value(tc_eval_ctx *e, const tc_node *def, tc_value *out);
/* Calls a function, a class, or what a foreign module has. */
bool tc_python_call(tc_eval_ctx *e, const tc_value *callee, const tc_args *args,
                    tc_value *out);
/* v.name(...) where v is a string, a list, a number...: *known says whether
 * there is such a method. The caller binds what it changes: *changed. */
bool tc_python_method(tc_eval_ctx *e, tc_value *v, const char *name,
                      const tc_args *args, bool *known, bool *changed,
                      tc_value *out);
tc_value tc_value_foreign(tc_eval_ctx *e, const char *of, const char *name);
/* The items of what a for goes over; reports. */
bool tc_iterate(tc_eval_ctx *e, const tc_value *v, tc_span at,
                const tc_value **items, int *n);
/* target = value, as Python does it. */
bool tc_python_bind(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                    tc_span at);
/* Attribute of a class or an object of it, a data type, a function. */
bool tc_python_attr(tc_eval_ctx *e, const tc_value *v, const char *name,
                    tc_value *out);
/* @T.inline: its statements go into the body under way (body.c). */
bool tc_inline_body(tc_eval_ctx *e, const tc_node_list *stmts, tc_env *scope);
/* The arguments of a call, evaluated (eval.c). */
bool tc_eval_arguments(tc_eval_ctx *e, const tc_node *call, tc_args *args);

/* --- names (names.c) --------------------------------------------------- */
typedef enum tc_name_kind {
    TC_NAME_SPACE, /* T, T.ptx: has members */
    TC_NAME_CALL,  /* fn */
    TC_NAME_OP,    /* an intrinsic of ir/ops.def */
    TC_NAME_DTYPE, /* T.float16 */
    TC_NAME_AXIS,
    TC_NAME_LATER /* TVM has it; not built yet */
} tc_name_kind;

typedef struct tc_name {
    const char *dotted;
    tc_name_kind kind;
    tc_builtin_fn fn;
    bool body_only; /* means something only inside a prim_func */
} tc_name;

/* Looks a dotted name up; false when there is none. */
bool tc_name_find(const char *dotted, tc_name *out);
/* The value that a free-standing built-in name has; false: unknown. */
bool tc_builtin_value(tc_arena *a, const char *name, tc_value *out);
/* Member `name` of namespace `base`; reports. */
bool tc_front_member(tc_eval_ctx *e, const char *base, const char *name,
                     tc_span at, tc_value *out);
bool tc_front_import(tc_eval_ctx *e, const tc_node *n);
/* Nearest among the names in scope and the built-in ones, as a hint. */
const char *tc_nearest_name(tc_eval_ctx *e, const char *word,
                            const char *prefix);

/* --- functions of the tables ------------------------------------------- */
/* --- layouts (layouts.c) ----------------------------------------------- */
bool tc_spec_subscript(tc_eval_ctx *e, bool replica, const tc_node *n,
                       tc_value *out);
bool tc_spec_add(tc_eval_ctx *e, const tc_value *a, const tc_value *b,
                 tc_span span, tc_value *out);
/* Attribute or method `name` of a layout or an axis (layout_call.c). */
bool tc_layout_attr(tc_eval_ctx *e, const tc_value *v, const char *name,
                    tc_span at, tc_value *out);
bool tc_call_layout_method(tc_eval_ctx *e, const tc_value *v, const char *name,
                           tc_span at, const tc_args *args, tc_value *out);
bool tc_swizzle_mode_member(tc_eval_ctx *e, const char *name, tc_span at,
                            tc_value *out);
/* The bits of a data type, also of one that only layouts know. */
bool tc_want_bits(tc_eval_ctx *e, const tc_arg *arg, int *bits);

/* --- bodies (body.c, declare.c, region.c, intrinsic.c, copy.c) --------- */
bool tc_build_func(tc_eval_ctx *e, const tc_node *def, tc_func **out);
bool tc_run_body_block(tc_eval_ctx *e, const tc_node_list *stmts,
                       tc_block *into, bool new_scope);
tc_stmt *tc_emit_stmt(tc_eval_ctx *e, tc_stmt_kind kind, tc_span span);
void tc_declare(tc_eval_ctx *e, tc_buffer *b, bool is_view);
/* buffer.local(...): a thread's own elements of it (fragment.c). */
bool tc_buffer_local(tc_eval_ctx *e, tc_buffer *of, const tc_args *args,
                     tc_value *out);
/* layout.apply(...) of coordinates that the kernel computes. */
bool tc_apply_runtime(tc_eval_ctx *e, const tc_layout *l, const tc_args *args,
                      tc_value *out);
void tc_note_unnamed(tc_eval_ctx *e, tc_var *v, tc_buffer *b, bool *named);
tc_buffer *tc_new_buffer(tc_eval_ctx *e, tc_dtype type, tc_space space,
                         const int64_t *shape, int rank, tc_span span);
/* buffer.view("uint32"), not declared yet (view_type.c). */
bool tc_view_as(tc_eval_ctx *e, tc_buffer *of, const tc_arg *type, tc_span span,
                tc_buffer **out);
bool tc_need_body(tc_eval_ctx *e, const char *what, tc_span span);
/* Gives fresh variables and buffers in v the name. */
void tc_give_name(tc_eval_ctx *e, const char *name, const tc_value *v);

bool tc_infer_ids(tc_eval_ctx *e);
bool tc_buffer_subscript(tc_eval_ctx *e, tc_buffer *b, const tc_node *n,
                         tc_value *out);
bool tc_buffer_at(tc_eval_ctx *e, tc_buffer *b, const tc_value *index, int n,
                  tc_span span, tc_value *out);
bool tc_want_region(tc_eval_ctx *e, const tc_value *v, tc_span at,
                    const char *what, tc_region *out);
bool tc_store_to(tc_eval_ctx *e, const tc_node *target, const tc_value *value,
                 tc_span value_span);
bool tc_call_intrinsic(tc_eval_ctx *e, tc_op op, const tc_args *args,
                       tc_value *out);
/* T.ptx.tcgen05.* (tcgen05.c) */
bool tc_call_tcgen05(tc_eval_ctx *e, tc_op op, const tc_args *args,
                     tc_value *out);
/* Arguments of intrinsics: a pointer; one of n numbers. */
bool tc_want_pointer(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                     tc_expr **out);
bool tc_want_constant(tc_eval_ctx *e, const tc_arg *arg, const char *what,
                      const int *allowed, int n, tc_expr **out);
/* mbarriers, proxies, bulk copies within a cluster (barrier_ops.c) */
bool tc_is_barrier_op(tc_op op);
bool tc_call_barrier_op(tc_eval_ctx *e, tc_op op, const tc_args *args,
                        tc_value *out);
/* T.ptx.cp_async.bulk.wait_group (bulk.c) */
bool tc_call_bulk_wait(tc_eval_ctx *e, const tc_args *args, tc_value *out);
bool tc_call_copy(tc_eval_ctx *e, const char *dotted, const tc_args *args,
                  tc_value *out);

/* --- objects: pools and barriers (pool.c, mbarrier.c) ------------------ */
struct tc_object {
    tc_object_kind kind;
    tc_buffer *buf; /* a pool's storage, or a barrier's words */
    /* pools */
    bool owns; /* has its own storage, which commit() sizes */
    int64_t offset, max_offset;
    /* barriers */
    int64_t depth, phase_offset;
    tc_expr *leader; /* condition: who initialises them */
};
const char *tc_object_class(const tc_object *o); /* "SMEMPool", ... */
/* pool.alloc(...): args are those of alloc. */
bool tc_pool_alloc(tc_eval_ctx *e, tc_object *pool, const tc_args *args,
                   tc_value *out);
bool tc_call_object_method(tc_eval_ctx *e, tc_object *o, const char *method,
                           tc_span method_span, const tc_args *args,
                           tc_value *out);
bool tc_pool_method(tc_eval_ctx *e, tc_object *o, const char *method,
                    tc_span method_span, const tc_args *args, tc_value *out);
bool tc_barrier_method(tc_eval_ctx *e, tc_object *o, const char *method,
                       tc_span method_span, const tc_args *args, tc_value *out);
bool tc_object_attr(tc_eval_ctx *e, tc_object *o, const tc_node *n,
                    tc_value *out);
/* Notes about buffers of a pool that share bytes, when the body is known. */
void tc_note_shared_bytes(tc_eval_ctx *e);
/* for loops: the iterators that T.serial & co. describe. */
bool tc_body_for(tc_eval_ctx *e, const tc_node *n);

/* Declarations (declare.c) and values (scalars.c). */
#define TC_CALLS(CALL)                                                         \
    CALL("T.match_buffer", tc_call_match_buffer)                               \
    CALL("T.alloc_buffer", tc_call_alloc_buffer)                               \
    CALL("T.alloc_shared", tc_call_alloc_shared)                               \
    CALL("T.alloc_local", tc_call_alloc_local)                                 \
    CALL("T.alloc_tcgen05_ldst_frag", tc_call_tcgen05_frag)                    \
    CALL("T.decl_buffer", tc_call_decl_buffer)                                 \
    CALL("T.SMEMPool", tc_call_smem_pool)                                      \
    CALL("MBarrier", tc_call_mbarrier)                                         \
    CALL("TMABar", tc_call_tma_bar)                                            \
    CALL("T.ptx.map_shared_rank", tc_call_map_shared_rank)                     \
    CALL("T.device_entry", tc_call_device_entry)                               \
    CALL("T.cta_id", tc_call_cta_id)                                           \
    CALL("T.cta_id_in_cluster", tc_call_cta_id_in_cluster)                     \
    CALL("T.cluster_id", tc_call_cluster_id)                                   \
    CALL("T.warpgroup_id", tc_call_warpgroup_id)                               \
    CALL("T.warp_id", tc_call_warp_id)                                         \
    CALL("T.warp_id_in_wg", tc_call_warp_id_in_wg)                             \
    CALL("T.lane_id", tc_call_lane_id)                                         \
    CALL("T.thread_id", tc_call_thread_id)                                     \
    CALL("T.thread_id_in_wg", tc_call_thread_id_in_wg)                         \
    CALL("T.meta_var", tc_call_meta_var)                                       \
    CALL("T.min", tc_call_t_min)                                               \
    CALL("T.max", tc_call_t_max)                                               \
    CALL("T.cast", tc_call_cast)                                               \
    CALL("T.if_then_else", tc_call_if_then_else)                               \
    CALL("T.floordiv", tc_call_floordiv)                                       \
    CALL("T.floormod", tc_call_floormod)                                       \
    CALL("T.ceildiv", tc_call_ceildiv)                                         \
    CALL("T.shift_left", tc_call_shift_left)                                   \
    CALL("T.shift_right", tc_call_shift_right)                                 \
    CALL("T.bitwise_and", tc_call_bitwise_and)                                 \
    CALL("T.bitwise_or", tc_call_bitwise_or)                                   \
    CALL("T.bitwise_xor", tc_call_bitwise_xor)                                 \
    CALL("T.bitwise_not", tc_call_bitwise_not)                                 \
    CALL("T.address_of", tc_call_address_of)                                   \
    CALL("T.evaluate", tc_call_evaluate)                                       \
    CALL("T.buffer_store", tc_call_buffer_store)                               \
    CALL("T.serial", tc_call_loop)                                             \
    CALL("T.unroll", tc_call_loop)                                             \
    CALL("T.grid", tc_call_loop)                                               \
    CALL("TileLayout", tc_call_tile_layout)                                    \
    CALL("TileLayout.from_iters", tc_call_from_iters)                          \
    CALL("SwizzleLayout", tc_call_swizzle_layout)                              \
    CALL("ComposeLayout", tc_call_compose_layout)                              \
    CALL("Iter", tc_call_iter)                                                 \
    CALL("Axis.get", tc_call_axis_get)                                         \
    CALL("wg_local_layout", tc_call_wg_local_layout)                           \
    CALL("tmem_datapath_layout", tc_call_tmem_datapath_layout)                 \
    CALL("tcgen05_atom_layout", tc_call_tcgen05_atom_layout)                   \
    CALL("mma_atom_layout", tc_call_mma_atom_layout)                           \
    CALL("mma_atom_shape", tc_call_mma_atom_shape)                             \
    CALL("mma_shared_layout", tc_call_mma_shared_layout)                       \
    CALL("tma_atom_layout", tc_call_mma_atom_layout)                           \
    CALL("tma_atom_shape", tc_call_mma_atom_shape)                             \
    CALL("tma_shared_layout", tc_call_mma_shared_layout)                       \
    CALL("get_swizzle_mode_from_layout", tc_call_get_swizzle_mode)             \
    CALL("sf_smem_layout", tc_call_sf_smem_layout)                             \
    CALL("sf_tmem_layout", tc_call_sf_tmem_layout)                             \
    CALL("TileLayout.trainium", tc_call_trainium)                              \
    CALL("len", tc_call_len)                                                   \
    CALL("range", tc_call_range)                                               \
    CALL("slice", tc_call_slice)                                               \
    CALL("list", tc_call_list)                                                 \
    CALL("tuple", tc_call_tuple)                                               \
    CALL("int", tc_call_int)                                                   \
    CALL("float", tc_call_float)                                               \
    CALL("bool", tc_call_bool)                                                 \
    CALL("str", tc_call_str)                                                   \
    CALL("abs", tc_call_abs)                                                   \
    CALL("min", tc_call_min)                                                   \
    CALL("max", tc_call_max)                                                   \
    CALL("sum", tc_call_sum)                                                   \
    CALL("enumerate", tc_call_enumerate)                                       \
    CALL("zip", tc_call_zip)                                                   \
    CALL("dict", tc_call_dict)                                                 \
    CALL("print", tc_call_print)                                               \
    CALL("map", tc_call_map)                                                   \
    CALL("filter", tc_call_filter)                                             \
    CALL("sorted", tc_call_sorted)                                             \
    CALL("reversed", tc_call_reversed)                                         \
    CALL("any", tc_call_any)                                                   \
    CALL("all", tc_call_all)                                                   \
    CALL("isinstance", tc_call_isinstance)                                     \
    CALL("getattr", tc_call_getattr)                                           \
    CALL("hasattr", tc_call_hasattr)                                           \
    CALL("divmod", tc_call_divmod)                                             \
    CALL("round", tc_call_round)                                               \
    CALL("set", tc_call_set)                                                   \
    CALL("repr", tc_call_repr)                                                 \
    CALL("pow", tc_call_pow)
#define CALL(name, fn)                                                         \
    bool fn(tc_eval_ctx *e, const tc_args *args, tc_value *out);
TC_CALLS(CALL)
#undef CALL

#endif
