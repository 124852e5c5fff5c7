/* incomplete.c - does a text go on? What a prompt asks before it evaluates. */
#include "lang/ast.h"
#include "lang/lex.h"

#include <string.h>

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
        bool goes_on = k->kind == K_ELSE || k->kind == K_ELIF ||
                       k->kind == K_EXCEPT || k->kind == K_FINALLY;
        if (line_start && depth == 0 && k->kind != TOK_END && !goes_on &&
            !((k->kind == K_DEF || k->kind == K_CLASS) && last != NULL &&
              last->kind == P_AT)) {
            last = k;
        }
        line_start = k->kind == TOK_NEWLINE;
    }
    return last;
}

/* A decorator whose def has not come: only @ lines at the end. */
static bool decorator_waits(const tc_tokens *t, const tc_token *last) {
    for (const tc_token *k = last; k->kind != TOK_END; k++) {
        bool def = k->kind == K_DEF || k->kind == K_CLASS;
        if (def || k + 1 == t->items + t->n) {
            return !def;
        }
    }
    return true;
}

static bool opens_block(tc_token_kind k) {
    return k == K_DEF || k == K_FOR || k == K_IF || k == K_WHILE ||
           k == K_WITH || k == K_CLASS || k == K_TRY || k == P_AT;
}

bool tc_parse_wants_more(const char *text) {
    tc_arena *a = tc_arena_new();
    size_t len = strlen(text);
    tc_source source = {"", text, len, 1};
    tc_diags quiet = {0};
    tc_tokens tokens;
    bool more = false;
    if (!tc_lex(a, a, &source, &quiet, &tokens)) {
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
