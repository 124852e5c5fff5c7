/* texture_objects.c - texture and surface objects, by their handles. */
#include "sim/core/run.h"
#include "sim/texture.h"

typedef struct tc_texture_entry {
    tc_sim_texture record;
    bool dropped;
} tc_texture_entry;

/* A program may make any number of them: beyond FEW the places of destroyed
 * ones are taken again, and there are no more than MOST. */
enum { FEW = 4096, MOST = 65536 };

static tc_texture_entry *dropped(const tc_sim *s) {
    for (int i = 0; s->ntextures >= FEW && i < s->ntextures; i++) {
        if (s->textures[i].dropped) {
            return &s->textures[i];
        }
    }
    return NULL;
}

uint64_t tc_sim_add_texture(tc_sim *s, const tc_sim_texture *t) {
    tc_texture_entry fresh = {.record = *t}, *old = dropped(s);
    if (old != NULL) {
        *old = fresh;
        return (uint64_t)(old - s->textures) + 1;
    }
    if (s->ntextures == MOST) {
        return 0;
    }
    TC_PUSH(s->home, s->textures, s->ntextures, s->ctextures, fresh);
    return (uint64_t)s->ntextures;
}

static tc_texture_entry *entry_of(const tc_sim *s, uint64_t handle) {
    return handle - 1 < (uint64_t)s->ntextures ? &s->textures[handle - 1]
                                               : NULL;
}

bool tc_sim_drop_texture(tc_sim *s, uint64_t handle, bool surface) {
    tc_texture_entry *e = entry_of(s, handle);
    if (e == NULL || e->dropped || (e->record.surface != 0) != surface) {
        return false;
    }
    e->dropped = true;
    return true;
}

const tc_sim_texture *tc_sim_texture_of(const tc_sim *s, uint64_t handle,
                                        bool surface, const char **why) {
    const tc_texture_entry *e = entry_of(s, handle);
    if (e == NULL) {
        *why = surface ? "its surface object was never created"
                       : "its texture object was never created";
    } else if ((e->record.surface != 0) != surface) {
        *why = surface
                   ? "what it takes for a surface object is a texture object"
                   : "what it takes for a texture object is a surface "
                     "object";
    } else if (e->dropped) {
        *why = surface ? "its surface object has been destroyed"
                       : "its texture object has been destroyed";
    } else {
        return &e->record;
    }
    return NULL;
}
