/* file.c - files that people name: what kind each is, and reading it. */
#include "base/file.h"

#include "base/file_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 14 };

bool tc_file_no(char why[TC_FILE_WHY], const char *text) {
    snprintf(why, TC_FILE_WHY, "%s", text);
    return false;
}

const char *tc_file_kind(mode_t mode) {
    return S_ISDIR(mode)    ? strerror(EISDIR)
           : S_ISFIFO(mode) ? "it is a FIFO, not a file"
           : S_ISSOCK(mode) ? "it is a socket, not a file"
           : S_ISCHR(mode)  ? "it is a device, not a file"
           : S_ISBLK(mode)  ? "it is a disk, not a file"
                            : NULL;
}

int tc_file_given(const char *path) {
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout",
                                          "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(path, streams[i]) == 0) {
            return i;
        }
    }
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(folders[i]);
        const char *digits = path + n;
        if (strncmp(path, folders[i], n) == 0 && *digits != '\0' &&
            strlen(digits) < 6 && digits[strspn(digits, "0123456789")] == 0) {
            return atoi(digits);
        }
    }
    return -1;
}

/* Not O_NONBLOCK alone: opening a terminal must not make it ours. */
static int open_quickly(const char *path) {
    return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int tc_file_open(const char *path, char why[TC_FILE_WHY]) {
    struct stat st; /* first: to open a device may do something */
    int fd = -1;
    bool ok = stat(path, &st) == 0 && (tc_file_kind(st.st_mode) != NULL ||
                                       (fd = open_quickly(path)) >= 0);
    ok = ok && (fd < 0 || fstat(fd, &st) == 0);
    const char *kind = ok ? tc_file_kind(st.st_mode) : strerror(errno);
    if (kind != NULL) {
        tc_file_no(why, kind);
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}

FILE *tc_file_stream(const char *path, char why[TC_FILE_WHY]) {
    int fd = tc_file_open(path, why);
    FILE *f = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && f == NULL) {
        tc_file_no(why, strerror(errno));
        close(fd);
    }
    return f;
}

/* The descriptor to read: a given one of another kind is read as it is. */
static int open_any(const char *path, char why[TC_FILE_WHY]) {
    struct stat st;
    int given = tc_file_given(path);
    if (given < 0 || fstat(given, &st) != 0 || S_ISREG(st.st_mode)) {
        return tc_file_open(path, why);
    }
    int fd = S_ISDIR(st.st_mode) ? -1 : fcntl(given, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) {
        tc_file_no(why, S_ISDIR(st.st_mode) ? tc_file_kind(st.st_mode)
                                            : strerror(errno));
    }
    return fd;
}

bool tc_file_wait(int fd, short events, const atomic_int *cancel) {
    struct pollfd p = {.fd = fd, .events = events};
    while (cancel == NULL || *cancel == 0) { /* a signal may come before poll */
        int n = poll(&p, 1, cancel != NULL ? 100 : -1);
        if (n > 0 || (n < 0 && errno != EINTR)) {
            return n > 0;
        }
    }
    errno = EINTR;
    return false;
}

bool tc_lacks_room(int e) {
    return e == ENOSPC || e == EDQUOT || e == EMFILE || e == ENFILE ||
           e == ENOMEM || e == EAGAIN || e == EROFS || e == EIO;
}

bool tc_file_read(tc_buf *text, const char *path, size_t most,
                  const atomic_int *cancel, char why[TC_FILE_WHY]) {
    char block[BLOCK];
    size_t before = text->len;
    ssize_t n = -1;
    errno = 0;
    int fd = open_any(path, why);
    if (fd < 0) {
        return false;
    }
    while (tc_file_wait(fd, POLLIN, cancel)) {
        n = read(fd, block, sizeof block);
        if (n > 0) {
            tc_buf_write(text, block, (size_t)n);
        }
        if ((n <= 0 && !(n < 0 && errno == EINTR)) ||
            text->len - before > most) {
            break;
        }
        n = -1;
    }
    if (n < 0) {
        tc_file_no(why, errno == EINTR ? "interrupted" : strerror(errno));
    } else if (n > 0) {
        snprintf(why, TC_FILE_WHY, "it is larger than %zu MiB", most >> 20);
        errno = EFBIG;
    }
    int error = errno;
    close(fd);
    errno = error;
    if (n != 0 && text->len > before) {
        text->data[text->len = before] = '\0';
    }
    return n == 0;
}

bool tc_file_is_elf(const char *path) {
    char why[TC_FILE_WHY], begin[4] = "";
    FILE *f = tc_file_stream(path, why);
    size_t n = f != NULL ? fread(begin, 1, sizeof begin, f) : 0;
    if (f != NULL) {
        fclose(f);
    }
    return n == sizeof begin && memcmp(begin, "\177ELF", 4) == 0;
}
