/* copies.c - see copies.h. */
#include "commands/copies.h"

#include <stdlib.h>
#include <string.h>

bool tc_copies_variant(tc_session *s, const tc_command_value *name,
                       tc_variant_id *out) {
    if (tc_variant_find(name->text, out)) {
        return true;
    }
    const char *names[TC_VARIANT_COUNT];
    tc_buf hint = TC_BUF_INIT;
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        names[i] = tc_variants[i].name;
        tc_buf_printf(&hint, "%s%s", i ? ", " : "one of ", names[i]);
    }
    const char *near = tc_diag_nearest(name->text, names, TC_VARIANT_COUNT);
    if (near != NULL) {
        tc_buf_clear(&hint);
        tc_buf_printf(&hint, "did you mean %s?", near);
    }
    tc_error(&s->diags, name->span, tc_buf_text(&hint),
             "no variant is called '%s'", name->text);
    tc_buf_free(&hint);
    return false;
}

const tc_command_value *tc_copies_name(const tc_command_args *args,
                                       const char *name,
                                       tc_command_value *line) {
    const tc_command_value *first = tc_value_of(args, name);
    const tc_command_value *given = tc_value_of(args, "LINE");
    *line = given != NULL ? *given : (tc_command_value){0};
    if (first == NULL || given != NULL || first->text[0] == '\0' ||
        first->text[strspn(first->text, "0123456789")] != '\0') {
        return first;
    }
    *line = *first;
    line->number = strtoll(first->text, NULL, 10);
    return NULL;
}

int tc_copies_at(const tc_decisions *all, int64_t line) {
    for (int i = 0; i < all->n; i++) {
        tc_span span = all->items[i].span;
        tc_span last = {span.source, span.end, span.end};
        if (tc_span_line(span) <= line && line <= tc_span_line(last)) {
            return i;
        }
    }
    return -1;
}

void tc_copies_head(const tc_session *s, int copy, tc_buf *b) {
    const tc_decisions *all = &s->program.decisions;
    tc_span span = all->items[copy].span;
    tc_buf_printf(b, "copy %d of %d, line %d: ", copy + 1, all->n,
                  tc_span_line(span));
    tc_describe_source(b, span, s->options.width - 24);
    tc_buf_putc(b, '\n');
}

tc_status tc_copies_none(tc_session *s, const tc_command_value *line) {
    const tc_decisions *all = &s->program.decisions;
    tc_buf hint = TC_BUF_INIT;
    enum { SHOWN = 8 };
    for (int i = 0; i < all->n && i < SHOWN; i++) {
        tc_buf_printf(&hint, "%s%d", i == 0 ? "copies stand in lines " : ", ",
                      tc_span_line(all->items[i].span));
    }
    tc_buf_puts(&hint, all->n > SHOWN ? ", ..." : "");
    tc_error(&s->diags, line->span, hint.len > 0 ? tc_buf_text(&hint) : NULL,
             "no copy stands in line %lld", (long long)line->number);
    tc_buf_free(&hint);
    return TC_FAILED;
}
