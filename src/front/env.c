/* env.c - module-level names: a chain of small tables, newest first. */
#include "front/internal.h"

#include <string.h>

typedef struct entry {
    const char *name;
    tc_value value;
} entry;

struct tc_env {
    tc_arena *arena;
    const tc_env *parent; /* or NULL */
    entry *items;
    int n, cap;
};

tc_env *tc_env_new(tc_arena *a) {
    return tc_env_child(a, NULL);
}

tc_env *tc_env_child(tc_arena *a, const tc_env *parent) {
    tc_env *e = TC_NEW(a, tc_env);
    e->arena = a;
    e->parent = parent;
    return e;
}

static entry *own_entry(const tc_env *e, const char *name) {
    for (int i = e->n - 1; i >= 0; i--) {
        if (strcmp(e->items[i].name, name) == 0) {
            return &e->items[i];
        }
    }
    return NULL;
}

const tc_value *tc_env_get(const tc_env *e, const char *name) {
    for (; e != NULL; e = e->parent) {
        const entry *x = own_entry(e, name);
        if (x != NULL) {
            return &x->value;
        }
    }
    return NULL;
}

void tc_env_set(tc_env *e, const char *name, const tc_value *v) {
    entry *x = own_entry(e, name);
    if (x != NULL) {
        x->value = *v;
        return;
    }
    entry fresh = {tc_strdup(e->arena, name), *v};
    TC_PUSH(e->arena, e->items, e->n, e->cap, fresh);
}

void tc_env_merge(tc_env *into, const tc_env *child) {
    for (int i = 0; i < child->n; i++) {
        tc_env_set(into, child->items[i].name, &child->items[i].value);
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
            const entry *x = &at->items[i];
            if (x->value.kind != TC_V_NAMESPACE && !hidden(e, at, x->name)) {
                fn(user, x->name, &x->value);
            }
        }
    }
}

const tc_value *tc_env_own(const tc_env *e, const char *name) {
    const entry *x = own_entry(e, name);
    return x != NULL ? &x->value : NULL;
}
