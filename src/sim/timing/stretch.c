/* stretch.c - what the trace is told of a warp's cycles between its events:
 * stretches in which it issues, and stalls with their cause. */
#include "sim/timing/sm.h"

static void add(tc_warp *w, uint64_t begin, uint64_t end, uint32_t issued,
                tc_stall cause, const tc_ptx_op *op) {
    tc_trace_add_stretch(
        w->cta->run->trace,
        &(tc_trace_stretch){.begin = begin,
                            .end = end,
                            .cta = w->cta->index,
                            .warp = w->index,
                            .issued = issued,
                            .line = op && op->file <= 1 ? (int32_t)op->line : 0,
                            .ptx_line = op ? op->ptx_line : 0,
                            .cause = (uint8_t)cause});
}

static void close(tc_warp *w) {
    tc_warp_stretch *s = &w->core->stretch;
    if (s->issued) {
        add(w, s->begin, s->end, s->issued, TC_STALL_FIXED, s->op);
    }
    s->issued = 0;
}

void tc_stretch_stalled(tc_warp_core *k, tc_stall cause, uint64_t cycles) {
    tc_warp_stretch *s = &k->stretch;
    if (cycles > s->most) {
        s->most = cycles;
        s->cause = (uint8_t)cause;
    }
}

void tc_stretch_issue(tc_warp *w, uint64_t now, const tc_ptx_op *op) {
    tc_warp_stretch *s = &w->core->stretch;
    if (now >= s->end + TC_STALL_LEAST) {
        close(w);
        add(w, s->end, now, 0, s->cause, op);
    }
    s->begin = s->issued ? s->begin : now;
    s->issued++;
    s->end = now + 1;
    s->op = op;
    s->most = 0;
}

/* Of a warp that the run's end finds standing: at its first split that waits,
 * or at its next op. */
static void stands(tc_warp *w) {
    tc_warp_core *k = w->core;
    uint64_t now = w->cta->run->cycle;
    const tc_ptx_op *op = k->stretch.op;
    tc_stall why = TC_STALL_SLEEP;
    for (int i = 0; i < k->nsplit; i++) {
        if (k->split[i].op) {
            tc_timing_asleep(w, &why);
            op = k->split[i].op;
            break;
        }
    }
    if (now >= k->stretch.end + TC_STALL_LEAST) {
        add(w, k->stretch.end, now, 0, why, op);
    }
}

void tc_timing_warp_end(tc_warp *w) {
    if (!w->cta->run->trace) {
        return;
    }
    close(w);
    if (w->alive) {
        stands(w);
    }
}
