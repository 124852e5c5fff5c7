/* timeline.c - the last run's trace as a picture, a view, or JSON. */
#include "commands/commands.h"
#include "commands/time/keep.h"
#include "explain/explain.h"
#include "trace/draw/print.h"
#include "trace/export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ROWS = 16 }; /* of the text; the view and JSON have them all */

static json_t *or_null(int64_t v, bool has) {
    return has ? json_integer((json_int_t)v) : json_null();
}

/* "bar[2]", as the program calls it; null where the event has no barrier. */
static json_t *barrier_json(const tc_trace *t, const tc_trace_event *e) {
    const char *name = e->object == TC_OBJECT_MBARRIER
                           ? tc_trace_name_of(t, e->barrier)
                           : NULL;
    tc_buf text = TC_BUF_INIT;
    if (e->object == TC_OBJECT_BARRIER) {
        tc_buf_printf(&text, "barrier %llu", (unsigned long long)e->barrier);
    } else if (e->object == TC_OBJECT_CLUSTER) {
        tc_buf_puts(&text, "cluster barrier");
    } else if (e->object == TC_OBJECT_MBARRIER && name == NULL) {
        tc_buf_printf(&text, "shared memory byte %llu",
                      (unsigned long long)e->barrier);
    } else if (name != NULL) {
        tc_buf_puts(&text, name);
    }
    json_t *out = text.len > 0 ? json_string(tc_buf_text(&text)) : json_null();
    tc_buf_free(&text);
    return out;
}

/* The buffer that an address is in, or null. */
static json_t *buffer_json(const tc_model *m, uint8_t space, uint64_t address) {
    const tc_trace_buffer *b =
        tc_memory_buffer(m, (tc_trace_space)space, address);
    return b != NULL ? json_string(b->name) : json_null();
}

static json_t *event_json(const tc_model *m, size_t position) {
    const tc_trace_event *e = m->order[position];
    return json_pack(
        "{s:I,s:I,s:s,s:I,s:I,s:I,s:s,s:o,s:o,s:o,s:o,s:i,s:o,s:o}", "cycle",
        (json_int_t)e->cycle, "end", (json_int_t)e->end, "unit",
        tc_trace_unit_names[e->unit], "cta", (json_int_t)e->cta, "warp",
        (json_int_t)e->warp, "lanes", (json_int_t)e->lanes, "kind",
        tc_trace_kind_names[e->kind], "group", or_null(e->group, e->group >= 0),
        "barrier", barrier_json(m->trace, e), "phase",
        or_null(e->phase, e->phase >= 0), "bytes",
        or_null(e->bytes, e->bytes >= 0), "line", (int)e->line, "to",
        buffer_json(m, e->kind == TC_TRACE_LOAD ? 0 : e->space, e->address),
        "from",
        buffer_json(m, e->kind == TC_TRACE_LOAD ? e->space : e->source_space,
                    e->kind == TC_TRACE_LOAD ? e->address : e->source));
}

static json_t *timeline_json(const tc_trace *t) {
    json_t *events = json_array();
    tc_model *m = tc_model_new(t);
    for (size_t i = 0; i < m->n; i++) {
        json_array_append_new(events, event_json(m, i));
    }
    tc_model_free(m);
    return json_pack("{s:o,s:I,s:b,s:s}", "events", events, "cycles",
                     (json_int_t)t->cycles, "truncated", t->truncated, "model",
                     t->clock != NULL && *t->clock ? t->clock : "none");
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
        most = (unsigned long long)t->nfindings;
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

/* The cycle that check_place has let pass. */
static uint64_t cycle_of(const tc_trace *t, const char *place) {
    const char *colon = strchr(place, ':');
    uint64_t n = strtoull(colon != NULL ? colon + 1 : place, NULL, 10);
    return colon == NULL ? n : n <= t->nfindings ? t->findings[n - 1].cycle : 0;
}

static void sentences(const tc_trace *t, const char *at, tc_buf *out) {
    tc_model *m = tc_model_new(t);
    if (at != NULL) {
        tc_model_sentences_at(m, cycle_of(t, at), out);
    } else {
        tc_model_sentences(m, out);
    }
    tc_model_free(m);
}

static void picture(tc_session *s, const tc_trace *t, tc_buf *out) {
    tc_model *m = tc_model_new(t);
    tc_print_style style = {s->options.width, SHOWN_ROWS, true};
    tc_print_timeline(out, m, &style);
    tc_model_free(m);
}

/* A run by its name, which has a trace. Reports and returns NULL else. */
static const tc_kept *traced(tc_session *s, const tc_command_value *name,
                             tc_kept *last) {
    tc_status status;
    if (strcmp(name->text, "last") == 0 &&
        tc_need_trace(s, name->span, &status) == NULL) {
        return NULL;
    }
    const tc_kept *k = tc_keep_find(s, name->text, name->span, last);
    if (k != NULL && (k->trace == NULL || k->trace->n == 0)) {
        tc_error(&s->diags, name->span, "`set trace on`, then `run`",
                 "the run '%s' recorded no events", name->text);
        return NULL;
    }
    return k;
}

static json_t *kept_json(const tc_kept *k) {
    json_t *j = timeline_json(k->trace);
    json_object_set_new(j, "name", json_string(k->name));
    return j;
}

/* The view shows both; kept runs are as they are until the next command. */
static tc_status compare_in_view(tc_session *s, const tc_kept *a,
                                 const tc_kept *b) {
    s->compared[0].trace = a->trace;
    s->compared[0].name = a->name;
    s->compared[1].trace = b->trace;
    s->compared[1].name = b->name;
    s->wants_timeline = true;
    return TC_OK;
}

static tc_status compare(tc_session *s, const tc_command_value *names,
                         bool text, tc_reply *r) {
    tc_kept last[2];
    const tc_kept *a = traced(s, &names[0], &last[0]);
    const tc_kept *b = a != NULL ? traced(s, &names[1], &last[1]) : NULL;
    if (b == NULL) {
        return TC_FAILED;
    }
    if (s->options.json) {
        r->json = json_pack("{s:[o,o]}", "runs", kept_json(a), kept_json(b));
        return TC_OK;
    }
    if (s->options.view && !text) {
        return compare_in_view(s, a, b);
    }
    tc_model *x = tc_model_new(a->trace), *y = tc_model_new(b->trace);
    tc_model_compare(x, a->name, y, b->name, &r->text);
    tc_model_free(x);
    tc_model_free(y);
    return TC_OK;
}

/* The trace that the command is about: a kept one's, or the last run's. */
static const tc_trace *chosen(tc_session *s, const tc_command_args *args,
                              tc_status *status) {
    const tc_command_value *names;
    tc_kept last;
    if (tc_values_of(args, "RUN", &names) == 0) {
        const tc_trace *t = tc_need_trace(s, args->span, status);
        tc_trace_describe(s);
        return t;
    }
    const tc_kept *k = traced(s, &names[0], &last);
    *status = TC_FAILED;
    return k != NULL ? k->trace : NULL;
}

tc_status tc_cmd_timeline(tc_session *s, const tc_command_args *args,
                          tc_reply *r) {
    tc_status status = TC_OK;
    const tc_command_value *names;
    int n = tc_values_of(args, "RUN", &names);
    bool text = tc_value_of(args, "--text") != NULL;
    s->timeline_at[0] = '\0';
    memset(s->compared, 0, sizeof s->compared);
    if (n > 2) {
        tc_error(&s->diags, names[2].span, "timeline A B",
                 "two runs are compared at most");
        return TC_USAGE;
    }
    if (n == 2) {
        return compare(s, names, text, r);
    }
    const tc_trace *t = chosen(s, args, &status);
    const tc_command_value *at = tc_value_of(args, "--at");
    if (t == NULL) {
        return status;
    }
    if (at != NULL && !check_place(s, t, at)) {
        return TC_USAGE;
    }
    if (s->options.json) {
        r->json = timeline_json(t);
    } else if (s->options.view && !text && n == 0) {
        s->wants_timeline = true;
    } else if (text || at != NULL) {
        sentences(t, at != NULL ? at->text : NULL, &r->text);
    } else {
        picture(s, t, &r->text);
    }
    return TC_OK;
}
