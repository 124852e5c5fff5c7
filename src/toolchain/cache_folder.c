/* cache_folder.c - where builds are kept: ROOT/tilecopy-repl/v1, a folder that
 * is ours alone, with a CACHEDIR.TAG (bford.info/cachedir). */
#include "base/temporary.h"
#include "toolchain/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char tag_name[] = "CACHEDIR.TAG";
static const char tag[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file is a cache directory tag created by tilecopy-repl: what is\n"
    "# beside it can be removed at any time, and is, by tilecopy-repl itself.\n"
    "# tilecopy-repl cache v1\n";

/* --- a folder that goes with the process -----------------------------------*/

static char *private_path;
static pid_t private_owner;

void tc_private_end(void) {
    if (private_path != NULL && private_owner == getpid()) {
        tc_remove_tree(private_path);
    }
    free(private_path);
    private_path = NULL;
}

const char *tc_private_folder(tc_arena *a) {
    static bool registered;
    if (private_path == NULL || private_owner != getpid()) {
        const char *made = tc_temporary(a);
        if (made == NULL) {
            return NULL;
        }
        free(private_path); /* a parent's is the parent's */
        private_path = tc_xstrdup(made);
        private_owner = getpid();
        if (!registered) {
            registered = atexit(tc_private_end) == 0;
        }
    }
    return private_path;
}

/* --- the user's ------------------------------------------------------------*/

/* The folder that the user chose, for caches of all programs, or NULL. */
static const char *root_of(tc_arena *a, const char *instead) {
    const char *own = instead != NULL ? instead : getenv("TILECOPY_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own != NULL && *own != '\0') {
        return own;
    }
    if (xdg != NULL && xdg[0] == '/') { /* as its specification says */
        return xdg;
    }
    return home != NULL && home[0] == '/' ? tc_format(a, "%s/.cache", home)
                                          : NULL;
}

/* Opens a folder of ours, made if need be. -1 with why it is not trusted:
 * others could put programs there that we run, or have us remove theirs. NULL
 * for errno. */
static int open_own(int parent, const char *name, const char **why) {
    struct stat s;
    bool made = mkdirat(parent, name, 0700) == 0 || errno == EEXIST;
    int fd = made ? openat(parent, name,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                  : -1;
    if (fd < 0) {
        int failed = errno;
        *why = fstatat(parent, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISLNK(s.st_mode)
                   ? "is a symbolic link"
                   : NULL;
        errno = failed;
        return -1;
    }
    *why = fstat(fd, &s) != 0           ? "cannot be looked at"
           : s.st_uid != geteuid()      ? "belongs to somebody else"
           : (s.st_mode & 0022) != 0    ? "can be written to by others"
           : (s.st_mode & 0700) != 0700 ? "cannot be written to"
                                        : NULL;
    if (*why != NULL) {
        close(fd);
        return -1;
    }
    return fd;
}

static bool is_tagged(tc_arena *a, const char *folder) {
    struct stat s;
    const char *path = tc_format(a, "%s/%s", folder, tag_name);
    size_t len = 0;
    const char *text = lstat(path, &s) == 0 && S_ISREG(s.st_mode)
                           ? tc_read_file(a, path, &len)
                           : NULL;
    return text != NULL && strcmp(text, tag) == 0;
}

/* Nothing but entries of ours in it, so that we may mark it. */
static bool only_entries(const char *folder) {
    DIR *d = opendir(folder);
    bool only = d != NULL;
    for (struct dirent *e; only && (e = readdir(d)) != NULL;) {
        only = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
               strncmp(e->d_name, tag_name, strlen(tag_name)) == 0 ||
               strcmp(e->d_name, "used") == 0 ||
               strcmp(e->d_name, "took") == 0 || tc_cache_is_entry(e->d_name);
    }
    if (d != NULL) {
        closedir(d);
    }
    return only;
}

static const char *open_root(tc_arena *a, const char *root, const char **note) {
    const char *parts[] = {"tilecopy-repl", "v1"}, *why = NULL;
    const char *path = tc_make_folders(root) ? tc_real_path(a, root) : NULL;
    int fd = path != NULL ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0) {
        *note = tc_format(a, "%s: %s", root, strerror(errno));
        return NULL;
    }
    for (int i = 0; fd >= 0 && i < 2; i++) {
        int in = open_own(fd, parts[i], &why);
        path = tc_format(a, "%s/%s%s%s", path, parts[i],
                         in < 0 && why == NULL ? ": " : "",
                         in < 0 && why == NULL ? strerror(errno) : "");
        close(fd);
        fd = in;
    }
    if (fd >= 0) {
        close(fd);
        const char *mark = tc_format(a, "%s/%s", path, tag_name);
        if (is_tagged(a, path) ||
            (only_entries(path) &&
             tc_write_file(mark, tag, sizeof tag - 1, 0644))) {
            return path;
        }
        int failed = errno;
        if (only_entries(path)) {
            *note = tc_format(a, "%s: %s", path, strerror(failed));
            return NULL;
        }
        why = "has files in it that are not ours";
    }
    *note = tc_format(a, "%s%s%s", path, why ? " " : "", why ? why : "");
    return NULL;
}

const char *tc_cache_folder(tc_arena *a, const char *instead,
                            const char **note) {
    const char *root = root_of(a, instead), *why = NULL;
    const char *path = root != NULL ? open_root(a, root, &why) : NULL;
    if (path == NULL && root != NULL) {
        *note = tc_format(a,
                          "the cache is not used, and this build is kept for "
                          "this process only: %s",
                          why);
    }
    return path != NULL ? path : tc_private_folder(a);
}
