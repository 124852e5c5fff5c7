/* texture.c - tex, tld4, txq (PTX ISA 9.7.10). texel.c computes; here are lanes,
 * memory, and what the checker and the clock are told: a fetch is a load of
 * global memory, for the clock of one texel each lane. */
#include "sim/isa/texture.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/core/operand.h"
#include "sim/isa/isa.h"
#include "sim/race/race.h"
#include "sim/timing/timing.h"
#include <math.h>
#include <string.h>

/* ---- objects ---- */

static const char *const shape_names[TC_TEXTURE_SHAPES] = {
    "linear memory", "a 1D array",         "a 2D array or pitched memory",
    "a 3D array",    "a layered 1D array", "a layered 2D array",
    "a cubemap",     "a layered cubemap"};

/* Which shapes a geometry reads. Surfaces name a cube's faces as layers. */
static bool agrees(uint8_t geometry, const tc_sim_texture *t, bool integers) {
    switch (t->shape) {
    case TC_TEXTURE_LINEAR:
        return geometry == TC_TEX_1D && integers;
    case TC_TEXTURE_1D:
        return geometry == TC_TEX_1D;
    case TC_TEXTURE_2D:
        return geometry == TC_TEX_2D;
    case TC_TEXTURE_3D:
        return geometry == TC_TEX_3D;
    case TC_TEXTURE_1D_LAYERED:
        return geometry == TC_TEX_A1D;
    case TC_TEXTURE_2D_LAYERED:
        return geometry == TC_TEX_A2D;
    case TC_TEXTURE_CUBE:
        return geometry == (t->surface ? TC_TEX_A2D : TC_TEX_CUBE);
    default:
        return geometry == (t->surface ? TC_TEX_A2D : TC_TEX_ACUBE);
    }
}

static bool refuse(tc_warp *w, const tc_ptx_op *op, int lane, const char *why) {
    tc_fault_with(w, op, lane, TC_FINDING_TRAP, TC_PS_GLOBAL, 0, 0,
                  (tc_detail){.row = TC_DETAIL_TEXTURE, .why = why});
    return false;
}

const tc_sim_texture *tc_texture_object(tc_warp *w, const tc_ptx_op *op,
                                        int lane, uint64_t handle,
                                        bool surface) {
    const tc_sim *s = w->cta->run->sim;
    const char *why = NULL;
    const tc_sim_texture *t = tc_sim_texture_of(s, handle, surface, &why);
    bool query = op->opcode == TC_PTX_TXQ || op->opcode == TC_PTX_SUQ;
    bool integers = surface || op->type2 == TC_PT_S32;
    if (t != NULL && !query && !agrees(op->sub2, t, integers)) {
        why = tc_format(s->arena,
                        "its %s object is of %s, and it reads another shape%s",
                        surface ? "surface" : "texture", shape_names[t->shape],
                        t->shape == TC_TEXTURE_LINEAR
                            ? " (linear memory is read by tex1Dfetch)"
                            : "");
        t = NULL;
    }
    if (t != NULL && op->opcode == TC_PTX_TLD4 && !t->gather) {
        why = "tex2Dgather reads arrays of cudaArrayTextureGather alone";
        t = NULL;
    }
    if (t == NULL) {
        refuse(w, op, lane, why);
    }
    return t;
}

/* ---- the coordinates of a lane ---- */

static uint32_t element(tc_warp *w, const tc_ptx_operand *v, uint32_t i,
                        int lane) {
    uint32_t tmp[TC_LANES];
    return tc_src32(w, &w->cta->run->module->vec[v->slot + i], tmp)[lane];
}

static double float_at(tc_warp *w, const tc_ptx_operand *v, uint32_t i,
                       int lane) {
    uint32_t u = element(w, v, i, lane);
    float f;
    memcpy(&f, &u, sizeof f);
    return (double)f;
}

static bool has_layer(uint8_t geometry) {
    return geometry == TC_TEX_A1D || geometry == TC_TEX_A2D ||
           geometry == TC_TEX_ACUBE;
}

static uint32_t dimensions(uint8_t geometry) {
    return geometry == TC_TEX_1D || geometry == TC_TEX_A1D   ? 1
           : geometry == TC_TEX_2D || geometry == TC_TEX_A2D ? 2
                                                             : 3;
}

/* log2 of the texels that a pixel spans at most; isotropic. */
static double level_of_gradient(tc_warp *w, const tc_ptx_op *op, int lane,
                                const tc_sim_texture *t, uint32_t dims) {
    const uint64_t size[3] = {t->width, t->height, t->depth};
    double most = 0;
    for (int g = 5; g < 7; g++) {
        double sum = 0;
        for (uint32_t d = 0; d < dims; d++) {
            double x = float_at(w, &op->a[g], d, lane) *
                       (t->normalized_coords ? (double)size[d] : 1);
            sum += x * x;
        }
        most = sum > most ? sum : most;
    }
    return most > 0 ? log2(sqrt(most)) : 0;
}

static double level_of(tc_warp *w, const tc_ptx_op *op, int lane,
                       const tc_sim_texture *t, uint32_t dims) {
    if (op->more & TC_PX_TEX_LEVEL) {
        uint32_t tmp[TC_LANES];
        float f;
        memcpy(&f, &tc_src32(w, &op->a[4], tmp)[lane], sizeof f);
        return (double)f;
    }
    return op->more & TC_PX_TEX_GRAD ? level_of_gradient(w, op, lane, t, dims)
                                     : 0;
}

static tc_texture_at place_of(tc_warp *w, const tc_ptx_op *op, int lane,
                              const tc_sim_texture *t) {
    const tc_ptx_operand *v = &op->a[3];
    tc_texture_at at = {.dims = dimensions(op->sub2),
                        .integers = op->type2 == TC_PT_S32,
                        .base = (op->more & TC_PX_TEX_BASE) != 0};
    uint32_t first = has_layer(op->sub2);
    if (first) {
        at.layer = (int32_t)element(w, v, 0, lane);
    }
    for (uint32_t d = 0; d < at.dims; d++) {
        at.x[d] = at.integers ? (double)(int32_t)element(w, v, first + d, lane)
                              : float_at(w, v, first + d, lane);
    }
    at.level = level_of(w, op, lane, t, at.dims);
    if (op->sub2 == TC_TEX_CUBE || op->sub2 == TC_TEX_ACUBE) {
        double st[2];
        at.layer = at.layer * 6 + tc_texture_face(at.x, st);
        at.dims = 2;
        memcpy(at.x, st, sizeof st);
    }
    return at;
}

/* ---- lanes ---- */

typedef struct tex_lanes {
    tc_fetch fetch[TC_LANES];
    const tc_sim_texture *t[TC_LANES];
} tex_lanes;

static bool find_lane(tc_warp *w, const tc_ptx_op *op, int lane,
                      uint64_t handle, tex_lanes *l) {
    const tc_sim_texture *t = tc_texture_object(w, op, lane, handle, false);
    if (t == NULL) {
        return false;
    }
    tc_texture_at at = place_of(w, op, lane, t);
    tc_fetch *f = &l->fetch[lane];
    l->t[lane] = t;
    if (op->opcode == TC_PTX_TLD4) {
        tc_texture_gather(t, &at, f);
    } else if (t->shape == TC_TEXTURE_LINEAR &&
               !(at.x[0] >= 0 && at.x[0] < (double)t->width)) {
        f->n = 1; /* beyond linear memory: zeros */
        f->texel[0] = (tc_texel){.weight = 1};
    } else {
        tc_texture_find(t, &at, f);
    }
    return true;
}

/* Texel k of all lanes that have one there: as an access of global memory. */
static void observe(tc_warp *w, const tc_ptx_op *op, uint32_t mask,
                    const tex_lanes *l) {
    const tc_run *r = w->cta->run;
    for (int k = 0; k < TC_TEXELS; k++) {
        uint64_t addr[TC_LANES] = {0};
        uint32_t here = 0, bytes = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            int i = tc_first_bit(m);
            const tc_texel *e = &l->fetch[i].texel[k];
            if (k < l->fetch[i].n && e->inside) {
                addr[i] = e->address;
                here |= UINT32_C(1) << i;
                bytes = tc_texture_texel_bytes(l->t[i]);
            }
        }
        if (here && k == 0) {
            tc_isa_observe(w, op, TC_PS_GLOBAL, here, addr, bytes, false);
        } else if (here && r->race) {
            tc_race_access(w, op, TC_PS_GLOBAL, here, addr, bytes, false);
        } else if (!here && k > 0) {
            break;
        }
    }
}

/* Component c of the texels of tld4, each by itself. */
static void gathered(const tc_sim_texture *t, const tc_fetch *f,
                     const uint8_t *const *bytes, uint32_t c, uint32_t out[4]) {
    for (int i = 0; i < 4; i++) {
        uint32_t one[4];
        tc_fetch alone = {.n = 1, .texel = {f->texel[i]}};
        tc_texture_value(t, &alone, bytes + i, one);
        out[i] = one[c];
    }
}

static bool fetch_lane(tc_warp *w, const tc_ptx_op *op, int lane,
                       const tex_lanes *l, uint32_t out[4]) {
    const uint8_t *bytes[TC_TEXELS];
    const tc_sim_texture *t = l->t[lane];
    const tc_fetch *f = &l->fetch[lane];
    uint32_t size = tc_texture_texel_bytes(t);
    for (int i = 0; i < f->n; i++) {
        tc_resolved at;
        if (f->texel[i].inside &&
            !tc_resolve_lane(w, op, TC_PS_GLOBAL, lane, f->texel[i].address,
                             size, 1, &at)) {
            return false;
        }
        bytes[i] = f->texel[i].inside ? at.bytes : NULL;
    }
    if (op->opcode == TC_PTX_TLD4) {
        gathered(t, f, bytes, op->sub - TC_TLD4_R, out);
    } else {
        tc_texture_value(t, f, bytes, out);
    }
    return true;
}

static void fetch(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    tex_lanes l;
    uint64_t handle[TC_LANES];
    uint32_t value[4][TC_LANES] = {{0}};
    tc_operand_addresses(w, &op->a[2], handle);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        uint32_t out[4];
        if (!find_lane(w, op, i, handle[i], &l) ||
            !fetch_lane(w, op, i, &l, out)) {
            return;
        }
        for (int c = 0; c < 4; c++) {
            value[c][i] = out[c];
        }
    }
    observe(w, op, mask, &l);
    for (uint32_t c = 0; c < 4; c++) {
        tc_put32(w, &w->cta->run->module->vec[op->a[0].slot + c], value[c],
                 mask);
    }
    if (op->a[1].kind == TC_PO_PRED) { /* all memory is resident */
        tc_put_pred(w, &op->a[1], UINT32_MAX, mask);
    }
}

void tc_sim_op_TEX(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    fetch(w, op, mask);
}

void tc_sim_op_TLD4(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    fetch(w, op, mask);
}

/* ---- queries: PTX ISA 9.7.10.5, 9.7.11.4, and 5.3 for the channels ---- */

/* OpenCL's numbers, as PTX ISA 5.3 says. */
static uint32_t data_type_of(const tc_sim_texture *t) {
    uint32_t size = t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2;
    if (t->format == TC_TEXTURE_FLOAT) {
        return t->bits == 16 ? 0x10DD : 0x10DE;
    }
    bool is_signed = t->format == TC_TEXTURE_SIGNED;
    return t->normalized ? (is_signed ? 0x10D0 : 0x10D2) + size
                         : (is_signed ? 0x10D7 : 0x10DA) + size;
}

static uint32_t answer(const tc_sim_texture *t, uint8_t what) {
    uint64_t layers = t->shape >= TC_TEXTURE_1D_LAYERED ? t->layers : 0;
    switch (what) {
    case TC_TXQ_WIDTH:
        return (uint32_t)t->width;
    case TC_TXQ_HEIGHT:
        return (uint32_t)t->height;
    case TC_TXQ_DEPTH:
        return (uint32_t)t->depth;
    case TC_TXQ_ARRAY_SIZE:
        return (uint32_t)layers;
    case TC_TXQ_DATA_TYPE:
        return data_type_of(t);
    case TC_TXQ_ORDER: /* R, RG, RGBA */
        return t->channels == 1 ? 0x10B0 : t->channels == 2 ? 0x10B2 : 0x10B5;
    case TC_TXQ_NORMALIZED:
        return t->normalized_coords;
    default:
        return t->nlevels;
    }
}

static void query(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    uint64_t handle[TC_LANES];
    uint32_t value[TC_LANES] = {0};
    tc_operand_addresses(w, &op->a[1], handle);
    for (uint32_t m = mask; m; m &= m - 1) {
        int i = tc_first_bit(m);
        const tc_sim_texture *t =
            tc_texture_object(w, op, i, handle[i], op->opcode == TC_PTX_SUQ);
        if (t == NULL) {
            return;
        }
        value[i] = answer(t, op->sub);
    }
    tc_put32(w, &op->a[0], value, mask);
}

void tc_sim_op_TXQ(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    query(w, op, mask);
}

void tc_sim_op_SUQ(tc_warp *w, const tc_ptx_op *op, uint32_t mask) {
    query(w, op, mask);
}
