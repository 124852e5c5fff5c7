#include "toolchain/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The prime is 2^88 + 2^8 + 0x3b: three products of 64 bits and shifts. */
static void hash_byte(tc_hash *h, unsigned char byte) {
    const uint64_t low = 0x13b;
    uint64_t lo = h->lo ^ byte;
    uint64_t left = (lo & 0xffffffff) * low, right = (lo >> 32) * low;
    uint64_t middle = (left >> 32) + right;
    h->hi = h->hi * low + (lo << 24) + (middle >> 32);
    h->lo = (middle << 32) | (left & 0xffffffff);
}

void tc_hash_bytes(tc_hash *h, const void *bytes, size_t len) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < len; i++) {
        hash_byte(h, p[i]);
    }
}

void tc_hash_block(tc_hash *h, const void *bytes, size_t len) {
    for (size_t n = len, i = 0; i < sizeof n; i++, n >>= 8) {
        hash_byte(h, (unsigned char)n);
    }
    tc_hash_bytes(h, bytes, len);
}

void tc_hash_text(tc_hash *h, const char *text) {
    tc_hash_block(h, text != NULL ? text : "\xff", text ? strlen(text) : 1);
}

const char *tc_hash_name(tc_arena *a, tc_hash h) {
    return tc_format(a, "%016llx%016llx", (unsigned long long)h.hi,
                     (unsigned long long)h.lo);
}

bool tc_hash_stat(tc_hash *h, const char *path) {
    struct stat s;
    if (stat(path, &s) != 0) {
        tc_hash_text(h, NULL);
        return false;
    }
    int64_t is[] = {s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
    tc_hash_text(h, path);
    tc_hash_block(h, is, sizeof is);
    return true;
}

/* --- the folder ------------------------------------------------------------*/

/* A folder whose programs we may run: nobody else can have written them. */
static bool is_ours(const char *path) {
    struct stat s;
    return tc_make_folders(path) && stat(path, &s) == 0 &&
           (s.st_uid == geteuid() || geteuid() == 0) &&
           access(path, R_OK | W_OK | X_OK) == 0;
}

const char *tc_cache_folder(tc_arena *a, const char *instead) {
    const char *own = instead != NULL ? instead : getenv("TILECOPY_CACHE");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *name = NULL;
    if (own != NULL && *own != '\0') {
        name = own;
    } else if (xdg != NULL && xdg[0] == '/') { /* as its specification says */
        name = tc_format(a, "%s/tilecopy-repl", xdg);
    } else if (home != NULL && home[0] == '/') {
        name = tc_format(a, "%s/.cache/tilecopy-repl", home);
    }
    if (name == NULL || !is_ours(name)) {
        const char *tmp = getenv("TMPDIR");
        name = tc_format(a, "%s/tilecopy-repl-%ld",
                         tmp != NULL && tmp[0] == '/' ? tmp : "/tmp",
                         (long)geteuid());
        if (!is_ours(name)) {
            return NULL;
        }
    }
    return tc_real_path(a, name);
}

const char *tc_cache_find(tc_arena *a, const char *instead, const char *name) {
    const char *folder = tc_cache_folder(a, instead);
    if (folder == NULL) {
        return NULL;
    }
    char *path = tc_format(a, "%s/%s", folder, name);
    return utimensat(AT_FDCWD, path, NULL, 0) == 0 ? path : NULL;
}

const char *tc_cache_text(tc_arena *a, const char *instead, const char *name,
                          const void *bytes, size_t len) {
    const char *folder = tc_cache_folder(a, instead);
    if (folder == NULL) {
        errno = ENOENT;
        return NULL;
    }
    char *path = tc_format(a, "%s/%s", folder, name);
    return tc_write_file(path, bytes, len, 0644) ? path : NULL;
}

const char *tc_cache_new(tc_arena *a, const char *instead) {
    const char *folder = tc_cache_folder(a, instead);
    return folder == NULL ? NULL
                          : mkdtemp(tc_format(a, "%s/new-XXXXXX", folder));
}

const char *tc_cache_keep(tc_arena *a, const char *made, const char *name) {
    char *path = tc_format(a, "%s/%s", tc_folder_of(a, made), name);
    if (rename(made, path) == 0) {
        return path;
    }
    int e = errno;
    if (e == ENOTEMPTY || e == EEXIST) { /* another process was quicker */
        tc_remove_tree(made);
        return path;
    }
    errno = e;
    return NULL;
}

/* --- what is too much ------------------------------------------------------*/

typedef struct entry {
    const char *path;
    int64_t used; /* ns */
    uint64_t bytes;
} entry;

static int64_t used_at(const struct stat *s) {
    return (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec;
}

/* Bytes on the disk of a file, or of the files of a folder. */
static uint64_t size_of(tc_arena *a, const char *path, const struct stat *s) {
    uint64_t sum = (uint64_t)s->st_blocks * 512;
    DIR *d = S_ISDIR(s->st_mode) ? opendir(path) : NULL;
    if (d == NULL) {
        return sum;
    }
    struct stat in;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.' &&
            lstat(tc_format(a, "%s/%s", path, e->d_name), &in) == 0) {
            sum += (uint64_t)in.st_blocks * 512;
        }
    }
    closedir(d);
    return sum;
}

static int by_age(const void *x, const void *y) {
    const entry *p = x, *q = y;
    return p->used < q->used ? -1 : p->used > q->used;
}

/* Entries that are not being used: those of the last minute are, by somebody
 * who has found or is making them. */
static entry *entries(tc_arena *a, const char *folder, int *n, uint64_t *sum) {
    entry *all = NULL;
    int cap = 0;
    DIR *d = opendir(folder);
    int64_t recent = ((int64_t)time(NULL) - 60) * 1000000000;
    *n = 0;
    *sum = 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        struct stat s;
        char *path = tc_format(a, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || lstat(path, &s) != 0) {
            continue;
        }
        entry one = {path, used_at(&s), size_of(a, path, &s)};
        *sum += one.bytes;
        if (one.used < recent) {
            TC_PUSH(a, all, *n, cap, one);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return all;
}

static uint64_t limit(void) {
    const char *own = getenv("TILECOPY_CACHE_MB");
    char *end = NULL;
    unsigned long mb = own != NULL ? strtoul(own, &end, 10) : 0;
    bool given = end != NULL && end != own && *end == '\0' && mb < 1u << 30;
    return (uint64_t)(given ? mb : 512) << 20;
}

void tc_cache_trim(tc_arena *a, const char *instead) {
    const char *folder = tc_cache_folder(a, instead);
    int n = 0;
    uint64_t sum = 0, most = limit();
    entry *all = folder != NULL ? entries(a, folder, &n, &sum) : NULL;
    if (n > 0) {
        qsort(all, (size_t)n, sizeof *all, by_age);
    }
    for (int i = 0; i < n && sum > most; i++) {
        tc_remove_tree(all[i].path);
        sum -= all[i].bytes;
    }
}
