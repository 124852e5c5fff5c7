/* entry.c - cudaGetDriverEntryPoint: driver functions by name. */
#include "runtime/stub/driver.h"
#include <stdio.h>
#include <string.h>

typedef void (*tc_stub_driver_function)(void);

typedef struct tc_stub_entry {
    const char *name;
    tc_stub_driver_function function;
} tc_stub_entry;

#define ENTRY(name)                                                            \
    { #name, (tc_stub_driver_function)name }

static const tc_stub_entry entries[] = {
    ENTRY(cuTensorMapEncodeTiled),
    ENTRY(cuTensorMapReplaceAddress),
    ENTRY(cuInit),
    ENTRY(cuDriverGetVersion),
    ENTRY(cuDeviceGet),
    ENTRY(cuDeviceGetCount),
    ENTRY(cuGetErrorString),
    ENTRY(cuGetErrorName),
};

static bool find(const char *symbol, void **out) {
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(symbol, entries[i].name) == 0) {
            memcpy(out, &entries[i].function, sizeof *out);
            return true;
        }
    }
    return false;
}

/* "If the requested driver function is not found, ... funcPtr is set to NULL",
 * and driverStatus says so; that is no error. */
static cudaError_t entry(const char *symbol, void **function,
                         enum cudaDriverEntryPointQueryResult *status) {
    if (symbol == NULL || *symbol == '\0' || function == NULL) {
        return cudaErrorInvalidValue;
    }
    cudaError_t e = tc_stub_ready();
    bool found = e == cudaSuccess && find(symbol, function);
    if (e != cudaSuccess || found) {
        if (status != NULL && found) {
            *status = cudaDriverEntryPointSuccess;
        }
        return e;
    }
    char what[128];
    snprintf(what, sizeof what, "%.100s() of the driver API", symbol);
    tc_stub_unbuilt(what);
    *function = NULL;
    if (status != NULL) {
        *status = cudaDriverEntryPointSymbolNotFound;
    }
    return cudaSuccess;
}

TC_API cudaError_t cudaGetDriverEntryPoint(
    const char *symbol, void **funcPtr, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus) {
    TC_ENTER();
    (void)flags;
    return tc_stub_leave(entry(symbol, funcPtr, driverStatus));
}
TC_PTSZ(cudaGetDriverEntryPoint);

TC_API cudaError_t cudaGetDriverEntryPointByVersion(
    const char *symbol, void **funcPtr, unsigned int cudaVersion,
    unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus) {
    TC_ENTER();
    (void)cudaVersion, (void)flags;
    return tc_stub_leave(entry(symbol, funcPtr, driverStatus));
}
TC_PTSZ(cudaGetDriverEntryPointByVersion);
