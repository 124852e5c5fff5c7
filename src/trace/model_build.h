/* model_build.h - what the files that make a model share. */
#ifndef TC_TRACE_MODEL_BUILD_H
#define TC_TRACE_MODEL_BUILD_H

#include "trace/model.h"

/* Positions, rising. */
typedef struct tc_positions {
    uint32_t *at;
    size_t n;
} tc_positions;

/* An event of a source line; sorted by line, then position. */
typedef struct tc_line_position {
    int32_t line;
    uint32_t position;
} tc_line_position;

/* For phase from + i of an mbarrier: the position of the first WAIT to be over
 * that passed it or a later one. */
typedef struct tc_first_waits {
    int32_t from, n;
    int32_t *at;
} tc_first_waits;

/* What answers questions fast. */
typedef struct tc_model_index {
    uint32_t *position_of; /* by index in the trace */
    int32_t *cause;        /* by position: that of its cause, or -1 */
    tc_positions kinds[TC_TRACE_KIND_COUNT];
    tc_line_position *lines;
    size_t nlines;
    tc_positions findings; /* where they are, by position */
    uint32_t *finding_at;  /* of each finding of the trace */
    uint32_t *ctas;        /* those that the trace tells of, rising */
    size_t nctas;
    tc_positions *shared;  /* by place in ctas: events that touch its shared
                              memory */
    int32_t *mbarrier_row; /* by position: of the mbarrier it names, or -1 */
    int32_t *waited;       /* by position, of an issue that a group or a wait
                              completes: the WAIT that first guaranteed it, or
                              -1 */
    int32_t *tracked;      /* the same: row of the mbarrier that tracks it by
                              cp.async.mbarrier.arrive, or -1; its phase */
    int32_t *tracked_phase;
    tc_first_waits *first_waits; /* by row, of an mbarrier */
    int32_t *scratch;    /* by position: zeros, but while a row is made */
    uint32_t *lanes;     /* the same */
    tc_positions *waits; /* by row, of an mbarrier: its WAITs */
    const tc_trace_fields ***fields; /* by row, of an mbarrier */
    size_t *nfields;
} tc_model_index;

/* model_rows.c: the rows and which events are on them. */
void tc_model_make_rows(tc_model *m);
/* model_groups.c: intervals of copies and of what completes in groups. */
void tc_model_group_intervals(tc_model *m, tc_row *row);
void tc_model_copy_intervals(tc_model *m, tc_row *row);
void tc_model_tmem_intervals(tc_model *m, tc_row *row);
/* model_warp.c: of warps and of barriers. */
void tc_model_warp_intervals(tc_model *m);
void tc_model_mbarrier_intervals(tc_model *m, tc_row *row);
void tc_model_barrier_intervals(tc_model *m, tc_row *row);
/* model_memory.c: does the event write, or read, that byte of a CTA's shared
 * memory? A copy writes when it is complete. */
bool tc_memory_writes(const tc_model *m, size_t position, uint32_t cta,
                      uint64_t address);
bool tc_memory_reads(const tc_model *m, size_t position, uint32_t cta,
                     uint64_t address);
/* model_sight.c: what the warp of a row sees when the events before a position
 * have happened; does it see what the STORE, or the copy of an issue, wrote? */
typedef struct tc_model_sight tc_model_sight;
tc_model_sight *tc_sight_new(const tc_model *m, int32_t row, size_t position,
                             uint64_t now);
void tc_sight_free(tc_model_sight *s);
bool tc_sight_sees(const tc_model_sight *s, size_t writer);
/* model_marks.c */
void tc_model_make_marks(tc_model *m, tc_row *row);
void tc_model_place_findings(tc_model *m);
/* model_intervals.c: a growing list of a row. */
typedef struct tc_intervals {
    tc_interval *at;
    int n, cap;
} tc_intervals;
/* One without a group, phase, copy, end or barrier, at a position. */
tc_interval tc_interval_of(const tc_model *m, tc_interval_kind kind,
                           size_t position);
/* Adds it, unless it is empty; joins those of one thing by giving each the
 * same number (rising), which becomes a lane. */
void tc_intervals_add(tc_model *m, tc_intervals *l, tc_interval i,
                      uint32_t thing);
/* Sorts, gives lanes, and hands them to the row. */
void tc_intervals_finish(tc_model *m, tc_intervals *l, tc_row *row);

/* The end of an event, never before its cycle. */
static inline uint64_t tc_event_end(const tc_trace_event *e) {
    return e->end > e->cycle ? e->end : e->cycle;
}

/* Whether an mbarrier or address of the event is in that CTA's memory. */
bool tc_model_is_of(const tc_model *m, const tc_trace_event *e, uint32_t cta);
/* The first CTA of a CTA's cluster, and how many it has. */
uint32_t tc_model_cluster(const tc_model *m, uint32_t cta, uint32_t *n);
/* Of two positions, the one whose event ends first. */
int32_t tc_model_sooner(const tc_model *m, int32_t a, int32_t b);
/* All lanes that a warp's row has seen do anything. */
uint32_t tc_model_lanes(const tc_model *m, int32_t row);
/* The first row of a CTA, or of the next one that has any. */
size_t tc_model_rows_from(const tc_model *m, uint32_t cta);
/* Its place in index->ctas; nctas: the trace does not tell of it. */
size_t tc_model_cta(const tc_model *m, uint32_t cta);
/* The first index of the rising positions that is >= position. */
size_t tc_positions_from(const tc_positions *p, size_t position);

#endif
