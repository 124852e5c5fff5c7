/* try.c - try and its handlers; classes. */
#include "lang/parser.h"

static void add(tc_parser *p, tc_node_list *l, tc_node *n) {
    TC_PUSH(p->arena, l->items, l->n, l->cap, n);
}

static tc_node *start(tc_parser *p, tc_node_kind kind) {
    return tc_node_new(p, kind, tc_token_span(p, tc_parse_next(p)));
}

static bool colon_block(tc_parser *p, tc_node_list *out, const char *of) {
    return tc_parse_expect(p, P_COLON, tc_format(p->arena, "after '%s'", of)) &&
           tc_parse_block(p, out, of);
}

static tc_node *handler(tc_parser *p) {
    tc_node *n = start(p, TC_N_EXCEPT);
    if (!tc_parse_at(p, P_COLON)) {
        n->a = tc_parse_star_list(p);
        if (n->a == NULL) {
            return NULL;
        }
    }
    if (tc_parse_accept(p, K_AS)) {
        if (!tc_parse_at(p, TOK_NAME)) {
            return tc_parse_unexpected(p, "a name after 'as'");
        }
        n->s = tc_parse_next(p)->s;
    }
    return colon_block(p, &n->body, "except") ? n : NULL;
}

tc_node *tc_parse_try(tc_parser *p) {
    tc_node *n = start(p, TC_N_TRY);
    if (!colon_block(p, &n->body, "try")) {
        return NULL;
    }
    while (tc_parse_at(p, K_EXCEPT)) {
        tc_node *h = handler(p);
        if (h == NULL) {
            return NULL;
        }
        add(p, &n->items, h);
    }
    if (tc_parse_accept(p, K_ELSE) && !colon_block(p, &n->orelse, "else")) {
        return NULL;
    }
    if (tc_parse_at(p, K_FINALLY)) {
        n->b = start(p, TC_N_BLOCK);
        if (!colon_block(p, &n->b->body, "finally")) {
            return NULL;
        }
    }
    if (n->items.n == 0 && n->b == NULL) {
        return tc_parse_unexpected(p, "'except' or 'finally' after the 'try'");
    }
    return n;
}

/* Its bases are read over: a class is a place of functions here. */
tc_node *tc_parse_class(tc_parser *p, const tc_node_list *decorators) {
    tc_node *n = start(p, TC_N_CLASS);
    n->items = *decorators;
    if (!tc_parse_at(p, TOK_NAME)) {
        return tc_parse_unexpected(p, "the class's name");
    }
    n->name_span = tc_token_span(p, tc_parse_peek(p));
    n->s = tc_parse_next(p)->s;
    if (tc_parse_accept(p, P_LPAREN)) {
        for (int open = 1; open > 0;) {
            tc_token_kind k = tc_parse_next(p)->kind;
            open += k == P_LPAREN;
            open -= k == P_RPAREN;
        }
    }
    n->span = tc_span_join(n->span, tc_last_span(p));
    return colon_block(p, &n->body, "class") ? n : NULL;
}
