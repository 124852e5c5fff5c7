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

/* Assigns offsets to the symbols of a space that user names, from *end on. */
static void assign_all(tc_ptx_parser *p, tc_ptx_space space, int user,
                       uint64_t *end) {
    for (int i = 0; i < p->m->nsymbols; i++) {
        tc_ptx_symbol *s = &p->m->symbols[i];
        if (s->space == space && !s->is_extern && user_of(p, i) == user) {
            assign(s, end);
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
    uint64_t common = 0;
    assign_all(p, TC_PS_SHARED, SEVERAL, &common);
    for (int f = 0; f < p->m->nfuncs; f++) {
        tc_ptx_func *func = &p->m->funcs[f];
        func->shared_bytes = common;
        assign_all(p, TC_PS_SHARED, f, &func->shared_bytes);
    }
}
