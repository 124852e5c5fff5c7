/* video.c - the parts of registers that video instructions take, and what
 * their secondary operations ask for (PTX ISA 9.7.17, 9.7.18). */
#include "ptx/internal.h"

typedef enum lanes { SCALAR = 1, PAIR = 2, QUAD = 4 } lanes;

static lanes lanes_of(const tc_ptx_op *op) {
    return op->opcode >= TC_PTX_VADD4 && op->opcode <= TC_PTX_VSET4   ? QUAD
           : op->opcode >= TC_PTX_VADD2 && op->opcode <= TC_PTX_VSET2 ? PAIR
                                                                      : SCALAR;
}

static bool bad_part(tc_ptx_parser *p, const tc_ptx_op *op,
                     const tc_ptx_parsed *in, const char *want) {
    return tc_ptx_fail(p, in->span, want, "'%s' has no part '%.*s' here",
                       tc_ptx_ops[op->opcode].name, (int)in->part.len,
                       in->part.text);
}

/* The digits after the letter of a part, each below limit; -1 for others. */
static int digits(tc_ptx_name n, char letter, int limit, int *out, int most) {
    if (n.len < 3 || n.text[1] != letter || (int)n.len - 2 > most) {
        return -1;
    }
    for (uint32_t i = 2; i < n.len; i++) {
        out[i - 2] = n.text[i] - '0';
        if (out[i - 2] < 0 || out[i - 2] >= limit) {
            return -1;
        }
    }
    return (int)n.len - 2;
}

static bool scalar_part(tc_ptx_parser *p, const tc_ptx_op *op,
                        const tc_ptx_parsed *in, uint32_t *out) {
    int d[1];
    *out = TC_PART_ALL;
    if (in->part.len == 0) {
        return true;
    }
    if (digits(in->part, 'b', 4, d, 1) == 1) {
        *out = TC_PART_B0 + (uint32_t)d[0];
    } else if (digits(in->part, 'h', 2, d, 1) == 1) {
        *out = TC_PART_H0 + (uint32_t)d[0];
    } else {
        return bad_part(p, op, in, ".b0, .b1, .b2, .b3, .h0 or .h1");
    }
    return true;
}

/* Elements of a packed source: written from the highest place down. */
static bool elements(tc_ptx_parser *p, const tc_ptx_op *op, lanes n,
                     const tc_ptx_parsed *in, uint32_t usual, uint32_t *out) {
    int d[4];
    *out = usual;
    if (in->part.len == 0) {
        return true;
    }
    if (digits(in->part, n == PAIR ? 'h' : 'b', 2 * n, d, n) != (int)n) {
        return bad_part(
            p, op, in, n == PAIR ? ".hxy, each 0 to 3" : ".bxyzw, each 0 to 7");
    }
    *out = 0;
    for (int i = 0; i < (int)n; i++) {
        *out = *out << 4 | (uint32_t)d[i];
    }
    return true;
}

/* The places of a packed destination: written from the highest down. */
static bool places(tc_ptx_parser *p, const tc_ptx_op *op, lanes n,
                   const tc_ptx_parsed *in, uint8_t *out) {
    int d[4], count = n;
    *out = (uint8_t)((1u << n) - 1);
    if (in->part.len == 0) {
        return true;
    }
    count = digits(in->part, n == PAIR ? 'h' : 'b', n, d, n);
    bool ok = count > 0;
    for (int i = 1; i < count; i++) {
        ok &= d[i] < d[i - 1];
    }
    if (!ok) {
        return bad_part(p, op, in,
                        n == PAIR ? ".h0, .h1 or .h10"
                                  : "places from the highest down: .b310");
    }
    *out = 0;
    for (int i = 0; i < count; i++) {
        *out |= (uint8_t)(1u << d[i]);
    }
    return true;
}

static bool check_packed(tc_ptx_parser *p, tc_ptx_op *op, lanes n, tc_span span,
                         const tc_ptx_parsed *in) {
    const char *name = tc_ptx_ops[op->opcode].name;
    bool add = op->sub == TC_VOP_ADD, sat = (op->flags & TC_PM_SAT) != 0;
    if (op->sub > TC_VOP_ADD || (add && sat)) {
        return tc_ptx_fail(
            p, span, NULL,
            sat ? "'%s' has no .sat with .add" : "'%s' has only .add", name);
    }
    uint32_t a, b;
    if (!elements(p, op, n, &in[1], n == PAIR ? 0x10 : 0x3210, &a) ||
        !elements(p, op, n, &in[2], n == PAIR ? 0x32 : 0x7654, &b)) {
        return false;
    }
    op->size = a | b << 16;
    return places(p, op, n, &in[0], &op->space2);
}

static bool check_vmad(tc_ptx_parser *p, tc_ptx_op *op, tc_span span,
                       const tc_ptx_parsed *in) {
    bool ab = in[1].minus != in[2].minus, c = in[3].minus;
    bool po = (op->more & TC_PX_PO) != 0;
    if ((ab && c) || (po && (ab || c))) {
        return tc_ptx_fail(p, span, NULL,
                           po ? "'vmad.po' negates nothing"
                              : "'vmad' negates the product or c, not both");
    }
    if ((op->size & 0xf) != TC_PART_ALL) {
        return bad_part(p, op, &in[0], "all of it");
    }
    op->more |= ab ? TC_PX_NEG_AB : 0;
    op->more |= c ? TC_PX_NEG_C : 0;
    return op->sub == TC_VOP_NONE ||
           tc_ptx_fail(p, span, NULL, "'vmad' has no secondary operation");
}

static bool check_scalar(tc_ptx_parser *p, tc_ptx_op *op, tc_span span,
                         const tc_ptx_parsed *in) {
    const char *name = tc_ptx_ops[op->opcode].name;
    uint32_t part[3];
    for (int i = 0; i < 3; i++) {
        if (!scalar_part(p, op, &in[i], &part[i])) {
            return false;
        }
    }
    op->size = part[0] | part[1] << 4 | part[2] << 8;
    bool shift = op->opcode == TC_PTX_VSHL || op->opcode == TC_PTX_VSHR;
    if (shift && op->type3 != TC_PT_U32) {
        return tc_ptx_fail(p, span, NULL, "'%s' shifts by .u32", name);
    }
    if (op->opcode == TC_PTX_VMAD) {
        return check_vmad(p, op, span, in);
    }
    if (op->sub2 != TC_VMAD_PLAIN || (op->more & TC_PX_PO) != 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' has no .shr7, .shr15 or .po",
                           name);
    }
    bool merge = part[0] != TC_PART_ALL, second = op->sub != TC_VOP_NONE;
    if ((merge || second) && op->a[3].kind == TC_PO_NONE) {
        return tc_ptx_fail(p, span, NULL, "this '%s' wants one more operand",
                           name);
    }
    return !(merge && second) ||
           tc_ptx_fail(p, in[0].span, NULL,
                       "'%s' merges a part or has a secondary operation, not "
                       "both",
                       name);
}

bool tc_ptx_rule_video(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const tc_ptx_parsed *in = p->written;
    const char *name = tc_ptx_ops[op->opcode].name;
    bool set =
        (tc_ptx_modifier_set((tc_ptx_opcode)op->opcode) & TC_MODS_SETV) != 0;
    if (set && op->cmp == TC_PC_NONE) {
        return tc_ptx_fail(p, span, ".eq, .ne, .lt, .le, .gt or .ge",
                           "'%s' wants a comparison", name);
    }
    if (!set && op->type3 != TC_PT_U32 && op->type3 != TC_PT_S32) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' wants three types of .u32 and .s32", name);
    }
    lanes l = lanes_of(op);
    return l == SCALAR ? check_scalar(p, op, span, in)
                       : check_packed(p, op, l, span, in);
}
