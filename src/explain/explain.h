/* explain.h - what came of a run, in the learner's terms: TVMScript's, PTX's or
 * CUDA's. */
#ifndef TC_EXPLAIN_EXPLAIN_H
#define TC_EXPLAIN_EXPLAIN_H

#include "run/run.h"

/* --- findings.c ------------------------------------------------------------*/

void tc_finding_text(tc_session *s, const tc_finding *f, tc_buf *out);
json_t *tc_finding_json(tc_session *s, const tc_finding *f);
json_t *tc_findings_json(tc_session *s);
/* How many races each row of suppressions.def kept back, and how to see them:
 * a line each; a list, NULL where there are none. option: exec's, not set's. */
void tc_suppressed_text(const uint64_t n[TC_SUPPRESSION_COUNT], bool option,
                        int width, tc_buf *b);
json_t *tc_suppressed_json(const uint64_t n[TC_SUPPRESSION_COUNT]);

/* --- trace_names.c ----------------------------------------------------------*/

/* Gives the last run's trace, if it has one, its names, texts and findings;
 * once. */
void tc_trace_describe(tc_session *s);
/* trace_texts.c: its texts. */
void tc_trace_add_texts(tc_session *s, struct tc_trace *t,
                        const tc_last_run *run);

/* --- run_reply.c -----------------------------------------------------------*/

void tc_run_text(tc_session *s, tc_buf *b);
void tc_run_findings_text(tc_session *s, tc_buf *b);
/* How to see the last run's first finding, where a person sits at a terminal;
 * nothing without findings. */
void tc_run_offer_timeline(tc_session *s, tc_buf *b);
/* What each buffer became: changed bytes, and which equal each other. */
void tc_run_buffers_text(tc_session *s, const tc_last_run *run, tc_buf *b);
/* Counters by their names, "instructions" and "stalls" by class and cause. */
json_t *tc_run_counters_json(const tc_sim_counters *c);
/* What cycles are of: nothing (timing is off), the PTX, the machine code. */
typedef enum tc_clock_model {
    TC_CLOCK_NONE,
    TC_CLOCK_PTX,
    TC_CLOCK_SASS
} tc_clock_model;

tc_clock_model tc_clock_model_of(bool timing, const tc_sim_result *r);
const char *tc_clock_model_name(tc_clock_model model); /* "none", "ptx", ... */
/* One of its kernels; without a clock "cycles" is null. */
json_t *tc_run_kernel_json(const char *name, const uint32_t grid[3],
                           const uint32_t block[3], const uint32_t cluster[3],
                           tc_clock_model model, uint64_t cycles,
                           const tc_sim_counters *c);
json_t *tc_run_buffers_json(const tc_last_run *run);
/* INTERFACE.md's `run` for the last run: who executed, the buffers after it (a
 * list that it takes over), and how long execution took. */
json_t *tc_run_json(tc_session *s, const char *backend, json_t *buffers,
                    uint64_t wall_ns);

#endif
