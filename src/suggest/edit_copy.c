/* edit_copy.c - edits of the copy's own statement: keywords, scope, guard,
 * operation, direction, dispatch=. */
#include "suggest/internal.h"

#include <string.h>

/* --- keyword -------------------------------------------------------------- */

static const tc_buffer *find_mbarrier(const tc_trial *t) {
    for (int i = 0; i < t->func->nbuffers; i++) {
        const tc_buffer *b = t->func->buffers[i];
        if (b->type == TC_UINT64 && tc_space_is_shared(b->space) &&
            b->name != NULL && b->rank == 1) {
            return b;
        }
    }
    return NULL;
}

/* The T.device_entry() of the function that holds the copy. */
static const tc_node *device_entry(const tc_editor *e,
                                   const tc_node_list *list) {
    const tc_node *last = NULL;
    for (int i = 0; i < list->n; i++) {
        const tc_node *n = list->items[i];
        if (n->kind == TC_N_EXPR && n->a->kind == TC_N_CALL &&
            n->a->a->kind == TC_N_ATTR &&
            strcmp(n->a->a->s, "device_entry") == 0 &&
            n->span.end <= e->call->span.begin) {
            last = n;
        } else if (n->kind == TC_N_DEF) {
            const tc_node *in = device_entry(e, &n->body);
            last = in != NULL ? in : last;
        }
    }
    return last;
}

/* Adds one keyword to the copy; *words gets what it is for. False where it
 * cannot be added. */
static bool add_keyword(tc_editor *e, tc_edit *x, const char *keyword,
                        const char **summary) {
    const tc_buffer *bar = find_mbarrier(e->t);
    const tc_node *entry = device_entry(e, &e->t->stmts);
    const char *text;
    if (strcmp(keyword, "remote_cta_id") == 0) {
        text = "remote_cta_id=T.int32(1)";
        *summary = "say which CTA of the cluster receives";
    } else if (strcmp(keyword, "mbar") != 0) {
        text = tc_format(e->a, "%s=1", keyword);
        *summary = "say how many CTAs work together";
    } else if (bar != NULL) {
        text = tc_format(e->a, "mbar=%s.ptr_to([0])", bar->name);
        *summary = "name the mbarrier that counts the bytes";
    } else if (entry != NULL) {
        text = "mbar=mbar.ptr_to([0])";
        *summary = "allocate an mbarrier that counts the bytes, and name it";
        tc_edit_patch(e, x, entry->span.end, entry->span.end,
                      "; mbar = T.alloc_buffer((1,), \"uint64\", "
                      "scope=\"shared\")");
    } else {
        return false;
    }
    *summary = tc_format(e->a, "%s: %s", *summary, text);
    tc_edit_argument(e, x, e->call, text);
    return true;
}

/* value: keywords with + between them, each of them missing. */
static void add_keywords(tc_editor *e, const char *value) {
    char *names = tc_strdup(e->a, value), *rest = names;
    tc_edit *x = tc_edit_new(e, TC_EDIT_keyword, value, value, "%s", "");
    for (char *k; (k = strsep(&rest, "+")) != NULL;) {
        const char *summary = "";
        if (tc_locate_arg(e->call, -1, k) != NULL ||
            !add_keyword(e, x, k, &summary)) {
            e->out->n--;
            return;
        }
        x->summary = *x->summary == '\0'
                         ? summary
                         : tc_format(e->a, "%s; %s", x->summary, summary);
    }
}

void tc_edits_keyword(tc_editor *e, const char *values) {
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        add_keywords(e, w);
    }
}

/* --- scope and guard ------------------------------------------------------ */

static const char *id_name(const tc_editor *e, tc_scope_id_kind kind) {
    const tc_scope_id *id = tc_locate_id(e->t, kind, NULL);
    return id != NULL && id->n == 1 && id->named[0] ? id->var[0]->name : NULL;
}

/* An if around the copy picks one value of that name. */
static bool picked(const tc_editor *e, const char *name) {
    for (int i = 0; i < e->nifs; i++) {
        const tc_node *c = e->ifs[i]->a;
        if (c->kind == TC_N_BINARY && c->op == TC_OP_EQ &&
            c->a->kind == TC_N_NAME && strcmp(c->a->s, name) == 0) {
            return true;
        }
    }
    return false;
}

static const tc_node *root_of(const tc_node *n) {
    while (n->kind == TC_N_ATTR) {
        n = n->a;
    }
    return n;
}

/* "tid == 0": of the first thread that comes to the copy. */
static const char *pick_first(const tc_editor *e, const char *name,
                              tc_scope_id_kind kind) {
    int64_t first = tc_first_thread(e->t);
    first = first < 0 ? 0 : first;
    first = kind == TC_ID_WARP        ? first / 32
            : kind == TC_ID_LANE      ? first % 32
            : kind == TC_ID_WARPGROUP ? first / 128
                                      : first;
    return tc_format(e->a, "%s == %lld", name, (long long)first);
}

static const char *scope_text(tc_arena *a, const char *value,
                              const char *callee, const char *guard) {
    static const char *const who[][2] = {
        {"cta", "all threads of the CTA copy together"},
        {"wg", "a warpgroup copies together"},
        {"warp", "a warp copies together"},
        {"thread", "each thread copies for itself"}};
    if (strcmp(value, "single") == 0) {
        return tc_format(a, "one thread copies: if %s: %s", guard, callee);
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(value, who[i][0]) == 0) {
            return tc_format(a, "%s: %s", who[i][1], callee);
        }
    }
    return callee;
}

void tc_edits_scope(tc_editor *e, const char *values) {
    static const char *const current[] = {"", "thread", "warp", "wg", "cta"};
    const tc_node *attr = e->call->a, *root = root_of(attr);
    tc_scope_level is = e->t->d->copy->scope;
    const char *tid = id_name(e, TC_ID_THREAD);
    const char *guard = tid != NULL ? pick_first(e, tid, TC_ID_THREAD) : NULL;
    if (root->kind != TC_N_NAME || is > TC_SCOPE_CTA) {
        return;
    }
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        bool single = strcmp(w, "single") == 0;
        bool bare = single || strcmp(w, "thread") == 0;
        if (strcmp(w, current[is]) == 0 || (bare && is == TC_SCOPE_THREAD) ||
            (single && (tid == NULL || picked(e, tid)))) {
            continue;
        }
        const char *prefix = bare ? tc_format(e->a, "%s.", root->s)
                                  : tc_format(e->a, "%s.%s.", root->s, w);
        const char *callee = tc_format(e->a, "%s%s", prefix, attr->s);
        tc_edit *x = tc_edit_new(e, TC_EDIT_scope, "scope", w, "%s",
                                 scope_text(e->a, w, callee, guard));
        if (single) {
            uint32_t at = e->statement->span.begin;
            tc_edit_patch(e, x, at, at, tc_format(e->a, "if %s: ", guard));
        }
        tc_edit_patch(e, x, attr->span.begin, attr->name_span.begin, prefix);
    }
}

static uint32_t line_begin(const char *text, uint32_t at) {
    while (at > 0 && text[at - 1] != '\n') {
        at--;
    }
    return at;
}

static uint32_t indent_at(const char *text, uint32_t at) {
    return at - line_begin(text, at);
}

/* Takes up to n blanks from the beginning of each line in [begin, end). */
static void dedent(tc_editor *e, tc_edit *x, uint32_t begin, uint32_t end,
                   uint32_t n) {
    const char *text = e->t->source.text;
    while (begin < end) {
        uint32_t k = 0;
        while (k < n && (text[begin + k] == ' ' || text[begin + k] == '\t')) {
            k++;
        }
        if (k > 0) {
            tc_edit_patch(e, x, begin, begin + k, "");
        }
        while (begin < end && text[begin] != '\n') {
            begin++;
        }
        begin++;
    }
}

/* Where the last statement of a block ends. */
static uint32_t block_end(const tc_node *n) {
    while (n->body.n > 0 || n->orelse.n > 0) {
        const tc_node_list *l = n->orelse.n > 0 ? &n->orelse : &n->body;
        n = l->items[l->n - 1];
    }
    return n->span.end;
}

static void remove_guard(tc_editor *e, int i) {
    const char *text = e->t->source.text;
    const tc_node *n = e->ifs[i];
    const char *site = tc_format(e->a, "if %d", i);
    uint32_t from = n->span.begin, body;
    if (n->orelse.n > 0 || n->body.n == 0) {
        return;
    }
    body = n->body.items[0]->span.begin;
    tc_edit *x =
        tc_edit_new(e, TC_EDIT_guard, site, "remove", "remove the guard: if %s",
                    tc_locate_text(e->a, e->t, n->a));
    if (memchr(text + from, '\n', body - from) == NULL) {
        tc_edit_patch(e, x, from, body, ""); /* if c: statement */
        return;
    }
    uint32_t in = indent_at(text, body), out = indent_at(text, from);
    uint32_t first = from;
    while (text[first] != '\n') {
        first++;
    }
    if (in <= out || line_begin(text, n->a->span.end) != from - out) {
        e->out->n--; /* a condition of several lines */
        return;
    }
    tc_edit_patch(e, x, from, from, "# ");
    dedent(e, x, first + 1, block_end(n), in - out);
}

void tc_edits_guard(tc_editor *e, const char *values) {
    static const struct {
        const char *value;
        tc_scope_id_kind kind;
    } ids[] = {{"warpgroup", TC_ID_WARPGROUP},
               {"warp", TC_ID_WARP},
               {"lane", TC_ID_LANE},
               {"thread", TC_ID_THREAD}};
    for (int i = e->nifs - 1; i >= 0; i--) {
        remove_guard(e, i);
    }
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        for (int i = 0; i < 4; i++) {
            const char *name =
                strcmp(w, ids[i].value) == 0 ? id_name(e, ids[i].kind) : NULL;
            if (name == NULL || picked(e, name)) {
                continue;
            }
            uint32_t at = e->statement->span.begin;
            const char *guard = pick_first(e, name, ids[i].kind);
            tc_edit *x = tc_edit_new(e, TC_EDIT_guard, "add", w,
                                     "add a guard: if %s", guard);
            tc_edit_patch(e, x, at, at, tc_format(e->a, "if %s: ", guard));
        }
    }
}

/* --- operation, direction, dispatch= -------------------------------------- */

void tc_edits_op(tc_editor *e, const char *values) {
    const tc_node *attr = e->call->a;
    for (const char *w; (w = tc_edit_value(e->a, &values)) != NULL;) {
        if (strcmp(w, attr->s) == 0) {
            continue;
        }
        bool async = strcmp(w, "copy_async") == 0;
        tc_edit *x = tc_edit_new(e, TC_EDIT_op, "op", w, "copy %s: %s.%s",
                                 async ? "asynchronously" : "synchronously",
                                 tc_locate_text(e->a, e->t, attr->a), w);
        tc_edit_patch(e, x, attr->name_span.begin, attr->name_span.end, w);
    }
}

void tc_edits_direction(tc_editor *e, const char *values) {
    const tc_node *dst = tc_locate_arg(e->call, 0, "dst");
    const tc_node *src = tc_locate_arg(e->call, 1, "src");
    if (dst == NULL || src == NULL) {
        return;
    }
    const tc_copy *c = e->t->d->copy;
    tc_edit *x = tc_edit_new(e, TC_EDIT_direction, "direction", values,
                             "copy the other way: from %s to %s",
                             c->dst.buffer->name, c->src.buffer->name);
    tc_edit_patch(e, x, dst->span.begin, dst->span.end,
                  tc_locate_text(e->a, e->t, src));
    tc_edit_patch(e, x, src->span.begin, src->span.end,
                  tc_locate_text(e->a, e->t, dst));
}

void tc_edits_force(tc_editor *e, const char *values) {
    const tc_node *is = tc_locate_arg(e->call, 3, values);
    const char *name = tc_variants[e->goal].name;
    tc_edit *x = tc_edit_new(e, TC_EDIT_force, "dispatch", name,
                             "ask for it by name: dispatch=\"%s\"", name);
    if (is != NULL) {
        tc_edit_patch(e, x, is->span.begin, is->span.end,
                      tc_format(e->a, "\"%s\"", name));
    } else {
        tc_edit_argument(e, x, e->call,
                         tc_format(e->a, "dispatch=\"%s\"", name));
    }
}
