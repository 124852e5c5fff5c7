/* checks.h - the conditions of a lowering, each recorded with its numbers. */
#ifndef TC_VARIANTS_CHECKS_H
#define TC_VARIANTS_CHECKS_H

#include "dispatch/variant.h"

/* A lowering that asks all its conditions and then knows whether all held. */
typedef struct tc_check_list {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    bool failed; /* v->why is the first failure's detail */
} tc_check_list;

/* Adds a check of the predicate "lowering"; returns ok. */
bool tc_holds(tc_check_list *q, const char *name, bool ok, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A way that was tried and may be missing; a failure is no decline. */
bool tc_check_optional(tc_check_list *q, const char *name, bool ok,
                       const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* A check that an earlier failure prevents. */
void tc_check_skip(tc_check_list *q, const char *name, const char *because);

/* Records an instruction with its constant arguments, in order, and its
 * strings joined by dots. Copies ints. */
void tc_add_issue_ints(const tc_dispatch_ctx *cx, tc_verdict *v, tc_op op,
                       const int64_t *ints, int nints, const char *str,
                       int64_t times);

/* e is n times something whatever its variables are. */
bool tc_divides_always(tc_arena *a, tc_expr *e, int64_t n);
/* "a", "no" or "not always a" (multiple). */
const char *tc_check_article(const tc_expr *e, bool divides);
/* The text of e, as scripts write it. */
const char *tc_expr_text(tc_arena *a, const tc_expr *e);

#endif
