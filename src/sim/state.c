/* state.c - copies what the resident CTAs hold. */
#include "sim/state.h"
#include "sim/async/mbarrier.h"
#include "sim/async/tmem.h"
#include "sim/isa/isa.h"
#include "sim/launch.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

static void *copy(tc_arena *a, const void *from, size_t n) {
    uint8_t *to = TC_NEWN(a, uint8_t, n + 1);
    if (n) {
        memcpy(to, from, n);
    }
    return to;
}

/* The running split's place into its entry; it goes on all the same. */
static void settle(tc_warp *w) {
    tc_warp_core *k = w->core;
    if (k->cur >= 0) {
        k->split[k->cur].pc = k->pc;
        k->split[k->cur].mask = k->mask;
        k->split[k->cur].frame = w->frame;
    }
}

static void copy_splits(tc_arena *a, tc_warp *w, tc_state_warp *out) {
    const tc_warp_core *k = w->core;
    out->splits = TC_NEWN(a, tc_state_split, (size_t)k->nsplit + 1);
    for (int i = 0; i < k->nsplit && w->alive; i++) {
        const tc_split *s = &k->split[i];
        if (s->mask == 0) {
            continue;
        }
        out->splits[out->nsplits++] =
            (tc_state_split){.mask = s->mask,
                             .op = s->op && s->state != TC_SPLIT_READY
                                       ? s->op
                                       : &w->cta->run->module->code[s->pc],
                             .waits = s->state != TC_SPLIT_READY};
    }
}

static void copy_warp(tc_arena *a, tc_warp *w, tc_state_warp *out) {
    settle(w);
    const tc_frame *frame = w->core->frames;
    while (frame->next) {
        frame = frame->next;
    }
    const tc_ptx_func *f = frame->func; /* the kernel's is the last */
    out->valid = w->valid;
    out->alive = w->alive;
    out->func = f;
    out->r32 = copy(a, frame->r32, f->n32 * sizeof *frame->r32);
    out->r64 = copy(a, frame->r64, f->n64 * sizeof *frame->r64);
    out->pred = copy(a, frame->pred, f->npred * sizeof *frame->pred);
    copy_splits(a, w, out);
    out->ran = out->issued = w->core->place.ran;
}

static void copy_mbarriers(tc_arena *a, tc_cta *c, tc_state_cta *out) {
    int cap = 0;
    for (uint32_t at = 0; c->mbarriers && at + 8 <= c->shared_bytes; at += 8) {
        tc_mbarrier_ref ref = {.cta = c, .offset = at};
        const tc_mbarrier *m = tc_mbarrier_entry(ref);
        if (!m || !m->live) {
            continue;
        }
        uint64_t bits;
        memcpy(&bits, c->shared + at, sizeof bits);
        tc_mbarrier_state s = tc_mbarrier_unpack(bits);
        tc_state_mbarrier b = {.offset = at,
                               .phase = m->phase,
                               .pending = s.pending,
                               .expected = s.expected,
                               .tx = s.tx};
        TC_PUSH(a, out->mbarriers, out->nmbarriers, cap, b);
    }
}

static void copy_barriers(tc_arena *a, tc_cta *c, tc_state_cta *out) {
    out->barriers = TC_NEWN(a, tc_state_barrier, TC_BARRIERS + 1);
    for (uint32_t id = 0; id < TC_BARRIERS; id++) {
        tc_state_barrier b = {.id = id, .op = c->barriers[id].op};
        tc_barrier_arrivals(c, id, &b.arrived, &b.wanted);
        if (b.op && b.arrived) {
            out->barriers[out->nbarriers++] = b;
        }
    }
    tc_state_barrier b = {.id = TC_BARRIERS};
    b.op = tc_cluster_arrivals(c, &b.arrived, &b.wanted);
    if (b.op && b.arrived) {
        out->barriers[out->nbarriers++] = b;
    }
}

static void copy_tensor(tc_arena *a, const tc_cta *c, tc_state_cta *out) {
    const tc_tensor_memory *t = c->tensor;
    if (!t) {
        return;
    }
    _Static_assert((int)TC_STATE_LANES == (int)TC_TMEM_LANES &&
                       (int)TC_STATE_COLUMNS == (int)TC_TMEM_COLUMNS,
                   "tensor memory");
    out->tensor = TC_NEWN(a, uint32_t, TC_TMEM_LANES * TC_TMEM_COLUMNS);
    out->allocated = copy(a, t->owner, sizeof t->owner);
    for (uint32_t lane = 0; lane < TC_TMEM_LANES; lane++) {
        for (uint32_t u = 0; u < TC_TMEM_UNITS; u++) {
            if (t->unit[u]) {
                memcpy(&out->tensor[lane * TC_TMEM_COLUMNS + u * TC_TMEM_UNIT],
                       &t->unit[u][lane * TC_TMEM_UNIT],
                       TC_TMEM_UNIT * sizeof *out->tensor);
            }
        }
    }
}

/* ---- warps ahead of the clock ---- */

static int by_index(const void *a, const void *b) {
    const tc_state_cta *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

void tc_state_begin(tc_cta *c) {
    const tc_sim_state *upto = c->run->launch->upto;
    const tc_state_cta key = {.index = c->index};
    const tc_state_cta *at =
        upto ? bsearch(&key, upto->ctas, upto->nctas, sizeof key, by_index)
             : NULL;
    for (uint32_t i = 0; i < c->nwarps; i++) {
        tc_issued_begin(&c->warps[i], at ? at->warps[i].issued : UINT64_MAX);
    }
}

void tc_state_reached(tc_warp *w) {
    tc_arena *a = w->cta->run->sim->arena;
    w->core->place.seen = TC_NEW(a, tc_state_warp);
    copy_warp(a, w, w->core->place.seen);
}

bool tc_state_ahead(const tc_sim_state *s) {
    for (uint32_t i = 0; s && i < s->nctas; i++) {
        for (uint32_t k = 0; k < s->ctas[i].nwarps; k++) {
            if (s->ctas[i].warps[k].issued < s->ctas[i].warps[k].ran) {
                return true;
            }
        }
    }
    return false;
}

static void look_at(tc_arena *a, tc_warp *w, tc_state_warp *out) {
    if (w->core->place.seen) {
        *out = *w->core->place.seen;
        return;
    }
    copy_warp(a, w, out);
    out->issued = w->cta->run->timing ? tc_issued_ops(w) : out->ran;
}

void tc_state_capture(tc_run *r, tc_cta *const *ctas, uint32_t n) {
    tc_arena *a = r->sim->arena;
    enum { LOCAL_LIMIT = 64 << 20 }; /* bytes of all CTAs */
    tc_sim_state *s = TC_NEW(a, tc_sim_state);
    s->cycle = r->launch->stop_at;
    tc_issued_restore(r->timing);
    s->ctas = TC_NEWN(a, tc_state_cta, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        tc_cta *c = ctas[i];
        tc_state_cta *out = &s->ctas[s->nctas++];
        out->index = c->index;
        out->nshared = c->shared_bytes;
        out->shared = copy(a, c->shared, c->shared_bytes);
        out->warps = TC_NEWN(a, tc_state_warp, (size_t)c->nwarps);
        out->nwarps = c->nwarps;
        for (uint32_t k = 0; k < c->nwarps; k++) {
            look_at(a, &c->warps[k], &out->warps[k]);
        }
        copy_mbarriers(a, c, out);
        copy_barriers(a, c, out);
        copy_tensor(a, c, out);
        uint64_t local = (uint64_t)c->nwarps * TC_LANES * c->local_bytes;
        if (local && local <= LOCAL_LIMIT / n) {
            out->nlocal = c->local_bytes;
            out->local = copy(a, c->local, local);
        }
    }
    qsort(s->ctas, s->nctas, sizeof *s->ctas, by_index);
    r->state = s;
    r->stopped = true;
}

uint64_t tc_state_register(const tc_state_warp *w, const tc_ptx_reg *r,
                           int lane) {
    switch (tc_ptx_file_of(r->type)) {
    case TC_PF_PRED:
        return w->pred[r->slot] >> lane & 1;
    case TC_PF_64:
        return w->r64[(size_t)r->slot * TC_LANES + (size_t)lane];
    default:
        return w->r32[(size_t)r->slot * TC_LANES + (size_t)lane];
    }
}
