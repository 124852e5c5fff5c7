/* cache_trim.c - removes what was used longest ago. Only folders of ours whose
 * names have the form that we give them are looked at, directly in the cache;
 * links are not followed.
 *
 * A cache of 4,000 entries takes 16,000 calls to look at, which is seconds where
 * the disk is busy. So "used" has the bytes that a look found and what was put
 * since, and the next look is when that passes the limit, or after an hour: of
 * two processes that write it at once one is forgotten. */
#include "base/cancel.h"
#include "base/progress/progress.h"
#include "base/temporary.h"
#include "toolchain/internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    RECENT = 60,      /* s: somebody has found it, or is making it, just now */
    ABANDONED = 3600, /* s: nobody makes an entry for so long */
    TRUSTED = 3600,   /* s: what is noted is taken for so long */
    NAME = 64         /* hexadecimal digits */
};

static bool is_new(const char *name) {
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789";
    const char *mark = "tilecopy-new-";
    size_t n = strlen(mark);
    return strncmp(name, mark, n) == 0 && strlen(name) == n + 6 &&
           strspn(name + n, letters) == 6;
}

bool tc_cache_is_entry(const char *name) {
    static const char *const kinds[] = {".build", ".kernels", ".deps",
                                        ".registers", ".cubin"};
    bool named = strspn(name, "0123456789abcdef") == NAME;
    for (size_t i = 0; named && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(name + NAME, kinds[i]) == 0) {
            return true;
        }
    }
    return is_new(name);
}

typedef struct cache_entry {
    const char *path;
    int64_t used; /* ns */
    uint64_t bytes;
} cache_entry;

/* Bytes on the disk of the files of a folder. */
static uint64_t size_of(tc_arena *a, const char *path, const struct stat *s) {
    uint64_t sum = (uint64_t)s->st_blocks * 512;
    DIR *d = opendir(path);
    struct stat in;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.' &&
            lstat(tc_format(a, "%s/%s", path, e->d_name), &in) == 0) {
            sum += (uint64_t)in.st_blocks * 512;
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return sum;
}

static int by_age(const void *x, const void *y) {
    const cache_entry *p = x, *q = y;
    return p->used < q->used ? -1 : p->used > q->used;
}

/* Those that nobody is using; *sum is of all. Some, when it is cancelled. */
static cache_entry *entries(tc_arena *a, const char *folder, int *n,
                            uint64_t *sum) {
    cache_entry *all = NULL;
    int cap = 0;
    DIR *d = opendir(folder);
    int64_t now = (int64_t)time(NULL);
    *n = 0;
    *sum = 0;
    for (struct dirent *e;
         d != NULL && !tc_cancelled() && (e = readdir(d)) != NULL;) {
        struct stat s;
        char *path = tc_format(a, "%s/%s", folder, e->d_name);
        if (!tc_cache_is_entry(e->d_name) || lstat(path, &s) != 0 ||
            !S_ISDIR(s.st_mode) || s.st_uid != geteuid()) {
            continue;
        }
        int64_t age = now - s.st_mtim.tv_sec;
        cache_entry one = {
            path, (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec,
            size_of(a, path, &s)};
        if (is_new(e->d_name) && age > ABANDONED) {
            tc_remove_tree(path);
            continue;
        }
        *sum += one.bytes;
        if (age > RECENT) {
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

static const char used_name[] = "used";

static void note_used(tc_arena *a, const char *folder, uint64_t bytes,
                      long long looked) {
    char text[64];
    int n = snprintf(text, sizeof text, "%llu %lld\n",
                     (unsigned long long)bytes, looked);
    tc_write_file(tc_format(a, "%s/%s", folder, used_name), text, (size_t)n,
                  0600);
}

void tc_cache_trim(tc_arena *a, const char *folder) {
    int n = 0;
    uint64_t sum = 0, most = limit();
    tc_progress_begin("looking through the kept builds");
    cache_entry *all = entries(a, folder, &n, &sum);
    tc_progress_end();
    if (tc_cancelled()) {
        return;
    }
    if (n > 0) {
        qsort(all, (size_t)n, sizeof *all, by_age);
    }
    uint64_t goal = sum > most ? most - most / 8 : most;
    for (int i = 0; i < n && sum > goal; i++) {
        tc_remove_tree(all[i].path);
        sum -= all[i].bytes;
    }
    note_used(a, folder, sum, (long long)time(NULL));
}

void tc_cache_grew(tc_arena *a, const char *folder, const char *entry) {
    unsigned long long bytes = 0;
    long long looked = 0, now = (long long)time(NULL);
    size_t len = 0;
    struct stat s;
    const char *text =
        tc_read_file(a, tc_format(a, "%s/%s", folder, used_name), &len);
    bool known = text != NULL &&
                 sscanf(text, "%llu %lld\n", &bytes, &looked) == 2 &&
                 looked <= now && now - looked < TRUSTED;
    if (lstat(entry, &s) == 0) {
        bytes += size_of(a, entry, &s);
    }
    if (known && bytes <= limit()) {
        note_used(a, folder, bytes, looked);
    } else {
        tc_cache_trim(a, folder);
    }
}
