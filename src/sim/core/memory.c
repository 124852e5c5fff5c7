/* memory.c - device memory: allocations, by address. */
#include "sim/core/address.h"
#include "sim/core/run.h"
#include <stdlib.h>
#include <string.h>

/* Device addresses: high, like a driver's; apart by guard space. */
#define DEVICE_BASE UINT64_C(0x00007F0000000000)
#define DEVICE_SIZE (UINT64_C(1) << 37)
#define GUARD       UINT64_C(65536)

uint64_t tc_sim_base(const tc_sim *s) {
    return s->options.base ? s->options.base : DEVICE_BASE;
}

int tc_sim_index(const tc_sim *s, uint64_t address) {
    int lo = 0, hi = s->nallocs;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        const tc_sim_allocation *a = s->allocs[mid];
        if (a->address + a->size <= address && a->address != address) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

tc_sim_allocation *tc_sim_find(const tc_sim *s, uint64_t address) {
    int i = tc_sim_index(s, address);
    tc_sim_allocation *a = i < s->nallocs ? s->allocs[i] : NULL;
    return a && address >= a->address ? a : NULL;
}

tc_sim_allocation *tc_sim_insert(tc_sim *s, tc_sim_allocation a) {
    int i = tc_sim_index(s, a.address);
    if (a.address + a.size < a.address ||
        (i < s->nallocs && (s->allocs[i]->address == a.address ||
                            s->allocs[i]->address < a.address + a.size))) {
        return NULL;
    }
    tc_sim_allocation *copy = tc_xmalloc(sizeof *copy);
    *copy = a;
    copy->name = tc_xstrdup(a.name ? a.name : "");
    TC_PUSH(s->home, s->allocs, s->nallocs, s->callocs, copy);
    memmove(&s->allocs[i + 1], &s->allocs[i],
            (size_t)(s->nallocs - 1 - i) * sizeof *s->allocs);
    return s->allocs[i] = copy;
}

tc_sim_allocation *tc_sim_own(tc_sim *s, uint64_t address, uint64_t size,
                              const char *name) {
    tc_sim_allocation a = {.address = address, .size = size, .name = name};
    a.bytes = calloc(size ? size : 1, 1);
    tc_sim_allocation *made = a.bytes ? tc_sim_insert(s, a) : NULL;
    if (!made) {
        free(a.bytes);
    }
    return made;
}

uint64_t tc_sim_take(tc_sim *s, uint64_t size, uint64_t align) {
    uint64_t at = (s->next_address + align - 1) / align * align;
    uint64_t left = tc_sim_base(s) + DEVICE_SIZE - at;
    if (size >= left || left - size < 2 * GUARD) {
        return 0;
    }
    s->next_address = at + ((size + GUARD + 255) & ~UINT64_C(255));
    return at;
}

tc_sim_allocation *tc_sim_alloc(tc_sim *s, uint64_t size, const char *name) {
    uint64_t before = s->next_address, at = tc_sim_take(s, size, 256);
    tc_sim_allocation *a = at ? tc_sim_own(s, at, size, name) : NULL;
    if (!a) {
        s->next_address = before;
    }
    return a;
}

tc_sim_allocation *tc_allocation_find(tc_run *r, uint64_t address) {
    tc_sim_allocation *a = r->recent;
    if (a && address - a->address < a->size) {
        return a;
    }
    int lo = 0, hi = r->sim->nallocs;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        a = r->sim->allocs[mid];
        if (address < a->address) {
            hi = mid;
        } else if (address - a->address >= a->size) {
            lo = mid + 1;
        } else {
            r->recent = a;
            return a;
        }
    }
    return NULL;
}
