/* expr.c - expressions as CUDA C++. */
#include "emit/cuda/cuda.h"
#include "emit/dynamic.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void tc_ce_fail(tc_ce e, tc_span span, const char *hint, const char *fmt, ...) {
    va_list ap;
    if (!e->failed) {
        va_start(ap, fmt);
        const char *text = tc_vformat(e->arena, fmt, ap);
        va_end(ap);
        tc_error(e->diags, span.source != NULL ? span : e->span, hint, "%s",
                 text);
    }
    e->failed = true;
}

const char *tc_ce_type(tc_ce e, tc_dtype t) {
    e->seen[t] = true;
    return tc_dtypes[t].cuda;
}

/* --- constants -------------------------------------------------------------*/

static const char *int_text(tc_ce e, tc_dtype t, int64_t v) {
    switch (t) {
    case TC_BOOL:
        return v != 0 ? "true" : "false";
    case TC_INT32:
        return v == INT32_MIN
                   ? "(-2147483647 - 1)"
                   : tc_format(e->arena, v < 0 ? "(%" PRId64 ")" : "%" PRId64,
                               v);
    case TC_UINT32:
        return tc_format(e->arena, "%" PRIu32 "u", (uint32_t)v);
    case TC_INT64:
        return v == INT64_MIN
                   ? "(-9223372036854775807LL - 1)"
                   : tc_format(e->arena, "((int64_t)%" PRId64 "LL)", v);
    case TC_UINT64:
        return tc_format(e->arena, "((uint64_t)%" PRIu64 "ULL)", (uint64_t)v);
    case TC_HANDLE:
        return tc_format(e->arena, "((void*)%" PRIu64 "ULL)", (uint64_t)v);
    default:
        return tc_format(e->arena, "((%s)%" PRId64 ")", tc_ce_type(e, t), v);
    }
}

static const char *decimal(tc_ce e, int digits, double x, const char *suffix) {
    char *s = tc_format(e->arena, "%.*g", digits, x);
    const char *point = strpbrk(s, ".e") != NULL ? "" : ".0";
    return tc_format(e->arena, signbit(x) ? "(%s%s%s)" : "%s%s%s", s, point,
                     suffix);
}

static const char *float_text(tc_ce e, tc_dtype t, double x) {
    if (t == TC_FLOAT64) {
        return isnan(x)   ? "__longlong_as_double(0x7ff8000000000000LL)"
               : isinf(x) ? (x > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)")
                          : decimal(e, 17, x, "");
    }
    if (t == TC_FLOAT16 || t == TC_BFLOAT16) {
        return tc_format(e->arena, "%s(%s)",
                         t == TC_FLOAT16 ? "__float2half_rn"
                                         : "__float2bfloat16_rn",
                         float_text(e, TC_FLOAT32, x));
    }
    float f = (float)(x > 3.5e38 ? INFINITY : x < -3.5e38 ? -INFINITY : x);
    return isnan(f)   ? "__int_as_float(0x7fc00000)"
           : isinf(f) ? (f > 0 ? "__int_as_float(0x7f800000)"
                               : "__int_as_float(0xff800000)")
                      : decimal(e, 9, (double)f, "f");
}

/* --- buffers ---------------------------------------------------------------*/

bool tc_ce_is_scalar(tc_ce e, tc_buffer *b) {
    return tc_fact_of(e->facts, b)->in_registers && tc_buffer_elements(b) == 1;
}

static const char *name_of(tc_ce e, const void *key, const char *wanted,
                           tc_span span) {
    const char *name = tc_name_of(&e->names, key);
    if (name == NULL) {
        tc_ce_fail(e, span, NULL, "%s is used where it is not defined", wanted);
        return wanted;
    }
    return name;
}

/* A pointer to the first element of b. */
static const char *base_text(tc_ce e, tc_buffer *b, tc_span span) {
    const char *type = tc_ce_type(e, b->type), *under;
    if (b->base == NULL && b->space == TC_SPACE_SHARED_DYN) {
        const char *array = tc_dynamic_name(&e->names, e->lowered);
        return b->dyn_offset > 0
                   ? tc_format(e->arena, "((%s*)(%s + %lld))", type, array,
                               (long long)b->dyn_offset)
               : b->type != TC_UINT8
                   ? tc_format(e->arena, "((%s*)%s)", type, array)
                   : array;
    }
    if (b->base == NULL) {
        const void *key = b->space == TC_SPACE_GLOBAL && b->param != NULL
                              ? (const void *)b->param
                              : (const void *)b;
        return name_of(e, key, b->name, span);
    }
    under = base_text(e, b->base, span);
    if (b->type != b->base->type) {
        under = tc_format(e->arena, "((%s*)%s)", type, under);
    }
    int64_t zero;
    if (b->elem_offset == NULL ||
        (tc_expr_const(b->elem_offset, &zero) && zero == 0)) {
        return under;
    }
    return tc_format(e->arena, "(%s + %s)", under,
                     tc_ce_expr(e, b->elem_offset));
}

const char *tc_ce_bare(tc_ce e, const char *text) {
    size_t n = strlen(text);
    int depth = 0;
    if (n < 2 || text[0] != '(' || text[n - 1] != ')') {
        return text;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
        if (depth == 0) {
            return text;
        }
    }
    return tc_strndup(e->arena, text + 1, n - 2);
}

const char *tc_ce_access(tc_ce e, tc_buffer *b, tc_expr *const *index, int n,
                         tc_span span) {
    if (b->space == TC_SPACE_TMEM) {
        tc_ce_fail(e, span, "Tx.wg.copy_async moves it to and from registers",
                   "%s is in tensor memory: no thread reads or writes an "
                   "element of it",
                   b->name);
        return "0";
    }
    const char *base = base_text(e, b, span);
    if (tc_ce_is_scalar(e, b)) {
        return base;
    }
    if (n > 1) {
        tc_ce_fail(e, span, NULL, "%s has %d indices after lowering", b->name,
                   n);
    }
    return tc_format(e->arena, "%s[%s]", base,
                     n == 0 ? "0" : tc_ce_bare(e, tc_ce_expr(e, index[0])));
}

/* --- operators -------------------------------------------------------------*/

static const char *operator_text(tc_binop op) {
    static const char *const text[] = {
        [TC_ADD] = "+",     [TC_SUB] = "-",   [TC_MUL] = "*",
        [TC_TRUEDIV] = "/", [TC_SHL] = "<<",  [TC_SHR] = ">>",
        [TC_BITAND] = "&",  [TC_BITOR] = "|", [TC_BITXOR] = "^",
        [TC_LT] = "<",      [TC_LE] = "<=",   [TC_GT] = ">",
        [TC_GE] = ">=",     [TC_EQ] = "==",   [TC_NE] = "!=",
        [TC_AND] = "&&",    [TC_OR] = "||"};
    return text[op];
}

/* Arithmetic on types narrower than int happens in int; cut it back. */
static const char *cut(tc_ce e, tc_dtype t, const char *text) {
    bool narrow = (tc_type_is_int(t) && tc_dtypes[t].bits < 32) || t == TC_BOOL;
    return narrow ? tc_format(e->arena, "((%s)%s)", tc_ce_type(e, t), text)
                  : text;
}

static const char *minmax(tc_ce e, const tc_expr *x, const char *a,
                          const char *b) {
    bool least = x->bin.op == TC_MIN;
    const char *fn = least ? "min" : "max";
    if (x->type == TC_FLOAT16 || x->type == TC_BFLOAT16) {
        fn = least ? "__hmin" : "__hmax";
    } else if (tc_type_is_float(x->type)) {
        fn = x->type == TC_FLOAT64 ? (least ? "fmin" : "fmax")
                                   : (least ? "fminf" : "fmaxf");
    } else if (tc_dtypes[x->type].bits < 32) {
        return cut(e, x->type,
                   tc_format(e->arena, "((int)%s %s (int)%s ? %s : %s)", a,
                             least ? "<" : ">", b, a, b));
    }
    return tc_format(e->arena, "%s(%s, %s)", fn, tc_ce_bare(e, a),
                     tc_ce_bare(e, b));
}

static void floor_helper(tc_ce e, bool mod) {
    tc_ce_helper(
        e, mod ? "tvm_builtin_floormod" : "tvm_builtin_floordiv",
        mod ? "// a - floor(a / b) * b\n"
              "template <typename T>\n"
              "__forceinline__ __device__ T tvm_builtin_floormod(T a, T b) {\n"
              "  T r = a % b;\n"
              "  return r != 0 && (r ^ b) < 0 ? r + b : r;\n"
              "}\n"
            : "// a / b rounded down; C rounds towards zero\n"
              "template <typename T>\n"
              "__forceinline__ __device__ T tvm_builtin_floordiv(T a, T b) {\n"
              "  T r = a % b;\n"
              "  return a / b - (r != 0 && (r ^ b) < 0 ? 1 : 0);\n"
              "}\n");
}

static bool not_negative(tc_ce e, const tc_expr *x) {
    int64_t lo, hi;
    return tc_range_of(e->facts, x, &lo, &hi) && lo >= 0;
}

static const char *floor_operator(tc_ce e, const tc_expr *x, const char *a,
                                  const char *b) {
    int64_t d;
    bool mod = x->bin.op == TC_FLOORMOD;
    if (tc_type_is_float(x->type)) {
        if (mod || x->type == TC_FLOAT16 || x->type == TC_BFLOAT16) {
            tc_ce_fail(e, x->span, NULL,
                       "CUDA text for this operator on %s is not built yet",
                       tc_dtypes[x->type].name);
        }
        return tc_format(e->arena, "%s(%s / %s)",
                         x->type == TC_FLOAT64 ? "floor" : "floorf", a, b);
    }
    if (tc_expr_const(x->bin.b, &d) && d == 0) {
        tc_ce_fail(e, x->span, NULL, "this divides by zero");
        return a;
    }
    if (tc_expr_const(x->bin.b, &d) && d > 0 && (d & (d - 1)) == 0 &&
        d <= INT32_MAX) {
        return cut(
            e, x->type,
            mod ? tc_format(e->arena, "(%s & %lld)", a, (long long)(d - 1))
                : tc_format(e->arena, "(%s >> %d)", a,
                            __builtin_ctzll((uint64_t)d)));
    }
    if (!tc_type_is_signed(x->type) ||
        (not_negative(e, x->bin.a) && not_negative(e, x->bin.b))) {
        return cut(e, x->type,
                   tc_format(e->arena, "(%s %s %s)", a, mod ? "%" : "/", b));
    }
    floor_helper(e, mod);
    return tc_format(e->arena, "%s<%s>(%s, %s)",
                     mod ? "tvm_builtin_floormod" : "tvm_builtin_floordiv",
                     tc_ce_type(e, x->type), tc_ce_bare(e, a),
                     tc_ce_bare(e, b));
}

static const char *binary(tc_ce e, const tc_expr *x) {
    const char *a = tc_ce_expr(e, x->bin.a), *b = tc_ce_expr(e, x->bin.b);
    switch (x->bin.op) {
    case TC_MIN:
    case TC_MAX:
        return minmax(e, x, a, b);
    case TC_FLOORDIV:
    case TC_FLOORMOD:
        return floor_operator(e, x, a, b);
    case TC_TRUEDIV:
        if (!tc_type_is_float(x->type)) {
            tc_ce_fail(e, x->span, "use // for a floor division",
                       "this operator does not take %s",
                       tc_dtypes[x->type].name);
        }
        break;
    default:
        break;
    }
    const char *text =
        tc_format(e->arena, "(%s %s %s)", a, operator_text(x->bin.op), b);
    bool logical = x->bin.op >= TC_LT;
    return logical ? text : cut(e, x->type, text);
}

static const char *cast(tc_ce e, const tc_expr *x) {
    const char *a = tc_ce_expr(e, x->cast.a), *to = tc_ce_type(e, x->type);
    tc_dtype from = x->cast.a->type;
    bool unknown = tc_dtypes[from].cls == TC_CLASS_FLOAT8 ||
                   tc_dtypes[x->type].cls == TC_CLASS_FLOAT8 ||
                   (x->type == TC_HANDLE) != (from == TC_HANDLE);
    bool address =
        from == TC_HANDLE && (x->type == TC_UINT64 || x->type == TC_INT64);
    if (unknown && !address) {
        tc_ce_fail(e, x->span, NULL,
                   "CUDA text for a conversion from %s to %s is not built yet",
                   tc_dtypes[from].name, tc_dtypes[x->type].name);
    }
    if (from == TC_FLOAT16 || from == TC_BFLOAT16) {
        return x->type == TC_FLOAT32
                   ? tc_format(e->arena, "((float)%s)", a)
                   : tc_format(e->arena, "((%s)(float)%s)", to, a);
    }
    return tc_format(e->arena, "((%s)%s)", to, a);
}

static const char *unary(tc_ce e, const tc_expr *x) {
    const char *a = tc_ce_expr(e, x->un.a);
    const char *op = x->un.op == TC_NEG ? "-" : x->un.op == TC_NOT ? "!" : "~";
    return cut(e, x->type, tc_format(e->arena, "(%s%s)", op, a));
}

static const char *select_text(tc_ce e, const tc_expr *x) {
    const char *c = tc_ce_expr(e, x->sel.c), *a = tc_ce_expr(e, x->sel.a),
               *b = tc_ce_expr(e, x->sel.b);
    const char *form = x->type == TC_HANDLE ? "(%s ? (void*)%s : (void*)%s)"
                                            : "(%s ? %s : %s)";
    return tc_format(e->arena, form, c, a, b);
}

static const char *bound_text(tc_ce e, const tc_var *v) {
    static const char *const names[] = {
        [TC_BIND_BLOCK_X] = "blockIdx.x",   [TC_BIND_BLOCK_Y] = "blockIdx.y",
        [TC_BIND_BLOCK_Z] = "blockIdx.z",   [TC_BIND_THREAD_X] = "threadIdx.x",
        [TC_BIND_THREAD_Y] = "threadIdx.y", [TC_BIND_THREAD_Z] = "threadIdx.z"};
    const char *type = tc_ce_type(e, v->type);
    if (v->bind < TC_BIND_CLUSTER_CTA_X) {
        return tc_format(e->arena, "((%s)%s)", type, names[v->bind]);
    }
    char axis = (char)('x' + (v->bind - TC_BIND_CLUSTER_CTA_X));
    const char *fn = tc_format(e->arena, "tvm_builtin_cluster_ctaid_%c", axis);
    tc_ce_helper(
        e, fn,
        tc_format(e->arena,
                  "__forceinline__ __device__ unsigned int %s() {\n"
                  "  unsigned int v;\n"
                  "  asm volatile(\"mov.u32 %%0, %%%%cluster_ctaid.%c;\" : "
                  "\"=r\"(v));\n"
                  "  return v;\n"
                  "}\n",
                  fn, axis));
    return tc_format(e->arena, "((%s)%s())", type, fn);
}

const char *tc_ce_expr(tc_ce e, const tc_expr *x) {
    if (e->failed) {
        return "0";
    }
    switch (x->kind) {
    case TC_E_INT:
        return int_text(e, x->type, x->i);
    case TC_E_FLOAT:
        e->seen[x->type] = true;
        return float_text(e, x->type, x->f);
    case TC_E_VAR:
        if (tc_name_of(&e->names, x->var) == NULL &&
            x->var->bind != TC_BIND_NONE && x->var->bind != TC_BIND_PARAM) {
            return bound_text(e, x->var);
        }
        return name_of(e, x->var, x->var->name, x->span);
    case TC_E_UNARY:
        return unary(e, x);
    case TC_E_BINARY:
        return binary(e, x);
    case TC_E_SELECT:
        return select_text(e, x);
    case TC_E_CAST:
        return cast(e, x);
    case TC_E_LOAD:
        return tc_ce_access(e, x->mem.buffer, x->mem.index, x->mem.n, x->span);
    case TC_E_ADDR:
        return tc_format(
            e->arena, "(&%s)",
            tc_ce_access(e, x->mem.buffer, x->mem.index, x->mem.n, x->span));
    case TC_E_CALL:
        return tc_ce_call(e, x);
    case TC_E_STRING:
        break;
    }
    tc_ce_fail(e, x->span, NULL,
               "a string value here is not built yet for CUDA");
    return "0";
}
