/* calls_order.c - what the program's calls mean for the order of its streams, and
 * what is said where there is none. */
#include "runtime/serve.h"
#include <stdio.h>
#include <string.h>

/* ---- findings ---- */

/* "byte 16 of an allocation of 4096 bytes". */
static void place_of(const tc_server *s, uint64_t address, char *out,
                     size_t size) {
    const tc_memory_block *b = tc_memory_find(s->memory, address);
    if (b && *b->m.name) {
        snprintf(out, size, "%.80s, from byte %llu on", b->m.name,
                 (unsigned long long)(address - b->m.address));
    } else if (b) {
        snprintf(out, size, "byte %llu of an allocation of %llu bytes",
                 (unsigned long long)(address - b->m.address),
                 (unsigned long long)b->m.bytes);
    } else {
        snprintf(out, size, "0x%llx", (unsigned long long)address);
    }
}

static const char *const nouns[] = {[TC_STREAM_KERNEL] = "kernel",
                                    [TC_STREAM_COPY] = "copy",
                                    [TC_STREAM_FILL] = "memset",
                                    [TC_STREAM_ALLOC] = "cudaMallocAsync()",
                                    [TC_STREAM_FREE] = "cudaFreeAsync()"};

static const char *does(const tc_stream_op *op, bool writes) {
    return op->what == TC_STREAM_FREE    ? "frees"
           : op->what == TC_STREAM_ALLOC ? "allocates"
           : writes                      ? "writes"
                                         : "reads";
}

static void tell_streams(tc_server *s, const tc_stream_race *r) {
    char text[640], place[160];
    place_of(s, r->address, place, sizeof place);
    snprintf(text, sizeof text,
             "this %s %s %s, which the %s before %s in another stream: "
             "nothing orders the two, so that they may run at once. "
             "cudaStreamWaitEvent() makes this stream wait for an event that "
             "is recorded after the other one",
             nouns[r->op->what], does(r->op, r->writes), place,
             nouns[r->before->what], does(r->before, r->wrote));
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_STREAM_RACE,
                                           .message = text,
                                           .where = r->op->where,
                                           .cause = r->before->where});
}

static void tell_host(tc_server *s, const tc_stream_race *r) {
    char text[640], place[160];
    place_of(s, r->address, place, sizeof place);
    snprintf(text, sizeof text,
             "host code %s page-locked memory (%s) while the %s that was "
             "started before may still %s it: cudaStreamSynchronize(), or "
             "another call that waits, comes first",
             r->writes ? "writes to" : "reads", place, nouns[r->before->what],
             r->wrote ? "write" : "read");
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_MISSING_SYNC,
                                           .message = text,
                                           .where = r->where,
                                           .cause = r->before->where});
}

static void found(void *user, const tc_stream_race *r) {
    if (r->op) {
        tell_streams(user, r);
    } else {
        tell_host(user, r);
    }
}

void tc_serve_host_touch(tc_server *s, const tc_rt_note *n, uint64_t where) {
    if (s->order) {
        tc_stream_host_touch(s->order, n->address, n->write, where);
    }
}

/* ---- operations ---- */

void tc_serve_begin(tc_server *s, const tc_exchange *x, tc_stream_what what) {
    if (s->order) {
        tc_stream_begin(s->order, &(tc_stream_op){.what = what,
                                                  .stream = x->call.stream,
                                                  .where = x->call.where});
    }
}

static void touch_bytes(tc_server *s, uint64_t address, uint64_t bytes,
                        uint32_t how) {
    const tc_memory_block *b = tc_memory_find(s->memory, address);
    if (b && tc_memory_within(s->memory, address, bytes)) {
        tc_stream_touch(s->order, address, bytes, how, b->m.kind == TC_RT_HOST);
    }
}

void tc_serve_touch(tc_server *s, const tc_serve_rows *r, bool write) {
    uint32_t how = write ? TC_SIM_WRITES : TC_SIM_READS;
    if (!s->order) {
        return;
    }
    for (uint64_t z = 0; z < r->depth; z++) {
        uint64_t plane = r->address + z * r->slice;
        if (r->pitch == r->width) {
            touch_bytes(s, plane, r->width * r->height, how);
            continue;
        }
        for (uint64_t y = 0; y < r->height; y++) {
            touch_bytes(s, plane + y * r->pitch, r->width, how);
        }
    }
}

static void touched(void *user, uint64_t address, uint64_t bytes,
                    uint32_t how) {
    tc_server *s = user;
    const tc_memory_block *b = tc_memory_find(s->memory, address);
    if (b) {
        tc_stream_touch(s->order, address, bytes, how, b->m.kind == TC_RT_HOST);
    }
}

tc_sim_touched_fn *tc_serve_touched(const tc_server *s) {
    return s->order ? touched : NULL;
}

/* ---- the program's word ---- */

static void of_memory(tc_server *s, const tc_exchange *x, uint64_t address,
                      tc_stream_what what) {
    const tc_memory_block *b = tc_memory_find(s->memory, address);
    if (b && !b->symbol && b->m.address == address) {
        tc_serve_begin(s, x, what);
        tc_stream_touch(s->order, address, b->m.bytes, TC_SIM_WRITES, false);
    }
}

static void obey(tc_server *s, const tc_exchange *x, const tc_rt_order *o) {
    switch (o->what) {
    case TC_RT_ORDER_MADE:
        tc_stream_made(s->order, o->stream, o->id == 0);
        break;
    case TC_RT_ORDER_GONE:
        tc_stream_gone(s->order, o->stream);
        break;
    case TC_RT_ORDER_RECORD:
        tc_stream_record(s->order, o->stream, o->id);
        break;
    case TC_RT_ORDER_AFTER:
        tc_stream_after(s->order, o->stream, o->id);
        break;
    case TC_RT_ORDER_FORGET:
        tc_stream_forget_event(s->order, o->id);
        break;
    case TC_RT_ORDER_STREAM:
        tc_stream_host_stream(s->order, o->stream);
        break;
    case TC_RT_ORDER_EVENT:
        tc_stream_host_event(s->order, o->id);
        break;
    case TC_RT_ORDER_ALL:
        tc_stream_host_all(s->order);
        break;
    case TC_RT_ORDER_ALLOC:
        of_memory(s, x, o->id, TC_STREAM_ALLOC);
        break;
    case TC_RT_ORDER_FREE:
        of_memory(s, x, o->id, TC_STREAM_FREE);
        break;
    default:
        break;
    }
}

static size_t answer(const tc_server *s, uint8_t *out) {
    int n;
    const tc_stream_flight *f = tc_stream_flights(s->order, &n);
    if (n > TC_RT_FLIGHTS) {
        return 0; /* the host is not watched then */
    }
    for (int i = 0; i < n; i++) {
        tc_rt_flight a = {f[i].address, f[i].bytes, f[i].write};
        memcpy(out + (size_t)i * sizeof a, &a, sizeof a);
    }
    return (size_t)n * sizeof(tc_rt_flight);
}

/* A GPU executes as it likes; what a task's program does is its task's. */
int tc_call_ORDER(tc_server *s, tc_exchange *x) {
    tc_rt_order o;
    memcpy(&o, x->payload, sizeof o);
    bool asked =
        s->o->device.sim.hazards && !s->o->task && s->v != &tc_device_gpu;
    if (!asked || s->sticky) {
        return s->sticky;
    }
    if (!s->order) {
        s->order = tc_stream_order_new(found, s);
    }
    obey(s, x, &o);
    x->bytes = answer(s, x->answer);
    return TC_CUDA_SUCCESS;
}
