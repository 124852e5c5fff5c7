/* namespaces.c - a user, processes, a network and a root of its own. */
#include "sandbox/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    INSIDE = 1000, /* the user's number in there: not root's, whose capabilities
                      exec would give back */
    FILES = 20000, /* in its root: what has no bytes is memory, too */
    PATH = 4096
};

static bool put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return n == (ssize_t)strlen(text);
}

bool tc_sandbox_unshare(void) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%d %u 1\n", INSIDE, (unsigned)geteuid());
    snprintf(groups, sizeof groups, "%d %u 1\n", INSIDE, (unsigned)getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                   CLONE_NEWIPC | CLONE_NEWUTS) == 0 &&
           put("/proc/self/setgroups", "deny") &&
           put("/proc/self/uid_map", users) &&
           put("/proc/self/gid_map", groups);
}

/* ---- the root ---- */

/* mount_setattr(2), for all that is mounted below too. */
static bool restrict_tree(const char *path, bool writable) {
#ifdef SYS_mount_setattr
    struct {
        uint64_t set, clear, propagation, userns;
    } a = {MS_NOSUID | MS_NODEV | (writable ? 0 : MS_RDONLY), 0, 0, 0};
    /* MOUNT_ATTR_RDONLY, NOSUID and NODEV have the bits of MS_. */
    return syscall(SYS_mount_setattr, AT_FDCWD, path, 0x8000 /* AT_RECURSIVE */,
                   &a, sizeof a) == 0;
#else
    (void)path, (void)writable;
    errno = ENOSYS;
    return false;
#endif
}

/* The folders above a path, as mkdir -p makes them. */
static void make_parents(const char *path) {
    char part[PATH];
    for (const char *p = path + 1; (p = strchr(p, '/')) != NULL; p++) {
        snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
        mkdir(part, 0755);
    }
}

/* path, as it is outside, at the same place below `under`. What is not there is
 * not there inside either; a link stays one. */
static bool show(const char *under, const char *path, bool writable) {
    char to[PATH], target[PATH];
    struct stat s;
    if (lstat(path, &s) != 0) {
        return true;
    }
    snprintf(to, sizeof to, "%s%s", under, path);
    make_parents(to);
    if (S_ISLNK(s.st_mode)) {
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        return n > 0 && (symlink(target, to) == 0 || errno == EEXIST);
    }
    if (S_ISDIR(s.st_mode)) {
        mkdir(to, 0755);
    } else {
        int fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
        if (fd >= 0) {
            close(fd);
        }
    }
    bool device = S_ISCHR(s.st_mode);
    return mount(path, to, NULL, MS_BIND | MS_REC, NULL) == 0 &&
           (device || restrict_tree(to, writable));
}

bool tc_sandbox_root(const tc_sandbox *s) {
    static const char *const system[] = {"/usr",
                                         "/bin",
                                         "/lib",
                                         "/lib64",
                                         "/lib32",
                                         "/libx32",
                                         "/sbin",
                                         "/etc/ld.so.cache",
                                         "/etc/alternatives",
                                         "/dev/null",
                                         "/dev/full",
                                         "/dev/urandom",
                                         "/dev/random"};
    static const char under[] = "/proc"; /* a folder that is always there */
    char how[64], here[PATH], to[PATH + 8];
    bool known = s->stays && getcwd(here, sizeof here) != NULL;
    unsigned long long room = s->file ? s->file : (64ull << 20);
    snprintf(how, sizeof how, "mode=0755,size=%llu,nr_inodes=%d", room, FILES);
    bool ok = mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) == 0 &&
              mount("tmpfs", under, "tmpfs", MS_NOSUID | MS_NODEV, how) == 0;
    for (size_t i = 0; ok && i < sizeof system / sizeof *system; i++) {
        ok = show(under, system[i], false);
    }
    mkdir("/proc/tmp", 01777);
    for (int i = 0; ok && s->reads[i] != NULL; i++) {
        ok = show(under, s->reads[i], false);
    }
    if (ok && s->writes != NULL) {
        ok = show(under, s->writes, true);
    }
    if (known) {
        snprintf(to, sizeof to, "%s%s/", under, here);
        make_parents(to);
    }
    return ok && chdir(under) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 &&
           (known ? chdir(here) == 0 : chdir("/") == 0);
}

bool tc_sandbox_drop(void) {
    struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}, {0}};
    for (int i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) {
        prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &h, none) == 0;
}
