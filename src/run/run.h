/* run.h - makes a run and executes it in the simulator; the data of its buffers
 * and the names of its addresses. */
#ifndef TC_RUN_RUN_H
#define TC_RUN_RUN_H

#include "session/last_run.h"
#include <stdio.h>

/* --- run.c -----------------------------------------------------------------*/

/* An empty run, to be prepared and then kept, or freed (tc_run_free). */
tc_last_run *tc_run_new(void);
/* One more buffer of a run (whose array has room for it), filled. Reports and
 * returns NULL for one that is too large. */
tc_run_buffer *tc_run_add_buffer(tc_session *s, tc_last_run *run,
                                 const tc_buffer *b);
/* What the session's settings make of a simulation. */
tc_sim_options tc_run_options(tc_session *s, const char *arch);
/* Executes a prepared run in the simulator. Reports and returns false where it
 * cannot start. */
bool tc_run_simulate(tc_session *s, tc_last_run *run);
/* What is wanted of a run that is made again. */
typedef struct tc_replay {
    bool stops;                      /* at a cycle, and leaves its state */
    uint64_t stop_at;                /* that one */
    const struct tc_sim_state *upto; /* tc_sim_launch's */
    bool trace;                      /* its events (tc_sim_take_trace) */
} tc_replay;
/* Executes a run that the simulator has executed once more: without hazards, on
 * the same way. Returns the simulator, which owns state and trace
 * (tc_sim_free), or NULL. */
tc_sim *tc_run_replay(tc_session *s, const tc_last_run *run,
                      const tc_replay *how, tc_sim_result *out);
/* A run of the current program, kept; simulated: also executed by the
 * simulator. Reports and returns false otherwise. */
bool tc_run_make(tc_session *s, bool simulated, tc_span at, tc_status *status);

/* --- load_trace.c ----------------------------------------------------------*/

/* Makes a file of `export trace` the last run: one with a trace and no module.
 * Frees a, which holds the text. */
tc_status tc_trace_read(tc_session *s, tc_arena *a, const tc_source *src,
                        tc_reply *r);

/* --- facts.c ---------------------------------------------------------------*/

/* Registers a thread, as ptxas counts them; 0: nobody knows, or wants to. */
uint32_t tc_run_registers(tc_session *s, const tc_last_run *run);
/* With a clock: what ptxas makes of the kernel, in the run's arena; NULL where
 * there is no ptxas. */
const struct tc_sass *tc_run_machine_code(tc_session *s,
                                          const tc_last_run *run);
/* Does the kernel wait for all CTAs of its grid? It is launched so that they
 * run at once. */
bool tc_run_waits_for_grid(const tc_last_run *run);
/* The simulator executes all of the run's file, and its machine has what the
 * .target asks for. Reports at span and returns false if not. */
bool tc_run_fits(tc_session *s, const tc_last_run *run, tc_span at);

/* --- tensor_maps.c ---------------------------------------------------------*/

/* The program's tensor maps, behind the run's other parameters (whose array has
 * room for them). Reports and returns false for one that cannot be made. */
bool tc_run_add_maps(tc_session *s, tc_last_run *run);
/* The 128 bytes of a map for the simulator; the buffer has its address. */
void tc_run_map_bytes(const tc_last_run *run, const tc_run_arg *p,
                      uint8_t *out);
/* The same map for the GPU, in the run's arena. */
const struct tc_gpu_map *tc_run_map_for_gpu(const tc_last_run *run,
                                            const tc_run_arg *p);

/* --- ulps.c ----------------------------------------------------------------*/

/* The first instruction of the run's module whose error PTX only bounds
 * or leaves open (.approx, .full, mma), or NULL. */
const tc_ptx_op *tc_run_approximate(const tc_last_run *run);
/* As PTX spells it: "sin.approx.f32". */
void tc_run_op_name(const tc_ptx_op *op, tc_buf *out);
/* The most units in the last place between an element in the simulator and the
 * same one on the GPU. Returns false for a buffer that is not of floats, or
 * where one side has an infinity or a NaN and the other does not. */
bool tc_run_ulps(const tc_run_buffer *b, const uint8_t *gpu, uint64_t *ulps);

/* --- fill.c: data of buffers (INTERFACE.md) --------------------------------*/

/* What the ith buffer of a run holds before it: its own data, or that of its
 * place. */
void tc_run_fill(const tc_run_buffer *b, int i, uint64_t seed, uint8_t *bytes);
/* How many bytes of it the run has changed. */
uint64_t tc_run_changed(const tc_run_buffer *b, int i, uint64_t seed);

void tc_fill_buffer(uint8_t *bytes, uint64_t size, tc_dtype type, int position,
                    uint64_t seed);
/* The same for the size bytes of a buffer that begin at `from`, a multiple of
 * 8. */
void tc_fill_part(uint8_t *bytes, uint64_t from, uint64_t size, tc_dtype type,
                  int position, uint64_t seed);
/* How many bytes of a buffer are not what it was filled with. */
uint64_t tc_fill_changed(const uint8_t *bytes, uint64_t size, tc_dtype type,
                         int position, uint64_t seed);
uint64_t tc_fnv1a64(const uint8_t *bytes, uint64_t size);

/* --- names.c: from addresses to elements -----------------------------------*/

/* The element of a buffer that lives at a byte offset of its storage, as
 * "A_smem[17,3]"; "A_smem+8200" where no element lives. In arena. */
const char *tc_element_name(tc_arena *a, const tc_buffer *b, uint64_t offset);
/* The coordinates of that element; false where none lives. */
bool tc_element_at(tc_arena *a, const tc_buffer *b, uint64_t element,
                   int64_t *coord);
/* A symbol as the PTX has it; of a .cu, as C++ does. */
const char *tc_symbol_name(const tc_last_run *run, const tc_ptx_symbol *y);
/* A byte of a shared variable of a .cu: "full[1]", "tile[3][7]", "x+3". size:
 * of the variable, 0: of a dynamic array; bytes: of the access, 0: of none. */
const char *tc_cuda_element(tc_last_run *run, const char *name, uint64_t offset,
                            uint64_t size, uint32_t bytes);
/* What values a shared variable of a .cu has; VOID: it is no .cu, or nobody
 * knows. */
tc_dtype tc_cuda_type(const tc_last_run *run, const char *name);
/* What an address of the last run is called. */
const char *tc_address_name(tc_session *s, tc_ptx_space space,
                            uint64_t address);

#endif
