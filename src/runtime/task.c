/* task.c - the calls that a task has: their memory, and what the program's host
 * side may do to it while they go on. */
#include "runtime/serve.h"
#include <string.h>

enum { NOT_PERMITTED = 800 /* cudaErrorNotPermitted */ };

/* The call under way, or NULL. */
static tc_task_call *under_way(const tc_server *s) {
    const tc_given_task *t = s->o->task;
    tc_task_call *c = t && t->next > 0 ? &t->calls[t->next - 1] : NULL;
    return c && c->entered && !c->left ? c : NULL;
}

static int refuse(tc_server *s, tc_task_act act, int buffer, uint64_t where) {
    const tc_given_task *t = s->o->task;
    tc_task_call *c = &t->calls[t->next > 0 ? t->next - 1 : 0];
    if (c->acts[act]++ == 0) {
        c->where[act] = where;
        c->buffer[act] = buffer;
    }
    return NOT_PERMITTED;
}

/* The call's buffer that has one of these bytes, or -1. */
static int buffer_at(const tc_server *s, uint64_t address, uint64_t bytes) {
    const tc_task_call *c = under_way(s);
    for (int i = 0; c && i < c->nbuffers; i++) {
        const tc_task_buffer *b = &c->buffers[i];
        if (b->address && address < b->address + b->bytes + 2 * b->guard &&
            b->address < address + bytes) {
            return i;
        }
    }
    return -1;
}

int tc_task_reads(tc_server *s, uint64_t address, uint64_t bytes,
                  uint64_t where) {
    tc_given_task *t = s->o->task;
    if (!t) {
        return TC_CUDA_SUCCESS;
    }
    int i = buffer_at(s, address, bytes);
    if (i >= 0) {
        return refuse(s, TC_TASK_READ_BUFFER, i, where);
    }
    if (bytes > TC_TASK_READ || t->read + bytes > TC_TASK_READ) {
        return refuse(s, TC_TASK_READ_MUCH, -1, where);
    }
    t->read += bytes;
    return TC_CUDA_SUCCESS;
}

int tc_task_writes(tc_server *s, uint64_t address, uint64_t bytes,
                   uint64_t where) {
    int i = s->o->task ? buffer_at(s, address, bytes) : -1;
    return i >= 0 ? refuse(s, TC_TASK_WROTE_BUFFER, i, where) : TC_CUDA_SUCCESS;
}

/* What kernels move is counted and timed; what the host has copied is not. */
int tc_task_moves(tc_server *s, uint64_t address, uint64_t bytes,
                  uint64_t where) {
    int i = s->o->task ? buffer_at(s, address, bytes) : -1;
    return i >= 0 ? refuse(s, TC_TASK_MOVED_BUFFER, i, where) : TC_CUDA_SUCCESS;
}

/* A buffer may be cleared, or filled whole. Parts of it with bytes of the host's
 * choice would be any result. That an input changes the judge sees. */
int tc_task_fills(tc_server *s, uint64_t address, uint64_t bytes,
                  uint64_t filled, int value, uint64_t where) {
    int i = s->o->task ? buffer_at(s, address, bytes) : -1;
    bool whole = i >= 0 && filled >= under_way(s)->buffers[i].bytes;
    return i >= 0 && value != 0 && !whole
               ? refuse(s, TC_TASK_WROTE_BUFFER, i, where)
               : TC_CUDA_SUCCESS;
}

int tc_task_shares(tc_server *s, uint64_t where) {
    return s->o->task ? refuse(s, TC_TASK_SHARED, -1, where) : TC_CUDA_SUCCESS;
}

int tc_task_frees(tc_server *s, uint64_t address, uint64_t where) {
    int i = s->o->task ? buffer_at(s, address, 1) : -1;
    return i >= 0 ? refuse(s, TC_TASK_FREED, i, where) : TC_CUDA_SUCCESS;
}

int tc_task_resets(tc_server *s, uint64_t where) {
    return s->o->task && under_way(s) ? refuse(s, TC_TASK_FREED, -1, where)
                                      : TC_CUDA_SUCCESS;
}

int tc_task_launches(tc_server *s, uint64_t where) {
    const tc_given_task *t = s->o->task;
    tc_task_call *c = under_way(s);
    if (c && t->most_launches && c->launches >= t->most_launches) {
        return refuse(s, TC_TASK_LAUNCHES, -1, where);
    }
    if (c) {
        c->launches++;
    }
    return TC_CUDA_SUCCESS;
}

int tc_task_results(const tc_server *s, tc_sim_range out[TC_TASK_VALUES]) {
    const tc_task_call *c = under_way(s);
    int n = 0;
    for (int i = 0; c && i < c->nbuffers && n < TC_TASK_VALUES; i++) {
        const tc_task_buffer *b = &c->buffers[i];
        if (b->result) {
            out[n++] = (tc_sim_range){b->address + b->guard, b->bytes};
        }
    }
    return n;
}

void tc_task_launched(tc_server *s, const tc_device_launched *done) {
    tc_task_call *c = under_way(s);
    if (c && done->simulated) {
        double part = done->sim.part;
        c->cut |= done->sim.cut;
        c->part = c->part == 0 || part < c->part ? part : c->part;
    }
}

/* ---- a call's begin and end ---- */

/* Memory that the host has just written is cold: its pages are not in the GPU's
 * TLBs. What repeats is copied onto itself, which changes nothing, so that calls
 * are measured warm, as the copy is that they are compared with. */
static bool warm(tc_server *s, const tc_task_buffer *b) {
    uint64_t half = b->period ? b->bytes / 2 / b->period * b->period : 0;
    uint64_t at = b->address + b->guard;
    return half == 0 || s->v->move(s->device, at + half, at, half);
}

static bool give(tc_server *s, tc_task_buffer *b) {
    uint64_t all = b->bytes + 2 * b->guard;
    b->address = tc_serve_alloc(s, all, b->name, b->given ? b->after : NULL);
    if (b->given) {
        return b->address != 0;
    }
    return b->address && s->v->write(s->device, b->address, b->before, all) &&
           warm(s, b);
}

int tc_call_ENTER(tc_server *s, tc_exchange *x) {
    tc_given_task *t = s->o->task;
    if (!t || under_way(s) || t->next >= t->ncalls) {
        return TC_CUDA_INVALID_VALUE;
    }
    tc_task_call *c = &t->calls[t->next++];
    c->entered = true;
    c->first_launch = s->out->launches;
    for (int i = 0; i < c->nbuffers; i++) {
        if (!give(s, &c->buffers[i])) {
            tc_serve_end(s, TC_PROGRAM_MACHINE,
                         "there is no device memory for %s",
                         c->buffers[i].name);
            return TC_CUDA_MEMORY_ALLOCATION;
        }
    }
    for (int i = 0; i < c->nvalues; i++) {
        uint64_t v = c->values[i];
        if (c->pointer[i] >= 0) {
            const tc_task_buffer *b = &c->buffers[c->pointer[i]];
            v = b->address + b->guard;
        }
        memcpy(x->answer + 8 * i, &v, sizeof v);
    }
    x->bytes = 8 * (size_t)c->nvalues;
    return TC_CUDA_SUCCESS;
}

/* Is all there as it was? False: it cannot be read. */
static bool compare(tc_server *s, tc_task_buffer *b) {
    uint64_t all = b->bytes + 2 * b->guard;
    for (uint64_t at = 0; at < all && !b->changed; at += TC_STAGING) {
        size_t n = all - at < TC_STAGING ? (size_t)(all - at) : TC_STAGING;
        if (!s->v->read(s->device, s->staging, b->address + at, n)) {
            return false;
        }
        b->changed = memcmp(s->staging, b->before + at, n) != 0;
        b->changed_at = at;
        while (b->changed &&
               s->staging[b->changed_at - at] == b->before[b->changed_at]) {
            b->changed_at++;
        }
    }
    return true;
}

/* What was left is read here, and the memory goes: no later call sees it. */
static void take(tc_server *s, tc_task_call *c, tc_task_buffer *b) {
    uint64_t all = b->bytes + 2 * b->guard;
    const tc_memory_block *m = tc_memory_find(s->memory, b->address);
    bool there = m && m->m.address == b->address && m->m.bytes == all;
    if (!there ||
        !(b->given   ? true
          : b->after ? s->v->read(s->device, b->after, b->address, all)
                     : compare(s, b))) {
        c->lost = true;
    }
    if (there) {
        s->v->free(s->device, b->address);
        tc_memory_remove(s->memory, b->address, 0);
    }
}

int tc_call_LEAVE(tc_server *s, tc_exchange *x) {
    tc_task_call *c = under_way(s);
    int32_t error;
    memcpy(&error, x->payload, sizeof error);
    if (!c) {
        return TC_CUDA_INVALID_VALUE;
    }
    c->left = true;
    c->error = s->sticky ? s->sticky : error;
    for (int i = 0; i < c->nbuffers && !s->sticky; i++) {
        take(s, c, &c->buffers[i]);
    }
    return TC_CUDA_SUCCESS;
}
