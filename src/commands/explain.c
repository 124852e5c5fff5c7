/* explain.c - `explain`: the terms of the field that our output uses. */
#include "commands/course.h"
#include "commands/lesson.h"

#include "course/glossary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tc_explain_names(void (*fn)(void *user, const char *name), void *user) {
    tc_glossary *g = tc_glossary_read();
    for (int i = 0; i < g->n; i++) {
        fn(user, g->items[i].term);
    }
    tc_glossary_free(g);
}

/* The terms of a page, with commas, and the page's title above them. */
static void list_page(tc_session *s, const tc_glossary *g, int first,
                      tc_reply *r) {
    const char *page = g->items[first].page;
    tc_buf terms = TC_BUF_INIT;
    for (int i = first; i < g->n && strcmp(g->items[i].page, page) == 0; i++) {
        tc_buf_printf(&terms, "%s%s", i > first ? ", " : "", g->items[i].term);
    }
    tc_buf_printf(&r->text, "%s\n  ", page);
    tc_describe_wrapped(&r->text, tc_buf_text(&terms), 2, 2, s->options.width);
    tc_buf_free(&terms);
}

static void list(tc_session *s, const tc_glossary *g, tc_reply *r) {
    json_t *terms = json_array();
    for (int i = 0; i < g->n; i++) {
        const tc_glossary_entry *e = &g->items[i];
        if (i == 0 || strcmp(e->page, e[-1].page) != 0) {
            list_page(s, g, i, r);
        }
        json_array_append_new(
            terms, json_pack("{s:s,s:s}", "term", e->term, "page", e->page));
    }
    tc_buf_puts(&r->text, g->n > 0 ? "`explain TERM` says what one is.\n"
                                   : "No glossary was found.\n");
    r->json = json_pack("{s:o}", "terms", terms);
}

bool tc_explain_answer(tc_session *s, const char *term, tc_reply *r) {
    tc_glossary *g = tc_glossary_read();
    const tc_glossary_entry *e = tc_glossary_find(g, term);
    if (e != NULL) {
        tc_markdown_style style = tc_course_style(s);
        size_t from = r->text.len;
        tc_buf_printf(&r->text, "%s%s%s%s\n\n", e->term,
                      e->also[0] != '\0' ? " (" : "", e->also,
                      e->also[0] != '\0' ? ")" : "");
        for (cmark_node *n = e->first; n != NULL && n != e->end;
             n = cmark_node_next(n)) {
            tc_markdown_block(&r->text, n, &style);
        }
        r->text.data[--r->text.len] = '\0'; /* one new line at the end */
        r->json = json_pack("{s:s,s:s,s:s,s:s,s:s}", "term", e->term, "also",
                            e->also, "page", e->page, "source", e->source,
                            "text", r->text.data + from);
    }
    tc_glossary_free(g);
    return e != NULL;
}

tc_status tc_cmd_explain(tc_session *s, const tc_command_args *args,
                         tc_reply *r) {
    const tc_command_value *term = tc_value_of(args, "TERM");
    if (term == NULL) {
        tc_glossary *g = tc_glossary_read();
        list(s, g, r);
        tc_glossary_free(g);
        return TC_OK;
    }
    if (tc_explain_answer(s, term->text, r)) {
        return TC_OK;
    }
    tc_glossary *g = tc_glossary_read();
    const char *near = tc_glossary_nearest(g, term->text);
    char hint[128] = "`explain` lists the terms";
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    }
    tc_error(&s->diags, term->span, hint, "no entry is called '%s'",
             term->text);
    tc_glossary_free(g);
    return TC_FAILED;
}
