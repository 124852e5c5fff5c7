/* texture.c - texture and surface objects: what their descriptors say becomes a
 * record that the device keeps (tc_rt_texture). */
#include "runtime/stub/stub.h"
#include <stdlib.h>
#include <string.h>

/* An object that exists, for those who ask what it was made of. */
typedef struct tc_stub_object {
    uint64_t handle;
    bool surface, viewed;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaResourceViewDesc view;
    struct tc_stub_object *next;
} tc_stub_object;

static tc_stub_object *objects;

static cudaError_t wrong(const char *why) {
    tc_stub_because("%s", why);
    return cudaErrorInvalidValue;
}

/* --- elements ------------------------------------------------------------ */

static cudaError_t element(const struct cudaChannelFormatDesc *d,
                           tc_rt_texture *t) {
    if (tc_stub_element_bytes(d) == 0) {
        tc_stub_because("an element has 1, 2 or 4 channels of 8, 16 or 32 bits "
                        "each, all of one size");
        return cudaErrorInvalidChannelDescriptor;
    }
    t->channels = d->w > 0 ? 4 : d->y > 0 ? 2 : 1;
    t->bits = (uint32_t)d->x;
    t->format = (uint32_t)d->f;
    if (tc_stub_is_normalized(d)) {
        t->normalized = 1;
        t->format = d->f < cudaChannelFormatKindSignedNormalized8X1
                        ? cudaChannelFormatKindUnsigned
                        : cudaChannelFormatKindSigned;
    }
    return cudaSuccess;
}

/* A view's format in place of the array's: 1 to 0x18, by kind and channels. */
static cudaError_t view_format(enum cudaResourceViewFormat f,
                               tc_rt_texture *t) {
    static const uint8_t bits[] = {8, 8, 16, 16, 32, 32, 16, 32};
    static const uint8_t format[] = {1, 0, 1, 0, 1, 0, 2, 2};
    static const uint8_t channels[] = {1, 2, 4};
    unsigned int i = (unsigned int)f - 1;
    if (f == cudaResViewFormatNone) {
        return cudaSuccess;
    }
    if (i >= 24) {
        return tc_stub_unbuilt("a view of block-compressed elements");
    }
    if (bits[i / 3] * channels[i % 3] != (int)(t->bits * t->channels)) {
        return wrong("the view's elements differ in size from the array's");
    }
    t->bits = bits[i / 3];
    t->format = format[i / 3];
    t->channels = channels[i % 3];
    return cudaSuccess;
}

/* --- resources ----------------------------------------------------------- */

static uint64_t one(uint64_t n) {
    return n > 0 ? n : 1;
}

static uint32_t shape_of(const tc_stub_array *a) {
    bool layered = (a->flags & cudaArrayLayered) != 0;
    if (a->flags & cudaArrayCubemap) {
        return layered ? TC_RT_TEXTURE_CUBE_LAYERED : TC_RT_TEXTURE_CUBE;
    }
    if (layered) {
        return a->height > 0 ? TC_RT_TEXTURE_2D_LAYERED
                             : TC_RT_TEXTURE_1D_LAYERED;
    }
    return a->depth > 0    ? TC_RT_TEXTURE_3D
           : a->height > 0 ? TC_RT_TEXTURE_2D
                           : TC_RT_TEXTURE_1D;
}

static cudaError_t of_levels(const tc_stub_array *a, uint32_t n,
                             tc_rt_texture *t) {
    t->shape = shape_of(a);
    t->width = a->width;
    t->height = one(a->height);
    t->depth = t->shape == TC_RT_TEXTURE_3D ? a->depth : 1;
    t->layers = t->shape == TC_RT_TEXTURE_3D ? 1 : one(a->depth);
    t->gather = (a->flags & cudaArrayTextureGather) != 0;
    t->nlevels = n;
    for (uint32_t i = 0; i < n; i++) {
        t->level[i] =
            (tc_rt_texture_level){a[i].address, a[i].pitch, a[i].slice};
    }
    return element(&a->desc, t);
}

/* An address of a texture's memory: on the device, and aligned as textures are
 * (cudaDevAttrTextureAlignment). */
static cudaError_t check_address(const void *p) {
    if (!tc_stub_is_device(p)) {
        return wrong(p == NULL ? "devPtr is a null pointer"
                               : "devPtr is an address of the host");
    }
    return (uintptr_t)p % 512 != 0 ? wrong("devPtr is no multiple of 512 bytes "
                                           "(cudaDevAttrTextureAlignment)")
                                   : cudaSuccess;
}

static cudaError_t linear(const struct cudaResourceDesc *r, tc_rt_texture *t) {
    const size_t most = (size_t)1 << 28; /* maxTexture1DLinear */
    cudaError_t e = element(&r->res.linear.desc, t);
    e = e == cudaSuccess ? check_address(r->res.linear.devPtr) : e;
    if (e != cudaSuccess) {
        return e;
    }
    size_t n =
        r->res.linear.sizeInBytes / tc_stub_element_bytes(&r->res.linear.desc);
    if (n == 0 || n > most) {
        return wrong("a texture of linear memory has 1 to 268435456 elements");
    }
    t->shape = TC_RT_TEXTURE_LINEAR;
    t->width = n;
    t->level[0].address = (uint64_t)(uintptr_t)r->res.linear.devPtr;
    return cudaSuccess;
}

static cudaError_t pitched(const struct cudaResourceDesc *r, tc_rt_texture *t) {
    size_t pitch = r->res.pitch2D.pitchInBytes;
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height;
    cudaError_t e = element(&r->res.pitch2D.desc, t);
    e = e == cudaSuccess ? check_address(r->res.pitch2D.devPtr) : e;
    if (e != cudaSuccess) {
        return e;
    }
    if (pitch % 32 != 0) {
        return wrong("pitchInBytes is no multiple of 32 bytes "
                     "(cudaDevAttrTexturePitchAlignment): cudaMallocPitch() "
                     "gives such rows");
    }
    if (width == 0 || width > 131072 || height == 0 || height > 65000 ||
        pitch > 2097120) {
        return wrong("pitched memory of a texture has 1 to 131072 elements in "
                     "1 to 65000 rows of at most 2097120 bytes");
    }
    if (pitch < width * tc_stub_element_bytes(&r->res.pitch2D.desc)) {
        return wrong("pitchInBytes is less than a row: width counts elements");
    }
    t->shape = TC_RT_TEXTURE_2D;
    t->width = width;
    t->height = height;
    t->level[0] = (tc_rt_texture_level){
        (uint64_t)(uintptr_t)r->res.pitch2D.devPtr, pitch, pitch * height};
    return cudaSuccess;
}

static cudaError_t resource(const struct cudaResourceDesc *r,
                            tc_rt_texture *t) {
    *t = (tc_rt_texture){
        .width = 1, .height = 1, .depth = 1, .layers = 1, .nlevels = 1};
    if (r->flags != 0) {
        return wrong("cudaResourceDesc.flags is not 0: is the descriptor set "
                     "to zeros first?");
    }
    if (r->resType == cudaResourceTypeArray) {
        const tc_stub_array *a = tc_stub_array_of(r->res.array.array);
        return a != NULL ? of_levels(a, 1, t) : cudaErrorInvalidValue;
    }
    if (r->resType == cudaResourceTypeMipmappedArray) {
        const tc_stub_mipmap *m = tc_stub_mipmap_of(r->res.mipmap.mipmap);
        return m != NULL ? of_levels(m->level, m->nlevels, t)
                         : cudaErrorInvalidValue;
    }
    return r->resType == cudaResourceTypeLinear    ? linear(r, t)
           : r->resType == cudaResourceTypePitch2D ? pitched(r, t)
                                                   : wrong("no such resType");
}

/* --- textures ------------------------------------------------------------ */

static cudaError_t sampling(const struct cudaTextureDesc *d, tc_rt_texture *t) {
    bool integers = t->format != cudaChannelFormatKindFloat;
    if (d->readMode == cudaReadModeNormalizedFloat && integers &&
        t->bits == 32) {
        tc_stub_because("cudaReadModeNormalizedFloat is for integers of 8 and "
                        "16 bits");
        return cudaErrorInvalidNormSetting;
    }
    t->normalized |= d->readMode == cudaReadModeNormalizedFloat && integers;
    bool linear_memory = t->shape == TC_RT_TEXTURE_LINEAR;
    if (d->filterMode == cudaFilterModeLinear && integers && !t->normalized &&
        !linear_memory) {
        tc_stub_because("cudaFilterModeLinear gives floats: of integers with "
                        "cudaReadModeNormalizedFloat alone");
        return cudaErrorInvalidFilterSetting;
    }
    for (int i = 0; i < 3; i++) {
        if ((unsigned int)d->addressMode[i] > cudaAddressModeBorder) {
            return wrong("no such addressMode: is the descriptor set to zeros "
                         "first?");
        }
        t->mode[i] = (uint32_t)d->addressMode[i];
    }
    t->linear = d->filterMode == cudaFilterModeLinear;
    t->linear_levels = d->mipmapFilterMode == cudaFilterModeLinear;
    t->srgb = d->sRGB != 0 && t->bits == 8 && t->normalized;
    t->normalized_coords = d->normalizedCoords != 0 ||
                           t->shape == TC_RT_TEXTURE_CUBE ||
                           t->shape == TC_RT_TEXTURE_CUBE_LAYERED;
    memcpy(t->border, d->borderColor, sizeof t->border);
    t->bias = d->mipmapLevelBias;
    t->least = d->minMipmapLevelClamp;
    t->most = d->maxMipmapLevelClamp;
    return cudaSuccess;
}

/* A part of an array's levels and layers. */
static cudaError_t view(const struct cudaResourceViewDesc *v,
                        tc_rt_texture *t) {
    uint32_t first = v->firstMipmapLevel, last = v->lastMipmapLevel;
    bool layers = t->shape >= TC_RT_TEXTURE_1D_LAYERED;
    if (t->shape == TC_RT_TEXTURE_LINEAR) {
        return wrong("a view is of an array");
    }
    if (last >= t->nlevels || first > last ||
        (layers &&
         (v->lastLayer >= t->layers || v->firstLayer > v->lastLayer))) {
        return wrong("the view has levels or layers that the array lacks");
    }
    for (uint32_t i = 0; i <= last - first; i++) {
        t->level[i] = t->level[first + i];
        t->level[i].address += layers ? v->firstLayer * t->level[i].slice : 0;
    }
    t->nlevels = last - first + 1;
    t->layers = layers ? v->lastLayer - v->firstLayer + 1 : t->layers;
    t->width = one(t->width >> first);
    t->height = one(t->height >> first);
    t->depth = one(t->depth >> first);
    return view_format(v->format, t);
}

/* --- objects ------------------------------------------------------------- */

static tc_stub_object *object_of(uint64_t handle, bool surface) {
    tc_stub_object *o = objects;
    while (o != NULL && (o->handle != handle || o->surface != surface)) {
        o = o->next;
    }
    if (o == NULL) {
        tc_stub_because("there is no such object, or it has been destroyed");
    }
    return o;
}

/* Asks the device for it, and keeps what it was made of. */
static cudaError_t keep(tc_stub_object *fresh, const tc_rt_texture *t,
                        unsigned long long *out) {
    tc_rt_texture_handle h = {0};
    cudaError_t e = tc_stub_request(TC_RT_TEXTURE, t, sizeof *t, &h, sizeof h);
    if (e == cudaErrorNotSupported) {
        return tc_stub_unbuilt("textures and surfaces with --backend gpu and "
                               "both");
    }
    tc_stub_object *o = e == cudaSuccess ? malloc(sizeof *o) : NULL;
    if (o == NULL) {
        return e != cudaSuccess ? e : cudaErrorMemoryAllocation;
    }
    *o = *fresh;
    o->handle = h.handle;
    o->surface = t->surface != 0;
    o->next = objects;
    objects = o;
    *out = h.handle;
    return cudaSuccess;
}

static cudaError_t create_texture(cudaTextureObject_t *out,
                                  const struct cudaResourceDesc *r,
                                  const struct cudaTextureDesc *d,
                                  const struct cudaResourceViewDesc *v) {
    tc_rt_texture t;
    tc_stub_object o = {.viewed = v != NULL};
    cudaError_t e = tc_stub_ready();
    if (e == cudaSuccess && (out == NULL || r == NULL || d == NULL)) {
        e = wrong("a null pointer");
    }
    e = e == cudaSuccess ? resource(r, &t) : e;
    e = e == cudaSuccess && v != NULL ? view(v, &t) : e;
    e = e == cudaSuccess ? sampling(d, &t) : e;
    if (e != cudaSuccess) {
        return e;
    }
    o.resource = *r;
    o.texture = *d;
    if (v != NULL) {
        o.view = *v;
    }
    return keep(&o, &t, out);
}

TC_API cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
    const struct cudaTextureDesc *pTexDesc,
    const struct cudaResourceViewDesc *pResViewDesc) {
    TC_ENTER();
    return tc_stub_leave(
        create_texture(pTexObject, pResDesc, pTexDesc, pResViewDesc));
}

static cudaError_t create_surface(cudaSurfaceObject_t *out,
                                  const struct cudaResourceDesc *r) {
    tc_rt_texture t;
    tc_stub_object o = {0};
    cudaError_t e = tc_stub_ready();
    if (e == cudaSuccess && (out == NULL || r == NULL)) {
        e = wrong("a null pointer");
    }
    if (e == cudaSuccess && r->resType != cudaResourceTypeArray) {
        e = wrong("a surface is of a CUDA array");
    }
    e = e == cudaSuccess ? resource(r, &t) : e;
    if (e != cudaSuccess) {
        return e;
    }
    if (!(tc_stub_array_of(r->res.array.array)->flags &
          cudaArraySurfaceLoadStore)) {
        return wrong("the array was made without cudaArraySurfaceLoadStore");
    }
    t.surface = 1;
    o.resource = *r;
    return keep(&o, &t, out);
}

TC_API cudaError_t cudaCreateSurfaceObject(
    cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc) {
    TC_ENTER();
    return tc_stub_leave(create_surface(pSurfObject, pResDesc));
}

static cudaError_t destroy(uint64_t handle, bool surface) {
    cudaError_t e = tc_stub_ready();
    tc_stub_object **at = &objects, *o;
    if (e != cudaSuccess) {
        return e;
    }
    o = object_of(handle, surface);
    if (o == NULL) {
        return cudaErrorInvalidValue;
    }
    tc_rt_texture_handle h = {handle, surface, 0};
    e = tc_stub_request(TC_RT_DROP_TEXTURE, &h, sizeof h, NULL, 0);
    while (*at != o) {
        at = &(*at)->next;
    }
    *at = o->next;
    free(o);
    return e;
}

TC_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
    TC_ENTER();
    return tc_stub_leave(destroy(texObject, false));
}

TC_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
    TC_ENTER();
    return tc_stub_leave(destroy(surfObject, true));
}

/* --- what they were made of ---------------------------------------------- */

TC_API cudaError_t cudaGetTextureObjectResourceDesc(
    struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject) {
    TC_ENTER();
    const tc_stub_object *o = object_of(texObject, false);
    if (o == NULL || pResDesc == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *pResDesc = o->resource;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaGetTextureObjectTextureDesc(
    struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject) {
    TC_ENTER();
    const tc_stub_object *o = object_of(texObject, false);
    if (o == NULL || pTexDesc == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *pTexDesc = o->texture;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaGetTextureObjectResourceViewDesc(
    struct cudaResourceViewDesc *pResViewDesc, cudaTextureObject_t texObject) {
    TC_ENTER();
    const tc_stub_object *o = object_of(texObject, false);
    if (o == NULL || !o->viewed || pResViewDesc == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *pResViewDesc = o->view;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaGetSurfaceObjectResourceDesc(
    struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject) {
    TC_ENTER();
    const tc_stub_object *o = object_of(surfObject, true);
    if (o == NULL || pResDesc == NULL) {
        return tc_stub_leave(cudaErrorInvalidValue);
    }
    *pResDesc = o->resource;
    return tc_stub_leave(cudaSuccess);
}

TC_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *maxWidthInElements, const struct cudaChannelFormatDesc *fmtDesc,
    int device) {
    TC_ENTER();
    bool ok = maxWidthInElements != NULL && fmtDesc != NULL && device == 0 &&
              tc_stub_element_bytes(fmtDesc) != 0;
    if (ok) {
        *maxWidthInElements = (size_t)1 << 28;
    }
    return tc_stub_leave(ok ? cudaSuccess : cudaErrorInvalidValue);
}
