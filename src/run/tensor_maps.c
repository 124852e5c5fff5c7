/* tensor_maps.c - the tensor maps of a program's launch: from the IR's
 * description to the simulator's record, and to what the driver is asked. */
#include "gpu/gpu.h"
#include "run/run.h"
#include "sim/tensormap.h"

#include <string.h>

/* The driver has no signed bytes and halves: their bits travel as unsigned
 * (TVM: runtime.cuTensorMapEncodeTiled). */
static const struct {
    tc_dtype type;
    tc_map_type map;
} types[] = {{TC_BOOL, TC_MAP_U8},        {TC_INT8, TC_MAP_U8},
             {TC_UINT8, TC_MAP_U8},       {TC_FLOAT8_E4M3FN, TC_MAP_U8},
             {TC_FLOAT8_E5M2, TC_MAP_U8}, {TC_INT16, TC_MAP_U16},
             {TC_UINT16, TC_MAP_U16},     {TC_INT32, TC_MAP_S32},
             {TC_UINT32, TC_MAP_U32},     {TC_INT64, TC_MAP_S64},
             {TC_UINT64, TC_MAP_U64},     {TC_FLOAT16, TC_MAP_F16},
             {TC_BFLOAT16, TC_MAP_BF16},  {TC_FLOAT32, TC_MAP_F32},
             {TC_FLOAT64, TC_MAP_F64}};

static bool map_type(tc_dtype type, uint32_t *out) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            *out = types[i].map;
            return true;
        }
    }
    return false;
}

/* Numbers that do not fit are too large for any map: the check says so. */
static uint32_t narrow(int64_t v) {
    return v < 0 || v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static tc_sim_tensor_map record(const tc_tensor_map *m, uint32_t type) {
    tc_sim_tensor_map r = {.type = type,
                           .rank = narrow(m->rank),
                           .interleave = narrow(m->interleave),
                           .swizzle = narrow(m->swizzle),
                           .l2_promotion = narrow(m->l2_promotion),
                           .oob_fill = narrow(m->oob_fill)};
    for (int i = 0; i < m->rank && i < TC_TENSOR_DIMS; i++) {
        r.dims[i] = (uint64_t)m->shape[i];
        r.box[i] = narrow(m->box[i]);
        r.element_strides[i] = narrow(m->element_stride[i]);
        if (i > 0) {
            r.strides[i - 1] = (uint64_t)m->stride[i];
        }
    }
    return r;
}

static int buffer_of(const tc_last_run *run, const tc_buffer *b) {
    while (b->base != NULL) {
        b = b->base;
    }
    for (int i = 0; i < run->nbuffers; i++) {
        if (run->buffers[i].buffer == b) {
            return i;
        }
    }
    return -1;
}

static bool add_map(tc_session *s, tc_last_run *run, const tc_tensor_map *m) {
    char why[160] = "its element type has no tensor map";
    uint8_t bytes[TC_TENSOR_MAP_BYTES];
    uint32_t type = 0;
    tc_sim_tensor_map *r = TC_NEW(run->arena, tc_sim_tensor_map);
    int buffer = buffer_of(run, m->buffer);
    bool ok = map_type(m->type, &type) && buffer >= 0;
    if (ok) {
        *r = record(m, type);
        ok = tc_tensor_map_encode(r, bytes, why, sizeof why);
    }
    if (!ok) {
        tc_error(&s->diags, m->var->span,
                 "`why` shows what each copy asked for",
                 "the tensor map '%s' cannot be made: %s", m->var->name, why);
        return false;
    }
    uint32_t at = (run->param_bytes + TC_TENSOR_MAP_ALIGN - 1) /
                  TC_TENSOR_MAP_ALIGN * TC_TENSOR_MAP_ALIGN;
    run->args[run->nargs++] = (tc_run_arg){
        .buffer = buffer, .offset = at, .size = TC_TENSOR_MAP_BYTES, .map = r};
    run->param_bytes = at + TC_TENSOR_MAP_BYTES;
    return true;
}

bool tc_run_add_maps(tc_session *s, tc_last_run *run) {
    const tc_lowered *l = s->program.lowered;
    for (int i = 0; i < l->nmaps; i++) {
        if (!add_map(s, run, l->maps[i])) {
            return false;
        }
    }
    return true;
}

void tc_run_map_bytes(const tc_last_run *run, const tc_run_arg *p,
                      uint8_t *out) {
    char why[160];
    tc_sim_tensor_map m = *p->map;
    m.address = run->buffers[p->buffer].address;
    tc_tensor_map_encode(&m, out, why, sizeof why); /* checked when added */
}

/* The argument that is that buffer's address. */
static int argument_of(const tc_last_run *run, int buffer) {
    for (int i = 0; i < run->nargs; i++) {
        if (run->args[i].buffer == buffer && run->args[i].map == NULL) {
            return i;
        }
    }
    return 0; /* not reached: each buffer is an argument */
}

const tc_gpu_map *tc_run_map_for_gpu(const tc_last_run *run,
                                     const tc_run_arg *p) {
    const tc_sim_tensor_map *m = p->map;
    tc_gpu_map *g = TC_NEW(run->arena, tc_gpu_map);
    *g = (tc_gpu_map){.buffer = argument_of(run, p->buffer),
                      .type = (int)m->type,
                      .rank = (int)m->rank,
                      .interleave = (int)m->interleave,
                      .swizzle = (int)m->swizzle,
                      .l2_promotion = (int)m->l2_promotion,
                      .oob_fill = (int)m->oob_fill};
    memcpy(g->dims, m->dims, sizeof g->dims);
    memcpy(g->strides, m->strides, sizeof g->strides);
    memcpy(g->box, m->box, sizeof g->box);
    memcpy(g->element_strides, m->element_strides, sizeof g->element_strides);
    return g;
}
