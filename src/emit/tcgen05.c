/* tcgen05.c - the forms of tcgen05 instructions. */
#include "emit/tcgen05.h"

#include <string.h>

int64_t tc_tcgen05_constant(const tc_expr *call, int i) {
    int64_t v;
    return i < call->call.n && tc_expr_const(call->call.args[i], &v) ? v : -1;
}

static const struct shape {
    const char *name;
    int regs; /* of a thread, for .x1 */
    int most; /* .num */
} shapes[] = {
    {"32x32b", 1, 128}, {"16x64b", 1, 128},   {"16x128b", 2, 64},
    {"16x256b", 4, 32}, {"16x32bx2", 1, 128},
};

const char *tc_tcgen05_form(tc_arena *a, const tc_expr *call, int *regs,
                            const char **why) {
    const tc_expr *name = call->call.args[3];
    int64_t num = tc_tcgen05_constant(call, 4);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        if (name->kind != TC_E_STRING || strcmp(s->name, name->s) != 0) {
            continue;
        }
        if (num < 1 || num > s->most || (num & (num - 1)) != 0) {
            *why = tc_format(a, "shape %s takes .x1, .x2, ... .x%d, not .x%lld",
                             s->name, s->most, (long long)num);
            return NULL;
        }
        *regs = (int)num * s->regs;
        if (call->call.n - 6 != *regs) {
            *why = tc_format(a, "%s.x%lld has %d registers, and %d are given",
                             s->name, (long long)num, *regs, call->call.n - 6);
            return NULL;
        }
        return tc_format(a, "%s.x%lld", s->name, (long long)num);
    }
    *why = "its shape is not known";
    return NULL;
}

const char *tc_tcgen05_pack(const tc_expr *call) {
    return tc_tcgen05_constant(call, 5) != 1        ? ""
           : call->call.op == TC_OPC_PTX_TCGEN05_LD ? ".pack::16b"
                                                    : ".unpack::16b";
}

const char *tc_tcgen05_bad_columns(tc_arena *a, const tc_expr *call) {
    int64_t n;
    if (!tc_expr_const(call->call.args[1], &n) ||
        (n >= 32 && n <= 512 && (n & (n - 1)) == 0)) {
        return NULL;
    }
    return tc_format(a,
                     "tensor memory is allocated in 32, 64, 128, 256 or 512 "
                     "columns, not %lld",
                     (long long)n);
}

bool tc_tcgen05_is_multicast(const tc_expr *call) {
    int64_t mask;
    return !tc_expr_const(call->call.args[2], &mask) ||
           (mask & (mask - 1)) != 0;
}
