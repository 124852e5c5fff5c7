/* run.c - executes the program's PTX in the simulator, and on the GPU. */
#include "session/run.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

/* --- making a run ------------------------------------------------------------
 */

enum { LARGEST_BUFFER = 1 << 30 }; /* bytes */

/* The buffer that handle parameter v is matched to, or NULL. */
static const tc_buffer *buffer_of(const tc_func *f, const tc_var *v) {
    for (int i = 0; i < f->nbuffers; i++) {
        if (f->buffers[i]->param == v && f->buffers[i]->base == NULL) {
            return f->buffers[i];
        }
    }
    return NULL;
}

/* The kernel's buffers, filled. Reports and returns false for parameters that
 * a run cannot fill. */
static bool make_buffers(tc_session *s, tc_run *run) {
    const tc_func *f = s->program.func;
    run->buffers = TC_NEWN(run->arena, tc_run_buffer, f->nparams + 1);
    for (int i = 0; i < f->nparams; i++) {
        const tc_buffer *b = buffer_of(f, f->params[i]);
        if (b == NULL) {
            tc_error(&s->diags, f->params[i]->span,
                     "match it to a buffer with T.match_buffer",
                     "run cannot fill the parameter '%s': it is no buffer",
                     f->params[i]->name);
            return false;
        }
        uint64_t bytes = (uint64_t)tc_buffer_storage(run->arena, b) *
                         (uint64_t)tc_dtype_bytes(b->type);
        if (bytes == 0 || bytes > LARGEST_BUFFER) {
            tc_error(&s->diags, b->span, "at most 1 GiB",
                     "run cannot fill '%s': it has %llu bytes", b->name,
                     (unsigned long long)bytes);
            return false;
        }
        tc_run_buffer *rb = &run->buffers[run->nbuffers++];
        *rb = (tc_run_buffer){.buffer = b, .bytes = bytes};
        rb->before = tc_alloc(run->arena, bytes);
        rb->after = tc_alloc(run->arena, bytes);
        tc_fill_buffer(rb->before, bytes, b->type, i, s->options.seed);
    }
    return true;
}

static uint32_t at_least_1(int64_t n) {
    return n > 0 ? (uint32_t)n : 1;
}

static void copy_geometry(const tc_lowered *l, tc_run *run) {
    for (int i = 0; i < 3; i++) {
        run->grid[i] = at_least_1(l->grid[i]);
        run->block[i] = at_least_1(l->block[i]);
        run->cluster[i] = at_least_1(l->cluster[i]);
    }
}

/* Instructions that the parser knows and the simulator does not. */
typedef struct unbuilt {
    tc_diags *to; /* where everything else goes */
    tc_buf names; /* "mapa, mbarrier.init" */
} unbuilt;

/* The quoted words of "modifier '.shared::cluster' of 'cvta' is not built yet"
 * or "opcode 'mapa' is not built yet", as the instruction begins. */
static bool unbuilt_name(const char *message, char *out, size_t size) {
    char word[2][48] = {"", ""};
    int n = 0;
    size_t len = strlen(message), end = strlen("is not built yet");
    if (len < end || strcmp(message + len - end, "is not built yet") != 0) {
        return false;
    }
    for (const char *p = message; n < 2 && (p = strchr(p, '\'')) != NULL; n++) {
        size_t w = strcspn(++p, "'");
        if (w >= sizeof word[0]) {
            return false;
        }
        memcpy(word[n], p, w);
        p += w + (p[w] != '\0');
    }
    snprintf(out, size, "%s%s", word[1], word[0]);
    return n > 0;
}

static void gather_unbuilt(void *user, const tc_diag *d) {
    unbuilt *u = user;
    char name[100], quoted[104];
    if (!unbuilt_name(d->message, name, sizeof name)) {
        u->to->errors += d->severity == TC_ERROR;
        if (u->to->fn != NULL) {
            u->to->fn(u->to->user, d);
        }
        return;
    }
    snprintf(quoted, sizeof quoted, ", %s,", name);
    tc_buf all = TC_BUF_INIT;
    tc_buf_printf(&all, ", %s,", tc_buf_text(&u->names));
    if (strstr(tc_buf_text(&all), quoted) == NULL) {
        tc_buf_printf(&u->names, "%s%s", u->names.len > 0 ? ", " : "", name);
    }
    tc_buf_free(&all);
}

static tc_ptx_module *parse_ptx(tc_session *s, tc_run *run) {
    unbuilt u = {.to = &s->diags, .names = TC_BUF_INIT};
    tc_diags diags = {gather_unbuilt, &u, 0};
    tc_source *src = TC_NEW(run->arena, tc_source);
    src->name = "<ptx>";
    src->text = s->program.ptx.text;
    src->len = strlen(src->text);
    src->first_line = 1;
    tc_ptx_module *m = tc_ptx_parse(run->arena, src, &diags);
    if (u.names.len > 0) {
        tc_error(&s->diags, s->program.func->span,
                 "`ptx` shows the text: ptxas and a GPU take it",
                 "this kernel cannot run on the simulator yet, which does not "
                 "execute: %s",
                 tc_buf_text(&u.names));
    }
    tc_buf_free(&u.names);
    return m;
}

/* Is a machine of arch one of sm (and of its arch-specific form)? */
static bool arch_has(const char *arch, int sm, bool a) {
    int have = atoi(arch + 3);
    return sm < have || (sm == have && (!a || strchr(arch + 3, 'a') != NULL));
}

/* Why the program wants more than arch: instructions, clusters or memory. */
static const char *need_words(tc_session *s, const char *arch) {
    const tc_emitted *ptx = &s->program.ptx;
    const int64_t *c = s->program.lowered->cluster;
    tc_arena *a = s->program.arena;
    if (!arch_has(arch, ptx->code_sm, ptx->code_a)) {
        return tc_format(a,
                         "this kernel has instructions of sm_%d%s, and the "
                         "simulated machine is %s",
                         ptx->code_sm, ptx->code_a ? "a" : "", arch);
    }
    if (!arch_has(arch, 90, false) && (c[0] > 1 || c[1] > 1 || c[2] > 1)) {
        return tc_format(a,
                         "this kernel is launched in clusters, which sm_90 is "
                         "the first to have, and the simulated machine is %s",
                         arch);
    }
    if (ptx->shared_static > TC_SHARED_STATIC) {
        return tc_format(a,
                         "this kernel has %lld bytes of static shared memory, "
                         "and %s takes at most %d (48 KiB)",
                         (long long)ptx->shared_static, arch, TC_SHARED_STATIC);
    }
    return tc_format(a,
                     "this kernel has %lld bytes of shared memory, and a CTA "
                     "of %s has at most %d (163 KiB)",
                     (long long)ptx->shared_all, arch, TC_SHARED_SM_80);
}

/* The machine must have every instruction of the text, and the memory. */
static bool check_arch(tc_session *s) {
    const char *arch = s->options.arch ? s->options.arch : tc_sim_archs()[0];
    const tc_emitted *ptx = &s->program.ptx;
    if (arch_has(arch, ptx->sm, ptx->sm_a)) {
        return true;
    }
    char hint[64];
    snprintf(hint, sizeof hint, "--arch sm_%d%s", ptx->sm,
             ptx->sm_a || ptx->sm == 100 ? "a" : "");
    tc_error(&s->diags, s->program.func->span, hint, "%s", need_words(s, arch));
    return false;
}

static bool simulate(tc_session *s, tc_run *run) {
    tc_sim_options o = {.arch = s->options.arch ? s->options.arch
                                                : tc_sim_archs()[0],
                        .timing = s->timing,
                        .hazards = s->hazards,
                        .trace = s->trace,
                        .completion = s->completion,
                        .seed = s->completion_seed,
                        .cancel = &s->cancel};
    run->module = parse_ptx(s, run);
    run->sim = run->module ? tc_sim_new(run->module, &o, &s->diags) : NULL;
    if (run->sim == NULL) {
        return false;
    }
    uint64_t params[64] = {0};
    tc_sim_allocation *mem[64];
    if (run->nbuffers > 64) {
        tc_error(&s->diags, s->program.func->span, "at most 64",
                 "too many kernel parameters: %d", run->nbuffers);
        return false;
    }
    for (int i = 0; i < run->nbuffers; i++) {
        tc_run_buffer *b = &run->buffers[i];
        mem[i] = tc_sim_alloc(run->sim, b->bytes, b->buffer->name);
        if (mem[i] == NULL) {
            tc_error(&s->diags, b->buffer->span, NULL,
                     "the simulated device is full");
            return false;
        }
        memcpy(mem[i]->bytes, b->before, b->bytes);
        params[i] = b->address = mem[i]->address;
    }
    tc_sim_launch l = {.entry = s->program.ptx.entry,
                       .params = (const uint8_t *)params,
                       .nparams = (uint32_t)run->nbuffers * 8,
                       .dynamic_shared =
                           (uint32_t)s->program.lowered->dynamic_shared};
    memcpy(l.grid, run->grid, sizeof l.grid);
    memcpy(l.block, run->block, sizeof l.block);
    memcpy(l.cluster, run->cluster, sizeof l.cluster);
    if (!tc_sim_run(run->sim, &l, &s->diags, &run->result)) {
        return false;
    }
    for (int i = 0; i < run->nbuffers; i++) {
        memcpy(run->buffers[i].after, mem[i]->bytes, run->buffers[i].bytes);
    }
    run->trace = tc_sim_take_trace(run->sim);
    return true;
}

bool tc_run_make(tc_session *s, tc_span at, tc_status *status) {
    if (!tc_need_ptx(s, at, status)) {
        return false;
    }
    tc_run_free(s->program.run);
    s->program.run = NULL;
    tc_run *run = tc_xcalloc(1, sizeof *run);
    run->arena = tc_arena_new();
    copy_geometry(s->program.lowered, run);
    if (!check_arch(s) || !make_buffers(s, run) || !simulate(s, run)) {
        tc_run_free(run);
        *status = TC_FAILED;
        return false;
    }
    s->program.run = run;
    s->had_findings |= run->result.status != TC_RUN_OK &&
                       run->result.status != TC_RUN_CANCELLED;
    return true;
}

bool tc_need_run(tc_session *s, tc_span at, tc_status *status) {
    return s->program.run != NULL || tc_run_make(s, at, status);
}

/* --- what a run says
 * ------------------------------------------------------------ */

static void dims(tc_buf *b, const uint32_t d[3]) {
    tc_buf_printf(b, "%ux%ux%u", d[0], d[1], d[2]);
}

static bool same(const tc_run_buffer *a, const tc_run_buffer *b) {
    return a->bytes == b->bytes && memcmp(a->after, b->after, a->bytes) == 0;
}

static uint64_t changed_bytes(const tc_run_buffer *b) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < b->bytes; i++) {
        n += b->before[i] != b->after[i];
    }
    return n;
}

static void shape_text(tc_buf *b, const tc_buffer *x) {
    tc_buf_printf(b, "%s[", tc_dtypes[x->type].name);
    for (int i = 0; i < x->rank; i++) {
        tc_buf_printf(b, "%s%lld", i ? ", " : "", (long long)x->shape[i]);
    }
    tc_buf_putc(b, ']');
}

static void buffers_text(const tc_run *run, tc_buf *b) {
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *rb = &run->buffers[i];
        uint64_t n = changed_bytes(rb);
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

static void counters_text(const tc_run *run, tc_buf *b) {
    const tc_sim_counters *c = &run->result.counters;
    tc_buf_puts(b, "  ");
    tc_describe_count(b, c->thread_instructions);
    tc_buf_puts(b, " thread instructions, ");
    tc_describe_count(b, run->result.cycles);
    tc_buf_puts(b, " cycles\n");
    if (c->async_copies > 0) {
        tc_buf_puts(b, "  ");
        tc_describe_count(b, c->async_copies);
        tc_buf_puts(b, " cp.async by whole warps, ");
        tc_describe_count(b, c->async_bytes);
        tc_buf_puts(b, " bytes together\n");
    }
}

/* Why a clean run of a program with barriers says nothing about them: whether
 * any thread read shared bytes that another thread had written. */
static void sharing_text(tc_session *s, const tc_run *run, tc_buf *b) {
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

static void findings_summary(tc_session *s, const tc_run *run, tc_buf *b) {
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
}

static void run_text(tc_session *s, tc_buf *b) {
    const tc_run *run = s->program.run;
    tc_buf_printf(b, "%s on the simulator (%s): grid ", s->program.ptx.entry,
                  s->options.arch ? s->options.arch : tc_sim_archs()[0]);
    dims(b, run->grid);
    tc_buf_puts(b, ", block ");
    dims(b, run->block);
    tc_buf_putc(b, '\n');
    counters_text(run, b);
    buffers_text(run, b);
    if (run->result.status == TC_RUN_OK) {
        sharing_text(s, run, b);
    }
    findings_summary(s, run, b);
}

static json_t *dims_json(const uint32_t d[3]) {
    return json_pack("[I,I,I]", (json_int_t)d[0], (json_int_t)d[1],
                     (json_int_t)d[2]);
}

static json_t *counters_json(const tc_sim_counters *c) {
    json_t *j = json_object();
#define X(name) json_object_set_new(j, #name, json_integer((json_int_t)c->name))
    X(warp_instructions);
    X(global_sectors);
    X(shared_wavefronts);
    X(bank_conflicts);
    X(async_copies);
    X(async_bytes);
    X(barriers);
    X(shared_reads_own);
    X(shared_reads_other);
#undef X
    return j;
}

static json_t *buffers_json(const tc_run *run) {
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

json_t *tc_run_json(tc_session *s, const char *backend, json_t *buffers,
                    uint64_t wall_ns) {
    const tc_run *run = s->program.run;
    json_t *kernel =
        json_pack("{s:s,s:o,s:o,s:o,s:I,s:I,s:o}", "name", s->program.ptx.entry,
                  "grid", dims_json(run->grid), "block", dims_json(run->block),
                  "cluster", dims_json(run->cluster), "thread_instructions",
                  (json_int_t)run->result.counters.thread_instructions,
                  "cycles", (json_int_t)run->result.cycles, "counters",
                  counters_json(&run->result.counters));
    return json_pack("{s:s,s:s,s:[o],s:o,s:o,s:I}", "status",
                     run_status_names[run->result.status], "backend", backend,
                     "kernels", kernel, "buffers", buffers, "findings",
                     tc_findings_json(s), "wall_ns", (json_int_t)wall_ns);
}

/* A run that was ended from outside: by whom, and what it was doing. */
static void report_stopped(tc_session *s) {
    const tc_sim_result *res = &s->program.run->result;
    bool limit = s->cancel == 2;
    const char *where = res->where ? res->where : "";
    int first = (int)strcspn(where, "\n");
    int more = 0;
    for (const char *p = where + first; *p != '\0'; p++) {
        more += *p == '\n' && p[1] != '\0';
    }
    tc_buf at = TC_BUF_INIT;
    tc_buf_printf(&at, "%.*s", first, where);
    if (more > 0) {
        tc_buf_printf(&at, "; and %d more group%s of lanes", more,
                      more == 1 ? "" : "s");
    }
    tc_error(&s->diags, TC_NOWHERE,
             limit ? "does a loop never end? --timeout SECONDS allows more"
                   : NULL,
             "%s after %llu cycles, with the program still running: %s",
             limit ? "stopped by the time limit" : "interrupted",
             (unsigned long long)res->cycles, tc_buf_text(&at));
    tc_buf_free(&at);
}

static tc_status run_on_sim(tc_session *s, const tc_args *args, tc_reply *r) {
    tc_status status;
    if (!tc_run_make(s, args->span, &status)) {
        return status;
    }
    if (s->program.run->result.status == TC_RUN_CANCELLED) {
        report_stopped(s);
        return TC_FAILED;
    }
    if (s->options.json) {
        r->json = tc_run_json(s, "sim", buffers_json(s->program.run),
                              s->program.run->result.wall_ns);
    } else {
        run_text(s, &r->text);
    }
    return TC_OK;
}

tc_status tc_cmd_run(tc_session *s, const tc_args *args, tc_reply *r) {
    if (args->n > 0) {
        tc_error(&s->diags, args->span, NULL, "run takes no arguments");
        return TC_USAGE;
    }
    if (s->options.backend == TC_BACKEND_SIM) {
        return run_on_sim(s, args, r);
    }
    return tc_cmd_gpu(s, args, r);
}

tc_status tc_cmd_findings(tc_session *s, const tc_args *args, tc_reply *r) {
    tc_status status;
    if (!tc_need_run(s, args->span, &status)) {
        return status;
    }
    if (s->options.json) {
        r->json = json_pack("{s:o}", "findings", tc_findings_json(s));
    } else {
        findings_summary(s, s->program.run, &r->text);
    }
    return TC_OK;
}
