/* stream_shadow.c - the bytes' states: pages in a table, lines of 128 bytes that
 * have one state, or one for each byte. */
#include "runtime/order/stream_shadow.h"
#include "base/arena.h"
#include <stdlib.h>

enum { LINE = 128, PAGE = 4096, LINES = PAGE / LINE, FIRST = 64 };

typedef struct shadow_page {
    uint64_t number;
    uint32_t state[LINES];
    uint32_t *byte[LINES]; /* LINE of them, or NULL: state is all bytes' */
} shadow_page;

struct tc_stream_shadow {
    shadow_page **table; /* open addressing; a power of two */
    uint64_t size, used;
};

static shadow_page **place(shadow_page **table, uint64_t size,
                           uint64_t number) {
    uint64_t i = number * UINT64_C(0x9E3779B97F4A7C15) >> 20;
    while (table[i & (size - 1)] && table[i & (size - 1)]->number != number) {
        i++;
    }
    return &table[i & (size - 1)];
}

tc_stream_shadow *tc_stream_shadow_new(void) {
    tc_stream_shadow *s = tc_xcalloc(1, sizeof *s);
    s->size = FIRST;
    s->table = tc_xcalloc(s->size, sizeof *s->table);
    return s;
}

void tc_stream_shadow_free(tc_stream_shadow *s) {
    for (uint64_t i = 0; s && i < s->size; i++) {
        for (int j = 0; s->table[i] && j < LINES; j++) {
            free(s->table[i]->byte[j]);
        }
        free(s->table[i]);
    }
    if (s) {
        free(s->table);
        free(s);
    }
}

static void grow(tc_stream_shadow *s) {
    uint64_t size = s->size * 2;
    shadow_page **table = tc_xcalloc(size, sizeof *table);
    for (uint64_t i = 0; i < s->size; i++) {
        if (s->table[i]) {
            *place(table, size, s->table[i]->number) = s->table[i];
        }
    }
    free(s->table);
    s->table = table;
    s->size = size;
}

static shadow_page *page_of(tc_stream_shadow *s, uint64_t number) {
    shadow_page **at = place(s->table, s->size, number);
    if (!*at) {
        if (s->used * 2 >= s->size) {
            grow(s);
            at = place(s->table, s->size, number);
        }
        *at = tc_xcalloc(1, sizeof **at);
        (*at)->number = number;
        s->used++;
    }
    return *at;
}

static void split(shadow_page *p, uint64_t line) {
    p->byte[line] = tc_xmalloc(LINE * sizeof *p->byte[line]);
    for (int i = 0; i < LINE; i++) {
        p->byte[line][i] = p->state[line];
    }
}

void tc_stream_shadow_apply(
    tc_stream_shadow *s, uint64_t address, uint64_t bytes,
    uint32_t (*next)(void *user, uint32_t state, uint64_t at), void *user) {
    for (uint64_t n; bytes; address += n, bytes -= n) {
        shadow_page *p = page_of(s, address / PAGE);
        uint64_t line = address % PAGE / LINE, from = address % LINE;
        n = LINE - from < bytes ? LINE - from : bytes;
        if (n == LINE && !p->byte[line]) {
            p->state[line] = next(user, p->state[line], address);
            continue;
        }
        if (!p->byte[line]) {
            split(p, line);
        }
        uint32_t old = 0, new = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint32_t *b = &p->byte[line][from + i];
            if (i == 0 || *b != old) {
                old = *b;
                new = next(user, old, address + i);
            }
            *b = new;
        }
    }
}

uint32_t tc_stream_shadow_at(const tc_stream_shadow *s, uint64_t address) {
    const shadow_page *p = *place(s->table, s->size, address / PAGE);
    uint64_t line = address % PAGE / LINE;
    return !p              ? 0
           : p->byte[line] ? p->byte[line][address % LINE]
                           : p->state[line];
}
