/* ptx_file.c - loads .ptx files and knows their kernels. */
#include "load/load.h"
#include "load/outline.h"

#include "base/cancel.h"
#include "base/file.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- life ------------------------------------------------------------------*/

/* The file is what a person reads: lines are its own. Where the compiler's .loc
 * pointed is kept beside. */
static void own_lines(tc_loaded *f) {
    tc_ptx_module *m = f->module;
    f->origins = TC_NEWN(f->arena, tc_origin, m->ncode + 1);
    for (uint32_t i = 0; i < m->ncode; i++) {
        tc_ptx_op *op = &m->code[i];
        f->origins[i] = op->call_line
                            ? (tc_origin){op->call_file, op->call_line}
                            : (tc_origin){op->file, op->line};
        op->line = op->call_line = op->ptx_line;
        op->file = op->call_file = 1;
    }
}

/* --- names -----------------------------------------------------------------*/

static bool is_bare(const char *kernel, const char *name) {
    size_t len;
    const char *bare = tc_kernel_name(kernel, &len);
    return strlen(name) == len && memcmp(bare, name, len) == 0;
}

static bool is_full(const tc_loaded *f, const char *kernel, const char *name) {
    return strchr(name, '<') != NULL &&
           strcmp(tc_kernel_full(f->arena, kernel), name) == 0;
}

const tc_ptx_func *tc_loaded_kernel(const tc_session *s, const char *name,
                                    tc_loaded **file) {
    for (int i = s->nfiles - 1; i >= 0; i--) {
        const tc_ptx_func *f = tc_ptx_find_entry(s->files[i]->module, name);
        if (f != NULL) {
            *file = s->files[i];
            return f;
        }
    }
    for (int i = s->nfiles - 1; i >= 0; i--) {
        const tc_ptx_module *m = s->files[i]->module;
        const tc_ptx_func *found = NULL;
        int n = 0;
        for (int k = 0; k < m->nfuncs; k++) {
            if (m->funcs[k].entry &&
                (is_bare(m->funcs[k].name, name) ||
                 is_full(s->files[i], m->funcs[k].name, name))) {
                found = &m->funcs[k];
                n++;
            }
        }
        if (n == 1) {
            *file = s->files[i];
            return found;
        }
    }
    return NULL;
}

void tc_loaded_each(const tc_session *s,
                    void (*fn)(void *user, const char *name), void *user) {
    tc_loaded *owner;
    for (int i = 0; i < s->nfiles; i++) {
        const tc_ptx_module *m = s->files[i]->module;
        for (int k = 0; k < m->nfuncs; k++) {
            const tc_ptx_func *f = &m->funcs[k];
            if (!f->entry || tc_loaded_kernel(s, f->name, &owner) != f) {
                continue;
            }
            size_t len;
            const char *bare = tc_kernel_name(f->name, &len);
            char *name = tc_xcalloc(len + 1, 1);
            memcpy(name, bare, len);
            const char *full = tc_kernel_full(s->files[i]->arena, f->name);
            fn(user, tc_loaded_kernel(s, name, &owner) == f   ? name
                     : tc_loaded_kernel(s, full, &owner) == f ? full
                                                              : f->name);
            free(name);
        }
    }
}

enum { MOST_NAMES = 256 };

typedef struct kernel_names {
    tc_arena *arena;
    const char *names[MOST_NAMES];
    int n;
} kernel_names;

static void gather(void *user, const char *name) {
    kernel_names *l = user;
    if (l->n < MOST_NAMES) {
        l->names[l->n++] = tc_strdup(l->arena, name);
    }
}

void tc_loaded_hint(const tc_session *s, const char *name, tc_buf *hint) {
    kernel_names l = {.arena = tc_arena_new()};
    tc_loaded_each(s, gather, &l);
    const char *near = tc_diag_nearest(name, l.names, l.n);
    if (near != NULL) {
        tc_buf_printf(hint, "did you mean %s?", near);
    } else {
        tc_buf_puts(hint, l.n > 0 ? "there is:" : "the file has none");
        for (int i = 0; i < l.n && i < 8; i++) {
            tc_buf_printf(hint, "%s %s", i ? "," : "", l.names[i]);
        }
        tc_buf_puts(hint, l.n > 8 ? ", ..." : "");
    }
    tc_arena_free(l.arena);
}

const char *tc_loaded_param_name(const tc_ptx_func *f, int i) {
    const char *name = f->params[i].name;
    size_t n = strlen(f->name);
    if (strncmp(name, f->name, n) == 0 && name[n] == '_') {
        name += n + 1;
    }
    return name;
}

static bool is_bytes(const tc_ptx_param *p) {
    return p->size > tc_ptx_type_bytes[p->type];
}

static void param_type(const tc_ptx_param *p, tc_buf *b) {
    const char *type = tc_ptx_type_names[p->type];
    tc_buf_puts(b, type + (*type == '.'));
    if (is_bytes(p)) {
        tc_buf_printf(b, "[%u]", p->size);
    }
}

void tc_loaded_params(const tc_ptx_func *f, tc_buf *b) {
    for (int i = 0; i < f->nparams; i++) {
        tc_buf_puts(b, i ? ", " : "");
        param_type(&f->params[i], b);
        tc_buf_printf(b, " %s", tc_loaded_param_name(f, i));
    }
}

/* --- loading ---------------------------------------------------------------*/

static json_t *kernel_json(const tc_ptx_func *f) {
    json_t *params = json_array();
    for (int i = 0; i < f->nparams; i++) {
        tc_buf type = TC_BUF_INIT;
        param_type(&f->params[i], &type);
        json_array_append_new(params,
                              json_pack("{s:s,s:s,s:I}", "name",
                                        tc_loaded_param_name(f, i), "type",
                                        tc_buf_text(&type), "bytes",
                                        (json_int_t)f->params[i].size));
        tc_buf_free(&type);
    }
    return json_pack("{s:s,s:o}", "name", f->name, "params", params);
}

static void answer(tc_session *s, const tc_loaded *f, tc_reply *r) {
    const tc_ptx_module *m = f->module;
    json_t *kernels = json_array();
    tc_buf text = TC_BUF_INIT;
    size_t n = 0;
    for (int i = 0; i < m->nfuncs && !tc_cancelled_at((unsigned)i); i++) {
        const tc_ptx_func *k = &m->funcs[i];
        n += k->entry;
        if (k->entry && s->options.json) {
            json_array_append_new(kernels, kernel_json(k));
        } else if (k->entry) {
            tc_buf_printf(&text, "  %s(", k->name);
            tc_loaded_params(k, &text);
            tc_buf_puts(&text, ")\n");
        }
    }
    if (s->options.json) {
        r->json = json_pack("{s:O}", "kernels", kernels);
    } else if (n == 0) {
        tc_buf_printf(&r->text, "%s: no kernel in it\n", f->source->name);
    } else {
        tc_buf_printf(&r->text, "%s: %zu kernel%s; now try `launch`.\n%s",
                      f->source->name, n, n == 1 ? "" : "s",
                      tc_buf_text(&text));
    }
    tc_buf_free(&text);
    json_decref(kernels);
}

/* Errors that a text gives, when only their sort matters. */
typedef struct sorter {
    tc_arena *arena;
    const char *unknown; /* the first that says what is not built */
    bool other;
} sorter;

static void sort_error(void *user, const tc_diag *d) {
    sorter *k = user;
    bool unknown = d->code == TC_CODE_UNBUILT;
    if (d->severity != TC_ERROR) {
        return;
    }
    k->other |= !unknown;
    if (unknown && k->unknown == NULL) {
        k->unknown = tc_format(k->arena, "line %d: %s", d->line, d->message);
    }
}

/* The module, or for a GPU that knows more than the simulator its outline. */
static tc_ptx_module *parse(tc_session *s, tc_loaded *f) {
    sorter k = {.arena = f->arena};
    tc_diags sorted = {sort_error, &k, 0};
    if (s->options.backend == TC_BACKEND_GPU &&
        tc_ptx_parse(f->arena, f->text, &sorted) == NULL && !k.other) {
        f->unknown = k.unknown;
        return tc_outline(f->arena, f->text);
    }
    if (f->text == f->source) {
        return tc_ptx_parse(f->arena, f->text, &s->diags);
    }
    tc_diags quiet = {NULL, NULL, 0};
    tc_ptx_module *m = tc_ptx_parse(f->arena, f->text, &quiet);
    if (m == NULL && tc_cancelled()) {
        tc_diag_cancelled(&s->diags, "the PTX was read");
    } else if (m == NULL) {
        tc_cuda_refused(s, f->arena, f->text, f->source);
    }
    return m;
}

tc_status tc_loaded_read(tc_session *s, tc_arena *a, const tc_source *src,
                         tc_reply *r) {
    tc_loaded *f = TC_NEW(a, tc_loaded);
    f->arena = a;
    f->source = f->text = src;
    f->module = parse(s, f);
    if (f->module == NULL) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    own_lines(f);
    tc_loaded_retain(s, f);
    answer(s, f, r);
    return TC_OK;
}

tc_loaded *tc_loaded_cuda(tc_session *s, tc_arena *a, const tc_source *ptx,
                          const tc_source *cu, const char *include) {
    tc_loaded *f = TC_NEW(a, tc_loaded);
    f->arena = a;
    f->source = cu;
    f->text = ptx; /* another than source */
    f->module = parse(s, f);
    if (f->module == NULL) {
        tc_arena_free(a);
        return NULL;
    }
    tc_cuda_locations(f, include);
    return f;
}

/* --- where the compiler had it from ----------------------------------------*/

enum { LARGEST_SOURCE = 8 << 20 };

/* Line number `line` of an open file, without what surrounds it in blanks. */
static const char *line_of(FILE *in, uint32_t line, tc_arena *a) {
    tc_buf b = TC_BUF_INIT;
    uint32_t at = 1;
    int c, read = 0;
    while (at <= line && read++ < LARGEST_SOURCE && (c = getc(in)) != EOF) {
        if (c == '\n') {
            at++;
        } else if (at == line && (b.len > 0 || (c != ' ' && c != '\t'))) {
            tc_buf_putc(&b, (char)c);
        }
    }
    bool found = b.len > 0;
    const char *text = found ? tc_buf_finish(&b, a) : NULL;
    tc_buf_free(&b);
    return text;
}

bool tc_loaded_origin(const tc_loaded *f, const tc_ptx_op *op, tc_arena *a,
                      const char **name, int *line, const char **text) {
    const tc_ptx_module *m = f->module;
    tc_origin o = f->origins[op - m->code];
    if (f->cu_files != NULL) {
        return tc_cuda_origin(f, op, a, name, line, text);
    }
    if (o.line == 0 || (int)o.file >= m->nfiles || m->files[o.file] == NULL) {
        return false;
    }
    char why[TC_FILE_WHY];
    FILE *in = tc_file_stream(m->files[o.file], why);
    if (in == NULL) {
        return false;
    }
    *name = m->files[o.file];
    *line = (int)o.line;
    *text = line_of(in, o.line, a);
    fclose(in);
    return *text != NULL;
}

/* The first op at or behind a line of the text, from op i on. */
static uint32_t op_at(const tc_ptx_module *m, uint32_t i, uint32_t line) {
    while (i < m->ncode && m->code[i].ptx_line < line) {
        i++;
    }
    return i;
}

void tc_loaded_interleave(const tc_loaded *f, tc_buf *out) {
    const tc_ptx_module *m = f->module;
    tc_arena *a = tc_arena_new();
    tc_origin last = {0, 0};
    uint32_t i = 0, number = 1;
    for (const char *p = f->text->text; *p != '\0'; number++) {
        size_t n = strcspn(p, "\n");
        i = op_at(m, i, number);
        const char *name, *text;
        int line;
        bool op = i < m->ncode && m->code[i].ptx_line == number;
        tc_origin o = op ? f->origins[i] : last;
        if ((o.file != last.file || o.line != last.line) &&
            tc_loaded_origin(f, &m->code[i], a, &name, &line, &text)) {
            tc_buf_printf(out, "\n\t// %s:%d: %s\n", name, line, text);
        }
        last = o;
        tc_buf_write(out, p, n);
        tc_buf_putc(out, '\n');
        p += n + (p[n] == '\n');
    }
    tc_arena_free(a);
}
