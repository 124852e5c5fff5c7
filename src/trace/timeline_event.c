/* timeline_event.c - words for lanes, warps and events. */
#include "trace/timeline.h"

#include <inttypes.h>

/* The lanes of a warp that any row of it shows. */
static uint32_t lanes_of_warp(const tc_timeline *tl, uint32_t cta,
                              uint32_t warp) {
    size_t lo = 0, hi = tl->nrows; /* rows are sorted by CTA and warp */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const tc_timeline_row *r = &tl->rows[mid];
        if (r->cta < cta || (r->cta == cta && r->warp < warp)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    uint32_t lanes = 0;
    for (;
         lo < tl->nrows && tl->rows[lo].cta == cta && tl->rows[lo].warp == warp;
         lo++) {
        lanes |= tl->rows[lo].lanes;
    }
    return lanes;
}

static void name_warp(tc_buf *b, const tc_timeline *tl, uint32_t cta,
                      uint32_t warp, uint32_t lanes) {
    bool many =
        tl->trace->ctas > 1 ||
        (tl->nrows > 0 && tl->rows[0].cta != tl->rows[tl->nrows - 1].cta);
    if (many) {
        tc_buf_printf(b, "cta %" PRIu32 " ", cta);
    }
    tc_buf_printf(b, "warp %" PRIu32, warp);
    if (lanes == 0 || lanes == lanes_of_warp(tl, cta, warp)) {
        return;
    }
    bool one = (lanes & (lanes - 1)) == 0;
    tc_buf_puts(b, one ? " lane " : " lanes ");
    tc_trace_put_lanes(b, lanes);
}

void tc_timeline_label(tc_buf *b, const tc_timeline *tl,
                       const tc_timeline_row *row) {
    name_warp(b, tl, row->cta, row->warp, row->lanes);
}

static void bytes(tc_buf *b, const tc_trace_event *e) {
    if (e->bytes >= 0) {
        tc_buf_printf(b, " of %" PRId32 " byte%s", e->bytes,
                      e->bytes == 1 ? "" : "s");
    }
}

static void at_barrier(tc_buf *b, const tc_trace_event *e) {
    if (e->object >= TC_OBJECT_MBARRIER && e->object <= TC_OBJECT_CLUSTER) {
        tc_buf_printf(b, " %" PRIu64, e->barrier);
    }
    if (e->phase >= 0) {
        tc_buf_printf(b, " (phase %" PRId32 ")", e->phase);
    }
}

static void stall(tc_buf *b, const tc_trace_event *e) {
    if (e->end > e->cycle) {
        tc_buf_printf(
            b, " and stands still for %" PRIu64 " cycle%s, until %" PRIu64,
            e->end - e->cycle, e->end - e->cycle == 1 ? "" : "s", e->end);
    }
}

static void issue_text(tc_buf *b, const tc_trace_event *e) {
    tc_buf_puts(b, " issues an asynchronous copy");
    bytes(b, e);
    if (e->group >= 0) {
        tc_buf_printf(b, " for group %" PRId32, e->group);
    } else if (e->object == TC_OBJECT_MBARRIER) {
        tc_buf_puts(b, " that reports to the barrier");
        at_barrier(b, e);
    } else {
        tc_buf_puts(b, " that no commit takes");
    }
}

static void complete_text(tc_buf *b, const tc_timeline *tl,
                          const tc_trace_event *e) {
    bytes(b, e);
    tc_buf_puts(b, " have landed");
    if (e->group >= 0) {
        tc_buf_printf(b, " for group %" PRId32, e->group);
    }
    if (e->cause >= 0 && (size_t)e->cause < tl->trace->n) {
        const tc_trace_event *i = &tl->trace->events[e->cause];
        tc_buf_printf(b, ", issued at cycle %" PRIu64, i->cycle);
    }
}

static void wait_text(tc_buf *b, const tc_trace_event *e) {
    if (e->object == TC_OBJECT_MBARRIER) {
        tc_buf_puts(b, " waits at the barrier");
        at_barrier(b, e);
    } else if (e->group > 0) {
        tc_buf_printf(b, " waits for groups up to %" PRId32, e->group);
    } else if (e->group == 0) {
        tc_buf_puts(b, " waits for group 0");
    } else {
        tc_buf_puts(b, " waits, with no group to wait for");
    }
    stall(b, e);
}

void tc_timeline_event_text(tc_buf *b, const tc_timeline *tl,
                            const tc_trace_event *e) {
    name_warp(b, tl, e->cta, e->warp, e->lanes);
    switch ((tc_trace_kind)e->kind) {
    case TC_TRACE_ISSUE:
    case TC_TRACE_BULK:
    case TC_TRACE_TENSOR:
        issue_text(b, e);
        break;
    case TC_TRACE_TMEM_LOAD:
    case TC_TRACE_TMEM_STORE:
    case TC_TRACE_MMA:
    case TC_TRACE_INIT:
    case TC_TRACE_EXPECT:
    case TC_TRACE_TRACK:
        tc_buf_printf(b, ": %s", tc_trace_kind_names[e->kind]);
        at_barrier(b, e);
        break;
    case TC_TRACE_COMMIT:
        tc_buf_printf(b, " commits its copies as group %" PRId32, e->group);
        break;
    case TC_TRACE_COMPLETE:
        tc_buf_puts(b, ": copies");
        complete_text(b, tl, e);
        break;
    case TC_TRACE_WAIT:
        wait_text(b, e);
        break;
    case TC_TRACE_ARRIVE:
        tc_buf_puts(b, " arrives at barrier");
        at_barrier(b, e);
        break;
    case TC_TRACE_PHASE:
        tc_buf_puts(b, ": a phase ends at barrier");
        at_barrier(b, e);
        break;
    case TC_TRACE_BARRIER:
        tc_buf_puts(b, " reaches barrier");
        at_barrier(b, e);
        stall(b, e);
        break;
    case TC_TRACE_LOAD:
    case TC_TRACE_STORE:
        tc_buf_puts(b, e->kind == TC_TRACE_LOAD ? " loads" : " stores");
        if (e->bytes >= 0) {
            tc_buf_printf(b, " %" PRId32 " bytes", e->bytes);
        }
        break;
    case TC_TRACE_EXIT:
        tc_buf_puts(b, " ends");
        break;
    case TC_TRACE_KIND_COUNT:
        break;
    }
}
