/* show.c - what a name stands for. */
#include "session/session.h"

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

typedef struct names {
    const char *items[512];
    int n;
} names;

static void collect(void *user, const char *name, const tc_value *v) {
    names *list = user;
    (void)v;
    if (list->n < 512) {
        list->items[list->n++] = name;
    }
}

static tc_status show_all(tc_session *s, tc_reply *r) {
    names list = {.n = 0};
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

static tc_status not_defined(tc_session *s, const tc_args *args) {
    names list = {.n = 0};
    tc_env_each(s->env, collect, &list);
    const char *near = tc_nearest(args->words[0], list.items, list.n);
    tc_buf hint = TC_BUF_INIT;
    if (near != NULL) {
        tc_buf_printf(&hint, "did you mean %s?", near);
    } else {
        tc_buf_puts(&hint, "`show` alone lists what is defined");
    }
    tc_error(&s->diags, args->spans[0], tc_buf_text(&hint),
             "'%s' is not defined", args->words[0]);
    tc_buf_free(&hint);
    return TC_FAILED;
}

tc_status tc_cmd_show(tc_session *s, const tc_args *args, tc_reply *r) {
    if (args->n == 0) {
        return show_all(s, r);
    }
    if (args->n > 1) {
        bool svg = strcmp(args->words[1], "--svg") == 0;
        tc_error(&s->diags, args->spans[1], NULL,
                 svg ? "pictures of layouts are not built yet"
                     : "show takes one name");
        return svg ? TC_FAILED : TC_USAGE;
    }
    const tc_value *v = tc_env_get(s->env, args->words[0]);
    if (v == NULL) {
        return not_defined(s, args);
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
