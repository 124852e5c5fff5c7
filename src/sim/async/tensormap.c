/* tensormap.c - tensor map records: their rules (CUDA driver API 6.30,
 * cuTensorMapEncodeTiled), and their bytes. */
#include "sim/tensormap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t element_bytes[TC_MAP_TYPE_COUNT] = {
    [TC_MAP_U8] = 1,       [TC_MAP_U16] = 2,  [TC_MAP_U32] = 4,
    [TC_MAP_S32] = 4,      [TC_MAP_U64] = 8,  [TC_MAP_S64] = 8,
    [TC_MAP_F16] = 2,      [TC_MAP_F32] = 4,  [TC_MAP_F64] = 8,
    [TC_MAP_BF16] = 2,     [TC_MAP_TF32] = 4, [TC_MAP_F32_FTZ] = 4,
    [TC_MAP_TF32_FTZ] = 4,
};

uint32_t tc_tensor_map_element(uint32_t type) {
    return type < TC_MAP_TYPE_COUNT ? element_bytes[type] : 0;
}

typedef struct complaint {
    char *why;
    size_t size;
} complaint;

#define NO(...)                                                                \
    do {                                                                       \
        snprintf(c.why, c.size, __VA_ARGS__);                                  \
        return false;                                                          \
    } while (0)

static bool packed(uint32_t type) {
    return type >= TC_MAP_U4_ALIGN8;
}

static bool packed16(uint32_t type) {
    return type == TC_MAP_U4_ALIGN16 || type == TC_MAP_U6_ALIGN16;
}

static bool check_enums(const tc_sim_tensor_map *m, complaint c) {
    if (m->type >= TC_MAP_TYPE_COUNT) {
        NO("a tensor map has no data type %" PRIu32, m->type);
    }
    if (m->rank < 1 || m->rank > 5) {
        NO("a tensor has 1 to 5 dimensions, not %" PRIu32, m->rank);
    }
    if (m->interleave > TC_MAP_INTERLEAVE_32B) {
        NO("a tensor map has no interleave %" PRIu32, m->interleave);
    }
    if (m->interleave != TC_MAP_INTERLEAVE_NONE && m->rank < 3) {
        NO("an interleaved tensor has at least 3 dimensions, not %" PRIu32,
           m->rank);
    }
    if (m->swizzle >= TC_MAP_SWIZZLE_COUNT) {
        NO("a tensor map has no swizzle %" PRIu32, m->swizzle);
    }
    if (m->l2_promotion > 3) {
        NO("a tensor map has no L2 promotion %" PRIu32, m->l2_promotion);
    }
    if (m->oob_fill > TC_MAP_FILL_NAN) {
        NO("a tensor map has no out-of-bounds fill %" PRIu32, m->oob_fill);
    }
    return true;
}

static bool check_global(const tc_sim_tensor_map *m, complaint c) {
    bool wide = m->interleave == TC_MAP_INTERLEAVE_32B || packed16(m->type);
    uint32_t align = wide ? 32 : 16;
    if (m->address % align != 0) {
        NO("a tensor's address is a multiple of %" PRIu32
           " bytes, and 0x%" PRIx64 " is not",
           align, m->address);
    }
    for (uint32_t i = 0; i < m->rank; i++) {
        if (m->dims[i] < 1 || m->dims[i] > UINT64_C(1) << 32) {
            NO("dimension %" PRIu32 " of a tensor is 1 to 2^32 long, not "
               "%" PRIu64,
               i, m->dims[i]);
        }
    }
    uint32_t multiple = packed16(m->type)             ? 128
                        : m->type == TC_MAP_U4_ALIGN8 ? 2
                                                      : 1;
    if (m->dims[0] % multiple != 0) {
        NO("dimension 0 of this type is a multiple of %" PRIu32
           ", not %" PRIu64,
           multiple, m->dims[0]);
    }
    for (uint32_t i = 0; i + 1 < m->rank; i++) {
        if (m->strides[i] % align != 0 || m->strides[i] >= UINT64_C(1) << 40) {
            NO("the stride of dimension %" PRIu32 " is a multiple of %" PRIu32
               " bytes below 2^40, not %" PRIu64,
               i + 1, align, m->strides[i]);
        }
    }
    return true;
}

/* Bytes of a row of the box; of packed types, in shared memory. */
static uint64_t row_bytes(const tc_sim_tensor_map *m) {
    return packed16(m->type) ? m->box[0]
           : m->type == TC_MAP_U4_ALIGN8
               ? m->box[0] / 2
               : (uint64_t)m->box[0] * element_bytes[m->type];
}

static bool check_box(const tc_sim_tensor_map *m, complaint c) {
    bool plain = m->interleave == TC_MAP_INTERLEAVE_NONE;
    for (uint32_t i = 0; i < m->rank; i++) {
        if (m->box[i] < 1 || m->box[i] > 256) {
            NO("dimension %" PRIu32 " of a box is 1 to 256 long, not %" PRIu32,
               i, m->box[i]);
        }
        bool ignored = plain && i == 0;
        if (!ignored &&
            (m->element_strides[i] < 1 || m->element_strides[i] > 8)) {
            NO("the element stride of dimension %" PRIu32 " is 1 to 8, not "
               "%" PRIu32,
               i, m->element_strides[i]);
        }
    }
    if (packed16(m->type) && m->box[0] != 128) {
        NO("dimension 0 of a box of this type is 128 long, not %" PRIu32,
           m->box[0]);
    }
    if (plain && row_bytes(m) % 16 != 0) {
        NO("a row of a box is a multiple of 16 bytes, not %" PRIu64,
           row_bytes(m));
    }
    return true;
}

static bool check_swizzle(const tc_sim_tensor_map *m, complaint c) {
    static const uint32_t span[TC_MAP_SWIZZLE_COUNT] = {0,   32,  64, 128,
                                                        128, 128, 128};
    if (m->interleave == TC_MAP_INTERLEAVE_32B &&
        m->swizzle != TC_MAP_SWIZZLE_32B) {
        NO("a tensor interleaved by 32 bytes is swizzled by 32 bytes");
    }
    if (m->interleave == TC_MAP_INTERLEAVE_NONE && m->swizzle != 0 &&
        row_bytes(m) > span[m->swizzle]) {
        NO("a row of a box swizzled by %" PRIu32 " bytes has at most so many, "
           "not %" PRIu64,
           span[m->swizzle], row_bytes(m));
    }
    if (m->type == TC_MAP_U6_ALIGN16 && m->interleave != 0) {
        NO("a tensor of 6-bit elements is not interleaved");
    }
    bool floating = m->type >= TC_MAP_F16 && m->type <= TC_MAP_TF32_FTZ;
    if (m->oob_fill == TC_MAP_FILL_NAN && !floating) {
        NO("only floating-point elements are filled with NaN");
    }
    return true;
}

static bool check_built(const tc_sim_tensor_map *m, complaint c) {
    if (packed(m->type)) {
        NO("tensors of 4-bit and 6-bit elements are not built in the "
           "simulator yet");
    }
    if (m->type >= TC_MAP_F32_FTZ) {
        NO("tensors whose elements change on the way (tf32, and float with "
           "subnormals flushed) are not built in the simulator yet");
    }
    if (m->interleave != TC_MAP_INTERLEAVE_NONE) {
        NO("interleaved tensors are not built in the simulator yet");
    }
    return true;
}

bool tc_tensor_map_check(const tc_sim_tensor_map *m, char *why, size_t size) {
    complaint c = {why, size};
    return check_enums(m, c) && check_global(m, c) && check_box(m, c) &&
           check_swizzle(m, c);
}

bool tc_tensor_map_usable(const tc_sim_tensor_map *m, char *why, size_t size) {
    complaint c = {why, size};
    return tc_tensor_map_check(m, why, size) && check_built(m, c);
}

/* ---- bytes ---- */

static const char magic[8] = {'t', 'c', '-', 't', 'm', 'a', 'p', '1'};

static void put(uint8_t **at, uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) {
        *(*at)++ = (uint8_t)(v >> 8 * i);
    }
}

static uint64_t get(const uint8_t **at, int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) {
        v |= (uint64_t) * (*at)++ << 8 * i;
    }
    return v;
}

void tc_tensor_map_pack(const tc_sim_tensor_map *m,
                        uint8_t out[TC_TENSOR_MAP_BYTES]) {
    uint8_t *at = out;
    memset(out, 0, TC_TENSOR_MAP_BYTES);
    memcpy(at, magic, sizeof magic);
    at += sizeof magic;
    put(&at, m->address, 8);
    for (int i = 0; i < 5; i++) {
        put(&at, m->dims[i] - 1, 4); /* 2^32 fits */
        put(&at, m->box[i] < UINT16_MAX ? m->box[i] : UINT16_MAX, 2);
        uint32_t step = m->element_strides[i];
        put(&at, step < UINT8_MAX ? step : UINT8_MAX, 1);
    }
    for (int i = 0; i < 4; i++) {
        put(&at, m->strides[i], 8);
    }
    put(&at, m->type, 1);
    put(&at, m->rank, 1);
    put(&at, m->interleave, 1);
    put(&at, m->swizzle, 1);
    put(&at, m->l2_promotion, 1);
    put(&at, m->oob_fill, 1);
}

bool tc_tensor_map_encode(const tc_sim_tensor_map *m,
                          uint8_t out[TC_TENSOR_MAP_BYTES], char *why,
                          size_t size) {
    if (!tc_tensor_map_usable(m, why, size)) {
        return false;
    }
    tc_tensor_map_pack(m, out);
    return true;
}

bool tc_tensor_map_decode(const uint8_t in[TC_TENSOR_MAP_BYTES],
                          tc_sim_tensor_map *out) {
    const uint8_t *at = in + sizeof magic;
    memset(out, 0, sizeof *out);
    if (memcmp(in, magic, sizeof magic) != 0) {
        return false;
    }
    out->address = get(&at, 8);
    for (int i = 0; i < 5; i++) {
        out->dims[i] = get(&at, 4) + 1;
        out->box[i] = (uint32_t)get(&at, 2);
        out->element_strides[i] = (uint32_t)get(&at, 1);
    }
    for (int i = 0; i < 4; i++) {
        out->strides[i] = get(&at, 8);
    }
    out->type = (uint32_t)get(&at, 1);
    out->rank = (uint32_t)get(&at, 1);
    out->interleave = (uint32_t)get(&at, 1);
    out->swizzle = (uint32_t)get(&at, 1);
    out->l2_promotion = (uint32_t)get(&at, 1);
    out->oob_fill = (uint32_t)get(&at, 1);
    return true;
}
