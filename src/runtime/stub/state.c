/* state.c - the one state, its mutex, and what every API function does first
 * and last. */
#include "runtime/stub/stub.h"
#include <pthread.h>

tc_stub_state tc_stub = {.fd = -1};
_Thread_local tc_stub_thread tc_stub_self;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void tc_stub_lock(void) {
    pthread_mutex_lock(&mutex);
    tc_stub_self.holds = true;
}

bool tc_stub_try_lock(void) {
    tc_stub_self.holds = pthread_mutex_trylock(&mutex) == 0;
    return tc_stub_self.holds;
}

void tc_stub_unlock(void) {
    tc_stub_self.holds = false;
    pthread_mutex_unlock(&mutex);
}

void tc_stub_enter(const void *caller) {
    tc_stub_lock();
    tc_stub_self.caller = caller;
    tc_stub_self.reason[0] = '\0';
    tc_stub_self.told = false;
}

cudaError_t tc_stub_leave_quietly(cudaError_t e) {
    tc_stub_unlock();
    return e;
}

/* cudaErrorNotReady "is not actually an error" (CUDA Runtime API, cudaError).
 */
cudaError_t tc_stub_leave(cudaError_t e) {
    if (e != cudaSuccess && e != cudaErrorNotReady) {
        tc_stub_self.last = e;
        tc_stub_failed(e);
    }
    return tc_stub_leave_quietly(e);
}
