/* fast.h - a second, fast path for common ops.
 *
 * When a launch has made its code table, each op that one of the handlers can
 * do becomes a tc_fast entry (core/code.h) as well: rows of registers as
 * offsets, constants as rows of their own. Everything else stays on the general
 * path, tc_code.fn. The handlers are compiled once for each instruction set,
 * and one table of them is chosen at the start. */
#ifndef TC_SIM_FAST_H
#define TC_SIM_FAST_H

#include "sim/core/types.h"

typedef struct tc_fast_table tc_fast_table;

/* The best that this processor has; name ("avx512", "avx2", "plain") or NULL.
 * NULL where there is no such one. */
const tc_fast_table *tc_fast_choose(const char *name);
const char *tc_fast_name(const tc_fast_table *t);

/* r->fast, from r->code: as sim.options.isa says. */
void tc_fast_make(tc_run *r);
void tc_fast_free(tc_run *r);

#endif
