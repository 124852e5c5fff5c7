/* atom.c - the parts of expressions: literals, displays, calls, subscripts. */
#include "lang/parser.h"

#include <string.h>

static void add_item(tc_parser *p, tc_node_list *l, tc_node *n) {
    TC_PUSH(p->arena, l->items, l->n, l->cap, n);
}

/* --- atoms ------------------------------------------------------------- */

/* Strings of which one is an f-string. */
static tc_node *formatted(tc_parser *p) {
    tc_node *n =
        tc_node_new(p, TC_N_FSTRING, tc_token_span(p, tc_parse_peek(p)));
    while (tc_parse_at(p, TOK_STRING)) {
        const tc_token *t = tc_parse_next(p);
        if (t->i != 0) {
            if (!tc_parse_fstring(p, t, n)) {
                return NULL;
            }
            continue;
        }
        tc_node *plain = tc_node_new(p, TC_N_STRING, tc_token_span(p, t));
        plain->s = t->s;
        add_item(p, &n->items, plain);
    }
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

static tc_node *string_atom(tc_parser *p) {
    for (int i = p->at; p->tokens[i].kind == TOK_STRING; i++) {
        if (p->tokens[i].i != 0) {
            return formatted(p);
        }
    }
    const tc_token *t = tc_parse_next(p);
    tc_node *n = tc_node_new(p, TC_N_STRING, tc_token_span(p, t));
    if (!tc_parse_at(p, TOK_STRING)) {
        n->s = t->s;
        return n;
    }
    tc_buf b = TC_BUF_INIT; /* adjacent strings are one */
    tc_buf_puts(&b, t->s);
    while (tc_parse_at(p, TOK_STRING)) {
        tc_buf_puts(&b, tc_parse_next(p)->s);
    }
    n->s = tc_buf_finish(&b, p->strings);
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

tc_node *tc_parse_star_or_expr(tc_parser *p) {
    if (!tc_parse_at(p, P_MUL)) {
        return tc_parse_expr(p);
    }
    tc_span span = tc_token_span(p, tc_parse_next(p));
    tc_node *a = tc_parse_expr(p);
    if (a == NULL) {
        return NULL;
    }
    tc_node *n = tc_node_new(p, TC_N_STAR, tc_span_join(span, a->span));
    n->a = a;
    return n;
}

/* Items up to the closing bracket, which is consumed. *comma: was there one? */
static bool items_until(tc_parser *p, tc_token_kind close, tc_node_list *out,
                        bool *comma) {
    *comma = false;
    while (!tc_parse_at(p, close)) {
        tc_node *item = tc_parse_star_or_expr(p);
        if (item == NULL) {
            return false;
        }
        if (tc_parse_at(p, K_FOR) && out->n == 0) {
            item = tc_parse_comprehension(p, item, NULL,
                                          close == P_RPAREN ? ')' : ']');
            if (item == NULL) {
                return false;
            }
            add_item(p, out, item);
            break;
        }
        add_item(p, out, item);
        if (!tc_parse_accept(p, P_COMMA)) {
            break;
        }
        *comma = true;
    }
    if (tc_parse_accept(p, close)) {
        return true;
    }
    if (tc_parse_at(p, P_ASSIGN)) {
        tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)), "write == to compare",
                   "'=' assigns, and cannot stand inside brackets");
        return false;
    }
    tc_parse_unexpected(
        p, tc_format(p->arena, "',' or '%s'", tc_token_kind_text(close)));
    return false;
}

static tc_node *display(tc_parser *p, tc_token_kind close, tc_node_kind kind) {
    tc_span span = tc_token_span(p, tc_parse_next(p));
    tc_node_list items = {0};
    bool comma;
    if (!items_until(p, close, &items, &comma)) {
        return NULL;
    }
    bool alone = items.n == 1 && !comma;
    if (alone && items.items[0]->kind == TC_N_COMP &&
        items.items[0]->i == (kind == TC_N_TUPLE ? ')' : ']')) {
        /* x for x in y stands for the brackets around it */
        items.items[0]->span = tc_span_join(span, tc_last_span(p));
        return items.items[0];
    }
    if (kind == TC_N_TUPLE && alone) {
        tc_node *inner = items.items[0];
        if (inner->kind == TC_N_STAR) {
            return tc_fail_at(p, inner->span, "a tuple of it is (*x,)",
                              "'*' cannot stand alone in brackets");
        }
        /* The span of (x) covers its brackets, for carets. */
        inner->span = tc_span_join(span, tc_last_span(p));
        return inner;
    }
    tc_node *n = tc_node_new(p, kind, tc_span_join(span, tc_last_span(p)));
    n->items = items;
    return n;
}

/* {a: b, ...}, {a, b} (which is taken for a list) and what comprehends them. */
static tc_node *dict_display(tc_parser *p) {
    tc_node *n = tc_node_new(p, TC_N_DICT, tc_token_span(p, tc_parse_next(p)));
    bool set = false;
    while (!tc_parse_at(p, P_RBRACE)) {
        if (tc_parse_at(p, P_POW)) {
            tc_span span = tc_token_span(p, tc_parse_next(p));
            tc_node *star = tc_node_new(p, TC_N_STAR, span);
            star->a = tc_parse_expr(p);
            if (star->a == NULL) {
                return NULL;
            }
            add_item(p, &n->items, star);
            add_item(p, &n->items, star);
            if (!tc_parse_accept(p, P_COMMA)) {
                break;
            }
            continue;
        }
        tc_node *key = tc_parse_star_or_expr(p), *value = NULL;
        if (key == NULL) {
            return NULL;
        }
        set |= n->items.n == 0 && !tc_parse_at(p, P_COLON);
        if (!set && (!tc_parse_expect(p, P_COLON, "after the key") ||
                     (value = tc_parse_expr(p)) == NULL)) {
            return NULL;
        }
        if (n->items.n == 0 && tc_parse_at(p, K_FOR)) {
            tc_node *made = tc_parse_comprehension(p, key, value, '}');
            return made != NULL &&
                           tc_parse_expect(p, P_RBRACE, "after the clauses")
                       ? made
                       : NULL;
        }
        add_item(p, &n->items, key);
        if (value != NULL) {
            add_item(p, &n->items, value);
        }
        if (!tc_parse_accept(p, P_COMMA)) {
            break;
        }
    }
    if (!tc_parse_expect(p, P_RBRACE, "after the last entry")) {
        return NULL;
    }
    n->kind = set ? TC_N_LIST : TC_N_DICT;
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

static tc_node *simple_atom(tc_parser *p, tc_node_kind kind) {
    const tc_token *t = tc_parse_next(p);
    tc_node *n = tc_node_new(p, kind, tc_token_span(p, t));
    n->i = t->kind == K_TRUE ? 1 : t->i;
    n->f = t->f;
    n->s = t->s;
    return n;
}

static tc_node *atom(tc_parser *p) {
    const tc_token *t = tc_parse_peek(p);
    switch (t->kind) {
    case TOK_NAME:
        return simple_atom(p, TC_N_NAME);
    case TOK_INT:
        return simple_atom(p, TC_N_INT);
    case TOK_FLOAT:
        return simple_atom(p, TC_N_FLOAT);
    case K_TRUE:
    case K_FALSE:
        return simple_atom(p, TC_N_BOOL);
    case K_NONE:
        return simple_atom(p, TC_N_NONE);
    case TOK_STRING:
        return string_atom(p);
    case P_LPAREN:
        return display(p, P_RPAREN, TC_N_TUPLE);
    case P_LBRACKET:
        return display(p, P_RBRACKET, TC_N_LIST);
    case P_LBRACE:
        return dict_display(p);
    case K_LAMBDA:
        return tc_parse_lambda(p);
    case P_ELLIPSIS:
        return simple_atom(p, TC_N_ELLIPSIS);
    case K_AWAIT:
    case K_YIELD:
        return tc_fail_at(p, tc_token_span(p, t), NULL,
                          "'%s' is not part of the TVMScript subset",
                          tc_token_kind_text(t->kind));
    default:
        return tc_parse_unexpected(p, "an expression");
    }
}

/* --- calls, subscripts, attributes ------------------------------------- */

static bool keyword_argument(tc_parser *p, tc_node *call, int *cap) {
    const tc_token *t = tc_parse_peek(p);
    tc_kwarg k = {.span = tc_token_span(p, t)};
    if (tc_parse_accept(p, P_POW)) {
        k.name = NULL;
    } else {
        k.name = tc_parse_next(p)->s;
        tc_parse_next(p); /* = */
    }
    for (int i = 0; k.name != NULL && i < call->nkwargs; i++) {
        if (call->kwargs[i].name != NULL &&
            strcmp(call->kwargs[i].name, k.name) == 0) {
            tc_fail_at(p, k.span, NULL, "argument '%s' is given twice", k.name);
            return false;
        }
    }
    k.value = tc_parse_expr(p);
    if (k.value == NULL) {
        return false;
    }
    k.span = tc_span_join(k.span, k.value->span);
    TC_PUSH(p->arena, call->kwargs, call->nkwargs, *cap, k);
    return true;
}

static bool argument(tc_parser *p, tc_node *call, int *cap) {
    bool named =
        tc_parse_at(p, TOK_NAME) && p->tokens[p->at + 1].kind == P_ASSIGN;
    if (named || tc_parse_at(p, P_POW)) {
        return keyword_argument(p, call, cap);
    }
    tc_node *item = tc_parse_star_or_expr(p);
    if (item == NULL) {
        return false;
    }
    if (tc_parse_at(p, K_FOR)) {
        item = tc_parse_comprehension(p, item, NULL, ')');
        if (item == NULL) {
            return false;
        }
    }
    if (call->nkwargs > 0 && item->kind != TC_N_STAR) {
        tc_fail_at(p, item->span, "put it before the keyword arguments",
                   "a positional argument after a keyword argument");
        return false;
    }
    add_item(p, &call->items, item);
    return true;
}

static tc_node *call(tc_parser *p, tc_node *callee) {
    tc_node *n = tc_node_new(p, TC_N_CALL, callee->span);
    int cap = 0;
    n->a = callee;
    tc_parse_next(p); /* ( */
    while (!tc_parse_at(p, P_RPAREN)) {
        if (!argument(p, n, &cap)) {
            return NULL;
        }
        if (!tc_parse_accept(p, P_COMMA)) {
            break;
        }
    }
    if (!tc_parse_at(p, P_RPAREN)) {
        return tc_parse_unexpected(p, "',' or ')' after the argument");
    }
    tc_parse_next(p);
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

static bool slice_part(tc_parser *p, tc_node **out) {
    if (tc_parse_at(p, P_COLON) || tc_parse_at(p, P_COMMA) ||
        tc_parse_at(p, P_RBRACKET)) {
        *out = NULL;
        return true;
    }
    *out = tc_parse_expr(p);
    return *out != NULL;
}

/* One item of a subscript: an expression or a:b:c. */
static tc_node *subscript_item(tc_parser *p) {
    tc_span begin = tc_token_span(p, tc_parse_peek(p));
    tc_node *first = NULL;
    if (!tc_parse_at(p, P_COLON)) {
        first = tc_parse_star_or_expr(p);
        if (first == NULL || !tc_parse_at(p, P_COLON)) {
            return first;
        }
    }
    tc_node *n = tc_node_new(p, TC_N_SLICE, begin);
    n->a = first;
    tc_parse_next(p); /* : */
    if (!slice_part(p, &n->b)) {
        return NULL;
    }
    if (tc_parse_accept(p, P_COLON) && !slice_part(p, &n->c)) {
        return NULL;
    }
    n->span = tc_span_join(begin, tc_last_span(p));
    return n;
}

/* x[a, b] has two items; x[(a, b)] and x[a,] have one, a tuple. */
static tc_node *subscript(tc_parser *p, tc_node *base) {
    tc_node *n = tc_node_new(p, TC_N_SUBSCRIPT, base->span);
    n->a = base;
    tc_span open = tc_token_span(p, tc_parse_next(p));
    bool comma = false;
    while (!tc_parse_at(p, P_RBRACKET)) {
        tc_node *item = subscript_item(p);
        if (item == NULL) {
            return NULL;
        }
        add_item(p, &n->items, item);
        if (!tc_parse_accept(p, P_COMMA)) {
            break;
        }
        comma = true;
    }
    if (!tc_parse_at(p, P_RBRACKET)) {
        return tc_parse_unexpected(p, "',' or ']' after the index");
    }
    tc_parse_next(p);
    if (n->items.n == 0) {
        return tc_fail_at(p, tc_span_join(open, tc_last_span(p)), NULL,
                          "the index is missing");
    }
    if (comma && n->items.n == 1 && n->items.items[0]->kind != TC_N_STAR) {
        tc_node *tuple = tc_node_new(p, TC_N_TUPLE, n->items.items[0]->span);
        tuple->items = n->items;
        n->items = (tc_node_list){0};
        add_item(p, &n->items, tuple);
    }
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

static tc_node *attribute(tc_parser *p, tc_node *base) {
    tc_parse_next(p); /* . */
    if (!tc_parse_at(p, TOK_NAME)) {
        return tc_parse_unexpected(p, "a name after '.'");
    }
    const tc_token *t = tc_parse_next(p);
    tc_node *n = tc_node_new(p, TC_N_ATTR,
                             tc_span_join(base->span, tc_token_span(p, t)));
    n->a = base;
    n->s = t->s;
    n->name_span = tc_token_span(p, t);
    return n;
}

bool tc_long_chain(tc_parser *p, int *links) {
    if (++*links <= TC_MAX_CHAIN) {
        return false;
    }
    tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)), NULL,
               "an expression of more than %d parts", TC_MAX_CHAIN);
    return true;
}

tc_node *tc_parse_postfix(tc_parser *p) {
    tc_node *n = atom(p);
    for (int links = 0; n != NULL;) {
        tc_token_kind k = tc_parse_peek(p)->kind;
        if (k != P_DOT && k != P_LPAREN && k != P_LBRACKET) {
            break;
        }
        if (tc_long_chain(p, &links)) {
            return NULL;
        }
        n = k == P_DOT      ? attribute(p, n)
            : k == P_LPAREN ? call(p, n)
                            : subscript(p, n);
    }
    return n;
}
