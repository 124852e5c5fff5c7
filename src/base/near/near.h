/* near.h - which file was meant by a name that is none. */
#ifndef TC_BASE_NEAR_H
#define TC_BASE_NEAR_H

#include "base/arena.h"

/* A hint about a path that cannot be read: the file beside it whose name is
 * nearest, what a folder has in it; NULL: there is none. */
const char *tc_file_near(tc_arena *a, const char *path);

#endif
