/* stmt.c - the body of a function, and the directives of debugging. */
#include "ptx/internal.h"

#include <string.h>

/* A number of .loc and .file; reports anything else. */
static bool number(tc_ptx_parser *p, const char *of, uint32_t *out) {
    if (p->tok.kind != TC_TK_INT || p->tok.value > INT32_MAX) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected a number of %s, found %s", of,
                           tc_ptx_token_text(p));
    }
    *out = (uint32_t)p->tok.value;
    tc_ptx_advance(p);
    return true;
}

bool tc_ptx_file_directive(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    uint32_t index, ignored;
    tc_span span = tc_ptx_here(p);
    if (!number(p, ".file", &index)) {
        return false;
    }
    if (index > UINT16_MAX) {
        return tc_ptx_fail(p, span, NULL, ".file %u: at most %d", index,
                           UINT16_MAX);
    }
    if (p->tok.kind != TC_TK_STRING) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected the name of a file, found %s",
                           tc_ptx_token_text(p));
    }
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    bool closed = n.len >= 2; /* an open string was reported */
    const char *name = tc_strndup(p->arena, n.text + 1, closed ? n.len - 2 : 0);
    tc_ptx_advance(p);
    while ((uint32_t)p->m->nfiles <= index) {
        TC_PUSH(p->arena, p->m->files, p->m->nfiles, p->filecap, NULL);
    }
    p->m->files[index] = name;
    while (tc_ptx_accept(p, ',')) { /* time stamp and size */
        if (!number(p, ".file", &ignored)) {
            return false;
        }
    }
    return true;
}

/* One more source location of the module. */
static uint32_t add_loc(tc_ptx_parser *p, tc_ptx_loc l) {
    tc_ptx_module *m = p->m;
    if (m->nlocs == 0) {
        TC_PUSH(p->arena, m->locs, m->nlocs, p->loccap, (tc_ptx_loc){0});
    }
    TC_PUSH(p->arena, m->locs, m->nlocs, p->loccap, l);
    return (uint32_t)m->nlocs - 1;
}

/* The location of a call that inlined_at names. The compiler gives a .loc to
 * each call of a chain before the .loc of what was inlined, so the newest of
 * this function that names the location is meant; it tells where that call was
 * inlined in turn. */
static uint32_t call_site(tc_ptx_parser *p, tc_ptx_loc call) {
    enum { REMEMBERED = 4096 };
    const tc_ptx_loc *l = p->m->locs;
    for (int i = p->m->nlocs - 1, n = 0;
         i > 0 && i >= (int)p->first_loc && n < REMEMBERED; i--, n++) {
        if (l[i].line == call.line && l[i].col == call.col &&
            l[i].file == call.file) {
            return (uint32_t)i;
        }
    }
    return add_loc(p, call);
}

/* The three numbers of a location. */
static bool location(tc_ptx_parser *p, tc_ptx_loc *l) {
    uint32_t file;
    tc_span span = tc_ptx_here(p);
    if (!number(p, ".loc", &file) || !number(p, ".loc", &l->line) ||
        !number(p, ".loc", &l->col)) {
        return false;
    }
    if (file > UINT16_MAX) {
        return tc_ptx_fail(p, span, NULL, ".loc of a file above %d",
                           UINT16_MAX);
    }
    l->file = (uint16_t)file;
    return true;
}

/* , function_name LABEL[+N], inlined_at FILE LINE COLUMN (PTX ISA 11.5.3) */
static bool inlined(tc_ptx_parser *p, tc_ptx_loc *l) {
    tc_ptx_advance(p);
    bool named = p->tok.kind == TC_TK_IDENT &&
                 tc_ptx_name_is(tc_ptx_text(p, &p->tok), "function_name");
    if (!named) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected 'function_name', found %s",
                           tc_ptx_token_text(p));
    }
    tc_ptx_advance(p);
    tc_ptx_advance(p); /* its label */
    if (tc_ptx_accept(p, '+')) {
        tc_ptx_advance(p);
    }
    if (!tc_ptx_expect(p, ',', "function_name")) {
        return false;
    }
    if (p->tok.kind != TC_TK_IDENT ||
        !tc_ptx_name_is(tc_ptx_text(p, &p->tok), "inlined_at")) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected 'inlined_at', found %s",
                           tc_ptx_token_text(p));
    }
    tc_ptx_advance(p);
    tc_ptx_loc call = {0};
    if (!location(p, &call)) {
        return false;
    }
    l->parent = call_site(p, call);
    return true;
}

bool tc_ptx_loc_directive(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    tc_ptx_loc l = {0};
    if (!location(p, &l) || (tc_ptx_is(p, ',') && !inlined(p, &l))) {
        return false;
    }
    p->loc_now = add_loc(p, l);
    enum { DEEPEST = 256 };
    const tc_ptx_loc *call = &l;
    for (int i = 0; call->parent != 0 && i < DEEPEST; i++) {
        call = &p->m->locs[call->parent]; /* it stands before */
    }
    p->line_now = l.line;
    p->file_now = l.file;
    p->call_line = call->line;
    p->call_file = call->file;
    return true;
}

bool tc_ptx_section(tc_ptx_parser *p) {
    while (p->tok.kind != TC_TK_END && !tc_ptx_is(p, '{')) {
        if (tc_ptx_is(p, ';') || tc_ptx_is(p, '}')) {
            return tc_ptx_expect(p, '{', "a section's name");
        }
        tc_ptx_advance(p);
    }
    if (p->tok.kind == TC_TK_END) {
        return tc_ptx_expect(p, '{', "a section's name");
    }
    return tc_ptx_skip_braces(p);
}

/* @p or @!p */
static bool read_guard(tc_ptx_parser *p, int16_t *guard, bool *neg) {
    if (!tc_ptx_accept(p, '@')) {
        return true;
    }
    *neg = tc_ptx_accept(p, '!');
    tc_ptx_parsed o = {0};
    tc_span span = tc_ptx_here(p);
    if (!tc_ptx_parse_operand(p, &o)) {
        return false;
    }
    if (o.o.kind == TC_PO_LABEL) {
        return tc_ptx_unknown_name(p, o.name, span);
    }
    if (o.o.kind != TC_PO_PRED || o.o.neg) {
        return tc_ptx_fail(p, span, NULL,
                           "a guard is a predicate register: @%%p1 or @!%%p1");
    }
    *guard = (int16_t)o.o.slot;
    return true;
}

static bool directive(tc_ptx_parser *p) {
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    tc_ptx_space space;
    if (tc_ptx_name_is(n, ".reg")) {
        return tc_ptx_registers(p);
    }
    if (tc_ptx_name_is(n, ".loc")) {
        return tc_ptx_loc_directive(p);
    }
    if (tc_ptx_name_is(n, ".file")) {
        return tc_ptx_file_directive(p);
    }
    if (tc_ptx_name_is(n, ".section")) {
        return tc_ptx_section(p);
    }
    if (tc_ptx_space_by_name(n, &space)) {
        return tc_ptx_variables(p, space, false);
    }
    if (tc_ptx_name_is(n, ".extern")) {
        tc_ptx_advance(p);
        if (p->tok.kind == TC_TK_DOT &&
            tc_ptx_space_by_name(tc_ptx_text(p, &p->tok), &space)) {
            return tc_ptx_variables(p, space, true);
        }
    }
    if (tc_ptx_name_is(n, ".pragma")) {
        tc_ptx_advance(p);
        while (p->tok.kind == TC_TK_STRING || tc_ptx_is(p, ',')) {
            p->nounroll |=
                memmem(p->source->text + p->tok.begin,
                       p->tok.end - p->tok.begin, "nounroll", 8) != NULL;
            tc_ptx_advance(p);
        }
        return tc_ptx_expect(p, ';', ".pragma");
    }
    static const char *const labelled[] = {".branchtargets", ".calltargets",
                                           ".callprototype"};
    for (int i = 0; i < 3; i++) {
        if (tc_ptx_name_is(n, labelled[i])) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "directive '%s' wants a label before it",
                               labelled[i]);
        }
    }
    return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                       "'%.*s' does not belong in a function", (int)n.len,
                       n.text);
}

static bool statement(tc_ptx_parser *p) {
    if (p->tok.kind == TC_TK_DOT) {
        return directive(p);
    }
    if (p->tok.kind == TC_TK_IDENT && p->next.kind == TC_TK_PUNCT &&
        p->next.punct == ':') {
        tc_ptx_name n = tc_ptx_text(p, &p->tok);
        tc_span span = tc_ptx_here(p);
        tc_ptx_advance(p);
        tc_ptx_advance(p);
        if (tc_ptx_is_dot(p, ".branchtargets") ||
            tc_ptx_is_dot(p, ".calltargets") ||
            tc_ptx_is_dot(p, ".callprototype")) {
            return tc_ptx_table_directive(p, n, span);
        }
        return tc_ptx_add_label(p, n, span);
    }
    int16_t guard = -1;
    bool neg = false;
    if (!read_guard(p, &guard, &neg)) {
        return false;
    }
    if (p->tok.kind != TC_TK_IDENT) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected an instruction, found %s",
                           tc_ptx_token_text(p));
    }
    return tc_ptx_instruction(p, guard, neg);
}

static bool open_block(tc_ptx_parser *p, int *depth) {
    if (++*depth > TC_PTX_MAX_DEPTH) {
        tc_ptx_fail(p, tc_ptx_here(p), NULL, "blocks nested more than %d deep",
                    TC_PTX_MAX_DEPTH);
        p->stop = true;
        return false;
    }
    tc_ptx_advance(p);
    tc_ptx_push_scope(p);
    return true;
}

/* Falling off the end of a function ends it, as ret does. */
static void end_body(tc_ptx_parser *p) {
    const tc_ptx_func *f = &p->m->funcs[p->func];
    const tc_ptx_op *last =
        p->m->ncode > f->begin ? &p->m->code[p->m->ncode - 1] : NULL;
    bool ends = last != NULL && last->guard < 0 && !p->label_at_end &&
                (last->opcode == TC_PTX_RET || last->opcode == TC_PTX_EXIT);
    if (!ends) {
        tc_ptx_new_op(p, &p->tok)->opcode = TC_PTX_RET;
    }
}

bool tc_ptx_body(tc_ptx_parser *p) {
    tc_span open = tc_ptx_here(p);
    int depth = 0;
    if (!open_block(p, &depth)) {
        return false;
    }
    while (depth > 0 && !p->stop) {
        if (p->tok.kind == TC_TK_END) {
            tc_ptx_fail(p, open, NULL, "this '{' has no '}'");
            p->stop = true;
        } else if (tc_ptx_is(p, '{')) {
            open_block(p, &depth);
        } else if (tc_ptx_is(p, '}')) {
            if (--depth == 0) {
                end_body(p);
            }
            tc_ptx_pop_scope(p);
            tc_ptx_advance(p);
        } else if (!statement(p)) {
            tc_ptx_skip_statement(p);
        }
    }
    for (; depth > 0; depth--) {
        p->scope = p->scope->parent;
    }
    return !p->stop;
}
