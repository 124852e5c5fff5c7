/* cache.c - what was built, kept: an entry is a folder with some files and
 * "sum", which has the entry's name and of each file its name, mode, length and
 * SHA-256. An entry is taken only as a whole that fits its sum.
 *
 * That guards against what breaks files: a full disk, a crash, a copy of part
 * of it, a hand that rewrites one. It does not guard against somebody who
 * writes both files and sum: such a one has to be us already, as a folder or a
 * file that another user could have written is not taken. */
#include "base/cancel.h"
#include "base/temporary.h"
#include "toolchain/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char sum_name[] = "sum";

static const char *sum_of(tc_arena *a, const char *name, const tc_part *parts,
                          int n) {
    tc_buf text = TC_BUF_INIT;
    tc_hash all = TC_HASH_START;
    tc_buf_printf(&text, "tilecopy-repl entry 1\nname %s\n", name);
    for (int i = 0; i < n; i++) {
        tc_hash h = TC_HASH_START;
        tc_hash_bytes(&h, parts[i].bytes, parts[i].len);
        tc_buf_printf(&text, "%s %o %zu %s\n", parts[i].name,
                      (unsigned)parts[i].mode, parts[i].len,
                      tc_hash_name(a, h));
    }
    tc_hash_bytes(&all, text.data, text.len);
    tc_buf_printf(&text, "sum %s\n", tc_hash_name(a, all));
    return tc_buf_finish(&text, a);
}

/* Ours, and nobody else's to write. */
static bool is_private(const struct stat *s) {
    return s->st_uid == geteuid() && (s->st_mode & 0022) == 0;
}

/* A file of an entry, with its bytes; links are not followed. */
static char *read_part(tc_arena *a, int folder, const char *name, int mode,
                       size_t *len) {
    struct stat s;
    int fd =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    bool good = fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) &&
                is_private(&s) && (int)(s.st_mode & 07777) == mode;
    char *bytes =
        good ? tc_read_file(a, tc_format(a, "/proc/self/fd/%d", fd), len)
             : NULL;
    if (fd >= 0) {
        close(fd);
    }
    return bytes;
}

/* Fills the parts, whose names and modes are given. */
static bool read_entry(tc_arena *a, int folder, const char *name,
                       tc_part *parts, int n) {
    struct stat s;
    size_t len = 0;
    if (fstat(folder, &s) != 0 || !is_private(&s)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        parts[i].bytes =
            read_part(a, folder, parts[i].name, parts[i].mode, &parts[i].len);
        if (parts[i].bytes == NULL) {
            return false;
        }
    }
    const char *sum = read_part(a, folder, sum_name, 0600, &len);
    return sum != NULL && strcmp(sum, sum_of(a, name, parts, n)) == 0;
}

const char *tc_cache_find(tc_arena *a, const char *folder, const char *name,
                          tc_part *parts, int n) {
    char *path = tc_format(a, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool good = fd >= 0 && read_entry(a, fd, name, parts, n);
    if (good) {
        futimens(fd, NULL); /* used now */
    }
    if (fd >= 0) {
        close(fd);
    }
    return good ? path : NULL;
}

static bool write_part(tc_arena *a, const char *folder, const char *name,
                       const void *bytes, size_t len, int mode) {
    return tc_write_file(tc_format(a, "%s/%s", folder, name), bytes, len, mode);
}

/* A new folder with the parts in it and their sum, or NULL with errno. */
static const char *make_entry(tc_arena *a, const char *folder, const char *name,
                              const tc_part *parts, int n) {
    char *made = mkdtemp(tc_format(a, "%s/tilecopy-new-XXXXXX", folder));
    bool ok = made != NULL;
    for (int i = 0; i < n && ok; i++) {
        ok = write_part(a, made, parts[i].name, parts[i].bytes, parts[i].len,
                        parts[i].mode);
    }
    const char *sum = sum_of(a, name, parts, n);
    if (ok && tc_cancelled()) { /* the sum is none */
        ok = false;
        errno = EINTR;
    }
    ok = ok && write_part(a, made, sum_name, sum, strlen(sum), 0600);
    int e = errno;
    if (!ok && made != NULL) {
        tc_remove_tree(made);
    }
    errno = e;
    return ok ? made : NULL;
}

const char *tc_cache_put(tc_arena *a, const char *folder, const char *name,
                         const tc_part *parts, int n) {
    enum { TRIES = 4 };
    const char *path = tc_format(a, "%s/%s", folder, name);
    const char *made = make_entry(a, folder, name, parts, n);
    for (int i = 0; made != NULL && i < TRIES; i++) {
        if (rename(made, path) == 0) {
            return path;
        }
        int e = errno;
        if (e != ENOTEMPTY && e != EEXIST && e != ENOTDIR) {
            tc_remove_tree(made);
            errno = e;
            return NULL;
        }
        tc_part *there = TC_NEWN(a, tc_part, n);
        memcpy(there, parts, (size_t)n * sizeof *there);
        if (tc_cache_find(a, folder, name, there, n) != NULL) {
            tc_remove_tree(made); /* another process was quicker */
            return path;
        }
        if (tc_cancelled()) {
            tc_remove_tree(made);
            errno = EINTR;
            return NULL;
        }
        tc_remove_tree(path); /* it is damaged */
    }
    if (made != NULL) {
        tc_remove_tree(made);
        errno = EBUSY;
    }
    return NULL;
}
