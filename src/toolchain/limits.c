/* limits.c - what the compilers of a build may take. */
#include "toolchain/internal.h"

const tc_limits *tc_limits_usual(void) {
    static const tc_limits usual = {.cpu_s = 600,
                                    .wall_s = 3600,
                                    .idle_s = 600,
                                    .memory = (uint64_t)16 << 30,
                                    .disk = (uint64_t)8 << 30};
    return &usual;
}
