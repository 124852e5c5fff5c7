/* wire.c - the socket to the parent: calls and their answers. */
#include "runtime/stub/stub.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- bytes --------------------------------------------------------------- */

/* The kernel refused to read or write the program's memory: so does the
 * processor, and the program gets the signal that it has earned. */
static void touch(const struct iovec *v, size_t n, bool write) {
    for (; n > 0; n--, v++) {
        volatile char *p = v->iov_base;
        for (size_t i = 0; i < v->iov_len; i += 4096) {
            size_t last = v->iov_len - 1, at = i + 4096 > last ? last : i;
            char first = p[i], c = p[at];
            if (write) {
                p[i] = first;
                p[at] = c;
            }
        }
    }
}

static void advance(struct iovec *v, size_t *first, size_t n) {
    while (n > 0) {
        struct iovec *f = &v[*first];
        size_t step = n < f->iov_len ? n : f->iov_len;
        f->iov_base = (char *)f->iov_base + step;
        f->iov_len -= step;
        n -= step;
        *first += f->iov_len == 0;
    }
}

enum { PIECES = 64, PIECE_BYTES = 1 << 20 };

/* Takes up to PIECES pieces and PIECE_BYTES bytes from v, from the skip-th byte
 * of v[*at] on; both move behind what was taken. */
static int take(const struct iovec *v, int n, int *at, size_t *skip,
                struct iovec out[PIECES]) {
    int count = 0;
    size_t room = PIECE_BYTES;
    while (*at < n && count < PIECES && room > 0) {
        size_t left = v[*at].iov_len - *skip;
        size_t bytes = left < room ? left : room;
        if (bytes > 0) {
            out[count++] =
                (struct iovec){(char *)v[*at].iov_base + *skip, bytes};
        }
        room -= bytes;
        *skip += bytes;
        if (*skip == v[*at].iov_len) {
            *skip = 0;
            (*at)++;
        }
    }
    return count;
}

/* Sends or receives all of the pieces. *fd: a descriptor that came along. */
static bool move(struct iovec *v, size_t n, bool send, int *fd) {
    size_t first = 0;
    while (first < n) {
        union {
            char room[CMSG_SPACE(sizeof(int))];
            struct cmsghdr align;
        } control;
        struct msghdr m = {.msg_iov = v + first, .msg_iovlen = n - first};
        if (fd != NULL) {
            m.msg_control = control.room;
            m.msg_controllen = sizeof control.room;
        }
        ssize_t done = send ? sendmsg(tc_stub.fd, &m, MSG_NOSIGNAL)
                            : recvmsg(tc_stub.fd, &m, MSG_CMSG_CLOEXEC);
        if (done < 0 && errno == EFAULT) {
            touch(v + first, n - first, !send);
        } else if (done == 0 || (done < 0 && errno != EINTR)) {
            return false;
        }
        struct cmsghdr *c = fd != NULL && done > 0 ? CMSG_FIRSTHDR(&m) : NULL;
        if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
            memcpy(fd, CMSG_DATA(c), sizeof *fd);
        }
        advance(v, &first, done > 0 ? (size_t)done : 0);
    }
    return true;
}

static bool move_all(const struct iovec *v, int n, uint64_t limit, bool send) {
    int at = 0;
    size_t skip = 0;
    while (limit > 0 && at < n) {
        struct iovec piece[PIECES];
        int count = take(v, n, &at, &skip, piece);
        int used = 0;
        for (; used < count && limit > 0; used++) {
            if (piece[used].iov_len > limit) {
                piece[used].iov_len = limit;
            }
            limit -= piece[used].iov_len;
        }
        if (used > 0 && !move(piece, (size_t)used, send, NULL)) {
            return false;
        }
    }
    return true;
}

static bool drop(uint64_t bytes) {
    char sink[4096];
    while (bytes > 0) {
        struct iovec v = {sink, bytes < sizeof sink ? bytes : sizeof sink};
        bytes -= v.iov_len;
        if (!move(&v, 1, false, NULL)) {
            return false;
        }
    }
    return true;
}

static uint64_t total(const struct iovec *v, int n) {
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        sum += v[i].iov_len;
    }
    return sum;
}

/* --- calls --------------------------------------------------------------- */

static cudaError_t broken(void) {
    tc_stub.link = TC_STUB_BROKEN;
    return cudaErrorDevicesUnavailable;
}

/* Errors that leave the context unusable: "Any further CUDA work will return
 * the same error" (CUDA Runtime API, cudaError). */
static bool is_sticky(cudaError_t e) {
    return e == cudaErrorIllegalAddress || e == cudaErrorLaunchTimeout ||
           e == cudaErrorAssert || e == cudaErrorTensorMemoryLeak ||
           (e >= cudaErrorHardwareStackError && e <= cudaErrorLaunchFailure);
}

static bool send_call(const tc_stub_talk *t, uint64_t where) {
    tc_rt_call call = {.name = (uint32_t)t->name,
                       .stream = t->stream,
                       .bytes = total(t->out, t->nout),
                       .where = where};
    struct iovec head = {&call, sizeof call};
    return move(&head, 1, true, NULL) &&
           move_all(t->out, t->nout, call.bytes, true);
}

static cudaError_t call_from(tc_stub_talk *t, uint64_t where) {
    tc_rt_answer answer;
    struct iovec head = {&answer, sizeof answer};
    t->descriptor = -1;
    t->got = 0;
    if (tc_stub.link != TC_STUB_LINKED) {
        return tc_stub.fd < 0 ? cudaErrorNoDevice : cudaErrorDevicesUnavailable;
    }
    if (!send_call(t, where) || !move(&head, 1, false, &t->descriptor)) {
        return broken();
    }
    uint64_t room = total(t->in, t->nin);
    t->got = answer.bytes;
    if (!move_all(t->in, t->nin, answer.bytes, false) ||
        (answer.bytes > room && !drop(answer.bytes - room))) {
        return broken();
    }
    cudaError_t e = (cudaError_t)answer.error;
    if (is_sticky(e)) {
        tc_stub.sticky = e;
    }
    return e;
}

cudaError_t tc_stub_call(tc_stub_talk *t) {
    return call_from(t, tc_stub_where());
}

cudaError_t tc_stub_request(tc_rt_name name, const void *q, size_t q_bytes,
                            void *a, size_t a_bytes) {
    struct iovec out = {(void *)(uintptr_t)q, q_bytes}, in = {a, a_bytes};
    tc_stub_talk t = {
        .name = name, .out = &out, .nout = 1, .in = &in, .nin = 1};
    cudaError_t e = tc_stub_call(&t);
    if (t.descriptor >= 0) {
        close(t.descriptor);
    }
    return e == cudaSuccess && t.got < a_bytes ? cudaErrorUnknown : e;
}

/* --- the first call ------------------------------------------------------ */

static void child(void) {
    if (tc_stub.fd >= 0) {
        close(tc_stub.fd);
    }
    tc_stub.fd = -1;
    tc_stub.link = TC_STUB_BROKEN;
    tc_stub_unlock();
}

/* The descriptor is nobody else's: programs that this one starts do not get
 * it, and a fork's child has no device. Before the program's own constructors,
 * which may be the first that ask for the device; up to 100 is the compiler's. */
__attribute__((constructor(101))) static void find_parent(int argc,
                                                          char **argv) {
    const char *text = getenv(TC_RT_FD_ENV);
    char *end = NULL;
    long fd = text != NULL ? strtol(text, &end, 10) : -1;
    if (fd >= 0 && fd < 1 << 20 && end != text && *end == '\0' &&
        fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0) {
        tc_stub.fd = (int)fd;
        unsetenv(TC_RT_FD_ENV);
        pthread_atfork(tc_stub_lock, tc_stub_unlock, child);
    } else {
        tc_stub_start(argc, argv);
    }
}

static cudaError_t hello(void) {
    if (tc_stub.fd < 0) {
        tc_stub.link = TC_STUB_BROKEN;
        fputs("This program was built for tilecopy-repl's runtime: "
              "start it with `tilecopy-repl exec`.\n",
              stderr);
        return cudaErrorNoDevice;
    }
    tc_rt_hello h = {.version = TC_RT_VERSION,
                     .events = &tc_stub_wants_times != NULL};
    tc_stub.link = TC_STUB_LINKED;
    cudaError_t e = tc_stub_request(TC_RT_HELLO, &h, sizeof h, &tc_stub.device,
                                    sizeof tc_stub.device);
    if (e != cudaSuccess) {
        broken();
        return e;
    }
    tc_stub_catch();
    return cudaSuccess;
}

cudaError_t tc_stub_there(void) {
    cudaError_t e = cudaSuccess;
    if (tc_stub.link == TC_STUB_NEVER_ASKED) {
        e = hello();
    } else if (tc_stub.link == TC_STUB_BROKEN) {
        e = tc_stub.fd < 0 ? cudaErrorNoDevice : cudaErrorDevicesUnavailable;
    }
    if (e == cudaSuccess && !tc_stub_self.stack) {
        tc_stub_signal_stack();
    }
    return e;
}

cudaError_t tc_stub_ready(void) {
    cudaError_t e = tc_stub_there();
    return e != cudaSuccess ? e : tc_stub.sticky;
}

/* The program ends by itself. Where another thread, or what calls exit(), is in
 * the middle of a call, nothing can be said. */
__attribute__((destructor)) static void leave_parent(void) {
    if (tc_stub_self.holds || !tc_stub_try_lock()) {
        return;
    }
    tc_rt_bye b = {.unchecked = (int32_t)tc_stub.unchecked,
                   .where = tc_stub.unchecked_where};
    tc_stub_failures_tell();
    if (tc_stub.link == TC_STUB_LINKED) {
        tc_stub_request(TC_RT_BYE, &b, sizeof b, NULL, 0);
        tc_stub.link = TC_STUB_BROKEN;
    }
    tc_stub_unlock();
}

/* --- printing and notes -------------------------------------------------- */

/* As call_from(), with an answer of any length that goes to stdout. */
cudaError_t tc_stub_sync(void) {
    tc_stub_talk t = {.name = TC_RT_SYNC};
    tc_rt_answer answer;
    struct iovec head = {&answer, sizeof answer};
    if (!send_call(&t, tc_stub_where()) || !move(&head, 1, false, NULL)) {
        return broken();
    }
    while (answer.bytes > 0) {
        char text[4096];
        struct iovec v = {text, answer.bytes < sizeof text ? answer.bytes
                                                           : sizeof text};
        size_t bytes = v.iov_len;
        if (!move(&v, 1, false, NULL)) {
            return broken();
        }
        fwrite(text, 1, bytes, stdout);
        answer.bytes -= bytes;
    }
    tc_stub.printed = tc_stub.launches;
    if (is_sticky((cudaError_t)answer.error)) {
        tc_stub.sticky = (cudaError_t)answer.error;
    }
    return (cudaError_t)answer.error;
}

void tc_stub_note(tc_rt_misuse misuse, uint64_t where, const tc_rt_note *n,
                  const char *text) {
    tc_rt_note note = n != NULL ? *n : (tc_rt_note){0};
    note.misuse = (uint32_t)misuse;
    struct iovec out[2] = {{&note, sizeof note},
                           {(void *)(uintptr_t)text, strlen(text)}};
    tc_stub_talk t = {.name = TC_RT_NOTE, .out = out, .nout = 2};
    if (tc_stub.link == TC_STUB_LINKED) {
        call_from(&t, where);
    }
}

/* Has this place been told of? Of the first few it is remembered. */
static bool told(uint64_t where) {
    enum { PLACES = 32 };
    static uint64_t places[PLACES];
    static int n;
    for (int i = 0; i < n; i++) {
        if (places[i] == where) {
            return true;
        }
    }
    if (n < PLACES) {
        places[n++] = where;
    }
    return false;
}

cudaError_t tc_stub_unbuilt(const char *what) {
    if (tc_stub_ready() == cudaErrorNoDevice) {
        return cudaErrorNoDevice;
    }
    uint64_t where = tc_stub_where();
    if (!told(where)) {
        tc_stub_note(TC_RT_NOTE_UNBUILT, where, NULL, what);
    }
    return cudaErrorNotSupported;
}
