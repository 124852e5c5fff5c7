/* queue.h - one after the other: runs on a GPU that a room shares.
 *
 * All that is known of the queue are locks on single bytes of an empty file
 * (fcntl(2), F_OFD_SETLK): who comes takes the byte behind the last that is
 * taken, and has the GPU when none before it is. The kernel gives back what a
 * process held that is gone, however it went. */
#ifndef TC_GPU_QUEUE_H
#define TC_GPU_QUEUE_H

#include <stdbool.h>

typedef struct tc_gpu_queue {
    int fd;     /* < 0: there is none, and nobody waits */
    long place; /* our byte */
} tc_gpu_queue;

/* Joins the queue of the GPU of that name ("0000:3b:00.0"); the file is in
 * TILECOPY_GPU_QUEUE or /tmp, where all users find it; "off": there is none, as
 * where it cannot be opened. */
void tc_gpu_queue_join(tc_gpu_queue *q, const char *name);
/* How many are before us; 0: the GPU is ours. */
int tc_gpu_queue_before(const tc_gpu_queue *q);
void tc_gpu_queue_leave(tc_gpu_queue *q);

#endif
