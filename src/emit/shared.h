/* shared.h - how much shared memory a program takes, for both printers. */
#ifndef TC_EMIT_SHARED_H
#define TC_EMIT_SHARED_H

#include "emit/emit.h"

/* Bytes of a static buffer; more than any machine has where they overflow. */
int64_t tc_shared_bytes(tc_arena *a, const tc_buffer *b);
/* Bytes that it is aligned to: 64, as TVM does, unless it is smaller or asks
 * for more. */
int64_t tc_shared_align(const tc_buffer *b, int64_t bytes);

/* Sets shared_static and shared_all of out. Reports and returns false when no
 * arch has so much. */
bool tc_shared_check(tc_arena *a, const tc_lowered *l, tc_diags *diags,
                     tc_emitted *out);

#endif
