/* print.c - the text of a layout. */
#include "layout/internal.h"

/* Text of a layout, as TVM reads it (tvm 0.25.0 python/tvm/tirx/layout.py):
 * strides on m stand bare, others as stride@axis, unregistered axes as
 * stride@Axis.get("name"). */

static void put_name(tc_buf *b, const char *name) {
    tc_buf_putc(b, '"');
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            tc_buf_putc(b, '\\');
        }
        tc_buf_putc(b, *p);
    }
    tc_buf_putc(b, '"');
}

static void put_at(tc_buf *b, int64_t value, const tc_axis *axis) {
    tc_buf_printf(b, "%lld@", (long long)value);
    if (axis->cls != TC_AXIS_UNKNOWN) {
        tc_buf_puts(b, axis->name);
    } else {
        tc_buf_puts(b, "Axis.get(");
        put_name(b, axis->name);
        tc_buf_putc(b, ')');
    }
}

static void put_stride(tc_buf *b, const tc_iter *it) {
    if (it->axis == tc_axis_m) {
        tc_buf_printf(b, "%lld", (long long)it->stride);
    } else {
        put_at(b, it->stride, it->axis);
    }
}

/* S[(128, 8) : (8, 1)], S[8 : 1], S[() : ()]. */
static void put_spec(tc_buf *b, char letter, const tc_iter *iters, int n) {
    tc_buf_putc(b, letter);
    tc_buf_puts(b, n == 1 ? "[" : "[(");
    for (int i = 0; i < n; i++) {
        tc_buf_printf(b, i ? ", %lld" : "%lld", (long long)iters[i].extent);
    }
    tc_buf_puts(b, n == 1 ? " : " : ") : (");
    for (int i = 0; i < n; i++) {
        tc_buf_puts(b, i ? ", " : "");
        put_stride(b, &iters[i]);
    }
    tc_buf_puts(b, n == 1 ? "]" : ")]");
}

static void put_tile(tc_buf *b, const tc_layout *l) {
    tc_buf_puts(b, "TileLayout(");
    put_spec(b, 'S', l->shard, l->nshard);
    if (l->nreplica > 0) {
        tc_buf_puts(b, " + ");
        put_spec(b, 'R', l->replica, l->nreplica);
    }
    for (int i = 0; i < l->noffset; i++) {
        tc_buf_puts(b, " + ");
        put_at(b, l->offset[i].value, l->offset[i].axis);
    }
    tc_buf_putc(b, ')');
}

static void put_swizzle(tc_buf *b, tc_swizzle s) {
    tc_buf_printf(b, "SwizzleLayout(%lld, %lld, %lld%s)",
                  (long long)s.per_element, (long long)s.swizzle_len,
                  (long long)s.atom_len,
                  s.inner ? "" : ", swizzle_inner=False");
}

void tc_layout_print(tc_buf *b, const tc_layout *l) {
    if (l->kind == TC_LAYOUT_TILE) {
        put_tile(b, l);
        return;
    }
    if (l->kind == TC_LAYOUT_SWIZZLE) {
        put_swizzle(b, l->swizzle);
        return;
    }
    tc_buf_puts(b, "ComposeLayout(");
    put_swizzle(b, l->swizzle);
    tc_buf_puts(b, ", ");
    put_tile(b, l);
    tc_buf_putc(b, ')');
}

const char *tcl_layout_text(tc_arena *a, const tc_layout *l) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    return tc_buf_finish(&b, a);
}

const char *tcl_shape_text(tc_arena *a, const int64_t *shape, int n) {
    enum { SHOWN = 16 };
    tc_buf b = TC_BUF_INIT;
    tc_buf_putc(&b, '(');
    for (int i = 0; i < n && i < SHOWN; i++) {
        tc_buf_printf(&b, i ? ", %lld" : "%lld", (long long)shape[i]);
    }
    tc_buf_puts(&b, n > SHOWN ? ", ...)" : n == 1 ? ",)" : ")");
    return tc_buf_finish(&b, a);
}
