/* fast.h - the second, fast road for common ops.
 *
 * When a launch makes its code table, each op that one of the handlers below
 * can do becomes a tc_fast entry: rows of registers as offsets, constants as
 * rows of their own. Everything else stays on the general road, tc_code.fn.
 * The handlers are compiled once for each instruction set, and one table of
 * them is chosen at the start. */
#ifndef TC_SIM_FAST_H
#define TC_SIM_FAST_H

#include "sim/core/internal.h"

/* Signatures: which rows a handler reads and writes. D is the destination;
 * 4 and 8 are rows of 32 words of that many bytes. */
typedef enum tc_fast_id {
    TC_FAST_NONE,
#define TC_FAST(kind, id, ...) TC_FAST_##id,
#include "sim/fast/ops.def"
    TC_FAST_COUNT
} tc_fast_id;

typedef enum tc_fast_kind {
    TC_FAST_T32,   /* d4 a4 b4 c4 */
    TC_FAST_T64,   /* d8 a8 b8 c8 */
    TC_FAST_WU64,  /* d8 a4 b4 c8: a and b zero-extended */
    TC_FAST_WS64,  /* the same, sign-extended */
    TC_FAST_N32,   /* d4 a8 b8 c8: the result's low word */
    TC_FAST_HU32,  /* d4 a4 b4 c4, computed in 64 bits, zero-extended */
    TC_FAST_HS32,  /* the same, sign-extended */
    TC_FAST_S64,   /* d8 a8 b4 */
    TC_FAST_P32,   /* predicate d (and q), a4 b4 */
    TC_FAST_P64,   /* predicate d (and q), a8 b8 */
    TC_FAST_SEL32, /* d4 a4 b4, by predicate p */
    TC_FAST_SEL64, /* d8 a8 b8, by predicate p */
    TC_FAST_OTHER  /* see the handler */
} tc_fast_kind;

typedef struct tc_fast tc_fast;
/* Runs an entry for the lanes of mask; returns the entry that follows, or the
 * end of all entries when the op left the straight line (a fault). */
typedef tc_fast *tc_fast_fn(tc_warp *w, tc_fast *x, uint32_t mask);

struct tc_fast {
    tc_fast_fn *fn[2]; /* for all living lanes; for some of them */
    uint64_t a, b, c;  /* source rows: offsets in the warp's file, or (m 0)
                          addresses of constant rows */
    uint32_t d;        /* offset of the destination row; predicate slot */
    int8_t ma, mb, mc; /* all ones: a, b, c are offsets */
    uint8_t space;     /* of an access: tc_ptx_space */
    uint64_t imm;      /* displacement; or what the handler says */
    tc_sim_allocation *recent; /* of an access: the last allocation hit */
    tc_fast_fn *inner[2];      /* under a guard: what it guards */
    int32_t guard;             /* predicate slot */
    uint32_t flip;             /* all ones for @!p */
    int32_t q, p;              /* second destination, source predicate, -1 */
    uint32_t neg;              /* all ones: p is negated */
    uint32_t at;               /* index of the op in the module's code */
    uint32_t e[3];             /* further rows of a vector */
    uint32_t sub;              /* TC_BOOL_* of a comparison; of an access 1:
                                  its base has 32 bits */
    uint8_t kind;              /* tc_fast_kind */
};

typedef struct tc_fast_table {
    const char *name;
    tc_fast_fn *fn[TC_FAST_COUNT][2];
    tc_fast_fn *guarded;
} tc_fast_table;

/* One a source file; NULL where the compiler was not told to make it. */
const tc_fast_table *tc_fast_plain(void);
const tc_fast_table *tc_fast_avx2(void);
const tc_fast_table *tc_fast_avx512(void);
/* The best that this processor has; name (of the three) or NULL. NULL where
 * there is no such one. */
const tc_fast_table *tc_fast_choose(const char *name);

/* Constant rows of a launch, equal ones once. */
typedef struct tc_fast_row {
    struct tc_fast_row *next;
    uint64_t key;
    uint8_t kind; /* 4, 8, or 16 + a special register */
    uint32_t *row;
} tc_fast_row;

/* regalloc.c: rows that the registers of the launched kernel have, by slot.
 * Those that are never needed at the same time share one. of32 NULL: each has
 * its own. */
typedef struct tc_fast_rows {
    uint32_t *of32, *of64;
    uint32_t n32, n64;
} tc_fast_rows;

/* What a launch keeps for the fast road. */
typedef struct tc_fast_code {
    const tc_fast_table *table;
    tc_fast *entries, *end;
    uint32_t (*tid)[3][TC_LANES]; /* %tid of each warp of a CTA */
    tc_fast_row *rows[256];
    uint32_t nrows;
    /* The function's registers: 32-bit file, 64-bit, predicates. */
    const tc_ptx_func *func; /* of the fields below */
    uint8_t *reg;            /* TC_REG_* */
    uint64_t *value;         /* of a constant one */
    tc_fast_rows rows_of;
    /* Registers of the launched kernel that are read before they are written.
     */
    uint32_t *zero;
    uint32_t nzero;
    bool zero_all;
} tc_fast_code;

enum {
    TC_REG_ONE_DEF = 1,  /* written by one op, always before it is read */
    TC_REG_CONST = 2,    /* and that op writes a constant: value */
    TC_REG_GENERAL = 4,  /* an op of the general road names it */
    TC_REG_ASSIGNED = 8, /* no read comes before a write */
    TC_REG_DEFINED = 16  /* some op writes it */
};

/* decode.c: fills x for an op; false: the general road. */
bool tc_fast_decode(tc_run *r, const tc_ptx_op *op, tc_fast *x);
/* value.c */
/* A row of 32 equal words of 4 or 8 bytes; NULL when there are too many. */
const void *tc_fast_constant(tc_fast_code *f, uint64_t value, int bytes);
/* The row of %laneid or a lane mask. */
const void *tc_fast_lane_row(tc_run *r, tc_ptx_special s);
/* The address of symbol + imm; false: not the same for all. */
bool tc_fast_symbol(tc_run *r, const tc_ptx_operand *o, uint64_t *out);
/* The value of an operand that is the same all through the launch. */
bool tc_fast_value(tc_run *r, const tc_ptx_operand *o, uint64_t *out);
/* The value of an ld.param of the launched kernel. */
bool tc_fast_param(tc_run *r, const tc_ptx_op *op, uint64_t *out);
/* dataflow.c: facts about the registers of func, in f->reg and f->value. */
void tc_fast_flow(tc_run *r, const tc_ptx_func *func);
/* The index in f->reg of an operand's register, or -1. */
int64_t tc_fast_reg(const tc_ptx_func *func, const tc_ptx_operand *o);

/* Registers of a warp that begins: those that a program can read before it
 * writes them are zero. */
void tc_fast_zero(tc_warp *w);

/* One op for the lanes of mask (its guard applied), for loops that go op by
 * op; core->pc is behind it, run->cycle is its own. */
static inline void tc_code_execute(tc_warp *w, const tc_code *c,
                                   uint32_t mask) {
    if (c->one) {
        c->one->fn[mask != w->alive](w, c->one, mask);
    } else {
        c->fn(w, c->op, mask);
    }
}

/* Executes an entry's op on the general road. Returns as a handler does. */
tc_fast *tc_fast_general(tc_warp *w, tc_fast *x, uint32_t mask);

#endif
