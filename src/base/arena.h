/* arena.h - memory for one unit of work (a statement, a run), freed whole. */
#ifndef TC_BASE_ARENA_H
#define TC_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct tc_arena tc_arena;

/* What exhausted memory does: fn, which does not return, from whichever thread
 * asked. Without one the process ends by abort(3). */
void tc_on_out_of_memory(void (*fn)(void));

tc_arena *tc_arena_new(void);
void tc_arena_free(tc_arena *a); /* NULL is allowed */

/* Everything in it is gone; up to half a megabyte of its memory is kept for
 * what comes next, as fresh pages are dear. */
void tc_arena_reset(tc_arena *a);

/* size zeroed bytes, aligned for any type; lives as long as the arena. Never
 * NULL: exhausted memory ends the process, as for tc_xmalloc. */
void *tc_alloc(tc_arena *a, size_t size);

/* Bytes that the arena has had of the system. */
size_t tc_arena_bytes(const tc_arena *a);

/* n zeroed objects of type, as type *. */
#define TC_NEW(arena, type) ((type *)tc_alloc((arena), sizeof(type)))
#define TC_NEWN(arena, type, n)                                                \
    ((type *)tc_alloc((arena), sizeof(type) * (size_t)(n)))

char *tc_strdup(tc_arena *a, const char *s);
char *tc_strndup(tc_arena *a, const char *s, size_t len);
char *tc_format(tc_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
char *tc_vformat(tc_arena *a, const char *fmt, va_list ap);

/* A growing array in an arena: doubles `items` so that index `n` exists. The
 * old storage stays in the arena until that is freed.
 *     TC_PUSH(arena, list.items, list.n, list.cap, value); */
#define TC_PUSH(arena, items, n, cap, value)                                   \
    do {                                                                       \
        if ((n) == (cap)) {                                                    \
            (items) = tc_grow((arena), (items), sizeof *(items), (n), &(cap)); \
        }                                                                      \
        (items)[(n)++] = (value);                                              \
    } while (0)
void *tc_grow(tc_arena *a, const void *items, size_t size, int n, int *cap);

/* malloc family that never returns NULL; what else gave memory or NULL. */
void *tc_xhave(void *p);
void *tc_xmalloc(size_t size);
void *tc_xcalloc(size_t n, size_t size);
void *tc_xrows(size_t n, size_t size);    /* the same, 64-byte aligned */
void *tc_xalign(size_t to, size_t bytes); /* multiples of a power of two */
void *tc_xrealloc(void *p, size_t size);
char *tc_xstrdup(const char *s);

#endif
