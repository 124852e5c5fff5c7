/* pipeline_program.h - the whole text of a random program, its launch, and what
 * it means. */
#ifndef PIPELINE_PROGRAM_H
#define PIPELINE_PROGRAM_H

#include "pipeline_across.h"
#include "pipeline_flow.h"
#include "run/run.h"

/* Parameters: tiles, results, posts, answers, and a copy of the tiles. */
enum { PIPE_PARAMS = 5 };

static inline bool pipe_has_mbarriers(const pipe_program *p) {
    return p->flow != FLOW_GROUPS && p->flow != FLOW_NAMED;
}

static inline void pipe_put_head(pipe_program *p) {
    int tile = pipe_tile(p);
    pipe_put(p, 0, ".version 8.6\n.target sm_90a\n.address_size 64\n");
    pipe_put(p, 0, ".global .align 8 .b8 flags[64];\n");
    pipe_put(p, 0,
             ".visible .entry k(.param .u64 p0, .param .u64 p1, "
             ".param .u64 p2, .param .u64 p3, .param .u64 p4)\n{\n");
    pipe_put(p, 0, ".reg .%s a<4>, x<4>;\n", pipe_register(p));
    pipe_put(p, 0,
             ".reg .u64 pin, pout, pmid, pres, psrc, g, h, state, "
             "token;\n");
    pipe_put(p, 0,
             ".reg .u32 t, c, me, cta, rank, next, last, s, ss, sp, sf, "
             "se, f, fs, fp, ff, fe;\n");
    pipe_put(p, 0,
             ".reg .u32 rd, rf, re, d, e, n, id, keep, from, full0, "
             "empty0, pdst, rsrc, outs, shared0;\n");
    pipe_put(p, 0,
             ".reg .pred pw, pq, pl, lead, first, follows, reads, "
             "otherlane;\n");
    pipe_put(p, 0, ".shared .align 128 .b8 ring[%d];\n",
             tile * p->stages * (p->fill == FILL_SEND ? 2 : 1));
    pipe_put(p, 0, ".shared .align 128 .b8 ostage[%d];\n", tile * p->outs);
    pipe_put(p, 0, ".shared .align 128 .b8 share[%d];\n", tile);
    pipe_put(p, 0, ".shared .align 8 .b64 full[8];\n");
    pipe_put(p, 0, ".shared .align 8 .b64 empty[8];\n");
    pipe_put(p, 0, ".shared .u32 said;\n");
}

/* Who this thread is: reader c, producer me. */
static inline void pipe_put_who(pipe_program *p) {
    pipe_put(p, 0, "mov.u32 t, %%tid.x;\nmov.u32 cta, %%ctaid.x;\n");
    pipe_put(p, 0, "mov.u32 c, t;\nmov.u32 me, t;\n");
    if (pipe_roles(p) && p->readers_first) {
        pipe_put(p, 0, "sub.u32 me, t, %d;\nsetp.lt.u32 reads, t, %d;\n",
                 p->readers, p->readers);
    } else if (pipe_roles(p)) {
        pipe_put(p, 0, "sub.u32 c, t, %d;\nsetp.ge.u32 reads, t, %d;\n",
                 p->producers, p->producers);
    }
    pipe_put(p, 0, "setp.eq.u32 lead, c, 0;\nsetp.eq.u32 first, me, 0;\n");
    pipe_put(p, 0, "setp.ne.u32 follows, t, 0;\nand.b32 d, t, 31;\n");
    pipe_put(p, 0, "setp.ne.u32 otherlane, d, 0;\n");
    if (p->cluster) {
        pipe_put(p, 0, "mov.u32 rank, %%cluster_ctarank;\n");
        pipe_put(p, 0, "add.u32 next, rank, 1;\nrem.u32 next, next, %d;\n",
                 p->cluster);
        pipe_put(p, 0, "add.u32 last, rank, %d;\nrem.u32 last, last, %d;\n",
                 p->cluster - 1, p->cluster);
    }
}

static inline void pipe_put_where(pipe_program *p) {
    int tile = pipe_tile(p);
    static const char *const names[] = {"pin", "pout", "pmid", "pres", "psrc"};
    for (int i = 0; i < PIPE_PARAMS; i++) {
        pipe_put(p, 0, "ld.param.u64 %s, [p%d];\n", names[i], i);
        pipe_put(p, 0, "cvta.to.global.u64 %s, %s;\n", names[i], names[i]);
    }
    pipe_put(p, 0, "mul.wide.u32 g, cta, %d;\nadd.u64 pout, pout, g;\n",
             tile * (p->per_step ? p->steps : 1));
    pipe_put(p, 0, "mov.u32 pdst, ring;\nmov.u32 outs, ostage;\n");
    pipe_put(p, 0, "mov.u32 shared0, share;\nmov.u32 full0, full;\n");
    pipe_put(p, 0, "mov.u32 empty0, empty;\n");
    pipe_put(p, 0, "add.u32 d, c, %d;\nrem.u32 d, d, %d;\n", p->turn,
             p->readers);
    pipe_put(p, 0, "mad.lo.u32 rsrc, d, %d, pdst;\n", p->unit);
}

/* Where the tiles come from; after pipe_put_prepare. */
static inline void pipe_put_source(pipe_program *p) {
    if (!p->prepare) {
        pipe_put(p, 0, "mov.u64 psrc, pin;\n");
    }
    pipe_put(p, 0, "mov.u32 d, cta;\n");
    if (p->flow == FLOW_CLUSTER) {
        pipe_put(p, 0, "sub.u32 d, d, rank;\nadd.u32 d, d, next;\n");
    }
    pipe_put(p, 0, "mul.wide.u32 g, d, %d;\nadd.u64 psrc, psrc, g;\n",
             pipe_tile(p) * p->steps);
    if (p->fill != FILL_BULK) {
        pipe_put(p, 0, "mul.wide.u32 g, me, %d;\nadd.u64 psrc, psrc, g;\n",
                 p->unit);
        pipe_put(p, 0, "mad.lo.u32 pdst, me, %d, pdst;\n", p->unit);
    }
}

/* ---- before the first tile ---- */

static inline void pipe_put_init(pipe_program *p) {
    int count = pipe_full_count(p);
    uint32_t less = pipe_early_read(p) | PK(MBARRIER_COUNT) |
                    PK(MBARRIER_PHASE) | PK(OVERWRITE_BEFORE_READ);
    /* As many arrive in each phase as the init says. */
    count += !pipe_keep(p, "full counts one more", PIPE_HANGS, T_ANY, T_ANY);
    /* A copy's own arrival (INC) may come in time all the same. */
    if (count > 1 && p->fill != FILL_INC) {
        count -= !pipe_keep_or(p, "full counts one less", less, T_ANY, T_ANY,
                               PIPE_MIXED);
    }
    pipe_put(p, 0, "@follows bra READY;\n");
    for (int i = 0; i < p->stages; i++) {
        pipe_put(p, T_INIT, "mbarrier.init.shared.b64 [full+%d], %d;\n", i * 8,
                 count);
        if (p->flow >= FLOW_SPECIAL) {
            pipe_put(p, T_INIT, "mbarrier.init.shared.b64 [empty+%d], %d;\n",
                     i * 8, p->one_arrival ? p->readers / 32 : p->readers);
        }
    }
    /* For the async proxy and for other CTAs. Within a CTA the barrier that
     * follows is held to be enough, so that none of these is a break. */
    if (pipe_proxied(p) || p->flow == FLOW_CLUSTER || p->style & 2) {
        pipe_put(p, 0, "fence.mbarrier_init.release.cluster;\n");
    }
    pipe_put(p, 0, "READY:\n");
}

/* All of the CTA's units, dealt out so that few fall to who will read them. */
static inline void pipe_put_dealt(pipe_program *p, int units, bool copy) {
    const char *v = pipe_vector(p), *t = pipe_type(p);
    int label = p->labels++;
    char x[64];
    pipe_names(p, "x", x);
    pipe_put(p, 0, "add.u32 e, t, 1;\nrem.u32 e, e, %d;\nD%d:\n", p->threads,
             label);
    pipe_put(p, 0, "setp.ge.u32 pq, e, %d;\n@pq bra X%d;\n", units, label);
    if (copy) {
        pipe_put(p, 0, "mad.lo.u32 d, cta, %d, e;\n", units);
        pipe_put(p, 0, "mul.wide.u32 h, d, %d;\nadd.u64 g, pin, h;\n", p->unit);
        pipe_put(p, 0, "ld.global.%s%s %s, [g];\nadd.u64 g, psrc, h;\n", v, t,
                 x);
        pipe_put(p, T_PREP, "st.global.%s%s [g], %s;\n", v, t, x);
    } else {
        pipe_put(p, 0, "mad.lo.u32 d, e, %d, pdst;\n", p->unit);
        pipe_put(p, T_PREP, "st.shared.%s%s [d], %s;\n", v, t, x);
    }
    pipe_put(p, 0, "add.u32 e, e, %d;\nbra D%d;\nX%d:\n", p->threads, label,
             label);
}

static inline void pipe_put_prepare(pipe_program *p) {
    if (p->prepare) {
        pipe_put_dealt(p, p->steps * p->readers, true);
    }
    if (p->clear) {
        for (int i = 0; i < p->vector; i++) {
            pipe_put(p, 0, "mov.%s x%d, %s;\n", pipe_register(p), i,
                     p->real ? "0f00000000" : "0");
        }
        pipe_put_dealt(p, p->stages * p->readers, false);
    }
    /* The copies read, or overwrite, in the async proxy what this wrote. Who
     * sends to another CTA has a fence of its own between. */
    if ((p->prepare || p->clear) && pipe_proxied(p) &&
        (p->fill != FILL_BULK ||
         pipe_keep(p, "fence at the start", PK(PROXY_FENCE), T_FILL, T_PREP))) {
        pipe_put(p, 0, "fence.proxy.async;\n");
    }
}

static inline void pipe_put_start_sync(pipe_program *p) {
    uint32_t kinds = 0;
    if (p->prepare || p->clear) {
        kinds |= PK(DATA_RACE) | PK(OVERWRITE_IN_FLIGHT) | PK(PROXY_FENCE);
    }
    if (pipe_has_mbarriers(p)) {
        kinds |= PK(MBARRIER_REINIT);
    }
    if (p->flow == FLOW_CLUSTER) {
        /* The next CTA must run, and its mbarriers be initialised. */
        if (pipe_keep(p, "cluster barrier at the start",
                      kinds | PK(CLUSTER_SYNC), T_ANY, T_ANY)) {
            pipe_put_cluster_sync(p, !p->clear && p->style & 1);
        }
    } else if (kinds) {
        /* One thread initialised, or all wrote, what others use. */
        if (pipe_keep(p, "sync at the start", kinds, T_ANY, T_ANY)) {
            pipe_put_all_sync(p);
        }
    }
}

/* ---- all of it ---- */

static inline void pipe_put_tiles(pipe_program *p) {
    if (!pipe_roles(p)) {
        pipe_put_start(p);
    }
    switch (p->flow) {
    case FLOW_GROUPS:
        pipe_put_prologue(p);
        pipe_put_steps(p, 's', pipe_groups_step);
        break;
    case FLOW_PHASES:
        pipe_put_prologue(p);
        pipe_put_steps(p, 's', pipe_phases_step);
        break;
    default:
        pipe_put(p, 0, "@reads bra READ;\n");
        pipe_put_producer(p);
        pipe_put(p, 0, "bra JOIN;\nREAD:\n");
        pipe_put_start(p);
        pipe_put_steps(p, 's', pipe_reader_step);
        break;
    }
    pipe_put_last_result(p);
}

static inline void pipe_put_end(pipe_program *p) {
    pipe_put(p, 0, "JOIN:\n");
    if (p->cluster && p->across == ACROSS_CLUSTER) {
        pipe_put_exchange(p);
    }
    /* Others still read the CTA's shared memory, or arrive at its mbarriers for
     * the last time. The grid's barrier says that they have. */
    bool over = p->flow == FLOW_CLUSTER && p->across == ACROSS_GRID;
    if (p->cluster && (over || pipe_keep(p, "cluster barrier at the end",
                                         PK(REMOTE_EXITED), T_ANY, T_ANY))) {
        pipe_put_cluster_sync(p, false);
    }
    pipe_put(p, 0, "ret;\n}\n");
}

/* Writes the program of a seed; without: the break that is made, or NULL. */
static inline void pipe_write(pipe_program *p, uint64_t seed,
                              const char *without) {
    pipe_choose(p, seed);
    p->without = without;
    p->line = 1;
    pipe_put_head(p);
    pipe_put_who(p);
    pipe_put_where(p);
    if (pipe_has_mbarriers(p)) {
        pipe_put_init(p);
    }
    pipe_put_prepare(p);
    pipe_put_start_sync(p);
    pipe_put_source(p);
    pipe_put_tiles(p);
    pipe_put_across(p);
    pipe_put_end(p);
}

/* ---- what it means ---- */

static inline tc_dtype pipe_dtype(const pipe_program *p) {
    return p->real        ? TC_FLOAT32
           : p->size == 1 ? TC_UINT8
           : p->size == 2 ? TC_UINT16
           : p->size == 4 ? TC_UINT32
                          : TC_UINT64;
}

static inline uint64_t pipe_bytes(const pipe_program *p, int buffer) {
    uint64_t tiles = (uint64_t)p->grid;
    if (buffer == 0 || buffer == 4 || (buffer == 1 && p->per_step)) {
        tiles *= (uint64_t)p->steps;
    }
    return tiles * (uint64_t)pipe_tile(p);
}

static inline uint64_t pipe_load(const pipe_program *p, const uint8_t *b,
                                 int element) {
    uint64_t v = 0;
    memcpy(&v, b + (size_t)element * (size_t)p->size, (size_t)p->size);
    return v;
}

static inline void pipe_store(const pipe_program *p, uint8_t *b, int element,
                              uint64_t v) {
    memcpy(b + (size_t)element * (size_t)p->size, &v, (size_t)p->size);
}

static inline uint64_t pipe_plus(const pipe_program *p, uint64_t a, uint64_t b,
                                 uint64_t times) {
    float x, y;
    uint32_t x4 = (uint32_t)a, y4 = (uint32_t)b;
    if (!p->real) {
        return a * times + b;
    }
    memcpy(&x, &x4, 4);
    memcpy(&y, &y4, 4);
    x += y;
    memcpy(&x4, &x, 4);
    return x4;
}

/* One element e of reader c of that CTA: its results, and its post. */
static inline void pipe_mean(const pipe_program *p, uint8_t *const *b, int cta,
                             int c, int e) {
    int n = p->readers * p->vector, mine = c * p->vector + e;
    int taken = (c + p->turn) % p->readers * p->vector + e;
    int results = p->per_step ? p->steps : 1;
    uint64_t sum = p->add ? pipe_load(p, b[1], cta * results * n + mine) : 0;
    for (int s = 0; s < p->steps; s++) {
        int at = cta * results * n + (p->per_step ? s : 0) * n + mine;
        sum = pipe_plus(
            p, sum, pipe_load(p, b[0], (cta * p->steps + s) * n + taken), 5);
        if (p->per_step || s == p->steps - 1) {
            pipe_store(p, b[1], at,
                       p->drain == DRAIN_REDUCE
                           ? pipe_plus(p, pipe_load(p, b[1], at), sum, 1)
                           : sum);
        }
    }
    pipe_store(p, b[2], cta * n + mine, sum);
}

/* The same one's answer, from the posts of all. */
static inline void pipe_answer(const pipe_program *p, uint8_t *const *b,
                               const uint8_t *posts, int cta, int c, int e) {
    int n = p->readers * p->vector, mine = cta * n + c * p->vector + e;
    int taken = (c + p->turn2) % p->readers * p->vector + e;
    int first = p->cluster ? cta - cta % p->cluster : 0, from = cta - 1;
    uint64_t sum = pipe_load(p, posts, mine);
    if (p->across == ACROSS_GRID) {
        from = (cta + 1) % p->grid;
    } else if (p->across == ACROSS_CLUSTER) {
        from = first + (cta - first + 1) % p->cluster;
    } else if (p->across == ACROSS_LAST) {
        sum = 0;
        for (int i = 0; i < p->grid && cta == 0; i++) {
            sum = pipe_plus(p, sum, pipe_load(p, posts, i * n + taken), 1);
        }
    }
    if (p->across == ACROSS_LAST ? cta == 0 : from >= 0) {
        pipe_store(
            p, b[3], mine,
            p->across == ACROSS_LAST
                ? sum
                : pipe_plus(p, sum, pipe_load(p, posts, from * n + taken), 1));
    }
}

/* What one launch makes of the buffers. */
static inline void pipe_launch(const pipe_program *p, uint8_t *const *b) {
    uint8_t *posts = tc_xcalloc(1, pipe_bytes(p, 2));
    uint8_t *with[PIPE_PARAMS] = {b[0], b[1], posts, b[3], b[4]};
    for (int i = 0; i < p->grid * p->readers * p->vector; i++) {
        int e = i % p->vector, c = i / p->vector % p->readers;
        pipe_mean(p, with, i / p->vector / p->readers, c, e);
    }
    for (int i = 0; p->across && i < p->grid * p->readers * p->vector; i++) {
        int e = i % p->vector, c = i / p->vector % p->readers;
        pipe_answer(p, with, posts, i / p->vector / p->readers, c, e);
    }
    if (p->across && p->across != ACROSS_CLUSTER) {
        memcpy(b[2], posts, pipe_bytes(p, 2));
    }
    if (p->prepare) {
        memcpy(b[4], b[0], pipe_bytes(p, 0));
    }
    free(posts);
}

#endif
