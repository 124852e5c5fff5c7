/* temporary.c - folders for temporary files, which go on each path out: what has
 * not been removed is known, also to the process above ours (tc_supervise), where
 * that made the list, and can be removed without memory. */
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST = 64, LONGEST = 1000, DEEPEST = 64 };

/* owner: the process that made it, or 0: free. */
typedef struct slot {
    pid_t owner;
    char path[LONGEST];
} slot;

static slot own[MOST], *slots = own;
static bool shared; /* with a parent, which removes all */

/* --- removal: only calls that are safe in a signal handler -----------------*/

/* getdents64(2) */
typedef struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t len;
    uint8_t type;
    char name[];
} entry;

static void remove_at(int parent, const char *name, int depth);

static void remove_in(int fd, int depth) {
    _Alignas(entry) char bytes[4096];
    long n;
    while ((n = syscall(SYS_getdents64, fd, bytes, sizeof bytes)) > 0) {
        for (long at = 0; at < n;) {
            const entry *e = (const entry *)(const void *)(bytes + at);
            if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0) {
                remove_at(fd, e->name, depth + 1);
            }
            at += e->len;
        }
    }
}

/* A lack of descriptors may be over at once: a second try. */
static void remove_at(int parent, const char *name, int depth) {
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if (unlinkat(parent, name, 0) == 0 || depth > DEEPEST) {
        return;
    }
    int fd = openat(parent, name, flags);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        fd = openat(parent, name, flags);
    }
    if (fd >= 0) {
        remove_in(fd, depth);
        close(fd);
    }
    unlinkat(parent, name, AT_REMOVEDIR);
}

void tc_remove_tree(const char *path) {
    remove_at(AT_FDCWD, path, 0);
    for (int i = 0; i < MOST; i++) {
        if (slots[i].owner == getpid() && strcmp(slots[i].path, path) == 0) {
            slots[i].owner = 0;
        }
    }
}

/* --- what there is ---------------------------------------------------------*/

void tc_temporaries_share(void) {
    void *p = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p != MAP_FAILED) {
        slots = p;
        shared = true;
    }
}

void tc_temporaries_end(bool all) {
    for (int i = 0; i < MOST; i++) {
        bool ours = slots[i].owner == getpid();
        if (slots[i].owner != 0 && (ours || (all && shared))) {
            remove_at(AT_FDCWD, slots[i].path, 0);
            slots[i].owner = 0;
        }
    }
}

void tc_temporary_note(const char *path) {
    for (int i = 0; i < MOST && strlen(path) < LONGEST; i++) {
        if (slots[i].owner == 0) {
            snprintf(slots[i].path, LONGEST, "%s", path);
            slots[i].owner = getpid();
            return;
        }
    }
}
