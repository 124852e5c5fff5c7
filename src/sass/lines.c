/* lines.c - .nv_debug_line_sass: a DWARF line number program (DWARF 2.0, section
 * 6.2) for each kernel. ptxas leaves the addresses 0 and says in
 * .rela.nv_debug_line_sass which section each sequence is of. */
#include "sass/cubin.h"

#include <elf.h>
#include <string.h>

enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    SET_COLUMN,
    NEGATE_STMT,
    BASIC_BLOCK,
    CONST_ADD_PC,
    FIXED_ADVANCE_PC
};
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 }; /* behind a 0 */

typedef struct line_reader {
    const uint8_t *start, *p, *end;
    bool bad;
} line_reader;

static uint64_t fixed(line_reader *r, int bytes) { /* little-endian */
    uint64_t v = 0;
    if (r->end - r->p < bytes) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    for (int i = 0; i < bytes; i++) {
        v |= (uint64_t)*r->p++ << 8 * i;
    }
    return v;
}

static uint64_t leb(line_reader *r, bool is_signed) {
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = (uint8_t)fixed(r, 1);
        v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    } while (byte & 0x80 && !r->bad);
    if (is_signed && byte & 0x40 && shift < 64) {
        v |= ~UINT64_C(0) << shift;
    }
    return v;
}

/* What the program's header says. */
typedef struct header {
    int minimum, line_base, line_range, opcode_base;
    uint8_t operands[256]; /* of each standard opcode */
} header;

typedef struct program {
    const tc_cubin *cubin;
    int wanted; /* section */
    void (*fn)(void *user, uint64_t address, int line);
    void *user;
    header h;
    bool ours; /* the sequence is of that section */
    uint64_t address, line;
} program;

/* The section that the address at that offset of the table is relative to. */
static int section_of(const tc_cubin *c, uint64_t at) {
    tc_cubin_section rela;
    Elf64_Rela r;
    if (!tc_cubin_find(c, ".rela.nv_debug_line_sass", "", &rela)) {
        return -1;
    }
    for (size_t i = 0; i + sizeof r <= rela.size; i += sizeof r) {
        memcpy(&r, rela.data + i, sizeof r);
        if (r.r_offset == at) {
            return tc_cubin_symbol_section(c, ELF64_R_SYM(r.r_info));
        }
    }
    return -1;
}

static void row(const program *p) {
    if (p->ours && p->line > 0 && p->line <= INT32_MAX) {
        p->fn(p->user, p->address, (int)p->line);
    }
}

static void extended(program *p, line_reader *r) {
    uint64_t len = leb(r, false);
    const uint8_t *next = r->p + len;
    if (r->bad || len == 0 || len > (uint64_t)(r->end - r->p)) {
        r->bad = true;
        return;
    }
    switch (fixed(r, 1)) {
    case SET_ADDRESS:
        p->ours =
            section_of(p->cubin, (uint64_t)(r->p - r->start)) == p->wanted;
        p->address = fixed(r, 8);
        break;
    case END_SEQUENCE:
        p->address = 0;
        p->line = 1;
        p->ours = false;
        break;
    default: /* a file's name, or NVIDIA's own */
        break;
    }
    r->p = next;
}

static void special(program *p, int op) {
    int n = op - p->h.opcode_base;
    p->address += (uint64_t)(n / p->h.line_range * p->h.minimum);
    p->line += (uint64_t)(int64_t)(p->h.line_base + n % p->h.line_range);
}

static void standard(program *p, line_reader *r, int op) {
    switch (op) {
    case COPY:
        row(p);
        break;
    case ADVANCE_PC:
        p->address += leb(r, false) * (uint64_t)p->h.minimum;
        break;
    case ADVANCE_LINE:
        p->line += leb(r, true);
        break;
    case CONST_ADD_PC: {
        uint64_t line = p->line;
        special(p, 255);
        p->line = line;
        break;
    }
    case FIXED_ADVANCE_PC:
        p->address += fixed(r, 2);
        break;
    default: /* a file, a column, and those that are not known */
        for (int i = 0; i < p->h.operands[op]; i++) {
            leb(r, false);
        }
        break;
    }
}

/* A unit's header up to its program; false where it is none of ours. */
static bool read_header(line_reader *r, header *h) {
    uint64_t version = fixed(r, 2);
    uint64_t length = fixed(r, 4);
    const uint8_t *code = r->p + length;
    if (r->bad || version < 2 || version > 4 ||
        length > (uint64_t)(r->end - r->p)) {
        return false;
    }
    h->minimum = (int)fixed(r, 1);
    if (version == 4) {
        fixed(r, 1); /* operations of an instruction */
    }
    fixed(r, 1); /* default_is_stmt */
    h->line_base = (int8_t)fixed(r, 1);
    h->line_range = (int)fixed(r, 1);
    h->opcode_base = (int)fixed(r, 1);
    for (int i = 1; i < h->opcode_base; i++) {
        h->operands[i] = (uint8_t)fixed(r, 1);
    }
    r->p = code;
    return !r->bad && h->line_range > 0 && h->opcode_base > 0;
}

static void run(program *p, line_reader *r) {
    p->address = 0;
    p->line = 1;
    p->ours = false;
    while (r->p < r->end && !r->bad) {
        int op = (int)fixed(r, 1);
        if (op >= p->h.opcode_base) {
            special(p, op);
            row(p);
        } else if (op == 0) {
            extended(p, r);
        } else {
            standard(p, r, op);
        }
    }
}

void tc_cubin_lines(const tc_cubin *c, int section,
                    void (*fn)(void *user, uint64_t address, int line),
                    void *user) {
    tc_cubin_section table;
    if (!tc_cubin_find(c, ".nv_debug_line_sass", "", &table)) {
        return;
    }
    line_reader all = {table.data, table.data, table.data + table.size, false};
    while (all.end - all.p > 4) {
        uint64_t length = fixed(&all, 4);
        if (length > (uint64_t)(all.end - all.p)) {
            return;
        }
        line_reader unit = {table.data, all.p, all.p + length, false};
        program p = {.cubin = c, .wanted = section, .fn = fn, .user = user};
        if (read_header(&unit, &p.h)) {
            run(&p, &unit);
        }
        all.p += length;
    }
}
