/* ptx.h - the PTX printer's own header.
 *
 * Values. 8-, 16- and 32-bit integers live in .b32 registers, sign- or
 * zero-extended to 32 bits as their type says; float16 and bfloat16 in .b16
 * registers, as bits; bool in predicates while it is computed, as 0 or 1 in
 * .b32 registers while a variable holds it. A pointer is an address within its
 * own state space (.b32 for shared, .b64 for global and local) wherever the
 * program fixes the space, else a generic address (.b64). */
#ifndef TC_EMIT_PTX_EMIT_H
#define TC_EMIT_PTX_EMIT_H

#include "base/buf.h"
#include "emit/emit.h"
#include "emit/facts.h"
#include "emit/names.h"

typedef enum tc_reg_class {
    TC_RC_PRED,
    TC_RC_B16,
    TC_RC_B32,
    TC_RC_B64,
    TC_RC_F32,
    TC_RC_F64,
    TC_RC_COUNT
} tc_reg_class;

typedef enum tc_val_kind {
    TC_VAL_NONE,
    TC_VAL_REG,
    TC_VAL_INT,
    TC_VAL_FLOAT,
    TC_VAL_SYMBOL
} tc_val_kind;

typedef struct tc_val {
    tc_val_kind kind;
    tc_dtype type;
    tc_reg_class rc;
    int reg;
    bool shared_reg; /* the register is a variable's and may change */
    int64_t i;       /* INT: value; pointers: bytes to add to the base */
    double f;
    const char *symbol; /* SYMBOL: a pointer to it, plus i */
    tc_buffer *array;   /* INT: byte i of a local array in registers; or NULL */
    tc_window window;   /* pointers */
} tc_val;

/* A register that tcgen05.ld fills, and the place that the program loads it
 * to: it goes there once the program has waited (ptx_tcgen05.c). */
typedef struct tc_loading {
    tc_val reg, to;
    const tc_buffer *root;
} tc_loading;

typedef struct tc_jumps { /* of the loops around: where break, continue go */
    int brk, cont;
} tc_jumps;

typedef struct tc_ptx_emit {
    tc_arena *arena;
    tc_diags *diags;
    const tc_lowered *lowered;
    tc_facts *facts;
    tc_emit_names names;
    tc_buf decl, head, body; /* .local; entry code; statements */
    tc_buf *out;             /* head or body */
    int nreg[TC_RC_COUNT];
    tc_val *vars;   /* by fact id: variables and scalar buffers */
    tc_val **elems; /* by fact id: registers of a local buffer */
    tc_val *bases;  /* by fact id: address of a buffer's first element */
    bool *declared; /* by fact id: .local storage exists */
    int cta_group;  /* of the tcgen05 instructions so far; 0: none */
    tc_loading *loading;
    int nloading, loading_cap;
    int nlabels;
    int64_t copies; /* of what is printed now, by loops written out */
    tc_jumps *jumps;
    int version, sm; /* least that the text needs: 70, 80 */
    tc_span span;    /* of the statement being printed */
    bool needs_a;    /* an instruction of the arch-specific targets alone */
    bool unplaced;   /* its .loc is still to be printed */
    bool failed;
} tc_ptx_emit;

typedef struct tc_ptx_emit *tc_pe;

/* --- text (ptx_text.c) -----------------------------------------------------*/

void tc_pe_ins(tc_pe e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* one instruction, no ';' */
void tc_pe_label(tc_pe e, int label);
void tc_pe_loc(tc_pe e); /* the .loc of what comes, where it is new */
void tc_pe_fail(tc_pe e, tc_span span, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void tc_pe_needs(tc_pe e, int version, int sm);
tc_reg_class tc_pe_class(tc_dtype t); /* of a value of type t */
tc_val tc_pe_reg(tc_pe e, tc_dtype t, tc_reg_class rc); /* a fresh one */
tc_val tc_pe_temp(tc_pe e, tc_dtype t); /* fresh, of the type's class */
tc_val tc_pe_int(tc_dtype t, int64_t value);
const char *tc_pe_text(tc_pe e, tc_val v); /* as an operand */
const char *tc_pe_num(tc_dtype t);         /* type suffix for arithmetic: s32 */
const char *tc_pe_bits(tc_dtype t);        /* b32 or b64 */
const char *tc_pe_mem(tc_dtype t);         /* of loads and stores */

/* --- expressions (ptx_expr.c) ----------------------------------------------*/

tc_val tc_pe_expr(tc_pe e, const tc_expr *x);
tc_val tc_pe_pred(tc_pe e, const tc_expr *x); /* always a predicate register */
tc_val tc_pe_in_reg(tc_pe e, tc_val v); /* no immediate, no displacement */
tc_val tc_pe_fixed(tc_pe e, tc_val v);  /* does not change any more */
void tc_pe_assign(tc_pe e, tc_val dst, tc_val v); /* dst is a register */
tc_val tc_pe_divmod(tc_pe e, const tc_expr *x);   /* ptx_div.c */

/* --- conversions (ptx_cast.c) ----------------------------------------------*/

tc_val tc_pe_cast(tc_pe e, tc_dtype to, tc_val v);
tc_val tc_pe_wrap(tc_pe e, tc_val v); /* a 32-bit result to its narrow type */
tc_val tc_pe_as_f32(tc_pe e, tc_val v);
tc_val tc_pe_from_f32(tc_pe e, tc_dtype to, tc_val v);
double tc_round_to(tc_dtype t, double x, uint64_t *bits); /* nearest even */

/* --- memory (ptx_access.c) -------------------------------------------------*/

tc_val tc_pe_load(tc_pe e, const tc_expr *x);
void tc_pe_store(tc_pe e, const tc_stmt *s);
tc_val tc_pe_addr(tc_pe e, tc_buffer *b, tc_expr *const *index, int n,
                  tc_span span);
tc_val tc_pe_offset(tc_pe e, tc_val ptr, tc_expr *index, int64_t bytes);
tc_val tc_pe_to_window(tc_pe e, tc_val ptr, tc_window w);
const char *tc_pe_address(tc_pe e, tc_val ptr); /* "[%rd1+16]" */
const char *tc_pe_space(tc_val ptr);            /* ".global", "" if generic */
void tc_pe_alloc(tc_pe e, tc_buffer *b);
/* The register or constant of a variable. */
tc_val tc_pe_var(tc_pe e, tc_var *v, tc_span span);

/* --- a thread's own array through pointers (ptx_local.c) -------------------*/

/* The 32 bits at ptr, and putting 32 bits there. */
tc_val tc_pe_get_word(tc_pe e, const tc_expr *ptr);
void tc_pe_put_word(tc_pe e, const tc_expr *ptr, tc_val word);
/* Copies bytes where one side is an array in registers; false: neither is. */
bool tc_pe_move(tc_pe e, tc_val dst, tc_val src, int64_t bytes);
/* The register of element i of b, made on first mention; NULL, reported, where
 * there is no such element. */
tc_val *tc_pe_element(tc_pe e, tc_buffer *b, int64_t i, tc_span span);

/* --- loads from tensor memory that are under way (ptx_tcgen05.c) -----------*/

/* Before an access to root, which comes too early where there are any. */
void tc_pe_settle(tc_pe e, const tc_buffer *root);
/* Before the text branches or joins: waits for them. */
void tc_pe_settle_all(tc_pe e);

/* --- intrinsics (ptx_intrin.c): one function a row of ops.def --------------*/

typedef tc_val tc_ptx_op_fn(tc_pe e, const tc_expr *call);
#define TC_OP(id, name, lo, hi, kw, sm, flags) tc_ptx_op_fn tc_ptx_op_##id;
#define TC_OP_PLANNED(id, name, sm)
#include "ir/ops.def"
tc_val tc_pe_call(tc_pe e, const tc_expr *call);

/* --- tensor maps (ptx_tensor.c) --------------------------------------------*/

/* T.address_of(map): false when it names no map. */
bool tc_pe_map_address(tc_pe e, const tc_expr *call, tc_val *out);
void tc_pe_map_params(tc_pe e, tc_buf *b);

#endif
