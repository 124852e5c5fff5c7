/* context.h - an open GPU: the driver's functions, the device, its context. */
#ifndef TC_GPU_CONTEXT_H
#define TC_GPU_CONTEXT_H

#include "gpu/driver.h"
#include "gpu/gpu.h"

struct tc_gpu {
    void *library;
    tc_cu cu;
    tc_cu_device device;
    tc_cu_context context;
    tc_gpu_device info;
    bool lost; /* a kernel was abandoned: only the process's end stops it */
};

/* Where a sentence about a failure goes. */
typedef struct tc_gpu_complaint {
    char *why;
    size_t size;
} tc_gpu_complaint;

/* True on success; else one line that names the API function and the error. */
bool tc_gpu_check(const tc_cu *cu, tc_cu_result r, const char *api,
                  const char *doing, tc_gpu_complaint c);

/* Loads the driver and enters the primary context of device 0. NULL with why
 * where there is none. */
tc_gpu *tc_gpu_enter(char *why, size_t why_size);
/* Frees g; of a lost device only the host's memory. */
void tc_gpu_leave(tc_gpu *g);

/* Leaves the context, but not the driver; it stays current where others have
 * opened it too. Of a lost device: nothing. */
void tc_gpu_drop_context(tc_gpu *g);

/* Loads PTX or a cubin; log gets the driver's words. CUDA's error, with why. */
tc_cu_result tc_gpu_load(tc_gpu *g, const void *image, tc_cu_module *out,
                         char *log, size_t log_size, tc_gpu_complaint c);

/* Attributes of a launch; at must have room for two. Returns their number. */
unsigned tc_gpu_attributes(tc_cu_launch_attribute *at,
                           const uint32_t cluster[3], bool cooperative);

/* Waits for an event that was recorded. Polls *cancel (may be NULL); when it
 * was raised, the device is lost and *cancelled set. CUDA's error. */
tc_cu_result tc_gpu_wait(tc_gpu *g, tc_cu_event event,
                         const volatile int *cancel, bool *cancelled);

#endif
