/* locate.c - where the things that edits change stand in the text. */
#include "suggest/internal.h"

#include <string.h>

static bool holds(const tc_node *n, tc_span s) {
    return n != NULL && n->span.begin <= s.begin && s.end <= n->span.end;
}

static const tc_node *call_in(const tc_node *n, tc_span span);

static const tc_node *call_in_list(const tc_node_list *list, tc_span span) {
    for (int i = 0; i < list->n; i++) {
        const tc_node *found = call_in(list->items[i], span);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* The parser bounds nesting, and so this. */
static const tc_node *call_in(const tc_node *n, tc_span span) {
    if (n == NULL) {
        return NULL;
    }
    bool block = n->body.n > 0; /* its span ends with its header */
    if (!block && !holds(n, span)) {
        return NULL;
    }
    if (n->kind == TC_N_CALL && n->span.begin == span.begin &&
        n->span.end == span.end) {
        return n;
    }
    const tc_node *const parts[] = {n->a, n->b, n->c};
    for (int i = 0; i < 3; i++) {
        const tc_node *found = call_in(parts[i], span);
        if (found != NULL) {
            return found;
        }
    }
    for (int i = 0; i < n->nkwargs; i++) {
        const tc_node *found = call_in(n->kwargs[i].value, span);
        if (found != NULL) {
            return found;
        }
    }
    const tc_node_list *const lists[] = {&n->items, &n->body, &n->orelse};
    for (int i = 0; i < 3; i++) {
        const tc_node *found = call_in_list(lists[i], span);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const tc_node *tc_locate_call(const tc_node_list *stmts, tc_span span) {
    return call_in_list(stmts, span);
}

/* --- the copy ------------------------------------------------------------- */

/* Walks statements down to the one whose expression is the call. */
static bool find_statement(tc_editor *e, const tc_node_list *list) {
    for (int i = 0; i < list->n; i++) {
        const tc_node *n = list->items[i];
        int before = e->nifs;
        if (n->kind == TC_N_EXPR && n->a == e->call) {
            e->statement = n;
            return true;
        }
        if (n->kind == TC_N_IF) {
            TC_PUSH(e->a, e->ifs, e->nifs, e->ifs_cap, n);
        }
        if (find_statement(e, &n->body) || find_statement(e, &n->orelse)) {
            return true;
        }
        e->nifs = before;
    }
    return false;
}

bool tc_locate_copy(tc_editor *e) {
    e->call = tc_locate_call(&e->t->stmts, e->t->d->span);
    return e->call != NULL && e->call->a->kind == TC_N_ATTR &&
           find_statement(e, &e->t->stmts);
}

const tc_node *tc_locate_arg(const tc_node *call, int position,
                             const char *keyword) {
    if (position >= 0 && position < call->items.n) {
        const tc_node *n = call->items.items[position];
        return n->kind == TC_N_STAR ? NULL : n;
    }
    for (int i = 0; i < call->nkwargs; i++) {
        if (call->kwargs[i].name != NULL &&
            strcmp(call->kwargs[i].name, keyword) == 0) {
            return call->kwargs[i].value;
        }
    }
    return NULL;
}

const char *tc_locate_text(tc_arena *a, const tc_trial *t, const tc_node *n) {
    return tc_strndup(a, t->source.text + n->span.begin,
                      n->span.end - n->span.begin);
}

/* --- declarations --------------------------------------------------------- */

const tc_node *tc_locate_buffer(const tc_trial *t, const tc_buffer *b) {
    if (b->span.source != &t->source) {
        return NULL;
    }
    return tc_locate_call(&t->stmts, b->span);
}

static const tc_stmt *id_in(const tc_block *block, tc_scope_id_kind kind) {
    for (const tc_stmt *s = block->first; s != NULL; s = s->next) {
        if (s->kind == TC_S_SCOPE_ID && s->id->kind == kind) {
            return s;
        }
        const tc_stmt *found = id_in(&s->body, kind);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

const tc_scope_id *tc_locate_id(const tc_trial *t, tc_scope_id_kind kind,
                                const tc_node **call) {
    const tc_stmt *s = id_in(&t->func->body, kind);
    if (s == NULL) {
        return NULL;
    }
    if (call != NULL) {
        *call = tc_locate_call(&t->stmts, s->span);
    }
    return s->id;
}

/* Where the last argument of a call ends; 0: it has none. */
static uint32_t last_end(const tc_node *call) {
    uint32_t end = 0;
    for (int i = 0; i < call->items.n; i++) {
        uint32_t at = call->items.items[i]->span.end;
        end = at > end ? at : end;
    }
    for (int i = 0; i < call->nkwargs; i++) {
        uint32_t at = call->kwargs[i].value->span.end;
        end = at > end ? at : end;
    }
    return end;
}

/* The place behind a comma that ends the arguments, or 0. Comments may follow
 * the last one. */
static uint32_t behind_comma(const tc_editor *e, const tc_node *call) {
    uint32_t at = last_end(call), close = call->span.end - 1;
    const char *text = e->t->source.text;
    while (at > 0 && at < close && text[at] != ',') {
        at += text[at] == '#' ? (uint32_t)strcspn(text + at, "\n") : 1;
    }
    return at > 0 && at < close ? at + 1 : 0;
}

void tc_edit_argument(tc_editor *e, tc_edit *x, const tc_node *call,
                      const char *text) {
    uint32_t at = call->span.end - 1; /* the closing bracket */
    uint32_t comma = behind_comma(e, call);
    bool any = call->items.n + call->nkwargs > 0;
    if (comma != 0) {
        tc_edit_patch(e, x, comma, comma, tc_format(e->a, " %s,", text));
        return;
    }
    tc_edit_patch(e, x, at, at, tc_format(e->a, "%s%s", any ? ", " : "", text));
}
