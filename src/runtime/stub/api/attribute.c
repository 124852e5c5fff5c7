/* attribute.c - cudaDeviceGetAttribute. */
#include "runtime/stub/api/props.h"

typedef struct tc_stub_attribute {
    enum cudaDeviceAttr attribute;
    size_t offset; /* in cudaDeviceProp */
    bool wide;     /* a size_t there */
} tc_stub_attribute;

#define INT(a, member)                                                         \
    { cudaDevAttr##a, offsetof(struct cudaDeviceProp, member), 0 }
#define SIZE(a, member)                                                        \
    { cudaDevAttr##a, offsetof(struct cudaDeviceProp, member), 1 }

static const tc_stub_attribute attributes[] = {
    INT(MaxThreadsPerBlock, maxThreadsPerBlock),
    INT(MaxBlockDimX, maxThreadsDim[0]),
    INT(MaxBlockDimY, maxThreadsDim[1]),
    INT(MaxBlockDimZ, maxThreadsDim[2]),
    INT(MaxGridDimX, maxGridSize[0]),
    INT(MaxGridDimY, maxGridSize[1]),
    INT(MaxGridDimZ, maxGridSize[2]),
    SIZE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(TotalConstantMemory, totalConstMem),
    INT(WarpSize, warpSize),
    SIZE(MaxPitch, memPitch),
    INT(MaxRegistersPerBlock, regsPerBlock),
    SIZE(TextureAlignment, textureAlignment),
    INT(GpuOverlap, asyncEngineCount),
    INT(MultiProcessorCount, multiProcessorCount),
    INT(Integrated, integrated),
    INT(CanMapHostMemory, canMapHostMemory),
    SIZE(SurfaceAlignment, surfaceAlignment),
    INT(ConcurrentKernels, concurrentKernels),
    INT(EccEnabled, ECCEnabled),
    INT(PciBusId, pciBusID),
    INT(PciDeviceId, pciDeviceID),
    INT(TccDriver, tccDriver),
    INT(GlobalMemoryBusWidth, memoryBusWidth),
    INT(L2CacheSize, l2CacheSize),
    INT(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    INT(AsyncEngineCount, asyncEngineCount),
    INT(UnifiedAddressing, unifiedAddressing),
    INT(PciDomainId, pciDomainID),
    SIZE(TexturePitchAlignment, texturePitchAlignment),
    INT(ComputeCapabilityMajor, major),
    INT(ComputeCapabilityMinor, minor),
    INT(StreamPrioritiesSupported, streamPrioritiesSupported),
    INT(GlobalL1CacheSupported, globalL1CacheSupported),
    INT(LocalL1CacheSupported, localL1CacheSupported),
    SIZE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    INT(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    INT(ManagedMemory, managedMemory),
    INT(IsMultiGpuBoard, isMultiGpuBoard),
    INT(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    INT(HostNativeAtomicSupported, hostNativeAtomicSupported),
    INT(PageableMemoryAccess, pageableMemoryAccess),
    INT(ConcurrentManagedAccess, concurrentManagedAccess),
    INT(ComputePreemptionSupported, computePreemptionSupported),
    INT(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    INT(CooperativeLaunch, cooperativeLaunch),
    SIZE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    INT(HostRegisterSupported, hostRegisterSupported),
    INT(PageableMemoryAccessUsesHostPageTables,
        pageableMemoryAccessUsesHostPageTables),
    INT(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    INT(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    INT(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    INT(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    SIZE(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    INT(SparseCudaArraySupported, sparseCudaArraySupported),
    INT(HostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    INT(TimelineSemaphoreInteropSupported, timelineSemaphoreInteropSupported),
    INT(MemoryPoolsSupported, memoryPoolsSupported),
    INT(GPUDirectRDMASupported, gpuDirectRDMASupported),
    INT(ClusterLaunch, clusterLaunch),
    INT(DeferredMappingCudaArraySupported, deferredMappingCudaArraySupported),
    INT(IpcEventSupport, ipcEventSupported),
    INT(NumaConfig, deviceNumaConfig),
    INT(NumaId, deviceNumaId),
    INT(HostNumaId, hostNumaId),
    INT(MpsEnabled, mpsEnabled),
};

/* Those that CUDA 13's cudaDeviceProp has no member for. */
static bool apart(enum cudaDeviceAttr a, int *value) {
    switch ((int)a) {
    case cudaDevAttrClockRate:
        *value = tc_stub.device.clock_khz;
        return true;
    case cudaDevAttrMemoryClockRate:
        *value = tc_stub.device.memory_clock_khz;
        return true;
    case cudaDevAttrComputeMode:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrCanFlushRemoteWrites:
    case 96: /* CooperativeMultiDeviceLaunch, until CUDA 12 */
        *value = 0;
        return true;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = 2; /* sm_80, sm_90, sm_100 */
        return true;
    case cudaDevAttrMemSyncDomainCount:
        *value = tc_stub.device.sm >= 90 ? 4 : 1;
        return true;
    default:
        return false;
    }
}

static cudaError_t attribute(int *value, enum cudaDeviceAttr a) {
    struct cudaDeviceProp p;
    tc_stub_properties(&p);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const char *at = (const char *)&p + attributes[i].offset;
        if (attributes[i].attribute == a) {
            *value = attributes[i].wide ? (int)*(const size_t *)(const void *)at
                                        : *(const int *)(const void *)at;
            return cudaSuccess;
        }
    }
    if (apart(a, value)) {
        return cudaSuccess;
    }
    if ((int)a >= cudaDevAttrMaxTexture1DWidth &&
        (int)a <= cudaDevAttrMaxTexture1DMipmappedWidth) {
        *value = 0; /* there are no textures and surfaces */
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

TC_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
                                          int device) {
    TC_ENTER();
    cudaError_t e = value == NULL ? cudaErrorInvalidValue : tc_stub_there();
    if (e == cudaSuccess && device != 0) {
        e = cudaErrorInvalidDevice;
    }
    return tc_stub_leave(e != cudaSuccess ? e : attribute(value, attr));
}
