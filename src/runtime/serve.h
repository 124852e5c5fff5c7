/* serve.h - what server.c and the calls that it answers share. */
#ifndef TC_RUNTIME_SERVE_H
#define TC_RUNTIME_SERVE_H

#include "base/buf.h"
#include "runtime/memory.h"
#include "runtime/order/stream_order.h"
#include "runtime/process.h"

enum { /* cudaError_t, by name */
       TC_CUDA_SUCCESS = 0,
       TC_CUDA_INVALID_VALUE = 1,
       TC_CUDA_MEMORY_ALLOCATION = 2,
       TC_CUDA_INITIALIZATION = 3,
       TC_CUDA_INVALID_PITCH = 12,
       TC_CUDA_INVALID_SYMBOL = 13,
       TC_CUDA_INVALID_DEVICE_FUNCTION = 98,
       TC_CUDA_NO_DEVICE = 100,
       TC_CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
       TC_CUDA_COOPERATIVE_TOO_LARGE = 720,
       TC_CUDA_NOT_SUPPORTED = 801,
       TC_CUDA_INVALID_CLUSTER_SIZE = 912
};

/* What the host has set for a kernel (cudaFuncSetAttribute). */
typedef struct tc_kernel_limits {
    uint32_t dynamic_shared; /* the most; begins as 48 KiB less static */
    bool set, nonportable;
} tc_kernel_limits;

enum { TC_REFUSAL = 200 }; /* bytes of a reason */

typedef struct tc_server {
    const tc_program_options *o;
    tc_program_result *out;
    tc_process process;
    tc_watch *watch;
    const tc_device_vtable *v;
    tc_device *device; /* NULL before HELLO */
    tc_rt_device facts;
    tc_memory *memory;
    tc_stream_order *order;   /* NULL: nobody asks for it yet, or at all */
    tc_kernel_limits *limits; /* of the module's functions */
    int sticky;               /* a fault's error: every later call's answer */
    tc_buf text;              /* printed since the last SYNC */
    bool text_full;           /* and that is not all of it */
    uint8_t *staging;         /* for bytes on their way: TC_STAGING of them */
    bool over;                /* nothing is served any more: out says why */
    uint64_t launched_at;     /* the last launch, in the program's file */
    uint64_t refused_at[2];   /* the last launches that could not start, */
    char refusal[2][TC_REFUSAL]; /* the newest first, and why */
    bool said_bye;
} tc_server;

enum { TC_STAGING = 1 << 20, TC_SMALL = 1 << 16 };

/* A call while it is served. Answers are short but for READ and SYNC. */
typedef struct tc_exchange {
    tc_rt_call call;
    uint8_t *payload; /* NULL for WRITE: it reads its rows itself */
    uint8_t *answer;  /* TC_SMALL bytes of room */
    size_t bytes;     /* of the answer */
    int descriptor;   /* that goes along, or -1 */
    bool closes;      /* it is closed then */
    bool sent;        /* the callee has answered already */
} tc_exchange;

/* Each answers with a cudaError_t. The payload has the length that the table
 * of server.c demands. */
typedef int tc_call_fn(tc_server *s, tc_exchange *x);
#define X(name) tc_call_fn tc_call_##name;
TC_RT_CALLS(X)
#undef X

/* calls_kernel.c: the name in a FUNCTION's or VARIABLE's payload, as the one
 * text of all sources has it. */
const char *tc_serve_name(const tc_server *s, const tc_exchange *x);

/* server.c: as tc_process_*; they end the serving if the program is gone. */
bool tc_serve_read(tc_server *s, void *to, size_t bytes);
bool tc_serve_write(tc_server *s, const void *from, size_t bytes);
bool tc_serve_answer(tc_server *s, int error, uint64_t bytes, int descriptor);
bool tc_serve_skip(tc_server *s, uint64_t bytes);
/* Ends the serving: the program is killed. */
void tc_serve_end(tc_server *s, tc_program_end end, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, for the limit that has been passed. */
void tc_serve_limited(tc_server *s, const char *what);
void tc_serve_misused(tc_server *s, const tc_host_finding *f);

/* calls_memory.c: device memory for a call's buffer, in that storage where it is
 * not NULL (simulated). 0: there is none. */
uint64_t tc_serve_alloc(tc_server *s, uint64_t bytes, const char *name,
                        uint8_t *storage);

/* calls_order.c: an operation of the call's stream begins; the rest of a copy, in
 * pieces, is one of its own. */
void tc_serve_begin(tc_server *s, const tc_exchange *x, tc_stream_what what);
/* It reads or writes so much memory, if it is any that a device knows: rows. */
typedef struct tc_serve_rows {
    uint64_t address, pitch, slice, width, height, depth;
} tc_serve_rows;
void tc_serve_touch(tc_server *s, const tc_serve_rows *rows, bool write);
/* For a launch: what it touches. */
tc_sim_touched_fn *tc_serve_touched(const tc_server *s);
/* The host touches a byte of page-locked memory. */
void tc_serve_host_touch(tc_server *s, const tc_rt_note *n, uint64_t where);

/* calls.c: (re)opens what is made at HELLO. False, with an error. */
bool tc_serve_open(tc_server *s, int *error);
void tc_serve_close(tc_server *s);

/* task.c: may the host do so to these bytes? A cudaError_t, 0 where it may or
 * there is no task; what it may not is noted in the call under way. */
int tc_task_reads(tc_server *s, uint64_t address, uint64_t bytes,
                  uint64_t where);
int tc_task_writes(tc_server *s, uint64_t address, uint64_t bytes,
                   uint64_t where);
int tc_task_moves(tc_server *s, uint64_t address, uint64_t bytes,
                  uint64_t where);
/* `filled` of the bytes get that value. */
int tc_task_fills(tc_server *s, uint64_t address, uint64_t bytes,
                  uint64_t filled, int value, uint64_t where);
int tc_task_shares(tc_server *s, uint64_t where);
int tc_task_frees(tc_server *s, uint64_t address, uint64_t where);
int tc_task_resets(tc_server *s, uint64_t where);
int tc_task_launches(tc_server *s, uint64_t where);
/* Notes how much of a launch was simulated. */
void tc_task_launched(tc_server *s, const tc_device_launched *done);
/* Where the call's results go; how many ranges. */
int tc_task_results(const tc_server *s, tc_sim_range out[TC_TASK_VALUES]);
/* copy_speed.c: fills o->task->copy. False with why: it could not. */
bool tc_task_measure_copy(const tc_program_options *o, char *why, size_t size);

/* limits.c: can the launch start? A cudaError_t, with the reason as text. */
int tc_launch_error(const tc_rt_device *d, const tc_ptx_func *f,
                    const tc_rt_function *facts, const tc_sim_launch *l,
                    const tc_kernel_limits *limits, char why[TC_REFUSAL]);

#endif
