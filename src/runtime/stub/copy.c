/* copy.c - copying boxes between the host and the device, cudaMemcpy. */
#include "runtime/stub/stub.h"
#include <stdio.h>
#include <string.h>

/* --- boxes --------------------------------------------------------------- */

/* Bytes from the first to the last; more than there can be where it is too
 * much for 64 bits. */
static uint64_t span(const tc_rt_copy *c, uint64_t pitch, uint64_t slice) {
    uint64_t planes, rows, bytes;
    if (__builtin_mul_overflow(c->depth - 1, slice, &planes) ||
        __builtin_mul_overflow(c->height - 1, pitch, &rows) ||
        __builtin_add_overflow(planes, rows, &bytes) ||
        __builtin_add_overflow(bytes, c->width, &bytes)) {
        return UINT64_MAX;
    }
    return bytes;
}

/* Rows that follow each other on both sides are one row. */
static void flatten(tc_rt_copy *c) {
    if (c->height == 1 && c->depth > 1) {
        c->height = c->depth;
        c->dst_pitch = c->dst_slice;
        c->src_pitch = c->src_slice;
        c->depth = 1;
    }
    if (c->depth > 1 && c->dst_slice == c->dst_pitch * c->height &&
        c->src_slice == c->src_pitch * c->height) {
        c->height *= c->depth;
        c->depth = 1;
    }
    if (c->depth == 1 && c->dst_pitch == c->width && c->src_pitch == c->width) {
        c->width *= c->height;
        c->height = 1;
    }
}

static char *at(uint64_t base, uint64_t pitch, uint64_t row) {
    return (char *)(uintptr_t)(base + row * pitch);
}

/* --- in pieces ----------------------------------------------------------- */

/* A call carries at most so much. */
enum { ROWS = 256, BYTES = 1 << 20 };

/* Up to ROWS rows of one plane, in one call; the host's side by reference. */
static cudaError_t piece(tc_rt_name name, const tc_rt_copy *c,
                         uint32_t stream) {
    tc_rt_copy q = *c;
    stream = tc_stub.aside ? TC_RT_ASIDE : stream;
    bool write = name == TC_RT_WRITE;
    struct iovec v[1 + ROWS] = {{&q, sizeof q}};
    for (uint64_t i = 0; i < c->height; i++) {
        v[1 + i].iov_base =
            write ? at(c->src, c->src_pitch, i) : at(c->dst, c->dst_pitch, i);
        v[1 + i].iov_len = c->width;
    }
    int rows = (int)c->height;
    tc_stub_talk t = {.name = name,
                      .stream = stream,
                      .out = v,
                      .nout = write ? 1 + rows : 1,
                      .in = v + 1,
                      .nin = write ? 0 : rows};
    cudaError_t e = tc_stub_call(&t);
    return e == cudaSuccess && !write && t.got != c->width * c->height
               ? cudaErrorUnknown
               : e;
}

static cudaError_t row_in_pieces(tc_rt_name name, tc_rt_copy c,
                                 uint32_t stream) {
    cudaError_t e = cudaSuccess;
    for (uint64_t left = c.width; left > 0 && e == cudaSuccess;
         left -= c.width) {
        c.width = left < BYTES ? left : BYTES;
        e = piece(name, &c, stream);
        c.dst += c.width;
        c.src += c.width;
    }
    return e;
}

static cudaError_t plane_in_pieces(tc_rt_name name, tc_rt_copy c,
                                   uint32_t stream) {
    uint64_t rows = c.width < BYTES ? BYTES / c.width : 1, left = c.height;
    cudaError_t e = cudaSuccess;
    rows = rows < ROWS ? rows : ROWS;
    for (; left > 0 && e == cudaSuccess; left -= c.height) {
        c.height = left < rows ? left : rows;
        e = c.height == 1 ? row_in_pieces(name, c, stream)
                          : piece(name, &c, stream);
        c.dst += c.height * c.dst_pitch;
        c.src += c.height * c.src_pitch;
    }
    return e;
}

static cudaError_t in_pieces(tc_rt_name name, tc_rt_copy c, uint32_t stream) {
    cudaError_t e = cudaSuccess;
    uint64_t planes = c.depth;
    c.depth = 1;
    for (uint64_t i = 0; i < planes && e == cudaSuccess; i++) {
        e = plane_in_pieces(name, c, stream);
        c.dst += c.dst_slice;
        c.src += c.src_slice;
    }
    return e;
}

static void by_hand(const tc_rt_copy *c) {
    for (uint64_t i = 0; i < c->depth; i++) {
        for (uint64_t j = 0; j < c->height; j++) {
            memmove(at(c->dst + i * c->dst_slice, c->dst_pitch, j),
                    at(c->src + i * c->src_slice, c->src_pitch, j), c->width);
        }
    }
}

/* --- directions ---------------------------------------------------------- */

typedef enum tc_stub_side {
    SIDE_HOST,   /* the program's own, or page-locked */
    SIDE_DEVICE, /* or managed */
    SIDE_NONE    /* no memory, or not all of it */
} tc_stub_side;

typedef struct tc_stub_end {
    tc_stub_side side;
    bool pageable; /* SIDE_HOST: not page-locked, as we know it */
    bool hidden;   /* from the host: cudaMalloc's */
} tc_stub_end;

static tc_stub_end end_of(uint64_t address, uint64_t bytes) {
    if (bytes > TC_RT_DEVICE_SIZE) {
        return (tc_stub_end){.side = SIDE_NONE};
    }
    if (!tc_stub_is_device((void *)(uintptr_t)address)) {
        return (tc_stub_end){.side = address != 0 ? SIDE_HOST : SIDE_NONE,
                             .pageable = true};
    }
    const tc_stub_block *b = tc_stub_block_of(address, bytes);
    if (b == NULL) {
        return (tc_stub_end){.side = SIDE_NONE};
    }
    return (tc_stub_end){.side =
                             b->kind == TC_RT_HOST ? SIDE_HOST : SIDE_DEVICE,
                         .hidden = b->kind == TC_RT_DEVICE};
}

/* Why a side of a copy cannot be: "dst: ...". */
static void because(const char *side, uint64_t address, uint64_t bytes,
                    const tc_stub_end *e, bool device) {
    const tc_stub_block *b = tc_stub_block_at(address);
    if (e->side != SIDE_NONE && device && e->pageable) {
        tc_stub_because("%s is memory of the host, and the copy's kind says "
                        "that it is the device's",
                        side);
    } else if (e->side != SIDE_NONE) {
        tc_stub_because("%s is device memory, and the copy's kind says that "
                        "it is the host's",
                        side);
    } else if (address == 0) {
        tc_stub_because("%s is a null pointer", side);
    } else if (b != NULL) {
        tc_stub_because("%s: %llu bytes from byte %llu of an allocation of "
                        "%llu bytes",
                        side, (unsigned long long)bytes,
                        (unsigned long long)(address - b->address),
                        (unsigned long long)b->bytes);
    } else {
        tc_stub_because("%s: there is no memory at 0x%llx", side,
                        (unsigned long long)address);
    }
}

/* A kind that names the host for what it cannot reach: a copy is made all the
 * same, where the memory is. */
static void check_direction(enum cudaMemcpyKind kind, const tc_stub_end *dst,
                            const tc_stub_end *src) {
    static const char *const names[] = {"HostToHost", "HostToDevice",
                                        "DeviceToHost"};
    bool from = kind == cudaMemcpyHostToDevice && src->hidden;
    bool to = kind == cudaMemcpyDeviceToHost && dst->hidden;
    if (from || to) {
        char text[200];
        snprintf(text, sizeof text,
                 "the copy says cudaMemcpy%s, but %s is device memory "
                 "(cudaMalloc's): it is copied within the device; "
                 "cudaMemcpyDeviceToDevice says so",
                 names[kind], to ? "its destination" : "its source");
        tc_stub_note(TC_RT_NOTE_DIRECTION, tc_stub_where(), NULL, text);
    }
}

/* What CUDA knows the address of goes wherever it is (an H200 copies within the
 * device with a kind that names the host for one end); other memory of the host
 * only as the host's. */
static cudaError_t check(const tc_rt_copy *c, enum cudaMemcpyKind kind,
                         tc_stub_end *dst, tc_stub_end *src) {
    if ((unsigned)kind > cudaMemcpyDefault) {
        return cudaErrorInvalidMemcpyDirection;
    }
    *dst = end_of(c->dst, span(c, c->dst_pitch, c->dst_slice));
    *src = end_of(c->src, span(c, c->src_pitch, c->src_slice));
    bool to =
        kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from =
        kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool hosts = kind == cudaMemcpyHostToHost;
    if (dst->side == SIDE_NONE || (to && dst->pageable) ||
        (hosts && dst->hidden)) {
        because("its destination", c->dst, span(c, c->dst_pitch, c->dst_slice),
                dst, to);
        return cudaErrorInvalidValue;
    }
    if (src->side == SIDE_NONE || (from && src->pageable) ||
        (hosts && src->hidden)) {
        because("its source", c->src, span(c, c->src_pitch, c->src_slice), src,
                from);
        return cudaErrorInvalidValue;
    }
    check_direction(kind, dst, src);
    return cudaSuccess;
}

/* What a copy waits for (CUDA Runtime API, API synchronization behavior): all,
 * unless it is within the device; an asynchronous one for its stream, where it
 * goes to pageable memory. */
static bool waits(tc_stub_end dst, tc_stub_end src, bool blocks) {
    return (dst.side == SIDE_HOST || src.side == SIDE_HOST) &&
           (blocks || (dst.pageable && src.side == SIDE_DEVICE));
}

static cudaError_t wait_for(tc_stub_end dst, tc_stub_end src, bool blocks,
                            uint32_t stream) {
    return !waits(dst, src, blocks) ? cudaSuccess
           : blocks                 ? tc_stub_wait_all()
                                    : tc_stub_wait(stream, tc_stub.launches);
}

static cudaError_t copy_by_sides(tc_rt_copy c, tc_stub_end dst, tc_stub_end src,
                                 uint32_t stream) {
    if (dst.side == SIDE_HOST && src.side == SIDE_HOST) {
        by_hand(&c);
        return cudaSuccess;
    }
    if (dst.side == SIDE_HOST) {
        return in_pieces(TC_RT_READ, c, stream);
    }
    if (src.side == SIDE_HOST) {
        return in_pieces(TC_RT_WRITE, c, stream);
    }
    struct iovec v = {&c, sizeof c};
    tc_stub_talk t = {
        .name = TC_RT_MOVE, .stream = stream, .out = &v, .nout = 1};
    return tc_stub_call(&t);
}

cudaError_t tc_stub_copy(const tc_rt_copy *box, enum cudaMemcpyKind kind,
                         bool blocks, uint32_t stream) {
    tc_rt_copy c = *box;
    tc_stub_end dst, src;
    cudaError_t e = tc_stub_ready();
    if (e != cudaSuccess || c.width == 0 || c.height == 0 || c.depth == 0) {
        return e;
    }
    flatten(&c);
    e = check(&c, kind, &dst, &src);
    e = e == cudaSuccess && blocks
            ? tc_stub_capture_forbids(0, cudaErrorStreamCaptureImplicit)
            : e;
    tc_stub_stream *captured = blocks ? NULL : tc_stub_capturing(stream);
    if (e == cudaSuccess && captured != NULL) {
        return tc_stub_capture_copy(captured, &c, kind);
    }
    e = e == cudaSuccess ? wait_for(dst, src, blocks, stream) : e;
    if (e != cudaSuccess) {
        return e;
    }
    tc_stub_order_open();
    e = copy_by_sides(c, dst, src, stream);
    tc_stub_order(waits(dst, src, blocks) ? TC_RT_ORDER_STREAM
                                          : TC_RT_ORDER_ASK,
                  stream, 0);
    return e;
}

cudaError_t tc_stub_copy_line(void *dst, const void *src, size_t count,
                              enum cudaMemcpyKind kind, bool blocks,
                              cudaStream_t s) {
    uint32_t stream;
    tc_rt_copy c = {.dst = (uint64_t)(uintptr_t)dst,
                    .src = (uint64_t)(uintptr_t)src,
                    .dst_pitch = count,
                    .src_pitch = count,
                    .width = count,
                    .height = 1,
                    .depth = 1};
    cudaError_t e = tc_stub_stream_id(s, &stream);
    return e != cudaSuccess ? e : tc_stub_copy(&c, kind, blocks, stream);
}

TC_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t count,
                              enum cudaMemcpyKind kind) {
    TC_ENTER();
    return tc_stub_leave(tc_stub_copy_line(dst, src, count, kind, true, NULL));
}
TC_PTDS(cudaMemcpy);

TC_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count,
                                   enum cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    TC_ENTER();
    return tc_stub_leave(
        tc_stub_copy_line(dst, src, count, kind, false, stream));
}
TC_PTSZ(cudaMemcpyAsync);
