/* check.c - does an operand fit its place in a form (PTX ISA 9.4). */
#include "ptx/internal.h"

#include <string.h>

/* u and s of a size are one for agreement; bits agree with all. */
typedef enum type_class { BITS, INTEGER, FLOAT, PREDICATE } type_class;

static type_class class_of(tc_ptx_type t) {
    switch (t) {
    case TC_PT_PRED:
        return PREDICATE;
    case TC_PT_U8:
    case TC_PT_U16:
    case TC_PT_U32:
    case TC_PT_U64:
    case TC_PT_S8:
    case TC_PT_S16:
    case TC_PT_S32:
    case TC_PT_S64:
        return INTEGER;
    case TC_PT_F16:
    case TC_PT_F16X2:
    case TC_PT_BF16:
    case TC_PT_BF16X2:
    case TC_PT_F32:
    case TC_PT_F64:
        return FLOAT;
    default:
        return BITS;
    }
}

bool tc_ptx_fits_type(tc_ptx_type want, tc_ptx_type have, bool wider) {
    type_class a = class_of(want), b = class_of(have);
    if (a == PREDICATE || b == PREDICATE) {
        return a == b;
    }
    int sw = tc_ptx_type_bytes[want], sh = tc_ptx_type_bytes[have];
    if (sh != sw && !(wider && sh > sw)) {
        return false;
    }
    if (a == FLOAT && b == FLOAT) {
        return want == have;
    }
    return a == BITS || b == BITS || a == b;
}

/* "add.s32", for messages. */
static const char *op_name(tc_ptx_parser *p, const tc_ptx_op *op) {
    return tc_format(p->arena, "%s%s%s", tc_ptx_ops[op->opcode].name,
                     tc_ptx_type_names[op->type], tc_ptx_type_names[op->type2]);
}

static const char *article(tc_ptx_type t) {
    return class_of(t) == FLOAT     ? "a register of this type or of .b"
           : class_of(t) == INTEGER ? "an integer register of "
                                    : "a register of ";
}

static bool misfit(tc_ptx_parser *p, const tc_ptx_op *op,
                   const tc_ptx_parsed *in, tc_ptx_type t) {
    int bits = tc_ptx_type_bytes[t] * 8;
    const char *hint =
        t == TC_PT_PRED
            ? "it wants a predicate register here"
            : tc_format(p->arena, "it wants %s%d%s here", article(t), bits,
                        class_of(t) == FLOAT ? "" : " bits");
    return tc_ptx_fail(p, in->span, hint, "'%.*s' is %s, which '%s' cannot use",
                       (int)in->name.len, in->name.text,
                       tc_ptx_type_names[in->type], op_name(p, op));
}

static uint64_t double_bits(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* A literal as the bits of t (PTX ISA 4.5): floats convert between the two
 * sizes, and give their bits to .b32 and .b64. */
static bool immediate(tc_ptx_parser *p, const tc_ptx_op *op,
                      const tc_ptx_parsed *in, tc_ptx_type t, int64_t *imm) {
    *imm = in->o.imm;
    type_class c = class_of(t);
    if (in->literal == 'i') {
        if (c == FLOAT) {
            return tc_ptx_fail(
                p, in->span, t == TC_PT_F32 ? "1 is written 0f3F800000" : NULL,
                "'%s' cannot use an integer constant", op_name(p, op));
        }
        return true;
    }
    int bytes = tc_ptx_type_bytes[t];
    if ((c != FLOAT && c != BITS) || bytes < 4 || t == TC_PT_F16X2 ||
        t == TC_PT_BF16X2) {
        return tc_ptx_fail(p, in->span, NULL,
                           "'%s' cannot use a floating-point constant",
                           op_name(p, op));
    }
    if (in->literal == 'd' && bytes == 4) {
        double d;
        memcpy(&d, &in->o.imm, sizeof d);
        *imm = float_bits((float)d);
    } else if (in->literal == 'f' && bytes == 8) {
        uint32_t u = (uint32_t)in->o.imm;
        float f;
        memcpy(&f, &u, sizeof f);
        *imm = (int64_t)double_bits((double)f);
    }
    return true;
}

static bool wrong_kind(tc_ptx_parser *p, const tc_ptx_op *op,
                       const tc_ptx_parsed *in, const char *wanted) {
    return tc_ptx_fail(p, in->span, NULL, "'%s' wants %s here", op_name(p, op),
                       wanted);
}

static bool destination(tc_ptx_parser *p, const tc_ptx_op *op, tc_ptx_type t,
                        bool wider, const tc_ptx_parsed *in,
                        tc_ptx_operand *out) {
    *out = in->o;
    if (in->o.kind == TC_PO_LABEL) {
        return tc_ptx_unknown_name(p, in->name, in->span);
    }
    if (in->o.kind == TC_PO_SPECIAL) {
        return tc_ptx_fail(p, in->span, NULL,
                           "a special register cannot be written");
    }
    if ((in->o.kind != TC_PO_REG && in->o.kind != TC_PO_PRED) || in->o.neg) {
        return wrong_kind(p, op, in, "a register to write to");
    }
    return tc_ptx_fits_type(t, (tc_ptx_type)in->type, wider) ||
           misfit(p, op, in, t);
}

static bool source(tc_ptx_parser *p, const tc_ptx_op *op, tc_ptx_type t,
                   bool wider, const tc_ptx_parsed *in, tc_ptx_operand *out) {
    *out = in->o;
    switch (in->o.kind) {
    case TC_PO_IMM:
        return immediate(p, op, in, t, &out->imm);
    case TC_PO_REG:
    case TC_PO_PRED:
        return tc_ptx_fits_type(t, (tc_ptx_type)in->type, wider) ||
               misfit(p, op, in, t);
    case TC_PO_LABEL:
        return tc_ptx_unknown_name(p, in->name, in->span);
    case TC_PO_SPECIAL:
        if (op->opcode == TC_PTX_MOV && op->nvec > 1) { /* of %tid */
            return tc_ptx_fits_type(t, (tc_ptx_type)in->type, false) ||
                   misfit(p, op, in, t);
        }
        return tc_ptx_fail(p, in->span, "copy it to a register with mov first",
                           "'%s' cannot read a special register",
                           op_name(p, op));
    default:
        return wrong_kind(p, op, in, "a register or a constant");
    }
}

/* mov and cvta also take specials and the addresses of variables. */
static bool mov_source(tc_ptx_parser *p, const tc_ptx_op *op,
                       const tc_ptx_parsed *in, tc_ptx_operand *out) {
    tc_ptx_type t = (tc_ptx_type)op->type;
    int bytes = tc_ptx_type_bytes[t];
    if (in->o.kind == TC_PO_SPECIAL && op->opcode == TC_PTX_MOV) {
        *out = in->o;
        bool low = (bytes == 2 && in->o.slot <= TC_SR_NCTAID_Z) ||
                   (in->o.slot == TC_SR_GRIDID && bytes > 0 && bytes < 8 &&
                    class_of(t) != FLOAT);

        return low || tc_ptx_fits_type(t, (tc_ptx_type)in->type, false) ||
               misfit(p, op, in, t);
    }
    if (in->o.kind == TC_PO_SYMBOL) {
        *out = in->o;
        return (bytes >= 4 && class_of(t) != FLOAT) ||
               wrong_kind(p, op, in, "no address of a variable");
    }
    if (in->o.kind == TC_PO_FUNC && op->opcode == TC_PTX_MOV) {
        *out = in->o; /* tc_ptx_link makes it a number */
        tc_ptx_note_call(p, in->o.slot, in->span);
        return (bytes == 8 && class_of(t) != FLOAT) ||
               wrong_kind(p, op, in, "no address of a function");
    }
    return source(p, op, t, false, in, out);
}

/* The elements of a vector operand, moved to the module's list. */
static bool vector(tc_ptx_parser *p, const tc_ptx_op *op, tc_ptx_type t,
                   bool wider, bool to, const tc_ptx_parsed *in,
                   tc_ptx_operand *out) {
    tc_ptx_operand done[TC_PTX_MAX_VECTOR];
    for (int i = 0; i < in->o.nvec; i++) {
        const tc_ptx_parsed *e = &in->items[i];
        done[i] = e->o;
        bool sink = to && e->o.kind == TC_PO_SINK;
        if (!sink && !(to ? destination(p, op, t, wider, e, &done[i])
                          : source(p, op, t, wider, e, &done[i]))) {
            return false;
        }
    }
    *out = in->o;
    out->slot = p->nvec;
    while (p->nvec + in->o.nvec > p->vec_cap) {
        int cap = (int)p->vec_cap;
        p->m->vec =
            tc_grow(p->arena, p->m->vec, sizeof *p->m->vec, (int)p->nvec, &cap);
        p->vec_cap = (uint32_t)cap;
    }
    memcpy(p->m->vec + p->nvec, done, in->o.nvec * sizeof *done);
    p->nvec += in->o.nvec;
    return true;
}

/* Those of a tensor's address: .s32 each. */
static bool coordinates(tc_ptx_parser *p, const tc_ptx_op *op,
                        const tc_ptx_parsed *in, tc_ptx_operand *out) {
    tc_ptx_parsed v = *in;
    v.o = (tc_ptx_operand){.kind = TC_PO_VECTOR, .nvec = in->o.nvec};
    return vector(p, op, TC_PT_B32, false, false, &v, out);
}

/* mov.b32 {a, b}, r and mov.b64 r, {a, b, c, d}: PTX ISA 9.7.9.4. */
static bool mov_vector(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                       const tc_ptx_parsed *in, tc_ptx_operand *out) {
    int bytes = tc_ptx_type_bytes[op->type], n = in->o.nvec;
    if (op->opcode != TC_PTX_MOV || bytes / n > 8 ||
        class_of((tc_ptx_type)op->type) != BITS || (n != 2 && n != 4) ||
        bytes / n < 1 || (bytes / n) * n != bytes) {
        return tc_ptx_fail(p, in->span, NULL, "'%s' cannot use a vector of %d",
                           op_name(p, op), n);
    }
    tc_ptx_type t = bytes / n == 1   ? TC_PT_B8
                    : bytes / n == 2 ? TC_PT_B16
                    : bytes / n == 4 ? TC_PT_B32
                                     : TC_PT_B64;
    return vector(p, op, t, false, to, in, out);
}

/* mov.v2 and mov.v4: as many elements on either side (PTX ISA 6.4.3). */
static bool mov_elements(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                         const tc_ptx_parsed *in, tc_ptx_operand *out) {
    if (in->o.kind != TC_PO_VECTOR || in->o.nvec != op->nvec) {
        return wrong_kind(p, op, in,
                          tc_format(p->arena, "a vector of %d {..}", op->nvec));
    }
    return vector(p, op, (tc_ptx_type)op->type, false, to, in, out);
}

static bool ld_st_value(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                        const tc_ptx_parsed *in, tc_ptx_operand *out) {
    tc_ptx_type t = (tc_ptx_type)op->type;
    if ((in->o.kind == TC_PO_VECTOR ? in->o.nvec : 1) != op->nvec) {
        return wrong_kind(
            p, op, in,
            op->nvec == 1
                ? "one register, for it has no .v2, .v4 or .v8"
                : tc_format(p->arena, "a vector of %d {..}", op->nvec));
    }
    bool wider = op->opcode != TC_PTX_ST_ASYNC;
    if (in->o.kind == TC_PO_VECTOR) {
        return vector(p, op, t, wider, to, in, out);
    }
    return to ? destination(p, op, t, wider, in, out)
              : source(p, op, t, wider, in, out);
}

/* atom and red: one operand of the type, or a vector of nvec; nothing wider. */
static bool atom_value(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                       const tc_ptx_parsed *in, tc_ptx_operand *out) {
    tc_ptx_type t = (tc_ptx_type)op->type;
    *out = in->o;
    if (to && in->o.kind == TC_PO_SINK) {
        return true;
    }
    if ((in->o.kind == TC_PO_VECTOR ? in->o.nvec : 1) != op->nvec) {
        return wrong_kind(
            p, op, in,
            op->nvec == 1
                ? "one register, for it has no .v2, .v4 or .v8"
                : tc_format(p->arena, "a vector of %d {..}", op->nvec));
    }
    int bytes = tc_ptx_type_bytes[t];
    if (class_of(t) == BITS && in->o.kind == TC_PO_IMM &&
        ((in->literal == 'f' && bytes != 4) ||
         (in->literal == 'd' && bytes != 8))) {
        return wrong_kind(p, op, in, "a constant of its own size");
    }
    return in->o.kind == TC_PO_VECTOR ? vector(p, op, t, false, to, in, out)
           : to                       ? destination(p, op, t, false, in, out)
                                      : source(p, op, t, false, in, out);
}

/* 9.7.16.8: as many registers as the shape and .num have. */
static bool tensor_registers(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                             const tc_ptx_parsed *in, tc_ptx_operand *out) {
    int n = tc_ptx_tcgen05_registers(op);
    if (n == 0) { /* the rules say why */
        return true;
    }
    if (in->o.kind != TC_PO_VECTOR || in->o.nvec != n) {
        return wrong_kind(p, op, in,
                          tc_format(p->arena, "a vector of %d register%s {..}",
                                    n, n == 1 ? "" : "s"));
    }
    for (int i = 0; i < n; i++) {
        if (in->items[i].o.kind != TC_PO_REG) {
            return wrong_kind(p, op, &in->items[i], "a register");
        }
    }
    return vector(p, op, TC_PT_B32, false, to, in, out);
}

/* The registers of a matrix: all of 32 bits. */
static bool matrix_value(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                         const tc_ptx_parsed *in, tc_ptx_operand *out) {
    int n = op->sub2 * (op->sub == TC_MATRIX_M16N16 ? 2 : 1);
    if (in->o.kind != TC_PO_VECTOR || in->o.nvec != n) {
        return wrong_kind(p, op, in,
                          tc_format(p->arena, "a vector of %d {..}", n));
    }
    for (int i = 0; !to && i < n; i++) {
        if (in->items[i].o.kind != TC_PO_REG) {
            return wrong_kind(p, op, &in->items[i], "a register");
        }
    }
    return vector(p, op, TC_PT_B32, false, to, in, out);
}

/* Those of a matrix of mma or wmma. */
static bool fragment(tc_ptx_parser *p, const tc_ptx_op *op, char letter,
                     const tc_ptx_parsed *in, tc_ptx_operand *out) {
    tc_ptx_type t = TC_PT_NONE;
    int n = tc_ptx_mma_registers(op, letter, &t);
    if (n == 0) { /* the rules say why */
        return true;
    }
    if (in->o.kind != TC_PO_VECTOR || in->o.nvec != n) {
        return wrong_kind(p, op, in,
                          tc_format(p->arena, "a vector of %d register%s {..}",
                                    n, n == 1 ? "" : "s"));
    }
    return vector(p, op, t, false, letter == 'H', in, out);
}

static bool predicate(tc_ptx_parser *p, const tc_ptx_op *op, bool to,
                      const tc_ptx_parsed *in, tc_ptx_operand *out) {
    *out = in->o;
    if (to && in->o.kind == TC_PO_SINK) {
        return true;
    }
    return to ? destination(p, op, TC_PT_PRED, false, in, out)
              : source(p, op, TC_PT_PRED, false, in, out);
}

static tc_ptx_type doubled(tc_ptx_type t) {
    return t == TC_PT_U16   ? TC_PT_U32
           : t == TC_PT_S16 ? TC_PT_S32
           : t == TC_PT_U32 ? TC_PT_U64
                            : TC_PT_S64;
}

/* Letters of forms.def that stand for one typed operand. */
static bool fit_value(tc_ptx_parser *p, const tc_ptx_op *op, char letter,
                      const tc_ptx_parsed *in, tc_ptx_operand *out) {
    tc_ptx_type t = (tc_ptx_type)op->type, t2 = (tc_ptx_type)op->type2;
    bool wide = (op->flags & TC_PM_WIDE) != 0;
    switch (letter) {
    case 'd':
    case 'g':
        return destination(p, op, t, letter == 'g', in, out);
    case 'w':
        return destination(p, op, wide ? doubled(t) : t, false, in, out);
    case 'e':
        return source(p, op, wide ? doubled(t) : t, false, in, out);
    case 'x':
    case 'h':
        if (letter == 'h' && in->o.kind == TC_PO_SPECIAL &&
            class_of(t2) == INTEGER && tc_ptx_type_bytes[t2] >= 4 &&
            tc_ptx_fits_type(t2, (tc_ptx_type)in->type, true)) {
            return true; /* *out is it already */
        }
        return source(p, op, t2, letter == 'h', in, out);
    case 'U':
        return destination(p, op, TC_PT_U32, false, in, out);
    case 'u':
        return source(p, op, TC_PT_U32, false, in, out);
    case 'k':
        return source(p, op, TC_PT_B64, false, in, out);
    case 'f':
    case 'i':
        return source(p, op, TC_PT_F32, false, in, out);
    case 'G':
        return source(p, op,
                      tc_ptx_type_bytes[in->type] == 4 ? TC_PT_U32 : TC_PT_U64,
                      false, in, out);
    case 'X':
        return destination(p, op, TC_PT_U32, false, in, out);
    case 'v':
    case 'y':
    case 'n':
    case 'C':
    case 'N':
        return source(p, op, TC_PT_U32, false, in, out);
    case 'j':
        return in->o.kind == TC_PO_SINK ||
               destination(p, op, t, false, in, out);
    case 't':
        return source(p, op,
                      op->more & TC_PX_MBAR_PARITY ? TC_PT_U32 : TC_PT_B64,
                      false, in, out);
    case 'M': /* ptxas takes a register only, and so do we */
        return in->o.kind == TC_PO_REG
                   ? source(p, op, TC_PT_B16, false, in, out)
                   : wrong_kind(p, op, in, "a register of 16 bits");
    case '3':
    case '5':
        return source(p, op, TC_PT_B16, false, in, out);
    case '4':
        return source(p, op, TC_PT_B64, false, in, out);
    case '8':
        return source(p, op, TC_PT_B32, true, in, out);
    case 'z':
        if (in->o.kind == TC_PO_PRED) {
            return predicate(p, op, false, in, out);
        }
        return source(p, op, TC_PT_U32, false, in, out);
    default:
        return source(p, op, t, false, in, out);
    }
}

bool tc_ptx_fit(tc_ptx_parser *p, const tc_ptx_op *op, char letter,
                tc_ptx_parsed *in, tc_ptx_operand *out) {
    bool is_vector = in->o.kind == TC_PO_VECTOR;
    bool tensor = in->o.kind == TC_PO_ADDRESS && in->items != NULL;
    *out = in->o;
    if (tensor != (letter == '6' || letter == '7')) {
        return wrong_kind(p, op, in,
                          tensor ? "no coordinates"
                          : tc_ptx_modifier_set((tc_ptx_opcode)op->opcode) ==
                                  TC_MODS_TEXTURE
                              ? "an object and coordinates: [object, {..}]"
                              : "a tensor map and coordinates: [map, {..}]");
    }
    bool unified = letter == 'a' && op->opcode == TC_PTX_LD;
    if (in->part.len != 0 && strchr("Xvyn", letter) == NULL && !unified) {
        return tc_ptx_fail(p, in->span, NULL,
                           "'%s' wants a whole register here", op_name(p, op));
    }
    if (in->minus && (op->opcode != TC_PTX_VMAD || letter == 'X')) {
        return tc_ptx_fail(p, in->span, NULL, "'%s' cannot negate a register",
                           op_name(p, op));
    }
    switch (letter) {
    case 'E':
        if (in->o.kind == TC_PO_SINK) {
            return true;
        }
        return destination(p, op, (tc_ptx_type)op->type, false, in, out);
    case 'F':
        if (!is_vector || in->o.nvec != 4) {
            return wrong_kind(p, op, in, "a vector of 4 {..}");
        }
        return vector(p, op, (tc_ptx_type)op->type2, false, false, in, out);
    case 'r':
        return is_vector ? vector(p, op, TC_PT_F32, false, false, in, out)
                         : wrong_kind(p, op, in, "a gradient {..}");
    case 'R':
    case 'Z':
        return tensor_registers(p, op, letter == 'R', in, out);
    case 'L':
        return fragment(p, op, 'H', in, out);
    case 'H':
    case 'I':
    case 'J':
    case 'K':
        return fragment(p, op, letter, in, out);
    case 'P':
        return is_vector ? fragment(p, op, letter, in, out)
                         : source(p, op, TC_PT_B64, false, in, out);
    case 'Q':
        return source(p, op, TC_PT_B64, false, in, out);
    case 'D':
    case 'S':
        if (op->opcode == TC_PTX_MOV && op->nvec > 1) {
            return mov_elements(p, op, letter == 'D', in, out);
        }
        return is_vector ? mov_vector(p, op, letter == 'D', in, out)
               : letter == 'D'
                   ? destination(p, op, (tc_ptx_type)op->type, false, in, out)
                   : mov_source(p, op, in, out);
    case 'V':
        return ld_st_value(p, op, true, in, out);
    case 'W':
        return ld_st_value(p, op, false, in, out);
    case 'Y':
        return in->o.kind == TC_PO_SINK ||
               destination(p, op, TC_PT_U32, false, in, out);
    case 'm':
    case 'o':
        return matrix_value(p, op, letter == 'm', in, out);
    case 'A':
    case 'B':
        return atom_value(p, op, letter == 'A', in, out);
    case 'p':
    case 'q':
        return predicate(p, op, true, in, out);
    case 'b':
        return predicate(p, op, false, in, out);
    case '6':
        out->nvec = 0;
        return true;
    case '7':
        return coordinates(p, op, in, out);
    case '0':
    case '1':
    case '2':
    case 'a':
        return in->o.kind == TC_PO_ADDRESS ||
               wrong_kind(p, op, in, "an address in [ ]");
    case '9':
        return (in->o.kind == TC_PO_IMM && in->literal == 'i') ||
               wrong_kind(p, op, in, "an offset, an integer constant,");
    case 'l':
        return in->o.kind == TC_PO_LABEL || wrong_kind(p, op, in, "a label");
    case '#':
    case 'c':
        return (in->o.kind == TC_PO_IMM && in->literal == 'i') ||
               wrong_kind(p, op, in, "an integer constant");
    default:
        return fit_value(p, op, letter, in, out);
    }
}
