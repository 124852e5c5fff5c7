/* finding_cuda_names.c - the learner's names of variables and elements. */
#include "explain/finding_cuda.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* --- elements --------------------------------------------------------------*/

static const char *element(tc_arena *a, const char *name, uint64_t offset,
                           uint64_t width) {
    return width > 0 && offset % width == 0
               ? tc_format(a, "%s[%llu]", name,
                           (unsigned long long)(offset / width))
               : tc_format(a, "%s+%llu", name, (unsigned long long)offset);
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
               ? tc_cuda_element(run, tc_cuda_name(run->arena, p.symbol->name),
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
