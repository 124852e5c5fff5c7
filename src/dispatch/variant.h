/* variant.h - what a copy variant is, and the record of a decision.
 *
 * Dispatch asks every variant of the operation, whether or not an earlier one
 * accepted, and keeps every elementary check with its numbers. */
#ifndef TC_DISPATCH_VARIANT_H
#define TC_DISPATCH_VARIANT_H

#include "base/arena.h"
#include "ir/ir.h"

typedef enum tc_variant_id {
#define TC_VARIANT(id, name, op, priority) TC_VARIANT_##id,
#include "dispatch/variants.def"
    TC_VARIANT_COUNT
} tc_variant_id;

/* The active threads of one axis, as TVM's sctx.intra: [extent, offset]. */
typedef struct tc_intra {
    const tc_axis *axis; /* laneid, warpid, wid_in_wg, ... */
    int64_t extent, offset;
} tc_intra;

/* Where a copy stands. */
typedef struct tc_dispatch_ctx {
    tc_arena *arena;
    const tc_func *func;
    const tc_copy *copy;
    tc_span span;
    tc_intra intra[4]; /* TVM's order: warpid/wid_in_wg first, then laneid */
    int nintra;
    int64_t threads;        /* product of the extents; 1 for thread scope */
    int64_t launch_threads; /* threadIdx.x extent, 0 if not known */
    bool target_cuda;
    /* What a lowering names threads by: the expressions of the program's own
     * launch threads. */
    tc_expr *thread_x; /* threadIdx.x */
} tc_dispatch_ctx;

typedef enum tc_truth { TC_NO, TC_YES, TC_UNASKED } tc_truth;

/* One elementary condition. detail carries the numbers, e.g.
 * "region 4096 elements / 128 threads = 32 each". TC_UNASKED: detail says which
 * failed check prevents the question. */
typedef struct tc_check {
    const char *predicate; /* the predicate it belongs to; "lowering" else */
    const char *name;
    tc_truth ok;
    const char *detail;
} tc_check;

typedef struct tc_predicate_result {
    const char *name; /* TVM's name of it */
    bool ok;
    const char *reason; /* NULL when ok */
} tc_predicate_result;

/* An asynchronous or collective instruction that the lowering issues. */
typedef struct tc_issue {
    tc_op op;
    int64_t bytes; /* of one, 0 if it has no size */
    int64_t times; /* per executing thread, loops multiplied out; -1 unknown */
    /* Where bytes do not say it: its constant integer arguments in order, and
     * its strings joined by dots; NULL if it has none. */
    const int64_t *ints;
    int nints;
    const char *str;
} tc_issue;

/* [outer, threads, vec] of ldgsts and gmem_smem. Offsets in elements. */
typedef struct tc_partition {
    int64_t vec, threads, outer, elements;
    int vec_bytes;
    const tc_layout *g,
        *s; /* aligned shards, same extents; s without swizzle */
    const tc_buffer *g_buffer, *s_buffer;
    bool has_swizzle;
    tc_swizzle swizzle;       /* applied to s offsets */
    tc_expr *g_base, *s_base; /* non-constant part of the offset, or NULL */
} tc_partition;
/* Element offsets of the first of vec elements that thread t moves in round f,
 * without g_base and s_base. */
void tc_partition_at(const tc_partition *p, int64_t f, int64_t t, int64_t *g,
                     int64_t *s);

/* Statements that a lowering wants right after a buffer's declaration. Of
 * several with equal keys after one buffer the first is kept, and its `made`
 * stands for all. */
typedef struct tc_hoisted {
    const tc_buffer *after;
    const char *key;
    tc_buffer *made;
    tc_block block;
} tc_hoisted;

typedef enum tc_outcome { TC_REJECT, TC_ACCEPT, TC_DECLINE } tc_outcome;

typedef struct tc_variant tc_variant;

typedef struct tc_verdict {
    const tc_variant *variant;
    tc_outcome outcome;
    const char *why; /* a decline's reason, or NULL */
    tc_predicate_result *predicates;
    int npredicates;
    tc_check *checks;
    int nchecks, checks_cap;
    const tc_partition *partition; /* or NULL */
    tc_issue *issues;
    int nissues;
    tc_tensor_map *map;  /* tma: what its instructions go through, or NULL */
    bool prefetch_map;   /* the kernel begins by fetching it */
    bool lowering_built; /* false: "accepted; lowering not built yet" */
    tc_block lowered;    /* when accepted and built */
    tc_hoisted *hoisted; /* or NULL */
} tc_verdict;

/* Adds a check to the verdict; returns ok == TC_YES. */
bool tc_check_add(const tc_dispatch_ctx *cx, tc_verdict *v,
                  const char *predicate, const char *name, tc_truth ok,
                  const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* A predicate evaluates all its elementary checks, adds each to the verdict,
 * and gives TVM's answer; the reason is ours. */
typedef bool (*tc_predicate_fn)(const tc_dispatch_ctx *cx, tc_verdict *v,
                                const char *name, const char **reason);

typedef struct tc_predicate {
    const char *name; /* TVM's */
    tc_predicate_fn fn;
} tc_predicate;

struct tc_variant {
    tc_variant_id id;
    const char *source; /* where TVM implements it */
    const tc_predicate *predicates;
    int npredicates;
    /* Called when all predicates hold: fills partition, issues and lowered, or
     * returns false with v->why (a decline). NULL: not built yet. */
    bool (*lower)(const tc_dispatch_ctx *cx, tc_verdict *v);
};

typedef struct tc_variant_row {
    const char *name;
    tc_copy_op op;
    int priority;
    const tc_variant *variant;
} tc_variant_row;
extern const tc_variant_row tc_variants[TC_VARIANT_COUNT];
bool tc_variant_find(const char *name, tc_variant_id *out);

/* The decision about one copy. */
typedef struct tc_decision {
    const tc_copy *copy;
    tc_span span;
    tc_intra intra[4];
    int nintra;
    tc_verdict *verdicts; /* every variant of the operation, in TVM's order */
    int nverdicts;
    const tc_verdict *chosen; /* or NULL: no variant accepts (as forced) */
} tc_decision;

typedef struct tc_decisions {
    tc_decision *items; /* in program order */
    int n, cap;
} tc_decisions;

/* Decides every copy of func. Never fails: refusals are in the decisions. */
void tc_dispatch(tc_arena *a, const tc_func *func, bool target_cuda,
                 tc_decisions *out);

/* Replaces each copy by its chosen lowering, scope ids by launch threads, and
 * accesses by flat ones. Reports and returns NULL when a copy has no choice,
 * the choice's lowering is not built yet, or the launch is inconsistent. */
tc_lowered *tc_lower(tc_arena *a, const tc_func *func,
                     const tc_decisions *decisions, tc_diags *diags);

#endif
