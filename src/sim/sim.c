/* sim.c - the simulator's life: machines, device memory. */
#include "sim/internal.h"
#include <stdlib.h>
#include <string.h>

static const tc_machine machines[] = {
#define TC_ARCH(name, sm, sms, sched, tcta, tsm, csm, stat, scta, ssm, reg,    \
                dram)                                                          \
    {name, sm, sms, sched, tcta, tsm, csm, stat, scta, ssm, reg, dram},
#include "sim/arch.def"
};
enum { NMACHINES = (int)(sizeof machines / sizeof machines[0]) };

static const char *const machine_names[] = {
#define TC_ARCH(name, sm, sms, sched, tcta, tsm, csm, stat, scta, ssm, reg,    \
                dram)                                                          \
    name,
#include "sim/arch.def"
    NULL};

const char *const *tc_sim_archs(void) {
    return machine_names;
}

const tc_machine *tc_machine_find(const char *name) {
    for (int i = 0; i < NMACHINES; i++) {
        if (strcmp(machines[i].name, name) == 0) {
            return &machines[i];
        }
    }
    return NULL;
}

/* Device addresses: high, like a driver's; apart by guard space. */
#define DEVICE_BASE UINT64_C(0x00007F0000000000)
#define DEVICE_SIZE (UINT64_C(1) << 37)
#define GUARD       UINT64_C(65536)

static tc_sim_allocation *find_allocation(const tc_sim *s, uint64_t address) {
    for (int i = 0; i < s->nallocs; i++) {
        if (s->allocs[i]->address == address) {
            return s->allocs[i];
        }
    }
    return NULL;
}

static void place_symbols(tc_sim *s) {
    const tc_ptx_module *m = s->module;
    s->symbols = TC_NEWN(s->arena, uint64_t, m->nsymbols + 1);
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        s->symbols[i] = y->offset;
        if (y->space != TC_PS_GLOBAL && y->space != TC_PS_CONST) {
            continue;
        }
        tc_sim_allocation *a = tc_sim_alloc(s, y->size, y->name);
        if (a) {
            s->symbols[i] = a->address;
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
            y->nrelocs ? find_allocation(s, s->symbols[i]) : NULL;
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
    const char *arch = options->arch ? options->arch : machine_names[0];
    const tc_machine *machine = tc_machine_find(arch);
    if (!machine) {
        const char *near = tc_nearest(arch, machine_names, NMACHINES);
        tc_error(diags, TC_NOWHERE, near ? near : "sm_90a is the default",
                 "there is no simulated machine '%s'", arch);
        return NULL;
    }
    tc_sim *s = tc_xcalloc(1, sizeof *s);
    s->module = m;
    s->options = *options;
    s->machine = machine;
    s->arena = tc_arena_new();
    s->next_address = DEVICE_BASE;
    place_symbols(s);
    relocate(s);
    tc_heap_init(s);
    return s;
}

void tc_sim_free(tc_sim *s) {
    if (!s) {
        return;
    }
    for (int i = 0; i < s->nallocs; i++) {
        free(s->allocs[i]->bytes);
    }
    tc_trace_free(s->trace);
    tc_slab_free(s->slab);
    tc_arena_free(s->arena);
    free(s);
}

tc_sim_allocation *tc_sim_alloc(tc_sim *s, uint64_t size, const char *name) {
    uint64_t left = DEVICE_BASE + DEVICE_SIZE - s->next_address;
    if (size >= left || left - size < 2 * GUARD) {
        return NULL;
    }
    uint8_t *bytes = calloc(size ? size : 1, 1);
    if (!bytes) {
        return NULL;
    }
    tc_sim_allocation *a = TC_NEW(s->arena, tc_sim_allocation);
    a->address = s->next_address;
    a->size = size;
    a->bytes = bytes;
    a->name = tc_strdup(s->arena, name ? name : "");
    s->next_address += (size + GUARD + 255) & ~UINT64_C(255);
    TC_PUSH(s->arena, s->allocs, s->nallocs, s->callocs, a);
    return a;
}

tc_trace *tc_sim_take_trace(tc_sim *s) {
    tc_trace *t = s->trace;
    s->trace = NULL;
    return t;
}
