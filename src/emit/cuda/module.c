/* module.c - statements, the kernel and the file around it. */
#include "emit/cuda/cuda.h"
#include "emit/dynamic.h"
#include "emit/shared.h"

#include <string.h>

static void print_block(tc_ce e, const tc_block *b);

static void line(tc_ce e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void line(tc_ce e, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    tc_buf_fill(&e->body, ' ', e->indent * 2);
    tc_buf_vprintf(&e->body, fmt, ap);
    tc_buf_putc(&e->body, '\n');
    va_end(ap);
}

static const char *whole(tc_ce e, const tc_expr *x) {
    return tc_ce_bare(e, tc_ce_expr(e, x));
}

/* --- statements ------------------------------------------------------------*/

static void print_braces(tc_ce e, const tc_block *b) {
    int names = e->names.n;
    e->indent++;
    print_block(e, b);
    e->indent--;
    e->names.n = names;
}

static void print_for(tc_ce e, const tc_stmt *s) {
    int names = e->names.n;
    const char *begin = whole(e, s->begin);
    const char *stop =
        whole(e, tc_binary(e->arena, TC_ADD, s->begin, s->extent));
    const char *name = tc_name_add(&e->names, s->var, s->var->name);
    if (s->loop == TC_LOOP_UNROLL) {
        line(e, "#pragma unroll");
    }
    line(e, "for (%s %s = %s; %s < %s; ++%s) {", tc_ce_type(e, s->var->type),
         name, begin, name, stop, name);
    print_braces(e, &s->body);
    line(e, "}");
    e->names.n = names;
}

static void print_if(tc_ce e, const tc_stmt *s) {
    line(e, "if (%s) {", whole(e, s->value));
    print_braces(e, &s->body);
    if (s->orelse.first != NULL) {
        line(e, "} else {");
        print_braces(e, &s->orelse);
    }
    line(e, "}");
}

/* Prints the declaration; with the first store when that comes next. Returns
 * the last statement printed. */
static const tc_stmt *print_alloc(tc_ce e, const tc_stmt *s) {
    tc_buffer *b = s->buffer;
    const tc_stmt *next = s->next;
    if (b->space != TC_SPACE_LOCAL || b->base != NULL) {
        return s;
    }
    const char *type = tc_ce_type(e, b->type);
    if (!tc_ce_is_scalar(e, b)) {
        const char *name = tc_name_add(&e->names, b, b->name);
        line(e, "alignas(16) %s %s[%lld];", type, name,
             (long long)tc_buffer_elements(b));
        return s;
    }
    bool starts = next != NULL && next->kind == TC_S_STORE && next->buffer == b;
    if (starts && tc_fact_of(e->facts, b)->loads == 0 &&
        tc_memory_access_of(next->value) != NULL) {
        return next; /* an address that nothing uses, as in ldmatrix's loop */
    }
    const char *value = starts ? whole(e, next->value) : "";
    const char *name = tc_name_add(&e->names, b, b->name);
    line(e, "%s %s%s%s;", type, name, starts ? " = " : "", value);
    return starts ? next : s;
}

static void print_eval(tc_ce e, const tc_stmt *s) {
    if (s->value->kind != TC_E_CALL ||
        (tc_ops[s->value->call.op].flags & TC_OPF_ADDRESS) != 0 ||
        s->value->call.op == TC_OPC_WARP_SHUFFLE) {
        return; /* nothing happens */
    }
    line(e, "%s;", tc_ce_expr(e, s->value));
}

static void print_let(tc_ce e, const tc_stmt *s) {
    if (tc_fact_of(e->facts, s->var)->uses > 0) {
        const char *value = whole(e, s->value);
        const char *name = tc_name_add(&e->names, s->var, s->var->name);
        line(e, "%s %s = %s;", tc_ce_type(e, s->var->type), name, value);
    }
}

static void print_launch(tc_ce e, const tc_stmt *s) {
    if (tc_fact_of(e->facts, s->var)->uses > 0) {
        tc_expr *ref = tc_var_ref(e->arena, s->var);
        const char *value = whole(e, ref);
        const char *name = tc_name_add(&e->names, s->var, s->var->name);
        line(e, "%s %s = %s;", tc_ce_type(e, s->var->type), name, value);
    }
    print_block(e, &s->body);
}

static const tc_stmt *print_stmt(tc_ce e, const tc_stmt *s) {
    switch (s->kind) {
    case TC_S_EVAL:
        print_eval(e, s);
        break;
    case TC_S_LET:
        print_let(e, s);
        break;
    case TC_S_STORE: {
        const char *value = whole(e, s->value);
        line(e, "%s = %s;",
             tc_ce_access(e, s->buffer, s->index, s->nindex, s->span), value);
        break;
    }
    case TC_S_ALLOC:
        return print_alloc(e, s);
    case TC_S_FOR:
        print_for(e, s);
        break;
    case TC_S_WHILE:
        line(e, "while (%s) {", whole(e, s->value));
        print_braces(e, &s->body);
        line(e, "}");
        break;
    case TC_S_IF:
        print_if(e, s);
        break;
    case TC_S_BREAK:
        line(e, "break;");
        break;
    case TC_S_CONTINUE:
        line(e, "continue;");
        break;
    case TC_S_LAUNCH:
        print_launch(e, s);
        break;
    case TC_S_SCOPE_ID:
    case TC_S_COPY:
        tc_ce_fail(e, s->span, NULL, "this statement was not lowered");
        break;
    }
    return s;
}

static void print_block(tc_ce e, const tc_block *b) {
    for (const tc_stmt *s = b->first; s != NULL && !e->failed; s = s->next) {
        e->span = s->span.source != NULL ? s->span : e->span;
        tc_lines_mark(&e->lines, e->body.len, tc_span_line(e->span));
        s = print_stmt(e, s);
    }
}

/* --- the kernel ------------------------------------------------------------*/

static void print_params(tc_ce e, tc_buf *b) {
    const tc_lowered *l = e->lowered;
    for (int i = 0; i < l->func->nparams; i++) {
        const tc_var *v = l->func->params[i];
        const char *name = tc_name_of(&e->names, v), *type = "void";
        for (int j = 0; j < l->nglobals; j++) {
            if (l->globals[j]->param == v) {
                type = tc_ce_type(e, l->globals[j]->type);
            }
        }
        tc_buf_puts(b, i > 0 ? ", " : "");
        if (v->type == TC_HANDLE) {
            tc_buf_printf(b, "%s* __restrict__ %s", type, name);
        } else {
            tc_buf_printf(b, "%s %s", tc_ce_type(e, v->type), name);
        }
    }
    tc_ce_map_params(e, b);
}

static void print_shared(tc_ce e, tc_emitted *out) {
    const tc_lowered *l = e->lowered;
    out->symbols = TC_NEWN(e->arena, tc_symbol, l->nshared + 1);
    for (int i = 0; i < l->nshared; i++) {
        const tc_buffer *b = l->shared[i];
        const char *name = tc_name_of(&e->names, b);
        int64_t align = b->align;
        if (align < 64 || align > 1024 || (align & (align - 1)) != 0) {
            align = 64; /* as TVM does */
        }
        line(e, "__shared__ alignas(%lld) %s %s[%lld];", (long long)align,
             tc_ce_type(e, b->type), name,
             (long long)tc_shared_elements(e->arena, b));
        out->symbols[out->nsymbols].name = name;
        out->symbols[out->nsymbols++].buffer =
            b->origin != NULL ? b->origin : b;
    }
}

static void print_dynamic(tc_ce e, tc_emitted *out) {
    const tc_lowered *l = e->lowered;
    const char *name = tc_dynamic_name(&e->names, l);
    if (name != NULL) {
        line(e, "extern __shared__ __align__(%lld) uint8_t %s[];",
             (long long)l->dynamic_align, name);
        tc_dynamic_symbols(e->arena, l, name, out);
    }
}

static void print_includes(tc_ce e, tc_buf *b) {
    tc_buf_puts(b, "#include <cstdint>\n");
    if (e->seen[TC_FLOAT16]) {
        tc_buf_puts(b, "#include <cuda_fp16.h>\n");
    }
    if (e->seen[TC_BFLOAT16]) {
        tc_buf_puts(b, "#include <cuda_bf16.h>\n");
    }
    if (e->seen[TC_FLOAT8_E4M3FN] || e->seen[TC_FLOAT8_E5M2]) {
        tc_buf_puts(b, "#include <cuda_fp8.h>\n");
    }
    if (e->lowered->nmaps > 0) {
        tc_buf_puts(b, "#include <cuda.h>\n"); /* CUtensorMap */
    }
    tc_buf_putc(b, '\n');
}

static void print_file(tc_ce e, tc_buf *b, tc_emitted *out) {
    const int64_t *t = e->lowered->block, *c = e->lowered->cluster;
    tc_buf params = TC_BUF_INIT;
    print_params(e, &params); /* before the includes: marks types as seen */
    print_includes(e, b);
    tc_buf_puts(b, tc_buf_text(&e->helpers));
    tc_buf_puts(b, "extern \"C\" __global__ void ");
    if (c[0] > 1 || c[1] > 1 || c[2] > 1) {
        tc_buf_printf(b, "__cluster_dims__(%lld, %lld, %lld) ", (long long)c[0],
                      (long long)c[1], (long long)c[2]);
    }
    tc_buf_printf(b, "__launch_bounds__(%lld)\n    %s(%s) {\n",
                  (long long)(t[0] * t[1] * t[2]), out->entry,
                  tc_buf_text(&params));
    out->body = b->len;
    tc_buf_puts(b, tc_buf_text(&e->body));
    tc_lines_mark(&e->lines, e->body.len, 0);
    tc_buf_puts(b, "}\n");
    tc_buf_free(&params);
}

static void name_all(tc_ce e, tc_emitted *out) {
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

bool tc_emit_cuda(tc_arena *a, const tc_lowered *l, tc_diags *diags,
                  tc_emitted *out) {
    tc_cuda_emit emit = {
        .arena = a, .diags = diags, .lowered = l, .lines = {.arena = a}};
    tc_ce e = &emit;
    *out = (tc_emitted){.sm = l->least_sm};
    if (!tc_shared_check(a, l, diags, out)) {
        return false;
    }
    e->facts = tc_facts_new(a, l, diags);
    if (e->facts == NULL) {
        return false;
    }
    name_all(e, out);
    e->indent = 1;
    print_shared(e, out);
    print_dynamic(e, out);
    print_block(e, &l->func->body);
    tc_buf text = TC_BUF_INIT;
    print_file(e, &text, out);
    out->text = tc_buf_finish(&text, a);
    out->lines = e->lines;
    tc_buf_free(&e->helpers);
    tc_buf_free(&e->body);
    return !e->failed;
}
