/* pipeline_flow.h - who fills and who reads the stages, and in what order. */
#ifndef PIPELINE_FLOW_H
#define PIPELINE_FLOW_H

#include "pipeline_drain.h"
#include "pipeline_fill.h"

/* Stages are used again, so that reads and fills must be kept apart. */
static inline bool pipe_refills(const pipe_program *p) {
    return p->steps > p->stages;
}

static inline void pipe_put_all_sync(pipe_program *p) {
    if (p->threads == 32 && p->style & 2) {
        pipe_put(p, T_SYNC, "bar.warp.sync 0xffffffff;\n");
    } else {
        pipe_put(p, T_SYNC, "bar.sync 0;\n");
    }
}

/* A body for each step, or a loop round it; step: its register. */
static inline void pipe_put_steps(pipe_program *p, char step,
                                  void (*body)(pipe_program *p, int index)) {
    int label = p->labels++;
    if (p->unroll) {
        for (int i = 0; i < p->steps; i++) {
            pipe_put(p, 0, "mov.u32 %c, %d;\n", step, i);
            body(p, i);
        }
        return;
    }
    pipe_put(p, 0, "mov.u32 %c, 0;\nL%d:\n", step, label);
    body(p, -1);
    pipe_put(p, 0, "add.u32 %c, %c, 1;\nsetp.lt.u32 pl, %c, %d;\n", step, step,
             step, p->steps);
    pipe_put(p, 0, "@pl bra L%d;\n", label);
}

/* What may come of it when producers and readers do not wait for each other:
 * phases, arrivals and bytes of different turns are mixed. */
#define PIPE_MIXED                                                             \
    (PK(MBARRIER_PHASE) | PK(MBARRIER_COUNT) | PK(TX_COUNT) |                  \
     PK(BARRIER_DIVERGENCE) | PK(OVERWRITE_IN_FLIGHT))

/* ---- all threads fill and read ---- */

/* The readers' barriers on the way of a result lie between the reads of a step
 * and the next filling. */
static inline bool pipe_result_syncs(const pipe_program *p) {
    return p->per_step && p->drain != DRAIN_STORE;
}

static inline void pipe_put_commit(pipe_program *p) {
    if (p->fill != FILL_GROUP || p->wait_all) {
        return; /* wait_all commits */
    }
    /* wait_group N counts groups, and copies of none belong to none. */
    if (pipe_keep(p, "commit", PK(UNCOMMITTED_GROUP), T_READ, T_FILL)) {
        pipe_put(p, 0, "cp.async.commit_group;\n");
    }
}

/* What makes the step's stage complete for its reader. */
static inline void pipe_put_complete(pipe_program *p) {
    int pending = p->ahead - 1;
    if (p->fill != FILL_GROUP) {
        return;
    }
    /* The copies of step s were committed as group s, ahead + s groups are
     * there: without the wait, or with one group more, step s is pending. */
    if (!pipe_keep(p, "wait", PK(READ_BEFORE_COMPLETE), T_READ, T_FILL)) {
        return;
    }
    if (p->wait_all) {
        pipe_put(p, 0, "cp.async.wait_all;\n");
        return;
    }
    if (!pipe_keep(p, "wait leaves one more", PK(READ_BEFORE_COMPLETE), T_READ,
                   T_FILL)) {
        pending++;
    }
    pipe_put(p, 0, "cp.async.wait_group %d;\n", pending);
}

/* The step that is `ahead` on, if there is one. */
static inline void pipe_put_refill(pipe_program *p) {
    int label = p->labels++;
    if (pipe_refills(p) || p->steps > p->ahead) {
        pipe_put(p, 0, "add.u32 f, s, %d;\nsetp.ge.u32 pq, f, %d;\n", p->ahead,
                 p->steps);
        if (p->fill == FILL_BULK) {
            pipe_put(p, 0, "or.pred pq, pq, follows;\n");
        }
        pipe_put(p, 0, "@pq bra F%d;\n", label);
        pipe_put_slot(p, 'f');
        pipe_put_fill(p);
        if (p->flow == FLOW_PHASES) {
            pipe_put_signal(p);
        }
        pipe_put(p, 0, "F%d:\n", label);
    }
    if (p->flow == FLOW_GROUPS) {
        pipe_put_commit(p);
    }
}

static inline void pipe_put_prologue(pipe_program *p) {
    for (int i = 0; i < p->ahead; i++) {
        if (i < p->steps) {
            pipe_put(p, 0, "mov.u32 f, %d;\n", i);
            if (p->fill == FILL_BULK) {
                pipe_put(p, 0, "@follows bra F%d;\n", p->labels);
            }
            pipe_put_slot(p, 'f');
            pipe_put_fill(p);
            if (p->flow == FLOW_PHASES) {
                pipe_put_signal(p);
            }
            if (p->fill == FILL_BULK) {
                pipe_put(p, 0, "F%d:\n", p->labels++);
            }
        }
        if (p->flow == FLOW_GROUPS) {
            pipe_put_commit(p);
        }
    }
}

static inline void pipe_groups_step(pipe_program *p, int index) {
    (void)index;
    pipe_put_slot(p, 's');
    pipe_put_complete(p);
    /* Each reads what another filled, and step 0 has no other barrier before
     * it. Where the next tile goes into another stage, it also keeps the reads
     * of the step before from its filling. */
    if (pipe_keep(p, "sync",
                  p->fill == FILL_PLAIN ? PK(DATA_RACE)
                                        : PK(READ_BEFORE_BARRIER),
                  T_READ, T_FILL)) {
        pipe_put_all_sync(p);
    }
    if (p->early) {
        pipe_put_refill(p);
    }
    pipe_put_use(p);
    if (!p->early) {
        /* The stage that was just read is filled: by others than its readers */
        if (p->ahead == p->stages &&
            (!pipe_refills(p) || pipe_result_syncs(p) ||
             pipe_keep(p, "sync after reading", PK(OVERWRITE_BEFORE_READ),
                       T_READ, T_FILL))) {
            pipe_put_all_sync(p);
        }
        pipe_put_refill(p);
    }
}

/* The wait for the step's stage to be full. */
static inline void pipe_put_full(pipe_program *p) {
    uint32_t wrong = pipe_early_read(p) | PK(MBARRIER_PHASE) |
                     PK(OVERWRITE_BEFORE_READ) | PK(READ_BEFORE_COMPLETE);
    /* The first tile's readers have no other way to know of it. */
    if (!pipe_keep_or(p, "full wait",
                      pipe_early_read(p) | PK(OVERWRITE_BEFORE_READ), T_READ,
                      T_FILL, pipe_roles(p) ? PIPE_MIXED : 0)) {
        return;
    }
    if (p->tokens) {
        int label = p->labels++;
        pipe_put(p, 0, "W%d:\n", label);
        pipe_put(p, T_FULL, "mbarrier.test_wait.shared.b64 pw, [sf], token;\n");
        pipe_put(p, T_FULL, "@!pw bra W%d;\n", label);
        return;
    }
    if (!pipe_keep_or(p, "full parity", wrong, T_READ | T_FULL, T_ANY,
                      PIPE_MIXED)) {
        pipe_put(p, 0, "xor.b32 sp, sp, 1;\n");
    }
    /* Without an acquire the wait orders nothing after it. */
    pipe_put_wait(p, T_FULL, "sf", "sp",
                  pipe_keep(p, "full wait's acquire",
                            pipe_early_read(p) | PK(OVERWRITE_BEFORE_READ),
                            T_READ, T_FILL));
}

/* Do the arrivals at full tell of the reads that a refill comes after? Each
 * thread's arrival for step s + ahead follows its read of step s (early: s -
 * 1), and the refill at step s is of the stage read at s + ahead - stages. */
static inline bool pipe_arrivals_do(const pipe_program *p) {
    return p->fill != FILL_BULK &&
           2 * p->ahead + (p->early ? 1 : 0) <= p->stages;
}

static inline void pipe_phases_step(pipe_program *p, int index) {
    bool needed = pipe_refills(p) && !pipe_result_syncs(p);
    bool optional = !needed;
    if (needed && pipe_arrivals_do(p)) {
        /* Of the system's own arrivals the ISA does not say that they tell of
         * more than the copies. */
        needed = false;
        optional = p->fill != FILL_NOINC;
    }
    (void)index;
    pipe_put_slot(p, 's');
    pipe_put_full(p);
    if (p->early) {
        pipe_put_refill(p);
    }
    pipe_put_use(p);
    /* Between the reads of a stage and its filling by another. */
    if (needed ? pipe_keep(p, "sync after reading", PK(OVERWRITE_BEFORE_READ),
                           T_READ, T_FILL)
               : !optional || (p->style & 1) != 0) {
        pipe_put_all_sync(p);
    }
    if (!p->early) {
        pipe_put_refill(p);
    }
}

/* ---- producers and consumers ---- */

static inline void pipe_put_full_arrival(pipe_program *p) {
    if (p->flow != FLOW_NAMED) {
        pipe_put_signal(p);
        return;
    }
    /* Without it the readers wait for ever. */
    if (pipe_keep(p, "arrival at the full barrier",
                  PK(DEADLOCK) | PK(BARRIER_DIVERGENCE), T_ANY, T_ANY)) {
        pipe_put(p, 0, "add.u32 id, fs, 1;\n");
        pipe_put(p, T_SYNC, "bar.arrive id, %d;\n", p->threads);
    }
}

/* Copies in groups: the producer announces them `lag` steps later. */
static inline void pipe_put_announce(pipe_program *p, int behind) {
    int left = behind >= 0 ? behind : p->lag, label = p->labels++;
    if (p->fill == FILL_GROUP) {
        /* The arrival says that the copies of step f - left are over. */
        if (pipe_keep(p, "producer's wait",
                      PK(READ_BEFORE_COMPLETE) | PK(READ_BEFORE_BARRIER),
                      T_READ, T_FILL)) {
            left +=
                !pipe_keep(p, "producer's wait leaves one more",
                           PK(READ_BEFORE_COMPLETE) | PK(READ_BEFORE_BARRIER),
                           T_READ, T_FILL);
            pipe_put(p, 0, "cp.async.wait_group %d;\n", left);
        }
    }
    if (p->lag) {
        pipe_put(p, 0, "setp.lt.u32 pq, f, %d;\n", p->lag);
        pipe_put(p, 0, "@pq bra LAG%d;\nmov.u32 keep, f;\n", label);
        pipe_put(p, 0, "sub.u32 f, f, %d;\n", p->lag);
        pipe_put_slot(p, 'f');
    }
    pipe_put_full_arrival(p);
    if (p->lag) {
        pipe_put(p, 0, "mov.u32 f, keep;\nLAG%d:\n", label);
    }
}

/* Before the filling: until the readers of the stage's last tile are done. */
static inline void pipe_put_empty_wait(pipe_program *p) {
    int label = p->labels++;
    /* Producers hear of the readers by this alone. */
    bool keep =
        !pipe_refills(p) ||
        pipe_keep_or(p, p->flow == FLOW_NAMED ? "empty barrier" : "empty wait",
                     pipe_early_fill(p), T_READ | T_FILL, T_FILL | T_SRC,
                     PIPE_MIXED);
    if (!keep) {
        return;
    }
    if (p->flow != FLOW_NAMED) {
        pipe_put(p, 0, "xor.b32 fp, fp, 1;\n");
        bool acquire = !pipe_refills(p) ||
                       pipe_keep(p, "empty wait's acquire",
                                 pipe_early_fill(p) | PK(OVERWRITE_IN_FLIGHT),
                                 T_READ | T_FILL, T_FILL | T_SRC);
        pipe_put_wait(p, T_EMPTY, "fe", "fp", acquire);
        return;
    }
    pipe_put(p, 0, "setp.lt.u32 pq, f, %d;\n@pq bra E%d;\n", p->stages, label);
    pipe_put(p, 0, "add.u32 id, fs, 6;\n");
    pipe_put(p, T_SYNC, "bar.sync id, %d;\nE%d:\n", p->threads, label);
}

static inline void pipe_producer_step(pipe_program *p, int index) {
    (void)index;
    pipe_put_slot(p, 'f');
    pipe_put_empty_wait(p);
    pipe_put_fill(p);
    if (p->fill == FILL_GROUP) {
        pipe_put(p, 0, "cp.async.commit_group;\n");
    }
    pipe_put_announce(p, -1);
}

static inline void pipe_put_producer(pipe_program *p) {
    if (p->fill == FILL_BULK) {
        pipe_put(p, 0, "@!first bra JOIN;\n");
    }
    pipe_put_steps(p, 'f', pipe_producer_step);
    for (int i = p->lag - 1; i >= 0; i--) { /* those that are left */
        pipe_put(p, 0, "mov.u32 f, %d;\n", p->steps + p->lag - 1 - i);
        pipe_put_announce(p, i);
    }
}

/* The reader's arrival at empty; only NAMED counts who will wait for it. */
static inline void pipe_put_empty_arrival(pipe_program *p) {
    int label = p->labels++;
    if (p->flow == FLOW_NAMED) {
        if (!pipe_refills(p) ||
            (p->without && strcmp(p->without, "empty barrier") == 0)) {
            return; /* both sides of it go */
        }
        pipe_put(p, 0, "add.u32 f, s, %d;\nsetp.ge.u32 pq, f, %d;\n", p->stages,
                 p->steps);
        pipe_put(p, 0, "@pq bra E%d;\nadd.u32 id, ss, 6;\n", label);
        pipe_put(p, T_SYNC, "bar.arrive id, %d;\nE%d:\n", p->threads, label);
        return;
    }
    if (p->one_arrival) {
        /* One lane arrives for the reads of its warp. */
        if (!pipe_refills(p) ||
            pipe_keep(p, "warp's reads", pipe_early_fill(p), T_READ, T_FILL)) {
            pipe_put(p, 0, "bar.warp.sync 0xffffffff;\n");
        }
        pipe_put(p, 0, "@otherlane bra E%d;\n", label);
    }
    /* The producer waits for it before it fills the stage again. */
    if (!pipe_refills(p) ||
        pipe_keep(p, "empty arrival", PK(TX_COUNT) | PIPE_HANGS, T_ANY,
                  T_ANY)) {
        bool release = !pipe_refills(p) ||
                       pipe_keep(p, "empty arrival's release",
                                 pipe_early_fill(p) | PK(OVERWRITE_IN_FLIGHT),
                                 T_READ | T_FILL, T_FILL | T_SRC);
        if (p->flow == FLOW_CLUSTER) {
            pipe_put(p, 0, "mapa.shared::cluster.u32 re, se, last;\n");
            pipe_put(p, T_ARRIVE,
                     "mbarrier.arrive.%s.cluster.shared::cluster.b64 _, "
                     "[re];\n",
                     release ? "release" : "relaxed");
        } else {
            pipe_put(p, T_ARRIVE, "mbarrier.arrive%s.shared.b64 state, [se];\n",
                     release ? "" : ".relaxed.cta");
        }
    }
    pipe_put(p, 0, "E%d:\n", label);
}

static inline void pipe_reader_step(pipe_program *p, int index) {
    (void)index;
    pipe_put_slot(p, 's');
    if (p->flow == FLOW_NAMED) {
        pipe_put(p, 0, "add.u32 id, ss, 1;\n");
        pipe_put(p, T_SYNC, "bar.sync id, %d;\n", p->threads);
    } else {
        if (p->early && pipe_proxied(p) && p->flow == FLOW_CLUSTER) {
            pipe_put(p, 0, "@!lead bra S%d;\n", p->labels);
            pipe_put_expect(p, "sf", false);
            pipe_put(p, 0, "S%d:\n", p->labels++);
        }
        pipe_put_full(p);
    }
    pipe_put_read(p);
    pipe_put_empty_arrival(p);
    pipe_put_result(p);
}

#endif
