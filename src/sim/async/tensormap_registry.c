/* tensormap_registry.c - the driver's bytes of tensor maps, and their records. */
#include "sim/core/run.h"
#include "sim/tensormap.h"
#include <string.h>

typedef struct tc_tensormap_entry {
    uint8_t bytes[TC_TENSOR_MAP_BYTES];
    tc_sim_tensor_map record;
} tc_tensormap_entry;

static tc_tensormap_entry *find(const tc_sim *s, const uint8_t *bytes) {
    for (int i = s->nmaps - 1; i >= 0; i--) {
        if (memcmp(s->maps[i].bytes, bytes, TC_TENSOR_MAP_BYTES) == 0) {
            return &s->maps[i];
        }
    }
    return NULL;
}

void tc_sim_add_tensormap(tc_sim *s, const uint8_t bytes[TC_TENSOR_MAP_BYTES],
                          const tc_sim_tensor_map *m) {
    tc_tensormap_entry *there = find(s, bytes), fresh = {.record = *m};
    if (there != NULL) {
        there->record = *m;
        return;
    }
    memcpy(fresh.bytes, bytes, TC_TENSOR_MAP_BYTES);
    TC_PUSH(s->home, s->maps, s->nmaps, s->cmaps, fresh);
}

bool tc_sim_map_of(const tc_sim *s, const uint8_t bytes[TC_TENSOR_MAP_BYTES],
                   tc_sim_tensor_map *out) {
    const tc_tensormap_entry *known = find(s, bytes);
    if (known != NULL) {
        *out = known->record;
        return true;
    }
    return tc_tensor_map_decode(bytes, out);
}
