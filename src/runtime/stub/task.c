/* task.c - the calls that a graded program is to make (base/call_task.h). */
#include "runtime/stub/stub.h"

TC_API bool tc_task_enter(uint64_t values[TC_RT_VALUES]) {
    TC_ENTER();
    cudaError_t e = tc_stub_ready();
    struct iovec in = {values, TC_RT_VALUES * sizeof *values};
    tc_stub_talk t = {.name = TC_RT_ENTER, .in = &in, .nin = 1};
    e = e == cudaSuccess ? tc_stub_call(&t) : e;
    tc_stub_leave_quietly(e);
    return e == cudaSuccess;
}

TC_API void tc_task_leave(void) {
    cudaError_t last = cudaGetLastError();
    cudaError_t ended = cudaDeviceSynchronize();
    int32_t error = (int32_t)(last != cudaSuccess ? last : ended);
    TC_ENTER();
    tc_stub_request(TC_RT_LEAVE, &error, sizeof error, NULL, 0);
    tc_stub_leave_quietly(cudaSuccess);
}
