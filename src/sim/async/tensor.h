/* tensor.h - one tensor copy under way: its box, in global memory and in shared
 * memory. */
#ifndef TC_SIM_TENSOR_H
#define TC_SIM_TENSOR_H

#include "sim/async/bulk.h"
#include "sim/tensormap.h"

typedef struct tc_tensor {
    tc_bulk b; /* first: bulk.c's functions take it for the state */
    tc_sim_tensor_map map;
    int32_t at[5];  /* the coordinates; under four: a column, four rows */
    bool four;      /* .tile::gather4, .tile::scatter4 */
    uint32_t n[5];  /* elements of the box along each dimension */
    uint32_t size;  /* bytes of an element */
    uint32_t rows;  /* of the box, in dimension 0 */
    uint32_t row;   /* bytes of one */
    uint32_t pitch; /* from one to the next in shared memory */
} tc_tensor;

/* Counts the elements of the map's box; false if it has none in a CTA's shared
 * memory, however large. */
bool tc_tensor_shape(tc_tensor *t);

/* The part of a row of the box that lies in the tensor: elements [lo, hi), and
 * the global address of lo. lo == hi: none. */
typedef struct tc_tensor_part {
    uint64_t address;
    uint32_t lo, hi;
} tc_tensor_part;
tc_tensor_part tc_tensor_row(const tc_tensor *t, uint32_t row);

/* Where the byte at that shared address is under the map's swizzle (5.5.7);
 * whole chunks of tc_tensor_chunk bytes stay together. */
uint64_t tc_tensor_swizzle(uint32_t swizzle, uint64_t address);
uint32_t tc_tensor_chunk(uint32_t swizzle);

/* Copies between the box's bytes without gaps and swizzle (dense, rows * row
 * bytes) and shared memory. */
void tc_tensor_to_shared(const tc_tensor *t, const tc_resolved *to,
                         uint8_t *dense);
void tc_tensor_from_shared(const tc_tensor *t, const tc_resolved *from,
                           uint8_t *dense);
/* One out-of-bounds element's bits (5.5.3.3). */
uint64_t tc_tensor_fill(const tc_sim_tensor_map *m);

#endif
