/* comprehension.c - comprehensions and lambdas. */
#include "lang/parser.h"

#include <string.h>

static void add(tc_parser *p, tc_node_list *l, tc_node *n) {
    TC_PUSH(p->arena, l->items, l->n, l->cap, n);
}

/* One `for a in b if c if d`. */
static tc_node *clause(tc_parser *p) {
    tc_node *n = tc_node_new(p, TC_N_FOR, tc_token_span(p, tc_parse_next(p)));
    n->a = tc_parse_target_list(p);
    if (n->a == NULL || !tc_check_target(p, n->a, false) ||
        !tc_parse_expect(p, K_IN, "after the variable")) {
        return NULL;
    }
    n->b = tc_parse_or_test(p);
    while (n->b != NULL && tc_parse_accept(p, K_IF)) {
        tc_node *condition = tc_parse_or_test(p);
        if (condition == NULL) {
            return NULL;
        }
        add(p, &n->orelse, condition);
    }
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n->b != NULL ? n : NULL;
}

tc_node *tc_parse_comprehension(tc_parser *p, tc_node *element, tc_node *value,
                                char close) {
    tc_node *n = tc_node_new(p, TC_N_COMP, element->span);
    n->a = element;
    n->b = value;
    n->i = close;
    while (tc_parse_at(p, K_FOR)) {
        tc_node *one = clause(p);
        if (one == NULL) {
            return NULL;
        }
        add(p, &n->items, one);
    }
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

tc_node *tc_parse_lambda(tc_parser *p) {
    tc_node *n =
        tc_node_new(p, TC_N_LAMBDA, tc_token_span(p, tc_parse_next(p)));
    n->s = "<lambda>";
    if (!tc_parse_params(p, n, P_COLON) ||
        !tc_parse_expect(p, P_COLON, "after the parameters")) {
        return NULL;
    }
    n->a = tc_parse_expr(p);
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n->a != NULL ? n : NULL;
}
