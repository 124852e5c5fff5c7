/* set.c - cudaMemset in all its forms. */
#include "runtime/stub/stub.h"

cudaError_t tc_stub_set(const tc_rt_copy *box, int value, cudaStream_t s) {
    tc_rt_copy c = *box;
    struct iovec v = {&c, sizeof c};
    tc_stub_talk t = {.name = TC_RT_SET, .out = &v, .nout = 1};
    cudaError_t e = tc_stub_ready();
    e = e == cudaSuccess ? tc_stub_stream_id(s, &t.stream) : e;
    if (e != cudaSuccess || c.width == 0 || c.height == 0 || c.depth == 0) {
        return e;
    }
    uint64_t bytes =
        (c.depth - 1) * c.dst_slice + (c.height - 1) * c.dst_pitch + c.width;
    if (tc_stub_block_of(c.dst, bytes) == NULL) {
        const tc_stub_block *b = tc_stub_block_at(c.dst);
        if (b != NULL) {
            tc_stub_because("%llu bytes from byte %llu of an allocation of "
                            "%llu bytes",
                            (unsigned long long)bytes,
                            (unsigned long long)(c.dst - b->address),
                            (unsigned long long)b->bytes);
        } else {
            tc_stub_because("there is no device memory at 0x%llx",
                            (unsigned long long)c.dst);
        }
        return cudaErrorInvalidValue;
    }
    tc_stub_stream *captured = tc_stub_capturing(t.stream);
    if (captured != NULL) {
        return tc_stub_capture_set(captured, &c, value);
    }
    c.value = (uint8_t)value; /* "value to set for each byte" */
    c.value_bytes = 1;
    e = tc_stub_call(&t);
    tc_stub_order(TC_RT_ORDER_ASK, t.stream, 0);
    return e;
}

static cudaError_t set_line(void *p, int value, size_t count, cudaStream_t s) {
    tc_rt_copy c = {.dst = (uint64_t)(uintptr_t)p,
                    .dst_pitch = count,
                    .dst_slice = count,
                    .width = count,
                    .height = 1,
                    .depth = 1};
    return tc_stub_set(&c, value, s);
}

TC_API cudaError_t cudaMemset(void *devPtr, int value, size_t count) {
    TC_ENTER();
    return tc_stub_leave(set_line(devPtr, value, count, NULL));
}
TC_PTDS(cudaMemset);

TC_API cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                                   cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(set_line(devPtr, value, count, stream));
}
TC_PTSZ(cudaMemsetAsync);
