/* texture.h - fields of tc_ptx_op as tex, tld4, txq, suld, sust, sured and suq
 * have them: part of ptx.h. */
#ifndef TC_PTX_TEXTURE_H
#define TC_PTX_TEXTURE_H

enum { /* sub2 of textures and surfaces: their geometry */
       TC_TEX_NONE,
       TC_TEX_1D,
       TC_TEX_2D,
       TC_TEX_3D,
       TC_TEX_A1D, /* layers of these */
       TC_TEX_A2D,
       TC_TEX_CUBE,
       TC_TEX_ACUBE,
       TC_TEX_GEOMETRIES
};
enum { /* their more; of a surface, what becomes of accesses beyond it */
       TC_PX_TEX_BASE = 1 << 0,
       TC_PX_TEX_LEVEL = 1 << 1,
       TC_PX_TEX_GRAD = 1 << 2,
       TC_PX_SURF_TRAP = 1 << 3,
       TC_PX_SURF_CLAMP = 1 << 4,
       TC_PX_SURF_ZERO = 1 << 5
};
enum { /* sub of tld4, of txq and suq; that of sured is TC_ATOM_* */
       TC_TLD4_R = 32,
       TC_TLD4_G,
       TC_TLD4_B,
       TC_TLD4_A,
       TC_TXQ_WIDTH,
       TC_TXQ_HEIGHT,
       TC_TXQ_DEPTH,
       TC_TXQ_ARRAY_SIZE,
       TC_TXQ_DATA_TYPE,
       TC_TXQ_ORDER,
       TC_TXQ_NORMALIZED, /* from here on of textures alone */
       TC_TXQ_LEVELS
};

#endif
