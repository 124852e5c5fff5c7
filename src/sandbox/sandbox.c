/* sandbox.c - starting a program in the sandbox. Three processes of this
 * program lead to it: one in the caller's PID namespace, which it knows; the
 * first in the new one, whose end is that of all there; the program. */
#include "sandbox/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char mark[] = "--tilecopy-sandbox";

/* ---- the command ---- */

const char *const *tc_sandbox_command(tc_arena *a, const tc_sandbox *s,
                                      const char *const *argv) {
    if (s == NULL) {
        return argv;
    }
    int n = 0, at = 0;
    while (argv[n] != NULL) {
        n++;
    }
    const char **all = TC_NEWN(a, const char *, n + 2 * TC_SANDBOX_PATHS + 13);
    all[at++] = "/proc/self/exe";
    all[at++] = mark;
    all[at++] = s->required ? "required" : "possible";
    all[at++] = s->stays ? "stays" : "moves";
    all[at++] = tc_format(a, "file=%" PRIu64, s->file);
    all[at++] = tc_format(a, "memory=%" PRIu64, s->memory);
    all[at++] = tc_format(a, "together=%" PRIu64, s->together);
    all[at++] = tc_format(a, "processes=%d", s->processes);
    for (int i = 0; s->reads[i] != NULL; i++) {
        all[at++] = tc_format(a, "reads=%s", s->reads[i]);
    }
    for (int i = 0; s->keeps[i] != NULL; i++) {
        all[at++] = tc_format(a, "keeps=%s", s->keeps[i]);
    }
    if (s->writes != NULL) {
        all[at++] = tc_format(a, "writes=%s", s->writes);
    }
    all[at++] = "--";
    memcpy(&all[at], argv, ((size_t)n + 1) * sizeof *all);
    return all;
}

static const char *after(const char *word, const char *key) {
    size_t n = strlen(key);
    return strncmp(word, key, n) == 0 ? word + n : NULL;
}

/* The words up to "--"; what is behind that, or NULL. */
static char **read_command(char **words, tc_sandbox *s) {
    int reads = 0, keeps = 0;
    for (; *words != NULL && strcmp(*words, "--") != 0; words++) {
        const char *v;
        if ((v = after(*words, "reads=")) && reads < TC_SANDBOX_PATHS - 1) {
            s->reads[reads++] = v;
        } else if ((v = after(*words, "keeps=")) &&
                   keeps < TC_SANDBOX_PATHS - 1) {
            s->keeps[keeps++] = v;
        } else if ((v = after(*words, "writes="))) {
            s->writes = v;
        } else if ((v = after(*words, "file="))) {
            s->file = strtoull(v, NULL, 10);
        } else if ((v = after(*words, "memory="))) {
            s->memory = strtoull(v, NULL, 10);
        } else if ((v = after(*words, "together="))) {
            s->together = strtoull(v, NULL, 10);
        } else if ((v = after(*words, "processes="))) {
            s->processes = atoi(v);
        } else {
            s->required |= strcmp(*words, "required") == 0;
            s->stays |= strcmp(*words, "stays") == 0;
        }
    }
    return *words != NULL ? words + 1 : NULL;
}

/* ---- the program ---- */

static void limit(int what, uint64_t most) {
    struct rlimit r;
    if (getrlimit(what, &r) == 0 && most < r.rlim_max) {
        setrlimit(what, &(struct rlimit){most, most});
    }
}

static void set_limits(const tc_sandbox *s) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_MSGQUEUE, 0);
    limit(RLIMIT_NOFILE, 256);
    if (s->file > 0) {
        limit(RLIMIT_FSIZE, s->file);
    }
    if (s->memory > 0) {
        limit(RLIMIT_AS, s->memory);
    }
    if (s->processes > 0) {
        limit(RLIMIT_NPROC, (uint64_t)s->processes);
    }
}

/* Nothing of the caller's but what is named. */
static char **environment(const tc_sandbox *s) {
    static char *all[TC_SANDBOX_PATHS + 8];
    static const char *const own[][2] = {
        {"PATH", "/usr/local/bin:/usr/bin:/bin"},
        {"HOME", "/tmp"},
        {"TMPDIR", "/tmp"},
        {"LC_ALL", "C.UTF-8"}};
    int n = 0;
    for (int i = 0; s->keeps[i] != NULL; i++) {
        const char *v = getenv(s->keeps[i]);
        if (v != NULL && asprintf(&all[n], "%s=%s", s->keeps[i], v) >= 0) {
            n++;
        }
    }
    for (size_t i = 0, kept = (size_t)n; i < sizeof own / sizeof *own; i++) {
        size_t len = strlen(own[i][0]), k = 0;
        while (k < kept &&
               (strncmp(all[k], own[i][0], len) != 0 || all[k][len] != '=')) {
            k++;
        }
        if (k == kept && asprintf(&all[n], "%s=%s", own[i][0], own[i][1]) > 0) {
            n++;
        }
    }
    all[n] = NULL;
    return all;
}

static int refuse(const char *what) {
    fprintf(stderr, "tilecopy-repl: sandbox: %s: %s\n", what, strerror(errno));
    return TC_SANDBOX_FAILED;
}

/* Becomes it. */
static int become(const tc_sandbox *s, char **argv) {
    char **env = environment(s);
    bool inside = access("/proc/self", F_OK) != 0;
    /* EPERM: it leads a group of its own already, without namespaces. */
    if ((setsid() < 0 && errno != EPERM) ||
        (inside && !s->stays && chdir("/tmp") != 0)) {
        return refuse("its folder");
    }
    set_limits(s);
    if (!tc_sandbox_landlock(s) && s->required) {
        return refuse("Landlock");
    }
    if (!tc_sandbox_drop() && s->required) {
        return refuse("capabilities");
    }
    if (!tc_sandbox_filter() && s->required) {
        return refuse("seccomp");
    }
    execve(argv[0], argv, env);
    return refuse(argv[0]);
}

/* ---- the first process of its namespace ---- */

/* Nothing stays open but that: the caller sees the ends of what is the
 * program's own. */
static void close_all_but(int fd) {
    int to = dup2(fd, 0);
#ifdef SYS_close_range
    syscall(SYS_close_range, 1u, ~0u, 0u);
#endif
    (void)to;
}

/* The program's end, and that of all others there. */
static _Noreturn void lead(const tc_sandbox *s, char **argv, int report) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t program = tc_sandbox_root(s) ? fork() : -1;
    int status = TC_SANDBOX_FAILED << 8;
    if (program == 0) {
        close(report);
        _exit(become(s, argv));
    }
    if (program < 0) {
        refuse("its root");
    }
    close_all_but(report);
    while (program > 0) {
        int how;
        pid_t pid = wait(&how);
        if (pid == program) {
            status = how;
            break;
        }
        if (pid < 0 && errno != EINTR) {
            break;
        }
    }
    ssize_t n = write(0, &status, sizeof status);
    (void)n;
    _exit(0);
}

/* Ends as the program did. */
static int end_like(int status) {
    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : TC_SANDBOX_FAILED;
}

static int contain(const tc_sandbox *s, char **argv) {
    int ends[2], status = TC_SANDBOX_FAILED << 8;
    char group[4096];
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!tc_sandbox_group_make(s, group, sizeof group) && s->required) {
        return refuse("cgroup");
    }
    if (!tc_sandbox_unshare()) {
        tc_sandbox_group_enter(group); /* it goes when another one is made */
        return s->required ? refuse("namespaces") : become(s, argv);
    }
    if (pipe(ends) != 0) {
        return refuse("a pipe");
    }
    pid_t first = fork();
    if (first == 0) {
        close(ends[0]);
        if (!tc_sandbox_group_enter(group) && s->required) {
            _exit(refuse("cgroup"));
        }
        lead(s, argv, ends[1]);
    }
    close_all_but(ends[0]);
    if (first < 0 ||
        read(0, &status, sizeof status) != (ssize_t)sizeof status) {
        status = TC_SANDBOX_FAILED << 8;
    }
    while (first > 0 && waitpid(first, NULL, 0) < 0 && errno == EINTR) {
    }
    tc_sandbox_group_end(group);
    return end_like(status);
}

/* ---- what there is ---- */

static int tell(void) {
    tc_sandbox none = {0};
    int status = 0;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (tc_sandbox_unshare()) {
        pid_t first = fork();
        if (first == 0) {
            _exit(tc_sandbox_root(&none) ? 0 : 1);
        }
        status |= first > 0 && waitpid(first, &status, 0) == first &&
                          WIFEXITED(status) && WEXITSTATUS(status) == 0
                      ? 1
                      : 0;
        status &= 1;
    }
    status |= tc_sandbox_landlock(&none) ? 2 : 0;
    status |= tc_sandbox_filter() ? 4 : 0;
    return status;
}

/* What a sanitizer does at exit the filter refuses, so it ends without. */
void tc_sandbox_process(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], mark) != 0) {
        return;
    }
    tc_sandbox s = {0};
    char **program = read_command(argv + 2, &s);
    _exit(program == NULL      ? tell()
          : program[0] == NULL ? TC_SANDBOX_FAILED
                               : contain(&s, program));
}

tc_sandbox_parts tc_sandbox_ask(tc_arena *a, const char **why) {
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "tilecopy-repl", mark, (char *)NULL);
        _exit(0);
    }
    bool ended =
        pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status);
    int has = ended ? WEXITSTATUS(status) : 0;
    tc_sandbox_parts p = {has & 1, has & 2, has & 4};
    *why = tc_format(a, "this machine gives no%s%s%s",
                     p.namespaces ? "" : " namespaces of a user's own",
                     p.landlock     ? ""
                     : p.namespaces ? " Landlock"
                                    : ", no Landlock",
                     p.seccomp ? "" : " seccomp");
    return p;
}
