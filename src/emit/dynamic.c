/* dynamic.c - names of dynamic shared memory, for both printers. */
#include "emit/dynamic.h"
#include "emit/facts.h"

const char *tc_dynamic_name(tc_emit_names *names, const tc_lowered *l) {
    if (l->ndynamic == 0) {
        return NULL;
    }
    const char *name = tc_name_of(names, l->dynamic);
    return name != NULL ? name
                        : tc_name_add(names, l->dynamic,
                                      l->ndynamic == 1 ? l->dynamic[0]->name
                                                       : "dynamic_shared");
}

static void add(tc_emitted *out, const char *name, const tc_buffer *b,
                int64_t offset) {
    int64_t bytes;
    if (!__builtin_mul_overflow(tc_buffer_elements(b), tc_dtype_bytes(b->type),
                                &bytes)) {
        out->symbols[out->nsymbols++] =
            (tc_symbol){name, b->origin != NULL ? b->origin : b, offset, bytes};
    }
}

void tc_dynamic_symbols(tc_arena *a, const tc_lowered *l, const char *name,
                        tc_emitted *out) {
    const tc_func *f = l->func;
    int64_t at;
    if (l->ndynamic == 0) {
        return;
    }
    tc_symbol *all = TC_NEWN(a, tc_symbol, out->nsymbols + f->nbuffers + 1);
    for (int i = 0; i < out->nsymbols; i++) {
        all[i] = out->symbols[i];
    }
    out->symbols = all;
    for (int i = 0; i < f->nbuffers; i++) {
        tc_buffer *b = f->buffers[i], *root = tc_buffer_root(b);
        if (root->space != TC_SPACE_SHARED_DYN || b->unnamed) {
            continue;
        }
        at = 0;
        if (b != root && b->elem_offset != NULL &&
            !tc_expr_const(b->elem_offset, &at)) {
            continue;
        }
        add(out, name, b, root->dyn_offset + at * tc_dtype_bytes(b->type));
    }
}
