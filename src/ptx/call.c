/* call.c - call and its tables (PTX ISA 9.7.12.5, 11.3), names of functions
 * that are defined later, and .alias. */
#include "ptx/internal.h"

#include <string.h>

enum { MOST_ARGUMENTS = 255 };

void tc_ptx_note_call(tc_ptx_parser *p, uint32_t index, tc_span span) {
    tc_ptx_use u = {.index = index, .span = span};
    TC_PUSH(p->arena, p->uses, p->nuses, p->usecap, u);
}

/* ---- the operands ---- */

static void push_element(tc_ptx_parser *p, const tc_ptx_operand *o) {
    int n = (int)p->nvec, cap = (int)p->vec_cap;
    TC_PUSH(p->arena, p->m->vec, n, cap, *o);
    p->nvec = (uint32_t)n;
    p->vec_cap = (uint32_t)cap;
}

static bool is_argument(tc_ptx_parser *p, const tc_ptx_parsed *in,
                        bool result) {
    switch (in->o.kind) {
    case TC_PO_REG:
        return true;
    case TC_PO_PRED:
        return !(result && in->o.neg);
    case TC_PO_SINK:
        return result;
    case TC_PO_IMM:
        return !result;
    case TC_PO_SYMBOL:
        return p->m->symbols[in->o.slot].space == TC_PS_PARAM &&
               p->m->symbols[in->o.slot].stacked && in->o.imm == 0;
    default:
        return false;
    }
}

static uint64_t size_of(const tc_ptx_parser *p, const tc_ptx_parsed *in) {
    return in->o.kind == TC_PO_SYMBOL ? p->m->symbols[in->o.slot].size
                                      : tc_ptx_type_bytes[in->type];
}

/* ( a, b ) into a VECTOR. formals: NULL for an indirect call. */
static bool list(tc_ptx_parser *p, bool result, const tc_ptx_formal *formals,
                 int nformals, const char *name, tc_ptx_operand *out) {
    tc_span open = tc_ptx_here(p);
    uint32_t n = 0, first = p->nvec;
    tc_ptx_advance(p);
    while (!tc_ptx_is(p, ')')) {
        tc_ptx_parsed in = {0};
        if (!tc_ptx_parse_operand(p, &in)) {
            return false;
        }
        if (in.paired || !is_argument(p, &in, result)) {
            return tc_ptx_fail(p, in.span, NULL,
                               result ? "a result goes to a register or a "
                                        ".param variable of the caller"
                                      : "an argument is a register, a constant "
                                        "or a .param variable of the caller");
        }
        const tc_ptx_formal *f =
            formals && (int)n < nformals ? &formals[n] : NULL;
        bool any = in.o.kind == TC_PO_IMM || in.o.kind == TC_PO_SINK;
        if (f && !any && size_of(p, &in) != f->size) {
            return tc_ptx_fail(p, in.span, NULL,
                               "'%s' has %llu bytes here, not %llu", name,
                               (unsigned long long)f->size,
                               (unsigned long long)size_of(p, &in));
        }
        if (++n > MOST_ARGUMENTS) {
            return tc_ptx_fail(p, open, NULL, "more than %d arguments",
                               (int)MOST_ARGUMENTS);
        }
        push_element(p, &in.o);
        if (!tc_ptx_accept(p, ',')) {
            break;
        }
    }
    if (name && (int)n != nformals) {
        return tc_ptx_fail(p, open, NULL, "'%s' has %d %s%s, not %u", name,
                           nformals, result ? "result" : "parameter",
                           nformals == 1 ? "" : "s", n);
    }
    *out = (tc_ptx_operand){
        .kind = TC_PO_VECTOR, .nvec = (uint8_t)n, .slot = first};
    return tc_ptx_expect(p, ')', "a call's list");
}

/* The function, or the register with its address. */
static bool target(tc_ptx_parser *p, tc_ptx_operand *out) {
    tc_ptx_parsed in = {0};
    if (!tc_ptx_parse_operand(p, &in)) {
        return false;
    }
    if (in.o.kind == TC_PO_LABEL) {
        return tc_ptx_unknown_name(p, in.name, in.span);
    }
    *out = in.o;
    if (in.o.kind == TC_PO_FUNC) {
        if (p->m->funcs[in.o.slot].entry) {
            return tc_ptx_fail(p, in.span, NULL,
                               "'%.*s' is a kernel, which is launched, not "
                               "called",
                               (int)in.name.len, in.name.text);
        }
        tc_ptx_note_call(p, in.o.slot, in.span);
        return true;
    }
    return (in.o.kind == TC_PO_REG && in.o.cls == TC_PF_64 && in.o.nvec == 8) ||
           tc_ptx_fail(p, in.span, NULL,
                       "'call' wants a function, or a 64-bit register with "
                       "its address");
}

/* The results come before it is known whose they are: counted again after. */
static bool fits_results(tc_ptx_parser *p, const tc_ptx_op *op,
                         const tc_ptx_func *f, tc_span span) {
    uint32_t n = op->a[0].kind == TC_PO_VECTOR ? op->a[0].nvec : 0;
    if ((int)n != f->nresults) {
        return tc_ptx_fail(p, span, NULL, "'%s' has %d result%s, not %u",
                           f->name, f->nresults, f->nresults == 1 ? "" : "s",
                           n);
    }
    for (uint32_t i = 0; i < n; i++) {
        const tc_ptx_operand *o = &p->m->vec[op->a[0].slot + i];
        uint64_t size = o->kind == TC_PO_SYMBOL ? p->m->symbols[o->slot].size
                        : o->kind == TC_PO_PRED ? 0
                                                : o->nvec;
        if (o->kind != TC_PO_SINK && size != f->results[i].size) {
            return tc_ptx_fail(p, span, NULL,
                               "'%s' returns %llu bytes, not %llu", f->name,
                               (unsigned long long)f->results[i].size,
                               (unsigned long long)size);
        }
    }
    return true;
}

bool tc_ptx_call(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    op->noperands = 4;
    op->dst = 1u << 0; /* results */
    op->src = 1u << 1 | 1u << 2;
    if (tc_ptx_is(p, '(') && (!list(p, true, NULL, 0, NULL, &op->a[0]) ||
                              !tc_ptx_expect(p, ',', "a call's results"))) {
        return false;
    }
    if (!target(p, &op->a[1])) {
        return false;
    }
    bool direct = op->a[1].kind == TC_PO_FUNC;
    const tc_ptx_func *f = direct ? &p->m->funcs[op->a[1].slot] : NULL;
    bool more = tc_ptx_accept(p, ',');
    if (more && tc_ptx_is(p, '(')) {
        if (!list(p, false, f ? f->formals : NULL, f ? f->nformals : 0,
                  f ? f->name : NULL, &op->a[2])) {
            return false;
        }
        more = tc_ptx_accept(p, ',');
    } else if (f && f->nformals > 0) {
        return tc_ptx_fail(p, span, NULL, "'%s' has %d parameter%s, not 0",
                           f->name, f->nformals, f->nformals == 1 ? "" : "s");
    }
    if (more != !direct) {
        return tc_ptx_fail(p, span, NULL,
                           direct ? "a direct call has no table of targets"
                                  : "an indirect call wants a .callprototype "
                                    "or .calltargets");
    }
    if (!direct) {
        op->a[3].kind = TC_PO_LABEL;
        if (p->tok.kind != TC_TK_IDENT) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "expected a label, found %s",
                               tc_ptx_token_text(p));
        }
        tc_ptx_add_fixup(p, tc_ptx_text(p, &p->tok), tc_ptx_here(p),
                         TC_FIX_CALL, p->m->ncode);
        tc_ptx_advance(p);
        return true;
    }
    return fits_results(p, op, f, span);
}

/* ---- tables ---- */

static bool names(tc_ptx_parser *p, bool functions) {
    do {
        tc_ptx_name n = tc_ptx_text(p, &p->tok);
        tc_span span = tc_ptx_here(p);
        if (p->tok.kind != TC_TK_IDENT) {
            return tc_ptx_fail(p, span, NULL, "expected a name, found %s",
                               tc_ptx_token_text(p));
        }
        uint32_t value = 0;
        if (functions) {
            const tc_ptx_entry *e = tc_ptx_lookup(p, n);
            if (e == NULL || e->kind != TC_PE_FUNC) {
                return tc_ptx_fail(p, span, NULL, "'%.*s' is no function",
                                   (int)n.len, n.text);
            }
            value = e->index;
        }
        TC_PUSH(p->arena, p->m->targets, p->m->ntargets, p->targetcap, value);
        if (!functions) {
            tc_ptx_add_fixup(p, n, span, TC_FIX_TARGET,
                             (uint32_t)p->m->ntargets - 1);
        }
        tc_ptx_advance(p);
    } while (tc_ptx_accept(p, ','));
    return true;
}

/* The parameters of a prototype: how many; -1 after an error. */
static int count_list(tc_ptx_parser *p) {
    int n = 0;
    tc_ptx_advance(p);
    while (!tc_ptx_is(p, ')')) {
        if (p->tok.kind == TC_TK_END || tc_ptx_is(p, ';') ||
            tc_ptx_is(p, '{') || tc_ptx_is(p, '}')) {
            tc_ptx_expect(p, ')', "a prototype's parameters");
            return -1;
        }
        n += n == 0;
        n += tc_ptx_is(p, ',');
        tc_ptx_advance(p);
    }
    tc_ptx_advance(p);
    return n;
}

/* (.param .b32 _) _ (.param .b32 _, .param .b64 _) .noreturn */
static bool prototype(tc_ptx_parser *p, tc_ptx_table *t) {
    int results = 0, params = 0;
    if (tc_ptx_is(p, '(') && (results = count_list(p)) < 0) {
        return false;
    }
    if (p->tok.kind != TC_TK_IDENT) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL, "expected '_', found %s",
                           tc_ptx_token_text(p));
    }
    tc_ptx_advance(p);
    if (tc_ptx_is(p, '(') && (params = count_list(p)) < 0) {
        return false;
    }
    while (tc_ptx_is_dot(p, ".noreturn")) {
        tc_ptx_advance(p);
    }
    if (tc_ptx_is_dot(p, ".abi_preserve") ||
        tc_ptx_is_dot(p, ".abi_preserve_control")) {
        int64_t ignored;
        tc_ptx_advance(p);
        if (!tc_ptx_parse_integer(p, &ignored)) {
            return false;
        }
    }
    t->prototype = true;
    t->results = (uint32_t)results;
    t->params = (uint32_t)params;
    return true;
}

bool tc_ptx_table_directive(tc_ptx_parser *p, tc_ptx_name label, tc_span span) {
    bool branches = tc_ptx_is_dot(p, ".branchtargets");
    bool calls = tc_ptx_is_dot(p, ".calltargets");
    tc_ptx_entry *e = tc_ptx_new_label(p, label, span);
    if (e == NULL) {
        return false;
    }
    e->kind = TC_PE_PROTO;
    e->index = (uint32_t)p->m->ntables;
    tc_ptx_advance(p);
    tc_ptx_table t = {.first = (uint32_t)p->m->ntargets};
    bool ok = branches || calls ? names(p, calls) : prototype(p, &t);
    t.n = (uint32_t)p->m->ntargets - t.first;
    TC_PUSH(p->arena, p->m->tables, p->m->ntables, p->tablecap, t);
    return ok && tc_ptx_expect(p, ';', "a table of targets");
}

/* ---- the end of the module ---- */

static const char *const builtins[] = {[TC_PB_NONE] = "",
                                       [TC_PB_VPRINTF] = "vprintf",
                                       [TC_PB_ASSERTFAIL] = "__assertfail",
                                       [TC_PB_MALLOC] = "malloc",
                                       [TC_PB_FREE] = "free"};

/* .alias name, function; */
bool tc_ptx_alias(tc_ptx_parser *p) {
    tc_ptx_use u = {.span = tc_ptx_here(p)};
    tc_ptx_advance(p);
    for (int i = 0; i < 2; i++) {
        tc_ptx_name n = tc_ptx_text(p, &p->tok);
        tc_span span = tc_ptx_here(p);
        const tc_ptx_entry *e =
            p->tok.kind == TC_TK_IDENT ? tc_ptx_lookup(p, n) : NULL;
        if (e == NULL || e->kind != TC_PE_FUNC) {
            return tc_ptx_fail(p, span, NULL, "'%.*s' is no function",
                               (int)n.len, n.text);
        }
        *(i == 0 ? &u.index : &u.target) = e->index;
        tc_ptx_advance(p);
        if (i == 0 && !tc_ptx_expect(p, ',', "an alias")) {
            return false;
        }
    }
    TC_PUSH(p->arena, p->aliases, p->naliases, p->aliascap, u);
    return tc_ptx_expect(p, ';', ".alias");
}

static bool has_body(const tc_ptx_func *f) {
    return f->end > f->begin;
}

/* Where each function's calls go: to its definition, or its alias's. */
static uint32_t *definitions(tc_ptx_parser *p) {
    int n = p->m->nfuncs;
    uint32_t *map = TC_NEWN(p->arena, uint32_t, n + 1);
    for (int i = 0; i < n; i++) {
        tc_ptx_func *f = &p->m->funcs[i];
        tc_ptx_name name = {f->name, (uint32_t)strlen(f->name)};
        const tc_ptx_entry *e = tc_ptx_map_find(&p->scope->names, name);
        bool other = e != NULL && e->kind == TC_PE_FUNC && !has_body(f);
        map[i] = other ? e->index : (uint32_t)i;
    }
    for (int i = 0; i < p->naliases; i++) {
        uint32_t to = map[p->aliases[i].target];
        map[p->aliases[i].index] = to;
    }
    for (int i = 0; i < n; i++) {
        map[i] = map[map[i]];
    }
    return map;
}

void tc_ptx_link(tc_ptx_parser *p) {
    tc_ptx_module *m = p->m;
    if (p->nuses == 0) {
        return;
    }
    uint32_t *map = definitions(p);
    for (int i = 0; i < p->nuses; i++) {
        tc_ptx_func *f = &m->funcs[map[p->uses[i].index]];
        for (int b = 1; b <= TC_PB_FREE && !has_body(f); b++) {
            if (strcmp(f->name, builtins[b]) == 0) {
                f->builtin = (uint8_t)b;
            }
        }
        if (!has_body(f) && f->builtin == TC_PB_NONE) {
            tc_ptx_fail(p, p->uses[i].span, NULL,
                        "'%s' has no body here, and the system has only "
                        "vprintf, __assertfail, malloc and free (exec "
                        "-rdc=true links the device code of several sources)",
                        f->name);
        }
    }
    for (uint32_t i = 0; i < m->ncode; i++) {
        for (int k = 0; k < 3; k++) {
            tc_ptx_operand *o = &m->code[i].a[k];
            if (o->kind == TC_PO_FUNC && m->code[i].opcode == TC_PTX_CALL) {
                o->slot = map[o->slot];
            } else if (o->kind == TC_PO_FUNC) {
                o->kind = TC_PO_IMM;
                o->imm = (int64_t)TC_PTX_CODE(map[o->slot]);
            }
        }
    }
    for (int i = 0; i < m->nsymbols; i++) {
        for (int j = 0; j < m->symbols[i].nrelocs; j++) {
            tc_ptx_reloc *r = &m->symbols[i].relocs[j];
            r->index = r->func ? map[r->index] : r->index;
        }
    }
}
