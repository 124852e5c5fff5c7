/* sim.c - the simulator's life: machines, symbols. */
#include "base/arch.h"
#include "sim/core/address.h"
#include "sim/core/slab.h"
#include "sim/isa/isa.h"
#include "sim/launch.h"
#include "sim/timing/memsys.h"
#include <stdlib.h>
#include <string.h>

static const tc_machine machines[] = {
#define TC_ARCH(n, v, column, nsms, tcta, tsm, csm, stat, scta, ssm, regs)     \
    {.name = (n),                                                              \
     .sm = (v),                                                                \
     .costs = TC_COSTS_##column,                                               \
     .sms = (nsms),                                                            \
     .max_threads_cta = (tcta),                                                \
     .max_threads_sm = (tsm),                                                  \
     .max_ctas_sm = (csm),                                                     \
     .shared_static = (stat),                                                  \
     .shared_cta = (scta),                                                     \
     .shared_sm = (ssm),                                                       \
     .registers_sm = (regs)},
#include "base/arch.def"
};
enum { NMACHINES = (int)(sizeof machines / sizeof machines[0]) };

const char *const *tc_sim_archs(void) {
    return tc_arch_names;
}

const tc_machine *tc_machine_find(const char *name) {
    for (int i = 0; i < NMACHINES; i++) {
        if (strcmp(machines[i].name, name) == 0) {
            return &machines[i];
        }
    }
    return NULL;
}

/* ---- symbols ---- */

static uint64_t symbol_place(tc_sim *s, const tc_ptx_symbol *y) {
    const tc_sim_options *o = &s->options;
    uint64_t at = o->symbol_address ? o->symbol_address(o->symbol_user, y) : 0;
    return at ? at : tc_sim_take(s, y->size, y->managed ? TC_SIM_PAGE : 256);
}

static void place_symbols(tc_sim *s) {
    const tc_ptx_module *m = s->module;
    s->symbols = TC_NEWN(s->home, uint64_t, m->nsymbols + 1);
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        s->symbols[i] = y->offset;
        if (y->space != TC_PS_GLOBAL && y->space != TC_PS_CONST) {
            continue;
        }
        tc_sim_allocation *a =
            tc_sim_own(s, symbol_place(s, y), y->size, y->name);
        if (a) {
            s->symbols[i] = a->address;
            a->constant = y->space == TC_PS_CONST;
            if (y->init) {
                memcpy(a->bytes, y->init, y->size);
            }
        }
    }
}

/* Initial values that are addresses: PTX ISA 5.4.4. */
static void relocate(tc_sim *s) {
    const tc_ptx_module *m = s->module;
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        tc_sim_allocation *a =
            y->nrelocs ? tc_sim_find(s, s->symbols[i]) : NULL;
        for (int j = 0; a && j < y->nrelocs; j++) {
            const tc_ptx_reloc *r = &y->relocs[j];
            uint64_t v = r->func ? TC_PTX_CODE(r->index) : s->symbols[r->index];
            v = (v + (uint64_t)r->add) >> r->shift;
            memcpy(a->bytes + r->at, &v, r->bytes);
        }
    }
}

tc_sim *tc_sim_new(const tc_ptx_module *m, const tc_sim_options *options,
                   tc_diags *diags) {
    const char *arch = options->arch ? options->arch : tc_arch_names[0];
    const tc_machine *machine = tc_machine_find(arch);
    if (!machine) {
        const char *near = tc_diag_nearest(arch, tc_arch_names, NMACHINES);
        tc_error(diags, TC_NOWHERE, near ? near : tc_arch_names[0],
                 "there is no simulated machine '%s'", arch);
        return NULL;
    }
    tc_sim *s = tc_xcalloc(1, sizeof *s);
    s->module = m;
    s->options = *options;
    s->home = tc_arena_new();
    tc_machine *mine = TC_NEW(s->home, tc_machine);
    *mine = *machine;
    mine->profile = options->profile;
    s->machine = mine;
    s->arena = tc_arena_new();
    s->next_address = tc_sim_base(s);
    place_symbols(s);
    relocate(s);
    tc_heap_init(s);
    return s;
}

void tc_sim_free(tc_sim *s) {
    if (!s) {
        return;
    }
    while (s->nallocs) {
        tc_sim_unmap(s, s->allocs[s->nallocs - 1]->address);
    }
    tc_trace_free(s->trace);
    free(s->known);
    tc_slab_free(s->slab);
    tc_slab_free(s->tags);
    tc_l2_free(s->l2);
    tc_arena_free(s->arena);
    tc_arena_free(s->home);
    free(s);
}

void tc_sim_record(tc_sim *s, bool trace) {
    s->options.trace = trace;
}

bool tc_sim_keeps_heap(const tc_sim *s) {
    return s->nblocks > 0;
}

tc_trace *tc_sim_take_trace(tc_sim *s) {
    tc_trace *t = s->trace;
    s->trace = NULL;
    return t;
}
