/* lower.c - the whole program lowered.
 *
 * As TVM's TilePrimitiveDispatch and LowerTIRxCleanup together: parameters and
 * their flat views, launch variables, a let for each scope id (also those that
 * lowered copies bring), then the body with copies replaced. */
#include "dispatch/lower.h"

#include <string.h>

static tc_stmt *copy_stmt(tc_lowering *l, const tc_stmt *s, tc_block *out) {
    tc_stmt *n = tc_stmt_new(l->arena, s->kind, s->span);
    tc_block_add(out, n);
    return n;
}

tc_var *tc_lower_var(tc_lowering *l, const tc_var *v) {
    tc_var *n = TC_NEW(l->arena, tc_var);
    *n = *v;
    n->name = tc_names_take(l->arena, &l->names, v->name);
    tc_map_put(l->arena, &l->map, v, tc_var_ref(l->arena, n));
    return n;
}

/* --- buffers ---------------------------------------------------------------*/

/* Elements that TVM allocates: the product of the shape; with thread axes, the
 * span of what one thread holds (GetFlattenedBuffer). */
static int64_t flat_elements(const tc_buffer *b) {
    bool threads = false;
    const tc_layout *t = b->layout;
    int64_t span = 1, step;
    if (t != NULL && t->kind == TC_LAYOUT_TILE) {
        for (int i = 0; i < t->nshard; i++) {
            threads |= t->shard[i].axis->cls == TC_AXIS_THREAD;
        }
    }
    if (!threads || b->base != NULL) {
        return tc_buffer_elements(b);
    }
    for (int i = 0; i < t->nshard + t->nreplica; i++) {
        const tc_iter *it =
            i < t->nshard ? &t->shard[i] : &t->replica[i - t->nshard];
        if (it->axis->cls == TC_AXIS_MEMORY &&
            !__builtin_mul_overflow(it->extent - 1, it->stride, &step) &&
            __builtin_add_overflow(span, step, &span)) {
            return tc_buffer_elements(b);
        }
    }
    for (int i = 0; i < t->noffset; i++) {
        span +=
            t->offset[i].axis->cls == TC_AXIS_MEMORY ? t->offset[i].value : 0;
    }
    return span;
}

tc_buffer *tc_lower_buffer(tc_lowering *l, const tc_buffer *b) {
    tc_map_entry *m = tc_map_find(&l->map, b);
    if (m != NULL) {
        return m->value;
    }
    tc_buffer *flat = TC_NEW(l->arena, tc_buffer);
    *flat = *b;
    flat->name = tc_names_take(l->arena, &l->names, b->name);
    flat->layout = NULL;
    flat->origin = b;
    flat->rank = 1;
    flat->shape = TC_NEW(l->arena, int64_t);
    flat->shape[0] = flat_elements(b);
    tc_map_put(l->arena, &l->map, b, flat);
    if (b->base != NULL) {
        flat->base = tc_lower_buffer(l, b->base);
    }
    if (b->elem_offset != NULL) {
        flat->elem_offset = tc_lower_expr(l, b->elem_offset);
    }
    if (b->allocated_addr != NULL) {
        flat->allocated_addr = tc_lower_expr(l, b->allocated_addr);
    }
    return flat;
}

static bool is_match(const tc_buffer *b) {
    return b->param != NULL && b->base == NULL;
}

static tc_stmt *declare(tc_lowering *l, tc_block *out, tc_buffer *b,
                        bool view) {
    tc_stmt *s = tc_stmt_new(l->arena, TC_S_ALLOC, b->span);
    s->buffer = b;
    s->is_view = view;
    tc_block_add(out, s);
    return s;
}

/* T.match_buffer for a parameter, and the flat view that accesses use. */
static void match(tc_lowering *l, const tc_buffer *b, tc_block *views) {
    tc_buffer *whole = TC_NEW(l->arena, tc_buffer);
    tc_map_entry *param = tc_map_find(&l->map, b->param);
    *whole = *b;
    whole->name = tc_names_take(l->arena, &l->names, b->name);
    whole->layout = NULL;
    whole->origin = b;
    whole->param = param != NULL ? ((tc_expr *)param->value)->var
                                 : tc_lower_var(l, b->param);
    declare(l, &l->out->func->body, whole, false);
    tc_buffer *flat = tc_lower_buffer(l, b);
    flat->base = whole;
    flat->param = whole->param;
    tc_stmt *view = tc_stmt_new(l->arena, TC_S_ALLOC, b->span);
    view->buffer = flat;
    view->is_view = true;
    view->next = views->first; /* TVM declares the last parameter's first */
    views->first = view;
    l->out->globals[l->out->nglobals++] = flat;
}

static void match_params(tc_lowering *l) {
    const tc_func *f = l->func;
    tc_block views = {0};
    l->out->globals = TC_NEWN(l->arena, tc_buffer *, f->nbuffers + 1);
    for (int p = 0; p < f->nparams; p++) {
        for (int i = 0; i < f->nbuffers; i++) {
            if (is_match(f->buffers[i]) &&
                f->buffers[i]->param == f->params[p]) {
                match(l, f->buffers[i], &views);
            }
        }
    }
    if (views.first != NULL) {
        tc_block_add(&l->out->func->body, views.first);
    }
}

/* --- the launch ------------------------------------------------------------*/

static void launch_dims(tc_lowering *l, tc_scope_id_kind kind, tc_bind first,
                        const char *const names[3], int64_t dims[3]) {
    int n = tc_launch_dims(&l->launch, kind, dims);
    for (int i = 0; i < n && i < 3; i++) {
        tc_var *v = TC_NEW(l->arena, tc_var);
        *v = (tc_var){.name = tc_names_take(l->arena, &l->names, names[i]),
                      .type = TC_INT32,
                      .bind = first + (tc_bind)i,
                      .hi = dims[i]};
        l->launch_var[v->bind] = v;
        tc_stmt *s = tc_stmt_new(l->arena, TC_S_LAUNCH, TC_NOWHERE);
        s->var = v;
        s->extent = tc_int(l->arena, dims[i]);
        tc_block_add(&l->out->func->body, s);
    }
}

static void add_let(tc_lowering *l, tc_block *b, tc_var *v, tc_expr *value,
                    tc_span span) {
    tc_stmt *s = tc_stmt_new(l->arena, TC_S_LET, span);
    s->var = v;
    s->value = value;
    tc_block_add(b, s);
}

/* warp_id_in_cta = shuffle(all lanes, thread // 32, from lane 0): the compiler
 * then knows that it is the same in a warp. */
static void warp_in_cta(tc_lowering *l) {
    tc_arena *a = l->arena;
    tc_var *v = TC_NEW(a, tc_var);
    int64_t threads = l->launch.fused[TC_ID_THREAD];
    *v = (tc_var){.name = tc_names_take(a, &l->names, "warp_id_in_cta"),
                  .type = TC_INT32,
                  .hi = (threads + 31) / 32};
    tc_expr *args[] = {tc_int_t(a, TC_UINT32, INT64_C(4294967295)),
                       tc_warp_of_thread(l), tc_int(a, 0), tc_int(a, 32),
                       tc_int(a, 32)};
    add_let(l, &l->lets, v, tc_call(a, TC_OPC_WARP_SHUFFLE, TC_INT32, args, 5),
            TC_NOWHERE);
    l->warp_in_cta = v;
}

static void launch(tc_lowering *l) {
    static const char *const cluster[] = {"clusterCtaIdx_x", "clusterCtaIdx_y",
                                          "clusterCtaIdx_z"};
    static const char *const block[] = {"blockIdx_x", "blockIdx_y",
                                        "blockIdx_z"};
    static const char *const thread[] = {"threadIdx_x", "threadIdx_y",
                                         "threadIdx_z"};
    tc_lowered *o = l->out;
    for (int i = 0; i < 3; i++) {
        o->cluster[i] = 1;
    }
    if (tc_launch_clustered(&l->launch)) {
        launch_dims(l, TC_ID_CTA_IN_CLUSTER, TC_BIND_CLUSTER_CTA_X, cluster,
                    o->cluster);
        o->least_sm = 90;
    }
    launch_dims(l, TC_ID_CTA, TC_BIND_BLOCK_X, block, o->grid);
    launch_dims(l, TC_ID_THREAD, TC_BIND_THREAD_X, thread, o->block);
    warp_in_cta(l);
}

/* A let for each variable of a scope id; unnamed ones are evaluated once, so
 * that they stay in the program, as TVM does. */
static void scope_id(tc_lowering *l, const tc_stmt *s) {
    for (int i = 0; i < s->id->n; i++) {
        tc_expr *value = tc_scope_id_value(l, s->id, i, s->span);
        tc_var *v = tc_lower_var(l, s->id->var[i]);
        if (v->lo == v->hi) {
            v->lo = 0;
            v->hi =
                s->id->n == 1 ? l->launch.fused[s->id->kind] : s->id->extent[i];
        }
        tc_map_find(&l->map, s->id->var[i])->inlined = value;
        add_let(l, &l->lets, v, value, s->span);
        if (!s->id->named[i]) {
            tc_stmt *e = tc_eval(l->arena, tc_var_ref(l->arena, v));
            e->span = s->span;
            tc_block_add(&l->evals, e);
        }
    }
}

/* --- statements ------------------------------------------------------------*/

static void refuse_copy(tc_lowering *l, const tc_decision *d) {
    const char *names[TC_VARIANT_COUNT];
    int n = 0;
    for (int i = 0; i < d->nverdicts; i++) {
        names[n++] = tc_variants[d->verdicts[i].variant->id].name;
    }
    const char *forced = d->copy->forced;
    if (forced == NULL) {
        tc_lower_fail(l, d->span, "`why` shows what each variant says",
                      "no variant accepts this copy");
        return;
    }
    for (int i = 0; i < n; i++) {
        if (strcmp(names[i], forced) == 0) {
            const tc_verdict *v = &d->verdicts[i];
            const char *why = v->why;
            for (int k = 0; k < v->npredicates && why == NULL; k++) {
                why = v->predicates[k].reason;
            }
            tc_lower_fail(l, d->span, "`why` shows what each variant says",
                          "%s does not accept this copy%s%s", forced,
                          why != NULL ? ": " : "", why != NULL ? why : "");
            return;
        }
    }
    const char *near = tc_diag_nearest(forced, names, n);
    tc_lower_fail(
        l, d->span,
        near == NULL ? NULL : tc_format(l->arena, "did you mean \"%s\"?", near),
        "this operation has no variant called \"%s\"", forced);
}

static void copy(tc_lowering *l, tc_block *out) {
    if (l->copies >= l->decisions->n) {
        tc_lower_fail(l, TC_NOWHERE, NULL, "a copy was not decided");
        return;
    }
    const tc_decision *d = &l->decisions->items[l->copies++];
    if (d->chosen == NULL) {
        refuse_copy(l, d);
    } else if (!d->chosen->lowering_built) {
        tc_lower_fail(l, d->span, NULL,
                      "accepted by %s; its lowering is not built yet",
                      tc_variants[d->chosen->variant->id].name);
    } else {
        tc_lower_map(l, d->chosen, d->span);
        tc_lower_block(l, &d->chosen->lowered, out);
    }
}

static void loop(tc_lowering *l, const tc_stmt *s, tc_block *out) {
    int64_t begin, extent;
    tc_stmt *n = copy_stmt(l, s, out);
    n->begin = tc_lower_expr(l, s->begin);
    n->extent = tc_lower_expr(l, s->extent);
    n->loop = s->loop;
    n->var = tc_lower_var(l, s->var);
    if (tc_expr_const(n->begin, &begin) && tc_expr_const(n->extent, &extent) &&
        extent > 0 && !__builtin_add_overflow(begin, extent, &extent)) {
        n->var->lo = begin;
        n->var->hi = extent;
    }
    tc_lower_block(l, &s->body, &n->body);
}

static void let(tc_lowering *l, const tc_stmt *s, tc_block *out) {
    tc_stmt *n = copy_stmt(l, s, out);
    n->value = tc_lower_expr(l, s->value);
    n->var = tc_lower_var(l, s->var);
    if (!l->failed && tc_expr_is_pure(n->value)) {
        tc_map_find(&l->map, s->var)->inlined = n->value;
    }
}

static void store(tc_lowering *l, const tc_stmt *s, tc_block *out) {
    tc_stmt *n = copy_stmt(l, s, out);
    n->value = tc_lower_expr(l, s->value);
    n->nindex = 1;
    n->index = TC_NEW(l->arena, tc_expr *);
    n->index[0] = tc_lower_index(l, s->buffer, s->index, s->nindex, s->span);
    n->buffer = tc_lower_buffer(l, s->buffer);
}

static void lower_stmt(tc_lowering *l, const tc_stmt *s, tc_block *out) {
    tc_stmt *n;
    switch (s->kind) {
    case TC_S_EVAL:
        n = copy_stmt(l, s, out);
        n->value = tc_lower_expr(l, s->value);
        break;
    case TC_S_LET:
        let(l, s, out);
        break;
    case TC_S_STORE:
        store(l, s, out);
        break;
    case TC_S_ALLOC:
        if (!is_match(s->buffer)) { /* those are declared already */
            n = declare(l, out, tc_lower_buffer(l, s->buffer), s->is_view);
            n->span = s->span;
            tc_lower_hoisted(l, s->buffer, out);
        }
        break;
    case TC_S_FOR:
        loop(l, s, out);
        break;
    case TC_S_WHILE:
    case TC_S_IF:
        n = copy_stmt(l, s, out);
        n->value = tc_lower_expr(l, s->value);
        tc_lower_block(l, &s->body, &n->body);
        tc_lower_block(l, &s->orelse, &n->orelse);
        break;
    case TC_S_SCOPE_ID:
        scope_id(l, s);
        break;
    case TC_S_COPY:
        copy(l, out);
        break;
    case TC_S_BREAK:
    case TC_S_CONTINUE:
    case TC_S_LAUNCH:
        copy_stmt(l, s, out);
        break;
    }
}

void tc_lower_block(tc_lowering *l, const tc_block *in, tc_block *out) {
    for (const tc_stmt *s = in->first; s != NULL && !l->failed; s = s->next) {
        lower_stmt(l, s, out);
    }
}

/* --- the function ----------------------------------------------------------*/

static void gather_shared(tc_lowering *l, const tc_block *b, int *cap) {
    tc_lowered *o = l->out;
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_ALLOC && s->buffer->base == NULL &&
            tc_space_is_shared(s->buffer->space)) {
            bool dyn = s->buffer->space == TC_SPACE_SHARED_DYN;
            if (dyn) {
                TC_PUSH(l->arena, o->dynamic, o->ndynamic, l->dynamic_cap,
                        s->buffer);
            } else {
                TC_PUSH(l->arena, o->shared, o->nshared, *cap, s->buffer);
            }
        }
        gather_shared(l, &s->body, cap);
        gather_shared(l, &s->orelse, cap);
    }
}

static tc_func *new_func(tc_lowering *l) {
    const tc_func *f = l->func;
    tc_func *n = TC_NEW(l->arena, tc_func);
    *n = (tc_func){.name = f->name,
                   .nparams = f->nparams,
                   .source = f->source,
                   .span = f->span};
    n->params = TC_NEWN(l->arena, tc_var *, f->nparams + 1);
    for (int i = 0; i < f->nparams; i++) {
        n->params[i] = tc_lower_var(l, f->params[i]);
    }
    return n;
}

static void gather_buffers(tc_lowering *l, const tc_block *b, int *cap) {
    tc_func *f = l->out->func;
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_ALLOC) {
            TC_PUSH(l->arena, f->buffers, f->nbuffers, *cap, s->buffer);
        }
        gather_buffers(l, &s->body, cap);
        gather_buffers(l, &s->orelse, cap);
    }
}

static void append(tc_block *to, const tc_block *b) {
    if (b->first != NULL) {
        tc_block_add(to, b->first);
    }
}

tc_lowered *tc_lower(tc_arena *a, const tc_func *func,
                     const tc_decisions *decisions, tc_diags *diags) {
    tc_lowering l = {.arena = a,
                     .diags = diags,
                     .func = func,
                     .decisions = decisions,
                     .out = TC_NEW(a, tc_lowered)};
    tc_block body = {0};
    int cap = 0, buffers = 0;
    if (!tc_launch_read(a, &func->body, &l.launch)) {
        tc_error(diags,
                 l.launch.span.source != NULL ? l.launch.span : func->span,
                 NULL, "%s", l.launch.error);
        return NULL;
    }
    l.out->least_sm = 80;
    l.out->func = new_func(&l);
    match_params(&l);
    launch(&l);
    tc_lower_block(&l, &func->body, &body);
    if (l.failed) {
        return NULL;
    }
    append(&l.out->func->body, &l.lets);
    append(&l.out->func->body, &l.evals);
    append(&l.out->func->body, &l.fetches);
    append(&l.out->func->body, &body);
    gather_shared(&l, &l.out->func->body, &cap);
    gather_buffers(&l, &l.out->func->body, &buffers);
    tc_lower_dynamic(&l);
    return !l.failed && tc_ir_verify(l.out, diags) ? l.out : NULL;
}
