/* slab.c - storage of the warps of a large grid, on large pages: the warps of
 * all SMs are more than the host's caches and its table of pages hold. */
#include "sim/internal.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 2 << 20 };

typedef struct tc_slab_chunk {
    struct tc_slab_chunk *next;
    uint8_t *bytes;
} tc_slab_chunk;

struct tc_slab {
    tc_slab_chunk *chunks;
    size_t left; /* of the first chunk, from its end */
};

static void add_chunk(tc_slab *s, size_t bytes) {
    tc_slab_chunk *c = tc_xcalloc(1, sizeof *c);
    c->bytes = tc_xalign(PAGE, bytes);
#ifdef MADV_HUGEPAGE
    (void)madvise(c->bytes, bytes, MADV_HUGEPAGE); /* as it pleases */
#endif
    memset(c->bytes, 0, bytes);
    c->next = s->chunks;
    s->chunks = c;
    s->left = bytes;
}

tc_slab *tc_slab_new(void) {
    return tc_xcalloc(1, sizeof(tc_slab));
}

void *tc_slab_take(tc_slab *s, size_t bytes) {
    bytes = (bytes + 63) & ~(size_t)63;
    if (bytes > s->left) {
        add_chunk(s, (bytes + PAGE - 1) / PAGE * PAGE);
    }
    s->left -= bytes;
    return s->chunks->bytes + s->left;
}

void tc_slab_free(tc_slab *s) {
    while (s && s->chunks) {
        tc_slab_chunk *c = s->chunks;
        s->chunks = c->next;
        free(c->bytes);
        free(c);
    }
    free(s);
}
