/* state.h - a question about the machine at a cycle, and what answers it. */
#ifndef TC_SESSION_STATE_H
#define TC_SESSION_STATE_H

#include "run/run.h"

#include "sim/state.h"

/* What is asked for. */
typedef struct tc_state_query {
    uint64_t cycle;
    int64_t cta, warp, lane; /* -1: not said */
    const char **names;      /* registers and memory */
    int nnames;
} tc_state_query;

/* What there is to answer it with. */
typedef struct tc_state_view {
    tc_session *s;
    const tc_last_run *run;    /* the one that was made again */
    tc_sim *sim;               /* stopped there, with its global memory */
    const tc_sim_state *state; /* NULL: the run was over */
    const tc_state_cta *cta;   /* the one asked for; NULL: none ran */
    const tc_state_query *q;
} tc_state_view;

/* Bytes of memory by a name: a variable in shared memory, a buffer of the run,
 * a global or constant variable; "shared" all shared memory of the CTA, "local"
 * that of a lane, "tensor" a lane of tensor memory. */
typedef struct tc_state_memory {
    const uint8_t *at;
    uint64_t n;
    tc_dtype type; /* of its elements; VOID: unknown */
} tc_state_memory;

/* state_memory.c: NAME or NAME+BYTES. False: there is no such memory now. */
bool tc_state_find(const tc_state_view *l, const char *name,
                   tc_state_memory *out);
/* A register of the kernel, or NULL. */
const tc_ptx_reg *tc_state_find_reg(const tc_state_view *l, const char *name);
/* The warp asked for, or the first. */
const tc_state_warp *tc_state_the_warp(const tc_state_view *l);

/* names.c: where the kernel's dynamic shared memory begins, as the simulator
 * places it: behind the static, at a multiple of every dynamic symbol's
 * alignment; *first is one of these symbols, or NULL. */
uint64_t tc_dynamic_begin(const tc_last_run *run, const tc_ptx_symbol **first);

/* state_text.c: where warps are and what barriers wait for; registers, bytes.
 */
void tc_state_warps_text(const tc_state_view *l, tc_buf *b);
void tc_state_barriers_text(const tc_state_view *l, tc_buf *b);
void tc_state_reg_text(const tc_state_view *l, const tc_ptx_reg *r, tc_buf *b);
void tc_state_memory_text(const char *name, const tc_state_memory *m,
                          tc_buf *b);
/* state_values.c: can a type's values be shown? n bytes as such values, lines
 * behind a newline each; from: what the first byte is called. */
bool tc_state_has_values(tc_dtype type);
void tc_state_values_text(tc_dtype type, const uint8_t *at, uint64_t from,
                          uint64_t n, tc_buf *b);
/* {"type": "float16", "values": [...]}; of a type that has values. */
json_t *tc_state_values_json(tc_dtype type, const uint8_t *at, uint64_t n);
/* state_json.c: all of it. */
json_t *tc_state_json(const tc_state_view *l);

#endif
