/* parse.c - statements, and the entry points. */
#include "lang/parser.h"

#include <string.h>

static bool block(tc_parser *p, tc_node_list *out, const char *of);
static bool statement(tc_parser *p, tc_node_list *out);

static void add(tc_parser *p, tc_node_list *l, tc_node *n) {
    TC_PUSH(p->arena, l->items, l->n, l->cap, n);
}

static tc_node *start(tc_parser *p, tc_node_kind kind) {
    return tc_node_new(p, kind, tc_token_span(p, tc_peek(p)));
}

static tc_node *ended(tc_parser *p, tc_node *n) {
    n->span = tc_span_join(n->span, tc_last_span(p));
    return n;
}

/* --- assignments -------------------------------------------------------------
 */

static const char *kind_words(tc_node_kind k) {
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

static bool check_target(tc_parser *p, const tc_node *t, bool single) {
    switch (t->kind) {
    case TC_N_NAME:
    case TC_N_ATTR:
    case TC_N_SUBSCRIPT:
        return true;
    case TC_N_STAR:
        if (!single) {
            return check_target(p, t->a, true);
        }
        break;
    case TC_N_TUPLE:
    case TC_N_LIST:
        if (single) {
            break;
        }
        for (int i = 0; i < t->items.n; i++) {
            if (!check_target(p, t->items.items[i], false)) {
                return false;
            }
        }
        return true;
    default:
        break;
    }
    tc_fail_at(p, t->span, "write == to compare", "cannot assign to %s",
               kind_words(t->kind));
    return false;
}

/* Behind `target =`: the value, which may be another assignment. */
static tc_node *assigned(tc_parser *p, tc_node *target) {
    tc_node *n = tc_node_new(p, TC_N_ASSIGN, target->span);
    n->a = target;
    if (!check_target(p, target, false) || !tc_nest(p)) {
        return NULL;
    }
    n->b = tc_parse_star_list(p);
    if (n->b != NULL && tc_accept(p, P_ASSIGN)) {
        n->b = assigned(p, n->b);
    }
    p->depth--;
    return n->b != NULL ? ended(p, n) : NULL;
}

static tc_node *annotated(tc_parser *p, tc_node *target) {
    tc_node *n = tc_node_new(p, TC_N_ANNASSIGN, target->span);
    n->a = target;
    if (!check_target(p, target, true)) {
        return NULL;
    }
    n->b = tc_parse_expr(p);
    if (n->b != NULL && tc_accept(p, P_ASSIGN)) {
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
    tc_next(p);
    n->a = target;
    n->op = op;
    if (!check_target(p, target, true)) {
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
    if (tc_accept(p, P_ASSIGN)) {
        return assigned(p, e);
    }
    if (tc_accept(p, P_COLON)) {
        return annotated(p, e);
    }
    tc_token_op op = augmented_op(tc_peek(p)->kind);
    if (op != TC_OP_NONE) {
        return augmented(p, e, op);
    }
    tc_node *n = tc_node_new(p, TC_N_EXPR, e->span);
    n->a = e;
    return n;
}

/* --- other simple statements
 * ---------------------------------------------------- */

static const char *dotted_name(tc_parser *p, const char *where) {
    if (!tc_is(p, TOK_NAME)) {
        return tc_unexpected(p, where);
    }
    const char *s = tc_next(p)->s;
    while (tc_accept(p, P_DOT)) {
        if (!tc_is(p, TOK_NAME)) {
            return tc_unexpected(p, "a name after '.'");
        }
        s = tc_format(p->arena, "%s.%s", s, tc_next(p)->s);
    }
    return s;
}

/* `as name`, if there; false after reporting. */
static bool as_name(tc_parser *p, const char **out) {
    *out = NULL;
    if (!tc_accept(p, K_AS)) {
        return true;
    }
    if (!tc_is(p, TOK_NAME)) {
        return tc_unexpected(p, "a name after 'as'");
    }
    *out = tc_next(p)->s;
    return true;
}

static bool import(tc_parser *p, tc_node_list *out) {
    tc_next(p);
    do {
        tc_node *n = start(p, TC_N_IMPORT);
        n->s = dotted_name(p, "a module after 'import'");
        if (n->s == NULL || !as_name(p, &n->s2)) {
            return false;
        }
        add(p, out, ended(p, n));
    } while (tc_accept(p, P_COMMA));
    return true;
}

static bool import_name(tc_parser *p, const char *module, tc_span module_span,
                        tc_node_list *out) {
    tc_node *n = start(p, TC_N_IMPORTFROM);
    n->s = module;
    n->name_span = module_span;
    if (tc_accept(p, P_MUL)) {
        n->s2 = "*";
    } else if (tc_is(p, TOK_NAME)) {
        n->s2 = tc_next(p)->s;
        if (!as_name(p, &n->s3)) {
            return false;
        }
    } else {
        return tc_unexpected(p, "a name to import");
    }
    add(p, out, ended(p, n));
    return true;
}

static bool import_from(tc_parser *p, tc_node_list *out) {
    tc_next(p);
    tc_span span = tc_token_span(p, tc_peek(p));
    const char *module = dotted_name(p, "a module after 'from'");
    span = tc_span_join(span, tc_last_span(p));
    if (module == NULL || !tc_expect(p, K_IMPORT, "after the module")) {
        return false;
    }
    bool bracketed = tc_accept(p, P_LPAREN);
    do {
        if (bracketed && tc_is(p, P_RPAREN)) {
            break;
        }
        if (!import_name(p, module, span, out)) {
            return false;
        }
    } while (tc_accept(p, P_COMMA));
    return !bracketed || tc_expect(p, P_RPAREN, "after the names");
}

static tc_node *return_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_RETURN);
    tc_next(p);
    if (tc_starts_expr(tc_peek(p)->kind)) {
        n->a = tc_parse_star_list(p);
        if (n->a == NULL) {
            return NULL;
        }
    }
    return ended(p, n);
}

static tc_node *assert_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_ASSERT);
    tc_next(p);
    n->a = tc_parse_expr(p);
    if (n->a != NULL && tc_accept(p, P_COMMA)) {
        n->b = tc_parse_expr(p);
        if (n->b == NULL) {
            return NULL;
        }
    }
    return n->a != NULL ? ended(p, n) : NULL;
}

static tc_node *keyword_statement(tc_parser *p, tc_node_kind kind) {
    tc_node *n = start(p, kind);
    tc_next(p);
    return n;
}

static void *not_in_subset(tc_parser *p) {
    const tc_token *t = tc_peek(p);
    return tc_fail_at(p, tc_token_span(p, t), NULL,
                      "'%s' is not part of the TVMScript subset",
                      tc_token_kind_text(t->kind));
}

static bool simple_statement(tc_parser *p, tc_node_list *out) {
    tc_node *n;
    switch (tc_peek(p)->kind) {
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
    case K_DEL:
    case K_GLOBAL:
    case K_NONLOCAL:
    case K_RAISE:
    case K_YIELD:
        return not_in_subset(p);
    case K_ELSE:
    case K_ELIF:
        return tc_fail_at(p, tc_token_span(p, tc_peek(p)),
                          "line it up with its 'if'",
                          "'%s' without an 'if' before it",
                          tc_token_kind_text(tc_peek(p)->kind));
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
    const tc_token *t = tc_peek(p), *before = &p->tokens[p->at - 1];
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
static bool simple_line(tc_parser *p, tc_node_list *out) {
    do {
        if (tc_is(p, TOK_NEWLINE)) {
            break;
        }
        if (!simple_statement(p, out)) {
            return false;
        }
    } while (tc_accept(p, P_SEMI));
    return tc_accept(p, TOK_NEWLINE) || line_not_ended(p);
}

/* --- compound statements
 * ----------------------------------------------------------- */

static bool colon(tc_parser *p, const char *after) {
    if (tc_accept(p, P_COLON)) {
        return true;
    }
    if (tc_is(p, P_ASSIGN)) {
        return tc_fail_at(p, tc_token_span(p, tc_peek(p)),
                          "write == to compare",
                          "'=' assigns, and cannot stand in a condition");
    }
    return tc_expect(p, P_COLON, after);
}

static bool else_block(tc_parser *p, tc_node *n) {
    return !tc_accept(p, K_ELSE) ||
           (colon(p, "after 'else'") && block(p, &n->orelse, "else"));
}

static tc_node *if_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_IF);
    tc_next(p);
    n->a = tc_parse_expr(p);
    if (n->a == NULL || !colon(p, "after the condition")) {
        return NULL;
    }
    ended(p, n);
    if (!block(p, &n->body, "if")) {
        return NULL;
    }
    if (!tc_is(p, K_ELIF)) {
        return else_block(p, n) ? n : NULL;
    }
    if (!tc_nest(p)) {
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
    tc_next(p);
    n->a = tc_parse_expr(p);
    if (n->a == NULL || !colon(p, "after the condition")) {
        return NULL;
    }
    ended(p, n);
    return block(p, &n->body, "while") && else_block(p, n) ? n : NULL;
}

static tc_node *for_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_FOR);
    tc_next(p);
    n->a = tc_parse_target_list(p);
    if (n->a == NULL || !check_target(p, n->a, false) ||
        !tc_expect(p, K_IN, "after the loop variable")) {
        return NULL;
    }
    n->b = tc_parse_star_list(p);
    if (n->b == NULL || !colon(p, "after the range")) {
        return NULL;
    }
    ended(p, n);
    return block(p, &n->body, "for") && else_block(p, n) ? n : NULL;
}

/* with a as b, c: is with a as b: with c: */
static tc_node *with_statement(tc_parser *p) {
    tc_node *n = start(p, TC_N_WITH);
    tc_next(p); /* with, or a comma */
    n->a = tc_parse_expr(p);
    if (n->a == NULL) {
        return NULL;
    }
    if (tc_accept(p, K_AS)) {
        n->b = tc_is(p, P_LPAREN) ? tc_parse_expr(p) : tc_parse_target_list(p);
        if (n->b == NULL || !check_target(p, n->b, false)) {
            return NULL;
        }
    }
    if (tc_is(p, P_COMMA)) {
        tc_node *inner = tc_nest(p) ? with_statement(p) : NULL;
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
    return block(p, &n->body, "with") ? n : NULL;
}

static bool parameter(tc_parser *p, tc_node *def, int *cap) {
    if (tc_is(p, P_MUL) || tc_is(p, P_POW) || tc_is(p, P_DIV)) {
        return tc_fail_at(p, tc_token_span(p, tc_peek(p)), NULL,
                          "a prim_func has plain parameters only");
    }
    if (!tc_is(p, TOK_NAME)) {
        return tc_unexpected(p, "a parameter");
    }
    const tc_token *t = tc_next(p);
    tc_param param = {.name = t->s, .span = tc_token_span(p, t)};
    for (int i = 0; i < def->nparams; i++) {
        if (strcmp(def->params[i].name, param.name) == 0) {
            return tc_fail_at(p, param.span, NULL,
                              "parameter '%s' is named twice", param.name);
        }
    }
    if (tc_accept(p, P_COLON)) {
        param.annotation = tc_parse_expr(p);
        if (param.annotation == NULL) {
            return false;
        }
    }
    if (tc_accept(p, P_ASSIGN)) {
        param.default_value = tc_parse_expr(p);
        if (param.default_value == NULL) {
            return false;
        }
    }
    TC_PUSH(p->arena, def->params, def->nparams, *cap, param);
    return true;
}

static tc_node *definition(tc_parser *p, const tc_node_list *decorators) {
    tc_node *n = start(p, TC_N_DEF);
    int cap = 0;
    tc_next(p);
    n->items = *decorators;
    if (!tc_is(p, TOK_NAME)) {
        return tc_unexpected(p, "the function's name after 'def'");
    }
    n->name_span = tc_token_span(p, tc_peek(p));
    n->s = tc_next(p)->s;
    if (!tc_expect(p, P_LPAREN, "after the function's name")) {
        return NULL;
    }
    while (!tc_is(p, P_RPAREN)) {
        if (!parameter(p, n, &cap)) {
            return NULL;
        }
        if (!tc_accept(p, P_COMMA)) {
            break;
        }
    }
    if (!tc_expect(p, P_RPAREN, "after the parameters")) {
        return NULL;
    }
    if (tc_accept(p, P_ARROW) && (n->a = tc_parse_expr(p)) == NULL) {
        return NULL;
    }
    if (!colon(p, "after the parameters")) {
        return NULL;
    }
    ended(p, n);
    return block(p, &n->body, "def") ? n : NULL;
}

static tc_node *decorated(tc_parser *p) {
    tc_node_list decorators = {0};
    while (tc_accept(p, P_AT)) {
        tc_node *d = tc_parse_expr(p);
        if (d == NULL) {
            return NULL;
        }
        add(p, &decorators, d);
        if (!tc_is(p, TOK_NEWLINE)) {
            return tc_unexpected(p, "the end of the line after the decorator");
        }
        tc_next(p);
    }
    if (!tc_is(p, K_DEF)) {
        return tc_unexpected(p, "'def' after the decorator");
    }
    return definition(p, &decorators);
}

/* The lines of a block, or statements on the same line. */
static bool block(tc_parser *p, tc_node_list *out, const char *of) {
    if (!tc_accept(p, TOK_NEWLINE)) {
        return simple_line(p, out);
    }
    if (!tc_is(p, TOK_INDENT)) {
        return tc_fail_at(p, tc_token_span(p, tc_peek(p)),
                          "indent its lines, or write 'pass'",
                          "the block of '%s' is missing", of);
    }
    if (!tc_nest(p)) {
        return false;
    }
    tc_next(p);
    while (!tc_accept(p, TOK_DEDENT)) {
        if (!statement(p, out)) {
            return false;
        }
    }
    p->depth--;
    return true;
}

static tc_node *compound(tc_parser *p) {
    switch (tc_peek(p)->kind) {
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
    default:
        return not_in_subset(p);
    }
}

static bool statement(tc_parser *p, tc_node_list *out) {
    switch (tc_peek(p)->kind) {
    case TOK_INDENT:
        return tc_fail_at(p, tc_token_span(p, tc_peek(p)),
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
        return simple_line(p, out);
    }
}

bool tc_parse(tc_arena *a, const tc_source *source, tc_diags *diags,
              tc_node_list *out) {
    tc_tokens tokens;
    *out = (tc_node_list){0};
    if (!tc_lex(a, source, diags, &tokens)) {
        return false;
    }
    tc_parser p = {a, source, diags, tokens.items, 0, 0};
    while (!tc_is(&p, TOK_END)) {
        if (!statement(&p, out)) {
            *out = (tc_node_list){0};
            return false;
        }
    }
    return true;
}

/* --- does it go on?
 * ------------------------------------------------------------- */

/* True when the last line holds nothing but white space. Text whose last line
 * has no newline counts as if it had one. */
static bool ends_with_blank_line(const char *text, size_t len) {
    if (len > 0 && text[len - 1] == '\n') {
        len--;
    }
    while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL) {
        len--;
    }
    return len == 0 || text[len - 1] == '\n';
}

/* First token of the last statement that is not inside a block. */
static const tc_token *last_statement(const tc_tokens *t) {
    const tc_token *last = NULL;
    int depth = 0;
    bool line_start = true;
    for (int i = 0; i < t->n; i++) {
        const tc_token *k = &t->items[i];
        if (k->kind == TOK_INDENT || k->kind == TOK_DEDENT) {
            depth += k->kind == TOK_INDENT ? 1 : -1;
            continue;
        }
        bool goes_on = k->kind == K_ELSE || k->kind == K_ELIF;
        if (line_start && depth == 0 && k->kind != TOK_END && !goes_on &&
            !(k->kind == K_DEF && last != NULL && last->kind == P_AT)) {
            last = k;
        }
        line_start = k->kind == TOK_NEWLINE;
    }
    return last;
}

/* A decorator whose def has not come: only @ lines at the end. */
static bool decorator_waits(const tc_tokens *t, const tc_token *last) {
    for (const tc_token *k = last; k->kind != TOK_END; k++) {
        if (k->kind == K_DEF || k + 1 == t->items + t->n) {
            return k->kind != K_DEF;
        }
    }
    return true;
}

static bool opens_block(tc_token_kind k) {
    return k == K_DEF || k == K_FOR || k == K_IF || k == K_WHILE ||
           k == K_WITH || k == P_AT;
}

bool tc_parse_wants_more(const char *text) {
    tc_arena *a = tc_arena_new();
    size_t len = strlen(text);
    tc_source source = {"", text, len, 1};
    tc_diags quiet = {0};
    tc_tokens tokens;
    bool more = false;
    if (!tc_lex(a, &source, &quiet, &tokens)) {
        more = tokens.unfinished;
    } else {
        const tc_token *last = last_statement(&tokens);
        if (last != NULL && last->kind == P_AT) {
            more = decorator_waits(&tokens, last);
        }
        if (last != NULL && opens_block(last->kind)) {
            more |= !ends_with_blank_line(text, len);
        }
    }
    tc_arena_free(a);
    return more;
}
