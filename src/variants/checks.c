/* checks.c - recording a lowering's conditions and its instructions. */
#include "variants/checks.h"
#include "ir/linear.h"
#include "variants/gs_emit.h"

#include <stdarg.h>
#include <string.h>

bool tc_holds(tc_check_list *q, const char *name, bool ok, const char *fmt,
              ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = tc_vformat(q->cx->arena, fmt, ap);
    va_end(ap);
    tc_check_add(q->cx, q->v, "lowering", name, ok ? TC_YES : TC_NO, "%s",
                 text);
    if (!ok && !q->failed) {
        q->failed = true;
        q->v->why = text;
    }
    return ok;
}

bool tc_check_optional(tc_check_list *q, const char *name, bool ok,
                       const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = tc_vformat(q->cx->arena, fmt, ap);
    va_end(ap);
    return tc_check_add(q->cx, q->v, "lowering", name, ok ? TC_YES : TC_NO,
                        "%s", text);
}

void tc_check_skip(tc_check_list *q, const char *name, const char *because) {
    tc_check_add(q->cx, q->v, "lowering", name, TC_UNASKED,
                 "cannot be asked: %s", because);
}

void tc_add_issue_ints(const tc_dispatch_ctx *cx, tc_verdict *v, tc_op op,
                       const int64_t *ints, int nints, const char *str,
                       int64_t times) {
    int64_t *own = TC_NEWN(cx->arena, int64_t, nints + 1);
    memcpy(own, ints, sizeof *ints * (size_t)nints);
    tc_add_issue(cx, v, op, 0, times);
    tc_issue *u = &v->issues[v->nissues - 1];
    u->ints = own;
    u->nints = nints;
    u->str = str;
}

bool tc_divides_always(tc_arena *a, tc_expr *e, int64_t n) {
    tc_linear l;
    if (n < 1 || !tc_linear_of(a, tc_simplify(a, e), &l)) {
        return n == 1;
    }
    return tc_linear_gcd(&l) % n == 0 && l.constant % n == 0;
}

const char *tc_check_article(const tc_expr *e, bool divides) {
    int64_t value;
    return divides ? "a" : tc_expr_const(e, &value) ? "no" : "not always a";
}

const char *tc_expr_text(tc_arena *a, const tc_expr *e) {
    tc_buf b = TC_BUF_INIT;
    tc_ir_print_expr(&b, e);
    return tc_buf_finish(&b, a);
}
