/* arch.h - the machines that are simulated, a row each in arch.def. */
#ifndef TC_BASE_ARCH_H
#define TC_BASE_ARCH_H

#include "base/buf.h"

extern const char *const tc_arch_names[]; /* ends with NULL; [0]: the default */
extern const int tc_narchs;

/* "sm_80, sm_90, sm_90a or sm_100a": by their numbers. */
void tc_arch_list(tc_buf *b);

#endif
