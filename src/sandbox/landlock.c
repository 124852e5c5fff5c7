/* landlock.c - what files may be written, by landlock(7): a second wall behind
 * the mounts, and the only one where there are no namespaces. */
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/landlock.h, which older systems lack; numbers are the kernel's. */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    ALL_1 = (1 << 13) - 1, /* all rights of ABI 1 */
    REFER = 1 << 13,       /* ABI 2 */
    TRUNCATE = 1 << 14,    /* 3 */
    IOCTL_DEV = 1 << 15,   /* 5 */
    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
    NET_ALL = 3, /* bind and connect TCP: ABI 4 */
    SCOPED = 3,  /* abstract sockets, signals: ABI 6 */
    CREATE = 444,
    ADD = 445,
    RESTRICT = 446
};

typedef struct ruleset {
    uint64_t files, net, scoped;
} ruleset;

typedef struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) beneath;

static bool allow(int rules, const char *path, uint64_t what) {
    struct stat s;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        return true; /* not there: nothing to allow */
    }
    bool folder = fstat(fd, &s) == 0 && S_ISDIR(s.st_mode);
    beneath b = {folder ? what : what & OF_FILES, fd};
    bool ok = syscall(ADD, rules, 1 /* beneath a path */, &b, 0u) == 0;
    close(fd);
    return ok;
}

bool tc_sandbox_landlock(const tc_sandbox *s) {
    static const char *const system[] = {"/usr",
                                         "/bin",
                                         "/lib",
                                         "/lib64",
                                         "/lib32",
                                         "/etc/ld.so.cache",
                                         "/etc/alternatives",
                                         "/dev/urandom",
                                         "/dev/random"};
    static const char *const devices[] = {"/dev/null", "/dev/full"};
    long abi = syscall(CREATE, NULL, 0ul, 1u);
    if (abi < 1) {
        return false;
    }
    uint64_t all = ALL_1 | (abi >= 2 ? REFER : 0) | (abi >= 3 ? TRUNCATE : 0) |
                   (abi >= 5 ? IOCTL_DEV : 0);
    ruleset r = {all, abi >= 4 ? NET_ALL : 0, abi >= 6 ? SCOPED : 0};
    size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    int rules = (int)syscall(CREATE, &r, size, 0u);
    bool ok = rules >= 0;
    for (size_t i = 0; ok && i < sizeof system / sizeof *system; i++) {
        ok = allow(rules, system[i], EXECUTE | READ_FILE | READ_DIR);
    }
    for (size_t i = 0; ok && i < sizeof devices / sizeof *devices; i++) {
        ok = allow(rules, devices[i], READ_FILE | WRITE_FILE);
    }
    for (int i = 0; ok && s->reads[i] != NULL; i++) {
        ok = allow(rules, s->reads[i], EXECUTE | READ_FILE | READ_DIR);
    }
    ok = ok && (s->writes == NULL || allow(rules, s->writes, all)) &&
         (access("/proc/self", F_OK) == 0 || allow(rules, "/tmp", all)) &&
         syscall(RESTRICT, rules, 0u) == 0;
    if (rules >= 0) {
        close(rules);
    }
    return ok;
}
