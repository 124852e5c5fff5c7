/* model_marks.c - the steps of a row, and where findings are. */
#include "trace/model_build.h"

#include <stdlib.h>
#include <string.h>

/* ---- findings ---- */

/* The event of the finding's warp at its cycle, best of its line and its
 * lane; else the first event at the cycle or later. */
static size_t place_of(const tc_model *m, const tc_trace_finding *f) {
    size_t first = tc_model_seek(m, f->cycle), best = first;
    int most = -1;
    for (size_t i = first; i < m->n && m->order[i]->cycle == f->cycle; i++) {
        const tc_trace_event *e = m->order[i];
        bool own = e->cta == f->cta && e->warp == f->warp;
        int score = own * 4 + (own && e->line == f->line) * 2 +
                    (own && (e->lanes >> (f->lane & 31) & 1));
        if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

static int by_position(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void tc_model_place_findings(tc_model *m) {
    tc_model_index *x = m->index;
    size_t n = m->trace->nfindings;
    x->finding_at = TC_NEWN(m->arena, uint32_t, n + 1);
    x->findings.at = TC_NEWN(m->arena, uint32_t, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t at = place_of(m, &m->trace->findings[i]);
        at = at == m->n && m->n ? m->n - 1 : at;
        x->finding_at[i] = x->findings.at[i] = (uint32_t)at;
    }
    x->findings.n = m->n ? n : 0;
    if (n) {
        qsort(x->findings.at, n, sizeof *x->findings.at, by_position);
    }
}

size_t tc_model_finding(const tc_model *m, size_t i) {
    return m->n ? m->index->finding_at[i] : 0;
}

static bool is_finding(const tc_model *m, size_t position) {
    const tc_positions *f = &m->index->findings;
    size_t i = tc_positions_from(f, position);
    return i < f->n && f->at[i] == position;
}

/* ---- marks ---- */

static tc_mark mark_of(const tc_model *m, const tc_row *row, size_t k) {
    uint32_t p = row->events[k];
    const tc_trace_event *e = m->order[p];
    return (tc_mark){.cycle = e->cycle,
                     .end = tc_event_end(e),
                     .first = (uint32_t)k,
                     .n = 1,
                     .kind = e->kind,
                     .plain = tc_trace_is_plain(e->kind),
                     .loads = e->kind == TC_TRACE_LOAD,
                     .stores = e->kind == TC_TRACE_STORE,
                     .bytes = e->bytes > 0 ? (uint64_t)e->bytes : 0,
                     .line = e->line,
                     .line_last = e->line,
                     .finding = is_finding(m, p)};
}

/* Steps that read as one: plain accesses; what an instruction does to one
 * object for lanes that took turns. A finding begins a step of its own. */
static bool joins(const tc_model *m, const tc_row *row, const tc_mark *a,
                  const tc_mark *b) {
    if (a->finding || b->finding) {
        return false;
    }
    if (a->plain || b->plain) {
        return a->plain && b->plain;
    }
    const tc_trace_event *x = m->order[row->events[a->first + a->n - 1]];
    const tc_trace_event *y = m->order[row->events[b->first]];
    return x->kind == y->kind && x->cycle == y->cycle && x->cta == y->cta &&
           x->warp == y->warp && x->ptx_line == y->ptx_line &&
           x->object == y->object && x->barrier == y->barrier &&
           x->group == y->group && x->phase == y->phase;
}

void tc_model_make_marks(tc_model *m, tc_row *row) {
    int n = 0, cap = 0;
    for (size_t k = 0; k < row->nevents; k++) {
        tc_mark next = mark_of(m, row, k);
        tc_mark *last = n ? &row->marks[n - 1] : NULL;
        if (last == NULL || !joins(m, row, last, &next)) {
            TC_PUSH(m->arena, row->marks, n, cap, next);
            row->nmarks = (size_t)n;
            continue;
        }
        last->n++;
        last->end = next.end > last->end ? next.end : last->end;
        last->loads += next.loads;
        last->stores += next.stores;
        last->bytes += next.bytes;
        last->line_last = next.line;
    }
}
