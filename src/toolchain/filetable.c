/* filetable.c - the names of a program's source files, from its debug
 * information (ELF-64; DWARF 5, 6.2.4, the line number program header). */
#include "toolchain/internal.h"

#include <elf.h>
#include <string.h>

typedef struct dwarf_bytes {
    const uint8_t *at;
    uint64_t left;
    bool bad; /* it ended too early: all is 0 from then on */
} dwarf_bytes;

static dwarf_bytes skip(dwarf_bytes *b, uint64_t n) {
    dwarf_bytes out = {b->at, n, false};
    if (n > b->left) {
        b->bad = true;
        n = b->left;
        out.left = 0;
    }
    b->at += n;
    b->left -= n;
    return out;
}

static uint64_t fixed(dwarf_bytes *b, int n) {
    dwarf_bytes v = skip(b, (uint64_t)n);
    uint64_t out = 0;
    for (int i = (int)v.left - 1; i >= 0; i--) {
        out = out << 8 | v.at[i];
    }
    return out;
}

static uint64_t uleb(dwarf_bytes *b) {
    uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        uint64_t v = fixed(b, 1);
        out |= (v & 0x7F) << shift;
        if ((v & 0x80) == 0) {
            break;
        }
    }
    return out;
}

/* "" where it does not end. */
static const char *text(dwarf_bytes *b) {
    const uint8_t *end = b->left ? memchr(b->at, 0, b->left) : NULL;
    if (end == NULL) {
        b->bad = true;
        return "";
    }
    return (const char *)skip(b, (uint64_t)(end - b->at) + 1).at;
}

/* The section of that name; empty where there is none, or it is packed. */
static dwarf_bytes section(dwarf_bytes file, const char *name) {
    Elf64_Ehdr h;
    Elf64_Shdr names, s;
    dwarf_bytes none = {file.at, 0, false};
    if (file.left < sizeof h) {
        return none;
    }
    memcpy(&h, file.at, sizeof h);
    uint64_t room = h.e_shoff < file.left ? file.left - h.e_shoff : 0;
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_shstrndx >= h.e_shnum ||
        h.e_ident[EI_CLASS] != ELFCLASS64 || room / sizeof s < h.e_shnum) {
        return none;
    }
    memcpy(&names, file.at + h.e_shoff + h.e_shstrndx * sizeof s, sizeof s);
    for (int i = 0; i < h.e_shnum; i++) {
        memcpy(&s, file.at + h.e_shoff + (uint64_t)i * sizeof s, sizeof s);
        dwarf_bytes n = file, b = file;
        skip(&n, names.sh_offset);
        skip(&n, s.sh_name);
        skip(&b, s.sh_offset);
        if (strcmp(text(&n), name) == 0 && b.left >= s.sh_size &&
            (s.sh_flags & SHF_COMPRESSED) == 0) {
            b.left = s.sh_size;
            return b;
        }
    }
    return none;
}

typedef struct strings {
    dwarf_bytes line_str, str;
} strings;

enum { PATH = 1, DIRECTORY = 2 }; /* DW_LNCT_ */
enum { MOST_FORMATS = 8 };

typedef struct file_entry {
    const char *name;
    uint64_t folder;
} file_entry;

/* One field of an entry, of any form that a compiler gives them. */
static void field(dwarf_bytes *b, const strings *s, uint64_t what,
                  uint64_t form, file_entry *e) {
    uint64_t number = 0;
    const char *name = "";
    dwarf_bytes from = form == 0x1F ? s->line_str : s->str;
    switch (form) {
    case 0x1F: /* DW_FORM_line_strp, of 32-bit DWARF */
    case 0x0E: /* DW_FORM_strp */
        skip(&from, fixed(b, 4));
        name = text(&from);
        break;
    case 0x08: /* DW_FORM_string */
        name = text(b);
        break;
    case 0x0B: /* DW_FORM_data1, 2, 4, 8, 16 */
        number = fixed(b, 1);
        break;
    case 0x05:
        number = fixed(b, 2);
        break;
    case 0x06:
        number = fixed(b, 4);
        break;
    case 0x07:
        number = fixed(b, 8);
        break;
    case 0x1E:
        skip(b, 16);
        break;
    case 0x0F: /* DW_FORM_udata */
        number = uleb(b);
        break;
    default:
        b->bad = true;
    }
    e->name = what == PATH ? name : e->name;
    e->folder = what == DIRECTORY ? number : e->folder;
}

/* A table of folders or files: the entry of that number, if it has one. */
static file_entry table(dwarf_bytes *b, const strings *s, uint64_t first,
                        uint64_t second, file_entry *other) {
    uint64_t form[MOST_FORMATS][2] = {{0}};
    uint64_t nforms = fixed(b, 1);
    file_entry out = {"", 0};
    b->bad |= nforms > MOST_FORMATS;
    for (uint64_t i = 0; i < nforms && !b->bad; i++) {
        form[i][0] = uleb(b);
        form[i][1] = uleb(b);
    }
    uint64_t n = uleb(b);
    for (uint64_t i = 0; i < n && !b->bad; i++) {
        file_entry e = {"", 0};
        for (uint64_t k = 0; k < nforms; k++) {
            field(b, s, form[k][0], form[k][1], &e);
        }
        out = i == first ? e : out;
        *other = i == second ? e : *other;
    }
    return out;
}

static const char *joined(tc_arena *a, const char *folder, const char *name) {
    return *name == '/' || *folder == '\0'
               ? tc_strdup(a, name)
               : tc_format(a, "%s/%s", folder, name);
}

/* File 1 of one unit whose file 0 has that base name; NULL: another unit's. */
static const char *of_unit(tc_arena *a, dwarf_bytes b, const strings *s,
                           const char *base) {
    file_entry unused, zero, one = {"", 0}, root, folder = {"", 0};
    skip(&b, 2 + 4 + 5); /* address size to line range */
    uint64_t opcodes = fixed(&b, 1);
    skip(&b, opcodes ? opcodes - 1 : 0);
    dwarf_bytes again = b;
    table(&b, s, 0, 0, &unused);
    zero = table(&b, s, 0, 1, &one);
    if (b.bad || strcmp(tc_base_of(zero.name), base) != 0 || !*one.name) {
        return NULL;
    }
    root = table(&again, s, 0, one.folder, &folder);
    return joined(a, joined(a, root.name, folder.name), one.name);
}

const char *tc_first_file(tc_arena *a, const char *program, const char *base) {
    tc_arena *own = tc_arena_new();
    size_t size = 0;
    const char *read = tc_read_file(own, program, &size), *found = NULL;
    dwarf_bytes file = {(const uint8_t *)read, read != NULL ? size : 0, false};
    dwarf_bytes lines = section(file, ".debug_line");
    strings s = {section(file, ".debug_line_str"), section(file, ".debug_str")};
    while (found == NULL && lines.left > 0 && !lines.bad) {
        uint64_t length = fixed(&lines, 4);
        if (length >= 0xFFFFFFF0) { /* 64-bit DWARF */
            break;
        }
        dwarf_bytes unit = skip(&lines, length);
        if (fixed(&unit, 2) == 5) {
            found = of_unit(a, unit, &s, base);
        }
    }
    tc_arena_free(own);
    return found;
}
