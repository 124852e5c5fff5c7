/* sandbox.h - programs of strangers, run where they see and reach little.
 *
 * The program is started by this one once more (tc_sandbox_process), which
 * takes from itself what it gives: user, mount, PID, network, IPC, UTS
 * namespaces, a root with nothing but what is named here, no capability,
 * Landlock, seccomp, resource limits, an environment of its own. What a kernel
 * does not have is left out, or refuses the program (required).
 * Sources: namespaces(7), user_namespaces(7), landlock(7), seccomp(2). */
#ifndef TC_SANDBOX_SANDBOX_H
#define TC_SANDBOX_SANDBOX_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { TC_SANDBOX_PATHS = 12 };

typedef struct tc_sandbox {
    bool required; /* all of it, or the program is not started */
    const char *reads[TC_SANDBOX_PATHS]; /* that it may read and execute,
                                            besides the system's /usr and /lib;
                                            ended by NULL */
    const char *writes; /* a folder that it may write to, or NULL; it has a
                           /tmp of its own besides */
    const char *keeps[TC_SANDBOX_PATHS]; /* names of variables that it gets;
                                            ended by NULL */
    uint64_t file, memory; /* bytes: of a file, of /tmp; of address space; 0:
                              no limit */
    uint64_t together;     /* bytes of memory of all its processes: held where a
                              cgroup is delegated; 0: no limit */
    int processes;         /* 0: no limit */
    bool stays;            /* its working folder has the name of ours, and in it
                              what is named here; else it is /tmp */
} tc_sandbox;

/* What of it this machine gives. */
typedef struct tc_sandbox_parts {
    bool namespaces, landlock, seccomp;
} tc_sandbox_parts;

/* argv behind what starts it in the sandbox; both ended by NULL. s may be
 * NULL: argv itself. In arena a. */
const char *const *tc_sandbox_command(tc_arena *a, const tc_sandbox *s,
                                      const char *const *argv);
/* If this process was started for that it becomes the program, or ends. main's
 * first act. */
void tc_sandbox_process(int argc, char **argv);
/* Asks, in a process of its own. why: what is missing, in a sentence. */
tc_sandbox_parts tc_sandbox_ask(tc_arena *a, const char **why);

#endif
