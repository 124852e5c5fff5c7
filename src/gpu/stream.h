/* stream.h - the calls of wire.h between two machines, over the standard input
 * and output of a program that the user's runner starts there. Each message has
 * a head; what one machine finds in the staging pages goes along.
 *
 *     relay (here)  --- requests -->  worker (there)  -->  device process
 *                   <--- answers ---
 *
 * The worker's first words are its version: both ends must be the same build's,
 * so that a struct is its own format here too. What a shell's start files print
 * before that is skipped. */
#ifndef TC_GPU_STREAM_H
#define TC_GPU_STREAM_H

#include "gpu/wire.h"

enum {
    TC_GPU_STREAM_FORMAT = 1, /* another one after any change of wire.h */
    TC_GPU_MOST = 1 << 30     /* bytes behind a request */
};

typedef struct tc_gpu_head {
    char mark[8];    /* TC_GPU_MARK: an answer has that of its request */
    uint64_t number; /* of the request */
} tc_gpu_head;

#define TC_GPU_MARK "tcgpu\n\r"
/* Then the version, the format, the sizes, and a newline. */
#define TC_GPU_GREETING "\ntilecopy-gpu-worker "
void tc_gpu_greeting(char *text, size_t size);

/* Bytes of the staging pages that go with a request, and with its answer. */
size_t tc_gpu_request_staged(const tc_gpu_request *ask);
size_t tc_gpu_answer_staged(const tc_gpu_request *ask,
                            const tc_gpu_answer *out);

/* All of them, or false. A read ends where `other` (>= 0) has closed: it is
 * polled meanwhile. */
bool tc_gpu_read_all(int fd, void *to, size_t bytes, int other);
bool tc_gpu_write_all(int fd, const void *from, size_t bytes);

/* The two ends, as processes: their exit status. */
int tc_gpu_relay(const char *runner);
int tc_gpu_worker(void);

#endif
