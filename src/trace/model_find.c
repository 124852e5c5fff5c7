/* model_find.c - from one event to another. */
#include "trace/model_build.h"

#include <string.h>

/* ---- rows ---- */

int32_t tc_model_warp(const tc_model *m, uint32_t cta, uint32_t warp) {
    for (size_t i = tc_model_rows_from(m, cta);
         i < m->nrows && m->rows[i].cta == cta; i++) {
        if (m->rows[i].kind == TC_ROW_WARP && m->rows[i].warp == warp) {
            return (int32_t)i;
        }
    }
    return -1;
}

/* The name without its CTA. */
static const char *own_name(const char *name) {
    const char *p = strncmp(name, "cta ", 4) == 0 ? name + 4 : name;
    p += p != name ? strspn(p, "0123456789") : 0;
    return p != name && *p == ' ' ? p + 1 : name;
}

int32_t tc_model_named(const tc_model *m, const char *name) {
    for (size_t i = 0; i < m->nrows; i++) {
        if (strcmp(m->rows[i].name, name) == 0) {
            return (int32_t)i;
        }
    }
    for (size_t i = 0; i < m->nrows; i++) {
        if (strcmp(own_name(m->rows[i].name), name) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

static bool has_event(const tc_row *row, size_t position) {
    tc_positions p = {row->events, row->nevents};
    size_t i = tc_positions_from(&p, position);
    return i < p.n && p.at[i] == position;
}

size_t tc_model_rows_of(const tc_model *m, size_t position, int32_t *out,
                        size_t cap) {
    const tc_trace_event *e = m->order[position];
    uint32_t count, first = tc_model_cluster(m, e->cta, &count);
    size_t n = 0;
    for (size_t i = tc_model_rows_from(m, first);
         i < m->nrows && m->rows[i].cta < first + count; i++) {
        if (has_event(&m->rows[i], position)) {
            if (n < cap) {
                out[n] = (int32_t)i;
            }
            n++;
        }
    }
    return n;
}

/* ---- positions ---- */

size_t tc_model_seek(const tc_model *m, uint64_t cycle) {
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->order[mid]->cycle < cycle) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

uint64_t tc_model_cycle(const tc_model *m, size_t position) {
    return position < m->n ? m->order[position]->cycle : m->cycles;
}

/* The nearest of the rising positions on that side of from. */
static size_t nearest(const tc_positions *p, size_t from, int way) {
    if (way > 0) {
        size_t i = from == TC_NO_POSITION ? 0 : tc_positions_from(p, from + 1);
        return i < p->n ? p->at[i] : TC_NO_POSITION;
    }
    size_t i = from == TC_NO_POSITION ? p->n : tc_positions_from(p, from);
    return i > 0 ? p->at[i - 1] : TC_NO_POSITION;
}

static size_t nearer(size_t a, size_t b, int way) {
    if (a == TC_NO_POSITION || b == TC_NO_POSITION) {
        return a == TC_NO_POSITION ? b : a;
    }
    return (way > 0) == (a < b) ? a : b;
}

static bool is_kind(const tc_seek *s, int kind) {
    switch (s->what) {
    case TC_SEEK_EVENT:
    case TC_SEEK_LINE:
    case TC_SEEK_FINDING:
        return true;
    case TC_SEEK_KIND:
        return kind == s->kind;
    case TC_SEEK_ISSUE:
        return tc_trace_is_issue(kind);
    case TC_SEEK_COMMIT:
        return kind == TC_TRACE_COMMIT || kind == TC_TRACE_TRACK;
    case TC_SEEK_WAIT:
        return kind == TC_TRACE_WAIT || kind == TC_TRACE_BARRIER;
    case TC_SEEK_PHASE:
        return kind == TC_TRACE_PHASE;
    case TC_SEEK_WRITE:
        return kind == TC_TRACE_STORE || kind == TC_TRACE_COMPLETE;
    case TC_SEEK_READ:
        return kind == TC_TRACE_LOAD || kind == TC_TRACE_COMPLETE ||
               kind == TC_TRACE_MMA;
    }
    return false;
}

static bool is_at(const tc_model *m, size_t p, const tc_seek *s) {
    const tc_trace_event *e = m->order[p];
    switch (s->what) {
    case TC_SEEK_WRITE:
        return tc_memory_writes(m, p, s->cta, s->address);
    case TC_SEEK_READ:
        return tc_memory_reads(m, p, s->cta, s->address);
    case TC_SEEK_FINDING: {
        const tc_positions *f = &m->index->findings;
        size_t i = tc_positions_from(f, p);
        return i < f->n && f->at[i] == p;
    }
    default:
        return is_kind(s, e->kind) &&
               (s->line == 0 ||
                (s->ptx ? (int32_t)e->ptx_line : e->line) == s->line);
    }
}

/* Steps through the list until one fits. */
static size_t step(const tc_model *m, const tc_positions *p, size_t from,
                   int way, const tc_seek *s) {
    size_t at = nearest(p, from, way);
    while (at != TC_NO_POSITION && !is_at(m, at, s)) {
        at = nearest(p, at, way);
    }
    return at;
}

/* The events of a line, as positions. */
static size_t in_line(const tc_model *m, size_t from, int way, int32_t line) {
    const tc_model_index *x = m->index;
    size_t lo = 0, hi = x->nlines;
    int64_t to =
        from == TC_NO_POSITION ? (way > 0 ? -1 : INT64_MAX) : (int64_t)from;
    while (lo < hi) { /* the first behind (line, to) */
        size_t mid = lo + (hi - lo) / 2;
        const tc_line_position *l = &x->lines[mid];
        bool before = l->line != line ? l->line < line
                      : way > 0       ? (int64_t)l->position <= to
                                      : (int64_t)l->position < to;
        lo = before ? mid + 1 : lo;
        hi = before ? hi : mid;
    }
    size_t at = way > 0 ? lo : lo - 1;
    return at < x->nlines && x->lines[at].line == line ? x->lines[at].position
                                                       : TC_NO_POSITION;
}

static size_t any(const tc_model *m, size_t from, int way) {
    if (from == TC_NO_POSITION) {
        return m->n == 0 ? TC_NO_POSITION : way > 0 ? 0 : m->n - 1;
    }
    size_t at = way > 0 ? from + 1 : from - 1;
    return at < m->n ? at : TC_NO_POSITION;
}

/* The events of a line of the PTX: there is no table of them. */
static size_t in_ptx(const tc_model *m, size_t from, int way, int32_t line) {
    do {
        from = any(m, from, way);
    } while (from != TC_NO_POSITION &&
             (int32_t)m->order[from]->ptx_line != line);
    return from;
}

size_t tc_model_find(const tc_model *m, size_t from, int way,
                     const tc_seek *s) {
    const tc_model_index *x = m->index;
    if (s->row >= 0) {
        const tc_row *row = &m->rows[s->row];
        tc_positions p = {row->events, row->nevents};
        return step(m, &p, from, way, s);
    }
    switch (s->what) {
    case TC_SEEK_EVENT:
        return any(m, from, way);
    case TC_SEEK_LINE:
        return s->ptx ? in_ptx(m, from, way, s->line)
                      : in_line(m, from, way, s->line);
    case TC_SEEK_FINDING:
        return nearest(&x->findings, from, way);
    case TC_SEEK_WRITE:
    case TC_SEEK_READ: {
        size_t k = tc_model_cta(m, s->cta);
        return k < x->nctas ? step(m, &x->shared[k], from, way, s)
                            : TC_NO_POSITION;
    }
    default:
        break;
    }
    size_t best = TC_NO_POSITION;
    for (int k = 0; k < TC_TRACE_KIND_COUNT; k++) {
        if (is_kind(s, k)) {
            best = nearer(best, step(m, &x->kinds[k], from, way, s), way);
        }
    }
    return best;
}

size_t tc_model_mark(const tc_model *m, int32_t row, size_t from, int way) {
    const tc_row *r = &m->rows[row];
    size_t lo = 0, hi = r->nmarks;
    int64_t to =
        from == TC_NO_POSITION ? (way > 0 ? -1 : INT64_MAX) : (int64_t)from;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int64_t at = r->events[r->marks[mid].first];
        bool before = way > 0 ? at <= to : at < to;
        lo = before ? mid + 1 : lo;
        hi = before ? hi : mid;
    }
    if (way > 0) {
        return lo < r->nmarks ? lo : TC_NO_POSITION;
    }
    return lo > 0 ? lo - 1 : TC_NO_POSITION;
}
