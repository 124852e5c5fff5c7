/* decl.c - .reg, variables with storage, parameters (PTX ISA 5.4, 11.7). */
#include "ptx/internal.h"

#include <string.h>

typedef struct decl { /* what goes before the names of a declaration */
    tc_ptx_type type;
    uint32_t align;
    int nvec;
    bool managed;
} decl;

bool tc_ptx_space_by_name(tc_ptx_name n, tc_ptx_space *out) {
    static const struct {
        const char *name;
        tc_ptx_space space;
    } rows[] = {{".global", TC_PS_GLOBAL},      {".shared", TC_PS_SHARED},
                {".shared::cta", TC_PS_SHARED}, {".local", TC_PS_LOCAL},
                {".param", TC_PS_PARAM},        {".const", TC_PS_CONST}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (tc_ptx_name_is(n, rows[i].name)) {
            *out = rows[i].space;
            return true;
        }
    }
    return false;
}

static bool read_align(tc_ptx_parser *p, uint32_t *align) {
    tc_ptx_advance(p);
    int64_t v = 0;
    tc_span span = tc_ptx_here(p);
    if (!tc_ptx_parse_integer(p, &v)) {
        return false;
    }
    if (v < 1 || v > TC_PTX_MAX_ALIGN || (v & (v - 1)) != 0) {
        return tc_ptx_fail(p, span, NULL,
                           "an alignment is a power of 2 up to %d, not %lld",
                           (int)TC_PTX_MAX_ALIGN, (long long)v);
    }
    *align = (uint32_t)v;
    return true;
}

/* .ptr .global .align 4 after a parameter's type: no effect here. */
static bool skip_ptr(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    tc_ptx_space space;
    if (p->tok.kind == TC_TK_DOT &&
        tc_ptx_space_by_name(tc_ptx_text(p, &p->tok), &space)) {
        tc_ptx_advance(p);
    }
    uint32_t align;
    return !tc_ptx_is_dot(p, ".align") || read_align(p, &align);
}

/* .attribute(.managed): memory of both sides. */
static bool read_managed(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    if (!tc_ptx_expect(p, '(', ".attribute")) {
        return false;
    }
    if (!tc_ptx_is_dot(p, ".managed")) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "this attribute is not built: only .managed");
    }
    tc_ptx_advance(p);
    return tc_ptx_expect(p, ')', ".attribute");
}

/* .align N, .v2 and the type, in any order; the type is a must. */
static bool read_decl(tc_ptx_parser *p, decl *d) {
    *d = (decl){.nvec = 1};
    while (p->tok.kind == TC_TK_DOT) {
        tc_ptx_name n = tc_ptx_text(p, &p->tok);
        if (tc_ptx_name_is(n, ".align")) {
            if (!read_align(p, &d->align)) {
                return false;
            }
            continue;
        }
        if (tc_ptx_name_is(n, ".ptr") && d->type != TC_PT_NONE) {
            if (!skip_ptr(p)) {
                return false;
            }
            continue;
        }
        if (tc_ptx_name_is(n, ".attribute")) {
            if (!read_managed(p)) {
                return false;
            }
            d->managed = true;
            continue;
        }
        if (tc_ptx_name_is(n, ".v2") || tc_ptx_name_is(n, ".v4")) {
            d->nvec = n.text[2] - '0';
        } else if (d->type != TC_PT_NONE || !tc_ptx_type_by_name(n, &d->type) ||
                   d->type > TC_PT_F64) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "'%.*s' does not belong in a declaration",
                               (int)n.len, n.text);
        }
        tc_ptx_advance(p);
    }
    if (d->type == TC_PT_NONE) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "this declaration has no type");
    }
    return true;
}

static bool read_name(tc_ptx_parser *p, tc_ptx_name *n, tc_span *span) {
    *span = tc_ptx_here(p);
    if (p->tok.kind != TC_TK_IDENT) {
        return tc_ptx_fail(p, *span, NULL, "expected a name, found %s",
                           tc_ptx_token_text(p));
    }
    *n = tc_ptx_text(p, &p->tok);
    tc_ptx_advance(p);
    return true;
}

/* %r<20> after its name: declares the range. */
static bool range(tc_ptx_parser *p, tc_ptx_name n, tc_span span,
                  const decl *d) {
    tc_ptx_advance(p);
    int64_t count = 0;
    tc_span at = tc_ptx_here(p);
    if (!tc_ptx_parse_integer(p, &count)) {
        return false;
    }
    if (count < 1 || count > 100000000) {
        return tc_ptx_fail(p, at, NULL, "a range of %lld registers",
                           (long long)count);
    }
    tc_ptx_entry *e = tc_ptx_declare(p, n, span, TC_PE_RANGE);
    if (e == NULL) {
        return false;
    }
    e->type = (uint8_t)d->type;
    e->nvec = (uint8_t)d->nvec;
    e->index = (uint32_t)count;
    return tc_ptx_expect(p, '>', "the number of registers");
}

bool tc_ptx_registers(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    decl d;
    if (!read_decl(p, &d)) {
        return false;
    }
    do {
        tc_ptx_name n;
        tc_span span;
        if (!read_name(p, &n, &span) ||
            !(tc_ptx_is(p, '<')
                  ? range(p, n, span, &d)
                  : tc_ptx_declare_reg(p, n, span, d.type, d.nvec))) {
            return false;
        }
    } while (tc_ptx_accept(p, ','));
    return tc_ptx_expect(p, ';', "a declaration");
}

/* [4][8] after a name: *count elements; *open for a first [] without size. */
static bool dimensions(tc_ptx_parser *p, tc_ptx_shape *shape, uint64_t *count,
                       bool *open) {
    *count = 1;
    *open = false;
    for (bool first = true; tc_ptx_accept(p, '['); first = false) {
        if (shape->n == TC_PTX_MAX_DIMS) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "an array of more than %d dimensions",
                               (int)TC_PTX_MAX_DIMS);
        }
        if (first && tc_ptx_accept(p, ']')) {
            *open = true;
            shape->dim[shape->n++] = 1;
            continue;
        }
        int64_t n = 0;
        tc_span span = tc_ptx_here(p);
        if (!tc_ptx_parse_integer(p, &n) ||
            !tc_ptx_expect(p, ']', "an array's size")) {
            return false;
        }
        if (n < 1 || (uint64_t)n > TC_PTX_MAX_BYTES / *count) {
            return tc_ptx_fail(p, span, NULL, "an array of %lld elements",
                               (long long)n);
        }
        *count *= (uint64_t)n;
        shape->dim[shape->n++] = (uint64_t)n;
    }
    return true;
}

/* One name of a declaration and what follows it. */
static bool variable(tc_ptx_parser *p, tc_ptx_space space, bool is_extern,
                     const decl *d) {
    tc_ptx_name n;
    tc_span span;
    uint64_t count;
    bool open;
    tc_ptx_shape shape = {0};
    if (!read_name(p, &n, &span) || !dimensions(p, &shape, &count, &open)) {
        return false;
    }
    if (p->func < 0 && (space == TC_PS_LOCAL || space == TC_PS_PARAM)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%.*s' belongs in a function, for .local and "
                           ".param variables are each call's own",
                           (int)n.len, n.text);
    }
    uint32_t each = tc_ptx_type_bytes[d->type] * (uint32_t)d->nvec;
    if (each == 0 || count > TC_PTX_MAX_BYTES / each) {
        return tc_ptx_fail(p, span, NULL, "'%.*s' cannot have storage",
                           (int)n.len, n.text);
    }
    tc_ptx_symbol s = {.name = tc_ptx_dup(p, n),
                       .space = space,
                       .align = d->align != 0 ? d->align : each,
                       .size = open ? 0 : count * each,
                       .func = p->func,
                       .stacked = space == TC_PS_LOCAL || space == TC_PS_PARAM,
                       .managed = d->managed,
                       .is_extern = is_extern};
    shape.dim[shape.n++] = (uint64_t)d->nvec;
    if (tc_ptx_accept(p, '=')) {
        if (space != TC_PS_GLOBAL && space != TC_PS_CONST) {
            return tc_ptx_fail(p, span, NULL,
                               "only .global and .const variables have "
                               "initial values");
        }
        if (!tc_ptx_initialise(p, &s, d->type, &shape, open)) {
            return false;
        }
    } else if (open && !is_extern) {
        return tc_ptx_fail(p, span, NULL, "the array '%s' has no size", s.name);
    }
    if (is_extern && !(space == TC_PS_SHARED && open)) {
        return tc_ptx_fail(p, span, NULL,
                           "'%s' is .extern, and no other module is here to "
                           "define it: only .extern .shared arrays without "
                           "size need none",
                           s.name);
    }
    if (!tc_ptx_name_is(n, "_")) { /* a prototype's parameter */
        tc_ptx_entry *e = tc_ptx_declare(p, n, span, TC_PE_SYMBOL);
        if (e == NULL) {
            return false;
        }
        e->index = (uint32_t)p->m->nsymbols;
    }
    TC_PUSH(p->arena, p->m->symbols, p->m->nsymbols, p->scap, s);
    return true;
}

bool tc_ptx_variables(tc_ptx_parser *p, tc_ptx_space space, bool is_extern) {
    tc_ptx_advance(p);
    decl d;
    if (!read_decl(p, &d)) {
        return false;
    }
    do {
        if (!variable(p, space, is_extern, &d)) {
            return false;
        }
    } while (tc_ptx_accept(p, ','));
    return tc_ptx_expect(p, ';', "a declaration");
}

static uint64_t align_up(uint64_t n, uint64_t align) {
    return (n + align - 1) & ~(align - 1);
}

static void add_formal(tc_ptx_parser *p, tc_ptx_func *f, bool returns,
                       tc_ptx_formal formal) {
    tc_ptx_formal **list = returns ? &f->results : &f->formals;
    int *n = returns ? &f->nresults : &f->nformals;
    int cap = *n; /* few: grown one by one */
    TC_PUSH(p->arena, *list, *n, cap, formal);
}

static bool reg_param(tc_ptx_parser *p, tc_ptx_func *f, bool returns,
                      const decl *d) {
    tc_ptx_name n;
    tc_span at;
    if (f->entry) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "a kernel's parameters are in .param");
    }
    if (!read_name(p, &n, &at) || !tc_ptx_declare_reg(p, n, at, d->type, 1)) {
        return false;
    }
    tc_ptx_formal formal = {.reg = true,
                            .type = (uint8_t)d->type,
                            .slot = tc_ptx_lookup(p, n)->index,
                            .size = tc_ptx_type_bytes[d->type]};
    add_formal(p, f, returns, formal);
    return true;
}

static bool one_param(tc_ptx_parser *p, tc_ptx_func *f, bool returns,
                      int *cap) {
    bool reg = tc_ptx_is_dot(p, ".reg");
    if (!reg && !tc_ptx_is_dot(p, ".param")) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected '.param', found %s", tc_ptx_token_text(p));
    }
    tc_ptx_advance(p);
    decl d;
    tc_span at = tc_ptx_here(p);
    if (!read_decl(p, &d)) {
        return false;
    }
    if (reg) {
        return reg_param(p, f, returns, &d);
    }
    int index = p->m->nsymbols;
    if (!variable(p, TC_PS_PARAM, false, &d)) {
        return false;
    }
    tc_ptx_symbol *s = &p->m->symbols[index];
    uint64_t begin = align_up(f->param_bytes, s->align);
    if (begin + s->size > 32764) { /* PTX ISA 7.1 */
        return tc_ptx_fail(p, at, NULL,
                           "the parameters are more than 32764 bytes");
    }
    if (returns || !f->entry) {
        tc_ptx_formal formal = {.slot = (uint32_t)index, .size = s->size};
        add_formal(p, f, returns, formal);
        return true;
    }
    s->stacked = false; /* the launch's */
    s->offset = begin;
    f->param_bytes = (uint32_t)(begin + s->size);
    tc_ptx_param param = {
        s->name, s->size == tc_ptx_type_bytes[d.type] ? d.type : TC_PT_B8,
        (uint32_t)s->size, s->align, (uint32_t)begin};
    TC_PUSH(p->arena, f->params, f->nparams, *cap, param);
    return true;
}

bool tc_ptx_params(tc_ptx_parser *p, tc_ptx_func *f, bool returns) {
    int cap = 0;
    tc_ptx_advance(p);
    if (tc_ptx_accept(p, ')')) {
        return true;
    }
    do {
        if (!one_param(p, f, returns, &cap)) {
            return false;
        }
    } while (tc_ptx_accept(p, ','));
    return tc_ptx_expect(p, ')', "the parameters");
}
