/* context.h - the driver as the device process has it: its functions, the
 * device, its context. */
#ifndef TC_GPU_CONTEXT_H
#define TC_GPU_CONTEXT_H

#include "gpu/driver.h"
#include "gpu/gpu.h"

typedef struct tc_driver {
    void *library; /* NULL: not loaded yet */
    tc_cu cu;
    tc_cu_device device;
    tc_cu_context context; /* NULL: not entered */
    tc_gpu_device info;
} tc_driver;

/* True on success; else one line that names the API function and the error. */
bool tc_driver_check(const tc_cu *cu, tc_cu_result r, const char *api,
                     const char *doing, tc_gpu_complaint c);

/* Loads the driver, once, and finds device 0. False with why where there is
 * none. */
bool tc_driver_find(tc_driver *d, tc_gpu_complaint c);
/* Enters its primary context. */
bool tc_driver_enter(tc_driver *d, tc_gpu_complaint c);
/* "0000:3b:00.0": which of the machine's GPUs it is. False: unknown. */
bool tc_driver_name(const tc_driver *d, char *name, int size);
/* Leaves the context, but not the driver. */
void tc_driver_leave(tc_driver *d);

/* Loads PTX or a cubin; log gets the driver's messages. CUDA's error, with why. */
tc_cu_result tc_driver_load(tc_driver *d, const void *image, tc_cu_module *out,
                            char *log, size_t log_size, tc_gpu_complaint c);

/* Attributes of a launch; at must have room for two. Returns their number. */
unsigned tc_driver_attributes(tc_cu_launch_attribute *at,
                              const uint32_t cluster[3], bool cooperative);

#endif
