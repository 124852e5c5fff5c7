/* memory.c - the table of what is allocated, cudaMalloc and cudaFree. */
#include "runtime/stub/stub.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the table ----------------------------------------------------------- */

/* The first block that begins behind the address. */
static int behind(uint64_t address) {
    int from = 0, to = tc_stub.nblocks;
    while (from < to) {
        int middle = from + (to - from) / 2;
        if (tc_stub.blocks[middle].address > address) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return from;
}

tc_stub_block *tc_stub_block_at(uint64_t address) {
    int i = behind(address) - 1;
    tc_stub_block *b = i >= 0 ? &tc_stub.blocks[i] : NULL;
    return b != NULL && address - b->address < b->bytes ? b : NULL;
}

static void unfree(uint64_t address) {
    for (int i = 0; i < tc_stub.nfreed; i++) {
        if (tc_stub.freed[i] == address) {
            tc_stub.freed[i] = tc_stub.freed[--tc_stub.nfreed];
            return;
        }
    }
}

bool tc_stub_block_add(const tc_stub_block *b) {
    if (tc_stub.nblocks == tc_stub.blocks_cap) {
        int cap = tc_stub.blocks_cap * 2 + 64;
        void *more =
            realloc(tc_stub.blocks, (size_t)cap * sizeof *tc_stub.blocks);
        if (more == NULL) {
            return false;
        }
        tc_stub.blocks = more;
        tc_stub.blocks_cap = cap;
    }
    int i = behind(b->address);
    memmove(&tc_stub.blocks[i + 1], &tc_stub.blocks[i],
            (size_t)(tc_stub.nblocks - i) * sizeof *tc_stub.blocks);
    tc_stub.blocks[i] = *b;
    tc_stub.nblocks++;
    unfree(b->address);
    return true;
}

static void remove_block(tc_stub_block *b) {
    uint64_t address = b->address;
    tc_stub_block *end = tc_stub.blocks + tc_stub.nblocks--;
    memmove(b, b + 1, (size_t)(end - b - 1) * sizeof *b);
    if (tc_stub.nfreed == tc_stub.freed_cap) {
        int cap = tc_stub.freed_cap * 2 + 64;
        void *more =
            realloc(tc_stub.freed, (size_t)cap * sizeof *tc_stub.freed);
        if (more == NULL) {
            return;
        }
        tc_stub.freed = more;
        tc_stub.freed_cap = cap;
    }
    tc_stub.freed[tc_stub.nfreed++] = address;
}

static bool was_freed(uint64_t address) {
    for (int i = 0; i < tc_stub.nfreed; i++) {
        if (tc_stub.freed[i] == address) {
            return true;
        }
    }
    return false;
}

static bool in_range(uint64_t address) {
    return address - TC_RT_DEVICE_BASE < TC_RT_DEVICE_SIZE;
}

/* A GPU has its variables where it wants, and may have all memory elsewhere. */
bool tc_stub_is_device(const void *p) {
    uint64_t address = (uint64_t)(uintptr_t)p;
    return in_range(address) || tc_stub_block_at(address) != NULL;
}

/* A variable that the host has not named yet may be there: its address came
 * from a kernel. */
static const tc_stub_block *ask_block(uint64_t address) {
    tc_rt_alloc a = {.address = address};
    if (tc_stub_request(TC_RT_FIND, &a, sizeof a, &a, sizeof a) !=
        cudaSuccess) {
        return NULL;
    }
    tc_stub_block b = {.address = a.address,
                       .bytes = a.bytes,
                       .kind = TC_RT_DEVICE,
                       .symbol = true};
    return tc_stub_block_add(&b) ? tc_stub_block_at(address) : NULL;
}

const tc_stub_block *tc_stub_block_of(uint64_t address, uint64_t bytes) {
    const tc_stub_block *b = tc_stub_block_at(address);
    if (b == NULL && in_range(address)) {
        b = ask_block(address);
    }
    return b != NULL && bytes <= b->bytes - (address - b->address) ? b : NULL;
}

/* --- allocating ---------------------------------------------------------- */

/* Takes the block that the device gave into the table; false: no memory. */
static bool keep(const tc_rt_alloc *a, uint64_t bytes, uint32_t flags,
                 int descriptor) {
    tc_stub_block b = {.address = a->address,
                       .bytes = bytes,
                       .kind = (tc_rt_memory)a->kind,
                       .flags = flags};
    if (b.kind != TC_RT_DEVICE && !tc_stub_map(&b, descriptor)) {
        return false;
    }
    if (!tc_stub_block_add(&b)) {
        tc_stub_unmap(&b);
        return false;
    }
    return true;
}

/* Of 0 bytes: NULL, and no error, of every kind (as an H200 answers). */
cudaError_t tc_stub_alloc(void **out, uint64_t bytes, tc_rt_memory kind,
                          uint32_t flags) {
    cudaError_t e = out == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    *out = NULL;
    if (bytes == 0) {
        return cudaSuccess;
    }
    tc_rt_alloc q = {.bytes = bytes, .kind = (uint32_t)kind}, a = q;
    struct iovec to = {&q, sizeof q}, from = {&a, sizeof a};
    tc_stub_talk t = {
        .name = TC_RT_ALLOC, .out = &to, .nout = 1, .in = &from, .nin = 1};
    e = tc_stub_call(&t);
    if (e == cudaSuccess) {
        a.kind = q.kind;
        if (t.got >= sizeof a && keep(&a, bytes, flags, t.descriptor)) {
            *out = (void *)(uintptr_t)a.address;
            if (kind == TC_RT_HOST) {
                tc_stub_order_begin();
            }
        } else {
            e = cudaErrorMemoryAllocation;
        }
    }
    if (t.descriptor >= 0) {
        close(t.descriptor);
    }
    return e;
}

static cudaError_t bad_free(uint64_t address) {
    if (was_freed(address)) {
        tc_rt_note n = {.address = address};
        tc_stub_note(TC_RT_NOTE_DOUBLE_FREE, tc_stub_where(), &n, "");
        tc_stub_self.told = true;
    }
    const tc_stub_block *b = tc_stub_block_at(address);
    if (b == NULL) {
        tc_stub_because("no memory is at 0x%llx%s", (unsigned long long)address,
                        tc_stub_is_device((void *)(uintptr_t)address)
                            ? ""
                            : ", which is an address of the host");
    } else if (b->address != address) {
        tc_stub_because("the address is byte %llu of an allocation, not its "
                        "begin",
                        (unsigned long long)(address - b->address));
    } else {
        tc_stub_because(b->symbol ? "a variable's memory is never freed"
                                  : "page-locked memory of the host is freed "
                                    "by cudaFreeHost, other memory by "
                                    "cudaFree");
    }
    return cudaErrorInvalidValue;
}

/* cudaFree does not take cudaFreeHost's memory, nor the other way round. */
cudaError_t tc_stub_free(void *p, bool host, bool waits) {
    uint64_t address = (uint64_t)(uintptr_t)p;
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess || p == NULL) {
        return e;
    }
    tc_stub_block *b = tc_stub_block_at(address);
    if (b == NULL || b->address != address || b->symbol ||
        (b->kind == TC_RT_HOST) != host) {
        return bad_free(address);
    }
    e = waits ? tc_stub_wait_all() : cudaSuccess;
    if (waits) {
        tc_stub_order(TC_RT_ORDER_ALL, 0, 0);
    }
    tc_rt_alloc a = {
        .address = b->address, .bytes = b->bytes, .kind = (uint32_t)b->kind};
    cudaError_t freed = tc_stub_request(TC_RT_FREE, &a, sizeof a, NULL, 0);
    if (freed == cudaSuccess) {
        b = tc_stub_block_at(address);
        tc_stub_unmap(b);
        remove_block(b);
    }
    return e != cudaSuccess ? e : freed;
}

TC_API cudaError_t cudaMalloc(void **devPtr, size_t size) {
    TC_ENTER();
    return tc_stub_leave(tc_stub_alloc(devPtr, size, TC_RT_DEVICE, 0));
}

TC_API cudaError_t cudaFree(void *devPtr) {
    TC_ENTER();
    return tc_stub_leave(tc_stub_free(devPtr, false, true));
}

TC_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
    TC_ENTER();
    cudaError_t e = free_bytes == NULL || total == NULL ? cudaErrorInvalidValue
                                                        : tc_stub_ready();
    if (e == cudaSuccess) {
        uint64_t used = 0;
        for (int i = 0; i < tc_stub.nblocks; i++) {
            used += tc_stub.blocks[i].kind != TC_RT_HOST
                        ? tc_stub.blocks[i].bytes
                        : 0;
        }
        uint64_t left = tc_stub.device.memory_free;
        *total = tc_stub.device.memory;
        *free_bytes = left > used ? left - used : 0;
    }
    return tc_stub_leave(e);
}
