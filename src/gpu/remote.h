/* remote.h - an open GPU, whose calls the device process answers (wire.h).
 *
 * A call that fails gives CUDA's error, and one line to c (whose why may be
 * NULL). After a kernel's fault, after one that was cancelled and after the end
 * of the process the GPU is lost: every call fails with the same error, as the
 * driver's do, and with the GPU's close the process ends. */
#ifndef TC_GPU_REMOTE_H
#define TC_GPU_REMOTE_H

#include "gpu/driver.h"
#include "gpu/wire.h"
#include <stdatomic.h>

/* A kernel and its parameters: a block as the kernel has it. */
typedef struct tc_gpu_kernel {
    const char *name;
    tc_gpu_shape shape;
    const void *block;
    size_t bytes;
    const uint32_t *offsets; /* of the parameters in the block */
    size_t nparams;
    void (*print)(void *user, const char *text, size_t n); /* tc_gpu_launch */
    void *print_user;
} tc_gpu_kernel;

/* As tc_gpu_vtable's open and close. */
tc_gpu *tc_remote_enter(tc_gpu_host *h, char *why, size_t why_size);
void tc_remote_leave(tc_gpu *g);

const tc_gpu_device *tc_remote_device(const tc_gpu *g);
tc_cu_result tc_remote_lost(const tc_gpu *g); /* 0: it is not */
/* Of copies and kernels since it was opened: the driver's, by its process. */
double tc_remote_ms(const tc_gpu *g);
int tc_remote_attribute(tc_gpu *g, int which); /* TC_CU_*; 0: unknown */
void tc_remote_memory(tc_gpu *g, uint64_t *left, uint64_t *all);

/* The module, of which there is one: PTX or a cubin. log has room for
 * TC_GPU_LOG bytes. */
tc_cu_result tc_remote_load(tc_gpu *g, const void *image, size_t bytes,
                            char *log, tc_gpu_complaint c);
void tc_remote_unload(tc_gpu *g);
bool tc_remote_symbol(tc_gpu *g, const char *name, uint64_t *address,
                      uint64_t *bytes);
/* values: TC_CU_F_*, by number. */
tc_cu_result tc_remote_function(tc_gpu *g, const char *name,
                                int values[TC_GPU_VALUES], tc_gpu_complaint c);
/* CTAs an SM holds; with clusters of more than one CTA, clusters that the GPU
 * holds. 0: unknown. */
uint32_t tc_remote_occupancy(tc_gpu *g, const char *name,
                             const tc_gpu_shape *shape);

tc_cu_result tc_remote_alloc(tc_gpu *g, size_t bytes, uint64_t *address,
                             tc_gpu_complaint c);
void tc_remote_free(tc_gpu *g, uint64_t address);
tc_cu_result tc_remote_put(tc_gpu *g, uint64_t to, const void *from,
                           size_t bytes, tc_gpu_complaint c);
tc_cu_result tc_remote_get(tc_gpu *g, void *to, uint64_t from, size_t bytes,
                           tc_gpu_complaint c);
tc_cu_result tc_remote_fill(tc_gpu *g, uint64_t to, uint8_t value, size_t bytes,
                            tc_gpu_complaint c);
tc_cu_result tc_remote_move(tc_gpu *g, uint64_t to, uint64_t from, size_t bytes,
                            tc_gpu_complaint c);

/* Addresses that we choose (pages.h): the range, once, as near to what is
 * wanted as the driver will; memory in it. */
bool tc_remote_range(tc_gpu *g, uint64_t *base, uint64_t *bytes,
                     tc_gpu_complaint c);
tc_cu_result tc_remote_use(tc_gpu *g, uint64_t address, uint64_t bytes,
                           tc_gpu_complaint c);
void tc_remote_drop(tc_gpu *g, uint64_t address, uint64_t bytes);

tc_cu_result tc_remote_map(tc_gpu *g, const tc_gpu_map *m, uint64_t address,
                           uint8_t out[TC_GPU_MAP_BYTES], tc_gpu_complaint c);

/* Runs the kernel to its end; *ms is by events around it. Polls *cancel (may be
 * NULL): the kernel that is still running then ends with its process, and the
 * error is TC_CU_LAUNCH_TIMEOUT. */
tc_cu_result tc_remote_launch(tc_gpu *g, const tc_gpu_kernel *k,
                              const atomic_int *cancel, double *ms,
                              tc_gpu_complaint c);

#endif
