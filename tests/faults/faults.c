/* faults.c - a library for LD_PRELOAD under which the n-th call of a class of
 * functions fails: FAULT_CLASS is memory, write, open or fork; FAULT_AT counts
 * from 1; FAULT_ALL=1: so do all calls after it. Calls are counted from main on
 * in this process alone: its children do not fail,
 * as LD_PRELOAD is taken from their environment. FAULT_COUNT names a file that
 * gets the number of calls at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long at;
static bool all, counting;
static char class[16];
static const char *count_file;

static void begin(int argc, char **argv, char **env) {
    (void)argc, (void)argv, (void)env;
    const char *c = getenv("FAULT_CLASS"), *n = getenv("FAULT_AT");
    snprintf(class, sizeof class, "%s", c ? c : "");
    at = n ? atol(n) : 0;
    all = getenv("FAULT_ALL") != NULL;
    count_file = getenv("FAULT_COUNT");
    unsetenv("LD_PRELOAD");
    counting = true;
}

/* Before main, after the constructors of the libraries below. */
__attribute__((section(".init_array"),
               used)) static void (*const start)(int, char **, char **) = begin;

__attribute__((destructor)) static void end(void) {
    counting = false;
    FILE *f = count_file ? fopen(count_file, "w") : NULL;
    if (f) {
        fprintf(f, "%ld\n", atomic_load(&calls));
        fclose(f);
    }
}

static bool fails(const char *of, int error) {
    if (!counting || strcmp(class, of) != 0) {
        return false;
    }
    long n = atomic_fetch_add(&calls, 1) + 1;
    bool now = at > 0 && (n == at || (all && n > at));
    if (now) {
        errno = error;
    }
    return now;
}

#define REAL(name)                                                             \
    static __typeof__(&name) real;                                             \
    if (!real) {                                                               \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                             \
    }

/* glibc's own names: dlsym may want memory. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t n) {
    return fails("memory", ENOMEM) ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    return fails("memory", ENOMEM) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t n) {
    return fails("memory", ENOMEM) ? NULL : __libc_realloc(p, n);
}
void *aligned_alloc(size_t to, size_t n) {
    return fails("memory", ENOMEM) ? NULL : __libc_memalign(to, n);
}
int posix_memalign(void **p, size_t to, size_t n) {
    if (fails("memory", ENOMEM)) {
        return ENOMEM;
    }
    *p = __libc_memalign(to, n);
    return *p ? 0 : ENOMEM;
}
void *mmap(void *p, size_t n, int prot, int flags, int fd, off_t o) {
    REAL(mmap)
    return fails("memory", ENOMEM) ? MAP_FAILED
                                   : real(p, n, prot, flags, fd, o);
}

ssize_t write(int fd, const void *p, size_t n) {
    REAL(write)
    return fails("write", ENOSPC) ? -1 : real(fd, p, n);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t o) {
    REAL(pwrite)
    return fails("write", ENOSPC) ? -1 : real(fd, p, n, o);
}
size_t fwrite(const void *p, size_t size, size_t n, FILE *f) {
    REAL(fwrite)
    if (fails("write", ENOSPC)) {
        f->_flags |= 0x20; /* glibc's _IO_ERR_SEEN: ferror tells */
        return 0;
    }
    return real(p, size, n, f);
}
int fsync(int fd) {
    REAL(fsync)
    return fails("write", EIO) ? -1 : real(fd);
}
int rename(const char *from, const char *to) {
    REAL(rename)
    return fails("write", ENOSPC) ? -1 : real(from, to);
}
int ftruncate(int fd, off_t n) {
    REAL(ftruncate)
    return fails("write", ENOSPC) ? -1 : real(fd, n);
}

int open(const char *path, int flags, ...) {
    REAL(open)
    va_list ap;
    va_start(ap, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
    va_end(ap);
    return fails("open", EMFILE) ? -1 : real(path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
    REAL(fopen)
    return fails("open", EMFILE) ? NULL : real(path, mode);
}
int memfd_create(const char *name, unsigned flags) {
    REAL(memfd_create)
    return fails("open", EMFILE) ? -1 : real(name, flags);
}
int pipe2(int fd[2], int flags) {
    REAL(pipe2)
    return fails("open", EMFILE) ? -1 : real(fd, flags);
}
int mkdir(const char *path, mode_t mode) {
    REAL(mkdir)
    return fails("open", ENOSPC) ? -1 : real(path, mode);
}
char *mkdtemp(char *path) {
    REAL(mkdtemp)
    return fails("open", ENOSPC) ? NULL : real(path);
}

pid_t fork(void) {
    REAL(fork)
    return fails("fork", EAGAIN) ? -1 : real();
}
int posix_spawn(pid_t *pid, const char *path,
                const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *how, char *const argv[],
                char *const env[]) {
    REAL(posix_spawn)
    return fails("fork", EAGAIN) ? EAGAIN
                                 : real(pid, path, files, how, argv, env);
}
