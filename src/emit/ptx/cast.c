/* cast.c - conversions between types (PTX ISA 9.7.9.21, cvt). */
#include "emit/ptx/ptx.h"

#include <math.h>
#include <string.h>

/* --- constants -------------------------------------------------------------*/

/* x to the nearest value with `digits` binary digits (ties to even), with no
 * exponent under `least`. */
static double round_digits(double x, int digits, int least) {
    int exp;
    if (x == 0 || !isfinite(x)) {
        return x;
    }
    frexp(x, &exp);
    int unit = (exp > least ? exp : least) - digits;
    return ldexp(nearbyint(ldexp(x, -unit)), unit);
}

/* Sign, exponent and fraction of a value that the format holds exactly. */
static uint64_t encode(double x, int exp_bits, int fraction_bits) {
    int exp, bias = (1 << (exp_bits - 1)) - 1;
    uint64_t sign = signbit(x) ? UINT64_C(1) << (exp_bits + fraction_bits) : 0;
    uint64_t top = (UINT64_C(1) << exp_bits) - 1;
    if (isnan(x)) {
        return (top << fraction_bits) | (UINT64_C(1) << (fraction_bits - 1));
    }
    double m = frexp(fabs(x), &exp);
    if (isinf(x) || (x != 0 && exp - 1 > bias)) {
        return sign | (top << fraction_bits);
    }
    if (x == 0 || exp - 1 < 1 - bias) { /* subnormal */
        return sign | (uint64_t)ldexp(fabs(x), fraction_bits + bias - 1);
    }
    uint64_t fraction = (uint64_t)ldexp(m * 2 - 1, fraction_bits);
    return sign | ((uint64_t)(exp - 1 + bias) << fraction_bits) | fraction;
}

double tc_round_to(tc_dtype t, double x, uint64_t *bits) {
    float f;
    switch (t) {
    case TC_FLOAT16:
        x = round_digits(x, 11, -13);
        *bits = encode(x, 5, 10);
        return x;
    case TC_BFLOAT16:
        x = round_digits(x, 8, -125);
        *bits = encode(x, 8, 7);
        return x;
    case TC_FLOAT32:
        x = round_digits(x, 24, -125);
        *bits = encode(x, 8, 23);
        f = x > 3.5e38 ? INFINITY : x < -3.5e38 ? -INFINITY : (float)x;
        return f;
    default:
        memcpy(bits, &x, sizeof *bits);
        return x;
    }
}

/* --- narrow integers -------------------------------------------------------*/

tc_val tc_pe_wrap(tc_pe e, tc_val v) {
    int bits = tc_dtypes[v.type].bits;
    if (!tc_type_is_int(v.type) || bits >= 32) {
        return v;
    }
    if (v.kind == TC_VAL_INT) {
        uint64_t low = (uint64_t)v.i & ((UINT64_C(1) << bits) - 1);
        bool negative = tc_type_is_signed(v.type) && (low >> (bits - 1)) != 0;
        v.i = (int64_t)low - (negative ? INT64_C(1) << bits : 0);
        return v;
    }
    tc_val r = tc_pe_temp(e, v.type);
    if (tc_type_is_signed(v.type)) {
        tc_pe_ins(e, "cvt.s32.s%d \t%s, %s", bits, tc_pe_text(e, r),
                  tc_pe_text(e, v));
    } else {
        tc_pe_ins(e, "and.b32 \t%s, %s, %d", tc_pe_text(e, r), tc_pe_text(e, v),
                  bits == 8 ? 255 : 65535);
    }
    return r;
}

/* --- half precision --------------------------------------------------------*/

static tc_val one(tc_pe e, const char *op, tc_dtype t, tc_val a) {
    tc_val r = tc_pe_temp(e, t);
    tc_pe_ins(e, "%s \t%s, %s", op, tc_pe_text(e, r), tc_pe_text(e, a));
    return r;
}

tc_val tc_pe_as_f32(tc_pe e, tc_val v) {
    if (v.kind == TC_VAL_FLOAT) {
        uint64_t bits;
        v.f = tc_round_to(v.type, v.f, &bits);
        v.type = TC_FLOAT32;
        return v;
    }
    if (v.type == TC_FLOAT16) {
        return one(e, "cvt.f32.f16", TC_FLOAT32, v);
    }
    /* bfloat16 is the upper half of a float32. (cvt.f32.bf16 is sm_90.) */
    tc_val w = one(e, "cvt.u32.u16", TC_UINT32, v), s;
    s = tc_pe_temp(e, TC_UINT32);
    tc_pe_ins(e, "shl.b32 \t%s, %s, 16", tc_pe_text(e, s), tc_pe_text(e, w));
    return one(e, "mov.b32", TC_FLOAT32, s);
}

tc_val tc_pe_from_f32(tc_pe e, tc_dtype to, tc_val v) {
    if (v.kind == TC_VAL_FLOAT) {
        v.type = to;
        return v;
    }
    if (to == TC_FLOAT16) {
        return one(e, "cvt.rn.f16.f32", to, v);
    }
    tc_pe_needs(e, 70, 80);
    return one(e, "cvt.rn.bf16.f32", to, v);
}

/* A float32 that rounds to bfloat16 as the float64 v would: rounded to odd,
 * that is, towards zero with the last bit set when anything was lost. */
static tc_val odd_f32(tc_pe e, tc_val v) {
    tc_val f = one(e, "cvt.rz.f32.f64", TC_FLOAT32, v);
    tc_val back = one(e, "cvt.f64.f32", TC_FLOAT64, f);
    tc_val p = tc_pe_temp(e, TC_BOOL);
    tc_pe_ins(e, "setp.ne.f64 \t%s, %s, %s", tc_pe_text(e, p),
              tc_pe_text(e, back), tc_pe_text(e, v));
    tc_val w = one(e, "mov.b32", TC_UINT32, f), odd = tc_pe_temp(e, TC_UINT32),
           r = tc_pe_temp(e, TC_UINT32);
    tc_pe_ins(e, "or.b32 \t%s, %s, 1", tc_pe_text(e, odd), tc_pe_text(e, w));
    tc_pe_ins(e, "selp.b32 \t%s, %s, %s, %s", tc_pe_text(e, r),
              tc_pe_text(e, odd), tc_pe_text(e, w), tc_pe_text(e, p));
    return one(e, "mov.b32", TC_FLOAT32, r);
}

/* --- the matrix ------------------------------------------------------------*/

static tc_val to_bool(tc_pe e, tc_val v) {
    if (v.kind == TC_VAL_INT) {
        return tc_pe_int(TC_BOOL, v.i != 0);
    }
    if (v.type == TC_FLOAT16 || v.type == TC_BFLOAT16) {
        v = tc_pe_as_f32(e, v);
    }
    tc_val r = tc_pe_temp(e, TC_BOOL);
    bool is_float = tc_type_is_float(v.type);
    const char *num =
        v.type == TC_HANDLE && v.rc == TC_RC_B32 ? "u32" : tc_pe_num(v.type);
    tc_pe_ins(e, "setp.%s.%s \t%s, %s, %s", is_float ? "neu" : "ne", num,
              tc_pe_text(e, r), tc_pe_text(e, tc_pe_in_reg(e, v)),
              !is_float              ? "0"
              : v.type == TC_FLOAT64 ? "0d0000000000000000"
                                     : "0f00000000");
    return r;
}

static tc_val bool_to_int(tc_pe e, tc_dtype to, tc_val v) {
    tc_val r = tc_pe_temp(e, to);
    tc_pe_ins(e, "selp.%s \t%s, 1, 0, %s", tc_pe_bits(to), tc_pe_text(e, r),
              tc_pe_text(e, tc_pe_in_reg(e, v)));
    return r;
}

static tc_val int_to_int(tc_pe e, tc_dtype to, tc_val v) {
    int from_bits = tc_dtypes[v.type].bits, to_bits = tc_dtypes[to].bits;
    bool sign = tc_type_is_signed(v.type);
    if (v.kind == TC_VAL_INT) {
        bool cut = to == TC_UINT32 || to == TC_INT32;
        v.i = cut ? (to == TC_INT32 ? (int64_t)(int32_t)(uint32_t)v.i
                                    : (int64_t)(uint32_t)v.i)
                  : v.i;
        v.type = to;
        return tc_pe_wrap(e, v);
    }
    if (to_bits == 64) {
        if (from_bits < 64) {
            return one(e, sign ? "cvt.s64.s32" : "cvt.u64.u32", to, v);
        }
        v.type = to;
        return v;
    }
    if (from_bits == 64) {
        v = one(e, "cvt.u32.u64", to, v);
    }
    /* A wider register holds a narrower value as it should be already. */
    bool kept = from_bits < to_bits && (!sign || to_bits == 32);
    v.type = to;
    return kept || to_bits == 32 ? v : tc_pe_wrap(e, v);
}

static tc_val int_to_float(tc_pe e, tc_dtype to, tc_val v) {
    tc_dtype via =
        to == TC_FLOAT64 || to == TC_BFLOAT16 ? TC_FLOAT64 : TC_FLOAT32;
    const char *op =
        tc_format(e->arena, "cvt.rn.%s.%s", tc_pe_num(via), tc_pe_num(v.type));
    v = one(e, op, via, v);
    return tc_pe_cast(e, to, v);
}

static tc_val float_to_int(tc_pe e, tc_dtype to, tc_val v) {
    if (v.type == TC_FLOAT16 || v.type == TC_BFLOAT16) {
        v = tc_pe_as_f32(e, v);
    }
    const char *op =
        tc_format(e->arena, "cvt.rzi.%s.%s", tc_pe_num(to), tc_pe_num(v.type));
    return tc_pe_wrap(e, one(e, op, to, v));
}

static tc_val float_to_float(tc_pe e, tc_dtype to, tc_val v) {
    if (v.kind == TC_VAL_FLOAT) {
        uint64_t bits;
        v.f = tc_round_to(v.type, v.f, &bits);
        v.type = to;
        return v;
    }
    if (v.type == TC_FLOAT16 || v.type == TC_BFLOAT16) {
        return tc_pe_cast(e, to, tc_pe_as_f32(e, v));
    }
    if (v.type == TC_FLOAT32) {
        return to == TC_FLOAT64 ? one(e, "cvt.f64.f32", to, v)
                                : tc_pe_from_f32(e, to, v);
    }
    if (to == TC_FLOAT32) {
        return one(e, "cvt.rn.f32.f64", to, v);
    }
    return to == TC_FLOAT16 ? one(e, "cvt.rn.f16.f64", to, v)
                            : tc_pe_from_f32(e, to, odd_f32(e, v));
}

static tc_val constant_to_float(tc_dtype to, tc_val v) {
    double f = v.type == TC_UINT64 ? (double)(uint64_t)v.i : (double)v.i;
    return (tc_val){.kind = TC_VAL_FLOAT, .type = to, .f = f};
}

tc_val tc_pe_cast(tc_pe e, tc_dtype to, tc_val v) {
    bool from_int = tc_type_is_int(v.type),
         from_float = tc_type_is_float(v.type);
    bool to_int = tc_type_is_int(to), to_float = tc_type_is_float(to);
    if (v.type == to || e->failed) {
        return v;
    }
    if (v.type == TC_HANDLE && (to == TC_UINT64 || to == TC_INT64)) {
        v = tc_pe_in_reg(e, tc_pe_to_window(e, v, TC_WIN_GENERIC));
        return (tc_val){
            .kind = TC_VAL_REG, .type = to, .rc = v.rc, .reg = v.reg};
    }
    if (from_float && v.kind == TC_VAL_FLOAT && !to_float) {
        v = tc_pe_in_reg(e, v);
    }
    if (to == TC_BOOL && (from_int || from_float || v.type == TC_HANDLE)) {
        return to_bool(e, v);
    }
    if (v.kind == TC_VAL_INT && to_float) {
        return constant_to_float(to, v);
    }
    if (v.type == TC_BOOL && v.kind != TC_VAL_INT && (to_int || to_float)) {
        return tc_pe_cast(e, to, bool_to_int(e, to_int ? to : TC_INT32, v));
    }
    if ((from_int || v.type == TC_BOOL) && to_int) {
        return int_to_int(e, to, v);
    }
    if (from_int && to_float) {
        return int_to_float(e, to, v);
    }
    if (from_float && (to_int || to_float)) {
        return to_int ? float_to_int(e, to, v) : float_to_float(e, to, v);
    }
    tc_pe_fail(e, TC_NOWHERE, NULL,
               "PTX text for a conversion from %s to %s is not built yet",
               tc_dtypes[v.type].name, tc_dtypes[to].name);
    return tc_pe_int(to, 0);
}
