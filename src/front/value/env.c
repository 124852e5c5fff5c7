/* env.c - module-level names: a chain of small tables, newest first. */
#include "front/value/value.h"

#include <string.h>

typedef struct env_entry {
    const char *name;
    tc_value value;
    tc_env *from; /* a merged child whose memory the value uses; or NULL */
} env_entry;

typedef struct env_list {
    tc_env **items;
    int n, cap;
} env_list;

/* Of an env that others are merged into. */
typedef struct merged {
    env_list read; /* children of which a value was read in this epoch */
    env_list idle; /* children that nothing needs any more, not yet taken */
} merged;

struct tc_env {
    tc_arena *arena;
    const tc_env *parent; /* or NULL */
    env_entry *items;
    int n, cap;
    int *slots;      /* by hash of the name: an index of items, + 1, or 0 */
    uint32_t nslots; /* a power of two, or 0: there are few names */
    uint64_t epoch;  /* counts evaluations that may be merged into this one */
    merged *merged;

    /* once merged */
    void *keeper;     /* the caller's */
    int uses;         /* entries of the parent, and children, that need it */
    uint64_t read_at; /* the parent's epoch when a value was read last */
    tc_env **needs;   /* children merged earlier of which it read something */
    int nneeds, needs_cap;
};

enum { FEW = 8 }; /* names that need no table */

tc_env *tc_env_new(tc_arena *a) {
    return tc_env_child(a, NULL);
}

tc_env *tc_env_child(tc_arena *a, const tc_env *parent) {
    tc_env *e = TC_NEW(a, tc_env);
    e->arena = a;
    e->parent = parent;
    e->merged = parent == NULL ? TC_NEW(a, merged) : NULL;
    return e;
}

/* Where the name is in the table, or belongs (FNV-1a, linear probing). */
static uint32_t slot_of(const tc_env *e, const char *name) {
    uint32_t h = 2166136261u;
    for (const char *p = name; *p != '\0'; p++) {
        h = (h ^ (unsigned char)*p) * 16777619u;
    }
    uint32_t at = (h ^ h >> 16) & (e->nslots - 1);
    while (e->slots[at] != 0 &&
           strcmp(e->items[e->slots[at] - 1].name, name) != 0) {
        at = (at + 1) & (e->nslots - 1);
    }
    return at;
}

static env_entry *own_entry(const tc_env *e, const char *name) {
    if (e->nslots > 0) {
        int i = e->slots[slot_of(e, name)];
        return i > 0 ? &e->items[i - 1] : NULL;
    }
    for (int i = e->n - 1; i >= 0; i--) {
        if (strcmp(e->items[i].name, name) == 0) {
            return &e->items[i];
        }
    }
    return NULL;
}

/* Puts the newest item into the table, which is half full at most. */
static void add_slot(tc_env *e) {
    if (e->n <= FEW) {
        return;
    }
    if ((uint32_t)e->n * 2 <= e->nslots) {
        e->slots[slot_of(e, e->items[e->n - 1].name)] = e->n;
        return;
    }
    e->nslots = e->nslots ? e->nslots * 2 : 64;
    e->slots = TC_NEWN(e->arena, int, e->nslots);
    for (int i = 0; i < e->n; i++) {
        e->slots[slot_of(e, e->items[i].name)] = i + 1;
    }
}

static void push(const tc_env *e, env_list *l, tc_env *child) {
    TC_PUSH(e->arena, l->items, l->n, l->cap, child);
}

/* One use less of a child that was merged into e. */
static void drop_use(const tc_env *e, tc_env *child) {
    if (--child->uses == 0) {
        push(e, &e->merged->idle, child);
    }
}

const tc_value *tc_env_get(const tc_env *e, const char *name) {
    for (; e != NULL; e = e->parent) {
        const env_entry *x = own_entry(e, name);
        if (x != NULL) {
            if (x->from != NULL && x->from->read_at != e->epoch) {
                x->from->read_at = e->epoch;
                push(e, &e->merged->read, x->from);
            }
            return &x->value;
        }
    }
    return NULL;
}

void tc_env_set(tc_env *e, const char *name, const tc_value *v) {
    env_entry *x = own_entry(e, name);
    if (x != NULL) {
        x->value = *v;
        return;
    }
    env_entry fresh = {tc_strdup(e->arena, name), *v, NULL};
    TC_PUSH(e->arena, e->items, e->n, e->cap, fresh);
    add_slot(e);
}

void tc_env_forget_reads(tc_env *e) {
    e->epoch++;
    e->merged->read.n = 0;
}

/* A value that points to nothing, or to what lives as long as `into`. */
static bool detached(tc_env *into, const env_entry *old, tc_value *v) {
    switch (v->kind) {
    case TC_V_NONE:
    case TC_V_BOOL:
    case TC_V_INT:
    case TC_V_FLOAT:
        *v = (tc_value){.kind = v->kind, .i = v->i, .f = v->f};
        return true;
    case TC_V_NAMESPACE: {
        bool same = old != NULL && old->value.kind == TC_V_NAMESPACE &&
                    strcmp(old->value.s, v->s) == 0;
        const char *s = same ? old->value.s : tc_strdup(into->arena, v->s);
        *v = (tc_value){.kind = v->kind, .s = s};
        return true;
    }
    default:
        return false;
    }
}

/* What the child read may be part of what it defined. */
static void note_reads(const tc_env *into, tc_env *child) {
    env_list *l = &into->merged->read;
    for (int i = 0; i < l->n; i++) {
        tc_env *from = l->items[i];
        from->read_at = 0;
        from->uses++;
        TC_PUSH(child->arena, child->needs, child->nneeds, child->needs_cap,
                from);
    }
    l->n = 0;
}

void tc_env_merge(tc_env *into, tc_env *child, void *keeper) {
    child->keeper = keeper;
    note_reads(into, child);
    for (int i = 0; i < child->n; i++) {
        const char *name = child->items[i].name;
        tc_value v = child->items[i].value;
        env_entry *x = own_entry(into, name);
        bool alone = detached(into, x, &v);
        if (x != NULL && x->from != NULL) {
            drop_use(into, x->from);
        }
        tc_env_set(into, name, &v);
        own_entry(into, name)->from = alone ? NULL : child;
        child->uses += !alone;
    }
}

void *tc_env_take_idle(tc_env *into) {
    env_list *l = &into->merged->idle;
    return l->n > 0 ? l->items[--l->n]->keeper : NULL;
}

bool tc_env_needed(const tc_env *child) {
    return child->uses > 0;
}

void tc_env_release(tc_env *child) {
    for (int i = 0; i < child->nneeds; i++) {
        drop_use(child->parent, child->needs[i]);
    }
}

static bool hidden(const tc_env *from, const tc_env *at, const char *name) {
    for (; from != at; from = from->parent) {
        if (own_entry(from, name) != NULL) {
            return true;
        }
    }
    return false;
}

void tc_env_each(const tc_env *e,
                 void (*fn)(void *user, const char *name, const tc_value *v),
                 void *user) {
    for (const tc_env *at = e; at != NULL; at = at->parent) {
        for (int i = 0; i < at->n; i++) {
            const env_entry *x = &at->items[i];
            if (x->value.kind != TC_V_NAMESPACE && !hidden(e, at, x->name)) {
                fn(user, x->name, &x->value);
            }
        }
    }
}

const tc_value *tc_env_own(const tc_env *e, const char *name) {
    const env_entry *x = own_entry(e, name);
    return x != NULL ? &x->value : NULL;
}
