/* mma.c - the forms of mma and wmma (PTX ISA 9.7.14.4 and 9.7.14.5), as
 * ptxas 13.0 takes them. */
#include "ptx/internal.h"

#define T(x)  (UINT64_C(1) << TC_PT_##x)
#define INT8S (T(U8) | T(S8))
#define INT4S (T(U4) | T(S4))
#define FP8S  (T(E4M3) | T(E5M2))
#define HALF  (T(F16) | T(F32))
#define WIDE  TC_MMA_SHAPE(32, 8, 16)
#define FLAT  TC_MMA_SHAPE(8, 32, 16)

/* One row a shape and the types of its matrices. */
typedef struct mma_shape {
    uint32_t size;
    uint64_t a, d; /* of A and B; of C and D */
    uint8_t sm;
    bool free; /* any layout; else A is .row and B .col */
    bool mix;  /* A and B may differ in type */
} mma_shape;

static const mma_shape mma_rows[] = {
    {TC_MMA_SHAPE(8, 8, 4), T(F16), HALF, 70, true, false},
    {TC_MMA_SHAPE(16, 8, 8), T(F16), HALF, 75, false, false},
    {TC_MMA_SHAPE(16, 8, 16), T(F16), HALF, 80, false, false},
    {TC_MMA_SHAPE(16, 8, 8), T(BF16), T(F32), 80, false, false},
    {TC_MMA_SHAPE(16, 8, 16), T(BF16), T(F32), 80, false, false},
    {TC_MMA_SHAPE(16, 8, 4), T(TF32), T(F32), 80, false, false},
    {TC_MMA_SHAPE(16, 8, 8), T(TF32), T(F32), 80, false, false},
    {TC_MMA_SHAPE(16, 8, 16), FP8S, HALF, 89, false, true},
    {TC_MMA_SHAPE(16, 8, 32), FP8S, HALF, 89, false, true},
    {TC_MMA_SHAPE(8, 8, 16), INT8S, T(S32), 75, false, true},
    {TC_MMA_SHAPE(16, 8, 16), INT8S, T(S32), 80, false, true},
    {TC_MMA_SHAPE(16, 8, 32), INT8S, T(S32), 80, false, true},
    {TC_MMA_SHAPE(8, 8, 32), INT4S, T(S32), 75, false, true},
    {TC_MMA_SHAPE(16, 8, 32), INT4S, T(S32), 80, false, true},
    {TC_MMA_SHAPE(16, 8, 64), INT4S, T(S32), 80, false, true},
    {TC_MMA_SHAPE(8, 8, 128), T(B1), T(S32), 75, false, false},
    {TC_MMA_SHAPE(16, 8, 128), T(B1), T(S32), 80, false, false},
    {TC_MMA_SHAPE(16, 8, 256), T(B1), T(S32), 80, false, false},
    {TC_MMA_SHAPE(8, 8, 4), T(F64), T(F64), 80, false, false},
    {TC_MMA_SHAPE(16, 8, 4), T(F64), T(F64), 90, false, false},
    {TC_MMA_SHAPE(16, 8, 8), T(F64), T(F64), 90, false, false},
    {TC_MMA_SHAPE(16, 8, 16), T(F64), T(F64), 90, false, false},
};

static const mma_shape wmma_rows[] = {
    {TC_MMA_SHAPE(16, 16, 16), T(F16), HALF, 70, true, false},
    {WIDE, T(F16), HALF, 70, true, false},
    {FLAT, T(F16), HALF, 70, true, false},
    {TC_MMA_SHAPE(16, 16, 16), T(BF16), T(F32), 80, true, false},
    {WIDE, T(BF16), T(F32), 80, true, false},
    {FLAT, T(BF16), T(F32), 80, true, false},
    {TC_MMA_SHAPE(16, 16, 8), T(TF32), T(F32), 80, true, false},
    {TC_MMA_SHAPE(16, 16, 16), INT8S, T(S32), 72, true, false},
    {WIDE, INT8S, T(S32), 72, true, false},
    {FLAT, INT8S, T(S32), 72, true, false},
    {TC_MMA_SHAPE(8, 8, 32), INT4S, T(S32), 75, false, false},
    {TC_MMA_SHAPE(8, 8, 128), T(B1), T(S32), 75, false, false},
    {TC_MMA_SHAPE(8, 8, 4), T(F64), T(F64), 80, true, false},
};
enum {
    MMA_ROWS = sizeof mma_rows / sizeof *mma_rows,
    WMMA_ROWS = sizeof wmma_rows / sizeof *wmma_rows
};

/* ---- names and registers ---- */

/* A number after the letter at n[*at]; 0: none, or too large. */
static uint32_t dimension(tc_ptx_name n, uint32_t *at, char letter) {
    uint32_t v = 0;
    if (*at >= n.len || n.text[*at] != letter) {
        return 0;
    }
    for (++*at; *at < n.len && v < 1024; ++*at) {
        char c = n.text[*at];
        if (c < '0' || c > '9') {
            break;
        }
        v = v * 10 + (uint32_t)(c - '0');
    }
    return v < 1024 ? v : 0;
}

bool tc_ptx_mma_shape_by_name(tc_ptx_name n, uint32_t *size) {
    uint32_t at = 1;
    uint32_t m = dimension(n, &at, 'm'), c = dimension(n, &at, 'n');
    uint32_t k = dimension(n, &at, 'k');
    if (m == 0 || c == 0 || k == 0 || at != n.len) {
        return false;
    }
    *size = TC_MMA_SHAPE(m, c, k);
    return true;
}

uint32_t tc_mma_bits(tc_ptx_type t) {
    switch (t) {
    case TC_PT_B1:
        return 1;
    case TC_PT_U4:
    case TC_PT_S4:
        return 4;
    case TC_PT_U8:
    case TC_PT_S8:
    case TC_PT_E4M3:
    case TC_PT_E5M2:
        return 8;
    case TC_PT_F16:
    case TC_PT_BF16:
        return 16;
    case TC_PT_F64:
        return 64;
    default:
        return 32;
    }
}

static bool is_wmma(const tc_ptx_op *op) {
    return op->opcode != TC_PTX_MMA;
}

/* Types of the four matrices, also of wmma.mma.*.f32.f16, which names D and C
 * alone. */
static tc_ptx_type type_of(const tc_ptx_op *op, char letter) {
    bool two = op->opcode == TC_PTX_WMMA_MMA && op->type3 == TC_PT_NONE;
    bool alone = is_wmma(op) && op->opcode != TC_PTX_WMMA_MMA;
    if (letter == 'H' || alone) {
        return (tc_ptx_type)op->type;
    }
    if (letter == 'K') {
        return (tc_ptx_type)(two ? op->type2 : op->type4);
    }
    return (tc_ptx_type)(two             ? TC_PT_F16
                         : letter == 'I' ? op->type2
                                         : op->type3);
}

/* Is there a form with a matrix of that type, of A and B or of D and C? */
static bool known(const tc_ptx_op *op, tc_ptx_type t, bool of_a) {
    const mma_shape *rows = is_wmma(op) ? wmma_rows : mma_rows;
    int n = is_wmma(op) ? WMMA_ROWS : MMA_ROWS;
    bool is = false;
    for (int i = 0; i < n; i++) {
        uint64_t set = of_a ? rows[i].a : rows[i].d;
        is |= rows[i].size == op->size && (set >> t & 1u) != 0;
    }
    return is;
}

/* 9.7.15.5.1: a thread has 1/128 of 64 x N sums, and 4 registers of A. */
static int wgmma_registers(const tc_ptx_op *op, char letter, tc_ptx_type *t) {
    bool d = letter == 'H';
    *t = d && op->type != TC_PT_F16 ? (tc_ptx_type)op->type : TC_PT_B32;
    return !d                      ? 4
           : op->type == TC_PT_F16 ? (int)TC_MMA_N(op->size) / 4
                                   : (int)TC_MMA_N(op->size) / 2;
}

int tc_ptx_mma_registers(const tc_ptx_op *op, char letter, tc_ptx_type *t) {
    if (op->opcode == TC_PTX_WGMMA_MMA_ASYNC) {
        return wgmma_registers(op, letter, t);
    }
    uint32_t m = TC_MMA_M(op->size), n = TC_MMA_N(op->size);
    uint32_t k = TC_MMA_K(op->size);
    tc_ptx_type type = type_of(op, letter);
    bool load_a = op->opcode == TC_PTX_WMMA_LOAD_A;
    bool load_b = op->opcode == TC_PTX_WMMA_LOAD_B;
    bool a = letter == 'I' || load_a, b = letter == 'J' || load_b;
    uint32_t elements = a ? m * k : b ? n * k : m * n, bits = tc_mma_bits(type);
    bool volta = !is_wmma(op) && op->size == TC_MMA_SHAPE(8, 8, 4) &&
                 op->type2 == TC_PT_F16;
    bool exact = type == TC_PT_F32 || type == TC_PT_F64 || type == TC_PT_S32;
    *t = exact ? type : TC_PT_B32;
    if (!known(op, type, a || b)) {
        return 0;
    }
    if (volta) { /* four products at once: 9.7.14.5.1 */
        return a || b ? 2 : type == TC_PT_F16 ? 4 : 8;
    }
    if (is_wmma(op) && (a || b) && type == TC_PT_F16) {
        return 8; /* 9.7.14.4.1: of every shape */
    }
    return (int)(elements / 32 * bits / (bits == 64 ? 64 : 32));
}

bool tc_ptx_approximate(const tc_ptx_op *op) {
    bool sums = op->opcode == TC_PTX_MMA || op->opcode == TC_PTX_WMMA_MMA ||
                op->opcode == TC_PTX_WGMMA_MMA_ASYNC;
    return (op->flags & (TC_PM_APPROX | TC_PM_FULL)) != 0 ||
           (sums && (op->type == TC_PT_F32 || op->type == TC_PT_F16));
}

/* ---- rules ---- */

static bool fail(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                 const char *hint, const char *what) {
    return tc_ptx_fail(p, span, hint, "'%s' %s", tc_ptx_ops[op->opcode].name,
                       what);
}

static bool in(tc_ptx_type t, uint64_t set) {
    return (set >> t & 1u) != 0;
}

static const char *sizes(tc_ptx_parser *p, const mma_shape *rows, int n,
                         uint64_t types, bool of_d) {
    const char *list = "";
    uint32_t last = 0;
    for (int i = 0; i < n; i++) {
        uint32_t s = rows[i].size;
        if (((of_d ? rows[i].d : rows[i].a) & types) != 0 && s != last) {
            list = tc_format(p->arena, "%s%s.m%un%uk%u", list,
                             *list != 0 ? ", " : "", TC_MMA_M(s), TC_MMA_N(s),
                             TC_MMA_K(s));
            last = s;
        }
    }
    return list;
}

/* The row of the op; reports and returns NULL when there is none. */
static const mma_shape *find(tc_ptx_parser *p, const tc_ptx_op *op,
                             tc_span span) {
    const mma_shape *rows = is_wmma(op) ? wmma_rows : mma_rows;
    int n = is_wmma(op) ? WMMA_ROWS : MMA_ROWS;
    bool product = op->opcode == TC_PTX_MMA || op->opcode == TC_PTX_WMMA_MMA;
    bool ab =
        op->opcode == TC_PTX_WMMA_LOAD_A || op->opcode == TC_PTX_WMMA_LOAD_B;
    tc_ptx_type a = type_of(op, 'I'), b = type_of(op, 'J');
    tc_ptx_type d = type_of(op, 'H'), c = type_of(op, 'K');
    bool halves = op->opcode == TC_PTX_WMMA_MMA && op->type2 == TC_PT_F16 &&
                  op->type3 == TC_PT_F16; /* which go without saying */
    for (int i = 0; i < n; i++) {
        const mma_shape *r = &rows[i];
        if (r->size != op->size || halves) {
            continue;
        }
        bool of_a = in(a, r->a) && in(b, r->a) && (a == b || r->mix);
        bool of_d = in(d, r->d) && in(c, r->d);
        if (product ? of_a && of_d : ab ? in(a, r->a) : in(d, r->d)) {
            return r;
        }
    }
    bool of_d = !product && !ab;
    uint64_t mine = UINT64_C(1) << (of_d ? d : a);
    const char *list = sizes(p, rows, n, mine, of_d);
    tc_ptx_fail(p, span,
                *list != 0 ? tc_format(p->arena, "%s goes with %s",
                                       tc_ptx_type_names[of_d ? d : a], list)
                           : NULL,
                "there is no such form of '%s'", tc_ptx_ops[op->opcode].name);
    return NULL;
}

static bool check_layouts(tc_ptx_parser *p, const tc_ptx_op *op,
                          const mma_shape *r, tc_span span) {
    bool product = op->opcode == TC_PTX_MMA || op->opcode == TC_PTX_WMMA_MMA;
    if (op->sub == 0 || (op->sub2 != 0) != product) {
        return fail(p, op, span, product ? ".row.col" : ".row",
                    product ? "wants the layouts of A and B"
                            : "wants one layout, .row or .col");
    }
    bool c =
        op->opcode == TC_PTX_WMMA_LOAD_C || op->opcode == TC_PTX_WMMA_STORE_D;
    uint8_t b = product ? op->sub2 : op->sub;
    bool of_a = op->opcode == TC_PTX_WMMA_LOAD_B || op->sub == TC_MMA_ROW;
    bool of_b = op->opcode == TC_PTX_WMMA_LOAD_A || b == TC_MMA_COL;
    return r->free || c || (of_a && of_b) ||
           fail(p, op, span, NULL,
                "of this shape and type has A in .row and B in .col");
}

static bool check_more(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    uint32_t logic = op->more & (TC_PX_MMA_XOR | TC_PX_MMA_AND);
    bool product = op->opcode == TC_PTX_MMA || op->opcode == TC_PTX_WMMA_MMA;
    bool bits = product && op->type2 == TC_PT_B1;
    bool sat = (op->more & TC_PX_MMA_SATFINITE) != 0;
    if ((op->more & TC_PX_MMA_SYNC) == 0) {
        return fail(p, op, span, NULL, "wants .sync.aligned");
    }
    if (bits != ((op->more & TC_PX_MMA_POPC) != 0) || bits != (logic != 0) ||
        (logic & (logic - 1)) != 0) {
        return fail(p, op, span, NULL,
                    bits ? "of .b1 wants .xor.popc or .and.popc"
                         : "has .xor.popc and .and.popc for .b1 only");
    }
    if (sat && (op->type != TC_PT_S32 || bits || !product)) {
        return fail(p, op, span, NULL, "saturates integer products only");
    }
    return logic != TC_PX_MMA_AND ||
           tc_ptx_wants_sm(p, span, 80, "'.and.popc'");
}

/* 9.7.14.5.14: D and C of .f16 and .f32. */
static bool check_d(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span) {
    bool mma = op->opcode == TC_PTX_MMA;
    bool volta = op->size == TC_MMA_SHAPE(8, 8, 4);
    bool down = op->type == TC_PT_F16 && op->type4 == TC_PT_F32;
    bool up = op->type == TC_PT_F32 && op->type4 == TC_PT_F16;
    return !mma || (!down && (volta || !up)) ||
           fail(p, op, span, NULL,
                down ? "with C in .f32 has D in .f32"
                     : "of this shape has C and D of one type");
}

bool tc_ptx_rule_mma(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const char *name = tc_ptx_ops[op->opcode].name;
    if (op->size == 0) {
        return fail(p, op, span, is_wmma(op) ? ".m16n16k16" : ".m16n8k16",
                    "wants a shape");
    }
    const mma_shape *r = find(p, op, span);
    if (r == NULL || !check_layouts(p, op, r, span) ||
        !check_more(p, op, span) || !check_d(p, op, span)) {
        return false;
    }
    if (op->opcode == TC_PTX_WMMA_MMA && op->type3 == TC_PT_NONE) {
        op->type4 = op->type2;
        op->type2 = op->type3 = TC_PT_F16;
    }
    return tc_ptx_wants_sm(p, span, r->sm,
                           tc_format(p->arena, "this '%s'", name));
}
