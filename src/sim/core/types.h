/* types.h - what every room of sim/ names. */
#ifndef TC_SIM_CORE_TYPES_H
#define TC_SIM_CORE_TYPES_H

#include "ptx/ptx.h"
#include "sim/sim.h"

enum { TC_LANES = 32 };

/* Of an access of some lanes: those whose next lane takes part, too, and is on
 * the same bytes, or on those right behind. */
typedef struct tc_lane_steps {
    uint32_t same, next;
} tc_lane_steps;

typedef struct tc_warp tc_warp;
typedef struct tc_cta tc_cta;
typedef struct tc_run tc_run;
typedef struct tc_frame tc_frame;
typedef struct tc_split tc_split;
typedef struct tc_batch tc_batch; /* cp_async.h */
typedef struct tc_slab tc_slab;   /* slab.h */

/* Of the rooms above: opaque here. */
typedef struct tc_race tc_race;             /* race/: of a launch */
typedef struct tc_race_cta tc_race_cta;     /* race/: of a CTA */
typedef struct tc_race_copy tc_race_copy;   /* race/: of one cp.async */
typedef struct tc_race_agent tc_race_agent; /* race/: of one transfer */
typedef struct tc_timing tc_timing;         /* timing/ */

static inline uint64_t tc_hash_step(uint64_t h,
                                    uint64_t x) { /* a step of a hash */
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}
/* Lanes of a mask, most often all of them; without the instruction, which not
 * every processor has, the compiler would call a function. */
static inline uint32_t tc_popc(uint32_t x) {
    if (x == UINT32_MAX) {
        return 32;
    }
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}
static inline int tc_first_bit(uint32_t x) /* x != 0 */
{
    return __builtin_ctz(x);
}

#endif
