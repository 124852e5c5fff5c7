/* failed.c - calls that failed, and whether anybody has looked: at the result,
 * which the caller's next instructions read or do not, or at the last error. */
#include "runtime/stub/stub.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 32, REASON = sizeof tc_stub_self.reason };

typedef struct tc_stub_failure {
    cudaError_t error;
    uint64_t where;
    const void *thread;
    bool seen; /* somebody has asked for its name or text */
    bool read; /* its caller has looked at it */
    char reason[REASON];
} tc_stub_failure;

static tc_stub_failure failures[MOST];
static int nfailures;

void tc_stub_because(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(tc_stub_self.reason, REASON, fmt, ap);
    va_end(ap);
}

/* Does the code behind a call read its result, %eax? It is looked at as far as
 * the next call: a move of it, a test, a comparison. */
static bool is_read(const unsigned char *p) {
#ifdef __x86_64__
    enum { AHEAD = 24 };
    for (int i = 0; p != NULL && i < AHEAD; i++) {
        bool wide = i > 0 && (p[i - 1] & 0xF8) == 0x48;
        bool of_eax = (p[i + 1] & 0x38) == 0;
        if (p[i] == 0xE8) {
            return false;
        }
        if (!wide &&
            ((p[i] == 0x89 && of_eax) || (p[i] == 0x85 && p[i + 1] == 0xC0) ||
             (p[i] == 0x83 && p[i + 1] == 0xF8) || (p[i] == 0x39 && of_eax) ||
             p[i] == 0x3D)) {
            return true;
        }
    }
    return p == NULL;
#else
    (void)p;
    return true;
#endif
}

/* What is a mistake of the call's arguments. */
static bool is_mistake(cudaError_t e) {
    return e == cudaErrorInvalidValue || e == cudaErrorInvalidPitchValue ||
           e == cudaErrorInvalidSymbol ||
           e == cudaErrorInvalidChannelDescriptor ||
           e == cudaErrorInvalidFilterSetting ||
           e == cudaErrorInvalidNormSetting ||
           e == cudaErrorInvalidMemcpyDirection ||
           e == cudaErrorInvalidResourceHandle;
}

void tc_stub_failed(cudaError_t e) {
    if (!is_mistake(e) || tc_stub_self.told || nfailures == MOST ||
        tc_stub.link != TC_STUB_LINKED) {
        return;
    }
    uint64_t where = tc_stub_where();
    for (int i = 0; i < nfailures; i++) {
        if (failures[i].where == where) {
            return;
        }
    }
    bool read = is_read(tc_stub_code_behind(where));
    if (read && tc_stub_self.reason[0] == '\0') {
        return; /* it knows all that we know */
    }
    tc_stub_failure *f = &failures[nfailures++];
    *f = (tc_stub_failure){
        .error = e, .where = where, .thread = &tc_stub_self, .read = read};
    memcpy(f->reason, tc_stub_self.reason, REASON);
}

void tc_stub_failures_seen(void) {
    for (int i = 0; i < nfailures; i++) {
        failures[i].seen |= failures[i].thread == &tc_stub_self;
    }
}

void tc_stub_failures_tell(void) {
    for (int i = 0; i < nfailures; i++) {
        if (!failures[i].seen || failures[i].reason[0] != '\0') {
            bool known = failures[i].read || failures[i].seen;
            tc_rt_note n = {.error = failures[i].error, .write = known};
            tc_stub_note(TC_RT_NOTE_FAILED, failures[i].where, &n,
                         failures[i].reason);
        }
    }
    nfailures = 0;
}
