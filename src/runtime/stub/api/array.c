/* array.c - CUDA arrays and mipmapped arrays. */
#include "runtime/stub/stub.h"
#include <stdlib.h>

static tc_stub_array *arrays;
static tc_stub_mipmap *mipmaps;

/* --- handles ------------------------------------------------------------- */

static tc_stub_array *among_levels(const void *handle) {
    for (tc_stub_mipmap *m = mipmaps; m != NULL; m = m->next) {
        for (unsigned int i = 0; i < m->nlevels; i++) {
            if (&m->level[i] == handle) {
                return &m->level[i];
            }
        }
    }
    return NULL;
}

tc_stub_array *tc_stub_array_of(cudaArray_const_t handle) {
    const void *h = handle;
    tc_stub_array *a = arrays;
    while (a != NULL && a != h) {
        a = a->next;
    }
    a = a != NULL ? a : among_levels(h);
    if (a == NULL) {
        tc_stub_because(h == NULL ? "the array is a null pointer"
                                  : "there is no such array, or it has been "
                                    "freed");
    }
    return a;
}

tc_stub_mipmap *tc_stub_mipmap_of(cudaMipmappedArray_const_t handle) {
    const void *h = handle;
    tc_stub_mipmap *m = mipmaps;
    while (m != NULL && m != h) {
        m = m->next;
    }
    if (m == NULL) {
        tc_stub_because("there is no such mipmapped array, or it has been "
                        "freed");
    }
    return m;
}

/* --- elements ------------------------------------------------------------ */

bool tc_stub_is_normalized(const struct cudaChannelFormatDesc *d) {
    return d->f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
           d->f <= cudaChannelFormatKindSignedNormalized16X4;
}

/* 1, 2 or 4 channels of 8, 16 or 32 bits, all of one size. */
uint32_t tc_stub_element_bytes(const struct cudaChannelFormatDesc *d) {
    bool size = d->x == 8 || d->x == 16 || d->x == 32;
    bool known = d->f <= cudaChannelFormatKindFloat || tc_stub_is_normalized(d);
    bool same = (d->y == 0 || d->y == d->x) && (d->z == 0 || d->z == d->x) &&
                (d->w == 0 || d->w == d->x);
    bool order = (d->z == 0) == (d->w == 0) && (d->y != 0 || d->z == 0);
    if (!size || !known || !same || !order ||
        (d->f == cudaChannelFormatKindFloat && d->x == 8)) {
        return 0;
    }
    return (uint32_t)(d->x + d->y + d->z + d->w) / 8;
}

TC_API struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w,
                      enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* --- shapes -------------------------------------------------------------- */

static uint64_t one(uint64_t n) {
    return n > 0 ? n : 1;
}

/* Which extents go with the flags (CUDA Runtime API, cudaMalloc3DArray). */
static cudaError_t check_shape(const struct cudaExtent *e, unsigned int flags) {
    bool layered = (flags & cudaArrayLayered) != 0;
    if (flags &
        ~(unsigned int)(cudaArrayLayered | cudaArrayCubemap |
                        cudaArraySurfaceLoadStore | cudaArrayTextureGather)) {
        return tc_stub_unbuilt("sparse arrays, and arrays of graphics");
    }
    const char *why = NULL;
    if (e->width == 0 || e->width > 131072 || e->height > 65536 ||
        e->depth > 16384) {
        why = "an array is 1 to 131072 elements wide, with up to 65536 rows "
              "and 16384 planes or layers";
    } else if ((flags & cudaArrayCubemap) &&
               (e->width != e->height || e->depth == 0 || e->depth % 6 != 0 ||
                (!layered && e->depth != 6))) {
        why = "a cubemap has squares, six layers for each cube";
    } else if (layered && e->depth == 0) {
        why = "a layered array has its number of layers for its depth";
    } else if (e->depth != 0 && e->height == 0 && !layered) {
        why = "a 3D array has a height";
    } else if ((flags & cudaArrayTextureGather) &&
               (e->height == 0 || (e->depth != 0 && !layered))) {
        why = "texture gather is for 2D arrays";
    }
    if (why != NULL) {
        tc_stub_because("%s", why);
    }
    return why != NULL ? cudaErrorInvalidValue : cudaSuccess;
}

/* Its level, at most so many bytes behind the address; returns its bytes. */
static uint64_t lay_out(tc_stub_array *a, unsigned int level,
                        struct cudaExtent e) {
    bool layers = (a->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    a->width = one(e.width >> level);
    a->height = e.height > 0 ? one(e.height >> level) : 0;
    a->depth = e.depth == 0 || layers ? e.depth : one(e.depth >> level);
    a->pitch = a->width * tc_stub_element_bytes(&a->desc);
    a->slice = a->pitch * one(a->height);
    return a->slice * one(a->depth);
}

/* --- arrays -------------------------------------------------------------- */

static cudaError_t check_call(const void *out,
                              const struct cudaChannelFormatDesc *d,
                              const struct cudaExtent *e, unsigned int flags) {
    cudaError_t ready = tc_stub_ready();
    if (ready != cudaSuccess) {
        return ready;
    }
    if (out == NULL || d == NULL) {
        return cudaErrorInvalidValue;
    }
    if (tc_stub_element_bytes(d) == 0) {
        if (d->f > cudaChannelFormatKindSignedNormalized16X4) {
            return tc_stub_unbuilt("arrays of block-compressed elements");
        }
        tc_stub_because("an element has 1, 2 or 4 channels of 8, 16 or 32 bits "
                        "each, all of one size");
        return cudaErrorInvalidChannelDescriptor;
    }
    return check_shape(e, flags);
}

static cudaError_t make(cudaArray_t *out, const struct cudaChannelFormatDesc *d,
                        struct cudaExtent e, unsigned int flags) {
    cudaError_t error = check_call(out, d, &e, flags);
    if (error != cudaSuccess) {
        return error;
    }
    tc_stub_array *a = calloc(1, sizeof *a);
    if (a == NULL) {
        return cudaErrorMemoryAllocation;
    }
    void *memory = NULL;
    a->desc = *d;
    a->flags = flags;
    error = tc_stub_alloc(&memory, lay_out(a, 0, e), TC_RT_DEVICE, 0);
    if (error != cudaSuccess) {
        free(a);
        return error;
    }
    a->address = (uint64_t)(uintptr_t)memory;
    a->next = arrays;
    arrays = a;
    *out = (cudaArray_t)(void *)a;
    return cudaSuccess;
}

TC_API cudaError_t cudaMallocArray(cudaArray_t *array,
                                   const struct cudaChannelFormatDesc *desc,
                                   size_t width, size_t height,
                                   unsigned int flags) {
    TC_ENTER();
    struct cudaExtent e = {width, height, 0};
    return tc_stub_leave(make(array, desc, e, flags));
}

TC_API cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent,
                                     unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(make(array, desc, extent, flags));
}

static cudaError_t free_array(cudaArray_t handle) {
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess || handle == NULL) {
        return e;
    }
    tc_stub_array *a = tc_stub_array_of(handle), **at = &arrays;
    if (a == NULL || a->of != NULL) {
        return cudaErrorInvalidValue;
    }
    e = tc_stub_free((void *)(uintptr_t)a->address, false, true);
    while (*at != a) {
        at = &(*at)->next;
    }
    *at = a->next;
    free(a);
    return e;
}

TC_API cudaError_t cudaFreeArray(cudaArray_t array) {
    TC_ENTER();
    return tc_stub_leave(free_array(array));
}

static cudaError_t info(struct cudaChannelFormatDesc *desc,
                        struct cudaExtent *extent, unsigned int *flags,
                        cudaArray_const_t array) {
    const tc_stub_array *a = tc_stub_array_of(array);
    if (a == NULL) {
        return cudaErrorInvalidValue;
    }
    if (desc != NULL) {
        *desc = a->desc;
    }
    if (extent != NULL) {
        *extent = (struct cudaExtent){a->width, a->height, a->depth};
    }
    if (flags != NULL) {
        *flags = a->flags;
    }
    return cudaSuccess;
}

TC_API cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                                    struct cudaExtent *extent,
                                    unsigned int *flags, cudaArray_t array) {
    TC_ENTER();
    return tc_stub_leave(info(desc, extent, flags, array));
}

TC_API cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
                                      cudaArray_const_t array) {
    TC_ENTER();
    return tc_stub_leave(desc == NULL ? cudaErrorInvalidValue
                                      : info(desc, NULL, NULL, array));
}

/* --- mipmapped arrays ---------------------------------------------------- */

static unsigned int most_levels(const struct cudaExtent *e, bool layers) {
    uint64_t n = e->width > e->height ? e->width : e->height;
    n = !layers && e->depth > n ? e->depth : n;
    unsigned int levels = 0;
    for (; n > 0 && levels < TC_STUB_LEVELS; n >>= 1) {
        levels++;
    }
    return levels;
}

/* All levels in one piece of memory, each at a multiple of 512 bytes. */
static uint64_t lay_out_levels(tc_stub_mipmap *m, struct cudaExtent e) {
    uint64_t at = 0;
    for (unsigned int i = 0; i < m->nlevels; i++) {
        m->level[i].address = at;
        at = (at + lay_out(&m->level[i], i, e) + 511) / 512 * 512;
    }
    return at;
}

static cudaError_t make_mipmap(cudaMipmappedArray_t *out,
                               const struct cudaChannelFormatDesc *d,
                               struct cudaExtent e, unsigned int levels,
                               unsigned int flags) {
    cudaError_t error = check_call(out, d, &e, flags);
    if (error != cudaSuccess) {
        return error;
    }
    tc_stub_mipmap *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return cudaErrorMemoryAllocation;
    }
    unsigned int most =
        most_levels(&e, (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0);
    m->nlevels = levels < 1 ? 1 : levels > most ? most : levels;
    for (unsigned int i = 0; i < m->nlevels; i++) {
        m->level[i] = (tc_stub_array){.desc = *d, .flags = flags, .of = m};
    }
    void *memory = NULL;
    error = tc_stub_alloc(&memory, lay_out_levels(m, e), TC_RT_DEVICE, 0);
    if (error != cudaSuccess) {
        free(m);
        return error;
    }
    for (unsigned int i = 0; i < m->nlevels; i++) {
        m->level[i].address += (uint64_t)(uintptr_t)memory;
    }
    m->next = mipmaps;
    mipmaps = m;
    *out = (cudaMipmappedArray_t)(void *)m;
    return cudaSuccess;
}

TC_API cudaError_t cudaMallocMipmappedArray(
    cudaMipmappedArray_t *mipmappedArray,
    const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
    unsigned int numLevels, unsigned int flags) {
    TC_ENTER();
    return tc_stub_leave(
        make_mipmap(mipmappedArray, desc, extent, numLevels, flags));
}

TC_API cudaError_t cudaGetMipmappedArrayLevel(
    cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
    unsigned int level) {
    TC_ENTER();
    tc_stub_mipmap *m = tc_stub_mipmap_of(mipmappedArray);
    bool there = levelArray != NULL && m != NULL && level < m->nlevels;
    if (there) {
        *levelArray = (cudaArray_t)(void *)&m->level[level];
    }
    return tc_stub_leave(there ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t free_mipmap(cudaMipmappedArray_t handle) {
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess || handle == NULL) {
        return e;
    }
    tc_stub_mipmap *m = tc_stub_mipmap_of(handle), **at = &mipmaps;
    if (m == NULL) {
        return cudaErrorInvalidValue;
    }
    e = tc_stub_free((void *)(uintptr_t)m->level[0].address, false, true);
    while (*at != m) {
        at = &(*at)->next;
    }
    *at = m->next;
    free(m);
    return e;
}

TC_API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray) {
    TC_ENTER();
    return tc_stub_leave(free_mipmap(mipmappedArray));
}
