/* calls_memory.c - allocations, copies, variables. Every address and size that
 * arrives is the program's word. */
#include "runtime/serve.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- allocations ---- */

/* Of all kinds together, where whoever runs the program has set a limit: what
 * it refuses is noted, as the program may not say why it fails then. */
static bool is_allowed(tc_server *s, const tc_memory_block *b) {
    uint64_t most = s->o->memory, used = tc_memory_used(s->memory);
    if (most == 0 || (used <= most && b->m.bytes <= most - used)) {
        return true;
    }
    char text[200];
    snprintf(text, sizeof text,
             "memory limit: %llu bytes more than the %llu that are allocated "
             "are refused (cudaErrorMemoryAllocation): %llu MiB are allowed",
             (unsigned long long)b->m.bytes, (unsigned long long)used,
             (unsigned long long)(most >> 20));
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_LIMIT,
                                           .message = text,
                                           .where = b->m.where});
    return false;
}

static int alloc(tc_server *s, tc_memory_block *b) {
    bool shared = b->m.kind != TC_RT_DEVICE;
    if (b->m.shared) { /* it takes none of what the device has */
        tc_memory_widen(s->memory, b->m.bytes);
    }
    if (!is_allowed(s, b) ||
        !tc_memory_fits(s->memory, b->m.kind, b->m.bytes)) {
        return TC_CUDA_MEMORY_ALLOCATION;
    }
    b->m.address = !shared && b->m.bytes <= TC_SMALL_BLOCK
                       ? tc_memory_reserve_small(s->memory)
                       : tc_memory_reserve(s->memory, b->m.bytes);
    if (!b->m.address) {
        return TC_CUDA_MEMORY_ALLOCATION;
    }
    if (shared) {
        b->fd = tc_pages_new(b->m.bytes, &b->pages, &b->mapped);
        b->m.shared = b->pages;
    }
    tc_memory_block kept = *b;
    kept.fd = -1; /* it goes to the program, and is closed here */
    if ((shared && b->fd < 0) || !s->v->alloc(s->device, &b->m) ||
        !tc_memory_add(s->memory, &kept)) {
        tc_block_drop(b);
        return TC_CUDA_MEMORY_ALLOCATION;
    }
    return TC_CUDA_SUCCESS;
}

uint64_t tc_serve_alloc(tc_server *s, uint64_t bytes, const char *name,
                        uint8_t *storage) {
    tc_memory_block b = {.m = {.bytes = bytes, .name = name, .shared = storage},
                         .fd = -1};
    return alloc(s, &b) == TC_CUDA_SUCCESS ? b.m.address : 0;
}

int tc_call_ALLOC(tc_server *s, tc_exchange *x) {
    tc_rt_alloc a;
    memcpy(&a, x->payload, sizeof a);
    if (a.kind > TC_RT_HOST) {
        return TC_CUDA_INVALID_VALUE;
    }
    tc_memory_block b = {.m = {.bytes = a.bytes,
                               .kind = (tc_rt_memory)a.kind,
                               .name = "",
                               .where = x->call.where},
                         .fd = -1};
    int error = a.kind != TC_RT_DEVICE ? tc_task_shares(s, x->call.where) : 0;
    error = error ? error : a.bytes ? alloc(s, &b) : TC_CUDA_SUCCESS;
    a.address = error ? 0 : b.m.address;
    memcpy(x->answer, &a, sizeof a);
    x->bytes = sizeof a;
    x->descriptor = error ? -1 : b.fd;
    x->closes = true;
    return error;
}

/* The pages stay in the program until it unmaps them; here they go. */
int tc_call_FREE(tc_server *s, tc_exchange *x) {
    tc_rt_alloc a;
    memcpy(&a, x->payload, sizeof a);
    tc_memory_block *b = tc_memory_find(s->memory, a.address);
    int refused = tc_task_frees(s, a.address, x->call.where);
    if (refused) {
        return refused;
    }
    if (b && b->m.address == a.address && !b->symbol &&
        (b->m.kind == TC_RT_HOST) == (a.kind == TC_RT_HOST)) {
        if (s->order) {
            tc_stream_forget(s->order, b->m.address, b->m.bytes);
        }
        s->v->free(s->device, a.address);
        tc_memory_remove(s->memory, a.address, x->call.where);
        return TC_CUDA_SUCCESS;
    }
    return a.address ? TC_CUDA_INVALID_VALUE : TC_CUDA_SUCCESS;
}

int tc_call_FIND(tc_server *s, tc_exchange *x) {
    tc_rt_alloc a;
    memcpy(&a, x->payload, sizeof a);
    const tc_memory_block *b = tc_memory_find(s->memory, a.address);
    if (!b) {
        return TC_CUDA_INVALID_VALUE;
    }
    a = (tc_rt_alloc){b->m.address, b->m.bytes, b->m.kind, 0};
    memcpy(x->answer, &a, sizeof a);
    x->bytes = sizeof a;
    return TC_CUDA_SUCCESS;
}

/* ---- variables ---- */

static const tc_ptx_symbol *find_symbol(const tc_server *s, const char *name) {
    const tc_ptx_module *m = s->o->device.module->ptx;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if ((y->space == TC_PS_GLOBAL || y->space == TC_PS_CONST) &&
            strcmp(y->name, name) == 0) {
            return y;
        }
    }
    return NULL;
}

/* A GPU's driver puts variables where it wants: several, managed or not, may
 * lie on one page. The program maps whole pages, once, at their addresses; each
 * managed variable is at its own place on them. */
typedef struct page_range {
    uint64_t from, to;
} page_range;

static page_range pages_of(const tc_device_memory *m) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (page_range){m->address & ~(page - 1),
                        (m->address + m->bytes + page - 1) & ~(page - 1)};
}

/* The i-th memory's block, if it is a managed variable; at the last: NULL with
 * *more false. */
static tc_memory_block *managed_at(tc_server *s, int i, bool *more) {
    int n;
    const tc_device_memory *all = tc_memory_list(s->memory, &n);
    *more = i < n;
    tc_memory_block *b =
        *more ? tc_memory_find(s->memory, all[i].address) : NULL;
    return b && b->symbol && b->m.kind == TC_RT_MANAGED ? b : NULL;
}

/* All pages that hang together with these by managed variables on both. */
static page_range group_of(tc_server *s, page_range r) {
    bool wider = true, more = true;
    while (wider) {
        wider = false;
        for (int i = 0; more; i++) {
            const tc_memory_block *b = managed_at(s, i, &more);
            page_range x = b ? pages_of(&b->m) : (page_range){0, 0};
            if (b && x.from < r.to && x.to > r.from &&
                (x.from < r.from || x.to > r.to)) {
                r.from = x.from < r.from ? x.from : r.from;
                r.to = x.to > r.to ? x.to : r.to;
                wider = true;
            }
        }
        more = true;
    }
    return r;
}

/* The block that has made the pages of a managed variable; NULL: none yet. */
static const tc_memory_block *maker_of(tc_server *s, const tc_memory_block *b) {
    bool more = true;
    for (int i = 0; more; i++) {
        const tc_memory_block *x = managed_at(s, i, &more);
        if (x && x->pages && b->m.address - x->from < x->mapped) {
            return x;
        }
    }
    return NULL;
}

/* The pages of a managed variable and of its neighbours, made when the host
 * first names one of them. */
static int share(tc_server *s, tc_memory_block *b) {
    bool more = true;
    if (maker_of(s, b)) {
        return b->m.shared ? TC_CUDA_SUCCESS : TC_CUDA_MEMORY_ALLOCATION;
    }
    page_range r = group_of(s, pages_of(&b->m));
    b->from = r.from;
    b->fd = tc_pages_new(r.to - r.from, &b->pages, &b->mapped);
    for (int i = 0; more && b->fd >= 0; i++) {
        tc_memory_block *x = managed_at(s, i, &more);
        if (x && x->m.address - r.from < r.to - r.from) {
            x->m.shared = b->pages + (x->m.address - r.from);
            if (!s->v->alloc(s->device, &x->m)) {
                x->m.shared = NULL;
            }
        }
    }
    return b->m.shared ? TC_CUDA_SUCCESS : TC_CUDA_MEMORY_ALLOCATION;
}

int tc_call_VARIABLE(tc_server *s, tc_exchange *x) {
    const tc_ptx_symbol *y = find_symbol(s, tc_serve_name(s, x));
    tc_rt_variable v = {0};
    if (!y || !s->v->symbol(s->device, y, &v.address)) {
        return TC_CUDA_INVALID_SYMBOL;
    }
    tc_memory_block *b = tc_memory_find(s->memory, v.address);
    v.bytes = y->size;
    v.constant = y->space == TC_PS_CONST;
    v.managed = y->managed;
    if (y->managed) {
        int error = tc_task_shares(s, x->call.where);
        error = error ? error : b ? share(s, b) : TC_CUDA_NOT_SUPPORTED;
        if (error) {
            return error;
        }
        const tc_memory_block *maker = maker_of(s, b);
        v.map = maker->from;
        v.map_bytes = maker->mapped;
        x->descriptor = maker->fd;
    }
    memcpy(x->answer, &v, sizeof v);
    x->bytes = sizeof v;
    return TC_CUDA_SUCCESS;
}

/* ---- boxes ---- */

/* One side of a copy: depth planes of height rows. */
typedef struct box {
    uint64_t address, pitch, slice;
    uint64_t width, height, depth;
} box;

/* Is all of it within one block? Rows do not overlap. */
static int check_box(tc_server *s, const box *b) {
    uint64_t plane, last, all;
    if ((b->height > 1 || b->depth > 1) && b->pitch < b->width) {
        return TC_CUDA_INVALID_PITCH;
    }
    if (__builtin_mul_overflow(b->height - 1, b->pitch, &plane) ||
        __builtin_add_overflow(plane, b->width, &plane) ||
        (b->depth > 1 && b->slice < plane) ||
        __builtin_mul_overflow(b->depth - 1, b->slice, &last) ||
        __builtin_add_overflow(last, plane, &all) ||
        !tc_memory_within(s->memory, b->address, all)) {
        return TC_CUDA_INVALID_VALUE;
    }
    return TC_CUDA_SUCCESS;
}

static bool is_empty(const tc_rt_copy *c) {
    return c->width == 0 || c->height == 0 || c->depth == 0;
}

static box destination(const tc_rt_copy *c) {
    return (box){c->dst,   c->dst_pitch, c->dst_slice,
                 c->width, c->height,    c->depth};
}

static box source(const tc_rt_copy *c) {
    return (box){c->src,   c->src_pitch, c->src_slice,
                 c->width, c->height,    c->depth};
}

/* Rows that follow each other are one. */
static void flatten(box *b) {
    if (b->pitch == b->width) {
        bool dense = b->depth == 1 || b->slice == b->width * b->height;
        b->width *= b->height;
        b->height = 1;
        if (dense) {
            b->width *= b->depth;
            b->depth = 1;
        }
    }
}

static uint64_t row_at(const box *b, uint64_t i) {
    return b->address + i / b->height * b->slice + i % b->height * b->pitch;
}

/* All that lies between its first byte and its last one. */
static uint64_t span_of(const box *b) {
    return (b->depth - 1) * b->slice + (b->height - 1) * b->pitch + b->width;
}

/* ---- the host's bytes ---- */

static bool write_row(tc_server *s, uint64_t to, uint64_t bytes) {
    uint8_t *p = s->v->bytes ? s->v->bytes(s->device, to, bytes, true) : NULL;
    if (p) {
        return tc_serve_read(s, p, bytes);
    }
    while (bytes) {
        size_t n = bytes < TC_STAGING ? (size_t)bytes : TC_STAGING;
        if (!tc_serve_read(s, s->staging, n)) {
            return false;
        }
        s->v->write(s->device, to, s->staging, n);
        to += n;
        bytes -= n;
    }
    return true;
}

/* ---- order ---- */

static void touches(tc_server *s, const box *b, bool write) {
    tc_serve_touch(s,
                   &(tc_serve_rows){b->address, b->pitch, b->slice, b->width,
                                    b->height, b->depth},
                   write);
}

static void begin_copy(tc_server *s, const tc_exchange *x,
                       const tc_rt_copy *c) {
    box to = destination(c), from = source(c);
    tc_serve_begin(s, x, TC_STREAM_COPY);
    touches(s, &from, false);
    touches(s, &to, true);
}

/* The rows are read off the socket whatever is wrong with the call. */
static int copied(tc_server *s, tc_device_copy how, const box *b) {
    if (s->v->copied) {
        s->v->copied(s->device, how, b->width * b->height * b->depth);
    }
    return TC_CUDA_SUCCESS;
}

int tc_call_WRITE(tc_server *s, tc_exchange *x) {
    tc_rt_copy c;
    memcpy(&c, x->payload, sizeof c);
    uint64_t left = x->call.bytes - sizeof c;
    box b = destination(&c);
    int error = s->sticky      ? s->sticky
                : is_empty(&c) ? TC_CUDA_SUCCESS
                               : check_box(s, &b);
    if (!error && !is_empty(&c) && left != c.width * c.height * c.depth) {
        error = TC_CUDA_INVALID_VALUE;
    }
    if (!error && !is_empty(&c)) {
        error = tc_task_writes(s, b.address, span_of(&b), x->call.where);
    }
    if (error || is_empty(&c)) {
        tc_serve_skip(s, left);
        return error;
    }
    begin_copy(s, x, &c);
    flatten(&b);
    for (uint64_t i = 0; i < b.height * b.depth; i++) {
        if (!write_row(s, row_at(&b, i), b.width)) {
            return TC_CUDA_INVALID_VALUE;
        }
    }
    return copied(s, TC_COPY_HOST, &b);
}

static bool read_row(tc_server *s, uint64_t from, uint64_t bytes) {
    uint8_t *p =
        s->v->bytes ? s->v->bytes(s->device, from, bytes, false) : NULL;
    if (p) {
        return tc_serve_write(s, p, bytes);
    }
    while (bytes) {
        size_t n = bytes < TC_STAGING ? (size_t)bytes : TC_STAGING;
        if (!s->v->read(s->device, s->staging, from, n)) {
            memset(s->staging, 0, n);
        }
        if (!tc_serve_write(s, s->staging, n)) {
            return false;
        }
        from += n;
        bytes -= n;
    }
    return true;
}

int tc_call_READ(tc_server *s, tc_exchange *x) {
    tc_rt_copy c;
    memcpy(&c, x->payload, sizeof c);
    box b = source(&c);
    int error = is_empty(&c) ? TC_CUDA_SUCCESS : check_box(s, &b);
    if (!error && !is_empty(&c)) {
        error = tc_task_reads(s, b.address, span_of(&b), x->call.where);
    }
    if (error || is_empty(&c)) {
        return error;
    }
    begin_copy(s, x, &c);
    flatten(&b);
    x->sent = true;
    if (!tc_serve_answer(s, TC_CUDA_SUCCESS, b.width * b.height * b.depth,
                         -1)) {
        return TC_CUDA_SUCCESS;
    }
    for (uint64_t i = 0; i < b.height * b.depth; i++) {
        if (!read_row(s, row_at(&b, i), b.width)) {
            break;
        }
    }
    return copied(s, TC_COPY_HOST, &b);
}

/* ---- within the device ---- */

int tc_call_MOVE(tc_server *s, tc_exchange *x) {
    tc_rt_copy c;
    memcpy(&c, x->payload, sizeof c);
    box to = destination(&c), from = source(&c);
    if (is_empty(&c)) {
        return TC_CUDA_SUCCESS;
    }
    int error = check_box(s, &to);
    error = error ? error : check_box(s, &from);
    error = error ? error
                  : tc_task_writes(s, to.address, span_of(&to), x->call.where);
    error = error
                ? error
                : tc_task_moves(s, from.address, span_of(&from), x->call.where);
    if (error) {
        return error;
    }
    begin_copy(s, x, &c);
    box flat_to = to, flat_from = from;
    flatten(&flat_to);
    flatten(&flat_from);
    if (flat_to.width == flat_from.width &&
        flat_to.height == flat_from.height) {
        to = flat_to;
        from = flat_from;
    }
    for (uint64_t i = 0; i < to.height * to.depth; i++) {
        if (!s->v->move(s->device, row_at(&to, i), row_at(&from, i),
                        to.width)) {
            return TC_CUDA_INVALID_VALUE;
        }
    }
    return copied(s, TC_COPY_DEVICE, &to);
}

int tc_call_SET(tc_server *s, tc_exchange *x) {
    tc_rt_copy c;
    memcpy(&c, x->payload, sizeof c);
    box b = destination(&c);
    if (c.value_bytes != 1) {
        return TC_CUDA_INVALID_VALUE;
    }
    int error = is_empty(&c) ? TC_CUDA_SUCCESS : check_box(s, &b);
    if (!error && !is_empty(&c)) {
        error = tc_task_fills(s, b.address, span_of(&b),
                              b.width * b.height * b.depth,
                              (int)(c.value & 0xFF), x->call.where);
    }
    if (error || is_empty(&c)) {
        return error;
    }
    tc_serve_begin(s, x, TC_STREAM_FILL);
    touches(s, &b, true);
    flatten(&b);
    for (uint64_t i = 0; i < b.height * b.depth; i++) {
        if (!s->v->set(s->device, row_at(&b, i), (int)(c.value & 0xFF),
                       b.width)) {
            return TC_CUDA_INVALID_VALUE;
        }
    }
    return copied(s, TC_COPY_FILL, &b);
}
