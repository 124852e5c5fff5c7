/* texture.c - what textures and surfaces ask beyond their forms (PTX ISA
 * 9.7.10, 9.7.11): a geometry, as many coordinates as it has, one mode. Objects
 * are named by a register (the unified mode); .texref and its like are not
 * built. */
#include "ptx/internal.h"

static bool fail(tc_ptx_parser *p, const tc_ptx_op *op, tc_span span,
                 const char *what) {
    return tc_ptx_fail(p, span, NULL, "'%s' %s", tc_ptx_ops[op->opcode].name,
                       what);
}

/* How many coordinates a geometry has, without the layer: 3 are written as 4, and
 * others may be, the rest not being read (PTX ISA 9.7.10.3, and ptxas). */
static int dimensions(uint8_t geometry) {
    static const uint8_t n[TC_TEX_GEOMETRIES] = {
        [TC_TEX_1D] = 1,   [TC_TEX_2D] = 2,  [TC_TEX_3D] = 3,
        [TC_TEX_A1D] = 1,  [TC_TEX_A2D] = 2, [TC_TEX_CUBE] = 3,
        [TC_TEX_ACUBE] = 3};
    return n[geometry];
}

static bool has_layer(uint8_t geometry) {
    return geometry == TC_TEX_A1D || geometry == TC_TEX_A2D ||
           geometry == TC_TEX_ACUBE;
}

static bool check_coordinates(tc_ptx_parser *p, const tc_ptx_op *op,
                              const tc_ptx_operand *v, tc_span span) {
    int n = dimensions(op->sub2) + has_layer(op->sub2);
    if (op->sub2 == TC_TEX_NONE) {
        return fail(p, op, span,
                    "wants a geometry: .1d, .2d, .3d, .a1d, .a2d and so on");
    }
    return (v->nvec >= n && v->nvec <= 4 && v->nvec != 3) ||
           tc_ptx_fail(p, span, NULL,
                       "'%s' of this geometry has %d coordinates, not %d",
                       tc_ptx_ops[op->opcode].name, n == 3 ? 4 : n, v->nvec);
}

static bool check_gradients(tc_ptx_parser *p, const tc_ptx_op *op,
                            tc_span span) {
    int n = dimensions(op->sub2);
    for (int i = 5; i < 7; i++) {
        if (op->a[i].kind == TC_PO_VECTOR && op->a[i].nvec != n &&
            !(n == 3 && op->a[i].nvec == 4)) {
            return fail(p, op, span, "has a gradient for each coordinate");
        }
    }
    return true;
}

bool tc_ptx_rule_texture(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const uint32_t modes = TC_PX_TEX_BASE | TC_PX_TEX_LEVEL | TC_PX_TEX_GRAD;
    uint32_t given = op->more & modes;
    bool gather = op->opcode == TC_PTX_TLD4;
    if (op->more & ~modes || (gather && given)) {
        return fail(p, op, span, "has no such modifier");
    }
    bool component = op->sub >= TC_TLD4_R && op->sub <= TC_TLD4_A;
    if (op->nvec != 4 || (gather ? !component : op->sub != 0)) {
        return fail(p, op, span,
                    gather ? "wants .r, .g, .b or .a, and .v4"
                           : "wants .v4 and no component");
    }
    if ((given & (given - 1)) != 0) {
        return fail(p, op, span, "has one of .base, .level and .grad");
    }
    if (gather && op->sub2 != TC_TEX_2D && op->sub2 != TC_TEX_NONE) {
        return tc_ptx_unbuilt(p, span, "tld4",
                              "'tld4' of geometries but .2d is not built yet");
    }
    if (op->type2 == TC_PT_S32 &&
        (op->sub2 == TC_TEX_CUBE || op->sub2 == TC_TEX_ACUBE)) {
        return fail(p, op, span, "of a cube has .f32 coordinates");
    }
    return check_coordinates(p, op, &op->a[3], span) &&
           check_gradients(p, op, span);
}

bool tc_ptx_rule_surface(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    const uint32_t modes = TC_PX_SURF_TRAP | TC_PX_SURF_CLAMP | TC_PX_SURF_ZERO;
    uint32_t given = op->more & modes;
    bool load = op->opcode == TC_PTX_SULD_B;
    bool red = op->opcode == TC_PTX_SURED_B;
    if (given == 0 || (given & (given - 1)) != 0 || op->more != given) {
        return fail(p, op, span, "wants one of .trap, .clamp and .zero");
    }
    if (red ? op->sub == 0 || op->sub > TC_ATOM_MAX : op->sub != 0) {
        return fail(p, op, span,
                    red ? "wants .add, .min, .max, .and or .or"
                        : "has no such modifier");
    }
    if (red && (op->sub == TC_ATOM_AND || op->sub == TC_ATOM_OR) !=
                   (op->type == TC_PT_B32)) {
        return fail(p, op, span, "wants .b32 for .and and .or, and them alone");
    }
    if (op->sub == TC_ATOM_ADD && op->type == TC_PT_S64) {
        return fail(p, op, span, "has .add of .u64, not of .s64");
    }
    if (op->sub2 == TC_TEX_CUBE || op->sub2 == TC_TEX_ACUBE) {
        return fail(p, op, span, "takes a cube as .a2d, a layer for each face");
    }
    return check_coordinates(p, op, &op->a[load ? 2 : 1], span);
}

bool tc_ptx_rule_txq(tc_ptx_parser *p, tc_ptx_op *op, tc_span span) {
    if (op->more != 0 || op->sub2 != TC_TEX_NONE) {
        return tc_ptx_unbuilt(p, span, tc_ptx_ops[op->opcode].name,
                              "'%s' of a level is not built yet",
                              tc_ptx_ops[op->opcode].name);
    }
    bool ok = op->sub >= TC_TXQ_WIDTH &&
              (op->opcode == TC_PTX_TXQ || op->sub < TC_TXQ_NORMALIZED);
    return ok || fail(p, op, span, "wants what is asked: .width, .height, ...");
}
