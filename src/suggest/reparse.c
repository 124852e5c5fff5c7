/* reparse.c - a text, read and dispatched: what an edit leads to. */
#include "dispatch/launch.h"
#include "suggest/internal.h"

#include <string.h>

static void keep_first(void *user, const tc_diag *d) {
    tc_trial *t = user;
    if (t->error == NULL && d->severity == TC_ERROR) {
        t->error = tc_format(t->arena, "line %d: %s", d->line, d->message);
    }
}

static void find_goal(tc_trial *t, const tc_suggest_input *in) {
    if (in->copy < 0 || in->copy >= t->all.n) {
        return;
    }
    t->d = &t->all.items[in->copy];
    for (int i = 0; i < t->d->nverdicts; i++) {
        if (t->d->verdicts[i].variant->id == in->goal) {
            t->v = &t->d->verdicts[i];
        }
    }
}

void tc_trial_read(tc_trial *t, const tc_suggest_input *in, const char *text,
                   size_t len) {
    tc_value value;
    bool has_value;
    *t = (tc_trial){.arena = tc_arena_new()};
    t->source = (tc_source){"<edited>", text, len, in->first_line};
    tc_diags diags = {.fn = keep_first, .user = t};
    tc_tests tests = {.wanted = in->test, .chosen = -1};
    tc_front front = {t->arena, &diags, in->target_cuda,
                      in->test != NULL ? &tests : NULL};
    if (!tc_parse(t->arena, &t->source, &diags, &t->stmts) ||
        !tc_front_run(&front, tc_env_child(t->arena, in->env), &t->stmts,
                      &value, &has_value, &t->func) ||
        t->func == NULL) {
        t->func = NULL;
        return;
    }
    tc_dispatch(t->arena, t->func, in->target_cuda, &t->all);
    find_goal(t, in);
}

void tc_trial_free(tc_trial *t) {
    tc_arena_free(t->arena);
    *t = (tc_trial){0};
}

bool tc_trial_accepts(const tc_trial *t) {
    return t->func != NULL && t->v != NULL && t->v->outcome == TC_ACCEPT;
}

static bool launch_ok(const tc_trial *t) {
    tc_launch launch;
    return tc_launch_read(t->arena, &t->func->body, &launch);
}

bool tc_trial_keeps(const tc_trial *before, const tc_trial *t) {
    if (t->all.n != before->all.n || (launch_ok(before) && !launch_ok(t)) ||
        (tc_first_thread(before) >= 0 && tc_first_thread(t) < 0)) {
        return false;
    }
    for (int i = 0; i < t->all.n; i++) {
        const tc_decision *was = &before->all.items[i], *is = &t->all.items[i];
        if (was != before->d && was->chosen != NULL && is->chosen == NULL) {
            return false;
        }
    }
    return true;
}
