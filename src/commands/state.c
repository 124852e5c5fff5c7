/* state.c - what the machine held at a cycle of the last run: where every
 * warp was, barriers, registers, memory. The run is made again up to that
 * cycle; it takes the same way. */
#include "run/state.h"
#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

/* ---- the question ---- */

static int64_t number_of(const tc_command_args *a, const char *name) {
    const tc_command_value *v = tc_value_of(a, name);
    return v != NULL ? v->number : -1;
}

static tc_state_query read_query(tc_session *s, const tc_command_args *a) {
    const tc_command_value *names;
    tc_state_query q = {.cycle = (uint64_t)number_of(a, "CYCLE"),
                        .cta = number_of(a, "cta"),
                        .warp = number_of(a, "warp"),
                        .lane = number_of(a, "lane"),
                        .nnames = tc_values_of(a, "NAME", &names)};
    q.names = TC_NEWN(s->arena, const char *, (size_t)q.nnames + 1);
    for (int i = 0; i < q.nnames; i++) {
        q.names[i] = names[i].text;
    }
    return q;
}

/* ---- the answer ---- */

static bool find_cta(tc_session *s, const tc_command_args *a,
                     tc_state_view *l) {
    const tc_sim_state *st = l->state;
    for (uint32_t i = 0; st != NULL && i < st->nctas && l->cta == NULL; i++) {
        if (l->q->cta < 0 || st->ctas[i].index == l->q->cta) {
            l->cta = &st->ctas[i];
        }
    }
    if (l->cta == NULL && l->q->cta >= 0) {
        tc_error(&s->diags, a->span, NULL,
                 "CTA %lld was not running at that cycle",
                 (long long)l->q->cta);
        return false;
    }
    return true;
}

static bool check_names(tc_session *s, const tc_command_args *a,
                        const tc_state_view *l) {
    const tc_state_query *q = l->q;
    tc_state_memory m;
    if (l->cta != NULL &&
        (q->warp >= (int64_t)l->cta->nwarps || q->lane > 31)) {
        tc_error(&s->diags, a->span, NULL,
                 "a CTA of this kernel has %u warps, and a warp 32 lanes",
                 l->cta->nwarps);
        return false;
    }
    for (int i = 0; i < q->nnames; i++) {
        if (tc_state_find_reg(l, q->names[i]) == NULL &&
            !tc_state_find(l, q->names[i], &m)) {
            tc_error(
                &s->diags, a->span, "`ptx` shows them; `help state`",
                l->cta != NULL
                    ? "'%s' is no register of the kernel and no memory that "
                      "it has"
                    : "'%s' is no memory that is there when no CTA runs",
                q->names[i]);
            return false;
        }
    }
    return true;
}

static void details_text(const tc_state_view *l, tc_buf *b) {
    const tc_state_warp *w = tc_state_the_warp(l);
    tc_state_memory m;
    for (int i = 0; i < l->q->nnames; i++) {
        const tc_ptx_reg *r = tc_state_find_reg(l, l->q->names[i]);
        if (r != NULL) {
            tc_state_reg_text(l, r, b);
        } else if (tc_state_find(l, l->q->names[i], &m)) {
            tc_state_memory_text(l->q->names[i], &m, b);
        }
    }
    for (int i = 0; w != NULL && i < w->func->nregs && l->q->nnames == 0 &&
                    l->q->warp >= 0;
         i++) {
        tc_state_reg_text(l, &w->func->regs[i], b);
    }
}

static bool answer(tc_session *s, const tc_command_args *a, tc_state_view *l,
                   tc_reply *r) {
    tc_buf *b = &r->text;
    if (!find_cta(s, a, l) || !check_names(s, a, l)) {
        return false;
    }
    if (s->options.json) {
        r->json = tc_state_json(l);
        json_object_set_new(r->json, "model",
                            json_string(tc_clock_model_name(tc_clock_model_of(
                                l->run->used.timing, &l->run->result))));
        return true;
    }
    tc_buf_printf(b, "at cycle %llu of %llu, ", (unsigned long long)l->q->cycle,
                  (unsigned long long)l->run->result.cycles);
    if (l->cta != NULL) {
        tc_buf_printf(b, "CTA %u (%u running):\n", l->cta->index,
                      l->state->nctas);
    } else {
        tc_buf_puts(b, l->run->result.status == TC_RUN_FAULT
                           ? "where the kernel was stopped:\n"
                           : "when every CTA had ended:\n");
    }
    tc_state_warps_text(l, b);
    if (l->q->warp < 0) {
        tc_state_barriers_text(l, b);
    }
    details_text(l, b);
    return true;
}

tc_status tc_cmd_state(tc_session *s, const tc_command_args *args,
                       tc_reply *r) {
    tc_state_query q = read_query(s, args);
    tc_status status;
    tc_sim_result result = {0};
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    tc_last_run *run = s->program.run;
    if (q.cycle > run->result.cycles && run->no_state == NULL) {
        tc_error(&s->diags, args->span, NULL,
                 "the last run has cycles 0 to %llu",
                 (unsigned long long)run->result.cycles);
        return TC_FAILED;
    }
    tc_replay how = {.stops = true, .stop_at = q.cycle};
    tc_sim *again = tc_run_again(s, &how, args->span, &result);
    tc_state_view l = {
        .s = s, .run = run, .sim = again, .state = result.state, .q = &q};
    bool ok = again != NULL && answer(s, args, &l, r);
    tc_sim_free(again);
    return ok ? TC_OK : TC_FAILED;
}
