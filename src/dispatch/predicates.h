/* predicates.h - the elementary conditions that several variants share.
 *
 * Each adds its checks to the verdict under the predicate's name, all of them,
 * whether or not an earlier one failed, and returns whether all hold. */
#ifndef TC_DISPATCH_PREDICATES_H
#define TC_DISPATCH_PREDICATES_H

#include "dispatch/variant.h"

/* TVM: sctx.is_target("cuda"). */
bool tc_pred_target(const tc_dispatch_ctx *cx, tc_verdict *v,
                    const char *predicate);
/* allowed: bits 1 << TC_SCOPE_x. */
bool tc_pred_scope(const tc_dispatch_ctx *cx, tc_verdict *v,
                   const char *predicate, unsigned allowed);
/* TVM: copy/reg.py, _all_threads_active. */
bool tc_pred_all_active(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const char *predicate);
/* TVM: ../common.py, validate_copy_op. */
bool tc_pred_valid_copy(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const char *predicate);
/* TVM: copy/gmem_smem.py, _divides_thread_cnt. */
bool tc_pred_divides(const tc_dispatch_ctx *cx, tc_verdict *v,
                     const char *predicate);

/* Memory spaces as TVM's patterns name them. */
typedef enum tc_space_class {
    TC_SC_GLOBAL,
    TC_SC_SHARED, /* shared* */
    TC_SC_LOCAL,
    TC_SC_TMEM
} tc_space_class;
tc_space_class tc_space_classify(tc_space s);

typedef struct tc_space_pair {
    tc_space_class src, dst;
} tc_space_pair;

/* TVM: copy/utils.py, _scope_allowed. */
bool tc_pred_spaces(const tc_dispatch_ctx *cx, tc_verdict *v,
                    const char *predicate, const tc_space_pair *pairs, int n);

/* The detail of the predicate's first failed check since `from`. */
const char *tc_pred_reason(const tc_verdict *v, int from);

/* The whole predicate of gmem_smem and ldgsts, which differ in pairs. */
bool tc_pred_gs(const tc_dispatch_ctx *cx, tc_verdict *v, const char *name,
                const char **reason, const tc_space_pair *pairs, int n);

/* Predicates that are one function in TVM, for tables. */
bool tc_predicate_valid_copy(const tc_dispatch_ctx *cx, tc_verdict *v,
                             const char *name, const char **reason);
bool tc_predicate_single_thread(const tc_dispatch_ctx *cx, tc_verdict *v,
                                const char *name, const char **reason);

int64_t tc_region_elements(const tc_region *r);
/* "(128, 32)" of the extents. */
const char *tc_region_extents(tc_arena *a, const tc_region *r);

#endif
