/* launch.h - a launch's shape, for the members that launch. */
#ifndef TC_STUB_LAUNCH_H
#define TC_STUB_LAUNCH_H

#include "runtime/stub/stub.h"

#pragma GCC visibility push(hidden)

typedef struct tc_stub_grid {
    dim3 grid, block;
    dim3 cluster; /* {0}: as the kernel says */
    size_t shared;
    cudaStream_t stream;
    bool cooperative;
} tc_stub_grid;

/* kernel: a host address or a handle. */
cudaError_t tc_stub_launch(const void *kernel, const tc_stub_grid *g,
                           void **args);
/* The arguments as the kernel's parameter block; NULL with why not. */
char *tc_stub_pack(const tc_stub_function *f, void **args, cudaError_t *why);
cudaError_t tc_stub_launch_packed(const tc_stub_function *f,
                                  const tc_stub_grid *g, char *params);
/* capture.c; takes params. */
cudaError_t tc_stub_capture_kernel(tc_stub_stream *s, const tc_stub_function *f,
                                   const tc_stub_grid *g, char *params);

#pragma GCC visibility pop

#endif
