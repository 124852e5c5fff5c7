/* pipeline_across.h - what the CTAs tell each other after their tiles: each
 * posts its sums, and takes another's. */
#ifndef PIPELINE_ACROSS_H
#define PIPELINE_ACROSS_H

#include "pipeline_drain.h"

/* A race between CTAs: the sums' stores and another CTA's loads. */
#define PIPE_RACE PK(DATA_RACE), T_FETCH, T_POST

static inline void pipe_put_post(pipe_program *p) {
    char a[64];
    pipe_put(p, 0, "mad.lo.u32 d, cta, %d, c;\n", p->readers);
    pipe_put(p, 0, "mul.wide.u32 g, d, %d;\nadd.u64 g, g, pmid;\n", p->unit);
    pipe_put(p, T_POST, "st.global.%s%s [g], %s;\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "a", a));
}

/* The sums of CTA `from` (a register), of reader c + turn2, into x. */
static inline void pipe_put_fetch(pipe_program *p) {
    char x[64];
    pipe_put(p, 0, "add.u32 d, c, %d;\nrem.u32 d, d, %d;\n", p->turn2,
             p->readers);
    pipe_put(p, 0, "mad.lo.u32 d, from, %d, d;\n", p->readers);
    pipe_put(p, 0, "mul.wide.u32 g, d, %d;\nadd.u64 g, g, pmid;\n", p->unit);
    pipe_put(p, T_FETCH, "ld.global.%s%s %s, [g];\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "x", x));
}

static inline void pipe_put_sum(pipe_program *p) {
    for (int i = 0; i < p->vector; i++) {
        pipe_put(p, 0, "add.%s a%d, a%d, x%d;\n", pipe_register(p), i, i, i);
    }
}

/* The sums as this CTA's unit of the fourth buffer. */
static inline void pipe_put_answer(pipe_program *p) {
    char a[64];
    pipe_put(p, 0, "mad.lo.u32 d, cta, %d, c;\n", p->readers);
    pipe_put(p, 0, "mul.wide.u32 g, d, %d;\nadd.u64 g, g, pres;\n", p->unit);
    pipe_put(p, T_OUT, "st.global.%s%s [g], %s;\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "a", a));
}

/* The CTA's posts come before its one flag only if all have arrived here. */
static inline void pipe_put_posted(pipe_program *p) {
    if (pipe_keep(p, "sync before the flag", PIPE_RACE)) {
        pipe_put_readers_sync(p, 14);
    }
}

/* One thread has heard the flag; the others hear it from him. */
static inline void pipe_put_heard(pipe_program *p) {
    if (pipe_keep(p, "sync after the flag", PIPE_RACE)) {
        pipe_put_readers_sync(p, 14);
    }
}

/* ".release" or weaker; scope ".gpu", or one that does not reach. */
static inline const char *pipe_order(pipe_program *p, const char *order) {
    bool release = strcmp(order, "release") == 0;
    /* The two sides of the only order between the CTAs (8.9.1). */
    return pipe_keep(p, release ? "release" : "acquire", PIPE_RACE) ? order
                                                                    : "relaxed";
}

static inline const char *pipe_scope(pipe_program *p, bool release) {
    return pipe_keep(p, release ? "release's scope" : "acquire's scope",
                     PK(DATA_RACE), T_FETCH | T_FLAG, T_POST | T_FLAG)
               ? "gpu"
               : "cta";
}

/* Fences round relaxed accesses do what .release and .acquire do. */
static inline void pipe_put_fence(pipe_program *p, const char *name) {
    if (pipe_keep(p, name, PIPE_RACE)) {
        pipe_put(p, T_FLAG, "%s;\n",
                 p->style & 1 ? "fence.acq_rel.gpu" : "membar.gl");
    }
}

static inline void pipe_put_spin(pipe_program *p, const char *test) {
    int label = p->labels++;
    bool fences = (p->style & 2) != 0;
    pipe_put(p, 0, "P%d:\n", label);
    if (fences) {
        pipe_put(p, T_FLAG, "ld.relaxed.gpu.global.u32 e, [g];\n");
    } else {
        const char *order = pipe_order(p, "acquire");
        pipe_put(p, T_FLAG, "ld.%s.%s.global.u32 e, [g];\n", order,
                 pipe_scope(p, false));
    }
    pipe_put(p, 0, "%s@pw bra P%d;\n", test, label);
    if (fences) {
        pipe_put_fence(p, "fence after the flag");
    }
}

/* ---- a flag from each CTA to the next ---- */

static inline void pipe_put_raise(pipe_program *p) {
    static const char *const how[] = {"st", "red", "atom", "st"};
    bool fences = (p->style & 2) != 0, red = p->style == 1;
    const char *order = "relaxed", *scope = "gpu";
    if (fences) {
        pipe_put_fence(p, "fence before the flag");
    } else {
        order = pipe_order(p, "release");
        scope = pipe_scope(p, true);
    }
    const char *op = how[p->style & 3];
    pipe_put(p, 0, "mul.wide.u32 g, cta, 4;\nmov.u64 h, flags;\n");
    pipe_put(p, 0, "add.u64 g, g, h;\n");
    pipe_put(p, T_FLAG, "%s.%s.%s.global%s.u32 %s[g], 1;\n", op, order, scope,
             red                       ? ".add"
             : strcmp(op, "atom") == 0 ? ".add"
                                       : "",
             strcmp(op, "atom") == 0 ? "e, " : "");
}

static inline void pipe_put_chain(pipe_program *p) {
    pipe_put_post(p);
    pipe_put_posted(p);
    pipe_put(p, 0, "@!lead bra RAISED;\n");
    pipe_put_raise(p);
    pipe_put(p, 0, "RAISED:\nsetp.eq.u32 pq, cta, 0;\n@pq bra JOIN;\n");
    pipe_put(p, 0, "sub.u32 from, cta, 1;\n");
    /* Nothing else orders the other CTA's posts before these loads. */
    if (pipe_keep(p, "wait for the flag", PIPE_RACE)) {
        pipe_put(p, 0, "@!lead bra HEARD;\nmul.wide.u32 g, from, 4;\n");
        pipe_put(p, 0, "mov.u64 h, flags;\nadd.u64 g, g, h;\n");
        pipe_put_spin(p, "setp.eq.u32 pw, e, 0;\n");
        pipe_put(p, T_FLAG, "st.relaxed.gpu.global.u32 [g], 0;\n");
        pipe_put(p, 0, "HEARD:\n");
    }
    pipe_put_heard(p);
    pipe_put_fetch(p);
    pipe_put_sum(p);
    pipe_put_answer(p);
}

/* ---- the last CTA to come adds up ---- */

static inline void pipe_put_last(pipe_program *p) {
    bool fences = (p->style & 2) != 0;
    const char *order = "acq_rel";
    pipe_put_post(p);
    pipe_put_posted(p);
    pipe_put(p, 0, "@!lead bra COUNTED;\nmov.u64 g, flags;\n");
    if (fences) {
        order = "relaxed";
        pipe_put_fence(p, "fence before the flag");
    } else {
        order =
            pipe_keep(p, "acq_rel to acquire", PIPE_RACE) ? order : "acquire";
        order =
            pipe_keep(p, "acq_rel to release", PIPE_RACE) ? order : "release";
    }
    pipe_put(p, T_FLAG, "atom.%s.gpu.global.inc.u32 e, [g], %d;\n", order,
             p->grid - 1);
    if (fences) {
        pipe_put_fence(p, "fence after the flag");
    }
    pipe_put(p, T_POST, "st.shared.u32 [said], e;\n");
    pipe_put(p, 0, "COUNTED:\n");
    pipe_put_heard(p);
    pipe_put(p, T_FETCH, "ld.shared.u32 e, [said];\n");
    pipe_put(p, 0, "setp.ne.u32 pq, e, %d;\n@pq bra JOIN;\n", p->grid - 1);
    pipe_put_zero(p);
    pipe_put(p, 0, "mov.u32 from, 0;\nADD:\n");
    pipe_put_fetch(p);
    pipe_put_sum(p);
    pipe_put(p, 0, "add.u32 from, from, 1;\nsetp.lt.u32 pq, from, %d;\n",
             p->grid);
    pipe_put(p, 0, "@pq bra ADD;\nmov.u32 cta, 0;\n");
    pipe_put_answer(p);
}

/* ---- all wait for all ---- */

/* The count's top bit turns when the last CTA has come, so that it serves the
 * next launch as it is. */
static inline void pipe_put_grid(pipe_program *p) {
    bool fences = (p->style & 2) != 0;
    const char *order = "relaxed", *scope = "gpu";
    pipe_put_post(p);
    pipe_put_posted(p);
    pipe_put(p, 0, "@!lead bra PASSED;\nmov.u64 g, flags;\n");
    pipe_put(p, 0, "setp.eq.u32 pq, cta, 0;\n");
    pipe_put(p, 0, "selp.u32 d, %u, 1, pq;\n",
             0x80000000u - (unsigned)(p->grid - 1));
    if (fences) {
        pipe_put_fence(p, "fence before the flag");
    } else {
        order = pipe_order(p, "release");
        scope = pipe_scope(p, true);
    }
    pipe_put(p, T_FLAG, "atom.%s.%s.global.add.u32 n, [g], d;\n", order, scope);
    /* Some CTA is the first to come, and would not see the last one's posts. */
    if (pipe_keep(p, "wait for the grid", PIPE_RACE)) {
        pipe_put_spin(p, "xor.b32 e, e, n;\nsetp.ge.s32 pw, e, 0;\n");
    }
    pipe_put(p, 0, "PASSED:\n");
    pipe_put_heard(p);
    pipe_put(p, 0, "add.u32 from, cta, 1;\nrem.u32 from, from, %d;\n", p->grid);
    pipe_put_fetch(p);
    pipe_put_sum(p);
    pipe_put_answer(p);
}

/* ---- the cluster ---- */

/* Tells all threads of the cluster what each has done. */
static inline void pipe_put_cluster_sync(pipe_program *p, bool relaxed) {
    const char *aligned = pipe_roles(p) ? "" : ".aligned";
    pipe_put(p, T_FLAG, "barrier.cluster.arrive.%s%s;\n",
             relaxed ? "relaxed" : "release", aligned);
    pipe_put(p, T_FLAG, "barrier.cluster.wait.acquire%s;\n", aligned);
}

/* Before JOIN, by the readers. */
static inline void pipe_put_share(pipe_program *p) {
    char a[64];
    pipe_put(p, 0, "mad.lo.u32 d, c, %d, shared0;\n", p->unit);
    pipe_put(p, T_POST, "st.shared.%s%s [d], %s;\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "a", a));
}

/* After JOIN, by all. */
static inline void pipe_put_exchange(pipe_program *p) {
    uint32_t race = PK(DATA_RACE) | PK(CLUSTER_SYNC);
    char x[64];
    bool relaxed = !pipe_keep(p, "release of the cluster's barrier", PIPE_RACE);
    /* The other CTA's sums are ordered, and it is known to run, by this. */
    if (pipe_keep(p, "cluster barrier before", race, T_FETCH, T_POST | T_ANY)) {
        pipe_put_cluster_sync(p, relaxed);
    }
    if (pipe_roles(p)) {
        pipe_put(p, 0, "@!reads bra ALL;\n");
    }
    pipe_put(p, 0, "add.u32 d, c, %d;\nrem.u32 d, d, %d;\n", p->turn2,
             p->readers);
    pipe_put(p, 0, "mad.lo.u32 d, d, %d, shared0;\n", p->unit);
    pipe_put(p, 0, "mapa.shared::cluster.u32 d, d, next;\n");
    pipe_put(p, T_FETCH, "ld.shared::cluster.%s%s %s, [d];\n", pipe_vector(p),
             pipe_type(p), pipe_names(p, "x", x));
    pipe_put_sum(p);
    pipe_put_answer(p);
    pipe_put(p, 0, "ALL:\n");
}

static inline void pipe_put_across(pipe_program *p) {
    switch (p->across) {
    case ACROSS_CHAIN:
        pipe_put_chain(p);
        break;
    case ACROSS_LAST:
        pipe_put_last(p);
        break;
    case ACROSS_GRID:
        pipe_put_grid(p);
        break;
    case ACROSS_CLUSTER:
        pipe_put_share(p);
        break;
    default:
        break;
    }
}

#endif
