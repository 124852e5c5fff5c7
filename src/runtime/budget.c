/* budget.c - what a program takes of the machine. */
#include "runtime/budget.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GAP_NS                                                                 \
    UINT64_C(1000000000) /* who did not look for longer stood still */
#define LEAST_NS UINT64_C(50000000) /* between looks at the family */
/* A machine that is busy lets a program sleep that only starts (it waits for
 * its files): so much more than its time may pass in sleep. */
#define SLACK_S 2.0
#define MOST_NS UINT64_C(400000000)

static uint64_t now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double own_s(void) {
    return 1e-9 * (double)now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void tc_budget_begin(tc_budget *b, const tc_limits *limits) {
    *b = (tc_budget){.limits = limits ? *limits : (tc_limits){0}};
    pthread_mutex_init(&b->lock, NULL);
    tc_family_begin(&b->family);
    b->last = now_ns(CLOCK_MONOTONIC);
    b->own_s = own_s();
}

/* ---- looking ---- */

static void tick(tc_budget *b, bool waits) {
    uint64_t now = now_ns(CLOCK_MONOTONIC), gap = now - b->last;
    gap = gap < GAP_NS ? gap : GAP_NS;
    gap = b->held ? 0 : gap;
    b->elapsed += gap;
    b->waited += b->waits && waits ? gap : 0;
    b->waits = waits;
    b->last = now;
}

void tc_budget_waits(tc_budget *b) {
    pthread_mutex_lock(&b->lock);
    b->waits = false;
    tick(b, true);
    pthread_mutex_unlock(&b->lock);
}

void tc_budget_hold(tc_budget *b, bool held) {
    pthread_mutex_lock(&b->lock);
    tick(b, false);
    b->held = held;
    pthread_mutex_unlock(&b->lock);
}

/* Often enough for the limit to be met well, and no more: it costs. */
static bool is_due(const tc_budget *b) {
    double part = b->limits.cpu_s > 0 ? b->limits.cpu_s * 1e9 / 25 : 1e18;
    uint64_t every = part < (double)LEAST_NS  ? LEAST_NS
                     : part > (double)MOST_NS ? MOST_NS
                                              : (uint64_t)part;
    return (b->limits.cpu_s > 0 || b->limits.memory > 0) &&
           b->elapsed - b->looked >= every;
}

static uint64_t own_rss(void) {
    unsigned long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f) {
        if (fscanf(f, "%*u %llu", &pages) != 1) {
            pages = 0;
        }
        fclose(f);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The program sleeps because it has asked us for something: looking takes long
 * where the machine has more to do. */
static bool asks(const tc_budget *b) {
    struct pollfd fd = {b->socket, POLLIN, 0};
    return b->socket > 0 && poll(&fd, 1, 0) > 0;
}

static tc_budget_end take(tc_budget *b) {
    double before = 1e-9 * (double)now_ns(CLOCK_THREAD_CPUTIME_ID);
    tc_family_state s = tc_family_poll(&b->family, b->pid);
    b->own_s += 1e-9 * (double)now_ns(CLOCK_THREAD_CPUTIME_ID) - before;
    double cpu = s.cpu_s + b->ended_s + own_s() - b->own_s;
    double waited = 1e-9 * (double)b->waited;
    double worked = cpu > b->cpu_s ? cpu - b->cpu_s : 0;
    b->cpu_s += worked;
    bool asleep = s.n > 0 && s.sleeping && !asks(b);
    if (asleep && b->asleep && waited > worked) {
        b->slept_s += waited - worked;
    }
    b->asleep = asleep && b->waits;
    b->waited = 0;
    b->looked = b->elapsed;
    const tc_limits *l = &b->limits;
    bool late = b->cpu_s > l->cpu_s || b->slept_s > l->cpu_s + SLACK_S;
    return l->cpu_s > 0 && late                             ? TC_BUDGET_TIME
           : l->memory > 0 && s.rss + own_rss() > l->memory ? TC_BUDGET_MEMORY
           : l->cpu_s > 0 && s.n > TC_BUDGET_MOST ? TC_BUDGET_PROCESSES
                                                  : TC_BUDGET_LEFT;
}

tc_budget_end tc_budget_poll(tc_budget *b, bool busy) {
    pthread_mutex_lock(&b->lock);
    tick(b, !busy);
    if (b->end == TC_BUDGET_LEFT && b->limits.wall_s > 0 &&
        1e-9 * (double)b->elapsed >= b->limits.wall_s) {
        b->end = TC_BUDGET_WALL;
    }
    if (b->end == TC_BUDGET_LEFT && is_due(b)) {
        b->end = take(b);
    }
    tc_budget_end end = b->end;
    pthread_mutex_unlock(&b->lock);
    return end;
}

int tc_budget_wait_ms(tc_budget *b, int most) {
    pthread_mutex_lock(&b->lock);
    tick(b, b->waits);
    double left = b->limits.wall_s - 1e-9 * (double)b->elapsed;
    pthread_mutex_unlock(&b->lock);
    if (b->limits.wall_s <= 0 || left * 1e3 >= most) {
        return most;
    }
    return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

void tc_budget_collected(tc_budget *b, double cpu_s) {
    pthread_mutex_lock(&b->lock);
    b->ended_s += cpu_s;
    b->pid = 0;
    pthread_mutex_unlock(&b->lock);
}

double tc_budget_end_all(tc_budget *b) {
    if (b->limits.cpu_s > 0) {
        take(b);
    }
    tc_family_end(&b->family);
    pthread_mutex_destroy(&b->lock);
    return b->cpu_s + b->slept_s;
}

/* ---- the machine ---- */

static uint64_t number_in(const char *path, const char *before, uint64_t unit) {
    char line[256];
    unsigned long long n = 0;
    bool found = false;
    FILE *f = fopen(path, "re");
    size_t len = strlen(before);
    while (f && !found && fgets(line, sizeof line, f)) {
        found = strncmp(line, before, len) == 0 &&
                sscanf(line + len, "%llu", &n) == 1;
    }
    if (f) {
        fclose(f);
    }
    return found ? n * unit : 0;
}

uint64_t tc_memory_available(void) {
    uint64_t here = number_in("/proc/meminfo", "MemAvailable:", 1024);
    uint64_t most = number_in("/sys/fs/cgroup/memory.max", "", 1);
    uint64_t used = number_in("/sys/fs/cgroup/memory.current", "", 1);
    uint64_t left = most > used ? most - used : most > 0 ? 1 : 0;
    return left > 0 && left < here ? left : here;
}
