/* cubin.c - sections and symbols of a cubin, an ELF file (System V ABI, gABI
 * chapter 4). Whatever an index or an offset says is held against the size. */
#include "sass/cubin.h"

#include <elf.h>
#include <string.h>

/* The object at an offset, copied, as nothing says that it is aligned. */
static bool get(const tc_cubin *c, uint64_t at, void *out, size_t size) {
    if (at > c->size || size > c->size - at) {
        return false;
    }
    memcpy(out, c->data + at, size);
    return true;
}

static bool header_at(const tc_cubin *c, int i, Elf64_Shdr *out) {
    Elf64_Ehdr e;
    return get(c, 0, &e, sizeof e) && i >= 0 && i < e.e_shnum &&
           get(c, e.e_shoff + (uint64_t)i * sizeof *out, out, sizeof *out);
}

bool tc_cubin_is(const tc_cubin *c) {
    Elf64_Ehdr e;
    Elf64_Shdr names;
    return get(c, 0, &e, sizeof e) && memcmp(e.e_ident, ELFMAG, SELFMAG) == 0 &&
           e.e_ident[EI_CLASS] == ELFCLASS64 &&
           e.e_shentsize == sizeof(Elf64_Shdr) &&
           header_at(c, e.e_shstrndx, &names);
}

/* The text at an offset of a string table, or NULL where it does not end. */
static const char *string_at(const tc_cubin *c, const Elf64_Shdr *table,
                             uint64_t at) {
    uint64_t from = table->sh_offset + at;
    if (at >= table->sh_size || from >= c->size) {
        return NULL;
    }
    const char *s = (const char *)c->data + from;
    return memchr(s, 0, c->size - from) != NULL ? s : NULL;
}

static bool is_named(const char *s, const char *prefix, const char *name) {
    size_t n = strlen(prefix);
    return s != NULL && strncmp(s, prefix, n) == 0 && strcmp(s + n, name) == 0;
}

bool tc_cubin_find(const tc_cubin *c, const char *prefix, const char *name,
                   tc_cubin_section *out) {
    Elf64_Ehdr e;
    Elf64_Shdr names, s;
    if (!get(c, 0, &e, sizeof e) || !header_at(c, e.e_shstrndx, &names)) {
        return false;
    }
    for (int i = 0; i < e.e_shnum && header_at(c, i, &s); i++) {
        if (is_named(string_at(c, &names, s.sh_name), prefix, name) &&
            s.sh_type != SHT_NOBITS && s.sh_offset <= c->size &&
            s.sh_size <= c->size - s.sh_offset) {
            *out = (tc_cubin_section){c->data + s.sh_offset, s.sh_size, i};
            return true;
        }
    }
    return false;
}

int tc_cubin_symbol_section(const tc_cubin *c, uint64_t symbol) {
    tc_cubin_section table;
    Elf64_Sym s;
    if (!tc_cubin_find(c, ".symtab", "", &table) ||
        symbol >= table.size / sizeof s) {
        return -1;
    }
    memcpy(&s, table.data + symbol * sizeof s, sizeof s);
    return s.st_shndx;
}
