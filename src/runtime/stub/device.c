/* device.c - the one device: choosing it, its limits and versions. */
#include "runtime/stub/stub.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cudaError_t is_device(int device) {
    cudaError_t e = tc_stub_there();
    return e == cudaSuccess && device != 0 ? cudaErrorInvalidDevice : e;
}

/* --- choosing ------------------------------------------------------------ */

TC_API cudaError_t cudaGetDeviceCount(int *count) {
    TC_ENTER();
    cudaError_t e = count == NULL ? cudaErrorInvalidValue : tc_stub_there();
    if (count != NULL) {
        *count = e != cudaErrorNoDevice;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaGetDevice(int *device) {
    TC_ENTER();
    cudaError_t e = device == NULL ? cudaErrorInvalidValue : tc_stub_there();
    if (e == cudaSuccess) {
        *device = 0;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaSetDevice(int device) {
    TC_ENTER();
    return tc_stub_leave(is_device(device));
}

TC_API cudaError_t cudaInitDevice(int device, unsigned int deviceFlags,
                                  unsigned int flags) {
    TC_ENTER();
    (void)deviceFlags, (void)flags;
    return tc_stub_leave(is_device(device));
}

TC_API cudaError_t cudaChooseDevice(int *device,
                                    const struct cudaDeviceProp *prop) {
    TC_ENTER();
    cudaError_t e = device == NULL || prop == NULL ? cudaErrorInvalidValue
                                                   : tc_stub_ready();
    if (e == cudaSuccess) {
        *device = 0;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaSetValidDevices(int *device_arr, int len) {
    TC_ENTER();
    return tc_stub_leave(len < 0 || (len > 0 && device_arr == NULL)
                             ? cudaErrorInvalidValue
                         : len > 0 ? is_device(device_arr[0])
                                   : cudaSuccess);
}

static unsigned int device_flags;

TC_API cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    TC_ENTER();
    bool known = (flags & ~(unsigned)cudaDeviceMask) == 0;
    device_flags = known ? flags : device_flags;
    return tc_stub_leave(known ? cudaSuccess : cudaErrorInvalidValue);
}

TC_API cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    TC_ENTER();
    if (flags == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *flags = device_flags | cudaDeviceMapHost;
    return tc_stub_leave(cudaSuccess);
}

/* --- reset --------------------------------------------------------------- */

static void drop_memory(void) {
    while (tc_stub.nblocks > 0) {
        tc_stub_unmap(&tc_stub.blocks[--tc_stub.nblocks]);
    }
    tc_stub.nfreed = 0;
}

static void drop_handles(void) {
    while (tc_stub.streams != NULL) {
        tc_stub_stream *s = tc_stub.streams;
        tc_stub.streams = s->next;
        free(s);
    }
    while (tc_stub.events != NULL) {
        tc_stub_event *e = tc_stub.events;
        tc_stub.events = e->next;
        free(e);
    }
}

/* "Explicitly destroys and cleans up all resources associated with the current
 * device in the current process." What kernels printed is written. After a
 * kernel's fault it succeeds, and leaves a device that nobody gets again: every
 * later call's answer is cudaErrorDevicesUnavailable (on an H200). */
static cudaError_t reset(void) {
    if (tc_stub.link != TC_STUB_LINKED) {
        return tc_stub.link == TC_STUB_BROKEN ? tc_stub_ready() : cudaSuccess;
    }
    cudaError_t e = tc_stub_sync();
    tc_stub_order_open();
    tc_stub.ordered = false;
    drop_memory();
    drop_handles();
    if (tc_stub.sticky != cudaSuccess) {
        tc_stub.sticky = cudaErrorDevicesUnavailable;
        tc_stub_self.last = cudaSuccess;
        return cudaSuccess;
    }
    cudaError_t done = tc_stub_request(TC_RT_RESET, NULL, 0, NULL, 0);
    if (done == cudaSuccess) {
        tc_stub.sticky = e = cudaSuccess;
        tc_stub_self.last = cudaSuccess;
        tc_stub_forget();
    }
    return e != cudaSuccess ? e : done;
}

TC_API cudaError_t cudaDeviceReset(void) {
    TC_ENTER();
    return tc_stub_leave(reset());
}

/* --- limits and preferences ---------------------------------------------- */

/* The defaults of CUDA 13 on an H200; the simulator's own have other bounds. */
#define UNSET SIZE_MAX
static size_t limits[] = {[cudaLimitStackSize] = 1024,
                          [cudaLimitPrintfFifoSize] = 8650752,
                          [cudaLimitMallocHeapSize] = 8 << 20,
                          [cudaLimitDevRuntimeSyncDepth] = 2,
                          [cudaLimitDevRuntimePendingLaunchCount] = 2048,
                          [cudaLimitMaxL2FetchGranularity] = 64,
                          [cudaLimitPersistingL2CacheSize] = UNSET};

/* 11.25 of an H200's 60 MiB. */
static size_t persisting(void) {
    size_t l2 = (size_t)tc_stub.device.l2_bytes;
    return tc_stub.device.sm >= 90 ? l2 / 16 * 3 : 0;
}

static cudaError_t limit(enum cudaLimit l) {
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    return (unsigned)l > cudaLimitPersistingL2CacheSize ? cudaErrorInvalidValue
           : l == cudaLimitDevRuntimeSyncDepth && tc_stub.device.sm >= 90
               ? cudaErrorUnsupportedLimit
               : cudaSuccess;
}

/* Most programs that ask for more heap never fill it: they are told, and go on.
 */
TC_API cudaError_t cudaDeviceSetLimit(enum cudaLimit l, size_t value) {
    TC_ENTER();
    cudaError_t e = limit(l);
    if (e == cudaSuccess && l == cudaLimitMallocHeapSize && value > 8 << 20) {
        tc_stub_unbuilt("a heap of more than 8 MiB: malloc() in a kernel gives "
                        "NULL beyond, whatever cudaDeviceSetLimit() says");
    }
    if (e == cudaSuccess) {
        limits[l] = value;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit l) {
    TC_ENTER();
    cudaError_t e = pValue == NULL ? cudaErrorInvalidValue : limit(l);
    if (e == cudaSuccess) {
        *pValue = l == cudaLimitPersistingL2CacheSize && limits[l] == UNSET
                      ? persisting()
                      : limits[l];
    }
    return tc_stub_leave(e);
}

static enum cudaFuncCache cache_config;

TC_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
    TC_ENTER();
    bool known = (unsigned)cacheConfig <= cudaFuncCachePreferEqual;
    cache_config = known ? cacheConfig : cache_config;
    return tc_stub_leave(known ? tc_stub_ready() : cudaErrorInvalidValue);
}

TC_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    TC_ENTER();
    cudaError_t e =
        pCacheConfig == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e == cudaSuccess) {
        *pCacheConfig = cache_config;
    }
    return tc_stub_leave(e);
}

/* Banks are four bytes wide since sm_50, whatever is set. */
TC_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c) {
    TC_ENTER();
    (void)c;
    return tc_stub_leave(tc_stub_ready());
}

TC_API cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig) {
    TC_ENTER();
    cudaError_t e = pConfig == NULL ? cudaErrorInvalidValue : tc_stub_ready();
    if (e == cudaSuccess) {
        *pConfig = cudaSharedMemBankSizeFourByte;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaCtxResetPersistingL2Cache(void) {
    TC_ENTER();
    return tc_stub_leave(tc_stub_ready());
}

/* --- versions and names -------------------------------------------------- */

TC_API cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
    TC_ENTER();
    if (runtimeVersion == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *runtimeVersion = 13000;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaDriverGetVersion(int *driverVersion) {
    TC_ENTER();
    cudaError_t e =
        driverVersion == NULL ? cudaErrorInvalidValue : tc_stub_there();
    if (e == cudaSuccess) {
        *driverVersion = tc_stub.device.driver_version;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    TC_ENTER();
    static const char id[] = "0000:00:00.0";
    cudaError_t e = pciBusId == NULL || len < (int)sizeof id
                        ? cudaErrorInvalidValue
                        : is_device(device);
    if (e == cudaSuccess) {
        memcpy(pciBusId, id, sizeof id);
    }
    return tc_stub_leave(e);
}

/* --- other devices: there are none --------------------------------------- */

TC_API cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
                                           int peerDevice) {
    TC_ENTER();
    cudaError_t e = canAccessPeer == NULL ? cudaErrorInvalidValue
                                          : is_device(device | peerDevice);
    if (e == cudaSuccess) {
        *canAccessPeer = 0;
    }
    return tc_stub_leave(e);
}

TC_API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice,
                                              unsigned int flags) {
    TC_ENTER();
    (void)peerDevice, (void)flags;
    return tc_stub_leave(cudaErrorInvalidDevice);
}

TC_API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
    TC_ENTER();
    (void)peerDevice;
    return tc_stub_leave(cudaErrorInvalidDevice);
}

/* --- profilers ----------------------------------------------------------- */

TC_API cudaError_t cudaProfilerStart(void) {
    TC_ENTER();
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaProfilerStop(void) {
    TC_ENTER();
    return tc_stub_leave(cudaSuccess);
}
