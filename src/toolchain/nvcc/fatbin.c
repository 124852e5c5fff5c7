/* fatbin.c - fat binaries in ELF files: sections .nv_fatbin (whole programs) and
 * __nv_relfatbin (relocatable device code). Each is a run of containers, and a
 * fat_container of entries, of which PTX is one kind. The layout is what nvcc
 * writes; `cuobjdump -all -lptx` shows the same. */
#include "toolchain/nvcc/fatbin.h"
#include "toolchain/internal.h"
#include "toolchain/nvcc/driver.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANY_MACHINE = 1 << 20,
    MAGIC = (int)0xBA55ED50,
    KIND_PTX = 1,
    ALIGN = 8
};

typedef struct fat_container {
    uint32_t magic;
    uint16_t version, header;
    uint64_t bytes; /* of its entries */
} fat_container;

typedef struct fat_entry {
    uint16_t kind, version;
    uint32_t header;
    uint64_t bytes;
    uint32_t compressed, unknown; /* bytes of it that count, if compressed */
    uint16_t minor, major;
    uint32_t sm, name, name_len;
    uint64_t flags, zero, decompressed; /* 0: as it is */
} fat_entry;

/* FNV-1a, 32 bits, as runtime/stub/register.c has it. */
static uint32_t id_of(const uint8_t *p, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * 16777619u;
    }
    return h != 0 ? h : 1;
}

/* The ".target sm_90a" of a text; *exact: for that machine alone. */
static int target_of(const char *text, size_t len, bool *exact) {
    const char *at = memmem(text, len, ".target sm_", 11);
    int sm = 0;
    const char *p = at != NULL ? at + 11 : text;
    while (at != NULL && p < text + len && *p >= '0' && *p <= '9') {
        sm = sm * 10 + *p++ - '0';
    }
    *exact = at != NULL && p < text + len && *p == 'a';
    return sm;
}

/* Takes the fat_entry's text, if it is a better one. */
static void consider(tc_fatbin *f, const fat_entry *e, const char *text, int sm,
                     int *best) {
    bool exact;
    size_t len = e->bytes;
    if (e->kind != KIND_PTX) {
        f->lacks = f->lacks != NULL ? f->lacks : "machine code alone";
        return;
    }
    if (e->decompressed != 0) {
        f->lacks = "compressed PTX";
        return;
    }
    while (len > 0 && text[len - 1] == '\0') {
        len--;
    }
    int target = target_of(text, len, &exact);
    bool any = sm == ANY_MACHINE;
    if (target > sm || (exact && target != sm && !any) || target < *best) {
        f->lacks = "PTX for other machines";
        return;
    }
    *best = target;
    f->ptx = text;
    f->len = len;
}

static void read_entries(tc_fatbin *f, const uint8_t *p, size_t left, int sm) {
    int best = 0;
    fat_entry e;
    while (left >= sizeof e) {
        memcpy(&e, p, sizeof e);
        if (e.header < sizeof e || e.header > left ||
            e.bytes > left - e.header) {
            return;
        }
        consider(f, &e, (const char *)p + e.header, sm, &best);
        p += e.header + e.bytes;
        left -= e.header + e.bytes;
    }
}

typedef struct fat_list {
    tc_arena *a;
    tc_fatbin *all;
    int n, cap, sm;
} fat_list;

static void read_section(fat_list *l, const uint8_t *p, size_t left,
                         bool relocatable) {
    fat_container c;
    while (left >= sizeof c) {
        memcpy(&c, p, sizeof c);
        if (c.magic != (uint32_t)MAGIC || c.header < sizeof c ||
            c.header > left || c.bytes > left - c.header) {
            size_t skip = left < ALIGN ? left : ALIGN; /* padding */
            p += skip;
            left -= skip;
            continue;
        }
        size_t n = c.header + (size_t)c.bytes;
        tc_fatbin f = {.id = id_of(p, n), .relocatable = relocatable};
        read_entries(&f, p + c.header, (size_t)c.bytes, l->sm);
        if (f.ptx != NULL || f.lacks != NULL) {
            TC_PUSH(l->a, l->all, l->n, l->cap, f);
        }
        p += n;
        left -= n;
    }
}

/* The sections' headers, if the file is a whole one of 64 bits. */
static const Elf64_Shdr *headers_of(const uint8_t *p, size_t len,
                                    const Elf64_Ehdr **file) {
    const Elf64_Ehdr *h = (const void *)p;
    *file = h;
    bool good = len >= sizeof *h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
                h->e_ident[EI_CLASS] == ELFCLASS64 &&
                h->e_shentsize == sizeof(Elf64_Shdr) && h->e_shoff % 8 == 0 &&
                h->e_shoff < len &&
                h->e_shnum <= (len - h->e_shoff) / sizeof(Elf64_Shdr) &&
                h->e_shstrndx < h->e_shnum;
    return good ? (const void *)(p + h->e_shoff) : NULL;
}

int tc_fatbin_read(tc_arena *a, const void *bytes, size_t len, int sm,
                   tc_fatbin **out) {
    fat_list l = {.a = a, .sm = sm};
    const Elf64_Ehdr *file;
    const uint8_t *p = bytes;
    const Elf64_Shdr *s = headers_of(p, len, &file);
    const Elf64_Shdr *names = s != NULL ? &s[file->e_shstrndx] : NULL;
    for (int i = 0; s != NULL && i < file->e_shnum; i++) {
        if (s[i].sh_type == SHT_NOBITS || s[i].sh_offset > len ||
            s[i].sh_size > len - s[i].sh_offset || names->sh_offset > len ||
            s[i].sh_name >= names->sh_size ||
            names->sh_size > len - names->sh_offset) {
            continue;
        }
        const char *name = (const char *)p + names->sh_offset + s[i].sh_name;
        size_t room = names->sh_size - s[i].sh_name;
        bool whole = strncmp(name, ".nv_fatbin", room) == 0;
        if (whole || strncmp(name, "__nv_relfatbin", room) == 0) {
            read_section(&l, p + s[i].sh_offset, s[i].sh_size, !whole);
        }
    }
    *out = l.all;
    return l.n;
}

const char *tc_fatbin_machine(tc_arena *a, const void *bytes, size_t len) {
    tc_fatbin *all;
    int n = tc_fatbin_read(a, bytes, len, ANY_MACHINE, &all), sm = 0;
    bool exact = false;
    for (int i = 0; i < n; i++) {
        bool that = false;
        int target =
            all[i].ptx != NULL ? target_of(all[i].ptx, all[i].len, &that) : 0;
        exact = target > sm ? that : exact || (target == sm && that);
        sm = target > sm ? target : sm;
    }
    return sm > 0 ? tc_format(a, "sm_%d%s", sm, exact ? "a" : "") : NULL;
}

/* --- names -----------------------------------------------------------------*/

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

static bool has_name(const tc_words *w, const char *name, size_t n) {
    for (int i = 0; i < w->n; i++) {
        if (strncmp(w->w[i], name, n) == 0 && w->w[i][n] == '\0') {
            return true;
        }
    }
    return false;
}

void tc_linked_names(tc_arena *a, const char *bytes, size_t len,
                     tc_words *names) {
    static const char begin[] = "__cudaRegisterLinkedBinary_";
    const size_t n = sizeof begin - 1;
    const char *p = bytes, *end = bytes + len;
    while ((p = memmem(p, (size_t)(end - p), begin, n)) != NULL) {
        const char *q = p + n;
        while (q < end && in_name(*q)) {
            q++;
        }
        size_t all = (size_t)(q - p);
        if (p > bytes && !in_name(p[-1]) && all > n &&
            !has_name(names, p, all)) {
            const char *name = tc_strndup(a, p, all);
            TC_PUSH(a, names->w, names->n, names->cap, name);
        }
        p = q;
    }
}
