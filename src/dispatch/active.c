/* active.c - which threads an `if` leaves active.
 *
 * The active threads are a box of lanes and warps. A conjunct that TVM cannot
 * read narrows nothing, as there. Ranges over CTAs never change the threads
 * within one, and are left out. */
#include "dispatch/launch.h"
#include "ir/linear.h"

enum { TERM_LIMIT = 64, DEPTH_LIMIT = 64 };

/* Far outside any thread id, and safe to add to. */
static const int64_t unbounded = INT64_C(1) << 40;

typedef struct limits {
    tc_scope_id_kind kind;
    int64_t lo, hi;
    bool used;
} limits;

typedef struct conjuncts {
    tc_expr *items[TERM_LIMIT];
    int n;
} conjuncts;

static void flatten(conjuncts *c, tc_expr *e, int depth) {
    while (e->kind == TC_E_CAST) {
        e = e->cast.a;
    }
    if (e->kind == TC_E_BINARY && depth < DEPTH_LIMIT &&
        (e->bin.op == TC_AND || e->bin.op == TC_BITAND)) {
        flatten(c, e->bin.a, depth + 1);
        flatten(c, e->bin.b, depth + 1);
    } else if (c->n < TERM_LIMIT) {
        c->items[c->n++] = e;
    }
}

/* value <= bound - base for v + base; the sign of v decides the side. */
static void bounds(tc_binop op, int64_t coef, int64_t base, limits *out) {
    int64_t at =
        coef == 1 ? -base : base; /* where v + base, or base - v, is 0 */
    bool below = op == TC_LT || op == TC_LE;
    if (coef == -1 && op != TC_EQ) {
        below = !below;
    }
    bool strict = op == TC_LT || op == TC_GT;
    out->lo = -unbounded;
    out->hi = unbounded;
    if (op == TC_EQ) {
        out->lo = at;
        out->hi = at + 1;
    } else if (below) {
        out->hi = strict ? at : at + 1;
    } else {
        out->lo = strict ? at + 1 : at;
    }
}

/* Reads `scope id <op> constant`, shifted by a constant perhaps. */
static bool read_range(tc_arena *a, const tc_expr *e, tc_kind_of_fn kind_of,
                       const void *user, limits *out) {
    tc_linear l;
    if (e->kind != TC_E_BINARY || e->bin.op < TC_LT || e->bin.op > TC_EQ ||
        !tc_linear_of(
            a, tc_simplify(a, tc_binary(a, TC_SUB, e->bin.a, e->bin.b)), &l)) {
        return false;
    }
    if (l.n != 1 || l.terms[0].atom->kind != TC_E_VAR ||
        (l.terms[0].coef != 1 && l.terms[0].coef != -1) ||
        l.constant > unbounded || l.constant < -unbounded ||
        !kind_of(user, l.terms[0].atom->var, &out->kind)) {
        return false;
    }
    bounds(e->bin.op, l.terms[0].coef, l.constant, out);
    return true;
}

/* [off, off + ext) met with [lo, hi); false when nothing is left. TVM 0.25.0
 * overflows when a range without a lower end meets one that does not start at
 * 0 (AxisRange::Intersect subtracts the offset from the least integer), and
 * narrows nothing; agreed with. Starting at 1 it gets a negative extent, and
 * refuses the program: here that narrows nothing either. */
static bool intersect(int64_t *ext, int64_t *off, int64_t lo, int64_t hi) {
    int64_t begin = lo > *off ? lo : *off;
    int64_t end = hi < *off + *ext ? hi : *off + *ext;
    if (end <= begin || (lo == -unbounded && *off > 0)) {
        return false;
    }
    *off = begin;
    *ext = end - begin;
    return true;
}

static int64_t floor_div(int64_t x, int64_t y) {
    return x / y - (x % y != 0 && x < 0);
}

/* Thread numbers [lo, hi) where a thread is major * 32 + lane. The result must
 * be a box again (NarrowFlatProductRange, exec_context.cc). */
static bool flat_range(int64_t *major, int64_t *major0, int64_t *lane,
                       int64_t *lane0, int64_t lo, int64_t hi) {
    if (*major <= 0 || *lane <= 0) {
        return false;
    }
    int64_t lane_end = *lane0 + *lane, major_end = *major0 + *major;
    if (lo <= *major0 * 32 + *lane0 && (major_end - 1) * 32 + lane_end <= hi) {
        return true;
    }
    if (lo == -unbounded && lane_end > 1) {
        return false; /* TVM 0.25.0 overflows here too: `if tid < 64` narrows
                         nothing, `if 0 <= tid and tid < 64` does */
    }
    int64_t first = floor_div(lo - lane_end, 32) + 1;
    int64_t last = -floor_div(-(hi - *lane0), 32);
    first = first > *major0 ? first : *major0;
    last = last < major_end ? last : major_end;
    if (last <= first) {
        return false;
    }
    if (last == first + 1) {
        if (!intersect(lane, lane0, lo - first * 32, hi - first * 32)) {
            return false;
        }
    } else if (lo > first * 32 + *lane0 || (last - 1) * 32 + lane_end > hi) {
        return false; /* would leave a part of a warp and whole warps */
    }
    *major = last - first;
    *major0 = first;
    return true;
}

bool tc_active_in_warpgroup(const tc_active *act, int64_t *extent,
                            int64_t *offset) {
    *offset = act->warp0 % 4;
    *extent = act->warp;
    if (*offset == 0 && act->warp % 4 == 0) {
        *extent = 4;
        return true;
    }
    return act->warp <= 4 - *offset;
}

static bool narrow_thread_in_wg(tc_active *act, int64_t lo, int64_t hi) {
    int64_t ext, off, lane = act->lane, lane0 = act->lane0;
    if (!tc_active_in_warpgroup(act, &ext, &off)) {
        return false;
    }
    bool one_group =
        act->warp0 / 4 == (act->warp0 + act->warp - 1) / 4 && act->warp > 0;
    int64_t was_ext = ext, was_off = off;
    if (!flat_range(&ext, &off, &lane, &lane0, lo, hi)) {
        return false;
    }
    if (!one_group) { /* fine only when nothing changes */
        return lane == act->lane && lane0 == act->lane0 && ext == was_ext &&
               off == was_off;
    }
    act->lane = lane;
    act->lane0 = lane0;
    act->warp0 = act->warp0 / 4 * 4 + off;
    act->warp = ext;
    return true;
}

static bool narrow(tc_active *act, const limits *r) {
    tc_active was = *act;
    bool ok = false;
    int64_t ext, off;
    switch (r->kind) {
    case TC_ID_LANE:
        ok = intersect(&act->lane, &act->lane0, r->lo, r->hi);
        break;
    case TC_ID_WARP:
        ok = intersect(&act->warp, &act->warp0, r->lo, r->hi);
        break;
    case TC_ID_THREAD:
        ok = flat_range(&act->warp, &act->warp0, &act->lane, &act->lane0, r->lo,
                        r->hi);
        break;
    case TC_ID_THREAD_IN_WG:
        ok = narrow_thread_in_wg(act, r->lo, r->hi);
        break;
    case TC_ID_WARPGROUP:
        ext = act->warp / 4;
        off = act->warp0 / 4;
        ok = act->warp % 4 == 0 && act->warp0 % 4 == 0 &&
             intersect(&ext, &off, off == 1 && r->lo == -unbounded ? 0 : r->lo,
                       r->hi);
        act->warp = ext * 4;
        act->warp0 = off * 4;
        break;
    case TC_ID_WARP_IN_WG:
        ext = act->warp;
        off = act->warp0 % 4;
        ok = ext <= 4 - off && intersect(&ext, &off, r->lo, r->hi);
        act->warp = ext;
        act->warp0 = act->warp0 / 4 * 4 + off;
        break;
    default:
        break; /* CTAs and clusters: no thread of this CTA changes */
    }
    if (!ok) {
        *act = was;
    }
    return ok;
}

void tc_active_narrow(tc_arena *a, tc_active *act, tc_expr *cond,
                      tc_kind_of_fn kind_of, const void *user) {
    conjuncts c = {.n = 0};
    limits groups[TERM_LIMIT];
    int n = 0;
    flatten(&c, cond, 0);
    for (int i = 0; i < c.n; i++) { /* ranges over one id meet first */
        limits r = {.used = false};
        int k = 0;
        if (!read_range(a, c.items[i], kind_of, user, &r)) {
            continue;
        }
        while (k < n && groups[k].kind != r.kind) {
            k++;
        }
        if (k == n) {
            groups[n++] = r;
            continue;
        }
        groups[k].lo = r.lo > groups[k].lo ? r.lo : groups[k].lo;
        groups[k].hi = r.hi < groups[k].hi ? r.hi : groups[k].hi;
    }
    for (bool progress = true; progress;) { /* one may make way for another */
        progress = false;
        for (int i = 0; i < n; i++) {
            if (!groups[i].used && groups[i].lo < groups[i].hi &&
                narrow(act, &groups[i])) {
                groups[i].used = progress = true;
            }
        }
    }
}
