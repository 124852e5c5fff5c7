/* tensor_model.h - what the PTX ISA's tables and figures say of a box in shared
 * memory, in plain C, independent of the simulator: an element at a time, with
 * the tables as they are printed (5.5.3, 5.5.7). */
#ifndef TENSOR_MODEL_H
#define TENSOR_MODEL_H

#include <stdint.h>
#include <string.h>

/* 5.5.7's tables: line (row of 128 bytes), place of a 16-byte chunk in it ->
 * which chunk of the source stands there. */
static const uint8_t model_32[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                       {1, 0, 3, 2, 5, 4, 7, 6}};
static const uint8_t model_64[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                       {1, 0, 3, 2, 5, 4, 7, 6},
                                       {2, 3, 0, 1, 6, 7, 4, 5},
                                       {3, 2, 1, 0, 7, 6, 5, 4}};
static const uint8_t model_128[8][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
    {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
    {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
    {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
static const uint8_t model_atom32[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                           {2, 3, 0, 1, 6, 7, 4, 5},
                                           {4, 5, 6, 7, 0, 1, 2, 3},
                                           {6, 7, 4, 5, 2, 3, 0, 1}};
static const uint8_t model_atom64[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                           {4, 5, 6, 7, 0, 1, 2, 3}};

enum {
    MODEL_NONE,
    MODEL_32,
    MODEL_64,
    MODEL_128,
    MODEL_ATOM32,
    MODEL_FLIP8,
    MODEL_ATOM64
};

/* Where the byte that belongs at address stands. */
static inline uint32_t model_place(int swizzle, uint32_t address) {
    uint32_t line = address / 128, chunk = address / 16 % 8, at = 0;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t here = swizzle == MODEL_32       ? model_32[line % 2][i]
                        : swizzle == MODEL_64     ? model_64[line % 4][i]
                        : swizzle == MODEL_128    ? model_128[line % 8][i]
                        : swizzle == MODEL_ATOM32 ? model_atom32[line % 4][i]
                        : swizzle == MODEL_FLIP8  ? model_atom32[line % 4][i]
                        : swizzle == MODEL_ATOM64 ? model_atom64[line % 2][i]
                                                  : i;
        at = here == chunk ? i : at;
    }
    uint32_t low = address % 16;
    if (swizzle == MODEL_FLIP8 && line % 2 == 1) {
        low = (low + 8) % 16;
    }
    return line * 128 + at * 16 + low;
}

typedef struct model_box {
    int rank, size;               /* bytes of an element */
    uint64_t dims[5], strides[5]; /* strides[0]: the element's size */
    uint32_t box[5], step[5];
    int32_t at[5];
    int swizzle;
} model_box;

static inline uint32_t model_count(const model_box *m, int d) {
    return d < m->rank ? (m->box[d] + m->step[d] - 1) / m->step[d] : 1;
}

static inline uint32_t model_span(const model_box *m) {
    static const uint8_t spans[] = {0, 32, 64, 128, 128, 128, 128};
    uint32_t row = model_count(m, 0) * (uint32_t)m->size;
    return spans[m->swizzle] > row ? spans[m->swizzle] : row;
}

/* Calls visit for each element of the box: where it is in shared memory, and
 * its offset in the tensor's memory, or -1 outside. */
typedef void model_visit(void *user, uint32_t shared, int64_t global);

static inline void model_each(const model_box *m, uint32_t base,
                              model_visit *visit, void *user) {
    uint32_t i[5];
    for (i[4] = 0; i[4] < model_count(m, 4); i[4]++)
        for (i[3] = 0; i[3] < model_count(m, 3); i[3]++)
            for (i[2] = 0; i[2] < model_count(m, 2); i[2]++)
                for (i[1] = 0; i[1] < model_count(m, 1); i[1]++)
                    for (i[0] = 0; i[0] < model_count(m, 0); i[0]++) {
                        int64_t offset = 0;
                        uint32_t line = 0;
                        for (int d = 4; d > 0; d--) {
                            line = line * model_count(m, d) + i[d];
                        }
                        for (int d = 0; d < m->rank; d++) {
                            int64_t x = m->at[d] + (int64_t)i[d] * m->step[d];
                            if (x < 0 || x >= (int64_t)m->dims[d]) {
                                offset = -1;
                                break;
                            }
                            offset += x * (int64_t)m->strides[d];
                        }
                        uint32_t at = base + line * model_span(m) +
                                      i[0] * (uint32_t)m->size;
                        visit(user, model_place(m->swizzle, at), offset);
                    }
}

#endif
