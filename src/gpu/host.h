/* host.h - this program's side of the device process: its start, its end, and
 * bytes to and from it. */
#ifndef TC_GPU_HOST_H
#define TC_GPU_HOST_H

#include "gpu/wire.h"
#include <stdatomic.h>

struct tc_gpu_host {
    int pid;          /* 0: there is none */
    int socket;       /* to it */
    int printed;      /* the file that is its standard output */
    bool serves;      /* a tc_gpu is open */
    uint8_t *staging; /* TC_GPU_STAGING bytes that it has too */
    char *runner;     /* how to reach the machine that has it; NULL: here */
    void (*waits)(void *user, const char *why); /* or NULL */
    void *waits_user;
    const atomic_int *cancel; /* of a wait; or NULL */
};

typedef enum tc_gpu_heard {
    TC_GPU_HEARD,
    TC_GPU_GONE, /* the process has ended, or closed the socket */
    TC_GPU_CANCELLED
} tc_gpu_heard;

/* Starts the process if there is none, or it has ended meanwhile. */
bool tc_gpu_host_start(tc_gpu_host *h, tc_gpu_complaint c);
/* All the bytes; they are read only up to its end. */
bool tc_gpu_host_send(tc_gpu_host *h, const void *from, size_t bytes);
/* Polls *cancel (may be NULL) while it waits. */
tc_gpu_heard tc_gpu_host_receive(tc_gpu_host *h, void *to, size_t bytes,
                                 const atomic_int *cancel);
/* Ends it: at once, or as a program ends whose input is at its end. c (its why
 * may be NULL) says how it ended: "ended by signal 11 (Segmentation fault)". */
void tc_gpu_host_end(tc_gpu_host *h, bool at_once, tc_gpu_complaint c);

#endif
