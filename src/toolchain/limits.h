/* limits.h - what compilers take, beside what they may. */
#ifndef TC_TOOLCHAIN_LIMITS_H
#define TC_TOOLCHAIN_LIMITS_H

#include "toolchain/internal.h"
#include <sys/types.h>

/* So far, and at most at once of memory and disk. */
typedef struct tc_usage {
    double cpu_s, wall_s, idle_s;
    uint64_t memory, disk;
    bool busy; /* somebody computes, or waits for a disk */
} tc_usage;

/* Looks at the processes below the guard, and into the folder (or NULL). The
 * clocks, wall_s and idle_s, are the caller's. */
void tc_usage_add(tc_usage *u, pid_t guard, const char *folder);

/* Is it too much? Then why gets "it takes more than 600 s of processor time".
 */
bool tc_limits_passed(const tc_limits *l, const tc_usage *u, tc_buf *why);

#endif
