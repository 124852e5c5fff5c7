/* names.h - identifiers that both CUDA C++ and PTX take. */
#ifndef TC_EMIT_NAMES_H
#define TC_EMIT_NAMES_H

#include "base/arena.h"

/* A stack of names in sight. Leaving a block forgets its names. */
typedef struct tc_emit_names {
    tc_arena *arena;
    struct tc_emit_name {
        const void *key;
        const char *text;
    } * items;
    int n, cap;
} tc_emit_names;

/* Gives key a name like `wanted`, legal and different from all in sight. */
const char *tc_name_add(tc_emit_names *names, const void *key,
                        const char *wanted);
/* The name of key, or NULL. */
const char *tc_name_of(const tc_emit_names *names, const void *key);

#endif
