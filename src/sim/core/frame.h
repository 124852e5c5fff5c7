/* frame.h - registers and local memory of a function at one depth of calls. */
#ifndef TC_SIM_CORE_FRAME_H
#define TC_SIM_CORE_FRAME_H

#include "sim/core/types.h"

/* Registers and place in local memory of one function at one depth of calls:
 * lanes that are there share it, each with its own columns. */
struct tc_frame {
    struct tc_frame *next; /* of all frames of the warp */
    const tc_ptx_func *func;
    uint32_t depth; /* 0: the kernel */
    uint64_t base;  /* of its .local and .param, in local memory */
    uint32_t (*r32)[TC_LANES];
    uint64_t (*r64)[TC_LANES];
    uint32_t *pred;
    uint32_t n32, n64;                 /* rows of r32 and r64 */
    const uint32_t *rows32, *rows64;   /* as tc_warp's */
    struct tc_frame *caller[TC_LANES]; /* of each lane */
    uint32_t call[TC_LANES];           /* the op that called, absolute index */
    bool slab;                         /* r32 and r64 are the slab's */
};

void tc_frames_init(tc_warp *w); /* the kernel's */
void tc_frames_start(tc_warp *w);
void tc_frames_free(tc_warp *w);
void tc_frame_enter(tc_warp *w, tc_frame *f); /* becomes the running one */
uint64_t tc_frames_hash(const tc_warp *w, uint64_t h);
/* Local memory that a thread of a kernel needs for its own frame and for those
 * of the functions that it may call. */
uint64_t tc_stack_bytes(const tc_ptx_module *m, const tc_ptx_func *f);
/* The frame of f, called from the running frame, for lanes whose stack ends at
 * base; NULL: the calls are nested too deep. */
tc_frame *tc_frame_find(tc_warp *w, const tc_ptx_func *f, uint64_t base);

static inline uint64_t tc_align16(uint64_t n) {
    return (n + 15) & ~UINT64_C(15);
}

#endif
