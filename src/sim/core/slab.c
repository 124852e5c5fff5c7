/* slab.c - storage of the warps of a large grid, on large pages: the warps of
 * all SMs are more than the host's caches and its table of pages hold. */
#include "sim/core/slab.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20, MOST_KEPT = 32 << 20 };

typedef struct tc_slab_chunk {
    struct tc_slab_chunk *next;
    uint8_t *bytes;
    size_t size;
} tc_slab_chunk;

struct tc_slab {
    tc_slab_chunk *chunks, *kept; /* in use: the first has room; to be reused */
    size_t left;                  /* of the first chunk, from its end */
};

static tc_slab_chunk *new_chunk(size_t bytes) {
    tc_slab_chunk *c = tc_xcalloc(1, sizeof *c);
    c->size = (bytes + PAGE - 1) / PAGE * PAGE;
    c->bytes = tc_xalign(PAGE, c->size);
#ifdef MADV_HUGEPAGE
    (void)madvise(c->bytes, c->size, MADV_HUGEPAGE); /* as it pleases */
#endif
    return c;
}

static void free_chunks(tc_slab_chunk *c) {
    while (c) {
        tc_slab_chunk *next = c->next;
        free(c->bytes);
        free(c);
        c = next;
    }
}

tc_slab *tc_slab_new(void) {
    return tc_xcalloc(1, sizeof(tc_slab));
}

void *tc_slab_take(tc_slab *s, size_t bytes) {
    bytes = (bytes + 63) & ~(size_t)63;
    if (bytes > s->left) {
        tc_slab_chunk *c = s->kept;
        if (c && c->size >= bytes) {
            s->kept = c->next;
        } else {
            c = new_chunk(bytes);
        }
        c->next = s->chunks;
        s->chunks = c;
        s->left = c->size;
    }
    s->left -= bytes;
    return s->chunks->bytes + s->left;
}

void tc_slab_rewind(tc_slab *s) {
    size_t kept = 0;
    while (s->chunks) {
        tc_slab_chunk *c = s->chunks;
        s->chunks = c->next;
        c->next = s->kept;
        s->kept = c;
    }
    for (tc_slab_chunk **c = &s->kept; *c; c = &(*c)->next) {
        kept += (*c)->size;
        if (kept > MOST_KEPT) {
            free_chunks(*c);
            *c = NULL;
            break;
        }
    }
    s->left = 0;
}

void tc_slab_free(tc_slab *s) {
    if (s) {
        free_chunks(s->chunks);
        free_chunks(s->kept);
        free(s);
    }
}

/* ---- zeros ---- */

enum { OWN_PAGES = 1 << 18 }; /* bytes from which on a piece is mapped */

void *tc_zeros_new(size_t bytes) {
    if (bytes < OWN_PAGES) {
        return bytes ? tc_xcalloc(bytes, 1) : NULL;
    }
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        tc_xmalloc(SIZE_MAX); /* says that there is no memory */
    }
    return p;
}

void tc_zeros_again(void *p, size_t bytes) {
    if (p && (bytes < OWN_PAGES || madvise(p, bytes, MADV_DONTNEED) != 0)) {
        memset(p, 0, bytes);
    }
}

void tc_zeros_free(void *p, size_t bytes) {
    if (bytes < OWN_PAGES) {
        free(p);
    } else {
        munmap(p, bytes);
    }
}
