/* operand.c - operands as they are written (PTX ISA 4.5, 6.4). */
#include "ptx/internal.h"

#include <string.h>

enum { MAX_NESTING = 32 };

static bool expression(tc_ptx_parser *p, int depth, int least, uint64_t *v);

static bool primary(tc_ptx_parser *p, int depth, uint64_t *v) {
    if (depth > MAX_NESTING) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "a constant nested more than %d deep", MAX_NESTING);
    }
    char op = p->tok.kind == TC_TK_PUNCT ? p->tok.punct : 0;
    if (op == '(') {
        tc_ptx_advance(p);
        return expression(p, depth + 1, 0, v) &&
               tc_ptx_expect(p, ')', "a constant");
    }
    if (op == '-' || op == '+' || op == '~') {
        tc_ptx_advance(p);
        if (!primary(p, depth + 1, v)) {
            return false;
        }
        *v = op == '-' ? 0 - *v : op == '~' ? ~*v : *v;
        return true;
    }
    if (p->tok.kind == TC_TK_IDENT &&
        tc_ptx_name_is(tc_ptx_text(p, &p->tok), "WARP_SZ")) {
        *v = 32;
    } else if (p->tok.kind == TC_TK_INT) {
        *v = p->tok.value;
    } else {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected an integer constant, found %s",
                           tc_ptx_token_text(p));
    }
    tc_ptx_advance(p);
    return true;
}

/* Binding strength of a binary operator of constants, 0 for none. */
static int strength(const tc_ptx_parser *p) {
    static const char order[] = "|^&+-*/%";
    static const char level[] = {1, 2, 3, 4, 4, 5, 5, 5};
    if (p->tok.kind != TC_TK_PUNCT) {
        return 0;
    }
    const char *at = strchr(order, p->tok.punct);
    return at != NULL ? level[at - order] : 0;
}

static bool apply(tc_ptx_parser *p, char op, uint64_t a, uint64_t b,
                  tc_span span, uint64_t *v) {
    if ((op == '/' || op == '%') &&
        (b == 0 || (a == (uint64_t)INT64_MIN && b == UINT64_MAX))) {
        return tc_ptx_fail(p, span, NULL,
                           "this constant divides by zero or "
                           "overflows");
    }
    int64_t x = (int64_t)a, y = (int64_t)b;
    *v = op == '+'   ? a + b
         : op == '-' ? a - b
         : op == '*' ? a * b
         : op == '/' ? (uint64_t)(x / y)
         : op == '%' ? (uint64_t)(x % y)
         : op == '&' ? (a & b)
         : op == '^' ? (a ^ b)
                     : (a | b);
    return true;
}

static bool expression(tc_ptx_parser *p, int depth, int least, uint64_t *v) {
    if (!primary(p, depth, v)) {
        return false;
    }
    for (int s; (s = strength(p)) > least;) {
        char op = p->tok.punct;
        tc_span span = tc_ptx_here(p);
        tc_ptx_advance(p);
        uint64_t right = 0;
        if (!expression(p, depth + 1, s, &right) ||
            !apply(p, op, *v, right, span, v)) {
            return false;
        }
    }
    return true;
}

bool tc_ptx_parse_integer(tc_ptx_parser *p, int64_t *out) {
    uint64_t v = 0;
    bool ok = expression(p, 0, 0, &v);
    *out = (int64_t)v;
    return ok;
}

/* %clusterid.w and its like, which are zero. */
static bool is_of_cluster(tc_ptx_name n) {
    return (n.len > 8 && memcmp(n.text, "%cluster", 8) == 0) ||
           (n.len > 9 && memcmp(n.text, "%ncluster", 9) == 0);
}

static bool special(tc_ptx_parser *p, tc_ptx_parsed *out, tc_ptx_name n) {
    tc_ptx_special s;
    if (tc_ptx_special_by_name(n, &s)) {
        out->o.kind = TC_PO_SPECIAL;
        out->o.slot = (uint32_t)s;
        bool cluster =
            (s >= TC_SR_CLUSTERID_X && s <= TC_SR_CLUSTER_NCTARANK) ||
            (s == TC_SR_ZERO && is_of_cluster(n)) ||
            s == TC_SR_AGGR_SMEM_SIZE || s == TC_SR_IS_EXPLICIT_CLUSTER;
        if (cluster && !tc_ptx_wants_sm(
                           p, out->span, 90,
                           tc_format(p->arena, "'%.*s'", (int)n.len, n.text))) {
            return false;
        }
        out->type = s == TC_SR_IS_EXPLICIT_CLUSTER ? TC_PT_PRED
                    : tc_ptx_special_is_64(s)      ? TC_PT_U64
                                                   : TC_PT_U32;
        return true;
    }
    return tc_ptx_unknown_name(p, n, out->span);
}

static void from_entry(tc_ptx_parser *p, const tc_ptx_entry *e,
                       tc_ptx_parsed *out) {
    tc_ptx_operand *o = &out->o;
    o->slot = e->index;
    switch (e->kind) {
    case TC_PE_REG:
        out->type = e->type;
        o->kind = e->type == TC_PT_PRED ? TC_PO_PRED : TC_PO_REG;
        o->cls = (uint8_t)tc_ptx_file_of((tc_ptx_type)e->type);
        o->nvec = tc_ptx_type_bytes[e->type];
        break;
    case TC_PE_SYMBOL:
        o->kind = TC_PO_SYMBOL;
        tc_ptx_note_use(p, e->index);
        break;
    case TC_PE_FUNC:
        o->kind = TC_PO_FUNC;
        break;
    default:
        o->kind = TC_PO_LABEL;
        break;
    }
}

/* + a constant after a register or symbol. */
static bool offset(tc_ptx_parser *p, tc_ptx_parsed *out) {
    if (!tc_ptx_is(p, '+') && !tc_ptx_is(p, '-')) {
        return true;
    }
    tc_span sign = tc_ptx_here(p);
    if (tc_ptx_is(p, '-')) {
        return tc_ptx_fail(p, sign, "a negative offset is written +-8",
                           "PTX has no '-' after a register or a variable");
    }
    tc_ptx_advance(p);
    if (p->tok.kind == TC_TK_IDENT &&
        !tc_ptx_name_is(tc_ptx_text(p, &p->tok), "WARP_SZ")) {
        return tc_ptx_fail(p, tc_span_join(sign, tc_ptx_here(p)), NULL,
                           "an address is a register or a variable plus a "
                           "constant; %s is neither",
                           tc_ptx_token_text(p));
    }
    uint64_t v = 0;
    if (!expression(p, 0, 0, &v)) {
        return false;
    }
    out->o.imm = (int64_t)v;
    return true;
}

/* v, or v.x and so on (PTX ISA 6.4.3), of a register declared .v2 or .v4. */
static bool vector_register(tc_ptx_parser *p, const tc_ptx_entry *e,
                            tc_ptx_parsed *out) {
    static const char *const names[] = {".x", ".y", ".z", ".w",
                                        ".r", ".g", ".b", ".a"};
    uint32_t step = e->type == TC_PT_B128 ? 2 : 1;
    tc_ptx_entry one = *e;
    if (p->tok.kind == TC_TK_DOT && p->tok.begin == out->span.end) {
        for (uint32_t i = 0; i < 8; i++) {
            if (i % 4 < e->nvec && tc_ptx_is_dot(p, names[i])) {
                one.index = e->index + step * (i % 4);
                from_entry(p, &one, out);
                out->span.end = p->tok.end;
                tc_ptx_advance(p);
                return true;
            }
        }
        return tc_ptx_fail(
            p, tc_ptx_here(p), NULL, "'%.*s' has the elements .x to .%c",
            (int)e->name.len, e->name.text, e->nvec == 2 ? 'y' : 'w');
    }
    uint8_t n = e->nvec;
    out->o.kind = TC_PO_VECTOR;
    out->o.nvec = n;
    out->items = TC_NEWN(p->arena, tc_ptx_parsed, n);
    for (uint32_t i = 0; i < n; i++) {
        out->items[i] = (tc_ptx_parsed){.span = out->span, .name = out->name};
        one.index = e->index + step * i;
        from_entry(p, &one, &out->items[i]);
    }
    return true;
}

/* %tid and its like without an element: {%tid.x, %tid.y, %tid.z, 0}. */
static bool special_vector(tc_ptx_parser *p, tc_ptx_name n,
                           tc_ptx_parsed *out) {
    static const char *const elements[] = {".x", ".y", ".z", ".w"};
    tc_ptx_special s;
    tc_ptx_parsed *items = TC_NEWN(p->arena, tc_ptx_parsed, 4);
    for (int i = 0; i < 4; i++) {
        const char *name =
            tc_format(p->arena, "%.*s%s", (int)n.len, n.text, elements[i]);
        tc_ptx_name one = {name, (uint32_t)strlen(name)};
        if (!tc_ptx_special_by_name(one, &s)) {
            return false;
        }
        items[i] = (tc_ptx_parsed){.span = out->span, .name = out->name};
        if (!special(p, &items[i], one)) {
            return false;
        }
    }
    out->o.kind = TC_PO_VECTOR;
    out->o.nvec = 4;
    out->items = items;
    return true;
}

static bool name_operand(tc_ptx_parser *p, tc_ptx_parsed *out) {
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    out->name = n;
    tc_ptx_advance(p);
    if (tc_ptx_name_is(n, "_")) {
        out->o.kind = TC_PO_SINK;
        return true;
    }
    bool dotted = p->tok.kind == TC_TK_DOT && p->tok.begin == out->span.end;
    if (n.text[0] == '%' && dotted &&
        tc_ptx_lookup(p, n) == NULL) { /* %tid.x */
        n.len = p->tok.end - out->span.begin;
        out->span.end = p->tok.end;
        tc_ptx_advance(p);
        return special(p, out, n);
    }
    const tc_ptx_entry *e = tc_ptx_lookup(p, n);
    if (e != NULL && e->kind == TC_PE_REG && e->nvec > 1) {
        return vector_register(p, e, out);
    }
    if (e != NULL) {
        from_entry(p, e, out);
        return out->o.kind != TC_PO_SYMBOL || offset(p, out);
    }
    if (n.text[0] == '%') {
        return special_vector(p, n, out) || special(p, out, n);
    }
    out->o.kind = TC_PO_LABEL;
    return true;
}

static bool vector(tc_ptx_parser *p, tc_ptx_parsed *out);

/* [map, {c0, c1}]: the coordinates become out's items. */
static bool coordinates(tc_ptx_parser *p, tc_ptx_parsed *out) {
    tc_ptx_advance(p);
    tc_ptx_parsed v = {.span = tc_ptx_here(p)};
    if (!tc_ptx_is(p, '{')) {
        return tc_ptx_fail(p, v.span, NULL,
                           "expected a tensor's coordinates in { }, found %s",
                           tc_ptx_token_text(p));
    }
    if (!vector(p, &v)) {
        return false;
    }
    out->items = v.items;
    out->o.nvec = v.o.nvec;
    return true;
}

/* [base + imm]; a register of .b64 or .b32, a variable, or a constant. */
static bool address(tc_ptx_parser *p, tc_ptx_parsed *out) {
    tc_ptx_advance(p);
    tc_ptx_parsed base = {.span = tc_ptx_here(p)};
    tc_ptx_operand *o = &out->o;
    bool is_name = p->tok.kind == TC_TK_IDENT;
    if (is_name && (!name_operand(p, &base) ||
                    (base.o.kind == TC_PO_REG && !offset(p, &base)))) {
        return false;
    }
    if (!is_name && !tc_ptx_parse_integer(p, &base.o.imm)) {
        return false;
    }
    o->kind = TC_PO_ADDRESS;
    o->imm = base.o.imm;
    o->slot = base.o.slot;
    o->cls = base.o.cls;
    if (base.o.kind == TC_PO_LABEL) {
        return tc_ptx_unknown_name(p, base.name, base.span);
    }
    if (base.o.kind == TC_PO_REG) {
        uint32_t ok = 1u << TC_PT_B32 | 1u << TC_PT_B64 | 1u << TC_PT_U32 |
                      1u << TC_PT_U64 | 1u << TC_PT_S32 | 1u << TC_PT_S64;
        if ((ok >> base.type & 1u) == 0) {
            return tc_ptx_fail(p, base.span, NULL,
                               "'%.*s' is %s; an address needs a register of "
                               ".b64 or .b32",
                               (int)base.name.len, base.name.text,
                               tc_ptx_type_names[base.type]);
        }
        o->neg = 1;
    } else if (base.o.kind == TC_PO_SYMBOL) {
        o->neg = 2;
    } else if (is_name) {
        return tc_ptx_fail(p, base.span, NULL, "'%.*s' cannot be an address",
                           (int)base.name.len, base.name.text);
    }
    if (tc_ptx_is(p, ',') && !coordinates(p, out)) {
        return false;
    }
    out->span.end = p->tok.end;
    if (!tc_ptx_expect(p, ']', "an address")) {
        return false;
    }
    if (tc_ptx_is_dot(p, ".unified")) {
        out->part = tc_ptx_text(p, &p->tok);
        tc_ptx_advance(p);
    }
    return true;
}

static bool operand(tc_ptx_parser *p, tc_ptx_parsed *out, bool nested);

static bool vector(tc_ptx_parser *p, tc_ptx_parsed *out) {
    tc_ptx_advance(p);
    out->o.kind = TC_PO_VECTOR;
    int cap = 8; /* tcgen05.ld has up to 128 */
    out->items = TC_NEWN(p->arena, tc_ptx_parsed, cap);
    do {
        if (out->o.nvec == TC_PTX_MAX_VECTOR) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "a vector has at most %d elements",
                               TC_PTX_MAX_VECTOR);
        }
        if (out->o.nvec == cap) {
            out->items = tc_grow(p->arena, out->items, sizeof *out->items,
                                 out->o.nvec, &cap);
            memset(out->items + out->o.nvec, 0,
                   (size_t)(cap - out->o.nvec) * sizeof *out->items);
        }
        if (!operand(p, &out->items[out->o.nvec], true)) {
            return false;
        }
        out->o.nvec++;
    } while (tc_ptx_accept(p, ','));
    out->span.end = p->tok.end;
    return tc_ptx_expect(p, '}', "a vector's elements");
}

static bool float_literal(tc_ptx_parser *p, tc_ptx_parsed *out, bool minus) {
    out->o.kind = TC_PO_IMM;
    out->literal = p->tok.form;
    uint64_t sign = p->tok.form == 'f' ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
    out->o.imm = (int64_t)(minus ? p->tok.value ^ sign : p->tok.value);
    tc_ptx_advance(p);
    return true;
}

/* A name, or %r1.h0 of video instructions. */
static bool part_of(tc_ptx_parser *p, tc_ptx_parsed *out) {
    if (!name_operand(p, out)) {
        return false;
    }
    if (out->o.kind == TC_PO_REG && p->tok.kind == TC_TK_DOT &&
        p->tok.begin == p->prev_end) {
        out->part = tc_ptx_text(p, &p->tok);
        out->span.end = p->tok.end;
        tc_ptx_advance(p);
    }
    return true;
}

static bool minus(tc_ptx_parser *p, tc_ptx_parsed *out) {
    out->minus = true;
    return out->o.kind == TC_PO_REG ||
           tc_ptx_fail(p, out->span, NULL,
                       "'-' goes before a constant, or a register of vmad");
}

static bool operand(tc_ptx_parser *p, tc_ptx_parsed *out, bool nested) {
    out->span = tc_ptx_here(p);
    if (tc_ptx_is(p, '[')) {
        return address(p, out);
    }
    if (tc_ptx_is(p, '{') && !nested) {
        return vector(p, out);
    }
    if (tc_ptx_accept(p, '!')) {
        tc_ptx_parsed inner = {.span = tc_ptx_here(p)};
        if (p->tok.kind != TC_TK_IDENT || !name_operand(p, &inner)) {
            return tc_ptx_fail(p, out->span, NULL,
                               "'!' goes before a predicate register");
        }
        if (inner.o.kind != TC_PO_PRED) {
            return tc_ptx_fail(p, inner.span, NULL,
                               "'!' goes before a predicate register, and "
                               "'%.*s' is none",
                               (int)inner.name.len, inner.name.text);
        }
        inner.o.neg = 1;
        inner.span = tc_span_join(out->span, inner.span);
        *out = inner;
        return true;
    }
    if (tc_ptx_is(p, '-') && p->next.kind == TC_TK_IDENT && !nested) {
        tc_ptx_advance(p);
        return part_of(p, out) && minus(p, out);
    }
    if (tc_ptx_is(p, '-') && p->next.kind == TC_TK_FLOAT) {
        tc_ptx_advance(p);
        return float_literal(p, out, true);
    }
    if (p->tok.kind == TC_TK_FLOAT) {
        return float_literal(p, out, false);
    }
    if (p->tok.kind == TC_TK_IDENT &&
        !tc_ptx_name_is(tc_ptx_text(p, &p->tok), "WARP_SZ")) {
        return nested ? name_operand(p, out) : part_of(p, out);
    }
    if (p->tok.kind == TC_TK_INT || p->tok.kind == TC_TK_IDENT ||
        tc_ptx_is(p, '-') || tc_ptx_is(p, '+') || tc_ptx_is(p, '~') ||
        tc_ptx_is(p, '(')) {
        out->o.kind = TC_PO_IMM;
        out->literal = 'i';
        bool ok = tc_ptx_parse_integer(p, &out->o.imm);
        out->span.end = p->prev_end;
        return ok;
    }
    return tc_ptx_fail(p, out->span, NULL, "expected an operand, found %s",
                       tc_ptx_token_text(p));
}

bool tc_ptx_parse_operand(tc_ptx_parser *p, tc_ptx_parsed *out) {
    if (!operand(p, out, false)) {
        return false;
    }
    out->paired = tc_ptx_accept(p, '|');
    return true;
}
