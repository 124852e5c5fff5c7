/* run_reply.c - what a run says, as text and as JSON. */
#include "explain/explain.h"
#include "explain/finding.h"
#include "load/load.h"

#include <string.h>

static void dims(tc_buf *b, const uint32_t d[3]) {
    tc_buf_printf(b, "%ux%ux%u", d[0], d[1], d[2]);
}

static bool same(const tc_run_buffer *a, const tc_run_buffer *b) {
    return a->bytes == b->bytes && memcmp(a->after, b->after, a->bytes) == 0;
}

static void shape_text(tc_buf *b, const tc_buffer *x) {
    tc_buf_printf(b, "%s[", tc_dtypes[x->type].name);
    for (int i = 0; i < x->rank; i++) {
        tc_buf_printf(b, "%s%lld", i ? ", " : "", (long long)x->shape[i]);
    }
    tc_buf_putc(b, ']');
}

void tc_run_buffers_text(tc_session *s, const tc_last_run *run, tc_buf *b) {
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *rb = &run->buffers[i];
        uint64_t n = tc_run_changed(rb, i, s->options.seed);
        tc_buf_printf(b, "  %s ", rb->buffer->name);
        shape_text(b, rb->buffer);
        tc_buf_puts(b, ", ");
        tc_describe_count(b, rb->bytes);
        tc_buf_puts(b, " bytes: ");
        if (n == 0) {
            tc_buf_puts(b, "unchanged");
        } else {
            tc_describe_count(b, n);
            tc_buf_puts(b, " bytes changed");
        }
        tc_buf_putc(b, '\n');
    }
    for (int i = 0; i < run->nbuffers; i++) {
        for (int k = 0; k < i; k++) {
            const tc_run_buffer *x = &run->buffers[i], *y = &run->buffers[k];
            if (x->bytes == y->bytes && x->buffer->type == y->buffer->type) {
                tc_buf_printf(b, "  %s %s %s, byte by byte\n", x->buffer->name,
                              same(x, y) ? "equals" : "differs from",
                              y->buffer->name);
            }
        }
    }
}

/* "743 cycles", "799 cycles, by its machine code", "no cycles: ..." */
static void cycles_text(const tc_last_run *run, tc_buf *b) {
    tc_clock_model model = tc_clock_model_of(run->used.timing, &run->result);
    if (model == TC_CLOCK_NONE) {
        tc_buf_puts(b, "no cycles: timing is off\n");
        return;
    }
    if (run->result.status == TC_RUN_DEADLOCK) { /* of waiting for nobody */
        tc_buf_puts(b, "no cycles: it would go on for ever\n");
        return;
    }
    tc_describe_count(b, run->result.cycles);
    tc_buf_printf(b, " cycle%s%s\n", tc_describe_plural(run->result.cycles),
                  model == TC_CLOCK_SASS ? ", by its machine code" : "");
}

static void counters_text(const tc_last_run *run, tc_buf *b) {
    const tc_sim_counters *c = &run->result.counters;
    tc_buf_puts(b, "  ");
    tc_describe_count(b, c->thread_instructions);
    tc_buf_puts(b, " thread instructions, ");
    cycles_text(run, b);
    if (c->async_copies > c->bulk_copies) {
        tc_buf_puts(b, "  ");
        tc_describe_count(b, c->async_copies - c->bulk_copies);
        tc_buf_puts(b, " cp.async by whole warps, ");
        tc_describe_count(b, c->async_bytes - c->bulk_bytes);
        tc_buf_puts(b, " bytes together\n");
    }
    if (c->bulk_copies > 0) {
        tc_buf_puts(b, "  ");
        tc_describe_count(b, c->bulk_copies);
        tc_buf_puts(b, c->bulk_copies == 1
                           ? " bulk copy by one thread, "
                           : " bulk copies by single threads, ");
        tc_describe_count(b, c->bulk_bytes);
        tc_buf_puts(b, c->bulk_copies == 1 ? " bytes\n" : " bytes together\n");
    }
}

/* Why a clean run of a program with barriers says nothing about them: whether
 * any thread read shared bytes that another thread had written. */
static void sharing_text(tc_session *s, const tc_last_run *run, tc_buf *b) {
    const tc_sim_counters *c = &run->result.counters;
    if (!s->hazards || c->shared_reads_own + c->shared_reads_other == 0) {
        return;
    }
    if (c->shared_reads_other == 0) {
        tc_buf_puts(b, "  each thread read only shared bytes that it had "
                       "filled itself:\n  no barrier was needed\n");
    } else {
        tc_buf_puts(b, "  ");
        tc_describe_count(b, c->shared_reads_other);
        tc_buf_puts(b, " shared bytes were read by a thread that had not "
                       "filled\n  them: barriers order those reads\n");
    }
}

static const char *const run_status_names[] = {"ok", "findings", "deadlock",
                                               "fault", "timeout"};

void tc_run_offer_timeline(tc_session *s, tc_buf *b) {
    const tc_last_run *run = s->program.run;
    if (s->options.view && s->trace && run != NULL &&
        run->result.nfindings > 0) {
        tc_buf_puts(b, "  `timeline --at finding:1` opens the timeline at the "
                       "cycle of the first one\n");
    }
}

void tc_run_findings_text(tc_session *s, tc_buf *b) {
    const tc_last_run *run = s->program.run;
    static const char *const ends[] = {
        "", "", "  it deadlocked: nobody could go on\n",
        "  it faulted: execution stopped there\n",
        "  it was stopped before its end\n"};
    tc_buf_puts(b, ends[run->result.status]);
    if (!s->hazards) {
        tc_buf_puts(b, "  hazards were off: nothing was checked\n");
    } else if (run->result.nfindings == 0) {
        tc_buf_puts(b, "  no findings\n");
    }
    for (int i = 0; i < run->result.nfindings; i++) {
        tc_finding_text(s, &run->result.findings[i], b);
    }
    for (int i = 0; i < run->result.nnotes; i++) {
        const tc_finding *f = &run->result.findings[run->result.nfindings + i];
        tc_buf line = TC_BUF_INIT;
        tc_buf_printf(&line, "note: line %d: ", tc_finding_line(&f->at));
        tc_finding_message(s, f, &line);
        tc_buf_puts(b, "  ");
        tc_describe_wrapped(b, tc_buf_text(&line), 2, 2, s->options.width);
        tc_buf_free(&line);
    }
    tc_suppressed_text(run->result.suppressed, false, s->options.width, b);
    tc_run_offer_timeline(s, b);
}

/* What the kernel printed, as it printed it. */
static void printed_text(const tc_last_run *run, tc_buf *b) {
    const tc_buf *p = &run->printed;
    if (p->len) {
        tc_buf_write(b, p->data, p->len);
        tc_buf_puts(b, p->data[p->len - 1] == '\n' ? "" : "\n");
    }
    if (run->unprinted) {
        tc_buf_puts(b, "  (");
        tc_describe_count(b, run->unprinted);
        tc_buf_puts(b, " bytes more were printed)\n");
    }
}

/* The kernel, as the learner calls it. */
static const char *kernel_name(const tc_last_run *run) {
    return run->file != NULL && run->file->cuda != NULL
               ? tc_kernel_full(run->arena, run->entry)
               : run->entry;
}

void tc_run_text(tc_session *s, tc_buf *b) {
    const tc_last_run *run = s->program.run;
    printed_text(run, b);
    tc_buf_printf(b, "%s on the simulator (%s): grid ", kernel_name(run),
                  tc_session_arch(s));
    dims(b, run->grid);
    tc_buf_puts(b, ", block ");
    dims(b, run->block);
    tc_buf_putc(b, '\n');
    counters_text(run, b);
    tc_run_buffers_text(s, run, b);
    if (run->result.status == TC_RUN_OK) {
        sharing_text(s, run, b);
    }
    tc_run_findings_text(s, b);
}

static json_t *dims_json(const uint32_t d[3]) {
    return json_pack("[I,I,I]", (json_int_t)d[0], (json_int_t)d[1],
                     (json_int_t)d[2]);
}

/* Those of n counters that are not zero, by name. */
static json_t *named_json(const uint64_t *c, const char *const *names, int n) {
    json_t *j = json_object();
    for (int i = 0; i < n; i++) {
        if (c[i]) {
            json_object_set_new(j, names[i], json_integer((json_int_t)c[i]));
        }
    }
    return j;
}

json_t *tc_run_counters_json(const tc_sim_counters *c) {
    json_t *j = json_object();
    json_object_set_new(j, "instructions",
                        named_json(c->classes, tc_class_names, TC_CLASS_COUNT));
    json_object_set_new(j, "stalls",
                        named_json(c->stalls, tc_stall_names, TC_STALL_COUNT));
#define X(name) json_object_set_new(j, #name, json_integer((json_int_t)c->name))
    X(warp_instructions);
    X(ctas_per_sm);
    X(registers);
    X(shared_bytes);
    X(l1_sectors);
    X(l1_sectors_hit);
    X(l1_bypass_bytes);
    X(l2_sectors_read);
    X(l2_sectors_hit);
    X(l2_sectors_written);
    X(dram_sectors_read);
    X(dram_sectors_written);
    X(global_sectors);
    X(shared_wavefronts);
    X(bank_conflicts);
    X(async_copies);
    X(bulk_copies);
    X(bulk_bytes);
    X(async_bytes);
    X(async_read_bytes);
    X(global_read_bytes);
    if (c->result_bytes) {
        X(result_bytes);
        X(result_most_cta);
        X(result_most_thread);
    }
    X(overlapped);
    X(overlapped_own);
    X(busiest_sm);
    X(barriers);
    X(shared_reads_own);
    X(shared_reads_other);
#undef X
    return j;
}

json_t *tc_run_buffers_json(const tc_last_run *run) {
    json_t *list = json_array();
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        char hash[17];
        snprintf(hash, sizeof hash, "%016llx",
                 (unsigned long long)tc_fnv1a64(b->after, b->bytes));
        json_array_append_new(
            list, json_pack("{s:s,s:I,s:s}", "name", b->buffer->name, "bytes",
                            (json_int_t)b->bytes, "fnv1a64", hash));
    }
    return list;
}

json_t *tc_run_kernel_json(const char *name, const uint32_t grid[3],
                           const uint32_t block[3], const uint32_t cluster[3],
                           tc_clock_model model, uint64_t cycles,
                           const tc_sim_counters *c) {
    return json_pack("{s:s,s:o,s:o,s:o,s:I,s:o,s:s,s:o}", "name", name, "grid",
                     dims_json(grid), "block", dims_json(block), "cluster",
                     dims_json(cluster), "thread_instructions",
                     (json_int_t)c->thread_instructions, "cycles",
                     model != TC_CLOCK_NONE ? json_integer((json_int_t)cycles)
                                            : json_null(),
                     "model", tc_clock_model_name(model), "counters",
                     tc_run_counters_json(c));
}

tc_clock_model tc_clock_model_of(bool timing, const tc_sim_result *r) {
    return !timing                   ? TC_CLOCK_NONE
           : r->machine_code != NULL ? TC_CLOCK_SASS
                                     : TC_CLOCK_PTX;
}

const char *tc_clock_model_name(tc_clock_model model) {
    static const char *const names[] = {"none", "ptx", "sass"};
    return names[model];
}

json_t *tc_run_json(tc_session *s, const char *backend, json_t *buffers,
                    uint64_t wall_ns) {
    const tc_last_run *run = s->program.run;
    json_t *kernel = tc_run_kernel_json(
        kernel_name(run), run->grid, run->block, run->cluster,
        tc_clock_model_of(run->used.timing, &run->result), run->result.cycles,
        &run->result.counters);
    json_object_set_new(kernel, "registers_from",
                        json_string(run->registers > 0 ? "ptxas" : "estimate"));
    json_t *all =
        json_pack("{s:s,s:s,s:[o],s:o,s:o,s:I}", "status",
                  run_status_names[run->result.status], "backend", backend,
                  "kernels", kernel, "buffers", buffers, "findings",
                  tc_findings_json(s), "wall_ns", (json_int_t)wall_ns);
    json_t *suppressed = tc_suppressed_json(run->result.suppressed);
    if (suppressed != NULL) {
        json_object_set_new(all, "suppressed", suppressed);
    }
    if (run->printed.len) {
        json_object_set_new(all, "output",
                            tc_text_json(run->printed.data, run->printed.len));
    }
    return all;
}
