/* model_memory.c - the bytes of shared memory: who wrote them, and who may see
 * them. */
#include "trace/model_build.h"

#include <stdlib.h>
#include <string.h>

const tc_trace_buffer *tc_memory_buffer(const tc_model *m, tc_trace_space space,
                                        uint64_t address) {
    const tc_trace_buffer *best = NULL;
    for (size_t i = 0; i < m->trace->nbuffers; i++) {
        const tc_trace_buffer *b = &m->trace->buffers[i];
        if (b->space == space && address >= b->address &&
            address - b->address < b->bytes &&
            (best == NULL || b->bytes < best->bytes)) {
            best = b;
        }
    }
    return best;
}

/* ---- pieces ---- */

typedef void tc_piece_fn(void *user, uint64_t address, uint64_t bytes,
                         int lane);

/* Bytes of shared memory that the event writes (a STORE, an issue or its
 * completion) or, of a LOAD, reads. */
static void each_piece(const tc_model *m, const tc_trace_event *e,
                       tc_piece_fn *fn, void *user) {
    if (e->each == 0 || e->lanes == 0) {
        int lane = e->lanes ? __builtin_ctz(e->lanes) : 0;
        fn(user, e->address, e->bytes > 0 ? (uint64_t)e->bytes : 0, lane);
        return;
    }
    for (uint32_t l = e->lanes; l; l &= l - 1) {
        int lane = __builtin_ctz(l);
        fn(user, tc_trace_lane(m->trace, e, lane), e->each, lane);
    }
}

static bool writes_here(const tc_model *m, const tc_trace_event *e,
                        uint32_t cta) {
    return e->kind != TC_TRACE_LOAD && e->space == TC_TRACE_SPACE_SHARED &&
           tc_model_is_of(m, e, cta);
}

/* A copy reads its source when it lands, at the latest. */
static bool copies_from(const tc_trace_event *e, uint32_t cta) {
    return e->kind == TC_TRACE_COMPLETE &&
           e->source_space == TC_TRACE_SPACE_SHARED && e->source_owner == cta;
}

typedef struct tc_hit {
    uint64_t address;
    bool found;
    int lane;
    uint64_t at; /* where the piece begins */
} tc_hit;

static void look(void *user, uint64_t address, uint64_t bytes, int lane) {
    tc_hit *h = user;
    if (!h->found && h->address >= address && h->address - address < bytes) {
        h->found = true;
        h->lane = lane;
        h->at = address;
    }
}

static bool hits(const tc_model *m, const tc_trace_event *e, uint64_t address,
                 tc_hit *h) {
    *h = (tc_hit){.address = address};
    each_piece(m, e, look, h);
    return h->found;
}

bool tc_memory_writes(const tc_model *m, size_t position, uint32_t cta,
                      uint64_t address) {
    const tc_trace_event *e = m->order[position];
    tc_hit h;
    return (e->kind == TC_TRACE_STORE || e->kind == TC_TRACE_COMPLETE) &&
           writes_here(m, e, cta) && hits(m, e, address, &h);
}

bool tc_memory_reads(const tc_model *m, size_t position, uint32_t cta,
                     uint64_t address) {
    const tc_trace_event *e = m->order[position];
    tc_hit h;
    if (e->kind == TC_TRACE_LOAD && e->space == TC_TRACE_SPACE_SHARED &&
        tc_model_is_of(m, e, cta)) {
        return hits(m, e, address, &h);
    }
    return copies_from(e, cta) && address >= e->source && e->bytes > 0 &&
           address - e->source < (uint64_t)e->bytes;
}

/* ---- owners ---- */

static size_t issue_of(const tc_model *m, size_t position) {
    int32_t cause = m->index->cause[position];
    return m->order[position]->kind == TC_TRACE_COMPLETE && cause >= 0
               ? (size_t)cause
               : position;
}

/* The byte's address in global memory: lane l of a copy reads as far from its
 * first lane's source only where the copy is one piece. */
static uint64_t source_of(const tc_trace_event *e, const tc_hit *h) {
    bool first = e->lanes == 0 || h->lane == __builtin_ctz(e->lanes);
    if (e->source_space != TC_TRACE_SPACE_GLOBAL || e->source == 0 || !first ||
        e->kind == TC_TRACE_TENSOR) {
        return 0;
    }
    return e->source + (h->address - h->at);
}

static bool is_write(const tc_trace_event *e) {
    return e->kind == TC_TRACE_STORE || tc_trace_is_issue(e->kind);
}

static bool same_copy(const tc_model *m, size_t position, size_t issue) {
    return m->order[position]->kind == TC_TRACE_COMPLETE &&
           m->index->cause[position] == (int32_t)issue;
}

tc_byte_owner tc_memory_owner(const tc_model *m, uint32_t cta, uint64_t address,
                              size_t position) {
    tc_byte_owner o = {.issue = TC_NO_POSITION,
                       .landed = TC_NO_POSITION,
                       .read = TC_NO_POSITION,
                       .lane = -1};
    size_t c = tc_model_cta(m, cta);
    if (c >= m->index->nctas) {
        return o;
    }
    const tc_positions *p = &m->index->shared[c];
    size_t k = tc_positions_from(p, position);
    tc_hit h;
    while (k-- > 0) {
        const tc_trace_event *e = m->order[p->at[k]];
        if (!writes_here(m, e, cta) ||
            (!is_write(e) && e->kind != TC_TRACE_COMPLETE) ||
            !hits(m, e, address, &h)) {
            continue;
        }
        o.issue = issue_of(m, p->at[k]);
        e = m->order[o.issue];
        o.cta = e->cta;
        o.warp = e->warp;
        o.lane = h.lane;
        o.source = source_of(e, &h);
        o.landed = o.issue != p->at[k] || e->kind == TC_TRACE_STORE
                       ? p->at[k]
                       : TC_NO_POSITION;
        break;
    }
    for (k = tc_positions_from(p, o.issue == TC_NO_POSITION ? 0 : o.issue + 1);
         o.issue != TC_NO_POSITION && k < p->n; k++) {
        if (tc_memory_reads(m, p->at[k], cta, address)) {
            o.read = p->at[k];
            break;
        }
        if (tc_memory_writes(m, p->at[k], cta, address) &&
            !same_copy(m, p->at[k], o.issue)) {
            break;
        }
    }
    return o;
}

/* ---- the map ---- */

typedef struct tc_painter {
    uint64_t from;
    size_t n;
    uint8_t *out;
    uint32_t *writer; /* position of who wrote each byte, + 1 */
    uint8_t state;
    uint32_t by; /* position + 1; 0: leave it */
} tc_painter;

static void paint(void *user, uint64_t address, uint64_t bytes, int lane) {
    tc_painter *p = user;
    (void)lane;
    uint64_t lo = address > p->from ? address : p->from;
    uint64_t end = address + bytes, last = p->from + p->n;
    for (uint64_t a = lo; a < (end < last ? end : last); a++) {
        size_t i = (size_t)(a - p->from);
        if (p->state == TC_BYTE_READ && p->out[i] != TC_BYTE_LANDED) {
            continue; /* a read changes what has landed only */
        }
        p->out[i] = p->state;
        p->writer[i] = p->by ? p->by : p->writer[i];
    }
}

static void paint_event(const tc_model *m, tc_painter *p, uint32_t cta,
                        size_t position) {
    const tc_trace_event *e = m->order[position];
    p->by = (uint32_t)issue_of(m, position) + 1;
    if (writes_here(m, e, cta) &&
        (is_write(e) || e->kind == TC_TRACE_COMPLETE)) {
        p->state = tc_trace_is_issue(e->kind) ? TC_BYTE_FLIGHT : TC_BYTE_LANDED;
        each_piece(m, e, paint, p);
    } else if (e->kind == TC_TRACE_LOAD && tc_model_is_of(m, e, cta)) {
        p->state = TC_BYTE_READ;
        p->by = 0;
        each_piece(m, e, paint, p);
    }
    if (copies_from(e, cta)) {
        p->state = TC_BYTE_READ;
        p->by = 0;
        paint(p, e->source, e->bytes > 0 ? (uint64_t)e->bytes : 0, 0);
    }
}

void tc_memory_map(const tc_model *m, uint32_t cta, uint64_t from, size_t n,
                   int32_t row, size_t position, uint64_t now, uint8_t *out) {
    size_t c = tc_model_cta(m, cta);
    memset(out, m->first ? TC_BYTE_UNKNOWN : TC_BYTE_NEVER, n);
    if (c >= m->index->nctas || n == 0) {
        return;
    }
    tc_painter p = {.from = from, .n = n, .out = out};
    p.writer = tc_xcalloc(n, sizeof *p.writer);
    const tc_positions *s = &m->index->shared[c];
    size_t end = tc_positions_from(s, position);
    for (size_t k = 0; k < end; k++) {
        paint_event(m, &p, cta, s->at[k]);
    }
    tc_model_sight *sight = tc_sight_new(m, row, position, now);
    uint32_t last = 0;
    bool seen = false;
    for (size_t i = 0; i < n; i++) {
        if (out[i] != TC_BYTE_LANDED) {
            continue;
        }
        if (p.writer[i] != last) {
            last = p.writer[i];
            seen = last && tc_sight_sees(sight, last - 1);
        }
        out[i] = seen ? TC_BYTE_VISIBLE : TC_BYTE_LANDED;
    }
    tc_sight_free(sight);
    free(p.writer);
}
