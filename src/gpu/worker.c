/* worker.c - the far end of a stream: it hands calls to a device process of its
 * machine, and ends with its input. */
#include "gpu/driver.h"
#include "gpu/host.h"
#include "gpu/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct worker {
    int in, out;
    tc_gpu_host *host;
    tc_gpu_head head; /* of the request under way */
} worker;

/* Who asks says nothing until it has the answer: what comes meanwhile is its
 * end. */
static bool is_asked(const worker *w) {
    struct pollfd fds[2] = {{w->host->socket, POLLIN, 0}, {w->in, POLLIN, 0}};
    while (poll(fds, 2, -1) < 0) {
    }
    return fds[1].revents == 0;
}

static bool hear(const worker *w, tc_gpu_answer *out) {
    return is_asked(w) &&
           tc_gpu_host_receive(w->host, out, sizeof *out, NULL) == TC_GPU_HEARD;
}

/* The device process is gone: the answer says so. */
static void lose(worker *w, tc_gpu_answer *out) {
    char how[128] = "";
    tc_gpu_host_end(w->host, true, (tc_gpu_complaint){how, sizeof how});
    *out = (tc_gpu_answer){.result = TC_CU_UNKNOWN, .fault = true};
    snprintf(out->why, sizeof out->why, "the GPU's process there %s", how);
}

/* What kernels have printed, from the file that the device process has. */
static bool send_printed(const worker *w, uint64_t bytes) {
    char text[4096];
    int fd = w->host->printed;
    for (uint64_t at = 0; at < bytes;) {
        size_t want =
            bytes - at < sizeof text ? (size_t)(bytes - at) : sizeof text;
        ssize_t n = pread(fd, text, want, (off_t)at);
        memset(text, 0, n > 0 ? 0 : want);
        n = n > 0 ? n : (ssize_t)want;
        if (!tc_gpu_write_all(w->out, text, (size_t)n)) {
            return false;
        }
        at += (uint64_t)n;
    }
    if (bytes > 0 && fd >= 0 && ftruncate(fd, 0) == 0) {
        lseek(fd, 0, SEEK_SET);
    }
    return true;
}

static bool answer(const worker *w, const tc_gpu_request *ask,
                   const tc_gpu_answer *out) {
    static const uint8_t none[TC_GPU_LOG];
    size_t staged = tc_gpu_answer_staged(ask, out);
    const uint8_t *from = w->host->staging ? w->host->staging : none;
    return tc_gpu_write_all(w->out, &w->head, sizeof w->head) &&
           tc_gpu_write_all(w->out, out, sizeof *out) &&
           tc_gpu_write_all(w->out, from, staged) &&
           send_printed(w, out->printed);
}

/* Hands the call on and its answers back. False: who asks has gone. */
static bool pass_on(worker *w, const tc_gpu_request *ask, const char *bytes) {
    tc_gpu_answer out;
    bool heard = tc_gpu_host_send(w->host, ask, sizeof *ask) &&
                 tc_gpu_host_send(w->host, bytes, ask->bytes);
    do {
        heard = heard && hear(w, &out);
        if (!heard && w->host->pid != 0) {
            lose(w, &out);
        }
        if (!answer(w, ask, &out)) {
            return false;
        }
    } while (heard && out.waits);
    return true;
}

static bool refuse(worker *w, const tc_gpu_request *ask, const char *why) {
    tc_gpu_answer out = {.result = TC_CU_NO_DEVICE,
                         .fault = ask->call != TC_GPU_ENTER};
    snprintf(out.why, sizeof out.why, "%s", why);
    return answer(w, ask, &out);
}

static bool work_one(worker *w) {
    tc_gpu_request ask;
    char why[256] = "the GPU's process there has ended";
    if (!tc_gpu_read_all(w->in, &w->head, sizeof w->head, -1) ||
        memcmp(w->head.mark, TC_GPU_MARK, sizeof w->head.mark) != 0 ||
        !tc_gpu_read_all(w->in, &ask, sizeof ask, -1) ||
        ask.call >= TC_GPU_CALL_COUNT || ask.bytes > TC_GPU_MOST ||
        ((ask.call == TC_GPU_PUT || ask.call == TC_GPU_GET) &&
         ask.b > TC_GPU_STAGING)) {
        return false;
    }
    bool there =
        ask.call == TC_GPU_ENTER
            ? tc_gpu_host_start(w->host, (tc_gpu_complaint){why, sizeof why})
            : w->host->pid != 0;
    size_t staged = tc_gpu_request_staged(&ask);
    char *bytes = tc_xmalloc(ask.bytes + staged + 1);
    bool ok = tc_gpu_read_all(w->in, bytes, ask.bytes + staged, -1);
    if (ok && there) {
        memcpy(w->host->staging, bytes + ask.bytes, staged);
    }
    ok = ok && (there ? pass_on(w, &ask, bytes) : refuse(w, &ask, why));
    free(bytes);
    return ok;
}

/* Nothing but answers goes to its standard output. */
int tc_gpu_worker(void) {
    char hello[256];
    worker w = {.in = fcntl(0, F_DUPFD_CLOEXEC, 10),
                .out = fcntl(1, F_DUPFD_CLOEXEC, 10)};
    int null = open("/dev/null", O_RDONLY);
    signal(SIGPIPE, SIG_IGN);
    if (w.in < 0 || w.out < 0 || null < 0 || dup2(null, 0) < 0 ||
        dup2(2, 1) < 0) {
        return 1;
    }
    w.host = tc_gpu_host_new();
    tc_gpu_greeting(hello, sizeof hello);
    bool ok = tc_gpu_write_all(w.out, hello, strlen(hello));
    while (ok && work_one(&w)) {
    }
    tc_gpu_host_end(w.host, true, (tc_gpu_complaint){NULL, 0});
    tc_gpu_host_free(w.host);
    return 0;
}
