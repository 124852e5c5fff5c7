/* parse.c - a module: its header, functions and variables (PTX ISA 11). */
#include "base/target.h"
#include "ptx/internal.h"

#include <stdlib.h>
#include <string.h>

static bool word_is(const tc_ptx_parser *p, const char *word) {
    return p->tok.kind == TC_TK_IDENT &&
           tc_ptx_name_is(tc_ptx_text(p, &p->tok), word);
}

/* What 9.1 to 9.4 add is refused where it is used: nothing that is known here has
 * changed in them. */
enum { NEWEST = 94 };

/* .version 9.0; the lexer reads a decimal number. */
static bool version(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    bool ten = n.len == 4 && n.text[2] == '.'; /* 10.0 */
    bool shape =
        p->tok.kind == TC_TK_FLOAT && (ten || (n.len == 3 && n.text[1] == '.'));
    if (!shape || p->saw_version) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           p->saw_version ? ".version a second time"
                                          : ".version wants a number such as "
                                            "9.0");
    }
    for (uint32_t i = 0; i < n.len; i++) {
        int digit = n.text[i] - '0';
        p->m->version =
            n.text[i] == '.' ? p->m->version : p->m->version * 10 + digit;
    }
    if (p->m->version > NEWEST) {
        tc_diag_report(
            p->diags, TC_NOTE, tc_ptx_here(p), NULL,
            "PTX %.*s is newer than what is known here, %d.%d: what it "
            "has more is refused",
            (int)n.len, n.text, NEWEST / 10, NEWEST % 10);
    }
    if (p->m->version < 60) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "PTX %.3s is too old: 6.0 and later are read",
                           n.text);
    }
    p->saw_version = true;
    tc_ptx_advance(p);
    return true;
}

/* The target with the number that is nearest. */
static int near_target(int sm) {
    int best = 0;
    for (int i = 1; i < TC_TARGETS; i++) {
        if (abs(tc_targets[i].sm - sm) <= abs(tc_targets[best].sm - sm)) {
            best = i;
        }
    }
    return tc_targets[best].sm;
}

/* Is there such a target, and has it that form? */
static bool known_target(tc_ptx_parser *p, tc_ptx_name n, int sm, char suffix) {
    const tc_target *t = tc_target_find(sm);
    if (t == NULL) {
        return tc_ptx_fail(
            p, tc_ptx_here(p),
            tc_format(p->arena, ".target sm_%d", near_target(sm)),
            "there is no target '%.*s' in PTX 9.0", (int)n.len, n.text);
    }
    return suffix == 0 || (suffix == 'a' ? t->version_a : t->version_f) != 0 ||
           tc_ptx_fail(p, tc_ptx_here(p),
                       tc_format(p->arena, ".target sm_%d%s", sm,
                                 t->version_a != 0 ? "a" : ""),
                       "there is no target '%.*s': sm_%d has no form with "
                       "'%c'",
                       (int)n.len, n.text, sm, suffix);
}

/* sm_90a: its number and suffix. */
static bool target_sm(tc_ptx_parser *p, tc_ptx_name n) {
    int sm = 0;
    uint32_t i = 3;
    for (; i < n.len && i < 7 && n.text[i] >= '0' && n.text[i] <= '9'; i++) {
        sm = sm * 10 + (n.text[i] - '0');
    }
    bool suffix = i + 1 == n.len && (n.text[i] == 'a' || n.text[i] == 'f');
    if (i == 3 || sm == 0 || !(i == n.len || suffix)) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "'%.*s' is no target such as sm_90 or sm_90a",
                           (int)n.len, n.text);
    }
    p->m->sm = sm;
    p->m->sm_suffix = suffix ? n.text[i] : 0;
    p->saw_target = true;
    return known_target(p, n, sm, p->m->sm_suffix);
}

static bool target(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    do {
        tc_ptx_name n = tc_ptx_text(p, &p->tok);
        if (p->tok.kind != TC_TK_IDENT) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               ".target wants a name such as sm_90");
        }
        if (n.len > 3 && memcmp(n.text, "sm_", 3) == 0) {
            if (!target_sm(p, n)) {
                return false;
            }
        } else if (!word_is(p, "debug") && !word_is(p, "texmode_unified") &&
                   !word_is(p, "texmode_independent")) {
            return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                               "unknown .target '%.*s'", (int)n.len, n.text);
        }
        tc_ptx_advance(p);
    } while (tc_ptx_accept(p, ','));
    return true;
}

static bool address_size(tc_ptx_parser *p) {
    tc_ptx_advance(p);
    if (p->tok.kind != TC_TK_INT || p->tok.value != 64) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "only .address_size 64 is built");
    }
    tc_ptx_advance(p);
    return true;
}

/* Up to n numbers after a directive; the rest of out is 1. */
static bool numbers(tc_ptx_parser *p, uint32_t *out, int n) {
    tc_ptx_advance(p);
    for (int i = 0; i < n; i++) {
        out[i] = 1;
    }
    for (int i = 0; i < n; i++) {
        int64_t v = 0;
        tc_span span = tc_ptx_here(p);
        if (!tc_ptx_parse_integer(p, &v)) {
            return false;
        }
        if (v < 1 || v > INT32_MAX) {
            return tc_ptx_fail(p, span, NULL, "%lld is out of range here",
                               (long long)v);
        }
        out[i] = (uint32_t)v;
        if (i + 1 == n || !tc_ptx_accept(p, ',')) {
            break;
        }
    }
    return true;
}

/* Directives between the parameters and the body (PTX ISA 11.4, 11.8). */
static bool tuning(tc_ptx_parser *p, tc_ptx_func *f) {
    uint32_t ignored;
    if (tc_ptx_is_dot(p, ".maxntid")) {
        return numbers(p, f->maxntid, 3);
    }
    if (tc_ptx_is_dot(p, ".reqntid")) {
        return numbers(p, f->reqntid, 3);
    }
    if (tc_ptx_is_dot(p, ".reqnctapercluster")) {
        return numbers(p, f->reqcluster, 3);
    }
    if (tc_ptx_is_dot(p, ".minnctapersm")) {
        return numbers(p, &f->minnctapersm, 1);
    }
    if (tc_ptx_is_dot(p, ".maxnreg") || tc_ptx_is_dot(p, ".maxnctapersm") ||
        tc_ptx_is_dot(p, ".maxclusterrank")) {
        return numbers(p, &ignored, 1);
    }
    if (tc_ptx_is_dot(p, ".blocksareclusters")) {
        f->grid_of_clusters = true;
        tc_ptx_advance(p);
        return true;
    }
    if (tc_ptx_is_dot(p, ".explicitcluster") || tc_ptx_is_dot(p, ".noreturn")) {
        f->explicit_cluster |= tc_ptx_is_dot(p, ".explicitcluster");
        f->noreturn |= tc_ptx_is_dot(p, ".noreturn");
        tc_ptx_advance(p);
        return true;
    }
    if (tc_ptx_is_dot(p, ".pragma")) {
        tc_ptx_advance(p);
        while (p->tok.kind == TC_TK_STRING || tc_ptx_is(p, ',')) {
            tc_ptx_advance(p);
        }
        return tc_ptx_expect(p, ';', ".pragma");
    }
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                       "directive '%.*s' of a function is not built",
                       (int)n.len, n.text);
}

/* Declares the function's name; false when it has a body already. */
static bool declare_function(tc_ptx_parser *p, tc_ptx_func *f) {
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    tc_span span = tc_ptx_here(p);
    if (p->tok.kind != TC_TK_IDENT) {
        return tc_ptx_fail(p, span, NULL,
                           "expected the name of a function, found %s",
                           tc_ptx_token_text(p));
    }
    f->name = tc_ptx_dup(p, n);
    tc_ptx_advance(p);
    tc_ptx_block *module = p->scope->parent;
    tc_ptx_entry *e = tc_ptx_map_find(&module->names, n);
    if (e == NULL) {
        e = tc_ptx_map_add(p->arena, &module->names, n);
        e->kind = TC_PE_FUNC;
    } else {
        const tc_ptx_func *old = &p->m->funcs[e->index];
        if (e->kind != TC_PE_FUNC || old->end > old->begin) {
            return tc_ptx_fail(p, span, NULL, "'%s' is declared twice",
                               f->name);
        }
    }
    e->index = (uint32_t)p->func;
    return true;
}

/* .entry and .func, in their own block. */
static bool function_rest(tc_ptx_parser *p, bool *has_body) {
    tc_ptx_func *f = &p->m->funcs[p->func];
    if (!f->entry && tc_ptx_is(p, '(') && !tc_ptx_params(p, f, true)) {
        return false;
    }
    if (!declare_function(p, f)) {
        return false;
    }
    if (tc_ptx_is(p, '(') && !tc_ptx_params(p, f, false)) {
        return false;
    }
    while (p->tok.kind == TC_TK_DOT) {
        if (!tuning(p, f)) {
            return false;
        }
    }
    if (tc_ptx_accept(p, ';')) {
        return true;
    }
    if (!tc_ptx_is(p, '{')) {
        return tc_ptx_expect(p, '{', "the head of a function");
    }
    *has_body = true;
    p->line_now = p->call_line = p->call_file = p->file_now = 0;
    p->loc_now = 0;
    p->first_loc = (uint32_t)p->m->nlocs;
    f->begin = p->m->ncode;
    bool ok = tc_ptx_body(p);
    f->end = p->m->ncode;
    return ok;
}

static bool function(tc_ptx_parser *p) {
    tc_ptx_func f = {.entry = tc_ptx_is_dot(p, ".entry")};
    tc_ptx_advance(p);
    TC_PUSH(p->arena, p->m->funcs, p->m->nfuncs, p->fcap, f);
    p->func = p->m->nfuncs - 1;
    tc_ptx_block *outside = p->scope;
    tc_ptx_push_scope(p);
    bool has_body = false;
    bool ok = function_rest(p, &has_body);
    p->scope = outside;
    p->func = -1;
    if (!ok && !p->stop && !has_body) { /* its body would only confuse */
        while (p->tok.kind != TC_TK_END && !tc_ptx_is(p, '{') &&
               !tc_ptx_is(p, ';')) {
            tc_ptx_advance(p);
        }
        if (tc_ptx_is(p, '{')) {
            tc_ptx_skip_braces(p);
        } else {
            tc_ptx_accept(p, ';');
        }
    }
    return true; /* what was wrong is reported, and passed */
}

/* The labels of a function's branches are settled when its outermost block of
 * braces ends; that block's parent holds the parameters. */
static bool top_level(tc_ptx_parser *p) {
    bool is_extern = false;
    while (tc_ptx_is_dot(p, ".visible") || tc_ptx_is_dot(p, ".extern") ||
           tc_ptx_is_dot(p, ".weak") || tc_ptx_is_dot(p, ".common")) {
        is_extern |= tc_ptx_is_dot(p, ".extern");
        tc_ptx_advance(p);
    }
    tc_ptx_space space;
    if (p->tok.kind != TC_TK_DOT) {
        return tc_ptx_fail(p, tc_ptx_here(p), NULL,
                           "expected a directive such as .entry, found %s",
                           tc_ptx_token_text(p));
    }
    tc_ptx_name n = tc_ptx_text(p, &p->tok);
    if (tc_ptx_name_is(n, ".version")) {
        return version(p);
    }
    if (tc_ptx_name_is(n, ".target")) {
        return target(p);
    }
    if (tc_ptx_name_is(n, ".address_size")) {
        return address_size(p);
    }
    if (tc_ptx_name_is(n, ".entry") || tc_ptx_name_is(n, ".func")) {
        return function(p);
    }
    if (tc_ptx_name_is(n, ".file")) {
        return tc_ptx_file_directive(p);
    }
    if (tc_ptx_name_is(n, ".loc")) {
        return tc_ptx_loc_directive(p);
    }
    if (tc_ptx_name_is(n, ".section")) {
        return tc_ptx_section(p);
    }
    if (tc_ptx_name_is(n, ".pragma")) {
        tc_ptx_skip_statement(p);
        return true;
    }
    if (tc_ptx_name_is(n, ".alias")) {
        return tc_ptx_alias(p);
    }
    if (tc_ptx_space_by_name(n, &space)) {
        return tc_ptx_variables(p, space, is_extern);
    }
    static const char *const known[] = {
        ".version", ".target",  ".address_size", ".entry",  ".func",  ".file",
        ".loc",     ".section", ".global",       ".shared", ".const", ".extern",
        ".visible", ".weak",    ".pragma",       ".common", ".alias"};
    const char *near = tc_diag_nearest(tc_ptx_dup(p, n), known, 17);
    return tc_ptx_fail(
        p, tc_ptx_here(p),
        near ? tc_format(p->arena, "did you mean '%s'?", near) : NULL,
        "directive '%.*s' is not known or not built", (int)n.len, n.text);
}

tc_ptx_module *tc_ptx_parse(tc_arena *a, const tc_source *source,
                            tc_diags *diags) {
    tc_ptx_parser p = {
        .arena = a, .source = source, .diags = diags, .func = -1};
    p.m = TC_NEW(a, tc_ptx_module);
    p.m->source = source;
    if (source->len >= (uint32_t)INT32_MAX) {
        tc_error(diags, TC_NOWHERE, NULL, "this PTX is 2 GiB or more");
        return NULL;
    }
    tc_ptx_push_scope(&p);
    tc_ptx_lex_start(&p);
    while (p.tok.kind != TC_TK_END && !p.stop) {
        uint32_t before = p.tok.begin;
        if (!top_level(&p)) {
            tc_ptx_skip_statement(&p);
            if (p.tok.begin == before || tc_ptx_is(&p, '}')) {
                tc_ptx_advance(&p);
            }
        }
    }
    tc_span start = {source, 0, 0};
    if (p.errors == 0 && !p.saw_version) {
        tc_ptx_fail(&p, start, NULL, "this PTX has no .version");
    } else if (p.errors == 0 && !p.saw_target) {
        tc_ptx_fail(&p, start, NULL, "this PTX has no .target");
    } else if (p.errors == 0) {
        tc_ptx_link(&p);
    }
    if (p.errors > 0) {
        return NULL;
    }
    tc_ptx_layout(&p);
    return p.m;
}

const tc_ptx_func *tc_ptx_find_entry(const tc_ptx_module *m, const char *name) {
    for (int i = 0; i < m->nfuncs; i++) {
        const tc_ptx_func *f = &m->funcs[i];
        if (f->entry && f->end > f->begin && strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}
