/* ldst.c - tensor memory to registers and back, a warpgroup at a time
 * (tcgen05.ld, tcgen05.st; PTX ISA 9.7.16.8). The widest shape whose register
 * layout is that of the buffer is taken, else 32x32b; its wait is the
 * program's own. */
#include "variants/tcgen05/ldst.h"
#include "dispatch/predicates.h"
#include "layout/helpers.h"
#include "variants/checks.h"

#include <inttypes.h>
#include <string.h>

/* .shape, the columns of 32 bits and the registers of a thread for .x1. */
static const tc_tcgen05_shape shapes[] = {
    {"16x64b", 2, 1}, {"16x128b", 4, 2}, {"16x256b", 8, 4}};
static const tc_tcgen05_shape whole = {"32x32b", 1, 1};

typedef struct lowering {
    tc_check_list q;
    tc_layout_ctx lcx;
    tc_tcgen05_move m;
    const tc_layout *reg, *tmem; /* canonical */
} lowering;

static const char *layout_text(const lowering *w, const tc_layout *l) {
    tc_buf b = TC_BUF_INIT;
    tc_layout_print(&b, l);
    return tc_buf_finish(&b, w->q.cx->arena);
}

/* --- what both ways need ---------------------------------------------------*/

static bool sides(lowering *w) {
    const tc_buffer *t = w->m.tmem->buffer, *r = w->m.reg->buffer;
    int bits = tc_dtypes[t->type].bits;
    bool fits = bits > 0 && bits <= 32;
    bool ok = tc_holds(&w->q, "address", t->allocated_addr != NULL,
                       "%s %s an allocated_addr", t->name,
                       t->allocated_addr != NULL ? "has" : "needs");
    ok &=
        tc_holds(&w->q, "element size", fits, "%s has %d bits, a register %s32",
                 tc_dtypes[t->type].name, bits, fits ? "" : "only ");
    ok &= tc_holds(&w->q, "dimensions", t->rank == 2 && r->rank == 2,
                   "%s has %d, %s has %d: both need 2", t->name, t->rank,
                   r->name, r->rank);
    w->m.per_word = fits ? 32 / bits : 0;
    return ok;
}

static bool canonical(lowering *w, const tc_buffer *b, const tc_layout **out) {
    if (tc_layout_canonicalize(&w->lcx, b->layout, out) == TC_LAYOUT_OK) {
        return true;
    }
    return tc_holds(&w->q, "layout", false, "%s: %s", b->name, w->lcx.message);
}

/* --- the shape (TVM: _match_tcgen05_atom_layout) ---------------------------*/

static bool try_shape(lowering *w, const tc_tcgen05_shape *s) {
    const tc_buffer *r = w->m.reg->buffer;
    const char *name = tc_format(w->q.cx->arena, "atom %s", s->name);
    const tc_layout *atom;
    int bits = tc_dtypes[r->type].bits;
    if (r->shape[0] != 64 && r->shape[0] != 128) {
        return tc_check_optional(&w->q, name, false,
                                 "%s has %" PRId64 " rows, the atom 64 or 128",
                                 r->name, r->shape[0]);
    }
    if (tc_tcgen05_atom_layout(&w->lcx, s->name, r->shape[0], r->shape[1], bits,
                               &atom) != TC_LAYOUT_OK ||
        tc_layout_canonicalize(&w->lcx, atom, &atom) != TC_LAYOUT_OK) {
        return tc_check_optional(&w->q, name, false, "%s", w->lcx.message);
    }
    int64_t num = r->shape[1] / (s->cols * w->m.per_word);
    if (!tc_layout_equal(w->reg, atom)) {
        return tc_check_optional(
            &w->q, name, false, "%s is %s, the atom %s with x%" PRId64 " is %s",
            r->name, layout_text(w, w->reg), s->name, num,
            layout_text(w, atom));
    }
    w->m.shape = s;
    w->m.num = num;
    w->m.slabs = (int)(r->shape[0] / 64);
    return tc_check_optional(
        &w->q, name, true,
        "%s has its layout: %" PRId64 " columns = x%" PRId64
        ", %d slab%s of 16 rows a warp",
        r->name, r->shape[1], num, w->m.slabs, w->m.slabs == 1 ? "" : "s");
}

static void choose_shape(lowering *w) {
    for (int i = 0; i < 3; i++) {
        if (w->m.shape != NULL) {
            tc_check_add(w->q.cx, w->q.v, "lowering",
                         tc_format(w->q.cx->arena, "atom %s", shapes[i].name),
                         TC_UNASKED, "not tried: %s matches already",
                         w->m.shape->name);
        } else {
            try_shape(w, &shapes[i]);
        }
    }
    if (w->m.shape == NULL) {
        w->m.shape = &whole;
        w->m.slabs = 1;
        tc_check_optional(&w->q, "shape", true,
                          "no 16x*b atom matches, so 32x32b: a row a thread");
    } else {
        tc_check_optional(&w->q, "shape", true, "%s", w->m.shape->name);
    }
}

/* --- tensor memory (PTX ISA 9.7.16.10.5) -----------------------------------*/

/* 'D', 'F', or 0 where it is neither (TVM: _classify_tmem_datapath). */
static char datapath_of(lowering *w) {
    const tc_buffer *t = w->m.tmem->buffer;
    const char *name = t->shape[0] == 128 ? "D" : "F";
    const tc_layout *l;
    if ((t->shape[0] != 128 && t->shape[0] != 64) ||
        tc_tmem_datapath_layout(&w->lcx, name, t->shape[0], t->shape[1], &l) !=
            TC_LAYOUT_OK ||
        tc_layout_canonicalize(&w->lcx, l, &l) != TC_LAYOUT_OK) {
        return 0;
    }
    return tc_layout_equal(w->tmem, l) ? *name : 0;
}

/* D holds 128 rows in all lanes, F 64 rows in half of each warp's lanes. */
static void check_datapath(lowering *w) {
    const tc_buffer *t = w->m.tmem->buffer;
    int rows = w->m.shape == &whole ? 128 : w->m.slabs * 64;
    char path = datapath_of(w);
    const char *shape = w->m.shape->name;
    if (path == 0) {
        tc_holds(&w->q, "datapath", false,
                 "%s is %s: neither D, S[(128, %" PRId64
                 ") : (1@TLane, 1@TCol)], nor F, S[(4, 16, %" PRId64
                 ") : (32@TLane, 1@TLane, 1@TCol)]",
                 t->name, layout_text(w, w->tmem), t->shape[1], t->shape[1]);
    } else if (path == 'F' && rows == 128) {
        tc_holds(&w->q, "datapath", false,
                 "%s is datapath F: 64 rows, 16 of each warp's 32 lanes; %s "
                 "takes %d rows here, which only D has",
                 t->name, shape, rows);
    } else {
        tc_holds(&w->q, "datapath", true,
                 "%s is datapath %c: %s takes %d rows%s", t->name, path, shape,
                 rows,
                 path == 'D' && rows == 64
                     ? " of it, the first 16 lanes of each warp's 32"
                     : "");
    }
}

/* --- the region ------------------------------------------------------------*/

static void check_rows(lowering *w, const tc_region *r, int64_t rows) {
    const tc_range *d = &r->range[0];
    int64_t min;
    bool ok = tc_expr_const(d->min, &min) && min == 0 && d->extent == rows;
    tc_holds(&w->q, "rows", ok,
             "%s: %" PRId64 " rows from %s; the instruction takes %" PRId64
             " from 0",
             r->buffer->name, d->extent, tc_expr_text(w->q.cx->arena, d->min),
             rows);
}

static void check_column(lowering *w, const tc_region *r) {
    int64_t n = w->m.per_word;
    tc_expr *min = r->range[1].min;
    bool ok = tc_divides_always(w->q.cx->arena, min, n);
    tc_holds(&w->q, "first column", ok,
             "%s starts at column %s, %s multiple of %" PRId64
             " (elements in 32 bits)",
             r->buffer->name, tc_expr_text(w->q.cx->arena, min),
             tc_check_article(min, ok), n);
}

static void check_widths(lowering *w) {
    int64_t t = w->m.tmem->range[1].extent, r = w->m.reg->range[1].extent;
    tc_holds(&w->q, "columns", t == r,
             "%" PRId64 " of tensor memory, %" PRId64 " of registers", t, r);
}

/* --- 32x32b (TVM: _emit_32x32b_path) ---------------------------------------*/

static void check_num(lowering *w, int64_t width) {
    int64_t n = w->m.per_word, num = width / n;
    bool ok =
        width % n == 0 && num >= 1 && num <= 128 && (num & (num - 1)) == 0;
    tc_holds(&w->q, "num", ok,
             "%" PRId64 " columns of %s = %s%" PRId64
             " registers a thread: 32x32b takes 1, 2, 4, 8, 16, 32, 64 or 128",
             width, tc_dtypes[w->m.reg->buffer->type].name,
             width % n == 0 ? "" : "more than ", num);
    w->m.num = w->m.num_eff = w->m.regs_eff = num;
}

/* TVM 0.25.0 does not look at the registers' layout here. */
static void note_layout(lowering *w) {
    const tc_buffer *r = w->m.reg->buffer;
    const tc_layout *row;
    if (tc_wg_local_layout(&w->lcx, r->shape[1], r->shape[0], &row) ==
            TC_LAYOUT_OK &&
        tc_layout_canonicalize(&w->lcx, row, &row) == TC_LAYOUT_OK) {
        bool same = tc_layout_equal(w->reg, row);
        tc_check_optional(
            &w->q, "register layout", true,
            same ? "%s is %s: a row a thread"
                 : "%s is %s, not a row a thread; 32x32b moves whole "
                   "rows all the same (TVM 0.25.0 does not ask)",
            r->name, layout_text(w, w->reg));
    }
}

static void check_whole(lowering *w) {
    const tc_buffer *r = w->m.reg->buffer;
    tc_holds(&w->q, "register rows", r->shape[0] == 128,
             "%s has %" PRId64 ": 32x32b takes 128, one a thread", r->name,
             r->shape[0]);
    int64_t elements; /* of the flat view that the lowering makes */
    if (__builtin_mul_overflow(r->shape[1], w->m.per_word, &elements)) {
        tc_holds(&w->q, "register columns", false,
                 "%s has %" PRId64 ": more than there can be", r->name,
                 r->shape[1]);
    }
    note_layout(w);
    check_num(w, w->m.reg->range[1].extent);
    check_rows(w, w->m.tmem, 128);
    check_rows(w, w->m.reg, 128);
    check_column(w, w->m.tmem);
    check_widths(w);
}

/* --- 16x*b (TVM: _emit_16xnb_path) -----------------------------------------*/

static void check_atom(lowering *w) {
    const tc_buffer *t = w->m.tmem->buffer, *r = w->m.reg->buffer;
    int64_t rows = r->shape[0], cols = r->shape[1];
    int64_t width = w->m.reg->range[1].extent;
    int64_t regs = w->m.shape->regs * w->m.num;
    bool f = datapath_of(w) == 'F';
    tc_holds(&w->q, "tensor memory rows", t->shape[0] == (f ? 64 : 128),
             "%s has %" PRId64 ", datapath %s has %d", t->name, t->shape[0],
             f ? "F" : "D", f ? 64 : 128);
    check_rows(w, w->m.reg, rows);
    check_rows(w, w->m.tmem, rows);
    check_widths(w);
    tc_holds(&w->q, "slice", cols % width == 0,
             "%" PRId64 " of the atom's %" PRId64 " columns: %s", width, cols,
             cols % width == 0 ? "a whole part" : "no whole part");
    check_column(w, w->m.tmem);
    check_column(w, w->m.reg);
    w->m.num_eff = w->m.num * width / cols;
    w->m.regs_eff = regs * width / cols;
    tc_check_optional(&w->q, "num", w->m.num_eff > 0,
                      "x%" PRId64 ", %" PRId64 " registers a thread and slab%s",
                      w->m.num_eff, w->m.regs_eff,
                      w->m.num_eff > 0
                          ? ""
                          : "; TVM 0.25.0 accepts this, but there is no "
                            "such instruction");
}

/* --- the two together ------------------------------------------------------*/

static void add_issue(const lowering *w) {
    const tc_tcgen05_move *m = &w->m;
    int64_t ints[4], col;
    int n = 0;
    if (m->shape == &whole) { /* a slab's row is a loop's matter else */
        ints[n++] = 0;
    }
    if (tc_expr_const(m->tmem->range[1].min, &col)) {
        ints[n++] = col / m->per_word;
    }
    ints[n++] = m->num_eff;
    ints[n++] = 0; /* pack, unpack */
    tc_add_issue_ints(w->q.cx, w->q.v,
                      m->load ? TC_OPC_PTX_TCGEN05_LD : TC_OPC_PTX_TCGEN05_ST,
                      ints, n, m->shape->name, m->slabs);
}

static bool lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    const tc_copy *c = cx->copy;
    lowering w = {.q = {cx, v, false},
                  .lcx = {.arena = cx->arena, .target_cuda = cx->target_cuda}};
    w.m.load = c->src.buffer->space == TC_SPACE_TMEM;
    w.m.tmem = w.m.load ? &c->src : &c->dst;
    w.m.reg = w.m.load ? &c->dst : &c->src;
    tc_holds(&w.q, "direction", true, "%s",
             w.m.load ? "tensor memory to registers: tcgen05.ld"
                      : "registers to tensor memory: tcgen05.st");
    bool ok = sides(&w);
    ok = ok && canonical(&w, w.m.tmem->buffer, &w.tmem) &&
         canonical(&w, w.m.reg->buffer, &w.reg);
    if (!ok) {
        tc_check_skip(&w.q, "shape", v->why);
        return false;
    }
    choose_shape(&w);
    check_datapath(&w);
    if (w.m.shape == &whole) {
        check_whole(&w);
    } else {
        check_atom(&w);
    }
    if (w.q.failed) {
        return false;
    }
    add_issue(&w);
    tc_tcgen05_emit(cx, v, &w.m);
    return true;
}

static bool exec_scope(const tc_dispatch_ctx *cx, tc_verdict *v,
                       const char *name, const char **reason) {
    int from = v->nchecks;
    bool ok = tc_pred_scope(cx, v, name, 1u << TC_SCOPE_WARPGROUP);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static bool storage_scope(const tc_dispatch_ctx *cx, tc_verdict *v,
                          const char *name, const char **reason) {
    static const tc_space_pair pairs[] = {{TC_SC_TMEM, TC_SC_LOCAL},
                                          {TC_SC_LOCAL, TC_SC_TMEM}};
    int from = v->nchecks;
    bool ok = tc_pred_spaces(cx, v, name, pairs, 2);
    *reason = tc_pred_reason(v, from);
    return ok;
}

static const tc_predicate predicates[] = {
    {"validate_copy_op", tc_predicate_valid_copy},
    {"exec_scope", exec_scope},
    {"storage_scope", storage_scope},
};

const tc_variant tc_variant_tcgen05_ldst = {
    .id = TC_VARIANT_tcgen05_ldst,
    .source = "copy_async/tcgen05_ldst.py",
    .predicates = predicates,
    .npredicates = 3,
    .lower = lower,
};
