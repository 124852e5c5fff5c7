/* front_fixture.c - runs source text through the front end. */
#include "front_fixture.h"

static void fixture_diag(void *user, const tc_diag *d) {
    fixture *f = user;
    if (f->line == 0) {
        f->line = d->line;
        f->col = d->col;
        snprintf(f->message, sizeof f->message, "%s", d->message);
        snprintf(f->hint, sizeof f->hint, "%s", d->hint ? d->hint : "");
    }
}

void fixture_run(fixture *f, const char *text) {
    memset(f, 0, sizeof *f);
    f->arena = tc_arena_new();
    f->diags = (tc_diags){fixture_diag, f, 0};
    f->source = (tc_source){"<test>", text, strlen(text), 1};
    f->env = tc_env_new(f->arena);
    tc_node_list stmts;
    tc_front front = {f->arena, &f->diags, true, NULL};
    f->ok =
        tc_parse(f->arena, &f->source, &f->diags, &stmts) &&
        tc_front_run(&front, f->env, &stmts, &f->last, &f->has_value, &f->func);
    assert_int_equal(f->ok, f->diags.errors == 0);
}

void fixture_free(fixture *f) {
    tc_arena_free(f->arena);
}
