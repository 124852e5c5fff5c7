/* expr.h - the expressions of an exercise.yml: what a result should be, how
 * many elements a buffer has, what a rule demands.
 *
 *     a + b, - * / %, < <= > >= == != && || !, c ? a : b, (e), numbers, names
 *     in[e]                  an element of a buffer
 *     max(a, b, ...) min sum, abs(a) floor(a) div(a, b)
 *     max(j = a .. b: e)     over j from a to b; also min, sum
 *
 * Numbers are doubles; div and % round down; / does not round. */
#ifndef TC_GRADE_EXPR_H
#define TC_GRADE_EXPR_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

/* Types of elements and of scalars: TC_C_TYPE(id, C's name, C type). */
#define TC_C_TYPES(X)                                                          \
    X(FLOAT, "float", float)                                                   \
    X(DOUBLE, "double", double)                                                \
    X(INT, "int", int32_t)                                                     \
    X(UINT, "unsigned", uint32_t)                                              \
    X(CHAR, "char", int8_t)                                                    \
    X(UCHAR, "unsigned char", uint8_t)                                         \
    X(SHORT, "short", int16_t)                                                 \
    X(LONG, "long long", int64_t)
typedef enum tc_c_type {
#define X(id, name, type) TC_C_TYPE_##id,
    TC_C_TYPES(X)
#undef X
        TC_C_TYPE_COUNT
} tc_c_type;
uint64_t tc_c_type_bytes(tc_c_type e);
const char *tc_c_type_name(tc_c_type e);
double tc_c_type_read(tc_c_type e, const void *at, uint64_t i);
void tc_c_type_write(tc_c_type e, void *at, uint64_t i, double value);
bool tc_c_type_real(tc_c_type e); /* float, double */

typedef struct tc_formula tc_formula;

/* What names stand for: scalars[i] for values[i] of an environment. */
typedef struct tc_expr_names {
    const char *const *scalars, *const *buffers;
    int nscalars, nbuffers;
} tc_expr_names;

/* In arena a; NULL with why, and *column (from 0) of what is wrong. */
const tc_formula *tc_expr_parse(tc_arena *a, const char *text,
                                const tc_expr_names *names, char why[160],
                                int *column);

typedef struct tc_expr_buffer {
    tc_c_type type;
    const void *data;
    uint64_t count;
} tc_expr_buffer;

typedef struct tc_expr_env {
    const double *scalars;
    const tc_expr_buffer *buffers;
    bool bad; /* an index was outside: set, never cleared */
} tc_expr_env;

double tc_expr_value(const tc_formula *e, tc_expr_env *env);

#endif
