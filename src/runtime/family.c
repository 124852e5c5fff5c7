/* family.c - the processes of a program, as proc(5) tells of them. */
#include "runtime/family.h"
#include "base/arena.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ROUNDS = 1000, /* of killing: who forks faster than that is stopped first */
    STOP_FIRST = 8 /* rounds */
};

/* A row of /proc/PID/stat. */
typedef struct process_row {
    pid_t pid, parent;
    char state;
    uint64_t ticks, pages;
    bool ours; /* of the family */
} process_row;

typedef struct table {
    process_row *rows;
    int n, cap;
} table;

/* The text of a file of /proc; false: the process is gone. */
static bool read_text(const char *path, char *text, size_t size) {
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    if (f) {
        fclose(f);
    }
    text[n] = '\0';
    return n > 0;
}

/* proc(5): the name, in brackets, may have anything in it. Fields from the
 * third on: state, ppid, ..., utime (14) to cstime (17), ..., rss (24). */
static bool read_row(const char *pid, process_row *r) {
    char path[64], text[1024];
    unsigned long long t[4];
    long parent;
    unsigned long pages;
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const char *name =
        read_text(path, text, sizeof text) ? strrchr(text, ')') : NULL;
    if (name == NULL ||
        sscanf(name,
               ") %c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu "
               "%llu %*d %*d %*d %*d %*u %*u %lu",
               &r->state, &parent, &t[0], &t[1], &t[2], &t[3], &pages) != 7) {
        return false;
    }
    r->pid = (pid_t)strtol(pid, NULL, 10);
    r->parent = (pid_t)parent;
    r->ticks = t[0] + t[1] + t[2] + t[3];
    r->pages = pages;
    r->ours = false;
    return true;
}

static bool is_spared(const tc_family *f, pid_t pid) {
    for (int i = 0; i < f->nspared; i++) {
        if (f->spared[i] == pid) {
            return true;
        }
    }
    return false;
}

/* All processes; those of the family are marked, children after parents. */
static table read_table(const tc_family *f) {
    table t = {0};
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        process_row r;
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
            read_row(e->d_name, &r)) {
            if (t.n == t.cap) {
                t.cap = t.cap ? 2 * t.cap : 256;
                t.rows = tc_xrealloc(t.rows, (size_t)t.cap * sizeof *t.rows);
            }
            t.rows[t.n++] = r;
        }
    }
    if (d) {
        closedir(d);
    }
    pid_t self = getpid();
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < t.n; i++) {
            process_row *r = &t.rows[i];
            bool is = r->parent == self && !is_spared(f, r->pid);
            for (int k = 0; k < t.n && !is && !r->ours; k++) {
                is = t.rows[k].ours && t.rows[k].pid == r->parent;
            }
            more |= is && !r->ours;
            r->ours |= is;
        }
    }
    return t;
}

/* A subreaper without a child has nothing below it: /proc need not be read. */
static bool has_children(void) {
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* ---- its life ---- */

void tc_family_begin(tc_family *f) {
    *f = (tc_family){0};
    prctl(PR_GET_CHILD_SUBREAPER, &f->before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!has_children()) {
        return;
    }
    table t = read_table(f);
    for (int i = 0; i < t.n; i++) {
        if (t.rows[i].parent == getpid()) {
            tc_family_spare(f, t.rows[i].pid);
        }
    }
    free(t.rows);
}

void tc_family_spare(tc_family *f, pid_t pid) {
    if (pid > 0 && f->nspared < TC_FAMILY_SPARED && !is_spared(f, pid)) {
        f->spared[f->nspared++] = pid;
    }
}

/* A process sleeps where each of its threads does. */
static bool sleeps(const process_row *r) {
    char path[64], text[1024];
    bool all = strchr("SZTtXI", r->state) != NULL;
    snprintf(path, sizeof path, "/proc/%ld/task", (long)r->pid);
    DIR *d = all ? opendir(path) : NULL;
    for (struct dirent *e; d && all && (e = readdir(d)) != NULL;) {
        char stat[128];
        snprintf(stat, sizeof stat, "%s/%.20s/stat", path, e->d_name);
        const char *name =
            e->d_name[0] != '.' && read_text(stat, text, sizeof text)
                ? strrchr(text, ')')
                : NULL;
        all = name == NULL || strchr("SZTtXI", name[2]) != NULL;
    }
    if (d) {
        closedir(d);
    }
    return all;
}

tc_family_state tc_family_poll(tc_family *f, pid_t first) {
    tc_family_state s = {.sleeping = true};
    table t = read_table(f);
    uint64_t ticks = 0, pages = 0;
    for (int i = 0; i < t.n; i++) {
        const process_row *r = &t.rows[i];
        bool orphan = r->parent == getpid() && r->pid != first;
        if (!r->ours) {
            continue;
        }
        if (r->state == 'Z' && orphan && waitpid(r->pid, NULL, WNOHANG) > 0) {
            f->reaped += r->ticks;
            continue;
        }
        ticks += r->ticks;
        pages += r->pages;
        s.n += r->state != 'Z';
        s.sleeping = s.sleeping && sleeps(r);
    }
    free(t.rows);
    s.cpu_s = (double)(ticks + f->reaped) / (double)sysconf(_SC_CLK_TCK);
    s.rss = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return s;
}

/* One round; how many there were. */
static int signal_all(const tc_family *f, int number) {
    int n = 0;
    table t = has_children() ? read_table(f) : (table){0};
    for (int i = 0; i < t.n; i++) {
        if (t.rows[i].ours) {
            kill(t.rows[i].pid, number);
            n++;
        }
    }
    for (int i = 0; number == SIGKILL && i < t.n; i++) {
        if (t.rows[i].ours && t.rows[i].parent == getpid()) {
            waitpid(t.rows[i].pid, NULL, 0);
        }
    }
    free(t.rows);
    return n;
}

/* Most have left nothing. Who forks while it is being ended is stopped, all of
 * it, before it is ended. */
void tc_family_end(tc_family *f) {
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; i > 0 && k < STOP_FIRST; k++) {
            signal_all(f, SIGSTOP);
        }
        if (signal_all(f, SIGKILL) == 0) {
            break;
        }
    }
    prctl(PR_SET_CHILD_SUBREAPER, f->before);
}
