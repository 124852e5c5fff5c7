/* print_buffer.c - declarations of buffers in TVM's script syntax. */
#include "ir/print.h"

#include <inttypes.h>
#include <string.h>

static void print_shape(tc_buf *b, const tc_buffer *buf) {
    tc_buf_putc(b, '(');
    for (int i = 0; i < buf->rank; i++) {
        tc_buf_printf(b, "%s%" PRId64, i > 0 ? ", " : "", buf->shape[i]);
    }
    tc_buf_puts(b, buf->rank == 1 ? ",)" : ")");
    if (buf->type != TC_FLOAT32) { /* the default, which TVM leaves out */
        tc_buf_printf(b, ", \"%s\"", tc_dtypes[buf->type].name);
    }
}

static bool same_shape(const tc_buffer *x, const tc_buffer *y) {
    return x->rank == y->rank &&
           memcmp(x->shape, y->shape, sizeof *x->shape * (size_t)x->rank) == 0;
}

/* A view of the same bytes as another type. */
static bool same_bytes(const tc_buffer *x, const tc_buffer *y) {
    int64_t a, b;
    return !__builtin_mul_overflow(tc_buffer_elements(x),
                                   tc_dtypes[x->type].bits, &a) &&
           !__builtin_mul_overflow(tc_buffer_elements(y),
                                   tc_dtypes[y->type].bits, &b) &&
           a == b;
}

static void print_view(tc_buf *b, const tc_buffer *v) {
    const tc_buffer *base = v->base;
    int64_t zero;
    bool moved = v->elem_offset != NULL &&
                 !(tc_expr_const(v->elem_offset, &zero) && zero == 0);
    if (!moved && v->type != base->type && v->rank == 1 &&
        same_bytes(v, base)) {
        tc_buf_printf(b, "%s = %s.view(\"%s\")\n", v->name, base->name,
                      tc_dtypes[v->type].name);
        return;
    }
    if (!moved && v->type == base->type && v->rank == 1 &&
        !same_shape(v, base)) {
        tc_buf_printf(b, "%s = %s.view(%" PRId64 ")\n", v->name, base->name,
                      v->shape[0]);
        return;
    }
    tc_buf_printf(b, "%s = T.decl_buffer(", v->name);
    print_shape(b, v);
    tc_buf_printf(b, ", data=%s.data", base->name);
    if (moved) {
        tc_buf_puts(b, ", elem_offset=");
        tc_ir_print_expr(b, v->elem_offset);
    }
    if (v->space != TC_SPACE_GLOBAL) {
        tc_buf_printf(b, ", scope=\"%s\"", tc_space_name(v->space));
    }
    if (v->align > 0) {
        tc_buf_printf(b, ", align=%" PRId64, v->align);
    }
    tc_buf_puts(b, ", layout=None)\n");
}

/* Tensor memory has an address of its own, that an alloc has given. */
static void print_tmem(tc_buf *b, const tc_buffer *buf) {
    tc_buf_printf(b, "%s = T.decl_buffer(", buf->name);
    print_shape(b, buf);
    tc_buf_puts(b, ", scope=\"tmem\", layout=None");
    if (buf->allocated_addr != NULL) {
        tc_buf_puts(b, ", allocated_addr=");
        tc_ir_print_expr(b, buf->allocated_addr);
    }
    tc_buf_puts(b, ")\n");
}

void tc_ir_print_alloc(tc_buf *b, const tc_buffer *buf) {
    if (buf->base != NULL) {
        print_view(b, buf);
        return;
    }
    if (buf->space == TC_SPACE_TMEM) {
        print_tmem(b, buf);
        return;
    }
    bool match = buf->param != NULL;
    bool shared = buf->space == TC_SPACE_SHARED;
    bool local = buf->space == TC_SPACE_LOCAL;
    tc_buf_printf(b, "%s = T.%s(", buf->name,
                  match    ? "match_buffer"
                  : shared ? "alloc_shared"
                  : local  ? "alloc_local"
                           : "alloc_buffer");
    if (match) {
        tc_buf_printf(b, "%s, ", buf->param->name);
    }
    print_shape(b, buf);
    if (!match && !shared && !local && buf->space != TC_SPACE_GLOBAL) {
        tc_buf_printf(b, ", scope=\"%s\"", tc_space_name(buf->space));
    }
    if (!match && buf->align > 0 && buf->align != 64) { /* TVM's own */
        tc_buf_printf(b, ", align=%" PRId64, buf->align);
    }
    tc_buf_puts(b, ", layout=None)\n");
}
