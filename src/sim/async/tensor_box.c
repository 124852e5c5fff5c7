/* tensor_box.c - where the elements of a box are: in the tensor (PTX ISA
 * 5.5.3), and in shared memory (5.5.7). */
#include "sim/async/tensor.h"
#include "sim/core/address.h"
#include "sim/tensormap.h"
#include <string.h>

/* ---- shape ---- */

enum { MOST_BYTES = 1 << 20 }; /* more than a CTA's shared memory */

/* With swizzling, rows lie a whole span apart (CUDA C++ Programming Guide,
 * "The swizzle modes": shared memory must have the full swizzle width). */
static const uint8_t spans[TC_MAP_SWIZZLE_COUNT] = {0,   32,  64, 128,
                                                    128, 128, 128};

bool tc_tensor_shape(tc_tensor *t) {
    const tc_sim_tensor_map *m = &t->map;
    uint64_t rows = 1;
    t->size = tc_tensor_map_element(m->type);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t step = i > 0 && i < m->rank ? m->element_strides[i] : 1;
        t->n[i] = i < m->rank ? (m->box[i] + step - 1) / step : 1;
        rows *= i > 0 ? t->n[i] : 1;
    }
    if (t->four) { /* 5.5.3.4: four boxes of one row each */
        t->n[1] = rows = 4;
    }
    t->row = t->n[0] * t->size;
    t->pitch = spans[m->swizzle] > t->row ? spans[m->swizzle] : t->row;
    t->rows = (uint32_t)rows; /* at most 256^4 */
    return rows <= MOST_BYTES && rows * t->pitch <= MOST_BYTES;
}

tc_tensor_part tc_tensor_row(const tc_tensor *t, uint32_t row) {
    const tc_sim_tensor_map *m = &t->map;
    tc_tensor_part p = {.address = m->address};
    for (uint32_t i = 1; i < m->rank; i++) {
        int64_t at = (int64_t)t->at[i] +
                     (int64_t)(row % t->n[i]) * m->element_strides[i];
        if (t->four) {
            at = t->at[1 + row];
        }
        row /= t->n[i];
        if (at < 0 || (uint64_t)at >= m->dims[i]) {
            return p;
        }
        p.address += (uint64_t)at * m->strides[i - 1];
    }
    int64_t first = t->at[0], left = (int64_t)m->dims[0] - first;
    int64_t lo = first < 0 ? -first : 0, hi = left < t->n[0] ? left : t->n[0];
    if (lo < hi) {
        p.lo = (uint32_t)lo;
        p.hi = (uint32_t)hi;
        p.address += (uint64_t)(first + lo) * t->size;
    }
    return p;
}

/* ---- swizzling ---- */

/* Bits `bits` of the 128-byte line's number go to bit `to` on of the address.
 */
typedef struct swizzle_pattern {
    uint8_t bits, to, flip;
} swizzle_pattern;
static const swizzle_pattern patterns[TC_MAP_SWIZZLE_COUNT] = {
    [TC_MAP_SWIZZLE_32B] = {1, 4, 0},
    [TC_MAP_SWIZZLE_64B] = {3, 4, 0},
    [TC_MAP_SWIZZLE_128B] = {7, 4, 0},
    [TC_MAP_SWIZZLE_128B_ATOM_32B] = {3, 5, 0},
    [TC_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = {3, 5, 1},
    [TC_MAP_SWIZZLE_128B_ATOM_64B] = {1, 6, 0}};

uint64_t tc_tensor_swizzle(uint32_t swizzle, uint64_t address) {
    const swizzle_pattern *p = &patterns[swizzle];
    uint64_t line = address >> 7;
    uint64_t flip = p->flip & line & 1;
    return address ^ (line & p->bits) << p->to ^ flip << 3;
}

uint32_t tc_tensor_chunk(uint32_t swizzle) {
    return patterns[swizzle].flip ? 8 : 16;
}

/* Chunk by chunk, one way or the other. */
static void move(const tc_tensor *t, const tc_resolved *at, uint8_t *dense,
                 bool to_shared) {
    uint32_t swizzle = t->map.swizzle, chunk = tc_tensor_chunk(swizzle);
    size_t all = (size_t)t->rows * t->row;
    if (swizzle == TC_MAP_SWIZZLE_NONE) {
        memcpy(to_shared ? at->bytes : dense, to_shared ? dense : at->bytes,
               all);
        return;
    }
    for (uint32_t r = 0; r < t->rows; r++) {
        uint64_t line = at->address + (uint64_t)r * t->pitch;
        for (uint32_t i = 0; i < t->row; i += chunk, dense += chunk) {
            uint64_t a = tc_tensor_swizzle(swizzle, line + i);
            uint8_t *shared = at->bytes + (a - at->address);
            memcpy(to_shared ? shared : dense, to_shared ? dense : shared,
                   chunk);
        }
    }
}

void tc_tensor_to_shared(const tc_tensor *t, const tc_resolved *to,
                         uint8_t *dense) {
    move(t, to, dense, true);
}

void tc_tensor_from_shared(const tc_tensor *t, const tc_resolved *from,
                           uint8_t *dense) {
    move(t, from, dense, false);
}

/* The NaN that stands for "outside": 0x7ff7 in every 16 bits, whatever the type
 * (tests/gpu/tensor-h200.jsonl; the ISA does not say). */
uint64_t tc_tensor_fill(const tc_sim_tensor_map *m) {
    return m->oob_fill == TC_MAP_FILL_NAN ? UINT64_C(0x7ff77ff77ff77ff7) : 0;
}
