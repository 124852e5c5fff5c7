/* names.c - turns addresses into the names that a learner gave. */
#include "load/load.h"
#include "run/state.h"

#include <stdlib.h>
#include <string.h>

/* Storage position of an element through its buffer's layout, or -1. */
static int64_t position_of(tc_layout_ctx *cx, const tc_buffer *b,
                           const int64_t *coord) {
    if (b->layout == NULL) {
        int64_t at = 0;
        for (int i = 0; i < b->rank; i++) {
            at = at * b->shape[i] + coord[i];
        }
        return at;
    }
    return tc_layout_position(cx, b->layout, coord, b->shape, b->rank);
}

static bool next_coord(const tc_buffer *b, int64_t *coord) {
    for (int i = b->rank - 1; i >= 0; i--) {
        if (++coord[i] < b->shape[i]) {
            return true;
        }
        coord[i] = 0;
    }
    return false;
}

bool tc_element_at(tc_arena *a, const tc_buffer *b, uint64_t element,
                   int64_t *coord) {
    if (b->rank == 0 || tc_buffer_elements(b) <= 0) {
        return false;
    }
    bool plain = b->layout == NULL;
    if (plain ||
        tc_layout_equal(b->layout, tc_layout_row_major(a, b->shape, b->rank))) {
        if (element >= (uint64_t)tc_buffer_elements(b)) {
            return false;
        }
        for (int i = b->rank - 1; i >= 0; i--) {
            coord[i] = (int64_t)(element % (uint64_t)b->shape[i]);
            element /= (uint64_t)b->shape[i];
        }
        return true;
    }
    tc_arena *scratch = tc_arena_new();
    tc_layout_ctx cx = {.arena = scratch, .target_cuda = true};
    memset(coord, 0, sizeof *coord * (size_t)b->rank);
    bool found = false;
    do {
        found = position_of(&cx, b, coord) == (int64_t)element;
    } while (!found && next_coord(b, coord));
    tc_arena_free(scratch);
    return found;
}

const char *tc_element_name(tc_arena *a, const tc_buffer *b, uint64_t offset) {
    int64_t coord[16];
    uint64_t width = (uint64_t)tc_dtype_bytes(b->type);
    if (b->rank > 16 || width == 0 ||
        !tc_element_at(a, b, offset / width, coord)) {
        return tc_format(a, "%s+%llu", b->name, (unsigned long long)offset);
    }
    tc_buf text = TC_BUF_INIT;
    tc_buf_printf(&text, "%s[", b->name);
    for (int i = 0; i < b->rank; i++) {
        tc_buf_printf(&text, "%s%lld", i ? "," : "", (long long)coord[i]);
    }
    tc_buf_putc(&text, ']');
    return tc_buf_finish(&text, a);
}

/* The shared or local symbol of the run's kernel, or of its module, that holds
 * an offset of the space, or NULL. */
static const tc_ptx_symbol *symbol_at(const tc_last_run *run,
                                      tc_ptx_space space, uint64_t at) {
    const tc_ptx_module *m = run->module;
    const tc_ptx_func *f = tc_ptx_find_entry(m, run->entry);
    int entry = (int)(f - m->funcs);
    for (int i = 0; f != NULL && i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if (y->space == space && (y->func < 0 || y->func == entry) &&
            at >= y->offset && at - y->offset < y->size) {
            return y;
        }
    }
    return NULL;
}

/* The buffer in the dynamic array, which begins behind the static memory at
 * the next multiple of its alignment; the smallest where several share. */
static const char *dynamic_name(tc_last_run *run, const tc_emitted *ptx,
                                uint64_t address) {
    const tc_ptx_module *m = run->module;
    const tc_ptx_func *f = &m->funcs[0];
    const tc_symbol *best = NULL;
    uint64_t base = 0;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if (y->space == TC_PS_SHARED && y->is_extern && y->align > 0) {
            base = (f->shared_bytes + y->align - 1) / y->align * y->align;
        }
    }
    for (int i = 0; i < ptx->nsymbols && address >= base; i++) {
        const tc_symbol *y = &ptx->symbols[i];
        uint64_t at = address - base - (uint64_t)y->offset;
        if (y->bytes > 0 && at < (uint64_t)y->bytes &&
            (best == NULL || y->bytes < best->bytes)) {
            best = y;
        }
    }
    return best == NULL
               ? NULL
               : tc_element_name(run->arena, best->buffer,
                                 address - base - (uint64_t)best->offset);
}

uint64_t tc_dynamic_begin(const tc_last_run *run, const tc_ptx_symbol **first) {
    const tc_ptx_module *m = run->module;
    const tc_ptx_func *f = tc_ptx_find_entry(m, run->entry);
    uint64_t at = f != NULL ? f->shared_bytes : 0;
    *first = NULL;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if (y->space == TC_PS_SHARED && y->is_extern) {
            uint64_t align = y->align > 0 ? y->align : 1;
            at = (at + align - 1) / align * align;
            *first = *first != NULL ? *first : y;
        }
    }
    return at;
}

static bool is_cuda(const tc_last_run *run) {
    return run->file != NULL && run->file->cu_files != NULL;
}

const char *tc_symbol_name(const tc_last_run *run, const tc_ptx_symbol *y) {
    return is_cuda(run) ? tc_cuda_name(run->arena, y->name) : y->name;
}

/* A byte of shared memory as the text has it: the .cu's element, the PTX's
 * symbol and offset. */
static const char *symbol_name(tc_last_run *run, uint64_t address) {
    const tc_ptx_symbol *y = symbol_at(run, TC_PS_SHARED, address), *dynamic;
    uint64_t begin = tc_dynamic_begin(run, &dynamic), at;
    if (y != NULL) {
        at = address - y->offset;
    } else if (dynamic != NULL && address >= begin &&
               address - begin < run->dynamic_shared) {
        y = dynamic;
        at = address - begin;
    } else {
        return tc_format(run->arena, "shared memory byte %llu",
                         (unsigned long long)address);
    }
    const char *name = tc_symbol_name(run, y);
    if (is_cuda(run)) {
        return tc_cuda_element(run, name, at, y->is_extern ? 0 : y->size, 0);
    }
    return at == 0
               ? name
               : tc_format(run->arena, "%s+%llu", name, (unsigned long long)at);
}

static const char *shared_name(tc_session *s, uint64_t address) {
    tc_last_run *run = s->program.run;
    const tc_emitted *ptx = run->shared;
    if (ptx == NULL) {
        return symbol_name(run, address);
    }
    const tc_ptx_symbol *y = symbol_at(run, TC_PS_SHARED, address);
    for (int i = 0; y != NULL && i < ptx->nsymbols; i++) {
        if (strcmp(ptx->symbols[i].name, y->name) == 0) {
            return tc_element_name(run->arena, ptx->symbols[i].buffer,
                                   address - y->offset);
        }
    }
    const char *name = dynamic_name(run, ptx, address);
    if (name != NULL) {
        return name;
    }
    return tc_format(run->arena, "shared memory byte %llu",
                     (unsigned long long)address);
}

/* A variable of the module in global or constant memory, or NULL. */
static const char *variable_name(tc_last_run *run, uint64_t address) {
    const tc_ptx_module *m = run->module;
    for (int i = 0; run->sim != NULL && i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        uint64_t at = tc_sim_symbol(run->sim, y);
        if (at != 0 && address >= at && address - at < y->size) {
            return address == at
                       ? tc_symbol_name(run, y)
                       : tc_format(run->arena, "%s+%llu",
                                   tc_symbol_name(run, y),
                                   (unsigned long long)(address - at));
        }
    }
    return NULL;
}

/* The buffer that an address lies in, or the nearest one before it. */
static const char *global_name(tc_session *s, uint64_t address) {
    tc_last_run *run = s->program.run;
    const tc_run_buffer *best = NULL;
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        if (address >= b->address &&
            (best == NULL || b->address > best->address)) {
            best = b;
        }
    }
    const char *variable =
        best == NULL || address - best->address >= best->bytes
            ? variable_name(run, address)
            : NULL;
    if (variable != NULL || best == NULL) {
        return variable != NULL ? variable
                                : tc_format(run->arena, "global address 0x%llx",
                                            (unsigned long long)address);
    }
    uint64_t at = address - best->address;
    if (at >= best->bytes) {
        return tc_format(run->arena, "%s+%llu (it has %llu bytes)",
                         best->buffer->name, (unsigned long long)at,
                         (unsigned long long)best->bytes);
    }
    return tc_element_name(run->arena, best->buffer, at);
}

/* A byte of a thread's own memory. */
static const char *local_name(tc_last_run *run, uint64_t address) {
    const tc_ptx_symbol *y = symbol_at(run, TC_PS_LOCAL, address);
    if (y == NULL) {
        return tc_format(run->arena, "local memory byte %llu",
                         (unsigned long long)address);
    }
    uint64_t at = address - y->offset;
    return at == 0 ? tc_symbol_name(run, y)
                   : tc_format(run->arena, "%s+%llu", tc_symbol_name(run, y),
                               (unsigned long long)at);
}

const char *tc_address_name(tc_session *s, tc_ptx_space space,
                            uint64_t address) {
    if (s->program.run == NULL) {
        return "?";
    }
    switch (space) {
    case TC_PS_SHARED:
        return shared_name(s, address);
    case TC_PS_GLOBAL:
    case TC_PS_GENERIC:
        return global_name(s, address);
    case TC_PS_LOCAL:
        return local_name(s->program.run, address);
    case TC_PS_TENSOR: /* sim/async/tmem.h */
        return tc_format(s->program.run->arena,
                         "lane %llu, column %llu of tensor memory",
                         (unsigned long long)(address / 2048),
                         (unsigned long long)(address % 2048 / 4));
    case TC_PS_REG:
        return "a register";
    default:
        return tc_format(s->program.run->arena, "byte %llu",
                         (unsigned long long)address);
    }
}
