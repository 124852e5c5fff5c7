/* model_text.c - sentences about events, intervals and rows. */
#include "trace/model_build.h"

#include <inttypes.h>
#include <string.h>

/* ---- pieces of sentences ---- */

static void put_count(tc_buf *b, uint64_t n, const char *one,
                      const char *many) {
    tc_buf_printf(b, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void put_lanes(tc_buf *b, uint32_t lanes) {
    const char *comma = "";
    tc_buf_puts(b, (lanes & (lanes - 1)) == 0 ? " lane " : " lanes ");
    for (int i = 0; i < 32; i++) {
        int j = i;
        while (j < 32 && (lanes >> j & 1)) {
            j++;
        }
        if (j > i) {
            tc_buf_printf(b, j - i > 1 ? "%s%d-%d" : "%s%d", comma, i, j - 1);
            comma = ",";
            i = j;
        }
    }
}

/* "cta 1 warp 0", with its lanes where they are not all that the warp has. */
static void put_who(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    int32_t row = tc_model_warp(m, e->cta, e->warp);
    if (row >= 0) {
        tc_buf_puts(b, m->rows[row].name);
    } else {
        tc_buf_printf(b, "warp %" PRIu32, e->warp);
    }
    uint32_t all = row >= 0 ? tc_model_lanes(m, row) : e->lanes;
    if (e->lanes && e->lanes != all) {
        put_lanes(b, e->lanes);
    }
}

static void put_bytes(tc_buf *b, int64_t bytes) {
    if (bytes >= 0) {
        tc_buf_puts(b, " of ");
        put_count(b, (uint64_t)bytes, "byte", "bytes");
    }
}

/* "A_smem", "cta 1 A_smem" if it is another CTA's; nothing where it has no
 * name. */
static bool put_place(tc_buf *b, const tc_model *m, const tc_trace_event *e,
                      const char *before, uint8_t space, uint64_t address,
                      uint32_t owner) {
    const tc_trace_buffer *x =
        tc_memory_buffer(m, (tc_trace_space)space, address);
    if (space == TC_TRACE_SPACE_TENSOR) {
        tc_buf_printf(b, "%stensor memory", before);
        return true;
    }
    if (x == NULL) {
        return false;
    }
    tc_buf_puts(b, before);
    if (space == TC_TRACE_SPACE_SHARED && owner != e->cta && !e->targets) {
        tc_buf_printf(b, "cta %" PRIu32 " ", owner);
    }
    tc_buf_puts(b, x->name);
    if (e->targets) {
        tc_buf_puts(b, " in several CTAs");
    }
    return true;
}

static const char *mbarrier_of(const tc_model *m, const tc_trace_event *e,
                               tc_buf *scratch) {
    const char *name = tc_trace_name_of(m->trace, e->barrier);
    if (name != NULL) {
        return name;
    }
    scratch->len = 0;
    tc_buf_printf(scratch, "the mbarrier at byte %" PRIu64 " of shared memory",
                  e->barrier);
    return tc_buf_text(scratch);
}

/* " at mbar[0], phase 3": what the event is about. */
static void put_object(tc_buf *b, const tc_model *m, const char *before,
                       const tc_trace_event *e) {
    tc_buf scratch = TC_BUF_INIT;
    tc_buf_puts(b, before);
    if (e->object == TC_OBJECT_MBARRIER) {
        if (e->owner != e->cta && !e->targets) {
            tc_buf_printf(b, "cta %" PRIu32 " ", e->owner);
        }
        tc_buf_puts(b, mbarrier_of(m, e, &scratch));
        if (e->phase >= 0 && e->kind != TC_TRACE_INIT) {
            tc_buf_printf(b, " (phase %" PRId32 ")", e->phase);
        }
    } else if (e->object == TC_OBJECT_CLUSTER) {
        tc_buf_puts(b, "the cluster's barrier");
    } else {
        tc_buf_printf(b, "barrier %" PRIu64, e->barrier);
    }
    tc_buf_free(&scratch);
}

static void put_stall(tc_buf *b, const tc_trace_event *e) {
    if (e->end > e->cycle) {
        tc_buf_puts(b, " and stalls for ");
        put_count(b, e->end - e->cycle, "cycle", "cycles");
        tc_buf_printf(b, ", until %" PRIu64, e->end);
    }
}

/* ---- events ---- */

static const char *what_of(const tc_trace_event *e) {
    switch ((tc_trace_kind)e->kind) {
    case TC_TRACE_BULK:
        return "a bulk copy";
    case TC_TRACE_TENSOR:
        return e->space == TC_TRACE_SPACE_TENSOR ? "tcgen05.cp"
                                                 : "a tensor copy";
    case TC_TRACE_TMEM_LOAD:
        return "tcgen05.ld";
    case TC_TRACE_TMEM_STORE:
        return "tcgen05.st";
    case TC_TRACE_MMA:
        return "wgmma.mma_async";
    default:
        return e->object == TC_OBJECT_MBARRIER ? "an asynchronous store"
                                               : "cp.async";
    }
}

static void put_issue(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    tc_buf_printf(b, " issues %s", what_of(e));
    put_bytes(b, e->bytes);
    put_place(b, m, e, " from ", e->source_space, e->source, e->source_owner);
    put_place(b, m, e, " to ", e->space, e->address, e->owner);
    if (e->object == TC_OBJECT_MBARRIER) {
        put_object(b, m, ", which reports to ", e);
    } else if (e->group >= 0) {
        tc_buf_printf(b, " for %sgroup %" PRId32,
                      e->object == TC_OBJECT_BULK_GROUP  ? "bulk "
                      : e->object == TC_OBJECT_MMA_GROUP ? "wgmma "
                                                         : "",
                      e->group);
    }
}

static void put_complete(tc_buf *b, const tc_model *m, size_t position) {
    const tc_trace_event *e = m->order[position];
    int32_t cause = m->index->cause[position];
    const tc_trace_event *i = cause >= 0 ? m->order[cause] : NULL;
    tc_buf_printf(b, ": %s", i != NULL ? what_of(i) : "a copy");
    put_bytes(b, e->bytes);
    put_place(b, m, e, " to ", e->space, e->address, e->owner);
    tc_buf_puts(b, " is complete");
    if (i != NULL) {
        tc_buf_printf(b, ", issued at cycle %" PRIu64, i->cycle);
    }
    if (e->object == TC_OBJECT_MBARRIER) {
        put_object(b, m, "; it tells ", e);
    }
}

static void put_groups(tc_buf *b, const tc_trace_event *e) {
    const char *kind = e->object == TC_OBJECT_BULK_GROUP  ? "bulk group"
                       : e->object == TC_OBJECT_MMA_GROUP ? "wgmma group"
                                                          : "group";
    const char *read = e->count ? "the sources of " : "";
    if (e->group < 0) {
        tc_buf_printf(b, " waits, with no %s to wait for", kind);
    } else if (e->group == 0) {
        tc_buf_printf(b, " waits for %s%s 0", read, kind);
    } else {
        tc_buf_printf(b, " waits for %s%ss up to %" PRId32, read, kind,
                      e->group);
    }
}

static void put_wait(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    switch ((tc_trace_object)e->object) {
    case TC_OBJECT_MBARRIER:
        put_object(b, m, " waits at ", e);
        break;
    case TC_OBJECT_TMEM_LOAD:
        tc_buf_puts(b, " waits for its tcgen05.ld");
        break;
    case TC_OBJECT_TMEM_STORE:
        tc_buf_puts(b, " waits for its tcgen05.st");
        break;
    default:
        put_groups(b, e);
        break;
    }
    put_stall(b, e);
}

static void put_commit(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    if (e->object == TC_OBJECT_MBARRIER) {
        put_object(b, m, " has tcgen05.commit arrive at ", e);
        return;
    }
    tc_buf_printf(b, " commits %sgroup %" PRId32,
                  e->object == TC_OBJECT_BULK_GROUP  ? "bulk "
                  : e->object == TC_OBJECT_MMA_GROUP ? "wgmma "
                                                     : "",
                  e->group);
}

static void put_arrive(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    bool copies = e->unit == TC_UNIT_ASYNC;
    put_object(
        b, m,
        copies ? ": its copies have landed and arrive at " : " arrives at ", e);
    if (e->count > 1) {
        tc_buf_printf(b, ", %" PRIu32 " arrivals", e->count);
    }
    if (e->bytes >= 0) {
        tc_buf_puts(b, ", and announces ");
        put_count(b, (uint64_t)e->bytes, "byte", "bytes");
    }
}

static void put_access(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    bool load = e->kind == TC_TRACE_LOAD;
    tc_buf_puts(b, load ? " loads " : " stores ");
    put_count(b, e->bytes > 0 ? (uint64_t)e->bytes : 0, "byte", "bytes");
    put_place(b, m, e, load ? " from " : " to ", e->space, e->address,
              e->owner);
}

static void put_other(tc_buf *b, const tc_model *m, const tc_trace_event *e) {
    switch ((tc_trace_kind)e->kind) {
    case TC_TRACE_PHASE: /* the subject: its CTA is told like a row's */
        if (m->index->nctas > 1 && e->owner == e->cta) {
            tc_buf_printf(b, "cta %" PRIu32 " ", e->owner);
        }
        put_object(b, m, "", e);
        tc_buf_puts(b, " is complete");
        break;
    case TC_TRACE_BARRIER:
        put_object(b, m, " comes to ", e);
        put_stall(b, e);
        break;
    case TC_TRACE_INIT:
        put_object(b, m, " initialises ", e);
        tc_buf_puts(b, " for ");
        put_count(b, e->count, "arrival", "arrivals");
        break;
    case TC_TRACE_EXPECT:
        put_object(b, m, " announces to ", e);
        put_bytes(b, e->bytes);
        break;
    case TC_TRACE_TRACK:
        put_object(b, m, " has its copies arrive, once they have landed, at ",
                   e);
        break;
    default:
        tc_buf_puts(b, " exits");
        break;
    }
}

void tc_model_event_text(tc_buf *b, const tc_model *m, size_t position) {
    const tc_trace_event *e = m->order[position];
    if (e->kind != TC_TRACE_PHASE) {
        put_who(b, m, e);
    }
    if (tc_trace_is_issue(e->kind)) {
        put_issue(b, m, e);
        return;
    }
    switch ((tc_trace_kind)e->kind) {
    case TC_TRACE_COMPLETE:
        put_complete(b, m, position);
        break;
    case TC_TRACE_WAIT:
        put_wait(b, m, e);
        break;
    case TC_TRACE_COMMIT:
        put_commit(b, m, e);
        break;
    case TC_TRACE_ARRIVE:
        put_arrive(b, m, e);
        break;
    case TC_TRACE_LOAD:
    case TC_TRACE_STORE:
        put_access(b, m, e);
        break;
    default:
        put_other(b, m, e);
        break;
    }
}

void tc_model_mark_text(tc_buf *b, const tc_model *m, const tc_row *row,
                        const tc_mark *mark) {
    size_t first = row->events[mark->first];
    const tc_trace_event *e = m->order[first];
    if (mark->n == 1 || !mark->plain) {
        tc_model_event_text(b, m, first);
        if (mark->n > 1) {
            tc_buf_printf(b, " (%" PRIu32 " times)", mark->n);
        }
        return;
    }
    put_who(b, m, e);
    const char *and = " ";
    if (mark->loads) {
        tc_buf_puts(b, " loads ");
        put_count(b, mark->loads, "time", "times");
        and = " and ";
    }
    if (mark->stores) {
        tc_buf_printf(b, "%sstores ", and);
        put_count(b, mark->stores, "time", "times");
    }
    tc_buf_puts(b, ", ");
    put_count(b, mark->bytes, "byte", "bytes");
    tc_buf_printf(b, ", until cycle %" PRIu64, mark->end);
}

/* ---- intervals ---- */

void tc_interval_name(tc_buf *b, const tc_model *m, const tc_row *row,
                      const tc_interval *i) {
    const tc_trace_event *e = i->copy >= 0 ? m->order[i->copy] : NULL;
    switch ((tc_row_kind)row->kind) {
    case TC_ROW_WARP:
        tc_buf_puts(b, i->kind == TC_INTERVAL_STALL
                           ? tc_stall_names[i->cause]
                           : tc_interval_kind_names[i->kind]);
        break;
    case TC_ROW_GROUPS:
    case TC_ROW_BULK_GROUPS:
    case TC_ROW_MMA:
        if (i->group >= 0) {
            tc_buf_printf(b, "group %" PRId32, i->group);
        } else {
            tc_buf_printf(b, "copies of %s", m->rows[i->barrier].name);
        }
        break;
    case TC_ROW_MBARRIER:
        tc_buf_printf(b, "phase %" PRId32, i->phase);
        break;
    case TC_ROW_COPIES:
        if (e == NULL ||
            !put_place(b, m, e, "", e->space, e->address, e->owner)) {
            tc_buf_puts(b, "copy");
        }
        break;
    case TC_ROW_TMEM:
        tc_buf_puts(b, e != NULL ? what_of(e) : "tcgen05.wait");
        break;
    default:
        tc_buf_puts(b, row->name);
        break;
    }
}

/* ---- rows at a cycle ---- */

static void put_names(tc_buf *b, const tc_model *m, const int32_t *rows,
                      size_t n, size_t cap) {
    for (size_t i = 0; i < n && i < cap; i++) {
        tc_buf_printf(b, "%s%s", i ? ", " : "",
                      rows[i] >= 0 ? m->rows[rows[i]].name : "?");
    }
    if (n > cap) {
        tc_buf_printf(b, " and %zu more", n - cap);
    }
}

static void put_waiters(tc_buf *b, const tc_model *m, int32_t row,
                        uint64_t cycle) {
    enum { MOST = 8 };
    int32_t rows[MOST];
    size_t n = tc_model_waiters(m, row, cycle, rows, MOST);
    if (n) {
        tc_buf_puts(b, "; ");
        put_names(b, m, rows, n, MOST);
        tc_buf_puts(b, n == 1 ? " waits" : " wait");
    }
}

static void put_mbarrier_at(tc_buf *b, const tc_model *m, int32_t row,
                            uint64_t cycle) {
    tc_mbarrier_at at = tc_model_mbarrier_at(m, row, cycle);
    if (!at.live) {
        tc_buf_puts(b, "not initialised");
        return;
    }
    tc_buf_printf(b,
                  "phase %" PRIu32 " (parity %" PRIu32 "), %" PRIu32
                  " of %" PRIu32 " arrivals pending",
                  at.phase, at.parity, at.pending,
                  at.pending > at.expected ? at.pending : at.expected);
    if (at.pending > at.expected) {
        tc_buf_printf(b, " (%" PRIu32 " expected, the others are of copies)",
                      at.expected);
    }
    if (at.announced || at.landed || at.tx) {
        tc_buf_printf(b, ", %" PRIu64 " of %" PRIu64 " announced bytes landed",
                      at.landed, at.announced);
    }
    put_waiters(b, m, row, cycle);
}

static void put_warp_at(tc_buf *b, const tc_model *m, int32_t row,
                        uint64_t cycle) {
    tc_warp_at at = tc_model_warp_at(m, row, cycle);
    if (!at.started || at.exited) {
        tc_buf_puts(b, at.exited ? "has exited" : "has not started");
        return;
    }
    if (at.stalled) {
        tc_buf_printf(b, "stalls: %s", tc_stall_names[at.cause]);
    } else {
        tc_buf_puts(b, "issues instructions");
    }
    if (at.line > 0) {
        tc_buf_printf(b, " at line %" PRId32, at.line);
    }
    if (at.in != NULL && at.in->end != TC_OPEN) {
        tc_buf_printf(b, ", until cycle %" PRIu64, at.in->end);
    }
}

static void put_intervals_at(tc_buf *b, const tc_model *m, int32_t row,
                             uint64_t cycle) {
    enum { MOST = 16 };
    const tc_interval *at[MOST];
    size_t n = tc_model_at(m, row, cycle, at, MOST);
    for (size_t i = 0; i < n && i < MOST; i++) {
        tc_buf_puts(b, i ? "; " : "");
        tc_interval_name(b, m, &m->rows[row], at[i]);
        tc_buf_printf(b, " %s", tc_interval_kind_names[at[i]->kind]);
        if (at[i]->kind == TC_INTERVAL_UNCOMMITTED ||
            at[i]->kind == TC_INTERVAL_FLIGHT) {
            tc_buf_printf(b, " since cycle %" PRIu64, at[i]->begin);
        }
        if (at[i]->bytes) {
            tc_buf_puts(b, ", ");
            put_count(b, at[i]->bytes, "byte", "bytes");
        }
    }
    if (n > MOST) {
        tc_buf_printf(b, "; and %zu more", n - MOST);
    }
    if (n == 0) {
        tc_buf_puts(b, "nothing pending");
    }
}

void tc_model_row_text(tc_buf *b, const tc_model *m, int32_t row,
                       uint64_t cycle) {
    const tc_row *r = &m->rows[row];
    tc_buf_printf(b, "%s: ", r->name);
    switch ((tc_row_kind)r->kind) {
    case TC_ROW_WARP:
        put_warp_at(b, m, row, cycle);
        break;
    case TC_ROW_MBARRIER:
        put_mbarrier_at(b, m, row, cycle);
        break;
    case TC_ROW_BARRIER:
    case TC_ROW_CLUSTER: {
        int32_t one;
        bool waits = tc_model_waiters(m, row, cycle, &one, 1) > 0;
        tc_buf_puts(b, waits ? "gathering" : "nobody waits");
        put_waiters(b, m, row, cycle);
        break;
    }
    default:
        put_intervals_at(b, m, row, cycle);
        break;
    }
}
