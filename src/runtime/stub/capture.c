/* capture.c - stream capture and graphs, which are not built: libraries may ask
 * whether a stream is being captured, and programs are told that none can be.
 * The functions on graphs themselves are left to the linker to name. */
#include "runtime/stub/stub.h"

enum { NOT_CAPTURING = 0 }; /* cudaStreamCaptureStatusNone */

#ifndef TC_STUB_REAL_TYPES
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal };
#endif

TC_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                         enum cudaStreamCaptureStatus *status) {
    TC_ENTER();
    uint32_t id;
    cudaError_t e =
        status == NULL ? cudaErrorInvalidValue : tc_stub_stream_id(stream, &id);
    if (e == cudaSuccess) {
        *status = (enum cudaStreamCaptureStatus)NOT_CAPTURING;
    }
    return tc_stub_leave(e);
}
TC_PTSZ(cudaStreamIsCapturing);

/* The functions of this name in CUDA 11 to 13 have more parameters, each
 * others, that mean something while a stream is captured. */
#ifndef TC_STUB_REAL_TYPES
TC_ALSO(cudaStreamGetCaptureInfo, cudaStreamIsCapturing);
TC_ALSO(cudaStreamGetCaptureInfo_ptsz, cudaStreamIsCapturing);
#endif
TC_ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamIsCapturing);
TC_ALSO(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamIsCapturing);

TC_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                          enum cudaStreamCaptureMode mode) {
    TC_ENTER();
    (void)stream, (void)mode;
    return tc_stub_leave(
        tc_stub_unbuilt("cudaStreamBeginCapture(): CUDA graphs"));
}
TC_PTSZ(cudaStreamBeginCapture);

TC_API cudaError_t cudaStreamEndCapture(cudaStream_t stream,
                                        cudaGraph_t *pGraph) {
    TC_ENTER();
    (void)stream;
    if (pGraph != NULL) {
        *pGraph = NULL;
    }
    return tc_stub_leave(cudaErrorIllegalState);
}
TC_PTSZ(cudaStreamEndCapture);

TC_API cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    TC_ENTER();
    return tc_stub_leave(mode == NULL ? cudaErrorInvalidValue : cudaSuccess);
}
