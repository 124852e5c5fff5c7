/* filter.c - system calls that nobody needs for arithmetic (libseccomp). They
 * fail with EPERM, but for clone3, whose flags a filter cannot read: with
 * ENOSYS the C library takes clone. */
#include "sandbox/internal.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static const char *const refused[] = {
    /* other processes */
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
    "process_madvise", "pidfd_send_signal",
    /* file systems, namespaces */
    "mount", "umount", "umount2", "pivot_root", "chroot", "unshare", "setns",
    "open_tree", "move_mount", "fsopen", "fsmount", "fsconfig", "fspick",
    "mount_setattr", "open_by_handle_at", "name_to_handle_at", "swapon",
    "swapoff", "quotactl", "mknod", "mknodat",
    /* memory that no limit of a process counts */
    "memfd_create", "memfd_secret", "shmget", "shmat", "msgget", "semget",
    "mq_open",
    /* the network; buffers that no limit counts */
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
    /* the kernel */
    "bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "keyctl", "add_key", "request_key", "init_module",
    "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot",
    "acct", "syslog", "settimeofday", "clock_settime", "adjtimex",
    "clock_adjtime", "iopl", "ioperm", "personality", "vhangup",
    "lookup_dcookie", "fanotify_init", "sethostname", "setdomainname"};

enum { SHARED_MEMORY = MAP_SHARED | MAP_ANONYMOUS };

static const unsigned long spaces[] = {
    CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,   CLONE_NEWNET,
    CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP};

bool tc_sandbox_filter(void) {
    scmp_filter_ctx c = seccomp_init(SCMP_ACT_ALLOW);
    bool ok = c != NULL;
    for (size_t i = 0; ok && i < sizeof refused / sizeof *refused; i++) {
        int n = seccomp_syscall_resolve_name(refused[i]);
        ok = n == __NR_SCMP_ERROR || /* this libseccomp does not know it */
             seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), n, 0) == 0 || n < 0;
    }
    for (size_t i = 0; ok && i < sizeof spaces / sizeof *spaces; i++) {
        ok = seccomp_rule_add(
                 c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                 SCMP_A0(SCMP_CMP_MASKED_EQ, spaces[i], spaces[i])) == 0;
    }
    ok =
        ok &&
        seccomp_rule_add(c, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
        /* pages that stay when no process has them mapped any more */
        seccomp_rule_add(
            c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(mmap), 1,
            SCMP_A3(SCMP_CMP_MASKED_EQ, SHARED_MEMORY, SHARED_MEMORY)) == 0 &&
        seccomp_rule_add(c, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                         SCMP_A1(SCMP_CMP_MASKED_EQ, 0xffffffff, TIOCSTI)) ==
            0 &&
        seccomp_load(c) == 0;
    seccomp_release(c);
    return ok;
}
