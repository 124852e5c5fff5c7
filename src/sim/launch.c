/* launch.c - what a kernel may ask for, and what its execution needs. */
#include "sim/launch.h"
#include "base/arch.h"
#include "base/cancel.h"
#include "base/progress/progress.h"
#include "sim/async/tmem.h"
#include "sim/async/transfer.h"
#include "sim/core/finding.h"
#include "sim/fast/fast.h"
#include "sim/race/race.h"
#include "sim/threads.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- checks ---- */

static bool check_entry(const tc_sim *s, const tc_sim_launch *l,
                        tc_diags *diags, const tc_ptx_func **out) {
    const tc_ptx_module *m = s->module;
    *out = l->entry ? tc_ptx_find_entry(m, l->entry) : NULL;
    if (*out) {
        return true;
    }
    const char **names = TC_NEWN(s->arena, const char *, m->nfuncs + 1);
    int n = 0;
    for (int i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i].entry) {
            names[n++] = m->funcs[i].name;
        }
    }
    tc_error(diags, TC_NOWHERE,
             l->entry ? tc_diag_nearest(l->entry, names, n) : NULL,
             "the module has no kernel '%s'", l->entry ? l->entry : "");
    return false;
}

static bool check_block(const tc_machine *mc, const tc_ptx_func *f,
                        const uint32_t *b, tc_diags *diags) {
    uint64_t n = (uint64_t)b[0] * b[1] * b[2];
    if (b[0] == 0 || b[1] == 0 || b[2] == 0 || b[0] > 1024 || b[1] > 1024 ||
        b[2] > 64 || n > mc->max_threads_cta) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "a block of %u x %u x %u threads cannot run: %s takes 1 to %u "
                 "threads, at most 1024 x 1024 x 64",
                 b[0], b[1], b[2], mc->name, mc->max_threads_cta);
        return false;
    }
    if (f->reqntid[0]) {
        for (int i = 0; i < 3; i++) {
            uint32_t want = f->reqntid[i] ? f->reqntid[i] : 1;
            if (b[i] != want) {
                tc_error(diags, TC_NOWHERE, NULL,
                         "the block's dimension %d is %u, and .reqntid asks "
                         "for %u",
                         i, b[i], want);
                return false;
            }
        }
    }
    uint64_t most = 1;
    for (int i = 0; i < 3; i++) {
        most *= f->maxntid[i] ? f->maxntid[i] : 1;
    }
    if (f->maxntid[0] && n > most) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "the block has %llu threads, and .maxntid allows %llu",
                 (unsigned long long)n, (unsigned long long)most);
        return false;
    }
    return true;
}

static bool check_grid(const uint32_t *g, tc_diags *diags) {
    if (g[0] == 0 || g[1] == 0 || g[2] == 0 || g[0] > INT32_MAX ||
        g[1] > 65535 || g[2] > 65535 ||
        (uint64_t)g[0] * g[1] > UINT32_MAX / g[2]) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "a grid of %u x %u x %u CTAs cannot run: at most 2147483647 x "
                 "65535 x 65535, and 4294967295 in all",
                 g[0], g[1], g[2]);
        return false;
    }
    return true;
}

/* Static shared memory, then dynamic at the next multiple of its symbol's
 * alignment. */
uint64_t tc_dynamic_base(const tc_run *r) {
    uint64_t at = r->func->shared_bytes;
    for (int i = 0; i < r->module->nsymbols; i++) {
        const tc_ptx_symbol *y = &r->module->symbols[i];
        uint64_t align = y->align ? y->align : 1;
        if (y->space == TC_PS_SHARED && y->is_extern) {
            at = (at + align - 1) / align * align;
        }
    }
    return at;
}

static bool check_shared(tc_run *r, tc_diags *diags) {
    const tc_machine *mc = r->machine;
    uint64_t base = tc_dynamic_base(r);
    uint64_t total = base + r->launch->dynamic_shared;
    if (r->func->shared_bytes > mc->shared_static &&
        r->func->shared_bytes <= mc->shared_cta) {
        tc_diag_report(
            diags, TC_NOTE, TC_NOWHERE, NULL,
            "%llu bytes of static shared memory are above 48 KiB (%u): "
            "older drivers refuse that",
            (unsigned long long)r->func->shared_bytes, mc->shared_static);
    }
    if (total > mc->shared_cta) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "the kernel wants %llu bytes of shared memory (%llu static, "
                 "%u dynamic), and a CTA of %s has at most %u",
                 (unsigned long long)total,
                 (unsigned long long)r->func->shared_bytes,
                 r->launch->dynamic_shared, mc->name, mc->shared_cta);
        return false;
    }
    uint32_t limit = r->launch->dynamic_limit;
    if (limit && r->launch->dynamic_shared > limit) {
        tc_error(diags, TC_NOWHERE,
                 "cudaFuncAttributeMaxDynamicSharedMemorySize raises it",
                 "the kernel wants %u bytes of dynamic shared memory, and its "
                 "limit is %u",
                 r->launch->dynamic_shared, limit);
        return false;
    }
    r->shared_bytes = (uint32_t)total;
    return true;
}

/* Registers as the compiler counts them: who does not know them is not held to
 * any. They are given to a warp in units of 256. */
static bool check_registers(tc_run *r, tc_diags *diags) {
    const uint32_t *b = r->launch->block, n = r->launch->registers;
    uint32_t warps = (b[0] * b[1] * b[2] + TC_LANES - 1) / TC_LANES;
    if (warps * ((n + 7) / 8 * 8 * TC_LANES) > r->machine->registers_sm) {
        tc_error(
            diags, TC_NOWHERE,
            "fewer threads, or .maxntid (__launch_bounds__), for which the "
            "compiler takes fewer",
            "too many resources requested for launch: %u registers a "
            "thread, %u threads, and %s has %u registers",
            n, b[0] * b[1] * b[2], r->machine->name, r->machine->registers_sm);
        return false;
    }
    return true;
}

static const char *dims(tc_run *r, const uint32_t *d) {
    return tc_format(r->sim->arena, "%u x %u x %u", d[0], d[1], d[2]);
}

/* Cluster dimensions: of the launch, or else of .reqnctapercluster. */
static bool find_cluster(tc_run *r, tc_diags *diags) {
    const uint32_t *of = r->launch->cluster, *req = r->func->reqcluster;
    const char *name = r->func->name;
    if (of[0] == 0 && req[0] == 0 && r->func->explicit_cluster) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "kernel '%s' is .explicitcluster: its launch must give the "
                 "cluster's dimensions",
                 name);
        return false;
    }
    for (int i = 0; i < 3; i++) {
        uint32_t want = req[i] ? req[i] : 1;
        r->cluster[i] = of[0] ? (of[i] ? of[i] : 1) : want;
        if (req[0] && r->cluster[i] != want) {
            tc_error(diags, TC_NOWHERE, NULL,
                     "the cluster's dimension %d is %u, and "
                     ".reqnctapercluster asks for %u",
                     i, r->cluster[i], want);
            return false;
        }
    }
    return true;
}

/* CUDA C++ Programming Guide, thread block clusters: 8 CTAs everywhere; 16 on
 * the H100, if the kernel is allowed non-portable sizes. */
static bool check_cluster(tc_run *r, tc_diags *diags) {
    const uint32_t *g = r->launch->grid, *c = r->cluster;
    if (!find_cluster(r, diags)) {
        return false;
    }
    uint64_t n = (uint64_t)c[0] * c[1];
    n = n > 16 || c[2] > 16 ? 17 : n * c[2];
    if (n > 1 && !tc_target_has(r->machine->sm, TC_TARGET_CLUSTERS)) {
        char hint[64];
        snprintf(hint, sizeof hint, "--arch %s has them", tc_arch_names[0]);
        tc_error(diags, TC_NOWHERE, hint,
                 "a cluster of %s CTAs cannot run: %s has no clusters",
                 dims(r, c), r->machine->name);
        return false;
    }
    if (n > 16 || (n > 8 && !r->launch->nonportable_cluster)) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "a cluster of %s CTAs cannot run: at most 8%s", dims(r, c),
                 n > 16 ? ", or 16 where the kernel allows non-portable sizes"
                        : " (9 to 16 are not portable, and the kernel must "
                          "allow them)");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (g[i] % c[i]) {
            tc_error(diags, TC_NOWHERE, NULL,
                     "a grid of %s CTAs is not made of clusters of %s",
                     dims(r, g), dims(r, c));
            return false;
        }
    }
    return true;
}

static bool reads_grid_memory(const tc_ptx_module *m) {
    for (uint32_t i = 0; i < m->ncode; i++) {
        const tc_ptx_operand *o = &m->code[i].a[1];
        if (m->code[i].opcode == TC_PTX_MOV && o->kind == TC_PO_SPECIAL &&
            (o->slot == TC_SR_ENVREG1 || o->slot == TC_SR_ENVREG2)) {
            return true;
        }
    }
    return false;
}

/* What cooperative groups' grid.sync() counts in, as the driver gives it: 64
 * bytes of zeros. All CTAs must be resident at once. */
static bool give_grid_memory(tc_run *r, tc_diags *diags) {
    const uint32_t *g = r->launch->grid;
    tc_sim *s = r->sim;
    if (!r->launch->cooperative || !reads_grid_memory(r->module)) {
        return true;
    }
    uint64_t n = (uint64_t)g[0] * g[1] * g[2], most = tc_resident_ctas(r);
    if (n > most) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "the kernel waits for its whole grid of %llu CTAs, and %s "
                 "holds %llu of them at once",
                 (unsigned long long)n, r->machine->name,
                 (unsigned long long)most);
        return false;
    }
    if (!s->grid_memory) {
        s->grid_memory = tc_sim_alloc(s, 64, "grid");
    }
    if (s->grid_memory) {
        memset(s->grid_memory->bytes, 0, s->grid_memory->size);
        r->grid_memory = s->grid_memory->address;
    }
    return true;
}

/* .blocksareclusters (PTX ISA 11.4): the grid is given in clusters. */
static const tc_sim_launch *widen(tc_run *r) {
    r->widened = *r->launch;
    for (int i = 0; i < 3; i++) {
        uint32_t c = r->func->reqcluster[i] ? r->func->reqcluster[i] : 1;
        uint64_t n = (uint64_t)r->widened.grid[i] * c;
        r->widened.grid[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    }
    return &r->widened;
}

static bool check_launch(tc_run *r, tc_diags *diags) {
    const tc_sim_launch *l = r->launch;
    if (!check_entry(r->sim, l, diags, &r->func)) {
        return false;
    }
    if (r->func->grid_of_clusters) {
        l = r->launch = widen(r);
    }
    if (!check_block(r->machine, r->func, l->block, diags) ||
        !check_grid(l->grid, diags) || !check_shared(r, diags) ||
        !check_registers(r, diags) || !check_cluster(r, diags) ||
        !give_grid_memory(r, diags)) {
        return false;
    }
    if (l->nparams != r->func->param_bytes) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "kernel '%s' takes %u bytes of parameters, not %u", l->entry,
                 r->func->param_bytes, l->nparams);
        return false;
    }
    uint64_t local = tc_stack_bytes(r->module, r->func);
    if (local > 512 * 1024) {
        tc_error(diags, TC_NOWHERE, NULL,
                 "a thread has at most 512 KiB of local memory, not %llu bytes",
                 (unsigned long long)local);
        return false;
    }
    return true;
}

/* ---- code ---- */

static void place_shared(tc_run *r) {
    const tc_ptx_module *m = r->module;
    r->symbols = tc_xmalloc(sizeof *r->symbols * ((size_t)m->nsymbols + 1));
    memcpy(r->symbols, r->sim->symbols,
           sizeof *r->symbols * (size_t)m->nsymbols);
    uint64_t base = tc_dynamic_base(r);
    for (int i = 0; i < m->nsymbols; i++) {
        if (m->symbols[i].space == TC_PS_SHARED && m->symbols[i].is_extern) {
            r->symbols[i] = base;
        }
    }
}

/* ---- the launch ---- */

static void begin(tc_run *r, tc_sim *s, const tc_sim_launch *l) {
    r->sim = s;
    r->module = s->module;
    r->launch = l;
    r->machine = s->machine;
    r->hooks = &tc_sim_hooks;
    r->clock_mhz = tc_timing_mhz(s->machine);
    r->status = TC_RUN_OK;
    r->random = s->options.seed;
    r->completion = s->options.completion;
    if (r->completion == TC_COMPLETE_TIMING && !s->options.timing) {
        r->completion = TC_COMPLETE_LATE;
    }
}

static void attach_observers(tc_run *r) {
    tc_sim *s = r->sim;
    if (s->options.trace) {
        const uint32_t *b = r->launch->block, *g = r->launch->grid;
        tc_trace_free(s->trace);
        s->trace = r->trace = tc_trace_new();
        r->trace->ctas = g[0] * g[1] * g[2];
        r->trace->cluster = r->cluster[0] * r->cluster[1] * r->cluster[2];
        r->trace->warps = (b[0] * b[1] * b[2] + 31) / 32;
    }
    if (s->options.hazards) {
        r->race = tc_race_new(r);
    }
    if (s->options.timing) {
        r->timing = tc_timing_new(r);
    }
}

void tc_run_discard(tc_run *r) {
    tc_race_free(r->race);
    tc_timing_free(r->timing);
    tc_fast_free(r);
    free(r->code);
    free(r->watched);
    free(r->symbols);
    free(r->events);
}

static void end(tc_run *r, tc_sim_result *out) {
    if (r->trace) {
        r->trace->cycles = r->cycle;
        tc_trace_finish(r->trace);
    }
    tc_findings_settle(r);
    if (r->status == TC_RUN_OK && r->nfindings) {
        r->status = TC_RUN_FINDINGS;
    }
    out->status = r->status;
    out->where = r->where;
    out->state = r->state;
    out->cycles = r->cycle;
    if (r->timing) {
        tc_timing_result(r->timing, out);
    }
    out->estimate = r->timing ? r->cycle : tc_timing_estimate(r);
    r->counters.shared_bytes = r->shared_bytes;
    out->counters = r->counters;
    out->cut = r->cut;
    out->part = r->part > 0 ? r->part : 1;
    out->findings = r->findings;
    out->nfindings = r->nfindings;
    out->nnotes = r->nnotes;
    out->threads = r->threads;
    memcpy(out->suppressed, r->suppressed, sizeof out->suppressed);
    tc_race_touched(r);
    tc_run_discard(r);
}

void tc_run_prepare(tc_run *r, bool first) {
    attach_observers(r);
    if (first) {
        tc_race_first_begin(r);
    }
    place_shared(r);
    tc_code_make(r);
    tc_tmem_watch(r);
    tc_fast_make(r);
}

/* How a launch is executed. */
typedef enum way { ONCE, FIRST, THREADS } way;

/* Returns the nanoseconds of the execution alone. */
static uint64_t execute(tc_run *r, way how) {
    struct timespec t0, t1;
    const tc_run fresh = *r;
    tc_run_prepare(r, how != ONCE);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    if (tc_cancelled()) { /* what was made is not whole */
        r->status = TC_RUN_CANCELLED;
    } else if (r->timing) {
        tc_timing_grid(r);
    } else if (how == THREADS) {
        tc_threads_execute(r, &fresh);
    } else {
        tc_sim_execute(r);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    return (uint64_t)((t1.tv_sec - t0.tv_sec) * 1000000000 +
                      (t1.tv_nsec - t0.tv_nsec));
}

/* Kernels of which a first pass could not say that all is well have none any
 * more; those whose CTAs met on several threads have one. */
enum { DOUBTED = 1, MET = 2 };

static way way_of(const tc_run *r) {
    const tc_sim *s = r->sim;
    uint8_t known = s->known ? s->known[r->func - s->module->funcs] : 0;
    return !tc_race_first_applies(r) || (known & DOUBTED) ? ONCE
           : (known & MET) || !tc_threads_apply(r)        ? FIRST
                                                          : THREADS;
}

static void remember(const tc_run *r, uint8_t what) {
    tc_sim *s = r->sim;
    if (!s->known) {
        s->known = tc_xcalloc((size_t)s->module->nfuncs, sizeof *s->known);
    }
    s->known[r->func - s->module->funcs] |= what;
}

/* As often as it takes. Returns nanoseconds. */
static uint64_t execute_all(tc_run *r) {
    const tc_run fresh = *r;
    way how = way_of(r);
    uint64_t ns = execute(r, how);
    if (r->apart) {
        tc_race_first_undo(r);
        remember(r, MET);
        tc_run_discard(r);
        *r = fresh;
        ns += execute(r, FIRST);
    }
    if (tc_race_first_failed(r)) {
        remember(r, DOUBTED);
        tc_run_discard(r);
        *r = fresh;
        ns += execute(r, ONCE);
    }
    return ns;
}

bool tc_sim_run(tc_sim *s, const tc_sim_launch *l, tc_diags *diags,
                tc_sim_result *out) {
    tc_run r = {0};
    memset(out, 0, sizeof *out);
    begin(&r, s, l);
    if (!check_launch(&r, diags)) {
        return false;
    }
    const atomic_int *cancel = s->options.cancel;
    const atomic_int *before = cancel ? tc_cancel_by(cancel) : NULL;
    const uint32_t *g = l->grid;
    tc_progress_begin("running %s", r.func->name);
    tc_progress_at(0, (uint64_t)g[0] * g[1] * g[2]);
    uint64_t ns = execute_all(&r);
    end(&r, out);
    tc_progress_end();
    if (cancel) {
        tc_cancel_by(before);
    }
    out->wall_ns = ns;
    return true;
}
