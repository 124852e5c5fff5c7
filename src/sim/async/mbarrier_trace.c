/* mbarrier_trace.c - what the trace is told of mbarriers. */
#include "sim/async/mbarrier.h"
#include "sim/isa/isa.h"

static tc_trace_event event_of(const tc_mbarrier_ref *b, uint32_t phase) {
    return (tc_trace_event){.group = -1,
                            .bytes = -1,
                            .object = TC_OBJECT_MBARRIER,
                            .owner = b->cta->index,
                            .phase = (int32_t)phase,
                            .barrier = b->offset};
}

/* The last event, if it is one that the lane's is part of. */
static tc_trace_event *same_step(tc_warp *w, const tc_ptx_op *op,
                                 tc_trace_kind kind, int lane,
                                 const tc_trace_event *e) {
    const tc_run *r = w->cta->run;
    const tc_trace *t = r->trace;
    tc_trace_event *last = t->n ? &t->events[t->n - 1] : NULL;
    bool same = last && last->kind == kind && last->cycle == r->cycle &&
                last->cta == w->cta->index && last->warp == w->index &&
                last->ptx_line == op->ptx_line && last->owner == e->owner &&
                last->barrier == e->barrier && last->phase == e->phase &&
                (last->bytes < 0) == (e->bytes < 0) &&
                (last->lanes >> lane & 1) == 0;
    return same ? last : NULL;
}

void tc_mbarrier_trace(tc_warp *w, const tc_ptx_op *op, tc_trace_kind kind,
                       int lane, const tc_mbarrier_ref *b, uint32_t arrivals,
                       int32_t bytes) {
    if (!w->cta->run->trace) {
        return;
    }
    uint32_t lanes = UINT32_C(1) << lane;
    tc_trace_event e = event_of(b, tc_mbarrier_phase(*b));
    e.count = arrivals;
    e.bytes = bytes;
    tc_trace_event *last = same_step(w, op, kind, lane, &e);
    if (last) {
        last->lanes |= lanes;
        last->count += arrivals;
        last->bytes += bytes > 0 ? bytes : 0;
        return;
    }
    bool copies = op->opcode == TC_PTX_CP_ASYNC_MBARRIER_ARRIVE;
    tc_observe_event(w, op, kind, copies ? TC_UNIT_ASYNC : TC_UNIT_BARRIER,
                     lanes, e);
}

void tc_mbarrier_trace_phase(tc_run *r, tc_mbarrier_ref b, uint32_t phase,
                             const tc_access *by) {
    if (!r->trace) {
        return;
    }
    const tc_ptx_op *op = by->op;
    tc_trace_event e = event_of(&b, phase);
    e.cycle = e.end = r->cycle;
    e.kind = TC_TRACE_PHASE;
    e.unit = TC_UNIT_BARRIER;
    e.cta = by->cta;
    e.warp = by->warp;
    e.lanes = UINT32_C(1) << by->lane;
    e.cause = -1;
    e.line = op && op->file <= 1 ? (int32_t)op->line : 0;
    e.ptx_line = op ? op->ptx_line : 0;
    tc_trace_add(r->trace, &e);
}

void tc_mbarrier_trace_fields(tc_run *r, tc_mbarrier_ref b,
                              const tc_mbarrier *m) {
    tc_trace *t = r->trace;
    if (!t) {
        return;
    }
    tc_mbarrier_state s = tc_mbarrier_unpack(m->bits);
    tc_trace_fields f = {.cycle = r->cycle,
                         .owner = b.cta->index,
                         .offset = b.offset,
                         .phase = m->phase,
                         .pending = s.pending,
                         .expected = s.expected,
                         .tx = s.tx,
                         .announced = (uint32_t)m->announced,
                         .landed = (uint32_t)m->copied,
                         .after = (int32_t)(t->dropped + t->n) - 1,
                         .live = m->live};
    tc_trace_fields *last = t->nfields ? &t->fields[t->nfields - 1] : NULL;
    if (last && last->after == f.after && last->owner == f.owner &&
        last->offset == f.offset) {
        *last = f; /* the same event's, of one more lane */
    } else {
        tc_trace_add_fields(t, &f);
    }
}
