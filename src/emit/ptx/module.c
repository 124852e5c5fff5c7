/* module.c - statements, the kernel and the module around it. */
#include "base/target.h"
#include "emit/dynamic.h"
#include "emit/ptx/ptx.h"
#include "emit/shared.h"

#include <ctype.h>
#include <string.h>

static void print_block(tc_pe e, const tc_block *b);

/* --- places and comments ---------------------------------------------------*/

static void print_loc(tc_pe e, tc_span span) {
    bool same = e->span.source == span.source && e->span.begin == span.begin;
    if (span.source != NULL && !same) {
        e->span = span;
        e->unplaced = true;
    }
}

/* As the script prints it, but pointer_offset without its source code. */
static void print_value(tc_buf *b, const tc_expr *x) {
    if (x->kind != TC_E_CALL || x->call.op != TC_OPC_POINTER_OFFSET) {
        tc_ir_print_expr(b, x);
        return;
    }
    tc_buf_puts(b, "pointer_offset(");
    tc_ir_print_expr(b, x->call.args[0]);
    tc_buf_puts(b, ", ");
    tc_ir_print_expr(b, x->call.args[1]);
    tc_buf_putc(b, ')');
}

/* The lowered statement, on one line that is not too long. */
static void print_comment(tc_pe e, const tc_stmt *s) {
    tc_buf b = TC_BUF_INIT;
    tc_pe_loc(e);
    if (s->kind == TC_S_LET) {
        tc_buf_printf(&b, "%s = ", s->var->name);
    } else if (s->kind == TC_S_STORE) {
        tc_buf_printf(&b, "%s[", s->buffer->name);
        if (s->nindex > 0) {
            tc_ir_print_expr(&b, s->index[0]);
        }
        tc_buf_puts(&b, "] = ");
    } else if (s->kind == TC_S_WHILE || s->kind == TC_S_IF) {
        tc_buf_puts(&b, s->kind == TC_S_IF ? "if " : "while ");
    }
    print_value(&b, s->value);
    size_t shown = 0;
    const char *text = tc_buf_text(&b);
    while (text[shown] != '\0' && shown < 66 &&
           isprint((unsigned char)text[shown])) {
        shown++;
    }
    tc_buf_printf(e->out, "\t// %.*s%s\n", (int)shown, text,
                  text[shown] != '\0' ? " ..." : "");
    tc_buf_free(&b);
}

/* --- control flow ----------------------------------------------------------*/

static void print_body(tc_pe e, const tc_block *b, int brk, int cont) {
    tc_jumps *outer = e->jumps, mine = {.brk = brk, .cont = cont};
    e->jumps = &mine;
    print_block(e, b);
    e->jumps = outer;
}

static bool block_jumps(const tc_block *b, tc_stmt_kind kind) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        bool inner = s->kind == TC_S_IF && (block_jumps(&s->body, kind) ||
                                            block_jumps(&s->orelse, kind));
        if (s->kind == kind || inner) {
            return true;
        }
    }
    return false;
}

static void print_unrolled(tc_pe e, const tc_stmt *s, int64_t first,
                           int64_t n) {
    int id = tc_fact_of(e->facts, s->var)->id, end = ++e->nlabels;
    bool brk = block_jumps(&s->body, TC_S_BREAK);
    bool cont = block_jumps(&s->body, TC_S_CONTINUE);
    int64_t copies = e->copies;
    e->copies = n > 0 ? copies * n : copies;
    for (int64_t i = 0; i < n && !e->failed; i++) {
        int next = ++e->nlabels;
        tc_pe_loc(e);
        tc_buf_printf(e->out, "\t// unrolled: %s = %lld\n", s->var->name,
                      (long long)(first + i));
        e->vars[id] = tc_pe_int(s->var->type, first + i);
        print_body(e, &s->body, end, next);
        if (cont) {
            tc_pe_settle_all(e);
            tc_pe_label(e, next);
        }
    }
    if (brk) {
        tc_pe_settle_all(e);
        tc_pe_label(e, end);
    }
    e->copies = copies;
}

static void print_loop(tc_pe e, const tc_stmt *s) {
    tc_dtype t = s->var->type;
    int id = tc_fact_of(e->facts, s->var)->id;
    int top = ++e->nlabels, cont = ++e->nlabels, end = ++e->nlabels;
    const char *num = tc_pe_num(t);
    tc_val begin = tc_pe_cast(e, t, tc_pe_expr(e, s->begin));
    tc_expr *stop = tc_binary(e->arena, TC_ADD, s->begin, s->extent);
    tc_val limit = tc_pe_fixed(e, tc_pe_cast(e, t, tc_pe_expr(e, stop)));
    bool runs = begin.kind == TC_VAL_INT && limit.kind == TC_VAL_INT;
    if (runs && begin.i >= limit.i) {
        return;
    }
    tc_pe_settle_all(e);
    tc_val var = tc_pe_temp(e, t), p = tc_pe_temp(e, TC_BOOL);
    tc_pe_assign(e, var, begin);
    e->vars[id] = var;
    if (!runs) {
        tc_pe_ins(e, "setp.ge.%s \t%s, %s, %s", num, tc_pe_text(e, p),
                  tc_pe_text(e, var), tc_pe_text(e, limit));
        tc_pe_ins(e, "@%s bra \t$L_%d", tc_pe_text(e, p), end);
    }
    tc_pe_label(e, top);
    tc_buf_printf(e->out, "\t// loop: %s\n", s->var->name);
    print_body(e, &s->body, end, cont);
    tc_pe_settle_all(e);
    tc_pe_label(e, cont);
    print_loc(e, s->span);
    tc_pe_ins(e, "add.%s \t%s, %s, 1", tc_dtypes[t].bits == 64 ? "s64" : "s32",
              tc_pe_text(e, var), tc_pe_text(e, var));
    tc_pe_ins(e, "setp.lt.%s \t%s, %s, %s", num, tc_pe_text(e, p),
              tc_pe_text(e, var), tc_pe_text(e, limit));
    tc_pe_ins(e, "@%s bra \t$L_%d", tc_pe_text(e, p), top);
    tc_pe_label(e, end);
}

static void print_for(tc_pe e, const tc_stmt *s) {
    int64_t first, n;
    if (!tc_type_is_int(s->var->type) || tc_dtypes[s->var->type].bits < 32) {
        tc_pe_fail(e, s->span, NULL, "a loop over %s is not built yet",
                   tc_dtypes[s->var->type].name);
    } else if (tc_loop_unrolls(s, e->copies, &first, &n)) {
        print_unrolled(e, s, first, n);
    } else {
        print_loop(e, s);
    }
}

static void print_while(tc_pe e, const tc_stmt *s) {
    int top = ++e->nlabels, end = ++e->nlabels;
    tc_pe_settle_all(e);
    tc_pe_label(e, top);
    print_comment(e, s);
    tc_val p = tc_pe_pred(e, s->value);
    tc_pe_ins(e, "@!%s bra \t$L_%d", tc_pe_text(e, p), end);
    print_body(e, &s->body, end, top);
    tc_pe_settle_all(e);
    print_loc(e, s->span);
    tc_pe_ins(e, "bra \t$L_%d", top);
    tc_pe_label(e, end);
}

static void print_if(tc_pe e, const tc_stmt *s) {
    tc_val c = tc_pe_cast(e, TC_BOOL, tc_pe_expr(e, s->value));
    if (c.kind == TC_VAL_INT) {
        print_block(e, c.i != 0 ? &s->body : &s->orelse);
        return;
    }
    int otherwise = ++e->nlabels, end = otherwise;
    tc_pe_settle_all(e);
    print_comment(e, s);
    tc_pe_ins(e, "@!%s bra \t$L_%d", tc_pe_text(e, tc_pe_in_reg(e, c)),
              otherwise);
    print_block(e, &s->body);
    tc_pe_settle_all(e);
    if (s->orelse.first != NULL) {
        end = ++e->nlabels;
        tc_pe_ins(e, "bra \t$L_%d", end);
        tc_pe_label(e, otherwise);
        print_block(e, &s->orelse);
        tc_pe_settle_all(e);
    }
    tc_pe_label(e, end);
}

static void print_jump(tc_pe e, const tc_stmt *s) {
    if (e->jumps == NULL) {
        tc_pe_fail(e, s->span, NULL, "break or continue outside of a loop");
        return;
    }
    tc_pe_settle_all(e);
    tc_pe_ins(e, "bra \t$L_%d",
              s->kind == TC_S_BREAK ? e->jumps->brk : e->jumps->cont);
}

/* --- statements ------------------------------------------------------------*/

static void print_eval(tc_pe e, const tc_stmt *s) {
    unsigned pure = TC_OPF_ADDRESS;
    if (s->value->kind != TC_E_CALL ||
        (tc_ops[s->value->call.op].flags & pure) != 0 ||
        s->value->call.op == TC_OPC_WARP_SHUFFLE) {
        return; /* nothing happens */
    }
    print_comment(e, s);
    tc_pe_expr(e, s->value);
}

static void print_let(tc_pe e, const tc_stmt *s) {
    const tc_fact *fact = tc_fact_of(e->facts, s->var);
    if (fact->uses == 0) {
        return;
    }
    print_comment(e, s);
    tc_val v = tc_pe_cast(e, s->var->type, tc_pe_expr(e, s->value));
    if (s->var->type == TC_HANDLE) {
        v = tc_pe_to_window(e, v, fact->pointer.window);
    }
    e->vars[fact->id] = tc_pe_fixed(e, v);
}

static void print_launch(tc_pe e, const tc_stmt *s) {
    int64_t n;
    int id = tc_fact_of(e->facts, s->var)->id;
    if (s->extent != NULL && tc_expr_const(s->extent, &n) && n == 1) {
        e->vars[id] = tc_pe_int(s->var->type, 0);
    }
    print_block(e, &s->body);
}

static void print_stmt(tc_pe e, const tc_stmt *s) {
    switch (s->kind) {
    case TC_S_EVAL:
        print_eval(e, s);
        break;
    case TC_S_LET:
        print_let(e, s);
        break;
    case TC_S_STORE:
        print_comment(e, s);
        tc_pe_store(e, s);
        break;
    case TC_S_ALLOC:
        tc_pe_alloc(e, s->buffer);
        break;
    case TC_S_FOR:
        print_for(e, s);
        break;
    case TC_S_WHILE:
        print_while(e, s);
        break;
    case TC_S_IF:
        print_if(e, s);
        break;
    case TC_S_BREAK:
    case TC_S_CONTINUE:
        print_jump(e, s);
        break;
    case TC_S_LAUNCH:
        print_launch(e, s);
        break;
    case TC_S_SCOPE_ID:
    case TC_S_COPY:
        tc_pe_fail(e, s->span, NULL, "this statement was not lowered");
        break;
    }
}

static void print_block(tc_pe e, const tc_block *b) {
    for (const tc_stmt *s = b->first; s != NULL && !e->failed; s = s->next) {
        print_loc(e, s->span);
        print_stmt(e, s);
    }
}

/* --- the kernel ------------------------------------------------------------*/

static const char *param_type(const tc_var *v) {
    return v->type == TC_HANDLE ? "u64" : tc_pe_mem(v->type);
}

static void print_params(tc_pe e, tc_buf *b) {
    const tc_func *f = e->lowered->func;
    for (int i = 0; i < f->nparams; i++) {
        tc_buf_printf(b, "%s\n\t.param .%s %s", i > 0 ? "," : "",
                      param_type(f->params[i]),
                      tc_name_of(&e->names, f->params[i]));
    }
    tc_pe_map_params(e, b);
}

static void print_registers(tc_pe e, tc_buf *b) {
    static const char *const rows[TC_RC_COUNT] = {
        [TC_RC_PRED] = ".pred \t%p", [TC_RC_B16] = ".b16 \t%rs",
        [TC_RC_B32] = ".b32 \t%r",   [TC_RC_B64] = ".b64 \t%rd",
        [TC_RC_F32] = ".f32 \t%f",   [TC_RC_F64] = ".f64 \t%fd"};
    for (int i = 0; i < TC_RC_COUNT; i++) {
        if (e->nreg[i] > 0) {
            tc_buf_printf(b, "\t.reg %s<%d>;\n", rows[i], e->nreg[i] + 1);
        }
    }
}

/* The least target for the launch, beside that of the instructions. */
static void need_for_launch(tc_pe e, const tc_emitted *out) {
    const int64_t *c = e->lowered->cluster;
    if (c[0] > 1 || c[1] > 1 || c[2] > 1) {
        tc_pe_needs(e, 78, 90);
    }
    if (out->shared_static > TC_SHARED_STATIC ||
        out->shared_all > TC_SHARED_SM_80) {
        tc_pe_needs(e, 78, 90);
        e->needs_a |= out->shared_static > TC_SHARED_STATIC;
    }
}

static void print_shared(tc_pe e, tc_buf *b, tc_emitted *out) {
    const tc_lowered *l = e->lowered;
    out->symbols = TC_NEWN(e->arena, tc_symbol, l->nshared + 1);
    for (int i = 0; i < l->nshared; i++) {
        const tc_buffer *buf = l->shared[i];
        const char *name = tc_name_of(&e->names, buf);
        int64_t bytes = tc_shared_bytes(e->arena, buf);
        tc_buf_printf(b, "\t.shared .align %lld .b8 \t%s[%lld];\n",
                      (long long)tc_shared_align(buf, bytes), name,
                      (long long)bytes);
        out->symbols[out->nsymbols].name = name;
        out->symbols[out->nsymbols++].buffer =
            buf->origin != NULL ? buf->origin : buf;
    }
}

/* Its size is the launch's; it begins behind the static ones. */
static void print_dynamic(tc_pe e, tc_buf *b) {
    const char *name = tc_dynamic_name(&e->names, e->lowered);
    if (name != NULL) {
        tc_buf_printf(b, ".extern .shared .align %lld .b8 %s[];\n\n",
                      (long long)e->lowered->dynamic_align, name);
    }
}

static void print_file(tc_pe e, tc_buf *b) {
    const tc_source *source = e->lowered->func->source;
    const char *name =
        source != NULL && source->name != NULL ? source->name : "<input>";
    tc_buf_puts(b, ".file\t1 \"");
    for (const char *c = name; *c != '\0'; c++) {
        bool odd = *c == '"' || *c == '\\' || (unsigned char)*c < ' ';
        tc_buf_putc(b, odd ? '_' : *c);
    }
    tc_buf_puts(b, "\"\n\n");
}

/* The first target of at least that number, the last if there is none. */
static const tc_target *choose_target(int sm) {
    const tc_target *t = tc_targets;
    while (t->sm < sm && t < tc_targets + TC_TARGETS - 1) {
        t++;
    }
    return t;
}

static void print_target(tc_pe e, tc_buf *b, bool want_a, tc_emitted *out) {
    const tc_target *t = choose_target(e->sm);
    out->sm = t->sm;
    out->sm_a = want_a && t->version_a > 0;
    int version = out->sm_a ? t->version_a : t->version;
    version = version > e->version ? version : e->version;
    tc_buf_printf(b, ".version %d.%d\n.target sm_%d%s\n.address_size 64\n\n",
                  version / 10, version % 10, out->sm, out->sm_a ? "a" : "");
}

static void print_geometry(tc_pe e, tc_buf *b) {
    const int64_t *t = e->lowered->block, *c = e->lowered->cluster;
    tc_buf_printf(b, "\n)\n.maxntid %lld, %lld, %lld\n", (long long)t[0],
                  (long long)t[1], (long long)t[2]);
    if (c[0] > 1 || c[1] > 1 || c[2] > 1) {
        tc_buf_printf(b,
                      ".explicitcluster\n.reqnctapercluster %lld, %lld, "
                      "%lld\n",
                      (long long)c[0], (long long)c[1], (long long)c[2]);
    }
}

static void print_module(tc_pe e, tc_buf *b, bool want_a, tc_emitted *out) {
    print_target(e, b, want_a || e->needs_a, out);
    print_file(e, b);
    print_dynamic(e, b);
    tc_buf_printf(b, ".visible .entry %s(", out->entry);
    print_params(e, b);
    print_geometry(e, b);
    tc_buf_puts(b, "{\n");
    print_registers(e, b);
    print_shared(e, b, out);
    tc_dynamic_symbols(e->arena, e->lowered,
                       tc_dynamic_name(&e->names, e->lowered), out);
    tc_buf_puts(b, tc_buf_text(&e->decl));
    tc_buf_putc(b, '\n');
    int line = tc_span_line(e->lowered->func->span);
    if (line > 0) {
        tc_buf_printf(b, "\t.loc \t1 %d %d\n", line,
                      tc_span_col(e->lowered->func->span));
    }
    tc_buf_puts(b, tc_buf_text(&e->head));
    tc_buf_puts(b, tc_buf_text(&e->body));
    tc_buf_puts(b, "\tret;\n}\n");
}

static void name_all(tc_pe e, tc_emitted *out) {
    const tc_lowered *l = e->lowered;
    const char *entry = tc_format(e->arena, "%s_kernel", l->func->name);
    e->names.arena = e->arena;
    out->entry = tc_name_add(&e->names, l->func, entry);
    for (int i = 0; i < l->func->nparams; i++) {
        tc_name_add(&e->names, l->func->params[i], l->func->params[i]->name);
    }
    for (int i = 0; i < l->nmaps; i++) {
        tc_name_add(&e->names, l->maps[i]->var, l->maps[i]->var->name);
    }
    for (int i = 0; i < l->nshared; i++) {
        tc_name_add(&e->names, l->shared[i], l->shared[i]->name);
    }
    tc_dynamic_name(&e->names, l);
}

bool tc_emit_ptx(tc_arena *a, const tc_lowered *l, int min_sm, bool min_a,
                 tc_diags *diags, tc_emitted *out) {
    tc_ptx_emit emit = {.arena = a, .diags = diags, .lowered = l, .copies = 1};
    tc_pe e = &emit;
    *out = (tc_emitted){0};
    e->facts = tc_facts_new(a, l, diags);
    if (e->facts == NULL) {
        return false;
    }
    name_all(e, out);
    e->failed = !tc_shared_check(a, l, diags, out);
    int n = e->facts->n + 1;
    e->vars = TC_NEWN(a, tc_val, n);
    e->elems = TC_NEWN(a, tc_val *, n);
    e->bases = TC_NEWN(a, tc_val, n);
    e->declared = TC_NEWN(a, bool, n);
    e->out = &e->body;
    print_block(e, &l->func->body);
    tc_pe_settle_all(e);
    out->code_sm = choose_target(e->sm)->sm;
    out->code_a = e->needs_a;
    need_for_launch(e, out);
    tc_pe_needs(e, 70, l->least_sm > min_sm ? l->least_sm : min_sm);
    tc_buf text = TC_BUF_INIT;
    print_module(e, &text, min_a, out);
    out->text = tc_buf_finish(&text, a);
    tc_buf_free(&e->decl);
    tc_buf_free(&e->head);
    tc_buf_free(&e->body);
    return !e->failed;
}
