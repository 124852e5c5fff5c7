/* tensor.h - what both printers know about copies through a tensor map. */
#ifndef TC_EMIT_TENSOR_H
#define TC_EMIT_TENSOR_H

#include "ir/ir.h"

/* The reductions of cp.reduce.async.bulk.tensor (PTX ISA 9.7.9.27.1.3). */
bool tc_tensor_reduces(const char *op);
extern const char *const tc_tensor_reductions; /* as text */
/* Does the mask of a copy name more than one CTA? */
bool tc_tensor_multicast(const tc_expr *mask);

#endif
