/* launch.c - what a program's launches come to, as they happen. The same
 * defect in a kernel that is launched a thousand times is one, with a count. */
#include "exec/exec.h"
#include "explain/explain.h"
#include "explain/finding.h"
#include "explain/finding_cuda.h"
#include "load/load.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

void tc_exec_launching(void *exec, const tc_program_launch *l) {
    tc_exec *e = exec;
    if (e->keeps && l->backend->sim != NULL &&
        l->backend->sim(l->device) != NULL) {
        tc_exec_retain_memory(e, l);
    }
}

/* --- the launch as a run ---------------------------------------------------*/

/* The device's findings end with its next launch; these do not. */
static void copy_result(tc_last_run *run, const tc_sim_result *r) {
    run->result = *r;
    run->result.state = NULL;
    run->result.where = tc_wait_list_copy(run->arena, r->where);
    int n = r->nfindings + r->nnotes;
    run->result.findings = TC_NEWN(run->arena, tc_finding, n + 1);
    for (int i = 0; i < n; i++) {
        run->result.findings[i] = tc_finding_copy(run->arena, &r->findings[i]);
    }
}

static void give_heap(tc_last_run *run, const tc_program_launch *l) {
    tc_sim *sim =
        l->device && l->backend->sim ? l->backend->sim(l->device) : NULL;
    const tc_sim_allocation *heap = sim ? tc_sim_heap(sim) : NULL;
    if (heap) {
        tc_buffer *b = TC_NEW(run->arena, tc_buffer);
        b->name = "device_heap";
        b->type = TC_UINT8;
        b->space = TC_SPACE_GLOBAL;
        run->buffers[run->nbuffers++] = (tc_run_buffer){
            .buffer = b, .bytes = heap->size, .address = heap->address};
    }
}

/* Memory without a type: its elements are named by their bytes. named: what
 * the program calls it matters. */
static void give_buffers(tc_exec *e, tc_last_run *run,
                         const tc_program_launch *l, bool named) {
    run->buffers = TC_NEWN(run->arena, tc_run_buffer, l->nmemory + 2);
    give_heap(run, l);
    for (int i = 0; i < l->nmemory; i++) {
        const tc_device_memory *m = &l->memory[i];
        tc_buffer *b = TC_NEW(run->arena, tc_buffer);
        b->name = named ? tc_exec_memory_name(e, m) : "memory";
        b->type = TC_UINT8;
        b->space = TC_SPACE_GLOBAL;
        run->buffers[run->nbuffers++] = (tc_run_buffer){
            .buffer = b, .bytes = m->bytes, .address = m->address};
    }
}

static tc_last_run *make_run(tc_exec *e, const tc_program_launch *l,
                             bool named) {
    tc_last_run *run = tc_run_new();
    const tc_sim_launch *k = l->launch;
    run->file = (tc_loaded *)e->file;
    run->source = e->file->source;
    run->module = e->file->module;
    run->ptx = e->file->text->text;
    run->entry = l->kernel->name;
    run->dynamic_shared = k->dynamic_shared;
    run->registers = k->registers;
    run->machine_code = l->result->sim.machine_code;
    for (int i = 0; i < 3; i++) {
        uint32_t c = k->cluster[i] ? k->cluster[i] : l->kernel->reqcluster[i];
        run->grid[i] = k->grid[i];
        run->block[i] = k->block[i];
        run->cluster[i] = c ? c : 1;
    }
    run->used = e->used;
    give_buffers(e, run, l, named);
    copy_result(run, &l->result->sim);
    run->trace = l->result->simulated && e->keeps && e->used.trace
                     ? l->backend->take_trace(l->device)
                     : NULL;
    if (e->keeps) {
        tc_exec_give_memory(e, l, run);
    }
    return run;
}

/* --- findings --------------------------------------------------------------*/

/* x's defect at the same place, if it is known already, or NULL. */
static tc_exec_finding *find(tc_exec *e, const tc_exec_finding *x) {
    for (int i = 0; i < e->nfindings; i++) {
        tc_exec_finding *y = &e->findings[i];
        bool host = x->kernel == NULL && y->kernel == NULL;
        bool same = host ? x->host_kind == y->host_kind && x->where == y->where
                         : x->kernel != NULL && y->kernel != NULL &&
                               x->kind == y->kind && x->at == y->at &&
                               x->cause == y->cause;
        if (same) {
            return y;
        }
    }
    return NULL;
}

static tc_exec_finding *add(tc_exec *e, const tc_exec_finding *x) {
    if (e->nfindings == TC_EXEC_FINDINGS) {
        e->findings_left_out++;
        return NULL;
    }
    TC_PUSH(e->arena, e->findings, e->nfindings, e->findings_cap, *x);
    return &e->findings[e->nfindings - 1];
}

static const tc_ptx_op *op_of(const tc_access *a) {
    return a->valid ? a->op : NULL;
}

static tc_exec_finding kernels(const tc_exec *e, const tc_program_launch *l,
                               const tc_finding *f) {
    return (tc_exec_finding){.kernel = l->kernel,
                             .kind = f->kind,
                             .at = op_of(&f->at),
                             .cause = op_of(&f->cause),
                             .launch = l->where,
                             .launches = 1,
                             .first = e->launches,
                             .last = e->launches};
}

/* Memory that a kernel reached for and that had been freed: what it was. */
static void add_freed(tc_exec *e, const tc_program_launch *l,
                      const tc_finding *f, tc_buf *text, json_t *j) {
    tc_device_memory was;
    uint64_t freed;
    bool global = f->space == TC_PS_GLOBAL || f->space == TC_PS_GENERIC;
    if (f->kind != TC_FINDING_OUT_OF_BOUNDS || !global ||
        !tc_program_freed(l, f->address, &was, &freed)) {
        return;
    }
    tc_exec_location p = tc_exec_where(e, freed);
    tc_buf note = TC_BUF_INIT;
    tc_buf_printf(&note, "%s was there, until ", tc_exec_memory_name(e, &was));
    if (p.line > 0) {
        tc_buf_printf(&note, "line %d freed it", p.line);
    } else {
        tc_buf_puts(&note, "it was freed");
    }
    tc_buf_printf(text, "  %s\n", tc_buf_text(&note));
    json_object_set_new(j, "freed", json_string(tc_buf_text(&note)));
    tc_buf_free(&note);
}

/* A finding of the run that is the session's now. */
static void add_finding(tc_exec *e, const tc_program_launch *l,
                        const tc_finding *f) {
    tc_exec_finding x = kernels(e, l, f);
    tc_exec_finding *known = find(e, &x);
    if (known != NULL) { /* once a launch */
        known->launches += known->last != e->launches;
        known->last = e->launches;
        return;
    }
    tc_exec_finding *to = add(e, &x);
    if (to != NULL) {
        tc_buf text = TC_BUF_INIT;
        tc_finding_text(e->session, f, &text);
        to->json = tc_finding_json(e->session, f);
        add_freed(e, l, f, &text, to->json);
        to->text = tc_buf_finish(&text, e->arena);
    }
}

/* Findings of a launch, and what counts as such with --pedantic. */
static int counted(const tc_exec *e, const tc_sim_result *r) {
    return r->nfindings + (e->pedantic ? r->nnotes : 0);
}

static bool all_known(tc_exec *e, const tc_program_launch *l) {
    const tc_sim_result *r = &l->result->sim;
    for (int i = 0; i < r->nfindings + r->nnotes; i++) {
        tc_exec_finding x = kernels(e, l, &r->findings[i]);
        if (find(e, &x) == NULL) {
            return false;
        }
    }
    return true;
}

/* --- differences -----------------------------------------------------------*/

static void add_difference(tc_exec *e, const tc_program_launch *l,
                           const tc_device_difference *d) {
    if (e->ndifferences++ >= TC_EXEC_DIFFERENCES) {
        return;
    }
    tc_exec_difference *x = &e->differences[e->ndifferences - 1];
    size_t len;
    const char *name = tc_kernel_name(l->kernel->name, &len);
    *x = (tc_exec_difference){.kernel = tc_strndup(e->arena, name, len),
                              .buffer = "device memory",
                              .launch = e->launches,
                              .where = l->where,
                              .offset = d->offset,
                              .bytes = d->bytes};
    memcpy(x->sim, d->sim, sizeof x->sim);
    memcpy(x->gpu, d->gpu, sizeof x->gpu);
    for (int i = 0; i < l->nmemory; i++) {
        const tc_device_memory *m = &l->memory[i];
        if (d->address >= m->address && d->address - m->address < m->bytes) {
            x->buffer = tc_exec_memory_name(e, m);
            x->size = m->bytes;
        }
    }
}

/* --- the callbacks ---------------------------------------------------------*/

static void add_note(tc_exec *e, const char *text) {
    for (int i = 0; i < e->nnotes; i++) {
        if (strcmp(e->notes[i], text) == 0) {
            return;
        }
    }
    if (e->nnotes < TC_EXEC_FINDINGS) {
        TC_PUSH(e->arena, e->notes, e->nnotes, e->notes_cap, text);
    }
}

/* What is right, and nothing but luck of the values makes it so. */
static void note_finding(tc_exec *e, const tc_finding *f) {
    tc_buf text = TC_BUF_INIT;
    tc_buf_printf(&text, "line %d: note: %s: ", tc_finding_line(&f->at),
                  tc_finding_kind_names[f->kind]);
    tc_finding_message(e->session, f, &text);
    tc_buf_puts(&text, " (--pedantic counts it)");
    add_note(e, tc_buf_finish(&text, e->arena));
}

static void add_kernel(tc_exec *e, const tc_program_launch *l) {
    const tc_device_launched *r = l->result;
    size_t len;
    const char *name = tc_kernel_name(l->kernel->name, &len);
    if (e->nkernels == TC_EXEC_KERNELS) {
        return;
    }
    tc_exec_kernel k = {.name = tc_strndup(e->arena, name, len),
                        .full = tc_kernel_full(e->arena, l->kernel->name),
                        .simulated = r->simulated,
                        .gpu_ms = r->gpu_ms,
                        .where = l->where};
    for (int i = 0; i < 3; i++) {
        uint32_t c = l->launch->cluster[i] ? l->launch->cluster[i]
                                           : l->kernel->reqcluster[i];
        k.grid[i] = l->launch->grid[i];
        k.block[i] = l->launch->block[i];
        k.cluster[i] = c ? c : 1;
    }
    if (r->simulated) {
        k.cycles = r->sim.cycles;
        k.model = tc_clock_model_of(e->used.timing, &r->sim);
        k.wall_ns = r->sim.wall_ns;
        k.counters = r->sim.counters;
    }
    TC_PUSH(e->arena, e->kernels, e->nkernels, e->kernels_cap, k);
}

/* The order of severity of how launches end. */
static void note_status(tc_exec *e, const tc_device_launched *r) {
    tc_run_status s = r->simulated ? r->sim.status
                      : r->fault   ? TC_RUN_FAULT
                                   : TC_RUN_OK;
    if (s == TC_RUN_CANCELLED && r->simulated && r->sim.where != NULL) {
        tc_buf where = TC_BUF_INIT;
        tc_waiter_text(r->sim.where, true, e->arena, &where);
        e->where = tc_buf_finish(&where, e->arena);
    }
    static const int rank[] = {[TC_RUN_OK] = 0,
                               [TC_RUN_FINDINGS] = 1,
                               [TC_RUN_FAULT] = 2,
                               [TC_RUN_DEADLOCK] = 3,
                               [TC_RUN_CANCELLED] = 4};
    e->worst = rank[s] > rank[e->worst] ? s : e->worst;
}

/* What the GPU said, in a sentence: the simulator has findings instead. */
static void note_gpu(tc_exec *e, const tc_program_launch *l) {
    const tc_device_launched *r = l->result;
    bool both =
        r->simulated && r->why != NULL && r->error != 0 &&
        (r->sim.status == TC_RUN_OK || r->sim.status == TC_RUN_FINDINGS);
    size_t len;
    const char *name = tc_kernel_name(l->kernel->name, &len);
    if (!both && (r->simulated || !r->fault)) {
        return;
    }
    tc_exec_location p = tc_exec_where(e, l->where);
    tc_buf b = TC_BUF_INIT;
    tc_buf_printf(&b, "launch %llu, of %.*s", (unsigned long long)e->launches,
                  (int)len, name);
    if (p.line > 0) {
        tc_buf_printf(&b, " (line %d)", p.line);
    }
    tc_buf_printf(&b, ": %s", r->why ? r->why : "the GPU reports a fault");
    const char *text = tc_buf_finish(&b, e->arena);
    if (e->nnotes < TC_EXEC_FINDINGS) {
        TC_PUSH(e->arena, e->notes, e->nnotes, e->notes_cap, text);
    }
    e->gpu_failed |= both;
    e->gpu_faults += !both;
}

void tc_exec_launched(void *exec, const tc_program_launch *l) {
    tc_exec *e = exec;
    tc_session *s = e->session;
    const tc_device_launched *r = l->result;
    if (r->error != 0 && !r->fault && !r->simulated) {
        return; /* it never started: the program has been told */
    }
    e->launches++;
    add_kernel(e, l);
    note_status(e, r);
    note_gpu(e, l);
    for (int i = 0; r->simulated && i < TC_SUPPRESSION_COUNT; i++) {
        e->suppressed[i] += r->sim.suppressed[i];
    }
    e->approximate |= r->ndifferences > 0 && r->approximate;
    for (int i = 0; i < r->ndifferences; i++) {
        add_difference(e, l, &r->differences[i]);
    }
    bool found = r->simulated && r->sim.nfindings + r->sim.nnotes > 0;
    bool new = found && !all_known(e, l);
    if (r->simulated && (e->keeps || new)) {
        tc_run_free(s->program.run);
        s->program.run = make_run(e, l, new || (found && e->keeps));
    }
    int n = r->simulated ? counted(e, &r->sim) : 0;
    for (int i = 0; i < n; i++) {
        add_finding(e, l, &r->sim.findings[i]);
    }
    for (int i = n; new &&i < r->sim.nfindings + r->sim.nnotes; i++) {
        note_finding(e, &r->sim.findings[i]);
    }
}

/* --- the host's side -------------------------------------------------------*/

static void put_line(const tc_exec *e, const tc_exec_location *p,
                     const char *mark, tc_buf *b) {
    int len;
    const char *line =
        p->own ? tc_describe_line(e->file->source, p->line, &len) : NULL;
    if (line != NULL) {
        tc_buf_printf(b, "  %5d %s %.*s\n", p->line, mark, len, line);
    }
}

/* What the line calls the memory that nobody freed, if it allocates one. */
static const char *leaked(tc_exec *e, const tc_host_finding *f,
                          const tc_exec_location *p) {
    int len;
    const char *line =
        p->own ? tc_describe_line(e->file->source, p->line, &len) : NULL;
    if (line == NULL || f->kind != TC_HOST_LEAK ||
        tc_exec_allocated(e->arena, line, (size_t)len, 1) != NULL) {
        return NULL;
    }
    return tc_exec_allocated(e->arena, line, (size_t)len, 0);
}

/* "prog.cu:23: finding: host-double-free", the sentence, and the lines. */
static const char *host_text(tc_exec *e, const tc_host_finding *f,
                             const tc_exec_location *p,
                             const tc_exec_location *cause) {
    tc_buf b = TC_BUF_INIT;
    const char *memory = leaked(e, f, p);
    tc_buf_printf(&b, "%s:", p->line > 0 ? p->file : e->source);
    if (p->line > 0) {
        tc_buf_printf(&b, "%d:", p->line);
    }
    tc_buf_printf(&b, " finding: %s\n  ", tc_host_rows[f->kind].name);
    const char *text =
        memory ? tc_format(e->arena, "%s: %s", memory, f->message) : f->message;
    tc_describe_wrapped(&b, text, 2, 2, e->session->options.width);
    bool first = cause->line > 0 && cause->line < p->line;
    if (first) {
        put_line(e, cause, "|", &b);
    }
    put_line(e, p, ">", &b);
    if (!first && cause->line != p->line) {
        put_line(e, cause, "|", &b);
    }
    return tc_buf_finish(&b, e->arena);
}

static json_t *host_json(const tc_exec *e, const tc_host_finding *f,
                         const tc_exec_location *p,
                         const tc_exec_location *cause) {
    json_t *why = cause->line > 0
                      ? json_pack("{s:s,s:i,s:s}", "what", "an earlier call",
                                  "line", cause->line, "missing", "")
                      : json_null();
    return json_pack("{s:s,s:s,s:s,s:i,s:n,s:n,s:n,s:n,s:o}", "kind",
                     tc_host_rows[f->kind].name, "message", f->message, "file",
                     p->line > 0 ? p->file : e->source, "line", p->line,
                     "cycle", "thread", "object", "bytes", "cause", why);
}

/* A call that is not built, or that a limit refuses, is no mistake of the
 * program's. */
static void note(tc_exec *e, const tc_host_finding *f) {
    tc_exec_location p = tc_exec_where(e, f->where);
    const char *text =
        p.line > 0 ? tc_format(e->arena, "line %d: %s", p.line, f->message)
                   : tc_strdup(e->arena, f->message);
    add_note(e, text);
}

static void add_host(tc_exec *e, const tc_host_finding *f) {
    tc_exec_finding x = {
        .host_kind = f->kind, .where = f->where, .launches = 1};
    tc_exec_finding *known = find(e, &x);
    if (known != NULL) {
        known->launches++;
        return;
    }
    tc_exec_location p = tc_exec_where(e, f->where);
    tc_exec_location cause = tc_exec_where(e, f->cause);
    x.text = host_text(e, f, &p, &cause);
    tc_exec_finding *to = add(e, &x);
    if (to != NULL) {
        to->json = host_json(e, f, &p, &cause);
    }
}

void tc_exec_misused(void *exec, const tc_host_finding *f) {
    tc_exec *e = exec;
    switch (tc_host_rows[f->kind].counts) {
    case TC_HOST_ALWAYS:
        add_host(e, f);
        break;
    case TC_HOST_PEDANTIC:
        if (e->pedantic) {
            add_host(e, f);
        }
        break;
    case TC_HOST_NOTE:
        note(e, f);
        break;
    }
}
