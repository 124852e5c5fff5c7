/* fault_error.c - the error that a program is told where its launch was ended. */
#include "runtime/device.h"

/* What the launch's error is where this finding ended it; 0: it ends none. */
static int error_of_finding(const tc_finding *f) {
    switch (f->kind) {
    case TC_FINDING_OUT_OF_BOUNDS:
        return 700; /* cudaErrorIllegalAddress */
    case TC_FINDING_MISALIGNED:
        return 716;               /* cudaErrorMisalignedAddress */
    case TC_FINDING_ILLEGAL_SIZE: /* the header's trap, or the hardware */
        return f->at.op && f->at.op->opcode == TC_PTX_TRAP
                   ? 719  /* cudaErrorLaunchFailure */
                   : 715; /* cudaErrorIllegalInstruction */
    case TC_FINDING_TRAP:
        return f->detail.row == TC_DETAIL_ASSERTION
                   ? 710  /* cudaErrorAssert */
                   : 719; /* cudaErrorLaunchFailure */
    case TC_FINDING_REMOTE_EXITED:
        return 719; /* cudaErrorLaunchFailure */
    case TC_FINDING_UNCOMMITTED_GROUP:
    case TC_FINDING_READ_BEFORE_COMPLETE:
    case TC_FINDING_READ_BEFORE_BARRIER:
    case TC_FINDING_OVERWRITE_IN_FLIGHT:
    case TC_FINDING_OVERWRITE_BEFORE_READ:
    case TC_FINDING_PROXY_FENCE:
    case TC_FINDING_UNINITIALIZED_READ:
    case TC_FINDING_MBARRIER_REINIT:
    case TC_FINDING_MBARRIER_COUNT:
    case TC_FINDING_MBARRIER_PHASE:
    case TC_FINDING_TX_COUNT:
    case TC_FINDING_CLUSTER_SYNC:
    case TC_FINDING_BARRIER_DIVERGENCE:
    case TC_FINDING_DATA_RACE:
    case TC_FINDING_SAME_VALUE:
    case TC_FINDING_MBARRIER_DEADLOCK:
    case TC_FINDING_DEADLOCK:
        break;
    }
    return 0;
}

int tc_fault_error(const tc_sim_result *r) {
    int error = 0;
    for (int i = 0; error == 0 && i < r->nfindings; i++) {
        error = error_of_finding(&r->findings[i]);
    }
    return error ? error : 719; /* cudaErrorLaunchFailure */
}
