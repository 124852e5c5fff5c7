/* front_fixture.h - runs source text through the front end for a test. */
#ifndef TC_TESTS_FRONT_FIXTURE_H
#define TC_TESTS_FRONT_FIXTURE_H

#include "front/front.h"
#include "lang/ast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
    tc_arena *arena;
    tc_diags diags;
    tc_source source;
    tc_env *env;
    tc_func *func;
    tc_value last;
    bool ok, has_value;
    int line, col; /* of the first error */
    char message[512], hint[256];
} fixture;

static inline void fixture_diag(void *user, const tc_diag *d) {
    fixture *f = user;
    if (f->line == 0) {
        f->line = d->line;
        f->col = d->col;
        snprintf(f->message, sizeof f->message, "%s", d->message);
        snprintf(f->hint, sizeof f->hint, "%s", d->hint ? d->hint : "");
    }
}

static inline void fixture_run(fixture *f, const char *text) {
    memset(f, 0, sizeof *f);
    f->arena = tc_arena_new();
    f->diags = (tc_diags){fixture_diag, f, 0};
    f->source = (tc_source){"<test>", text, strlen(text), 1};
    f->env = tc_env_new(f->arena);
    tc_node_list stmts;
    tc_front front = {f->arena, &f->diags, true};
    f->ok =
        tc_parse(f->arena, &f->source, &f->diags, &stmts) &&
        tc_front_run(&front, f->env, &stmts, &f->last, &f->has_value, &f->func);
    assert_int_equal(f->ok, f->diags.errors == 0);
}

static inline void fixture_free(fixture *f) {
    tc_arena_free(f->arena);
}

#endif
