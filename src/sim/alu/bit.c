/* bit.c - counting, fields, logic and shifts (PTX ISA 9.7.1.14 to
 * 9.7.1.20, 9.7.8, 9.7.9.7). */
#include "sim/alu/alu.h"

typedef tc_kernel rows[TC_PT_COUNT];

static uint64_t reverse(uint64_t v) {
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0f0f0f0f0fu) | (v & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(v);
}

/* Place of the highest one of v, from the bottom, or with .shiftamt from the
 * top; all ones for none. */
static uint32_t find(uint32_t flags, uint64_t v, int top) {
    if (v == 0) {
        return UINT32_MAX;
    }
    int place = 63 - __builtin_clzll(v);
    return (uint32_t)((flags & TC_PM_SHIFTAMT) != 0 ? top - place : place);
}

TC_K32(popc32, __builtin_popcount(a))
TC_K64(popc64, __builtin_popcountll(a))
TC_K32(clz32, a == 0 ? 32 : __builtin_clz(a))
TC_K64(clz64, a == 0 ? 64 : __builtin_clzll(a))
TC_K32(brev32, reverse(a) >> 32)
TC_K64(brev64, reverse(a))
TC_K32(findu32, find(flags, a, 31))
TC_K32(finds32, find(flags, (int32_t)a < 0 ? ~a : a, 31))
TC_K64(findu64, find(flags, a, 63))
TC_K64(finds64, find(flags, (int64_t)a < 0 ? ~a : a, 63))

/* A place or length of a field: 32-bit fields take its low byte (9.7.1.19); a
 * larger one in 64 bits, which PTX leaves open, counts as the largest. */
static uint32_t field_number(uint32_t v, uint32_t bits) {
    return bits == 32 || v < 0xff ? v & 0xff : 0xff;
}

/* 9.7.1.19: a field of a, filled up with the sign bit of the field, or of a
 * where the field reaches beyond it. */
static uint64_t extract(uint64_t a, uint32_t pos, uint32_t len, uint32_t bits,
                        bool sign) {
    pos = field_number(pos, bits);
    len = field_number(len, bits);
    uint32_t last = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
    bool one = sign && len != 0 && (a >> last & 1) != 0;
    uint64_t field = pos < bits ? a >> pos : 0;
    uint32_t have = pos >= bits ? 0 : len < bits - pos ? len : bits - pos;
    uint64_t mask = have >= 64 ? UINT64_MAX : ((uint64_t)1 << have) - 1;
    return (field & mask) | (one ? ~mask : 0);
}

TC_K32(bfeu32, extract(a, b, c, 32, false))
TC_K32(bfes32, extract(a, b, c, 32, true))
TC_K64(bfeu64, extract(a, (uint32_t)b, (uint32_t)c, 64, false))
TC_K64(bfes64, extract(a, (uint32_t)b, (uint32_t)c, 64, true))

/* 9.7.1.20: the low len bits of a over b at pos. */
static uint64_t insert(uint64_t a, uint64_t b, uint32_t pos, uint32_t len,
                       uint32_t bits) {
    pos = field_number(pos, bits);
    len = field_number(len, bits);
    if (pos >= bits || len == 0) {
        return b;
    }
    uint64_t mask = len >= 64 ? UINT64_MAX : ((uint64_t)1 << len) - 1;
    return (b & ~(mask << pos)) | (a & mask) << pos;
}

TC_K32(and32, a &b)
TC_K64(and64, a &b)
TC_K32(and16, a &b & 0xffffu)
TC_K32(or16, (a | b) & 0xffffu)
TC_K32(xor16, (a ^ b) & 0xffffu)
TC_K32(or32, a | b)
TC_K64(or64, a | b)
TC_K32(xor32, a ^ b)
TC_K64(xor64, a ^ b)
TC_K32(not16, ~a & 0xffffu)
TC_K32(not32, ~a)
TC_K64(not64, ~a)

/* 9.7.8.8, 9.7.8.9: amounts above the width count as the width. */
TC_K32(shl16, b > 15 ? 0 : (a << (b & 15)) & 0xffffu)
TC_K32(shl32, b > 31 ? 0 : a << (b & 31))
TC_K64(shl64, b > 63 ? 0 : a << (b & 63))
TC_K32(shru16, b > 15 ? 0 : (a & 0xffffu) >> (b & 15))
TC_K32(shrs16, (uint32_t)(tc_s16(a) >> (b > 15 ? 15 : b)) & 0xffffu)
TC_K32(shru32, b > 31 ? 0 : a >> (b & 31))
TC_K32(shrs32, (int32_t)a >> (b > 31 ? 31 : b))
TC_K64(shru64, b > 63 ? 0 : a >> (b & 63))
TC_K64(shrs64, (int64_t)a >> (b > 63 ? 63 : b))

/* 9.7.8.7: the words b:a shifted as one of 64 bits. */
static uint32_t funnel(uint32_t flags, uint32_t a, uint32_t b, uint32_t n) {
    uint64_t both = (uint64_t)b << 32 | a;
    n = (flags & TC_PM_WRAP) != 0 ? n & 31 : n > 32 ? 32 : n;
    return (uint32_t)((flags & TC_PM_LEFT) != 0 ? both << n >> 32 : both >> n);
}
TC_K32(shf32, funnel(flags, a, b, c))

#define BITS(op) [TC_PT_B32] = {op##32, NULL}, [TC_PT_B64] = {NULL, op##64}
#define SIGNS(op)                                                              \
    [TC_PT_U32] = {op##u32, NULL}, [TC_PT_S32] = {op##s32, NULL},              \
    [TC_PT_U64] = {NULL, op##u64}, [TC_PT_S64] = {NULL, op##s64}

static const rows popcs = {BITS(popc)};
static const rows clzs = {BITS(clz)};
static const rows brevs = {BITS(brev)};
static const rows finds = {SIGNS(find)};
static const rows bfes = {SIGNS(bfe)};
static const rows ands = {[TC_PT_B16] = {and16, NULL}, BITS(and)};
static const rows ors = {[TC_PT_B16] = {or16, NULL}, BITS(or)};
static const rows xors = {[TC_PT_B16] = {xor16, NULL}, BITS(xor)};
static const rows nots = {[TC_PT_B16] = {not16, NULL}, BITS(not )};
static const rows shls = {[TC_PT_B16] = {shl16, NULL}, BITS(shl)};
static const rows shrs = {
    SIGNS(shr),
    [TC_PT_B16] = {shru16, NULL},
    [TC_PT_U16] = {shru16, NULL},
    [TC_PT_S16] = {shrs16, NULL},
    [TC_PT_B32] = {shru32, NULL},
    [TC_PT_B64] = {NULL, shru64},
};

void tc_sim_op_POPC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &popcs[op->type], 1);
}

void tc_sim_op_CLZ(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &clzs[op->type], 1);
}

void tc_sim_op_BFIND(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &finds[op->type], 1);
}

void tc_sim_op_BREV(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &brevs[op->type], 1);
}

void tc_sim_op_BFE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &bfes[op->type], 3);
}

void tc_sim_op_BFI(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t ta[TC_LANES], tb[TC_LANES], d[TC_LANES];
    uint32_t tc[TC_LANES], td[TC_LANES];
    const uint64_t *a = tc_src64(w, &op->a[1], ta);
    const uint64_t *b = tc_src64(w, &op->a[2], tb);
    const uint32_t *pos = tc_src32(w, &op->a[3], tc);
    const uint32_t *len = tc_src32(w, &op->a[4], td);
    uint32_t bits = op->type == TC_PT_B64 ? 64 : 32;
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = insert(a[i], b[i], pos[i], len[i], bits);
    }
    tc_put64(w, &op->a[0], d, mask);
}

/* Logic of predicates works on the masks themselves. */
static bool pred_logic(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (op->type != TC_PT_PRED) {
        return false;
    }
    uint32_t a = tc_src_pred(w, &op->a[1]);
    uint32_t b = op->opcode == TC_PTX_NOT ? 0 : tc_src_pred(w, &op->a[2]);
    uint32_t v = op->opcode == TC_PTX_AND   ? (a & b)
                 : op->opcode == TC_PTX_OR  ? (a | b)
                 : op->opcode == TC_PTX_XOR ? (a ^ b)
                                            : ~a;
    tc_put_pred(w, &op->a[0], v, mask);
    return true;
}

void tc_sim_op_AND(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!pred_logic(w, op, mask)) {
        tc_alu_run(w, op, mask, &ands[op->type], 2);
    }
}

void tc_sim_op_OR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!pred_logic(w, op, mask)) {
        tc_alu_run(w, op, mask, &ors[op->type], 2);
    }
}

void tc_sim_op_XOR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!pred_logic(w, op, mask)) {
        tc_alu_run(w, op, mask, &xors[op->type], 2);
    }
}

void tc_sim_op_NOT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    if (!pred_logic(w, op, mask)) {
        tc_alu_run(w, op, mask, &nots[op->type], 1);
    }
}

/* 9.7.8.6: bit i of the table is the result for the three bits of i: a, b, c
 * from the highest. */
void tc_sim_op_LOP3(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES] = {0};
    const uint32_t *a = tc_src32(w, &op->a[2], tmp[0]);
    const uint32_t *b = tc_src32(w, &op->a[3], tmp[1]);
    const uint32_t *c = tc_src32(w, &op->a[4], tmp[2]);
    for (unsigned row = 0; row < 8; row++) {
        if (((uint64_t)op->a[5].imm >> row & 1) == 0) {
            continue;
        }
        uint32_t fa = (row & 4) != 0 ? 0 : UINT32_MAX;
        uint32_t fb = (row & 2) != 0 ? 0 : UINT32_MAX;
        uint32_t fc = (row & 1) != 0 ? 0 : UINT32_MAX;
        for (int i = 0; i < TC_LANES; i++) {
            d[i] |= (a[i] ^ fa) & (b[i] ^ fb) & (c[i] ^ fc);
        }
    }
    if (op->sub != TC_BOOL_NONE) {
        uint32_t p = 0, q = tc_src_pred(w, &op->a[6]);
        for (int i = 0; i < TC_LANES; i++) {
            p |= (uint32_t)(d[i] != 0) << i;
        }
        tc_put_pred(w, &op->a[1], op->sub == TC_BOOL_AND ? p & q : p | q, mask);
    }
    tc_put32(w, &op->a[0], d, mask);
}

void tc_sim_op_SHF(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    static const tc_kernel k = {shf32, NULL};
    tc_alu_run(w, op, mask, &k, 3);
}

void tc_sim_op_SHL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &shls[op->type], 2);
}

void tc_sim_op_SHR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_alu_run(w, op, mask, &shrs[op->type], 2);
}

/* 9.7.9.7: nibbles, lowest byte first, that the modes stand for. */
static uint32_t permutation(unsigned mode, uint32_t c) {
    static const uint16_t table[][4] = {
        [TC_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
        [TC_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [TC_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
        [TC_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [TC_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
        [TC_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232}};
    return mode == TC_PRMT_DEFAULT ? c : table[mode][c & 3];
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selection) {
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t d = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t s = selection >> (4 * i);
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xffu;
        if ((s & 8) != 0) { /* its sign, eight times */
            byte = (byte & 0x80u) != 0 ? 0xffu : 0;
        }
        d |= byte << (8 * i);
    }
    return d;
}

void tc_sim_op_PRMT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t tmp[3][TC_LANES], d[TC_LANES];
    const uint32_t *a = tc_src32(w, &op->a[1], tmp[0]);
    const uint32_t *b = tc_src32(w, &op->a[2], tmp[1]);
    const uint32_t *c = tc_src32(w, &op->a[3], tmp[2]);
    for (int i = 0; i < TC_LANES; i++) {
        d[i] = permute(a[i], b[i], permutation(op->sub, c[i]));
    }
    tc_put32(w, &op->a[0], d, mask);
}
