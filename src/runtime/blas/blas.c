/* blas.c - cuBLAS's operations by cblas (netlib.org/blas): OpenBLAS, BLIS or the
 * reference implementation, whichever is installed. Sums are in their order, not
 * in a GPU's: the last bits may differ. */
#include "runtime/blas/blas.h"
#include "base/arena.h"
#include "runtime/blas/small.h"
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 102, PLAIN = 111, TRANSPOSED = 112 }; /* cblas.h's */

/* FUNCTION(name, result, parameters): of single and of double precision. */
#define FUNCTIONS(T, s, i, F)                                                  \
    F(s##gemm, void,                                                           \
      (int, int, int, int, int, int, T, const T *, int, const T *, int, T,     \
       T *, int))                                                              \
    F(s##gemv, void,                                                           \
      (int, int, int, int, T, const T *, int, const T *, int, T, T *, int))    \
    F(s##ger, void,                                                            \
      (int, int, int, T, const T *, int, const T *, int, T *, int))            \
    F(s##axpy, void, (int, T, const T *, int, T *, int))                       \
    F(s##dot, T, (int, const T *, int, const T *, int))                        \
    F(s##nrm2, T, (int, const T *, int))                                       \
    F(s##asum, T, (int, const T *, int))                                       \
    F(s##scal, void, (int, T, T *, int))                                       \
    F(s##copy, void, (int, const T *, int, T *, int))                          \
    F(s##swap, void, (int, T *, int, T *, int))                                \
    F(i, size_t, (int, const T *, int))

typedef struct library {
#define F(name, result, parameters) result(*name) parameters;
    FUNCTIONS(float, s, isamax, F)
    FUNCTIONS(double, d, idamax, F)
#undef F
} library;

/* ---- which library ---- */

static bool load(library *l, const char *name) {
    void *h = dlopen(name, RTLD_NOW | RTLD_LOCAL), *f;
    if (h == NULL) {
        return false;
    }
#define F(member, result, parameters)                                          \
    f = dlsym(h, "cblas_" #member);                                            \
    memcpy(&l->member, &f, sizeof f);                                          \
    if (f == NULL) {                                                           \
        dlclose(h);                                                            \
        return false;                                                          \
    }
    FUNCTIONS(float, s, isamax, F)
    FUNCTIONS(double, d, idamax, F)
#undef F
    return true;
}

static const library *loaded(void) {
    static const char *const names[] = {"libopenblas.so.0", "libblis.so.4",
                                        "libblis.so.3", "libcblas.so.3",
                                        "libblas.so.3"};
    static library l;
    static int state; /* 0: not tried yet; 1: there; 2: none */
    for (size_t i = 0; state == 0 && i < sizeof names / sizeof *names; i++) {
        state = load(&l, names[i]) ? 1 : 0;
    }
    state = state == 0 ? 2 : state;
    return state == 1 ? &l : NULL;
}

bool tc_blas_there(void) {
    return loaded() != NULL;
}

/* ---- operands ---- */

typedef struct blas_shape {
    int64_t rows, columns; /* a vector's columns are 1; -1 rows: no operand */
    bool vector;
} blas_shape;

static blas_shape shape_of(const tc_rt_blas *q, int i) {
    const blas_shape none = {-1, 0, false}, line = {q->n, 1, true};
    bool turned = q->x[i].transposed != 0;
    switch (q->what) {
    case TC_RT_GEMM: {
        int64_t rows = i == 1 ? q->k : q->m, columns = i == 0 ? q->k : q->n;
        return turned ? (blas_shape){columns, rows, false}
                      : (blas_shape){rows, columns, false};
    }
    case TC_RT_GEMV:
        return i == 0 ? (blas_shape){q->m, q->n, false}
                      : (blas_shape){
                            (i == 1) == (q->x[0].transposed == 0) ? q->n : q->m,
                            1, true};
    case TC_RT_GER:
        return i == 2 ? (blas_shape){q->m, q->n, false}
                      : (blas_shape){i == 0 ? q->m : q->n, 1, true};
    case TC_RT_AXPY:
    case TC_RT_DOT:
    case TC_RT_COPY:
    case TC_RT_SWAP:
        return i < 2 ? line : none;
    default:
        return i < 1 ? line : none;
    }
}

bool tc_blas_writes(const tc_rt_blas *q, int i) {
    switch (q->what) {
    case TC_RT_GEMM:
    case TC_RT_GEMV:
    case TC_RT_GER:
        return i == 2;
    case TC_RT_AXPY:
    case TC_RT_COPY:
        return i == 1;
    case TC_RT_SWAP:
        return true;
    default:
        return q->what == TC_RT_SCAL;
    }
}

static bool fits(int64_t n) {
    return n >= 0 && n <= INT_MAX;
}

bool tc_blas_extent(const tc_rt_blas *q, int i, uint64_t *bytes) {
    const tc_rt_blas_operand *o = &q->x[i];
    blas_shape s = shape_of(q, i);
    int64_t step = o->step;
    *bytes = 0;
    if (s.rows < 0) {
        return true;
    }
    if (!fits(q->m) || !fits(q->n) || !fits(q->k) || step == INT_MIN ||
        o->type >= TC_RT_BLAS_TYPES ||
        (q->what != TC_RT_GEMM &&
         (o->type > TC_RT_BLAS_F64 || o->type != q->x[0].type))) {
        return false;
    }
    /* a BLAS ends the process where these are wrong */
    if (s.vector ? step == 0 : step < (s.rows > 1 ? s.rows : 1)) {
        return false;
    }
    if (s.rows == 0 || s.columns == 0) {
        return true;
    }
    uint64_t elements =
        s.vector
            ? (uint64_t)(s.rows - 1) * (uint64_t)(step < 0 ? -step : step)
            : (uint64_t)(s.columns - 1) * (uint64_t)step + (uint64_t)s.rows - 1;
    *bytes = (elements + 1) * tc_small_bytes(o->type);
    return true;
}

/* ---- products of matrices ---- */

/* Columns of C at a time: between them the limits are looked at. */
static int64_t panel(const tc_rt_blas *q) {
    const int64_t work = INT64_C(1) << 28;
    int64_t each = q->m * (q->k > 0 ? q->k : 1);
    int64_t n = each > 0 ? work / each : q->n;
    return n < 1 ? 1 : n < q->n ? n : q->n;
}

static int mode(const tc_rt_blas_operand *o) {
    return o->transposed ? TRANSPOSED : PLAIN;
}

#define GEMM(name, T, member)                                                  \
    static void name(const tc_rt_blas *q, const T *a, const T *b, T *c,        \
                     const atomic_int *halt) {                                 \
        const library *l = loaded();                                           \
        int64_t each = panel(q), lb = q->x[1].step, lc = q->x[2].step;         \
        for (int64_t j = 0; j < q->n && !*halt; j += each) {                   \
            int64_t n = q->n - j < each ? q->n - j : each;                     \
            l->member(COLUMNS, mode(&q->x[0]), mode(&q->x[1]), (int)q->m,      \
                      (int)n, (int)q->k, (T)q->alpha, a, q->x[0].step,         \
                      b + (q->x[1].transposed ? j : j * lb), (int)lb,          \
                      (T)q->beta, c + j * lc, (int)lc);                        \
        }                                                                      \
    }
GEMM(gemm_floats, float, sgemm)
GEMM(gemm_doubles, double, dgemm)

/* Operand i as doubles in the same places; NULL: it has no elements. */
static double *widened(const tc_rt_blas *q, int i, const uint8_t *memory) {
    blas_shape s = shape_of(q, i);
    int64_t n = (s.columns - 1) * q->x[i].step + s.rows;
    double *out =
        s.rows > 0 && s.columns > 0 ? tc_xcalloc((size_t)n, sizeof *out) : NULL;
    for (int64_t c = 0; out != NULL && c < s.columns; c++) {
        tc_small_read(q->x[i].type, memory, c * q->x[i].step, s.rows, out);
    }
    return out;
}

/* Of elements that are no floats: in doubles, whose products and sums of halves
 * and bytes are exact but for long sums, and rounded once. */
static void gemm_others(const tc_rt_blas *q, uint8_t *const memory[3],
                        const atomic_int *halt) {
    double *a = widened(q, 0, memory[0]), *b = widened(q, 1, memory[1]);
    double *c = widened(q, 2, memory[2]);
    static const double nothing;
    if (c != NULL) {
        gemm_doubles(q, a ? a : &nothing, b ? b : &nothing, c, halt);
        for (int64_t j = 0; j < q->n; j++) {
            tc_small_write(q->x[2].type, memory[2], j * q->x[2].step, q->m, c);
        }
    }
    free(a);
    free(b);
    free(c);
}

static bool all(const tc_rt_blas *q, uint32_t type) {
    return q->x[0].type == type && q->x[1].type == type && q->x[2].type == type;
}

static void gemm(const tc_rt_blas *q, uint8_t *const memory[3],
                 const atomic_int *halt) {
    if (all(q, TC_RT_BLAS_F32)) {
        gemm_floats(q, (const float *)(const void *)memory[0],
                    (const float *)(const void *)memory[1],
                    (float *)(void *)memory[2], halt);
    } else if (all(q, TC_RT_BLAS_F64)) {
        gemm_doubles(q, (const double *)(const void *)memory[0],
                     (const double *)(const void *)memory[1],
                     (double *)(void *)memory[2], halt);
    } else {
        gemm_others(q, memory, halt);
    }
}

/* ---- the rest: of floats and of doubles ---- */

#define REST(name, T, s, i)                                                    \
    static void name(tc_rt_blas *q, uint8_t *const memory[3]) {                \
        const library *l = loaded();                                           \
        T *x = (T *)(void *)memory[0], *y = (T *)(void *)memory[1];            \
        T *z = (T *)(void *)memory[2], alpha = (T)q->alpha;                    \
        int n = (int)q->n, sx = q->x[0].step, sy = q->x[1].step;               \
        int sz = q->x[2].step;                                                 \
        switch (q->what) {                                                     \
        case TC_RT_GEMV:                                                       \
            l->s##gemv(COLUMNS, mode(&q->x[0]), (int)q->m, n, alpha, x, sx, y, \
                       sy, (T)q->beta, z, sz);                                 \
            break;                                                             \
        case TC_RT_GER:                                                        \
            l->s##ger(COLUMNS, (int)q->m, n, alpha, x, sx, y, sy, z, sz);      \
            break;                                                             \
        case TC_RT_AXPY:                                                       \
            l->s##axpy(n, alpha, x, sx, y, sy);                                \
            break;                                                             \
        case TC_RT_DOT:                                                        \
            q->result = (double)l->s##dot(n, x, sx, y, sy);                    \
            break;                                                             \
        case TC_RT_NRM2:                                                       \
            q->result = (double)l->s##nrm2(n, x, sx);                          \
            break;                                                             \
        case TC_RT_ASUM:                                                       \
            q->result = (double)l->s##asum(n, x, sx);                          \
            break;                                                             \
        case TC_RT_SCAL:                                                       \
            l->s##scal(n, alpha, x, sx);                                       \
            break;                                                             \
        case TC_RT_COPY:                                                       \
            l->s##copy(n, x, sx, y, sy);                                       \
            break;                                                             \
        case TC_RT_SWAP:                                                       \
            l->s##swap(n, x, sx, y, sy);                                       \
            break;                                                             \
        default: /* cuBLAS counts from 1 */                                    \
            q->index = (int64_t)l->i(n, x, sx) + 1;                            \
            break;                                                             \
        }                                                                      \
    }
REST(rest_floats, float, s, isamax)
REST(rest_doubles, double, d, idamax)

void tc_blas_run(tc_rt_blas *q, uint8_t *const memory[3],
                 const atomic_int *halt) {
    q->result = 0;
    q->index = 0;
    if (q->what == TC_RT_GEMM) {
        gemm(q, memory, halt);
    } else if (memory[0] != NULL) {
        if (q->x[0].type == TC_RT_BLAS_F64) {
            rest_doubles(q, memory);
        } else {
            rest_floats(q, memory);
        }
    }
}
