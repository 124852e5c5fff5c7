/* finding_missing.c - the line that is missing, in the words of the source. */
#include "explain/finding_cuda.h"
#include "explain/finding_words.h"

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

static bool is_store(const tc_access *a) {
    return a->valid && a->op != NULL && a->op->opcode == TC_PTX_TCGEN05_ST;
}

/* "expect_tx of 512 bytes" */
void tc_finding_bytes(const tc_finding *f, tc_buf *b) {
    if (f->missing_n >= 0) {
        tc_buf_printf(b, "an expect_tx of %lld bytes", (long long)f->missing_n);
    } else {
        tc_buf_puts(b, "an expect_tx of all bytes that are copied");
    }
}

void tc_finding_missing(tc_session *s, const tc_finding *f, tc_buf *b) {
    const words *w = s->program.run->file ? &ptx_words : &script_words;
    if (tc_finding_cuda(s) != NULL && tc_cuda_missing(s, f, b)) {
        return;
    }
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
                      is_store(&f->cause) ? "st" : "ld", w->tensor_close, at);
        break;
    case TC_MISSING_WGMMA_WAIT:
        tc_buf_printf(b,
                      f->missing_n ? "wgmma.commit_group after line %d, and "
                                     "wgmma.wait_group 0 before line %d"
                                   : "wgmma.wait_group 0 after line %d and "
                                     "before line %d",
                      cause, at);
        break;
    case TC_MISSING_WGMMA_FENCE:
        tc_buf_printf(b, "wgmma.fence.sync.aligned before line %d", at);
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
    case TC_MISSING_INIT:
        tc_buf_printf(b, "mbarrier.init %sbefore line %d",
                      f->cause.valid ? "again " : "", at);
        break;
    case TC_MISSING_INVAL:
        tc_buf_printf(b, "mbarrier.inval after line %d, before line %d", cause,
                      at);
        break;
    case TC_MISSING_OWN_BYTES:
        tc_buf_puts(b, "memory of its own for the mbarrier");
        break;
    case TC_MISSING_IN_RANGE:
        tc_buf_printf(b, "at most %lld at line %d", n, at);
        break;
    case TC_MISSING_FEWER_ARRIVALS:
        tc_buf_printf(b,
                      "a count above %lld in the init at line %d, or fewer "
                      "arrivals",
                      n, tc_finding_line(&f->other));
        break;
    case TC_MISSING_PLAIN_ARRIVAL:
        tc_buf_printf(b, "mbarrier.arrive without .noComplete at line %d", at);
        break;
    case TC_MISSING_MORE_ARRIVALS:
        tc_buf_printf(b,
                      "%lld more arrival%s, or a count in the init at line %d "
                      "that is %lld lower",
                      n, tc_describe_plural((uint64_t)n),
                      tc_finding_line(&f->other), n);
        break;
    case TC_MISSING_PARITY:
        tc_buf_printf(b, "parity %lld at line %d", n, at);
        break;
    case TC_MISSING_PHASE:
        tc_buf_printf(b, "at line %d, a wait for the phase under way", at);
        break;
    case TC_MISSING_BYTES:
        tc_finding_bytes(f, b);
        tc_buf_printf(b, " at line %d", cause);
        break;
    case TC_MISSING_ALIGNMENT:
        tc_buf_printf(b, "an address that is a multiple of %lld bytes", n);
        break;
    }
}
