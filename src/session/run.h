/* run.h - the last run, as several commands need it. */
#ifndef TC_SESSION_RUN_H
#define TC_SESSION_RUN_H

#include "session/session.h"
#include <stdio.h>

/* --- run.c -------------------------------------------------------------------
 */

/* An empty run, to be prepared and then kept, or freed (tc_run_free). */
tc_run *tc_run_new(void);
/* One more buffer of a run (whose array has room for it), filled. Reports and
 * returns NULL for one that is too large. */
tc_run_buffer *tc_run_add_buffer(tc_session *s, tc_run *run,
                                 const tc_buffer *b);
/* Executes a prepared run in the simulator. Reports and returns false where it
 * cannot start. */
bool tc_run_simulate(tc_session *s, tc_run *run);
/* Executes a run that the simulator has executed once more, up to a cycle.
 * Returns the simulator, which owns the state (tc_sim_free), or NULL. */
tc_sim *tc_run_again(tc_session *s, const tc_run *run, uint64_t stop_at,
                     tc_sim_result *out);
/* Makes it the session's last run, in place of the one before. */
void tc_run_keep(tc_session *s, tc_run *run);

/* A run of the current program, kept; simulated: also executed by the
 * simulator. Reports and returns false otherwise. */
bool tc_run_make(tc_session *s, bool simulated, tc_span at, tc_status *status);

/* The last run, or one made now. */
bool tc_need_run(tc_session *s, tc_span at, tc_status *status);

/* The reply of `run` and `launch` for the last run, which the simulator
 * executed. */
tc_status tc_run_answer(tc_session *s, tc_reply *r);

/* --- load_trace.c ------------------------------------------------------------
 */

/* Makes a file of `export trace` the last run: one with a trace and no module.
 * Frees a, which holds the text. */
tc_status tc_trace_read(tc_session *s, tc_arena *a, const tc_source *src,
                        tc_reply *r);

/* --- run_facts.c -------------------------------------------------------------
 */

/* The number of a kernel among lines "name n"; 0: it is not there. */
uint32_t tc_registers_among(const char *lines, const char *kernel);
/* Registers a thread, as ptxas counts them; 0: nobody knows, or wants to. */
uint32_t tc_run_registers(tc_session *s, const tc_run *run);
/* Does the kernel wait for all CTAs of its grid? It is launched so that they
 * run at once. */
bool tc_run_waits_for_grid(const tc_run *run);

/* --- run_maps.c --------------------------------------------------------------
 */

/* The program's tensor maps, behind the run's other parameters (whose array has
 * room for them). Reports and returns false for one that cannot be made. */
bool tc_run_add_maps(tc_session *s, tc_run *run);
/* The 128 bytes of a map for the simulator; the buffer has its address. */
void tc_run_map_bytes(const tc_run *run, const tc_run_arg *p, uint8_t *out);
/* The same map for the GPU, in the run's arena. */
const struct tc_gpu_map *tc_run_map_for_gpu(const tc_run *run,
                                            const tc_run_arg *p);

/* --- cmd_gpu.c ---------------------------------------------------------------
 */

/* Executes the last run on the GPU too and answers: compared with the
 * simulator's bytes if the simulator has executed it. */
tc_status tc_run_gpu(tc_session *s, tc_span at, tc_reply *r);

/* --- gpu_ulps.c --------------------------------------------------------------
 */

/* The first instruction of the run's module whose error PTX only bounds
 * or leaves open (.approx, .full, mma), or NULL. */
const tc_ptx_op *tc_run_approximate(const tc_run *run);
/* As PTX spells it: "sin.approx.f32". */
void tc_run_op_name(const tc_ptx_op *op, tc_buf *out);
/* The most units in the last place between an element in the simulator and the
 * same one on the GPU. Returns false for a buffer that is not of floats, or
 * where one side has an infinity or a NaN and the other does not. */
bool tc_run_ulps(const tc_run_buffer *b, const uint8_t *gpu, uint64_t *ulps);

/* --- run_reply.c -------------------------------------------------------------
 */

void tc_run_text(tc_session *s, tc_buf *b);
void tc_run_findings_text(tc_session *s, tc_buf *b);
/* What each buffer became: changed bytes, and which equal each other. */
void tc_run_buffers_text(tc_session *s, const tc_run *run, tc_buf *b);
/* One of its kernels. */
json_t *tc_run_kernel_json(const char *name, const uint32_t grid[3],
                           const uint32_t block[3], const uint32_t cluster[3],
                           uint64_t cycles, const tc_sim_counters *c);
/* As JSON text, which is UTF-8: other bytes become '?'. */
json_t *tc_text_json(const char *text, size_t len);
json_t *tc_run_buffers_json(const tc_run *run);
/* INTERFACE.md's `run` for the last run: who executed, the buffers after it (a
 * list that it takes over), and how long execution took. */
json_t *tc_run_json(tc_session *s, const char *backend, json_t *buffers,
                    uint64_t wall_ns);

#endif
