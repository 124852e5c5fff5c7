/* load_trace.c - a saved trace as the session's last run: its events are all
 * that there is of it. */
#include "run/run.h"

/* What is said of it, once it is the last run. */
static void answer(tc_session *s, const char *name, const tc_trace *t,
                   tc_reply *r) {
    if (s->options.json) {
        r->json = json_pack("{s:I,s:I}", "events", (json_int_t)t->n, "cycles",
                            (json_int_t)t->cycles);
        return;
    }
    tc_buf_printf(&r->text, "%s: ", name);
    tc_describe_count(&r->text, t->n);
    tc_buf_printf(&r->text, " event%s in ", tc_describe_plural(t->n));
    tc_describe_count(&r->text, t->cycles);
    tc_buf_printf(&r->text, " cycle%s; now try `timeline`.\n",
                  tc_describe_plural(t->cycles));
}

tc_status tc_trace_read(tc_session *s, tc_arena *a, const tc_source *src,
                        tc_reply *r) {
    tc_trace *t = tc_trace_load(src, &s->diags);
    if (t == NULL) {
        tc_arena_free(a);
        return TC_REJECTED;
    }
    tc_last_run *run = tc_run_new();
    run->trace = t;
    run->no_state = "a loaded trace has no program that could run again";
    run->result.cycles = t->cycles;
    tc_run_retain(s, run);
    answer(s, src->name, t, r);
    tc_arena_free(a);
    return TC_OK;
}
