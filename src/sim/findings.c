/* findings.c - one defect, one finding. */
#include "sim/internal.h"
#include <stdlib.h>

#define X(id, name) name,
const char *const tc_finding_kind_names[TC_FINDING_KIND_COUNT] = {
    TC_FINDING_KINDS(X)};
#undef X

tc_access tc_access_of(const tc_warp *w, const tc_ptx_op *op, int lane)
{
    return (tc_access){.valid = true,
                       .op = op,
                       .cta = w->cta->index,
                       .warp = w->index,
                       .lane = (uint32_t)lane,
                       .cycle = w->cta->run->cycle,
                       .group = -2};
}

/* The stretch of code in which the one missing line would have to stand. */
static bool overlap(const tc_finding *a, const tc_finding *b)
{
    if (!a->cause.valid || !b->cause.valid) {
        return a->cause.valid == b->cause.valid && a->at.op == b->at.op;
    }
    /* Ops of one source line are one place. */
    if (a->at.op->line && a->at.op->line == b->at.op->line &&
        a->at.op->file == b->at.op->file && a->cause.op->line &&
        a->cause.op->line == b->cause.op->line &&
        a->cause.op->file == b->cause.op->file) {
        return true;
    }
    bool wrap_a = a->cause.op >= a->at.op, wrap_b = b->cause.op >= b->at.op;
    if (wrap_a != wrap_b) {
        return false; /* one goes round a loop's end, the other does not */
    }
    if (wrap_a) {
        return (a->cause.op == a->at.op) == (b->cause.op == b->at.op) &&
               (a->cause.op != a->at.op || a->at.op == b->at.op);
    }
    const tc_ptx_op *lo = a->cause.op > b->cause.op ? a->cause.op : b->cause.op;
    const tc_ptx_op *hi = a->at.op < b->at.op ? a->at.op : b->at.op;
    return lo < hi;
}

static bool same_defect(const tc_finding *a, const tc_finding *b)
{
    return a->kind == b->kind && a->missing == b->missing &&
           a->space == b->space && a->other.op == b->other.op &&
           overlap(a, b);
}

void tc_find(tc_run *r, const tc_finding *f)
{
    for (int i = 0; i < r->nfindings; i++) {
        if (same_defect(&r->findings[i], f)) {
            r->findings[i].lanes += f->lanes ? f->lanes : 1;
            return;
        }
    }
    if (r->nfindings >= 1000) {
        return; /* more than anyone reads */
    }
    tc_finding copy = *f;
    copy.lanes = f->lanes ? f->lanes : 1;
    TC_PUSH(r->sim->arena, r->findings, r->nfindings, r->cfindings, copy);
}

void tc_fault(tc_warp *w, const tc_ptx_op *op, int lane, tc_finding_kind kind,
              tc_ptx_space space, uint64_t address, uint32_t bytes,
              const char *detail)
{
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
    tc_find(r, &f);
    r->status = TC_RUN_FAULT;
    r->stopped = true;
    w->core->limit = 0;
}
