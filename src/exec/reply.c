/* reply.c - what a program's run came to, as text and as JSON. */
#include "exec/exec.h"
#include "explain/explain.h"
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- findings --------------------------------------------------------------*/

static void count_text(tc_buf *b, uint64_t n, const char *what) {
    tc_describe_count(b, n);
    tc_buf_printf(b, " %s%s", what, tc_describe_plural(n));
}

static void put_line_of(tc_exec *e, uint64_t where, tc_buf *b) {
    tc_exec_location p = tc_exec_where(e, where);
    if (p.line > 0 && p.own) {
        tc_buf_printf(b, " (line %d)", p.line);
    } else if (p.line > 0) {
        tc_buf_printf(b, " (%s:%d)", p.file, p.line);
    }
}

/* Which of several launches it was in. */
static void launches_text(tc_exec *e, const tc_exec_finding *f, tc_buf *b) {
    if (f->kernel == NULL || e->launches < 2) {
        return;
    }
    const char *name = tc_kernel_full(e->arena, f->kernel->name);
    tc_buf_puts(b, "  in ");
    if (f->launches > 1) {
        tc_describe_count(b, f->launches);
        tc_buf_printf(b, " launches of %s, first in number ", name);
    } else {
        tc_buf_printf(b, "launch ");
    }
    tc_describe_count(b, f->first);
    if (f->launches == 1) {
        tc_buf_printf(b, ", of %s", name);
    }
    put_line_of(e, f->launch, b);
    tc_buf_putc(b, '\n');
}

static void word_text(const uint8_t *bytes, tc_buf *b) {
    uint32_t w;
    float f;
    memcpy(&w, bytes, sizeof w);
    memcpy(&f, bytes, sizeof f);
    tc_buf_printf(b, "0x%08x (%d, or %.9g)", w, (int)w, (double)f);
}

/* The word that the first differing byte is in. */
static void difference_text(tc_exec *e, const tc_exec_difference *d,
                            tc_buf *b) {
    tc_buf_printf(b, "%s: ", e->source);
    tc_buf_puts(b, "difference: after launch ");
    tc_describe_count(b, d->launch);
    tc_buf_printf(b, " of the program, %s", d->kernel);
    put_line_of(e, d->where, b);
    tc_buf_printf(b, ",\n  %s+%llu holds ", d->buffer,
                  (unsigned long long)d->offset);
    word_text(d->sim, b);
    tc_buf_puts(b, " on the simulator\n  and ");
    word_text(d->gpu, b);
    tc_buf_puts(b, " on the GPU; ");
    count_text(b, d->bytes, "byte");
    tc_buf_puts(b, d->bytes == 1 ? " differs" : " differ");
    if (d->size > 0) {
        tc_buf_puts(b, " of ");
        tc_describe_count(b, d->size);
    }
    tc_buf_putc(b, '\n');
}

void tc_exec_findings_text(tc_exec *e, tc_buf *b) {
    for (int i = 0; i < e->nnotes; i++) {
        tc_buf_printf(b, "%s:", e->source);
        tc_describe_wrapped(b, e->notes[i], (int)strlen(e->source) + 1, 2,
                            e->session->options.width);
    }
    for (int i = 0; i < e->nfindings; i++) {
        tc_buf_puts(b, e->findings[i].text);
        launches_text(e, &e->findings[i], b);
    }
    if (e->findings_left_out > 0) {
        tc_buf_puts(b, "(and ");
        count_text(b, e->findings_left_out, "more finding");
        tc_buf_puts(b, ")\n");
    }
    tc_suppressed_text(e->suppressed, !e->keeps, e->session->options.width, b);
    uint64_t shown = e->ndifferences < TC_EXEC_DIFFERENCES
                         ? e->ndifferences
                         : TC_EXEC_DIFFERENCES;
    for (uint64_t i = 0; i < shown; i++) {
        difference_text(e, &e->differences[i], b);
    }
    if (e->ndifferences > shown) {
        tc_buf_puts(b, "(and ");
        count_text(b, e->ndifferences - shown, "more difference");
        tc_buf_puts(b, ")\n");
    }
    if (e->approximate) {
        tc_buf_puts(b, "  (a kernel has instructions whose result PTX only "
                       "bounds, .approx or .full,\n  sums of matrices, or "
                       "products and sums without .rn, which may become one\n"
                       "  fma: their last bits may differ)\n");
    }
}

/* --- how it ended ----------------------------------------------------------*/

static bool has_host_finding(const tc_exec *e, tc_host_kind kind) {
    for (int i = 0; i < e->nfindings; i++) {
        const tc_exec_finding *f = &e->findings[i];
        if (f->kernel == NULL && f->host_kind == kind) {
            return true;
        }
    }
    return false;
}

static void stopped_text(const tc_exec *e, const char *by, tc_buf *b) {
    tc_buf_printf(b, "%s was stopped %s", e->source, by);
    if (e->where != NULL) {
        tc_buf_printf(b, ", while a kernel ran: %s", e->where);
    }
}

bool tc_exec_explain(const tc_exec *e, tc_buf *b, const char **hint) {
    static const char more_time[] =
        "does a loop never end? --timeout SECONDS allows more";
    const tc_program_result *r = &e->result;
    *hint = NULL;
    switch (r->end) {
    case TC_PROGRAM_EXITED:
        return false;
    case TC_PROGRAM_SIGNALLED:
        tc_buf_printf(b, "%s was ended by signal %d: %s", e->source, r->status,
                      strsignal(r->status));
        if (has_host_finding(e, TC_HOST_DEREF)) {
            tc_buf_puts(b, ", for the access that the finding names");
        }
        return true;
    case TC_PROGRAM_STOPPED:
        tc_buf_printf(b, "%s was stopped: %s", e->source,
                      r->why[0] ? r->why : "a kernel could never end");
        return true;
    case TC_PROGRAM_TIMEOUT:
        stopped_text(e, "by the time limit", b);
        *hint = more_time;
        return true;
    case TC_PROGRAM_LIMIT:
        tc_buf_printf(b, "%s was stopped: %s", e->source, r->why);
        return true;
    case TC_PROGRAM_CANCELLED:
        if (e->session->cancel == 2) {
            stopped_text(e, "by the time limit", b);
            *hint = more_time;
        } else {
            stopped_text(e, "by Ctrl-C", b);
        }
        return true;
    case TC_PROGRAM_MACHINE:
    case TC_PROGRAM_NOT_STARTED:
    case TC_PROGRAM_NO_GPU:
    case TC_PROGRAM_GARBLED:
        break;
    }
    tc_buf_puts(b, r->why[0] ? r->why : "the program could not be run");
    return true;
}

/* --- text ------------------------------------------------------------------*/

static void dims_text(const uint32_t d[3], tc_buf *b) {
    if (d[1] == 1 && d[2] == 1) {
        tc_buf_printf(b, "%u", d[0]);
    } else {
        tc_buf_printf(b, "%ux%ux%u", d[0], d[1], d[2]);
    }
}

static void kernel_text(tc_exec *e, const tc_exec_kernel *k, tc_buf *b) {
    tc_buf_printf(b, "  %s<<<", k->full);
    dims_text(k->grid, b);
    tc_buf_puts(b, ", ");
    dims_text(k->block, b);
    tc_buf_puts(b, ">>>");
    put_line_of(e, k->where, b);
    tc_buf_putc(b, ':');
    if (k->simulated) {
        tc_buf_putc(b, ' ');
        count_text(b, k->counters.thread_instructions, "thread instruction");
        if (e->used.timing) {
            tc_buf_puts(b, ", ");
            count_text(b, k->cycles, "cycle");
        }
    }
    if (k->gpu_ms > 0) {
        tc_buf_printf(b, "%s %.3f ms on the GPU", k->simulated ? "," : "",
                      k->gpu_ms);
    }
    tc_buf_putc(b, '\n');
}

static void verdict_text(const tc_exec *e, tc_buf *b) {
    if (e->used.hazards || e->nfindings > 0) {
        if (e->nfindings == 0) {
            tc_buf_puts(b, "no findings");
        } else {
            count_text(b, (uint64_t)e->nfindings + e->findings_left_out,
                       "finding");
        }
    } else {
        tc_buf_puts(b, "hazards were off: nothing was checked");
    }
}

void tc_exec_text(tc_exec *e, tc_buf *b) {
    enum { SHOWN = 16 };
    int n = e->nkernels < SHOWN ? e->nkernels : SHOWN;
    const char *name = strrchr(e->source, '/');
    tc_buf_printf(b, "%s on the %s (%s), exit status %d; ",
                  name != NULL ? name + 1 : e->source,
                  strcmp(e->backend, "sim") == 0   ? "simulator"
                  : strcmp(e->backend, "gpu") == 0 ? "GPU"
                                                   : "simulator and the GPU",
                  e->used.arch, tc_exec_exit(e));
    tc_describe_count(b, e->launches);
    tc_buf_puts(b, e->launches == 1 ? " launch:\n"
                   : e->launches    ? " launches:\n"
                                    : " launches\n");
    for (int i = 0; i < n; i++) {
        kernel_text(e, &e->kernels[i], b);
    }
    if (e->launches > (uint64_t)n) {
        tc_buf_puts(b, "  ... and ");
        tc_describe_count(b, e->launches - (uint64_t)n);
        tc_buf_puts(b, " more\n");
    }
    if (strcmp(e->backend, "both") == 0 && e->ndifferences == 0 &&
        !e->gpu_failed && e->launches > 0) {
        tc_buf_puts(b, "  after each launch all memory of the GPU equals the "
                       "simulator's\n");
    }
    tc_buf_puts(b, "  ");
    verdict_text(e, b);
    tc_buf_putc(b, '\n');
    tc_exec_findings_text(e, b);
}

/* --- JSON ------------------------------------------------------------------*/

json_t *tc_exec_findings_json(tc_exec *e) {
    json_t *list = json_array();
    for (int i = 0; i < e->nfindings; i++) {
        const tc_exec_finding *f = &e->findings[i];
        json_t *j = json_copy(f->json);
        if (f->kernel != NULL) {
            size_t len;
            const char *name = tc_kernel_name(f->kernel->name, &len);
            json_object_set_new(j, "kernel", json_stringn(name, len));
            json_object_set_new(j, "launch",
                                json_integer((json_int_t)f->first));
        }
        json_object_set_new(j, "times", json_integer((json_int_t)f->launches));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *kernels_json(tc_exec *e) {
    json_t *list = json_array();
    for (int i = 0; i < e->nkernels; i++) {
        const tc_exec_kernel *k = &e->kernels[i];
        json_t *j = tc_run_kernel_json(k->name, k->grid, k->block, k->cluster,
                                       k->model, k->cycles, &k->counters);
        json_object_set_new(j, "wall_ns", json_integer((json_int_t)k->wall_ns));
        if (k->gpu_ms > 0) {
            json_object_set_new(j, "gpu_ms", json_real(k->gpu_ms));
        }
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *hex_json(const uint8_t *bytes, uint64_t n) {
    tc_buf b = TC_BUF_INIT;
    for (uint64_t i = 0; i < n && i < 16; i++) {
        tc_buf_printf(&b, "%02x", bytes[i]);
    }
    json_t *j = json_string(tc_buf_text(&b));
    tc_buf_free(&b);
    return j;
}

static json_t *differences_json(const tc_exec *e) {
    json_t *list = json_array();
    for (uint64_t i = 0; i < e->ndifferences && i < TC_EXEC_DIFFERENCES; i++) {
        const tc_exec_difference *d = &e->differences[i];
        uint64_t n = d->size > d->offset ? d->size - d->offset : 16;
        json_array_append_new(
            list,
            json_pack("{s:s,s:I,s:s,s:I,s:I,s:o,s:o}", "kernel", d->kernel,
                      "launch", (json_int_t)d->launch, "buffer", d->buffer,
                      "offset", (json_int_t)d->offset, "bytes",
                      (json_int_t)d->bytes, "sim", hex_json(d->sim, n), "gpu",
                      hex_json(d->gpu, n)));
    }
    return list;
}

static const char *status_name(const tc_exec *e) {
    switch (e->result.end) {
    case TC_PROGRAM_STOPPED:
        return "deadlock";
    case TC_PROGRAM_LIMIT:
        return "limit";
    case TC_PROGRAM_MACHINE:
        return "refused";
    case TC_PROGRAM_TIMEOUT:
    case TC_PROGRAM_CANCELLED:
        return "timeout";
    default:
        break;
    }
    return e->worst == TC_RUN_DEADLOCK   ? "deadlock"
           : e->worst == TC_RUN_FAULT    ? "fault"
           : e->nfindings > 0            ? "findings"
           : e->ndifferences > 0         ? "findings"
           : e->worst == TC_RUN_FINDINGS ? "findings"
                                         : "ok";
}

json_t *tc_exec_json(tc_exec *e) {
    json_t *j = json_pack(
        "{s:i,s:s,s:s,s:o,s:I,s:o,s:I}", "exit", tc_exec_exit(e), "status",
        status_name(e), "backend", e->backend, "kernels", kernels_json(e),
        "launches", (json_int_t)e->launches, "findings",
        tc_exec_findings_json(e), "wall_ns", (json_int_t)e->result.wall_ns);
    json_object_set_new(j, "timing", json_boolean(e->used.timing));
    if (e->result.end == TC_PROGRAM_MACHINE) {
        json_object_set_new(j, "fault", json_string("machine"));
    }
    if (e->result.taken_s > 0) {
        json_object_set_new(j, "taken_s", json_real(e->result.taken_s));
    }
    if (e->findings_left_out > 0) {
        json_object_set_new(j, "findings_left_out",
                            json_integer((json_int_t)e->findings_left_out));
    }
    json_t *suppressed = tc_suppressed_json(e->suppressed);
    if (suppressed != NULL) {
        json_object_set_new(j, "suppressed", suppressed);
    }
    if (strcmp(e->backend, "both") == 0) {
        json_object_set_new(j, "differences", differences_json(e));
        json_object_set_new(j, "approximate", json_boolean(e->approximate));
    }
    for (int i = 0; i < e->nnotes; i++) {
        json_t *notes = json_object_get(j, "notes");
        if (notes == NULL) {
            notes = json_array();
            json_object_set_new(j, "notes", notes);
        }
        json_array_append_new(notes,
                              tc_text_json(e->notes[i], strlen(e->notes[i])));
    }
    tc_buf why = TC_BUF_INIT;
    const char *hint;
    if (tc_exec_explain(e, &why, &hint)) {
        json_object_set_new(j, "why", tc_text_json(why.data, why.len));
    }
    tc_buf_free(&why);
    return j;
}
