/* layout.c - offsets of variables within their spaces.
 *
 * A module's .shared variables belong to the kernels that name them: those of
 * one kernel lie behind that kernel's own, those of several come first, at the
 * same offsets for all (clang declares every kernel's tile at module level). */
#include "ptx/internal.h"

enum { NOBODY = -1, SEVERAL = -2 };

void tc_ptx_note_use(tc_ptx_parser *p, uint32_t symbol) {
    while ((uint32_t)p->nsym_user <= symbol) {
        TC_PUSH(p->arena, p->sym_user, p->nsym_user, p->sym_user_cap, NOBODY);
    }
    int32_t *user = &p->sym_user[symbol];
    *user = *user == NOBODY || *user == p->func ? p->func : SEVERAL;
}

static int user_of(const tc_ptx_parser *p, int symbol) {
    const tc_ptx_symbol *s = &p->m->symbols[symbol];
    int user = s->func >= 0            ? s->func
               : symbol < p->nsym_user ? p->sym_user[symbol]
                                       : NOBODY;
    /* Any kernel may call a .func. */
    bool called = user >= 0 && !p->m->funcs[user].entry;
    return called && s->space == TC_PS_SHARED ? SEVERAL : user;
}

static void assign(tc_ptx_symbol *s, uint64_t *end) {
    s->offset = (*end + s->align - 1) & ~((uint64_t)s->align - 1);
    *end = s->offset + s->size;
}

/* Shared variables: those that several functions name, from 0 on, and behind
 * them in each function its own. */
static void assign_shared(tc_ptx_parser *p) {
    uint64_t common = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < p->m->nsymbols; i++) {
            tc_ptx_symbol *s = &p->m->symbols[i];
            int user = s->space == TC_PS_SHARED && !s->is_extern ? user_of(p, i)
                                                                 : NOBODY;
            if (pass == 0 && user == SEVERAL) {
                assign(s, &common);
            } else if (pass == 1 && user >= 0) {
                assign(s, &p->m->funcs[user].shared_bytes);
            }
        }
        for (int f = 0; f < p->m->nfuncs && pass == 0; f++) {
            p->m->funcs[f].shared_bytes = common;
        }
    }
}

void tc_ptx_layout(tc_ptx_parser *p) {
    uint64_t end[TC_PS_REG] = {0};
    for (int i = 0; i < p->m->nsymbols; i++) {
        tc_ptx_symbol *s = &p->m->symbols[i];
        if (s->space == TC_PS_GLOBAL || s->space == TC_PS_CONST) {
            assign(s, &end[s->space]);
        }
    }
    for (int i = 0; i < p->m->nsymbols; i++) { /* frames */
        tc_ptx_symbol *s = &p->m->symbols[i];
        if (s->stacked && s->func >= 0) {
            assign(s, &p->m->funcs[s->func].local_bytes);
        }
    }
    assign_shared(p);
}
