/* sim.c - the simulator's life: machines, device memory. */
#include "sim/core/internal.h"
#include <stdlib.h>
#include <string.h>

static const tc_machine machines[] = {
#define TC_ARCH(name, sm, sms, tcta, tsm, csm, stat, scta, ssm, reg)           \
    {name, sm, sms, tcta, tsm, csm, stat, scta, ssm, reg},
#include "sim/arch.def"
};
enum { NMACHINES = (int)(sizeof machines / sizeof machines[0]) };

static const char *const machine_names[] = {
#define TC_ARCH(name, sm, sms, tcta, tsm, csm, stat, scta, ssm, reg) name,
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
#define PAGE        UINT64_C(65536) /* of a managed variable, which is shared */

/* ---- allocations, by address ---- */

int tc_sim_index(const tc_sim *s, uint64_t address) {
    int lo = 0, hi = s->nallocs;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        const tc_sim_allocation *a = s->allocs[mid];
        if (a->address + a->size <= address && a->address != address) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

tc_sim_allocation *tc_sim_find(const tc_sim *s, uint64_t address) {
    int i = tc_sim_index(s, address);
    tc_sim_allocation *a = i < s->nallocs ? s->allocs[i] : NULL;
    return a && address >= a->address ? a : NULL;
}

/* NULL where it would overlap. Takes over name and, unless they are borrowed,
 * bytes. */
tc_sim_allocation *tc_sim_insert(tc_sim *s, tc_sim_allocation a) {
    int i = tc_sim_index(s, a.address);
    if (a.address + a.size < a.address ||
        (i < s->nallocs && (s->allocs[i]->address == a.address ||
                            s->allocs[i]->address < a.address + a.size))) {
        return NULL;
    }
    tc_sim_allocation *copy = tc_xmalloc(sizeof *copy);
    *copy = a;
    copy->name = tc_xstrdup(a.name ? a.name : "");
    TC_PUSH(s->home, s->allocs, s->nallocs, s->callocs, copy);
    memmove(&s->allocs[i + 1], &s->allocs[i],
            (size_t)(s->nallocs - 1 - i) * sizeof *s->allocs);
    return s->allocs[i] = copy;
}

static tc_sim_allocation *own(tc_sim *s, uint64_t address, uint64_t size,
                              const char *name) {
    tc_sim_allocation a = {.address = address, .size = size, .name = name};
    a.bytes = calloc(size ? size : 1, 1);
    tc_sim_allocation *made = a.bytes ? tc_sim_insert(s, a) : NULL;
    if (!made) {
        free(a.bytes);
    }
    return made;
}

/* The next address for so much, a multiple of align; 0: the device is full. */
static uint64_t take(tc_sim *s, uint64_t size, uint64_t align) {
    uint64_t first = s->options.base ? s->options.base : DEVICE_BASE;
    uint64_t at = (s->next_address + align - 1) / align * align;
    uint64_t left = first + DEVICE_SIZE - at;
    if (size >= left || left - size < 2 * GUARD) {
        return 0;
    }
    s->next_address = at + ((size + GUARD + 255) & ~UINT64_C(255));
    return at;
}

tc_sim_allocation *tc_sim_alloc(tc_sim *s, uint64_t size, const char *name) {
    uint64_t before = s->next_address, at = take(s, size, 256);
    tc_sim_allocation *a = at ? own(s, at, size, name) : NULL;
    if (!a) {
        s->next_address = before;
    }
    return a;
}

/* ---- symbols ---- */

static uint64_t symbol_place(tc_sim *s, const tc_ptx_symbol *y) {
    const tc_sim_options *o = &s->options;
    uint64_t at = o->symbol_address ? o->symbol_address(o->symbol_user, y) : 0;
    return at ? at : take(s, y->size, y->managed ? PAGE : 256);
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
        tc_sim_allocation *a = own(s, symbol_place(s, y), y->size, y->name);
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
    s->home = tc_arena_new();
    s->next_address = s->options.base ? s->options.base : DEVICE_BASE;
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
    tc_slab_free(s->slab);
    tc_slab_free(s->tags);
    tc_arena_free(s->arena);
    tc_arena_free(s->home);
    free(s);
}

tc_trace *tc_sim_take_trace(tc_sim *s) {
    tc_trace *t = s->trace;
    s->trace = NULL;
    return t;
}
