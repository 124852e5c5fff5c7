/* slab.h - storage that is given back all at once. */
#ifndef TC_SIM_CORE_SLAB_H
#define TC_SIM_CORE_SLAB_H

#include "sim/core/types.h"

/* What is taken holds anything. */
tc_slab *tc_slab_new(void);
void *tc_slab_take(tc_slab *s, size_t bytes);
void tc_slab_rewind(tc_slab *s); /* all is given back; some of it is kept */
void tc_slab_free(tc_slab *s);

/* Zeros, of which a large piece's take no memory where nobody touches them.
 * NULL for none. again: they are zeros once more. */
void *tc_zeros_new(size_t bytes);
void tc_zeros_again(void *p, size_t bytes);
void tc_zeros_free(void *p, size_t bytes);

#endif
