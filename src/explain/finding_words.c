/* finding_words.c - a finding in the learner's words: who did what to which
 * element, what it collides with, and what is missing. */
#include "explain/finding_words.h"
#include "explain/finding_cuda.h"
#include "run/run.h"

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

const tc_loaded *tc_finding_cuda(const tc_session *s) {
    const tc_loaded *f = s->program.run->file;
    return f != NULL && f->cu_files != NULL ? f : NULL;
}

static const char *block_word(const tc_session *s) {
    return tc_finding_cuda(s) != NULL ? "block" : "CTA";
}

/* As blockIdx and threadIdx give it; x counts fastest. */
static void index_words(uint32_t i, const uint32_t of[3], bool plain,
                        tc_buf *b) {
    if (plain || of[0] == 0 || of[1] * of[2] <= 1) {
        tc_buf_printf(b, " %u", i);
    } else if (of[2] <= 1) {
        tc_buf_printf(b, " (%u,%u)", i % of[0], i / of[0]);
    } else {
        tc_buf_printf(b, " (%u,%u,%u)", i % of[0], i / of[0] % of[1],
                      i / of[0] / of[1]);
    }
}

void tc_finding_who(tc_session *s, const tc_access *a, tc_buf *b) {
    const tc_run *run = s->program.run;
    const uint32_t *g = run->grid;
    bool plain = tc_finding_cuda(s) == NULL;
    if (a->some_lane) {
        tc_buf_printf(b, "a thread of warp %u", a->warp);
    } else {
        tc_buf_puts(b, "thread");
        index_words(a->warp * 32 + a->lane, run->block, plain, b);
    }
    if ((uint64_t)g[0] * g[1] * g[2] > 1) {
        tc_buf_printf(b, " of %s", block_word(s));
        index_words(a->cta, g, plain, b);
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

const char *tc_finding_does(const tc_access *a, tc_ptx_space space) {
    /* A register of tensor memory's load: whoever meets it was to use it. */
    return does(space == TC_PS_REG ? READS : deed_of(a, space));
}

static const char *did(deed d) {
    return d == WRITES ? "wrote" : d == UPDATES ? "updated" : "read";
}

/* --- copies ------------------------------------------------------------------
 */

/* "the copy (cp.async) issued at line 8, in commit group 0," */
static void copy(tc_session *s, const tc_finding *f, tc_buf *b) {
    const tc_access *c = &f->cause;
    if (tc_finding_cuda(s) != NULL) {
        tc_cuda_copy(s, f, b);
        return;
    }
    bool store = has_opcode(c, TC_PTX_ST_ASYNC) ||
                 has_opcode(c, TC_PTX_RED_ASYNC) ||
                 has_opcode(c, TC_PTX_TCGEN05_ST);
    bool load = has_opcode(c, TC_PTX_TCGEN05_LD);
    bool product = has_opcode(c, TC_PTX_WGMMA_MMA_ASYNC);
    tc_buf_printf(b, "the %s (%s) issued at line %d",
                  store     ? "store"
                  : load    ? "load"
                  : product ? "product"
                            : "copy",
                  tc_finding_op(c), tc_finding_line(c));
    if (c->group >= 0) {
        tc_buf_printf(b, ", in commit group %d,", c->group);
    }
}

static void unfinished_copy(tc_session *s, const tc_finding *f,
                            const char *object, tc_buf *b) {
    if (tc_finding_cuda(s) != NULL && tc_cuda_waited_less(s, f, object, b)) {
        return;
    }
    tc_finding_who(s, &f->at, b);
    tc_buf_printf(b, " %s %s while ", tc_finding_does(&f->at, f->space),
                  object);
    copy(s, f, b);
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
    tc_finding_who(s, &f->at, b);
    tc_buf_printf(b, " writes %s while ", object);
    copy(s, f, b);
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
    tc_finding_who(s, &f->at, b);
    tc_buf_printf(b, " %s %s, which ", does(at), object);
    tc_finding_who(s, &f->cause, b);
    tc_buf_printf(b, " %s at ", did(cause));
    if (tc_finding_cuda(s) != NULL) {
        tc_cuda_line_words(s, &f->cause, b);
        tc_cuda_by(s, &f->cause, b);
    } else {
        tc_buf_printf(b, "line %d (%s)", tc_finding_line(&f->cause),
                      tc_finding_op(&f->cause));
    }
    tc_buf_printf(b, ", %s", end);
}

static void race(tc_session *s, const tc_finding *f, const char *object,
                 tc_buf *b) {
    bool near = f->at.cta == f->cause.cta;
    if (f->missing == TC_MISSING_WGMMA_FENCE) {
        tc_finding_who(s, &f->at, b);
        tc_buf_puts(b, " multiplies with registers that no wgmma.fence has "
                       "ordered after their last use");
        return;
    }
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
    tc_finding_who(s, &f->at, b);
    tc_buf_printf(b, " %s %s", mbarrier_deed(&f->at), object);
    if (tc_finding_cuda(s) != NULL && tc_cuda_mbarrier(s, f, b)) {
        return;
    }
    switch (f->kind) {
    case TC_FINDING_MBARRIER_REINIT:
        if (f->detail == NULL && f->cause.valid) {
            tc_buf_puts(b, ", which ");
            tc_finding_who(s, &f->cause, b);
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
    if (tc_finding_cuda(s) != NULL && tc_cuda_behind(s, f, b)) {
        return;
    }
    tc_buf_puts(b, ": nothing is there");
}

/* "the barrier", or its call. */
static void barrier_words(tc_session *s, const tc_finding *f, tc_buf *b) {
    if (tc_finding_cuda(s) == NULL || !tc_cuda_call_text(s, &f->at, b)) {
        tc_buf_puts(b, "the barrier");
    }
}

static void single(tc_session *s, const tc_finding *f, const char *object,
                   tc_buf *b) {
    deed d = deed_of(&f->at, f->space);
    tc_finding_who(s, &f->at, b);
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
        if (tc_finding_cuda(s) != NULL) {
            tc_cuda_by(s, &f->at, b);
        }
        break;
    case TC_FINDING_BARRIER_DIVERGENCE:
        tc_buf_puts(b, " comes to ");
        barrier_words(s, f, b);
        tc_buf_puts(b, " without the rest of its warp, or of the threads that "
                       "it waits for");
        break;
    case TC_FINDING_UNINITIALIZED_READ:
        tc_buf_printf(b, " reads %s, which nobody has written", object);
        break;
    case TC_FINDING_CLUSTER_SYNC:
        tc_buf_printf(b, " uses %s of another %s, which may not run yet",
                      object, block_word(s));
        break;
    case TC_FINDING_REMOTE_EXITED:
        tc_buf_printf(b, " uses %s of another %s, which may have ended", object,
                      block_word(s));
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
    if (!has_address(f)) {
        return NULL;
    }
    return tc_finding_cuda(s) != NULL
               ? tc_cuda_object(s, f)
               : tc_address_name(s, f->space, f->address);
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

/* The words of the simulator, which cannot know names. Those that CUDA's own
 * words say already are left out. */
static const char *detail_of(tc_session *s, const tc_finding *f) {
    bool said = f->missing >= TC_MISSING_INIT &&
                (f->missing <= TC_MISSING_OWN_BYTES ||
                 f->missing == TC_MISSING_FEWER_ARRIVALS ||
                 (f->missing == TC_MISSING_BYTES && f->missing_n < 0));
    if (f->detail == NULL || tc_finding_cuda(s) == NULL) {
        return f->detail;
    }
    return said ? NULL : tc_cuda_detail(s->program.run->arena, f->detail);
}

void tc_finding_message(tc_session *s, const tc_finding *f, tc_buf *b) {
    const char *object = tc_finding_object(s, f), *detail = detail_of(s, f);
    bool list = detail != NULL && strchr(detail, '\n') != NULL;
    deed_text(s, f, object != NULL ? object : "", b);
    if (!list && detail != NULL) {
        tc_buf_printf(b, ": %s", detail);
    }
    if (list) { /* the waiters: they are the others */
        size_t n = strlen(detail);
        n -= detail[n - 1] == '\n';
        tc_buf_printf(b, ":\n%.*s", (int)n, detail);
    } else {
        also(f, b);
    }
}
