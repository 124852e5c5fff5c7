/* bundle.c - the archive that travels in the program, unpacked for its user. */
#include "base/bundle.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* src/packaging/bundle.S, in some programs. */
extern const char tc_bundle[] __attribute__((weak));
extern const char tc_bundle_end[] __attribute__((weak));
extern const char tc_bundle_name[] __attribute__((weak));

/* --- ustar -----------------------------------------------------------------*/

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, TYPE_AT = 156, PREFIX_AT = 345 };

static bool is_inside(const char *path) {
    return path[0] != '/' && path[0] != '\0' && strstr(path, "..") == NULL;
}

/* The prefix, a slash, the name. */
static bool path_of(const char *head, char out[2 * NAME + BLOCK / 2]) {
    int n = head[PREFIX_AT] != '\0'
                ? sprintf(out, "%.155s/%.100s", head + PREFIX_AT, head)
                : sprintf(out, "%.100s", head);
    while (n > 0 && out[n - 1] == '/') {
        out[--n] = '\0';
    }
    return is_inside(out);
}

static bool make_above(int folder, char *path) {
    for (char *p = strchr(path, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        bool ok = mkdirat(folder, path, 0700) == 0 || errno == EEXIST;
        *p = '/';
        if (!ok) {
            return false;
        }
    }
    return true;
}

static bool write_file(int folder, char *path, const char *bytes, size_t len) {
    int fd =
        make_above(folder, path)
            ? openat(folder, path,
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
            : -1;
    bool ok = fd >= 0;
    while (ok && len > 0) {
        ssize_t n = write(fd, bytes, len);
        ok = n > 0 || (n < 0 && errno == EINTR);
        bytes += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
    return fd >= 0 && close(fd) == 0 && ok;
}

bool tc_bundle_unpack(int folder, const char *tar, size_t len) {
    char path[2 * NAME + BLOCK / 2], digits[13] = "";
    for (size_t at = 0; at + BLOCK <= len && tar[at] != '\0';) {
        const char *head = tar + at;
        memcpy(digits, head + SIZE_AT, 12);
        size_t size = strtoull(digits, NULL, 8);
        at += BLOCK;
        if (memcmp(head + 257, "ustar", 5) != 0 || size > len - at ||
            !path_of(head, path)) {
            return false;
        }
        char type = head[TYPE_AT];
        if ((type == '0' || type == '\0') &&
            !write_file(folder, path, tar + at, size)) {
            return false;
        }
        at += (size + BLOCK - 1) / BLOCK * BLOCK;
    }
    return true;
}

/* --- the user's folder -----------------------------------------------------*/

static bool home_of(char *path, size_t size) {
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int n = -1;
    if (data != NULL && data[0] == '/') {
        n = snprintf(path, size, "%s/tilecopy-repl/", data);
    } else if (home != NULL && home[0] == '/') {
        n = snprintf(path, size, "%s/.local/share/tilecopy-repl/", home);
    }
    return n > 0 && (size_t)n < size;
}

static bool make_folders(char *path) {
    for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(path, 0700); /* if it fails, so does what follows */
        *p = '/';
    }
    return access(path, W_OK) == 0;
}

/* Ours alone: others could have us grade and show what they wrote. */
static bool is_own(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
           st.st_uid == geteuid() && (st.st_mode & 0022) == 0;
}

/* In a folder beside it, which then gets its name: it is there whole or not. */
static bool unpack_to(const char *path) {
    char beside[4200];
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    int fd = mkdir(beside, 0700) == 0
                 ? open(beside, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                 : -1;
    bool ok = fd >= 0 && tc_bundle_unpack(fd, tc_bundle,
                                          (size_t)(tc_bundle_end - tc_bundle));
    if (fd >= 0) {
        close(fd);
    }
    if (ok && rename(beside, path) == 0) {
        return true;
    }
    tc_remove_tree(beside);
    return is_own(path); /* another process has been faster */
}

bool tc_bundle_folder(char *path, size_t size) {
    char top[3072];
    if (tc_bundle_name == NULL || !home_of(top, sizeof top) ||
        !make_folders(top)) {
        return false;
    }
    int n = snprintf(path, size, "%s%s", top, tc_bundle_name);
    return n > 0 && (size_t)n < size && (is_own(path) || unpack_to(path));
}

void tc_bundle_terminals(void) {
    char folder[4096], list[4200];
    if (tc_bundle_name != NULL && getenv("TERMINFO_DIRS") == NULL &&
        tc_bundle_folder(folder, sizeof folder)) {
        /* an empty place in the list is the system's */
        snprintf(list, sizeof list, ":%s/terminfo", folder);
        setenv("TERMINFO_DIRS", list, 0);
    }
}
