/* texture.h - what texture.c and surface.c share. */
#ifndef TC_SIM_ISA_TEXTURE_H
#define TC_SIM_ISA_TEXTURE_H

#include "sim/core/run.h"
#include "sim/texture.h"

/* The object that a lane's handle names, of the geometry that the op reads; NULL
 * after a fault. */
const tc_sim_texture *tc_texture_object(tc_warp *w, const tc_ptx_op *op,
                                        int lane, uint64_t handle,
                                        bool surface);

#endif
