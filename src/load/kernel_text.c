/* kernel_text.c - a kernel of a .cu as its text has it: "fill<4,int>" and
 * "T *out, T v". */
#include "load/load.h"

#include <ctype.h>
#include <string.h>

const char *tc_kernel_full(tc_arena *a, const char *mangled) {
    const char *name = tc_cuda_name(a, mangled);
    char *bare = tc_alloc(a, strlen(name) + 1);
    size_t n = 0;
    for (const char *p = name; *p != '\0'; p++) {
        if (*p != ' ') {
            bare[n++] = *p;
        }
    }
    bare[n] = '\0';
    return bare;
}

/* --- its parameters --------------------------------------------------------*/

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Past a comment or a string at p; else p. */
static const char *skip_other(const char *p) {
    if (p[0] == '/' && p[1] == '/') {
        return p + strcspn(p, "\n");
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end != NULL ? end + 2 : p + strlen(p);
    }
    if (*p == '"') {
        for (p++; *p != '\0' && *p != '"'; p++) {
            p += *p == '\\' && p[1] != '\0';
        }
        return p + (*p == '"');
    }
    return p;
}

/* The text between parentheses, from behind the first, in one line and without
 * comments. How many parameters that is, -1 where it does not end. */
static int between(const char *p, tc_buf *b) {
    int depth = 0, commas = 0;
    while (*p != '\0') {
        const char *past = skip_other(p);
        if (past != p) {
            p = past;
        } else if (*p == ')' && depth == 0) {
            if (b->len > 0 && b->data[b->len - 1] == ' ') {
                b->data[--b->len] = '\0';
            }
            return b->len > 0 ? commas + 1 : 0;
        } else if (isspace((unsigned char)*p)) {
            if (b->len > 0 && b->data[b->len - 1] != ' ') {
                tc_buf_putc(b, ' ');
            }
            p++;
        } else {
            depth += (*p == '(' || *p == '<' || *p == '{' || *p == '[') -
                     (*p == ')' || *p == '>' || *p == '}' || *p == ']');
            commas += *p == ',' && depth == 0;
            tc_buf_putc(b, *p++);
        }
    }
    return -1;
}

/* Where the parameters of the next kernel called name begin, or NULL. */
static const char *next_declared(const char *p, const char *name, size_t len) {
    bool kernel = false;
    while (*p != '\0') {
        const char *past = skip_other(p);
        if (past != p) {
            p = past;
        } else if (is_word(*p)) {
            size_t n = 0;
            while (is_word(p[n])) {
                n++;
            }
            const char *q = p + n + strspn(p + n, " \t\n");
            kernel |= n == 10 && strncmp(p, "__global__", n) == 0;
            if (kernel && n == len && strncmp(p, name, n) == 0 && *q == '(') {
                return q + 1;
            }
            p += n;
        } else {
            kernel &= *p != '{' && *p != ';';
            p++;
        }
    }
    return NULL;
}

bool tc_kernel_declared(const tc_loaded *f, const tc_ptx_func *k, tc_buf *b) {
    size_t len;
    const char *name = tc_kernel_name(k->name, &len);
    tc_buf one = TC_BUF_INIT;
    bool found = false, same = true;
    for (const char *p = f->source->text;
         (p = next_declared(p, name, len)) != NULL;) {
        tc_buf_free(&one);
        int n = between(p, &one);
        if (n != k->nparams) {
            continue; /* another of the same name */
        }
        same &= !found || strcmp(tc_buf_text(b), tc_buf_text(&one)) == 0;
        if (!found) {
            tc_buf_puts(b, tc_buf_text(&one));
        }
        found = true;
    }
    tc_buf_free(&one);
    return found && same;
}
