/* print.c - a lowered program in TVM's own script syntax.
 *
 * The text follows what LowerTIRx(...).script() of TVM 0.25.0 prints
 * (src/tirx/script/printer): the same statements in the same spelling. */
#include "ir/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Python's precedence, as far as scripts use it. */
enum { P_OR = 1, P_AND, P_NOT, P_COMPARE, P_SUM, P_PRODUCT, P_UNARY, P_ATOM };

typedef struct tc_spelling {
    const char *text; /* an infix operator, or the name of a function */
    int precedence;   /* P_ATOM: a function */
} tc_spelling;

static const tc_spelling binary_spelling[] = {
    [TC_ADD] = {" + ", P_SUM},
    [TC_SUB] = {" - ", P_SUM},
    [TC_MUL] = {" * ", P_PRODUCT},
    [TC_FLOORDIV] = {" // ", P_PRODUCT},
    [TC_FLOORMOD] = {" % ", P_PRODUCT},
    [TC_TRUEDIV] = {" / ", P_PRODUCT},
    [TC_MIN] = {"T.min", P_ATOM},
    [TC_MAX] = {"T.max", P_ATOM},
    [TC_SHL] = {"T.shift_left", P_ATOM},
    [TC_SHR] = {"T.shift_right", P_ATOM},
    [TC_BITAND] = {"T.bitwise_and", P_ATOM},
    [TC_BITOR] = {"T.bitwise_or", P_ATOM},
    [TC_BITXOR] = {"T.bitwise_xor", P_ATOM},
    [TC_LT] = {" < ", P_COMPARE},
    [TC_LE] = {" <= ", P_COMPARE},
    [TC_GT] = {" > ", P_COMPARE},
    [TC_GE] = {" >= ", P_COMPARE},
    [TC_EQ] = {" == ", P_COMPARE},
    [TC_NE] = {" != ", P_COMPARE},
    [TC_AND] = {" and ", P_AND},
    [TC_OR] = {" or ", P_OR},
};

static void print_expr(tc_buf *b, const tc_expr *e, int outer);

static void print_list(tc_buf *b, tc_expr *const *items, int n) {
    for (int i = 0; i < n; i++) {
        tc_buf_puts(b, i > 0 ? ", " : "");
        print_expr(b, items[i], 0);
    }
}

static void print_string(tc_buf *b, const char *s) {
    tc_buf_putc(b, '"');
    for (; *s != '\0'; s++) {
        if (*s == '\n') {
            tc_buf_puts(b, "\\n");
        } else {
            tc_buf_puts(b, *s == '"' || *s == '\\' ? "\\" : "");
            tc_buf_putc(b, *s);
        }
    }
    tc_buf_putc(b, '"');
}

static void print_int(tc_buf *b, tc_dtype type, int64_t value) {
    if (type == TC_INT32) {
        tc_buf_printf(b, "%" PRId64, value);
    } else if (type == TC_BOOL) {
        tc_buf_puts(b, value ? "T.bool(True)" : "T.bool(False)");
    } else {
        tc_buf_printf(b, "T.%s(%" PRId64 ")", tc_dtypes[type].name, value);
    }
}

/* The shortest text that reads back as the value, as Python's repr. */
static void print_float(tc_buf *b, tc_dtype type, double value) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    bool plain = strpbrk(text, ".en") == NULL;
    const char *quote = isfinite(value) ? "" : "\"";
    tc_buf_printf(b, "T.%s(%s%s%s%s)", tc_dtypes[type].name, quote, text,
                  plain ? ".0" : "", quote);
}

static void print_access(tc_buf *b, const tc_expr *e) {
    tc_buf_puts(b, e->mem.buffer->name);
    tc_buf_putc(b, '[');
    print_list(b, e->mem.index, e->mem.n);
    tc_buf_putc(b, ']');
}

static void print_binary(tc_buf *b, const tc_expr *e, int outer) {
    tc_spelling s = binary_spelling[e->bin.op];
    if (s.precedence == P_ATOM) {
        tc_expr *args[] = {e->bin.a, e->bin.b};
        tc_buf_puts(b, s.text);
        tc_buf_putc(b, '(');
        print_list(b, args, 2);
        tc_buf_putc(b, ')');
        return;
    }
    bool parens = s.precedence < outer;
    bool chain = s.precedence == P_COMPARE; /* a < b < c means another thing */
    tc_buf_puts(b, parens ? "(" : "");
    print_expr(b, e->bin.a, chain ? s.precedence + 1 : s.precedence);
    tc_buf_puts(b, s.text);
    print_expr(b, e->bin.b, s.precedence + 1);
    tc_buf_puts(b, parens ? ")" : "");
}

static void print_unary(tc_buf *b, const tc_expr *e, int outer) {
    if (e->un.op == TC_BITNOT) {
        tc_buf_puts(b, "T.bitwise_not(");
        print_expr(b, e->un.a, 0);
        tc_buf_putc(b, ')');
        return;
    }
    int precedence = e->un.op == TC_NOT ? P_NOT : P_UNARY;
    tc_buf_puts(b, precedence < outer ? "(" : "");
    tc_buf_puts(b, e->un.op == TC_NOT ? "not " : "-");
    print_expr(b, e->un.a, precedence);
    tc_buf_puts(b, precedence < outer ? ")" : "");
}

/* TVM's device function for descriptors, with its text. */
static void print_desc_add(tc_buf *b, const tc_expr *e) {
    tc_buf_puts(b, "\"tvm_builtin_smem_desc_add_16B_offset\", ");
    print_list(b, e->call.args, e->call.n);
    tc_buf_puts(b, ", source_code=\"...\", return_type=\"uint64\"");
}

/* T.ptx.tcgen05.encode_matrix_descriptor(desc.data, ...): desc is a buffer. */
static void print_encode(tc_buf *b, const tc_expr *e) {
    const tc_expr *desc = e->call.args[0];
    int64_t zero;
    bool whole = desc->kind == TC_E_ADDR && desc->mem.n == 1 &&
                 tc_expr_const(desc->mem.index[0], &zero) && zero == 0;
    if (whole) {
        tc_buf_printf(b, "%s.data, ", desc->mem.buffer->name);
    }
    print_list(b, e->call.args + whole, e->call.n - whole);
}

static void print_call(tc_buf *b, const tc_expr *e) {
    tc_buf_puts(b, tc_ops[e->call.op].name);
    tc_buf_putc(b, '(');
    if (e->call.op == TC_OPC_SMEM_DESC_ADD) {
        print_desc_add(b, e);
        tc_buf_putc(b, ')');
        return;
    }
    if (e->call.op == TC_OPC_PTX_TCGEN05_DESC) {
        print_encode(b, e);
        tc_buf_putc(b, ')');
        return;
    }
    if (e->call.op == TC_OPC_POINTER_OFFSET) {
        tc_buf_puts(b, "\"tvm_builtin_pointer_offset\", ");
    }
    print_list(b, e->call.args, e->call.n);
    if (e->call.op == TC_OPC_POINTER_OFFSET) {
        tc_buf_puts(
            b, ", source_code=\"\\ntemplate <typename T>\\n__forceinline__ "
               "__device__ T* tvm_builtin_pointer_offset(T* ptr, int offset) "
               "{\\n    return ptr + offset;\\n}\\n\", "
               "return_type=\"handle\"");
    }
    tc_buf_putc(b, ')');
}

static void print_expr(tc_buf *b, const tc_expr *e, int outer) {
    switch (e->kind) {
    case TC_E_INT:
        print_int(b, e->type, e->i);
        break;
    case TC_E_FLOAT:
        print_float(b, e->type, e->f);
        break;
    case TC_E_STRING:
        print_string(b, e->s);
        break;
    case TC_E_VAR:
        tc_buf_puts(b, e->var->name);
        break;
    case TC_E_UNARY:
        print_unary(b, e, outer);
        break;
    case TC_E_BINARY:
        print_binary(b, e, outer);
        break;
    case TC_E_SELECT: {
        tc_expr *args[] = {e->sel.c, e->sel.a, e->sel.b};
        tc_buf_puts(b, "T.if_then_else(");
        print_list(b, args, 3);
        tc_buf_putc(b, ')');
        break;
    }
    case TC_E_CAST:
        tc_buf_printf(b, "T.Cast(\"%s\", ", tc_dtypes[e->type].name);
        print_expr(b, e->cast.a, 0);
        tc_buf_putc(b, ')');
        break;
    case TC_E_LOAD:
        print_access(b, e);
        break;
    case TC_E_ADDR:
        tc_buf_puts(b, "T.address_of(");
        print_access(b, e);
        tc_buf_putc(b, ')');
        break;
    case TC_E_CALL:
        print_call(b, e);
        break;
    }
}

void tc_ir_print_expr(tc_buf *b, const tc_expr *e) {
    print_expr(b, e, 0);
}

/* --- statements ------------------------------------------------------------*/

/* Where statements are printed to, and which lines they are from. */
typedef struct ir_printer {
    tc_buf *out;
    tc_lines *lines; /* or NULL */
} ir_printer;

static void print_block(ir_printer *p, const tc_block *block, int indent);

static void start_line(tc_buf *b, int indent) {
    tc_buf_fill(b, ' ', indent);
}

static bool is_zero(const tc_expr *e) {
    int64_t v;
    return e == NULL || (tc_expr_const(e, &v) && v == 0);
}

static bool is_grid_loop(const tc_stmt *s) {
    int64_t n;
    return s != NULL && s->kind == TC_S_FOR && s->loop == TC_LOOP_SERIAL &&
           is_zero(s->begin) && tc_expr_const(s->extent, &n);
}

/* Loops that hold nothing but the next loop print as one T.grid. Returns the
 * innermost of them, or NULL when s is not such a nest. */
static const tc_stmt *print_grid(tc_buf *b, const tc_stmt *s) {
    const tc_stmt *inner = s;
    while (is_grid_loop(inner) && inner->body.first != NULL &&
           inner->body.first->next == NULL && is_grid_loop(inner->body.first)) {
        inner = inner->body.first;
    }
    if (inner == s) {
        return NULL;
    }
    const char *sep = "for ";
    for (const tc_stmt *l = s;; l = l->body.first, sep = ", ") {
        tc_buf_printf(b, "%s%s", sep, l->var->name);
        if (l == inner) {
            break;
        }
    }
    sep = " in T.grid(";
    for (const tc_stmt *l = s;; l = l->body.first, sep = ", ") {
        tc_buf_puts(b, sep);
        print_expr(b, l->extent, 0);
        if (l == inner) {
            break;
        }
    }
    tc_buf_puts(b, "):\n");
    return inner;
}

static void print_loop_end(tc_buf *b, const tc_stmt *s) {
    int64_t begin, extent;
    if (tc_expr_const(s->begin, &begin) && tc_expr_const(s->extent, &extent)) {
        tc_buf_printf(b, "%" PRId64, begin + extent);
        return;
    }
    print_expr(b, s->begin, P_SUM);
    tc_buf_puts(b, " + ");
    print_expr(b, s->extent, P_SUM + 1);
}

static void print_for(ir_printer *p, const tc_stmt *s, int indent) {
    tc_buf *b = p->out;
    const tc_stmt *inner = print_grid(b, s);
    if (inner == NULL) {
        inner = s;
        tc_buf_printf(b, "for %s in %s(", s->var->name,
                      s->loop == TC_LOOP_UNROLL ? "T.unroll" : "range");
        if (is_zero(s->begin)) {
            print_expr(b, s->extent, 0);
        } else {
            print_expr(b, s->begin, 0);
            tc_buf_puts(b, ", ");
            print_loop_end(b, s);
        }
        tc_buf_puts(b, "):\n");
    }
    print_block(p, &inner->body, indent + 4);
}

static void print_if(ir_printer *p, const tc_stmt *s, int indent) {
    tc_buf *b = p->out;
    tc_buf_puts(b, "if ");
    print_expr(b, s->value, 0);
    tc_buf_puts(b, ":\n");
    print_block(p, &s->body, indent + 4);
    if (s->orelse.first != NULL) {
        start_line(b, indent);
        tc_buf_puts(b, "else:\n");
        print_block(p, &s->orelse, indent + 4);
    }
}

/* The tag that launch_thread takes, from where the variable is bound. */
static const char *launch_tag(tc_bind bind) {
    switch (bind) {
    case TC_BIND_BLOCK_X:
        return "blockIdx.x";
    case TC_BIND_BLOCK_Y:
        return "blockIdx.y";
    case TC_BIND_BLOCK_Z:
        return "blockIdx.z";
    case TC_BIND_THREAD_X:
        return "threadIdx.x";
    case TC_BIND_THREAD_Y:
        return "threadIdx.y";
    case TC_BIND_THREAD_Z:
        return "threadIdx.z";
    case TC_BIND_CLUSTER_CTA_X:
        return "clusterCtaIdx.x";
    case TC_BIND_CLUSTER_CTA_Y:
        return "clusterCtaIdx.y";
    case TC_BIND_CLUSTER_CTA_Z:
        return "clusterCtaIdx.z";
    default:
        return "?";
    }
}

static void print_launch(tc_buf *b, const tc_stmt *s, bool with) {
    if (!with) {
        tc_buf_printf(b, "%s = ", s->var->name);
    }
    tc_buf_printf(b, "%sT.launch_thread(\"%s\", ", with ? "with " : "",
                  launch_tag(s->var->bind));
    print_expr(b, s->extent, 0);
    tc_buf_puts(b, ")");
    if (with) {
        tc_buf_printf(b, " as %s:", s->var->name);
    }
    tc_buf_putc(b, '\n');
}

static void print_eval(tc_buf *b, const tc_expr *e) {
    bool bare = e->kind == TC_E_CALL;
    tc_buf_puts(b, bare ? "" : "T.evaluate(");
    print_expr(b, e, 0);
    tc_buf_puts(b, bare ? "\n" : ")\n");
}

static void print_store(tc_buf *b, const tc_stmt *s) {
    tc_buf_puts(b, s->buffer->name);
    tc_buf_putc(b, '[');
    print_list(b, s->index, s->nindex);
    tc_buf_puts(b, "] = ");
    print_expr(b, s->value, 0);
    tc_buf_putc(b, '\n');
}

static void print_stmt(ir_printer *p, const tc_stmt *s, int indent) {
    tc_buf *b = p->out;
    start_line(b, indent);
    switch (s->kind) {
    case TC_S_EVAL:
        print_eval(b, s->value);
        break;
    case TC_S_LET:
        tc_buf_printf(b, "%s: T.let[T.%s] = ", s->var->name,
                      tc_dtypes[s->var->type].name);
        print_expr(b, s->value, 0);
        tc_buf_putc(b, '\n');
        break;
    case TC_S_STORE:
        print_store(b, s);
        break;
    case TC_S_ALLOC:
        tc_ir_print_alloc(b, s->buffer);
        break;
    case TC_S_FOR:
        print_for(p, s, indent);
        break;
    case TC_S_WHILE:
        tc_buf_puts(b, "while ");
        print_expr(b, s->value, 0);
        tc_buf_puts(b, ":\n");
        print_block(p, &s->body, indent + 4);
        break;
    case TC_S_IF:
        print_if(p, s, indent);
        break;
    case TC_S_BREAK:
        tc_buf_puts(b, "break\n");
        break;
    case TC_S_CONTINUE:
        tc_buf_puts(b, "continue\n");
        break;
    case TC_S_LAUNCH:
        print_launch(b, s, false);
        break;
    case TC_S_SCOPE_ID:
    case TC_S_COPY:
        tc_buf_puts(b, "# not lowered\n");
        break;
    }
}

/* pool.commit(): an attribute of the rest of the block. */
static bool is_pool_commit(const tc_stmt *s) {
    return s->kind == TC_S_EVAL && s->next != NULL &&
           s->value->kind == TC_E_CALL &&
           s->value->call.op == TC_OPC_POOL_COMMIT;
}

static void print_pool_commit(tc_buf *b, const tc_expr *e) {
    tc_buf_printf(b, "with T.attr(%s.data, ",
                  e->call.args[0]->mem.buffer->name);
    print_list(b, e->call.args + 1, e->call.n - 1);
    tc_buf_puts(b, "):\n");
}

static void print_block(ir_printer *p, const tc_block *block, int indent) {
    tc_buf *b = p->out;
    if (block->first == NULL) {
        start_line(b, indent);
        tc_buf_puts(b, "pass\n");
    }
    bool with = false; /* the outermost launch_thread opens a block */
    for (const tc_stmt *s = block->first; s != NULL; s = s->next) {
        tc_lines_mark(p->lines, b->len, tc_span_line(s->span));
        if (s->kind == TC_S_LAUNCH && !with) {
            with = true;
            start_line(b, indent);
            print_launch(b, s, true);
            indent += 4;
        } else if (is_pool_commit(s)) {
            start_line(b, indent);
            print_pool_commit(b, s->value);
            indent += 4;
        } else {
            print_stmt(p, s, indent);
        }
    }
}

/* The host makes the maps before the launch, the last one first. */
static void print_map(tc_buf *b, const tc_tensor_map *m) {
    const char *name = m->var->name;
    const tc_buffer *g = m->buffer;
    while (g->base != NULL) {
        g = g->base;
    }
    tc_buf_printf(b,
                  "        %s: T.let[T.TensorMap()] = "
                  "T.tvm_stack_alloca(\"tensormap\", 1)\n"
                  "        T.call_packed(\"runtime.cuTensorMapEncodeTiled\", "
                  "%s, \"%s\", %d, %s.data",
                  name, name, tc_dtypes[m->type].name, m->rank, g->name);
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(b, ", %" PRId64, m->shape[i]);
    }
    for (int i = 1; i < m->rank; i++) {
        tc_buf_printf(b, ", %" PRId64, m->stride[i]);
    }
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(b, ", %" PRId64, m->box[i]);
    }
    for (int i = 0; i < m->rank; i++) {
        tc_buf_printf(b, ", %" PRId64, m->element_stride[i]);
    }
    tc_buf_printf(b, ", %d, %d, %d, %d)\n", m->interleave, m->swizzle,
                  m->l2_promotion, m->oob_fill);
}

/* What the host does, then the kernel. */
static void print_body(ir_printer *p, const tc_lowered *l) {
    const tc_stmt *s = l->func->body.first;
    for (; s != NULL && s->kind != TC_S_LAUNCH; s = s->next) {
        print_stmt(p, s, 8);
    }
    for (int i = l->nmaps - 1; i >= 0; i--) {
        print_map(p->out, l->maps[i]);
    }
    tc_block kernel = {(tc_stmt *)s, l->func->body.last};
    if (s != NULL || l->func->body.first == NULL) {
        print_block(p, &kernel, 8);
    }
}

void tc_ir_print(tc_buf *b, const tc_lowered *l, tc_lines *lines) {
    ir_printer p = {b, lines};
    const tc_func *f = l->func;
    tc_buf_puts(b, "# from tvm.script import ir as I\n"
                   "# from tvm.script import tirx as T\n"
                   "# from tvm.tirx.layout import Axis\n\n"
                   "@I.ir_module\nclass Module:\n    @T.prim_func\n"
                   "    def main(");
    for (int i = 0; i < f->nparams; i++) {
        tc_buf_printf(b, "%s%s: T.%s", i > 0 ? ", " : "", f->params[i]->name,
                      tc_dtypes[f->params[i]->type].name);
    }
    tc_buf_printf(b, "):\n        T.func_attr({\"global_symbol\": \"%s\"})\n",
                  f->name);
    print_body(&p, l);
}
