/* cgroup.c - one group of processes for all that a program starts, in a folder of
 * cgroup v2 that somebody has delegated to this user (cgroups(7), "Cgroup v2
 * delegation"): TILECOPY_CGROUP names it. What limits of a process cannot hold, the
 * pages that many have together, the group's can. */
#include "sandbox/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 4096 };
static const char begins[] = "tilecopy-";

/* A folder of a made-up cgroup file system, in tests, has no files yet. */
static bool put(const char *group, const char *name, const char *text) {
    char path[2 * ROOM];
    snprintf(path, sizeof path, "%s/%s", group, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ssize_t n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return n == (ssize_t)strlen(text);
}

/* Groups whose processes were killed, and nobody was left to remove them. */
static void remove_left(const char *folder) {
    char path[2 * ROOM];
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        const char *pid = e->d_name + sizeof begins - 1;
        if (strncmp(e->d_name, begins, sizeof begins - 1) == 0) {
            snprintf(path, sizeof path, "/proc/%.20s", pid);
            if (access(path, F_OK) != 0) {
                snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
                rmdir(path); /* fails where it has processes */
            }
        }
    }
    if (d) {
        closedir(d);
    }
}

bool tc_sandbox_group_make(const tc_sandbox *s, char *group, size_t size) {
    const char *folder = getenv("TILECOPY_CGROUP");
    char text[32];
    group[0] = '\0';
    if (folder == NULL || *folder == '\0' || strlen(folder) > ROOM / 2) {
        return folder == NULL || *folder == '\0';
    }
    remove_left(folder);
    snprintf(group, size, "%s/%s%ld", folder, begins, (long)getpid());
    bool ok = mkdir(group, 0755) == 0;
    if (ok && s->together > 0) {
        snprintf(text, sizeof text, "%" PRIu64, s->together);
        ok = put(group, "memory.max", text);
        put(group, "memory.swap.max", "0"); /* where there is swap */
        put(group, "memory.oom.group", "1");
    }
    if (ok && s->processes > 0) {
        snprintf(text, sizeof text, "%d", s->processes);
        ok = put(group, "pids.max", text);
    }
    if (!ok) {
        tc_sandbox_group_end(group);
        group[0] = '\0';
    }
    return ok;
}

bool tc_sandbox_group_enter(const char *group) {
    return group[0] == '\0' || put(group, "cgroup.procs", "0");
}

void tc_sandbox_group_end(const char *group) {
    for (int i = 0; group[0] != '\0' && i < 50 && rmdir(group) != 0; i++) {
        usleep(2000); /* the last one's end may not be through */
    }
}
