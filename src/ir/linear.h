/* linear.h - an integer expression as a constant plus multiples of atoms.
 *
 * Private to the layers that reason about addresses (ir/, variants/). An atom
 * is anything that is not itself a sum: a variable, a load, x // 4, x % 4. */
#ifndef TC_IR_LINEAR_H
#define TC_IR_LINEAR_H

#include "ir/ir.h"

typedef struct tc_term {
    tc_expr *atom;
    int64_t coef; /* never 0 */
} tc_term;

typedef struct tc_linear {
    int64_t constant;
    tc_term *terms; /* distinct atoms, in order of appearance */
    int n, cap;
} tc_linear;

/* Takes e (int32 or int64) apart. False when a coefficient overflows or e is
 * not a signed integer. */
bool tc_linear_of(tc_arena *a, tc_expr *e, tc_linear *out);
/* Puts it together again: terms by falling coefficient, then the constant. */
tc_expr *tc_linear_expr(tc_arena *a, tc_dtype type, const tc_linear *l);
/* The largest number that divides every coefficient (not the constant); 0
 * when there are no terms. */
int64_t tc_linear_gcd(const tc_linear *l);
bool tc_expr_equal(const tc_expr *x, const tc_expr *y); /* structural */
/* The inclusive range of e's values; false when nothing is known. */
bool tc_expr_range(const tc_expr *e, int64_t *lo, int64_t *hi);

#endif
