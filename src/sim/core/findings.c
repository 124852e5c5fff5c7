/* findings.c - one defect, one finding, of the first kind that fits. */
#include "sim/core/finding.h"
#include <string.h>

const char *const tc_finding_kind_names[TC_FINDING_KIND_COUNT] = {
#define TC_FINDING(id, name, priority, object, message) name,
#include "sim/findings.def"
};

/* Of a row, which of several kinds is told; least first. */
static const int priorities[TC_FINDING_KIND_COUNT] = {
#define TC_FINDING(id, name, priority, object, message) priority,
#include "sim/findings.def"
};

/* Where a missing line may stand that mends two findings: see findings.def. */
typedef enum tc_reach {
    TC_REACH_PLACE,
    TC_REACH_STRETCH,
    TC_REACH_WAIT
} tc_reach;

static const tc_reach reaches[TC_MISSING_COUNT] = {
#define TC_MISSING(id, reach, pending, ptx, script, side, cuda)                \
    TC_REACH_##reach,
#include "sim/findings.def"
};

static bool before(const tc_finding *a, const tc_finding *b) {
    return priorities[a->kind] < priorities[b->kind];
}

tc_access tc_access_of(const tc_warp *w, const tc_ptx_op *op, int lane) {
    return (tc_access){.valid = true,
                       .op = op,
                       .cta = w->cta->index,
                       .warp = w->index,
                       .lane = (uint32_t)lane,
                       .cycle = w->cta->run->cycle,
                       .group = -2};
}

/* The stretch of code in which the one missing line would have to stand: from
 * the cause to where it was noticed, perhaps round the end of a loop. */
static tc_span_of_code stretch(const tc_run *r, const tc_finding *f) {
    const tc_ptx_op *from = f->cause.op, *to = f->at.op;
    bool turns = from >= to && (!to || tc_code_loops(r->module, from, to));
    if (f->reader_first || (from > to && !turns)) {
        return (tc_span_of_code){to, from, false};
    }
    return (tc_span_of_code){from, to, turns};
}

static bool overlap(const tc_span_of_code *a, const tc_span_of_code *b) {
    if (a->wraps && b->wraps) {
        return true; /* both hold the loop's end */
    }
    if (a->wraps) {
        return b->to > a->from || b->from < a->to;
    }
    if (b->wraps) {
        return a->to > b->from || a->from < b->to;
    }
    return (a->from > b->from ? a->from : b->from) <
           (a->to < b->to ? a->to : b->to);
}

/* A place and those that it was inlined into are the same. */
static bool same_place_of(const tc_ptx_module *m, uint32_t a, uint32_t b) {
    enum { DEEPEST = 256 };
    for (int i = 0; a != b && i < DEEPEST; i++) {
        const tc_ptx_loc *x = &m->locs[a], *y = &m->locs[b];
        if (a == 0 || b == 0 || x->line != y->line || x->col != y->col ||
            x->file != y->file) {
            return false;
        }
        a = x->parent;
        b = y->parent;
    }
    return a == b;
}

/* Of one line of the source; what was inlined, of one call. An unrolled loop
 * has an instruction several times. */
static bool same_line(const tc_run *r, const tc_ptx_op *a, const tc_ptx_op *b) {
    if (!a || !b) {
        return a == b;
    }
    if (a == b) {
        return true;
    }
    if (a->loc && b->loc) {
        const tc_ptx_loc *l = r->module->locs;
        const tc_ptx_loc *x = &l[a->loc], *y = &l[b->loc];
        if (!x->parent && !y->parent) {
            return x->line == y->line && x->file == y->file;
        }
        return same_place_of(r->module, a->loc, b->loc);
    }
    return a->line && a->line == b->line && a->file == b->file;
}

static bool is_atomic(const tc_ptx_op *op) {
    return tc_ptx_effect_of(op) == TC_PTX_EFFECT_ATOMIC;
}

static bool is_strong(const tc_ptx_op *op) {
    return is_atomic(op) || (op->flags & (TC_PM_VOLATILE | TC_PM_RELAXED |
                                          TC_PM_ACQUIRE | TC_PM_RELEASE));
}

static bool is_race(const tc_finding *f) {
    return f->kind == TC_FINDING_DATA_RACE && f->at.op && f->cause.op;
}

static bool between_ctas(const tc_finding *f) {
    return is_race(f) && f->at.cta != f->cause.cta;
}

/* Both are about one store. */
static bool same_store(const tc_finding *a, const tc_finding *b) {
    const tc_ptx_op *ops[] = {a->at.op, a->cause.op};
    for (int i = 0; i < 2; i++) {
        if ((ops[i] == b->at.op || ops[i] == b->cause.op) &&
            (tc_ptx_effect_of(ops[i]) == TC_PTX_EFFECT_STORE ||
             is_atomic(ops[i]))) {
            return true;
        }
    }
    return false;
}

/* Nothing is known to be missing, or a fence beside a flag is. */
static bool is_handover(const tc_finding *f) {
    return f->missing == TC_MISSING_NOTHING ||
           f->missing == TC_MISSING_FENCE_AFTER ||
           f->missing == TC_MISSING_FENCE_BEFORE ||
           f->missing == TC_MISSING_FENCES;
}

/* Two findings tell of one defect if the same missing line would mend both. */
static bool same_defect(const tc_run *r, const tc_finding *a,
                        const tc_span_of_code *span, const tc_finding *b,
                        const tc_span_of_code *other) {
    bool same_place = same_line(r, a->at.op, b->at.op) &&
                      same_line(r, a->cause.op, b->cause.op);
    if (a->kind == TC_FINDING_MBARRIER_PHASE && a->kind == b->kind &&
        same_line(r, a->at.op, b->at.op)) {
        return true; /* whether it passed or not */
    }
    /* Word was left for some of the threads, and perhaps not for others. */
    if (between_ctas(a) && between_ctas(b) && is_handover(a) &&
        is_handover(b) && (same_place || same_store(a, b))) {
        return true;
    }
    bool notes = a->kind == TC_FINDING_SAME_VALUE;
    if (a->missing != b->missing || !same_line(r, a->other.op, b->other.op) ||
        notes != (b->kind == TC_FINDING_SAME_VALUE)) {
        return false;
    }
    if (between_ctas(a) && between_ctas(b) && same_store(a, b)) {
        return true;
    }
    if (reaches[a->missing] == TC_REACH_PLACE) {
        return a->kind == b->kind && same_place;
    }
    /* The wait that leaves too many is one for all whom it lets go on. */
    bool same_wait =
        a->missing == TC_MISSING_WAIT_LESS ||
        (a->missing == TC_MISSING_WAIT && same_line(r, a->at.op, b->at.op));
    bool turned = a->missing == TC_MISSING_BARRIER &&
                  same_line(r, a->at.op, b->cause.op) &&
                  same_line(r, a->cause.op, b->at.op);
    return same_place || turned || same_wait || overlap(span, other);
}

/* `x[i]++` by several threads: race is of its store with itself, and b only
 * says that the store follows the load of the same statement. No barrier within
 * it would help. */
static bool lost_update(const tc_run *r, const tc_finding *race,
                        const tc_finding *b) {
    return race->kind == TC_FINDING_DATA_RACE &&
           b->kind == TC_FINDING_OVERWRITE_BEFORE_READ &&
           race->at.op == race->cause.op && race->at.op == b->at.op &&
           race->at.op->loc && same_line(r, b->at.op, b->cause.op);
}

/* Adds b to a. What mends both must stand in both stretches; the first kind of
 * the table names the defect, and its stretch counts. */
static void merge(const tc_run *r, tc_finding *a, tc_span_of_code *span,
                  const tc_finding *b, const tc_span_of_code *other) {
    uint64_t lanes = a->lanes + b->lanes;
    int64_t least = b->missing_n < a->missing_n ? b->missing_n : a->missing_n;
    bool lost = lost_update(r, a, b), found = lost_update(r, b, a);
    bool apart = a->apart || b->apart;
    const tc_finding old = *a, *known = NULL;
    if (is_handover(a) && is_handover(b)) {
        known = a->missing == TC_MISSING_NOTHING ? b : &old;
    }
    if ((before(b, a) && !lost) || found) {
        *a = *b;
        *span = *other;
    } else if (b->kind == a->kind && !span->wraps && !other->wraps &&
               overlap(span, other)) {
        span->from = span->from > other->from ? span->from : other->from;
        span->to = span->to < other->to ? span->to : other->to;
    }
    a->lanes = lanes;
    a->apart = apart;
    if (lost || found) {
        a->detail = (tc_detail){.row = TC_DETAIL_LOST_UPDATE};
    }
    a->missing_n = least; /* what is enough for all of them */
    if (known != NULL) {
        a->missing = known->missing;
        a->other = known->other;
        a->missing_n = known->missing_n;
    }
}

enum { MOST = 1000 }; /* more than anyone reads */

/* All that same_defect asks of b but its source lines. */
static bool same_question(const tc_finding *a, const tc_finding *b) {
    return a->kind == b->kind && a->missing == b->missing &&
           a->at.op == b->at.op && a->cause.op == b->cause.op &&
           a->other.op == b->other.op && between_ctas(a) == between_ctas(b);
}

/* A repeat of the finding before: it goes where that went, as long as it is one
 * that changes nothing there. */
static bool repeated(tc_run *r, const tc_finding *f) {
    tc_finding *a = r->repeat.at ? &r->findings[r->repeat.at - 1] : NULL;
    if (!a || !same_question(&r->repeat.f, f) || f->missing_n < a->missing_n ||
        !same_question(a, f)) {
        return false;
    }
    a->lanes += f->lanes;
    a->apart |= f->apart;
    return true;
}

void tc_finding_add(tc_run *r, const tc_finding *f) {
    tc_finding copy = *f;
    copy.lanes = f->lanes ? f->lanes : 1;
    copy.apart = f->at.warp != f->cause.warp || f->at.cta != f->cause.cta;
    if (repeated(r, &copy)) {
        return;
    }
    r->repeat.at = 0;
    const tc_span_of_code span = stretch(r, &copy);
    for (int i = 0; i < r->nfindings; i++) {
        if (same_defect(r, &r->findings[i], &r->spans[i], &copy, &span)) {
            merge(r, &r->findings[i], &r->spans[i], &copy, &span);
            r->repeat.at = i + 1;
            r->repeat.f = copy;
            return;
        }
    }
    if (r->nfindings >= MOST) {
        return;
    }
    int n = r->nfindings;
    TC_PUSH(r->sim->arena, r->findings, r->nfindings, r->cfindings, copy);
    TC_PUSH(r->sim->arena, r->spans, n, r->cspans, span);
}

static void drop_finding(tc_run *r, int i) {
    r->nfindings--;
    size_t n = (size_t)(r->nfindings - i);
    memmove(&r->findings[i], &r->findings[i + 1], n * sizeof *r->findings);
    memmove(&r->spans[i], &r->spans[i + 1], n * sizeof *r->spans);
}

static bool shares_op(const tc_finding *a, const tc_finding *b) {
    return a->at.op == b->at.op || a->at.op == b->cause.op ||
           (a->cause.op &&
            (a->cause.op == b->at.op || a->cause.op == b->cause.op));
}

/* A read of what a copy or another thread has not made ready. */
static bool reads_early(const tc_finding *f) {
    return f->kind == TC_FINDING_UNCOMMITTED_GROUP ||
           f->kind == TC_FINDING_READ_BEFORE_COMPLETE ||
           f->kind == TC_FINDING_READ_BEFORE_BARRIER;
}

/* b only tells what a has done: who meets a store into a copy's bytes in
 * flight; what is read before a copy has filled it; barriers that count on the
 * wait that is missing; data that a flag of too narrow a scope should have
 * ordered. */
static bool consequence(tc_finding *a, const tc_finding *b) {
    bool stuck = b->kind == TC_FINDING_MBARRIER_COUNT ||
                 b->kind == TC_FINDING_MBARRIER_DEADLOCK;
    bool waits = a->missing == TC_MISSING_PHASE_WAIT ||
                 a->missing == TC_MISSING_EMPTY_WAIT;
    bool lives = a->kind == TC_FINDING_CLUSTER_SYNC ||
                 a->kind == TC_FINDING_REMOTE_EXITED;
    if (a->kind == TC_FINDING_MBARRIER_COUNT && a->at.op == b->cause.op &&
        b->kind == TC_FINDING_TX_COUNT) {
        return true; /* what did not fit was not announced */
    }
    if (a->kind == TC_FINDING_MBARRIER_PHASE &&
        (stuck || (b->kind == TC_FINDING_UNINITIALIZED_READ &&
                   b->space == TC_PS_SHARED && a->at.cta == b->at.cta))) {
        return true; /* who should have written is stuck, or yet to come */
    }
    if (a->kind == TC_FINDING_OVERWRITE_BEFORE_READ &&
        b->kind == TC_FINDING_MBARRIER_DEADLOCK && a->at.cta == b->at.cta) {
        return true; /* who has not waited for the others runs ahead of them */
    }
    if (a->kind == TC_FINDING_UNINITIALIZED_READ && a->space == TC_PS_GLOBAL &&
        b->kind == TC_FINDING_DEADLOCK) {
        return is_strong(a->at.op); /* a lock that nobody has made free */
    }
    if (a->kind == TC_FINDING_CLUSTER_SYNC &&
        b->kind == TC_FINDING_MBARRIER_REINIT) {
        return true; /* nobody can know what a CTA has initialised */
    }
    if (!before(b, a) && a->at.op == b->at.op && a->cause.op &&
        a->cause.op == b->cause.op && b->missing == TC_MISSING_BARRIER &&
        reaches[a->missing] == TC_REACH_WAIT) {
        return true; /* the wait that is missing stands before a barrier */
    }
    if (!before(a, b) && a->kind != TC_FINDING_DATA_RACE) {
        return false;
    }
    if (waits && b->kind == TC_FINDING_REMOTE_EXITED) {
        return a->cause.op == b->at.op;
    }
    if (lives && between_ctas(b)) {
        return shares_op(a, b);
    }
    if ((stuck || b->kind == TC_FINDING_MBARRIER_PHASE) && waits) {
        return true;
    }
    if (b->kind == TC_FINDING_UNINITIALIZED_READ) {
        return reads_early(a) && a->at.op == b->at.op;
    }
    if (b->kind == TC_FINDING_OVERWRITE_BEFORE_READ &&
        a->kind == TC_FINDING_READ_BEFORE_COMPLETE) {
        return a->at.op == b->cause.op && a->cause.op == b->at.op;
    }
    if (a->kind == TC_FINDING_OVERWRITE_IN_FLIGHT &&
        (b->kind == TC_FINDING_DATA_RACE ||
         b->kind == TC_FINDING_OVERWRITE_BEFORE_READ)) {
        return shares_op(a, b);
    }
    if (a->kind == TC_FINDING_DATA_RACE && b->missing == TC_MISSING_SCOPE &&
        a->missing == TC_MISSING_NOTHING && a->cause.valid &&
        a->at.cta != a->cause.cta) {
        a->missing = TC_MISSING_SCOPE;
        a->other = b->at;
        return true;
    }
    if (between_ctas(a) && is_race(b) && !between_ctas(b)) {
        return same_store(a, b);
    }
    /* Data handed over by a flag that one side does not use as one. */
    return between_ctas(a) && between_ctas(b) &&
           is_strong(a->at.op) != is_strong(a->cause.op) &&
           !is_strong(b->at.op) && !is_strong(b->cause.op);
}

static void drop_consequences(tc_run *r) {
    for (int i = 0; i < r->nfindings; i++) {
        for (int j = r->nfindings - 1; j >= 0; j--) {
            if (j != i && consequence(&r->findings[i], &r->findings[j])) {
                drop_finding(r, j);
                i -= j < i;
            }
        }
    }
}

static const char *copied(tc_arena *a, const char *text) {
    return text ? tc_strdup(a, text) : NULL;
}

const tc_wait_list *tc_wait_list_copy(tc_arena *a, const tc_wait_list *w) {
    if (!w) {
        return NULL;
    }
    tc_wait_list *copy = TC_NEW(a, tc_wait_list);
    tc_waiter *list = TC_NEWN(a, tc_waiter, w->n + 1);
    *copy = *w;
    copy->list = list;
    for (int i = 0; i < w->n; i++) {
        int n = w->list[i].nabsent;
        tc_wait_lanes *absent = TC_NEWN(a, tc_wait_lanes, n + 1);
        list[i] = w->list[i];
        for (int j = 0; j < n; j++) {
            absent[j] = w->list[i].absent[j];
        }
        list[i].absent = absent;
    }
    return copy;
}

tc_finding tc_finding_copy(tc_arena *a, const tc_finding *f) {
    tc_finding copy = *f;
    copy.detail.function = copied(a, f->detail.function);
    copy.detail.expression = copied(a, f->detail.expression);
    copy.detail.file = copied(a, f->detail.file);
    copy.detail.why = copied(a, f->detail.why);
    copy.waiters = tc_wait_list_copy(a, f->waiters);
    return copy;
}

/* Notes, which are no findings, to the end of the list. */
static void part_notes(tc_run *r) {
    int n = r->nfindings, kept = 0;
    for (int i = 0; i < n; i++) {
        tc_finding f = r->findings[i];
        if (f.kind != TC_FINDING_SAME_VALUE) {
            memmove(&r->findings[kept + 1], &r->findings[kept],
                    (size_t)(i - kept) * sizeof f);
            r->findings[kept++] = f;
        }
    }
    r->nfindings = kept;
    r->nnotes = n - kept;
}

void tc_findings_settle(tc_run *r) {
    drop_consequences(r);
    for (int i = 0; i < r->nfindings; i++) {
        for (int j = r->nfindings - 1; j > i; j--) {
            if (same_defect(r, &r->findings[i], &r->spans[i], &r->findings[j],
                            &r->spans[j])) {
                merge(r, &r->findings[i], &r->spans[i], &r->findings[j],
                      &r->spans[j]);
                drop_finding(r, j);
            }
        }
        if (r->findings[i].detail.row == TC_DETAIL_LOST_UPDATE) {
            r->findings[i].missing = TC_MISSING_NOTHING; /* no barrier would */
        }
    }
    part_notes(r);
}

void tc_undefined_sync(tc_warp *w, const tc_ptx_op *op, uint32_t lanes,
                       tc_detail detail) {
    if (!w->cta->run->sim->options.hazards) {
        return;
    }
    tc_finding f = {.kind = TC_FINDING_BARRIER_DIVERGENCE,
                    .space = TC_PS_REG,
                    .at = tc_access_of(w, op, tc_first_bit(lanes)),
                    .lanes = tc_popc(lanes),
                    .detail = detail};
    tc_finding_add(w->cta->run, &f);
}

void tc_finding_fault(tc_warp *w, const tc_ptx_op *op, int lane,
                      tc_finding_kind kind, tc_ptx_space space,
                      uint64_t address, uint32_t bytes, tc_detail_id detail) {
    tc_fault_with(w, op, lane, kind, space, address, bytes,
                  (tc_detail){.row = detail});
}

void tc_fault_with(tc_warp *w, const tc_ptx_op *op, int lane,
                   tc_finding_kind kind, tc_ptx_space space, uint64_t address,
                   uint32_t bytes, tc_detail detail) {
    tc_run *r = w->cta->run;
    tc_finding f = {.kind = kind,
                    .space = space,
                    .address = address,
                    .bytes = bytes,
                    .to = bytes,
                    .at = tc_access_of(w, op, lane),
                    .detail = detail,
                    .lanes = 1};
    if (kind == TC_FINDING_MISALIGNED) {
        f.missing = TC_MISSING_ALIGNMENT;
        f.missing_n = bytes;
    }
    if (kind == TC_FINDING_REMOTE_EXITED) {
        f.missing = TC_MISSING_CLUSTER_END;
    }
    tc_finding_add(r, &f);
    r->status = TC_RUN_FAULT;
    r->stopped = true;
    w->core->limit = 0;
}
