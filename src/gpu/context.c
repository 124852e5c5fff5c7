/* context.c - finding the driver, entering its context, and what every launch
 * needs. */
#include "gpu/context.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tc_driver_check(const tc_cu *cu, tc_cu_result r, const char *api,
                     const char *doing, tc_gpu_complaint c) {
    if (r == TC_CU_SUCCESS) {
        return true;
    }
    const char *name = NULL, *text = NULL;
    if (cu->error_name(r, &name) != TC_CU_SUCCESS || name == NULL) {
        name = "an unknown error";
    }
    if (cu->error_string(r, &text) != TC_CU_SUCCESS || text == NULL) {
        text = "no description";
    }
    snprintf(c.why, c.size, "%s: %s failed with %s (%d): %s", doing, api, name,
             r, text);
    return false;
}

static const char *library_name(void) {
    const char *other = getenv("TILECOPY_LIBCUDA"); /* for the tests */
    return other != NULL && *other != '\0' ? other : "libcuda.so.1";
}

/* A symbol as a function: dlsym's own idiom, through the bytes of the pointer,
 * since ISO C has no conversion. */
static bool find(void *library, const char *symbol, void *slot, size_t size) {
    void *p = dlsym(library, symbol);
    memcpy(slot, &p, size);
    return p != NULL;
}

static bool load_library(tc_driver *g, tc_gpu_complaint c) {
    const char *name = library_name();
    g->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (g->library == NULL) {
        const char *said = dlerror();
        snprintf(c.why, c.size,
                 "no GPU here: the NVIDIA driver's library %s cannot be loaded "
                 "(%s)",
                 name, said != NULL ? said : "no reason given");
        return false;
    }
    const char *missing = NULL;
#define X(member, symbol, parameters)                                          \
    if (!find(g->library, #symbol, &g->cu.member, sizeof g->cu.member) &&      \
        missing == NULL) {                                                     \
        missing = #symbol;                                                     \
    }
    TC_CU_NEEDED(X)
#undef X
#define X(member, symbol, parameters)                                          \
    find(g->library, #symbol, &g->cu.member, sizeof g->cu.member);
    TC_CU_WHERE_THERE(X)
#undef X
    if (missing != NULL) {
        snprintf(c.why, c.size,
                 "%s has no %s: the NVIDIA driver is too old (CUDA 11 or newer "
                 "is needed)",
                 name, missing);
        return false;
    }
    return true;
}

static bool find_device(tc_driver *g, tc_gpu_complaint c) {
    const tc_cu *cu = &g->cu;
    int n = 0;
    if (!tc_driver_check(cu, cu->init(0), "cuInit", "starting the CUDA driver",
                         c) ||
        !tc_driver_check(cu, cu->device_count(&n), "cuDeviceGetCount",
                         "looking for a GPU", c)) {
        return false;
    }
    if (n == 0) {
        snprintf(c.why, c.size,
                 "no GPU here: the NVIDIA driver is installed, but "
                 "cuDeviceGetCount finds no device");
        return false;
    }
    return tc_driver_check(cu, cu->device_get(&g->device, 0), "cuDeviceGet",
                           "opening the first GPU", c);
}

static bool ask_device(tc_driver *g, tc_gpu_complaint c) {
    const tc_cu *cu = &g->cu;
    const char *doing = "asking the GPU about itself";
    int major = 0, minor = 0;
    bool ok =
        tc_driver_check(cu, cu->driver_version(&g->info.driver_version),
                        "cuDriverGetVersion", doing, c) &&
        tc_driver_check(
            cu,
            cu->device_name(g->info.name, (int)sizeof g->info.name, g->device),
            "cuDeviceGetName", doing, c) &&
        tc_driver_check(cu,
                        cu->device_attribute(&major, TC_CU_CC_MAJOR, g->device),
                        "cuDeviceGetAttribute", doing, c) &&
        tc_driver_check(cu,
                        cu->device_attribute(&minor, TC_CU_CC_MINOR, g->device),
                        "cuDeviceGetAttribute", doing, c) &&
        tc_driver_check(cu,
                        cu->device_attribute(&g->info.multiprocessors,
                                             TC_CU_MULTIPROCESSORS, g->device),
                        "cuDeviceGetAttribute", doing, c);
    g->info.name[sizeof g->info.name - 1] = '\0';
    g->info.sm = major * 10 + minor;
    return ok;
}

bool tc_driver_enter(tc_driver *g, tc_gpu_complaint c) {
    const tc_cu *cu = &g->cu;
    tc_cu_result r = cu->context_retain(&g->context, g->device);
    if (!tc_driver_check(cu, r, "cuDevicePrimaryCtxRetain", "opening the GPU",
                         c)) {
        g->context = NULL;
        return false;
    }
    return tc_driver_check(cu, cu->context_set(g->context), "cuCtxSetCurrent",
                           "opening the GPU", c);
}

bool tc_driver_find(tc_driver *g, tc_gpu_complaint c) {
    return g->library != NULL ||
           (load_library(g, c) && find_device(g, c) && ask_device(g, c));
}

bool tc_driver_name(const tc_driver *g, char *name, int size) {
    return g->cu.device_bus != NULL &&
           g->cu.device_bus(name, size, g->device) == TC_CU_SUCCESS &&
           strchr(name, '/') == NULL;
}

void tc_driver_leave(tc_driver *g) {
    if (g->context != NULL) {
        g->cu.context_set(NULL);
        g->cu.context_release(g->device);
        g->context = NULL;
    }
}

/* The first line of the driver's log that says something. */
static void first_line(const char *log, char *line, size_t size) {
    log += strspn(log, " \t\r\n");
    size_t n = strcspn(log, "\r\n");
    snprintf(line, size, "%.*s", (int)(n < size ? n : size - 1), log);
}

tc_cu_result tc_driver_load(tc_driver *g, const void *image, tc_cu_module *out,
                            char *log, size_t log_size, tc_gpu_complaint c) {
    char errors[4096] = "", line[512];
    int options[] = {TC_CU_JIT_INFO_LOG, TC_CU_JIT_INFO_LOG_SIZE,
                     TC_CU_JIT_ERROR_LOG, TC_CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)log_size, errors,
                      (void *)(uintptr_t)sizeof errors};
    const tc_cu *cu = &g->cu;
    tc_cu_result r = cu->module_load(out, image, 4, options, values);
    log[log_size - 1] = '\0';
    errors[sizeof errors - 1] = '\0';
    if (r == TC_CU_SUCCESS) {
        return r;
    }
    *out = NULL;
    char doing[640] = "giving the PTX to the driver";
    first_line(errors, line, sizeof line);
    if (*line != '\0') {
        snprintf(doing, sizeof doing,
                 "giving the PTX to the driver, which says \"%s\"", line);
        snprintf(log, log_size, "%s", errors);
    }
    tc_driver_check(cu, r, "cuModuleLoadDataEx", doing, c);
    return r;
}

unsigned tc_driver_attributes(tc_cu_launch_attribute *at,
                              const uint32_t cluster[3], bool cooperative) {
    unsigned n = 0;
    if (cluster[0] != 0) {
        at[n] = (tc_cu_launch_attribute){.id = TC_CU_LAUNCH_CLUSTER};
        memcpy(at[n].value.cluster, cluster, sizeof at[n].value.cluster);
        n++;
    }
    if (cooperative) {
        at[n] = (tc_cu_launch_attribute){.id = TC_CU_LAUNCH_COOPERATIVE};
        at[n++].value.cooperative = 1;
    }
    return n;
}
