#include "gpu/driver.h"
#include "gpu/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tc_gpu {
    void *library;
    tc_cu cu;
    tc_cu_device device;
    tc_cu_context context;
    tc_gpu_device info;
    bool lost; /* a kernel was abandoned: only the process's end stops it */
};

/* Where a sentence about a failure goes. */
typedef struct complaint {
    char *why;
    size_t size;
} complaint;

/* True on success; else one line that names the API function and the error. */
static bool check(const tc_cu *cu, tc_cu_result r, const char *api,
                  const char *doing, complaint c) {
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

static bool load_library(tc_gpu *g, complaint c) {
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
        missing == NULL && strcmp(#member, "launch_ex") != 0 &&                \
        strcmp(#member, "tensor_map") != 0) {                                  \
        missing = #symbol;                                                     \
    }
    TC_CU_FUNCTIONS(X)
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

static bool find_device(tc_gpu *g, complaint c) {
    const tc_cu *cu = &g->cu;
    int n = 0;
    if (!check(cu, cu->init(0), "cuInit", "starting the CUDA driver", c) ||
        !check(cu, cu->device_count(&n), "cuDeviceGetCount",
               "looking for a GPU", c)) {
        return false;
    }
    if (n == 0) {
        snprintf(c.why, c.size,
                 "no GPU here: the NVIDIA driver is installed, but "
                 "cuDeviceGetCount finds no device");
        return false;
    }
    return check(cu, cu->device_get(&g->device, 0), "cuDeviceGet",
                 "opening the first GPU", c);
}

static bool ask_device(tc_gpu *g, complaint c) {
    const tc_cu *cu = &g->cu;
    const char *doing = "asking the GPU about itself";
    int major = 0, minor = 0;
    bool ok = check(cu, cu->driver_version(&g->info.driver_version),
                    "cuDriverGetVersion", doing, c) &&
              check(cu,
                    cu->device_name(g->info.name, (int)sizeof g->info.name,
                                    g->device),
                    "cuDeviceGetName", doing, c) &&
              check(cu, cu->device_attribute(&major, TC_CU_CC_MAJOR, g->device),
                    "cuDeviceGetAttribute", doing, c) &&
              check(cu, cu->device_attribute(&minor, TC_CU_CC_MINOR, g->device),
                    "cuDeviceGetAttribute", doing, c) &&
              check(cu,
                    cu->device_attribute(&g->info.multiprocessors,
                                         TC_CU_MULTIPROCESSORS, g->device),
                    "cuDeviceGetAttribute", doing, c);
    g->info.name[sizeof g->info.name - 1] = '\0';
    g->info.sm = major * 10 + minor;
    return ok;
}

static bool enter(tc_gpu *g, complaint c) {
    const tc_cu *cu = &g->cu;
    if (!check(cu, cu->context_retain(&g->context, g->device),
               "cuDevicePrimaryCtxRetain", "opening the GPU", c)) {
        g->context = NULL;
        return false;
    }
    return check(cu, cu->context_set(g->context), "cuCtxSetCurrent",
                 "opening the GPU", c);
}

static void cuda_close(tc_gpu *g) {
    if (g == NULL) {
        return;
    }
    if (!g->lost) { /* else the driver would wait for the kernel here */
        if (g->context != NULL) {
            g->cu.context_set(NULL);
            g->cu.context_release(g->device);
        }
        if (g->library != NULL) {
            dlclose(g->library);
        }
    }
    free(g);
}

static tc_gpu *cuda_open(char *why, size_t why_size) {
    complaint c = {why, why_size};
    tc_gpu *g = tc_xcalloc(1, sizeof *g);
    if (!load_library(g, c) || !find_device(g, c) || !ask_device(g, c) ||
        !enter(g, c)) {
        cuda_close(g);
        return NULL;
    }
    return g;
}

static void cuda_describe(const tc_gpu *g, tc_gpu_device *out) {
    *out = g->info;
}

enum { MAP_BYTES = 128, MAP_ALIGN = 64 }; /* CUtensorMap */

/* What one run holds on the device. */
typedef struct job {
    tc_gpu *g;
    tc_gpu_launch *l;
    complaint c;
    tc_cu_module module;
    tc_cu_function function;
    tc_cu_event from, to;
    tc_cu_address *addresses; /* one an argument; 0: not a buffer, or empty */
    void **params;
    uint8_t *maps; /* 128 bytes an argument, and one argument more */
} job;

/* The first line of the driver's log that says something. */
static void first_line(const char *log, char *line, size_t size) {
    log += strspn(log, " \t\r\n");
    size_t n = strcspn(log, "\r\n");
    snprintf(line, size, "%.*s", (int)(n < size ? n : size - 1), log);
}

static bool load_module(job *j, tc_gpu_result *out) {
    char errors[4096] = "", line[512];
    int options[] = {TC_CU_JIT_INFO_LOG, TC_CU_JIT_INFO_LOG_SIZE,
                     TC_CU_JIT_ERROR_LOG, TC_CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {out->jit_log, (void *)(uintptr_t)sizeof out->jit_log,
                      errors, (void *)(uintptr_t)sizeof errors};
    const tc_cu *cu = &j->g->cu;
    tc_cu_result r = cu->module_load(&j->module, j->l->ptx, 4, options, values);
    out->jit_log[sizeof out->jit_log - 1] = '\0';
    errors[sizeof errors - 1] = '\0';
    if (r == TC_CU_SUCCESS) {
        return true;
    }
    j->module = NULL;
    char doing[640] = "giving the PTX to the driver";
    first_line(errors, line, sizeof line);
    if (*line != '\0') {
        snprintf(doing, sizeof doing,
                 "giving the PTX to the driver, which says \"%s\"", line);
        snprintf(out->jit_log, sizeof out->jit_log, "%s", errors);
    }
    return check(cu, r, "cuModuleLoadDataEx", doing, j->c);
}

static bool find_function(job *j) {
    const tc_cu *cu = &j->g->cu;
    char doing[320];
    snprintf(doing, sizeof doing, "finding the kernel \"%s\" in the module",
             j->l->entry);
    if (!check(cu, cu->module_function(&j->function, j->module, j->l->entry),
               "cuModuleGetFunction", doing, j->c)) {
        return false;
    }
    /* Above 48 KiB a kernel must ask: CUDA C++ Programming Guide, shared
     * memory of compute capability 7.x and later. */
    return j->l->dynamic_shared <= 48 * 1024 ||
           check(cu,
                 cu->function_set(j->function, TC_CU_MAX_DYNAMIC_SHARED,
                                  (int)j->l->dynamic_shared),
                 "cuFuncSetAttribute", "asking for dynamic shared memory",
                 j->c);
}

static bool copy_in(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_arg *a = &j->l->args[i];
        j->params[i] = a->buffer ? (void *)&j->addresses[i] : a->data;
        if (!a->buffer || a->bytes == 0) {
            continue;
        }
        if (!check(cu, cu->memory_alloc(&j->addresses[i], a->bytes),
                   "cuMemAlloc", "allocating a buffer on the GPU", j->c)) {
            j->addresses[i] = 0;
            return false;
        }
        if (!check(cu, cu->copy_in(j->addresses[i], a->data, a->bytes),
                   "cuMemcpyHtoD", "copying a buffer to the GPU", j->c)) {
            return false;
        }
    }
    return true;
}

/* After the buffers have their addresses. */
static bool make_maps(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_map *m = j->l->args[i].map;
        if (m == NULL) {
            continue;
        }
        if (cu->tensor_map == NULL) {
            snprintf(j->c.why, j->c.size,
                     "the NVIDIA driver has no cuTensorMapEncodeTiled (CUDA "
                     "12.0)");
            return false;
        }
        uintptr_t at = (uintptr_t)(j->maps + (size_t)i * MAP_BYTES);
        j->params[i] = j->maps + (size_t)i * MAP_BYTES +
                       (MAP_ALIGN - at % MAP_ALIGN) % MAP_ALIGN;
        if (!check(cu,
                   cu->tensor_map(j->params[i], m->type, (unsigned)m->rank,
                                  j->addresses[m->buffer], m->dims, m->strides,
                                  m->box, m->element_strides, m->interleave,
                                  m->swizzle, m->l2_promotion, m->oob_fill),
                   "cuTensorMapEncodeTiled", "making a tensor map", j->c)) {
            return false;
        }
    }
    return true;
}

static bool copy_back(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; i < j->l->nargs; i++) {
        const tc_gpu_arg *a = &j->l->args[i];
        if (j->addresses[i] != 0 &&
            !check(cu, cu->copy_out(a->data, j->addresses[i], a->bytes),
                   "cuMemcpyDtoH", "copying a buffer back from the GPU",
                   j->c)) {
            return false;
        }
    }
    return true;
}

static bool launch_cluster(job *j) {
    const tc_gpu_launch *l = j->l;
    const tc_cu *cu = &j->g->cu;
    if (cu->launch_ex == NULL) {
        snprintf(j->c.why, j->c.size,
                 "the NVIDIA driver has no cuLaunchKernelEx, which clusters "
                 "need (CUDA 11.8)");
        return false;
    }
    tc_cu_launch_attribute attribute = {.id = TC_CU_LAUNCH_CLUSTER};
    memcpy(attribute.value.cluster, l->cluster, sizeof l->cluster);
    tc_cu_launch_config config = {.shared = l->dynamic_shared,
                                  .attributes = &attribute,
                                  .nattributes = 1};
    memcpy(config.grid, l->grid, sizeof config.grid);
    memcpy(config.block, l->block, sizeof config.block);
    if (l->cluster[0] * l->cluster[1] * l->cluster[2] > 8 &&
        !check(cu, cu->function_set(j->function, TC_CU_NON_PORTABLE_CLUSTER, 1),
               "cuFuncSetAttribute", "asking for a cluster of more than 8 CTAs",
               j->c)) {
        return false;
    }
    return check(cu, cu->launch_ex(&config, j->function, j->params, NULL),
                 "cuLaunchKernelEx", "launching the kernel", j->c);
}

static bool launch(job *j) {
    const tc_gpu_launch *l = j->l;
    const tc_cu *cu = &j->g->cu;
    if (!check(cu, cu->event_create(&j->from, 0), "cuEventCreate",
               "preparing the launch", j->c) ||
        !check(cu, cu->event_create(&j->to, 0), "cuEventCreate",
               "preparing the launch", j->c) ||
        !check(cu, cu->event_record(j->from, NULL), "cuEventRecord",
               "preparing the launch", j->c)) {
        return false;
    }
    bool ok =
        l->cluster[0] != 0
            ? launch_cluster(j)
            : check(cu,
                    cu->launch(j->function, l->grid[0], l->grid[1], l->grid[2],
                               l->block[0], l->block[1], l->block[2],
                               l->dynamic_shared, NULL, j->params, NULL),
                    "cuLaunchKernel", "launching the kernel", j->c);
    return ok && check(cu, cu->event_record(j->to, NULL), "cuEventRecord",
                       "waiting for the kernel", j->c);
}

/* Polls, so that cancel is heard: at once at first, then each millisecond. */
static bool wait_for_kernel(job *j, const volatile int *cancel) {
    const tc_cu *cu = &j->g->cu;
    long pause_ns = 1000;
    for (;;) {
        tc_cu_result r = cu->event_query(j->to);
        if (r != TC_CU_NOT_READY) {
            return check(cu, r, "cuEventQuery", "running the kernel", j->c);
        }
        if (cancel != NULL && *cancel != 0) {
            j->g->lost = true;
            snprintf(j->c.why, j->c.size,
                     "stopped while the kernel was still running; the GPU is "
                     "busy with it until this program ends");
            return false;
        }
        struct timespec t = {0, pause_ns};
        nanosleep(&t, NULL); /* a signal may shorten it: so much the better */
        pause_ns = pause_ns < 1000000 ? pause_ns * 2 : 1000000;
    }
}

/* After an abandoned kernel cuMemFree and cuModuleUnload would wait for it:
 * what it holds on the device is left to the end of the process. */
static void release(job *j) {
    const tc_cu *cu = &j->g->cu;
    for (int i = 0; !j->g->lost && i < j->l->nargs; i++) {
        if (j->addresses[i] != 0) {
            cu->memory_free(j->addresses[i]);
        }
    }
    if (j->from != NULL && !j->g->lost) {
        cu->event_destroy(j->from);
    }
    if (j->to != NULL && !j->g->lost) {
        cu->event_destroy(j->to);
    }
    if (j->module != NULL && !j->g->lost) {
        cu->module_unload(j->module);
    }
    free(j->addresses);
    free(j->params);
    free(j->maps);
}

static bool cuda_run(tc_gpu *g, tc_gpu_launch *l, const volatile int *cancel,
                     tc_gpu_result *out, char *why, size_t why_size) {
    memset(out, 0, sizeof *out);
    job j = {.g = g, .l = l, .c = {why, why_size}};
    if (g->lost) {
        snprintf(why, why_size,
                 "the GPU is still busy with a kernel that was "
                 "stopped earlier; leave and start again");
        return false;
    }
    size_t n = l->nargs > 0 ? (size_t)l->nargs : 0;
    j.addresses = tc_xcalloc(n, sizeof *j.addresses);
    j.params = tc_xcalloc(n, sizeof *j.params);
    j.maps = tc_xcalloc(n + 1, MAP_BYTES);
    float ms = 0;
    bool ok = check(&g->cu, g->cu.context_set(g->context), "cuCtxSetCurrent",
                    "using the GPU", j.c) &&
              load_module(&j, out) && find_function(&j) && copy_in(&j) &&
              make_maps(&j) && launch(&j) && wait_for_kernel(&j, cancel) &&
              copy_back(&j) &&
              check(&g->cu, g->cu.event_elapsed(&ms, j.from, j.to),
                    "cuEventElapsedTime", "measuring the kernel", j.c);
    out->kernel_ms = (double)ms;
    release(&j);
    return ok;
}

const tc_gpu_vtable tc_gpu_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .describe = cuda_describe,
    .run = cuda_run,
};
