/* pages.c - reserving, mapping, and who uses which piece. */
#include "gpu/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_RANGE_SHIFT = 36 }; /* 64 GiB of addresses: or there is no use */

static tc_cu_memory what(const tc_driver *g) {
    return (tc_cu_memory){.type = 1, .location = {1, g->device}};
}

static bool has_functions(const tc_driver *g, tc_gpu_complaint c) {
    const tc_cu *cu = &g->cu;
    int has = 0;
    if (cu->reserve == NULL || cu->unreserve == NULL ||
        cu->granularity == NULL || cu->create == NULL || cu->release == NULL ||
        cu->map == NULL || cu->unmap == NULL || cu->set_access == NULL) {
        snprintf(c.why, c.size,
                 "the NVIDIA driver is too old: it has no virtual memory "
                 "management (CUDA 10.2)");
        return false;
    }
    cu->device_attribute(&has, TC_CU_VIRTUAL_MEMORY, g->device);
    if (!has) {
        snprintf(c.why, c.size,
                 "%s has no virtual memory management, which CUDA programs "
                 "need here",
                 g->info.name);
    }
    return has != 0;
}

bool tc_gpu_pages_open(tc_gpu_pages *p, tc_driver *g, uint64_t wanted,
                       uint64_t bytes, tc_gpu_complaint c) {
    const tc_cu *cu = &g->cu;
    const char *doing = "preparing the GPU's memory";
    tc_cu_memory m = what(g);
    size_t page = 0;
    memset(p, 0, sizeof *p);
    if (!has_functions(g, c) ||
        !tc_driver_check(cu, cu->granularity(&page, &m, 0),
                         "cuMemGetAllocationGranularity", doing, c)) {
        return false;
    }
    if (page == 0 || (page & (page - 1)) != 0) {
        snprintf(c.why, c.size, "%s: the GPU's pages of %zu bytes are odd",
                 doing, page);
        return false;
    }
    tc_cu_result r = TC_CU_OUT_OF_MEMORY;
    tc_cu_address at = 0;
    while (r != TC_CU_SUCCESS && bytes >> LEAST_RANGE_SHIFT != 0) {
        r = cu->reserve(&at, bytes, page, wanted, 0);
        bytes = r == TC_CU_SUCCESS ? bytes : bytes / 2;
    }
    if (!tc_driver_check(cu, r, "cuMemAddressReserve", doing, c)) {
        return false;
    }
    *p = (tc_gpu_pages){.driver = g, .base = at, .bytes = bytes, .page = page};
    return true;
}

static void unmap(tc_gpu_pages *p, const tc_gpu_piece *q) {
    const tc_cu *cu = &p->driver->cu;
    cu->unmap(q->address, q->bytes);
    cu->release(q->handle);
}

void tc_gpu_pages_close(tc_gpu_pages *p) {
    if (p->driver != NULL) {
        for (int i = 0; i < p->npieces; i++) {
            unmap(p, &p->pieces[i]);
        }
        p->driver->cu.unreserve(p->base, p->bytes);
    }
    free(p->pieces);
    memset(p, 0, sizeof *p);
}

/* The first piece that ends behind an address. */
static int piece_at(const tc_gpu_pages *p, uint64_t address) {
    int lo = 0, hi = p->npieces;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        const tc_gpu_piece *q = &p->pieces[mid];
        if (q->address + q->bytes > address) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return lo;
}

static void insert(tc_gpu_pages *p, int i, tc_gpu_piece q) {
    if (p->npieces == p->cpieces) {
        p->cpieces = p->cpieces ? p->cpieces * 2 : 16;
        p->pieces =
            tc_xrealloc(p->pieces, (size_t)p->cpieces * sizeof *p->pieces);
    }
    memmove(&p->pieces[i + 1], &p->pieces[i],
            (size_t)(p->npieces - i) * sizeof *p->pieces);
    p->pieces[i] = q;
    p->npieces++;
}

static void erase(tc_gpu_pages *p, int i) {
    p->npieces--;
    memmove(&p->pieces[i], &p->pieces[i + 1],
            (size_t)(p->npieces - i) * sizeof *p->pieces);
}

/* New physical memory for [address, address + bytes): whole pages. */
static tc_cu_result map(tc_gpu_pages *p, int i, uint64_t address,
                        uint64_t bytes) {
    const tc_cu *cu = &p->driver->cu;
    tc_cu_memory m = what(p->driver);
    tc_gpu_piece q = {.address = address, .bytes = bytes};
    tc_cu_access access = {m.location, 3};
    tc_cu_result r = cu->create(&q.handle, bytes, &m, 0);
    if (r != TC_CU_SUCCESS) {
        return r;
    }
    r = cu->map(address, bytes, 0, q.handle, 0);
    if (r != TC_CU_SUCCESS) {
        cu->release(q.handle);
        return r;
    }
    r = cu->set_access(address, bytes, &access, 1);
    if (r != TC_CU_SUCCESS) {
        unmap(p, &q);
        return r;
    }
    insert(p, i, q);
    return r;
}

/* Where a new piece ends that begins at from: at the next piece, or with the
 * part of the allocation that others cannot share. The first and the last page,
 * if they are not the allocation's alone, are pieces of their own, so that the
 * memory between them goes when the allocation does. */
static uint64_t piece_end(const tc_gpu_pages *p, int i, uint64_t from,
                          uint64_t first, uint64_t last) {
    uint64_t whole_from = (first + p->page - 1) / p->page * p->page;
    uint64_t whole_to = last / p->page * p->page;
    uint64_t to =
        from < whole_from || from >= whole_to ? from + p->page : whole_to;
    bool next = i < p->npieces && p->pieces[i].address < to;
    return next ? p->pieces[i].address : to;
}

tc_cu_result tc_gpu_pages_use(tc_gpu_pages *p, uint64_t address,
                              uint64_t bytes) {
    uint64_t last = address + (bytes ? bytes : 1);
    if (address < p->base || last < address || last > p->base + p->bytes) {
        return TC_CU_OUT_OF_MEMORY;
    }
    uint64_t at = address / p->page * p->page;
    int i = piece_at(p, at);
    while (at < last) {
        if (i == p->npieces || p->pieces[i].address > at) {
            uint64_t end = piece_end(p, i, at, address, last);
            tc_cu_result r = map(p, i, at, end - at);
            if (r != TC_CU_SUCCESS) {
                if (at > address) {
                    tc_gpu_pages_drop(p, address, at - address);
                }
                return r;
            }
        }
        p->pieces[i].users++;
        at = p->pieces[i].address + p->pieces[i].bytes;
        i++;
    }
    return TC_CU_SUCCESS;
}

void tc_gpu_pages_drop(tc_gpu_pages *p, uint64_t address, uint64_t bytes) {
    uint64_t last = address + (bytes ? bytes : 1);
    int i = piece_at(p, address);
    while (i < p->npieces && p->pieces[i].address < last) {
        if (--p->pieces[i].users > 0) {
            i++;
            continue;
        }
        unmap(p, &p->pieces[i]);
        erase(p, i);
    }
}
