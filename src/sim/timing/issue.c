/* issue.c - when an op may issue, and what it costs: scoreboard, units,
 * memory. Costs are in units.def and memory.def. */
#include "sim/core/cp_async.h"
#include "sim/core/slab.h"
#include "sim/timing/own.h"
#include "sim/timing/walk.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

tc_timing *tc_timing_new(tc_run *r) {
    tc_timing *t = tc_xcalloc(1, sizeof *t);
    t->run = r;
    t->p = tc_profile_of(r->machine);
    t->tags = r->sim->tags ? r->sim->tags : tc_slab_new();
    r->sim->tags = NULL;
    tc_timing_decode(t);
    t->mcode = tc_mcode_new(t, r->launch->machine_code);
    t->not_mcode = t->mcode->why;
    if (t->not_mcode) {
        tc_mcode_free(t->mcode);
        t->mcode = tc_own_new(t);
        t->own_code = true;
    }
    if (t->mcode->why) {
        tc_mcode_free(t->mcode);
        t->mcode = NULL;
    }
    return t;
}

tc_l2 *tc_timing_l2(tc_sim *s) {
    s->l2 = s->l2 ? s->l2 : tc_l2_new(tc_profile_of(s->machine));
    return s->l2;
}

void tc_timing_result(const tc_timing *t, tc_sim_result *out) {
    out->machine_code =
        t->mcode && !t->own_code ? t->run->launch->machine_code : NULL;
    out->not_machine_code = t->not_mcode;
    out->blocks = t->laid;
    out->odd_blocks = t->unlaid + t->jumps;
}

void tc_timing_free(tc_timing *t) {
    if (t) {
        tc_memsys_free(t->memory);
        tc_slab_rewind(t->tags);
        tc_slab_free(t->run->sim->tags);
        t->run->sim->tags = t->tags;
        tc_mcode_free(t->mcode);
        free(t->undo);
        free(t->ops);
        free(t->regs);
        free(t->sms);
        free(t);
    }
}

void tc_timing_warp(tc_warp *w) {
    tc_warp_core *k = w->core;
    uint32_t n = w->cta->run->timing->nready;
    if (!k->ready) {
        tc_slab *slab = w->cta->run->slab;
        k->ready = slab ? tc_slab_take(slab, n * sizeof *k->ready)
                        : tc_xmalloc(n * sizeof *k->ready);
    }
    memset(k->ready, 0, n * sizeof *k->ready);
    k->next = 0;
    k->turn_end = 0;
    k->ahead = 0;
    k->accessed = k->lands = 0;
    k->stretch = (tc_warp_stretch){.end = w->cta->run->cycle};
    if (w->cta->run->timing->mcode) {
        tc_walk_start(w);
    }
}

void tc_timing_warp_free(tc_warp *w) {
    tc_walk_free(w->core);
}

void tc_timing_fence(tc_warp *w) {
    tc_warp_core *k = w->core;
    uint64_t at = k->accessed + w->cta->run->timing->p->fence_gpu;
    if (k->accessed && at > k->next) {
        k->next = at;
    }
}

uint64_t tc_timing_barrier(const tc_cta *c) {
    const tc_profile *p = c->run->timing->p;
    return p->barrier_base + (uint64_t)p->barrier_warp * c->nwarps -
           c->nwarps / TC_SCHEDULERS;
}

uint64_t tc_timing_mbarrier(const tc_cta *c) {
    return c->run->timing->p->mbarrier_latency;
}

uint64_t tc_timing_cluster(const tc_cta *c) {
    return c->run->timing->p->cluster_barrier;
}

/* ---- memory ---- */

static bool is_atomic(const tc_timing *t, const tc_ptx_op *op) {
    return t->ops[op - t->run->module->code].class == TC_CLASS_ATOM;
}

/* The LSU takes n cycles for the access; when it begins. */
static uint64_t enter_lsu(tc_sm *sm, uint64_t now, uint32_t n) {
    uint64_t begin = sm->lsu_free > now ? sm->lsu_free : now;
    sm->lsu_free = begin + n;
    return begin;
}

static uint64_t wavefronts(tc_timing *t, uint32_t n, uint32_t ideal) {
    tc_sim_counters *c = &t->run->counters;
    uint32_t extra = (n - ideal) * t->p->shared_conflict;
    uint32_t busy = n > t->p->shared_least ? n : t->p->shared_least;
    c->shared_wavefronts += n;
    c->bank_conflicts += n - ideal;
    return enter_lsu(t->at, t->run->cycle, busy) + ideal - 1 + extra;
}

static uint64_t shared_access(tc_timing *t, uint32_t mask, const uint64_t *addr,
                              uint32_t bytes, bool store) {
    uint32_t ideal;
    uint32_t n = tc_coalesce_wavefronts(mask, addr, bytes, store, &ideal);
    return wavefronts(t, n, ideal);
}

/* Lanes on one word take their turns. */
static uint64_t shared_atomic(tc_timing *t, uint32_t mask, const uint64_t *addr,
                              uint32_t bytes) {
    uint32_t most;
    tc_coalesce_distinct(mask, addr, &most);
    uint64_t turns = (uint64_t)(most - 1) * t->p->atom_shared_halves / 2;
    uint64_t at = shared_access(t, mask, addr, bytes, true) + turns;
    t->at->lsu_free += turns;
    return at + t->p->atom_shared;
}

/* Past L1: .cg, volatile and stronger loads (PTX ISA 9.7.9.1, cache
 * operators). */
static bool through_l1(const tc_ptx_op *op) {
    return (op->flags &
            (TC_PM_CG | TC_PM_VOLATILE | TC_PM_RELAXED | TC_PM_ACQUIRE)) == 0;
}

/* Stores queue up to what the path, which is free then, takes in a few hundred
 * cycles. */
static uint64_t queue_store(tc_timing *t, uint64_t path) {
    uint64_t now = t->run->cycle, late = now + t->p->l2_latency;
    uint64_t *lsu = &t->at->lsu_free;
    *lsu += path > late && path - late > *lsu - now ? path - late - (*lsu - now)
                                                    : 0;
    return now;
}

/* L1 looks up one line a cycle, up to four sectors of it. */
static uint32_t lines(const uint64_t *sectors, uint32_t n) {
    uint32_t count = 1;
    for (uint32_t i = 1; i < n; i++) {
        count += sectors[i] / 4 != sectors[i - 1] / 4;
    }
    return count;
}

/* Parts that a store of so many bytes takes beside its sectors' own. */
static uint32_t headers(const uint64_t *sectors, uint32_t n, uint64_t bytes) {
    return bytes >= (uint64_t)n * 32 ? 0 : lines(sectors, n);
}

/* The L2 does them, those on one word one after the other; the kernel's end
 * waits for all. */
static uint64_t global_atomic(tc_timing *t, const tc_ptx_op *op, uint32_t mask,
                              const uint64_t *addr, const uint64_t *sectors,
                              uint32_t n) {
    uint64_t begin = enter_lsu(t->at, t->run->cycle, lines(sectors, n));
    uint32_t most;
    tc_coalesce_distinct(mask, addr, &most);
    bool floats = op->type == TC_PT_F32 || op->type == TC_PT_F64;
    uint64_t halves = (uint64_t)most * (floats ? t->p->atom_float_halves
                                               : t->p->atom_global_halves);
    uint32_t more = lines(sectors, n);
    more = tc_popc(mask) == more ? 0 : more;
    uint64_t done = tc_memsys_atomic(t->memory, t->at->index, begin, sectors, n,
                                     more, halves);
    t->run->counters.global_sectors += n;
    t->drained = tc_timing_later(t->drained, done);
    queue_store(t, tc_memsys_sent(t->memory, t->at->index));
    uint64_t *oldest = &t->at->atomics[t->at->natomics++ % TC_ATOMICS];
    t->at->lsu_free = tc_timing_later(t->at->lsu_free, *oldest);
    *oldest = done + t->p->atom_global;
    return *oldest;
}

static uint64_t sector_access(tc_timing *t, const tc_ptx_op *op,
                              const uint64_t *sectors, uint32_t n,
                              uint64_t bytes, bool store) {
    uint32_t sm = t->at->index;
    uint64_t begin = enter_lsu(t->at, t->run->cycle, lines(sectors, n));
    t->run->counters.global_sectors += n;
    if (store) {
        uint32_t more = headers(sectors, n, bytes);
        return queue_store(
            t, tc_memsys_store(t->memory, sm, begin, sectors, n, more));
    }
    return tc_memsys_load(t->memory, sm, begin, sectors, n, through_l1(op));
}

/* The same for sectors [first, end) of a load or a store. */
static uint64_t run_access(tc_timing *t, const tc_ptx_op *op, uint64_t first,
                           uint64_t end, bool store) {
    uint32_t sm = t->at->index, n = (uint32_t)(end - first);
    uint64_t begin = enter_lsu(t->at, t->run->cycle,
                               (uint32_t)((end - 1) / 4 - first / 4 + 1));
    t->run->counters.global_sectors += n;
    if (store) {
        return queue_store(
            t, tc_memsys_store_run(t->memory, sm, begin, first, end));
    }
    return tc_memsys_load_run(t->memory, sm, begin, first, end, through_l1(op));
}

static uint64_t global_access(tc_timing *t, const tc_ptx_op *op, uint32_t mask,
                              const uint64_t *addr, uint32_t bytes,
                              bool store) {
    uint64_t sectors[TC_MAX_SECTORS];
    uint32_t n = tc_coalesce_sectors(mask, addr, bytes, sectors);
    return is_atomic(t, op)
               ? global_atomic(t, op, mask, addr, sectors, n)
               : sector_access(t, op, sectors, n,
                               (uint64_t)tc_popc(mask) * bytes, store);
}

/* Lanes that want the same address share it; others take their turns. */
static uint64_t constants(const tc_timing *t, uint32_t distinct) {
    return t->run->cycle + t->p->shared_latency +
           (distinct - 1) * (uint64_t)t->p->const_each;
}

/* The functional run is ahead: it is charged when its instruction issues. */
static void note(tc_timing *t, tc_warp *w, const tc_ptx_op *op,
                 tc_ptx_space space, uint32_t mask, uint64_t address,
                 const uint64_t *addr, uint32_t bytes, bool store) {
    tc_noted a = {.address = address,
                  .at = (uint32_t)(op - t->run->module->code),
                  .mask = mask,
                  .bytes = (uint16_t)bytes,
                  .space = (uint8_t)space,
                  .store = store};
    tc_walk_note(t, &a, addr);
    if (addr && (store || is_atomic(t, op))) {
        tc_issued_writes(w, space, mask, addr, bytes);
    }
}

void tc_timing_traced(tc_run *r, int32_t event) {
    tc_mcode_walk *x = r->timing->ahead;
    if (x && x->n > x->head) {
        x->accesses[x->n - 1].event = event;
    }
}

void tc_timing_run(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                   uint64_t address, uint32_t bytes, bool store) {
    tc_timing *t = w->cta->run->timing;
    uint64_t at;
    if (t->ahead) {
        if (space != TC_PS_CONST) {
            note(t, w, op, space, UINT32_MAX, address, NULL, bytes, store);
        }
        return;
    }
    if (space == TC_PS_SHARED) {
        at = wavefronts(t, bytes / 4, bytes / 4) + t->p->shared_latency;
    } else if (space == TC_PS_CONST) {
        at = constants(t, TC_LANES);
    } else {
        uint64_t last = (address + TC_LANES * (uint64_t)bytes - 1) / 32;
        at = run_access(t, op, address / 32, last + 1, store);
        t->run->counters.global_read_bytes +=
            store ? 0 : TC_LANES * (uint64_t)bytes;
        w->core->accessed = t->run->cycle;
    }
    t->arrives = at > t->arrives ? at : t->arrives;
}

void tc_timing_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store) {
    tc_timing *t = w->cta->run->timing;
    uint64_t at;
    if (t->ahead) {
        if (space != TC_PS_CONST && space != TC_PS_PARAM) {
            note(t, w, op, space, mask, 0, addr, bytes, store);
        }
        return;
    }
    switch (space) {
    case TC_PS_SHARED:
        at = is_atomic(t, op) ? shared_atomic(t, mask, addr, bytes)
                              : shared_access(t, mask, addr, bytes, store) +
                                    t->p->shared_latency;
        break;
    case TC_PS_CONST:
        at = constants(t, tc_coalesce_distinct(mask, addr, NULL));
        break;
    case TC_PS_CLUSTER:
        at = shared_access(t, mask, addr, bytes, store) + t->p->cluster_latency;
        break;
    case TC_PS_LOCAL: /* laid out for coalescing; taken to stay in L1 */
        at =
            enter_lsu(t->at, t->run->cycle, (bytes + 3) / 4) + t->p->l1_latency;
        break;
    case TC_PS_GLOBAL:
        at = global_access(t, op, mask, addr, bytes, store);
        t->run->counters.global_read_bytes +=
            store ? 0 : (uint64_t)bytes * tc_popc(mask);
        w->core->accessed = t->run->cycle;
        break;
    default:
        return;
    }
    t->arrives = at > t->arrives ? at : t->arrives;
}

void tc_timing_values(tc_warp *w, const tc_ptx_op *op, uint32_t n) {
    tc_timing *t = w->cta->run->timing;
    if (t->ahead) {
        return;
    }
    const tc_timing_op *o = &t->ops[op - t->run->module->code];
    tc_unit_cost each = tc_cost_each(op);
    tc_scheduler *q =
        (tc_scheduler *)((char *)w->core->ask - offsetof(tc_scheduler, ask));
    uint64_t more = n > 1 ? n - 1 : 0;
    uint64_t at = t->run->cycle + o->latency + more * each.latency;
    t->arrives = at > t->arrives ? at : t->arrives;
    q->unit_free[o->unit] += more * each.interval;
    q->busy |= o->busy;
}

uint64_t tc_timing_copy(tc_warp *w, tc_batch *b) {
    tc_run *r = w->cta->run;
    tc_timing *t = r->timing;
    uint64_t sectors[TC_MAX_SECTORS], dst[TC_LANES];
    if (t->ahead) {
        tc_noted a = {.at = (uint32_t)(b->op - r->module->code),
                      .mask = b->mask,
                      .batch = b};
        b->queued++;
        b->ahead = true;
        tc_walk_note(t, &a, NULL);
        return UINT64_MAX;
    }
    uint32_t n, ideal, reads = 0;
    for (uint32_t m = b->mask; m; m &= m - 1) {
        reads |= b->src_size[tc_first_bit(m)] ? m & -m : 0;
    }
    for (int i = 0; i < TC_LANES; i++) {
        dst[i] = b->dst[i];
    }
    bool small = b->op->size < 16;
    uint32_t turns =
        tc_coalesce_wavefronts(b->mask, dst, b->op->size, true, &ideal);
    turns = small && turns < t->p->copy_small ? t->p->copy_small : turns;
    uint64_t begin = enter_lsu(t->at, r->cycle, turns);
    if (!reads) {
        return begin + t->p->shared_latency;
    }
    n = tc_coalesce_sectors(reads, b->src, b->op->size, sectors);
    r->counters.global_sectors += n;
    uint64_t hit = r->counters.l1_sectors_hit;
    uint64_t lands = tc_memsys_load(t->memory, t->at->index, begin, sectors, n,
                                    (b->op->flags & TC_PM_CG) == 0) +
                     (t->mcode ? t->p->copy_landed : 0);
    t->at->lsu_free +=
        small && r->counters.l1_sectors_hit - hit < n ? t->p->copy_missing : 0;
    t->at->lands = tc_timing_later(t->at->lands, lands);
    w->core->lands = tc_timing_later(w->core->lands, lands);
    return lands;
}

/* The bulk engine: its own latency, then L2's path or the network between
 * SMs. */
uint64_t tc_timing_transfer(tc_run *r, uint32_t bytes, tc_ptx_space from,
                            tc_ptx_space to, uint64_t global,
                            uint64_t *source) {
    tc_timing *t = r->timing;
    const tc_profile *p = t->p;
    uint64_t now = r->cycle;
    if (from == TC_PS_GLOBAL) {
        *source =
            tc_memsys_bulk(t->memory, t->at->index, now, global, bytes, false) +
            p->bulk_latency - p->l2_latency;
        t->at->lands = tc_timing_later(t->at->lands, *source);
        return *source;
    }
    if (to == TC_PS_GLOBAL) {
        *source =
            tc_memsys_bulk(t->memory, t->at->index, now, global, bytes, true) +
            p->bulk_read;
        return *source + p->bulk_written;
    }
    *source =
        now + p->bulk_latency + bytes / (p->bulk_bytes ? p->bulk_bytes : 1);
    return *source + p->cluster_latency;
}

/* ---- issue ---- */

/* Why nobody of the warp may go on, and until when. */
uint64_t tc_timing_asleep(const tc_warp *w, tc_stall *why) {
    const tc_warp_core *k = w->core;
    const tc_run *r = w->cta->run;
    uint64_t at = UINT64_MAX;
    *why = TC_STALL_SLEEP;
    for (int i = 0; i < k->nsplit; i++) {
        const tc_split *s = &k->split[i];
        if (s->op) {
            uint8_t c = r->timing->ops[s->op - r->module->code].class;
            *why = c == TC_CLASS_DEPBAR     ? TC_STALL_COPY
                   : c == TC_CLASS_MBARRIER ? TC_STALL_MBARRIER
                   : c == TC_CLASS_BAR      ? TC_STALL_BARRIER
                                            : *why;
        }
        if (s->state == TC_SPLIT_UNTIL && s->until < at) {
            at = s->until;
        }
    }
    return at;
}

uint64_t tc_timing_when(tc_warp *w, tc_stall *why) {
    enum { TURN = 4096 };
    tc_warp_core *k = w->core;
    const tc_run *r = w->cta->run;
    tc_timing *t = r->timing;
    if (tc_walks(k)) {
        return tc_walk_when(t, k, why);
    }
    if (t->mcode && k->walk->nqueue && tc_walk_enter(t, w)) {
        return tc_walk_when(t, k, why);
    }
    if (k->cur < 0 || k->pc >= k->limit || r->cycle >= k->turn_end) {
        k->turn_end = r->cycle + TURN;
        tc_warp_save(w);
        k->turns++;
        if (!tc_warp_select(w)) {
            return tc_timing_asleep(w, why);
        }
    }
    if (!t->mcode) {
        return tc_timing_operands(t, k, &t->ops[k->pc], why);
    }
    if (k->ahead == 0 && tc_walk_enter(t, w)) {
        return tc_walk_when(t, k, why);
    }
    if (k->cur < 0) { /* it ran into a wait */
        return tc_timing_asleep(w, why);
    }
    tc_stall board;
    uint64_t at = tc_timing_operands(t, k, &t->ops[k->pc], why);
    uint64_t free = tc_walk_boards(t, k, &board);
    *why = free > at ? board : *why;
    return tc_timing_later(at, free);
}

void tc_timing_count(const tc_timing *t, tc_sim_counters *c) {
    for (uint32_t i = 0; i < t->run->module->ncode; i++) {
        c->warp_instructions += t->ops[i].issued;
        c->classes[t->ops[i].class] += t->ops[i].issued;
    }
    for (uint32_t i = 0; t->mcode && i < t->mcode->nops; i++) {
        const tc_timing_op *op = &t->mcode->ops[i].op;
        c->warp_instructions += op->issued;
        c->classes[op->class] += op->issued;
    }
    c->thread_instructions += c->warp_instructions * TC_LANES - t->idle;
    c->overlapped_own += t->own;
    for (uint32_t i = 0; i < t->nsms; i++) {
        c->overlapped += t->sms[i].overlapped;
        c->busiest_sm = tc_timing_later(c->busiest_sm, t->sms[i].issued);
    }
}
