/* entry.c - when what is typed is whole. */
#include "repl/entry.h"

#include "base/arena.h"
#include "base/buf.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/tilde.h>

/* Keywords of Python that begin a statement or go on an expression. */
static bool is_keyword(const char *word, size_t n) {
    static const char *const keywords[] = {
        "from", "import", "def",  "for",  "if",    "elif",   "else",   "while",
        "with", "class",  "pass", "and",  "or",    "not",    "in",     "is",
        "del",  "return", "None", "True", "False", "assert", "lambda",
    };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (strncmp(keywords[i], word, n) == 0 && keywords[i][n] == '\0') {
            return true;
        }
    }
    return false;
}

static size_t word_length(const char *s) {
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') {
        n++;
    }
    return n;
}

bool tc_entry_is_command(const char *line) {
    line += strspn(line, " \t");
    size_t n = word_length(line);
    if (n == 0 || isdigit((unsigned char)line[0]) || is_keyword(line, n)) {
        return false;
    }
    const char *next = line + n + strspn(line + n, " \t");
    if (*next == '\0' || *next == '\n') {
        return true;
    }
    if (next == line + n || strchr("=([,;:+*%@&|^<>!#", *next) != NULL) {
        return false;
    }
    if (strchr("-/.", *next) != NULL) { /* --flag, /a/file, or an operator */
        return next[1] != ' ' && next[1] != '\0' && next[1] != '=';
    }
    n = word_length(next);
    return n == 0 || !is_keyword(next, n);
}

static size_t line_length(const char *s) { /* with its newline */
    size_t n = strcspn(s, "\n");
    return s[n] == '\n' ? n + 1 : n;
}

/* The line at the start of text is empty, or a comment. */
static bool is_blank_line(const char *text) {
    text += strspn(text, " \t\r");
    return *text == '\0' || *text == '\n' || *text == '#';
}

bool tc_entry_is_blank(const char *text) {
    while (*text != '\0') {
        if (!is_blank_line(text)) {
            return false;
        }
        text += line_length(text);
    }
    return true;
}

/* --- parts --- */

/* True when text, with blank lines after it, still is unfinished. */
static bool is_open(const tc_session *s, const char *text, size_t len) {
    tc_buf b = TC_BUF_INIT;
    tc_buf_write(&b, text, len);
    tc_buf_puts(&b, "\n\n");
    bool more = tc_session_wants_more(s, b.data);
    tc_buf_free(&b);
    return more;
}

/* "$ sed ... \": the shell's, whose brackets and quotes are not ours. */
static bool is_shell_line(const char *text) {
    return strncmp(text, "$ ", 2) == 0;
}

static bool ends_in_backslash(const char *text) {
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) {
        n--;
    }
    return n > 0 && text[n - 1] == '\\';
}

bool tc_entry_goes_on(const tc_session *s, const char *text, bool several) {
    if (is_shell_line(text)) {
        return ends_in_backslash(text);
    }
    if (tc_entry_is_command(text)) {
        return false;
    }
    return several ? is_open(s, text, strlen(text))
                   : tc_session_wants_more(s, text);
}

/* Length of the statement or command at the start of text: a line, and what
 * belongs to it. *lines counts those that are not blank. */
static size_t unit_length(const tc_session *s, const char *text, int *lines) {
    size_t len = 0;
    bool header = true; /* only blank lines, comments and decorators yet */
    *lines = 0;
    while (text[len] != '\0') {
        const char *line = text + len;
        bool blank = is_blank_line(line);
        bool inside = blank || header || isspace((unsigned char)line[0]);
        if (!inside && !is_open(s, text, len)) {
            break;
        }
        *lines += !blank;
        header = header && (blank || line[0] == '@');
        len += line_length(line);
    }
    return len;
}

/* Is the unit, of n bytes and so many lines, a command? */
static bool unit_is_command(const char *unit, size_t n, int lines) {
    const char *line = unit;
    while (is_blank_line(line) && line < unit + n) {
        line += line_length(line);
    }
    size_t len = strcspn(line, "\r\n");
    char *copy = tc_xmalloc(len + 1);
    memcpy(copy, line, len);
    copy[len] = '\0';
    bool command = lines == 1 && tc_entry_is_command(copy);
    free(copy);
    return command;
}

/* Where the last command of the text ends; 0: it has none. */
static size_t end_of_commands(const tc_session *s, const char *text) {
    size_t end = 0, len = 0;
    while (text[len] != '\0') {
        int lines;
        size_t n = unit_length(s, text + len, &lines);
        bool command = unit_is_command(text + len, n, lines);
        len += n;
        end = command ? len : end;
    }
    return end;
}

size_t tc_entry_part(const tc_session *s, const char *text, size_t *apart) {
    if (*apart == TC_ENTRY_UNKNOWN) {
        *apart = end_of_commands(s, text);
    }
    if (*apart == 0) {
        return strlen(text);
    }
    int lines;
    size_t n = unit_length(s, text, &lines);
    *apart -= n;
    return n;
}

/* --- ~ --- */

/* Appends the word, its ~ expanded. */
static void put_word(tc_buf *b, const char *word, size_t n) {
    char *copy = tc_xstrdup(word);
    copy[n] = '\0';
    if (copy[0] == '~' && strchr(copy, '/') != NULL) {
        char *full = tilde_expand_word(copy);
        tc_buf_puts(b, full != NULL ? full : copy);
        free(full);
    } else {
        tc_buf_puts(b, copy);
    }
    free(copy);
}

char *tc_entry_expand(const char *text) {
    if (strchr(text, '~') == NULL || strchr(text, '\n') != NULL ||
        !tc_entry_is_command(text)) {
        return tc_xstrdup(text);
    }
    tc_buf b = TC_BUF_INIT;
    for (const char *p = text; *p != '\0';) {
        size_t gap = strspn(p, " \t\"");
        tc_buf_write(&b, p, gap);
        p += gap;
        size_t n = strcspn(p, " \t\"");
        put_word(&b, p, n);
        p += n;
    }
    return b.data ? b.data : tc_xstrdup("");
}
