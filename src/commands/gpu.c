/* gpu.c - the same PTX and data on the attached GPU, compared byte by byte
 * with the simulator's where it has run too. */
#include "gpu/gpu.h"
#include "commands/commands.h"
#include "exec/exec.h"
#include "explain/explain.h"
#include "load/load.h"
#include "sandbox/sandbox.h"

#include <string.h>

enum { SHOWN_DIFFERENCES = 3 };

bool tc_session_process(int argc, char **argv, int *status) {
    tc_sandbox_process(argc, argv);
    return tc_gpu_process(argc, argv, status);
}

int tc_session_gpu_process(const tc_session *s) {
    return s != NULL ? tc_gpu_host_process(s->gpu) : 0;
}

typedef struct gpu_outcome {
    tc_gpu_device device;
    tc_gpu_result result;
    tc_buf printed;  /* the kernel's text */
    tc_arena *arena; /* the run's, which keeps the GPU's bytes, or its own */
    uint8_t **after; /* one a buffer */
} gpu_outcome;

/* The kernel's arguments: copies of the buffers' data, and the numbers. */
static tc_gpu_arg *make_args(tc_session *s, tc_last_run *run,
                             gpu_outcome *out) {
    out->after = TC_NEWN(out->arena, uint8_t *, run->nbuffers + 1);
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        out->after[i] = tc_alloc(out->arena, b->bytes);
        tc_run_fill(b, i, s->options.seed, out->after[i]);
    }
    tc_gpu_arg *args = TC_NEWN(out->arena, tc_gpu_arg, run->nargs + 1);
    for (int i = 0; i < run->nargs; i++) {
        tc_run_arg *p = &run->args[i];
        if (p->map != NULL) {
            args[i] = (tc_gpu_arg){.map = tc_run_map_for_gpu(run, p)};
            continue;
        }
        args[i] = p->buffer >= 0
                      ? (tc_gpu_arg){out->after[p->buffer],
                                     run->buffers[p->buffer].bytes, true, NULL}
                      : (tc_gpu_arg){p->value, p->size, false, NULL};
    }
    return args;
}

static void keep_print(void *user, const char *text, size_t n) {
    tc_buf_write(user, text, n);
}

static tc_gpu_shape shape_of(const tc_last_run *run) {
    tc_gpu_shape s = {.dynamic_shared = run->dynamic_shared,
                      .cooperative = tc_run_waits_for_grid(run)};
    memcpy(s.grid, run->grid, sizeof s.grid);
    memcpy(s.block, run->block, sizeof s.block);
    if (run->cluster[0] * run->cluster[1] * run->cluster[2] > 1) {
        memcpy(s.cluster, run->cluster, sizeof s.cluster);
    }
    return s;
}

/* Runs the kernel on the GPU with the run's data. Reports and returns false
 * when there is no GPU, or it refuses. */
static bool run_on_gpu(tc_session *s, tc_span at, gpu_outcome *out) {
    char why[512];
    tc_last_run *run = s->program.run;
    tc_gpu *gpu = tc_gpu_cuda.open(s->gpu, why, sizeof why);
    if (gpu == NULL) {
        tc_error(&s->diags, at, "`run` executes the same PTX in the simulator",
                 "%s", why);
        return false;
    }
    tc_gpu_cuda.describe(gpu, &out->device);
    tc_gpu_launch l = {.ptx = run->ptx,
                       .entry = run->entry,
                       .shape = shape_of(run),
                       .args = make_args(s, run, out),
                       .nargs = run->nargs,
                       .print = keep_print,
                       .print_user = &out->printed};
    bool ok =
        tc_gpu_cuda.run(gpu, &l, &s->cancel, &out->result, why, sizeof why);
    tc_gpu_cuda.close(gpu);
    if (!ok) {
        tc_error(&s->diags, at, NULL, "%s%s",
                 s->cancel ? "" : "the GPU refused: ", why);
    }
    return ok;
}

static uint64_t count_differences(const uint8_t *a, const uint8_t *b,
                                  uint64_t n) {
    uint64_t d = 0;
    for (uint64_t i = 0; i < n; i++) {
        d += a[i] != b[i];
    }
    return d;
}

static void differences_text(const tc_run_buffer *b, const uint8_t *gpu,
                             tc_arena *a, tc_buf *out) {
    int shown = 0;
    uint64_t width = (uint64_t)tc_dtype_bytes(b->buffer->type);
    for (uint64_t i = 0; i < b->bytes && shown < SHOWN_DIFFERENCES; i++) {
        if (b->after[i] == gpu[i]) {
            continue;
        }
        tc_buf_printf(out,
                      "    %s: byte %u is %02x in the simulator, %02x on "
                      "the GPU\n",
                      tc_element_name(a, b->buffer, i), (unsigned)(i % width),
                      b->after[i], gpu[i]);
        i += width - 1 - i % width;
        shown++;
    }
}

/* What may explain a buffer's differences: an instruction that need not give
 * the same bits everywhere. */
static void explain_text(const tc_last_run *run, const tc_run_buffer *b,
                         const uint8_t *gpu, tc_buf *out) {
    const tc_ptx_op *op = tc_run_approximate(run);
    uint64_t ulps;
    if (op == NULL || !tc_run_ulps(b, gpu, &ulps)) {
        return;
    }
    tc_buf_puts(out, "    by at most ");
    tc_describe_count(out, ulps);
    tc_buf_puts(out, " ulp; ");
    tc_run_op_name(op, out);
    bool bounded = (op->flags & (TC_PM_APPROX | TC_PM_FULL)) != 0;
    tc_buf_printf(out,
                  " (line %u) is approximate: PTX %s, and no two machines need "
                  "agree\n",
                  op->line,
                  bounded ? "bounds its error"
                          : "leaves open how it rounds its sums");
}

static bool compare_text(tc_session *s, const gpu_outcome *o, tc_buf *out) {
    bool all = true;
    const tc_last_run *run = s->program.run;
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        uint64_t d = count_differences(b->after, o->after[i], b->bytes);
        tc_buf_printf(out, "  %s: ", b->buffer->name);
        tc_describe_count(out, b->bytes - d);
        tc_buf_puts(out, " of ");
        tc_describe_count(out, b->bytes);
        tc_buf_printf(out, " bytes equal the simulator's\n");
        if (d > 0) {
            differences_text(b, o->after[i], run->arena, out);
            explain_text(run, b, o->after[i], out);
            all = false;
        }
    }
    return all;
}

static void explain_json(const tc_last_run *run, const tc_run_buffer *b,
                         const uint8_t *gpu, json_t *item) {
    const tc_ptx_op *op = tc_run_approximate(run);
    uint64_t ulps;
    if (op == NULL || !tc_run_ulps(b, gpu, &ulps)) {
        return;
    }
    tc_buf name = TC_BUF_INIT;
    tc_run_op_name(op, &name);
    json_object_set_new(item, "ulps", json_integer((json_int_t)ulps));
    json_object_set_new(item, "approximate",
                        json_pack("{s:s,s:I}", "op", tc_buf_text(&name), "line",
                                  (json_int_t)op->line));
    tc_buf_free(&name);
}

static json_t *compare_json(tc_session *s, const gpu_outcome *o, bool *all) {
    json_t *list = json_array();
    const tc_last_run *run = s->program.run;
    *all = true;
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        uint64_t d = count_differences(b->after, o->after[i], b->bytes);
        char hash[17];
        snprintf(hash, sizeof hash, "%016llx",
                 (unsigned long long)tc_fnv1a64(o->after[i], b->bytes));
        *all &= d == 0;
        json_t *item = json_pack("{s:s,s:I,s:s,s:I}", "name", b->buffer->name,
                                 "bytes", (json_int_t)b->bytes, "fnv1a64", hash,
                                 "differing_bytes", (json_int_t)d);
        if (d > 0) {
            explain_json(run, b, o->after[i], item);
        }
        json_array_append_new(list, item);
    }
    return list;
}

static void device_text(tc_session *s, const gpu_outcome *o, tc_buf *b) {
    const tc_gpu_device *d = &o->device;
    const tc_buf *p = &o->printed;
    if (p->len > 0) {
        tc_buf_write(b, p->data, p->len);
        tc_buf_puts(b, p->data[p->len - 1] == '\n' ? "" : "\n");
    }
    tc_buf_printf(b, "%s on %s (sm_%d, driver CUDA %d.%d): %.3f ms\n",
                  s->program.run->entry, d->name, d->sm,
                  d->driver_version / 1000, d->driver_version % 1000 / 10,
                  o->result.kernel_ms);
}

/* Of a run that the simulator did not execute nothing is counted. */
static void uncounted(json_t *reply) {
    json_t *kernel = json_array_get(json_object_get(reply, "kernels"), 0);
    json_object_set_new(kernel, "thread_instructions", json_null());
    json_object_set_new(kernel, "cycles", json_null());
    json_object_set_new(kernel, "counters", json_object());
}

static void device_json(const gpu_outcome *o, json_t *reply) {
    json_object_set_new(reply, "device", json_string(o->device.name));
    json_object_set_new(reply, "sm", json_integer(o->device.sm));
    json_object_set_new(reply, "driver",
                        json_integer(o->device.driver_version));
    json_object_set_new(reply, "kernel_ms", json_real(o->result.kernel_ms));
}

/* The GPU's bytes are the run's. */
static void answer_alone(tc_session *s, const gpu_outcome *o, tc_reply *r) {
    tc_last_run *run = s->program.run;
    for (int i = 0; i < run->nbuffers; i++) {
        run->buffers[i].after = o->after[i];
    }
    tc_buf_write(&run->printed, tc_buf_text(&o->printed), o->printed.len);
    if (s->options.json) {
        r->json = tc_run_json(s, "gpu", tc_run_buffers_json(run),
                              (uint64_t)(o->result.kernel_ms * 1e6));
        uncounted(r->json);
        device_json(o, r->json);
    } else {
        device_text(s, o, &r->text);
        tc_run_buffers_text(s, run, &r->text);
    }
}

static void answer_both(tc_session *s, const gpu_outcome *o, tc_reply *r) {
    const tc_last_run *run = s->program.run;
    bool all;
    if (s->options.json) {
        json_t *buffers = compare_json(s, o, &all);
        bool both = s->options.backend == TC_BACKEND_BOTH;
        r->json = tc_run_json(s, both ? "both" : "gpu", buffers,
                              (uint64_t)(o->result.kernel_ms * 1e6));
        device_json(o, r->json);
        json_object_set_new(r->json, "equal", json_boolean(all));
    } else {
        device_text(s, o, &r->text);
        all = compare_text(s, o, &r->text);
        for (int i = 0; i < run->result.nfindings; i++) {
            tc_finding_text(s, &run->result.findings[i], &r->text);
        }
    }
    s->had_findings |= !all;
}

tc_status tc_run_gpu(tc_session *s, tc_span at, tc_reply *r) {
    tc_last_run *run = s->program.run;
    bool alone = run->sim == NULL;
    gpu_outcome o = {.arena = alone ? run->arena : tc_arena_new()};
    bool ok = run_on_gpu(s, at, &o);
    if (ok && alone) {
        answer_alone(s, &o, r);
    } else if (ok) {
        answer_both(s, &o, r);
    }
    tc_buf_free(&o.printed);
    if (!alone) {
        tc_arena_free(o.arena);
    }
    return ok ? TC_OK : TC_NO_GPU;
}

/* The last launch again; else the program, which the simulator runs first: its
 * data is what the GPU gets, and its findings say whether the GPU's bytes can
 * be trusted to repeat. */
tc_status tc_cmd_gpu(tc_session *s, const tc_command_args *args, tc_reply *r) {
    tc_last_run *last = s->program.run;
    tc_status status = TC_FAILED;
    tc_loaded *program = tc_cuda_newest(s);
    bool timeline = tc_value_of(args, "--timeline") != NULL;
    if (program != NULL && (last == NULL || s->last_exec.exec != NULL)) {
        if (timeline) {
            tc_error(&s->diags, args->span, "launch KERNEL GRID BLOCK ARG...",
                     "--timeline stamps one kernel, that of a `launch`");
            return TC_FAILED;
        }
        bool gpu = s->options.backend == TC_BACKEND_GPU;
        return tc_exec_command(s, program, args,
                               gpu ? TC_BACKEND_GPU : TC_BACKEND_BOTH, r);
    }
    bool again = last != NULL && last->file != NULL;
    if (s->program.func == NULL && s->nfiles > 0 && !again) {
        return tc_need_run(s, args->span, &status) ? TC_OK : status;
    }
    bool ok = again ? last->sim != NULL || (tc_run_fits(s, last, args->span) &&
                                            tc_run_simulate(s, last))
                    : tc_run_make(s, true, args->span, &status);
    if (!ok || !timeline) {
        return ok ? tc_run_gpu(s, args->span, r) : status;
    }
    const tc_command_value *warp = tc_value_of(args, "--warp");
    return tc_gpu_timeline(s, args->span, warp != NULL ? (int)warp->number : -1,
                           r);
}
