/* host.c - page-locked memory of the host. What is allocated here is shared
 * with the device and has one address for both. What is registered is the
 * program's own: kernels reach a copy, at the address that
 * cudaHostGetDevicePointer() gives and that stands in a launch's parameters for
 * the program's. It is brought up to date before each launch, and back after
 * it. */
#include "runtime/stub/stub.h"
#include <stdlib.h>
#include <string.h>

typedef struct tc_stub_registered {
    uintptr_t address;
    size_t bytes;
    unsigned int flags;
    void *copy; /* the device's, or NULL: nobody has asked for it */
    struct tc_stub_registered *next;
} tc_stub_registered;

static tc_stub_registered *registered;

static cudaError_t alloc(void **p, size_t size, unsigned int flags) {
    unsigned known = cudaHostAllocPortable | cudaHostAllocMapped |
                     cudaHostAllocWriteCombined;
    return (flags & ~known) != 0 ? cudaErrorInvalidValue
                                 : tc_stub_alloc(p, size, TC_RT_HOST, flags);
}

TC_API cudaError_t cudaHostAlloc(void **pHost, size_t size,
                                 unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(alloc(pHost, size, flags));
}

TC_API cudaError_t cudaMallocHost(void **ptr, size_t size) {
    TC_ENTER();
    return tc_stub_leave(alloc(ptr, size, 0));
}

TC_API cudaError_t cudaFreeHost(void *ptr) {
    TC_ENTER();
    return tc_stub_leave(tc_stub_free(ptr, true, true));
}

/* --- registered memory --------------------------------------------------- */

/* The link to the range that has the byte; to NULL where there is none. */
static tc_stub_registered **range_of(const void *p) {
    tc_stub_registered **r = &registered;
    while (*r != NULL && (uintptr_t)p - (*r)->address >= (*r)->bytes) {
        r = &(*r)->next;
    }
    return r;
}

static cudaError_t add(void *ptr, size_t size, unsigned int flags) {
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess) {
        return e;
    }
    if (ptr == NULL || size == 0 || (flags & ~15u) != 0) {
        return cudaErrorInvalidValue;
    }
    if (tc_stub_is_device(ptr) || *range_of(ptr) != NULL ||
        *range_of((char *)ptr + size - 1) != NULL) {
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    tc_stub_registered *r = malloc(sizeof *r);
    if (r == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *r = (tc_stub_registered){(uintptr_t)ptr, size, flags, NULL, registered};
    registered = r;
    return cudaSuccess;
}

TC_API cudaError_t cudaHostRegister(void *ptr, size_t size,
                                    unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(add(ptr, size, flags));
}

TC_API cudaError_t cudaHostUnregister(void *ptr) {
    TC_ENTER();
    tc_stub_registered **r = range_of(ptr), *gone = *r;
    if (gone == NULL || gone->address != (uintptr_t)ptr) {
        return tc_stub_leave(gone != NULL || ptr == NULL
                                 ? cudaErrorInvalidValue
                                 : cudaErrorHostMemoryNotRegistered);
    }
    cudaError_t e = gone->copy != NULL ? tc_stub_free(gone->copy, false, true)
                                       : cudaSuccess;
    *r = gone->next;
    free(gone);
    return tc_stub_leave(e);
}

cudaError_t tc_stub_registered_copy(bool to_device) {
    cudaError_t e = cudaSuccess;
    tc_stub.aside = true;
    for (tc_stub_registered *r = registered; r != NULL && e == cudaSuccess;
         r = r->next) {
        void *own = (void *)r->address;
        if (r->copy != NULL && to_device) {
            e = tc_stub_copy_line(r->copy, own, r->bytes,
                                  cudaMemcpyHostToDevice, false, NULL);
        } else if (r->copy != NULL &&
                   (r->flags & cudaHostRegisterReadOnly) == 0) {
            e = tc_stub_copy_line(own, r->copy, r->bytes,
                                  cudaMemcpyDeviceToHost, false, NULL);
        }
    }
    tc_stub.aside = false;
    return e;
}

static cudaError_t copy_of(void **out, const void *p) {
    tc_stub_registered *r = *range_of(p);
    cudaError_t e = r == NULL ? cudaErrorInvalidValue : cudaSuccess;
    if (e == cudaSuccess && r->copy == NULL) {
        e = tc_stub_alloc(&r->copy, r->bytes, TC_RT_DEVICE, 0);
    }
    if (e == cudaSuccess) {
        *out = (char *)r->copy + ((uintptr_t)p - r->address);
    }
    return e;
}

cudaError_t tc_stub_registered_params(char *params, size_t bytes) {
    cudaError_t e = cudaSuccess;
    for (size_t i = 0;
         registered != NULL && i + sizeof(void *) <= bytes && e == cudaSuccess;
         i += sizeof(void *)) {
        void *p;
        memcpy(&p, params + i, sizeof p);
        if (*range_of(p) != NULL) {
            e = copy_of(&p, p);
            memcpy(params + i, &p, sizeof p);
        }
    }
    return e;
}

/* --- asking -------------------------------------------------------------- */

static cudaError_t device_pointer(void **out, void *p, unsigned int flags) {
    const tc_stub_block *b = tc_stub_block_at((uint64_t)(uintptr_t)p);
    if (out == NULL || flags != 0) {
        return cudaErrorInvalidValue;
    }
    *out = NULL;
    if (b != NULL && b->kind == TC_RT_HOST) {
        *out = p;
        return cudaSuccess;
    }
    return copy_of(out, p);
}

TC_API cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost,
                                            unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(device_pointer(pDevice, pHost, flags));
}

static cudaError_t flags_of(unsigned int *out, const void *p) {
    const tc_stub_block *b = tc_stub_block_at((uint64_t)(uintptr_t)p);
    const tc_stub_registered *r = *range_of(p);
    if (out == NULL || (r == NULL && (b == NULL || b->kind != TC_RT_HOST))) {
        return cudaErrorInvalidValue;
    }
    *out = r != NULL ? r->flags : b->flags;
    return cudaSuccess;
}

TC_API cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost) {
    TC_ENTER();
    return tc_stub_leave(flags_of(pFlags, pHost));
}

/* What cudaMalloc and its like gave, and anything else (CUDA Runtime API,
 * cudaPointerAttributes: unregistered memory is no error since CUDA 11). */
static cudaError_t attributes(struct cudaPointerAttributes *a, const void *p) {
    const tc_stub_block *b = tc_stub_block_at((uint64_t)(uintptr_t)p);
    void *same = (void *)(uintptr_t)p;
    if (a == NULL) {
        return cudaErrorInvalidValue;
    }
    *a = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                        .device = cudaInvalidDeviceId};
    if (b == NULL) {
        a->hostPointer = same;
        if (*range_of(p) != NULL) {
            a->type = cudaMemoryTypeHost;
            a->device = 0;
        }
        return cudaSuccess;
    }
    a->type = b->kind == TC_RT_HOST      ? cudaMemoryTypeHost
              : b->kind == TC_RT_MANAGED ? cudaMemoryTypeManaged
                                         : cudaMemoryTypeDevice;
    a->device = 0;
    a->devicePointer = same;
    a->hostPointer = b->kind == TC_RT_DEVICE ? NULL : same;
    return cudaSuccess;
}

TC_API cudaError_t cudaPointerGetAttributes(
    struct cudaPointerAttributes *attributes_out, const void *ptr) {
    TC_ENTER();
    cudaError_t e = tc_stub_ready();
    return tc_stub_leave(e != cudaSuccess ? e
                                          : attributes(attributes_out, ptr));
}
