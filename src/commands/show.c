/* show.c - what a name stands for. */
#include "commands/commands.h"
#include "commands/show_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of a function, from its def line to its last statement. */
static tc_span span_of_func(const tc_func *f) {
    tc_span span = f->span;
    for (const tc_stmt *st = f->body.first; st != NULL; st = st->next) {
        span = tc_span_join(span, st->span);
    }
    return span;
}

static void show_func(const tc_func *f, tc_buf *b) {
    tc_span span = span_of_func(f);
    if (span.source == NULL) {
        return;
    }
    const char *text = span.source->text;
    uint32_t end = span.end;
    while (text[end] != '\0' && text[end] != '\n') {
        end++;
    }
    tc_buf_write(b, text + span.begin, end - span.begin);
    tc_buf_putc(b, '\n');
}

typedef struct show_names {
    const char *items[512];
    int n;
} show_names;

static void collect(void *user, const char *name, const tc_value *v) {
    show_names *list = user;
    (void)v;
    if (list->n < 512) {
        list->items[list->n++] = name;
    }
}

static tc_status show_all(tc_session *s, tc_reply *r) {
    show_names list = {.n = 0};
    tc_env_each(s->env, collect, &list);
    json_t *j = json_object();
    for (int i = 0; i < list.n; i++) {
        const tc_value *v = tc_env_get(s->env, list.items[i]);
        if (s->options.json) {
            json_object_set_new(j, list.items[i], tc_value_json(v));
            continue;
        }
        tc_buf_printf(&r->text, "%s = ", list.items[i]);
        tc_value_print(&r->text, v);
        tc_buf_putc(&r->text, '\n');
    }
    if (s->options.json) {
        r->json = json_pack("{s:O}", "names", j);
    } else if (list.n == 0) {
        tc_buf_puts(&r->text, "nothing is defined yet\n");
    }
    json_decref(j);
    return TC_OK;
}

/* --- options -------------------------------------------------------------- */

typedef struct show_options {
    const tc_command_value *svg;   /* a file, or NULL */
    const tc_command_value *dtype; /* of a layout's elements, or NULL */
    int64_t shape[TC_PICTURE_RANK];
    int rank; /* 0: not given */
} show_options;

/* The options. *subject is where the name or expression before them is. */
static bool read_options(tc_session *s, const tc_command_args *args,
                         show_options *q, tc_span *subject) {
    const tc_command_value *name = tc_value_of(args, "NAME");
    const tc_command_value *shape = tc_value_of(args, "--shape");
    q->svg = tc_value_of(args, "--svg");
    q->dtype = tc_value_of(args, "--dtype");
    if (name == NULL) {
        tc_error(&s->diags, args->spans[0], "show s_layout --svg FILE",
                 "show needs a name before its options");
        return false;
    }
    *subject = name->span;
    if (shape != NULL) {
        q->rank = shape->rank;
        memcpy(q->shape, shape->extents, sizeof shape->extents);
    }
    return true;
}

_Static_assert((int)TC_PICTURE_RANK >= (int)TC_FORM_RANK, "--shape has room");

/* --- pictures ------------------------------------------------------------- */

static const char *memory_text(tc_space s) {
    switch (s) {
    case TC_SPACE_GLOBAL:
        return "offset in global memory";
    case TC_SPACE_SHARED:
    case TC_SPACE_SHARED_DYN:
        return "offset in shared memory";
    case TC_SPACE_LOCAL:
        return "offset in each thread's own memory";
    default:
        return NULL;
    }
}

/* The shape, part and element size that are wanted. */
static bool ask_about(tc_session *s, tc_layout_ctx *cx, const tc_show_object *t,
                      const tc_layout *l, const show_options *q, tc_span at,
                      tc_picture_options *ask) {
    int64_t(*range)[2] = tc_alloc(cx->arena, sizeof *range * TC_PICTURE_RANK);
    int64_t *shape = TC_NEWN(cx->arena, int64_t, TC_PICTURE_RANK);
    tc_dtype type = TC_VOID;
    *ask = (tc_picture_options){.shape = shape, .width = s->options.width};
    if (q->rank > 0) {
        memcpy(shape, q->shape, sizeof q->shape);
        ask->rank = q->rank;
    } else if (t->buffer != NULL && t->buffer->rank <= TC_PICTURE_RANK) {
        memcpy(shape, t->buffer->shape,
               sizeof *shape * (size_t)t->buffer->rank);
        ask->rank = t->buffer->rank;
    } else if (tc_picture_default_shape(cx, l, shape, &ask->rank) !=
               TC_LAYOUT_OK) {
        tc_error(&s->diags, at, "show NAME --shape 64,32", "%s", cx->message);
        return false;
    }
    if (t->buffer != NULL) {
        ask->memory = memory_text(t->buffer->space);
        type = t->buffer->type;
        ask->shared = tc_space_is_shared(t->buffer->space);
        ask->loose = q->rank == 0;
        if (t->buffer->elem_offset != NULL) {
            tc_expr_const(t->buffer->elem_offset, &ask->first);
        }
    }
    if (q->dtype != NULL) {
        if (!tc_dtype_find(q->dtype->text, &type) || type == TC_VOID) {
            tc_error(&s->diags, q->dtype->span, "--dtype float16",
                     "'%s' is no data type that is built", q->dtype->text);
            return false;
        }
        ask->shared = true;
        ask->memory = memory_text(TC_SPACE_SHARED);
    }
    ask->bits = tc_dtypes[type].bits;
    if (t->nparts > ask->rank) {
        tc_error(&s->diags, at, NULL, "%d parts are named, and there are %d",
                 t->nparts, ask->rank);
        return false;
    }
    for (int i = 0; i < ask->rank; i++) {
        bool whole = i >= t->nparts;
        range[i][0] = whole ? 0 : t->from[i];
        range[i][1] = whole || t->to[i] < 0 ? shape[i] : t->to[i];
    }
    ask->range = (const int64_t(*)[2])range;
    return true;
}

/* How much is drawn: what fits a page, or all of a part that was asked for. */
static void set_limits(tc_picture_options *ask, bool part, bool svg) {
    enum { PAGE = 24, HEAD = 17, CELLS = 1 << 16 };
    int64_t rows = 1;
    if (ask->rank >= 2) {
        const int64_t *r = ask->range[ask->rank - 2];
        rows = r[1] > r[0] ? r[1] - r[0] : 1; /* else it is refused later */
    }
    if (svg) {
        ask->max_rows = 128;
        ask->max_cols = 256;
        ask->max_grids = rows > 32 ? 2 : 8;
        return;
    }
    ask->max_rows = part ? 256 : rows > PAGE ? HEAD : PAGE;
    ask->max_cols = 512;
    int64_t drawn = rows < ask->max_rows ? rows : ask->max_rows;
    ask->max_grids = part ? 16 : drawn > 20 ? 1 : (int)(40 / (drawn + 2));
    if (ask->rank < 2) {
        ask->max_rows = part ? 256 : PAGE;
    }
}

static tc_picture *make_picture(tc_session *s, tc_arena *a,
                                const tc_show_object *t, const tc_layout *l,
                                const show_options *q, tc_span at) {
    tc_layout_ctx cx = {.arena = a, .target_cuda = s->target_cuda};
    tc_picture_options ask;
    tc_picture *p;
    if (!ask_about(s, &cx, t, l, q, at, &ask)) {
        return NULL;
    }
    set_limits(&ask, t->part, q->svg != NULL);
    if (tc_picture_make(&cx, l, &ask, &p) != TC_LAYOUT_OK) {
        tc_error(&s->diags, at, NULL, "%s", cx.message);
        return NULL;
    }
    return p;
}

/* "A_smem: float16[128, 32] in shared", and the layout on its own line. */
static void put_buffer(const tc_buffer *b, const tc_layout *l, tc_buf *out) {
    tc_buf_printf(out, "%s: %s[", b->name, tc_dtypes[b->type].name);
    for (int i = 0; i < b->rank; i++) {
        tc_buf_printf(out, "%s%lld", i ? ", " : "", (long long)b->shape[i]);
    }
    tc_buf_printf(out, "] in %s\n", tc_space_name(b->space));
    tc_layout_print(out, l);
    tc_buf_putc(out, '\n');
}

static json_t *subject_json(const tc_show_object *t, const tc_layout *l) {
    const tc_buffer *b = t->buffer;
    if (b == NULL) {
        return json_pack("{s:o}", "value", tc_value_json(t->value));
    }
    json_t *shape = json_array();
    for (int i = 0; i < b->rank; i++) {
        json_array_append_new(shape, json_integer((json_int_t)b->shape[i]));
    }
    return json_pack("{s:o,s:s,s:s,s:s,s:o}", "value", tc_layout_json(l),
                     "buffer", b->name, "dtype", tc_dtypes[b->type].name,
                     "space", tc_space_name(b->space), "shape", shape);
}

static tc_status show_svg(tc_session *s, const tc_show_object *t,
                          const tc_layout *l, const tc_picture *p,
                          const show_options *q, tc_reply *r) {
    tc_buf title = TC_BUF_INIT, svg = TC_BUF_INIT;
    if (t->name != NULL) {
        tc_buf_printf(&title, "%s = ", t->name);
    }
    tc_layout_print(&title, l);
    tc_picture_svg(p, tc_buf_text(&title), &svg);
    bool ok = tc_write_text(s, q->svg->text, q->svg->span, &svg);
    if (ok && s->options.json) {
        r->json = subject_json(t, l);
        json_object_set_new(r->json, "svg", json_string(q->svg->text));
        json_object_set_new(r->json, "bytes",
                            json_integer((json_int_t)svg.len));
    } else if (ok) {
        tc_buf_printf(&r->text, "wrote %s (", q->svg->text);
        tc_describe_count(&r->text, svg.len);
        tc_buf_puts(&r->text, " bytes)\n");
    }
    tc_buf_free(&title);
    tc_buf_free(&svg);
    return ok ? TC_OK : TC_FAILED;
}

static tc_status show_layout(tc_session *s, tc_arena *a,
                             const tc_show_object *t, const tc_layout *l,
                             const show_options *q, tc_span at, tc_reply *r) {
    tc_picture *p = make_picture(s, a, t, l, q, at);
    if (p == NULL) {
        return TC_FAILED;
    }
    if (q->svg != NULL) {
        return show_svg(s, t, l, p, q, r);
    }
    tc_buf text = TC_BUF_INIT;
    tc_picture_text(p, t->name, s->options.width, &text);
    if (s->options.json) {
        r->json = subject_json(t, l);
        json_object_set_new(r->json, "picture",
                            json_string(tc_buf_text(&text)));
    } else {
        if (t->buffer != NULL) {
            put_buffer(t->buffer, l, &r->text);
        } else {
            tc_layout_print(&r->text, l);
            tc_buf_putc(&r->text, '\n');
        }
        tc_buf_puts(&r->text, tc_buf_text(&text));
    }
    tc_buf_free(&text);
    return TC_OK;
}

/* --- the command ---------------------------------------------------------- */

static tc_status show_value(tc_session *s, const tc_value *v,
                            const tc_command_args *args, const show_options *q,
                            tc_reply *r) {
    if (q->svg != NULL || q->rank > 0 || q->dtype != NULL) {
        tc_error(&s->diags, args->span, NULL,
                 "only layouts and buffers have a picture");
        return TC_FAILED;
    }
    if (s->options.json) {
        r->json = json_pack("{s:o}", "value", tc_value_json(v));
    } else if (v->kind == TC_V_FUNC && v->func != NULL) {
        show_func(v->func, &r->text);
    } else {
        tc_value_print(&r->text, v);
        tc_buf_putc(&r->text, '\n');
    }
    return TC_OK;
}

static tc_status show_in(tc_session *s, tc_arena *a,
                         const tc_command_args *args, tc_reply *r) {
    show_options q = {.rank = 0};
    tc_show_object t;
    tc_span at;
    if (!read_options(s, args, &q, &at)) {
        return TC_USAGE;
    }
    if (!tc_show_object_find(s, a, at, &t)) {
        return TC_FAILED;
    }
    const tc_layout *l = tc_show_object_layout(a, &t);
    return l != NULL ? show_layout(s, a, &t, l, &q, at, r)
                     : show_value(s, t.value, args, &q, r);
}

tc_status tc_cmd_show(tc_session *s, const tc_command_args *args, tc_reply *r) {
    if (args->n == 0) {
        return show_all(s, r);
    }
    tc_arena *a = tc_arena_new();
    tc_status status = show_in(s, a, args, r);
    tc_arena_free(a);
    return status;
}
