/* pipeline_gen.h - random asynchronous PTX programs that are correct by
 * construction, and the same programs with one synchronisation taken away.
 *
 * A program moves tiles through a ring of stages in shared memory. What fills a
 * stage, who fills and who reads it, how they wait, how the results leave and
 * what the CTAs tell each other afterwards is chosen at random (pipe_choose).
 * Where the text has a synchronisation that the program cannot do without, the
 * writer asks pipe_keep: the answer is no for the one break that is asked for.
 * Each such place says in a comment why it is needed; a line that the choices
 * make redundant is written without asking. */
#ifndef PIPELINE_GEN_H
#define PIPELINE_GEN_H

#include "base/buf.h"
#include "sim/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a line of the text is, for the lines that a finding may name. */
typedef enum pipe_tag {
    T_FILL = 1,     /* writes a stage */
    T_READ = 2,     /* reads it */
    T_SRC = 4,      /* writes what a bulk copy reads */
    T_DRAIN = 8,    /* a bulk copy out of the out-stage */
    T_INIT = 16,    /* mbarrier.init */
    T_FULL = 32,    /* waits for a full stage */
    T_EMPTY = 64,   /* waits for an empty one */
    T_ARRIVE = 128, /* arrives, or announces bytes */
    T_POST = 256,   /* writes what another CTA reads */
    T_FETCH = 512,  /* reads that */
    T_FLAG = 1024,  /* a flag, a counter, a cluster barrier */
    T_PREP = 2048,  /* writes the tiles' source, or clears the stages */
    T_OUT = 4096,   /* touches the result */
    T_SYNC = 8192,  /* bar.sync, bar.arrive */
    T_ANY = 1 << 30 /* any line, or none */
} pipe_tag;

#define PK(kind) (UINT32_C(1) << TC_FINDING_##kind)

typedef enum pipe_flow {
    FLOW_GROUPS,  /* all threads fill and read; bar.sync */
    FLOW_PHASES,  /* all read; a full mbarrier for each stage */
    FLOW_SPECIAL, /* producers and consumers; full and empty mbarriers */
    FLOW_NAMED,   /* producers and consumers; named barriers */
    FLOW_CLUSTER, /* as SPECIAL, but into the next CTA of the cluster */
    FLOWS
} pipe_flow;

typedef enum pipe_fill {
    FILL_PLAIN,  /* ld.global, st.shared */
    FILL_GROUP,  /* cp.async in groups */
    FILL_NOINC,  /* cp.async.mbarrier.arrive.noinc */
    FILL_INC,    /* cp.async.mbarrier.arrive, and an arrival */
    FILL_BULK,   /* cp.async.bulk, by one thread */
    FILL_REMOTE, /* st.shared::cluster and a remote arrival */
    FILL_ASYNC,  /* st.async */
    FILL_SEND    /* cp.async.bulk from shared to shared::cluster */
} pipe_fill;

typedef enum pipe_drain { DRAIN_STORE, DRAIN_BULK, DRAIN_REDUCE } pipe_drain;

typedef enum pipe_across {
    ACROSS_NONE,
    ACROSS_CHAIN,   /* CTA b waits for the flag of CTA b - 1 */
    ACROSS_LAST,    /* the last CTA adds all up */
    ACROSS_GRID,    /* a barrier of the whole grid */
    ACROSS_CLUSTER, /* through distributed shared memory */
    ACROSSES
} pipe_across;

enum { PIPE_LINES = 2048, PIPE_BREAKS = 64, PIPE_BUFFERS = 4 };

typedef struct pipe_break {
    const char *name;
    uint32_t kinds;      /* bits: what it may be called */
    uint32_t here, from; /* tags: of the finding's two lines */
    uint32_t also;       /* kinds that may stand instead, at any lines */
} pipe_break;

typedef struct pipe_program {
    uint64_t random;
    /* choices */
    int size, vector, unit; /* bytes of an element; elements, bytes a thread */
    bool real;              /* f32 */
    int stages, ahead, steps;
    pipe_flow flow;
    pipe_fill fill;
    int producers, readers; /* threads; a tile has a unit for each reader */
    int threads, grid, cluster;
    int turn, turn2; /* reader c takes unit c + turn */
    bool unroll, readers_first, per_step, add; /* add: to the old result */
    bool early, test_wait, tokens, one_arrival, wait_all, prepare, clear;
    int lag, pieces, outs, launches, style;
    pipe_drain drain;
    pipe_across across;
    /* the text */
    tc_buf text;
    int line, labels;
    uint32_t tags[PIPE_LINES];
    /* breaks */
    const char *without; /* the one that is made, or NULL */
    pipe_break breaks[PIPE_BREAKS];
    int nbreaks;
} pipe_program;

static inline uint32_t pipe_below(pipe_program *p, uint32_t n) {
    uint64_t z = p->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ z >> 31) >> 16) % n;
}

static inline bool pipe_coin(pipe_program *p) {
    return pipe_below(p, 2) != 0;
}

/* ---- the text ---- */

/* One line (or several: each \n ends one), all of that tag. */
__attribute__((format(printf, 3, 4))) static inline void
pipe_put(pipe_program *p, uint32_t tag, const char *fmt, ...) {
    va_list ap;
    tc_buf b = TC_BUF_INIT;
    va_start(ap, fmt);
    tc_buf_vprintf(&b, fmt, ap);
    va_end(ap);
    for (const char *c = tc_buf_text(&b); *c; c++) {
        if (*c == '\n' && p->line < PIPE_LINES) {
            p->tags[p->line++] = tag;
        }
    }
    tc_buf_puts(&p->text, tc_buf_text(&b));
    tc_buf_free(&b);
}

/* Is this synchronisation to be there? Remembers that it can be left out, and
 * what a finding must then say; also: where one side then runs away from the
 * other, what else may come of it. */
static inline bool pipe_keep_or(pipe_program *p, const char *name,
                                uint32_t kinds, uint32_t here, uint32_t from,
                                uint32_t also) {
    int i = 0;
    while (i < p->nbreaks && strcmp(p->breaks[i].name, name) != 0) {
        i++;
    }
    if (i == p->nbreaks && i < PIPE_BREAKS) {
        p->breaks[p->nbreaks++] = (pipe_break){name, kinds, here, from, also};
    }
    return !p->without || strcmp(p->without, name) != 0;
}

static inline bool pipe_keep(pipe_program *p, const char *name, uint32_t kinds,
                             uint32_t here, uint32_t from) {
    return pipe_keep_or(p, name, kinds, here, from, 0);
}

static inline int pipe_tile(const pipe_program *p) {
    return p->readers * p->unit;
}
static inline bool pipe_roles(const pipe_program *p) {
    return p->flow >= FLOW_SPECIAL;
}
static inline bool pipe_one_fills(const pipe_program *p) {
    return p->fill == FILL_BULK || p->fill == FILL_SEND;
}
/* Does the async proxy touch the mbarriers? */
static inline bool pipe_proxied(const pipe_program *p) {
    return p->fill == FILL_BULK || p->fill == FILL_SEND ||
           p->fill == FILL_ASYNC;
}

/* Of the element: ".u32"; what a register of it is: "b32". */
static inline const char *pipe_type(const pipe_program *p) {
    return p->real        ? "f32"
           : p->size == 1 ? "u8"
           : p->size == 2 ? "u16"
           : p->size == 4 ? "u32"
                          : "u64";
}
static inline const char *pipe_register(const pipe_program *p) {
    return p->real ? "f32" : p->size == 8 ? "u64" : "u32";
}

/* "v2.u32" and "{x0, x1}": the unit of a thread. */
static inline const char *pipe_vector(const pipe_program *p) {
    static const char *const names[] = {"", "v2.", "", "v4."};
    return names[p->vector - 1];
}
static inline const char *pipe_names(const pipe_program *p, const char *x,
                                     char *out) {
    int n = 0;
    for (int i = 0; i < p->vector; i++) {
        n += sprintf(out + n, "%s%s%d", i ? ", " : "{", x, i);
    }
    sprintf(out + n, "}");
    if (p->vector == 1) {
        sprintf(out, "%s0", x);
    }
    return out;
}

/* ---- the choices ---- */

static inline void pipe_choose_element(pipe_program *p) {
    static const int shapes[][2] = {{4, 1}, {4, 1}, {4, 2}, {4, 4}, {8, 1},
                                    {8, 2}, {2, 2}, {2, 4}, {1, 4}};
    const int *s = shapes[pipe_below(p, 9)];
    p->size = s[0];
    p->vector = s[1];
    p->unit = p->size * p->vector;
    p->real = p->size == 4 && pipe_below(p, 3) == 0;
}

static inline void pipe_choose_fill(pipe_program *p) {
    static const pipe_fill phases[] = {FILL_PLAIN, FILL_NOINC, FILL_INC,
                                       FILL_BULK,  FILL_BULK,  FILL_GROUP};
    p->flow = (pipe_flow)pipe_below(p, FLOWS);
    switch (p->flow) {
    case FLOW_GROUPS:
    case FLOW_NAMED:
        p->fill = pipe_below(p, 3) ? FILL_GROUP : FILL_PLAIN;
        break;
    case FLOW_CLUSTER:
        p->fill = (pipe_fill)(FILL_REMOTE + pipe_below(p, 3));
        break;
    case FLOW_PHASES:
        p->fill = phases[pipe_below(p, 5)];
        break;
    default:
        p->fill = phases[pipe_below(p, 6)];
        break;
    }
}

static inline void pipe_choose_threads(pipe_program *p) {
    static const int some[] = {32, 32, 64, 64, 96};
    p->readers = some[pipe_below(p, 5)];
    p->producers = p->readers;
    p->threads = p->readers;
    if (pipe_roles(p)) {
        p->producers = pipe_coin(p) ? 32 : p->readers;
        p->threads += p->producers;
    }
    p->grid = 1 + (int)pipe_below(p, 2);
    p->across = (pipe_across)pipe_below(p, ACROSSES);
    p->cluster = p->flow == FLOW_CLUSTER || p->across == ACROSS_CLUSTER
                     ? 2 + (int)pipe_below(p, 2)
                     : 0;
    if (p->cluster) {
        p->grid = p->cluster * (pipe_below(p, 3) ? 1 : 2);
    } else if (p->across) {
        p->grid++;
    }
    p->turn = 1 + (int)pipe_below(p, (uint32_t)p->readers - 1);
    p->turn2 = 1 + (int)pipe_below(p, (uint32_t)p->readers - 1);
}

static inline void pipe_choose_ring(pipe_program *p) {
    p->stages = 1 + (int)pipe_below(p, 5);
    p->ahead = 1 + (int)pipe_below(p, (uint32_t)p->stages);
    p->steps = 1 + (int)pipe_below(p, (uint32_t)p->stages + 5);
    p->lag =
        p->fill == FILL_GROUP ? (int)pipe_below(p, (uint32_t)p->stages) : 0;
    p->early = p->ahead < p->stages && pipe_coin(p);
    p->wait_all = pipe_below(p, 4) == 0;
    p->pieces = pipe_tile(p) % 32 == 0 && pipe_coin(p) ? 2 : 1;
}

/* Everything that a seed decides. Two calls decide the same. */
static inline void pipe_choose(pipe_program *p, uint64_t seed) {
    memset(p, 0, sizeof *p);
    p->random = seed * UINT64_C(0xD1342543DE82EF95) + 1;
    pipe_choose_fill(p);
    pipe_choose_element(p);
    if (p->fill == FILL_ASYNC && p->size < 4) {
        p->fill = FILL_REMOTE;
    }
    pipe_choose_threads(p);
    pipe_choose_ring(p);
    p->unroll = pipe_below(p, 3) == 0;
    p->readers_first = pipe_coin(p);
    p->test_wait = pipe_coin(p);
    p->one_arrival = pipe_coin(p);
    p->prepare = p->flow != FLOW_CLUSTER && pipe_below(p, 3) == 0;
    p->clear = pipe_below(p, 3) == 0;
    p->tokens = p->flow == FLOW_PHASES &&
                (p->fill == FILL_PLAIN || p->fill == FILL_INC) &&
                p->ahead == 1 && pipe_coin(p);
    p->drain = (pipe_drain)pipe_below(p, 3);
    if (p->drain == DRAIN_REDUCE && p->size < 4) {
        p->drain = DRAIN_BULK;
    }
    p->per_step = pipe_coin(p);
    p->outs = 1 + (int)pipe_below(p, 2);
    p->add = p->drain != DRAIN_REDUCE && pipe_coin(p);
    p->style = (int)pipe_below(p, 4);
    p->launches = 1 + (int)pipe_below(p, 2);
    if (p->fill == FILL_ASYNC) { /* each store lands for itself: slow */
        p->grid = p->cluster;
        p->launches = 1;
    }
}

#endif
