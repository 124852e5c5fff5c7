/* facts.c - what a kernel needs of the machine that its text does not say:
 * registers, as ptxas counts them, and all of its CTAs at once. */
#include "base/arch.h"
#include "load/load.h"
#include "run/run.h"
#include "session/loaded.h"
#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

/* --- registers -------------------------------------------------------------*/

/* Only the clock wants to know, and the tests want the same answer everywhere:
 * TILECOPY_PTXAS=none. */
uint32_t tc_run_registers(tc_session *s, const tc_last_run *run) {
    const char *said = getenv("TILECOPY_PTXAS"), *why, *hint;
    if (!s->timing || s->as_pages ||
        (said != NULL && strcmp(said, "none") == 0)) {
        return 0;
    }
    tc_arena *a = tc_arena_new();
    const tc_toolchain *t = tc_toolchain_find(a, &why, &hint);
    const char *arch = tc_session_arch(s);
    tc_build_options o = {.cancel = &s->cancel};
    const char *lines = "";
    char unknown[256];
    if (t != NULL) {
        tc_ptxas_registers(a, t, run->ptx, arch, run->entry, &o, &lines,
                           unknown, sizeof unknown);
    }
    uint32_t n;
    tc_registers_among(lines, run->entry, &n);
    tc_arena_free(a);
    return n;
}

const struct tc_sass *tc_run_machine_code(tc_session *s,
                                          const tc_last_run *run) {
    const char *why, *hint;
    if (!s->timing || s->as_pages) {
        return NULL;
    }
    tc_build_options o = {.cancel = &s->cancel};
    return tc_load_machine_code(
        run->arena, tc_toolchain_find(run->arena, &why, &hint), run->ptx,
        tc_session_arch(s), run->entry, run->entry, &o);
}

/* --- the whole grid --------------------------------------------------------*/

static bool asks_for_grid(const tc_ptx_op *op) {
    const tc_ptx_operand *o = &op->a[1];
    return op->opcode == TC_PTX_MOV && o->kind == TC_PO_SPECIAL &&
           (o->slot == TC_SR_ENVREG1 || o->slot == TC_SR_ENVREG2);
}

/* grid.sync() finds its counters by %envreg1 and 2; a function that is called
 * may do it too. */
bool tc_run_waits_for_grid(const tc_last_run *run) {
    const tc_ptx_module *m = run->module;
    if (m == NULL) {
        return strstr(run->ptx, "%envreg1") != NULL ||
               strstr(run->ptx, "%envreg2") != NULL;
    }
    const tc_ptx_func *f = tc_ptx_find_entry(m, run->entry);
    bool calls = false, asks = false, elsewhere = false;
    for (uint32_t i = 0; i < m->ncode; i++) {
        bool own = f != NULL && i >= f->begin && i < f->end;
        bool here = asks_for_grid(&m->code[i]);
        calls |= own && m->code[i].opcode == TC_PTX_CALL;
        asks |= own && here;
        elsewhere |= here;
    }
    return asks || (calls && elsewhere);
}

/* --- the machine -----------------------------------------------------------*/

bool tc_run_fits(tc_session *s, const tc_last_run *run, tc_span at) {
    const tc_ptx_module *m = run->file->module;
    if (run->file->unknown != NULL) {
        tc_error(&s->diags, at, "`launch` with --backend gpu asks a GPU alone",
                 "the simulator cannot run this file: %s", run->file->unknown);
        return false;
    }
    const char *arch = tc_session_arch(s);
    if (tc_arch_runs(arch, m->sm, m->sm_suffix)) {
        return true;
    }
    char target[32], hint[64];
    const char *other = tc_arch_for(m->sm, m->sm_suffix);
    snprintf(target, sizeof target, "sm_%d%.1s", m->sm,
             m->sm_suffix ? &m->sm_suffix : "");
    snprintf(hint, sizeof hint, "set arch %s, or --arch %s",
             other != NULL ? other : "", other != NULL ? other : "");
    tc_error(&s->diags, at, other != NULL ? hint : NULL,
             "the kernel is for .target %s, and the simulated machine is %s",
             target, arch);
    return false;
}
