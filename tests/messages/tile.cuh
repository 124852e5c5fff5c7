/* A header of the learner's own, beside header.cu. */
#include <cuda_pipeline.h>

template <class T>
__device__ void fetch(T *to, const T *from) {
    __pipeline_memcpy_async(to, from, sizeof(T));
    __pipeline_commit();
}

template <class T>
__device__ T take(const T *from) {
    return *from;
}
