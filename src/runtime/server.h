/* server.h - runs a CUDA program in a process of its own and is its device. */
#ifndef TC_RUNTIME_SERVER_H
#define TC_RUNTIME_SERVER_H

#include "base/call_task.h"
#include "base/limits.h"
#include "runtime/device.h"
#include "sandbox/sandbox.h"
#include <stdatomic.h>

typedef enum tc_host_kind {
#define TC_HOST_FINDING(id, name, counts) TC_HOST_##id,
#include "runtime/host_findings.def"
} tc_host_kind;

typedef enum tc_host_counts {
    TC_HOST_ALWAYS,
    TC_HOST_PEDANTIC,
    TC_HOST_NOTE
} tc_host_counts;

/* A row of host_findings.def. */
typedef struct tc_host_row {
    const char *name;
    tc_host_counts counts;
} tc_host_row;
extern const tc_host_row tc_host_rows[]; /* by tc_host_kind */

/* What happened on the host side: INTERFACE.md's host-* findings, and what the
 * program should be told as text. */
typedef struct tc_host_finding {
    tc_host_kind kind;
    const char *message; /* a sentence */
    uint64_t where;      /* the call, as an address in the program's file; 0 */
    uint64_t cause;      /* an earlier call that is part of it: where it was
                            freed first; 0 */
} tc_host_finding;

/* A launch that has run, or (result is NULL) that is about to. All pointers are
 * good until the callback returns. */
typedef struct tc_program_launch {
    const tc_ptx_func *kernel;
    const tc_sim_launch *launch;
    const tc_device_launched *result;
    const tc_device_memory *memory; /* what was allocated then, by address */
    int nmemory;
    struct tc_memory *known; /* for tc_program_freed */
    uint64_t where;          /* the launch in the program's file */
    const tc_device_vtable *backend;
    tc_device *device; /* whose memory may be read, and whose trace be taken */
} tc_program_launch;

/* What lay around an address until it was freed, the last one, and the call
 * that freed it. False: nothing that is remembered. */
bool tc_program_freed(const tc_program_launch *l, uint64_t address,
                      tc_device_memory *was, uint64_t *freed);

typedef struct tc_program_options {
    const char *path;  /* the executable */
    char *const *argv; /* argv[0] included, ended by NULL */
    const tc_device_vtable *backend;
    tc_device_options device; /* print is the server's own */
    double timeout_s;         /* of the whole program, on the clock; 0: none */
    const tc_limits *limits;  /* of its processes and kernels (budget.h); disk:
                                 of each file that it writes. NULL: none */
    uint64_t memory; /* bytes of device memory that it may have; 0: what the
                        device has */
    const tc_sandbox *sandbox; /* that it runs in, or NULL */
    tc_given_task *task;       /* calls that it is to make, or NULL */
    const atomic_int *cancel;  /* polled; may be NULL */
    int in, out, err; /* descriptors that become the program's standard streams,
                         or 0: the caller's own */
    /* Called in order, as things happen. user is the first argument. */
    void (*launching)(void *user, const tc_program_launch *l); /* or NULL */
    void (*launched)(void *user, const tc_program_launch *l);
    void (*misused)(void *user, const tc_host_finding *f);
    void *user;
} tc_program_options;

typedef enum tc_program_end {
    TC_PROGRAM_EXITED,    /* status is its own */
    TC_PROGRAM_SIGNALLED, /* status is the signal */
    TC_PROGRAM_STOPPED,   /* a kernel that can never end: it was killed */
    TC_PROGRAM_TIMEOUT,
    TC_PROGRAM_LIMIT, /* another limit: why says which */
    TC_PROGRAM_CANCELLED,
    TC_PROGRAM_MACHINE,     /* no process, no descriptors for it: why */
    TC_PROGRAM_NOT_STARTED, /* the module cannot be loaded: why */
    TC_PROGRAM_NO_GPU,
    TC_PROGRAM_GARBLED /* it broke the protocol: it was killed */
} tc_program_end;

typedef struct tc_program_result {
    tc_program_end end;
    int status;
    uint64_t launches, wall_ns; /* of kernels' execution alone */
    double taken_s;             /* its time (budget.h), where it has limits */
    char why[512];
} tc_program_result;

/* Starts the program, serves it, and waits for its end. Standard streams and
 * the working folder are the caller's. */
void tc_program_run(const tc_program_options *o, tc_program_result *out);

#endif
