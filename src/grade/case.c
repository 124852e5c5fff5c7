/* case.c - makes the calls of a test: their numbers, their data, the program
 * that makes them. */
#include "grade/case.h"
#include "grade/case_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(64) << 20) /* of a buffer */

static uint32_t bits_of(double v) {
    float f = (float)v;
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

/* A value that no arithmetic makes, secret and another one each time. */
static double unwritten(tc_c_type e, tc_draw *d) {
    uint64_t r = tc_draw_next(d);
    switch (e) {
    case TC_C_TYPE_FLOAT:
    case TC_C_TYPE_DOUBLE:
        return NAN; /* its bits: see poison */
    default:
        return (double)(int64_t)(r % 90) + 30;
    }
}

/* Fills elements [from, to) with a NaN or a number of a secret's making. */
static void poison(tc_c_type e, void *at, uint64_t from, uint64_t to,
                   tc_draw *d) {
    uint64_t r = tc_draw_next(d);
    uint32_t bits = 0x7fc00000u | (uint32_t)(r & 0x3fffff);
    uint64_t wide = UINT64_C(0x7ff8000000000000) | (r & 0x7ffffffffffff);
    double plain = unwritten(e, d);
    for (uint64_t i = from; i < to; i++) {
        if (e == TC_C_TYPE_FLOAT) {
            memcpy((char *)at + 4 * i, &bits, 4);
        } else if (e == TC_C_TYPE_DOUBLE) {
            memcpy((char *)at + 8 * i, &wide, 8);
        } else {
            tc_c_type_write(e, at, i, plain);
        }
    }
}

/* What lies around an input: no maximum (or minimum) hides it. */
static void surround(const tc_argument *x, void *at, uint64_t from,
                     uint64_t to) {
    for (uint64_t i = from; i < to; i++) {
        double v = tc_c_type_real(x->type)      ? (double)INFINITY
                   : x->type == TC_C_TYPE_CHAR  ? 127
                   : x->type == TC_C_TYPE_UCHAR ? 255
                   : x->type == TC_C_TYPE_SHORT ? 32767
                                                : 2147483647;
        tc_c_type_write(x->type, at, i, x->around_least ? -v : v);
    }
}

static void fill(const tc_case_data *data, const tc_argument *x,
                 const tc_pattern *p, tc_task_buffer *b, tc_draw *d) {
    uint64_t size = tc_c_type_bytes(x->type), guard = b->guard / size;
    uint64_t n = b->bytes / size;
    uint8_t *all = (uint8_t *)(uintptr_t)b->before, *at = all + b->guard;
    tc_expr_env env = {data->scalars, data->buffers, false};
    double *i = (double *)(uintptr_t)data->scalars;
    if (x->output) {
        poison(x->type, all, 0, guard, d);
        poison(x->type, all, guard + n, n + 2 * guard, d);
        poison(x->type, at, 0, n, d);
    } else {
        surround(x, all, 0, guard);
        surround(x, all, guard + n, n + 2 * guard);
    }
    for (uint64_t k = 0; k < n && (!x->output || x->starts || p); k++) {
        *i = (double)k;
        tc_c_type_write(x->type, at, k,
                        x->starts ? tc_expr_value(x->starts, &env)
                                  : p->value(d, k, n));
    }
}

static bool make_buffer(const tc_exercise *e, tc_case_data *data, int number,
                        uint64_t guard, tc_arena *a, tc_task_buffer *b,
                        const char **why) {
    const tc_argument *x = &e->args[number];
    tc_expr_env env = {data->scalars, data->buffers, false};
    double n = tc_expr_value(x->count, &env);
    uint64_t size = tc_c_type_bytes(x->type);
    if (!(n >= 1 && n * (double)size <= (double)MOST_BYTES) || env.bad) {
        *why = tc_format(a, "%s would have %g elements", x->name, n);
        return false;
    }
    *b = (tc_task_buffer){
        .name = x->name, .bytes = (uint64_t)n * size, .guard = guard};
    b->before = tc_alloc(a, b->bytes + 2 * guard);
    b->after = tc_alloc(a, b->bytes + 2 * guard);
    return true;
}

/* The bits of an argument, as the program reads them out of 8 bytes. */
static uint64_t bits(tc_c_type e, double v) {
    uint64_t b = 0;
    if (e == TC_C_TYPE_FLOAT) {
        return bits_of(v);
    }
    if (e == TC_C_TYPE_DOUBLE) {
        memcpy(&b, &v, sizeof b);
        return b;
    }
    return (uint64_t)(int64_t)v;
}

static void draw_scalars(const tc_exercise *e, const tc_exercise_test *t,
                         tc_draw *d, double *scalars) {
    int k = 1;
    for (int i = 0; i < e->nargs; i++) {
        const tc_number_range *r = &t->scalars[i];
        if (!e->args[i].pointer) {
            double wide = r->to - r->from;
            scalars[k++] =
                wide > 0
                    ? r->from + (double)tc_draw_below(d, (uint64_t)wide + 1)
                    : r->from;
        }
    }
}

static bool make_call(const tc_exercise *e, const tc_exercise_test *t,
                      uint64_t guard, tc_draw d, tc_arena *a, tc_task_call *c,
                      tc_case_data *data, const char **why) {
    double *scalars = TC_NEWN(a, double, e->nargs + 1);
    tc_expr_buffer *views = TC_NEWN(a, tc_expr_buffer, e->nargs + 1);
    data->scalars = scalars;
    data->buffers = views;
    draw_scalars(e, t, &d, scalars);
    *c = (tc_task_call){.nvalues = e->nargs};
    c->buffers = TC_NEWN(a, tc_task_buffer, e->nargs + 1);
    for (int i = 0, k = 1; i < e->nargs; i++) {
        const tc_argument *x = &e->args[i];
        c->pointer[i] = -1;
        if (!x->pointer) {
            c->values[i] = bits(x->type, scalars[k++]);
            continue;
        }
        tc_task_buffer *b = &c->buffers[c->nbuffers];
        if (!make_buffer(e, data, i, guard, a, b, why)) {
            return false;
        }
        views[c->nbuffers] = (tc_expr_buffer){
            x->type, b->before + guard, b->bytes / tc_c_type_bytes(x->type)};
        data->argument[c->nbuffers] = i;
        c->pointer[i] = c->nbuffers++;
    }
    for (int k = 0; k < c->nbuffers; k++) {
        int i = data->argument[k];
        fill(data, &e->args[i], t->patterns[i], &c->buffers[k], &d);
    }
    return true;
}

/* "n = 31, rising values"; what is hidden says less. */
static const char *name_of(const tc_exercise *e, const tc_exercise_test *t,
                           tc_arena *a) {
    tc_buf b = TC_BUF_INIT;
    int patterns = 0;
    for (int i = 0; i < e->nargs; i++) {
        patterns += t->patterns[i] != NULL;
    }
    for (int i = 0; i < e->nargs; i++) {
        const tc_argument *x = &e->args[i];
        const char *comma = b.len > 0 ? ", " : "";
        if (!x->pointer && t->scalars[i].to > t->scalars[i].from) {
            tc_buf_printf(&b, "%s%s drawn", comma, x->name);
        } else if (!x->pointer) {
            tc_buf_printf(&b, "%s%s = %.9g", comma, x->name,
                          t->scalars[i].from);
        }
    }
    for (int i = 0; i < e->nargs; i++) {
        const tc_pattern *p = t->patterns[i];
        if (p != NULL && patterns == 1) {
            tc_buf_printf(&b, ", %s values", p->name);
        } else if (p != NULL) {
            tc_buf_printf(&b, ", %s %s", p->name, e->args[i].name);
        }
    }
    return tc_buf_finish(&b, a);
}

bool tc_case_make(const tc_exercise *e, int number, uint64_t seed, tc_arena *a,
                  tc_case *out, const char **why) {
    bool structure = number == e->ntests;
    const tc_exercise_test *t = structure ? &e->structure : &e->tests[number];
    int ncalls = structure ? 1 : 2;
    *out = (tc_case){.exercise = e, .hidden = t->hidden};
    out->name = name_of(e, t, a);
    out->data = TC_NEWN(a, tc_case_data, ncalls);
    out->task.calls = TC_NEWN(a, tc_task_call, ncalls);
    out->task.most_launches = (uint64_t)e->most_launches;
    for (int i = 0; i < ncalls; i++) {
        tc_draw d = {seed ^ (UINT64_C(0x9E3779B97F4A7C15) *
                             (uint64_t)(2 * number + i + 1))};
        if (!make_call(e, t, i == 0 ? 0 : TC_GUARD, d, a, &out->task.calls[i],
                       &out->data[i], why)) {
            return false;
        }
        out->task.ncalls++;
    }
    for (int i = 0; structure && i < e->nrules; i++) {
        out->timed |= e->rules[i].measure->timed;
    }
    return true;
}

double tc_case_bound(const tc_case *c, const tc_formula *bound) {
    tc_expr_env env = {c->data[0].scalars, c->data[0].buffers, false};
    return tc_expr_value(bound, &env);
}

/* ---- the program that makes the calls ---- */

static void put_type(const tc_argument *x, tc_buf *b) {
    tc_buf_printf(b, "%s%s%s", x->pointer && !x->output ? "const " : "",
                  tc_c_type_name(x->type), x->pointer ? " *" : "");
}

void tc_case_main(const tc_exercise *e, tc_buf *b) {
    tc_buf_puts(b, "extern \"C\" bool tc_task_enter(unsigned long long *);\n"
                   "extern \"C\" void tc_task_leave();\n"
                   "template <class T> static T get(unsigned long long v) {\n"
                   "    T t;\n"
                   "    __builtin_memcpy(&t, &v, sizeof t);\n"
                   "    return t;\n"
                   "}\n");
    tc_buf_printf(b,
                  "%s;\nint main() {\n    unsigned long long v[16];\n"
                  "    while (tc_task_enter(v)) {\n        %s(",
                  e->interface, e->function);
    for (int i = 0; i < e->nargs; i++) {
        tc_buf_printf(b, "%sget<", i ? ", " : "");
        put_type(&e->args[i], b);
        tc_buf_printf(b, ">(v[%d])", i);
    }
    tc_buf_puts(b, ");\n        tc_task_leave();\n    }\n    return 0;\n}\n");
}
