/* server.c - runs a program and answers its calls, one after the other. */
#include "runtime/serve.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the socket ---- */

static bool stopped(tc_server *s, tc_process_stop stop) {
    switch (stop) {
    case TC_PROCESS_GOES_ON:
        return false;
    case TC_PROCESS_LIMIT:
        tc_serve_limited(s, "the program");
        return true;
    case TC_PROCESS_CANCELLED:
        tc_serve_end(s, TC_PROGRAM_CANCELLED, "the program was interrupted");
        return true;
    default:
        s->over = true;
        return true;
    }
}

void tc_serve_limited(tc_server *s, const char *what) {
    const tc_limits *l = &s->process.budget.limits;
    switch (s->process.budget.end) {
    case TC_BUDGET_TIME:
        tc_serve_end(s, TC_PROGRAM_TIMEOUT,
                     "%s took more than %g s of processor time", what,
                     l->cpu_s);
        break;
    case TC_BUDGET_MEMORY:
        tc_serve_end(s, TC_PROGRAM_LIMIT,
                     "memory limit: %s, with what the simulator keeps of it, "
                     "took more than %llu MiB of this machine's memory",
                     what, (unsigned long long)(l->memory >> 20));
        break;
    case TC_BUDGET_PROCESSES:
        tc_serve_end(s, TC_PROGRAM_LIMIT,
                     "process limit: %s started more than %d processes", what,
                     (int)TC_BUDGET_MOST);
        break;
    default:
        tc_serve_end(s, TC_PROGRAM_TIMEOUT, "%s took longer than %g s", what,
                     l->wall_s);
        break;
    }
}

bool tc_serve_read(tc_server *s, void *to, size_t bytes) {
    return !s->over && !stopped(s, tc_process_read(&s->process, to, bytes));
}

bool tc_serve_write(tc_server *s, const void *from, size_t bytes) {
    return !s->over &&
           !stopped(s, tc_process_write(&s->process, from, bytes, -1));
}

bool tc_serve_skip(tc_server *s, uint64_t bytes) {
    while (bytes) {
        size_t n = bytes < TC_STAGING ? (size_t)bytes : TC_STAGING;
        if (!tc_serve_read(s, s->staging, n)) {
            return false;
        }
        bytes -= n;
    }
    return true;
}

bool tc_serve_answer(tc_server *s, int error, uint64_t bytes, int descriptor) {
    tc_rt_answer a = {
        .error = error, .descriptor = descriptor >= 0, .bytes = bytes};
    return !s->over &&
           !stopped(s, tc_process_write(&s->process, &a, sizeof a, descriptor));
}

void tc_serve_end(tc_server *s, tc_program_end end, const char *fmt, ...) {
    va_list ap;
    s->over = true;
    s->out->end = end;
    va_start(ap, fmt);
    vsnprintf(s->out->why, sizeof s->out->why, fmt, ap);
    va_end(ap);
}

const tc_host_row tc_host_rows[] = {
#define TC_HOST_FINDING(id, name, counts) {name, TC_HOST_##counts},
#include "runtime/host_findings.def"
};

void tc_serve_misused(tc_server *s, const tc_host_finding *f) {
    if (s->o->misused) {
        s->o->misused(s->o->user, f);
    }
}

/* ---- calls ---- */

#define CHARS_AFTER(type) sizeof(type), sizeof(type) + TC_SMALL / 2
#define EXACTLY(type)     sizeof(type), sizeof(type)

/* How long a call's payload may be, and what a fault before it leaves. */
typedef struct call_row {
    tc_call_fn *fn;
    uint64_t least, most;
    bool early;  /* may come before HELLO */
    bool always; /* is served after a fault, too */
} call_row;

static const call_row rows[TC_RT_CALL_COUNT] = {
    [TC_RT_HELLO] = {tc_call_HELLO, EXACTLY(tc_rt_hello), true, true},
    [TC_RT_FUNCTION] = {tc_call_FUNCTION, 1, TC_SMALL, false, false},
    [TC_RT_VARIABLE] = {tc_call_VARIABLE, 1, TC_SMALL, false, false},
    [TC_RT_ALLOC] = {tc_call_ALLOC, EXACTLY(tc_rt_alloc), false, false},
    [TC_RT_FREE] = {tc_call_FREE, EXACTLY(tc_rt_alloc), false, false},
    [TC_RT_WRITE] = {tc_call_WRITE, sizeof(tc_rt_copy), UINT64_MAX, false,
                     true},
    [TC_RT_READ] = {tc_call_READ, EXACTLY(tc_rt_copy), false, false},
    [TC_RT_MOVE] = {tc_call_MOVE, EXACTLY(tc_rt_copy), false, false},
    [TC_RT_SET] = {tc_call_SET, EXACTLY(tc_rt_copy), false, false},
    [TC_RT_FIND] = {tc_call_FIND, EXACTLY(tc_rt_alloc), false, false},
    [TC_RT_LAUNCH] = {tc_call_LAUNCH, CHARS_AFTER(tc_rt_launch), false, false},
    [TC_RT_SYNC] = {tc_call_SYNC, 0, 0, false, true},
    [TC_RT_TIME] = {tc_call_TIME, 0, 0, false, false},
    [TC_RT_LIMIT] = {tc_call_LIMIT, EXACTLY(tc_rt_limit), false, false},
    [TC_RT_OCCUPANCY] = {tc_call_OCCUPANCY, EXACTLY(tc_rt_occupancy), false,
                         false},
    [TC_RT_TENSOR_MAP] = {tc_call_TENSOR_MAP, EXACTLY(tc_rt_tensor_map), false,
                          false},
    [TC_RT_TEXTURE] = {tc_call_TEXTURE, EXACTLY(tc_rt_texture), false, false},
    [TC_RT_DROP_TEXTURE] = {tc_call_DROP_TEXTURE, EXACTLY(tc_rt_texture_handle),
                            false, false},
    [TC_RT_BLAS] = {tc_call_BLAS, EXACTLY(tc_rt_blas), false, false},
    [TC_RT_RESET] = {tc_call_RESET, 0, 0, false, false},
    [TC_RT_NOTE] = {tc_call_NOTE, CHARS_AFTER(tc_rt_note), false, true},
    [TC_RT_BYE] = {tc_call_BYE, EXACTLY(tc_rt_bye), false, true},
    [TC_RT_ENTER] = {tc_call_ENTER, 0, 0, false, false},
    [TC_RT_LEAVE] = {tc_call_LEAVE, EXACTLY(int32_t), false, true},
    [TC_RT_ORDER] = {tc_call_ORDER, EXACTLY(tc_rt_order), false, true},
};

static void garbled(tc_server *s, const char *what) {
    tc_serve_end(s, TC_PROGRAM_GARBLED,
                 "the program does not speak as our runtime in it does (%s)",
                 what);
}

/* The call is one, at its time, and of a length that it can have. */
static bool check(tc_server *s, const tc_rt_call *c) {
    const call_row *r = c->name < TC_RT_CALL_COUNT ? &rows[c->name] : NULL;
    if (!r) {
        garbled(s, "an unknown call");
    } else if (c->bytes < r->least || c->bytes > r->most) {
        garbled(s, "a call of the wrong length");
    } else if (!s->device && !r->early) {
        garbled(s, "a call before the first one");
    }
    return !s->over;
}

static void serve_one(tc_server *s, uint8_t *payload, uint8_t *answer) {
    tc_exchange x = {.payload = payload, .answer = answer, .descriptor = -1};
    if (!tc_serve_read(s, &x.call, sizeof x.call) || !check(s, &x.call)) {
        return;
    }
    const call_row *r = &rows[x.call.name];
    size_t now =
        r->most == UINT64_MAX ? (size_t)r->least : (size_t)x.call.bytes;
    if (!tc_serve_read(s, payload, now)) {
        return;
    }
    payload[now] = 0; /* names end there */
    int error = s->sticky && !r->always ? s->sticky : r->fn(s, &x);
    if (!s->over && !x.sent &&
        tc_serve_answer(s, error, x.bytes, x.descriptor)) {
        tc_serve_write(s, answer, x.bytes);
    }
    if (x.closes && x.descriptor >= 0) {
        close(x.descriptor);
    }
}

/* ---- the program ---- */

static void serve(tc_server *s) {
    uint8_t *payload = tc_xmalloc(2 * TC_SMALL + 1);
    uint8_t *answer = tc_xmalloc(TC_SMALL);
    s->staging = tc_xmalloc(TC_STAGING);
    while (!s->over) {
        serve_one(s, payload, answer);
    }
    free(payload);
    free(answer);
    free(s->staging);
}

/* The program has closed its socket, or has ended, and we had no reason to stop
 * it. */
static void await(tc_server *s) {
    stopped(s, tc_process_wait(&s->process));
    s->over = true;
}

static void describe_end(const tc_process *p, tc_program_result *out) {
    if (WIFSIGNALED(p->status)) {
        out->end = TC_PROGRAM_SIGNALLED;
        out->status = WTERMSIG(p->status);
        snprintf(out->why, sizeof out->why,
                 "the program ended by signal %d, %s", out->status,
                 strsignal(out->status));
    } else {
        out->status = WEXITSTATUS(p->status);
    }
}

bool tc_program_freed(const tc_program_launch *l, uint64_t address,
                      tc_device_memory *was, uint64_t *freed) {
    const tc_freed *f = tc_memory_freed(l->known, address);
    if (f) {
        *was = (tc_device_memory){.address = f->address,
                                  .bytes = f->bytes,
                                  .kind = f->kind,
                                  .name = "",
                                  .where = f->made};
        *freed = f->freed;
    }
    return f != NULL;
}

void tc_program_run(const tc_program_options *o, tc_program_result *out) {
    tc_server s = {.o = o, .out = out, .v = o->backend};
    *out = (tc_program_result){.end = TC_PROGRAM_EXITED};
    if (!tc_process_start(&s.process, o, out->why, sizeof out->why)) {
        out->end = TC_PROGRAM_MACHINE;
        return;
    }
    s.watch = tc_watch_new(&s.process, o->backend != &tc_device_sim);
    if (o->task && o->task->copy.bytes &&
        !tc_task_measure_copy(o, out->why, sizeof out->why)) {
        out->end = TC_PROGRAM_MACHINE;
        s.over = true;
    }
    serve(&s);
    if (out->end == TC_PROGRAM_EXITED) {
        await(&s);
    }
    tc_watch_free(s.watch);
    out->taken_s = tc_process_end(&s.process);
    if (out->end == TC_PROGRAM_EXITED) {
        describe_end(&s.process, out);
    }
    tc_serve_close(&s);
    tc_buf_free(&s.text);
}
