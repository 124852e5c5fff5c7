/* texture.h - texture and surface objects as the simulator has them.
 *
 * An object is a record that the simulator keeps; programs have its handle, a
 * number that tex, suld and their like name (PTX ISA 9.7.10, 9.7.11, the unified
 * mode). Texels lie in device memory, rows one after the other: CUDA arrays are
 * such memory here, in an order that no program may count on. */
#ifndef TC_SIM_TEXTURE_H
#define TC_SIM_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tc_texture_shape {
    TC_TEXTURE_LINEAR, /* memory without an array: by integers alone */
    TC_TEXTURE_1D,
    TC_TEXTURE_2D,
    TC_TEXTURE_3D,
    TC_TEXTURE_1D_LAYERED,
    TC_TEXTURE_2D_LAYERED,
    TC_TEXTURE_CUBE,
    TC_TEXTURE_CUBE_LAYERED,
    TC_TEXTURE_SHAPES
} tc_texture_shape;

/* The CUDA runtime's enumerations, with its numbers. */
typedef enum tc_texture_format {
    TC_TEXTURE_SIGNED,
    TC_TEXTURE_UNSIGNED,
    TC_TEXTURE_FLOAT
} tc_texture_format;
typedef enum tc_texture_mode {
    TC_TEXTURE_WRAP,
    TC_TEXTURE_CLAMP,
    TC_TEXTURE_MIRROR,
    TC_TEXTURE_BORDER
} tc_texture_mode;

enum { TC_TEXTURE_LEVELS = 17 };

typedef struct tc_texture_level {
    uint64_t address, pitch, slice; /* bytes from row to row, plane to plane */
} tc_texture_level;

/* Member by member what tc_rt_texture of runtime/protocol.h has. */
typedef struct tc_sim_texture {
    uint32_t surface;                /* 1: a surface object */
    uint32_t shape;                  /* tc_texture_shape */
    uint32_t format, channels, bits; /* of a channel: 8, 16 or 32 */
    uint32_t mode[3];
    uint32_t linear, linear_levels; /* filters; 0: the nearest */
    uint32_t normalized, srgb;      /* reads as floats; of sRGB */
    uint32_t normalized_coords;
    uint32_t gather;                    /* tld4 may read it */
    float border[4], bias, least, most; /* levels: what is added, limits */
    uint32_t nlevels;
    uint64_t width, height, depth; /* of level 0; 1 where there is none */
    uint64_t layers;               /* of a cube: six for each */
    tc_texture_level level[TC_TEXTURE_LEVELS];
} tc_sim_texture;

struct tc_sim;
/* The handle of a new object; 0: there are too many. */
uint64_t tc_sim_add_texture(struct tc_sim *s, const tc_sim_texture *t);
/* It is destroyed. False: there is none of that kind. */
bool tc_sim_drop_texture(struct tc_sim *s, uint64_t handle, bool surface);
/* The object, or NULL with why it is none. */
const tc_sim_texture *tc_sim_texture_of(const struct tc_sim *s, uint64_t handle,
                                        bool surface, const char **why);

/* ---- sim/isa/texel.c: what a fetch reads (CUDA C++ Programming Guide, Texture
 * Fetching) ---- */

typedef struct tc_texel {
    bool inside;      /* else the border */
    uint64_t address; /* of the texel */
    double weight;
} tc_texel;

enum { TC_TEXELS = 16 };
typedef struct tc_fetch {
    tc_texel texel[TC_TEXELS];
    int n;
} tc_fetch;

/* Where a fetch of the object is, in the words of an instruction. */
typedef struct tc_texture_at {
    uint32_t dims; /* coordinates */
    bool integers; /* they are texels, no floats */
    double x[3];
    int64_t layer;
    double level; /* as asked for: bias and limits are applied */
    bool base;    /* level 0 */
} tc_texture_at;

void tc_texture_find(const tc_sim_texture *t, const tc_texture_at *at,
                     tc_fetch *f);
/* The four texels of a linear fetch, in the order of tld4. */
void tc_texture_gather(const tc_sim_texture *t, const tc_texture_at *at,
                       tc_fetch *f);
uint32_t tc_texture_texel_bytes(const tc_sim_texture *t);
/* The four components that the texels at bytes[i] (NULL: the border) make: bits
 * of floats, or integers. */
void tc_texture_value(const tc_sim_texture *t, const tc_fetch *f,
                      const uint8_t *const *bytes, uint32_t out[4]);
/* Of a direction: the face, and where in it. */
int tc_texture_face(const double x[3], double st[2]);

#endif
