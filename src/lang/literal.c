/* literal.c - numbers and strings, as Python writes them. */
#include "lang/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers ----------------------------------------------------------- */

static int digit_of(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static char at_or_nul(const tc_lexer *x, uint32_t at) {
    return at < x->len ? x->text[at] : '\0';
}

/* The digits of an integer of base; underscores only between digits. */
static bool integer(tc_lexer *x, tc_token *t, uint32_t begin, int base) {
    bool digit_before = base != 10;
    uint32_t first = x->at;
    int64_t v = 0;
    for (; word_char(at_or_nul(x, x->at)); x->at++) {
        char c = x->text[x->at];
        int d = digit_of(c);
        if (c == '_' && digit_before) {
            digit_before = false;
            continue;
        }
        if (d >= base) {
            while (word_char(at_or_nul(x, x->at))) {
                x->at++;
            }
            return tc_lex_fail(
                x, begin, x->at, "a name cannot start with a digit",
                "'%.*s' is no number", (int)(x->at - begin), x->text + begin);
        }
        if (__builtin_mul_overflow(v, base, &v) ||
            __builtin_add_overflow(v, d, &v)) {
            return tc_lex_fail(x, begin, x->at + 1, NULL,
                               "the number does not fit in 64 bits");
        }
        digit_before = true;
    }
    if (x->at == first || !digit_before) {
        return tc_lex_fail(x, begin, x->at, NULL, "'%.*s' is no number",
                           (int)(x->at - begin), x->text + begin);
    }
    t->kind = TOK_INT;
    t->i = v;
    t->end = x->at;
    return true;
}

static uint32_t skip_digits(const tc_lexer *x, uint32_t at) {
    while (isdigit((unsigned char)at_or_nul(x, at)) ||
           (at_or_nul(x, at) == '_' &&
            isdigit((unsigned char)at_or_nul(x, at + 1)))) {
        at++;
    }
    return at;
}

/* Where a decimal number with fraction or exponent ends; begin if it is an
 * integer. */
static uint32_t float_end(const tc_lexer *x) {
    uint32_t at = skip_digits(x, x->at);
    bool is_float = false;
    if (at_or_nul(x, at) == '.') {
        is_float = true;
        at = skip_digits(x, at + 1);
    }
    char e = at_or_nul(x, at);
    if (e == 'e' || e == 'E') {
        uint32_t digits = at + 1;
        char sign = at_or_nul(x, digits);
        digits += sign == '+' || sign == '-';
        if (isdigit((unsigned char)at_or_nul(x, digits))) {
            is_float = true;
            at = skip_digits(x, digits);
        }
    }
    return is_float ? at : x->at;
}

static bool floating(tc_lexer *x, tc_token *t, uint32_t end) {
    char digits[64];
    size_t n = 0;
    for (uint32_t i = x->at; i < end; i++) {
        if (x->text[i] != '_' && n < sizeof digits - 1) {
            digits[n++] = x->text[i];
        }
    }
    digits[n] = '\0';
    uint32_t begin = x->at;
    x->at = end;
    if (word_char(at_or_nul(x, end)) || n == sizeof digits - 1) {
        return tc_lex_fail(x, begin, end + 1, NULL, "'%.*s' is no number",
                           (int)(end + 1 - begin), x->text + begin);
    }
    t->kind = TOK_FLOAT;
    t->f = strtod(digits, NULL);
    t->end = end;
    return true;
}

bool tc_lex_number(tc_lexer *x, tc_token *t) {
    uint32_t begin = x->at, end = float_end(x);
    if (end > x->at) {
        return floating(x, t, end);
    }
    char next = at_or_nul(x, x->at + 1);
    if (x->text[x->at] == '0' && next != '\0' && strchr("xXbBoO", next)) {
        x->at += 2;
        int base = tolower(next) == 'x' ? 16 : tolower(next) == 'b' ? 2 : 8;
        return integer(x, t, begin, base);
    }
    if (!integer(x, t, begin, 10)) {
        return false;
    }
    if (x->text[begin] == '0' && t->i != 0) {
        return tc_lex_fail(x, begin, x->at, "write 0o17 for an octal number",
                           "a number cannot start with 0");
    }
    return true;
}

/* --- strings ----------------------------------------------------------- */

static void put_utf8(tc_buf *b, uint32_t c) {
    if (c < 0x80) {
        tc_buf_putc(b, (char)c);
    } else if (c < 0x800) {
        tc_buf_putc(b, (char)(0xc0 | c >> 6));
        tc_buf_putc(b, (char)(0x80 | (c & 0x3f)));
    } else {
        tc_buf_putc(b, (char)(0xe0 | c >> 12));
        tc_buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
        tc_buf_putc(b, (char)(0x80 | (c & 0x3f)));
    }
}

/* n hexadecimal digits, or up to 3 octal ones, at x->at. */
static bool code_point(tc_lexer *x, uint32_t escape, int base, int n,
                       tc_buf *b) {
    uint32_t v = 0;
    int i = 0;
    for (; i < n && digit_of(at_or_nul(x, x->at)) < base; i++) {
        v = v * (uint32_t)base + (uint32_t)digit_of(x->text[x->at++]);
    }
    if (base == 16 && i < n) {
        return tc_lex_fail(x, escape, x->at, NULL,
                           "this escape needs %d hexadecimal digits", n);
    }
    if (v == 0 || (v >= 0xd800 && v < 0xe000)) {
        return tc_lex_fail(x, escape, x->at, NULL,
                           "this character cannot stand in a string");
    }
    put_utf8(b, v);
    return true;
}

/* Behind a backslash. An escape that Python does not know stays as it is. */
static bool escape(tc_lexer *x, tc_buf *b) {
    static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
    uint32_t begin = x->at - 1;
    char c = at_or_nul(x, x->at);
    if (c >= '0' && c <= '7') {
        return code_point(x, begin, 8, 3, b);
    }
    if (x->at >= x->len) {
        return true; /* the missing quote is reported */
    }
    x->at++;
    if (c == 'x' || c == 'u') {
        return code_point(x, begin, 16, c == 'x' ? 2 : 4, b);
    }
    const char *known = c != '\0' ? strchr(from, c) : NULL;
    if (known != NULL) {
        tc_buf_putc(b, to[known - from]);
    } else if (c != '\n') {
        tc_buf_putc(b, '\\');
        tc_buf_putc(b, c);
    }
    return true;
}

typedef struct string_form {
    char quote;
    bool raw, triple, formatted;
    uint32_t begin;
} string_form;

static bool string_form_at(tc_lexer *x, uint32_t prefix_end, string_form *f) {
    *f = (string_form){x->text[prefix_end], false, false, false, x->at};
    for (; x->at < prefix_end; x->at++) {
        char c = (char)tolower((unsigned char)x->text[x->at]);
        f->raw |= c == 'r';
        f->formatted |= c == 'f';
        if (c == 'b') {
            return tc_lex_fail(x, f->begin, prefix_end + 1, NULL,
                               "bytes (b\"...\") strings are not part of the "
                               "subset");
        }
        if (c != 'r' && c != 'u' && c != 'f') {
            return tc_lex_fail(x, f->begin, prefix_end + 1, NULL,
                               "'%c' cannot stand before a string",
                               x->text[x->at]);
        }
    }
    f->triple = at_or_nul(x, x->at + 1) == f->quote &&
                at_or_nul(x, x->at + 2) == f->quote;
    x->at += f->triple ? 3 : 1;
    return true;
}

/* True, moving behind it, at the closing quote. */
static bool at_end(tc_lexer *x, const string_form *f) {
    if (x->text[x->at] != f->quote) {
        return false;
    }
    if (!f->triple) {
        x->at++;
        return true;
    }
    if (at_or_nul(x, x->at + 1) != f->quote ||
        at_or_nul(x, x->at + 2) != f->quote) {
        return false;
    }
    x->at += 3;
    return true;
}

static bool unclosed(tc_lexer *x, const string_form *f) {
    uint32_t quote = f->begin;
    while (x->text[quote] != f->quote) {
        quote++;
    }
    x->out->unfinished = f->triple;
    return tc_lex_fail(x, f->begin, quote + (f->triple ? 3 : 1),
                       f->triple ? "close it with three quotes"
                                 : "a string ends on the line where it starts",
                       "the string was never closed");
}

static bool body(tc_lexer *x, const string_form *f, tc_buf *b) {
    while (x->at < x->len) {
        if (at_end(x, f)) {
            return true;
        }
        char c = x->text[x->at];
        if (c == '\n' && !f->triple) {
            break;
        }
        if (c == '\0') {
            return tc_lex_fail(x, x->at, x->at + 1, NULL,
                               "byte 0x00 is no text");
        }
        x->at++;
        if (c != '\\') {
            tc_buf_putc(b, c);
        } else if (f->raw) {
            tc_buf_putc(b, c);
            if (x->at < x->len && x->text[x->at] != '\0' &&
                x->text[x->at] != '\n') {
                tc_buf_putc(b, x->text[x->at++]);
            }
        } else if (!escape(x, b)) {
            return false;
        }
    }
    return unclosed(x, f);
}

bool tc_lex_string(tc_lexer *x, tc_token *t, uint32_t prefix_end) {
    string_form f;
    if (!string_form_at(x, prefix_end, &f)) {
        return false;
    }
    tc_buf b = TC_BUF_INIT;
    bool raw = f.raw;
    f.raw |= f.formatted; /* its parts are decoded by the parser */
    bool ok = body(x, &f, &b);
    t->s = tc_buf_finish(&b, x->strings);
    t->end = x->at;
    t->i = f.formatted ? (raw ? 2 : 1) : 0;
    return ok;
}

const char *tc_lex_decode(tc_arena *strings, const tc_source *source,
                          uint32_t begin, uint32_t end, bool raw,
                          tc_diags *diags) {
    tc_tokens none = {0};
    tc_lexer x = {strings, strings, source, source->text,
                  end,     begin,   diags,  &none};
    tc_buf b = TC_BUF_INIT;
    while (x.at < end) {
        char c = x.text[x.at++];
        if (c != '\\' || raw) {
            tc_buf_putc(&b, c);
            x.at += (c == '{' || c == '}') && at_or_nul(&x, x.at) == c;
        } else if (!escape(&x, &b)) {
            tc_buf_free(&b);
            return NULL;
        }
    }
    return tc_buf_finish(&b, strings);
}
