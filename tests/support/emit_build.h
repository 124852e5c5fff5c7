/* emit_build.h - lowered programs made by hand, and the compilers that check
 * their texts. */
#ifndef TC_TEST_EMIT_BUILD_H
#define TC_TEST_EMIT_BUILD_H

#include "emit/emit.h"
#include "ir/ir.h"
#include "tool.h"

/* A kernel with 32 threads over A (in) and B (out), under construction. */
typedef struct build {
    tc_arena *a;
    tc_func func;
    tc_lowered low;
    tc_var *tid;
    tc_buffer *in, *out;
    tc_buffer *all[8];
    tc_block *to; /* where statements go */
    tc_source source;
    uint32_t at; /* next statement's line in source */
} build;

build *build_new(const char *name, tc_dtype in, tc_dtype out);
void build_free(build *b);
tc_expr *build_tid(build *b);
tc_expr *build_i(build *b, int64_t v);
tc_expr *build_op(build *b, tc_binop op, tc_expr *x, tc_expr *y);
tc_expr *build_load(build *b, tc_buffer *from, tc_expr *index);
tc_expr *build_at(build *b, tc_buffer *buf, tc_expr *index); /* address */
tc_expr *build_call(build *b, tc_op op, int n, ...);         /* tc_expr * */
tc_stmt *build_stmt(build *b, tc_stmt *s);
void build_store(build *b, tc_buffer *to, tc_expr *index, tc_expr *value);
void build_eval(build *b, tc_expr *value);
tc_var *build_let(build *b, const char *name, tc_expr *value);
tc_buffer *build_local(build *b, const char *name, tc_dtype t, int64_t n);
tc_buffer *build_shared(build *b, const char *name, tc_dtype t, int64_t n);
tc_stmt *build_for(build *b, const char *name, tc_loop loop, tc_expr *extent);

typedef struct texts {
    tc_emitted ptx, cuda;
    int errors;
    char message[256]; /* the first */
} texts;

/* Emits both texts of the program. */
texts emit_both(tc_arena *a, const tc_lowered *l, int min_sm);

/* Does ptxas take text for sm? Shows its complaint and the text when not. */
bool assembles(const char *ptx, int sm);
/* Takes the #include lines of text out to b. Returns what follows them. */
const char *take_includes(tc_buf *b, const char *text);
/* Does nvcc take all the texts, one namespace each, for sm? */
bool compiles(const char *const *cuda, int n, int sm);

#endif
