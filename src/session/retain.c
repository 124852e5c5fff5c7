/* retain.c - the memory of statements that succeeded, for as long as anything
 * refers into it: a name's value, a kept statement that read one of its names,
 * or the current program. */
#include "session/session.h"

/* Frees k, which may be NULL, unless something refers to it. */
static void drop(tc_session *s, tc_retained *k) {
    if (k == NULL || k == s->program_kept || tc_env_needed(k->env)) {
        return;
    }
    if (k->newer != NULL) {
        k->newer->older = k->older;
    } else {
        s->kept = k->older;
    }
    if (k->older != NULL) {
        k->older->newer = k->newer;
    }
    tc_env_release(k->env);
    tc_arena_free(k->arena);
}

/* What was freed may have been the last that needed others. */
static void drop_idle(tc_session *s) {
    tc_retained *k;
    while ((k = tc_env_take_idle(s->env)) != NULL) {
        drop(s, k);
    }
}

void tc_session_retain(tc_session *s, tc_arena *arena, tc_env *env,
                       bool program) {
    tc_retained *k = TC_NEW(arena, tc_retained), *old = s->program_kept;
    *k = (tc_retained){arena, env, s->kept, NULL};
    if (s->kept != NULL) {
        s->kept->newer = k;
    }
    s->kept = k;
    tc_env_merge(s->env, env, k);
    drop_idle(s);
    if (program) {
        s->program_kept = k;
        drop(s, old);
    } else {
        drop(s, k);
    }
    drop_idle(s);
}

void tc_session_release(tc_session *s) {
    while (s->kept != NULL) {
        tc_retained *k = s->kept;
        s->kept = k->older;
        tc_arena_free(k->arena);
    }
}
