/* syscall.c - the functions of the system that a kernel calls: vprintf, malloc,
 * free and __assertfail (CUDA C++ Programming Guide, "Formatted Output",
 * "Dynamic Global Memory Allocation", "Assertion"). */
#include "base/buf.h"
#include "sim/core/address.h"
#include "sim/core/finding.h"
#include "sim/isa/call.h"
#include "sim/race/race.h"
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 4096, MOST_FIELD = 512 };

/* The text at a generic address, cut at MOST_TEXT; NULL after a fault. */
static char *text_at(tc_warp *w, const tc_ptx_op *op, int lane,
                     uint64_t address) {
    tc_buf b = TC_BUF_INIT;
    for (uint32_t i = 0; i < MOST_TEXT; i++) {
        const uint8_t *p =
            tc_resolve_bytes(w, op, TC_PS_GENERIC, lane, address + i, 1);
        if (!p) {
            tc_buf_free(&b);
            return NULL;
        }
        if (*p == 0) {
            break;
        }
        tc_buf_write(&b, (const char *)p, 1);
    }
    return tc_buf_finish(&b, w->cta->run->sim->arena);
}

/* ---- vprintf: arguments lie in a buffer, each aligned to its size ---- */

typedef struct args {
    tc_warp *w;
    const tc_ptx_op *op;
    int lane;
    uint64_t at; /* generic address of the next one */
    uint32_t n;
    bool bad; /* a fault */
} args;

static uint64_t next_argument(args *a, uint32_t bytes) {
    uint64_t v = 0;
    a->at = (a->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const uint8_t *p = a->bad ? NULL
                              : tc_resolve_bytes(a->w, a->op, TC_PS_GENERIC,
                                                 a->lane, a->at, bytes);
    a->bad = p == NULL;
    if (p) {
        memcpy(&v, p, bytes);
    }
    a->at += bytes;
    a->n++;
    return v;
}

typedef struct spec { /* %-08.3lld */
    char flags[8];
    int width, precision; /* -1: not given */
    int longs, shorts;
    char type;
} spec;

static const char *read_number(const char *f, args *a, int *out) {
    if (*f == '*') {
        *out = (int)(int32_t)(uint32_t)next_argument(a, 4);
        f++;
    } else {
        for (*out = 0; *f >= '0' && *f <= '9'; f++) {
            *out = *out < MOST_FIELD ? *out * 10 + (*f - '0') : *out;
        }
    }
    *out = *out > MOST_FIELD ? MOST_FIELD : *out;
    return f;
}

/* After the %. Returns what follows the conversion. */
static const char *read_spec(const char *f, args *a, spec *s) {
    *s = (spec){.width = -1, .precision = -1};
    size_t n = 0;
    for (; *f && strchr("-+ #0", *f); f++) {
        if (!strchr(s->flags, *f) && n + 1 < sizeof s->flags) {
            s->flags[n++] = *f;
        }
    }
    if (*f == '*' || (*f >= '1' && *f <= '9')) {
        f = read_number(f, a, &s->width);
        if (s->width < 0) { /* as in C: left */
            s->width = s->width < -MOST_FIELD ? MOST_FIELD : -s->width;
            s->flags[n++ < 6 ? n - 1 : 6] = '-';
        }
    }
    if (*f == '.') {
        f = read_number(f + 1, a, &s->precision);
        s->precision = s->precision < 0 ? -1 : s->precision;
    }
    for (; *f && strchr("hljzt", *f); f++) {
        s->longs += *f != 'h';
        s->shorts += *f == 'h';
    }
    s->type = *f;
    return *f ? f + 1 : f;
}

/* "%" flags width precision, then tail. */
static void form(const spec *s, const char *tail, char out[64]) {
    char width[16] = "", precision[16] = "";
    if (s->width >= 0) {
        snprintf(width, sizeof width, "%d", s->width);
    }
    if (s->precision >= 0) {
        snprintf(precision, sizeof precision, ".%d", s->precision);
    }
    snprintf(out, 64, "%%%s%s%s%s", s->flags, width, precision, tail);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void put_integer(tc_buf *b, args *a, const spec *s) {
    char f[64], tail[] = {'l', 'l', s->type, 0};
    uint64_t v = next_argument(a, s->longs ? 8 : 4);
    bool is_signed = s->type == 'd' || s->type == 'i';
    if (!s->longs && s->shorts) {
        v = s->shorts > 1
                ? (is_signed ? (uint64_t)(int64_t)(int8_t)v : v & 0xff)
                : (is_signed ? (uint64_t)(int64_t)(int16_t)v : v & 0xffff);
    } else if (!s->longs && is_signed) {
        v = (uint64_t)(int64_t)(int32_t)(uint32_t)v;
    }
    form(s, tail, f);
    if (is_signed) {
        tc_buf_printf(b, f, (long long)v);
    } else {
        tc_buf_printf(b, f, (unsigned long long)v);
    }
}

static void put_float(tc_buf *b, args *a, const spec *s) {
    char f[64], tail[] = {s->type, 0};
    uint64_t bits = next_argument(a, 8);
    double d;
    memcpy(&d, &bits, sizeof d);
    form(s, tail, f);
    tc_buf_printf(b, f, d);
}

static void put_text(tc_buf *b, args *a, const spec *s) {
    char f[64];
    const char *text = text_at(a->w, a->op, a->lane, next_argument(a, 8));
    a->bad = a->bad || text == NULL;
    form(s, "s", f);
    tc_buf_printf(b, f, text ? text : "");
}

static void put_char(tc_buf *b, args *a, const spec *s) {
    char f[64];
    form(s, "c", f);
    tc_buf_printf(b, f, (int)(uint8_t)next_argument(a, 4));
}

static void put_pointer(tc_buf *b, args *a, const spec *s) {
    char f[64], text[32];
    uint64_t v = next_argument(a, 8);
    snprintf(text, sizeof text, v ? "0x%llx" : "(nil)", (unsigned long long)v);
    form(s, "s", f);
    tc_buf_printf(b, f, text);
}

#pragma GCC diagnostic pop

static void convert(tc_buf *b, args *a, const spec *s) {
    switch (s->type) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        put_integer(b, a, s);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        put_float(b, a, s);
        break;
    case 'c':
        put_char(b, a, s);
        break;
    case 's':
        put_text(b, a, s);
        break;
    case 'p':
        put_pointer(b, a, s);
        break;
    case '%':
        tc_buf_puts(b, "%");
        break;
    default: /* no conversion: as it stands */
        tc_buf_puts(b, "%");
        if (s->type) {
            tc_buf_write(b, &s->type, 1);
        }
        break;
    }
}

/* What vprintf returns: how many arguments, or -1 without a format. */
static int32_t print_lane(tc_warp *w, const tc_ptx_op *op, int lane,
                          uint64_t format, uint64_t arguments) {
    const tc_sim_options *o = &w->cta->run->sim->options;
    const char *f = format ? text_at(w, op, lane, format) : NULL;
    args a = {.w = w, .op = op, .lane = lane, .at = arguments};
    tc_buf b = TC_BUF_INIT;
    while (f && *f && !a.bad) {
        const char *end = strchr(f, '%');
        size_t n = end ? (size_t)(end - f) : strlen(f);
        spec s;
        tc_buf_write(&b, f, n);
        f += n;
        if (*f) {
            f = read_spec(f + 1, &a, &s);
            convert(&b, &a, &s);
        }
    }
    if (o->print && b.len && !a.bad) {
        o->print(o->print_user, b.data, b.len);
    }
    tc_buf_free(&b);
    return f ? (int32_t)a.n : -1;
}

/* ---- __assertfail ---- */

static void assert_failed(tc_warp *w, const tc_ptx_op *op, int lane,
                          const tc_ptx_operand *a) {
    const char *text[4] = {"", "", "", ""};
    for (int i = 0; i < 4; i++) {
        if (i != 2) {
            text[i] = text_at(w, op, lane, tc_call_operand(w, &a[i], lane));
        }
        if (!text[i]) {
            return;
        }
    }
    tc_fault_with(
        w, op, lane, TC_FINDING_TRAP, TC_PS_REG, 0, 0,
        (tc_detail){.row = TC_DETAIL_ASSERTION,
                    .function = text[3],
                    .expression = text[0],
                    .file = text[1],
                    .line = (uint32_t)tc_call_operand(w, &a[2], lane)});
}

/* ---- the functions ---- */

static void one_lane(tc_warp *w, const tc_ptx_op *op, uint8_t which, int lane,
                     const tc_ptx_operand *a, const tc_ptx_operand *out) {
    tc_sim *s = w->cta->run->sim;
    uint64_t v = 0;
    switch (which) {
    case TC_PB_VPRINTF:
        v = (uint32_t)print_lane(w, op, lane, tc_call_operand(w, &a[0], lane),
                                 tc_call_operand(w, &a[1], lane));
        break;
    case TC_PB_MALLOC:
        v = tc_heap_take(s, tc_call_operand(w, &a[0], lane));
        tc_race_heap_take(w, lane);
        break;
    case TC_PB_FREE:
        tc_race_heap_give(w, lane);
        if (!tc_heap_give(s, tc_call_operand(w, &a[0], lane))) {
            tc_finding_fault(w, op, lane, TC_FINDING_TRAP, TC_PS_GLOBAL,
                             tc_call_operand(w, &a[0], lane), 0,
                             TC_DETAIL_HEAP_FREE);
        }
        break;
    default:
        assert_failed(w, op, lane, a);
        break;
    }
    if (out && !w->cta->run->stopped) {
        tc_call_result(w, out, lane, v);
    }
}

void tc_builtin(tc_warp *w, const tc_ptx_op *op, const tc_ptx_func *f,
                uint32_t mask) {
    static const uint8_t least[] = {[TC_PB_VPRINTF] = 2,
                                    [TC_PB_ASSERTFAIL] = 4,
                                    [TC_PB_MALLOC] = 1,
                                    [TC_PB_FREE] = 1};
    const tc_ptx_operand *vec = w->cta->run->module->vec;
    if (op->a[2].nvec < least[f->builtin]) {
        tc_finding_fault(w, op, tc_first_bit(mask), TC_FINDING_TRAP, TC_PS_REG,
                         0, 0, TC_DETAIL_BUILTIN_PARAMETERS);
        return;
    }
    if (tc_race_first_stops(w)) {
        return;
    }
    w->cta->run->progress++;
    for (uint32_t m = mask; m && !w->cta->run->stopped; m &= m - 1) {
        one_lane(w, op, f->builtin, tc_first_bit(m), vec + op->a[2].slot,
                 op->a[0].nvec ? vec + op->a[0].slot : NULL);
    }
}
