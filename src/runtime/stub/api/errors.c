/* errors.c - the last error of each thread, and what errors are called. */
#include "runtime/stub/stub.h"

typedef struct tc_stub_error {
    int number;
    const char *name, *text;
} tc_stub_error;

static const tc_stub_error errors[] = {
#define X(name, number, text) {number, #name, text},
#include "runtime/stub/errors.def"
#undef X
};

static const tc_stub_error *error_of(cudaError_t e) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].number == (int)e) {
            return &errors[i];
        }
    }
    return NULL;
}

TC_API const char *cudaGetErrorName(cudaError_t error) {
    const tc_stub_error *e = error_of(error);
    return e != NULL ? e->name : "unrecognized error code";
}

TC_API const char *cudaGetErrorString(cudaError_t error) {
    const tc_stub_error *e = error_of(error);
    return e != NULL ? e->text : "unrecognized error code";
}

/* Somebody looks: a failed launch of this thread is no longer unseen. A fault
 * of a kernel stays, whoever looks (CUDA Runtime API, Error handling). */
static cudaError_t look(void) {
    tc_stub_failures_seen();
    if (tc_stub.unchecked_by == &tc_stub_self) {
        tc_stub.unchecked_by = NULL;
        tc_stub.unchecked = cudaSuccess;
    }
    return tc_stub_self.last;
}

TC_API cudaError_t cudaGetLastError(void) {
    TC_ENTER();
    cudaError_t e = look();
    tc_stub_self.last = cudaSuccess;
    return tc_stub_leave_quietly(e);
}

TC_API cudaError_t cudaPeekAtLastError(void) {
    TC_ENTER();
    return tc_stub_leave_quietly(look());
}
