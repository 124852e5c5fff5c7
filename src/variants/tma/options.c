/* options.c - what a copy's keywords say to tma (copy_async/tma.py,
 * copy_tma_impl; the choices are those of backend/cuda/op.py). */
#include "variants/tma/tma.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

/* The last of this name, as keywords of a call; NULL: not given. */
static tc_expr *find(const tc_dispatch_ctx *cx, const char *name) {
    const tc_copy *c = cx->copy;
    for (int i = c->nconfig - 1; i >= 0; i--) {
        if (strcmp(c->config[i].name, name) == 0) {
            return c->config[i].value;
        }
    }
    return NULL;
}

static bool yes(const tc_dispatch_ctx *cx, tc_verdict *v, const char *name,
                const char *text) {
    return tc_check_add(cx, v, "lowering", name, TC_YES, "%s", text);
}

static bool is_float(tc_dtype t) {
    return t == TC_FLOAT16 || t == TC_BFLOAT16 || t == TC_FLOAT32 ||
           t == TC_FLOAT64;
}

bool tc_tma_read_oob(const tc_dispatch_ctx *cx, tc_verdict *v,
                     tc_tma_options *out) {
    const tc_expr *x = find(cx, "oob");
    tc_dtype type = cx->copy->src.buffer->type;
    if (x == NULL) {
        return yes(cx, v, "oob", "no oob: what lies outside reads as zero");
    }
    if (x->kind == TC_E_STRING && strcmp(x->s, "zero") == 0) {
        return yes(cx, v, "oob",
                   "oob=\"zero\": what lies outside reads as "
                   "zero");
    }
    if (x->kind != TC_E_STRING || strcmp(x->s, "nan") != 0) {
        return tc_tma_no(cx, v, "oob",
                         "oob is %s: it must be \"zero\" or "
                         "\"nan\"",
                         tc_tma_text(cx->arena, x));
    }
    if (!is_float(type)) {
        return tc_tma_no(cx, v, "oob",
                         "oob=\"nan\" needs float16, bfloat16, float32 or "
                         "float64: the elements are %s",
                         tc_dtypes[type].name);
    }
    out->oob_fill = 1;
    return yes(cx, v, "oob", "oob=\"nan\": what lies outside reads as NaN");
}

static bool read_mask(const tc_dispatch_ctx *cx, tc_verdict *v,
                      tc_tma_options *out) {
    out->cta_mask = find(cx, "cta_mask");
    if (out->cta_mask == NULL) {
        out->cta_mask = tc_int(cx->arena, 0);
        return true;
    }
    if (!out->to_shared) {
        return tc_tma_no(cx, v, "cta_mask",
                         "cta_mask names the CTAs that get the tile: only a "
                         "copy from global to shared memory takes it");
    }
    return tc_check_add(cx, v, "lowering", "cta_mask", TC_YES,
                        "cta_mask %s: the CTAs that get the tile",
                        tc_tma_text(cx->arena, out->cta_mask));
}

static bool read_mbar(const tc_dispatch_ctx *cx, tc_verdict *v,
                      tc_tma_options *out) {
    out->mbar = find(cx, "mbar");
    if (!out->to_shared) {
        return true;
    }
    if (out->mbar == NULL) {
        return tc_tma_no(cx, v, "mbar",
                         "mbar is missing: it names the mbarrier that counts "
                         "the bytes that arrive; write mbar=bar.ptr_to([0])");
    }
    return tc_check_add(cx, v, "lowering", "mbar", TC_YES,
                        "mbar %s counts the bytes that arrive",
                        tc_tma_text(cx->arena, out->mbar));
}

/* TVM's default is 1 for sm_100a and -1 for every other target, which the
 * instruction refuses: without the keyword tma works on sm_100a alone. */
static bool read_group(const tc_dispatch_ctx *cx, tc_verdict *v,
                       tc_tma_options *out) {
    int64_t n;
    out->cta_group = find(cx, "cta_group");
    if (!out->to_shared) {
        return true;
    }
    if (out->cta_group == NULL) {
        return tc_tma_no(cx, v, "cta_group",
                         "cta_group is missing: TVM then takes -1 (1 on "
                         "sm_100a alone), but the instruction takes 1 or 2; "
                         "write cta_group=1");
    }
    if (tc_expr_const(out->cta_group, &n) && n != 1 && n != 2) {
        return tc_tma_no(cx, v, "cta_group",
                         "cta_group is %" PRId64 ": it must be 1 or 2", n);
    }
    return tc_check_add(cx, v, "lowering", "cta_group", TC_YES,
                        "cta_group %s: 1 or 2",
                        tc_tma_text(cx->arena, out->cta_group));
}

/* Policies as createpolicy makes them (op.py, _PTX_CACHE_POLICY). */
static const struct {
    const char *hint;
    int64_t policy;
} policies[] = {
    {"evict_normal", INT64_C(0x1000000000000000)},
    {"evict_first", INT64_C(0x12F0000000000000)},
    {"evict_last", INT64_C(0x14F0000000000000)},
};

static bool read_hint(const tc_dispatch_ctx *cx, tc_verdict *v,
                      tc_tma_options *out) {
    tc_expr *x = find(cx, "cache_hint");
    out->policy = tc_int_t(cx->arena, TC_UINT64, 0);
    if (x == NULL || (x->kind == TC_E_STRING && x->s[0] == '\0')) {
        return true;
    }
    if (x->kind != TC_E_STRING) {
        out->policy = x;
        out->policy_only = true;
        tc_check_add(cx, v, "lowering", "cache_hint", TC_UNASKED,
                     "TVM does not ask: cache_hint=%s is a number, and TVM "
                     "then takes the first coordinate for a flag, so the "
                     "instruction lacks a coordinate",
                     tc_tma_text(cx->arena, x));
        return true;
    }
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcmp(x->s, policies[i].hint) == 0) {
            out->policy = tc_int_t(cx->arena, TC_UINT64, policies[i].policy);
            out->has_policy = true;
            return tc_check_add(cx, v, "lowering", "cache_hint", TC_YES,
                                "cache_hint \"%s\" is the policy 0x%" PRIx64,
                                x->s, (uint64_t)policies[i].policy);
        }
    }
    return tc_tma_no(cx, v, "cache_hint",
                     "cache_hint is \"%s\": \"evict_normal\", \"evict_first\" "
                     "or \"evict_last\"",
                     x->s);
}

/* Asked on an H200: xor of float16 is an illegal instruction (PTX ISA,
 * cp.reduce.async.bulk: .and, .or and .xor take .b32 and .b64). */
static void note_reduce(const tc_dispatch_ctx *cx, tc_verdict *v,
                        const char *op) {
    tc_dtype type = cx->copy->src.buffer->type;
    bool bitwise = strcmp(op, "and") == 0 || strcmp(op, "or") == 0 ||
                   strcmp(op, "xor") == 0;
    if (bitwise && is_float(type)) {
        tc_check_add(cx, v, "lowering", "use_tma_reduce", TC_UNASKED,
                     "TVM does not ask: the hardware has no %s of %s, and "
                     "stops the kernel",
                     op, tc_dtypes[type].name);
    }
}

static bool read_reduce(const tc_dispatch_ctx *cx, tc_verdict *v,
                        tc_tma_options *out) {
    static const char *const ops[] = {"add", "min", "max", "inc",
                                      "dec", "and", "or",  "xor"};
    const tc_expr *x = find(cx, "use_tma_reduce");
    if (x == NULL) {
        return true;
    }
    if (out->to_shared) {
        tc_check_add(cx, v, "lowering", "use_tma_reduce", TC_UNASKED,
                     "not asked: a copy to shared memory does not reduce");
        return true;
    }
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (x->kind == TC_E_STRING && strcmp(x->s, ops[i]) == 0) {
            out->reduce = ops[i];
            note_reduce(cx, v, ops[i]);
            return tc_check_add(cx, v, "lowering", "use_tma_reduce", TC_YES,
                                "use_tma_reduce \"%s\": combined with what is "
                                "in global memory",
                                ops[i]);
        }
    }
    const char *text = tc_format(cx->arena,
                                 "use_tma_reduce is %s: \"add\", \"min\", "
                                 "\"max\", \"inc\", \"dec\", \"and\", "
                                 "\"or\" or \"xor\"",
                                 tc_tma_text(cx->arena, x));
    if (x->kind != TC_E_STRING) {
        return tc_tma_no(cx, v, "use_tma_reduce", "%s", text);
    }
    out->reduce = x->s;
    tc_check_add(cx, v, "lowering", "use_tma_reduce", TC_UNASKED,
                 "TVM does not ask: %s; another word gives no instruction",
                 text);
    return true;
}

static bool read_prefetch(const tc_dispatch_ctx *cx, tc_verdict *v,
                          tc_tma_options *out) {
    const tc_expr *x = find(cx, "prefetch_tensormap");
    int64_t n;
    if (x == NULL) {
        return true;
    }
    if (x->kind == TC_E_STRING) {
        out->prefetch = x->s[0] != '\0';
        return true;
    }
    if (!tc_expr_const(x, &n)) {
        return tc_tma_no(cx, v, "prefetch_tensormap",
                         "prefetch_tensormap is %s: it must be True or False",
                         tc_tma_text(cx->arena, x));
    }
    out->prefetch = n != 0;
    return true;
}

/* In TVM's order, so that the first that fails is its reason. */
bool tc_tma_read_options(const tc_dispatch_ctx *cx, tc_verdict *v,
                         tc_tma_options *out) {
    bool ok = read_mask(cx, v, out);
    ok &= read_mbar(cx, v, out);
    ok &= read_group(cx, v, out);
    ok &= read_hint(cx, v, out);
    ok &= read_reduce(cx, v, out);
    return read_prefetch(cx, v, out) && ok;
}
