/* heap.c - malloc and free of a kernel (CUDA C++ Programming Guide, "Dynamic
 * Global Memory Allocation"): 8 MiB, CUDA's default, kept from launch to
 * launch. */
#include "sim/core/address.h"
#include "sim/isa/call.h"
#include "sim/isa/isa.h"
#include <string.h>

#define HEAP_BYTES (UINT64_C(8) << 20)

typedef struct tc_heap_block { /* sorted by begin */
    uint64_t begin, end;
} tc_heap_block;

void tc_heap_init(tc_sim *s) {
    for (int i = 0; i < s->module->nfuncs && !s->heap; i++) {
        if (s->module->funcs[i].builtin == TC_PB_MALLOC) {
            s->heap = tc_sim_alloc(s, HEAP_BYTES, "malloc's heap");
        }
    }
}

const tc_sim_allocation *tc_sim_heap(const tc_sim *s) {
    return s->heap;
}

/* First fit; 0 when there is no place. */
uint64_t tc_heap_take(tc_sim *s, uint64_t size) {
    uint64_t at = 0, need = tc_align16(size);
    int i = 0;
    if (!s->heap || size == 0 || size > HEAP_BYTES) {
        return 0;
    }
    for (; i < s->nblocks && s->blocks[i].begin - at < need; i++) {
        at = s->blocks[i].end;
    }
    if (HEAP_BYTES - at < need) {
        return 0;
    }
    tc_heap_block b = {at, at + need};
    TC_PUSH(s->home, s->blocks, s->nblocks, s->cblocks, b);
    memmove(&s->blocks[i + 1], &s->blocks[i],
            (size_t)(s->nblocks - 1 - i) * sizeof b);
    s->blocks[i] = b;
    return s->heap->address + at;
}

bool tc_heap_give(tc_sim *s, uint64_t address) {
    if (address == 0) {
        return true;
    }
    for (int i = 0; s->heap && i < s->nblocks; i++) {
        if (s->heap->address + s->blocks[i].begin == address) {
            s->nblocks--;
            memmove(&s->blocks[i], &s->blocks[i + 1],
                    (size_t)(s->nblocks - i) * sizeof *s->blocks);
            return true;
        }
    }
    return false;
}
