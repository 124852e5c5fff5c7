/* wgmma.c - the forms of wgmma (PTX ISA 9.7.15), as ptxas 13.0 takes
 * them. */
#include "ptx/internal.h"

#define T(x) (UINT64_C(1) << TC_PT_##x)

static const struct {
    uint64_t a, d; /* types of A and B; of D */
    uint32_t k;
    int constants; /* behind scale-d: signs, then transpositions */
    bool mix;
} rows[] = {
    {T(F16), T(F16) | T(F32), 16, 4, false},
    {T(BF16), T(F32), 16, 4, false},
    {T(TF32), T(F32), 8, 2, false},
    {T(E4M3) | T(E5M2), T(F16) | T(F32), 32, 2, true},
    {T(U8) | T(S8), T(S32), 32, 0, true},
};

static bool fail(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                 const char *what) {
    return tc_ptx_fail(p, span, NULL, "'%s' %s", tc_ptx_ops[op->opcode].name,
                       what);
}

static bool in(uint8_t t, uint64_t set) {
    return (set >> t & 1u) != 0;
}

static int find(const tc_ptx_op *op) {
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        if (in(op->type2, rows[i].a) && in(op->type3, rows[i].a) &&
            (op->type2 == op->type3 || rows[i].mix) &&
            in(op->type, rows[i].d)) {
            return i;
        }
    }
    return -1;
}

/* 9.7.15.2: N in steps of 8 to 256, of integers above 32 in steps of 16. */
static bool good_n(const tc_ptx_op *op) {
    uint32_t n = TC_MMA_N(op->size);
    bool integers = op->type == TC_PT_S32;
    return n >= 8 && n <= 256 && n % 8 == 0 &&
           (!integers || n == 8 || n == 24 || n % 16 == 0);
}

/* Signs are 1 or -1, transpositions 0 or 1; A in registers has none. */
static bool check_constants(tc_ptx_parser *p, const tc_ptx_op *op, int want,
                            tc_span span) {
    bool registers = op->a[1].kind == TC_PO_VECTOR;
    want -= registers && want == 4;
    for (int i = 0; i < 4; i++) {
        const tc_ptx_operand *o = &op->a[4 + i];
        if ((o->kind == TC_PO_IMM) != (i < want)) {
            return fail(p, op, span,
                        want == 0   ? "of integers ends with scale-d"
                        : want == 2 ? "of these types ends with the signs of A "
                                      "and B"
                        : want == 3 ? "with A in registers ends with the signs "
                                      "of A and B and whether B is transposed"
                                    : "ends with the signs of A and B and "
                                      "whether A and B are transposed");
        }
        bool sign = i < 2;
        if (i < want &&
            (sign ? o->imm != 1 && o->imm != -1 : o->imm != 0 && o->imm != 1)) {
            return fail(p, op, span,
                        sign ? "has a sign of 1 or -1 for A and for B"
                             : "has 0 or 1 for whether a matrix is transposed");
        }
    }
    return true;
}

static bool check_product(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    int row = find(op);
    if (op->type2 == TC_PT_B1) {
        const char *name = tc_ptx_ops[op->opcode].name;
        return tc_ptx_unbuilt(p, span, name, "'%s' of .b1 is not built yet",
                              name);
    }
    if (row < 0 || TC_MMA_M(op->size) != 64 ||
        TC_MMA_K(op->size) != rows[row].k || !good_n(op)) {
        return tc_ptx_fail(
            p, span,
            row < 0 ? "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16"
                    : tc_format(p->arena, "it is .m64nNk%u, with N to 256",
                                rows[row].k),
            "there is no such form of 'wgmma.mma_async'");
    }
    bool sat = (op->more & TC_PX_MMA_SATFINITE) != 0;
    if ((op->more & ~(TC_PX_MMA_SYNC | TC_PX_MMA_SATFINITE)) != 0 ||
        (sat && op->type != TC_PT_S32)) {
        return fail(p, op, span, "saturates integer products only");
    }
    return (op->sub == 0 || fail(p, op, span, "has no .row and .col")) &&
           check_constants(p, op, rows[row].constants, span);
}

bool tc_ptx_rule_wgmma(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    if ((op->more & TC_PX_MMA_SYNC) == 0) {
        return fail(p, op, span, "wants .sync.aligned");
    }
    if (op->opcode == TC_PTX_WGMMA_MMA_ASYNC) {
        return check_product(p, op, span);
    }
    if (op->more != TC_PX_MMA_SYNC || op->sub != 0 || op->size != 0) {
        return fail(p, op, span, "has no such modifier");
    }
    return op->opcode != TC_PTX_WGMMA_WAIT_GROUP ||
           (op->a[0].imm >= 0 && op->a[0].imm <= INT32_MAX) ||
           fail(p, op, span, "wants how many groups may be in flight");
}
