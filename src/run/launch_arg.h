/* launch_arg.h - what one ARG of `launch` says: a buffer to make, or a
 * number. Knows no session, so that tools can read arguments as it does. */
#ifndef TC_SESSION_LAUNCH_VALUE_H
#define TC_SESSION_LAUNCH_VALUE_H

#include "ir/ir.h"
#include <stdbool.h>
#include <stdint.h>

enum { TC_ARG_RANK = 8 }; /* dimensions of a buffer */

typedef enum tc_arg_kind {
    TC_ARG_BUFFER, /* f32[4096], f16[64,32] */
    TC_ARG_INT,    /* 7, -1, 0xff, 7u64 */
    TC_ARG_FLOAT   /* 2.5, 1e-3, 2.5f, 1f16 */
} tc_arg_kind;

typedef struct tc_arg_value {
    tc_arg_kind kind;
    tc_dtype type; /* of a buffer's elements; of a number its suffix, or
                      TC_VOID: it takes the parameter's type */
    int64_t shape[TC_ARG_RANK];
    int rank;
    bool negative; /* of an INT */
    uint64_t magnitude;
    double number; /* of a FLOAT */
} tc_arg_value;

/* What a parameter takes. */
typedef enum tc_arg_class {
    TC_TAKES_INT,
    TC_TAKES_FLOAT,
    TC_TAKES_BFLOAT,
    TC_TAKES_BITS /* .b16, .b32, .b64: a number of either sort */
} tc_arg_class;

/* A sentence of refusal and how to do it right; both end with the arena. */
typedef struct tc_arg_refusal {
    const char *message, *hint;
} tc_arg_refusal;

/* Reads one word. False with why. */
bool tc_arg_read(tc_arena *a, const char *word, tc_arg_value *out,
                 tc_arg_refusal *why);

/* The bytes of a number for a parameter of size 1, 2, 4 or 8 bytes, in little
 * endian order. False with why. */
bool tc_arg_bits(tc_arena *a, const tc_arg_value *v, tc_arg_class c,
                 uint32_t size, uint8_t out[8], tc_arg_refusal *why);

/* N, X,Y or X,Y,Z, each from 1 to most. */
bool tc_arg_dims(const char *word, uint32_t most, uint32_t out[3]);

#endif
