/* finding_cuda_names.c - the learner's names of variables and elements. */
#include "explain/finding_cuda.h"
#include "run/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- declarations ----------------------------------------------------------*/

enum { RANK = 4 };

/* What the learner's text says of a shared variable. */
typedef struct declared {
    bool found;
    uint64_t bytes; /* of an element; 0: a type that we do not know */
    int rank;
    uint64_t dims[RANK]; /* 0: not a number */
} declared;

static bool is_word(int c) {
    return isalnum((unsigned char)c) || c == '_';
}

static uint64_t type_bytes(const char *word, size_t n) {
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = {
        {"char", 1},     {"bool", 1},     {"int8_t", 1},   {"uint8_t", 1},
        {"short", 2},    {"half", 2},     {"__half", 2},   {"int16_t", 2},
        {"uint16_t", 2}, {"int", 4},      {"unsigned", 4}, {"float", 4},
        {"int32_t", 4},  {"uint32_t", 4}, {"half2", 4},    {"double", 8},
        {"long", 8},     {"int64_t", 8},  {"uint64_t", 8}, {"float2", 8},
        {"int2", 8},     {"uint2", 8},    {"size_t", 8},   {"float4", 16},
        {"int4", 16},    {"uint4", 16},   {"double2", 16}, {"__mbarrier_t", 8}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == n &&
            strncmp(types[i].name, word, n) == 0) {
            return types[i].bytes;
        }
    }
    return 0;
}

/* A length: a number, or the name of a constant that the text gives a number
 * (constexpr int N = 64; #define N 64). 0: something else. */
static uint64_t length_of(const tc_source *src, const char *p) {
    size_t n = 0;
    while (is_word(p[n])) {
        n++;
    }
    if (n == 0 || p[n] != ']') {
        return 0;
    }
    if (isdigit((unsigned char)*p)) {
        return strtoul(p, NULL, 0);
    }
    const char *name = p;
    for (const char *at = src->text; (at = strchr(at, *name)) != NULL; at++) {
        bool whole = strncmp(at, name, n) == 0 && !is_word(at[n]) &&
                     at > src->text && at[-1] == ' ';
        const char *value = at + n + strspn(at + n, " =");
        if (whole && value > at + n && isdigit((unsigned char)*value)) {
            return strtoul(value, NULL, 0);
        }
    }
    return 0;
}

static void read_dims(const tc_source *src, const char *p, declared *d) {
    for (p += strspn(p, " "); *p == '['; p += strspn(p, " ")) {
        if (d->rank == RANK) {
            d->found = false;
            return;
        }
        d->dims[d->rank++] = length_of(src, p + 1);
        p += strcspn(p, "]\n;");
        p += *p == ']';
    }
}

/* One declaration, from behind __shared__ to its ';': is it of name? */
static void read_declaration(const tc_source *src, const char *p,
                             const char *name, declared *d) {
    size_t len = strlen(name);
    uint64_t bytes = 0;
    for (const char *end = p + strcspn(p, ";{="); p < end;) {
        size_t n = 0;
        while (is_word(p[n])) {
            n++;
        }
        if (n == len && strncmp(p, name, n) == 0) {
            *d = (declared){.found = true, .bytes = bytes};
            read_dims(src, p + n, d);
            return;
        }
        uint64_t width = type_bytes(p, n);
        bool more = n == 3 && bytes > 0; /* short int */
        bytes = width > 0 && !more ? width : bytes;
        p += n > 0 ? n : 1;
    }
}

static declared declaration_of(const tc_source *src, const char *name) {
    declared d = {0};
    const char *p = src->text;
    while (!d.found && (p = strstr(p, "__shared__")) != NULL) {
        p += strlen("__shared__");
        read_declaration(src, p, name, &d);
    }
    return d;
}

/* --- elements --------------------------------------------------------------*/

/* The one length that is no number follows from the whole. */
static bool settle_dims(declared *d, uint64_t size) {
    uint64_t known = d->bytes;
    int open = -1;
    for (int i = 0; i < d->rank; i++) {
        if (d->dims[i] != 0) {
            known *= d->dims[i];
        } else if (open >= 0) {
            return false;
        } else {
            open = i;
        }
    }
    if (open > 0 && known > 0 && size % known == 0) {
        d->dims[open] = size / known;
    }
    return open <= 0 || d->dims[open] != 0;
}

static const char *element(tc_arena *a, const char *name, uint64_t offset,
                           uint64_t width) {
    return width > 0 && offset % width == 0
               ? tc_format(a, "%s[%llu]", name,
                           (unsigned long long)(offset / width))
               : tc_format(a, "%s+%llu", name, (unsigned long long)offset);
}

/* A byte of a shared variable of size bytes (0: as much as there is). */
static const char *shared_element(tc_last_run *run, const char *name,
                                  uint64_t offset, uint64_t size,
                                  uint32_t bytes) {
    tc_arena *a = run->arena;
    declared d = declaration_of(run->file->source, name);
    bool scalar = d.found ? d.rank == 0 : size == bytes;
    if (scalar) {
        return offset == 0
                   ? name
                   : tc_format(a, "%s+%llu", name, (unsigned long long)offset);
    }
    if (!d.found || d.bytes == 0 || !settle_dims(&d, size)) {
        return d.found && d.rank > 1
                   ? tc_format(a, "%s+%llu", name, (unsigned long long)offset)
                   : element(a, name, offset, bytes);
    }
    tc_buf b = TC_BUF_INIT;
    uint64_t at = offset / d.bytes, index[RANK];
    for (int i = d.rank - 1; i > 0; i--) {
        index[i] = at % d.dims[i];
        at /= d.dims[i];
    }
    index[0] = at;
    tc_buf_puts(&b, name);
    for (int i = 0; i < d.rank; i++) {
        tc_buf_printf(&b, "[%llu]", (unsigned long long)index[i]);
    }
    const char *text = tc_strdup(a, tc_buf_text(&b));
    tc_buf_free(&b);
    return text;
}

/* A shared variable, and an address from its begin on. */
typedef struct shared_place {
    const tc_ptx_symbol *symbol; /* NULL: none begins before the address */
    uint64_t offset, size;       /* size 0: of a dynamic array */
} shared_place;

/* The variable that an address is in; else the last that begins before it. */
static shared_place shared_at(const tc_last_run *run, uint64_t address) {
    const tc_ptx_module *m = run->module;
    const tc_ptx_func *f = tc_ptx_find_entry(m, run->entry);
    int entry = f != NULL ? (int)(f - m->funcs) : -1;
    uint64_t begin = f != NULL ? f->shared_bytes : 0;
    const tc_ptx_symbol *dynamic = NULL;
    shared_place best = {0};
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        bool mine =
            y->space == TC_PS_SHARED && (y->func < 0 || y->func == entry);
        uint64_t align = y->align > 0 ? y->align : 1;
        if (mine && y->is_extern) {
            begin = (begin + align - 1) / align * align;
            dynamic = dynamic != NULL ? dynamic : y;
        } else if (mine && y->offset <= address &&
                   (best.symbol == NULL || y->offset >= best.symbol->offset)) {
            best = (shared_place){y, address - y->offset, y->size};
        }
    }
    bool within = best.symbol != NULL && best.offset < best.size;
    return dynamic != NULL && address >= begin && !within
               ? (shared_place){dynamic, address - begin, 0}
               : best;
}

/* How far before shared memory's begin an offset that went below 0 is; 0: it
 * did not. */
static uint32_t below_shared(uint64_t address) {
    int32_t at = (int32_t)(uint32_t)address;
    return address <= UINT32_MAX && at < 0 ? 0u - (uint32_t)at : 0;
}

static const char *shared_object(tc_last_run *run, uint64_t address,
                                 uint32_t bytes) {
    uint32_t below = below_shared(address);
    shared_place p = shared_at(run, below > 0 ? 0 : address);
    if (below > 0 && p.symbol != NULL) {
        const char *name = tc_cuda_name(run->arena, p.symbol->name);
        return bytes > 0 && below % bytes == 0
                   ? tc_format(run->arena, "%s[-%u]", name, below / bytes)
                   : tc_format(run->arena, "%s-%u", name, below);
    }
    return p.symbol != NULL
               ? shared_element(run, tc_cuda_name(run->arena, p.symbol->name),
                                p.offset, p.size, bytes)
               : tc_format(run->arena, "shared memory byte %llu",
                           (unsigned long long)address);
}

/* How far an address is from the bytes of a memory: 0 within it. */
static uint64_t distance(const tc_run_buffer *b, uint64_t address) {
    uint64_t end = b->address + b->bytes;
    return address < b->address ? b->address - address
           : address < end      ? 0
                                : address - end + 1;
}

/* The memory that an address is in, or nearest to. */
static const tc_run_buffer *memory_of(const tc_last_run *run,
                                      const tc_finding *f) {
    const tc_run_buffer *best = NULL;
    bool global = f->space == TC_PS_GLOBAL || f->space == TC_PS_GENERIC;
    for (int i = 0; i < run->nbuffers && global; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        if (best == NULL ||
            distance(b, f->address) < distance(best, f->address)) {
            best = b;
        }
    }
    enum { NEAR = 1 << 30 };
    return best != NULL && distance(best, f->address) < NEAR ? best : NULL;
}

/* Device memory of a program has no type: its elements are as wide as the
 * access. */
static const char *global_object(tc_session *s, const tc_finding *f) {
    tc_last_run *run = s->program.run;
    const tc_run_buffer *b = memory_of(run, f);
    if (b == NULL || (b->buffer->rank > 0 && distance(b, f->address) == 0)) {
        return tc_address_name(s, f->space, f->address);
    }
    if (f->address >= b->address) {
        return element(run->arena, b->buffer->name, f->address - b->address,
                       f->bytes);
    }
    uint64_t before = b->address - f->address;
    return f->bytes > 0 && before % f->bytes == 0
               ? tc_format(run->arena, "%s[-%llu]", b->buffer->name,
                           (unsigned long long)(before / f->bytes))
               : tc_format(run->arena, "%s-%llu", b->buffer->name,
                           (unsigned long long)before);
}

/* The same of shared memory. */
static bool behind_shared(tc_last_run *run, const tc_finding *f, tc_buf *b) {
    shared_place p = shared_at(run, f->address);
    if (below_shared(f->address) > 0) {
        p = shared_at(run, 0);
        tc_buf_printf(b, "that is before %s begins",
                      p.symbol != NULL
                          ? tc_cuda_name(run->arena, p.symbol->name)
                          : "shared memory");
        return true;
    }
    bool dynamic = p.symbol != NULL && p.size == 0;
    uint64_t size = dynamic ? run->dynamic_shared : p.size;
    if (p.symbol != NULL && p.offset >= size) {
        tc_buf_printf(b, "%s has %llu bytes",
                      tc_cuda_name(run->arena, p.symbol->name),
                      (unsigned long long)size);
        return true;
    }
    return false;
}

bool tc_cuda_behind(tc_session *s, const tc_finding *f, tc_buf *b) {
    if (f->space == TC_PS_SHARED) {
        return behind_shared(s->program.run, f, b);
    }
    const tc_run_buffer *m = memory_of(s->program.run, f);
    if (m != NULL && f->address < m->address) {
        tc_buf_printf(b, "that is before %s begins", m->buffer->name);
    } else if (m != NULL) {
        tc_buf_printf(b, "%s has %llu bytes", m->buffer->name,
                      (unsigned long long)m->bytes);
    }
    return m != NULL;
}

const char *tc_cuda_object(tc_session *s, const tc_finding *f) {
    tc_arena *a = s->program.run->arena;
    switch (f->space) {
    case TC_PS_SHARED:
        return shared_object(s->program.run, f->address, f->bytes);
    case TC_PS_GLOBAL:
    case TC_PS_GENERIC:
        return global_object(s, f);
    default:
        return tc_cuda_plain_text(a, tc_address_name(s, f->space, f->address));
    }
}
