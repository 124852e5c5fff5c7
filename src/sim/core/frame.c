/* frame.c - frames of calls: how much stack a kernel's threads need, and where
 * registers and .local variables of a function are (PTX ISA 7).
 *
 * Lanes that are in the same function, at the same depth, with their stack's
 * end at the same place share one frame, and so can run together however they
 * came there; where each of them returns to is in the frame, by lane. */
#include "sim/core/run.h"
#include "sim/core/slab.h"
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 1024,
    UNKNOWN_STACK = 16384 /* bytes where calls do not tell: recursion, calls by
                             address, alloca */
};
#define MOST_FRAME_BYTES (UINT64_C(64) << 20) /* registers of all frames */

/* ---- how much stack ---- */

typedef struct frame_walk {
    const tc_ptx_module *m;
    uint32_t budget; /* ops still looked at */
    bool unknown;
} frame_walk;

/* Longest path of frames below f. */
static uint64_t depth_of(frame_walk *k, const tc_ptx_func *f, int depth) {
    uint64_t most = 0;
    if (depth > 32) { /* recursion, most likely */
        k->unknown = true;
        return 0;
    }
    for (uint32_t i = f->begin; f->stack && i < f->end && !k->unknown; i++) {
        const tc_ptx_op *op = &k->m->code[i];
        bool direct = op->a[1].kind == TC_PO_FUNC;
        if (k->budget-- == 0 || op->opcode == TC_PTX_ALLOCA ||
            (op->opcode == TC_PTX_CALL && !direct)) {
            k->unknown = true;
        } else if (op->opcode == TC_PTX_CALL) {
            uint64_t n = depth_of(k, &k->m->funcs[op->a[1].slot], depth + 1);
            most = n > most ? n : most;
        }
    }
    return most + tc_align16(f->local_bytes);
}

uint64_t tc_stack_bytes(const tc_ptx_module *m, const tc_ptx_func *f) {
    frame_walk k = {.m = m, .budget = 1u << 22};
    uint64_t n = depth_of(&k, f, 0);
    return k.unknown ? tc_align16(f->local_bytes) + UNKNOWN_STACK : n;
}

/* ---- frames ---- */

static uint64_t frame_bytes(const tc_ptx_func *f) {
    return sizeof(tc_frame) + (f->n32 + 1u) * sizeof(uint32_t[TC_LANES]) +
           (f->n64 + 1u) * sizeof(uint64_t[TC_LANES]) +
           (f->npred + 1u) * sizeof(uint32_t);
}

/* How many rows a frame has, and which of them its registers are. */
static void give_rows(const tc_warp *w, tc_frame *x) {
    const tc_run *r = w->cta->run;
    const tc_fast_rows *rows = r->rows;
    bool shared = rows && rows->of32 && x->func == r->func;
    x->n32 = shared ? rows->n32 : x->func->n32;
    x->n64 = shared ? rows->n64 : x->func->n64;
    x->rows32 = shared ? rows->of32 : NULL;
    x->rows64 = shared ? rows->of64 : NULL;
}

static tc_frame *new_frame(tc_warp *w, const tc_ptx_func *f, uint32_t depth,
                           uint64_t base) {
    tc_frame *x = tc_xcalloc(1, sizeof *x);
    x->func = f;
    x->depth = depth;
    x->base = base;
    give_rows(w, x);
    tc_slab *slab = depth ? NULL : w->cta->run->slab; /* the kernel's */
    if (slab) {
        x->r32 = tc_slab_take(slab, (x->n32 + 1u) * sizeof *x->r32);
        x->r64 = tc_slab_take(slab, (x->n64 + 1u) * sizeof *x->r64);
    }
    x->slab = slab != NULL;
    if (!slab) {
        x->r32 = tc_xrows(x->n32 + 1u, sizeof *x->r32);
        x->r64 = tc_xrows(x->n64 + 1u, sizeof *x->r64);
    }
    x->pred = tc_xcalloc(f->npred + 1u, sizeof *x->pred);
    x->next = w->core->frames;
    w->core->frames = x;
    w->cta->run->frame_bytes += frame_bytes(f);
    return x;
}

static void free_frame(tc_warp *w, tc_frame *x) {
    w->cta->run->frame_bytes -= frame_bytes(x->func);
    if (!x->slab) {
        free(x->r32);
        free(x->r64);
    }
    free(x->pred);
    free(x);
}

void tc_frame_enter(tc_warp *w, tc_frame *f) {
    w->frame = f;
    w->func = f->func;
    w->r32 = f->r32;
    w->r64 = f->r64;
    w->pred = f->pred;
    w->rows32 = f->rows32;
    w->rows64 = f->rows64;
}

void tc_frames_init(tc_warp *w) {
    w->core->frames = NULL;
    tc_frame_enter(w, new_frame(w, w->cta->run->func, 0, 0));
}

/* Registers that a program can read before it writes them are zero. */
static void zero_registers(tc_warp *w) {
    const tc_fast_rows *f = w->cta->run->rows;
    const tc_ptx_func *func = w->func;
    if (!f) {
        memset(w->pred, 0, func->npred * sizeof *w->pred);
        memset(w->r32, 0, func->n32 * sizeof *w->r32);
        memset(w->r64, 0, func->n64 * sizeof *w->r64);
        return;
    }
    for (uint32_t i = 0; i < f->nzero; i++) {
        uint32_t at = f->zero[i];
        if (at < func->n32) {
            memset(tc_row32(w, at), 0, sizeof w->r32[0]);
        } else if (at - func->n32 >= func->n64) {
            w->pred[at - func->n32 - func->n64] = 0;
        } else {
            memset(tc_row64(w, at - func->n32), 0, sizeof w->r64[0]);
        }
    }
}

void tc_frames_start(tc_warp *w) {
    tc_warp_core *k = w->core;
    while (k->frames->next) { /* calls of the CTA before */
        tc_frame *x = k->frames;
        k->frames = x->next;
        free_frame(w, x);
    }
    const tc_ptx_func *f = k->frames->func;
    tc_frame_enter(w, k->frames);
    zero_registers(w);
    for (int i = 0; i < TC_LANES && !k->clean; i++) {
        k->sp[i] = tc_align16(f->local_bytes);
    }
    k->split[0].frame = k->frames;
}

void tc_frames_free(tc_warp *w) {
    while (w->core->frames) {
        tc_frame *x = w->core->frames;
        w->core->frames = x->next;
        free_frame(w, x);
    }
}

/* ---- endless loops: all that a warp's own state is ---- */

static uint64_t hash_params(const tc_warp *w, const tc_frame *f, uint64_t h) {
    const tc_cta *c = w->cta;
    const tc_ptx_module *m = c->run->module;
    uint64_t first = (uint64_t)w->index * TC_LANES * c->local_bytes;
    for (int i = 0; f->func->stack && i < m->nsymbols; i++) {
        const tc_ptx_symbol *s = &m->symbols[i];
        if (s->space != TC_PS_PARAM || !s->stacked || !c->local ||
            &m->funcs[s->func] != f->func) {
            continue;
        }
        for (uint64_t l = 0; l < TC_LANES; l++) {
            const uint8_t *p =
                c->local + first + l * c->local_bytes + f->base + s->offset;
            for (uint64_t j = 0; j < s->size; j++) {
                h = tc_hash_step(h, p[j]);
            }
        }
    }
    return h;
}

uint64_t tc_frames_hash(const tc_warp *w, uint64_t h) {
    for (const tc_frame *f = w->core->frames; f; f = f->next) {
        for (uint32_t i = 0; i < f->func->npred; i++) {
            h = tc_hash_step(h, f->pred[i]);
        }
        for (uint32_t i = 0; i < f->n32; i++) {
            for (int j = 0; j < TC_LANES; j++) {
                h = tc_hash_step(h, f->r32[i][j]);
            }
        }
        for (uint32_t i = 0; i < f->n64; i++) {
            for (int j = 0; j < TC_LANES; j++) {
                h = tc_hash_step(h, f->r64[i][j]);
            }
        }
        for (int j = 0; f->depth > 0 && j < TC_LANES; j++) {
            h = tc_hash_step(h, f->call[j]);
        }
        h = hash_params(w, f, h);
    }
    return h;
}

tc_frame *tc_frame_find(tc_warp *w, const tc_ptx_func *f, uint64_t base) {
    uint32_t depth = w->frame->depth + 1;
    for (tc_frame *x = w->core->frames; x; x = x->next) {
        if (x->func == f && x->depth == depth && x->base == base) {
            return x;
        }
    }
    if (depth > MOST_DEPTH ||
        base + tc_align16(f->local_bytes) > w->cta->local_bytes ||
        w->cta->run->frame_bytes + frame_bytes(f) > MOST_FRAME_BYTES) {
        return NULL;
    }
    return new_frame(w, f, depth, base);
}
