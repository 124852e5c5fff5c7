/* tensormap.h - tensor maps: what cuTensorMapEncodeTiled takes, as one public
 * record, and the 128 opaque bytes that stand for it in the simulator's memory
 * (PTX ISA 5.5.8). The GPU gets the driver's own bytes of the same record. */
#ifndef TC_SIM_TENSORMAP_H
#define TC_SIM_TENSORMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TC_TENSOR_MAP_BYTES = 128, TC_TENSOR_MAP_ALIGN = 64 };

/* The driver's enumerations (CUDA driver API, tensor map objects), with their
 * numbers. */
typedef enum tc_map_type {
    TC_MAP_U8,
    TC_MAP_U16,
    TC_MAP_U32,
    TC_MAP_S32,
    TC_MAP_U64,
    TC_MAP_S64,
    TC_MAP_F16,
    TC_MAP_F32,
    TC_MAP_F64,
    TC_MAP_BF16,
    TC_MAP_F32_FTZ,
    TC_MAP_TF32,
    TC_MAP_TF32_FTZ,
    TC_MAP_U4_ALIGN8,
    TC_MAP_U4_ALIGN16,
    TC_MAP_U6_ALIGN16,
    TC_MAP_TYPE_COUNT
} tc_map_type;
typedef enum tc_map_interleave {
    TC_MAP_INTERLEAVE_NONE,
    TC_MAP_INTERLEAVE_16B,
    TC_MAP_INTERLEAVE_32B
} tc_map_interleave;
typedef enum tc_map_swizzle {
    TC_MAP_SWIZZLE_NONE,
    TC_MAP_SWIZZLE_32B,
    TC_MAP_SWIZZLE_64B,
    TC_MAP_SWIZZLE_128B,
    TC_MAP_SWIZZLE_128B_ATOM_32B,
    TC_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    TC_MAP_SWIZZLE_128B_ATOM_64B,
    TC_MAP_SWIZZLE_COUNT
} tc_map_swizzle;
typedef enum tc_map_fill { TC_MAP_FILL_ZERO, TC_MAP_FILL_NAN } tc_map_fill;

/* Dimensions run innermost first. */
typedef struct tc_sim_tensor_map {
    uint32_t type, rank;
    uint64_t address;
    uint64_t dims[5];    /* elements */
    uint64_t strides[4]; /* bytes, of dimensions 1 to rank - 1 */
    uint32_t box[5], element_strides[5];
    uint32_t interleave, swizzle, l2_promotion, oob_fill;
} tc_sim_tensor_map;

/* Bytes of an element; 0 for types of less than a byte. */
uint32_t tc_tensor_map_element(uint32_t type);
/* True if the record meets all that cuTensorMapEncodeTiled asks; else why says
 * what it does not, in one line. */
bool tc_tensor_map_check(const tc_sim_tensor_map *m, char *why, size_t size);
/* The bytes of a record. False, with why, for one that does not pass the check,
 * or that the simulator does not execute. */
bool tc_tensor_map_encode(const tc_sim_tensor_map *m,
                          uint8_t out[TC_TENSOR_MAP_BYTES], char *why,
                          size_t size);
/* The check, and that the simulator executes it. */
bool tc_tensor_map_usable(const tc_sim_tensor_map *m, char *why, size_t size);
/* The bytes of any record (tensormap.replace may make wrong ones). */
void tc_tensor_map_pack(const tc_sim_tensor_map *m,
                        uint8_t out[TC_TENSOR_MAP_BYTES]);
/* The record of bytes that tc_tensor_map_encode made. False for other bytes. */
bool tc_tensor_map_decode(const uint8_t in[TC_TENSOR_MAP_BYTES],
                          tc_sim_tensor_map *out);

/* Where a GPU executes the program too, it has the driver's bytes in its hands:
 * from now on they stand for this record in the simulator as well. */
struct tc_sim;
void tc_sim_add_tensormap(struct tc_sim *s,
                          const uint8_t bytes[TC_TENSOR_MAP_BYTES],
                          const tc_sim_tensor_map *m);
/* The record of bytes of either kind. False for other bytes. */
bool tc_sim_map_of(const struct tc_sim *s,
                   const uint8_t bytes[TC_TENSOR_MAP_BYTES],
                   tc_sim_tensor_map *out);

#endif
