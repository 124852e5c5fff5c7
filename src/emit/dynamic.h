/* dynamic.h - names of dynamic shared memory, for both printers. */
#ifndef TC_EMIT_DYNAMIC_H
#define TC_EMIT_DYNAMIC_H

#include "emit/emit.h"
#include "emit/names.h"

/* The array's name: the buffer's, or one of its own for several buffers; NULL
 * when the program has no dynamic shared memory. */
const char *tc_dynamic_name(tc_emit_names *names, const tc_lowered *l);

/* Adds the buffers that lie in it to out->symbols. */
void tc_dynamic_symbols(tc_arena *a, const tc_lowered *l, const char *name,
                        tc_emitted *out);

#endif
