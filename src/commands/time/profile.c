/* profile.c - the counters of a run, or of two side by side. */
#include "commands/commands.h"
#include "commands/time/keep.h"
#include "explain/explain.h"

#include <inttypes.h>
#include <string.h>

/* Threads of an SM that are resident, of those that it could hold; -1: it is
 * not known. */
static int occupancy(const tc_kept *k) {
    uint64_t warps = (k->threads + 31) / 32;
    return k->most_threads && k->timed ? (int)(k->counters.ctas_per_sm * warps *
                                               32 * 100 / k->most_threads)
                                       : -1;
}

static json_t *run_json(const tc_kept *k) {
    json_t *counters = tc_run_counters_json(&k->counters);
    if (occupancy(k) >= 0) {
        json_object_set_new(counters, "occupancy_percent",
                            json_integer(occupancy(k)));
    }
    return json_pack("{s:s,s:s,s:o,s:s,s:n,s:o}", "name", k->name, "kernel",
                     k->kernel != NULL ? k->kernel : "", "cycles",
                     k->timed ? json_integer((json_int_t)k->cycles)
                              : json_null(),
                     "model", k->model, "error", "counters", counters);
}

/* ---- the table ---- */

typedef struct tc_table {
    const json_t *a, *b; /* counters; b NULL: one run */
    tc_buf *out;
} tc_table;

static int64_t value_of(const json_t *o, const char *key) {
    return json_integer_value(json_object_get(o, key));
}

static void put_line(const tc_table *t, const char *label, int64_t a,
                     int64_t b) {
    tc_buf_printf(t->out, "  %-26s %14" PRId64, label, a);
    if (t->b != NULL) {
        tc_buf_printf(t->out, " %14" PRId64 " %+14" PRId64, b, b - a);
    }
    tc_buf_putc(t->out, '\n');
}

/* The members of two objects, those of the first before others. */
static void put_members(const tc_table *t, const json_t *a, const json_t *b) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)a, key, v) {
        if (json_is_integer(v)) {
            put_line(t, key, json_integer_value(v), value_of(b, key));
        }
    }
    json_object_foreach((json_t *)(uintptr_t)b, key, v) {
        if (json_is_integer(v) && json_object_get(a, key) == NULL) {
            put_line(t, key, 0, json_integer_value(v));
        }
    }
}

static void put_group(const tc_table *t, const char *title, const char *key) {
    tc_buf_printf(t->out, "%s\n", title);
    put_members(t, json_object_get(t->a, key), json_object_get(t->b, key));
}

static void put_head(const tc_kept *a, const tc_kept *b, tc_buf *out) {
    tc_buf_printf(out, "%-28s %14.14s", "", a->name);
    if (b != NULL) {
        tc_buf_printf(out, " %14.14s %14s", b->name, "difference");
    }
    tc_buf_putc(out, '\n');
}

/* What the run's cycles are of, in 14 columns. */
static const char *clock_of(const tc_kept *k) {
    return strcmp(k->model, "sass") == 0  ? "machine code"
           : strcmp(k->model, "ptx") == 0 ? "the PTX"
                                          : "none";
}

static void put_clock(const tc_kept *a, const tc_kept *b, tc_buf *out) {
    tc_buf_printf(out, "  %-26s %14s", "clock", clock_of(a));
    if (b != NULL) {
        tc_buf_printf(out, " %14s %14s", clock_of(b),
                      clock_of(a) == clock_of(b) ? "" : "two clocks");
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ') {
        out->len--;
    }
    tc_buf_putc(out, '\n');
}

static void put_table(const tc_kept *a, const tc_kept *b, tc_buf *out) {
    json_t *x = run_json(a), *y = b != NULL ? run_json(b) : NULL;
    tc_table t = {json_object_get(x, "counters"),
                  y != NULL ? json_object_get(y, "counters") : NULL, out};
    put_head(a, b, out);
    if (a->timed && (b == NULL || b->timed)) {
        put_line(&t, "cycles", (int64_t)a->cycles,
                 b != NULL ? (int64_t)b->cycles : 0);
        put_clock(a, b, out);
    } else {
        tc_buf_puts(out, "  no cycles: timing was off\n");
    }
    put_group(&t, "warp instructions by class", "instructions");
    put_group(&t, "stall cycles of all warps by cause", "stalls");
    tc_buf_puts(out, "memory and occupancy\n");
    put_members(&t, t.a, t.b);
    json_decref(x);
    json_decref(y);
}

tc_status tc_cmd_profile(tc_session *s, const tc_command_args *args,
                         tc_reply *r) {
    const tc_command_value *names;
    int n = tc_values_of(args, "RUN", &names);
    const tc_kept *runs[2] = {NULL, NULL};
    tc_kept last[2];
    tc_status status;
    if (n > 2) {
        tc_error(&s->diags, names[2].span, "profile A B",
                 "two runs are compared at most");
        return TC_USAGE;
    }
    if (n == 0 && !tc_need_run(s, args->span, &status)) {
        return status;
    }
    for (int i = 0; i < (n ? n : 1); i++) {
        runs[i] = tc_keep_find(s, n ? names[i].text : "last",
                               n ? names[i].span : args->span, &last[i]);
        if (runs[i] == NULL) {
            return TC_FAILED;
        }
    }
    if (s->options.json) {
        json_t *list = json_array();
        for (int i = 0; i < 2 && runs[i] != NULL; i++) {
            json_array_append_new(list, run_json(runs[i]));
        }
        r->json = json_pack("{s:o}", "runs", list);
    } else {
        put_table(runs[0], runs[1], &r->text);
    }
    return TC_OK;
}
