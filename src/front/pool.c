/* pool.c - T.SMEMPool: buffers one after the other in one dynamic array
 * (TVM: backend/cuda/lang/alloc_pool.py, SMEMPool). */
#include "front/internal.h"
#include "layout/helpers.h"

#include <string.h>

enum { MAX_POOL = 1 << 30 }; /* bytes; no machine has as many */

const char *tc_object_class(const tc_object *o) {
    return o->kind == TC_O_SMEM_POOL  ? "SMEMPool"
           : o->kind == TC_O_MBARRIER ? "MBarrier"
                                      : "TMABar";
}

static tc_value object_value(tc_object *o) {
    return (tc_value){.kind = TC_V_OBJECT, .object = o, .buffer = o->buf};
}

/* An array of bytes without a size: commit() says how many. */
static tc_buffer *new_storage(tc_eval_ctx *e, tc_span span) {
    int64_t none = 0;
    tc_buffer *b =
        tc_new_buffer(e, TC_UINT8, TC_SPACE_SHARED_DYN, &none, 1, span);
    tc_emit_stmt(e, TC_S_ALLOC, span)->buffer = b;
    tc_note_unnamed(e, NULL, b, NULL);
    return b;
}

/* T.SMEMPool(), or T.SMEMPool(A.data): within what A belongs to. */
bool tc_call_smem_pool(tc_eval_ctx *e, const tc_args *args, tc_value *out) {
    const tc_arg *b[1];
    tc_object *o = TC_NEW(e->arena, tc_object);
    if (!tc_need_body(e, args->function, args->span) ||
        !tc_bind_args(e, args, "ptr", 0, b)) {
        return false;
    }
    o->kind = TC_O_SMEM_POOL;
    if (b[0] == NULL) {
        o->owns = true;
        o->buf = new_storage(e, args->span);
        *out = object_value(o);
        return true;
    }
    const tc_value *v = &b[0]->value;
    if (v->kind != TC_V_EXPR || v->expr->kind != TC_E_ADDR ||
        !tc_space_is_shared(v->expr->mem.buffer->space)) {
        return tc_front_fail(e, b[0]->span, "pass A.data, or nothing",
                             "a pool lies in shared memory: this is no pointer "
                             "of a shared buffer");
    }
    o->buf = v->expr->mem.buffer;
    o->buf = o->buf->base != NULL ? o->buf->base : o->buf;
    *out = object_value(o);
    return true;
}

/* --- alloc ------------------------------------------------------------- */

static bool want_pool_align(tc_eval_ctx *e, const tc_arg *arg, int64_t *out) {
    *out = 0;
    if (arg == NULL) {
        return true;
    }
    if (!tc_want_int(e, &arg->value, arg->span, "align", out)) {
        return false;
    }
    return (*out >= 0 && *out <= 65536 && (*out & (*out - 1)) == 0) ||
           tc_front_fail(e, arg->span, NULL,
                         "align is %lld: a power of 2 is needed, in bytes",
                         (long long)*out);
}

static tc_value pool_data(tc_eval_ctx *e, const tc_object *pool) {
    tc_buffer *b = pool->buf;
    tc_expr **zero = TC_NEWN(e->arena, tc_expr *, b->rank + 1);
    for (int i = 0; i < b->rank; i++) {
        zero[i] = tc_int(e->arena, 0);
    }
    return tc_value_expr(tc_addr(e->arena, b, zero, b->rank));
}

static void add_arg(tc_args *args, const char *name, tc_value value,
                    tc_span span) {
    args->items[args->n++] = (tc_arg){name, value, span};
}

static bool is_default(const tc_arg *arg) {
    return arg == NULL || arg->value.kind == TC_V_NONE ||
           (arg->value.kind == TC_V_STRING && arg->value.s[0] == '\0');
}

/* Where the next allocation begins after this one. */
static bool advance(tc_eval_ctx *e, tc_object *pool, const tc_buffer *made,
                    tc_span span) {
    int64_t bits;
    if (__builtin_mul_overflow(tc_buffer_elements(made),
                               tc_dtypes[made->type].bits, &bits) ||
        bits / 8 > MAX_POOL || pool->offset + bits / 8 > MAX_POOL) {
        return tc_front_fail(e, span, NULL,
                             "the pool grows over %d MiB: no machine has so "
                             "much shared memory",
                             MAX_POOL >> 20);
    }
    pool->offset += (bits + 7) / 8;
    if (pool->owns && pool->offset > pool->max_offset) {
        pool->max_offset = pool->offset;
    }
    return true;
}

bool tc_pool_alloc(tc_eval_ctx *e, tc_object *pool, const tc_args *args,
                   tc_value *out) {
    static const char *const names[] = {
        "shape", "dtype",       "strides",         "scope",
        "align", "buffer_type", "axis_separators", "layout"};
    const tc_arg *b[8];
    tc_arg items[10];
    int64_t align;
    tc_args decl = {
        .function = "pool.alloc", .span = args->span, .items = items};
    if (!tc_bind_args(e, args,
                      "shape,dtype,strides,scope,align,buffer_type,"
                      "axis_separators,layout",
                      1, b) ||
        !want_pool_align(e, b[4], &align)) {
        return false;
    }
    if (align > 0) {
        pool->offset = (pool->offset + align - 1) / align * align;
    }
    for (int i = 0; i < 8; i++) {
        bool given = i == 7 ? b[i] != NULL : !is_default(b[i]);
        if (given) {
            add_arg(&decl, names[i], b[i]->value, b[i]->span);
        }
    }
    if (is_default(b[3])) {
        add_arg(&decl, "scope",
                tc_value_string(tc_space_name(pool->buf->space)), args->span);
    }
    add_arg(&decl, "data", pool_data(e, pool), args->span);
    add_arg(&decl, "byte_offset", tc_value_int(pool->offset), args->span);
    return tc_call_decl_buffer(e, &decl, out) &&
           advance(e, pool, out->buffer, args->span);
}

/* An int, "auto" or "none" as the mode of TVM's SwizzleMode. */
static bool mma_mode(tc_eval_ctx *e, const tc_arg *arg, tc_value *out) {
    bool text = arg != NULL && arg->value.kind == TC_V_STRING;
    const char *s = text ? arg->value.s : "auto";
    if (arg != NULL && !text) {
        *out = arg->value;
        return true;
    }
    if (strcmp(s, "auto") != 0 && strcmp(s, "none") != 0) {
        return tc_front_fail(e, arg->span,
                             "\"auto\", \"none\" or a SwizzleMode",
                             "swizzle_mode cannot be \"%s\"", s);
    }
    *out = tc_value_int(s[0] == 'a' ? TC_SWIZZLE_128B_ATOM : TC_SWIZZLE_NONE);
    return true;
}

/* alloc with the layout that mma_shared_layout gives; aligned to 1024. */
static bool alloc_mma(tc_eval_ctx *e, tc_object *pool, const tc_args *args,
                      tc_value *out) {
    const tc_arg *b[4];
    tc_value mode, layout;
    tc_value dtype = tc_value_string("float16"), align = tc_value_int(1024);
    if (!tc_bind_args(e, args, "shape,dtype,swizzle_mode,align", 1, b) ||
        !mma_mode(e, b[2], &mode)) {
        return false;
    }
    dtype = b[1] != NULL ? b[1]->value : dtype;
    align = b[3] != NULL ? b[3]->value : align;
    tc_span span = b[2] != NULL ? b[2]->span : args->span;
    tc_arg of_layout[] = {{NULL, dtype, args->span},
                          {NULL, mode, span},
                          {NULL, b[0]->value, b[0]->span}};
    tc_args ask = {.function = "alloc_mma",
                   .span = args->span,
                   .items = of_layout,
                   .n = 3,
                   .npositional = 3};
    if (!tc_call_mma_shared_layout(e, &ask, &layout)) {
        return false;
    }
    tc_arg items[] = {{"shape", b[0]->value, b[0]->span},
                      {"dtype", dtype, args->span},
                      {"align", align, args->span},
                      {"layout", layout, args->span}};
    tc_args call = {
        .function = "alloc_mma", .span = args->span, .items = items, .n = 4};
    return tc_pool_alloc(e, pool, &call, out);
}

/* --- the other methods ------------------------------------------------- */

static bool commit(tc_eval_ctx *e, tc_object *pool, const tc_args *args) {
    const tc_arg *b[1];
    int64_t size = pool->max_offset;
    tc_arena *a = e->arena;
    if (!tc_bind_args(e, args, "size", 0, b)) {
        return false;
    }
    if (b[0] != NULL && b[0]->value.kind != TC_V_NONE &&
        !tc_want_int(e, &b[0]->value, b[0]->span, "size", &size)) {
        return false;
    }
    if (size < pool->max_offset || size > MAX_POOL) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "%lld bytes: the pool's allocations need %lld",
                             (long long)size, (long long)pool->max_offset);
    }
    if (!pool->owns) { /* whoever made the storage has sized it */
        return true;
    }
    tc_expr *zero = tc_int(a, 0);
    tc_expr *x[] = {tc_addr(a, pool->buf, &zero, 1),
                    tc_string(a, "tirx.pool_max_bytes"), tc_int(a, size)};
    pool->buf->pool_bytes = size;
    tc_stmt *s = tc_emit_stmt(e, TC_S_EVAL, args->span);
    s->value = tc_call(a, TC_OPC_POOL_COMMIT, TC_VOID, x, 3);
    return true;
}

static bool move_base_to(tc_eval_ctx *e, tc_object *pool, const tc_args *args) {
    const tc_arg *b[1];
    int64_t offset;
    if (!tc_bind_args(e, args, "offset", 1, b) ||
        !tc_want_int(e, &b[0]->value, b[0]->span, "the offset", &offset)) {
        return false;
    }
    if (offset < 0 || offset > MAX_POOL) {
        return tc_front_fail(e, b[0]->span, NULL,
                             "offset %lld: 0 to %d bytes are possible",
                             (long long)offset, MAX_POOL);
    }
    pool->offset = offset;
    if (pool->owns && offset > pool->max_offset) {
        pool->max_offset = offset;
    }
    return true;
}

bool tc_pool_method(tc_eval_ctx *e, tc_object *o, const char *method,
                    tc_span method_span, const tc_args *args, tc_value *out) {
    static const char *const known[] = {"alloc", "alloc_mma", "commit",
                                        "move_base_to"};
    *out = tc_value_none();
    if (strcmp(method, "alloc") == 0) {
        return tc_pool_alloc(e, o, args, out);
    }
    if (strcmp(method, "commit") == 0) {
        return commit(e, o, args);
    }
    if (strcmp(method, "move_base_to") == 0) {
        return move_base_to(e, o, args);
    }
    if (strcmp(method, "alloc_mma") == 0) {
        return alloc_mma(e, o, args, out);
    }
    return tc_front_fail(e, method_span, tc_did_you_mean(e, method, known, 4),
                         "a pool has no method '%s'", method);
}

bool tc_call_object_method(tc_eval_ctx *e, tc_object *o, const char *method,
                           tc_span method_span, const tc_args *args,
                           tc_value *out) {
    tc_args named = *args;
    named.function = tc_format(e->arena, "%s.%s", tc_object_class(o), method);
    return o->kind == TC_O_SMEM_POOL
               ? tc_pool_method(e, o, method, method_span, &named, out)
               : tc_barrier_method(e, o, method, method_span, &named, out);
}

bool tc_object_attr(tc_eval_ctx *e, tc_object *o, const tc_node *n,
                    tc_value *out) {
    bool pool = o->kind == TC_O_SMEM_POOL;
    static const char *const of_pool[] = {"buf", "ptr", "offset", "max_offset"};
    static const char *const of_barrier[] = {"buf", "depth", "phase_offset"};
    if (strcmp(n->s, "buf") == 0) {
        *out = (tc_value){.kind = TC_V_BUFFER, .buffer = o->buf};
    } else if (pool && strcmp(n->s, "ptr") == 0) {
        *out = pool_data(e, o);
    } else if (pool && strcmp(n->s, "offset") == 0) {
        *out = tc_value_int(o->offset);
    } else if (pool && strcmp(n->s, "max_offset") == 0) {
        *out = tc_value_int(o->max_offset);
    } else if (!pool && strcmp(n->s, "depth") == 0) {
        *out = tc_value_int(o->depth);
    } else if (!pool && strcmp(n->s, "phase_offset") == 0) {
        *out = tc_value_int(o->phase_offset);
    } else {
        return tc_front_fail(
            e, n->name_span,
            tc_did_you_mean(e, n->s, pool ? of_pool : of_barrier, pool ? 4 : 3),
            "%s has no '%s'", tc_object_class(o), n->s);
    }
    return true;
}

/* --- buffers that share bytes ------------------------------------------ */

typedef struct extent {
    int64_t from, to; /* bytes of the pool */
} extent;

static bool extent_of(const tc_buffer *b, extent *out) {
    int64_t offset = 0, width = tc_dtype_bytes(b->type);
    if (b->elem_offset != NULL && !tc_expr_const(b->elem_offset, &offset)) {
        return false;
    }
    return !__builtin_mul_overflow(offset, width, &out->from) &&
           !__builtin_mul_overflow(tc_buffer_elements(b), width, &out->to) &&
           !__builtin_add_overflow(out->from, out->to, &out->to) &&
           out->from < out->to;
}

/* The first named buffer before b in the same storage that shares its bytes. */
static const tc_buffer *shares_with(const tc_func *f, const tc_buffer *b,
                                    extent mine, extent *shared) {
    for (int i = 0; i < f->nbuffers && f->buffers[i] != b; i++) {
        const tc_buffer *x = f->buffers[i];
        extent theirs;
        if (x->base == b->base && !x->unnamed && extent_of(x, &theirs) &&
            theirs.from < mine.to && mine.from < theirs.to) {
            shared->from = theirs.from > mine.from ? theirs.from : mine.from;
            shared->to = theirs.to < mine.to ? theirs.to : mine.to;
            return x;
        }
    }
    return NULL;
}

/* The data of what pool.alloc gives is the pool's first byte, in TVM too, so a
 * buffer over it does not lie where the allocation does. */
void tc_note_shared_bytes(tc_eval_ctx *e) {
    for (int i = 0; i < e->body->novers; i++) {
        const tc_over *o = &e->body->overs[i];
        extent mine, of, shared;
        if (o->of->base == NULL || !extent_of(o->made, &mine) ||
            !extent_of(o->of, &of)) {
            continue;
        }
        const tc_buffer *with =
            shares_with(e->body->func, o->made, mine, &shared);
        if (with == NULL) {
            continue;
        }
        tc_diag_report(
            e->front->diags, TC_NOTE, o->made->span,
            tc_format(e->arena,
                      "for bytes of its own use what pool.alloc gives, "
                      "or %s=%lld",
                      of.from > 0 ? "byte_offset" : "another byte_offset",
                      (long long)of.from),
            "%s and %s share bytes %lld to %lld of dynamic shared memory: "
            "the data of a pool's buffer is the pool's first byte (as in "
            "TVM). It does no harm where each CTA uses only one of them",
            o->made->name, with->name, (long long)shared.from,
            (long long)shared.to - 1);
    }
}
