/* slab.h - storage that is given back all at once. */
#ifndef TC_SIM_CORE_SLAB_H
#define TC_SIM_CORE_SLAB_H

#include "sim/core/types.h"

/* What is taken holds anything. */
tc_slab *tc_slab_new(void);
void *tc_slab_take(tc_slab *s, size_t bytes);
void tc_slab_rewind(tc_slab *s); /* all is given back; some of it is kept */
void tc_slab_free(tc_slab *s);

#endif
