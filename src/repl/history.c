/* history.c - the prompt's history and its file. */
#include "repl/history.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/share.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_BYTES = 16 << 20, /* of the file that are looked at */
    LOCK_TICKS = 50        /* of 20 ms */
};

char *tc_history_path(void) {
    char path[PATH_MAX];
    return tc_state_file("history", path, sizeof path) ? tc_xstrdup(path)
                                                       : NULL;
}

/* Locks; another session has it for the time of a write at most. */
static bool lock(int fd) {
    const struct timespec tick = {.tv_nsec = 20000000};
    for (int i = 0; i < LOCK_TICKS; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return false;
        }
        nanosleep(&tick, NULL);
    }
    errno = EWOULDBLOCK;
    return false;
}

/* Opens and locks the file; another session may have replaced it in between,
 * and then the new one is opened. -1 and errno when it cannot be, or is no
 * ordinary file. */
static int open_locked(const char *path) {
    while (true) {
        int fd = open(path,
                      O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY |
                          O_CLOEXEC,
                      0600);
        if (fd < 0) {
            return -1;
        }
        struct stat mine, there;
        bool ok = fstat(fd, &mine) == 0;
        if (ok && !S_ISREG(mine.st_mode)) {
            ok = false;
            errno = EINVAL;
        }
        if (!ok || !lock(fd)) {
            int why = errno;
            close(fd);
            errno = why;
            return -1;
        }
        if (stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
            mine.st_dev == there.st_dev) {
            return fd;
        }
        close(fd);
    }
}

static bool write_all(int fd, const char *s, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, s, len);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        if (n > 0) {
            s += n;
            len -= (size_t)n;
        }
    }
    return true;
}

static void encode(tc_buf *b, const char *entry) {
    for (; *entry != '\0'; entry++) {
        if (*entry == '\n') {
            tc_buf_puts(b, "\\n");
        } else if (*entry == '\\') {
            tc_buf_puts(b, "\\\\");
        } else {
            tc_buf_putc(b, *entry);
        }
    }
    tc_buf_putc(b, '\n');
}

/* In place; line has no newline. */
static void decode(char *line) {
    char *to = line;
    for (const char *p = line; *p != '\0'; p++) {
        if (p[0] == '\\' && p[1] != '\0') {
            p++;
            *to++ = *p == 'n' ? '\n' : *p;
        } else {
            *to++ = *p;
        }
    }
    *to = '\0';
}

/* Makes the folders that are missing. False, with errno of the one that cannot
 * be made. */
static bool make_folders(const char *path) {
    char *own = tc_xstrdup(path);
    bool ok = true;
    int why = 0;
    for (char *p = strchr(own + 1, '/'); ok && p; p = strchr(p + 1, '/')) {
        *p = '\0';
        ok = mkdir(own, 0700) == 0 || errno == EEXIST || access(own, F_OK) == 0;
        why = errno;
        *p = '/';
    }
    free(own);
    errno = why;
    return ok;
}

bool tc_history_append(const char *path, const char *entry) {
    int fd = open_locked(path);
    if (fd < 0 && errno == ENOENT && make_folders(path)) {
        fd = open_locked(path); /* somebody has removed the folder */
    }
    if (fd < 0) {
        return false;
    }
    tc_buf b = TC_BUF_INIT;
    encode(&b, entry);
    bool ok = write_all(fd, b.data, b.len);
    int why = errno;
    tc_buf_free(&b);
    close(fd);
    errno = why;
    return ok;
}

/* The end of the file, of MOST_BYTES; *whole: that is all of it. */
static bool read_end(int fd, tc_buf *b, bool *whole) {
    char block[4096];
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return false;
    }
    *whole = st.st_size <= MOST_BYTES;
    off_t at = *whole ? 0 : st.st_size - MOST_BYTES;
    while (b->len < MOST_BYTES) {
        ssize_t n = pread(fd, block, sizeof block, at + (off_t)b->len);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return n == 0;
        }
        tc_buf_write(b, block, n > 0 ? (size_t)n : 0);
    }
    return true;
}

/* Replaces the file by the text: written beside it, then renamed over it. */
static void replace(const char *path, const char *text, size_t len) {
    tc_buf name = TC_BUF_INIT;
    tc_buf_printf(&name, "%s.%ld", path, (long)getpid());
    int fd = open(name.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) {
        bool ok = write_all(fd, text, len);
        if (close(fd) != 0 || !ok || rename(name.data, path) != 0) {
            unlink(name.data);
        }
    }
    tc_buf_free(&name);
}

/* Where the newest TC_HISTORY_MAX lines of text begin. */
static const char *newest(const char *text, size_t len) {
    int lines = 0;
    for (size_t i = len; i > 0; i--) {
        if (text[i - 1] == '\n' && i < len && ++lines == TC_HISTORY_MAX) {
            return text + i;
        }
    }
    return text;
}

void tc_history_load(const char *path, void (*fn)(const char *entry)) {
    int fd = open_locked(path);
    if (fd < 0) {
        return;
    }
    tc_buf b = TC_BUF_INIT;
    bool whole = false, read = read_end(fd, &b, &whole);
    const char *text = tc_buf_text(&b), *kept = newest(text, b.len);
    if (kept != text && read && whole) {
        replace(path, kept, b.len - (size_t)(kept - text));
    }
    close(fd);
    char *line = b.data != NULL ? b.data + (kept - text) : NULL;
    while (line != NULL && *line != '\0') {
        char *end = line + strcspn(line, "\n");
        char *next = *end == '\0' ? end : end + 1;
        *end = '\0';
        decode(line);
        fn(line);
        line = next;
    }
    tc_buf_free(&b);
}
