/* shared_layouts.c - functions that construct a layout of shared memory for TMA
 * and MMA, of scale factors, and of Trainium; and SwizzleMode. As in TVM
 * 0.25.0, backend/cuda/operator/tile_primitive/tma_utils.py and
 * gemm_async/tcgen05.py. */
#include "front/layout_call.h"
#include "layout/helpers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static tc_layout_ctx context(tc_eval_ctx *e) {
    return (tc_layout_ctx){.arena = e->arena,
                           .target_cuda = e->front->target_cuda};
}

static bool answer(tc_eval_ctx *e, const tc_args *args, tc_layout_ctx *cx,
                   tc_layout_result result, const tc_layout *l, tc_value *out) {
    if (result != TC_LAYOUT_OK) {
        return tc_front_fail(e, args->span, NULL, "%s",
                             cx->message != NULL ? cx->message
                                                 : "no such layout");
    }
    *out = tc_value_layout(l);
    return true;
}

/* --- SwizzleMode --------------------------------------------------------- */

bool tc_swizzle_mode_member(tc_eval_ctx *e, const char *name, tc_span at,
                            tc_value *out) {
    const char *near = NULL, *last;
    for (int i = 0; i <= TC_SWIZZLE_128B_ATOM; i++) {
        last = tc_swizzle_mode_name((tc_swizzle_mode)i);
        if (strcmp(last, name) == 0) {
            *out = (tc_value){.kind = TC_V_SWIZZLE_MODE, .i = i, .s = last};
            return true;
        }
        near = strncmp(last, name, strlen(name)) == 0 ? last : near;
    }
    near = near != NULL ? tc_format(e->arena, "did you mean '%s'?", near)
                        : "SWIZZLE_NONE, SWIZZLE_32B_ATOM, SWIZZLE_64B_ATOM, "
                          "SWIZZLE_128B_ATOM";
    return tc_front_fail(e, at, near, "SwizzleMode has no '%s'", name);
}

/* A mode, or its number. */
static bool want_mode(tc_eval_ctx *e, const tc_arg *arg, tc_swizzle_mode *out) {
    int64_t i = arg->value.i;
    if (arg->value.kind != TC_V_SWIZZLE_MODE &&
        !tc_want_int(e, &arg->value, arg->span, "the swizzle mode", &i)) {
        return false;
    }
    if (i < TC_SWIZZLE_NONE || i > TC_SWIZZLE_128B_ATOM) {
        return tc_front_fail(e, arg->span, "SwizzleMode.SWIZZLE_128B_ATOM",
                             "there is no swizzle mode %lld", (long long)i);
    }
    *out = (tc_swizzle_mode)i;
    return true;
}

/* --- data types, by their bits ------------------------------------------- */

/* Bits that TVM's name of a data type has, also of types that programs here
 * cannot have ("float4_e2m1fn"); 0: no such name. */
static int bits_of_name(const char *name) {
    static const char *const kinds[] = {"int", "uint", "float", "bfloat"};
    tc_dtype known;
    if (tc_dtype_find(name, &known)) {
        return tc_dtypes[known].bits;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);
        if (strncmp(name, kinds[i], n) == 0 &&
            isdigit((unsigned char)name[n])) {
            char *end;
            long bits = strtol(name + n, &end, 10);
            bool whole = *end == '\0' || (*end == '_' && i == 2);
            return whole && bits <= 128 ? (int)bits : 0;
        }
    }
    return 0;
}

bool tc_want_bits(tc_eval_ctx *e, const tc_arg *arg, int *bits) {
    const char *name;
    tc_dtype type;
    if (arg->value.kind == TC_V_STRING) {
        name = arg->value.s;
        *bits = bits_of_name(name);
        if (*bits > 0) {
            return true;
        }
    }
    if (!tc_want_dtype(e, &arg->value, arg->span, &type)) {
        return false;
    }
    *bits = tc_dtypes[type].bits;
    return true;
}

/* --- TMA and MMA --------------------------------------------------------- */

bool tc_call_mma_atom_layout(tc_eval_ctx *e, const tc_args *args,
                             tc_value *out) {
    const tc_arg *b[2];
    const tc_layout *l = NULL;
    tc_swizzle_mode mode;
    int bits;
    if (!tc_bind_args(e, args, "dtype,swizzle_mode", 2, b) ||
        !tc_want_bits(e, b[0], &bits) || !want_mode(e, b[1], &mode)) {
        return false;
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r = tc_mma_atom_layout(&cx, bits, mode, &l);
    return answer(e, args, &cx, r, l, out);
}

/* [8, columns], with a 1 for each further dimension of shape. */
bool tc_call_mma_atom_shape(tc_eval_ctx *e, const tc_args *args,
                            tc_value *out) {
    const tc_arg *b[3];
    const int64_t *shape;
    int64_t atom[2];
    tc_swizzle_mode mode;
    int bits, n = 2;
    if (!tc_bind_args(e, args, "dtype,swizzle_mode,shape", 2, b) ||
        !tc_want_bits(e, b[0], &bits) || !want_mode(e, b[1], &mode) ||
        (b[2] != NULL && b[2]->value.kind != TC_V_NONE &&
         !tc_want_ints(e, b[2], "the shape", &shape, &n))) {
        return false;
    }
    tc_layout_ctx cx = context(e);
    if (tc_mma_atom_shape(&cx, bits, mode, atom) != TC_LAYOUT_OK) {
        return answer(e, args, &cx, TC_LAYOUT_FAILED, NULL, out);
    }
    n = n < 2 ? 2 : n;
    tc_value *items = TC_NEWN(e->arena, tc_value, n);
    for (int i = 0; i < n; i++) {
        items[i] = tc_value_int(i < n - 2 ? 1 : atom[i - (n - 2)]);
    }
    *out = tc_value_items(TC_V_LIST, items, n);
    return true;
}

bool tc_call_mma_shared_layout(tc_eval_ctx *e, const tc_args *args,
                               tc_value *out) {
    const tc_arg *b[3];
    const tc_layout *l = NULL;
    const int64_t *shape;
    tc_swizzle_mode mode;
    int bits, n;
    if (!tc_bind_args(e, args, "dtype,swizzle_mode,shape", 3, b) ||
        !tc_want_bits(e, b[0], &bits) || !want_mode(e, b[1], &mode) ||
        !tc_want_ints(e, b[2], "the shape", &shape, &n)) {
        return false;
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r = tc_mma_shared_layout(&cx, bits, mode, shape, n, &l);
    return answer(e, args, &cx, r, l, out);
}

bool tc_call_get_swizzle_mode(tc_eval_ctx *e, const tc_args *args,
                              tc_value *out) {
    const tc_arg *b[1];
    const tc_layout *l;
    tc_swizzle_mode mode;
    if (!tc_bind_args(e, args, "layout", 1, b) ||
        !tc_want_layout(e, &b[0]->value, b[0]->span, &l)) {
        return false;
    }
    *out = tc_value_none();
    return tc_swizzle_mode_of(l, &mode) != TC_LAYOUT_OK ||
           tc_swizzle_mode_member(e, tc_swizzle_mode_name(mode), args->span,
                                  out);
}

/* --- scale factors ------------------------------------------------------- */

typedef tc_layout_result (*sf_fn)(tc_layout_ctx *cx, int64_t rows, int64_t sf_k,
                                  int64_t sf_per_mma, int64_t sf_reuse,
                                  const int64_t *depth, const tc_layout **out);

static bool call_sf(tc_eval_ctx *e, const tc_args *args, sf_fn make,
                    tc_value *out) {
    static const char *const names[] = {"rows", "SF_K", "sf_per_mma",
                                        "sf_reuse", "pipe_depth"};
    const tc_arg *b[5];
    const tc_layout *l = NULL;
    int64_t v[5] = {[3] = 1};
    if (!tc_bind_args(e, args, "rows,SF_K,sf_per_mma,sf_reuse,pipe_depth", 3,
                      b)) {
        return false;
    }
    bool deep = b[4] != NULL && b[4]->value.kind != TC_V_NONE;
    for (int i = 0; i < 4 + deep; i++) {
        if (b[i] != NULL &&
            !tc_want_int(e, &b[i]->value, b[i]->span, names[i], &v[i])) {
            return false;
        }
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r =
        make(&cx, v[0], v[1], v[2], v[3], deep ? &v[4] : NULL, &l);
    return answer(e, args, &cx, r, l, out);
}

bool tc_call_sf_smem_layout(tc_eval_ctx *e, const tc_args *args,
                            tc_value *out) {
    return call_sf(e, args, tc_sf_smem_layout, out);
}

bool tc_call_sf_tmem_layout(tc_eval_ctx *e, const tc_args *args,
                            tc_value *out) {
    return call_sf(e, args, tc_sf_tmem_layout, out);
}

/* --- Trainium ------------------------------------------------------------ */

bool tc_call_trainium(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[3];
    const tc_layout *l = NULL;
    const char *annotation;
    const int64_t *shape;
    bool psum = false;
    int n;
    if (!tc_bind_args(e, args, "annotation,shape,is_psum", 2, b) ||
        !tc_want_string(e, &b[0]->value, b[0]->span, "the annotation",
                        &annotation) ||
        !tc_want_ints(e, b[1], "the shape", &shape, &n) ||
        (b[2] != NULL &&
         !tc_want_bool(e, &b[2]->value, b[2]->span, "is_psum", &psum))) {
        return false;
    }
    tc_layout_ctx cx = context(e);
    tc_layout_result r =
        tc_trainium_layout(&cx, annotation, shape, n, psum, &l);
    return answer(e, args, &cx, r, l, out);
}
