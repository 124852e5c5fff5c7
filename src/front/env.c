/* env.c - module-level names: a chain of small tables, newest first. */
#include "front/internal.h"

#include <string.h>

typedef struct entry {
    const char *name;
    tc_value value;
    tc_env *from; /* a merged child whose memory the value uses; or NULL */
} entry;

struct tc_env {
    tc_arena *arena;
    const tc_env *parent; /* or NULL */
    entry *items;
    int n, cap;
    uint64_t epoch; /* counts evaluations that may be merged into this one */

    /* once merged */
    int uses;         /* entries of the parent, and children, that need it */
    uint64_t read_at; /* the parent's epoch when a value was read last */
    tc_env **needs;   /* children merged earlier of which it read something */
    int nneeds, needs_cap;
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
            if (x->from != NULL) {
                x->from->read_at = e->epoch;
            }
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
    entry fresh = {tc_strdup(e->arena, name), *v, NULL};
    TC_PUSH(e->arena, e->items, e->n, e->cap, fresh);
}

void tc_env_forget_reads(tc_env *e) {
    e->epoch++;
}

/* A value that points to nothing, or to what lives as long as `into`. */
static bool detached(tc_env *into, const entry *old, tc_value *v) {
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
    for (int i = 0; i < into->n; i++) {
        tc_env *from = into->items[i].from;
        if (from != NULL && from->read_at == into->epoch) {
            from->read_at = 0;
            from->uses++;
            TC_PUSH(child->arena, child->needs, child->nneeds, child->needs_cap,
                    from);
        }
    }
}

void tc_env_merge(tc_env *into, tc_env *child) {
    note_reads(into, child);
    for (int i = 0; i < child->n; i++) {
        const char *name = child->items[i].name;
        tc_value v = child->items[i].value;
        entry *x = own_entry(into, name);
        bool alone = detached(into, x, &v);
        if (x != NULL && x->from != NULL) {
            x->from->uses--;
        }
        tc_env_set(into, name, &v);
        own_entry(into, name)->from = alone ? NULL : child;
        child->uses += !alone;
    }
}

bool tc_env_needed(const tc_env *child) {
    return child->uses > 0;
}

void tc_env_release(tc_env *child) {
    for (int i = 0; i < child->nneeds; i++) {
        child->needs[i]->uses--;
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
