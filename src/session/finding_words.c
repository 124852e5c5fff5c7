/* finding_words.c - a finding in the learner's words: who did what to which
 * element, what it collides with, and what is missing. */
#include "session/finding_words.h"

#include <string.h>

int tc_finding_line(const tc_access *a) {
    return a->valid && a->op != NULL ? (int)a->op->line : 0;
}

const char *tc_finding_op(const tc_access *a) {
    return a->valid && a->op != NULL ? tc_ptx_ops[a->op->opcode].name : "?";
}

static bool has_opcode(const tc_access *a, tc_ptx_opcode opcode) {
    return a->valid && a->op != NULL && a->op->opcode == opcode;
}

/* "thread 3 of CTA 0" or, in a grid of one CTA, "thread 3". */
static void who(tc_session *s, const tc_access *a, tc_buf *b) {
    const uint32_t *g = s->program.run->grid;
    tc_buf_printf(b, "thread %u", a->warp * 32 + a->lane);
    if ((uint64_t)g[0] * g[1] * g[2] > 1) {
        tc_buf_printf(b, " of CTA %u", a->cta);
    }
}

/* --- what an access does -----------------------------------------------------
 */

static bool is_shared(uint32_t space) {
    return space == TC_PS_SHARED || space == TC_PS_CLUSTER;
}

/* A copy names its destination's space first. */
static bool copy_writes(const tc_ptx_op *op, tc_ptx_space space) {
    return op->space == space || (is_shared(op->space) && is_shared(space));
}

typedef enum deed { READS, WRITES, UPDATES } deed;

/* What an access did to memory of a space, by its opcode. */
static deed deed_of(const tc_access *a, tc_ptx_space space) {
    if (!a->valid || a->op == NULL) {
        return READS;
    }
    switch (a->op->opcode) {
    case TC_PTX_ST:
    case TC_PTX_ST_ASYNC:
    case TC_PTX_ST_BULK:
    case TC_PTX_TCGEN05_ALLOC:
    case TC_PTX_TCGEN05_ST:
        return WRITES;
    case TC_PTX_TCGEN05_CP:
        return space == TC_PS_TENSOR ? WRITES : READS;
    case TC_PTX_ATOM:
    case TC_PTX_RED:
    case TC_PTX_RED_ASYNC:
        return UPDATES;
    case TC_PTX_CP_ASYNC:
        return is_shared(space) ? WRITES : READS;
    case TC_PTX_CP_ASYNC_BULK:
    case TC_PTX_CP_ASYNC_BULK_TENSOR:
        return copy_writes(a->op, space) ? WRITES : READS;
    case TC_PTX_CP_REDUCE_ASYNC_BULK:
    case TC_PTX_CP_REDUCE_ASYNC_BULK_TENSOR:
        return copy_writes(a->op, space) ? UPDATES : READS;
    default:
        return READS;
    }
}

static const char *does(deed d) {
    return d == WRITES ? "writes" : d == UPDATES ? "updates" : "reads";
}

static const char *did(deed d) {
    return d == WRITES ? "wrote" : d == UPDATES ? "updated" : "read";
}

/* --- copies ------------------------------------------------------------------
 */

/* "the copy (cp.async) issued at line 8, in commit group 0," */
static void copy(const tc_finding *f, tc_buf *b) {
    const tc_access *c = &f->cause;
    bool store = has_opcode(c, TC_PTX_ST_ASYNC) ||
                 has_opcode(c, TC_PTX_RED_ASYNC) ||
                 has_opcode(c, TC_PTX_TCGEN05_ST);
    bool load = has_opcode(c, TC_PTX_TCGEN05_LD);
    tc_buf_printf(b, "the %s (%s) issued at line %d",
                  store  ? "store"
                  : load ? "load"
                         : "copy",
                  tc_finding_op(c), tc_finding_line(c));
    if (c->group >= 0) {
        tc_buf_printf(b, ", in commit group %d,", c->group);
    }
}

static void unfinished_copy(tc_session *s, const tc_finding *f,
                            const char *object, tc_buf *b) {
    who(s, &f->at, b);
    tc_buf_printf(b, " reads %s while ", object);
    copy(f, b);
    tc_buf_puts(b, " is still in flight: ");
    switch (f->missing) {
    case TC_MISSING_COMMIT:
    case TC_MISSING_BULK_COMMIT:
        tc_buf_puts(b, "it was never committed, so no wait covers it");
        break;
    case TC_MISSING_COMMIT_AND_WAIT:
    case TC_MISSING_BULK_COMMIT_AND_WAIT:
        tc_buf_puts(b, "it was neither committed nor waited for");
        break;
    case TC_MISSING_WAIT_LESS:
    case TC_MISSING_BULK_LESS:
        tc_buf_printf(b, "the wait at line %d lets it stay pending",
                      tc_finding_line(&f->other));
        break;
    default:
        tc_buf_puts(b, "nothing waited for it");
        break;
    }
}

static void overwritten_copy(tc_session *s, const tc_finding *f,
                             const char *object, tc_buf *b) {
    who(s, &f->at, b);
    tc_buf_printf(b, " writes %s while ", object);
    copy(f, b);
    tc_buf_puts(b, deed_of(&f->cause, f->space) == READS ||
                           f->missing == TC_MISSING_BULK_WAIT_READ
                       ? " may still read it"
                       : " has not completed");
}

/* --- pairs -------------------------------------------------------------------
 */

/* Both sides of a conflict; the kind says what they did where the opcode leaves
 * it open (a copy within shared memory). */
static void pair(tc_session *s, const tc_finding *f, const char *object,
                 const char *end, tc_buf *b) {
    deed at = deed_of(&f->at, f->space), cause = deed_of(&f->cause, f->space);
    if (f->kind == TC_FINDING_READ_BEFORE_BARRIER) {
        at = READS;
        cause = WRITES;
    } else if (f->kind == TC_FINDING_OVERWRITE_BEFORE_READ) {
        at = at == READS ? WRITES : at;
        cause = READS;
    } else if (f->kind == TC_FINDING_PROXY_FENCE && at == WRITES &&
               has_opcode(&f->at, TC_PTX_CP_ASYNC_BULK) &&
               is_shared(f->at.op->space2)) {
        at = READS;
    }
    who(s, &f->at, b);
    tc_buf_printf(b, " %s %s, which ", does(at), object);
    who(s, &f->cause, b);
    tc_buf_printf(b, " %s at line %d (%s), %s", did(cause),
                  tc_finding_line(&f->cause), tc_finding_op(&f->cause), end);
}

static void race(tc_session *s, const tc_finding *f, const char *object,
                 tc_buf *b) {
    bool near = f->at.cta == f->cause.cta;
    pair(s, f, object,
         near ? "with no barrier between them" : "and nothing orders the two",
         b);
}

/* --- mbarriers ---------------------------------------------------------------
 */

static const char *mbarrier_deed(const tc_access *a) {
    if (!a->valid || a->op == NULL) {
        return "uses";
    }
    switch (a->op->opcode) {
    case TC_PTX_MBARRIER_INIT:
        return "initialises";
    case TC_PTX_MBARRIER_INVAL:
        return "invalidates";
    case TC_PTX_MBARRIER_ARRIVE:
    case TC_PTX_MBARRIER_ARRIVE_DROP:
    case TC_PTX_CP_ASYNC_MBARRIER_ARRIVE:
        return "arrives at";
    case TC_PTX_MBARRIER_EXPECT_TX:
        return "announces bytes at";
    case TC_PTX_MBARRIER_TEST_WAIT:
    case TC_PTX_MBARRIER_TRY_WAIT:
        return "waits at";
    default:
        return "signals";
    }
}

static void mbarrier(tc_session *s, const tc_finding *f, const char *object,
                     tc_buf *b) {
    who(s, &f->at, b);
    tc_buf_printf(b, " %s %s", mbarrier_deed(&f->at), object);
    switch (f->kind) {
    case TC_FINDING_MBARRIER_REINIT:
        if (f->detail == NULL && f->cause.valid) {
            tc_buf_puts(b, ", which ");
            who(s, &f->cause, b);
            tc_buf_printf(b,
                          " initialised at line %d, with no barrier between "
                          "them",
                          tc_finding_line(&f->cause));
        }
        break;
    case TC_FINDING_MBARRIER_PHASE:
        tc_buf_puts(b, " for a phase that it cannot mean");
        break;
    case TC_FINDING_TX_COUNT:
        tc_buf_puts(b, ", where the bytes announced are not those copied");
        break;
    default:
        break;
    }
}

/* --- single accesses ---------------------------------------------------------
 */

/* "reads 1024 bytes at a0[0], and only 768 are there" */
static void out_of_bounds(tc_session *s, const tc_finding *f,
                          const char *object, tc_buf *b) {
    const tc_run *run = s->program.run;
    tc_buf_printf(b, " %s %u bytes at %s", does(deed_of(&f->at, f->space)),
                  f->bytes, object);
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *x = &run->buffers[i];
        if (f->space != TC_PS_SHARED && f->space != TC_PS_LOCAL &&
            f->address >= x->address && f->address - x->address < x->bytes) {
            tc_buf_printf(
                b, ": only %llu are there",
                (unsigned long long)(x->bytes - (f->address - x->address)));
            return;
        }
    }
    tc_buf_puts(b, ": nothing is there");
}

static void single(tc_session *s, const tc_finding *f, const char *object,
                   tc_buf *b) {
    deed d = deed_of(&f->at, f->space);
    who(s, &f->at, b);
    switch (f->kind) {
    case TC_FINDING_OUT_OF_BOUNDS:
        out_of_bounds(s, f, object, b);
        break;
    case TC_FINDING_MISALIGNED:
        tc_buf_printf(b, " %s %u bytes at %s, which is not aligned to %lld",
                      does(d), f->bytes, object,
                      (long long)(f->missing_n ? f->missing_n : f->bytes));
        break;
    case TC_FINDING_TRAP:
        tc_buf_puts(b, f->space == TC_PS_TENSOR &&
                               has_opcode(&f->at, TC_PTX_TCGEN05_ALLOC)
                           ? " allocates tensor memory"
                           : " stopped the kernel");
        break;
    case TC_FINDING_ILLEGAL_SIZE:
        tc_buf_puts(b, " asks for a size that cannot be");
        break;
    case TC_FINDING_BARRIER_DIVERGENCE:
        tc_buf_puts(b, " comes to the barrier without the rest of its warp, or "
                       "of the threads that it waits for");
        break;
    case TC_FINDING_UNINITIALIZED_READ:
        tc_buf_printf(b, " reads %s, which nobody has written", object);
        break;
    case TC_FINDING_CLUSTER_SYNC:
        tc_buf_printf(b, " uses %s of another CTA, which may not run yet",
                      object);
        break;
    case TC_FINDING_REMOTE_EXITED:
        tc_buf_printf(b, " uses %s of another CTA, which may have ended",
                      object);
        break;
    default:
        tc_buf_printf(b, ": %s", tc_finding_kind_names[f->kind]);
        break;
    }
}

/* --- the message -------------------------------------------------------------
 */

static bool has_address(const tc_finding *f) {
    switch (f->kind) {
    case TC_FINDING_TRAP:
    case TC_FINDING_BARRIER_DIVERGENCE:
    case TC_FINDING_DEADLOCK:
    case TC_FINDING_MBARRIER_DEADLOCK:
    case TC_FINDING_ILLEGAL_SIZE:
        return false;
    default:
        return true;
    }
}

const char *tc_finding_object(tc_session *s, const tc_finding *f) {
    return has_address(f) ? tc_address_name(s, f->space, f->address) : NULL;
}

static void deed_text(tc_session *s, const tc_finding *f, const char *object,
                      tc_buf *b) {
    switch (f->kind) {
    case TC_FINDING_UNCOMMITTED_GROUP:
    case TC_FINDING_READ_BEFORE_COMPLETE:
        unfinished_copy(s, f, object, b);
        break;
    case TC_FINDING_OVERWRITE_IN_FLIGHT:
        overwritten_copy(s, f, object, b);
        break;
    case TC_FINDING_READ_BEFORE_BARRIER:
    case TC_FINDING_OVERWRITE_BEFORE_READ:
    case TC_FINDING_DATA_RACE:
        race(s, f, object, b);
        break;
    case TC_FINDING_PROXY_FENCE:
        pair(s, f, object, "with no proxy fence between the two", b);
        break;
    case TC_FINDING_MBARRIER_REINIT:
    case TC_FINDING_MBARRIER_COUNT:
    case TC_FINDING_MBARRIER_PHASE:
    case TC_FINDING_TX_COUNT:
        mbarrier(s, f, object, b);
        break;
    case TC_FINDING_DEADLOCK:
    case TC_FINDING_MBARRIER_DEADLOCK:
        tc_buf_puts(b, "nobody can go on");
        break;
    default:
        single(s, f, object, b);
        break;
    }
}

/* Several lanes, and threads, may fall to one defect. */
static void also(const tc_finding *f, tc_buf *b) {
    if (f->lanes > 1) {
        tc_buf_puts(b, " (the same in ");
        tc_describe_count(b, f->lanes - 1);
        tc_buf_printf(b, " more access%s)", f->lanes == 2 ? "" : "es");
    }
}

void tc_finding_message(tc_session *s, const tc_finding *f, tc_buf *b) {
    const char *object = tc_finding_object(s, f);
    bool list = f->detail != NULL && strchr(f->detail, '\n') != NULL;
    deed_text(s, f, object != NULL ? object : "", b);
    if (!list && f->detail != NULL) {
        tc_buf_printf(b, ": %s", f->detail);
    }
    if (list) { /* the waiters: they are the others */
        size_t n = strlen(f->detail);
        n -= f->detail[n - 1] == '\n';
        tc_buf_printf(b, ":\n%.*s", (int)n, f->detail);
    } else {
        also(f, b);
    }
}

/* --- what is missing ---------------------------------------------------------
 */

/* What would be written, in the words of the source. */
typedef struct words {
    const char *commit, *wait, *wait_open, *wait_close, *barrier;
    const char *tensor_wait, *tensor_close;
} words;

static const words script_words = {"T.ptx.cp_async.commit_group()",
                                   "T.ptx.cp_async.wait_group(",
                                   "wait_group(",
                                   ")",
                                   "T.cuda.cta_sync()",
                                   "T.ptx.tcgen05.wait.",
                                   "()"};
static const words ptx_words = {"cp.async.commit_group",
                                "cp.async.wait_group ",
                                "wait_group ",
                                "",
                                "bar.sync 0",
                                "tcgen05.wait::",
                                ".sync.aligned"};

static void missing_barrier(const char *barrier, int cause, int at, tc_buf *b) {
    if (cause == at) {
        tc_buf_printf(b, "%s between two turns of line %d", barrier, at);
    } else if (cause > at) {
        tc_buf_printf(b,
                      "%s after line %d, before line %d comes "
                      "round again",
                      barrier, cause, at);
    } else {
        tc_buf_printf(b, "%s between lines %d and %d", barrier, cause, at);
    }
}

void tc_finding_missing(tc_session *s, const tc_finding *f, tc_buf *b) {
    const words *w = s->program.run->file ? &ptx_words : &script_words;
    int at = tc_finding_line(&f->at), cause = tc_finding_line(&f->cause);
    long long n = (long long)f->missing_n;
    switch (f->missing) {
    case TC_MISSING_NOTHING:
        break;
    case TC_MISSING_COMMIT:
        tc_buf_printf(b, "%s after line %d, before the wait", w->commit, cause);
        break;
    case TC_MISSING_WAIT:
        tc_buf_printf(b, "%s%lld%s before line %d", w->wait, n, w->wait_close,
                      at);
        break;
    case TC_MISSING_WAIT_LESS:
        tc_buf_printf(b, "%s%lld%s or less at line %d", w->wait_open, n,
                      w->wait_close, tc_finding_line(&f->other));
        break;
    case TC_MISSING_COMMIT_AND_WAIT:
        tc_buf_printf(b, "%s after line %d, and %s%lld%s before line %d",
                      w->commit, cause, w->wait, n, w->wait_close, at);
        break;
    case TC_MISSING_BARRIER:
        missing_barrier(w->barrier, cause, at, b);
        break;
    case TC_MISSING_PHASE_WAIT:
        tc_buf_printf(b,
                      "before line %d, a wait for the phase of the mbarrier "
                      "that line %d completes",
                      at, cause);
        break;
    case TC_MISSING_BULK_COMMIT:
        tc_buf_printf(b,
                      "cp.async.bulk.commit_group after line %d, before the "
                      "wait",
                      cause);
        break;
    case TC_MISSING_BULK_COMMIT_AND_WAIT:
        tc_buf_printf(b,
                      "cp.async.bulk.commit_group after line %d, and "
                      "cp.async.bulk.wait_group 0 before line %d",
                      cause, at);
        break;
    case TC_MISSING_BULK_LESS:
        tc_buf_printf(b, "cp.async.bulk.wait_group %lld or less at line %d",
                      (long long)f->missing_n, tc_finding_line(&f->other));
        break;
    case TC_MISSING_BULK_WAIT:
        tc_buf_printf(b, "cp.async.bulk.wait_group 0 before line %d", at);
        break;
    case TC_MISSING_BULK_WAIT_READ:
        tc_buf_printf(b, "cp.async.bulk.wait_group.read 0 before line %d", at);
        break;
    case TC_MISSING_EMPTY_WAIT:
        tc_buf_printf(b,
                      "before line %d, a wait for an mbarrier at which the "
                      "readers arrive after line %d",
                      at, cause);
        break;
    case TC_MISSING_PROXY_FENCE:
        tc_buf_printf(b, "fence.proxy.async between lines %d and %d", cause,
                      at);
        break;
    case TC_MISSING_CLUSTER_BARRIER:
        tc_buf_printf(b, "a barrier of the cluster between lines %d and %d",
                      cause, at);
        break;
    case TC_MISSING_CLUSTER_START:
        tc_buf_printf(b, "a barrier of the cluster before line %d", at);
        break;
    case TC_MISSING_CLUSTER_END:
        tc_buf_printf(b,
                      "a barrier of the cluster after line %d, before the "
                      "other CTA ends",
                      at);
        break;
    case TC_MISSING_SCOPE:
        tc_buf_printf(b,
                      "a scope of .gpu at lines %d and %d: .cta does not "
                      "reach another CTA",
                      cause, at);
        break;
    case TC_MISSING_TENSOR_WAIT:
        tc_buf_printf(b, "%s%s%s before line %d", w->tensor_wait,
                      has_opcode(&f->cause, TC_PTX_TCGEN05_ST) ? "st" : "ld",
                      w->tensor_close, at);
        break;
    case TC_MISSING_TENSOR_COMMIT:
        tc_buf_printf(b,
                      "tcgen05.commit to an mbarrier after line %d, and a wait "
                      "for its phase before line %d",
                      cause, at);
        break;
    case TC_MISSING_ONE_WRITER:
        tc_buf_printf(b, "one thread that writes it, or an atomic, at line %d",
                      at);
        break;
    case TC_MISSING_ALIGNMENT:
        tc_buf_printf(b, "an address that is a multiple of %lld bytes", n);
        break;
    }
}
