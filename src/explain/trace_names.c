/* trace_names.c - tells a trace what the program calls its memory, its mbarriers
 * and its findings. */
#include "explain/explain.h"
#include "explain/finding.h"
#include "run/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- buffers ---- */

static const char *type_of(const tc_last_run *run, const char *name) {
    tc_dtype type = tc_cuda_type(run, name);
    return type != TC_VOID ? tc_dtypes[type].name : "";
}

/* A variable of another kernel is not there. */
static bool is_there(const tc_last_run *run, const tc_ptx_symbol *y) {
    const tc_ptx_func *f = y->func >= 0 ? &run->module->funcs[y->func] : NULL;
    return y->space == TC_PS_SHARED && !y->is_extern && y->size &&
           (f == NULL || !f->entry || strcmp(f->name, run->entry) == 0);
}

static void add_shared(tc_trace *t, const tc_last_run *run) {
    const tc_ptx_module *m = run->module;
    const tc_ptx_symbol *dynamic;
    uint64_t begin = tc_dynamic_begin(run, &dynamic);
    for (int i = 0; i < m->nsymbols; i++) {
        const tc_ptx_symbol *y = &m->symbols[i];
        if (is_there(run, y)) {
            tc_trace_add_buffer(
                t, &(tc_trace_buffer){
                       .name = (char *)tc_symbol_name(run, y),
                       .type = (char *)type_of(run, tc_symbol_name(run, y)),
                       .address = y->offset,
                       .bytes = y->size,
                       .space = TC_TRACE_SPACE_SHARED});
        }
    }
    if (dynamic != NULL && run->dynamic_shared && run->shared == NULL) {
        tc_trace_add_buffer(
            t, &(tc_trace_buffer){
                   .name = (char *)tc_symbol_name(run, dynamic),
                   .type = (char *)type_of(run, tc_symbol_name(run, dynamic)),
                   .address = begin,
                   .bytes = run->dynamic_shared,
                   .space = TC_TRACE_SPACE_SHARED});
    }
}

/* The program's own buffers, in static memory or in the dynamic array. */
static void add_emitted(tc_trace *t, const tc_last_run *run) {
    const tc_ptx_module *m = run->module;
    const tc_ptx_symbol *dynamic;
    uint64_t begin = tc_dynamic_begin(run, &dynamic);
    for (int i = 0; i < run->shared->nsymbols; i++) {
        const tc_symbol *x = &run->shared->symbols[i];
        uint64_t address = begin + (uint64_t)x->offset;
        uint64_t bytes = (uint64_t)x->bytes;
        for (int k = 0; x->bytes == 0 && k < m->nsymbols; k++) {
            if (strcmp(m->symbols[k].name, x->name) == 0) {
                address = m->symbols[k].offset;
                bytes = m->symbols[k].size;
            }
        }
        tc_trace_add_buffer(
            t,
            &(tc_trace_buffer){.name = (char *)x->buffer->name,
                               .type = (char *)tc_dtypes[x->buffer->type].name,
                               .address = address,
                               .bytes = bytes,
                               .space = TC_TRACE_SPACE_SHARED});
    }
}

static void add_global(tc_trace *t, const tc_last_run *run) {
    for (int i = 0; i < run->nbuffers; i++) {
        const tc_run_buffer *b = &run->buffers[i];
        tc_trace_add_buffer(
            t,
            &(tc_trace_buffer){.name = (char *)b->buffer->name,
                               .type = (char *)tc_dtypes[b->buffer->type].name,
                               .address = b->address,
                               .bytes = b->bytes,
                               .space = TC_TRACE_SPACE_GLOBAL});
    }
}

/* ---- mbarriers ---- */

static void add_mbarriers(tc_session *s, tc_trace *t) {
    for (size_t i = 0; i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        if (e->object == TC_OBJECT_MBARRIER &&
            tc_trace_name_of(t, e->barrier) == NULL) {
            tc_trace_add_name(t, e->barrier,
                              tc_address_name(s, TC_PS_SHARED, e->barrier));
        }
    }
}

/* ---- findings ---- */

/* When the trace has an access: the clock of machine code issues it at the cycle
 * that is known of it, or later, as execution is ahead. */
static uint64_t cycle_of(const tc_trace *t, const tc_access *a) {
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; a->op != NULL && i < t->n; i++) {
        const tc_trace_event *e = &t->events[i];
        if (e->cycle >= a->cycle && e->cycle < best && e->cta == a->cta &&
            e->warp == a->warp && e->ptx_line == a->op->ptx_line &&
            (a->some_lane || e->lanes >> (a->lane & 31) & 1)) {
            best = e->cycle;
        }
    }
    return best != UINT64_MAX ? best : a->cycle;
}

static void add_finding(tc_session *s, tc_trace *t, const tc_finding *f) {
    tc_buf message = TC_BUF_INIT;
    tc_finding_message(s, f, &message);
    bool cause = f->cause.valid, shared = f->space == TC_PS_SHARED;
    tc_trace_finding x = {
        .cycle = cycle_of(t, &f->at),
        .cta = f->at.cta,
        .warp = f->at.warp,
        .lane = f->at.lane,
        .line = tc_finding_line(&f->at),
        .cause_line = tc_finding_line(&f->cause),
        .cause_cycle = cause ? cycle_of(t, &f->cause) : UINT64_MAX,
        .kind = (char *)tc_finding_kind_names[f->kind],
        .message = (char *)tc_buf_text(&message),
        .object =
            (char *)(f->bytes ? tc_address_name(s, f->space, f->address) : ""),
        .address = f->address,
        .bytes = shared ? f->bytes : 0};
    tc_trace_add_finding(t, &x);
    tc_buf_free(&message);
}

void tc_trace_describe(tc_session *s) {
    tc_last_run *run = s->program.run;
    tc_trace *t = run != NULL ? run->trace : NULL;
    if (t == NULL || run->described || run->module == NULL) {
        return;
    }
    run->described = true;
    if (run->shared != NULL) {
        add_emitted(t, run);
    } else {
        add_shared(t, run);
    }
    add_global(t, run);
    add_mbarriers(s, t);
    tc_trace_add_texts(s, t, run);
    tc_trace_set_clock(t, tc_clock_model_name(tc_clock_model_of(
                              run->used.timing, &run->result)));
    for (int i = 0; i < run->result.nfindings; i++) {
        add_finding(s, t, &run->result.findings[i]);
    }
}
