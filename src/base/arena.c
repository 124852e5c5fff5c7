/* arena.c - memory that is given back all at once. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks grow from FIRST to LARGEST; a larger request gets one of its own. */
enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, ALIGNMENT = 16 };
enum { MOST_KEPT = 1 << 19 }; /* bytes that a reset keeps */

typedef struct chunk {
    struct chunk *next;
    size_t size, used;
    _Alignas(ALIGNMENT) unsigned char bytes[];
} chunk;

struct tc_arena {
    chunk *chunks; /* newest first */
    chunk *spare;  /* kept by a reset */
    size_t next_size;
    size_t bytes; /* of the chunks since the last reset */
};

static void (*out_of_memory)(void);

void tc_on_out_of_memory(void (*fn)(void)) {
    out_of_memory = fn;
}

/* The library has no way to go on without memory, and no state worth saving
 * that the client does not hold. */
void *tc_xhave(void *p) {
    if (p == NULL) {
        if (out_of_memory != NULL) {
            out_of_memory();
        }
        abort();
    }
    return p;
}

void *tc_xmalloc(size_t size) {
    return tc_xhave(malloc(size ? size : 1));
}

void *tc_xcalloc(size_t n, size_t size) {
    return tc_xhave(calloc(n ? n : 1, size ? size : 1));
}

void *tc_xalign(size_t to, size_t bytes) {
    return tc_xhave(aligned_alloc(to, bytes));
}

void *tc_xrows(size_t n, size_t size) {
    size_t bytes = n <= SIZE_MAX / 2 / (size ? size : 1) ? n * size : SIZE_MAX;
    void *p = tc_xhave(bytes == SIZE_MAX
                           ? NULL
                           : aligned_alloc(64, (bytes + 64) & ~(size_t)63));
    return memset(p, 0, bytes);
}

void *tc_xrealloc(void *p, size_t size) {
    return tc_xhave(realloc(p, size ? size : 1));
}

char *tc_xstrdup(const char *s) {
    size_t n = strlen(s) + 1;
    return memcpy(tc_xmalloc(n), s, n);
}

tc_arena *tc_arena_new(void) {
    tc_arena *a = tc_xcalloc(1, sizeof *a);
    a->next_size = FIRST_CHUNK;
    return a;
}

static void free_chunks(chunk *c) {
    while (c != NULL) {
        chunk *next = c->next;
        free(c);
        c = next;
    }
}

void tc_arena_free(tc_arena *a) {
    if (a != NULL) {
        free_chunks(a->chunks);
        free_chunks(a->spare);
        free(a);
    }
}

void tc_arena_reset(tc_arena *a) {
    size_t kept = 0;
    chunk *unused = a->spare;
    a->spare = NULL;
    for (chunk *c = a->chunks; c != NULL || unused != NULL;) {
        if (c == NULL) { /* after the used ones, those not needed this time */
            c = unused;
            unused = NULL;
        }
        chunk *next = c->next;
        kept += c->size;
        if (kept > MOST_KEPT) {
            free(c);
        } else {
            c->next = a->spare;
            a->spare = c;
        }
        c = next;
    }
    a->chunks = NULL;
    a->next_size = FIRST_CHUNK;
    a->bytes = 0;
}

static chunk *take_spare(tc_arena *a, size_t at_least) {
    for (chunk **at = &a->spare; *at != NULL; at = &(*at)->next) {
        chunk *c = *at;
        if (c->size >= at_least) {
            *at = c->next;
            return c;
        }
    }
    return NULL;
}

static chunk *add_chunk(tc_arena *a, size_t at_least) {
    size_t size = a->next_size;
    if (size < at_least) {
        size = at_least;
    }
    if (a->next_size < LARGEST_CHUNK) {
        a->next_size *= 2;
    }
    chunk *c = take_spare(a, at_least);
    if (c == NULL) {
        c = tc_xmalloc(sizeof *c + size);
        c->size = size;
    }
    c->used = 0;
    c->next = a->chunks;
    a->chunks = c;
    a->bytes += c->size;
    return c;
}

size_t tc_arena_bytes(const tc_arena *a) {
    return a->bytes;
}

void *tc_alloc(tc_arena *a, size_t size) {
    if (size > SIZE_MAX / 2) {
        tc_xhave(NULL);
    }
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    chunk *c = a->chunks;
    if (c == NULL || c->size - c->used < size) {
        c = add_chunk(a, size);
    }
    void *p = c->bytes + c->used;
    c->used += size;
    return memset(p, 0, size);
}

char *tc_strndup(tc_arena *a, const char *s, size_t len) {
    char *p = tc_alloc(a, len + 1);
    if (len > 0) {
        memcpy(p, s, len);
    }
    return p;
}

char *tc_strdup(tc_arena *a, const char *s) {
    return tc_strndup(a, s, strlen(s));
}

char *tc_vformat(tc_arena *a, const char *fmt, va_list ap) {
    char first[256]; /* most texts fit, and are then formatted once */
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(first, sizeof first, fmt, ap);
    size_t size = n < 0 ? 1 : (size_t)n + 1;
    char *p = tc_alloc(a, size);
    if (size <= sizeof first) {
        memcpy(p, first, size - 1);
    } else {
        vsnprintf(p, size, fmt, again);
    }
    va_end(again);
    return p;
}

char *tc_format(tc_arena *a, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *p = tc_vformat(a, fmt, ap);
    va_end(ap);
    return p;
}

void *tc_grow(tc_arena *a, const void *items, size_t size, int n, int *cap) {
    int first = size > 64 ? 2 : 8; /* most lists of large things are short */
    int bigger = *cap ? *cap * 2 : first;
    void *p = tc_alloc(a, size * (size_t)bigger);
    if (n > 0) {
        memcpy(p, items, size * (size_t)n);
    }
    *cap = bigger;
    return p;
}
