/* device_sim_texture.c - the simulator's texture and surface objects. */
#include "runtime/device.h"
#include "sim/texture.h"
#include <string.h>

uint64_t tc_device_sim_texture(tc_device *d, const tc_rt_texture *t) {
    tc_sim_texture m = {.surface = t->surface != 0,
                        .shape = t->shape,
                        .format = t->format,
                        .channels = t->channels,
                        .bits = t->bits,
                        .linear = t->linear != 0,
                        .linear_levels = t->linear_levels != 0,
                        .normalized = t->normalized != 0,
                        .srgb = t->srgb != 0,
                        .normalized_coords = t->normalized_coords != 0,
                        .gather = t->gather != 0,
                        .bias = t->bias,
                        .least = t->least,
                        .most = t->most,
                        .width = t->width,
                        .height = t->height,
                        .depth = t->depth,
                        .layers = t->layers,
                        .nlevels = t->nlevels};
    memcpy(m.mode, t->mode, sizeof m.mode);
    memcpy(m.border, t->border, sizeof m.border);
    for (int i = 0; i < TC_TEXTURE_LEVELS; i++) {
        m.level[i] = (tc_texture_level){t->level[i].address, t->level[i].pitch,
                                        t->level[i].slice};
    }
    return tc_sim_add_texture(tc_device_sim.sim(d), &m);
}

bool tc_device_sim_drop_texture(tc_device *d, const tc_rt_texture_handle *h) {
    return tc_sim_drop_texture(tc_device_sim.sim(d), h->handle,
                               h->surface != 0);
}
