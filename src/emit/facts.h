/* facts.h - what both printers need to know about a lowered program before
 * they print it: which lets are used, which local buffers are plain variables,
 * and where each pointer points. */
#ifndef TC_EMIT_FACTS_H
#define TC_EMIT_FACTS_H

#include "base/arena.h"
#include "base/diag.h"
#include "ir/ir.h"

/* Where a pointer points, as far as the program text tells. */
typedef enum tc_window {
    TC_WIN_NONE, /* never assigned */
    TC_WIN_GLOBAL,
    TC_WIN_SHARED,
    TC_WIN_LOCAL,
    TC_WIN_GENERIC /* several of them: a generic address */
} tc_window;

typedef struct tc_pointer {
    tc_window window;
    tc_dtype elem;   /* what it points to; VOID until known */
    bool elem_mixed; /* assigned pointers to different types */
} tc_pointer;

/* One record for each variable and each buffer. */
typedef struct tc_fact {
    const void *key;
    int id;              /* from 0, dense */
    int uses;            /* variable: uses by live code */
    const tc_expr *let;  /* variable: value, when bound by a let */
    bool unrolled;       /* variable of a loop that is written out */
    int loads, stores;   /* buffer: accesses through its own name */
    bool addressed;      /* buffer: address taken, or viewed */
    bool dynamic;        /* buffer: some index is not known when printing */
    bool in_registers;   /* local buffer whose elements can be registers */
    bool promoted;       /* the same, for PTX, though its address is taken */
    bool once;           /* scalar local, stored once, beside its allocation */
    const tc_expr *kept; /* buffer: what is stored once */
    const tc_block *alloc_block, *store_block;
    tc_pointer pointer; /* of what the variable or buffer holds */
    bool ranged;        /* lo and hi are known: [lo, hi] */
    int64_t lo, hi;
} tc_fact;

typedef struct tc_facts {
    tc_arena *arena;
    const tc_lowered *lowered;
    tc_diags *diags;
    tc_fact **slots; /* open addressing by key */
    int nslots, n;
    bool failed;
    bool grew;     /* pointer pass: something changed */
    bool waits_ld; /* the program has a T.ptx.tcgen05.wait.ld() */
} tc_facts;

/* Registers that one local buffer may take, copies that one unrolled loop, and
 * that nested unrolled loops together, may make. */
enum {
    TC_MAX_REG_ELEMENTS = 64,
    TC_MAX_UNROLL = 256,
    TC_MAX_UNROLL_ALL = 1024
};

/* Reports and returns NULL for what cannot be printed at all. */
tc_facts *tc_facts_new(tc_arena *a, const tc_lowered *l, tc_diags *diags);
/* The record of a tc_var or tc_buffer, made on first mention. */
tc_fact *tc_fact_of(tc_facts *f, const void *key);

/* True when the PTX printer writes the loop out, inside loops that are written
 * out `copies` times; *n gets its iterations, *first the first value. */
bool tc_loop_unrolls(const tc_stmt *s, int64_t copies, int64_t *first,
                     int64_t *n);

/* Does the loop's body keep a pointer into a small local array, or does one
 * within it move with the loop? Such a loop is written out, so that the array
 * can be registers (registers.c). */
bool tc_loop_takes_local(const tc_stmt *s);
/* Sets `promoted` and `kept`; after ranges are known. */
void tc_facts_registers(tc_facts *f);

/* The buffer that owns the storage of b. */
tc_buffer *tc_buffer_root(tc_buffer *b);
tc_window tc_space_window(tc_space s);
tc_pointer tc_pointer_of(tc_facts *f, const tc_expr *e);

/* Elements that the texts reserve for a shared buffer: what its layout reaches.
 * TVM 0.25.0 reserves the product of the shape alone, so that a padded layout
 * runs past its buffer there; the printed IR keeps TVM's number. */
int64_t tc_shared_elements(tc_arena *a, const tc_buffer *b);
/* Does the call write the element that its argument i names? */
bool tc_writes_argument(tc_op op, int i);

/* The access named by T.address_of's argument or an ADDR; NULL for others. */
const tc_expr *tc_memory_access_of(const tc_expr *e);

/* Bounds of an integer expression, both inclusive; false when not known. */
bool tc_range_of(tc_facts *f, const tc_expr *e, int64_t *lo, int64_t *hi);
void tc_fact_set_range(tc_facts *f, const void *key, const tc_expr *value);
/* Can it be evaluated where the program would not (no access to memory, no
 * division that may fault)? */
bool tc_expr_is_safe(tc_facts *f, const tc_expr *e);

static inline bool tc_type_is_float(tc_dtype t) {
    tc_dtype_class c = tc_dtypes[t].cls;
    return c == TC_CLASS_FLOAT || c == TC_CLASS_BFLOAT;
}

static inline bool tc_type_is_signed(tc_dtype t) {
    return tc_dtypes[t].cls == TC_CLASS_INT;
}

static inline bool tc_type_is_int(tc_dtype t) {
    return tc_dtypes[t].cls == TC_CLASS_INT ||
           tc_dtypes[t].cls == TC_CLASS_UINT;
}

#endif
