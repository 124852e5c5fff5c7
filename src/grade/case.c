/* case.c - makes the calls of a test: their numbers, their data, the program
 * that makes them. */
#include "grade/case.h"
#include "grade/case_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(64) << 20) /* of a buffer that is kept whole */
/* Of a test that is simulated in part: clusters of each launch, and warp
 * instructions. */
enum { SAMPLE = 90, SAMPLE_OPS = 2000000 };
#define MOST_LARGE (UINT64_C(64) << 30)

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

/* All of a buffer; where it is large the first of its pages, which are all that
 * it has. */
static void fill(const tc_case_data *data, const tc_argument *x,
                 const tc_pattern *p, tc_task_buffer *b, tc_large *l,
                 tc_draw *d) {
    l->poisoned = x->output && !x->starts && !p;
    uint64_t size = tc_c_type_bytes(x->type), guard = b->guard / size;
    uint64_t n = b->bytes / size, first = l->period ? l->period / size : n;
    uint8_t *all = (uint8_t *)(uintptr_t)b->before, *at = all + b->guard;
    tc_expr_env env = {data->scalars, data->buffers, false};
    double *i = (double *)(uintptr_t)data->scalars;
    if (x->output) {
        poison(x->type, all, 0, guard, d);
        poison(x->type, all, guard + n, n + 2 * guard, d);
        poison(x->type, at, 0, first, d);
    } else {
        surround(x, all, 0, guard);
        surround(x, all, guard + n, n + 2 * guard);
    }
    for (uint64_t k = 0; k < first && (!x->output || x->starts || p); k++) {
        *i = (double)k;
        tc_c_type_write(x->type, at, k,
                        x->starts ? tc_expr_value(x->starts, &env)
                                  : p->value(d, k, first));
    }
    if (l->period) {
        tc_large_finish(l, b);
    }
}

/* The call's next buffer. */
static bool make_buffer(tc_case *out, tc_case_data *data, tc_task_call *c,
                        uint64_t guard, tc_arena *a, const char **why) {
    int k = c->nbuffers;
    const tc_argument *x = &out->exercise->args[data->argument[k]];
    tc_task_buffer *b = &c->buffers[k];
    tc_expr_env env = {data->scalars, data->buffers, false};
    double n = tc_expr_value(x->count, &env);
    uint64_t size = tc_c_type_bytes(x->type);
    if (!(n >= 1 && n * (double)size <= (double)MOST_LARGE) || env.bad) {
        *why = tc_format(a, "%s would have %g elements", x->name, n);
        return false;
    }
    *b = (tc_task_buffer){.name = x->name,
                          .bytes = (uint64_t)n * size,
                          .guard = guard,
                          .result = x->output};
    if (b->bytes > MOST_BYTES) {
        if (!tc_large_make(&data->large[k], b, x->output, out->sampled)) {
            *why = tc_format(a,
                             "this machine has no room for the %.0f elements "
                             "of %s",
                             n, x->name);
            return false;
        }
        out->large += (x->output ? 2 : 1) * (b->bytes + 2 * guard);
    } else {
        b->before = tc_alloc(a, b->bytes + 2 * guard);
        b->after = tc_alloc(a, b->bytes + 2 * guard);
    }
    ((tc_expr_buffer *)(uintptr_t)data->buffers)[k] =
        (tc_expr_buffer){x->type, b->before + guard, b->bytes / size};
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

static bool make_call(tc_case *out, const tc_exercise_test *t, bool guarded,
                      tc_draw d, tc_arena *a, const char **why) {
    const tc_exercise *e = out->exercise;
    tc_task_call *c = &out->task.calls[out->task.ncalls];
    tc_case_data *data = &out->data[out->task.ncalls++];
    double *scalars = TC_NEWN(a, double, e->nargs + 1);
    uint64_t guard = guarded ? TC_GUARD : 0;
    data->scalars = scalars;
    data->buffers = TC_NEWN(a, tc_expr_buffer, e->nargs + 1);
    draw_scalars(e, t, &d, scalars);
    *c = (tc_task_call){.nvalues = e->nargs};
    c->buffers = TC_NEWN(a, tc_task_buffer, e->nargs + 1);
    for (int i = 0, k = 1; i < e->nargs; i++) {
        c->pointer[i] = -1;
        if (!e->args[i].pointer) {
            c->values[i] = bits(e->args[i].type, scalars[k++]);
            continue;
        }
        data->argument[c->nbuffers] = i;
        if (!make_buffer(out, data, c, guard, a, why)) {
            return false;
        }
        c->pointer[i] = c->nbuffers++;
    }
    for (int k = 0; k < c->nbuffers; k++) {
        int i = data->argument[k];
        fill(data, &e->args[i], t->patterns[i], &c->buffers[k], &data->large[k],
             &d);
    }
    return true;
}

/* "n = 31, rising values"; what is hidden says less. */
const char *tc_case_name(const tc_exercise *e, const tc_exercise_test *t,
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
            tc_buf_printf(&b, "%s%s = %.10g", comma, x->name,
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

const tc_exercise_test *tc_case_test(const tc_exercise *e, tc_case_kind kind,
                                     int number) {
    switch (kind) {
    case TC_CASE_STRUCTURE:
        return &e->structures[number].test;
    case TC_CASE_SPEED:
        return &e->speed.test;
    case TC_CASE_SPEED_GPU:
        return &e->speed.gpu;
    default:
        return &e->tests[number];
    }
}

/* A test is called twice, the second time with guards around its buffers; what
 * is large once; for a GPU's speed also to warm up. */
static int calls_of(tc_case_kind kind, const tc_exercise_test *t) {
    enum { GPU_CALLS = 4 };
    return kind == TC_CASE_SPEED_GPU                      ? GPU_CALLS
           : kind != TC_CASE_TEST || t->gpu || t->sampled ? 1
                                                          : 2;
}

bool tc_case_make(const tc_exercise *e, tc_case_kind kind, int number,
                  bool sampled, uint64_t seed, tc_arena *a, tc_case *out,
                  const char **why) {
    const tc_exercise_test *t = tc_case_test(e, kind, number);
    int ncalls = calls_of(kind, t), salt = 2 * number + 1000 * (int)kind;
    *out = (tc_case){.exercise = e, .hidden = t->hidden, .sampled = sampled};
    if (sampled) {
        out->task.sample = SAMPLE;
        out->task.budget = SAMPLE_OPS;
    }
    out->name = tc_case_name(e, t, a);
    out->data = TC_NEWN(a, tc_case_data, ncalls);
    out->task.calls = TC_NEWN(a, tc_task_call, ncalls);
    out->task.most_launches = (uint64_t)e->most_launches;
    out->timed = kind == TC_CASE_SPEED ||
                 (kind == TC_CASE_STRUCTURE && e->structures[number].timed);
    for (int i = 0; i < ncalls; i++) {
        tc_draw d = {seed ^
                     (UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(salt + i + 1))};
        if (!make_call(out, t,
                       kind == TC_CASE_TEST && (i > 0 || t->gpu || t->sampled),
                       d, a, why)) {
            return false;
        }
    }
    if (kind == TC_CASE_SPEED || kind == TC_CASE_SPEED_GPU) {
        double bytes = tc_case_bound(out, e->speed.bytes);
        out->task.copy.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    }
    return true;
}

void tc_case_end(tc_case *c) {
    for (int i = 0; i < c->task.ncalls; i++) {
        for (int k = 0; k < c->task.calls[i].nbuffers; k++) {
            tc_large_free(&c->data[i].large[k]);
        }
    }
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
