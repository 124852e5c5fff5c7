/* lower.h - what the files of lowering share. Private to dispatch/. */
#ifndef TC_DISPATCH_LOWER_H
#define TC_DISPATCH_LOWER_H

#include "dispatch/launch.h"
#include "dispatch/variant.h"

/* Pointers of the program to what stands for them after lowering. */
typedef struct tc_map_entry {
    const void *key;
    void *value;      /* tc_expr of a variable, tc_buffer of a buffer */
    tc_expr *inlined; /* a let's value, for use in addresses; or NULL */
} tc_map_entry;

typedef struct tc_map {
    tc_map_entry *slots; /* open addressing, capacity a power of two */
    size_t n, cap;
} tc_map;

typedef struct tc_names { /* a set */
    const char **slots;
    size_t n, cap;
} tc_names;

typedef struct tc_lowering {
    tc_arena *arena;
    tc_diags *diags;
    const tc_func *func;
    const tc_decisions *decisions;
    int copies; /* how many were replaced so far */
    tc_lowered *out;
    tc_launch launch;
    tc_map map;
    tc_names names;
    tc_var *launch_var[TC_BIND_CLUSTER_CTA_Z + 1]; /* by tc_bind, or NULL */
    tc_var *warp_in_cta;
    tc_block lets, evals; /* of scope ids, in order */
    tc_block fetches;     /* of tensor maps, ahead of the body */
    int maps_cap;
    int dynamic_cap; /* of out->dynamic */
    bool failed;
} tc_lowering;

tc_map_entry *tc_map_find(const tc_map *m, const void *key); /* or NULL */
tc_map_entry *tc_map_put(tc_arena *a, tc_map *m, const void *key, void *value);
/* name, or name_1, name_2, ...: one that was not taken; it is then. */
const char *tc_names_take(tc_arena *a, tc_names *n, const char *name);

/* A variable of the lowered program for v, with a name of its own. */
tc_var *tc_lower_var(tc_lowering *l, const tc_var *v);
/* The flat buffer for b; creates it where nothing declared it. */
tc_buffer *tc_lower_buffer(tc_lowering *l, const tc_buffer *b);
/* e over lowered variables and flat buffers. */
tc_expr *tc_lower_expr(tc_lowering *l, tc_expr *e);
/* One index into the flat buffer, simplified. */
tc_expr *tc_lower_index(tc_lowering *l, const tc_buffer *b, tc_expr **index,
                        int n, tc_span span);
/* The value of a scope id's variable `dim`, from launch variables. */
tc_expr *tc_scope_id_value(tc_lowering *l, const tc_scope_id *id, int dim,
                           tc_span span);
/* The number of a thread's warp in its CTA, from launch variables. */
tc_expr *tc_warp_of_thread(tc_lowering *l);
/* The tensor map of a chosen lowering, shared with equal ones. */
void tc_lower_map(tc_lowering *l, const tc_verdict *v, tc_span span);
void tc_lower_block(tc_lowering *l, const tc_block *in, tc_block *out);
/* What chosen lowerings want beside the declaration of `after`. */
void tc_lower_hoisted(tc_lowering *l, const tc_buffer *after, tc_block *out);
/* Places dynamic shared memory (lower_dynamic.c). */
void tc_lower_dynamic(tc_lowering *l);
/* True when e has neither loads nor calls: a let of it may be inlined. */
bool tc_expr_is_pure(const tc_expr *e);

void tc_lower_fail(tc_lowering *l, tc_span span, const char *hint,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
