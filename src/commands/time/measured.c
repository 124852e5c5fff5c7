/* measured.c - `gpu --timeline`: when a GPU did what the simulator says it does,
 * by time stamps within the kernel. */
#include "commands/commands.h"
#include "commands/time/stamped.h"
#include "run/run.h"
#include "trace/draw/print.h"

#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    tc_session *s;
    const tc_last_run *run;
    tc_arena *arena;
    tc_stamped stamped;
    tc_stamped_run gpu, sim;
    tc_rt_device device;
} comparison;

/* --- the two runs ----------------------------------------------------------*/

static tc_device_options options(const comparison *c,
                                 const tc_device_module *m) {
    return (tc_device_options){.sim = {.arch = tc_session_arch(c->s),
                                       .profile = c->s->profile,
                                       .timing = true,
                                       .completion = TC_COMPLETE_TIMING,
                                       .cancel = &c->s->cancel},
                               .module = m,
                               .gpu = c->s->gpu};
}

static const tc_ptx_module *parse(comparison *c) {
    tc_source *src = TC_NEW(c->arena, tc_source);
    *src = (tc_source){"<stamped>", c->stamped.ptx, strlen(c->stamped.ptx), 1};
    return tc_ptx_parse(c->arena, src, &c->s->diags);
}

/* The text with its stamps, which the module is made of. */
static bool rewrite(comparison *c, tc_span at, int warp) {
    const char *why = "";
    const tc_ptx_func *f = tc_ptx_find_entry(c->run->module, c->run->entry);
    if (f == NULL || !tc_stamps_add(c->arena, c->run->module, f, c->run->ptx,
                                    warp, &c->stamped, &why)) {
        tc_error(&c->s->diags, at, NULL, "this kernel cannot be stamped: %s",
                 why);
        return false;
    }
    return true;
}

static tc_status measure(comparison *c, tc_span at, int warp) {
    char why[512] = "";
    tc_gpu_complaint to = {why, sizeof why};
    if (!rewrite(c, at, warp)) {
        return TC_FAILED;
    }
    tc_device_module m = {.ptx = parse(c), .ptx_text = c->stamped.ptx};
    if (m.ptx == NULL) {
        return TC_FAILED;
    }
    tc_device_options o = options(c, &m);
    if (!tc_stamped_measure(c->arena, c->run, &c->stamped, &tc_device_gpu, &o,
                            &c->gpu, to)) {
        tc_error(&c->s->diags, at, "`timeline` shows what the simulator says",
                 "%s", why);
        return TC_NO_GPU;
    }
    if (!tc_stamped_measure(c->arena, c->run, &c->stamped, &tc_device_sim, &o,
                            &c->sim, to)) {
        tc_error(&c->s->diags, at, NULL, "%s", why);
        return TC_FAILED;
    }
    return TC_OK;
}

/* --- rows ------------------------------------------------------------------*/

/* The warps of both, in the timeline's own way. */
static void put_picture(const comparison *c, tc_buf *out) {
    tc_trace *a = tc_stamped_trace(&c->gpu), *b = tc_stamped_trace(&c->sim);
    tc_model *x = tc_model_new(a), *y = tc_model_new(b);
    tc_print_style style = {c->s->options.width, 0, true};
    tc_print_pair(out, x, "measured", y, "simulated", &style);
    tc_model_free(x);
    tc_model_free(y);
    tc_trace_free(a);
    tc_trace_free(b);
}

static const tc_stamped_warp *warp_of(const tc_stamped_run *r, int warp) {
    for (int i = 0; i < r->n; i++) {
        if (r->warps[i].warp == warp) {
            return &r->warps[i];
        }
    }
    return NULL;
}

/* How often a place came before step i. */
static int times_before(const tc_stamped_warp *w, int i) {
    int n = 0;
    for (int k = 0; k < i; k++) {
        n += w->steps[k].place == w->steps[i].place;
    }
    return n;
}

/* The interval that ends at a step's end: from the end of the step before. */
static int64_t interval(const tc_stamped_warp *w, const tc_stamped_step *x) {
    return x->after - (x > w->steps ? x[-1].after : 0);
}

static double error_of(int64_t measured, int64_t simulated) {
    return measured != 0
               ? 100.0 * (double)(simulated - measured) / (double)measured
               : 0.0;
}

/* --- as text ---------------------------------------------------------------*/

static unsigned line_of(const tc_stamp_place *p) {
    return p->op->line != 0 ? p->op->line : p->op->ptx_line;
}

static void put_step(const tc_stamped_warp *w, int i,
                     const tc_stamped_warp *sim, tc_buf *out) {
    const tc_stamped_step *x = &w->steps[i];
    const tc_stamped_step *y =
        sim != NULL ? tc_stamped_find(sim, x->place, times_before(w, i)) : NULL;
    int64_t mine = interval(w, x);
    tc_buf_printf(out, "  line %-5u %-30s %8lld %8lld", line_of(x->place),
                  tc_ptx_ops[x->place->op->opcode].name, (long long)x->after,
                  (long long)mine);
    if (y != NULL) {
        int64_t other = interval(sim, y);
        tc_buf_printf(out, " %9lld %8lld", (long long)y->after,
                      (long long)other);
        if (mine >= w->overhead) {
            tc_buf_printf(out, " %+7.0f %%", error_of(mine, other));
        }
    }
    tc_buf_putc(out, '\n');
}

static void put_warp(const comparison *c, const tc_stamped_warp *w,
                     tc_buf *out) {
    const tc_stamped_warp *sim = warp_of(&c->sim, w->warp);
    tc_buf_printf(out, "warp %d\n", w->warp);
    tc_buf_printf(out, "  %-41s %8s %8s %9s %8s %9s\n", "", "measured", "took",
                  "simulated", "takes", "error");
    for (int i = 0; i < w->n; i++) {
        put_step(w, i, sim, out);
    }
    if (w->full) {
        tc_buf_printf(out, "  (only its first %d stamps are kept)\n",
                      TC_STAMPS);
    }
}

static void put_text(const comparison *c, tc_buf *out) {
    const tc_stamped_warp *first = c->gpu.n > 0 ? c->gpu.warps : NULL;
    const tc_stamped_warp *sim = c->sim.n > 0 ? c->sim.warps : NULL;
    tc_buf_printf(out,
                  "%s on %s and on the simulator (%s), CTA 0, L2 warm; cycles "
                  "from the warp's first stamp\n",
                  c->run->entry, c->device.name, tc_session_arch(c->s));
    tc_buf_printf(
        out,
        "a stamp takes %lld cycles there and %lld here, as three in a row "
        "show: that is taken off once for each stamp before;\nno error is "
        "told of what took less than a stamp\n",
        (long long)(first != NULL ? first->overhead : 0),
        (long long)(sim != NULL ? sim->overhead : 0));
    if (!c->sim.same) {
        tc_buf_puts(out, "note: with stamps the simulator's results differ: "
                         "they depend on time\n");
    }
    put_picture(c, out);
    tc_buf_puts(out,
                "i cp.async, b bulk copy, t tensor copy, C commit, A arrive, "
                "I init, W wait, B barrier;\n─ it goes on, ░ it waits\n");
    for (int i = 0; i < c->gpu.n; i++) {
        put_warp(c, &c->gpu.warps[i], out);
    }
}

/* --- as JSON ---------------------------------------------------------------*/

static json_t *step_json(const tc_stamped_warp *w, int i,
                         const tc_stamped_warp *sim) {
    const tc_stamped_step *x = &w->steps[i];
    const tc_stamped_step *y =
        sim != NULL ? tc_stamped_find(sim, x->place, times_before(w, i)) : NULL;
    json_t *j = json_pack(
        "{s:i,s:s,s:I,s:I,s:I}", "line", (int)line_of(x->place), "instruction",
        tc_ptx_ops[x->place->op->opcode].name, "measured", (json_int_t)x->at,
        "measured_end", (json_int_t)x->after, "measured_interval",
        (json_int_t)interval(w, x));
    if (y != NULL) {
        json_object_set_new(j, "simulated", json_integer(y->at));
        json_object_set_new(j, "simulated_end", json_integer(y->after));
        json_object_set_new(j, "simulated_interval",
                            json_integer(interval(sim, y)));
        bool told = interval(w, x) >= w->overhead;
        json_object_set_new(
            j, "error",
            told ? json_real(error_of(interval(w, x), interval(sim, y)))
                 : json_null());
    }
    return j;
}

static json_t *make_json(const comparison *c) {
    json_t *warps = json_array();
    for (int i = 0; i < c->gpu.n; i++) {
        const tc_stamped_warp *w = &c->gpu.warps[i];
        const tc_stamped_warp *sim = warp_of(&c->sim, w->warp);
        json_t *steps = json_array();
        for (int k = 0; k < w->n; k++) {
            json_array_append_new(steps, step_json(w, k, sim));
        }
        json_array_append_new(
            warps,
            json_pack("{s:i,s:I,s:I,s:o}", "warp", w->warp, "measured_overhead",
                      (json_int_t)w->overhead, "simulated_overhead",
                      (json_int_t)(sim != NULL ? sim->overhead : 0), "steps",
                      steps));
    }
    return json_pack("{s:s,s:s,s:b,s:o}", "kernel", c->run->entry, "device",
                     c->device.name, "same_results", c->sim.same, "warps",
                     warps);
}

/* --- the command -----------------------------------------------------------*/

tc_status tc_gpu_timeline(tc_session *s, tc_span at, int warp, tc_reply *r) {
    comparison c = {.s = s, .run = s->program.run, .arena = tc_arena_new()};
    char why[64];
    tc_status status = measure(&c, at, warp);
    if (status == TC_OK) {
        tc_gpu *gpu = tc_gpu_cuda.open(s->gpu, why, sizeof why);
        tc_gpu_device about = {0};
        if (gpu != NULL) {
            tc_gpu_cuda.describe(gpu, &about);
            tc_gpu_cuda.close(gpu);
        }
        snprintf(c.device.name, sizeof c.device.name, "%.*s",
                 (int)sizeof c.device.name - 1, about.name);
        if (s->options.json) {
            r->json = make_json(&c);
        } else {
            put_text(&c, &r->text);
        }
    }
    tc_arena_free(c.arena);
    return status;
}
