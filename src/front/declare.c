/* declare.c - buffers and scope ids: T.match_buffer, T.alloc_*, T.decl_buffer,
 * buffer.view, T.cta_id and its kin. */
#include "front/internal.h"

#include <string.h>

bool tc_need_body(tc_eval_ctx *e, const char *what, tc_span span) {
    return e->body != NULL ||
           tc_front_fail(e, span, "put it into a @T.prim_func",
                         "'%s' stands inside a prim_func only", what);
}

tc_buffer *tc_new_buffer(tc_eval_ctx *e, tc_dtype type, tc_space space,
                         const int64_t *shape, int rank, tc_span span) {
    tc_func *f = e->body->func;
    tc_buffer *b = TC_NEW(e->arena, tc_buffer);
    b->type = type;
    b->space = space;
    b->rank = rank;
    b->shape = TC_NEWN(e->arena, int64_t, rank);
    memcpy(b->shape, shape, sizeof *shape * (size_t)rank);
    b->span = span;
    TC_PUSH(e->arena, f->buffers, f->nbuffers, e->body->buffers_cap, b);
    return b;
}

void tc_declare(tc_eval_ctx *e, tc_buffer *b, bool is_view) {
    tc_stmt *s = tc_emit_stmt(e, TC_S_ALLOC, b->span);
    s->buffer = b;
    s->is_view = is_view;
    tc_note_unnamed(e, NULL, b, NULL);
}

/* --- common arguments -------------------------------------------------- */

typedef struct shape_type {
    int64_t *shape;
    int rank;
    tc_dtype type;
} shape_type;

static bool want_shape_type(tc_eval_ctx *e, const tc_arg *shape,
                            const tc_arg *dtype, shape_type *out) {
    out->type = TC_FLOAT32;
    if (!tc_want_shape(e, &shape->value, shape->span, "the shape", &out->shape,
                       &out->rank)) {
        return false;
    }
    if (dtype != NULL &&
        !tc_want_dtype(e, &dtype->value, dtype->span, &out->type)) {
        return false;
    }
    return out->type != TC_HANDLE ||
           tc_front_fail(e, dtype->span, NULL, "a buffer of handles");
}

/* layout=: a layout, None, or "default": row-major. */
static bool want_buffer_layout(tc_eval_ctx *e, const tc_arg *arg,
                               tc_buffer *b) {
    b->layout = tc_layout_row_major(e->arena, b->shape, b->rank);
    if (arg == NULL || (arg->value.kind == TC_V_STRING &&
                        strcmp(arg->value.s, "default") == 0)) {
        return true;
    }
    if (arg->value.kind == TC_V_NONE) {
        b->layout = NULL;
        return true;
    }
    return tc_want_layout(e, &arg->value, arg->span, &b->layout);
}

static bool want_space(tc_eval_ctx *e, const tc_arg *arg, tc_space *out) {
    static const char *const names[] = {"global", "shared", "shared.dyn",
                                        "local", "tmem"};
    const char *s;
    if (!tc_want_string(e, &arg->value, arg->span, "the scope", &s)) {
        return false;
    }
    for (int i = 0; i < 5; i++) {
        if (strcmp(names[i], s) == 0) {
            *out = (tc_space)i;
            return true;
        }
    }
    const char *hint = tc_did_you_mean(e, s, names, 5);
    return tc_front_fail(
        e, arg->span,
        hint != NULL ? hint : "global, shared, shared.dyn, local or tmem",
        "there is no memory scope '%s'", s);
}

static bool want_align(tc_eval_ctx *e, const tc_arg *arg, tc_buffer *b) {
    int64_t v;
    if (arg == NULL) {
        return true;
    }
    if (!tc_want_int(e, &arg->value, arg->span, "align", &v)) {
        return false;
    }
    if (v == -1 || v == 0) {
        return true;
    }
    if (v < 1 || v > 65536 || (v & (v - 1)) != 0) {
        return tc_front_fail(e, arg->span, NULL,
                             "align is %lld: a power of 2 is needed, in bytes",
                             (long long)v);
    }
    b->align = v;
    return true;
}

/* Arguments that TVM has and this program does not: None and defaults pass. */
static bool refuse(tc_eval_ctx *e, const tc_args *args, const char *name,
                   const tc_arg *arg) {
    return arg == NULL || arg->value.kind == TC_V_NONE ||
           tc_front_fail(e, arg->span, NULL,
                         "the argument '%s' of %s is not built yet", name,
                         args->function);
}

static tc_value buffer_value(tc_buffer *b) {
    return (tc_value){.kind = TC_V_BUFFER, .buffer = b};
}

/* --- T.match_buffer ---------------------------------------------------- */

static bool check_param(tc_eval_ctx *e, const tc_arg *arg, tc_var **out) {
    const tc_value *v = &arg->value;
    if (v->kind != TC_V_EXPR || v->expr->kind != TC_E_VAR ||
        v->expr->var->bind != TC_BIND_PARAM ||
        v->expr->var->type != TC_HANDLE) {
        return tc_front_fail(e, arg->span,
                             "name a parameter that is declared as T.handle",
                             "T.match_buffer needs a pointer parameter");
    }
    *out = v->expr->var;
    const tc_func *f = e->body->func;
    for (int i = 0; i < f->nbuffers; i++) {
        if (f->buffers[i]->param == *out) {
            return tc_front_fail(e, arg->span, NULL,
                                 "parameter '%s' is matched to a buffer twice",
                                 (*out)->name);
        }
    }
    return true;
}

bool tc_call_match_buffer(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[12];
    shape_type st;
    tc_var *param = NULL;
    tc_space space = TC_SPACE_GLOBAL;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args,
                      "param,shape,dtype,data,strides,elem_offset,scope,align,"
                      "offset_factor,buffer_type,axis_separators,layout",
                      2, b) ||
        !check_param(e, b[0], &param) || !want_shape_type(e, b[1], b[2], &st) ||
        !refuse(e, args, "data", b[3]) || !refuse(e, args, "strides", b[4]) ||
        !refuse(e, args, "elem_offset", b[5]) ||
        !refuse(e, args, "offset_factor", b[8]) ||
        !refuse(e, args, "buffer_type", b[9]) ||
        !refuse(e, args, "axis_separators", b[10]) ||
        (b[6] != NULL && !want_space(e, b[6], &space))) {
        return false;
    }
    if (space != TC_SPACE_GLOBAL) {
        return tc_front_fail(e, b[6]->span, NULL,
                             "a parameter's memory is global, not %s",
                             tc_space_name(space));
    }
    tc_buffer *buf =
        tc_new_buffer(e, st.type, space, st.shape, st.rank, args->span);
    buf->param = param;
    if (!want_align(e, b[7], buf) || !want_buffer_layout(e, b[11], buf)) {
        return false;
    }
    tc_declare(e, buf, false);
    *out = buffer_value(buf);
    return true;
}

/* --- T.alloc_buffer, T.alloc_shared, T.alloc_local --------------------- */

static bool want_address(tc_eval_ctx *e, const tc_arg *arg, tc_buffer *b) {
    if (arg == NULL || arg->value.kind == TC_V_NONE) {
        return true;
    }
    const tc_value *v = &arg->value;
    if (tc_value_is_sequence(v) && v->nitems == 1) {
        v = &v->items[0];
    }
    return tc_want_expr(e, v, arg->span, "allocated_addr", &b->allocated_addr);
}

static bool alloc(tc_eval_ctx *e, const tc_args *args, tc_space space,
                  tc_value *out) {
    const tc_arg *b[14];
    shape_type st;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args,
                      "shape,dtype,data,strides,elem_offset,byte_offset,scope,"
                      "align,offset_factor,buffer_type,axis_separators,layout,"
                      "allocated_addr,annotations",
                      1, b) ||
        !want_shape_type(e, b[0], b[1], &st) ||
        !refuse(e, args, "data", b[2]) || !refuse(e, args, "strides", b[3]) ||
        !refuse(e, args, "elem_offset", b[4]) ||
        !refuse(e, args, "byte_offset", b[5]) ||
        !refuse(e, args, "offset_factor", b[8]) ||
        !refuse(e, args, "buffer_type", b[9]) ||
        !refuse(e, args, "axis_separators", b[10]) ||
        !refuse(e, args, "annotations", b[13]) ||
        (b[6] != NULL && !want_space(e, b[6], &space))) {
        return false;
    }
    if (space == TC_SPACE_GLOBAL) {
        return tc_front_fail(e, args->span,
                             "give it scope=\"shared\" or scope=\"local\"",
                             "a kernel cannot allocate global memory");
    }
    tc_buffer *buf =
        tc_new_buffer(e, st.type, space, st.shape, st.rank, args->span);
    if (!want_align(e, b[7], buf) || !want_buffer_layout(e, b[11], buf) ||
        !want_address(e, b[12], buf)) {
        return false;
    }
    tc_declare(e, buf, false);
    *out = buffer_value(buf);
    return true;
}

bool tc_call_alloc_buffer(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return alloc(e, args, TC_SPACE_GLOBAL, out);
}

bool tc_call_alloc_shared(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return alloc(e, args, TC_SPACE_SHARED, out);
}

bool tc_call_alloc_local(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    return alloc(e, args, TC_SPACE_LOCAL, out);
}

/* --- T.decl_buffer and views ------------------------------------------- */

/* data=: the pointer of a buffer. */
static bool want_base(tc_eval_ctx *e, const tc_arg *arg, bool scope_given,
                      tc_buffer *b) {
    if (arg == NULL || arg->value.kind == TC_V_NONE) {
        return true;
    }
    const tc_value *v = &arg->value;
    if (v->kind != TC_V_EXPR || v->expr->kind != TC_E_ADDR) {
        return tc_front_fail(e, arg->span, "pass the data of a buffer: A.data",
                             "data must be the pointer of a buffer");
    }
    tc_buffer *of = v->expr->mem.buffer;
    b->space = scope_given ? b->space : of->space;
    if (of->space != b->space) {
        return tc_front_fail(
            e, arg->span,
            tc_format(e->arena, "give scope=\"%s\"", tc_space_name(of->space)),
            "data is in %s memory, and scope says %s", tc_space_name(of->space),
            tc_space_name(b->space));
    }
    b->base = of->base != NULL ? of->base : of;
    if (of->space == TC_SPACE_SHARED_DYN) {
        tc_over over = {b, of};
        TC_PUSH(e->arena, e->body->overs, e->body->novers, e->body->overs_cap,
                over);
    }
    return true;
}

static bool want_offset(tc_eval_ctx *e, const tc_arg *arg, int divide,
                        tc_buffer *b) {
    tc_expr *x;
    if (arg == NULL || arg->value.kind == TC_V_NONE) {
        return true;
    }
    if (!tc_want_expr(e, &arg->value, arg->span, "the offset", &x)) {
        return false;
    }
    if (divide > 1) {
        x = tc_binary(e->arena, TC_FLOORDIV, x, tc_int(e->arena, divide));
    }
    b->elem_offset = x;
    return true;
}

bool tc_call_decl_buffer(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[13];
    shape_type st;
    tc_space space = TC_SPACE_GLOBAL;
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args,
                      "shape,dtype,data,strides,elem_offset,byte_offset,scope,"
                      "align,offset_factor,buffer_type,axis_separators,layout,"
                      "allocated_addr",
                      1, b) ||
        !want_shape_type(e, b[0], b[1], &st) ||
        !refuse(e, args, "strides", b[3]) ||
        !refuse(e, args, "offset_factor", b[8]) ||
        !refuse(e, args, "buffer_type", b[9]) ||
        !refuse(e, args, "axis_separators", b[10]) ||
        (b[6] != NULL && !want_space(e, b[6], &space))) {
        return false;
    }
    tc_buffer *buf =
        tc_new_buffer(e, st.type, space, st.shape, st.rank, args->span);
    if (!want_base(e, b[2], b[6] != NULL, buf) ||
        !want_offset(e, b[4], 1, buf) ||
        !want_offset(e, b[5], tc_dtype_bytes(st.type), buf) ||
        !want_align(e, b[7], buf) || !want_buffer_layout(e, b[11], buf) ||
        !want_address(e, b[12], buf)) {
        return false;
    }
    if (buf->base == NULL && buf->space == TC_SPACE_GLOBAL) {
        return tc_front_fail(e, args->span, "pass data=A.data, or a scope",
                             "a kernel cannot allocate global memory");
    }
    tc_declare(e, buf, buf->base != NULL);
    *out = buffer_value(buf);
    return true;
}

/* One -1 stands for what the other extents leave. */
static bool infer_view_shape(tc_eval_ctx *e, const tc_buffer *b, int64_t *shape,
                             int rank, tc_span at) {
    int64_t have = tc_buffer_elements(b), rest = 1;
    int open = -1;
    for (int i = 0; i < rank; i++) {
        if (shape[i] == -1 && open < 0) {
            open = i;
        } else if (__builtin_mul_overflow(rest, shape[i], &rest)) {
            rest = 0;
        }
    }
    if (open >= 0 && rest > 0 && have % rest == 0) {
        shape[open] = have / rest;
        rest = have;
    }
    return rest == have ||
           tc_front_fail(e, at, NULL,
                         "the buffer has %lld elements: the view's shape does "
                         "not fit",
                         (long long)have);
}

static bool view_shape(tc_eval_ctx *e, const tc_args *args, tc_value *shape) {
    bool one =
        args->npositional == 1 && tc_value_is_sequence(&args->items[0].value);
    if (one) {
        *shape = args->items[0].value;
        return true;
    }
    tc_value *v = TC_NEWN(e->arena, tc_value, args->npositional + 1);
    for (int i = 0; i < args->npositional; i++) {
        v[i] = args->items[i].value;
    }
    *shape = tc_value_items(TC_V_TUPLE, v, args->npositional);
    return true;
}

static bool view_dims(tc_eval_ctx *e, const tc_buffer *b, const tc_args *args,
                      bool infer, int64_t **dims, int *rank) {
    tc_value shape;
    view_shape(e, args, &shape);
    if (!infer) {
        return tc_want_shape(e, &shape, args->span, "the shape", dims, rank);
    }
    *rank = shape.nitems;
    if (*rank < 1 || *rank > TC_MAX_RANK) {
        return tc_front_fail(e, args->span, NULL,
                             "a view has 1 to %d dimensions", TC_MAX_RANK);
    }
    *dims = TC_NEWN(e->arena, int64_t, *rank);
    for (int i = 0; i < *rank; i++) {
        if (!tc_want_int(e, &shape.items[i], args->span, "the view's extent",
                         &(*dims)[i])) {
            return false;
        }
        if ((*dims)[i] < 1 && (*dims)[i] != -1) {
            return tc_front_fail(e, args->span, NULL,
                                 "the view's extent %d is %lld", i,
                                 (long long)(*dims)[i]);
        }
    }
    return infer_view_shape(e, b, *dims, *rank, args->span);
}

/* buffer.view(d0, d1, ..., layout=L). */
static bool view(tc_eval_ctx *e, tc_buffer *of, const tc_args *args,
                 tc_value *out) {
    const tc_arg *layout = NULL;
    int64_t *dims;
    int rank;
    for (int i = args->npositional; i < args->n; i++) {
        if (strcmp(args->items[i].name, "layout") != 0) {
            return tc_front_fail(e, args->items[i].span, "layout=...",
                                 "view has no argument '%s'",
                                 args->items[i].name);
        }
        layout = &args->items[i];
    }
    if (args->npositional == 1 && (args->items[0].value.kind == TC_V_STRING ||
                                   args->items[0].value.kind == TC_V_DTYPE)) {
        tc_buffer *b;
        if (!tc_view_as(e, of, &args->items[0], args->span, &b)) {
            return false;
        }
        tc_declare(e, b, true);
        *out = buffer_value(b);
        return true;
    }
    bool none = layout == NULL || layout->value.kind == TC_V_NONE;
    if (!view_dims(e, of, args, none, &dims, &rank)) {
        return false;
    }
    tc_buffer *b =
        tc_new_buffer(e, of->type, of->space, dims, rank, args->span);
    b->base = of->base != NULL ? of->base : of;
    b->elem_offset = of->elem_offset;
    b->allocated_addr = of->allocated_addr;
    b->align = of->align;
    b->layout = of->layout;
    if (!none && !tc_want_layout(e, &layout->value, layout->span, &b->layout)) {
        return false;
    }
    tc_declare(e, b, true);
    *out = buffer_value(b);
    return true;
}

bool tc_call_buffer_method(tc_eval_ctx *e, tc_buffer *b, const char *method,
                           tc_span method_span, const tc_args *args,
                           tc_value *out) {
    static const char *const known[] = {"ptr_to", "view", "scope"};
    static const char *const later[] = {
        "access_ptr",     "vload",          "vstore",  "offset_of",
        "elem_offset_of", "byte_offset_of", "permute", "is_scalar"};
    const tc_arg *bound[1];
    if (strcmp(method, "view") == 0) {
        return view(e, b, args, out);
    }
    if (strcmp(method, "local") == 0) {
        return tc_buffer_local(e, b, args, out);
    }
    if (strcmp(method, "scope") == 0) {
        *out = tc_value_string(tc_space_name(b->space));
        return true;
    }
    if (strcmp(method, "ptr_to") == 0) {
        if (!tc_bind_args(e, args, "indices", 1, bound)) {
            return false;
        }
        const tc_value *v = &bound[0]->value;
        if (!tc_value_is_sequence(v)) {
            return tc_front_fail(e, bound[0]->span, "write ptr_to([i, j])",
                                 "ptr_to takes a list of indices");
        }
        if (!tc_buffer_at(e, b, v->items, v->nitems, bound[0]->span, out)) {
            return false;
        }
        tc_expr *load = out->expr;
        *out =
            tc_value_expr(tc_addr(e->arena, b, load->mem.index, load->mem.n));
        out->expr->span = args->span;
        return true;
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (strcmp(later[i], method) == 0) {
            return tc_front_fail(e, method_span, NULL,
                                 "'%s' of a buffer is not built yet", method);
        }
    }
    return tc_front_fail(e, method_span, tc_did_you_mean(e, method, known, 3),
                         "a buffer has no method '%s'", method);
}
