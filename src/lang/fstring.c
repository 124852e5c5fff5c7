/* fstring.c - f-strings: their text, and the expressions in their braces. */
#include "lang/parser.h"

#include <string.h>

static void add(tc_parser *p, tc_node *to, tc_node *n) {
    TC_PUSH(p->arena, to->items.items, to->items.n, to->items.cap, n);
}

/* Where the text of the string begins and ends, its quotes left out. */
static void inside(const tc_source *src, const tc_token *t, uint32_t *begin,
                   uint32_t *end) {
    const char *s = src->text;
    *begin = t->begin;
    while (s[*begin] != '"' && s[*begin] != '\'') {
        ++*begin;
    }
    bool triple = *begin + 5 < t->end && s[*begin + 1] == s[*begin] &&
                  s[*begin + 2] == s[*begin];
    *begin += triple ? 3 : 1;
    *end = t->end - (triple ? 3 : 1);
}

static bool text_part(tc_parser *p, tc_node *to, uint32_t begin, uint32_t end,
                      bool raw) {
    if (begin >= end) {
        return true;
    }
    tc_span span = {p->source, begin, end};
    tc_node *n = tc_node_new(p, TC_N_STRING, span);
    n->s = tc_lex_decode(p->strings, p->source, begin, end, raw, p->diags);
    add(p, to, n);
    return n->s != NULL;
}

/* What ends the expression that begins at `at`: '}', ':', '!' or '='. */
static uint32_t expression_end(const char *s, uint32_t at, uint32_t end) {
    int open = 0;
    char quote = '\0';
    for (; at < end; at++) {
        char c = s[at], next = s[at + 1];
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (strchr("([{", c) != NULL) {
            open++;
        } else if (open > 0 && strchr(")]}", c) != NULL) {
            open--;
        } else if (open == 0 &&
                   (c == '}' || c == ':' || (c == '!' && next != '=') ||
                    (c == '=' && next != '=' &&
                     strchr("=!<>", s[at - 1]) == NULL &&
                     strchr("}:! ", next) != NULL))) {
            return at;
        }
    }
    return end;
}

static tc_node *expression(tc_parser *p, uint32_t begin, uint32_t end) {
    tc_tokens tokens;
    if (!tc_lex_part(p->arena, p->strings, p->source, begin, end, p->diags,
                     &tokens)) {
        return NULL;
    }
    tc_parser inner = *p;
    inner.tokens = tokens.items;
    inner.at = 0;
    tc_node *n = tc_parse_star_list(&inner);
    if (n != NULL && !tc_parse_at(&inner, TOK_END)) {
        return tc_parse_unexpected(&inner, "'}' after the expression");
    }
    return n;
}

/* {a!r:spec} at *at, which moves behind it. */
static bool field(tc_parser *p, tc_node *to, uint32_t *at, uint32_t end) {
    const char *s = p->source->text;
    uint32_t open = (*at)++, stop = expression_end(s, *at, end);
    tc_node *n = tc_node_new(p, TC_N_FORMAT, (tc_span){p->source, open, stop});
    n->a = stop > *at ? expression(p, *at, stop) : NULL;
    if (n->a == NULL) {
        return stop > *at ? false
                          : tc_fail_at(p, n->span, "{ in an f-string is {{",
                                       "an expression is missing");
    }
    if (stop < end && s[stop] == '=') {
        n->s2 = tc_strndup(p->strings, s + *at, stop + 1 - *at);
        stop++;
        stop += strspn(s + stop, " ");
    }
    if (stop + 1 < end && s[stop] == '!') {
        n->i = s[stop + 1];
        stop += 2;
    }
    if (stop < end && s[stop] == ':') {
        uint32_t from = ++stop;
        while (stop < end && s[stop] != '}') {
            stop++;
        }
        n->s = tc_strndup(p->strings, s + from, stop - from);
    }
    if (stop >= end || s[stop] != '}') {
        return tc_fail_at(p, n->span, "close it with '}'",
                          "'{' was never closed");
    }
    *at = stop + 1;
    add(p, to, n);
    return true;
}

bool tc_parse_fstring(tc_parser *p, const tc_token *t, tc_node *to) {
    const char *s = p->source->text;
    uint32_t at, end;
    inside(p->source, t, &at, &end);
    uint32_t from = at;
    while (at < end) {
        bool twice = at + 1 < end && s[at + 1] == s[at];
        if ((s[at] == '{' || s[at] == '}') && twice) {
            at += 2;
        } else if (s[at] == '{') {
            if (!text_part(p, to, from, at, t->i == 2) ||
                !field(p, to, &at, end)) {
                return false;
            }
            from = at;
        } else {
            at++;
        }
    }
    return text_part(p, to, from, end, t->i == 2);
}
