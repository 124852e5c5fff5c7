/* api.h - the functions of CUDA's runtime that the stub has, by file; the
 * parameters' names are those of the CUDA Runtime API reference. Where the
 * toolkit's headers are taken (TC_STUB_REAL_TYPES), they declare them; the
 * driver API's are in driver.h. */
#ifndef TC_STUB_API_H
#define TC_STUB_API_H

#include "runtime/stub/cuda.h"

#ifndef TC_STUB_REAL_TYPES
/* array.c */
TC_API struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
TC_API cudaError_t cudaMallocArray(cudaArray_t *array,
                                   const struct cudaChannelFormatDesc *desc,
                                   size_t width, size_t height,
                                   unsigned int flags);
TC_API cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent,
                                     unsigned int flags);
TC_API cudaError_t cudaFreeArray(cudaArray_t array);
TC_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                                    struct cudaExtent *extent,
                                    unsigned int *flags, cudaArray_t array);
TC_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
                                      cudaArray_const_t array);
TC_API cudaError_t cudaMallocMipmappedArray(
    cudaMipmappedArray_t *mipmappedArray,
    const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
    unsigned int numLevels, unsigned int flags);
TC_API cudaError_t cudaGetMipmappedArrayLevel(
    cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
    unsigned int level);
TC_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray);

/* array_copy.c */
TC_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset,
                                       size_t hOffset, const void *src,
                                       size_t spitch, size_t width,
                                       size_t height, enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset,
                                            size_t hOffset, const void *src,
                                            size_t spitch, size_t width,
                                            size_t height,
                                            enum cudaMemcpyKind kind,
                                            cudaStream_t stream);
TC_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
                                         cudaArray_const_t src, size_t wOffset,
                                         size_t hOffset, size_t width,
                                         size_t height,
                                         enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
                                              cudaArray_const_t src,
                                              size_t wOffset, size_t hOffset,
                                              size_t width, size_t height,
                                              enum cudaMemcpyKind kind,
                                              cudaStream_t stream);
TC_API cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
    cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t width,
    size_t height, enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset,
                                     size_t hOffset, const void *src,
                                     size_t count, enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset,
                                          size_t hOffset, const void *src,
                                          size_t count,
                                          enum cudaMemcpyKind kind,
                                          cudaStream_t stream);
TC_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset,
                                       size_t count, enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src,
                                            size_t wOffset, size_t hOffset,
                                            size_t count,
                                            enum cudaMemcpyKind kind,
                                            cudaStream_t stream);
TC_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst,
                                          size_t hOffsetDst,
                                          cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc,
                                          size_t count,
                                          enum cudaMemcpyKind kind);

/* texture.c */
TC_API cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
    const struct cudaTextureDesc *pTexDesc,
    const struct cudaResourceViewDesc *pResViewDesc);
TC_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject);
TC_API cudaError_t cudaGetTextureObjectResourceDesc(
    struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject);
TC_API cudaError_t cudaGetTextureObjectTextureDesc(
    struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject);
TC_API cudaError_t cudaGetTextureObjectResourceViewDesc(
    struct cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject);
TC_API cudaError_t cudaCreateSurfaceObject(
    cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc);
TC_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);
TC_API cudaError_t cudaGetSurfaceObjectResourceDesc(
    struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject);
TC_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *maxWidthInElements, const struct cudaChannelFormatDesc *fmtDesc,
    int device);

/* attribute.c */
TC_API cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
                                          int device);

/* box.c */
TC_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
                                     size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream);
TC_API cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
TC_API cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p,
                                     cudaStream_t stream);
TC_API cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src,
                                  int srcDevice, size_t count);
TC_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice,
                                       const void *src, int srcDevice,
                                       size_t count, cudaStream_t stream);
TC_API cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value,
                                size_t width, size_t height);
TC_API cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value,
                                     size_t width, size_t height,
                                     cudaStream_t stream);
TC_API cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value,
                                struct cudaExtent extent);
TC_API cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr,
                                     int value, struct cudaExtent extent,
                                     cudaStream_t stream);

/* callback.c */
TC_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                                      void *userData);
TC_API cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                         cudaStreamCallback_t callback,
                                         void *userData, unsigned int flags);

/* capture.c */
TC_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          enum cudaStreamCaptureMode mode);
TC_API cudaError_t cudaStreamEndCapture(cudaStream_t stream,
                                        cudaGraph_t *pGraph);
TC_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                         enum cudaStreamCaptureStatus *status);
TC_API cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus *status,
    unsigned long long *id);
TC_API cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

/* copy.c */
TC_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
                              enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
                                   enum cudaMemcpyKind kind,
                                   cudaStream_t stream);

/* device.c */
TC_API cudaError_t cudaGetDeviceCount(int *count);
TC_API cudaError_t cudaGetDevice(int *device);
TC_API cudaError_t cudaSetDevice(int device);
TC_API cudaError_t cudaInitDevice(int device, unsigned int deviceFlags,
                                  unsigned int flags);
TC_API cudaError_t cudaChooseDevice(int *device,
                                    const struct cudaDeviceProp *prop);
TC_API cudaError_t cudaSetValidDevices(int *device_arr, int len);
TC_API cudaError_t cudaSetDeviceFlags(unsigned int flags);
TC_API cudaError_t cudaGetDeviceFlags(unsigned int *flags);
TC_API cudaError_t cudaDeviceReset(void);
TC_API cudaError_t cudaDeviceSetLimit(enum cudaLimit l, size_t value);
TC_API cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit l);
TC_API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
TC_API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig);
TC_API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c);
TC_API cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig);
TC_API cudaError_t cudaCtxResetPersistingL2Cache(void);
TC_API cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);
TC_API cudaError_t cudaDriverGetVersion(int *driverVersion);
TC_API cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device);
TC_API cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device,
                                           int peerDevice);
TC_API cudaError_t cudaDeviceEnablePeerAccess(int peerDevice,
                                              unsigned int flags);
TC_API cudaError_t cudaDeviceDisablePeerAccess(int peerDevice);
TC_API cudaError_t cudaProfilerStart(void);
TC_API cudaError_t cudaProfilerStop(void);

/* elapsed.c */
TC_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start,
                                        cudaEvent_t end);

/* entry.c */
TC_API cudaError_t cudaGetDriverEntryPoint(
    const char *symbol, void **funcPtr, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus);
TC_API cudaError_t cudaGetDriverEntryPointByVersion(
    const char *symbol, void **funcPtr, unsigned int cudaVersion,
    unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *driverStatus);

/* errors.c */
TC_API const char *cudaGetErrorName(cudaError_t error);
TC_API const char *cudaGetErrorString(cudaError_t error);
TC_API cudaError_t cudaGetLastError(void);
TC_API cudaError_t cudaPeekAtLastError(void);

/* event.c */
TC_API cudaError_t cudaEventCreate(cudaEvent_t *event);
TC_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event,
                                            unsigned int flags);
TC_API cudaError_t cudaEventDestroy(cudaEvent_t event);
TC_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
TC_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
                                            cudaStream_t stream,
                                            unsigned int flags);
TC_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
TC_API cudaError_t cudaEventQuery(cudaEvent_t event);

/* function.c */
TC_API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
                                         const void *func);
TC_API cudaError_t cudaFuncSetAttribute(const void *func,
                                        enum cudaFuncAttribute attr, int value);
TC_API cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                                   enum cudaFuncAttribute attr,
                                                   int value, int device);
TC_API cudaError_t cudaFuncSetCacheConfig(const void *func,
                                          enum cudaFuncCache cacheConfig);
TC_API cudaError_t cudaFuncSetSharedMemConfig(const void *func,
                                              enum cudaSharedMemConfig config);
TC_API cudaError_t cudaFuncGetName(const char **name, const void *func);
TC_API cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex,
                                        size_t *paramOffset, size_t *paramSize);
TC_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr,
                                       const void *symbolPtr);

/* graph.c */
TC_API cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags);
TC_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
TC_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec);
TC_API cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone,
                                  cudaGraph_t originalGraph);
TC_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec,
                                        cudaGraph_t graph,
                                        unsigned long long flags);
TC_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                     size_t *numNodes);
TC_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph,
                                         cudaGraphNode_t *pRootNodes,
                                         size_t *pNumRootNodes);
TC_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                        enum cudaGraphNodeType *pType);

/* graph_node.c */
TC_API cudaError_t cudaGraphAddKernelNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaKernelNodeParams *pNodeParams);
TC_API cudaError_t cudaGraphKernelNodeSetParams(
    cudaGraphNode_t node, const struct cudaKernelNodeParams *pNodeParams);
TC_API cudaError_t cudaGraphAddMemcpyNode1D(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies, void *dst,
    const void *src, size_t count, enum cudaMemcpyKind kind);
TC_API cudaError_t cudaGraphAddMemcpyNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaMemcpy3DParms *pCopyParams);
TC_API cudaError_t cudaGraphAddMemsetNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaMemsetParams *pMemsetParams);
TC_API cudaError_t cudaGraphAddHostNode(
    cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
    const cudaGraphNode_t *pDependencies, size_t numDependencies,
    const struct cudaHostNodeParams *pNodeParams);
TC_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode,
                                         cudaGraph_t graph,
                                         const cudaGraphNode_t *pDependencies,
                                         size_t numDependencies);
TC_API cudaError_t
cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                           const cudaGraphNode_t *pDependencies,
                           size_t numDependencies, cudaGraph_t childGraph);
TC_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                            const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *edgeData,
                                            size_t numDependencies);

/* graph_run.c */
TC_API cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec,
                                   cudaStream_t stream);
TC_API cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec,
                                   cudaStream_t stream);
TC_API cudaError_t cudaGraphExecKernelNodeSetParams(
    cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
    const struct cudaKernelNodeParams *pNodeParams);
TC_API cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                    cudaGraphExecUpdateResultInfo *resultInfo);

/* host.c */
TC_API cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags);
TC_API cudaError_t cudaMallocHost(void **ptr, size_t size);
TC_API cudaError_t cudaFreeHost(void *ptr);
TC_API cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags);
TC_API cudaError_t cudaHostUnregister(void *ptr);
TC_API cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
                                            unsigned int flags);
TC_API cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost);
TC_API cudaError_t cudaPointerGetAttributes(
    struct cudaPointerAttributes *attributes_out, const void *ptr);

/* launch.c */
TC_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                            size_t shared, void *stream);
TC_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                              size_t *shared, void *stream);
TC_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid,
                                      dim3 block, void **args, size_t shared,
                                      cudaStream_t stream);
TC_API cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim,
                                    dim3 blockDim, void **args,
                                    size_t sharedMem, cudaStream_t stream);

/* launchex.c */
TC_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                       const void *func, void **args);
TC_API cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 gridDim,
                                               dim3 blockDim, void **args,
                                               size_t sharedMem,
                                               cudaStream_t stream);

/* memory.c */
TC_API cudaError_t cudaMalloc(void **devPtr, size_t size);
TC_API cudaError_t cudaFree(void *devPtr);
TC_API cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);

/* occupancy.c */
TC_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize);
TC_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize,
    unsigned int flags);
TC_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, const void *func, int numBlocks, int blockSize);
TC_API cudaError_t cudaOccupancyMaxActiveClusters(
    int *numClusters, const void *func, const cudaLaunchConfig_t *launchConfig);
TC_API cudaError_t cudaOccupancyMaxPotentialClusterSize(
    int *clusterSize, const void *func, const cudaLaunchConfig_t *launchConfig);

/* pitch.c */
TC_API cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width,
                                   size_t height);
TC_API cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr,
                                struct cudaExtent extent);

/* pool.c */
TC_API cudaError_t cudaMallocAsync(void **devPtr, size_t size,
                                   cudaStream_t hStream);
TC_API cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size,
                                           cudaMemPool_t memPool,
                                           cudaStream_t stream);
TC_API cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream);
TC_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool,
                                               int device);
TC_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);
TC_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool,
                                     const struct cudaMemPoolProps *props);
TC_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool);
TC_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool,
                                     size_t minBytesToKeep);
TC_API cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t memPool,
                     const struct cudaMemAccessDesc *descList, size_t count);
TC_API cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
                                        cudaMemPool_t memPool,
                                        struct cudaMemLocation *location);
TC_API cudaError_t
cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                       const cudaLaunchAttributeValue *value);
TC_API cudaError_t cudaStreamGetAttribute(cudaStream_t hStream,
                                          cudaLaunchAttributeID attr,
                                          cudaLaunchAttributeValue *value);
TC_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
                                           enum cudaMemPoolAttr attr,
                                           void *value);
TC_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
                                           enum cudaMemPoolAttr attr,
                                           void *value);

/* props.c */
TC_API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop,
                                           int device);
TC_API cudaError_t cudaGetDeviceProperties_v2(void *prop, int device);

/* register.c */
TC_API void **__cudaRegisterFatBinary(void *fatCubin);
TC_API void __cudaRegisterFatBinaryEnd(void **handle);
TC_API void __cudaUnregisterFatBinary(void **handle);
TC_API void __cudaRegisterFunction(void **handle, const char *hostFun,
                                   char *deviceFun, const char *deviceName,
                                   int thread_limit, uint3 *tid, uint3 *bid,
                                   dim3 *bDim, dim3 *gDim, int *wSize);
TC_API void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress,
                              const char *deviceName, int ext, size_t size,
                              int constant, int global);
TC_API void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress,
                                     char *deviceAddress,
                                     const char *deviceName, int ext,
                                     size_t size, int constant, int global);
TC_API cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *func);
TC_API char __cudaInitModule(void **handle);

/* set.c */
TC_API cudaError_t cudaMemset(void *devPtr, int value, size_t count);
TC_API cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count,
                                   cudaStream_t stream);

/* stream.c */
TC_API cudaError_t cudaDeviceSynchronize(void);
TC_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
TC_API cudaError_t cudaStreamQuery(cudaStream_t stream);
TC_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                       unsigned int flags);
TC_API cudaError_t cudaStreamCreate(cudaStream_t *pStream);
TC_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream,
                                             unsigned int flags);
TC_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
                                                unsigned int flags,
                                                int priority);
TC_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
TC_API cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority);
TC_API cudaError_t cudaStreamGetFlags(cudaStream_t hStream,
                                      unsigned int *flags);
TC_API cudaError_t cudaStreamGetId(cudaStream_t hStream,
                                   unsigned long long *streamId);
TC_API cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device);
TC_API cudaError_t cudaDeviceGetStreamPriorityRange(int *leastPriority,
                                                    int *greatestPriority);

/* symbol.c */
TC_API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src,
                                      size_t count, size_t offset,
                                      enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
                                           size_t count, size_t offset,
                                           enum cudaMemcpyKind kind,
                                           cudaStream_t stream);
TC_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol,
                                        size_t count, size_t offset,
                                        enum cudaMemcpyKind kind);
TC_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
                                             size_t count, size_t offset,
                                             enum cudaMemcpyKind kind,
                                             cudaStream_t stream);
TC_API cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol);
TC_API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol);

/* unified.c */
TC_API cudaError_t cudaMallocManaged(void **devPtr, size_t size,
                                     unsigned int flags);
TC_API cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count,
                                        struct cudaMemLocation location,
                                        unsigned int flags,
                                        cudaStream_t stream);
TC_API cudaError_t cudaMemAdvise(const void *devPtr, size_t count,
                                 enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation location);
TC_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr,
                                            size_t length, unsigned int flags);
#endif

#endif
