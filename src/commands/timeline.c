/* timeline.c - the last run's trace as a picture, a view, or JSON. */
#include "commands/commands.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ROWS = 16 }; /* of the text; the view and JSON have them all */

static json_t *or_null(int64_t v, bool has) {
    return has ? json_integer((json_int_t)v) : json_null();
}

static json_t *event_json(tc_session *s, const tc_trace_event *e) {
    json_t *barrier = json_null();
    if (e->barrier != 0) {
        tc_buf name = TC_BUF_INIT;
        tc_buf_printf(&name, "%llu", (unsigned long long)e->barrier - 1);
        barrier = json_string(tc_buf_text(&name));
        tc_buf_free(&name);
    }
    (void)s;
    return json_pack(
        "{s:I,s:I,s:s,s:I,s:I,s:I,s:s,s:o,s:o,s:o,s:o,s:i}", "cycle",
        (json_int_t)e->cycle, "end", (json_int_t)e->end, "unit",
        tc_trace_unit_names[e->unit], "cta", (json_int_t)e->cta, "warp",
        (json_int_t)e->warp, "lanes", (json_int_t)e->lanes, "kind",
        tc_trace_kind_names[e->kind], "group", or_null(e->group, e->group >= 0),
        "barrier", barrier, "phase", or_null(e->phase, e->phase >= 0), "bytes",
        or_null(e->bytes, e->bytes >= 0), "line", (int)e->line);
}

static json_t *timeline_json(tc_session *s, const tc_trace *t) {
    json_t *events = json_array();
    tc_timeline *tl = tc_timeline_new(t);
    for (size_t i = 0; i < tl->norder; i++) {
        json_array_append_new(events, event_json(s, tl->order[i]));
    }
    tc_timeline_free(tl);
    return json_pack("{s:o,s:I,s:b}", "events", events, "cycles",
                     (json_int_t)t->cycles, "truncated", t->truncated);
}

/* A cycle, or finding:N of those that the run had; it is kept for the view. */
static bool check_place(tc_session *s, const tc_trace *t,
                        const tc_command_value *at) {
    static const char finding[] = "finding:";
    bool named = strncmp(at->text, finding, sizeof finding - 1) == 0;
    const char *digits = named ? at->text + sizeof finding - 1 : at->text;
    size_t n = strspn(digits, "0123456789");
    if (n == 0 || n > 18 || digits[n] != '\0') {
        tc_error(&s->diags, at->span, "timeline --at 300, or --at finding:1",
                 "'%s' is no cycle and no finding:N", at->text);
        return false;
    }
    unsigned long long number = strtoull(digits, NULL, 10);
    unsigned long long most = t->cycles;
    if (named) {
        most = (unsigned long long)s->program.run->result.nfindings;
    }
    if (number > most || (named && number == 0)) {
        tc_error(&s->diags, at->span, NULL,
                 named ? "the last run has findings 1 to %llu"
                       : "the last run has cycles 0 to %llu",
                 most);
        return false;
    }
    snprintf(s->timeline_at, sizeof s->timeline_at, "%s", at->text);
    return true;
}

tc_status tc_cmd_timeline(tc_session *s, const tc_command_args *args,
                          tc_reply *r) {
    tc_status status;
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    const tc_trace *t = s->program.run->trace;
    if (t == NULL || t->n == 0) {
        tc_error(&s->diags, args->span, "`set trace on`, then `run`",
                 "the last run recorded no events");
        return TC_FAILED;
    }
    const tc_command_value *at = tc_value_of(args, "--at");
    s->timeline_at[0] = '\0';
    if (at != NULL && !check_place(s, t, at)) {
        return TC_USAGE;
    }
    if (s->options.json) {
        r->json = timeline_json(s, t);
    } else if (s->options.terminal) {
        s->wants_timeline = true;
    } else {
        tc_timeline *tl = tc_timeline_new(t);
        tc_timeline_style style = {s->options.width, SHOWN_ROWS, true};
        tc_timeline_text(&r->text, tl, &style);
        tc_timeline_free(tl);
    }
    return TC_OK;
}
