/* link.c - several PTX texts as one.
 *
 * The statements of each module's own level are told apart, with the name that
 * each declares. A name means the same in all relocatable units, unless it has
 * no linking directive (PTX ISA 5.1, 11.6: .extern, .visible, .weak, .common);
 * in a unit that is not relocatable every name is its own. Where two mean
 * different things one is renamed, in all places. Declarations of functions go
 * first, then variables, then bodies: what is used has been declared. Numbers
 * of files are made different, and debug sections left out. */
#include "ptx/link.h"
#include "base/buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum linkage {
    INTERNAL,
    VISIBLE, /* .common too */
    WEAK,
    EXTERN
} linkage;

typedef enum statement_kind { FUNCTION, VARIABLE, ALIAS, OTHER } statement_kind;

typedef struct statement {
    const char *begin, *end, *body; /* body: its brace; NULL: none */
    statement_kind kind;
    linkage linkage;
    bool shared, dropped;
    const char *name, *to; /* to: its name in the whole */
} statement;

typedef struct module {
    const tc_ptx_text_unit *unit;
    statement *all;
    int n, cap;
    int first_file; /* added to its numbers of files */
} module;

typedef struct linker {
    tc_arena *a;
    tc_diags *diags;
    module *modules;
    int n;
    tc_ptx_renamed *renamed;
    int nrenamed, renamed_cap;
    int errors;
} linker;

/* --- tokens ----------------------------------------------------------------*/

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* Behind blanks and comments. */
static const char *skip_blank(const char *p, const char *end) {
    for (;;) {
        while (p < end && isspace((unsigned char)*p)) {
            p++;
        }
        if (end - p < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*')) {
            return p;
        }
        bool line = p[1] == '/';
        for (p += 2; p < end; p++) {
            if (line ? *p == '\n' : p[0] == '*' && end - p > 1 && p[1] == '/') {
                p += line ? 0 : 2;
                break;
            }
        }
    }
}

/* Behind the token at p: a word (with a dot before it), a string, a character. */
static const char *token_end(const char *p, const char *end) {
    if (*p == '"') {
        for (p++; p < end && *p != '"'; p++) {
        }
        return p < end ? p + 1 : end;
    }
    const char *q = p + (*p == '.');
    while (q < end && in_word(*q)) {
        q++;
    }
    return q > p ? q : p + 1;
}

static bool is(const char *p, const char *q, const char *word) {
    return (size_t)(q - p) == strlen(word) &&
           memcmp(p, word, (size_t)(q - p)) == 0;
}

/* --- statements ------------------------------------------------------------*/

/* Behind the bracket that closes the one at p. */
static const char *behind(const char *p, const char *end) {
    int depth = 0;
    while (p < end) {
        p = skip_blank(p, end);
        if (p >= end) {
            break;
        }
        depth += *p == '{' || *p == '(' || *p == '[';
        depth -= *p == '}' || *p == ')' || *p == ']';
        p = token_end(p, end);
        if (depth == 0) {
            break;
        }
    }
    return p;
}

static linkage linkage_of(const char *p, const char *q, linkage before) {
    return is(p, q, ".visible") || is(p, q, ".common") ? VISIBLE
           : is(p, q, ".weak")                         ? WEAK
           : is(p, q, ".extern")                       ? EXTERN
                                                       : before;
}

static bool is_space(const char *p, const char *q) {
    return is(p, q, ".global") || is(p, q, ".const") || is(p, q, ".shared");
}

/* The name behind ".func (RETURNS)" or ".entry". */
static const char *function_name(linker *l, const char *p, const char *end) {
    while ((p = skip_blank(p, end)) < end) {
        const char *q = token_end(p, end);
        if (*p == '(') {
            q = behind(p, end);
        } else if (in_word(*p)) {
            return tc_strndup(l->a, p, (size_t)(q - p));
        }
        p = q;
    }
    return NULL;
}

/* The name behind ".global .align 4 .b8": the first word that is no number. */
static const char *variable_name(linker *l, const char *p, const char *end) {
    while ((p = skip_blank(p, end)) < end && *p != ';') {
        const char *q = token_end(p, end);
        if (*p == '(') {
            q = behind(p, end);
        } else if (in_word(*p) && !isdigit((unsigned char)*p)) {
            return tc_strndup(l->a, p, (size_t)(q - p));
        }
        p = q;
    }
    return NULL;
}

static void add(linker *l, module *m, statement s) {
    TC_PUSH(l->a, m->all, m->n, m->cap, s);
}

/* A directive without an end of its own: ".file 1 "x"", ".loc", ".version". */
static const char *line_end(const char *p, const char *end) {
    const char *q = memchr(p, '\n', (size_t)(end - p));
    return q != NULL ? q : end;
}

/* Reads the statement at p; returns what is behind it. */
static const char *read_statement(linker *l, module *m, const char *p,
                                  const char *end) {
    statement s = {.begin = p, .kind = OTHER};
    const char *first = token_end(p, end);
    if (is(p, first, ".version") || is(p, first, ".target") ||
        is(p, first, ".address_size") || is(p, first, ".file") ||
        is(p, first, ".loc") || is(p, first, ".pragma")) {
        s.end = line_end(p, end);
        add(l, m, s);
        return s.end;
    }
    while (p < end) {
        const char *q = token_end(p, end);
        s.linkage = linkage_of(p, q, s.linkage);
        if (s.name == NULL && (is(p, q, ".func") || is(p, q, ".entry"))) {
            s.kind = FUNCTION;
            s.name = function_name(l, q, end);
        } else if (s.name == NULL && is_space(p, q)) {
            s.kind = VARIABLE;
            s.shared = is(p, q, ".shared");
            s.name = variable_name(l, q, end);
        } else if (is(p, q, ".alias")) {
            s.kind = ALIAS;
        } else if (is(p, q, ".section")) {
            s.dropped = true;
        }
        if (*p == ';') {
            p = q;
            break;
        }
        if (*p == '{' || *p == '(') {
            bool body = *p == '{' && s.kind != VARIABLE;
            s.body = body ? p : NULL;
            p = behind(p, end);
            if (body) {
                break;
            }
        } else {
            p = q;
        }
        p = skip_blank(p, end);
    }
    s.end = p;
    add(l, m, s);
    return p;
}

static void read_module(linker *l, module *m) {
    const char *p = m->unit->text, *end = p + m->unit->len;
    while ((p = skip_blank(p, end)) < end) {
        p = read_statement(l, m, p, end);
    }
}

/* --- names -----------------------------------------------------------------*/

static bool defines(const statement *s) {
    return s->kind == FUNCTION   ? s->body != NULL
           : s->kind == VARIABLE ? s->linkage != EXTERN || s->shared
                                 : false;
}

/* May the two units mean the same by a name? */
static bool share(const module *m, const module *n) {
    return m == n || (m->unit->relocatable && n->unit->relocatable);
}

static bool taken(const linker *l, int before, const char *name) {
    for (int i = 0; i < before; i++) {
        for (int k = 0; k < l->modules[i].n; k++) {
            const char *to = l->modules[i].all[k].to;
            if (to != NULL && strcmp(to, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static const char *new_name(linker *l, int before, const char *name) {
    const char *to = name;
    for (int i = 2; taken(l, before, to); i++) {
        to = tc_format(l->a, "%s$%d", name, i);
    }
    return to;
}

/* The definition that other units see under a name. */
static statement *seen_by(linker *l, const module *m, int before,
                          const char *name, bool any) {
    for (int i = 0; i < before; i++) {
        for (int k = 0; k < l->modules[i].n && share(m, &l->modules[i]); k++) {
            statement *s = &l->modules[i].all[k];
            if (s->name != NULL && !s->dropped && defines(s) &&
                (any || s->linkage != INTERNAL) && strcmp(s->name, name) == 0) {
                return s;
            }
        }
    }
    return NULL;
}

static void tell(linker *l, const char *text, const char *name) {
    l->errors++;
    tc_error(l->diags, TC_NOWHERE, NULL, text, name);
}

/* A definition of module i, and what an earlier one of the name is to it. */
static void place(linker *l, int i, statement *s) {
    module *m = &l->modules[i];
    statement *earlier = s->linkage == INTERNAL || !m->unit->relocatable
                             ? NULL
                             : seen_by(l, m, i, s->name, false);
    if (earlier == NULL) {
        s->to = new_name(l, i, s->name);
        return;
    }
    s->to = earlier->to;
    if (s->shared && s->linkage == EXTERN) {
        s->dropped = true;
    } else if (s->linkage == WEAK) {
        s->dropped = true;
    } else if (earlier->linkage == WEAK) {
        earlier->dropped = true;
    } else {
        tell(l, "'%s' is defined in two of the sources", s->name);
    }
}

static void place_definitions(linker *l, int i) {
    module *m = &l->modules[i];
    for (int k = 0; k < m->n; k++) {
        statement *s = &m->all[k];
        if (s->name != NULL && !s->dropped && defines(s)) {
            place(l, i, s);
            if (strcmp(s->to, s->name) != 0) {
                tc_ptx_renamed r = {m->unit->id, s->name, s->to};
                TC_PUSH(l->a, l->renamed, l->nrenamed, l->renamed_cap, r);
            }
        }
    }
}

/* What is only declared: it is defined here, in another unit, or by the system
 * (vprintf, malloc, ...), which keeps its name. */
static void place_declarations(linker *l, int i) {
    module *m = &l->modules[i];
    for (int k = 0; k < m->n; k++) {
        statement *s = &m->all[k];
        if (s->name == NULL || s->dropped || defines(s)) {
            continue;
        }
        statement *own = NULL;
        for (int j = 0; j < m->n && own == NULL; j++) {
            statement *t = &m->all[j];
            own = t->name != NULL && defines(t) && strcmp(t->name, s->name) == 0
                      ? t
                      : NULL;
        }
        statement *there =
            own != NULL ? own : seen_by(l, m, l->n, s->name, false);
        s->to = there != NULL ? there->to : s->name;
        if (there == NULL && s->kind == VARIABLE) {
            tell(l,
                 "the device variable '%s' is declared, and none of the "
                 "sources defines it",
                 s->name);
        }
        s->dropped = s->kind == VARIABLE && there != NULL;
        if (there == NULL && s->kind == FUNCTION && taken(l, i, s->name)) {
            s->dropped = true; /* declared before */
        }
    }
}

/* --- text ------------------------------------------------------------------*/

static const char *name_in(const module *m, const char *p, size_t n) {
    for (int k = 0; k < m->n; k++) {
        const statement *s = &m->all[k];
        if (s->to != NULL && s->name != s->to && strncmp(s->name, p, n) == 0 &&
            s->name[n] == '\0') {
            return s->to;
        }
    }
    return NULL;
}

static bool renames(const module *m) {
    for (int k = 0; k < m->n; k++) {
        const statement *s = &m->all[k];
        if (s->to != NULL && strcmp(s->name, s->to) != 0) {
            return true;
        }
    }
    return false;
}

/* A number of a file, at p behind blanks, with the module's added. */
static const char *put_file(const module *m, const char *p, const char *end,
                            tc_buf *b) {
    const char *q = p;
    while (q < end && (*q == ' ' || *q == '\t')) {
        q++;
    }
    if (q == end || !isdigit((unsigned char)*q)) {
        return p;
    }
    char *behind_it;
    long n = strtol(q, &behind_it, 10);
    tc_buf_printf(b, " %ld", n + m->first_file);
    return behind_it;
}

/* ".loc 1 2 3, function_name L, inlined_at 1 2 3" to its line's end. */
static const char *put_loc(const module *m, const char *p, const char *end,
                           tc_buf *b) {
    const char *stop = line_end(p, end);
    tc_buf_puts(b, ".loc");
    p = put_file(m, p + 4, end, b);
    const char *in = memmem(p, (size_t)(stop - p), "inlined_at", 10);
    if (in != NULL) {
        tc_buf_write(b, p, (size_t)(in + 10 - p));
        p = put_file(m, in + 10, end, b);
    }
    tc_buf_write(b, p, (size_t)(stop - p));
    return stop;
}

/* [p, end) with names and numbers as they are in the whole. */
static void put_text(const module *m, const char *p, const char *end,
                     bool names, tc_buf *b) {
    while (p < end) {
        const char *q = token_end(p, end);
        const char *to = NULL;
        if (end - p > 1 && p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
            q = skip_blank(p, end);
        } else if (is(p, q, ".loc")) {
            p = put_loc(m, p, end, b);
            continue;
        } else if (is(p, q, ".file")) {
            tc_buf_puts(b, ".file");
            p = put_file(m, q, end, b);
            continue;
        } else if (names && in_word(*p)) {
            to = name_in(m, p, (size_t)(q - p));
        }
        if (to != NULL) {
            tc_buf_puts(b, to);
        } else {
            tc_buf_write(b, p, (size_t)(q - p));
        }
        p = q;
    }
}

/* A function's heading, as a declaration of it. */
static void put_prototype(const module *m, const statement *s, bool names,
                          tc_buf *b) {
    put_text(m, s->begin, s->body != NULL ? s->body : s->end, names, b);
    tc_buf_puts(b, s->body != NULL ? ";\n" : "\n");
}

/* May calls stand before its definition? Kernels are called by nobody, and
 * performance directives (11.4) stand in definitions alone. */
static bool wants_prototype(const statement *s) {
    const char *stop = s->body != NULL ? s->body : s->end;
    size_t n = (size_t)(stop - s->begin);
    return s->kind == FUNCTION && memmem(s->begin, n, ".entry", 6) == NULL;
}

static void put_heading(const linker *l, tc_buf *b) {
    const module *m = &l->modules[0];
    for (int k = 0; k < m->n; k++) {
        const statement *s = &m->all[k];
        const char *q = token_end(s->begin, s->end);
        if (is(s->begin, q, ".version") || is(s->begin, q, ".target") ||
            is(s->begin, q, ".address_size")) {
            tc_buf_write(b, s->begin, (size_t)(s->end - s->begin));
            tc_buf_putc(b, '\n');
        }
    }
}

static bool is_heading(const statement *s) {
    const char *q = token_end(s->begin, s->end);
    return is(s->begin, q, ".version") || is(s->begin, q, ".target") ||
           is(s->begin, q, ".address_size");
}

/* pass 0: declarations; 1: variables; 2: all else. */
static void put_pass(const module *m, int pass, tc_buf *b) {
    bool names = renames(m);
    for (int k = 0; k < m->n; k++) {
        const statement *s = &m->all[k];
        bool declares = s->kind == FUNCTION && s->body == NULL;
        int of = declares ? 0 : s->kind == VARIABLE ? 1 : 2;
        if (s->dropped || is_heading(s)) {
            continue;
        }
        if (pass == 0 && wants_prototype(s)) {
            put_prototype(m, s, names, b);
        } else if (pass == of && pass > 0) {
            put_text(m, s->begin, s->end, names, b);
            tc_buf_putc(b, '\n');
        }
    }
}

/* The greatest number of a .file in the unit. */
static int most_files(const module *m) {
    int most = 0;
    for (int k = 0; k < m->n; k++) {
        const statement *s = &m->all[k];
        int n = 0;
        if (sscanf(s->begin, ".file %d", &n) == 1 && n > most) {
            most = n;
        }
    }
    return most;
}

bool tc_ptx_link_texts(tc_arena *a, const tc_ptx_text_unit *units, int n,
                       tc_diags *diags, tc_ptx_linked *out) {
    linker l = {.a = a, .diags = diags, .n = n};
    int files = 0;
    l.modules = TC_NEWN(a, module, n + 1);
    for (int i = 0; i < n; i++) {
        l.modules[i] = (module){.unit = &units[i], .first_file = files};
        read_module(&l, &l.modules[i]);
        files += most_files(&l.modules[i]);
    }
    for (int i = 0; i < n; i++) {
        place_definitions(&l, i);
    }
    for (int i = 0; i < n; i++) {
        place_declarations(&l, i);
    }
    tc_buf text = TC_BUF_INIT;
    if (n > 0) {
        put_heading(&l, &text);
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < n; i++) {
            put_pass(&l.modules[i], pass, &text);
        }
    }
    out->len = text.len;
    out->text = text.len > 0 ? tc_buf_finish(&text, a) : "";
    out->renamed = l.renamed;
    out->nrenamed = l.nrenamed;
    tc_buf_free(&text);
    return l.errors == 0;
}

const char *tc_ptx_linked_name(const tc_ptx_renamed *all, int n, uint32_t unit,
                               const char *name) {
    for (int i = 0; i < n; i++) {
        if (all[i].unit == unit && strcmp(all[i].from, name) == 0) {
            return all[i].to;
        }
    }
    return name;
}
