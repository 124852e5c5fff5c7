/* target.h - the targets that PTX ISA has a name for, a row each in target.def:
 * sm_<n>, and where there are such forms sm_<n>a (that target alone) and
 * sm_<n>f (its family). */
#ifndef TC_BASE_TARGET_H
#define TC_BASE_TARGET_H

#include <stdbool.h>

enum {
    TC_TARGET_CLUSTERS = 1, /* clusters of CTAs */
    TC_TARGET_ATOMS = 2,    /* tensor maps that swizzle atoms over 16 bytes */
    TC_TARGET_TMEM = 4,     /* tensor memory: tcgen05 */
};

typedef struct tc_target {
    int sm;
    int version, version_a, version_f; /* least of PTX ISA; 0: no such form */
    int family;                        /* 0: none */
    unsigned features;
} tc_target;

enum { /* TC_TARGET_AT_90: its place */
#define TC_TARGET(sm, ...) TC_TARGET_AT_##sm,
#include "base/target.def"
       TC_TARGETS
};

extern const tc_target tc_targets[TC_TARGETS]; /* in rising order */

/* Its row, or NULL. */
const tc_target *tc_target_find(int sm);

/* Does sm_<sm> have the feature? A number that has no row is taken for the one
 * before it. */
bool tc_target_has(int sm, unsigned feature);

/* The first target with the feature. */
int tc_target_first(unsigned feature);

/* Does code for sm_<sm><suffix> ('a', 'f' or 0) run on a machine of sm_<on>? */
bool tc_target_runs(int sm, char suffix, int on);

#endif
