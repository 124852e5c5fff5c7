/* barrier.c - bar.sync, barrier.sync (PTX ISA 9.7.13.1), bar.warp.sync
 * (9.7.13.2), fences, and what is said when nobody can go on.
 *
 * Threads that ended are not waited for when no count is given, as on the
 * hardware; the checker reports them. With a count, a warp whose live lanes
 * have all arrived counts as 32 threads. */
#include "base/buf.h"
#include "sim/hazard.h"
#include "sim/internal.h"

typedef struct tc_arrivals {
    uint32_t threads; /* as the barrier counts them */
    uint32_t wanted;
    bool any;
} tc_arrivals;

static uint32_t warp_arrived(const tc_warp *w, uint32_t id, uint32_t *count) {
    uint32_t lanes = 0;
    for (int i = 0; i < w->core->nsplit; i++) {
        const tc_split *s = &w->core->split[i];
        if (s->state == TC_SPLIT_BARRIER && s->barrier == id) {
            lanes |= s->mask;
            if (s->count) {
                *count = s->count;
            }
        }
    }
    return lanes;
}

static tc_arrivals arrivals(const tc_cta *c, uint32_t id) {
    tc_arrivals a = {0};
    uint32_t count = 0, live = 0, plain = 0;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        const tc_warp *w = &c->warps[i];
        uint32_t lanes = warp_arrived(w, id, &count);
        a.any |= lanes != 0;
        live += tc_popc(w->alive);
        plain += tc_popc(lanes);
        a.threads += lanes && lanes == w->alive ? 32 : tc_popc(lanes);
    }
    a.wanted = count ? count : live;
    if (!count) {
        a.threads = plain;
    }
    return a;
}

static void release(tc_cta *c, uint32_t id) {
    tc_run *r = c->run;
    r->progress++;
    r->counters.barriers++;
    if (r->hazard) {
        tc_hazard_barrier(c, id);
    }
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_warp *w = &c->warps[i];
        for (int j = 0; j < w->core->nsplit; j++) {
            tc_split *s = &w->core->split[j];
            if (s->state != TC_SPLIT_BARRIER || s->barrier != id) {
                continue;
            }
            uint64_t at = r->timing ? r->cycle + tc_timing_barrier(c) : 0;
            if (r->trace) {
                tc_observe_event(w, s->op, TC_TRACE_BARRIER, TC_UNIT_BARRIER,
                                 s->mask,
                                 (tc_trace_event){.cycle = s->since,
                                                  .end = at,
                                                  .group = -1,
                                                  .bytes = -1,
                                                  .barrier = id + 1});
            }
            tc_warp_release(w, s, at);
        }
    }
}

void tc_barrier_check(tc_cta *c) {
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        const tc_warp_core *k = c->warps[i].core;
        for (int j = 0; j < k->nsplit; j++) {
            if (k->split[j].state == TC_SPLIT_BARRIER) {
                waiting |= UINT32_C(1) << k->split[j].barrier;
            }
        }
    }
    for (uint32_t id = 0; waiting; id++, waiting >>= 1) {
        if (waiting & 1) {
            tc_arrivals a = arrivals(c, id);
            if (a.any && a.threads >= a.wanted) {
                release(c, id);
            }
        }
    }
}

static uint32_t operand_of(tc_warp *w, const tc_ptx_op *op, int i,
                           uint32_t mask) {
    uint32_t tmp[TC_LANES];
    if (i >= op->noperands || op->a[i].kind == TC_PO_NONE) {
        return 0;
    }
    return tc_src32(w, &op->a[i], tmp)[tc_first(mask)];
}

static void barrier(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t id = operand_of(w, op, 0, mask),
             count = operand_of(w, op, 1, mask);
    if (id >= TC_BARRIERS || count % TC_LANES) {
        tc_fault(w, op, tc_first(mask), TC_FINDING_TRAP, TC_PS_REG, 0, 0,
                 id >= TC_BARRIERS
                     ? "a CTA has the barriers 0 to 15"
                     : "a barrier's thread count is a multiple of 32");
        return;
    }
    tc_split *s = tc_warp_block(w, mask, w->core->pc, TC_SPLIT_BARRIER, op);
    s->barrier = (uint8_t)id;
    s->count = count;
    tc_barrier_check(w->cta);
}

void tc_sim_op_BAR_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    barrier(w, op, mask);
}

void tc_sim_op_BARRIER_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    barrier(w, op, mask);
}

/* Waits until the lanes of the member mask have arrived, and orders them. */
void tc_sim_op_BAR_WARP_SYNC(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint32_t need = operand_of(w, op, 0, mask);
    if (!tc_warp_converged(w, op, mask, need)) {
        return;
    }
    if (w->cta->run->hazard) {
        tc_hazard_warp_sync(w, mask);
    }
}

/* 9.7.13.4. One memory, in order: only the checker has anything to do. */
void tc_sim_op_MEMBAR(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    (void)op;
    if (w->cta->run->hazard) {
        tc_hazard_fence(w, mask);
    }
}

void tc_sim_op_FENCE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_sim_op_MEMBAR(w, op, mask);
}

/* ---- nobody can go on ---- */

static void describe_lanes(tc_buf *b, uint32_t mask) {
    const char *sep = "";
    if (mask == UINT32_MAX) {
        tc_buf_puts(b, "all lanes");
        return;
    }
    tc_buf_puts(b, tc_popc(mask) == 1 ? "lane " : "lanes ");
    for (int i = 0; i < TC_LANES; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        int j = i;
        while (j + 1 < TC_LANES && (mask >> (j + 1) & 1)) {
            j++;
        }
        tc_buf_printf(b, i == j ? "%s%d" : "%s%d-%d", sep, i, j);
        sep = ", ";
        i = j;
    }
}

/* stuck: nobody can go on, so who waits for nothing else must be looping. */
static void describe_split(tc_buf *b, const tc_warp *w, const tc_split *s,
                           bool stuck) {
    const tc_ptx_op *op = s->op ? s->op : &w->cta->run->module->code[s->pc];
    uint32_t line = op->line ? op->line : op->ptx_line;
    const char *where = op->line ? "line" : "PTX line";
    tc_buf_printf(b, "CTA %u, warp %u, ", w->cta->index, w->index);
    describe_lanes(b, s->mask);
    if (s->state == TC_SPLIT_BARRIER) {
        tc_arrivals a = arrivals(w->cta, s->barrier);
        tc_buf_printf(b,
                      ": barrier %u (%s %u), where %u of %u threads have "
                      "arrived",
                      s->barrier, where, line, a.threads, a.wanted);
    } else if (s->state == TC_SPLIT_WARP) {
        tc_buf_printf(b, ": %s (%s %u) for ", tc_ptx_ops[op->opcode].name,
                      where, line);
        describe_lanes(b, s->need & ~s->mask);
    } else if (stuck) {
        tc_buf_printf(b,
                      ": loops at %s %u, and nothing is left that could "
                      "change what it tests",
                      where, line);
    } else {
        tc_buf_printf(b, ": at %s %u", where, line);
    }
    tc_buf_puts(b, "\n");
}

enum { LISTED = 64 }; /* more lines than anyone reads */

/* Where the lanes of n CTAs are, a line a split. *first gets the first of them;
 * returns how many lanes there are. */
static uint32_t describe_all(tc_buf *b, tc_run *r, const tc_cta *ctas,
                             uint32_t n, bool stuck, tc_access *first) {
    int listed = 0;
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < ctas[i].nwarps; j++) {
            const tc_warp *w = &ctas[i].warps[j];
            for (int k = 0; k < w->core->nsplit && w->alive; k++) {
                const tc_split *s = &w->core->split[k];
                if (!first->valid) {
                    *first =
                        tc_access_of(w, s->op ? s->op : &r->module->code[s->pc],
                                     tc_first(s->mask));
                }
                lanes += tc_popc(s->mask);
                if (listed++ < LISTED) {
                    describe_split(b, w, s, stuck);
                }
            }
        }
    }
    if (listed > LISTED) {
        tc_buf_printf(b, "and %d more\n", listed - LISTED);
    }
    return lanes;
}

void tc_deadlock(tc_run *r, tc_cta *ctas, uint32_t n) {
    tc_buf b = TC_BUF_INIT;
    tc_finding f = {.kind = TC_FINDING_DEADLOCK};
    f.lanes = describe_all(&b, r, ctas, n, true, &f.at);
    f.detail = tc_buf_finish(&b, r->sim->arena);
    tc_find(r, &f);
    r->status = TC_RUN_DEADLOCK;
    r->stopped = true;
}

void tc_cancelled(tc_run *r, tc_cta *ctas, uint32_t n) {
    tc_buf b = TC_BUF_INIT;
    tc_access first = {0};
    describe_all(&b, r, ctas, n, false, &first);
    r->where = tc_buf_finish(&b, r->sim->arena);
    r->status = TC_RUN_CANCELLED;
    r->stopped = true;
}
