/* reg_lower.c - the search and the loop of copy/reg.py: each thread moves its
 * own registers, vec elements at a time. */
#include "ir/linear.h"
#include "variants/gs_emit.h"
#include "variants/sides.h"
#include "variants/swizzle_walk.h"

#include <inttypes.h>
#include <string.h>

/* One step of a thread's walk over its elements: how far the memory side and
 * the registers advance (_build_atoms). */
typedef struct reg_atom {
    int64_t extent, mem, reg;
} reg_atom;

typedef struct reg_search {
    const tc_dispatch_ctx *cx;
    tc_verdict *v;
    tc_sides s;
    const tc_layout *r_p, *s_p; /* in one order: threads, then memory */
    int *seps;                  /* of s_p, for the iterators of r_p */
    int nseps;
    reg_atom *atoms, *outer;
    int natoms, nouter;
    int64_t held; /* elements in one thread's registers */
    int64_t vec, rounds;
    int elem_bits;
} reg_search;

/* --- the order -------------------------------------------------------------*/

/* Iterators of the register side that became one are paired with what belongs
 * to the first of them. */
static void note_order(reg_search *f) {
    if (f->r_p->nshard < f->nseps) {
        tc_check_add(f->cx, f->v, "lowering", "order", TC_YES,
                     "sorted, the register side's %d iterators become %d; the "
                     "memory side keeps %d groups. TVM 0.25.0 does not ask: "
                     "elements will not be where the layouts say",
                     f->nseps, f->r_p->nshard, f->nseps);
    }
}

/* Both sides with thread iterators first (align_layouts_raw). As in TVM, the
 * register side is made canonical afterwards, and seps is not. */
static bool align(reg_search *f) {
    tc_arena *a = f->cx->arena;
    const tc_layout *r = f->s.reg.layout, *grouped;
    int *perm = tc_sides_order(a, r), *seps;
    if (tc_layout_group(&f->s.lcx, f->s.mem.layout, tc_sides_extents(a, r),
                        r->nshard, &grouped, &seps) != TC_LAYOUT_OK) {
        return tc_sides_decline(f->cx, f->v, "align",
                                "the memory side does not split like the "
                                "register side: %s",
                                f->s.lcx.message);
    }
    if (tc_layout_permute_by_groups(&f->s.lcx, grouped, seps, r->nshard + 1,
                                    perm, r->nshard, &f->s_p) != TC_LAYOUT_OK ||
        tc_layout_permute_dims(&f->s.lcx, r, perm, r->nshard, &r) !=
            TC_LAYOUT_OK ||
        tc_layout_canonicalize(&f->s.lcx, r, &f->r_p) != TC_LAYOUT_OK) {
        return tc_sides_decline(f->cx, f->v, "align", "%s", f->s.lcx.message);
    }
    f->nseps = f->s.reg.layout->nshard;
    f->seps = TC_NEWN(a, int, f->nseps + 1);
    for (int i = 0; i < f->nseps; i++) {
        f->seps[i + 1] = f->seps[i] + seps[perm[i] + 1] - seps[perm[i]];
    }
    if (f->r_p->nshard > f->nseps) {
        return tc_sides_decline(f->cx, f->v, "align",
                                "the register side has no iterator");
    }
    note_order(f);
    return true;
}

/* --- the atoms -------------------------------------------------------------*/

static bool build_atoms(reg_search *f) {
    f->atoms = TC_NEWN(f->cx->arena, reg_atom, f->s_p->nshard + 1);
    f->outer = TC_NEWN(f->cx->arena, reg_atom, f->s_p->nshard + 1);
    f->held = 1;
    bool large = false;
    for (int k = 0; k < f->r_p->nshard; k++) {
        const tc_iter *r = &f->r_p->shard[k];
        if (r->axis->cls == TC_AXIS_THREAD) {
            continue;
        }
        large |= __builtin_mul_overflow(f->held, r->extent, &f->held);
        int64_t step = r->stride;
        int first = f->natoms;
        f->natoms += f->seps[k + 1] - f->seps[k];
        for (int j = f->seps[k + 1] - 1; j >= f->seps[k]; j--) {
            const tc_iter *s = &f->s_p->shard[j];
            f->atoms[first + j - f->seps[k]] =
                (reg_atom){s->extent, s->stride, step};
            large |= __builtin_mul_overflow(step, s->extent, &step);
        }
    }
    return !large ||
           tc_sides_decline(f->cx, f->v, "align", "the region is too large");
}

/* Elements that lie in a row at the end of the walk. */
static int64_t run_of(const reg_search *f) {
    int n = f->natoms;
    if (n == 0 || f->atoms[n - 1].mem != 1) {
        return 0;
    }
    int64_t run = f->atoms[n - 1].extent;
    for (int k = n - 2; k >= 0 && f->atoms[k].mem == run; k--) {
        if (__builtin_mul_overflow(run, f->atoms[k].extent, &run)) {
            return 0;
        }
    }
    return run;
}

/* What is left of the walk when each step moves vec elements. */
static bool split_off(reg_search *f, int64_t vec) {
    int64_t done = 1;
    memcpy(f->outer, f->atoms, sizeof *f->atoms * (size_t)f->natoms);
    for (f->nouter = f->natoms; f->nouter > 0; f->nouter--) {
        reg_atom *last = &f->outer[f->nouter - 1];
        int64_t with;
        bool large = __builtin_mul_overflow(done, last->extent, &with);
        if (!large && with == vec) {
            f->nouter--;
            return true;
        }
        if (large || with > vec) {
            int64_t inner = vec / done;
            last->extent /= inner;
            return !__builtin_mul_overflow(last->mem, inner, &last->mem) &&
                   !__builtin_mul_overflow(last->reg, inner, &last->reg);
        }
        done = with;
    }
    return false;
}

/* --- the width -------------------------------------------------------------*/

static const char *start_misaligned(const reg_search *f, const tc_layout *l,
                                    const tc_side *side, int64_t vec) {
    tc_linear moving = {0};
    bool known =
        side->base == NULL || tc_linear_of(f->cx->arena, side->base, &moving);
    for (int i = 0; i < l->noffset; i++) {
        bool plain = tc_axis_eq(l->offset[i].axis, tc_axis_m);
        int64_t at = l->offset[i].value % vec;
        if ((at + (plain ? moving.constant % vec : 0)) % vec != 0) {
            return tc_format(f->cx->arena,
                             "the region of %s starts at element %" PRId64
                             ", not a multiple of %" PRId64,
                             side->region->buffer->name, l->offset[i].value,
                             vec);
        }
    }
    if (!known || tc_linear_gcd(&moving) % vec != 0) {
        return tc_format(f->cx->arena,
                         "the start of the region of %s moves by amounts that "
                         "are not all multiples of %" PRId64,
                         side->region->buffer->name, vec);
    }
    return NULL;
}

static const char *try_width(reg_search *f, int64_t vec, int64_t run) {
    tc_arena *a = f->cx->arena;
    if (vec == 1) {
        return NULL;
    }
    if (run == 0) {
        return "a thread's neighbouring elements are not neighbours in memory";
    }
    if (run < vec || run % vec != 0) {
        return tc_format(a,
                         "a thread has %" PRId64
                         " elements in a row, not a multiple of %" PRId64,
                         run, vec);
    }
    split_off(f, vec);
    for (int i = 0; i < f->nouter; i++) {
        const reg_atom *x = &f->outer[i];
        if (x->mem % vec != 0 || x->reg % vec != 0) {
            bool mem = x->mem % vec != 0;
            return tc_format(a,
                             "%s stride %" PRId64
                             " is not a multiple of %" PRId64 " elements",
                             mem ? "memory" : "register", mem ? x->mem : x->reg,
                             vec);
        }
    }
    const char *why = start_misaligned(f, f->s_p, &f->s.mem, vec);
    return why != NULL ? why : start_misaligned(f, f->r_p, &f->s.reg, vec);
}

/* Element counts, widest first (_vec_len_candidates). */
static int candidates(int elem_bits, int64_t out[8]) {
    int n = 0;
    for (int bits = 128; bits >= 8; bits /= 2) {
        if (bits >= elem_bits && bits % elem_bits == 0) {
            out[n++] = bits / elem_bits;
        }
    }
    if (n == 0 || out[n - 1] != 1) {
        out[n++] = 1;
    }
    return n;
}

static void find_width(reg_search *f) {
    int64_t vecs[8], run = run_of(f);
    int n = candidates(f->elem_bits, vecs);
    for (int i = 0; i < n; i++) {
        tc_arena *a = f->cx->arena;
        const char *name = tc_format(a, "vec %" PRId64, vecs[i]);
        int64_t bytes = vecs[i] * f->elem_bits / 8;
        if (f->vec > 0) {
            tc_check_add(f->cx, f->v, "lowering", name, TC_UNASKED,
                         "not tried: %" PRId64 " bytes already fit",
                         f->vec * f->elem_bits / 8);
            continue;
        }
        const char *why = try_width(f, vecs[i], run);
        f->vec = why == NULL ? vecs[i] : 0;
        tc_check_add(f->cx, f->v, "lowering", name,
                     why == NULL ? TC_YES : TC_NO, "%" PRId64 " bytes: %s",
                     bytes,
                     why != NULL    ? why
                     : vecs[i] == 1 ? "single elements"
                                    : "fits both sides");
    }
}

/* TVM does not ask whether the swizzle keeps a vector together. */
static void note_swizzle(reg_search *f) {
    int64_t p = f->s.swizzle.per_element;
    if (!f->s.has_swizzle || p > 40) {
        return;
    }
    bool whole = f->vec <= INT64_C(1) << p;
    tc_check_add(f->cx, f->v, "lowering", "swizzle", TC_YES,
                 "per_element=%" PRId64 " keeps %" PRId64
                 " element%s together, %" PRId64 " move at once%s",
                 p, INT64_C(1) << p, p == 0 ? "" : "s", f->vec,
                 whole ? ""
                       : ". TVM 0.25.0 does not ask: the elements will not be "
                         "where the layout says");
}

static bool count_rounds(reg_search *f) {
    if (!split_off(f, f->vec)) {
        return tc_sides_decline(
            f->cx, f->v, "elements",
            f->natoms == 0 ? "a thread holds a single element, with no "
                             "iterator on memory: TVM 0.25.0 cannot write "
                             "this copy"
                           : "the region is too large");
    }
    f->rounds = 1;
    for (int i = 0; i < f->nouter; i++) {
        if (__builtin_mul_overflow(f->rounds, f->outer[i].extent, &f->rounds)) {
            return tc_sides_decline(f->cx, f->v, "elements",
                                    "the region is too large");
        }
    }
    return tc_check_add(f->cx, f->v, "lowering", "elements", TC_YES,
                        "%" PRId64 " elements a thread / %" PRId64 " = %" PRId64
                        " round%s",
                        f->held, f->vec, f->rounds, f->rounds == 1 ? "" : "s");
}

/* --- where a thread's elements start ---------------------------------------*/

/* Thread axes and what numbers them in a kernel. */
static const struct numbering {
    const char *axis;
    tc_scope_id_kind kind;
    int64_t extent; /* 0: by the launch, in units of `per` threads */
    int64_t per;
} numberings[] = {
    {"laneid", TC_ID_LANE, 32, 0},
    {"wid_in_wg", TC_ID_WARP_IN_WG, 4, 0},
    {"tid_in_wg", TC_ID_THREAD_IN_WG, 128, 0},
    {"warpid", TC_ID_WARP, 0, 32},
    {"wgid", TC_ID_WARPGROUP, 0, 128},
};

static tc_expr *number_of(const tc_dispatch_ctx *cx, tc_block *b,
                          const tc_axis *axis) {
    for (size_t i = 0; i < sizeof numberings / sizeof *numberings; i++) {
        const struct numbering *n = &numberings[i];
        if (strcmp(axis->name, n->axis) == 0) {
            int64_t extent =
                n->extent > 0 ? n->extent : cx->launch_threads / n->per;
            return tc_declare_scope_id(cx, b, n->kind, extent, NULL);
        }
    }
    return strcmp(axis->name, "tx") == 0 ? cx->thread_x : NULL;
}

/* A thread's coordinate for each iterator of the register side; NULL where an
 * axis has no number. */
static tc_expr **thread_coords(reg_search *f, tc_block *b, bool placeholder) {
    const tc_layout *l = f->r_p;
    tc_arena *a = f->cx->arena;
    tc_expr **at = TC_NEWN(a, tc_expr *, l->nshard + 1);
    for (int i = 0; i < l->nshard; i++) {
        const tc_axis *axis = l->shard[i].axis;
        at[i] = axis->cls == TC_AXIS_THREAD ? NULL : tc_int(a, 0);
        for (int k = 0; k < i && at[i] == NULL; k++) {
            at[i] = tc_axis_eq(l->shard[k].axis, axis) ? at[k] : NULL;
        }
        if (at[i] == NULL && placeholder) {
            tc_var *any = TC_NEW(a, tc_var);
            *any = (tc_var){.name = axis->name, .type = TC_INT32};
            at[i] = tc_var_ref(a, any);
        } else if (at[i] == NULL) {
            at[i] = number_of(f->cx, b, axis);
        }
        if (at[i] == NULL) {
            tc_sides_decline(f->cx, f->v, "threads",
                             "axis %s has no number in a kernel", axis->name);
            return NULL;
        }
    }
    return at;
}

/* Where the thread's elements start in memory (_s_thread_offset); as there, a
 * sum that is not simplified. */
static tc_expr *thread_offset(reg_search *f, tc_expr **coord) {
    tc_arena *a = f->cx->arena;
    const tc_layout *l = f->s_p, *grouped;
    int *seps, n = f->r_p->nshard;
    int64_t *shape = tc_sides_extents(a, f->r_p);
    tc_expr *sum;
    if (tc_layout_group(&f->s.lcx, l, shape, n, &grouped, &seps) ==
        TC_LAYOUT_OK) {
        if (grouped->nshard != l->nshard) {
            tc_sides_decline(f->cx, f->v, "threads",
                             "the memory side's iterators are cut by the "
                             "threads: TVM 0.25.0 cannot write this copy");
            return NULL;
        }
        sum = tc_apply_groups(a, l, seps, n, coord, NULL);
    } else {
        tc_expr *flat = tc_int(a, 0);
        int whole[] = {0, l->nshard};
        for (int i = 0; i < n; i++) {
            flat = tc_binary(a, TC_MUL, flat, tc_int(a, shape[i]));
            flat = tc_binary(a, TC_ADD, flat, coord[i]);
        }
        sum = tc_apply_groups(a, l, whole, 1, &flat, NULL);
    }
    return f->s.mem.base == NULL ? sum
                                 : tc_binary(a, TC_ADD, sum, f->s.mem.base);
}

/* Keeps x in a local, unless it is a name already: TVM calls a scope id that
 * was declared for it s_off, which then needs no evaluation. */
static tc_expr *keep_start(const tc_dispatch_ctx *cx, tc_block *b, tc_expr *x) {
    if (x->kind == TC_E_VAR) {
        for (tc_stmt *s = b->first; s != NULL; s = s->next) {
            if (s->kind == TC_S_SCOPE_ID && s->id->var[0] == x->var) {
                s->id->named[0] = true;
                x->var->name = "s_off";
            }
        }
        return x;
    }
    tc_buffer *s_off = tc_new_local(cx, b, "s_off", TC_INT32);
    tc_set_local(cx, b, s_off, x);
    return tc_get_local(cx, s_off);
}

/* --- the loop --------------------------------------------------------------*/

/* How far round f is: on the memory side, or in the registers. */
static tc_expr *advance(const reg_search *f, tc_expr *round, bool mem) {
    tc_arena *a = f->cx->arena;
    tc_expr **coord = TC_NEWN(a, tc_expr *, f->nouter + 1);
    for (int i = f->nouter - 1; i >= 0; i--) {
        tc_expr *extent = tc_int(a, f->outer[i].extent);
        coord[i] = tc_binary(a, TC_FLOORMOD, round, extent);
        round = tc_binary(a, TC_FLOORDIV, round, extent);
    }
    tc_expr *sum = tc_int(a, 0);
    for (int i = 0; i < f->nouter; i++) {
        int64_t step = mem ? f->outer[i].mem : f->outer[i].reg;
        sum = tc_binary(a, TC_ADD, sum,
                        tc_binary(a, TC_MUL, coord[i], tc_int(a, step)));
    }
    return sum;
}

static tc_expr *kept(const tc_dispatch_ctx *cx, tc_block *b, const char *name,
                     tc_dtype type, tc_expr *value) {
    tc_buffer *local = tc_new_local(cx, b, name, type);
    tc_set_local(cx, b, local, value);
    return tc_get_local(cx, local);
}

/* Where the registers of the region start: the sum of all offsets. */
static tc_expr *register_base(const reg_search *f) {
    tc_arena *a = f->cx->arena;
    tc_expr *sum = tc_int(a, 0);
    for (int i = 0; i < f->r_p->noffset; i++) {
        sum = tc_binary(a, TC_ADD, sum, tc_int(a, f->r_p->offset[i].value));
    }
    return f->s.reg.base == NULL
               ? sum
               : tc_simplify(a, tc_binary(a, TC_ADD, f->s.reg.base, sum));
}

static void emit_loop(reg_search *f, tc_expr *s_off,
                      const tc_swizzle_walk *walk) {
    const tc_dispatch_ctx *cx = f->cx;
    tc_arena *a = cx->arena;
    tc_block *b = &f->v->lowered;
    const tc_buffer *mem = f->s.mem.region->buffer;
    tc_buffer *r_local = tc_local_view(cx, b, f->s.reg.region->buffer, f->held);
    tc_stmt *loop = tc_new_loop(cx, b, "f", f->rounds, TC_LOOP_SERIAL);
    tc_expr *round = tc_var_ref(a, loop->var);
    b = &loop->body;
    tc_expr *ds = kept(cx, b, "ds", TC_INT32, advance(f, round, true));
    tc_expr *dr = kept(cx, b, "dr", TC_INT32, advance(f, round, false));
    tc_expr *at = tc_binary(a, TC_ADD, s_off, ds);
    if (walk != NULL) {
        at = tc_swizzle_round(a, walk, round);
    } else if (f->s.has_swizzle) {
        at = tc_swizzle_of(a, f->s.swizzle, at);
    }
    tc_expr *s_ptr =
        kept(cx, b, "s_ptr", TC_HANDLE, tc_pointer_to(cx, mem, at));
    tc_expr *reg = tc_binary(a, TC_ADD, register_base(f), dr);
    tc_expr *r_ptr =
        kept(cx, b, "r_ptr", TC_HANDLE, tc_pointer_to(cx, r_local, reg));
    bool out = f->s.from_reg;
    int64_t bytes = f->vec * f->elem_bits / 8;
    tc_expr *args[] = {out ? s_ptr : r_ptr, out ? r_ptr : s_ptr,
                       tc_int(a, bytes)};
    tc_stmt *s =
        tc_eval(a, tc_call(a, TC_OPC_CUDA_COPY_BYTES, TC_VOID, args, 3));
    s->span = cx->span;
    tc_block_add(b, s);
    tc_add_issue(cx, f->v, TC_OPC_CUDA_COPY_BYTES, bytes, f->rounds);
}

/* The swizzle's pattern over the rounds, if it has one. */
static bool find_walk(reg_search *f, tc_swizzle_walk *walk) {
    tc_iter *iters = TC_NEWN(f->cx->arena, tc_iter, f->nouter + 1);
    tc_expr **any = thread_coords(f, NULL, true);
    for (int i = 0; i < f->nouter; i++) {
        iters[i] = (tc_iter){f->outer[i].extent, f->outer[i].mem, tc_axis_m};
    }
    tc_expr *start = any != NULL ? thread_offset(f, any) : NULL;
    return start != NULL && tc_swizzle_recognize(f->cx->arena, f->s.swizzle,
                                                 iters, f->nouter, start, walk);
}

static bool emit(reg_search *f) {
    tc_block *b = &f->v->lowered;
    tc_swizzle_walk walk;
    tc_expr **coord = thread_coords(f, b, false);
    tc_expr *start = coord != NULL ? thread_offset(f, coord) : NULL;
    if (start == NULL) {
        return false;
    }
    bool walks = f->s.has_swizzle && find_walk(f, &walk);
    tc_expr *s_off = keep_start(f->cx, b, start);
    if (walks) {
        tc_swizzle_begin(f->cx, b, s_off, &walk);
    }
    emit_loop(f, s_off, walks ? &walk : NULL);
    return true;
}

bool tc_reg_lower(const tc_dispatch_ctx *cx, tc_verdict *v) {
    reg_search f = {.cx = cx,
                    .v = v,
                    .elem_bits = tc_dtypes[cx->copy->src.buffer->type].bits};
    if (!tc_sides_cut(cx, v, false, &f.s) || !align(&f) || !build_atoms(&f)) {
        return false;
    }
    find_width(&f);
    note_swizzle(&f);
    return count_rounds(&f) && emit(&f);
}
