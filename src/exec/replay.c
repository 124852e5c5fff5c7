/* replay.c - a program's last launch once more, for `state`: the same
 * kernel on the same memory, which is copied before each launch. */
#include "exec/exec.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

static const char too_much[] =
    "the program has more than 64 MiB of device memory, too much to copy "
    "before each launch";

void tc_exec_retain_memory(tc_exec *e, const tc_program_launch *l) {
    uint64_t bytes = 0, at = 0;
    for (int i = 0; i < l->nmemory; i++) {
        bytes += l->memory[i].bytes; /* of at most a terabyte together */
    }
    tc_sim *sim = l->backend->sim(l->device);
    e->no_replay = bytes > TC_EXEC_MEMORY ? too_much
                   : tc_sim_keeps_heap(sim)
                       ? "threads of an earlier launch have left memory of "
                         "malloc, which is not copied before each launch"
                       : NULL;
    tc_sim_record(sim, e->used.trace && e->no_replay != NULL);
    e->nbefore = e->no_replay != NULL ? 0 : bytes;
    tc_sim_keep_caches(sim, &e->caches);
    if (e->nbefore > e->before_cap) {
        e->before_cap = bytes;
        e->before = tc_xrealloc(e->before, bytes);
    }
    for (int i = 0; i < l->nmemory && e->no_replay == NULL; i++) {
        const tc_device_memory *m = &l->memory[i];
        if (!l->backend->read(l->device, e->before + at, m->address,
                              m->bytes)) {
            memset(e->before + at, 0, m->bytes);
        }
        at += m->bytes;
    }
}

void tc_exec_give_memory(tc_exec *e, const tc_program_launch *l,
                         tc_last_run *run) {
    const tc_sim_launch *k = l->launch;
    uint8_t *params = tc_alloc(run->arena, k->nparams + 1);
    memcpy(params, k->params, k->nparams);
    run->params = params;
    run->param_bytes = k->nparams;
    uint64_t at = 0, bytes = 0;
    for (int i = 0; i < run->nbuffers; i++) {
        bytes += run->buffers[i].bytes;
    }
    if (e->no_replay != NULL) {
        run->no_state = e->no_replay;
    } else if (bytes != e->nbefore) {
        run->no_state = "the last run was not the simulator's";
    }
    for (int i = 0; i < run->nbuffers && run->no_state == NULL; i++) {
        run->buffers[i].before = e->before + at;
        at += run->buffers[i].bytes;
    }
}

/* Gives a simulator the memory as it was. False: it has no place for it. */
static bool lay_out(tc_exec *e, tc_sim *sim, const tc_last_run *run) {
    free(e->scratch);
    e->scratch = tc_xmalloc(e->nbefore + 1);
    memcpy(e->scratch, e->before, e->nbefore);
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        tc_sim_allocation *symbol = tc_sim_find(sim, b->address);
        if (symbol != NULL && symbol->address == b->address &&
            symbol->size >= b->bytes) {
            memcpy(symbol->bytes, b->before, b->bytes);
        } else if (tc_sim_map(sim, b->address, b->bytes,
                              e->scratch + (b->before - e->before),
                              b->buffer->name) == NULL) {
            return false;
        }
    }
    return true;
}

tc_sim *tc_exec_replay(tc_exec *e, const tc_last_run *run, const tc_replay *how,
                       tc_sim_result *out) {
    tc_sim_options o = run->used;
    tc_diags quiet = {0};
    o.hazards = false;
    o.trace = how->trace;
    o.print = NULL;
    o.base = TC_RT_DEVICE_BASE;
    tc_sim_launch l = {.entry = run->entry,
                       .cooperative = true,
                       .stops = how->stops,
                       .stop_at = how->stop_at,
                       .upto = how->upto,
                       .params = run->params,
                       .nparams = run->param_bytes,
                       .dynamic_shared = run->dynamic_shared,
                       .registers = run->registers,
                       .machine_code = run->machine_code,
                       .nonportable_cluster = true};
    memcpy(l.grid, run->grid, sizeof l.grid);
    memcpy(l.block, run->block, sizeof l.block);
    memcpy(l.cluster, run->cluster, sizeof l.cluster);
    tc_sim *sim = tc_sim_new(run->module, &o, &quiet);
    if (sim != NULL) {
        tc_sim_give_caches(sim, e->caches);
    }
    if (sim != NULL && lay_out(e, sim, run) &&
        tc_sim_run(sim, &l, &quiet, out)) {
        return sim;
    }
    tc_sim_free(sim);
    return NULL;
}
