/* calls.c - the calls about the device as a whole, and the host's misuse. */
#include "runtime/serve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening ---- */

enum { MOST_TEXT = 64 << 20 /* between two SYNCs */ };

static void print(void *user, const char *text, size_t n) {
    tc_server *s = user;
    if (s->text.len + n <= MOST_TEXT) {
        tc_buf_write(&s->text, text, n);
    } else if (!s->text_full) {
        s->text_full = true;
        tc_buf_puts(&s->text, "... kernels have printed more than 64 MiB: the "
                              "rest is lost\n");
    }
}

/* Kernels may use 48 KiB of shared memory until the host allows more. */
static void first_limits(tc_server *s) {
    const tc_ptx_module *m = s->o->device.module->ptx;
    s->limits = tc_xcalloc((size_t)m->nfuncs + 1, sizeof *s->limits);
    for (int i = 0; i < m->nfuncs; i++) {
        uint64_t most = s->facts.shared_cta, own = m->funcs[i].shared_bytes;
        s->limits[i].dynamic_shared = own < most ? (uint32_t)(most - own) : 0;
    }
}

/* Symbols are memory too: copies, and kernels, reach them by address. */
static void add_symbols(tc_server *s) {
    const tc_ptx_module *m = s->o->device.module->ptx;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        tc_memory_block b = {.symbol = true, .fd = -1};
        if ((y->space == TC_PS_GLOBAL || y->space == TC_PS_CONST) && y->size &&
            s->v->symbol(s->device, y, &b.m.address)) {
            b.m.bytes = y->size;
            b.m.name = y->name;
            b.m.kind = y->managed ? TC_RT_MANAGED : TC_RT_DEVICE;
            tc_memory_add(s->memory, &b);
        }
    }
}

bool tc_serve_open(tc_server *s, int *error) {
    tc_device_options o = s->o->device;
    char why[sizeof s->out->why];
    why[0] = 0;
    o.sim.print = print;
    o.sim.print_user = s;
    o.sim.cancel = tc_watch_flag(s->watch);
    if (s->o->task && s->o->task->sample) { /* values, at large addresses */
        o.sim.hazards = false;
    }
    tc_budget_hold(&s->process.budget, true); /* others may have the GPU */
    s->device = s->v->open(&o, why, sizeof why);
    tc_budget_hold(&s->process.budget, false);
    if (!s->device) {
        bool sim = strcmp(s->v->name, "sim") == 0;
        *error = sim ? TC_CUDA_INITIALIZATION : TC_CUDA_NO_DEVICE;
        tc_serve_end(s, sim ? TC_PROGRAM_NOT_STARTED : TC_PROGRAM_NO_GPU, "%s",
                     why);
        return false;
    }
    if (o.gpu) {
        tc_family_spare(&s->process.budget.family, tc_gpu_host_process(o.gpu));
    }
    s->v->facts(s->device, &s->facts);
    if (s->o->memory > 0 && s->o->memory < s->facts.memory_free) {
        s->facts.memory_free = s->o->memory;
    }
    uint64_t bytes = 0;
    uint64_t first = s->v->range ? s->v->range(s->device, &bytes) : 0;
    if (bytes == 0) {
        first = TC_RT_DEVICE_BASE + TC_DEVICE_OWN;
        bytes = TC_RT_DEVICE_SIZE - TC_DEVICE_OWN;
    }
    s->memory = tc_memory_new(first, bytes, s->facts.memory_free);
    first_limits(s);
    add_symbols(s);
    return true;
}

void tc_serve_close(tc_server *s) {
    if (s->device) {
        s->v->close(s->device);
    }
    tc_memory_free(s->memory);
    tc_stream_order_free(s->order);
    free(s->limits);
    s->order = NULL;
    s->device = NULL;
    s->memory = NULL;
    s->limits = NULL;
}

int tc_call_HELLO(tc_server *s, tc_exchange *x) {
    tc_rt_hello h;
    int error = TC_CUDA_SUCCESS;
    memcpy(&h, x->payload, sizeof h);
    if (h.version != TC_RT_VERSION || s->device) {
        tc_serve_end(s, TC_PROGRAM_GARBLED,
                     s->device ? "the program says hello twice"
                               : "the program is of another tilecopy-repl: "
                                 "build it again");
        return TC_CUDA_INITIALIZATION;
    }
    if (!tc_serve_open(s, &error)) {
        return error;
    }
    memcpy(x->answer, &s->facts, sizeof s->facts);
    x->bytes = sizeof s->facts;
    return TC_CUDA_SUCCESS;
}

/* ---- time and text ---- */

/* A task's program gets none of it: kernels could print what they were given. It
 * goes where that program's own output goes. */
static void print_beside(tc_server *s) {
    const char *at = s->text.data;
    for (size_t left = s->text.len; left > 0 && s->o->out > 0;) {
        ssize_t n = write(s->o->out, at, left);
        if (n <= 0) {
            break;
        }
        at += n;
        left -= (size_t)n;
    }
    tc_buf_clear(&s->text);
}

int tc_call_SYNC(tc_server *s, tc_exchange *x) {
    if (s->o->task) {
        print_beside(s);
    }
    x->sent = true;
    if (tc_serve_answer(s, s->sticky, s->text.len, -1)) {
        tc_serve_write(s, s->text.data, s->text.len);
    }
    tc_buf_clear(&s->text);
    s->text_full = false;
    return s->sticky;
}

int tc_call_TIME(tc_server *s, tc_exchange *x) {
    /* How long kernels take tells of what they were given. */
    double ms = s->o->task ? 0 : s->v->time_ms(s->device);
    memcpy(x->answer, &ms, sizeof ms);
    x->bytes = sizeof ms;
    return TC_CUDA_SUCCESS;
}

/* ---- ends ---- */

/* The device as it was at first: the module's variables have their initial
 * values again. Its time goes on from zero. */
int tc_call_RESET(tc_server *s, tc_exchange *x) {
    int error = tc_task_resets(s, x->call.where);
    if (error) {
        return error;
    }
    tc_serve_close(s);
    tc_serve_open(s, &error);
    return error;
}

/* "cudaErrorInvalidValue, invalid argument". */
static void name_error(int error, char *out, size_t size) {
    static const struct {
        int number;
        const char *name, *text;
    } all[] = {
#define X(name, number, text) {number, #name, text},
#include "runtime/stub/errors.def"
#undef X
    };
    snprintf(out, size, "CUDA error %d", error);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].number == error) {
            snprintf(out, size, "%s, %s", all[i].name, all[i].text);
            return;
        }
    }
}

static void tell_unchecked(tc_server *s, int error, uint64_t where) {
    char text[640], name[160];
    int i = where == s->refused_at[0] ? 0 : 1;
    bool known = where == s->refused_at[i] && *s->refusal[i];
    name_error(error, name, sizeof name);
    snprintf(text, sizeof text,
             "this launch failed (%s%s%s), and the program never asked: "
             "cudaGetLastError() after the launch tells",
             name, known ? ": " : "", known ? s->refusal[i] : "");
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_UNCHECKED,
                                           .message = text,
                                           .where = where});
}

static void tell_failed(tc_server *s, int error, const char *why, bool known,
                        uint64_t where) {
    char text[640], name[160];
    name_error(error, name, sizeof name);
    if (known && s->o->task) {
        return; /* a task's calls are its own */
    }
    if (known) {
        snprintf(text, sizeof text, "this call failed (%s): %.300s", name, why);
        tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_REFUSED,
                                               .message = text,
                                               .where = where});
        return;
    }
    snprintf(text, sizeof text,
             "this call did nothing (%s%s%.300s), and the program looked at "
             "neither its result nor cudaGetLastError()",
             name, *why ? ": " : "", why);
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_FAILED,
                                           .message = text,
                                           .where = where});
}

static void tell_leaks(tc_server *s) {
    static const char *const made[] = {[TC_RT_DEVICE] = "cudaMalloc",
                                       [TC_RT_MANAGED] = "cudaMallocManaged",
                                       [TC_RT_HOST] =
                                           "cudaMallocHost or cudaHostAlloc"};
    int n;
    const tc_device_memory *all = tc_memory_list(s->memory, &n);
    for (int i = 0; i < n; i++) {
        const tc_memory_block *b = tc_memory_find(s->memory, all[i].address);
        char text[160];
        if (!b || b->symbol) {
            continue;
        }
        snprintf(text, sizeof text,
                 "%llu bytes of %s memory are never freed before the program "
                 "ends",
                 (unsigned long long)b->m.bytes, made[b->m.kind]);
        tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_LEAK,
                                               .message = text,
                                               .where = b->m.where});
    }
}

/* What threads printed and nobody waited for is lost, as CUDA has it ("The
 * output buffer is not flushed automatically when the program exits"). */
int tc_call_BYE(tc_server *s, tc_exchange *x) {
    tc_rt_bye b;
    memcpy(&b, x->payload, sizeof b);
    if (s->device && !s->said_bye) {
        s->said_bye = true;
        if (b.unchecked) {
            tell_unchecked(s, b.unchecked, b.where);
        }
        if (!s->sticky) { /* else cudaFree could not have freed them */
            tell_leaks(s);
        }
    }
    return TC_CUDA_SUCCESS;
}

/* ---- misuse ---- */

static void tell_deref(tc_server *s, const tc_rt_note *n, uint64_t where) {
    char text[320];
    const tc_memory_block *b = tc_memory_find(s->memory, n->address);
    const tc_freed *f = b ? NULL : tc_memory_freed(s->memory, n->address);
    const char *does = n->write ? "writes to" : "reads";
    unsigned long long at = n->address;
    if (b) {
        snprintf(text, sizeof text,
                 "host code %s device memory (0x%llx, byte %llu of an "
                 "allocation of %llu bytes): only kernels can; "
                 "cudaMemcpy copies between host and device",
                 does, at, (unsigned long long)(n->address - b->m.address),
                 (unsigned long long)b->m.bytes);
    } else {
        snprintf(text, sizeof text,
                 "host code %s a device address (0x%llx), where %s", does, at,
                 f ? "memory was that has been freed" : "no memory is");
    }
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_DEREF,
                                           .message = text,
                                           .where = where,
                                           .cause = b   ? b->m.where
                                                    : f ? f->freed
                                                        : 0});
}

/* Has the program atomics that the host's are atomic with? */
static bool has_system_atomics(const tc_ptx_module *m) {
    for (int i = 0; i < m->nfuncs; i++) {
        for (uint32_t j = m->funcs[i].begin; j < m->funcs[i].end; j++) {
            const tc_ptx_op *op = &m->code[j];
            if ((op->opcode == TC_PTX_ATOM || op->opcode == TC_PTX_RED) &&
                op->scope == TC_PTX_SCOPE_SYS) {
                return true;
            }
        }
    }
    return false;
}

static void tell_missing_sync(tc_server *s, const tc_rt_note *n,
                              uint64_t where) {
    if (n->error && has_system_atomics(s->o->device.module->ptx)) {
        return; /* both sides' accesses may meet */
    }
    const tc_memory_block *host = tc_memory_find(s->memory, n->address);
    if (host && host->m.kind == TC_RT_HOST) {
        tc_serve_host_touch(s, n, where);
        return;
    }
    char text[320], place[96] = "";
    const tc_memory_block *b = tc_memory_find(s->memory, n->address);
    if (b) {
        snprintf(place, sizeof place,
                 " (byte %llu of an allocation of %llu bytes)",
                 (unsigned long long)(n->address - b->m.address),
                 (unsigned long long)b->m.bytes);
    }
    snprintf(text, sizeof text,
             "host code %s managed memory%s while a kernel that was launched "
             "before may still use it: cudaDeviceSynchronize() waits for its "
             "end",
             n->write ? "writes to" : "reads", place);
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_MISSING_SYNC,
                                           .message = text,
                                           .where = where,
                                           .cause = s->launched_at});
}

static void tell_double_free(tc_server *s, const tc_rt_note *n,
                             uint64_t where) {
    const tc_freed *f = tc_memory_freed(s->memory, n->address);
    char text[320];
    if (f) {
        snprintf(text, sizeof text,
                 "this frees %llu bytes of device memory (0x%llx) a second "
                 "time",
                 (unsigned long long)f->bytes, (unsigned long long)n->address);
    } else {
        snprintf(text, sizeof text,
                 "this frees device memory (0x%llx) a second time",
                 (unsigned long long)n->address);
    }
    tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_DOUBLE_FREE,
                                           .message = text,
                                           .where = where,
                                           .cause = f ? f->freed : 0});
}

/* The text is the program's: nothing that a terminal would obey. */
static void printable(char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        *text = c < ' ' || c > '~' ? '?' : (char)c;
    }
}

int tc_call_NOTE(tc_server *s, tc_exchange *x) {
    tc_rt_note n;
    char *text = (char *)x->payload + sizeof n;
    memcpy(&n, x->payload, sizeof n);
    printable(text);
    switch (n.misuse) {
    case TC_RT_NOTE_DOUBLE_FREE:
        tell_double_free(s, &n, x->call.where);
        break;
    case TC_RT_NOTE_DEREF:
        tell_deref(s, &n, x->call.where);
        break;
    case TC_RT_NOTE_MISSING_SYNC:
        tell_missing_sync(s, &n, x->call.where);
        break;
    case TC_RT_NOTE_UNCHECKED:
        tell_unchecked(s, (int)n.error, x->call.where);
        break;
    case TC_RT_NOTE_FAILED:
        tell_failed(s, (int)n.error, text, n.write != 0, x->call.where);
        break;
    case TC_RT_NOTE_DIRECTION:
        tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_DIRECTION,
                                               .message = text,
                                               .where = x->call.where});
        break;
    case TC_RT_NOTE_UNBUILT:
        tc_serve_misused(s, &(tc_host_finding){.kind = TC_HOST_UNBUILT,
                                               .message = text,
                                               .where = x->call.where});
        break;
    default:
        return TC_CUDA_INVALID_VALUE;
    }
    return TC_CUDA_SUCCESS;
}
