/* tcgen05.h - what the two texts of T.ptx.tcgen05.* have in common. */
#ifndef TC_EMIT_TCGEN05_H
#define TC_EMIT_TCGEN05_H

#include "base/arena.h"
#include "ir/ir.h"

/* tcgen05.ld and st: "32x32b.x4" and the registers it takes (PTX ISA 9.7.16.8,
 * table of shapes); NULL with *why where there is no such instruction. */
const char *tc_tcgen05_form(tc_arena *a, const tc_expr *call, int *regs,
                            const char **why);
/* ".pack::16b", ".unpack::16b" or "". */
const char *tc_tcgen05_pack(const tc_expr *call);
/* The columns that alloc takes: 32, 64, ... 512. NULL, or why not. */
const char *tc_tcgen05_bad_columns(tc_arena *a, const tc_expr *call);
/* commit to several CTAs, by its mask? */
bool tc_tcgen05_is_multicast(const tc_expr *call);
int64_t tc_tcgen05_constant(const tc_expr *call, int i); /* or -1 */

#endif
