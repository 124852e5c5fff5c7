/* ops.c - the table of intrinsics. */
#include "ir/ir.h"

#include <string.h>

const tc_op_info tc_ops[TC_OPC_COUNT] = {
#define TC_OP(id, name, lo, hi, kw, sm, flags)                                 \
    [TC_OPC_##id] = {name, lo, hi, kw, sm, flags},
#define TC_OP_PLANNED(id, name, sm)                                            \
    [TC_OPC_##id] = {name, 0, 64, "", sm, TC_OPF_PLANNED},
#include "ir/ops.def"
};

bool tc_op_find(const char *script_name, tc_op *out) {
    for (int i = 0; i < TC_OPC_COUNT; i++) {
        if (strcmp(tc_ops[i].name, script_name) == 0) {
            *out = (tc_op)i;
            return true;
        }
    }
    return false;
}
