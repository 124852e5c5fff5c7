/* decode.c - the fields of an instruction, and the code of a kernel. */
#include "sass/cubin.h"
#include "sass/sass.h"

#include <string.h>

/* --- opcodes ---------------------------------------------------------------*/

/* The lower nine bits tell the instruction, the upper three the form of its
 * second operand: 0x221 and 0x421 are both FADD. */
enum { OPCODES = 512 };

static const struct {
    const char *name;
    tc_sass_class class;
} opcodes[OPCODES] = {
#define TC_SASS_OPCODE(code, mnemonic, kind)                                   \
    [code] = {mnemonic, TC_SASS_##kind},
#include "sass/opcodes.def"
};

static const char *const class_names[TC_SASS_NCLASSES] = {
    [TC_SASS_OTHER] = "other",     [TC_SASS_ALU] = "ALU",
    [TC_SASS_FLOAT] = "FP32",      [TC_SASS_DOUBLE] = "FP64",
    [TC_SASS_SPECIAL] = "XU",      [TC_SASS_MATRIX] = "tensor core",
    [TC_SASS_LDG] = "LDG",         [TC_SASS_STG] = "STG",
    [TC_SASS_LDS] = "LDS",         [TC_SASS_STS] = "STS",
    [TC_SASS_LOCAL] = "local",     [TC_SASS_CONST] = "LDC",
    [TC_SASS_ATOMIC] = "atomic",   [TC_SASS_LDGSTS] = "cp.async",
    [TC_SASS_ASYNC] = "bulk copy", [TC_SASS_BARRIER] = "barrier",
    [TC_SASS_BRANCH] = "branch",   [TC_SASS_UNIFORM] = "uniform",
};

const char *tc_sass_class_name(tc_sass_class c) {
    return class_names[c];
}

const char *tc_sass_mnemonic(tc_arena *a, const tc_sass_op *op) {
    const char *name = opcodes[op->opcode % OPCODES].name;
    return name ? name : tc_format(a, "op.0x%03x", op->opcode);
}

tc_sass_class tc_sass_class_of(const tc_sass_op *op) {
    return opcodes[op->opcode % OPCODES].class;
}

/* --- fields ----------------------------------------------------------------*/

static uint64_t word_at(const uint8_t *p) { /* little-endian */
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        v |= (uint64_t)p[i] << 8 * i;
    }
    return v;
}

static unsigned bits(uint64_t v, int from, int n) {
    return (unsigned)(v >> from & ((1u << n) - 1));
}

static tc_sass_op decode(const uint8_t *p, uint32_t address) {
    enum { CONTROL = 105 - 64 }; /* of the upper word */
    uint64_t low = word_at(p), high = word_at(p + 8);
    return (tc_sass_op){
        .address = address,
        .low = low,
        .high = high,
        .opcode = (uint16_t)bits(low, 0, 12),
        .guard = (uint8_t)bits(low, 12, 3),
        .guard_not = bits(low, 15, 1) != 0,
        .stall = (uint8_t)bits(high, CONTROL, 4),
        .yield = bits(high, CONTROL + 4, 1) == 0,
        .set_write = (uint8_t)bits(high, CONTROL + 5, 3),
        .set_read = (uint8_t)bits(high, CONTROL + 8, 3),
        .wait = (uint8_t)bits(high, CONTROL + 11, 6),
        .reuse = (uint8_t)bits(high, CONTROL + 17, 4),
    };
}

/* --- a kernel --------------------------------------------------------------*/

/* A row of the line table holds for its address and those behind it. */
static void mark_line(void *user, uint64_t address, int line) {
    tc_sass *s = user;
    if (address / TC_SASS_BYTES < (uint64_t)s->nops) {
        s->ops[address / TC_SASS_BYTES].ptx_line = line;
    }
}

/* Code ends with a branch to itself and NOPs up to the next 128 bytes, which no
 * warp reaches. */
static void drop_padding(tc_sass *s) {
    enum { NOP = 0x118, BRA = 0x147 };
    while (s->nops > 0 && s->ops[s->nops - 1].opcode % OPCODES == NOP) {
        s->nops--;
    }
    if (s->nops > 1 && s->ops[s->nops - 1].opcode % OPCODES == BRA) {
        s->nops--;
    }
}

bool tc_sass_read(tc_arena *a, const void *cubin, size_t bytes,
                  const char *kernel, tc_sass *out, const char **why) {
    tc_cubin c = {cubin, bytes};
    tc_cubin_section text;
    if (!tc_cubin_is(&c)) {
        *why = "it is no cubin";
        return false;
    }
    if (!tc_cubin_find(&c, ".text.", kernel, &text)) {
        *why = tc_format(a, "the cubin has no kernel '%s'", kernel);
        return false;
    }
    out->nops = (int)(text.size / TC_SASS_BYTES);
    out->ops = TC_NEWN(a, tc_sass_op, out->nops + 1);
    for (int i = 0; i < out->nops; i++) {
        uint32_t address = (uint32_t)i * TC_SASS_BYTES;
        out->ops[i] = decode(text.data + address, address);
    }
    drop_padding(out);
    tc_cubin_lines(&c, text.index, mark_line, out);
    for (int i = 1; i < out->nops; i++) {
        if (out->ops[i].ptx_line == 0) {
            out->ops[i].ptx_line = out->ops[i - 1].ptx_line;
        }
    }
    return true;
}
