/* search.c - the search for the smallest edits.
 *
 * Every single edit that can mend a failed check is tried: this says which
 * checks each one mends. Pairs are then made only of edits that between them
 * mend all, as far as known; so are triples. What is found is proved: every
 * candidate is read and dispatched. */
#include "suggest/search.h"

#include <string.h>

typedef struct edit_search {
    tc_arena *a;
    const tc_suggest_input *in;
    const tc_suggest_input *origin; /* before `first` was made; or the same */
    const tc_edit *first;           /* that the other edits follow, or NULL */
    tc_suggestions *out;
    tc_trial base;
    tc_result base_r;
    tc_check_names names;
    tc_edit_list edits; /* of the program as it is */
    tc_result *r;       /* what each leads to */
    const char **text;  /* of each, or NULL where not tried */
    size_t *len;
    bool shrink; /* edits that shrink the region are allowed */
    int budget;
    const char *sites[TC_SUGGESTIONS]; /* of what was found */
} edit_search;

static bool stopped(const edit_search *s) {
    return s->budget <= 0 || s->out->n == TC_SUGGESTIONS ||
           (s->in->cancel != NULL && *s->in->cancel != 0);
}

/* --- what was found ------------------------------------------------------- */

/* All edits in the table's order; returns how many. */
static int in_order(const edit_search *s, const tc_step *p,
                    const tc_edit *out[TC_SEARCH_DEPTH + 1]) {
    int n = 0;
    for (int i = s->first != NULL ? -1 : 0; i < p->n; i++) {
        const tc_edit *x = i < 0 ? s->first : &p->edit[i];
        int k = n++;
        for (; k > 0 && out[k - 1]->kind > x->kind; k--) {
            out[k] = out[k - 1];
        }
        out[k] = x;
    }
    return n;
}

static bool found(const edit_search *s, const char *key) {
    for (int i = 0; i < s->out->n; i++) {
        if (strcmp(s->sites[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* The same, or with one of the words that a + of the key joins. */
static bool found_less(const edit_search *s, const char *key) {
    const char *plus = strchr(key, '+');
    if (plus == NULL) {
        return found(s, key);
    }
    const char *begin = plus, *end = plus + strcspn(plus, "|");
    while (begin > key && begin[-1] != ' ') {
        begin--;
    }
    int head = (int)(begin - key), first = (int)(plus - begin);
    int second = (int)(end - plus) - 1;
    return found(s, key) ||
           found(s,
                 tc_format(s->a, "%.*s%.*s%s", head, key, first, begin, end)) ||
           found(s, tc_format(s->a, "%.*s%.*s%s", head, key, second, plus + 1,
                              end));
}

/* Where the goal accepts a text but another is chosen: the same with dispatch=,
 * which names the goal, if it is then chosen; else NULL. */
static const char *named(const edit_search *s, const tc_trial *t,
                         const tc_step *p, size_t *len) {
    tc_edit_list list = {0};
    tc_edits_of(s->a, t, s->in->goal, 1u << TC_EDIT_force, &list);
    if (list.n == 0) {
        return NULL;
    }
    const char *text =
        tc_patch_apply(s->a, p->text, p->len, &list.items[0], len);
    if (text == NULL) {
        return NULL;
    }
    tc_trial after;
    s->out->tried++;
    tc_trial_read(&after, s->in, text, *len);
    bool chosen = after.v != NULL && after.d->chosen == after.v &&
                  tc_trial_keeps(&s->base, &after);
    tc_trial_free(&after);
    return chosen ? text : NULL;
}

/* Keeps a proved edit, unless it differs from one before only in its values, or
 * holds it. */
static void keep(edit_search *s, const tc_step *p, const tc_trial *t) {
    const tc_edit *order[TC_SEARCH_DEPTH + 1];
    tc_buf summary = TC_BUF_INIT, sites = TC_BUF_INIT;
    tc_suggestion g = {.built = t->v->lowering_built};
    g.size = in_order(s, p, order);
    for (int i = 0; i < g.size; i++) {
        const tc_edit *x = order[i];
        tc_buf_printf(&summary, "%s%s", i > 0 ? "; " : "", x->summary);
        tc_buf_printf(&sites, "%d %s|", (int)x->kind, x->site);
        g.shrinks |= x->shrinks;
    }
    const char *key = tc_buf_finish(&sites, s->a);
    if (found_less(s, key)) {
        tc_buf_free(&summary);
        return;
    }
    const char *goal = tc_variants[s->in->goal].name;
    size_t len = p->len;
    const char *text = t->d->chosen == t->v ? NULL : named(s, t, p, &len);
    if (text != NULL) {
        tc_buf_printf(&summary, "; ask for it by name: dispatch=\"%s\"", goal);
        g.chosen = goal;
    } else if (t->d->chosen != NULL) {
        g.chosen = tc_variants[t->d->chosen->variant->id].name;
    }
    g.summary = tc_buf_finish(&summary, s->a);
    g.text = text != NULL ? text : tc_strndup(s->a, p->text, p->len);
    tc_patch_diff(s->a, s->origin->text, g.text, s->origin->first_line, &g);
    s->sites[s->out->n] = key;
    s->out->items[s->out->n++] = g;
}

/* Reads and dispatches p->text; keeps it when it accepts. */
static void attempt(edit_search *s, tc_step *p) {
    tc_trial t;
    s->budget--;
    s->out->tried++;
    tc_trial_read(&t, s->in, p->text, p->len);
    tc_result_of(s->a, &s->names, &t, &p->r);
    if (p->r.accepts && s->out->n < TC_SUGGESTIONS &&
        tc_trial_keeps(&s->base, &t)) {
        keep(s, p, &t);
    }
    tc_trial_free(&t);
}

/* --- which edits to try --------------------------------------------------- */

static unsigned kinds_for(const edit_search *s, uint64_t failed) {
    unsigned kinds = 0;
    for (int i = 0; i < s->names.n; i++) {
        kinds |= (failed >> i & 1) != 0 ? s->names.kinds[i] : 0;
    }
    return kinds & ~(1u << TC_EDIT_force);
}

static int find_edit(const edit_search *s, const tc_edit *x) {
    for (int i = 0; i < s->edits.n; i++) {
        if (tc_edit_same(&s->edits.items[i], x)) {
            return i;
        }
    }
    return -1;
}

static uint64_t mends(const edit_search *s, int i) {
    return s->text[i] == NULL || !s->r[i].read
               ? 0
               : s->base_r.failed & ~s->r[i].failed;
}

/* The checks that some single edit mends. */
static uint64_t mendable(const edit_search *s) {
    uint64_t all = 0;
    for (int i = 0; i < s->edits.n; i++) {
        all |= mends(s, i);
    }
    return all;
}

/* x may mend all that is left: each check either known to be mended by it, or
 * one that no single edit is known to mend and that its kind serves. */
static bool may_mend(const edit_search *s, const tc_edit *x, uint64_t left,
                     uint64_t known) {
    int i = find_edit(s, x);
    if (i >= 0 && (left & known & ~mends(s, i)) != 0) {
        return false;
    }
    if (i < 0 && (left & known) != 0 &&
        (kinds_for(s, left & known) >> x->kind & 1) == 0) {
        return false;
    }
    for (int k = 0; k < s->names.n; k++) {
        if ((left & ~known) >> k & 1 && !(s->names.kinds[k] >> x->kind & 1)) {
            return false;
        }
    }
    return true;
}

static bool excludes(const tc_step *p, const tc_edit *x) {
    for (int i = 0; i < p->n; i++) {
        if (p->edit[i].kind == x->kind &&
            strcmp(p->edit[i].site, x->site) == 0) {
            return true;
        }
    }
    return false;
}

/* It changed something that the goal looks at. */
static bool useful(const edit_search *s, int i) {
    return s->text[i] != NULL && s->r[i].read && !s->r[i].accepts &&
           (s->r[i].failed != s->base_r.failed ||
            s->r[i].signature != s->base_r.signature);
}

/* Two edits that are both of use to the program as it is are tried in one order
 * only. */
static bool out_of_order(const edit_search *s, const tc_step *p,
                         const tc_edit *x) {
    const tc_edit *last = &p->edit[p->n - 1];
    int i = find_edit(s, x);
    return x->kind < last->kind && i >= 0 && useful(s, i);
}

typedef bool (*filter_fn)(const edit_search *s, const tc_step *p,
                          const tc_edit *x);

static bool finishes(const edit_search *s, const tc_step *p, const tc_edit *x) {
    return may_mend(s, x, p->r.failed, mendable(s));
}

/* It mends something, or may: what did not fail before was never asked. */
static bool progresses(const edit_search *s, const tc_step *p,
                       const tc_edit *x) {
    int i = find_edit(s, x);
    uint64_t fresh = p->r.failed & ~s->base_r.failed;
    return i < 0 || (mends(s, i) & p->r.failed) != 0 ||
           (kinds_for(s, fresh) >> x->kind & 1) != 0;
}

/* Tries the step p followed by each edit that the filter lets through; these
 * steps go to next, when it is not NULL. */
static void extend(edit_search *s, const tc_step *p, filter_fn filter,
                   tc_step *next, int *n, int cap) {
    tc_arena *a = tc_arena_new();
    tc_trial t;
    tc_edit_list list = {0};
    s->out->tried++;
    tc_trial_read(&t, s->in, p->text, p->len);
    tc_edits_of(a, &t, s->in->goal, kinds_for(s, p->r.failed), &list);
    for (int i = 0; i < list.n && !stopped(s); i++) {
        const tc_edit *x = &list.items[i];
        bool shrinks = x->shrinks;
        for (int k = 0; k < p->n; k++) {
            shrinks |= p->edit[k].shrinks;
        }
        if (shrinks != s->shrink || excludes(p, x) || out_of_order(s, p, x) ||
            !filter(s, p, x)) {
            continue;
        }
        tc_step q = *p;
        q.edit[q.n++] = *x;
        q.text = tc_patch_apply(a, p->text, p->len, x, &q.len);
        if (q.text == NULL) {
            continue;
        }
        attempt(s, &q);
        if (next != NULL && *n < cap && q.r.read && !q.r.accepts) {
            q.text = tc_strndup(s->a, q.text, q.len);
            q.edit[q.n - 1].site = tc_strdup(s->a, x->site);
            q.edit[q.n - 1].summary = tc_strdup(s->a, x->summary);
            q.edit[q.n - 1].value = tc_strdup(s->a, x->value);
            next[(*n)++] = q;
        }
    }
    tc_trial_free(&t);
    tc_arena_free(a);
}

/* --- depth one, two, three ------------------------------------------------ */

static void singles(edit_search *s) {
    unsigned kinds = kinds_for(s, s->base_r.failed);
    for (int i = 0; i < s->edits.n && !stopped(s); i++) {
        tc_edit *x = &s->edits.items[i];
        if ((kinds >> x->kind & 1) == 0 || x->shrinks != s->shrink ||
            s->text[i] != NULL) {
            continue;
        }
        tc_step p = {.edit = {*x}, .n = 1};
        p.text = tc_patch_apply(s->a, s->in->text, s->in->len, x, &p.len);
        if (p.text == NULL) {
            continue;
        }
        attempt(s, &p);
        s->text[i] = p.text;
        s->len[i] = p.len;
        s->r[i] = p.r;
    }
}

static tc_step step_of(const edit_search *s, int i) {
    return (tc_step){.edit = {s->edits.items[i]},
                     .n = 1,
                     .text = s->text[i],
                     .len = s->len[i],
                     .r = s->r[i]};
}

static void pairs(edit_search *s) {
    for (int i = 0; i < s->edits.n && !stopped(s); i++) {
        if (useful(s, i) && (s->shrink || !s->edits.items[i].shrinks)) {
            tc_step p = step_of(s, i);
            extend(s, &p, finishes, NULL, NULL, 0);
        }
    }
}

static int bits(uint64_t x) {
    int n = 0;
    for (; x != 0; x &= x - 1) {
        n++;
    }
    return n;
}

static void triples(edit_search *s) {
    enum { STEPS = 128, BEST = 16 };
    tc_step *steps = TC_NEWN(s->a, tc_step, STEPS);
    int n = 0;
    for (int i = 0; i < s->edits.n && n < STEPS && !stopped(s); i++) {
        if (useful(s, i) && mends(s, i) != 0 && !s->edits.items[i].shrinks &&
            bits(s->r[i].failed) <= bits(s->base_r.failed)) {
            tc_step p = step_of(s, i);
            extend(s, &p, progresses, steps, &n, STEPS);
        }
    }
    for (int left = 1, done = 0; left <= 2; left++) {
        for (int i = 0; i < n && done < BEST && !stopped(s); i++) {
            if (bits(steps[i].r.failed) == left) {
                extend(s, &steps[i], finishes, NULL, NULL, 0);
                done++;
            }
        }
    }
}

/* Fewer programs are tried of a long text: each is a copy of it. */
static int budget(const edit_search *s, int most) {
    size_t n = TC_SEARCH_BYTES / (s->in->len + 1);
    return n < (size_t)most ? (int)n + 1 : most;
}

static void look(edit_search *s) {
    s->budget = budget(s, TC_SEARCH_PAIRS);
    singles(s);
    if (s->out->n == 0) {
        pairs(s);
    }
}

/* It accepts: what is left is that it is chosen. */
static void choose(edit_search *s) {
    tc_edit_list list = {0};
    s->out->accepts = true;
    s->out->chosen =
        s->base.d->chosen != NULL && s->base.d->chosen == s->base.v;
    if (s->out->chosen) {
        return;
    }
    tc_edits_of(s->a, &s->base, s->in->goal, 1u << TC_EDIT_force, &list);
    s->budget = list.n;
    for (int i = 0; i < list.n; i++) {
        tc_step p = {.edit = {list.items[i]}, .n = 1};
        p.text = tc_patch_apply(s->a, s->in->text, s->in->len, &list.items[i],
                                &p.len);
        if (p.text != NULL) {
            attempt(s, &p);
        }
    }
}

static const char *reason(const edit_search *s) {
    const tc_verdict *v = s->base.v;
    if (v == NULL) {
        return tc_format(s->a, "it is a variant of %s",
                         tc_variants[s->in->goal].op == TC_COPY ? "copy"
                                                                : "copy_async");
    }
    for (int i = 0; i < v->npredicates; i++) {
        if (!v->predicates[i].ok) {
            return tc_strdup(s->a, v->predicates[i].reason);
        }
    }
    return v->why != NULL ? tc_strdup(s->a, v->why) : "";
}

/* The search proper, from s->base. */
static void run(edit_search *s) {
    tc_edits(s->a, &s->base, s->in->goal, &s->edits);
    s->r = TC_NEWN(s->a, tc_result, s->edits.n + 1);
    s->text = TC_NEWN(s->a, const char *, s->edits.n + 1);
    s->len = TC_NEWN(s->a, size_t, s->edits.n + 1);
    look(s);
    if (s->out->n == 0 && s->first == NULL) {
        s->budget = budget(s, TC_SEARCH_TRIPLES);
        triples(s);
    }
    if (s->out->n == 0) {
        s->shrink = true;
        look(s);
    }
}

/* The variant belongs to the other operation: every answer begins with the edit
 * to that one, and the search starts behind it. */
static void run_behind(edit_search *s) {
    tc_edit_list list = {0};
    tc_suggest_input in = *s->in;
    tc_edits_of(s->a, &s->base, s->in->goal, 1u << TC_EDIT_op, &list);
    for (int i = 0; i < list.n && s->out->n == 0; i++) {
        tc_step p = {.edit = {list.items[i]}, .n = 1};
        p.text = tc_patch_apply(s->a, s->in->text, s->in->len, &list.items[i],
                                &p.len);
        s->budget = 1;
        if (p.text != NULL) {
            attempt(s, &p);
        }
        if (p.text == NULL || !p.r.read || s->out->n > 0) {
            continue;
        }
        edit_search *behind = TC_NEW(s->a, edit_search);
        in.text = p.text;
        in.len = p.len;
        *behind = (edit_search){.a = s->a,
                                .in = &in,
                                .origin = s->origin,
                                .first = &list.items[i],
                                .out = s->out};
        tc_trial_read(&behind->base, &in, in.text, in.len);
        tc_result_of(s->a, &behind->names, &behind->base, &behind->base_r);
        run(behind);
        tc_trial_free(&behind->base);
    }
}

void tc_suggest(tc_arena *a, const tc_suggest_input *in, tc_suggestions *out) {
    edit_search *s = TC_NEW(a, edit_search);
    *s = (edit_search){.a = a, .in = in, .origin = in, .out = out};
    *out = (tc_suggestions){0};
    tc_trial_read(&s->base, in, in->text, in->len);
    out->tried = 1;
    if (s->base.func == NULL || s->base.d == NULL) {
        out->lost = tc_strdup(a, s->base.error != NULL ? s->base.error
                                                       : "it has no such copy");
        tc_trial_free(&s->base);
        return;
    }
    tc_result_of(a, &s->names, &s->base, &s->base_r);
    if (s->base_r.accepts) {
        choose(s);
    } else {
        out->why = reason(s);
        s->base.v != NULL ? run(s) : run_behind(s);
    }
    tc_trial_free(&s->base);
}
