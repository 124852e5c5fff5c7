/* driver.h - the driver API's types that the stub knows. */
#ifndef TC_STUB_DRIVER_H
#define TC_STUB_DRIVER_H

#include "runtime/stub/stub.h"

#ifndef TC_STUB_REAL_TYPES
/* Enumerations of the Driver API; only their numbers are passed on. */
typedef int CUresult, CUdevice;
typedef int CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle;
typedef int CUtensorMapL2promotion, CUtensorMapFloatOOBfill;
typedef struct CUtensorMap_st CUtensorMap; /* 128 bytes */

CUresult cuInit(unsigned int Flags);
CUresult cuDriverGetVersion(int *driverVersion);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuGetErrorString(CUresult error, const char **pStr);
CUresult cuGetErrorName(CUresult error, const char **pStr);
CUresult cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress);
CUresult cuTensorMapEncodeTiled(
    CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
    uint32_t tensorRank, void *globalAddress, const uint64_t *globalDim,
    const uint64_t *globalStrides, const uint32_t *boxDim,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
    CUtensorMapFloatOOBfill oobFill);
#endif

#endif
