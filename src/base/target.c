/* target.c - what the table of targets says. */
#include "base/target.h"

#include <stddef.h>

const tc_target tc_targets[TC_TARGETS] = {
#define NONE     0
#define CLUSTERS TC_TARGET_CLUSTERS
#define ATOMS    TC_TARGET_ATOMS
#define TMEM     TC_TARGET_TMEM
#define TC_TARGET(sm, version, version_a, version_f, family, features)         \
    {sm, version, version_a, version_f, family, features},
#include "base/target.def"
};

/* The last row that is not after sm. */
static const tc_target *at_most(int sm) {
    const tc_target *t = NULL;
    for (int i = 0; i < TC_TARGETS && tc_targets[i].sm <= sm; i++) {
        t = &tc_targets[i];
    }
    return t;
}

const tc_target *tc_target_find(int sm) {
    const tc_target *t = at_most(sm);
    return t != NULL && t->sm == sm ? t : NULL;
}

bool tc_target_has(int sm, unsigned feature) {
    const tc_target *t = at_most(sm);
    return t != NULL && (t->features & feature) == feature;
}

int tc_target_first(unsigned feature) {
    int i = 0;
    while (i < TC_TARGETS - 1 &&
           (tc_targets[i].features & feature) != feature) {
        i++;
    }
    return tc_targets[i].sm;
}

bool tc_target_runs(int sm, char suffix, int on) {
    const tc_target *of = tc_target_find(sm), *machine = at_most(on);
    switch (suffix) {
    case 'a':
        return sm == on;
    case 'f':
        return sm == on || (sm < on && of != NULL && machine != NULL &&
                            of->family != 0 && of->family == machine->family);
    default:
        return sm <= on;
    }
}
