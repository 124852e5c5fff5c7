/* text.c - instructions, operands and registers as PTX text. */
#include "emit/ptx/ptx.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_TEXT = 32 << 20 };

static const char *const class_prefix[TC_RC_COUNT] = {
    [TC_RC_PRED] = "%p", [TC_RC_B16] = "%rs", [TC_RC_B32] = "%r",
    [TC_RC_B64] = "%rd", [TC_RC_F32] = "%f",  [TC_RC_F64] = "%fd"};

void tc_pe_loc(tc_pe e) {
    if (e->unplaced && e->out == &e->body) {
        tc_buf_printf(e->out, "\t.loc \t1 %d %d\n", tc_span_line(e->span),
                      tc_span_col(e->span));
        e->unplaced = false;
    }
}

void tc_pe_ins(tc_pe e, const char *fmt, ...) {
    va_list ap;
    if (e->out->len > MAX_TEXT) {
        tc_pe_fail(e, e->span, "unroll less",
                   "the PTX text of this program grows over %d MiB",
                   MAX_TEXT >> 20);
        return;
    }
    tc_pe_loc(e);
    va_start(ap, fmt);
    tc_buf_putc(e->out, '\t');
    tc_buf_vprintf(e->out, fmt, ap);
    tc_buf_puts(e->out, ";\n");
    va_end(ap);
}

void tc_pe_label(tc_pe e, int label) {
    tc_buf_printf(e->out, "$L_%d:\n", label);
}

void tc_pe_fail(tc_pe e, tc_span span, const char *hint, const char *fmt, ...) {
    va_list ap;
    if (!e->failed) {
        va_start(ap, fmt);
        const char *text = tc_vformat(e->arena, fmt, ap);
        va_end(ap);
        tc_error(e->diags, span.source != NULL ? span : e->span, hint, "%s",
                 text);
    }
    e->failed = true;
}

void tc_pe_needs(tc_pe e, int version, int sm) {
    e->version = version > e->version ? version : e->version;
    e->sm = sm > e->sm ? sm : e->sm;
}

tc_reg_class tc_pe_class(tc_dtype t) {
    switch (tc_dtypes[t].cls) {
    case TC_CLASS_BOOL:
        return TC_RC_PRED;
    case TC_CLASS_HANDLE:
        return TC_RC_B64;
    case TC_CLASS_FLOAT:
        return t == TC_FLOAT16   ? TC_RC_B16
               : t == TC_FLOAT32 ? TC_RC_F32
                                 : TC_RC_F64;
    case TC_CLASS_BFLOAT:
    case TC_CLASS_FLOAT8:
        return TC_RC_B16;
    default:
        return tc_dtypes[t].bits == 64 ? TC_RC_B64 : TC_RC_B32;
    }
}

tc_val tc_pe_reg(tc_pe e, tc_dtype t, tc_reg_class rc) {
    return (tc_val){
        .kind = TC_VAL_REG, .type = t, .rc = rc, .reg = ++e->nreg[rc]};
}

tc_val tc_pe_temp(tc_pe e, tc_dtype t) {
    return tc_pe_reg(e, t, tc_pe_class(t));
}

tc_val tc_pe_int(tc_dtype t, int64_t value) {
    return (tc_val){.kind = TC_VAL_INT, .type = t, .i = value};
}

/* A float constant of type t: 0f3F800000 (PTX ISA, 4.5.2). */
static const char *float_text(tc_pe e, tc_val v) {
    uint64_t bits;
    tc_round_to(v.type, v.f, &bits);
    if (v.type == TC_FLOAT64) {
        return tc_format(e->arena, "0d%016" PRIX64, bits);
    }
    if (v.type == TC_FLOAT32) {
        return tc_format(e->arena, "0f%08" PRIX64, bits);
    }
    return tc_format(e->arena, "0x%04" PRIX64, bits);
}

const char *tc_pe_text(tc_pe e, tc_val v) {
    switch (v.kind) {
    case TC_VAL_REG:
        return tc_format(e->arena, "%s%d", class_prefix[v.rc], v.reg);
    case TC_VAL_INT:
        if (v.type == TC_UINT64) {
            return tc_format(e->arena, "%" PRIu64, (uint64_t)v.i);
        }
        return tc_format(e->arena, "%" PRId64, v.i);
    case TC_VAL_FLOAT:
        return float_text(e, v);
    case TC_VAL_SYMBOL:
        return v.symbol;
    case TC_VAL_NONE:
        break;
    }
    return "0";
}

const char *tc_pe_num(tc_dtype t) {
    bool wide = tc_dtypes[t].bits == 64;
    if (t == TC_FLOAT32 || t == TC_FLOAT64) {
        return wide ? "f64" : "f32";
    }
    if (tc_type_is_signed(t)) {
        return wide ? "s64" : "s32";
    }
    return wide ? "u64" : "u32";
}

const char *tc_pe_bits(tc_dtype t) {
    return tc_dtypes[t].bits == 64 ? "b64" : "b32";
}

const char *tc_pe_mem(tc_dtype t) {
    return tc_dtypes[t].ptx;
}
