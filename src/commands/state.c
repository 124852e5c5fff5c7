/* state.c - what the machine held at a cycle of the last run: where every
 * warp was, barriers, registers, memory. The run is made again up to that
 * cycle; it takes the same way. */
#include "run/state.h"
#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>

/* ---- the question ---- */

static bool number(tc_session *s, const tc_args *a, int i, int64_t *out) {
    char *end;
    if (i >= a->n || a->words[i][0] < '0' || a->words[i][0] > '9') {
        tc_error(&s->diags, i < a->n ? a->spans[i] : a->span,
                 "state 812, state 812 warp 1 %r4", "a number is missing here");
        return false;
    }
    *out = strtoll(a->words[i], &end, 10);
    if (*end != '\0' || *out < 0) {
        tc_error(&s->diags, a->spans[i], NULL, "'%s' is no number",
                 a->words[i]);
        return false;
    }
    return true;
}

static bool read_query(tc_session *s, const tc_args *a, tc_state_query *q) {
    int64_t cycle;
    *q = (tc_state_query){.cta = -1, .warp = -1, .lane = -1};
    q->names = TC_NEWN(s->arena, const char *, (size_t)a->n + 1);
    if (!number(s, a, 0, &cycle)) {
        return false;
    }
    q->cycle = (uint64_t)cycle;
    for (int i = 1; i < a->n; i++) {
        int64_t *to = strcmp(a->words[i], "cta") == 0    ? &q->cta
                      : strcmp(a->words[i], "warp") == 0 ? &q->warp
                      : strcmp(a->words[i], "lane") == 0 ? &q->lane
                                                         : NULL;
        if (to == NULL) {
            q->names[q->nnames++] = a->words[i];
        } else if (!number(s, a, ++i, to)) {
            return false;
        }
    }
    return true;
}

/* ---- the answer ---- */

static bool find_cta(tc_session *s, const tc_args *a, tc_state_look *l) {
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

static bool check_names(tc_session *s, const tc_args *a,
                        const tc_state_look *l) {
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

static void details_text(const tc_state_look *l, tc_buf *b) {
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

static bool answer(tc_session *s, const tc_args *a, tc_state_look *l,
                   tc_reply *r) {
    tc_buf *b = &r->text;
    if (!find_cta(s, a, l) || !check_names(s, a, l)) {
        return false;
    }
    if (s->options.json) {
        r->json = tc_state_json(l);
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

tc_status tc_cmd_state(tc_session *s, const tc_args *args, tc_reply *r) {
    tc_state_query q;
    tc_status status;
    tc_sim_result result = {0};
    if (!read_query(s, args, &q)) {
        return TC_USAGE;
    }
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    tc_run *run = s->program.run;
    if (run->no_state != NULL) {
        tc_error(&s->diags, args->span, NULL, "%s", run->no_state);
        return TC_FAILED;
    }
    bool simulated = run->sim != NULL || run->params != NULL;
    if (!simulated || q.cycle > run->result.cycles) {
        tc_error(&s->diags, args->span, NULL,
                 !simulated ? "the last run was not the simulator's"
                            : "the last run has cycles 0 to %llu",
                 (unsigned long long)run->result.cycles);
        return TC_FAILED;
    }
    tc_sim *again =
        run->params != NULL
            ? tc_exec_again(s->last_exec.exec, run, q.cycle, &result)
            : tc_run_again(s, run, q.cycle, &result);
    tc_state_look l = {
        .s = s, .run = run, .sim = again, .state = result.state, .q = &q};
    bool stopped = again == NULL || result.status == TC_RUN_CANCELLED;
    if (stopped) {
        tc_error(&s->diags, args->span, NULL,
                 "the run could not be made again up to that cycle");
    }
    bool ok = !stopped && answer(s, args, &l, r);
    tc_sim_free(again);
    return ok ? TC_OK : TC_FAILED;
}
