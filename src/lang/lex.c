/* lex.c - source text to tokens, with Python's indentation rules. */
#include "lang/lex.h"
#include "base/cancel.h"

#include "base/utf8.h"
#include <string.h>

enum { MAX_BRACKETS = 200, MAX_INDENTS = 100, TAB = 8 };

typedef struct layout_state {
    uint32_t open[MAX_BRACKETS]; /* places of the open brackets */
    int nopen;
    /* Widths of the open blocks, with a tab to the next multiple of 8 and with
     * a tab as 1: where the two disagree, tabs and spaces are mixed. */
    int width[MAX_INDENTS], alt[MAX_INDENTS];
    int nindent;
} layout_state;

static const char *const kind_texts[TOK_KIND_COUNT] = {
    [TOK_END] = "the end of the text",
    [TOK_NEWLINE] = "the end of the line",
    [TOK_INDENT] = "an indented line",
    [TOK_DEDENT] = "the end of the block",
    [TOK_NAME] = "a name",
    [TOK_INT] = "a number",
    [TOK_FLOAT] = "a number",
    [TOK_STRING] = "a string",
#define PUNCT(id, text) [P_##id] = text,
    TC_PUNCTUATORS(PUNCT)
#undef PUNCT
#define KEYWORD(id, text) [K_##id] = text,
        TC_KEYWORDS(KEYWORD)
#undef KEYWORD
};

const char *tc_token_kind_text(tc_token_kind k) {
    return kind_texts[k];
}

bool tc_lex_fail(tc_lexer *x, uint32_t begin, uint32_t end, const char *hint,
                 const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *message = tc_vformat(x->arena, fmt, ap);
    va_end(ap);
    tc_error(x->diags, ((tc_span){x->source, begin, end}), hint, "%s", message);
    return false;
}

static tc_token *push(tc_lexer *x, tc_token_kind kind, uint32_t begin,
                      uint32_t end) {
    tc_token t = {.kind = kind, .begin = begin, .end = end};
    TC_PUSH(x->arena, x->out->items, x->out->n, x->out->cap, t);
    return &x->out->items[x->out->n - 1];
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* --- indentation ------------------------------------------------------- */

static bool inconsistent(tc_lexer *x, uint32_t begin) {
    return tc_lex_fail(x, begin, x->at,
                       "indent every line of a block with the same spaces",
                       "tabs and spaces are mixed in the indentation");
}

static bool dedent(tc_lexer *x, layout_state *s, uint32_t begin, int width,
                   int alt) {
    while (s->nindent > 0 && width < s->width[s->nindent - 1]) {
        s->nindent--;
        push(x, TOK_DEDENT, x->at, x->at);
    }
    int top = s->nindent > 0 ? s->width[s->nindent - 1] : 0;
    int top_alt = s->nindent > 0 ? s->alt[s->nindent - 1] : 0;
    if (width != top) {
        return tc_lex_fail(
            x, begin, x->at, "line it up with the block that it belongs to",
            "this indentation (%d) matches no block around it", width);
    }
    return alt == top_alt || inconsistent(x, begin);
}

/* At the first character of a line that holds code: INDENT or DEDENTs. */
static bool indentation(tc_lexer *x, layout_state *s, uint32_t begin, int width,
                        int alt) {
    int top = s->nindent > 0 ? s->width[s->nindent - 1] : 0;
    int top_alt = s->nindent > 0 ? s->alt[s->nindent - 1] : 0;
    if (width < top) {
        return dedent(x, s, begin, width, alt);
    }
    if (width == top) {
        return alt == top_alt || inconsistent(x, begin);
    }
    if (alt <= top_alt) {
        return inconsistent(x, begin);
    }
    if (s->nindent == MAX_INDENTS) {
        return tc_lex_fail(x, begin, x->at, NULL,
                           "more than %d blocks inside one another",
                           MAX_INDENTS);
    }
    s->width[s->nindent] = width;
    s->alt[s->nindent++] = alt;
    push(x, TOK_INDENT, begin, x->at);
    return true;
}

static void skip_comment(tc_lexer *x) {
    const char *nl = memchr(x->text + x->at, '\n', x->len - x->at);
    x->at = nl != NULL ? (uint32_t)(nl - x->text) : x->len;
}

/* Skips blank and comment lines; then handles the indentation of the line. */
static bool line_start(tc_lexer *x, layout_state *s) {
    for (;;) {
        uint32_t begin = x->at;
        int width = 0, alt = 0;
        for (; x->at < x->len; x->at++) {
            char c = x->text[x->at];
            if (c == '\t') {
                width += TAB - width % TAB;
                alt++;
            } else if (c == ' ') {
                width++;
                alt++;
            } else if (c == '\f') {
                width = alt = 0;
            } else if (c != '\r') {
                break;
            }
        }
        if (x->at < x->len && x->text[x->at] == '#') {
            skip_comment(x);
        }
        if (x->at >= x->len) {
            return true;
        }
        if (x->text[x->at] != '\n') {
            return indentation(x, s, begin, width, alt);
        }
        x->at++;
    }
}

/* --- one token --------------------------------------------------------- */

static tc_token_kind keyword(const char *s, size_t len) {
    if (len < 2 || len > 8) { /* as ... continue, nonlocal */
        return TOK_NAME;
    }
    for (int k = K_AND; k <= K_YIELD; k++) {
        if (kind_texts[k][0] == s[0] && strlen(kind_texts[k]) == len &&
            memcmp(kind_texts[k], s, len) == 0) {
            return (tc_token_kind)k;
        }
    }
    return TOK_NAME;
}

static bool name(tc_lexer *x) {
    uint32_t begin = x->at;
    while (x->at < x->len &&
           (is_name_start(x->text[x->at]) || is_digit(x->text[x->at]))) {
        x->at++;
    }
    uint32_t len = x->at - begin;
    char next = x->at < x->len ? x->text[x->at] : '\0';
    if (len <= 2 && (next == '"' || next == '\'')) {
        uint32_t prefix_end = x->at;
        x->at = begin;
        tc_token *t = push(x, TOK_STRING, begin, begin);
        return tc_lex_string(x, t, prefix_end);
    }
    tc_token *t = push(x, keyword(x->text + begin, len), begin, x->at);
    if (t->kind == TOK_NAME) {
        t->s = tc_strndup(x->strings, x->text + begin, len);
    }
    return true;
}

static char closing_of(char open) {
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

static bool bracket(tc_lexer *x, layout_state *s, tc_token_kind k) {
    if (k == P_LPAREN || k == P_LBRACKET || k == P_LBRACE) {
        if (s->nopen == MAX_BRACKETS) {
            return tc_lex_fail(x, x->at, x->at + 1, NULL,
                               "more than %d open brackets", MAX_BRACKETS);
        }
        s->open[s->nopen++] = x->at;
        return true;
    }
    if (k != P_RPAREN && k != P_RBRACKET && k != P_RBRACE) {
        return true;
    }
    if (s->nopen == 0) {
        return tc_lex_fail(x, x->at, x->at + 1, NULL,
                           "'%c' closes a bracket that was never opened",
                           x->text[x->at]);
    }
    char open = x->text[s->open[--s->nopen]];
    if (closing_of(open) == x->text[x->at]) {
        return true;
    }
    tc_span where = {x->source, s->open[s->nopen], s->open[s->nopen] + 1};
    return tc_lex_fail(x, x->at, x->at + 1,
                       tc_format(x->arena, "the '%c' is at line %d, column %d",
                                 open, tc_span_line(where), tc_span_col(where)),
                       "'%c' does not close the '%c' before it", x->text[x->at],
                       open);
}

/* Characters that come from other languages or from a word processor. */
static const char *stray_hint(const char *s) {
    static const struct {
        const char *text, *hint;
    } table[] = {
        {"!", "write 'not' for negation, '!=' for different"},
        {"?", "write 'a if condition else b'"},
        {"\xe2\x80\x9c", "this is a typographic quote: type a plain \""},
        {"\xe2\x80\x9d", "this is a typographic quote: type a plain \""},
        {"\xe2\x80\x98", "this is a typographic quote: type a plain '"},
        {"\xe2\x80\x99", "this is a typographic quote: type a plain '"},
        {"\xc2\xa0", "this is a no-break space: type a plain space"},
        {"\xe2\x80\x93", "this is a dash: type a plain -"},
        {"\xe2\x80\x94", "this is a dash: type a plain -"},
        {"\xe2\x88\x92", "this is a minus sign: type a plain -"},
        {"\xc3\x97", "write * for a product"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strncmp(s, table[i].text, strlen(table[i].text)) == 0) {
            return table[i].hint;
        }
    }
    return (unsigned char)s[0] >= 0x80
               ? "outside of quotes names are of a-z, A-Z, 0-9 and _"
               : NULL;
}

static bool stray(tc_lexer *x) {
    const char *s = x->text + x->at;
    size_t n = tc_utf8_next(s, x->len - x->at);
    unsigned char c = (unsigned char)s[0];
    if (c < 0x20 || c == 0x7f || (c >= 0x80 && !tc_utf8_valid(s, n))) {
        return tc_lex_fail(x, x->at, x->at + 1, NULL, "byte 0x%02x is no text",
                           c);
    }
    return tc_lex_fail(x, x->at, x->at + (uint32_t)n, stray_hint(s),
                       "'%.*s' has no meaning here", (int)n, s);
}

/* Where to begin the search: at the frequent ones that begin no longer one. */
static int first_candidate(char c) {
    switch (c) {
    case '(':
        return P_LPAREN;
    case ')':
        return P_RPAREN;
    case '[':
        return P_LBRACKET;
    case ']':
        return P_RBRACKET;
    case ',':
        return P_COMMA;
    default:
        return P_ELLIPSIS;
    }
}

static bool punctuator(tc_lexer *x, layout_state *s) {
    for (int k = first_candidate(x->text[x->at]); k <= P_GT; k++) {
        const char *text = kind_texts[k];
        if (text[0] != x->text[x->at]) {
            continue;
        }
        size_t len = strlen(text);
        if (len > x->len - x->at || memcmp(text, x->text + x->at, len) != 0) {
            continue;
        }
        if (!bracket(x, s, (tc_token_kind)k)) {
            return false;
        }
        push(x, (tc_token_kind)k, x->at, x->at + (uint32_t)len);
        x->at += (uint32_t)len;
        return true;
    }
    return stray(x);
}

/* A backslash joins this line with the next. */
static bool joined_line(tc_lexer *x) {
    uint32_t begin = x->at++;
    if (x->at < x->len && x->text[x->at] == '\r') {
        x->at++;
    }
    if (x->at < x->len && x->text[x->at] == '\n') {
        x->at++;
        if (x->at < x->len) {
            return true;
        }
    }
    x->out->unfinished = x->at >= x->len;
    return tc_lex_fail(x, begin, begin + 1,
                       "a backslash joins two lines: it must be the last "
                       "character of the first",
                       x->out->unfinished ? "nothing follows the backslash"
                                          : "text after a backslash");
}

static bool token(tc_lexer *x, layout_state *s) {
    char c = x->text[x->at];
    if (is_name_start(c)) {
        return name(x);
    }
    char next = x->at + 1 < x->len ? x->text[x->at + 1] : '\0';
    if (is_digit(c) || (c == '.' && is_digit(next))) {
        return tc_lex_number(x, push(x, TOK_INT, x->at, x->at));
    }
    if (c == '"' || c == '\'') {
        return tc_lex_string(x, push(x, TOK_STRING, x->at, x->at), x->at);
    }
    if (c == '\\') {
        return joined_line(x);
    }
    return punctuator(x, s);
}

static bool newline(tc_lexer *x, layout_state *s) {
    uint32_t at = x->at++;
    if (s->nopen > 0) {
        return true;
    }
    push(x, TOK_NEWLINE, at, at + 1);
    return line_start(x, s);
}

static bool finish(tc_lexer *x, layout_state *s) {
    if (s->nopen > 0) {
        uint32_t at = s->open[s->nopen - 1];
        x->out->unfinished = true;
        return tc_lex_fail(
            x, at, at + 1,
            tc_format(x->arena, "close it with '%c'", closing_of(x->text[at])),
            "'%c' was never closed", x->text[at]);
    }
    int n = x->out->n;
    if (n > 0 && x->out->items[n - 1].kind != TOK_NEWLINE) {
        push(x, TOK_NEWLINE, x->len, x->len);
    }
    while (s->nindent-- > 0) {
        push(x, TOK_DEDENT, x->len, x->len);
    }
    push(x, TOK_END, x->len, x->len);
    return true;
}

/* The tokens up to x->len. */
static bool tokens(tc_lexer *x, layout_state *s) {
    bool ok = true;
    for (uint64_t i = 0; ok && x->at < x->len; i++) {
        if (tc_cancelled_at(i)) {
            return tc_diag_cancelled(x->diags, "the program was read");
        }
        switch (x->text[x->at]) {
        case ' ':
        case '\t':
        case '\r':
        case '\f':
            x->at++;
            break;
        case '#':
            skip_comment(x);
            break;
        case '\n':
            ok = newline(x, s);
            break;
        default:
            ok = token(x, s);
        }
    }
    return ok;
}

bool tc_lex_part(tc_arena *a, tc_arena *strings, const tc_source *source,
                 uint32_t begin, uint32_t end, tc_diags *diags,
                 tc_tokens *out) {
    *out = (tc_tokens){0};
    tc_lexer x = {a, strings, source, source->text, end, begin, diags, out};
    layout_state s = {.nopen = 0};
    s.open[s.nopen++] = begin; /* so that lines do not end */
    if (!tokens(&x, &s)) {
        return false;
    }
    if (s.nopen != 1) {
        return tc_lex_fail(&x, begin, end, NULL,
                           "the brackets in this part of the f-string do not "
                           "match");
    }
    push(&x, TOK_END, end, end);
    return true;
}

bool tc_lex(tc_arena *a, tc_arena *strings, const tc_source *source,
            tc_diags *diags, tc_tokens *out) {
    enum { MAX_TEXT = 16 << 20 };
    *out = (tc_tokens){0};
    tc_lexer x = {a, strings, source, source->text, 0, 0, diags, out};
    layout_state s = {.nopen = 0};
    if (source->len > MAX_TEXT) {
        return tc_lex_fail(&x, 0, 1, NULL, "the text is longer than %d MB",
                           MAX_TEXT >> 20);
    }
    x.len = (uint32_t)source->len;
    out->cap = x.len < 4096 ? (int)x.len / 2 + 16 : 2048; /* it can grow */
    out->items = TC_NEWN(a, tc_token, out->cap);
    if (x.len >= 3 && memcmp(x.text, "\xef\xbb\xbf", 3) == 0) {
        x.at = 3; /* a byte order mark */
    }
    return line_start(&x, &s) && tokens(&x, &s) && finish(&x, &s);
}
