/* entry.h - the entries of the fast path, and who makes them. */
#ifndef TC_SIM_FAST_ENTRY_H
#define TC_SIM_FAST_ENTRY_H

#include "sim/core/run.h"
#include "sim/fast/fast.h"

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

struct tc_fast_table {
    const char *name;
    tc_fast_fn *fn[TC_FAST_COUNT][2];
    tc_fast_fn *guarded;
};

/* One a source file; NULL where the compiler was not told to make it. */
const tc_fast_table *tc_fast_plain(void);
const tc_fast_table *tc_fast_avx2(void);
const tc_fast_table *tc_fast_avx512(void);
/* Constant rows of a launch, equal ones once. */
typedef struct tc_fast_row {
    struct tc_fast_row *next;
    uint64_t key;
    uint8_t kind; /* 4, 8, or 16 + a special register */
    uint32_t *row;
} tc_fast_row;

/* What a launch keeps for the fast path. */
typedef struct tc_fast_code {
    const tc_fast_table *table;
    tc_fast *entries, *end;
    tc_fast_shape *shapes;
    uint32_t (*tid)[3][TC_LANES]; /* %tid of each warp of a CTA */
    tc_fast_row *rows[256];
    uint32_t nrows;
    /* The function's registers: 32-bit file, 64-bit, predicates. */
    const tc_ptx_func *func; /* of the fields below */
    uint8_t *reg;            /* TC_REG_* */
    uint64_t *value;         /* of a constant one */
    tc_fast_rows rows_of;
} tc_fast_code;

enum {
    TC_REG_ONE_DEF = 1,  /* written by one op, always before it is read */
    TC_REG_CONST = 2,    /* and that op writes a constant: value */
    TC_REG_GENERAL = 4,  /* an op of the general path names it */
    TC_REG_ASSIGNED = 8, /* no read comes before a write */
    TC_REG_DEFINED = 16  /* some op writes it */
};

typedef struct tc_choice {
    tc_fast_id id;
    uint8_t n;     /* sources, from operand 1 (of a comparison: 2) on */
    bool narrow;   /* gives 16 bits: the destination may have 16 */
    bool exchange; /* sources in the other order */
    bool negate;   /* of a comparison */
} tc_choice;

/* choose.c: of what works on registers, each lane for itself. */
tc_choice tc_fast_choice(const tc_ptx_op *op);

/* decode.c: fills x for an op; false: the general path. */
bool tc_fast_decode(tc_run *r, const tc_ptx_op *op, tc_fast *x);
/* A source of bytes: its row into *at and *m. */
bool tc_fast_source(tc_run *r, const tc_ptx_operand *o, int bytes, uint64_t *at,
                    int8_t *m);
/* narrow: registers of 16 bits too. */
bool tc_fast_destination(const tc_run *r, const tc_ptx_operand *o, int bytes,
                         bool narrow, uint32_t *at);
/* The base of an address; x->sub 1: of 32 bits. */
bool tc_fast_address(tc_run *r, const tc_ptx_operand *o, tc_fast *x);
bool tc_fast_reaches(uint8_t space); /* has accesses that the handlers know */

/* together.c: atomics, and what the lanes of a warp do together. */
tc_fast_id tc_fast_together(tc_run *r, const tc_ptx_op *op, tc_fast *x);
/* It reads and writes registers of its warp, and nothing else; it never goes to
 * the general path. */
bool tc_fast_private(const tc_fast *x);
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

/* Executes an entry's op on the general path. Returns as a handler does. */
tc_fast *tc_fast_general(tc_warp *w, tc_fast *x, uint32_t mask);

#endif
