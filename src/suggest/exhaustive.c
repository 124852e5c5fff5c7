/* exhaustive.c - the slow search: every edit, every pair of edits, for every
 * variant. It says what can be repaired, and how little it takes; the fast
 * search is measured against it. */
#include "suggest/internal.h"

#include <string.h>

typedef struct slow {
    tc_arena *a;
    const tc_suggest_input *in;
    tc_least *least;
    tc_trial base;
    tc_edit_list edits;
    int tried;
} slow;

static bool better(const tc_least *is, int size, bool shrinks) {
    return is->size < 0 || (is->shrinks && !shrinks) ||
           (is->shrinks == shrinks && size < is->size);
}

static void note(slow *s, const tc_trial *t, int size, bool shrinks,
                 const char *first, const char *second) {
    if (t->func == NULL || t->d == NULL || !tc_trial_keeps(&s->base, t)) {
        return;
    }
    for (int i = 0; i < t->d->nverdicts; i++) {
        const tc_verdict *v = &t->d->verdicts[i];
        tc_least *l = &s->least[v->variant->id];
        if (v->outcome == TC_ACCEPT && better(l, size, shrinks)) {
            *l = (tc_least){size, shrinks,
                            tc_format(s->a, "%s%s%s", first,
                                      second != NULL ? "; " : "",
                                      second != NULL ? second : "")};
        }
    }
}

static bool offered(const slow *s, const tc_edit *x) {
    for (int i = 0; i < s->edits.n; i++) {
        if (tc_edit_same(&s->edits.items[i], x)) {
            return true;
        }
    }
    return false;
}

static void second(slow *s, const tc_edit *first, const tc_trial *t) {
    tc_arena *a = tc_arena_new();
    tc_edit_list list = {0};
    tc_edits(a, t, TC_VARIANT_COUNT, &list);
    for (int i = 0; i < list.n; i++) {
        const tc_edit *x = &list.items[i];
        tc_trial u;
        size_t len;
        if ((x->kind == first->kind && strcmp(x->site, first->site) == 0) ||
            (x->kind < first->kind && offered(s, x))) {
            continue;
        }
        char *text = tc_patch_apply(a, t->source.text, t->source.len, x, &len);
        if (text == NULL) {
            continue;
        }
        s->tried++;
        tc_trial_read(&u, s->in, text, len);
        note(s, &u, 2, x->shrinks || first->shrinks, first->summary,
             x->summary);
        tc_trial_free(&u);
    }
    tc_arena_free(a);
}

int tc_suggest_exhaustive(tc_arena *a, const tc_suggest_input *in, int depth,
                          tc_least least[TC_VARIANT_COUNT]) {
    slow s = {.a = a, .in = in, .least = least};
    for (int i = 0; i < TC_VARIANT_COUNT; i++) {
        least[i] = (tc_least){.size = -1};
    }
    tc_trial_read(&s.base, in, in->text, in->len);
    if (s.base.func != NULL && s.base.d != NULL) {
        note(&s, &s.base, 0, false, "", NULL);
        tc_edits(a, &s.base, TC_VARIANT_COUNT, &s.edits);
    }
    for (int i = 0; i < s.edits.n; i++) {
        const tc_edit *x = &s.edits.items[i];
        tc_trial t;
        size_t len;
        char *text = tc_patch_apply(a, in->text, in->len, x, &len);
        if (text == NULL) {
            continue;
        }
        s.tried++;
        tc_trial_read(&t, in, text, len);
        note(&s, &t, 1, x->shrinks, x->summary, NULL);
        if (depth > 1 && t.func != NULL) {
            second(&s, x, &t);
        }
        tc_trial_free(&t);
    }
    tc_trial_free(&s.base);
    return s.tried;
}
