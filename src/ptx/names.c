/* names.c - the tables of names: types, opcodes, modifiers, specials. */
#include "base/buf.h"
#include "ptx/internal.h"

#include <string.h>

const uint8_t tc_ptx_type_bytes[TC_PT_COUNT] = {
    [TC_PT_PRED] = 0,   [TC_PT_B8] = 1,     [TC_PT_B16] = 2,
    [TC_PT_B32] = 4,    [TC_PT_B64] = 8,    [TC_PT_B128] = 16,
    [TC_PT_U8] = 1,     [TC_PT_U16] = 2,    [TC_PT_U32] = 4,
    [TC_PT_U64] = 8,    [TC_PT_S8] = 1,     [TC_PT_S16] = 2,
    [TC_PT_S32] = 4,    [TC_PT_S64] = 8,    [TC_PT_F16] = 2,
    [TC_PT_F16X2] = 4,  [TC_PT_BF16] = 2,   [TC_PT_BF16X2] = 4,
    [TC_PT_F32] = 4,    [TC_PT_F64] = 8,    [TC_PT_U16X2] = 4,
    [TC_PT_S16X2] = 4,  [TC_PT_F32X2] = 8,  [TC_PT_TF32] = 4,
    [TC_PT_E4M3X2] = 2, [TC_PT_E5M2X2] = 2, [TC_PT_E2M1X2] = 1,
    [TC_PT_E2M3X2] = 2, [TC_PT_E3M2X2] = 2, [TC_PT_UE8M0X2] = 2,
    [TC_PT_E4M3X4] = 4, [TC_PT_E5M2X4] = 4, [TC_PT_E2M1X4] = 2,
    [TC_PT_E2M3X4] = 4, [TC_PT_E3M2X4] = 4, [TC_PT_U4] = 4,
    [TC_PT_S4] = 4,     [TC_PT_U2] = 4,     [TC_PT_S2] = 4,
    [TC_PT_B1] = 4,     [TC_PT_E4M3] = 1,   [TC_PT_E5M2] = 1};

const char *const tc_ptx_type_names[TC_PT_COUNT] = {[TC_PT_NONE] = "",
                                                    [TC_PT_PRED] = ".pred",
                                                    [TC_PT_B8] = ".b8",
                                                    [TC_PT_B16] = ".b16",
                                                    [TC_PT_B32] = ".b32",
                                                    [TC_PT_B64] = ".b64",
                                                    [TC_PT_B128] = ".b128",
                                                    [TC_PT_U8] = ".u8",
                                                    [TC_PT_U16] = ".u16",
                                                    [TC_PT_U32] = ".u32",
                                                    [TC_PT_U64] = ".u64",
                                                    [TC_PT_S8] = ".s8",
                                                    [TC_PT_S16] = ".s16",
                                                    [TC_PT_S32] = ".s32",
                                                    [TC_PT_S64] = ".s64",
                                                    [TC_PT_F16] = ".f16",
                                                    [TC_PT_F16X2] = ".f16x2",
                                                    [TC_PT_BF16] = ".bf16",
                                                    [TC_PT_BF16X2] = ".bf16x2",
                                                    [TC_PT_F32] = ".f32",
                                                    [TC_PT_F64] = ".f64",
                                                    [TC_PT_U16X2] = ".u16x2",
                                                    [TC_PT_S16X2] = ".s16x2",
                                                    [TC_PT_F32X2] = ".f32x2",
                                                    [TC_PT_TF32] = ".tf32",
                                                    [TC_PT_E4M3X2] = ".e4m3x2",
                                                    [TC_PT_E5M2X2] = ".e5m2x2",
                                                    [TC_PT_E2M1X2] = ".e2m1x2",
                                                    [TC_PT_E2M3X2] = ".e2m3x2",
                                                    [TC_PT_E3M2X2] = ".e3m2x2",
                                                    [TC_PT_UE8M0X2] =
                                                        ".ue8m0x2",
                                                    [TC_PT_E4M3X4] = ".e4m3x4",
                                                    [TC_PT_E5M2X4] = ".e5m2x4",
                                                    [TC_PT_E2M1X4] = ".e2m1x4",
                                                    [TC_PT_E2M3X4] = ".e2m3x4",
                                                    [TC_PT_E3M2X4] = ".e3m2x4",
                                                    [TC_PT_U4] = ".u4",
                                                    [TC_PT_S4] = ".s4",
                                                    [TC_PT_U2] = ".u2",
                                                    [TC_PT_S2] = ".s2",
                                                    [TC_PT_B1] = ".b1",
                                                    [TC_PT_E4M3] = ".e4m3",
                                                    [TC_PT_E5M2] = ".e5m2"};

const tc_ptx_op_info tc_ptx_ops[TC_PTX_OPCODE_COUNT] = {
#define EACH(u)                                                                \
    { TC_PU_##u, TC_PU_##u, TC_PU_##u }
#define TYPED(i, f, d)                                                         \
    { TC_PU_##i, TC_PU_##f, TC_PU_##d }
#define SM(n)                                                                  \
    { n, TC_PTX_FAMILY_NONE }
#define SM_A(n)                                                                \
    { n, TC_PTX_FAMILY_ANY }
#define SM_TMEM(n)                                                             \
    { n, TC_PTX_FAMILY_TMEM }
#define SM_ONLY(n)                                                             \
    { n, TC_PTX_FAMILY_ONLY }
#define TC_PTX_OP(id, name, section, units, class, effect, target, ...)        \
    [TC_PTX_##id] = {name, section, units, TC_PTX_EFFECT_##effect, target},
#include "ptx/ops.def"
};

static bool is_float(uint8_t t) {
    return t == TC_PT_F32 || t == TC_PT_F16 || t == TC_PT_F16X2 ||
           t == TC_PT_BF16 || t == TC_PT_BF16X2;
}

tc_ptx_unit tc_ptx_unit_of(const tc_ptx_op *op) {
    bool f64 = op->type == TC_PT_F64 || op->type2 == TC_PT_F64;
    int column = f64                                         ? TC_PTX_DOUBLES
                 : is_float(op->type) || is_float(op->type2) ? TC_PTX_FLOATS
                                                             : TC_PTX_INTEGERS;
    return (tc_ptx_unit)tc_ptx_ops[op->opcode].unit[column];
}

static const char *const unbuilt[] = {
#define TC_PTX_UNBUILT(name) name,
#include "ptx/unbuilt.def"
};
enum { UNBUILT_COUNT = sizeof unbuilt / sizeof *unbuilt };

/* Other spellings of opcodes in ops.def. */
static const struct {
    const char *name;
    tc_ptx_opcode op;
} aliases[] = {{"ldu", TC_PTX_LD},
               {"bar.cta.sync", TC_PTX_BAR_SYNC},
               {"bar.cta.arrive", TC_PTX_BAR_ARRIVE},
               {"bar.cta.red", TC_PTX_BAR_RED},
               {"barrier.cta.sync", TC_PTX_BARRIER_SYNC},
               {"barrier.cta.arrive", TC_PTX_BARRIER_ARRIVE},
               {"barrier.cta.red", TC_PTX_BARRIER_RED},
               {"membar.proxy", TC_PTX_FENCE_PROXY},
               {"cp.async.wait_all", TC_PTX_CP_ASYNC_WAIT_ALL}};
enum { ALIAS_COUNT = sizeof aliases / sizeof *aliases };

enum {
    TC_MODS_FAMILIES = TC_MODS_ATOM | TC_MODS_MATRIX | TC_MODS_POLICY |
                       TC_MODS_MBAR | TC_MODS_CLUSTER | TC_MODS_BULK |
                       TC_MODS_TENSOR | TC_MODS_ASYNC | TC_MODS_PROXY |
                       TC_MODS_TCGEN,
    TC_MODS_MEM = TC_MODS_LD | TC_MODS_ST | TC_MODS_CP | TC_MODS_CVTA |
                  TC_MODS_FAMILIES | TC_MODS_SPACEP,
    TC_MODS_ENTRY = TC_MODS_LD | TC_MODS_CVTA | TC_MODS_SPACEP,
    TC_MODS_VIDEOS = TC_MODS_VIDEO | TC_MODS_SETV,
    TC_MODS_LDST = TC_MODS_LD | TC_MODS_ST,
    TC_MODS_LDCP = TC_MODS_LD | TC_MODS_CP,
    TC_MODS_TMA = TC_MODS_BULK | TC_MODS_TENSOR | TC_MODS_ASYNC,
    TC_MODS_SCOPED = TC_MODS_LD | TC_MODS_ST | TC_MODS_FENCE | TC_MODS_FAMILIES
};

static const tc_ptx_mod mods[] = {
#define TC_PTX_MOD(name, set, what, value)                                     \
    {name, TC_MODS_##set, TC_MW_##what, value},
#include "ptx/modifiers.def"
};
enum { MOD_COUNT = sizeof mods / sizeof *mods };

const char *const tc_ptx_special_names[TC_SR_COUNT] = {
    [TC_SR_TID_X] = "%tid.x",
    [TC_SR_TID_Y] = "%tid.y",
    [TC_SR_TID_Z] = "%tid.z",
    [TC_SR_NTID_X] = "%ntid.x",
    [TC_SR_NTID_Y] = "%ntid.y",
    [TC_SR_NTID_Z] = "%ntid.z",
    [TC_SR_CTAID_X] = "%ctaid.x",
    [TC_SR_CTAID_Y] = "%ctaid.y",
    [TC_SR_CTAID_Z] = "%ctaid.z",
    [TC_SR_NCTAID_X] = "%nctaid.x",
    [TC_SR_NCTAID_Y] = "%nctaid.y",
    [TC_SR_NCTAID_Z] = "%nctaid.z",
    [TC_SR_LANEID] = "%laneid",
    [TC_SR_WARPID] = "%warpid",
    [TC_SR_NWARPID] = "%nwarpid",
    [TC_SR_SMID] = "%smid",
    [TC_SR_NSMID] = "%nsmid",
    [TC_SR_CLUSTERID_X] = "%clusterid.x",
    [TC_SR_CLUSTERID_Y] = "%clusterid.y",
    [TC_SR_CLUSTERID_Z] = "%clusterid.z",
    [TC_SR_NCLUSTERID_X] = "%nclusterid.x",
    [TC_SR_NCLUSTERID_Y] = "%nclusterid.y",
    [TC_SR_NCLUSTERID_Z] = "%nclusterid.z",
    [TC_SR_CLUSTER_CTAID_X] = "%cluster_ctaid.x",
    [TC_SR_CLUSTER_CTAID_Y] = "%cluster_ctaid.y",
    [TC_SR_CLUSTER_CTAID_Z] = "%cluster_ctaid.z",
    [TC_SR_CLUSTER_NCTAID_X] = "%cluster_nctaid.x",
    [TC_SR_CLUSTER_NCTAID_Y] = "%cluster_nctaid.y",
    [TC_SR_CLUSTER_NCTAID_Z] = "%cluster_nctaid.z",
    [TC_SR_CLUSTER_CTARANK] = "%cluster_ctarank",
    [TC_SR_CLUSTER_NCTARANK] = "%cluster_nctarank",
    [TC_SR_LANEMASK_EQ] = "%lanemask_eq",
    [TC_SR_LANEMASK_LE] = "%lanemask_le",
    [TC_SR_LANEMASK_LT] = "%lanemask_lt",
    [TC_SR_LANEMASK_GE] = "%lanemask_ge",
    [TC_SR_LANEMASK_GT] = "%lanemask_gt",
    [TC_SR_CLOCK] = "%clock",
    [TC_SR_CLOCK64] = "%clock64",
    [TC_SR_GLOBALTIMER] = "%globaltimer",
    [TC_SR_GLOBALTIMER_LO] = "%globaltimer_lo",
    [TC_SR_GLOBALTIMER_HI] = "%globaltimer_hi",
    [TC_SR_GRIDID] = "%gridid",
    [TC_SR_TOTAL_SMEM_SIZE] = "%total_smem_size",
    [TC_SR_DYNAMIC_SMEM_SIZE] = "%dynamic_smem_size",
    [TC_SR_CLOCK_HI] = "%clock_hi",
    [TC_SR_AGGR_SMEM_SIZE] = "%aggr_smem_size",
    [TC_SR_IS_EXPLICIT_CLUSTER] = "%is_explicit_cluster",
    [TC_SR_ENVREG1] = "%envreg1",
    [TC_SR_ENVREG2] = "%envreg2",
    [TC_SR_ZERO] = "%envreg0",
    [TC_SR_ZERO64] = "%pm0_64"};

/* PTX ISA 10: those that read as zero; # is a number below count. */
static const struct {
    const char *before, *after;
    int count;
    tc_ptx_special special;
} zeros[] = {{"%tid.w", "", 0, TC_SR_ZERO},
             {"%ntid.w", "", 0, TC_SR_ZERO},
             {"%ctaid.w", "", 0, TC_SR_ZERO},
             {"%nctaid.w", "", 0, TC_SR_ZERO},
             {"%clusterid.w", "", 0, TC_SR_ZERO},
             {"%nclusterid.w", "", 0, TC_SR_ZERO},
             {"%cluster_ctaid.w", "", 0, TC_SR_ZERO},
             {"%cluster_nctaid.w", "", 0, TC_SR_ZERO},
             {"%reserved_smem_offset_begin", "", 0, TC_SR_ZERO},
             {"%reserved_smem_offset_end", "", 0, TC_SR_ZERO},
             {"%reserved_smem_offset_cap", "", 0, TC_SR_ZERO},
             {"%reserved_smem_offset_", "", 2, TC_SR_ZERO},
             {"%current_graph_exec", "", 0, TC_SR_ZERO64},
             {"%envreg", "", 32, TC_SR_ZERO},
             {"%pm", "", 8, TC_SR_ZERO},
             {"%pm", "_64", 8, TC_SR_ZERO64}};
enum { ZERO_COUNT = sizeof zeros / sizeof *zeros };

/* n is the name, or of a numbered row one of its names. */
static bool is_zero(tc_ptx_name n, int row) {
    size_t before = strlen(zeros[row].before), after = strlen(zeros[row].after);
    if (zeros[row].count == 0) {
        return tc_ptx_name_is(n, zeros[row].before);
    }
    if (n.len <= before + after || n.len > before + after + 2 ||
        memcmp(n.text, zeros[row].before, before) != 0 ||
        memcmp(n.text + n.len - after, zeros[row].after, after) != 0) {
        return false;
    }
    int v = 0;
    size_t digits = n.len - before - after;
    for (size_t i = 0; i < digits; i++) {
        char c = n.text[before + i];
        if (c < '0' || c > '9' || (i == 0 && c == '0' && digits > 1)) {
            return false;
        }
        v = v * 10 + (c - '0');
    }
    return v < zeros[row].count;
}

bool tc_ptx_type_by_name(tc_ptx_name n, tc_ptx_type *out) {
    for (int t = 1; t < TC_PT_COUNT; t++) {
        if (tc_ptx_name_is(n, tc_ptx_type_names[t])) {
            *out = (tc_ptx_type)t;
            return true;
        }
    }
    return false;
}

bool tc_ptx_special_by_name(tc_ptx_name n, tc_ptx_special *out) {
    for (int i = 0; i < TC_SR_COUNT; i++) {
        if (tc_ptx_name_is(n, tc_ptx_special_names[i])) {
            *out = (tc_ptx_special)i;
            return true;
        }
    }
    for (int i = 0; i < ZERO_COUNT; i++) {
        if (is_zero(n, i)) {
            *out = zeros[i].special;
            return true;
        }
    }
    return false;
}

bool tc_ptx_special_is_64(tc_ptx_special s) {
    return s == TC_SR_CLOCK64 || s == TC_SR_GLOBALTIMER || s == TC_SR_GRIDID ||
           s == TC_SR_ZERO64;
}

uint64_t tc_ptx_modifier_set(tc_ptx_opcode op) {
    static const uint64_t sets[] = {
#define TC_PTX_OP(id, name, section, units, class, effect, target, modifiers,  \
                  rule)                                                        \
    [TC_PTX_##id] = TC_MODS_##modifiers,
#include "ptx/ops.def"
    };
    return sets[op];
}

static bool belongs(const tc_ptx_mod *m, uint64_t set) {
    return m->set == TC_MODS_ANY || (m->set & set) != 0;
}

const tc_ptx_mod *tc_ptx_mod_by_name(tc_ptx_name n, tc_ptx_opcode op) {
    uint64_t set = tc_ptx_modifier_set(op);
    for (int i = 0; i < MOD_COUNT; i++) {
        if (belongs(&mods[i], set) && tc_ptx_name_is(n, mods[i].name)) {
            return &mods[i];
        }
    }
    return NULL;
}

const char *tc_ptx_nearest_mod(tc_arena *a, tc_ptx_name n, tc_ptx_opcode op) {
    const char *names[MOD_COUNT + TC_PT_COUNT];
    int count = 0;
    for (int i = 0; i < MOD_COUNT; i++) {
        if (belongs(&mods[i], tc_ptx_modifier_set(op)) &&
            mods[i].what != TC_MW_NOT_BUILT) {
            names[count++] = mods[i].name;
        }
    }
    for (int t = 1; t < TC_PT_COUNT; t++) {
        names[count++] = tc_ptx_type_names[t];
    }
    return tc_diag_nearest(tc_strndup(a, n.text, n.len), names, count);
}

const char *tc_ptx_flag_name(uint32_t flag) {
    for (int i = 0; i < MOD_COUNT; i++) {
        if (mods[i].what == TC_MW_FLAG && mods[i].value == flag) {
            return mods[i].name;
        }
    }
    return "";
}

/* "a, b or c" */
static const char *join(tc_arena *a, const char *const *parts, int n) {
    tc_buf b = TC_BUF_INIT;
    for (int i = 0; i < n; i++) {
        const char *before = i == 0 ? "" : i == n - 1 ? " or " : ", ";
        tc_buf_printf(&b, "%s%s", before, parts[i]);
    }
    return tc_buf_finish(&b, a);
}

const char *tc_ptx_more_name(tc_ptx_opcode op, uint32_t more) {
    uint64_t set = tc_ptx_modifier_set(op);
    for (int i = 0; i < MOD_COUNT; i++) {
        if (belongs(&mods[i], set) && mods[i].what == TC_MW_MORE &&
            (mods[i].value & more) != 0) {
            return mods[i].name;
        }
    }
    return "";
}

const char *tc_ptx_flag_list(tc_arena *a, uint32_t mask) {
    const char *parts[32];
    int n = 0;
    for (unsigned i = 0; i < 32; i++) {
        if ((mask >> i & 1u) != 0) {
            parts[n++] = tc_ptx_flag_name(1u << i);
        }
    }
    return join(a, parts, n);
}

const char *tc_ptx_type_list(tc_arena *a, uint64_t set) {
    const char *parts[TC_PT_COUNT];
    int n = 0;
    for (unsigned t = 1; t < TC_PT_COUNT; t++) {
        if ((set >> t & 1u) != 0) {
            parts[n++] = tc_ptx_type_names[t];
        }
    }
    return join(a, parts, n);
}

/* Length of name if it is a prefix of n in whole words, else 0. */
static uint32_t prefix(tc_ptx_name n, const char *name) {
    size_t len = strlen(name);
    bool is = len <= n.len && memcmp(n.text, name, len) == 0 &&
              (len == n.len || n.text[len] == '.');
    return is ? (uint32_t)len : 0;
}

bool tc_ptx_opcode_by_name(tc_ptx_name n, tc_ptx_opcode *op, bool *built,
                           uint32_t *len) {
    uint32_t best = 0, l;
    for (int i = 0; i < TC_PTX_OPCODE_COUNT; i++) {
        if ((l = prefix(n, tc_ptx_ops[i].name)) > best) {
            best = l;
            *op = (tc_ptx_opcode)i;
            *built = true;
        }
    }
    for (int i = 0; i < ALIAS_COUNT; i++) {
        if ((l = prefix(n, aliases[i].name)) > best) {
            best = l;
            *op = aliases[i].op;
            *built = true;
        }
    }
    for (int i = 0; i < UNBUILT_COUNT; i++) {
        if ((l = prefix(n, unbuilt[i])) > best) {
            best = l;
            *built = false;
        }
    }
    *len = best;
    return best > 0;
}

const char *tc_ptx_nearest_opcode(tc_arena *a, tc_ptx_name n) {
    const char *names[TC_PTX_OPCODE_COUNT + UNBUILT_COUNT];
    int count = 0;
    for (int i = 0; i < TC_PTX_OPCODE_COUNT; i++) {
        names[count++] = tc_ptx_ops[i].name;
    }
    for (int i = 0; i < UNBUILT_COUNT; i++) {
        names[count++] = unbuilt[i];
    }
    return tc_diag_nearest(tc_strndup(a, n.text, n.len), names, count);
}
