/* texel.c - which texels a fetch reads, and what becomes of them (CUDA C++
 * Programming Guide, appendix Texture Fetching).
 *
 * Linear filtering: xB = x - 0.5, i = floor(xB), alpha = frac(xB) with 8 bits of
 * fraction. The guide does not say how alpha is rounded to them, nor in which
 * precision the weighted texels are added up: to nearest, and in doubles. */
#include "sim/texture.h"
#include <math.h>
#include <string.h>

/* ---- one axis ---- */

typedef struct axis {
    int64_t i[2];
    double weight[2];
    bool inside[2];
    int n;
} axis;

/* A coordinate in texels; wrapped and mirrored where it is normalized. */
static double in_texels(const tc_sim_texture *t, uint32_t mode, double x,
                        double size) {
    if (!t->normalized_coords) {
        return x;
    }
    double whole = floor(x), part = x - whole;
    if (mode == TC_TEXTURE_WRAP) {
        return part * size;
    }
    if (mode == TC_TEXTURE_MIRROR) {
        return (fmod(whole, 2) != 0 ? 1 - part : part) * size;
    }
    return x * size;
}

/* Texel i of an axis, as the mode has it; false: the border. Wrapping and
 * mirroring are of normalized coordinates, of others they clamp. */
static bool bring_in(const tc_sim_texture *t, uint32_t mode, int64_t size,
                     int64_t *i) {
    if (*i >= 0 && *i < size) {
        return true;
    }
    if (mode == TC_TEXTURE_BORDER) {
        return false;
    }
    *i = mode == TC_TEXTURE_WRAP && t->normalized_coords
             ? (*i % size + size) % size
         : *i < 0 ? 0
                  : size - 1;
    return true;
}

/* What lies far beyond is as far as anything. */
static double bounded(double x) {
    const double far = (double)(INT64_C(1) << 40);
    return !(x > -far) ? -far : x < far ? x : far;
}

static axis axis_of(const tc_sim_texture *t, uint32_t mode, double x,
                    uint64_t size, bool linear, bool integers) {
    axis a = {.n = linear ? 2 : 1, .weight = {1, 0}};
    double at = bounded(integers ? x : in_texels(t, mode, x, (double)size));
    double low = linear ? at - 0.5 : at;
    a.i[0] = (int64_t)floor(low);
    a.i[1] = a.i[0] + 1;
    if (linear) {
        a.weight[1] = floor((low - floor(low)) * 256 + 0.5) / 256;
        a.weight[0] = 1 - a.weight[1];
    }
    for (int k = 0; k < a.n; k++) {
        a.inside[k] = bring_in(t, mode, (int64_t)size, &a.i[k]);
    }
    return a;
}

/* ---- levels ---- */

static uint64_t at_level(uint64_t size, uint32_t level) {
    uint64_t n = size >> level;
    return n ? n : 1;
}

/* One or two levels, the second's weight in 8 bits like that of a texel. */
static int levels_of(const tc_sim_texture *t, const tc_texture_at *at,
                     uint32_t level[2], double weight[2]) {
    double most = t->nlevels - 1, l = at->level + t->bias;
    l = l < t->least ? t->least : l > t->most ? t->most : l;
    l = !(l > 0) || at->base || t->nlevels < 2 ? 0 : l > most ? most : l;
    double low = t->linear_levels ? floor(l) : floor(l + 0.5);
    level[0] = (uint32_t)low;
    weight[1] = t->linear_levels ? floor((l - low) * 256 + 0.5) / 256 : 0;
    weight[0] = 1 - weight[1];
    level[1] = level[0] + 1;
    return weight[1] > 0 ? 2 : 1;
}

/* ---- texels ---- */

uint32_t tc_texture_texel_bytes(const tc_sim_texture *t) {
    return t->channels * t->bits / 8;
}

static void add(const tc_sim_texture *t, const tc_texture_level *l,
                const axis a[3], const int k[3], uint64_t plane, double weight,
                tc_fetch *f) {
    tc_texel e = {.weight = weight, .inside = true};
    for (int d = 0; d < 3; d++) {
        e.weight *= a[d].weight[k[d]];
        e.inside = e.inside && a[d].inside[k[d]];
    }
    if (e.inside) {
        e.address = l->address + (plane + (uint64_t)a[2].i[k[2]]) * l->slice +
                    (uint64_t)a[1].i[k[1]] * l->pitch +
                    (uint64_t)a[0].i[k[0]] * tc_texture_texel_bytes(t);
    }
    if (f->n < TC_TEXELS) {
        f->texel[f->n++] = e;
    }
}

/* The three axes of a level; those that the fetch lacks have one texel. */
static void axes_of(const tc_sim_texture *t, const tc_texture_at *at,
                    uint32_t level, bool linear, axis a[3]) {
    uint64_t size[3] = {t->width, t->height, t->depth};
    for (uint32_t d = 0; d < 3; d++) {
        a[d] = d < at->dims
                   ? axis_of(t, t->mode[d], at->x[d], at_level(size[d], level),
                             linear, at->integers)
                   : (axis){.n = 1, .weight = {1, 0}, .inside = {true, true}};
    }
}

static uint64_t plane_of(const tc_sim_texture *t, const tc_texture_at *at) {
    int64_t most = (int64_t)t->layers - 1;
    return (uint64_t)(at->layer < 0 ? 0 : at->layer > most ? most : at->layer);
}

void tc_texture_find(const tc_sim_texture *t, const tc_texture_at *at,
                     tc_fetch *f) {
    uint32_t level[2];
    double weight[2];
    bool linear = t->linear && !at->integers;
    f->n = 0;
    for (int n = levels_of(t, at, level, weight), i = 0; i < n; i++) {
        axis a[3];
        int k[3];
        axes_of(t, at, level[i], linear, a);
        for (k[2] = 0; k[2] < a[2].n; k[2]++) {
            for (k[1] = 0; k[1] < a[1].n; k[1]++) {
                for (k[0] = 0; k[0] < a[0].n; k[0]++) {
                    add(t, &t->level[level[i]], a, k, plane_of(t, at),
                        weight[i], f);
                }
            }
        }
    }
}

/* PTX ISA 9.7.10.4: from the lower left one, counter-clockwise; lower is the
 * greater y. */
void tc_texture_gather(const tc_sim_texture *t, const tc_texture_at *at,
                       tc_fetch *f) {
    static const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    axis a[3];
    axes_of(t, at, 0, true, a);
    f->n = 0;
    for (int i = 0; i < 4; i++) {
        int k[3] = {order[i][0], order[i][1], 0};
        add(t, &t->level[0], a, k, plane_of(t, at), 1, f);
        f->texel[i].weight = 1;
    }
}

/* ---- values ---- */

static float half_of(uint16_t h) {
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023u;
    float v = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent ? ldexpf((float)(fraction + 1024), (int)exponent - 25)
                         : ldexpf((float)fraction, -24);
    return h >> 15 ? -v : v;
}

/* Channel c as it is stored, extended to 32 bits; a half becomes a float. */
static uint32_t raw_of(const tc_sim_texture *t, const uint8_t *p, uint32_t c) {
    uint32_t v = 0;
    memcpy(&v, p + c * t->bits / 8, t->bits / 8);
    if (t->format == TC_TEXTURE_SIGNED && t->bits < 32) {
        uint32_t sign = UINT32_C(1) << (t->bits - 1);
        v = (v ^ sign) - sign;
    }
    if (t->format == TC_TEXTURE_FLOAT && t->bits == 16) {
        float f = half_of((uint16_t)v);
        memcpy(&v, &f, sizeof v);
    }
    return v;
}

static double linear_light(double v) { /* IEC 61966-2-1 */
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* As a float: normalized integers to [0, 1] or [-1, 1]. */
static double value_of(const tc_sim_texture *t, const uint8_t *p, uint32_t c) {
    uint32_t v = raw_of(t, p, c);
    if (t->format == TC_TEXTURE_FLOAT) {
        float f;
        memcpy(&f, &v, sizeof f);
        return (double)f;
    }
    double most = (double)((UINT64_C(1) << (t->bits - 1)) - 1);
    if (t->format == TC_TEXTURE_SIGNED) {
        double x = (double)(int32_t)v / most;
        return x < -1 ? -1 : x;
    }
    double x = (double)v / (2 * most + 1);
    return t->srgb && c < 3 ? linear_light(x) : x;
}

static uint32_t bits_of(double v) {
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

/* The border's colour, in the form that the texels have. */
static uint32_t border_of(const tc_sim_texture *t, uint32_t c) {
    bool floats = t->normalized || t->format == TC_TEXTURE_FLOAT;
    return floats ? bits_of((double)t->border[c])
                  : (uint32_t)(int64_t)bounded((double)t->border[c]);
}

static uint32_t filtered(const tc_sim_texture *t, const tc_fetch *f,
                         const uint8_t *const *bytes, uint32_t c) {
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
        double v = bytes[i] ? value_of(t, bytes[i], c) : (double)t->border[c];
        sum += f->texel[i].weight != 0 ? f->texel[i].weight * v : 0;
    }
    return bits_of(sum);
}

void tc_texture_value(const tc_sim_texture *t, const tc_fetch *f,
                      const uint8_t *const *bytes, uint32_t out[4]) {
    for (uint32_t c = 0; c < 4; c++) {
        out[c] = c >= t->channels   ? 0
                 : f->n > 1         ? filtered(t, f, bytes, c)
                 : bytes[0] == NULL ? border_of(t, c)
                 : t->normalized    ? bits_of(value_of(t, bytes[0], c))
                                    : raw_of(t, bytes[0], c);
    }
}

/* ---- cubes ---- */

/* The guide's table of faces: of the greatest component, m; s and t. */
int tc_texture_face(const double x[3], double st[2]) {
    double a[3] = {fabs(x[0]), fabs(x[1]), fabs(x[2])};
    int big = a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
    bool below = x[big] < 0;
    double m = a[big] > 0 ? a[big] : 1, s, t;
    if (big == 0) {
        s = below ? x[2] : -x[2];
        t = -x[1];
    } else if (big == 1) {
        s = x[0];
        t = below ? -x[2] : x[2];
    } else {
        s = below ? -x[0] : x[0];
        t = -x[1];
    }
    st[0] = (s / m + 1) / 2;
    st[1] = (t / m + 1) / 2;
    return big * 2 + below;
}
