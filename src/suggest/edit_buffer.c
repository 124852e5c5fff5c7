/* edit_buffer.c - edits of declarations: data types, the number of threads,
 * memory spaces, and the use of another buffer. */
#include "suggest/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- dtype ---------------------------------------------------------------- */

/* Every literal of the old type's name within a declaration. */
static bool retype_node(tc_editor *e, tc_edit *x, const tc_node *n,
                        const char *from, const char *to) {
    bool any = false;
    if (n->kind == TC_N_STRING && strcmp(n->s, from) == 0) {
        tc_edit_patch(e, x, n->span.begin, n->span.end,
                      tc_format(e->a, "\"%s\"", to));
        return true;
    }
    for (int i = 0; i < n->items.n; i++) {
        any |= retype_node(e, x, n->items.items[i], from, to);
    }
    for (int i = 0; i < n->nkwargs; i++) {
        any |= retype_node(e, x, n->kwargs[i].value, from, to);
    }
    return any;
}

/* A declaration by call: its second (match_buffer: third) argument is the type;
 * one that is a name is replaced where it stands. */
static bool retype_call(tc_editor *e, tc_edit *x, const tc_node *call,
                        const char *from, const char *to) {
    bool match =
        call->a->kind == TC_N_ATTR && strcmp(call->a->s, "match_buffer") == 0;
    bool view = call->a->kind == TC_N_ATTR && strcmp(call->a->s, "view") == 0;
    const tc_node *is =
        view ? NULL : tc_locate_arg(call, match ? 2 : 1, "dtype");
    if (retype_node(e, x, call, from, to)) {
        return true;
    }
    if (is != NULL) {
        tc_edit_patch(e, x, is->span.begin, is->span.end,
                      tc_format(e->a, "\"%s\"", to));
    }
    return is != NULL;
}

static bool retype_buffer(tc_editor *e, tc_edit *x, const tc_buffer *b,
                          tc_dtype to) {
    const char *from = tc_dtypes[b->type].name;
    bool any = false;
    for (; b != NULL; b = b->base) {
        const tc_node *call = tc_locate_buffer(e->t, b);
        if (call != NULL) {
            any |= retype_call(e, x, call, from, tc_dtypes[to].name);
        }
    }
    return any;
}

static void retype(tc_editor *e, const tc_buffer *one, const tc_buffer *other,
                   tc_dtype to) {
    bool both = other != NULL && other->type != to;
    if (one->type == to) {
        one = other;
        both = false;
    }
    if (one == NULL || one->type == to || one->name == NULL) {
        return;
    }
    tc_edit *x =
        tc_edit_new(e, TC_EDIT_dtype, "dtype",
                    tc_format(e->a, "%s %s %s", one->name,
                              both ? other->name : "", tc_dtypes[to].name),
                    "make %s%s%s %s", one->name, both ? " and " : "",
                    both ? other->name : "", tc_dtypes[to].name);
    if (!retype_buffer(e, x, one, to) ||
        (both && !retype_buffer(e, x, other, to))) {
        e->out->n--;
    }
}

void tc_edits_dtype(tc_editor *e, const char *values) {
    const tc_buffer *d = e->t->d->copy->dst.buffer;
    const tc_buffer *s = e->t->d->copy->src.buffer;
    tc_dtype to;
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        if (strcmp(w, "same") == 0) {
            retype(e, d, NULL, s->type);
            retype(e, s, NULL, d->type);
        } else if (tc_dtype_find(w, &to) &&
                   !(d->type != s->type && (d->type == to || s->type == to))) {
            retype(e, d, s, to);
        }
    }
}

/* --- threads -------------------------------------------------------------- */

/* The single literal of T.thread_id([128]); NULL for any other form. */
static const tc_node *only_extent(const tc_node *call) {
    const tc_node *n = call != NULL ? tc_locate_arg(call, 0, "extents") : NULL;
    if (n != NULL && (n->kind == TC_N_LIST || n->kind == TC_N_TUPLE)) {
        n = n->items.n == 1 ? n->items.items[0] : NULL;
    }
    return n != NULL && n->kind == TC_N_INT ? n : NULL;
}

static bool set_extent(tc_editor *e, tc_edit *x, tc_scope_id_kind kind,
                       int64_t threads, int64_t each) {
    const tc_node *call = NULL;
    const tc_scope_id *id = tc_locate_id(e->t, kind, &call);
    if (id == NULL) {
        return true;
    }
    const tc_node *n = only_extent(call);
    if (n == NULL || threads % each != 0) {
        return false;
    }
    if (n->i != threads / each) {
        tc_edit_patch(e, x, n->span.begin, n->span.end,
                      tc_format(e->a, "%" PRId64, threads / each));
    }
    return true;
}

void tc_edits_threads(tc_editor *e, const char *values) {
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        int64_t n = atoi(w);
        tc_edit *x = tc_edit_new(e, TC_EDIT_threads, "threads", w,
                                 "launch %s threads", w);
        if (!set_extent(e, x, TC_ID_THREAD, n, 1) ||
            !set_extent(e, x, TC_ID_WARP, n, 32) ||
            !set_extent(e, x, TC_ID_WARPGROUP, n, 128) || x->n == 0) {
            e->out->n--;
        }
    }
}

/* --- memory --------------------------------------------------------------- */

static bool fits(const tc_region *r, const tc_buffer *b) {
    if (r->buffer->rank != b->rank) {
        return false;
    }
    for (int i = 0; i < b->rank; i++) {
        int64_t min = 0;
        if ((tc_expr_const(r->range[i].min, &min) &&
             min + r->range[i].extent > b->shape[i]) ||
            r->range[i].extent > b->shape[i]) {
            return false;
        }
    }
    return true;
}

/* Another buffer of the program in place of that of one side. */
static void use_buffer(tc_editor *e, int position) {
    const tc_copy *c = e->t->d->copy;
    const tc_region *r = position == 0 ? &c->dst : &c->src;
    const tc_region *o = position == 0 ? &c->src : &c->dst;
    const char *side = position == 0 ? "dst" : "src";
    const tc_node *arg = tc_locate_arg(e->call, position, side);
    if (arg != NULL && arg->kind == TC_N_SUBSCRIPT) {
        arg = arg->a;
    }
    if (arg == NULL || arg->kind != TC_N_NAME) {
        return;
    }
    for (int i = 0; i < e->t->func->nbuffers; i++) {
        const tc_buffer *b = e->t->func->buffers[i];
        if (b == r->buffer || b == o->buffer || b->name == NULL || b->scalar ||
            b->space == r->buffer->space || !fits(r, b)) {
            continue;
        }
        tc_edit *x = tc_edit_new(e, TC_EDIT_space, side, b->name,
                                 "copy %s %s, in %s memory, instead of %s",
                                 position == 0 ? "to" : "from", b->name,
                                 tc_space_name(b->space), arg->s);
        tc_edit_patch(e, x, arg->span.begin, arg->span.end, b->name);
    }
}

static void change_space(tc_editor *e, const tc_buffer *b, const char *to) {
    const tc_node *call = tc_locate_buffer(e->t, b);
    const tc_node *is = call != NULL ? tc_locate_arg(call, -1, "scope") : NULL;
    if (is == NULL || is->kind != TC_N_STRING || b->name == NULL ||
        strncmp(is->s, to, strlen(to)) == 0 || b->space == TC_SPACE_TMEM) {
        return;
    }
    tc_edit *x = tc_edit_new(e, TC_EDIT_space, b->name, to,
                             "put %s into %s memory", b->name, to);
    tc_edit_patch(e, x, is->span.begin, is->span.end,
                  tc_format(e->a, "\"%s\"", to));
}

void tc_edits_space(tc_editor *e, const char *values) {
    const tc_copy *c = e->t->d->copy;
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        if (strcmp(w, "buffer") == 0) {
            use_buffer(e, 0);
            use_buffer(e, 1);
        } else {
            change_space(e, c->dst.buffer, w);
            change_space(e, c->src.buffer, w);
        }
    }
}
