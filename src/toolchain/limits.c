/* limits.c - what compilers take of the machine, from /proc (proc(5)), and
 * whether that is too much. */
#include "toolchain/limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 32 }; /* of processes, and of folders */

static uint64_t physical_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size
                                 : (uint64_t)8 << 30;
}

/* Seconds of TILECOPY_COMPILE_LIMIT, 0 where it is "off", and the usual ones
 * where it is neither. */
static double processor_time(void) {
    enum { USUAL = 600, MOST = 1 << 30 };
    const char *own = getenv("TILECOPY_COMPILE_LIMIT");
    char *end = NULL;
    if (own == NULL || strcmp(own, "off") == 0) {
        return own == NULL ? USUAL : 0;
    }
    double s = *own >= '0' && *own <= '9' ? strtod(own, &end) : 0;
    return s > 0 && s <= MOST && *end == '\0' ? s : USUAL;
}

const tc_limits *tc_limits_usual(void) {
    enum { WALL = 3600, WALL_TIMES = 6 }; /* the clock is no tighter */
    static tc_limits usual = {.idle_s = 600, .disk = (uint64_t)8 << 30};
    const uint64_t most = (uint64_t)16 << 30;
    uint64_t half = physical_memory() / 2;
    double cpu = processor_time(), wall = cpu * WALL_TIMES;
    usual.memory = half < most ? half : most;
    usual.cpu_s = cpu;
    usual.wall_s = cpu > 0 && wall < WALL ? WALL : wall;
    return &usual;
}

/* --- one process -----------------------------------------------------------*/

/* The bytes of a small file of /proc, ended by a 0. */
static bool read_proc(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* /proc/PID/stat: "PID (NAME) STATE PPID ..."; NAME may have anything in it. */
static void add_process(pid_t pid, tc_usage *u) {
    char path[64], text[1024], state = 'Z';
    unsigned long time[4] = {0};
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    const char *p =
        read_proc(path, text, sizeof text) ? strrchr(text, ')') : NULL;
    if (p == NULL ||
        sscanf(p,
               ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %lu %lu "
               "%*s %*s %*s %*s %*s %*s %ld",
               &state, &time[0], &time[1], &time[2], &time[3], &pages) != 6) {
        return;
    }
    for (int i = 0; i < 4; i++) { /* its own, and of those it waited for */
        u->cpu_s += (double)time[i] / (double)sysconf(_SC_CLK_TCK);
    }
    if (state != 'Z') {
        u->memory +=
            (uint64_t)(pages > 0 ? pages : 0) * (uint64_t)sysconf(_SC_PAGESIZE);
        u->busy |= state == 'R' || state == 'D';
    }
}

/* A process and all below it: each of its threads has children. */
static void add_tree(pid_t pid, int depth, tc_usage *u) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
    add_process(pid, u);
    DIR *d = depth < DEEPEST ? opendir(path) : NULL;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        long thread = strtol(e->d_name, NULL, 10);
        snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid,
                 thread);
        if (thread <= 0 || !read_proc(path, text, sizeof text)) {
            continue;
        }
        for (char *p = text, *end; *p != '\0'; p = end) {
            long child = strtol(p, &end, 10);
            if (end == p) {
                break;
            }
            add_tree((pid_t)child, depth + 1, u);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
}

/* --- a folder --------------------------------------------------------------*/

static uint64_t size_at(int parent, const char *name, int depth) {
    uint64_t sum = 0;
    int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (d == NULL && fd >= 0) {
        close(fd);
    }
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        struct stat s;
        if (e->d_name[0] == '.' ||
            fstatat(fd, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        sum += (uint64_t)s.st_blocks * 512;
        if (S_ISDIR(s.st_mode) && depth < DEEPEST) {
            sum += size_at(fd, e->d_name, depth + 1);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return sum;
}

void tc_usage_add(tc_usage *u, pid_t guard, const char *folder) {
    tc_usage now = {0};
    add_tree(guard, 0, &now);
    now.disk = folder != NULL ? size_at(AT_FDCWD, folder, 0) : 0;
    u->busy = now.busy || now.cpu_s > u->cpu_s;
    u->cpu_s = now.cpu_s > u->cpu_s ? now.cpu_s : u->cpu_s;
    u->memory = now.memory > u->memory ? now.memory : u->memory;
    u->disk = now.disk > u->disk ? now.disk : u->disk;
}

/* --- too much --------------------------------------------------------------*/

static bool bytes_passed(uint64_t is, uint64_t most, const char *what,
                         tc_buf *why) {
    if (most == 0 || is < most) {
        return false;
    }
    tc_buf_clear(why);
    tc_buf_printf(why, "it takes more than %" PRIu64 " MB %s", most >> 20,
                  what);
    return true;
}

/* what, then the seconds, then of what they are ("": by the clock). */
static bool seconds_passed(double is, double most, const char *what,
                           const char *of, tc_buf *why) {
    if (most <= 0 || is < most) {
        return false;
    }
    tc_buf_clear(why);
    tc_buf_printf(why, "it %s %g s%s", what, most, of);
    return true;
}

bool tc_limits_passed(const tc_limits *l, const tc_usage *u, tc_buf *why) {
    return seconds_passed(u->cpu_s, l->cpu_s, "takes more than",
                          " of processor time", why) ||
           bytes_passed(u->memory, l->memory, "of memory", why) ||
           bytes_passed(u->disk, l->disk, "of disk", why) ||
           seconds_passed(u->idle_s, l->idle_s,
                          "waits for something that does not come, for", "",
                          why) ||
           seconds_passed(u->wall_s, l->wall_s, "is not done after", "", why);
}
