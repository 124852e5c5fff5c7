/* program.c - the current program and the stages made from it on demand. */
#include "session/last_run.h"

#include <stdlib.h>
#include <string.h>

void tc_program_clear(tc_program *p) {
    tc_run_free(p->run);
    tc_arena *arena = p->arena;
    if (arena != NULL) {
        tc_arena_reset(arena);
    }
    *p = (tc_program){.func = p->func, .arena = arena};
}

void tc_program_set(tc_session *s, tc_func *func) {
    tc_program_clear(&s->program);
    tc_last_exec_forget(s);
    s->program.func = func;
    s->file_is_newest = false;
}

bool tc_need_program(tc_session *s, tc_span at, tc_status *status) {
    if (s->program.func == NULL) {
        tc_error(&s->diags, at,
                 s->nfiles > 0 ? "`launch` runs a kernel of a .ptx file"
                               : "load a file, or type a @T.prim_func",
                 "there is no program yet");
        *status = TC_FAILED;
        return false;
    }
    if (s->program.arena == NULL) {
        s->program.arena = tc_arena_new();
    }
    return true;
}

bool tc_need_decisions(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_program(s, at, status)) {
        return false;
    }
    tc_program *p = &s->program;
    if (!p->dispatched) {
        tc_dispatch(p->arena, p->func, s->target_cuda, &p->decisions);
        p->dispatched = true;
    }
    return true;
}

/* A variant that accepts but cannot be lowered yet is our lack, not the
 * program's. */
static tc_status status_of_refusal(const tc_decisions *d) {
    for (int i = 0; i < d->n; i++) {
        if (d->items[i].chosen == NULL) {
            return TC_REJECTED;
        }
    }
    return TC_FAILED;
}

bool tc_need_lowered(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_decisions(s, at, status)) {
        return false;
    }
    tc_program *p = &s->program;
    if (p->lowered == NULL) {
        tc_lowered *l = tc_lower(p->arena, p->func, &p->decisions, &s->diags);
        if (l == NULL || !tc_ir_verify(l, &s->diags)) {
            *status = status_of_refusal(&p->decisions);
            return false;
        }
        p->lowered = l;
    }
    return true;
}

bool tc_need_ptx(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_lowered(s, at, status)) {
        return false;
    }
    tc_program *p = &s->program;
    if (!p->emitted) {
        int sm = s->options.arch ? atoi(s->options.arch + 3) : 0;
        bool a = s->options.arch && strchr(s->options.arch + 3, 'a') != NULL;
        if (!tc_emit_ptx(p->arena, p->lowered, sm, a, &s->diags, &p->ptx)) {
            *status = TC_FAILED;
            return false;
        }
        p->emitted = true;
    }
    return true;
}
