/* link.h - PTX texts linked to one: several sources of a program, whole or with
 * relocatable device code (CUDA Compiler Driver NVCC, 6). */
#ifndef TC_PTX_LINK_H
#define TC_PTX_LINK_H

#include "base/arena.h"
#include "base/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tc_ptx_text_unit {
    const char *text;
    size_t len;
    uint32_t id;      /* of the caller's */
    bool relocatable; /* shares its names with the others that are; what is not
                         has names of its own */
} tc_ptx_text_unit;

/* A kernel or variable that has another name in the whole, as another unit has
 * one of the same. */
typedef struct tc_ptx_renamed {
    uint32_t unit;
    const char *from, *to;
} tc_ptx_renamed;

typedef struct tc_ptx_linked {
    const char *text;
    size_t len;
    const tc_ptx_renamed *renamed;
    int nrenamed;
} tc_ptx_linked;

/* Of n units one text, in a. False after reporting: a name is defined twice, or
 * nowhere. */
bool tc_ptx_link_texts(tc_arena *a, const tc_ptx_text_unit *units, int n,
                       tc_diags *diags, tc_ptx_linked *out);
/* The name that a unit's kernel or variable has in the whole. */
const char *tc_ptx_linked_name(const tc_ptx_renamed *all, int n, uint32_t unit,
                               const char *name);

#endif
