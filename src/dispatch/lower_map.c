/* lower_map.c - what stands for what, and names that are not taken. */
#include "dispatch/lower.h"

#include <inttypes.h>
#include <string.h>

static size_t hash_pointer(const void *p) {
    uint64_t x = (uint64_t)(uintptr_t)p >> 4;
    return (size_t)(x * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

static tc_map_entry *slot_of(tc_map_entry *slots, size_t cap, const void *key) {
    size_t i = hash_pointer(key) & (cap - 1);
    while (slots[i].key != NULL && slots[i].key != key) {
        i = (i + 1) & (cap - 1);
    }
    return &slots[i];
}

tc_map_entry *tc_map_find(const tc_map *m, const void *key) {
    if (m->cap == 0) {
        return NULL;
    }
    tc_map_entry *e = slot_of(m->slots, m->cap, key);
    return e->key != NULL ? e : NULL;
}

tc_map_entry *tc_map_put(tc_arena *a, tc_map *m, const void *key, void *value) {
    if (2 * (m->n + 1) > m->cap) {
        size_t cap = m->cap > 0 ? 2 * m->cap : 32;
        tc_map_entry *slots = TC_NEWN(a, tc_map_entry, cap);
        for (size_t i = 0; i < m->cap; i++) {
            if (m->slots[i].key != NULL) {
                *slot_of(slots, cap, m->slots[i].key) = m->slots[i];
            }
        }
        m->slots = slots;
        m->cap = cap;
    }
    tc_map_entry *e = slot_of(m->slots, m->cap, key);
    m->n += e->key == NULL;
    *e = (tc_map_entry){key, value, NULL};
    return e;
}

/* --- names -----------------------------------------------------------------*/

static const char **name_slot(const char **slots, size_t cap,
                              const char *name) {
    uint64_t h = UINT64_C(1469598103934665603);
    for (const char *c = name; *c != '\0'; c++) {
        h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
    }
    size_t i = (size_t)h & (cap - 1);
    while (slots[i] != NULL && strcmp(slots[i], name) != 0) {
        i = (i + 1) & (cap - 1);
    }
    return &slots[i];
}

static bool take(tc_arena *a, tc_names *n, const char *name) {
    if (2 * (n->n + 1) > n->cap) {
        size_t cap = n->cap > 0 ? 2 * n->cap : 64;
        const char **slots = TC_NEWN(a, const char *, cap);
        for (size_t i = 0; i < n->cap; i++) {
            if (n->slots[i] != NULL) {
                *name_slot(slots, cap, n->slots[i]) = n->slots[i];
            }
        }
        n->slots = slots;
        n->cap = cap;
    }
    const char **slot = name_slot(n->slots, n->cap, name);
    if (*slot != NULL) {
        return false;
    }
    *slot = name;
    n->n++;
    return true;
}

const char *tc_names_take(tc_arena *a, tc_names *n, const char *name) {
    if (name == NULL || *name == '\0') {
        name = "v";
    }
    const char *candidate = name;
    for (int k = 1; !take(a, n, candidate); k++) {
        candidate = tc_format(a, "%s_%d", name, k);
    }
    return candidate;
}
