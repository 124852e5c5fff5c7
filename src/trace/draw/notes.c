/* notes.c - the sentences under the printed picture. */
#include "trace/draw/print.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTES = 16 };

void tc_print_wrapped(tc_buf *out, const char *text, int width, int indent) {
    int col = 0;
    for (const char *s = text; *s != '\0';) {
        size_t n = strcspn(s, " ");
        int w = tc_utf8_count(s, n);
        if (col > indent && col + 1 + w > width) {
            tc_buf_putc(out, '\n');
            tc_buf_fill(out, ' ', indent);
            col = indent;
        } else if (col > 0) {
            tc_buf_putc(out, ' ');
            col++;
        }
        tc_buf_write(out, s, n);
        col += w;
        s += n;
        s += *s == ' ';
    }
    tc_buf_putc(out, '\n');
}

const char *tc_print_name(const tc_row *row) {
    const char *name = row->name;
    if (strncmp(name, "cta ", 4) == 0) {
        size_t n = 4 + strspn(name + 4, "0123456789");
        return name[n] == ' ' ? name + n + 1 : name;
    }
    return name;
}

/* ---- ranges ---- */

typedef struct range {
    uint64_t lo, hi;
} range;

static const range no_range = {UINT64_MAX, 0};

static void widen(range *r, uint64_t v) {
    r->lo = v < r->lo ? v : r->lo;
    r->hi = v > r->hi ? v : r->hi;
}

static void widen_line(range *r, int32_t line) {
    if (line > 0) {
        widen(r, (uint64_t)line);
    }
}

static void put_range(tc_buf *b, range r) {
    tc_buf_printf(b, "%" PRIu64, r.lo);
    if (r.hi > r.lo) {
        tc_buf_printf(b, "-%" PRIu64, r.hi);
    }
}

static void put_lines(tc_buf *b, range r) {
    if (r.hi > 0 && r.lo != UINT64_MAX) {
        tc_buf_puts(b, r.hi > r.lo ? " (lines " : " (line ");
        put_range(b, r);
        tc_buf_putc(b, ')');
    }
}

/* ---- what is told: a group, the copies to a buffer, a phase ---- */

/* One of a row, or those of the same name of several rows. */
typedef struct told {
    int kind;         /* tc_row_kind: first of all, the order of notes */
    const char *name; /* of a buffer, an mbarrier; of a group "" */
    int64_t ordinal;  /* of a group, a phase; 0 else */
    size_t rows, things, committed, open, waited;
    range copies, bytes, issue, begin, end, wait, until, line, wait_line;
    range arrivals, read, read_until, read_line;
    bool part;    /* a row is part of a warp */
    bool grouped; /* copies: a group tells who waits */
} told;

typedef struct list {
    const tc_model *m;
    told *at;
    size_t n, cap;
} list;

static told *add(list *l, int kind, const char *name, int64_t ordinal) {
    if (l->n == l->cap) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->at = tc_xrealloc(l->at, l->cap * sizeof *l->at);
    }
    told *t = &l->at[l->n++];
    *t = (told){.kind = kind,
                .name = name,
                .ordinal = ordinal,
                .rows = 1,
                .things = 1,
                .copies = no_range,
                .bytes = no_range,
                .issue = no_range,
                .begin = no_range,
                .end = no_range,
                .wait = no_range,
                .until = no_range,
                .line = no_range,
                .wait_line = no_range,
                .arrivals = no_range,
                .read = no_range,
                .read_until = no_range,
                .read_line = no_range};
    return t;
}

static uint64_t end_of(const tc_trace_event *e) {
    return e->end > e->cycle ? e->end : e->cycle;
}

static void add_wait(list *l, told *t, int32_t wait) {
    if (wait >= 0) {
        const tc_trace_event *e = l->m->order[wait];
        t->waited++;
        widen(&t->wait, e->cycle);
        widen(&t->until, end_of(e));
        widen_line(&t->wait_line, e->line);
    }
}

/* wait_group.read: the sources may be written again, no more. */
static void add_read(list *l, told *t, int32_t wait) {
    if (wait >= 0) {
        const tc_trace_event *e = l->m->order[wait];
        widen(&t->read, e->cycle);
        widen(&t->read_until, end_of(e));
        widen_line(&t->read_line, e->line);
    }
}

/* What the copies of the row go to. */
static const char *target_of(const tc_model *m, const tc_row *row) {
    return row->barrier ? m->trace->buffers[row->barrier - 1].name : "memory";
}

/* Intervals of one thing follow each other: copies without a commit, in
 * flight, landed. */
static void add_flight(list *l, const tc_row *row, const tc_interval *const *of,
                       size_t n) {
    const tc_interval *i = of[0], *end = of[n - 1];
    bool copies = row->kind == TC_ROW_COPIES, tracked = i->group < 0;
    const char *name = copies ? target_of(l->m, row)
                       : tracked && i->barrier >= 0
                           ? tc_print_name(&l->m->rows[i->barrier])
                           : "";
    told *t = add(l, row->kind, name, copies ? 0 : i->group);
    bool loose = i->kind == TC_INTERVAL_UNCOMMITTED;
    bool committed = !loose || i->end != TC_OPEN;
    t->committed = committed;
    t->grouped = copies && i->group >= 0;
    t->part = row->kind == TC_ROW_GROUPS && row->parent >= 0 &&
              strstr(tc_print_name(row), "lane") != NULL;
    widen(&t->copies, i->count);
    widen(&t->bytes, i->bytes);
    widen(&t->issue, i->begin);
    const tc_interval *from = loose && n > 1 ? of[1] : i;
    widen(&t->begin, loose && committed ? i->end : i->begin);
    widen_line(&t->line, from->line);
    uint64_t landed = end->kind == TC_INTERVAL_LANDED ? end->begin : end->end;
    if (landed == TC_OPEN || !committed) {
        t->open = 1;
    } else {
        widen(&t->end, landed);
    }
    add_wait(l, t, end->wait);
    add_read(l, t, end->read);
}

static int by_thing(const void *a, const void *b) {
    const tc_interval *x = *(const tc_interval *const *)a;
    const tc_interval *y = *(const tc_interval *const *)b;
    if (x->thing != y->thing) {
        return x->thing < y->thing ? -1 : 1;
    }
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
                                : (x->kind > y->kind) - (x->kind < y->kind);
}

static void add_flights(list *l, const tc_row *row) {
    const tc_interval **of =
        tc_xcalloc(row->nintervals + 1, sizeof(const tc_interval *));
    for (size_t i = 0; i < row->nintervals; i++) {
        of[i] = &row->intervals[i];
    }
    if (row->nintervals > 0) {
        qsort(of, row->nintervals, sizeof *of, by_thing);
    }
    for (size_t i = 0, n; i < row->nintervals; i += n) {
        for (n = 1; i + n < row->nintervals && of[i + n]->thing == of[i]->thing;
             n++) {
        }
        add_flight(l, row, of + i, n);
    }
    free(of);
}

/* Waits at an mbarrier by the phase that each is for. */
static void add_phase_waits(list *l, const tc_row *row, told *const *of,
                            int32_t from) {
    for (size_t i = 0; i < row->nevents; i++) {
        const tc_trace_event *e = l->m->order[row->events[i]];
        int64_t k = (int64_t)e->phase - from;
        if (e->kind == TC_TRACE_WAIT && k >= 0 &&
            k < (int64_t)row->nintervals && of[k] != NULL) {
            add_wait(l, of[k], (int32_t)row->events[i]);
        }
    }
}

static void add_phase(list *l, const tc_row *row, const tc_interval *x) {
    told *t = add(l, row->kind, tc_print_name(row), x->phase);
    widen(&t->begin, x->begin);
    widen(&t->arrivals, x->count);
    widen(&t->bytes, x->bytes);
    t->open = x->end == TC_OPEN;
    if (x->end != TC_OPEN) {
        widen(&t->end, x->end);
    }
}

/* Phases, but for one that began and that nobody used. */
static void add_phases(list *l, const tc_row *row) {
    size_t n = row->nintervals, first = l->n, kept = first;
    int32_t from = n > 0 ? row->intervals[0].phase : 0;
    for (size_t i = 0; i < n; i++) {
        add_phase(l, row, &row->intervals[i]);
    }
    told **of = tc_xcalloc(n + 1, sizeof *of);
    for (size_t i = 0; i < n; i++) {
        int64_t k = l->at[first + i].ordinal - from;
        of[k >= 0 && k < (int64_t)n ? (size_t)k : n] = &l->at[first + i];
    }
    add_phase_waits(l, row, of, from);
    free(of);
    for (size_t i = first; i < l->n; i++) {
        told t = l->at[i];
        if (t.open == 0 || t.waited > 0 || t.bytes.hi > 0) {
            l->at[kept++] = t;
        }
    }
    l->n = kept;
}

/* tcgen05.ld, .st, and when their waits are over. */
static void add_tmem(list *l, const tc_row *row) {
    for (size_t i = 0; i < row->nintervals; i++) {
        const tc_interval *x = &row->intervals[i];
        const tc_trace_event *e =
            l->m->order[x->kind == TC_INTERVAL_WAITED ? x->last : x->copy];
        bool load =
            e->kind == TC_TRACE_TMEM_LOAD || e->object == TC_OBJECT_TMEM_LOAD;
        told *t = add(l, row->kind, load ? "tcgen05.ld" : "tcgen05.st", 0);
        if (x->kind == TC_INTERVAL_WAITED) {
            t->things = 0;
            add_wait(l, t, x->last);
        } else {
            widen(&t->issue, x->begin);
            widen(&t->bytes, x->bytes);
            widen_line(&t->line, x->line);
            t->open = x->end == TC_OPEN;
            if (x->end != TC_OPEN) {
                widen(&t->end, x->end);
            }
        }
    }
}

/* ---- those of several rows together ---- */

static int by_name(const void *a, const void *b) {
    const told *x = a, *y = b;
    int name = strcmp(x->name, y->name);
    if (x->kind != y->kind || name != 0) {
        return x->kind != y->kind ? x->kind - y->kind : name;
    }
    return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

static void join(range *a, range b) {
    if (b.lo != UINT64_MAX) {
        widen(a, b.lo);
        widen(a, b.hi);
    }
}

static void take(told *a, const told *b) {
    a->rows += b->rows;
    a->things += b->things;
    a->committed += b->committed;
    a->open += b->open;
    a->waited += b->waited;
    a->part |= b->part;
    join(&a->copies, b->copies);
    join(&a->bytes, b->bytes);
    join(&a->issue, b->issue);
    join(&a->begin, b->begin);
    join(&a->end, b->end);
    join(&a->wait, b->wait);
    join(&a->until, b->until);
    join(&a->line, b->line);
    join(&a->wait_line, b->wait_line);
    join(&a->arrivals, b->arrivals);
    join(&a->read, b->read);
    join(&a->read_until, b->read_until);
    join(&a->read_line, b->read_line);
}

static void gather(list *l) {
    size_t n = 0;
    if (l->n > 0) {
        qsort(l->at, l->n, sizeof *l->at, by_name);
    }
    for (size_t i = 0; i < l->n; i++) {
        if (n > 0 && by_name(&l->at[n - 1], &l->at[i]) == 0) {
            take(&l->at[n - 1], &l->at[i]);
        } else {
            l->at[n++] = l->at[i];
        }
    }
    l->n = n;
}

/* ---- as sentences ---- */

static void some_rows(tc_buf *b, size_t some, size_t all) {
    if (some < all) {
        tc_buf_printf(b, " in %zu of %zu", some, all);
    }
}

static void put_wait(tc_buf *b, const told *t) {
    if (t->read.lo != UINT64_MAX) {
        tc_buf_puts(b, "; its sources are waited for at ");
        put_range(b, t->read);
        put_lines(b, t->read_line);
        tc_buf_puts(b, ", until ");
        put_range(b, t->read_until);
    } else if (t->waited == 0) {
        tc_buf_puts(b, "; no wait guarantees it");
    }
    if (t->waited == 0) {
        return;
    }
    tc_buf_puts(b, "; waited for at ");
    put_range(b, t->wait);
    put_lines(b, t->wait_line);
    if (t->until.hi > t->wait.hi || t->until.lo > t->wait.lo) {
        tc_buf_puts(b, ", which lets go at ");
        put_range(b, t->until);
    }
    some_rows(b, t->waited, t->things);
}

static void put_end(tc_buf *b, const told *t) {
    if (t->end.lo != UINT64_MAX) {
        tc_buf_puts(b, "; complete at ");
        put_range(b, t->end);
    }
    if (t->open > 0 && t->committed > 0) {
        tc_buf_puts(b, "; not complete when the trace ends");
        some_rows(b, t->open, t->things);
    }
}

static void put_group(tc_buf *b, const told *t) {
    const char *kind = t->kind == TC_ROW_BULK_GROUPS ? "bulk "
                       : t->kind == TC_ROW_MMA       ? "wgmma "
                                                     : "";
    if (t->name[0] != '\0') {
        tc_buf_printf(b, "copies that arrive at %s: ", t->name);
    } else if (t->ordinal >= 0) {
        tc_buf_printf(b, "%sgroup %" PRId64 ": ", kind, t->ordinal);
    } else {
        tc_buf_puts(b, "in no group: ");
    }
    if (t->copies.hi == 0) {
        tc_buf_puts(b, "empty");
    } else {
        put_range(b, t->copies);
        tc_buf_printf(b, " %s%s, ", t->kind == TC_ROW_MMA ? "wgmma" : "cop",
                      t->kind == TC_ROW_MMA ? ""
                      : t->copies.hi == 1   ? "y"
                                            : "ies");
        put_range(b, t->bytes);
        tc_buf_puts(b, t->part ? " bytes in each row" : " bytes a warp");
    }
    bool tracked = t->name[0] != '\0';
    tc_buf_puts(b, t->committed == 0 ? "; never committed, issued from cycle "
                   : tracked         ? "; issued from cycle "
                                     : "; committed at cycle ");
    put_range(b, t->committed == 0 || tracked ? t->issue : t->begin);
    put_lines(b, t->line);
    if (!tracked && t->committed > 0) {
        some_rows(b, t->committed, t->things);
    }
    put_end(b, t);
    put_wait(b, t);
}

static void put_copies(tc_buf *b, const told *t) {
    tc_buf_printf(b, "%s: %zu bulk or tensor cop%s to it, ", t->name, t->things,
                  t->things == 1 ? "y" : "ies");
    put_range(b, t->bytes);
    tc_buf_printf(b, " bytes%s; issued at cycle ",
                  t->things == 1 ? "" : " each");
    put_range(b, t->issue);
    put_lines(b, t->line);
    put_end(b, t);
    if (t->grouped) {
        tc_buf_puts(b, "; in a bulk group");
    } else {
        put_wait(b, t);
    }
}

static void put_phase(tc_buf *b, const told *t) {
    tc_buf_printf(b, "%s, phase %" PRId64 " (parity %d): ", t->name, t->ordinal,
                  (int)(t->ordinal & 1));
    put_range(b, t->arrivals);
    tc_buf_printf(b, " arrival%s expected", t->arrivals.hi == 1 ? "" : "s");
    if (t->bytes.hi > 0) {
        tc_buf_puts(b, ", ");
        put_range(b, t->bytes);
        tc_buf_puts(b, " bytes announced");
    }
    tc_buf_puts(b, "; begins at cycle ");
    put_range(b, t->begin);
    if (t->end.lo != UINT64_MAX) {
        tc_buf_puts(b, ", complete at ");
        put_range(b, t->end);
    }
    if (t->open > 0) {
        tc_buf_puts(b, ", not complete when the run ends");
        some_rows(b, t->open, t->things);
    }
    if (t->waited > 0) {
        tc_buf_puts(b, "; waited for at ");
        put_range(b, t->wait);
        put_lines(b, t->wait_line);
        if (t->until.hi > t->wait.hi || t->until.lo > t->wait.lo) {
            tc_buf_puts(b, ", until ");
            put_range(b, t->until);
        }
    }
}

static void put_tmem(tc_buf *b, const told *t) {
    if (t->things == 0) {
        tc_buf_printf(b, "%s: none", t->name);
    } else {
        tc_buf_printf(b, "%s: %zu, ", t->name, t->things);
        put_range(b, t->bytes);
        tc_buf_puts(b, " bytes each; issued at cycle ");
        put_range(b, t->issue);
        put_lines(b, t->line);
        if (t->end.lo != UINT64_MAX) {
            tc_buf_puts(b, "; complete at ");
            put_range(b, t->end);
        }
    }
    put_wait(b, t);
}

static void put_told(tc_buf *b, const told *t) {
    switch (t->kind) {
    case TC_ROW_COPIES:
        put_copies(b, t);
        break;
    case TC_ROW_MBARRIER:
        put_phase(b, t);
        break;
    case TC_ROW_TMEM:
        put_tmem(b, t);
        break;
    default:
        put_group(b, t);
        break;
    }
}

static void add_row(list *l, const tc_row *row) {
    switch ((tc_row_kind)row->kind) {
    case TC_ROW_GROUPS:
    case TC_ROW_BULK_GROUPS:
    case TC_ROW_MMA:
    case TC_ROW_COPIES:
        add_flights(l, row);
        break;
    case TC_ROW_MBARRIER:
        add_phases(l, row);
        break;
    case TC_ROW_TMEM:
        add_tmem(l, row);
        break;
    default:
        break;
    }
}

void tc_print_notes(tc_buf *out, const tc_model *m, int width) {
    list l = {.m = m};
    for (size_t r = 0; r < m->nrows; r++) {
        add_row(&l, &m->rows[r]);
    }
    gather(&l);
    for (size_t i = 0; i < l.n && i < MOST_NOTES; i++) {
        tc_buf b = TC_BUF_INIT;
        put_told(&b, &l.at[i]);
        tc_print_wrapped(out, tc_buf_text(&b), width, 2);
        tc_buf_free(&b);
    }
    if (l.n > MOST_NOTES) {
        tc_buf_printf(out,
                      "and %zu more groups and phases: `timeline --text`\n",
                      l.n - MOST_NOTES);
    }
    if (l.n == 0) {
        tc_buf_puts(out, "Nothing asynchronous was issued.\n");
    }
    free(l.at);
}
