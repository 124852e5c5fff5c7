/* emit_build.c - lowered programs made by hand, and their compilers. */
#include "emit_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- building --------------------------------------------------------------*/

static tc_var *var_new(build *b, const char *name, tc_dtype t, tc_bind bind) {
    tc_var *v = TC_NEW(b->a, tc_var);
    *v = (tc_var){.name = name, .type = t, .bind = bind};
    return v;
}

static tc_buffer *buffer_new(build *b, const char *name, tc_dtype t,
                             tc_space space, int64_t n) {
    tc_buffer *buf = TC_NEW(b->a, tc_buffer);
    buf->name = name;
    buf->type = t;
    buf->space = space;
    buf->rank = 1;
    buf->shape = TC_NEW(b->a, int64_t);
    buf->shape[0] = n;
    b->all[b->func.nbuffers++] = buf;
    return buf;
}

tc_stmt *build_stmt(build *b, tc_stmt *s) {
    s->span = (tc_span){&b->source, b->at, b->at + 1};
    b->at += b->at + 2 < b->source.len ? 2 : 0;
    tc_block_add(b->to, s);
    return s;
}

build *build_new(const char *name, tc_dtype in, tc_dtype out) {
    static const char lines[] =
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n";
    build *b = tc_xcalloc(1, sizeof *b);
    b->a = tc_arena_new();
    b->source = (tc_source){"made.py", lines, sizeof lines - 1, 1};
    b->func = (tc_func){.name = name, .buffers = b->all, .source = &b->source};
    b->func.span = (tc_span){&b->source, 0, 1};
    b->at = 2;
    b->to = &b->func.body;
    b->func.params = TC_NEWN(b->a, tc_var *, 2);
    b->func.nparams = 2;
    b->func.params[0] = var_new(b, "A_ptr", TC_HANDLE, TC_BIND_PARAM);
    b->func.params[1] = var_new(b, "B_ptr", TC_HANDLE, TC_BIND_PARAM);
    b->in = buffer_new(b, "A", in, TC_SPACE_GLOBAL, 4096);
    b->out = buffer_new(b, "B", out, TC_SPACE_GLOBAL, 4096);
    b->in->param = b->func.params[0];
    b->out->param = b->func.params[1];
    b->low = (tc_lowered){.func = &b->func,
                          .grid = {1, 1, 1},
                          .block = {32, 1, 1},
                          .cluster = {1, 1, 1},
                          .least_sm = 80,
                          .nglobals = 2};
    b->low.globals = TC_NEWN(b->a, tc_buffer *, 2);
    b->low.globals[0] = b->in;
    b->low.globals[1] = b->out;
    b->low.shared = TC_NEWN(b->a, tc_buffer *, 8);
    b->tid = var_new(b, "tid", TC_INT32, TC_BIND_THREAD_X);
    tc_stmt *s = build_stmt(b, tc_stmt_new(b->a, TC_S_LAUNCH, TC_NOWHERE));
    s->var = b->tid;
    s->extent = tc_int(b->a, 32);
    return b;
}

void build_free(build *b) {
    tc_arena_free(b->a);
    free(b);
}

tc_expr *build_tid(build *b) {
    return tc_var_ref(b->a, b->tid);
}

tc_expr *build_i(build *b, int64_t v) {
    return tc_int(b->a, v);
}

tc_expr *build_op(build *b, tc_binop op, tc_expr *x, tc_expr *y) {
    return tc_binary(b->a, op, x, y);
}

tc_expr *build_load(build *b, tc_buffer *from, tc_expr *index) {
    return tc_load(b->a, from, &index, 1);
}

tc_expr *build_at(build *b, tc_buffer *buf, tc_expr *index) {
    return tc_addr(b->a, buf, &index, 1);
}

tc_expr *build_call(build *b, tc_op op, int n, ...) {
    tc_expr *args[8];
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++) {
        args[i] = va_arg(ap, tc_expr *);
    }
    va_end(ap);
    bool address = (tc_ops[op].flags & TC_OPF_ADDRESS) != 0;
    tc_dtype t = op == TC_OPC_WARP_SHUFFLE ? args[1]->type
                 : address                 ? TC_HANDLE
                                           : TC_VOID;
    return tc_call(b->a, op, t, args, n);
}

void build_store(build *b, tc_buffer *to, tc_expr *index, tc_expr *value) {
    build_stmt(b, tc_store(b->a, to, &index, 1, value));
}

void build_eval(build *b, tc_expr *value) {
    build_stmt(b, tc_eval(b->a, value));
}

tc_var *build_let(build *b, const char *name, tc_expr *value) {
    tc_stmt *s = build_stmt(b, tc_stmt_new(b->a, TC_S_LET, TC_NOWHERE));
    s->var = var_new(b, name, value->type, TC_BIND_NONE);
    s->value = value;
    return s->var;
}

tc_buffer *build_local(build *b, const char *name, tc_dtype t, int64_t n) {
    tc_buffer *buf = buffer_new(b, name, t, TC_SPACE_LOCAL, n);
    build_stmt(b, tc_stmt_new(b->a, TC_S_ALLOC, TC_NOWHERE))->buffer = buf;
    return buf;
}

tc_buffer *build_shared(build *b, const char *name, tc_dtype t, int64_t n) {
    tc_buffer *buf = buffer_new(b, name, t, TC_SPACE_SHARED, n);
    b->low.shared[b->low.nshared++] = buf;
    return buf;
}

tc_stmt *build_for(build *b, const char *name, tc_loop loop, tc_expr *extent) {
    tc_stmt *s = build_stmt(b, tc_stmt_new(b->a, TC_S_FOR, TC_NOWHERE));
    s->var = var_new(b, name, TC_INT32, TC_BIND_NONE);
    s->begin = tc_int(b->a, 0);
    s->extent = extent;
    s->loop = loop;
    return s;
}

/* --- emitting and compiling ------------------------------------------------*/

static void note(void *user, const tc_diag *d) {
    texts *t = user;
    if (t->errors++ == 0) {
        snprintf(t->message, sizeof t->message, "%d: %s", d->line, d->message);
    }
}

texts emit_both(tc_arena *a, const tc_lowered *l, int min_sm) {
    texts t = {0};
    tc_diags d = {.fn = note, .user = &t};
    tc_emit_ptx(a, l, min_sm, false, &d, &t.ptx);
    tc_emit_cuda(a, l, &d, &t.cuda);
    return t;
}

bool assembles(const char *ptx, int sm) {
    char flags[64], target[32];
    snprintf(target, sizeof target, ".target sm_%da\n", sm);
    snprintf(flags, sizeof flags, "-arch=sm_%d%s", sm,
             strstr(ptx, target) != NULL ? "a" : "");
    return run_tool("ptxas", flags, ".ptx", ptx);
}

const char *take_includes(tc_buf *b, const char *text) {
    while (strncmp(text, "#include", 8) == 0) {
        size_t n = strcspn(text, "\n") + 1;
        tc_buf_write(b, text, n);
        text += n;
    }
    return text;
}

bool compiles(const char *const *cuda, int n, int sm) {
    char flags[64];
    tc_buf top = TC_BUF_INIT, rest = TC_BUF_INIT;
    bool a = false; /* instructions of sm_100a alone */
    for (int i = 0; i < n; i++) {
        const char *text = take_includes(&top, cuda[i]);
        a |= strstr(text, "\"tcgen05.") != NULL;
        tc_buf_printf(&rest, "namespace program_%d {\n%s}\n", i, text);
    }
    tc_buf_puts(&top, tc_buf_text(&rest));
    snprintf(flags, sizeof flags, "-w -std=c++17 -arch=sm_%d%s -ptx", sm,
             a ? "a" : "");
    bool ok = run_tool("nvcc", flags, ".cu", tc_buf_text(&top));
    tc_buf_free(&top);
    tc_buf_free(&rest);
    return ok;
}
