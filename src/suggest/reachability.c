/* reachability.c - which threads come to the copy: an edit must not keep all of them
 * away, though dispatch would not mind. */
#include "dispatch/launch.h"
#include "suggest/internal.h"

#include <string.h>

enum { MOST_THREADS = 1024, MOST_CONDITIONS = 64 };

/* A number, where it is known for the thread. */
typedef struct number {
    bool known;
    int64_t i;
} number;

typedef struct reach {
    const tc_copy *copy;
    const tc_scope_id *ids[64];
    int nids;
    const tc_expr *conditions[MOST_CONDITIONS];
    bool wanted[MOST_CONDITIONS]; /* false: in the else */
    int n;
    int64_t thread;
} reach;

static int64_t number_of(tc_scope_id_kind kind, int64_t thread, bool *known) {
    *known = true;
    switch (kind) {
    case TC_ID_THREAD:
        return thread;
    case TC_ID_WARP:
        return thread / 32;
    case TC_ID_LANE:
        return thread % 32;
    case TC_ID_WARPGROUP:
        return thread / 128;
    case TC_ID_WARP_IN_WG:
        return thread / 32 % 4;
    case TC_ID_THREAD_IN_WG:
        return thread % 128;
    default:
        *known = false;
        return 0;
    }
}

/* The first dimension runs fastest. */
static number value_of(const reach *r, const tc_var *v) {
    for (int i = 0; i < r->nids; i++) {
        const tc_scope_id *id = r->ids[i];
        bool known;
        int64_t x = number_of(id->kind, r->thread, &known);
        for (int k = 0; k < id->n; k++) {
            int64_t extent = id->extent[k] > 0 ? id->extent[k] : 1;
            bool last = k == id->n - 1;
            if (id->var[k] == v) {
                return (number){known, last ? x : x % extent};
            }
            x /= extent;
        }
    }
    return (number){false, 0};
}

static number evaluate(const reach *r, const tc_expr *e);

static number floor_of(tc_binop op, int64_t a, int64_t b) {
    if (b <= 0) {
        return (number){false, 0};
    }
    int64_t m = a % b < 0 ? a % b + b : a % b;
    return (number){true, op == TC_FLOORMOD ? m : a / b - (a % b < 0)};
}

static number arithmetic(tc_binop op, int64_t a, int64_t b) {
    number n = {true, 0};
    switch (op) {
    case TC_ADD:
        n.known = !__builtin_add_overflow(a, b, &n.i);
        return n;
    case TC_SUB:
        n.known = !__builtin_sub_overflow(a, b, &n.i);
        return n;
    case TC_MUL:
        n.known = !__builtin_mul_overflow(a, b, &n.i);
        return n;
    case TC_FLOORDIV:
    case TC_FLOORMOD:
        return floor_of(op, a, b);
    case TC_LT:
        return (number){true, a < b};
    case TC_LE:
        return (number){true, a <= b};
    case TC_GT:
        return (number){true, a > b};
    case TC_GE:
        return (number){true, a >= b};
    case TC_EQ:
        return (number){true, a == b};
    case TC_NE:
        return (number){true, a != b};
    default:
        return (number){false, 0};
    }
}

static number binary(const reach *r, const tc_expr *e) {
    number a = evaluate(r, e->bin.a), b = evaluate(r, e->bin.b);
    if (e->bin.op == TC_AND || e->bin.op == TC_OR) {
        bool decides = e->bin.op == TC_OR;
        if ((a.known && (a.i != 0) == decides) ||
            (b.known && (b.i != 0) == decides)) {
            return (number){true, decides};
        }
        return (number){a.known && b.known, !decides};
    }
    return a.known && b.known ? arithmetic(e->bin.op, a.i, b.i)
                              : (number){false, 0};
}

static number evaluate(const reach *r, const tc_expr *e) {
    number a;
    switch (e->kind) {
    case TC_E_INT:
        return (number){true, e->i};
    case TC_E_VAR:
        return value_of(r, e->var);
    case TC_E_BINARY:
        return binary(r, e);
    case TC_E_UNARY:
        a = evaluate(r, e->un.a);
        a.known &= e->un.op == TC_NOT;
        a.i = a.i == 0;
        return a;
    default:
        return (number){false, 0};
    }
}

/* Collects the conditions around the copy; false where it is not in b. */
static bool find(reach *r, const tc_block *b) {
    for (const tc_stmt *s = b->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_SCOPE_ID && r->nids < 64) {
            r->ids[r->nids++] = s->id;
        }
        if (s->kind == TC_S_COPY && s->copy == r->copy) {
            return true;
        }
        int n = r->n;
        bool conditional = s->kind == TC_S_IF && n < MOST_CONDITIONS;
        if (conditional) {
            r->conditions[r->n] = s->value;
            r->wanted[r->n++] = true;
        }
        if (find(r, &s->body)) {
            return true;
        }
        if (conditional) {
            r->wanted[n] = false;
        }
        if (find(r, &s->orelse)) {
            return true;
        }
        r->n = n;
    }
    return false;
}

static bool reaches(const reach *r) {
    for (int i = 0; i < r->n; i++) {
        number c = evaluate(r, r->conditions[i]);
        if (c.known && (c.i != 0) != r->wanted[i]) {
            return false;
        }
    }
    return true;
}

int64_t tc_first_thread(const tc_trial *t) {
    reach r = {.copy = t->d->copy};
    tc_launch launch;
    if (!find(&r, &t->func->body) || r.n == 0) {
        return 0;
    }
    tc_launch_read(t->arena, &t->func->body, &launch);
    int64_t threads = launch.fused[TC_ID_THREAD];
    threads = threads > 0 && threads < MOST_THREADS ? threads : MOST_THREADS;
    for (r.thread = 0; r.thread < threads; r.thread++) {
        if (reaches(&r)) {
            return r.thread;
        }
    }
    return -1;
}
