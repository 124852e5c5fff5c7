/* lex.h - tokens of the TVMScript subset; lang/ only. */
#ifndef TC_LANG_LEX_H
#define TC_LANG_LEX_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include <stdbool.h>
#include <stdint.h>

/* PUNCT(id, text): longer texts before their prefixes. */
/* clang-format off */
#define TC_PUNCTUATORS(PUNCT) \
    PUNCT(ELLIPSIS, "...")    \
    PUNCT(POW_EQ, "**=")      \
    PUNCT(FLOORDIV_EQ, "//=") \
    PUNCT(SHL_EQ, "<<=")      \
    PUNCT(SHR_EQ, ">>=")      \
    PUNCT(WALRUS, ":=")       \
    PUNCT(ARROW, "->")        \
    PUNCT(POW, "**")          \
    PUNCT(FLOORDIV, "//")     \
    PUNCT(SHL, "<<")          \
    PUNCT(SHR, ">>")          \
    PUNCT(LE, "<=")           \
    PUNCT(GE, ">=")           \
    PUNCT(EQ, "==")           \
    PUNCT(NE, "!=")           \
    PUNCT(ADD_EQ, "+=")       \
    PUNCT(SUB_EQ, "-=")       \
    PUNCT(MUL_EQ, "*=")       \
    PUNCT(DIV_EQ, "/=")       \
    PUNCT(MOD_EQ, "%=")       \
    PUNCT(MATMUL_EQ, "@=")    \
    PUNCT(AND_EQ, "&=")       \
    PUNCT(OR_EQ, "|=")        \
    PUNCT(XOR_EQ, "^=")       \
    PUNCT(LPAREN, "(")        \
    PUNCT(RPAREN, ")")        \
    PUNCT(LBRACKET, "[")      \
    PUNCT(RBRACKET, "]")      \
    PUNCT(LBRACE, "{")        \
    PUNCT(RBRACE, "}")        \
    PUNCT(COMMA, ",")         \
    PUNCT(COLON, ":")         \
    PUNCT(SEMI, ";")          \
    PUNCT(DOT, ".")           \
    PUNCT(ASSIGN, "=")        \
    PUNCT(ADD, "+")           \
    PUNCT(SUB, "-")           \
    PUNCT(MUL, "*")           \
    PUNCT(DIV, "/")           \
    PUNCT(MOD, "%")           \
    PUNCT(AT, "@")            \
    PUNCT(AND, "&")           \
    PUNCT(OR, "|")            \
    PUNCT(XOR, "^")           \
    PUNCT(TILDE, "~")         \
    PUNCT(LT, "<")            \
    PUNCT(GT, ">")
/* clang-format on */

/* KEYWORD(id, text): Python's, all of them, so that none becomes a name. */
/* clang-format off */
#define TC_KEYWORDS(KEYWORD)      \
    KEYWORD(AND, "and")           \
    KEYWORD(AS, "as")             \
    KEYWORD(ASSERT, "assert")     \
    KEYWORD(ASYNC, "async")       \
    KEYWORD(AWAIT, "await")       \
    KEYWORD(BREAK, "break")       \
    KEYWORD(CLASS, "class")       \
    KEYWORD(CONTINUE, "continue") \
    KEYWORD(DEF, "def")           \
    KEYWORD(DEL, "del")           \
    KEYWORD(ELIF, "elif")         \
    KEYWORD(ELSE, "else")         \
    KEYWORD(EXCEPT, "except")     \
    KEYWORD(FALSE, "False")       \
    KEYWORD(FINALLY, "finally")   \
    KEYWORD(FOR, "for")           \
    KEYWORD(FROM, "from")         \
    KEYWORD(GLOBAL, "global")     \
    KEYWORD(IF, "if")             \
    KEYWORD(IMPORT, "import")     \
    KEYWORD(IN, "in")             \
    KEYWORD(IS, "is")             \
    KEYWORD(LAMBDA, "lambda")     \
    KEYWORD(NONE, "None")         \
    KEYWORD(NONLOCAL, "nonlocal") \
    KEYWORD(NOT, "not")           \
    KEYWORD(OR, "or")             \
    KEYWORD(PASS, "pass")         \
    KEYWORD(RAISE, "raise")       \
    KEYWORD(RETURN, "return")     \
    KEYWORD(TRUE, "True")         \
    KEYWORD(TRY, "try")           \
    KEYWORD(WHILE, "while")       \
    KEYWORD(WITH, "with")         \
    KEYWORD(YIELD, "yield")
/* clang-format on */

typedef enum tc_token_kind {
    TOK_END,
    TOK_NEWLINE,
    TOK_INDENT,
    TOK_DEDENT,
    TOK_NAME,
    TOK_INT,
    TOK_FLOAT,
    TOK_STRING,
#define PUNCT(id, text) P_##id,
    TC_PUNCTUATORS(PUNCT)
#undef PUNCT
#define KEYWORD(id, text) K_##id,
        TC_KEYWORDS(KEYWORD)
#undef KEYWORD
            TOK_KIND_COUNT
} tc_token_kind;

typedef struct tc_token {
    tc_token_kind kind;
    uint32_t begin, end; /* bytes of the source */
    int64_t i;           /* INT; STRING: 1 if it is an f-string, 2 a raw one */
    double f;            /* FLOAT */
    const char *s;       /* NAME, and STRING decoded; an f-string's own text is
                            begin to end, quotes and prefix included */
} tc_token;

typedef struct tc_tokens {
    tc_token *items;
    int n, cap;
    bool unfinished; /* what is wrong is only that the text ends too early */
} tc_tokens;

/* Cuts the source into tokens, ending with END. Reports the first mistake and
 * returns false. The tokens live in a, the names and strings they hold in
 * words. */
bool tc_lex(tc_arena *a, tc_arena *strings, const tc_source *source,
            tc_diags *diags, tc_tokens *out);

/* "(", "def"; a description ("a name", "end of line") for the others. */
const char *tc_token_kind_text(tc_token_kind k);

/* Literals (literal.c). Each reads at *at, moves it behind the literal, and
 * reports a mistake. */
typedef struct tc_lexer {
    tc_arena *arena, *strings;
    const tc_source *source;
    const char *text;
    uint32_t len, at;
    tc_diags *diags;
    tc_tokens *out;
} tc_lexer;

/* The bytes [begin, end) of a source as if in brackets, ending with END: what
 * stands in the braces of an f-string. */
bool tc_lex_part(tc_arena *a, tc_arena *strings, const tc_source *source,
                 uint32_t begin, uint32_t end, tc_diags *diags, tc_tokens *out);
/* The bytes [begin, end), with their escapes decoded unless raw; NULL after
 * reporting. */
const char *tc_lex_decode(tc_arena *strings, const tc_source *source,
                          uint32_t begin, uint32_t end, bool raw,
                          tc_diags *diags);

bool tc_lex_number(tc_lexer *x, tc_token *t);
bool tc_lex_string(tc_lexer *x, tc_token *t, uint32_t prefix_end);
bool tc_lex_fail(tc_lexer *x, uint32_t begin, uint32_t end, const char *hint,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
