/* predicates.c - conditions that several variants share. */
#include "dispatch/predicates.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

bool tc_check_add(const tc_dispatch_ctx *cx, tc_verdict *v,
                  const char *predicate, const char *name, tc_truth ok,
                  const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    tc_check c = {predicate, name, ok, tc_vformat(cx->arena, fmt, ap)};
    va_end(ap);
    TC_PUSH(cx->arena, v->checks, v->nchecks, v->checks_cap, c);
    return ok == TC_YES;
}

const char *tc_pred_reason(const tc_verdict *v, int from) {
    for (int i = from; i < v->nchecks; i++) {
        if (v->checks[i].ok == TC_NO) {
            return v->checks[i].detail;
        }
    }
    return NULL;
}

static tc_truth truth(bool ok) {
    return ok ? TC_YES : TC_NO;
}

bool tc_pred_target(const tc_dispatch_ctx *cx, tc_verdict *v,
                    const char *predicate) {
    return tc_check_add(
        cx, v, predicate, "target", truth(cx->target_cuda), "%s",
        cx->target_cuda ? "target is cuda" : "the target is not cuda");
}

bool tc_pred_scope(const tc_dispatch_ctx *cx, tc_verdict *v,
                   const char *predicate, unsigned allowed) {
    tc_scope_level s = cx->copy->scope;
    char list[64] = "";
    for (int k = TC_SCOPE_THREAD; k <= TC_SCOPE_CTA; k++) {
        if (allowed & (1u << k)) {
            strcat(list, *list != '\0' ? ", " : "");
            strcat(list, tc_scope_name((tc_scope_level)k));
        }
    }
    bool ok = (allowed & (1u << s)) != 0;
    return tc_check_add(cx, v, predicate, "scope", truth(ok), "scope %s: %s %s",
                        tc_scope_name(s), ok ? "one of" : "needs", list);
}

/* --- active threads --------------------------------------------------------*/

static const tc_intra *intra_of(const tc_dispatch_ctx *cx, const char *axis) {
    for (int i = 0; i < cx->nintra; i++) {
        if (strcmp(cx->intra[i].axis->name, axis) == 0) {
            return &cx->intra[i];
        }
    }
    return NULL;
}

static bool axis_full(const tc_dispatch_ctx *cx, tc_verdict *v,
                      const char *predicate, const char *axis,
                      const char *check, int64_t expected) {
    const tc_intra *in = intra_of(cx, axis);
    if (in == NULL) {
        return tc_check_add(cx, v, predicate, check, TC_NO,
                            "the active threads do not divide into whole %s",
                            axis);
    }
    bool ok = in->extent == expected && in->offset == 0;
    if (ok && expected == 0) {
        return tc_check_add(cx, v, predicate, check, TC_YES,
                            "%s: there is no whole warp", axis);
    }
    if (ok) {
        return tc_check_add(cx, v, predicate, check, TC_YES,
                            "%s: all %" PRId64 " active", axis, expected);
    }
    return tc_check_add(cx, v, predicate, check, TC_NO,
                        "%s narrowed to [%" PRId64 ", %" PRId64
                        "), needs all of [0, %" PRId64 ")",
                        axis, in->offset, in->offset + in->extent, expected);
}

bool tc_pred_all_active(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const char *predicate) {
    tc_scope_level s = cx->copy->scope;
    if (s == TC_SCOPE_THREAD) {
        return tc_check_add(cx, v, predicate, "active threads", TC_YES,
                            "thread scope: each active thread copies alone");
    }
    bool ok = axis_full(cx, v, predicate, "laneid", "active lanes", 32);
    if (s == TC_SCOPE_WARPGROUP) {
        ok &= axis_full(cx, v, predicate, "wid_in_wg", "active warps", 4);
    } else if (s == TC_SCOPE_CTA && cx->launch_threads == 0) {
        ok = tc_check_add(cx, v, predicate, "active warps", TC_NO,
                          "the number of threads of the CTA is not known");
    } else if (s == TC_SCOPE_CTA) {
        ok &= axis_full(cx, v, predicate, "warpid", "active warps",
                        cx->launch_threads / 32);
    }
    return ok;
}

/* --- the two sides ---------------------------------------------------------*/

int64_t tc_region_elements(const tc_region *r) {
    int64_t n = 1;
    for (int i = 0; i < r->buffer->rank; i++) {
        if (__builtin_mul_overflow(n, r->range[i].extent, &n)) {
            return INT64_MAX;
        }
    }
    return n;
}

const char *tc_region_extents(tc_arena *a, const tc_region *r) {
    char text[160];
    size_t at = 0;
    text[at++] = '(';
    for (int i = 0; i < r->buffer->rank && at < sizeof text - 30; i++) {
        uint64_t n = (uint64_t)r->range[i].extent; /* never negative */
        char digits[20];
        int k = 0;
        do {
            digits[k++] = (char)('0' + n % 10);
        } while ((n /= 10) != 0);
        if (i > 0) {
            text[at++] = ',';
            text[at++] = ' ';
        }
        while (k > 0) {
            text[at++] = digits[--k];
        }
    }
    text[at++] = ')';
    return tc_strndup(a, text, at);
}

static int next_wide(const tc_region *r, int i) {
    while (i < r->buffer->rank && r->range[i].extent == 1) {
        i++;
    }
    return i;
}

static bool same_extents(const tc_region *x, const tc_region *y) {
    int i = next_wide(x, 0), k = next_wide(y, 0);
    while (i < x->buffer->rank && k < y->buffer->rank) {
        if (x->range[i].extent != y->range[k].extent) {
            return false;
        }
        i = next_wide(x, i + 1);
        k = next_wide(y, k + 1);
    }
    return i >= x->buffer->rank && k >= y->buffer->rank;
}

bool tc_pred_valid_copy(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const char *predicate) {
    const tc_region *d = &cx->copy->dst, *s = &cx->copy->src;
    const tc_buffer *bare = s->buffer->layout == NULL   ? s->buffer
                            : d->buffer->layout == NULL ? d->buffer
                                                        : NULL;
    bool ok =
        tc_check_add(cx, v, predicate, "layouts", truth(bare == NULL), "%s%s",
                     bare == NULL ? "both sides have a layout" : "no layout: ",
                     bare == NULL ? "" : bare->name);
    bool types = d->buffer->type == s->buffer->type;
    ok &= tc_check_add(cx, v, predicate, "dtype", truth(types),
                       "dtype %s %s %s", tc_dtypes[d->buffer->type].name,
                       types ? "=" : "differs from",
                       tc_dtypes[s->buffer->type].name);
    const char *dst = tc_region_extents(cx->arena, d);
    const char *src = tc_region_extents(cx->arena, s);
    if (!same_extents(d, s)) {
        return tc_check_add(cx, v, predicate, "extents", TC_NO,
                            "extents %s and %s differ, ones aside", dst, src);
    }
    bool same = strcmp(dst, src) == 0;
    tc_check_add(cx, v, predicate, "extents", TC_YES, "extents %s %s %s%s", dst,
                 same ? "=" : "and", src, same ? "" : " agree, ones aside");
    return ok;
}

tc_space_class tc_space_classify(tc_space s) {
    switch (s) {
    case TC_SPACE_GLOBAL:
        return TC_SC_GLOBAL;
    case TC_SPACE_LOCAL:
        return TC_SC_LOCAL;
    case TC_SPACE_TMEM:
        return TC_SC_TMEM;
    default:
        return TC_SC_SHARED;
    }
}

bool tc_pred_spaces(const tc_dispatch_ctx *cx, tc_verdict *v,
                    const char *predicate, const tc_space_pair *pairs, int n) {
    static const char *const names[] = {"global", "shared*", "local", "tmem"};
    tc_space src = cx->copy->src.buffer->space;
    tc_space dst = cx->copy->dst.buffer->space;
    char list[160] = "";
    bool ok = false;
    for (int i = 0; i < n && i < 6; i++) {
        ok |= pairs[i].src == tc_space_classify(src) &&
              pairs[i].dst == tc_space_classify(dst);
        strcat(list, i > 0 ? ", " : "");
        strcat(list, names[pairs[i].src]);
        strcat(list, " -> ");
        strcat(list, names[pairs[i].dst]);
    }
    return tc_check_add(cx, v, predicate, "memory scopes", truth(ok),
                        "src %s, dst %s: %s %s", tc_space_name(src),
                        tc_space_name(dst), ok ? "allowed" : "needs", list);
}

bool tc_pred_divides(const tc_dispatch_ctx *cx, tc_verdict *v,
                     const char *predicate) {
    const tc_copy *c = cx->copy;
    bool src = c->src.buffer->space == TC_SPACE_GLOBAL;
    int64_t n = tc_region_elements(src ? &c->src : &c->dst);
    bool few =
        cx->threads == 0 && cx->launch_threads > 0 && cx->launch_threads < 32;
    bool ok =
        few ? tc_check_add(cx, v, predicate, "threads", TC_NO,
                           "whole warps are counted, and the CTA has %" PRId64
                           " thread%s",
                           cx->launch_threads,
                           cx->launch_threads == 1 ? "" : "s")
            : tc_check_add(cx, v, predicate, "threads", truth(cx->threads > 0),
                           "%" PRId64 " active thread%s", cx->threads,
                           cx->threads == 1 ? "" : "s");
    if (!ok) {
        tc_check_add(cx, v, predicate, "elements per thread", TC_UNASKED,
                     "cannot be asked: there are no active threads");
        return false;
    }
    if (n % cx->threads == 0) {
        return tc_check_add(cx, v, predicate, "elements per thread", TC_YES,
                            "region %" PRId64 " elements / %" PRId64
                            " threads = %" PRId64 " each",
                            n, cx->threads, n / cx->threads);
    }
    return tc_check_add(cx, v, predicate, "elements per thread", TC_NO,
                        "region %" PRId64 " elements / %" PRId64
                        " threads leaves %" PRId64 " over",
                        n, cx->threads, n % cx->threads);
}

/* --- whole predicates ------------------------------------------------------*/

bool tc_pred_gs(const tc_dispatch_ctx *cx, tc_verdict *v, const char *name,
                const char **reason, const tc_space_pair *pairs, int n) {
    int from = v->nchecks;
    bool ok = tc_pred_target(cx, v, name);
    ok &= tc_pred_scope(cx, v, name,
                        1u << TC_SCOPE_THREAD | 1u << TC_SCOPE_WARP |
                            1u << TC_SCOPE_WARPGROUP | 1u << TC_SCOPE_CTA);
    ok &= tc_pred_all_active(cx, v, name);
    ok &= tc_pred_valid_copy(cx, v, name);
    ok &= tc_pred_spaces(cx, v, name, pairs, n);
    ok &= tc_pred_divides(cx, v, name);
    *reason = tc_pred_reason(v, from);
    return ok;
}

bool tc_predicate_valid_copy(const tc_dispatch_ctx *cx, tc_verdict *v,
                             const char *name, const char **reason) {
    int from = v->nchecks;
    bool ok = tc_pred_valid_copy(cx, v, name);
    *reason = tc_pred_reason(v, from);
    return ok;
}

bool tc_predicate_single_thread(const tc_dispatch_ctx *cx, tc_verdict *v,
                                const char *name, const char **reason) {
    int from = v->nchecks;
    bool ok = tc_pred_scope(cx, v, name, 1u << TC_SCOPE_THREAD);
    *reason = tc_pred_reason(v, from);
    return ok;
}
