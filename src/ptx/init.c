/* init.c - initial values of .global and .const variables (PTX ISA 5.4.4):
 * numbers, and addresses of variables and functions, whole or byte by byte. */
#include "ptx/internal.h"

#include <string.h>

typedef struct init_bytes { /* initial values as they are read */
    uint8_t *data;
    int n, cap;
    tc_ptx_reloc *relocs;
    int nrelocs, rcap;
} init_bytes;

static bool put(tc_ptx_parser *p, init_bytes *b, tc_ptx_type t, tc_span span,
                uint64_t v) {
    for (int i = 0; i < tc_ptx_type_bytes[t]; i++) {
        if ((uint64_t)b->n == TC_PTX_MAX_INIT) {
            return tc_ptx_fail(p, span, NULL, "too many initial values");
        }
        TC_PUSH(p->arena, b->data, b->n, b->cap, i < 8 ? (uint8_t)v : 0);
        v >>= 8;
    }
    return true;
}

/* A floating-point literal as the bits of t. */
static uint64_t float_value(tc_ptx_parser *p, tc_ptx_type t, bool minus) {
    char form = p->tok.form;
    uint64_t v = p->tok.value;
    if (form == 'd' && t == TC_PT_F32) {
        double d;
        memcpy(&d, &v, sizeof d);
        float f = (float)d;
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        v = u;
        form = 'f';
    } else if (form == 'f' && t == TC_PT_F64) {
        uint32_t u = (uint32_t)v;
        float f;
        memcpy(&f, &u, sizeof f);
        double d = (double)f;
        memcpy(&v, &d, sizeof v);
        form = 'd';
    }
    tc_ptx_advance(p);
    return v ^ (minus ? (uint64_t)1 << (form == 'f' ? 31 : 63) : 0);
}

static bool addend(tc_ptx_parser *p, int64_t *add) {
    while (tc_ptx_is(p, '+') || tc_ptx_is(p, '-')) {
        int64_t v = 0;
        if (!tc_ptx_parse_integer(p, &v)) { /* with its sign */
            return false;
        }
        *add = (int64_t)((uint64_t)*add + (uint64_t)v);
    }
    return true;
}

/* name, name+4, generic(name), generic(name+4)+4 */
static bool address_of(tc_ptx_parser *p, tc_ptx_reloc *r) {
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    tc_span span = tc_ptx_here(p);
    bool generic = tc_ptx_name_is(n, "generic") &&
                   p->next.kind == TC_TK_PUNCT && p->next.punct == '(';
    if (generic) {
        tc_ptx_advance(p);
        tc_ptx_advance(p);
        n = tc_ptx_text(p, &p->tok);
        span = tc_ptx_here(p);
    }
    if (p->tok.kind != TC_TK_IDENT) {
        return tc_ptx_fail(p, span, NULL, "expected a variable, found %s",
                           tc_ptx_token_text(p));
    }
    const tc_ptx_entry *e = tc_ptx_lookup(p, n);
    if (e == NULL) {
        return tc_ptx_unknown_name(p, n, span);
    }
    r->func = e->kind == TC_PE_FUNC;
    r->index = e->index;
    tc_ptx_space s =
        e->kind == TC_PE_SYMBOL ? p->m->symbols[e->index].space : TC_PS_GENERIC;
    if ((!r->func && s != TC_PS_GLOBAL && s != TC_PS_CONST) ||
        (r->func && generic)) {
        return tc_ptx_fail(p, span, NULL,
                           "the address of '%.*s' cannot be an initial value",
                           (int)n.len, n.text);
    }
    if (r->func) {
        tc_ptx_note_call(p, e->index, span);
    }
    tc_ptx_advance(p);
    return addend(p, &r->add) &&
           (!generic ||
            (tc_ptx_expect(p, ')', "generic(") && addend(p, &r->add)));
}

/* 0xff00(name): those bits of its address, moved down (the mask operator). */
static bool masked(tc_ptx_parser *p, tc_ptx_reloc *r, tc_ptx_type t) {
    uint64_t mask = p->tok.value;
    tc_span span = tc_ptx_here(p);
    unsigned shift = mask != 0 ? (unsigned)__builtin_ctzll(mask) : 1;
    if (shift % 8 != 0 || mask >> shift != 0xff || tc_ptx_type_bytes[t] != 1) {
        return tc_ptx_fail(p, span, NULL,
                           "a mask of an address is one byte, as 0xff00, and "
                           "goes to .u8, .s8 or .b8");
    }
    r->shift = (uint8_t)shift;
    tc_ptx_advance(p);
    tc_ptx_advance(p);
    return address_of(p, r) && tc_ptx_expect(p, ')', "an address");
}

static bool put_address(tc_ptx_parser *p, init_bytes *b, tc_ptx_type t) {
    tc_span span = tc_ptx_here(p);
    tc_ptx_reloc r = {.at = (uint64_t)b->n, .bytes = tc_ptx_type_bytes[t]};
    bool ok = p->tok.kind == TC_TK_INT ? masked(p, &r, t) : address_of(p, &r);
    if (!ok) {
        return false;
    }
    if ((r.bytes < 4 && p->tok.kind != TC_TK_END && r.bytes != 1) ||
        t == TC_PT_F32 || t == TC_PT_F64 || r.bytes > 8) {
        return tc_ptx_fail(p, span, NULL, "an address does not fit %s",
                           tc_ptx_type_names[t]);
    }
    TC_PUSH(p->arena, b->relocs, b->nrelocs, b->rcap, r);
    return put(p, b, t, span, 0);
}

static bool put_value(tc_ptx_parser *p, init_bytes *b, tc_ptx_type t) {
    tc_span span = tc_ptx_here(p);
    bool minus = tc_ptx_is(p, '-') && p->next.kind == TC_TK_FLOAT;
    bool mask = p->tok.kind == TC_TK_INT && p->next.kind == TC_TK_PUNCT &&
                p->next.punct == '(';
    if (mask || (p->tok.kind == TC_TK_IDENT &&
                 !tc_ptx_name_is(tc_ptx_text(p, &p->tok), "WARP_SZ"))) {
        return put_address(p, b, t);
    }
    if (minus) {
        tc_ptx_advance(p);
    }
    if (p->tok.kind == TC_TK_FLOAT) {
        return put(p, b, t, span, float_value(p, t, minus));
    }
    int64_t i = 0;
    return tc_ptx_parse_integer(p, &i) && put(p, b, t, span, (uint64_t)i);
}

/* The rest of the row that inner braces opened is zero. */
static bool fill_row(tc_ptx_parser *p, init_bytes *b, tc_ptx_type t,
                     const tc_ptx_shape *shape, int depth, int begin) {
    uint64_t row = tc_ptx_type_bytes[t];
    for (int i = depth; i < shape->n && row <= TC_PTX_MAX_INIT; i++) {
        row *= shape->dim[i];
    }
    if (depth == 0 || depth >= shape->n) {
        return true;
    }
    while ((uint64_t)(b->n - begin) < row) {
        if (!put(p, b, TC_PT_B8, tc_ptx_here(p), 0)) {
            return false;
        }
    }
    return true;
}

/* { 1, 2, { 3 } } or one value. Nested braces fill a row each. */
static bool initial(tc_ptx_parser *p, init_bytes *b, tc_ptx_type t,
                    const tc_ptx_shape *shape, int depth) {
    int begin = b->n;
    if (depth > TC_PTX_MAX_DIMS) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL, "braces too deep");
    }
    if (!tc_ptx_accept(p, '{')) {
        return put_value(p, b, t);
    }
    do {
        if (tc_ptx_is(p, '}')) {
            break;
        }
        if (!initial(p, b, t, shape, depth + 1)) {
            return false;
        }
    } while (tc_ptx_accept(p, ','));
    return tc_ptx_expect(p, '}', "initial values") &&
           fill_row(p, b, t, shape, depth, begin);
}

bool tc_ptx_initialise(tc_ptx_parser *p, tc_ptx_symbol *s, tc_ptx_type t,
                       const tc_ptx_shape *shape, bool open) {
    tc_span span = tc_ptx_here(p);
    init_bytes b = {0};
    if (!initial(p, &b, t, shape, 0)) {
        return false;
    }
    if (open) {
        s->size = (uint64_t)b.n;
    }
    if ((uint64_t)b.n > s->size || s->size > TC_PTX_MAX_INIT) {
        return tc_ptx_fail(p, span, NULL,
                           "%d bytes of initial values for '%s', which has "
                           "%llu",
                           b.n, s->name, (unsigned long long)s->size);
    }
    uint8_t *all = tc_alloc(p->arena, s->size != 0 ? (size_t)s->size : 1);
    if (b.n > 0) {
        memcpy(all, b.data, (size_t)b.n);
    }
    s->init = all;
    s->relocs = b.relocs;
    s->nrelocs = b.nrelocs;
    return true;
}
