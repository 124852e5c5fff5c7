/* parse.c - simple statements, and the entry point. */
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

/* --- assignments ------------------------------------------------------- */

static const char *kind_text(tc_node_kind k) {
    switch (k) {
    case TC_N_CALL:
        return "the result of a call";
    case TC_N_INT:
    case TC_N_FLOAT:
    case TC_N_STRING:
    case TC_N_BOOL:
    case TC_N_NONE:
        return "a constant";
    default:
        return "an expression";
    }
}

bool tc_check_target(tc_parser *p, const tc_node *t, bool single) {
    switch (t->kind) {
    case TC_N_NAME:
    case TC_N_ATTR:
    case TC_N_SUBSCRIPT:
        return true;
    case TC_N_STAR:
        if (!single) {
            return tc_check_target(p, t->a, true);
        }
        break;
    case TC_N_TUPLE:
    case TC_N_LIST:
        if (single) {
            break;
        }
        for (int i = 0; i < t->items.n; i++) {
            if (!tc_check_target(p, t->items.items[i], false)) {
                return false;
            }
        }
        return true;
    default:
        break;
    }
    tc_fail_at(p, t->span, "write == to compare", "cannot assign to %s",
               kind_text(t->kind));
    return false;
}

/* Behind `target =`: the value, which may be another assignment. */
static tc_node *assigned(tc_parser *p, tc_node *target) {
    tc_node *n = tc_node_new(p, TC_N_ASSIGN, target->span);
    n->a = target;
    if (!tc_check_target(p, target, false) || !tc_parse_nest(p)) {
        return NULL;
    }
    n->b = tc_parse_star_list(p);
    if (n->b != NULL && tc_parse_accept(p, P_ASSIGN)) {
        n->b = assigned(p, n->b);
    }
    p->depth--;
    return n->b != NULL ? ended(p, n) : NULL;
}

static tc_node *annotated(tc_parser *p, tc_node *target) {
    tc_node *n = tc_node_new(p, TC_N_ANNASSIGN, target->span);
    n->a = target;
    if (!tc_check_target(p, target, true)) {
        return NULL;
    }
    n->b = tc_parse_expr(p);
    if (n->b != NULL && tc_parse_accept(p, P_ASSIGN)) {
        n->c = tc_parse_star_list(p);
        if (n->c == NULL) {
            return NULL;
        }
    }
    return n->b != NULL ? ended(p, n) : NULL;
}

static tc_token_op augmented_op(tc_token_kind k) {
    static const struct {
        tc_token_kind kind;
        tc_token_op op;
    } table[] = {{P_ADD_EQ, TC_OP_ADD},           {P_SUB_EQ, TC_OP_SUB},
                 {P_MUL_EQ, TC_OP_MUL},           {P_DIV_EQ, TC_OP_DIV},
                 {P_FLOORDIV_EQ, TC_OP_FLOORDIV}, {P_MOD_EQ, TC_OP_MOD},
                 {P_POW_EQ, TC_OP_POW},           {P_MATMUL_EQ, TC_OP_MATMUL},
                 {P_SHL_EQ, TC_OP_SHL},           {P_SHR_EQ, TC_OP_SHR},
                 {P_AND_EQ, TC_OP_BITAND},        {P_OR_EQ, TC_OP_BITOR},
                 {P_XOR_EQ, TC_OP_BITXOR}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].kind == k) {
            return table[i].op;
        }
    }
    return TC_OP_NONE;
}

static tc_node *augmented(tc_parser *p, tc_node *target, tc_token_op op) {
    tc_node *n = tc_node_new(p, TC_N_AUGASSIGN, target->span);
    tc_parse_next(p);
    n->a = target;
    n->op = op;
    if (!tc_check_target(p, target, true)) {
        return NULL;
    }
    n->b = tc_parse_star_list(p);
    return n->b != NULL ? ended(p, n) : NULL;
}

static tc_node *expression_statement(tc_parser *p) {
    tc_node *e = tc_parse_star_list(p);
    if (e == NULL) {
        return NULL;
    }
    if (tc_parse_accept(p, P_ASSIGN)) {
        return assigned(p, e);
    }
    if (tc_parse_accept(p, P_COLON)) {
        return annotated(p, e);
    }
    tc_token_op op = augmented_op(tc_parse_peek(p)->kind);
    if (op != TC_OP_NONE) {
        return augmented(p, e, op);
    }
    tc_node *n = tc_node_new(p, TC_N_EXPR, e->span);
    n->a = e;
    return n;
}

/* --- other simple statements ------------------------------------------- */

static const char *dotted_name(tc_parser *p, const char *where) {
    if (!tc_parse_at(p, TOK_NAME)) {
        return tc_parse_unexpected(p, where);
    }
    const char *s = tc_parse_next(p)->s;
    while (tc_parse_accept(p, P_DOT)) {
        if (!tc_parse_at(p, TOK_NAME)) {
            return tc_parse_unexpected(p, "a name after '.'");
        }
        s = tc_format(p->strings, "%s.%s", s, tc_parse_next(p)->s);
    }
    return s;
}

/* `as name`, if there; false after reporting. */
static bool as_name(tc_parser *p, const char **out) {
    *out = NULL;
    if (!tc_parse_accept(p, K_AS)) {
        return true;
    }
    if (!tc_parse_at(p, TOK_NAME)) {
        return tc_parse_unexpected(p, "a name after 'as'");
    }
    *out = tc_parse_next(p)->s;
    return true;
}

static bool import(tc_parser *p, tc_node_list *out) {
    tc_parse_next(p);
    do {
        tc_node *n = start(p, TC_N_IMPORT);
        n->s = dotted_name(p, "a module after 'import'");
        if (n->s == NULL || !as_name(p, &n->s2)) {
            return false;
        }
        add(p, out, ended(p, n));
    } while (tc_parse_accept(p, P_COMMA));
    return true;
}

static bool import_name(tc_parser *p, const char *module, tc_span module_span,
                        tc_node_list *out) {
    tc_node *n = start(p, TC_N_IMPORTFROM);
    n->s = module;
    n->name_span = module_span;
    if (tc_parse_accept(p, P_MUL)) {
        n->s2 = "*";
    } else if (tc_parse_at(p, TOK_NAME)) {
        n->s2 = tc_parse_next(p)->s;
        if (!as_name(p, &n->s3)) {
            return false;
        }
    } else {
        return tc_parse_unexpected(p, "a name to import");
    }
    add(p, out, ended(p, n));
    return true;
}

static bool import_from(tc_parser *p, tc_node_list *out) {
    tc_parse_next(p);
    tc_span span = tc_token_span(p, tc_parse_peek(p));
    const char *module = dotted_name(p, "a module after 'from'");
    span = tc_span_join(span, tc_last_span(p));
    if (module == NULL || !tc_parse_expect(p, K_IMPORT, "after the module")) {
        return false;
    }
    bool bracketed = tc_parse_accept(p, P_LPAREN);
    do {
        if (bracketed && tc_parse_at(p, P_RPAREN)) {
            break;
        }
        if (!import_name(p, module, span, out)) {
            return false;
        }
    } while (tc_parse_accept(p, P_COMMA));
    return !bracketed || tc_parse_expect(p, P_RPAREN, "after the names");
}

static tc_node *return_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_RETURN);
    tc_parse_next(p);
    if (tc_starts_expr(tc_parse_peek(p)->kind)) {
        n->a = tc_parse_star_list(p);
        if (n->a == NULL) {
            return NULL;
        }
    }
    return ended(p, n);
}

/* raise, raise X, raise X from Y (Y is read over). */
static tc_node *raise_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_RAISE);
    tc_parse_next(p);
    if (tc_starts_expr(tc_parse_peek(p)->kind)) {
        n->a = tc_parse_expr(p);
        if (n->a == NULL ||
            (tc_parse_accept(p, K_FROM) && tc_parse_expr(p) == NULL)) {
            return NULL;
        }
    }
    return ended(p, n);
}

static tc_node *delete_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_DELETE);
    tc_parse_next(p);
    tc_node *of = tc_parse_target_list(p);
    if (of == NULL || !tc_check_target(p, of, false)) {
        return NULL;
    }
    if (of->kind == TC_N_TUPLE) {
        n->items = of->items;
    } else {
        add(p, &n->items, of);
    }
    return ended(p, n);
}

static bool global(tc_parser *p, tc_node_list *out) {
    bool outer = tc_parse_next(p)->kind == K_NONLOCAL;
    do {
        tc_node *n = start(p, TC_N_GLOBAL);
        if (!tc_parse_at(p, TOK_NAME)) {
            return tc_parse_unexpected(p, "a name");
        }
        n->s = tc_parse_next(p)->s;
        n->i = outer;
        add(p, out, n);
    } while (tc_parse_accept(p, P_COMMA));
    return true;
}

static tc_node *assert_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_ASSERT);
    tc_parse_next(p);
    n->a = tc_parse_expr(p);
    if (n->a != NULL && tc_parse_accept(p, P_COMMA)) {
        n->b = tc_parse_expr(p);
        if (n->b == NULL) {
            return NULL;
        }
    }
    return n->a != NULL ? ended(p, n) : NULL;
}

static tc_node *keyword_statement(tc_parser *p, tc_node_kind kind) {
    tc_node *n = start(p, kind);
    tc_parse_next(p);
    return n;
}

void *tc_not_in_subset(tc_parser *p) {
    const tc_token *t = tc_parse_peek(p);
    return tc_fail_at(p, tc_token_span(p, t), NULL,
                      "'%s' is not part of the TVMScript subset",
                      tc_token_kind_text(t->kind));
}

static bool simple_statement(tc_parser *p, tc_node_list *out) {
    tc_node *n;
    switch (tc_parse_peek(p)->kind) {
    case K_IMPORT:
        return import(p, out);
    case K_FROM:
        return import_from(p, out);
    case K_RETURN:
        n = return_statement(p);
        break;
    case K_ASSERT:
        n = assert_statement(p);
        break;
    case K_PASS:
        n = keyword_statement(p, TC_N_PASS);
        break;
    case K_BREAK:
        n = keyword_statement(p, TC_N_BREAK);
        break;
    case K_CONTINUE:
        n = keyword_statement(p, TC_N_CONTINUE);
        break;
    case K_RAISE:
        n = raise_statement(p);
        break;
    case K_DEL:
        n = delete_statement(p);
        break;
    case K_GLOBAL:
    case K_NONLOCAL:
        return global(p, out);
    case K_YIELD:
        return tc_not_in_subset(p);
    case K_EXCEPT:
    case K_FINALLY:
        return tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)), NULL,
                          "'%s' without a 'try' before it",
                          tc_token_kind_text(tc_parse_peek(p)->kind));
    case K_ELSE:
    case K_ELIF:
        return tc_fail_at(p, tc_token_span(p, tc_parse_peek(p)),
                          "line it up with its 'if'",
                          "'%s' without an 'if' before it",
                          tc_token_kind_text(tc_parse_peek(p)->kind));
    default:
        n = expression_statement(p);
    }
    if (n != NULL) {
        add(p, out, n);
    }
    return n != NULL;
}

/* What may be wrong where a statement should end. */
static bool line_not_ended(tc_parser *p) {
    const tc_token *t = tc_parse_peek(p), *before = &p->tokens[p->at - 1];
    const char *hint = "end the line, or put ';' between two statements";
    if (before->kind == TOK_NAME && p->at >= 1 &&
        (strcmp(before->s, "print") == 0)) {
        hint = "a call needs brackets";
    }
    return tc_fail_at(p, tc_token_span(p, t), hint,
                      "the statement should end before '%.*s'",
                      (int)(t->end - t->begin), p->source->text + t->begin);
}

/* a; b; c and the end of the line. */
bool tc_parse_simple_line(tc_parser *p, tc_node_list *out) {
    do {
        if (tc_parse_at(p, TOK_NEWLINE)) {
            break;
        }
        if (!simple_statement(p, out)) {
            return false;
        }
    } while (tc_parse_accept(p, P_SEMI));
    return tc_parse_accept(p, TOK_NEWLINE) || line_not_ended(p);
}

bool tc_parse_split(tc_arena *nodes, tc_arena *strings, const tc_source *source,
                    tc_diags *diags, tc_node_list *out) {
    tc_tokens tokens;
    *out = (tc_node_list){0};
    if (!tc_lex(nodes, strings, source, diags, &tokens)) {
        return false;
    }
    tc_parser p = {nodes, strings, source, diags, tokens.items, 0, 0};
    while (!tc_parse_at(&p, TOK_END)) {
        if (!tc_parse_statement(&p, out)) {
            *out = (tc_node_list){0};
            return false;
        }
    }
    return true;
}

bool tc_parse(tc_arena *a, const tc_source *source, tc_diags *diags,
              tc_node_list *out) {
    return tc_parse_split(a, a, source, diags, out);
}
