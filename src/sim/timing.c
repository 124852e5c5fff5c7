/* timing.c - when things happen on one SM: issue, scoreboard, memory.
 *
 * Four schedulers issue one op a cycle each, from the warps whose index is
 * theirs modulo four; an op waits for its registers and its unit. Costs of
 * units are in units.def, of machines in arch.def. */
#include "sim/internal.h"
#include <stdlib.h>
#include <string.h>

typedef struct tc_unit_cost {
    uint32_t latency, interval;
} tc_unit_cost;

static const tc_unit_cost units[TC_PU_COUNT] = {
#define TC_UNIT(unit, latency, interval) [unit] = {latency, interval},
#include "sim/units.def"
};
enum {
#define TC_UNIT(unit, latency, interval) ROW_##unit,
#include "sim/units.def"
    UNIT_ROWS
};
_Static_assert((int)UNIT_ROWS == (int)TC_PU_COUNT,
               "units.def: a row for every unit");

enum {
    GLOBAL_LATENCY = 500, /* DRAM load-to-use */
    L2_BYTES = 64,        /* a cycle from L2 to an SM */
    BARRIER_LATENCY = 20,
    BULK_LATENCY = 42,     /* tests/gpu/micro-h200.jsonl: a store of 16 bytes
                              has read its source */
    BULK_BYTES = 32,       /* a cycle read from shared memory: the same */
    BULK_WRITTEN = 6,      /* from read to complete: the same */
    CLUSTER_LATENCY = 180, /* SM to SM */
    MAX_SCHEDULERS = 4
};

struct tc_timing {
    tc_run *run;
    uint64_t unit_free[MAX_SCHEDULERS][TC_PU_COUNT];
    uint64_t lsu_free;    /* the shared-memory pipe: one wavefront a cycle */
    uint64_t memory_free; /* the road to memory */
    uint64_t extra;       /* latency of the access that executes now */
};

tc_timing *tc_timing_new(tc_run *r) {
    tc_timing *t = tc_xcalloc(1, sizeof *t);
    t->run = r;
    return t;
}

void tc_timing_free(tc_timing *t) {
    free(t);
}

void tc_timing_warp(tc_warp *w) {
    const tc_ptx_func *f = w->cta->run->func;
    memset(w->core->ready, 0,
           (f->npred + f->n32 + f->n64) * sizeof *w->core->ready);
    w->core->next = 0;
}

uint64_t tc_timing_barrier(void) {
    return BARRIER_LATENCY;
}

/* ---- memory ---- */

/* Wavefronts of a shared access: 32 banks of 4 bytes; lanes that want the same
 * word share it. 8- and 16-byte accesses go in halves and quarters. */
static uint32_t wavefronts(uint32_t mask, const uint64_t *addr,
                           uint32_t bytes) {
    uint32_t words = bytes < 4 ? 1 : bytes / 4, total = 0;
    uint32_t group = TC_LANES / (words > 4 ? 4 : words);
    for (uint32_t first = 0; first < TC_LANES; first += group) {
        uint64_t row[TC_LANES][TC_LANES];
        uint8_t used[TC_LANES] = {0};
        uint32_t worst = 0;
        for (uint32_t i = first; i < first + group; i++) {
            for (uint32_t k = 0; k < words && (mask >> i & 1); k++) {
                uint64_t word = addr[i] / 4 + k;
                uint32_t bank = (uint32_t)(word % TC_LANES), j = 0;
                while (j < used[bank] && row[bank][j] != word) {
                    j++;
                }
                if (j == used[bank] && j < TC_LANES) {
                    row[bank][used[bank]++] = word;
                    worst = used[bank] > worst ? used[bank] : worst;
                }
            }
        }
        total += worst;
    }
    return total;
}

/* 32-byte sectors that the lanes touch; each sector counts once. */
static uint32_t sectors(uint32_t mask, const uint64_t *addr, uint32_t bytes) {
    uint64_t seen[TC_LANES * 2];
    uint32_t n = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addr[tc_first(m)];
        for (uint64_t s = a / 32; s <= (a + bytes - 1) / 32; s++) {
            uint32_t j = n;
            while (j > 0 && seen[j - 1] != s) {
                j--;
            }
            if (j == 0 && n < TC_LANES * 2) {
                seen[n++] = s;
            }
        }
    }
    return n;
}

static uint32_t lanes_used(uint32_t mask, uint32_t bytes) {
    uint32_t words = bytes < 4 ? 1 : bytes / 4;
    uint32_t group = TC_LANES / (words > 4 ? 4 : words), n = 0;
    for (uint32_t first = 0; first < TC_LANES; first += group) {
        uint32_t m = group == 32 ? mask : mask >> first & ((1u << group) - 1);
        n += m != 0;
    }
    return n;
}

/* Takes the road to memory for n sectors; when the last one has arrived. */
static uint64_t travel(tc_timing *t, uint32_t n) {
    const tc_machine *mc = t->run->machine;
    uint64_t now = t->run->cycle;
    const uint32_t *g = t->run->launch->grid;
    uint32_t ctas = g[0] * g[1] * g[2];
    uint64_t share =
        mc->dram_bytes_per_cycle / (ctas < mc->sms ? ctas : mc->sms);
    share = share < L2_BYTES ? share : L2_BYTES;
    uint64_t cost = (n * 32 + share - 1) / share;
    uint64_t begin = t->memory_free > now ? t->memory_free : now;
    t->memory_free = begin + cost;
    return t->memory_free + GLOBAL_LATENCY;
}

void tc_timing_access(tc_warp *w, const tc_ptx_op *op, tc_ptx_space space,
                      uint32_t mask, const uint64_t *addr, uint32_t bytes,
                      bool store) {
    tc_run *r = w->cta->run;
    tc_timing *t = r->timing;
    (void)op;
    if (space == TC_PS_SHARED) {
        uint32_t n = wavefronts(mask, addr, bytes);
        uint64_t begin = t->lsu_free > r->cycle ? t->lsu_free : r->cycle;
        r->counters.shared_wavefronts += n;
        r->counters.bank_conflicts += n - lanes_used(mask, bytes);
        t->lsu_free = begin + n;
        t->extra = t->lsu_free - r->cycle;
    } else if (space == TC_PS_GLOBAL) {
        uint32_t n = sectors(mask, addr, bytes);
        r->counters.global_sectors += n;
        uint64_t done = travel(t, n);
        t->extra = store ? 0 : done - r->cycle - units[TC_PU_LSU].latency;
    }
}

uint64_t tc_timing_copy(tc_warp *w, const tc_batch *b) {
    tc_run *r = w->cta->run;
    uint32_t n = 0, reads = 0;
    for (uint32_t m = b->mask; m; m &= m - 1) {
        reads |= b->src_size[tc_first(m)] ? m & -m : 0;
    }
    if (!reads) {
        return r->cycle + units[TC_PU_LSU].latency;
    }
    n = sectors(reads, b->src, b->op->size);
    r->counters.global_sectors += n;
    return travel(r->timing, n);
}

/* The bulk engine: its own latency, then the road to memory, or the network
 * between SMs. */
uint64_t tc_timing_transfer(tc_run *r, uint32_t bytes, tc_ptx_space from,
                            tc_ptx_space to, uint64_t *source) {
    if (from == TC_PS_GLOBAL) {
        *source = travel(r->timing, (bytes + 31) / 32) + BULK_LATENCY;
        return *source;
    }
    if (to == TC_PS_GLOBAL) { /* complete when it has been sent */
        travel(r->timing, (bytes + 31) / 32);
    }
    *source = r->cycle + BULK_LATENCY + bytes / BULK_BYTES;
    return *source + (to == TC_PS_GLOBAL ? BULK_WRITTEN : CLUSTER_LATENCY);
}

/* ---- scoreboard ---- */

static uint64_t *slot(const tc_warp *w, const tc_ptx_operand *o) {
    const tc_ptx_func *f = w->cta->run->func;
    bool reg =
        o->kind == TC_PO_REG || (o->kind == TC_PO_ADDRESS && o->neg == 1);
    if (o->kind == TC_PO_PRED || (reg && o->cls == TC_PF_PRED)) {
        return &w->core->ready[o->slot];
    }
    if (!reg) {
        return NULL;
    }
    return &w->core
                ->ready[f->npred + o->slot + (o->cls == TC_PF_64 ? f->n32 : 0)];
}

/* Calls for each register of an operand; the latest ready cycle, or sets it. */
static uint64_t touch(const tc_warp *w, const tc_ptx_operand *o, uint64_t set) {
    uint64_t latest = 0;
    uint32_t n = o->kind == TC_PO_VECTOR ? o->nvec : 1;
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *e = o->kind == TC_PO_VECTOR
                                      ? &w->cta->run->module->vec[o->slot + i]
                                      : o;
        uint64_t *s = slot(w, e);
        if (s && *s > latest) {
            latest = *s;
        }
        if (s && set > *s) {
            *s = set;
        }
    }
    return latest;
}

static uint64_t operands_ready(const tc_warp *w, const tc_ptx_op *op) {
    uint64_t at = op->guard >= 0 ? w->core->ready[op->guard] : 0;
    for (int i = 0; i < op->noperands; i++) {
        uint64_t t = touch(w, &op->a[i], 0);
        at = t > at ? t : at;
    }
    return at;
}

static void set_ready(const tc_warp *w, const tc_ptx_op *op, uint64_t at) {
    bool writes =
        op->opcode != TC_PTX_ST && tc_ptx_ops[op->opcode].unit <= TC_PU_LSU;
    if (writes && op->noperands > 0 && op->a[0].kind != TC_PO_ADDRESS) {
        touch(w, &op->a[0], at);
        if (op->opcode == TC_PTX_SETP || op->opcode == TC_PTX_SHFL_SYNC) {
            touch(w, &op->a[1], at);
        }
    }
}

/* ---- issue ---- */

static void issue(tc_warp *w, uint32_t scheduler) {
    tc_warp_core *k = w->core;
    tc_run *r = w->cta->run;
    tc_timing *t = r->timing;
    const tc_code *c = &r->code[k->pc];
    uint32_t m = k->mask, unit = tc_ptx_ops[c->op->opcode].unit;
    if (c->guard >= 0) {
        m &= w->pred[c->guard] ^ c->flip;
    }
    r->counters.warp_instructions++;
    r->counters.thread_instructions += tc_popc(k->mask);
    k->pc++;
    t->extra = 0;
    t->unit_free[scheduler][unit] = r->cycle + units[unit].interval;
    k->next = r->cycle + 1;
    if (m) {
        c->fn(w, c->op, m);
        set_ready(w, c->op, r->cycle + units[unit].latency + t->extra);
    }
}

/* The running split, or the next one; when its op can issue at the earliest. */
static uint64_t when(tc_warp *w, uint32_t scheduler) {
    tc_warp_core *k = w->core;
    const tc_run *r = w->cta->run;
    if (k->cur < 0 || k->pc >= k->limit || r->cycle >= k->turn_end) {
        k->turn_end = r->cycle + 4096;
        tc_warp_save(w);
        k->turns++;
        if (!tc_warp_select(w)) {
            uint64_t at = UINT64_MAX;
            for (int i = 0; i < k->nsplit; i++) {
                if (k->split[i].state == TC_SPLIT_UNTIL &&
                    k->split[i].until < at) {
                    at = k->split[i].until;
                }
            }
            return at;
        }
    }
    const tc_ptx_op *op = r->code[k->pc].op;
    uint64_t at = operands_ready(w, op);
    uint64_t unit =
        r->timing->unit_free[scheduler][tc_ptx_ops[op->opcode].unit];
    at = unit > at ? unit : at;
    return k->next > at ? k->next : at;
}

typedef struct tc_sm {
    tc_run *run;
    tc_cta *ctas;
    uint32_t nctas, per_cta;
    uint32_t size;                 /* CTAs of a cluster, side by side */
    uint32_t next, step, total;    /* clusters that are this SM's */
    uint32_t live;                 /* clusters that run */
    tc_cta **list;                 /* the CTAs */
    uint32_t last[MAX_SCHEDULERS]; /* the warp that issued last */
} tc_sm;

/* One scheduler's cycle: the first ready warp after the last one. Returns the
 * cycle at which there may be something to do. */
static uint64_t schedule(tc_sm *sm, uint32_t s, uint32_t nsched) {
    uint32_t all = sm->nctas * sm->per_cta;
    uint64_t soonest = UINT64_MAX, now = sm->run->cycle;
    uint32_t n = (all + nsched - 1 - s) / nsched;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t at = (sm->last[s] + i) % n, index = at * nsched + s;
        tc_cta *c = &sm->ctas[index / sm->per_cta];
        tc_warp *w = &c->warps[index % sm->per_cta];
        if (!c->nlive || !w->alive || sm->run->stopped) {
            continue;
        }
        uint64_t t = when(w, s);
        if (t <= now) {
            issue(w, s);
            sm->last[s] = at;
            return now + 1;
        }
        soonest = t < soonest ? t : soonest;
    }
    return soonest;
}

static bool endless(tc_sm *sm) {
    bool all = true;
    for (uint32_t i = 0; i < sm->nctas; i++) {
        for (uint32_t j = 0; j < sm->per_cta && sm->ctas[i].nlive; j++) {
            tc_warp *w = &sm->ctas[i].warps[j];
            if (!w->alive) {
                continue;
            }
            tc_warp_save(w);
            bool ready = false;
            for (int k = 0; k < w->core->nsplit; k++) {
                uint8_t st = w->core->split[k].state;
                ready |= st == TC_SPLIT_READY || st == TC_SPLIT_UNTIL;
            }
            all &= !ready || tc_warp_loops(w);
        }
    }
    return all;
}

/* Starts the next cluster in the slots from i on, if there is one. */
static void start(tc_sm *sm, uint32_t i) {
    if (sm->next >= sm->total || sm->run->stopped) {
        return;
    }
    for (uint32_t j = 0; j < sm->size; j++) {
        tc_cta_start(&sm->ctas[i + j], tc_cta_index(sm->run, sm->next, j));
        sm->ctas[i + j].busy = true;
    }
    sm->live++;
    sm->next =
        sm->total - sm->next > sm->step ? sm->next + sm->step : sm->total;
}

static void finish(tc_sm *sm, uint32_t i) {
    tc_cluster_finish(&sm->ctas[i], sm->size);
    for (uint32_t j = 0; j < sm->size; j++) {
        sm->ctas[i + j].busy = false;
    }
    sm->live--;
}

static void retire(tc_sm *sm, bool all) {
    for (uint32_t i = 0; i < sm->nctas; i += sm->size) {
        bool ended = sm->ctas[i].busy;
        for (uint32_t j = 0; j < sm->size && !all; j++) {
            ended &= sm->ctas[i + j].nlive == 0;
        }
        if (ended) {
            finish(sm, i);
            start(sm, i);
        }
    }
}

static bool stop_if_cancelled(tc_sm *sm) {
    const volatile int *c = sm->run->sim->options.cancel;
    if (c && *c) {
        tc_cancelled(sm->run, sm->list, sm->nctas);
    }
    return sm->run->stopped;
}

/* Nobody issued, and no event is left: a release in this cycle may have woken
 * someone; else it is a deadlock. */
static void check_stuck(tc_sm *sm, uint32_t nsched) {
    bool any = false;
    for (uint32_t s = 0; s < nsched; s++) {
        any |= schedule(sm, s, nsched) != UINT64_MAX;
    }
    if (!any) {
        tc_deadlock(sm->run, sm->list, sm->nctas, 0);
    }
}

static void run_sm(tc_sm *sm) {
    tc_run *r = sm->run;
    uint32_t nsched = r->machine->schedulers;
    uint64_t check = 4096;
    while (sm->live && !r->stopped) {
        uint64_t soonest = tc_event_next(r);
        tc_event_run(r);
        for (uint32_t s = 0; s < nsched; s++) {
            uint64_t t = schedule(sm, s, nsched);
            soonest = t < soonest ? t : soonest;
        }
        retire(sm, false);
        if (sm->live && soonest == UINT64_MAX &&
            tc_event_next(r) == UINT64_MAX && !r->stopped) {
            check_stuck(sm, nsched);
        }
        r->cycle = soonest > r->cycle && soonest != UINT64_MAX ? soonest
                                                               : r->cycle + 1;
        if (r->cycle >= check) {
            check = r->cycle + 4096;
            if (!stop_if_cancelled(sm) && sm->live && endless(sm)) {
                tc_deadlock(r, sm->list, sm->nctas, 0);
            }
        }
    }
}

void tc_timing_run(tc_run *r, tc_cta *ctas, uint32_t n, uint32_t first,
                   uint32_t step) {
    const uint32_t *g = r->launch->grid;
    tc_sm sm = {.run = r,
                .ctas = ctas,
                .nctas = n,
                .per_cta = ctas[0].nwarps,
                .size = ctas[0].ncluster,
                .next = first,
                .step = step};
    sm.total = g[0] * g[1] * g[2] / sm.size;
    sm.list = tc_xcalloc(n, sizeof(tc_cta *));
    memset(r->timing->unit_free, 0, sizeof r->timing->unit_free);
    r->timing->lsu_free = r->timing->memory_free = 0;
    r->deadline = UINT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        sm.list[i] = &ctas[i];
    }
    for (uint32_t i = 0; i < n; i += sm.size) {
        start(&sm, i);
    }
    run_sm(&sm);
    r->stopped |= sm.live != 0;
    retire(&sm, true);
    free(sm.list);
}
