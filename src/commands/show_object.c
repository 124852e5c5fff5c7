/* show_object.c - finding what `show` is asked about. */
#include "commands/show_object.h"
#include "commands/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const tc_buffer *find_buffer(const tc_session *s, const char *name) {
    const tc_func *f = s->program.func;
    for (int i = 0; f != NULL && i < f->nbuffers; i++) {
        const tc_buffer *b = f->buffers[i];
        if (b->name != NULL && strcmp(b->name, name) == 0) {
            return b;
        }
    }
    return NULL;
}

/* --- names that are not there --------------------------------------------- */

typedef struct object_names {
    const char *items[512];
    int n;
} object_names;

static void collect(void *user, const char *name, const tc_value *v) {
    object_names *list = user;
    (void)v;
    if (list->n < 512) {
        list->items[list->n++] = name;
    }
}

static bool not_defined(tc_session *s, const char *name, tc_span span) {
    object_names list = {.n = 0};
    const tc_func *f = s->program.func;
    tc_env_each(s->env, collect, &list);
    for (int i = 0; f != NULL && i < f->nbuffers; i++) {
        if (f->buffers[i]->name != NULL) {
            collect(&list, f->buffers[i]->name, NULL);
        }
    }
    const char *near = tc_diag_nearest(name, list.items, list.n);
    tc_buf hint = TC_BUF_INIT;
    if (near != NULL) {
        tc_buf_printf(&hint, "did you mean %s?", near);
    } else {
        tc_buf_puts(&hint, "`show` alone lists what is defined");
    }
    tc_error(&s->diags, span, tc_buf_text(&hint), "'%s' is not defined", name);
    tc_buf_free(&hint);
    return false;
}

/* --- parts: [0:16, 3, :] -------------------------------------------------- */

static const char *blanks(const char *p) {
    return p + strspn(p, " \t");
}

/* A number at *p, if there is one. */
static bool number(const char **p, int64_t *out) {
    char *end;
    if (!isdigit((unsigned char)**p)) {
        return false;
    }
    *out = strtoll(*p, &end, 10);
    *p = blanks(end);
    return true;
}

/* One entry: a, a:b, a:, :b or :. */
static bool entry(const char **p, tc_show_object *t) {
    int64_t from = 0, to = -1;
    bool begins = number(p, &from);
    if (**p == ':') {
        *p = blanks(*p + 1);
        number(p, &to);
    } else if (begins) {
        to = from + (from < INT64_MAX);
    } else {
        return false;
    }
    t->from[t->nparts] = from;
    t->to[t->nparts++] = to;
    return true;
}

/* What stands in brackets at p, to the end of the text. */
static bool parts(const char *p, tc_show_object *t) {
    p = blanks(p + 1);
    t->part = true;
    while (t->nparts < TC_PICTURE_RANK && entry(&p, t)) {
        if (*p == ']') {
            return *blanks(p + 1) == '\0';
        }
        if (*p != ',') {
            return false;
        }
        p = blanks(p + 1);
    }
    return false;
}

/* --- expressions ---------------------------------------------------------- */

static bool evaluate(tc_session *s, tc_arena *a, tc_span span, const char *text,
                     tc_show_object *t) {
    tc_source *src = TC_NEW(a, tc_source);
    tc_node_list stmts;
    tc_front front = {a, &s->diags, s->target_cuda, NULL};
    tc_value *v = TC_NEW(a, tc_value);
    *src = (tc_source){"<input>", text, strlen(text), 1};
    if (!tc_parse(a, src, &s->diags, &stmts)) {
        return false;
    }
    if (stmts.n != 1 || stmts.items[0]->kind != TC_N_EXPR) {
        tc_error(&s->diags, span, "show s_layout",
                 "show takes a name or an expression");
        return false;
    }
    t->name = NULL;
    t->value = v;
    return tc_front_eval(&front, tc_env_child(a, s->env), stmts.items[0]->a, v);
}

/* --- all of them ---------------------------------------------------------- */

static size_t name_length(const char *text) {
    size_t n = 0;
    if (!isdigit((unsigned char)text[0])) {
        while (isalnum((unsigned char)text[n]) || text[n] == '_') {
            n++;
        }
    }
    return n;
}

bool tc_show_object_find(tc_session *s, tc_arena *a, tc_span span,
                         tc_show_object *out) {
    *out = (tc_show_object){.name = NULL};
    const char *text =
        tc_strndup(a, span.source->text + span.begin, span.end - span.begin);
    size_t n = name_length(text);
    const char *rest = blanks(text + n);
    if (n > 0 && (*rest == '\0' || *rest == '[')) {
        out->name = tc_strndup(a, text, n);
        out->value = tc_env_get(s->env, out->name);
        out->buffer = out->value == NULL ? find_buffer(s, out->name) : NULL;
    }
    if (out->name != NULL && *rest == '\0') {
        return out->value != NULL || out->buffer != NULL ||
               not_defined(s, out->name, span);
    }
    bool drawn = out->buffer != NULL ||
                 (out->value != NULL && out->value->kind == TC_V_LAYOUT);
    if (!drawn) {
        return evaluate(s, a, span, text, out);
    }
    if (!parts(rest, out)) {
        tc_error(&s->diags, span, "show A_smem[0:16, 0:8]",
                 "a part is given by a number or begin:end for each dimension");
        return false;
    }
    return true;
}

const tc_layout *tc_show_object_layout(tc_arena *a, const tc_show_object *t) {
    const tc_buffer *b = t->buffer;
    if (t->value != NULL && t->value->kind == TC_V_BUFFER) {
        b = t->value->buffer;
    }
    if (b != NULL) {
        return b->layout != NULL ? b->layout
                                 : tc_layout_row_major(a, b->shape, b->rank);
    }
    return t->value != NULL && t->value->kind == TC_V_LAYOUT ? t->value->layout
                                                             : NULL;
}
