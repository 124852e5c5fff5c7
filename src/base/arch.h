/* arch.h - the machines that are simulated, a row each in arch.def. */
#ifndef TC_BASE_ARCH_H
#define TC_BASE_ARCH_H

#include "base/buf.h"
#include "base/target.h"

extern const char *const tc_arch_names[]; /* ends with NULL; [0]: the default */
extern const int tc_narchs;

/* "sm_80, sm_90, sm_90a or sm_100a": by their numbers. */
void tc_arch_list(tc_buf *b);

/* Does the machine of that name run code for sm_<sm><suffix> ('a', 'f' or 0)?
 * False of no machine. */
bool tc_arch_runs(const char *arch, int sm, char suffix);

/* The machine to name to who wants to run such code: that of the same name, or
 * the first of the least number; NULL: none runs it. */
const char *tc_arch_for(int sm, char suffix);

#endif
