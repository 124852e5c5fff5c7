/* wrap.c - breaking styled text into lines. Between two wide characters a line
 * may end, but for punctuation that closes (Unicode Standard Annex 14). */
#include "course/wrap.h"

#include "base/utf8.h"
#include <string.h>

unsigned tc_wrap_char(const char *s, size_t n, size_t *len) {
    const unsigned char *u = (const unsigned char *)s;
    *len = tc_utf8_next(s, n);
    switch (*len) {
    case 2:
        return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    case 3:
        return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    case 4:
        return (u[0] & 7u) << 18 | (u[1] & 0x3fu) << 12 | (u[2] & 0x3fu) << 6 |
               (u[3] & 0x3fu);
    default:
        return u[0];
    }
}

/* Unicode Standard Annex 11: the blocks that are W or F throughout. */
bool tc_wrap_is_wide(unsigned c) {
    static const unsigned ranges[][2] = {
        {0x1100, 0x115f},   {0x2e80, 0x303e}, {0x3041, 0xa4cf},
        {0xac00, 0xd7a3},   {0xf900, 0xfaff}, {0xfe30, 0xfe4f},
        {0xff00, 0xff60},   {0xffe0, 0xffe6}, {0x1f300, 0x1faff},
        {0x20000, 0x3fffd},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (c >= ranges[i][0] && c <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

/* No line begins with these. */
static bool closes(unsigned c) {
    static const unsigned list[] = {0x3001, 0x3002, 0x300d, 0x300f,
                                    0x3011, 0xff01, 0xff09, 0xff0c,
                                    0xff1a, 0xff1b, 0xff1f};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (c == list[i]) {
            return true;
        }
    }
    return false;
}

static bool is_mark(unsigned c) {
    return c >= TC_MARK_BOLD && c <= TC_MARK_OFF;
}

int tc_wrap_columns(const char *s, size_t n) {
    int columns = 0;
    for (size_t i = 0, len; i < n; i += len) {
        unsigned c = tc_wrap_char(s + i, n - i, &len);
        columns += is_mark(c) ? 0 : tc_wrap_is_wide(c) ? 2 : 1;
    }
    return columns;
}

/* Styled bytes as a terminal has them. */
static void put(tc_buf *out, const char *s, size_t n, bool ansi) {
    static const char *const codes[] = {[TC_MARK_BOLD] = "\033[1m",
                                        [TC_MARK_CODE] = "\033[36m",
                                        [TC_MARK_LINK] = "\033[4m",
                                        [TC_MARK_OFF] = "\033[0m"};
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (is_mark(c)) {
            tc_buf_puts(out, ansi ? codes[c] : "");
        } else {
            tc_buf_putc(out, c == TC_MARK_BLANK ? ' ' : s[i]);
        }
    }
}

/* The bytes up to where a line may end: a blank, or between wide characters. */
static size_t next_word(const char *s) {
    size_t n = strlen(s), i = 0, len;
    bool wide = false;
    while (i < n && s[i] != ' ' && s[i] != '\n') {
        unsigned c = tc_wrap_char(s + i, n - i, &len);
        bool is_wide = tc_wrap_is_wide(c);
        if (i > 0 && (wide || is_wide) && !closes(c) && !is_mark(c)) {
            break;
        }
        wide = is_mark(c) ? wide : is_wide;
        i += len;
    }
    return i;
}

/* As many bytes of a word as fit, at least one character. */
static size_t fitting(const char *s, size_t n, int room) {
    size_t i = 0, len;
    int columns = 0;
    while (i < n) {
        unsigned c = tc_wrap_char(s + i, n - i, &len);
        columns += is_mark(c) ? 0 : tc_wrap_is_wide(c) ? 2 : 1;
        if (columns > room && i > 0) {
            break;
        }
        i += len;
    }
    return i;
}

void tc_wrap_text(tc_buf *out, const char *text, const tc_wrap *w) {
    const char *prefix = w->first;
    do {
        int column = tc_wrap_columns(prefix, strlen(prefix)), words = 0;
        tc_buf_puts(out, prefix);
        prefix = w->next;
        text += *text == ' ';
        while (*text != '\0' && *text != '\n') {
            bool blank = *text == ' ';
            size_t n = next_word(text + blank);
            int columns = tc_wrap_columns(text + blank, n);
            if (column + blank + columns > w->width && words > 0) {
                break;
            }
            if (column + columns > w->width) {
                n = fitting(text, n, w->width - column);
                columns = tc_wrap_columns(text, n);
            }
            put(out, text, n + blank, w->ansi);
            column += blank + columns;
            text += n + blank;
            words++;
        }
        while (out->len > 0 && out->data[out->len - 1] == ' ') {
            out->data[--out->len] = '\0';
        }
        tc_buf_putc(out, '\n');
        text += *text == '\n';
    } while (*text != '\0');
}

void tc_wrap_cell(tc_buf *out, const char *text, size_t n, int columns,
                  bool ansi) {
    put(out, text, n, ansi);
    tc_buf_fill(out, ' ', columns - tc_wrap_columns(text, n));
}
