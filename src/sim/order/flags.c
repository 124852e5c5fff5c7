/* flags.c - which fence is missing where data are handed over by a flag.
 *
 * Two accesses of different CTAs that nothing orders, while one thread has left
 * word for the other in a strong access: a reader that has not been through a
 * fence since it read a released flag lacks that one; where the flag was written
 * without a fence before, that one is missing. The latest strong writes are remembered,
 * a few, by their address: this makes a report better, and no race. */
#include "sim/core/finding.h"
#include "sim/race/visit.h"
#include <stdlib.h>

enum { FLAGS = 256 };

/* A strong write: it released what its thread did up to `fenced`, and not what
 * it did from then up to `clock`. */
typedef struct tc_flag {
    uint64_t address, fenced, clock;
    tc_access by; /* valid: there is one */
} tc_flag;

/* What a lane has read last of such. */
typedef struct tc_seen_flag {
    tc_flag flag;
    const tc_ptx_op *op; /* that read it */
    bool fenced;         /* since then */
} tc_seen_flag;

struct tc_race_flags {
    tc_flag at[FLAGS];
};

static tc_flag *slot(struct tc_race_flags *f, uint64_t address) {
    return &f->at[(address >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

void tc_race_flag_written(tc_warp *w, const tc_ptx_op *op, int lane,
                          uint64_t address) {
    tc_race *h = w->cta->run->race;
    const tc_race_warp *hw = tc_race_warp_of(w);
    if (tc_race_scope_of(op) <= TC_PTX_SCOPE_CTA || h->first) {
        return;
    }
    if (!h->flags) {
        h->flags = tc_xcalloc(1, sizeof *h->flags);
    }
    bool wide =
        (hw->releases >> lane & 1) && hw->scope[lane] > TC_PTX_SCOPE_CTA;
    *slot(h->flags, address) =
        (tc_flag){.address = address,
                  .fenced = op->flags & TC_PM_RELEASE ? hw->clock
                            : wide                    ? hw->fence[lane]
                                                      : 0,
                  .clock = hw->clock,
                  .by = tc_access_of(w, op, lane)};
}

void tc_race_flag_read(tc_warp *w, const tc_ptx_op *op, int lane,
                       uint64_t address) {
    const tc_race *h = w->cta->run->race;
    tc_race_warp *hw = tc_race_warp_of(w);
    const tc_flag *b = h->flags ? slot(h->flags, address) : NULL;
    if (!b || !b->by.valid || b->address != address ||
        b->by.cta == w->cta->index) {
        return;
    }
    if (!hw->seen) {
        hw->seen = tc_xcalloc(TC_LANES, sizeof *hw->seen);
    }
    hw->seen[lane] = (tc_seen_flag){.flag = *b, .op = op};
}

void tc_race_flag_fenced(tc_warp *w, uint32_t mask) {
    tc_race_warp *hw = tc_race_warp_of(w);
    for (uint32_t m = hw->seen ? mask : 0; m; m &= m - 1) {
        hw->seen[tc_first_bit(m)].fenced = true;
    }
}

/* ---- what is missing ---- */

/* The lane has word of x, and has been through no fence since. */
static bool lacks_after(const tc_race_warp *hw, int lane, tc_finding *f,
                        const tc_shadow_record *x, uint32_t thread) {
    if (!(hw->acquires >> lane & 1) || !hw->acquire[lane] ||
        !tc_vclock_covers_threads(hw->acquire[lane], x->cta, thread, 1,
                                  x->clock)) {
        return false;
    }
    f->missing = TC_MISSING_FENCE_AFTER;
    f->other.op = hw->by[lane];
    return true;
}

static int line_of(const tc_ptx_op *op) {
    return (int)(op->call_line ? op->call_line : op->line);
}

static bool lacks_before(const tc_race_warp *hw, int lane, tc_finding *f,
                         const tc_shadow_record *x) {
    const tc_seen_flag *s = hw->seen ? &hw->seen[lane] : NULL;
    if (!s || !s->op || s->flag.by.cta != x->cta || x->clock > s->flag.clock ||
        x->clock <= s->flag.fenced) {
        return false;
    }
    f->missing = s->fenced ? TC_MISSING_FENCE_BEFORE : TC_MISSING_FENCES;
    f->missing_n = s->fenced ? 0 : line_of(s->op);
    f->other = s->flag.by;
    return true;
}

void tc_race_flag_missing(const tc_race_visit *v, tc_finding *f,
                          const tc_shadow_record *x, int le) {
    uint32_t thread = x->warp * TC_LANES + (uint32_t)le;
    if (!v->w || x->cta == v->w->cta->index) {
        return;
    }
    for (uint32_t i = 0; i < v->w->cta->nwarps * TC_LANES; i++) {
        const tc_race_warp *hw = &v->w->cta->race->warps[i / TC_LANES];
        int lane = (int)(i % TC_LANES);
        if (lacks_after(hw, lane, f, x, thread)) {
            f->other = tc_access_of(&v->w->cta->warps[i / TC_LANES],
                                    f->other.op, lane);
            return;
        }
    }
    for (uint32_t i = 0; i < v->w->cta->nwarps * TC_LANES; i++) {
        if (lacks_before(&v->w->cta->race->warps[i / TC_LANES],
                         (int)(i % TC_LANES), f, x)) {
            return;
        }
    }
}
