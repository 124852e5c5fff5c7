/* pipeline_fill.h - how a stage is filled and its filling announced. */
#ifndef PIPELINE_FILL_H
#define PIPELINE_FILL_H

#include "pipeline_gen.h"

/* The kinds of a read that comes before what fills the stage is over. */
static inline uint32_t pipe_early_read(const pipe_program *p) {
    return p->fill == FILL_PLAIN || p->fill == FILL_REMOTE
               ? PK(DATA_RACE)
               : PK(READ_BEFORE_COMPLETE) | PK(READ_BEFORE_BARRIER);
}

/* Of a filling that comes before the stage's last readers are done. Of two
 * roles, or of two CTAs, nobody can say which of the two was meant to come
 * first: with nothing between them, the read is too early for that filling. */
static inline uint32_t pipe_early_fill(const pipe_program *p) {
    uint32_t late = p->fill == FILL_PLAIN || p->fill == FILL_REMOTE
                        ? PK(DATA_RACE)
                        : PK(READ_BEFORE_COMPLETE) | PK(READ_BEFORE_BARRIER);
    /* A sender's stores go to what its last copy reads. */
    late |= p->fill == FILL_SEND ? PK(DATA_RACE) : 0;
    return PK(OVERWRITE_BEFORE_READ) | late;
}

/* Some wait for what never comes. */
#define PIPE_HANGS (PK(MBARRIER_DEADLOCK) | PK(DEADLOCK) | PK(MBARRIER_PHASE))

/* of: the step's register. <of>s: its stage, <of>p: its parity there, <of>f and
 * <of>e: the addresses of its full and its empty mbarrier. */
static inline void pipe_put_slot(pipe_program *p, char of) {
    if (p->stages == 1) {
        pipe_put(p, 0, "mov.u32 %cs, 0;\nand.b32 %cp, %c, 1;\n", of, of, of);
    } else {
        pipe_put(p, 0, "rem.u32 %cs, %c, %d;\ndiv.u32 %cp, %c, %d;\n", of, of,
                 p->stages, of, of, p->stages);
        pipe_put(p, 0, "and.b32 %cp, %cp, 1;\n", of, of);
    }
    pipe_put(p, 0, "shl.b32 %cf, %cs, 3;\nadd.u32 %ce, %cf, empty0;\n", of, of,
             of, of);
    pipe_put(p, 0, "add.u32 %cf, %cf, full0;\n", of, of);
}

static inline void pipe_put_wait(pipe_program *p, uint32_t tag, const char *bar,
                                 const char *parity, bool acquire) {
    const char *scope = p->flow != FLOW_CLUSTER ? acquire ? "" : ".relaxed.cta"
                        : acquire               ? ".acquire.cluster"
                                                : ".relaxed.cluster";
    int label = p->labels++;
    pipe_put(p, 0, "W%d:\n", label);
    pipe_put(p, tag,
             "mbarrier.%s_wait.parity%s.shared::cta.b64 pw, [%s], %s;\n",
             p->test_wait ? "test" : "try", scope, bar, parity);
    pipe_put(p, tag, "@!pw bra W%d;\n", label);
}

/* ---- filling: step f, by producer `me` of them ---- */

/* The step's tile in global memory and in the ring: g and d. */
static inline void pipe_put_places(pipe_program *p) {
    int tile = pipe_tile(p);
    pipe_put(p, 0, "mul.wide.u32 g, f, %d;\nadd.u64 g, g, psrc;\n", tile);
    pipe_put(p, 0, "mad.lo.u32 d, fs, %d, pdst;\n", tile);
    if (p->flow == FLOW_CLUSTER) {
        pipe_put(p, 0, "mapa.shared::cluster.u32 rd, d, next;\n");
        pipe_put(p, 0, "mapa.shared::cluster.u32 rf, ff, next;\n");
    }
}

static inline void pipe_put_units(pipe_program *p) {
    const char *v = pipe_vector(p), *t = pipe_type(p);
    char x[64];
    pipe_names(p, "x", x);
    for (int k = 0; k < p->readers / p->producers; k++) {
        int at = k * p->producers * p->unit;
        if (p->fill == FILL_GROUP || p->fill == FILL_NOINC ||
            p->fill == FILL_INC) {
            pipe_put(
                p, T_FILL, "cp.async.%s.shared.global [d+%d], [g+%d], %d;\n",
                p->unit == 16 && p->style & 1 ? "cg" : "ca", at, at, p->unit);
            continue;
        }
        pipe_put(p, T_FILL, "ld.global.%s%s %s, [g+%d];\n", v, t, x, at);
        if (p->fill == FILL_PLAIN) {
            pipe_put(p, T_FILL, "st.shared.%s%s [d+%d], %s;\n", v, t, at, x);
        } else if (p->fill == FILL_REMOTE) {
            pipe_put(p, T_FILL, "st.shared::cluster.%s%s [rd+%d], %s;\n", v, t,
                     at, x);
        } else if (p->fill == FILL_ASYNC) {
            pipe_put(p, T_FILL,
                     "st.async.shared::cluster.mbarrier::complete_tx::bytes."
                     "%s%s [rd+%d], %s, [rf];\n",
                     v, t, at, x);
        } else {
            pipe_put(p, T_SRC, "st.shared.%s%s [d+%d], %s;\n", v, t,
                     at + p->stages * pipe_tile(p), x);
        }
    }
}

/* Announces the tile's bytes, and is the phase's one arrival. */
static inline void pipe_put_expect(pipe_program *p, const char *bar,
                                   bool remote) {
    const char *form = remote ? "release.cluster.shared::cluster.b64 _"
                              : "shared::cta.b64 state";
    int bytes = pipe_tile(p);
    uint32_t early = PK(READ_BEFORE_COMPLETE) | PK(OVERWRITE_BEFORE_READ);
    uint32_t also = PK(TX_COUNT) | PK(MBARRIER_PHASE) | PK(MBARRIER_COUNT) |
                    PK(OVERWRITE_IN_FLIGHT);
    /* Nothing else tells the barrier to wait for all of these bytes. */
    if (!pipe_keep_or(p, "expect fewer bytes", early, T_FILL, T_READ, also)) {
        bytes -= 16;
    }
    if (!pipe_keep(p, "expect more bytes", PK(TX_COUNT), T_ANY, T_ANY)) {
        bytes += 16;
    }
    if (pipe_keep_or(p, "expect nothing", early, T_FILL, T_READ, also)) {
        pipe_put(p, T_ARRIVE, "mbarrier.arrive.expect_tx.%s, [%s], %d;\n", form,
                 bar, bytes);
    } else {
        pipe_put(p, T_ARRIVE, "mbarrier.arrive.%s, [%s];\n", form, bar);
    }
}

static inline void pipe_put_bulk(pipe_program *p) {
    int bytes = pipe_tile(p) / p->pieces;
    pipe_put_expect(p, "ff", false);
    for (int k = 0; k < p->pieces; k++) {
        pipe_put(p, T_FILL,
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [d+%d], [g+%d], %d, [ff];\n",
                 k * bytes, k * bytes, bytes);
    }
}

/* All producers' stores, then one thread's copy into the next CTA. */
static inline void pipe_put_send(pipe_program *p) {
    int ring = p->stages * pipe_tile(p);
    /* The copy reads in the async proxy what generic stores wrote. */
    if (pipe_keep(p, "send fence", PK(PROXY_FENCE), T_SRC, T_FILL)) {
        pipe_put(p, 0, "fence.proxy.async.shared::cta;\n");
    }
    /* Each producer wrote a part, and one sends all. */
    if (pipe_keep(p, "send sync",
                  PK(DATA_RACE) | PK(OVERWRITE_IN_FLIGHT) | PK(PROXY_FENCE),
                  T_SRC, T_FILL)) {
        pipe_put(p, T_SYNC, "bar.sync 13, %d;\n", p->producers);
    }
    if (!p->early) {
        pipe_put(p, 0, "@!first bra S%d;\n", p->labels);
        pipe_put_expect(p, "rf", true);
        pipe_put(p, 0, "S%d:\n", p->labels++);
    }
    pipe_put(p, T_FILL,
             "@first cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
             "complete_tx::bytes [rd], [d+%d], %d, [rf];\n",
             ring, pipe_tile(p));
}

static inline void pipe_put_fill(pipe_program *p) {
    pipe_put_places(p);
    if (p->fill == FILL_BULK) {
        pipe_put_bulk(p);
        return;
    }
    if (p->fill == FILL_ASYNC && !p->early) {
        pipe_put(p, 0, "@!first bra S%d;\n", p->labels);
        pipe_put_expect(p, "rf", true);
        pipe_put(p, 0, "S%d:\n", p->labels++);
    }
    pipe_put_units(p);
    if (p->fill == FILL_SEND) {
        pipe_put_send(p);
    }
}

/* ---- announcing, where an mbarrier is told; not of groups ---- */

/* Arrivals that the full mbarrier's phase expects. */
static inline int pipe_full_count(const pipe_program *p) {
    return pipe_proxied(p) ? 1 : p->producers;
}

/* The phase counts this arrival, and readers know the stage by it alone. */
static inline bool pipe_keep_arrival(pipe_program *p) {
    return pipe_keep(p, "full arrival", PIPE_HANGS, T_ANY, T_ANY);
}

/* What the producer stored, or waited for, is told by the arrival's release. */
static inline bool pipe_keep_release(pipe_program *p) {
    return pipe_keep(p, "full arrival's release",
                     pipe_early_read(p) | PK(OVERWRITE_BEFORE_READ), T_READ,
                     T_FILL);
}

static inline void pipe_put_signal(pipe_program *p) {
    switch (p->fill) {
    case FILL_PLAIN:
    case FILL_GROUP:
        if (pipe_keep_arrival(p)) {
            pipe_put(p, T_ARRIVE, "mbarrier.arrive%s.shared.b64 token, [ff];\n",
                     pipe_keep_release(p) ? "" : ".relaxed.cta");
        }
        break;
    case FILL_INC:
        /* The copies' arrival is not counted among those of the init. */
        if (pipe_keep(p, "copies' arrival", pipe_early_read(p), T_FILL,
                      T_READ)) {
            pipe_put(p, T_ARRIVE,
                     "cp.async.mbarrier.arrive.shared.b64 [ff];\n");
        }
        if (pipe_keep_arrival(p)) {
            pipe_put(p, T_ARRIVE, "mbarrier.arrive.shared.b64 token, [ff];\n");
        }
        break;
    case FILL_NOINC:
        if (pipe_keep_arrival(p)) {
            pipe_put(p, T_ARRIVE,
                     "cp.async.mbarrier.arrive.noinc.shared.b64 [ff];\n");
        }
        break;
    case FILL_REMOTE:
        /* The reader is of another CTA: scope .cta does not reach him. */
        if (!pipe_keep_arrival(p)) {
            break;
        }
        pipe_put(p, T_ARRIVE,
                 "mbarrier.arrive.%s.cluster.shared::cluster.b64 _, [rf];\n",
                 pipe_keep_release(p) ? "release" : "relaxed");
        break;
    default:
        break; /* the bytes themselves */
    }
}

#endif
