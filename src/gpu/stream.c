/* stream.c - what both ends of a stream do. */
#include "gpu/stream.h"
#include "tilecopy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

/* The sizes tell builds of other machines apart. */
void tc_gpu_greeting(char *text, size_t size) {
    static const union {
        uint16_t word;
        uint8_t first;
    } order = {1};
    snprintf(text, size, "%s%s format %d, %zu %zu %s\n", TC_GPU_GREETING,
             TC_VERSION, (int)TC_GPU_STREAM_FORMAT, sizeof(tc_gpu_request),
             sizeof(tc_gpu_answer), order.first ? "little" : "big");
}

size_t tc_gpu_request_staged(const tc_gpu_request *ask) {
    return ask->call == TC_GPU_PUT ? (size_t)ask->b : 0;
}

size_t tc_gpu_answer_staged(const tc_gpu_request *ask,
                            const tc_gpu_answer *out) {
    return out->waits                                    ? 0
           : ask->call == TC_GPU_LOAD                    ? (size_t)TC_GPU_LOG
           : ask->call == TC_GPU_GET && out->result == 0 ? (size_t)ask->b
                                                         : 0;
}

/* Something to read; false: `other` has closed. */
static bool await(int fd, int other) {
    struct pollfd fds[2] = {{fd, POLLIN, 0}, {other, 0, 0}};
    for (;;) {
        int n = poll(fds, other >= 0 ? 2 : 1, -1);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        if (n > 0 && other >= 0 && fds[1].revents != 0) {
            return false;
        }
        if (n > 0 && fds[0].revents != 0) {
            return true;
        }
    }
}

bool tc_gpu_read_all(int fd, void *to, size_t bytes, int other) {
    char *at = to;
    while (bytes > 0) {
        ssize_t n = await(fd, other) ? read(fd, at, bytes) : 0;
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return false;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool tc_gpu_write_all(int fd, const void *from, size_t bytes) {
    const char *at = from;
    while (bytes > 0) {
        ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}
