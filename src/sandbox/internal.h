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
/* cgroup.c: a group below TILECOPY_CGROUP, its name into group ("": none is
 * wanted), for a process to enter and for who waits for that to remove. False:
 * there should be one, and cannot. */
bool tc_sandbox_group_make(const tc_sandbox *s, char *group, size_t size);
bool tc_sandbox_group_enter(const char *group);
void tc_sandbox_group_end(const char *group);
/* filter.c: false: it could not be loaded. */
bool tc_sandbox_filter(void);

#endif
