/* copy_layouts.c - copies without an [outer, threads, vec] partition: what moves them,
 * and where both sides' layouts put each element. */
#include "explain/partition.h"
#include "layout/picture.h"

enum { SIDE_ROWS = 8 };

static const char *memory_of(tc_space space) {
    return space == TC_SPACE_GLOBAL  ? "offset in global memory"
           : space == TC_SPACE_LOCAL ? "offset in each thread's own memory"
                                     : "offset in shared memory";
}

/* The region's part of its buffer's layout, or nothing where that cannot be
 * drawn (no layout, a start that moves). */
static void side_picture(tc_session *s, tc_arena *a, const char *label,
                         const tc_region *r, tc_buf *b) {
    const tc_buffer *x = r->buffer;
    int64_t range[TC_PICTURE_RANK][2], min;
    if (x->layout == NULL || x->rank > TC_PICTURE_RANK) {
        return;
    }
    for (int i = 0; i < x->rank; i++) {
        if (!tc_expr_const(r->range[i].min, &min)) {
            return;
        }
        range[i][0] = min;
        range[i][1] = min + r->range[i].extent;
    }
    tc_layout_ctx cx = {.arena = a, .target_cuda = s->target_cuda};
    tc_picture_options ask = {.shape = x->shape,
                              .rank = x->rank,
                              .range = (const int64_t(*)[2])range,
                              .bits = tc_dtypes[x->type].bits,
                              .memory = memory_of(x->space),
                              .shared = tc_space_is_shared(x->space),
                              .loose = true,
                              .max_rows = SIDE_ROWS,
                              .max_cols = 64,
                              .max_grids = 1,
                              .width = s->options.width - 2};
    tc_picture *p;
    if (tc_picture_make(&cx, x->layout, &ask, &p) != TC_LAYOUT_OK) {
        return;
    }
    tc_buf_printf(b, "  %s ", label);
    tc_describe_region(b, r);
    tc_buf_puts(b, ":\n");
    tc_picture_text(p, x->name, s->options.width, b);
}

void tc_explain_copy_layouts(tc_session *s, const tc_decision *d, tc_buf *b) {
    tc_arena *a = tc_arena_new();
    tc_buf_printf(b,
                  "  %s: no [outer, threads, vec]; the layouts say who has "
                  "what\n",
                  tc_variants[d->chosen->variant->id].name);
    tc_describe_issues(b, d->chosen, "  issues ");
    side_picture(s, a, "to", &d->copy->dst, b);
    side_picture(s, a, "from", &d->copy->src, b);
    tc_arena_free(a);
}
