/* internal.h - what the files of the sandbox share. */
#ifndef TC_SANDBOX_INTERNAL_H
#define TC_SANDBOX_INTERNAL_H

#include "sandbox/sandbox.h"

enum { TC_SANDBOX_FAILED = 126 /* status where the program was not started */ };

/* namespaces.c: new ones for this process and its children. */
bool tc_sandbox_unshare(void);
/* namespaces.c: a root that has what s names. Needs the namespaces. */
bool tc_sandbox_root(const tc_sandbox *s);
/* namespaces.c: gives up all capabilities, for exec too. */
bool tc_sandbox_drop(void);
/* landlock.c: false with errno: the kernel has none. */
bool tc_sandbox_landlock(const tc_sandbox *s);
/* filter.c: false: it could not be loaded. */
bool tc_sandbox_filter(void);

#endif
