/* device.c - device memory and facts for who manages the device's addresses
 * himself: a CUDA program's runtime. */
#include "sim/core/address.h"
#include "sim/launch.h"
#include "sim/timing/memsys.h"
#include "sim/timing/profile.h"
#include "sim/timing/timing.h"
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* What lies there moves into storage of the caller's. */
static tc_sim_allocation *share(tc_sim_allocation *a, uint64_t size,
                                uint8_t *bytes) {
    if (size < a->size) {
        return NULL;
    }
    memcpy(bytes, a->bytes, a->size);
    if (!a->borrowed) {
        free(a->bytes);
    }
    a->bytes = bytes;
    a->borrowed = true;
    return a;
}

tc_sim_allocation *tc_sim_map(tc_sim *s, uint64_t address, uint64_t size,
                              uint8_t *bytes, const char *name) {
    tc_sim_allocation *there = tc_sim_find(s, address);
    if (there && there->address == address) {
        return share(there, size, bytes);
    }
    return tc_sim_insert(s, (tc_sim_allocation){.address = address,
                                                .size = size,
                                                .bytes = bytes,
                                                .name = name,
                                                .borrowed = true});
}

void tc_sim_unmap(tc_sim *s, uint64_t address) {
    int i = tc_sim_index(s, address);
    tc_sim_allocation *a = i < s->nallocs ? s->allocs[i] : NULL;
    if (!a || a->address != address) {
        return;
    }
    if (!a->borrowed) {
        free(a->bytes);
    }
    free((char *)(uintptr_t)a->name);
    free(a);
    s->nallocs--;
    memmove(&s->allocs[i], &s->allocs[i + 1],
            (size_t)(s->nallocs - i) * sizeof *s->allocs);
}

uint64_t tc_sim_symbol(const tc_sim *s, const tc_ptx_symbol *y) {
    bool stored = y->space == TC_PS_GLOBAL || y->space == TC_PS_CONST;
    uint64_t at = stored ? s->symbols[y - s->module->symbols] : 0;
    return at && tc_sim_find(s, at) ? at : 0;
}

void tc_sim_written(tc_sim *s, uint64_t address, uint64_t bytes) {
    if (s->options.timing && bytes > 0) {
        tc_l2_written(tc_timing_l2(s), address, bytes);
    }
}

void tc_sim_keep_caches(tc_sim *s, tc_l2 **kept) {
    if (s->options.timing) {
        tc_l2_copy(tc_timing_l2(s), kept);
    }
}

void tc_sim_give_caches(tc_sim *s, const tc_l2 *kept) {
    if (s->options.timing && kept) {
        tc_l2_free(s->l2);
        s->l2 = tc_l2_clone(kept);
    }
}

void tc_sim_free_caches(tc_l2 *kept) {
    tc_l2_free(kept);
}

/* ---- launches ---- */

void tc_sim_forget(tc_sim *s) {
    tc_arena_reset(s->arena);
}

uint32_t tc_sim_registers(const tc_sim *s, const tc_ptx_func *f) {
    return tc_register_estimate(s->module, f);
}

uint32_t tc_sim_occupancy(tc_sim *s, const tc_sim_launch *l) {
    const tc_ptx_func *f = tc_ptx_find_entry(s->module, l->entry);
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    tc_run r = {.sim = s,
                .module = s->module,
                .func = f,
                .machine = s->machine,
                .launch = l};
    if (!f || threads == 0 || threads > s->machine->max_threads_cta) {
        return 0;
    }
    uint64_t shared = tc_dynamic_base(&r) + l->dynamic_shared;
    if (shared > s->machine->shared_cta) {
        return 0;
    }
    r.shared_bytes = (uint32_t)shared;
    return tc_timing_residency(&r, l->registers ? l->registers
                                                : tc_sim_registers(s, f));
}

/* ---- facts ---- */

/* Of data sheets: A100 80 GB SXM, H200 SXM, B200. */
typedef struct device_sheet {
    int sm; /* and above */
    uint32_t memory_clock_khz, memory_bus_bits;
    uint64_t memory_gib;
} device_sheet;

static const device_sheet sheets[] = {{100, 3996000, 8192, 180},
                                      {90, 3201000, 6144, 141},
                                      {0, 1593000, 5120, 80}};

void tc_sim_facts_of(const tc_sim *s, tc_sim_facts *out) {
    const tc_machine *m = s->machine;
    const tc_profile *p = tc_profile_of(m);
    const device_sheet *t = sheets;
    while (m->sm < t->sm) {
        t++;
    }
    *out = (tc_sim_facts){.arch = m->name,
                          .sm = m->sm,
                          .sms = m->sms,
                          .threads_cta = m->max_threads_cta,
                          .threads_sm = m->max_threads_sm,
                          .ctas_sm = m->max_ctas_sm,
                          .registers_sm = m->registers_sm,
                          .shared_static = m->shared_static,
                          .shared_cta = m->shared_cta,
                          .shared_sm = m->shared_sm,
                          .l2_bytes = p->l2_kib * 1024,
                          .clock_khz = p->clock_mhz * 1000,
                          .memory_clock_khz = t->memory_clock_khz,
                          .memory_bus_bits = t->memory_bus_bits,
                          .memory = t->memory_gib << 30};
}
