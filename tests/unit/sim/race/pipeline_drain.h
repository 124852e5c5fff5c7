/* pipeline_drain.h - what the readers do with a tile, and how the results
 * leave. */
#ifndef PIPELINE_DRAIN_H
#define PIPELINE_DRAIN_H

#include "pipeline_gen.h"

static inline void pipe_put_readers_sync(pipe_program *p, int id) {
    if (p->readers == 32 && p->style & 2) {
        pipe_put(p, T_SYNC, "bar.warp.sync 0xffffffff;\n");
    } else {
        pipe_put(p, T_SYNC, "bar.sync %d, %d;\n", id, p->readers);
    }
}

/* Of step s, whose stage is ss: sums = sums * 5 + x (floats: sums + x). */
static inline void pipe_put_read(pipe_program *p) {
    char x[64];
    pipe_put(p, 0, "mad.lo.u32 d, ss, %d, rsrc;\n", pipe_tile(p));
    pipe_put(p, T_READ, "ld.shared.%s%s %s, [d];\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "x", x));
    for (int i = 0; i < p->vector; i++) {
        if (p->real) {
            pipe_put(p, 0, "add.rn.f32 a%d, a%d, x%d;\n", i, i, i);
        } else {
            pipe_put(p, 0, "mad.lo.%s a%d, a%d, 5, x%d;\n", pipe_register(p), i,
                     i, i);
        }
    }
}

/* Through an out-stage: `outs` of them in turn; n: how many came before. */
static inline void pipe_put_bulk_drain(pipe_program *p, bool again) {
    const char *v = pipe_vector(p), *t = pipe_type(p);
    char a[64];
    pipe_names(p, "a", a);
    /* The copy before the last `outs` reads the slot until this wait says so;
     * only its issuer can wait, so the others must hear of it. */
    if (!again || pipe_keep(p, "wait for the out-stage",
                            PK(OVERWRITE_IN_FLIGHT), T_SRC, T_DRAIN)) {
        int left = p->outs - 1;
        if (again && !pipe_keep(p, "wait for the out-stage leaves one more",
                                PK(OVERWRITE_IN_FLIGHT), T_SRC, T_DRAIN)) {
            left++;
        }
        pipe_put(p, 0, "@lead cp.async.bulk.wait_group.read %d;\n", left);
    }
    if (!again ||
        pipe_keep(p, "sync after the out-stage's wait",
                  PK(OVERWRITE_IN_FLIGHT) | PK(DATA_RACE), T_SRC, T_DRAIN)) {
        pipe_put_readers_sync(p, 15);
    }
    pipe_put(p, 0, "rem.u32 d, n, %d;\nmad.lo.u32 d, d, %d, outs;\n", p->outs,
             pipe_tile(p));
    pipe_put(p, 0, "mad.lo.u32 e, c, %d, d;\n", p->unit);
    pipe_put(p, T_SRC, "st.shared.%s%s [e], %s;\n", v, t, a);
    /* Generic stores, read in the async proxy. */
    bool fence =
        pipe_keep(p, "fence of the out-stage", PK(PROXY_FENCE), T_SRC, T_DRAIN);
    if (fence && !(p->style & 1)) {
        pipe_put(p, 0, "fence.proxy.async.shared::cta;\n");
    }
    /* One thread copies what all have written. */
    if (pipe_keep(p, "sync before the out-stage's copy",
                  PK(DATA_RACE) | PK(PROXY_FENCE) | PK(OVERWRITE_IN_FLIGHT),
                  T_SRC, T_DRAIN)) {
        pipe_put_readers_sync(p, 15);
    }
    if (fence && p->style & 1) {
        pipe_put(p, 0, "fence.proxy.async.shared::cta;\n");
    }
    const char *reduce = p->drain == DRAIN_REDUCE ? ".reduce" : "";
    pipe_put(p, T_DRAIN,
             "@lead cp%s.async.bulk.global.shared::cta.bulk_group%s%s [g], "
             "[d], %d;\n",
             reduce, *reduce ? ".add." : "", *reduce ? t : "", pipe_tile(p));
    /* The wait for the slot counts groups. */
    if (!again || pipe_keep(p, "commit of the out-stage", PK(UNCOMMITTED_GROUP),
                            T_SRC, T_DRAIN)) {
        pipe_put(p, 0, "@lead cp.async.bulk.commit_group;\n");
    }
}

/* The sums as tile n of the CTA's results. */
static inline void pipe_put_sums(pipe_program *p, bool again) {
    char a[64];
    pipe_put(p, 0, "mul.wide.u32 g, n, %d;\nadd.u64 g, g, pout;\n",
             pipe_tile(p));
    if (p->drain != DRAIN_STORE) {
        pipe_put_bulk_drain(p, again);
        return;
    }
    pipe_put(p, 0, "mul.wide.u32 h, c, %d;\nadd.u64 g, g, h;\n", p->unit);
    pipe_put(p, T_OUT, "st.global.%s%s [g], %s;\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "a", a));
}

static inline void pipe_put_result(pipe_program *p) {
    if (p->per_step) {
        pipe_put(p, 0, "mov.u32 n, s;\n");
        pipe_put_sums(p, p->steps > p->outs);
    }
}

static inline void pipe_put_use(pipe_program *p) {
    pipe_put_read(p);
    pipe_put_result(p);
}

/* After the last step. */
static inline void pipe_put_last_result(pipe_program *p) {
    if (!p->per_step) {
        pipe_put(p, 0, "mov.u32 n, 0;\n");
        pipe_put_sums(p, false);
    }
    if (p->drain != DRAIN_STORE) {
        pipe_put(p, 0, "@lead cp.async.bulk.wait_group 0;\n");
    }
}

static inline void pipe_put_zero(pipe_program *p) {
    for (int i = 0; i < p->vector; i++) {
        pipe_put(p, 0, "mov.%s a%d, %s;\n", pipe_register(p), i,
                 p->real ? "0f00000000" : "0");
    }
}

/* The sums' start: 0, or the unit of the CTA's first result tile. */
static inline void pipe_put_start(pipe_program *p) {
    char a[64];
    pipe_put_zero(p);
    if (p->add) {
        pipe_put(p, 0, "mul.wide.u32 h, c, %d;\nadd.u64 g, pout, h;\n",
                 p->unit);
        pipe_put(p, T_OUT, "ld.global.%s%s %s, [g];\n", pipe_vector(p),
                 pipe_type(p), pipe_names(p, "a", a));
    }
}

#endif
