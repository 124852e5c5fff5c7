/* state_memory.c - what a name stands for at a cycle: a register, or bytes. */
#include "load/load.h"
#include "run/state.h"

#include <stdlib.h>
#include <string.h>

const tc_state_warp *tc_state_the_warp(const tc_state_view *l) {
    return l->cta == NULL ? NULL
                          : &l->cta->warps[l->q->warp < 0 ? 0 : l->q->warp];
}

const tc_ptx_reg *tc_state_find_reg(const tc_state_view *l, const char *name) {
    const tc_state_warp *w = tc_state_the_warp(l);
    for (int i = 0; w != NULL && i < w->func->nregs; i++) {
        const tc_ptx_reg *r = &w->func->regs[i];
        if (r->len == strlen(name) && memcmp(r->name, name, r->len) == 0) {
            return r;
        }
    }
    return NULL;
}

/* ---- shared memory ---- */

static bool in_shared(const tc_state_view *l, uint64_t offset, uint64_t n,
                      tc_state_memory *out) {
    const tc_state_cta *c = l->cta;
    if (c == NULL || offset > c->nshared) {
        return false;
    }
    uint64_t most = c->nshared - offset;
    *out = (tc_state_memory){c->shared + offset, n < most ? n : most, TC_VOID};
    return true;
}

/* What TVMScript or CUDA says of a symbol's elements. */
static tc_dtype type_of_symbol(const tc_state_view *l, const char *name) {
    const tc_emitted *e = l->run->shared;
    for (int i = 0; e != NULL && i < e->nsymbols; i++) {
        const tc_symbol *y = &e->symbols[i];
        if (y->bytes == 0 && strcmp(y->name, name) == 0) {
            return y->buffer->type;
        }
    }
    return tc_cuda_type(l->run, tc_cuda_name(l->run->arena, name));
}

/* A variable of the kernel, or of its module; a dynamic array is all that is
 * behind the others. */
static bool shared_symbol(const tc_state_view *l, const char *name,
                          tc_state_memory *out) {
    const tc_ptx_module *m = l->run->module;
    const tc_ptx_func *f = tc_ptx_find_entry(m, l->run->entry);
    for (int i = 0; f != NULL && i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i], *first;
        bool mine = y->func < 0 || y->func == (int)(f - m->funcs);
        if (y->space == TC_PS_SHARED && mine &&
            (strcmp(y->name, name) == 0 ||
             strcmp(tc_cuda_name(l->run->arena, y->name), name) == 0)) {
            bool found = y->is_extern
                             ? in_shared(l, tc_dynamic_begin(l->run, &first),
                                         l->run->dynamic_shared, out)
                             : in_shared(l, y->offset, y->size, out);
            out->type = type_of_symbol(l, y->name);
            return found;
        }
    }
    return false;
}

/* A buffer of TVMScript's, in the pool. */
static bool pool_buffer(const tc_state_view *l, const char *name,
                        tc_state_memory *out) {
    const tc_emitted *e = l->run->shared;
    const tc_ptx_symbol *first;
    uint64_t begin = tc_dynamic_begin(l->run, &first);
    for (int i = 0; e != NULL && first != NULL && i < e->nsymbols; i++) {
        const tc_symbol *y = &e->symbols[i];
        if (y->bytes > 0 && strcmp(y->buffer->name, name) == 0) {
            bool found = in_shared(l, begin + (uint64_t)y->offset,
                                   (uint64_t)y->bytes, out);
            out->type = y->buffer->type;
            return found;
        }
    }
    return false;
}

/* ---- of a thread, and everybody's ---- */

static bool of_lane(const tc_state_view *l, const char *name,
                    tc_state_memory *out) {
    const tc_state_cta *c = l->cta;
    uint64_t lane = l->q->lane < 0 ? 0 : (uint64_t)l->q->lane;
    uint64_t warp = l->q->warp < 0 ? 0 : (uint64_t)l->q->warp;
    if (c != NULL && c->local != NULL && strcmp(name, "local") == 0) {
        *out = (tc_state_memory){c->local + (warp * 32 + lane) * c->nlocal,
                                 c->nlocal, TC_VOID};
        return true;
    }
    if (c != NULL && c->tensor != NULL && strcmp(name, "tensor") == 0) {
        uint64_t row = (warp % 4 * 32 + lane) * TC_STATE_COLUMNS;
        *out = (tc_state_memory){(const uint8_t *)(c->tensor + row),
                                 TC_STATE_COLUMNS * sizeof *c->tensor, TC_VOID};
        return true;
    }
    return strcmp(name, "shared") == 0 && in_shared(l, 0, UINT64_MAX, out);
}

static bool allocated(const tc_state_view *l, uint64_t address, uint64_t n,
                      tc_state_memory *out) {
    const tc_sim_allocation *a = tc_sim_find(l->sim, address);
    if (a == NULL || n > a->size - (address - a->address)) {
        return false;
    }
    *out = (tc_state_memory){a->bytes + (address - a->address), n, TC_VOID};
    return true;
}

static bool everybodys(const tc_state_view *l, const char *name,
                       tc_state_memory *out) {
    const tc_ptx_module *m = l->run->module;
    for (int i = 0; i < l->run->nbuffers; i++) {
        const tc_run_buffer *b = &l->run->buffers[i];
        if (strcmp(b->buffer->name, name) == 0) {
            bool found = allocated(l, b->address, b->bytes, out);
            out->type = b->buffer->type;
            return found;
        }
    }
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if ((y->space == TC_PS_GLOBAL || y->space == TC_PS_CONST) &&
            (strcmp(y->name, name) == 0 ||
             strcmp(tc_cuda_name(l->run->arena, y->name), name) == 0)) {
            uint64_t at = tc_sim_symbol(l->sim, y);
            return at != 0 && allocated(l, at, y->size, out);
        }
    }
    return false;
}

bool tc_state_find(const tc_state_view *l, const char *name,
                   tc_state_memory *out) {
    const char *plus = strchr(name, '+');
    uint64_t from = 0;
    if (plus != NULL) {
        char *end;
        from = strtoull(plus + 1, &end, 10);
        if (plus[1] < '0' || plus[1] > '9' || *end != '\0') {
            return false;
        }
        name = tc_strndup(l->run->arena, name, (size_t)(plus - name));
    }
    if (!shared_symbol(l, name, out) && !pool_buffer(l, name, out) &&
        !everybodys(l, name, out) && !of_lane(l, name, out)) {
        return false;
    }
    if (from > out->n) {
        return false;
    }
    out->at += from;
    out->n -= from;
    return true;
}
