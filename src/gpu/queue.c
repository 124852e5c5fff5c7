/* queue.c - the queue's file and its locks. */
#include "gpu/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    DOOR = 0,        /* who has this byte looks for a place */
    FIRST = 1,       /* place */
    NAP_MS = 5,      /* at the door */
    DOOR_MS = 10000, /* that somebody may stop there: then we go by */
};

/* Whoever is first makes it, for all. No link is followed. */
static int open_file(const char *path) {
    struct stat s;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL,
                  0666);
        if (fd >= 0) {
            fchmod(fd, 0666); /* whatever the umask */
        } else if (errno == EEXIST) {
            fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        }
    }
    if (fd >= 0 && (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool lock(int fd, short how, long from) {
    struct flock l = {.l_type = how,
                      .l_whence = SEEK_SET,
                      .l_start = (off_t)from,
                      .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

/* Others' locks in [from, to), and the last of them. The kernel tells of any
 * one, in no order. */
static int count(int fd, long from, long to, long *last) {
    struct flock l = {.l_type = F_WRLCK,
                      .l_whence = SEEK_SET,
                      .l_start = (off_t)from,
                      .l_len = (off_t)(to - from)};
    if (from >= to || fcntl(fd, F_OFD_GETLK, &l) != 0 || l.l_type == F_UNLCK) {
        return 0;
    }
    long first = (long)l.l_start,
         end = first + (l.l_len > 0 ? (long)l.l_len : 1);
    *last = end - 1 > *last ? end - 1 : *last;
    return 1 + count(fd, from, first, last) + count(fd, end, to, last);
}

void tc_gpu_queue_join(tc_gpu_queue *q, const char *name) {
    enum { MOST = 1 << 30 };
    char path[512];
    const char *folder = getenv("TILECOPY_GPU_QUEUE");
    folder = folder != NULL && *folder != '\0' ? folder : "/tmp";
    *q = (tc_gpu_queue){-1, 0};
    if (strcmp(folder, "off") == 0) {
        return;
    }
    snprintf(path, sizeof path, "%s/tilecopy-gpu-%s.queue", folder, name);
    q->fd = open_file(path);
    if (q->fd < 0) {
        return;
    }
    for (int ms = 0; !lock(q->fd, F_WRLCK, DOOR) && ms < DOOR_MS;
         ms += NAP_MS) {
        nanosleep(&(struct timespec){0, NAP_MS * 1000000L}, NULL);
    }
    long last = FIRST - 1;
    count(q->fd, FIRST, MOST, &last);
    q->place = last + 1;
    while (!lock(q->fd, F_WRLCK, q->place) && q->place < MOST) {
        q->place++; /* somebody went by the door */
    }
    lock(q->fd, F_UNLCK, DOOR);
}

int tc_gpu_queue_before(const tc_gpu_queue *q) {
    long last = 0;
    return q->fd >= 0 ? count(q->fd, FIRST, q->place, &last) : 0;
}

void tc_gpu_queue_leave(tc_gpu_queue *q) {
    if (q->fd >= 0) {
        close(q->fd);
    }
    *q = (tc_gpu_queue){-1, 0};
}
