/* arch.c - the names of the simulated machines. */
#include "base/arch.h"

#include <stdlib.h>
#include <string.h>

const char *const tc_arch_names[] = {
#define TC_ARCH(name, ...) name,
#include "base/arch.def"
    NULL};
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
