// A pool's access and a stream's attributes: right ones, and what is refused.
#include <cstdio>

#define IS(call, error)                                                        \
    do {                                                                       \
        cudaError_t e = call;                                                  \
        if (e != error) {                                                      \
            printf("%s: %s\n", #call, cudaGetErrorName(e));                    \
            return 1;                                                          \
        }                                                                      \
    } while (0)

int main() {
    cudaMemPool_t pool;
    IS(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    cudaMemAccessDesc d = {};
    d.location.type = cudaMemLocationTypeDevice;
    d.flags = cudaMemAccessFlagsProtReadWrite;
    IS(cudaMemPoolSetAccess(pool, &d, 1), cudaSuccess);
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    IS(cudaMemPoolGetAccess(&flags, pool, &d.location), cudaSuccess);
    d.location.id = 7;
    IS(cudaMemPoolSetAccess(pool, &d, 1), cudaErrorInvalidDevice);

    cudaStream_t s;
    IS(cudaStreamCreate(&s), cudaSuccess);
    cudaStreamAttrValue v = {};
    v.accessPolicyWindow.hitRatio = 1;
    v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    IS(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v),
       cudaSuccess);
    v.priority = -1;
    IS(cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v),
       cudaSuccess);
    IS(cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &v),
       cudaSuccess);
    IS(cudaStreamSetAttribute(s, cudaLaunchAttributeCooperative, &v),
       cudaErrorInvalidValue);
    IS(cudaStreamDestroy(s), cudaSuccess);
    printf("access %d, priority %d\n", (int)flags, v.priority);
}
