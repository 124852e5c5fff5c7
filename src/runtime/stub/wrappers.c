/* wrappers.c - reads the program's own symbols (ELF-64, System V ABI), once. */
#include "runtime/stub/wrappers.h"
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct tc_stub_range {
    uint64_t from, to;
} tc_stub_range;

typedef struct tc_stub_wrappers {
    bool read;
    tc_stub_range *ranges;
    int count, cap;
} tc_stub_wrappers;

/* Wrappers are static, and templates or overloads, so that their names are
 * mangled: _Z10cudaMallocIfE..., _ZL15cudaEventCreate... A student's own
 * static template of such a name would be taken for one. */
static bool is_wrapper(const Elf64_Sym *s, const char *name) {
    if (ELF64_ST_BIND(s->st_info) != STB_LOCAL ||
        ELF64_ST_TYPE(s->st_info) != STT_FUNC || strncmp(name, "_Z", 2) != 0) {
        return false;
    }
    name += name[2] == 'L' ? 3 : 2;
    char *rest = NULL;
    long length = strtol(name, &rest, 10);
    return length > 5 && strncmp(rest, "cuda", 4) == 0 && rest[4] >= 'A' &&
           rest[4] <= 'Z';
}

static void add(tc_stub_wrappers *w, const Elf64_Sym *s) {
    if (w->count == w->cap) {
        int cap = w->cap * 2 + 16;
        void *more = realloc(w->ranges, (size_t)cap * sizeof *w->ranges);
        if (more == NULL) {
            return;
        }
        w->ranges = more;
        w->cap = cap;
    }
    w->ranges[w->count++] =
        (tc_stub_range){s->st_value, s->st_value + s->st_size};
}

static void read_symbols(tc_stub_wrappers *w, const char *file, size_t size,
                         const Elf64_Shdr *table, const Elf64_Shdr *names) {
    if (table->sh_offset > size || table->sh_size > size - table->sh_offset ||
        names->sh_offset > size || names->sh_size > size - names->sh_offset ||
        names->sh_size == 0 ||
        file[names->sh_offset + names->sh_size - 1] != '\0') {
        return;
    }
    const Elf64_Sym *s = (const void *)(file + table->sh_offset);
    for (size_t i = 0; i < table->sh_size / sizeof *s; i++) {
        if (s[i].st_name < names->sh_size &&
            is_wrapper(&s[i], file + names->sh_offset + s[i].st_name)) {
            add(w, &s[i]);
        }
    }
}

static void read_sections(tc_stub_wrappers *w, const char *file, size_t size) {
    const Elf64_Ehdr *h = (const void *)file;
    if (size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
        h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shoff > size ||
        h->e_shnum > (size - h->e_shoff) / sizeof(Elf64_Shdr)) {
        return;
    }
    const Elf64_Shdr *sections = (const void *)(file + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB &&
            sections[i].sh_link < h->e_shnum) {
            read_symbols(w, file, size, &sections[i],
                         &sections[sections[i].sh_link]);
        }
    }
}

static void read_self(tc_stub_wrappers *w) {
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        size_t size = (size_t)st.st_size;
        void *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            read_sections(w, file, size);
            munmap(file, size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

bool tc_stub_in_wrapper(uint64_t address) {
    static tc_stub_wrappers w;
    if (!w.read) {
        w.read = true;
        read_self(&w);
    }
    for (int i = 0; i < w.count; i++) {
        if (address >= w.ranges[i].from && address < w.ranges[i].to) {
            return true;
        }
    }
    return false;
}
