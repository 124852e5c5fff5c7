/* pages.h - memory of the GPU at addresses that we choose (CUDA Driver API,
 * virtual memory management).
 *
 * A range of addresses is reserved once. What is allocated in it is given
 * physical memory by whole pages (2 MiB on every GPU so far); allocations that
 * lie on one page share it. */
#ifndef TC_GPU_PAGES_H
#define TC_GPU_PAGES_H

#include "gpu/context.h"

/* Physical memory, mapped: whole pages. */
typedef struct tc_gpu_piece {
    uint64_t address, bytes;
    unsigned long long handle;
    uint32_t users; /* allocations that lie on it */
} tc_gpu_piece;

typedef struct tc_gpu_pages {
    tc_driver *driver;
    uint64_t base, bytes; /* the range */
    uint64_t page;
    tc_gpu_piece *pieces; /* by address */
    int npieces, cpieces;
} tc_gpu_pages;

/* Reserves bytes at the address wanted, or where the driver will, or fewer.
 * False with why; p is then empty, and tc_gpu_pages_close does nothing. */
bool tc_gpu_pages_open(tc_gpu_pages *p, tc_driver *g, uint64_t wanted,
                       uint64_t bytes, tc_gpu_complaint c);
/* Unmaps all. */
void tc_gpu_pages_close(tc_gpu_pages *p);

/* Gives [address, address + bytes), in the range, memory. CUDA's error. */
tc_cu_result tc_gpu_pages_use(tc_gpu_pages *p, uint64_t address,
                              uint64_t bytes);
/* Of the same extent as a use that succeeded. */
void tc_gpu_pages_drop(tc_gpu_pages *p, uint64_t address, uint64_t bytes);

#endif
