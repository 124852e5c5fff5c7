/* sass.c - machine code in words: instructions under the lines they came from,
 * their control bits, and what became of the kernel's memory instructions. */
#include "explain/sass.h"
#include "load/load.h"
#include "reply/reply.h"

#include <inttypes.h>
#include <string.h>

/* --- where an instruction came from ----------------------------------------*/

/* The instruction of the PTX that begins on the line, or NULL. */
static const tc_ptx_op *op_at(const tc_sass_listing *l, int line) {
    const tc_ptx_module *m = l->ptx;
    for (uint32_t i = l->entry->begin; i < l->entry->end; i++) {
        if (m->code[i].ptx_line == (uint32_t)line) {
            return &m->code[i];
        }
    }
    return NULL;
}

typedef struct origin {
    int line; /* 0: unknown */
    const char *text;
    int len;
} origin;

static origin origin_of(const tc_sass_listing *l, tc_arena *a,
                        const tc_ptx_op *op) {
    origin o = {0};
    const char *name;
    if (op == NULL) {
        return o;
    }
    if (l->file != NULL) {
        if (tc_loaded_origin(l->file, op, a, &name, &o.line, &o.text)) {
            o.len = (int)strlen(o.text);
        }
        return o;
    }
    o.line = (int)op->line;
    o.text = o.line ? tc_describe_line(l->source, o.line, &o.len) : NULL;
    return o;
}

/* The PTX line's text without the blanks around it, up to a comment. */
static const char *ptx_text(const tc_sass_listing *l, int line, int *len) {
    const char *p = line > 0 ? tc_describe_line(l->text, line, len) : NULL;
    if (p == NULL) {
        return NULL;
    }
    size_t blanks = strspn(p, " \t");
    blanks = blanks < (size_t)*len ? blanks : (size_t)*len;
    p += blanks;
    *len -= (int)blanks;
    const char *comment = memmem(p, (size_t)*len, "//", 2);
    *len = comment != NULL ? (int)(comment - p) : *len;
    while (*len > 0 && strchr(" \t\r", p[*len - 1]) != NULL) {
        --*len;
    }
    return p;
}

/* --- control bits ----------------------------------------------------------*/

static const char *code_text(const tc_sass_listing *l, tc_arena *a, int i) {
    const tc_sass_op *op = &l->code.ops[i];
    if (l->texts != NULL) {
        return l->texts[i];
    }
    const char *name = tc_sass_mnemonic(a, op);
    if (op->guard == TC_SASS_TRUE_PRED && !op->guard_not) {
        return name;
    }
    const char *pred =
        op->guard == TC_SASS_TRUE_PRED ? "T" : tc_format(a, "%d", op->guard);
    return tc_format(a, "@%sP%s %s", op->guard_not ? "!" : "", pred, name);
}

/* "0,2" of the scoreboards that it waits for, "" of none. */
static const char *waits_text(tc_arena *a, const tc_sass_op *op) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < TC_SASS_BOARDS; i++) {
        if (op->wait >> i & 1) {
            tc_buf_printf(&b, "%s%d", b.len ? "," : "", i);
        }
    }
    tc_buf_puts(&b, "");
    return tc_buf_finish(&b, a);
}

/* "3" when its result is there, "3r" when its operands are read. */
static const char *sets_text(tc_arena *a, const tc_sass_op *op) {
    const char *w = op->set_write == TC_SASS_NO_BOARD
                        ? ""
                        : tc_format(a, "%d", op->set_write);
    const char *r = op->set_read == TC_SASS_NO_BOARD
                        ? ""
                        : tc_format(a, "%s%dr", *w ? "," : "", op->set_read);
    return tc_format(a, "%s%s", w, r);
}

/* --- what became of the PTX's instructions ---------------------------------*/

/* Instructions of the kernel that read or write memory, in both texts. */
typedef struct memory_row {
    const char *name;
    uint16_t opcode;
    uint8_t space;
    tc_sass_class class;
} memory_row;

static const memory_row memory_rows[] = {
    {"ld.global", TC_PTX_LD, TC_PS_GLOBAL, TC_SASS_LDG},
    {"st.global", TC_PTX_ST, TC_PS_GLOBAL, TC_SASS_STG},
    {"ld.shared", TC_PTX_LD, TC_PS_SHARED, TC_SASS_LDS},
    {"st.shared", TC_PTX_ST, TC_PS_SHARED, TC_SASS_STS},
};

static int count_ptx(const tc_sass_listing *l, const memory_row *m) {
    int n = 0;
    for (uint32_t i = l->entry->begin; i < l->entry->end; i++) {
        const tc_ptx_op *op = &l->ptx->code[i];
        n += op->opcode == m->opcode && op->space == m->space;
    }
    return n;
}

/* Those that are never executed (@!PT) are not counted. */
static int count_code(const tc_sass_listing *l, tc_sass_class c) {
    int n = 0;
    for (int i = 0; i < l->code.nops; i++) {
        const tc_sass_op *op = &l->code.ops[i];
        bool never = op->guard == TC_SASS_TRUE_PRED && op->guard_not;
        n += !never && tc_sass_class_of(op) == c;
    }
    return n;
}

static void put_changes(const tc_sass_listing *l, tc_buf *out) {
    for (size_t i = 0; i < sizeof memory_rows / sizeof *memory_rows; i++) {
        const memory_row *m = &memory_rows[i];
        int ptx = count_ptx(l, m), code = count_code(l, m->class);
        if (ptx != code) {
            tc_buf_printf(out, "  %d %s of the PTX became %d %s\n", ptx,
                          m->name, code, tc_sass_class_name(m->class));
        }
    }
}

/* --- text ------------------------------------------------------------------*/

static void put_origin(const origin *o, int *last, tc_buf *out) {
    if (o->line == 0 || o->line == *last || o->text == NULL) {
        return;
    }
    size_t blanks = strspn(o->text, " \t");
    blanks = blanks < (size_t)o->len ? blanks : (size_t)o->len;
    tc_buf_printf(out, "\n%d: %.*s\n", o->line, o->len - (int)blanks,
                  o->text + blanks);
    *last = o->line;
}

static void put_ops(const tc_sass_listing *l, tc_arena *a, tc_buf *out) {
    int last_ptx = -1, last_line = 0;
    for (int i = 0; i < l->code.nops; i++) {
        const tc_sass_op *op = &l->code.ops[i];
        if (op->ptx_line != last_ptx) {
            const tc_ptx_op *from = op_at(l, op->ptx_line);
            origin o = origin_of(l, a, from);
            int len;
            const char *ptx = from ? ptx_text(l, op->ptx_line, &len) : NULL;
            put_origin(&o, &last_line, out);
            if (ptx != NULL && len > 0) {
                tc_buf_printf(out, "      %.*s\n", len, ptx);
            }
            last_ptx = op->ptx_line;
        }
        tc_buf_printf(out, "  %04x %5d %5s %5s  %s%s\n", op->address, op->stall,
                      waits_text(a, op), sets_text(a, op), code_text(l, a, i),
                      op->yield ? "  (yield)" : "");
    }
}

static void put_classes(const tc_sass_listing *l, tc_buf *out) {
    bool first = true;
    for (int c = 0; c < TC_SASS_NCLASSES; c++) {
        int n = count_code(l, (tc_sass_class)c);
        if (n > 0) {
            tc_buf_printf(out, "%s%d %s", first ? "  " : ", ", n,
                          tc_sass_class_name((tc_sass_class)c));
            first = false;
        }
    }
    tc_buf_puts(out, first ? "" : "\n");
}

void tc_explain_sass_text(const tc_sass_listing *l, tc_arena *a, tc_buf *out) {
    tc_buf_printf(out, "%s for %s: %d instructions", l->kernel, l->arch,
                  l->code.nops);
    if (l->registers > 0) {
        tc_buf_printf(out, ", %" PRIu32 " registers a thread", l->registers);
    }
    tc_buf_puts(out, "\n");
    put_classes(l, out);
    put_changes(l, out);
    tc_buf_puts(out,
                "  stall: cycles until the warp's next instruction may issue\n"
                "  wait, sets: scoreboards; 2r is free when operands are read\n"
                "  addr stall  wait  sets  machine code\n");
    put_ops(l, a, out);
    if (l->texts == NULL) {
        tc_buf_puts(out, "\nnvdisasm would show the operands: it is neither "
                         "beside ptxas nor in PATH.\n");
    }
}

/* --- JSON ------------------------------------------------------------------*/

static json_t *boards_json(uint32_t mask) {
    json_t *all = json_array();
    for (int i = 0; i < TC_SASS_BOARDS; i++) {
        if (mask >> i & 1) {
            json_array_append_new(all, json_integer(i));
        }
    }
    return all;
}

static uint32_t board_mask(uint8_t board) {
    return board == TC_SASS_NO_BOARD ? 0 : 1u << board;
}

static json_t *op_json(const tc_sass_listing *l, tc_arena *a, int i) {
    const tc_sass_op *op = &l->code.ops[i];
    origin o = origin_of(l, a, op_at(l, op->ptx_line));
    return json_pack("{s:i, s:s, s:s, s:i, s:b, s:o, s:o, s:o, s:i, s:i}",
                     "address", (int)op->address, "text", code_text(l, a, i),
                     "class", tc_sass_class_name(tc_sass_class_of(op)), "stall",
                     op->stall, "yield", op->yield, "wait",
                     boards_json(op->wait), "sets",
                     boards_json(board_mask(op->set_write)), "sets_on_read",
                     boards_json(board_mask(op->set_read)), "ptx", op->ptx_line,
                     "line", o.line);
}

json_t *tc_explain_sass_json(const tc_sass_listing *l, tc_arena *a) {
    json_t *lines = json_array(), *counts = json_object();
    for (int i = 0; i < l->code.nops; i++) {
        json_array_append_new(lines, op_json(l, a, i));
    }
    for (int c = 0; c < TC_SASS_NCLASSES; c++) {
        int n = count_code(l, (tc_sass_class)c);
        if (n > 0) {
            json_object_set_new(counts, tc_sass_class_name((tc_sass_class)c),
                                json_integer(n));
        }
    }
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:b}", "kernel", l->kernel, "arch", l->arch,
        "registers", l->registers ? json_integer(l->registers) : json_null(),
        "lines", lines, "counts", counts, "operands", l->texts != NULL);
}
