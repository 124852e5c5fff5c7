/* ops.c - the table of intrinsics. */
#include "ir/ir.h"

#include <string.h>

const tc_op_info tc_ops[TC_OPC_COUNT] = {
#define TC_OP(id, name, lo, hi, kw, sm, flags)                                 \
    [TC_OPC_##id] = {name, lo, hi, kw, sm, flags, NULL},
#define TC_OP_AS(id, name, tirx, lo, hi, kw, sm, flags)                        \
    [TC_OPC_##id] = {name, lo, hi, kw, sm, flags, tirx},
#define TC_OP_PLANNED(id, name, sm)                                            \
    [TC_OPC_##id] = {name, 0, 64, "", sm, TC_OPF_PLANNED, NULL},
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

/* T.ptx.cp_async.commit_group is tirx.ptx.cp_async_commit_group: the namespace
 * keeps its dots (TVM: backend/cuda/op.py, script/builder/external). */
void tc_op_tirx(tc_buf *b, tc_op op) {
    if (tc_ops[op].tirx != NULL) {
        tc_buf_puts(b, tc_ops[op].tirx);
        return;
    }
    const char *p = tc_ops[op].name + strlen("T.");
    int dots = 0;
    tc_buf_puts(b, "tirx.");
    for (; *p != '\0'; p++) {
        dots += *p == '.';
        tc_buf_putc(b, *p == '.' && dots > 1 ? '_' : *p);
    }
}
