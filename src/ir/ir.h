/* ir.h - the program: what front/ builds, dispatch/ lowers and emit/ prints.
 *
 * One representation serves before and after lowering. Before, the body holds
 * tile copies (TC_S_COPY) and accesses with as many indices as the buffer has
 * dimensions. After (tc_lowered), it holds no copies, every access has one
 * index into the flat buffer, and all scope ids are lets over launch threads.
 * All nodes live in one arena; trees are not shared between programs. */
#ifndef TC_IR_IR_H
#define TC_IR_IR_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/lines.h"
#include "layout/layout.h"
#include <stdbool.h>
#include <stdint.h>

/* --- types -----------------------------------------------------------------*/

typedef enum tc_dtype_class {
    TC_CLASS_VOID,
    TC_CLASS_BOOL,
    TC_CLASS_INT,
    TC_CLASS_UINT,
    TC_CLASS_FLOAT,
    TC_CLASS_BFLOAT,
    TC_CLASS_FLOAT8,
    TC_CLASS_HANDLE
} tc_dtype_class;

typedef enum tc_dtype {
#define TC_DTYPE(id, name, bits, cls, cuda, ptx) TC_##id,
#include "ir/dtype.def"
    TC_DTYPE_COUNT
} tc_dtype;

typedef struct tc_dtype_info {
    const char *name;
    int bits; /* of one element; bool is stored in 8 */
    tc_dtype_class cls;
    const char *cuda, *ptx;
} tc_dtype_info;

extern const tc_dtype_info tc_dtypes[TC_DTYPE_COUNT];
bool tc_dtype_find(const char *name, tc_dtype *out);
int tc_dtype_bytes(tc_dtype t); /* of one element */

/* --- intrinsics ------------------------------------------------------------*/

enum {
    TC_OPF_ASYNC = 1,
    TC_OPF_SYNC = 2,
    TC_OPF_ADDRESS = 4,
    TC_OPF_INTERNAL = 8,
    TC_OPF_PLANNED = 16,
    TC_OPF_ARCH_A = 32
};

typedef enum tc_op {
#define TC_OP(id, name, lo, hi, kw, sm, flags) TC_OPC_##id,
#define TC_OP_PLANNED(id, name, sm)            TC_OPC_##id,
#include "ir/ops.def"
    TC_OPC_COUNT
} tc_op;

typedef struct tc_op_info {
    const char *name; /* as scripts write it: "T.ptx.cp_async" */
    int min_args, max_args;
    const char *keywords;
    int least_sm;
    unsigned flags;
    const char
        *tirx; /* TVM's own name, whole; NULL: as tc_op_tirx derives it */
} tc_op_info;

extern const tc_op_info tc_ops[TC_OPC_COUNT];
bool tc_op_find(const char *script_name, tc_op *out);
/* Adds TVM's name of the intrinsic: "tirx.ptx.cp_async". */
void tc_op_tirx(tc_buf *b, tc_op op);

/* --- variables, buffers ----------------------------------------------------*/

/* Where an immutable variable's value comes from. */
typedef enum tc_bind {
    TC_BIND_NONE, /* a loop variable, or a let */
    TC_BIND_BLOCK_X,
    TC_BIND_BLOCK_Y,
    TC_BIND_BLOCK_Z,
    TC_BIND_THREAD_X,
    TC_BIND_THREAD_Y,
    TC_BIND_THREAD_Z,
    TC_BIND_CLUSTER_CTA_X,
    TC_BIND_CLUSTER_CTA_Y,
    TC_BIND_CLUSTER_CTA_Z,
    TC_BIND_PARAM,     /* a scalar or handle parameter of the kernel */
    TC_BIND_TENSOR_MAP /* a tc_tensor_map, by value; only T.address_of takes it
                        */
} tc_bind;

typedef struct tc_expr tc_expr;
typedef struct tc_stmt tc_stmt;
typedef struct tc_buffer tc_buffer;

typedef struct tc_var {
    const char *name; /* unique in its function after lowering */
    tc_dtype type;
    tc_bind bind;
    int64_t lo, hi; /* known range [lo, hi), both 0 if unknown */
    tc_span span;
} tc_var;

typedef enum tc_space {
    TC_SPACE_GLOBAL,
    TC_SPACE_SHARED,
    TC_SPACE_SHARED_DYN,
    TC_SPACE_LOCAL,
    TC_SPACE_TMEM
} tc_space;
const char *tc_space_name(tc_space s); /* "global", "shared", "shared.dyn", */
bool tc_space_is_shared(tc_space s);   /* shared and shared.dyn */

struct tc_buffer {
    const char *name; /* unique in its function after lowering */
    tc_dtype type;
    tc_space space;
    int64_t *shape;
    int rank;
    const tc_layout *layout; /* NULL: flat (as after lowering) */
    tc_buffer *base;      /* a view (.view, decl_buffer over data): who owns the
                             storage; NULL: owns it */
    tc_expr *elem_offset; /* into base, in elements; NULL is 0 */
    tc_expr *allocated_addr; /* tensor memory */
    tc_var *param;           /* global: the handle parameter it is matched to */
    int64_t align;           /* bytes, 0: default */
    bool scalar;  /* a local of one element that a plain name denotes */
    bool unnamed; /* the program gave it no name */
    int64_t
        pool_bytes; /* shared.dyn: what its pool was committed to; 0: none */
    int64_t dyn_offset; /* after lowering, shared.dyn that owns its storage: its
                           first byte within the launch's dynamic memory */
    const tc_buffer *origin; /* after lowering: the program's own buffer */
    tc_span span;
};
int64_t tc_buffer_elements(const tc_buffer *b); /* product of shape */
/* Elements of storage: the layout's span where it has one. */
int64_t tc_buffer_storage(tc_arena *a, const tc_buffer *b);

/* --- expressions -----------------------------------------------------------*/

typedef enum tc_expr_kind {
    TC_E_INT,    /* i */
    TC_E_FLOAT,  /* f */
    TC_E_STRING, /* s */
    TC_E_VAR,    /* var */
    TC_E_UNARY,  /* op a */
    TC_E_BINARY, /* a op b */
    TC_E_SELECT, /* c ? a : b */
    TC_E_CAST,   /* type(a) */
    TC_E_LOAD,   /* buffer[index...] */
    TC_E_ADDR,   /* &buffer[index...]; type HANDLE */
    TC_E_CALL    /* op(args...) */
} tc_expr_kind;

typedef enum tc_binop { /* div and mod are floor, as in TVM */
                        TC_ADD,
                        TC_SUB,
                        TC_MUL,
                        TC_FLOORDIV,
                        TC_FLOORMOD,
                        TC_TRUEDIV,
                        TC_MIN,
                        TC_MAX,
                        TC_SHL,
                        TC_SHR,
                        TC_BITAND,
                        TC_BITOR,
                        TC_BITXOR,
                        TC_LT,
                        TC_LE,
                        TC_GT,
                        TC_GE,
                        TC_EQ,
                        TC_NE,
                        TC_AND,
                        TC_OR
} tc_binop;
typedef enum tc_unop { TC_NEG, TC_NOT, TC_BITNOT } tc_unop;

struct tc_expr {
    tc_expr_kind kind;
    tc_dtype type;
    tc_span span;
    union {
        int64_t i;
        double f;
        const char *s;
        tc_var *var;
        struct {
            tc_unop op;
            tc_expr *a;
        } un;
        struct {
            tc_binop op;
            tc_expr *a, *b;
        } bin;
        struct {
            tc_expr *c, *a, *b;
        } sel;
        struct {
            tc_expr *a;
        } cast;
        struct {
            tc_buffer *buffer;
            tc_expr **index;
            int n;
        } mem;
        struct {
            tc_op op;
            tc_expr **args;
            int n;
        } call;
    };
};

/* Builders (build.c). Binary ones fold constants and give the result type of
 * TVM: ints of equal kind widen; int with float gives float. */
tc_expr *tc_int(tc_arena *a, int64_t value); /* int32 */
tc_expr *tc_int_t(tc_arena *a, tc_dtype t, int64_t value);
tc_expr *tc_float_t(tc_arena *a, tc_dtype t, double value);
tc_expr *tc_string(tc_arena *a, const char *s);
tc_expr *tc_var_ref(tc_arena *a, tc_var *v);
tc_expr *tc_unary(tc_arena *a, tc_unop op, tc_expr *x);
tc_expr *tc_binary(tc_arena *a, tc_binop op, tc_expr *x, tc_expr *y);
tc_expr *tc_select(tc_arena *a, tc_expr *c, tc_expr *x, tc_expr *y);
tc_expr *tc_cast(tc_arena *a, tc_dtype t, tc_expr *x);
tc_expr *tc_load(tc_arena *a, tc_buffer *b, tc_expr **index, int n);
tc_expr *tc_addr(tc_arena *a, tc_buffer *b, tc_expr **index, int n);
tc_expr *tc_call(tc_arena *a, tc_op op, tc_dtype type, tc_expr **args, int n);
bool tc_expr_const(const tc_expr *e, int64_t *out); /* an integer constant */
/* Sum-of-products normal form over the integers with range-based floor div and
 * mod rules: f*1024 + tid*8 rather than ((f*128 + tid) * 8) // 32 * 32 ... */
tc_expr *tc_simplify(tc_arena *a, tc_expr *e);

/* --- statements ------------------------------------------------------------*/

typedef struct tc_block {
    tc_stmt *first, *last;
} tc_block;

typedef enum tc_stmt_kind {
    TC_S_EVAL,  /* value */
    TC_S_LET,   /* var = value, immutable */
    TC_S_STORE, /* buffer[index...] = value */
    TC_S_ALLOC, /* buffer comes into being: alloc, decl, view, match */
    TC_S_FOR,   /* for var in range(begin, begin + extent): body */
    TC_S_WHILE, /* while value: body */
    TC_S_IF,    /* if value: body else: orelse */
    TC_S_BREAK,
    TC_S_CONTINUE,
    TC_S_SCOPE_ID, /* T.cta_id([..]) and its kin, before lowering */
    TC_S_COPY,     /* a tile primitive, before lowering */
    TC_S_LAUNCH    /* var = launch_thread(name, extent), after lowering */
} tc_stmt_kind;

typedef enum tc_loop { TC_LOOP_SERIAL, TC_LOOP_UNROLL } tc_loop;

/* The scope ids that a program declares; axis names are those of layouts. */
typedef enum tc_scope_id_kind {
    TC_ID_CTA,
    TC_ID_CTA_IN_CLUSTER,
    TC_ID_CLUSTER,
    TC_ID_WARPGROUP,
    TC_ID_WARP,
    TC_ID_WARP_IN_WG,
    TC_ID_LANE,
    TC_ID_THREAD,
    TC_ID_THREAD_IN_WG
} tc_scope_id_kind;

typedef struct tc_scope_id {
    tc_scope_id_kind kind;
    int64_t extent[3];
    int n;          /* dimensions, 1 to 3 */
    tc_var *var[3]; /* the names bound; unnamed ones get v, v_1, ... */
    bool named[3];
} tc_scope_id;

typedef struct tc_range {
    tc_expr *min;   /* simplified; constant in most programs */
    int64_t extent; /* elements, constant */
} tc_range;

typedef struct tc_region {
    tc_buffer *buffer;
    tc_range *range; /* buffer->rank of them */
    tc_span span;
} tc_region;

typedef struct tc_config {
    const char *name; /* mbar, remote_cta_id, cta_group, ... */
    tc_expr *value;
    tc_span span;
} tc_config;

typedef enum tc_copy_op { TC_COPY, TC_COPY_ASYNC } tc_copy_op;

/* Tx[.scope].copy[_async](dst, src, dispatch=..., config...) */
typedef struct tc_copy {
    tc_copy_op op;
    tc_scope_level scope; /* thread, warp, warpgroup, cta */
    tc_region dst, src;
    const char *forced; /* dispatch="...", or NULL */
    tc_config *config;
    int nconfig;
} tc_copy;

struct tc_stmt {
    tc_stmt_kind kind;
    tc_span span; /* the learner's text; a lowered copy's parts carry its */
    tc_stmt *next;
    tc_expr *value;
    tc_var *var;
    tc_buffer *buffer;
    tc_expr **index;
    int nindex;
    tc_expr *begin, *extent; /* FOR */
    tc_loop loop;
    tc_block body, orelse;
    tc_scope_id *id;
    tc_copy *copy;
    bool is_view; /* ALLOC: prints as a view or declaration, owns nothing */
};

tc_stmt *tc_stmt_new(tc_arena *a, tc_stmt_kind kind, tc_span span);
void tc_block_add(tc_block *b, tc_stmt *s);
tc_stmt *tc_eval(tc_arena *a, tc_expr *e);
tc_stmt *tc_store(tc_arena *a, tc_buffer *b, tc_expr **index, int n,
                  tc_expr *value);

/* --- functions -------------------------------------------------------------*/

typedef struct tc_func {
    const char *name;
    tc_var **params; /* in order; handles, or scalars */
    int nparams;
    tc_buffer **buffers; /* every buffer, in order of appearance */
    int nbuffers;
    tc_block body;
    const tc_source *source;
    tc_span span; /* the def line */
} tc_func;

enum { TC_TENSOR_DIMS = 5 };

/* A tensor map: what cuTensorMapEncodeTiled takes. The host encodes it, and it
 * is a 128-byte parameter of the kernel, after func->params. Dimensions run
 * innermost first, as in the driver's call. */
typedef struct tc_tensor_map {
    tc_var *var;             /* its parameter, bind TC_BIND_TENSOR_MAP */
    const tc_buffer *buffer; /* global memory, from its first byte on */
    tc_dtype type;           /* may be wider than the buffer's */
    int rank;
    int64_t shape[TC_TENSOR_DIMS];  /* elements of type */
    int64_t stride[TC_TENSOR_DIMS]; /* bytes; [0] is the element's size and not
                                       passed */
    int64_t box[TC_TENSOR_DIMS];
    int64_t element_stride[TC_TENSOR_DIMS];
    int interleave, swizzle, l2_promotion, oob_fill; /* the driver's enums */
    bool prefetched; /* at the kernel's beginning */
} tc_tensor_map;

/* A program ready to print. Geometry is in CTAs and threads. */
typedef struct tc_lowered {
    tc_func *func;
    int64_t grid[3], block[3], cluster[3];
    int least_sm;        /* of the intrinsics in it: 80, 90, 100 */
    tc_buffer **globals; /* kernel parameters' buffers, in order */
    int nglobals;
    tc_buffer **shared; /* static shared buffers, each a PTX symbol */
    int nshared;
    tc_buffer **dynamic; /* shared.dyn buffers that own storage: parts of one
                            dynamic array */
    int ndynamic;
    int64_t dynamic_shared; /* bytes of it, for the launch */
    int64_t dynamic_align;
    tc_tensor_map **maps; /* in order of first use */
    int nmaps;
} tc_lowered;

/* Prints in TVM's own syntax: the text that LowerTIRx(...).script() gives, and
 * notes in lines, unless NULL, which line of the program a statement is from. */
void tc_ir_print(tc_buf *b, const tc_lowered *l, tc_lines *lines);
void tc_ir_print_expr(tc_buf *b, const tc_expr *e);

/* Checks what the printers and emitters rely on (types, one index an access
 * after lowering, variables defined before use). Reports and returns false. */
bool tc_ir_verify(const tc_lowered *l, tc_diags *diags);

#endif
