/* demangle.c - mangled names as C++ has them (Itanium C++ ABI, 5.1).
 *
 * The plain forms are read: a function or variable, in namespaces or classes,
 * with template arguments; a variable of a function. Anything else stays as it
 * is. */
#include "load/load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* <source-name>: its length, then it. NULL where there is none. */
static const char *source_name(const char *p, tc_buf *b) {
    char *end;
    if (!isdigit((unsigned char)*p)) {
        return NULL;
    }
    unsigned long n = strtoul(p, &end, 10);
    if (n == 0 || n > strlen(end)) {
        return NULL;
    }
    if (strncmp(end, "_GLOBAL__N_", 11) == 0) {
        tc_buf_puts(b, "(anonymous)");
    } else {
        tc_buf_write(b, end, n);
    }
    return end + n;
}

static const char *builtin_type(char c) {
    static const char codes[] = "vbcahstijlmxyfd";
    static const char *const names[] = {"void",
                                        "bool",
                                        "char",
                                        "signed char",
                                        "unsigned char",
                                        "short",
                                        "unsigned short",
                                        "int",
                                        "unsigned",
                                        "long",
                                        "unsigned long",
                                        "long long",
                                        "unsigned long long",
                                        "float",
                                        "double"};
    const char *at = c != '\0' ? strchr(codes, c) : NULL;
    return at != NULL ? names[at - codes] : NULL;
}

/* A template argument: a type, or L <type> <value> E. */
static const char *argument(const char *p, tc_buf *b) {
    if (*p == 'L' && builtin_type(p[1]) != NULL) {
        bool is_bool = p[1] == 'b';
        p += 2;
        if (*p == 'n') {
            tc_buf_putc(b, '-');
            p++;
        }
        size_t n = strspn(p, "0123456789");
        if (n == 0 || p[n] != 'E') {
            return NULL;
        }
        if (is_bool) {
            tc_buf_puts(b, *p == '0' ? "false" : "true");
        } else {
            tc_buf_write(b, p, n);
        }
        return p + n + 1;
    }
    if (builtin_type(*p) != NULL) {
        tc_buf_puts(b, builtin_type(*p));
        return p + 1;
    }
    if (*p == 'P' && builtin_type(p[1]) != NULL) {
        tc_buf_printf(b, "%s *", builtin_type(p[1]));
        return p + 2;
    }
    return source_name(p, b);
}

/* I <argument>+ E; elided where it is none of the plain ones. */
static const char *arguments(const char *p, tc_buf *b) {
    size_t before = b->len;
    const char *q = p + 1, *sep = "";
    tc_buf_putc(b, '<');
    while (q != NULL && *q != 'E') {
        tc_buf_puts(b, sep);
        q = argument(q, b);
        sep = ", ";
    }
    if (q != NULL) {
        tc_buf_putc(b, '>');
        return q + 1;
    }
    b->len = before;
    tc_buf_puts(b, "<...>");
    return NULL;
}

/* <name> in a buffer: "ns::scale<float, 2>". False: another form. *rest is
 * what follows, or NULL where template arguments hid it. */
static bool read_name(const char *p, tc_buf *b, const char **rest) {
    bool nested = *p == 'N';
    const char *sep = "";
    p += nested;
    p += nested ? strspn(p, "KrV") : 0;
    do {
        p += *p == 'L';
        tc_buf_puts(b, sep);
        p = source_name(p, b);
        if (p == NULL) {
            return false;
        }
        if (*p == 'I') {
            p = arguments(p, b);
        }
        sep = "::";
    } while (nested && p != NULL && *p != 'E');
    *rest = p != NULL ? p + nested : NULL;
    return true;
}

/* The variable of a function: _ZZ <encoding> E <name>, perhaps with a number
 * that tells equal names apart. What stands before is skipped: the name is the
 * one that reaches to the end. */
static bool local_variable(const char *mangled, tc_buf *b) {
    for (const char *p = mangled + strlen(mangled); p-- > mangled + 3;) {
        if (*p != 'E') {
            continue;
        }
        tc_buf name = TC_BUF_INIT;
        const char *end = source_name(p + 1 + (p[1] == 'L'), &name);
        if (end != NULL && *end == '_') {
            end += 1 + (end[1] == '_');
            end += strspn(end, "0123456789");
            end += *end == '_';
        }
        bool whole = end != NULL && *end == '\0';
        if (whole) {
            tc_buf_puts(b, tc_buf_text(&name));
        }
        tc_buf_free(&name);
        if (whole) {
            return true;
        }
    }
    return false;
}

const char *tc_cuda_name(tc_arena *a, const char *mangled) {
    tc_buf b = TC_BUF_INIT;
    const char *rest;
    bool known = strncmp(mangled, "_ZZ", 3) == 0 ? local_variable(mangled, &b)
                 : strncmp(mangled, "_Z", 2) == 0
                     ? read_name(mangled + 2, &b, &rest)
                     : false;
    const char *name = known ? tc_strdup(a, tc_buf_text(&b)) : mangled;
    tc_buf_free(&b);
    return name;
}

const char *tc_cuda_plain_text(tc_arena *a, const char *text) {
    tc_buf b = TC_BUF_INIT;
    while (*text != '\0') {
        size_t n = 0;
        while (isalnum((unsigned char)text[n]) || text[n] == '_') {
            n++;
        }
        if (n > 2 && strncmp(text, "_Z", 2) == 0) {
            tc_buf_puts(&b, tc_cuda_name(a, tc_strndup(a, text, n)));
        } else {
            n = n > 0 ? n : 1;
            tc_buf_write(&b, text, n);
        }
        text += n;
    }
    const char *plain = tc_strndup(a, tc_buf_text(&b), b.len);
    tc_buf_free(&b);
    return plain;
}
