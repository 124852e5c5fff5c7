/* arch.c - the names of the simulated machines, and what code they run. */
#include "base/arch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tc_arch_names[] = {
#define TC_ARCH(name, ...) name,
#include "base/arch.def"
    NULL};
/* The row of target.def that each is of: it must have one. */
static const tc_target *const targets[] = {
#define TC_ARCH(name, sm, ...) &tc_targets[TC_TARGET_AT_##sm],
#include "base/arch.def"
};
const int tc_narchs = sizeof tc_arch_names / sizeof *tc_arch_names - 1;

static int by_number(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int d = atoi(x + 3) - atoi(y + 3);
    return d != 0 ? d : strcmp(x, y);
}

void tc_arch_list(tc_buf *b) {
    const char *names[sizeof tc_arch_names / sizeof *tc_arch_names];
    memcpy(names, tc_arch_names, sizeof names);
    qsort(names, (size_t)tc_narchs, sizeof *names, by_number);
    for (int i = 0; i < tc_narchs; i++) {
        tc_buf_printf(b, "%s%s",
                      i == 0              ? ""
                      : i < tc_narchs - 1 ? ", "
                                          : " or ",
                      names[i]);
    }
}

static bool runs(int i, int sm, char suffix) {
    const char *name = tc_arch_names[i];
    bool has_a = name[strlen(name) - 1] == 'a';
    return (suffix != 'a' || has_a) &&
           tc_target_runs(sm, suffix, targets[i]->sm);
}

bool tc_arch_runs(const char *arch, int sm, char suffix) {
    for (int i = 0; i < tc_narchs; i++) {
        if (strcmp(tc_arch_names[i], arch) == 0) {
            return runs(i, sm, suffix);
        }
    }
    return false;
}

const char *tc_arch_for(int sm, char suffix) {
    char name[32];
    int best = -1;
    snprintf(name, sizeof name, suffix ? "sm_%d%c" : "sm_%d", sm, suffix);
    for (int i = 0; i < tc_narchs; i++) {
        if (strcmp(tc_arch_names[i], name) == 0) {
            return tc_arch_names[i];
        }
        if (runs(i, sm, suffix) &&
            (best < 0 || targets[i]->sm < targets[best]->sm)) {
            best = i;
        }
    }
    return best < 0 ? NULL : tc_arch_names[best];
}
