/* body.c - the body of a @T.prim_func: statements to IR.
 *
 * Names follow TVM's parser (python/tvm/tirx/script/parser/parser.py): a block
 * of an if, for or while has names of its own; x = value makes a local scalar
 * that later assignments store to; buffers, ids and T.meta_var get a name. */
#include "front/internal.h"

#include <string.h>

tc_stmt *tc_emit_stmt(tc_eval_ctx *e, tc_stmt_kind kind, tc_span span) {
    tc_stmt *s = tc_stmt_new(e->arena, kind, span);
    tc_block_add(e->body->block, s);
    return s;
}

/* --- names for new things ---------------------------------------------- */

void tc_note_unnamed(tc_eval_ctx *e, tc_var *v, tc_buffer *b, bool *named) {
    tc_unnamed u = {v, b, named};
    TC_PUSH(e->arena, e->body->unnamed, e->body->nunnamed, e->body->unnamed_cap,
            u);
}

static void name_var(tc_eval_ctx *e, tc_var *v, const char *name) {
    for (int i = 0; i < e->body->nunnamed; i++) {
        tc_unnamed *u = &e->body->unnamed[i];
        if (u->var == v && v->name == NULL) {
            v->name = name;
            if (u->named != NULL) {
                *u->named = true;
            }
        }
    }
}

void tc_give_name(tc_eval_ctx *e, const char *name, const tc_value *v) {
    if (v->kind == TC_V_BUFFER && v->buffer->name == NULL) {
        v->buffer->name = name;
    } else if (v->kind == TC_V_OBJECT && v->buffer->name == NULL) {
        v->buffer->name = tc_format(e->arena, "%s_buf", name);
    } else if (v->kind == TC_V_EXPR && v->expr->kind == TC_E_VAR) {
        name_var(e, v->expr->var, name);
    } else if (tc_value_is_sequence(v)) {
        for (int i = 0; e->body->nunnamed > 0 && i < v->nitems; i++) {
            if (!tc_value_is_sequence(&v->items[i])) {
                tc_give_name(e, tc_format(e->arena, "%s_%d", name, i),
                             &v->items[i]);
            }
        }
    }
}

static const char *default_name(tc_eval_ctx *e, const char *stem, int *count) {
    int k = (*count)++;
    return k == 0 ? stem : tc_format(e->arena, "%s_%d", stem, k);
}

/* What the statement left without a name gets v, v_1, ... as in TVM. */
static void name_the_rest(tc_eval_ctx *e) {
    tc_body *b = e->body;
    for (int i = 0; i < b->nunnamed; i++) {
        tc_unnamed *u = &b->unnamed[i];
        if (u->var != NULL && u->var->name == NULL) {
            u->var->name = default_name(e, "v", &b->nvars);
        }
        if (u->buffer != NULL && u->buffer->name == NULL) {
            u->buffer->name = default_name(e, "buffer", &b->nanonymous_buffers);
            u->buffer->unnamed = true;
        }
    }
    b->nunnamed = 0;
}

/* --- assignments ------------------------------------------------------- */

static bool define(tc_eval_ctx *e, const tc_node *target, const tc_value *v) {
    const tc_value *old = tc_env_own(e->env, target->s);
    if (old != NULL && strcmp(target->s, "_") != 0 &&
        !(old->kind == v->kind && old->buffer == v->buffer &&
          old->expr == v->expr && v->kind >= TC_V_BUFFER)) {
        return tc_front_fail(e, target->span, "choose another name",
                             "'%s' is defined in this block already: only "
                             "scalars can be assigned to again",
                             target->s);
    }
    tc_give_name(e, target->s, v);
    tc_env_set(e->env, target->s, v);
    return true;
}

/* A local of one element, named by target. */
static tc_buffer *new_scalar(tc_eval_ctx *e, tc_dtype type, tc_span span) {
    int64_t one = 1;
    tc_buffer *b = tc_new_buffer(e, type, TC_SPACE_LOCAL, &one, 1, span);
    b->scalar = true;
    b->layout = tc_layout_row_major(e->arena, &one, 1);
    tc_stmt *s = tc_emit_stmt(e, TC_S_ALLOC, span);
    s->buffer = b;
    tc_note_unnamed(e, NULL, b, NULL);
    return b;
}

static bool store_scalar(tc_eval_ctx *e, tc_buffer *b, const tc_value *v,
                         tc_span span) {
    tc_expr *x, *zero = tc_int(e->arena, 0);
    if (!tc_want_expr(e, v, span, "the value", &x)) {
        return false;
    }
    if (x->type == TC_HANDLE || x->type == TC_VOID) {
        return tc_front_fail(e, span, NULL, "a %s scalar cannot hold %s",
                             tc_dtypes[b->type].name,
                             x->type == TC_VOID ? "nothing" : "a pointer");
    }
    tc_stmt *s = tc_store(e->arena, b, &zero, 1, tc_cast(e->arena, b->type, x));
    s->span = span;
    tc_block_add(e->body->block, s);
    return true;
}

static bool is_fresh(const tc_eval_ctx *e, const tc_value *v) {
    for (int i = 0; v->kind == TC_V_EXPR && v->expr->kind == TC_E_VAR &&
                    i < e->body->nunnamed;
         i++) {
        if (e->body->unnamed[i].var == v->expr->var &&
            v->expr->var->name == NULL) {
            return true;
        }
    }
    return false;
}

/* A pointer gets an immutable variable. */
static bool let(tc_eval_ctx *e, const tc_node *target, tc_dtype type,
                tc_expr *x, tc_span span) {
    tc_var *v = TC_NEW(e->arena, tc_var);
    v->name = target->s;
    v->type = type;
    v->span = target->span;
    tc_stmt *s = tc_emit_stmt(e, TC_S_LET, span);
    s->var = v;
    s->value = x;
    tc_value named = tc_value_expr(tc_var_ref(e->arena, v));
    return define(e, target, &named);
}

/* Counts nodes up to limit, so that a name never stands for a huge tree. */
static int node_count(const tc_expr *x, int limit) {
    if (limit <= 0) {
        return 1;
    }
    int n = 1;
    switch (x->kind) {
    case TC_E_UNARY:
        return n + node_count(x->un.a, limit - n);
    case TC_E_CAST:
        return n + node_count(x->cast.a, limit - n);
    case TC_E_BINARY:
        n += node_count(x->bin.a, limit - n);
        return n + node_count(x->bin.b, limit - n);
    case TC_E_SELECT:
        n += node_count(x->sel.c, limit - n);
        n += node_count(x->sel.a, limit - n);
        return n + node_count(x->sel.b, limit - n);
    case TC_E_LOAD:
    case TC_E_ADDR:
        for (int i = 0; i < x->mem.n; i++) {
            n += node_count(x->mem.index[i], limit - n);
        }
        return n;
    case TC_E_CALL:
        for (int i = 0; i < x->call.n; i++) {
            n += node_count(x->call.args[i], limit - n);
        }
        return n;
    default:
        return n;
    }
}

static bool define_meta(tc_eval_ctx *e, const tc_node *target,
                        const tc_value *v, tc_span span) {
    if (v->kind == TC_V_EXPR &&
        node_count(v->expr, TC_MAX_META_NODES + 1) > TC_MAX_META_NODES) {
        return tc_front_fail(e, span, "assign it without T.meta_var",
                             "the expression has more than %d parts",
                             TC_MAX_META_NODES);
    }
    return define(e, target, v);
}

static bool assign_name(tc_eval_ctx *e, const tc_node *target,
                        const tc_value *v, tc_span span) {
    const tc_value *old = tc_env_get(e->env, target->s);
    if (old != NULL && old->kind == TC_V_BUFFER && old->buffer->rank == 1 &&
        old->buffer->shape[0] == 1 && tc_can_be_expr(v) && !v->meta) {
        return store_scalar(e, old->buffer, v, span);
    }
    if (v->kind == TC_V_NONE) {
        return tc_front_fail(e, span, NULL, "this gives no value to name '%s'",
                             target->s);
    }
    if (v->meta) {
        return define_meta(e, target, v, span);
    }
    if (!tc_can_be_expr(v) || is_fresh(e, v)) {
        return define(e, target, v);
    }
    tc_expr *x;
    if (!tc_want_expr(e, v, span, "the value", &x)) {
        return false;
    }
    if (x->type == TC_VOID) {
        return tc_front_fail(e, span, NULL, "this gives no value to name '%s'",
                             target->s);
    }
    if (x->type == TC_HANDLE) {
        return let(e, target, TC_HANDLE, x, span);
    }
    tc_value made = {.kind = TC_V_BUFFER,
                     .buffer = new_scalar(e, x->type, target->span)};
    return define(e, target, &made) && store_scalar(e, made.buffer, v, span);
}

static bool assign_to(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                      tc_span span);

static bool unpack(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                   tc_span span) {
    if (!tc_value_is_sequence(v) || v->nitems != target->items.n) {
        return tc_front_fail(e, span, NULL, "%d names, and the value is %s",
                             target->items.n,
                             tc_value_is_sequence(v)
                                 ? tc_format(e->arena, "%d values", v->nitems)
                                 : tc_value_kind_text(v));
    }
    for (int i = 0; i < v->nitems; i++) {
        if (!assign_to(e, target->items.items[i], &v->items[i], span)) {
            return false;
        }
    }
    return true;
}

static bool assign_to(tc_eval_ctx *e, const tc_node *target, const tc_value *v,
                      tc_span span) {
    switch (target->kind) {
    case TC_N_NAME:
        return assign_name(e, target, v, span);
    case TC_N_SUBSCRIPT:
        return tc_store_to(e, target, v, span);
    case TC_N_TUPLE:
    case TC_N_LIST:
        return unpack(e, target, v, span);
    default:
        return tc_front_fail(e, target->span, NULL,
                             "this cannot be assigned to in a kernel");
    }
}

static bool assign(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    if (n->b->kind == TC_N_ASSIGN) {
        return tc_front_fail(e, n->span, "write two assignments",
                             "a = b = value is not allowed in a kernel");
    }
    return tc_eval_node(e, n->b, &v) && assign_to(e, n->a, &v, n->span);
}

static bool augmented(tc_eval_ctx *e, const tc_node *n) {
    tc_value a, b;
    if (!tc_eval_node(e, n->a, &a) || !tc_eval_node(e, n->b, &b)) {
        return false;
    }
    if (n->a->kind == TC_N_NAME &&
        !(a.kind == TC_V_BUFFER && a.buffer->scalar)) {
        return tc_front_fail(e, n->a->span,
                             "make a scalar of it first: x = value",
                             "'%s' is no scalar that can be changed", n->a->s);
    }
    return tc_arith_binary(e, n->op, &a, &b, n->span, &a) &&
           assign_to(e, n->a, &a, n->span);
}

/* x: T.float32[8] is a local buffer. */
static bool local_vector(tc_eval_ctx *e, const tc_node *n, tc_dtype type) {
    tc_value shape;
    tc_node tuple = {
        .kind = TC_N_TUPLE, .span = n->b->span, .items = n->b->items};
    int64_t *dims;
    int rank;
    if (n->c != NULL) {
        return tc_front_fail(e, n->c->span, NULL,
                             "a local buffer takes no initial value");
    }
    if (!tc_eval_node(e, &tuple, &shape) ||
        !tc_want_shape(e, &shape, n->b->span, "the shape", &dims, &rank)) {
        return false;
    }
    tc_buffer *b = tc_new_buffer(e, type, TC_SPACE_LOCAL, dims, rank, n->span);
    b->layout = tc_layout_row_major(e->arena, dims, rank);
    tc_emit_stmt(e, TC_S_ALLOC, n->span)->buffer = b;
    tc_value v = {.kind = TC_V_BUFFER, .buffer = b};
    return define(e, n->a, &v);
}

static bool annotated_let(tc_eval_ctx *e, const tc_node *n,
                          const tc_value *type) {
    tc_value v;
    tc_expr *x;
    if (n->c == NULL) {
        return tc_front_fail(e, n->span, NULL, "T.let needs a value");
    }
    if (!tc_eval_node(e, n->c, &v) ||
        !tc_want_expr(e, &v, n->c->span, "the value", &x)) {
        return false;
    }
    if (type != NULL && type->kind == TC_V_DTYPE && type->dtype != x->type) {
        if (type->dtype == TC_HANDLE || x->type == TC_HANDLE) {
            return tc_front_fail(e, n->c->span, NULL, "the value is %s, not %s",
                                 tc_dtypes[x->type].name,
                                 tc_dtypes[type->dtype].name);
        }
        x = tc_cast(e->arena, type->dtype, x);
    }
    return let(e, n->a, x->type, x, n->span);
}

/* x: T.int32 = value, x: T.float32[8], x: T.let = value. */
static bool annotated(tc_eval_ctx *e, const tc_node *n) {
    tc_value base, type, v;
    if (n->a->kind != TC_N_NAME) {
        return tc_front_fail(e, n->a->span, NULL,
                             "only a name can have a type here");
    }
    if (n->b->kind == TC_N_SUBSCRIPT) {
        if (!tc_eval_node(e, n->b->a, &base)) {
            return false;
        }
        if (base.kind == TC_V_DTYPE) {
            return local_vector(e, n, base.dtype);
        }
        if (base.kind == TC_V_NAMESPACE && strcmp(base.s, "T.let") == 0 &&
            n->b->items.n == 1) {
            return tc_eval_node(e, n->b->items.items[0], &type) &&
                   annotated_let(e, n, &type);
        }
    }
    if (!tc_eval_node(e, n->b, &type)) {
        return false;
    }
    if (type.kind == TC_V_NAMESPACE && strcmp(type.s, "T.let") == 0) {
        return annotated_let(e, n, NULL);
    }
    if (type.kind != TC_V_DTYPE || type.dtype == TC_HANDLE ||
        type.dtype == TC_VOID) {
        return tc_front_fail(e, n->b->span, "write x: T.int32 = 0",
                             "a scalar's type is needed here");
    }
    tc_value made = {.kind = TC_V_BUFFER,
                     .buffer = new_scalar(e, type.dtype, n->span)};
    if (n->c != NULL && !tc_eval_node(e, n->c, &v)) {
        return false;
    }
    return define(e, n->a, &made) &&
           (n->c == NULL || store_scalar(e, made.buffer, &v, n->span));
}

/* --- control flow ------------------------------------------------------ */

static bool if_statement(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    tc_expr *c;
    bool truth;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    if (tc_truth_of(&v, &truth)) { /* decided now, as Python would */
        return tc_run_body_block(e, truth ? &n->body : &n->orelse,
                                 e->body->block, true);
    }
    if (!tc_want_condition(e, &v, n->a->span, &c)) {
        return false;
    }
    tc_stmt *s = tc_emit_stmt(e, TC_S_IF, n->span);
    s->value = c;
    return tc_run_body_block(e, &n->body, &s->body, true) &&
           tc_run_body_block(e, &n->orelse, &s->orelse, true);
}

static bool while_statement(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    tc_expr *c;
    if (n->orelse.n > 0) {
        return tc_front_fail(e, n->span, NULL,
                             "a while of a kernel has no else");
    }
    if (!tc_eval_node(e, n->a, &v) ||
        !tc_want_condition(e, &v, n->a->span, &c)) {
        return false;
    }
    tc_stmt *s = tc_emit_stmt(e, TC_S_WHILE, n->span);
    s->value = c;
    e->body->loops++;
    bool ok = tc_run_body_block(e, &n->body, &s->body, true);
    e->body->loops--;
    return ok;
}

static bool jump(tc_eval_ctx *e, const tc_node *n) {
    bool is_break = n->kind == TC_N_BREAK;
    if (e->body->loops == 0) {
        return tc_front_fail(e, n->span, NULL, "'%s' outside of a loop",
                             is_break ? "break" : "continue");
    }
    tc_emit_stmt(e, is_break ? TC_S_BREAK : TC_S_CONTINUE, n->span);
    return true;
}

static bool expression(tc_eval_ctx *e, const tc_node *n) {
    tc_value v;
    if (!tc_eval_node(e, n->a, &v)) {
        return false;
    }
    if (v.kind == TC_V_NAMESPACE) {
        return tc_front_fail(e, n->span, "call it: add ()",
                             "'%s' is named here, not called", v.s);
    }
    if (v.kind == TC_V_EXPR && !is_fresh(e, &v)) {
        tc_stmt *s = tc_eval(e->arena, v.expr);
        s->span = n->span;
        tc_block_add(e->body->block, s);
    }
    return true;
}

static bool statement(tc_eval_ctx *e, const tc_node *n) {
    switch (n->kind) {
    case TC_N_EXPR:
        return expression(e, n);
    case TC_N_ASSIGN:
        return assign(e, n);
    case TC_N_ANNASSIGN:
        return annotated(e, n);
    case TC_N_AUGASSIGN:
        return augmented(e, n);
    case TC_N_FOR:
        return tc_body_for(e, n);
    case TC_N_WHILE:
        return while_statement(e, n);
    case TC_N_IF:
        return if_statement(e, n);
    case TC_N_PASS:
        return true;
    case TC_N_BREAK:
    case TC_N_CONTINUE:
        return jump(e, n);
    case TC_N_RETURN:
        return tc_front_fail(e, n->span, "remove it",
                             "a kernel returns nothing");
    case TC_N_WITH:
        return tc_front_fail(e, n->span,
                             "the kernel begins at T.device_entry()",
                             "'with' in a kernel is not built yet");
    case TC_N_DEF:
        return tc_front_fail(e, n->name_span, NULL,
                             "a function inside a prim_func is not built yet");
    case TC_N_ASSERT:
        return tc_front_fail(e, n->span, NULL,
                             "'assert' in a kernel is not built yet");
    default:
        return tc_front_fail(e, n->span, "put it above the prim_func",
                             "this statement cannot stand in a kernel");
    }
}

bool tc_run_body_block(tc_eval_ctx *e, const tc_node_list *stmts,
                       tc_block *into, bool new_scope) {
    tc_block *block = e->body->block;
    tc_env *env = e->env;
    bool ok = true;
    e->body->block = into;
    e->env = new_scope ? tc_env_child(e->arena, env) : env;
    for (int i = 0; ok && i < stmts->n; i++) {
        ok = statement(e, stmts->items[i]);
        name_the_rest(e);
    }
    if (new_scope) {
        TC_PUSH(e->arena, e->body->closed, e->body->nclosed,
                e->body->closed_cap, e->env);
    }
    e->env = env;
    e->body->block = block;
    return ok;
}

bool tc_inline_body(tc_eval_ctx *e, const tc_node_list *stmts, tc_env *scope) {
    tc_env *env = e->env;
    e->env = scope;
    bool ok = tc_run_body_block(e, stmts, e->body->block, false);
    e->env = env;
    return ok;
}

/* --- the function ------------------------------------------------------ */

static bool param_type(tc_eval_ctx *e, const tc_param *p, tc_dtype *out) {
    tc_value v;
    if (p->annotation == NULL && p->kind == 0) {
        return tc_front_fail(e, p->span,
                             tc_format(e->arena, "write %s: T.handle", p->name),
                             "parameter '%s' has no type", p->name);
    }
    if (p->default_value != NULL) {
        return tc_front_fail(e, p->default_value->span, NULL,
                             "a prim_func's parameter has no default");
    }
    if (p->kind != 0) {
        return tc_front_fail(e, p->span, NULL,
                             "a prim_func has plain parameters only");
    }
    if (!tc_eval_node(e, p->annotation, &v)) {
        return false;
    }
    if (v.kind != TC_V_DTYPE || v.dtype == TC_VOID) {
        return tc_front_fail(e, p->annotation->span, "T.handle, T.int32, ...",
                             "the type of parameter '%s' is %s", p->name,
                             tc_value_kind_text(&v));
    }
    *out = v.dtype;
    return true;
}

static bool parameters(tc_eval_ctx *e, const tc_node *def, tc_func *f) {
    f->params = TC_NEWN(e->arena, tc_var *, def->nparams + 1);
    for (int i = 0; i < def->nparams; i++) {
        const tc_param *p = &def->params[i];
        tc_var *v = TC_NEW(e->arena, tc_var);
        v->name = p->name;
        v->bind = TC_BIND_PARAM;
        v->span = p->span;
        if (!param_type(e, p, &v->type)) {
            return false;
        }
        f->params[f->nparams++] = v;
        tc_value named = tc_value_expr(tc_var_ref(e->arena, v));
        tc_env_set(e->env, p->name, &named);
    }
    return true;
}

bool tc_build_func(tc_eval_ctx *e, const tc_node *def, tc_func **out) {
    tc_func *f = *out = TC_NEW(e->arena, tc_func);
    tc_body body = {.func = f, .block = &f->body};
    f->name = def->s;
    f->source = def->span.source;
    f->span = def->span;
    tc_eval_ctx inner = *e;
    inner.body = &body;
    inner.env = tc_env_child(e->arena, e->env);
    if (e->body != NULL) {
        return tc_front_fail(e, def->name_span, NULL,
                             "a function inside a prim_func is not built yet");
    }
    bool ok = parameters(&inner, def, f) &&
              tc_run_body_block(&inner, &def->body, &f->body, false) &&
              tc_infer_ids(&inner);
    if (ok) {
        tc_note_shared_bytes(&inner);
    }
    return ok;
}
