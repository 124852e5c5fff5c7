/* memory.h - the device's addresses: what is allocated, and what was. */
#ifndef TC_RUNTIME_MEMORY_H
#define TC_RUNTIME_MEMORY_H

#include "runtime/device.h"

typedef struct tc_memory_block {
    tc_device_memory m;
    bool symbol;    /* of the module: never freed */
    uint8_t *pages; /* that it has made, or NULL: m.shared is on them, and so
                       may be other symbols' */
    size_t mapped;  /* bytes of these */
    uint64_t from;  /* a symbol's: the address of the first of them */
    int fd;         /* of these, or -1: a symbol keeps it */
} tc_memory_block;

void tc_block_drop(
    tc_memory_block *b); /* unmaps its pages, closes its descriptor */

typedef struct tc_freed {
    uint64_t address, bytes;
    tc_rt_memory kind;
    uint64_t made, freed; /* the calls */
} tc_freed;

typedef struct tc_memory tc_memory;

/* Addresses come from [first, first + bytes); device and managed memory
 * together are at most limit bytes, and so is the host's. */
tc_memory *tc_memory_new(uint64_t first, uint64_t bytes, uint64_t limit);
void tc_memory_free(tc_memory *m); /* NULL is allowed */

/* An address for so many bytes: pages of its own (TC_DEVICE_PAGE), one free
 * behind; not one that was freed a short while ago. 0: there is no place. */
uint64_t tc_memory_reserve(tc_memory *m, uint64_t bytes);
/* The same for at most TC_SMALL_BLOCK bytes that no page of another process is
 * to show: several on one page, so that a GPU need not give each of thousands
 * a page of its own. Behind it is nothing for as many bytes. */
enum { TC_SMALL_BLOCK = 32 << 10 };
uint64_t tc_memory_reserve_small(tc_memory *m);
/* The device has so many bytes more. */
void tc_memory_widen(tc_memory *m, uint64_t bytes);
/* Is so much more of a kind within the limit? */
bool tc_memory_fits(const tc_memory *m, tc_rt_memory kind, uint64_t bytes);
uint64_t tc_memory_used(const tc_memory *m); /* bytes, of all kinds */
/* Takes over b's pages and descriptor. False: it overlaps what is there. */
bool tc_memory_add(tc_memory *m, const tc_memory_block *b);
/* The block around an address, or NULL. Until the next add or remove. */
tc_memory_block *tc_memory_find(tc_memory *m, uint64_t address);
/* Are these bytes within one block? */
bool tc_memory_within(tc_memory *m, uint64_t address, uint64_t bytes);
/* Unmaps its pages and remembers that `where` freed it. */
void tc_memory_remove(tc_memory *m, uint64_t address, uint64_t where);
/* What lay around the address until it was freed, the last one; or NULL. */
const tc_freed *tc_memory_freed(const tc_memory *m, uint64_t address);
/* All of it by address, symbols too; until the next add or remove. */
const tc_device_memory *tc_memory_list(tc_memory *m, int *n);

/* Zeroed pages for bytes, mapped here, which the descriptor lets another
 * process map too. -1: there are none. */
int tc_pages_new(uint64_t bytes, uint8_t **pages, size_t *mapped);

#endif
