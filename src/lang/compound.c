/* compound.c - if, for, while, with, def, and their blocks. */
#include "lang/parser.h"

#include <string.h>

static void add(tc_parser *p, tc_node_list *l, tc_node *n) {
    TC_PUSH(p->arena, l->items, l->n, l->cap, n);
}

static tc_node *start(tc_parser *p, tc_node_kind kind) {
    return tc_node_new(p, kind, tc_token_span(p, tc_parse_peek(p)));
}

static tc_node *ended(tc_parser *p, tc_node *n) {
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

static bool colon(tc_parser *p, const char *after) {
    if (tc_parse_accept(p, P_COLON)) {
        return true;
    }
    if (tc_parse_at(p, P_ASSIGN)) {
        return tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)),
                          "write == to compare",
                          "'=' assigns, and cannot stand in a condition");
    }
    return tc_parse_expect(p, P_COLON, after);
}

static bool else_block(tc_parser *p, tc_node *n) {
    return !tc_parse_accept(p, K_ELSE) ||
           (colon(p, "after 'else'") && tc_parse_block(p, &n->orelse, "else"));
}

static tc_node *if_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_IF);
    tc_parse_next(p);
    n->a = tc_parse_expr(p);
    if (n->a == NULL || !colon(p, "after the condition")) {
        return NULL;
    }
    ended(p, n);
    if (!tc_parse_block(p, &n->body, "if")) {
        return NULL;
    }
    if (!tc_parse_at(p, K_ELIF)) {
        return else_block(p, n) ? n : NULL;
    }
    if (!tc_parse_nest(p)) {
        return NULL;
    }
    tc_node *rest = if_statement(p);
    p->depth--;
    if (rest == NULL) {
        return NULL;
    }
    add(p, &n->orelse, rest);
    return n;
}

static tc_node *while_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_WHILE);
    tc_parse_next(p);
    n->a = tc_parse_expr(p);
    if (n->a == NULL || !colon(p, "after the condition")) {
        return NULL;
    }
    ended(p, n);
    return tc_parse_block(p, &n->body, "while") && else_block(p, n) ? n : NULL;
}

static tc_node *for_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_FOR);
    tc_parse_next(p);
    n->a = tc_parse_target_list(p);
    if (n->a == NULL || !tc_check_target(p, n->a, false) ||
        !tc_parse_expect(p, K_IN, "after the loop variable")) {
        return NULL;
    }
    n->b = tc_parse_star_list(p);
    if (n->b == NULL || !colon(p, "after the range")) {
        return NULL;
    }
    ended(p, n);
    return tc_parse_block(p, &n->body, "for") && else_block(p, n) ? n : NULL;
}

/* with a as b, c: is with a as b: with c: */
static tc_node *with_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_WITH);
    tc_parse_next(p); /* with, or a comma */
    n->a = tc_parse_expr(p);
    if (n->a == NULL) {
        return NULL;
    }
    if (tc_parse_accept(p, K_AS)) {
        n->b = tc_parse_at(p, P_LPAREN) ? tc_parse_expr(p)
                                        : tc_parse_target_list(p);
        if (n->b == NULL || !tc_check_target(p, n->b, false)) {
            return NULL;
        }
    }
    if (tc_parse_at(p, P_COMMA)) {
        tc_node *inner = tc_parse_nest(p) ? with_statement(p) : NULL;
        p->depth--;
        if (inner != NULL) {
            add(p, &n->body, inner);
        }
        return inner != NULL ? n : NULL;
    }
    if (!colon(p, "after the with item")) {
        return NULL;
    }
    ended(p, n);
    return tc_parse_block(p, &n->body, "with") ? n : NULL;
}

static tc_node *definition(tc_parser *p, const tc_node_list *decorators) {
    tc_node *n = start(p, TC_N_DEF);
    tc_parse_next(p);
    n->items = *decorators;
    if (!tc_parse_at(p, TOK_NAME)) {
        return tc_parse_unexpected(p, "the function's name after 'def'");
    }
    n->name_span = tc_token_span(p, tc_parse_peek(p));
    n->s = tc_parse_next(p)->s;
    if (!tc_parse_expect(p, P_LPAREN, "after the function's name")) {
        return NULL;
    }
    if (!tc_parse_params(p, n, P_RPAREN)) {
        return NULL;
    }
    if (!tc_parse_expect(p, P_RPAREN, "after the parameters")) {
        return NULL;
    }
    if (tc_parse_accept(p, P_ARROW) && (n->a = tc_parse_expr(p)) == NULL) {
        return NULL;
    }
    if (!colon(p, "after the parameters")) {
        return NULL;
    }
    ended(p, n);
    return tc_parse_block(p, &n->body, "def") ? n : NULL;
}

static tc_node *decorated(tc_parser *p) {
    tc_node_list decorators = {0};
    while (tc_parse_accept(p, P_AT)) {
        tc_node *d = tc_parse_expr(p);
        if (d == NULL) {
            return NULL;
        }
        add(p, &decorators, d);
        if (!tc_parse_at(p, TOK_NEWLINE)) {
            return tc_parse_unexpected(
                p, "the end of the line after the decorator");
        }
        tc_parse_next(p);
    }
    if (tc_parse_at(p, K_CLASS)) {
        return tc_parse_class(p, &decorators);
    }
    if (!tc_parse_at(p, K_DEF)) {
        return tc_parse_unexpected(p, "'def' after the decorator");
    }
    return definition(p, &decorators);
}

/* The lines of a block, or statements on the same line. */
bool tc_parse_block(tc_parser *p, tc_node_list *out, const char *of) {
    if (!tc_parse_accept(p, TOK_NEWLINE)) {
        return tc_parse_simple_line(p, out);
    }
    if (!tc_parse_at(p, TOK_INDENT)) {
        return tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)),
                          "indent its lines, or write 'pass'",
                          "the block of '%s' is missing", of);
    }
    if (!tc_parse_nest(p)) {
        return false;
    }
    tc_parse_next(p);
    while (!tc_parse_accept(p, TOK_DEDENT)) {
        if (!tc_parse_statement(p, out)) {
            return false;
        }
    }
    p->depth--;
    return true;
}

static tc_node *compound(tc_parser *p) {
    switch (tc_parse_peek(p)->kind) {
    case K_IF:
        return if_statement(p);
    case K_WHILE:
        return while_statement(p);
    case K_FOR:
        return for_statement(p);
    case K_WITH:
        return with_statement(p);
    case K_DEF:
        return definition(p, &(tc_node_list){0});
    case P_AT:
        return decorated(p);
    case K_CLASS:
        return tc_parse_class(p, &(tc_node_list){0});
    case K_TRY:
        return tc_parse_try(p);
    default:
        return tc_not_in_subset(p);
    }
}

bool tc_parse_statement(tc_parser *p, tc_node_list *out) {
    switch (tc_parse_peek(p)->kind) {
    case TOK_INDENT:
        return tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)),
                          "only the lines of a block are indented",
                          "this line is indented, and no block begins here");
    case K_IF:
    case K_WHILE:
    case K_FOR:
    case K_WITH:
    case K_DEF:
    case P_AT:
    case K_CLASS:
    case K_TRY:
    case K_ASYNC: {
        tc_node *n = compound(p);
        if (n != NULL) {
            add(p, out, n);
        }
        return n != NULL;
    }
    default:
        return tc_parse_simple_line(p, out);
    }
}
