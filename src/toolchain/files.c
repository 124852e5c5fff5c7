/* files.c - files, folders and programs in PATH. */
#include "base/cancel.h"
#include "base/temporary.h"
#include "toolchain/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool tc_is_program(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

bool tc_is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

const char *tc_in_path(tc_arena *a, const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL) {
        return tc_is_program(name) ? tc_strdup(a, name) : NULL;
    }
    while (path != NULL && *path != '\0') {
        size_t len = strcspn(path, ":");
        /* an empty element means the working folder: never run from there */
        if (len > 0 && path[0] == '/') {
            char *at = tc_format(a, "%.*s/%s", (int)len, path, name);
            if (tc_is_program(at)) {
                return at;
            }
        }
        path += len + (path[len] == ':');
    }
    return NULL;
}

/* Of one call, so that what is long can be cancelled. */
static size_t most_of(size_t len) {
    enum { MOST = 1 << 20 };
    return len < MOST ? len : MOST;
}

char *tc_read_file(tc_arena *a, const char *path, size_t *len) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode)) {
        close(fd);
        errno = S_ISDIR(s.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    size_t n = 0, size = (size_t)s.st_size;
    char *bytes = tc_alloc(a, size + 1);
    while (n < size && !tc_cancelled()) {
        ssize_t got = read(fd, bytes + n, most_of(size - n));
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            break; /* it has become shorter meanwhile */
        }
        n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (tc_cancelled()) {
        errno = EINTR;
        return NULL;
    }
    bytes[n] = '\0';
    *len = n;
    return bytes;
}

static bool write_all(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t n = tc_cancelled() ? -1 : write(fd, bytes, most_of(len));
        if (tc_cancelled()) {
            errno = EINTR;
            return false;
        }
        if (n < 0 && errno != EINTR) {
            return false;
        }
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool tc_write_file(const char *path, const void *bytes, size_t len, int mode) {
    tc_buf beside = TC_BUF_INIT;
    tc_buf_printf(&beside, "%s.XXXXXX", path);
    int fd = mkostemp(beside.data, O_CLOEXEC);
    bool ok = fd >= 0 && write_all(fd, bytes, len);
    ok = ok && fchmod(fd, (mode_t)mode) == 0;
    int e = errno;
    ok = (fd < 0 || close(fd) == 0) && ok;
    ok = ok && rename(beside.data, path) == 0;
    if (!ok && fd >= 0) {
        e = e != 0 ? e : errno;
        unlink(beside.data);
    }
    tc_buf_free(&beside);
    errno = ok ? 0 : e;
    return ok;
}

bool tc_make_folders(const char *path) {
    char *all = tc_xstrdup(path);
    bool ok = true;
    for (char *p = all + 1; ok && all[0] != '\0'; p++) {
        if (*p == '/' || *p == '\0') {
            char was = *p;
            *p = '\0';
            ok = mkdir(all, 0755) == 0 || tc_is_folder(all);
            *p = was;
            if (was == '\0') {
                break;
            }
        }
    }
    free(all);
    return ok;
}

const char *tc_real_path(tc_arena *a, const char *path) {
    char real[PATH_MAX];
    return realpath(path, real) != NULL ? tc_strdup(a, real) : NULL;
}

const char *tc_base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *tc_folder_of(tc_arena *a, const char *path) {
    const char *base = tc_base_of(path);
    if (base == path) {
        return ".";
    }
    size_t len = (size_t)(base - path) - 1;
    return len == 0 ? "/" : tc_strndup(a, path, len);
}

bool tc_plain_path(const char *path) {
    for (; *path != '\0'; path++) {
        if ((unsigned char)*path < ' ' || *path == 127 ||
            strchr("$`\"\\,", *path) != NULL) {
            return false;
        }
    }
    return true;
}

const char *tc_temporary(tc_arena *a) {
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/' || !tc_plain_path(base) ||
        access(base, W_OK | X_OK) != 0) {
        base = "/tmp";
    }
    char *path = tc_format(a, "%s/tilecopy-XXXXXX", base);
    if (mkdtemp(path) == NULL) {
        return NULL;
    }
    tc_temporary_note(path);
    return path;
}
