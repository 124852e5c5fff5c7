/* mbarrier_ops.c - the mbarrier instructions (PTX ISA 9.7.13.15.9 to
 * 9.7.13.15.17), lane by lane in the order of the lanes. */
#include "sim/alu/alu.h"
#include "sim/async/mbarrier.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"

/* Object of a lane for an op whose address is operand `at`. own: it must be the
 * own CTA's. */
static bool object_at(tc_warp *w, const tc_ptx_op *op, int lane,
                      uint64_t address, bool own, tc_mbarrier_ref *out) {
    if (!tc_mbarrier_find(w, op, lane, (tc_ptx_space)op->space, address, out)) {
        return false;
    }
    if (own && out->cta != w->cta) {
        tc_finding_fault(w, op, lane, TC_FINDING_OUT_OF_BOUNDS, TC_PS_SHARED,
                         address, 8, TC_DETAIL_MBARRIER_OWN);
        return false;
    }
    return true;
}

static bool object(tc_warp *w, const tc_ptx_op *op, int lane, int at, bool own,
                   tc_mbarrier_ref *out) {
    uint64_t addr[TC_LANES];
    tc_operand_addresses(w, &op->a[at], addr);
    return object_at(w, op, lane, addr[lane], own, out);
}

static uint32_t value32(tc_warp *w, const tc_ptx_operand *o, int lane,
                        uint32_t otherwise) {
    uint32_t tmp[TC_LANES];
    return o->kind == TC_PO_NONE ? otherwise : tc_src32(w, o, tmp)[lane];
}

static void trace_wait(tc_warp *w, const tc_ptx_op *op, uint32_t lanes,
                       const tc_mbarrier_ref *b, uint32_t phase) {
    tc_observe_event(w, op, TC_TRACE_WAIT, TC_UNIT_BARRIER, lanes,
                     (tc_trace_event){.cycle = tc_warp_waited(w, lanes),
                                      .group = -1,
                                      .bytes = -1,
                                      .object = TC_OBJECT_MBARRIER,
                                      .owner = b->cta->index,
                                      .phase = (int32_t)phase,
                                      .barrier = b->offset});
}

static void stop_loop(tc_warp *w) {
    if (w->cta->run->stopped) {
        w->core->limit = 0;
    }
}

/* 9.7.13.15.9 */
void tc_sim_op_MBARRIER_INIT(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    for (uint32_t m = mask; m && !r->stopped; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_mbarrier_ref b;
        if (!object(w, op, i, 0, true, &b)) {
            return;
        }
        if (r->race) {
            tc_race_mbarrier_init(w, op, i, b.cta, b.offset);
        }
        tc_access by = tc_access_of(w, op, i);
        uint32_t count = value32(w, &op->a[1], i, 0);
        tc_mbarrier_trace(w, op, TC_TRACE_INIT, i, &b, count, -1);
        tc_mbarrier_init(r, b, count, &by);
    }
    stop_loop(w);
}

/* 9.7.13.15.10 */
void tc_sim_op_MBARRIER_INVAL(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tc_run *r = w->cta->run;
    for (uint32_t m = mask; m && !r->stopped; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_mbarrier_ref b;
        if (!object(w, op, i, 0, true, &b)) {
            return;
        }
        if (r->race) {
            tc_race_mbarrier_inval(w, op, i, b.cta, b.offset);
        }
        tc_access by = tc_access_of(w, op, i);
        tc_mbarrier_inval(r, b, &by);
    }
    stop_loop(w);
}

/* 9.7.13.15.11, 9.7.13.15.12 */
static void change_tx(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                      bool expect) {
    tc_run *r = w->cta->run;
    for (uint32_t m = mask; m && !r->stopped; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_mbarrier_ref b;
        if (!object(w, op, i, 0, false, &b)) {
            return;
        }
        uint32_t bytes = value32(w, &op->a[1], i, 0);
        tc_access by = tc_access_of(w, op, i);
        if (expect) {
            tc_mbarrier_trace(w, op, TC_TRACE_EXPECT, i, &b, 0, (int32_t)bytes);
            tc_mbarrier_expect_tx(r, b, bytes, &by);
        } else {
            tc_mbarrier_complete_tx(r, b, bytes, &by);
        }
    }
    stop_loop(w);
}

void tc_sim_op_MBARRIER_EXPECT_TX(tc_warp *w, const tc_ptx_op *op,
                                  uint32_t mask) {
    change_tx(w, op, mask, true);
}

void tc_sim_op_MBARRIER_COMPLETE_TX(tc_warp *w, const tc_ptx_op *op,
                                    uint32_t mask) {
    change_tx(w, op, mask, false);
}

/* 9.7.13.15.13, 9.7.13.15.14: with .expect_tx the announcement comes first. */
static void arrive(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                   unsigned how) {
    tc_run *r = w->cta->run;
    bool expect = (op->more & TC_PX_MBAR_EXPECT_TX) != 0;
    uint64_t token[TC_LANES] = {0};
    how |= op->more & TC_PX_MBAR_NO_COMPLETE ? TC_ARRIVE_NO_COMPLETE : 0u;
    for (uint32_t m = mask; m && !r->stopped; m &= m - 1) {
        int i = tc_first_bit(m);
        tc_mbarrier_ref b;
        if (!object(w, op, i, 1, false, &b)) {
            return;
        }
        uint32_t n = value32(w, &op->a[2], i, expect ? 0 : 1);
        uint32_t phase = tc_mbarrier_phase(b);
        tc_access by = tc_access_of(w, op, i);
        if (r->race) {
            tc_race_mbarrier_arrive(w, op, i, b.cta, b.offset, phase);
        }
        tc_mbarrier_trace(w, op, TC_TRACE_ARRIVE, i, &b, expect ? 1 : n,
                          expect ? (int32_t)n : -1);
        if (expect) {
            tc_mbarrier_expect_tx(r, b, n, &by);
        }
        if (!r->stopped) {
            tc_mbarrier_arrive_on(r, b, expect ? 1 : n, how, &by, &token[i]);
        }
    }
    tc_put64(w, &op->a[0], token, mask);
    stop_loop(w);
}

void tc_sim_op_MBARRIER_ARRIVE(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    arrive(w, op, mask, 0);
}

void tc_sim_op_MBARRIER_ARRIVE_DROP(tc_warp *w, const tc_ptx_op *op,
                                    uint32_t mask) {
    arrive(w, op, mask, TC_ARRIVE_DROP);
}

/* 9.7.13.15.17 */
void tc_sim_op_MBARRIER_PENDING_COUNT(tc_warp *w, const tc_ptx_op *op,
                                      uint32_t mask) {
    uint64_t tmp[TC_LANES];
    uint32_t out[TC_LANES];
    const uint64_t *token = tc_src64(w, &op->a[1], tmp);
    for (int i = 0; i < TC_LANES; i++) {
        out[i] = tc_mbarrier_token_pending(token[i]);
    }
    tc_put32(w, &op->a[0], out, mask);
}

/* ---- waits: 9.7.13.15.16 ---- */

/* What a lane waits for. */
typedef struct tc_wait {
    tc_mbarrier_ref b;
    uint32_t phase; /* its ordinal; UINT32_MAX: the one before the first */
    bool done;
} tc_wait;

/* A parity names the current phase or the one before it. */
static tc_wait parity_wait(const tc_mbarrier *m, tc_mbarrier_ref b,
                           uint32_t parity) {
    bool done = (m->phase & 1) != (parity & 1);
    return (tc_wait){b, done ? m->phase - 1 : m->phase, done};
}

static tc_wait token_wait(const tc_mbarrier *m, tc_mbarrier_ref b,
                          uint64_t token) {
    uint32_t phase = tc_mbarrier_token_phase(token);
    return (tc_wait){b, phase, m->phase > phase};
}

/* The mbarrier that the lane before asked for: most often all ask for one. */
typedef struct tc_asked {
    uint64_t addr[TC_LANES], address;
    const tc_mbarrier *m; /* NULL: none yet */
    tc_mbarrier_ref b;
} tc_asked;

static bool look(tc_warp *w, const tc_ptx_op *op, int lane, tc_asked *q,
                 tc_wait *out) {
    uint64_t tmp[TC_LANES];
    if (!q->m || q->address != q->addr[lane]) {
        q->address = q->addr[lane];
        q->m = NULL;
        if (!object_at(w, op, lane, q->address, true, &q->b)) {
            return false;
        }
        tc_access by = tc_access_of(w, op, lane);
        q->m = tc_mbarrier_use(w->cta->run, q->b, &by);
    }
    const tc_mbarrier *m = q->m;
    if (!m) {
        return false;
    }
    *out = op->more & TC_PX_MBAR_PARITY
               ? parity_wait(m, q->b, value32(w, &op->a[2], lane, 0))
               : token_wait(m, q->b, tc_src64(w, &op->a[2], tmp)[lane]);
    uint32_t bit = UINT32_C(1) << lane;
    if ((w->core->mb_passed & bit) && !out->done) {
        out->done = true; /* the phase passed, and others went on since */
        out->phase = m->phase - 2;
    }
    return true;
}

static void passed(tc_warp *w, const tc_ptx_op *op, int lane,
                   const tc_wait *t) {
    if (w->cta->run->race) {
        tc_race_mbarrier_wait(w, op, lane, t->b.cta, t->b.offset, t->phase);
    }
}

/* Lanes of todo that wait for the same phase as the first of them. */
static uint32_t alike(const tc_wait *t, uint32_t todo) {
    int first = tc_first_bit(todo);
    uint32_t same = 0;
    for (uint32_t m = todo; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (t[i].b.offset == t[first].b.offset &&
            t[i].phase == t[first].phase) {
            same |= UINT32_C(1) << i;
        }
    }
    return same;
}

static void trace_waits(tc_warp *w, const tc_ptx_op *op, const tc_wait *t,
                        uint32_t lanes) {
    while (w->cta->run->trace && lanes) {
        uint32_t same = alike(t, lanes);
        const tc_wait *first = &t[tc_first_bit(same)];
        trace_wait(w, op, same, &first->b, first->phase);
        lanes &= ~same;
    }
    tc_warp_waited(w, lanes);
}

/* Time that a try_wait stays suspended where it names none, and at most: the
 * ISA leaves it to the system. */
enum { SUSPEND = 1 << 20, SUSPEND_MOST = 10 * 1000 * 1000 };

static void suspend(tc_warp *w, const tc_ptx_op *op, const tc_wait *t,
                    uint32_t lanes) {
    tc_run *r = w->cta->run;
    tc_warp_core *k = w->core;
    uint32_t pc = k->pc - 1;
    tc_warp_wait(w, lanes);
    while (lanes) {
        uint32_t same = alike(t, lanes);
        int first = tc_first_bit(same);
        uint32_t ns = value32(w, &op->a[3], first, SUSPEND);
        tc_split *s = tc_warp_block(w, same, pc, TC_SPLIT_UNTIL, op);
        s->until = r->cycle + (ns < SUSPEND_MOST ? ns : SUSPEND_MOST);
        s->mbarrier = t[first].b.offset + 1;
        s->mphase = t[first].phase;
        tc_mbarrier_entry(t[first].b)->waited = true;
        lanes &= ~same;
    }
}

/* All lanes of the split were told no: the answer is others' to change, and so
 * they have their turn at once. Under a clock they have it anyway. */
static void give_way(tc_warp *w) {
    tc_run *r = w->cta->run;
    if (!r->timing) {
        r->deadline = r->cycle < r->deadline ? r->cycle : r->deadline;
        w->core->limit = 0;
    }
}

/* Lanes that were told no. */
static void note_polls(tc_warp *w, const tc_ptx_op *op, const tc_wait *t,
                       uint32_t lanes) {
    tc_warp_core *k = w->core;
    uint64_t progress = w->cta->run->progress;
    k->polls += lanes != 0;
    k->asked += lanes != 0;
    k->poll_progress = lanes ? progress : k->poll_progress;
    if (lanes && !k->poll) {
        k->poll = tc_xcalloc(TC_LANES, sizeof *k->poll);
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = tc_first_bit(m);
        k->poll[i] = (tc_poll){op, t[i].b.offset, t[i].phase, progress};
    }
}

static void wait(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                 bool suspends) {
    tc_warp_core *k = w->core;
    tc_wait t[TC_LANES];
    tc_asked q;
    uint32_t done = 0;
    q.m = NULL;
    tc_operand_addresses(w, &op->a[1], q.addr);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        if (!look(w, op, i, &q, &t[i])) {
            stop_loop(w);
            return;
        }
        if (t[i].done) {
            done |= UINT32_C(1) << i;
            passed(w, op, i, &t[i]);
        }
    }
    uint32_t later = suspends ? mask & ~done & ~k->mb_expired : 0;
    k->mb_ever |= done;
    k->mb_passed &= ~mask;
    k->mb_expired &= ~mask;
    tc_put_pred(w, &op->a[0], done, mask & ~later);
    trace_waits(w, op, t, done);
    note_polls(w, op, t, mask & ~done & ~later);
    if (!done && !later) {
        give_way(w);
    }
    suspend(w, op, t, later);
}

void tc_sim_op_MBARRIER_TEST_WAIT(tc_warp *w, const tc_ptx_op *op,
                                  uint32_t mask) {
    wait(w, op, mask, false);
}

void tc_sim_op_MBARRIER_TRY_WAIT(tc_warp *w, const tc_ptx_op *op,
                                 uint32_t mask) {
    wait(w, op, mask, true);
}
