/* run.c - executes the program's PTX in the simulator, and on the GPU. */
#include "run/run.h"
#include "base/arch.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

/* --- making a run ----------------------------------------------------------*/

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
static bool make_buffers(tc_session *s, tc_last_run *run) {
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
        if (tc_run_add_buffer(s, run, b) == NULL) {
            return false;
        }
    }
    return true;
}

static uint32_t at_least_1(int64_t n) {
    return n > 0 ? (uint32_t)n : 1;
}

/* Instructions that the parser knows and the simulator does not. */
typedef struct unbuilt {
    tc_diags *to; /* where everything else goes */
    tc_arena *arena;
    const char **names; /* "mapa", each once */
    int n, cap;
} unbuilt;

static void gather_unbuilt(void *user, const tc_diag *d) {
    unbuilt *u = user;
    if (d->code != TC_CODE_UNBUILT) {
        u->to->errors += d->severity == TC_ERROR;
        if (u->to->fn != NULL) {
            u->to->fn(u->to->user, d);
        }
        return;
    }
    for (int i = 0; i < u->n; i++) {
        if (strcmp(u->names[i], d->subject) == 0) {
            return;
        }
    }
    TC_PUSH(u->arena, u->names, u->n, u->cap, tc_strdup(u->arena, d->subject));
}

static void report_unbuilt(tc_session *s, const unbuilt *u) {
    tc_buf names = TC_BUF_INIT;
    for (int i = 0; i < u->n; i++) {
        tc_buf_printf(&names, "%s%s", i > 0 ? ", " : "", u->names[i]);
    }
    if (u->n > 0) {
        tc_error(&s->diags, s->program.func->span,
                 "`ptx` shows the text: ptxas and a GPU take it",
                 "this kernel cannot run on the simulator yet, which does not "
                 "execute: %s",
                 tc_buf_text(&names));
    }
    tc_buf_free(&names);
}

static tc_ptx_module *parse_program(tc_session *s, tc_last_run *run) {
    unbuilt u = {.to = &s->diags, .arena = run->arena};
    tc_diags diags = {gather_unbuilt, &u, 0};
    tc_source *src = TC_NEW(run->arena, tc_source);
    src->name = "<ptx>";
    src->text = run->ptx;
    src->len = strlen(src->text);
    src->first_line = 1;
    tc_ptx_module *m = tc_ptx_parse(run->arena, src, &diags);
    report_unbuilt(s, &u);
    return m;
}

/* Why the program wants more than arch: instructions, clusters or memory. */
static const char *need_words(tc_session *s, const char *arch) {
    const tc_emitted *ptx = &s->program.ptx;
    const int64_t *c = s->program.lowered->cluster;
    tc_arena *a = s->program.arena;
    if (!tc_arch_runs(arch, ptx->code_sm, ptx->code_a ? 'a' : 0)) {
        return tc_format(a,
                         "this kernel has instructions of sm_%d%s, and the "
                         "simulated machine is %s",
                         ptx->code_sm, ptx->code_a ? "a" : "", arch);
    }
    int first = tc_target_first(TC_TARGET_CLUSTERS);
    if (!tc_arch_runs(arch, first, 0) && (c[0] > 1 || c[1] > 1 || c[2] > 1)) {
        return tc_format(a,
                         "this kernel is launched in clusters, which sm_%d is "
                         "the first to have, and the simulated machine is %s",
                         first, arch);
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
    const char *arch = tc_session_arch(s);
    const tc_emitted *ptx = &s->program.ptx;
    char suffix = ptx->sm_a ? 'a' : 0;
    if (tc_arch_runs(arch, ptx->sm, suffix)) {
        return true;
    }
    char hint[64];
    const char *other = tc_arch_for(ptx->sm, suffix);
    if (other == NULL) { /* it was written for --arch's number */
        other = tc_arch_for(ptx->code_sm, ptx->code_a ? 'a' : 0);
    }
    snprintf(hint, sizeof hint, "set arch %s, or --arch %s",
             other != NULL ? other : "", other != NULL ? other : "");
    tc_error(&s->diags, s->program.func->span, other != NULL ? hint : NULL,
             "%s", need_words(s, arch));
    return false;
}

/* The program's run, ready to be executed. */
static bool prepare_program(tc_session *s, tc_last_run *run) {
    const tc_lowered *l = s->program.lowered;
    run->source = s->program.func->source;
    run->span = s->program.func->span;
    run->ptx = s->program.ptx.text;
    run->entry = s->program.ptx.entry;
    run->shared = &s->program.ptx;
    run->dynamic_shared = (uint32_t)l->dynamic_shared;
    for (int i = 0; i < 3; i++) {
        run->grid[i] = at_least_1(l->grid[i]);
        run->block[i] = at_least_1(l->block[i]);
        run->cluster[i] = at_least_1(l->cluster[i]);
    }
    if (!check_arch(s) || !make_buffers(s, run)) {
        return false;
    }
    run->args = TC_NEWN(run->arena, tc_run_arg, run->nbuffers + l->nmaps + 1);
    run->nargs = run->nbuffers;
    for (int i = 0; i < run->nargs; i++) {
        run->args[i] =
            (tc_run_arg){.buffer = i, .offset = (uint32_t)i * 8, .size = 8};
    }
    run->param_bytes = (uint32_t)run->nargs * 8;
    return tc_run_add_maps(s, run);
}

/* --- executing -------------------------------------------------------------*/

tc_last_run *tc_run_new(void) {
    tc_last_run *run = tc_xcalloc(1, sizeof *run);
    run->arena = tc_arena_new();
    return run;
}

tc_run_buffer *tc_run_add_buffer(tc_session *s, tc_last_run *run,
                                 const tc_buffer *b) {
    uint64_t bytes = (uint64_t)tc_buffer_storage(run->arena, b) *
                     (uint64_t)tc_dtype_bytes(b->type);
    if (bytes == 0 || bytes > LARGEST_BUFFER) {
        tc_error(&s->diags, b->span, "at most 1 GiB",
                 "'%s' cannot be filled: it has %llu bytes", b->name,
                 (unsigned long long)bytes);
        return NULL;
    }
    tc_run_buffer *rb = &run->buffers[run->nbuffers];
    *rb = (tc_run_buffer){.buffer = b, .bytes = bytes};
    run->nbuffers++;
    return rb;
}

/* The simulator says what a launch may not ask for, but not where that was
 * written. */
typedef struct placer {
    tc_diags *to;
    tc_span at;
} placer;

static void place(void *user, const tc_diag *d) {
    placer *p = user;
    tc_diag_report(p->to, d->severity, d->line ? TC_NOWHERE : p->at, d->hint,
                   "%s", d->message);
}

/* The parameter block: addresses in the simulated device, and numbers. */
static uint8_t *param_block(const tc_last_run *run) {
    uint8_t *block = tc_alloc(run->arena, run->param_bytes + 1);
    for (int i = 0; i < run->nargs; i++) {
        const tc_run_arg *p = &run->args[i];
        if (p->map != NULL) {
            tc_run_map_bytes(run, p, block + p->offset);
            continue;
        }
        const void *value = p->buffer >= 0
                                ? (const void *)&run->buffers[p->buffer].address
                                : p->value;
        memcpy(block + p->offset, value, p->size);
    }
    return block;
}

/* vprintf of a thread; a second look at the run's state prints nothing. */
static void keep_print(void *user, const char *text, size_t n) {
    enum { MOST = 1 << 20 };
    tc_last_run *run = user;
    size_t left = MOST - (run->printed.len < MOST ? run->printed.len : MOST);
    if (run->running) {
        tc_buf_write(&run->printed, text, n < left ? n : left);
        run->unprinted += n < left ? 0 : n - left;
    }
}

static tc_sim_launch launch_of(const tc_last_run *run) {
    tc_sim_launch l = {.entry = run->entry,
                       .cooperative = true,
                       .registers = run->registers,
                       .machine_code = run->machine_code,
                       .params = param_block(run),
                       .nparams = run->param_bytes,
                       .dynamic_shared = run->dynamic_shared};
    memcpy(l.grid, run->grid, sizeof l.grid);
    memcpy(l.block, run->block, sizeof l.block);
    memcpy(l.cluster, run->cluster, sizeof l.cluster);
    return l;
}

/* The same allocations have the same addresses again. */
tc_sim *tc_run_replay(tc_session *s, const tc_last_run *run,
                      const tc_replay *how, tc_sim_result *out) {
    tc_sim_options o = run->used;
    tc_diags quiet = {0};
    o.hazards = false;
    o.trace = how->trace;
    o.print = NULL;
    tc_sim *sim = tc_sim_new(run->module, &o, &quiet);
    for (int i = 0; sim != NULL && i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        tc_sim_allocation *mem = tc_sim_alloc(sim, b->bytes, b->buffer->name);
        if (mem == NULL || mem->address != b->address) {
            tc_sim_free(sim);
            return NULL;
        }
        tc_run_fill(b, i, s->options.seed, mem->bytes);
    }
    tc_sim_launch l = launch_of(run);
    l.stops = how->stops;
    l.stop_at = how->stop_at;
    l.upto = how->upto;
    if (sim != NULL && !tc_sim_run(sim, &l, &quiet, out)) {
        tc_sim_free(sim);
        sim = NULL;
    }
    return sim;
}

static bool execute(tc_session *s, tc_last_run *run) {
    for (int i = 0; i < run->nbuffers; i++) {
        tc_run_buffer *b = &run->buffers[i];
        tc_sim_allocation *mem =
            tc_sim_alloc(run->sim, b->bytes, b->buffer->name);
        if (mem == NULL) {
            tc_error(&s->diags, b->buffer->span, NULL,
                     "the simulated device is full");
            return false;
        }
        tc_run_fill(b, i, s->options.seed, mem->bytes);
        b->address = mem->address;
        b->after = mem->bytes;
    }
    tc_sim_launch l = launch_of(run);
    placer p = {&s->diags, run->span};
    tc_diags diags = {place, &p, 0};
    run->running = true;
    bool ok = tc_sim_run(run->sim, &l, &diags, &run->result);
    run->running = false;
    if (!ok) {
        return false;
    }
    return true;
}

tc_sim_options tc_run_options(tc_session *s, const char *arch) {
    return (tc_sim_options){.arch = arch,
                            .profile = s->profile,
                            .timing = s->timing,
                            .hazards = s->hazards,
                            .no_suppressions = !s->suppressions,
                            .trace = s->trace,
                            .completion = s->completion,
                            .seed = s->completion_seed,
                            .threads = s->options.threads,
                            .cancel = &s->cancel};
}

bool tc_run_simulate(tc_session *s, tc_last_run *run) {
    tc_sim_options o = tc_run_options(s, tc_session_arch(s));
    o.print = keep_print;
    o.print_user = run;
    if (run->module == NULL) {
        run->module = parse_program(s, run);
    }
    run->used = o;
    o.trace = false; /* made by running again where somebody looks */
    run->registers = tc_run_registers(s, run);
    run->machine_code = tc_run_machine_code(s, run);
    run->sim = run->module ? tc_sim_new(run->module, &o, &s->diags) : NULL;
    if (run->sim != NULL && !execute(s, run)) {
        tc_sim_free(run->sim);
        run->sim = NULL;
    }
    return run->sim != NULL;
}

bool tc_run_make(tc_session *s, bool simulated, tc_span at, tc_status *status) {
    if (!tc_need_ptx(s, at, status)) {
        return false;
    }
    tc_run_free(s->program.run);
    s->program.run = NULL;
    tc_last_run *run = tc_run_new();
    if (!prepare_program(s, run) || (simulated && !tc_run_simulate(s, run))) {
        tc_run_free(run);
        *status = TC_FAILED;
        return false;
    }
    tc_run_retain(s, run);
    return true;
}
