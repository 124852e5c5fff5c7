/* device_gpu.h - what device_both.c needs of the GPU's side beyond the table,
 * and what the files of device_gpu share. */
#ifndef TC_RUNTIME_DEVICE_GPU_H
#define TC_RUNTIME_DEVICE_GPU_H

#include "gpu/remote.h"
#include "runtime/device.h"

/* An allocation, or a symbol of the module (which is never freed). */
typedef struct tc_gpu_memory {
    tc_device_memory m;
    bool symbol;
} tc_gpu_memory;

typedef struct tc_gpu_side {
    tc_arena *arena;
    tc_device_options options;
    tc_gpu *gpu;
    uint64_t base, bytes;  /* the range of its addresses */
    tc_gpu_memory *memory; /* by address */
    int nmemory, cmemory;
    int error;   /* sticky: the context is dead */
    int last;    /* of the call that why tells of */
    bool writes; /* the module has an instruction that writes global memory */
    char why[640];
} tc_gpu_side;

/* d is one that tc_device_gpu.open made. */
tc_gpu_side *tc_gpu_side_of(tc_device *d);

/* Where a call's sentence goes. */
tc_gpu_complaint tc_gpu_side_why(tc_gpu_side *g);
/* True on success; an error after which CUDA's context is unusable stays. */
bool tc_gpu_side_check(tc_gpu_side *g, tc_cu_result r);

/* --- device_gpu_memory.c ---------------------------------------------------*/

/* The memory around an address, or NULL. */
tc_gpu_memory *tc_gpu_side_find(tc_gpu_side *g, uint64_t address);
void tc_gpu_side_add(tc_gpu_side *g, const tc_device_memory *m, bool symbol);
bool tc_gpu_alloc(tc_device *d, const tc_device_memory *m);
void tc_gpu_free(tc_device *d, uint64_t address);
bool tc_gpu_write(tc_device *d, uint64_t to, const void *from, uint64_t bytes);
bool tc_gpu_read(tc_device *d, void *to, uint64_t from, uint64_t bytes);
bool tc_gpu_move(tc_device *d, uint64_t to, uint64_t from, uint64_t bytes);
bool tc_gpu_set(tc_device *d, uint64_t to, int value, uint64_t bytes);
/* The GPU's own bytes, of memory too whose pages the program shares. */
bool tc_gpu_peek(tc_gpu_side *g, void *to, uint64_t from, uint64_t bytes);
bool tc_gpu_poke(tc_gpu_side *g, uint64_t to, const void *from, uint64_t bytes);
bool tc_gpu_fill(tc_gpu_side *g, uint64_t to, int value, uint64_t bytes);
/* Memory that the program shares: its pages to the GPU, and back. */
bool tc_gpu_put_shared(tc_gpu_side *g);
bool tc_gpu_take_shared(tc_gpu_side *g);

/* --- device_gpu_module.c ---------------------------------------------------*/

/* Loads the module and finds its symbols. False with why. */
bool tc_gpu_load_module(tc_gpu_side *g, tc_gpu_complaint c);

/* --- device_gpu_launch.c ---------------------------------------------------*/

/* A launch without copies of what the program shares. */
void tc_gpu_run(tc_gpu_side *g, const tc_sim_launch *l,
                tc_device_launched *out);
void tc_gpu_side_launch(tc_device *d, const tc_sim_launch *l,
                        tc_device_launched *out);
uint32_t tc_gpu_side_occupancy(tc_device *d, const tc_ptx_func *f,
                               uint32_t block, uint64_t dynamic_shared,
                               uint32_t cluster);

#endif
