/* outline.h - the kernels of a PTX text and their parameters, without its
 * instructions: enough to launch them on a GPU, which may know more of those
 * than the simulator does. */
#ifndef TC_SESSION_OUTLINE_H
#define TC_SESSION_OUTLINE_H

#include "ptx/ptx.h"

/* A module of kernels without code, in a; it has none where the text has none.
 * Assumes nothing of the text but that it ends. */
tc_ptx_module *tc_outline(tc_arena *a, const tc_source *source);

#endif
