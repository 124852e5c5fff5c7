/* faults.c - a library for LD_PRELOAD under which the n-th call of a class of
 * functions fails: FAULT_CLASS is memory, write, open (whatever makes a
 * descriptor or a file) or fork (or a thread); FAULT_AT counts from 1;
 * FAULT_ALL=1: so do all calls after it. Each process counts from main on, and
 * a fork goes on from its parent's count: what is forked to lead others fails
 * as well, up to exec, as LD_PRELOAD is taken from the environment. FAULT_COUNT
 * names a file that gets the largest number of calls. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
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
    long n = atomic_load(&calls), before = 0;
    counting = false;
    FILE *f = count_file ? fopen(count_file, "a+") : NULL;
    while (f && fscanf(f, "%ld", &before) == 1) {
        n = n > before ? n : before;
    }
    if (f) {
        fprintf(f, "%ld\n", n);
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
int openat(int at_fd, const char *path, int flags, ...) {
    REAL(openat)
    va_list ap;
    va_start(ap, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
    va_end(ap);
    return fails("open", EMFILE) ? -1 : real(at_fd, path, flags, mode);
}
int creat(const char *path, mode_t mode) {
    REAL(creat)
    return fails("open", EMFILE) ? -1 : real(path, mode);
}
DIR *opendir(const char *path) {
    REAL(opendir)
    return fails("open", EMFILE) ? NULL : real(path);
}
DIR *fdopendir(int fd) {
    REAL(fdopendir)
    return fails("open", ENOMEM) ? NULL : real(fd);
}
int mkstemp(char *path) {
    REAL(mkstemp)
    return fails("open", ENOSPC) ? -1 : real(path);
}
int mkostemp(char *path, int flags) {
    REAL(mkostemp)
    return fails("open", ENOSPC) ? -1 : real(path, flags);
}
int socketpair(int domain, int type, int protocol, int fd[2]) {
    REAL(socketpair)
    return fails("open", EMFILE) ? -1 : real(domain, type, protocol, fd);
}
int dup(int fd) {
    REAL(dup)
    return fails("open", EMFILE) ? -1 : real(fd);
}
int dup2(int fd, int to) {
    REAL(dup2)
    return fails("open", EMFILE) ? -1 : real(fd, to);
}
int fcntl(int fd, int what, ...) {
    REAL(fcntl)
    va_list ap;
    va_start(ap, what);
    void *value = va_arg(ap, void *);
    va_end(ap);
    bool makes = what == F_DUPFD || what == F_DUPFD_CLOEXEC;
    return makes && fails("open", EMFILE) ? -1 : real(fd, what, value);
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
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*fn)(void *),
                   void *user) {
    REAL(pthread_create)
    return fails("fork", EAGAIN) ? EAGAIN : real(t, a, fn, user);
}

/* The C library's vfork has to be reached by a jump: its caller's frame must
 * stand when it returns for the second time. */
#ifdef __x86_64__
__attribute__((used)) static void *vfork_or_null(void) {
    static void *real;
    real = real ? real : dlsym(RTLD_NEXT, "vfork");
    return fails("fork", EAGAIN) ? NULL : real;
}
__asm__(".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    subq $8, %rsp\n"
        "    call vfork_or_null\n"
        "    addq $8, %rsp\n"
        "    testq %rax, %rax\n"
        "    je 1f\n"
        "    jmp *%rax\n"
        "1:  movl $-1, %eax\n"
        "    ret\n");
#endif
