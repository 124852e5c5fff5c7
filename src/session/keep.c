/* keep.c - the memory of statements that succeeded, for as long as anything
 * refers into it: a name's value, a kept statement that read one of its names,
 * or the current program. */
#include "session/session.h"

#include <string.h>

void tc_keep(tc_session *s, tc_arena *arena, tc_env *env) {
    tc_kept fresh = {arena, env};
    TC_PUSH(s->arena, s->kept.items, s->kept.n, s->kept.cap, fresh);
    tc_env_merge(s->env, env);
}

/* From the newest: what only it needed is older. */
void tc_keep_sweep(tc_session *s) {
    tc_kept_list *l = &s->kept;
    int n = l->n;
    for (int i = l->n - 1; i >= 0; i--) {
        tc_kept k = l->items[i];
        if (k.arena == s->program_arena || tc_env_needed(k.env)) {
            l->items[--n] = k;
        } else {
            tc_env_release(k.env);
            tc_arena_free(k.arena);
        }
    }
    l->n -= n;
    memmove(l->items, l->items + n, sizeof *l->items * (size_t)l->n);
}

void tc_keep_free(tc_session *s) {
    for (int i = 0; i < s->kept.n; i++) {
        tc_arena_free(s->kept.items[i].arena);
    }
    s->kept.n = 0;
}
