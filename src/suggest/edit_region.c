/* edit_region.c - edits of the two regions: extents that agree, more or fewer
 * elements, another beginning. */
#include "suggest/internal.h"

#include <inttypes.h>
#include <string.h>

/* One side of the copy, as it may become. */
typedef struct region_side {
    const char *name; /* "dst", "src" */
    const tc_node *arg;
    const tc_region *r;
    int64_t min[16], extent[16]; /* min -1: not constant */
    bool changed[16];
} region_side;

enum { MAX_RANK = 16 };

static bool read_side(const tc_editor *e, int position, region_side *s) {
    const tc_copy *c = e->t->d->copy;
    *s = (region_side){.name = position == 0 ? "dst" : "src",
                       .r = position == 0 ? &c->dst : &c->src};
    s->arg = tc_locate_arg(e->call, position, s->name);
    if (s->arg == NULL || s->r->buffer->rank > MAX_RANK ||
        (s->arg->kind != TC_N_SUBSCRIPT && s->arg->kind != TC_N_NAME)) {
        return false;
    }
    for (int i = 0; i < s->r->buffer->rank; i++) {
        const tc_range *g = &s->r->range[i];
        if (!tc_expr_const(g->min, &s->min[i]) || s->min[i] < 0) {
            s->min[i] = -1;
        }
        s->extent[i] = g->extent;
    }
    return true;
}

/* Another extent, within the buffer; false where it does not fit. */
static bool resize(region_side *s, int i, int64_t extent) {
    int64_t shape = s->r->buffer->shape[i];
    if (extent == s->extent[i]) {
        return true;
    }
    if (s->min[i] < 0 || extent < 1 || extent > shape) {
        return false;
    }
    if (extent > shape - s->min[i]) {
        s->min[i] = shape - extent;
    }
    s->extent[i] = extent;
    s->changed[i] = true;
    return true;
}

static const char *side_text(const tc_editor *e, const region_side *s) {
    const tc_node *n = s->arg;
    bool whole = n->kind == TC_N_NAME || n->items.n != s->r->buffer->rank;
    tc_buf b = TC_BUF_INIT;
    tc_buf_puts(&b, tc_locate_text(e->a, e->t,
                                   whole && n->kind == TC_N_NAME ? n : n->a));
    tc_buf_putc(&b, '[');
    for (int i = 0; i < s->r->buffer->rank; i++) {
        tc_buf_puts(&b, i > 0 ? ", " : "");
        if (!whole && !s->changed[i]) {
            tc_buf_puts(&b, tc_locate_text(e->a, e->t, n->items.items[i]));
        } else if (s->min[i] < 0) {
            tc_buf_free(&b);
            return NULL;
        } else {
            tc_buf_printf(&b, "%" PRId64 ":%" PRId64, s->min[i],
                          s->min[i] + s->extent[i]);
        }
    }
    tc_buf_putc(&b, ']');
    return tc_buf_finish(&b, e->a);
}

static int64_t count(const region_side *s) {
    int64_t n = 1;
    for (int i = 0; i < s->r->buffer->rank; i++) {
        if (__builtin_mul_overflow(n, s->extent[i], &n)) {
            return INT64_MAX;
        }
    }
    return n;
}

static int64_t count_now(const tc_region *r) {
    region_side s = {.r = r};
    for (int i = 0; i < r->buffer->rank && i < MAX_RANK; i++) {
        s.extent[i] = r->range[i].extent;
    }
    return count(&s);
}

/* An edit that gives the changed sides their new text; nothing when a region
 * cannot be written out, or is that of another edit already. */
static void propose(tc_editor *e, const char *site, const char *why,
                    const region_side *d, const region_side *s) {
    const region_side *const both[] = {d, s};
    tc_buf summary = TC_BUF_INIT, value = TC_BUF_INIT;
    const char *text[2] = {NULL, NULL};
    bool shrinks = false, ok = true, any = false;
    for (int i = 0; i < 2; i++) {
        bool changed = false;
        for (int k = 0; both[i] && k < both[i]->r->buffer->rank; k++) {
            changed |= both[i]->changed[k];
        }
        if (changed) {
            text[i] = side_text(e, both[i]);
            ok &= text[i] != NULL;
            shrinks |= count(both[i]) < count_now(both[i]->r);
            tc_buf_printf(&value, "%s %s ", both[i]->name, ok ? text[i] : "");
            tc_buf_printf(&summary, "%s%s", any ? " and " : "",
                          ok ? text[i] : "");
            any = true;
        }
    }
    const char *v = tc_buf_finish(&value, e->a);
    const char *w = tc_buf_finish(&summary, e->a);
    for (int i = 0; i < e->out->n; i++) {
        ok &= e->out->items[i].kind != TC_EDIT_region ||
              strcmp(e->out->items[i].value, v) != 0;
    }
    if (!ok || !any) {
        return;
    }
    tc_edit *x = tc_edit_new(e, TC_EDIT_region, site, v, "%s: %s%s", why, w,
                             shrinks ? " (this moves fewer elements)" : "");
    x->shrinks = shrinks;
    for (int i = 0; i < 2; i++) {
        if (text[i] != NULL) {
            tc_edit_patch(e, x, both[i]->arg->span.begin,
                          both[i]->arg->span.end, text[i]);
        }
    }
}

/* --- extents that agree --------------------------------------------------- */

static int next_wide(const region_side *s, int i) {
    while (i < s->r->buffer->rank && s->extent[i] == 1) {
        i++;
    }
    return i;
}

/* Dimension pairs: by place where both have as many, else those wider than
 * one, in order. Returns how many, or -1. */
static int pair_up(const region_side *d, const region_side *s,
                   int pairs[MAX_RANK][2]) {
    int n = 0;
    if (d->r->buffer->rank == s->r->buffer->rank) {
        for (int i = 0; i < d->r->buffer->rank; i++, n++) {
            pairs[n][0] = pairs[n][1] = i;
        }
        return n;
    }
    int i = next_wide(d, 0), k = next_wide(s, 0);
    while (i < d->r->buffer->rank && k < s->r->buffer->rank) {
        pairs[n][0] = i;
        pairs[n++][1] = k;
        i = next_wide(d, i + 1);
        k = next_wide(s, k + 1);
    }
    return i == d->r->buffer->rank && k == s->r->buffer->rank ? n : -1;
}

static bool agree(const region_side *d, const region_side *s,
                  int pairs[MAX_RANK][2], int n) {
    for (int i = 0; i < n; i++) {
        if (d->extent[pairs[i][0]] != s->extent[pairs[i][1]]) {
            return false;
        }
    }
    return n >= 0;
}

static void match(tc_editor *e, const region_side *d, const region_side *s,
                  int pairs[MAX_RANK][2], int n) {
    region_side to = *d, from = *s;
    bool ok_d = true, ok_s = true;
    for (int i = 0; i < n; i++) {
        ok_d &= resize(&to, pairs[i][0], s->extent[pairs[i][1]]);
        ok_s &= resize(&from, pairs[i][1], d->extent[pairs[i][0]]);
    }
    if (ok_d) {
        propose(e, "extents", "give dst the extents of src", &to, NULL);
    }
    if (ok_s) {
        propose(e, "extents", "give src the extents of dst", NULL, &from);
    }
}

/* --- more or fewer -------------------------------------------------------- */

/* The nearest extent in the direction of step, up to limit, with which the
 * region is a multiple of unit elements; 0: none. */
static int64_t near_extent(int64_t extent, int64_t others, int64_t unit,
                           int step, int64_t limit) {
    enum { TRIES = 4096 };
    for (int i = 0; i < TRIES; i++) {
        extent += step;
        if (extent < 1 || extent > limit) {
            return 0;
        }
        int64_t n;
        if (!__builtin_mul_overflow(extent, others, &n) && n % unit == 0) {
            return extent;
        }
    }
    return 0;
}

static void resize_both(tc_editor *e, const region_side *d,
                        const region_side *s, const int pair[2], int64_t extent,
                        const char *why) {
    region_side to = *d, from = *s;
    if (extent > 0 && resize(&to, pair[0], extent) &&
        resize(&from, pair[1], extent)) {
        propose(e, tc_format(e->a, "extent %d", pair[0]), why, &to, &from);
    }
}

static void other_sizes(tc_editor *e, const region_side *d,
                        const region_side *s, const int pair[2], int step) {
    int64_t extent = d->extent[pair[0]];
    int64_t limit = d->r->buffer->shape[pair[0]];
    int64_t other = s->r->buffer->shape[pair[1]];
    int bytes = tc_dtype_bytes(d->r->buffer->type);
    int64_t threads = 1, others = count(d) / extent;
    const char *why = step > 0 ? "copy more" : "copy less";
    limit = limit < other ? limit : other;
    for (int i = 0; i < e->t->d->nintra; i++) {
        threads *= e->t->d->intra[i].extent;
    }
    threads = threads > 0 && threads <= 65536 ? threads : 1;
    int64_t chunk = bytes > 0 && bytes < 16 ? 16 / bytes : 1;
    const int64_t units[] = {threads, threads * chunk, chunk, 32, 128};
    for (int i = 0; i < 5; i++) {
        resize_both(e, d, s, pair,
                    near_extent(extent, others, units[i], step, limit), why);
    }
    if (step > 0) {
        resize_both(e, d, s, pair, limit > extent ? limit : 0, why);
    } else {
        resize_both(e, d, s, pair, extent > 1 ? 1 : 0, why);
    }
}

/* --- the beginning -------------------------------------------------------- */

static void move_one(tc_editor *e, const region_side *s, int i, int64_t min) {
    region_side moved = *s;
    moved.min[i] = min;
    moved.changed[i] = true;
    bool dst = strcmp(s->name, "dst") == 0;
    propose(e, tc_format(e->a, "%s begins %d", s->name, i), "begin elsewhere",
            dst ? &moved : NULL, dst ? NULL : &moved);
}

static void move(tc_editor *e, const region_side *s) {
    int bytes = tc_dtype_bytes(s->r->buffer->type);
    int64_t chunk = bytes > 0 && bytes < 16 ? 16 / bytes : 1;
    for (int i = s->r->buffer->rank - 1; i >= 0; i--) {
        int64_t min = s->min[i];
        if (min > 0 && min % chunk != 0) {
            move_one(e, s, i, min - min % chunk);
        }
        if (min > 0) {
            move_one(e, s, i, 0);
        }
    }
}

void tc_edits_region(tc_editor *e, const char *values) {
    region_side d, s;
    int pairs[MAX_RANK][2];
    if (!read_side(e, 0, &d) || !read_side(e, 1, &s)) {
        return;
    }
    int n = pair_up(&d, &s, pairs);
    bool same = agree(&d, &s, pairs, n);
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        if (strcmp(w, "match") == 0 && n >= 0 && !same) {
            match(e, &d, &s, pairs, n);
        } else if (strcmp(w, "move") == 0) {
            move(e, &d);
            move(e, &s);
        }
        int step = strcmp(w, "grow") == 0     ? 1
                   : strcmp(w, "shrink") == 0 ? -1
                                              : 0;
        for (int i = n - 1; i >= 0 && step != 0 && same; i--) {
            other_sizes(e, &d, &s, pairs[i], step);
        }
    }
}
