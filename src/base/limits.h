/* limits.h - what other programs may take of the machine: data that clients
 * choose and the toolchain holds its compilers to. */
#ifndef TC_BASE_LIMITS_H
#define TC_BASE_LIMITS_H

#include <stdint.h>

/* Of one build, by all its compilers and what they start together. 0: no such
 * limit. A loaded machine takes no processor time from anybody, so that the
 * wall clock is a generous second. */
typedef struct tc_limits {
    double cpu_s;    /* processor time */
    double wall_s;   /* on the clock */
    double idle_s;   /* on the clock, in which all of them only sleep */
    uint64_t memory; /* bytes resident */
    uint64_t disk;   /* bytes that they write into their folder */
} tc_limits;

#endif
