/* parser.h - the state of one parse; lang/ only. */
#ifndef TC_LANG_PARSER_H
#define TC_LANG_PARSER_H

#include "lang/ast.h"
#include "lang/lex.h"

typedef struct tc_parser {
    tc_arena *arena, *strings;
    const tc_source *source;
    tc_diags *diags;
    const tc_token *tokens;
    int at;
    int depth; /* of nesting, at most TC_MAX_NESTING */
} tc_parser;

enum { TC_MAX_NESTING = 200, TC_MAX_CHAIN = 500 };

/* The current token and its kind; END is never passed. */
static inline const tc_token *tc_parse_peek(const tc_parser *p) {
    return &p->tokens[p->at];
}

static inline bool tc_parse_at(const tc_parser *p, tc_token_kind k) {
    return p->tokens[p->at].kind == k;
}

const tc_token *tc_parse_next(tc_parser *p);         /* and moves on */
bool tc_parse_accept(tc_parser *p, tc_token_kind k); /* moves on if it is k */
bool tc_parse_expect(tc_parser *p, tc_token_kind k, const char *after);
tc_span tc_token_span(const tc_parser *p, const tc_token *t);
tc_span tc_last_span(const tc_parser *p); /* of the token before this one */
/* Enters one level of nesting; reports and returns false at the limit. */
bool tc_parse_nest(tc_parser *p);

tc_node *tc_node_new(tc_parser *p, tc_node_kind kind, tc_span span);
/* Reports at the current token; returns NULL. */
void *tc_parse_unexpected(tc_parser *p, const char *wanted);
void *tc_fail_at(tc_parser *p, tc_span span, const char *hint, const char *fmt,
                 ...) __attribute__((format(printf, 4, 5)));

/* Expressions (expr.c); NULL after reporting. */
tc_node *tc_parse_expr(tc_parser *p);         /* without a bare tuple */
tc_node *tc_parse_star_list(tc_parser *p);    /* a, *b, c: a tuple if a comma */
tc_node *tc_parse_target_list(tc_parser *p);  /* up to `in` */
tc_node *tc_parse_star_or_expr(tc_parser *p); /* atom.c */
tc_node *tc_parse_postfix(tc_parser *p);
bool tc_long_chain(tc_parser *p, int *links); /* reports at the limit */
bool tc_starts_expr(tc_token_kind k);

tc_node *tc_parse_or_test(tc_parser *p); /* without `if` and `else` */
/* What a { } of an f-string holds, and the text between (fstring.c). */
bool tc_parse_fstring(tc_parser *p, const tc_token *t, tc_node *to);
/* From its first `for`; value: that of a dict, or NULL; close: ) ] or }
 * (comprehension.c). */
tc_node *tc_parse_comprehension(tc_parser *p, tc_node *element, tc_node *value,
                                char close);
tc_node *tc_parse_lambda(tc_parser *p);
/* Up to close, which is left: ) of a def or : of a lambda (params.c). */
bool tc_parse_params(tc_parser *p, tc_node *def, tc_token_kind close);

/* Statements: parse.c has the simple ones, compound.c and try.c the others. */
bool tc_parse_block(tc_parser *p, tc_node_list *out, const char *of);
tc_node *tc_parse_try(tc_parser *p);
tc_node *tc_parse_class(tc_parser *p, const tc_node_list *decorators);
bool tc_parse_simple_line(tc_parser *p, tc_node_list *out);
bool tc_parse_statement(tc_parser *p, tc_node_list *out);
bool tc_check_target(tc_parser *p, const tc_node *t, bool single);
void *tc_not_in_subset(tc_parser *p);

#endif
