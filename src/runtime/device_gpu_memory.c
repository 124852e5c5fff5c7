/* device_gpu_memory.c - a GPU's memory as the program addresses it. What the
 * program shares (managed and host memory) is the program's pages between
 * launches, and a copy of them on the GPU while a kernel runs. */
#include "runtime/device_gpu.h"

#include <stdlib.h>
#include <string.h>

/* --- which memory ---------------------------------------------------------*/

/* The first memory behind an address. */
static int memory_behind(const tc_gpu_side *g, uint64_t address) {
    int lo = 0, hi = g->nmemory;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (g->memory[mid].m.address > address) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return lo;
}

tc_gpu_memory *tc_gpu_side_find(tc_gpu_side *g, uint64_t address) {
    int i = memory_behind(g, address) - 1;
    if (i < 0) {
        return NULL;
    }
    tc_gpu_memory *x = &g->memory[i];
    uint64_t size = x->m.bytes ? x->m.bytes : 1;
    return address - x->m.address < size ? x : NULL;
}

void tc_gpu_side_add(tc_gpu_side *g, const tc_device_memory *m, bool symbol) {
    int i = memory_behind(g, m->address);
    if (g->nmemory == g->cmemory) {
        g->cmemory = g->cmemory ? g->cmemory * 2 : 16;
        g->memory =
            tc_xrealloc(g->memory, (size_t)g->cmemory * sizeof *g->memory);
    }
    memmove(&g->memory[i + 1], &g->memory[i],
            (size_t)(g->nmemory - i) * sizeof *g->memory);
    g->memory[i] = (tc_gpu_memory){*m, symbol};
    g->nmemory++;
}

/* The program's pages at an address, or NULL: the GPU's. */
static uint8_t *shared_at(tc_gpu_side *g, uint64_t address) {
    const tc_gpu_memory *x = tc_gpu_side_find(g, address);
    return x != NULL && x->m.shared != NULL
               ? x->m.shared + (address - x->m.address)
               : NULL;
}

bool tc_gpu_alloc(tc_device *d, const tc_device_memory *m) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    tc_gpu_memory *x = tc_gpu_side_find(g, m->address);
    if (x != NULL) {
        if (!x->symbol || x->m.address != m->address) {
            return false;
        }
        x->m.shared = m->shared;
        x->m.kind = m->kind;
        return m->shared == NULL ||
               tc_gpu_peek(g, m->shared, m->address,
                           m->bytes < x->m.bytes ? m->bytes : x->m.bytes);
    }
    if (!tc_gpu_side_check(g, tc_remote_use(g->gpu, m->address, m->bytes,
                                            tc_gpu_side_why(g)))) {
        return false;
    }
    tc_gpu_side_add(g, m, false);
    if (m->shared == NULL &&
        !tc_gpu_fill(g, m->address, TC_DEVICE_FRESH, m->bytes)) {
        tc_gpu_free(d, m->address);
        return false;
    }
    return true;
}

void tc_gpu_free(tc_device *d, uint64_t address) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    tc_gpu_memory *x = tc_gpu_side_find(g, address);
    if (x == NULL || x->m.address != address) {
        return;
    }
    if (x->symbol) {
        x->m.shared = NULL;
        return;
    }
    tc_remote_drop(g->gpu, address, x->m.bytes);
    int i = (int)(x - g->memory);
    g->nmemory--;
    memmove(x, x + 1, (size_t)(g->nmemory - i) * sizeof *x);
}

/* --- copies ---------------------------------------------------------------*/

bool tc_gpu_peek(tc_gpu_side *g, void *to, uint64_t from, uint64_t bytes) {
    return tc_gpu_side_check(
        g, tc_remote_get(g->gpu, to, from, bytes, tc_gpu_side_why(g)));
}

bool tc_gpu_poke(tc_gpu_side *g, uint64_t to, const void *from,
                 uint64_t bytes) {
    return tc_gpu_side_check(
        g, tc_remote_put(g->gpu, to, from, bytes, tc_gpu_side_why(g)));
}

bool tc_gpu_fill(tc_gpu_side *g, uint64_t to, int value, uint64_t bytes) {
    return bytes == 0 ||
           tc_gpu_side_check(g, tc_remote_fill(g->gpu, to, (uint8_t)value,
                                               bytes, tc_gpu_side_why(g)));
}

bool tc_gpu_write(tc_device *d, uint64_t to, const void *from, uint64_t bytes) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    uint8_t *p = shared_at(g, to);
    if (p != NULL) {
        memcpy(p, from, bytes);
        return true;
    }
    return tc_gpu_poke(g, to, from, bytes);
}

bool tc_gpu_read(tc_device *d, void *to, uint64_t from, uint64_t bytes) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    const uint8_t *p = shared_at(g, from);
    if (p != NULL) {
        memcpy(to, p, bytes);
        return true;
    }
    return tc_gpu_peek(g, to, from, bytes);
}

bool tc_gpu_move(tc_device *d, uint64_t to, uint64_t from, uint64_t bytes) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    uint8_t *p = shared_at(g, to);
    const uint8_t *q = shared_at(g, from);
    if (p != NULL && q != NULL) {
        memmove(p, q, bytes);
        return true;
    }
    if (p != NULL) {
        return tc_gpu_peek(g, p, from, bytes);
    }
    if (q != NULL) {
        return tc_gpu_poke(g, to, q, bytes);
    }
    return bytes == 0 ||
           tc_gpu_side_check(
               g, tc_remote_move(g->gpu, to, from, bytes, tc_gpu_side_why(g)));
}

bool tc_gpu_set(tc_device *d, uint64_t to, int value, uint64_t bytes) {
    tc_gpu_side *g = tc_gpu_side_of(d);
    uint8_t *p = shared_at(g, to);
    if (p != NULL) {
        memset(p, value, bytes);
        return true;
    }
    return tc_gpu_fill(g, to, value, bytes);
}

/* --- what the program shares ----------------------------------------------*/

bool tc_gpu_put_shared(tc_gpu_side *g) {
    bool ok = true;
    for (int i = 0; ok && i < g->nmemory; i++) {
        const tc_device_memory *m = &g->memory[i].m;
        ok = m->shared == NULL ||
             tc_gpu_poke(g, m->address, m->shared, m->bytes);
    }
    return ok;
}

bool tc_gpu_take_shared(tc_gpu_side *g) {
    bool ok = true;
    for (int i = 0; ok && i < g->nmemory; i++) {
        const tc_device_memory *m = &g->memory[i].m;
        ok = m->shared == NULL || !g->writes ||
             tc_gpu_peek(g, m->shared, m->address, m->bytes);
    }
    return ok;
}
