/* params.c - the parameters of a def or a lambda. */
#include "lang/parser.h"

#include <string.h>

static bool stars(tc_parser *p, tc_param *param, bool *named) {
    if (tc_parse_accept(p, P_POW)) {
        param->kind = '2';
    } else if (tc_parse_accept(p, P_MUL)) {
        param->kind = '*';
        *named = true;
    } else if (*named) {
        param->kind = '=';
    }
    return true;
}

static bool repeated(tc_parser *p, const tc_node *def, const tc_param *param) {
    for (int i = 0; i < def->nparams; i++) {
        if (strcmp(def->params[i].name, param->name) == 0) {
            tc_fail_at(p, param->span, NULL, "parameter '%s' is named twice",
                       param->name);
            return true;
        }
    }
    return false;
}

/* One parameter. *named: those that follow are given by name only. */
static bool parameter(tc_parser *p, tc_node *def, int *cap, bool *named,
                      bool types) {
    tc_param param = {0};
    if (tc_parse_accept(p, P_DIV)) {
        return true; /* those before it go by position: no matter */
    }
    stars(p, &param, named);
    if (param.kind == '*' && (tc_parse_at(p, P_COMMA))) {
        return true;
    }
    if (!tc_parse_at(p, TOK_NAME)) {
        return tc_parse_unexpected(p, "a parameter");
    }
    const tc_token *t = tc_parse_next(p);
    param.name = t->s;
    param.span = tc_token_span(p, t);
    if (repeated(p, def, &param)) {
        return false;
    }
    if (types && tc_parse_accept(p, P_COLON) &&
        (param.annotation = tc_parse_expr(p)) == NULL) {
        return false;
    }
    if (tc_parse_accept(p, P_ASSIGN) &&
        (param.default_value = tc_parse_expr(p)) == NULL) {
        return false;
    }
    TC_PUSH(p->arena, def->params, def->nparams, *cap, param);
    return true;
}

bool tc_parse_params(tc_parser *p, tc_node *def, tc_token_kind close) {
    int cap = 0;
    bool named = false;
    while (!tc_parse_at(p, close)) {
        if (!parameter(p, def, &cap, &named, close == P_RPAREN)) {
            return false;
        }
        if (!tc_parse_accept(p, P_COMMA)) {
            break;
        }
    }
    return true;
}
