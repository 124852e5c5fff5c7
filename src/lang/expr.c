/* expr.c - expressions, by precedence climbing. */
#include "base/cancel.h"
#include "lang/parser.h"

#include <string.h>

const tc_token *tc_parse_next(tc_parser *p) {
    const tc_token *t = &p->tokens[p->at];
    p->at += t->kind != TOK_END;
    return t;
}

bool tc_parse_accept(tc_parser *p, tc_token_kind k) {
    bool yes = tc_parse_at(p, k);
    p->at += yes;
    return yes;
}

tc_span tc_token_span(const tc_parser *p, const tc_token *t) {
    return (tc_span){p->source, t->begin, t->end};
}

tc_span tc_last_span(const tc_parser *p) {
    return tc_token_span(p, &p->tokens[p->at > 0 ? p->at - 1 : 0]);
}

void *tc_fail_at(tc_parser *p, tc_span span, const char *hint, const char *fmt,
                 ...) {
    va_list ap;
    va_start(ap, fmt);
    char *message = tc_vformat(p->arena, fmt, ap);
    va_end(ap);
    tc_error(p->diags, span, hint, "%s", message);
    return NULL;
}

static const char *quoted(tc_parser *p, const tc_token *t) {
    if (t->kind <= TOK_DEDENT) {
        return tc_token_kind_text(t->kind);
    }
    int len = (int)(t->end - t->begin);
    return tc_format(p->arena, "'%.*s'", len < 40 ? len : 40,
                     p->source->text + t->begin);
}

void *tc_parse_unexpected(tc_parser *p, const char *wanted) {
    const tc_token *t = tc_parse_peek(p);
    return tc_fail_at(p, tc_token_span(p, t), NULL, "expected %s, found %s",
                      wanted, quoted(p, t));
}

bool tc_parse_expect(tc_parser *p, tc_token_kind k, const char *after) {
    if (tc_parse_accept(p, k)) {
        return true;
    }
    tc_parse_unexpected(
        p, tc_format(p->arena, "'%s' %s", tc_token_kind_text(k), after));
    return false;
}

bool tc_parse_nest(tc_parser *p) {
    if (++p->depth <= TC_MAX_NESTING) {
        return true;
    }
    tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)), NULL,
               "nested more than %d levels deep", TC_MAX_NESTING);
    return false;
}

tc_node *tc_node_new(tc_parser *p, tc_node_kind kind, tc_span span) {
    tc_node *n = TC_NEW(p->arena, tc_node);
    n->kind = kind;
    n->span = span;
    return n;
}

bool tc_starts_expr(tc_token_kind k) {
    switch (k) {
    case TOK_NAME:
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_STRING:
    case P_LPAREN:
    case P_LBRACKET:
    case P_LBRACE:
    case P_ADD:
    case P_SUB:
    case P_TILDE:
    case P_MUL:
    case P_ELLIPSIS:
    case K_NOT:
    case K_NONE:
    case K_TRUE:
    case K_FALSE:
    case K_LAMBDA:
    case K_AWAIT:
    case K_YIELD:
        return true;
    default:
        return false;
    }
}

static void add_item(tc_parser *p, tc_node_list *l, tc_node *n) {
    TC_PUSH(p->arena, l->items, l->n, l->cap, n);
}

/* --- operators --------------------------------------------------------- */

enum {
    PREC_OR = 1,
    PREC_AND,
    PREC_NOT,
    PREC_COMPARE,
    PREC_BITOR,
    PREC_BITXOR,
    PREC_BITAND,
    PREC_SHIFT,
    PREC_ADD,
    PREC_MUL,
    PREC_UNARY
};

static const struct {
    tc_token_kind kind;
    tc_token_op op;
    int precedence;
} binaries[] = {
    {K_OR, TC_OP_OR, PREC_OR},          {K_AND, TC_OP_AND, PREC_AND},
    {P_LT, TC_OP_LT, PREC_COMPARE},     {P_LE, TC_OP_LE, PREC_COMPARE},
    {P_GT, TC_OP_GT, PREC_COMPARE},     {P_GE, TC_OP_GE, PREC_COMPARE},
    {P_EQ, TC_OP_EQ, PREC_COMPARE},     {P_NE, TC_OP_NE, PREC_COMPARE},
    {K_IN, TC_OP_IN, PREC_COMPARE},     {K_IS, TC_OP_IS, PREC_COMPARE},
    {P_OR, TC_OP_BITOR, PREC_BITOR},    {P_XOR, TC_OP_BITXOR, PREC_BITXOR},
    {P_AND, TC_OP_BITAND, PREC_BITAND}, {P_SHL, TC_OP_SHL, PREC_SHIFT},
    {P_SHR, TC_OP_SHR, PREC_SHIFT},     {P_ADD, TC_OP_ADD, PREC_ADD},
    {P_SUB, TC_OP_SUB, PREC_ADD},       {P_MUL, TC_OP_MUL, PREC_MUL},
    {P_DIV, TC_OP_DIV, PREC_MUL},       {P_FLOORDIV, TC_OP_FLOORDIV, PREC_MUL},
    {P_MOD, TC_OP_MOD, PREC_MUL},       {P_AT, TC_OP_MATMUL, PREC_MUL},
};

/* The operator at the current token: its precedence, or 0. Takes two tokens
 * for `not in` and `is not`; *ntokens says so. */
static int binary_here(const tc_parser *p, tc_token_op *op, int *ntokens) {
    tc_token_kind k = tc_parse_peek(p)->kind;
    *ntokens = 1;
    if (k == K_NOT && p->tokens[p->at + 1].kind == K_IN) {
        *op = TC_OP_NOTIN;
        *ntokens = 2;
        return PREC_COMPARE;
    }
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        if (binaries[i].kind == k) {
            *op = binaries[i].op;
            if (k == K_IS && p->tokens[p->at + 1].kind == K_NOT) {
                *op = TC_OP_ISNOT;
                *ntokens = 2;
            }
            return binaries[i].precedence;
        }
    }
    return 0;
}

static tc_node *binary(tc_parser *p, int least);

static tc_node *unary_of(tc_parser *p, tc_token_op op, int operand) {
    tc_span span = tc_token_span(p, tc_parse_next(p));
    if (!tc_parse_nest(p)) {
        return NULL;
    }
    tc_node *a = binary(p, operand);
    p->depth--;
    if (a == NULL) {
        return NULL;
    }
    tc_node *n = tc_node_new(p, TC_N_UNARY, tc_span_join(span, a->span));
    n->op = op;
    n->a = a;
    return n;
}

static tc_node *join(tc_parser *p, tc_token_op op, tc_node *a, tc_node *b) {
    tc_node *n = tc_node_new(p, TC_N_BINARY, tc_span_join(a->span, b->span));
    n->op = op;
    n->a = a;
    n->b = b;
    return n;
}

/* ** binds tighter than a sign on its left, looser than one on its right. */
static tc_node *power(tc_parser *p) {
    tc_node *a = tc_parse_postfix(p);
    if (a == NULL || !tc_parse_at(p, P_POW)) {
        return a;
    }
    tc_parse_next(p);
    if (!tc_parse_nest(p)) {
        return NULL;
    }
    tc_node *b = binary(p, PREC_UNARY);
    p->depth--;
    return b != NULL ? join(p, TC_OP_POW, a, b) : NULL;
}

static tc_node *unary(tc_parser *p, int least) {
    switch (tc_parse_peek(p)->kind) {
    case K_NOT:
        if (least > PREC_NOT) {
            return tc_parse_unexpected(
                p, "an operand (put 'not ...' in brackets)");
        }
        return unary_of(p, TC_OP_NOT, PREC_NOT);
    case P_ADD:
        return unary_of(p, TC_OP_POS, PREC_UNARY);
    case P_SUB:
        return unary_of(p, TC_OP_NEG, PREC_UNARY);
    case P_TILDE:
        return unary_of(p, TC_OP_INVERT, PREC_UNARY);
    default:
        return power(p);
    }
}

static bool is_comparison(const tc_node *n) {
    return n->kind == TC_N_BINARY && (n->op >= TC_OP_LT && n->op <= TC_OP_NE);
}

/* a < b < c is a < b and b < c. */
static tc_node *compare_chain(tc_parser *p, tc_node *left, tc_node *last,
                              tc_token_op op, tc_node *b) {
    tc_node *next = join(p, op, last->b, b);
    tc_node *both = join(p, TC_OP_AND, left, next);
    both->span = tc_span_join(left->span, b->span);
    return both;
}

static tc_node *binary(tc_parser *p, int least) {
    tc_node *left = unary(p, least);
    const tc_node *compared = NULL; /* the last comparison of a chain */
    for (int links = 0; left != NULL;) {
        tc_token_op op;
        int ntokens, precedence = binary_here(p, &op, &ntokens);
        if (precedence == 0 || precedence < least) {
            break;
        }
        if (tc_long_chain(p, &links)) {
            return NULL;
        }
        p->at += ntokens;
        tc_node *b = binary(p, precedence + 1);
        if (b == NULL) {
            return NULL;
        }
        if (precedence == PREC_COMPARE && compared != NULL &&
            is_comparison(compared)) {
            left = compare_chain(p, left, (tc_node *)compared, op, b);
            compared = left->b;
        } else {
            left = join(p, op, left, b);
            compared = precedence == PREC_COMPARE ? left : NULL;
        }
    }
    return left;
}

static tc_node *conditional(tc_parser *p) {
    tc_node *a = binary(p, PREC_OR);
    if (a == NULL || !tc_parse_at(p, K_IF)) {
        return a;
    }
    tc_parse_next(p);
    tc_node *condition = binary(p, PREC_OR);
    if (condition == NULL ||
        !tc_parse_expect(p, K_ELSE, "after the condition")) {
        return NULL;
    }
    tc_node *b = tc_parse_expr(p);
    if (b == NULL) {
        return NULL;
    }
    tc_node *n = tc_node_new(p, TC_N_IFEXP, tc_span_join(a->span, b->span));
    n->a = condition;
    n->b = a;
    n->c = b;
    return n;
}

tc_node *tc_parse_or_test(tc_parser *p) {
    if (!tc_parse_nest(p)) {
        return NULL;
    }
    tc_node *n =
        tc_parse_at(p, K_LAMBDA) ? tc_parse_lambda(p) : binary(p, PREC_OR);
    p->depth--;
    return n;
}

tc_node *tc_parse_expr(tc_parser *p) {
    if (tc_cancelled()) {
        tc_diag_cancelled(p->diags, "the program was read");
        return NULL;
    }
    if (!tc_parse_nest(p)) {
        return NULL;
    }
    tc_node *n = conditional(p);
    p->depth--;
    if (n != NULL && tc_parse_at(p, P_WALRUS)) {
        return tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)),
                          "assign on a line of its own",
                          "':=' is not part of the TVMScript subset");
    }
    return n;
}

static tc_node *list_of(tc_parser *p, tc_node *(*item)(tc_parser *),
                        bool (*more)(tc_token_kind)) {
    tc_node *first = item(p);
    if (first == NULL || !tc_parse_at(p, P_COMMA)) {
        return first;
    }
    tc_node *n = tc_node_new(p, TC_N_TUPLE, first->span);
    add_item(p, &n->items, first);
    while (tc_parse_accept(p, P_COMMA) && more(tc_parse_peek(p)->kind)) {
        tc_node *next = item(p);
        if (next == NULL) {
            return NULL;
        }
        add_item(p, &n->items, next);
    }
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

tc_node *tc_parse_star_list(tc_parser *p) {
    return list_of(p, tc_parse_star_or_expr, tc_starts_expr);
}

static tc_node *target(tc_parser *p) {
    if (!tc_parse_at(p, P_MUL)) {
        return binary(p, PREC_BITOR); /* above `in` */
    }
    return tc_parse_star_or_expr(p);
}

tc_node *tc_parse_target_list(tc_parser *p) {
    return list_of(p, target, tc_starts_expr);
}

const char *tc_token_op_text(tc_token_op op) {
    static const char *const texts[] = {
        [TC_OP_NONE] = "",    [TC_OP_ADD] = "+",
        [TC_OP_SUB] = "-",    [TC_OP_MUL] = "*",
        [TC_OP_DIV] = "/",    [TC_OP_FLOORDIV] = "//",
        [TC_OP_MOD] = "%",    [TC_OP_POW] = "**",
        [TC_OP_MATMUL] = "@", [TC_OP_SHL] = "<<",
        [TC_OP_SHR] = ">>",   [TC_OP_BITAND] = "&",
        [TC_OP_BITOR] = "|",  [TC_OP_BITXOR] = "^",
        [TC_OP_INVERT] = "~", [TC_OP_LT] = "<",
        [TC_OP_LE] = "<=",    [TC_OP_GT] = ">",
        [TC_OP_GE] = ">=",    [TC_OP_EQ] = "==",
        [TC_OP_NE] = "!=",    [TC_OP_AND] = "and",
        [TC_OP_OR] = "or",    [TC_OP_NOT] = "not",
        [TC_OP_IN] = "in",    [TC_OP_NOTIN] = "not in",
        [TC_OP_IS] = "is",    [TC_OP_ISNOT] = "is not",
        [TC_OP_POS] = "+",    [TC_OP_NEG] = "-",
    };
    return texts[op];
}
