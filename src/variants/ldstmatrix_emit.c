/* ldstmatrix_emit.c - the loop of ldmatrix and stmatrix, statement by statement
 * as TVM writes it (copy/ld_stmatrix.py). */
#include "variants/gs_emit.h"
#include "variants/ldstmatrix.h"
#include "variants/swizzle_walk.h"

#include <string.h>

/* The address that a lane names in round mm, before the swizzle, without its
 * row (s.apply in TVM). */
static tc_expr *tile_offset(const tc_ldstmatrix *f, const tc_ldstmatrix_fit *x,
                            tc_expr *warp, tc_expr *lane, tc_expr *mm) {
    tc_arena *a = f->cx->arena;
    tc_expr *zero = tc_int(a, 0);
    tc_expr *tile =
        x->num > 1 ? tc_binary(a, TC_FLOORDIV, lane, tc_int(a, 8)) : zero;
    tc_expr *coord[TC_MX_SEGMENTS] = {warp, zero, zero, mm, tile, zero};
    const tc_axis *axis = x->s->shard[x->s_seps[TC_MX_PAIR]].axis;
    tc_expr *sum =
        tc_apply_groups(a, x->s, x->s_seps, TC_MX_SEGMENTS, coord, axis);
    if (f->sides.mem.base != NULL) {
        sum = tc_binary(a, TC_ADD, sum, f->sides.mem.base);
    }
    return tc_simplify(a, sum);
}

static tc_expr *row_offset(const tc_ldstmatrix *f, const tc_ldstmatrix_fit *x,
                           tc_expr *lane) {
    tc_arena *a = f->cx->arena;
    return tc_binary(a, TC_MUL, tc_binary(a, TC_FLOORMOD, lane, tc_int(a, 8)),
                     tc_int(a, x->row));
}

static tc_expr *register_index(const tc_ldstmatrix *f,
                               const tc_ldstmatrix_fit *x, tc_expr *mm,
                               int tile) {
    tc_arena *a = f->cx->arena;
    tc_expr *zero = tc_int(a, 0);
    tc_expr *coord[TC_MX_SEGMENTS] = {zero, zero, zero, mm, tc_int(a, tile),
                                      zero};
    const tc_axis *axis = x->r->shard[x->r_seps[TC_MX_PAIR]].axis;
    tc_expr *sum =
        tc_apply_groups(a, x->r, x->r_seps, TC_MX_SEGMENTS, coord, axis);
    return f->sides.reg.base == NULL
               ? sum
               : tc_binary(a, TC_ADD, sum, f->sides.reg.base);
}

static tc_expr *kept(const tc_dispatch_ctx *cx, tc_block *b, const char *name,
                     tc_dtype type, tc_expr *value) {
    tc_buffer *local = tc_new_local(cx, b, name, type);
    tc_set_local(cx, b, local, value);
    return tc_get_local(cx, local);
}

static tc_expr *warp_number(const tc_ldstmatrix *f, tc_block *b) {
    const tc_dispatch_ctx *cx = f->cx;
    if (strcmp(f->lanes->name, "laneid") == 0) {
        return kept(cx, b, "warp_idx_in_T", TC_INT32, tc_int(cx->arena, 0));
    }
    bool wg = strcmp(f->lanes->name, "tid_in_wg") == 0;
    return tc_declare_scope_id(cx, b, wg ? TC_ID_WARP_IN_WG : TC_ID_WARP,
                               wg ? 4 : cx->launch_threads / 32,
                               "warp_idx_in_T");
}

/* The instruction's arguments, as TVM's lowered calls have them. */
static void issue(const tc_ldstmatrix *f, const tc_ldstmatrix_fit *x,
                  tc_block *b, tc_expr *smem, tc_buffer *registers,
                  tc_expr *mm) {
    static const int64_t transposed[][2] = {{0, 1}, {0, 2}, {0, 4},
                                            {1, 1}, {1, 2}, {1, 4}};
    tc_arena *a = f->cx->arena;
    bool store = f->sides.from_reg;
    tc_op op = store ? TC_OPC_PTX_STMATRIX : TC_OPC_PTX_LDMATRIX;
    tc_expr *args[10] = {tc_int_t(a, TC_BOOL, x->trans), tc_int(a, x->num),
                         tc_string(a, ".b16")};
    int n = 3;
    if (store) {
        args[n++] = tc_string(a, "m8n8");
        args[n++] = tc_string(a, "shared");
    }
    args[n++] = smem;
    for (int i = 0; i < x->num; i++) {
        tc_expr *at = register_index(f, x, mm, i);
        kept(f->cx, b, tc_format(a, "handles_%d", i), TC_HANDLE,
             tc_addr(a, registers, &at, 1));
        args[n++] = tc_addr(a, registers, &at, 1);
    }
    tc_stmt *s = tc_eval(a, tc_call(a, op, TC_VOID, args, n));
    s->span = f->cx->span;
    tc_block_add(b, s);
    tc_add_issue(f->cx, f->v, op, 0, x->shape[TC_MX_ROUNDS]);
    tc_issue *is = &f->v->issues[f->v->nissues - 1];
    is->ints = transposed[(x->trans ? 3 : 0) + (int)(x->num / 2)];
    is->nints = 2;
    is->str = store ? ".b16.m8n8.shared" : ".b16";
}

/* The swizzle's pattern over the rounds; it is asked with ranges of its own. */
static bool find_walk(const tc_ldstmatrix *f, const tc_ldstmatrix_fit *x,
                      tc_swizzle_walk *walk) {
    tc_arena *a = f->cx->arena;
    tc_var *vars = TC_NEWN(a, tc_var, 2);
    bool one = strcmp(f->lanes->name, "laneid") == 0;
    vars[0] = (tc_var){.name = "lane", .type = TC_INT32, .hi = 32};
    vars[1] =
        (tc_var){.name = "warp", .type = TC_INT32, .hi = x->shape[TC_MX_WARPS]};
    tc_expr *lane = tc_var_ref(a, &vars[0]);
    tc_expr *warp = one ? tc_int(a, 0) : tc_var_ref(a, &vars[1]);
    tc_expr *start =
        tc_binary(a, TC_ADD, tile_offset(f, x, warp, lane, tc_int(a, 0)),
                  row_offset(f, x, lane));
    return f->sides.has_swizzle &&
           tc_swizzle_recognize(
               a, f->sides.swizzle, x->s->shard + x->s_seps[TC_MX_ROUNDS],
               x->s_seps[TC_MX_TILES] - x->s_seps[TC_MX_ROUNDS], start, walk);
}

void tc_matrix_emit(tc_ldstmatrix *f, const tc_ldstmatrix_fit *x) {
    const tc_dispatch_ctx *cx = f->cx;
    tc_arena *a = cx->arena;
    tc_block *b = &f->v->lowered;
    tc_swizzle_walk walk;
    bool walks = find_walk(f, x, &walk);
    tc_buffer *registers =
        tc_local_view(cx, b, f->sides.reg.region->buffer, f->held);
    tc_expr *lane = tc_declare_scope_id(cx, b, TC_ID_LANE, 32, "laneid");
    tc_expr *warp = warp_number(f, b);
    if (walks) {
        bool one = strcmp(f->lanes->name, "laneid") == 0;
        tc_expr *w = one ? tc_int(a, 0) : warp;
        tc_expr *tile = tile_offset(f, x, w, lane, tc_int(a, 0));
        tc_swizzle_begin(
            cx, b, tc_binary(a, TC_ADD, tile, row_offset(f, x, lane)), &walk);
    }
    tc_stmt *loop =
        tc_new_loop(cx, b, "mm", x->shape[TC_MX_ROUNDS], TC_LOOP_UNROLL);
    tc_expr *mm = tc_var_ref(a, loop->var);
    b = &loop->body;
    tc_expr *tile =
        kept(cx, b, "tile_off", TC_INT32, tile_offset(f, x, warp, lane, mm));
    tc_expr *row = kept(cx, b, "row_off", TC_INT32, row_offset(f, x, lane));
    tc_expr *at =
        kept(cx, b, "logical_off", TC_INT32, tc_binary(a, TC_ADD, tile, row));
    if (walks) {
        at = tc_swizzle_round(a, &walk, mm);
    } else if (f->sides.has_swizzle) {
        at = tc_swizzle_of(a, f->sides.swizzle, at);
    }
    tc_expr *smem = kept(cx, b, "smem_ptr", TC_HANDLE,
                         tc_pointer_to(cx, f->sides.mem.region->buffer, at));
    issue(f, x, b, smem, registers, mm);
}
