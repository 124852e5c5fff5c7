/* stub_layout.h - what CUDA 13.0's own headers give for sizes, offsets and
 * numbers (x86-64, aarch64). test_stub_abi.c compiles it with the stub's
 * declarations, and with the toolkit's where there is one. */
#include "runtime/stub/cuda.h"

/* clang-format off */
#define SIZE(type, bytes)        _Static_assert(sizeof(type) == bytes, #type)
#define AT(type, member, offset) _Static_assert(offsetof(type, member) == offset, #type "." #member)
#define IS(name, number)         _Static_assert((int)name == number, #name)


SIZE(struct cudaDeviceProp, 1008);
AT(struct cudaDeviceProp, name, 0);
AT(struct cudaDeviceProp, uuid, 256);
AT(struct cudaDeviceProp, luid, 272);
AT(struct cudaDeviceProp, luidDeviceNodeMask, 280);
AT(struct cudaDeviceProp, totalGlobalMem, 288);
AT(struct cudaDeviceProp, sharedMemPerBlock, 296);
AT(struct cudaDeviceProp, regsPerBlock, 304);
AT(struct cudaDeviceProp, warpSize, 308);
AT(struct cudaDeviceProp, memPitch, 312);
AT(struct cudaDeviceProp, maxThreadsPerBlock, 320);
AT(struct cudaDeviceProp, maxThreadsDim, 324);
AT(struct cudaDeviceProp, maxGridSize, 336);
AT(struct cudaDeviceProp, totalConstMem, 352);
AT(struct cudaDeviceProp, major, 360);
AT(struct cudaDeviceProp, minor, 364);
AT(struct cudaDeviceProp, multiProcessorCount, 384);
AT(struct cudaDeviceProp, canMapHostMemory, 392);
AT(struct cudaDeviceProp, maxTexture1D, 396);
AT(struct cudaDeviceProp, maxSurface1D, 496);
AT(struct cudaDeviceProp, surfaceAlignment, 552);
AT(struct cudaDeviceProp, concurrentKernels, 560);
AT(struct cudaDeviceProp, unifiedAddressing, 588);
AT(struct cudaDeviceProp, memoryBusWidth, 592);
AT(struct cudaDeviceProp, l2CacheSize, 596);
AT(struct cudaDeviceProp, maxThreadsPerMultiProcessor, 604);
AT(struct cudaDeviceProp, sharedMemPerMultiprocessor, 624);
AT(struct cudaDeviceProp, regsPerMultiprocessor, 632);
AT(struct cudaDeviceProp, managedMemory, 636);
AT(struct cudaDeviceProp, concurrentManagedAccess, 656);
AT(struct cudaDeviceProp, cooperativeLaunch, 668);
AT(struct cudaDeviceProp, sharedMemPerBlockOptin, 672);
AT(struct cudaDeviceProp, maxBlocksPerMultiProcessor, 688);
AT(struct cudaDeviceProp, reservedSharedMemPerBlock, 696);
AT(struct cudaDeviceProp, memoryPoolsSupported, 720);
AT(struct cudaDeviceProp, clusterLaunch, 748);
AT(struct cudaDeviceProp, hostNumaId, 768);
AT(struct cudaDeviceProp, reserved, 784);

SIZE(cudaLaunchConfig_t, 56);
AT(cudaLaunchConfig_t, gridDim, 0);
AT(cudaLaunchConfig_t, blockDim, 12);
AT(cudaLaunchConfig_t, dynamicSmemBytes, 24);
AT(cudaLaunchConfig_t, stream, 32);
AT(cudaLaunchConfig_t, attrs, 40);
AT(cudaLaunchConfig_t, numAttrs, 48);

SIZE(cudaLaunchAttribute, 72);
AT(cudaLaunchAttribute, id, 0);
AT(cudaLaunchAttribute, val, 8);

SIZE(cudaLaunchAttributeValue, 64);

SIZE(struct cudaFuncAttributes, 144);
AT(struct cudaFuncAttributes, sharedSizeBytes, 0);
AT(struct cudaFuncAttributes, constSizeBytes, 8);
AT(struct cudaFuncAttributes, localSizeBytes, 16);
AT(struct cudaFuncAttributes, maxThreadsPerBlock, 24);
AT(struct cudaFuncAttributes, numRegs, 28);
AT(struct cudaFuncAttributes, ptxVersion, 32);
AT(struct cudaFuncAttributes, binaryVersion, 36);
AT(struct cudaFuncAttributes, cacheModeCA, 40);
AT(struct cudaFuncAttributes, maxDynamicSharedSizeBytes, 44);
AT(struct cudaFuncAttributes, preferredShmemCarveout, 48);
AT(struct cudaFuncAttributes, clusterDimMustBeSet, 52);
AT(struct cudaFuncAttributes, requiredClusterWidth, 56);
AT(struct cudaFuncAttributes, requiredClusterHeight, 60);
AT(struct cudaFuncAttributes, requiredClusterDepth, 64);
AT(struct cudaFuncAttributes, clusterSchedulingPolicyPreference, 68);
AT(struct cudaFuncAttributes, nonPortableClusterSizeAllowed, 72);
AT(struct cudaFuncAttributes, reserved, 76);

SIZE(struct cudaPointerAttributes, 88);
AT(struct cudaPointerAttributes, type, 0);
AT(struct cudaPointerAttributes, device, 4);
AT(struct cudaPointerAttributes, devicePointer, 8);
AT(struct cudaPointerAttributes, hostPointer, 16);
AT(struct cudaPointerAttributes, reserved, 24);

SIZE(struct cudaMemcpy3DParms, 160);
AT(struct cudaMemcpy3DParms, srcArray, 0);
AT(struct cudaMemcpy3DParms, srcPos, 8);
AT(struct cudaMemcpy3DParms, srcPtr, 32);
AT(struct cudaMemcpy3DParms, dstArray, 64);
AT(struct cudaMemcpy3DParms, dstPos, 72);
AT(struct cudaMemcpy3DParms, dstPtr, 96);
AT(struct cudaMemcpy3DParms, extent, 128);
AT(struct cudaMemcpy3DParms, kind, 152);

SIZE(struct cudaExtent, 24);
AT(struct cudaExtent, width, 0);
AT(struct cudaExtent, height, 8);
AT(struct cudaExtent, depth, 16);

SIZE(struct cudaPos, 24);
AT(struct cudaPos, x, 0);
AT(struct cudaPos, y, 8);
AT(struct cudaPos, z, 16);

SIZE(struct cudaPitchedPtr, 32);
AT(struct cudaPitchedPtr, ptr, 0);
AT(struct cudaPitchedPtr, pitch, 8);
AT(struct cudaPitchedPtr, xsize, 16);
AT(struct cudaPitchedPtr, ysize, 24);

SIZE(struct cudaMemLocation, 8);
AT(struct cudaMemLocation, type, 0);
AT(struct cudaMemLocation, id, 4);

SIZE(dim3, 12);
AT(dim3, x, 0);
AT(dim3, y, 4);
AT(dim3, z, 8);

IS(cudaErrorInvalidMemcpyDirection, 21);
IS(cudaErrorInvalidClusterSize, 912);
IS(cudaMemcpyDefault, 4);
IS(cudaMemoryTypeManaged, 3);
IS(cudaMemLocationTypeHostNumaCurrent, 4);
IS(cudaMemAdviseUnsetAccessedBy, 6);
IS(cudaMemPoolAttrUsedMemHigh, 8);
IS(cudaLimitPersistingL2CacheSize, 6);
IS(cudaFuncCachePreferEqual, 3);
IS(cudaFuncAttributeMaxDynamicSharedMemorySize, 8);
IS(cudaFuncAttributeNonPortableClusterSizeAllowed, 14);
IS(cudaLaunchAttributeClusterDimension, 4);
IS(cudaLaunchAttributeCooperative, 2);
IS(cudaLaunchAttributeProgrammaticEvent, 7);
IS(cudaLaunchAttributeLaunchCompletionEvent, 12);
IS(cudaLaunchAttributePreferredSharedMemoryCarveout, 14);
IS(cudaLaunchAttributeNvlinkUtilCentricScheduling, 16);
IS(cudaDevAttrClockRate, 13);
IS(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97);
IS(cudaDevAttrClusterLaunch, 120);
IS(cudaDevAttrMemSyncDomainCount, 126);
IS(cudaHostAllocWriteCombined, 4);
IS(cudaMemAttachHost, 2);
IS(cudaMemAttachSingle, 4);
IS(cudaEventDisableTiming, 2);
IS(cudaEventInterprocess, 4);
IS(cudaStreamNonBlocking, 1);
IS(cudaCpuDeviceId, -1);
/* clang-format on */
