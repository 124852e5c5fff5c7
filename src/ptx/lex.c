/* lex.c - PTX text to tokens (PTX ISA 4.2 to 4.5). */
#include "base/buf.h"
#include "base/cancel.h"
#include "ptx/internal.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool word_char(int c) {
    return isalnum(c) || c == '_' || c == '$';
}

/* The byte at offset at; 0 past the end. */
static int byte_at(const tc_ptx_parser *p, size_t at) {
    return at < p->source->len ? (unsigned char)p->source->text[at] : 0;
}

tc_span tc_ptx_span(const tc_ptx_parser *p, uint32_t begin, uint32_t end) {
    return (tc_span){p->source, begin, end};
}

tc_span tc_ptx_here(const tc_ptx_parser *p) {
    return tc_ptx_span(p, p->tok.begin, p->tok.end);
}

tc_ptx_name tc_ptx_text(const tc_ptx_parser *p, const tc_ptx_token *t) {
    return (tc_ptx_name){p->source->text + t->begin, t->end - t->begin};
}

char *tc_ptx_dup(tc_ptx_parser *p, tc_ptx_name n) {
    return tc_strndup(p->arena, n.text, n.len);
}

bool tc_ptx_name_is(tc_ptx_name n, const char *text) {
    return strlen(text) == n.len && memcmp(n.text, text, n.len) == 0;
}

static bool fail(tc_ptx_parser *p, tc_coded coded, tc_span span,
                 const char *hint, const char *fmt, va_list ap) {
    if (p->stop) {
        return false;
    }
    const char *text = tc_vformat(p->arena, fmt, ap);
    tc_error_coded(p->diags, coded, span, hint, "%s", text);
    if (++p->errors == TC_PTX_MAX_ERRORS) {
        tc_error(p->diags, span, NULL,
                 "%d errors; the rest of the PTX is not read", p->errors);
        p->stop = true;
    }
    return false;
}

bool tc_ptx_fail(tc_ptx_parser *p, tc_span span, const char *hint,
                 const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail(p, (tc_coded){TC_CODE_NONE, NULL}, span, hint, fmt, ap);
    va_end(ap);
    return false;
}

bool tc_ptx_unbuilt(tc_ptx_parser *p, tc_span span, const char *subject,
                    const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fail(p, (tc_coded){TC_CODE_UNBUILT, subject}, span, NULL, fmt, ap);
    va_end(ap);
    return false;
}

static void newline(tc_ptx_parser *p) {
    p->line++;
    p->line_begin = p->at + 1;
}

/* Goes over spaces and comments; reports a comment that does not end. */
static void skip_blank(tc_ptx_parser *p) {
    for (;;) {
        int c = byte_at(p, p->at);
        if (c == '\n') {
            newline(p);
            p->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' ||
                   c == '\v') {
            p->at++;
        } else if (c == '/' && byte_at(p, p->at + 1) == '/') {
            while (p->at < p->source->len && byte_at(p, p->at) != '\n') {
                p->at++;
            }
        } else if (c == '/' && byte_at(p, p->at + 1) == '*') {
            uint32_t begin = p->at;
            p->at += 2;
            while (p->at < p->source->len && !(byte_at(p, p->at) == '*' &&
                                               byte_at(p, p->at + 1) == '/')) {
                if (byte_at(p, p->at) == '\n') {
                    newline(p);
                }
                p->at++;
            }
            if (p->at >= p->source->len) {
                tc_ptx_fail(p, tc_ptx_span(p, begin, begin + 2), NULL,
                            "this comment has no end");
                return;
            }
            p->at += 2;
        } else {
            return;
        }
    }
}

/* Reads digits of a base into value; returns how many. */
static int digits(tc_ptx_parser *p, unsigned base, uint64_t *value,
                  bool *too_big) {
    int n = 0;
    for (;; n++, p->at++) {
        int c = byte_at(p, p->at);
        unsigned d = isdigit(c)    ? (unsigned)(c - '0')
                     : isxdigit(c) ? (unsigned)(tolower(c) - 'a' + 10)
                                   : 99;
        if (d >= base) {
            return n;
        }
        if (*value > (UINT64_MAX - d) / base) {
            *too_big = true;
        }
        *value = *value * base + d;
    }
}

/* 1.5, 2e3: a double, read independently of the process's locale. */
static void decimal_float(tc_ptx_parser *p, tc_ptx_token *t) {
    char text[64];
    size_t n = 0;
    for (int c; (c = byte_at(p, p->at)) != 0; p->at++) {
        bool sign = (c == '+' || c == '-') && n > 0 &&
                    (text[n - 1] == 'e' || text[n - 1] == 'E');
        if (!isdigit(c) && c != '.' && c != 'e' && c != 'E' && !sign) {
            break;
        }
        if (n + 1 < sizeof text) {
            text[n++] = (char)c;
        }
    }
    text[n] = 0;
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double d = c_locale != (locale_t)0 ? strtod_l(text, NULL, c_locale) : 0;
    if (c_locale != (locale_t)0) {
        freelocale(c_locale);
    }
    memcpy(&t->value, &d, sizeof d);
    t->kind = TC_TK_FLOAT;
    t->form = 'd';
}

/* 0f3F800000 and 0d3FF0000000000000 (PTX ISA 4.5.2); at the 0. */
static bool hex_float(tc_ptx_parser *p, tc_ptx_token *t) {
    int c = tolower(byte_at(p, p->at + 1));
    int want = c == 'f' ? 8 : c == 'd' ? 16 : 0;
    if (want == 0) {
        return false;
    }
    bool too_big = false;
    p->at += 2;
    if (digits(p, 16, &t->value, &too_big) != want) {
        tc_ptx_fail(p, tc_ptx_span(p, t->begin, p->at), NULL,
                    "0%c wants %d hexadecimal digits", c, want);
    }
    t->kind = TC_TK_FLOAT;
    t->form = (char)c;
    return true;
}

static void number(tc_ptx_parser *p, tc_ptx_token *t) {
    if (byte_at(p, p->at) == '0' && hex_float(p, t)) {
        return;
    }
    uint32_t i = p->at;
    while (isdigit(byte_at(p, i))) {
        i++;
    }
    int after = byte_at(p, i), after2 = byte_at(p, i + 1);
    if ((after == '.' && isdigit(after2)) ||
        ((after == 'e' || after == 'E') && byte_at(p, p->at + 1) != 'x')) {
        decimal_float(p, t);
        return;
    }
    unsigned base = 10;
    int c = tolower(byte_at(p, p->at + 1));
    if (byte_at(p, p->at) == '0') {
        base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
        p->at += base == 8 ? 0 : 2;
    }
    bool too_big = false;
    int n = digits(p, base, &t->value, &too_big);
    p->at += byte_at(p, p->at) == 'U';
    t->kind = TC_TK_INT;
    bool bad = n == 0 || word_char(byte_at(p, p->at));
    while (word_char(byte_at(p, p->at))) {
        p->at++;
    }
    tc_span span = tc_ptx_span(p, t->begin, p->at);
    if (bad) {
        tc_ptx_fail(p, span, NULL, "'%.*s' is not a number",
                    (int)(p->at - t->begin), p->source->text + t->begin);
    } else if (too_big) {
        tc_ptx_fail(p, span, NULL, "this number does not fit in 64 bits");
    }
}

/* .word with :: inside; %name, $name, name. */
static void word(tc_ptx_parser *p, tc_ptx_token *t) {
    t->kind = byte_at(p, p->at) == '.' ? TC_TK_DOT : TC_TK_IDENT;
    p->at++;
    while (word_char(byte_at(p, p->at)) ||
           (t->kind == TC_TK_DOT && byte_at(p, p->at) == ':' &&
            byte_at(p, p->at + 1) == ':' && word_char(byte_at(p, p->at + 2)))) {
        p->at += byte_at(p, p->at) == ':' ? 2 : 1;
    }
}

static void string(tc_ptx_parser *p, tc_ptx_token *t) {
    t->kind = TC_TK_STRING;
    p->at++;
    while (byte_at(p, p->at) != '"') {
        if (p->at >= p->source->len || byte_at(p, p->at) == '\n') {
            tc_ptx_fail(p, tc_ptx_span(p, t->begin, p->at), NULL,
                        "this string has no closing quote");
            return;
        }
        p->at += byte_at(p, p->at) == '\\' && p->at + 1 < p->source->len &&
                         byte_at(p, p->at + 1) != '\n'
                     ? 2
                     : 1;
    }
    p->at++;
}

/* From here on there is only the end of the text. */
static void cancelled(tc_ptx_parser *p) {
    if (!p->stop) {
        tc_diag_cancelled(p->diags, "the PTX was read");
        p->errors++;
        p->stop = true;
    }
}

static tc_ptx_token scan(tc_ptx_parser *p) {
    if (tc_cancelled_at(p->ntokens++)) {
        cancelled(p);
    }
    for (;;) {
        skip_blank(p);
        tc_ptx_token t = {
            .begin = p->at, .line = p->line, .col = p->at - p->line_begin + 1};
        int c = byte_at(p, p->at), d = byte_at(p, p->at + 1);
        if (p->at >= p->source->len || p->stop) {
            t.kind = TC_TK_END;
        } else if (isdigit(c)) {
            number(p, &t);
        } else if (isalpha(c) || c == '_' || c == '$' ||
                   ((c == '%' || c == '.') && word_char(d))) {
            word(p, &t);
        } else if (c == '"') {
            string(p, &t);
        } else if (c != 0 && strchr("{}[]()<>,;:@!|=+-*/~&^?%", c)) {
            t.kind = TC_TK_PUNCT;
            t.punct = (char)c;
            p->at++;
        } else {
            p->at++;
            tc_ptx_fail(p, tc_ptx_span(p, t.begin, p->at), NULL,
                        isprint(c) ? "'%c' has no meaning in PTX"
                                   : "byte 0x%02x has no meaning in PTX",
                        c);
            continue;
        }
        t.end = p->at;
        return t;
    }
}

void tc_ptx_lex_start(tc_ptx_parser *p) {
    p->line = (uint32_t)p->source->first_line;
    p->tok = scan(p);
    p->next = scan(p);
}

void tc_ptx_advance(tc_ptx_parser *p) {
    p->prev_end = p->tok.end;
    p->tok = p->next;
    p->next = scan(p);
}

bool tc_ptx_is(const tc_ptx_parser *p, char punct) {
    return p->tok.kind == TC_TK_PUNCT && p->tok.punct == punct;
}

bool tc_ptx_is_dot(const tc_ptx_parser *p, const char *word) {
    return p->tok.kind == TC_TK_DOT &&
           tc_ptx_name_is(tc_ptx_text(p, &p->tok), word);
}

bool tc_ptx_accept(tc_ptx_parser *p, char punct) {
    if (!tc_ptx_is(p, punct)) {
        return false;
    }
    tc_ptx_advance(p);
    return true;
}

const char *tc_ptx_token_text(tc_ptx_parser *p) {
    if (p->tok.kind == TC_TK_END) {
        return "the end of the text";
    }
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    return tc_format(p->arena, "'%.*s'", n.len < 60 ? (int)n.len : 60, n.text);
}

bool tc_ptx_expect(tc_ptx_parser *p, char punct, const char *after) {
    if (tc_ptx_accept(p, punct)) {
        return true;
    }
    if (punct == ';') { /* point behind what was not ended */
        return tc_ptx_fail(p, tc_ptx_span(p, p->prev_end, p->prev_end), NULL,
                           "expected ';' after %s, found %s", after,
                           tc_ptx_token_text(p));
    }
    return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                       "expected '%c' after %s, found %s", punct, after,
                       tc_ptx_token_text(p));
}

void tc_ptx_skip_statement(tc_ptx_parser *p) {
    while (p->tok.kind != TC_TK_END) {
        if (tc_ptx_accept(p, ';')) {
            return;
        }
        if (tc_ptx_is(p, '}')) {
            /* The } of a vector operand is followed by more of it, that of a
             * tensor's coordinates by a ]. */
            if (!(p->next.kind == TC_TK_PUNCT &&
                  (p->next.punct == ',' || p->next.punct == ';' ||
                   p->next.punct == ']'))) {
                return;
            }
        }
        tc_ptx_advance(p);
    }
}

bool tc_ptx_skip_braces(tc_ptx_parser *p) {
    tc_span open = tc_ptx_here(p);
    uint64_t depth = 0;
    do {
        if (p->tok.kind == TC_TK_END) {
            return tc_ptx_fail(p, open, NULL, "this '{' has no '}'");
        }
        depth += tc_ptx_is(p, '{');
        depth -= tc_ptx_is(p, '}');
        tc_ptx_advance(p);
    } while (depth > 0);
    return true;
}
