/* access.c - variables, buffers, addresses, loads and stores. */
#include "emit/dynamic.h"
#include "emit/ptx/ptx.h"

#include <string.h>

/* --- entry code: parameters, special registers, bases ----------------------*/

static const char *special_name(tc_bind b) {
    static const char *const names[] = {
        [TC_BIND_BLOCK_X] = "%ctaid.x",
        [TC_BIND_BLOCK_Y] = "%ctaid.y",
        [TC_BIND_BLOCK_Z] = "%ctaid.z",
        [TC_BIND_THREAD_X] = "%tid.x",
        [TC_BIND_THREAD_Y] = "%tid.y",
        [TC_BIND_THREAD_Z] = "%tid.z",
        [TC_BIND_CLUSTER_CTA_X] = "%cluster_ctaid.x",
        [TC_BIND_CLUSTER_CTA_Y] = "%cluster_ctaid.y",
        [TC_BIND_CLUSTER_CTA_Z] = "%cluster_ctaid.z"};
    return names[b];
}

/* Runs once on entry, so its result holds everywhere. */
static tc_val param_value(tc_pe e, const tc_var *v, tc_span span) {
    const char *name = tc_name_of(&e->names, v);
    if (name == NULL) {
        tc_pe_fail(e, span, NULL, "%s is no parameter of this kernel", v->name);
        return tc_pe_int(v->type, 0);
    }
    if (v->type != TC_HANDLE) {
        tc_val r = v->type == TC_BOOL ? tc_pe_reg(e, TC_BOOL, TC_RC_B32)
                                      : tc_pe_temp(e, v->type);
        tc_pe_ins(e, "ld.param.%s \t%s, [%s]", tc_pe_mem(v->type),
                  tc_pe_text(e, r), name);
        return r;
    }
    tc_val generic = tc_pe_temp(e, TC_HANDLE), r = tc_pe_temp(e, TC_HANDLE);
    tc_pe_ins(e, "ld.param.u64 \t%s, [%s]", tc_pe_text(e, generic), name);
    tc_pe_ins(e, "cvta.to.global.u64 \t%s, %s", tc_pe_text(e, r),
              tc_pe_text(e, generic));
    r.window = TC_WIN_GLOBAL;
    return r;
}

static tc_val entry_value(tc_pe e, const tc_var *v, tc_span span) {
    tc_buf *out = e->out;
    tc_val r;
    e->out = &e->head;
    if (v->bind == TC_BIND_PARAM) {
        r = param_value(e, v, span);
    } else {
        if (v->bind >= TC_BIND_CLUSTER_CTA_X) {
            tc_pe_needs(e, 78, 90);
        }
        r = tc_pe_reg(e, TC_UINT32, TC_RC_B32);
        tc_pe_ins(e, "mov.u32 \t%s, %s", tc_pe_text(e, r),
                  special_name(v->bind));
        r.type = v->type;
        if (tc_dtypes[v->type].bits == 64) {
            r.type = TC_UINT32;
            r = tc_pe_cast(e, v->type, r);
        }
    }
    e->out = out;
    return r;
}

/* A bool that a .b32 register holds, as a predicate. */
static tc_val bool_read(tc_pe e, tc_val v) {
    if (v.type != TC_BOOL || v.rc != TC_RC_B32 || v.kind != TC_VAL_REG) {
        return v;
    }
    tc_val p = tc_pe_temp(e, TC_BOOL);
    tc_pe_ins(e, "setp.ne.s32 \t%s, %s, 0", tc_pe_text(e, p), tc_pe_text(e, v));
    return p;
}

tc_val tc_pe_var(tc_pe e, tc_var *v, tc_span span) {
    int id = tc_fact_of(e->facts, v)->id;
    if (e->vars[id].kind == TC_VAL_NONE) {
        if (v->bind == TC_BIND_NONE) {
            tc_pe_fail(e, span, NULL, "%s is used where it has no value",
                       v->name);
            return tc_pe_int(v->type, 0);
        }
        e->vars[id] = entry_value(e, v, span);
    }
    return bool_read(e, e->vars[id]);
}

/* --- pointers --------------------------------------------------------------*/

static tc_val pointer(tc_pe e, tc_window w) {
    tc_val r =
        tc_pe_reg(e, TC_HANDLE, w == TC_WIN_SHARED ? TC_RC_B32 : TC_RC_B64);
    r.window = w;
    return r;
}

static const char *window_name(tc_window w) {
    return w == TC_WIN_GLOBAL   ? "global"
           : w == TC_WIN_SHARED ? "shared"
                                : "local";
}

tc_val tc_pe_to_window(tc_pe e, tc_val v, tc_window w) {
    if (v.type == TC_HANDLE && v.window == TC_WIN_NONE) {
        v.window = TC_WIN_GENERIC;
    }
    if (v.window == w || w == TC_WIN_NONE) {
        return v;
    }
    if (v.window != TC_WIN_GENERIC) { /* PTX ISA 9.7.9.20, cvta */
        tc_val from = tc_pe_in_reg(e, v), wide = from;
        if (v.window == TC_WIN_SHARED) {
            wide = pointer(e, TC_WIN_GENERIC);
            tc_pe_ins(e, "cvt.u64.u32 \t%s, %s", tc_pe_text(e, wide),
                      tc_pe_text(e, from));
        }
        tc_val r = pointer(e, TC_WIN_GENERIC);
        tc_pe_ins(e, "cvta.%s.u64 \t%s, %s", window_name(v.window),
                  tc_pe_text(e, r), tc_pe_text(e, wide));
        return tc_pe_to_window(e, r, w);
    }
    tc_val from = tc_pe_in_reg(e, v), wide = pointer(e, TC_WIN_GENERIC);
    tc_pe_ins(e, "cvta.to.%s.u64 \t%s, %s", window_name(w), tc_pe_text(e, wide),
              tc_pe_text(e, from));
    if (w == TC_WIN_SHARED) {
        tc_val r = pointer(e, w);
        tc_pe_ins(e, "cvt.u32.u64 \t%s, %s", tc_pe_text(e, r),
                  tc_pe_text(e, wide));
        return r;
    }
    wide.window = w;
    return wide;
}

const char *tc_pe_address(tc_pe e, tc_val v) {
    if (v.kind == TC_VAL_INT || v.i != (int32_t)v.i) {
        v = tc_pe_in_reg(e, v);
    }
    if (v.i == 0) {
        return tc_format(e->arena, "[%s]", tc_pe_text(e, v));
    }
    return tc_format(e->arena, "[%s+%lld]", tc_pe_text(e, v), (long long)v.i);
}

const char *tc_pe_space(tc_val v) {
    switch (v.window) {
    case TC_WIN_GLOBAL:
        return ".global";
    case TC_WIN_SHARED:
        return ".shared";
    case TC_WIN_LOCAL:
        return ".local";
    default:
        return "";
    }
}

/* The symbol's address in a register, made once on entry. */
static tc_val symbol_base(tc_pe e, tc_val v) {
    for (int i = 0; i < e->facts->n; i++) {
        if (e->bases[i].kind == TC_VAL_REG && e->bases[i].symbol == v.symbol) {
            tc_val r = e->bases[i];
            r.symbol = NULL;
            r.i = v.i;
            return r;
        }
    }
    tc_buf *out = e->out;
    e->out = &e->head;
    tc_val r = pointer(e, v.window);
    tc_pe_ins(e, "mov.%s \t%s, %s", r.rc == TC_RC_B32 ? "u32" : "u64",
              tc_pe_text(e, r), v.symbol);
    e->out = out;
    for (int i = 0; i < e->facts->n; i++) {
        if (e->bases[i].kind == TC_VAL_SYMBOL &&
            e->bases[i].symbol == v.symbol) {
            e->bases[i] = r;
            e->bases[i].symbol = v.symbol;
            break;
        }
    }
    r.i = v.i;
    return r;
}

/* bytes * index as a displacement of ptr's width. */
static tc_val scaled(tc_pe e, tc_val index, int64_t bytes, bool wide) {
    int shift =
        (bytes & (bytes - 1)) == 0 ? __builtin_ctzll((uint64_t)bytes) : -1;
    bool long_index = tc_dtypes[index.type].bits == 64;
    if (!wide && long_index) {
        index = tc_pe_cast(e, TC_UINT32, index);
    }
    if (bytes == 1 && wide == long_index) {
        return index;
    }
    tc_val r = tc_pe_temp(e, wide ? TC_INT64 : TC_INT32);
    if (wide && !long_index) {
        tc_pe_ins(e, "mul.wide.%s \t%s, %s, %lld", tc_pe_num(index.type),
                  tc_pe_text(e, r), tc_pe_text(e, index), (long long)bytes);
    } else if (shift >= 0) {
        tc_pe_ins(e, "shl.%s \t%s, %s, %d", wide ? "b64" : "b32",
                  tc_pe_text(e, r), tc_pe_text(e, index), shift);
    } else {
        tc_pe_ins(e, "mul.lo.%s \t%s, %s, %lld", wide ? "s64" : "s32",
                  tc_pe_text(e, r), tc_pe_text(e, index), (long long)bytes);
    }
    return r;
}

static bool displace(tc_val *ptr, int64_t count, int64_t bytes) {
    int64_t d, sum;
    if (__builtin_mul_overflow(count, bytes, &d) ||
        __builtin_add_overflow(ptr->i, d, &sum)) {
        return false;
    }
    ptr->i = sum;
    return true;
}

/* ptr + index * bytes. A constant part becomes the displacement; as in C, the
 * index itself must not overflow. */
tc_val tc_pe_offset(tc_pe e, tc_val ptr, tc_expr *index, int64_t bytes) {
    int64_t c;
    if (bytes <= 0 || ptr.type != TC_HANDLE) {
        tc_pe_fail(e, index->span, NULL,
                   "cannot offset a pointer to elements of unknown size");
        return ptr;
    }
    if (ptr.window == TC_WIN_NONE) {
        ptr = tc_pe_to_window(e, ptr, TC_WIN_GENERIC);
    }
    if (index->kind == TC_E_BINARY && index->bin.op == TC_ADD &&
        tc_type_is_signed(index->type) && tc_expr_const(index->bin.b, &c) &&
        displace(&ptr, c, bytes)) {
        index = index->bin.a;
    }
    tc_val i = tc_pe_expr(e, index);
    if (i.type == TC_BOOL) {
        i = tc_pe_cast(e, TC_INT32, i);
    }
    if (i.kind == TC_VAL_INT && displace(&ptr, i.i, bytes)) {
        return ptr;
    }
    i = tc_pe_in_reg(e, i);
    if (ptr.kind == TC_VAL_SYMBOL) {
        ptr = symbol_base(e, ptr);
    } else if (ptr.kind == TC_VAL_INT) {
        ptr = tc_pe_in_reg(e, ptr);
    }
    tc_val d = scaled(e, i, bytes, ptr.rc == TC_RC_B64);
    tc_val r = pointer(e, ptr.window);
    tc_pe_ins(e, "add.%s \t%s, %s, %s", r.rc == TC_RC_B64 ? "s64" : "s32",
              tc_pe_text(e, r), tc_pe_text(e, ptr), tc_pe_text(e, d));
    r.i = ptr.i;
    return r;
}

/* --- buffers ---------------------------------------------------------------*/

static tc_val declare_local(tc_pe e, tc_buffer *b, int id) {
    const char *name = tc_name_of(&e->names, b);
    int64_t bytes;
    if (!e->declared[id]) {
        name = tc_name_add(&e->names, b, b->name);
        if (__builtin_mul_overflow(tc_buffer_elements(b),
                                   tc_dtype_bytes(b->type), &bytes) ||
            bytes > 1 << 19) { /* a thread has 512 KiB */
            tc_pe_fail(e, b->span, "a thread has 512 KiB of local memory",
                       "%s is too large for local memory", b->name);
            bytes = 0;
        }
        tc_buf_printf(&e->decl, "\t.local .align %d .b8 \t%s[%lld];\n", 16,
                      name, (long long)bytes);
        e->declared[id] = true;
    }
    return (tc_val){.kind = TC_VAL_SYMBOL,
                    .type = TC_HANDLE,
                    .symbol = name,
                    .window = TC_WIN_LOCAL};
}

static tc_val make_base(tc_pe e, tc_buffer *b, int id, tc_span span) {
    if (b->space == TC_SPACE_GLOBAL && b->param != NULL) {
        return tc_pe_var(e, b->param, span);
    }
    if (tc_fact_of(e->facts, b)->promoted) {
        return (tc_val){.kind = TC_VAL_INT,
                        .type = TC_HANDLE,
                        .window = TC_WIN_LOCAL,
                        .array = b};
    }
    if (b->space == TC_SPACE_LOCAL) {
        return declare_local(e, b, id);
    }
    const char *name = b->space == TC_SPACE_SHARED_DYN
                           ? tc_dynamic_name(&e->names, e->lowered)
                           : tc_name_of(&e->names, b);
    if (tc_space_is_shared(b->space) && name != NULL) {
        return (tc_val){.kind = TC_VAL_SYMBOL,
                        .type = TC_HANDLE,
                        .symbol = name,
                        .window = TC_WIN_SHARED};
    }
    bool tmem = b->space == TC_SPACE_TMEM;
    tc_pe_fail(e, span,
               tmem ? "Tx.wg.copy_async moves it to and from registers" : NULL,
               tmem ? "%s is in tensor memory: no thread reads or writes an "
                      "element of it"
                    : "PTX text for an access to %s is not built yet",
               b->name);
    return (tc_val){.kind = TC_VAL_INT, .type = TC_HANDLE};
}

static tc_val buffer_base(tc_pe e, tc_buffer *b, tc_span span) {
    int id = tc_fact_of(e->facts, b)->id;
    if (e->bases[id].kind == TC_VAL_NONE) {
        e->bases[id] = make_base(e, b, id, span);
    }
    tc_val v = e->bases[id];
    if (v.kind == TC_VAL_REG) {
        v.symbol = NULL;
    }
    return v;
}

tc_val tc_pe_addr(tc_pe e, tc_buffer *b, tc_expr *const *index, int n,
                  tc_span span) {
    tc_val ptr = buffer_base(e, tc_buffer_root(b), span);
    ptr.i += tc_buffer_root(b)->dyn_offset;
    for (tc_buffer *v = b; v->base != NULL && !e->failed; v = v->base) {
        if (v->elem_offset != NULL) {
            ptr = tc_pe_offset(e, ptr, v->elem_offset, tc_dtype_bytes(v->type));
        }
    }
    if (n > 1) {
        tc_pe_fail(e, span, NULL, "%s has %d indices after lowering", b->name,
                   n);
    }
    if (n == 1 && !e->failed) {
        ptr = tc_pe_offset(e, ptr, index[0], tc_dtype_bytes(b->type));
    }
    return ptr;
}

/* --- local buffers in registers --------------------------------------------*/

static tc_val element_reg(tc_pe e, tc_buffer *b) {
    if (b->type == TC_HANDLE) {
        return pointer(e, tc_fact_of(e->facts, b)->pointer.window);
    }
    return b->type == TC_BOOL ? tc_pe_reg(e, TC_BOOL, TC_RC_B32)
                              : tc_pe_temp(e, b->type);
}

static tc_val *element(tc_pe e, tc_buffer *b, tc_expr *const *index, int n,
                       tc_span span) {
    int64_t i = 0;
    if (n == 1) {
        tc_val v = tc_pe_expr(e, index[0]);
        i = v.kind == TC_VAL_INT ? v.i : -1;
    }
    return tc_pe_element(e, b, n > 1 ? -1 : i, span);
}

tc_val *tc_pe_element(tc_pe e, tc_buffer *b, int64_t i, tc_span span) {
    int id = tc_fact_of(e->facts, b)->id;
    int64_t count = tc_buffer_elements(b);
    if (i < 0 || i >= count) {
        tc_pe_fail(e, span, NULL,
                   "index %lld is outside of %s, which has "
                   "%lld elements",
                   (long long)i, b->name, (long long)count);
        return NULL;
    }
    if (e->elems[id] == NULL) {
        e->elems[id] = TC_NEWN(e->arena, tc_val, count);
    }
    if (e->elems[id][i].kind == TC_VAL_NONE) {
        e->elems[id][i] = element_reg(e, b);
    }
    return &e->elems[id][i];
}

void tc_pe_alloc(tc_pe e, tc_buffer *b) {
    tc_fact *fact = tc_fact_of(e->facts, b);
    if (fact->in_registers ||
        fact->promoted) { /* a new one, in new registers */
        e->elems[fact->id] = NULL;
        e->vars[fact->id].kind = TC_VAL_NONE;
    }
}

/* --- loads and stores ------------------------------------------------------*/

static tc_val load_memory(tc_pe e, const tc_expr *x) {
    tc_pe_settle(e, tc_buffer_root(x->mem.buffer));
    tc_val at = tc_pe_addr(e, x->mem.buffer, x->mem.index, x->mem.n, x->span);
    tc_val r = x->type == TC_BOOL ? tc_pe_reg(e, TC_BOOL, TC_RC_B32)
                                  : tc_pe_temp(e, x->type);
    const char *place = tc_pe_address(e, at);
    tc_pe_ins(e, "ld%s.%s \t%s, %s", tc_pe_space(at), tc_pe_mem(x->type),
              tc_pe_text(e, r), place);
    if (x->type == TC_HANDLE) {
        r.window = TC_WIN_GENERIC;
    }
    return bool_read(e, r);
}

/* The buffer whose registers b's elements are: b, or what it is a view of. */
static tc_buffer *home(tc_pe e, tc_buffer *b) {
    tc_buffer *root = tc_buffer_root(b);
    return tc_fact_of(e->facts, root)->promoted ? root : b;
}

tc_val tc_pe_load(tc_pe e, const tc_expr *x) {
    tc_buffer *b = home(e, x->mem.buffer);
    tc_fact *fact = tc_fact_of(e->facts, b);
    if (!fact->in_registers && !fact->promoted) {
        return load_memory(e, x);
    }
    if (fact->once && e->vars[fact->id].kind != TC_VAL_NONE) {
        return e->vars[fact->id];
    }
    tc_val *r = element(e, b, x->mem.index, x->mem.n, x->span);
    if (r == NULL) {
        return tc_pe_int(x->type, 0);
    }
    tc_val v = bool_read(e, *r);
    v.shared_reg = v.reg == r->reg && v.rc == r->rc;
    return v;
}

static void store_memory(tc_pe e, const tc_stmt *s, tc_val v) {
    tc_pe_settle(e, tc_buffer_root(s->buffer));
    tc_val at = tc_pe_addr(e, s->buffer, s->index, s->nindex, s->span);
    if (v.type == TC_HANDLE) {
        v = tc_pe_to_window(e, v, TC_WIN_GENERIC);
    }
    if (v.type == TC_BOOL) {
        tc_val word = tc_pe_reg(e, TC_BOOL, TC_RC_B32);
        tc_pe_assign(e, word, v);
        v = word;
    }
    v = tc_pe_in_reg(e, v);
    const char *place = tc_pe_address(e, at);
    tc_pe_ins(e, "st%s.%s \t%s, %s", tc_pe_space(at),
              tc_pe_mem(s->buffer->type), place, tc_pe_text(e, v));
}

void tc_pe_store(tc_pe e, const tc_stmt *s) {
    tc_buffer *b = home(e, s->buffer);
    tc_fact *fact = tc_fact_of(e->facts, b);
    tc_val v = tc_pe_cast(e, s->buffer->type, tc_pe_expr(e, s->value));
    if (!fact->in_registers && !fact->promoted) {
        store_memory(e, s, v);
    } else if (fact->once) {
        e->vars[fact->id] = tc_pe_fixed(e, v);
    } else {
        tc_val *r = element(e, b, s->index, s->nindex, s->span);
        if (r != NULL) {
            tc_pe_assign(e, *r, v);
        }
    }
}
