/* alu_run.h - one PTX instruction, parsed and executed on a warp of its own.
 *
 * Registers %r0-4 (.b32), %h0-4 (.b16), %d0-4 (.b64) and %p0-3 exist. Before
 * the instruction %rK, %hK and %dK hold the low bits of input K (1 to 4) and
 * %pK its lowest bit; register 0 holds all ones of its size. */
#ifndef TC_TESTS_ALU_RUN_H
#define TC_TESTS_ALU_RUN_H

#include "ptx/ptx.h"
#include "sim/core/run.h"

#include <stdio.h>
#include <string.h>

enum { ALU_REGS = 5, ALU_PREDS = 4 };

typedef struct alu {
    tc_arena *arena;
    tc_ptx_module *module;
    const tc_ptx_op *op;
    tc_warp warp;
    tc_cta cta;
    tc_run run;
    uint32_t r32[2 * ALU_REGS][TC_LANES];
    uint64_t r64[ALU_REGS][TC_LANES];
    uint32_t pred[ALU_PREDS];
    tc_source source;
    char text[2048];
} alu;

static void alu_complain(void *user, const tc_diag *d) {
    fprintf(stderr, "%s: line %d: %s\n", (const char *)user, d->line,
            d->message);
}

static tc_sim_op_fn *const alu_functions[] = {
#define TC_PTX_OP(id, ...) [TC_PTX_##id] = tc_sim_op_##id,
#include "ptx/ops.def"
};

static bool alu_load(alu *m, const char *instruction) {
    memset(m, 0, sizeof *m);
    m->arena = tc_arena_new();
    int n = snprintf(m->text, sizeof m->text, "%s",
                     ".version 8.6\n.target sm_90\n.entry k()\n{\n"
                     ".reg .b32 %r<5>;\n.reg .b16 %h<5>;\n"
                     ".reg .b64 %d<5>;\n.reg .pred %p<4>;\n");
    int before = 0; /* fixes the slots: number K, files in this order */
    for (int i = 0; i < ALU_REGS; i++, before++) {
        n += snprintf(m->text + n, sizeof m->text - (size_t)n,
                      "mov.b32 %%r%d, 0;\n", i);
    }
    for (int i = 0; i < ALU_REGS; i++, before += 2) {
        n += snprintf(m->text + n, sizeof m->text - (size_t)n,
                      "mov.b16 %%h%d, 0;\nmov.b64 %%d%d, 0;\n", i, i);
    }
    for (int i = 0; i < ALU_PREDS; i++, before++) {
        n += snprintf(m->text + n, sizeof m->text - (size_t)n,
                      "mov.pred %%p%d, 0;\n", i);
    }
    snprintf(m->text + n, sizeof m->text - (size_t)n, "%s\nret;\n}\n",
             instruction);
    m->source = (tc_source){"<test>", m->text, strlen(m->text), 1};
    tc_diags diags = {alu_complain, (void *)(uintptr_t)instruction, 0};
    m->module = tc_ptx_parse(m->arena, &m->source, &diags);
    if (m->module == NULL) {
        return false;
    }
    m->op = &m->module->code[before];
    m->run.module = m->module;
    m->cta.run = &m->run;
    m->warp.cta = &m->cta;
    m->warp.r32 = m->r32;
    m->warp.r64 = m->r64;
    m->warp.pred = m->pred;
    return true;
}

static void alu_free(alu *m) {
    tc_arena_free(m->arena);
}

/* Input K of a lane, 1 to 4. */
static void alu_input(alu *m, int k, int lane, uint64_t v) {
    m->r32[k][lane] = (uint32_t)v;
    m->r32[ALU_REGS + k][lane] = (uint32_t)v & 0xffff;
    m->r64[k][lane] = v;
    if (k < ALU_PREDS) {
        m->pred[k] = (m->pred[k] & ~(1u << lane)) | (uint32_t)(v & 1) << lane;
    }
}

static void alu_execute(alu *m, uint32_t mask) {
    for (int i = 0; i < TC_LANES; i++) {
        m->r32[0][i] = UINT32_MAX;
        m->r32[ALU_REGS][i] = 0xffff;
        m->r64[0][i] = UINT64_MAX;
    }
    m->pred[0] = UINT32_MAX;
    alu_functions[m->op->opcode](&m->warp, m->op, mask);
}

/* Register 0 of a lane, of the file that the instruction writes. */
static uint64_t alu_result(const alu *m, int lane) {
    const tc_ptx_operand *d = &m->op->a[0];
    if (d->kind == TC_PO_PRED) {
        return m->pred[d->slot] >> lane & 1u;
    }
    return d->cls == TC_PF_64 ? m->r64[d->slot][lane] : m->r32[d->slot][lane];
}

#endif
