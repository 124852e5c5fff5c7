/* outline.c - reads the declarations of kernels (PTX ISA 5.1.6, 11.1.1). */
#include "load/outline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The text with its comments blanked out. */
static char *without_comments(tc_arena *a, const char *text) {
    char *t = tc_strdup(a, text);
    for (char *p = t; *p != '\0';) {
        size_t n = 0;
        if (p[0] == '/' && p[1] == '/') {
            n = strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            n = end != NULL ? (size_t)(end + 2 - p) : strlen(p);
        }
        memset(p, ' ', n);
        p += n > 0 ? n : 1;
    }
    return t;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' ||
           c == '.' || c == ':';
}

/* The word at *p, behind blanks; *p then is behind it. */
static size_t word(const char **p, const char **out) {
    *p += strspn(*p, " \t\r\n");
    *out = *p;
    while (is_name(**p)) {
        ++*p;
    }
    return (size_t)(*p - *out);
}

static bool is(const char *w, size_t n, const char *what) {
    return strlen(what) == n && memcmp(w, what, n) == 0;
}

static tc_ptx_type type_of(const char *w, size_t n) {
    for (int i = TC_PT_NONE + 1; i < TC_PT_COUNT; i++) {
        const char *name = tc_ptx_type_names[i];
        name += *name == '.';
        if (n > 1 && w[0] == '.' && is(w + 1, n - 1, name)) {
            return (tc_ptx_type)i;
        }
    }
    return TC_PT_NONE;
}

/* ".param .align 8 .u64 name" or "... name[24]", up to a comma or the end. */
static tc_ptx_param read_param(tc_arena *a, const char **p) {
    tc_ptx_param q = {.name = "", .align = 1};
    size_t elements = 1;
    while (**p != '\0' && **p != ',' && **p != ')') {
        const char *w;
        size_t n = word(p, &w);
        if (n == 0 && **p == '[') {
            elements = strtoul(*p + 1, NULL, 10);
            *p += strcspn(*p, "],)");
        } else if (n == 0) {
            *p += **p != '\0' && **p != ',' && **p != ')';
        } else if (type_of(w, n) != TC_PT_NONE) {
            q.type = type_of(w, n);
        } else if (w[0] != '.') {
            q.name = tc_strndup(a, w, n);
        }
    }
    uint32_t size = tc_ptx_type_bytes[q.type];
    q.size = (uint32_t)(elements < 65536 ? elements : 65536) * size;
    q.align = size > 0 ? size : 1;
    return q;
}

enum { MOST_PARAMS = 1024 };

static void read_params(tc_arena *a, tc_ptx_func *f, const char **p) {
    int cap = 0;
    *p += strspn(*p, " \t\r\n");
    bool more = **p == '(';
    while (more && f->nparams < MOST_PARAMS) {
        ++*p;
        tc_ptx_param q = read_param(a, p);
        q.offset = (f->param_bytes + q.align - 1) / q.align * q.align;
        if (q.type != TC_PT_NONE) {
            f->param_bytes = q.offset + q.size;
            TC_PUSH(a, f->params, f->nparams, cap, q);
        }
        more = **p == ',';
    }
}

enum { MOST_DIRECTIVES = 4096 }; /* characters between ) and { */

/* ".reqnctapercluster 2, 1, 1", if it stands between parameters and body. */
static void read_cluster(tc_ptx_func *f, const char *p) {
    static const char name[] = ".reqnctapercluster";
    size_t n = 0;
    while (n < MOST_DIRECTIVES && p[n] != '\0' && p[n] != '{' && p[n] != ';') {
        n++;
    }
    const char *at = memmem(p, n, name, sizeof name - 1);
    if (at == NULL) {
        return;
    }
    at += sizeof name - 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long size = strtoul(at, &end, 10);
        bool fits = end != at && size > 0 && size < 1024;
        f->reqcluster[i] = fits ? (uint32_t)size : 1;
        at = end + strspn(end, " \t\r\n");
        at += *at == ',';
    }
}

static void read_target(tc_ptx_module *m, const char *text) {
    const char *p = strstr(text, ".target");
    p = p != NULL ? strstr(p, "sm_") : NULL;
    if (p != NULL) {
        char *end;
        m->sm = (int)(strtol(p + 3, &end, 10) % 1000);
        m->sm_suffix = *end == 'a' || *end == 'f' ? *end : '\0';
    }
}

tc_ptx_module *tc_outline(tc_arena *a, const tc_source *source) {
    tc_ptx_module *m = TC_NEW(a, tc_ptx_module);
    const char *text = without_comments(a, source->text);
    int cap = 0;
    m->source = source;
    read_target(m, text);
    for (const char *p = text; (p = strstr(p, ".entry")) != NULL;) {
        const char *w;
        p += strlen(".entry");
        size_t n = word(&p, &w);
        if (n == 0) {
            continue;
        }
        tc_ptx_func f = {.name = tc_strndup(a, w, n), .entry = true};
        read_params(a, &f, &p);
        read_cluster(&f, p);
        TC_PUSH(a, m->funcs, m->nfuncs, cap, f);
    }
    return m;
}
