/* file_write.c - writing files that people name. An ordinary file is written
 * beside the old one, which it then replaces: rename(2) leaves one or the
 * other, whatever fails. */
#include "base/file.h"

#include "base/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMES = 100 };

static bool write_all(int fd, const char *s, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, s, len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        s += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* To what somebody else reads: never more at once than it has room for. */
static bool write_slowly(int fd, const char *s, size_t len,
                         const atomic_int *cancel) {
    while (len > 0) {
        if (!tc_file_wait(fd, POLLOUT, cancel)) {
            return false;
        }
        ssize_t n = write(fd, s, len < PIPE_BUF ? len : PIPE_BUF);
        if (n < 0 && errno != EINTR && errno != EAGAIN) {
            return false;
        }
        s += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The name, in *name, and descriptor of a new file beside path; -1. */
static int make_beside(const char *path, char **name) {
    static unsigned counter;
    tc_buf b = TC_BUF_INIT;
    int fd = -1;
    for (int i = 0; i < MOST_NAMES && fd < 0; i++) {
        tc_buf_clear(&b);
        tc_buf_printf(&b, "%s.%ld-%u", path, (long)getpid(), counter++);
        fd = open(b.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    *name = b.data;
    return fd;
}

/* The new file is its owner's and has its mode, as the old one. */
static bool like_the_old(int fd, const struct stat *old) {
    struct stat st;
    if (old == NULL) {
        return true;
    }
    return fstat(fd, &st) == 0 &&
           ((st.st_uid == old->st_uid && st.st_gid == old->st_gid) ||
            fchown(fd, old->st_uid, old->st_gid) == 0) &&
           fchmod(fd, old->st_mode & 07777) == 0;
}

/* Where no file can be made beside it, it is written where it is. */
static bool write_in_place(const char *path, const char *bytes, size_t len) {
    int fd = open(path, O_WRONLY | O_TRUNC | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, bytes, len);
    int e = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        e = errno;
    }
    errno = e;
    return ok;
}

/* old: what is there, or NULL. */
static bool replace(const char *path, const struct stat *old, const char *bytes,
                    size_t len) {
    char *name;
    int fd = make_beside(path, &name), e = errno;
    bool alike = fd >= 0 && like_the_old(fd, old);
    bool ok = alike && write_all(fd, bytes, len);
    ok = ok && (old == NULL || fsync(fd) == 0 || errno == EINVAL);
    e = fd >= 0 ? errno : e;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        e = errno;
    }
    if (ok && rename(name, path) != 0) {
        ok = false;
        e = errno;
    }
    if (!ok && fd >= 0) {
        unlink(name);
    }
    free(name);
    if (!alike && old != NULL && (e == EACCES || e == EPERM)) {
        return write_in_place(path, bytes, len);
    }
    errno = e;
    return ok;
}

/* A descriptor for what is not an ordinary file; -1 and errno. */
static int open_other(const char *path, int given, mode_t mode) {
    if (given >= 0) {
        return fcntl(given, F_DUPFD_CLOEXEC, 3);
    }
    if (S_ISDIR(mode)) {
        errno = EISDIR;
        return -1;
    }
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static bool write_other(const char *path, int given, mode_t mode,
                        const char *bytes, size_t len, const atomic_int *cancel,
                        char why[TC_FILE_WHY]) {
    if (S_ISBLK(mode) || S_ISSOCK(mode)) {
        return tc_file_no(why, tc_file_kind(mode));
    }
    int fd = open_other(path, given, mode);
    bool ok = fd >= 0 && (S_ISREG(mode) ? write_all(fd, bytes, len)
                                        : write_slowly(fd, bytes, len, cancel));
    int e = errno;
    if (fd >= 0) {
        close(fd);
    }
    if (!ok) {
        tc_file_no(why, e == ENXIO   ? "it is a FIFO that nobody reads"
                        : e == EINTR ? "interrupted"
                                     : strerror(e));
    }
    return ok;
}

bool tc_file_write(const char *path, const char *bytes, size_t len,
                   const atomic_int *cancel, char why[TC_FILE_WHY]) {
    struct stat st;
    int given = tc_file_given(path);
    bool there = given >= 0 ? fstat(given, &st) == 0 : stat(path, &st) == 0;
    if (there && (given >= 0 || !S_ISREG(st.st_mode))) {
        return write_other(path, given, st.st_mode, bytes, len, cancel, why);
    }
    if (given >= 0 || (!there && errno != ENOENT)) {
        return tc_file_no(why, strerror(errno));
    }
    char *real = realpath(path, NULL); /* a link stays one */
    const char *to = real != NULL ? real : path;
    bool ok = replace(to, there ? &st : NULL, bytes, len);
    if (!ok) {
        tc_file_no(why, strerror(errno));
    }
    free(real);
    return ok;
}

/* "folder/" of "folder/file", or "./". */
static bool folder_is_writable(const char *path) {
    tc_buf b = TC_BUF_INIT;
    const char *slash = strrchr(path, '/');
    tc_buf_write(&b, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
    tc_buf_puts(&b, ".");
    bool ok = access(b.data, W_OK | X_OK) == 0;
    tc_buf_free(&b);
    return ok;
}

bool tc_file_writable(const char *path, char why[TC_FILE_WHY]) {
    struct stat st;
    if (tc_file_given(path) >= 0) {
        return true;
    }
    if (stat(path, &st) != 0) {
        return (errno == ENOENT && *path != '\0' && folder_is_writable(path)) ||
               tc_file_no(why, strerror(errno));
    }
    bool never =
        S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISSOCK(st.st_mode);
    return never ? tc_file_no(why, tc_file_kind(st.st_mode))
                 : access(path, W_OK) == 0 || tc_file_no(why, strerror(errno));
}
