/* stamped_trace.c - what stamps have told, as a trace: the timeline's model is
 * made of it, as of any other. */
#include "commands/time/stamped.h"

#include <string.h>

static tc_trace_kind copy_kind(const char *name) {
    return strncmp(name, "cp.async.bulk.tensor", 20) == 0 ? TC_TRACE_TENSOR
           : strncmp(name, "cp.async.bulk", 13) == 0      ? TC_TRACE_BULK
                                                          : TC_TRACE_ISSUE;
}

static tc_trace_kind kind_of(const tc_stamp_place *p) {
    const char *name = tc_ptx_ops[p->op->opcode].name;
    switch (tc_ptx_effect_of(p->op)) {
    case TC_PTX_EFFECT_BARRIER:
        return TC_TRACE_BARRIER;
    case TC_PTX_EFFECT_GROUP:
        return p->waits ? TC_TRACE_WAIT : TC_TRACE_COMMIT;
    case TC_PTX_EFFECT_MBARRIER:
        return p->waits                       ? TC_TRACE_WAIT
               : strstr(name, "init") != NULL ? TC_TRACE_INIT
                                              : TC_TRACE_ARRIVE;
    case TC_PTX_EFFECT_TMEM_LOAD:
        return p->waits ? TC_TRACE_WAIT : TC_TRACE_TMEM_LOAD;
    case TC_PTX_EFFECT_TMEM_STORE:
        return p->waits ? TC_TRACE_WAIT : TC_TRACE_TMEM_STORE;
    case TC_PTX_EFFECT_ASYNC_MMA:
        return TC_TRACE_MMA;
    default:
        return copy_kind(name);
    }
}

static tc_stall cause_of(const tc_stamp_place *p) {
    switch (tc_ptx_effect_of(p->op)) {
    case TC_PTX_EFFECT_BARRIER:
        return TC_STALL_BARRIER;
    case TC_PTX_EFFECT_MBARRIER:
        return TC_STALL_MBARRIER;
    default:
        return TC_STALL_COPY;
    }
}

static void add_stretch(tc_trace *t, const tc_stamped_warp *w, uint64_t begin,
                        uint64_t end, bool stalls, const tc_stamp_place *p) {
    tc_trace_stretch s = {.begin = begin,
                          .end = end,
                          .warp = (uint32_t)w->warp,
                          .issued = stalls ? 0 : 1,
                          .line = (int32_t)p->op->line,
                          .ptx_line = p->op->ptx_line,
                          .cause = stalls ? (uint8_t)cause_of(p) : 0};
    if (end > begin) {
        tc_trace_add_stretch(t, &s);
    }
}

/* A stamp's cost is an estimate: what it makes negative is 0. */
static uint64_t cycle(int64_t at) {
    return at > 0 ? (uint64_t)at : 0;
}

static uint64_t add_warp(tc_trace *t, const tc_stamped_warp *w) {
    uint64_t last = 0;
    for (int i = 0; i < w->n; i++) {
        const tc_stamped_step *x = &w->steps[i];
        uint64_t at = cycle(x->at), after = cycle(x->after);
        at = at < last ? last : at;
        after = after < at ? at : after;
        tc_trace_event e = {.kind = (uint8_t)kind_of(x->place),
                            .cycle = at,
                            .end = after,
                            .lanes = 1,
                            .warp = (uint32_t)w->warp,
                            .group = -1,
                            .phase = -1,
                            .bytes = -1,
                            .cause = -1,
                            .line = (int32_t)x->place->op->line,
                            .ptx_line = x->place->op->ptx_line};
        tc_trace_add(t, &e);
        add_stretch(t, w, last, at, false, x->place);
        add_stretch(t, w, at, after, true, x->place);
        last = after;
    }
    return last;
}

tc_trace *tc_stamped_trace(const tc_stamped_run *r) {
    tc_trace *t = tc_trace_new();
    t->ctas = 1;
    for (int i = 0; i < r->n; i++) {
        uint64_t last = add_warp(t, &r->warps[i]);
        uint32_t warps = (uint32_t)r->warps[i].warp + 1;
        t->cycles = last > t->cycles ? last : t->cycles;
        t->warps = warps > t->warps ? warps : t->warps;
    }
    tc_trace_finish(t);
    return t;
}
